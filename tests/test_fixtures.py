"""Every fixture is reported, and repaired, exactly as it says."""

from __future__ import annotations

import ast
import difflib
import itertools
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache

import pytest

from mllint_nan.findings import Applicability, Confidence, Finding, Hazard
from mllint_nan.linter import Fixed, Linted, LintResult, Settings, fix_bytes, lint_bytes
from mllint_nan.rulebook.load import load_rules
from mllint_nan.rulebook.rule import Rule
from mllint_nan.rulebook.verdict import Verdict
from tests import analyses
from tests.analyses import linted
from tests.fixture_files import (
    AnnotationError,
    Claim,
    FixtureFile,
    Kind,
    Marker,
    annotations_of,
    fixture_files,
    stated,
    twins_without_a_file,
)

RULES = load_rules()


def default(fixture: FixtureFile) -> Settings:
    return Settings(select=fixture.select)


def all_fixes(fixture: FixtureFile) -> Settings:
    return replace(default(fixture), unsafe_fixes=True)


def possible(fixture: FixtureFile) -> Settings:
    return replace(default(fixture), min_confidence=Confidence.POSSIBLE)


CHECKS: list[Callable[[FixtureFile], None]] = []


def of_each_fixture(check: Callable[[FixtureFile], None]) -> Callable[[FixtureFile], None]:
    """One of the checks that every fixture goes through, in a test for all of its checks."""
    CHECKS.append(check)
    return check


@of_each_fixture
def findings_equal_the_annotations(fixture: FixtureFile) -> None:
    problems = _disagreements(fixture)
    assert not problems, "\n".join([fixture.filename, *problems])


@of_each_fixture
def default_confidence_hides_only_what_is_possible(fixture: FixtureFile) -> None:
    shown = _findings(linted(fixture.data, fixture.filename, default(fixture)))
    likely = (finding for finding in _all(fixture) if finding.confidence > Confidence.POSSIBLE)
    assert shown == tuple(likely)


@of_each_fixture
def no_two_rules_report_one_operation(fixture: FixtureFile) -> None:
    found = _findings(linted(fixture.data, fixture.filename, possible(fixture)))
    counts = Counter((each.span, each.hazard is Hazard.ACCURACY) for each in found)
    assert max(counts.values(), default=1) == 1, counts


@of_each_fixture
def some_rule_states_which_of_two_equally_sure_ones_speaks(fixture: FixtureFile) -> None:
    judge = analyses.prepared(fixture.data, fixture.filename, possible(fixture)).judge
    matched: dict[int, list[Verdict]] = {}
    for verdict in judge.matched():
        matched.setdefault(id(verdict.reported.site), []).append(verdict)
    unordered = [
        (one.rule.code, other.rule.code)
        for verdicts in matched.values()
        for one, other in itertools.combinations(verdicts, 2)
        if one.confidence is other.confidence
        and one.is_of_accuracy is other.is_of_accuracy
        and one.rule.code not in other.rule.overrides
        and other.rule.code not in one.rule.overrides
    ]
    assert not unordered


@of_each_fixture
def fixed_text_is_the_reviewed_one(fixture: FixtureFile) -> None:
    data = _fixed(fixture).data
    assert data == fixture.fixed_data, _difference(fixture, data)


@of_each_fixture
def fixed_text_parses(fixture: FixtureFile) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        ast.parse(_fixed(fixture).data)


@of_each_fixture
def fixing_again_changes_nothing(fixture: FixtureFile) -> None:
    fixed = _fixed(fixture)
    assert analyses.fixed(fixed.data, fixture.filename, all_fixes(fixture)).data == fixed.data


@of_each_fixture
def one_run_applies_all_safe_fixes(fixture: FixtureFile) -> None:
    once = analyses.fixed(fixture.data, fixture.filename, default(fixture))
    assert analyses.fixed(once.data, fixture.filename, default(fixture)).data == once.data


@of_each_fixture
def what_is_shown_is_what_is_applied(fixture: FixtureFile) -> None:
    for settings in (default(fixture), all_fixes(fixture)):
        shown = _findings(linted(fixture.data, fixture.filename, settings))
        applied = analyses.fixed(fixture.data, fixture.filename, settings).applied
        offered = (
            one for one in shown if one.fix and one.fix.applicability >= settings.applicability
        )
        assert _codes(applied) <= _codes(offered)


@of_each_fixture
def no_fix_is_left_to_apply(fixture: FixtureFile) -> None:
    left = _findings(linted(_fixed(fixture).data, fixture.filename, default(fixture)))
    assert not [str(Claim.of(finding)) for finding in left if _can_be_fixed(finding)]


@of_each_fixture
def fixes_bring_no_new_finding(fixture: FixtureFile) -> None:
    fixed = _fixed(fixture)
    outcome = linted(fixture.data, fixture.filename, default(fixture))
    before = _findings(outcome)
    after = _findings(linted(fixed.data, fixture.filename, default(fixture)))
    # What a more specific rule stood for may speak up once that one is settled.
    silenced = Counter(dict(outcome.silenced)) if isinstance(outcome, Linted) else Counter()
    assert _codes(after) <= _codes(before) + silenced - _codes(fixed.applied)


@of_each_fixture
def safe_fixes_leave_no_safe_fix(fixture: FixtureFile) -> None:
    fixed = analyses.fixed(fixture.data, fixture.filename, default(fixture))
    assert all(Claim.of(finding).kind is Kind.SAFE for finding in fixed.applied)
    left = map(Claim.of, _findings(fixed.outcome))
    assert not [str(claim) for claim in left if claim.kind is Kind.SAFE]


@pytest.mark.parametrize("fixture", fixture_files(), ids=str)
def test_fixture_is_reported_and_repaired_as_it_says(
    fixture: FixtureFile, is_blessing: bool, subtests: pytest.Subtests
) -> None:
    if is_blessing:
        fixture.bless(_fixed(fixture).data)
    for check in CHECKS:
        with subtests.test(check.__name__.replace("_", " ")):
            check(fixture)


@pytest.mark.parametrize(
    ("rule", "framework"),
    [
        pytest.param(rule, framework, id=f"{rule.name}-{framework}")
        for rule in RULES
        for framework in rule.frameworks
    ],
)
def test_rule_has_a_fixture_for_each_framework_that_it_claims(rule: Rule, framework: str) -> None:
    own = [file for file in fixture_files() if file.rule == rule.name]
    own = [file for file in own if file.framework == framework]
    assert own, f"fixtures/{rule.name}/{framework}.py is missing"
    assert any(_expects(file, rule.code) for file in own), "nothing is expected to be found"
    assert any(file.quiet_functions() for file in own), "no function is a near-miss"


@pytest.mark.slow
@pytest.mark.parametrize("asked", [default, all_fixes, possible])
@pytest.mark.parametrize("fixture", fixture_files()[::24], ids=str)
def test_remembered_analysis_is_what_a_new_one_says(
    fixture: FixtureFile, asked: Callable[[FixtureFile], Settings]
) -> None:
    given = fixture.data, fixture.filename, asked(fixture)
    assert linted(*given) == lint_bytes(*given)
    assert analyses.fixed(*given) == fix_bytes(*given)


def test_fixtures_belong_to_rules() -> None:
    known = {rule.name for rule in RULES}
    assert not [str(file) for file in fixture_files() if file.rule not in known]
    assert not twins_without_a_file()


@pytest.mark.parametrize(
    "comment",
    [
        "# expects: NAN101",
        "# expect: NAN1O1",
        "# expect: NAN101 nofix",
        "# expect: NAN101, NAN102",
        "# expect: NAN101 no-fix please",
        "# todo: NAN101",
    ],
)
def test_misspelt_annotation_is_an_error(comment: str) -> None:
    with pytest.raises(AnnotationError, match=r"a\.py:1: # "):
        annotations_of(f"p.log()  {comment}\n", "a.py")


def test_annotation_alone_on_its_row_speaks_of_the_next_code() -> None:
    text = "def f(p):\n    # expect: NAN101\n    # Why.\n\n    p.log()  # todo-quiet: NAN202\n"
    first, second = annotations_of(text)
    assert (first.marker, first.claim) == (Marker.EXPECT, Claim(5, "NAN101", Kind.SAFE))
    assert (second.marker, second.claim.row) == (Marker.TODO_QUIET, 5)


@pytest.mark.parametrize("comment", ["# noqa: NAN101", "# see NAN101", "'# expect: NAN101'"])
def test_other_comments_are_no_annotations(comment: str) -> None:
    assert annotations_of(f"p.log()\n{comment}\n") == ()


def _disagreements(fixture: FixtureFile) -> list[str]:
    """What the annotations say and the linter does not, or the other way round."""
    claims = {
        marker: Counter(
            annotation.claim for annotation in fixture.annotations if annotation.marker is marker
        )
        for marker in Marker
    }
    found = Counter(map(Claim.of, _all(fixture)))
    missing = claims[Marker.EXPECT] - found
    noisy = found - claims[Marker.EXPECT]
    found_by_now, quiet_by_now = Counter[Claim](), Counter[Claim]()
    for todo in claims[Marker.TODO_EXPECT].elements():
        there = _take(noisy, todo)
        if there is not None and there.kind is not Kind.POSSIBLE:
            found_by_now[there] += 1
    for todo in claims[Marker.TODO_QUIET].elements():
        if _take(noisy, todo) is None:
            quiet_by_now[todo] += 1
    if fixture.ignores_possible:
        noisy = Counter({claim: n for claim, n in noisy.items() if claim.kind != Kind.POSSIBLE})
    return [
        *_listed("noisy", noisy, fixture),
        *_listed("missing", missing, fixture),
        *_listed("found by now: make it `# expect`", found_by_now, fixture),
        *_listed("quiet by now: drop `# todo-quiet`", quiet_by_now, fixture),
    ]


def _take(noisy: Counter[Claim], todo: Claim) -> Claim | None:
    """The finding that a known flaw is about, whatever its kind, taken out of `noisy`."""
    for kind in (Kind.SAFE, Kind.UNSAFE, Kind.NO_FIX, Kind.POSSIBLE):
        claim = Claim(todo.row, todo.code, kind)
        if noisy[claim] > 0:
            noisy[claim] -= 1
            return claim
    return None


def _listed(title: str, claims: Counter[Claim], fixture: FixtureFile) -> Iterable[str]:
    listed = sorted(claims.elements(), key=lambda claim: (claim.row, claim.code))
    if listed:
        yield f"{title}:"
    for claim in listed:
        yield f"  {claim!s:24} {fixture.lines[claim.row - 1].strip()}"


def _difference(fixture: FixtureFile, data: bytes) -> str:
    expected, actual = (text.decode("utf-8").splitlines() for text in (fixture.fixed_data, data))
    name = fixture.fixed_path.name
    return "\n".join(difflib.unified_diff(expected, actual, name, "now", lineterm="", n=1))


def _expects(fixture: FixtureFile, code: str) -> bool:
    return any(
        annotation.marker is Marker.EXPECT and annotation.claim.code == code
        for annotation in fixture.annotations
    )


def _can_be_fixed(finding: Finding) -> bool:
    return finding.fix is not None and finding.fix.applicability >= Applicability.UNSAFE


def _codes(findings: Iterable[Finding]) -> Counter[str]:
    return Counter(finding.code for finding in findings)


def _findings(outcome: LintResult) -> tuple[Finding, ...]:
    assert isinstance(outcome, Linted), outcome
    return outcome.findings


@cache
def _all(fixture: FixtureFile) -> tuple[Finding, ...]:
    return stated(_findings(linted(fixture.data, fixture.filename, possible(fixture))))


@cache
def _fixed(fixture: FixtureFile) -> Fixed:
    """After a second run, which applies what the first could not know to show."""
    first = analyses.fixed(fixture.data, fixture.filename, all_fixes(fixture))
    second = analyses.fixed(first.data, fixture.filename, all_fixes(fixture))
    return Fixed(second.data, (*first.applied, *second.applied), second.outcome)
