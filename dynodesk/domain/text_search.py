"""Looking for a text in values: in what a person sees of them, whole, however long they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from dynodesk.domain.values import (
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


@dataclass(frozen=True)
class Sought:
    """A text to look for, as it is typed: no pattern."""

    text: str
    match_case: bool = False

    @cached_property
    def _folded(self) -> str:
        return self.text.casefold()

    def is_in(self, value: Value) -> bool:
        """Whether it is in the value or, of a set, list or map, in a name or member of it."""
        return any(map(self.is_in_text, _texts(value)))

    def is_in_text(self, text: str) -> bool:
        return self.text in text if self.match_case else self._folded in text.casefold()

    def is_in_any(self, item: Item) -> bool:
        return any(map(self.is_in, item.values()))


def _texts(value: Value) -> Iterator[str]:
    match value:
        case String(text) | Number(text=text):
            yield text
        case Binary(data):
            yield data.hex()
        case Boolean(truth):
            yield "true" if truth else "false"
        case Null():
            yield "NULL"
        case StringSet(members):
            yield from members
        case NumberSet(numbers):
            yield from (number.text for number in numbers)
        case BinarySet(blobs):
            yield from (blob.hex() for blob in blobs)
        case List(elements):
            for element in elements:
                yield from _texts(element)
        case Map(entries):
            for name, entry in entries.items():
                yield name
                yield from _texts(entry)
