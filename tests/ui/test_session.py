"""What was open comes back: with the real program, in processes that quit, or are killed while somebody works."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dynodesk.domain.edits import Edit, edit_from_json, edit_to_json
from dynodesk.domain.profiles import Profile
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import ScanPlan
from dynodesk.domain.values import Number
from dynodesk.wiring import Connections, open_workspace

if TYPE_CHECKING:
    from dynodesk.ui.main_window import MainWindow
    from dynodesk.ui.pages.browse import BrowsePage
    from dynodesk.ui.pages.sql import SqlPage

Steps = Generator[Callable[[], object], None, None]
SQL = "SELECT '\u00a0no-break', '\u2028', '\U0001f600';\n\nSELECT 2"
CONNECTION = "5e1ec7ed5e1ec7ed"
RUN = "import sys; from tests.ui.test_session import run; sys.exit(run(sys.argv[1]))"


def run(script: str) -> int:
    """In a process of its own: the program, driven by one of the scripts below."""
    from tests.helpers.driving import run_program  # noqa: PLC0415  (a window: only in the inner processes)

    return run_program(SCRIPTS[script], open_sandbox=False)


def _browse(window: MainWindow) -> BrowsePage:
    from dynodesk.ui.pages.browse import BrowsePage  # noqa: PLC0415

    return next(page for page in window.tabs.pages if isinstance(page, BrowsePage))


def _sql(window: MainWindow) -> SqlPage:
    from dynodesk.ui.pages.sql import SqlPage  # noqa: PLC0415

    return next(page for page in window.tabs.pages if isinstance(page, SqlPage))


def _say(**values: object) -> None:
    print(json.dumps(values))  # noqa: T201  (read by the test)
    sys.stdout.flush()


def _kept(window: MainWindow) -> Steps:
    """Waits until what is to be seen now is on the disk."""
    keeper = window.session.keeper
    keeper.look()
    yield lambda: keeper.is_saved


def _work(window: MainWindow) -> Steps:
    from dynodesk.domain.values import String  # noqa: PLC0415
    from dynodesk.ui import actions as act  # noqa: PLC0415

    window.open_sandbox()
    yield lambda: window.tabs.current is not None and not window.status.jobs
    page = _browse(window)
    page.open_collection({"PK": String("POST#77b0")}, {"PK": String("POST#77b0"), "SK": String("META")})
    yield lambda: not window.status.jobs and page.left.current is not None
    next(action for action in page.actions() if action.objectName() == "linked").trigger()
    window.action(act.SQL).trigger()
    yield lambda: len(window.tabs.pages) == 2 and not window.status.jobs
    _sql(window).editor.setPlainText(SQL)
    yield from _kept(window)


def _quit(window: MainWindow) -> Steps:
    yield from _work(window)
    window.tabs.show_page(_browse(window))


def _killed(window: MainWindow) -> Steps:
    yield from _work(window)
    os.kill(os.getpid(), signal.SIGKILL)


def _look(window: MainWindow) -> Steps:
    yield lambda: len(window.tabs.pages) == 2
    yield lambda: not window.status.jobs and window.sessions.keys()
    yield lambda: not window.status.jobs
    titles = [page.windowTitle() for page in window.tabs.pages]
    current = window.tabs.pages.index(window.tabs.current) if window.tabs.current else -1
    kinds = [type(page).__name__ for page in window.tabs.pages]
    for page in window.tabs.pages:
        window.tabs.show_page(page)
        yield lambda: type(window.tabs.current).__name__ != "WaitingPage" and not window.status.jobs
    page = _browse(window)
    yield lambda: page.left.current is not None
    entry = page.left.current
    assert entry is not None
    assert page.left.reading is not None
    linked = next(action for action in page.actions() if action.objectName() == "linked").isChecked()
    _say(
        titles=titles,
        current=current,
        kinds=kinds,
        count=page.left.reading.count,
        selected=list(entry.identity),
        linked=linked,
        text=_sql(window).editor.text,
    )


def _connected(window: MainWindow) -> Steps:
    """The tab of the post at the saved connection."""
    from dynodesk.domain.values import String  # noqa: PLC0415

    yield lambda: window.desk.open(CONNECTION)
    yield lambda: window.sessions.workspace(CONNECTION) is not None and not window.status.jobs
    workspace = window.sessions.workspace(CONNECTION)
    assert workspace is not None
    window.open_table(workspace, "Social", None)
    yield lambda: window.tabs.current is not None and not window.status.jobs
    page = _browse(window)
    page.open_collection({"PK": String("POST#a91f")})
    yield lambda: not window.status.jobs and page.left.model.rows.entries


def _edits(page: BrowsePage, rating: str) -> list[Edit]:
    """One for each item of the collection."""
    from dynodesk.domain.values import Number, String  # noqa: PLC0415

    key = page.table.key_schema
    rows = page.left.model.rows
    return [
        Edit(
            "Social",
            key.key_of(entry.item),
            entry.item,
            {**entry.item, "rating": Number(rating), "note": String("\u00a0\r\n\u2028\x01")},
        )
        for entry in rows.entries
    ]


def _stage(window: MainWindow) -> Steps:
    yield from _connected(window)
    page = _browse(window)
    edits = _edits(page, "1.10")
    for edit in edits:
        page.inspector.edited.emit(edit)
        yield lambda: True  # a turn of the event loop, as between two things that a person does
    until = time.monotonic() + 1
    yield lambda: time.monotonic() > until
    _say(staged=[edit_to_json(edit) for edit in edits])
    for edit in _edits(page, "2"):  # these are on their way to the disk when the end comes
        page.inspector.edited.emit(edit)
    os.kill(os.getpid(), signal.SIGKILL)


def _staged(window: MainWindow) -> Steps:
    from dynodesk.ui.pages.browse_changes import Changes  # noqa: PLC0415

    yield lambda: len(window.tabs.pages) == 1 and not window.status.jobs
    yield lambda: type(window.tabs.current).__name__ == "BrowsePage" and not window.status.jobs
    changes = _browse(window).findChild(Changes)
    assert changes is not None
    yield lambda: changes.panel.model.lines
    _say(staged=[edit_to_json(edit) for edit in changes.edits], title=_browse(window).windowTitle())


def _empty(window: MainWindow) -> Steps:
    yield lambda: not window.status.jobs
    _say(tabs=len(window.tabs.pages), told=[window.messages.current.line] if window.messages.current else [])


def _many(window: MainWindow) -> Steps:
    seen: list[int] = []

    def are_all_there() -> bool:
        seen.append(len(window.tabs.pages))
        return seen[-1] == MANY

    yield are_all_there
    current = window.tabs.current
    assert current is not None
    _say(titles=[page.windowTitle() for page in window.tabs.pages], current=current.windowTitle(), turns=len({*seen}))


MANY = 150


SCRIPTS = {
    "many": _many,
    "quit": _quit,
    "killed": _killed,
    "look": _look,
    "empty": _empty,
    "stage": _stage,
    "staged": _staged,
}


def _run(script: str, home: Path) -> tuple[int, Mapping[str, object]]:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "DYNODESK_HOME": str(home)}
    ran = subprocess.run(
        [sys.executable, "-c", RUN, script],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        timeout=180,
        check=False,
    )
    return ran.returncode, json.loads(ran.stdout) if ran.stdout else {}


@pytest.mark.gui
@pytest.mark.slow
@pytest.mark.parametrize(("ending", "status", "current"), [("quit", 0, 0), ("killed", -signal.SIGKILL, 1)])
def test_tabs_come_back(tmp_path: Path, ending: str, status: int, current: int) -> None:
    assert _run(ending, tmp_path) == (status, {})
    status, found = _run("look", tmp_path)
    assert status == 0
    kinds = ["WaitingPage", "WaitingPage"]
    kinds[current] = ["BrowsePage", "SqlPage"][current]  # a connection is opened for who is looked at, and no other
    assert found["kinds"] == kinds
    assert found["titles"] == ["Social: POST#77b0", "SQL"]
    assert (found["current"], found["linked"], found["text"]) == (current, False, SQL)
    assert found["selected"] == ["SPOST#77b0", "SMETA"]


@pytest.mark.gui
@pytest.mark.slow
@pytest.mark.parametrize(
    "written",
    [
        *("", "{", "[]"),
        '{"version": 1, "tabs": [1, {"kind": "sql"}, null], "current": "x"}',
        (
            '{"version": 1, "tabs": [{"kind": [], "connection": "", "table": "", "index": null, "file": "",'
            ' "title": "", "state": {}}], "current": 0}'
        ),
    ],
)
def test_tabs_that_make_no_sense_stop_nothing(tmp_path: Path, written: str) -> None:
    file = tmp_path / "state" / "tabs.json"
    file.parent.mkdir(mode=0o700)
    file.write_text(written)
    status, found = _run("empty", tmp_path)
    assert (status, found["tabs"]) == (0, 0)


@pytest.mark.gui
@pytest.mark.slow
def test_the_window_has_its_turn_while_many_tabs_come_back(tmp_path: Path) -> None:
    tab: dict[str, object] = {
        "kind": "sql",
        "connection": CONNECTION,
        "table": "",
        "index": None,
        "file": "",
        "state": {},
    }
    titles = [f"Tab {at}" for at in range(MANY)]
    file = tmp_path / "state" / "tabs.json"
    file.parent.mkdir(mode=0o700)
    tabs = [{**tab, "title": title} for title in titles]
    file.write_text(json.dumps({"version": 1, "tabs": tabs, "current": 7}))
    status, found = _run("many", tmp_path)
    assert (status, found["titles"], found["current"]) == (0, titles, "Tab 7")
    assert int(str(found["turns"])) > 2, "all of them came at once"
    assert json.loads(file.read_text())["tabs"] == tabs


@pytest.mark.gui
@pytest.mark.slow
def test_what_was_staged_is_back_after_a_kill_and_nothing_was_written(
    tmp_path: Path, sandbox: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYNODESK_HOME", str(tmp_path))
    profile = Profile(
        id=CONNECTION,
        name="shop",
        kind="endpoint",
        credentials="dummy",
        region="us-east-1",
        endpoint_url=sandbox,
        read_only=False,
    )
    Connections().save(profile)
    before = _items(profile)
    status, said = _run("stage", tmp_path)
    assert status == -signal.SIGKILL
    first = _edits_of(said)
    assert len(first) > 20

    status, found = _run("staged", tmp_path)

    assert status == 0
    back = _edits_of(found)
    assert back.keys() == first.keys()
    for identity, edit in back.items():  # as staged a second before, or by the very last change
        assert edit == first[identity] or (edit.after or {}).get("rating") == Number("2")
        assert edit.before == first[identity].before
    assert found["title"] == f"Social: POST#a91f · {len(first)} staged"
    assert _items(profile) == before
    assert not (tmp_path / "data" / "journal").exists()


def _edits_of(said: Mapping[str, object]) -> dict[tuple[str, ...], Edit]:
    staged = said["staged"]
    assert isinstance(staged, list)
    return {edit.identity: edit for edit in map(edit_from_json, staged)}


def _items(profile: Profile) -> list[object]:
    workspace = open_workspace(profile, Ticket())
    try:
        return [item for page in workspace.reader.scan(ScanPlan("Social"), Ticket()) for item in page.items]
    finally:
        workspace.close()
