"""What stands above an item: its entity and its key."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from dynodesk.domain.cells import visible
from dynodesk.domain.entities import EntityTypes
from dynodesk.domain.item_json import readable_key
from dynodesk.domain.tables import KeySchema
from dynodesk.domain.values import Binary, Item, Number, String
from dynodesk.ui.pages.browse_parts import ShortText
from dynodesk.ui.theme import Text, entity_ink
from dynodesk.ui.widgets.layouts import row

NOTHING = (String(""), Number(""), Binary(b""))
"""What the key of a new item has where it is still to be filled in."""


class ItemTitle(QWidget):
    """The entity word in its tint, and the key of the base table."""

    def __init__(self) -> None:
        super().__init__()
        self._entity = _EntityWord()
        self._key = ShortText("text", mono=True)
        self.setLayout(row(self._entity, self._key, gap=1.5))

    @property
    def text(self) -> str:
        return self._key.text

    def show_item(self, item: Item, schema: KeySchema, types: EntityTypes, *, is_new: bool = False) -> None:
        keys = {name: item[name] for name in schema.names if name in item and item[name] not in NOTHING}
        word = types.word_of(item, schema) if len(keys) == len(schema.names) else ""
        self._entity.set_word(word, types.tint_of(word))
        self._key.set_text(f"{'New: ' if is_new else ''}{visible(readable_key(keys))}")


class _EntityWord(QWidget):
    """The entity word in its tint."""

    def __init__(self) -> None:
        super().__init__()
        self._layout = row()
        self.setLayout(self._layout)
        self._shown = ("", "")

    def set_word(self, word: str, tint: str) -> None:
        if (word, tint) == self._shown:
            return
        self._shown = (word, tint)
        self.setVisible(bool(word))
        while (item := self._layout.takeAt(0)) is not None:
            old = item.widget()
            if old is not None:
                old.deleteLater()
        if word:
            self._layout.addWidget(Text(word, entity_ink(word, tint), "caption", "semibold"))
