"""The Requests page: one request put together from its parts, checked while it is typed, run, and explained."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, QTimer, Slot
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
    UpdateAction,
    actions_of,
    is_read,
    new_token,
)
from dynodesk.domain.cells import visible
from dynodesk.domain.composition import (
    ActionRemark,
    CheckedDraft,
    Draft,
    check_draft,
    draft_from_json,
    draft_of,
    draft_to_json,
)
from dynodesk.domain.drafts import STATEMENTS, WITH_TOKEN
from dynodesk.domain.errors import InvalidFile, InvalidRequest
from dynodesk.domain.mirror import mirror
from dynodesk.domain.progress import Ticket
from dynodesk.domain.recipe_guesses import is_version
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import Item
from dynodesk.ui.actions import make
from dynodesk.ui.asking import Asker
from dynodesk.ui.dialogs.recipe import RecipeDialog
from dynodesk.ui.dialogs.rehearsal import RehearsalDialog
from dynodesk.ui.dialogs.run_request import RunQuestion, RunRequestDialog
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages import compose_bar as bar
from dynodesk.ui.pages import compose_panel as of_panel
from dynodesk.ui.pages.compose_checks import Check, ChecksPanel, sentence
from dynodesk.ui.pages.compose_item import EditItemDialog
from dynodesk.ui.pages.compose_kinds import Kinds
from dynodesk.ui.pages.compose_model import ActionsModel
from dynodesk.ui.pages.compose_paste import PasteDialog, clipboard_draft
from dynodesk.ui.pages.compose_preview import RequestPreview, code_place
from dynodesk.ui.pages.compose_response import ResponsePanel
from dynodesk.ui.pages.compose_rows import new_action
from dynodesk.ui.pages.compose_run import ComposeTools, RequestRuns, verdicts_of
from dynodesk.ui.pages.compose_tables import KnownTables
from dynodesk.ui.pages.compose_units import Totals, totals_of
from dynodesk.ui.shell import Workspace
from dynodesk.ui.theme import icon, metrics, px
from dynodesk.ui.widgets.layouts import Area, column

PAUSE = 40
"""Milliseconds without a key before the request is checked."""
SLOW = 0.012
"""Seconds that a check may take before the next one is made in the background."""
LONGEST_TITLE = 40
MAKES_ITEMS = frozenset({"sharded-increment"})
"""Recipes whose updates are there to make an item where there is none."""


class ComposePage(Area):
    """One request in a tab of its own. Nothing is sent from it but by Run, and no write before it was agreed to."""

    def __init__(self, workspace: Workspace, tools: ComposeTools, runner: JobRunner, asker: Asker) -> None:
        super().__init__("window")
        self._workspace, self._tools, self._runner, self._asker = workspace, tools, runner, asker
        self._operation: ComposedOperation = "TransactWriteItems"
        self._token = new_token()
        self._sent: tuple[Draft, float] | None = None
        """What was sent with the token, and when for the first time."""
        self._name = ""
        """What the request is called, where it has a name."""
        self._table = ""
        """The table of what is added."""
        self._ran: Draft | None = None
        """What the response is about."""
        self._checked: CheckedDraft | None = None
        self._never_shown = True
        self._number = 0
        self._is_slow = False
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

        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(PAUSE)
        self._soon.timeout.connect(self.check)
        self._listen()
        self.show_draft(Draft("TransactWriteItems", token=self._token))
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
        self.model.edited.connect(self._soon.start)
        self.panel.statements.changed.connect(self._soon.start)
        self.panel.consistent.toggled.connect(self._soon.start)
        self.panel.table_chosen.connect(self._choose_table)
        self.panel.tree.item_asked.connect(self._edit_item)
        self.panel.clock.renew_asked.connect(self.renew_token)
        self.panel.clock.expired.connect(self.renew_token)
        self.bar.kind_chosen.connect(self.choose_kind)
        self.bar.stop_button.clicked.connect(self.runs.stop)
        self.checks.place_asked.connect(self._go_to)
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
        token = self._token if self._operation in WITH_TOKEN else ""
        if self._operation in STATEMENTS:
            return Draft(self._operation, statements=self.panel.statements.statements(), token=token)
        consistent = self.panel.consistent.isChecked()
        return Draft(self._operation, self.model.drafts(), token=token, consistent=consistent)

    def show_draft(self, draft: Draft, name: str = "") -> None:
        """Another request in the place of the one that is there."""
        self._kinds.forget()
        self._name = name
        self._sent = None
        self._show(draft)

    def _show(self, draft: Draft) -> None:
        self._operation = draft.operation
        self._token = draft.token or new_token()
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
        self._show_token()
        self.check()

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
        self._sent = None
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
        self._soon.start()

    # -- checks

    @Slot()
    def check(self) -> None:
        """Say what there is to say of the request as it stands."""
        self._soon.stop()
        draft = self.draft
        self._number += 1
        for action in draft.actions:
            self.known.ask(action.table)
        self._forget_run(draft)
        work = partial(_check, self._number, draft, dict(self.known.infos), self.known.items)
        if self._is_slow:
            self._runner.start(work, title="Check the request", done=self._take_checked, quiet=True)
        else:
            self._take_checked(work(Ticket()))

    @Slot(object)
    def _take_checked(self, found: tuple[int, CheckedDraft, float]) -> None:
        number, checked, seconds = found
        self._is_slow = seconds > SLOW
        if number != self._number:
            return  # something was typed since
        waiting = [one for one in checked.remarks if self._is_of_waiting(one)]
        remarks = tuple(one for one in checked.remarks if one not in waiting)
        problems = self._problems()
        self._checked = replace(checked, remarks=remarks, request=None if problems else checked.request)
        totals = totals_of(self._checked, self.known)
        if self._operation in STATEMENTS:
            self.panel.statements.show_remarks(remarks)
        else:
            self.model.show_remarks(remarks)
            self.model.show_units(totals.of_actions or [""] * len(self.model.actions))
        self.panel.show_totals(totals)
        oks = [Check("ok", words) for words in self._checked.oks]
        self.checks.show_checks([*problems, *self._remarks(remarks), *self._notes(totals), *oks])
        self.preview.set_request(self._checked.request)
        self._show_title()
        self._show_state()

    def _problems(self) -> list[Check]:
        """Texts that are no values yet."""
        if self._operation in STATEMENTS:
            return [Check("error", words, action=at) for at, words in self.panel.statements.problems]
        return [
            Check("error", visible(words), action=self.model.action_at(index), row=index.row())
            for index, words in self.model.problems
        ]

    def _is_of_waiting(self, one: ActionRemark) -> bool:
        """Whether it is said only because a table is not described yet."""
        if one.remark.part != "TableName" or one.action is None or one.action >= len(self.model.actions):
            return False
        return self.known.is_waiting(self.model.actions[one.action].table)

    def _remarks(self, remarks: Sequence[ActionRemark]) -> list[Check]:
        many = len(self.model.actions) > 1 or len(self.panel.statements.cards) > 1
        found = []
        for one in remarks:
            lead = f"{one.action + 1}: " if many and one.action is not None else ""
            found.append(Check("error" if one.remark.severity == "error" else "note", lead + sentence(one.remark), one))
        return found

    def _notes(self, totals: Totals) -> list[Check]:
        """What is not known yet."""
        tables = dict.fromkeys(action.table for action in self.model.actions)
        notes = [Check("note", f"{visible(one)} is being described.") for one in tables if self.known.is_waiting(one)]
        if totals.of_actions and not totals.is_known:
            notes.append(Check("note", "Units depend on the items as they are. F5 reads them."))
        return notes

    @Slot(object)
    def _go_to(self, check: Check) -> None:
        """To the place that a check is about."""
        one = check.remark
        at = one.action if one is not None else check.action
        if at is None:
            return
        if self._operation in STATEMENTS:
            self.panel.statements.go_to(at, 0 if one is None else one.remark.span.offset)
        elif one is None:
            action = self.model.actions[at]
            self.panel.tree.go_to(at, None if check.row is None else action.parts[check.row])
        elif one.remark.part == "TableName":
            self.panel.tree.go_to(at, None)
            self.panel.table.setFocus()
        elif at < len(self.model.actions):
            part, remark = self.model.actions[at].place(one)
            self.panel.tree.go_to(at, part, remark.span)

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
        if self._checked is not None:
            self.known.read([action for action in self._checked.actions if action is not None])

    # -- the token

    @Slot()
    def renew_token(self) -> None:
        """The request counts as another one from here on."""
        self._token, self._sent = new_token(), None
        self._show_token()
        self._soon.start()

    def _show_token(self) -> None:
        token = self._token if self._operation in WITH_TOKEN else ""
        self.panel.clock.show_token(token, None if self._sent is None else self._sent[1])

    def _forget_run(self, draft: Draft) -> None:
        """What was run is not what stands there any more: what was said of it is of the past."""
        if self._ran is not None and replace(draft, token="") != replace(self._ran, token=""):
            self._ran = None
            self.model.show_verdicts({})
        if self._sent is not None and draft != self._sent[0]:
            self.renew_token()  # with the old one another request is refused

    # -- running

    @Slot()
    def run(self) -> None:
        self.panel.tree.close_editor()
        self.check()
        checked = self._checked
        if checked is None or checked.request is None or self.runs.is_running:
            self.checks.list.setFocus()
            return
        request = checked.request
        if isinstance(request, SingleGet | TransactGet) or is_read(request):
            self._send(request)
            return
        totals = totals_of(checked, self.known)
        warnings = [sentence(one.remark) for one in checked.remarks]
        units = [words.replace(" WCU", "") for words in totals.of_actions]
        question = RunQuestion(request, self.known.infos, totals.units, units, warnings, self._not_agreed(checked))
        dialog = RunRequestDialog(question, self._tools.profile, self._tools.place, self._runner, self.window())
        dialog.accepted.connect(partial(self._send, request))
        dialog.open()

    def _not_agreed(self, checked: CheckedDraft) -> tuple[int, ...]:
        return tuple(at for at in checked.creates if not checked.draft.actions[at].may_create)

    def _send(self, request: ComposedRequest) -> None:
        self._ran = self.draft
        if self._operation in WITH_TOKEN and not is_read(request) and self._sent is None:
            self._sent = (self._ran, time.time())
        self.model.show_verdicts({})
        self.response.show_sending()
        self.runs.run(request)
        self._show_token()

    @Slot(object)
    def _show_report(self, report: RunReport) -> None:
        self.response.show_report(report, self.known.infos)
        self.model.show_verdicts(verdicts_of(report))
        actions = actions_of(report.request)
        if report.after is not None and report.outcome == "done":
            self.known.put(actions, report.after)
        elif report.before is not None and report.outcome == "refused":
            self.known.put(actions, report.before)
        self._soon.start()

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
        request = None if self._checked is None else self._checked.request
        if isinstance(request, SingleWrite | TransactWrite):
            dialog = RehearsalDialog(
                request, self.known.infos, self._tools.profile, self._tools.rehearse, self._runner, self.window()
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
        self.known.sample(self._table, self._ask_for_recipe)

    @Slot()
    def _ask_for_recipe(self) -> None:
        items = self.known.items.get(self._table, ())
        dialog = RecipeDialog(self.known.infos, self._table, items, (), self.window())
        dialog.composed.connect(partial(self._take_recipe, dialog))
        dialog.open()

    def _take_recipe(self, dialog: RecipeDialog, request: ComposedRequest) -> None:
        recipe = dialog.recipe
        self._take_other(draft_of(request, may_create=recipe.name in MAKES_ITEMS), recipe.title)

    @Slot()
    def paste(self) -> None:
        draft = clipboard_draft()
        if draft is not None:
            self._take_other(draft)
        else:
            PasteDialog(self._take_other, self.window()).open()

    def _take_other(self, draft: Draft, name: str = "") -> None:
        """In the place of a request that is empty, else in a tab of its own."""
        if self.is_empty:
            self.show_draft(draft, name)
        else:
            self._tools.open_draft(draft, name)

    @property
    def is_empty(self) -> bool:
        if self._operation in STATEMENTS:
            return not any(statement.text for statement in self.draft.statements)
        return not self.model.actions

    @Slot()
    def open_mirror(self) -> None:
        request = None if self._checked is None else self._checked.request
        if request is None:
            return
        report = self.response.report
        before = report.before if report is not None and report.request == request and report.before else ()
        if not before:
            actions = actions_of(request)
            before = tuple(map(self.known.item, actions)) if all(map(self.known.is_read, actions)) else ()
        try:
            rising = {
                name
                for action in actions_of(request)
                if isinstance(action, UpdateAction)
                for name in action.update.attributes
                if is_version(name)
            }
            turned = mirror(request, self.known.infos, before, rising=rising)
        except InvalidRequest as problem:
            self._runner.error_raised.emit(problem)
            return
        from_name = self._name or self.windowTitle()
        self._tools.open_draft(draft_of(turned), f"Undo of {from_name}")

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
        request = None if self._checked is None else self._checked.request
        running = self.runs.is_running
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
            "sent": None if self._sent is None else self._sent[1],
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
            self._sent = (self.draft, float(sent))
            self._show_token()


def _check(
    number: int, draft: Draft, tables: Mapping[str, TableInfo], items: Mapping[str, Sequence[Item]], _ticket: Ticket
) -> tuple[int, CheckedDraft, float]:
    began = time.perf_counter()
    checked = check_draft(draft, tables, items)
    return number, checked, time.perf_counter() - began


def _align(moved: QSplitter, other: QSplitter, _at: int, _which: int) -> None:
    """The two halves of the page have one border."""
    other.setSizes(moved.sizes())
