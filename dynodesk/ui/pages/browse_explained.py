"""What a read sends, in one line of words, and the exact request to be copied."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Literal

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from dynodesk.codegen import as_boto3, as_cli, as_json
from dynodesk.domain.item_json import to_dynamodb
from dynodesk.domain.reading import Portion
from dynodesk.domain.reads import QueryPlan, ReadPlan, ScanPlan
from dynodesk.domain.requests import key_condition, operation_of, read_request
from dynodesk.ui.actions import make
from dynodesk.ui.pages import browse_actions as act

RequestForm = Literal["json", "boto3", "cli"]


class RequestCopies(QObject):
    """Copies the request of what a form asks for, in a menu at a button and as actions of the form."""

    def __init__(
        self,
        form: QWidget,
        button: QToolButton,
        plan: Callable[[], ReadPlan | None],
        portion: Callable[[], Portion],
    ) -> None:
        super().__init__(form)
        self._form, self._button, self._plan, self._portion = form, button, plan, portion
        self._actions = (
            make(act.COPY_REQUEST_JSON, form, partial(self._copy, "json")),
            make(act.COPY_REQUEST_BOTO3, form, partial(self._copy, "boto3")),
            make(act.COPY_REQUEST_CLI, form, partial(self._copy, "cli")),
        )
        button.clicked.connect(self._offer)

    def set_enabled(self, on: bool) -> None:
        for action in self._actions:
            action.setEnabled(on)

    @Slot()
    def _offer(self) -> None:
        menu = QMenu(self._form)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions(self._actions)
        menu.popup(self._button.mapToGlobal(self._button.rect().bottomLeft()))

    def _copy(self, form: RequestForm) -> None:
        plan = self._plan()
        if plan is not None:
            QGuiApplication.clipboard().setText(request_text(plan, self._portion(), form))


def explained(plan: ReadPlan) -> str:
    """`Query Social through GSI1: GSI1PK = 'USER#7c20' · filter: likedAt > 3 · eventually consistent`."""
    place = plan.table if plan.index is None else f"{plan.table} through {plan.index}"
    said = f"{operation_of(plan)} {place}"
    if isinstance(plan, QueryPlan):
        said += f": {key_condition(plan)}"
    elif plan.segments > 1:
        said += f" in {plan.segments} segments"
    parts = [said]
    if plan.filter is not None:
        parts.append(f"filter: {plan.filter}")
    if isinstance(plan, QueryPlan) and plan.descending:
        parts.append("descending")
    parts.append("strongly consistent" if plan.consistent else "eventually consistent")
    if plan.attributes:
        parts.append(f"returns {', '.join(plan.attributes)}")
    return " · ".join(parts)


def request_text(plan: ReadPlan, portion: Portion, form: RequestForm) -> str:
    """The request for the first page, as it is sent; of a Scan in several segments, that of the first of them."""
    plan = replace(plan, page_limit=portion.page_limit(portion.items))
    if isinstance(plan, ScanPlan) and plan.segments > 1:
        plan = replace(plan, segment=0)
    request = read_request(plan)
    write = {"json": as_json, "boto3": as_boto3, "cli": as_cli}[form]
    return write(request.operation, request.parameters(to_dynamodb))
