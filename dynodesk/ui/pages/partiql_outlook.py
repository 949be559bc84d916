"""The words of the PartiQL page: what is said of a statement while it is typed, and before there is one."""

from __future__ import annotations

from dataclasses import dataclass

from dynodesk.domain.cells import visible
from dynodesk.domain.reading import CostEstimate, units_text
from dynodesk.domain.statements import Outlook
from dynodesk.ui.theme import Glyph, Text, metrics
from dynodesk.ui.widgets.layouts import Area, area, column, row

HINT = 'SELECT * FROM "table"."index" WHERE key = ? … Ctrl+Enter runs it, Ctrl+Space offers names.'
FIRST = "Only SELECT is run here. One that holds the whole partition key to a value reads by key; any other reads all."
OF_SANDBOX = (
    "The sandbox's own server reads only simple statements: SELECT * FROM a table WHERE name = value AND name = value."
)
_LANGUAGE = """
AND ASC BETWEEN BY DESC FALSE FROM IN IS MISSING NOT NULL OR ORDER SELECT TRUE VALUE WHERE attribute_type begins_with
contains size
"""
KEYWORDS = frozenset(_LANGUAGE.split())
_OPENINGS = frozenset({"a", "one", "the", "this", "without"})
SHOWN = 4
"""Remarks at most: the others follow once these are dealt with."""


@dataclass(frozen=True, slots=True)
class Said:
    text: str
    is_error: bool = False


class OutlookStrip(Area):
    """Some lines of plain text, each with a sign; hidden while there is nothing to say."""

    def __init__(self) -> None:
        super().__init__("window", "t")
        self._said: tuple[Said, ...] = ()
        self._list = column(gap=0.5, margins=(3, 1, 3, 1))
        self.setLayout(self._list)
        self.hide()

    @property
    def text(self) -> str:
        return "\n".join(said.text for said in self._said)

    def show_said(self, said: tuple[Said, ...]) -> None:
        if said == self._said:
            return
        self._said = said
        while (item := self._list.takeAt(0)) is not None:
            gone = item.widget()
            if gone is not None:
                gone.deleteLater()
        for one in said:
            glyph, ink = ("error", "danger") if one.is_error else ("warning", "warn")
            line = row(Glyph(glyph, ink, metrics().icon - 2), Text(one.text, "text", wrap=True), gap=1.5)
            line.setStretch(1, 1)
            self._list.addWidget(area(line))
        self.setAccessibleName(self.text)
        self.setVisible(bool(said))


def said_of(outlook: Outlook, *, asks: bool) -> tuple[Said, ...]:
    """`asks`: the statement was run once and reads everything, so that it has to be run again on purpose."""
    said = []
    for remark in outlook.remarks[:SHOWN]:
        text = visible(" ".join(_ended(part) for part in (remark.message, remark.fix) if part))
        if text.partition(" ")[0] in _OPENINGS:  # else it begins with a name, which stays as it is
            text = text[:1].upper() + text[1:]
        said.append(Said(text, remark.severity == "error"))
    if outlook.scans:
        if not outlook.remarks:
            said.append(Said("The table is not known here: this may read all of it."))
        again = " Run it once more to read it all the same." if asks else " It has to be run twice."
        said[-1] = Said(f"{said[-1].text} {outlook.cost_words}{again}")
    return tuple(said)


def _ended(text: str) -> str:
    return text if text.endswith((".", "…")) else f"{text}."


def run_words(outlook: Outlook, *, asks: bool) -> str:
    """What the button says: the operation, and what it costs."""
    if outlook.statement is not None and outlook.statement.verb != "SELECT":
        return f"{outlook.statement.verb} is not run here"
    if not outlook.can_run:
        return "Run"
    if outlook.scans:
        return f"{'Scan all the same' if asks else 'Scan'} · {_cost(outlook.cost)}"
    return "Run" if outlook.cost is None else f"Read by key · {_cost(outlook.cost)}"


def _cost(cost: CostEstimate | None) -> str:
    if cost is None:
        return "cost not known"
    return f"{'about' if cost.basis else 'from'} {units_text(cost.units)} RCU{', old estimate' if cost.is_old else ''}"
