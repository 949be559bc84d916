"""Recipes on the sandbox's tables with the rules that come along and without, and on tables of other keys."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from dynodesk.domain.actions import (
    ComposedRequest,
    DeleteAction,
    GetAction,
    PutAction,
    SingleWrite,
    TransactGet,
    TransactWrite,
    UpdateAction,
    actions_of,
)
from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.item_json import item_from_dynamodb, readable, readable_key
from dynodesk.domain.mirror import mirror
from dynodesk.domain.recipe_fields import typed_key
from dynodesk.domain.recipes import RECIPES, FieldValue, InvalidField, Recipe, TypedText, sharded_total
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, KeyType, Projection, TableInfo
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.values import Binary, Boolean, Item, Map, Number, String
from dynodesk.reconcile.binding import bind_rules
from dynodesk.reconcile.rules import read_rules
from dynodesk.sandbox.sample_table import SampleTable
from dynodesk.sandbox.samples import sample_tables

NOW = 1_800_000_000.0
MOMENT, TIME = "2027-01-15T08:00:00Z", "likedAt=1800000000"
NOT_THERE = "attribute_not_exists(SK)"
BY_NAME = {recipe.name: recipe for recipe in RECIPES}
RULES = Path(__file__).parents[2] / "resources" / "rules"


def described(sample: SampleTable) -> TableInfo:
    types: dict[str, KeyType] = {
        one["AttributeName"]: one["AttributeType"] for one in sample.create["AttributeDefinitions"]
    }

    def schema(parts: Sequence[dict[str, str]]) -> KeySchema:
        keys = [KeyAttribute(one["AttributeName"], types[one["AttributeName"]]) for one in parts]
        return KeySchema(tuple(keys[:1]), tuple(keys[1:]))

    indexes = [
        IndexInfo(one["IndexName"], "GSI", schema(one["KeySchema"]), Projection("ALL"))
        for one in sample.create.get("GlobalSecondaryIndexes", ())
    ]
    return TableInfo(sample.name, schema(sample.create["KeySchema"]), tuple(indexes))


SAMPLES = {sample.name: sample for sample in sample_tables(0.1)}
TABLES = {name: described(sample) for name, sample in SAMPLES.items()}
ITEMS = {name: [item_from_dynamodb(item) for item in sample.items] for name, sample in SAMPLES.items()}


def rules_of(name: str) -> tuple[TallyRule, ...]:
    return bind_rules(read_rules(RULES / f"{name}.toml"), TABLES.__getitem__, lambda _table: None)


SOCIAL, STATS, WORKSPACES, COURSES = map(rules_of, ("social", "stats", "workspaces", "courses"))


def selected(table: str, *key: str) -> Sequence[Item]:
    """The items as they are loaded: the one of this key first, then those of its partition, then the others."""
    schema = TABLES[table].key_schema
    partition = schema.partition[0].name

    def place(item: Item) -> int:
        texts = [readable(item[name]) for name in schema.names]
        return 0 if texts == [*key] else 1 if texts[0] == key[0] else 2

    found = sorted(ITEMS[table], key=place)
    assert readable(found[0][partition]) == key[0]
    return found


def made(
    recipe: str, table: str, items: Sequence[Item], rules: Sequence[TallyRule] = (), **typed: FieldValue
) -> ComposedRequest:
    of = BY_NAME[recipe]
    return of.compose({**of.suggest(TABLES[table], items, rules, NOW), **typed})


def lines(request: ComposedRequest) -> list[str]:
    """Each action on a line, as people read it."""
    found = []
    for action in actions_of(request):
        match action:
            case PutAction():
                said = f"Put {' '.join(f'{name}={readable(value)}' for name, value in action.item.items())}"
            case UpdateAction():
                said = f"Change {readable_key(action.key)}: {action.update}"
            case GetAction():
                said = f"Get {readable_key(action.key)}: {action.projection}"
            case _:
                said = f"{action.kind} {readable_key(action.key)}"
        condition = None if isinstance(action, GetAction) else action.condition
        found.append(f"{action.table}: {said}{f' IF {condition}' if condition else ''}")
    return found


# -------------------------------------------------------------------------------------------------------- like, unlike


@pytest.mark.parametrize(("rules", "me"), [(SOCIAL, "USER#new"), ((), "new")])
@pytest.mark.parametrize("key", [("POST#a91f", "META"), ("POST#a91f", "LIKE#USER#7c20"), ("POST#77b0", "META")])
def test_a_like_needs_only_who_likes(rules: tuple[TallyRule, ...], me: str, key: tuple[str, str]) -> None:
    post = key[0]
    assert lines(made("like", "Social", selected("Social", *key), rules, me=me)) == [
        f"Social: Put PK={post} SK=LIKE#USER#new GSI1PK=USER#new GSI1SK=LIKE#{MOMENT}#{post} {TIME} IF {NOT_THERE}",
        f"Social: Change {post} / META: SET rev = if_not_exists(rev, 0) + 1 ADD likeTally 1 IF attribute_exists(PK)",
    ]


@pytest.mark.parametrize("rules", [SOCIAL, ()])
def test_an_unlike_of_the_selected_like_needs_nothing_typed(rules: tuple[TallyRule, ...]) -> None:
    unlike = made("unlike", "Social", selected("Social", "POST#a91f", "LIKE#USER#7c20"), rules)
    assert lines(unlike) == [
        "Social: Delete POST#a91f / LIKE#USER#7c20 IF attribute_exists(SK)",
        "Social: Change POST#a91f / META: SET rev = if_not_exists(rev, 0) + 1 ADD likeTally -1 IF attribute_exists(PK)",
    ]


def test_how_who_acts_is_written_is_seen_in_what_is_there() -> None:
    post = selected("Social", "POST#a91f", "META")
    like = BY_NAME["like"]
    assert like.example_of_me(TABLES["Social"], post, SOCIAL).startswith("USER#")
    assert like.example_of_me(TABLES["Social"], post) in {
        example.removeprefix("USER#")
        for item in ITEMS["Social"]
        if (example := readable(item["SK"]).removeprefix("LIKE#")).startswith("USER#")
    }
    assert BY_NAME["increment-add"].example_of_me(TABLES["Social"], post) == ""


def test_the_unlike_is_the_mirror_of_the_like() -> None:
    items, who = selected("Social", "POST#a91f", "META"), "USER#new"
    like = made("like", "Social", items, SOCIAL, me=who)
    unlike = made("unlike", "Social", items, SOCIAL, me=who)
    assert isinstance(unlike, TransactWrite)
    assert mirror(like, TABLES, rising=("rev",)).actions == unlike.actions


@pytest.mark.parametrize("rules", [COURSES, ()])
def test_a_course_counts_its_students(rules: tuple[TallyRule, ...]) -> None:
    course = next(readable(item["PK"]) for item in ITEMS["Courses"] if item["SK"] != String("META"))
    assert lines(made("like", "Courses", selected("Courses", course, "META"), rules, me="s1")) == [
        f"Courses: Put PK={course} SK=STUDENT#s1 since={MOMENT} IF attribute_not_exists(SK)",
        f"Courses: Change {course} / META: SET rev = if_not_exists(rev, 0) + 1 ADD enrolled 1 IF attribute_exists(PK)",
    ]


@pytest.mark.parametrize(("table", "beside"), [("Workspaces", ""), ("Members", f" joinedAt={MOMENT}")])
def test_a_rule_leads_to_children_in_another_table(table: str, beside: str) -> None:
    name = ("acme",) if table == "Workspaces" else ("acme", "")
    assert lines(made("like", table, selected(table, *name), WORKSPACES, me="m1")) == [
        f"Members: Put workspace=acme member=m1{beside} IF attribute_not_exists(member)",
        "Workspaces: Change acme: SET rev = if_not_exists(rev, 0) + 1 ADD memberCount 1 IF attribute_exists(id)",
    ]


def test_without_a_sort_key_the_childs_key_begins_with_the_parents() -> None:
    request = made("like", "Workspaces", selected("Workspaces", "acme"), me="m1")
    assert lines(request)[0] == "Workspaces: Put id=acme#m1 IF attribute_not_exists(id)"


@pytest.mark.parametrize(
    ("kind", "key", "typed", "stored"),
    [("N", Number("7"), "9.50", Number("9.5")), ("B", Binary(b"\0"), "ff 00", Binary(b"\xff\0"))],
)
def test_numbers_and_bytes_are_keys_as_well(kind: KeyType, key: Number | Binary, typed: str, stored: object) -> None:
    schema = KeySchema((KeyAttribute("device", kind),), (KeyAttribute("at", kind),))
    table = TableInfo("Readings", schema)
    parent: Item = {"device": key, "at": key, "count": Number("3")}
    values = BY_NAME["like"].suggest(table, [parent], (), NOW)
    put, update = actions_of(BY_NAME["like"].compose({**values, "me": typed}))
    assert isinstance(put, PutAction)
    assert isinstance(update, UpdateAction)
    assert (put.item, update.key) == ({"device": key, "at": stored}, {"device": key, "at": key})
    assert str(update.update) == "ADD count 1"


def test_a_tally_within_a_map_is_raised_by_set() -> None:
    update = made("like", "Social", selected("Social", "POST#a91f", "META"), me="x", tally="stats.likes", version="")
    assert lines(update)[1] == (
        "Social: Change POST#a91f / META: SET stats.likes = if_not_exists(stats.likes, 0) + 1 IF attribute_exists(PK)"
    )


def test_a_key_with_braces_in_it_is_no_pattern() -> None:
    items: list[Item] = [
        {"PK": String("POST#{me}"), "SK": String("META"), "likes": Number("1")},
        {"PK": String("POST#{me}"), "SK": String("LIKE#{other}\n")},
    ]
    put, update = actions_of(made("like", "Social", items, me=r"{shard}\t"))
    assert isinstance(put, PutAction)
    assert isinstance(update, UpdateAction)
    assert (put.item["PK"], put.item["SK"]) == (String("POST#{me}"), String("LIKE#{shard}\t"))
    assert update.key["PK"] == String("POST#{me}")


# -------------------------------------------------------------------------------------------------------------- follow


@pytest.mark.parametrize("rules", [SOCIAL, ()])
def test_a_follow_puts_the_edge_and_raises_both_tallies(rules: tuple[TallyRule, ...]) -> None:
    assert lines(made("follow", "Social", selected("Social", "USER#bob", "META"), rules, me="carol")) == [
        f"Social: Put PK=ACTOR#carol SK=TARGET#bob GSI1PK=TARGET#bob GSI1SK=ACTOR#carol since={MOMENT} IF {NOT_THERE}",
        "Social: Change USER#carol / META: ADD followingCount 1 IF attribute_exists(PK)",
        "Social: Change USER#bob / META: ADD followerCount 1 IF attribute_exists(PK)",
    ]


def test_where_edges_lead_both_ways_both_are_put() -> None:
    table = TableInfo("Net", TABLES["Social"].key_schema)
    items: list[Item] = [
        {"PK": String("U#a"), "SK": String("U#a"), "following": Number("1"), "followers": Number("0")},
        {"PK": String("U#b"), "SK": String("U#b"), "following": Number("0"), "followers": Number("1")},
        {"PK": String("U#b"), "SK": String("FOLLOWER#a")},
        {"PK": String("U#a"), "SK": String("FOLLOWS#b")},
    ]
    follow = BY_NAME["follow"]
    assert lines(follow.compose({**follow.suggest(table, items, (), NOW), "me": "z"})) == [
        "Net: Put PK=U#z SK=FOLLOWS#a IF attribute_not_exists(SK)",
        "Net: Put PK=U#a SK=FOLLOWER#z IF attribute_not_exists(SK)",
        "Net: Change U#z / U#z: ADD following 1 IF attribute_exists(PK)",
        "Net: Change U#a / U#a: ADD followers 1 IF attribute_exists(PK)",
    ]


def test_nobody_follows_themselves() -> None:
    with pytest.raises(InvalidField) as caught:
        made("follow", "Social", selected("Social", "USER#bob", "META"), SOCIAL, me="bob")
    assert caught.value.field == "other"


def test_likes_and_comments_of_a_post_are_no_edges() -> None:
    likes, *_ = SOCIAL
    values = BY_NAME["follow"].suggest(TABLES["Social"], selected("Social", "POST#a91f", "META"), (likes, likes), NOW)
    assert values["other"] == ""


# ------------------------------------------------------------------------------------------------------------ counters


@pytest.mark.parametrize("rules", [SOCIAL, ()])
def test_increments_by_add_and_by_set(rules: tuple[TallyRule, ...]) -> None:
    post = selected("Social", "POST#a91f", "META")
    assert lines(made("increment-add", "Social", post, rules)) == [
        "Social: Change POST#a91f / META: SET rev = if_not_exists(rev, 0) + 1 ADD likeTally 1 IF attribute_exists(PK)"
    ]
    assert lines(made("increment-set", "Social", post, rules, delta="-2.5", version="", attribute="a.b")) == [
        "Social: Change POST#a91f / META: SET a.b = if_not_exists(a.b, 0) + -2.5 IF attribute_exists(PK)"
    ]


def test_a_conditional_update_starts_from_what_is_seen() -> None:
    post = selected("Social", "POST#a91f", "META")
    rev = post[0]["rev"]
    assert isinstance(rev, Number)
    following = int(rev.text) + 1
    assert lines(made("update-observed", "Social", post)) == [
        "Social: Change POST#a91f / META: SET likeTally = 42 IF likeTally = 41"
    ]
    assert lines(made("update-version", "Social", post)) == [
        f"Social: Change POST#a91f / META: SET likeTally = 42, rev = {following} IF rev = {rev}"
    ]


def test_what_was_missing_has_to_be_missing_still_in_an_item_that_is_there() -> None:
    post = selected("Social", "POST#a91f", "META")
    assert lines(made("update-observed", "Social", post, attribute="x", observed=None, new=Boolean(value=True))) == [
        "Social: Change POST#a91f / META: SET x = TRUE IF attribute_exists(PK) AND attribute_not_exists(x)"
    ]
    assert lines(made("update-version", "Social", post, version="v", seen=None)) == [
        "Social: Change POST#a91f / META: SET likeTally = 42, v = 1 IF attribute_exists(PK) AND attribute_not_exists(v)"
    ]


@pytest.mark.parametrize("rules", [STATS, ()])
@pytest.mark.parametrize(
    ("key", "one", "is_warned"),
    [
        (("VID#9f3a", "STATS#TOTAL#0"), "VID#9f3a / STATS#TOTAL#{}", True),
        (("VID#5c08#1", "STATS"), "VID#5c08#{} / STATS", False),
    ],
)
def test_shards_in_either_part_of_the_key(
    rules: tuple[TallyRule, ...], key: tuple[str, str], one: str, is_warned: bool
) -> None:
    items = selected("Stats", *key)
    read = made("sharded-read", "Stats", items, rules)
    assert isinstance(read, TransactGet)
    assert lines(read) == [f"Stats: Get {one.format(shard)}: play_count" for shard in range(4)]
    seen = {line for _ in range(60) for line in lines(made("sharded-increment", "Stats", items, rules, delta="2"))}
    assert seen == {f"Stats: Change {one.format(shard)}: ADD play_count 2" for shard in range(4)}
    recipe = BY_NAME["sharded-increment"]
    warning = recipe.warning(recipe.suggest(TABLES["Stats"], items, rules, NOW))
    assert warning.startswith("The shards differ in SK, the sort key") if is_warned else warning == ""


def test_a_counter_that_is_not_sharded_yet_gets_a_place_for_it() -> None:
    request = made("sharded-read", "Social", selected("Social", "POST#a91f", "META"), shards="a, b")
    assert lines(request) == [f"Social: Get POST#a91f#{shard} / META: likeTally" for shard in "ab"]


def test_the_total_of_shards_is_exact() -> None:
    big = "9" * 38
    shards: list[Item | None] = [{"n": Number(big)}, None, {}, {"n": Number("0.1")}, {"n": Number("0.2")}]
    assert sharded_total(shards, "n").text == f"{big}.3"
    assert sharded_total([{"a": Map({"n": Number("2")})}], "a.n") == Number("2")
    assert sharded_total((), "n") == Number("0")
    with pytest.raises(InvalidValue, match="String"):
        sharded_total([{"n": String("1")}], "n")


# ------------------------------------------------------------------------------------------------------- what is wrong


POST_KEY = typed_key(TABLES["Social"].key_schema, {"PK": String("POST#a91f"), "SK": String("META")})


@pytest.mark.parametrize(
    ("recipe", "typed", "field"),
    [
        ("like", {"me": ""}, "me"),
        ("like", {"parent": typed_key(TABLES["Social"].key_schema, None)}, "parent"),
        ("like", {"tally": "a..b"}, "tally"),
        ("like", {"child": POST_KEY}, "child"),
        ("like", {"child": (TypedText("PK", "S", "{other}"), TypedText("SK", "S", "x"))}, "child"),
        ("like", {"child": (TypedText("PK", "S", "x" * 2049), TypedText("SK", "S", "x"))}, "child"),
        ("like", {"beside": (TypedText("n", "N", "{me}"),)}, "beside"),
        ("increment-add", {"delta": "1x"}, "delta"),
        ("increment-add", {"delta": "0.0"}, "delta"),
        ("increment-add", {"attribute": "a.b"}, "attribute"),
        ("update-observed", {"new": None}, "new"),
        ("update-version", {"seen": String("7")}, "seen"),
        ("update-version", {"version": "likeTally"}, "version"),
        ("sharded-increment", {"key": POST_KEY}, "key"),
        ("sharded-increment", {"shards": "0"}, "shards"),
        ("sharded-increment", {"shards": "a,,b"}, "shards"),
        ("sharded-increment", {"shards": "a, a"}, "shards"),
        ("sharded-read", {"shards": "101"}, "shards"),
    ],
)
def test_what_is_wrong_names_its_field(recipe: str, typed: dict[str, FieldValue], field: str) -> None:
    with pytest.raises(InvalidField) as caught:
        made(recipe, "Social", selected("Social", "POST#a91f", "META"), SOCIAL, **{"me": "USER#x", **typed})
    assert caught.value.field == field


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
@pytest.mark.parametrize("table", TABLES)
def test_every_recipe_has_something_for_each_field_of_any_table(recipe: Recipe, table: str) -> None:
    for items in ([], ITEMS[table][:50], ITEMS[table][::-1][:50]):
        for rules in ((), SOCIAL, STATS, WORKSPACES, COURSES):
            values = recipe.suggest(TABLES[table], items, rules, NOW)
            assert list(values) == [field.name for field in recipe.fields]
            for field in recipe.fields:
                if field.kind == "key":
                    assert isinstance(values[field.name], tuple)


def test_of_many_items_those_beside_the_selected_one_are_looked_at() -> None:
    post, *others = selected("Social", "POST#a91f", "META")
    viral: list[Item] = [{"PK": String("POST#v"), "SK": String(f"SEEN#{at}")} for at in range(3_000)]
    like = made("like", "Social", [post, *viral, *others], me="new")
    assert lines(like)[0].startswith("Social: Put PK=POST#a91f SK=LIKE#USER#new")


def test_a_composed_request_is_new_each_time() -> None:
    post = selected("Social", "POST#a91f", "META")
    first, second = (made("like", "Social", post, SOCIAL, me="USER#x") for _ in range(2))
    assert isinstance(first, TransactWrite)
    assert isinstance(second, TransactWrite)
    assert first.token != second.token
    assert isinstance(made("increment-add", "Social", post), SingleWrite)
    assert isinstance(actions_of(made("unlike", "Social", post, me="x"))[0], DeleteAction)
