"""Questions about how an operand was written: its kind, its settings, its identity."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.mixtures import are_complements
from mllint_nan.ir import program as ir
from mllint_nan.ir.term import (
    CONSTANT,
    INPUT,
    OPAQUE,
    Term,
    behind_views,
    constant_of,
    number_of,
    peel,
    walk,
)
from mllint_nan.naming import names
from mllint_nan.rulebook.predicates.context import (
    Context,
    framework_of,
    known,
    name_of,
    predicate,
    proof,
    tells,
)
from mllint_nan.rulebook.predicates.members import Form, Role, Use

_NOT_REAL: Final = re.compile(r"fft|stft|complex|polar|sparse")
_SIZES: Final = names("shape")
_JOINS: Final = frozenset(("concat", "stack"))
_METHODS_OF_ARRAYS: Final = frozenset(
    ("sum", "mean", "max", "min", "std", "var", "prod", "clip", "dot", "transpose", "reshape")
)


@tells(Form.REAL)
def is_real(context: Context, x: Term) -> Truth:
    """x holds real numbers."""
    if is_complex(context, x) is Truth.YES:
        return Truth.NO
    return known(
        not any(part.operation is OPAQUE and _NOT_REAL.search(str(part.detail)) for part in walk(x))
    )


@tells(Form.COMPLEX, is_proof=True)
def is_complex(context: Context, x: Term) -> Truth:
    """x holds complex numbers, whose roots are not NaN."""
    return known(context.oracle.complex_numbers.holds(x)).or_(Truth.UNKNOWN)


def is_of_complex(context: Context) -> bool:
    """Whether a match is computed from complex numbers; of a quotient, only the divisor counts.

    A handwritten sigmoid of complex numbers is another function.
    """
    term = context.occurrence.term
    parts = term.operands[1:] if term.operation.name == "div" else term.operands
    return any(map(context.oracle.complex_numbers.holds, parts))


@tells(Form.EUCLIDEAN)
def is_plain_order(context: Context, o: Term) -> Truth:
    """The norm is Euclidean, by default or by a literal order."""
    if o is None:
        return Truth.YES
    inner = peel(o)
    return known(inner.operation is CONSTANT and inner.detail in (2, "fro", "euclidean", None))


@predicate
def is_root_of_squares(context: Context, o: Term, a: Term) -> Truth:
    """With order o and axes a, the norm is the root of the sum of squares.

    For a matrix, a literal 2 asks for the largest singular value; TensorFlow treats all axes as
    those of one vector if none is given.
    """
    if o is None or peel(o).detail != 2:
        return Truth.YES
    if is_given(context, a) is Truth.YES:
        return known(isinstance(constant_of(a), int)).or_(Truth.UNKNOWN)
    framework = framework_of(context.occurrence.term, context.analysis)
    return known(framework == "tensorflow").or_(Truth.UNKNOWN)


@proof
def is_given(context: Context, a: Term) -> Truth:
    """The code passes this setting, and not as `None`."""
    if a is None:
        return Truth.NO
    inner = peel(a)
    return Truth.NO if inner.operation is CONSTANT and inner.detail is None else Truth.YES


@proof
def same_term(context: Context, x: Term, y: Term) -> Truth:
    """x and y are the same value."""
    return known(x is not None and y is not None and x.key == y.key)


@predicate
def vanishes_apart(context: Context, y: Term, p: Term) -> Truth:
    """y is not 0 where p is: a power of 1 - p, with a scale at most, as in a focal loss."""
    powers = 0
    pending = [y]
    while pending:
        inner = behind_views(pending.pop())
        if are_complements(inner, p):
            powers += 1
        elif inner.operation.name in ("mul", "neg"):
            pending.extend(inner.operands)
        elif inner.operation.name in ("pow", "square"):
            pending.append(inner.operands[0])
        elif not _is_scale(inner):
            return Truth.NO
    return known(powers > 0)


def _is_scale(factor: Term) -> bool:
    """Whether a factor is made of numbers, and of parameters that have one by default."""
    return all(
        part.operation is not OPAQUE
        and (part.operation is not INPUT or any(map(number_of, part.operands)))
        for part in walk(factor)
    )


@tells(Form.ARRAY)
def is_array(context: Context, x: Term) -> Truth:
    """x is an array or a tensor, not a Python number or a list of numbers."""
    if x is None:
        return Truth.NO
    inner = peel(x)
    if number_of(inner) is not None:
        return Truth.NO
    if inner.operation is INPUT and inner.operands and number_of(inner.operands[0]) is not None:
        return Truth.NO
    if inner.written is not None and inner.written.path in ("item", "tolist"):
        return Truth.NO
    if inner.written is not None and inner.written.path.startswith(("math.", "builtins.")):
        return Truth.NO
    if inner.operation.name == "cast" and inner.framework in (None, "math"):
        return Truth.NO
    return is_scalar_list(context, x).not_()


@predicate
def is_made_by(context: Context, c: Term, operations: str) -> Truth:
    """c is the direct result of operations, with no view or cast in between."""
    return known(peel(c).operation.name in operations.split())


@tells(Use.POWERS)
def is_exponentiated_elsewhere(context: Context, x: Term) -> Truth:
    """Other arithmetic uses exp(x) too, so an overflow may remain: UNKNOWN or NO, never YES."""
    matched = {part.key for part in walk(context.occurrence.term)}
    consumers = context.analysis.consumers
    powers = {t.key for t in consumers.get(peel(x).key, ()) if t.operation.name == "exp"}
    others = (t for power in powers for t in consumers.get(power, ()) if t.key not in matched)
    is_met = any(t.operation.kind == "elementwise" and len(t.operands) > 1 for t in others)
    return Truth.UNKNOWN if is_met else Truth.NO


@tells(Form.TENSOR)
def is_surely_tensor(context: Context, result: Term) -> Truth:
    """The match or the file shows that this is a tensor and cannot be a NumPy array."""
    for part in walk(result):
        written = part.written
        if written is not None and (
            written.path.startswith("torch.")
            or (written.method and written.path not in _METHODS_OF_ARRAYS)
        ):
            return Truth.YES
        if part.operation is INPUT and part.framework == "torch":
            return Truth.YES
    annotated = any(
        "ndarray" in _text_of(parameter.annotation).lower()
        for scope in context.occurrence.scope.enclosing()
        if isinstance(scope.node, ir.Function)
        for parameter in scope.node.parameters
    )
    return Truth.UNKNOWN if annotated or "numpy" in context.analysis.frameworks else Truth.YES


def _text_of(annotation: ir.Expression | None) -> str:
    match annotation:
        case ir.Name(_, name) | ir.Attribute(_, _, name):
            return name
        case ir.Subscript(_, base, indices):
            return " ".join(map(_text_of, (base, *indices)))
        case ir.Binary(_, _, left, right):
            return f"{_text_of(left)} {_text_of(right)}"
        case ir.Constant(_, value):
            return str(value)
        case _:
            return ""


def is_scalar_list(context: Context, x: Term) -> Truth:
    """Whether x is made of Python numbers, one at a time, and not joined to an array since."""
    pending, seen = [x], set[int]()
    while pending:
        part = peel(pending.pop())
        if part.key in seen or part.operation.name in _JOINS:
            continue
        seen.add(part.key)
        if part.operation.name in ("collect", "element"):
            return Truth.YES
        is_view = part.operation.kind == "view"  # by which index or to which shape does not matter
        pending.extend(part.operands[:1] if is_view else part.children())
    return Truth.NO


@tells(Form.KEPT_AXIS)
def restores_axis(context: Context, s: Term) -> Truth:
    """The views around the reduction only restore the reduced axis."""
    inner = peel(s)
    while inner.operation.kind == "view":
        index_is_new_axis = inner.operation.name == "subscript" and any(
            part.operation is CONSTANT and part.detail is None for part in walk(inner.operands[1])
        )
        if inner.operation.name not in ("expand_dims", "reshape") and not index_is_new_axis:
            return Truth.UNKNOWN
        inner = peel(inner.operands[0])
    return known(peel(s).operation.kind == "view").or_(Truth.UNKNOWN)


@tells(Role.SIZES)
def multiplies_sizes(context: Context, x: Term) -> Truth:
    """x is a shape or a list of sizes, whose product is a count."""
    inner = behind_views(x)
    if inner.operation.name in ("shape", "size"):
        return Truth.YES
    called = str(inner.detail) if inner.operation is OPAQUE else name_of(inner)
    return known(bool(_SIZES.search(name_of(x)) or _SIZES.search(called)))
