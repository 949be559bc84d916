"""Items as text for the clipboard: nothing rounded, nothing guessed, one item or many."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from dynodesk.domain.cells import exact_text
from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.foreground import foreground
from dynodesk.domain.item_json import item_to_dynamodb, to_plain
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.domain.values import (
    EXACT,
    MAX_SIGNIFICANT_DIGITS,
    Binary,
    BinarySet,
    Boolean,
    Item,
    List,
    Map,
    Null,
    Number,
    NumberSet,
    String,
    StringSet,
    Value,
)

CopyForm = Literal["json", "dynamodb-json", "csv", "python", "keys"]
REPORTED_EVERY = 500


def items_text(
    items: Sequence[Item], form: CopyForm, columns: Sequence[str], keys: Sequence[str], ticket: Ticket | None = None
) -> str:
    """One item as it is, several as a list; CSV always with a header.

    `columns` are those of the CSV, `keys` the names of the table's key. Raises `InvalidValue` for a number that the
    form cannot hold, `Cancelled`.
    """
    watched = _watched(items, ticket or Ticket())
    match form:
        case "json":
            return _listed(map(plain_json, watched), len(items))
        case "dynamodb-json":
            return _listed(map(dynamodb_json, watched), len(items))
        case "keys":
            return _listed(
                (plain_json({name: item[name] for name in keys if name in item}) for item in watched), len(items)
            )
        case "python":
            return _listed((python_literal(Map(item)) for item in watched), len(items))
        case "csv":
            return "".join([_csv_row(map(_in_quotes, columns)), *(_csv_item(item, columns) for item in watched)])


def plain_json(item: Item) -> str:
    """Plain JSON, or DynamoDB JSON for an item with a number that JSON has no form for."""
    try:
        return to_plain(item, indent=2)
    except InvalidValue:
        return dynamodb_json(item)


def dynamodb_json(item: Item) -> str:
    return json.dumps(item_to_dynamodb(item), ensure_ascii=False, indent=2)


def _watched(items: Sequence[Item], ticket: Ticket) -> Iterable[Item]:
    for done, item in enumerate(items):
        foreground.give_way()
        if not done % REPORTED_EVERY:
            ticket.checkpoint(Progress(done, len(items), "items"))
        yield item


def _listed(texts: Iterable[str], count: int) -> str:
    if count == 1:
        return next(iter(texts))
    inner = ",\n".join("  " + text.replace("\n", "\n  ") for text in texts)
    return f"[\n{inner}\n]" if inner else "[]"


# ---------------------------------------------------------------------------------------------------------------- CSV


def _csv_item(item: Item, columns: Sequence[str]) -> str:
    return _csv_row(_csv_cell(item.get(name)) for name in columns)


def _csv_row(cells: Iterable[str]) -> str:
    return ",".join(cells) + "\r\n"


def _csv_cell(value: Value | None) -> str:
    """Nothing where it is missing, a word for NULL, numbers and Booleans bare; everything else in quotes."""
    match value:
        case None:
            return ""
        case Null():
            return "NULL"
        case Boolean():
            return exact_text(value)
        case Number() if value.is_valid:
            return value.text
        case _:
            return _in_quotes(exact_text(value))


def _in_quotes(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


# ------------------------------------------------------------------------------------------------------------- Python


def python_literal(value: Value) -> str:
    """What boto3's tables take and give: `Decimal`, `bytes`, sets. Raises `InvalidValue` for what is no number.

    Whoever runs it has `from decimal import Decimal`.
    """
    match value:
        case String(text):
            return repr(text)
        case Number():
            return f'Decimal("{_python_digits(value)}")'
        case Binary(data):
            return repr(data)
        case Boolean(truth):
            return str(truth)
        case Null():
            return "None"
        case StringSet(members):
            return _python_set(map(repr, members))
        case NumberSet(numbers):
            return _python_set(map(python_literal, numbers))
        case BinarySet(blobs):
            return _python_set(map(repr, blobs))
        case List(elements):
            return f"[{', '.join(map(python_literal, elements))}]"
        case Map(entries):
            return _python_map(entries)


def _python_map(entries: Mapping[str, Value]) -> str:
    return "{" + ", ".join(f"{name!r}: {python_literal(entry)}" for name, entry in entries.items()) + "}"


def _python_set(members: Iterable[str]) -> str:
    inner = ", ".join(members)
    return "{" + inner + "}" if inner else "set()"


def _python_digits(number: Number) -> str:
    """As stored, but for zeros at the end that boto3 would take for digits beyond the 38 that it sends."""
    if not number.is_valid:
        raise InvalidValue(f"{number.text[:40]!r} is not a number, so Python has no form for it")
    if len(number.value.as_tuple().digits) <= MAX_SIGNIFICANT_DIGITS and len(number.text) <= MAX_SIGNIFICANT_DIGITS:
        return number.text
    return str(EXACT.normalize(number.value))


COPIED: Mapping[CopyForm, str] = {
    "json": "JSON",
    "dynamodb-json": "DynamoDB JSON",
    "csv": "CSV",
    "python": "Python",
    "keys": "keys",
}
"""The forms in words."""
