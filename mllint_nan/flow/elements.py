"""Terms with the same elements: views, casts, selections by a mask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mllint_nan.ir.term import OPAQUE, QUALIFIED, Term, number_of, peel

if TYPE_CHECKING:
    from mllint_nan.flow.state import Analysis

WHOLE_VIEWS: Final = frozenset(
    ("reshape", "squeeze", "expand_dims", "transpose", "broadcast", "flatten", "identity", "detach")
)
"""Views that have every element of their operand."""
_RESULTS_OF_UNIQUE: Final = ("return_index", "return_inverse", "return_counts")
"""What `unique` gives beside the values, where it is asked to, in this order."""


def is_selected(term: Term) -> bool:
    """Whether a mask selects the elements of a term, which may be none."""
    inner = peel(term)
    while inner.operation.kind in ("view", "elementwise") and inner.operands:
        if inner.operation.name == "boolean_mask":
            return True
        if inner.operation.kind == "elementwise" and not all(
            number_of(part) is not None or is_selected(part) for part in inner.operands
        ):
            return False
        inner = peel(inner.operands[0])
    return False


def elements_of(term: Term) -> Term:
    """What has the same elements, rounded or not, before they were arranged."""
    inner = peel(term)
    while inner.operation.name in WHOLE_VIEWS or inner.operation.name == "cast":
        inner = peel(inner.operands[0])
    return inner


def is_weighed(count: Term) -> bool:
    """Whether a `bincount` is given weights, and adds these up."""
    given = [part for part in count.operands if part.operation is not QUALIFIED]
    return not all(isinstance(number_of(option), int) for option in given[1:])


def counts_inverse(count: Term, analysis: Analysis) -> bool:
    """Whether a `bincount` counts what `unique` gives as the inverse: each of these occurs."""
    given = [peel(part) for part in count.operands if part.operation is not QUALIFIED]
    return len(given) == 1 and _result_of_unique(given[0], analysis) == "return_inverse"


def counts_occurrences(part: Term, analysis: Analysis) -> bool:
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


def behind_shapes(term: Term) -> Term:
    """What has the same elements in another shape."""
    inner = peel(term)
    while inner.operation.name in WHOLE_VIEWS:
        inner = peel(inner.operands[0])
    return inner
