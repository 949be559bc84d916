"""The same change for many items: what it would do, what not and why."""

from __future__ import annotations

import pytest

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.edits import StagedEdits
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.domain.values import Binary, Item, Map, Null, Number, String, Value
from dynodesk.editing.bulk import DeleteItems, DryRun, SetAttributes, dry_run
from tests.editing.edit_bench import POSTS, EditBench, edit, post

STATE, VIEWS = AttributePath(("state",)), AttributePath(("stats", "views"))
ITEMS = (
    post("A", state=String("open"), stats=Map({"views": Number("7"), "likes": Number("1")})),
    post("B", state=String("closed"), stats=Map({"views": Number("0.0")})),
    post("C", stats=String("none")),
)


def tried(change: SetAttributes | DeleteItems, *items: Item) -> DryRun:
    return dry_run(POSTS, items or ITEMS, change, Ticket())


def words(run: DryRun) -> list[tuple[str, str]]:
    return [(left.title, left.reason) for left in run.left_out]


def test_set() -> None:
    run = tried(SetAttributes({STATE: String("closed")}))
    assert run.edits == (
        edit(ITEMS[0], {**ITEMS[0], "state": String("closed")}),
        edit(ITEMS[2], {**ITEMS[2], "state": String("closed")}),
    )
    assert words(run) == [("POST#a91f / B", "it is so already")]
    assert run.units == 2


def test_set_in_a_map_that_is_there() -> None:
    run = tried(SetAttributes({VIEWS: Number("0")}))
    assert [made.after for made in run.edits] == [
        {**ITEMS[0], "stats": Map({"views": Number("0"), "likes": Number("1")})}
    ]
    assert words(run) == [("POST#a91f / B", "it is so already"), ("POST#a91f / C", "it has no map stats")]


def test_remove() -> None:
    run = tried(SetAttributes(remove=(STATE, VIEWS)))
    assert [made.after for made in run.edits] == [
        post("A", stats=Map({"likes": Number("1")})),
        post("B", stats=Map({})),
    ]
    assert words(run) == [("POST#a91f / C", "it is so already")]


def test_what_the_service_would_refuse_is_left_out() -> None:
    large = post("L", blob=Binary(b"x" * 409_000))
    run = tried(SetAttributes({AttributePath(("actor",)): String("x" * 800)}), ITEMS[0], large)
    assert len(run.edits) == 1
    ((title, reason),) = words(run)
    assert title == "POST#a91f / L"
    assert reason.startswith("the item has 40")
    run = tried(SetAttributes({AttributePath(("actor",)): Null()}))
    assert (len(run.edits), len(run.left_out)) == (0, 3)


def test_delete_each_once() -> None:
    run = tried(DeleteItems(), *ITEMS, ITEMS[0])
    assert run.edits == tuple(edit(item, None) for item in ITEMS)


@pytest.mark.parametrize(
    "change",
    [
        SetAttributes(),
        SetAttributes({AttributePath(("SK",)): String("x")}),
        SetAttributes(remove=(AttributePath(("PK",)),)),
    ],
)
def test_what_is_no_change_of_many(change: SetAttributes) -> None:
    with pytest.raises(InvalidRequest):
        tried(change)


def test_what_is_staged_of_an_item_stays_staged() -> None:
    moved, new = {**ITEMS[0], "SK": String("A2")}, post("N", state=String("new"))
    begun = [
        edit(ITEMS[0], moved),
        edit(ITEMS[1], {**ITEMS[1], "title": String("b")}),
        edit(ITEMS[2], None),
        edit(None, new),
    ]
    run = dry_run(POSTS, [*ITEMS, new], SetAttributes({STATE: String("gone")}), Ticket(), begun)
    assert words(run) == [("POST#a91f / C", "it is to be deleted already")]
    staged = StagedEdits(begun)
    for made in run.edits:
        staged.stage(made)
    assert list(staged) == [
        edit(ITEMS[0], {**moved, "state": String("gone")}),
        edit(ITEMS[1], {**ITEMS[1], "title": String("b"), "state": String("gone")}),
        edit(ITEMS[2], None),
        edit(None, {**new, "state": String("gone")}),
    ]
    for made in dry_run(POSTS, [*ITEMS, new], DeleteItems(), Ticket(), list(staged)).edits:
        staged.stage(made)
    assert [(one.kind, one.before) for one in staged] == [("deleted", item) for item in ITEMS]


def test_it_can_be_stopped() -> None:
    ticket = Ticket()
    ticket.cancel()
    with pytest.raises(Cancelled):
        dry_run(POSTS, ITEMS, DeleteItems(), ticket)


def test_stopped_and_taken_up_again() -> None:
    many: list[dict[str, Value]] = [post(f"N{number:03}", likes=Number("1")) for number in range(200)]
    bench = EditBench(*many)
    run = dry_run(POSTS, many, SetAttributes({AttributePath(("likes",)): Number("2")}), bench.ticket)
    told = 0

    def stop_after_50(_: object) -> None:
        nonlocal told
        told += 1
        if told == 50:
            bench.ticket.cancel()

    report = bench.desk.commit(bench.desk.plan(run.edits, bench.ticket), bench.ticket, stop_after_50)
    assert 50 <= len(report.of("applied")) < 60
    rest = bench.desk.commit(bench.desk.plan(report.not_tried, Ticket()), Ticket())
    assert rest.is_done
    assert len(bench.writer.sent) == 200
    assert {bench.item(f"N{number:03}") == post(f"N{number:03}", likes=Number("2")) for number in range(200)} == {True}
