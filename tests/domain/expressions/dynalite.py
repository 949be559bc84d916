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

LIBRARY = ("node_modules", "dynalite", "index.js")
# An error in a request ends dynalite as it comes. Here it ends only the connections, and a new server takes its place:
# to start node anew for each such request would take longer than all the others together.
PROGRAM = """
const dynalite = require(process.argv[1]), port = Number(process.argv[2])
const connections = new Set()
let server
function start () {
  server = dynalite({ createTableMs: 5 })
  server.on('connection', connection => {
    connections.add(connection)
    connection.on('close', () => connections.delete(connection))
  })
  server.listen(port, '127.0.0.1', () => console.log('listening'))
}
process.on('uncaughtException', () => {
  server.close(start)
  connections.forEach(connection => connection.destroy())
})
start()
"""


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
    library = Path(folder, *LIBRARY)
    if not library.exists():
        raise MissingEmulator(f"there is no dynalite in {folder}: run `npm install dynalite@4` there")
    return [node, "-e", PROGRAM, str(library)]


@contextmanager
def running() -> Iterator[str]:
    """Start dynalite on a free loopback port; its endpoint URL. Its tables are in memory and gone at the end."""
    with tempfile.TemporaryDirectory(prefix="dynalite-") as folder, reserved_port() as port:
        process = subprocess.Popen(
            [*command(), str(port)],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            assert process.stdout is not None
            if not process.stdout.readline():
                raise RuntimeError(f"dynalite did not start (exit status {process.wait()})")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()
            process.communicate()
