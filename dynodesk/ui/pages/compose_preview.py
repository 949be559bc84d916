"""The composed request as it will be sent, and as code that sends it from elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QGuiApplication

from dynodesk.domain.action_json import parameters_json
from dynodesk.domain.actions import ComposedRequest
from dynodesk.domain.errors import DynodeskError, explanation
from dynodesk.domain.progress import Ticket
from dynodesk.domain.request_code import as_boto3, as_cli, as_json
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.theme import Text, metrics
from dynodesk.ui.widgets.code import CodeView
from dynodesk.ui.widgets.controls import sub_tabs, tool
from dynodesk.ui.widgets.layouts import Area, area, column, row
from dynodesk.ui.widgets.whole_text import whole

MOST_SHOWN = 60_000
"""Characters that are shown: more of them would hold the window up."""
LONGEST_LINE = 2_000
"""Characters of a line that are shown."""
NOTHING_YET = "The request is shown here once it can be sent."
NOT_PRESENT = "Not the present request: this one could be sent last. The checks say what is wrong now."
SHORTENED = "Too long to be shown whole: {} characters. Copy gives all of it."


@dataclass(frozen=True, slots=True)
class Form:
    title: str
    runs: str
    """Where the text runs, in a sentence."""
    write: Callable[[ComposedRequest], str]
    """Raises a `DynodeskError` where the request cannot be written so, and why."""


FORMS = (
    Form(
        "Request JSON", "The parameters in DynamoDB JSON, as they are sent.", lambda one: as_json(parameters_json(one))
    ),
    Form("AWS CLI", "Runs in a POSIX shell.", lambda one: as_cli(one.operation, parameters_json(one))),
    Form("boto3", "Runs in Python with boto3.", lambda one: as_boto3(one.operation, parameters_json(one))),
)


@dataclass(frozen=True, slots=True)
class _Written:
    """What came of writing a request in a form."""

    request: ComposedRequest
    form: int
    text: str
    """"": it cannot be written so, and `why` says why."""
    why: str = ""


class RequestPreview(Area):
    """Writes only what is looked at, in the background: the newest request that could be sent."""

    shown = Signal()
    """Another text stands there."""

    def __init__(self, runner: JobRunner) -> None:
        super().__init__("base", "l")
        self._runner = runner
        self._request: ComposedRequest | None = None
        """The newest that could be sent."""
        self._is_present = False
        self._is_writing = False
        self._written: _Written | None = None
        self.forms = sub_tabs("The request as", *(form.title for form in FORMS))
        self.forms.setUsesScrollButtons(True)
        self.copy_button = tool("copy", "Copy the request")
        self.code = CodeView("The request as code")
        self.note = Text("", "muted", wrap=True)
        for at, form in enumerate(FORMS):
            self.forms.setTabToolTip(at, form.runs)
        bar = row(self.forms, self.copy_button, gap=2, margins=(1, 0, 1.5, 0))
        bar.setStretch(0, 1)
        self._noted = area(column(self.note, margins=(3, 1.5, 3, 1.5)), "window", "b")
        whole_column = column(
            area(bar, "window", "b", metrics().tab + 1), self._noted, self.code, gap=0, margins=(0.25, 0, 0, 0)
        )
        whole_column.setStretch(2, 1)
        self.setLayout(whole_column)
        self.forms.currentChanged.connect(self._write)
        self.copy_button.clicked.connect(self._copy)
        self._show()

    def set_request(self, request: ComposedRequest | None) -> None:
        """None: the draft cannot be sent at present. The last one that could stays, and is told from a present one."""
        self._is_present = request is not None
        if request is not None:
            self._request = request
        self._write()

    @property
    def text(self) -> str:
        """The whole text of the form that is looked at, as it is copied; "" while there is none."""
        return "" if self._written is None else self._written.text

    @property
    def is_settled(self) -> bool:
        """Whether what is shown is of the newest request, in the form that is chosen."""
        return self._request is None or (
            self._written is not None
            and self._written.request is self._request
            and self._written.form == self.forms.currentIndex()
        )

    # -- writing

    @Slot()
    def _write(self) -> None:
        if not self.is_settled and not self._is_writing and self._request is not None:
            self._is_writing = True
            self._runner.start(
                partial(_write, self._request, self.forms.currentIndex()),
                title="Write the request as code",
                done=self._take,
                failed=self._failed,
                quiet=True,
            )
        self._show()

    @Slot(object)
    def _take(self, written: _Written) -> None:
        self._is_writing = False
        self._written = written
        self._write()  # it may have become another one meanwhile

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self._is_writing = False
        self._runner.error_raised.emit(error)

    # -- showing

    def _show(self) -> None:
        written = self._written if self.is_settled else None
        self.copy_button.setEnabled(written is not None and bool(written.text) and self._is_present)
        self.copy_button.setToolTip(self._copy_words)
        if self._request is None:
            self._show_text(NOTHING_YET)
        elif written is not None:
            self._show_text(shortened(written.text) if written.text else written.why)
        self.code.set_faded(not self._is_present or (written is not None and not written.text))
        said = [NOT_PRESENT] if self._request is not None and not self._is_present else []
        if written is not None and written.text and shortened(written.text) != written.text:
            said.append(SHORTENED.format(f"{len(written.text):,}"))
        self.note.setText(" ".join(said))
        self._noted.setVisible(bool(said))
        self.code.setAccessibleDescription(" ".join(said))

    @property
    def _copy_words(self) -> str:
        form = FORMS[self.forms.currentIndex()]
        return f"Copy: {form.title}. {form.runs}"

    def _show_text(self, text: str) -> None:
        if text == self.code.toPlainText():
            return
        at = self.code.verticalScrollBar().value()
        self.code.setPlainText(whole(text))
        self.code.verticalScrollBar().setValue(at)  # while something is typed, the place that is looked at stays
        self.shown.emit()

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(whole(self.text))


def shortened(text: str) -> str:
    """As much of a text as is shown: its first lines, and of each the beginning."""
    lines = text[: MOST_SHOWN + 1].split("\n")
    is_cut = len(text) > MOST_SHOWN
    shown = [line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…" for line in lines]
    return "\n".join([*shown, "…"] if is_cut else shown)


def _write(request: ComposedRequest, form: int, _ticket: Ticket) -> _Written:
    try:
        return _Written(request, form, FORMS[form].write(request))
    except DynodeskError as problem:
        return _Written(request, form, "", " ".join(explanation(problem)))
