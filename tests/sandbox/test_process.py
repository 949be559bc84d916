import io
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from dynodesk.domain.errors import DynodeskError
from dynodesk.sandbox.process import Sandbox, SandboxFailed, serve
from dynodesk.sandbox.seed import Api
from tests.helpers import leftovers

pytestmark = pytest.mark.server

SMALL = 0.01
PATIENCE = 20.0


def port_of(endpoint: str) -> int:
    return int(endpoint.rpartition(":")[2])


def is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def gone_in_time(port: int) -> bool:
    deadline = time.monotonic() + PATIENCE
    while is_listening(port) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_listening(port)


@contextmanager
def program(source: str) -> Iterator[subprocess.Popen[str]]:
    """A Python program that runs beside the test, with its standard output at hand.

    Ctrl-C reaches it as it reaches one that was started at a terminal: shells start what runs in the background, and
    with it all that this starts, deaf to it.
    """
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    arguments = [sys.executable, "-c", heard + source]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


STARTS_ONE = f"""
from dynodesk.sandbox.process import Sandbox
sandbox = Sandbox.start(scale={SMALL})
print(sandbox.endpoint, flush=True)
"""


def test_serves_its_tables_until_it_is_closed() -> None:
    with Sandbox.start(scale=SMALL) as sandbox:
        assert sandbox.endpoint == f"http://127.0.0.1:{sandbox.port}"
        names = Api(sandbox.endpoint).call("ListTables", {})["TableNames"]
    assert sorted(names) == ["Courses", "Members", "Readings", "Social", "Stats", "TypeZoo", "Workspaces"]
    assert not is_listening(sandbox.port)
    assert not sandbox.alive
    sandbox.close()


def test_ends_with_a_parent_that_is_killed() -> None:
    with program(STARTS_ONE + "import time; time.sleep(600)") as parent:
        assert parent.stdout is not None
        port = port_of(parent.stdout.readline().strip())
        assert is_listening(port)
        parent.kill()  # SIGKILL: no handler, no finally, no atexit
        assert gone_in_time(port)


def test_ends_with_a_parent_that_forgets_to_close_it() -> None:
    with program(STARTS_ONE) as parent:
        assert parent.stdout is not None
        port = port_of(parent.stdout.readline().strip())
        assert gone_in_time(port)


def test_takes_the_port_it_is_given_and_says_when_that_is_taken() -> None:
    with Sandbox.start(scale=SMALL) as first:
        with pytest.raises(SandboxFailed, match=f"Port {first.port} on 127.0.0.1 cannot be used") as caught:
            Sandbox.start(scale=SMALL, port=first.port)
        assert isinstance(caught.value, DynodeskError)
        assert "another port" in caught.value.hint
    with Sandbox.start(scale=SMALL, port=first.port) as second:
        assert second.port == first.port


def test_a_scale_out_of_range_is_refused_in_its_own_words() -> None:
    with pytest.raises(SandboxFailed, match="cannot have the scale 0"):
        Sandbox.start(scale=0)


def test_a_start_that_takes_too_long_leaves_nothing_running() -> None:
    with pytest.raises(SandboxFailed, match=r"was not ready after 0\.01 seconds"):
        Sandbox.start(scale=SMALL, timeout=0.01)


def test_a_child_that_cannot_even_start_shows_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONHOME", "/nowhere")
    with pytest.raises(SandboxFailed, match=r"did not start \(exit status 1\)") as caught:
        Sandbox.start(scale=SMALL)
    assert "encodings" in caught.value.details


def test_files_in_the_current_folder_are_not_taken_for_modules(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("project")
    (folder / "werkzeug.py").write_text("raise SystemExit('the wrong one')", encoding="utf-8")
    monkeypatch.chdir(folder)
    with Sandbox.start(scale=SMALL) as sandbox:
        assert sandbox.alive


def test_waiting_ends_when_the_server_dies() -> None:
    before = leftovers.processes()
    with Sandbox.start(scale=SMALL) as sandbox:
        (server,) = leftovers.processes().keys() - before.keys()
        os.kill(server, signal.SIGKILL)
        with pytest.raises(SandboxFailed, match=r"The sandbox ended \(exit status -9\)"):
            sandbox.wait()


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_serving_in_the_foreground_ends_cleanly(stop: signal.Signals) -> None:
    source = f"import sys; from dynodesk.sandbox.process import serve; serve(0, {SMALL}, sys.stdout)"
    with program(source) as foreground:
        assert foreground.stdout is not None
        assert foreground.stderr is not None
        greeting = [foreground.stdout.readline()]
        while "reconcile" not in greeting[-1]:
            greeting.append(foreground.stdout.readline())
        endpoint = greeting[0].split()[5]
        text = "".join(greeting)
        assert f"export AWS_ENDPOINT_URL_DYNAMODB={endpoint}\n" in text
        assert f"dynodesk reconcile resources/rules/social.toml --endpoint-url {endpoint}\n" in text
        assert is_listening(port_of(endpoint))
        foreground.send_signal(stop)
        assert foreground.wait(timeout=PATIENCE) == 0
        assert foreground.stderr.read() == ""
        assert not is_listening(port_of(endpoint))


def test_serving_on_a_port_in_use_says_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other, pytest.raises(SandboxFailed, match="cannot be used"):
        serve(other.getsockname()[1], SMALL, io.StringIO())
