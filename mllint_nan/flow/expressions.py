"""Expressions to terms: names to the definitions that reach them, calls to operations."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from mllint_nan.flow.state import (
    EMPTY,
    Analysis,
    Closure,
    Occurrence,
    Scope,
    State,
    facts_of,
)
from mllint_nan.frameworks import registry
from mllint_nan.frameworks.spelling import Spelling
from mllint_nan.ir import ops
from mllint_nan.ir import program as ir
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
    FUNCTION,
    INPUT,
    LAYER,
    OPAQUE,
    QUALIFIED,
    REFERENCE,
    SEQUENCE,
    Term,
    Written,
    constant_of,
    peel,
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
_BUILTINS: Final = frozenset(dir(builtins))
_CALLS_DEEPEST: Final = 3
_TENSOR_FRAMEWORKS: Final = ("torch", "tensorflow", "keras", "jax", "numpy")
_MUTATORS: Final = frozenset(("append", "extend", "insert", "add", "update", "pop", "remove"))


class Evaluator:
    """Evaluates expressions in a current `state`, which assignments and guards replace."""

    def __init__(self, analysis: Analysis, builder: Builder) -> None:
        self.analysis = analysis
        self.build = builder
        self.state = EMPTY
        self.scope = Scope("<module>", "module")
        self.recording = True
        self.depth = 0
        self.budget = 20_000
        self.deferred: list[Callable[[], None]] = []
        self.attributes: dict[str, Term] = {}
        """Stateless values that `self.name` has in the whole class being evaluated."""
        self._epochs: dict[int, int] = {}

    # Names and state

    def bind(self, name: str, term: Term) -> None:
        self.scope.assigned.add(name)
        self.state = replace(self.state, environment=self.state.environment.bind(name, term))

    def assume(self, test: Term, holds: bool) -> None:
        """From here on this path, `test` is known to be `holds`."""
        self.state = replace(self.state, facts=(*self.state.facts, *facts_of(test, holds)))

    def reference(self, name: str, site: object) -> Term:
        definition = self.state.environment.lookup(name)
        if definition is None:
            if name in _BUILTINS:
                definition = self.build.leaf(QUALIFIED, f"builtins.{name}")
            else:
                definition = self.build.leaf(INPUT, name)
        term = Term(REFERENCE, (definition,), definition.key, site, {},
                    definition.framework, name)
        if self.recording:
            self.analysis.references.setdefault(id(definition), []).append(term)
            self.analysis.kept_alive.append(definition)
        return term

    # Terms

    def opaque(self, what: str, operands: tuple[Term, ...], site: object, *,
               pure: bool = False, framework: str | None = None) -> Term:
        key = None
        if pure:
            key = self.build.number("opaque", what, *(operand.key for operand in operands))
        term = self.build.leaf(OPAQUE, what, operands, site, framework, key)
        self._note(term)
        return term

    def operation(
        self,
        name: str,
        operands: tuple[Term, ...],
        site: object,
        settings: Mapping[str, Term] | None = None,
        framework: str | None = None,
        written: Written | None = None,
    ) -> Term:
        term = self.build.build(
            ops.operation(name), operands, settings, site, framework, written
        )
        self._note(term)
        return term

    def _note(self, term: Term) -> None:
        if not self.recording:
            return
        for child in term.children():
            self.analysis.consumers.setdefault(child.key, []).append(term)
        if term.operation is OPAQUE:
            for operand in term.operands:
                self.analysis.escaped.add(operand.key)
        elif term.operation.kind != "leaf":
            self.analysis.occurrences.append(Occurrence(term, self.state, self.scope))

    def escape(self, term: Term) -> None:
        if self.recording:
            self.analysis.escaped.add(term.key)

    # Expressions

    def evaluate(self, expression: ir.Expression) -> Term:
        """The term of an expression in the current state."""
        match expression:
            case ir.Name(site, name):
                return self.reference(name, site)
            case ir.Constant(site, value):
                return self.build.constant(value, site)
            case ir.Attribute(site, base, name):
                return self._attribute(site, self.evaluate(base), name)
            case ir.Call():
                return self._call(expression)
            case ir.Binary():
                return self._binary(expression)
            case ir.Unary(site, operator, operand):
                return self._unary(site, operator, self.evaluate(operand))
            case ir.Compare(site, operator, left, right):
                operands = (self.evaluate(left), self.evaluate(right))
                if operator in COMPARISONS:
                    return self.operation(COMPARISONS[operator], operands, site)
                return self.opaque(operator, operands, site, pure=True)
            case ir.Boolean(site, operator, left, right):
                return self._boolean(site, operator, left, right)
            case ir.Conditional(site, test, body, orelse):
                return self._conditional(site, test, body, orelse)
            case ir.Subscript(site, base, indices):
                return self._subscript(site, base, indices)
            case ir.Slice(site, parts):
                return self.opaque("slice", tuple(map(self.evaluate, parts)), site, pure=True)
            case ir.Sequence(site, kind, elements):
                terms = tuple(self.evaluate(element) for element in elements)
                framework = next((t.framework for t in terms if t.framework), None)
                term = self.build.leaf(SEQUENCE, kind, terms, site, framework)
                self._consume(term)
                return term
            case ir.Comprehension():
                return self._comprehension(expression)
            case ir.Lambda(site, parameters, body):
                return self._lambda(expression)
            case ir.NamedExpression(site, name, value):
                term = self.evaluate(value)
                self.bind(name, peel(term))
                return Term(REFERENCE, (peel(term),), term.key, site, {}, term.framework, name)
            case ir.Unknown(site, children):
                return self.opaque("unknown", tuple(map(self.evaluate, children)), site)

    def _consume(self, term: Term) -> None:
        if self.recording:
            for child in term.children():
                self.analysis.consumers.setdefault(child.key, []).append(term)

    def _attribute(self, site: object, base: Term, name: str) -> Term:
        inner = peel(base)
        if inner.operation is QUALIFIED:
            path = f"{inner.detail}.{name}"
            return self.build.leaf(QUALIFIED, path, site=site,
                                   framework=None)
        if inner.operation is INPUT and inner.detail == "self" and name in self.attributes:
            value = self.attributes[name]
            return Term(REFERENCE, (value,), value.key, site, {}, value.framework, f"self.{name}")
        stored = self.state.environment.own(f"{_path(base)}.{name}") if _path(base) else None
        if stored is not None:
            term = Term(REFERENCE, (stored,), stored.key, site, {}, stored.framework,
                        f"{_path(base)}.{name}")
            if self.recording:
                self.analysis.references.setdefault(id(stored), []).append(term)
            return term
        framework = inner.framework if name in ("T", "mT", "H", "data", "grad", "real") else None
        if inner.operation is SEQUENCE and inner.detail == "pair" and name in ("values", "indices"):
            part = inner.operands[name == "indices"]
            return Term(REFERENCE, (part,), part.key, site, {}, part.framework, None)
        if name == "T" and inner.operation is not OPAQUE:
            return self.operation("transpose", (base,), site, framework=framework)
        if name == "data" and framework == "torch":
            return self.operation("detach", (base,), site, framework=framework)
        if name in ("shape", "ndim") or (name == "size" and inner.framework in ("numpy", "jax")):
            return self.operation("shape" if name == "shape" else "size", (base,), site)
        epoch = self._epochs.get(base.key, 0)
        key = self.build.number("attribute", name, base.key, epoch)
        term = Term(ATTRIBUTE, (base,), key, site, {}, framework, name)
        self._consume(term)
        return term

    def _binary(self, expression: ir.Binary) -> Term:
        chain = [expression]
        while isinstance(chain[-1].left, ir.Binary):
            chain.append(chain[-1].left)
        term = self.evaluate(chain[-1].left)
        for link in reversed(chain):
            right = self.evaluate(link.right)
            operands = (term, right)
            name = BINARY.get(link.operator)
            if name is None or _is_text(term) or _is_text(right):
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

    def _boolean(self, site: object, operator: str, left: ir.Expression,
                 right: ir.Expression) -> Term:
        first = self.evaluate(left)
        before = self.state
        self.assume(first, operator == "and")
        second = self.evaluate(right)
        self.state = replace(self.state, facts=before.facts)
        return self.opaque(operator, (first, second), site, pure=True)

    def _conditional(self, site: object, test: ir.Expression, body: ir.Expression,
                     orelse: ir.Expression) -> Term:
        condition = self.evaluate(test)
        before = self.state.facts
        self.assume(condition, True)
        first = self.evaluate(body)
        self.state = replace(self.state, facts=before)
        self.assume(condition, False)
        second = self.evaluate(orelse)
        self.state = replace(self.state, facts=before)
        term = self.choice((first, second), site, "conditional")
        self._consume(term)
        return term

    def choice(self, options: tuple[Term, ...], site: object = None,
               detail: str = "branch") -> Term:
        """What holds one of `options`; equal ones are one."""
        distinct = {option.key: option for option in options}
        if len(distinct) == 1 and site is None:
            return peel(options[0])
        framework = next((t.framework for t in options if t.framework), None)
        key = self.build.number("choice", *distinct) if detail != "loop" else self.build.fresh()
        return Term(CHOICE, tuple(distinct.values()), key, site, {}, framework, detail)

    def _subscript(self, site: object, base: ir.Expression,
                   indices: tuple[ir.Expression, ...]) -> Term:
        container = self.evaluate(base)
        index_terms = tuple(self.evaluate(index) for index in indices)
        inner = peel(container)
        index = (
            index_terms[0]
            if len(index_terms) == 1
            else self.build.leaf(SEQUENCE, "tuple", index_terms, None)
        )
        position = constant_of(index)
        if (
            inner.operation is SEQUENCE
            and isinstance(position, int)
            and -len(inner.operands) <= position < len(inner.operands)
        ):
            element = inner.operands[position]
            return Term(REFERENCE, (peel(element),), element.key, site, {},
                        element.framework, None)
        if inner.operation is QUALIFIED:
            return self.opaque("subscript", (container, index), site, pure=True)
        if inner.operation.name == "shape":
            return self.operation("size", (inner.operands[0],), site)
        if peel(index).operation.kind == "comparison" or peel(index).operation.name in (
            "logical_and", "logical_or", "logical_not"):
            return self.operation("boolean_mask", (container, index), site)
        return self.operation("subscript", (container, index), site)

    def _comprehension(self, expression: ir.Comprehension) -> Term:
        before = self.state
        operands = []
        for clause in expression.clauses:
            iterable = self.evaluate(clause.iterable)
            operands.append(iterable)
            self.assign_elements(clause.target, iterable)
            for condition in clause.conditions:
                self.assume(self.evaluate(condition), True)
        element = self.evaluate(expression.element)
        self.state = before
        if expression.kind in ("list", "generator"):
            return self.operation("collect", (element,), expression.site)
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

    def define(self, closure: Closure) -> None:
        """Have the body of a function evaluated in its own right, later."""
        raise NotImplementedError

    def apply_closure(self, closure: Closure, positional: tuple[Term, ...],
                      keywords: Mapping[str, Term]) -> Term | None:
        """The one value that a call returns, or `None` if it is not that simple."""
        raise NotImplementedError

    # Calls

    def _call(self, expression: ir.Call) -> Term:
        callee_expression = expression.callee
        method: str | None = None
        receiver: Term | None = None
        if isinstance(callee_expression, ir.Attribute):
            receiver = self.evaluate(callee_expression.base)
            method = callee_expression.name
            if peel(receiver).operation is QUALIFIED or self._is_stored(receiver, method):
                callee = self._attribute(callee_expression.site, receiver, method)
                method = None
            else:
                callee = None
        else:
            callee = self.evaluate(callee_expression)
        positional: list[Term] = []
        keywords: dict[str, Term] = {}
        others: list[Term] = []
        starred = False
        for argument in expression.arguments:
            term = self.evaluate(argument.value)
            if argument.star:
                starred = True
                others.append(term)
            elif argument.keyword is not None:
                keywords[argument.keyword] = term
            else:
                positional.append(term)
        site = expression.site
        result: Term | None = None
        if not starred:
            if callee is not None:
                result = self._call_value(site, callee_expression, callee, positional, keywords)
            elif receiver is not None and method is not None:
                result = self._call_method(site, callee_expression, receiver, method,
                                           positional, keywords)
        if result is not None:
            return result
        everything = tuple(
            term for term in (receiver, callee, *positional, *keywords.values(), *others)
            if term is not None
        )
        if receiver is not None:
            self.touch(receiver, method or "")
        what = f"call {method or ''}".strip()
        framework = None
        if callee is not None:
            inner = peel(callee)
            if inner.operation is QUALIFIED:
                what = f"call {inner.detail}"
                framework = registry.framework_of(inner.detail)
            elif inner.operation is FUNCTION:
                what = f"call {inner.detail.name}"
            elif inner.operation is INPUT:
                what = f"call {inner.detail}"
        elif receiver is not None:
            framework = peel(receiver).framework
        return self.opaque(what, everything, site, framework=framework)

    def _is_stored(self, receiver: Term, name: str) -> bool:
        inner = peel(receiver)
        if inner.operation is INPUT and inner.detail == "self" and name in self.attributes:
            return True
        path = _path(receiver)
        return bool(path) and self.state.environment.own(f"{path}.{name}") is not None

    def touch(self, receiver: Term, method: str) -> None:
        """A method that is not understood may change its object's attributes."""
        self._epochs[receiver.key] = self._epochs.get(receiver.key, 0) + 1

    def _call_value(self, site: object, expression: ir.Expression, callee: Term,
                    positional: list[Term], keywords: dict[str, Term]) -> Term | None:
        inner = peel(callee)
        if inner.operation is QUALIFIED:
            return self._call_function(site, expression, inner.detail, positional, keywords)
        if inner.operation is FUNCTION:
            return self._call_closure(site, inner.detail, positional, keywords)
        if inner.operation is LAYER and len(positional) >= 1 and not keywords:
            spelling: Spelling = inner.detail
            operation = spelling.operation
            order = spelling.call or operation.parameters[: operation.operands]
            if len(positional) < len(order):
                return None
            given = dict(zip(order, positional, strict=False))
            if any(name not in given for name in operation.parameters[: operation.operands]):
                return None
            return self.operation(
                operation.name,
                tuple(given[name] for name in operation.parameters[: operation.operands]),
                site,
                inner.settings,
                inner.framework,
                Written(spelling.name, False, None),
            )
        return None

    def _call_closure(self, site: object, closure: Closure, positional: list[Term],
                      keywords: dict[str, Term]) -> Term | None:
        if self.depth >= _CALLS_DEEPEST or not closure.simple or self.budget <= 0:
            return None
        value = self.apply_closure(closure, tuple(positional), keywords)
        if value is None:
            return None
        arguments = (*positional, *keywords.values())
        term = Term(REFERENCE, (peel(value), *arguments), value.key, site, {},
                    value.framework, None)
        self._consume(term)
        return term

    def _call_function(self, site: object, expression: ir.Expression, path: str,
                       positional: list[Term], keywords: dict[str, Term]) -> Term | None:
        for spelling in registry.functions(path):
            term = self._apply_spelling(
                site, spelling, registry.framework_of(path), positional, keywords,
                Written(path, spelling.method, expression.site),
            )
            if term is not None:
                if spelling.inplace and positional:
                    self.rebind(positional[0], term)
                return term
        return self._wrapper(site, path, positional)

    def _wrapper(self, site: object, path: str, positional: list[Term]) -> Term | None:
        """Calls that give back their argument: arrays of literals, variables, lists."""
        known = registry.canonical_path(path)
        if known in _IDENTITIES and positional:
            return self.operation("identity", (positional[0],), site,
                                  framework=registry.framework_of(path))
        return None

    def _call_method(self, site: object, expression: ir.Attribute, receiver: Term, method: str,
                     positional: list[Term], keywords: dict[str, Term]) -> Term | None:
        inner = peel(receiver)
        if inner.operation in (FUNCTION, LAYER) or _is_text(receiver):
            return None
        if inner.operation is SEQUENCE or inner.operation.name == "collect":
            if method in _MUTATORS:
                return None
        framework = inner.framework
        for home, spelling in self._methods(method, framework):
            term = self._apply_spelling(
                site, spelling, home, [receiver, *positional], keywords,
                Written(method, True, expression.site),
            )
            if term is not None:
                if spelling.inplace:
                    self.rebind(receiver, term)
                return term
        return None

    def _methods(self, method: str, framework: str | None) -> list[tuple[str, Spelling]]:
        found = registry.methods(method)
        if framework is not None:
            return [row for row in found if row[0] == framework]
        present = [row for row in found if row[0] in self.analysis.frameworks]
        homes = [home for home in _TENSOR_FRAMEWORKS if any(row[0] == home for row in present)]
        return [row for row in present if row[0] == homes[0]] if homes else []

    def rebind(self, receiver: Term, term: Term) -> None:
        """The variable that `receiver` names now holds `term`."""
        if receiver.operation is REFERENCE and receiver.detail is not None:
            self.bind(receiver.detail, Term(
                term.operation, term.operands, term.key, term.site, term.settings,
                term.framework, term.detail, term.written))
        else:
            base = receiver
            while not (base.operation is REFERENCE and base.detail) and base.operands:
                base = base.operands[0]
            if base.operation is REFERENCE and base.detail is not None:
                self.bind(base.detail, self.opaque("update", (base, term), None,
                                                   framework=base.framework))

    def _apply_spelling(self, site: object, spelling: Spelling, framework: str | None,
                        positional: list[Term], keywords: dict[str, Term],
                        written: Written) -> Term | None:
        binding = registry.bind(spelling, len(positional), tuple(keywords))
        if binding is None:
            return None

        def argument(place: int | str) -> Term:
            return positional[place] if isinstance(place, int) else keywords[place]

        passed = {name: argument(place) for name, place in binding.arguments.items()}
        if spelling.pair_with_axis and "axis" in passed and not _is_axis(passed["axis"]):
            return None
        implied = {
            name: self.build.constant(value) for name, value in binding.settings.items()
        }
        operation = spelling.operation
        if spelling.constructor:
            settings = {**implied, **passed}
            return self.build.leaf(LAYER, spelling, site=site, framework=framework,
                                   settings=settings)
        values = {**implied, **passed}
        if any(name not in values for name in operation.parameters[: operation.operands]):
            return None
        operands = tuple(values.pop(name) for name in operation.parameters[: operation.operands])
        if operation.name in ("concat", "stack", "collect"):
            operands = _spread(operands[0])
        if framework == "math" or (framework == "numpy" and written.path.startswith("scipy")):
            framework = operands[0].framework if operands and operands[0].framework else framework
        term = self.operation(operation.name, operands, site, values, framework, written)
        if spelling.pair_with_axis and ("axis" in passed):
            pair = self.build.leaf(
                SEQUENCE, "pair",
                (term, self.opaque("indices", (term,), None, pure=True)), site, framework)
            return pair
        return term


_IDENTITIES: Final = frozenset((
    "torch.tensor", "torch.as_tensor", "torch.from_numpy", "torch.Tensor", "torch.FloatTensor",
    "torch.autograd.Variable", "torch.nn.Parameter", "torch.nn.parameter.Parameter",
    "tensorflow.constant", "tensorflow.convert_to_tensor", "tensorflow.Variable",
    "tensorflow.identity", "jax.numpy.array", "jax.numpy.asarray", "numpy.array",
    "numpy.asarray", "numpy.float32", "numpy.float64", "keras.ops.convert_to_tensor",
    "keras.backend.constant", "keras.backend.variable", "jax.device_put",
))


def _spread(term: Term) -> tuple[Term, ...]:
    inner = peel(term)
    if inner.operation is SEQUENCE and inner.operands:
        return inner.operands
    return (term,)


def _is_axis(term: Term) -> bool:
    """An axis is a number or a name for one; a tensor in its place is a second operand."""
    inner = peel(term)
    return inner.operation in (CONSTANT, INPUT, ATTRIBUTE) and inner.framework is None


def _is_text(term: Term) -> bool:
    inner = peel(term)
    return inner.operation is CONSTANT and isinstance(inner.detail, str | bytes)


def _path(term: Term) -> str:
    """`a.b.c` of a dotted chain of names, else ""."""
    if term.operation is REFERENCE and term.detail is not None:
        return str(term.detail)
    if term.operation is ATTRIBUTE:
        base = _path(term.operands[0])
        return f"{base}.{term.detail}" if base else ""
    return ""


def path_of(term: Term) -> str:
    return _path(term)
