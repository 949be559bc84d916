"""The Requests page: one request put together from its parts, checked while it is typed, run, and explained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QFocusEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import QSplitter

from dynodesk.composing.running import RunReport
from dynodesk.domain.actions import (
    ActionKind,
    ComposedOperation,
    ComposedRequest,
    SingleGet,
    SingleWrite,
    TransactGet,
    TransactWrite,
    actions_of,
    is_read,
    new_token,
)
from dynodesk.domain.composition import ActionRemark, CheckedDraft, Draft, draft_from_json, draft_to_json
from dynodesk.domain.drafts import STATEMENTS, WITH_TOKEN
from dynodesk.domain.errors import InvalidFile, InvalidRequest
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import Item
from dynodesk.ui.actions import make
from dynodesk.ui.asking import Asker
from dynodesk.ui.dialogs.rehearsal import RehearsalDialog
from dynodesk.ui.dialogs.run_request import RunQuestion, RunRequestDialog
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages import compose_bar as bar
from dynodesk.ui.pages import compose_panel as of_panel
from dynodesk.ui.pages.compose_checking import Checking
from dynodesk.ui.pages.compose_checks import ChecksPanel, sentence
from dynodesk.ui.pages.compose_item import EditItemDialog
from dynodesk.ui.pages.compose_kinds import Kinds
from dynodesk.ui.pages.compose_model import ActionsModel
from dynodesk.ui.pages.compose_preview import RequestPreview, code_place
from dynodesk.ui.pages.compose_response import ResponsePanel
from dynodesk.ui.pages.compose_rows import new_action
from dynodesk.ui.pages.compose_run import ComposeTools, RequestRuns, verdicts_of
from dynodesk.ui.pages.compose_sources import Sources
from dynodesk.ui.pages.compose_tables import KnownTables
from dynodesk.ui.pages.compose_token import RequestToken
from dynodesk.ui.shell import Workspace
from dynodesk.ui.theme import icon, metrics, px
from dynodesk.ui.widgets.layouts import Area, column

LONGEST_TITLE = 40


class ComposePage(Area):
    """One request in a tab of its own. Nothing is sent from it but by Run, and no write before it was agreed to."""

    written = Signal(object)
    """What a request made of items, as a tuple of `Written`."""

    def __init__(self, workspace: Workspace, tools: ComposeTools, runner: JobRunner, asker: Asker) -> None:
        super().__init__("window")
        self._workspace, self._tools, self._runner, self._asker = workspace, tools, runner, asker
        self._operation: ComposedOperation = "TransactWriteItems"
        self._name = ""
        """What the request is called, where it has a name."""
        self._table = ""
        """The table of what is added."""
        self._ran: Draft | None = None
        """What the response is about."""
        self._never_shown = True
        self._kinds = Kinds()
        self.known = KnownTables(workspace.catalog, workspace.reader, runner, self)
        self.model = ActionsModel(self)
        self.runs = RequestRuns(tools, runner, self)
        self.setWindowIcon(icon("symbol-operator"))
        self.setAccessibleName("Request")
        self._make_actions()

        self.bar = bar.ComposeBar(
            self.run_action, self.rehearse_action, self.recipe_action, self.paste_action, self.mirror_action
        )
        self.panel = of_panel.ActionsPanel(self.model, self.known.attribute_names, self._adders, self.read_action)
        self.checks = ChecksPanel()
        self.preview = RequestPreview(runner, code_place(tools.profile, tools.place))
        self.response = ResponsePanel(runner)
        response = self.response
        of_response = (response.again_action, response.look_action, response.open_action, response.copy_action)
        self.addActions([*self.panel.tree.tools, self.checks.fix_action, self.panel.clock.renew_action])
        self.addActions([self.preview.copy_action, *of_response])
        self.above, self.below = QSplitter(), QSplitter()
        for split, left, right in (
            (self.above, self.panel, self.preview),
            (self.below, self.checks, self.response),
        ):
            split.addWidget(left)
            split.addWidget(right)
            split.setSizes([px(610), px(610)])
            split.setChildrenCollapsible(False)
        self.stack = QSplitter(Qt.Orientation.Vertical)
        self.stack.addWidget(self.above)
        self.stack.addWidget(self.below)
        self.stack.setSizes([px(540), px(190)])
        self.stack.setStretchFactor(0, 1)
        self.stack.setChildrenCollapsible(False)
        self.above.splitterMoved.connect(partial(_align, self.above, self.below))
        self.below.splitterMoved.connect(partial(_align, self.below, self.above))
        layout = column(self.bar, self.stack, gap=0)
        layout.setStretch(1, 1)
        self.setLayout(layout)
        self.setMinimumHeight(16 * metrics().row)

        self.token = RequestToken(self.panel.clock, self)
        self.checking = Checking(lambda: self.draft, self.panel, self.model, self.known, self.checks, runner, self)
        self._sources = Sources(self.known, tools.rules, self._take_other, self)
        self._listen()
        self.show_draft(Draft("TransactWriteItems"))
        self.known.begin()

    def focusInEvent(self, _event: QFocusEvent) -> None:
        self.panel.first.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._never_shown:
            self._never_shown = False
            QTimer.singleShot(0, self, self.setFocus)  # after the tabs have given it to the first field

    def _make_actions(self) -> None:
        self.run_action = make(bar.RUN, self, self.run)
        self.run_action.setShortcuts([QKeySequence("Ctrl+Return"), QKeySequence("Ctrl+Enter")])
        self.rehearse_action = make(bar.REHEARSE, self, self.rehearse)
        self.recipe_action = make(bar.RECIPE, self, self.choose_recipe)
        self.paste_action = make(bar.PASTE, self, self.paste)
        self.mirror_action = make(bar.MIRROR, self, self.open_mirror)
        self.read_action = make(of_panel.READ_ITEMS, self, self.read_items)
        self._adders = {
            "Put": make(of_panel.ADD_PUT, self, self._add_put),
            "Update": make(of_panel.ADD_UPDATE, self, self._add_update),
            "Delete": make(of_panel.ADD_DELETE, self, self._add_delete),
            "ConditionCheck": make(of_panel.ADD_CHECK, self, self._add_check),
            "Get": make(of_panel.ADD_GET, self, self._add_get),
            "Statement": make(of_panel.ADD_STATEMENT, self, self._add_statement),
        }

    def _listen(self) -> None:
        self.panel.table_chosen.connect(self._choose_table)
        self.panel.tree.item_asked.connect(self._edit_item)
        self.panel.tree.paste_asked.connect(self.paste)
        self.token.renewed.connect(self.checking.check_soon)
        self.checking.begun.connect(self._forget_run)
        self.checking.checked.connect(self._show_checked)
        self.bar.kind_chosen.connect(self.choose_kind)
        self.bar.stop_button.clicked.connect(self.runs.stop)
        self.checks.fix_asked.connect(self._fix)
        self.known.described.connect(self._take_table)
        self.known.changed.connect(self._known_changed)
        self.runs.told.connect(self.response.show_sending)
        self.runs.ended.connect(self._show_report)
        self.runs.failed.connect(self._show_failure)
        self.runs.changed.connect(self._show_state)
        self.response.again_asked.connect(self.runs.send_again)
        self.response.look_asked.connect(self.runs.look)
        self.response.action_chosen.connect(self._show_action)

    # -- the draft

    @property
    def draft(self) -> Draft:
        if self._operation in STATEMENTS:
            return Draft(self._operation, statements=self.panel.statements.statements(), token=self.token.text)
        consistent = self.panel.consistent.isChecked()
        return Draft(self._operation, self.model.drafts(), token=self.token.text, consistent=consistent)

    def show_draft(self, draft: Draft, name: str = "") -> None:
        """Another request in the place of the one that is there."""
        self._kinds.forget()
        self._name = name
        self._show(draft)

    def _show(self, draft: Draft) -> None:
        self._operation = draft.operation
        for action in draft.actions:
            self.known.ask(action.table)
            self._table = action.table or self._table
        self.panel.set_operation(draft.operation)
        self.panel.set_table(self._table)
        self.panel.consistent.setChecked(draft.consistent)
        if draft.operation in STATEMENTS:
            self.panel.statements.show_statements(draft.statements)
        else:
            self.model.show(draft.actions)
            if draft.actions:
                self.panel.tree.setCurrentIndex(self.model.index(0, 0))
        self.token.take(draft, is_used=draft.operation in WITH_TOKEN)
        self.checking.check()

    def compose_items(self, table: TableInfo, items: Sequence[Item], kind: ActionKind, *, are_whole: bool) -> None:
        """An action for each of these items."""
        self.known.take(table)
        if are_whole:
            self.known.take_items(table, items)
        begun = new_action(kind, table.name, table)
        keys = table.key_schema.names
        actions = tuple(
            replace(begun, attributes=tuple((name, item[name]) for name in keys if name in item)) for item in items
        )
        self._table = table.name
        self.show_draft(Draft("TransactWriteItems", actions, token=new_token()))

    def set_table(self, table: TableInfo, items: Sequence[Item]) -> None:
        """The table of what is added first. `items` of it, whole, tell what its items look like."""
        self.known.take(table)
        self.known.take_items(table, items)
        self._table = table.name
        self.panel.set_table(table.name)

    @Slot(str)
    def choose_kind(self, operation: ComposedOperation) -> None:
        current = max(0, self.panel.tree.current)
        self.panel.tree.close_editor()
        draft = self._kinds.change(self.draft, operation, current, self.known.infos, self._table)
        self._show(draft)

    def add(self, kind: ActionKind) -> None:
        index = self.model.add(kind, self._table)
        self.known.ask(self._table)
        self.panel.tree.setCurrentIndex(index)
        self.panel.tree.setFocus()
        if self._table:
            self.panel.tree.edit_main(self.model.index(0, 0, index))
        else:
            self.panel.table.setFocus()

    @Slot()
    def _add_put(self) -> None:
        self.add("Put")

    @Slot()
    def _add_update(self) -> None:
        self.add("Update")

    @Slot()
    def _add_delete(self) -> None:
        self.add("Delete")

    @Slot()
    def _add_check(self) -> None:
        self.add("ConditionCheck")

    @Slot()
    def _add_get(self) -> None:
        self.add("Get")

    @Slot()
    def _add_statement(self) -> None:
        self.panel.statements.add()

    @Slot(str)
    def _choose_table(self, name: str) -> None:
        self._table = name
        self.known.ask(name)
        at = self.panel.tree.current
        if 0 <= at < len(self.model.actions):
            self.model.set_table(at, name)

    @Slot(int)
    def _edit_item(self, at: int) -> None:
        action = self.model.actions[at]
        keys = tuple(attribute.name for attribute in action.schema)
        item = {part.text: part.value for part in action.attributes if part.value is not None}
        EditItemDialog(
            f"Item of action {at + 1}",
            item,
            keys,
            self._runner,
            self._asker,
            partial(self._take_item, at),
            self.window(),
        ).open()

    def _take_item(self, at: int, item: Item) -> None:
        self.model.set_item(at, item)
        self.panel.tree.setCurrentIndex(self.model.index(at, 0))

    @Slot(object)
    def _take_table(self, table: TableInfo) -> None:
        self.model.take_table(table)

    @Slot()
    def _known_changed(self) -> None:
        self.panel.offer_tables(self.known.names or self.known.infos)
        self.checking.check_soon()

    # -- checks

    @Slot(object)
    def _fix(self, one: ActionRemark) -> None:
        if one.mended is None:
            return
        at = one.action or 0
        self._show(one.mended)
        if self._operation not in STATEMENTS and at < len(self.model.actions):
            self.panel.tree.setCurrentIndex(self.model.index(at, 0))

    @Slot()
    def read_items(self) -> None:
        """As they are now, strongly consistent."""
        if self.checking.found is not None:
            self.known.read([action for action in self.checking.found.actions if action is not None])

    @Slot(object)
    def _forget_run(self, draft: Draft) -> None:
        """What was run is not what stands there any more: what was said of it is of the past."""
        if self._ran is not None and replace(draft, token="") != replace(self._ran, token=""):
            self._ran = None
            self.model.show_verdicts({})
        self.token.follow(draft)

    @Slot()
    def _show_checked(self) -> None:
        self.preview.set_request(self.request)
        self._show_title()
        self._show_state()

    @property
    def request(self) -> ComposedRequest | None:
        """What would be sent; None while it cannot be."""
        return None if self.checking.found is None else self.checking.found.request

    # -- running

    @Slot()
    def run(self) -> None:
        """Send what reads at once; ask before what writes."""
        self.panel.tree.close_editor()
        self.checking.check_now()
        checked, totals = self.checking.found, self.checking.totals
        if checked is None or checked.request is None or self.runs.is_running:
            self.checks.list.setFocus()
            return
        request = checked.request
        if isinstance(request, SingleGet | TransactGet) or is_read(request):
            self._send(request)
            return
        warnings = [sentence(one.remark) for one in checked.remarks]
        units = [words.replace(" WCU", "") for words in totals.of_actions]
        question = RunQuestion(request, self.known.infos, totals.units, units, warnings, _not_agreed(checked))
        dialog = RunRequestDialog(question, self._tools.access, self._tools.place, self._runner, self.window())
        dialog.accepted.connect(partial(self._send, request))
        dialog.open()

    def _send(self, request: ComposedRequest) -> None:
        self._ran = self.draft
        if not is_read(request):
            self.token.note_sent(self._ran)
        self.model.show_verdicts({})
        self.response.show_sending()
        if self.bar.isAncestorOf(self.focusWidget()):  # also while another window has the keyboard
            self.panel.first.setFocus()  # the buttons there cannot be pressed while it runs
        self.runs.run(request)

    @Slot(object)
    def _show_report(self, report: RunReport) -> None:
        self.response.show_report(report, self.known.infos)
        self.model.show_verdicts(verdicts_of(report))
        actions = actions_of(report.request)
        if report.after is not None and report.outcome == "done":
            written = self.known.put(actions, report.after)
            if written:
                self.written.emit(written)
        elif report.before is not None and report.outcome == "refused":
            self.known.put(actions, report.before)
        self.checking.check_soon()

    @Slot(object)
    def _show_failure(self, error: BaseException) -> None:
        self.response.show_error(error)

    @Slot(int)
    def _show_action(self, at: int) -> None:
        if self._ran is not None and 0 <= at < len(self.model.actions):
            self.panel.tree.setCurrentIndex(self.model.index(at, 0))

    # -- what is done besides

    @Slot()
    def rehearse(self) -> None:
        request = self.request
        if isinstance(request, SingleWrite | TransactWrite):
            dialog = RehearsalDialog(
                request, self.known.infos, self._tools.access, self._tools.rehearse, self._runner, self.window()
            )
            dialog.run_asked.connect(self.run)
            dialog.open()

    @Slot()
    def choose_recipe(self) -> None:
        """Of the table of what is added, by what its items look like."""
        if self._table not in self.known.infos:
            self.panel.table.setFocus()
            self.panel.table.showPopup()
            return
        self._sources.ask_recipe(self._table)

    @Slot()
    def paste(self) -> None:
        self._sources.paste()

    def _take_other(self, draft: Draft, name: str) -> None:
        """In the place of a request that is empty, else in a tab of its own."""
        if self.is_empty:
            self.show_draft(draft, name)
            self.panel.first.setFocus()
        else:
            self._tools.open_draft(draft, name)

    @property
    def is_empty(self) -> bool:
        if self._operation in STATEMENTS:
            return not any(statement.text for statement in self.draft.statements)
        return not self.model.actions

    @Slot()
    def open_mirror(self) -> None:
        if self.request is None:
            return
        try:
            undo = self._sources.undo_of(self.request, self.response.report)
        except InvalidRequest as problem:
            self._runner.error_raised.emit(problem)
        else:
            self._tools.open_draft(undo, f"Undo of {self.windowTitle()}")

    # -- the frame

    def _show_title(self) -> None:
        words = self._name
        if not words:
            kind = bar.KINDS[self._operation][0]
            first = self.model.actions[0].title if self.model.actions and self._operation not in STATEMENTS else ""
            words = f"{kind}: {first}" if first and first != '""' else kind
        words = words if len(words) <= LONGEST_TITLE else f"{words[:LONGEST_TITLE]}…"
        if words != self.windowTitle():
            self.setWindowTitle(words)

    @Slot()
    def _show_state(self) -> None:
        request, running = self.request, self.runs.is_running
        writes = self._operation not in {"GetItem", "TransactGetItems"} and not (
            self._operation in STATEMENTS and (request is None or is_read(request))
        )
        self.bar.show_operation(self._operation, writes=writes)
        self.bar.show_running(running)
        self.run_action.setEnabled(request is not None and not running)
        of_actions = request is not None and self._operation not in STATEMENTS and writes
        self.mirror_action.setEnabled(of_actions)
        self.rehearse_action.setEnabled(of_actions and not running)
        for kind, action in self._adders.items():
            action.setEnabled(self.panel.offers(kind))

    @property
    def unfinished(self) -> str:
        return "The request is on its way: its answer would not be seen." if self.runs.is_running else ""

    def state(self) -> dict[str, object]:
        return {
            "draft": draft_to_json(self.draft),
            "statements": self.panel.statements.typed() if self._operation in STATEMENTS else [],
            "name": self._name,
            "table": self._table,
            "sent": self.token.sent_at,
        }

    def restore(self, state: Mapping[str, object]) -> None:
        try:
            draft = draft_from_json(state.get("draft"))
        except InvalidFile:
            return
        name, table, sent, typed = (state.get(part) for part in ("name", "table", "sent", "statements"))
        self._table = table if isinstance(table, str) else ""
        self.show_draft(draft, name if isinstance(name, str) else "")
        if draft.operation in STATEMENTS and isinstance(typed, list) and typed:
            try:
                self.panel.statements.set_typed(typed)
            except (KeyError, TypeError):
                self.panel.statements.show_statements(draft.statements)
        if isinstance(sent, int | float):
            self.token.note_sent(self.draft, float(sent))


def _not_agreed(checked: CheckedDraft) -> tuple[int, ...]:
    """The updates that may make an item, and were not said to."""
    return tuple(at for at in checked.creates if not checked.draft.actions[at].may_create)


def _align(moved: QSplitter, other: QSplitter, _at: int, _which: int) -> None:
    """The two halves of the page have one border."""
    other.setSizes(moved.sizes())
