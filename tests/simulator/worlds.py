"""Random worlds, each from a seed: a rule, its parents, who writes to them, how service and network behave."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from dynodesk.domain.capacity import Meter
from dynodesk.domain.pacing import Limits, Pace
from dynodesk.domain.progress import Ticket
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, Projection, TableInfo
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.tallies import Writers as Writing
from dynodesk.domain.values import Item, KeyValue, Number, String, Value
from dynodesk.reconcile.binding import bind_rules
from dynodesk.reconcile.looking import Suspect
from dynodesk.reconcile.rules import parse_rules
from dynodesk.reconcile.schedule import Schedule
from tests.helpers.plain_sweep import PlainSweeper
from tests.simulator.line import Line
from tests.simulator.reading import Network, SimulatedReader
from tests.simulator.tables import Address, Lags, Place, Record, Service, Table
from tests.simulator.timeline import Steps, Timeline
from tests.simulator.truth import Ledger
from tests.simulator.writers import DEATHS, TALLY, VERSION, Post, Writers

NOW = 1.8e9
"""Seconds since 1970, for what expires; nothing does here."""
INDEX = IndexInfo(
    "GSI1",
    "GSI",
    KeySchema((KeyAttribute("GSI1PK", "S"),), (KeyAttribute("GSI1SK", "S"),)),
    Projection("ALL"),
)
TABLE = TableInfo("Social", KeySchema((KeyAttribute("PK", "S"),), (KeyAttribute("SK", "S"),)))

RULE = """\
version = 1
[[tally]]
name = "likes"
table = "Social"
parent = {{ PK = "POST#{{post}}", SK = "META" }}
attribute = "likeTally"
children = {children}
writers = "{writers}"
settle = {settle}
wait = {wait}
missing = "{missing}"
{more}"""
VERSIONED = f'version = "{VERSION}"\n'
MARKED = 'marker = "_repaired"\nrepairs = "probable"\n'
RULES_FILE = "likes.toml"

CHILDREN = '{ PK = "POST#{post}", SK = "LIKE#{user}" }'
BEHIND_INDEX = '{ index = "GSI1", GSI1PK = "POST#{post}", GSI1SK = "LIKE#{user}" }'

WriterClass = Literal["W-tx", "W-2c", "W-2t", "W-async", "W-crash", "W-rmw", "W-parent"]

WAITS: dict[Writing, tuple[float, ...]] = {
    "transaction": (10, 30, 30),
    "two-step": (60, 300, 300),
    "async": (3600, 90000),
}
MIXES: dict[Writing, tuple[tuple[WriterClass, ...], ...]] = {
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
    "async": (("W-async",),),
}
"""Who may write to a table about which a rule says so."""
BUGS: frozenset[WriterClass] = frozenset({"W-crash", "W-rmw", "W-parent"})
FEW_DRIFTS, MANY_DRIFTS = (0, 0, 0, 1, -1, 2, -3, 7, 40), (0, 1, 1, -1, -1, 2, -2, -3, 7, 40)
RARE = 0.05
"""The share of a post's operations that a bug does, where somebody else writes as well."""
USERS = "abcdefghijklmnopqrstuvwx"


@dataclass
class World:
    """One table with posts, their writers under way, and what is true of them."""

    chance: random.Random
    timeline: Timeline
    service: Service
    table: Table
    ledger: Ledger
    rule: TallyRule
    text: str
    """The rules file."""
    network: Network
    writers: Writers
    posts: list[Post] = field(default_factory=list)
    mixes: list[tuple[WriterClass, ...]] = field(default_factory=list)
    """Of each post, who writes to it; empty: nobody."""
    stalked: dict[Place, Callable[[], object]] = field(default_factory=dict)
    """Partitions with writers who like to write when a tool reads there."""
    seed: str = ""

    def reader(self) -> SimulatedReader:
        """A reader for one tool."""
        reader = SimulatedReader(self.service, self.network, self.chance)
        reader.before_request = self._stalk
        return reader

    def schedule(self, ticket: Ticket) -> Schedule:
        """The engine on this world, for one tool."""
        reader = self.reader()
        pace = Pace(Meter(), Limits(), self.timeline)
        return Schedule(reader, PlainSweeper(reader), pace, self.timeline, self.chance, ticket, now=NOW)

    def suspect(self, post: int) -> Suspect:
        return Suspect(self.rule, {"post": f"p{post}"}, self.posts[post].key)

    def _stalk(self, partition: Place | None) -> None:
        if partition is None:  # a Scan reads them all, a few at a time
            partition = self.chance.choice([*self.stalked, None])
        if partition in self.stalked:
            self.stalked[partition]()


def bare_world(
    chance: random.Random,
    kind: Writing = "transaction",
    *,
    settle: float = 2.0,
    wait: float = 30.0,
    missing: str = "report",
    versioned: bool = True,
    marked: bool = False,
    behind_index: bool = False,
    capacity: float | None = None,
    replica_lag: float = 0.0,
) -> World:
    """A world without posts, on a network that loses nothing.

    `behind_index`: likes are all over the table, and only an index that lags holds those of a post together.
    `replica_lag`: how many seconds behind an eventually consistent read may be.
    """
    timeline = Timeline()
    info = replace(TABLE, indexes=(INDEX,)) if behind_index else TABLE
    children = BEHIND_INDEX if behind_index else CHILDREN
    more = VERSIONED * versioned + MARKED * marked
    text = RULE.format(children=children, writers=kind, settle=settle, wait=wait, missing=missing, more=more)
    (rule,) = bind_rules(parse_rules(text, RULES_FILE), lambda _: info, lambda _: None)
    service = Service(timeline, chance, longest_skew=0.95 * settle)
    lags = Lags()
    if replica_lag:
        lags.replica = lambda: chance.uniform(0, replica_lag)
    if kind == "async":
        lags.stream = lambda: _stream_lag(chance, wait)
    table = service.add(info, lags, capacity)
    ledger = Ledger(timeline, TALLY, missing_is_zero=missing == "zero")
    table.watchers.append(ledger)
    timeline.after_step = ledger.record
    writers = Writers(service, ledger, Line(timeline, chance), chance, wait)
    made = World(chance, timeline, service, table, ledger, rule, text, Network(), writers)
    if kind == "async":
        table.on_record = lambda record: _consume(made, record)
    return made


def bare_post(
    made: World, likes: str, present: str, drift: int, *, tally: Literal["there", "missing", "text"] = "there"
) -> Post:
    """A post that nobody writes to. `likes`: one letter for each user who may like it; `present`: who does."""
    name = f"POST#p{len(made.posts)}"
    key: dict[str, KeyValue] = {"PK": String(name), "SK": String("META")}
    every = {user: _like(made, name, user) for user in likes}
    blank: Item = {**key, "title": String("a post"), TALLY: Number("0"), VERSION: Number("1")}
    parent: dict[str, Value] = {**blank, VERSION: Number(str(made.chance.randint(1, 99)))}
    parent[TALLY] = Number(str(len(present) + drift))
    if tally == "missing":
        del parent[TALLY]
    elif tally == "text":
        parent[TALLY] = String("seven")
    made.table.seed(parent, {**key, "SK": String("COMMENT#1")}, {**key, "SK": String("NOTE#1")})
    made.table.seed(*(every[user] for user in present))
    address = made.table.address(key)
    addresses: dict[Address, Item] = {made.table.address(like): like for like in every.values()}
    standing = made.ledger.follow(made.table, address, list(addresses))
    made.posts.append(Post(made.table, key, address, blank, addresses, standing))
    made.mixes.append(())
    return made.posts[-1]


def _like(made: World, post: str, user: str) -> dict[str, KeyValue]:
    if made.rule.children.index is None:
        return {"PK": String(post), "SK": String(f"LIKE#{user}")}
    return {
        "PK": String(f"USER#{user}"),
        "SK": String(f"LIKES#{post}"),
        "GSI1PK": String(post),
        "GSI1SK": String(f"LIKE#{user}"),
    }


def world(seed: str, *, to_repair: bool = False) -> World:
    """The world of a seed, its writers at work. `to_repair`: its rule allows to repair, and most tallies are off."""
    chance = random.Random(seed)
    kind = chance.choices(tuple(WAITS), (60, 25, 15))[0]
    versioned = chance.random() < 0.6
    made = bare_world(
        chance,
        kind,
        settle=chance.choice((0.5, 2.0, 2.0)),
        wait=chance.choice(WAITS[kind]),
        missing=chance.choice(("report", "zero")),
        versioned=versioned,
        marked=to_repair and (not versioned or chance.random() < 0.5),
        behind_index=chance.random() < 0.1,
        capacity=chance.choice((None, None, None, None, 60.0)),
        replica_lag=chance.choice((0.0, 0.5, 5.0)) if to_repair else 0.0,  # only what is repaired is swept for
    )
    made.seed = seed
    made.writers.line.losses = chance.choice((0.0, 0.0, 0.02, 0.1))
    slow = chance.choice((0.002, 0.004, 0.02))
    made.network.latency = lambda: chance.uniform(0.2, 1.8) * slow
    made.network.page_keys = chance.choice((1, 2, 3, 5, 8))
    made.network.key_gap = chance.choice((0.0, 0.002, 0.01))
    made.network.losses = chance.choice((0.0, 0.0, 0.01, 0.05))
    for _ in range(chance.randint(5, 12)):
        if to_repair:  # a post that is always busy is never repaired
            _random_post(made, kind, MANY_DRIFTS, stalked=0.15)
        else:
            _random_post(made, kind, FEW_DRIFTS, stalked=0.4)
    return made


def _random_post(made: World, kind: Writing, drifts: Sequence[int], stalked: float) -> None:
    chance = made.chance
    mix = chance.choice(MIXES[kind]) if chance.random() < 0.85 else ()
    likes = USERS[: chance.choice((2, 3, 4, 8, 16, 24))]
    present = "".join(user for user in likes if chance.random() < 0.5)
    tally: Literal["there", "missing", "text"] = "there"
    if not mix:
        tally = chance.choices(("there", "missing", "text"), (70, 20, 10))[0]
    elif chance.random() < 0.02:
        tally = "missing"
    post = bare_post(made, likes, present, chance.choice(drifts), tally=tally)
    post.gives_incarnations = chance.random() < 0.5
    made.mixes[-1] = mix
    if mix:
        _set_to_work(made, post, mix, stalked)
    elif chance.random() < 0.2:
        made.timeline.start(made.writers.delete_or_create_parent(post))


def _stream_lag(chance: random.Random, wait: float) -> float:
    """Mostly under a second, sometimes as long as the record is kept."""
    return chance.uniform(0, 1) if chance.random() < 0.85 else chance.uniform(0, 0.5 * wait)


def _consume(made: World, record: Record) -> None:
    for post in made.posts:
        if record.address in post.likes:
            made.writers.consume(post, record)


def _set_to_work(made: World, post: Post, mix: tuple[WriterClass, ...], stalked: float) -> None:
    """Writers come by chance, slowly or often; at a share of posts also when they see that a tool reads."""
    chance = made.chance
    usual = [writer for writer in mix if writer not in BUGS] or list(mix)
    bugs = [writer for writer in mix if writer in BUGS]

    def operation() -> Steps:
        return _operation(made, post, chance.choice(bugs if bugs and chance.random() < RARE else usual))

    def poisson(per_second: float) -> Steps:
        while True:
            yield chance.expovariate(per_second)
            made.timeline.start(operation())

    made.timeline.start(poisson(10 ** chance.uniform(-1.5, 1) / made.rule.wait))
    if chance.random() < stalked:
        share, most, spread = chance.choice((0.02, 0.1, 0.5)), chance.choice((1, 2, 4)), chance.choice((0.02, 0.1))

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
