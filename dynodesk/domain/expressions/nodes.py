"""What all parts of an expression's tree have: a place in the text, parts of their own, and a text."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields
from itertools import combinations
from typing import Any, Protocol, TypeVar

from dynodesk.domain.values import Item, List, Map, Value

Step = str | int
"""A name of an attribute or of a map's entry, or the index of a list's element."""


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a text, in characters."""

    offset: int
    length: int

    @property
    def end(self) -> int:
        return self.offset + self.length

    def to(self, other: Span) -> Span:
        """From the start of this one to the end of the other."""
        return Span(self.offset, other.end - self.offset)


NOWHERE = Span(0, 0)
"""The place of a part that was not read from a text."""


class Spelling(Protocol):
    """How names and values are written: by placeholders in a request, as themselves for people."""

    def name(self, name: str) -> str: ...

    def value(self, value: Value) -> str: ...


@dataclass(frozen=True, slots=True)
class Node:
    """A part of an expression's tree. Two parts are equal when they say the same, wherever they stand in a text."""

    span: Span = field(default=NOWHERE, compare=False, repr=False, kw_only=True)
    """Its place in the text that it was read from."""

    @property
    def parts(self) -> Iterator[Node]:
        """The parts of this part, from left to right."""
        for name in _names_of(type(self)):
            held = getattr(self, name)
            if isinstance(held, Node):
                yield held
            elif isinstance(held, tuple):
                yield from (part for part in held if isinstance(part, Node))

    def walk(self) -> Iterator[Node]:
        """This part and all within it, from left to right."""
        yield self
        for part in self.parts:
            yield from part.walk()

    @property
    def attributes(self) -> frozenset[str]:
        """The names of the top-level attributes it looks at: what has to be read to decide it."""
        return frozenset(part.attribute for part in self.walk() if isinstance(part, DocumentPath))

    @abstractmethod
    def text(self, spelling: Spelling) -> str:
        """The text of this part. Its values and names are spelled from left to right."""


_NAMES: dict[type[Any], tuple[str, ...]] = {}
"""What may hold parts, by class: to ask for the fields each time would take a third of a check's time."""


def _names_of(kind: type[Any]) -> tuple[str, ...]:
    if kind not in _NAMES:
        _NAMES[kind] = tuple(each.name for each in fields(kind) if each.name != "span")
    return _NAMES[kind]


@dataclass(frozen=True, slots=True)
class DocumentPath(Node):
    """An attribute, or what is inside it: `("address", "lines", 0)`. A dot within a name is part of the name."""

    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        if not self.steps or not isinstance(self.steps[0], str):
            raise ValueError("a document path starts with the name of an attribute")

    @classmethod
    def of(cls, *steps: Step) -> DocumentPath:
        return cls(steps)

    @property
    def attribute(self) -> str:
        """The name of the top-level attribute."""
        return str(self.steps[0])

    def find(self, item: Item) -> Value | None:
        """The value there; None where any step is missing."""
        found = item.get(self.attribute)
        for step in self.steps[1:]:
            match found:
                case Map(entries) if isinstance(step, str):
                    found = entries.get(step)
                case List(elements) if isinstance(step, int) and step < len(elements):
                    found = elements[step]
                case _:
                    return None
        return found

    def overlaps(self, other: DocumentPath) -> bool:
        """Whether one is the other or lies within it."""
        return all(mine == theirs for mine, theirs in zip(self.steps, other.steps, strict=False))

    def text(self, spelling: Spelling) -> str:
        shown = spelling.name(self.attribute)
        for step in self.steps[1:]:
            shown += f"[{step}]" if isinstance(step, int) else f".{spelling.name(step)}"
        return shown


@dataclass(frozen=True, slots=True)
class Literal(Node):
    """A value that the expression brings along."""

    value: Value

    def find(self, _item: Item) -> Value | None:
        """The value, whatever the item."""
        return self.value

    def text(self, spelling: Spelling) -> str:
        return spelling.value(self.value)


Part = TypeVar("Part")


def of_one_attribute(parts: Iterable[Part], path_of: Callable[[Part], DocumentPath]) -> Iterator[tuple[Part, Part]]:
    """Each pair of parts whose paths begin with one attribute: of thousands of paths few do."""
    groups: dict[str, list[Part]] = {}
    for part in parts:
        groups.setdefault(path_of(part).attribute, []).append(part)
    for group in groups.values():
        yield from combinations(group, 2)
