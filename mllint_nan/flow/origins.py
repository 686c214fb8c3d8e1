"""The origins of values, as annotations, constructors and calls show them.

Only the analysed file itself is asked. The name of a library decides nothing: a module that is
neither a supported framework, nor part of the project, nor in the standard library is a library
like any other.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Final

from mllint_nan.flow.annotations import type_written
from mllint_nan.flow.environment import Environment
from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.flow.foreign import Foreign
from mllint_nan.flow.modules import Project
from mllint_nan.flow.ownership import Origin
from mllint_nan.flow.state import Analysis, Blueprint, Closure, State
from mllint_nan.frameworks import registry
from mllint_nan.ir import program as ir
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CONSTANT,
    FUNCTION,
    INPUT,
    OPAQUE,
    QUALIFIED,
    SEQUENCE,
    Term,
    peel,
    qualified,
)

_TENSOR_CLASS: Final = re.compile(r"(tensor|array|parameter|variable|buffer)$", re.IGNORECASE)
"""The names of the classes of tensors in all frameworks."""
_OF_ARRAYS: Final = re.compile(
    r"tensor|array|numeric|scalar|number|float|int(eger)?$|real$|param|variable"
    r"|^(any|self|t)$",
    re.IGNORECASE,
)
"""The names of aliases of tensors, arrays and numbers, and of subclasses of tensors."""
_TYPING: Final = frozenset(
    ("typing", "typing_extensions", "collections", "types", "abc", "numbers")
)
_ONE_OF: Final = frozenset(("Optional", "Union"))
_ARITHMETIC: Final = (
    "__add__",
    "__radd__",
    "__sub__",
    "__mul__",
    "__rmul__",
    "__truediv__",
    "__pow__",
    "__neg__",
    "__matmul__",
    "__getattr__",
    "__torch_function__",
    "abs",
    "exp",
    "log",
    "norm",
    "sqrt",
    "std",
    "sum",
    "var",
)
"""Methods of the classes whose objects programs compute with."""
_ABSTRACT: Final = ("ABC", "Protocol")
_PROTOCOL: Final = "typing.Protocol"
_CLASS_OF: Final = "call builtins.type"
_TESTS_OF_CLASS: Final = "builtins.isinstance"
_TESTS_OF_TENSOR: Final = frozenset(("torch.is_tensor", "tensorflow.is_tensor"))


class Origins(Foreign):
    """Records the origins of parameters and results, by key."""

    __slots__ = ("_of_classes",)

    def __init__(self, analysis: Analysis, builder: Builder, project: Project | None) -> None:
        super().__init__(analysis, builder, project)
        self._of_classes: dict[Blueprint, tuple[Origin | None]] = {}
        """By class: the origin of its objects."""

    def let_go(self) -> None:
        super().let_go()
        self._of_classes = {}

    def note_parameter(
        self, term: Term, parameter: ir.Parameter, closure: Closure, annotation: Term | None
    ) -> None:
        """Record the origin of a parameter by its annotation, or as the object of its class."""
        first = closure.parameters[0].name if closure.parameters else ""
        if annotation is not None:
            found = self._annotated_origin(annotation)
            typed = self._class_named(annotation) if not parameter.star else None
            if typed is not None:
                self._note_object(term, typed)
        elif parameter.name == first == "self" and closure.scope.kind == "class":
            found = self._origin_of_class(self.blueprint)
        elif parameter.name == first == "self" and closure.scope.kind == "module":
            found = Origin.STRANGE
        else:
            found = None
            made = type_written(parameter)
            typed = self.blueprint_of(self.quietly(made)) if made is not None else None
            if typed is not None:
                self._note_object(term, typed)
        if found is not None and not parameter.star:
            self.analysis.origins[term.key] = found

    def _note_object(self, term: Term, blueprint: Blueprint) -> None:
        """Record of which visible class an annotation says that a value is an object."""
        self.typed[term.key] = blueprint
        self.analysis.classes[term.key] = blueprint.scope

    def _class_named(self, annotation: Term) -> Blueprint | None:
        """Return the visible class that an annotation names, if it names nothing else.

        An abstract class does not count: what is derived from it computes in ways of its own.
        """
        named = [*_alternatives(annotation)]
        blueprint = self.blueprint_of(named[0]) if len(named) == 1 else None
        if blueprint is None:
            return None
        bases = (base for one in self.line_of(blueprint) for base in self._bases_of(one))
        is_abstract = any(str(peel(base).detail).endswith(_ABSTRACT) for base in bases)
        return None if is_abstract else blueprint

    def type_of_attribute(self, receiver: Term, name: str) -> Blueprint | None:
        for one in self._line(peel(receiver)):
            if one.module is not None and not one.module.mentions(name):
                continue
            if name not in one.annotated:
                one.annotated[name] = self._annotated_type(one, name)
            if one.annotated[name] is not None:
                return one.annotated[name]
        return None

    def _annotated_type(self, blueprint: Blueprint, name: str) -> Blueprint | None:
        written = blueprint.text.annotation(name)
        if written is None:
            return None
        with self.apart(State(Environment(blueprint.environment))):
            return self._class_named(self.type_named(written))

    def note_call(self, result: Term, callee: Term, made: Blueprint | None) -> None:
        """Record the origin of an opaque call's result; for a class test, that of the class."""
        inner = qualified(callee)
        path = str(inner.detail) if inner.operation is QUALIFIED else ""
        if made is not None or inner.detail == "cls":
            found = self._origin_of_class(made or self.blueprint)
        elif inner.operation is FUNCTION:
            found = self._returned_origin(inner.detail, result)
        elif inner.detail == _CLASS_OF and len(inner.operands) == 2:
            found = self.analysis.origins.get(inner.operands[1].key)
        elif path == _TESTS_OF_CLASS and len(result.operands) == 3:
            found = self._annotated_origin(result.operands[2])
        elif registry.canonical_path(path) in _TESTS_OF_TENSOR:
            found = Origin.TENSOR
        else:
            found = self._origin_of_result(path, result) if path else None
        if found is not None:
            self.analysis.origins[result.key] = found

    def note_method(self, result: Term, receiver: Term, name: str, method: Closure | None) -> None:
        """Record the origin of an opaque method's result, by annotation or `self.__class__(…)`."""
        found = self._returned_origin(method, result) if method is not None else None
        if name == "__class__":
            found = self.analysis.origins.get(receiver.key)
        if found is not None:
            self.analysis.origins[result.key] = found

    def call_closure(self, site: object, closure: Closure, arguments: Arguments) -> Term | None:
        result = super().call_closure(site, closure, arguments)
        if result is not None and closure.returns is not None:
            given = peel(result)
            if self._is_of_no_class(given):
                self._returned_origin(closure, given)
        return result

    def note_type(self, term: Term, written: ir.Expression) -> None:
        """Record the class that the annotation of a variable gives to an opaque value."""
        inner = peel(term)
        typed = self._class_named(self.type_named(written)) if self._is_of_no_class(inner) else None
        if typed is not None:
            self._note_object(inner, typed)

    def _is_of_no_class(self, given: Term) -> bool:
        is_unknown = given.operation in (OPAQUE, ATTRIBUTE) or given.operation.name == "subscript"
        return is_unknown and given.key not in self.instances

    def _returned_origin(self, function: Closure, result: Term) -> Origin | None:
        """Return the origin that a return annotation shows, and record the class of `result`."""
        if function.returns is None:
            return None
        with self.apart(State(Environment(function.environment))):
            annotation = self.type_named(function.returns)
            found, typed = self._annotated_origin(annotation), self._class_named(annotation)
        if typed is not None:
            self._note_object(result, typed)
        return found

    def _origin_of_result(self, path: str, result: Term) -> Origin | None:
        """Return the origin of the result of a public function or class of another module."""
        root, _, rest = path.partition(".")
        name = rest.rpartition(".")[2] or path
        if registry.framework_of(path) is not None or root in _TYPING or not root:
            return None
        if _TENSOR_CLASS.search(name) and name[:1].isupper():
            return None
        if root in sys.stdlib_module_names:
            return Origin.FOREIGN if name[:1].isupper() and rest else None
        if self._is_of_project(path):
            found = self.imported(path)
            function = peel(found) if found is not None else None
            if function is None or function.operation is not FUNCTION:
                return None
            return self._returned_origin(function.detail, result)
        return Origin.FOREIGN if name[:1].isupper() else Origin.STRANGE

    def _origin_of_class(self, blueprint: Blueprint | None) -> Origin | None:
        """Return the origin of a visible class's objects; `None` if they are or stand for tensors.

        `None` without arithmetic of its own, too: a program that computes means another object.
        """
        if blueprint is None:
            return None
        known = self._of_classes.get(blueprint)
        if known is None:
            known = (self._computed_origin(blueprint),)
            if not self.is_resolving:
                self._of_classes[blueprint] = known
        return known[0]

    def _computed_origin(self, blueprint: Blueprint) -> Origin | None:
        if blueprint.text.method("__new__") is not None:
            return None
        found: Origin | None = None
        for one in self.line_of(blueprint):
            if found is None and _is_computed_with(one):
                found = Origin.OWN
            for base in self._bases_of(one):
                if self.blueprint_of(base) is not None:
                    continue
                inner = peel(base)
                is_made = inner.operation is OPAQUE  # `namedtuple("Base", …)`
                path = str(inner.detail).removeprefix("call ") if is_made else str(inner.detail)
                root, name = path.partition(".")[0], path.rpartition(".")[2]
                if path == _PROTOCOL or _TENSOR_CLASS.search(name):
                    return None
                is_known = registry.framework_of(path) is not None or root in _TYPING
                if not is_known and root not in sys.stdlib_module_names:
                    return Origin.FOREIGN
        return found

    def _is_of_project(self, path: str) -> bool:
        """Whether a qualified name leads into the project, whatever it denotes there."""
        root = path.partition(".")[0]
        if not root or self.project is None:
            return not root
        is_beside = self.project.package.partition(".")[0] == root
        return is_beside or self._module(root) is not None

    # Annotations

    def quietly(self, expression: ir.Expression) -> Term:
        """Evaluate an expression without recording anything."""
        raise NotImplementedError

    def type_named(self, annotation: ir.Expression) -> Term:
        """Evaluate an annotation, or the dotted name in one that is written as a string."""
        if isinstance(annotation, ir.Constant) and isinstance(annotation.value, str):
            names = annotation.value.strip().split(".")
            if all(name.isidentifier() for name in names):
                annotation = ir.Name(None, names[0])
                for name in names[1:]:
                    annotation = ir.Attribute(None, annotation, name)
        return self.quietly(annotation)

    def _annotated_origin(self, annotation: Term) -> Origin | None:
        """Return the origin of what has a type, or one of several; `None` if nothing is shown."""
        kinds = [self._origin_of_type(one) for one in _alternatives(annotation)]
        if not kinds or all(kind is None for kind in kinds):
            return None
        others = [kind for kind in kinds if kind is not None and kind is not Origin.TENSOR]
        if not others:
            return None if None in kinds else Origin.TENSOR
        return min(others) if len(others) == len(kinds) else Origin.MIXED

    def _origin_of_type(self, named: Term) -> Origin | None:
        blueprint = self.blueprint_of(named)
        if blueprint is not None:
            return self._origin_of_class(blueprint)
        inner = peel(named)
        if inner.operation is not QUALIFIED:
            return None
        path = str(inner.detail)
        root, name = path.partition(".")[0], path.rpartition(".")[2]
        if registry.framework_of(path) is not None:
            return Origin.TENSOR if _TENSOR_CLASS.search(name) else None
        if root in _TYPING or _OF_ARRAYS.search(name) or not name[:1].isupper():
            return None
        return None if self._is_of_project(path) else Origin.FOREIGN


def _is_computed_with(blueprint: Blueprint) -> bool:
    """Whether a class has arithmetic of its own."""
    if blueprint.is_computed_with is None:
        blueprint.is_computed_with = any(map(blueprint.text.method, _ARITHMETIC))
    return blueprint.is_computed_with


def _alternatives(annotation: Term) -> Iterator[Term]:
    """The types of `Optional[A]`, `A | B`, `Union[A, B]` and `(A, B)`, without None."""
    inner = peel(annotation)
    if inner.operation is CONSTANT:
        return
    parts: tuple[Term, ...] = ()
    if inner.operation is SEQUENCE or inner.operation.name == "logical_or":
        parts = inner.operands
    elif inner.operation is OPAQUE and inner.detail == "subscript":
        base = peel(inner.operands[0])
        if str(base.detail).rpartition(".")[2] in _ONE_OF:
            parts = inner.operands[1:]
    if not parts:
        yield inner if inner.operation is not INPUT else annotation
    for part in parts:
        yield from _alternatives(part)
