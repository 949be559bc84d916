"""Connections: production with a keyring, a login that asks, a computer without a keyring, a run that was killed.

The connections are those to AWS as far as the window knows. What is sent to its hosts goes to stand-ins on this
computer: a sandbox, and a server that signs people in.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch
from urllib.parse import urlsplit

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.httpsession import URLLib3Session
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from dynodesk.domain.profiles import Profile
from dynodesk.domain.values import String
from dynodesk.sandbox.process import Sandbox
from dynodesk.store.paths import folders, private_folder
from dynodesk.ui import actions
from dynodesk.ui.dialogs.allow_writes import AllowWritesDialog
from dynodesk.ui.dialogs.commit import CommitDialog
from dynodesk.ui.dialogs.connect import ConnectDialog
from dynodesk.ui.dialogs.diagnostics import DiagnosticsDialog
from dynodesk.ui.dialogs.draft import Field
from dynodesk.ui.dialogs.journal import JournalDialog
from dynodesk.ui.dialogs.journal_door import JOURNAL
from dynodesk.ui.dialogs.policy import PolicyDialog
from dynodesk.ui.dialogs.sign_in import CodeDialog, SignInDialog
from dynodesk.ui.main_window import MainWindow
from dynodesk.ui.models.table_tree import Place
from dynodesk.ui.pages.browse import BrowsePage
from dynodesk.ui.pages.browse_changes import Changes
from dynodesk.wiring import Connections
from tests.helpers.driving import run_program
from tests.helpers.sign_in_server import CODE, DEVICE, SignInServer
from tests.pictures.taking import SIZE, Camera, Steps
from tests.store.test_keyring_service import PASSWORD

REGION, ACCOUNT = "us-east-1", "111122223333"
"""The Region is the one that the sandbox has its tables in."""
KEY_ID, SECRET = "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
"""Those of the documentation of AWS."""
POST = {"PK": String("POST#a91f")}
META = POST | {"SK": String("META")}
LOGINS = {"mfa": "aa" * 16, "browser": "bb" * 16}
"""AWS profiles with a login that asks, and the ids of their connections."""
CONFIG = f"""
[profile keys]
aws_access_key_id = {KEY_ID}
aws_secret_access_key = {SECRET}
[profile mfa]
region = {REGION}
role_arn = arn:aws:iam::{ACCOUNT}:role/SupportReads
source_profile = keys
mfa_serial = {DEVICE}
[profile browser]
region = {REGION}
sso_session = shop
sso_account_id = {ACCOUNT}
sso_role_name = Support
[sso-session shop]
sso_region = {REGION}
sso_start_url = https://shop.awsapps.com/start
"""
KILLED = "dynodesk 0.1.0, started 2026-05-04 10:22 UTC\n"


def production(camera: Camera) -> Steps:
    """Keys are typed, the table is looked at, writing is allowed, one number is changed, and the journal has it."""
    yield from _fill_in(camera)
    camera.take("connect", camera.dialog(ConnectDialog))
    yield from _look(camera)
    camera.take("production")
    camera.window.action(actions.ALLOW_WRITES).trigger()
    yield camera.asks
    allowing = camera.dialog(AllowWritesDialog)
    yield from camera.still()
    camera.take("allow-writes-before", allowing)
    allowing.approval.field.setText("shop")
    yield from camera.still()
    camera.take("allow-writes", allowing)
    allowing.allow_button.click()
    yield from _change(camera, "likeTally", "42")
    camera.take("writes-allowed")
    changes = camera.page(BrowsePage).findChild(Changes)
    assert changes is not None
    changes.commit_action.trigger()
    yield camera.asks
    commit = camera.dialog(CommitDialog)
    commit.approval.field.setText("Social")
    commit.go_button.click()
    yield lambda: commit.state == "over" and camera.idle()
    yield from camera.still()
    camera.take("committed", commit)
    commit.reject()
    camera.window.activateWindow()  # off screen nobody does it where a dialog was closed
    (read_journal,) = [each for each in camera.page(BrowsePage).actions() if each.text() == JOURNAL.text]
    read_journal.trigger()
    yield camera.asks
    journal = camera.dialog(JournalDialog)
    yield camera.idle
    journal.search.setText("a91f")
    journal.here.setChecked(True)
    yield from camera.still()
    camera.take("audit", journal)
    journal.reject()


def _fill_in(camera: Camera, name: str = "shop") -> Steps:
    camera.window.action(actions.CONNECT_AWS).trigger()
    yield camera.asks
    dialog = camera.dialog(ConnectDialog)
    dialog.sources["keys"].click()
    typed: dict[Field, str] = {
        "access_key_id": KEY_ID, "secret_access_key": SECRET, "region": REGION, "name": name
    }  # fmt: skip
    for field, text in typed.items():
        dialog.edits[field].setText(text)
    dialog.edits["name"].textEdited.emit(name)
    dialog.writes.setChecked(True)
    dialog.connect_button.setFocus()
    yield from camera.still()


def _look(camera: Camera) -> Steps:
    """Connect as it is filled in, and look at a post."""
    camera.dialog(ConnectDialog).connect_button.click()
    yield lambda: camera.window.sessions.keys() and camera.idle()
    (connection,) = camera.window.sessions.keys()
    camera.window.activateWindow()  # off screen nobody does it where a dialog was closed
    camera.window.opener.open_place(Place("table", connection, "Social"))
    yield lambda: camera.shows(BrowsePage)
    camera.page(BrowsePage).open_collection(POST, META)
    yield camera.idle
    yield from camera.still()
    yield camera.idle
    camera.page(BrowsePage).left.grid.setFocus()
    yield from camera.still()


def _change(camera: Camera, name: str, typed: str) -> Steps:
    page = camera.page(BrowsePage)
    camera.window.activateWindow()  # off screen nobody does it where a dialog was closed
    yield from camera.still()
    page.inspector.edit_action.trigger()
    yield lambda: page.inspector.is_editing
    page.inspector.tree.go_to(name)
    page.inspector.tree.edit_value()
    field = QApplication.focusWidget()
    assert field is not None
    QTest.keyClicks(field, typed)  # over what was there
    QTest.keyClick(field, Qt.Key.Key_Return)
    yield lambda: page.inspector.is_changed and not page.inspector.is_judging
    page.inspector.stage_action.trigger()
    yield lambda: not page.inspector.is_editing
    yield from camera.still()


def sign_in(camera: Camera) -> Steps:
    """A code of a device, and a sign-in in the browser. Both are given up."""
    for name, identifier in LOGINS.items():
        camera.window.desk.open(identifier)
        yield lambda: any(each.isVisible() for each in camera.window.findChildren(SignInDialog))
        asking = camera.dialog(SignInDialog)
        if isinstance(asking, CodeDialog):
            asking.code.setText(CODE)
        yield from camera.still()
        camera.take(f"sign-in-{name}", asking)
        asking.reject()
        yield camera.idle
        yield from camera.still()
        camera.take(f"sign-in-{name}-cancelled")
        camera.window.messages.dismiss()


def told(camera: Camera) -> Steps:
    """What is shown of permissions and for support."""
    camera.window.action(actions.PERMISSIONS).trigger()
    yield camera.asks
    yield from camera.still()
    policy = camera.dialog(PolicyDialog)
    yield from camera.still()
    camera.take("policy", policy)
    policy.reject()
    camera.window.action(actions.DIAGNOSTICS).trigger()
    yield camera.asks
    yield from _diagnosed(camera, "diagnostics")


def _diagnosed(camera: Camera, name: str) -> Steps:
    diagnostics = camera.dialog(DiagnosticsDialog)
    yield lambda: diagnostics.copy_button.isEnabled() and camera.idle()
    yield from camera.still()
    camera.take(name, diagnostics)
    diagnostics.reject()
    yield from camera.still()


def after_a_crash(camera: Camera) -> Steps:
    """Where there is no keyring either."""
    yield from camera.still()
    camera.take("crash")
    message = camera.window.messages.current
    assert message is not None
    assert message.offer is not None
    message.offer.run()
    yield camera.asks
    yield from _diagnosed(camera, "crash-shown")
    camera.window.messages.dismiss()
    yield from _fill_in(camera)
    camera.take("connect-no-keyring", camera.dialog(ConnectDialog))
    yield from _look(camera)
    camera.take("no-keyring")


def with_a_keyring(camera: Camera) -> Steps:
    yield from production(camera)
    yield from told(camera)
    yield from sign_in(camera)


@contextmanager
def _stand_ins() -> Iterator[None]:
    """What is sent to hosts of AWS goes to this computer."""
    send = URLLib3Session.send

    def sent(self: URLLib3Session, request: AWSPreparedRequest) -> AWSResponse:
        parts = urlsplit(request.url)
        if (parts.hostname or "").endswith(".amazonaws.com"):
            to = sandbox.endpoint if parts.hostname == f"dynamodb.{REGION}.amazonaws.com" else server.url
            request.url = parts._replace(scheme="http", netloc=to.removeprefix("http://")).geturl()
        return send(self, request)

    with Sandbox.start() as sandbox, SignInServer() as server, patch.object(URLLib3Session, "send", sent):
        server.who[KEY_ID] = f"arn:aws:iam::{ACCOUNT}:user/nova"
        yield


def connecting(part: str, scheme: str, folder: str) -> int:
    """The status of the program, or 1 where the walk came to an end before its last picture."""
    ended = []
    walk = {"with a keyring": with_a_keyring, "after a crash": after_a_crash}[part]

    def script(window: MainWindow) -> Steps:
        camera = Camera(window, Path(folder), scheme)
        window.action(actions.LIGHT_SCHEME if scheme == "light" else actions.DARK_SCHEME).trigger()
        window.resize(*SIZE)
        window.walk.hide()
        yield camera.idle
        yield from camera.still()
        yield from walk(camera)
        ended.append(scheme)

    config = private_folder(folders().config) / "aws"
    config.write_text(CONFIG)
    os.environ["AWS_CONFIG_FILE"] = str(config)
    if part == "after a crash":
        (private_folder(folders().state / "runs") / "1-killed.run").write_text(KILLED)
    else:
        _unlock()
        for name, identifier in LOGINS.items():
            Connections().save(Profile(identifier, f"shop {name}", "aws", "profile", name))
    with _stand_ins():
        status = run_program(script, open_sandbox=False)
    return status if ended else 1


def _unlock() -> None:
    subprocess.run(
        ["gnome-keyring-daemon", "--unlock", "--components=secrets"],
        input=PASSWORD.encode(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
