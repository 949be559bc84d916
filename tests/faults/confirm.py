"""Confirmations in random worlds in virtual time, judged by what was really so.

`python -m tests.faults.confirm --count 100000` prints the figures as JSON. A world of which something false was said is
named by its seed; `--world SEED` plays it again and prints everything that happened in it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time

from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.item_json import readable
from dynodesk.domain.progress import Ticket
from dynodesk.domain.values import Item
from tests.faults.figures import Figures
from tests.faults.repairing import repair_in
from tests.reconcile.model.world import Truth
from tests.simulator.naive import NAIVE
from tests.simulator.tables import Address, Table
from tests.simulator.worlds import World, world

NAIVE_SHARE = 0.3
"""Of the posts, those that the naive protocols look at before ours does."""
TWO_TOOLS = 0.2
"""Of the worlds, those in which a second tool does the same at the same time."""


def confirm_in_worlds(seed: str, count: int, repairs: int = 0) -> Figures:
    """Worlds after one another: until there were so many repairs, and then so many confirmations.

    A seed always gives the same. The confirmations that belong to repairs come on top.
    """
    figures = Figures()
    while figures.made_repairs < repairs:
        repair_in(world(f"{seed}:r{figures.worlds}", to_repair=True), figures)
        figures.worlds += 1
    with_repairs = figures.confirmations
    while figures.confirmations < with_repairs + count:
        confirm_in(world(f"{seed}:{figures.worlds}"), figures)
        figures.worlds += 1
    return figures


def confirm_in(made: World, figures: Figures) -> None:
    """Confirm every post of a world; in some worlds with a second tool beside the first."""
    second, ticket = None, Ticket()
    if made.chance.random() < TWO_TOOLS:
        second = made.timeline.in_thread(lambda: _confirm_all(made, figures, ticket, "tool-2"))
        made.timeline.start(second, made.chance.uniform(0, 10))
    _ask_naive(made, figures)
    _confirm_all(made, figures, Ticket(), "")
    while second is not None and not second.is_over:
        made.timeline.step()


def _confirm_all(made: World, figures: Figures, ticket: Ticket, tool: str) -> None:
    suspects = [made.suspect(number) for number in range(len(made.posts))]
    numbers = {id(suspect): number for number, suspect in enumerate(suspects)}
    for confirmed in made.schedule(ticket).confirmed(suspects):
        figures.confirmed(made, numbers[id(confirmed.suspect)], confirmed.outcome, confirmed.looks, tool)


def _ask_naive(made: World, figures: Figures) -> None:
    reader = made.reader()
    for number, post in enumerate(made.posts):
        if made.chance.random() >= NAIVE_SHARE:
            continue
        for name, protocol in NAIVE.items():
            began = made.timeline.now()
            try:
                drift = protocol(reader, post)
            except DynodeskError:
                figures.naive[name]["undecided"] += 1
                continue
            is_false = drift is not None and Truth("drift", drift) not in made.posts[number].standing.between(
                began, made.timeline.now()
            )
            figures.naive[name]["false" if is_false else "true"] += 1


# ------------------------------------------------------------------------------------------------------------ replay


class Trace:
    """Prints every change of a world at its time, with the truth after it."""

    def __init__(self, made: World) -> None:
        self._made = made

    def decided(self, table: Table, address: Address, old: Item | None, new: Item | None) -> None:
        self._print(address, f"will be {_shown(new)}")

    def shown(self, table: Table, address: Address, old: Item | None, new: Item | None, *, was_decided: bool) -> None:
        self._print(address, f"{_shown(old)} -> {_shown(new)}")

    def _print(self, address: Address, what: str) -> None:
        names = " ".join(
            str(place[0][1].decode() if isinstance(place[0][1], bytes) else place[0][1]) for place in address
        )
        sys.stderr.write(f"{self._made.timeline.utc()} {names}: {what}\n")


def _shown(item: Item | None) -> str:
    if item is None:
        return "nothing"
    return ", ".join(f"{name} {readable(value)}" for name, value in item.items() if name not in {"PK", "SK", "title"})


def replay(seed: str) -> Figures:
    """Play one world again; everything that happens in it goes to stderr."""
    is_to_repair = seed.rpartition(":")[2].startswith("r")
    made = world(seed, to_repair=is_to_repair)
    made.table.watchers.append(Trace(made))
    figures = Figures()
    (repair_in if is_to_repair else confirm_in)(made, figures)
    for number, post in enumerate(made.posts):
        for at, truth in zip(post.standing.times, post.standing.truths, strict=True):
            sys.stderr.write(f"p{number} from {at:.6f} s: {truth.kind} {truth.amount:+d}\n")
    return figures


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--count", type=int, default=100_000)
    options.add_argument("--repairs", type=int, default=0)
    options.add_argument("--seed", default="1")
    options.add_argument("--world", help="the seed of one world, as it was named")
    chosen = options.parse_args()
    began = time.monotonic()
    figures = replay(chosen.world) if chosen.world else confirm_in_worlds(chosen.seed, chosen.count, chosen.repairs)
    seconds = {"seconds": round(time.monotonic() - began, 1), "cpu_seconds": round(time.process_time(), 1)}
    sys.stdout.write(json.dumps(figures.as_json() | seconds) + "\n")


if __name__ == "__main__":
    main()
