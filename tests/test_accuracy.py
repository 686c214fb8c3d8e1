"""Rules about accuracy are off by default, and stand beside what becomes NaN or infinite."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mllint_nan import linter
from mllint_nan.cli import CLEAN, ERROR, FINDINGS, main
from mllint_nan.config.resolve import Configurations
from mllint_nan.findings import Confidence, Finding, Hazard
from mllint_nan.linter import Linted, Settings, fix_bytes, lint_bytes
from mllint_nan.linter.selection import asked_rules
from mllint_nan.rulebook.load import load_rules

FAMILY = {rule.code for rule in load_rules() if rule.family == "accuracy"}
TORCH = "import torch\n\n\ndef f(x, y):\n    return "
EVERYTHING = Settings(select=("NAN", "accuracy"))
AUDIT = Settings(select=("NAN", "accuracy"), min_confidence=Confidence.POSSIBLE)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    monkeypatch.chdir(tmp_path)


def found(returned: str, settings: Settings = EVERYTHING) -> list[Finding]:
    outcome = lint_bytes(f"{TORCH}{returned}\n".encode(), "a.py", settings)
    assert isinstance(outcome, Linted), outcome
    return list(outcome.findings)


def codes(returned: str, settings: Settings = EVERYTHING) -> list[str]:
    return [finding.code for finding in found(returned, settings)]


def selection(table: str, path: str = "a.py") -> set[str]:
    """The rules of the family that a configuration switches on for a file."""
    Path("mllint-nan.toml").write_text(table, encoding="utf-8")
    settings = Configurations({}).of_file(path).settings_of(path)
    return {rule.code for rule in linter.select_rules(settings)} & FAMILY


def test_the_family_is_off_by_default_and_is_about_nothing_else() -> None:
    assert {"NAN111", "NAN112", "NAN119", "NAN120", "NAN121"} == FAMILY
    for rule in load_rules():
        hazards = {case.hazard for case in rule.cases}
        assert (rule.code in FAMILY) == (hazards == {Hazard.ACCURACY})
        assert rule.off_by_default == (rule.family in ("accuracy", "limits"))


@pytest.mark.parametrize(
    ("table", "selected"),
    [
        ("", set()),
        ('select = ["NAN"]', set()),
        ('select = ["NAN1"]', set()),
        ('select = ["NAN1", "NAN11"]', set()),
        ('select = ["accuracy"]', FAMILY),
        ('select = ["Accuracy"]', FAMILY),
        ('select = ["ALL"]', FAMILY),
        ('extend-select = ["accuracy"]', FAMILY),
        ('extend-select = ["NAN112"]', {"NAN112"}),
        ('extend-select = ["nan112"]', {"NAN112"}),
        ('extend-select = ["exp-minus-one"]', {"NAN112"}),
        ('select = ["compositions"]', set()),
        ('select = ["ALL"]\nignore = ["NAN1"]', set()),
        ('select = ["accuracy"]\nignore = ["NAN1"]', set()),
        ('select = ["accuracy"]\nignore = ["NAN"]', FAMILY),
        ('select = ["accuracy"]\nignore = ["NAN12"]', FAMILY - {"NAN120", "NAN121"}),
        ('select = ["accuracy"]\nignore = ["NAN112"]', FAMILY - {"NAN112"}),
        ('select = ["NAN112"]\nignore = ["accuracy"]', {"NAN112"}),
        ('select = ["ALL"]\nignore = ["accuracy"]', set()),
        ('extend-select = ["accuracy"]\nper-file-ignores = { "a.py" = ["accuracy"] }', set()),
        ('extend-select = ["accuracy"]\nper-file-ignores = { "a.py" = ["NAN1"] }', set()),
        ('extend-select = ["accuracy"]\nper-file-ignores = { "b.py" = ["NAN1"] }', FAMILY),
    ],
)
def test_only_an_exact_word_switches_a_rule_on(table: str, selected: set[str]) -> None:
    assert selection(table) == selected


def test_family_selects_rules_that_are_on_too() -> None:
    settings = Settings(select=("divisions",))
    assert {rule.family for rule in linter.select_rules(settings)} == {"divisions"}


@pytest.mark.parametrize("option", ["--select", "--extend-select"])
def test_prefix_that_selects_nothing_is_an_error(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (shipped,) = (rule for rule in load_rules() if rule.code == "NAN119")
    text = Path(shipped.path).read_text(encoding="utf-8").replace(shipped.name, "own")
    for code in ("NAN801", "NAN802"):
        name = f"own-{code.lower()}"
        own = text.replace("NAN119", code).replace('"own"', f'"{name}"')
        (tmp_path / f"{name}.toml").write_text(own, encoding="utf-8")
    given = ["--isolated", f"--config=rules={json.dumps([str(tmp_path)])}"]
    assert main([option, "NAN80", *given]) == ERROR
    said = capsys.readouterr().err
    assert "'NAN80' selects only rules that are off by default (NAN801, NAN802)" in said
    assert main(["--ignore", "NAN80", *given]) == CLEAN


def test_what_is_off_is_not_even_asked() -> None:
    asked = {rule.code for rule in asked_rules(Settings(ignore=("NAN111",)))}
    assert not asked & FAMILY
    one = Settings(select=("NAN", "NAN111"))
    assert {rule.code for rule in asked_rules(one)} & FAMILY == {"NAN111"}
    assert asked_rules(Settings()) is asked_rules(Settings(ignore=("NAN2",)))


def test_options_report_and_fix(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.py").write_text(TORCH + "torch.exp(x) - 1\n", encoding="utf-8")
    assert main(["--isolated", "a.py"]) == CLEAN
    assert main(["--isolated", "--select", "accuracy", "a.py"]) == FINDINGS
    assert "NAN112 [*]" in capsys.readouterr().out
    assert main(["--isolated", "--select", "NAN112", "--fix", "a.py"]) == CLEAN
    assert Path("a.py").read_text(encoding="utf-8") == TORCH + "torch.expm1(x)\n"


def test_lists_and_pages_say_what_is_off(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list-rules"]) == CLEAN
    rows = capsys.readouterr().out.splitlines()
    off = {row[:6] for row in rows if row.endswith("(off by default)")}
    assert off == FAMILY | {"NAN508", "NAN509"}
    assert main(["--explain", "NAN112"]) == CLEAN
    page = " ".join(capsys.readouterr().out.split())
    assert "off by default; selected by NAN112, exp-minus-one, accuracy or ALL" in page
    assert main(["--explain", "NAN101"]) == CLEAN
    assert "off by default" not in capsys.readouterr().out


# Beside what becomes NaN or infinite


@pytest.mark.parametrize(
    ("returned", "reported"),
    [
        ("torch.log(1 + torch.exp(x))", ["NAN105"]),
        ("torch.log(1 - torch.sigmoid(x))", ["NAN102"]),
        ("(torch.exp(x) - torch.exp(-x)) / (torch.exp(x) + torch.exp(-x))", ["NAN107"]),
        ("torch.log(1 - torch.relu(x).clamp(max=1))", ["NAN201"]),
        ("torch.where(x > 0, x, torch.exp(x) - 1)", ["NAN401"]),
        ("torch.log(1 - torch.exp(x))", ["NAN122"]),
        ("torch.log(1 + x)", ["NAN111"]),
    ],
)
def test_the_graver_flaw_of_an_operation_speaks(returned: str, reported: list[str]) -> None:
    assert codes(returned) == reported


def test_audit_reports_the_operation_all_the_same() -> None:
    alone = [one for one in found("torch.log(1 + x)", AUDIT) if one.hazard is not Hazard.ACCURACY]
    plain = found("torch.log(1 + x)", Settings(min_confidence=Confidence.POSSIBLE))
    assert [one.code for one in plain] == ["NAN201"]
    assert alone == plain
    assert codes("torch.log(1 + x)", AUDIT) == ["NAN111", "NAN201"]


def test_accuracy_is_never_certain() -> None:
    certain = Settings(select=("accuracy",), min_confidence=Confidence.CERTAIN)
    assert codes("torch.log(1 + x)", certain) == []
    (finding,) = found("torch.log(1 + x)")
    assert finding.confidence is Confidence.LIKELY
    assert finding.hazard is Hazard.ACCURACY


def test_lost_digits_that_come_up_do_not_take_the_fix_of_a_hazard_back() -> None:
    data = (TORCH + "torch.where(x > 0, y, torch.exp(x) - 1)\n").encode()
    fixed = fix_bytes(data, "a.py", EVERYTHING)
    assert [one.code for one in fixed.applied] == ["NAN401"]
    assert b"torch.expm1(torch.where(x > 0, " in fixed.data


# What is left alone


@pytest.mark.parametrize(
    "returned",
    [
        "torch.log(1 + len(x))",
        "torch.log(1 + torch.arange(9))",
        "torch.log(1 + x.clamp(min=0.5))",
        "torch.log(1 - x.clamp(max=-2))",
        "torch.exp(x.clamp(max=-1)) - 1",
        "torch.where(x > 0, x, 1.67 * (torch.exp(x.clamp(max=0)) - 1))",
        "1 - torch.cos(x.clamp(0.5, 5.7))",
        "torch.sqrt(1 + x.clamp(min=1)) - 1",
        "x.clamp(min=2)**2 - torch.sigmoid(y)**2",
        "len(x)**2 - len(y)**2",
    ],
)
def test_digits_that_are_kept(returned: str) -> None:
    assert codes(returned) == []


@pytest.mark.parametrize(
    ("returned", "code"),
    [
        ("torch.log(1 + x.clamp(min=0.1))", "NAN111"),
        ("torch.exp(x.clamp(max=0)) - 1", "NAN112"),
        ("torch.where(y > 0, y, torch.exp(x.clamp(max=0)) - 1)", "NAN112"),
        ("1 - torch.cos(x.clamp(0.5, 6.2))", "NAN119"),
        ("torch.sqrt(1 + x.clamp(min=0)) - 1", "NAN120"),
        ("x.clamp(min=1.5)**2 - torch.sigmoid(y)**2", "NAN121"),
    ],
)
def test_digits_that_are_lost_beside_them(returned: str, code: str) -> None:
    assert codes(returned) == [code]


# Comments


def test_comment_for_a_rule_that_is_off_is_not_called_idle() -> None:
    comment = "torch.exp(x) - 1  # mllint-nan: ignore[NAN112]"
    assert codes(comment, Settings()) == []
    assert codes(comment) == []
    idle = "torch.exp(x) - 2  # mllint-nan: ignore[NAN112]"
    assert codes(idle, Settings()) == []
    assert codes(idle) == ["NAN902"]
    with_others = "x - 2  # mllint-nan: ignore[NAN1]"
    assert codes(with_others, Settings()) == codes(with_others) == ["NAN902"]


def test_bare_comment_is_judged_where_all_that_is_on_by_default_is_selected() -> None:
    idle = "x - 2  # mllint-nan: ignore"
    assert codes(idle, Settings()) == ["NAN902"]
    silences = "torch.exp(x) - 1  # mllint-nan: ignore"
    assert codes(silences) == []
