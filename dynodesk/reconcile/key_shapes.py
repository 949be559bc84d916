"""What the keys of a sample look like: texts that stay, and captures for what differs from item to item.

`POST#a91f` beside `POST#0c4e` is `POST#{post}`; `META` under many partition keys stays `META`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from dynodesk.domain.entities import DELIMITERS
from dynodesk.domain.patterns import Capture, KeyPattern, Pattern
from dynodesk.domain.tables import KeyAttribute, KeySchema
from dynodesk.domain.values import Item, Number, String

_SPLIT = re.compile(f"([{re.escape(DELIMITERS)}])")
_WORD = re.compile(r"[A-Za-z][A-Za-z_-]{0,30}")
MOST_WORDS = 5
"""Different texts without a delimiter that one attribute may hold before they are taken for names, not for words."""


@dataclass(slots=True)
class Shape:
    """Items whose keys look alike."""

    pattern: KeyPattern
    items: list[Item] = field(default_factory=list)
    captures: list[dict[str, str]] = field(default_factory=list)
    """Of each item, in order."""


def shapes(items: Sequence[Item], schema: KeySchema) -> list[Shape]:
    """The items that have all key attributes, as text or numbers, by what their keys look like; largest first."""
    readers = {attribute: _Texts(attribute, items) for attribute in schema.attributes}
    found: dict[str, Shape] = {}
    for item in items:
        patterns: dict[str, Pattern] = {}
        for attribute, texts in readers.items():
            text = key_text(item, attribute)
            if text is None:
                break
            patterns[attribute.name] = texts.pattern(
                text, taken=[p for known in patterns.values() for p in known.captures]
            )
        else:
            pattern = KeyPattern(patterns)
            captures = pattern.match(item, schema)
            if captures is not None:
                shape = found.setdefault(str(pattern), Shape(pattern))
                shape.items.append(item)
                shape.captures.append(captures)
    return sorted(found.values(), key=lambda shape: -len(shape.items))


def key_text(item: Item, attribute: KeyAttribute) -> str | None:
    value = item.get(attribute.name)
    if attribute.type == "S" and isinstance(value, String):
        return value.text
    if attribute.type == "N" and isinstance(value, Number) and value.is_valid:
        return value.canonical
    return None


class _Texts:
    """One key attribute over all items: which of its parts are words."""

    def __init__(self, attribute: KeyAttribute, items: Iterable[Item]) -> None:
        self._name = attribute.name
        self._whole: Counter[str] = Counter()
        self._after: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """What follows a beginning, up to the next delimiter, and how often."""
        for item in items:
            text = key_text(item, attribute)
            if text is None:
                continue
            pieces = _SPLIT.split(text)
            if len(pieces) == 1:
                self._whole[text] += 1
            for at in range(0, len(pieces) - 1, 2):
                self._after["".join(pieces[:at])][pieces[at]] += 1

    def pattern(self, text: str, taken: Sequence[str]) -> Pattern:
        pieces = _SPLIT.split(text)
        parts: list[str | Capture] = []
        names = list(taken)

        def capture(word: str) -> None:
            name = _name(word)
            while name in names:
                name = f"{name}_{names.count(name) + 1}" if not name[-1].isdigit() else f"{name}x"
            names.append(name)
            parts.append(Capture(name))

        if len(pieces) == 1:
            if self._is_word(text):
                return Pattern.of([text])
            capture(self._name)
            return Pattern.of(parts)
        last_word = self._name
        for at in range(0, len(pieces), 2):
            piece = pieces[at]
            if at == len(pieces) - 1 or not self._stays("".join(pieces[:at]), piece):
                # Nothing follows that could be a word: what is left is one capture, and an empty rest is none.
                if piece:
                    capture(last_word)
            else:
                parts.append(piece)
                last_word = piece
            if at + 1 < len(pieces):
                parts.append(pieces[at + 1])
        return Pattern.of(parts)

    def _is_word(self, text: str) -> bool:
        return bool(_WORD.fullmatch(text)) and len(self._whole) <= MOST_WORDS and self._whole[text] > 1

    def _stays(self, before: str, piece: str) -> bool:
        if not _WORD.fullmatch(piece):
            return False
        beside = self._after[before]
        return before == "" or (len(beside) <= MOST_WORDS and beside[piece] >= 4)


def _name(word: str) -> str:
    name = re.sub(r"[^A-Za-z0-9_]", "_", word).strip("_").lower()
    return name if name and not name[0].isdigit() else f"x{name}"


def renamed(pattern: KeyPattern, names: Mapping[str, str]) -> KeyPattern:
    """The same pattern with other names for captures."""

    def part(one: str | Capture) -> str | Capture:
        return Capture(names.get(one.name, one.name)) if isinstance(one, Capture) else one

    return KeyPattern({name: Pattern.of([part(one) for one in of.parts]) for name, of in pattern.attributes.items()})


def shortened(pattern: Pattern) -> Pattern:
    """`LIKE#{user}` for `LIKE#USER#{user}`: the first word, and one capture for the rest, with the last one's name."""
    literal = pattern.first_literal
    if not literal or not pattern.captures:
        return pattern
    cut = _SPLIT.split(literal)
    if len(cut) < 3:
        return pattern
    return Pattern.of([cut[0] + cut[1], Capture(pattern.captures[-1])])
