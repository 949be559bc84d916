"""No fault is without a test, and no test is only claimed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.faults.matrix import ROWS, Row

TESTS = Path(__file__).resolve().parent.parent


@cache
def names_in(file: str) -> frozenset[str]:
    return frozenset(_names(ast.parse((TESTS / f"{file}.py").read_text(encoding="utf-8"))))


def _names(tree: ast.AST) -> Iterator[str]:
    """Of the tests that are collected, and not skipped or expected to fail whatever happens."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            marks = [ast.unparse(mark) for mark in node.decorator_list]
            if not any(mark.startswith(("pytest.mark.skip(", "pytest.mark.xfail")) for mark in marks):
                yield node.name


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row.fault))
def test_every_fault_is_held_by_tests_that_there_are(row: Row) -> None:
    assert row.tests
    for claimed in row.tests:
        file, _, name = claimed.partition(": ")
        assert name in names_in(file), claimed


def test_every_fault_is_named_once() -> None:
    assert len({row.fault for row in ROWS}) == len(ROWS) == 61
    assert all(row.outcome for row in ROWS)
    assert all(len(set(row.tests)) == len(row.tests) for row in ROWS)


def test_a_claim_that_does_not_hold_is_found() -> None:
    assert "test_nobody_wrote_this" not in names_in("faults/test_matrix")
    skipped = "@pytest.mark.skip('later')\ndef test_a(): ...\n@pytest.mark.skipif(x)\ndef test_b(): ...\n"
    assert list(_names(ast.parse(skipped))) == ["test_b"]
