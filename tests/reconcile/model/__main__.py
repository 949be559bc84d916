"""Prints which protocol is sound in which scene, with the states explored: `python -m tests.reconcile.model`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from string import ascii_uppercase

from tests.reconcile.model.catalogue import NAIVE, SCENES, ours, ours_with_marker, ours_without_version
from tests.reconcile.model.checker import Model
from tests.reconcile.model.tools import Tool
from tests.reconcile.model.world import Scene


def always(tool: Tool) -> Callable[[Scene], Tool]:
    return lambda _: tool


def main() -> None:
    rows = [always(tool) for tool in NAIVE.values()] + [ours_without_version, ours_with_marker, ours]
    write = sys.stdout.write
    for letter, scene in zip(ascii_uppercase, SCENES, strict=False):
        write(f"{letter}  {scene.name}\n")
    write(f"\n{'':52}{''.join(f'{letter:>8}' for letter in ascii_uppercase[: len(SCENES)])}\n")
    began, total = time.monotonic(), 0
    for row in rows:
        results = [Model(scene, row(scene)).explore() for scene in SCENES]
        total += sum(result.states for result in results)
        cells = (f"{'' if result.is_sound else 'x '}{result.states}" for result in results)
        write(f"{row(SCENES[0]).name:52}{''.join(f'{cell:>8}' for cell in cells)}\n")
    write(
        f"\n{total} states in {time.monotonic() - began:.1f} s. x: something wrong was said or written on some path.\n"
    )


main()
