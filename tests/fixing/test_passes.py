"""What is shown at first is what one run applies, whatever its own repairs bring about."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from mllint_nan.cli import main
from mllint_nan.domains.truth import Truth
from mllint_nan.findings import Applicability, Edit, Finding, Position, Span
from mllint_nan.fixing.apply import splice
from mllint_nan.fixing.composition import composed
from mllint_nan.fixing.passes import moved
from mllint_nan.linter import FixedText, Linted, Settings, fix_text, lint_text
from mllint_nan.rulebook.predicates.context import PREDICATES, Context, Predicate

SAFE = Settings()
UNSAFE = Settings(unsafe_fixes=True)
RULE = """\
code = "NAN99%d"
name = "%s"
summary = "a rule of this test"
hazard = "value"
frameworks = ["torch"]
match = "%s(x)"
when = [%s]
message = "found"

[[fix]]
rewrite = "%s(x)"
requires = [%s]
applicability = "safe"

[[witness]]
text = "x = 100"
given = { x = [100.0] }

[docs]
why = "Because."
example = "torch.%s(x)"
instead = "torch.%s(x)"
fix_safety = "Equal."
references = []
"""
NEIGHBOURS = (
    "import torch\n\n\ndef f(x):\n    return torch.sin(x)\n\n\ndef g(x):\n    return torch.cos(x)\n"
)


def edit(start: int, end: int, content: str) -> Edit:
    return Edit(Span(start, end), content, Position(1, start + 1), Position(1, end + 1))


def at_first(text: str, settings: Settings = SAFE) -> tuple[Finding, ...]:
    outcome = lint_text(text, "a.py", settings)
    assert isinstance(outcome, Linted)
    return outcome.findings


def offered(text: str, settings: Settings = SAFE) -> list[str]:
    """The codes whose fixes a run under these settings says it would apply."""
    least = settings.applicability
    return [
        one.code for one in at_first(text, settings) if one.fix and one.fix.applicability >= least
    ]


def applied(fixed: FixedText) -> list[str]:
    return [finding.code for finding in fixed.applied]


# Places


@pytest.mark.parametrize(
    ("edits", "before", "after"),
    [
        ((), "cd", "cd"),
        ((edit(0, 1, "xyz"),), "cd", "cd"),
        ((edit(2, 2, "++"),), "cd", "cd"),
        ((edit(4, 4, "++"),), "cd", "cd"),
        ((edit(5, 6, ""),), "cd", "cd"),
        ((edit(3, 3, "++"),), "cd", "c++d"),
        ((edit(2, 3, "long"),), "cd", "longd"),
        ((edit(3, 5, "long"),), "cd", "clong"),
        ((edit(1, 5, "long"),), "cd", "long"),
        ((edit(0, 1, ""), edit(3, 4, "!")), "cd", "c!"),
    ],
)
def test_place_moves_with_its_text(edits: tuple[Edit, ...], before: str, after: str) -> None:
    text = "abcdef"
    start = text.index(before)
    place = moved(Span(start, start + len(before)), edits)
    spliced = text
    for one in sorted(edits, reverse=True):
        spliced = spliced[: one.span.start] + one.content + spliced[one.span.end :]
    assert spliced[place.start : place.end] == after


@pytest.mark.parametrize(
    ("first", "second", "after"),
    [
        ((edit(2, 3, "XY"),), (edit(0, 1, ""),), "bXYdef"),
        ((edit(2, 3, "XY"),), (edit(3, 4, "!"),), "abX!def"),
        ((edit(2, 3, "XY"),), (edit(1, 5, "!"),), "a!ef"),
        ((edit(0, 0, "import\n"),), (edit(7, 8, "A"), edit(0, 0, "#\n")), "#\nimport\nAbcdef"),
        ((edit(1, 5, ""),), (edit(1, 1, "new"),), "anewf"),
        ((edit(0, 2, "q"), edit(4, 6, "r")), (edit(1, 3, "--"),), "q--r"),
    ],
)
def test_two_steps_are_one(first: tuple[Edit, ...], second: tuple[Edit, ...], after: str) -> None:
    text = "abcdef"
    both = composed(text, (first, second))
    assert all(a.span.end <= b.span.start for a, b in itertools.pairwise(both))
    for one in reversed(both):
        text = text[: one.span.start] + one.content + text[one.span.end :]
    assert text == after


# Labels


@pytest.fixture
def neighbours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Settings]:
    """Two rules: what the second one says changes once the first one's operation is gone."""

    def is_alone(context: Context, x: object) -> Truth:
        others = context.analysis.occurrences
        is_there = any(one.term.operation.name == "sin" for one in others)
        return Truth.UNKNOWN if is_there else Truth.YES

    monkeypatch.setitem(PREDICATES, "is_alone", Predicate(is_alone, 1))

    def planted(when: str = "", requires: str = "") -> Settings:
        family = tmp_path / f"rules-{bool(when)}" / "own"
        family.mkdir(parents=True)
        first = (1, "first-of-test", "sin", "", "tan", "", "sin", "tan")
        second = (2, "second-of-test", "cos", when, "erf", requires, "cos", "erf")
        for row in (first, second):
            (family / f"{row[1]}.toml").write_text(RULE % row)
        return Settings(rules=(str(family.parent),))

    return planted


def test_fix_that_becomes_safe_on_the_way_waits(neighbours: Callable[..., Settings]) -> None:
    settings = neighbours(requires='"is_alone(x)"')
    assert offered(NEIGHBOURS, settings) == ["NAN991"]
    fixed = fix_text(NEIGHBOURS, "a.py", settings)
    assert applied(fixed) == ["NAN991"]
    assert "torch.cos(x)" in fixed.text
    assert isinstance(fixed.outcome, Linted)
    (left,) = fixed.outcome.findings
    assert left.fix is not None
    assert left.fix.applicability is Applicability.SAFE  # as the next run shows it
    assert "torch.erf(x)" in fix_text(fixed.text, "a.py", settings).text


def test_finding_that_becomes_sure_on_the_way_waits(neighbours: Callable[..., Settings]) -> None:
    settings = neighbours(when='"is_alone(x)"')
    assert [one.code for one in at_first(NEIGHBOURS, settings)] == ["NAN991"]
    fixed = fix_text(NEIGHBOURS, "a.py", settings)
    assert "NAN992" not in applied(fixed)
    assert applied(fixed) == offered(NEIGHBOURS, settings)
    assert "torch.cos(x)" in fixed.text


def test_diff_and_fix_agree(
    neighbours: Callable[..., Settings],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rules = neighbours(requires='"is_alone(x)"').rules[0]
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(NEIGHBOURS)
    arguments = ["--isolated", "--config", f"rules=['{rules}']", "a.py"]
    main(["--diff", *arguments])
    shown = [line[1:] for line in capsys.readouterr().out.splitlines() if line[:2] == "+ "]
    main(["--fix", "--show-fixes", *arguments])
    captured = capsys.readouterr()
    assert shown == ["    return torch.tan(x)"]
    assert "1 × NAN991" in captured.err
    assert "NAN992" not in captured.err
    assert Path("a.py").read_text() == NEIGHBOURS.replace("sin", "tan")


RMSE = """\
import torch


def chromatic(x, y, alpha):
    each = torch.sqrt(alpha * torch.mean((x - y) ** 2, dim=[1, 2]))
    return torch.sqrt(torch.sum(each**2, dim=0))
"""


def test_root_of_squared_roots_is_as_unsafe_as_it_was() -> None:
    """Once the outer root is a norm, nothing shows any more that the inner one may not change."""
    for settings in (SAFE, UNSAFE):
        assert applied(fix_text(RMSE, "a.py", settings)) == offered(RMSE, settings)


def test_fix_that_waits_for_another_is_applied_in_the_same_run() -> None:
    text = dedent("""\
        import torch


        def f(x):
            return torch.log(torch.softmax(torch.log(torch.softmax(x, dim=0)), dim=0))
    """)
    assert offered(text) == ["NAN101", "NAN101"]
    fixed = fix_text(text, "a.py", SAFE)
    assert applied(fixed) == ["NAN101", "NAN101"]
    assert "softmax(torch.log_softmax(x" in fixed.text.replace("F.", "torch.")


def test_rows_between_do_not_matter() -> None:
    text = dedent("""\
        import torch


        def f(x):
            return torch.log(torch.sigmoid(x))


        def g(x):
            return torch.log(torch.softmax(torch.log(torch.sigmoid(x)), dim=0))
    """)
    fixed = fix_text(text, "a.py", SAFE)
    assert sorted(applied(fixed)) == sorted(offered(text))
    assert not at_first(fixed.text)


# Halves


@pytest.mark.slow
def test_fix_is_shown_with_what_it_brings_up() -> None:
    text = dedent("""\
        import torch


        def deviation(x):
            return torch.sqrt(torch.mean(x**2) - torch.mean(x) ** 2)
    """)
    (finding,) = at_first(text)
    assert finding.fix is not None
    once = splice(text, [finding])
    assert not at_first(once)
    assert fix_text(text, "a.py", SAFE).text == once
    import torch

    gradients = []
    for source in (text, once):
        namespace: dict[str, Callable[..., object]] = {}
        exec(source, namespace)
        x = torch.full((3,), 2.0, requires_grad=True)
        namespace["deviation"](x).backward()  # type: ignore[attr-defined]
        gradients.append(x.grad)
    assert not gradients[0].isfinite().all()
    assert gradients[1].isfinite().all()


def test_message_says_the_whole() -> None:
    text = dedent("""\
        import jax.numpy as jnp


        def deviation(x):
            return jnp.sqrt(jnp.mean(x**2) - jnp.mean(x) ** 2)
    """)
    (finding,) = at_first(text)
    assert finding.fix is not None
    assert finding.fix.message == "Replace with `jnp.sqrt(jnp.maximum(jnp.var(x), 1e-37))`"


def test_message_says_the_whole_beside_what_is_removed() -> None:
    text = dedent("""\
        import torch.nn as nn
        import torch.nn.functional as F


        class Model(nn.Module):
            def forward(self, x, y):
                probs = F.softmax(self.head(x), dim=-1)
                return F.cross_entropy(probs, y.where(y > 0, -100))
    """)
    (finding,) = at_first(text)
    assert finding.fix is not None
    written = [edit.content for edit in finding.fix.edits if "reduction=" in edit.content]
    assert finding.fix.message == f"Replace with `{written[0]}`"


def test_message_names_the_other_places() -> None:
    text = dedent("""\
        import torch
        import torch.nn.functional as F


        def f(raw, y):
            sigma = F.softplus(raw)
            z = y / sigma
            return z + torch.log(sigma)
    """)
    shown = [finding.fix.message for finding in at_first(text) if finding.fix is not None]
    assert shown == ["Replace with `torch.clamp(sigma, min=1e-12)`; also line 7"]
