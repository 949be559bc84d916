"""Faults while tallies are counted: no verdict rests on them, and what passes leaves no trace in the report."""

from __future__ import annotations

import random
from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from dynodesk.aws.calls import Calls, Patience, Patiences
from dynodesk.aws.clients import Clients
from dynodesk.aws.raw import RawPages
from dynodesk.aws.reader import DynamoReader
from dynodesk.domain.capacity import Meter
from dynodesk.domain.errors import Busy, DynodeskError, InvalidRules, NotAllowed, ServiceFailed, TableMissing, Throttled
from dynodesk.domain.findings import Report
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import Page, QueryPlan
from dynodesk.domain.repairs import Place, RepairPlan, RulesText
from dynodesk.domain.sweeping import TableSweeper
from dynodesk.domain.tables import IndexInfo, Key, KeyAttribute, KeySchema, Projection, TableInfo
from dynodesk.domain.values import Number, String
from dynodesk.reconcile.binding import bind_rules
from dynodesk.reconcile.choosing import choose_parents
from dynodesk.reconcile.planning import Planner
from dynodesk.reconcile.rules import parse_rules
from dynodesk.reconcile.run import Origin, Run, Scope
from dynodesk.workbench.sweeping import DuckSweeper
from tests.aws.tables import make_table, plain_client
from tests.faults.proxy import PASS, THROTTLE, Cut, Drop, Exchange, Fault, FaultProxy, Rewrite, error
from tests.faults.repairs import GUARDS, RULE
from tests.faults.spoilt import ALL, HASTY
from tests.faults.test_reading import cancelled, leave_out
from tests.helpers.memory_reader import MemoryReader
from tests.helpers.plain_sweep import PlainSweeper
from tests.helpers.social import RULES, SOCIAL, key, likes, no_time_to_live, post, social
from tests.helpers.virtual_clock import VirtualClock
from tests.reconcile.test_run import Bench, verdicts
from tests.simulator.worlds import bare_post, bare_world

POSTS = {"off": (5, 3), "right": (2, 2), "short": (0, 4)}
"""What each stores, and how many likes it has."""
FOUND = [("exact", "POST#short / META", "0", "4", "-4"), ("exact", "POST#off / META", "5", "3", "+2")]

INDEX = IndexInfo(
    "GSI1", "GSI", KeySchema((KeyAttribute("G1", "S"),), (KeyAttribute("G2", "S"),)), Projection("KEYS_ONLY")
)
OWN_CHILDREN, BEHIND_INDEX = 'PK = "POST#{post}", SK =', 'index = "GSI1", G1 = "POST#{post}", G2 ='


def stored_items(posts: dict[str, tuple[int, int]]) -> Iterator[dict[str, Any]]:
    for name, (tally, count) in posts.items():
        key = {"PK": {"S": f"POST#{name}"}}
        yield {**key, "SK": {"S": "META"}, "likeTally": {"N": str(tally)}, "rev": {"N": "7"}}
        for n in range(count):
            like = {"S": f"LIKE#{n}"}
            yield {**key, "SK": like, "G1": key["PK"], "G2": like}


@pytest.fixture(scope="module")
def table(ministack: str) -> str:
    return make_table(plain_client(ministack), list(stored_items(POSTS)), index={"G1": "S", "G2": "S"})


class Line:
    """A rule over a table behind the fault proxy. It tries as it always does, without the waits."""

    def __init__(self, clients: Clients, table: str, *, guard: str = GUARDS[0], calls: Calls | None = None) -> None:
        self.clients, self.clock, self.meter = clients, VirtualClock(), Meter()
        self.calls = calls or Calls(clients, self.meter, brief=HASTY, long=HASTY)
        self.reader = DynamoReader(clients, self.meter, self.calls)
        self.info = TableInfo(table, SOCIAL.key_schema, (INDEX,))
        self.source = RulesText("rules.toml", RULE.format(table=table) + guard)

    def report(self, *posts: str, sweeper: TableSweeper | None = None) -> Report:
        """Of these posts; of all that a sweep finds where none is given."""
        rules = self._rules()
        chosen = choose_parents([f"post={name}" for name in posts], rules) if posts else None
        sweeper = sweeper or PlainSweeper(self.reader)
        origin = Origin("", "", "", "rules.toml")
        run = Run(rules, Scope(chosen), self.reader, sweeper, self.meter, origin, clock=self.clock)
        return run.report(Ticket())

    def plan(self, report: Report) -> RepairPlan:
        planner = Planner(self.reader, Place("", "", ""), {self.info.name: self.info})
        return planner.plan(report, self._rules(), self.source, self.clock.utc(), Ticket())

    def _rules(self) -> Any:
        return bind_rules(parse_rules(self.source.text, self.source.file), lambda _: self.info, no_time_to_live)


# ------------------------------------------------------------------------------------- replies that are damaged or lost

ONE_BY_ONE = [name for name, (fault, _) in ALL.items() if not (isinstance(fault, Rewrite) and fault.change)]
"""Faults that do not look into a page."""


@pytest.mark.parametrize(
    ("operation", "name"),
    [*(("Query", name) for name in ALL), *(("TransactGetItems", name) for name in ONE_BY_ONE)],
)
def test_a_fault_that_stays_ends_in_no_verdict_and_no_repair(
    clients: Clients, proxy: FaultProxy, table: str, operation: str, name: str
) -> None:
    proxy.always(operation, ALL[name][0])
    line = Line(clients, table)
    report = line.report()
    assert not report.found_drift
    assert report.undecided
    assert line.plan(report).repairs == ()


PASSING = (
    *("cut in the body", "cut before the body, neither checksum nor length", "wrong checksum", "not JSON"),
    *("throttled", "unavailable", "closed without a byte", "reply lost"),
)


@pytest.mark.parametrize("name", PASSING)
@pytest.mark.parametrize("operation", ["Query", "TransactGetItems"])
def test_a_fault_that_passes_changes_no_verdict(
    clients: Clients, proxy: FaultProxy, table: str, operation: str, name: str
) -> None:
    proxy.on(operation, ALL[name][0], nth=2)
    report = Line(clients, table).report("off", "right", "short")
    assert verdicts(report) == FOUND
    assert report.complete


def test_a_third_of_the_reads_throttled_and_others_cut_changes_no_verdict(
    clients: Clients, proxy: FaultProxy, ministack: str
) -> None:
    posts = {f"p{n:02}": (n % 3, 1) for n in range(15)}
    table = make_table(plain_client(ministack), list(stored_items(posts)))
    many = Patience(tries=100, seconds=600, first_wait=0, longest_wait=0)
    patient = Patiences(many, many, many, many)
    found = []
    for share in (0.0, 1.0):
        for operation in ("Scan", "Query", "TransactGetItems"):
            proxy.always(operation, THROTTLE, share=0.3 * share)
            proxy.always(operation, Cut(), share=0.1 * share)
            proxy.always(operation, error("InternalServerError", 500), share=0.1 * share)
        meter = Meter()
        calls = Calls(clients, meter, brief=patient, long=patient)
        pages = RawPages(clients, meter, calls)
        report = Line(clients, table, calls=calls).report(sweeper=DuckSweeper(pages, "here"))
        pages.close()
        found.append(verdicts(report))
        assert report.complete
        assert bool(meter.retries) is bool(share)
    assert found[0] == found[1]
    assert len(found[0]) == 10


def an_item_twice(body: dict[str, Any]) -> None:
    if body["Items"]:
        body["Items"].insert(0, body["Items"][0])
        body["Count"] += 1
        body["ScannedCount"] += 1


def items_backwards(body: dict[str, Any]) -> None:
    body["Items"].reverse()


@pytest.mark.parametrize("change", [an_item_twice, items_backwards])
def test_children_that_come_twice_or_out_of_order_are_not_counted(
    clients: Clients, proxy: FaultProxy, table: str, change: Any
) -> None:
    proxy.always("Query", Rewrite(change))
    report = Line(clients, table).report("off", "right")
    assert report.findings == ()
    assert sum("twice or out of order" in note for note in report.notes) == 2


def test_children_behind_an_index_that_a_scan_returns_twice_are_counted_once(
    clients: Clients, proxy: FaultProxy, table: str
) -> None:
    line = Line(clients, table)
    behind_index = line.source.text.replace(OWN_CHILDREN + ' "LIKE', BEHIND_INDEX + ' "LIKE')
    line.source = RulesText("rules.toml", behind_index)
    proxy.always("Scan", Rewrite(an_item_twice))
    pages = RawPages(clients, line.meter, line.calls)
    report = line.report(sweeper=DuckSweeper(pages, "here"))
    pages.close()
    assert verdicts(report) == FOUND
    assert any(look.what == f"Pass 1, strong, Scan of {table}" for look in report.findings[0].evidence.looks)


@pytest.mark.parametrize(
    ("codes", "expected", "tries"),
    [
        (("TransactionConflict", "ThrottlingError"), Busy, 1),
        (("TransactionConflict", "AccessDenied"), NotAllowed, 1),
        (("ThrottlingError", "ValidationError"), ServiceFailed, 1),
        (("ThrottlingError", "None"), Throttled, 4),
    ],
)
def test_of_mixed_reasons_only_those_that_pass_are_waited_for(
    clients: Clients, proxy: FaultProxy, table: str, codes: tuple[str, ...], expected: type[DynodeskError], tries: int
) -> None:
    proxy.always("TransactGetItems", cancelled(*codes))
    keys = [(table, {"PK": String(f"POST#{name}"), "SK": String("META")}) for name in ("off", "right")]
    with pytest.raises(expected) as raised:
        Line(clients, table).reader.transact_get(keys, Ticket())
    assert raised.value.details.endswith(": " + ", ".join(codes))  # in the order of what was asked for
    assert proxy.counts["TransactGetItems"] == tries


def test_a_marker_that_the_service_left_for_later_is_no_deleted_parent(
    clients: Clients, proxy: FaultProxy, table: str
) -> None:
    line = Line(clients, table, guard=GUARDS[2])
    report = line.report("off")
    proxy.on("BatchGetItem", leave_out(1))
    plan = line.plan(report)
    assert (len(plan.repairs), plan.left_out, proxy.counts["BatchGetItem"]) == (1, (), 2)
    proxy.always("BatchGetItem", leave_out(1))
    with pytest.raises(Throttled):
        line.plan(report)


# ------------------------------------------------------------------------------------------------------------ patience


class Outage(Fault):
    """For so many seconds from the first request on; then all is well."""

    def __init__(self, clock: VirtualClock, seconds: float, fault: Fault) -> None:
        self._clock, self._seconds, self._fault = clock, seconds, fault
        self._end: float | None = None

    def apply(self, exchange: Exchange) -> None:
        self._end = self._clock.now() + self._seconds if self._end is None else self._end
        (self._fault if self._clock.now() < self._end else PASS).apply(exchange)


@pytest.mark.parametrize(
    ("operation", "fault", "seconds"),
    [
        ("Scan", THROTTLE, 300),
        ("Query", THROTTLE, 300),
        ("Scan", Drop(), 60),
        ("Query", Drop(), 60),
        ("TransactGetItems", Drop(), 60),
    ],
    ids=[
        "a sweep throttled for five minutes",
        "a count throttled for five minutes",
        "a sweep without network for a minute",
        "a count without network for a minute",
        "a parent without network for a minute",
    ],
)
def test_minutes_without_capacity_or_network_are_waited_out(
    clients: Clients,
    proxy: FaultProxy,
    table: str,
    monkeypatch: pytest.MonkeyPatch,
    operation: str,
    fault: Fault,
    seconds: float,
) -> None:
    clock = VirtualClock()
    monkeypatch.setattr("dynodesk.aws.calls.time", SimpleNamespace(monotonic=clock.now))
    clients.answered.set()
    calls = Calls(clients, sleep=lambda ticket, wait: clock.sleep(wait, ticket))
    proxy.always(operation, Outage(clock, seconds, fault))
    report = Line(clients, table, calls=calls).report()
    assert verdicts(report) == FOUND
    assert report.complete
    assert clock.now() >= seconds
    assert max(clock.slept) <= 5
    assert len(clock.slept) < seconds / 2  # and not one request after the other


def test_a_hot_partition_is_left_for_later_and_the_others_go_on() -> None:
    made = bare_world(random.Random(1))
    for _ in range(4):
        bare_post(made, "abcdef", "ace", 2)
    hot = made.posts[1].address[0]
    asked: list[float] = []

    def nothing_is_left_at_first() -> None:
        asked.append(made.timeline.now())
        if asked[-1] < 30:
            raise Throttled("one partition is over its capacity")  # after all the patience of a reader

    made.stalked[hot] = nothing_is_left_at_first
    reader, told = made.reader(), []
    origin = Origin("", "", "", "rules.toml")
    scope = Scope(tuple(made.suspect(number) for number in range(4)))
    run = Run([made.rule], scope, reader, PlainSweeper(reader), reader.meter, origin, clock=made.timeline)
    report = run.report(Ticket(), lambda finding: told.append(finding.parent_text))
    assert [finding.verdict + finding.drift_text for finding in report.findings] == ["exact+2"] * 4
    assert report.complete
    assert told[-1] == "POST#p1 / META"
    assert sum(at < 30 for at in asked) == 1


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (error("ExpiredTokenException"), "have expired"),
        (error("InvalidSignatureException", 403), "does not accept these keys"),
        (error("AccessDeniedException"), "may not do dynamodb:"),
        (error("ResourceNotFoundException"), "does not exist"),
    ],
    ids=["credentials expired", "wrong signature", "denied", "table deleted"],
)
@pytest.mark.parametrize("operation", ["Query", "TransactGetItems"])
def test_what_no_patience_mends_ends_the_run_with_what_is_known(
    clients: Clients, proxy: FaultProxy, table: str, operation: str, fault: Fault, words: str
) -> None:
    proxy.on(operation, fault, nth=2, times=None)
    line = Line(clients, table)
    report = line.report()
    assert {finding.verdict for finding in report.findings} == {"suspect"}
    assert words in str(report.stopped)
    assert not report.complete
    assert proxy.counts[operation] == 2
    assert any("request REQUEST7" in note for note in report.notes)
    assert line.plan(report).repairs == ()
    proxy.clear()  # signed in again, or allowed now
    assert verdicts(Line(clients, table).report()) == FOUND


class Thin(MemoryReader):
    """Where a filter, or what was deleted, leaves thousands of pages empty."""

    EMPTY = 10_000

    def query(self, plan: QueryPlan, ticket: Ticket, start: Key | None = None) -> Iterator[Page]:
        for n in range(self.EMPTY):
            ticket.checkpoint()
            self.before_page(plan)
            yield Page((), 5, {"PK": String("POST#a"), "SK": String(f"K{n}")}, Decimal("0.5"), 0.0)
        yield from super().query(plan, ticket, start)


def thin() -> Bench:
    reader = Thin(SOCIAL)
    reader.put("Social", post("a", Number("3")), *likes("a", 2))
    return Bench(reader)


def test_ten_thousand_empty_pages_are_not_the_end_of_the_children() -> None:
    report = thin().run()
    assert verdicts(report) == [("exact", "POST#a / META", "3", "2", "+1")]
    assert report.pages > 2 * Thin.EMPTY


def test_cancelling_among_empty_pages_asks_for_no_further_one() -> None:
    bench, pages = thin(), 0

    def cancel_in_the_middle(plan: object) -> None:
        nonlocal pages
        pages += isinstance(plan, QueryPlan)
        if pages == 5000:
            bench.ticket.cancel()

    bench.reader.before_page = cancel_in_the_middle
    report = bench.run()
    assert (report.stopped, pages) == ("cancelled", 5000)
    assert [finding.verdict for finding in report.findings] == ["suspect"]


def test_a_computer_that_slept_in_mid_run_finds_the_same() -> None:
    bench = Bench(social(post("a", Number("3")), *likes("a", 2), post("b", Number("1")), *likes("b", 1)))
    hours = [8.0]

    def sleep_once(plan: object) -> None:
        if isinstance(plan, QueryPlan) and hours:
            bench.clock.sleep(hours.pop() * 3600, bench.ticket)

    bench.reader.before_page = sleep_once
    report = bench.run()
    assert verdicts(report) == [("exact", "POST#a / META", "3", "2", "+1")]
    assert bench.clock.now() > 8 * 3600


# ----------------------------------------------------------------------------------------- tables that change meanwhile


@pytest.mark.parametrize("is_filled", [False, True], ids=["empty", "filled"])
def test_a_table_made_again_in_mid_run_is_not_accused(is_filled: bool) -> None:
    bench = Bench(social(post("a", Number("3")), *likes("a", 2)))
    for item in (post("a", None), *likes("a", 2)):
        bench.clock.at(10, partial(bench.reader.delete, "Social", SOCIAL.key_schema.key_of(item)))
    if is_filled:
        bench.clock.at(11, lambda: bench.reader.put("Social", post("a", Number("1")), *likes("a", 1)))
    report = bench.run()
    assert not report.found_drift
    assert [finding.verdict for finding in report.findings] == ([] if is_filled else ["gone"])


def behind_index() -> str:
    rule = RULES.split("[[tally]]")[1]
    return "version = 1\n[[tally]]" + rule.replace(OWN_CHILDREN + ' "LIKE', BEHIND_INDEX + ' "LIKE')


@pytest.mark.parametrize("status", ["CREATING", "DELETING"])
def test_an_index_that_is_not_complete_is_refused_and_named(status: str) -> None:
    index = IndexInfo(INDEX.name, INDEX.kind, INDEX.key_schema, INDEX.projection, status=status)
    table = TableInfo("Social", SOCIAL.key_schema, (index,))
    with pytest.raises(InvalidRules, match=f"index GSI1 is {status.lower()}"):
        bind_rules(parse_rules(behind_index(), "rules.toml"), lambda _: table, no_time_to_live)


def test_an_index_deleted_in_mid_run_ends_it_without_a_finding() -> None:
    table = TableInfo("Social", SOCIAL.key_schema, (INDEX,))
    rules = bind_rules(parse_rules(behind_index(), "rules.toml"), lambda _: table, no_time_to_live)
    reader = MemoryReader(table)
    reader.put("Social", post("a", Number("3")), post("b", Number("3")))

    def deleted(plan: object) -> None:
        raise TableMissing("Social or its index does not exist.")

    reader.before_page = deleted
    meter = Meter()
    meter.called(())
    chosen = choose_parents(["post=a", "post=b"], rules)
    origin = Origin("", "", "", "rules.toml")
    report = Run(rules, Scope(chosen), reader, PlainSweeper(reader), meter, origin, clock=VirtualClock()).report(
        Ticket()
    )
    assert report.findings == ()
    assert not report.complete
    assert report.stopped == "Social or its index does not exist. [table-missing]"


def test_a_parent_whose_key_holds_the_separator_is_listed_as_incomparable_and_not_counted() -> None:
    rules = RULES.replace('parent = { PK = "POST#{post}"', 'parent = { PK = "{shop}#{post}"', 1)
    rules = rules.replace('PK = "POST#{post}", SK = "LIKE#{user}"', 'PK = "LIKES#{shop}", SK = "{post}#{user}"')
    parent = {**key("s#1#2", "META"), "likeTally": Number("1"), "rev": Number("1")}
    report = Bench(social(parent, key("LIKES#s", "1#2#ann")), rules).run()
    (listed,) = [finding for finding in report.findings if finding.verdict == "incomparable"]
    assert listed.parent == {"shop": String("s"), "post": String("1#2")}
    assert "would be read otherwise" in listed.reason
    assert not any(finding.parent == key("s#1#2", "META") for finding in report.findings)
