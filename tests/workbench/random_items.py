"""Items that are hard to carry: random, the same each time, and no two alike."""

from __future__ import annotations

import base64
import json
import string
from collections.abc import Callable
from random import Random
from typing import Any

from tests.workbench.pages import Tagged

DEEPEST = 32
"""Levels of lists and maps in one another that DynamoDB takes."""
LARGE_EVERY = 20_000
LARGE_BYTES = 399_000
"""DynamoDB's limit is 409,600 bytes, names and all."""

_PIECES = (
    *("\0", "\x01", "\x08", "\t", "\n", "\r\n", "\x1b[31m", "\x1f", "\x7f", "\x85", "\xa0", "\xad"),
    *("\u200b", "\u2028", "\u2029", "\u202e", "\u2066", "\ufeff", "\ufffd", "\ufffe", "\uffff", "\ud7ff", "\ue000"),
    *("\U00010000", "\U0010ffff", "💙", "👩\u200d👩\u200d👧", "é", "e\u0301", "ß", "İ", "１２", "漢字", "עב"),
    *('"', "'", "\\", "\\u0000", "\\ud83d", "/", "~0", "~1", "$", "${x}", "{", "}", "[0]", "%s", ";--", "<b>", "&amp;"),
    *("null", "NULL", "true", "NaN", "1E5", "", " ", *string.ascii_letters),
)
_ODD_NAMES = (
    *(
        "a.b",
        "a[0]",
        "a/b",
        "~",
        "~0",
        "~1",
        "#n",
        ":v",
        "$",
        "$.a",
        "$binary",
        "$map",
        "*",
        "/",
        "//",
        "0",
        "-1",
        "[1]",
    ),
    *(
        'q"uote',
        '""',
        "'",
        "''",
        "back\\slash",
        "\\u0041",
        "line\nend",
        "tab\t",
        "\0",
        "\x1f",
        "\x7f",
        "\x85",
        "\u2028",
    ),
    *(" ", "  ", "\u200b", "\xa0", "\ufeff", "é", "e\u0301", "\u202ertl", "💙", "\U0010ffff", "İ", "ß", "SS"),
    *("Name", "name", "NAME", "nAme", "item", "Item", "item 2", "rowid", "k0", "select", "S", "N", "M", "x" * 255),
    *("number (number)", "number (type)", "count (type)", "name 2", "NULL", "(empty name)", "\\0"),
)
_EMULATED = (
    "NaN",
    "1_000",
    "",
    "1E126",
    "1" * 39,
    "1" * 200,
    "１２",
    "+5",
    "-0",
    "0.10",
    ".5",
    "5.",
    "1e+0005",
    "00012",
)
"""What emulators store as a number as it was sent."""


class RandomItems:
    """`item(i)` for any i: a mixture that was made before, under a key of its own and with values of its own."""

    def __init__(self, made: int) -> None:
        random = Random(made)
        self._pool = [_mixture(random) for _ in range(made)]

    def item(self, i: int) -> Tagged:
        random = Random(i)
        item = dict(random.choice(self._pool))
        for name in random.sample(_OWN, random.randint(1, 3)):
            item[name] = _OF_ONE_TYPE[name](random)
        if i % LARGE_EVERY == 7:
            size = 0
            pieces = []
            while size < LARGE_BYTES - 20_000:
                pieces.append(random.choice(_PIECES) * random.randint(1, 99))
                size += len(pieces[-1].encode())
            item["large"] = {"S": "".join(pieces)}
        item["pk"] = {"S": f"{i:09} {_text(random)}"}
        item["sk"] = {"N": _number(random)}
        return item


def _mixture(random: Random) -> Tagged:
    item: Tagged = {}
    for name in random.sample(tuple(_OF_ONE_TYPE), random.randint(0, 4)):
        item[name] = _OF_ONE_TYPE[name](random)
    for name in random.sample(_ODD_NAMES, random.randint(0, 4)):
        item[name] = _value(random)
    return item


def _text(random: Random) -> str:
    return "".join(random.choices(_PIECES, k=random.choice((0, 1, 1, 2, 3, 5, 8, 30))))


def _number(random: Random) -> str:
    """As DynamoDB stores it, or as it may be sent: up to 38 digits, from 1E-130 to 9.99…E+125."""
    sign = random.choice(("", "", "-"))
    digits = str(random.randint(1, 10 ** random.choice((1, 3, 9, 18, 38)) - 1))
    match random.randrange(10):
        case 0:
            return sign + str(random.randint(0, 999))
        case 1:
            return sign + str(random.randint(10**37, 10**38 - 1))
        case 2:
            return sign + random.choice(("1E+125", "1E-130", "9" * 38 + "E+88", "9." + "9" * 37 + "E+125", "1E-128"))
        case 3:
            return sign + f"{digits}{random.choice('eE')}{random.choice(('', '+', '-'))}{random.randint(0, 87)}"
        case 4:
            return "0"
        case 5:
            return sign + "0." + "0" * random.randint(0, 90) + digits
        case 6:
            return sign + digits + "0" * random.randint(0, 80)
        case 7:
            return sign + "0" * random.randint(0, 3) + digits + "." + "0" * random.randint(1, 3)
        case _:
            point = random.randint(0, len(digits))
            return sign + (digits[:point] or "0") + (f".{digits[point:]}" if point < len(digits) else "")


def _binary(random: Random) -> str:
    return base64.b64encode(random.randbytes(random.choice((0, 1, 2, 3, 16, 64)))).decode()


def _set_of(make: Callable[[Random], str]) -> Callable[[Random], list[str]]:
    def made(random: Random) -> list[str]:
        return list(dict.fromkeys(make(random) for _ in range(random.randint(1, 4))))

    return made


def _deep(random: Random) -> dict[str, Any]:
    value: dict[str, Any] = {"N": _number(random)}
    for _ in range(random.choice((DEEPEST, DEEPEST - 1, 5))):
        value = {"L": [value]} if random.random() < 0.5 else {"M": {random.choice(_ODD_NAMES): value}}
    return value


_SCALARS: tuple[Callable[[Random], dict[str, Any]], ...] = (
    lambda random: {"S": _text(random)},
    lambda random: {"N": _number(random)},
    lambda random: {"N": _number(random)},
    lambda random: {"B": _binary(random)},
    lambda random: {"BOOL": random.random() < 0.5},
    lambda _: {"NULL": True},
    lambda random: {"SS": _set_of(_text)(random)},
    lambda random: {"NS": _set_of(_number)(random)},
    lambda random: {"BS": _set_of(_binary)(random)},
    lambda _: {"S": ""},
    lambda _: {"L": []},
    lambda _: {"M": {}},
    _deep,
)


def _value(random: Random, levels: int = 3) -> dict[str, Any]:
    if levels and random.random() < 0.3:
        return random.choice((_list, _map))(random, levels - 1)
    return random.choice(_SCALARS)(random)


def _list(random: Random, levels: int = 2) -> dict[str, Any]:
    return {"L": [_value(random, levels) for _ in range(random.randint(0, 4))]}


def _map(random: Random, levels: int = 2) -> dict[str, Any]:
    names = [random.choice((random.choice(_ODD_NAMES), _text(random) or "x")) for _ in range(random.randint(0, 4))]
    return {"M": {name: _value(random, levels) for name in names}}


_OF_ONE_TYPE: dict[str, Callable[[Random], dict[str, Any]]] = {
    "count": lambda random: {"N": str(random.randint(-999, 10**9))},
    "price": lambda random: {"N": f"{random.randint(-(10**6), 10**6)}.{random.randint(0, 99):02}"},
    "long": lambda random: {"N": str(random.randint(-(10**38) + 1, 10**38 - 1))},
    "fraction": lambda random: {"N": f"{random.randint(0, 10**19)}.{random.randint(0, 10**18):018}"},
    "power": lambda random: {"N": f"{random.randint(1, 999)}E{random.randint(-9, 12):+}"},
    "any number": lambda random: {"N": _number(random)},
    "emulated": lambda random: {"N": random.choice(_EMULATED)},
    "title": lambda random: {"S": _text(random)},
    "json": lambda random: {"S": json.dumps({_text(random): _text(random)}, ensure_ascii=random.random() < 0.5)},
    "blob": lambda random: {"B": _binary(random)},
    "flag": lambda random: {"BOOL": random.random() < 0.5},
    "nothing": lambda _: {"NULL": True},
    "tags": lambda random: {"SS": _set_of(_text)(random)},
    "scores": lambda random: {"NS": _set_of(_number)(random)},
    "blobs": lambda random: {"BS": _set_of(_binary)(random)},
    "list": _list,
    "map": _map,
    "flag or nothing": lambda random: {"BOOL": True} if random.random() < 0.5 else {"NULL": True},
    "number": lambda random: random.choice(({"N": str(random.randint(0, 99))}, {"S": "x"}, {"NULL": True})),
}
_OWN = ("count", "price", "long", "fraction", "any number", "title", "json", "blob", "tags", "scores", "map", "list")
"""Attributes that each item has some of with values of its own."""
