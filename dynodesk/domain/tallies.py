"""Tally rules: which number on which parent should equal what measure of which children."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.children import SHARD, Children
from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.measures import COUNT, Measure
from dynodesk.domain.patterns import NOTHING_KNOWN, Capture, Captures, KeyPattern, Pattern
from dynodesk.domain.reads import QueryPlan, SortCondition
from dynodesk.domain.tables import Key, KeySchema
from dynodesk.domain.values import EXACT, Item, KeyValue, Number, String, Value, plain_digits, type_word

Writers = Literal["transaction", "two-step", "async"]
Missing = Literal["report", "zero"]
Repairs = Literal["exact", "probable"]

DEFAULT_WAIT: dict[Writers, float] = {"transaction": 30, "two-step": 300, "async": 25 * 3600}
"""Seconds after which nothing that a writer of this class began can be under way: client timeouts times retries for
two calls, the 24 hours that a stream keeps its records for asynchronous ones."""

_DELIMITERS = "#:|/-_.~+,; "

DEFAULT_SETTLE = 2.0
"""Seconds that let a transaction whose parts become visible one after the other finish."""


@dataclass(frozen=True, slots=True)
class TallyRule:
    """One rule of a rules file, checked against the tables it is about."""

    name: str
    table: str
    schema: KeySchema
    parent: KeyPattern
    attribute: AttributePath
    children: Children
    measure: Measure = COUNT
    is_sharded: bool = False
    """Whether the tally is the sum over several items, told apart by `{shard}` in the parent's pattern."""
    shards: tuple[str, ...] = ()
    """What `{shard}` may be where it is part of the parent's partition key; empty: it is not."""
    tolerance: Decimal = Decimal(0)
    """The largest difference, either way, that is not called drift."""
    writers: Writers = "transaction"
    wait: float = DEFAULT_WAIT["transaction"]
    """Seconds (W) after which whatever was in flight has ended."""
    settle: float = DEFAULT_SETTLE
    """Seconds that a committed transaction may take to be visible in all its parts."""
    version: str | None = None
    """Attribute that every writer of the parent raises in the same write, by one for each child that it changes."""
    missing: Missing = "report"
    """Whether a missing tally stands for 0."""
    marker: str | None = None
    """Attribute that a repair may write, to know its own work again."""
    repairs: Repairs = "exact"
    """The weakest verdict that may be repaired."""
    sensitive: tuple[AttributePath, ...] = ()
    """Attributes of its tables whose values are not shown outside the table, though the journal has them."""

    @property
    def words(self) -> str:
        """The rule in one line, as reports print it."""
        shards = "sum over shards of " if self.is_sharded else ""
        if self.measure.kind == "size":
            return f"{self.attribute} on {self.parent} = size of {self.measure.of}"
        table = "" if self.children.table == self.table else f" in {self.children.table}"
        return f"{shards}{self.attribute} on {self.parent} = {self.measure.words} {self.children}{table}"

    @property
    def joined(self) -> frozenset[str]:
        """The captures that parent and children have in common, and that together name one parent."""
        return self.parent.captures - {SHARD} if self.is_sharded else self.parent.captures

    @property
    def tables(self) -> frozenset[str]:
        return frozenset({self.table, self.children.table})

    @property
    def parent_attributes(self) -> frozenset[str]:
        """Everything of a parent that a run looks at, its contents aside."""
        return frozenset({*self.schema.names, self.attribute.names[0], *({self.version} if self.version else ())})

    @property
    def child_attributes(self) -> frozenset[str]:
        return self.children.attributes | self.measure.attributes

    @property
    def not_in_index(self) -> tuple[str, ...]:
        """What is looked at of a child and what the index that the children are behind carries no copy of."""
        index = self.children.index
        if index is None or index.projection.kind == "ALL":
            return ()
        carried = {*self.children.schema.names, *index.key_schema.names, *index.projection.included}
        return tuple(sorted(self.child_attributes - carried))

    # -- the parent

    def parent_captures(self, item: Item) -> dict[str, str] | None:
        """What a parent item gives its children, or None for any other item."""
        captures = self.parent.match(item, self.schema)
        if captures is None or not self.is_sharded:
            return captures
        shard = captures.pop(SHARD)
        return captures if not self.shards or shard in self.shards else None

    def parent_key(self, captures: Captures) -> dict[str, KeyValue]:
        """The key of the parent with these captures; of a sharded one, what the keys of its items share.

        Raises `InvalidValue` where they make no key, or where the keys made of them, the parent's or its children's,
        would be read as those of another parent: so with `1#c2` for the id in `u#{id}#c{n}`.
        """
        key = self.parent_pattern.key(captures, self._parent_schema)
        _check_reads_back(self.parent, self.schema, captures)
        _check_reads_back(self.children.pattern, self.children.key_schema, captures)
        return key

    def captures_of(self, key: Item) -> dict[str, str] | None:
        """The captures of a key as `parent_key` makes it, or None where it is no parent's.

        Raises `InvalidValue` where its values are of other types than the table's key.
        """
        schema = self._parent_schema
        captures = self.parent_pattern.match(key, schema) if set(key) == set(schema.names) else None
        return None if captures is None else self.parent_pattern.match(schema.key_of(key), schema)

    @property
    def parent_pattern(self) -> KeyPattern:
        """What a parent's key looks like; of a sharded one, what the keys of its items share.

        That is the partition key without the delimiter before the shard, `VID#{video}` for `VID#{video}#{shard}`, where
        it names the parent. Else it is the whole key with an asterisk for the shard: `S#*#{video}`.
        """
        if not self.is_sharded:
            return self.parent
        patterns = self.parent.attributes
        shared = KeyPattern({one.name: _before_shard(patterns[one.name]) for one in self.schema.partition})
        if self.joined <= shared.captures and all(part.parts for part in shared.attributes.values()):
            return shared
        return KeyPattern(
            {
                one.name: _without_shard(patterns[one.name])
                for one in self.schema.attributes
                if one.type == "S" or SHARD not in patterns[one.name].captures  # no Number is an asterisk
            }
        )

    @property
    def _parent_schema(self) -> KeySchema:
        if not self.is_sharded:
            return self.schema
        names = self.parent_pattern.attributes
        return KeySchema(tuple(one for one in self.schema.attributes if one.name in names))

    def shard_keys(self, captures: Captures) -> tuple[Key, ...]:
        """The keys of a sharded parent's items, where the rule names the shards."""
        return tuple(self.parent.key({**captures, SHARD: shard}, self.schema) for shard in self.shards)

    def shard_query(self, captures: Captures) -> QueryPlan:
        """The strongly consistent Query for a sharded parent's items, where they are in one partition."""
        partition = {
            attribute.name: attribute.value(self.parent.attributes[attribute.name].fill(captures))
            for attribute in self.schema.partition
        }
        (sort,) = self.schema.sort
        prefix, _ = self.parent.attributes[sort.name].prefix(captures)
        condition = SortCondition("begins_with", String(prefix)) if sort.type == "S" and prefix else None
        return QueryPlan(
            self.table, partition, sort=condition, sort_name=sort.name if condition else "", consistent=True
        )

    def tally(self, parent: Item) -> Tally:
        """What the parent says: the number, or why there is none to compare."""
        value = self.attribute.find(parent)
        if value is None:
            counted_as = Decimal(0) if self.missing == "zero" else None
            return Tally(None, counted_as, f"{self.attribute} is missing")
        if isinstance(value, Number) and value.is_valid:
            return Tally(value, value.value)
        return Tally(value, None, _why_not_a_number(value, str(self.attribute)))

    def tally_of_shards(self, items: Sequence[Item]) -> Tally:
        """What all of a parent's items say together: their sum, or why there is none."""
        total = Decimal(0)
        reason = ""
        stored = False
        for tally in map(self.tally, items):
            if tally.number is None:
                return Tally(tally.stored, None, f"a shard: {tally.reason}")
            total = EXACT.add(total, tally.number)
            stored = stored or tally.stored is not None
            reason = reason or (f"a shard: {tally.reason}" if tally.reason else "")
        return Tally(Number(plain_digits(total)) if stored else None, total, reason)

    # -- the children

    def child_captures(self, item: Item, parent: Captures = NOTHING_KNOWN) -> dict[str, str] | None:
        """What a child item says of its parent; with `parent`, only where it is a child of that one."""
        return self.children.captures(item, parent)


def _before_shard(pattern: Pattern) -> Pattern:
    if Capture(SHARD) not in pattern.parts:
        return pattern
    parts = pattern.parts[: pattern.parts.index(Capture(SHARD))]
    if parts and isinstance(parts[-1], str):
        trimmed = parts[-1].rstrip(_DELIMITERS)
        parts = (*parts[:-1], trimmed) if trimmed else parts[:-1]
    return Pattern.of(parts)


def _without_shard(pattern: Pattern) -> Pattern:
    return Pattern.of("*" if part == Capture(SHARD) else part for part in pattern.parts)


def _check_reads_back(pattern: KeyPattern, schema: KeySchema, captures: Captures) -> None:
    complete = dict.fromkeys(pattern.captures, "x") | dict(captures)
    for attribute in schema.attributes:
        part = pattern.attributes.get(attribute.name)
        if part is None:
            continue
        text = part.fill(complete)
        found = part.match(Number(text).canonical if attribute.type == "N" else text) or {}
        for name in part.captures:
            if name in captures and found.get(name) != captures[name]:
                raise InvalidValue(
                    f"{name} is {captures[name]!r}, and {text!r} as {attribute.name} would be read otherwise",
                    hint=f"Parent and children cannot be joined where {name} holds what comes after it.",
                )


def _why_not_a_number(value: Value, attribute: str) -> str:
    if isinstance(value, Number):
        return f"{attribute} is a Number that no count can be compared with"
    return f"{attribute} is a {type_word(value)}, the rule needs a Number"


@dataclass(frozen=True, slots=True)
class Tally:
    """A tally as read: `stored` as it is in the item, `number` what it counts as, `reason` why it counts as nothing."""

    stored: Value | None
    number: Decimal | None
    reason: str = ""
