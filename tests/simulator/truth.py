"""What is really so: the settled drift of each parent at every instant, which no reader of the table can see."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from dynodesk.domain.values import Item, Number
from tests.reconcile.model.world import Truth
from tests.simulator.tables import Address, Table
from tests.simulator.timeline import Timeline


@dataclass
class Standing:
    """One parent: what is visible of it and its children, and what operations under way will still change."""

    exists: bool = False
    tally: int | None = None
    """None: no number, or none that counts."""
    children: int = 0
    owed_tally: int = 0
    owed_children: int = 0
    times: list[float] = field(default_factory=list)
    truths: list[Truth] = field(default_factory=list)
    """What was so from each of `times` on."""

    @property
    def truth(self) -> Truth:
        """As of now, with everything under way taken as finished."""
        children = self.children + self.owed_children
        if not self.exists:
            return Truth("orphans", children)
        if self.tally is None:
            return Truth("incomparable")
        return Truth("drift", self.tally + self.owed_tally - children)

    def between(self, start: float, end: float) -> set[Truth]:
        """Everything that was so at some instant from `start` to `end`, both included."""
        first = max(0, bisect_right(self.times, start) - 1)
        return set(self.truths[first : bisect_right(self.times, end)])


class Ledger:
    """Follows every change of parents and children. `record` belongs after each step of the timeline."""

    def __init__(self, timeline: Timeline, attribute: str, *, missing_is_zero: bool = False) -> None:
        self._timeline, self._attribute, self._missing_is_zero = timeline, attribute, missing_is_zero
        self._parents: dict[tuple[str, Address], Standing] = {}
        self._children: dict[tuple[str, Address], Standing] = {}
        self._touched: list[Standing] = []

    def follow(self, table: Table, parent: Address, children: list[Address]) -> Standing:
        """Begin with what is visible now. `children`: every address at which the parent may ever have one."""
        standing = Standing()
        self._parents[table.info.name, parent] = standing
        for child in children:
            self._children[table.info.name, child] = standing
            standing.children += table.get(child) is not None
        item = table.get(parent)
        standing.exists, standing.tally = item is not None, self._tally(item)
        self._touched.append(standing)
        self.record()
        return standing

    def owe(self, standing: Standing, tally: int = 0, children: int = 0) -> None:
        """So much more is still to come; or less, where it is negative."""
        standing.owed_tally += tally
        standing.owed_children += children
        self._touched.append(standing)

    def record(self) -> None:
        """A step is over: what is so now was so at this instant."""
        for standing in self._touched:
            truth = standing.truth
            if not standing.truths or standing.truths[-1] != truth:
                standing.times.append(self._timeline.now())
                standing.truths.append(truth)
        self._touched.clear()

    # -- Watcher

    def decided(self, table: Table, address: Address, old: Item | None, new: Item | None) -> None:
        self._owe_part(table, address, old, new, 1)

    def shown(self, table: Table, address: Address, old: Item | None, new: Item | None, *, was_decided: bool) -> None:
        if was_decided:
            self._owe_part(table, address, old, new, -1)
        where = table.info.name, address
        if (standing := self._parents.get(where)) is not None:
            standing.exists, standing.tally = new is not None, self._tally(new)
        elif (standing := self._children.get(where)) is not None:
            standing.children += (new is not None) - (old is not None)
        if standing is not None:
            self._touched.append(standing)

    def _owe_part(self, table: Table, address: Address, old: Item | None, new: Item | None, sign: int) -> None:
        where = table.info.name, address
        if (standing := self._parents.get(where)) is not None:
            self.owe(standing, tally=sign * ((self._tally(new) or 0) - (self._tally(old) or 0)))
        elif (standing := self._children.get(where)) is not None:
            self.owe(standing, children=sign * ((new is not None) - (old is not None)))

    def _tally(self, item: Item | None) -> int | None:
        if item is None:
            return None
        value = item.get(self._attribute)
        if value is None:
            return 0 if self._missing_is_zero else None
        return int(value.text) if isinstance(value, Number) else None


class Operation:
    """One operation of a writer, from its first write until its client has ended and all that it sent has arrived.

    What it owes then, nobody will pay: from that moment it is drift.
    """

    def __init__(self, ledger: Ledger, standing: Standing) -> None:
        self._ledger, self._standing = ledger, standing
        self._tally = self._children = 0
        self._is_over = False
        self.on_the_way = 0
        """Requests that will arrive after their sender gave them up."""

    def owe(self, tally: int = 0, children: int = 0) -> None:
        if not self._is_over:
            self._tally, self._children = self._tally + tally, self._children + children
            self._ledger.owe(self._standing, tally, children)

    def pay_tally(self) -> None:
        """The tally was written. A second time it is drift: nothing was owed any more."""
        self._ledger.owe(self._standing, tally=-self._tally)
        self._tally = 0

    def pay_children(self) -> None:
        self._ledger.owe(self._standing, children=-self._children)
        self._children = 0

    def end(self) -> None:
        """The client has ended: done, given up or dead."""
        self._is_over = True
        self.forget()

    def forget(self) -> None:
        """Owe nothing any more, if nothing can come any more."""
        if self._is_over and not self.on_the_way:
            self.pay_tally()
            self.pay_children()
