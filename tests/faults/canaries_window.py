"""The window with planted secrets, in a process of its own: typed keys, faults that quote them, faults of ours."""

from __future__ import annotations

import sys
import threading
from functools import partial
from unittest.mock import patch

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from dynodesk import gui
from dynodesk.cli.main import main as program
from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.profiles import Credentials, Profile, check_endpoint, new_profile_id
from dynodesk.domain.progress import Ticket
from dynodesk.ui import actions as act
from dynodesk.ui.main_window import MainWindow
from dynodesk.ui.models.table_tree import Place
from dynodesk.wiring import Connections
from tests.faults.canaries import KEY, SECRETS, TABLE, VALUE, spelled
from tests.faults.monkey import Monkey, StaysOpen


def show_address() -> None:
    """What is said of an address with a password in it, which no command line may hold."""
    try:
        check_endpoint(f"http://someone:{SECRETS['password in an address']}@127.0.0.1:1")
    except DynodeskError as refused:
        sys.stdout.write(f"{refused} {refused.hint} {refused.details}\n")


def use_window(url: str, seconds: float) -> None:
    connections = Connections()
    number = new_profile_id()
    profile = Profile(
        id=number, secret=number, name="planted", kind="endpoint", credentials="keys", endpoint_url=url,
        region="us-east-1", stage="dev", read_only=False,
    )  # fmt: skip
    typed = Credentials("AKIAIOSFODNN7EXAMPLE", SECRETS["typed secret key"], SECRETS["typed session token"])
    saved = connections.save(profile, typed)

    class Planted(MainWindow):
        def start(self) -> None:  # called right after the first paint
            super().start()
            self._stays = StaysOpen(self)
            QTimer.singleShot(200, self, self._open_connection)
            QTimer.singleShot(1_500, self, self._open_planted)
            QTimer.singleShot(2_500, self, self._use_it)
            QTimer.singleShot(round(seconds * 1000), self, self._end_it)

        def _open_connection(self) -> None:
            self.desk.open(saved.id)

        def _open_planted(self) -> None:
            self.opener.open_place(Place("table", saved.id, TABLE))
            self.action(act.DIAGNOSTICS).trigger()

        def _use_it(self) -> None:
            while (modal := QApplication.activeModalWidget()) is not None:
                modal.close()
            self._monkey = Monkey(self, 5, [saved.id])
            for number, secret in enumerate(SECRETS.values()):
                QTimer.singleShot(100 * number, self, partial(_fail, secret))
                self.runner.start(partial(_fail, secret), title="fail", done=_nothing)
                thread = threading.Thread(target=_fail, args=(secret,))
                thread.start()
                thread.join()

        def _end_it(self) -> None:
            self._monkey.stop()
            while (modal := QApplication.activeModalWidget()) is not None:
                modal.hide()
            self._stays.is_let_go = True
            self.close()

    with patch.object(gui, "Connections", lambda: connections), patch.object(gui, "MainWindow", Planted):
        program([])


def _fail(secret: str, _ticket: Ticket | None = None) -> None:
    """With the secret, a value and a key in arguments, in words and in local variables."""
    every = spelled(secret)
    raise RuntimeError(secret, every, {"value": VALUE, "key": KEY}, *every)


def _nothing(_result: None) -> None:
    """It never comes to this."""


if __name__ == "__main__":
    if sys.argv[1] == "--address":
        show_address()
    else:
        use_window(sys.argv[2], float(sys.argv[3]))
