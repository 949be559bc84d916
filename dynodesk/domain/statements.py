"""A SELECT of PartiQL: what is sent, what it will cost, and what it has read so far."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from dynodesk.domain.capacity import Consistency, read_units
from dynodesk.domain.collections import View, prepare
from dynodesk.domain.errors import InvalidExpression, InvalidRequest
from dynodesk.domain.expressions import Remark, Statement, as_sent, check_statement, read_statement
from dynodesk.domain.expressions.nodes import NOWHERE
from dynodesk.domain.expressions.reserved import RESERVED_WORDS
from dynodesk.domain.loaded_rows import LoadedRows
from dynodesk.domain.ports import ItemReader
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.domain.reading import CostEstimate, Portion, PreparedPage, Reading, expected_cost, units_text
from dynodesk.domain.reads import Page, ScanPlan
from dynodesk.domain.tables import Key, KeyAttribute, TableInfo
from dynodesk.domain.values import Boolean, Null, Value, check

PAGE_ITEMS = 1_000
"""Items that a page reads at most."""
MAX_STATEMENT_BYTES = 8_192
"""API Reference, ExecuteStatement: the length of `Statement`."""
TOO_LONG = f"a statement has at most {MAX_STATEMENT_BYTES:,} bytes"

LONGEST_READ = 4 * MAX_STATEMENT_BYTES
"""Characters, comments included, that are looked at: what is longer cannot be sent, and takes seconds to read."""

ParameterType = Literal["S", "N", "B", "BOOL", "NULL"]
PARAMETER_TYPES: tuple[ParameterType, ...] = ("S", "N", "B", "BOOL", "NULL")


@dataclass(frozen=True, slots=True)
class Select:
    """A statement that reads one table or index. Made by `as_select`."""

    text: str
    """As it is sent."""
    table: str
    index: str | None = None
    parameters: tuple[Value, ...] = ()
    consistent: bool = False
    page_limit: int | None = None
    """Items read (not returned) per page; None leaves it to the service's 1 MB."""


class StatementReader(Protocol):
    """Runs statements that read. Raises what `ItemReader` raises."""

    def select(self, asked: Select, ticket: Ticket, start: Key | None = None) -> Iterator[Page]:
        """Pages, each proven whole. A reply does not say how many items were read: `scanned` is those that it holds.

        `cursor` is no key of the table but what the service calls a token, to be handed back as `start`.
        """


def as_select(text: str, parameters: Sequence[Value] = (), *, consistent: bool = False) -> Select:
    """Raises `InvalidExpression` for what is no statement, `InvalidRequest` for one that writes or lacks values,
    `InvalidValue` for a value that the service would refuse."""
    if len(text) > LONGEST_READ:
        raise InvalidRequest(TOO_LONG, hint="Use parameters.")
    statement = read_statement(text)
    if statement.verb != "SELECT":
        raise InvalidRequest(why_not_run(statement), hint="Nothing was sent.")
    if statement.parameters != len(parameters):
        raise InvalidRequest(f"the statement takes {statement.parameters} values, not {len(parameters)}")
    for number, value in enumerate(parameters, start=1):
        check(value, f"value {number}")
    sent = as_sent(text)
    if len(sent.encode("utf-8", "surrogatepass")) > MAX_STATEMENT_BYTES:
        raise InvalidRequest(TOO_LONG, hint="Use parameters.")
    return Select(sent, statement.table, statement.index, tuple(parameters), consistent)


def why_not_run(statement: Statement) -> str:
    """Why a statement that is no SELECT is not run here."""
    if statement.verb == "EXISTS":
        return "EXISTS is a condition of a transaction and reads nothing by itself"
    return f"{statement.verb} writes, and only SELECT is run here: edit items in Browse, where each change is reviewed"


def parameter(type_: ParameterType, text: str) -> Value:
    """A value as typed: bytes in hexadecimal, `true` or `false`, anything for NULL. Raises `InvalidValue`."""
    match type_:
        case "BOOL":
            return Boolean(text == "true")
        case "NULL":
            return Null()
        case _:
            return KeyAttribute("the parameter", type_).value(text)


def as_name(name: str) -> str:
    """A name as it may stand in a statement."""
    plain = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) and name.upper() not in RESERVED_WORDS
    return name if plain else '"' + name.replace('"', '""') + '"'


# ------------------------------------------------------------------------------------------------------------- cost


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is known of a statement before it is run."""

    statement: Statement | None
    """None for what is no statement."""
    remarks: tuple[Remark, ...]
    scans: bool = False
    """It reads everything in its table or index, or may do so for all that is known."""
    cost: CostEstimate | None = None
    """Of the next portion; None where nothing is known of the table."""
    whole_cost: CostEstimate | None = None
    """Of all that a statement that scans reads."""

    @property
    def can_run(self) -> bool:
        return self.statement is not None and not any(remark.severity == "error" for remark in self.remarks)

    @property
    def cost_words(self) -> str:
        """What a statement that scans costs, in a sentence; "" for others."""
        if not self.scans:
            return ""
        if self.cost is None or self.whole_cost is None:
            return "What it costs is not known."
        return (
            f"About {units_text(self.cost.units)} RCU for the next {PAGE_ITEMS:,} items, "
            f"{units_text(self.whole_cost.units)} RCU for all, {self.cost.basis}."
        )


def outlook(text: str, table: TableInfo | None, *, consistent: bool = False) -> Outlook:
    """`table` is the one that the statement names, where it is known."""
    if len(text) > LONGEST_READ:
        return Outlook(None, (Remark("error", "Statement", NOWHERE, TOO_LONG, "Use parameters."),))
    remarks = check_statement(text, table)
    try:
        statement = read_statement(text)
    except InvalidExpression:
        return Outlook(None, remarks)
    if statement.verb != "SELECT":
        return Outlook(statement, (_no_select(statement), *remarks))
    found = Outlook(statement, remarks)
    if not found.can_run:
        return found
    if table is None:
        return replace(found, scans=True)
    consistency: Consistency = "strong" if consistent else "eventual"
    keys = {key.name for key in table.schema_of(statement.index).partition}
    if keys <= statement.equal | statement.listed:
        return replace(found, cost=CostEstimate(read_units(0, consistency), ""))
    plan = ScanPlan(table.name, statement.index, consistent)
    whole = expected_cost(plan, table, max(1, table.item_count_estimate or 1))
    return replace(found, scans=True, cost=expected_cost(plan, table, PAGE_ITEMS), whole_cost=whole)


def _no_select(statement: Statement) -> Remark:
    return Remark("error", "Statement", NOWHERE, why_not_run(statement), "Nothing is sent.")


# ---------------------------------------------------------------------------------------------------------- reading


class StatementRows(LoadedRows):
    """Items of a SELECT in the order read: they have the attributes that it names, which may leave out keys."""

    def __init__(self, view: View) -> None:
        super().__init__(view, grouped=False)

    def columns(self) -> list[str]:
        return [name for name in super().columns() if self.holders[name]]


@dataclass(eq=False)
class StatementReading(Reading):
    """What one SELECT has read so far."""

    select: Select = field(kw_only=True)
    reader: StatementReader = field(kw_only=True)

    @property
    def title(self) -> str:
        return f"PartiQL over {self.plan.table}"

    @property
    def whole(self) -> str:
        return "answer"

    @property
    def tells_read(self) -> bool:
        return False

    @property
    def share_read(self) -> str:
        return ""

    def portion(
        self, _reader: ItemReader, start: Key | None, portion: Portion, ticket: Ticket, /
    ) -> Iterator[PreparedPage]:
        """Reads at most `portion.items` items, however few of them are found, by a reader that knows statements."""
        limit, found = min(portion.items, PAGE_ITEMS), 0
        pages = self.reader.select(replace(self.select, page_limit=limit), ticket, start)
        for _ in range(-(-portion.items // limit)):
            page = next(pages)
            prepared = prepare(page.items, self.view)
            found += len(page.items)
            ticket.checkpoint(Progress(found, note="items found"))
            yield PreparedPage(page, prepared)
            if page.cursor is None:
                return


def reading_of(select: Select, table: TableInfo, reader: StatementReader) -> StatementReading:
    """A reading that has not begun."""
    view = View(table, select.index)
    plan = ScanPlan(select.table, select.index, select.consistent)
    return StatementReading(plan, view, StatementRows(view), select=select, reader=reader)
