"""A shop with something to repair, closed again after its test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from dynodesk.domain.profiles import Stage
from dynodesk.domain.values import Item
from tests.ui.dialogs.edit_shop import EditShop
from tests.ui.dialogs.repair_shop import Shop

NewShop = Callable[..., Shop]


class NewEditShop(Protocol):
    def __call__(self, *items: Item, read_only: bool = False, stage: Stage = "dev") -> EditShop: ...


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


@pytest.fixture
def edit_shop(dressed_application: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[NewEditShop]:
    shops: list[EditShop] = []

    def opened(*items: Item, read_only: bool = False, stage: Stage = "dev") -> EditShop:
        shops.append(EditShop(tmp_path / "journal", qtbot, *items, read_only=read_only, stage=stage))
        return shops[-1]

    yield opened
    for shop in shops:
        shop.end()
