"""Who may write through the open connections, as the window sees it: allowed, ended, and ended by itself."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from dynodesk.domain.access import IDLE_SECONDS
from dynodesk.domain.profiles import Profile
from dynodesk.ui import actions as act
from dynodesk.ui.messages import MessageBar
from dynodesk.ui.sessions import Sessions
from dynodesk.ui.shell import Workspace

LOOK_EVERY = 1000  # milliseconds


class AccessDesk(QObject):
    """The two actions, for the connection in use; and what ends by itself is said."""

    changed = Signal()
    """What a connection may do, or how long it may, is not what it was a second ago."""

    def __init__(
        self,
        sessions: Sessions,
        in_use: Callable[[], Workspace | None],
        ask_change: Callable[[Profile], object],
        messages: MessageBar,
        window: QWidget,
    ) -> None:
        """`in_use` is the connection that the actions are about; `ask_change` opens the settings of one."""
        super().__init__(window)
        self._sessions, self._in_use, self._ask_change, self._messages = sessions, in_use, ask_change, messages
        self._window = window
        self.allow_action = act.make(act.ALLOW_WRITES, window, self._ask)
        self.end_action = act.make(act.END_WRITES, window, self._end)
        self._writing: set[str] = set()
        """Connections at which writing was allowed when it was last looked."""
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_EVERY)
        self._timer.timeout.connect(self._look)
        sessions.opened.connect(self._follow)
        sessions.closed.connect(self._forget)

    def update(self) -> None:
        """Enables what can be done with the connection in use, and says of the rest why it cannot."""
        workspace = self._in_use()
        access = None if workspace is None else workspace.access
        can_end = access is not None and access.is_for_asking and access.may_write
        may_ask = access is not None and not access.may_write
        why_not = "Open a connection first." if access is None else "It may write already." if not may_ask else ""
        only_asks = access is not None and access.setting_refusal
        self.allow_action.setEnabled(may_ask)
        self.allow_action.setToolTip(
            why_not or ("It is set to read only: its settings open, where it is let write." if only_asks else "")
            or act.ALLOW_WRITES.tip
        )  # fmt: skip
        self.end_action.setEnabled(can_end)

    def _ask(self) -> None:
        workspace = self._in_use()
        if workspace is None:
            return
        if workspace.access.setting_refusal:
            self._ask_change(workspace.profile)
            return
        from dynodesk.ui.dialogs.allow_writes import AllowWritesDialog  # noqa: PLC0415  (not needed at the start)

        AllowWritesDialog(workspace.access, self._window).open()

    def _end(self) -> None:
        workspace = self._in_use()
        if workspace is not None:
            workspace.access.withdraw()
            self._writing.discard(self._sessions.key_of(workspace) or "")
            self._look()

    def _asking(self, key: str) -> Workspace | None:
        """The connection, if it may write only while that is allowed."""
        workspace = self._sessions.workspace(key)
        return workspace if workspace is not None and workspace.access.is_for_asking else None

    @Slot(str)
    def _follow(self, key: str) -> None:
        workspace = self._asking(key)
        if workspace is not None:
            workspace.access.when_allowed = self._look  # whichever dialog it was allowed in
            self._timer.start()

    @Slot(str)
    def _forget(self, key: str) -> None:
        self._writing.discard(key)

    @Slot()
    def _look(self) -> None:
        keys = self._sessions.keys()
        asking = {key: one for key in keys if (one := self._asking(key)) is not None}
        if not asking:
            self._timer.stop()
        writing = {key for key, workspace in asking.items() if workspace.access.may_write}
        for key in (self._writing & asking.keys()) - writing:  # one that was closed has not become read-only
            name = asking[key].profile.name
            self._messages.notice(
                f"{name} is read-only again",
                f"Nothing was asked of it for {IDLE_SECONDS // 60} minutes. What is staged stays staged.",
            )
        self._writing = writing
        self.changed.emit()
