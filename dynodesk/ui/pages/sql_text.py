"""SQL as it is typed: its pieces for colours, the statement at a place, the names that are at hand. Nothing is Qt's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["comment", "string", "name", "number", "keyword", "call", "word", "end"]

OPEN = ("", "/*", "'", '"', "$$")
"""What a line may begin within: nothing, a comment, a text, a quoted name, a text between dollars. Its place counts."""

_PIECE = re.compile(
    r"(?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))"
    r"|(?P<string>'(?:[^']|'')*(?:'|\Z)|\$\$.*?(?:\$\$|\Z))"
    r'|(?P<name>"(?:[^"]|"")*(?:"|\Z))'
    r"|(?P<number>\b\d[\d_]*(?:\.\d*)?(?:[eE][+-]?\d+)?)"
    r"|(?P<call>[^\W\d]\w*(?=\s?\())"
    r"|(?P<word>[^\W\d]\w*)"
    r"|(?P<end>;)",
    re.DOTALL,
)
_CLOSED = {
    "/*": re.compile(r"/\*.*?\*/", re.DOTALL),
    "'": re.compile(r"'(?:[^']|'')*'"),
    '"': re.compile(r'"(?:[^"]|"")*"'),
    "$$": re.compile(r"\$\$.*?\$\$", re.DOTALL),
}
_KEYWORDS = """
ALL ALTER ANALYZE AND ANTI ANY AS ASC ASOF BEGIN BETWEEN BY CASE CAST COLUMN COMMIT CREATE CROSS DELETE DESC DESCRIBE
DISTINCT DROP ELSE END EXCEPT EXCLUDE EXISTS EXPLAIN FALSE FILTER FIRST FROM FULL GROUP HAVING IF ILIKE IN INNER INSERT
INTERSECT INTO IS JOIN LAST LATERAL LEFT LIKE LIMIT NATURAL NOT NULL NULLS OFFSET ON OR ORDER OUTER OVER PARTITION PIVOT
QUALIFY RECURSIVE REPLACE RIGHT ROLLBACK ROWS SAMPLE SELECT SEMI SET SHOW SUMMARIZE TABLE TABLES TEMP THEN TRUE TRY_CAST
UNION UNPIVOT UPDATE USING VALUES VIEW WHEN WHERE WINDOW WITH
"""
KEYWORDS = frozenset(_KEYWORDS.split())


@dataclass(frozen=True, slots=True)
class Piece:
    kind: Kind
    start: int
    end: int


def pieces(text: str, keywords: frozenset[str] = KEYWORDS) -> Iterator[Piece]:
    """Everything in the text that has a colour or an end."""
    for found in _PIECE.finditer(text):
        kind = found.lastgroup
        if kind in ("word", "call") and found[0].upper() in keywords:
            kind = "keyword"
        yield Piece(_as_kind(kind), found.start(), found.end())


def _as_kind(name: str | None) -> Kind:
    match name:
        case "comment" | "string" | "name" | "number" | "keyword" | "call" | "end":
            return name
        case _:
            return "word"


def open_after(text: str) -> str:
    """Which of `OPEN` the text ends within."""
    last = None
    for last in _PIECE.finditer(text):  # noqa: B007  (the last one is wanted)
        pass
    if last is None or last.end() < len(text):
        return ""
    for opener, closed in _CLOSED.items():
        if last[0].startswith(opener) and not closed.fullmatch(last[0]):
            return opener
    return ""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of the text that is to be run."""

    start: int
    text: str


def statement_at(text: str, place: int) -> Stretch | None:
    """The statement that the place is in, or the one before where it is behind the last; None: there is none."""
    found: Stretch | None = None
    for stretch in _statements(text):
        if stretch.start > place and found is not None:
            line_of_place = text.count("\n", 0, place)
            # Right behind a semicolon, the statement that it ends is meant; on a line of its own, the next.
            return found if line_of_place == text.count("\n", 0, found.start + len(found.text)) else stretch
        found = stretch
        if place <= stretch.start + len(stretch.text):
            return stretch
    return found


def _statements(text: str) -> Iterator[Stretch]:
    start, has_code = 0, False
    for piece in pieces(text):
        if piece.kind == "end":
            if has_code:
                yield _trimmed(text, start, piece.end)
            start, has_code = piece.end, False
        elif piece.kind != "comment":
            has_code = True
    if has_code:
        yield _trimmed(text, start, len(text))


def below(text: str) -> str:
    """What has to stand behind the text so that another statement can follow: the end of its last one, empty lines."""
    found = list(pieces(text))
    if not text.strip():
        return ""
    code = [piece.kind for piece in found if piece.kind != "comment"]
    if not code or code[-1] == "end":
        return "\n\n"
    return "\n;\n\n" if found[-1].kind == "comment" else ";\n\n"


def _trimmed(text: str, start: int, end: int) -> Stretch:
    body = text[start:end]
    return Stretch(start + len(body) - len(body.lstrip()), body.strip())


def at_its_line(text: str, stretch: Stretch) -> str:
    """The stretch with as many empty lines before it as there are in the text: so faults name the text's own lines."""
    return "\n" * text.count("\n", 0, stretch.start) + stretch.text


def line_in(message: str) -> int | None:
    """The line, from 1, that a fault names at its start."""
    found = re.match(r"(?:statement \d+, )?line (\d+): ", message)
    return int(found[1]) if found else None


def bare_or_quoted(name: str) -> str:
    """A name as it may stand in SQL."""
    plain = re.fullmatch(r"[A-Za-z_]\w*", name) and name.upper() not in KEYWORDS
    return name if plain else '"' + name.replace('"', '""') + '"'
