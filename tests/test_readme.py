"""What README.md and CONTRIBUTING.md show is what the tool does.

`python -m pytest tests/test_readme.py --bless` rewrites the README's table of rules.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

from mllint_nan.cli import main
from mllint_nan.linter import Settings, fix_bytes

ROOT: Final = Path(__file__).resolve().parent.parent
README: Final = ROOT / "README.md"
CONTRIBUTING: Final = ROOT / "CONTRIBUTING.md"
CI: Final = ROOT / ".ci" / "run"

_FENCE: Final = re.compile(r"^```(?P<language>\w+)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
_OPTION: Final = re.compile(r"(?<![\w-])--?[a-zA-Z][a-z-]*")
_RULES_HEAD: Final = "| Code | Name | What it finds | Frameworks | Fix |\n"
_STRENGTH: Final = ("display-only", "unsafe", "safe")


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The README's first block of Python, as `train.py` of the working directory."""
    monkeypatch.chdir(tmp_path)
    text = _block(README, "python")
    Path("train.py").write_text(text, encoding="utf-8")
    return text


@pytest.mark.usefixtures("example")
def test_finding_is_printed_as_shown(capsys: pytest.CaptureFixture[str]) -> None:
    printed = _printed(capsys, "--output-format", "full", "train.py")
    assert printed == _block(README, "text")


@pytest.mark.usefixtures("example")
def test_diff_is_printed_as_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert _printed(capsys, "--diff", "train.py") == _block(README, "diff")


def test_fix_makes_the_change_that_the_diff_shows(example: str) -> None:
    hunk = [line for line in _block(README, "diff").splitlines(keepends=True)[3:] if line]
    before = "".join(line[1:] for line in hunk if line[0] != "+")
    after = "".join(line[1:] for line in hunk if line[0] != "-")
    assert example.count(before) == 1
    fixed = fix_bytes(example.encode(), "train.py", Settings())
    assert fixed.data.decode() == example.replace(before, after)


def test_option_table_has_every_option_and_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    listed = [
        option for row in _rows("| Option | Meaning |\n") for option in _options(row.split("|")[1])
    ]
    assert sorted(listed) == sorted(_known_options(capsys))


def test_options_elsewhere_exist(capsys: pytest.CaptureFixture[str]) -> None:
    known = {*_known_options(capsys), "--bless"}
    mentioned = {option for option in _options(_text(README)) if option.startswith("--")}
    assert mentioned <= known


def test_rule_table_is_current(capsys: pytest.CaptureFixture[str], is_blessing: bool) -> None:
    rules = json.loads(_printed(capsys, "--list-rules", "--output-format", "json"))
    expected = [
        f"| {rule['code']} | {rule['name']} | {rule['summary'].replace('|', chr(92) + '|')}"
        f"{' (off by default)' if rule['off_by_default'] else ''} "
        f"| {', '.join(rule['frameworks']) or 'all'} "
        f"| {max(rule['fixes'], key=_STRENGTH.index, default='none')} |\n"
        for rule in rules
    ]
    if is_blessing:
        _replace_rows(_RULES_HEAD, expected)
    assert _rows(_RULES_HEAD) == expected, "--bless writes it"


def test_commands_are_those_that_ci_runs() -> None:
    _, test = _blocks(README, "sh")
    create, install, run = test.strip().split(" && ")
    commands = [line.strip() for line in _text(CI).splitlines()]
    assert [create, install, run] == [line for line in commands if line in (create, install, run)]
    assert commands[-1] == run


def test_paths_exist() -> None:
    for document in (README, CONTRIBUTING):
        linked = re.findall(r"\]\(([\w./-]+)\)", _text(document))
        named = re.findall(
            r"`((?:mllint_nan|rules|fixtures|tests|examples|benchmarks|docs|handbook)/[\w./-]*)`",
            _text(document),
        )
        missing = [path for path in (*linked, *named) if not (ROOT / path).exists()]
        assert [path for path in missing if "sqrt-of-exp" not in path] == []


def test_examples_have_something_to_fix(capsys: pytest.CaptureFixture[str]) -> None:
    assert "\n+" in _printed(capsys, "--diff", str(ROOT / "examples"))


def test_worked_example_is_a_rule_that_fixes_its_fixture(tmp_path: Path) -> None:
    rule, fixture = _block(CONTRIBUTING, "toml"), _block(CONTRIBUTING, "python")
    for part in ("mllint_nan", "rules"):
        shutil.copytree(ROOT / part, tmp_path / part)
    (tmp_path / "rules" / "compositions" / "sqrt-of-exp.toml").write_text(rule, encoding="utf-8")
    file = tmp_path / "torch.py"
    file.write_text(fixture, encoding="utf-8")
    assert _found(file) == [
        row for row, line in enumerate(fixture.splitlines(), 1) if "# expect: NAN118" in line
    ]
    _run(file, "--fix")
    assert file.read_text(encoding="utf-8") == _patched(fixture, _block(CONTRIBUTING, "diff"))


def _found(file: Path) -> list[int]:
    findings = json.loads(_run(file, "--output-format", "json"))
    assert {finding["code"] for finding in findings} == {"NAN118"}
    return [finding["location"]["row"] for finding in findings]


def _run(file: Path, *options: str) -> str:
    """What the copied tool beside `file` prints about it."""
    environment = {**os.environ, "PYTHONPATH": str(file.parent)}
    command = [sys.executable, "-m", "mllint_nan", *options, file.name]
    done = subprocess.run(
        command, cwd=file.parent, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def _patched(text: str, diff: str) -> str:
    """`text` with each removed line of `diff` replaced by the added line after it, if there is."""
    lines = diff.splitlines(keepends=True)
    for removed, after in pairwise([*lines, " "]):
        if removed[0] == "-":
            assert text.count(removed[1:]) == 1
            text = text.replace(removed[1:], after[1:] if after[0] == "+" else "")
    return text


def _printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert main(arguments) in (0, 1)
    return capsys.readouterr().out


def _known_options(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The options that stand first on a line of the help."""
    text = _printed(capsys, "--help")
    heads = re.findall(r"^  (-.*?)(?:  |$)", text, re.MULTILINE)
    return [option for head in heads for option in _options(head)]


def _options(text: str) -> Iterator[str]:
    return (found.group() for found in _OPTION.finditer(text))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _blocks(path: Path, language: str) -> list[str]:
    return [
        found["code"] for found in _FENCE.finditer(_text(path)) if found["language"] == language
    ]


def _block(path: Path, language: str) -> str:
    return _blocks(path, language)[0]


def _rows(head: str) -> list[str]:
    """The rows of the README's table with this head."""
    _, found, below = _text(README).partition(head)
    assert found, head
    rows = below.splitlines(keepends=True)[1:]
    end = next(index for index, row in enumerate(rows) if not row.startswith("|"))
    return rows[:end]


def _replace_rows(head: str, rows: list[str]) -> None:
    old = head + "| --- | --- | --- | --- | --- |\n"
    text = _text(README)
    assert old in text
    README.write_text(
        text.replace(old + "".join(_rows(head)), old + "".join(rows)), encoding="utf-8"
    )
