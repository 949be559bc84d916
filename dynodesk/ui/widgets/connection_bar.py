"""The bar that says, across the window, which connection the current tab works on."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from dynodesk.domain.profiles import Stage
from dynodesk.ui.shell import Workspace
from dynodesk.ui.theme import Glyph, Text, metrics
from dynodesk.ui.widgets.layouts import Area, Content, area, row
from dynodesk.ui.widgets.lines import Line
from dynodesk.ui.widgets.marks import Chip

#: stage -> (word, icon, filled ground, ink)
STAGES: dict[Stage, tuple[str, str, str, str]] = {
    "production": ("PRODUCTION", "shield", "danger_fill", "text2"),
    "staging": ("STAGING", "server", "", "warn"),
    "dev": ("DEV", "server", "", "text2"),
    "sandbox": ("SANDBOX", "beaker", "", "text2"),
}


def connection_bar(workspace: Workspace) -> Area:
    """Production colours the whole bar; the word is always there, so nobody depends on the colour."""
    profile = workspace.profile
    word, glyph, solid, ink = STAGES[profile.stage]
    items: list[Content] = [Chip(word, glyph, solid, ink), Text(profile.name, weight="semibold")]
    if profile.kind == "sandbox":
        items.append(Text("on this computer, no account", "muted"))
    else:
        address = workspace.endpoint if profile.kind == "endpoint" else ""
        items += [Text(part, "text2", mono=True) for part in (address, workspace.region) if part]
        if workspace.identity:
            items.append(Line(workspace.identity, "muted", stretch=False))
    items.append(None)
    if profile.read_only and profile.kind != "sandbox":
        items += [Glyph("lock", "danger" if profile.stage == "production" else "text2"), Text("Read-only", "text2")]
    ground = "danger_soft" if profile.stage == "production" else "window"
    bar = area(row(*items, gap=2.5, margins=(3, 0, 3, 0)), ground, "b", metrics().bar + 4)
    bar.setAccessibleName(f"Connection {profile.name}, {word}")
    return bar


class ConnectionBarSlot(QWidget):
    """Holds the bar of the current tab's connection, or nothing."""

    def __init__(self) -> None:
        super().__init__()
        self._bar: Area | None = None
        self.setLayout(row(gap=0))
        self.hide()

    def show_connection(self, workspace: Workspace | None) -> None:
        if self._bar is not None:
            self._bar.hide()
            self._bar.deleteLater()
            self._bar = None
        if workspace is not None:
            self._bar = connection_bar(workspace)
            layout = self.layout()
            if layout is not None:
                layout.addWidget(self._bar)
            self._bar.show()  # at once: a layout shows it one turn later, which flickers
        self.setVisible(workspace is not None)
