"""The line above a composed request: its kind, where it comes from, and what is done with it."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtGui import QAction, QIcon

from dynodesk.domain.actions import ComposedOperation
from dynodesk.ui.actions import Action, button_for
from dynodesk.ui.theme import Text
from dynodesk.ui.widgets.controls import button, combo
from dynodesk.ui.widgets.layouts import Area, FlowLayout, area, row

RUN = Action("run-request", "Run", "Send the request; before a write you are asked.", "Ctrl+Return", "play")
RECIPE = Action(
    "compose-recipe", "Recipe…", "Fill the request from a recipe that fits the table.", "Ctrl+E", "lightbulb"
)
PASTE = Action(
    "paste-request", "Paste…", "Read a request, a command or code from the clipboard.", "Ctrl+Shift+V", "export"
)
MIRROR = Action("mirror-request", "Mirror", "Compose what takes the request back, in a new tab.", "Ctrl+M", "discard")
REHEARSE = Action(
    "rehearse-request",
    "Rehearse on a copy",
    "Run it first on copies of its items, in the sandbox.",
    "Ctrl+Shift+Return",
    "beaker",
)
KINDS: dict[ComposedOperation, tuple[str, str]] = {
    "PutItem": ("PutItem", "Run PutItem…"),
    "UpdateItem": ("UpdateItem", "Run UpdateItem…"),
    "DeleteItem": ("DeleteItem", "Run DeleteItem…"),
    "GetItem": ("GetItem", "Run GetItem"),
    "TransactWriteItems": ("TransactWriteItems", "Run transaction…"),
    "TransactGetItems": ("TransactGetItems", "Run transaction"),
    "ExecuteStatement": ("PartiQL statement", "Run statement"),
    "ExecuteTransaction": ("PartiQL transaction", "Run transaction"),
}
"""Each kind in the list, and on the button."""
OPERATIONS = tuple(KINDS)


class ComposeBar(Area):
    kind_chosen = Signal(str)
    """A `ComposedOperation`."""

    def __init__(self, run: QAction, rehearse: QAction, *sources: QAction) -> None:
        super().__init__("window", "b")
        self.kind = combo("Kind of the request", 178)
        self.kind.addItems([words for words, _ in KINDS.values()])
        self.kind.setMaxVisibleItems(len(KINDS))
        self.run_button = button_for(run, primary=True)
        self.run_button.setProperty("keys", "Ctrl+Enter")
        self.stop_button = button("Stop", "debug-stop", "Esc")
        self.stop_button.hide()
        kind = area(row(Text("Kind", "text2"), self.kind, gap=1.5))
        made = [button_for(source) for source in sources]
        rehearsal = button_for(rehearse)
        for one in (*made, rehearsal):
            one.setProperty("keys", "")  # there is no room for the keys: they stand in the tips
        for one in made:
            one.setIcon(QIcon())
            one.setProperty("glyph", "")
        left = area(FlowLayout(kind, *made))
        bar = row(left, rehearsal, self.run_button, self.stop_button, gap=2, margins=(3, 2, 3, 2))
        bar.setStretch(0, 1)
        self.setLayout(bar)
        self.kind.activated.connect(self._chosen)

    def show_operation(self, operation: ComposedOperation, *, writes: bool) -> None:
        with QSignalBlocker(self.kind):
            self.kind.setCurrentIndex(OPERATIONS.index(operation))
        words = KINDS[operation][1].rstrip("…") + ("…" if writes else "")
        self.run_button.setText(words)
        self.run_button.setAccessibleName(words)

    def show_running(self, running: bool) -> None:
        self.run_button.setVisible(not running)
        self.stop_button.setVisible(running)

    @Slot(int)
    def _chosen(self, at: int) -> None:
        self.kind_chosen.emit(OPERATIONS[at])
