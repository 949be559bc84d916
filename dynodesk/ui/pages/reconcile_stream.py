"""A run on the thread that works, and its findings on their way to the window."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from dynodesk.domain.capacity import Meter
from dynodesk.domain.findings import Finding, Report
from dynodesk.domain.progress import Ticket
from dynodesk.ui.pages import reconcile_work as work
from dynodesk.ui.pages.reconcile_rows import FindingRow, finding_row
from dynodesk.ui.shell import Workspace


class FindingStream(QObject):
    """Takes findings on the thread that finds them and hands their rows over on the thread it was made on.

    However fast they come, they are handed over ten times a second: nobody reads faster, and the window has other
    things to do.
    """

    EVERY = 100
    """Milliseconds."""
    arrived = Signal(object)
    """A tuple of `FindingRow`."""
    _wake = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._lock = threading.Lock()
        self._waiting: list[FindingRow] = []
        self._rows: dict[int, FindingRow] = {}
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(self.EVERY)
        self._pause.timeout.connect(self._deliver)
        self._wake.connect(self._pause.start, Qt.ConnectionType.QueuedConnection)

    def take(self, finding: Finding) -> None:
        row = finding_row(finding)
        with self._lock:
            wake = not self._waiting
            self._waiting.append(row)
            self._rows[id(finding)] = row
        if wake:
            self._wake.emit()

    def all_in_order(self, findings: Sequence[Finding]) -> list[FindingRow]:
        """The rows of all findings that were taken, in the order given. They are not handed over any more."""
        with self._lock:
            self._waiting = []
            return [self._rows[id(finding)] for finding in findings]

    @Slot()
    def _deliver(self) -> None:
        with self._lock:
            rows, self._waiting = tuple(self._waiting), []
        if rows:
            self.arrived.emit(rows)


def run_with_rows(
    loaded: work.LoadedRules,
    wish: work.Wish,
    workspace: Workspace,
    meter: Meter,
    stream: FindingStream,
    ticket: Ticket,
) -> tuple[Report, list[FindingRow]]:
    """On the worker's thread: the report, and its rows in the report's order."""
    report = work.run_rules(loaded, wish, workspace, meter, stream.take, ticket)
    return report, stream.all_in_order(report.findings)
