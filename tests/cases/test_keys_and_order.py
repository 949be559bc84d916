"""Keys as they are: awkward ones come back, ones that look alike are two, and an index hides nothing by itself."""

from __future__ import annotations

from typing import Any

import pytest

from dynodesk.domain.collections import View
from dynodesk.domain.edits import Edit, check_edit
from dynodesk.domain.errors import InvalidRequest, InvalidValue
from dynodesk.domain.expressions import parse_where
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import QueryPlan, ScanPlan, SortCondition, check_plan
from dynodesk.domain.values import Binary, Item, Null, Number, String, Value
from dynodesk.ui.pages.item_editor import DYNAMODB_JSON, JSON, TREE
from tests.aws.tables import make_table
from tests.cases.conftest import OpenDesk, Place
from tests.cases.live_desk import LiveDesk
from tests.helpers.command import dynodesk
from tests.helpers.small_tables import SOCIAL, like

AWKWARD = [
    "ORDER#7", "a|b", "a/b/../c", "100%", "a:b", "it's", 'say "x"', "back\\slash", "\\n", "two\nlines", "tab\tbed",
    "nul\0in", " lead", "trail ", "  ", "\r\n", "{}", "[0]", "$x", "#n", ":v", "<b>bold</b>", "&amp;", "=1+1",
    "caf\u00e9", "cafe\u0301", "a\u200db", "ab", "\u202eab", "a\u00a0b", "a b",
    "\ufeffa", "\ufeff\ufeffa", "\ufffea", "\ufeff", "\u0430b", "\uff21", "A",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467", "e\u0301" * 120, "\u2028", "\x7f", "x" * 1024,
]  # fmt: skip
"""Each is another key: of a sort key's length at most, and none of them is empty."""


def sorts(desk: LiveDesk) -> list[str]:
    found = []
    for item in desk.items:
        value = item["SK"]
        assert isinstance(value, String)
        found.append(value.text)
    return found


@pytest.fixture
def awkward(open_desk: OpenDesk, place: Place) -> LiveDesk:
    client = place[2]
    table = make_table(client)
    puts = [
        {"PutRequest": {"Item": {"PK": {"S": text}, "SK": {"S": text}, "n": {"N": str(at)}}}}
        for at, text in enumerate(AWKWARD)
    ]
    for start in range(0, len(puts), 25):
        client.batch_write_item(RequestItems={table: puts[start : start + 25]})
    return open_desk(table)


def test_awkward_keys_are_each_their_own(awkward: LiveDesk) -> None:
    """Asked for by the form, changed under the same key, and told apart on the screen."""
    desk, form = awkward, awkward.page.form
    assert sorted(sorts(desk)) == sorted(AWKWARD)
    assert len({desk.cell(item, "SK") for item in desk.items}) == len(AWKWARD)
    edits = []
    for at, text in enumerate(AWKWARD):
        condition = SortCondition("=" if at % 2 else "begins_with", String(text))
        form.set_plan(QueryPlan(desk.info.name, {"PK": String(text)}, condition, "SK"))
        (item,) = desk.run()
        assert item == {"PK": String(text), "SK": String(text), "n": Number(str(at))}, repr(text)
        after = {**item, "n": Number(str(1000 + at))}
        edits.append(Edit(desk.info.name, desk.info.key_schema.key_of(item), item, after))
    assert desk.desk.commit(desk.desk.plan(edits, Ticket()), Ticket()).is_done
    form.set_plan(ScanPlan(desk.info.name))
    found = {str(item["SK"]): item["n"] for item in desk.run()}
    assert found == {str(String(text)): Number(str(1000 + at)) for at, text in enumerate(AWKWARD)}


@pytest.mark.parametrize(
    "text", ["\ufeffa", "\ufffea", "a\u00a0b", "\r\n", "nul\0in", "back\\slash", "cafe\u0301", "  "]
)
@pytest.mark.parametrize("place", ["ministack"], indirect=True)
def test_an_awkward_key_stays_in_the_inspector(open_desk: OpenDesk, place: Place, text: str) -> None:
    desk = open_desk(make_table(place[2], [{"PK": {"S": text}, "SK": {"S": text}, text: {"S": text}, "n": {"N": "1"}}]))
    desk.edit(desk.items[0])
    for form in (JSON, DYNAMODB_JSON, TREE):
        desk.page.inspector.show_as(form)
        assert not desk.page.inspector.is_changed
    desk.type_over("n", "2")
    assert desk.commit(desk.stage()).outcome == "applied"
    stored = {"PK": {"S": text}, "SK": {"S": text}, text: {"S": text}, "n": {"N": "2"}}
    assert desk.stored({"PK": {"S": text}, "SK": {"S": text}}) == stored


def test_a_sparse_index_is_asked_only_by_who_chooses_it(open_desk: OpenDesk, place: Place) -> None:
    items: list[dict[str, Any]] = [
        {"PK": {"S": "1"}, "SK": {"S": "x"}, "g": {"S": "A"}, "h": {"N": "1"}},
        {"PK": {"S": "2"}, "SK": {"S": "x"}, "g": {"S": "A"}},
        {"PK": {"S": "3"}, "SK": {"S": "x"}, "h": {"N": "2"}},
    ]
    desk = open_desk(make_table(place[2], items, index={"g": "S", "h": "N"}))
    form = desk.page.form
    form.filter.set_condition(parse_where("g = 'A'"))
    assert sorted(str(item["PK"]) for item in desk.run()) == [str(String("1")), str(String("2"))]
    assert desk.sent("Query") == []
    assert "IndexName" not in desk.sent("Scan")[-1]
    form.filter.set_condition(None)
    form.index.choose(View(desk.info, "GSI1"))
    form.partition[0].setText("A")
    assert [item["PK"] for item in desk.run()] == [String("1")]
    assert desk.sent("Query")[-1]["IndexName"] == "GSI1"


BYTES = [
    # partition key, sort key, what is said of it
    ("a", "b", ""),
    ("é" * 1024, "b", ""),
    ("a", "é" * 512, ""),
    ("a", "🌊" * 256, ""),
    ("é" * 1024 + "x", "b", "2049 bytes; a key of this kind has at most 2048"),
    ("a" * 2049, "b", "2049 bytes; a key of this kind has at most 2048"),
    ("a", "é" * 512 + "x", "1025 bytes; a key of this kind has at most 1024"),
    ("a", "🌊" * 256 + "x", "1025 bytes; a key of this kind has at most 1024"),
    ("", "b", "a key cannot be empty"),
    ("a", "", "a key cannot be empty"),
    ("a\ud800", "b", "half of a surrogate pair"),
]


@pytest.mark.parametrize(("partition", "sort", "said"), BYTES)
def test_a_key_is_as_long_as_its_bytes(partition: str, sort: str, said: str) -> None:
    """As a new item, as a move, as keys that are asked for, and as keys of an index."""
    key = {"PK": String(partition), "SK": String(sort)}
    moved = Edit("Social", {"PK": String("a"), "SK": String("0")}, {"PK": String("a"), "SK": String("0")}, key)
    before = like("a91f", "7c20", 200)
    of_index = {**before, "GSI1PK": String(partition), "GSI1SK": String(sort)}
    edits = [
        Edit("Social", key, None, key),
        moved,
        Edit("Social", {"PK": before["PK"], "SK": before["SK"]}, before, of_index),  # type: ignore[dict-item]  # texts
    ]
    for edit in edits:
        if not said:
            check_edit(edit, SOCIAL)
            continue
        with pytest.raises(InvalidValue, match=said):
            check_edit(edit, SOCIAL)
    asked = SortCondition("begins_with", String(sort))
    plans = [
        QueryPlan("Social", {"PK": String(partition)}, asked, "SK"),
        QueryPlan("Social", {"GSI1PK": String(partition)}, asked, "GSI1SK", index="GSI1"),
    ]
    for plan in plans:
        if not said:
            check_plan(plan, SOCIAL)
            continue
        with pytest.raises(InvalidValue, match=said):
            check_plan(plan, SOCIAL)


@pytest.mark.parametrize(
    "plan",
    [
        QueryPlan("Social", {"PK": Number("1")}),
        QueryPlan("Social", {"PK": String("a")}, SortCondition("=", Number("1")), "SK"),
        QueryPlan("Social", {"PK": String("a")}, SortCondition("between", String("a"), Binary(b"b")), "SK"),
        QueryPlan("Social", {"kind": String("like")}, SortCondition(">", String("1")), "likedAt", index="GSI2"),
    ],
)
def test_a_key_of_another_type_is_not_asked_for(plan: QueryPlan) -> None:
    """A query that was kept may be older than its table."""
    with pytest.raises(InvalidRequest, match="is of type"):
        check_plan(plan, SOCIAL)


@pytest.mark.parametrize("place", ["ministack"], indirect=True)
def test_the_command_line_sends_no_key_that_cannot_be(open_desk: OpenDesk, place: Place) -> None:
    desk = open_desk(make_table(place[2]))
    for typed in (["--partition", ""], ["--partition", "a", "--sort", f"= {'x' * 1025}"]):
        finished = dynodesk("query", desk.info.name, *typed, "--endpoint-url", desk.proxy.url)
        assert (finished.returncode, finished.stdout) == (2, ""), finished.stderr
        assert "key" in finished.stderr
    assert desk.sent("Query") == desk.sent("GetItem") == []


@pytest.mark.parametrize("value", [Number("5"), Null(), String("")])
def test_what_cannot_be_a_key_of_an_index_is_said_with_its_name(
    open_desk: OpenDesk, place: Place, value: Value
) -> None:
    item: dict[str, Any] = {"PK": {"S": "1"}, "SK": {"S": "x"}, "g": {"S": "A"}, "h": {"N": "1"}}
    desk = open_desk(make_table(place[2], [item], index={"g": "S", "h": "N"}))
    read: Item = desk.items[0]
    desk.edit(read)
    inspector = desk.page.inspector
    inspector.editor.model.set_value(inspector.editor.model.find("g"), value)
    inspector.stage()
    assert desk.edits == []
    assert "GSI1" in inspector.remark.text
    inspector.editor.model.put_back(inspector.editor.model.find("g"))
    inspector.editor.model.remove(inspector.editor.model.find("g"))
    assert desk.commit(desk.stage()).outcome == "applied"
    desk.page.form.index.choose(View(desk.info, "GSI1"))
    assert desk.run() == []
