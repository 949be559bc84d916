"""The token of the request that is composed: which it is, what was sent with it, and when it has to be another one."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Signal, Slot

from dynodesk.domain.actions import new_token
from dynodesk.domain.composition import Draft
from dynodesk.ui.widgets.token_clock import TokenClock


class RequestToken(QObject):
    renewed = Signal()

    def __init__(self, clock: TokenClock, parent: QObject) -> None:
        super().__init__(parent)
        self._clock = clock
        self._text = new_token()
        self._is_used = True
        self._sent: tuple[Draft, float] | None = None
        """What was sent with it, and when for the first time, in seconds since 1970."""
        clock.renew_asked.connect(self.renew)
        clock.expired.connect(self.renew)

    @property
    def text(self) -> str:
        """ "" where the request takes none."""
        return self._text if self._is_used else ""

    @property
    def sent_at(self) -> float | None:
        """None: nothing was sent with it."""
        return None if self._sent is None else self._sent[1]

    def take(self, draft: Draft, *, is_used: bool) -> None:
        """The one that a draft brings along; a new one where it brings none."""
        text = draft.token or (self._text if self._sent is None else new_token())
        if text != self._text:
            self._sent = None
        self._text, self._is_used = text, is_used
        self._show()

    def note_sent(self, draft: Draft, at: float | None = None) -> None:
        """The draft is sent with it now, or was at some time before."""
        if self._is_used and self._sent is None:
            self._sent = draft, time.time() if at is None else at
        self._show()

    def follow(self, draft: Draft) -> None:
        """With the token of what was sent another request is refused: it has to have its own."""
        if self._is_used and self._sent is not None and draft != self._sent[0]:
            self.renew()

    @Slot()
    def renew(self) -> None:
        """The request counts as another one from here on."""
        self._text, self._sent = new_token(), None
        self._show()
        self.renewed.emit()

    def _show(self) -> None:
        self._clock.show_token(self.text, self.sent_at)
