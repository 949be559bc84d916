"""Which credentials, which address, which operations: exactly those that were picked."""

from __future__ import annotations

import json
import socket
import sys
import textwrap
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse

from dynodesk.aws.calls import Calls
from dynodesk.aws.catalog import DynamoCatalog
from dynodesk.aws.clients import Clients, open_clients
from dynodesk.domain.errors import CannotConnect, CredentialsRefused
from dynodesk.domain.profiles import Credentials, Profile, ProfileError
from dynodesk.domain.progress import Ticket
from dynodesk.domain.sign_in import AsksInTurn, NobodyToAsk, SignInMeans
from tests.aws.tables import PROFILE_ID, profile
from tests.faults.proxy import THROTTLE, Drop, FaultProxy, error
from tests.helpers.signing_in import Allowed, Person, means

POISON = {
    "AWS_ACCESS_KEY_ID": "AKIAPOISONPOISONPOIS",
    "AWS_SECRET_ACCESS_KEY": "poison",
    "AWS_SESSION_TOKEN": "poison",
    "AWS_PROFILE": "poison",
    "AWS_DEFAULT_PROFILE": "poison",
    "AWS_REGION": "ap-south-1",
    "AWS_DEFAULT_REGION": "ap-south-1",
    "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
    "AWS_ENDPOINT_URL_DYNAMODB": "http://127.0.0.1:9",
    "AWS_ENDPOINT_URL_STS": "http://127.0.0.1:9",
    "AWS_USE_FIPS_ENDPOINT": "true",
    "AWS_USE_DUALSTACK_ENDPOINT": "true",
    "AWS_MAX_ATTEMPTS": "9",
    "AWS_RETRY_MODE": "adaptive",
    "AWS_DEFAULTS_MODE": "mobile",
    "AWS_CSM_ENABLED": "true",
    "AWS_ROLE_ARN": "arn:aws:iam::1:role/poison",
    "AWS_WEB_IDENTITY_TOKEN_FILE": "/poison",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1:9/poison",
    "AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://127.0.0.1:9/poison",
    "HTTP_PROXY": "http://127.0.0.1:9",
    "http_proxy": "http://127.0.0.1:9",
}
NOBODY = NobodyToAsk("there is no terminal to ask on")
KEYS = Credentials("AKIAPICKEDPICKEDPICK", "picked-secret", "picked-token")


@pytest.fixture(params=[False, True], ids=["clean", "poisoned"])
def environment(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    if request.param:
        for name, value in POISON.items():
            monkeypatch.setenv(name, value)
    return bool(request.param)


@pytest.fixture
def aws_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The AWS configuration files, with a profile of each sort."""
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    give = tmp_path / "give.py"
    give.write_text(
        "import json\n"
        "print(json.dumps({'Version': 1, 'AccessKeyId': 'AKIAPROCESS', 'SecretAccessKey': 's', 'SessionToken': 't'}))\n"
    )
    (tmp_path / "credentials").write_text(
        textwrap.dedent("""
            [default]
            aws_access_key_id = AKIADEFAULT
            aws_secret_access_key = default
            [dev]
            aws_access_key_id = AKIADEV
            aws_secret_access_key = dev
            [half]
            aws_access_key_id = AKIAHALF
        """)
    )
    (tmp_path / "config").write_text(
        textwrap.dedent(f"""
            [default]
            region = sa-east-1
            endpoint_url = http://127.0.0.1:9
            [profile dev]
            region = eu-west-1
            endpoint_url = http://127.0.0.1:9
            [profile process]
            region = eu-west-1
            credential_process = {sys.executable} {give}
            [profile broken]
            region = eu-west-1
            credential_process = {sys.executable} -c "import sys; sys.exit('secret on stderr')"
            [profile mfa]
            region = eu-west-1
            role_arn = arn:aws:iam::123456789012:role/x
            source_profile = dev
            mfa_serial = arn:aws:iam::123456789012:mfa/me
            [profile chained]
            region = eu-west-1
            role_arn = arn:aws:iam::123456789012:role/y
            source_profile = mfa
            [profile loop]
            region = eu-west-1
            role_arn = arn:aws:iam::123456789012:role/y
            source_profile = loop2
            [profile loop2]
            role_arn = arn:aws:iam::123456789012:role/y
            source_profile = loop
            [profile sso]
            region = eu-west-1
            sso_start_url = https://example.awsapps.com/start
            sso_region = eu-west-1
            sso_account_id = 123456789012
            sso_role_name = Reader
            [profile bare]
            region = eu-west-1
            [profile nowhere]
            credential_process = {sys.executable} {give}
        """)
    )
    return tmp_path


def aws(**more: Any) -> Profile:
    return Profile(PROFILE_ID, "test", "aws", **{"region": "", **more})


def from_profile(name: str, region: str = "") -> Profile:
    return aws(credentials="profile", aws_profile=name, region=region)


@pytest.fixture
def opened() -> Iterator[list[Clients]]:
    """Clients to close."""
    clients: list[Clients] = []
    yield clients
    for each in clients:
        each.close()


def key_of(clients: Clients) -> str:
    credentials: Any = clients.session.get_credentials()
    return str(credentials.get_frozen_credentials().access_key)


class Empty:
    """The body of a reply that never was on a network."""

    def stream(self) -> Iterator[bytes]:
        yield b'{"TableNames": []}'


def signed_with(client: Any) -> tuple[str, str]:
    """The URL and the Authorization header of a request as it would leave."""
    seen: list[tuple[str, str]] = []

    def catch(request: Any, **_: object) -> Any:
        seen.append((request.url, request.headers["Authorization"].decode()))
        headers: Any = {"content-type": "application/x-amz-json-1.0"}
        return AWSResponse(request.url, 200, headers, Empty())

    client.meta.events.register("before-send.dynamodb", catch)
    client.list_tables()
    return seen[0]


def test_typed_keys_and_nothing_else(environment: bool, aws_files: Path, opened: list[Clients]) -> None:
    clients = open_clients(aws(credentials="keys", secret="profile-x", region="us-west-2"), KEYS)
    opened.append(clients)
    url, authorization = signed_with(clients.reads)
    assert url == "https://dynamodb.us-west-2.amazonaws.com/"
    assert "Credential=AKIAPICKEDPICKEDPICK/" in authorization
    assert "/us-west-2/dynamodb/" in authorization
    assert clients.is_aws


def test_a_named_profile_and_nothing_else(environment: bool, aws_files: Path, opened: list[Clients]) -> None:
    clients = open_clients(from_profile("dev"))
    opened.append(clients)
    url, authorization = signed_with(clients.reads)
    assert url == "https://dynamodb.eu-west-1.amazonaws.com/"
    assert "Credential=AKIADEV/" in authorization
    assert clients.region == "eu-west-1"


def test_the_connection_s_region_comes_before_the_profile_s(aws_files: Path, opened: list[Clients]) -> None:
    clients = open_clients(from_profile("dev", region="us-east-2"))
    opened.append(clients)
    assert clients.region == "us-east-2"


def test_a_credential_process(environment: bool, aws_files: Path, opened: list[Clients]) -> None:
    clients = open_clients(from_profile("process"), means=means(Person()))
    opened.append(clients)
    assert key_of(clients) == "AKIAPROCESS"


def test_dummy_keys_on_loopback(environment: bool, aws_files: Path, ministack: str, opened: list[Clients]) -> None:
    clients = open_clients(profile(ministack))
    opened.append(clients)
    listing: Any = clients.reads
    assert listing.list_tables()["ResponseMetadata"]["HTTPStatusCode"] == 200
    assert key_of(clients) == "dummy"
    assert clients.region == "us-east-1"
    assert clients.endpoint_url == ministack
    assert not clients.is_aws


def test_the_environment_only_when_asked_for(
    monkeypatch: pytest.MonkeyPatch, aws_files: Path, opened: list[Clients]
) -> None:
    asked = aws(credentials="environment")
    with pytest.raises(CredentialsRefused, match="no credentials in the environment"):
        open_clients(asked)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAENV")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "env")
    with pytest.raises(ProfileError, match="Region is missing"):
        open_clients(asked)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    clients = open_clients(asked)
    opened.append(clients)
    assert key_of(clients) == "AKIAENV"
    assert clients.region == "eu-central-1"


VARIABLE, FOR_ALL, IGNORE = "AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"
OF_PROFILE = "endpoint_url of the AWS profile {}"


@pytest.mark.parametrize(
    ("name", "environment", "unused"),
    [
        ("dev", {}, (OF_PROFILE.format("dev"), "http://127.0.0.1:9")),
        ("by-service", {}, (OF_PROFILE.format("by-service"), "http://127.0.0.1:8000")),
        ("process", {}, None),
        ("odd", {}, None),
        ("process", {FOR_ALL: "http://127.0.0.1:7"}, (FOR_ALL, "http://127.0.0.1:7")),
        ("dev", {FOR_ALL: "http://127.0.0.1:7", VARIABLE: "http://[::1]:8"}, (VARIABLE, "http://[::1]:8")),
        ("dev", {VARIABLE: "https://me:canary@host.example"}, (VARIABLE, "")),
        ("process", {FOR_ALL: "https://dynamodb.eu-west-1.amazonaws.com/"}, None),
        ("dev", {FOR_ALL: "http://127.0.0.1:7", IGNORE: "true"}, None),
        ("", {}, None),
        ("", {VARIABLE: "http://127.0.0.1:7"}, (VARIABLE, "http://127.0.0.1:7")),
    ],
)
def test_an_endpoint_set_for_other_tools_is_told(
    name: str,
    environment: dict[str, str],
    unused: tuple[str, str] | None,
    monkeypatch: pytest.MonkeyPatch,
    aws_files: Path,
    opened: list[Clients],
) -> None:
    services = "[profile by-service]\nregion = eu-west-1\nservices = local\n[services local]\ndynamodb =\n"
    odd = "[profile odd]\nregion = eu-west-1\nservices =\n    dynamodb = local\n"
    with (aws_files / "config").open("a") as config:
        config.write(f"{services}    endpoint_url = http://127.0.0.1:8000\n{odd}")
    with (aws_files / "credentials").open("a") as credentials:
        for section in ("by-service", "odd"):
            credentials.write(f"[{section}]\naws_access_key_id = AKIASERVICE\naws_secret_access_key = s\n")
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    typed = aws(credentials="keys", secret="profile-x", region="eu-west-1")
    clients = open_clients(from_profile(name) if name else typed, None if name else KEYS, means=means(Person()))
    opened.append(clients)
    assert clients.endpoint_url == "https://dynamodb.eu-west-1.amazonaws.com"
    told = clients.unused_endpoint
    assert (None if told is None else (told.source, told.address)) == unused
    assert "canary" not in repr(told)


def test_a_connection_to_an_endpoint_goes_where_it_says(monkeypatch: pytest.MonkeyPatch, opened: list[Clients]) -> None:
    monkeypatch.setenv(VARIABLE, "http://127.0.0.1:7")
    opened.append(open_clients(profile("http://127.0.0.1:8000")))
    assert opened[0].unused_endpoint is None


def test_half_of_the_environment_s_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAENV")
    with pytest.raises(CredentialsRefused, match="incomplete"):
        open_clients(aws(credentials="environment", region="eu-west-1"))


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("missing", "no AWS profile 'missing'"),
        ("bare", "'bare' has no credentials"),
        ("half", "incomplete"),
        ("mfa", "'mfa' asks for an MFA code, and there is no terminal"),
        ("chained", "'mfa' asks for an MFA code, and there is no terminal"),
        ("loop", "in a circle: 'loop' → 'loop2' → 'loop'"),
        ("broken", "which was not allowed yet, and there is no terminal"),
        ("sso", "sign-in of the AWS profile 'sso' has ended or was never started, and there is no terminal"),
    ],
)
def test_a_profile_that_gives_no_credentials(
    environment: bool, aws_files: Path, name: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CredentialsRefused, match=says) as raised:
        open_clients(from_profile(name), means=SignInMeans(AsksInTurn(NOBODY, Allowed())))
    assert raised.value.hint
    assert ("can be allowed" in raised.value.hint) == (name == "broken")  # signing in again would not help there
    assert "secret on stderr" not in raised.value.message + raised.value.details + raised.value.hint
    assert capsys.readouterr() == ("", "")


GOOD = {"Version": 1, "AccessKeyId": "AKIAPROCESS", "SecretAccessKey": "secret", "SessionToken": "t"}


@pytest.mark.parametrize(
    "printed",
    [
        b"secret, not JSON",
        b"",
        b'["secret"]',
        b'"secret"',
        b"null",
        b"\xff\xfesecret",
        json.dumps({**GOOD, "Expiration": "secret"}).encode(),
        json.dumps({**GOOD, "Expiration": "2001-01-01T00:00:00Z"}).encode(),
        json.dumps({**GOOD, "AccessKeyId": 7}).encode(),
        json.dumps({**GOOD, "AccessKeyId": "AKIA\nsecret"}).encode(),
        json.dumps({**GOOD, "SessionToken": "secret\n"}).encode(),
        json.dumps({**GOOD, "SessionToken": "secrét"}).encode(),
    ],
)
def test_a_credential_process_that_prints_something_else(aws_files: Path, printed: bytes) -> None:
    (aws_files / "give.py").write_text(f"import sys; sys.stdout.buffer.write({printed!r})")
    with pytest.raises(CredentialsRefused) as raised:
        open_clients(from_profile("process"), means=means(Person()))
    said = raised.value.message + raised.value.details + raised.value.hint
    assert "secret" not in said
    assert "secret" not in "".join(traceback.format_exception(raised.value))


@pytest.mark.parametrize("printed", [b"secret", json.dumps({**GOOD, "SessionToken": "secrét"}).encode()])
def test_credentials_that_cannot_be_renewed(
    aws_files: Path, proxy: FaultProxy, opened: list[Clients], printed: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    soon = datetime.now(UTC) + timedelta(seconds=60)  # so soon that they are renewed for each request
    (aws_files / "give.py").write_text(f"print({json.dumps({**GOOD, 'Expiration': soon.isoformat()})!r})")
    there = Profile(PROFILE_ID, "t", "endpoint", "profile", aws_profile="process", endpoint_url=proxy.url)
    opened.append(open_clients(there, means=means(Person())))
    catalog = DynamoCatalog(opened[0])
    catalog.table_names(Ticket())
    sent = proxy.counts["ListTables"]
    (aws_files / "give.py").write_text(f"import sys; sys.stdout.buffer.write({printed!r})")
    with pytest.raises(CredentialsRefused) as raised:
        catalog.table_names(Ticket())
    assert "secr" not in raised.value.message + raised.value.details + raised.value.hint
    (aws_files / "give.py").unlink()
    with pytest.raises(CredentialsRefused):
        catalog.table_names(Ticket())
    assert proxy.counts["ListTables"] == sent
    assert not caplog.records  # they would quote the secret


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("credential_process = /nowhere/program secret", "/nowhere/program: No such file"),
        ('credential_process = "unclosed secret', "cannot be read"),
        ("credential_process =", "is empty"),
        ("role_arn = arn:aws:iam::1:role/x\nweb_identity_token_file = /nowhere/token", "/nowhere/token: No such file"),
    ],
)
def test_a_profile_whose_program_or_file_is_not_there(aws_files: Path, line: str, says: str) -> None:
    (aws_files / "config").write_text(f"[profile odd]\nregion = eu-west-1\n{line}\n")
    with pytest.raises(CredentialsRefused, match=says) as raised:
        open_clients(from_profile("odd"), means=means(Person()))
    assert raised.value.hint
    assert "secret" not in raised.value.message + raised.value.details


def test_keys_that_no_header_can_carry(aws_files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAENV")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "secret\ntoken")
    with pytest.raises(CredentialsRefused, match="no key has") as raised:
        open_clients(aws(credentials="environment", region="eu-west-1"))
    assert "secret" not in raised.value.message + raised.value.details


def test_a_profile_without_a_region(environment: bool, aws_files: Path) -> None:
    with pytest.raises(ProfileError, match="Region is missing"):
        open_clients(from_profile("nowhere"), means=means(Person()))


def test_keys_that_are_not_at_hand(aws_files: Path) -> None:
    with pytest.raises(CredentialsRefused, match="not at hand"):
        open_clients(aws(credentials="keys", secret="profile-x", region="us-west-2"))


def test_a_region_from_elsewhere_that_is_not_the_address_s(aws_files: Path) -> None:
    address = "https://dynamodb.us-east-2.amazonaws.com"
    there = Profile(PROFILE_ID, "t", "endpoint", "profile", aws_profile="dev", endpoint_url=address)
    with pytest.raises(ProfileError, match="is in us-east-2, not in "):
        open_clients(there, means=means(Person()))


@pytest.mark.parametrize(
    "wrong",
    [
        Profile(PROFILE_ID, "t", "endpoint", "dummy", endpoint_url="https://dynamodb.example.com"),
        Profile(PROFILE_ID, "t", "endpoint", "dummy", endpoint_url="http://169.254.169.254"),
        Profile(PROFILE_ID, "t", "endpoint", "profile", aws_profile="dev", endpoint_url="https://evil.example.com"),
        Profile(PROFILE_ID, "t", "aws", "dummy", region="us-east-1"),
    ],
)
def test_what_would_not_be_safe_is_refused_here_too(aws_files: Path, wrong: Profile) -> None:
    with pytest.raises(ProfileError):
        open_clients(wrong)


def test_the_sandbox_is_where_it_says(ministack: str, opened: list[Clients]) -> None:
    clients = open_clients(
        Profile(PROFILE_ID, "t", "sandbox", "dummy", stage="sandbox", read_only=False), sandbox_url=ministack
    )
    opened.append(clients)
    assert clients.endpoint_url == ministack


def test_the_streams_of_aws_have_an_address_of_their_own(opened: list[Clients]) -> None:
    opened.append(open_clients(aws(credentials="keys", secret="profile-x", region="eu-west-1"), KEYS))
    streams = opened[-1].stream_service()
    assert streams.meta.endpoint_url == "https://streams.dynamodb.eu-west-1.amazonaws.com"
    streams.close()


def test_nothing_is_sent_twice_by_itself(clients: Clients, proxy: FaultProxy) -> None:
    client: Any = clients.reads
    for fault in (THROTTLE, Drop(), error("InternalServerError", 500)):
        proxy.clear()
        proxy.always("ListTables", fault)
        with pytest.raises(Exception):  # noqa: B017, PT011 (botocore's own)
            client.list_tables()
        assert proxy.counts["ListTables"] == 1


def test_a_closed_port(ministack: str, opened: list[Clients]) -> None:
    with FaultProxy(ministack) as gone:
        pass
    clients = open_clients(profile(gone.url))
    opened.append(clients)

    waits: list[float] = []
    calls = Calls(clients, sleep=lambda _, seconds: waits.append(seconds))
    with pytest.raises(CannotConnect, match=r"Nothing listens at http://127\.0\.0\.1:\d+: the connection was refused"):
        DynamoCatalog(clients, calls).table_names(Ticket())
    assert sum(waits) < 1


def test_a_name_that_is_not_known(opened: list[Clients], monkeypatch: pytest.MonkeyPatch) -> None:
    clients = open_clients(aws(credentials="keys", secret="s", region="us-east-9"), KEYS)
    opened.append(clients)

    def no_such_name(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", no_such_name)
    with pytest.raises(CannotConnect, match=r"The name in https://dynamodb\.us-east-9\.amazonaws\.com is not known"):
        DynamoCatalog(clients, Calls(clients, sleep=lambda *_: None)).table_names(Ticket())
