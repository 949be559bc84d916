"""Names and values written out in an expression, as people read and type them.

A name stands bare, or in double quotes where it has other characters than letters, digits and `_` or is a keyword:
`status`, `"user-id"`; a double quote within is doubled. A string stands in single quotes, doubled within: `'it''s'`.
Numbers, TRUE, FALSE and NULL stand as they are. Every other value is its DynamoDB JSON: `{"SS": ["a", "b"]}`.
"""

from __future__ import annotations

import json
import re

from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.item_json import to_dynamodb
from dynodesk.domain.values import Boolean, Null, Number, String, Value

KEYWORDS = frozenset({"ADD", "AND", "BETWEEN", "DELETE", "FALSE", "IN", "NOT", "NULL", "OR", "REMOVE", "SET", "TRUE"})
"""What is a name only in double quotes, in capitals or not."""

_BARE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BARE_NUMBER = re.compile(r"-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


class WrittenOut:
    """The spelling of an expression for people, which `parse_where` reads."""

    def name(self, name: str) -> str:
        if _BARE_NAME.fullmatch(name) and name.upper() not in KEYWORDS:
            return name
        doubled = name.replace('"', '""')
        return f'"{doubled}"'

    def value(self, value: Value) -> str:
        match value:
            case String(text):
                doubled = text.replace("'", "''")
                return f"'{doubled}'"
            case Number(text=text) if _BARE_NUMBER.fullmatch(text) and is_storable(value):
                return text
            case Boolean(truth):
                return "TRUE" if truth else "FALSE"
            case Null():
                return "NULL"
            case _:
                return json.dumps(to_dynamodb(value), ensure_ascii=False)


def is_storable(number: Number) -> bool:
    """Whether the service takes this number."""
    try:
        number.check()
    except InvalidValue:
        return False
    return True


WRITTEN_OUT = WrittenOut()
