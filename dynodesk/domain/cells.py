"""What a grid says for an attribute value: one short line and a kind. Total: whatever was stored has an answer."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Literal, TypeVar

from dynodesk.domain.item_json import readable
from dynodesk.domain.values import (
    Binary,
    BinarySet,
    Boolean,
    List,
    Map,
    Null,
    Number,
    NumberSet,
    String,
    StringSet,
    Value,
    order,
)

CellKind = Literal["key", "S", "N", "B", "set", "map", "bool", "null", "empty", "missing", "unprojected"]

MAX_SHOWN = 300
"""Characters of a value that a cell shows at most: no column is wider, and the inspector has the rest."""

SORTED_MEMBERS = 1_000
"""A set with more members is shown as it came: to sort it takes longer than a cell may."""

MOST_ZEROS = 10
"""Characters that a shorter form of a number has to save."""

Member = TypeVar("Member", str, bytes, Number)

_SYMBOLS = {chr(code): chr(0x2400 + code) for code in range(0x20)} | {"\t": "⇥", "\n": "⏎", "\x7f": "␡"}
_SHOWN_SPACES = frozenset(" \u3000")
_PICTURES = frozenset({"So", "Sk", "Mn"})
_BLANKS = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\U00016fe4\U0001d159"
    + "".join(map(chr, [*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]))
)
"""Letters, marks and symbols by their class, and nothing to the eye: fillers, joiners, selectors of a variant."""
_AS_PICTURE = "\ufe0f"


def visible(text: str) -> str:
    """The text on one line, with every character that cannot be seen, or that changes how others are, as a mark.

    For eyes only: `␀`, `⏎`, `⇥`, `⟨U+202E⟩`, and `␠` for spaces at either end. Two texts that differ never look the
    same because of such a character, nor because one has as two characters what the other has as one: `e⟨U+0301⟩`.
    """
    if not text.isprintable() or not (
        text.isascii() or (_BLANKS.isdisjoint(text) and unicodedata.is_normalized("NFC", text))
    ):
        text = "".join(_seen(text, at, char) for at, char in enumerate(text))
    inner = text.strip(" ")
    if len(inner) == len(text):
        return text
    before = len(text) - len(text.lstrip(" "))
    return "␠" * before + inner + "␠" * (len(text) - before - len(inner))


def _seen(text: str, at: int, char: str) -> str:
    before = text[at - 1 : at]
    if char == "\u200d" and before and at < len(text) - 1:
        around = (unicodedata.category(one) for one in (before, text[at + 1]))
        if next(around) in _PICTURES and next(around) == "So":  # it joins two pictures to one, which is seen
            return char
    elif char == _AS_PICTURE and before and unicodedata.category(before) == "So":
        return char
    elif char in _BLANKS or not _is_composed(before, char):
        return f"⟨U+{ord(char):04X}⟩"
    elif char.isprintable() or char in _SHOWN_SPACES or unicodedata.category(char) == "Co":
        return char
    return _SYMBOLS.get(char) or f"⟨U+{ord(char):04X}⟩"


def _is_composed(before: str, char: str) -> bool:
    """Whether the character stands as it is where texts are brought into the composed form."""
    return char.isascii() or unicodedata.normalize("NFC", before + char) == before + char


def cell_kind(value: Value) -> CellKind:
    match value:
        case String(text):
            return "S" if text else "empty"
        case Number():
            return "N"
        case Binary():
            return "B"
        case Boolean():
            return "bool"
        case Null():
            return "null"
        case StringSet() | NumberSet() | BinarySet():
            return "set"
        case List() | Map():
            return "map"


def cell_text(value: Value) -> str:
    """One line for the grid, at most `MAX_SHOWN` characters and an ellipsis. Numbers are never shortened."""
    match value:
        case String("") | Number(text=""):
            return '""'
        case String(text):
            return _cut(visible(text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"))
        case Number(text=text):
            return visible(text)
        case Binary(data):
            return _cut(binary_text(data))
        case Boolean(truth):
            return "true" if truth else "false"
        case Null():
            return "NULL"
        case _:
            return _cut(visible(_start(_pieces(value))))


def exact_text(value: Value) -> str:
    """What copying a cell gives: a string as it is, a number's digits, binary as hexadecimal, the rest as JSON."""
    return value.data.hex() if isinstance(value, Binary) else readable(value)


def shorter_number(value: Value) -> str:
    """`3E+45` for a number with its zeros written out; "" for any other value.

    The service gives numbers back without exponent, and people have to count the zeros.
    """
    if not isinstance(value, Number) or not value.is_valid:
        return ""
    short = format(value.value, "E")
    return short if len(value.text) > len(short) + MOST_ZEROS else ""


def binary_text(data: bytes) -> str:
    """`16 B 9f3c 51e0 07aa`: the length, then the bytes in pairs."""
    shown = data[: MAX_SHOWN // 2]
    pairs = " ".join(shown[i : i + 2].hex() for i in range(0, len(shown), 2))
    return f"{byte_text(len(data))} {pairs}{'…' if len(shown) < len(data) else ''}".rstrip()


def byte_text(count: int) -> str:
    """`412 B`, `6.9 KB`, `1.2 GB`, in the units of DynamoDB's limits: 1 KB is 1,024 bytes."""
    if count < 1024:
        return f"{count} B"
    size = float(count)
    for unit in ("KB", "MB", "GB"):
        size /= 1024
        if size < 1024:
            return f"{size:.1f} {unit}"
    return f"{size / 1024:,.1f} TB"


def in_order(members: tuple[Member, ...]) -> tuple[Member, ...]:
    """The members of a set as they are shown: the same set looks the same, in whatever order it came."""
    return tuple(sorted(members)) if len(members) <= SORTED_MEMBERS else members


def sort_key(value: Value) -> tuple[int, object]:
    """Orders the values of a column: numbers by value, strings by UTF-8 bytes, binary by bytes, each type by itself."""
    match value:
        case String() | Number() | Binary():
            return order(value)
        case Boolean(truth):
            return 4, truth
        case Null():
            return 5, 0
        case _:
            return 6, _start(_pieces(value)).encode("utf-8", "surrogatepass")


def _cut(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"


def _start(pieces: Iterator[str]) -> str:
    """As much of a document as a cell can show, without writing out the rest of it."""
    written, length = [], 0
    for piece in pieces:
        written.append(piece)
        length += len(piece)
        if length > MAX_SHOWN:
            break
    return "".join(written)


def _pieces(value: Value, *, nested: bool = False) -> Iterator[str]:
    match value:
        case String(text):
            start = text[: MAX_SHOWN + 1]
            yield f'"{start}"' if nested else start
        case StringSet(members):
            yield from _enclosed("{}", iter(in_order(members)))
        case NumberSet(numbers):
            yield from _enclosed("{}", (number.text for number in in_order(numbers)))
        case BinarySet(blobs):
            yield from _enclosed("{}", (binary_text(blob) for blob in in_order(blobs)))
        case List(elements):
            yield "["
            for i, element in enumerate(elements):
                yield ", " if i else ""
                yield from _pieces(element, nested=True)
            yield "]"
        case Map(entries):
            yield "{"
            for i, (name, entry) in enumerate(entries.items()):
                yield f"{', ' if i else ''}{name}: "
                yield from _pieces(entry, nested=True)
            yield "}"
        case _:
            yield cell_text(value)


def _enclosed(brackets: str, members: Iterator[str]) -> Iterator[str]:
    yield brackets[0]
    for i, member in enumerate(members):
        yield f"{', ' if i else ''}{member[: MAX_SHOWN + 1]}"
    yield brackets[1]
