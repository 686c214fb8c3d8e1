"""What CONTRIBUTING.md names is there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from mllint_nan.rulebook.predicates import PREDICATES
from tests.test_layers import MAY_IMPORT

ROOT: Final = Path(__file__).resolve().parent.parent
TEXT: Final = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BESIDE_FIXTURES: Final = {".fixed.py", "torch.fixed.py", "keras_backend.py", "tensorflow1.py"}
"""How files beside a fixture may be called."""


def test_files_exist() -> None:
    named = set(re.findall(r"`([\w/.-]+\.(?:py|toml|md|json)|[\w-]+/[\w/-]*)`", TEXT))
    places = (ROOT, ROOT / "mllint_nan")
    missing = {name for name in named if not any((each / name).exists() for each in places)}
    assert missing <= BESIDE_FIXTURES


def _layers() -> list[tuple[list[str], list[str]]]:
    """The names in the first and second column of the table of layers."""
    _, _, table = TEXT.partition("| Layer | Answers for |\n")
    rows = [row.split(" | ", 1) for row in table.partition("\n\n")[0].splitlines()[1:]]
    return [
        (re.findall(r"`(\w+)`", layers), re.findall(r"`([\w.]+)`", task)) for layers, task in rows
    ]


def test_every_part_has_its_layer() -> None:
    listed = [name for layers, _ in _layers() for name in layers]
    parts = set(MAY_IMPORT) - {"__init__", "__main__", "version"}
    assert not parts - set(listed), "without a row in CONTRIBUTING.md's table of layers"
    assert not set(listed) - parts, "in CONTRIBUTING.md's table of layers, but not in the package"
    assert len(listed) == len(set(listed))


def test_modules_of_a_layer_exist() -> None:
    package = ROOT / "mllint_nan"
    for layers, modules in _layers():
        places = [package, *(package / layer for layer in layers)]
        for name in modules:
            candidates = [place / each for place in places for each in (name, f"{name}.py")]
            assert any(each.exists() for each in candidates), f"{name} of {', '.join(layers)}"


def test_commands_run_what_exists() -> None:
    commands = re.findall(r"python (?:-m )?((?:tests|benchmarks)[\w./]+)", TEXT)
    assert commands
    paths = [each if "/" in each else each.replace(".", "/") + ".py" for each in commands]
    assert [path for path in paths if not (ROOT / path).is_file()] == []
    asked = re.findall(r"(?<=[\s`|])tests/[\w./]+", TEXT)
    assert [path for path in asked if not (ROOT / path).exists()] == []


def test_conditions_are_predicates() -> None:
    asked = set(re.findall(r"`(?:not )?((?:is|lies|can)_\w+)", TEXT))
    assert asked and asked <= set(PREDICATES)


def test_no_two_files_of_tests_have_one_name() -> None:
    """Pytest collects nothing at all then, and speaks of files that should be removed."""
    names = [
        path.name
        for path in (ROOT / "tests").rglob("test_*.py")
        if not (path.parent / "__init__.py").exists()
    ]
    assert sorted(set(names)) == sorted(names)
