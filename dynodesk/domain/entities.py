"""Which kind of thing an item is, read off its keys: single-table designs write it before the first delimiter."""

from __future__ import annotations

import re

from dynodesk.domain.tables import KeySchema
from dynodesk.domain.values import Item, String, Value

DELIMITERS = "#|/:"
_PREFIX = re.compile(rf"([A-Za-z][A-Za-z0-9_-]{{0,23}})[{re.escape(DELIMITERS)}]")


def entity_word(item: Item, schema: KeySchema) -> str:
    """`LIKE` for the sort key `LIKE#USER#7c20`, `POST` for `META` under `POST#a91f`; "" where the keys say nothing.

    `schema` is that of the base table: an index may key the same item by anything.
    """
    for attribute in (*schema.sort, *schema.partition):
        found = _PREFIX.match(_text(item.get(attribute.name)))
        if found is not None:
            return found[1].upper()
    return ""


def is_parent(item: Item, schema: KeySchema) -> bool:
    """Whether the item describes its collection instead of being one of many in it.

    Its sort key is one word without a delimiter (`META`), or repeats the partition key. A table without a sort key
    has collections of one item: no parents.
    """
    if not schema.sort or len(schema.partition) != 1:
        return False
    sort = _text(item.get(schema.sort[0].name))
    if not sort:
        return False
    return not any(mark in sort for mark in DELIMITERS) or sort == _text(item.get(schema.partition[0].name))


def _text(value: Value | None) -> str:
    return value.text if isinstance(value, String) else ""
