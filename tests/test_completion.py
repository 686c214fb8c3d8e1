from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from mllint_nan.cli import CLEAN, ERROR, main
from tests.conftest import ROOT

pytestmark = pytest.mark.posix


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
        (["--select", "NAN60"], ["NAN601", "NAN602", "NAN603", "NAN604"]),
        (["--ignore", "log-of-soft"], ["log-of-softmax"]),
        (["--extend-select", "NAN203,log-of-soft"], ["NAN203,log-of-softmax"]),
        (["--explain", "std-at"], ["std-at-constant"]),
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
    assert quoted.endswith(r"-d 'show a rule\'s page, by code or name, or a family'")
    for option in ("explain", "select", "ignore", "extend-select", "extend-ignore"):
        (named,) = [line for line in lines if f" -l {option} " in line]
        assert " -x -a 'NAN1 NAN2 " in named and " NAN203 " in named and " log-of-softmax " in named


def test_completion_knows_own_rules_and_minds_no_broken_configuration(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mllint-nan.toml").write_text('rules = ["own"]\n')
    (tmp_path / "own").mkdir()
    rule = next((ROOT / "rules").rglob("log-of-det.toml")).read_text()
    rule = rule.replace('"NAN109"', '"NAN801"').replace('"log-of-det"', '"own-log"')
    (tmp_path / "own" / "own-log.toml").write_text(rule)
    assert " own-log" in script(capsys, "bash")
    (tmp_path / "mllint-nan.toml").write_text("select = 3\n")
    assert "--select" in script(capsys, "bash")


def test_other_shells_are_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--completion", "csh"]) == ERROR
    assert "invalid choice: 'csh'" in capsys.readouterr().err
