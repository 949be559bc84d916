"""What is said about the expressions of a request before it is sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal as OneOf

from dynodesk.domain.expressions.nodes import NOWHERE, Span
from dynodesk.domain.values import Value

Part = OneOf[
    "KeyConditionExpression",
    "FilterExpression",
    "ConditionExpression",
    "UpdateExpression",
    "ProjectionExpression",
    "ExpressionAttributeNames",
    "ExpressionAttributeValues",
    "Statement",
    "Parameters",
    "TableName",
    "Item",
    "Key",
    "TransactItems",
    "TransactStatements",
    "ClientRequestToken",
]
"""What a request is made of, by the names that the service has for it."""
Severity = OneOf["error", "warning"]


@dataclass(frozen=True, slots=True)
class RequestExpressions:
    """The expressions of one request and what their placeholders stand for. An empty text is an expression not given.

    A request with a key condition is a Query, one with an update an UpdateItem.
    """

    key_condition: str = ""
    filter: str = ""
    condition: str = ""
    update: str = ""
    projection: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Value] = field(default_factory=dict)

    @property
    def texts(self) -> dict[Part, str]:
        """The expressions that are given."""
        every: dict[Part, str] = {
            "KeyConditionExpression": self.key_condition,
            "FilterExpression": self.filter,
            "ConditionExpression": self.condition,
            "UpdateExpression": self.update,
            "ProjectionExpression": self.projection,
        }
        return {part: text for part, text in every.items() if text}


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing that is wrong, or may not be meant.

    An error is what the service would refuse, or answer in another sense; a warning is what it takes.
    """

    severity: Severity
    part: Part
    span: Span
    """Its place in the text of `part`; of names and values, which have no text, none."""
    message: str
    fix: str = ""
    """What to do, in words."""
    replacement: str | None = None
    """What to write in the marked place, where that can be said."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Aliases that the replacement uses and the request does not have yet."""
    unused: str = ""
    """A placeholder to take out of the request."""

    def applied_to(self, text: str) -> str:
        """The text of `part` with the replacement. A remark without one leaves the text as it is."""
        if self.replacement is None:
            return text
        return text[: self.span.offset] + self.replacement + text[self.span.end :]


class Marker:
    """Collects the remarks on one part of a request."""

    def __init__(self, part: Part, text: str = "") -> None:
        self.part, self.text = part, text
        self.remarks: list[Remark] = []

    def error(self, span: Span, message: str, fix: str = "", replacement: str | None = None) -> None:
        self.remarks.append(Remark("error", self.part, span, message, fix, replacement))

    def warning(self, span: Span, message: str, fix: str = "", replacement: str | None = None) -> None:
        self.remarks.append(Remark("warning", self.part, span, message, fix, replacement))

    def add(self, remark: Remark) -> None:
        self.remarks.append(remark)

    def at(self, span: Span) -> str:
        """The marked text."""
        return self.text[span.offset : span.end]


def errors_first(remarks: Iterable[Remark]) -> tuple[Remark, ...]:
    """The remarks, errors before warnings, without what else is said of a place that already has an error."""
    return tuple(_once(sorted(remarks, key=lambda remark: remark.severity != "error")))


def _once(remarks: Iterable[Remark]) -> Iterator[Remark]:
    wrong: set[tuple[Part, Span]] = set()
    for remark in remarks:
        if (remark.part, remark.span) not in wrong:
            yield remark
        if remark.severity == "error" and remark.span != NOWHERE:
            wrong.add((remark.part, remark.span))


def alias_for(name: str, names: Mapping[str, str]) -> str:
    """The alias that a name has, or else a new one that no other name has."""
    for alias, aliased in names.items():
        if aliased == name:
            return alias
    if name.isascii() and name.isidentifier() and f"#{name}" not in names:
        return f"#{name}"
    number = 0
    while f"#n{number}" in names:
        number += 1
    return f"#n{number}"
