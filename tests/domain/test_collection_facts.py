"""What the loaded items say of their collection."""

from __future__ import annotations

from dynodesk.domain.collection_facts import COLLECTION_LIMIT, CollectionFacts, facts_of
from dynodesk.domain.collections import Collection, View, prepare
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, Projection, TableInfo
from dynodesk.domain.values import Item, Number, String, item_size
from tests.helpers.small_tables import SOCIAL, like, post

ORDERS = TableInfo(
    "Orders",
    KeySchema((KeyAttribute("id", "S"),), (KeyAttribute("line", "N"),)),
    indexes=(
        IndexInfo(
            "byPrice",
            "LSI",
            KeySchema((KeyAttribute("id", "S"),), (KeyAttribute("price", "N"),)),
            Projection("KEYS_ONLY"),
        ),
    ),
)
BASE, LOCAL = View(ORDERS), View(ORDERS, "byPrice")


def collection(view: View, *items: Item) -> Collection:
    made = Collection((), "")
    for entry in prepare(items, view).entries:
        made.take(entry)
    return made


def line(number: str, **more: Number) -> Item:
    return {"id": String("o-1"), "line": Number(number), "note": String("n" * 100), **more}


def test_count_bytes_and_cost_of_a_whole_collection() -> None:
    whole = collection(View(SOCIAL), post("a", 3), like("a", "b", 7))
    facts = facts_of(whole, View(SOCIAL), "all read")
    assert (facts.count, facts.size) == (2, item_size(post("a", 3)) + item_size(like("a", "b", 7)))
    assert facts.note == "0.5 RCU to read, 1 consistent"
    said = facts.explanation(View(SOCIAL))
    assert said.startswith("From the 2 items loaded, ")
    assert "no limit of 10 GB" in said


def test_so_far_it_costs_at_least_that() -> None:
    facts = facts_of(collection(View(SOCIAL), post("a", 3)), View(SOCIAL), "so far")
    assert facts.note == "from 0.5 RCU to read, 1 consistent"
    assert "at least 0.5 RCU" in facts.explanation(View(SOCIAL))


def test_a_part_that_was_asked_for_tells_no_cost() -> None:
    for extent in ("in this range", "that meet the filter", "some attributes"):
        facts = facts_of(collection(View(SOCIAL), post("a", 3)), View(SOCIAL), extent)
        assert facts.note == ""
        assert "is not known" in facts.explanation(View(SOCIAL))


def test_a_global_index_is_never_read_consistently() -> None:
    view = View(SOCIAL, "GSI1")
    facts = facts_of(collection(view, like("a", "b", 7)), view, "all read")
    assert facts.note == "0.5 RCU to read"
    assert facts.footprint is None


def test_copies_in_local_indexes_count_to_the_limit() -> None:
    held, sparse = line("1", price=Number("5")), line("2")
    facts = facts_of(collection(BASE, held, sparse), BASE, "all read")
    copy = item_size({name: held[name] for name in ("id", "line", "price")})
    assert facts.footprint == facts.size + copy, "the item without a price has no copy"
    assert facts.note.endswith("less than 0.1 % of 10 GB")
    assert "10.0 GB are left" in facts.explanation(BASE)
    assert "replies to writes" in facts.explanation(BASE)


def test_the_share_of_the_limit_is_rounded_down() -> None:
    def share(footprint: int, *, at_least: bool = False) -> str:
        facts = CollectionFacts(1, 1, footprint, not at_least, at_least, consistent=True)
        return facts.note.split(" · ")[1]

    assert share(COLLECTION_LIMIT) == "100.0 % of 10 GB"
    assert share(COLLECTION_LIMIT - 1) == "99.9 % of 10 GB"
    assert share(COLLECTION_LIMIT // 2, at_least=True) == "at least 50.0 % of 10 GB"


def test_a_view_through_a_local_index_sees_only_copies() -> None:
    facts = facts_of(collection(LOCAL, line("1", price=Number("5"))), LOCAL, "all read")
    assert facts.footprint is None
    assert facts.note == "0.5 RCU to read, 1 consistent"
