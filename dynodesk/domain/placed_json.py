"""JSON text as what it says and where it says it, so that whoever finds something wrong in it can point at the place.

Stricter than JSON parsers usually are: a key stands once in an object, a string has no control characters and no half
of a surrogate pair. Everything wrong is an `InvalidValue` whose `position` is an offset in the text.
"""

from __future__ import annotations

import json
import re
from typing import Literal, NoReturn

from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.values import MAX_DEPTH, check_unicode

Kind = Literal["string", "number", "boolean", "null", "array", "object"]

DEEPEST = 2 * MAX_DEPTH + 8
"""Brackets within brackets: DynamoDB JSON has two for each level of a document, sets and marks have their own."""

_PIECE = re.compile(
    r"[ \t\n\r]*(?:"
    r'(?P<string>"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")'
    r"|(?P<mark>[{}\[\],:])"
    r"|(?P<number>[-+.0-9][-+.0-9a-zA-Z_]*)"
    r"|(?P<word>\w+)"
    r"|(?P<end>\Z)"
    r")"
)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WHOLE_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})')
_WORDS: dict[str, tuple[Kind, bool]] = {"true": ("boolean", True), "false": ("boolean", False), "null": ("null", False)}


class Placed:
    """A piece of JSON: its kind, its content, and the offset at which it starts."""

    __slots__ = ("elements", "kind", "pairs", "start", "text", "truth")

    def __init__(self, kind: Kind, start: int, *, text: str = "", truth: bool = False) -> None:
        self.kind, self.start = kind, start
        self.text = text
        """Of a string, decoded; of a number, its digits."""
        self.truth = truth
        self.elements: list[Placed] = []
        self.pairs: dict[str, tuple[int, Placed]] = {}
        """Of an object: where each key stands, and what it leads to."""


def read_placed(text: str) -> Placed:
    """The one JSON value that the text holds. Raises `InvalidValue` with the position of the first mistake."""
    return _Reader(text).whole()


def line_and_column(text: str, position: int) -> tuple[int, int]:
    """Both counted from 1."""
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._piece = self._next(0)

    def whole(self) -> Placed:
        value = self._value(0)
        if self._piece.lastgroup != "end":
            self._fail("more text after the end", hint="An item is one object: take away what follows it.")
        return value

    def _next(self, at: int) -> re.Match[str]:
        found = _PIECE.match(self._text, at)
        return found if found is not None else self._unreadable(at)

    def _take(self) -> re.Match[str]:
        piece = self._piece
        self._piece = self._next(piece.end())
        return piece

    def _is_mark(self, mark: str) -> bool:
        return self._piece.lastgroup == "mark" and self._piece["mark"] == mark

    def _value(self, depth: int) -> Placed:
        piece = self._piece
        start = piece.start(piece.lastgroup or 0)
        if piece.lastgroup == "string":
            return Placed("string", start, text=self._string())
        if piece.lastgroup == "number":
            return Placed("number", start, text=self._digits())
        if piece.lastgroup == "word" and piece["word"] in _WORDS:
            kind, truth = _WORDS[self._take()["word"]]
            return Placed(kind, start, truth=truth)
        if piece.lastgroup == "mark" and piece["mark"] in "[{":
            if depth >= DEEPEST:
                self._fail(f"nested deeper than {MAX_DEPTH} levels", hint="DynamoDB takes no deeper documents.")
            return self._object(start, depth) if piece["mark"] == "{" else self._array(start, depth)
        message, hint = self._no_value()
        raise InvalidValue(message, hint=hint, position=start)

    def _no_value(self) -> tuple[str, str]:
        """What to say of a piece that stands where a value is expected, and what to do."""
        match self._piece.lastgroup:
            case "word":
                hint = 'A text stands in quotes: "…". Without are only numbers, true, false and null.'
                return f"{_cut(self._piece['word'])} is no value", hint
            case "mark":
                mark = self._piece["mark"]
                hint = "Take the comma before it away, or write the value." if mark in "]}" else ""
                return f"a value is missing before {mark}", hint
            case _:
                return "the text ends where a value is expected", "Close what is open: } for {, ] for [."

    def _digits(self) -> str:
        digits = self._piece["number"]
        if _NUMBER.fullmatch(digits) is None:
            hint = "Digits, one point and an exponent: -12.5E3. Anything else is a text: put it in quotes."
            self._fail(f"{_cut(digits)} is not how JSON writes a number", hint=hint)
        self._take()
        return digits

    def _string(self) -> str:
        start = self._piece.start("string")
        token = self._take()["string"]
        text: str = json.loads(token) if "\\" in token else token[1:-1]
        try:
            check_unicode(text)
        except InvalidValue as problem:
            raise InvalidValue(f"the text holds half of a surrogate pair: {problem.message}", position=start) from None
        return text

    def _array(self, start: int, depth: int) -> Placed:
        made = Placed("array", start)
        self._take()
        if self._is_mark("]"):
            self._take()
            return made
        while True:
            made.elements.append(self._value(depth + 1))
            if self._ends_with("]"):
                return made

    def _object(self, start: int, depth: int) -> Placed:
        made = Placed("object", start)
        self._take()
        if self._is_mark("}"):
            self._take()
            return made
        while True:
            if self._piece.lastgroup != "string":
                hint = 'A name in quotes, a colon, a value: "name": 1. No comma after the last one.'
                self._fail("the name of an attribute is expected", hint=hint)
            at = self._piece.start("string")
            name = self._string()
            if name in made.pairs:
                hint = "Keep one of them: which one was meant cannot be known."
                raise InvalidValue(f'"{_cut(name)}" stands twice in one object', hint=hint, position=at)
            if not self._is_mark(":"):
                self._fail(f'a colon is missing after "{_cut(name)}"')
            self._take()
            made.pairs[name] = at, self._value(depth + 1)
            if self._ends_with("}"):
                return made

    def _ends_with(self, bracket: str) -> bool:
        if self._is_mark(","):
            self._take()
            return False
        if not self._is_mark(bracket):
            if self._piece.lastgroup == "end":
                self._fail(f"the text ends and {bracket} is missing", hint="Close what is open: } for {, ] for [.")
            self._fail(f"a comma or {bracket} is missing here")
        self._take()
        return True

    def _fail(self, message: str, *, hint: str = "") -> NoReturn:
        raise InvalidValue(message, hint=hint, position=self._piece.start(self._piece.lastgroup or 0))

    def _unreadable(self, at: int) -> NoReturn:
        """Says what is wrong with the piece at `at`, which is none."""
        while at < len(self._text) and self._text[at] in " \t\n\r":
            at += 1
        if self._text[at] != '"':
            raise InvalidValue(f"{_named(self._text[at])} has no meaning here", position=at)
        start, at = at, at + 1
        while at < len(self._text):
            char = self._text[at]
            if char == "\\":
                found = _WHOLE_ESCAPE.match(self._text, at)
                if found is None:
                    hint = r"Escapes are \" \\ \/ \b \f \n \r \t and \u with four digits. A backslash itself is \\."
                    raise InvalidValue(f"{_cut(self._text[at : at + 2])} is no escape", hint=hint, position=at)
                at = found.end()
                continue
            if char < " ":
                hint = r"Write \n for a line break and \t for a tab, or close the text with a quote before it."
                raise InvalidValue(f"{_named(char)} cannot stand in a text", hint=hint, position=at)
            at += 1
        raise InvalidValue("the text that begins here does not end", hint='Close it with ".', position=start)


def _named(char: str) -> str:
    words = {"\n": "a line break", "\t": "a tab", "\r": "a carriage return"}
    return words.get(char) or (char if char.isprintable() else f"the character U+{ord(char):04X}")


def _cut(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
