"""Plans: what may be repaired, a file that cannot be changed unnoticed, and what keeps a plan from being applied."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from dynodesk.domain.errors import InvalidFile, InvalidRequest
from dynodesk.domain.repairs import Place, RepairPlan, RulesText
from dynodesk.domain.values import Binary, Map, Number, String
from dynodesk.reconcile.plan_files import plan_text, read_plan
from dynodesk.reconcile.planning import RepairLimits, rule_hashes
from tests.helpers.social import key, likes
from tests.reconcile.repair_bench import GUARDS, HERE, MADE, MARKER, RULE, VERSION, Bench, drifted

# ----------------------------------------------------------------------------------------------------------- what is in


def test_exact_requests_and_what_they_rest_on() -> None:
    bench = Bench(*drifted("a", 41, 37), guard=VERSION + MARKER)
    found = json.loads(plan_text(bench.plan()))
    (repair,) = found["repairs"]
    shown = {name: repair[name] for name in ("evidence", "stored", "real", "drift", "parent_version", "marker")}
    assert shown == {
        "evidence": "exact", "stored": "41", "real": "37", "drift": "4", "parent_version": "7", "marker": None,
    }  # fmt: skip
    assert repair["request"] == {
        "TableName": "Social",
        "Key": {"PK": {"S": "POST#a"}, "SK": {"S": "META"}},
        "UpdateExpression": "SET #n1 = #n1 + :v2, #n2 = #n2 + :v3, #n3 = :v4",
        "ConditionExpression": "attribute_exists(#n0) AND #n1 = :v0 AND #n2 = :v1 AND attribute_not_exists(#n3)",
        "ExpressionAttributeNames": {"#n0": "PK", "#n1": "likeTally", "#n2": "rev", "#n3": "_repaired"},
        "ExpressionAttributeValues": {
            ":v0": {"N": "41"},
            ":v1": {"N": "7"},
            ":v2": {"N": "-4"},
            ":v3": {"N": "1"},
            ":v4": {"S": repair["id"]},
        },
    }
    assert found["tables"] == [{"name": "Social", "arn": MADE.arn, "created": MADE.created}]
    assert (found["identity"], found["endpoint"], found["region"]) == (HERE.identity, HERE.endpoint, HERE.region)


UNPROVEN = 'the drift is probable only: it takes a version, or a marker and repairs = "probable" in the rule'


@pytest.mark.parametrize(
    ("items", "guard", "reason"),
    [
        (drifted("a", 4, 2), "", UNPROVEN),
        (
            drifted("a", 4, 2),
            'repairs = "probable"\n',
            "the parent has no version and the rule no marker: a repair could be made twice",
        ),
        (
            [{**key("POST#a", "META"), "likeTally": Number("3")}, *likes("a", 2)],
            VERSION,
            UNPROVEN,
        ),
        (likes("a", 2), VERSION, "there is no parent to write to"),
        (
            [{**key("POST#a", "META"), "likeTally": String("2")}],
            VERSION,
            "likeTally is a String, the rule needs a Number",
        ),
        ([{**key("POST#a", "META"), "rev": Number("1")}], VERSION, "likeTally is missing"),
        (
            drifted("a", 4, 2, _repaired=Number("1")),
            MARKER,
            "_repaired, the rule's marker, holds something that no repair wrote",
        ),
    ],
    ids=["probable", "no guard", "no version in the item", "orphans", "text", "missing", "foreign marker"],
)
def test_what_is_left_out_and_why(items: list[Any], guard: str, reason: str) -> None:
    plan = Bench(*items, guard=guard).plan()
    assert plan.repairs == ()
    assert [left.reason for left in plan.left_out] == [reason]


@pytest.mark.parametrize("guard", GUARDS.values(), ids=GUARDS)
def test_a_tally_without_the_map_around_it_is_left_out(guard: str) -> None:
    nested = {**key("POST#b", "META"), "rev": Number("1"), "stats": Map({})}
    bare = {**key("POST#a", "META"), "rev": Number("1")}
    rule = RULE.replace('"likeTally"', '"stats.likes"') + 'missing = "zero"\n'
    plan = Bench(nested, bare, *likes("a", 2), *likes("b", 2), rule=rule, guard=guard).plan()
    assert [repair.parent_text for repair in plan.repairs] == ["POST#b / META"]
    assert [(left.key["PK"], left.reason) for left in plan.left_out] == [
        (String("POST#a"), "stats.likes is missing, and so is the map that it belongs into")
    ]


# --------------------------------------------------------------------------------------------------------- as a file


def awkward() -> Bench:
    parent = {**key('POST#l\'été "25"\u2028#2', "META"), "likeTally": Number("9.50"), "rev": Number("1E2")}
    return Bench(parent, *drifted("b", 10**30, 3, _repaired=String("before")), guard=VERSION + MARKER)


def test_a_file_gives_the_same_plan_back() -> None:
    bench = awkward()
    plan = replace(bench.plan(), rules=replace(bench.source, wait=0.1, settle=0.0))
    assert len(plan.repairs) == 2
    assert read_plan(plan_text(plan), "plan.json") == plan


CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "drift": lambda plan: plan["repairs"][0].update(drift="5"),
    "request": lambda plan: plan["repairs"][0]["request"].update(UpdateExpression="SET #n1 = :v0"),
    "key": lambda plan: plan["repairs"][0]["parent"].update(PK={"S": "POST#other"}),
    "repair removed": lambda plan: plan["repairs"].pop(),
    "repair doubled": lambda plan: plan["repairs"].append(plan["repairs"][0]),
    "time": lambda plan: plan.update(created="2030-01-01T00:00:00Z"),
    "endpoint": lambda plan: plan.update(endpoint="elsewhere"),
    "rules": lambda plan: plan["rules"].update(wait="0.0"),
    "a field of its own": lambda plan: plan.update(note="hello"),
    "hash": lambda plan: plan.update(hash="0" * 64),
    "no hash": lambda plan: plan.pop("hash"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_an_edited_file_is_refused(what: str) -> None:
    content = json.loads(plan_text(awkward().plan()))
    CHANGES[what](content)
    with pytest.raises(InvalidFile, match="was changed after it was made"):
        read_plan(json.dumps(content, indent=2, ensure_ascii=False) + "\n", "plan.json")


@pytest.mark.parametrize(
    "change",
    [
        lambda plan: plan.update(created="yesterday"),
        lambda plan: plan.update(created="2026-01-02T03:04:05"),
        lambda plan: plan["repairs"][0]["update"]["add"][0].__setitem__(1, 5),
        lambda plan: plan["repairs"][0]["update"]["add"][0].__setitem__(0, []),
        lambda plan: plan["repairs"][0]["update"]["add"][0].__setitem__(0, [1]),
    ],
)
def test_a_field_of_another_kind_is_no_plan(change: Callable[[dict[str, Any]], object]) -> None:
    content = json.loads(plan_text(awkward().plan()))
    change(content)
    with pytest.raises(InvalidFile, match="is not a repair plan"):
        read_plan(json.dumps(content, indent=2, ensure_ascii=False) + "\n", "plan.json")


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "nonsense", '{"version": 1}', '{"version": 2}', '{"version":1,"version":1}', "\x00"]
)
def test_what_is_no_plan_is_refused(text: str) -> None:
    with pytest.raises(InvalidFile):
        read_plan(text, "plan.json")


# ------------------------------------------------------------------------------------------------- before it is applied


def refusal(bench: Bench, plan: RepairPlan, approved: str = "Social", limits: RepairLimits | None = None) -> str:
    with pytest.raises(InvalidRequest) as raised:
        bench.check(plan, approved, limits)
    return raised.value.message


def test_a_plan_that_holds_is_not_refused() -> None:
    bench = Bench(*drifted("a", 41, 37))
    plan = bench.plan()
    bench.clock.sleep(15 * 60, bench.ticket)
    bench.check(plan)


def test_an_old_plan_is_refused() -> None:
    bench = Bench(*drifted("a", 41, 37))
    plan = bench.plan()
    bench.clock.sleep(15 * 60 + 1, bench.ticket)
    assert "it is 15 minutes old" in refusal(bench, plan)


def test_a_plan_of_the_future_is_refused() -> None:
    bench = Bench(*drifted("a", 41, 37))
    plan = replace(bench.plan(), created="2026-01-02T05:00:00.000Z")
    assert "made in the future" in refusal(bench, plan)


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (replace(HERE, identity="arn:aws:iam::2:user/ann"), "account arn:aws:iam::2:user/ann"),
        (replace(HERE, endpoint="https://elsewhere"), "endpoint https://elsewhere"),
        (replace(HERE, region="eu-west-1"), "Region eu-west-1"),
    ],
)
def test_a_plan_for_another_place_is_refused(place: Place, words: str) -> None:
    bench = Bench(*drifted("a", 41, 37))
    assert f"it is for the {words}" in refusal(bench, replace(bench.plan(), place=place))


def test_a_table_made_again_is_refused() -> None:
    bench = Bench(*drifted("a", 41, 37))
    plan = bench.plan()
    bench.catalog.table = replace(MADE, created="2025-06-01T00:00:00Z")
    assert "Social is not the table that was looked at" in refusal(bench, plan)


def test_the_table_has_to_be_named() -> None:
    bench = Bench(*drifted("a", 41, 37))
    plan = bench.plan()
    assert "name the table with --yes" in refusal(bench, plan, "")
    assert "it does not write to Other" in refusal(bench, plan, "Social Other")


@pytest.mark.parametrize(
    ("stored", "real", "max_delta", "is_refused"),
    [
        (100, 0, None, False),
        (101, 0, None, True),
        (0, 101, None, True),
        (2000, 1800, None, False),
        (2000, 1799, None, True),
        (2000, 1799, Decimal(201), False),
        (4, 2, Decimal(1), True),
    ],
)
def test_large_changes_are_made_on_purpose(stored: int, real: int, max_delta: Decimal | None, is_refused: bool) -> None:
    bench = Bench(*drifted("a", stored, real))
    plan, limits = bench.plan(), RepairLimits(max_delta)
    if is_refused:
        assert "1 of its repairs are larger than allowed" in refusal(bench, plan, limits=limits)
    else:
        bench.check(plan, limits=limits)


def test_many_repairs_are_made_on_purpose() -> None:
    bench = Bench(*drifted("a", 4, 2), *drifted("b", 4, 2))
    plan = bench.plan()
    assert "it has 2 repairs, and 1 are allowed" in refusal(bench, plan, limits=RepairLimits(max_repairs=1))
    bench.check(plan, limits=RepairLimits(max_repairs=2))


# --------------------------------------------------------------------------------------------------- rules known or new


def test_a_rule_is_known_by_what_it_says() -> None:
    spaced = RULE.replace(" = ", "   =  ") + "# a comment\n"
    assert rule_hashes(RulesText("a", RULE)) == rule_hashes(RulesText("b", spaced))
    assert rule_hashes(RulesText("a", RULE)) != rule_hashes(RulesText("a", RULE.replace("LIKE#", "LOVE#")))
    assert rule_hashes(RulesText("a", RULE)) != rule_hashes(RulesText("a", RULE, wait=0))


@pytest.mark.parametrize("guard", GUARDS.values(), ids=GUARDS)
def test_a_rule_is_new_until_it_was_applied(guard: str) -> None:
    bench = Bench(*drifted("a", 4, 2), guard=guard)
    plan = bench.plan()
    assert bench.desk.new_rules(plan) == ("post likes",)
    bench.apply(plan)
    assert bench.desk.new_rules(plan) == ()
    other = replace(plan, rule_hashes={"post likes": "another"})
    assert bench.desk.new_rules(other) == ("post likes",)


def test_binary_markers_and_keys_survive() -> None:
    bench = awkward()
    plan = bench.plan()
    odd = replace(plan.repairs[0], key={"PK": Binary(b"\xff"), "SK": Number("1E1")}, marker_seen=Binary(b"\x00"))
    assert read_plan(plan_text(replace(plan, repairs=(odd,))), "plan.json").repairs == (odd,)


@pytest.mark.parametrize("guard", GUARDS.values(), ids=GUARDS)
def test_a_plan_without_repairs_reads_nothing(guard: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(*drifted("a", 2, 2), guard=guard)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("nothing is to be repaired")

    monkeypatch.setattr(bench.reader, "batch_get", refuse)
    assert bench.plan().repairs == ()
