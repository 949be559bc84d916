"""Pages that have arrived and are not yet in the database, as files: a killed load reads none of them again.

One file for each page, named `<part>-<number>`. It appears under its name when it is whole, and goes once the database
has committed the page.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import zlib
from array import array
from collections.abc import Iterator
from decimal import Decimal
from functools import reduce
from pathlib import Path

from dynodesk.domain.bulk import RawPage


class Spool:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for level in (folder.parent, folder):
            level.mkdir(exist_ok=True, mode=0o700)

    def keep(self, part: int, number: int, page: RawPage) -> None:
        """Raises `OSError`."""
        head = {
            "count": page.count,
            "scanned": page.scanned,
            "cursor": page.cursor,
            "units": None if page.units is None else str(page.units),
            "received": page.received,
        }
        pieces = (json.dumps(head).encode("ascii"), b"\n", page.offsets.tobytes(), page.texts)
        growing = self._folder / f"{part}-{number}.new"
        with open(growing, "wb", opener=_private) as file:  # Path.open takes no opener
            file.write(b"%08x\n" % reduce(lambda sum_, piece: zlib.crc32(piece, sum_), pieces, 0))
            file.writelines(pieces)
        growing.replace(self._folder / f"{part}-{number}")

    def after(self, part: int, committed: int) -> Iterator[tuple[int, RawPage]]:
        """The kept pages of a part that follow the last committed one, up to the first that is missing or damaged."""
        number = committed + 1
        while (page := self._read(self._folder / f"{part}-{number}")) is not None:
            yield number, page
            number += 1

    def drop(self, part: int, first: int, last: int) -> None:
        """Remove the pages of a part from `first` to `last`."""
        for number in range(first, last + 1):
            (self._folder / f"{part}-{number}").unlink(missing_ok=True)

    def drop_after(self, part: int, last: int) -> None:
        """Remove what follows the page `last` of a part: pages that are read anew need not end where those did."""
        for file in self._folder.glob(f"{part}-*[0-9]"):
            if int(file.name.partition("-")[2]) > last:
                file.unlink(missing_ok=True)

    def remove(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        with contextlib.suppress(OSError):  # other loads have theirs there
            self._folder.parent.rmdir()

    @staticmethod
    def _read(file: Path) -> RawPage | None:
        try:
            sum_, _, kept = file.read_bytes().partition(b"\n")
            if sum_ != b"%08x" % zlib.crc32(kept):  # after a loss of power a file may be there without its content
                return None
        except FileNotFoundError:
            return None
        first, _, content = kept.partition(b"\n")
        head = json.loads(first)
        ends = 8 * (head["count"] + 1)
        return RawPage(
            texts=content[ends:],
            offsets=array("q", content[:ends]),
            count=head["count"],
            scanned=head["scanned"],
            cursor=head["cursor"],
            units=None if head["units"] is None else Decimal(head["units"]),
            received=head["received"],
        )


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
