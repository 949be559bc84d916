"""What the languages have in common: names, quoted texts, and how nested literals are laid out."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

WIDTH = 100
"""Columns that a literal on one line has at most."""

_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_NAMED = {"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r", "\t": r"\t"}


def joined_words(operation: str, separator: str) -> str:
    """`PutItem` as `put-item` or `put_item`."""
    return _WORD.sub(separator, operation).lower()


def quoted(text: str, escape: Callable[[str], str], *, only_ascii: bool = False) -> str:
    """A text in double quotes. What cannot be seen is escaped too: a copy shows all that it does."""
    return '"' + "".join(_escaped(character, escape, only_ascii) for character in text) + '"'


def _escaped(character: str, escape: Callable[[str], str], only_ascii: bool) -> str:
    if character in _NAMED:
        return _NAMED[character]
    if character.isprintable() and (character.isascii() or not only_ascii):
        return character
    return escape(character)


def utf16_escape(character: str) -> str:
    r"""`\u0000`, two of them beyond the first 65,536, as JSON, JavaScript and Java have it."""
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def code_point_escape(character: str) -> str:
    r"""`\u0000` or `\U00010000`, as Python and Go have it."""
    return f"\\u{ord(character):04x}" if character <= "\uffff" else f"\\U{ord(character):08x}"


def without_texts(code: str) -> str:
    """Code with nothing left in its double quotes. Line by line: other threads run in between."""
    return "\n".join(_QUOTED.sub('""', line) for line in code.split("\n"))


def escaped_json(text: str) -> str:
    """JSON in which nothing is invisible but the spaces and line ends between its parts."""
    return "\n".join(line if line.isprintable() else _with_escapes(line) for line in text.split("\n"))


def _with_escapes(line: str) -> str:
    return "".join(character if character.isprintable() else utf16_escape(character) for character in line)


def laid_out(opening: str, members: Sequence[str], closing: str, *, indent: str, space: str = "") -> str:
    """A literal of several members: on one line where they fit, else one a line. `space` is within a line only."""
    line = f"{opening}{space}{', '.join(members)}{space}{closing}" if members else opening + closing
    if _fits(line):
        return line
    return f"{opening}\n{''.join(moved(f'{member},', indent) + chr(10) for member in members)}{closing}"


def called(name: str, arguments: Sequence[str], *, indent: str) -> str:
    """A call in a language that takes no comma after its last argument."""
    line = f"{name}({', '.join(arguments)})"
    if _fits(line) or len(arguments) == 1:
        return line
    listed = ",\n".join(moved(argument, indent) for argument in arguments)
    return f"{name}(\n{listed}\n)"


def moved(text: str, indent: str) -> str:
    """To the right. Quoted texts hold no line end."""
    return indent + text.replace("\n", f"\n{indent}")


def _fits(line: str) -> bool:
    return "\n" not in line and len(line) <= WIDTH
