"""Which calls train, cut, rank, collect or only look at their arguments, by their names."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Final, TypeGuard

from mllint_nan.frameworks.differentiation import (
    BACKWARD,
    DIFFERENTIATES,
    FITS,
    HOOKS,
    LOSSES,
    any_of,
)
from mllint_nan.frameworks.showing import SHOWS
from mllint_nan.syntax.traversal import name_called, statements_below
from mllint_nan.syntax.value_flow_edges import SUPER

_SEARCHES: Final = ("evotorch", "evosax", "cma", "nevergrad", "deap", "pymoo", "pyswarms")
UNTRACED: Final = ("numpy.", "scipy.", *(f"{one}." for one in _SEARCHES))
"""Modules whose functions take no gradient of traced values: at most differences of numbers.

Some search by the values of a function alone.
"""
WITHOUT_NUMBERS: Final = (*UNTRACED, "torch.device", "torch.Generator", "jax.devices")
"""These, and functions that return where, or from which state, arrays are made."""
PREPARES: Final = ("torchvision.transforms.", "torch.utils.data.", "tensorflow.data.")
"""Modules whose objects yield data, whatever functions prepare it."""
TAKES_GRADIENTS: Final = frozenset((*BACKWARD, *FITS, *DIFFERENTIATES, *LOSSES, *HOOKS, "compile"))
"""Every module that differentiates something contains one of these words."""
_TRANSFORMATION: Final = re.compile(rf"\b{any_of(DIFFERENTIATES)}\b".encode())
NUMBERS: Final = frozenset(("item", "detach", "numpy", "tolist", "stop_gradient", "argmax"))
"""Methods and functions through which no gradient passes."""
STARTS: Final = frozenset(("Parameter", "register_buffer", "register_parameter"))
"""Calls that keep a value as the first one of a parameter or buffer: no gradient flows back."""
UPDATES: Final = frozenset(("GradientTransformation", "GradientTransformationExtraArgs"))
"""Objects made of functions that turn gradients into updates: nobody differentiates these."""
ASSIGNS: Final = frozenset(("assign", "assign_add", "assign_sub"))
"""Methods and functions of TensorFlow that write a value into a variable, and return that."""
CUT: Final = frozenset(
    (
        *("argmin", "argsort", "argpartition", "argwhere", "nonzero", "flatnonzero"),
        *("searchsorted", "bucketize", "digitize", "linear_sum_assignment", "nms", "batched_nms"),
        *("eq", "ne", "gt", "ge", "lt", "le", "greater", "greater_equal", "less", "less_equal"),
        *("long", "int", "short", "byte", "bool", "isnan", "isfinite", "isclose", "allclose"),
    )
)
"""Methods and library functions that cut gradients, too: they return indices, truths, counts."""
ROUNDS: Final = {
    **dict.fromkeys(("floor", "ceil", "round", "rint"), ("jax.", "tensorflow.")),
    **dict.fromkeys(("around", "trunc", "sign", "floor_divide"), ("jax.",)),
}
"""Functions of these modules that cut gradients; PyTorch passes on a 0, and 0 * inf is NaN."""
RANKS: Final = frozenset(("min", "max", "sort", "topk", "top_k", "median", "mode", "kthvalue"))
"""Methods and functions that return values and, as the second of two, their indices."""
CASTS: Final = frozenset(("to", "type", "astype", "cast"))
INTEGERS: Final = re.compile(r"^(u?int\d*|long|short|bool_?|(Long|Int|Bool|Byte)Tensor)$")
OF_LIBRARIES: Final = ("torch.", "torchvision.", "tensorflow.", "keras.", "jax.", *UNTRACED)
OF_CONTAINERS: Final = frozenset(("values", "items"))
"""Methods that return all that a dictionary holds."""
GETS: Final = frozenset(("get", "pop"))
"""Methods that return what it holds by a key."""
PLAIN: Final = frozenset(("float", "int", "bool", "str", "len", "round"))
"""Functions of Python itself that cut gradients."""
WITHOUT_GRADIENTS: Final = frozenset(
    ("no_grad", "inference_mode", "stop_recording", "custom_jvp", "custom_vjp", "custom_gradient")
)
WITH_GRADIENTS: Final = frozenset(("enable_grad", "set_grad_enabled"))
"""Contexts that enable gradients again within such a region, or depending on a variable."""
_APPLIES: Final = frozenset(("apply", "apply_fn"))
LOOKS: Final = SHOWS | frozenset(
    (
        *("error", "log", "log_dict", "scalar", "image", "histogram", "write", "plot", "scatter"),
        *("save", "dump", "float", "int", "len", "round", "bool", "isinstance"),
        *("assert_allclose", "assert_close", "assert_array_equal", "assert_array_almost_equal"),
        "assertEqual",
    )
)
"""Calls that only look at their arguments."""


def names_transformation(text: bytes) -> bool:
    """Whether a text contains the name of something that differentiates a function."""
    return _TRANSFORMATION.search(text) is not None


def cuts(node: ast.Call, name: str) -> bool:
    """Whether the call returns indices, truth values or integers."""
    if name in CUT:
        return True
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    return name in CASTS and any(map(_is_integer_type, given))


def _is_integer_type(node: ast.expr) -> bool:
    match node:
        case ast.Name(name) | ast.Attribute(_, name) | ast.Constant(str(name)):
            return INTEGERS.match(name.rpartition(".")[2]) is not None
        case _:
            return False


def is_fetched(node: ast.Call, name: str) -> bool:
    """Whether it is `session.run(...)`, which returns numbers."""
    if name != "run" or not isinstance(node.func, ast.Attribute):
        return False
    receiver = node.func.value
    called = receiver.attr if isinstance(receiver, ast.Attribute) else ast.unparse(receiver)
    return called.lower().endswith(("sess", "session"))


def decorator_names(node: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The names of a function's decorators: `custom_vjp` for `@partial(jax.custom_vjp, ...)`."""
    return set(map(decorator_name, node.decorator_list))


def decorator_name(decorator: ast.expr) -> str:
    return name_called(_applied(decorator))


def _applied(decorator: ast.expr) -> ast.expr:
    """The function of a partial application, else the decorator itself."""
    match decorator:
        case ast.Call(_, [first, *_]) if name_called(decorator) == "partial":
            return first
        case _:
            return decorator


def first_called(node: ast.Call) -> ast.expr:
    """The first callee of a chain: `tf.data.Dataset.list_files` for `....map(scale).batch(8)`."""
    called: ast.expr = node.func
    while isinstance(called, ast.Attribute) and isinstance(called.value, ast.Call):
        called = called.value.func
    return called


def names_of_others(node: ast.AST) -> set[str]:
    """The names that a function declares `global` or `nonlocal`."""
    return {
        name
        for one in statements_below(node)
        if isinstance(one, (ast.Nonlocal, ast.Global))
        for name in one.names
    }


def is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not node.value


def is_unpacking(target: ast.expr) -> TypeGuard[ast.Tuple]:
    """Whether there are several targets, none of which takes the remaining values."""
    is_several = isinstance(target, ast.Tuple) and len(target.elts) > 1
    return is_several and not any(isinstance(one, ast.Starred) for one in ast.walk(target))


def is_pair(target: ast.expr) -> TypeGuard[ast.Tuple]:
    return isinstance(target, ast.Tuple) and len(target.elts) == 2


def method_called(callee: ast.expr, owner: str) -> str:
    """A method by its name, as its object is unknown; for `super()`, with the class around it."""
    match callee:
        case ast.Attribute(ast.Call(ast.Name("super")), name) if owner:
            return f"{SUPER}{owner}.{name}"
        case ast.Attribute(_, name):
            return f".{name}"
        case _:
            return ""


def prepares(call: ast.Call, path_of: Callable[[ast.expr], str]) -> bool:
    """Whether it is one of the chained calls that make a data set."""
    if any(keyword.arg == "num_parallel_calls" for keyword in call.keywords):
        return True
    return path_of(first_called(call)).startswith(PREPARES)


def functions_given(
    call: ast.Call, transformation: ast.Call, path_of: Callable[[ast.expr], str]
) -> Iterator[tuple[str, ast.expr]]:
    """Yield the functions passed to the result of a transformation, by the parameter they become.

    They are named in a module, or are the `apply` of a model: `jax.grad(loss)(p, net.apply, x)`.
    """
    differentiated = path_of(transformation.args[0]) if transformation.args else ""
    for position, one in enumerate(call.args if differentiated else ()):
        is_apply = isinstance(one, ast.Attribute) and one.attr in _APPLIES
        if is_apply or path_of(one):
            yield f"{differentiated}({position})", one


def looks_up_own(text: str) -> bool:
    """Whether code may get attributes of its object by names that it computes."""
    return "getattr(self," in text


def may_be_looked_up(name: ast.expr, attribute: str) -> bool:
    """Whether a computed name may be that of an attribute: `f"_loss_{kind}"` is `_loss_dice`."""
    match name:
        case ast.JoinedStr(parts) if parts:
            first, last = _text_of(parts[0]), _text_of(parts[-1])
        case ast.BinOp(left, ast.Add(), right):
            first, last = _text_of(left), _text_of(right)
        case _:
            return True
    is_long_enough = len(attribute) >= len(first) + len(last)
    return is_long_enough and attribute.startswith(first) and attribute.endswith(last)


def _text_of(part: ast.expr) -> str:
    return part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else ""
