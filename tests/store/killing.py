"""Programs killed at a random moment while they save their state: what is found then is the old or the new.

`python -m tests.store.killing --times 200` prints what was found, by file.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.store.state import BY_NAME, StateFile

LONGEST = 0.15  # seconds from the first save to the kill


def saving(name: str, path: Path) -> None:
    """Saves one number after the other, and says each once it is on the disk."""
    number = 1
    while True:
        BY_NAME[name].write(path, number)
        print(number, flush=True)  # noqa: T201  (what is waited for)
        number += 1


def kill_while_saving(file: StateFile, folder: Path, chance: random.Random) -> str:
    """What was found after one kill: "old" or "new", or what was wrong."""
    path = folder / file.name
    command = [sys.executable, "-m", "tests.store.killing", "--save", file.name, "--path", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        program.stdout.readline()
        try:
            program.wait(chance.uniform(0, LONGEST))
        except subprocess.TimeoutExpired:
            program.kill()
        said = [line for line in program.stdout.read().split() if line]
    last = int(said[-1]) if said else 1
    numbers, notice = file.read(path)
    if notice or numbers is None or path.stat().st_size == 0:
        return f"damaged after {last}: {notice or 'nothing is there'}"
    if file.name == "connections.json":  # two saves of one connection each
        whole = numbers in {(last, last), (last + 1, last), (last + 1, last + 1)}
    else:
        whole = numbers[0] == numbers[1] and numbers[0] in {last, last + 1}
    if not whole:
        return f"{numbers} after {last}"
    return "old" if numbers[1] == last else "new"


def kill_often(times: int, seed: int = 9) -> Counter[str]:
    chance = random.Random(seed)
    found: Counter[str] = Counter()
    files = list(BY_NAME.values())
    with tempfile.TemporaryDirectory(prefix="dynodesk-") as folder:
        for at in range(times):
            place = Path(folder) / str(at)
            found[kill_while_saving(files[at % len(files)], place, chance)] += 1
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--times", type=int, default=200)
    options.add_argument("--save")
    options.add_argument("--path", type=Path)
    given = options.parse_args()
    if given.save:
        saving(given.save, given.path)
    else:
        print(dict(kill_often(given.times)))  # noqa: T201  (the figures are the output)


if __name__ == "__main__":
    main()
