"""The engine's way in: pages, single items and transactional reads, each reply at its own moments.

A page is no snapshot. Its keys are visited one after the other, and writers go on in between.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from dynodesk.domain.capacity import Meter
from dynodesk.domain.errors import Busy, CannotConnect, DamagedReply, DynodeskError, Throttled
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import Page, QueryPlan, ReadPlan, ScanPlan, check_plan
from dynodesk.domain.tables import Key, KeySchema
from dynodesk.domain.values import Item, order
from tests.helpers.memory_reader import key_value, matches, projected
from tests.simulator.tables import Address, Copy, Place, Service, Table

T = TypeVar("T")

TRIES = 6
"""How often a read is sent before its fault is told, as the adapter does it."""


@dataclass
class Network:
    """How long requests take, and how often they or their replies are lost."""

    latency: Callable[[], float] = lambda: 0.004
    """Seconds from sending to the service, and from there back."""
    page_keys: int = 5
    """Keys on one page, for want of megabytes."""
    key_gap: float = 0.002
    """Seconds that may pass between two keys of a page."""
    losses: float = 0.0
    """The share of requests that are lost, answered in vain, or answered with damage."""
    timeout: float = 1.0


class SimulatedReader:
    """An `ItemReader`. `before_request` is told of the partition that is read next; None in a Scan.

    `meter` counts its replies; units it does not know.
    """

    def __init__(self, service: Service, network: Network, chance: random.Random) -> None:
        self._service, self._network, self._chance = service, network, chance
        self.before_request: Callable[[Place | None], object] = _nothing
        self.meter = Meter()

    # -- ItemReader

    def transact_get(self, keys: Sequence[tuple[str, Key]], ticket: Ticket) -> tuple[Item | None, ...]:
        places = [
            (table, table.address(key)) for table, key in ((self._service.table(name), key) for name, key in keys)
        ]

        def serve() -> tuple[Item | None, ...]:
            for table, address in places:
                table.take(address[0])
                if address in table.held:
                    raise Busy("a write transaction holds an item that was to be read")
            return tuple(table.get(address) for table, address in places)

        return self._answered(serve, ticket, places[0][1][0])

    def get(self, table: str, key: Key, *, consistent: bool = False) -> Item | None:
        return self.batch_get(table, [key], Ticket(), consistent=consistent)[0]

    def batch_get(
        self, table: str, keys: Sequence[Key], ticket: Ticket, *, consistent: bool = False
    ) -> list[Item | None]:
        place = self._service.table(table)
        copy = place.rows if consistent else place.replica
        addresses = [place.address(key) for key in keys]

        def serve() -> list[Item | None]:
            found = []
            for address in addresses:
                place.take(address[0])
                found.append(copy.get(address))
                self._pass(self._chance.uniform(0, self._network.key_gap))
            return found

        return self._answered(serve, ticket, addresses[0][0])

    def query(self, plan: QueryPlan, ticket: Ticket, start: Key | None = None) -> Iterator[Page]:
        return self._pages(plan, ticket, start)

    def scan(self, plan: ScanPlan, ticket: Ticket, start: Key | None = None) -> Iterator[Page]:
        return self._pages(plan, ticket, start)

    # -- pages

    def _pages(self, plan: ReadPlan, ticket: Ticket, start: Key | None) -> Iterator[Page]:
        table = self._service.table(plan.table)
        check_plan(plan, table.info)
        copy = _copy(table, plan)
        schema = table.info.schema_of(plan.index)
        partition = _partition(plan, schema) if isinstance(plan, QueryPlan) else None
        names = dict.fromkeys((*schema.names, *table.info.key_schema.names))
        after = copy.address(start) if start is not None else None
        while True:
            sent = self._service.timeline.now()
            visit = partial(self._visit, plan, table, copy, after, partition)
            found, is_full = self._answered(visit, ticket, partition)
            seconds = self._service.timeline.now() - sent
            if is_full:
                after = found[-1][0]
            yield Page(
                items=tuple(projected(item, plan, table.info) for _, item in found),
                scanned=len(found),
                cursor={name: key_value(found[-1][1], name) for name in names} if is_full else None,
                units=None,
                seconds=seconds,
            )
            if not is_full:
                return

    def _visit(
        self, plan: ReadPlan, table: Table, copy: Copy, after: Address | None, partition: Place | None
    ) -> tuple[list[tuple[Address, Item]], bool]:
        """The rows of one page, and whether there may be more: a full page has a cursor even if nothing follows."""
        if partition is not None:
            table.take(partition)
        limit = min(plan.page_limit or self._network.page_keys, self._network.page_keys)
        found: list[tuple[Address, Item]] = []
        while len(found) < limit:
            # Those few are visited at one moment; then writers have their turn.
            few = self._chance.randint(1, limit - len(found))
            seen = 0
            for address, item in _following(plan, copy, after, partition):
                if seen == few:
                    break
                if isinstance(plan, QueryPlan) and not matches(item, plan):
                    continue
                seen += 1
                after = address
                found.append((address, item))
            if seen < few:
                return found, False
            self._pass(self._chance.uniform(0, self._network.key_gap))
        return found, True

    # -- the way there and back

    def _answered(self, serve: Callable[[], T], ticket: Ticket, partition: Place | None) -> T:
        fault: DynodeskError | None = None
        for tries in range(TRIES):
            ticket.checkpoint()
            self.before_request(partition)
            self._pass(self._network.latency())
            lost = self._chance.random() < self._network.losses
            place = self._chance.randrange(3) if lost else -1
            if place == 0:
                fault = CannotConnect("a request got no answer")
                self._pass(self._network.timeout)
                continue
            try:
                answer = serve()
            except Throttled as throttled:
                fault = throttled
                self._pass(self._chance.uniform(0, 0.05 * 2**tries))
                continue
            if place == 1:
                fault = CannotConnect("a reply was lost")
                self._pass(self._network.timeout)
                continue
            self._pass(self._network.latency())
            if place == 2:
                fault = DamagedReply("a reply was cut")
                continue
            self.meter.called(())
            return answer
        assert fault is not None
        raise fault

    def _pass(self, seconds: float) -> None:
        self._service.timeline.advance(seconds)


def _copy(table: Table, plan: ReadPlan) -> Copy:
    if plan.index is not None:
        return table.indexes[plan.index]
    return table.rows if plan.consistent else table.replica


def _partition(plan: QueryPlan, schema: KeySchema) -> Place:
    return tuple(order(plan.partition[attribute.name]) for attribute in schema.partition)


def _following(
    plan: ReadPlan, copy: Copy, after: Address | None, partition: Place | None
) -> Iterator[tuple[Address, Item]]:
    if isinstance(plan, QueryPlan) and plan.descending and partition is not None:
        return copy.back(after, partition)
    return copy.following(after, partition)


def _nothing(_partition: Place | None) -> None:
    pass
