"""Random items through the three forms of the inspector: what is not changed comes out as it went in, bit for bit."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication

from dynodesk.domain.values import Item, List, Map, Number, NumberSet, String, Value
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.models.item_cells import VALUE
from dynodesk.ui.pages.item_editor import DYNAMODB_JSON, JSON, TREE, ItemEditor
from tests.domain.strategies import items

KEYS = ("PK", "SK")


@pytest.fixture(scope="module")
def editor(qapp: QApplication) -> Iterator[ItemEditor]:
    runner = JobRunner(threads=1)
    made = ItemEditor(runner, None)
    yield made
    made.deleteLater()
    assert runner.shutdown()
    runner.deleteLater()


def exactly(value: Value) -> object:
    """What tells two spellings of one number, and two orders of one set, apart."""
    match value:
        case Number(text=text):
            return "N", text
        case NumberSet(members):
            return "NS", [member.text for member in members]
        case List(elements):
            return "L", [exactly(element) for element in elements]
        case Map(entries):
            return "M", [(name, exactly(entry)) for name, entry in entries.items()]
        case _:
            return repr(value)


def exact(item: Item) -> dict[str, object]:
    return {name: exactly(value) for name, value in item.items()}


def change_in_tree(editor: ItemEditor, text: str) -> None:
    model = editor.model
    row = next(row for row in range(model.rowCount()) if model.node(model.index(row, 0)).name == "SK")
    model.set_text(model.index(row, VALUE), text)


def change_in_text(editor: ItemEditor, old: str, new: str) -> None:
    typed = editor.text.typed
    assert typed.count(f'"{old}"') == 1
    editor.text.setPlainText(typed.replace(f'"{old}"', f'"{new}"'))
    assert editor.settle(), editor.problem


@given(items, st.permutations([TREE, JSON, DYNAMODB_JSON]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_one_change_in_each_form_leaves_all_the_rest_bit_for_bit(
    editor: ItemEditor, item: Item, forms: list[int]
) -> None:
    item = {**item, "PK": String("p"), "SK": String("<unchanged>")}
    editor.show_as(TREE)
    editor.show_item(item, item, KEYS, KEYS, editable=True)
    before = "<unchanged>"
    for number, form in enumerate(forms):
        editor.show_as(form)
        assert editor.form == form, editor.problem
        after = f"<changed {number}>"
        if form == TREE:
            change_in_tree(editor, after)
        else:
            change_in_text(editor, before, after)
        assert exact(editor.item) == {**exact(item), "SK": repr(String(after))}
        before = after


@given(items)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_only_looked_at_is_the_item_itself(editor: ItemEditor, item: Item) -> None:
    editor.show_as(TREE)
    editor.show_item(item, item, KEYS, (), editable=True)
    for form in (JSON, DYNAMODB_JSON, TREE, DYNAMODB_JSON, JSON, TREE):
        editor.show_as(form)
        assert editor.settle(), editor.problem
        assert editor.form == form
        assert all(editor.item[name] is item[name] for name in item)
        assert len(editor.item) == len(item)
