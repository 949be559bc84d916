"""What a run is asked to do: which rules of which file, over which parents, and what that will read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, QTimer, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QRadioButton, QWidget

from dynodesk.domain.cells import visible
from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.pacing import Limits
from dynodesk.domain.tallies import TallyRule
from dynodesk.reconcile.plan import Plan
from dynodesk.ui.actions import button_for
from dynodesk.ui.pages.reconcile_parts import LinesField, Span, Spans
from dynodesk.ui.pages.reconcile_work import Wish
from dynodesk.ui.theme import Glyph, Text, metrics, px, ui_font
from dynodesk.ui.widgets.controls import button, combo, field
from dynodesk.ui.widgets.layouts import Area, FlowLayout, column, row

LONGEST_NAME = 40
"""Characters of a rule's name beside its box; the whole name is its tip."""
LEAST_UNITS, MOST_UNITS = Decimal("0.001"), Decimal(10) ** 15
"""Fewer a second than this is longer than anybody waits for one reply; more than this nobody pays for."""
PAUSE_IN_TYPING = 250
"""Milliseconds after the last key before typed parents are looked at."""


class RunForm(Area):
    """The form above the findings. It knows what is asked for, the page knows what came of it."""

    path_chosen = Signal(object)
    """A rules file chosen from the list."""
    changed = Signal()
    """Something is asked for that was not before: the plan is to be made again."""
    stop_asked = Signal()

    def __init__(
        self, samples: Sequence[Path], tools: Mapping[QAction, str], watch: QAction, run: QAction, pause: QAction
    ) -> None:
        """`tools` are what can be done with rules files, each with the words on its button."""
        super().__init__("window", "b")
        self._loaded: tuple[TallyRule, ...] = ()
        self._unticked: set[str] = set()
        self._boxes: dict[str, QCheckBox] = {}
        self._paths: list[Path] = []

        self.files = combo("Rules file", 150)
        for path in samples:
            self._add_path(path)
        buttons = [button_for(action, tone="quiet", text=words) for action, words in tools.items()]
        for made, action in zip(buttons, tools, strict=True):
            made.setAccessibleName(action.text())
        self._rules = FlowLayout(gap=2.5)
        rules = row(Text("Rules", "text2"), self.files, 1, self._rules, *buttons, gap=2, margins=(3, 2, 2, 0.5))
        rules.setStretch(3, 1)

        self.whole = QRadioButton("Whole table")
        self.chosen = QRadioButton("Chosen parents")
        self.everyone = QCheckBox("Confirm every parent")
        self.everyone.setToolTip("Also those that look right in the sweep: nothing is missed, and it costs more.")
        self._scope = QButtonGroup(self)
        for choice in (self.whole, self.chosen):
            self._scope.addButton(choice)
        for box in (self.whole, self.chosen, self.everyone):
            box.setFont(ui_font())
            box.setMinimumHeight(metrics().control)
            box.setAccessibleName(box.text())
        self.whole.setChecked(True)
        self.rate = field("Read at most, RCU a second", "any rate", 76, mono=False)
        self.rate.setToolTip("Read units a second. Empty: as fast as the table answers.")
        self.budget = field("End after, RCU", "no budget", 80, mono=False)
        self.budget.setToolTip("Read units after which the run ends, with what it has. Empty: none.")
        pace = (
            Text("At most", "text2"),
            self.rate,
            Text("RCU/s, end after", "text2"),
            self.budget,
            Text("RCU", "text2"),
        )
        self.run = button_for(run, primary=True)
        self.pause = button_for(pause)
        self._named_after = {self.run: run, self.pause: pause}
        for action in self._named_after.values():
            action.changed.connect(self._show_names)
        self.stop = button("Stop", "debug-stop", "Esc")
        self.stop.setToolTip("Stop the run. What is confirmed by then stays.")
        self.stop.hide()
        for widget in pace:
            widget.setMinimumHeight(metrics().control)
        pacing = QWidget()
        pacing.setLayout(row(*pace, gap=1.5))
        scope = FlowLayout(Text("Scope", "text2"), self.whole, self.chosen, self.everyone, pacing, gap=2.5)
        watcher = button_for(watch, tone="quiet")
        choices = row(scope, watcher, self.run, self.pause, self.stop, gap=2, margins=(3, 0.5, 2, 0.5))
        choices.setStretch(0, 1)

        self.parents = LinesField("Chosen parents, one a line", 3)
        self._advice = Text("", "muted", wrap=True)
        self._sign = Glyph("error", "danger", metrics().icon - 2)
        self._wrong = Text("", "danger", wrap=True)
        trouble = row(self._sign, self._wrong, gap=1)
        trouble.setStretch(1, 1)
        typed = column(self._advice, self.parents, trouble, gap=1, margins=(3, 1, 2, 0.5))
        self._typed = QWidget()
        self._typed.setLayout(typed)
        self._typed.setMaximumWidth(px(760))
        self._typed.hide()

        self.plan = Spans()
        plan = row(Text("Plan", "text2"), self.plan, gap=2, margins=(3, 0.5, 2, 2))
        plan.setStretch(1, 1)
        self.setLayout(column(rules, choices, self._typed, plan, gap=0))
        self._say_wrong(None)

        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(PAUSE_IN_TYPING)
        self._typing.timeout.connect(self.changed)
        self.files.activated.connect(self._file_chosen)
        self._scope.buttonToggled.connect(self._scope_changed)
        self.everyone.toggled.connect(self.changed)
        for edit in (self.rate, self.budget):
            edit.textChanged.connect(self._pace_changed)
        self.parents.edit.textChanged.connect(self._typing.start)
        self.stop.clicked.connect(self.stop_asked)

    # -- the rules file

    @property
    def path(self) -> Path:
        return self._paths[self.files.currentIndex()]

    def show_path(self, path: Path) -> None:
        """The file is the one in force; one that is not in the list yet joins it."""
        if path not in self._paths:
            self._add_path(path)
        with QSignalBlocker(self.files):
            self.files.setCurrentIndex(self._paths.index(path))
        self.files.setToolTip(str(path))

    def _add_path(self, path: Path) -> None:
        same = any(path.name == other.name for other in self._paths)
        self._paths.append(path)
        self.files.addItem(visible(f"{path.parent.name}/{path.name}" if same else path.name))

    @Slot(int)
    def _file_chosen(self, at: int) -> None:
        self.path_chosen.emit(self._paths[at])

    def show_rules(self, rules: Sequence[TallyRule]) -> None:
        """A box for each rule. One that was unticked stays so when the file is read again."""
        while (item := self._rules.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self._loaded = tuple(rules)
        self._boxes = {}
        for rule in rules:
            name = visible(rule.name)
            box = QCheckBox(name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…")
            box.setText(box.text().replace("&", "&&"))
            box.setFont(ui_font())
            box.setMinimumHeight(metrics().control)
            box.setAccessibleName(name)
            box.setToolTip(f"{name}: {visible(rule.words)}")
            box.setChecked(rule.name not in self._unticked)
            box.toggled.connect(self._rules_ticked)
            self._boxes[rule.name] = box
            self._rules.addWidget(box)
        self._advice.setText(
            f"One parent a line: what the rule captures, as in {_example(rules)}, or its key as DynamoDB JSON."
        )

    @property
    def rule_boxes(self) -> tuple[QCheckBox, ...]:
        """One for each rule, in the file's order."""
        return tuple(self._boxes.values())

    def forget_rules(self) -> None:
        self._unticked.clear()
        self.show_rules(())

    @Slot()
    def _rules_ticked(self) -> None:
        self._unticked = {name for name, box in self._boxes.items() if not box.isChecked()}
        self.changed.emit()

    # -- the scope

    @property
    def wish(self) -> Wish:
        names = frozenset(name for name, box in self._boxes.items() if box.isChecked())
        limits = Limits(read_units(self.budget.text()), read_units(self.rate.text()))
        if self.whole.isChecked():
            return Wish(names, everyone=self.everyone.isChecked(), limits=limits)
        lines = (line.strip() for line in self.parents.edit.toPlainText().splitlines())
        return Wish(names, tuple(line for line in lines if line), limits=limits)

    @property
    def wrong_pace(self) -> str:
        """What is wrong with rate or budget; "": nothing."""
        wrong = [edit for edit in (self.rate, self.budget) if edit.text().strip() and not read_units(edit.text())]
        return f"{wrong[0].accessibleName()}: write a number above 0, or nothing." if wrong else ""

    @Slot()
    def _pace_changed(self) -> None:
        for edit in (self.rate, self.budget):
            edit.setProperty("invalid", bool(edit.text().strip()) and not read_units(edit.text()))
            edit.update()
        self.changed.emit()

    @Slot()
    def _scope_changed(self) -> None:
        chosen = self.chosen.isChecked()
        self._typed.setVisible(chosen)
        self.everyone.setEnabled(not chosen)
        if chosen:
            self.parents.setFocus()
        self.changed.emit()

    # -- what comes of it

    @Slot()
    def _show_names(self) -> None:
        for shown, action in self._named_after.items():
            shown.setText(action.text())
            shown.setAccessibleName(action.text())

    def show_plan(self, plan: Plan) -> None:
        self._say_wrong(None)
        self.plan.set_spans((Span(plan.what, weight="medium"), Span(f"· {plan.cost}", "text2")))
        self.plan.setToolTip(f"{plan.what} · {plan.cost}")

    def show_words(self, words: str) -> None:
        """In place of a plan."""
        self._say_wrong(None)
        self.plan.set_spans((Span(words, "muted"),))
        self.plan.setToolTip("")

    def show_refusal(self, error: DynodeskError) -> None:
        """What is wrong with the typed parents, at their field."""
        self.show_words("Nothing can be read before the parents are right.")
        self._say_wrong(error)

    def _say_wrong(self, error: DynodeskError | None) -> None:
        self.parents.set_invalid(error is not None)
        self._sign.setVisible(error is not None)
        self._wrong.setVisible(error is not None)
        if error is not None:
            words = visible(" ".join(part for part in (f"{error.message.rstrip('.')}.", error.hint) if part))
            self._wrong.setText(words)
            self.parents.edit.setAccessibleDescription(words)
        else:
            self.parents.edit.setAccessibleDescription(self._advice.text())

    def show_running(self, running: bool) -> None:
        """While a run goes on it can be stopped, and what it does cannot be changed."""
        pressed = self.run.hasFocus() or self.stop.hasFocus() or self.pause.hasFocus()
        asked = (self.files, self.whole, self.chosen, self.parents, self.rate, self.budget)
        for widget in (*asked, *self._boxes.values()):
            widget.setEnabled(not running)
        self.everyone.setEnabled(not running and self.whole.isChecked())
        self.run.setHidden(running)
        self.pause.setHidden(not running)
        self.stop.setHidden(not running)
        if pressed:
            (self.stop if running else self.run).setFocus()


def read_units(text: str) -> Decimal | None:
    """Read units as typed; None where it is no number of them."""
    try:
        units = Decimal(text.strip())
    except InvalidOperation:
        return None
    return units if units.is_finite() and LEAST_UNITS <= units <= MOST_UNITS else None


def _example(rules: Sequence[TallyRule]) -> str:
    """`post=…` for each way in which the rules name a parent; one that is in the sandbox where there are none."""
    named = dict.fromkeys(",".join(f"{name}=…" for name in sorted(rule.parent.captures)) for rule in rules)
    return visible(" or ".join(example for example in named if example)) or "post=a91f"
