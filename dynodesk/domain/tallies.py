"""Tally rules: which number on which parent should equal the count of which children."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.patterns import NOTHING_KNOWN, Captures, KeyPattern
from dynodesk.domain.reads import QueryPlan, SortCondition
from dynodesk.domain.tables import KeySchema
from dynodesk.domain.values import Item, KeyValue, Map, Number, String, Value, type_word

Writers = Literal["transaction", "two-step", "async"]

DEFAULT_WAIT: dict[Writers, float] = {"transaction": 30, "two-step": 300, "async": 25 * 3600}
"""Seconds after which nothing that a writer of this class began can be under way: client timeouts times retries for
two calls, the 24 hours that a stream keeps its records for asynchronous ones."""

DEFAULT_SETTLE = 2.0
"""Seconds that let a transaction whose parts become visible one after the other finish."""


@dataclass(frozen=True, slots=True)
class AttributePath:
    """Where the tally is: one name, or names of nested maps."""

    names: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> AttributePath:
        r"""`stats.likes` is nested, `stats\.likes` is one name. Raises `ValueError` for an empty name."""
        names, current, escaped = [], "", False
        for character in text:
            if escaped:
                current += character if character in ".\\" else "\\" + character
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == ".":
                names.append(current)
                current = ""
            else:
                current += character
        names.append(current + "\\" * escaped)
        if not all(names):
            raise ValueError("an attribute path has an empty name")
        return cls(tuple(names))

    def find(self, item: Item) -> Value | None:
        """The value there, or None where any step is missing or no map."""
        inside: Mapping[str, Value] = item
        for name in self.names[:-1]:
            step = inside.get(name)
            if not isinstance(step, Map):
                return None
            inside = step.entries
        return inside.get(self.names[-1])

    def __str__(self) -> str:
        return ".".join(name.replace("\\", "\\\\").replace(".", "\\.") for name in self.names)


@dataclass(frozen=True, slots=True)
class TallyRule:
    """One rule of a rules file, checked against the table it is about."""

    name: str
    table: str
    schema: KeySchema
    parent: KeyPattern
    attribute: AttributePath
    children: KeyPattern
    writers: Writers = "transaction"
    wait: float = DEFAULT_WAIT["transaction"]
    """Seconds (W) after which whatever was in flight has ended."""
    settle: float = DEFAULT_SETTLE
    """Seconds that a committed transaction may take to be visible in all its parts."""
    version: str | None = None
    """Attribute that every writer of the parent raises in the same write, by one for each child that it changes."""
    missing: Literal["report", "zero"] = "report"
    """Whether a missing tally stands for 0."""

    @property
    def words(self) -> str:
        """The rule in one line, as reports print it."""
        return f"{self.attribute} on {self.parent} = number of {self.children}"

    def parent_key(self, captures: Captures) -> dict[str, KeyValue]:
        """The key of the parent with these captures.

        Raises `InvalidValue` where they make no key, or where the keys made of them, the parent's or its children's,
        would be read as those of another parent: so with `1#c2` for the id in `u#{id}#c{n}`.
        """
        key = self.parent.key(captures, self.schema)
        for pattern in (self.parent, self.children):
            self._check_reads_back(pattern, captures)
        return key

    def _check_reads_back(self, pattern: KeyPattern, captures: Captures) -> None:
        complete = dict.fromkeys(pattern.captures, "x") | dict(captures)
        for attribute in self.schema.attributes:
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

    def parent_captures(self, item: Item) -> dict[str, str] | None:
        """What a parent item gives its children, or None for any other item."""
        return self.parent.match(item, self.schema)

    def child_captures(self, item: Item, parent: Captures = NOTHING_KNOWN) -> dict[str, str] | None:
        """What a child item says of its parent; with `parent`, only where it is a child of that one."""
        return self.children.match(item, self.schema, parent)

    def children_of(self, captures: Captures) -> QueryPlan:
        """The strongly consistent Query that holds all children of one parent and little else.

        Not everything it returns is a child: each item is matched against the pattern still.
        """
        partition = {
            attribute.name: attribute.value(self.children.attributes[attribute.name].fill(captures))
            for attribute in self.schema.partition
        }
        condition, name = None, ""
        for attribute in self.schema.sort:
            pattern = self.children.attributes.get(attribute.name)
            if pattern is None:  # any sort key: the whole item collection
                continue
            prefix, whole = pattern.prefix(captures)
            name = attribute.name
            if attribute.type == "S" and prefix:
                condition = SortCondition("=" if whole else "begins_with", String(prefix))
            elif whole:
                condition = SortCondition("=", attribute.value(prefix))
        sort_name = name if condition else ""
        return QueryPlan(self.table, partition, sort=condition, sort_name=sort_name, consistent=True)

    def tally(self, parent: Item) -> Tally:
        """What the parent says: the number, or why there is none to compare."""
        value = self.attribute.find(parent)
        if value is None:
            counted_as = Decimal(0) if self.missing == "zero" else None
            return Tally(None, counted_as, f"{self.attribute} is missing")
        if isinstance(value, Number) and value.is_valid:
            return Tally(value, value.value)
        return Tally(value, None, _why_not_a_number(value, str(self.attribute)))


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
