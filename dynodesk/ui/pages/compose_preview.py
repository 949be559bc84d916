"""The composed request as it will be sent, and as code that sends it from elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QGuiApplication

from dynodesk.codegen import LANGUAGES, Place
from dynodesk.composing.words import sentences
from dynodesk.domain import repairs
from dynodesk.domain.action_json import parameters_json
from dynodesk.domain.actions import ComposedRequest
from dynodesk.domain.errors import DynodeskError, explanation
from dynodesk.domain.profiles import Profile
from dynodesk.domain.progress import Ticket
from dynodesk.ui.actions import Action, make, tool_for
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.theme import Text, metrics
from dynodesk.ui.widgets.code import CodeView
from dynodesk.ui.widgets.controls import sub_tabs
from dynodesk.ui.widgets.layouts import Area, area, column, row
from dynodesk.ui.widgets.whole_text import whole

MOST_SHOWN = 60_000
"""Characters that are shown: more of them would hold the window up."""
LONGEST_LINE = 2_000
"""Characters of a line that are shown."""
NOTHING_YET = "The request is shown here once it can be sent."
NOT_PRESENT = "Not the present request: this one could be sent last. The checks say what is wrong now."
SHORTENED = "Too long to be shown whole: {} characters. Copy gives all of it."


COPY = Action("copy-request", "Copy the request", "Copy the request as the code that is seen.", "Ctrl+Shift+C", "copy")
RUNS = {
    "Request JSON": "The parameters in DynamoDB JSON, exactly as they are sent.",
    "AWS CLI": "Runs in a POSIX shell with the AWS CLI, version 2.",
    "boto3": "Runs in Python with boto3.",
    "JavaScript": "Runs in Node.js with the AWS SDK for JavaScript, version 3.",
    "Java": "Compiles with the AWS SDK for Java, version 2.",
    "Go": "Compiles with the AWS SDK for Go, version 2.",
    "PartiQL": "Runs as a statement of PartiQL, in the console or by ExecuteStatement.",
}
"""Where the text of each language runs, in a sentence."""


def code_place(profile: Profile, place: repairs.Place) -> Place:
    """Where code for a connection sends its requests."""
    return Place(place.region, "" if profile.kind == "aws" else place.endpoint)


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

    def __init__(self, runner: JobRunner, place: Place) -> None:
        super().__init__("base", "l")
        self._runner, self._place = runner, place
        self._request: ComposedRequest | None = None
        """The newest that could be sent."""
        self._is_present = False
        self._is_writing = False
        self._written: _Written | None = None
        self.forms = sub_tabs("The request as", *(language.name for language in LANGUAGES))
        self.forms.setUsesScrollButtons(True)
        self.copy_action = make(COPY, self, self.copy)
        self.copy_button = tool_for(self.copy_action)
        self.code = CodeView("The request as code")
        self.code.setTabStopDistance(4 * self.code.fontMetrics().horizontalAdvance(" "))
        self.note = Text("", "muted", wrap=True)
        for at, language in enumerate(LANGUAGES):
            self.forms.setTabToolTip(at, RUNS[language.name])
        bar = row(self.forms, self.copy_button, gap=2, margins=(1, 0, 1.5, 0))
        bar.setStretch(0, 1)
        self._noted = area(column(self.note, margins=(3, 1.5, 3, 1.5)), "window", "b")
        whole_column = column(
            area(bar, "window", "b", metrics().tab + 1), self._noted, self.code, gap=0, margins=(0.25, 0, 0, 0)
        )
        whole_column.setStretch(2, 1)
        self.setLayout(whole_column)
        self.forms.currentChanged.connect(self._write)
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
                partial(_write, self._request, self.forms.currentIndex(), self._place),
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
        self.copy_action.setEnabled(written is not None and bool(written.text) and self._is_present)
        self.copy_action.setToolTip(self._copy_words)
        if self._request is None:
            self._show_text(NOTHING_YET, is_code=False)
        elif written is not None:
            self._show_text(shortened(written.text) or written.why, is_code=bool(written.text))
        self.code.set_faded(not self._is_present or (written is not None and not written.text))
        said = [NOT_PRESENT] if self._request is not None and not self._is_present else []
        if written is not None and written.text and shortened(written.text) != written.text:
            said.append(SHORTENED.format(f"{len(written.text):,}"))
        self.note.setText(" ".join(said))
        self._noted.setVisible(bool(said))
        self.code.setAccessibleDescription(" ".join(said))

    @property
    def _copy_words(self) -> str:
        name = LANGUAGES[self.forms.currentIndex()].name
        return f"Copy: {name}. {RUNS[name]} {COPY.shortcut}"

    def _show_text(self, text: str, *, is_code: bool) -> None:
        wrap = self.code.LineWrapMode  # of code what is indented shows how it hangs together
        self.code.setLineWrapMode(wrap.NoWrap if is_code else wrap.WidgetWidth)
        if text == self.code.toPlainText():
            return
        at = self.code.verticalScrollBar().value()
        self.code.setPlainText(whole(text))
        self.code.verticalScrollBar().setValue(at)  # while something is typed, the place that is looked at stays
        self.shown.emit()

    @Slot()
    def copy(self) -> None:
        """The whole text."""
        QGuiApplication.clipboard().setText(whole(self.text))


def shortened(text: str) -> str:
    """As much of a text as is shown: its first lines, and of each the beginning."""
    lines = text[: MOST_SHOWN + 1].split("\n")
    is_cut = len(text) > MOST_SHOWN
    shown = [line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…" for line in lines]
    return "\n".join([*shown, "…"] if is_cut else shown)


def _write(request: ComposedRequest, form: int, place: Place, _ticket: Ticket) -> _Written:
    try:
        return _Written(request, form, LANGUAGES[form].write(request.operation, parameters_json(request), place))
    except DynodeskError as problem:
        nothing = f"There is no {LANGUAGES[form].name} for this request"
        return _Written(request, form, "", sentences(nothing, *explanation(problem)))
