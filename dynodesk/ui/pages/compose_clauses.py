"""The clauses of an update as rows: taken apart from its text, put together again, each knowing its place in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dynodesk.domain.errors import InvalidExpression
from dynodesk.domain.expressions.lexer import Token, tokens
from dynodesk.domain.expressions.nodes import Span
from dynodesk.domain.expressions.spelling import WRITTEN_OUT
from dynodesk.domain.values import Number, Value

_VERBS = ("SET", "ADD", "REMOVE", "DELETE")
_START = re.compile(r"\s*(SET|ADD|REMOVE|DELETE)\b\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Tail:
    """The value that a clause ends with."""

    start: int
    value: Value


@dataclass(frozen=True, slots=True)
class Piece:
    """Where a part of a clause stands in the whole text."""

    row: int
    in_row: int
    at: int
    length: int


@dataclass(frozen=True, slots=True)
class Joined:
    """An update as one text, with each verb once."""

    text: str
    pieces: tuple[Piece, ...]

    def locate(self, span: Span) -> tuple[int, Span]:
        """The clause that a place of the text is in, and the place within it; of none, the last."""
        for piece in self.pieces:
            if piece.at <= span.offset <= piece.at + piece.length:
                start = span.offset - piece.at
                return piece.row, Span(piece.in_row + start, max(0, min(span.length, piece.length - start)))
        last = self.pieces[-1]
        return last.row, Span(last.in_row + last.length, 0)


def clauses_of(update: str) -> tuple[str, ...]:
    """`SET a = 1`, `SET b = 2`, `ADD n 1`: one for each path that is changed. A text that cannot be read stays one."""
    try:
        words = list(tokens(update, literals=True))
    except InvalidExpression:
        return (update,) if update.strip() else ()
    found: list[str] = []
    verb, start, depth = "", 0, 0
    for word in words:
        depth += word.is_symbol("(", "[") - word.is_symbol(")", "]")
        begins = depth == 0 and word.is_word(*_VERBS)
        if not (begins or word.kind == "end" or (depth == 0 and word.is_symbol(","))):
            continue
        body = update[start : word.span.offset].strip()
        if verb or body:
            found.append(f"{verb} {body}".strip())
        start = word.span.end
        verb = word.text.upper() if begins else verb
    return tuple(found)


def join_clauses(clauses: Sequence[str]) -> Joined:
    """The text of an update: clauses of one verb stand together, where the first of them stood."""
    sections: dict[str, list[tuple[int, int, str]]] = {}
    for row, clause in enumerate(clauses):
        begin = _START.match(clause)
        verb, at = (begin[1].upper(), begin.end()) if begin is not None else ("", 0)
        sections.setdefault(verb, []).append((row, at, clause[at:].rstrip()))
    text, pieces = "", []
    for verb, bodies in sections.items():
        text += (" " if text else "") + verb
        for number, (row, in_row, body) in enumerate(bodies):
            text += ", " if number else " " if verb else ""
            pieces.append(Piece(row, in_row, len(text), len(body)))
            text += body
    return Joined(text, tuple(pieces))


def tail_of(clause: str) -> Tail | None:
    """The value at the end of a clause, a sign before it included; None where it ends otherwise, or is nothing else."""
    try:
        words = list(tokens(clause, literals=True))[:-1]
    except InvalidExpression:
        return None
    if len(words) < 3 or (value := words[-1].value) is None:
        return None
    last, before = words[-1], words[:-1]
    if last.kind == "digits" and before[-1].is_symbol("-") and _is_sign(before):
        return Tail(before[-1].span.offset, Number(f"-{last.text}"))
    return Tail(last.span.offset, value)


def _is_sign(before: Sequence[Token]) -> bool:
    """Whether the minus at the end belongs to the number that follows: after a value it takes one from the other."""
    return before[0].is_word("ADD") or before[-2].is_symbol("=", "+", "-", "(", ",")


def with_tail(clause: str, text: str) -> str:
    """The clause with another text in the place of its value."""
    tail = tail_of(clause)
    return clause if tail is None else clause[: tail.start] + text


def written(value: Value) -> str:
    """A value as it stands in an expression that is written out. What is no number is left as it was typed."""
    return value.text if isinstance(value, Number) else WRITTEN_OUT.value(value)
