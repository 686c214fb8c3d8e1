"""Counts of how often each value occurs, by `unique`, `bincount` or a sum of ones."""

from __future__ import annotations

from typing import Final

from mllint_nan.domains.call import COUNT
from mllint_nan.domains.interval import Interval
from mllint_nan.domains.value import Value
from mllint_nan.flow.named_values import COUNTED, OCCURRING
from mllint_nan.flow.occurring_values import occurs_in
from mllint_nan.flow.state import Analysis
from mllint_nan.ir.term import (
    CHOICE,
    CONSTANT,
    OPAQUE,
    QUALIFIED,
    SEQUENCE,
    Term,
    behind_views,
    constant_of,
    number_of,
    peel,
)

_SHARE: Final = Value(Interval(1.0 / COUNT, 1.0))
_COUNTER: Final = "call collections.Counter"
_ELEMENTS: Final = frozenset(("values", "call to_numpy", "call to_list", "call tolist"))
"""The attribute and methods of a column that contain all of its elements."""
_RESULTS_OF_UNIQUE: Final = ("return_index", "return_inverse", "return_counts")
"""The arguments that ask `unique` for more results, in the order of these results."""
_ADDS_AT: Final = frozenset(
    ("scatter_add", "scatter_add_", "index_add", "index_add_", "tensor_scatter_nd_add", "at")
)
"""Functions and methods that add to the elements at some indices."""
_PUTS: Final = ("index_put", "index_put_")
"""Methods that do so if `accumulate` is set; if not, they overwrite the elements."""
_LENGTHS: Final = frozenset(("minlength", "length"))
"""The keywords that tell `bincount` for how many values it counts."""
_SEGMENTS: Final = frozenset(("segment_sum", "unsorted_segment_sum", "scatter_nd"))
"""Functions that add up the elements of each index, starting from 0."""

_SCATTERS: Final = ("torch_scatter.scatter_add", "torch_scatter.scatter_sum")
"""Functions of a library that do so for `(elements, indices)`."""
_CONFUSIONS: Final = frozenset(
    (
        "sklearn.metrics.confusion_matrix",
        *("tensorflow.math.confusion_matrix", "tensorflow.confusion_matrix"),
        "tensorflow.compat.v1.confusion_matrix",
    )
)
"""Functions that count for `(labels, predictions)`: a row for each label, in columns."""
_WEIGHTS: Final = frozenset(("sample_weight", "weights", "normalize"))
"""The keywords for which they return no counts, if they are not `None`."""


def adds_at_indices(what: str) -> bool:
    """Whether a call of a function or method of this name adds at indices in place."""
    if what.startswith("numpy.") and what.endswith(".at"):  # of any ufunc
        return True
    return what in ("scatter_add_", "index_add_", "index_put_")


def is_tally(term: Term) -> bool:
    """Whether a term is how often each index occurs: ones added up at indices, starting from 0."""
    inner = peel(term)
    if inner.operation is not OPAQUE:
        return False
    given = [peel(part) for part in inner.operands if peel(part).operation is not QUALIFIED]
    what = str(inner.detail)
    name = what.rpartition(".")[2].removeprefix("call ")
    if what == "update":  # JAX's `x.at[index].add(1)`
        return len(given) == 2 and _is_one_more(given[1], given[0])
    if not what.startswith("call ") or not given:
        return False
    if name in _PUTS and not any(constant_of(part) is True for part in given[1:]):
        return False
    if name == "at" and not what.endswith("add.at"):
        return False
    if (name in _ADDS_AT or name in _PUTS) and _is_zeros(given[0]):
        is_number = name == "at" and number_of(given[-1]) == 1
        return is_number or any(map(_is_ones, given[1:]))
    return name in _SEGMENTS and any(map(_is_ones, given))


def summed_at_indices(term: Term) -> Term | None:
    """The elements that a call adds up for each index, starting from 0, else `None`."""
    what = str(term.detail)
    name = what.rpartition(".")[2].removeprefix("call ")
    given = [peel(part) for part in term.operands if peel(part).operation is not QUALIFIED]
    if what == "update":
        added = given[1].operands if len(given) == 2 and given[1].operation.name == "add" else ()
        others = [part for part in added if peel(part).key != given[0].key]
        return others[0] if len(others) == 1 and len(added) == 2 and _is_zeros(given[0]) else None
    if not what.startswith("call ") or len(given) < 2:
        return None
    if name in _SEGMENTS:
        return given[name == "scatter_nd"]
    if what.removeprefix("call ") in _SCATTERS:
        return given[0]
    return given[-1] if name in _ADDS_AT and name != "at" and _is_zeros(given[0]) else None


def _is_one_more(changed: Term, container: Term) -> bool:
    parts = changed.operands if changed.operation.name == "add" else ()
    return (
        _is_zeros(container)
        and any(peel(part).key == container.key for part in parts)
        and any(number_of(part) == 1 or _is_ones(part) for part in parts)
    )


def _is_zeros(term: Term) -> bool:
    return term.operation.name in ("zeros", "zeros_like")


def _is_ones(term: Term) -> bool:
    return behind_views(term).operation.name in ("ones", "ones_like")


def counts_each_of(term: Term, analysis: Analysis) -> bool:
    """Whether a term is a `bincount` for a number of values that the program states."""
    inner = peel(term)
    what = str(inner.detail) if inner.operation is OPAQUE else ""
    if not (what.startswith("call ") and what.endswith("bincount")) or _is_weighed(inner, analysis):
        return False
    given = [part for part in inner.operands if part.operation is not QUALIFIED]
    return any(number_of(part) or _is_length(part, analysis) for part in given[1:])


def counts_pairs(term: Term, analysis: Analysis) -> bool:
    """Whether a term is a table of how often each pair of values occurs: counts in rows.

    Such tables may be added up, starting from zeros.
    """
    inner, counts = peel(term), behind_views(term)
    if counts.operation is CHOICE:
        tables = [one for one in counts.operands if not _is_zeros(peel(one))]
        return bool(tables) and all(counts_pairs(one, analysis) for one in tables)
    if counts.operation.name == "add":
        return any(counts_pairs(one, analysis) for one in counts.operands)
    if not counts_each_of(counts, analysis):
        return False
    while inner.key != counts.key:
        if inner.operation.name == "reshape":
            return True
        inner = peel(inner.operands[0])
    return False


def is_confusion(term: Term, analysis: Analysis) -> bool:
    """Whether a term is a library's table of how often each label gets each prediction."""
    inner = peel(term)
    if inner.operation is not OPAQUE or str(inner.detail).removeprefix("call ") not in _CONFUSIONS:
        return False
    given = [part for part in inner.operands if part.operation is not QUALIFIED]
    return not any(
        isinstance(constant_of(part), str) or analysis.handed_as.get(part.key, set()) & _WEIGHTS
        for part in given
    )


def has_classes_without(table: Term, axis: int, analysis: Analysis) -> bool:
    """Whether some class of a table of confusions can get nothing in sums along this axis.

    A class need not be predicted at all. It may also occur in no label, if the program states
    which classes there are; else, the table only has classes that occur somewhere.
    """
    inner = peel(table)
    given = [part for part in inner.operands if part.operation is not QUALIFIED]
    return is_confusion(inner, analysis) and (
        axis in (0, -2)
        or str(inner.detail).startswith("call tensorflow.")
        or any(
            "labels" in analysis.handed_as.get(part.key, ())
            and (peel(part).operation is SEQUENCE or peel(part).operation.name == "arange")
            for part in given
        )
    )


def counted_in(term: Term, analysis: Analysis) -> Value | None:
    """The range of the counts that an opaque term or an attribute stands for, else `None`."""
    while term.detail in _ELEMENTS and term.operands:
        term = peel(term.operands[0])
    if term.operation is not OPAQUE:
        return None
    what = str(term.detail)
    if is_tally(term) or is_confusion(term, analysis):
        return COUNTED
    if what.startswith("part "):
        return OCCURRING if _counts_occurrences(term, analysis) else None
    if _counts_occurring(term, what):
        return OCCURRING
    if what.startswith("call ") and what.endswith("value_counts"):
        return _counted_in_column(term, analysis)
    if not what.startswith("call ") or not what.endswith("bincount"):
        return None
    if _is_weighed(term, analysis):
        return None
    return OCCURRING if _counts_inverse(term, analysis) else COUNTED


def _counts_occurring(term: Term, what: str) -> bool:
    """Whether a call counts a value that occurs, the elements of each group, or of a `Counter`."""
    owner = peel(term.operands[0]) if term.operands else term
    made = str(owner.detail)
    if what == "call size":
        return made == "call groupby"
    if what == "call values":
        return made == _COUNTER and len(owner.operands) == 2
    return what == "call count" and len(term.operands) == 2 and occurs_in(term.operands[1], owner)


def _counted_in_column(term: Term, analysis: Analysis) -> Value | None:
    """How often each value of a column occurs, or its share, but `None` for those of bins."""
    options = [constant_of(part) for part in term.operands if part.operation is CONSTANT]
    given = [part for part in term.operands[1:] if part.operation is not QUALIFIED]
    if len(options) < len(given) or not all(isinstance(one, bool) for one in options):
        return None
    is_share = "normalize" in analysis.switched_on.get(term.key, ())
    return OCCURRING if not is_share and True not in options else _SHARE


def _is_weighed(count: Term, analysis: Analysis) -> bool:
    """Whether a `bincount` may be given weights, which it adds up."""
    given = [part for part in count.operands if part.operation is not QUALIFIED]
    return not all(
        isinstance(number_of(option), int) or _is_length(option, analysis) for option in given[1:]
    )


def _is_length(option: Term, analysis: Analysis) -> bool:
    handed_as = analysis.handed_as.get(option.key, set())
    return bool(handed_as) and handed_as <= _LENGTHS


def _counts_inverse(count: Term, analysis: Analysis) -> bool:
    """Whether a `bincount` counts the inverse indices of `unique`, each of which occurs."""
    given = [peel(part) for part in count.operands if part.operation is not QUALIFIED]
    return len(given) == 1 and _result_of_unique(given[0], analysis) == "return_inverse"


def _counts_occurrences(part: Term, analysis: Analysis) -> bool:
    """Whether a term is the counts that `unique` returns, which are at least 1."""
    return _result_of_unique(part, analysis) == "return_counts"


def _result_of_unique(part: Term, analysis: Analysis) -> str:
    """The argument that asks `unique` for this result; "" for the values, or if it is unknown."""
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
