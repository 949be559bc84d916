"""A brake that others can pull: while a file exists, the run waits. For whoever is on call and has no terminal here."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

from dynodesk.cli.diagnostics import say
from dynodesk.domain.progress import Ticket

LOOK_EVERY = 0.5
"""Seconds between two looks for the file."""


@contextlib.contextmanager
def braked_by(file: Path | None, ticket: Ticket) -> Iterator[None]:
    """Within it the ticket is paused as long as the file exists. None: nobody brakes."""
    if file is None:
        yield
        return
    over = threading.Event()

    def look() -> None:
        while True:
            exists = file.exists()
            if exists and not ticket.paused:
                say(f"paused: {file} exists")
                ticket.pause()
            elif not exists and ticket.paused:
                say("going on")
                ticket.resume()
            if over.wait(LOOK_EVERY):
                return

    if file.exists():  # before anything is read
        say(f"paused: {file} exists")
        ticket.pause()
    thread = threading.Thread(target=look, name="brake", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
