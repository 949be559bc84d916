"""Taking repairs back: the inverse is shown, approved by name, made once, and its end is told."""

from __future__ import annotations

import json
from functools import partial

from dynodesk.domain.values import Number, String
from dynodesk.ui.dialogs.undo import UndoDialog
from tests.ui.dialogs.conftest import NewShop
from tests.ui.dialogs.repair_shop import Shop, texts_of


def test_the_inverse_is_shown_and_made(shop: Shop) -> None:
    shop.apply_all()
    dialog = shop.open_undo()
    assert dialog.windowTitle() == "Undo 2 repairs in Social"
    assert texts_of(dialog, 3) == ["+2", "-3"]
    assert "attribute_exists" in json.loads(dialog.request.toPlainText())["ConditionExpression"]
    dialog.approval.field.setText("Social")
    dialog.go_button.click()
    shop.wait_for(lambda: dialog.state == "over")
    assert dialog.outcome.said == "2 of 2 undone"
    assert texts_of(dialog, 4) == ["undone", "undone"]
    assert [shop.bench.tally(name) for name in "ab"] == [5, 1]


def test_what_was_repaired_by_another_since_is_not_undone(shop: Shop) -> None:
    shop.apply_all()
    shop.bench.change("a", _repaired=String("somebody else"), likeTally=Number("8"))
    dialog = shop.open_undo()
    dialog.approval.field.setText("Social")
    dialog.go_button.click()
    shop.wait_for(lambda: dialog.state == "over")
    assert dialog.outcome.said == "1 of 2 undone"
    assert dialog.became.text().startswith("Not undone. Nothing was written. The repair's marker is gone")
    assert shop.bench.tally("a") == 8


def test_a_wrong_name_undoes_nothing(shop: Shop) -> None:
    shop.apply_all()
    dialog = shop.open_undo()
    sent = len(shop.bench.writer.sent)
    dialog.approval.field.setText("Socials")
    assert not dialog.go_button.isEnabled()
    dialog.reject()
    assert len(shop.bench.writer.sent) == sent


def test_a_repair_that_was_undone_is_refused_in_words(shop: Shop) -> None:
    shop.apply_all()
    first, second = shop.open_undo(), shop.open_undo()
    for dialog in (first, second):
        dialog.approval.field.setText("Social")
        dialog.go_button.click()
        shop.wait_for(partial(_is_idle, dialog))
    assert second.state == "asking"
    assert "was undone before" in second.outcome.said
    assert [shop.bench.tally(name) for name in "ab"] == [5, 1]


def test_a_connection_that_only_reads_says_so(new_shop: NewShop, shop: Shop) -> None:
    shop.apply_all()
    dialog = new_shop(read_only=True).open_undo()
    assert "read-only" in dialog.outcome.said
    assert not dialog.go_button.isEnabled()


def _is_idle(dialog: UndoDialog) -> bool:
    return dialog.job is None
