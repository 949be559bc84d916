"""Values as they are typed into a field: a text with escapes for what cannot be seen, digits, hexadecimal."""

from __future__ import annotations

from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.item_json import binary_from_base64
from dynodesk.domain.spelled_text import spelled, unspelled
from dynodesk.domain.values import Binary, Number, String, Value, type_tag


def typed(value: Value) -> str:
    """A text, number or binary value in one line; "" for any other, which no field is for."""
    match value:
        case String(text):
            return spelled(text)
        case Number(text=text):
            return text
        case Binary(data):
            return data.hex()
        case _:
            return ""


def value_typed(text: str, like: Value) -> Value:
    """A value of the type of `like` from what was typed. Raises `InvalidValue`."""
    match like:
        case String():
            return text_typed(text)
        case Number():
            return Number.parse(text)
        case Binary():
            return hex_typed(text)
        case _:
            raise InvalidValue(f"a value of type {type_tag(like)} is not typed")


def text_typed(text: str) -> Value:
    return String(unspelled(text))


def hex_typed(text: str) -> Value:
    """Bytes from pairs of hexadecimal digits; blanks between them are left out. Raises `InvalidValue`."""
    digits = "".join(text.split())
    for at, char in enumerate(digits):
        if char not in "0123456789abcdefABCDEF":
            raise InvalidValue(f"{char!r} is no hexadecimal digit (digit {at + 1})", hint="Two of 0-9 a-f for a byte.")
    if len(digits) % 2:
        raise InvalidValue("a hexadecimal digit is missing", hint="Two of 0-9 a-f for a byte.")
    return Binary(bytes.fromhex(digits))


def base64_typed(text: str) -> Value:
    """Bytes from base64; blanks and line ends in it are left out. Raises `InvalidValue`."""
    return Binary(binary_from_base64("".join(text.split())))
