"""A table made, given an index, and deleted through the dialogs, on two emulators, with the journal of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from dynodesk.domain.errors import TableMissing
from dynodesk.domain.progress import Ticket
from dynodesk.domain.table_work import INTENT, OUTCOME
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, Projection, TableInfo
from dynodesk.sandbox.process import Sandbox
from dynodesk.store.journal import Journal
from dynodesk.ui.dialogs.create_table import CreateIndexDialog, CreateTableDialog
from dynodesk.ui.dialogs.delete_table import DeleteIndexDialog, DeleteTableDialog
from dynodesk.ui.dialogs.table_change import TableChangeDialog, TableTools
from dynodesk.ui.jobs import JobRunner
from dynodesk.wiring import Workspace, open_journal, open_workspace, table_hands
from tests.aws.tables import profile, unique
from tests.ui.dialogs.test_create_table import opened


@pytest.fixture(scope="module")
def moto() -> Iterator[str]:
    with Sandbox.start(scale=0.01, timeout=60) as running:
        yield running.endpoint


@pytest.fixture(scope="module", params=["moto", "ministack"])
def endpoint(request: pytest.FixtureRequest) -> str:
    url: str = request.getfixturevalue(request.param)
    return url


@pytest.fixture
def workspace(endpoint: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Workspace]:
    monkeypatch.setenv("DYNODESK_HOME", str(tmp_path))
    made = open_workspace(profile(endpoint, read_only=False), Ticket())
    yield made
    made.close()


@pytest.fixture
def runner(dressed_application: QApplication) -> Iterator[JobRunner]:
    made = JobRunner(threads=2)
    yield made
    assert made.shutdown()
    made.deleteLater()


def described(workspace: Workspace, table: str) -> TableInfo:
    return workspace.catalog.describe(table, Ticket())


def carried_out(dialog: TableChangeDialog, qtbot: QtBot, named: str = "") -> None:
    opened(dialog, qtbot)
    if dialog.approval is not None:
        dialog.approval.field.setText(named)
    dialog.go_button.click()
    qtbot.waitUntil(lambda: dialog.state == "over", timeout=30_000)
    assert dialog.outcome.said.startswith("Done"), dialog.outcome.said
    dialog.reject()


def test_from_made_to_deleted(workspace: Workspace, runner: JobRunner, qtbot: QtBot) -> None:
    tools = TableTools(workspace.access, workspace.tables, lambda: table_hands(workspace))
    name = unique("journey")
    creating = CreateTableDialog(tools, runner)
    creating.name.setText(name)
    creating.partition.parts[0].edit.setText("PK")
    creating.sort.parts[0].edit.setText("SK")
    creating.add_index()
    creating.indexes[0].name.setText("by-kind")
    creating.indexes[0].partition.parts[0].edit.setText("kind")
    carried_out(creating, qtbot)
    info = described(workspace, name)
    assert info.key_schema == KeySchema((KeyAttribute("PK", "S"),), (KeyAttribute("SK", "S"),))
    assert [index.name for index in info.indexes] == ["by-kind"]
    assert name in workspace.catalog.table_names(Ticket())

    carried_out(DeleteIndexDialog(info, "by-kind", tools, runner), qtbot, "by-kind")
    info = described(workspace, name)
    assert info.indexes == ()
    adding = CreateIndexDialog(info, tools, runner)
    adding.editor.name.setText("by-time")
    adding.editor.partition.parts[0].edit.setText("at")
    adding.editor.partition.parts[0].type.setCurrentText("Number")
    carried_out(adding, qtbot)
    info = described(workspace, name)
    (index,) = info.indexes
    assert isinstance(index, IndexInfo)
    assert (index.key_schema, index.projection) == (KeySchema((KeyAttribute("at", "N"),)), Projection("ALL"))

    carried_out(DeleteTableDialog(info, tools, runner), qtbot, name)
    with pytest.raises(TableMissing):
        described(workspace, name)
    journal: Journal = open_journal()
    records = journal.records()
    assert [record.kind for record in records] == [INTENT, OUTCOME] * 4
    assert [record.payload["operation"] for record in records if record.kind == INTENT] == [
        "CreateTable", "UpdateTable", "UpdateTable", "DeleteTable",
    ]  # fmt: skip
    assert all(record.payload["outcome"] == "accepted" for record in records if record.kind == OUTCOME)
