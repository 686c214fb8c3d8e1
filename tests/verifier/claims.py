"""What the fixtures claim: per function and code, a hazard at a witness, and what a fix does.

A claim stands on the linter's own findings, never on the annotation alone; which claims there will
be is `stated` by the annotations, so that nothing is analysed before a test asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
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

_BETWEEN_STEPS: Final = frozenset(("NAN701", "NAN702", "NAN704"))
"""The codes of what training does between its steps, which no framework traces."""


@dataclass(frozen=True, slots=True)
class Stated:
    """An annotation's word: `function` of a fixture has the flaw `code`. Nothing is analysed."""

    file: FixtureFile
    function: Function
    code: str
    may_be_repaired: bool
    """Whether the reviewed text has another function, or the finding is merely possible."""

    @property
    def rule(self) -> str:
        return self.file.rule

    @property
    def stem(self) -> str:
        return self.file.stem

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
        form = self.form_of_witness
        given = {name: witness.given[name] for name in names if name in witness.given}
        return {name: as_array(numbers, form) for name, numbers in given.items()}

    @property
    def form_of_witness(self) -> str:
        """The float format of the inputs: where digits count, that in which they are computed."""
        is_accuracy = _rule(self.code).cases[0].hazard is Hazard.ACCURACY
        is_double = self.framework == "numpy" and is_accuracy
        return "float64" if is_double else "float32"

    def __str__(self) -> str:
        return f"{self.rule}/{self.stem}:{self.function.name}:{self.code}"


@dataclass(frozen=True, slots=True)
class Claim(Stated):
    """What the linter says of it: `hazard` shows at a witness of its rule."""

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

    def __str__(self) -> str:
        return Stated.__str__(self)


def stated(rule: str = "") -> tuple[Stated, ...]:
    """What the fixtures of a rule, or of all, state whose framework is selected."""
    return tuple(
        each
        for file in fixture_files()
        if framework_of(file.stem) in selected() and rule in ("", file.rule)
        for each in _stated_in(file)
    )


def claim_of(each: Stated) -> Claim:
    """The claim that comes of what is stated; its whole file is analysed, once."""
    return _claims_in(each.file)[each]


def claims(rule: str = "") -> tuple[Claim, ...]:
    """The claims of the fixtures of a rule, or of all, whose framework is selected."""
    return tuple(map(claim_of, stated(rule)))


def executable_in_any_mode(rule: str = "") -> dict[tuple[str, str], list[Stated]]:
    """What may be repaired and can be executed, by code and framework.

    A function that makes a Python number of its input, a seed, cannot be traced, nor can what
    training does between its steps.
    """
    found: dict[tuple[str, str], list[Stated]] = {}
    for each in stated(rule):
        if each.code in _BETWEEN_STEPS or each.inputs is None or "seed" in each.inputs:
            continue
        if each.may_be_repaired:
            found.setdefault((each.code, each.framework), []).append(each)
    return found


def simplest(candidates: Iterable[Stated]) -> Claim | None:
    """The first that is fixed, and not claimed of XLA's graphs only."""
    every = map(claim_of, candidates)
    return next((each for each in every if each.after is not None and not each.compiled), None)


def as_array(given: object, form: str = "float32") -> np.ndarray:
    """Numbers in a float format, as int32 where all are integers, or bool."""
    array = np.asarray(given)
    narrow = {"f": np.dtype(form), "i": np.dtype(np.int32), "b": np.dtype(np.bool_)}
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
        settings = Settings(self.file.select, min_confidence=self.least, unsafe_fixes=unsafe)
        return fixed(self.file.data, self.file.filename, settings).data.decode()


def _expected(file: FixtureFile) -> dict[tuple[int, str], Kind]:
    """The kind of each finding that is to be reported, by row and code."""
    return {
        (annotation.claim.row, annotation.claim.code): annotation.claim.kind
        for annotation in file.annotations
        if annotation.marker is Marker.EXPECT
    }


def _kinds(file: FixtureFile, function: Function) -> dict[tuple[int, str], Kind]:
    return {place: kind for place, kind in _expected(file).items() if function.holds(place[0])}


@cache
def _stated_in(file: FixtureFile) -> tuple[Stated, ...]:
    return tuple(_annotated_in(file))


def _annotated_in(file: FixtureFile) -> Iterator[Stated]:
    twins = {function.name: function.text for function in functions_of(file.fixed_data.decode())}
    for function in functions_of(file.data.decode()):
        kinds = _kinds(file, function)
        is_possible = Kind.POSSIBLE in kinds.values()
        may_be_repaired = is_possible or twins.get(function.name) != function.text
        for code in sorted({code for _, code in kinds}):
            each = Stated(file, function, code, may_be_repaired)
            if not function.is_method or each.inputs is not None:
                yield each


@cache
def _claims_in(file: FixtureFile) -> dict[Stated, Claim]:
    found = _findings(file, file.data.decode())
    found = tuple(each for each in found if (each.start.row, each.code) in _expected(file))
    likely, possible = (
        _Repaired(file, least) for least in (Confidence.LIKELY, Confidence.POSSIBLE)
    )
    claimed: dict[Stated, Claim] = {}
    for each in _stated_in(file):
        kinds = _kinds(file, each.function)
        repaired = possible if Kind.POSSIBLE in kinds.values() else likely
        here = [one for one in found if each.function.holds(one.start.row)]
        after = repaired.after(each.function, {code for _, code in kinds})
        is_safe = after is not None and repaired.is_safe(each.function)
        claimed[each] = _claim(each, here, after, is_safe)
    return claimed


def _claim(each: Stated, found: Sequence[Finding], after: str | None, is_safe: bool) -> Claim:
    """What is claimed by what was `found` in the function."""
    reported = [one for one in found if one.code == each.code]
    hazards = {one.hazard for one in reported}
    return Claim(
        file=each.file,
        function=each.function,
        code=each.code,
        may_be_repaired=each.may_be_repaired,
        hazard=Hazard.VALUE if Hazard.VALUE in hazards else next(iter(hazards), None),
        compiled=any("XLA" in one.message or "compiled" in one.message for one in reported),
        value_is_finite=all(one.hazard is not Hazard.VALUE for one in found),
        spans=tuple(one.span for one in reported),
        before=each.file.data.decode(),
        after=after,
        fix_is_safe=is_safe,
    )


def _findings(file: FixtureFile, text: str) -> tuple[Finding, ...]:
    everything = Settings(file.select, min_confidence=Confidence.POSSIBLE)
    outcome = linted(text.encode(), file.filename, everything)
    return outcome.findings if isinstance(outcome, Linted) else ()


@cache
def _rule(identity: str) -> Rule:
    return next(rule for rule in load_rules() if identity in (rule.code, rule.name))


def _witness(claim: Stated) -> Witness | None:
    """The first entry that has all required parameters; those made for the function come first.

    The finding's own rule is asked before the one that the fixture belongs to. A method needs an
    entry that names it, since its instance is part of its input.
    """
    witnesses = _rule(claim.code).witnesses + _rule(claim.rule).witnesses
    named = [each for each in witnesses if _is_for(claim, each)]
    general = [each for each in witnesses if not each.only and not claim.function.is_method]
    required = set(claim.function.required)
    return next((each for each in named + general if required <= set(each.given)), None)


def _is_for(claim: Stated, witness: Witness) -> bool:
    """`only` holds functions, `function` or `stem:function`, with `*` for any."""
    place = f"{claim.stem}:{claim.function.name}"
    return any(fnmatch(place, name if ":" in name else f"*:{name}") for name in witness.only)
