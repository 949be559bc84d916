"""Encrypted connections: only to who can prove who it is."""

from __future__ import annotations

import ipaddress
import ssl
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from dynodesk.aws.calls import Calls
from dynodesk.aws.catalog import DynamoCatalog
from dynodesk.aws.clients import open_clients
from dynodesk.domain.errors import CannotConnect
from dynodesk.domain.progress import Ticket
from tests.aws.tables import profile

VALID = (datetime.now(UTC) - timedelta(days=1), datetime.now(UTC) + timedelta(days=1))
EXPIRED = (datetime.now(UTC) - timedelta(days=9), datetime.now(UTC) - timedelta(days=8))


class TlsServer:
    """Answers every request with neither tables nor items, over TLS, with a certificate of its own making."""

    def __init__(self, folder: Path, address: str, valid: tuple[datetime, datetime]) -> None:
        self.certificate = folder / "certificate.pem"
        self.asked: list[str] = []
        asked = self.asked

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked.append(self.headers["Authorization"])
                body = b'{"TableNames": [], "Items": [], "Count": 0, "ScannedCount": 0}'
                self.send_response(200)
                self.send_header("Content-Type", "application/x-amz-json-1.0")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class's name)
                """Says nothing."""

        self._server = _Quiet(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, _make_certificate(self.certificate, address, valid))
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.url = f"https://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that turns away is what the tests are about."""


def _make_certificate(place: Path, address: str, valid: tuple[datetime, datetime]) -> Path:
    """Write a self-signed certificate for an address; where its key is."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(valid[0])
        .not_valid_after(valid[1])
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    place.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    key_file = place.with_name("key.pem")
    key_file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return key_file


def tables(server: TlsServer) -> tuple[str, ...]:
    clients = open_clients(profile(server.url))
    try:
        return DynamoCatalog(clients, Calls(clients, sleep=lambda *_: None)).table_names(Ticket())
    finally:
        clients.close()


@pytest.fixture
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[TlsServer]:
    address, valid = getattr(request, "param", ("127.0.0.1", VALID))
    running = TlsServer(tmp_path, address, valid)
    yield running
    running.close()


def test_a_certificate_that_nobody_vouches_for(server: TlsServer) -> None:
    with pytest.raises(CannotConnect, match=r"certificate .* is not trusted"):
        tables(server)
    assert server.asked == []


def test_a_certificate_of_the_ca_bundle(server: TlsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_CA_BUNDLE", str(server.certificate))
    assert tables(server) == ()
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
        tables(server)
    assert server.asked == []
