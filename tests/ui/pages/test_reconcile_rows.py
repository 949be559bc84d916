"""Findings as rows: exact texts, order by value, filters, and the hop from the thread that finds them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from decimal import Decimal

import pytest
from PySide6.QtCore import QAbstractItemModel, QObject, QPersistentModelIndex, Qt, Slot
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from dynodesk.domain.findings import Evidence, Finding, Verdict
from dynodesk.domain.values import Number, String, Value
from dynodesk.ui.pages.reconcile_rows import FINDING_COLUMNS, FindingRow, FindingsModel, finding_row
from dynodesk.ui.pages.reconcile_stream import FindingStream

ASCENDING, DESCENDING = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
VERDICT, PARENT, _, STORED, REAL, DRIFT, _, REASON = range(len(FINDING_COLUMNS))


def finding(
    name: str,
    stored: Value | None,
    real: int | None,
    verdict: Verdict = "exact",
    *,
    low: str = "",
    high: str = "",
    reason: str = "",
) -> Finding:
    number = stored.value if isinstance(stored, Number) else None
    drift = None if number is None or real is None or low else number - real
    return Finding(
        rule="post likes",
        verdict=verdict,
        parent={"PK": String(f"POST#{name}"), "SK": String("META")},
        stored=stored,
        real=real,
        drift=drift,
        low=Decimal(low) if low else None,
        high=Decimal(high) if high else None,
        reason=reason,
        evidence=Evidence(passes=2, consistent=True, version=True, tries=1),
    )


MANY = [
    finding("b", Number("41"), 37),
    finding("ä", Number("9"), 12),
    finding("a", Number("100"), 99),
    finding("c", Number("-2"), 0),
    finding("d", Number("88214"), 88196, "bounded", low="12", high="24"),
    finding("e", String("12"), 12, "incomparable", reason="likeTally is a String, the rule needs a Number"),
    finding("f", None, 3, "orphans", reason="the parent item does not exist"),
]


@pytest.fixture
def model(qtmodeltester: ModelTester) -> FindingsModel:
    """Qt's own tester follows every change of it."""
    model = FindingsModel()
    check: Callable[[QAbstractItemModel], None] = qtmodeltester.check
    check(model)
    model.add([finding_row(found) for found in MANY[:3]])
    model.add([finding_row(found) for found in MANY[3:]])
    return model


def texts(model: FindingsModel, column: int) -> list[str]:
    return [model.index(row, column).data() for row in range(model.rowCount())]


def names(model: FindingsModel) -> str:
    return "".join(text.split()[0].removeprefix("POST#") for text in texts(model, PARENT))


def test_cells_say_exactly_what_the_finding_says(model: FindingsModel) -> None:
    assert texts(model, STORED) == ["41", "9", "100", "-2", "88214", '"12" (S)', ""]
    assert texts(model, REAL) == ["37", "12", "99", "0", "88196", "12", "3"]
    assert texts(model, DRIFT) == ["+4", "-3", "+1", "-2", "+12…+24", "", ""]
    assert texts(model, REASON)[3:6] == ["the stored number is negative", "", MANY[5].reason]


def test_what_cannot_be_seen_is_marked_and_markup_stays_text() -> None:
    row = finding_row(finding("<b>x</b>\u202e\n", Number("1"), 0)).row
    assert row.cells[PARENT].text == "POST#<b>x</b>⟨U+202E⟩⏎ / META"


@pytest.mark.parametrize(
    ("column", "order", "expected"),
    [
        (STORED, ASCENDING, "cäbade" + "f"),
        (STORED, DESCENDING, "edabäc" + "f"),
        (REAL, ASCENDING, "cfäebad"),
        (DRIFT, ASCENDING, "äcabd" + "ef"),
        (DRIFT, DESCENDING, "dbacä" + "ef"),
        (PARENT, ASCENDING, "abcdefä"),
        (VERDICT, ASCENDING, "bäac" + "d" + "e" + "f"),
    ],
)
def test_sorting_goes_by_value_and_leaves_what_is_missing_last(
    model: FindingsModel, column: int, order: Qt.SortOrder, expected: str
) -> None:
    model.sort(column, order)
    assert names(model) == expected
    model.sort(-1)
    assert names(model) == "bäacdef"


def test_a_held_row_stays_with_its_finding_when_the_order_changes(model: FindingsModel) -> None:
    held = QPersistentModelIndex(model.index(0, DRIFT))
    model.sort(DRIFT, ASCENDING)
    assert (held.row(), held.data()) == (3, "+4")
    model.settle([finding_row(found) for found in reversed(MANY)])
    assert names(model) == "äcabdfe"


def test_a_filter_shows_one_verdict_also_of_what_comes_later(model: FindingsModel) -> None:
    model.show_verdict("orphans")
    assert names(model) == "f"
    model.add([finding_row(finding("g", None, 1, "orphans")), finding_row(finding("h", Number("1"), 0))])
    assert names(model) == "fg"
    assert model.row_of(MANY[6]) == 0
    assert model.row_of(MANY[0]) == -1
    model.show_verdict(None)
    assert names(model) == "bäacdefgh"


class Receiver(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.batches: list[tuple[FindingRow, ...]] = []
        self.threads: set[int] = set()

    @Slot(object)
    def take(self, rows: tuple[FindingRow, ...]) -> None:
        self.batches.append(rows)
        self.threads.add(threading.get_ident())

    @property
    def findings(self) -> list[Finding]:
        return [row.finding for batch in self.batches for row in batch]


def test_findings_cross_to_the_gui_thread_in_few_batches_and_in_order(qtbot: QtBot) -> None:
    owner, receiver = QObject(), Receiver()
    stream = FindingStream(owner)
    stream.arrived.connect(receiver.take)
    found = [finding(f"p{number}", Number(str(number)), 0) for number in range(500)]

    def find() -> None:
        for one in found:
            stream.take(one)

    worker = threading.Thread(target=find)
    worker.start()
    worker.join()
    qtbot.waitUntil(lambda: len(receiver.findings) == len(found))
    assert receiver.findings == found
    assert receiver.threads == {threading.get_ident()}
    assert len(receiver.batches) == 1  # nobody listened while they were found: one message brings them all


def test_what_was_not_handed_over_yet_is_part_of_the_whole(qtbot: QtBot) -> None:
    owner, receiver = QObject(), Receiver()
    stream = FindingStream(owner)
    stream.arrived.connect(receiver.take)
    for found in MANY:
        stream.take(found)
    rows = stream.all_in_order(MANY[::-1])
    assert [row.finding for row in rows] == MANY[::-1]
    qtbot.wait(2 * FindingStream.EVERY)
    assert receiver.batches == []
    model = FindingsModel()
    model.add(rows[:2])
    model.settle(rows)
    assert names(model) == "fedcaäb"
