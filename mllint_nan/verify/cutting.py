"""Terms of a program as terms over inputs, as far below a match as can be executed."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from keyword import iskeyword
from typing import Final

from mllint_nan.domains.dtype import FORMATS
from mllint_nan.domains.truth import Truth
from mllint_nan.fixing.repair import Chosen
from mllint_nan.flow.excluded import excluded
from mllint_nan.flow.facts import facts_of
from mllint_nan.flow.formats import dtype_name
from mllint_nan.flow.masks import mask_of
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.ops import CATALOGUE, Operation
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CONSTANT,
    INPUT,
    OPAQUE,
    REFERENCE,
    SEQUENCE,
    VARIABLE,
    Fact,
    Term,
    number_of,
    peel,
)
from mllint_nan.rulebook.judge import Judge
from mllint_nan.rulebook.match import Substitution
from mllint_nan.rulebook.pattern import THROUGH
from mllint_nan.rulebook.predicates.angles import is_cosine
from mllint_nan.rulebook.predicates.nonfinite import is_written
from mllint_nan.rulebook.predicates.selections import is_mask
from mllint_nan.rulebook.verdict import Verdict
from mllint_nan.verify.variables import FORMAT, MINUS_INFINITY, Uncuttable, Variable

_ALSO_EXECUTABLE: Final = re.findall(
    r"\w+",
    "zeros_like ones_like full_like detach cast expand_dims subscript flatten matmul dot det logdet"
    " slogdet cosine_similarity distance binary_cross_entropy binary_cross_entropy_with_logits mse"
    " softmax_cross_entropy",
)
EXECUTABLE: Final = frozenset(_ALSO_EXECUTABLE) | {
    name
    for name, operation in CATALOGUE.items()
    if operation.pure
    and operation.kind in ("elementwise", "comparison", "along", "reduction")
    and name != "log_guarded"
}
"""The only operations that may be executed; nothing of the program itself is."""

_OPERATIONS_MOST: Final = 60
_ROUNDED_COSINE: Final = 4
"""By how many epsilons rounding can take the inner product of unit vectors above 1."""
_BOOLEAN_OPERANDS: Final[Mapping[str, tuple[int, ...]]] = {
    "where": (0,),
    "logical_and": (0, 1),
    "logical_or": (0, 1),
    "logical_xor": (0, 1),
    "logical_not": (0,),
    "any": (0,),
    "all": (0,),
}
_PROBABILITY_OPERANDS: Final[Mapping[str, tuple[int, ...]]] = {
    "binary_cross_entropy": (1,),
    "binary_cross_entropy_with_logits": (1,),
    "sigmoid_cross_entropy": (0,),
}
_RESERVED: Final = frozenset(
    re.findall(
        r"\w+",
        "torch tf tensorflow keras jax jnp np numpy scipy math F value tape function positions"
        " gradient float int abs min max sum pow print",
    )
)
_OF_A_NUMBER: Final[Mapping[str, Callable[[float], float]]] = {
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "log1p": math.log1p,
    "abs": abs,
}
_FROBENIUS: Final = ("fro", "euclidean")
_FINFO: Final = {"finfo_eps": "eps", "finfo_tiny": "tiny", "finfo_max": "max"}


class TooLarge(Exception):
    """There are too many operations below the match."""


@dataclass(slots=True)
class Cutter:
    verdict: Verdict
    found: Substitution
    judge: Judge
    dtype: str
    deepest: int
    """How many nested operations below the match are followed."""
    variables: dict[int, Variable] = field(default_factory=dict)
    """By key of the term that each one replaces."""
    exchanged: Mapping[int, Term] = field(default_factory=dict)
    """By `id` of a term: its replacement in the fix."""
    _matched: frozenset[int] = frozenset()
    _made: int = 0
    _depth: int = 0
    _selecting: tuple[Fact, ...] = ()
    """Facts that hold for all elements selected by the masks around a term."""
    is_cut_short: bool = False
    """Whether a term became an input although it could be executed."""
    _builder: Builder = field(default_factory=Builder)

    def __post_init__(self) -> None:
        passed = (*self.verdict.found.passed, *self.found.passed, self.verdict.occurrence.term)
        self._matched = frozenset(id(peel(part)) for part in passed)

    # The fix

    def rewritten(self, root: Term, chosen: Chosen, parameters: Mapping[str, float]) -> Term:
        """Return `root` after the fix, with these values of its parameters."""
        repair = chosen.repair
        self._made = 0
        if repair.replace is None:
            return self._instance(repair.rewrite.term, parameters, alone=True)
        new = self._instance(repair.rewrite.term, parameters, alone=False)
        places = self.found.places.get(repair.replace, ())
        if repair.replace in repair.rewrite.variables():
            exchanged = {id(place): new for place in places}
        else:
            exchanged = {id(peel(place)): new for place in places}
        self.exchanged = exchanged
        try:
            return self.convert(root, alone=True)
        finally:
            self.exchanged = {}

    def _instance(self, pattern: Term, parameters: Mapping[str, float], *, alone: bool) -> Term:
        """Return a rewrite with its variables replaced by terms of the program."""
        operation = pattern.operation
        if operation is VARIABLE:
            name = str(pattern.detail)
            if name in parameters and name not in self.found.terms:
                return self._builder.constant(parameters[name])
            bound = self.found.terms.get(name)
            if bound is None:
                raise Uncuttable(f"{name} stands for nothing")
            return self.convert(bound, alone=alone)
        if operation is CONSTANT:
            return pattern
        if operation is THROUGH:
            outer = self.found.terms.get(str(pattern.operands[0].detail))
            inside = self._instance(pattern.operands[1], parameters, alone=alone)
            return inside if outer is None else self._around(outer, inside, alone=alone)
        inside_alone = alone and _is_of_one(operation)
        operands = tuple(
            self._instance(part, parameters, alone=inside_alone) for part in pattern.operands
        )
        if operation is SEQUENCE or operation.name not in EXECUTABLE:
            raise Uncuttable(f"{operation.name} is not executed")
        settings: dict[str, Term] = {}
        if pattern.detail is not None:
            settings = self._settings(operation, dict(self.found.rest.get(pattern.detail, ())))
        for name, setting in pattern.settings.items():
            if setting.operation is VARIABLE and setting.detail in self.found.terms:
                given = self.found.terms[str(setting.detail)]
                if given is not None:
                    settings |= self._settings(operation, {name: given})
            else:
                settings[name] = self._instance(setting, parameters, alone=False)
        return self._term(operation, operands, settings)

    def _around(self, outer: Term, inside: Term, *, alone: bool) -> Term:
        """Return `inside` below the views that `outer` consists of."""
        view = peel(outer)
        if view.operation.kind != "view":
            return inside
        return self._view(view, self._around(view.operands[0], inside, alone=alone), alone=alone)

    # The program's terms

    def converted_again(self, root: Term) -> Term:
        """Convert `root` once more: inputs that are known by now are reused wherever they occur."""
        self._made = 0
        return self.convert(root, alone=True)

    def convert(self, term: Term, *, alone: bool = False) -> Term:
        """Convert a term; `alone` says that only functions of single elements are around it."""
        named = term
        while True:
            if id(term) in self.exchanged:
                return self.exchanged[id(term)]
            if term.operation is not REFERENCE:
                break
            term = term.operands[0]
        known = self.variables.get(term.key)
        if known is not None:
            return self._builder.variable(known.name)
        if term.operation.kind == "constant" and not term.operation.pure:
            return self._leaf(term, named)  # a random draw
        if self._is_converted(term):
            return self._leaf(term, named)
        if id(term) in self._matched:
            return self._inner(term, alone=alone)
        if self._depth >= self.deepest and not _is_simple(term):
            self.is_cut_short = True
            return self._leaf(term, named)
        kept, made = dict(self.variables), self._made
        self._depth += 1
        try:
            return self._inner(term, alone=False)
        except Uncuttable:
            self.variables, self._made = kept, made
            if term.operation.kind == "constant" and term.operation.pure:
                raise  # its value is related to the other operands
            return self._leaf(term, named)
        finally:
            self._depth -= 1

    def _is_number(self, term: Term) -> bool:
        """Whether a term is passed as a Python number; in `math`, everything is one anyway."""
        scope, numbers = self.verdict.occurrence.scope, self.judge.oracle.numbers
        return self.verdict.framework != "math" and numbers.is_python_number(term, scope)

    def _is_converted(self, term: Term) -> bool:
        """Whether a term is a number computed from tensors: by `len`, `.item()` or `float`."""
        return (
            term.operation.kind != "leaf"
            and self._is_number(term)
            and not all(map(self._is_number, term.operands))
        )

    def _inner(self, term: Term, *, alone: bool) -> Term:
        operation = term.operation
        if operation is CONSTANT:
            if number_of(term) == -math.inf:
                return self._builder.variable(MINUS_INFINITY)
            if number_of(term) is None and not isinstance(term.detail, bool):
                raise Uncuttable("a constant is not a number")
            return term
        if operation.name in _FINFO:
            form = FORMATS[dtype_name(term.settings.get("dtype"), term.framework) or self.dtype]
            return self._builder.constant(getattr(form, _FINFO[operation.name]))
        if operation.name in ("zeros", "ones"):
            return self._builder.constant(float(operation.name == "ones"))
        if operation.kind == "view" and operation.name != "detach":
            alone = alone and id(term) in self._matched
            return self._view(term, self._viewed(term, alone=alone), alone=alone)
        if operation.name not in EXECUTABLE:
            raise Uncuttable(f"{operation.name} is not executed")
        if operation.kind == "other" and id(term) not in self._matched:
            raise Uncuttable(f"{operation.name} is taken as given")
        self._made += 1
        if self._made > _OPERATIONS_MOST:
            raise TooLarge
        inside_alone = alone and _is_of_one(operation)
        operands = tuple(
            self._operand(operation, place, operand, alone=inside_alone)
            for place, operand in enumerate(term.operands)
        )
        return self._folded(operation, operands) or self._term(
            operation, operands, self._settings(operation, term.settings)
        )

    def _viewed(self, view: Term, *, alone: bool) -> Term:
        """Convert the operand of a view, under the facts of its mask."""
        mask = None
        if view.operation.name == "boolean_mask":
            mask = view.operands[1]
        elif view.operation.name in ("subscript", "gather"):
            mask = mask_of(view.operands[1])
        outside = self._selecting
        self._selecting = outside if mask is None else (*outside, *facts_of(mask, True))
        try:
            return self.convert(view.operands[0], alone=alone)
        finally:
            self._selecting = outside

    def _folded(self, operation: Operation, operands: tuple[Term, ...]) -> Term | None:
        """Fold `math.sqrt(2)` to a number: functions of tensors do not accept Python numbers."""
        function = _OF_A_NUMBER.get(operation.name)
        number = number_of(operands[0])
        if function is None or number is None:
            return None
        try:
            return self._builder.constant(function(number))
        except (ValueError, OverflowError) as error:
            raise Uncuttable("a constant is not a number") from error

    def _operand(self, operation: Operation, place: int, term: Term, *, alone: bool) -> Term:
        """Convert an operand; an input used as a condition or probability is limited to one."""
        converted = self.convert(term, alone=alone)
        is_boolean = place in _BOOLEAN_OPERANDS.get(operation.name, ())
        is_probability = place in _PROBABILITY_OPERANDS.get(operation.name, ())
        key = peel(term).key
        variable = self.variables.get(key)
        if variable is None or converted.detail != variable.name:
            return converted
        if is_boolean:
            variable = replace(variable, lo=0.0, hi=1.0, is_integer=False, is_boolean=True)
        elif is_probability:
            variable = replace(variable, lo=max(variable.lo, 0.0), hi=min(variable.hi, 1.0))
        self.variables[key] = variable
        return converted

    def _leaf(self, term: Term, named: Term) -> Term:
        """Return a new input, or the constant that replaces the term."""
        if term.operation is INPUT and term.operands:
            default = number_of(term.operands[0])
            if default is not None:
                return self._builder.constant(default)
        context = self.judge.context(self.verdict, self.found)
        if is_written(context, term, "nan") is Truth.YES:
            raise Uncuttable("NaN cannot be an input")
        if is_written(context, term, "-inf") is Truth.YES:
            return self._builder.variable(MINUS_INFINITY)
        if is_written(context, term, "inf") is Truth.YES:
            raise Uncuttable("infinity cannot be an input")
        facts = (*self.verdict.occurrence.state.facts, *self._selecting)
        known = self.judge.oracle.value(term, facts)
        largest = FORMATS[self.dtype].max
        lo, hi = max(known.lo, -largest), min(known.hi, largest)
        selects = is_mask(context, term) is Truth.YES
        if selects:
            lo, hi = 0.0, 1.0
        elif is_cosine(context, term) is Truth.YES:
            most = 1 + _ROUNDED_COSINE * FORMATS[self.dtype].eps
            lo, hi = max(lo, -most), min(hi, most)
        elif not lo <= hi:
            lo, hi = -largest, largest
        if term.operation.name == "uniform" and lo < hi and hi > 0:
            hi *= 1 - FORMATS[self.dtype].eps / 2  # the upper bound is never drawn
        is_derived = term.operation.kind not in ("leaf", "constant")
        name = self._name(term, named)
        is_integer, is_number = known.integer or selects, self._is_number(term)
        holes = () if selects else excluded(term, facts, self.judge.oracle)
        variable = Variable(
            name, lo, hi, is_integer, is_derived=is_derived, is_number=is_number, holes=holes
        )
        self.variables[term.key] = variable
        return self._builder.variable(variable.name)

    def _name(self, term: Term, named: Term) -> str:
        """Return the program's own name for a term, if it has a usable one."""
        taken = {variable.name for variable in self.variables.values()} | _RESERVED
        for source in (named, term):
            name = str(source.detail)
            if source.operation not in (REFERENCE, INPUT, ATTRIBUTE):
                continue
            if name.isidentifier() and not iskeyword(name) and name not in taken:
                return name
        return next(name for i in range(len(taken) + 1) if (name := f"v{i}") not in taken)

    def _view(self, view: Term, inside: Term, *, alone: bool) -> Term:
        match view.operation.name:
            case "identity":
                return inside
            case "cast":
                return self._cast(view, inside)
            case "expand_dims":
                axis = number_of(view.settings.get("shape"))
                if isinstance(axis, int):
                    shape = {"shape": self._builder.constant(axis)}
                    return self._term(view.operation, (inside,), shape)
            case "subscript":
                index = _new_axes(view.operands[1])
                if index is not None:
                    operands = (inside, self._builder.variable(index))
                    return self._term(view.operation, operands, {})
        if not alone or view.operation.name in ("concat", "stack", "collect"):
            raise Uncuttable(f"{view.operation.name} depends on the shape of its operand")
        return inside

    def _cast(self, view: Term, inside: Term) -> Term:
        setting = view.settings.get("dtype")
        name = dtype_name(setting, view.framework)
        if setting is not None and name is None and peel(setting).operation is not ATTRIBUTE:
            raise Uncuttable("a cast to another kind of number")
        if name not in (None, self.dtype):
            raise Uncuttable("a cast to another format")
        if setting is None or self.verdict.framework == "math" or inside.operation is CONSTANT:
            return inside
        return self._term(view.operation, (inside,), {"dtype": self._builder.variable(FORMAT)})

    def _settings(self, operation: Operation, given: Mapping[str, Term]) -> dict[str, Term]:
        settings: dict[str, Term] = {}
        for name, term in given.items():
            match name:
                case "axis":
                    settings[name] = self._axis(operation, term)
                case "keepdims":
                    kept = peel(term)
                    is_kept = kept.operation is CONSTANT and bool(kept.detail)
                    settings[name] = self._builder.constant(is_kept)
                case "dtype":
                    if dtype_name(term, self.verdict.framework) != self.dtype:
                        raise Uncuttable("a cast to another format")
                case "ord" if peel(term).detail in _FROBENIUS and operation.name == "norm":
                    continue  # the default: over all elements or along an axis
                case _ if number_of(term) is not None or name in ("min", "max"):
                    settings[name] = self.convert(term)
                case _ if peel(term).operation is CONSTANT:
                    settings[name] = self._builder.constant(peel(term).detail)
                case _:
                    raise Uncuttable(f"{name} of {operation.name} is not known")
        return settings

    def _axis(self, operation: Operation, term: Term) -> Term:
        """Return the axis; one that is only known at run time is assumed to be the last."""
        inner = peel(term)
        if inner.operation is CONSTANT and (inner.detail is None or number_of(inner) is not None):
            return self._builder.constant(inner.detail)
        if inner.operation is SEQUENCE:
            axes = [number_of(part) for part in inner.operands]
            if len(axes) == 1 and axes[0] is not None:
                return self._builder.constant(axes[0])
            if axes and None not in axes and operation.kind != "along":
                return self._builder.variable(f"({', '.join(map(str, axes))})")
        return self._builder.constant(-1)

    def _term(
        self, operation: Operation, operands: tuple[Term, ...], settings: Mapping[str, Term]
    ) -> Term:
        return Term(operation, operands, self._builder.fresh(), None, settings)


def _is_simple(term: Term) -> bool:
    """Whether a term is an input or a constant."""
    return term.operation.kind in ("leaf", "constant")


def _is_of_one(operation: Operation) -> bool:
    """Whether an operation is a function of single elements of one tensor."""
    return operation.kind == "elementwise" and operation.operands == 1


def _new_axes(index: Term) -> str | None:
    """The text of an index that only adds axes: `:, None`."""
    inner = peel(index)
    parts = inner.operands if inner.operation is SEQUENCE else (inner,)
    texts: list[str] = []
    for part in map(peel, parts):
        if part.operation is CONSTANT and part.detail is None:
            texts.append("None")
        elif type(part.site).__name__ == "Ellipsis":
            texts.append("...")
        elif part.operation is OPAQUE and part.detail == "slice" and not part.operands:
            texts.append(":")
        else:
            return None
    return ", ".join(texts)
