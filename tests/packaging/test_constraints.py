"""The pins are names and versions, nothing else, and they are pins of what the project asks for."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent.parent
PIN = re.compile(r"^[A-Za-z0-9._-]+==[0-9][^ ]*( ; .+)?$")
FILES = [ROOT / "packaging" / f"constraints{name}.txt" for name in ("", "-ministack", "-peers")]


def pins(file: Path) -> list[Requirement]:
    return [Requirement(line) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.name))
def test_each_line_pins_one_package(file: Path) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()
    assert lines
    assert [line for line in lines if not PIN.match(line)] == []
    names = [canonicalize_name(pin.name) for pin in pins(file)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("line", ["boto3 @ https://a.example/b.whl", "-e .", "boto3>=1", "a==1 --hash=x", "# a", ""])
def test_other_lines_are_no_pins(line: str) -> None:
    assert not PIN.match(line)


def test_every_requirement_is_pinned_within_its_bounds() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    pinned = {canonicalize_name(pin.name): str(pin.specifier).removeprefix("==") for pin in pins(FILES[0])}
    required = [Requirement(text) for text in project["dependencies"] + project["optional-dependencies"]["dev"]]
    outside = [
        str(need)
        for need in required
        if not need.specifier.contains(pinned.get(canonicalize_name(need.name), "0"), prereleases=True)
    ]
    assert outside == []
