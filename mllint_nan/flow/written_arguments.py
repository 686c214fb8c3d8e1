"""The variables that a call writes into: `out=`, methods in place, functions that fill an array."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from mllint_nan.flow.containers import is_container, is_dict, is_record
from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.flow.names import PATHS_MOST
from mllint_nan.flow.queries import is_in_place
from mllint_nan.flow.storage import is_tensor
from mllint_nan.flow.trained import is_made
from mllint_nan.frameworks import registry
from mllint_nan.ir import program as ir
from mllint_nan.ir.term import (
    CONSTANT,
    OPAQUE,
    QUALIFIED,
    REFERENCE,
    SEQUENCE,
    Term,
    constant_of,
    peel,
    qualified,
)

_MASKED: Final = frozenset(("numpy.putmask", "numpy.place"))
_WRITES: Final[Mapping[str, int | None]] = {
    "numpy.copyto": 1,
    "numpy.put": 2,
    "numpy.put_along_axis": 2,
    "numpy.fill_diagonal": 1,
    "numpy.random.shuffle": -1,
    "operator.setitem": 2,
    **{f"operator.{name}": None for name in ("iadd", "isub", "imul", "itruediv", "ipow")},
}
"""Functions that write into their first argument, and the place of the argument they write."""
_OF_EACH: Final = "_foreach_"
"""The prefix of PyTorch functions that do something to each tensor of a list."""
_METHODS: Final[Mapping[str, int | None]] = {
    **{"fill": 0, "put": 1, "__setitem__": 1, "setfield": 0, "partition": -1, "sort": -1},
    **{f"__i{name}__": None for name in ("add", "sub", "mul", "truediv", "floordiv", "pow", "mod")},
}
"""Methods that write into their array, likewise; -1 stands for its own elements, reordered."""


def without_output(callee: Term | None, arguments: Arguments) -> tuple[Arguments, Term | None]:
    """Split off the output: `out=y`, or the argument after all operands of a NumPy function."""
    if "out" in arguments.keywords:
        output = arguments.keywords["out"]
        keywords = {name: term for name, term in arguments.keywords.items() if name != "out"}
        inner = peel(output)
        if inner.operation is SEQUENCE and len(inner.operands) == 1:
            output = inner.operands[0]
        is_none = inner.operation is CONSTANT
        inputs = Arguments(arguments.positional, keywords, arguments.others, arguments.are_last)
        return inputs, None if is_none else output
    if callee is None or not arguments.positional:
        return arguments, None
    function = qualified(callee)
    if function.operation is QUALIFIED and (
        len(arguments.positional) - 1 in _counts_of_operands(function.detail)
    ):
        *others, output = arguments.positional
        return Arguments(tuple(others), arguments.keywords, arguments.others), output
    return arguments, None


@lru_cache(PATHS_MOST)
def _counts_of_operands(path: str) -> frozenset[int]:
    """The numbers of operands after which a NumPy function takes `out` by position."""
    return frozenset(
        len([name for name in signature.parameters if name != "out"])
        for signature in registry.functions(path)
        if signature.name.startswith("numpy.") and signature.operation.kind == "elementwise"
    )


def _is_builtin(callee: ir.Expression) -> bool:
    return isinstance(callee, ir.Name) and callee.name in ("print", "len", "sorted", "list", "set")


def asks_for_gradient(result: Term, arguments: Arguments) -> bool:
    """Whether a call makes a new tensor that is to be trained, or has one trained from here on."""
    if result.framework != "torch" or result.operation is OPAQUE:
        return False
    asked = arguments.keywords.get("requires_grad")
    if result.written is not None and result.written.path == "requires_grad_":
        return constant_of(next(iter(arguments.positional), asked)) is not False and (
            is_made(result)
        )
    is_asked = asked is not None and constant_of(asked) is not False
    return is_asked and (result.operation.kind == "constant" or is_made(result))


def written_by(
    expression: ir.Call,
    receiver: Term | None,
    callee: Term | None,
    arguments: Arguments,
) -> list[tuple[Term, tuple[Term, ...]]]:
    """Return the variables that a call writes into, and what their elements come from then."""
    written = [arguments.keywords["out"]] if "out" in arguments.keywords else []
    if not _is_builtin(expression.callee):
        # A call that is not understood may fill a dictionary that it is given.
        for one in arguments.everything():
            if one.operation is REFERENCE and (is_dict(one) or is_record(one)):
                written.append(one)
    if receiver is not None and is_record(receiver):
        written.append(receiver)
    called = expression.callee
    name = called.name if isinstance(called, (ir.Attribute, ir.Name)) else ""
    if name.startswith(_OF_EACH) and name.endswith("_"):
        written += [part for one in arguments.positional[:1] for part in peel(one).operands]
    elif is_in_place(name) or constant_of(arguments.keywords.get("inplace")) is True:
        written += [receiver] if receiver is not None else list(arguments.positional[:1])
    elif receiver is not None and isinstance(called, ir.Attribute):
        if name in _METHODS and (name != "sort" or is_tensor(receiver)):
            parts = _parts_written(receiver, _METHODS[name], arguments.positional)
            return [(receiver, parts[1:] if name == "fill" else parts)]
        if name in ir.MUTATORS and name not in ir.APPENDING and is_container(receiver):
            written.append(receiver)
    found: list[tuple[Term, tuple[Term, ...]]] = (
        [(term, (term,)) for term in written] if written else []
    )
    function = qualified(callee) if callee is not None else None
    if function is None or function.operation is not QUALIFIED:
        return found
    path = str(function.detail)
    if not arguments.positional:
        return found
    array, *others = arguments.positional
    if path in _MASKED and len(others) == 2:
        found.append((array, (array, others[1], others[0])))
    elif path in _WRITES:
        parts = _parts_written(array, _WRITES[path], arguments.positional)
        where = arguments.keywords.get("where")
        found.append((array, parts if where is None else (*parts, where)))
    return found


def _parts_written(array: Term, place: int | None, given: tuple[Term, ...]) -> tuple[Term, ...]:
    """Return what the elements of an array come from: its own, and the argument in a place."""
    if place == -1:
        return array, array
    return (array, given[place]) if place is not None and place < len(given) else (array,)
