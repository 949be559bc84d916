"""The tree behind the list at the left: what is found again when its lists are read anew, and what the filter keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.modeltest import ModelTester

from dynodesk.domain.errors import NotAllowed
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, Projection, TableInfo
from dynodesk.ui.models.table_tree import PLACE, Place, TableTree, estimate, index_note
from dynodesk.ui.widgets.trees import NOTE

KEYS = KeySchema((KeyAttribute("PK", "S"),))
GSI = IndexInfo("GSI1", "GSI", KEYS, Projection("KEYS_ONLY"))
LSI = IndexInfo("by-time", "LSI", KEYS, Projection("ALL"))


@pytest.fixture
def tree(dressed_application: QApplication, qtmodeltester: ModelTester) -> Iterator[TableTree]:
    made = TableTree()
    made.add_connection("c", "shop", "plug", "production", "danger", 0)
    made.set_tables("c", ("Audit", "Social", "Stats"))
    made.describe("c", {"Social": TableInfo("Social", KEYS, (GSI, LSI), item_count_estimate=0)})
    yield made
    check: Callable[[QAbstractItemModel], None] = qtmodeltester.check
    check(made)
    made.deleteLater()


def rows(model: QAbstractItemModel, parent: QModelIndex | None = None, depth: int = 0) -> list[str]:
    parent = parent or QModelIndex()
    found = []
    for n in range(model.rowCount(parent)):
        index = model.index(n, 0, parent)
        found.append("  " * depth + " | ".join(filter(None, (index.data(), index.data(NOTE)))))
        found += rows(model, index, depth + 1)
    return found


def test_tables_with_their_indexes(tree: TableTree) -> None:
    assert rows(tree) == [
        "shop | production",
        "  Tables | 3",
        "    Audit",
        "    Social | ≈ 0",
        "      GSI1 | GSI · keys only",
        "      by-time | LSI · all attributes",
        "    Stats",
    ]


def test_a_stale_count_is_never_told_as_the_count(tree: TableTree) -> None:
    """DescribeTable may say 0 of a table with a thousand items."""
    index = tree.find(Place("table", "c", "Social"))
    assert index.data(NOTE).startswith("≈")
    assert "six hours ago" in index.data(Qt.ItemDataRole.ToolTipRole)


def test_the_filter_keeps_what_contains_the_text(tree: TableTree) -> None:
    tree.set_needle(" ST ")
    assert rows(tree) == ["shop | production", "  Tables | 1 of 3", "    Stats"]
    tree.set_needle("o")
    assert len(rows(tree)) == 5
    tree.set_needle("nothing")
    assert rows(tree) == ["shop | production", "  Tables | 0 of 3"]
    assert tree.matches("c") == 0
    tree.set_needle("")
    assert len(rows(tree)) == 7


def test_rows_are_followed_through_filter_and_refresh(tree: TableTree) -> None:
    social = QPersistentModelIndex(tree.find(Place("table", "c", "Social")))
    gsi = QPersistentModelIndex(tree.find(Place("index", "c", "Social", "GSI1")))
    tree.set_needle("soc")
    assert (social.row(), social.data()) == (0, "Social")
    tree.set_needle("")
    tree.set_tables("c", ("Aaa", "Audit", "Social", "Zoo"))
    assert (social.row(), social.data()) == (2, "Social")
    assert gsi.data(PLACE) == Place("index", "c", "Social", "GSI1")
    tree.set_tables("c", ("Aaa",))
    assert not social.isValid()
    assert not gsi.isValid()
    assert rows(tree) == ["shop | production", "  Tables | 1", "    Aaa"]


def test_what_is_described_while_it_is_hidden_is_there_afterwards(tree: TableTree) -> None:
    tree.set_needle("audit")
    described = TableInfo("Stats", KEYS, (LSI,), item_count_estimate=12_000)
    tree.describe("c", {"Stats": described, "Audit": NotAllowed("no right")})
    assert rows(tree)[2:] == ["    Audit | not described"]
    tree.set_needle("")
    assert rows(tree)[-2:] == ["    Stats | ≈ 12 k", "      by-time | LSI · all attributes"]
    assert "no right" in tree.find(Place("table", "c", "Audit")).data(Qt.ItemDataRole.ToolTipRole)


def test_indexes_come_and_go(tree: TableTree) -> None:
    filling = IndexInfo("GSI2", "GSI", KEYS, Projection("ALL"), status="CREATING", is_backfilling=True)
    tree.describe("c", {"Social": TableInfo("Social", KEYS, (filling,), status="UPDATING")})
    assert rows(tree)[3:5] == ["    Social | updating", "      GSI2 | GSI · backfilling"]
    tree.describe("c", {"Social": TableInfo("Social", KEYS)})
    assert rows(tree)[3:5] == ["    Social", "    Stats"]


def test_connections_come_change_and_go(tree: TableTree) -> None:
    tree.add_connection("d", "other", "plug", "dev", "", 1)
    tree.set_tables("d", ("Social",))
    tree.change_connection("d", name="renamed", note="opening…")
    assert rows(tree)[-3:] == ["renamed | opening…", "  Tables | 1", "    Social"]
    tree.clear_tables("c")
    tree.remove_connection("d")
    assert rows(tree) == ["shop | production"]


def test_a_list_that_was_refused_says_so(tree: TableTree) -> None:
    tree.set_tables("c", ("Known",), "not listed", "These credentials may not list.")
    assert rows(tree)[1:] == ["  Tables | not listed", "    Known"]
    assert "may not list" in tree.find(Place("tables", "c")).data(Qt.ItemDataRole.ToolTipRole)
    tree.set_tables("c", ("Known",))
    assert rows(tree)[1] == "  Tables | 1"


def test_places_that_are_not_there(tree: TableTree) -> None:
    for place in (
        Place("connection", "x"),
        Place("tables", "x"),
        Place("table", "c", "Nothing"),
        Place("index", "c", "Nothing", "i"),
        Place("index", "c", "Social", "i"),
    ):
        assert not tree.find(place).isValid()


@pytest.mark.parametrize(
    ("count", "words"), [(None, ""), (0, "≈ 0"), (9_999, "≈ 9,999"), (10_000, "≈ 10 k"), (25_400_000, "≈ 25 M")]
)
def test_estimates_in_words(count: int | None, words: str) -> None:
    assert estimate(count) == words


def test_an_index_that_is_going_says_so() -> None:
    assert index_note(IndexInfo("i", "GSI", KEYS, Projection("ALL"), status="DELETING")) == "GSI · deleting"
