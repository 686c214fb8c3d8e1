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


def test_every_part_has_its_layer() -> None:
    _, _, table = TEXT.partition("| Layer | Answers for |\n")
    rows = [row.split(" | ")[0] for row in table.partition("\n\n")[0].splitlines()[1:]]
    layers = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert sorted(layers) == sorted(set(MAY_IMPORT) - {"__init__", "__main__", "version"})


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
