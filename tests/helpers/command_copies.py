"""Copies of a program that has loaded dynodesk, one for each command: its loading is most of a short command.

As a program it reads a command a line from stdin, and answers each with the number of its process and, when that has
ended, with its exit status. Needs `os.fork`.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import runpy
import sys
from typing import IO, TypedDict

LOADED = ("aws", "cli", "reports", "workbench")


class Command(TypedDict):
    arguments: list[str]
    environment: dict[str, str]
    folder: str
    out: str
    err: str


def main(asked: IO[str], told: IO[str]) -> None:
    for part in LOADED:
        package = importlib.import_module(f"dynodesk.{part}")
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    gc.freeze()  # what is loaded stays in the memory that all copies share
    for line in asked:
        process = os.fork()
        if not process:
            become(json.loads(line))
            return
        print(process, file=told, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), file=told, flush=True)


def become(command: Command) -> None:
    """Go on as `python -m dynodesk`, and end as that ends."""
    os.chdir(command["folder"])
    os.environ.clear()
    os.environ.update(command["environment"])
    writing = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    for number, file, how in ((0, os.devnull, os.O_RDONLY), (1, command["out"], writing), (2, command["err"], writing)):
        opened = os.open(file, how)
        os.dup2(opened, number)
        os.close(opened)
    sys.argv = ["dynodesk", *command["arguments"]]
    runpy.run_module("dynodesk", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(sys.stdin, sys.stdout)
