"""The dialogs that make a connection, driven by keyboard against a running sandbox."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QScrollBar,
    QWidget,
)
from pytestqt.qtbot import QtBot
from pytestqt.wait_signal import SignalBlocker

from dynodesk import wiring
from dynodesk.domain.profiles import Credentials, Kind, Profile, new_profile_id, secret_name
from dynodesk.domain.progress import Ticket
from dynodesk.ui import theme
from dynodesk.ui.dialogs.connect import ConnectDialog, connect_from
from dynodesk.ui.dialogs.draft import Field
from dynodesk.ui.dialogs.words import MAY_BE_ALLOWED, MAY_WRITE, READ_ONLY
from dynodesk.ui.jobs import Job, JobRunner
from dynodesk.wiring import Connections
from tests.faults.proxy import FaultProxy, Hang, error
from tests.store.vault import Vault, store_in

KEY_ID = "AKIAIOSFODNN7EXAMPLE"
SECRET = "canarySECRETcanary/canary+canary01234567"
TOKEN = "canaryTOKEN" * 20

Open = Callable[..., ConnectDialog]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DYNODESK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    return tmp_path / "home"


@pytest.fixture
def vault(monkeypatch: pytest.MonkeyPatch) -> Vault:
    """What stands in for the keyring of this computer, until the end of the test."""
    vault = Vault()
    monkeypatch.setattr(wiring, "open_secrets", lambda: store_in(vault))
    return vault


@pytest.fixture
def connections(home: Path) -> Connections:
    return Connections()


@pytest.fixture
def open_dialog(dressed_application: QApplication, qtbot: QtBot, connections: Connections) -> Iterator[Open]:
    runner = JobRunner(threads=2)
    opened: list[ConnectDialog] = []

    def open_one(kind: Kind, change: Profile | None = None) -> ConnectDialog:
        dialog = ConnectDialog(kind, connections, runner, None, change)
        # kept, so that a test can look at it when it is closed
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        opened.append(dialog)
        dialog.open()
        qtbot.waitUntil(lambda: not runner.findChildren(Job))  # it has looked around
        return dialog

    yield open_one
    assert runner.shutdown()
    for dialog in opened:
        dialog.close()
        dialog.deleteLater()
    runner.deleteLater()


def type_into(edit: QLineEdit, text: str) -> None:
    edit.setFocus()
    edit.selectAll()
    QTest.keyClicks(edit, text)


def paste_into(edit: QLineEdit, text: str) -> None:
    QGuiApplication.clipboard().setText(text)
    edit.setFocus()
    QTest.keySequence(edit, "Ctrl+V")


def type_keys(dialog: ConnectDialog, key_id: str = KEY_ID, secret: str = SECRET, token: str = "") -> None:
    dialog.sources["keys"].click()
    paste_into(dialog.edits["access_key_id"], key_id)
    paste_into(dialog.edits["secret_access_key"], secret)
    paste_into(dialog.edits["session_token"], token)


def connected(signal: SignalBlocker) -> Profile:
    """The profile that was handed over."""
    assert signal.args is not None
    profile = signal.args[0]
    assert isinstance(profile, Profile)
    return profile


def files_with(folder: Path, text: str) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


def told_to_screen_readers(dialog: QWidget) -> str:
    texts = []
    for widget in [dialog, *dialog.findChildren(QWidget)]:
        interface = QAccessible.queryAccessibleInterface(widget)
        if interface is not None:
            texts += [interface.text(kind) for kind in QAccessible.Text if kind != QAccessible.Text.UserText]
    return "\n".join(texts)


# Connecting


@pytest.mark.server
def test_an_address_is_all_that_a_local_endpoint_needs(
    open_dialog: Open, qtbot: QtBot, connections: Connections, sandbox: str
) -> None:
    dialog = open_dialog("endpoint")
    assert dialog.focusWidget() is dialog.edits["address"]
    QTest.keyClicks(dialog.edits["address"], sandbox)
    with qtbot.waitSignal(dialog.connected) as made:
        QTest.keyClick(dialog.edits["address"], Qt.Key.Key_Return)
    profile = connected(made)
    assert not dialog.isVisible()
    assert (profile.endpoint_url, profile.credentials, profile.stage, profile.read_only) == (
        sandbox,
        "dummy",
        "dev",
        True,
    )
    assert f"http://{profile.name}" == sandbox
    assert Connections().saved() == (profile,)
    workspace = Connections().open(profile, Ticket())
    assert "Social" in workspace.catalog.table_names(Ticket())
    workspace.close()


@pytest.mark.server
def test_a_connection_writes_only_where_somebody_says_so(
    open_dialog: Open, qtbot: QtBot, connections: Connections, sandbox: str
) -> None:
    dialog = open_dialog("endpoint")
    type_into(dialog.edits["address"], sandbox)
    assert not dialog.writes.isChecked()
    assert READ_ONLY in told_to_screen_readers(dialog)
    dialog.writes.click()
    assert MAY_WRITE in told_to_screen_readers(dialog)
    assert READ_ONLY not in told_to_screen_readers(dialog)
    for stage, says in ((1, MAY_BE_ALLOWED), (2, MAY_WRITE)):
        dialog.stage.setCurrentIndex(stage)
        dialog.stage.activated.emit(stage)
        assert says in told_to_screen_readers(dialog)
    with qtbot.waitSignal(dialog.connected) as made:
        dialog.connect_button.click()
    profile = connected(made)
    assert not profile.read_only
    again = open_dialog("endpoint", profile)
    assert again.writes.isChecked()
    again.reject()


@pytest.mark.server
def test_over_a_window_the_dialog_hands_over_once_and_goes(
    dressed_application: QApplication, qtbot: QtBot, connections: Connections, sandbox: str
) -> None:
    window, runner = QWidget(), JobRunner(threads=2)
    handed_over: list[Profile] = []
    window.show()
    connect_from(connections, runner, window)("endpoint", handed_over.append)
    dialog = window.findChild(ConnectDialog)
    assert dialog is not None
    assert dialog.isModal()
    type_into(dialog.edits["address"], sandbox)
    dialog.connect_button.click()
    qtbot.waitUntil(lambda: window.findChild(ConnectDialog) is None)
    assert connections.saved() == tuple(handed_over)
    assert len(handed_over) == 1
    assert runner.shutdown()
    window.close()
    runner.deleteLater()


@pytest.mark.server
def test_what_does_not_work_is_told_in_the_dialog_and_can_be_mended(
    open_dialog: Open, qtbot: QtBot, home: Path, sandbox: str
) -> None:
    dialog = open_dialog("endpoint")
    type_into(dialog.edits["address"], "http://127.0.0.1:9")
    dialog.connect_button.click()
    assert "Connecting to 127.0.0.1:9" in dialog.outcome.words
    assert not dialog.connect_button.isEnabled()
    qtbot.waitUntil(lambda: dialog.outcome.message is not None, timeout=10_000)
    assert dialog.isVisible()
    assert dialog.outcome.message is not None
    assert dialog.outcome.message.line.startswith("Nothing listens at http://127.0.0.1:9: the connection was refused.")
    assert "Check the port." in dialog.outcome.message.line
    assert dialog.focusWidget() is dialog.connect_button
    assert files_with(home, "127.0.0.1:9") == []

    type_into(dialog.edits["address"], sandbox)
    assert dialog.outcome.words == ""
    with qtbot.waitSignal(dialog.connected):
        dialog.connect_button.click()


@pytest.mark.server
def test_escape_stops_the_attempt_and_then_closes(open_dialog: Open, qtbot: QtBot, home: Path, sandbox: str) -> None:
    with FaultProxy(sandbox) as proxy:
        proxy.always("ListTables", Hang())
        dialog = open_dialog("endpoint")
        type_into(dialog.edits["address"], proxy.url)
        dialog.connect_button.click()
        qtbot.waitUntil(lambda: proxy.counts["ListTables"] == 1)
        beats: list[int] = []
        heart = QTimer(dialog)
        heart.setInterval(10)
        heart.timeout.connect(lambda: beats.append(1))
        heart.start()
        qtbot.waitUntil(lambda: len(beats) > 20)  # the window lives while the endpoint is silent
        assert dialog.focusWidget() is dialog.cancel_button
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
        assert dialog.isVisible()
        qtbot.waitUntil(dialog.connect_button.isEnabled)
        assert dialog.outcome.message is None
        with qtbot.assertNotEmitted(dialog.connected):
            QTest.keyClick(dialog, Qt.Key.Key_Escape)
        assert not dialog.isVisible()
    assert not (home / "config" / "connections.json").exists()


@pytest.mark.server
def test_keys_that_are_refused_stay_in_the_dialog(
    open_dialog: Open, qtbot: QtBot, home: Path, vault: Vault, sandbox: str
) -> None:
    with FaultProxy(sandbox) as proxy:
        proxy.on("ListTables", error("UnrecognizedClientException"))
        dialog = open_dialog("endpoint")
        type_into(dialog.edits["address"], proxy.url)
        type_keys(dialog, "made-up", SECRET)
        dialog.connect_button.click()
        qtbot.waitUntil(lambda: dialog.outcome.message is not None)
        assert dialog.outcome.message is not None
        assert "does not accept these keys" in dialog.outcome.message.line
        assert "REQUEST7" in dialog.outcome.message.details
        for canary in ("made-up", SECRET):
            assert canary not in dialog.outcome.message.copied
        assert vault.entries == {}
        assert dialog.edits["secret_access_key"].text() == SECRET


def test_a_fault_of_ours_is_shown_as_one(
    open_dialog: Open, qtbot: QtBot, connections: Connections, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumble(*_: object) -> Profile:
        raise RuntimeError("nobody thought of this")

    monkeypatch.setattr(connections, "try_out", stumble)
    dialog = open_dialog("endpoint")
    type_into(dialog.edits["address"], "http://127.0.0.1:9")
    type_keys(dialog, "made-up", SECRET)
    dialog.connect_button.click()
    qtbot.waitUntil(lambda: dialog.outcome.message is not None)
    assert dialog.outcome.message is not None
    assert dialog.outcome.message.kind == "fault"
    assert "RuntimeError" in dialog.outcome.message.copied
    assert " stumble" in dialog.outcome.message.copied
    assert "nobody thought of this" not in dialog.outcome.message.copied  # it may quote what was typed
    assert SECRET not in dialog.outcome.message.copied


# Keys


@pytest.mark.server
def test_keys_go_to_the_keyring_and_open_the_connection_after_a_restart(
    open_dialog: Open, qtbot: QtBot, home: Path, vault: Vault, sandbox: str
) -> None:
    dialog = open_dialog("endpoint")
    type_into(dialog.edits["address"], sandbox)
    type_keys(dialog, "made-up", SECRET, TOKEN)
    assert dialog.words_on_keys == "The keys go to the keyring (Test Vault), never into a file."
    with qtbot.waitSignal(dialog.connected) as made:
        dialog.connect_button.click()
    profile = connected(made)
    assert store_in(vault).load(profile.secret) == Credentials("made-up", SECRET, TOKEN)
    again = Connections()
    workspace = again.open(again.named(profile.name), Ticket())
    assert "Social" in workspace.catalog.table_names(Ticket())
    workspace.close()
    assert files_with(home, "canary") == []


@pytest.mark.server
@pytest.mark.parametrize("keep", [True, False])
def test_without_a_keyring_keys_are_for_this_session_and_it_says_so(
    open_dialog: Open, qtbot: QtBot, home: Path, connections: Connections, sandbox: str, keep: bool
) -> None:
    dialog = open_dialog("endpoint")
    type_into(dialog.edits["address"], sandbox)
    type_keys(dialog, "made-up", SECRET)
    dialog.keep.setChecked(keep)
    assert "used until dynodesk ends" in dialog.words_on_keys
    assert dialog.words_on_keys.startswith("No keyring" if keep else "The keys")
    with qtbot.waitSignal(dialog.connected) as made:
        dialog.connect_button.click()
    profile = connected(made)
    workspace = connections.open(profile, Ticket())
    assert "Social" in workspace.catalog.table_names(Ticket())
    workspace.close()
    assert files_with(home, "canary") == []
    assert Connections().saved() == ((profile,) if keep else ())


def test_no_key_is_told_to_screen_readers_or_the_clipboard(open_dialog: Open, caplog: pytest.LogCaptureFixture) -> None:
    dialog = open_dialog("aws")
    type_keys(dialog, "ASIAIOSFODNN7EXAMPLE", SECRET, TOKEN)
    QTest.keyClick(dialog.secret.show_switch, Qt.Key.Key_Space)
    assert dialog.secret.shown_text == SECRET
    QGuiApplication.clipboard().setText("untouched")
    for edit in (dialog.edits["secret_access_key"], dialog.edits["session_token"]):
        edit.selectAll()
        edit.copy()
    assert QGuiApplication.clipboard().text() == "untouched"
    told = told_to_screen_readers(dialog)
    assert "Secret access key" in told
    assert "canary" not in told
    assert "canary" not in caplog.text
    QTest.keyClick(dialog.secret.show_switch, Qt.Key.Key_Space)
    assert dialog.secret.shown_text == ""


def test_pasted_space_is_removed_and_told(open_dialog: Open) -> None:
    dialog = open_dialog("aws")
    type_keys(dialog, f" {KEY_ID}\n", f"'{SECRET}'")
    assert dialog.notices.isVisible()
    assert dialog.notices.text == (
        "Space around the access key id was removed.\nQuotes around the secret access key were removed."
    )
    assert not dialog.rows["access_key_id"].is_invalid


# Fields


def test_an_empty_field_is_no_mistake_until_one_wants_to_go_on(open_dialog: Open, home: Path) -> None:
    dialog = open_dialog("aws")
    dialog.sources["keys"].click()
    assert not any(row.is_invalid for row in dialog.rows.values())
    dialog.connect_button.click()
    assert dialog.outcome.words == ""
    wrong = [name for name, row in dialog.rows.items() if row.is_invalid]
    assert wrong == ["access_key_id", "secret_access_key", "region"]
    assert dialog.focusWidget() is dialog.edits["access_key_id"]


@pytest.mark.parametrize(
    ("kind", "field", "text", "says"),
    [
        ("endpoint", "address", "http://db.example", "Plain http is for this machine only"),
        ("endpoint", "address", "https://me:pw@db.example", "Keys are given separately"),
        ("endpoint", "region", "a b", "letters, digits and hyphens only"),
        ("endpoint", "name", SECRET, "The name looks like a key."),
        ("aws", "region", "eu-west-1a", "That is an availability zone. The Region is eu-west-1."),
        ("aws", "access_key_id", "short", "It is 16 or more capital letters and digits"),
    ],
)
def test_a_mistake_is_marked_as_it_is_typed_and_goes_when_mended(
    open_dialog: Open, kind: Kind, field: Field, text: str, says: str
) -> None:
    dialog = open_dialog(kind)
    dialog.sources["keys"].click()
    edit, row = dialog.edits[field], dialog.rows[field]
    type_into(edit, text)
    assert row.is_invalid
    assert edit.property("invalid") is True
    assert row.remark.tone == "problem"
    assert says in row.remark.text
    assert row.remark.isVisible()
    assert row.remark.geometry().top() >= row.content.geometry().bottom()
    assert edit.accessibleDescription() == row.remark.text
    edit.selectAll()
    QTest.keyClick(edit, Qt.Key.Key_Delete)
    assert not row.is_invalid


def test_swapped_keys_are_noticed(open_dialog: Open) -> None:
    dialog = open_dialog("aws")
    type_keys(dialog, SECRET, KEY_ID)
    assert dialog.rows["secret_access_key"].is_invalid
    assert dialog.rows["secret_access_key"].remark.text == "The access key id and the secret access key are swapped."


def test_a_name_follows_the_address_until_it_is_typed(open_dialog: Open, connections: Connections) -> None:
    connections.save(
        Profile(new_profile_id(), "127.0.0.1:8000", "endpoint", "dummy", endpoint_url="http://127.0.0.1:8000")
    )
    dialog = open_dialog("endpoint")
    address, name = dialog.edits["address"], dialog.edits["name"]
    type_into(address, "http://127.0.0.1:8000")
    assert name.text() == "127.0.0.1:8000 2"
    assert dialog.stage.currentText() == "Development"
    type_into(name, "127.0.0.1:8000")
    assert "already" in dialog.rows["name"].remark.text
    type_into(name, "mine")
    type_into(address, "https://db.example")
    assert name.text() == "mine"
    assert dialog.stage.currentText() == "Production"


def test_a_foreign_host_gets_typed_keys_only(open_dialog: Open) -> None:
    dialog = open_dialog("endpoint")
    dialog.sources["environment"].click()
    type_into(dialog.edits["address"], "https://db.example")
    assert [source for source, radio in dialog.sources.items() if radio.isEnabled()] == ["keys"]
    assert dialog.sources["keys"].isChecked()
    assert dialog.edits["access_key_id"].isVisible()
    type_into(dialog.edits["address"], "http://localhost:8000")
    assert dialog.sources["environment"].isChecked()


def test_aws_profiles_are_listed_with_what_is_known_of_them(home: Path, tmp_path: Path, open_dialog: Open) -> None:
    config = tmp_path / "config"
    config.write_text(
        "[profile a]\nsso_session = corp\nregion = us-west-2\n[sso-session corp]\nsso_region = us-east-1\n"
        "[profile <b>b</b>]\nrole_arn = arn:aws:iam::444455556666:role/Reader\nsource_profile = a\n"
        "[profile with space]\nregion = eu-west-1\n"
    )
    dialog = open_dialog("aws")
    assert dialog.sources["profile"].isChecked()
    assert [dialog.aws_profile.itemText(n) for n in range(dialog.aws_profile.count())] == ["a", "<b>b</b>"]
    assert dialog.rows["aws_profile"].remark.text == "Its credentials come from single sign-on."
    assert dialog.edits["region"].placeholderText() == "us-west-2"
    assert dialog.edits["name"].text() == "a"
    assert "[profile with space]" in dialog.notices.text
    assert "only the profile's name is kept" in dialog.words_on_keys
    dialog.aws_profile.setCurrentIndex(1)
    assert dialog.rows["aws_profile"].remark.text == "Its credentials come from a role."
    assert dialog.edits["name"].text() == "<b>b</b>"
    dialog.connect_button.click()
    assert dialog.rows["region"].is_invalid


def test_without_aws_profiles_keys_are_asked_for(open_dialog: Open) -> None:
    dialog = open_dialog("aws")
    assert dialog.sources["keys"].isChecked()
    dialog.sources["profile"].click()
    assert dialog.rows["aws_profile"].remark.text == "The AWS configuration files name no profile."
    dialog.connect_button.click()
    assert "No AWS profile is chosen." in dialog.rows["aws_profile"].remark.text


# Changing


@pytest.mark.server
def test_a_connection_keeps_its_keys_when_something_else_is_changed(
    open_dialog: Open, qtbot: QtBot, connections: Connections, vault: Vault, sandbox: str
) -> None:
    profile_id = new_profile_id()
    profile = Profile(
        profile_id, "shop", "endpoint", "keys", secret=secret_name(profile_id), endpoint_url=sandbox, stage="staging"
    )
    keys = Credentials("made-up", SECRET)
    connections.save(profile, keys)
    dialog = open_dialog("endpoint", profile)
    assert dialog.windowTitle() == "Change a connection"
    assert [dialog.edits[name].text() for name in ("address", "name", "secret_access_key")] == [sandbox, "shop", ""]
    assert dialog.stage.currentText() == "Staging"
    assert "the keys from before go on being used" in dialog.rows["access_key_id"].remark.text
    type_into(dialog.edits["name"], "shop two")
    with qtbot.waitSignal(dialog.connected) as made:
        dialog.connect_button.click()
    changed = connected(made)
    assert (changed.id, changed.name, changed.stage) == (profile.id, "shop two", "staging")
    assert connections.saved() == (changed,)
    assert store_in(vault).load(changed.secret) == keys


def test_an_aws_profile_that_is_gone_is_not_replaced_by_another(open_dialog: Open, home: Path, tmp_path: Path) -> None:
    (tmp_path / "config").write_text("[profile other]\nregion = us-west-2\n")
    dialog = open_dialog("aws", Profile(new_profile_id(), "shop", "aws", "profile", "gone", region="eu-west-1"))
    assert dialog.aws_profile.currentText() == ""
    dialog.connect_button.click()
    assert dialog.rows["aws_profile"].is_invalid
    assert dialog.outcome.words == ""


# The keyboard, screen readers, small screens


@pytest.mark.parametrize(("kind", "first"), [("endpoint", "address"), ("aws", "access_key_id")])
def test_tab_goes_through_the_fields_as_they_are_read(open_dialog: Open, kind: Kind, first: Field) -> None:
    dialog = open_dialog(kind)
    dialog.sources["keys"].click()
    here: QWidget | None = dialog.edits[first]
    seen: list[QWidget] = []
    while here is not None and here not in seen:
        seen.append(here)
        here.setFocus()
        QTest.keyClick(here, Qt.Key.Key_Tab)
        here = dialog.focusWidget()
    seen = seen[: seen.index(dialog.connect_button) + 1]
    places = [widget.mapTo(dialog, QPoint(0, widget.height() // 2)) for widget in seen]
    row_height = theme.metrics().control
    assert places == sorted(places, key=lambda place: (place.y() // row_height, place.x()))
    for part in (*dialog.edits.values(), dialog.secret.show_switch, dialog.stage, dialog.keep, dialog.cancel_button):
        assert part in seen, part.accessibleName()


@pytest.mark.parametrize("kind", ["endpoint", "aws"])
def test_every_control_has_a_name(open_dialog: Open, kind: Kind) -> None:
    dialog = open_dialog(kind)
    dialog.outcome.show_running("Connecting…")
    controls = (QAbstractButton, QComboBox, QLineEdit, QProgressBar, QPushButton)
    for widget in dialog.findChildren(QWidget):
        if isinstance(widget, controls) and not widget.objectName().startswith("qt_"):
            interface = QAccessible.queryAccessibleInterface(widget)
            assert interface.text(QAccessible.Text.Name), f"{type(widget).__name__} in {widget.parent()}"


def test_the_form_scrolls_where_the_screen_is_small(open_dialog: Open) -> None:
    dialog = open_dialog("aws")
    dialog.sources["keys"].click()
    bar = dialog.findChild(QScrollBar)
    assert bar is not None
    assert bar.maximum() == 0, "everything is seen on a screen of usual height"
    dialog.setFixedHeight(dialog.height() // 2)
    QTest.keyClick(dialog, Qt.Key.Key_Tab)
    dialog.connect_button.click()
    assert dialog.focusWidget() is dialog.edits["access_key_id"]
