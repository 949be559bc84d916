"""`TypeZoo`: every attribute type with the values that programs get wrong. `Readings`: the same for a Number key.

Each item of `TypeZoo` says in `note` what is special about it; the value to look at is mostly in `v`.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

from dynodesk.sandbox.sample_table import SampleTable, TaggedItem, create_request, number, text


def type_zoo() -> SampleTable:
    """One partition for each family of types, and one each for odd names, sort order and mixed types."""
    items = tuple(
        {"pk": text(family), "sk": text(f"{position:02}"), "note": text(note), "v": value}
        for family, cases in _FAMILIES.items()
        for position, (note, value) in enumerate(cases.items(), start=1)
    )
    everything = (*items, *_absent(), *_odd_names(), *_ordered_keys(), *_mixed())
    return SampleTable("TypeZoo", create_request("TypeZoo", [("pk", "S"), ("sk", "S")]), everything)


def readings() -> SampleTable:
    """A Number sort key: order by value, exact beyond 2^53, down to the smallest and up to the largest there is."""
    instants = (
        "-9.9999999999999999999999999999999999999E+125", "-12", "-1.5", "-1E-130", "0", "1E-130", "0.1", "1.5", "2",
        "9", "10", "11", "100", "9007199254740992", "9007199254740993", "9007199254740994",
        "9.9999999999999999999999999999999999999E+125",
    )  # fmt: skip
    items = tuple(
        {"device": text(device), "at": number(at), "position": number(position)}
        for device in ("d-1", "D-1")
        for position, at in enumerate(instants)
    )
    return SampleTable("Readings", create_request("Readings", [("device", "S"), ("at", "N")]), items)


def _binary(content: bytes) -> dict[str, str]:
    return {"B": base64.b64encode(content).decode()}


def _list(*elements: dict[str, Any]) -> dict[str, Any]:
    return {"L": list(elements)}


def _map(**entries: dict[str, Any]) -> dict[str, Any]:
    return {"M": entries}


def _nested(levels: int) -> dict[str, Any]:
    """A Number inside `levels` maps and lists, by turns."""
    value = number(levels)
    for level in range(levels):
        value = _list(value) if level % 2 else _map(deeper=value)
    return value


_NUMBERS = {
    "zero": number(0),
    "38 digits": number("2.7182818284590452353602874713526624978"),
    "38 digits, integer": number("99999999999999999999999999999999999999"),
    "largest": number("9.9999999999999999999999999999999999999E+125"),
    "smallest above zero": number("1E-130"),
    "most negative": number("-9.9999999999999999999999999999999999999E+125"),
    "41 digits, 40 of them trailing zeros": number("3" + 40 * "0"),
    "written with trailing zeros": number("12.500"),
    "2^53 + 1": number("9007199254740993"),
    "2^31": number("2147483648"),
    "2^64": number("18446744073709551616"),
    "a tenth": number("0.1"),
    "three tenths, exactly": number("0.3"),
    "tiny fraction": number("0.00000000000000000042"),
    "negative": number("-273.15"),
}

_STRINGS = {
    "empty": text(""),
    "one space": text(" "),
    "space at both ends": text("  both ends "),
    "CR LF, LF, CR": text("first\r\nsecond\nthird\rfourth"),
    "no-break space and its neighbours": text("1\u00a0000\u202f000\u2009km"),
    "line and paragraph separator": text("one\u2028two\u2029three"),
    "NUL and escape sequence": text("before\u0000after \u001b[31mred\u001b[0m"),
    "tab, quotes, separators": text('a\tb,"c";d|e\\f\'g`h'),
    "formula": text('=SUM(A1:A9)+HYPERLINK("http://127.0.0.1/","open")'),
    "formula, other first characters": text("@cmd"),
    "minus and phone number": text("-49 30 1234567"),
    "markup": text("<h1 onclick=\"go()\">Big</h1> &lt;small&gt; <img src='no.png'>"),
    "Markdown": text("# Title | **bold** [link](http://127.0.0.1/) `code`"),
    "template": text("{{ 7 * 7 }} ${HOME} %s {0}"),
    "looks like a number": text("0042"),
    "looks like an exponent": text("7E5"),
    "looks like a date": text("03-04-2025"),
    "looks like a boolean": text("false"),
    "looks like nothing": text("null"),
    "looks like JSON": text('{"N": "12"}'),
    "emoji with joiners, flag, skin tone": text("👩\u200d🚀 🇳🇱 👍🏽"),
    "one letter, two spellings": text("\u00e9 e\u0301"),
    "right to left, and an override": text("שלום עולם \u202etxt.exe\u202c"),
    "beyond the first plane": text("𝒳𐍈"),
    "zero width": text("pass\u200bword\ufeff"),
    "8 KB in one line": text("0123456789abcdef" * 512),
    "300 lines": text("\n".join(f"line {n}" for n in range(1, 301))),
}

_SMALL: dict[str, dict[str, Any]] = {
    "null": {"NULL": True},
    "true": {"BOOL": True},
    "false": {"BOOL": False},
    "binary": _binary(bytes(range(256))),
    "binary, empty": _binary(b""),
    "binary that is text": _binary(b"plain text"),
    "binary that is Base64 itself": _binary(b"cGxhaW4="),
}

_SETS = {
    "strings": {"SS": ["Zebra", "apple", "éclair", "zebra"]},
    "one string": {"SS": ["alone"]},
    "an empty string among others": {"SS": ["", "not empty"]},
    "numbers": {"NS": ["-3", "0.5", "2", "10", "9007199254740993"]},
    "one number": {"NS": ["1E-130"]},
    "binaries": {"BS": ["AA==", "AP8=", "/w=="]},
}

_DOCUMENTS = {
    "empty list": _list(),
    "empty map": _map(),
    "list of every type": _list(
        text("s"),
        number(1),
        _binary(b"\x00"),
        {"BOOL": True},
        {"NULL": True},
        {"SS": ["a"]},
        {"NS": ["1"]},
        {"BS": ["AA=="]},
        _list(),
        _map(),
    ),
    "map with nothing to see": _map(empty=text(""), nothing={"NULL": True}, list=_list(), map=_map()),
    "map that looks like a type tag": _map(S=text("small"), N=number(38)),
    "map that looks like a tagged number": {"M": {"N": text("12")}},
    "map that looks like one of our marks": {"M": {"$binary": text("AAAA"), "$map": _map()}},
    "names with the characters of paths": {"M": {"a.b": number(1), "a[0]": number(2), "a": _list(number(3))}},
    "12 levels": _nested(12),
    "a Number at level 32, the deepest there is": _nested(31),
    "200 keys": {"M": {f"key{n:03}": number("0.25" if n == 117 else 9007199254740993 + n) for n in range(200)}},
    "list of maps with different keys": _list(*({"M": {f"only{n}": number(n), "same": text("x")}} for n in range(5))),
}

_FAMILIES = {
    "numbers": _NUMBERS,
    "strings": _STRINGS,
    "scalars": _SMALL,
    "sets": _SETS,
    "documents": _DOCUMENTS,
}


def _absent() -> Iterator[TaggedItem]:
    yield {"pk": text("scalars"), "sk": text("99"), "note": text("v is missing here")}


def _odd_names() -> Iterator[TaggedItem]:
    names = (
        "dotted.name", "dashed-name", "/slashed/name", "two words", " space first", "name", "size", "count", "#n", ":v",
        '"quoted"', "it's", "a[0]", "2025-06-23", "_hidden", "ünï©ode", "🧪", "$binary", "<b>bold</b>", "=1+1",
    )  # fmt: skip
    for position, name in enumerate(names, start=1):
        yield {"pk": text("names"), "sk": text(f"{position:02}"), name: text(name)}
    yield {"pk": text("names"), "sk": text("all"), **{name: number(n) for n, name in enumerate(names)}}
    yield {
        "pk": text("names"),
        "sk": text("case"),
        "note": text("names that differ in case only"),
        "orderId": number(1),
        "OrderID": number(2),
        "v": {"M": {"x": number(1), "X": number(2)}},
    }
    yield {
        "pk": text("names"),
        "sk": text("path"),
        "note": text("one attribute called dotted.name, another called dotted"),
        "dotted.name": text("one name"),
        "dotted": _map(name=text("nested")),
    }


def _ordered_keys() -> Iterator[TaggedItem]:
    """Sort keys in the order of their UTF-8 bytes, which is neither a dictionary's nor that of UTF-16 units."""
    keys = (
        "\u0000", " ", '"', "#", "10", "2", "9", "A", "A#", "Z", "a", "z", "z\u0000", "z ", "é", "e\u0301x", "中",
        "\ue000", "｡", "𐀂", "🌊",
    )  # fmt: skip
    for rank, key in enumerate(sorted(keys, key=str.encode)):
        yield {"pk": text("order"), "sk": text(key), "rank": number(rank)}


def _mixed() -> Iterator[TaggedItem]:
    """One attribute with another type in every item: all of them say seven, or nearly."""
    sevens: dict[str, dict[str, Any]] = {
        "S": text("7"),
        "N": number(7),
        "B": _binary(b"7"),
        "BOOL": {"BOOL": True},
        "NULL": {"NULL": True},
        "SS": {"SS": ["7"]},
        "NS": {"NS": ["7"]},
        "BS": {"BS": ["Nw=="]},
        "L": _list(number(7)),
        "M": _map(seven=number(7)),
    }
    for tag, value in sevens.items():
        yield {"pk": text("mixed"), "sk": text(tag), "v": value}
