"""Repairs in a simulated world, from the run that finds the drift to the last look, judged by what was really so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.findings import Finding
from dynodesk.domain.pacing import Limits, Pace
from dynodesk.domain.progress import Ticket
from dynodesk.domain.repairs import WRITTEN, Place, RepairResult, RulesText
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.values import Number
from dynodesk.domain.writes import GuardedUpdate
from dynodesk.domain.writing import INTENT, Hands
from dynodesk.reconcile.confirm import Protocol
from dynodesk.reconcile.ledger import Ledger
from dynodesk.reconcile.looking import Suspect
from dynodesk.reconcile.planning import Planner
from dynodesk.reconcile.repair import RepairRun, Sight
from dynodesk.reconcile.run import Origin, Run, Scope
from dynodesk.reconcile.schedule import Confirmed
from dynodesk.reconcile.undo import resolve_open, to_undo, undo
from tests.faults.figures import Figures
from tests.helpers.plain_sweep import PlainSweeper
from tests.reconcile.model.world import Truth
from tests.simulator.judge import last_try, listed
from tests.simulator.reading import SimulatedReader
from tests.simulator.worlds import RULES_FILE, TABLE, World
from tests.simulator.writing import SimulatedWriter

TWO_TOOLS = 0.4
"""Of the worlds, those in which a second tool repairs the same at the same time."""
SWEPT = 0.3
"""Of the tools, those that look for what is off in a sweep of the table."""
KILLED, UNDONE = 0.15, 0.25
"""Of the tools, those whose program is killed while it repairs, and those that take all their repairs back."""
UNCERTAIN = frozenset({"", "unknown", "unclear", "likely", "settled"})
"""What may be said of a write whether it was applied or not."""
PLACE = Place("", "simulated", "simulated")
LOSSES = (0.0, 0.1, 0.4)
"""Shares of guarded writes that are lost, or whose answers are."""


def repair_in(made: World, figures: Figures) -> None:
    """Find what is off in a world and repair it; in some worlds a second tool does so too."""
    tools = [Tool(made, figures)]
    if made.chance.random() < TWO_TOOLS:
        tools.append(Tool(made, figures, tools[0].last_repair, tools[0].last_change))
    threads = [made.timeline.in_thread(tool.repair) for tool in tools]
    for thread in threads:
        made.timeline.start(thread, made.chance.uniform(0, 5))
    while not all(thread.is_over for thread in threads):
        made.timeline.step()
    made.timeline.advance(10.0)  # until what was sent late has arrived
    for tool in tools:
        tool.check_what_was_told()


class Killed(BaseException):
    """The program is no more."""


@dataclass(frozen=True)
class Entry:
    sequence: int
    at: str
    kind: str
    payload: Mapping[str, object]


@dataclass
class Journal:
    made: World
    entries: list[Entry] = field(default_factory=list)
    ends_at: int = 0
    """At which record the program is killed, before or after it is on the disk; 0: at none."""

    def append(self, kind: str, payload: Mapping[str, object]) -> None:
        is_last = len(self.entries) + 1 == self.ends_at
        if is_last and self.made.chance.random() < 0.5:
            raise Killed
        self.entries.append(Entry(len(self.entries) + 1, self.made.timeline.utc(), kind, payload))
        if is_last:
            raise Killed


@dataclass
class Tool:
    """One dynodesk, with a journal of its own."""

    made: World
    figures: Figures
    last_repair: dict[int, float] = field(default_factory=dict)
    """By post, when any tool wrote to it last."""
    last_change: dict[int, int] = field(default_factory=dict)
    """By post, what that added to the tally."""
    results: tuple[RepairResult, ...] = ()
    told: dict[str, tuple[str, int]] = field(default_factory=dict)
    """What was said of an undoing, or of a write of a program that was killed: by its id, with the post's number."""
    arrived: Counter[str] = field(default_factory=Counter)
    """By repair, how often it was applied."""
    changed: dict[str, int] = field(default_factory=dict)
    """By repair, what it added to the tally."""
    looked_since: dict[int, float] = field(default_factory=dict)
    """By post, when the try began on which its next repair rests."""
    _sent: list[tuple[GuardedUpdate, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.journal = Journal(self.made)

    def repair(self) -> None:
        made, ticket = self.made, Ticket()
        reader = made.reader()
        chosen = tuple(made.suspect(number) for number in range(len(made.posts)))
        scope = Scope(None if made.chance.random() < SWEPT else chosen)
        origin = Origin(PLACE.identity, PLACE.endpoint, PLACE.region, RULES_FILE)
        run = Run(
            [made.rule],
            scope,
            reader,
            PlainSweeper(reader),
            reader.meter,
            origin,
            clock=made.timeline,
            chance=made.chance,
        )
        try:
            report = run.report(ticket, self._found)
            planner = Planner(reader, PLACE, {made.table.info.name: made.table.info})
            plan = planner.plan(report, [made.rule], RulesText(RULES_FILE, made.text), made.timeline.utc(), ticket)
        except DynodeskError as fault:
            self.figures.repairs[f"no plan: {fault.code}"] += 1
            return
        if made.chance.random() < KILLED:
            self.journal.ends_at = made.chance.randint(2, 25)
        try:
            run_of_repairs = RepairRun(plan, {made.rule.name: made.rule}, self._sight(reader), self._hands(reader))
            self.results = run_of_repairs.report(ticket).results
        except Killed:
            self.figures.repairs["killed"] += 1
            self.journal.ends_at = 0
            made.timeline.advance(made.chance.uniform(5.0, 60.0))  # until somebody starts it again
            self._resolve(reader, ticket)
        self.journal.ends_at = 0
        if made.chance.random() < UNDONE:
            self._undo(reader, ticket)

    def _resolve(self, reader: SimulatedReader, ticket: Ticket) -> None:
        ledger = Ledger.of(self.journal.entries)
        rules = {self.made.rule.name: self.made.rule}
        sight, hands = self._sight(reader), self._hands(reader)
        for resolved in resolve_open(ledger, PLACE, lambda _: rules, sight, hands, ticket):
            self.told[resolved.write.id] = resolved.outcome, self._number(resolved.write.update.key)
        for write in Ledger.of(self.journal.entries).writes.values():
            self.told.setdefault(write.id, (write.outcome, self._number(write.update.key)))

    def _undo(self, reader: SimulatedReader, ticket: Ticket) -> None:
        ledger = Ledger.of(self.journal.entries)
        for write in ledger.writes.values():
            if write.outcome == "applied":
                undone = undo(to_undo(ledger, write.id, PLACE, frozenset({TABLE.name})), self._hands(reader), ticket)
                self.told[f"undo:{write.id}"] = undone.outcome, self._number(write.update.key)

    def _sight(self, reader: SimulatedReader) -> JudgedSight:
        made, pace = self.made, Pace(reader.meter, Limits(), self.made.timeline)
        return JudgedSight(reader, PlainSweeper(reader), pace, made.timeline, made.chance, told=self._looked)

    def _hands(self, reader: SimulatedReader) -> Hands:
        made = self.made
        network = replace(made.network, losses=made.chance.choice(LOSSES))
        writer = SimulatedWriter(made.service, network, made.chance)
        writer.before_request, writer.on_arrival = self._sends, self._arrives
        return Hands(reader, writer, self.journal, made.timeline, made.chance)

    def check_what_was_told(self) -> None:
        """Each write must have been applied as often as was said of it."""
        for result in self.results:
            outcome: str = result.outcome
            self._check(result.repair.id, outcome, self._number(result.repair.key), was_written=outcome in WRITTEN)
        for write_id, (outcome, number) in self.told.items():
            self._check(write_id, outcome, number, was_written=outcome in {"applied", "undone"})

    def _check(self, write_id: str, outcome: str, number: int, *, was_written: bool) -> None:
        self.figures.repairs[f"told {outcome}"] += 1
        times = self.arrived[write_id]
        if times == was_written or (times < 2 and outcome in UNCERTAIN):
            return
        if was_written and times == 0 and self.made.rule.marker is None and number in self.last_repair:
            # Another tool repaired the same, and without a marker nothing tells its write from ours.
            self.figures.repairs["told as ours"] += 1
            return
        marked = "marked" if self.made.rule.marker else "not marked"
        self.figures.misreported.append(
            f"{self.made.seed} p{number}: {write_id}, {marked}, told {outcome}, and applied {times} times"
        )

    def _found(self, finding: Finding) -> None:
        number = self._number(finding.parent)
        if finding.evidence.looks:
            self.figures.confirmed(self.made, number, finding, finding.evidence.looks, "")

    def _looked(self, confirmed: Confirmed, protocol: Callable[[TallyRule], Protocol]) -> None:
        number = self._number(confirmed.suspect.key)
        self.looked_since[number] = last_try(confirmed.looks, self.made.rule.settle)
        if protocol == Protocol.of:  # otherwise it rests on looks from before
            self.figures.confirmed(self.made, number, confirmed.outcome, confirmed.looks, "in repairs")

    def _sends(self, update: GuardedUpdate) -> None:
        entry = self.journal.entries[-1]
        assert entry.kind == INTENT
        self._sent.append((update, str(entry.payload["id"])))

    def _arrives(self, update: GuardedUpdate) -> None:
        """At this instant the tally changes by so much: it must be what was off, since nobody else repaired it."""
        number, now = self._number(update.key), self.made.timeline.now()
        path = self.made.rule.attribute
        value = update.add.get(path) or update.put[path]
        assert isinstance(value, Number)
        change, (write_id,) = int(value.text), [each for sent, each in self._sent if sent is update][:1]
        self.arrived[write_id] += 1
        repair_id = write_id.removeprefix("undo:")
        if repair_id != write_id:
            # Without a marker it may be another tool's that is taken back: the same one, and once.
            is_right, kind = change == -self.changed.get(repair_id, self.last_change[number]), "undo"
            truths: set[Truth] = set()
        else:
            self.changed[repair_id] = change
            since = max(self.looked_since[number], self.last_repair.get(number, 0.0))
            truths = self.made.posts[number].standing.between(since, now)
            is_right, kind = Truth("drift", -change) in truths, "repair"
        self.last_repair[number], self.last_change[number] = now, change
        self.figures.repairs[f"{'right' if is_right else 'wrong'} {kind}"] += 1
        if not is_right:
            said = f"{kind} by {change:+d}, where the truth was {listed(truths)}"
            self.figures.false.append(f"{self.made.seed} p{number}: {said}")

    def _number(self, key: object) -> int:
        return next(number for number, post in enumerate(self.made.posts) if post.key == key)


@dataclass(frozen=True)
class JudgedSight(Sight):
    """Tells what was concluded, by which protocol."""

    told: Callable[[Confirmed, Callable[[TallyRule], Protocol]], object]

    def confirmed(
        self, suspects: Iterable[Suspect], ticket: Ticket, protocol: Callable[[TallyRule], Protocol] = Protocol.of
    ) -> Iterator[Confirmed]:
        for confirmed in super().confirmed(suspects, ticket, protocol):
            self.told(confirmed, protocol)
            yield confirmed
