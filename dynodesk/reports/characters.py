"""Characters that cannot be seen, or that change how their neighbours are shown.

Control characters drive terminals, marks of direction turn a key round, invisible characters make two keys look alike.
Readers of a report must see that they are there; programs that read one must get them back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

_FILLERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters and a Braille pattern by their class, and blank
_SPELLINGS = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "\u2421"}


def visible(text: str) -> str:
    """The text on one line with each such character shown by its symbol (`␀`) or its code (`⟨U+202E⟩`)."""
    return "".join(_shown(text)) if _has_unseen(text) else text


def visible_in(text: str, has: Callable[[str], bool]) -> str:
    """The same where not every character has a glyph: what has none is shown by its code."""
    return "".join(_drawn(char, has) for char in text)


def visible_lines(text: str) -> str:
    """The same for code: the breaks between its lines stay."""
    return "\n".join(map(visible, text.split("\n")))


def json_text(decoded: object) -> str:
    """Compact JSON in which such characters are escapes: harmless on a terminal, and the same value when read back."""
    text = json.dumps(decoded, ensure_ascii=False)
    if not _has_unseen(text):
        return text
    return "".join(char if _is_seen(char) else json.dumps(char)[1:-1] for char in text)


def _shown(text: str) -> Iterator[str]:
    for char in text:
        yield char if _is_seen(char) else _SPELLINGS.get(ord(char)) or _code(char)


def _drawn(char: str, has: Callable[[str], bool]) -> str:
    shown = visible(char)
    return shown if all(map(has, shown)) else _code(char)


def _code(char: str) -> str:
    return f"⟨U+{ord(char):04X}⟩"


def _is_seen(char: str) -> bool:
    return char.isprintable() and char not in _FILLERS


def _has_unseen(text: str) -> bool:
    return not text.isprintable() or not (text.isascii() or _FILLERS.isdisjoint(text))
