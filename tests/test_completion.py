from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from mllint_nan.cli import CLEAN, ERROR, main


def script(capsys: pytest.CaptureFixture[str], shell: str) -> str:
    assert main(["--completion", shell]) == CLEAN
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--fi"], ["--fix", "--fix-only"]),
        (["--min-confidence", "c"], ["certain"]),
        (["--output-format", "json"], ["json", "json-lines"]),
        (["--fix", "tr"], ["train.py"]),
        (["-"], None),
    ],
)
def test_bash_completes(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    words: list[str],
    expected: list[str] | None,
) -> None:
    (tmp_path / "train.py").touch()
    line = " ".join(["mllint-nan", *words])
    asked = f'COMP_WORDS=({line}); COMP_CWORD={len(words)}; _mllint_nan; echo "${{COMPREPLY[@]}}"'
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-euc", script(capsys, "bash") + asked],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = done.stdout.split()
    if expected is None:
        assert {"-h", "--help", "--select", "--completion"} <= set(found)
    else:
        assert found == expected


def test_zsh_reads_the_script_of_bash(capsys: pytest.CaptureFixture[str]) -> None:
    assert script(capsys, "zsh").endswith(script(capsys, "bash"))


def test_fish_has_one_line_for_each_option(capsys: pytest.CaptureFixture[str]) -> None:
    lines = script(capsys, "fish").splitlines()
    assert all(line.startswith("complete -c mllint-nan -") for line in lines)
    assert "complete -c mllint-nan -s q -l quiet -d 'findings only, no summary'" in lines
    (format,) = [line for line in lines if " -l output-format " in line]
    assert " -x -a 'full concise json json-lines " in format
    (quoted,) = [line for line in lines if " -l explain " in line]
    assert quoted.endswith(r"-r -d 'show one rule\'s page, by code or name'")


def test_other_shells_are_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--completion", "csh"]) == ERROR
    assert "invalid choice: 'csh'" in capsys.readouterr().err
