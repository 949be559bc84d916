"""An `Asker` that remembers what it was asked and answers at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dynodesk.ui.asking import Question


class FakeAsker:
    """`answer` goes for every question; `path` is the file chosen, None stands for Cancel."""

    def __init__(self, *, answer: bool = True, path: Path | None = None) -> None:
        self.questions: list[Question] = []
        self.files: list[tuple[str, tuple[str, ...]]] = []
        self.suggested: list[str] = []
        self.answer = answer
        self.path = path

    def confirm(self, question: Question, then: Callable[[], object]) -> None:
        self.questions.append(question)
        if self.answer:
            then()

    def open_file(self, title: str, filters: tuple[str, ...], then: Callable[[Path], object]) -> None:
        self.files.append((title, filters))
        if self.path is not None:
            then(self.path)

    def save_file(self, title: str, filters: tuple[str, ...], suggested: str, then: Callable[[Path], object]) -> None:
        self.suggested.append(suggested)
        self.open_file(title, filters, then)
