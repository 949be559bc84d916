"""Everything that can be done, each described once: menus, buttons and the finder show the same object."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from dynodesk.ui.theme import icon, ui_font
from dynodesk.ui.widgets.controls import button


@dataclass(frozen=True, slots=True)
class Action:
    """`text` stands in menus and on buttons, `tip` says what it does in a sentence."""

    id: str
    text: str
    tip: str
    shortcut: str = ""
    glyph: str = ""


OPEN_SANDBOX = Action(
    "open-sandbox", "Open the sandbox", "Start sample tables with planted drift on this computer.", "", "beaker"
)
CONNECT_AWS = Action("connect-aws", "Connect to AWS…", "Connect with a profile or with keys.", "", "cloud")
CONNECT_ENDPOINT = Action(
    "connect-endpoint",
    "Connect to an endpoint…",
    "Connect to DynamoDB Local, an emulator or another address.",
    "",
    "plug",
)
EXPORT_CONNECTIONS = Action(
    "export-connections",
    "Export connections…",
    "Write the saved connections to a file, without any secret.",
    "",
    "export",
)
IMPORT_CONNECTIONS = Action(
    "import-connections", "Import connections…", "Take connections over from a file of somebody's.", "", "arrow-down"
)
OPEN_TABLE = Action(
    "open-table", "Open the selected table", "Browse the table or index selected at the left.", "", "table"
)
NEW_TAB = Action("new-tab", "New tab", "Browse the current table once more, in a tab of its own.", "Ctrl+T", "add")
CLOSE_TAB = Action("close-tab", "Close tab", "Close the current tab.", "Ctrl+W", "close")
RECONCILE = Action(
    "reconcile", "Reconcile…", "Compare stored counts with their children by a rules file.", "Ctrl+R", "law"
)
SQL = Action("sql", "SQL", "Query loaded tables with SQL, on this computer.", "Ctrl+Shift+S", "terminal")
LOAD_INTO_SQL = Action(
    "load-into-sql", "Load into SQL…", "Load all of the current table, to query it with SQL.", "", "database"
)
PARTIQL = Action(
    "partiql", "PartiQL", "Write a SELECT of PartiQL over the tables of the connection.", "Ctrl+Shift+P", "code"
)
NEW_REQUEST = Action(
    "new-request",
    "New request",
    "Compose a write, a read or a transaction, check it and run it.",
    "Ctrl+N",
    "symbol-operator",
)
QUERIES = Action(
    "queries",
    "Saved queries and history…",
    "Find, run again, name or remove what was asked before.",
    "Ctrl+Shift+Q",
    "history",
)
SAVE_QUERY = Action(
    "save-query", "Save the query…", "Keep what the form asks for, under a name.", "Ctrl+Shift+D", "save"
)
TABLE_DETAILS = Action(
    "table-details",
    "Table details",
    "Keys, indexes, billing, streams and more of the selected table.",
    "Ctrl+I",
    "note",
)
OPEN_NAMED = Action(
    "open-named",
    "Open a table by its name",
    "Type a name, also of a table that is not listed, and press Enter.",
    "",
    "edit",
)
PERMISSIONS = Action(
    "permissions",
    "Permissions…",
    "See which permissions it takes to browse, reconcile, repair or edit the selected table.",
    "",
    "shield",
)
CREATE_TABLE = Action("create-table", "Create a table…", "Make a new table at this connection.", "", "new-file")
DELETE_TABLE = Action(
    "delete-table", "Delete the table…", "Delete the selected table with all of its items.", "", "trash"
)
REFRESH_TABLES = Action("refresh-tables", "Refresh tables", "Read the list of tables again.", "", "refresh")
SIGN_IN_AGAIN = Action(
    "sign-in-again",
    "Sign in again",
    "Renew the credentials of the selected connection; its tabs and edits stay as they are.",
    "",
    "sign-in",
)
DISCONNECT = Action("disconnect", "Close the connection", "Close the connection and its tabs.", "", "debug-disconnect")
CHANGE = Action("change", "Change the connection…", "Change its address, credentials, name or stage.", "", "edit")
ALLOW_WRITES = Action(
    "allow-writes",
    "Allow writes…",
    "Let the connection write until it has been idle for 15 minutes.",
    "Ctrl+Alt+W",
    "edit",
)
END_WRITES = Action("end-writes", "Read-only again", "Let the connection read only, from now on.", "", "lock")
FORGET = Action(
    "forget", "Forget the connection…", "Remove the saved connection and its keys from this computer.", "", "trash"
)
COLLAPSE = Action("collapse", "Collapse all", "Fold the list of connections.", "", "collapse-all")
BACK = Action("back", "Back", "Return to what was seen before, in this tab or another.", "Alt+Left", "arrow-left")
FORWARD = Action("forward", "Forward", "Go to what was seen after, in this tab or another.", "Alt+Right", "arrow-right")
FIND = Action("find", "Find anything", "Search actions, tables and tabs by words.", "Ctrl+K", "search")
FILTER_TABLES = Action("filter-tables", "Filter tables", "Type a part of a table's name.", "Ctrl+Shift+F", "filter")
STOP = Action("stop", "Stop the running job", "Stop the job started last.", "Esc", "debug-stop")
WALK = Action("walk", "Sandbox walk", "Show or hide the note that leads from a drift to its report.", "F1", "question")
LESSON = Action(
    "increment-lesson",
    "Increment lesson…",
    "See in the sandbox which ways of counting lose counts, or count twice, when many count at once.",
    "",
    "mortar-board",
)
FOLLOW_SYSTEM = Action("scheme-system", "Colours of the system", "Light or dark as the system has it.")
LIGHT_SCHEME = Action("scheme-light", "Light colours", "Light, whatever the system has.")
DARK_SCHEME = Action("scheme-dark", "Dark colours", "Dark, whatever the system has.")
DIAGNOSTICS = Action(
    "diagnostics",
    "Copy diagnostics…",
    "Show what support asks for, without values and secrets, to be copied.",
    "",
    "pulse",
)
ABOUT = Action("about", "About dynodesk", "Version, licences of what it is made with.")
QUIT = Action("quit", "Quit", "Close the window and every connection.", "Ctrl+Q")


def all_actions() -> tuple[Action, ...]:
    """The actions of the frame, in the order of this file."""
    return tuple(value for value in globals().values() if isinstance(value, Action))


def make(
    action: Action,
    owner: QWidget,
    run: Callable[[], object],
    context: Qt.ShortcutContext = Qt.ShortcutContext.WindowShortcut,
) -> QAction:
    """The live object of an action, added to its owner so that its shortcut works and the finder sees it.

    `run` is a bound method without arguments.
    A page's key works wherever in the window the focus is, also in the walk or the list at the left: Qt gives it to
    the page that is seen, so two tabs never claim the same one. What acts on a single widget passes `WidgetShortcut`.
    Esc belongs to the frame.
    """
    made = QAction(action.text, owner)
    made.setObjectName(action.id)
    made.setToolTip(f"{action.tip} {action.shortcut}".strip())
    made.setStatusTip(action.tip)
    made.setFont(ui_font())
    made.setProperty("glyph", action.glyph)
    if action.glyph:
        made.setIcon(icon(action.glyph))
    if action.shortcut:
        made.setShortcut(QKeySequence(action.shortcut))
        made.setShortcutContext(context)
    made.triggered.connect(run)
    owner.addAction(made)
    return made


def tool_for(action: QAction) -> QToolButton:
    """An icon button that is the action: same state, same name."""
    made = QToolButton()
    made.setAutoRaise(True)
    made.setDefaultAction(action)
    made.setAccessibleName(action.text())
    return made


def button_for(action: QAction, tone: str = "", primary: bool = False, text: str = "") -> QPushButton:
    """A button that runs the action and is enabled when it is. `text` where the menu's words are too long."""
    keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    made = button(text or action.text(), str(action.property("glyph") or ""), keys, tone, primary)
    made.setToolTip(action.toolTip())
    made.setEnabled(action.isEnabled())
    made.clicked.connect(action.trigger)
    action.enabledChanged.connect(made.setEnabled)
    return made
