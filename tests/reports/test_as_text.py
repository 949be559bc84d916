from __future__ import annotations

from dynodesk.reports.writers import render
from tests.reports.awkward import awkward_report


def test_columns_line_up() -> None:
    lines = render(awkward_report(), "text").decode().splitlines()
    header = lines.index(next(line for line in lines if line.startswith("  VERDICT")))
    stored_ends = lines[header].index("STORED") + len("STORED")
    rows = {line.split()[1]: line for line in lines[header + 1 :] if line.startswith("  exact")}
    for name, stored in (("POST#a91f", "41"), ("POST#77b0", "-2"), ("POST#1.50", "1.50")):
        assert rows[name][:stored_ends].endswith(f" {stored}")


def test_wide_characters_take_two_columns() -> None:
    lines = render(awkward_report(), "text").decode().splitlines()
    wide = next(line for line in lines if "日本語" in line)
    plain = next(line for line in lines if "POST#a91f" in line)
    assert wide.index("500210") + len("500210") + len("日本語") == plain.index("41  ") + len("41")


def test_the_answer_is_the_last_line() -> None:
    assert render(awkward_report(), "text").decode().splitlines()[-1] == "19 of 283 parents are off."
