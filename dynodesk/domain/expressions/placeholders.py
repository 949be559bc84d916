"""The names and values of one request, behind placeholders: no name is ever spliced into an expression."""

from __future__ import annotations

from dynodesk.domain.values import Value


class Placeholders:
    """The spelling of all expressions of one request: `#n0` for names, `:v0` for values, and what they stand for.

    A name is one segment, dots and brackets in it included, and has one placeholder however often it occurs.
    """

    def __init__(self) -> None:
        self._aliases: dict[str, str] = {}
        self._values: dict[str, Value] = {}

    def name(self, name: str) -> str:
        return self._aliases.setdefault(name, f"#n{len(self._aliases)}")

    def value(self, value: Value) -> str:
        placeholder = f":v{len(self._values)}"
        self._values[placeholder] = value
        return placeholder

    @property
    def names(self) -> dict[str, str]:
        """`ExpressionAttributeNames`."""
        return {alias: name for name, alias in self._aliases.items()}

    @property
    def values(self) -> dict[str, Value]:
        """`ExpressionAttributeValues`."""
        return dict(self._values)
