"""Whether an open connection may write now.

A connection is set to read only, or to write. One that is set to write begins, at the stages production and staging,
as one that reads: somebody has to allow writing, and it ends by itself once nothing was asked of the connection for
fifteen minutes. What was allowed is never kept: it begins anew with each connection that is opened.

At dev, and in the sandbox, the setting holds: what is there can be made again, and whoever has to unlock it twenty
times a day unlocks production the same way, without a thought.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from dynodesk.domain.errors import ReadOnly
from dynodesk.domain.profiles import Profile, Stage

IDLE_SECONDS = 15 * 60
HOLDING_STAGES: frozenset[Stage] = frozenset({"dev", "sandbox"})
"""Where a connection that is set to write may do so from the beginning to the end."""

CLOCKS: Sequence[Callable[[], float]] = (time.monotonic, time.time)
"""Seconds. The first never jumps; the second goes on while the computer sleeps."""


class Access:
    """The permission of one open connection. Safe to use from any thread."""

    def __init__(self, profile: Profile, clocks: Sequence[Callable[[], float]] = CLOCKS) -> None:
        self.profile = profile
        self.where = ""
        """Account, Region and endpoint in words, once they are known."""
        self._clocks = clocks
        self.when_allowed: Callable[[], object] = _nobody_waits
        """Called by `allow`, on the thread that allows: whoever shows what may be written shows it at once."""
        self._lock = threading.Lock()
        self._used: tuple[float, ...] | None = None
        """When something was last asked of the connection, by each clock; None while it may not write."""

    @property
    def is_granted_always(self) -> bool:
        """It may write, and nobody has to allow it."""
        return not self.profile.read_only and self.profile.stage in HOLDING_STAGES

    @property
    def is_for_asking(self) -> bool:
        """It is set to write, and only while somebody has allowed it."""
        return not self.profile.read_only and not self.is_granted_always

    @property
    def may_write(self) -> bool:
        return self.is_granted_always or self.seconds_left > 0

    @property
    def seconds_left(self) -> float:
        """Until writing ends if nothing is asked of the connection; 0 where it is not allowed or never ends."""
        with self._lock:
            return 0 if self._used is None else max(0, IDLE_SECONDS - self._idle(self._used))

    @property
    def refusal(self) -> str:
        """Why nothing is written now, and what lets it; "" where it is."""
        return "" if self.may_write else f"{self._is_read_only}. {self._remedy}"

    @property
    def setting_refusal(self) -> str:
        """Why nothing can be written however much it is allowed; "": it can be allowed."""
        return f"{self._is_read_only}. {self._remedy}" if self.profile.read_only else ""

    @property
    def _is_read_only(self) -> str:
        return f"The connection {self.profile.name} is read-only{'' if self.profile.read_only else ' now'}"

    @property
    def _remedy(self) -> str:
        if self.profile.read_only:
            return "Table, Change the connection… lets it write."
        return f"Table, Allow writes… lets it write until it has been idle for {IDLE_SECONDS // 60} minutes."

    def check(self) -> None:
        """Raises `ReadOnly` where nothing may be written now."""
        if not self.may_write:
            raise ReadOnly(f"{self._is_read_only}: nothing is written through it.", hint=self._remedy)

    def allow(self) -> None:
        """Raises `ReadOnly` where the connection is set to read only."""
        if self.profile.read_only:
            self.check()
        with self._lock:
            self._used = self._now()
        self.when_allowed()

    def withdraw(self) -> None:
        """Read-only from now on. Where the setting holds, it goes on holding."""
        with self._lock:
            self._used = None

    def touch(self) -> None:
        """Something is asked of the connection: it is not idle. Nothing is allowed by it."""
        with self._lock:
            if self._used is not None and self._idle(self._used) < IDLE_SECONDS:
                self._used = self._now()

    def _now(self) -> tuple[float, ...]:
        return tuple(clock() for clock in self._clocks)

    def _idle(self, since: tuple[float, ...]) -> float:
        """By the clock that says the most: one that was set back, or stood still, keeps nothing open."""
        return max(now - then for now, then in zip(self._now(), since, strict=True))


def _nobody_waits() -> None:
    """Nothing is shown anywhere."""
