"""What calls count: how often each value occurs, by `unique` or `bincount`."""

from __future__ import annotations

from typing import Final

from mllint_nan.domains.interval import INF, Interval
from mllint_nan.domains.value import Value
from mllint_nan.flow.named_values import COUNTED
from mllint_nan.flow.state import Analysis
from mllint_nan.ir.term import OPAQUE, QUALIFIED, Term, number_of, peel

_EACH_OCCURS: Final = Value(Interval(1.0, INF), integer=True)
_RESULTS_OF_UNIQUE: Final = ("return_index", "return_inverse", "return_counts")
"""What `unique` gives beside the values, where it is asked to, in this order."""


def counted_in(term: Term, analysis: Analysis) -> Value | None:
    """The counts that a call gives which is not understood otherwise."""
    what = str(term.detail)
    if what.startswith("part "):
        return _EACH_OCCURS if _counts_occurrences(term, analysis) else None
    if not what.startswith("call ") or not what.endswith("bincount") or _is_weighed(term):
        return None
    return _EACH_OCCURS if _counts_inverse(term, analysis) else COUNTED


def _is_weighed(count: Term) -> bool:
    """Whether a `bincount` is given weights, and adds these up."""
    given = [part for part in count.operands if part.operation is not QUALIFIED]
    return not all(isinstance(number_of(option), int) for option in given[1:])


def _counts_inverse(count: Term, analysis: Analysis) -> bool:
    """Whether a `bincount` counts what `unique` gives as the inverse: each of these occurs."""
    given = [peel(part) for part in count.operands if part.operation is not QUALIFIED]
    return len(given) == 1 and _result_of_unique(given[0], analysis) == "return_inverse"


def _counts_occurrences(part: Term, analysis: Analysis) -> bool:
    """Whether it is how often `unique` met each of the values that it found: at least once."""
    return _result_of_unique(part, analysis) == "return_counts"


def _result_of_unique(part: Term, analysis: Analysis) -> str:
    """Which of its results, by the argument that asks for it; none of its first, or if unknown."""
    what = str(part.detail)
    made = peel(part.operands[0]) if part.operation is OPAQUE and part.operands else part
    name = str(made.detail).rpartition(".")[2].rpartition(" ")[2]
    if not what.startswith("part ") or made.operation is not OPAQUE:
        return ""
    if name == "unique_with_counts":
        asked = ["return_inverse", "return_counts"]
    elif name in ("unique", "unique_consecutive"):
        is_tensorflow = str(made.detail).startswith("call tensorflow.")
        switched_on = (
            {"return_inverse"} if is_tensorflow else analysis.switched_on.get(made.key, ())
        )
        asked = [one for one in _RESULTS_OF_UNIQUE if one in switched_on]
    else:
        return ""
    number = what.removeprefix("part ")
    return asked[int(number) - 1] if number.isdigit() and 0 < int(number) <= len(asked) else ""
