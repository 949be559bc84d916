"""A key that a page and the window both claim does nothing at all: Qt calls it ambiguous."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from PySide6.QtGui import QKeySequence

from dynodesk.ui import pages
from dynodesk.ui.actions import Action, all_actions

MODULES = sorted(file.stem for folder in pages.__path__ for file in Path(folder).glob("*.py"))
FAMILIES = sorted({name.partition("_")[0] for name in MODULES if not name.startswith("__")})


def keys_of(actions: list[Action]) -> list[tuple[str, str]]:
    return [(QKeySequence(action.shortcut).toString(), action.id) for action in actions if action.shortcut]


def actions_of(family: str) -> list[Action]:
    """Those that the modules of a page describe."""
    found: dict[str, Action] = {}
    for name in MODULES:
        if name.partition("_")[0] == family:
            module = importlib.import_module(f"dynodesk.ui.pages.{name}")
            found |= {value.id: value for value in vars(module).values() if isinstance(value, Action)}
    return list(found.values())


def test_the_keys_of_the_window_are_each_for_one_action() -> None:
    keys = [key for key, _ in keys_of(list(all_actions()))]
    assert len(keys) > 10
    assert [key for key in keys if keys.count(key) > 1] == []


@pytest.mark.parametrize("family", FAMILIES)
def test_no_page_claims_a_key_of_the_window(family: str) -> None:
    taken = dict(keys_of(list(all_actions())))
    both = [(key, name, taken[key]) for key, name in keys_of(actions_of(family)) if key in taken]
    assert both == []
