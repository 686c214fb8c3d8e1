"""Questions about data that is read from files, whose empty cells become NaN."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from mllint_nan.domains.dtype import canonical_name, is_integer
from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CONSTANT,
    OPAQUE,
    QUALIFIED,
    Term,
    constant_of,
    peel,
    walk,
    walk_into,
)
from mllint_nan.rulebook.predicates.context import Context, kept, tells
from mllint_nan.rulebook.predicates.members import Role, Use

_READERS: Final = re.compile(
    r"^call (pandas\.(read_\w+|to_numeric)|numpy\.genfromtxt|pandas\.io\.parsers\.read_csv)$"
)
_CLEANS: Final = re.compile(
    r"^call (\S+\.)?(dropna|fillna|interpolate|ffill|bfill|isna|isnull|notna|notnull|info|isnan"
    r"|isfinite|count|describe|\w*[iI]mputer|nan_to_num|replace)$"
)
"""Calls that drop, fill or count missing values."""
_OF_TENSORS: Final = ("torch", "tensorflow", "keras", "jax")
_COLUMNS: Final = frozenset(("values", "iloc", "loc", "T"))
_KEEP_CELLS: Final = re.compile(
    r"^(call (\S+\.)?(to_numpy|drop|astype|sample|reset_index|copy|head|tail|pop|train_test_split"
    r"|fit_transform|transform|to_frame)|part \d+|element|update)$"
)
"""Opaque values whose missing cells are those of their operands."""


@tells(Role.TABLE)
def may_hold_missing_values(context: Context, x: Term) -> Truth:
    """x was read from a file: YES if entries that are not numbers become NaN, UNKNOWN otherwise."""
    return _holds_missing(_read_from(context, x))


def _holds_missing(sources: Iterable[Term]) -> Truth:
    found = list(sources)
    if any(map(_coerces, found)):
        return Truth.YES
    return Truth.UNKNOWN if found else Truth.NO


@tells(Role.TENSOR_OF_TABLE)
def is_tensor_of_table(context: Context, result: Term) -> Truth:
    """The result is the tensor that is made of cells of a file: YES if it may hold NaN evidently.

    NO for whole numbers, and for what is given to `fit`.
    """
    inner = peel(result)
    dtype = inner.settings.get("dtype")
    named = canonical_name(str(peel(dtype).detail)) if dtype is not None else ""
    if is_integer(named) or named.startswith("bool"):
        return Truth.NO
    cells = list(walk_into(inner.operands[0], lambda one: _cells_of(context, one)))
    if any(one.framework in _OF_TENSORS for one in cells) or _is_fitted(context, inner):
        return Truth.NO
    return _holds_missing(one for one in cells if _is_read(one))


def _is_fitted(context: Context, made: Term) -> bool:
    fits = (one.term for one in context.analysis.effects if one.term.operation.name == "fit")
    return any(part.key == made.key for fit in fits for part in walk(fit))


def _cells_of(context: Context, inner: Term) -> Iterable[Term]:
    """The terms whose missing cells a term holds, too."""
    if inner.operation is ATTRIBUTE:
        return inner.operands if inner.detail in _COLUMNS else kept(context, inner)
    if inner.operation is OPAQUE:
        return inner.operands if _KEEP_CELLS.search(str(inner.detail)) else ()
    if inner.operation.kind == "elementwise":
        return inner.operands
    is_gathered = inner.operation.name in ("concat", "stack", "collect")
    return inner.operands if is_gathered or inner.operation.kind == "leaf" else inner.operands[:1]


def _read_from(context: Context, x: Term) -> Iterator[Term]:
    """Yield the readings of files that x is made from, also by way of attributes of `self`."""
    for part in walk_into(x, lambda one: (*one.children(), *kept(context, one))):
        if _is_read(part):
            yield part


def _is_read(term: Term) -> bool:
    return term.operation is OPAQUE and _READERS.search(str(term.detail)) is not None


def _coerces(source: Term) -> bool:
    """Whether a reading makes NaN of a cell that is no number, where others keep its text."""
    if str(source.detail).endswith("genfromtxt"):
        return not any(map(_has_no_nan, source.operands[1:]))
    return any(constant_of(one) == "coerce" for one in source.operands)


def _has_no_nan(dtype: Term) -> bool:
    """Whether an argument is a format of texts or of whole numbers: `str`, `np.dtype(np.int32)`."""
    inner = peel(dtype)
    if inner.operation is OPAQUE and inner.detail == "call numpy.dtype":
        return any(map(_has_no_nan, inner.operands[1:]))
    if inner.operation not in (QUALIFIED, CONSTANT):
        return False
    name = str(inner.detail).rpartition(".")[2]
    return name in ("str", "str_", "object") or is_integer(canonical_name(str(inner.detail)))


@tells(Use.CLEANED)
def is_cleaned(context: Context, x: Term) -> Truth:
    """The code drops, fills, counts or tests for missing values in the data of x."""
    sources = {part.key for part in _read_from(context, x)}
    for one in context.analysis.made:
        is_check = one.operation.name in ("isnan", "isfinite", "nan_to_num")
        is_check = is_check or (
            one.operation is OPAQUE and _CLEANS.search(str(one.detail)) is not None
        )
        if is_check and any(part.key in sources for part in walk(one)):
            return Truth.YES
    return Truth.NO
