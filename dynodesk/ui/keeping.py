"""Values that are on the disk a moment after they changed, and that the window never waits for."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Slot

from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.progress import Ticket
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.shell import SavedSettings

log = logging.getLogger(__name__)


class Keeper(QObject):
    """Saves what `collect` gives, in jobs, one at a time; of several changes the last counts."""

    def __init__(
        self,
        collect: Callable[[], dict[str, object]],
        store: SavedSettings,
        runner: JobRunner,
        parent: QObject,
        *,
        every: int = 0,
        encode: Callable[[dict[str, object]], dict[str, object]] = dict,
    ) -> None:
        """`encode`, in the background, makes values of JSON of what is collected, where they are none yet. `every`:
        milliseconds between looks whether something changed; 0: `look` is called where it did.
        """
        super().__init__(parent)
        self._collect, self._store, self._runner = collect, store, runner
        self._saved: dict[str, object] | None = None
        """What is on the disk."""
        self._going: dict[str, object] | None = None
        """What is on its way there."""
        self._refused: dict[str, object] | None = None
        """What could not be saved: it is tried again once something has changed, and at the end."""
        self._again = False
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.look)
        self._every, self._encode = every, encode
        if (application := QCoreApplication.instance()) is not None:
            application.aboutToQuit.connect(self.flush)

    def begin(self, saved: dict[str, object]) -> None:
        """From here on; `saved` is what the store holds already, as it would be collected."""
        self._saved = saved
        if self._every:
            self._timer.start(self._every)

    @property
    def is_saved(self) -> bool:
        """Whether nothing is on its way to the disk."""
        return self._going is None

    @Slot()
    def look(self) -> None:
        """Save what there is now, if it is not saved yet."""
        if self._saved is None:
            return
        if self._going is not None:
            self._again = True
            return
        values = self._collect()
        if values in (self._saved, self._refused):
            return
        self._going = values
        work = partial(_save, self._store, self._encode, values)
        job = self._runner.start(work, title="Keep the session", done=self._done, failed=self._failed, quiet=True)
        job.cancelled.connect(self._ended)

    @Slot()
    def flush(self) -> None:
        """At the end of the program, on this thread."""
        self._timer.stop()
        values = self._collect()
        if self._saved is not None and (values != self._saved or self._going is not None):
            try:
                self._store.save(self._encode(values))
            except DynodeskError as error:
                log.warning("The session was not kept: %s", error)  # the window closes: nobody would read a message

    @Slot(object)
    def _done(self, _result: object) -> None:
        self._saved, self._refused = self._going, None
        self._ended()

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self._refused = self._going
        self._runner.error_raised.emit(error)
        self._ended()

    @Slot()
    def _ended(self) -> None:
        self._going = None
        if self._again:
            self._again = False
            self.look()


def _save(
    store: SavedSettings,
    encode: Callable[[dict[str, object]], dict[str, object]],
    values: dict[str, object],
    _ticket: Ticket,
) -> None:
    store.save(encode(values))
