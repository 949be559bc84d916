"""Asks whether a connection that is set to write may do so now; at production, by its name."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QWidget

from dynodesk.domain.access import IDLE_SECONDS, Access
from dynodesk.domain.cells import visible
from dynodesk.ui.dialogs.approval import Approval
from dynodesk.ui.theme import Text, metrics, px
from dynodesk.ui.widgets.connection_bar import STAGES
from dynodesk.ui.widgets.controls import button
from dynodesk.ui.widgets.layouts import area, column, fit_content, row
from dynodesk.ui.widgets.marks import Chip

SAYS = (
    f"Writing ends once the connection has been idle for {IDLE_SECONDS // 60} minutes, or with Read-only again. "
    "Each write still shows its exact request first, and is in the journal."
)


class AllowWritesDialog(QDialog):
    """Show it with `open`."""

    allowed = Signal()
    """Writing is allowed now. The dialog is closed by then."""

    def __init__(self, access: Access, window: QWidget | None = None) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        profile = access.profile
        self._access = access
        title = f"Allow writes at {visible(profile.name)}"
        self.setWindowTitle(title)
        word, glyph, solid, ink = STAGES[profile.stage]
        heading = row(Text(title, size="title", weight="semibold"), None, Chip(word, glyph, solid, ink))
        where = [Text(visible(part), "muted", mono=True, wrap=True) for part in access.where.split(" · ")]
        says = Text(SAYS, "text2", wrap=True)
        head = area(column(heading, says, column(*where, gap=0.5), gap=2, margins=(5, 4, 5, 3.5)), "window")
        self.approval = Approval([profile.name], is_production=True, what="connection")
        self._is_named = profile.stage == "production"
        self.approval.setVisible(self._is_named)
        self.cancel_button = button("Cancel", keys="Esc")
        self.allow_button = button("Allow writes", "edit", tone="danger" if self._is_named else "")
        foot = row(None, self.cancel_button, self.allow_button, gap=2, margins=(5, 0, 5, 0))
        self.setLayout(
            column(head, self.approval, area(foot, "window", "t", metrics().control + 6 * metrics().unit), gap=0)
        )
        fit_content(self, px(620))
        self.approval.changed.connect(self._show_state)
        self.cancel_button.clicked.connect(self.reject)
        self.allow_button.clicked.connect(self._allow)
        self._show_state()
        self.cancel_button.setDefault(not self._is_named)  # where nothing is typed first, Enter allows nothing
        (self.approval.field if self._is_named else self.cancel_button).setFocus()

    @Slot()
    def _show_state(self) -> None:
        is_ready = not self._is_named or bool(self.approval.approved)
        self.allow_button.setEnabled(is_ready)
        self.allow_button.setDefault(self._is_named and is_ready)

    @Slot()
    def _allow(self) -> None:
        self._access.allow()
        self.accept()
        self.allowed.emit()


def allow_buttons(access: Access, dialog: QWidget, allowed: Callable[[], object]) -> list[QWidget]:
    """What leads on from `Access.refusal` in a dialog: a button that asks, where asking helps. `allowed` is a bound
    method of the dialog."""
    if not access.is_for_asking:
        return []
    made = button("Allow writes…", "edit")

    def ask() -> None:
        asking = AllowWritesDialog(access, dialog)
        asking.allowed.connect(allowed)
        asking.open()

    made.clicked.connect(ask)
    return [made]
