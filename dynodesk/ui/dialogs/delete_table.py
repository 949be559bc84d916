"""The dialogs that delete a table, or an index of one. What goes is named by typing its name."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from dynodesk.domain.table_changes import DeleteIndex, DeleteTable, TableChange
from dynodesk.domain.tables import TableInfo
from dynodesk.reports.table_wording import age_words, key_words, size_words
from dynodesk.ui.dialogs.approval import Approval
from dynodesk.ui.dialogs.table_change import TableChangeDialog, TableTools
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.theme import Text
from dynodesk.ui.widgets.layouts import area, column
from dynodesk.ui.widgets.lines import Line


class _DeleteDialog(TableChangeDialog):
    def __init__(
        self,
        change: DeleteTable | DeleteIndex,
        title: str,
        says: str,
        named: Approval,
        facts: list[str],
        tools: TableTools,
        runner: JobRunner,
        window: QWidget | None,
    ) -> None:
        super().__init__(title, says, tools, runner, window, "Delete", approval=named)
        self._change = change
        name = Line(change.table if isinstance(change, DeleteTable) else change.name, "text", mono=True)
        name.setToolTip(name.text)
        told = column(name, *(Text(fact, wrap=True) for fact in facts), gap=1, margins=(5, 3, 5, 3))
        content = column(area(told, "window", "b"), self.request, gap=0)
        content.setStretch(1, 1)
        self.arrange(area(content, "base"), 640, 520)
        self.show_change()
        named.field.setFocus()

    def change(self) -> TableChange:
        return self._change


class DeleteTableDialog(_DeleteDialog):
    def __init__(self, info: TableInfo, tools: TableTools, runner: JobRunner, window: QWidget | None = None) -> None:
        is_production = tools.profile.stage == "production"
        about = f"{size_words(info)}, {age_words()}. It may hold more now, also where this says 0."
        facts = [f"Key: {key_words(info.key_schema)}.", about]
        if info.indexes:
            facts.append(f"With it go its indexes: {', '.join(index.name for index in info.indexes)}.")
        says = "The table and all of its items are deleted. There is no way back from here, and no undo."
        named = Approval([info.name], is_production=is_production)
        super().__init__(DeleteTable(info), "Delete a table", says, named, facts, tools, runner, window)
        if info.is_protected and not tools.refusal:
            self.refuse("Its deletion protection is on. Whoever may has to switch that off first.")


class DeleteIndexDialog(_DeleteDialog):
    def __init__(
        self, info: TableInfo, index: str, tools: TableTools, runner: JobRunner, window: QWidget | None = None
    ) -> None:
        found = info.index(index)
        facts = [] if found is None else [f"Key: {key_words(found.key_schema)}."]
        facts.append("Programs that read through it fail from then on. To have it again it is filled anew.")
        says = f"The index is deleted; the items stay in {info.name}."
        named = Approval([index], is_production=tools.profile.stage == "production", what="index")
        super().__init__(DeleteIndex(info, index), "Delete an index", says, named, facts, tools, runner, window)
