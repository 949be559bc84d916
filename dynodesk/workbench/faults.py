"""What DuckDB raises, in the words of the program."""

from __future__ import annotations

import re

import duckdb

from dynodesk.domain.errors import DynodeskError, InvalidStatement, WorkbenchFailed

_LINE = re.compile(r"\n+LINE (\d+): (.*)\n( *)\^", re.DOTALL)
_MISSING = re.compile(r"Table with name (.+?) does not exist!")
_KIND = re.compile(r"^[A-Za-z ]+ Error: ")


def line_of(problem: Exception, statement: str) -> int | None:
    """The line of the statement that the engine points at, from 1; None where it does not, or not clearly.

    Its own number is of the text that it ran, which may be more than the statement.
    """
    found = _LINE.search(str(problem))
    if found is None:
        return None
    shown = found[2].strip(". ")
    lines = [number for number, line in enumerate(statement.splitlines(), start=1) if shown in line]
    return lines[0] if len(lines) == 1 else int(found[1]) if int(found[1]) in lines else None


def translated(problem: Exception, place: str = "") -> DynodeskError:
    """`place` is put before the message: `statement 2, line 3`."""
    text = str(problem)
    message = _KIND.sub("", _LINE.split(text)[0]).strip()
    before = f"{place}: " if place else ""
    if isinstance(problem, duckdb.OutOfMemoryException) or "Out of Memory Error" in text:
        return WorkbenchFailed(
            f"{before}the statement needs more memory or disk than it may take.",
            hint="Ask for fewer rows or columns, or aggregate first.",
            details=message.partition("\n")[0],
        )
    if isinstance(problem, duckdb.FatalException | duckdb.InternalException | duckdb.IOException):
        return WorkbenchFailed(f"{before}{message}", hint="Close the database and open it again.")
    if "file system operations are disabled" in text or "has been disabled by configuration" in text:
        return InvalidStatement(
            f"{before}{message}", hint="SQL here reaches loaded sets only, no files and no network."
        )
    if (missing := _MISSING.search(message)) is not None:
        return InvalidStatement(
            f"{before}{missing[1]} is not loaded.",
            hint="Load it first: a statement reads what is loaded, and SHOW TABLES lists that.",
        )
    return InvalidStatement(f"{before}{message}")
