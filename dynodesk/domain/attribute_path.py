"""Where a value is in an item: one name, or names of nested maps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.values import Item, Map, Value


@dataclass(frozen=True, slots=True)
class AttributePath:
    names: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> AttributePath:
        r"""`stats.likes` is nested, `stats\.likes` is one name. Raises `ValueError` for an empty name."""
        names, current, escaped = [], "", False
        for character in text:
            if escaped:
                current += character if character in ".\\" else "\\" + character
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == ".":
                names.append(current)
                current = ""
            else:
                current += character
        names.append(current + "\\" * escaped)
        if not all(names):
            raise ValueError("an attribute path has an empty name")
        return cls(tuple(names))

    def find(self, item: Item) -> Value | None:
        """The value there, or None where any step is missing or no map."""
        inside: Mapping[str, Value] = item
        for name in self.names[:-1]:
            step = inside.get(name)
            if not isinstance(step, Map):
                return None
            inside = step.entries
        return inside.get(self.names[-1])

    def put_into(self, item: Item, value: Value | None) -> dict[str, Value]:
        """A copy of the item with the value there; None takes it away. Raises `InvalidValue` where a step is no map."""
        return self._put_into(item, 0, value)

    def _put_into(self, inside: Mapping[str, Value], depth: int, value: Value | None) -> dict[str, Value]:
        copy, name = dict(inside), self.names[depth]
        if depth < len(self.names) - 1:
            step = copy.get(name)
            if not isinstance(step, Map):
                raise InvalidValue(f"it has no map {AttributePath(self.names[: depth + 1])}")
            copy[name] = Map(self._put_into(step.entries, depth + 1, value))
        elif value is None:
            copy.pop(name, None)
        else:
            copy[name] = value
        return copy

    def __str__(self) -> str:
        return ".".join(name.replace("\\", "\\\\").replace(".", "\\.") for name in self.names)
