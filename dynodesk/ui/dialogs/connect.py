"""The dialogs that make a connection: filled in, tried out, kept if wanted, handed over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QCheckBox, QDialog, QLineEdit, QRadioButton, QScrollArea, QWidget

from dynodesk.domain.profiles import CredentialSource, Kind, Profile, Stage, new_profile_id
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.ui.dialogs.draft import Checked, Draft, Field
from dynodesk.ui.dialogs.form import Form, Remark, Row, SecretField
from dynodesk.ui.dialogs.outcome import Outcome
from dynodesk.ui.dialogs.words import (
    ADDRESS_HINT,
    SOURCES,
    STAGES,
    TITLES,
    kept_words,
    region_hint,
    source_hint,
    writing_words,
)
from dynodesk.ui.theme import Glyph, Text, metrics, px, ui_font
from dynodesk.ui.widgets.controls import button, combo, field
from dynodesk.ui.widgets.layouts import FlowLayout, activate_layouts, area, column, row
from dynodesk.ui.widgets.marks import Chip

if TYPE_CHECKING:
    from dynodesk.aws.config_files import AwsProfile, AwsProfiles
    from dynodesk.domain.profiles import Credentials
    from dynodesk.store.secrets import KeyringState
    from dynodesk.ui.jobs import Job, JobRunner
    from dynodesk.ui.shell import Connect
    from dynodesk.wiring import Connections


def connect_from(connections: Connections, runner: JobRunner, window: QWidget) -> Connect:
    """What opens the dialogs over a window."""

    def ask(kind: Kind, then: Callable[[Profile], object], *, change: Profile | None = None) -> None:
        dialog = ConnectDialog(kind, connections, runner, window, change)
        dialog.connected.connect(then)
        dialog.open()

    return ask


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the dialog has to know of this computer."""

    saved: tuple[Profile, ...]
    keyring: KeyringState
    aws: AwsProfiles


class ConnectDialog(QDialog):
    """Stays open until the connection works or the person gives up. Show it with `open`."""

    connected = Signal(object)
    """The `Profile`, once it was tried out and, where wanted, kept. The dialog is closed by then."""

    def __init__(
        self,
        kind: Kind,
        connections: Connections,
        runner: JobRunner,
        window: QWidget | None = None,
        change: Profile | None = None,
    ) -> None:
        """For a new connection of a kind, or with `change` for one that there is."""
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._kind, self._connections, self._runner = kind, connections, runner
        self._change = change
        self._id = new_profile_id() if change is None else change.id
        self._surroundings: Surroundings | None = None
        self._job: Job | None = None
        self._was_tried = False
        self._picked_source: CredentialSource | None = None
        self._picked_stage: Stage | None = None
        self._typed_name: str | None = None
        self._make_fields()
        self.outcome = Outcome()
        self.keep = QCheckBox("Keep this connection" if change is None else "Keep the changes")
        self.writes = QCheckBox("Let this connection write")
        for box in (self.keep, self.writes):
            box.setFont(ui_font())
        self.keep.setChecked(True)
        self.cancel_button = button("Cancel", keys="Esc")
        self.connect_button = button("Test and open", "plug", primary=True)
        self._arrange()
        if change is not None:
            self._fill_in(change)
        self._listen()
        self._show_state()
        (self.edits.get("address") or self.sources[self._draft().source]).setFocus()
        look = partial(_look_around, connections)
        runner.start(look, title="Look for a keyring and AWS profiles", done=self._show_surroundings)

    @property
    def words_on_keys(self) -> str:
        """Where the keys will be kept, as it is told."""
        return self._kept.text()

    # -- building

    def _make_fields(self) -> None:
        self.form = Form()
        self.rows: dict[Field, Row] = {}
        self.edits: dict[Field, QLineEdit] = {}
        if self._kind == "endpoint":
            self._add("address", field("Address", "http://127.0.0.1:8000"), ADDRESS_HINT)
        self.sources = {source: QRadioButton(SOURCES[source]) for source in Draft(self._id, self._kind).sources}
        choice = QWidget()
        choice.setAccessibleName("Credentials")
        choice.setLayout(FlowLayout(*self.sources.values(), gap=3, margins=(0, 1, 0, 0)))
        self._source_row = self.form.add("Credentials", choice)
        self.aws_profile = combo("AWS profile")
        self.rows["aws_profile"] = self.form.add("AWS profile", self.aws_profile)
        self._add("access_key_id", field("Access key id"))
        self.secret = SecretField("Secret access key")
        self.edits["secret_access_key"] = self.secret.edit
        self.rows["secret_access_key"] = self.form.add("Secret access key", self.secret)
        token = field("Session token")
        token.setEchoMode(QLineEdit.EchoMode.Password)
        self._add("session_token", token, "Only with temporary keys, whose id begins with ASIA.")
        self.notices = Remark()
        self.form.addWidget(self.notices, self.form.rowCount(), 1)
        self._add("region", field("Region"))
        self._add("name", field("Name", mono=False), "Shown at the left and in the connection bar.")
        self.stage = combo("Stage")
        for stage, words in STAGES.items():
            self.stage.addItem(words, stage)
        self.form.add("Stage", self.stage, "Production is marked in red wherever the connection is shown.")

    def _add(self, name: Field, edit: QLineEdit, hint: str = "") -> None:
        self.edits[name] = edit
        self.rows[name] = self.form.add(edit.accessibleName(), edit, hint)

    def _fill_in(self, profile: Profile) -> None:
        if profile.kind == "endpoint":
            self.edits["address"].setText(profile.endpoint_url)
        self.edits["region"].setText(profile.region)
        self.edits["name"].setText(profile.name)
        self._typed_name, self._picked_source, self._picked_stage = profile.name, profile.credentials, profile.stage
        self.writes.setChecked(not profile.read_only)

    def _arrange(self) -> None:
        title, says = TITLES[self._kind]
        if self._change is not None:
            title = "Change a connection"
        self.setWindowTitle(title)
        self._locked = Chip("READ-ONLY", "lock")
        heading = row(Text(title, size="title", weight="semibold"), None, self._locked)
        head = area(column(heading, Text(says, "text2", wrap=True), gap=1.5, margins=(5, 4, 5, 3.5)), "window", "b")
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.viewport().setBackgroundRole(QPalette.ColorRole.Window)
        self._scroll.setAccessibleName(title)
        self._fields = area(self.form)
        self._scroll.setWidget(self._fields)
        self._kept = Text("", "text2", wrap=True)
        self._writing = Text("", "text2", wrap=True)
        self._lock, self._pencil = Glyph("lock"), Glyph("edit")
        kept = row(Glyph("key"), self._kept, gap=2)
        writing = row(self._lock, self._pencil, self._writing, self.writes, gap=2)
        kept.setStretch(1, 1)
        writing.setStretch(2, 1)
        told = area(column(kept, writing, gap=1.5, margins=(5, 3, 5, 3)), "window", "t")
        last = row(self.keep, None, self.cancel_button, self.connect_button, gap=2, margins=(5, 0, 5, 0))
        foot = area(last, "window", "t", metrics().control + 6 * metrics().unit)
        self._around_form = (head, told, self.outcome, foot)
        parts = column(head, self._scroll, told, self.outcome, foot, gap=0)
        parts.setStretch(1, 1)
        self.setLayout(parts)

    def _listen(self) -> None:
        for name, edit in self.edits.items():
            if name != "name":
                edit.textChanged.connect(self._changed)
        self.edits["name"].textEdited.connect(self._type_name)
        for radio in self.sources.values():
            radio.clicked.connect(self._pick_source)
        self.aws_profile.currentIndexChanged.connect(self._changed)
        self.stage.activated.connect(self._pick_stage)
        self.keep.toggled.connect(self._changed)
        self.writes.toggled.connect(self._changed)
        self.secret.show_switch.toggled.connect(self._fit)
        self.cancel_button.clicked.connect(self.reject)
        self.connect_button.clicked.connect(self._try)

    # -- what is filled in

    def _text(self, name: Field) -> str:
        if name == "aws_profile":
            return self.aws_profile.currentText()
        edit = self.edits.get(name)
        return "" if edit is None else edit.text()

    def _draft(self) -> Draft:
        aws_profile = self._chosen_profile
        return Draft(
            id=self._id,
            kind=self._kind,
            address=self._text("address"),
            picked_source=self._picked_source,
            aws_profile=self._text("aws_profile"),
            aws_region="" if aws_profile is None else aws_profile.region,
            access_key_id=self._text("access_key_id"),
            secret_access_key=self._text("secret_access_key"),
            session_token=self._text("session_token"),
            region=self._text("region"),
            typed_name=self._typed_name,
            picked_stage=self._picked_stage,
            may_write=self.writes.isChecked(),
            keys_for=None if self._change is None or not self._change.secret else self._change.endpoint_url,
        )

    @property
    def _chosen_profile(self) -> AwsProfile | None:
        chosen = self.aws_profile.currentIndex()
        return None if self._surroundings is None or chosen < 0 else self._surroundings.aws.profiles[chosen]

    @property
    def _others(self) -> tuple[Profile, ...]:
        return () if self._surroundings is None else self._surroundings.saved

    @Slot()
    def _changed(self) -> None:
        self.outcome.clear()
        self._show_state()

    @Slot()
    def _pick_source(self) -> None:
        self._picked_source = next(source for source, radio in self.sources.items() if radio.isChecked())
        self._changed()

    @Slot()
    def _pick_stage(self) -> None:
        self._picked_stage = self.stage.currentData()
        self._changed()

    @Slot(str)
    def _type_name(self, text: str) -> None:
        self._typed_name = text
        self._changed()

    @Slot(object)
    def _show_surroundings(self, surroundings: Surroundings) -> None:
        self._surroundings = surroundings
        self.aws_profile.addItems([profile.name for profile in surroundings.aws.profiles])
        if self._change is not None and self._change.aws_profile:  # -1 where the files name it no longer
            self.aws_profile.setCurrentIndex(self.aws_profile.findText(self._change.aws_profile))
        if self._kind == "aws" and not surroundings.aws.profiles and self._picked_source is None:
            self._picked_source = "keys"
        self._show_state()

    # -- showing what follows

    def _show_state(self) -> Checked:
        draft = self._draft()
        checked = draft.checked(self._others)
        self._show_sources(draft)
        self._show_region_hint(draft)
        for name, content in self.rows.items():
            # what is empty is no mistake before the person wants to go on
            is_due = self._was_tried or bool(self._text(name))
            content.show_problem(checked.problems.get(name) if is_due else None)
        if self._typed_name is None:
            self.edits["name"].setText(draft.name(self._others))
        self.stage.setCurrentIndex(self.stage.findData(draft.stage))
        keyring = None if self._surroundings is None else self._surroundings.keyring
        self._writing.setText(writing_words(draft))
        self._lock.setHidden(draft.may_write)
        self._pencil.setVisible(draft.may_write)
        self._locked.setHidden(draft.may_write)
        self._kept.setText(kept_words(draft.source, self.keep.isChecked(), keyring))
        self._show_notices(draft, checked)
        self._fit()
        return checked

    def _show_sources(self, draft: Draft) -> None:
        for source, radio in self.sources.items():
            radio.setEnabled(source in draft.sources)
        self.sources[draft.source].setChecked(True)
        self._source_row.set_hint(source_hint(draft))
        self.rows["aws_profile"].set_visible(draft.source == "profile")
        for name in ("access_key_id", "secret_access_key", "session_token"):
            self.rows[name].set_visible(draft.source == "keys")
        kept = "Left empty, the keys from before go on being used." if draft.can_leave_keys else ""
        self.rows["access_key_id"].set_hint(kept)
        chosen = self._chosen_profile
        from_where = "" if chosen is None or not chosen.source else f"Its credentials come from {chosen.source}."
        nothing = self._surroundings is not None and not self._surroundings.aws.profiles
        self.rows["aws_profile"].set_hint("The AWS configuration files name no profile." if nothing else from_where)

    def _show_region_hint(self, draft: Draft) -> None:
        hint, example = region_hint(draft)
        self.rows["region"].set_hint(hint)
        self.edits["region"].setPlaceholderText(example)

    def _show_notices(self, draft: Draft, checked: Checked) -> None:
        notices = checked.notices
        if draft.source == "profile" and self._surroundings is not None:
            notices = self._surroundings.aws.problems
        self.notices.say("notice", "\n".join(notices))
        self.notices.setVisible(bool(notices))

    @Slot()
    def _fit(self) -> None:
        """As high as the content is, as far as the screen allows; beyond that the form scrolls."""
        activate_layouts(self)
        room = self.screen().availableSize()
        width = min(px(640), room.width())
        height = sum(_height(part, width) for part in (self._fields, *self._around_form))
        self.setFixedSize(width, min(height, round(0.9 * room.height())))

    # -- trying it

    @Slot()
    def _try(self) -> None:
        self._was_tried = True
        checked = self._show_state()
        if checked.problems:
            first = next(name for name in self.rows if name in checked.problems)
            self.rows[first].content.setFocus()
            self._scroll.ensureWidgetVisible(self.rows[first].remark)
            return
        profile = self._draft().profile(self._others)
        work = partial(_connected, self._connections, profile, checked.credentials, self.keep.isChecked())
        self._set_busy(True)
        self.outcome.show_running(f"Connecting to {profile.name}…")
        self._fit()
        self._job = self._runner.start(work, title=f"Try {profile.name}", done=self._succeeded, failed=self._failed)
        self._job.progressed.connect(self.outcome.show_progress)
        self._job.cancelled.connect(self._cancelled)

    def _set_busy(self, busy: bool) -> None:
        for widget in (self._scroll, self.keep, self.writes, self.connect_button):
            widget.setEnabled(not busy)
        (self.cancel_button if busy else self.connect_button).setFocus()

    @Slot(object)
    def _succeeded(self, profile: Profile) -> None:
        self._job = None
        self.accept()
        self.connected.emit(profile)

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self._job = None
        self._set_busy(False)
        self.outcome.show_error(error)
        self._fit()

    @Slot()
    def _cancelled(self) -> None:
        self._job = None
        self._set_busy(False)
        self.outcome.clear()
        self._fit()

    def reject(self) -> None:
        """Esc stops what runs; the next one closes the dialog."""
        if self._job is None:
            super().reject()
        else:
            self._job.cancel()
            self.outcome.show_running("Stopping…")


def _height(part: QWidget, width: int) -> int:
    if part.minimumHeight() == part.maximumHeight():
        return part.minimumHeight()
    return part.heightForWidth(width) if part.hasHeightForWidth() else part.sizeHint().height()


def _look_around(connections: Connections, _ticket: Ticket) -> Surroundings:
    return Surroundings(connections.saved(), connections.keyring(), connections.aws_profiles())


def _connected(
    connections: Connections, profile: Profile, credentials: Credentials | None, keep: bool, ticket: Ticket
) -> Profile:
    profile = connections.try_out(profile, credentials, ticket)
    if keep:
        ticket.checkpoint(Progress(0, note="It works. Keeping it…"))
        return connections.save(profile, credentials)
    if credentials is not None:
        connections.hold(profile, credentials)
    return profile
