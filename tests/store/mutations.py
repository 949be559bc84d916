"""Ways in which a file that the program wrote may be found again: damaged, of others, or no file at all."""

from __future__ import annotations

import json
import math
import os
import random
import socket
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

HUGE = 50_000_000  # bytes
WRONG = (
    *("", " ", "[]", "5", "null", "{}", "<html></html>", '{"version": "1"}', '{"version": 0}', '{"version": 1} {}'),
    *('{"version": 1, "x": NaN}', '{"version": 1, "x": 1e999}', "[" * 100_000, '{"x":' * 50_000, "\x00" * 500),
    '{"version": 1, "x": ' + "9" * 5000 + "}",
)
ODD: tuple[object, ...] = (
    *(
        None,
        True,
        -1,
        10**30,
        1e308,
        "",
        "\ud800",
        "\x00",
        "\u202e\u2028\ufeff",
        "x" * 100_000,
        [],
        {},
        [[[]]],
        {"a": [{}]},
    ),
)
"""Values that may stand where another one is expected. All of them are values of JSON."""

Content = Callable[[bytes, random.Random], bytes]
Placing = Callable[[Path], None]


def wrong_contents(good: bytes) -> Iterator[tuple[str, bytes]]:
    """Those that do not depend on chance."""
    for wrong in WRONG:
        yield f"instead: {wrong[:30]!r}", wrong.encode()
    yield "utf-16", good.decode().encode("utf-16")
    yield "byte order mark", b"\xef\xbb\xbf" + good


def _cut(good: bytes, chance: random.Random) -> bytes:
    return good[: chance.randrange(len(good))]


def _zeroed(good: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(good))
    return good[:start] + bytes(len(good) - start)


def _lost(good: bytes, chance: random.Random) -> bytes:
    start, end = sorted(chance.sample(range(len(good)), 2))
    return good[:start] + good[end:]


def _twice(good: bytes, chance: random.Random) -> bytes:
    start, end = sorted(chance.sample(range(len(good)), 2))
    return good[:end] + good[start:]


def _changed(good: bytes, chance: random.Random) -> bytes:
    mutant = bytearray(good)
    for _ in range(chance.randint(1, 4)):
        mutant[chance.randrange(len(mutant))] = chance.randrange(256)
    return bytes(mutant)


DAMAGES: tuple[Content, ...] = (_cut, _zeroed, _lost, _twice, _changed)


def odd_value(good: bytes, chance: random.Random) -> bytes:
    """JSON still, with a value of another kind somewhere; of a file of lines, in one of them."""
    *lines, _ = good.split(b"\n") if good.count(b'\n{"') else (good, b"")
    at = chance.randrange(len(lines))
    found = json.loads(lines[at])
    places = list(_places(found))
    put = chance.choice(places)
    put(chance.choice(ODD))
    lines[at] = json.dumps(found).encode()
    return b"\n".join(lines) + b"\n"


def newer(good: bytes, _: random.Random) -> bytes:
    return json.dumps(json.loads(good) | {"version": 10**6}).encode()


def twice_each(good: bytes, _: random.Random) -> bytes:
    """Each member of the object is there a second time, with nothing in it."""
    text = json.dumps(json.loads(good))
    return (text[:-1] + "".join(f', "{name}": []' for name in json.loads(good) if name != "version") + "}").encode()


def _places(found: object) -> Iterator[Callable[[object], object]]:
    """What puts another value in the place of one, for each that there is within."""
    if isinstance(found, dict):
        for name, value in found.items():
            if name != "version":
                yield partial(found.__setitem__, name)
            yield from _places(value)
    elif isinstance(found, list):
        for at, value in enumerate(found):
            yield partial(found.__setitem__, at)
            yield from _places(value)


def is_sound(mutant: bytes) -> bool:
    """Whether it is a document of this version, or of a later one, however odd its values are."""
    try:
        found = json.loads(mutant.decode("utf-8"), parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        return False
    version = found.get("version") if isinstance(found, dict) else None
    return type(version) is int and version >= 1


def _refuse(name: str) -> None:
    raise ValueError(name)


def _finite(digits: str) -> float:
    if not math.isfinite(float(digits)):
        raise ValueError(digits)
    return float(digits)


# What is no file, or no ordinary one


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "something").write_bytes(b"kept")


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _socket(path: Path) -> None:
    path.unlink()
    before = Path.cwd()
    os.chdir(path.parent)  # the address of a socket is short
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(path.name)
    os.chdir(before)


def _link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def _dangling(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


def _loop(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


def _endless(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def _unreadable(path: Path) -> None:
    path.chmod(0)


def _open_to_all(path: Path) -> None:
    path.chmod(0o666)


def _huge_nonsense(path: Path) -> None:
    path.write_bytes(b"x" * HUGE)


def _huge_zeros(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(HUGE)


def _huge_text(path: Path) -> None:
    path.write_bytes(b'{"version": 1, "x": "' + b"y" * HUGE + b'"}\n')


def _huge_lists(path: Path) -> None:
    path.write_bytes(b'{"version": 1, "x": [' + b"[]," * (HUGE // 3) + b"[]]}\n")


PLACINGS: tuple[Placing, ...] = (
    *(_folder, _pipe, _socket, _link, _dangling, _loop, _endless, _unreadable, _open_to_all),
    *(_huge_nonsense, _huge_zeros, _huge_text, _huge_lists),
)
