"""Calls that other operations can express: `select`, `einsum`, `tril`, `scatter`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mllint_nan.flow.containers import is_display, is_text
from mllint_nan.flow.distributions import OF_STANDARD_NORMAL, function_of_normal
from mllint_nan.flow.einsum import contraction, is_form
from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.flow.names import Names
from mllint_nan.flow.triangles import PLACE
from mllint_nan.flow.unit_vectors import any_sign, counted_as, unit_of
from mllint_nan.ir.ops import operation as catalogued
from mllint_nan.ir.term import (
    CONSTANT,
    NOTHING,
    SEQUENCE,
    Term,
    behind_views,
    constant_of,
    number_of,
    peel,
    qualified,
)

_SELECTS: Final = frozenset(("numpy.select", "jax.numpy.select"))
_SQUARED_DIFFERENCES: Final = frozenset(
    ("tensorflow.squared_difference", "tensorflow.math.squared_difference")
)
IDENTITIES: Final = frozenset(
    (
        "torch.tensor",
        "torch.as_tensor",
        "torch.from_numpy",
        "torch.Tensor",
        "torch.FloatTensor",
        "torch.autograd.Variable",
        "tensorflow.constant",
        "tensorflow.convert_to_tensor",
        "tensorflow.identity",
        "jax.numpy.array",
        "jax.numpy.asarray",
        "numpy.array",
        "numpy.asarray",
        "builtins.list",
        "builtins.tuple",
        "numpy.float32",
        "numpy.float64",
        "keras.ops.convert_to_tensor",
        "keras.backend.constant",
        "jax.device_put",
    )
)
"""Functions that return their argument as another kind of array."""
_MOMENTS: Final[Mapping[str, tuple[str, str]]] = {
    "tensorflow.nn.moments": ("mean", "var"),
    "keras.ops.moments": ("mean", "var"),
    "torch.var_mean": ("var", "mean"),
    "torch.std_mean": ("std", "mean"),
}
"""Functions that return two statistics of one operand."""
_TENSOR_PRODUCTS: Final[Mapping[str, str]] = {
    "torch.tensordot": "dims",
    "tensorflow.tensordot": "axes",
    "numpy.tensordot": "axes",
    "jax.numpy.tensordot": "axes",
    "keras.ops.tensordot": "axes",
}
"""Products of tensors, and their parameter for the axes that they sum over."""
_MATRIX_PRODUCTS: Final = frozenset(
    ("tensorflow.matmul", "tensorflow.linalg.matmul", "tensorflow.batch_matmul")
)
_FACTORS: Final[Mapping[str, int]] = {"a": 0, "b": 1, "x": 0, "y": 1}
_TURNS: Final[Mapping[str, int]] = {
    **{"transpose_a": 0, "adjoint_a": 0, "adj_x": 0},
    **{"transpose_b": 1, "adjoint_b": 1, "adj_y": 1},
}
"""Options of a matrix product, and which factor each transposes."""
_SETS_DIAGONAL: Final = "tensorflow.linalg.set_diag"
_MASKS_LENGTHS: Final = "tensorflow.sequence_mask"
_PADS: Final[Mapping[str, tuple[str, ...]]] = {
    "torch.nn.functional.pad": ("input", "pad", "mode", "value"),
    "tensorflow.pad": ("tensor", "paddings", "mode", "constant_values"),
    "numpy.pad": ("array", "pad_width", "mode", "constant_values"),
    "jax.numpy.pad": ("array", "pad_width", "mode", "constant_values"),
}
"""Functions that pad an array, and their parameters: array, widths, mode, number."""
_LINEAR: Final = "torch.nn.functional.linear"
_PRINTS: Final = frozenset(("tensorflow.Print", "tensorflow.compat.v1.Print"))
_OF_LINEAR: Final = ("input", "weight", "bias")
_LAST_OF_TWO: Final = (-1, 1, None)
_OPERATORS: Final[Mapping[str, str]] = {
    "operator.add": "add",
    "operator.sub": "sub",
    "operator.mul": "mul",
    "operator.truediv": "div",
    "operator.pow": "pow",
    "operator.neg": "neg",
    "operator.matmul": "matmul",
}
"""Functions of Python that compute what an operator does."""
_NEIGHBOURS: Final = frozenset(("torch.diff", "numpy.diff", "jax.numpy.diff"))
_AXES: Final = ("dim", "axis")
EQUIVALENTS: Final = (
    _SELECTS
    | _NEIGHBOURS
    | _SQUARED_DIFFERENCES
    | frozenset((*OF_STANDARD_NORMAL, *_MOMENTS, *_TENSOR_PRODUCTS, *_OPERATORS, *_PADS))
    | _PRINTS
    | _MATRIX_PRODUCTS
    | {_SETS_DIAGONAL, _MASKS_LENGTHS, _LINEAR}
)
"""The functions that `equivalent` knows."""
_FILLS_DIAGONAL: Final = "numpy.fill_diagonal"
"""A function that does the same to its argument, and returns nothing."""
_OF_SELECT: Final = ("condlist", "choicelist", "default")
SETTERS: Final[Mapping[str, tuple[int, str]]] = {
    "scatter": (2, "src"),
    "scatter_": (2, "src"),
    "index_fill": (2, "value"),
    "index_fill_": (2, "value"),
    "index_copy": (2, "source"),
    "index_copy_": (2, "source"),
    "index_put": (1, "values"),
    "index_put_": (1, "values"),
    "fill_diagonal_": (0, "fill_value"),
}
"""Methods that set elements of a PyTorch tensor: position and name of the argument with values."""
_DETACHING: Final = frozenset(
    ("torch.tensor", "torch.Tensor", "torch.from_numpy", "tensorflow.constant")
)


def equivalent(
    names: Names, site: object, path: str, arguments: Arguments, framework: str | None
) -> Term | None:
    """The result of a function that is several operations, or that does what an operator does."""
    if path in _SELECTS:
        return _selected(names, site, arguments, framework)
    if path in OF_STANDARD_NORMAL:
        return function_of_normal(names, site, path, arguments, framework)
    if path in _MOMENTS:
        return _moments(names, site, _MOMENTS[path], arguments, framework)
    if path in _TENSOR_PRODUCTS:
        return _matrix_product(names, site, _TENSOR_PRODUCTS[path], arguments, framework)
    if path in _OPERATORS:
        return _as_operator(names, site, _OPERATORS[path], arguments, framework)
    if path in _PADS:
        return _padded(names, site, _PADS[path], arguments, framework)
    if path in _MATRIX_PRODUCTS:
        return _product_of_turned(names, site, arguments, framework)
    if path == _MASKS_LENGTHS:
        return _mask_of_lengths(names, site, arguments, framework)
    if path == _LINEAR:
        return _cosines(names, site, arguments, framework)
    if path in _PRINTS:
        return _printed(names, site, arguments, framework)
    if path in _NEIGHBOURS:
        return _differences(names, site, arguments, framework)
    if len(arguments.positional) != 2:
        return None
    if path == _SETS_DIAGONAL:
        array, value = arguments.positional
        return _with_diagonal(names, site, array, value, framework)
    difference = names.operation("sub", arguments.positional, None, framework=framework)
    return names.operation("square", (difference,), site, framework=framework)


def _as_operator(
    names: Names, site: object, name: str, arguments: Arguments, framework: str | None
) -> Term | None:
    """The operation of `operator.truediv(x, y)` or the like, if the arguments fit."""
    if arguments.others or len(arguments.positional) != catalogued(name).operands:
        return None
    return names.operation(name, arguments.positional, site, framework=framework)


def _differences(
    names: Names, site: object, arguments: Arguments, framework: str | None
) -> Term | None:
    """`diff(x)` as `x[1:] - x[:-1]`; `None` if it is repeated, or something is put beside x."""
    if len(arguments.positional) != 1 or arguments.others or set(arguments.keywords) - {*_AXES}:
        return None
    parts = []
    for end in (1, -1):
        index = names.opaque("slice", (names.build.constant(end),), None, pure=True)
        operands = (arguments.positional[0], index)
        parts.append(names.operation("subscript", operands, None, framework=framework))
    return names.operation("sub", tuple(parts), site, framework=framework)


def _padded(
    names: Names,
    site: object,
    parameters: tuple[str, ...],
    arguments: Arguments,
    framework: str | None,
) -> Term | None:
    """The array beside the number that it is padded with; `None` for other modes."""
    given = {**dict(zip(parameters, arguments.positional, strict=False)), **arguments.keywords}
    array, mode, number = (given.get(parameters[place]) for place in (0, 2, 3))
    if array is None or arguments.others:
        return None
    if mode is not None and str(constant_of(mode)).lower() != "constant":
        return None
    if number is None or (peel(number).operation is CONSTANT and not constant_of(number)):
        number = names.operation("zeros_like", (array,), None, framework=framework)
    return names.operation("concat", (array, number), site, framework=framework)


def _product_of_turned(
    names: Names, site: object, arguments: Arguments, framework: str | None
) -> Term | None:
    """`matmul(x, y, transpose_b=True)` as a product with a transposed factor."""
    factors = dict(enumerate(arguments.positional))
    turned = set[int]()
    for name, given in arguments.keywords.items():
        if name in _FACTORS:
            factors[_FACTORS[name]] = given
        elif name in _TURNS and constant_of(given) is True:
            turned.add(_TURNS[name])
        elif name != "name" and constant_of(given) is not False:
            return None
    if factors.keys() != {0, 1} or arguments.others:
        return None
    for place in turned:
        factors[place] = names.operation("transpose", (factors[place],), None, framework=framework)
    return names.operation("matmul", (factors[0], factors[1]), site, framework=framework)


def _mask_of_lengths(
    names: Names, site: object, arguments: Arguments, framework: str | None
) -> Term | None:
    """`arange(most) < lengths`, for `sequence_mask(lengths, most)`, in the format of `dtype`."""
    given = dict(zip(("lengths", "maxlen", "dtype"), arguments.positional, strict=False))
    given.update(arguments.keywords)
    lengths = given.get("lengths")
    if lengths is None or arguments.others:
        return None
    most = given.get("maxlen") or names.operation("max", (lengths,), None, framework=framework)
    places = names.operation("arange", (), None, {"stop": most}, framework)
    mask = names.operation("lt", (places, lengths), site, framework=framework)
    dtype = given.get("dtype")
    if dtype is None:
        return mask
    return names.operation("cast", (mask,), site, {"dtype": dtype}, framework)


def _with_diagonal(
    names: Names, site: object, array: Term, value: Term, framework: str | None
) -> Term | None:
    """A matrix with one number on its diagonal; `None` if the value is no number and no zeros."""
    if peel(value).operation.name == "zeros":
        value = names.build.constant(0)
    if number_of(value) is None:
        return None
    first = {"axis": names.build.constant(0)}
    size = names.operation("size", (array,), None, first, framework)
    diagonal = names.operation("eye", (), None, {"size": size}, framework)
    return names.operation("where", (diagonal, value, array), site, framework=framework)


def with_diagonal_filled(
    names: Names, callee: Term | None, written: tuple[Term, ...]
) -> Term | None:
    """The array that `np.fill_diagonal` leaves; `None` for another function, or no number."""
    function = qualified(callee) if callee is not None else None
    if function is None or function.detail != _FILLS_DIAGONAL or len(written) != 2:
        return None
    array, value = written
    return _with_diagonal(names, None, array, value, array.framework)


def _cosines(
    names: Names, site: object, arguments: Arguments, framework: str | None
) -> Term | None:
    """The matrix product that `linear(x, w)` computes, if both are rows of length 1."""
    given = {**dict(zip(_OF_LINEAR, arguments.positional, strict=False)), **arguments.keywords}
    x, rows = given.get("input"), given.get("weight")
    if x is None or rows is None or len(given) > 2 or arguments.others:
        return None
    units = [unit_of(one, any_sign) for one in (x, rows)]
    if any(unit is None or unit.axis not in _LAST_OF_TWO for unit in units):
        return None
    columns = names.operation("transpose", (rows,), None, framework=framework)
    return names.operation("matmul", (x, columns), site, framework=framework)


def _printed(
    names: Names, site: object, arguments: Arguments, framework: str | None
) -> Term | None:
    """The first argument of `Print(x, [y])`, which shows the others."""
    printed, *shown = (*arguments.positional, *arguments.keywords.values())
    if arguments.others or not arguments.positional:
        return None
    names.opaque("call tensorflow.print", tuple(shown), None, framework=framework)
    return names.operation("identity", (printed,), site, framework=framework)


def _is_diagonal(axis: Term, index: Term) -> bool:
    """Whether `1, arange(n).view(-1, 1)` is given, which selects the diagonal of a matrix."""
    return number_of(axis) == 1 and behind_views(index).operation.name == "arange"


def _matrix_product(
    names: Names, site: object, axes: str, arguments: Arguments, framework: str | None
) -> Term | None:
    """`tensordot(x, y, 1)` as a matrix product: the last axis of x with the first one of y."""
    x, y, *given = arguments.positional or (None, None)
    along = given[0] if given else arguments.keywords.get(axes)
    if x is None or y is None or along is None or number_of(along) != 1:
        return None
    return names.operation("matmul", (x, y), site, framework=framework)


def _moments(
    names: Names,
    site: object,
    operations: tuple[str, str],
    arguments: Arguments,
    framework: str | None,
) -> Term | None:
    """Both statistics along the axes; their shapes are left out."""
    operand, *others = arguments.positional or (None,)
    if operand is None:
        return None
    axes = others[0] if others else arguments.keywords.get("axes", arguments.keywords.get("dim"))
    are_axes = not isinstance(constant_of(axes), bool)  # as in `torch.var_mean(x, False)`
    settings = {"axis": axes} if axes is not None and are_axes else {}
    parts = tuple(
        [names.operation(one, (operand,), None, settings, framework) for one in operations]
    )
    return names.build.leaf(SEQUENCE, "tuple", parts, site, framework)


def _selected(
    names: Names, site: object, arguments: Arguments, framework: str | None
) -> Term | None:
    """`select(conditions, choices, default)`: the choice of the first condition that holds."""
    named = {**dict(zip(_OF_SELECT, arguments.positional, strict=False)), **arguments.keywords}
    conditions, choices = named.get("condlist"), named.get("choicelist")
    if conditions is None or choices is None or arguments.others:
        return None
    if not (is_display(conditions) and is_display(choices)):
        return None
    tests, values = peel(conditions).operands, peel(choices).operands
    if len(tests) != len(values) or not tests:
        return None
    result = named.get("default", names.build.constant(0))
    for place, (test, value) in enumerate(zip(tests[::-1], values[::-1], strict=True), 1):
        at = site if place == len(tests) else None
        result = names.operation("where", (test, value, result), at, framework=framework)
    return result


def unlisted(arguments: Arguments) -> Arguments:
    """The arguments of an `einsum` of PyTorch, whose operands may be given as a list."""
    equation, *operands = arguments.positional or (None,)
    listed = peel(operands[0]) if len(operands) == 1 else None
    if equation is None or listed is None or listed.operation is not SEQUENCE:
        return arguments
    return Arguments((equation, *listed.operands), arguments.keywords, arguments.others)


def einsum_applied(
    names: Names, site: object, framework: str | None, arguments: Arguments
) -> Term | None:
    """An `einsum` of operands with the same subscripts: a sum, a diagonal, a product."""
    equation, *operands = arguments.positional or (None,)
    named = constant_of(equation)
    if not isinstance(named, str) or arguments.others:
        return None
    if len(operands) == 3 and is_form(named):
        x, matrix, y = operands
        image = names.operation("matmul", (x, matrix), None, None, framework)
        product = names.operation("mul", (image, y), None, None, framework)
        last = {"axis": names.build.constant(-1)}
        return names.operation("sum", (product,), site, last, framework)
    if not 1 <= len(operands) <= 2:
        return None
    plan = contraction(named, len(operands))
    if plan is None:
        return None
    steps: list[tuple[str, tuple[Term, ...], dict[str, Term]]] = []
    if operands[1:]:
        steps.append(("mul", tuple(operands[1:]), {}))
    if plan.selects_diagonal:
        steps.append(("diagonal", (), {}))
    if plan.axes:
        places = [counted_as(axis, plan.rank, tuple(operands)) for axis in plan.axes]
        numbers = tuple(map(names.build.constant, places))
        axis = numbers[0] if len(numbers) == 1 else names.build.leaf(SEQUENCE, "tuple", numbers)
        steps.append(("sum", (), {"axis": axis}))
    if plan.is_rearranged or not steps:
        steps.append(("transpose" if plan.is_rearranged else "identity", (), {}))
    term = operands[0]
    for number, (name, others, settings) in enumerate(steps, 1):
        at = site if number == len(steps) else None
        term = names.operation(name, (term, *others), at, settings, framework)
    return term


def triangle(names: Names, site: object, path: str, arguments: Arguments) -> Term | None:
    """A computed matrix with 0 on one side of its diagonal; `None` if it may be just a mask."""
    matrix, *others = (*arguments.positional, *arguments.keywords.values())
    inner = peel(matrix)
    if inner.operation.kind in ("leaf", "constant", "comparison", "view"):
        return None
    places = tuple(names.opaque(PLACE, (), None) for _ in range(2))
    offset = number_of(others[0]) if others else None
    is_beside = offset is not None and (offset > 0 if path.endswith("triu") else offset < 0)
    condition = names.operation("gt" if is_beside else "ge", places, None)
    return names.operation(
        "where", (condition, matrix, names.build.constant(0)), site, None, inner.framework
    )


def with_elements_set(
    names: Names, site: object, array: Term, method: str, arguments: Arguments
) -> Term | None:
    """A tensor in which some elements are set to given values."""
    place, name = SETTERS[method]
    given, keywords = arguments.positional, arguments.keywords
    if place == 2 and given and not isinstance(number_of(given[0]), int):
        return None  # no axis: a scatter plot, a message between processes
    value = given[place] if len(given) > place else keywords.get(name, keywords.get("value"))
    if value is None or len(given) > place + 1 or {"reduce", "accumulate"} & keywords.keys():
        return None
    if method == "fill_diagonal_" or (place == 2 and len(given) > 1 and _is_diagonal(*given[:2])):
        diagonal = _with_diagonal(names, site, array, value, "torch")
        if diagonal is not None:
            return diagonal
    return names.opaque("update", (array, value), site, framework="torch")


def identity(names: Names, site: object, path: str, value: Term, framework: str | None) -> Term:
    """The result of a call that returns its argument as a tensor; a literal stays one."""
    inner = peel(value)
    if inner.operation is CONSTANT and not is_text(inner):
        return Term(CONSTANT, (), inner.key, site, NOTHING, framework, inner.detail)
    name = "detach" if path in _DETACHING else "identity"
    if framework == "math":  # a list or tuple is whatever its elements are
        framework = None
    return names.operation(name, (value,), site, framework=framework)


def prepared(names: Names, site: object, prepared: tuple[Term, ...]) -> Term:
    """The result of `prepare` of an `Accelerator`: what it was given."""
    if len(prepared) == 1:
        return prepared[0]
    return names.build.leaf(SEQUENCE, "tuple", prepared, site)
