"""Items as JSON, both ways without loss.

*DynamoDB JSON* tags each value with its type: `{"likes": {"N": "41"}}`.

*Plain JSON* reads naturally and still loses nothing: numbers are written with their exact digits, and what JSON has no
form for is an object with one `$` key: `{"$binary": "AAH/"}`, `{"$stringSet": ["a"]}`, `{"$numberSet": [1, 2.5]}`,
`{"$binarySet": ["AA=="]}`, and `{"$number": "NaN"}` for what DynamoDB refuses as a number and emulators store. A map
that would be mistaken for one of these is wrapped: `{"$map": {"$binary": "x"}}`.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from dynodesk.domain.errors import InvalidFile, InvalidValue
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
    check_unicode,
)

# ------------------------------------------------------------------------------------------------- DynamoDB JSON


def from_dynamodb(tagged: object, path: str = "the value") -> Value:
    """A value from its decoded DynamoDB JSON. Raises `InvalidValue`, naming `path`, for anything that is not one.

    Numbers are taken as they are: `values.check` tells what the service would refuse.
    """
    if not isinstance(tagged, dict) or len(tagged) != 1:
        tags = ", ".join(map(str, tagged)) if isinstance(tagged, dict) else type(tagged).__name__
        raise InvalidValue(f"{path}: expected one type tag, found {tags or 'none'}")
    ((tag, content),) = tagged.items()
    match tag, content:
        case "S", str():
            return String(content)
        case "N", str():
            return Number(content)
        case "B", str():
            return Binary(_from_base64(content, path))
        case "BOOL", bool():
            return Boolean(content)
        case "NULL", True:
            return Null()
        case "SS", list():
            return StringSet(tuple(_texts(content, path)))
        case "NS", list():
            return NumberSet(tuple(Number(text) for text in _texts(content, path)))
        case "BS", list():
            return BinarySet(tuple(_from_base64(text, path) for text in _texts(content, path)))
        case "L", list():
            return List(tuple(from_dynamodb(inner, f"{path}[{i}]") for i, inner in enumerate(content)))
        case "M", dict():
            return Map({name: from_dynamodb(inner, f"{path}.{name}") for name, inner in content.items()})
        case (("S" | "N" | "B" | "BOOL" | "NULL" | "SS" | "NS" | "BS" | "L" | "M"), _):
            raise InvalidValue(f"{path}: {_shown(content)} is not the content of type {tag}")
        case _:
            raise InvalidValue(f"{path}: {tag!r} is not a type of DynamoDB")


def to_dynamodb(value: Value) -> dict[str, Any]:
    """The DynamoDB JSON of a value, ready for `json.dumps`."""
    match value:
        case String(text):
            return {"S": text}
        case Number():
            return {"N": value.text}
        case Binary(data):
            return {"B": binary_to_base64(data)}
        case Boolean(truth):
            return {"BOOL": truth}
        case Null():
            return {"NULL": True}
        case StringSet(members):
            return {"SS": list(members)}
        case NumberSet(numbers):
            return {"NS": [number.text for number in numbers]}
        case BinarySet(blobs):
            return {"BS": [binary_to_base64(blob) for blob in blobs]}
        case List(elements):
            return {"L": [to_dynamodb(element) for element in elements]}
        case Map(entries):
            return {"M": {name: to_dynamodb(entry) for name, entry in entries.items()}}


def item_from_dynamodb(tagged: object, path: str = "") -> dict[str, Value]:
    """An item from its decoded DynamoDB JSON. Raises `InvalidValue` naming the attribute path."""
    if not isinstance(tagged, dict):
        raise InvalidValue(f"{path or 'the item'}: {_shown(tagged)} is not an item")
    return {name: from_dynamodb(value, f"{path}{name}") for name, value in tagged.items()}


def item_to_dynamodb(item: Item) -> dict[str, dict[str, Any]]:
    return {name: to_dynamodb(value) for name, value in item.items()}


def _texts(content: list[object], path: str) -> list[str]:
    texts = [member for member in content if isinstance(member, str)]
    if len(texts) != len(content):
        raise InvalidValue(f"{path}: a set in DynamoDB JSON holds texts only")
    return texts


def _from_base64(text: str, path: str) -> bytes:
    try:
        return binary_from_base64(text)
    except InvalidValue as problem:
        raise InvalidValue(f"{path}: {problem.message}", hint=problem.hint) from None


def binary_from_base64(text: str) -> bytes:
    """The bytes of a base64 text. Raises `InvalidValue` for one that no bytes are written as."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        data = None
    # Bits left over in the last character decode too, to another text than the one given: not accepted.
    if data is None or binary_to_base64(data) != text:
        raise InvalidValue(
            f"{_shown(text)} is not base64", hint="Letters, digits, + and /, in groups of four filled up with =."
        )
    return data


def binary_to_base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _shown(content: object) -> str:
    text = json.dumps(content, ensure_ascii=False, default=str)
    return text if len(text) <= 40 else text[:37] + "…"


# ---------------------------------------------------------------------------------------------------- plain JSON


def to_plain(item: Item, indent: int | None = None) -> str:
    """Plain JSON text of an item, numbers with the digits they have."""
    return _write(Map(item), indent, 0, top=True)


def from_plain(text: str, source: str = "the text") -> dict[str, Value]:
    """An item from plain JSON text. Raises `InvalidFile` naming the line, `InvalidValue` naming the attribute."""
    decoded = read_json(text, source)
    if not isinstance(decoded, dict):
        raise InvalidFile(f"{source}: an item is a JSON object, this is {_shown(decoded)}")
    try:
        return {name: _from_plain(value, name) for name, value in decoded.items()}
    except RecursionError:
        raise InvalidFile(f"{source}: nested too deeply") from None


def _from_plain(decoded: object, path: str) -> Value:
    match decoded:
        case str():
            return String(decoded)
        case bool():
            return Boolean(decoded)
        case Number():
            return decoded
        case None:
            return Null()
        case list():
            return List(tuple(_from_plain(inner, f"{path}[{i}]") for i, inner in enumerate(decoded)))
        case dict() if len(decoded) == 1 and next(iter(decoded)).startswith("$"):
            ((mark, content),) = decoded.items()
            return _from_marked(mark, content, path)
        case dict():
            return Map({name: _from_plain(inner, f"{path}.{name}") for name, inner in decoded.items()})
        case _:  # read_json makes nothing else
            raise InvalidValue(f"{path}: {decoded!r} has no place in JSON")


def _from_marked(mark: str, content: object, path: str) -> Value:
    match mark, content:
        case "$binary", str():
            return Binary(_from_base64(content, path))
        case "$stringSet", list():
            return StringSet(tuple(_texts(content, path)))
        case "$binarySet", list():
            return BinarySet(tuple(_from_base64(text, path) for text in _texts(content, path)))
        case "$number", str():
            return Number(content)
        case "$numberSet", list():
            members = [_from_plain(member, path) for member in content]
            numbers = [member for member in members if isinstance(member, Number)]
            if len(numbers) != len(members):
                raise InvalidValue(f"{path}: $numberSet holds numbers only")
            return NumberSet(tuple(numbers))
        case "$map", dict():
            return Map({name: _from_plain(inner, f"{path}.{name}") for name, inner in content.items()})
        case _:
            raise InvalidValue(
                f"{path}: {_shown_mark(mark)} is not one of the marks of plain JSON",
                hint='A map with that one key is written {"$map": {…}}.',
            )


def _shown_mark(mark: str) -> str:
    return mark if len(mark) <= 40 else mark[:37] + "…"


def _write(value: Value, indent: int | None, level: int, *, top: bool = False) -> str:
    match value:
        case String(text):
            return json.dumps(text, ensure_ascii=False)
        case Number():
            return _number_literal(value)
        case Boolean(truth):
            return "true" if truth else "false"
        case Null():
            return "null"
        case Binary(data):
            return f'{{"$binary": "{binary_to_base64(data)}"}}'
        case StringSet(members):
            return f'{{"$stringSet": [{", ".join(json.dumps(m, ensure_ascii=False) for m in members)}]}}'
        case NumberSet(numbers):
            return f'{{"$numberSet": [{", ".join(map(_number_literal, numbers))}]}}'
        case BinarySet(blobs):
            return f'{{"$binarySet": [{", ".join(json.dumps(binary_to_base64(blob)) for blob in blobs)}]}}'
        case List(elements):
            return _bracketed("[]", [_write(element, indent, level + 1) for element in elements], indent, level)
        case Map(entries):
            if not top and len(entries) == 1 and next(iter(entries)).startswith("$"):
                return f'{{"$map": {_write(value, indent, level, top=True)}}}'
            pairs = [
                f"{json.dumps(name, ensure_ascii=False)}: {_write(entry, indent, level + 1)}"
                for name, entry in entries.items()
            ]
            return _bracketed("{}", pairs, indent, level)


def _bracketed(brackets: str, parts: list[str], indent: int | None, level: int) -> str:
    if not parts or indent is None:
        return brackets[0] + ", ".join(parts) + brackets[1]
    edge, inner = "\n" + " " * (indent * level), "\n" + " " * (indent * (level + 1))
    return brackets[0] + inner + f",{inner}".join(parts) + edge + brackets[1]


def _number_literal(number: Number) -> str:
    """The text itself where JSON has that spelling, the canonical one where not (`+5`, `007`, `.5`)."""
    try:
        number.check()
    except InvalidValue:
        return f'{{"$number": {json.dumps(number.text, ensure_ascii=False)}}}'
    try:
        json.loads(number.text, parse_int=str, parse_float=str)
    except json.JSONDecodeError:
        return number.canonical
    return number.text


# -------------------------------------------------------------------------------------------------- strict reading


def read_json(text: str, source: str) -> object:
    """Decoded JSON with numbers as `Number` by their text.

    Raises `InvalidFile`, naming the source and the line, for what JSON parsers usually let pass: a key that occurs
    twice in one object, `NaN`, numbers that DynamoDB cannot hold, halves of surrogate pairs.
    """

    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise _TwiceError
        for key in found:
            check_unicode(key)
        return found

    def constant(name: str) -> NoReturn:
        raise InvalidValue(f"{name} is not a number of JSON")

    try:
        decoded: object = json.loads(
            text, parse_int=Number.parse, parse_float=Number.parse, parse_constant=constant, object_pairs_hook=once
        )
        _check_strings(decoded)
    except json.JSONDecodeError as problem:
        raise InvalidFile(f"{source}, line {problem.lineno}: {problem.msg}") from None
    except _TwiceError:
        key, line = _first_key_twice(text)
        raise InvalidFile(
            f"{source}, line {line}: the key {_shown(key)} occurs twice in one object",
            hint="Keep one of them: which one was meant cannot be known.",
        ) from None
    except InvalidValue as problem:
        raise InvalidFile(f"{source}: {problem.message}", hint=problem.hint) from None
    except RecursionError:
        raise InvalidFile(f"{source}: nested too deeply") from None
    return decoded


def _check_strings(decoded: object) -> None:
    match decoded:
        case str():
            check_unicode(decoded)
        case list():
            for inner in decoded:
                _check_strings(inner)
        case dict():
            for inner in decoded.values():
                _check_strings(inner)
        case _:
            pass


class _TwiceError(Exception):
    """A key occurs twice. `json` does not say where: the text is walked once more, only then."""


def _first_key_twice(text: str) -> tuple[str, int]:
    scan: Callable[[str, int], tuple[str, int]] = json.decoder.scanstring  # type: ignore[attr-defined]  # not in typeshed
    open_objects: list[set[str]] = []
    at = 0
    while at < len(text):
        match text[at]:
            case "{":
                open_objects.append(set())
            case "}":
                open_objects.pop()
            case '"':
                start = at
                string, at = scan(text, at + 1)
                if text[at:].lstrip(" \t\r\n").startswith(":"):
                    if string in open_objects[-1]:
                        return string, text.count("\n", 0, start) + 1
                    open_objects[-1].add(string)
                continue
            case _:
                pass
        at += 1
    raise AssertionError("only called for a text in which a key occurs twice")


def readable_key(key: Mapping[str, Value]) -> str:
    """A key for people: its values joined by a slash, `POST#a91f / META`."""
    return " / ".join(readable(value) for value in key.values())


def readable(value: Value) -> str:
    """One value on one line, for people: strings bare, everything else as plain JSON."""
    match value:
        case String(text):
            return text
        case Number():
            return value.text
        case _:
            return _write(value, None, 0)
