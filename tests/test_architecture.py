"""The directions between the packages hold, in what is written and in what is loaded, and their guards work."""

import json
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "dynodesk"
PLAIN = ("domain", "composing", "editing", "reconcile")
"""The packages that know the standard library only."""
with (ROOT / "pyproject.toml").open("rb") as settings:
    CONTRACTS: list[dict[str, Any]] = tomllib.load(settings)["tool"]["importlinter"]["contracts"]


def modules_of(package: str) -> list[str]:
    """Names of the modules in `dynodesk.<package>`, found on the disk."""
    files = sorted((PACKAGE / package).rglob("*.py"))
    return [".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for file in files]


def test_every_package_is_shipped() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        shipped = set(tomllib.load(file)["tool"]["setuptools"]["packages"])
    there = {".".join(file.parent.relative_to(ROOT).parts) for file in PACKAGE.rglob("__init__.py")}
    assert there <= shipped


# What is written: the import contracts


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("lint-imports")
    return subprocess.run(
        [str(program), "--no-cache"], cwd=folder, capture_output=True, encoding="utf-8", errors="replace", check=False
    )


def offences(contract: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Every pair (importer, imported) that the contract forbids."""
    if contract["type"] == "forbidden":
        yield from product(contract["source_modules"], contract["forbidden_modules"])
        return
    assert contract["type"] == "layers", "say here how this type of contract is broken"
    higher: list[str] = []
    for layer in contract["layers"]:
        row = layer.split(" | ")
        for importer in row:
            yield from ((importer, imported) for imported in [*higher, *row] if imported != importer)
        higher += row


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the program's source, to be spoilt."""
    shutil.copytree(PACKAGE, tmp_path / "dynodesk", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_contracts_hold() -> None:
    linted = lint_imports(ROOT)
    assert linted.returncode == 0, linted.stdout + linted.stderr


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: str(contract["name"]))
def test_a_broken_contract_is_noticed(copy: Path, contract: dict[str, Any]) -> None:
    """Every forbidden import is written into the copy; the contract must name each of them."""
    for importer, imported in offences(contract):
        place = copy.joinpath(*importer.split("."))
        file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
        with file.open("a", encoding="utf-8") as source:
            source.write(f"\nimport {imported}\n")
    linted = lint_imports(copy)
    assert linted.returncode == 1, linted.stdout + linted.stderr
    said = " ".join(linted.stdout.split())
    assert f"{contract['name']} BROKEN" in said
    unnoticed = [pair for pair in offences(contract) if f"- {pair[0]} -> {pair[1]} (l." not in said]
    assert unnoticed == []


# What is loaded: a contract cannot see an import inside a function or one that a library makes


def loaded_by(module: str) -> set[str]:
    """Top-level names that importing the module adds to a new interpreter."""
    probe = (
        "import sys; before = set(sys.modules); "
        f"import {module}; print(*{{name.partition('.')[0] for name in set(sys.modules) - before}})"
    )
    ran = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return set(ran.stdout.split())


EACH = """
import importlib, json, sys
before = set(sys.modules)
loaded = {}
for module in sys.argv[1:]:
    importlib.import_module(module)
    new = [name for name in set(sys.modules) - before if name.partition(".")[0] not in sys.stdlib_module_names]
    loaded[module] = sorted({name.partition(".")[0] for name in new})
    for name in new:
        del sys.modules[name]
print(json.dumps(loaded))
"""


def loaded_by_each(modules: list[str]) -> dict[str, set[str]]:
    """Top-level names, without those of the standard library, that importing each alone adds to an interpreter."""
    ran = subprocess.run([sys.executable, "-c", EACH, *modules], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return {module: set(names) for module, names in json.loads(ran.stdout).items()}


@pytest.mark.parametrize("part", PLAIN)
def test_domain_and_engine_load_the_standard_library_only(part: str) -> None:
    loaded = loaded_by_each(modules_of(part))
    assert loaded
    assert {module: names for module, names in loaded.items() if names != {"dynodesk"}} == {}


def test_the_probe_of_each_sees_what_only_one_loads() -> None:
    loaded = loaded_by_each(["dynodesk.domain.values", "dynodesk.aws.clients", "dynodesk.domain.progress"])
    assert loaded.pop("dynodesk.aws.clients") >= {"dynodesk", "botocore"}
    assert loaded == {"dynodesk.domain.values": {"dynodesk"}, "dynodesk.domain.progress": {"dynodesk"}}


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [
        # A command must not pay for a window, nor for the sandbox's server.
        ("dynodesk.cli.main", {"PySide6", "moto", "flask", "duckdb", "pyarrow"}),
        # The first window is shown before anything that only a connection needs is loaded.
        ("dynodesk.ui.main_window", {"boto3", "botocore", "moto", "flask", "keyring", "duckdb", "pyarrow"}),
        ("dynodesk.gui", {"boto3", "botocore", "moto", "flask", "keyring", "duckdb", "pyarrow"}),
    ],
)
def test_an_entry_loads_only_what_it_shows(module: str, unwanted: set[str]) -> None:
    loaded = loaded_by(module)
    assert "dynodesk" in loaded
    assert loaded & unwanted == set()


def test_the_probe_sees_what_a_library_loads() -> None:
    assert {"boto3", "botocore", "urllib3"} <= loaded_by("boto3")
