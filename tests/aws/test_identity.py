from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse

from dynodesk.aws.clients import Clients, open_clients
from dynodesk.aws.identity import Identity, identity_of
from dynodesk.domain.errors import CredentialsRefused, NotAllowed, ServiceFailed
from dynodesk.domain.profiles import Credentials, Profile
from dynodesk.domain.progress import Ticket
from tests.aws.tables import PROFILE_ID, profile

ANSWER = """<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>
<Arn>arn:aws:iam::123456789012:user/reader</Arn><UserId>AIDA</UserId><Account>123456789012</Account>
</GetCallerIdentityResult></GetCallerIdentityResponse>"""
REFUSAL = """<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type>
<Code>{code}</Code><Message>no</Message></Error><RequestId>R</RequestId></ErrorResponse>"""


@pytest.fixture
def aws() -> Iterator[Clients]:
    clients = open_clients(
        Profile(PROFILE_ID, "test", "aws", "keys", secret="profile-x", region="eu-west-1"),
        Credentials("AKIAPICKEDPICKEDPICK", "picked-secret"),
    )
    yield clients
    clients.close()


class Body:
    def __init__(self, text: str) -> None:
        self._text = text

    def stream(self) -> Iterator[bytes]:
        yield self._text.encode()


def answering(clients: Clients, status: int, text: str) -> list[str]:
    """From now on STS answers so, without a network; the addresses that were asked."""
    asked: list[str] = []

    def answer(request: Any, **_: object) -> Any:
        asked.append(request.url)
        headers: Any = {"content-type": "text/xml"}
        return AWSResponse(request.url, status, headers, Body(text))

    events: Any = clients.session.get_component("event_emitter")
    events.register("before-send.sts", answer)
    return asked


def test_the_account_and_who(aws: Clients) -> None:
    asked = answering(aws, 200, ANSWER)
    assert identity_of(aws, Ticket()) == Identity("123456789012", "arn:aws:iam::123456789012:user/reader")
    assert asked == ["https://sts.eu-west-1.amazonaws.com/"]


@pytest.mark.parametrize(
    ("status", "text", "expected"),
    [
        (403, REFUSAL.format(code="InvalidClientTokenId"), CredentialsRefused),
        (403, REFUSAL.format(code="ExpiredToken"), CredentialsRefused),
        (403, REFUSAL.format(code="AccessDenied"), NotAllowed),
        (200, ANSWER.replace("Account", "Other"), ServiceFailed),
        (200, "not even XML", ServiceFailed),
    ],
)
def test_no_answer_worth_the_name(aws: Clients, status: int, text: str, expected: type[Exception]) -> None:
    answering(aws, status, text)
    with pytest.raises(expected):
        identity_of(aws, Ticket())


def test_an_endpoint_of_its_own_is_not_asked(ministack: str) -> None:
    clients = open_clients(profile(ministack))
    asked = answering(clients, 200, ANSWER)
    assert identity_of(clients, Ticket()) is None
    assert asked == []
    clients.close()
