"""What the fixtures claim: per function and code, a hazard at a witness, and what a fix does.

A claim stands on the linter's own findings, never on the annotation alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import cache, cached_property
from typing import Final

import numpy as np

from mllint_nan.findings import Confidence, Finding, Hazard, Span
from mllint_nan.linter import Linted, Settings
from mllint_nan.rulebook.load import load_rules
from mllint_nan.rulebook.rule import Rule, Witness
from tests.analyses import fixed, linted
from tests.fixture_files import FixtureFile, Kind, Marker, fixture_files
from tests.verifier.frameworks import framework_of, selected
from tests.verifier.functions import Function, functions_of
from tests.verifier.observation import Inputs

_EVERYTHING: Final = Settings(min_confidence=Confidence.POSSIBLE)


@dataclass(frozen=True, slots=True)
class Claim:
    """`function` of a fixture has the flaw `code`: `hazard` shows at a witness of its rule."""

    rule: str
    stem: str
    function: Function
    code: str
    hazard: Hazard | None
    """None where the linter reports nothing on the annotated lines."""
    compiled: bool
    """Whether the flaw is claimed of XLA's graphs only."""
    value_is_finite: bool
    """Whether no finding in the function claims a value hazard."""
    spans: tuple[Span, ...]
    """Where the findings stand in `before`."""
    before: str
    after: str | None
    """The fixture's text with every fix applied; None where the flaw is still there."""
    fix_is_safe: bool

    @property
    def name(self) -> str:
        """The rule of `code`, which need not be the fixture's own."""
        return _rule(self.code).name

    @property
    def framework(self) -> str:
        return framework_of(self.stem)

    @property
    def inputs(self) -> Inputs | None:
        """The function's witness as arrays; None where no entry has all it requires."""
        witness = _witness(self)
        if witness is None:
            return None
        names = self.function.required + self.function.optional
        return {name: as_array(witness.given[name]) for name in names if name in witness.given}

    def __str__(self) -> str:
        return f"{self.rule}/{self.stem}:{self.function.name}:{self.code}"


@cache
def claims(rule: str = "") -> tuple[Claim, ...]:
    """The claims of the fixtures of a rule, or of all, whose framework is selected."""
    return tuple(
        claim
        for file in fixture_files()
        if framework_of(file.stem) in selected() and rule in ("", file.rule)
        for claim in _claims_of(file)
    )


def simplest(rule: str = "") -> tuple[Claim, ...]:
    """Of each code and framework the first that is fixed and can be executed in any mode.

    A function that makes a Python number of its input, a seed, cannot be traced.
    """
    first: dict[tuple[str, str], Claim] = {}
    for claim in claims(rule):
        if claim.after is None or claim.inputs is None or claim.compiled:
            continue
        if "seed" not in claim.inputs:
            first.setdefault((claim.code, claim.framework), claim)
    return tuple(first.values())


def as_array(given: object) -> np.ndarray:
    """Numbers as the frameworks' default: float32, int32 where all are integers, or bool."""
    array = np.asarray(given)
    narrow = {"f": np.float32, "i": np.int32, "b": np.bool_}
    return array.astype(narrow[array.dtype.kind])


@dataclass(frozen=True)
class _Repaired:
    """A fixture after all fixes of findings that are at least as confident as `least`."""

    file: FixtureFile
    least: Confidence

    @cached_property
    def text(self) -> str:
        return self._fixed(unsafe=True)

    @cached_property
    def remaining(self) -> tuple[Finding, ...]:
        return _findings(self.file, self.text)

    @cached_property
    def functions(self) -> dict[str, Function]:
        return {function.name: function for function in functions_of(self.text)}

    @cached_property
    def texts_if_safe(self) -> dict[str, str]:
        """The functions' texts after safe fixes alone."""
        return {each.name: each.text for each in functions_of(self._fixed(unsafe=False))}

    def after(self, function: Function, codes: set[str]) -> str | None:
        """The whole text, if `function` is changed and has none of `codes` any more."""
        new = self.functions[function.name]
        left = {each.code for each in self.remaining if new.holds(each.start.row)}
        return None if left & codes or new.text == function.text else self.text

    def is_safe(self, function: Function) -> bool:
        """Whether the safe fixes alone make of `function` what all of them do."""
        return self.texts_if_safe[function.name] == self.functions[function.name].text

    def _fixed(self, unsafe: bool) -> str:
        settings = Settings(min_confidence=self.least, unsafe_fixes=unsafe)
        return fixed(self.file.data, self.file.filename, settings).data.decode()


def _claims_of(file: FixtureFile) -> Iterator[Claim]:
    text = file.data.decode()
    expected = {
        (annotation.claim.row, annotation.claim.code): annotation.claim.kind
        for annotation in file.annotations
        if annotation.marker is Marker.EXPECT
    }
    found = _findings(file, text)
    found = tuple(each for each in found if (each.start.row, each.code) in expected)
    likely, possible = (
        _Repaired(file, least) for least in (Confidence.LIKELY, Confidence.POSSIBLE)
    )
    for function in functions_of(text):
        kinds = {place: kind for place, kind in expected.items() if function.holds(place[0])}
        repaired = possible if Kind.POSSIBLE in kinds.values() else likely
        codes = {code for _, code in kinds}
        here = [each for each in found if function.holds(each.start.row)]
        for code in sorted(codes):
            claim = _claim(file, function, code, here, repaired.after(function, codes))
            if claim.after is not None and repaired.is_safe(function):
                claim = replace(claim, fix_is_safe=True)
            if not function.is_method or claim.inputs is not None:
                yield claim


def _claim(
    file: FixtureFile, function: Function, code: str, found: Sequence[Finding], after: str | None
) -> Claim:
    """The claim of `code` by what was `found` in the function."""
    reported = [each for each in found if each.code == code]
    hazards = {each.hazard for each in reported}
    return Claim(
        rule=file.rule,
        stem=file.stem,
        function=function,
        code=code,
        hazard=Hazard.VALUE if Hazard.VALUE in hazards else next(iter(hazards), None),
        compiled=any("XLA" in each.message or "compiled" in each.message for each in reported),
        value_is_finite=all(each.hazard is not Hazard.VALUE for each in found),
        spans=tuple(each.span for each in reported),
        before=file.data.decode(),
        after=after,
        fix_is_safe=False,
    )


def _findings(file: FixtureFile, text: str) -> tuple[Finding, ...]:
    outcome = linted(text.encode(), file.filename, _EVERYTHING)
    return outcome.findings if isinstance(outcome, Linted) else ()


@cache
def _rule(identity: str) -> Rule:
    return next(rule for rule in load_rules() if identity in (rule.code, rule.name))


def _witness(claim: Claim) -> Witness | None:
    """The first entry that has all required parameters; those made for the function come first.

    The finding's own rule is asked before the one that the fixture belongs to. A method needs an
    entry that names it, since its instance is part of its input.
    """
    witnesses = _rule(claim.code).witnesses + _rule(claim.rule).witnesses
    named = [each for each in witnesses if _is_for(claim, each)]
    general = [each for each in witnesses if not each.only and not claim.function.is_method]
    required = set(claim.function.required)
    return next((each for each in named + general if required <= set(each.given)), None)


def _is_for(claim: Claim, witness: Witness) -> bool:
    """`only` holds functions, `function` or `stem:function`, with `*` for any."""
    place = f"{claim.stem}:{claim.function.name}"
    return any(fnmatch(place, name if ":" in name else f"*:{name}") for name in witness.only)
