"""What an annotation says about a value: a number, a sequence of numbers, or a tensor."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from mllint_nan.ir import program as ir
from mllint_nan.ir.kind import Kind, of_paths

_NUMBERS: Final = frozenset(
    ("float", "int", "bool", "complex", "Number", "Real", "Rational", "Integral")
)
_TENSORS: Final = frozenset(
    ("Tensor", "FloatTensor", "DoubleTensor", "LongTensor", "Array", "Variable", "Parameter")
)
_WRAPPERS: Final = frozenset(("Optional", "Union", "Final", "ClassVar", "Required", "InitVar"))
_ROWS: Final = frozenset(
    re.findall(
        r"\w+",
        "list List tuple Tuple Sequence Iterable Collection Iterator Size set Set frozenset",
    )
)
_NAME: Final = re.compile(r"[\w.]+")


def annotated_kind(annotation: ir.Expression | None) -> Kind:
    """The kind of a value with this annotation; `UNKNOWN` where that says nothing about it."""
    match annotation:
        case None:
            return Kind.UNKNOWN
        case ir.Constant(_, None):
            return Kind.NOTHING
        case ir.Constant(_, str(text)):
            return _written_kind(text)
        case ir.Name(_, name) | ir.Attribute(_, _, name):
            return _named_kind(name)
        case ir.Binary(_, "|", left, right):
            return annotated_kind(left).joined(annotated_kind(right))
        case ir.Subscript(_, ir.Name(_, name) | ir.Attribute(_, _, name), indices):
            return _parametrised_kind(name, indices)
        case _:
            return Kind.UNKNOWN


def annotated_elements(annotation: ir.Expression | None) -> Kind:
    """The kind of the elements of a value with this annotation: numbers for a `list[float]`."""
    match annotation:
        case ir.Name(_, "Size") | ir.Attribute(_, _, "Size"):
            return Kind.NUMBER
        case ir.Subscript(_, ir.Name(_, name) | ir.Attribute(_, _, name), indices):
            if name in _WRAPPERS:
                return _joined(map(annotated_elements, indices))
            inside = [part for part in indices if not isinstance(part, ir.Unknown)]  # `...`
            return _joined(map(annotated_kind, inside)) if name in _ROWS else Kind.UNKNOWN
        case ir.Constant(_, None):
            return Kind.NOTHING
        case ir.Binary(_, "|", left, right):
            return annotated_elements(left).joined(annotated_elements(right))
        case _:
            return Kind.UNKNOWN


def _named_kind(name: str) -> Kind:
    if name in _NUMBERS:
        return Kind.NUMBER
    if name == "ndarray":
        return Kind.ARRAY
    return Kind.TENSOR if name in _TENSORS else Kind.UNKNOWN


def _parametrised_kind(name: str, indices: tuple[ir.Expression, ...]) -> Kind:
    if name == "Annotated":
        return annotated_kind(indices[0])
    if name == "Literal":
        is_number = all(
            isinstance(part, ir.Constant) and isinstance(part.value, (int, float))
            for part in indices
        )
        return Kind.NUMBER if is_number else Kind.UNKNOWN
    if name not in _WRAPPERS:
        return Kind.TENSOR if name in _TENSORS else Kind.UNKNOWN
    return _joined(map(annotated_kind, indices))


def _joined(kinds: Iterable[Kind]) -> Kind:
    found = of_paths(kinds)
    return found if found is not Kind.NOTHING else Kind.UNKNOWN


def _written_kind(text: str) -> Kind:
    """The kind that a quoted annotation names: `"Optional[float]"`."""
    names = [name.rpartition(".")[2] for name in _NAME.findall(text)]
    if any(name in _ROWS for name in names):
        return Kind.UNKNOWN
    inside = [name for name in names if name != "None" and name not in _WRAPPERS]
    return _joined(map(_named_kind, inside))


def type_written(parameter: ir.Parameter) -> ir.Expression | None:
    """The annotation of a parameter; without one, the class in a default like `Settings()`."""
    match parameter.default:
        case ir.Call(_, ir.Name() | ir.Attribute() as made, ()) if parameter.annotation is None:
            return made
        case _:
            return parameter.annotation


def annotation_given(constructor: ir.Function | None, name: str) -> ir.Expression | None:
    """The type of an attribute, or of the parameter that it is set to in the constructor."""
    if constructor is None:
        return None
    said = {one.name: type_written(one) for one in constructor.parameters}
    for statement in constructor.body:
        match statement:
            case ir.Assign(_, (ir.Attribute(_, ir.Name(_, "self"), set_to),), value):
                if set_to == name:
                    return statement.annotated_as or _type_of(value, said)
    return None


def _type_of(
    value: ir.Expression, said: Mapping[str, ir.Expression | None]
) -> ir.Expression | None:
    """The type of a parameter, or the class in `settings or Settings()`."""
    match value:
        case ir.Name(_, name):
            return said.get(name)
        case ir.Boolean(_, "or", ir.Name(_, name), ir.Call(_, ir.Name() as made, ())):
            return said.get(name) or made
        case _:
            return None
