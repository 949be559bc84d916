"""What a recipe asks for, and the values as they are typed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal as OneOf

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.errors import InvalidRequest, InvalidValue
from dynodesk.domain.expressions.nodes import DocumentPath
from dynodesk.domain.tables import Key, KeySchema, KeyType
from dynodesk.domain.typed_values import typed, value_typed
from dynodesk.domain.values import (
    MAX_PARTITION_KEY_BYTES,
    MAX_SORT_KEY_BYTES,
    Binary,
    Item,
    KeyValue,
    Number,
    String,
    Value,
    check_key,
)

ME, OTHER, SHARD = "{me}", "{other}", "{shard}"
"""Places in a typed text: who acts, who is acted on, and the shard of a counter."""

FieldKind = OneOf["table", "key", "attributes", "attribute", "text", "number", "shards", "value"]

_PLACE = re.compile(r"\{(me|other|shard)\}")
_LIKE: dict[KeyType, KeyValue] = {"S": String(""), "N": Number("0"), "B": Binary(b"")}
MOST_SHARDS = 10_000
"""Shards that are counted from 0; more would be a typing mistake."""


class InvalidField(InvalidRequest):
    """A field of a recipe that is empty, or holds what it cannot. `field` is its name."""

    code = "invalid-field"
    next_step = "Fill in the field."

    def __init__(self, field: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.field = field


@dataclass(frozen=True, slots=True)
class Field:
    """Something that has to be filled in. The kind says what the value is:

    - `key` and `attributes`: a tuple of `TypedText`, for a key one for each attribute of it;
    - `value`: a `Value`, or None for an attribute that is not there;
    - any other: a text. That of an `attribute` may lead into maps: `stats.likes`. That of `shards` is a number of them,
      counted from 0, or their names with commas between.
    """

    name: str
    title: str
    kind: FieldKind
    tip: str
    is_optional: bool = False
    table: str = "table"
    """Of a key, and of attributes: the field that names its table."""


@dataclass(frozen=True, slots=True)
class TypedText:
    r"""An attribute of a key, or beside it, as it is typed: `LIKE#{me}`.

    Texts have escapes for what cannot be seen, binary values are hexadecimal. A brace that begins no place is `\u007b`.
    """

    name: str
    type: KeyType
    text: str

    @classmethod
    def of(cls, name: str, value: KeyValue) -> TypedText:
        """Spells the value, so that nothing in it is taken for a place."""
        type_: KeyType = "S" if isinstance(value, String) else "N" if isinstance(value, Number) else "B"
        return cls(name, type_, literal(typed(value)))

    def value(self, places: Mapping[str, str]) -> KeyValue:
        """Raises `InvalidValue` for what is no value of the type, or where a place has nothing to stand for."""
        for place in _PLACE.finditer(self.text):
            if not places.get(place[0]):
                raise InvalidValue(f"{self.name}: nothing is given for {place[0]}")
        value = value_typed(_PLACE.sub(lambda place: places[place[0]], self.text), _LIKE[self.type])
        assert isinstance(value, String | Number | Binary)  # noqa: S101 (of the type of a key value, as asked for)
        return value


def literal(typed_text: str) -> str:
    """The same typed text with no place in it."""
    return _PLACE.sub(lambda place: "\\u007b" + place[0][1:], typed_text)


Typed = tuple[TypedText, ...]
FieldValue = str | Typed | Value | None
FieldValues = Mapping[str, FieldValue]


def typed_key(schema: KeySchema, key: Item | None) -> Typed:
    """The key of an item; without one, or where it is no key of the schema, its attributes without a text."""
    try:
        found: Key = {} if key is None else schema.key_of(key)
    except InvalidValue:
        found = {}
    return tuple(
        TypedText.of(one.name, found[one.name]) if one.name in found else TypedText(one.name, one.type, "")
        for one in schema.attributes
    )


def shard_names(text: str) -> tuple[str, ...]:
    """`4` is 0, 1, 2 and 3; `a, b` is a and b. Raises `InvalidField`."""
    text = text.strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        count = int(text)
        if not 1 <= count <= MOST_SHARDS:
            raise InvalidField("shards", f"A counter has 1 to {MOST_SHARDS} shards, not {count}.")
        return tuple(map(str, range(count)))
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise InvalidField("shards", "Say how many shards there are, or name them with commas between.")
    if len(set(names)) != len(names):
        raise InvalidField("shards", "A shard is named twice.")
    return names


class Filled:
    """The fields of a recipe as they are filled in. Every reading raises `InvalidField` for what cannot be used."""

    def __init__(self, fields: Iterable[Field], values: FieldValues) -> None:
        self._fields = {field.name: field for field in fields}
        self._values = values

    def text(self, name: str) -> str:
        value = self._values.get(name, "")
        text = value if isinstance(value, str) else ""
        if not text and not self._fields[name].is_optional:
            raise InvalidField(name, f"{self._fields[name].title} is not filled in.")
        return text

    def path(self, name: str) -> DocumentPath | None:
        """None where it is optional and empty."""
        text = self.text(name)
        if not text:
            return None
        try:
            return DocumentPath.of(*AttributePath.parse(text).names)
        except ValueError:
            raise InvalidField(name, f"{self._fields[name].title}: a name in {text} is empty.") from None

    def needed_path(self, name: str) -> DocumentPath:
        path = self.path(name)
        if path is None:
            raise InvalidField(name, f"{self._fields[name].title} is not filled in.")
        return path

    def number(self, name: str) -> Number:
        try:
            return Number.parse(self.text(name).strip())
        except InvalidValue as problem:
            raise InvalidField(name, f"{self._fields[name].title}: {problem.message}", hint=problem.hint) from None

    def value(self, name: str) -> Value | None:
        value = self._values.get(name)
        if value is None or isinstance(value, str | tuple):
            if self._fields[name].is_optional:
                return None
            raise InvalidField(name, f"{self._fields[name].title} is not filled in.")
        return value

    def shards(self, name: str = "shards") -> tuple[str, ...]:
        return shard_names(self.text(name))

    def typed(self, name: str) -> Typed:
        value = self._values.get(name, ())
        return value if isinstance(value, tuple) else ()

    def has(self, name: str) -> bool:
        """Whether anything is typed there."""
        return any(one.text for one in self.typed(name))

    def key(self, name: str, **places: str) -> dict[str, KeyValue]:
        """With a text for each place that may be in it, `me="7c20"`."""
        rows = self.typed(name)
        if not rows or not all(row.text for row in rows):
            raise InvalidField(name, f"{self._fields[name].title} is not filled in.")
        key = self._values_of(name, rows, places)
        for at, (attribute, value) in enumerate(key.items()):
            try:
                check_key(value, attribute, MAX_PARTITION_KEY_BYTES if at == 0 else MAX_SORT_KEY_BYTES)
            except InvalidValue as problem:
                raise InvalidField(name, f"{self._fields[name].title}: {problem.message}") from None
        return key

    def attributes(self, name: str, **places: str) -> dict[str, KeyValue]:
        return self._values_of(name, tuple(row for row in self.typed(name) if row.text), places)

    def _values_of(self, name: str, rows: Typed, places: Mapping[str, str]) -> dict[str, KeyValue]:
        standing = {"{" + place + "}": text for place, text in places.items()}
        try:
            return {row.name: row.value(standing) for row in rows}
        except InvalidValue as problem:
            raise InvalidField(name, f"{self._fields[name].title}: {problem.message}", hint=problem.hint) from None
