"""The load that runs on the SQL page: at most one, which can be paused, stopped and taken up again."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from dynodesk.domain.capacity import Meter
from dynodesk.domain.pacing import Limits
from dynodesk.domain.progress import Progress
from dynodesk.domain.reading import units_text
from dynodesk.ui.jobs import Job, JobRunner
from dynodesk.ui.pages import sql_work as work
from dynodesk.ui.pages.sql_sets import SetsPanel
from dynodesk.ui.pages.sql_work import AgainWish, FileWish, Stock, Wish
from dynodesk.ui.shell import Workspace

if TYPE_CHECKING:
    from dynodesk.workbench.sets import LoadedSet


class Loads(QObject):
    """Shows its progress on the panel of the sets, whose buttons it heeds."""

    loaded = Signal(str, object)
    """The name of the set, and the `Stock` with it: also where it was stopped."""
    failed = Signal(object)
    changed = Signal()
    """A load has begun or ended."""

    def __init__(self, workspace: Workspace, runner: JobRunner, panel: SetsPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace, self._runner, self._panel = workspace, runner, panel
        self._job: Job | None = None
        self._meter = Meter()
        self._done = self._waits = ""
        self._limits: dict[str, Limits] = {}  # by the name of the set: what is taken up keeps to them again
        panel.pause_asked.connect(self.pause_or_go_on)
        panel.stop_asked.connect(self.stop)

    @property
    def job(self) -> Job | None:
        return self._job

    def start(self, wish: Wish, name: str) -> None:
        self._meter = Meter(self._workspace.meter)
        self._done = self._waits = ""
        if not isinstance(wish, FileWish):
            self._limits[name] = wish.limits
        self._job = job = self._runner.start(
            partial(work.load_wish, self._workspace, wish, name, self._meter),
            title=f"Load {name}",
            done=partial(self._loaded, name),
            failed=self._not_loaded,
        )
        job.progressed.connect(self._progressed)
        job.cancelled.connect(self._end)
        self.destroyed.connect(job.cancel)
        self._panel.show_progress(f"Loading {name}…")
        self.changed.emit()

    def go_on(self, loaded: LoadedSet) -> None:
        """Take a load up again, within the limits that it had on this page."""
        self.start(AgainWish(loaded, self._limits.get(loaded.name, Limits())), loaded.name)

    @Slot()
    def pause_or_go_on(self) -> None:
        if self._job is not None and not self._job.stopping:
            (self._job.resume if self._job.paused else self._job.pause)()
            self._show()

    @Slot()
    def stop(self) -> None:
        if self._job is not None:
            self._job.cancel()
            self._show()

    @Slot(object)
    def _progressed(self, progress: Progress) -> None:
        if progress.is_waiting:
            self._waits = progress.note
        else:
            parts = [f"{progress.done:,} items"]
            if self._meter.calls:
                parts[0] += f" in {work.pages_words(self._meter.calls)}"
                parts.append(f"{units_text(self._meter.total)} RCU")
            throttles = self._meter.retries.get("throttled", 0)
            if throttles:
                parts.append(f"throttled {throttles:,} time{'' if throttles == 1 else 's'}")
            self._done, self._waits = ", ".join(parts), ""
        self._show()

    def _show(self) -> None:
        job = self._job
        if job is None:
            return
        state = "Stopping…" if job.stopping else "Paused" if job.paused else self._waits
        words = " · ".join(part for part in (self._done, state) if part)
        self._panel.show_progress(f"{job.title}: {words}", paused=job.paused)

    def _loaded(self, name: str, stock: Stock) -> None:
        self._end()
        self.loaded.emit(name, stock)

    @Slot(object)
    def _not_loaded(self, error: BaseException) -> None:
        self._end()
        self.failed.emit(error)

    @Slot()
    def _end(self) -> None:
        self._job = None
        self._panel.show_progress("")
        self.changed.emit()
