"""Attribute values: the ten types of DynamoDB, exactly.

A number is its text. Two numbers are equal when their values are, whatever their spelling; nothing here
passes through `float`. Values that came from a table are kept even where the service would not accept them today
(emulators store more than the service does); `check` says what the service would refuse before it is sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact, InvalidOperation, Overflow

from dynodesk.domain.errors import InvalidValue

MAX_SIGNIFICANT_DIGITS = 38  # Developer Guide, "Naming rules and data types"
MAX_MAGNITUDE, MIN_MAGNITUDE = 125, -130  # powers of ten of the first digit, same page
MAX_DEPTH = 32  # Developer Guide, "Service, account, and table quotas"
MAX_ITEM_BYTES = 400 * 1024  # same page
MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES = 2048, 1024  # same page
MAX_NAME_BYTES = 64 * 1024 - 1  # same page, "Attribute names"

LONGEST_NUMBER = 100
"""Significant digits that are still read as a number: emulators store more of them than the service does."""

EXACT = Context(prec=400, traps=[Inexact, InvalidOperation, Overflow])
"""For sums and differences: its digits hold the largest and the smallest number together, and nothing is rounded."""

_NUMBER = re.compile(r"(?P<sign>[+-]?)(?P<whole>[0-9]*)(?:\.(?P<fraction>[0-9]*))?(?:[eE](?P<exponent>[+-]?[0-9]+))?")


class Number:
    """A number by its text. Equality, order and hash are those of the value: `Number("1.0") == Number("1E0")`."""

    __slots__ = ("_is_read", "_value", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._is_read = False
        self._value: Decimal | None = None

    @classmethod
    def parse(cls, text: str) -> Number:
        """A number as typed or imported.

        Raises `InvalidValue` with the position of the first character that is not part of a number, or with the limit
        that the service would refuse it for.
        """
        number = cls(text)
        number.check()
        return number

    @property
    def is_valid(self) -> bool:
        """False for a text that cannot be computed with: emulators store `NaN`, `1_000` and `1E999999999`.

        Such a text equals itself and nothing else.
        """
        return self._read() is not None

    def check(self) -> None:
        """Raises `InvalidValue` where the service would refuse this number."""
        found, shown = _grammar(self.text), _shortened(self.text)
        if found is None:
            position = _first_bad_character(self.text)
            at = f"character {position + 1}" if position < len(self.text) else "it ends too early"
            raise InvalidValue(
                f"{shown!r} is not a number ({at})",
                hint="Digits, one point and an exponent: -12.5E3.",
                position=position,
            )
        digits, power = found
        if not digits:
            return
        if len(digits) > MAX_SIGNIFICANT_DIGITS:
            raise InvalidValue(
                f"{shown} has {len(digits)} significant digits; DynamoDB keeps {MAX_SIGNIFICANT_DIGITS}",
                hint="Store it as a string, or round it yourself.",
            )
        if not MIN_MAGNITUDE <= power <= MAX_MAGNITUDE:
            raise InvalidValue(
                f"{shown} is outside the range of a DynamoDB number",
                hint="The magnitude is 1E-130 to 9.9999999999999999999999999999999999999E+125, or zero.",
            )

    @property
    def value(self) -> Decimal:
        """The exact value. Raises `InvalidValue` where the text cannot be computed with."""
        value = self._read()
        if value is None:
            raise InvalidValue(f"{_shortened(self.text)} cannot be computed with")
        return value

    def _read(self) -> Decimal | None:
        if not self._is_read:
            found = _grammar(self.text)
            if found is not None and len(found[0]) <= LONGEST_NUMBER and MIN_MAGNITUDE <= found[1] <= MAX_MAGNITUDE:
                digits, power = found
                sign = 1 if self.text.startswith("-") and digits else 0
                self._value = Decimal((sign, tuple(map(int, digits or "0")), power - len(digits) + 1 if digits else 0))
            self._is_read = True
        return self._value

    @property
    def canonical(self) -> str:
        """The one spelling all equal numbers share, and the one the service stores: plain digits, no exponent."""
        if not self.is_valid:
            return self.text
        return plain_digits(self.value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Number):
            return NotImplemented
        if self.text == other.text:
            return True
        value = self._read()
        return value is not None and value == other._read()

    def __lt__(self, other: Number) -> bool:
        return order(self) < order(other)

    def __hash__(self) -> int:
        return hash(self.value) if self.is_valid else hash(self.text)

    def __repr__(self) -> str:
        return f"Number({self.text!r})"

    def __str__(self) -> str:
        return self.text


def _grammar(text: str) -> tuple[str, int] | None:
    """Significant digits and the power of ten of the first one; ("", 0) for zero; None where it is no number.

    Written by hand because `Decimal` also takes `NaN`, `1_000` and the digits of other scripts.
    """
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    whole, fraction = found["whole"], found["fraction"] or ""
    if not whole and not fraction:
        return None
    digits = (whole + fraction).lstrip("0")
    if not digits:
        return "", 0
    exponent = found["exponent"] or "0"
    leading_zeros = len(whole) + len(fraction) - len(digits)
    # An exponent of thousands of digits is out of range whatever its value: int() of it would take minutes.
    power = len(whole) - leading_zeros - 1 + int(exponent if len(exponent) < 20 else exponent[0] + "9" * 18)
    return digits.rstrip("0"), power


LONGEST_SHOWN = 24
"""Characters of a number in a message, which may stand in a narrow place and breaks no number."""


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"


def _first_bad_character(text: str) -> int:
    start = re.match(r"[+-]?\.?", text)
    end = start.end() if start else 0
    if not text[end:].startswith(tuple("0123456789")):
        return end
    found = _NUMBER.match(text)
    end = found.end() if found else 0
    # "1e5x" matches "1e5"; "1e" matches "1" and the e is where the trouble starts, unless the text just ends there.
    return len(text) if re.fullmatch(r"[eE][+-]?", text[end:]) else end


@dataclass(frozen=True, slots=True)
class String:
    text: str


@dataclass(frozen=True, slots=True)
class Binary:
    data: bytes


@dataclass(frozen=True, slots=True)
class Boolean:
    value: bool


@dataclass(frozen=True, slots=True)
class Null:
    """The NULL type: an attribute that exists and says that there is no value."""


@dataclass(frozen=True, slots=True, eq=False)
class StringSet:
    members: tuple[str, ...]
    """In the order received: an untouched set is never written back in another order."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StringSet) and _same_members(self.members, other.members)

    def __hash__(self) -> int:
        return hash(frozenset(self.members))


@dataclass(frozen=True, slots=True, eq=False)
class NumberSet:
    members: tuple[Number, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NumberSet) and _same_members(self.members, other.members)

    def __hash__(self) -> int:
        return hash(frozenset(self.members))


@dataclass(frozen=True, slots=True, eq=False)
class BinarySet:
    members: tuple[bytes, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BinarySet) and _same_members(self.members, other.members)

    def __hash__(self) -> int:
        return hash(frozenset(self.members))


def _same_members(left: tuple[object, ...], right: tuple[object, ...]) -> bool:
    return len(left) == len(right) and frozenset(left) == frozenset(right)


@dataclass(frozen=True, slots=True)
class List:
    elements: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Map:
    entries: Mapping[str, Value]

    def __hash__(self) -> int:
        return hash(frozenset(self.entries.items()))


Value = String | Number | Binary | Boolean | Null | StringSet | NumberSet | BinarySet | List | Map
Item = Mapping[str, Value]
KeyValue = String | Number | Binary

_TYPE_NAMES: dict[type[object], tuple[str, str]] = {
    String: ("S", "String"),
    Number: ("N", "Number"),
    Binary: ("B", "Binary"),
    Boolean: ("BOOL", "Boolean"),
    Null: ("NULL", "Null"),
    StringSet: ("SS", "String set"),
    NumberSet: ("NS", "Number set"),
    BinarySet: ("BS", "Binary set"),
    List: ("L", "List"),
    Map: ("M", "Map"),
}


def plain_digits(value: Decimal) -> str:
    """A computed number as text: no exponent, no trailing zeros after the point."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def type_tag(value: Value) -> str:
    """`S`, `N`, `B`, `BOOL`, `NULL`, `SS`, `NS`, `BS`, `L` or `M`."""
    return _TYPE_NAMES[type(value)][0]


def type_word(value: Value) -> str:
    """The type in words: `String`, `Number set`."""
    return _TYPE_NAMES[type(value)][1]


def size(value: Value) -> int:
    """Bytes the value counts for, without its name (Developer Guide, "DynamoDB item sizes and formats")."""
    match value:
        case String(text):
            return _bytes_of(text)
        case Number():
            return _number_size(value)
        case Binary(data):
            return len(data)
        case Boolean() | Null():
            return 1
        case StringSet(members):
            return sum(map(_bytes_of, members))
        case NumberSet(members):
            return sum(_number_size(member) for member in members)
        case BinarySet(members):
            return sum(map(len, members))
        case List(elements):
            return 3 + sum(1 + size(element) for element in elements)
        case Map(entries):
            return 3 + sum(1 + _bytes_of(name) + size(entry) for name, entry in entries.items())


def _bytes_of(text: str) -> int:
    # Half a surrogate pair has no UTF-8 form: it cannot be stored, but a size of it is no reason to fail.
    return len(text.encode("utf-8", "surrogatepass"))


def _number_size(number: Number) -> int:
    found = _grammar(number.text)
    if found is None:
        return len(number.text)
    digits, power = found
    if not digits:
        return 1
    # Stored as base-100 digits: an odd number of digits before the point takes one more half byte at either end.
    odd_start = power % 2 == 0
    pairs = (len(digits) + odd_start + 1) // 2
    return min(21, pairs + 1 + number.text.startswith("-"))


def item_size(item: Item) -> int:
    """Bytes of a whole item, names included: what the 400 KB limit and the capacity units are counted on."""
    return sum(_bytes_of(name) + size(value) for name, value in item.items())


def order(value: KeyValue) -> tuple[int, bytes | Decimal]:
    """Sort key of a key value, in table order: strings by UTF-8 bytes, numbers by value, binary by unsigned bytes.

    Values of different types never meet in one key; for display they sort by type.
    """
    match value:
        case Number():
            return (0, value.value) if value.is_valid else (3, value.text.encode())
        case String(text):
            return 1, text.encode("utf-8", "surrogatepass")
        case Binary(data):
            return 2, data


def check_item(item: Item) -> None:
    """Raises `InvalidValue` where the service would refuse the item, naming the attribute path."""
    for name, value in item.items():
        check_name(name)
        check(value, name)
    check_item_size(item)


def check_item_size(item: Item) -> None:
    """Raises `InvalidValue` where the item is larger than the service takes, naming its largest attributes."""
    total = item_size(item)
    if total > MAX_ITEM_BYTES:
        largest = sorted(item, key=lambda name: -size(item[name]))[:3]
        raise InvalidValue(
            f"the item has {total} bytes; DynamoDB takes {MAX_ITEM_BYTES}",
            hint=f"Largest attributes: {', '.join(largest)}.",
        )


def check_name(name: str) -> None:
    """Raises `InvalidValue` where the service would refuse an attribute, or an entry of a map, of this name."""
    if not name:
        raise InvalidValue("an attribute has an empty name")
    try:
        check_unicode(name)
    except InvalidValue as problem:
        raise InvalidValue(f"an attribute name: {problem.message}", position=problem.position) from None
    if len(name.encode()) > MAX_NAME_BYTES:
        raise InvalidValue(f"the attribute name {name[:40]}… is longer than {MAX_NAME_BYTES} bytes")


def check(value: Value, path: str = "the value", depth: int = 1) -> None:
    """Raises `InvalidValue` where the service would refuse the value; `path` names it in the message."""
    try:
        _check_alone(value)
    except InvalidValue as problem:
        raise InvalidValue(f"{path}: {problem.message}", hint=problem.hint, position=problem.position) from None
    for step, inner in _children(value):
        if depth >= MAX_DEPTH:
            raise InvalidValue(f"{path} is nested deeper than {MAX_DEPTH} levels")
        check(inner, f"{path}{step}", depth + 1)


def _check_alone(value: Value) -> None:
    match value:
        case Number():
            value.check()
        case String(text):
            check_unicode(text)
        case StringSet(members) | NumberSet(members) | BinarySet(members):
            _check_set(members)
        case Map(entries):
            for name in entries:
                check_name(name)
        case _:
            pass


def _check_set(members: tuple[object, ...]) -> None:
    if not members:
        raise InvalidValue("an empty set cannot be stored", hint="Remove the attribute, or use an empty list.")
    if len(frozenset(members)) != len(members):
        raise InvalidValue("a set holds the same member twice", hint="1 and 1.0 are the same number.")
    for member in members:
        if isinstance(member, Number):
            member.check()
        elif isinstance(member, str):
            check_unicode(member)


def _children(value: Value) -> Iterator[tuple[str, Value]]:
    match value:
        case List(elements):
            yield from ((f"[{i}]", element) for i, element in enumerate(elements))
        case Map(entries):
            yield from ((f".{name}", entry) for name, entry in entries.items())
        case _:
            pass


def check_unicode(text: str) -> None:
    """Raises `InvalidValue` for a lone surrogate: such a text has no UTF-8 form."""
    try:
        text.encode()
    except UnicodeEncodeError as problem:
        raise InvalidValue(
            f"character {problem.start + 1} is half of a surrogate pair and cannot be stored",
            position=problem.start,
        ) from None


def check_key(value: Value, name: str, limit: int) -> None:
    """Raises `InvalidValue` where the value cannot be a key: wrong type, empty, or over `limit` bytes."""
    if not isinstance(value, String | Number | Binary):
        raise InvalidValue(f"key attribute {name}: a {type_word(value)} cannot be a key")
    check(value, f"key attribute {name}")
    if isinstance(value, Number):
        return
    length = size(value)
    if length == 0:
        raise InvalidValue(f"key attribute {name}: a key cannot be empty")
    if length > limit:
        raise InvalidValue(f"key attribute {name}: {length} bytes; a key of this kind has at most {limit}")


def numbers(texts: Iterable[str]) -> NumberSet:
    """A number set from spellings, checked."""
    return NumberSet(tuple(Number.parse(text) for text in texts))
