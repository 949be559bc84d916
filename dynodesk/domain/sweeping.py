"""Whole tables grouped by rule: one object for a parent, and none for an item, in front of the engine.

`workbench` provides it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from dynodesk.domain.measures import Amount
from dynodesk.domain.pacing import Pace
from dynodesk.domain.patterns import Captures, KeyPattern
from dynodesk.domain.progress import Ticket
from dynodesk.domain.tallies import Tally, TallyRule


@dataclass(frozen=True, slots=True)
class SweptParent:
    """What one Scan, or one of each table, saw of a parent and its children."""

    captures: Captures
    """The rule's `joined` captures."""
    tally: Tally | None
    """None: no such item was seen, only children that belong to it. Not looked at by `pass_over`."""
    amount: Amount
    """What the measure comes to: 0 where no child was seen."""
    problem: str = ""
    """Why the children cannot be measured, if so."""
    digest: str = ""
    """By `pass_over` alone: equal for passes that saw the same children."""


@dataclass(frozen=True, slots=True)
class SweptRule:
    """One rule's share of a sweep."""

    rule: TallyRule
    parents: int
    """Parents seen, those that only their children speak of included."""
    off: tuple[SweptParent, ...]
    """Those that look off; where everyone was asked for, all of them."""
    unlike: tuple[KeyPattern, ...]
    """The sides of the rule that no item is on: nobody wrote one yet, or the rule has another key than they."""
    since: str = field(default="", compare=False)
    """When the first page was read, UTC, ISO 8601: before the run, where its tables were kept from an earlier one."""


class TableSweeper(Protocol):
    """Raises `Cancelled`, `BudgetSpent` and what `PageReader` raises; `DamagedReply` for an item without its key."""

    @property
    def pages(self) -> int:
        """Pages read so far."""

    def sweep(
        self, rules: Sequence[TallyRule], pace: Pace, ticket: Ticket, *, everyone: bool, now: float
    ) -> Iterator[SweptRule]:
        """One eventually consistent Scan of each table that the rules are about, shared by all rules on it.

        Yields a rule as soon as its tables are read. `now`, in seconds since 1970, decides what has expired.
        """

    def pass_over(
        self, asked: Sequence[tuple[TallyRule, Captures]], pace: Pace, ticket: Ticket, *, contents: bool, now: float
    ) -> tuple[SweptParent, ...]:
        """One strongly consistent Scan of the one table that the children of all these parents are in.

        One entry for each that was asked, in order. `contents`: the digest is over whole children, so that one that was
        deleted and put back shows; otherwise over what the rule looks at.
        """
