"""What one transactional read proves of a tally that is too low.

If at one instant more children exist than the tally says, then it is too low by at least the difference, whatever came
and went before: children that were not asked for only make it worse. There is no such proof for a tally that is too
high, since nobody can ask for the children that do not exist. It holds for writers that change child and tally in one
transaction, and takes one read of at most 100 items (API Reference, TransactGetItems).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from dynodesk.domain.errors import Busy
from dynodesk.domain.ports import PageReader
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import MAX_TRANSACTION_ITEMS
from dynodesk.domain.tables import Key
from dynodesk.domain.values import EXACT, plain_digits
from dynodesk.reconcile.confirm import Conclusion
from dynodesk.reconcile.looking import Suspect, child_keys


@dataclass(frozen=True, slots=True)
class Proof:
    """At one instant `children` existed beside a tally of `tally`, fewer than they."""

    tally: Decimal
    children: int

    @property
    def drift(self) -> Decimal:
        """The drift is this or lower."""
        return EXACT.subtract(self.tally, Decimal(self.children))

    @property
    def words(self) -> str:
        return (
            f"at one instant {self.children} children existed beside a tally of {plain_digits(self.tally)}: "
            f"it is at least {plain_digits(self.drift.copy_abs())} too low"
        )


def may_be_proven(suspect: Suspect, conclusion: Conclusion) -> bool:
    rule = suspect.rule
    return (
        conclusion.verdict == "probable"
        and conclusion.drift is not None
        and conclusion.drift < 0
        and isinstance(conclusion.real, int)
        and conclusion.real < MAX_TRANSACTION_ITEMS
        and rule.writers == "transaction"
        and rule.measure.kind == "count"
        and not rule.is_sharded
        and (rule.children.is_consistent or not rule.not_in_index)
    )


def prove_too_low(reader: PageReader, suspect: Suspect, ticket: Ticket, *, now: float) -> Proof | None:
    """None where the read was refused, or shows no more children than the tally says."""
    rule = suspect.rule
    keys: list[tuple[str, Key]] = [(rule.table, suspect.key)]
    for key in child_keys(reader, suspect, ticket, now=now):
        keys.append((rule.children.table, key))
        if len(keys) == MAX_TRANSACTION_ITEMS:
            break
    try:
        parent, *children = reader.transact_get(keys, ticket)
    except Busy:
        return None
    number = None if parent is None else rule.tally(parent).number
    there = sum(
        child is not None
        and rule.child_captures(child, suspect.captures) is not None
        and rule.children.counts(child, now)
        for child in children
    )
    return Proof(number, there) if number is not None and number < there else None
