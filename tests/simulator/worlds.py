"""Random worlds, each from a seed: a rule, its parents, who writes to them, how service and network behave."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from dynodesk.domain.tables import KeyAttribute, KeySchema, TableInfo
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.values import Item, KeyValue, Number, String, Value
from dynodesk.reconcile.binding import bind_rules
from dynodesk.reconcile.looking import Suspect
from dynodesk.reconcile.rules import parse_rules
from tests.simulator.line import Line
from tests.simulator.reading import Network, SimulatedReader
from tests.simulator.tables import Address, Lags, Place, Record, Service, Table
from tests.simulator.timeline import Steps, Timeline
from tests.simulator.truth import Ledger
from tests.simulator.writers import DEATHS, TALLY, VERSION, Post, Writers

TABLE = TableInfo("Social", KeySchema((KeyAttribute("PK", "S"),), (KeyAttribute("SK", "S"),)))

RULE = """\
version = 1
[[tally]]
name = "likes"
table = "Social"
parent = {{ PK = "POST#{{post}}", SK = "META" }}
attribute = "likeTally"
children = {{ PK = "POST#{{post}}", SK = "LIKE#{{user}}" }}
writers = "{writers}"
settle = {settle}
wait = {wait}
missing = "{missing}"
"""

WriterClass = Literal["W-tx", "W-2c", "W-2t", "W-async", "W-crash", "W-rmw", "W-parent"]
RuleClass = Literal["transaction", "two-step", "async"]

WAITS: dict[RuleClass, tuple[float, ...]] = {
    "transaction": (10, 30, 30),
    "two-step": (60, 300, 300),
    "async": (3600, 90000),
}
MIXES: dict[RuleClass, tuple[tuple[WriterClass, ...], ...]] = {
    "transaction": (
        ("W-tx",),
        ("W-tx",),
        ("W-tx",),
        ("W-tx", "W-crash"),
        ("W-tx", "W-rmw"),
        ("W-tx", "W-parent"),
        ("W-crash",),
    ),
    "two-step": (
        ("W-2c",),
        ("W-2t",),
        ("W-2c", "W-2t"),
        ("W-2c", "W-2t", "W-crash"),
        ("W-tx", "W-2c", "W-2t"),
        ("W-2c", "W-rmw"),
    ),
    "async": (("W-async",), ("W-async",), ("W-async", "W-crash"), ("W-async", "W-tx")),
}
"""Who may write to a table about which a rule says so. `W-crash` loses the second of two steps now and then."""
RARE = 0.05
"""The share of operations by writers that are not the usual ones of a post."""


@dataclass
class World:
    """One table with posts, their writers under way, and what is true of them."""

    seed: str
    chance: random.Random
    timeline: Timeline
    service: Service
    table: Table
    ledger: Ledger
    rule: TallyRule
    network: Network
    writers: Writers
    posts: list[Post] = field(default_factory=list)
    mixes: list[tuple[WriterClass, ...]] = field(default_factory=list)
    """Of each post, who writes to it; empty: nobody."""
    stalked: dict[Place, Callable[[], object]] = field(default_factory=dict)

    def reader(self) -> SimulatedReader:
        """A reader for one tool. Some writers like to write when it reads."""
        reader = SimulatedReader(self.service, self.network, self.chance)
        reader.before_request = self._stalk
        return reader

    def suspect(self, post: int) -> Suspect:
        return Suspect(self.rule, {"post": f"p{post}"}, self.posts[post].key)

    def _stalk(self, partition: Place | None) -> None:
        stalker = self.stalked.get(partition) if partition is not None else None
        if stalker is not None:
            stalker()


def world(seed: str, *, versioned: bool | None = None) -> World:
    """The world of a seed. `versioned`: whether the rule has a version attribute; None: as it comes."""
    chance = random.Random(seed)
    made = _empty(seed, chance, versioned)
    for _ in range(chance.randint(5, 12)):
        _add_post(made)
    return made


def _empty(seed: str, chance: random.Random, versioned: bool | None) -> World:
    timeline = Timeline()
    kind: RuleClass = chance.choices(("transaction", "two-step", "async"), (60, 25, 15))[0]
    settle, wait = chance.choice((0.5, 2.0, 2.0)), chance.choice(WAITS[kind])
    missing = chance.choice(("report", "zero"))
    text = RULE.format(writers=kind, settle=settle, wait=wait, missing=missing)
    if versioned or (versioned is None and chance.random() < 0.6):
        text += f'version = "{VERSION}"\n'
    (rule,) = bind_rules(parse_rules(text, "likes.toml"), lambda _: TABLE)
    service = Service(timeline, chance, longest_skew=0.95 * settle)
    capacity = chance.choice((None, None, None, None, 60.0))
    lags = Lags(stream=lambda: _stream_lag(chance, wait)) if kind == "async" else Lags()
    table = service.add(TABLE, lags, capacity)
    ledger = Ledger(timeline, TALLY, missing_is_zero=missing == "zero")
    table.watchers.append(ledger)
    timeline.after_step = ledger.record
    line = Line(timeline, chance, losses=chance.choice((0.0, 0.0, 0.02, 0.1)))
    slow = chance.choice((0.002, 0.004, 0.02))
    network = Network(
        latency=lambda: chance.uniform(0.2, 1.8) * slow,
        page_keys=chance.choice((1, 2, 3, 5, 8)),
        key_gap=chance.choice((0.0, 0.002, 0.01)),
        losses=chance.choice((0.0, 0.0, 0.01, 0.05)),
    )
    writers = Writers(service, ledger, line, chance, wait)
    made = World(seed, chance, timeline, service, table, ledger, rule, network, writers)
    if kind == "async":
        table.on_record = lambda record: _consume(made, record)
    return made


def _stream_lag(chance: random.Random, wait: float) -> float:
    """Mostly under a second, sometimes as long as the record is kept."""
    return chance.uniform(0, 1) if chance.random() < 0.85 else chance.uniform(0, 0.5 * wait)


def _consume(made: World, record: Record) -> None:
    for post in made.posts:
        if post.address[0] == record.address[0]:
            made.writers.consume(post, record)


def _add_post(made: World) -> None:
    chance, name = made.chance, f"POST#p{len(made.posts)}"
    kind = made.rule.writers
    mix: tuple[WriterClass, ...] = chance.choice(MIXES[kind]) if chance.random() < 0.85 else ()
    users = chance.choice((2, 3, 4, 8, 16, 24))
    likes: list[dict[str, KeyValue]] = [{"PK": String(name), "SK": String(f"LIKE#u{user:02}")} for user in range(users)]
    present = [like for like in likes if chance.random() < 0.5]
    key: dict[str, KeyValue] = {"PK": String(name), "SK": String("META")}
    drift = chance.choice((0, 0, 0, 1, -1, 2, -3, 7, 40))
    if kind == "async" and "W-tx" in mix:
        mix = ("W-async",)  # its consumer would count the likes of the others as well
    blank: Item = {**key, "title": String("a post"), TALLY: Number("0"), VERSION: Number("1")}
    parent: dict[str, Value] = {
        **blank,
        TALLY: Number(str(len(present) + drift)),
        VERSION: Number(str(chance.randint(1, 99))),
    }
    if not mix or chance.random() < 0.04:
        flaw = chance.random()
        if flaw < 0.2:
            del parent[TALLY]
        elif flaw < 0.3 and not mix:
            parent[TALLY] = String("seven")
    if mix or chance.random() < 0.95:
        made.table.seed(parent)
    made.table.seed(*present, {**key, "SK": String("COMMENT#1")}, {**key, "SK": String("NOTE#1")})
    addresses: dict[Address, Item] = {made.table.address(like): like for like in likes}
    address = made.table.address(key)
    standing = made.ledger.follow(made.table, address, list(addresses))
    post = Post(made.table, key, address, blank, addresses, standing, chance.random() < 0.5)
    made.posts.append(post)
    made.mixes.append(mix)
    if mix:
        _set_to_work(made, post, mix)


def _number(value: int) -> Number:
    return Number(str(value))


def _set_to_work(made: World, post: Post, mix: tuple[WriterClass, ...]) -> None:
    """Writers come by chance, slowly or often, or when they see that a tool reads."""
    chance, wait = made.chance, made.rule.wait
    usual, rare = mix[0], mix[1:]

    def operation() -> Steps:
        is_usual = not rare or (chance.random() >= RARE and set(rare).isdisjoint({"W-2c", "W-2t"}))
        return _operation(made, post, usual if is_usual else chance.choice(mix))

    def poisson(per_second: float) -> Steps:
        while True:
            yield chance.expovariate(per_second)
            made.timeline.start(operation())

    per_wait = 10 ** chance.uniform(-1.5, 1)
    made.timeline.start(poisson(per_wait / wait))
    if chance.random() < 0.4:
        share, most, spread = chance.choice((0.05, 0.3, 1.0)), chance.choice((1, 2, 4)), chance.choice((0.02, 0.1))

        def stalk() -> None:
            if chance.random() < share:
                for _ in range(chance.randint(1, most)):
                    made.timeline.start(operation(), chance.uniform(0, spread))

        made.stalked[post.address[0]] = stalk


def _operation(made: World, post: Post, writer: WriterClass) -> Steps:
    writers, is_two_step = made.writers, made.rule.writers == "two-step"
    match writer:
        case "W-tx":
            return writers.transaction(post)
        case "W-2c":
            return writers.child_first(post)
        case "W-2t":
            return writers.tally_first(post)
        case "W-async":
            return writers.child_alone(post)
        case "W-crash" if is_two_step:
            return made.chance.choice((writers.child_first, writers.tally_first))(post, made.chance.choice(DEATHS))
        case "W-crash":
            return writers.child_alone(post)
        case "W-rmw":
            return writers.read_modify_write(post)
        case "W-parent":
            return writers.delete_or_create_parent(post)
