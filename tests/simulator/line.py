"""A writer's line to the service: requests and replies are lost on it at six places."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Literal

from dynodesk.domain.errors import ConditionFailed, Throttled
from tests.simulator.tables import Conflict
from tests.simulator.timeline import Steps, Timeline
from tests.simulator.truth import Operation

Loss = Literal[
    "request lost", "refused by a failing service", "applied, then failed", "reply lost", "reply cut", "applied late"
]
LOSSES: tuple[Loss, ...] = (
    "request lost",
    "refused by a failing service",
    "applied, then failed",
    "reply lost",
    "reply cut",
    "applied late",
)
UNAPPLIED: frozenset[Loss] = frozenset({"request lost", "refused by a failing service"})
"""After these nothing was done, and nothing will be."""

Request = Callable[[], Steps]
"""What the service does with it. May be carried out more than once: each time is one arrival at the service."""


@dataclass
class Line:
    """Sends as an SDK does by default: what got no good answer is sent again, whether it was applied or not."""

    timeline: Timeline
    chance: random.Random
    losses: float = 0.0
    """The share of requests that something happens to."""
    timeout: float = 1.0
    tries: int = 4

    def send(self, operation: Operation, request: Request, until: float) -> Generator[float, None, bool]:
        """Send until it is answered, or it is too late. False: there was no answer; it may have been applied.

        Nothing arrives after `until`. Raises `ConditionFailed`, as the answer to the last try.
        """
        for tries in range(self.tries):
            yield self.chance.uniform(0.001, 0.01)
            loss = self.chance.choice(LOSSES) if self.chance.random() < self.losses else None
            try:
                if loss == "applied late":
                    wait = self.chance.uniform(0, 3 * self.timeout)
                    if self.timeline.now() + wait < until:
                        operation.on_the_way += 1
                        self.timeline.start(_arrive_late(operation, request), wait)
                elif loss not in UNAPPLIED:
                    yield from request()
            except (Conflict, Throttled):
                pass
            else:
                if loss is None:
                    return True
            if loss in {"request lost", "reply lost", "applied late"}:
                yield self.timeout
            yield self.chance.uniform(0, 0.05 * 2**tries)
            if self.timeline.now() + self.timeout >= until:
                return False
        return False


def _arrive_late(operation: Operation, request: Request) -> Steps:
    with contextlib.suppress(Conflict, ConditionFailed, Throttled):
        yield from request()
    operation.on_the_way -= 1
    operation.forget()
