"""The engine's way to write: one guarded update, sent once, whose request or reply may be lost."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable

from dynodesk.domain.errors import Busy, InvalidExpression, InvalidRequest, OutcomeUnknown, Throttled
from dynodesk.domain.expressions import parse_condition, parse_update
from dynodesk.domain.values import Item
from dynodesk.domain.write_requests import expressions
from dynodesk.domain.writes import Applied, GuardedUpdate, GuardedWrite, NotAsExpected
from tests.simulator.line import LOSSES, UNAPPLIED
from tests.simulator.reading import Network
from tests.simulator.tables import Conflict, Service
from tests.simulator.timeline import Steps


class SimulatedWriter:
    """An `ItemWriter`. `on_arrival` is called with each update that holds, at the instant before it is applied."""

    def __init__(self, service: Service, network: Network, chance: random.Random) -> None:
        self._service, self._network, self._chance = service, network, chance
        self.on_arrival: Callable[[GuardedUpdate], object] = _nothing
        self.before_request: Callable[[GuardedUpdate], object] = _nothing

    def write(self, update: GuardedWrite) -> Applied | NotAsExpected:
        if not isinstance(update, GuardedUpdate):
            raise NotImplementedError("simulated tables take updates only")
        timeline, chance, network = self._service.timeline, self._chance, self._network
        self.before_request(update)
        timeline.advance(network.latency())
        loss = chance.choice(LOSSES) if chance.random() < network.losses else None
        if loss == "applied late":
            timeline.start(self._arrive_late(update), chance.uniform(0, 3 * network.timeout))
        elif loss not in UNAPPLIED:
            outcome = self._arrive(update)
            timeline.advance(network.latency())
            if loss is None:
                return outcome
        if loss in {"request lost", "reply lost", "applied late"}:
            timeline.advance(network.timeout)
        raise OutcomeUnknown(f"no trustworthy answer: {loss}")

    def _arrive_late(self, update: GuardedUpdate) -> Steps:
        with contextlib.suppress(Busy, Throttled):
            self._arrive(update)
        yield from ()

    def _arrive(self, update: GuardedUpdate) -> Applied | NotAsExpected:
        """Raises `Busy` and `Throttled`: nothing was done."""
        words = expressions(update)
        condition = parse_condition(words.condition, words.names, words.values)
        changes = parse_update(words.update, words.names, words.values)
        table = self._service.table(update.table)
        address = table.address(update.key)
        table.take(address[0])
        try:
            table.check_free(address)
        except Conflict:
            raise Busy("a write transaction holds the item") from None
        found = table.get(address)
        if not condition.holds(found or {}):
            return NotAsExpected(found)
        self.on_arrival(update)
        try:
            changed: Item = changes.apply(found or dict(update.key))
        except InvalidExpression as problem:
            raise InvalidRequest(problem.message) from problem
        table.show(address, found, changed, was_decided=False)
        self._service.timeline.after_step()
        return Applied(changed)


def _nothing(*_: object) -> None:
    pass
