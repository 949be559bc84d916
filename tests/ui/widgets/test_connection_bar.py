"""The bar names who is signed in and where, whatever the connection is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from dynodesk.domain.access import Access
from dynodesk.domain.profiles import Profile
from dynodesk.domain.progress import Ticket
from dynodesk.domain.unused_endpoints import UnusedEndpoint
from dynodesk.ui.widgets.connection_bar import ConnectionBar, access_words, account_words
from dynodesk.ui.widgets.lines import Line
from dynodesk.wiring import Workspace
from tests.ui.test_main_window import AnyConnections

ARN = "arn:aws:sts::111122223333:assumed-role/Support/jane"
AWS = "https://dynamodb.eu-west-1.amazonaws.com"
PROFILE = Profile("aaaaaaaa", "shop", "aws", "profile", "prod", region="eu-west-1", read_only=False)


@pytest.mark.parametrize(("identity", "words"), [(ARN, "1111-2222-3333"), ("", ""), ("account not known", "")])
def test_the_account_as_aws_shows_it(identity: str, words: str) -> None:
    assert account_words(identity) == words


def test_account_region_address_and_role_are_all_in_sight(dressed_application: QApplication, qtbot: QtBot) -> None:
    opened = AnyConnections().open(PROFILE, Ticket())
    assert isinstance(opened, Workspace)
    bar = ConnectionBar(replace(opened, identity=ARN, endpoint=AWS, region="eu-west-1"), ())
    qtbot.addWidget(bar)
    bar.resize(1400, bar.height())
    bar.show()
    seen = {label.text() for label in bar.findChildren(QLabel)} | {line.text for line in bar.findChildren(Line)}
    assert {"shop", "1111-2222-3333", "eu-west-1", "dynamodb.eu-west-1.amazonaws.com", ARN, "Read-only"} <= seen


def test_an_endpoint_that_is_set_elsewhere_is_said_not_to_be_used(
    dressed_application: QApplication, qtbot: QtBot
) -> None:
    opened = AnyConnections().open(PROFILE, Ticket())
    assert isinstance(opened, Workspace)
    unused = UnusedEndpoint("AWS_ENDPOINT_URL", "http://127.0.0.1:8000", AWS)
    bar = ConnectionBar(replace(opened, identity=ARN, endpoint=AWS, unused_endpoint=unused), ())
    qtbot.addWidget(bar)
    (line,) = (line for line in bar.findChildren(Line) if line.text == "Not used: AWS_ENDPOINT_URL")
    assert "names http://127.0.0.1:8000." in line.toolTip()
    assert f"but to {AWS}. To work there, connect to that endpoint by its address." in line.accessibleDescription()


def test_what_may_be_done_is_in_words() -> None:
    access = Access(PROFILE)
    assert access_words(access) == "Read-only"
    access.allow()
    assert access_words(access).startswith("Writes allowed, until ")
    assert access_words(Access(replace(PROFILE, stage="dev"))) == "May write"
