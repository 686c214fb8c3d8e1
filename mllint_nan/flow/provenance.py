"""Whether a value is a framework's tensor, by its origin and by what the program does with it.

A value from another library counts as a tensor once the program treats it as one: it is made of
what may be a tensor, and is passed to a framework or combined with tensors.

A forward analysis of origins, like taint analysis: Livshits and Lam, "Finding security
vulnerabilities in Java applications with static analysis" (USENIX Security 2005).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from mllint_nan.flow.names import TENSORS
from mllint_nan.flow.ownership import Origin
from mllint_nan.flow.state import Analysis, Scope
from mllint_nan.frameworks import registry
from mllint_nan.frameworks.members import TENSOR_MEMBERS
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
    INPUT,
    OPAQUE,
    QUALIFIED,
    SEQUENCE,
    Fact,
    Term,
    constant_of,
    number_of,
    peel,
)

_Place: TypeAlias = tuple[int, bool, int, frozenset[tuple[int, Origin]]]
_UNTESTED: Final = frozenset[tuple[int, Origin]]()
_CONSUMERS_MOST: Final = 400
"""How many terms made from a value are searched for how it is treated."""
_OF_TENSORS: Final = frozenset(
    (
        "backward",
        "contiguous",
        "cpu",
        "cuda",
        "detach",
        "device",
        "expand",
        "expand_as",
        "grad",
        "is_cuda",
        "numel",
        "permute",
        "requires_grad",
        "requires_grad_",
        "reshape",
        "to",
        "unsqueeze",
        "view",
        "view_as",
    )
)
"""Methods and attributes that treat a value as a tensor: its memory, axes, gradient."""
_COMMON: Final = """
    abs absolute add all any argmax argmin argsort astype ceil clip conj conjugate copy corr
    cos cosh cov cross cummax cummin cumprod cumsum det diff div divide dot eq equals exp exp2
    expm1 flatten floor floordiv ge gt inverse item le log log10 log1p log2 lt max mean median
    min mod mul multiply ne neg nonzero norm pow prod product quantile rank ravel reciprocal
    repeat round searchsorted shift sin sinh sort sqrt square squeeze std sub subtract
    sum swapaxes take tan tanh tolist trace transpose tril triu truediv unique var where
"""
_OF_NUMBERS: Final = frozenset(_COMMON.split())
"""Methods that need no tensor: tables, symbols and intervals have them too."""
_OPERAND_OF_FUNCTION: Final = {
    Origin.TENSOR: Origin.TENSOR,
    Origin.OPEN: Origin.OPEN,
    Origin.STRANGE: Origin.OPEN,
    Origin.MIXED: Origin.OPEN,
    Origin.FOREIGN: Origin.STRANGE,
    Origin.OWN: Origin.STRANGE,
}
_TELLS_KIND: Final = ("isinstance", "hasattr", "getattr", "is_tensor", "type", "callable")
_ONLY_LOOK: Final = frozenset(("isinstance", "is_tensor", "type", "print", "len", "hasattr"))


class Provenance:
    """Determines the origins of the terms of one file."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._known: dict[_Place, Origin] = {}
        self._passing: dict[_Place, Origin] = {}
        self._treated: dict[int, Origin | None] = {}
        """By key of another library's value: what its uses show; STRANGE while they are read."""
        self._treating = False
        self._asked: dict[int, bool] = {}
        """By key of a parameter: whether it is used with members that no tensor has."""

    def worst(self, parts: Iterable[Term], facts: tuple[Fact, ...], scope: Scope) -> Origin:
        """Return the least tensor-like origin among the operands of some operations.

        A method is defined by the class of its object alone. An operator may be defined by either
        operand, and a framework's function takes its tensors, or what passes for one.
        """
        tested = self._tested(facts)
        found = Origin.TENSOR
        for part in map(peel, parts):
            if part.operation.kind == "leaf":
                continue
            for operand in part.operands:
                origin = self._origin(operand, tested, scope)
                if is_function(part):
                    origin = _OPERAND_OF_FUNCTION[origin]
                elif part.written is None and origin is Origin.FOREIGN:
                    origin = Origin.MIXED
                found = max(found, origin)
        return found

    def origin(self, term: Term, facts: tuple[Fact, ...], scope: Scope) -> Origin:
        """Return the origin of a term where `facts` hold."""
        return self._origin(term, self._tested(facts), scope)

    def _tested(self, facts: tuple[Fact, ...]) -> dict[int, Origin]:
        """Return, by key, the origins that the tests of classes on the path show."""
        found: dict[int, Origin] = {}
        for fact in facts:
            test = peel(fact.test)
            passing = self._analysis.origins.get(test.key)
            if passing is None or test.operation is not OPAQUE or len(test.operands) < 2:
                continue
            if fact.holds:
                found[test.operands[1].key] = passing
            elif passing is Origin.TENSOR:
                found[test.operands[1].key] = Origin.FOREIGN
        return found

    def _origin(self, term: Term, tested: dict[int, Origin], scope: Scope) -> Origin:
        inner = peel(term)
        if inner.key in tested:
            return tested[inner.key]
        # What is found while uses are read rests on what is not known yet.
        known = self._passing if self._treating else self._known
        given = frozenset(tested.items()) if tested else _UNTESTED
        place = (inner.key, is_function(inner), id(scope.owner), given)
        found = known.get(place)
        if found is None:
            known[place] = Origin.OPEN  # an attribute that is computed from itself shows nothing
            found = known[place] = self._computed(inner, tested, scope)
        return found

    def _computed(self, inner: Term, tested: dict[int, Origin], scope: Scope) -> Origin:
        noted = self._analysis.origins.get(inner.key)
        if noted is not None:
            return self._as_treated(inner, noted, scope)
        operation = inner.operation
        if operation is CHOICE:
            found = _one_of([self._origin(one, tested, scope) for one in inner.operands])
            # The uses of a value inside a function of the project are not read.
            is_result = inner.detail == "return" and found < Origin.FOREIGN
            return min(found, Origin.OPEN) if is_result else found
        if operation is ATTRIBUTE:
            return self._stored(inner, scope)
        if operation is OPAQUE:
            return self._given(inner, tested, scope)
        if operation.kind == "leaf":
            if inner.framework in TENSORS:
                return Origin.TENSOR
            return Origin.STRANGE if self._has_other_methods(inner, scope) else Origin.OPEN
        if is_function(inner) or _is_converted(inner) or not inner.operands:
            return Origin.TENSOR
        if operation.name == "element":
            return Origin.OPEN
        if operation.name == "subscript":
            return self._taken_out(inner, tested, scope)
        operands = [one for one in inner.operands if number_of(one) is None]
        return _combined([self._origin(one, tested, scope) for one in operands])

    def _stored(self, attribute: Term, scope: Scope) -> Origin:
        """Return the origin of an attribute of `self`, by what the class sets it to."""
        base, owner = peel(attribute.operands[0]), scope.owner
        if owner is None or base.operation is not INPUT or base.detail != "self":
            return Origin.OPEN
        stored = owner.attributes.get(str(attribute.detail), ())
        found = _one_of([self._origin(term, {}, scope) for term in stored])
        if found in (Origin.STRANGE, Origin.FOREIGN) and not self._treating:
            # A library may replace its objects by tensors, once they are attributes.
            return found if self._looked_at(attribute, scope) is None else Origin.OPEN
        return found

    def _given(self, call: Term, tested: dict[int, Origin], scope: Scope) -> Origin:
        """Return the origin of a call's result: STRANGE only for a method of a library's object,
        unless it is given, or used as, a tensor."""
        if not call.operands:
            return Origin.OPEN
        what, head = str(call.detail), peel(call.operands[0])
        if what in ("update", "trained") or what.startswith("part "):
            return self._origin(head, tested, scope)
        if not what.startswith("call ") or head.operation is QUALIFIED:
            framework = registry.framework_of(str(head.detail)) if what != "call" else None
            return Origin.TENSOR if framework in TENSORS else Origin.OPEN
        if head.operation is INPUT and what == f"call {head.detail}":
            return Origin.OPEN
        origin = self._origin_of_whole(head, tested, scope)
        if origin in (Origin.TENSOR, Origin.OPEN, Origin.OWN):
            return Origin.OPEN
        if any(self._may_be_tensor(one, scope) for one in call.operands[1:]):
            return Origin.OPEN
        return self._as_treated(call, Origin.STRANGE, scope)

    def _taken_out(self, part: Term, tested: dict[int, Origin], scope: Scope) -> Origin:
        """Return the origin of what an index selects: a column of a table, a tensor of a batch."""
        whole = self._origin_of_whole(part.operands[0], tested, scope)
        if whole <= Origin.OPEN or whole is Origin.OWN:
            return min(whole, Origin.OPEN)
        if self._treating or self._looked_at(part, scope) is None:
            return Origin.STRANGE
        return Origin.OPEN

    def _origin_of_whole(self, term: Term, tested: dict[int, Origin], scope: Scope) -> Origin:
        """Return the origin of a container or receiver; an unknown one may hold tensors."""
        inner = peel(term)
        is_known = inner.key in self._analysis.origins or inner.key in tested
        if inner.operation is INPUT and not is_known:
            return Origin.OPEN
        return self._origin(inner, tested, scope)

    def _has_other_methods(self, parameter: Term, scope: Scope) -> bool:
        """Whether a parameter has a member that no tensor has, and its type is never tested."""
        if parameter.key not in self._analysis.parameters or parameter.detail in ("self", "cls"):
            return False
        known = self._asked.get(parameter.key)
        if known is not None:
            return known
        is_other = self._asks_for_more(parameter)
        if is_other and self._treating:
            return True
        is_other = is_other and self._looked_at(parameter, scope) is not Origin.TENSOR
        self._asked[parameter.key] = is_other
        return is_other

    def _asks_for_more(self, parameter: Term) -> bool:
        """Whether a parameter, or what its own methods give, has members that no tensor has."""
        is_other = False
        pending, seen = [parameter.key], set[int]()
        while pending and len(seen) < _CONSUMERS_MOST:
            key = pending.pop()
            if key in seen:
                continue
            seen.add(key)
            for consumer in self._analysis.consumers.get(key, ()):
                member = _member_of(consumer, key)
                if key == parameter.key and _tells_kind(consumer):
                    return False
                if member is not None and member != parameter.detail:
                    is_foreign = member not in TENSOR_MEMBERS and not member.startswith("_")
                    is_other = is_other or is_foreign
                is_made_by_own = consumer.operation is OPAQUE and member in TENSOR_MEMBERS
                is_receiver = bool(consumer.operands) and peel(consumer.operands[0]).key == key
                if is_made_by_own or (_is_method(consumer) and is_receiver):
                    pending.append(consumer.key)
        return is_other

    def _may_be_tensor(self, argument: Term, scope: Scope) -> bool:
        inner = peel(argument)
        if inner.operation is SEQUENCE:
            return any(self._may_be_tensor(one, scope) for one in inner.operands)
        if inner.operation in (CONSTANT, QUALIFIED) or inner.framework == "math":
            return False
        if self._origin(inner, {}, scope) <= Origin.OPEN:
            return True
        # An object may stand for the tensors that it is made of.
        made_of = inner.operands[1:] if inner.operation is OPAQUE else ()
        return any(self._may_be_tensor(one, scope) for one in made_of)

    # How a value is treated

    def _as_treated(self, root: Term, noted: Origin, scope: Scope) -> Origin:
        """Return the recorded origin of a value, corrected by its uses."""
        if (
            noted in (Origin.TENSOR, Origin.OWN, Origin.MIXED)
            or self._treated.get(root.key) is Origin.STRANGE
        ):
            return noted
        is_of_tensors = noted is Origin.STRANGE and any(
            self._may_be_tensor(one, scope) for one in root.operands[1:]
        )
        if self._treating:
            return Origin.OPEN if is_of_tensors else noted
        if root.key not in self._treated:
            self._treated[root.key] = Origin.STRANGE
            self._treated[root.key] = self._looked_at(root, scope)
        treated = self._treated[root.key]
        if treated is Origin.TENSOR:
            return Origin.STRANGE if noted is Origin.FOREIGN else Origin.OPEN
        return Origin.OPEN if treated is Origin.OPEN and is_of_tensors else noted

    def _looked_at(self, root: Term, scope: Scope) -> Origin | None:
        """Return what the uses of a value show, when those of no other are being read."""
        self._treating, self._passing = True, {}
        found = self._treatment(root, scope)
        self._treating = False
        return found

    def _treatment(self, root: Term, scope: Scope) -> Origin | None:
        """TENSOR if a framework takes the value, OPEN if it is treated as a tensor may be."""
        found: Origin | None = None
        by_name = False
        pending, seen = [root.key], set[int]()
        while pending and len(seen) < _CONSUMERS_MOST:
            key = pending.pop()
            if key in seen:
                continue
            seen.add(key)
            for consumer in self._analysis.consumers.get(key, ()):
                how = self._use(key, consumer, scope)
                if how is Origin.TENSOR:
                    return how
                if consumer.operation.name == "subscript":
                    by_name = by_name or isinstance(constant_of(consumer.operands[1]), str)
                found = found if how is None else how
                if _keeps_kind(consumer):
                    pending.append(consumer.key)
        return None if by_name else found

    def _use(self, key: int, consumer: Term, scope: Scope) -> Origin | None:
        """Return what one use of a value shows."""
        if consumer.operation is ATTRIBUTE:
            return Origin.OPEN if consumer.detail in _OF_TENSORS else None
        if consumer.operation is OPAQUE:
            what, head = str(consumer.detail), peel(consumer.operands[0])
            name = what.rpartition(" ")[2].rpartition(".")[2]
            if head.operation is QUALIFIED and name not in _ONLY_LOOK:
                framework = registry.framework_of(str(head.detail))
                return Origin.TENSOR if framework in TENSORS else None
            return Origin.OPEN if head.key == key and name in _OF_TENSORS else None
        if consumer.operation.kind == "leaf" or _is_converted(consumer):
            return None
        if is_function(consumer):
            return Origin.TENSOR if consumer.framework in TENSORS else None
        if (
            consumer.written is not None
            and any(one.key == key for one in consumer.operands[:1])
            and (consumer.written.path not in _OF_NUMBERS or _counts_from_last(consumer))
        ):
            return Origin.OPEN
        if consumer.operation.name == "subscript":
            return None
        others = [one for one in consumer.operands if one.key != key and number_of(one) is None]
        origins = [self._origin(one, {}, scope) for one in others]
        return min((one for one in origins if one <= Origin.OPEN), default=None)


def is_function(term: Term) -> bool:
    """Whether an operation is called as a framework's function, no method and no operator."""
    written = term.written
    return written is not None and not written.method and "." in written.path


def _is_method(term: Term) -> bool:
    return term.written is not None and term.written.method


def _member_of(consumer: Term, key: int) -> str | None:
    """The name of the method or attribute of a value that a term reads."""
    if not consumer.operands or peel(consumer.operands[0]).key != key:
        return None
    if consumer.operation is ATTRIBUTE:
        return str(consumer.detail)
    what = str(consumer.detail) if consumer.operation is OPAQUE else ""
    return what.removeprefix("call ") if what.startswith("call ") else None


def _tells_kind(call: Term) -> bool:
    """Whether a call tests what its argument is."""
    if call.operation is not OPAQUE or not call.operands:
        return False
    head = peel(call.operands[0])
    return head.operation is QUALIFIED and str(call.detail).endswith(_TELLS_KIND)


def _counts_from_last(term: Term) -> bool:
    """Whether an operation has a negative axis, or keeps its axis, as tensors' operations do."""
    axis = number_of(term.settings.get("axis"))
    return (axis is not None and axis < 0) or constant_of(term.settings.get("keepdims")) is True


def _keeps_kind(consumer: Term) -> bool:
    """Whether a term is made by an object's own methods and operators, or is a part of it."""
    if consumer.operation is OPAQUE:
        return consumer.detail == "update" or str(consumer.detail).startswith("part ")
    is_made_by_own = consumer.operation.kind != "leaf" and not is_function(consumer)
    return is_made_by_own and not _is_converted(consumer)


def _is_converted(term: Term) -> bool:
    """Whether a framework makes a tensor of what need not be one: `torch.tensor(x)`."""
    is_same = term.operation.name in ("identity", "detach")
    return is_same and term.written is None and term.framework is not None


def _one_of(origins: list[Origin]) -> Origin:
    """The origin of a value that is one of several."""
    if not origins:
        return Origin.OPEN
    if min(origins) >= Origin.FOREIGN or max(origins) <= Origin.OPEN:
        return min(origins) if min(origins) >= Origin.FOREIGN else max(origins)
    return max(min(max(origins), Origin.MIXED), Origin.STRANGE)


def _combined(origins: list[Origin]) -> Origin:
    """The origin of what a method or an operator makes of several values."""
    if not origins or max(origins) <= Origin.OPEN:
        return Origin.TENSOR if Origin.TENSOR in origins else Origin.OPEN
    if min(origins) >= Origin.STRANGE:
        return max(origins)
    return Origin.STRANGE
