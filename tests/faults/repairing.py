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
from dynodesk.domain.values import Number, plain_digits
from dynodesk.domain.writes import GuardedUpdate
from dynodesk.reconcile.confirm import Protocol
from dynodesk.reconcile.looking import Suspect
from dynodesk.reconcile.planning import Planner
from dynodesk.reconcile.repair import RepairRun, Sight
from dynodesk.reconcile.run import Origin, Run, Scope
from dynodesk.reconcile.schedule import Confirmed
from dynodesk.reconcile.writing import INTENT, Hands
from tests.faults.figures import Figures
from tests.helpers.plain_sweep import PlainSweeper
from tests.reconcile.model.world import Truth
from tests.simulator.judge import last_try, listed
from tests.simulator.worlds import RULES_FILE, World
from tests.simulator.writing import SimulatedWriter

TWO_TOOLS = 0.4
"""Of the worlds, those in which a second tool repairs the same at the same time."""
LOSSES = (0.0, 0.1, 0.4)
"""Shares of guarded writes that are lost, or whose answers are."""


def repair_in(made: World, figures: Figures) -> None:
    """Find what is off in a world and repair it; in some worlds a second tool does so too."""
    last_repair: dict[int, float] = {}
    tools = [Tool(made, figures, last_repair)]
    if made.chance.random() < TWO_TOOLS:
        tools.append(Tool(made, figures, last_repair))
    threads = [made.timeline.in_thread(tool.repair) for tool in tools]
    for thread in threads:
        made.timeline.start(thread, made.chance.uniform(0, 5))
    while not all(thread.is_over for thread in threads):
        made.timeline.step()
    made.timeline.advance(10.0)  # until what was sent late has arrived
    for tool in tools:
        tool.check_what_was_told()


class Journal:
    def __init__(self) -> None:
        self.records: list[tuple[str, Mapping[str, object]]] = []

    def append(self, kind: str, payload: Mapping[str, object]) -> None:
        self.records.append((kind, payload))


@dataclass
class Tool:
    """One dynodesk, with a journal of its own."""

    made: World
    figures: Figures
    last_repair: dict[int, float]
    """By post, when any tool repaired it last."""
    journal: Journal = field(default_factory=Journal)
    results: tuple[RepairResult, ...] = ()
    arrived: Counter[str] = field(default_factory=Counter)
    """By repair, how often it was applied."""
    looked_since: dict[int, float] = field(default_factory=dict)
    """By post, when the try began on which its next repair rests."""
    _sent: list[tuple[GuardedUpdate, str]] = field(default_factory=list)

    def repair(self) -> None:
        made, ticket = self.made, Ticket()
        reader = made.reader()
        suspects = tuple(made.suspect(number) for number in range(len(made.posts)))
        origin = Origin("", "simulated", "simulated", RULES_FILE)
        run = Run(
            [made.rule],
            Scope(suspects),
            reader,
            PlainSweeper(reader),
            reader.meter,
            origin,
            clock=made.timeline,
            chance=made.chance,
        )
        try:
            report = run.report(ticket, self._found)
            planner = Planner(reader, Place("", "simulated", "simulated"), {made.table.info.name: made.table.info})
            plan = planner.plan(report, [made.rule], RulesText(RULES_FILE, made.text), made.timeline.utc(), ticket)
        except DynodeskError as fault:
            self.figures.repairs[f"no plan: {fault.code}"] += 1
            return
        pace = Pace(reader.meter, Limits(), made.timeline)
        sight = JudgedSight(reader, PlainSweeper(reader), pace, made.timeline, made.chance, told=self._looked)
        network = replace(made.network, losses=made.chance.choice(LOSSES))
        writer = SimulatedWriter(made.service, network, made.chance)
        writer.before_request, writer.on_arrival = self._sends, self._arrives
        hands = Hands(reader, writer, self.journal, made.timeline, made.chance)
        self.results = RepairRun(plan, {made.rule.name: made.rule}, sight, hands).report(ticket).results

    def check_what_was_told(self) -> None:
        """Each repair must have been applied as often as its outcome says."""
        for result in self.results:
            times = self.arrived[result.repair.id]
            self.figures.repairs[f"told {result.outcome}"] += 1
            expected = {1} if result.outcome in WRITTEN else {0, 1} if result.outcome == "unknown" else {0}
            if times not in expected:
                self.figures.repairs["told wrongly"] += 1
                said = f"told {result.outcome} ({result.reason}), and applied {times} times"
                self.figures.false.append(f"{self.made.seed} {result.repair.parent_text}: {said}")

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
        kind, payload = self.journal.records[-1]
        assert kind == INTENT
        self._sent.append((update, str(payload["id"])))

    def _arrives(self, update: GuardedUpdate) -> None:
        """At this instant the tally changes by so much: it must be what was off, since nobody else repaired it."""
        number, now = self._number(update.key), self.made.timeline.now()
        path = self.made.rule.attribute
        change = update.add.get(path) or update.put[path]
        assert isinstance(change, Number)
        since = max(self.looked_since[number], self.last_repair.get(number, 0.0))
        truths = self.made.posts[number].standing.between(since, now)
        is_right = Truth("drift", -int(change.value)) in truths
        self.figures.repairs["right" if is_right else "wrong"] += 1
        if not is_right:
            said = f"repaired by {plain_digits(change.value)}, where the truth was {listed(truths)}"
            self.figures.false.append(f"{self.made.seed} p{number}: {said}")
        self.last_repair[number] = now
        (repair_id,) = [each for sent, each in self._sent if sent is update][:1]
        self.arrived[repair_id] += 1

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
