"""An item and its copy in an index, read again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dynodesk.domain.collections import View, absence
from dynodesk.domain.index_copies import LOOKED_THROUGH, OtherHalves, SecondLook, look_again
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import Page, QueryPlan
from dynodesk.domain.tables import IndexInfo, Key, KeyAttribute, KeySchema, Projection, TableInfo
from dynodesk.domain.values import Item, Null, Number, String
from tests.helpers.memory_reader import MemoryReader
from tests.helpers.small_tables import SOCIAL, like

GSI1 = View(SOCIAL, "GSI1")
LIKE = like("a91f", "7c20", 200)
KEY = SOCIAL.key_schema.key_of(LIKE)
WIDGETS = TableInfo(
    "Widgets",
    KeySchema((KeyAttribute("pk", "S"),)),
    indexes=(
        IndexInfo(
            "byKind", "GSI", KeySchema((KeyAttribute("g", "S"),), (KeyAttribute("h", "N"),)), Projection("KEYS_ONLY")
        ),
        IndexInfo(
            "byPlace",
            "GSI",
            KeySchema(
                (KeyAttribute("country", "S"), KeyAttribute("year", "N")),
                (KeyAttribute("city", "S"), KeyAttribute("street", "S")),
            ),
            Projection("ALL"),
        ),
    ),
)
BY_KIND, BY_PLACE = View(WIDGETS, "byKind"), View(WIDGETS, "byPlace")


def widget(name: str) -> Item:
    """All of them have the same key in the index."""
    return {"pk": String(name), "g": String("widget"), "h": Number("1")}


class SmallPages(MemoryReader):
    def query(self, plan: QueryPlan, ticket: Ticket, start: Key | None = None) -> Iterator[Page]:
        return super().query(replace(plan, page_limit=500), ticket, start)


class LaggingReader(MemoryReader):
    """Its index is that of `behind`."""

    def __init__(self, behind: MemoryReader) -> None:
        super().__init__(SOCIAL)
        self._behind = behind

    def query(self, plan: QueryPlan, ticket: Ticket, start: Key | None = None) -> Iterator[Page]:
        return self._behind.query(plan, ticket, start)


def lagging(base: Item | None, index: Item | None) -> LaggingReader:
    behind = MemoryReader(SOCIAL)
    reader = LaggingReader(behind)
    if index is not None:
        behind.put("Social", index)
    if base is not None:
        reader.put("Social", base)
    return reader


def again(base: Item | None, index: Item | None, seen: Item | None = LIKE) -> SecondLook:
    return look_again(lagging(base, index), GSI1, KEY, seen, Ticket())


def test_both_the_same_after_all() -> None:
    look = again(LIKE, LIKE)
    assert not look.is_behind
    assert look.words() == "read again: GSI1 has caught up, both are the same"


def test_an_index_that_is_still_behind() -> None:
    look = again({**LIKE, "likedAt": Number("999")}, LIKE)
    assert look.is_behind
    assert look.words() == "read again: GSI1 is still behind in likedAt"


def test_a_copy_that_stays_at_its_old_key() -> None:
    look = again({**LIKE, "GSI1PK": String("USER#new")}, LIKE)
    assert look.is_behind
    assert look.words() == "read again: GSI1 is still behind in GSI1PK"


def test_a_copy_of_an_item_that_is_gone() -> None:
    assert again(None, LIKE).words() == "the base table has the item no more, and GSI1 still has its copy: it is behind"
    assert again(None, LIKE).is_behind
    assert again(None, None).words() == "the base table has the item no more, nor has GSI1"
    assert not again(None, None).is_behind


def test_an_item_that_has_no_copy_yet_or_none_at_all() -> None:
    assert again(LIKE, None).is_behind
    assert again(LIKE, None, seen=None).words() == "GSI1 has no copy of it yet: it is behind"
    bare = {name: value for name, value in LIKE.items() if name != "GSI1SK"}
    look = again(bare, None, seen=None)
    assert not look.is_behind
    assert look.words() == "GSI1 has no copy of it: its key GSI1SK is missing"


def test_equal_index_keys_are_told_apart_by_the_base_key() -> None:
    """Index keys are not unique, and their order among each other means nothing."""
    reader = MemoryReader(WIDGETS)
    items = [widget(f"w{at}") for at in range(50)]
    reader.put("Widgets", *items)
    look = look_again(reader, BY_KIND, {"pk": String("w37")}, None, Ticket())
    assert look.copy == items[37]
    pages = list(reader.query(QueryPlan("Widgets", {"g": String("widget")}, index="byKind", page_limit=10), Ticket()))
    assert len({str(item["pk"]) for page in pages for item in page.items}) == 50


def test_among_too_many_equal_keys_nothing_is_claimed() -> None:
    reader = SmallPages(WIDGETS)
    reader.put("Widgets", *(widget(f"w{at}") for at in range(LOOKED_THROUGH + 1)))
    look = look_again(reader, BY_KIND, {"pk": String("zz")}, widget("zz"), Ticket())
    assert look.item is None
    assert not look.is_sure


def test_keys_of_several_attributes() -> None:
    place: Item = {
        "pk": String("1"),
        "country": String("NL"),
        "year": Number("2025"),
        "city": String("Delft"),
        "street": String("Oude"),
    }
    reader = MemoryReader(WIDGETS)
    reader.put("Widgets", place)
    assert look_again(reader, BY_PLACE, {"pk": String("1")}, None, Ticket()).copy == place
    plan, _ = reader.asked[0]
    assert isinstance(plan, QueryPlan)
    assert plan.partition == {"country": String("NL"), "year": Number("2025")}
    assert plan.sort_equals == {"city": String("Delft")}
    assert plan.sort_name == "street"


def test_a_sparse_index_hides_rows_and_says_why() -> None:
    """Items with the index's partition key are not in it without its sort key, or with another type of it."""
    right: Item = {"pk": String("1"), "g": String("A"), "h": Number("1")}
    without: Item = {"pk": String("2"), "g": String("A")}
    elsewhere: Item = {"pk": String("3"), "h": Number("2")}
    wrong: Item = {"pk": String("4"), "g": String("A"), "h": String("1")}
    nothing: Item = {"pk": String("5"), "g": Null(), "h": Number("1")}
    empty: Item = {"pk": String("6"), "g": String(""), "h": Number("1")}
    assert [absence(item, BY_KIND) for item in (right, without, elsewhere, wrong, nothing, empty)] == [
        "",
        "its key h is missing",
        "its key g is missing",
        "its key h is a String, and byKind holds Numbers there",
        "its key g is a Null, and byKind holds Strings there",
        "its key g is empty",
    ]
    reader = MemoryReader(WIDGETS)
    reader.put("Widgets", right, without, elsewhere, wrong)
    (page,) = reader.query(QueryPlan("Widgets", {"g": String("A")}, index="byKind"), Ticket())
    assert [item["pk"] for item in page.items] == [String("1")]


def test_what_differs_is_said_in_a_word_and_in_a_sentence() -> None:
    one, two, three = ("Sone",), ("Stwo",), ("Sthree",)
    halves = OtherHalves(
        differing={one: ("likedAt",), two: ("likedAt", "title")}, gone=frozenset({three}), behind=frozenset({two})
    )
    said = {halves.remark(which, LIKE): halves.explanation(which, LIKE) for which in (one, two, three, ("Sfour",))}
    assert said == {
        "differs": "likedAt of this copy is not what the base table had when that was read",
        "behind": "likedAt, title of this copy is behind: so it was when both were read again",
        "not in the base": "a copy whose item was not in the base table when that was read",
        "": "",
    }
    beside = OtherHalves(beside=BY_KIND)
    bare: Item = {"pk": String("1"), "g": String("A")}
    assert beside.remark(one, bare) == "not in byKind"
    assert beside.explanation(one, bare) == "not in byKind: its key h is missing"
    assert beside.remark(one, widget("w")) == beside.explanation(one, widget("w")) == ""
