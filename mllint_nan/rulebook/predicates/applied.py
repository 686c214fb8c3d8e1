"""Gradients that an optimizer applies, and that are not differentiated again."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.flow.state import Analysis
from mllint_nan.flow.uses import links_of
from mllint_nan.ir.term import CHOICE, OPAQUE, SEQUENCE, Term, walk_into

_APPLIES: Final = ("apply", "apply_gradients")
_HANDS_ON: Final = re.compile(
    r"(^|[. ])(zip|list|tuple|clip_by_global_norm|clip_by_value|clip_by_norm)$|^part \d+$"
)


def is_applied(analysis: Analysis, gradient: Term) -> bool:
    """Whether a TensorFlow gradient is passed to `apply_gradients` or `apply`, clipped or not."""
    return gradient.framework in ("tensorflow", "keras") and any(
        part.key == gradient.key or (part.site is not None and part.site is gradient.site)
        for name in _APPLIES
        for call in links_of(analysis).called.get(name, ())
        for given in call.operands
        for part in walk_into(given, _handed_on)
    )


def _handed_on(inner: Term) -> tuple[Term, ...]:
    """The terms whose gradients a call or container hands on."""
    is_handed = inner.operation in (CHOICE, SEQUENCE) or inner.operation.kind == "view"
    if inner.operation is OPAQUE:
        is_handed = _HANDS_ON.search(str(inner.detail)) is not None
    return inner.operands if is_handed else ()
