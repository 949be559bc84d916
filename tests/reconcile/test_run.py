"""Runs over tables in memory, in virtual time: what is reported, and what is said of what was not looked at."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial

import pytest

from dynodesk.domain.capacity import Consumed, Meter
from dynodesk.domain.errors import Busy, CannotConnect, DamagedReply, NotAllowed, Throttled
from dynodesk.domain.findings import Finding, Report
from dynodesk.domain.pacing import Limits
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import Page, QueryPlan, ReadPlan, ScanPlan
from dynodesk.domain.tables import Key
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.values import Item, Number, String
from dynodesk.reconcile.binding import bind_rules
from dynodesk.reconcile.choosing import choose_parents
from dynodesk.reconcile.rules import parse_rules
from dynodesk.reconcile.run import Origin, Run, Scope
from tests.helpers.memory_reader import MemoryReader
from tests.helpers.plain_sweep import PlainSweeper
from tests.helpers.social import RULES, SOCIAL, follows, key, likes, no_time_to_live, post, social, user
from tests.helpers.virtual_clock import VirtualClock

ORIGIN = Origin("", "memory", "nowhere", "rules.toml")


class MeteredReader:
    """A reader in memory that counts as the real one does: each page by its units, each transactional read as two."""

    def __init__(self, inner: MemoryReader, meter: Meter) -> None:
        self._inner, self._meter = inner, meter

    def query(self, plan: QueryPlan, ticket: Ticket, start: Key | None = None) -> Iterator[Page]:
        return self._counted("Query", self._inner.query(plan, ticket, start))

    def scan(self, plan: ScanPlan, ticket: Ticket, start: Key | None = None) -> Iterator[Page]:
        return self._counted("Scan", self._inner.scan(plan, ticket, start))

    def transact_get(self, keys: Sequence[tuple[str, Key]], ticket: Ticket) -> tuple[Item | None, ...]:
        found = self._inner.transact_get(keys, ticket)
        self._meter.called((Consumed("TransactGetItems", "Social", "", Decimal(2 * len(keys))),))
        return found

    def _counted(self, operation: str, pages: Iterator[Page]) -> Iterator[Page]:
        for page in pages:
            self._meter.called((Consumed(operation, "Social", "", page.units or Decimal(0)),))
            yield page


class Bench:
    """One run over one table in memory."""

    def __init__(self, reader: MemoryReader, rules: str = RULES) -> None:
        self.reader = reader
        self.rules = bind_rules(parse_rules(rules, "rules.toml"), lambda _: SOCIAL, no_time_to_live)
        self.clock = VirtualClock()
        self.ticket = Ticket()
        self.found: list[Finding] = []

    def run(self, scope: Scope | None = None, limits: Limits | None = None, meter: Meter | None = None) -> Report:
        meter = meter or Meter()
        metered = MeteredReader(self.reader, meter)
        run = Run(
            self.rules,
            scope or Scope(),
            metered,
            PlainSweeper(metered),
            meter,
            ORIGIN,
            clock=self.clock,
            limits=limits,
            chance=random.Random(1),
        )
        return run.report(self.ticket, self.found.append)

    def rule(self, name: str) -> TallyRule:
        return next(rule for rule in self.rules if rule.name == name)


def verdicts(report: Report) -> list[tuple[str, str, str, str, str]]:
    return [(f.verdict, f.parent_text, f.stored_text, f.real_text, f.drift_text) for f in report.findings]


def test_every_kind_of_drift_in_one_sweep() -> None:
    bench = Bench(
        social(
            post("over", Number("9")), *likes("over", 5),
            post("under", Number("1")), *likes("under", 3),
            post("minus", Number("-2")),
            post("right", Number("2.0")), *likes("right", 2),
            post("text", String("12")), *likes("text", 12),
            post("none", None), *likes("none", 1),
            *likes("orphan", 3),
            user("ann", 2), *follows("ann", 3),
            user("bob", 1), *follows("bob", 1),
        )
    )  # fmt: skip
    report = bench.run()
    assert verdicts(report) == [
        ("exact", "POST#over / META", "9", "5", "+4"),
        ("exact", "POST#minus / META", "-2", "0", "-2"),
        ("exact", "POST#under / META", "1", "3", "-2"),
        ("incomparable", "POST#none / META", "", "1", ""),
        ("orphans", "POST#orphan / META", "", "3", ""),
        ("incomparable", "POST#text / META", '"12" (S)', "12", ""),
        ("probable", "USER#ann / META", "2", "3", "-1"),
    ]
    assert [rule.parents for rule in report.rules] == [7, 2]
    assert [rule.verdicts["ok"] for rule in report.rules] == [1, 1]
    assert report.complete
    assert report.found_drift
    assert sorted(bench.found, key=str) == sorted(report.findings, key=str)
    negative = next(finding for finding in report.findings if finding.negative)
    assert negative.parent_text == "POST#minus / META"


def test_one_scan_feeds_all_rules_of_a_table() -> None:
    bench = Bench(social(post("a", Number("1")), *likes("a", 1), user("u", 0)))
    report = bench.run()
    assert [type(plan) for plan, _ in bench.reader.asked] == [ScanPlan]
    assert not report.findings
    assert report.complete


def test_nothing_is_called_drift_on_one_look_and_waits_run_side_by_side() -> None:
    items = [item for i in range(200) for item in (post(f"p{i:03}", Number("1")), user(f"u{i:03}", 1))]
    bench = Bench(social(*items))
    report = bench.run()
    assert report.verdicts["exact"] == report.verdicts["probable"] == 200
    # 2 s to settle and 30 s for what is in flight, twice that without a version: for 400 parents as for one.
    assert bench.clock.now() == pytest.approx(62, abs=1)
    for finding in report.findings:
        assert finding.evidence.passes == (2 if finding.verdict == "exact" else 3)
        assert finding.evidence.consistent
        assert [look.what for look in finding.evidence.looks][:4] == [
            "Parent, transactional", "Waited 2 s", "Pass 1, strong, 1 page", "Parent, transactional",
        ]  # fmt: skip


def test_drift_that_is_repaired_while_we_wait_is_not_reported() -> None:
    bench = Bench(social(post("a", Number("3")), *likes("a", 2)))
    bench.clock.at(10, lambda: bench.reader.put("Social", post("a", Number("2"), rev=2)))
    assert verdicts(bench.run()) == []


def test_a_two_step_like_in_flight_is_not_drift() -> None:
    """The child is there, its tally comes ten seconds later: within the wait, so nothing is off."""
    rules = RULES.replace('version = "rev"', 'version = "rev"\nwriters = "two-step"')
    bench = Bench(social(post("a", Number("1")), *likes("a", 2)), rules)
    bench.clock.at(10, lambda: bench.reader.put("Social", post("a", Number("2"), rev=2)))
    assert verdicts(bench.run()) == []


def test_a_parent_that_never_stands_still_is_busy_and_was_tried_again() -> None:
    reader = social(post("a", Number("5")), *likes("a", 5), post("b", Number("2")), *likes("b", 1))
    rev = iter(range(2, 1000))

    def write_before(plan: ReadPlan) -> None:
        if isinstance(plan, QueryPlan) and plan.partition["PK"] == String("POST#b"):
            reader.put("Social", post("b", Number("2"), rev=next(rev)))

    reader.before_page = write_before
    report = Bench(reader).run()
    (finding,) = report.findings
    # One write a pass may hide one child: two stored and one counted is no certain drift.
    assert (finding.verdict, finding.evidence.tries) == ("busy", 8)
    assert report.undecided
    assert next(rev) >= 2 + 16


def test_a_busy_parent_that_is_certainly_off_is_bounded() -> None:
    reader = social(post("b", Number("9")), *likes("b", 1))
    rev = iter(range(2, 1000))
    reader.before_page = lambda plan: (
        reader.put("Social", post("b", Number("9"), rev=next(rev))) if isinstance(plan, QueryPlan) else None
    )
    (finding,) = Bench(reader).run().findings
    assert (finding.verdict, finding.drift_text) == ("bounded", "+7…+9")
    assert finding.drift is None


def test_two_step_writers_give_no_bounds() -> None:
    reader = social(post("b", Number("9")), *likes("b", 1))
    rev = iter(range(2, 1000))
    reader.before_page = lambda plan: (
        reader.put("Social", post("b", Number("9"), rev=next(rev))) if isinstance(plan, QueryPlan) else None
    )
    rules = RULES.replace('version = "rev"', 'version = "rev"\nwriters = "two-step"')
    (finding,) = Bench(reader, rules).run().findings
    assert finding.verdict == "busy"


def test_a_held_parent_is_busy() -> None:
    reader = social(post("a", Number("3")), *likes("a", 2))

    def refuse(keys: object, ticket: Ticket) -> tuple[Item | None, ...]:
        raise Busy("held")

    reader.transact_get = refuse  # type: ignore[method-assign]  # the one method that this test is about
    (finding,) = Bench(reader).run().findings
    assert finding.verdict == "busy"
    assert finding.real is None


def test_a_parent_deleted_with_its_children_is_gone() -> None:
    bench = Bench(social(post("a", Number("3")), *likes("a", 2)))
    for item in (post("a", None), *likes("a", 2)):
        bench.clock.at(1, partial(bench.reader.delete, "Social", SOCIAL.key_schema.key_of(item)))
    report = bench.run()
    assert [finding.verdict for finding in report.findings] == ["gone"]
    assert not report.found_drift
    assert report.complete


def test_missing_counts_as_zero_where_the_rule_says_so() -> None:
    rules = RULES.replace('version = "rev"', 'version = "rev"\nmissing = "zero"')
    bench = Bench(social(post("a", None), *likes("a", 2), post("b", None)), rules)
    assert verdicts(bench.run()) == [("exact", "POST#a / META", "", "2", "-2")]


def test_tallies_of_every_kind_are_compared_exactly() -> None:
    bench = Bench(
        social(
            post("big", Number("3000000000")), *likes("big", 3),
            post("huge", Number("9.9999999999999999999999999999999999999E125")),
            post("half", Number("1.5")), *likes("half", 1),
            post("exponent", Number("1E1")), *likes("exponent", 10),
            post("zero", Number("-0")),
            post("nan", Number("NaN")), *likes("nan", 1),
        )
    )  # fmt: skip
    report = bench.run()
    found = {finding.parent_text: finding for finding in report.findings}
    assert found["POST#big / META"].drift_text == "+2999999997"
    assert found["POST#huge / META"].drift == Decimal("9.9999999999999999999999999999999999999E125")
    assert found["POST#half / META"].drift_text == "+0.5"
    assert found["POST#nan / META"].verdict == "incomparable"
    assert set(found) == {f"POST#{name} / META" for name in ("big", "huge", "half", "nan")}


@pytest.mark.parametrize("name", ["a#b", "it's", '"q"', "é", "日本", "a\x00b", " ", "\u202ex", "x" * 1000, "{y}", "\\"])
def test_keys_with_awkward_characters(name: str) -> None:
    bench = Bench(
        social(post(name, Number("3")), *likes(name, 2), post(name + "2", Number("1")), *likes(name + "2", 1))
    )
    assert [finding.parent["PK"] for finding in bench.run().findings] == [String(f"POST#{name}")]


def test_chosen_parents_are_confirmed_and_nothing_is_swept() -> None:
    bench = Bench(social(post("a", Number("3")), *likes("a", 2), post("b", Number("9")), post("c", Number("0"))))
    chosen = choose_parents(["post=a", "post=c", "post=none"], bench.rules)
    report = bench.run(Scope(chosen))
    assert verdicts(report) == [("exact", "POST#a / META", "3", "2", "+1"), ("gone", "POST#none / META", "", "0", "")]
    assert report.rules[0].parents == 3
    assert report.rules[0].verdicts["ok"] == 1
    assert all(isinstance(plan, QueryPlan) and plan.consistent for plan, _ in bench.reader.asked)
    assert report.scope == "3 chosen parents"


def test_everyone_is_confirmed_when_asked() -> None:
    bench = Bench(social(post("a", Number("1")), *likes("a", 1), post("b", Number("0"))))
    report = bench.run(Scope(everyone=True))
    assert report.rules[0].verdicts["ok"] == 2
    assert sum(isinstance(plan, QueryPlan) for plan, _ in bench.reader.asked) == 2
    assert not any("not confirmed" in note for note in report.notes)


# ------------------------------------------------------------------------------------- what was not looked at is said


def test_waits_shorter_than_usual_are_told_in_the_units_of_the_rules_file() -> None:
    rules = RULES.replace('version = "rev"\n', 'version = "rev"\nwriters = "async"\nwait = "5m"\nsettle = "0s"\n')
    notes = Bench(social(post("a", Number("2")), *likes("a", 2)), rules).run().notes
    assert (
        "post likes: waits 5 min for writes in flight, less than the 25 h for async writers: its verdicts hold if "
        "nobody writes, or no write takes longer."
    ) in notes
    assert "post likes: settles 0 s instead of 2 s." in notes


def test_keys_that_no_item_has_are_named() -> None:
    rules = RULES.replace("LIKE#", "LIKES#").replace("USER#{user}", "USERS#{user}")
    bench = Bench(social(post("a", Number("2")), *likes("a", 2), user("ann", 1), *follows("ann", 1)), rules)
    report = bench.run()
    assert [note for note in report.notes if "no item" in note] == [
        "post likes: no item of Social has a key like PK POST#{post} / SK LIKES#{user}.",
        "following: no item of Social has a key like PK USERS#{user} / SK META.",
    ]
    assert [f.verdict for f in report.findings] == ["exact", "orphans"]


def test_a_table_whose_items_fit_the_rules_needs_no_such_note() -> None:
    bench = Bench(social(post("a", Number("2")), *likes("a", 2), user("ann", 1), *follows("ann", 1)))
    assert not [note for note in bench.run().notes if "no item" in note]


def test_a_cancelled_sweep_finds_nothing() -> None:
    bench = Bench(social(post("a", Number("3")), *likes("a", 2)))
    bench.reader.before_page = lambda _: bench.ticket.cancel()
    report = bench.run()
    assert (report.complete, report.stopped, report.findings) == (False, "cancelled", ())


def test_a_run_cancelled_while_it_waits_reports_suspects_only() -> None:
    bench = Bench(social(post("a", Number("3")), *likes("a", 2), post("b", Number("1"))))
    bench.clock.at(5, bench.ticket.cancel)
    report = bench.run()
    assert [(finding.verdict, finding.drift_text) for finding in report.findings] == [
        ("suspect", "+1"),
        ("suspect", "+1"),
    ]
    assert all("cancelled" in finding.reason for finding in report.findings)
    assert (report.complete, report.stopped) == (False, "cancelled")
    assert not report.found_drift
    assert report.undecided


def test_a_budget_ends_the_run_within_it() -> None:
    items = [item for i in range(50) for item in (post(f"p{i:02}", Number("1")),)]
    bench = Bench(social(*items))
    report = bench.run(limits=Limits(max_units=Decimal(20)))
    assert report.stopped == "the budget of 20 read units is spent"
    assert report.read_units <= 22
    assert report.verdicts["suspect"] == 50
    assert not report.complete


class SilentMeter(Meter):
    """That of an endpoint which does not say what its replies consumed."""

    def called(self, consumed: tuple[Consumed, ...]) -> None:
        super().called(())


def test_a_budget_that_cannot_be_kept_is_told() -> None:
    bench = Bench(social(post("a", Number("0"))))
    report = bench.run(limits=Limits(max_units=Decimal(20)), meter=SilentMeter())
    assert any("reports no read units" in note for note in report.notes)
    assert not any("reports no read units" in note for note in bench.run(limits=Limits(max_units=Decimal(20))).notes)


def test_a_rate_spreads_the_reads() -> None:
    items = [item for i in range(50) for item in (post(f"p{i:02}", Number("1")),)]
    bench = Bench(social(*items))
    report = bench.run(limits=Limits(rate=Decimal("0.5")))
    assert report.complete
    assert bench.clock.now() >= float(report.read_units) / 0.5 - 10


def test_damaged_replies_while_confirming_leave_a_suspect_and_an_incomplete_run() -> None:
    reader = social(post("a", Number("3")), *likes("a", 2), post("b", Number("4")), *likes("b", 1))

    def damage(plan: ReadPlan) -> None:
        if isinstance(plan, QueryPlan) and plan.partition["PK"] == String("POST#a"):
            raise DamagedReply("a reply was cut short")

    reader.before_page = damage
    report = Bench(reader).run()
    assert [(finding.verdict, finding.parent_text) for finding in report.findings] == [
        ("exact", "POST#b / META"),
        ("suspect", "POST#a / META"),
    ]
    assert "cut short" in report.findings[1].reason
    assert report.undecided


def test_a_chosen_parent_that_cannot_be_read_is_no_finding() -> None:
    reader = social(post("a", Number("3")), *likes("a", 2))
    bench = Bench(reader)

    def damage(plan: ReadPlan) -> None:
        raise DamagedReply("a reply was cut short")

    reader.before_page = damage
    report = bench.run(Scope(choose_parents(["post=a"], bench.rules)))
    assert report.findings == ()
    assert not report.complete
    assert any("cut short" in note for note in report.notes)


def test_a_connection_lost_in_mid_run_ends_it_with_what_is_known() -> None:
    reader = social(*[item for i in range(9) for item in (post(f"p{i}", Number("1")),)])

    def lose(plan: ReadPlan) -> None:
        if isinstance(plan, QueryPlan) and plan.partition["PK"] == String("POST#p5"):
            raise CannotConnect("the endpoint is gone")

    reader.before_page = lose
    report = Bench(reader).run()
    assert report.stopped == "the endpoint is gone [cannot-connect]"
    assert {finding.verdict for finding in report.findings} == {"suspect"}
    assert len(report.findings) == 9


def test_what_the_first_table_showed_is_told_where_the_second_one_cannot_be_swept() -> None:
    rules = RULES + RULES.replace("version = 1", "").replace("Social", "Z-Social").replace('name = "', 'name = "z ')
    reader = MemoryReader(SOCIAL, replace(SOCIAL, name="Z-Social"))
    reader.put("Social", post("a", Number("3")), *likes("a", 2), user("u", 0))

    def lose(plan: ReadPlan) -> None:
        if plan.table == "Z-Social":
            raise CannotConnect("the endpoint is gone")

    reader.before_page = lose
    report = Bench(reader, rules).run()
    assert verdicts(report) == [("suspect", "POST#a / META", "3", "2", "+1")]
    assert [rule.parents for rule in report.rules] == [1, 1, 0, 0]
    assert [note for note in report.notes if "not looked at" in note] == [
        "z post likes: not looked at",
        "z following: not looked at",
    ]
    assert not report.complete


def test_a_service_that_gives_no_more_ends_the_run_and_one_hot_partition_does_not() -> None:
    reader = social(*[item for i in range(9) for item in (post(f"p{i}", Number("1")),)])
    throttled = {"POST#p3", "POST#p4"}

    def throttle(plan: ReadPlan) -> None:
        if isinstance(plan, QueryPlan) and getattr(plan.partition["PK"], "text", "") in throttled:
            raise Throttled("Social was throttled")

    reader.before_page = throttle
    report = Bench(reader).run()
    assert (report.verdicts["exact"], report.verdicts["suspect"], report.stopped) == (7, 2, None)
    throttled |= {f"POST#p{i}" for i in range(9)}
    report = Bench(reader).run()
    assert (report.verdicts["suspect"], report.stopped) == (9, "Social was throttled [throttled]")
    assert sum(isinstance(plan, QueryPlan) for plan, _ in reader.asked) == 7 * 2 + 2 * 2 + 3


def test_what_cannot_be_read_at_all_is_an_error() -> None:
    reader = social(post("a", Number("3")))

    def refuse(plan: ReadPlan) -> None:
        raise NotAllowed("these credentials may not Scan")

    reader.before_page = refuse
    with pytest.raises(NotAllowed):
        Bench(reader).run()


def test_replies_out_of_order_or_not_asked_for_conclude_nothing() -> None:
    reader = social(post("a", Number("3")), *likes("a", 2))
    inner = reader.query

    def twice(plan: QueryPlan, ticket: Ticket, start: Key | None = None) -> Iterator[Page]:
        for page in inner(plan, ticket, start):
            yield page
            yield page

    reader.query = twice  # type: ignore[method-assign]  # a proxy that repeats a page
    (finding,) = Bench(reader).run().findings
    assert finding.verdict == "suspect"
    assert "twice or out of order" in finding.reason

    def foreign(plan: QueryPlan, ticket: Ticket, start: Key | None = None) -> Iterator[Page]:
        yield Page((key("POST#b", "LIKE#1"),), 1, None, Decimal("0.5"), 0.0)

    reader.query = foreign  # type: ignore[method-assign]
    (finding,) = Bench(reader).run().findings
    assert finding.verdict == "suspect"
    assert "not asked for" in finding.reason


@pytest.mark.parametrize("name", ["PK", "SK"])
@pytest.mark.parametrize("value", [None, Number("1")])
def test_a_sweep_of_items_without_their_key_is_not_all_right(name: str, value: Number | None) -> None:
    reader = social(post("a", Number("2")), *likes("a", 2))
    inner = reader.scan

    def spoiled(plan: ScanPlan, ticket: Ticket, start: Key | None = None) -> Iterator[Page]:
        for page in inner(plan, ticket, start):
            items = [
                {**item, name: value} if value else {n: v for n, v in item.items() if n != name} for item in page.items
            ]
            yield replace(page, items=tuple(items))

    reader.scan = spoiled  # type: ignore[method-assign]  # a proxy that alters items
    report = Bench(reader).run()
    assert (report.findings, report.complete) == ((), False)
    assert report.stopped is not None
    assert "[damaged-reply]" in report.stopped


def test_the_report_says_what_weakens_it() -> None:
    rules = RULES.replace('version = "rev"', "wait = 0\nsettle = 0")
    report = Bench(social(post("a", Number("0"))), rules).run()
    notes = " ".join(report.notes)
    assert "post likes: waits 0 s" in notes
    assert "post likes: settles 0 s" in notes
    assert "without a version attribute" in notes
    assert "drift that a write in flight hid" in notes
