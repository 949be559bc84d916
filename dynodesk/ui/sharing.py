"""Connections into a file for others, and out of one of theirs."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from dynodesk.domain.cells import visible
from dynodesk.domain.profiles import Profile
from dynodesk.domain.progress import Ticket
from dynodesk.domain.shared_profiles import Shared
from dynodesk.ui import actions as act
from dynodesk.ui.asking import Asker, Question
from dynodesk.ui.connection_desk import ConnectionDesk
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.messages import MessageBar
from dynodesk.ui.shell import Connections

FILES = ("Connections (*.json)",)


class Sharing(QObject):
    """The two actions of the frame. Nothing secret is written, and nothing is taken over unasked."""

    def __init__(
        self,
        connections: Connections,
        desk: ConnectionDesk,
        runner: JobRunner,
        asker: Asker,
        messages: MessageBar,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._connections, self._desk, self._runner = connections, desk, runner
        self._asker, self._messages = asker, messages
        self.export_action = act.make(act.EXPORT_CONNECTIONS, window, self._ask_where)
        self.import_action = act.make(act.IMPORT_CONNECTIONS, window, self._ask_which)

    def _ask_where(self) -> None:
        self._asker.save_file("Export connections", FILES, "connections.json", self._export)

    def _export(self, path: Path) -> None:
        work = partial(_export, self._connections, path)
        self._runner.start(work, title=f"Write {path.name}", done=self._exported)

    def _exported(self, count: int) -> None:
        words = f"{count} {'connection' if count == 1 else 'connections'} exported"
        self._messages.notice(words, "Keys are not in the file: whoever uses it types their own.")

    def _ask_which(self) -> None:
        self._asker.open_file("Import connections", FILES, self._read)

    def _read(self, path: Path) -> None:
        work = partial(_read, self._connections, path)
        self._runner.start(work, title=f"Read {path.name}", done=self._ask)

    def _ask(self, shared: Shared) -> None:
        if not shared.profiles:
            self._messages.notice("No connection imported", " ".join(shared.notices) or "The file has none.", "warning")
            return
        names = ", ".join(visible(profile.title) for profile in shared.profiles)
        lines = [f"They only read until that is changed: {names}."]
        if shared.renamed:
            pairs = ", ".join(f"{visible(given)} becomes {visible(name)}" for given, name in shared.renamed)
            lines.append(f"Names that are taken: {pairs}.")
        lines += shared.notices
        count = len(shared.profiles)
        title = f"Import {count} {'connection' if count == 1 else 'connections'}"
        self._asker.confirm(Question(title, "\n\n".join(lines), "Import"), partial(self._take, shared))

    def _take(self, shared: Shared) -> None:
        work = partial(_save, self._connections, shared.profiles)
        self._runner.start(work, title="Save the connections", done=self._desk.take)


def _export(connections: Connections, path: Path, ticket: Ticket) -> int:
    from dynodesk.store.shared_profiles import write_shared_file  # noqa: PLC0415  (seldom asked for)

    ticket.checkpoint()
    saved = connections.saved()
    write_shared_file(path, saved)
    return len(saved)


def _read(connections: Connections, path: Path, ticket: Ticket) -> Shared:
    from dynodesk.store.shared_profiles import read_shared_file  # noqa: PLC0415  (seldom asked for)

    ticket.checkpoint()
    return read_shared_file(path, connections.saved())


def _save(connections: Connections, profiles: tuple[Profile, ...], ticket: Ticket) -> tuple[Profile, ...]:
    ticket.checkpoint()
    return tuple(connections.save(profile) for profile in profiles)
