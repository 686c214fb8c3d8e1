"""Evidence in the program that a parameter is an array, or is not a tensor."""

from __future__ import annotations

from typing import Final

from mllint_nan.frameworks import registry
from mllint_nan.ir.term import QUALIFIED, SEQUENCE, Term, peel
from mllint_nan.rulebook.predicates.context import Context

_TESTS_OF_CLASS: Final = "call builtins.isinstance"
_WITHOUT_GRADIENTS: Final = frozenset(("numpy", "math", "builtins"))
"""The libraries whose numbers and arrays carry no gradient."""


def is_tested_for_no_tensor(context: Context, term: Term) -> bool:
    """Whether `isinstance(x, np.ndarray)` holds here, or `isinstance(x, torch.Tensor)` does not."""
    for fact in context.facts:
        test = peel(fact.test)
        if test.detail != _TESTS_OF_CLASS or len(test.operands) != 3:
            continue
        if peel(test.operands[1]).key != term.key:
            continue
        named = peel(test.operands[2])
        classes = named.operands if named.operation is SEQUENCE else (named,)
        if fact.holds and all(map(_is_without_gradients, classes)):
            return True
        if not fact.holds and any(map(_is_tensor_class, classes)):
            return True
    return False


def _is_without_gradients(named: Term) -> bool:
    inner = peel(named)
    path = str(inner.detail)
    home = registry.framework_of(path) or path.partition(".")[0]
    return inner.operation is QUALIFIED and home in _WITHOUT_GRADIENTS


def _is_tensor_class(named: Term) -> bool:
    inner = peel(named)
    path = str(inner.detail)
    name = path.rpartition(".")[2]
    return inner.operation is QUALIFIED and (
        name in ("Tensor", "Array") and registry.framework_of(path) is not None
    )


def is_selected_from(context: Context, size: Term) -> bool:
    """Whether a value with the name of a size is an array: a `where` tests each of its elements."""
    consumers = context.analysis.consumers
    return any(
        selection.operation.name == "where"
        and selection.framework in ("torch", "tensorflow", "jax")
        for test in consumers.get(size.key, ())
        if test.operation.kind == "comparison"
        for selection in consumers.get(test.key, ())
    )
