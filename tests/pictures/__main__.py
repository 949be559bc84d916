"""Makes the pictures of the README from the real program: `python -m tests.pictures [folder]`.

Each scheme is a process of its own, off screen, at 1440 × 900, with settings and keyring of nobody.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "packaging/pictures"
TOUR = "import sys; from tests.pictures.tour import tour; sys.exit(tour(*sys.argv[1:]))"


def make(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for scheme in ("light", "dark"):
        with tempfile.TemporaryDirectory() as home:
            subprocess.run(
                [sys.executable, "-c", TOUR, scheme, str(folder)],
                env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "DYNODESK_HOME": home},
                check=True,
            )


if __name__ == "__main__":
    make(Path(sys.argv[1]) if sys.argv[1:] else FOLDER)
