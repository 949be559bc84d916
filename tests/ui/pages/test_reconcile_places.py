"""Where a finding's parent and children are opened, for every place that a rule can name."""

from __future__ import annotations

import pytest

from dynodesk.domain.findings import Finding
from dynodesk.domain.tables import IndexInfo, Key, KeyAttribute, KeySchema, Projection, TableInfo
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.values import Number, String
from dynodesk.reconcile.binding import bind_rules
from dynodesk.reconcile.rules import parse_rules
from dynodesk.ui.pages.reconcile_places import Place, children_place, has_own_children, parent_place
from tests.helpers.social import no_time_to_live


def schema(partition: str, sort: str = "") -> KeySchema:
    return KeySchema((KeyAttribute(partition, "S"),), (KeyAttribute(sort, "S"),) if sort else ())


INDEX = IndexInfo("GSI1", "GSI", schema("GSI1PK", "GSI1SK"), Projection("ALL"))
TABLES = {
    "Social": TableInfo("Social", schema("PK", "SK"), (INDEX,)),
    "Stats": TableInfo("Stats", schema("PK", "SK")),
    "Workspaces": TableInfo("Workspaces", schema("id")),
    "Members": TableInfo("Members", schema("workspace", "member")),
}
LIKES = 'table = "Social"\nparent = { PK = "POST#{post}", SK = "META" }\nattribute = "likes"\n'
SEATS = 'table = "Workspaces"\nparent = { id = "{ws}" }\nattribute = "seats"\n'


def rule_of(text: str) -> TallyRule:
    drafts = parse_rules(f'version = 1\n[[tally]]\nname = "a rule"\n{text}', "rules.toml")
    (rule,) = bind_rules(drafts, TABLES.__getitem__, no_time_to_live)
    return rule


def finding_at(**key: str) -> Finding:
    return Finding("a rule", "exact", {name: String(text) for name, text in key.items()}, Number("1"), 0, None)


def key(**texts: str) -> Key:
    return {name: String(text) for name, text in texts.items()}


def test_children_beside_their_parent_have_no_place_of_their_own() -> None:
    rule = rule_of(LIKES + 'children = { PK = "POST#{post}", SK = "LIKE#{user}" }')
    found = finding_at(PK="POST#1", SK="META")
    assert parent_place(found, rule) == Place("Social", key(PK="POST#1"), found.parent)
    assert children_place(found, rule) == Place("Social", key(PK="POST#1"))
    assert not has_own_children(found, rule)


@pytest.mark.parametrize(
    ("text", "parent", "expected"),
    [
        (
            LIKES + 'children = { index = "GSI1", GSI1PK = "OF#{post}", GSI1SK = "LIKE#{user}" }',
            {"PK": "POST#1", "SK": "META"},
            Place("Social", key(GSI1PK="OF#1"), None, "GSI1"),
        ),
        (
            SEATS + 'children = { table = "Members", workspace = "{ws}", member = "{m}" }',
            {"id": "w1"},
            Place("Members", key(workspace="w1")),
        ),
    ],
    ids=["an index", "another table"],
)
def test_children_elsewhere_are_opened_where_they_are(text: str, parent: dict[str, str], expected: Place) -> None:
    rule, found = rule_of(text), finding_at(**parent)
    assert children_place(found, rule) == expected
    assert has_own_children(found, rule)


def test_shards_are_opened_as_the_collection_that_they_share() -> None:
    rule = rule_of(
        'table = "Stats"\nparent = { PK = "VID#{video}", SK = "TOTAL#{shard}" }\nattribute = "plays"\n'
        'sum_of = "shards"\nchildren = { PK = "VID#{video}", SK = "PLAY#{play}" }'
    )
    found = finding_at(PK="VID#9")
    assert parent_place(found, rule) == Place("Stats", key(PK="VID#9"))
    assert not has_own_children(found, rule)


def test_of_shards_with_collections_of_their_own_the_first_is_opened() -> None:
    rule = rule_of(
        'table = "Stats"\nparent = { PK = "VID#{video}#{shard}", SK = "STATS" }\nattribute = "plays"\n'
        'sum_of = "shards"\nshards = 4\nchildren = { PK = "VID#{video}#{shard}", SK = "VIEW#{view}" }'
    )
    found = finding_at(PK="VID#9")
    assert parent_place(found, rule) == Place("Stats", key(PK="VID#9#0"), key(PK="VID#9#0", SK="STATS"))
    assert children_place(found, rule) == Place("Stats", key(PK="VID#9#0"))


def test_what_is_measured_on_the_parent_has_no_children_to_open() -> None:
    rule = rule_of(LIKES + 'measure = "size(likers)"')
    assert children_place(finding_at(PK="POST#1", SK="META"), rule) is None


def test_children_that_no_parent_could_have_are_not_opened() -> None:
    rule = rule_of(LIKES + 'children = { PK = "POST#{post}", SK = "LIKE#{user}" }')
    lost = finding_at(post="#1")
    assert parent_place(lost, rule) is None
    assert children_place(lost, rule) is None
    assert not has_own_children(lost, rule)
