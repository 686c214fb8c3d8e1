"""Writes in expressions: a fix leaves every variable, and all that share it, unchanged.

An expression is *fresh* if nothing else holds the elements of its value: it may be replaced by
another one, or be written into, unnoticed. The value of a variable, a view or an in-place
operation is not fresh, nor is the value of an unknown expression.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Final, TypeAlias

import libcst as cst

from mllint_nan.fixing.evaluation import may_write, normal, parsed, reads
from mllint_nan.fixing.sharing import may_share, path_of, written_names
from mllint_nan.flow.environment import Environment
from mllint_nan.flow.queries import is_in_place
from mllint_nan.flow.state import Closure
from mllint_nan.flow.storage import COPIED
from mllint_nan.frameworks import registry
from mllint_nan.ir.program import MUTATORS
from mllint_nan.ir.term import QUALIFIED, VARIABLE, Term, peel
from mllint_nan.syntax.precedence import Unrenderable, Withheld
from mllint_nan.syntax.source import Source, descendants

_COPYING: Final = frozenset(("clone", "copy", "deepcopy", "copy_to_host", "tolist", "item"))
_FILLING: Final = frozenset(
    ("copyto", "putmask", "place", "put", "put_along_axis", "fill_diagonal", "at", "shuffle")
)
"""NumPy's functions that write into their first argument."""
_MARKS: Final = ("_(", "out", "inplace")
"""Every text that may write contains one of these."""
_OTHERS: Final = frozenset(("numpy", "jax", "tensorflow", "keras", "math"))
"""Frameworks in which a trailing underscore does not mean a write: `numpy.float_`."""
_ASSIGNING: Final = ("assign", "assign_add", "assign_sub", "fill", "partition", "put", "resize")
_FILLED: Final = frozenset((*MUTATORS, *_ASSIGNING))
"""Methods that write into their object, unless a table defines them otherwise."""


class _Fate(Enum):
    """What happens to the value of an expression."""

    READ = "read"
    HELD = "held"
    WRITTEN = "written"


@dataclass(frozen=True, slots=True)
class Place:
    """An expression that a fix replaces, and the environment there."""

    node: cst.BaseExpression
    environment: Environment
    is_private: bool = False
    """Whether the object that the expression writes into has only the name of the result."""


_Event: TypeAlias = tuple[cst.CSTNode, list[cst.BaseExpression]]


class Writes:
    """Answers for one file; `terms` maps the `id` of a node to its operation."""

    def __init__(self, source: Source, terms: Mapping[int, Term]) -> None:
        self._source = source
        self._terms = terms
        self._known: dict[int, list[_Event]] = {}

    @cached_property
    def _layers(self) -> frozenset[str]:
        """The variables, dotted or not, that hold a layer which writes into its input."""
        found: set[str] = set()
        for node in descendants(self._source.module):
            if isinstance(node, cst.Assign) and _is_in_place_layer(node.value):
                found.update(path_of(target.target) for target in node.targets)
        return frozenset(found - {""})

    def check(self, place: Place, text: str, *, is_fresh: bool) -> None:
        """Raise `Unrenderable` unless `text` writes what the expression writes, and no more.

        `is_fresh` refers to the value of the text.
        """
        self._check_kept(place, text)
        was_fresh = place.is_private or self.is_fresh(place.node, place.environment)
        if was_fresh and is_fresh:
            return
        fate = self._fate(place)
        if fate is _Fate.WRITTEN:
            raise Withheld("the operand is modified in place")
        if fate is _Fate.HELD and was_fresh != is_fresh and self._is_any_written(place):
            raise Withheld("two variables would start or stop sharing memory")

    def check_early(self, operand: Term, place: Place, target: cst.BaseExpression) -> None:
        """Raise `Unrenderable` if the value of the expression is different at the target."""
        if self._fate(place) is _Fate.WRITTEN:
            raise Withheld("the operand is modified in place where it is computed")
        if not self.is_fresh(place.node, place.environment):
            self.check_unchanged(operand, place, target)

    def check_unchanged(self, operand: Term, place: Place, target: cst.BaseExpression) -> None:
        """Raise `Unrenderable` if a write between an expression and the target may change it.

        Writes through the variables that the expression names are known already; this checks writes
        through others that share their elements.
        """
        start, end = self._source.span(place.node).end, self._source.span(target).start
        loop = self._source.parent(target)
        while loop is not None and not isinstance(loop, cst.FunctionDef | cst.Module):
            if isinstance(loop, cst.For | cst.While):
                whole = self._source.span(loop)
                if not whole.contains(self._source.span(place.node)):
                    end = max(end, whole.end)  # code after the target runs before it, next time
            loop = self._source.parent(loop)
        for event, receivers in self._events(place):
            if start <= self._source.span(event).start < end and any(
                may_share(one, operand, place.environment) for one in receivers
            ):
                raise Withheld("the operand may be modified in the meantime")

    def is_overwritten(self, place: Place) -> bool:
        """Whether an operation writes its result into the expression, and reads nothing else.

        Other in-place changes of the expression just before are then invisible.
        """
        call = self._call_around(place.node)
        if call is None or not is_in_place(_name_of(call)):
            return False
        term = self._terms.get(id(call))
        if term is None or term.operation.kind != "elementwise":
            return False
        if not any(receiver is place.node for receiver in self.receivers(call, place.environment)):
            return False
        others = [one.value for one in call.args if one.value is not place.node]
        return all(map(_is_number, others)) and not any(one.star for one in call.args)

    def is_rewritten(self, place: Place, operand: object) -> bool:
        """Whether the expression is `operand`, or writes into it and else reads only numbers."""
        node = place.node
        if operand is node:
            return True
        return (
            isinstance(node, cst.Call)
            and [operand] == self.receivers(node, place.environment)
            and all(_is_number(one.value) for one in node.args if one.value is not operand)
        )

    def is_fresh(self, node: cst.CSTNode, environment: Environment) -> bool:
        """Whether nothing else holds the elements of an expression's value."""
        match node:
            case cst.Call():
                written = self.receivers(node, environment)
                if written:
                    return all(self.is_fresh(one, environment) for one in written)
                if self._makes(node):
                    return True
                base = self._base(node, environment)
                is_known = self._terms.get(id(node)) is not None
                return is_known and base is not None and self.is_fresh(base, environment)
            case cst.BinaryOperation() | cst.Comparison() | cst.BaseNumber():
                return True
            case cst.UnaryOperation(operator=operator):
                return not isinstance(operator, cst.Plus)
            case cst.Attribute(value=value) | cst.Subscript(value=value):
                return not isinstance(value, cst.Name) and self.is_fresh(value, environment)
            case cst.IfExp(body=body, orelse=orelse):
                return self.is_fresh(body, environment) and self.is_fresh(orelse, environment)
            case _:
                return False

    def receivers(self, call: cst.Call, environment: Environment) -> list[cst.BaseExpression]:
        """Return the expressions that a call writes its result into."""
        found: list[cst.BaseExpression] = []
        positional = [one.value for one in call.args if one.keyword is None and not one.star]
        keywords = {one.keyword.value: one.value for one in call.args if one.keyword is not None}
        first = positional[0] if positional else keywords.get("input")
        name = _name_of(call)
        owner = call.func.value if isinstance(call.func, cst.Attribute) else None
        module = _module(owner, environment) if owner is not None else ""
        if module:
            owner = None
        by_name = is_in_place(name) and module.partition(".")[0] not in _OTHERS
        output = keywords.get("out")
        if isinstance(output, cst.Tuple | cst.List):
            found += [element.value for element in output.elements]
        elif output is not None and not _is_named(output, "None"):
            found.append(output)
        is_meant = "inplace" in keywords and not _is_named(keywords["inplace"], "False")
        is_meant = is_meant or (first is not None and self._is_layer(call.func))
        is_kept = name == "nan_to_num" and _is_named(keywords.get("copy"), "False")
        term = self._terms.get(id(call))
        if by_name or (name in _FILLED and term is None and _is_filled(owner)):
            found += [owner] if owner is not None else [first] if first is not None else []
        elif (is_meant or is_kept or (name in _FILLING and term is None)) and first is not None:
            found.append(first)
        if found or term is None or term.written is None:
            return found
        if term.written.inplace and term.written.method and owner is not None:
            return [owner]
        if term.written.inplace:
            return positional[-1:]  # NumPy's `out` after the operands
        return positional[:1] if _is_told_to(term.written.path, positional) else []

    def _is_layer(self, func: cst.BaseExpression) -> bool:
        return isinstance(func, cst.Name | cst.Attribute) and path_of(func) in self._layers

    def _check_kept(self, place: Place, text: str) -> None:
        """Check that each write occurs as often as before, and reads stay before or after it."""
        needed: Counter[str] = Counter()
        allowed: Counter[str] = Counter()
        for call in descendants(place.node):
            if not isinstance(call, cst.Call):
                continue
            written = self.receivers(call, place.environment)
            if not written and not _may_be_taken_for_one(call):
                continue
            code = normal(self._source.slice(self._source.span(call)))
            allowed[code] += 1
            if call is place.node and place.is_private:
                continue
            if not all(self.is_fresh(one, place.environment) for one in written):
                needed[code] += 1
        if not allowed and not any(mark in text for mark in _MARKS):
            return
        tree = parsed(text)
        present = Counter(
            ast.unparse(inner)
            for inner in ast.walk(tree)
            if isinstance(inner, ast.Call) and (may_write(inner) or ast.unparse(inner) in allowed)
        )
        if present - allowed or needed - present:
            raise Unrenderable("the operation modifies its operand in place")
        if not needed:
            return
        before = reads(parsed(self._source.slice(self._source.span(place.node))), needed)
        if not {*reads(tree, needed)} <= {*before}:
            raise Withheld("an operand would be read before it is modified, not after")

    def _fate(self, place: Place) -> _Fate:
        """Return what happens to the elements of an expression's value in its own statement."""
        node: cst.CSTNode = place.node
        read = _Fate.READ
        while True:
            around = self._source.parent(node)
            if isinstance(around, cst.Attribute) and around.value is node:
                outer = self._source.parent(around)
                if isinstance(outer, cst.Call) and outer.func is around:
                    around = outer
            elif isinstance(around, cst.Arg):
                around = self._source.parent(around)
                if self._terms.get(id(around)) is None:
                    read = _Fate.HELD  # an unknown call may keep its arguments
            match around:
                case cst.Call():
                    written = self.receivers(around, place.environment)
                    if any(one is node for one in written):
                        return _Fate.WRITTEN
                    if written or self._makes(around):
                        return read
                case cst.Subscript(value=value) if value is not node:
                    return _Fate.READ
                case cst.IfExp(test=test) if test is node:
                    return _Fate.READ
                case cst.AssignTarget() | cst.Del():
                    return _Fate.WRITTEN
                case cst.AugAssign(target=target):
                    return _Fate.WRITTEN if target is node else _Fate.READ
                case cst.Attribute() | cst.Subscript() | cst.IfExp():
                    pass
                case (
                    cst.BinaryOperation()
                    | cst.UnaryOperation()
                    | cst.Comparison()
                    | cst.SubscriptElement()
                    | cst.Expr()
                    | cst.Index()
                ):
                    return read
                case _:
                    return _Fate.HELD
            node = around

    def _makes(self, call: cst.Call) -> bool:
        """Whether the result of a call is new, whatever its arguments are."""
        term = self._terms.get(id(call))
        name = _name_of(call)
        if any(one.keyword is not None and one.keyword.value == "copy" for one in call.args):
            return False
        if name in _COPYING:
            return True
        if term is None:
            return False
        return term.operation.kind not in ("view", "leaf") or term.operation.name in COPIED

    def _base(self, call: cst.Call, environment: Environment) -> cst.BaseExpression | None:
        """The expression that the result of a call is a view of, if it is a view."""
        if isinstance(call.func, cst.Attribute) and not _module(call.func.value, environment):
            return call.func.value
        return call.args[0].value if call.args else None

    def _call_around(self, node: cst.CSTNode) -> cst.Call | None:
        """The call that has an expression as its object or argument."""
        around = self._source.parent(node)
        outer = self._source.parent(around) if around is not None else None
        if not isinstance(outer, cst.Call):
            return None
        is_object = isinstance(around, cst.Attribute) and outer.func is around
        return outer if is_object or isinstance(around, cst.Arg) else None

    def _events(self, place: Place) -> list[_Event]:
        """The writes in the function or module around a place, and the expressions written into."""
        body: cst.CSTNode = place.node
        while not isinstance(body, cst.FunctionDef | cst.Module):
            parent = self._source.parent(body)
            if parent is None:
                break
            body = parent
        if id(body) not in self._known:
            self._known[id(body)] = list(self._events_in(body, place.environment))
        return self._known[id(body)]

    def _events_in(self, body: cst.CSTNode, environment: Environment) -> Iterator[_Event]:
        for node in descendants(body):
            match node:
                case cst.Call():
                    receivers = self.receivers(node, environment)
                    receivers += self._given_away(node, environment)
                    if receivers:
                        yield node, receivers
                case (
                    cst.AugAssign(target=target)
                    | cst.AssignTarget(target=cst.Subscript() as target)
                ):
                    yield target, [target]
                case _:
                    pass

    def _given_away(self, call: cst.Call, environment: Environment) -> Iterator[cst.BaseExpression]:
        """Yield what a function of this file writes into: arguments, and variables outside it."""
        bound = environment.lookup(call.func.value) if isinstance(call.func, cst.Name) else None
        closure = peel(bound).detail if bound is not None else None
        if not isinstance(closure, Closure):
            return
        written = written_names(closure)
        names = [one.name for one in closure.parameters]
        yield from map(cst.Name, written.difference(names))
        for place, argument in enumerate(call.args):
            name = argument.keyword.value if argument.keyword else "".join(names[place : place + 1])
            if argument.star or name in written:
                yield argument.value

    def _is_any_written(self, place: Place) -> bool:
        return bool(self._events(place))


def fresh_text(
    template: Term, bindings: Mapping[str, Term | None], is_fresh: Callable[[cst.CSTNode], bool]
) -> bool:
    """Whether nothing else holds the elements of what a rewrite gives."""
    operation = template.operation
    if operation.name == "through":
        return fresh_text(template.operands[1], bindings, is_fresh)
    if operation is not VARIABLE:
        return operation.kind != "view" or fresh_text(template.operands[0], bindings, is_fresh)
    bound = bindings.get(template.detail)
    return bound is not None and isinstance(bound.site, cst.CSTNode) and is_fresh(bound.site)


def _name_of(call: cst.Call) -> str:
    func = call.func
    if isinstance(func, cst.Attribute):
        return func.attr.value
    return func.value if isinstance(func, cst.Name) else ""


def _module(node: cst.BaseExpression, environment: Environment) -> str:
    """The qualified name of the module, or of its member, that a dotted name begins with."""
    while isinstance(node, cst.Attribute):
        node = node.value
    if not isinstance(node, cst.Name):
        return ""
    bound = environment.lookup(node.value)
    inner = peel(bound) if bound is not None else None
    return str(inner.detail) if inner is not None and inner.operation is QUALIFIED else ""


def _is_filled(owner: cst.BaseExpression | None) -> bool:
    """Whether a filling method changes its object: JAX's `x.at[i].add(1)` does not change `x`."""
    if isinstance(owner, cst.Subscript):
        inner = owner.value
        return not (isinstance(inner, cst.Attribute) and inner.attr.value == "at")
    return owner is not None


def _is_told_to(path: str, positional: Sequence[cst.BaseExpression]) -> bool:
    """Whether the positional argument for `inplace` is given, and not `False`."""
    for signature in registry.functions(path):
        if "inplace" in signature.parameters:
            place = signature.parameters.index("inplace")
            return place < len(positional) and not _is_named(positional[place], "False")
    return False


def _is_in_place_layer(value: cst.BaseExpression) -> bool:
    """`nn.ReLU(inplace=True)`: a class, by its name, configured to write into its input."""
    if not isinstance(value, cst.Call) or not _name_of(value)[:1].isupper():
        return False
    told = (one for one in value.args if one.keyword and one.keyword.value == "inplace")
    return any(_is_named(one.value, "True") for one in told)


def _is_named(node: cst.CSTNode | None, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name


def _is_number(node: cst.BaseExpression) -> bool:
    inner = node.expression if isinstance(node, cst.UnaryOperation) else node
    return isinstance(inner, cst.BaseNumber)


def _may_be_taken_for_one(call: cst.Call) -> bool:
    """Whether a call that writes into nothing looks as if it did: `relu(x, inplace=False)`."""
    names = {one.keyword.value for one in call.args if one.keyword is not None}
    return is_in_place(_name_of(call)) or not names.isdisjoint(("out", "inplace"))
