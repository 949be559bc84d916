"""Edits in the journal as rows and words. Nothing here is Qt's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dynodesk.domain.batches import batch_json
from dynodesk.domain.cells import visible
from dynodesk.domain.repairs import Place
from dynodesk.domain.write_requests import request_json
from dynodesk.editing.log import EditLog, LoggedBatch, LoggedEdit
from dynodesk.editing.undo import why_not
from dynodesk.ui.dialogs.commit_rows import attributes_words, change_words, condition_words
from dynodesk.ui.theme import Cell, Row

LoggedChange = LoggedEdit | LoggedBatch


def edit_row(write: LoggedChange, log: EditLog) -> Row:
    return Row(
        (
            Cell(write.at[:19].replace("T", " "), "S"),
            Cell(_what(write), "text"),
            Cell(visible(_table(write)), "S"),
            Cell(visible(write.title) if isinstance(write, LoggedEdit) else _items_words(len(write.writes)), "S"),
            Cell(_change_words(write), "S"),
            Cell(_outcome_words(write, log), "text", ink=_ink(write)),
            Cell("", "text"),
            Cell(write.id, "S", ink="text2"),
        )
    )


def _items_words(count: int) -> str:
    return "1 item" if count == 1 else f"{count:,} items"


def _what(write: LoggedChange) -> str:
    if isinstance(write, LoggedBatch):
        return "batch"
    return "undo" if write.undoes else "edit"


def _table(write: LoggedChange) -> str:
    return write.table if isinstance(write, LoggedBatch) else write.write.table


def _change_words(write: LoggedChange) -> str:
    if isinstance(write, LoggedBatch):
        return "deleted, without conditions"
    if write.kind in {"new", "deleted"}:
        return f"{write.kind}, {attributes_words(len(write.changes))}"
    return ", ".join(map(change_words, write.changes))


def _outcome_words(write: LoggedChange, log: EditLog) -> str:
    if isinstance(write, LoggedBatch):
        words = write.outcome or "sent, outcome unknown"
        return f"{words}, {write.left_out:,} left out" if write.left_out else words
    return f"{write.state}, undone" if log.undone(write.id) else write.state


def _ink(write: LoggedChange) -> str:
    if write.is_open:
        return "slate"
    return "ok" if write.outcome in {"applied", "settled"} else "warn"


def detail_words(write: LoggedChange) -> str:
    place = write.commit.place
    where = " · ".join(part for part in (place.endpoint, place.region, place.identity) if part)
    why = f"{write.why[0].upper()}{write.why[1:]}. " if write.why else ""
    if isinstance(write, LoggedBatch):
        return f"{why}Without conditions: it cannot be taken back. Commit {write.commit.id}. At {where}."
    tries = f"Sent {write.tries:,} times. " if write.tries > 1 else ""
    undoes = f"It takes back {write.undoes}. " if write.undoes else ""
    plural = "" if write.commit.edits == 1 else "s"
    guard = f"Only if {visible(condition_words(write.write))}. "
    return f"{tries}{why}{undoes}{guard}Commit {write.commit.id}, of {write.commit.edits:,} edit{plural}. At {where}."


def request(write: LoggedChange) -> Mapping[str, object]:
    if isinstance(write, LoggedBatch):
        return batch_json(write.table, write.writes)
    return request_json(write.write)


def why_not_undone(writes: Sequence[LoggedChange], log: EditLog, place: Place) -> str:
    """Why these cannot be taken back here; "" where that can be tried."""
    for write in writes:
        if isinstance(write, LoggedBatch):
            return "What was deleted without conditions cannot be taken back."
        if write.commit.place != place:
            return f"It was made at {write.commit.place.endpoint}: connect there."
        if reason := why_not(write, log):
            return f"{reason[0].upper()}{reason[1:]}."
    return ""
