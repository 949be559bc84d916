"""What is wrong with one statement of PartiQL as it is typed, and the statement that is sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from dynodesk.domain.actions import BoundStatement
from dynodesk.domain.cells import visible
from dynodesk.domain.draft_checks import Finding
from dynodesk.domain.errors import InvalidExpression, InvalidValue
from dynodesk.domain.expressions import Remark, Statement, as_sent, check_statement, read_statement
from dynodesk.domain.expressions.nodes import NOWHERE, Span
from dynodesk.domain.statements import LONGEST_READ, MAX_STATEMENT_BYTES, TOO_LONG
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import check, size


@dataclass(frozen=True, slots=True)
class CheckedStatement:
    read: Statement | None
    """None for what is no statement."""
    sent: BoundStatement
    """In the one form that is sent."""
    findings: tuple[Finding, ...]

    @property
    def bytes(self) -> int:
        return len(self.sent.text.encode("utf-8", "surrogatepass")) + sum(map(size, self.sent.parameters))


def check_bound(
    statement: BoundStatement, tables: Mapping[str, TableInfo], *, in_transaction: bool
) -> CheckedStatement:
    """`tables` are those that the connection knows, by name."""
    if len(statement.text) > LONGEST_READ:
        return CheckedStatement(None, statement, (_wrong(NOWHERE, TOO_LONG, "Use parameters."),))
    try:
        read = read_statement(statement.text)
    except InvalidExpression as problem:
        place = Span(problem.offset, problem.length)
        return CheckedStatement(None, statement, (_wrong(place, problem.message, problem.hint),))
    sent = replace(statement, text=as_sent(statement.text))
    findings = [
        Finding(remark, mended=_mended(statement, remark))
        for remark in check_statement(statement.text, tables.get(read.table))
    ]
    findings += _check_verb(read, tables, in_transaction=in_transaction)
    findings += _check_parameters(read, statement)
    if len(sent.text.encode("utf-8", "surrogatepass")) > MAX_STATEMENT_BYTES:
        findings.append(_wrong(NOWHERE, TOO_LONG, "Use parameters."))
    return CheckedStatement(read, sent, tuple(findings))


def _check_verb(read: Statement, tables: Mapping[str, TableInfo], *, in_transaction: bool) -> Iterator[Finding]:
    table = tables.get(read.table)
    if table is None:
        message = f"this connection knows no table {visible(read.table)}" if read.table else "no table is named"
        yield _wrong(read.table_span, message)
    elif in_transaction and read.is_read and (read.index or not set(table.key_schema.names) <= read.equal):
        needed = " and ".join(f"{name} = …" for name in table.key_schema.names)
        yield _wrong(read.table_span, f"in a transaction {read.verb} is for one item of a table: WHERE needs {needed}")
    if read.verb == "EXISTS" and not in_transaction:
        yield _wrong(NOWHERE, "EXISTS is a condition of a transaction", "Run it among others that write.")


def _check_parameters(read: Statement, statement: BoundStatement) -> Iterator[Finding]:
    given = len(statement.parameters)
    if read.parameters != given:
        values = "1 value" if read.parameters == 1 else f"{read.parameters:,} values"
        message = f"the statement takes {values}, not {given:,}"
        yield Finding(Remark("error", "Parameters", NOWHERE, message, "One for each question mark."))
    for at, value in enumerate(statement.parameters):
        try:
            check(value, f"value {at + 1}")
        except InvalidValue as problem:
            yield Finding(Remark("error", "Parameters", NOWHERE, problem.message, problem.hint), at)


def _wrong(span: Span, message: str, fix: str = "") -> Finding:
    return Finding(Remark("error", "Statement", span, message, fix))


def _mended(statement: BoundStatement, remark: Remark) -> BoundStatement | None:
    return None if remark.replacement is None else replace(statement, text=remark.applied_to(statement.text))
