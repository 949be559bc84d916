"""Golden files: what leaves the program, compared byte for byte.

After a change that is meant, run the tests with `DYNODESK_WRITE_GOLDEN=1` and read the difference before committing it.
"""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "golden"


def golden(name: str, written: bytes) -> bytes:
    """The bytes of the golden file, which is first overwritten with `written` where the environment asks for it."""
    path = FOLDER / name
    if os.environ.get("DYNODESK_WRITE_GOLDEN"):
        path.write_bytes(written)
    return path.read_bytes()
