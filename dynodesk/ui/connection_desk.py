"""Between the open connections and their list at the left: what is saved, opened, listed, closed, forgotten."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.profiles import Profile
from dynodesk.domain.progress import Ticket
from dynodesk.ui.asking import Asker, Question
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.sessions import Description, Sessions
from dynodesk.ui.shell import SANDBOX, Connect, Connections
from dynodesk.ui.widgets.navigator import Navigator


class ConnectionDesk(QObject):
    """Keeps the navigator true, and carries out what is asked of the connection selected in it."""

    changed = Signal()
    """A connection was added, opened, closed or forgotten, or an attempt ended."""
    failed = Signal(object)
    loaded = Signal()
    """The saved connections are known."""

    def __init__(
        self,
        connections: Connections,
        sessions: Sessions,
        navigator: Navigator,
        runner: JobRunner,
        asker: Asker,
        connect: Connect,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._connections, self._sessions, self._navigator = connections, sessions, navigator
        self._unfinished: Callable[[str], str] = _nothing_unfinished
        self._runner, self._asker, self._connect = runner, asker, connect
        self._profiles: dict[str, Profile] = {}
        sessions.opening.connect(self._opening)
        sessions.opened.connect(self._opened)
        sessions.not_opened.connect(self._not_opened)
        sessions.closed.connect(self._closed)
        sessions.listed.connect(self._listed)
        sessions.not_listed.connect(self._not_listed)
        sessions.described.connect(self._described)

    def ask_pages(self, unfinished: Callable[[str], str]) -> None:
        """`unfinished` says what would be lost with the pages of a connection, in a sentence; "": nothing."""
        self._unfinished = unfinished

    def load(self) -> None:
        """Reads what is saved, in a job."""
        self._runner.start(partial(_saved, self._connections), title="Read saved connections", done=self._loaded)

    def _loaded(self, profiles: tuple[Profile, ...]) -> None:
        self._show(profiles)
        self.loaded.emit()

    @property
    def has_any(self) -> bool:
        """Whether there is anything to list besides a sandbox nobody has opened."""
        return bool(self._profiles) or bool(self._sessions.keys())

    @property
    def selected(self) -> str | None:
        place = self._navigator.current
        return None if place is None else place.connection

    @property
    def selected_is_open(self) -> bool:
        return self._sessions.workspace(self.selected or "") is not None

    @property
    def can_sign_in(self) -> bool:
        """Made-up keys are never renewed."""
        workspace = self._sessions.workspace(self.selected or "")
        return workspace is not None and workspace.profile.credentials != "dummy"

    @property
    def selected_profile(self) -> Profile | None:
        """The saved connection selected; None for the sandbox."""
        return self._profiles.get(self.selected or "")

    @property
    def can_change(self) -> bool:
        """Not while it is being opened: what opens then would be the connection as it was."""
        profile = self.selected_profile
        return profile is not None and not self._sessions.is_opening(profile.id)

    # -- what is asked

    def ask_aws(self) -> None:
        self._connect("aws", self._open_new)

    def ask_endpoint(self) -> None:
        self._connect("endpoint", self._open_new)

    def ask_change(self) -> None:
        profile = self.selected_profile
        if profile is not None:
            self.ask_change_of(profile)

    def ask_change_of(self, profile: Profile) -> None:
        if self._sessions.is_opening(profile.id):
            return
        lost = self._unfinished(profile.id)
        if lost:
            question = Question("Change the connection", lost, "Change", danger=True)
            self._asker.confirm(question, partial(self._change, profile))
        else:
            self._change(profile)

    def _change(self, profile: Profile) -> None:
        self._connect(profile.kind, self._open_changed, change=profile)

    def open(self, key: str) -> bool:
        """False where no connection has this id."""
        if key == SANDBOX:
            self._sessions.open_sandbox()
        elif key in self._profiles:
            self._sessions.open(self._profiles[key])
        return key == SANDBOX or key in self._profiles

    def refresh_selected(self) -> None:
        self._sessions.refresh(self.selected or "")

    def sign_in_selected(self) -> None:
        self._sessions.sign_in_again(self.selected or "")

    def close_selected(self) -> None:
        key = self.selected or ""
        lost = self._unfinished(key)
        if lost:
            question = Question("Close the connection", lost, "Close", danger=True)
            self._asker.confirm(question, partial(self._sessions.close, key))
        else:
            self._sessions.close(key)

    def ask_forget(self) -> None:
        profile = self.selected_profile
        if profile is not None:
            question = Question(
                f"Forget {profile.name}",
                f"{profile.name}, its keys, its queries and what is staged at it will be removed from this computer. "
                f"No table is touched. {self._unfinished(profile.id)}".rstrip(),
                "Forget",
                danger=True,
            )
            self._asker.confirm(question, partial(self._forget, profile))

    def _forget(self, profile: Profile) -> None:
        self._sessions.close(profile.id)
        work = partial(_forget, self._connections, profile)
        self._runner.start(work, title=f"Forget {profile.name}", done=self._forgotten)

    def _forgotten(self, profile: Profile) -> None:
        del self._profiles[profile.id]
        self._navigator.remove_connection(profile.id)
        self.changed.emit()

    @Slot(object)
    def take(self, profiles: tuple[Profile, ...]) -> None:
        """They were saved by somebody else than the dialog."""
        self._show(profiles)

    def _open_changed(self, profile: Profile) -> None:
        self._sessions.close(profile.id)
        self._open_new(profile)

    def _open_new(self, profile: Profile) -> None:
        self._show((profile,))
        self._sessions.open(profile)

    def _show(self, profiles: tuple[Profile, ...]) -> None:
        self._profiles |= {profile.id: profile for profile in profiles}
        self._navigator.set_profiles(profiles)
        self.changed.emit()

    # -- what happened

    @Slot(str)
    def _opening(self, key: str) -> None:
        self._navigator.set_state(key, "opening…")
        self.changed.emit()

    @Slot(str)
    def _opened(self, key: str) -> None:
        self._navigator.set_state(key, "")
        self.changed.emit()

    @Slot(str, object)
    def _not_opened(self, key: str, error: BaseException | None) -> None:
        self._navigator.set_state(key, "" if error is None else "failed")
        self.changed.emit()
        if error is not None:
            self.failed.emit(error)

    @Slot(str)
    def _closed(self, key: str) -> None:
        self._navigator.clear_tables(key)
        self._navigator.set_state(key, "")
        self.changed.emit()

    @Slot(str, object)
    def _listed(self, key: str, names: tuple[str, ...]) -> None:
        self._navigator.set_tables(key, names)

    @Slot(str, object, object)
    def _not_listed(self, key: str, names: tuple[str, ...], error: DynodeskError) -> None:
        self._navigator.set_not_listed(key, names, error.message)

    @Slot(str, object)
    def _described(self, key: str, found: dict[str, Description]) -> None:
        self._navigator.set_descriptions(key, found)


def _saved(connections: Connections, _ticket: Ticket) -> tuple[Profile, ...]:
    return connections.saved()


def _forget(connections: Connections, profile: Profile, _ticket: Ticket) -> Profile:
    connections.forget(profile)
    return profile


def _nothing_unfinished(_key: str) -> str:
    return ""
