"""The queries that are kept for a connection: shown at once, written one change after the other in the background."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from dynodesk.domain.progress import Ticket
from dynodesk.domain.queries import KeptQuery, Queries, Query, now
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.shell import KeptQueries

Change = Callable[[Queries], Queries]


@dataclass(frozen=True, slots=True)
class _Work:
    title: str
    run: Callable[[], Queries]


class QueryShelf(QObject):
    """One for a connection, shared by its pages. What cannot be written holds until the program ends."""

    changed = Signal()

    def __init__(self, store: KeptQueries, runner: JobRunner, parent: QObject) -> None:
        super().__init__(parent)
        self._store, self._runner = store, runner
        self._queries = Queries()
        self._waiting: deque[_Work] = deque()
        self._is_working = False
        self._enqueue("Read the kept queries", store.load)

    @property
    def queries(self) -> Queries:
        return self._queries

    @property
    def notice(self) -> str:
        """What the person should know about the file; "" when all is well."""
        return self._store.notice

    @property
    def is_writing(self) -> bool:
        """Whether something is still to be read or written."""
        return self._is_working or bool(self._waiting)

    def remember(self, query: Query) -> None:
        """Add a query that was run to the history, or move it to its top."""
        time = now()
        if self._queries.keeps:
            self._change("Keep the query", lambda queries: queries.with_run(query, time))

    def save(self, query: Query, name: str) -> None:
        """Raises `InvalidRequest` for a name that is none, or is taken."""
        time = now()
        self._change("Save the query", lambda queries: queries.with_saved(query, name, time))

    def rename(self, kept: KeptQuery, name: str) -> None:
        """Raises as `save` does."""
        self._change("Rename the query", lambda queries: queries.with_name(kept, name))

    def remove(self, kept: KeptQuery) -> None:
        self._change("Remove the query", lambda queries: queries.without(kept))

    def set_keeping(self, keeps: bool) -> None:
        self._change("Keep a history or not", lambda queries: replace(queries, keeps=keeps))

    def clear_history(self) -> None:
        self._show(replace(self._queries, history=()))
        self._enqueue("Clear the history", self._store.clear_history)

    def _change(self, title: str, change: Change) -> None:
        self._show(change(self._queries))
        self._enqueue(title, partial(self._store.change, change))

    def _show(self, queries: Queries) -> None:
        self._queries = queries
        self.changed.emit()

    # -- in the background, one after the other

    def _enqueue(self, title: str, run: Callable[[], Queries]) -> None:
        self._waiting.append(_Work(title, run))
        self._work_on()

    def _work_on(self) -> None:
        if self._is_working or not self._waiting:
            return
        self._is_working = True
        work = self._waiting.popleft()
        job = self._runner.start(partial(_run, work), title=work.title, done=self._done)
        job.ended.connect(self._ended)

    @Slot(object)
    def _done(self, stored: Queries) -> None:
        """What another running program has kept comes in with it, unless something else is still to be written."""
        if not self._waiting:
            self._show(stored)

    @Slot()
    def _ended(self) -> None:
        self._is_working = False
        self._work_on()


def _run(work: _Work, _ticket: Ticket) -> Queries:
    return work.run()
