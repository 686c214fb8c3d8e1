"""Which terms are Python numbers, and which are tensors: a flow analysis over one file.

A number is known by what makes it (`len`, a size, `.item()`, `math`, arithmetic of numbers), by an
annotation, as a loop counter, or by all values that are stored in an attribute or returned.
"""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.flow.annotations import annotated_elements, annotated_kind
from mllint_nan.flow.names import TENSORS
from mllint_nan.flow.state import Analysis, Scope
from mllint_nan.frameworks.scalars import takes_number
from mllint_nan.ir import program as ir
from mllint_nan.ir.kind import Kind, of_operands, of_paths
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
    FUNCTION,
    INPUT,
    OPAQUE,
    QUALIFIED,
    SEQUENCE,
    Term,
    number_of,
    peel,
    walk_into,
)

_DEEPEST: Final = 60
_ARITHMETIC_DEEPEST: Final = 4
_STEPS_MOST: Final = 2_000
"""How many terms are looked at for one answer."""
_CONSTANTS: Final = frozenset(("pi", "e", "inf", "nan", "tau", "euler_gamma", "infty"))
_NUMBER_METHODS: Final = frozenset(
    re.findall(r"\w+", "is_integer bit_length as_integer_ratio hex conjugate item tolist __float__")
)
"""Methods that numbers have too, of PyTorch, Python or NumPy."""
_NUMBER_ATTRIBUTES: Final = frozenset(("real", "imag", "numerator", "denominator"))
_GIVES_NUMBERS: Final = frozenset(
    re.findall(
        r"\w+",
        "dim ndimension item nelement numel get_device element_size bit_length is_integer __len__"
        " index count",
    )
)
"""Methods that give a number whatever they are called on."""
_NUMBER_CALLS: Final = re.compile(
    r"^call (builtins\.(int|float|len|ord|hash|bool|round)|(math|time|random|statistics|os)\.\w+"
    r"|torch\.(numel|get_num_threads|initial_seed)"
    r"|torch\.cuda\.(device_count|memory_allocated|max_memory_allocated))$"
)
_TAKES_SIZES: Final = re.compile(
    r"^call ((builtins\.)?range|view|reshape|expand|repeat|new_(zeros|ones|full|empty)"
    r"|torch\.(zeros|ones|empty|full|rand\w*|eye|arange|linspace)"
    r"|torch\.nn\.[A-Z]\w*|(tensorflow\.)?keras\.layers\.[A-Z]\w*)$"
)
"""Calls whose operands after the first are mostly sizes."""
_ARITHMETIC: Final = frozenset(
    ("builtins.abs", "builtins.pow", "builtins.round", "builtins.divmod")
)
_TENSORS_ONLY: Final = frozenset(
    ("matmul", "dot", "einsum", "gradient", "det", "logdet", "inv", "cholesky", "softmax")
)
_FINFO: Final = frozenset(("finfo_eps", "finfo_tiny", "finfo_max", "finfo_min"))


class Numbers:
    """Determines the kinds of the terms of one file."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._kinds: dict[tuple[int, int], Kind] = {}
        self._uses: dict[tuple[int, str], list[Term]] | None = None
        """By class and name of an attribute of `self`: the terms that read it."""
        self._read_as_tensor: dict[tuple[int, str], bool] = {}
        """By class and name: whether one of these terms cannot be a number."""
        self._no_numbers: dict[tuple[int, int], bool] = {}
        """By key of a term, and how many operations are followed: whether it is no number."""
        self._open: dict[int, int] = {}
        """By key of a term under evaluation: the depth at which that began."""
        self._lowest = _DEEPEST + 1
        """The least depth of a term under evaluation that the current answer rests on."""
        self._steps = 0

    def kind(self, term: Term, scope: Scope) -> Kind:
        """Return the kind of object that a term of this scope is."""
        self._steps = _STEPS_MOST
        return self._kind(term, scope, 0)

    def is_python_number(self, term: Term, scope: Scope) -> bool:
        """Whether a term is certainly a number, perhaps a NumPy scalar, and no tensor."""
        return self.kind(term, scope) is Kind.NUMBER

    def _kind(self, term: Term, scope: Scope, depth: int) -> Kind:
        term = peel(term)
        owner = scope.owner
        place = (term.key, id(owner) if owner is not None else 0)
        known = self._kinds.get(place)
        if known is not None:
            return known
        began = self._open.get(term.key)
        if began is not None:
            self._lowest = min(self._lowest, began)
            return Kind.NOTHING
        self._steps -= 1
        if depth > _DEEPEST or self._steps < 0:
            return Kind.UNKNOWN
        outer, self._lowest = self._lowest, _DEEPEST + 1
        self._open[term.key] = depth
        found = self._computed(term, scope, depth + 1)
        del self._open[term.key]
        if self._lowest >= depth and self._steps >= 0:
            self._kinds[place] = found  # it rests on nothing that is still under evaluation
        self._lowest = min(outer, self._lowest if self._lowest < depth else outer)
        return found

    def _computed(self, term: Term, scope: Scope, depth: int) -> Kind:
        operation = term.operation
        if operation is CONSTANT:
            return _literal(term)
        if operation is INPUT:
            return self._input(term, scope, depth)
        if operation is ATTRIBUTE:
            return self._attribute(term, scope, depth)
        if operation is QUALIFIED:
            is_number = str(term.detail).rpartition(".")[2] in _CONSTANTS
            return Kind.NUMBER if is_number else Kind.UNKNOWN
        if operation is CHOICE:
            return self._choice(term, scope, depth)
        if operation is OPAQUE:
            return self._opaque(term, scope, depth)
        if operation.kind == "leaf":
            return Kind.UNKNOWN
        return self._operation(term, scope, depth)

    # Operations

    def _operation(self, term: Term, scope: Scope, depth: int) -> Kind:
        name, path = term.operation.name, term.written.path if term.written is not None else ""
        package = path.partition(".")[0]
        is_method = term.written is not None and term.written.method
        if name in ("size", "shape"):
            return Kind.TENSOR if package in ("tensorflow", "keras") else Kind.NUMBER
        if name in _FINFO or package in ("math", "random"):
            return Kind.NUMBER
        if package == "builtins" and path not in _ARITHMETIC:
            if name == "cast":
                return Kind.NUMBER
            if term.operation.kind == "reduction":
                return self._elements(term.operands[0], scope, depth)
        if is_method and path in _GIVES_NUMBERS:
            return Kind.NUMBER
        if is_method and path == "tolist":
            return Kind.UNKNOWN
        if package == "numpy":
            return self._of_numpy(term, scope, depth)
        if package in TENSORS or is_method or name in _TENSORS_ONLY:
            return Kind.ARRAY if term.framework == "numpy" else Kind.TENSOR
        if name in ("element", "subscript", "gather"):
            return self._elements(term.operands[0], scope, depth)
        if name == "collect":
            return Kind.UNKNOWN
        if term.operation.kind in ("constant", "along"):
            return _of_framework(term.framework)
        if name in ("identity", "cast", "detach") and term.framework == "numpy":
            return self._of_numpy(term, scope, depth)
        found = of_operands([self._kind(operand, scope, depth) for operand in term.operands])
        is_open = found in (Kind.EITHER, Kind.UNKNOWN)
        return Kind.TENSOR if is_open and self._is_no_number(term) else found

    def _of_numpy(self, term: Term, scope: Scope, depth: int) -> Kind:
        """Return the kind of a NumPy result: a scalar if made of numbers alone, else an array."""
        if term.operation.kind == "constant" or not term.operands:
            return Kind.ARRAY
        for operand in term.operands:
            of = self._kind(operand, scope, depth)
            if of is not Kind.NUMBER and term.operation.kind == "reduction":
                of = self._elements(operand, scope, depth)
            if of is not Kind.NUMBER:
                return Kind.ARRAY if of in (Kind.ARRAY, Kind.UNKNOWN) else of
        return Kind.NUMBER

    def _elements(self, term: Term, scope: Scope, depth: int) -> Kind:
        """Return the kind of the elements of a term that is iterated over or indexed."""
        if depth > _DEEPEST:
            return Kind.UNKNOWN
        inner = peel(term)
        name = inner.operation.name
        if inner.operation is CHOICE:
            parts = (self._elements(option, scope, depth + 1) for option in inner.operands)
            return of_paths(parts)
        if inner.operation is SEQUENCE:
            return of_paths(self._kind(part, scope, depth + 1) for part in inner.operands)
        if name == "collect":
            return self._kind(inner.operands[0], scope, depth + 1)
        if name in ("shape", "size"):
            return self._kind(inner, scope, depth + 1)
        if name == "identity" and inner.framework in (None, "math"):
            return self._elements(inner.operands[0], scope, depth + 1)
        if inner.operation is OPAQUE and inner.detail == "call builtins.range":
            return Kind.NUMBER
        if inner.operation is INPUT:
            return annotated_elements(self.annotation(inner))
        if inner.written is not None and inner.written.path == "tolist":
            return Kind.NUMBER
        if inner.framework in TENSORS and inner.operation.kind != "leaf":
            return Kind.TENSOR
        return Kind.UNKNOWN

    # Leaves

    def _input(self, term: Term, scope: Scope, depth: int) -> Kind:
        passed = self._analysis.passed(term)
        if passed:
            found = of_paths(self._kind(part, scope, depth) for part, _ in passed)
            if found not in (Kind.NOTHING, Kind.UNKNOWN):
                return found
        annotated = annotated_kind(self.annotation(term))
        if annotated not in (Kind.UNKNOWN, Kind.NOTHING):
            return annotated
        if self._is_no_number(term) or term.framework in TENSORS:
            return Kind.TENSOR
        if term.framework == "math" or self._is_size(term):
            return Kind.NUMBER
        has_default = bool(term.operands) and number_of(term.operands[0]) is not None
        return Kind.EITHER if has_default else Kind.UNKNOWN

    def annotation(self, parameter: Term) -> ir.Expression | None:
        """Return the annotation of a parameter, if its function is in the file."""
        function, name = self._analysis.parameters.get(parameter.key, (0, ""))
        scope = self._analysis.functions.get(function)
        if scope is None or not isinstance(scope.node, ir.Function):
            return None
        return next((one.annotation for one in scope.node.parameters if one.name == name), None)

    def _attribute(self, term: Term, scope: Scope, depth: int) -> Kind:
        base, name = peel(term.operands[0]), str(term.detail)
        if self._is_no_number(term) or self._is_read_as_tensor(term):
            return Kind.TENSOR
        if base.operation is OPAQUE and str(base.detail).endswith("finfo"):
            return Kind.NUMBER
        if base.operation is not INPUT or base.detail != "self":
            return Kind.EITHER
        owner = scope.owner
        while owner is not None:
            annotated = _field_kind(owner, name)
            if annotated is not Kind.UNKNOWN:
                return annotated
            stored = owner.attributes.get(name)
            if stored:
                found = of_paths(self._kind(part, owner, depth) for part in stored)
                return Kind.EITHER if found in (Kind.UNKNOWN, Kind.NOTHING) else found
            owner = owner.inherited.get(name)
        return Kind.EITHER

    def _is_read_as_tensor(self, attribute: Term) -> bool:
        """Whether the class uses the same attribute of `self` elsewhere as no number allows."""
        if self._uses is None:
            self._uses = {}
            for term in self._analysis.made:
                owner = self._owner(term) if term.operation is ATTRIBUTE else None
                if owner is not None:
                    self._uses.setdefault((id(owner), str(term.detail)), []).append(term)
        place = (id(self._owner(attribute)), str(attribute.detail))
        known = self._read_as_tensor.get(place)
        if known is None:
            known = any(map(self._is_no_number, self._uses.get(place, ())))
            self._read_as_tensor[place] = known
        return known

    def _owner(self, attribute: Term) -> Scope | None:
        """Return the class whose `self` has the attribute."""
        base = peel(attribute.operands[0])
        function, name = self._analysis.parameters.get(base.key, (0, ""))
        method = self._analysis.functions.get(function) if name == "self" else None
        return method.owner if method is not None else None

    def _choice(self, term: Term, scope: Scope, depth: int) -> Kind:
        found = of_paths(self._kind(option, scope, depth) for option in term.operands)
        carried = self._analysis.carried.get(term.key)
        if term.detail == "loop":
            if carried is None:
                return found if term.operands else Kind.UNKNOWN
            found = found.joined(self._kind(carried[0], scope, depth))
        if found not in (Kind.EITHER, Kind.UNKNOWN):
            return found
        if self._is_no_number(term):
            return Kind.TENSOR
        return Kind.NUMBER if self._is_size(term) else found

    def _opaque(self, term: Term, scope: Scope, depth: int) -> Kind:
        what = str(term.detail)
        if what == "index" or _NUMBER_CALLS.match(what):
            return Kind.NUMBER
        if what == "update":  # numbers cannot be written into
            return self._kind(term.operands[0], scope, depth)
        if what.startswith("part ") and term.operands:
            return self._elements(term.operands[0], scope, depth)
        if what in ("and", "or"):
            return of_paths(self._kind(part, scope, depth) for part in term.operands)
        if what in ("in", "not in", "is", "is not"):
            return Kind.NUMBER
        if what.startswith("call "):
            returned = self._returned(term, depth)
            if returned is not Kind.UNKNOWN:
                return returned
            name = what.removeprefix("call ")
            if name in _GIVES_NUMBERS:
                return Kind.NUMBER
        return _of_framework(term.framework)

    def _returned(self, call: Term, depth: int) -> Kind:
        """Return the kind of a call's result if its function is in the file, but not inlined."""
        callee = peel(call.operands[0]) if call.operands else call
        scope = self._analysis.functions.get(callee.key)
        if callee.operation is not FUNCTION or scope is None or not scope.returned:
            return Kind.UNKNOWN
        return of_paths(self._kind(part, scope, depth) for part in scope.returned)

    # Evidence

    def _is_no_number(self, term: Term, steps: int = _ARITHMETIC_DEEPEST) -> bool:
        """Whether a use of a term, or of arithmetic with it and numbers, excludes a number."""
        known = self._no_numbers.get((term.key, steps))
        if known is None:
            known = self._no_numbers[term.key, steps] = any(
                _excludes_number(consumer, term.key)
                or (
                    steps > 0
                    and _is_made_of(consumer, term)
                    and self._is_no_number(consumer, steps - 1)
                )
                for consumer in self._analysis.consumers.get(term.key, ())
            )
        return known

    def _is_size(self, parameter: Term) -> bool:
        """Whether a parameter is used as the size of something."""
        return any(
            _is_sized_by(consumer, parameter.key)
            or (
                consumer.operation is SEQUENCE
                and any(
                    _is_sized_by(outer, consumer.key)
                    for outer in self._analysis.consumers.get(consumer.key, ())
                )
            )
            for consumer in self._analysis.consumers.get(parameter.key, ())
        )


def rests_on_parameters(term: Term) -> bool:
    """Whether a number is, or is computed from, a parameter or an attribute.

    JAX passes those on as tracers; sizes, literals and loop counters stay numbers.
    """
    parts = walk_into(term, lambda part: () if _is_concrete(part) else part.operands)
    return any(part.operation in (INPUT, ATTRIBUTE) for part in parts)


def _is_concrete(term: Term) -> bool:
    """Whether a term is a size, or a conversion that only a concrete value allows."""
    path = term.written.path if term.written is not None else ""
    is_conversion = term.operation.name == "cast" and path.startswith("builtins.")
    return is_conversion or path == "item" or term.operation.name in ("size", "shape")


def _is_made_of(result: Term, term: Term) -> bool:
    """Whether a result is of an operator applied to one term and literal numbers."""
    return (
        result.operation.kind == "elementwise"
        and result.written is None
        and all(
            operand.key == term.key or number_of(operand) is not None for operand in result.operands
        )
    )


def _literal(term: Term) -> Kind:
    if term.framework in TENSORS:
        return Kind.TENSOR  # `torch.tensor(1.0)` gives the same term as the literal
    if term.detail is None:
        return Kind.NOTHING
    is_number = isinstance(term.detail, (int, float, complex))
    return Kind.NUMBER if is_number else Kind.UNKNOWN


def _of_framework(framework: str | None) -> Kind:
    if framework in TENSORS:
        return Kind.TENSOR
    return Kind.ARRAY if framework == "numpy" else Kind.UNKNOWN


def _field_kind(owner: Scope, name: str) -> Kind:
    """Return the kind by which a class body annotates an attribute, as a dataclass does."""
    if not isinstance(owner.node, ir.Class):
        return Kind.UNKNOWN
    for field, annotation in zip(owner.node.fields, owner.node.annotations, strict=False):
        if field == name:
            return annotated_kind(annotation)
    return Kind.UNKNOWN


def _excludes_number(consumer: Term, key: int) -> bool:
    """Whether a use excludes a number: a method numbers lack, an index, a tensor function."""
    operation, written = consumer.operation, consumer.written
    is_first = bool(consumer.operands) and peel(consumer.operands[0]).key == key
    if operation is ATTRIBUTE:
        return consumer.detail not in _NUMBER_ATTRIBUTES
    if operation is OPAQUE:
        what = str(consumer.detail)
        is_called = is_first and what.startswith("call ")
        return is_called and what.removeprefix("call ") not in _NUMBER_METHODS
    if written is not None and written.method:
        return is_first and written.path not in _NUMBER_METHODS
    if operation.name in _TENSORS_ONLY:
        return True
    if is_first and operation.name in ("subscript", "shape", "size", "boolean_mask"):
        return True
    return written is not None and _takes_tensors_alone(consumer, key)


def _takes_tensors_alone(consumer: Term, key: int) -> bool:
    """Whether a consumer is a PyTorch function that raises if given a number in this place."""
    if consumer.written is None or consumer.written.path.partition(".")[0] != "torch":
        return False
    if consumer.operation.kind not in ("elementwise", "reduction", "along", "comparison"):
        return False
    return any(
        peel(part).key == key and not takes_number("torch", consumer.operation.name, place)
        for place, part in enumerate(consumer.operands)
    )


def _is_sized_by(consumer: Term, key: int) -> bool:
    if consumer.operation is OPAQUE:
        what, behind = str(consumer.detail), consumer.operands[1:]
        if not _TAKES_SIZES.match(what) or all(peel(part).key != key for part in behind):
            return False
        # In a call of a visible layer, the first operand is the layer itself.
        return "." not in what or peel(consumer.operands[0]).operation is QUALIFIED
    if consumer.operation.kind not in ("constant", "view") or consumer.operation.name == "one_hot":
        return False
    names = ("shape", "start", "stop", "step", "num", "size")
    return any(
        peel(consumer.settings[name]).key == key for name in names if name in consumer.settings
    )
