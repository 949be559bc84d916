"""Values as they stand in a field, each in the spelling of the type that was chosen for it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.item_json import from_dynamodb, to_dynamodb
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
    type_tag,
)


def value_text(value: Value) -> str:
    """What `typed_value` reads as the same value, of the value's own type."""
    match value:
        case String(text):
            return text
        case Number(text=text):
            return text
        case Binary(data):
            return data.hex()
        case Boolean(truth):
            return "true" if truth else "false"
        case Null():
            return ""
        case StringSet(members):
            return listed(members)
        case NumberSet(numbers):
            return listed(number.text for number in numbers)
        case BinarySet(blobs):
            return listed(data.hex() for data in blobs)
        case List() | Map():
            return json.dumps(to_dynamodb(value)[type_tag(value)], ensure_ascii=False)


def typed_value(kind: str, text: str) -> Value:
    """A value of the type with this tag. Only for S a text without characters is one.

    Raises `InvalidValue` for a text that is no such value.
    """
    match kind:
        case "S":
            return String(text)
        case "BOOL":
            return Boolean(text == "true")
        case "NULL":
            return Null()
        case "N":
            return Number.parse(text)
        case "B":
            return Binary(_bytes(text))
        case "SS":
            return StringSet(tuple(split_list(text)))
        case "NS":
            return NumberSet(tuple(map(Number.parse, split_list(text))))
        case "BS":
            return BinarySet(tuple(map(_bytes, split_list(text))))
        case _:
            return _document(kind, text)


def _document(kind: str, text: str) -> Value:
    try:
        return from_dynamodb({kind: json.loads(text)})
    except json.JSONDecodeError as problem:
        example = '[{"S": "a"}]' if kind == "L" else '{"a": {"N": "1"}}'
        raise InvalidValue(f"no JSON: {problem.msg}", hint=f"As DynamoDB JSON: {example}.") from None
    except RecursionError:
        raise InvalidValue("nested too deeply") from None


def _bytes(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise InvalidValue("binary values are given as hexadecimal digits") from None


def listed(texts: Iterable[str]) -> str:
    """Several values in one field: parted by commas, in single quotes where a text has more than its characters."""
    return ", ".join(_quoted(text) for text in texts)


def _quoted(text: str) -> str:
    if text and text == text.strip() and not set(text) & set(",'"):
        return text
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def split_list(text: str) -> Iterator[str]:
    """The values of `listed`. Raises `InvalidValue` for a quote that is not closed, or is followed by more."""
    at = 0
    while at < len(text):
        while at < len(text) and text[at].isspace():
            at += 1
        if text[at : at + 1] != "'":
            end = text.find(",", at)
            end = len(text) if end < 0 else end
            if found := text[at:end].strip():
                yield found
            at = end + 1
            continue
        start = at = at + 1
        while text[at : at + 1] != "'" or text[at : at + 2] == "''":
            if at >= len(text):
                raise InvalidValue("the quote ' is not closed", hint="A quote within is written twice.")
            at += 2 if text[at] == "'" else 1
        yield text[start:at].replace("''", "'")
        rest = text[at + 1 :].lstrip()
        if rest and not rest.startswith(","):
            raise InvalidValue("after a value in quotes comes a comma", hint="A quote within is written twice.")
        at = len(text) - len(rest) + 1
