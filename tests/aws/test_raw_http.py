"""Requests of one's own making: signed as the specification says, with the credentials of the moment, sent safely."""

from __future__ import annotations

import hashlib
import hmac
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from botocore.credentials import ReadOnlyCredentials

from dynodesk.aws.clients import Clients, open_clients
from dynodesk.aws.credentials import Fetched
from dynodesk.aws.raw import RawPages
from dynodesk.aws.sign_in import SignIn
from dynodesk.domain.capacity import Meter
from dynodesk.domain.errors import CannotConnect, CredentialsRefused
from dynodesk.domain.profiles import Credentials, Profile
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import QueryPlan, ScanPlan
from dynodesk.domain.sign_in import NobodyToAsk, SignInAsker
from dynodesk.domain.values import String
from tests.aws.tables import profile
from tests.aws.test_tls import EXPIRED, VALID, TlsServer

KEYS = Credentials("AKIAPICKEDPICKEDPICK", "picked-secret", "picked-token")


class Recorder:
    """Three pages for whoever asks; keeps what arrived: headers in lower case, and the body."""

    def __init__(self) -> None:
        self.arrived: list[tuple[dict[str, str], bytes]] = []
        arrived = self.arrived

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # else the body waits 40 ms behind its header

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                arrived.append(({name.lower(): value for name, value in self.headers.items()}, body))
                more = b',"LastEvaluatedKey":{"PK":{"N":"%d"}}' % len(arrived) if len(arrived) < 3 else b""
                reply = b'{"Items":[],"Count":0,"ScannedCount":0%s}' % more
                self.send_response(200)
                self.send_header("Content-Type", "application/x-amz-json-1.0")
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class's name)
                """Says nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    running = Recorder()
    yield running
    running.close()


def read(clients: Clients, plan: ScanPlan | QueryPlan) -> int:
    """Read all pages; how many there were."""
    pages = RawPages(clients, Meter())
    try:
        return len(list(pages.raw_pages(plan, Ticket())))
    finally:
        pages.close()


def with_keys(url: str) -> Profile:
    return replace(profile(url), credentials="keys", secret="s" * 16)


@pytest.fixture
def opened(recorder: Recorder) -> Iterator[Clients]:
    clients = open_clients(with_keys(recorder.url), KEYS)
    yield clients
    clients.close()


def signature(secret: str, headers: dict[str, str], body: bytes) -> str:
    """Signature Version 4 by its specification, of a POST to `/` at DynamoDB in us-east-1."""
    signed = headers["authorization"].partition("SignedHeaders=")[2].partition(",")[0]
    canonical = "\n".join(
        [
            "POST",
            "/",
            "",
            *(f"{name}:{' '.join(headers[name].split())}" for name in signed.split(";")),
            "",
            signed,
            hashlib.sha256(body).hexdigest(),
        ]
    )
    at = headers["x-amz-date"]
    scope = f"{at[:8]}/us-east-1/dynamodb/aws4_request"
    text = f"AWS4-HMAC-SHA256\n{at}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    key = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.digest(key, text.encode(), "sha256").hex()


@pytest.mark.parametrize("plan", [ScanPlan("Täble"), QueryPlan("T", {"PK": String("é\0\n😀")})], ids=["scan", "query"])
def test_every_request_is_signed(opened: Clients, recorder: Recorder, plan: ScanPlan | QueryPlan) -> None:
    assert read(opened, plan) == 3
    for headers, body in recorder.arrived:
        assert headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIAPICKEDPICKEDPICK/")
        assert headers["authorization"].endswith(f"Signature={signature(KEYS.secret_access_key, headers, body)}")
        for name in ("host", "x-amz-date", "x-amz-target", "x-amz-security-token"):
            assert name in headers["authorization"]
        assert headers["x-amz-security-token"] == "picked-token"


def test_the_client_signs_in_the_same_way(opened: Clients, recorder: Recorder) -> None:
    client: Any = opened.reads
    client.scan(TableName="T")
    read(opened, ScanPlan("T"))
    (theirs, body), (ours, _) = recorder.arrived[:2]
    assert theirs["authorization"].endswith(f"Signature={signature(KEYS.secret_access_key, theirs, body)}")
    for name in ("host", "content-type", "x-amz-target", "x-amz-security-token"):
        assert ours[name] == theirs[name]


def with_refreshable(clients: Clients, times: int = 100) -> Clients:
    """The same clients with credentials that are about to expire, so that they are fetched anew for each request.

    They differ each time; after so many times there are none.
    """
    fetched = 0

    def fetch(_asker: SignInAsker, _ticket: Ticket, _expired: ReadOnlyCredentials | None) -> Fetched:
        nonlocal fetched
        fetched += 1
        if fetched > times:
            raise CredentialsRefused("The credentials could not be fetched.")
        keys = ReadOnlyCredentials(f"AKIA{fetched}", f"secret{fetched}", f"token{fetched}")
        return Fetched(keys, lambda _seconds: True)

    return replace(clients, sign_in=SignIn(fetch, NobodyToAsk("this is a test"), Ticket()))


def test_credentials_are_renewed_between_pages(opened: Clients, recorder: Recorder) -> None:
    assert read(with_refreshable(opened), ScanPlan("T")) == 3
    used = [headers["authorization"].split("Credential=")[1].split("/")[0] for headers, _ in recorder.arrived]
    assert used == ["AKIA2", "AKIA3", "AKIA4"]
    for at, (headers, body) in enumerate(recorder.arrived, start=2):
        assert headers["x-amz-security-token"] == f"token{at}"
        assert headers["authorization"].endswith(f"Signature={signature(f'secret{at}', headers, body)}")


def test_credentials_that_cannot_be_renewed_end_the_read(opened: Clients, recorder: Recorder) -> None:
    with pytest.raises(CredentialsRefused, match="could not be fetched"):
        read(with_refreshable(opened, 2), ScanPlan("T"))
    assert len(recorder.arrived) == 1


def test_loopback_is_never_reached_through_a_proxy(recorder: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    clients = open_clients(profile(recorder.url))
    try:
        assert read(clients, ScanPlan("T")) == 3
    finally:
        clients.close()


def test_elsewhere_is_reached_through_the_proxy_of_the_environment(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", recorder.url)
    clients = open_clients(with_keys("https://dynamodb.invalid"), KEYS)
    try:
        with pytest.raises(CannotConnect, match="proxy"):  # which knows no CONNECT
            read(clients, ScanPlan("T"))
    finally:
        clients.close()
    assert recorder.arrived == []


@pytest.fixture
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[TlsServer]:
    address, valid = getattr(request, "param", ("127.0.0.1", VALID))
    running = TlsServer(tmp_path, address, valid)
    yield running
    running.close()


def over_tls(server: TlsServer) -> int:
    clients = open_clients(profile(server.url))
    try:
        return read(clients, ScanPlan("T"))
    finally:
        clients.close()


def test_a_certificate_that_nobody_vouches_for(server: TlsServer) -> None:
    with pytest.raises(CannotConnect, match=r"certificate .* is not trusted"):
        over_tls(server)
    assert server.asked == []


def test_a_certificate_of_the_ca_bundle(server: TlsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_CA_BUNDLE", str(server.certificate))
    assert over_tls(server) == 1
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "server",
    [("127.0.0.2", VALID), ("127.0.0.1", EXPIRED)],
    indirect=True,
    ids=["for another address", "expired"],
)
def test_a_vouched_certificate_that_is_wrong(server: TlsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_CA_BUNDLE", str(server.certificate))
    with pytest.raises(CannotConnect, match=r"certificate .* is not trusted"):
        over_tls(server)
    assert server.asked == []
