"""What the open rules file says of a recipe's fields: which children a tally counts, and which shards it has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dynodesk.domain.patterns import NOTHING_KNOWN, Capture, Captures, KeyPattern
from dynodesk.domain.recipe_fields import ME, Typed, TypedText, literal
from dynodesk.domain.recipe_guesses import Seen, beside_key
from dynodesk.domain.spelled_text import spelled
from dynodesk.domain.tables import KeySchema
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.values import Item


@dataclass(frozen=True, slots=True)
class RuleMatch:
    """A rule about the open table, and what names the parent that the selected item is, or belongs to."""

    rule: TallyRule
    captures: Captures
    """Empty where no item is of the rule."""

    @property
    def parent(self) -> Typed:
        return typed_pattern(self.rule.parent, self.rule.schema, self.captures)

    @property
    def me(self) -> str:
        """The part of the children's keys that tells one from another of the same parent; "" where none does."""
        names = [name for pattern in self.rule.children.pattern.attributes.values() for name in pattern.captures]
        return next((name for name in reversed(names) if name not in self.rule.joined), "")

    @property
    def child(self) -> Typed:
        return typed_pattern(self.rule.children.pattern, self.rule.children.schema, self.captures, {self.me: ME})

    def sample(self, seen: Seen) -> tuple[Item, Captures] | None:
        """A child that counts, one of this parent first, and what is in its key."""
        if self.rule.children.table != seen.table.name:
            return None
        for known in (self.captures, NOTHING_KNOWN):
            for item in seen.items:
                found = self.rule.child_captures(item, known)
                if found is not None and self.rule.children.counts(item, seen.now):
                    return item, found
        return None

    def beside(self, seen: Seen) -> Typed:
        """What a new child has beside its key, by one that is there."""
        sample = self.sample(seen)
        if sample is None:
            return ()
        item, found = sample
        swaps = {spelled(text): literal(spelled(self.captures.get(name, text))) for name, text in found.items()}
        for pattern in self.rule.parent.attributes.values():  # an index names the parent by its key
            if set(pattern.captures) <= set(found) & set(self.captures):
                swaps[spelled(pattern.fill(found))] = literal(spelled(pattern.fill(self.captures)))
        if self.me in found:
            swaps[spelled(found[self.me])] = ME
        return beside_key(seen, item, swaps)

    def example(self, seen: Seen) -> str:
        """What stands for `{me}` in the key of a child that is there; "" where none is known."""
        sample = self.sample(seen)
        return "" if sample is None else spelled(sample[1].get(self.me, ""))

    def actor(self, item: Item, table: str) -> str:
        """Whose child an item is; "" where it is none, or of another parent."""
        found = self.rule.child_captures(item, self.captures) if table == self.rule.children.table else None
        return "" if found is None else spelled(found.get(self.me, ""))


def rule_for(seen: Seen, *, sharded: bool) -> RuleMatch | None:
    """The rule that fits the selected item best: one that counts items which are found by their own key."""
    found = [
        rule
        for rule in seen.rules
        if rule.is_sharded == sharded
        and seen.table.name in rule.tables
        and rule.measure.kind == "count"
        and rule.children.index is None
    ]
    for item in seen.items:
        for rule in found:
            captures = _parent_of(rule, item, seen.table.name)
            if captures is not None:
                return RuleMatch(rule, captures)
    return RuleMatch(found[0], NOTHING_KNOWN) if found else None


def tally_of(seen: Seen) -> TallyRule | None:
    """The rule whose parent the selected item is, whatever it counts."""
    for rule in seen.rules:
        if rule.table == seen.table.name and seen.selected and rule.parent_captures(seen.selected) is not None:
            return rule
    return None


def _parent_of(rule: TallyRule, item: Item, table: str) -> Captures | None:
    """What an item says of its parent, whichever of both it is."""
    if rule.table == table and (found := rule.parent_captures(item)) is not None:
        return found
    if rule.children.table == table and (found := rule.child_captures(item)) is not None:
        return {name: text for name, text in found.items() if name in rule.joined}
    return None


def typed_pattern(
    pattern: KeyPattern, schema: KeySchema, captures: Captures, places: Mapping[str, str] = NOTHING_KNOWN
) -> Typed:
    """The key with what is known filled in; the text of an attribute with anything else in it is empty.

    An attribute that may be anything is `{me}`.
    """
    rows = []
    for attribute in schema.attributes:
        parts = pattern.attributes[attribute.name].parts if attribute.name in pattern.attributes else (Capture("me"),)
        known = {name: literal(spelled(text)) for name, text in captures.items()} | dict(places)
        if attribute.name not in pattern.attributes:
            known["me"] = ME
        whole = all(isinstance(part, str) or part.name in known for part in parts)
        texts = [literal(spelled(part)) if isinstance(part, str) else known.get(part.name, "") for part in parts]
        rows.append(TypedText(attribute.name, attribute.type, "".join(texts) if whole else ""))
    return tuple(rows)
