"""Which files need no analysis, told from their bytes before anything that parses is loaded."""

from __future__ import annotations

from mllint_nan.syntax.suppressions import names_rules

_FRAMEWORKS = (b"torch", b"tensorflow", b"keras", b"jax", b"optax", b"numpy", b"math", b"scipy")


def needs_analysis(data: bytes) -> bool:
    """Whether the bytes name a framework at all, or silence what can then not be there."""
    return any(name in data for name in _FRAMEWORKS) or names_rules(data)
