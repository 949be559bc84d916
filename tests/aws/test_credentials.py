"""Signing in with AWS profiles, from end to end: against AWS STS and IAM Identity Center over real sockets."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
import textwrap
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from dynodesk.aws.clients import Clients, open_clients
from dynodesk.domain.errors import CredentialsRefused, DynodeskError
from dynodesk.domain.profiles import Profile
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.domain.sign_in import AsksInTurn, DeviceLogin, MfaQuestion, NobodyToAsk, ProcessQuestion, SignInMeans
from tests.aws.tables import PROFILE_ID
from tests.helpers.sign_in_server import ACCOUNT, CODE, DEVICE, SignInServer
from tests.helpers.signing_in import Allowed, Person, means
from tests.helpers.virtual_clock import VirtualClock

ROLE = f"arn:aws:iam::{ACCOUNT}:role"
CONFIG = f"""
    [profile keys]
    region = eu-west-1
    aws_access_key_id = AKIAKEYS
    aws_secret_access_key = s
    [profile mfa]
    region = eu-west-1
    role_arn = {ROLE}/Reader
    source_profile = keys
    mfa_serial = {DEVICE}
    [profile chained]
    region = eu-west-1
    role_arn = {ROLE}/Deeper
    source_profile = mfa
    [profile web]
    region = eu-west-1
    role_arn = {ROLE}/Web
    web_identity_token_file = TOKEN
    [profile a]
    region = eu-west-1
    sso_session = corp
    sso_account_id = {ACCOUNT}
    sso_role_name = ReadOnly
    [sso-session corp]
    sso_region = eu-west-1
    sso_start_url = https://example.awsapps.com/start
    [profile b]
    region = eu-west-1
    role_arn = {ROLE}/FromSso
    source_profile = a
    [profile older]
    region = eu-west-1
    sso_start_url = https://example.awsapps.com/start
    sso_region = eu-west-1
    sso_account_id = {ACCOUNT}
    sso_role_name = ReadOnly
"""


@pytest.fixture
def server() -> Iterator[SignInServer]:
    with SignInServer() as running:
        yield running


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "token").write_text("good-token")
    (tmp_path / "config").write_text(textwrap.dedent(CONFIG).replace("TOKEN", str(tmp_path / "token")))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    return tmp_path


def opened(
    name: str, using: SignInMeans, *, clock: VirtualClock | None = None, ticket: Ticket | None = None
) -> Clients:
    profile = Profile(PROFILE_ID, "test", "aws", "profile", aws_profile=name)
    clients = open_clients(profile, means=using, clock=clock or VirtualClock(), ticket=ticket)
    clients.close()
    return clients


def arn_of(clients: Clients, server: SignInServer) -> str:
    return server.who[clients.sign_in.keys.access_key or ""]


# ------------------------------------------------------------------------------------------------------ roles and codes


def test_a_role_with_a_code(server: SignInServer) -> None:
    person = Person(" 424 242\n")
    clients = opened("mfa", means(person, server.services))
    assert arn_of(clients, server).startswith(f"arn:aws:sts::{ACCOUNT}:assumed-role/Reader/")
    assert person.asked == [MfaQuestion("mfa", DEVICE, f"{ROLE}/Reader", 0)]
    assert server.codes_seen == [CODE]


def test_a_chain_asks_for_the_code_of_the_role_below(server: SignInServer) -> None:
    person = Person(CODE)
    clients = opened("chained", means(person, server.services))
    assert "/Deeper/" in arn_of(clients, server)
    assert person.asked == [MfaQuestion("mfa", DEVICE, f"{ROLE}/Reader")]
    assert server.counts["AssumeRole"] == 2


def test_a_code_is_asked_for_once_until_it_expires_whoever_needs_it(server: SignInServer) -> None:
    person = Person(CODE)
    using = means(person, server.services)
    for name in ("mfa", "mfa", "chained"):
        opened(name, using)
    assert len(person.asked) == 1


def test_a_wrong_code_is_asked_for_again(server: SignInServer) -> None:
    person = Person("000000", "12", CODE)
    opened("mfa", means(person, server.services))
    assert [getattr(question, "wrong", None) for question in person.asked] == [0, 1, 2]


def test_three_wrong_codes_end_it(server: SignInServer) -> None:
    person = Person("000000", "111111", "222222", CODE)
    with pytest.raises(CredentialsRefused, match="not accepted 3 times"):
        opened("mfa", means(person, server.services))
    assert server.codes_seen == ["000000", "111111", "222222"]


def test_a_person_who_gives_no_code(server: SignInServer) -> None:
    with pytest.raises(CredentialsRefused, match="sign-in was cancelled"):
        opened("mfa", means(Person(None), server.services))
    assert server.counts["AssumeRole"] == 0


def test_whoever_waits_may_stop_waiting_and_the_question_is_withdrawn(server: SignInServer) -> None:
    person, ticket = Person(CODE), Ticket()
    person.let_answer.clear()
    ticket_seen = []

    class Stopping(Ticket):
        def checkpoint(self, progress: Any = None) -> None:
            if person.asked:
                ticket_seen.append(1)
                self.cancel()
            super().checkpoint(progress)

    ticket = Stopping()
    with pytest.raises(Cancelled):
        opened("mfa", means(person, server.services), ticket=ticket)
    assert ticket_seen
    assert not person._answering.locked()


def test_where_nobody_can_be_asked_it_fails_at_once(server: SignInServer) -> None:
    nobody = SignInMeans(AsksInTurn(NobodyToAsk("there is no terminal to ask on"), Allowed()), services=server.services)
    with pytest.raises(CredentialsRefused, match="'mfa' asks for an MFA code, and there is no terminal to ask on"):
        opened("mfa", nobody)
    with pytest.raises(CredentialsRefused, match="has ended or was never started") as raised:
        opened("a", nobody)
    assert "`aws sso login --sso-session corp`" in raised.value.hint
    assert not server.counts


def test_a_role_that_may_not_be_assumed_is_named(server: SignInServer) -> None:
    server.denied_roles.add(f"{ROLE}/Reader")
    with pytest.raises(CredentialsRefused) as raised:
        opened("mfa", means(Person(CODE), server.services))
    message = f"arn:aws:iam::{ACCOUNT}:user/AKIAKEYS may not do sts:AssumeRole on {ROLE}/Reader."
    assert raised.value.message == message


def test_an_hour_at_most_for_a_chained_role_as_the_service_says_it(server: SignInServer) -> None:
    """Where the files do not show that the source is a role: the keys in them are those of one."""
    server.who["AKIAKEYS"] = f"arn:aws:sts::{ACCOUNT}:assumed-role/Other/x"
    config = Path(os.environ["AWS_CONFIG_FILE"])
    config.write_text(config.read_text().replace(f"mfa_serial = {DEVICE}", "duration_seconds = 7200"))
    with pytest.raises(CredentialsRefused, match="lasts one hour at most"):
        opened("mfa", means(Person(), server.services))


def test_a_web_identity(server: SignInServer, home: Path) -> None:
    assert "/Web/" in arn_of(opened("web", means(Person(), server.services)), server)
    (home / "token").write_text("bad-token")
    with pytest.raises(DynodeskError, match="none of ours"):
        opened("web", means(Person(), server.services))


def test_neither_the_environment_nor_a_machine_s_metadata_is_asked(
    server: SignInServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_EC2_METADATA_SERVICE_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_STS"):
        monkeypatch.setenv(name, f"{server.url}/by-surprise/")
    for name in ("AWS_CONTAINER_CREDENTIALS_FULL_URI", "HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, f"{server.url}/by-surprise")
    monkeypatch.setenv("AWS_ROLE_ARN", f"{ROLE}/Poison")
    monkeypatch.setenv("AWS_WEB_IDENTITY_TOKEN_FILE", "/poison")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    config = Path(os.environ["AWS_CONFIG_FILE"])
    config.write_text(
        config.read_text() + f"[profile empty]\nregion = eu-west-1\n[profile metal]\nrole_arn = {ROLE}/R\n"
        "credential_source = Ec2InstanceMetadata\nregion = eu-west-1\n"
    )
    for name, says in (("empty", "has no credentials"), ("metal", "never used here without being picked")):
        with pytest.raises(CredentialsRefused, match=says):
            opened(name, means(Person(), server.services))
    assert not server.counts
    opened("mfa", means(Person(CODE), server.services))
    assert set(server.counts) == {"AssumeRole"}


# ------------------------------------------------------------------------------------------------------------ programs


def program(home: Path, text: str) -> tuple[str, ...]:
    """A profile "process" whose program is this; what it is asked for as."""
    (home / "give.py").write_text(text)
    (home / "config").write_text(
        f"[profile process]\nregion = eu-west-1\ncredential_process = {sys.executable} {home / 'give.py'} --for 'a b'\n"
    )
    return (sys.executable, str(home / "give.py"), "--for", "a b")


GOOD = "import json; print(json.dumps({'Version': 1, 'AccessKeyId': 'AKIAPROCESS', 'SecretAccessKey': 's'}))"


def test_a_program_is_shown_exactly_and_asked_for_once(home: Path) -> None:
    argv = program(home, GOOD)
    person, allowed = Person(), Allowed()
    for _ in range(2):
        clients = opened("process", means(person, allowed=allowed))
        assert clients.sign_in.keys.access_key == "AKIAPROCESS"
    assert person.asked == [ProcessQuestion("process", argv)]
    config = (home / "config").read_text()
    (home / "config").write_text(config.replace("a b", "a c"))
    opened("process", means(person, allowed=allowed))
    assert len(person.asked) == 2


def test_a_program_that_is_not_allowed_does_not_run(home: Path) -> None:
    program(home, f"open({str(home / 'ran')!r}, 'w')")
    allowed = Allowed()
    with pytest.raises(CredentialsRefused, match="was not allowed to run"):
        opened("process", means(Person(runs=False), allowed=allowed))
    assert not (home / "ran").exists()
    assert not allowed.digests


def test_a_program_below_a_role_is_asked_for_too(home: Path, server: SignInServer) -> None:
    program(home, GOOD)
    config = home / "config"
    config.write_text(
        f"{config.read_text()}[profile role]\nrole_arn = {ROLE}/R\nsource_profile = process\nregion = eu-west-1\n"
    )
    person = Person()
    assert "/R/" in arn_of(opened("role", means(person, server.services)), server)
    assert [type(question) for question in person.asked] == [ProcessQuestion]


# ------------------------------------------------------------------------------------------------------- single sign-on


def kept(home: Path, of: str) -> dict[str, Any]:
    path = home / ".aws/sso/cache" / f"{hashlib.sha1(of.encode(), usedforsecurity=False).hexdigest()}.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    token: dict[str, Any] = json.loads(path.read_text())
    return token


def keep(home: Path, of: str, token: str, ends: datetime) -> None:
    """As another program does."""
    folder = home / ".aws/sso/cache"
    folder.mkdir(parents=True, exist_ok=True)
    name = hashlib.sha1(of.encode(), usedforsecurity=False).hexdigest()
    text = {"startUrl": "https://example.awsapps.com/start", "region": "eu-west-1", "accessToken": token}
    (folder / f"{name}.json").write_text(json.dumps({**text, "expiresAt": f"{ends:%Y-%m-%dT%H:%M:%SZ}"}))


def later(**more: int) -> datetime:
    return datetime.now(UTC) + timedelta(**more)


def test_a_sign_in_in_the_browser(server: SignInServer, home: Path) -> None:
    server.polls = ["AuthorizationPendingException", "SlowDownException", "AuthorizationPendingException"]
    person, clock = Person(), VirtualClock()
    clients = opened("a", means(person, server.services), clock=clock)
    assert "AWSReservedSSO_ReadOnly" in arn_of(clients, server)
    address = server.verification
    start = "https://example.awsapps.com/start"
    assert person.asked == [DeviceLogin("a", start, address, f"{address}?user_code=ABCD-EFGH", "ABCD-EFGH", 600)]
    assert clock.slept == [5, 5, 10, 10]
    token = kept(home, "corp")
    assert token["accessToken"] in server.tokens
    assert token["expiresAt"].endswith("Z")
    assert token["registrationExpiresAt"].endswith("Z")
    assert {"startUrl", "region", "clientId", "clientSecret", "refreshToken"} <= token.keys()


def test_one_sign_in_serves_the_next_and_the_role_above_it(server: SignInServer) -> None:
    person = Person()
    for name in ("a", "b", "a"):
        opened(name, means(person, server.services))
    assert len(person.asked) == 1


def test_the_older_form_is_kept_by_its_start_address(server: SignInServer, home: Path) -> None:
    opened("older", means(Person(), server.services))
    assert kept(home, "https://example.awsapps.com/start")["accessToken"] in server.tokens


def test_a_login_of_another_program_serves_here(server: SignInServer, home: Path) -> None:
    server.tokens.add("theirs")
    keep(home, "corp", "theirs", later(hours=1))
    person = Person()
    opened("a", means(person, server.services))
    assert person.asked == []


def test_a_login_in_another_program_is_noticed_while_the_code_is_shown(server: SignInServer, home: Path) -> None:
    server.polls = ["AuthorizationPendingException"] * 99
    server.tokens.add("theirs")
    clock, person = VirtualClock(), Person()
    keep(home, "corp", "old", later(hours=-1))
    clock.at(12, lambda: keep(home, "corp", "theirs", later(hours=1)))
    opened("a", means(person, server.services), clock=clock)
    assert (len(person.asked), server.counts["token"], clock.slept) == (1, 2, [5, 5, 5])


def test_a_token_that_the_service_has_revoked(server: SignInServer, home: Path) -> None:
    keep(home, "corp", "revoked", later(hours=1))
    person = Person()
    opened("a", means(person, server.services))
    assert len(person.asked) == 1


@pytest.mark.parametrize(
    ("polls", "lasts", "says"),
    [
        (["ExpiredTokenException"], 600, "not entered in time"),
        (["AuthorizationPendingException"] * 99, 20, "not entered in time"),
        (["AuthorizationPendingException", "AccessDeniedException"], 600, "refused in the browser"),
    ],
)
def test_a_sign_in_that_does_not_end_well(server: SignInServer, polls: list[str], lasts: int, says: str) -> None:
    server.polls, server.code_lasts = polls, lasts
    person = Person()
    with pytest.raises(CredentialsRefused, match=says):
        opened("a", means(person, server.services))
    assert len(person.asked) == 1  # and no second time by itself


def test_a_person_who_closes_the_sign_in(server: SignInServer, home: Path) -> None:
    with pytest.raises(CredentialsRefused, match="sign-in was cancelled"):
        opened("a", means(Person(while_shown=Ticket.cancel), server.services))
    assert server.counts["token"] == 0
    assert not (home / ".aws/sso/cache").exists()


@pytest.mark.parametrize(
    "address",
    [
        "http://device.example.com/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://user:pass@example.com/",
        "https://",
        "https://example.com/ x",
    ],
)
def test_an_address_that_no_browser_is_sent_to(server: SignInServer, address: str) -> None:
    server.verification = address
    person = Person()
    with pytest.raises(CredentialsRefused, match="does not begin with https://"):
        opened("a", means(person, server.services))
    assert person.asked == []


def test_a_start_address_that_is_not_https_is_not_even_asked(server: SignInServer, home: Path) -> None:
    config = home / "config"
    config.write_text(config.read_text().replace("https://example.awsapps.com", "http://example.awsapps.com"))
    with pytest.raises(CredentialsRefused, match="does not begin with https://"):
        opened("a", means(Person(), server.services))
    assert not server.counts


def test_a_role_that_the_single_sign_on_does_not_give(server: SignInServer) -> None:
    server.denied_roles.add("ReadOnly")
    with pytest.raises(CredentialsRefused, match="gives no access to the account and role"):
        opened("a", means(Person(), server.services))
