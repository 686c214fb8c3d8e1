"""Statistics that an object keeps of everything it has seen, and updates at each call.

A gradient would go back through all earlier calls: nobody takes one.
"""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.ir.term import ATTRIBUTE, INPUT, Term, behind_views, number_of, peel, walk
from mllint_nan.rulebook.predicates.context import Context, is_self, stored_in

_GRADIENTS: Final = re.compile(r"(^|[._ ])(gradients?|grads?)$")
"""Names of the gradients in a handwritten descent step."""
_PLAIN: Final = re.compile(r"^(builtins\.)?object$|(^|\.)(ABC|Generic|Protocol)$")
_WEIGHS: Final = frozenset(("mul", "div", "lerp"))


def is_running(context: Context, term: Term) -> bool:
    """Whether a term is a plain object's attribute that is averaged with a method's argument.

    Or one to which a number is added, or what is computed from such an average, as for a sum of
    squares.
    """
    if term.operation is not ATTRIBUTE or not is_self(term.operands[0]):
        return False
    owner = context.occurrence.scope.owner
    if owner is None or any(not _PLAIN.search(str(peel(base).detail)) for base in owner.bases):
        return False
    name = str(term.detail)
    stored = stored_in(context, name)
    if any(_averages(one, name) or _counts(one, name) for one in stored):
        return True
    return any(
        _is_kept(part, name) and _holds_average(context, one)
        for one in stored
        for part in walk(one)
    )


def _counts(stored: Term, name: str) -> bool:
    """Whether `n + 1` is stored, or another number is added."""
    inner = behind_views(stored)
    return inner.operation.name == "add" and any(
        _is_kept(one, name) and number_of(other) is not None
        for one, other in (inner.operands, inner.operands[::-1])
    )


def _holds_average(context: Context, stored: Term) -> bool:
    """Whether what is stored contains another attribute that is an average."""
    others = {str(part.detail) for part in walk(stored) if _is_kept(part)}
    return any(_averages(one, other) for other in others for one in stored_in(context, other))


def _averages(stored: Term, name: str) -> bool:
    """Whether `m + (x - m) / n` is stored, or `a * m + (1 - a) * x`."""
    parts = list(walk(stored))
    if not any(part.operation is INPUT and not is_self(part) for part in parts):
        return False
    if any(
        part.operation.name == "gradient" or _GRADIENTS.search(str(part.detail)) for part in parts
    ):
        return False
    return any(_weighs(part, name) for part in parts)


def _weighs(part: Term, name: str) -> bool:
    """Whether the attribute is a factor, or is subtracted from something, and no mere summand."""
    if part.operation.name == "sub":
        return _is_kept(part.operands[1], name) and number_of(part.operands[0]) is None
    is_weighed = part.operation.name in _WEIGHS
    return is_weighed and any(_is_kept(one, name) for one in part.operands)


def _is_kept(part: Term, name: str = "") -> bool:
    """Whether a part is an attribute of `self`, with that name if one is given."""
    inner = behind_views(part)
    is_own = inner.operation is ATTRIBUTE and is_self(inner.operands[0])
    return is_own and name in ("", str(inner.detail))
