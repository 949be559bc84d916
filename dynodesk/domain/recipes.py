"""Recipes: requests that programs need again and again, fitted to the table that is open.

Each says what has to be filled in, proposes it from the table's keys, its items and the open rules, and makes the
request of it. Names of attributes and forms of keys come from there, none is taken for granted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dynodesk.domain.actions import ComposedRequest
from dynodesk.domain.recipe_counters import (
    INCREMENT_FIELDS,
    OBSERVED_FIELDS,
    SHARD_FIELDS,
    SHARD_READ_FIELDS,
    VERSION_FIELDS,
    guess_increment,
    guess_observed,
    guess_shard_read,
    guess_shards,
    guess_versioned,
    make_add,
    make_observed,
    make_set,
    make_shard_read,
    make_sharded,
    make_versioned,
    shard_warning,
    sharded_total,
)
from dynodesk.domain.recipe_fields import Field, FieldValue, FieldValues, Filled, InvalidField, TypedText
from dynodesk.domain.recipe_follows import FOLLOW_FIELDS, guess_follow, make_follow
from dynodesk.domain.recipe_guesses import Seen
from dynodesk.domain.recipe_likes import (
    BESIDE,
    LIKE_FIELDS,
    example_of_me,
    guess_like,
    guess_unlike,
    make_like,
    make_unlike,
)
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.values import Item

__all__ = ["RECIPES", "Field", "FieldValue", "FieldValues", "InvalidField", "Recipe", "TypedText", "sharded_total"]


LOOKED_AT = 2_000
"""Items that tell what a table's keys look like: less than a tenth of a second."""


def _nothing(_of: object) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Recipe:
    name: str
    title: str
    summary: str
    """What it does, in a sentence."""
    trade_off: str
    """What it protects from and what it does not, and what it costs."""
    fields: tuple[Field, ...]
    guess: Callable[[Seen], dict[str, FieldValue]]
    make: Callable[[Filled], ComposedRequest]
    warn: Callable[[Filled], str] = _nothing
    example: Callable[[Seen], str] = _nothing

    def suggest(
        self, table: TableInfo, items: Sequence[Item], rules: Sequence[TallyRule] = (), now: float | None = None
    ) -> dict[str, FieldValue]:
        """A value for each field, as good as the table says. `items` begin with the selected one.

        What only a person knows is empty: who acts, and all that nothing tells. `now` is in seconds since 1970.
        """
        found = self.guess(_seen(table, items, rules, now))
        return {field.name: found[field.name] for field in self.fields}

    def example_of_me(self, table: TableInfo, items: Sequence[Item], rules: Sequence[TallyRule] = ()) -> str:
        """How the one who acts is written in this table, by an item that is there; "" where none is known."""
        return self.example(_seen(table, items, rules, None))

    def compose(self, values: FieldValues) -> ComposedRequest:
        """Raises `InvalidField` for the first field that is empty or cannot be used."""
        return self.make(Filled(self.fields, values))

    def warning(self, values: FieldValues) -> str:
        """What can be sent but may not be meant; "" where there is nothing to say."""
        return self.warn(Filled(self.fields, values))


def _seen(table: TableInfo, items: Sequence[Item], rules: Sequence[TallyRule], now: float | None) -> Seen:
    return Seen(table, _looked_at(table, items), tuple(rules), time.time() if now is None else now)


def _looked_at(table: TableInfo, items: Sequence[Item]) -> tuple[Item, ...]:
    """Of many items some: the selected one and those of its partition, then of all others every so many."""
    if len(items) <= LOOKED_AT:
        return tuple(items)
    name = table.key_schema.partition[0].name
    beside = [item for item in items if item.get(name) == items[0].get(name)][: LOOKED_AT // 2]
    others = [item for item in items if item.get(name) != items[0].get(name)]
    return (*beside, *others[:: max(1, -(-len(others) // (LOOKED_AT - len(beside))))])


_RETRIED = (
    "Sent again after a lost answer it counts twice: within a transaction a token prevents that, at twice the units."
)

RECIPES: tuple[Recipe, ...] = (
    Recipe(
        "like",
        "Like, with guards",
        "Puts a child that is not there yet and raises its parent's tally, both or neither.",
        "A second like is refused, so nothing counts twice; a like of what was deleted is refused, so no item is made "
        "that has nothing but a tally. A transaction takes twice the write units, and two at once on one parent refuse "
        "each other: a tally that everybody writes is better sharded.",
        (*LIKE_FIELDS, BESIDE),
        guess_like,
        make_like,
        example=example_of_me,
    ),
    Recipe(
        "unlike",
        "Unlike, with guards",
        "Deletes a child that is there and lowers its parent's tally, both or neither.",
        "Without the guard on the child, a second unlike would lower the tally again, down to below zero. A version is "
        "raised here as well: it only ever rises. A transaction takes twice the write units.",
        LIKE_FIELDS,
        guess_unlike,
        make_unlike,
        example=example_of_me,
    ),
    Recipe(
        "follow",
        "Follow, once",
        "Puts the edge between two items and raises following of one and followers of the other, all or nothing.",
        "However often it is sent, it counts once: where the edge is there it is refused. All items are of one "
        "transaction, at twice the write units; one that thousands follow at once refuses many of them.",
        FOLLOW_FIELDS,
        guess_follow,
        make_follow,
    ),
    Recipe(
        "increment-add",
        "Increment with ADD",
        "Adds to a number where it is stored; a missing number starts from 0.",
        "No write is lost, however many come at once, and nothing has to be read before. ADD takes attributes that are "
        f"not within others only. {_RETRIED}",
        INCREMENT_FIELDS,
        guess_increment,
        make_add,
    ),
    Recipe(
        "increment-set",
        "Increment with SET",
        "Adds to a number with SET and if_not_exists, which names what a missing number starts from.",
        "No write is lost, as with ADD. It also raises a number within a map, can start from another value than 0, and "
        f"without if_not_exists refuses where the number is missing. {_RETRIED}",
        INCREMENT_FIELDS,
        guess_increment,
        make_set,
    ),
    Recipe(
        "update-observed",
        "Update if still as seen",
        "Changes an attribute if it still has the value that was seen.",
        "It overwrites nobody's change of this attribute, and sent twice it is done once. It does not see changes of "
        "other attributes, nor a value that was changed and changed back. Where many write, most are refused and have "
        "to look again: an increment does not.",
        OBSERVED_FIELDS,
        guess_observed,
        make_observed,
    ),
    Recipe(
        "update-version",
        "Update if the version is as seen",
        "Changes an attribute and raises the version by one, if the version still is what was seen.",
        "It overwrites no change of the item at all, as long as every writer raises the version; one that does not "
        "goes unseen. Sent twice it is done once. Writers of different attributes refuse each other, too.",
        VERSION_FIELDS,
        guess_versioned,
        make_versioned,
    ),
    Recipe(
        "sharded-increment",
        "Sharded increment",
        "Adds to one of several items, picked by chance, that are one counter together.",
        "Each shard in a partition of its own takes 1,000 writes a second, so a counter takes as many times that as it "
        "has shards; its number is the sum, which takes as many reads. A shard that is missing is made by its first "
        f"increment, so there is no guard. {_RETRIED}",
        SHARD_FIELDS,
        guess_shards,
        make_sharded,
        shard_warning,
    ),
    Recipe(
        "sharded-read",
        "Read a sharded counter",
        "Reads all shards of a counter as of one instant: their sum is its number.",
        "The sum is exact: no increment is half in it. It takes twice the read units, is refused while one of the "
        "shards is written by a transaction, and reads up to 100 shards. Single reads cost less and may be off "
        "by what is written meanwhile.",
        SHARD_READ_FIELDS,
        guess_shard_read,
        make_shard_read,
    ),
)
