"""Values that are made where no gradient is recorded, and used where one is."""

from __future__ import annotations

from mllint_nan.flow.state import Analysis
from mllint_nan.flow.unrecorded import stops_gradients
from mllint_nan.ir.term import ATTRIBUTE, INPUT, OPAQUE, Term
from mllint_nan.rulebook.predicates.parameters import is_trained_leaf


def is_made_without_gradient(analysis: Analysis, term: Term) -> bool:
    """Whether a value is always made under `no_grad`, and nothing asks for its gradient."""
    entered = analysis.entered.get(term.key)
    if not entered or term.operation in (INPUT, ATTRIBUTE) or is_trained_leaf(term):
        return False
    if not all(map(stops_gradients, entered)):
        return False
    if any(_asks_for_gradient(use) for use in analysis.consumers.get(term.key, ())):
        return False
    return sum(one.key == term.key for one in analysis.made) == len(entered)


def _asks_for_gradient(use: Term) -> bool:
    return use.operation is OPAQUE and str(use.detail).endswith(("requires_grad_", "Parameter"))
