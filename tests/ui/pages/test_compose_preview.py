"""The request as code, and the token's clock: what is shown, what is copied, and what does not hold at present."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from dynodesk.codegen import LANGUAGES, Place
from dynodesk.domain.actions import PutAction, SingleWrite, TransactWrite
from dynodesk.domain.values import String
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages.compose_preview import LONGEST_LINE, MOST_SHOWN, NOT_PRESENT, RUNS, RequestPreview
from dynodesk.ui.widgets.token_clock import TokenClock
from tests.ui.pages.composed_reports import COUNT, LIKE, TOKEN

JSON, CLI, BOTO3, PARTIQL = 0, 1, 2, 6


@pytest.fixture
def preview(qtbot: QtBot) -> Iterator[RequestPreview]:
    runner = JobRunner(threads=1)
    preview = RequestPreview(runner, Place("eu-west-1"))
    qtbot.addWidget(preview)
    preview.resize(600, 400)
    preview.show()
    yield preview
    assert runner.shutdown()
    runner.deleteLater()


def settle(preview: RequestPreview, qtbot: QtBot) -> str:
    qtbot.waitUntil(lambda: preview.is_settled)
    return preview.code.toPlainText()


def is_present(preview: RequestPreview) -> bool:
    """Whether what is shown counts, and can be copied."""
    return preview.copy_button.isEnabled() and not preview.code.is_faded and not preview.note.isVisible()


def test_each_language_says_where_its_code_runs(preview: RequestPreview, qtbot: QtBot) -> None:
    assert [preview.forms.tabText(at) for at in range(preview.forms.count())] == list(RUNS)
    assert not preview.copy_button.isEnabled()
    preview.set_request(LIKE)
    for at, language in enumerate(LANGUAGES[:PARTIQL]):
        preview.forms.setCurrentIndex(at)
        assert TOKEN in settle(preview, qtbot)
        assert preview.copy_button.toolTip() == f"Copy: {language.name}. {RUNS[language.name]} Ctrl+Shift+C"


def test_what_is_copied_is_what_is_shown(preview: RequestPreview, qtbot: QtBot) -> None:
    preview.set_request(LIKE)
    preview.forms.setCurrentIndex(BOTO3)
    shown = settle(preview, qtbot)
    assert shown.startswith("import boto3")
    preview.copy_button.click()
    assert QGuiApplication.clipboard().text() == shown


def test_the_last_request_is_told_from_the_present_one(preview: RequestPreview, qtbot: QtBot) -> None:
    preview.set_request(LIKE)
    before = settle(preview, qtbot)
    preview.set_request(None)
    assert preview.code.toPlainText() == before
    assert preview.note.text() == NOT_PRESENT
    assert not is_present(preview)
    preview.set_request(TransactWrite(LIKE.actions[:1], TOKEN))
    assert settle(preview, qtbot) != before
    assert is_present(preview)


def test_the_newest_request_wins_however_fast_they_come(preview: RequestPreview, qtbot: QtBot) -> None:
    for number in range(20):
        preview.set_request(SingleWrite(PutAction("Social", {"PK": String(f"POST#{number}")})))
    assert "POST#19" in settle(preview, qtbot)


def test_where_there_is_no_partiql_it_says_why(preview: RequestPreview, qtbot: QtBot) -> None:
    preview.set_request(SingleWrite(PutAction("Social", {"PK": String("POST#a91f")})))
    preview.forms.setCurrentIndex(PARTIQL)
    why = settle(preview, qtbot)
    assert why.startswith("There is no PartiQL for this request. ")
    assert not preview.copy_button.isEnabled()
    preview.set_request(SingleWrite(COUNT))
    assert settle(preview, qtbot) != why


def test_long_requests_are_shortened_and_copied_whole(preview: RequestPreview, qtbot: QtBot) -> None:
    long = [PutAction("Social", {"PK": String(str(at)), "text": String("x" * 40_000)}) for at in range(20)]
    preview.set_request(TransactWrite(tuple(long), TOKEN))
    shown = settle(preview, qtbot)
    assert len(shown) <= MOST_SHOWN + 2
    assert max(map(len, shown.splitlines())) <= LONGEST_LINE + 1
    assert f"{len(preview.text):,} characters. Copy gives all of it." in preview.note.text()
    preview.copy_button.click()
    assert QGuiApplication.clipboard().text() == preview.text
    assert preview.text.count("x" * 40_000) == 20


def test_the_token_counts_down_from_its_first_use(qtbot: QtBot) -> None:
    now = [1_000.0]
    clock = TokenClock(lambda: now[0])
    qtbot.addWidget(clock)
    assert clock.isHidden()
    clock.show_token(TOKEN)
    clock.show()
    assert (clock.words, clock.is_running) == ("new token 7d1e…40c2", False)
    clock.show_token(TOKEN, 952.0)
    assert (clock.words, clock.is_running) == ("token 7d1e…40c2 9:12 left", True)
    clock.hide()
    assert (clock.seconds_left, clock.is_running) == (552.0, False)
    now[0] = 1_552.0
    with qtbot.waitSignal(clock.expired):
        clock.show()
    assert (clock.words, clock.is_running) == ("token 7d1e…40c2 expired: a new one is made", False)
    with qtbot.waitSignal(clock.renew_asked):
        clock.renew_button.click()
