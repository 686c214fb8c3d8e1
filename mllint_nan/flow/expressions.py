"""Expressions to terms: names to the definitions that reach them, calls to operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.calls import Calls
from mllint_nan.flow.containers import (
    ANY_KEY,
    field_of,
    is_container,
    is_dict,
    is_display,
    is_record,
    is_super,
    is_text,
    part_of,
)
from mllint_nan.flow.effects import note_effect, note_patch
from mllint_nan.flow.layer_chains import chain_ending_in, keep_model
from mllint_nan.flow.names import TENSORS, is_mask, mask_of, path_of
from mllint_nan.flow.queries import is_in_place
from mllint_nan.flow.state import Arguments, Closure, facts_of
from mllint_nan.flow.trained import (
    TRAINED,
    concerns_training,
    handed,
    is_made,
    is_optimizer,
    makes_parameter,
    maps_update,
    origins_of,
    restraint,
    takes_gradients,
    takes_step,
)
from mllint_nan.frameworks import registry
from mllint_nan.frameworks.spelling import Spelling
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

_PATHS_MOST: Final = 4096
"""Qualified names of which an answer is kept."""
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


class Evaluator(Calls):
    """Evaluates expressions in the current state."""

    def evaluate(self, expression: ir.Expression) -> Term:
        """The term of an expression in the current state."""
        if type(expression) is ir.Name:  # as nearly half of them are
            return self.reference(expression.name, expression.site)
        return _EVALUATED[type(expression)](self, expression)

    def _name(self, expression: ir.Name) -> Term:
        return self.reference(expression.name, expression.site)

    def _constant(self, expression: ir.Constant) -> Term:
        return self.build.constant(expression.value, expression.site)

    def _attribute_of(self, expression: ir.Attribute) -> Term:
        return self._attribute(expression.site, self.evaluate(expression.base), expression.name)

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
        """A tensor that training moves away from how it starts."""
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
            number = self.number_behind(member, name)
            if number is member:
                return member
            written = f"{path_of(base)}.{name}" if path_of(base) else None
            return Term(REFERENCE, (number,), number.key, site, NOTHING, None, written)
        value: Term | None = None
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
            value = self.attribute_of(base, name)
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
        if inner.operation is INPUT:
            self.inherit(base, name)
        framework = inner.framework if name in ("T", "mT", "H", "data", "grad", "real") else None
        if inner.operation is SEQUENCE and inner.detail == "pair" and name in ("values", "indices"):
            part = inner.operands[name == "indices"]
            return Term(REFERENCE, (part,), part.key, site, NOTHING, part.framework, None)
        if name == "T" and inner.operation is not OPAQUE:
            return self.operation("transpose", (base,), site, framework=framework)
        if name == "data" and self._is_torch(inner):
            return self.operation("detach", (base,), site, framework=framework)
        if name in ("shape", "ndim") or (name == "size" and inner.framework in ("numpy", "jax")):
            return self.operation("shape" if name == "shape" else "size", (base,), site)
        epoch = self._epochs.get(base.key, 0)
        key = self.build.number("attribute", name, base.key, epoch)
        term = Term(ATTRIBUTE, (base,), key, site, NOTHING, framework, name)
        self.consume(term)
        if value is not None and value.key in self.instances:
            self.instances[key] = self.instances[value.key]
        return term

    def _is_torch(self, value: Term) -> bool:
        """A tensor of PyTorch, or what is one where no other framework is imported."""
        if value.framework is None and value.operation is INPUT:
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
        inner = peel(container)
        index = (
            index_terms[0]
            if len(index_terms) == 1
            else self.build.leaf(SEQUENCE, "tuple", index_terms, None)
        )
        element = part_of(container, index)
        if element is not None:
            parts = (peel(element), container)
            return Term(REFERENCE, parts, element.key, site, NOTHING, element.framework, None)
        frame = self.frame_of(container, index_terms) if self.frames else ""
        stored = self.state.environment.own(frame) if frame else None
        if stored is not None:
            framework = stored.framework
            return Term(REFERENCE, (stored,), stored.key, site, NOTHING, framework, frame)
        kept = inner.operands[1::2] if is_dict(inner) and constant_of(index) is None else ()
        if kept and all(map(self.is_called, kept)):
            return self.choice(kept, site, ANY_KEY)
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

    def inherit(self, receiver: Term, name: str) -> None:
        """Note which base of its class stores an attribute of `self`."""
        raise NotImplementedError

    def define(self, closure: Closure) -> None:
        """Have the body of a function evaluated in its own right, later."""
        raise NotImplementedError

    def is_of_class(self, receiver: Term) -> bool:
        """Whether the class of an object is in sight, or an object is a class that is."""
        raise NotImplementedError

    def _is_stored(self, receiver: Term, name: str, is_classified: bool) -> bool:
        value = self.attribute_of(receiver, name) if is_classified else None
        if value is not None:
            return value.key not in self.instances
        path = path_of(receiver)
        return bool(path) and self.state.environment.own(f"{path}.{name}") is not None

    def _call(self, expression: ir.Call) -> Term:
        """A call: of a method of a value, or of a value."""
        receiver: Term | None = None
        callee: Term | None = None
        method: Closure | None = None
        is_classified = False
        written = expression.callee
        if isinstance(written, ir.Attribute):
            update = self._indexed_update(expression) if written.name in _INDEXED else None
            if update is not None:
                return update
            receiver = self.evaluate(written.base)
            is_classified = self.is_of_class(receiver)
            if is_classified:
                method = self.method_of(receiver, written.name)
                if method is not None:
                    self.called(method.key)
            is_member = qualified(receiver).operation is QUALIFIED
            if is_member or self._is_stored(receiver, written.name, is_classified):
                callee = self._attribute(written.site, receiver, written.name)
                receiver = None
        else:
            callee = self.evaluate(written)
        given = self._arguments(expression)
        arguments, output = _apart(callee, given)
        result: Term | None = None
        at = written.site
        made = self.blueprint_of(callee) if callee is not None else None
        if receiver is not None and method is not None and not method.is_property:
            takes_object = method.parameters and method.parameters[0].name in (
                ("cls",) if peel(receiver).key in self.blueprints else ("self", "cls")
            )
            bound = self.reference("self", None) if is_super(receiver) else receiver
            passed = given.after(bound) if takes_object else given
            result = self.call_own(expression.site, method, passed)
        elif arguments.others and callee is not None:
            last = _behind_stars(expression)
            result = chain_ending_in(self, expression.site, callee, arguments, last)
            if result is None:
                result = self._made_in_shape(expression, callee, arguments)
        elif arguments.others:
            # What a star stands for is not known, other than in a shape.
            result = self._of_shape(expression, receiver, arguments)
        elif callee is not None:
            result = self.call_value(expression.site, callee, arguments, at)
        elif receiver is not None and isinstance(written, ir.Attribute):
            name = written.name
            if is_classified and self.attribute_of(receiver, name) is not None:
                held = self._attribute(None, receiver, name)
                result = self.call_value(expression.site, held, arguments, at)
            else:
                result = self.call_method(expression.site, receiver, name, arguments, at)
        if result is None:
            if callee is not None:
                result = self.record(expression.site, callee, made, given)
            elif receiver is not None and _is_called(expression.callee, "compile"):
                self.compile_model(receiver, given)
            if result is None:
                result = self._opaque_call(expression, receiver, callee, given)
            if made is not None:
                self.make(result, made, arguments)
            if callee is not None:
                keep_model(self, result, callee, arguments)
                self.note_call(result, callee, made)
            elif receiver is not None and isinstance(written, ir.Attribute):
                self.note_method(result, receiver, written.name, method)
            self._note_training(result, receiver, given)
            note_effect(self, result, receiver, callee, expression.callee, given)
            return result
        if output is not None:
            if result.written is not None:
                result.written = replace(result.written, inplace=True)
            self.rebind(output, result)
        elif constant_of(given.keywords.get("inplace")) is True and given.positional:
            self.rebind(given.positional[0], result)
        if self._asks_for_gradient(result, given):
            result = self.trained(result, expression.site)
            if receiver is not None and receiver.operation is REFERENCE:
                self.rebind(receiver, result)
        return result

    def _of_shape(
        self, expression: ir.Call, receiver: Term | None, arguments: Arguments
    ) -> Term | None:
        """`x.view(*shape)`: what a star stands for is a part of the shape."""
        written = expression.callee
        if receiver is None or not isinstance(written, ir.Attribute):
            return None
        spelled = (spelling for _, spelling in registry.methods(written.name))
        gathered = self._gathered(expression, arguments)
        if gathered is None or not any(map(takes_shape, spelled)):
            return None
        return self.call_method(expression.site, receiver, written.name, gathered, written.site)

    def _made_in_shape(
        self, expression: ir.Call, callee: Term, arguments: Arguments
    ) -> Term | None:
        """`rand(*shape)`: the same of a function."""
        inner = qualified(callee)
        if inner.operation is not QUALIFIED:
            return None
        gathered = self._gathered(expression, arguments)
        if gathered is None or not any(map(takes_shape, registry.functions(str(inner.detail)))):
            return None
        return self.call_value(expression.site, callee, gathered, expression.callee.site)

    def _gathered(self, expression: ir.Call, arguments: Arguments) -> Arguments | None:
        """The same arguments with all that stand by position as one shape."""
        if any(argument.star == "**" for argument in expression.arguments):
            return None
        parts = (*arguments.positional, *arguments.others)
        return Arguments((self.opaque("shape", parts, None, pure=True),), arguments.keywords)

    def _asks_for_gradient(self, result: Term, arguments: Arguments) -> bool:
        """Whether a call gives a new tensor that is to be trained, or has one trained from here."""
        if result.framework != "torch" or result.operation is OPAQUE:
            return False
        asked = arguments.keywords.get("requires_grad")
        if result.written is not None and result.written.path == "requires_grad_":
            return constant_of(next(iter(arguments.positional), asked)) is not False and (
                is_made(result)
            )
        is_asked = asked is not None and constant_of(asked) is not False
        return is_asked and (result.operation.kind == "constant" or is_made(result))

    def _note_training(self, made: Term, receiver: Term | None, arguments: Arguments) -> None:
        """What a call that is not understood says of what is trained."""
        if not self.recording or made.operation is not OPAQUE:
            return
        called = str(made.detail)
        if not concerns_training(called) and called not in _WRITES_BACK:
            return
        if makes_parameter(called):
            kept = restraint(called, arguments)
            if kept is not None:
                self.analysis.restrained[made.key] = kept
        elif is_optimizer(called):
            tensors = (term for given in handed(arguments) for term in origins_of(given))
            self.analysis.updated.update(term.key for term in tensors)
            self.analysis.steps = True
        elif takes_step(called) or maps_update(called, arguments):
            self.analysis.steps = True
        if takes_gradients(called, receiver, arguments):
            self.trains()
        if receiver is not None and arguments.positional and called in _WRITES_BACK:
            self.note_bounds(receiver, arguments.positional[0])
            if peel(arguments.positional[0]).operation.name != "sub":  # no step of a descent
                self.analysis.assigned.add(path_of(receiver).rpartition(".")[2])

    def _indexed_update(self, expression: ir.Call) -> Term | None:
        """JAX's `x.at[index].set(value)` and its kin: a new array, changed at some places."""
        match expression:
            case ir.Call(
                site,
                ir.Attribute(_, ir.Subscript(_, ir.Attribute(_, base, "at"), indices), name),
                (argument, *_),
            ):
                array = self.evaluate(base)
                places = [self.evaluate(index) for index in indices]
                mask = mask_of(places[0]) if len(places) == 1 else None
                value = self.evaluate(argument.value)
                combining = _INDEXED[name]
                if combining:
                    value = self.operation(combining, (array, value), None)
                parts = (array, value) if mask is None else (array, value, mask)
                note_patch(self, site, array, places, value)
                return self.opaque("update", parts, site, pure=True, framework="jax")
            case _:
                return None

    def _arguments(self, expression: ir.Call) -> Arguments:
        positional: list[Term] = []
        keywords: dict[str, Term] = {}
        others: list[Term] = []
        for argument in expression.arguments:
            term = self.evaluate(argument.value)
            if argument.star == "*" and is_display(term):
                positional.extend(peel(term).operands)
            elif argument.star:
                others.append(term)
            elif argument.keyword is not None:
                keywords[argument.keyword] = term
            else:
                positional.append(term)
        return Arguments(tuple(positional), keywords, tuple(others))

    def _opaque_call(
        self, expression: ir.Call, receiver: Term | None, callee: Term | None, arguments: Arguments
    ) -> Term:
        """A call that is not understood: it may change the attributes of its object."""
        what, framework = "", None
        if self.frames:
            owners = arguments.everything()
            self.forget_frames(owners if receiver is None else (receiver, *owners))
        for term, parts in self._written_by(expression, receiver, callee, arguments):
            self.rebind(term, self.opaque("update", parts, None, framework=term.framework))
        if receiver is not None and isinstance(expression.callee, ir.Attribute):
            self._keep_buffer(expression.callee.name, arguments)
            self.touch(receiver)
            what, framework = expression.callee.name, peel(receiver).framework
        elif callee is not None:
            inner = peel(callee)
            if inner.operation in (QUALIFIED, INPUT):
                what = str(inner.detail)
            elif inner.operation is FUNCTION:
                what = inner.detail.name
            if inner.operation is QUALIFIED and not what.startswith("builtins."):
                framework = registry.framework_of(what)
        operands = arguments.everything()
        if callee is not None:
            operands = (callee, *operands)
        if receiver is not None:
            operands = (receiver, *operands)
        for keyword, term in arguments.keywords.items():
            if term.operation is not CONSTANT:
                self.analysis.handed_as.setdefault(term.key, set()).add(keyword)
        what = f"call {what}" if what else "call"
        return self.opaque(what, operands, expression.site, framework=framework)

    def _keep_buffer(self, method: str, arguments: Arguments) -> None:
        """`self.register_buffer("name", t)`: a constant by the name of an attribute."""
        if method in ("register_buffer", "register_parameter") and len(arguments.positional) > 1:
            name, value = arguments.positional[:2]
            if is_text(name):
                is_buffer = method == "register_buffer"
                kept = self.operation("detach", (value,), None) if is_buffer else value
                self.keep(str(constant_of(name)), kept)

    def _written_by(
        self,
        expression: ir.Call,
        receiver: Term | None,
        callee: Term | None,
        arguments: Arguments,
    ) -> list[tuple[Term, tuple[Term, ...]]]:
        """The variables that a call writes into, and what their elements come from then."""
        written = [arguments.keywords["out"]] if "out" in arguments.keywords else []
        if not _is_builtin(expression.callee):
            # What is not understood may fill a dictionary that it is given.
            written += [
                one
                for one in arguments.everything()
                if one.operation is REFERENCE and (is_dict(one) or is_record(one))
            ]
        if receiver is not None and is_record(receiver):
            written.append(receiver)
        called = expression.callee
        name = called.name if isinstance(called, (ir.Attribute, ir.Name)) else ""
        if is_in_place(name):
            written += [receiver] if receiver is not None else list(arguments.positional[:1])
        elif receiver is not None and isinstance(called, ir.Attribute):
            if name == "fill":
                return [(receiver, (arguments.positional[0],))] if arguments.positional else []
            if name in ir.MUTATORS and name not in ir.APPENDING and is_container(receiver):
                written.append(receiver)
        found: list[tuple[Term, tuple[Term, ...]]] = [(term, (term,)) for term in written]
        function = qualified(callee) if callee is not None else None
        if function is None or function.operation is not QUALIFIED:
            return found
        path = str(function.detail)
        if path in _WRITERS and len(arguments.positional) > 1:
            array, *others = arguments.positional
            where = arguments.keywords.get("where")
            if path in _MASKED and len(others) == 2:
                found.append((array, (array, others[1], others[0])))
            elif path == "numpy.copyto":
                source = others[0]
                found.append((array, (array, source) if where is None else (array, source, where)))
            else:
                found.append((array, (array,)))
        return found


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
_INDEXED: Final[Mapping[str, str]] = {
    "set": "",
    "add": "add",
    "mul": "mul",
    "multiply": "mul",
    "divide": "div",
    "power": "pow",
    "min": "minimum",
    "max": "maximum",
}
"""The methods of JAX's `x.at[index]`, and the operation that makes the new elements."""
_WRITES_BACK: Final = frozenset(("call assign", "call assign_add", "call copy_"))
_MASKED: Final = frozenset(("numpy.putmask", "numpy.place"))
_WRITERS: Final = _MASKED | frozenset(
    ("numpy.copyto", "numpy.put", "numpy.put_along_axis", "numpy.fill_diagonal", "numpy.add.at")
)
"""NumPy's functions that write into their first argument."""


def _apart(callee: Term | None, arguments: Arguments) -> tuple[Arguments, Term | None]:
    """`out=y`, or the argument behind all others of a NumPy function, apart from the others."""
    if "out" in arguments.keywords:
        output = arguments.keywords["out"]
        keywords = {name: term for name, term in arguments.keywords.items() if name != "out"}
        inner = peel(output)
        if inner.operation is SEQUENCE and len(inner.operands) == 1:
            output = inner.operands[0]
        is_none = inner.operation is CONSTANT
        inputs = Arguments(arguments.positional, keywords, arguments.others)
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


@lru_cache(_PATHS_MOST)
def _counts_of_operands(path: str) -> frozenset[int]:
    """How many arguments a function of NumPy has behind which `out` can stand."""
    return frozenset(
        len([name for name in spelling.parameters if name != "out"])
        for spelling in registry.functions(path)
        if spelling.name.startswith("numpy.") and spelling.operation.kind == "elementwise"
    )


def takes_shape(spelling: Spelling) -> bool:
    """Whether all arguments by position, but the first of a method, are one shape."""
    own = spelling.parameters[1:] if spelling.method else spelling.parameters
    by_place = [name for name in own if name not in spelling.keyword_only]
    return (
        spelling.variadic
        and len(by_place) == 1
        and spelling.canonical.get(by_place[0], by_place[0]) == "shape"
    )


def _behind_stars(call: ir.Call) -> int:
    """How many arguments stand behind the last one with a star."""
    stars = [place for place, argument in enumerate(call.arguments) if argument.star]
    return len(call.arguments) - 1 - max(stars, default=-1)


def _is_own(receiver: Term) -> bool:
    """The object or the class that a method belongs to."""
    inner = peel(receiver)
    return inner.operation is INPUT and inner.detail in ("self", "cls")


def _is_called(callee: ir.Expression, method: str) -> bool:
    return isinstance(callee, ir.Attribute) and callee.name == method


def _is_builtin(callee: ir.Expression) -> bool:
    return isinstance(callee, ir.Name) and callee.name in ("print", "len", "sorted", "list", "set")
