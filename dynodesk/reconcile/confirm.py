"""The protocol that turns a suspect into a verdict: a pure state machine.

It is told what was seen and says what to look at next; it reads nothing, waits for nothing and knows no clock, so the
same code runs on a live table, under a model checker and in virtual time.

One try looks like this. Read the parent in a transactional read, which the service refuses while a write transaction
holds the item. Wait a moment (`settle`), so that a transaction whose parts become visible one after the other is
visible in all of them. Count the children in a strongly consistent pass. Read the parent again: if it moved, the count
belongs to no instant. If tally and count are equal, one pass is enough to say so; what is in flight then, of writers
that take two steps or do not raise the version, may hide a drift of its own size. If they differ, wait until everything
that was in flight at the first read has ended (`wait`), and pass over the children and read the parent once more: only
if the children are the same ones, and the parent never moved, the difference is drift. Where writers take two steps,
and not always the same one first, whatever is in flight at the last pass has to end as well before the parent is read
for the last time (`outlasts_last_pass`).

A parent with a version attribute, raised by every writer in the same write as the tally, makes "never moved" certain:
`exact`. Without one a value may move away and back between two looks; one more pass, and one more look at the parent
after each wait, make that unlikely, not impossible: `probable`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum
from typing import Literal

from dynodesk.domain.findings import Verdict
from dynodesk.domain.measures import Amount
from dynodesk.domain.tallies import Tally, TallyRule
from dynodesk.domain.tries import MAX_TRIES, Pause, Waited
from dynodesk.domain.values import EXACT, plain_digits

# ------------------------------------------------------------------------------------------------------- requests


@dataclass(frozen=True, slots=True)
class ReadParent:
    """Read the parent in a transactional read."""


@dataclass(frozen=True, slots=True)
class CountChildren:
    """Count the children in one strongly consistent pass over all pages.

    `contents` asks for a digest over whole children, so that one that was deleted and put back shows; otherwise keys
    do.
    """

    contents: bool


@dataclass(frozen=True, slots=True)
class Wait:
    """Let `seconds` pass. `why` is `settle` or `in flight`."""

    seconds: float
    why: Literal["settle", "in flight"]


Request = ReadParent | CountChildren | Wait | Pause

# -------------------------------------------------------------------------------------------------------- replies


@dataclass(frozen=True, slots=True)
class ParentSeen:
    """The parent as one transactional read gave it. `tally` is None where the item does not exist."""

    tally: Tally | None
    version: Decimal | None = None
    """The version attribute's value; None where the rule has none, or the item."""
    fingerprint: str = ""
    """A digest of the whole item: what is compared where there is no version."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The transactional read was refused: a write transaction holds the parent."""


@dataclass(frozen=True, slots=True)
class Counted:
    count: Amount
    """What the rule's measure comes to: of most rules the number of children."""
    digest: str
    """Equal for passes that saw the same children."""
    problem: str = ""
    """Why the measure comes to nothing that can be compared."""
    distinct: tuple[tuple[str, int], ...] = ()
    """How many different values each capture has that is the children's own: for the likely cause of a drift."""


Reply = ParentSeen | Refused | Counted | Waited

# ---------------------------------------------------------------------------------------------------------- state


@dataclass(frozen=True, slots=True)
class Protocol:
    """How sure is sure. The defaults are those that hold; the times come from the rule."""

    settle: float
    wait: float
    bounds: bool = True
    """Whether a version raised during a pass bounds what the pass may have missed: so for writers that change one child
    and the parent in one transaction, and only for them. A child lost during the pass without a write to the parent
    widens the truth by one."""
    outlasts_last_pass: bool = False
    """Whether to outlast what may be in flight at the last pass as well. So for writers that take two steps and change
    the tally first in one operation and the child first in another: one of each hides a child from both passes."""
    tolerance: Decimal = Decimal(0)
    """The largest difference, either way, that is not called drift."""
    passes: int = 2
    passes_without_version: int = 3

    @classmethod
    def of(cls, rule: TallyRule) -> Protocol:
        """What the rule's writers call for. An asynchronous writer changes the child first, always."""
        return cls(
            rule.settle,
            rule.wait,
            bounds=rule.writers == "transaction" and rule.measure.kind == "count",
            outlasts_last_pass=rule.writers == "two-step",
            tolerance=rule.tolerance,
        )


class _Next(Enum):
    FENCE = "read the parent before the first pass"
    SETTLE = "let a transaction finish"
    COUNT = "count the children"
    FENCE_AFTER = "read the parent after a pass"
    OUTLAST = "outlast whatever is in flight"
    FENCE_LATER = "read the parent after the wait"
    PAUSE = "pause before the next try"


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The verdict on one parent, and what it rests on."""

    verdict: Verdict
    tally: Tally | None = None
    real: Amount | None = None
    drift: Decimal | None = None
    low: Decimal | None = None
    high: Decimal | None = None
    passes: int = 0
    version: bool = False
    witnessed: bool = False
    """Whether a stream shows that nothing was written meanwhile."""
    tries: int = 1
    reason: str = ""
    distinct: tuple[tuple[str, int], ...] = ()
    """As of the last pass."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """Where the protocol stands for one parent. `request` is what it waits for; `after` takes the reply to it."""

    protocol: Protocol
    tries: int = 1
    before: ParentSeen | None = None
    """The parent as read at the start of this try."""
    counted: tuple[Counted, ...] = ()
    bounded: Conclusion | None = None
    """The tightest bound that an earlier, disturbed try proved."""
    next: _Next = _Next.FENCE

    @property
    def request(self) -> Request:
        match self.next:
            case _Next.FENCE | _Next.FENCE_AFTER | _Next.FENCE_LATER:
                return ReadParent()
            case _Next.SETTLE:
                return Wait(self.protocol.settle, "settle")
            case _Next.OUTLAST:
                return Wait(self.protocol.wait, "in flight")
            case _Next.COUNT:
                return CountChildren(contents=not self._has_version)
            case _Next.PAUSE:
                return Pause.after(self.tries)

    def after(self, reply: Reply) -> Confirmation | Conclusion:
        """The next state, or the verdict. Raises `TypeError` for a reply to something that was not asked."""
        match self.next, reply:
            case _Next.FENCE, ParentSeen():
                return replace(self, before=reply, next=self._settle_or_count())
            case _Next.SETTLE, Waited():
                return replace(self, next=_Next.COUNT)
            case _Next.OUTLAST, Waited() if self.before is not None:
                # A version that has not risen by the end of the next pass has not risen in the wait either. A tally may
                # fall in the wait and rise in the pass.
                needs_look = not self._has_version or self._has_passed(self.before)
                return replace(self, next=_Next.FENCE_LATER if needs_look else _Next.COUNT)
            case _Next.COUNT, Counted():
                return replace(self, counted=(*self.counted, reply), next=_Next.FENCE_AFTER)
            case _Next.FENCE_AFTER, ParentSeen() if self.before is not None:
                return self._judge(self.before, reply)
            case _Next.FENCE_LATER, ParentSeen() if self.before is not None:
                if not self._stood_still(self.before, reply):
                    return self._disturbed(self.bounded)
                return self._drift(self.before) if self._has_passed(self.before) else replace(self, next=_Next.COUNT)
            case ((_Next.FENCE | _Next.FENCE_AFTER | _Next.FENCE_LATER), Refused()):
                return self._disturbed(self.bounded)
            case _Next.PAUSE, Waited():
                return replace(self, tries=self.tries + 1, next=_Next.FENCE)
            case _:
                raise TypeError(f"{reply!r} does not answer {self.request!r}")

    def withdrawn(self) -> Confirmation | Conclusion:
        """After a verdict that turned out to rest on what somebody wrote meanwhile: the next try, or the end of all."""
        return self._disturbed(self.bounded)

    def _settle_or_count(self) -> _Next:
        return _Next.SETTLE if self.protocol.settle > 0 else _Next.COUNT

    @property
    def _has_version(self) -> bool:
        return self.before is not None and self.before.version is not None

    def _judge(self, before: ParentSeen, after: ParentSeen) -> Confirmation | Conclusion:
        """A pass is over and the parent was read again: what do they say together?"""
        latest = self.counted[-1]
        if not self._stood_still(before, after):
            return self._disturbed(self._tighter_bound(before, after))
        if latest.digest != self.counted[0].digest:
            return self._disturbed(self.bounded)
        tally = before.tally
        if tally is None and latest.count == 0:
            return self._conclude("gone", real=0, reason="the parent item does not exist, and has no children")
        if tally is not None and tally.number is None:
            return self._conclude("incomparable", real=latest.count, reason=tally.reason)
        if latest.problem:
            return self._conclude("incomparable", real=None, reason=latest.problem)
        drift = None if tally is None or tally.number is None else _difference(tally.number, latest.count)
        if drift is not None and drift.copy_abs() <= self.protocol.tolerance:
            return self._conclude("ok", real=latest.count, drift=drift)
        has_passed = self._has_passed(before)
        if self.protocol.wait > 0 and (not has_passed or self.protocol.outlasts_last_pass):
            return replace(self, next=_Next.OUTLAST)
        return self._drift(before) if has_passed else replace(self, next=_Next.COUNT)

    def _drift(self, before: ParentSeen) -> Conclusion:
        """Nothing moved: the difference is real."""
        real = self.counted[-1].count
        if before.tally is None or before.tally.number is None:
            return self._conclude("orphans", real=real, reason="the parent item does not exist")
        verdict: Verdict = "exact" if self._has_version else "probable"
        drift = _difference(before.tally.number, real)
        return self._conclude(verdict, real=real, drift=drift, reason=before.tally.reason)

    def _has_passed(self, before: ParentSeen) -> bool:
        # A parent that does not exist has nothing that could move away and back, short of being created and deleted.
        if before.version is not None or before.tally is None:
            return len(self.counted) >= self.protocol.passes
        return len(self.counted) >= self.protocol.passes_without_version

    def _stood_still(self, before: ParentSeen, after: ParentSeen) -> bool:
        if before.version is None:
            return before == after
        return (before.tally, before.version) == (after.tally, after.version)

    def _tighter_bound(self, before: ParentSeen, after: ParentSeen) -> Conclusion | None:
        """What the first pass of a disturbed try proves: it missed no more children than there were writes."""
        number = before.tally.number if before.tally else None
        if number is None or before.version is None or after.version is None or len(self.counted) > 1:
            return self.bounded
        writes = EXACT.subtract(after.version, before.version)
        drift = _difference(number, self.counted[0].count)
        moved = after.tally.number if after.tally else None
        slack = EXACT.add(writes, self.protocol.tolerance)
        if not self.protocol.bounds or moved is None or drift.copy_abs() <= slack:
            return self.bounded
        if EXACT.subtract(moved, number).copy_abs() > writes:
            return self.bounded  # one write changed several children: the version does not count them
        low, high = EXACT.subtract(drift, writes), EXACT.add(drift, writes)
        known = self.bounded
        if (
            known is not None
            and known.low is not None
            and known.high is not None
            and EXACT.subtract(known.high, known.low) <= EXACT.subtract(high, low)
        ):
            return known
        return self._conclude(
            "bounded",
            real=self.counted[0].count,
            low=low,
            high=high,
            reason=f"the version rose by {plain_digits(writes)} during the pass",
        )

    def _disturbed(self, bounded: Conclusion | None) -> Confirmation | Conclusion:
        if self.tries < MAX_TRIES:
            return replace(self, before=None, counted=(), bounded=bounded, next=_Next.PAUSE)
        if bounded is not None:
            return replace(bounded, tries=self.tries)
        return Conclusion("busy", tries=self.tries, reason=f"changed or held by a writer in each of {self.tries} tries")

    def _conclude(
        self,
        verdict: Verdict,
        *,
        real: Amount | None,
        drift: Decimal | None = None,
        low: Decimal | None = None,
        high: Decimal | None = None,
        reason: str = "",
    ) -> Conclusion:
        return Conclusion(
            verdict,
            tally=self.before.tally if self.before else None,
            real=real,
            drift=drift,
            low=low,
            high=high,
            passes=len(self.counted),
            version=self._has_version,
            tries=self.tries,
            reason=reason,
            distinct=self.counted[-1].distinct if self.counted else (),
        )


def _difference(stored: Decimal, count: Amount) -> Decimal:
    return EXACT.subtract(stored, Decimal(count))
