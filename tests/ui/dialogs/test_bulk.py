"""The same change for many rows: tried first, then staged; what is left out says why."""

from __future__ import annotations

from PySide6.QtTest import QTest

from dynodesk.domain.edits import Edit
from dynodesk.domain.values import Boolean, Number, String
from tests.editing.edit_bench import edit, post
from tests.ui.dialogs.conftest import NewEditShop
from tests.ui.dialogs.edit_shop import EditShop, column_of

ITEMS = [post(f"LIKE#{n}", at=Number(str(n)), seen=Boolean(value=n == 1)) for n in range(4)]


def try_out(shop: EditShop, attribute: str, kind: str, value: str, *, whole: bool = True) -> list[tuple[str, str]]:
    dialog = shop.open_bulk(ITEMS[:3], ITEMS, whole=whole)
    QTest.keyClicks(dialog.attribute, attribute)
    dialog.kind.setCurrentIndex(dialog.kind.findData(kind))
    QTest.keyClicks(dialog.value, value)
    dialog.try_button.click()
    shop.wait_for(lambda: dialog.tried is not None or bool(dialog.outcome.said))
    return [*zip(column_of(dialog, 0), column_of(dialog, 1), strict=True)]


def test_what_changes_and_what_does_not_is_shown_first(edit_shop: NewEditShop) -> None:
    shop = edit_shop(*ITEMS)
    assert try_out(shop, "seen", "BOOL", "true") == [
        ("POST#a91f / LIKE#1", "Left out: it is so already."),
        ("POST#a91f / LIKE#0", "seen false → true"),
        ("POST#a91f / LIKE#2", "seen false → true"),
    ]
    assert len(shop.staging) == 0


def test_the_change_is_staged_for_the_rows_chosen(edit_shop: NewEditShop) -> None:
    shop = edit_shop(*ITEMS)
    dialog = shop.open_bulk(ITEMS[:1], ITEMS)
    dialog.what.setCurrentIndex(1)
    QTest.keyClicks(dialog.attribute, "at")
    dialog.which.setCurrentIndex(1)
    dialog.try_button.click()
    shop.wait_for(lambda: dialog.tried is not None)
    assert dialog.stage_button.text() == "Stage 4 edits"
    dialog.stage_button.click()
    assert [change.after for one in shop.staging.edits for change in one.changes] == [None] * 4
    assert not dialog.isVisible()


def test_what_was_staged_before_is_not_lost(edit_shop: NewEditShop) -> None:
    shop = edit_shop(*ITEMS)
    shop.stage(edit(ITEMS[0], {**ITEMS[0], "note": String("mine")}))
    dialog = shop.open_bulk(ITEMS[:1], ITEMS)
    dialog.kind.setCurrentIndex(dialog.kind.findData("BOOL"))
    QTest.keyClicks(dialog.attribute, "seen")
    QTest.keyClicks(dialog.value, "true")
    dialog.try_button.click()
    shop.wait_for(lambda: dialog.tried is not None)
    dialog.stage_button.click()
    first = shop.staging.edits[0]
    assert first == edit(ITEMS[0], {**ITEMS[0], "note": String("mine"), "seen": Boolean(value=True)})


def test_another_change_has_to_be_tried_anew(edit_shop: NewEditShop) -> None:
    shop = edit_shop(*ITEMS)
    dialog = shop.open_bulk(ITEMS[:1], ITEMS)
    QTest.keyClicks(dialog.attribute, "note")
    QTest.keyClicks(dialog.value, "a")
    dialog.try_button.click()
    shop.wait_for(lambda: dialog.tried is not None)
    QTest.keyClicks(dialog.value, "b")
    assert dialog.tried is None
    assert not dialog.stage_button.isEnabled()
    assert column_of(dialog, 0) == []


def test_a_value_that_is_none_of_its_type_is_said_at_its_field(edit_shop: NewEditShop) -> None:
    shop = edit_shop(*ITEMS)
    dialog = shop.open_bulk(ITEMS[:1], ITEMS)
    QTest.keyClicks(dialog.attribute, "at")
    dialog.kind.setCurrentIndex(dialog.kind.findData("N"))
    QTest.keyClicks(dialog.value, "12x")
    dialog.try_button.click()
    assert dialog.value.property("invalid")
    dialog.attribute.clear()
    dialog.try_button.click()
    assert dialog.attribute.property("invalid")
    assert dialog.tried is None


def test_a_key_is_not_changed_for_many(edit_shop: NewEditShop) -> None:
    shop = edit_shop(*ITEMS)
    assert try_out(shop, "SK", "S", "x") == []


def test_rows_of_an_index_are_read_whole_first(edit_shop: NewEditShop) -> None:
    shop = edit_shop(*ITEMS[:2])
    copies = [{name: item[name] for name in ("PK", "SK")} for item in ITEMS[:3]]
    dialog = shop.open_bulk(copies, copies, whole=False, is_deletion=True)
    shop.wait_for(lambda: dialog.tried is not None)
    assert dialog.tried is not None
    assert dialog.tried.edits == tuple(edit(item, None) for item in ITEMS[:2])
    assert dialog.note.text.startswith("2 deleted, 0 left out, 1 not in the table any more")
    assert column_of(dialog, 1) == ["all 4 attributes"] * 2  # that they are deleted is said beside their keys


def test_it_goes_on_to_the_commit(edit_shop: NewEditShop) -> None:
    shop = edit_shop(*ITEMS)
    shop.stage(edit(None, post("NEW", note=String("a"))))
    dialog = shop.open_bulk(ITEMS[:2], ITEMS, is_deletion=True)
    shop.wait_for(lambda: dialog.tried is not None)
    asked: list[tuple[Edit, ...]] = []

    def note(edits: tuple[Edit, ...]) -> None:
        asked.append(edits)

    dialog.commit_asked.connect(note)
    dialog.commit_button.click()
    assert asked == [tuple(edit(item, None) for item in ITEMS[:2])]
    assert len(shop.staging) == 3


def test_what_cannot_be_staged_is_said(edit_shop: NewEditShop) -> None:
    shop = edit_shop(*ITEMS)
    moved = {**ITEMS[3], "SK": String("LIKE#0")}
    shop.staging.stage(Edit("Posts", edit(ITEMS[3], None).key, ITEMS[3], moved))
    dialog = shop.open_bulk(ITEMS[:2], ITEMS)
    QTest.keyClicks(dialog.attribute, "note")
    dialog.try_button.click()
    shop.wait_for(lambda: dialog.tried is not None)
    dialog.stage_button.click()
    assert dialog.isVisible()
    assert "1 staged, 1 not" in dialog.outcome.said


def test_a_connection_that_only_reads_tries_and_stages_nothing(edit_shop: NewEditShop) -> None:
    shop = edit_shop(*ITEMS, read_only=True)
    dialog = shop.open_bulk(ITEMS[:2], ITEMS, is_deletion=True)
    shop.wait_for(lambda: dialog.tried is not None)
    assert not dialog.stage_button.isEnabled()
    assert not dialog.commit_button.isEnabled()
    assert "read-only" in dialog.stage_button.toolTip()
