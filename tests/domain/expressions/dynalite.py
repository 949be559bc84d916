"""The second emulator that is asked how it decides: dynalite, where node and the package are there.

`npm install dynalite@4` in any folder outside the project, and the variable `DYNODESK_DYNALITE` names that folder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.helpers.ministack import reserved_port


class MissingEmulator(Exception):
    """Says what has to be installed."""


def command() -> list[str]:
    """What starts it. Raises `MissingEmulator`."""
    node = shutil.which("node")
    if node is None:
        raise MissingEmulator("dynalite needs node, which is not installed")
    folder = os.environ.get("DYNODESK_DYNALITE")
    if folder is None:
        raise MissingEmulator("DYNODESK_DYNALITE names no folder: run `npm install dynalite@4` in one")
    script = Path(folder, "node_modules", "dynalite", "cli.js")
    if not script.exists():
        raise MissingEmulator(f"there is no dynalite in {folder}: run `npm install dynalite@4` there")
    return [node, str(script)]


@contextmanager
def running() -> Iterator[str]:
    """Start dynalite on a free loopback port; its endpoint URL. Its tables are in memory and gone at the end."""
    with tempfile.TemporaryDirectory(prefix="dynalite-") as folder, reserved_port() as port:
        process = subprocess.Popen(
            [*command(), "--host", "127.0.0.1", "--port", str(port), "--createTableMs", "20"],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            while said and "listening" not in said:
                said = process.stdout.readline()
            if not said:
                raise RuntimeError(f"dynalite did not start (exit status {process.wait()})")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()
            process.communicate()
