r"""A text as it can be edited without loss: what cannot be seen is spelled, the rest stands for itself.

Fields and text editors replace no-break spaces, carriage returns and line separators, and show others as nothing.
So such a character is written `\u00a0`, `\r`, `\t`, and a backslash `\\`. Line breaks stand for themselves where there
are lines, and are `\n` where there is one line only. Where there are lines, a long one goes on in the next after a
backslash: editors take minutes to lay out a line of hundreds of thousands of characters.
"""

from __future__ import annotations

import re

from dynodesk.domain.errors import InvalidValue

LONGEST_LINE = 400
"""Characters of a text in one line."""

_SHORT = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_LONG = {spelling: char for char, spelling in _SHORT.items()} | {"\\\n": ""}
_KEPT_FROM_SIGHT = "\ufffc"
"""Printable by its class; an editor takes it for the place of a picture."""
_ESCAPE = re.compile(r"\\(?:[\\nrt\n]|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})?")


def spelled(text: str, *, lines: bool = False) -> str:
    """The text with every character that cannot be seen, and every backslash, as an escape."""
    if not lines:
        return _spelled(text)
    return "\n".join(_folded(line) for line in text.split("\n"))


def _folded(line: str) -> str:
    pieces = [_spelled(line[start : start + LONGEST_LINE]) for start in range(0, len(line), LONGEST_LINE)]
    return "\\\n".join(pieces)


def _spelled(text: str) -> str:
    if text.isprintable() and "\\" not in text and _KEPT_FROM_SIGHT not in text:
        return text
    return "".join(map(_spelling, text))


def _spelling(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    if char.isprintable() and char != _KEPT_FROM_SIGHT:
        return char
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


def unspelled(typed: str) -> str:
    """The text that is meant. Raises `InvalidValue` with the position of a backslash that begins no escape."""
    if "\\" not in typed:
        return typed
    return _ESCAPE.sub(_meant, typed)


def _meant(found: re.Match[str]) -> str:
    escape = found[0]
    if escape in _LONG:
        return _LONG[escape]
    code = int(escape[2:] or "110000", 16)
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        what = f"{escape} is no character" if len(escape) > 1 else "a backslash alone is no escape"
        raise InvalidValue(
            f"character {found.start() + 1}: {what}",
            hint=r"A backslash is written \\. Escapes are \n \r \t and \u with four digits.",
            position=found.start(),
        )
    return chr(code)
