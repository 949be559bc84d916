"""Loaded items are left out of the search for garbage as long as somebody keeps them."""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
from shiboken6 import Shiboken

from dynodesk.ui.models.kept_items import SET_ASIDE_EVERY, KeptItems


def test_items_are_set_aside_until_their_keeper_is_gone(qapp: QApplication) -> None:
    gc.unfreeze()
    keeper = QObject()
    kept = KeptItems(keeper)
    kept.count(SET_ASIDE_EVERY - 1)
    assert gc.get_freeze_count() == 0
    kept.count(1)
    assert gc.get_freeze_count() > 0
    Shiboken.delete(keeper)
    assert gc.get_freeze_count() == 0
