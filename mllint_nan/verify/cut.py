"""A match and its rewrite, cut out of the program: two terms over inputs of their own.

Below the match, the program's term is followed as far as it can be executed. Where it cannot, a
variable replaces it, whose range is the known range of the term. Views that select or move
elements are left out if only functions of single elements are around them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mllint_nan.fixing.repair import Chosen
from mllint_nan.flow.formats import dtype_of
from mllint_nan.ir.term import Term, number_of, walk
from mllint_nan.rulebook.floors import parameters_of
from mllint_nan.rulebook.judge import Judge
from mllint_nan.rulebook.verdict import Verdict
from mllint_nan.verify.cutting import Cutter, TooLarge
from mllint_nan.verify.variables import Uncuttable, Variable

_SMALL_PARAMETER: Final = 1e-2
_SHRUNK: Final = 1e-140
"""The factor by which a small parameter, an epsilon or a floor, is made negligible.

Squares of the result are still normal numbers in double precision."""
_DEEPEST: Final = (10_000, 16, 8, 4, 2, 1, 0)
"""How many operations deep a match is cut; the next one is tried if the cut is too large."""
_CONSTANTS_MOST: Final = 8
_CONSTANT_LARGEST: Final = 1e30


@dataclass(frozen=True, slots=True)
class Cut:
    """The terms to execute; they hold operations, constants, and variables by name.

    `shrunk` is `after` with negligible epsilons and floors; None if it has none. `offset` is the
    largest of these. A variable that is not an input is an index as text, such as `[:, None]`.
    """

    framework: str
    dtype: str
    before: Term
    after: Term
    shrunk: Term | None
    offset: float
    variables: tuple[Variable, ...]
    constants: tuple[float, ...]
    """The numbers in both terms, which inputs may be compared with."""
    slack: float = 0.0
    """The error that the rule allows the fix, in epsilons of the format."""

    @property
    def has_gradient(self) -> bool:
        """Whether a gradient can be computed."""
        return True

    @property
    def has_axis(self) -> bool:
        """Whether an operation in it has an explicit axis."""
        return any(map(_has_axis, (self.before, self.after)))


def cut(verdict: Verdict, chosen: Chosen, judge: Judge) -> Cut:
    """Return the match of a verdict before and after its fix; raises `Uncuttable`.

    A cut that is too large is made less deep until it is small enough.
    """
    for deepest in _DEEPEST:
        try:
            return _cut(verdict, chosen, judge, deepest)
        except TooLarge:
            continue
    raise Uncuttable("it is too large")


def _cut(verdict: Verdict, chosen: Chosen, judge: Judge, deepest: int) -> Cut:
    root = verdict.occurrence.term
    cutter = Cutter(verdict, chosen.found, judge, dtype_of(root), deepest)
    parameters = parameters_of(judge, verdict, chosen.repair, chosen.found)
    before = cutter.convert(root, alone=True)
    if cutter.is_cut_short:
        before = cutter.converted_again(root)
    after = cutter.rewritten(root, chosen, parameters)
    small = {
        name: number * _SHRUNK
        for name, number in parameters.items()
        if 0 < number <= _SMALL_PARAMETER and name in chosen.repair.rewrite.variables()
    }
    shrunk = cutter.rewritten(root, chosen, {**parameters, **small}) if small else None
    if not cutter.variables:
        raise Uncuttable("it has no inputs")
    return Cut(
        verdict.framework,
        cutter.dtype,
        before,
        after,
        shrunk,
        max((parameters[name] for name in small), default=0.0),
        tuple(cutter.variables.values()),
        _constants(before, after),
        chosen.repair.tolerance.eps,
    )


def _has_axis(term: Term) -> bool:
    axis = term.settings.get("axis")
    is_given = axis is not None and axis.detail is not None
    return is_given or any(map(_has_axis, term.operands))


def _constants(*terms: Term) -> tuple[float, ...]:
    numbers = (number_of(part) for term in terms for part in walk(term))
    kept = (float(one) for one in numbers if one is not None and abs(one) < _CONSTANT_LARGEST)
    return tuple(dict.fromkeys(kept))[:_CONSTANTS_MOST]
