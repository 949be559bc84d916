"""The item that is being changed: what it was, what edit it makes, and what that means in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dynodesk.domain.cells import visible
from dynodesk.domain.collections import Identity, identity
from dynodesk.domain.edits import Edit
from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.item_json import item_from_dynamodb, item_to_dynamodb
from dynodesk.domain.tables import KeySchema, TableInfo
from dynodesk.domain.values import Binary, Item, Number, String, Value

MOVED = (
    "The key is another one: the item is copied to the new key and deleted under the old one, "
    "in one transaction that fails if either changed meanwhile."
)
NAMED = 4
"""Changed attributes that are named in a sentence."""


@dataclass(frozen=True, slots=True)
class Work:
    """An item that is being changed."""

    before: Item | None
    """The whole item as it was read; None: it is new."""
    copied: Identity | None = None
    """Of a duplicate, the item it was made from: it may not take its place."""
    began: Item | None = None
    """What an edit that was staged then made of the item when the change of it began."""

    def place(self, schema: KeySchema) -> Identity | None:
        """The identity of the item; None for a new one."""
        known = self.began if self.before is None else self.before
        return None if known is None else identity(known, schema.names)

    def is_on_top_of(self, staged: Edit | None) -> bool:
        """Whether nothing is lost where the change takes the place of what is staged of the item now."""
        return staged is None or staged.after == self.began

    def edit(self, item: Item, table: TableInfo) -> Edit:
        """What makes `item` of it. Raises `InvalidValue` where that has no key, or the one of the item it copies."""
        schema = table.key_schema
        key = schema.key_of(item)
        if self.before is not None:
            return Edit(table.name, schema.key_of(self.before), self.before, item)
        if self.copied is not None and identity(item, schema.names) == self.copied:
            raise InvalidValue("the copy has the key of the item it was made from", hint="Give it another key.")
        return Edit(table.name, key, None, item)

    def to_json(self) -> dict[str, Any]:
        return {
            "before": None if self.before is None else item_to_dynamodb(self.before),
            "copied": None if self.copied is None else list(self.copied),
            "began": None if self.began is None else item_to_dynamodb(self.began),
        }

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Work:
        """Raises `InvalidValue`, `KeyError` or `TypeError` for what `to_json` did not make."""
        before, copied, began = found["before"], found["copied"], found.get("began")
        return cls(
            None if before is None else item_from_dynamodb(before),
            None if copied is None else tuple(map(str, copied)),
            None if began is None else item_from_dynamodb(began),
        )


def new_item(schema: KeySchema, known: Mapping[str, Value]) -> dict[str, Value]:
    """Key attributes, with what is known of them; the others empty, to be filled in."""
    empty: dict[str, Value] = {"S": String(""), "N": Number(""), "B": Binary(b"")}
    keys = {attribute.name: known.get(attribute.name) or empty[attribute.type] for attribute in schema.attributes}
    return {**keys, **known}


def in_words(edit: Edit) -> str:
    match edit.kind:
        case "new":
            return "A new item: it is written only where there is none with this key."
        case "deleted":
            return "To be deleted, if it is still as it was read."
        case "moved":
            return MOVED
        case "edited":
            names = list(dict.fromkeys(visible(change.path.names[0]) for change in edit.changes))
            if not names:
                return "Nothing is changed yet."
            shown = ", ".join(names[:NAMED]) + (", …" if len(names) > NAMED else "")
            return f"{len(names):,} {'attribute' if len(names) == 1 else 'attributes'} changed: {shown}"
