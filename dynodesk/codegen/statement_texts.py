"""Names, values, paths and conditions as a statement of PartiQL has them."""

from __future__ import annotations

import re
from typing import Any

from dynodesk.codegen.shapes import NoCode
from dynodesk.domain.expressions import Condition
from dynodesk.domain.expressions.conditions import (
    And,
    AttributeType,
    BeginsWith,
    Between,
    Comparison,
    Contains,
    Exists,
    In,
    Not,
    Or,
)
from dynodesk.domain.expressions.nodes import Node
from dynodesk.domain.item_json import to_dynamodb
from dynodesk.domain.values import Boolean, List, Map, Null, Number, NumberSet, String, StringSet, Value

_PLAIN_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


class Words:
    """The spelling of one statement, from left to right."""

    def __init__(self) -> None:
        self.parameters: list[dict[str, Any]] = []
        """What cannot be written out, each as DynamoDB JSON where a question mark stands."""

    def name(self, name: str) -> str:
        """Raises `NoCode` for one in which not everything would be seen: a name cannot be a parameter."""
        if not name.isprintable():
            raise NoCode(f"a statement cannot show the name {name!r}")
        return '"' + name.replace('"', '""') + '"'

    def member(self, name: str) -> str:
        """The name of an attribute within an item. Raises `NoCode` as `name` does."""
        self.name(name)
        return "'" + name.replace("'", "''") + "'"

    def value(self, value: Value) -> str:
        written = _literal(value)
        if written is None:
            self.parameters.append(to_dynamodb(value))
            return "?"
        return written

    def condition(self, condition: Condition) -> str:
        """As one term of an AND."""
        text = self._condition(condition)
        return f"({text})" if isinstance(condition, Or) else text

    def _condition(self, condition: Condition) -> str:
        match condition:
            case Or(terms):
                return " OR ".join(self._term(term) for term in terms)
            case And(terms):
                return " AND ".join(self._term(term) for term in terms)
            case Not(inner):
                return f"NOT ({self._condition(inner)})"
            case Exists(path, wanted):
                return f"{self._text(path)} IS {'NOT ' if wanted else ''}MISSING"
            case In(operand, choices):
                return f"{self._text(operand)} IN [{', '.join(map(self._text, choices))}]"
            case Comparison() | Between() | AttributeType() | BeginsWith() | Contains():
                return condition.text(self)
            case _:
                raise TypeError(f"a new kind of condition: {type(condition).__name__}")

    def _term(self, condition: Condition) -> str:
        text = self._condition(condition)
        return f"({text})" if isinstance(condition, And | Or) else text

    def _text(self, node: Node) -> str:
        return node.text(self)


def _literal(value: Value) -> str | None:
    """None for what has no literal, or none in which everything is seen: binary, control characters, exponents."""
    match value:
        case String(text):
            return "'" + text.replace("'", "''") + "'" if text.isprintable() else None
        case Number():
            return value.text if _PLAIN_NUMBER.fullmatch(value.text) else None
        case Boolean(truth):
            return "TRUE" if truth else "FALSE"
        case Null():
            return "NULL"
        case StringSet(members):
            return _listed("<<", [_literal(String(text)) for text in members], ">>")
        case NumberSet(numbers):
            return _listed("<<", [_literal(number) for number in numbers], ">>")
        case List(elements):
            return _listed("[", [_literal(element) for element in elements], "]")
        case Map(entries):
            pairs = [(_literal(String(name)), _literal(entry)) for name, entry in entries.items()]
            return _listed("{", [f"{name}: {held}" if name and held else None for name, held in pairs], "}")
        case _:
            return None


def _listed(opening: str, members: list[str | None], closing: str) -> str | None:
    written = [member for member in members if member is not None]
    return opening + ", ".join(written) + closing if len(written) == len(members) else None
