"""Everybody who writes: one method for each way of keeping a tally, the right ones and the bugs.

Each returns the steps of one operation. A like is put where there is none, and deleted where there is one.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Literal

from dynodesk.domain.errors import ConditionFailed
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Item, Number
from tests.simulator.line import Line
from tests.simulator.tables import Address, Change, Part, Record, Service, Table
from tests.simulator.timeline import Steps
from tests.simulator.truth import Ledger, Operation, Standing

TALLY, VERSION = "likeTally", "rev"

Death = Literal["at once", "later"]
DEATHS: tuple[Death, ...] = ("at once", "later")
"""When a client dies that never makes its second call: with the answer to the first, or somewhere on the way."""


@dataclass
class Post:
    """One parent and its possible children, as writers know them."""

    table: Table
    key: Key
    address: Address
    blank: Item
    """The parent as it is created."""
    likes: dict[Address, Item]
    """Every like that there may be, by where."""
    standing: Standing
    gives_incarnations: bool = False
    """Whether a like that is put again is another one than before."""

    def __post_init__(self) -> None:
        self.places = list(self.likes)


@dataclass
class Writers:
    """The writers of one world. `wait`: seconds after which whatever they began has ended."""

    service: Service
    ledger: Ledger
    line: Line
    chance: random.Random
    wait: float
    duplicates: float = 0.03
    """The share of stream records that a consumer handles twice."""
    poison: float = 0.01
    """The share of stream records that a consumer never manages to handle."""
    _serial: int = 0

    # -- right ones

    def transaction(self, post: Post) -> Steps:
        """W-tx: some likes and the tally in one transaction, sent again under the same token."""
        first = self.chance.choice(post.places)
        sign = self._sign(post, first)
        wanted = [first, *self.chance.sample(post.places, self.chance.choice((0, 0, 0, 1, 2)))]
        likes = [like for like in dict.fromkeys(wanted) if self._sign(post, like) == sign]
        parts: list[Part] = [(post.table, like, self._like(post, like, sign)) for like in likes]
        parts.append((post.table, post.address, add(sign * len(likes), raises=len(likes))))
        yield from self._in_one(post, parts)

    def child_first(self, post: Post, dies: Death | None = None) -> Steps:
        """W-2c: the like, and in a second call the tally. Or dies in between."""
        like = self.chance.choice(post.places)
        sign = self._sign(post, like)
        operation, until = Operation(self.ledger, post.standing), self._until()
        arrived = False

        def child() -> Steps:
            nonlocal arrived
            post.table.write(like, self._like(post, like, sign))
            if not arrived and dies != "at once":
                operation.owe(tally=sign)
            arrived = True
            yield from ()

        def tally() -> Steps:
            post.table.write(post.address, add(sign))
            operation.pay_tally()
            yield from ()

        yield from self._two_calls(operation, child, tally, until, dies)

    def tally_first(self, post: Post, dies: Death | None = None) -> Steps:
        """W-2t: the tally, and in a second call the like. Or dies in between."""
        like = self.chance.choice(post.places)
        sign = self._sign(post, like)
        operation, until = Operation(self.ledger, post.standing), self._until()
        arrived = False

        def tally() -> Steps:
            nonlocal arrived
            post.table.write(post.address, add(sign))
            if not arrived and dies != "at once":
                operation.owe(children=sign)
            arrived = True
            yield from ()

        def child() -> Steps:
            post.table.write(like, self._like(post, like, sign))
            operation.pay_children()
            yield from ()

        yield from self._two_calls(operation, tally, child, until, dies)

    def child_alone(self, post: Post) -> Steps:
        """The like only. So the first half of W-async, and so a bug where no consumer adds to the tally."""
        like = self.chance.choice(post.places)
        change = self._like(post, like, self._sign(post, like))

        def child() -> Steps:
            post.table.write(like, change)
            yield from ()

        operation = Operation(self.ledger, post.standing)
        yield from self._sent(operation, child, self._until())
        operation.end()

    def consume(self, post: Post, record: Record) -> None:
        """The second half of W-async: the consumer of the stream adds to the tally, at least once."""
        sign = (record.new is not None) - (record.old is not None)
        if not sign:
            return
        operation, now = Operation(self.ledger, post.standing), self.service.timeline.now()
        operation.owe(tally=sign)
        self.service.timeline.start(self._consumed(post, operation, sign, self._until()), record.arrives - now)

    # -- bugs

    def read_modify_write(self, post: Post) -> Steps:
        """W-rmw: reads the tally, and later writes one more, whatever was written in between."""
        like = self.chance.choice(post.places)
        sign = self._sign(post, like)
        parent = post.table.get(post.address)
        value = parent.get(TALLY) if parent else None
        computed = Number(str((int(value.text) if isinstance(value, Number) else 0) + sign))
        yield self._gap(self.wait)

        def overwrite(old: Item | None) -> Item | None:
            return {**_there(old), TALLY: computed, VERSION: _plus((old or {}).get(VERSION), 1)}

        parts = [(post.table, like, self._like(post, like, sign)), (post.table, post.address, overwrite)]
        yield from self._in_one(post, parts)

    def delete_or_create_parent(self, post: Post) -> Steps:
        """Deletes the parent and leaves its likes, or puts a new one."""

        def toggle(old: Item | None) -> Item | None:
            return None if old is not None else post.blank

        def parent() -> Steps:
            post.table.write(post.address, toggle)
            yield from ()

        operation = Operation(self.ledger, post.standing)
        yield from self._sent(operation, parent, self._until())
        operation.end()

    # -- how they do it

    def _in_one(self, post: Post, parts: list[Part]) -> Steps:
        self._serial += 1
        token = f"{self._serial}"
        operation = Operation(self.ledger, post.standing)
        yield from self._sent(operation, lambda: self.service.transact_write(parts, token), self._until())
        operation.end()

    def _two_calls(
        self,
        operation: Operation,
        first: Callable[[], Steps],
        second: Callable[[], Steps],
        until: float,
        dies: Death | None,
    ) -> Steps:
        if (yield from self._sent(operation, first, until)) and dies != "at once":
            yield self._gap(until - self.service.timeline.now())
            if not dies:
                yield from self._sent(operation, second, until)
        operation.end()

    def _consumed(self, post: Post, operation: Operation, sign: int, until: float) -> Steps:
        def tally() -> Steps:
            post.table.write(post.address, add(sign))
            operation.pay_tally()
            yield from ()

        fate = self.chance.random()
        if fate < self.poison:
            yield self.chance.uniform(0, until - self.service.timeline.now())
        else:
            while not (yield from self._sent(operation, tally, until)) and self.service.timeline.now() + 60 < until:
                yield self.chance.uniform(0, 60)
            if fate < self.poison + self.duplicates:
                yield self._gap(until - self.service.timeline.now())
                yield from self._sent(operation, tally, until)
        operation.end()

    def _sent(self, operation: Operation, request: Callable[[], Steps], until: float) -> Generator[float, None, bool]:
        try:
            return (yield from self.line.send(operation, request, until))
        except ConditionFailed:
            return False  # so it was done already, or cannot be: this client knows no difference

    def _until(self) -> float:
        return self.service.timeline.now() + 0.95 * self.wait

    def _gap(self, longest: float) -> float:
        """Mostly milliseconds, sometimes as long as there can be."""
        kind = self.chance.random()
        if kind < 0.6:
            return self.chance.uniform(0, min(0.05, longest))
        return self.chance.uniform(0, max(0.0, longest * (0.1 if kind < 0.8 else 1)))

    def _sign(self, post: Post, like: Address) -> int:
        return -1 if post.table.get(like) is not None else 1

    def _like(self, post: Post, like: Address, sign: int) -> Change:
        if sign < 0:
            return remove
        self._serial += 1
        item = post.likes[like]
        return put_new({**item, "at": Number(str(self._serial))} if post.gives_incarnations else item)


def put_new(item: Item) -> Change:
    """PutItem if attribute_not_exists."""

    def change(old: Item | None) -> Item | None:
        if old is not None:
            raise ConditionFailed("there is one already")
        return item

    return change


def remove(old: Item | None) -> Item | None:
    """DeleteItem if attribute_exists."""
    _there(old)
    return None


def add(by: int, raises: int = 1) -> Change:
    """UpdateItem ADD tally and version, if attribute_exists."""

    def change(old: Item | None) -> Item | None:
        item = _there(old)
        return {**item, TALLY: _plus(item.get(TALLY), by), VERSION: _plus(item.get(VERSION), raises)}

    return change


def _there(old: Item | None) -> Item:
    if old is None:
        raise ConditionFailed("there is none")
    return old


def _plus(value: object, by: int) -> Number:
    """ADD: what is missing counts as 0."""
    return Number(str((int(value.text) if isinstance(value, Number) else 0) + by))
