"""A rule that fails costs that rule on that file: it is said, and all others speak."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from mllint_nan import check_source, fix_source
from mllint_nan.cli import ERROR, main
from mllint_nan.domains.truth import Truth
from mllint_nan.flake8_plugin import Plugin
from mllint_nan.linter import AnalysisWarning, Linted, Settings, fix_text, lint_text, prepare
from mllint_nan.rulebook.predicates.context import PREDICATES, Context, Predicate

BAD = """\
import torch


def f(x):
    return torch.log(torch.softmax(x, dim=-1))


def g(x):
    return torch.tanh(x)
"""
RULE = """\
code = "NAN990"
name = "tangent-that-fails"
summary = "a rule of which a condition fails"
hazard = "value"
frameworks = ["torch"]
match = "tanh(x)"
when = ["%s(x)"]
message = "said where it does not fail"

[[fix]]
rewrite = "exp(x)"
requires = ["%s(x)"]
applicability = "safe"

[[witness]]
text = "x = 100"
given = { x = [100.0] }

[docs]
why = "Because."
example = "torch.tanh(x)"
instead = "torch.exp(x)"
fix_safety = "Equal."
references = []
"""


def _raise(context: Context, *terms: object) -> Truth:
    raise ZeroDivisionError("nothing\nto divide by")


def _recur(context: Context, *terms: object) -> Truth:
    return _recur(context, *terms)


def _agree(context: Context, *terms: object) -> Truth:
    return Truth.YES


@pytest.fixture
def fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of one file, where the condition of a rule raises."""
    monkeypatch.chdir(tmp_path)
    for name, ask in (("raises", _raise), ("recurs", _recur), ("agrees", _agree)):
        monkeypatch.setitem(PREDICATES, name, Predicate(ask, 1))
    Path("a.py").write_text(BAD)
    return plant("raises", "agrees")


def plant(when: str, requires: str) -> Path:
    """A folder of rules in which one has these conditions."""
    folder = Path("rules", when + requires, "own")
    folder.mkdir(parents=True)
    (folder / "tangent-that-fails.toml").write_text(RULE % (when, requires))
    Path("pyproject.toml").write_text(
        f'[tool.mllint-nan]\nrules = ["{folder.parent.as_posix()}"]\n'
    )
    return folder.parent.absolute()


def outcome_of(rules: Path, text: str = BAD) -> Linted:
    outcome = lint_text(text, "a.py", Settings(rules=(str(rules),)))
    assert isinstance(outcome, Linted)
    return outcome


def test_all_other_rules_speak(fails: Path) -> None:
    outcome = outcome_of(fails)
    assert [finding.code for finding in outcome.findings] == ["NAN101"]
    (failure,) = outcome.failures
    assert failure.reason == (
        "rule NAN990 failed: ZeroDivisionError: nothing; the other rules are reported"
    )
    assert "in _raise" in failure.traceback


def test_what_calls_tell_a_rule_that_failed_is_not_known(fails: Path) -> None:
    judge = prepare(BAD.encode(), "a.py", Settings(rules=(str(fails),))).judge
    judge.verdicts()
    assert judge.failures and judge.calls_tell


def test_rule_that_recurses_without_end_fails_alone(fails: Path) -> None:
    outcome = outcome_of(plant("recurs", "agrees"))
    assert [finding.code for finding in outcome.findings] == ["NAN101"]
    assert "rule NAN990 failed: RecursionError: " in outcome.failures[0].reason
    assert len(outcome.failures[0].traceback.splitlines()) < 100


def test_finding_whose_fix_fails_is_reported_without(fails: Path) -> None:
    outcome = outcome_of(plant("agrees", "raises"))
    assert [(one.code, one.fix is None) for one in outcome.findings] == [
        ("NAN101", False),
        ("NAN990", True),
    ]
    assert outcome.failures[0].reason == (
        "the fix of NAN990 failed: ZeroDivisionError: nothing; the finding has none"
    )


def test_fix_that_cannot_be_judged_is_not_offered(
    fails: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise IndexError("list index out of range")

    monkeypatch.setattr("mllint_nan.fixing.completeness.Completer._one", broken)
    outcome = outcome_of(plant("agrees", "agrees"))
    assert [(one.code, one.fix) for one in outcome.findings] == [("NAN101", None), ("NAN990", None)]
    assert [one.code for one in outcome.failures] == ["NAN101", "NAN990"]


def test_rule_that_is_not_asked_for_says_nothing(fails: Path) -> None:
    outcome = lint_text(BAD, "a.py", Settings(rules=(str(fails),), ignore=("NAN990",)))
    assert isinstance(outcome, Linted)
    assert outcome.failures == ()


def test_fixes_of_others_are_applied(fails: Path) -> None:
    fixed = fix_text(BAD, "a.py", Settings(rules=(str(fails),)))
    assert "log_softmax" in fixed.text
    assert isinstance(fixed.outcome, Linted)
    assert len(fixed.outcome.failures) == 1


def test_fix_after_which_a_rule_fails_is_taken_back(
    fails: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails_later(context: Context, x: object) -> Truth:
        if any(one.term.operation.name == "log_softmax" for one in context.analysis.occurrences):
            raise ZeroDivisionError
        return Truth.NO

    monkeypatch.setitem(PREDICATES, "raises", Predicate(fails_later, 1))
    settings = Settings(rules=(str(fails),))
    assert fix_text(BAD, "a.py", settings).text == BAD
    outcome = lint_text(BAD, "a.py", settings)
    assert isinstance(outcome, Linted)
    assert [str(one.fix and one.fix.applicability) for one in outcome.findings] == ["display-only"]


def test_comment_that_silences_what_failed_is_not_called_unused(fails: Path) -> None:
    silenced = BAD.replace("tanh(x)", "tanh(x)  # mllint-nan: ignore[NAN990]")
    outcome = outcome_of(fails, silenced)
    assert [finding.code for finding in outcome.findings] == ["NAN101"]


@pytest.mark.parametrize("format", ["concise", "full", "json", "json-lines", "gitlab", "rdjson"])
def test_failure_is_one_line_on_standard_error(
    format: str, fails: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--no-cache", "--output-format", format, "a.py"]) == ERROR
    out, err = capsys.readouterr()
    assert "NAN101" in out
    said = [line for line in err.splitlines() if "failed: " in line]
    assert said == [
        "a.py:1:1: rule NAN990 failed: ZeroDivisionError: nothing; "
        "the other rules are reported; --verbose shows where"
    ]


def test_verbose_shows_where(fails: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--no-cache", "--verbose", "a.py"]) == ERROR
    assert "in _raise" in capsys.readouterr().err


def test_summary_counts_it(fails: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--no-cache", "a.py"])
    assert "1 rule failed" in capsys.readouterr().err


def test_second_run_exits_2_as_well(fails: Path) -> None:
    assert [main(["a.py"]), main(["a.py"])] == [ERROR, ERROR]


@pytest.mark.parametrize("option", ["--fix", "--diff", "--fix-only", "--statistics"])
def test_no_mode_hides_it(option: str, fails: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--no-cache", option, "a.py"]) == ERROR
    assert "rule NAN990 failed" in capsys.readouterr().err


def test_baseline_without_its_findings_exits_2(
    fails: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--write-baseline", "known.json", "a.py"]) == ERROR
    assert "rule NAN990 failed" in capsys.readouterr().err


def test_documents_with_a_place_for_errors_have_it(
    fails: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["--no-cache", "--output-format", "github", "a.py"])
    assert "::error title=mllint-nan,file=a.py::rule NAN990 failed" in capsys.readouterr().out
    main(["--no-cache", "--output-format", "junit", "a.py"])
    root = ElementTree.fromstring(capsys.readouterr().out)
    assert (root.get("errors"), root.get("failures")) == ("1", "1")
    main(["--no-cache", "--output-format", "sarif", "a.py"])
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert len(run["results"]) == 1
    assert run["invocations"][0]["executionSuccessful"] is False
    (said,) = run["invocations"][0]["toolExecutionNotifications"]
    assert "rule NAN990 failed" in said["message"]["text"]


def test_flake8_is_told(fails: Path) -> None:
    said = [row[2] for row in Plugin(ast.parse(BAD), BAD.splitlines(True), "a.py").run()]
    assert [one[:6] for one in said] == ["NAN900", "NAN101"]
    assert "rule NAN990 failed" in said[0]


def test_library_warns_and_gives_the_rest(fails: Path) -> None:
    settings = Settings(rules=(str(fails),))
    with pytest.warns(AnalysisWarning, match="a.py: rule NAN990 failed"):
        assert [one.code for one in check_source(BAD, "a.py", settings)] == ["NAN101"]
    with pytest.warns(AnalysisWarning, match="rule NAN990 failed"):
        assert "log_softmax" in fix_source(BAD, "a.py", settings).text


def test_failure_of_no_rule_blames_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*_: object) -> None:
        raise RecursionError("maximum recursion depth exceeded")

    monkeypatch.setattr("mllint_nan.linter.analysis.findings_in", endless)
    shallow = lint_text(BAD, "a.py", Settings())
    assert getattr(shallow, "reason", "").startswith("internal error: RecursionError")
    deep = lint_text(BAD + "y = " + "-(" * 80 + "x" + ")" * 80 + "\n" * 1, "a.py", Settings())
    assert getattr(deep, "reason", "").startswith("internal error: RecursionError")
    nested = lint_text(BAD + "y = x" + ".relu()" * 900 + "\n", "a.py", Settings())
    assert "nested too deeply" in getattr(nested, "reason", "")
