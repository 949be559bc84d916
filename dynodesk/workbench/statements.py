"""Takes a text of SQL apart into statements, and lets only those through that work on what is in the database."""

from __future__ import annotations

import re
from dataclasses import dataclass

import duckdb

from dynodesk.domain.errors import DynodeskError, InvalidStatement
from dynodesk.workbench.faults import line_of, translated

MOST_BYTES = 1_000_000
"""Of SQL text. A longer one is data, not a statement."""

_ALLOWED = frozenset(
    {"SELECT", "INSERT", "UPDATE", "DELETE", "MERGE_INTO", "CREATE", "DROP", "ALTER", "TRANSACTION", "VACUUM", "MULTI"}
)
_BLANK = r"(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/)"
_BEFORE = re.compile(rf"{_BLANK}*", re.DOTALL)
_EXPLAIN = re.compile(rf"^{_BLANK}*EXPLAIN\b{_BLANK}*(?:ANALYZE\b)?", re.IGNORECASE | re.DOTALL)
_SECRET = re.compile(
    rf"^{_BLANK}*CREATE\b{_BLANK}*(?:OR{_BLANK}+REPLACE\b{_BLANK}*)?"
    rf"(?:(?:TEMP|TEMPORARY|PERSISTENT)\b{_BLANK}*)?SECRET\b",
    re.IGNORECASE | re.DOTALL,
)

_DATABASE = re.compile(rf"^{_BLANK}*ALTER\b{_BLANK}*DATABASE\b", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Statement:
    number: int
    """From 1."""
    line: int
    """Line of the whole text where it starts, from 1."""
    text: str
    alone: bool
    """It is the only one of its text."""

    def place(self, line: int | None = None) -> str:
        """Where in the whole text: the statement, and a line that is given from its own start."""
        where = self.line + (line or 1) - 1
        return f"line {where}" if self.alone else f"statement {self.number}, line {where}"

    def failed(self, problem: Exception) -> DynodeskError:
        return translated(problem, self.place(line_of(problem, self.text)))


def split(cursor: duckdb.DuckDBPyConnection, text: str) -> list[Statement]:
    """The statements of a text, by the engine's own parser. Raises `InvalidStatement`, before anything has run."""
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MOST_BYTES:
        raise InvalidStatement(f"the text has {size:,} bytes, of {MOST_BYTES:,} that are read as SQL")
    if "\0" in text or any("\ud800" <= c <= "\udfff" for c in text):
        raise InvalidStatement("the text has a character that is none: NUL, or half a surrogate pair")
    try:
        parsed = cursor.extract_statements(text)
    except duckdb.Error as problem:
        line = line_of(problem, text)
        raise translated(problem, f"line {line}" if line else "") from None
    except ValueError:  # a kind that the engine's own list does not have
        raise _refused("", "this kind of statement") from None
    found = []
    at = 0
    for number, part in enumerate(parsed, start=1):
        own = part.query
        at = max(text.find(own, at), at)
        before = _BEFORE.match(own)
        start = before.end() if before else 0
        line = text.count("\n", 0, at + start) + 1
        statement = Statement(number, line, own[start:].strip(), alone=len(parsed) == 1)
        _check(cursor, part, statement)
        found.append(statement)
        at += len(own)
    if not found:
        raise InvalidStatement("there is no statement in the text")
    return found


def _check(cursor: duckdb.DuckDBPyConnection, part: duckdb.Statement, statement: Statement) -> None:
    try:
        kind = part.type.name
    except ValueError:
        raise _refused(statement.place(), "this kind of statement") from None
    if part.named_parameters:
        names = ", ".join(sorted(part.named_parameters))
        raise InvalidStatement(f"{statement.place()}: the statement has parameters without values: {names}")
    if kind == "EXPLAIN":
        # With ANALYZE it runs what it explains.
        explained = _EXPLAIN.sub("", statement.text)
        inner = split(cursor, explained)
        if len(inner) != 1 or [p.type.name for p in cursor.extract_statements(explained)] != ["SELECT"]:
            raise _refused(statement.place(), "EXPLAIN of anything but a SELECT")
    elif kind not in _ALLOWED:
        raise _refused(statement.place(), kind)
    elif kind == "CREATE" and _SECRET.match(statement.text):
        raise _refused(statement.place(), "CREATE SECRET")
    elif kind == "ALTER" and _DATABASE.match(statement.text):
        raise _refused(statement.place(), "ALTER DATABASE")


def _refused(place: str, what: str) -> InvalidStatement:
    before = f"{place}: " if place else ""
    return InvalidStatement(
        f"{before}{what} is not allowed here",
        hint="SQL here works on what is loaded: no files, no network, no settings. DESCRIBE and SHOW TABLES do work.",
    )
