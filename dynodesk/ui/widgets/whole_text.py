"""Texts on their way into Qt."""

from __future__ import annotations

_MARKS = ("\ufeff", "\ufffe")


def whole(text: str) -> str:
    """What Qt has to be given to hold the text with every character.

    PySide takes U+FEFF or U+FFFE at the beginning for a mark of the byte order: it leaves it out, and U+FFFE turns all
    that follows into other characters. With one more U+FEFF before it the rest is taken as it is.
    """
    return f"\ufeff{text}" if text.startswith(_MARKS) else text
