"""Between here and AWS stands a company's proxy that lets nobody through."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from dynodesk.aws.catalog import DynamoCatalog
from dynodesk.aws.clients import open_clients
from dynodesk.domain.errors import CannotConnect, explanation
from dynodesk.domain.profiles import Credentials, Profile, new_profile_id
from dynodesk.domain.progress import Ticket
from dynodesk.ui.messages import message_for

PASSWORD = "hunter2-of-the-proxy"
ASKS = b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n"


class CompanyProxy:
    """Takes the request for a tunnel, answers with `reply`, and hangs up. `asked` holds what came."""

    def __init__(self, reply: bytes) -> None:
        self.asked: list[bytes] = []
        self._reply = reply
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:  # closed
                return
            with connection:
                self.asked.append(connection.recv(4096))
                connection.sendall(self._reply)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()


@pytest.fixture(params=[ASKS, b""], ids=["asks for a password", "hangs up"])
def company(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[CompanyProxy]:
    running = CompanyProxy(request.param)
    monkeypatch.setenv("HTTPS_PROXY", f"http://someone:{PASSWORD}@127.0.0.1:{running.port}")
    yield running
    running.close()


def test_a_proxy_that_lets_nobody_through(company: CompanyProxy) -> None:
    made = Profile(
        id=new_profile_id(),
        name="far away",
        kind="aws",
        credentials="keys",
        secret="0",
        region="eu-west-1",
        stage="dev",
    )
    clients = open_clients(made, Credentials("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"))
    try:
        with pytest.raises(CannotConnect) as raised:
            DynamoCatalog(clients).table_names(Ticket())
    finally:
        clients.close()
    assert all(asked.startswith(b"CONNECT dynamodb.eu-west-1.amazonaws.com:443") for asked in company.asked)
    assert 1 <= len(company.asked) <= 2
    said = list(explanation(raised.value))
    assert len(said) == 2, "what failed, and what to do"
    assert "proxy" in " ".join(said).lower()
    shown = [*said, raised.value.details, message_for(raised.value).details, str(raised.value)]
    assert not any(PASSWORD in text for text in shown)
