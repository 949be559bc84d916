"""The journal as rows, as words to search in, and as a file. Nothing here is Qt's."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path

from dynodesk.domain.cells import visible
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.findings import signed
from dynodesk.domain.repairs import Place
from dynodesk.domain.values import EXACT, Number, plain_digits
from dynodesk.reconcile.ledger import Ledger, LoggedWrite
from dynodesk.reconcile.undo import to_undo
from dynodesk.reports.as_csv import neutral
from dynodesk.ui.pages.reconcile_rows import Column
from dynodesk.ui.theme import Cell, Row

COLUMNS = (
    Column("When (UTC)", 150),
    Column("What", 62),
    Column("Table", 100),
    Column("Key", 160),
    Column("Change", 160),
    Column("Outcome", 172),
    Column("Rule", 110),
    Column("Write", 120),
)


def journal_row(write: LoggedWrite, ledger: Ledger) -> Row:
    return Row(
        (
            Cell(write.at[:19].replace("T", " "), "S"),
            Cell(write.what, "text"),
            Cell(visible(write.update.table), "S"),
            Cell(visible(write.parent_text), "S"),
            Cell(change_words(write), "S"),
            Cell(outcome_words(write, ledger), "text", ink=_ink(write)),
            Cell(visible(write.rule), "text", ink="text2"),
            Cell(write.id.removeprefix("undo:"), "S", ink="text2"),
        )
    )


def change_words(write: LoggedWrite) -> str:
    """`41 → 37`, as it was sent; `+4` where the value before was no condition."""
    update = write.update
    if write.tally in update.put:
        put = update.put[write.tally]
        return f"missing → {put.text if isinstance(put, Number) else '?'}"
    change = update.add[write.tally].value
    before = update.expected.get(write.tally)
    if not isinstance(before, Number):
        return signed(change)
    return f"{before.text} → {plain_digits(EXACT.add(before.value, change))}"


def outcome_words(write: LoggedWrite, ledger: Ledger) -> str:
    words = write.state
    return f"{words}, undone" if write.what == "repair" and ledger.undone(write.id) else words


def _ink(write: LoggedWrite) -> str:
    if write.is_open:
        return "slate"
    if write.outcome != "applied":
        return "warn"
    return "ok" if all(check in {"ok", "gone"} for check in write.checks) else "danger"


def detail_words(write: LoggedWrite) -> str:
    run = write.run
    where = " · ".join(part for part in (run.place.endpoint, run.place.region, run.place.identity) if part)
    tries = f"Sent {write.tries} times. " if write.tries > 1 else ""
    why = f"{write.why[0].upper()}{write.why[1:]}. " if write.why else ""
    checks = f"Counted again: {', '.join(write.checks)}. " if write.checks else ""
    drift = f"Drift before: {signed(Decimal(write.drift.value))}. "
    return f"{tries}{why}{checks}{drift}Run {run.id}, plan {run.plan}, rules {Path(run.rules.file).name}. At {where}."


def why_not_undone(writes: Sequence[LoggedWrite], ledger: Ledger, place: Place) -> str:
    """Why these cannot be taken back here; "" where they can."""
    if not writes:
        return "Choose a repair."
    for write in writes:
        if write.what == "undo":
            return "What was undone is repaired by a new plan."
        try:
            to_undo(ledger, write.id, place, frozenset({write.update.table}))
        except InvalidRequest as refused:
            return f"{refused.message[0].upper()}{refused.message[1:]}."
    return ""


def as_csv(rows: Iterable[Row]) -> bytes:
    """A header and one row a write; no cell is a formula."""
    text = io.StringIO(newline="")
    out = csv.writer(text, quoting=csv.QUOTE_ALL)
    out.writerow([column.title for column in COLUMNS])
    for row in rows:
        out.writerow([neutral(cell.text) for cell in row.cells])
    return ("\ufeff" + text.getvalue()).encode()
