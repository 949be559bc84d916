"""Pages on the disk: each comes back as it was kept, or not at all."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from random import Random

import pytest

from dynodesk.domain.bulk import RawPage
from dynodesk.workbench.spool import Spool

PAGES = (
    RawPage.of(
        [b'{"pk":{"S":"a\xc3\xa9\\n"}}', b'{ "pk" :\n{"N":"1.50"}}'],
        scanned=7,
        cursor='{"pk":{"S":"\u00e9\U0001f600"}}',
        units=Decimal("0.50"),
        received="2026-01-01T00:00:00.000Z",
    ),
    RawPage.of([], scanned=0, cursor=None, units=None, received="2026-01-01T00:00:01.000Z"),
)


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool(tmp_path / "pages" / "1")


def test_pages_come_back_in_order_up_to_the_first_that_is_missing(spool: Spool) -> None:
    for number in (1, 2, 4):
        spool.keep(3, number, PAGES[number % 2])
    spool.keep(0, 1, PAGES[0])
    assert list(spool.after(3, 0)) == [(1, PAGES[1]), (2, PAGES[0])]
    assert list(spool.after(3, 1)) == [(2, PAGES[0])]
    assert list(spool.after(3, 3)) == [(4, PAGES[0])]
    spool.drop(3, 1, 2)
    assert list(spool.after(3, 0)) == []


def test_no_page_comes_back_behind_one_that_was_read_anew(spool: Spool) -> None:
    """The new one may end elsewhere: what lies between the two would be left out."""
    for part, number in ((1, 1), (1, 2), (1, 10), (11, 3)):
        spool.keep(part, number, PAGES[0])
    spool.drop_after(1, 1)
    spool.keep(1, 2, PAGES[1])
    spool.keep(1, 9, PAGES[1])
    assert list(spool.after(1, 0)) == [(1, PAGES[0]), (2, PAGES[1])]
    assert list(spool.after(1, 9)) == []
    assert list(spool.after(11, 2)) == [(3, PAGES[0])]


@pytest.mark.parametrize("seed", range(3))
def test_no_damaged_page_comes_back(spool: Spool, tmp_path: Path, seed: int) -> None:
    """A page with another cursor, or another end of its first item, would leave items out."""
    chance = Random(seed)
    spool.keep(0, 1, PAGES[0])
    (file,) = (tmp_path / "pages" / "1").iterdir()
    whole = file.read_bytes()
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= chance.randrange(1, 256)
        file.write_bytes(damaged)
        assert list(spool.after(0, 0)) == []
        file.write_bytes(whole[:place])
        assert list(spool.after(0, 0)) == []
    file.write_bytes(whole)
    assert list(spool.after(0, 0)) == [(1, PAGES[0])]
