"""How differentiation propagates: which operands a gradient reaches, and from which results."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from mllint_nan.flow.state import Analysis, Scope
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
    FUNCTION,
    INPUT,
    OPAQUE,
    QUALIFIED,
    Term,
    behind_views,
    constant_of,
    number_of,
    peel,
    walk,
)
from mllint_nan.naming import names
from mllint_nan.rulebook.predicates.applied import is_applied
from mllint_nan.rulebook.predicates.arrays import is_selected_from, is_tested_for_no_tensor
from mllint_nan.rulebook.predicates.context import (
    Context,
    is_copy,
    is_self,
    kept,
    name_of,
    passed_for,
    stored_in,
)
from mllint_nan.rulebook.predicates.cut_gradients import is_made_without_gradient
from mllint_nan.rulebook.predicates.fed_inputs import is_fed
from mllint_nan.rulebook.predicates.loop_data import is_asked_for, sets_flag
from mllint_nan.rulebook.predicates.parameters import is_trained_leaf
from mllint_nan.rulebook.predicates.running import is_running

CUTS_GRADIENT: Final = frozenset(
    (
        "detach",
        "argmax",
        "argmin",
        "floor",
        "ceil",
        "round",
        "sign",
        "size",
        "shape",
        "floordiv",
        "count_nonzero",
        "any",
        "all",
        "one_hot",
    )
)
_INTEGER_DTYPES: Final = re.compile(r"(^|\.)(u?int(\d*|_)|long|short|bool_?|integer)$")
_SIZE_NAMES: Final = names("size")
_DATA_NAMES: Final = names("data_without_gradient")
_MAKES_GRIDS: Final = re.compile(
    r"(^|[._ ])(create_meshgrid\w*|meshgrid|arange|linspace|nonzero|where|argwhere|unique\w*"
    r"|rand\w*|\w*_indices|\w*_grid"
    r"|bincount|histc|histogram|searchsorted|bucketize|digitize|argsort|multinomial)$"
)
"""Calls that return places, counts or draws."""
_OF_ARRAY: Final = "torch.from_numpy"
_LEAVES: Final = frozenset(("call to_numpy", "call numpy", "call item", "call tolist"))
"""Methods whose results carry no record of how they were computed."""
_EINOPS: Final = frozenset(("rearrange", "reduce", "repeat"))
_COMPUTES: Final = re.compile(
    r"^tensorflow\.(compat\.v1\.)?((sparse|math|linalg|signal|ragged)\.\w+|SparseTensor"
    r"|IndexedSlices|scatter_nd|tensor_scatter_nd_\w+|(sparse|segment|unsorted_segment)_\w+)$"
)
"""TensorFlow functions that have no variables: gradients pass only to their arguments."""
_DRAWS: Final = re.compile(r"^tensorflow\.(compat\.v1\.)?(random\.(stateless_)?|random_)\w+$")
FLOWS_DEEPEST: Final = 12


def is_of_list(x: Term) -> bool:
    inner = peel(x)
    while inner.operation.kind == "view" and inner.operands:
        if inner.operation.name in ("element", "collect", "stack", "concat"):
            return True
        inner = peel(inner.operands[0])
    return False


def carries_gradient(context: Context, term: Term, *, as_called: bool = False) -> bool:
    """Whether some input that can be differentiated reaches `term`.

    With `as_called`, the visible calls of a method alone tell what its parameters are, and those of
    a function if all pass gradients.
    """
    pending, seen = [term], set[int]()
    is_asked, is_of_array, crossed = False, False, [context.occurrence.scope]
    while pending:
        inner = peel(pending.pop())
        if inner.key in seen or context.kind(inner) is Kind.NUMBER:
            continue
        seen.add(inner.key)
        is_asked = is_asked or is_asked_for(context.analysis, inner)
        if _is_of_array(inner):
            is_of_array = True
            continue
        crossed += _functions_of(context.analysis, inner)
        if is_made_without_gradient(context.analysis, inner) or is_running(context, inner):
            continue
        if as_called and inner.operation is INPUT and not _known_sources(context, inner):
            passed = passed_for(context, inner)
            if passed and _is_of_method(context, inner):
                pending.extend(passed)
                continue
            if passed and all(_is_made_of_gradients(context, one) for one in passed):
                continue
        if _is_origin(context, inner):
            return True
        pending.extend(_passed_to(context, inner))
    return is_of_array and (is_asked or any(sets_flag(context, scope) for scope in crossed))


def _functions_of(analysis: Analysis, inner: Term) -> Iterator[Scope]:
    """Yield the function that a term is a parameter of."""
    function, _ = analysis.parameters.get(inner.key, (0, ""))
    if function in analysis.functions:
        yield analysis.functions[function]


def _is_of_array(inner: Term) -> bool:
    """Whether a term is a tensor on the memory of a NumPy array: no gradient flows into it."""
    return inner.written is not None and inner.written.path == _OF_ARRAY


def _is_made_of_gradients(context: Context, term: Term) -> bool:
    """Whether a term is computed from gradients that are mere numbers, and nothing trained."""
    analysis = context.analysis
    is_gradient = any(_is_finished_gradient(analysis, part) for part in walk(term))
    return is_gradient and not carries_gradient(context, term)


def _is_of_method(context: Context, term: Term) -> bool:
    """Whether a term is a parameter of a method, which is seldom called from outside its class."""
    function, _ = context.analysis.parameters.get(term.key, (0, ""))
    scope = context.analysis.functions.get(function)
    return scope is not None and scope.parent is not None and scope.parent.kind == "class"


def _is_origin(context: Context, inner: Term) -> bool:
    """Whether a gradient may end at a term: an argument, an attribute, or the result of a call."""
    if _known_sources(context, inner) or _is_finished_gradient(context.analysis, inner):
        return False
    if is_trained_leaf(inner):
        return context.analysis.restrained.get(inner.key) != "frozen"
    if inner.operation in (INPUT, ATTRIBUTE):
        return not (inner.operation is ATTRIBUTE and inner.detail == "data") and (
            not _is_data(context, inner)
        )
    is_call = inner.operation is OPAQUE and not _is_cut_call(context.analysis, inner)
    is_opened = is_call and _sources_of_call(context, inner) is not None
    return is_call and not is_opened and inner.detail != "call uniform_"


def _passed_to(context: Context, inner: Term) -> Iterable[Term]:
    """The operands to which the gradient of a term is passed on."""
    sources = _known_sources(context, inner)
    if sources:
        return sources
    operation = inner.operation
    if _is_finished_gradient(context.analysis, inner) or _is_entry_of_data(inner):
        return ()
    if operation in (INPUT, ATTRIBUTE):
        return inner.operands if operation is ATTRIBUTE and inner.detail == "data" else ()
    if operation is CHOICE and inner.key in context.analysis.carried:
        return (*inner.operands, context.analysis.carried[inner.key][0])
    if operation is OPAQUE:
        is_cut = _is_cut_call(context.analysis, inner)
        return () if is_cut else _sources_of_call(context, inner) or ()
    if operation.name in CUTS_GRADIENT or operation.kind == "comparison":
        return ()
    if operation.kind == "constant":
        bounds = ("mean", "std", "low", "high")
        return [inner.settings[name] for name in bounds if name in inner.settings]
    if operation.name == "cast" and leaves_tensors(inner):
        return ()
    if is_copy(inner):
        return ()
    if inner.framework in ("numpy", "math"):
        return ()
    is_list = operation.name in ("concat", "stack", "collect")
    return inner.operands[:1] if operation.kind == "view" and not is_list else inner.operands


def _known_sources(context: Context, inner: Term) -> list[Term]:
    """The values stored in the attribute, or passed for the parameter by visible calls."""
    passed = context.analysis.passed(inner) if inner.operation is INPUT else ()
    return kept(context, inner) or [term for term, _ in passed]


def _is_data(context: Context, inner: Term) -> bool:
    """Whether an argument or attribute is no tensor, or nothing is differentiated by it."""
    if is_tested_for_no_tensor(context, inner) or _DATA_NAMES.search(str(inner.detail)):
        return True
    if _SIZE_NAMES.search(str(inner.detail)) and not is_selected_from(context, inner):
        return True
    if inner.operation is INPUT and inner.operands and number_of(inner.operands[0]) is not None:
        return True
    return inner.framework == "math"  # annotated as a plain number


def _is_entry_of_data(inner: Term) -> bool:
    """Whether a term is `batch["mask"]` or the like."""
    key = constant_of(inner.operands[1]) if inner.operation.name == "subscript" else None
    return isinstance(key, str) and _DATA_NAMES.search(key) is not None


def _is_cut_call(analysis: Analysis, call: Term) -> bool:
    """Whether a call's result has no gradient: a number, placeholder, grid, draw or array."""
    if str(call.detail).startswith("part") or call.detail == "update":
        return False
    if call.detail in _LEAVES:
        return True
    if is_fed(analysis, call) or call.framework == "numpy" or _is_plain_number(call):
        return True
    return _MAKES_GRIDS.search(str(call.detail)) is not None or _is_draw(call)


def _sources_of_call(context: Context, call: Term) -> tuple[Term, ...] | None:
    """The terms to which a call's gradient is passed on; `None` if nothing is known of the call."""
    if str(call.detail).startswith("part") or call.detail == "update":
        return call.operands
    if _is_library_call(call):
        is_sparse = str(call.detail).endswith(".SparseTensor")
        # The second argument: the first are indices, which have no gradient.
        return call.operands[2:3] if is_sparse else call.operands
    return _returned(context, call) or None


def _is_finished_gradient(analysis: Analysis, term: Term) -> bool:
    """Whether a term is a gradient that is not differentiated again, or one of several such."""
    if term.operation.name == "gradient":
        return ends_the_graph(term) or is_applied(analysis, term)
    if term.operation is CHOICE:
        return any(_is_finished_gradient(analysis, option) for option in map(peel, term.operands))
    if term.operation is OPAQUE and term.detail == "update":
        return _is_finished_gradient(analysis, peel(term.operands[0]))
    if term.operation is ATTRIBUTE and term.detail == "values":  # of sparse rows
        return _is_finished_gradient(analysis, behind_views(term.operands[0]))
    return term.operation is ATTRIBUTE and term.detail == "grad"


def ends_the_graph(gradient: Term) -> bool:
    """Whether a gradient is a mere number: PyTorch's are, unless `create_graph` is set."""
    asked = gradient.settings.get("create_graph")
    return gradient.framework == "torch" and (asked is None or constant_of(asked) is False)


def _is_library_call(term: Term) -> bool:
    """Whether a call is one of a library function, whose gradients go to its arguments alone.

    In TensorFlow, functions also make variables and placeholders; PyTorch's layers are classes.
    """
    if not term.operands:
        return False
    callee = peel(term.operands[0])
    if name_of(term.operands[0]) in _EINOPS or str(callee.detail).startswith("einops."):
        return True
    if callee.operation is not QUALIFIED:
        return False
    if _COMPUTES.search(str(callee.detail)):
        return True
    name = str(callee.detail).rpartition(".")[2]
    return term.framework in ("torch", "jax") and name[:1].islower()


def _is_draw(term: Term) -> bool:
    """Whether a call draws random numbers, whichever of several functions it calls."""
    callee = peel(term.operands[0]) if term.operands else term
    options = callee.operands if callee.operation is CHOICE else (callee,)
    return all(
        option.operation is QUALIFIED and _DRAWS.search(str(option.detail))
        for option in map(peel, options)
    )


def _is_plain_number(term: Term) -> bool:
    return str(term.detail) in (
        "call builtins.len",
        "call builtins.int",
        "call builtins.range",
        "index",
        "call builtins.str",
        "in",
        "not in",
        "is",
        "is not",
        "slice",
    )


def _returned(context: Context, call: Term) -> tuple[Term, ...]:
    """The results of the function of this file that is called, not inlined, and its arguments."""
    callee = peel(call.operands[0]) if call.operands else call
    callees = [callee]
    if is_self(callee):
        name = str(call.detail).removeprefix("call ").strip()
        callees = [peel(term) for term in stored_in(context, name)]
    returned: list[Term] = []
    for function in callees:
        scope = context.analysis.functions.get(function.key)
        if function.operation is not FUNCTION or scope is None or not scope.returned:
            return ()
        returned += scope.returned
    return (*returned, *call.operands[1:])


def leaves_tensors(term: Term) -> bool:
    """Whether a term is a cast to integers, or to Python numbers."""
    if term.written is not None and term.written.path.startswith("builtins."):
        return True
    return holds_integers(term)


def holds_integers(term: Term) -> bool:
    """Whether the `dtype` of a term is one of integers or booleans."""
    dtype = term.settings.get("dtype")
    if dtype is None:
        return False
    inner = peel(dtype)
    return inner.operation in (CONSTANT, QUALIFIED) and bool(
        _INTEGER_DTYPES.search(str(inner.detail))
    )
