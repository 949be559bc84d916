"""A shop with something to repair, closed again after its test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.ui.dialogs.repair_shop import Shop

NewShop = Callable[..., Shop]


@pytest.fixture
def new_shop(dressed_application: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[NewShop]:
    shops: list[Shop] = []

    def opened(*items: object, **more: object) -> Shop:
        shops.append(Shop(tmp_path / "journal", qtbot, *items, **more))  # type: ignore[arg-type]
        return shops[-1]

    yield opened
    for shop in shops:
        assert shop.runner.shutdown()
        shop.runner.deleteLater()


@pytest.fixture
def shop(new_shop: NewShop) -> Shop:
    return new_shop()
