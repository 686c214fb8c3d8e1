"""Gradients that an optimizer applies, and that are not differentiated again."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.flow.state import Analysis
from mllint_nan.ir.term import OPAQUE, SEQUENCE, Term

_APPLIES: Final = re.compile(r"[. ]apply(_gradients)?$")
_HANDS_ON: Final = re.compile(
    r"(^|[. ])(zip|list|tuple|clip_by_global_norm|clip_by_value|clip_by_norm)$|^part \d+$"
)
_FOLLOWED_MOST: Final = 40


def is_applied(analysis: Analysis, gradient: Term) -> bool:
    """Whether a TensorFlow gradient is passed to `apply_gradients` or `apply`, clipped or not."""
    if gradient.framework not in ("tensorflow", "keras"):
        return False
    pending, seen = [gradient.key], set[int]()
    while pending and len(seen) < _FOLLOWED_MOST:
        key = pending.pop()
        if key in seen:
            continue
        seen.add(key)
        for consumer in analysis.consumers.get(key, ()):
            if consumer.operation is OPAQUE and _APPLIES.search(str(consumer.detail)):
                return True
            is_handed = consumer.operation is OPAQUE and _HANDS_ON.search(str(consumer.detail))
            if is_handed or consumer.operation is SEQUENCE or consumer.operation.kind == "view":
                pending.append(consumer.key)
    return False
