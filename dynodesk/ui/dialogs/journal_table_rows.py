"""Changes of tables in the journal as rows and words. Nothing here is Qt's."""

from __future__ import annotations

from dynodesk.domain.cells import visible
from dynodesk.domain.table_log import LoggedChange
from dynodesk.ui.theme import Cell, Row


def change_row(change: LoggedChange) -> Row:
    ink = "slate" if change.is_open else "ok" if change.outcome == "accepted" else "warn"
    return Row(
        (
            Cell(change.at[:19].replace("T", " "), "S"),
            Cell("table", "text"),
            Cell(visible(change.table), "S"),
            Cell(visible(change.index), "S"),
            Cell(change.what, "S"),
            Cell(change.state, "text", ink=ink),
            Cell("", "text"),
            Cell(change.id, "S", ink="text2"),
        )
    )


def detail_words(change: LoggedChange) -> str:
    where = " · ".join(part for part in (change.place.endpoint, change.place.region, change.place.identity) if part)
    why = f" {visible(change.why[0].upper() + change.why[1:]).rstrip('.')}." if change.why else ""
    return f"{change.operation}.{why} At {where}."
