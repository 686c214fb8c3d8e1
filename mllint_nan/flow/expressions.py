"""From expressions to terms: from names to reaching definitions, from calls to operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.calls import Calls
from mllint_nan.flow.containers import DICT, field_of, is_text, part_of, slice_of
from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.flow.facts import facts_of
from mllint_nan.flow.masks import is_mask
from mllint_nan.flow.names import TENSORS
from mllint_nan.flow.state import Blueprint, Closure
from mllint_nan.flow.storage import path_of
from mllint_nan.flow.trained import TRAINED, origins_of
from mllint_nan.flow.writing import forget_sharing
from mllint_nan.ir import program as ir
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CONSTANT,
    FUNCTION,
    INPUT,
    NOTHING,
    OPAQUE,
    QUALIFIED,
    REFERENCE,
    SEQUENCE,
    Term,
    Written,
    constant_of,
    peel,
    qualified,
)

BINARY: Final[Mapping[str, str]] = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "div",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "&": "logical_and",
    "|": "logical_or",
    "^": "logical_xor",
}
COMPARISONS: Final[Mapping[str, str]] = {
    "==": "eq",
    "!=": "ne",
    "<": "lt",
    "<=": "le",
    ">": "gt",
    ">=": "ge",
}

_WITH_SIZE: Final = (None, "numpy", "jax")
"""Frameworks whose arrays have the number of their elements as an attribute."""
_NO_ARRAYS: Final = (QUALIFIED, FUNCTION, SEQUENCE, CONSTANT)
_COMPUTES: Final = ("elementwise", "reduction", "along")


class Evaluator(Calls):
    """Evaluates expressions in the current state."""

    __slots__ = ()

    def evaluate(self, expression: ir.Expression) -> Term:
        """The term of an expression in the current state."""
        if type(expression) is ir.Name:  # nearly half of all expressions
            return self.reference(expression.name, expression.site)
        if type(expression) is ir.Call:
            return self.evaluate_call(expression)
        return _EVALUATED[type(expression)](self, expression)

    def _name(self, expression: ir.Name) -> Term:
        return self.reference(expression.name, expression.site)

    def _constant(self, expression: ir.Constant) -> Term:
        return self.build.constant(expression.value, expression.site)

    def _attribute_of(self, expression: ir.Attribute) -> Term:
        base = self.evaluate(expression.base)
        if expression.name == "size" and self._counts_elements(base):
            return self.operation("size", (base,), expression.site)
        return self._attribute(expression.site, base, expression.name)

    def _unary_of(self, expression: ir.Unary) -> Term:
        operand = self.evaluate(expression.operand)
        return self._unary(expression.site, expression.operator, operand)

    def _compare(self, expression: ir.Compare) -> Term:
        operands = (self.evaluate(expression.left), self.evaluate(expression.right))
        operator = expression.operator
        if operator in COMPARISONS:
            return self.operation(COMPARISONS[operator], operands, expression.site)
        return self.opaque(operator, operands, expression.site, pure=True)

    def _slice(self, expression: ir.Slice) -> Term:
        parts = tuple(map(self.evaluate, expression.parts))
        return self.opaque("slice", parts, expression.site, pure=True)

    def _sequence(self, expression: ir.Sequence) -> Term:
        terms = tuple(map(self.evaluate, expression.elements))
        framework: str | None = None
        for term in terms:
            framework = framework or term.framework
        term = self.build.leaf(SEQUENCE, expression.kind, terms, expression.site, framework)
        self.consume(term)
        return term

    def _named(self, expression: ir.NamedExpression) -> Term:
        name, term = expression.name, self.evaluate(expression.value)
        inner = peel(term)
        self.bind(name, inner)
        return Term(REFERENCE, (inner,), term.key, expression.site, NOTHING, term.framework, name)

    def _suspension(self, expression: ir.Suspension) -> Term:
        children = tuple(map(self.evaluate, expression.children))
        return self.opaque("suspension", children, expression.site)

    def _unknown(self, expression: ir.Unknown) -> Term:
        children = tuple(map(self.evaluate, expression.children))
        return self.opaque(expression.what, children, expression.site)

    def trained(self, start: Term, site: object) -> Term:
        """A tensor that training moves away from its initial value."""
        return self.opaque(TRAINED, (start,), site, framework=start.framework)

    def _attribute(self, site: object, base: Term, name: str) -> Term:
        inner = qualified(base)
        if name == "grad" and self.recording:
            self.analysis.updated.update(term.key for term in origins_of(inner))
        if inner.operation is QUALIFIED:
            if name == "newaxis":
                return self.build.constant(None, site)
            path = f"{inner.detail}.{name}"
            self.notice(path)
            member = self.build.leaf(QUALIFIED, path, site=site, framework=None)
            written = f"{path_of(base)}.{name}" if path_of(base) else None
            number = self.number_of_member(member, name, written)
            if number is member:
                return member
            return Term(REFERENCE, (number,), number.key, site, NOTHING, None, written)
        value: Term | None = None
        typed: Blueprint | None = None
        owner = path_of(base)
        known = f"{owner}.{name}" if owner else None
        if self.is_of_class(inner):
            method = self.method_of(base, name)
            if method is not None:
                self.called(method.key)
                if method.is_property:
                    computed = self.call_own(site, method, Arguments((base,), {}))
                    if computed is not None:
                        return computed
                elif method.takes_object and inner.key not in self.blueprints:
                    bound = replace(method, given=Arguments((base,), {}))
                    term = self.build.leaf(FUNCTION, bound, key=method.key)
                    return Term(REFERENCE, (term,), term.key, site, NOTHING, None, known)
            value = self.attribute_of(base, name)
            typed = self.type_of_attribute(base, name) if value is None else None
        if value is not None and value.key not in self.instances:
            elsewhere = Written(name, True, None) if self.is_foreign(base, name) else None
            framework = value.framework
            return Term(REFERENCE, (value,), value.key, site, NOTHING, framework, known, elsewhere)
        stored = self.state.environment.own(known) if known is not None else None
        if stored is not None:
            framework = stored.framework
            term = Term(REFERENCE, (stored,), stored.key, site, NOTHING, framework, known)
            if self.recording:
                self.analysis.referring.append(term)
            return term
        field = field_of(inner, name)
        if field is not None:
            kept = peel(field)
            return Term(REFERENCE, (kept,), kept.key, site, NOTHING, kept.framework, known)
        self.note_base(base, name)
        framework = inner.framework if name in ("T", "mT", "H", "data", "grad", "real") else None
        if inner.operation is SEQUENCE and inner.detail == "pair" and name in ("values", "indices"):
            part = inner.operands[name == "indices"]
            return Term(REFERENCE, (part,), part.key, site, NOTHING, part.framework, None)
        if name in ("T", "mT") and (name == "mT" or inner.operation is not OPAQUE):
            return self.operation("transpose", (base,), site, framework=framework)
        if name == "data" and self._is_torch(inner):
            return self.operation("detach", (base,), site, framework=framework)
        if name in ("shape", "ndim") or (name == "size" and inner.framework in ("numpy", "jax")):
            return self.operation("shape" if name == "shape" else "size", (base,), site)
        if name == "module" and self.is_called(inner):  # a wrapper and its module are the same
            return base
        epoch = self._epochs.get(base.key, 0)
        key = self.build.number("attribute", name, base.key, epoch)
        term = Term(ATTRIBUTE, (base,), key, site, NOTHING, framework, name)
        self.consume(term)
        if value is not None and value.key in self.instances:
            self.instances[key] = self.instances[value.key]
            self.analysis.classes[key] = self.instances[key].blueprint.scope
            if value.key in self.converted:
                self.converted[key] = self.converted[value.key]
        if typed is not None:
            self.typed[key] = typed
            self.analysis.classes[key] = typed.scope
        return term

    def _counts_elements(self, base: Term) -> bool:
        """Whether `size` is the number of elements of an array, which something is computed from.

        PyTorch's is a method, so one that is only read belongs to another array.
        """
        inner, owner = qualified(base), path_of(base)
        if inner.framework not in _WITH_SIZE or inner.operation in _NO_ARRAYS:
            return False
        if self.is_of_class(inner) or (owner and self.state.environment.own(f"{owner}.size")):
            return False
        if inner.operation.name == "boolean_mask":
            return True
        consumers = self.analysis.consumers.get(inner.key, ())
        arrays = (one for one in (inner, *consumers) if one.framework != "math")
        return any(one.operation.kind in _COMPUTES for one in arrays)

    def _is_torch(self, value: Term) -> bool:
        """Whether a value is a PyTorch tensor, or may be one and no other framework is imported."""
        if value.framework is None and value.operation in (INPUT, ATTRIBUTE):
            return self.analysis.frameworks & TENSORS == {"torch"}
        return value.framework == "torch"

    def _binary(self, expression: ir.Binary) -> Term:
        chain = [expression]
        while isinstance(chain[-1].left, ir.Binary):
            chain.append(chain[-1].left)
        term = self.evaluate(chain[-1].left)
        for link in reversed(chain):
            right = self.evaluate(link.right)
            operands = (term, right)
            name = BINARY.get(link.operator)
            if name is None or is_text(term) or is_text(right):
                term = self.opaque(link.operator, operands, link.site, pure=True)
            else:
                term = self.operation(name, operands, link.site)
        return term

    def _unary(self, site: object, operator: str, operand: Term) -> Term:
        match operator:
            case "-":
                return self.operation("neg", (operand,), site)
            case "~" | "not":
                return self.operation("logical_not", (operand,), site)
            case _:
                return self.operation("identity", (operand,), site)

    def _boolean(self, expression: ir.Boolean) -> Term:
        operator = expression.operator
        first = self.evaluate(expression.left)
        decided = self.decided(first)
        if decided is not Truth.UNKNOWN:
            is_left = decided is (Truth.YES if operator == "or" else Truth.NO)
            return first if is_left else self.evaluate(expression.right)
        before = self.state
        self.assume(first, operator == "and")
        second = self.evaluate(expression.right)
        self.state = self.state.with_facts(before.facts)
        return self.opaque(operator, (first, second), expression.site, pure=True)

    def _conditional(self, expression: ir.Conditional) -> Term:
        condition = self.evaluate(expression.test)
        decided = self.decided(condition)
        if decided is not Truth.UNKNOWN:
            return self.evaluate(expression.body if decided is Truth.YES else expression.orelse)
        before = self.state.facts
        self.assume(condition, True)
        first = self.evaluate(expression.body)
        self.state = self.state.with_facts(before)
        self.assume(condition, False)
        second = self.evaluate(expression.orelse)
        self.state = self.state.with_facts(before)
        paths = (facts_of(condition, True), facts_of(condition, False))
        term = self.choice((first, second), expression.site, "conditional", paths)
        self.consume(term)
        return term

    def _subscript(self, expression: ir.Subscript) -> Term:
        site = expression.site
        container = self.evaluate(expression.base)
        index_terms = tuple(map(self.evaluate, expression.indices))
        inner = self.behind_name(container)
        index = (
            index_terms[0]
            if len(index_terms) == 1
            else self.build.leaf(SEQUENCE, "tuple", index_terms, None)
        )
        element = part_of(inner, index)
        if element is not None:
            parts = (peel(element), container)
            return Term(REFERENCE, parts, element.key, site, NOTHING, element.framework, None)
        listed = slice_of(self, inner, index, site)
        if listed is not None:
            self.consume(listed)
            return listed
        frame = self.frame_of(container, index_terms) if self.frames else ""
        stored = self.state.environment.own(frame) if frame else None
        if stored is not None:
            framework = stored.framework
            return Term(REFERENCE, (stored,), stored.key, site, NOTHING, framework, frame)
        kept = self.kept_at(inner, index, site)
        if kept is not None:
            return kept
        if inner.operation is QUALIFIED:
            return self.opaque("subscript", (container, index), site, pure=True)
        if inner.operation.name == "shape":  # TensorFlow's function gives tensors
            is_function = inner.written is not None and not inner.written.method
            written = inner.written if is_function else None
            axis = {"axis": index} if isinstance(constant_of(index), int) else {}
            return self.operation("size", (inner.operands[0],), site, axis, written=written)
        if is_mask(index):
            return self.operation("boolean_mask", (container, index), site)
        return self.operation("subscript", (container, index), site)

    def _comprehension(self, expression: ir.Comprehension) -> Term:
        before = self.state
        operands = []
        conditions: list[Term] = []
        for clause in expression.clauses:
            iterable = self.evaluate(clause.iterable)
            operands.append(iterable)
            self.assign_elements(clause.target, iterable)
            for condition in clause.conditions:
                conditions.append(self.evaluate(condition))
                self.assume(conditions[-1], True)
        outside, self.written = self.written, set()
        written_out = expression.element
        parts: tuple[Term, ...] = ()
        if expression.kind == "dict" and isinstance(written_out, ir.Unknown):
            parts = tuple(map(self.evaluate, written_out.children))
            element = self.opaque(written_out.what, parts, written_out.site)
        else:
            element = self.evaluate(written_out)
        written, self.written = self.written, outside
        self.state = before
        if written:
            self.written |= written
            forget_sharing(self, frozenset(written))
        if expression.kind in ("list", "generator"):
            listed = self.operation("collect", (element,), expression.site)
            if len(expression.clauses) > 1 or expression.clauses[0].conditions:
                self.analysis.thinned[listed.key] = tuple(conditions)
            return listed
        if parts and self.hold_functions(parts[1:]):
            return self.opaque(DICT, parts, expression.site)
        return self.opaque("comprehension", (element, *operands), expression.site)

    def assign_elements(self, target: ir.Target, iterable: Term) -> None:
        """Bind the target of a loop over `iterable`."""
        raise NotImplementedError

    def _lambda(self, expression: ir.Lambda) -> Term:
        closure = Closure(
            "<lambda>",
            expression.parameters,
            expression.body,
            self.state.environment,
            self.scope,
            self.build.fresh(),
            simple=True,
        )
        term = self.build.leaf(FUNCTION, closure, site=expression.site, key=closure.key)
        if self.recording:
            self.define(closure)
        return term

    def _call(self, expression: ir.Call) -> Term:
        return self.evaluate_call(expression)

    def evaluate_call(self, expression: ir.Call) -> Term:
        """The term of a call, understood or not."""
        raise NotImplementedError

    def note_base(self, receiver: Term, name: str) -> None:
        """Record the class of an object, and which base of that stores an attribute."""
        raise NotImplementedError

    def define(self, closure: Closure) -> None:
        """Schedule the body of a function to be evaluated on its own, later."""
        raise NotImplementedError

    def type_of_attribute(self, receiver: Term, name: str) -> Blueprint | None:
        """The class that an attribute is annotated with, in the visible class of its object."""
        raise NotImplementedError

    def is_of_class(self, receiver: Term) -> bool:
        """Whether the class of an object is visible, or the object is a visible class."""
        raise NotImplementedError


_EVALUATED: Final[Mapping[type[Any], Callable[[Evaluator, Any], Term]]] = {
    ir.Name: Evaluator._name,
    ir.Constant: Evaluator._constant,
    ir.Attribute: Evaluator._attribute_of,
    ir.Call: Evaluator._call,
    ir.Binary: Evaluator._binary,
    ir.Unary: Evaluator._unary_of,
    ir.Compare: Evaluator._compare,
    ir.Boolean: Evaluator._boolean,
    ir.Conditional: Evaluator._conditional,
    ir.Subscript: Evaluator._subscript,
    ir.Slice: Evaluator._slice,
    ir.Sequence: Evaluator._sequence,
    ir.Comprehension: Evaluator._comprehension,
    ir.Lambda: Evaluator._lambda,
    ir.NamedExpression: Evaluator._named,
    ir.Suspension: Evaluator._suspension,
    ir.Unknown: Evaluator._unknown,
}
