"""The tables that a request names, wherever its operation has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dynodesk.domain.errors import InvalidExpression
from dynodesk.domain.expressions import read_statement


def named_tables(parameters: Mapping[str, object]) -> Iterator[str]:
    """In no order, and some more than once."""
    table, requests = parameters.get("TableName"), parameters.get("RequestItems")
    if isinstance(table, str):
        yield table
    if isinstance(requests, Mapping):
        yield from map(str, requests)
    statement = parameters.get("Statement")
    if isinstance(statement, str):
        yield from _of_statement(statement)
    for entry in _entries(parameters.get("TransactStatements")):
        yield from named_tables(entry)
    for entry in _entries(parameters.get("TransactItems")):
        for action in entry.values():  # {"Put": {"TableName": …}}
            if isinstance(action, Mapping):
                yield from named_tables(action)


def _entries(entries: object) -> Iterator[Mapping[str, object]]:
    if isinstance(entries, list | tuple):
        yield from (entry for entry in entries if isinstance(entry, Mapping))


def _of_statement(text: str) -> Iterator[str]:
    try:
        yield read_statement(text).table
    except InvalidExpression:  # is never let out
        return
