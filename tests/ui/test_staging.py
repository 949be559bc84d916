"""What is staged at a connection: told to everyone, reverted, brought back, kept over a restart."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.edits import Edit, edit_to_json
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.profiles import Profile
from dynodesk.domain.values import Number, String, Value
from dynodesk.store.settings import Settings
from dynodesk.ui.jobs import Job, JobRunner
from dynodesk.ui.shell import Workspace
from dynodesk.ui.staging import Staging, Stagings, Written
from dynodesk.wiring import Connections


def post(name: str, **attributes: Value) -> dict[str, Value]:
    return {"PK": String(name), **attributes}


def edit(name: str, likes: str | None = "5", title: str = "a") -> Edit:
    before = post(name, likes=Number("4"), title=String("a"))
    after = None if likes is None else post(name, likes=Number(likes), title=String(title))
    return Edit("Posts", {"PK": String(name)}, before, after)


@pytest.fixture
def staging() -> Staging:
    return Staging()


def test_everyone_is_told(staging: Staging) -> None:
    counts: list[int] = []

    def note() -> None:
        counts.append(len(staging))

    staging.changed.connect(note)
    staging.stage(edit("a"))
    assert staging.stage_all([edit("b"), edit("c", None)]) == ()
    assert counts == [1, 3]
    assert staging.find("Posts", edit("c").identity) == edit("c", None)
    assert [one.kind for one in staging.of("Posts")] == ["edited", "edited", "deleted"]


def test_an_edit_is_reverted_and_brought_back(staging: Staging) -> None:
    staging.stage_all([edit("a"), edit("b", None)])
    staging.revert([edit("a")])
    assert staging.edits == (edit("b", None),)
    assert staging.can_undo_revert
    staging.undo_revert()
    assert len(staging) == 2
    assert staging.find("Posts", edit("a").identity) == edit("a")
    assert not staging.can_undo_revert


def test_one_attribute_is_reverted_and_brought_back(staging: Staging) -> None:
    both = edit("a", "5", "b")
    staging.stage(both)
    staging.revert_change(both, both.changes[0])
    (left,) = staging.edits
    assert [change.path for change in left.changes] == [AttributePath(("title",))]
    staging.undo_revert()
    assert staging.edits == (both,)


def test_the_last_attribute_takes_the_edit_with_it(staging: Staging) -> None:
    one = edit("a")
    staging.stage(one)
    staging.revert_change(one, one.changes[0])
    assert len(staging) == 0
    staging.undo_revert()
    assert staging.edits == (one,)


def test_a_deletion_is_reverted_as_a_whole(staging: Staging) -> None:
    gone = edit("a", None)
    staging.stage(gone)
    with pytest.raises(InvalidRequest, match="deleted as a whole"):
        staging.revert_change(gone, gone.changes[0])


def test_what_is_staged_after_a_revert_ends_the_way_back(staging: Staging) -> None:
    staging.stage_all([edit("a"), edit("b")])
    staging.revert([edit("a")])
    staging.stage(edit("c"))
    assert not staging.can_undo_revert


def test_what_was_written_is_forgotten_and_told(staging: Staging) -> None:
    seen: list[object] = []

    def note(items: object) -> None:
        seen.append(items)

    staging.written.connect(note)
    staging.stage_all([edit("a"), edit("b")])
    staging.stage(Edit("Posts", {"PK": String("b")}, edit("b").after, post("b", likes=Number("6"))))
    now = Written("Posts", edit("a").identity, edit("a").after)
    staging.settle([edit("a"), edit("b")], [now])
    assert [one.title for one in staging.edits] == ["b"]  # it was changed again meanwhile
    assert seen == [(now,)]


def test_an_edit_is_put_on_top_of_what_was_found(staging: Staging) -> None:
    staging.stage(edit("a"))
    found = post("a", likes=Number("9"), title=String("a"))
    anew = Edit("Posts", {"PK": String("a")}, found, post("a", likes=Number("5"), title=String("a")))
    staging.rebase(edit("a"), anew)
    assert staging.edits == (anew,)
    assert staging.edits[0].before == found
    staging.rebase(anew, None)
    assert len(staging) == 0


def test_an_edit_stays_where_what_would_replace_it_is_refused(staging: Staging) -> None:
    staging.stage_all([edit("a"), edit("b")])
    moved = Edit("Posts", {"PK": String("a")}, edit("a").before, post("b"))
    with pytest.raises(InvalidRequest, match="needs the same key"):
        staging.rebase(edit("a"), moved)
    assert staging.find("Posts", edit("a").identity) == edit("a")


# ------------------------------------------------------------------------------------------------------- on the disk


@dataclass(frozen=True)
class _Open:
    """As much of a connection as staging asks for."""

    profile: Profile
    endpoint: str = "https://dynamodb.eu-west-1.amazonaws.com"
    region: str = "eu-west-1"
    identity: str = "arn:aws:iam::111122223333:user/ada"


CONNECTION = cast("Workspace", _Open(Profile(id="5e1ec7ed5e1ec7ed", name="shop", kind="aws", credentials="profile")))


@pytest.fixture
def runner(qapp: QApplication) -> Iterator[JobRunner]:
    made = JobRunner(2, qapp)
    yield made
    made.shutdown()


@pytest.mark.gui
def test_it_is_the_same_after_a_restart(tmp_path: Path, runner: JobRunner, qtbot: QtBot) -> None:
    file = tmp_path / "staged.json"

    def staging() -> Staging:
        return Stagings(lambda _profile, _place: Settings(file, "Staged edits"), runner).of(CONNECTION)

    first = staging()
    first.stage_all([edit("a\u202e\u00a0\r\n\u2028\x00"), edit("b", None)])  # while the file is still being read
    qtbot.waitUntil(lambda: file.exists() and len(json.loads(file.read_text())) == 3)
    again = staging()
    qtbot.waitUntil(lambda: len(again) == 2)
    assert again.edits == first.edits
    again.revert(again.edits)
    qtbot.waitUntil(lambda: len(json.loads(file.read_text())) == 1)


@pytest.mark.gui
def test_what_cannot_be_read_stays_in_the_file(tmp_path: Path, runner: JobRunner, qtbot: QtBot) -> None:
    file = tmp_path / "staged.json"
    Settings(file, "Staged edits").save({"odd": {"table": "Posts"}, "a": edit_to_json(edit("a"))})
    with qtbot.waitSignal(runner.error_raised) as told:
        staging = Stagings(lambda _profile, _place: Settings(file, "Staged edits"), runner).of(CONNECTION)
    assert told.args is not None
    assert "1 staged edits of an earlier run could not be read" in str(told.args[0])
    assert staging.edits == (edit("a"),)
    staging.stage(edit("b"))
    qtbot.waitUntil(lambda: len(json.loads(file.read_text())) == 4)
    assert json.loads(file.read_text())["odd"] == {"table": "Posts"}


@pytest.mark.gui
def test_what_two_programs_staged_against_each_other_stays_in_the_file(
    tmp_path: Path, runner: JobRunner, qtbot: QtBot
) -> None:
    file = tmp_path / "staged.json"
    moved = Edit("Posts", {"PK": String("a")}, edit("a").before, post("b"))
    new = Edit("Posts", {"PK": String("b")}, None, post("b", likes=Number("1")))
    Settings(file, "Staged edits").save({"moved": edit_to_json(moved), "new": edit_to_json(new)})

    def staging() -> Staging:
        return Stagings(lambda _profile, _place: Settings(file, "Staged edits"), runner).of(CONNECTION)

    with qtbot.waitSignal(runner.error_raised) as told:
        first = staging()
    assert told.args is not None
    assert "1 staged edits of an earlier run wait in the file" in str(told.args[0])
    assert first.edits == (moved,)
    first.settle([moved])
    qtbot.waitUntil(lambda: len(json.loads(file.read_text())) == 2)
    again = staging()
    qtbot.waitUntil(lambda: len(again) == 1)
    assert again.edits == (new,)


@pytest.mark.gui
def test_two_programs_stage_edits_of_one_item(tmp_path: Path, runner: JobRunner, qtbot: QtBot) -> None:
    file = tmp_path / "staged.json"

    def program() -> Staging:
        return Stagings(lambda _profile, _place: Settings(file, "Staged edits"), runner).of(CONNECTION)

    def kept() -> int:
        return len(json.loads(file.read_text())) - 1 if file.exists() else 0

    one, other = program(), program()
    qtbot.waitUntil(lambda: not runner.findChildren(Job))  # both have read the file
    one.stage(edit("a", "5"))
    qtbot.waitUntil(lambda: kept() == 1)
    other.stage(edit("a", "6"))
    qtbot.waitUntil(lambda: kept() == 2)
    with qtbot.waitSignal(runner.error_raised) as told:
        third = program()
    assert told.args is not None
    assert "a: another edit of it is staged" in str(told.args[0])
    assert third.edits == (edit("a", "5"),)
    one.settle([edit("a", "5")])
    qtbot.waitUntil(lambda: kept() == 1)
    again = program()
    qtbot.waitUntil(lambda: len(again) == 1)
    assert again.edits == (edit("a", "6"),)


@pytest.mark.gui
def test_what_is_staged_for_one_place_does_not_turn_up_at_another(
    tmp_path: Path, runner: JobRunner, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYNODESK_HOME", str(tmp_path))
    connections = Connections()
    stagings = Stagings(connections.staged, runner)
    here = stagings.of(CONNECTION)
    here.stage(edit("a"))
    open_ = cast("_Open", CONNECTION)
    other_account = replace(open_, identity="arn:aws:iam::444455556666:user/ada")
    for other in (other_account, replace(open_, endpoint="http://127.0.0.1:8000")):
        there = stagings.of(cast("Workspace", other))
        qtbot.wait(50)
        assert len(there) == 0
    assert stagings.of(cast("Workspace", replace(open_, identity="arn:aws:iam::111122223333:role/support"))) is here
    qtbot.waitUntil(lambda: len([*tmp_path.rglob("5e1ec7ed5e1ec7ed-*.json")]) == 1)
