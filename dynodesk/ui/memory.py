"""What the window remembers between runs: where it was, how wide its panels were, which colours."""

from __future__ import annotations

import logging

from PySide6.QtCore import QByteArray, QSize
from PySide6.QtWidgets import QMainWindow, QSplitter, QWidget

from dynodesk.domain.errors import DynodeskError
from dynodesk.ui.shell import SavedSettings
from dynodesk.ui.theme import Choice, px

log = logging.getLogger(__name__)

PANELS = (216, 884, 340)
"""Navigator, pages, walk: widths for the default text size."""
FRAME = QSize(16, 48)
"""Room for the frame and title of a window, which nobody knows before it is shown."""


class WindowMemory:
    """Settings that make no sense, whoever wrote them, are as good as none."""

    def __init__(self, settings: SavedSettings) -> None:
        self._settings = settings
        self._values = settings.load()

    def restore(self, window: QMainWindow, splitter: QSplitter, walk: QWidget) -> None:
        geometry = self._values.get("window")
        if not isinstance(geometry, str) or not window.restoreGeometry(QByteArray.fromBase64(geometry.encode())):
            window.resize(QSize(px(1440), px(900)).boundedTo(window.screen().availableSize() - FRAME))
        panels = self._values.get("panels")
        sizes = [size for size in panels if type(size) is int] if isinstance(panels, list) else []
        splitter.setSizes(sizes if len(sizes) == len(PANELS) else [px(width) for width in PANELS])
        walk.setHidden(self._values.get("walk") is False)

    def remember(self, window: QMainWindow, splitter: QSplitter, walk: QWidget, scheme: Choice) -> None:
        self._values |= {
            "window": bytes(window.saveGeometry().toBase64().data()).decode(),
            "walk": not walk.isHidden(),
            "scheme": scheme,
        }
        if all(splitter.sizes()):  # a hidden panel has no width to remember
            self._values["panels"] = splitter.sizes()
        try:
            self._settings.save(self._values)
        except DynodeskError as error:
            log.warning("The settings were not saved: %s", error)  # the window closes: nobody would read a message
