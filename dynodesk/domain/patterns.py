"""Key patterns: literal text with `{captures}`, matched against the whole value.

A capture takes one or more characters. Followed by literal text it stops at that text's first occurrence; at the end of
the pattern it takes the rest. There is no backtracking, no wildcard and no other syntax, so a pattern does what it says
when read aloud: `LIKE#{user}` on `LIKE#USER#7c20` gives user = `USER#7c20`. Two braces stand for one brace.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.tables import KeySchema
from dynodesk.domain.values import Item, KeyValue, Number, String

_TOKEN = re.compile(r"(?P<escaped>\{\{|\}\})|\{(?P<name>[^{}]*)\}|(?P<stray>[{}])|(?P<text>[^{}]+)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Captures = Mapping[str, str]
NOTHING_KNOWN: Captures = {}


@dataclass(frozen=True, slots=True)
class Capture:
    name: str


@dataclass(frozen=True, slots=True)
class Pattern:
    """One value's pattern: texts and captures in turn, never two captures without text between them."""

    text: str
    parts: tuple[str | Capture, ...]

    @classmethod
    def parse(cls, text: str) -> Pattern:
        """Raises `InvalidValue` naming what cannot be read or would be ambiguous."""
        parts: list[str | Capture] = []
        for token in _TOKEN.finditer(text):
            if token["stray"]:
                raise InvalidValue(
                    f"a brace stands alone in {text!r}", hint="A capture is {name}; a brace itself is written twice."
                )
            if token["name"] is None:
                literal = token["text"] or token["escaped"][0]
                if parts and isinstance(parts[-1], str):
                    parts[-1] += literal
                else:
                    parts.append(literal)
                continue
            if not _NAME.fullmatch(token["name"]):
                raise InvalidValue(
                    f"{{{token['name']}}} in {text!r} is not a capture",
                    hint="A capture's name has letters, digits and underscores and does not start with a digit.",
                )
            if parts and isinstance(parts[-1], Capture):
                raise InvalidValue(
                    f"in {text!r} nothing stands between {{{parts[-1].name}}} and {{{token['name']}}}: "
                    f"with 1 for the first, what belongs to 12 would match too",
                    hint="Put the delimiter of the keys between them.",
                )
            parts.append(Capture(token["name"]))
        if not parts:
            raise InvalidValue("an empty pattern matches nothing: a key is never empty")
        return cls(text, tuple(parts))

    @classmethod
    def of(cls, parts: Iterable[str | Capture]) -> Pattern:
        """The pattern of these parts; texts that follow each other become one."""
        merged: list[str | Capture] = []
        for part in parts:
            if isinstance(part, str) and merged and isinstance(merged[-1], str):
                merged[-1] += part
            else:
                merged.append(part)
        text = "".join(
            f"{{{part.name}}}" if isinstance(part, Capture) else part.replace("{", "{{").replace("}", "}}")
            for part in merged
        )
        return cls(text, tuple(merged))

    @property
    def captures(self) -> tuple[str, ...]:
        return tuple(part.name for part in self.parts if isinstance(part, Capture))

    @property
    def first_literal(self) -> str:
        """The text before the first capture; empty where the pattern starts with one."""
        return self.parts[0] if isinstance(self.parts[0], str) else ""

    def match(self, text: str, known: Captures = NOTHING_KNOWN) -> dict[str, str] | None:
        """The captures that make `text` match, with those already known; None where it does not match.

        A capture that is known already, from `known` or from further left, stands for that text.
        """
        found = dict(known)
        at = 0
        for i, part in enumerate(self.parts):
            if isinstance(part, str):
                if not text.startswith(part, at):
                    return None
                at += len(part)
                continue
            if part.name in found:
                if not text.startswith(found[part.name], at):
                    return None
                at += len(found[part.name])
                continue
            following = self.parts[i + 1] if i + 1 < len(self.parts) else None
            end = len(text) if following is None else text.find(cast("str", following), at + 1)
            if end <= at:
                return None
            found[part.name] = text[at:end]
            at = end
        return found if at == len(text) else None

    def fill(self, captures: Captures) -> str:
        """The text with every capture replaced. Raises `KeyError` for one that is not given."""
        return "".join(part if isinstance(part, str) else captures[part.name] for part in self.parts)

    def prefix(self, captures: Captures) -> tuple[str, bool]:
        """The text up to the first capture that is not given, and whether that is the whole pattern."""
        filled: list[str] = []
        for part in self.parts:
            if isinstance(part, Capture) and part.name not in captures:
                return "".join(filled), False
            filled.append(part if isinstance(part, str) else captures[part.name])
        return "".join(filled), True


@dataclass(frozen=True, slots=True)
class KeyPattern:
    """Patterns for key attributes, by name. Matching is exact on type: the String "1" is not the Number 1."""

    attributes: Mapping[str, Pattern]

    def __str__(self) -> str:
        return " / ".join(f"{name} {pattern.text}" for name, pattern in self.attributes.items())

    @property
    def captures(self) -> frozenset[str]:
        return frozenset(name for pattern in self.attributes.values() for name in pattern.captures)

    def match(self, item: Item, schema: KeySchema, known: Captures = NOTHING_KNOWN) -> dict[str, str] | None:
        """The captures that make an item of a table with this schema match; None where it does not."""
        captures: dict[str, str] | None = dict(known)
        for attribute in schema.attributes:
            pattern = self.attributes.get(attribute.name)
            if pattern is None:
                continue
            text = key_text(item.get(attribute.name))
            captures = None if text is None else pattern.match(text, captures or {})
            if captures is None:
                return None
        return captures

    def key(self, captures: Captures, schema: KeySchema) -> dict[str, KeyValue]:
        """The whole key with every capture filled in.

        Raises `InvalidValue` where the text cannot be a key of the schema (text for a Number key, an empty or
        oversized key), `KeyError` where a capture is not given.
        """
        key = {
            attribute.name: attribute.value(self.attributes[attribute.name].fill(captures))
            for attribute in schema.attributes
        }
        schema.check(key)
        return key


def key_text(value: object) -> str | None:
    """What a pattern sees of a key value: a String's text, a Number's canonical text; nothing of a Binary."""
    if isinstance(value, String):
        return value.text
    if isinstance(value, Number) and value.is_valid:
        return value.canonical
    return None
