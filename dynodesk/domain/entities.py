"""Which kind of thing an item is, read off its keys: by rules that a person gave, else by what is usual.

Single-table designs write the kind before the first delimiter of a key: `LIKE#USER#7c20` is a LIKE.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.patterns import Capture, KeyPattern, Pattern, key_text
from dynodesk.domain.tables import KeySchema
from dynodesk.domain.values import Item, String, Value

DELIMITERS = "#|/:"
LONGEST_WORD = 24
"""Characters. The word stands before the key in every row."""
_PREFIX = re.compile(rf"([A-Za-z][A-Za-z0-9_-]{{0,23}})[{re.escape(DELIMITERS)}]")


@dataclass(frozen=True)
class EntityRule:
    """Items whose keys match the patterns are of the type `word`. Rules with one word are one type."""

    word: str
    patterns: tuple[tuple[str, str], ...]
    """Key attributes of the base table, each with the text of its pattern: all have to match."""
    tint: str = ""
    """The name of a colour; "": one that goes with the word."""

    @classmethod
    def of(cls, word: str, patterns: Mapping[str, str], tint: str = "") -> EntityRule:
        """Raises `InvalidValue` for a word or pattern that cannot be; patterns without text are left out."""
        word = word.strip()
        if not word or len(word) > LONGEST_WORD or not word.isprintable():
            raise InvalidValue(f"a type needs a word of 1 to {LONGEST_WORD} characters that can be seen")
        given = tuple((name, text) for name, text in patterns.items() if text)
        if not given:
            raise InvalidValue(f"{word} has no pattern", hint="Give one for a key, such as LIKE#{user}.")
        made = cls(word, given, tint)
        _ = made.keys  # raises for a pattern that cannot be read
        return made

    @cached_property
    def keys(self) -> KeyPattern:
        return KeyPattern({name: Pattern.parse(text) for name, text in self.patterns})

    def pattern(self, attribute: str) -> str:
        return dict(self.patterns).get(attribute, "")

    def is_about(self, attribute: str, schema: KeySchema) -> bool:
        """Whether the rule is asked when this attribute is looked at: its first one, the sort key before the rest."""
        names = [own.name for own in (*schema.sort, *schema.partition)]
        known = dict(self.patterns)
        return all(name in names for name in known) and next((n for n in names if n in known), "") == attribute


@dataclass(frozen=True)
class EntityTypes:
    """The rules of a table, in the order in which they are tried.

    The sort key decides, by a rule or by what is usual; where it says nothing, the partition key does.
    """

    rules: tuple[EntityRule, ...] = ()

    def rule_of(self, item: Item, schema: KeySchema) -> EntityRule | None:
        """The rule that says what the item is, or one made of what is usual; None where the keys say nothing.

        `schema` is that of the base table: an index may key the same item by anything.
        """
        for attribute in (*schema.sort, *schema.partition):
            for rule in self.rules:
                if rule.is_about(attribute.name, schema) and rule.keys.match(item, schema) is not None:
                    return rule
            found = _PREFIX.match(_text(item.get(attribute.name)))
            if found is not None:
                return _usual(attribute.name, found[0])
        return None

    def word_of(self, item: Item, schema: KeySchema) -> str:
        """By what is usual, `LIKE` for the sort key `LIKE#USER#7c20`, `POST` for `META` under `POST#a91f`."""
        found = self.rule_of(item, schema)
        return "" if found is None else found.word

    def word_of_collection(self, first_key: Value | None, schema: KeySchema) -> str:
        """The type that a collection is named for, by the first value of its partition key in any view.

        What a rule says of a partition key counts for this value too, wherever it stands: `USER#7c20` is a USER in an
        index as well.
        """
        text = key_text(first_key)
        if text is None:
            return ""
        names = {attribute.name for attribute in schema.partition}
        for rule in self.rules:
            if any(name in names and rule.keys.attributes[name].match(text) is not None for name, _ in rule.patterns):
                return rule.word
        found = _PREFIX.match(text)
        return "" if found is None else found[1].upper()

    def tint_of(self, word: str) -> str:
        return next((rule.tint for rule in self.rules if rule.word == word and rule.tint), "")

    def counts(self, items: Iterable[Item], schema: KeySchema) -> Counter[EntityRule]:
        """How many of the items are of each type, by the rule that says so; usual types too."""
        return Counter(found for item in items if (found := self.rule_of(item, schema)) is not None)

    def to_json(self) -> list[object]:
        return [{"word": rule.word, "keys": dict(rule.patterns), "tint": rule.tint} for rule in self.rules]

    @staticmethod
    def from_json(written: object) -> EntityTypes:
        """What was written by `to_json`; a rule that cannot be read is left out."""
        rules = [_rule_from(entry) for entry in written] if isinstance(written, list) else []
        return EntityTypes(tuple(rule for rule in rules if rule is not None))


def _rule_from(entry: object) -> EntityRule | None:
    match entry:
        case {"word": str(word), "keys": dict(keys), "tint": str(tint)}:
            try:
                return EntityRule.of(word, {str(name): str(text) for name, text in keys.items()}, tint)
            except InvalidValue:
                return None
        case _:
            return None


@lru_cache(maxsize=1_000)
def _usual(attribute: str, prefix: str) -> EntityRule:
    """What stands before the first delimiter as a rule: `LIKE#{like}`."""
    word = prefix[:-1]
    pattern = Pattern.of((prefix, Capture(word.lower().replace("-", "_"))))
    return EntityRule(word.upper(), ((attribute, pattern.text),))


def is_parent(item: Item, schema: KeySchema) -> bool:
    """Whether the item describes its collection instead of being one of many in it.

    Its sort key is one word without a delimiter (`META`), or repeats the partition key. A table without a sort key
    has collections of one item: no parents.
    """
    if not schema.sort or len(schema.partition) != 1:
        return False
    sort = _text(item.get(schema.sort[0].name))
    if not sort:
        return False
    return not any(mark in sort for mark in DELIMITERS) or sort == _text(item.get(schema.partition[0].name))


def _text(value: Value | None) -> str:
    return value.text if isinstance(value, String) else ""
