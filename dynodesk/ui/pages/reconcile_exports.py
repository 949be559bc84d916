"""The menu that writes a run's report as a file."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QMenu, QWidget

from dynodesk.domain.findings import Report
from dynodesk.reports.writers import FORMATS
from dynodesk.ui.actions import Action, make
from dynodesk.ui.asking import Asker
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.messages import MessageBar
from dynodesk.ui.pages import reconcile_work as work


class ReportExports(QMenu):
    """One action for each form; they are the page's own, so that the Run menu and the finder have them too."""

    def __init__(self, page: QWidget, runner: JobRunner, asker: Asker, messages: MessageBar) -> None:
        super().__init__(page)
        self._runner, self._asker, self._messages = runner, asker, messages
        self._report: Report | None = None
        self._name = ""
        for form, name in FORMATS.items():
            export = Action(f"export-{form}", f"{name}…", f"Write the whole report as {name}.", "", "export")
            self.addAction(make(export, page, partial(self._export, form)))
        self.set_report(None, "")

    def set_report(self, report: Report | None, name: str) -> None:
        """`name` is the rules file's, without its ending."""
        self._report, self._name = report, name
        for action in self.actions():
            action.setEnabled(report is not None)

    def _export(self, form: str) -> None:
        if self._report is not None:
            started = self._report.started[:16].replace(":", "")
            filters = (f"{FORMATS[form]} (*.{form})",)
            suggested = f"{self._name}-{started}.{form}"
            self._asker.save_file("Export the report", filters, suggested, partial(self._write, self._report, form))

    def _write(self, report: Report, form: str, path: Path) -> None:
        self._runner.start(
            partial(work.write_report, report, path, form),
            title=f"Write {path.name}",
            done=self._written,
            failed=self._messages.show_error,
        )

    @Slot(object)
    def _written(self, path: Path) -> None:
        self._messages.notice("Report written", str(path))
