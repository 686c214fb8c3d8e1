"""Generators of random numbers: objects with the functions of `numpy.random` as their methods."""

from __future__ import annotations

from typing import Final

from mllint_nan.ir.term import OPAQUE, Term, peel

_GENERATORS: Final = frozenset(
    f"call numpy.random.{name}" for name in ("default_rng", "Generator", "RandomState")
)


def is_generator(term: Term) -> bool:
    """Whether an object's methods draw like the functions of `numpy.random` of the same name."""
    made = peel(term)
    return made.operation is OPAQUE and made.detail in _GENERATORS
