"""The bar that says, across the window, which connection the current tab works on, and whether it may write."""

from __future__ import annotations

import time

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QSizePolicy, QWidget

from dynodesk.domain.access import Access
from dynodesk.domain.cells import visible
from dynodesk.domain.past_runs import account_of
from dynodesk.domain.profiles import Stage
from dynodesk.domain.unused_endpoints import UnusedEndpoint
from dynodesk.ui.actions import button_for
from dynodesk.ui.shell import Workspace
from dynodesk.ui.theme import Glyph, Text, metrics, px
from dynodesk.ui.widgets.layouts import Area, Content, row
from dynodesk.ui.widgets.lines import Line
from dynodesk.ui.widgets.marks import Chip
from dynodesk.ui.widgets.tips import plain_tip

ACCOUNT_DIGITS = 12

#: stage -> (word, icon, filled ground, ink)
STAGES: dict[Stage, tuple[str, str, str, str]] = {
    "production": ("PRODUCTION", "shield", "danger_fill", "text2"),
    "staging": ("STAGING", "server", "", "warn"),
    "dev": ("DEV", "server", "", "text2"),
    "sandbox": ("SANDBOX", "beaker", "", "text2"),
}


SEEN_AT_LEAST = 150
"""Pixels of an address, at the usual text size, before the window becomes no narrower."""


def account_words(identity: str) -> str:
    """`1111-2222-3333`, as AWS shows it; "" where nobody is signed in."""
    account = account_of(identity)
    return f"{account[:4]}-{account[4:8]}-{account[8:]}" if len(account) == ACCOUNT_DIGITS else account


def access_words(access: Access) -> str:
    """What may be done now, in a few words."""
    if not access.may_write:
        return "Read-only"
    if access.is_granted_always:
        return "May write"
    ends = time.strftime("%H:%M", time.localtime(time.time() + access.seconds_left))
    return f"Writes allowed, until {ends} if idle"


class ConnectionBar(Area):
    """Production colours the whole bar; the word is always there, so nobody depends on the colour."""

    def __init__(self, workspace: Workspace, actions: tuple[QAction, ...]) -> None:
        """`actions` allow writes and end them: each is seen while it can be taken."""
        profile = workspace.profile
        is_production = profile.stage == "production"
        super().__init__("danger_soft" if is_production else "window", "b")
        word, glyph, solid, ink = STAGES[profile.stage]
        items: list[Content] = [Chip(word, glyph, solid, ink), Text(visible(profile.name), weight="semibold")]
        if profile.kind == "sandbox":
            items.append(Text("on this computer, no account", "muted"))
        else:
            for fact in (account_words(workspace.identity), workspace.region):
                items += [Text(fact, "text2", mono=True)] if fact else []
            if workspace.endpoint:
                host = self._fact(workspace.endpoint.removeprefix("https://"))
                host.setMinimumWidth(min(host.sizeHint().width(), px(SEEN_AT_LEAST)))
                items.append(host)
            if workspace.unused_endpoint is not None:
                items += self._unused(workspace.unused_endpoint)
        who = self._fact(workspace.identity)
        # takes what the others leave: a role's ARN can be longer than all of them
        who.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        items.append(who)
        self._access = workspace.access
        self._lock = Glyph("lock", "danger" if is_production else "text2")
        self._pencil = Glyph("edit", "danger" if is_production else "text2")
        self._says = Text("", "text2")
        self._buttons = [button_for(action, tone="quiet") for action in actions]
        self._permission = QWidget()
        self._permission.setLayout(row(self._lock, self._pencil, self._says, *self._buttons, gap=1.5))
        self._permission.setHidden(profile.kind == "sandbox")
        layout = row(*items, self._permission, gap=2.5, margins=(3, 0, 3, 0))
        layout.setStretch(len(items) - 1, 1)
        self.setLayout(layout)
        self.setFixedHeight(metrics().bar + 4)
        self._name = f"Connection {profile.name}, {word}"
        self.update_access()

    def _fact(self, text: str) -> Line:
        line = Line(visible(text), "muted", mono=True, stretch=False)
        line.setToolTip(visible(text))
        return line

    def _unused(self, endpoint: UnusedEndpoint) -> tuple[QWidget, QWidget]:
        sign, line = Glyph("warning", "warn"), Line(visible(endpoint.title), "warn", stretch=False)
        says = f"{visible(endpoint.words)} To work there, connect to that endpoint by its address."
        for part in (sign, line):
            part.setToolTip(plain_tip(says))
        line.setAccessibleDescription(says)
        return sign, line

    def update_access(self) -> None:
        words = access_words(self._access)
        if words != self._says.text():
            self._says.setText(words)
            self.setAccessibleName(f"{self._name}, {words}")
        self._lock.setVisible(not self._access.may_write)
        self._pencil.setVisible(self._access.may_write)
        for button in self._buttons:
            button.setVisible(button.isEnabled())


class ConnectionBarSlot(QWidget):
    """Holds the bar of the current tab's connection, or nothing."""

    def __init__(self, *actions: QAction) -> None:
        super().__init__()
        self._actions = actions
        self._bar: ConnectionBar | None = None
        self.setLayout(row(gap=0))
        self.hide()

    def show_connection(self, workspace: Workspace | None) -> None:
        if self._bar is not None:
            self._bar.hide()
            self._bar.deleteLater()
            self._bar = None
        if workspace is not None:
            self._bar = ConnectionBar(workspace, self._actions)
            layout = self.layout()
            if layout is not None:
                layout.addWidget(self._bar)
            self._bar.show()  # at once: a layout shows it one turn later, which flickers
        self.setVisible(workspace is not None)

    def update_access(self) -> None:
        """What the connection may do has changed, or what the actions can."""
        if self._bar is not None:
            self._bar.update_access()
