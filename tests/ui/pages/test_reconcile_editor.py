"""The rules file as text: every character kept, checked while it is typed, saved as a whole or not at all."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest

from dynodesk.reconcile.rules import parse_rules
from dynodesk.ui.pages.reconcile_editor import RulesEditor
from dynodesk.ui.pages.reconcile_templates import TEMPLATES, new_file
from dynodesk.ui.widgets.code import pieces
from dynodesk.wiring import Workspace
from tests.ui.pages.reconcile_desk import SOCIAL_TOML, Desk, OpenDesk


@pytest.fixture
def editor(desk: Desk) -> RulesEditor:
    """Of a page over a table in memory, with the page's rules in it."""
    desk.page.rules.edit_action.trigger()
    wait_for_check(desk)
    return desk.page.editor


def wait_for_check(desk: Desk) -> None:
    desk.wait_for(lambda: desk.page.editor.path is not None and desk.page.editor.checked is not None)


def rewrite(editor: RulesEditor, text: str) -> None:
    """As if it was typed: it can be undone."""
    cursor = QTextCursor(editor.text.document())
    cursor.select(QTextCursor.SelectionType.Document)
    cursor.insertText(text)


def test_the_file_in_force_is_opened_and_found_right(desk: Desk, editor: RulesEditor, quick: Path) -> None:
    assert desk.page.stack.currentWidget() is editor
    assert editor.text.text == quick.read_text(encoding="utf-8")
    assert editor.said.text == "3 rules without mistakes; they fit their tables"
    assert not editor.is_dirty
    assert not editor.problems.isVisibleTo(editor)
    desk.page.rules.edit_action.trigger()
    assert desk.note == "Nothing has been read yet"


def test_mistakes_are_marked_at_their_lines_while_one_types(desk: Desk, editor: RulesEditor) -> None:
    lines = editor.text.text.splitlines()
    wrong = editor.text.text.replace('missing = "report"', 'mising = "report"').replace("GSI1PK", "GSI9PK")
    rewrite(editor, wrong)
    assert editor.checked is None  # of what was there before
    wait_for_check(desk)
    places = {lines.index('missing = "report"') + 1}
    assert set(editor.text.faulty) == places
    assert editor.problems.isVisibleTo(editor)
    rewrite(editor, wrong.replace("mising", "missing"))  # now what only the table knows
    wait_for_check(desk)
    assert [lines[line - 1].partition(" ")[0] for line in editor.text.faulty] == ["children"]
    assert "GSI9PK" in editor.problems.text


def test_enter_on_a_mistake_goes_to_its_line(desk: Desk, editor: RulesEditor) -> None:
    rewrite(editor, editor.text.text.replace('missing = "report"', 'mising = "report"'))
    wait_for_check(desk)
    QTest.keyClick(editor.problems.grid, Qt.Key.Key_Return)
    assert editor.text.textCursor().block().text() == 'mising = "report"'


def test_a_run_uses_what_is_saved(desk: Desk, editor: RulesEditor, quick: Path) -> None:
    rewrite(editor, editor.text.text.replace('name = "post likes"', 'name = "likes of posts"'))
    assert editor.is_dirty
    assert editor.save_button.isEnabled()
    desk.run()
    assert "likes of posts" not in {finding.rule for finding in desk.findings}
    desk.page.rules.edit_action.trigger()  # what was typed is still there
    assert editor.is_dirty
    editor.save_button.click()
    desk.wait_for(lambda: not editor.is_dirty)
    desk.wait_until_idle()
    assert quick.read_text(encoding="utf-8") == editor.text.text
    assert desk.page.form.rule_boxes[0].text() == "likes of posts"
    assert desk.page.stack.currentWidget() is editor


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_every_character_survives_a_save(desk: Desk, quick: Path, newline: str) -> None:
    text = "# no-break\u00a0space, thin\u2009space, \u202eturned, ends in line\u2028separator\t\n" + quick.read_text(
        "utf-8"
    )
    quick.write_bytes(text.replace("\n", newline).encode())
    before = quick.read_bytes()
    desk.page.rules.edit_action.trigger()
    editor = desk.page.editor
    wait_for_check(desk)
    assert not editor.is_dirty
    QTest.keyClick(editor.text, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(editor.text, "# more")
    editor.save_button.click()
    desk.wait_for(lambda: not editor.is_dirty)
    assert quick.read_bytes() == before + b"# more"


def test_what_another_program_saved_meanwhile_is_not_overwritten(desk: Desk, editor: RulesEditor, quick: Path) -> None:
    rewrite(editor, editor.text.text + "# mine\n")
    theirs = quick.read_text(encoding="utf-8") + "# theirs\n"
    quick.write_text(theirs, encoding="utf-8")
    editor.save_button.click()
    desk.wait_for(lambda: desk.messages.current is not None)
    assert desk.messages.current is not None
    assert "was changed by another program" in desk.messages.current.line
    assert quick.read_text(encoding="utf-8") == theirs
    assert editor.is_dirty


def test_a_sample_is_saved_as_another_file(open_desk: OpenDesk, workspace: Workspace, tmp_path: Path) -> None:
    desk = open_desk(workspace, SOCIAL_TOML)
    before = SOCIAL_TOML.read_bytes()
    desk.page.rules.edit_action.trigger()
    wait_for_check(desk)
    editor = desk.page.editor
    rewrite(editor, editor.text.text + "# mine\n")
    desk.asker.path = tmp_path / "mine.toml"
    editor.save_button.click()
    desk.wait_for(desk.asker.path.exists)
    desk.wait_until_idle()
    assert SOCIAL_TOML.read_bytes() == before
    assert desk.page.windowTitle() == "Reconcile: mine.toml"


def test_changes_are_given_up_only_when_somebody_says_so(desk: Desk, editor: RulesEditor, tmp_path: Path) -> None:
    rewrite(editor, "version = 1\n")
    desk.asker.path = SOCIAL_TOML
    desk.asker.answer = False
    desk.page.rules.open_action.trigger()
    assert desk.page.windowTitle() == "Reconcile: quick.toml"
    assert desk.asker.questions[0].danger
    desk.asker.answer = True
    desk.page.rules.open_action.trigger()
    desk.wait_until_idle()
    assert desk.page.windowTitle() == "Reconcile: social.toml"
    desk.wait_for(lambda: editor.path == SOCIAL_TOML)


def test_a_mistake_in_the_file_is_one_key_away_from_the_editor(desk: Desk, quick: Path) -> None:
    quick.write_text("version = 1\n[[tally]]\nname = 'x'\nmising = 1\n", encoding="utf-8")
    desk.page.rules.check_action.trigger()
    desk.wait_until_idle()
    QTest.keyClick(desk.page.problems.grid, Qt.Key.Key_Return)
    wait_for_check(desk)
    assert desk.page.stack.currentWidget() is desk.page.editor
    assert desk.page.editor.checked is not None
    assert desk.page.editor.checked.problems


def test_new_rules_begin_with_a_template(desk: Desk, tmp_path: Path) -> None:
    desk.page.rules.new_action.trigger()
    editor = desk.page.editor
    assert editor.text.text == new_file(next(iter(TEMPLATES)))
    assert editor.save_button.isEnabled()
    desk.asker.path = tmp_path / "new.toml"
    editor.save_button.click()
    desk.wait_for(desk.asker.path.exists)
    desk.wait_until_idle()
    assert [box.text() for box in desk.page.form.rule_boxes] == ["post likes"]


@pytest.mark.parametrize("template", TEMPLATES)
def test_templates_are_right_in_themselves(template: str) -> None:
    (draft,) = parse_rules(new_file(template), "new.toml")
    assert draft.name in new_file(template)
    assert all(len(line) <= 100 for line in TEMPLATES[template].splitlines())


def test_templates_have_names_that_go_together() -> None:
    text = "version = 1\n\n" + "\n".join(TEMPLATES.values())
    assert len(parse_rules(text, "all.toml")) == len(TEMPLATES)
    assert len(set(re.findall(r"name = \"(.*)\"", text))) == len(TEMPLATES)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("[[tally]]  # a rule", [("header", "[[tally]]"), ("comment", "# a rule")]),
        (
            'parent = { PK = "POST#{post}" }',
            [("member", "parent"), ("member", "PK"), ("string", '"POST#{post}"'), ("capture", "{post}")],
        ),
        ("shards = 4", [("member", "shards"), ("number", "4")]),
        ('{"N": "-2", "a": null}', [("member", '"N"'), ("string", '"-2"'), ("member", '"a"'), ("keyword", "null")]),
        ("client.put_item(", [("call", "client.put_item")]),
        ('"never closed', [("string", '"never closed')]),
    ],
)
def test_words_have_their_kind(line: str, expected: list[tuple[str, str]]) -> None:
    assert [(piece.kind, line[piece.start : piece.end]) for piece in pieces(line)] == expected
