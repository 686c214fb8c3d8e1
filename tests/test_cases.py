"""Whole small programs as tutorials write them: `cases/broken/*.py`, and `cases/sound/*.py`.

They are annotated as fixtures are, and read as scripts at the default confidence. A line before
the code says, for the interpreter, what the case rests on:

    # breaks: gradient(loss, [[200.0, 0.0]])     some of these numbers is NaN or infinite
    # holds: value(loss, [[200.0, 0.0]])         all of them are finite

`value` calls the function with arrays of the case's framework; `gradient` differentiates the sum
of its results by them; `session`, in TensorFlow 1, runs a part of the graph that the script built.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from importlib import import_module
from typing import Any, Final

import numpy as np
import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import Linted, LintResult, Settings
from mllint_nan.linter.analysis import failed_in
from tests import analyses
from tests.analyses import linted
from tests.fixture_files import ROOT, Claim, FixtureFile, Kind, Marker
from tests.verifier.frameworks import adapter, selected
from tests.verifier.load import load
from tests.verifier.observation import Observed, leaves

SCRIPT: Final = Settings()
POSSIBLE: Final = Settings(min_confidence=Confidence.POSSIBLE)
_CLAIM: Final = re.compile(r"^# (breaks|holds): (.+)$", re.MULTILINE)


class Case(FixtureFile):
    @property
    def is_broken(self) -> bool:
        return self.rule == "broken"

    @property
    def runs_in(self) -> str:
        """The framework that executes it."""
        return "tensorflow" if self.framework == "keras" else self.framework

    @property
    def is_fixed_safely(self) -> bool:
        """All that is wrong has a safe fix."""
        return self.is_broken and {(a.marker, a.claim.kind) for a in self.annotations} == {
            (Marker.EXPECT, Kind.SAFE)
        }

    @cached_property
    def claims(self) -> list[str]:
        """The expressions whose numbers show what the case says of itself."""
        word = "breaks" if self.is_broken else "holds"
        return [claim[2] for claim in _CLAIM.finditer(self.data.decode()) if claim[1] == word]


CASES: Final = [Case(path) for path in sorted((ROOT / "cases").glob("*/*.py"))]
EXECUTED: Final = [case for case in CASES if case.claims and case.runs_in in selected()]

CHECKS: Final[list[Callable[[Case], None]]] = []


def of_each_case(check: Callable[[Case], None]) -> Callable[[Case], None]:
    """One of the checks that every case goes through, in a test for all of its checks."""
    CHECKS.append(check)
    return check


def test_cases_are_many_and_of_both_kinds() -> None:
    broken = [case for case in CASES if case.is_broken]
    sound = [case for case in CASES if not case.is_broken]
    assert min(len(broken), len(sound)) >= 130
    assert not [str(case) for case in broken if not case.annotations]
    markers = {annotation.marker for case in sound for annotation in case.annotations}
    assert markers <= {Marker.TODO_QUIET}


@of_each_case
def what_is_broken_is_found_and_what_is_sound_is_quiet(case: Case) -> None:
    expected, missed, noisy = (
        Counter(a.claim for a in case.annotations if a.marker is marker) for marker in Marker
    )
    found = _claims(case, SCRIPT)
    at_most_possible = {claim for claim in expected if claim.kind is Kind.POSSIBLE}
    assert at_most_possible <= set(_claims(case, POSSIBLE))
    places = {(claim.row, claim.code) for claim in found}
    assert places.isdisjoint((claim.row, claim.code) for claim in missed), "found by now"
    todo = {(claim.row, claim.code) for claim in noisy}
    assert todo <= places, "quiet by now"
    left = [claim for claim in found.elements() if (claim.row, claim.code) not in todo]
    likely = [claim for claim in expected.elements() if claim not in at_most_possible]
    assert sorted(map(str, left)) == sorted(map(str, likely))


@of_each_case
def no_rule_fails(case: Case) -> None:
    assert not failed_in(_linted(linted(case.data, case.filename, POSSIBLE)))


@of_each_case
def no_two_rules_report_one_operation(case: Case) -> None:
    found = _linted(linted(case.data, case.filename, POSSIBLE)).findings
    counts = Counter(finding.span for finding in found)
    assert not [str(Claim.of(finding)) for finding in found if counts[finding.span] > 1]


@of_each_case
def safe_fixes_compile_and_leave_no_safe_fix(case: Case) -> None:
    fixed = analyses.fixed(case.data, case.filename, SCRIPT)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        ast.parse(fixed.data)
    left = map(Claim.of, _linted(fixed.outcome).findings)
    assert not [str(claim) for claim in left if claim.kind is Kind.SAFE]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case_is_judged_as_it_says(case: Case, subtests: pytest.Subtests) -> None:
    for check in CHECKS:
        with subtests.test(check.__name__.replace("_", " ")):
            check(case)


@pytest.mark.slow
@pytest.mark.parametrize("case", EXECUTED, ids=str)
def test_case_is_what_it_says_when_executed(case: Case, subtests: pytest.Subtests) -> None:
    for claim in case.claims:
        with subtests.test(claim):
            numbers = _numbers(case, case.data.decode(), claim)
            assert np.isfinite(numbers).all() != case.is_broken, f"{claim}: {numbers}"
    if not case.is_fixed_safely:
        return
    fixed = analyses.fixed(case.data, case.filename, SCRIPT).data.decode()
    for claim in case.claims:
        with subtests.test(f"{claim} after safe fixes"):
            numbers = _numbers(case, fixed, claim)
            assert np.isfinite(numbers).all(), f"{claim}: {numbers}"


def _claims(case: Case, settings: Settings) -> Counter[Claim]:
    return Counter(map(Claim.of, _linted(linted(case.data, case.filename, settings)).findings))


def _linted(outcome: LintResult) -> Linted:
    assert isinstance(outcome, Linted), outcome
    return outcome


def _numbers(case: Case, text: str, claim: str) -> np.ndarray:
    """All numbers that the expression `claim` comes to in the module `text`."""
    with warnings.catch_warnings(), np.errstate(all="ignore"), ExitStack() as stack:
        warnings.simplefilter("ignore")
        if case.stem.startswith("tensorflow1"):
            tools = stack.enter_context(_graph())
            module = load.__wrapped__(text, "tensorflow1")
        else:
            tools = _tools(case.runs_in)
            module = load(text, case.stem)
        try:
            own = {case.runs_in: import_module(case.runs_in)}  # a fix may leave it unused
            result = eval(claim, {**own, **vars(module), **tools})
        except (OverflowError, ZeroDivisionError):
            result = np.inf  # what `math` says instead
    numbers = [np.asarray(leaf, np.float64).ravel() for leaf in leaves(result)]
    assert numbers, claim
    return np.concatenate(numbers)


def _tools(framework: str) -> dict[str, Callable[..., list[np.ndarray]]]:
    """`value` and `gradient` as a claim calls them; lists are arrays, all else is as it stands."""

    def observe(function: Callable[..., Any], *arguments: Any) -> Observed:
        arrays = {
            f"argument{place}": np.array(
                argument, np.float32 if framework != "numpy" and _has_floats(argument) else None
            )
            for place, argument in enumerate(arguments)
            if isinstance(argument, list)
        }

        def call(**inputs: Any) -> Any:
            given = enumerate(arguments)
            return function(*(inputs.get(f"argument{place}", each) for place, each in given))

        return adapter(framework).runner(call, "cpu")(arrays)

    def value(function: Callable[..., Any], *arguments: Any) -> list[np.ndarray]:
        return [array.entries for array in observe(function, *arguments).values]

    def gradient(function: Callable[..., Any], *arguments: Any) -> list[np.ndarray]:
        return [array.entries for array in observe(function, *arguments).gradients.values()]

    return {"value": value, "gradient": gradient}


def _has_floats(nested: Any) -> bool:
    if isinstance(nested, list):
        return any(map(_has_floats, nested))
    return isinstance(nested, float)


@contextmanager
def _graph() -> Iterator[dict[str, Callable[..., Any]]]:
    """TensorFlow 1's `session`, `value` and `gradient`, inside the graph that a script adds to."""
    import tensorflow.compat.v1 as tf

    def session(fetches: Any, feeds: dict[Any, Any]) -> Any:
        with tf.Session() as running:
            running.run(tf.global_variables_initializer())
            return running.run(fetches, feeds)

    def value(function: Callable[..., Any], *arguments: Any) -> Any:
        return session(function(*map(tf.constant, arguments)), {})

    def gradient(function: Callable[..., Any], *arguments: Any) -> Any:
        inputs = [tf.constant(argument) for argument in arguments]
        return session(tf.gradients(function(*inputs), inputs), {})

    with tf.Graph().as_default():
        yield {"session": session, "value": value, "gradient": gradient}
