"""Calls into Qt must not use up the references to None and True.

Before Python 3.12 these can run out, and the interpreter aborts. PySide6 6.12.0 drops one with every call that returns
None and one with every emit.
"""

import json
import os
import subprocess
import sys

import pytest

CALLS = 20_000
# Other code of the process takes and gives references meanwhile; a leak of one a call is far beyond that.
TOLERATED = 200

# In an interpreter of its own, which stops while it still has references: the tests around this one need theirs.
PROBE = f"""
import json, os, sys
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication, QLabel

class Source(QObject):
    happened = Signal()

def lost(singleton, call):
    before = sys.getrefcount(singleton)
    for _ in range({CALLS}):
        call()
        if before - sys.getrefcount(singleton) > {TOLERATED}:
            break
    return before - sys.getrefcount(singleton)

application = QApplication([])
label, source = QLabel(), Source()
calls = {{"setText": lambda: label.setText("a"), "emit": source.happened.emit}}
figures = {{
    f"{{name}} {{singleton}}": lost(singleton, call) for name, call in calls.items() for singleton in (None, True)
}}
print(json.dumps(figures), flush=True)
os._exit(0)
"""


@pytest.mark.skipif(
    sys.version_info >= (3, 12), reason="None and True are immortal from Python 3.12 on: their counts do not move"
)
def test_calls_into_qt_lose_no_reference() -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    ran = subprocess.run([sys.executable, "-c", PROBE], env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    lost = json.loads(ran.stdout)
    assert len(lost) == 4
    assert all(count <= TOLERATED for count in lost.values()), lost
