"""Planted faults: rewrites of rules with one thing wrong in them, for the verifier to refute."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from mllint_nan.findings import Proof
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.ops import operation
from mllint_nan.ir.term import CONSTANT, Term
from mllint_nan.verify.cut import Cut
from mllint_nan.verify.render import render
from mllint_nan.verify.variables import Uncuttable, Variable
from mllint_nan.verify.verifier import Verifier
from tests.verifier.ground_truth import equals, repairs
from tests.verifier.points import COARSE
from tests.verifier.samples import Sample, numbers_of, parts_of, samples

_BUILDER: Final = Builder()
_ABSORBED: Final = 0.0
"""What a format makes of an epsilon that it absorbs."""
_SMALL: Final = 1e-3
_SECOND_AXIS: Final = "second axis for the last"
_NO_EPSILON: Final = "epsilon absorbed"
_OF_WEIGHTS: Final = ("division-by-sum", "division-by-range")
_OF_COUNTS: Final = ("inverse-degree",)
_PREFERRED: Final = ("torch", "jax", "tensorflow", "keras", "numpy", "math")

Change = Callable[[Term], Term | None]


@dataclass(frozen=True, slots=True, eq=False)
class Mutant:
    """A sample whose rewrite has one fault."""

    sample: Sample
    fault: str
    cut: Cut

    def proof(self, verifier: Verifier) -> Proof:
        """What the verifier of users says of it."""
        return proof_of(self.sample, self.cut, verifier)

    @property
    def is_equivalent(self) -> bool:
        """Whether in exact arithmetic it is the sample's own rewrite after all, or as good a one.

        log_softmax(x + c) is log_softmax(x - c), and what `where` does not select is any number.
        Without its epsilon a fix is the original.
        The points of a sweep are no tensors of three axes; the second axis is the last where the
        original, which adds an axis at a place of its own, takes matrices alone.
        """
        if self.fault == _NO_EPSILON:
            return False
        if self.fault == _SECOND_AXIS:
            return any(part.operation.name == "subscript" for part in parts_of(self.cut.before))
        after = self.cut.after
        return equals(self.sample, after, COARSE) or repairs(self.sample, after, COARSE)

    @property
    def is_written(self) -> bool:
        """Whether the framework has a spelling of it."""
        try:
            render(self.cut)
        except Uncuttable:
            return False
        return True

    def __str__(self) -> str:
        return f"{self.sample}-{self.fault}"


def elsewhere() -> Iterator[Mutant]:
    """One fault of each rule in each framework that `rewrites` leaves out, each time another."""
    planted = {(sample.rule.name, sample.framework) for sample in rewrites()}
    others: dict[tuple[str, str], dict[str, Mutant]] = {}
    for sample in (*samples(), *samples(safe=False)):
        place = (sample.rule.name, sample.framework)
        if place not in planted and sample.rule.name not in UNPLANTED:
            of_place = others.setdefault(place, {})
            for mutant in _mutants(sample):
                of_place.setdefault(mutant.fault, mutant)
    for number, place in enumerate(sorted(others)):
        written = [mutant for mutant in others[place].values() if mutant.is_written]
        if written:
            yield written[number % len(written)]


def mutants(rule: str = "") -> Iterator[Mutant]:
    """Each fault wherever it applies in each of the `rewrites`."""
    for sample in rewrites(rule):
        yield from _mutants(sample)


@cache
def rewrites(rule: str = "") -> tuple[Sample, ...]:
    """What is mutated: each fix that can be cut and is to equal the original, in one framework."""
    chosen: dict[tuple[str, int], Sample] = {}
    found = [*samples(rule), *samples(rule, safe=False)]
    for sample in sorted(found, key=lambda each: _PREFERRED.index(each.framework)):
        if sample.rule.name not in UNPLANTED:
            chosen.setdefault((sample.rule.code, sample.place), sample)
    return tuple(chosen.values())


def proof_of(sample: Sample, parts: Cut, verifier: Verifier) -> Proof:
    """What the verifier of users says of a sample or its mutant, on inputs that the rule means."""
    variables = tuple(_meant(sample, each) for each in parts.variables)
    parts = replace(parts, variables=variables)
    return verifier.proof_of(parts, sample.hazard, is_safe=sample.is_safe)


def _meant(sample: Sample, variable: Variable) -> Variable:
    """Counts and weights are not negative, which no fixture's source says of its parameters."""
    variable = replace(variable, is_derived=False)
    if sample.rule.name in _OF_WEIGHTS:
        variable = replace(variable, lo=max(variable.lo, 0.0))
    if sample.rule.name in _OF_COUNTS:
        variable = replace(variable, lo=max(variable.lo, 0.0), is_integer=True)
    return variable


def _mutants(sample: Sample) -> Iterator[Mutant]:
    seen = {str(sample.cut.after), str(sample.cut.before)}
    for fault, change in FAULTS.items():
        for place, _ in enumerate(_places(sample.cut.after)):
            after = _changed(sample.cut.after, place, change)
            if after is None or str(after) in seen:
                continue
            seen.add(str(after))
            if fault == _NO_EPSILON and not _is_own(sample, after):
                continue
            if fault == "number doubled" and _is_guessed(sample, after):
                continue
            shrunk = sample.cut.shrunk and _changed(sample.cut.shrunk, place, change)
            yield Mutant(sample, fault, replace(sample.cut, after=after, shrunk=shrunk or after))


def _is_own(sample: Sample, after: Term) -> bool:
    """Whether the numbers of the program itself are all still there."""
    return set(numbers_of(sample.cut.before)) <= set(numbers_of(after))


def _is_guessed(sample: Sample, after: Term) -> bool:
    """Whether what is another number now was a rule's guess, and the fix is unsafe for it."""
    gone = set(numbers_of(sample.cut.after)) - set(numbers_of(after))
    return not sample.is_safe and bool(gone & set(sample.rule.parameters.values()))


def _places(term: Term) -> Iterator[Term]:
    """Every part, in an order that only the structure decides; settings but bounds are not."""
    yield term
    for operand in (*term.operands, *_bounds(term).values()):
        yield from _places(operand)


def _bounds(term: Term) -> dict[str, Term]:
    return {name: value for name, value in term.settings.items() if name in ("min", "max")}


def _changed(term: Term, place: int, change: Change) -> Term | None:
    """The term with one part changed; None where the change does not apply there."""
    left = place

    def rebuilt(part: Term) -> Term | None:
        nonlocal left
        if left == 0:
            left -= 1
            return change(part)
        left -= 1
        operands, settings = list(part.operands), dict(part.settings)
        for index, operand in enumerate(operands):
            if left >= 0:
                new = rebuilt(operand)
                if new is None:
                    return None
                operands[index] = new
        for name, bound in _bounds(part).items():
            if left >= 0:
                new = rebuilt(bound)
                if new is None:
                    return None
                settings[name] = new
        return _again(part, tuple(operands), settings)

    return rebuilt(term)


def _again(part: Term, operands: tuple[Term, ...], settings: Mapping[str, Term]) -> Term:
    return Term(part.operation, operands, _BUILDER.fresh(), None, settings, None, part.detail)


def _call(name: str, *operands: Term) -> Term:
    return Term(operation(name), operands, _BUILDER.fresh())


_OF_TWO: Final = (
    *("atan2", "xlogy", "sigmoid_cross_entropy"),
    "binary_cross_entropy_with_logits",
)
"""Other functions that are not the same with their operands the other way round."""


def _swapped(part: Term) -> Term | None:
    """The operands of what does not commute the other way round."""
    if part.operation.name in ("sub", "div", "pow", *_OF_TWO):
        return _again(part, part.operands[::-1], part.settings)
    if part.operation.name == "where":
        condition, chosen, other = part.operands
        return _again(part, (condition, other, chosen), part.settings)
    return None


def _without_minus(part: Term) -> Term | None:
    if part.operation.name == "neg":
        return part.operands[0]
    if part.operation.name == "sub":
        return _call("add", *part.operands)
    if part.operation is CONSTANT and type(part.detail) in (int, float) and part.detail < 0:
        return _BUILDER.constant(-part.detail)
    return None


def _other_bound(part: Term) -> Term | None:
    name = {"maximum": "minimum", "minimum": "maximum"}.get(part.operation.name)
    if name is not None:
        return _call(name, *part.operands)
    bounds = _bounds(part)
    if part.operation.name != "clip" or None in [value.detail for value in bounds.values()]:
        return None
    other = {"max" if bound == "min" else "min": value for bound, value in bounds.items()}
    return _again(part, part.operands, other)


def _wrong_axis(part: Term) -> Term | None:
    return _along(part, {-1: 0, 0: -1, 1: 0})


def _second_axis(part: Term) -> Term | None:
    """The same in a matrix, not in a tensor of three axes."""
    return _along(part, {-1: 1})


def _along(part: Term, others: Mapping[int, int]) -> Term | None:
    axis = part.settings.get("axis")
    if axis is None or axis.detail not in others:
        return None
    other = _BUILDER.constant(others[axis.detail])
    return _again(part, part.operands, {**part.settings, "axis": other})


def _outside_the_root(part: Term) -> Term | None:
    if part.operation.name != "sqrt" or part.operands[0].operation.name != "add":
        return None
    inside, epsilon = part.operands[0].operands
    if not _is_small(epsilon):
        return None
    return _call("add", _call("sqrt", inside), epsilon)


def _absorbed(part: Term) -> Term | None:
    return _BUILDER.constant(_ABSORBED) if _is_small(part) else None


_NEGATED: Final = re.findall(
    r"\w+",
    "exp expm1 exp2 sigmoid log_sigmoid softplus softmax log_softmax logsumexp log_ndtr"
    " tanh logaddexp log1p logit binary_cross_entropy_with_logits",
)


def _other_sign(part: Term) -> Term | None:
    """Of an exponent, or of the operand of a function that is neither even nor linear."""
    if part.operation.name == "pow":
        base, exponent = part.operands
        return _again(part, (base, _call("neg", exponent)), part.settings)
    if part.operation.name not in _NEGATED or part.operands[0].operation.name == "neg":
        return None
    first, *others = part.operands
    return _again(part, (_call("neg", first), *others), part.settings)


def _doubled(part: Term) -> Term | None:
    """Of a number that is no epsilon."""
    if part.operation is not CONSTANT or type(part.detail) not in (int, float):
        return None
    return None if _is_small(part) or not part.detail else _BUILDER.constant(2 * part.detail)


def _without_axis_kept(part: Term) -> Term | None:
    kept = part.settings.get("keepdims")
    if kept is None or not isinstance(kept.detail, bool):
        return None
    other = _BUILDER.constant(not kept.detail)
    return _again(part, part.operands, {**part.settings, "keepdims": other})


def _other_reduction(part: Term) -> Term | None:
    name = _OTHER_REDUCTIONS.get(part.operation.name)
    return (
        None
        if name is None
        else Term(operation(name), part.operands, _BUILDER.fresh(), None, part.settings)
    )


_OTHER_REDUCTIONS: Final = {
    **{"sum": "mean", "mean": "sum", "max": "min", "min": "max"},
    **{"var": "std", "std": "var"},
}


def _other_count(part: Term) -> Term | None:
    """Of a variance: that of the sample for that of the population, and the other way round."""
    if part.operation.name not in ("var", "std"):
        return None
    given = part.settings.get("correction")
    correction = _BUILDER.constant(0 if given is not None and given.detail else 1)
    return _again(part, part.operands, {**part.settings, "correction": correction})


def _first_alone(part: Term) -> Term | None:
    """A sum, difference, product or quotient without its second operand."""
    return part.operands[0] if _is_of_two(part) else None


def _second_alone(part: Term) -> Term | None:
    return part.operands[1] if _is_of_two(part) and part.operation.name in ("add", "mul") else None


def _is_of_two(part: Term) -> bool:
    return part.operation.name in ("add", "sub", "mul", "div") and not _is_small(part.operands[1])


def _is_small(part: Term) -> bool:
    return (
        part.operation is CONSTANT
        and isinstance(part.detail, float)
        and _ABSORBED < abs(part.detail) < _SMALL
    )


FAULTS: Final[Mapping[str, Change]] = {
    "swapped operands": _swapped,
    "dropped minus": _without_minus,
    "wrong bound": _other_bound,
    "wrong axis": _wrong_axis,
    _SECOND_AXIS: _second_axis,
    "epsilon outside the root": _outside_the_root,
    _NO_EPSILON: _absorbed,
    "operand of the other sign": _other_sign,
    "number doubled": _doubled,
    "axis kept or dropped": _without_axis_kept,
    "other reduction": _other_reduction,
    "other count under a variance": _other_count,
    "second operand dropped": _first_alone,
    "first operand dropped": _second_alone,
}
UNPLANTED: Final[Mapping[str, str]] = {
    "logit-by-hand": "the fix is the logits themselves: no operation, number or axis is in it",
    "cross-entropy-of-softmax": "the fix is another function on purpose: a loss that learns",
    "nll-of-probabilities": "likewise, and its labels are classes, for which no input is drawn",
    "comparison-with-nan": "the finding is about NaN as an input, and none is drawn",
    "ctc-of-short-input": "its labels are classes, for which no input is drawn",
    "mean-loss-all-ignored": "its labels are classes, for which no input is drawn",
    "nonfinite-norm-ignored": "it changes what training does between its steps, not an expression",
    "anomaly-detection-left-on": "likewise",
    "clip-before-unscale": "likewise",
}
"""Rules with a rewrite that is not mutated, and why not."""
