"""Where a request comes from besides being typed: a recipe, a text, another request turned round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from dynodesk.composing.running import RunReport
from dynodesk.domain.actions import ComposedRequest, actions_of
from dynodesk.domain.composition import Draft, draft_of
from dynodesk.domain.mirror import Before, mirror
from dynodesk.domain.recipe_guesses import versions_written
from dynodesk.domain.tallies import TallyRule
from dynodesk.ui.dialogs.recipe import RecipeDialog
from dynodesk.ui.pages.compose_paste import PasteDialog, clipboard_draft
from dynodesk.ui.pages.compose_tables import KnownTables

MAKES_ITEMS = frozenset({"sharded-increment"})
"""Recipes whose updates are there to make an item where there is none."""


class Sources(QObject):
    def __init__(
        self,
        known: KnownTables,
        rules: Callable[[], Sequence[TallyRule]],
        take: Callable[[Draft, str], object],
        page: QWidget,
    ) -> None:
        """`rules`: those that were opened last. `take` is handed a draft and its name, "" where it has none."""
        super().__init__(page)
        self._known, self._rules, self._take, self._page = known, rules, take, page
        self._table = ""

    def ask_recipe(self, table: str) -> None:
        """For a table that is described, by what its items look like."""
        self._table = table
        self._known.sample(table, self._ask)

    @Slot()
    def _ask(self) -> None:
        items = self._known.items.get(self._table, ())
        dialog = RecipeDialog(self._known.infos, self._table, items, self._rules(), self._page.window())
        dialog.composed.connect(partial(self._take_recipe, dialog))
        dialog.open()

    def _take_recipe(self, dialog: RecipeDialog, request: ComposedRequest) -> None:
        recipe = dialog.recipe
        self._take(draft_of(request, may_create=recipe.name in MAKES_ITEMS), recipe.title)

    def paste(self) -> None:
        """What the clipboard holds; where that is no request, what is typed instead."""
        draft = clipboard_draft()
        if draft is not None:
            self._take_pasted(draft)
        else:
            PasteDialog(self._take_pasted, self._page.window()).open()

    def _take_pasted(self, draft: Draft) -> None:
        self._take(draft, "")

    def undo_of(self, request: ComposedRequest, report: RunReport | None) -> Draft:
        """What takes the request back. `report`: of the last run, perhaps of another request.

        Raises `InvalidRequest` where it cannot be turned round.
        """
        actions = actions_of(request)
        before: Before = ()
        if report is not None and report.request == request and report.before:
            before = report.before
        elif all(map(self._known.is_read, actions)):
            before = tuple(map(self._known.item, actions))
        return draft_of(mirror(request, self._known.infos, before, rising=versions_written(request)))
