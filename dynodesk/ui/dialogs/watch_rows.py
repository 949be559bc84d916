"""What a watch saw as rows of a list, and in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from dynodesk.domain.cells import visible
from dynodesk.domain.clock import duration
from dynodesk.domain.tallies import TallyRule
from dynodesk.reconcile.notices import NOTICE_MEANINGS, Notice
from dynodesk.reconcile.watch import Watch, time_for, why_not_watched
from dynodesk.ui.pages.reconcile_rows import MISSING, NO_INDEX, Column, Index, RowsModel
from dynodesk.ui.theme import Cell, Row

MOST_KEPT = 5_000
"""Notices in the list; of more the oldest go."""
COLUMNS = (
    Column("When (UTC)", 162),
    Column("What happened", 284),
    Column("Item", 204),
    Column("Parent", 130),
    Column("Drift", 60, right=True),
    Column("Likely cause", 200),
)


@dataclass(frozen=True, slots=True)
class Seen:
    """A notice with its cells, prepared on the thread that found it."""

    notice: Notice
    row: Row


def seen(notice: Notice) -> Seen:
    """For any thread."""
    return Seen(notice, _row(notice))


class NoticesModel(RowsModel):
    """The newest on top."""

    def __init__(self) -> None:
        super().__init__(COLUMNS)
        self._seen: list[Seen] = []

    def row_at(self, row: int) -> Row:
        return self._seen[row].row

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._seen)

    def notice(self, index: Index) -> Notice | None:
        return self._seen[index.row()].notice if index.isValid() else None

    def clear(self) -> None:
        self.beginResetModel()
        self._seen = []
        self.endResetModel()

    def add(self, came: Sequence[Seen]) -> None:
        """In the order in which they came. What is chosen stays so, while it is kept."""
        newest = came[-MOST_KEPT:]
        first, last = MOST_KEPT - len(newest), len(self._seen) - 1
        if first <= last:
            self.beginRemoveRows(NO_INDEX, first, last)
            del self._seen[first:]
            self.endRemoveRows()
        self.beginInsertRows(NO_INDEX, 0, len(newest) - 1)
        self._seen[:0] = reversed(newest)
        self.endInsertRows()


def state_words(watch: Watch) -> str:
    records = "1 record" if watch.records == 1 else f"{watch.records:,} records"
    waiting = f"{watch.open:,} change{' waits for its' if watch.open == 1 else 's wait for their'} other half"
    words = f"{records} read · {waiting}"
    unknown = "other halves may lie before the watch, or in a gap"
    return f"{words} · {watch.unknown:,} not judged: {unknown}" if watch.unknown else words


def sentences(rules: Sequence[TallyRule]) -> Iterator[str]:
    yield "Nothing is read from the tables or written. A stream takes two readers at a time: this is one of them."
    followed = [f"{rule.name} {duration(time_for(rule, None))}" for rule in rules if not why_not_watched(rule)]
    if followed:
        yield f"A child and its tally have this long to follow each other: {visible(', '.join(followed))}."
    yield from (visible(f"Not watched: {rule.name}: {why}.") for rule in rules if (why := why_not_watched(rule)))


def _row(notice: Notice) -> Row:
    return Row(
        (
            Cell(f"{datetime.fromtimestamp(notice.at, UTC):%Y-%m-%d %H:%M:%S}", "S"),
            Cell(visible(notice.what), "text", ink="warn" if notice.kind == "gap" else ""),
            Cell(visible(notice.item_text), "S") if notice.item is not None else MISSING,
            Cell(visible(notice.parent_text), "S") if notice.parent is not None else MISSING,
            Cell(notice.drift_text, "drift", ink="danger") if notice.drift is not None else MISSING,
            Cell(visible(notice.cause), "text", ink="text2"),
        )
    )


def detail(notice: Notice) -> Iterator[str]:
    yield visible(f"{notice.rule}: {NOTICE_MEANINGS[notice.kind]}")
    yield visible(f"{notice.item_text or notice.table}: {notice.what}.")
    if notice.cause:
        yield visible(notice.cause)
