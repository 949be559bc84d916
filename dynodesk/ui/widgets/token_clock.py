"""The token of a transaction, and how long it still keeps a repetition from being done twice."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from dynodesk.domain.actions import TOKEN_SECONDS
from dynodesk.ui.actions import Action, make, tool_for
from dynodesk.ui.theme import Glyph, Text
from dynodesk.ui.widgets.layouts import row
from dynodesk.ui.widgets.tips import plain_tip

RENEW = Action(
    "new-token", "Make a new token", "Make a new token: the transaction counts as another one then.", "", "refresh"
)
TICK = 1_000
"""Milliseconds."""
EXPLAINED = (
    "The token makes it safe to send the transaction again.\n"
    "For ten minutes the service does not do the same transaction with the same token twice: it only says what became "
    "of it. Another transaction with this token is refused.\n"
    "After ten minutes the token says nothing any more, so a new one is made."
)
EXPIRED = "expired: a new one is made"


def short_token(token: str) -> str:
    """`7d1e…40c2`; a short one whole."""
    return token if len(token) <= 12 else f"{token[:4]}…{token[-4:]}"


def left_words(seconds: float) -> str:
    """`9:12 left`."""
    whole = max(0, int(seconds))
    return f"{whole // 60}:{whole % 60:02} left"


class TokenClock(QWidget):
    """Counts down by itself while it is seen, once the token was sent."""

    renew_asked = Signal()
    """Somebody wants a new token."""
    expired = Signal()
    """The ten minutes are over: sent again, the transaction would be done again. Once for each token."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        """`now`: the time of day in seconds, as `sent_at` is told in."""
        super().__init__()
        self._now = now
        self._token = ""
        self._sent_at: float | None = None
        self._is_over = False
        self._word = Text("", "text2")
        self._short = Text("", "text2", mono=True)
        self._left = Text("", weight="semibold")
        self.renew_action = make(RENEW, self, self.renew_asked.emit)
        self.renew_button = tool_for(self.renew_action)
        self.setLayout(row(Glyph("watch"), self._word, self._short, self._left, self.renew_button, gap=1.5))
        self._timer = QTimer(self)
        self._timer.setInterval(TICK)
        self._timer.timeout.connect(self._tick)
        self.show_token("")

    @property
    def token(self) -> str:
        return self._token

    @property
    def words(self) -> str:
        """What is shown, as it is read aloud."""
        return self.accessibleName()

    @property
    def seconds_left(self) -> float | None:
        """None: the token was not sent yet. 0: it is used up."""
        return None if self._sent_at is None else max(0.0, self._sent_at + TOKEN_SECONDS - self._now())

    @property
    def is_running(self) -> bool:
        return self._timer.isActive()

    def show_token(self, token: str, sent_at: float | None = None) -> None:
        """`sent_at`: when it was sent first; None: it was not. "": there is no token, and nothing is shown."""
        self._token, self._sent_at, self._is_over = token, sent_at, False
        self.setHidden(not token)
        self.renew_action.setEnabled(bool(token))
        tip = plain_tip(f"{token}\n\n{EXPLAINED}") if token else ""
        for part in (self, self._word, self._short, self._left):
            part.setToolTip(tip)
        self._tick()

    @Slot()
    def _tick(self) -> None:
        left = self.seconds_left
        self._word.setText("new token" if left is None else "token")
        self._short.setText(short_token(self._token))
        self._left.setText("" if left is None else left_words(left) if left else EXPIRED)
        self._left.setHidden(left is None)
        self.setAccessibleName(" ".join(filter(None, (self._word.text(), self._short.text(), self._left.text()))))
        self.setAccessibleDescription(EXPLAINED)
        if left and self.isVisible():
            self._timer.start()
        else:
            self._timer.stop()
        if left == 0 and self._token and not self._is_over:
            self._is_over = True
            self.expired.emit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._tick()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()
