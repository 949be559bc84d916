"""What a Browse page is, as values of JSON: taken while it is used, given back when the program comes again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QSplitter

from dynodesk.domain.collections import Identity, View
from dynodesk.domain.errors import DynodeskError, InvalidFile
from dynodesk.domain.plan_json import plan_from_json, plan_to_json
from dynodesk.domain.reading import Portion
from dynodesk.domain.reads import QueryPlan, ReadPlan, check_plan
from dynodesk.ui.pages.browse_pane import PORTION

if TYPE_CHECKING:
    from dynodesk.ui.pages.browse import BrowsePage

FIRST_ITEMS = 100
"""Read of a table that is opened, or a Scan that comes back: more is asked for by a person."""


def state_of(page: BrowsePage) -> dict[str, object]:
    reading, entry = page.left.reading, page.left.current
    plan = page.form.draft() or (None if reading is None else reading.plan)
    pinned = page.sides.beside.pinned
    return {
        "plan": None if plan is None else plan_to_json(plan),
        "selected": None if entry is None else list(entry.identity),
        "beside": page.beside.chosen.index,
        "pinned": plan_to_json(pinned) if isinstance(pinned, QueryPlan) else None,
        "switches": {action.objectName(): action.isChecked() for action in page.actions() if action.isCheckable()},
        "widths": [page.split.sizes(), page.outer.sizes()],
        "drafts": page.inspector.draft(),
    }


def restore(page: BrowsePage, state: Mapping[str, object]) -> InvalidFile | None:
    """What makes no sense for the table is left out; returned is why edits on their way could not be read.

    A Query is read again. Of a Scan the first items are, as when its table is opened; one with a filter is only filled
    in, since nobody knows how much it reads until it finds something: rows that do not meet it would be taken for its.
    """
    _set_switches(page, state.get("switches"))
    _set_widths(state.get("widths"), page.split, page.outer)
    index = state.get("beside")
    if index is None or (isinstance(index, str) and page.table.index(index) is not None):
        page.beside.choose(View(page.table, index))
    pinned = _plan(page, state.get("pinned"))
    if isinstance(pinned, QueryPlan):
        page.sides.beside.read(pinned)
    problem = _set_drafts(page, state.get("drafts"))
    plan = _plan(page, state.get("plan"))
    if isinstance(plan, QueryPlan):
        selected = _identity(state.get("selected"))
        page.go_to(plan, Portion(PORTION, until=selected), selected)
    elif plan is not None and plan.filter is None:
        page.go_to(plan, Portion(FIRST_ITEMS))
    elif plan is not None:
        page.fill(plan)
    return problem


def _plan(page: BrowsePage, written: object) -> ReadPlan | None:
    try:
        plan = plan_from_json(written)
        check_plan(plan, page.table)
    except (DynodeskError, TypeError, ValueError):
        return None
    return plan if plan.table == page.table.name else None


def _identity(written: object) -> Identity | None:
    if isinstance(written, list) and all(isinstance(part, str) for part in written):
        return tuple(written)
    return None


def _set_switches(page: BrowsePage, written: object) -> None:
    if not isinstance(written, dict):
        return
    for action in page.actions():
        wanted = written.get(action.objectName())
        if action.isCheckable() and isinstance(wanted, bool) and wanted != action.isChecked():
            action.trigger()


def _set_widths(written: object, *splitters: QSplitter) -> None:
    if not isinstance(written, list):
        return
    for splitter, sizes in zip(splitters, written, strict=False):
        if isinstance(sizes, list) and len(sizes) == splitter.count() and all(type(size) is int for size in sizes):
            splitter.setSizes(sizes)


def _set_drafts(page: BrowsePage, written: object) -> InvalidFile | None:
    if isinstance(written, dict):
        try:
            page.inspector.restore(written)
        except InvalidFile as problem:
            return problem
    return None
