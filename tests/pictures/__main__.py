"""Makes the pictures of the README from the real program: `python -m tests.pictures [folder]`.

Each scheme is a process of its own for each walk, off screen, at 1440 × 900, with settings and keyring of nobody.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "packaging/pictures"
TOUR = "import sys; from tests.pictures.tour import tour; sys.exit(tour(*sys.argv[1:]))"
CONNECTING = "import sys; from tests.pictures.connecting import connecting; sys.exit(connecting(*sys.argv[1:]))"
WALKS = ([TOUR], [CONNECTING, "with a keyring"], [CONNECTING, "after a crash"])


def make(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for scheme in ("light", "dark"):
        for walk in WALKS:
            # the address of a keyring's socket may have 107 bytes
            with tempfile.TemporaryDirectory(prefix="dynodesk-") as home:
                session = ["dbus-run-session", "--"] if "with a keyring" in walk else []
                subprocess.run([*session, sys.executable, "-c", *walk, scheme, str(folder)], env=_of(home), check=True)


def _of(home: str) -> dict[str, str]:
    """The environment of somebody who has a home and nothing in it."""
    own = {"HOME": home, "DYNODESK_HOME": f"{home}/dynodesk", "XDG_RUNTIME_DIR": home, "XDG_DATA_HOME": f"{home}/data"}
    return {**os.environ, **own, "DBUS_SESSION_BUS_ADDRESS": f"unix:path={home}/none", "QT_QPA_PLATFORM": "offscreen"}


if __name__ == "__main__":
    make(Path(sys.argv[1]) if sys.argv[1:] else FOLDER)
