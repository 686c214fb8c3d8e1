"""Eigenvalues of covariances: 0 where columns depend on each other, or slightly less by rounding.

The bound on the rounding is Weyl's: Golub and Van Loan, "Matrix Computations" (2013), 8.1.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from mllint_nan.domains.interval import INF, Interval
from mllint_nan.domains.value import Value
from mllint_nan.flow.containers import is_none
from mllint_nan.flow.implications import EVERYTHING
from mllint_nan.flow.inner_products import multiplied_by_itself
from mllint_nan.flow.masks import is_slice
from mllint_nan.ir.term import OPAQUE, Term, behind_views, peel

_VALUES_ALONE: Final = re.compile(r"^call (numpy|jax\.numpy|torch|tensorflow)\.linalg\.eigvalsh$")
_COVARIANCES: Final = re.compile(r"^call (numpy|jax\.numpy|torch)\.(cov|corrcoef)$")
_SINGULAR_FIRST: Final = "tensorflow"
"""Its `svd` returns the singular values before the vectors."""
_ZERO: Final = frozenset({0.0})
_OF_EITHER_SIGN: Final = Value(EVERYTHING.interval, attained=_ZERO)


def eigenvalues(term: Term) -> Value | None:
    """The value of the eigenvalues or singular values of a covariance, else `None`."""
    what = str(term.detail)
    if _VALUES_ALONE.match(what):
        return _OF_EITHER_SIGN if _is_covariance(term.operands[-1]) else None
    made = peel(term.operands[0]) if what.startswith("part ") and term.operands else None
    if made is None or made.operation.name not in ("eigh", "svd"):
        return None
    if not _is_covariance(made.operands[0]):
        return None
    if made.operation.name == "eigh":
        return _OF_EITHER_SIGN if what == "part 0" else None
    place = "part 0" if made.framework == _SINGULAR_FIRST else "part 1"
    return Value(Interval(0.0, INF), attained=_ZERO) if what == place else None


def largest(part: Term, ask: Callable[[Term], Value]) -> Value | None:
    """The value of some eigenvalues that a slice selects: mostly the largest, else `None`."""
    base, index = part.operands
    whole, chosen = behind_views(base), peel(index)
    if whole.operation is not OPAQUE or not is_slice(chosen) or eigenvalues(whole) is None:
        return None
    is_cut = any(not is_none(bound) for bound in chosen.operands[:2])
    return replace(ask(base), attained=frozenset(), scattered=frozenset()) if is_cut else None


def _is_covariance(matrix: Term) -> bool:
    """Whether a matrix is a covariance, or vectors multiplied by themselves, scaled or not."""
    inner = behind_views(matrix)
    while inner.operation.name in ("div", "mul") and inner.operands:
        left, right = map(behind_views, inner.operands)
        inner = right if inner.operation.name == "mul" and _is_product(right) else left
    if inner.operation is OPAQUE:
        return _COVARIANCES.match(str(inner.detail)) is not None
    return _is_product(inner)


def _is_product(inner: Term) -> bool:
    return multiplied_by_itself(inner) is not None
