"""Environments of reinforcement learning, whose results are acted on and not differentiated."""

from __future__ import annotations

from typing import Final

from mllint_nan.flow.state import Analysis, Scope
from mllint_nan.ir.term import SEQUENCE, Term, peel
from mllint_nan.naming import names

_BASES: Final = names("environment_base")
_GIVEN: Final = (4, 5)
"""How many values a step returns: an observation, a reward, whether it is over (or cut short), and
the rest."""


def is_of_environment(analysis: Analysis, scope: Scope) -> bool:
    """Whether a function belongs to a class with the protocol of an environment.

    Such a class has a `reset`, and a `step` that returns four or five values, or it is derived from
    a class of environments. This is a convention and no proof: a program may differentiate through
    a simulator.
    """
    owner = scope.owner
    if owner is None:
        return False
    if any(_BASES.search(str(peel(base).detail).rpartition(".")[2]) for base in owner.bases):
        return True
    methods = {one.name: one for one in analysis.functions.values() if one.parent is owner}
    step = methods.get("step")
    return "reset" in methods and step is not None and any(map(_is_transition, step.returned))


def _is_transition(returned: Term) -> bool:
    inner = peel(returned)
    return inner.operation is SEQUENCE and len(inner.operands) in _GIVEN
