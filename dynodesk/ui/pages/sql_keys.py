"""Which item a row of a result is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.tables import Key, KeyAttribute
from dynodesk.domain.values import KeyValue

if TYPE_CHECKING:
    from dynodesk.workbench.results import Outcome, Row
    from dynodesk.workbench.sets import LoadedSet


@dataclass(frozen=True, slots=True)
class Found:
    table: str
    partition: Key
    key: Key | None
    """The whole key; None: the row tells its collection only."""


def key_in_row(outcome: Outcome, row: Row) -> Found | None:
    """By the columns that are named as a set's key; None: the row has no partition key of a known table."""
    for loaded in outcome.sets:
        if not loaded.provenance.table:  # of files
            continue
        values = _values(outcome, row, loaded)
        keys = [key.attribute for key in loaded.keys if key.of_table]
        if keys[0] in values:
            whole = {name: values[name] for name in keys if name in values}
            return Found(
                loaded.provenance.table, {keys[0]: values[keys[0]]}, whole if len(whole) == len(keys) else None
            )
    return None


def _values(outcome: Outcome, row: Row, loaded: LoadedSet) -> dict[str, KeyValue]:
    texts = {column.name: cell for column, cell in zip(outcome.result.columns, row, strict=True)}
    found: dict[str, KeyValue] = {}
    for key in loaded.keys:
        text = texts.get(key.attribute)
        if key.of_table and text:
            try:
                found[key.attribute] = KeyAttribute(key.attribute, key.type).value(text)
            except InvalidValue:  # something else by the same name
                continue
    return found
