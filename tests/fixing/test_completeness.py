"""After plain `--fix` a function is finite where it was not, or it is as it was."""

from __future__ import annotations

import math
from collections.abc import Callable
from textwrap import dedent
from types import ModuleType
from typing import Any

import pytest

from mllint_nan.findings import Applicability, Confidence, Finding
from mllint_nan.linter import Linted, Settings, fix_text, lint_text

SAFE = Settings()
UNSAFE = Settings(unsafe_fixes=True)

IMPORTS = {
    "torch": "import torch\nimport torch.nn.functional as F\n\n\n",
    "jax": "import jax\nimport jax.numpy as jnp\n\n\n",
    "numpy": "import numpy as np\n\n\n",
}


def program(framework: str, text: str) -> str:
    return IMPORTS[framework] + dedent(text)


def found(text: str, settings: Settings = SAFE) -> dict[str, Finding]:
    outcome = lint_text(text, "a.py", settings)
    assert isinstance(outcome, Linted)
    return {finding.code: finding for finding in outcome.findings}


def applicability_of(finding: Finding) -> Applicability:
    assert finding.fix is not None
    return finding.fix.applicability


def numbers(framework: str, text: str, *given: Any) -> list[float]:
    """What `f` gives for these arrays."""
    # The extra `test` leaves TensorFlow out on Python 3.14 and on macOS.
    library: ModuleType = pytest.importorskip(framework)
    namespace: dict[str, Callable[..., Any]] = {}
    exec(text, namespace)
    if framework == "torch":
        arrays = [library.tensor(one) for one in given]
    elif framework == "jax":
        arrays = [library.numpy.asarray(one) for one in given]
    else:
        arrays = [library.asarray(one, dtype="float32") for one in given]
        with library.errstate(all="ignore"):
            return [float(one) for one in library.ravel(namespace["f"](*arrays))]
    return [float(one) for one in namespace["f"](*arrays).reshape(-1)]


def is_finite(values: list[float]) -> bool:
    return all(map(math.isfinite, values))


# Of each framework: a program, and an input at which it is not finite.
HALVES = {
    "entropy of logits in torch": (
        "torch",
        """\
        def f(logits):
            nexp = torch.exp(-logits)
            return ((1 + nexp) * torch.log1p(nexp) + nexp * logits) / (1 + nexp)
        """,
        ([-100.0, 1.0],),
    ),
    "entropy of logits in jax": (
        "jax",
        """\
        def f(logits):
            nexp = jnp.exp(-logits)
            return ((1 + nexp) * jnp.log1p(nexp) + nexp * logits) / (1 + nexp)
        """,
        ([-100.0, 1.0],),
    ),
    "entropy by a sum that vanishes": (
        "numpy",
        """\
        def f(d):
            p = np.exp(-d)
            total = np.sum(p)
            return np.log(total) + np.sum(d * p) / total
        """,
        ([1e6, 2e6],),
    ),
    "two divisors, one the square of the other": (
        "torch",
        """\
        def f(k, x):
            kp1 = torch.relu(k).sum()
            kp1sq = kp1**2
            return x / kp1 - torch.cos(x) / kp1sq
        """,
        ([-1.0], [1.0]),
    ),
    "logarithm and quotient": (
        "jax",
        """\
        def f(raw, y):
            sigma = jax.nn.softplus(raw)
            return jnp.log(sigma) + y / sigma
        """,
        ([-200.0], [1.0]),
    ),
    "two identical lines": (
        "torch",
        """\
        def f(w, x):
            s = torch.relu(w).sum()
            a = x / s
            b = x / s
            return a + b
        """,
        ([-1.0, -2.0], [0.0, 0.0]),
    ),
    "a second softmax by hand": (
        "torch",
        """\
        def f(x):
            e = torch.exp(x)
            p = e / e.sum()
            return p * torch.log(e.sum())
        """,
        ([200.0, 0.0],),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("settings", [SAFE, UNSAFE], ids=["safe", "unsafe"])
@pytest.mark.parametrize("name", HALVES)
def test_function_is_repaired_or_left_as_it_was(name: str, settings: Settings) -> None:
    framework, source, given = HALVES[name]
    text = program(framework, source)
    assert not is_finite(numbers(framework, text, *given))
    fixed = fix_text(text, "a.py", settings).text
    assert fixed == text or is_finite(numbers(framework, fixed, *given)), fixed


@pytest.mark.parametrize("name", HALVES)
def test_finding_stays_whatever_becomes_of_its_fix(name: str) -> None:
    framework, source, _ = HALVES[name]
    assert found(program(framework, source), Settings(min_confidence=Confidence.POSSIBLE))


def test_what_is_left_is_named() -> None:
    framework, source, _ = HALVES["entropy of logits in torch"]
    finding = found(program(framework, source))["NAN105"]
    assert applicability_of(finding) is Applicability.DISPLAY_ONLY
    assert finding.fix is not None
    assert finding.fix.message.endswith("; also line 6")


def test_guard_of_a_variable_goes_where_the_variable_goes() -> None:
    text = program(
        "torch",
        """\
        def f(raw, y):
            sigma = F.softplus(raw)
            z = y / sigma
            return z + torch.log(sigma)
        """,
    )
    assert applicability_of(found(text)["NAN201"]) is Applicability.UNSAFE
    fixed = fix_text(text, "a.py", UNSAFE).text
    assert fixed.count("torch.clamp(sigma, min=1e-12)") == 2
    assert not is_finite(numbers("torch", text, [-200.0], [1.0]))
    assert is_finite(numbers("torch", fixed, [-200.0], [1.0]))
    usual = ([0.5], [1.0])
    assert numbers("torch", fixed, *usual) == numbers("torch", text, *usual)


# Of gradients: programs, and an input at which the gradient by it is not finite.
SLOPES = {
    "root of squares of roots": (
        """\
        def f(x):
            each = torch.sqrt(torch.mean(x**2, dim=1))
            return torch.sqrt(torch.sum(each**2, dim=0))
        """,
        [[0.0, 0.0], [0.0, 0.0]],
    ),
    "root and another power": (
        """\
        def f(w):
            s = (w**2).sum()
            return s.sqrt() * s**0.3 + s.sqrt()
        """,
        [0.0, 0.0],
    ),
    "length and quotient": (
        """\
        def f(x):
            n = torch.norm(x)
            return (x / n).sum() + torch.sqrt((x**2).sum())
        """,
        [0.0, 0.0],
    ),
    "two roots of one sum": (
        """\
        def f(x):
            s = (x**2).sum()
            return s.sqrt() + 2 * torch.sqrt(s)
        """,
        [0.0, 0.0],
    ),
    "softplus by hand over its exponential": (
        """\
        def f(x):
            e = torch.exp(x)
            return torch.log(1 + e) / e
        """,
        [200.0, 0.0],
    ),
    "sigmoid by hand beside its exponential": (
        """\
        def f(x):
            e = torch.exp(-x)
            return 2 / (1 + e) - e
        """,
        [-200.0, 0.0],
    ),
    "two logarithms of exponentials": (
        """\
        def f(x):
            return torch.log(1 + torch.exp(x)) + torch.log(torch.exp(x).sum(-1))
        """,
        [200.0, 0.0],
    ),
}
APART = """\
def f(x):
    a = torch.log(1 + torch.exp(x))
    b = torch.log(torch.exp(x).sum(-1))
    return a, b
"""


def gradient(text: str, given: Any) -> list[float]:
    """Of what `f` gives for an array of PyTorch, by that."""
    import torch

    namespace: dict[str, Callable[..., Any]] = {}
    exec(text, namespace)
    x = torch.tensor(given, requires_grad=True)
    namespace["f"](x).sum().backward()
    assert x.grad is not None
    return [float(one) for one in x.grad.reshape(-1)]


@pytest.mark.slow
@pytest.mark.parametrize("settings", [SAFE, UNSAFE], ids=["safe", "unsafe"])
@pytest.mark.parametrize("name", SLOPES)
def test_gradient_is_repaired_or_left_as_it_was(name: str, settings: Settings) -> None:
    source, given = SLOPES[name]
    text = program("torch", source)
    assert not is_finite(gradient(text, given))
    fixed = fix_text(text, "a.py", settings).text
    assert fixed == text or is_finite(gradient(fixed, given)), fixed


@pytest.mark.slow
def test_fixes_of_one_gradient_are_applied_together() -> None:
    source, given = SLOPES["two roots of one sum"]
    fixed = fix_text(program("torch", source), "a.py", SAFE)
    assert len(fixed.applied) == 2
    assert is_finite(gradient(fixed.text, given))


@pytest.mark.parametrize("source", [APART, SLOPES["two logarithms of exponentials"][0]])
def test_exponential_that_another_fix_takes_away_leaves_nothing(source: str) -> None:
    text = program("torch", source)
    assert [applicability_of(one) for one in found(text).values()] == [Applicability.SAFE] * 2
    fixed = fix_text(text, "a.py", SAFE)
    assert "exp(x)" not in fixed.text.replace("logsumexp(x", "")
    assert isinstance(fixed.outcome, Linted)
    assert not fixed.outcome.findings


def test_exponential_that_stays_in_the_result_is_named() -> None:
    for name in ("softplus by hand over its exponential", "sigmoid by hand beside its exponential"):
        (finding,) = found(program("torch", SLOPES[name][0])).values()
        assert applicability_of(finding) is Applicability.DISPLAY_ONLY
        assert finding.fix is not None
        assert finding.fix.message.endswith("; also line 6")


def test_fix_is_as_unsafe_as_what_it_needs_beside_it() -> None:
    source, _ = SLOPES["root of squares of roots"]
    outcome = lint_text(program("torch", source), "a.py", SAFE)
    assert isinstance(outcome, Linted)
    assert len(outcome.findings) == 2
    assert len({applicability_of(finding) for finding in outcome.findings}) == 1


WHOLE = {
    "another operation that saturates": """\
        def f(x):
            p = torch.sigmoid(x)
            return torch.log(p) + 1 / (1 + p)
        """,
    "a weight that is 0 where the logarithm was infinite": """\
        def f(x):
            p = torch.softmax(x, dim=0)
            return p * torch.log(p)
        """,
    "the same operand in a clamp": """\
        def f(x):
            p = torch.sigmoid(x)
            return torch.log(p) + 1 / p.clamp(min=1e-6)
        """,
    "a quotient that a test keeps out": """\
        def f(x):
            p = torch.sigmoid(x)
            return torch.log(p) + torch.where(p > 0, 1 / p, torch.zeros_like(p))
        """,
    "both repaired": """\
        def f(x):
            p = torch.sigmoid(x)
            return torch.log(p) + torch.log(1 - p)
        """,
    "softmax by hand": """\
        def f(x):
            e = torch.exp(x)
            return e / e.sum()
        """,
    "on another path": """\
        def f(x, inverse=False):
            p = torch.sigmoid(x)
            if inverse:
                return 1 / p
            return torch.log(p)
        """,
}


@pytest.mark.parametrize("name", WHOLE)
def test_repair_that_suffices_is_applied(name: str) -> None:
    text = program("torch", WHOLE[name])
    fixed = fix_text(text, "a.py", Settings(min_confidence=Confidence.POSSIBLE))
    assert fixed.applied
    given = next(
        one for one in ([-200.0, 0.0], [200.0, 0.0]) if not is_finite(numbers("torch", text, one))
    )
    assert is_finite(numbers("torch", fixed.text, given))
    usual = [0.5, -0.25]
    before, after = (numbers("torch", one, usual) for one in (text, fixed.text))
    assert after == pytest.approx(before, rel=1e-5)


BY_HAND = """\
def f(x):
    e = {np}.exp(x)
    p = e / e.sum()
    return {np}.log(p)
"""


@pytest.mark.parametrize("framework", ["numpy", "jax", "torch"])
def test_logarithm_and_softmax_by_hand_are_one_repair(framework: str) -> None:
    source = BY_HAND.format(np={"numpy": "np", "jax": "jnp"}.get(framework, framework))
    text = program(framework, source)
    assert set(found(text)) == {"NAN101", "NAN103"}
    fixed = fix_text(text, "a.py", SAFE)
    assert "e = " not in fixed.text
    assert isinstance(fixed.outcome, Linted)
    assert not fixed.outcome.findings


@pytest.mark.slow
@pytest.mark.parametrize("framework", ["numpy", "jax", "torch"])
def test_logarithm_of_all_shares_is_finite(framework: str) -> None:
    source = BY_HAND.format(np={"numpy": "np", "jax": "jnp"}.get(framework, framework))
    text = program(framework, source)
    fixed = fix_text(text, "a.py", SAFE).text
    of_rows = [[0.0, 1000.0], [3.0, -1000.0]]
    assert not is_finite(numbers(framework, text, of_rows))
    assert numbers(framework, fixed, of_rows) == [-1000.0, 0.0, -997.0, -2000.0]
    usual = [[0.5, -0.25], [1.0, 0.0]]
    before, after = (numbers(framework, one, usual) for one in (text, fixed))
    assert after == pytest.approx(before, rel=1e-5)


def test_softmax_by_hand_is_only_shown_where_its_logarithm_stays_infinite() -> None:
    moved = BY_HAND.format(np="np").replace("return", "x = x + 1\n    return x +")
    outcome = found(program("numpy", moved))
    assert applicability_of(outcome["NAN103"]) is Applicability.DISPLAY_ONLY
    fix = outcome["NAN103"].fix
    assert fix is not None
    assert fix.reason == "applied alone, it would leave the same flaw"
    alone = program("numpy", moved.replace("np.log(p)", "p"))
    assert applicability_of(found(alone)["NAN103"]) is Applicability.SAFE
