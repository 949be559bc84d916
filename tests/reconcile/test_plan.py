"""The estimate before a run: what it says is what a run over the same tables then reads and waits for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import pytest

from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.values import Number
from dynodesk.reconcile.binding import bind_rules
from dynodesk.reconcile.choosing import choose_parents
from dynodesk.reconcile.plan import Plan, plan_run
from dynodesk.reconcile.rules import parse_rules
from dynodesk.reconcile.run import Scope
from tests.helpers.social import RULES, SOCIAL, follows, likes, no_time_to_live, post, social, user
from tests.reconcile.test_run import Bench

SIZED = replace(SOCIAL, size_bytes_estimate=600_000, item_count_estimate=1_600)


@pytest.fixture
def rules() -> tuple[TallyRule, ...]:
    """Post likes, with a version attribute, and following, without one."""
    return bind_rules(parse_rules(RULES, "social.toml"), lambda _: SOCIAL, no_time_to_live)


def plan_of(rules: Sequence[TallyRule], scope: Scope | None = None) -> Plan:
    return plan_run(rules, {"Social": SIZED, "Courses": replace(SIZED, name="Courses")}, scope or Scope())


@pytest.mark.parametrize("name", ["post likes", "following"])
def test_an_effort_is_what_a_run_then_takes(name: str) -> None:
    bench = Bench(social(post("p", Number("9")), *likes("p", 5), user("u", 9), *follows("u", 3)))
    rule = bench.rule(name)
    chosen = choose_parents(["post=p" if name == "post likes" else "user=u"], [rule])
    (effort,) = plan_of([rule], Scope(chosen)).if_off
    report = bench.run(Scope(chosen))
    (finding,) = report.findings
    looks = [look.what.split()[0] for look in finding.evidence.looks]
    assert (looks.count("Parent,"), looks.count("Pass")) == (effort.parent_reads, effort.passes)
    assert tuple(bench.clock.slept) == effort.waits
    assert effort.units == report.read_units


@pytest.mark.parametrize("name", ["post likes", "following"])
def test_a_parent_that_is_right_takes_one_pass(name: str) -> None:
    bench = Bench(social(post("p", Number("5")), *likes("p", 5), user("u", 3), *follows("u", 3)))
    rule = bench.rule(name)
    chosen = choose_parents(["post=p" if name == "post likes" else "user=u"], [rule])
    (effort,) = plan_of([rule], Scope(chosen)).if_right
    bench.run(Scope(chosen))
    assert (effort.passes, effort.waits) == (1, tuple(bench.clock.slept))


def test_one_scan_feeds_all_rules_of_a_table(rules: tuple[TallyRule, ...]) -> None:
    plan = plan_of(rules)
    assert [(scan.table, scan.units) for scan in plan.scans] == [("Social", Decimal("73.5"))]
    assert plan.what == "1 Scan of Social"
    assert plan.cost == (
        "about 73.5 RCU (size as of up to 6 h ago) · then about 8 to 15 RCU a suspect"
        " · waits 2 s + 30 s + 30 s, side by side · +3 RCU for each further 4 KB of children"
    )


def test_each_table_is_scanned_once(rules: tuple[TallyRule, ...]) -> None:
    plan = plan_of([*rules, replace(rules[0], name="places", table="Courses")])
    assert plan.what == "2 Scans, of Courses and Social"
    assert "about 147 RCU" in plan.cost


def test_a_size_that_is_not_reported_is_said_and_not_taken_for_nothing(rules: tuple[TallyRule, ...]) -> None:
    plan = plan_run(rules, {"Social": replace(SIZED, size_bytes_estimate=0)}, Scope())
    assert plan.scans[0].units is None
    assert plan.cost.startswith("size not reported, about 1,600 items · then about")
    two = [*rules, replace(rules[0], name="places", table="Courses")]
    plan = plan_run(two, {"Social": SIZED, "Courses": replace(SOCIAL, name="Courses")}, Scope())
    assert plan.cost.startswith("about 73.5 RCU (size as of up to 6 h ago) · size of Courses not reported · then")


def test_large_items_cost_more(rules: tuple[TallyRule, ...]) -> None:
    large = replace(SIZED, size_bytes_estimate=16_000_000)  # 10,000 bytes an item: three units, doubled, each time
    (effort,) = plan_run(rules[:1], {"Social": large}, Scope()).if_off
    assert effort.units == 3 * 6 + 2 * 1


def test_chosen_parents_are_queried_and_nothing_is_scanned(rules: tuple[TallyRule, ...]) -> None:
    plan = plan_of(rules[:1], Scope(choose_parents(["post=a", "post=b", "post=c"], rules[:1])))
    assert plan.scans == ()
    assert plan.what == "Query per parent, 3 parents"
    assert plan.cost.startswith("about 5 RCU each, 8 where it is off · ")
    assert plan_of(rules[:1], Scope(choose_parents(["post=a"], rules[:1]))).what == "Query per parent, 1 parent"


def test_confirming_everyone_costs_for_each_parent(rules: tuple[TallyRule, ...]) -> None:
    assert "then about 5 RCU a parent, 8 where it is off" in plan_of(rules[:1], Scope(everyone=True)).cost


def test_no_waits_are_said_to_be_none(rules: tuple[TallyRule, ...]) -> None:
    assert "waits for nothing" in plan_of([replace(rules[0], settle=0, wait=0)]).cost
