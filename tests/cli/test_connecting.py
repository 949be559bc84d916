"""Where a command works is said by its options, or nothing is done."""

from __future__ import annotations

import pytest

from dynodesk.cli import connecting
from dynodesk.cli.connecting import Place
from dynodesk.cli.diagnostics import exit_code_from
from dynodesk.cli.main import cli
from dynodesk.domain.progress import Ticket
from dynodesk.domain.sign_in import SignInMeans
from dynodesk.wiring import Connections
from tests.helpers.sign_in_server import SignInServer


@pytest.mark.parametrize("option", ["connection", "profile", "endpoint-url", "region"])
@pytest.mark.parametrize("value", ["", " "])
def test_an_empty_option_leads_nowhere_else(option: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A variable that is not set, as the endpoint of an emulator, must not lead to AWS."""
    assert exit_code_from(cli, ["tables", "--env", f"--{option}", value]) == 2
    assert f"--{option} is empty" in capsys.readouterr().err


@pytest.mark.server
def test_an_endpoint_that_is_set_for_other_tools_is_told_and_not_gone_to(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    keys = {"AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE", "AWS_SECRET_ACCESS_KEY": "canary"}
    for variable, value in (keys | {"AWS_ENDPOINT_URL": "http://127.0.0.1:8000"}).items():
        monkeypatch.setenv(variable, value)
    with SignInServer() as server:
        server.who[keys["AWS_ACCESS_KEY_ID"]] = "arn:aws:iam::111122223333:user/noor"

        class SignedInHere(Connections):
            def __init__(self) -> None:
                super().__init__()
                self.sign_in = SignInMeans(services=server.services)

        monkeypatch.setattr(connecting, "Connections", SignedInHere)
        with Place(None, None, environment=True, endpoint_url=None, region="eu-west-1").opened(Ticket()) as workspace:
            assert workspace.endpoint == "https://dynamodb.eu-west-1.amazonaws.com"
    assert capsys.readouterr().err == (
        "AWS_ENDPOINT_URL names http://127.0.0.1:8000. This connection is to AWS and does not go there, but to "
        "https://dynamodb.eu-west-1.amazonaws.com. To work there, give --endpoint-url.\n"
    )
