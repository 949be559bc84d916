"""What can be done with rules files from the Reconcile page: opened, edited, begun anew, suggested, checked."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from dynodesk.domain.past_runs import PastRun
from dynodesk.ui.actions import Action, make
from dynodesk.ui.asking import Asker, Question
from dynodesk.ui.dialogs.history import HistoryDialog
from dynodesk.ui.dialogs.suggest import SuggestDialog
from dynodesk.ui.dialogs.watch import WatchDialog
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.messages import MessageBar
from dynodesk.ui.pages.reconcile_editor import RulesEditor
from dynodesk.ui.pages.reconcile_places import OpenCollection
from dynodesk.ui.pages.reconcile_templates import TEMPLATES
from dynodesk.ui.pages.reconcile_work import LoadedRules, history_of
from dynodesk.ui.shell import Workspace

OPEN_RULES = Action("open-rules", "Open rules…", "Choose a rules file.", "Ctrl+O", "go-to-file")
EDIT_RULES = Action("edit-rules", "Edit rules", "Edit the rules file, checked while you type.", "Ctrl+Shift+E", "edit")
NEW_RULES = Action("new-rules", "New rules", "Begin a rules file from a template.", "Ctrl+Shift+N", "new-file")
SUGGEST_RULES = Action(
    "suggest-rules", "Suggest rules…", "Propose rules from a sample of the items.", "Ctrl+Shift+L", "lightbulb"
)
CHECK_RULES = Action(
    "check-rules", "Check rules", "Read the rules file again and check it against its tables.", "", "check-all"
)
WATCH = Action(
    "watch-rules",
    "Watch…",
    "Follow the tables' streams, and name each write that leaves a tally wrong.",
    "Ctrl+Shift+W",
    "eye",
)
HISTORY = Action("rule-history", "History of the rules…", "What earlier runs found.", "Ctrl+H", "history")
RULES_FILES = ("Rules (*.toml)",)


def window_of(part: QObject) -> QWidget | None:
    """The window of the page that something belongs to. Not kept: page and part would keep each other for ever."""
    page = part.parent()
    return page.window() if isinstance(page, QWidget) else None


class RulesDesk(QObject):
    """The actions are the page's; the editor is a pane of it, which the page shows when it is wanted."""

    file_chosen = Signal(object)
    """A path: to be read and used from now on."""
    check_asked = Signal()
    editor_wanted = Signal(bool)

    def __init__(
        self,
        page: QWidget,
        workspace: Workspace,
        samples: tuple[Path, ...],
        runner: JobRunner,
        asker: Asker,
        messages: MessageBar,
        open_collection: OpenCollection,
    ) -> None:
        super().__init__(page)
        self._workspace, self._samples = workspace, samples
        self._runner, self._asker, self._messages = runner, asker, messages
        self._path: Path | None = None
        self._loaded: LoadedRules | None = None
        self._rule = ""
        self._ticked: Collection[str] = ()
        self._open_collection = open_collection
        self._watching: WatchDialog | None = None
        self.open_action = make(OPEN_RULES, page, self._ask_rules)
        self.edit_action = make(EDIT_RULES, page, self._edit_or_not)
        self.edit_action.setCheckable(True)
        self.new_action = make(NEW_RULES, page, self._new)
        self.suggest_action = make(SUGGEST_RULES, page, self._suggest)
        self.check_action = make(CHECK_RULES, page, self._ask_check)
        self.watch_action = make(WATCH, page, self._watch)
        self.history_action = make(HISTORY, page, self._ask_history)
        self.history_action.setEnabled(False)
        self.watch_action.setEnabled(False)
        self.editor = RulesEditor(workspace.catalog, samples, runner, asker, messages)
        self.editor.saved.connect(self.file_chosen)
        self.editor.closed.connect(self._close)

    @property
    def tools(self) -> dict[QAction, str]:
        """What stands beside the rules, with the words on the buttons."""
        return {
            self.open_action: "Open…",
            self.edit_action: "Edit",
            self.suggest_action: "Suggest…",
            self.check_action: "Check",
        }

    # -- what the page says

    def set_file(self, path: Path) -> None:
        if path != self._path:
            self._loaded = None
            self._rule = ""
            self.history_action.setEnabled(False)
            self._show_watchable()
        self._path = path

    def set_loaded(self, loaded: LoadedRules) -> None:
        self._loaded = loaded
        self.history_action.setEnabled(True)
        self._show_watchable()

    def set_ticked(self, names: Collection[str]) -> None:
        """The rules that are asked for: they are those that are watched."""
        self._ticked = names
        self._show_watchable()

    def _show_watchable(self) -> None:
        self.watch_action.setEnabled(self._loaded is not None and bool(self._loaded.named(self._ticked)))

    def set_rule(self, name: str) -> None:
        """The rule of the finding that is shown: its history comes first."""
        self._rule = name

    def set_busy(self, busy: bool) -> None:
        for action in (self.open_action, self.check_action, self.suggest_action):
            action.setEnabled(not busy)

    def show_editing(self, editing: bool) -> None:
        self.edit_action.setChecked(editing)

    # -- files

    @Slot()
    def _ask_check(self) -> None:
        self.check_asked.emit()

    @Slot()
    def _ask_rules(self) -> None:
        self._asker.open_file("Open a rules file", RULES_FILES, self._chosen)

    def _chosen(self, path: Path) -> None:
        self._give_up_changes(partial(self._use, path))

    def _use(self, path: Path) -> None:
        if self.edit_action.isChecked():
            self.editor.edit(path)
        self.file_chosen.emit(path)

    def _give_up_changes(self, then: partial[None]) -> None:
        """Asks where the editor has something that is not saved."""
        if not self.editor.is_dirty:
            then()
            return
        name = "The new rules are" if self.editor.path is None else f"{self.editor.path.name} is"
        question = Question("Give up the changes?", f"{name} not saved. Give the changes up?", "Give up", danger=True)
        self._asker.confirm(question, then)

    # -- the editor

    @Slot()
    def _edit_or_not(self) -> None:
        if not self.edit_action.isChecked():
            self.editor_wanted.emit(False)
        elif self.editor.is_dirty:
            self.editor_wanted.emit(True)
        else:
            self.edit_line(0)

    @Slot(int)
    def edit_line(self, line: int) -> None:
        """Opens the file in force at a line; 0: at its start."""
        if self._path is not None:
            self._give_up_changes_of_another(self._path, line)

    def _give_up_changes_of_another(self, path: Path, line: int) -> None:
        if self.editor.path == path:
            self._edit(path, line)
        else:
            self._give_up_changes(partial(self._edit, path, line))

    def _edit(self, path: Path, line: int) -> None:
        self.editor.edit(path, line)
        self.editor_wanted.emit(True)

    @Slot()
    def _new(self) -> None:
        self._give_up_changes(partial(self._begin, next(iter(TEMPLATES))))

    def _begin(self, template: str) -> None:
        self.editor.begin(template)
        self.editor_wanted.emit(True)

    @Slot()
    def _close(self) -> None:
        self.editor_wanted.emit(False)

    # -- suggestions

    @Slot()
    def _suggest(self) -> None:
        tables = {table for rule in (self._loaded.rules if self._loaded else ()) for table in rule.tables}
        why_not = ""
        if self._path in self._samples:
            why_not = "The open file is a sample that comes with the program: save the rules as a new file."
        elif self.editor.is_dirty and self.editor.path == self._path:
            why_not = "The editor has changes in it that are not saved: save them first."
        dialog = SuggestDialog(self._workspace, tables, self._path, why_not, self._runner, self._asker, window_of(self))
        dialog.kept.connect(self._kept)
        dialog.open()

    @Slot(object)
    def _kept(self, path: Path) -> None:
        """Rules were written there: they are used, and shown where the file is being edited."""
        if self.edit_action.isChecked() and not self.editor.is_dirty:
            self.editor.edit(path)
        self.file_chosen.emit(path)

    # -- the live watch

    @Slot()
    def _watch(self) -> None:
        """One for a page: each takes one of a stream's two readers."""
        if self._watching is not None:
            self._watching.raise_()
            self._watching.activateWindow()
        elif self._loaded is not None:
            rules = self._loaded.named(self._ticked)
            schemas = {name: table.key_schema for name, table in self._loaded.tables.items()}
            dialog = WatchDialog(rules, schemas, self._workspace, self._runner, self._open_collection, window_of(self))
            self._watching = dialog
            dialog.finished.connect(self._watched)
            self.destroyed.connect(dialog.reject)
            dialog.show()

    @Slot()
    def _watched(self) -> None:
        self._watching = None

    # -- earlier runs

    @Slot()
    def _ask_history(self) -> None:
        if self._loaded is not None:
            self._runner.start(
                partial(history_of, self._loaded, self._workspace),
                title="Read the history",
                done=self._show_history,
                failed=self._messages.show_error,
            )

    @Slot(object)
    def _show_history(self, runs: dict[str, list[PastRun]]) -> None:
        HistoryDialog(runs, self._rule, window_of(self)).open()
