"""The emulator that stands in for DynamoDB where requests run at the same time, in a process of its own."""

import os
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
START_SECONDS = 60


def python() -> Path:
    """The interpreter of the environment that has ministack. It cannot be ours: ministack pins a botocore."""
    if chosen := os.environ.get("DYNODESK_MINISTACK_PYTHON"):
        return Path(chosen)
    inside = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
    interpreter = ROOT.joinpath(".venv-ministack", *inside)
    if not interpreter.exists():
        raise RuntimeError("ministack's environment is missing: run `python3 packaging/run.py test` once to make it")
    return interpreter


@contextmanager
def running() -> Iterator[str]:
    """Start ministack on a free loopback port; its endpoint URL. It is stopped at the end and leaves no file."""
    with tempfile.TemporaryDirectory(prefix="ministack-") as folder, reserved_port() as port:
        url = f"http://127.0.0.1:{port}"
        log = Path(folder, "log")
        with log.open("wb") as file:
            process = subprocess.Popen(
                [str(python()), "-m", "ministack"],
                cwd=folder,
                env={**os.environ, "TMPDIR": folder, "LOG_LEVEL": "WARNING", **_settings(port)},
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
            )
        try:
            _wait_until_it_answers(process, url, log)
            yield url
        finally:
            process.kill()
            process.wait()


def _settings(port: int) -> dict[str, str]:
    # By default it listens on every interface and opens two more ports.
    return {
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(port),
        "IOT_MTLS_ENABLED": "false",
        "SFTP_ENABLED": "false",
    }


@contextmanager
def reserved_port() -> Iterator[int]:
    """A port that no other process is given meanwhile: ours stays bound to it, and lets the server bind it as well."""
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        yield int(holder.getsockname()[1])


def _wait_until_it_answers(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{url}/_ministack/ready", timeout=5):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.05)
    said = log.read_text(encoding="utf-8", errors="replace")[-2000:]
    raise RuntimeError(f"ministack did not start (exit status {process.poll()}):\n{said}")
