"""The values that a term can take: abstract domains applied to terms, under a path's facts.

Non-relational abstract evaluation: Cousot and Cousot, "Abstract interpretation" (POPL 1977).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from mllint_nan.domains import value as values
from mllint_nan.domains.call import COUNT
from mllint_nan.domains.dtype import is_float
from mllint_nan.domains.interval import INF, Interval
from mllint_nan.domains.restriction import Restriction
from mllint_nan.domains.transfer import TRANSFER, transfer
from mllint_nan.domains.truth import Truth
from mllint_nan.domains.value import Value
from mllint_nan.flow.alignment import is_of_elements, keeps_places
from mllint_nan.flow.clamps import put
from mllint_nan.flow.complex_numbers import ComplexNumbers
from mllint_nan.flow.counts import counted_in, summed_at_indices
from mllint_nan.flow.distributions import LOG_DENSITY, is_log_density
from mllint_nan.flow.eigenvalues import eigenvalues
from mllint_nan.flow.elements import is_selected
from mllint_nan.flow.factors import on_diagonal
from mllint_nan.flow.facts import facts_of
from mllint_nan.flow.formats import dtype_name, dtype_of
from mllint_nan.flow.implications import ABS, EVERYTHING, FINITE
from mllint_nan.flow.indicators import Indicated, indicated
from mllint_nan.flow.masks import mask_of, selecting_mask
from mllint_nan.flow.named_values import (
    COUNTED,
    EPSILON_CALLS,
    EPSILON_NAMES,
    LIMITS,
    LOGARITHMS,
    OCCURRING,
    POSITIVE,
    QUALIFIED_VALUES,
    SCALE_NAMES,
    UNSHOWN,
    is_of_format,
    literal_value,
)
from mllint_nan.flow.numbers import Numbers
from mllint_nan.flow.occurring_values import is_of_occurring
from mllint_nan.flow.program_points import COUNTS, Point, Points, met
from mllint_nan.flow.projections import is_random_projection
from mllint_nan.flow.relations import EXACT_RELATIONS, RELATIONS
from mllint_nan.flow.saved_tensors import saved_as
from mllint_nan.flow.state import Analysis
from mllint_nan.flow.tested_terms import Tested, tested_by
from mllint_nan.flow.trained import TRAINED
from mllint_nan.frameworks import registry
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.ops import operation as catalogued
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

_DEEPEST: Final = 60
"""How deep a term is evaluated; what lies deeper is unknown."""
_GIVEN_MOST: Final = 8
"""How often facts are added on the way into a term: nested options double the work each time."""
_ZERO_OF_COMPLEX: Final = frozenset(("add", "sub", "mul", "neg", "square", "sum", "mean", "dot"))
_LOOPS_DEEPEST: Final = 3
_ROUNDS_MOST: Final = 12
_CARRIED_MOST: Final = 20_000
"""How many terms of one file are evaluated in rounds of loops."""
_UNREFINED: Final[Mapping[int, Restriction]] = {}


def _of_complex(term: Term, real: Value) -> Value:
    """Return what a real range says about a complex term: that sums and products attain 0."""
    if real.free and real.lo == -real.hi:
        return real
    is_zero = 0.0 in real.attained and term.operation.name in _ZERO_OF_COMPLEX
    return replace(values.TOP, attained=frozenset((0.0,)) if is_zero else values.NOTHING)


def _holds_places(index: Term) -> bool:
    """Whether an index lists the places where a condition holds, of which there may be none."""
    condition = mask_of(index)
    return condition is not None and condition.key != index.key


def _is_of_kept_axis(size: Term) -> bool:
    """Whether a size is that of an axis behind the first, which alone a mask makes shorter."""
    axis = number_of(size.settings["axis"]) if "axis" in size.settings else None
    selection = peel(size.operands[0])
    return selection.operation.name == "boolean_mask" and axis is not None and axis >= 1


def _selects_some(size: Term) -> bool:
    """Whether a size along the first axis is that of a selection that is not empty."""
    selection = peel(size.operands[0])
    mask = selecting_mask(selection) if selection.operation.kind == "view" else None
    mask = mask if mask is not None else mask_of(selection)
    axis = size.settings.get("axis")
    return (axis is None or number_of(axis) == 0) and mask is not None and is_of_occurring(mask)


class Oracle(Points):
    """Evaluates the terms of one file; values are cached for each set of facts they rest on."""

    def __init__(
        self, builder: Builder, analysis: Analysis | None = None, believes_names: bool = True
    ) -> None:
        """With `believes_names`, what is named like an epsilon is positive."""
        super().__init__(builder, analysis if analysis is not None else Analysis())
        self._believes_names = believes_names
        self.numbers = Numbers(self.analysis)
        self.complex_numbers = ComplexNumbers(builder)
        self._tested: dict[int, Tested] = {}
        self._budget = _CARRIED_MOST

    def value(self, term: Term, facts: tuple[Fact, ...] = ()) -> Value:
        """The abstract value of `term` where `facts` hold."""
        refined = self.refinements(facts) if facts else _UNREFINED
        return self._value(term, self.near(term, self.point(refined, refined)), 0)

    def excludes(self, term: Term, number: float, facts: tuple[Fact, ...]) -> bool:
        """Whether `term` is never this number, by its range or by `facts`."""
        restriction = self.refinements(facts).get(peel(term).key) if facts else None
        if restriction is not None and number in restriction.holes:
            return True
        return self.value(term, facts).can_be(number) is Truth.NO

    def tested(self, fact: Fact) -> Tested:
        """Return the terms and operations that the condition of a fact looks at."""
        key = peel(fact.test).key  # facts are short-lived, and their addresses are reused
        found = self._tested.get(key)
        if found is None:
            found = self._tested[key] = tested_by(fact.test)
        return found

    def _value(self, term: Term, point: Point, depth: int) -> Value:
        term = peel(term)
        place = (term.key, term.framework)
        found = point.known.get(place)
        if found is None:
            if depth > _DEEPEST:
                return values.TOP
            self._budget -= len(point.carried) > 0
            point.known[place] = values.TOP  # a term that contains itself is unknown in itself
            found = self._computed(term, point, depth + 1)
            if self.complex_numbers.holds(term):
                found = _of_complex(term, found)
            restriction = point.refined.get(term.key)
            if restriction is not None:
                shown = found.dtype
                found = restriction.of(found, shown if is_float(shown) else dtype_of(term))
            point.known[place] = found
        return found

    def _computed(self, term: Term, point: Point, depth: int) -> Value:
        operation = term.operation
        if point.everywhere is not point.refined and not keeps_places(term):
            point = self.point(point.everywhere, point.everywhere, point.carried, point.given)
        if operation is CONSTANT:
            return literal_value(term)
        if operation is INPUT:
            return self._input(term)
        if operation is ATTRIBUTE:
            name = str(term.detail)
            if name in LIMITS and is_of_format(term):
                return LIMITS[name]
            if self._is_epsilon(name) or (name == "eps" and is_of_format(term)):
                return POSITIVE
            counts = counted_in(term, self.analysis)
            if counts is not None:
                return counts
            return UNSHOWN if SCALE_NAMES.search(name) else values.free()
        if operation is QUALIFIED:
            path = str(term.detail)
            name = path.rpartition(".")[2]
            if self._is_epsilon(name) and registry.framework_of(path) is None:
                return POSITIVE
            return QUALIFIED_VALUES.get(path, values.TOP)
        if operation is CHOICE:
            return self._choice(term, point, depth)
        if operation is SEQUENCE:
            result = values.BOTTOM
            for option in term.operands:
                result = result.join(self._value(option, point, depth))
            return result if term.operands else values.TOP
        if operation is OPAQUE:
            return self._opaque(term, point, depth)
        if operation.name not in TRANSFER:
            is_gradient = operation.name == "gradient"
            return UNSHOWN if is_gradient and is_random_projection(term) else values.free()
        related = self._related(term, point, depth)
        if operation.name in EXACT_RELATIONS and related is not None:
            return related
        operands = [self._value(operand, point, depth) for operand in term.operands]
        if operation.name == "mul" and any(value.free for value in operands):
            # A free input stays free, whatever scale it is multiplied by.
            operands = [values.free() if value == UNSHOWN else value for value in operands]
        settings = {
            name: self._setting(name, value, term.framework, point, depth)
            for name, value in term.settings.items()
        }
        if operation.name == "clip":
            settings["is_min_last"] = term.framework == "tensorflow"
        result = transfer(operation, operands, settings, dtype_of(term))
        regrouped = self._regrouped(term, point, depth)
        if regrouped is not None:
            result = result.join(regrouped)
        if term.written is not None and term.written.path.startswith("math."):
            # Python's own functions raise where an array's would be infinite or NaN.
            finite = LOGARITHMS if operation.name in ("log", "log2", "log10") else FINITE
            result = result.restrict(finite)
        return result.meet(related) if related is not None else result

    def _regrouped(self, term: Term, point: Point, depth: int) -> Value | None:
        """Return the value of a - b + c as TensorFlow and JAX compile it: (a + c) - b."""
        if term.operation.name != "add" or term.framework not in _REGROUPING:
            return None
        for difference, added in (term.operands, term.operands[::-1]):
            inner = peel(difference)
            if inner.operation.name == "sub" and number_of(added) is not None:
                first, second = (self._value(part, point, depth) for part in inner.operands)
                dtype = dtype_of(term)
                left = transfer(term.operation, [first, literal_value(peel(added))], {}, dtype)
                return transfer(inner.operation, [left, second], {}, dtype)
        return None

    def _setting(
        self, name: str, setting: Term, framework: str | None, point: Point, depth: int
    ) -> object:
        if name == "dtype":
            return dtype_name(setting, framework) or str(peel(setting).detail)
        constant = constant_of(setting)
        return constant if constant is not None else self._value(setting, point, depth)

    def _choice(self, term: Term, point: Point, depth: int) -> Value:
        """Return the join of the options, each where its facts hold, or what a loop carries.

        After a loop, only its last round is evidence, as most loops run; the value before is not.
        """
        point = self.near(term, point)
        if term.detail == "loop" or not term.operands:
            return self._carried(term, point, depth)
        result = value = values.BOTTOM
        for position, option in enumerate(term.operands):
            facts = term.facts[position] if term.facts else ()
            value = self._value_given(option, facts, point, depth)
            result = result.join(value)
        if term.detail != "exit":
            return result
        return replace(result, attained=value.attained, scattered=value.scattered)

    def _carried(self, term: Term, point: Point, depth: int) -> Value:
        """Widen a range until it holds at the start of a loop and after each round of it.

        The result is no evidence, as it is not known how often a loop runs.
        """
        assumed = point.carried.get(term.key)
        if assumed is not None:
            return assumed
        next_round = self.analysis.carried.get(term.key)
        if next_round is None or not term.operands or len(point.carried) >= _LOOPS_DEEPEST:
            return values.free()
        final, facts = next_round
        current = _unevidenced(self._value(term.operands[0], point, depth))
        for _ in range(_ROUNDS_MOST):
            if self._budget <= 0:
                break
            carried = {**point.carried, term.key: current}
            inside = self.point(point.refined, point.everywhere, carried, point.given)
            following = _unevidenced(self._value_given(final, facts, inside, depth))
            wider = current.widen(current.join(following))
            if wider.leq(current):
                return values.free() if values.free().interval.leq(current.interval) else current
            current = wider
        return values.free()

    def _input(self, term: Term) -> Value:
        passed = self.analysis.passed(term) if term.key not in self.entered else []
        if passed:
            self.entered.add(term.key)
            result = values.BOTTOM
            for argument, facts in passed:
                result = result.join(self.value(argument, facts))
            self.entered.discard(term.key)
            return result
        if term.operands:
            default = number_of(term.operands[0])
            if default is not None and default > 0 and self._is_epsilon(str(term.detail)):
                return replace(POSITIVE, interval=Interval(min(default, 1e-18), INF))
            if default == 0 and self._is_epsilon(str(term.detail)):
                return POSITIVE.join(_ZERO)
        if self._is_epsilon(str(term.detail)):
            return POSITIVE
        return UNSHOWN if SCALE_NAMES.search(str(term.detail)) else values.free()

    def _is_epsilon(self, name: str) -> bool:
        """Whether a name is taken for that of a small positive number."""
        return self._believes_names and bool(EPSILON_NAMES.search(name))

    def _opaque(self, term: Term, point: Point, depth: int) -> Value:
        what = str(term.detail)
        summed = summed_at_indices(term)
        if summed is not None:
            return self._summed(summed, point, depth)
        if what == "update":
            return self._updated(term, point, depth)
        if what == TRAINED:
            start = self._value(term.operands[0], point, depth)
            known = values.free(start.dtype)
            return replace(known, attained=start.attained, scattered=start.scattered)
        shown = counted_in(term, self.analysis) or on_diagonal(term)
        if shown is not None:
            return shown
        if is_log_density(what):
            return LOG_DENSITY
        spectrum = eigenvalues(term)
        if spectrum is not None:
            return spectrum
        if what.startswith("call ") and EPSILON_CALLS.search(what):
            is_known = registry.framework_of(what.removeprefix("call ")) is not None
            return POSITIVE if is_known or self._believes_names else values.free()
        if what.startswith("part") and (
            peel(term.operands[0]).operation.name in ("gradient", "shape", "size", "collect")
        ):
            return self._value(term.operands[0], point, depth)
        saved = saved_as(term, self.analysis) if what.startswith("part ") else None
        if saved is not None:
            return self.value(saved)
        if what == "index":
            start = self._value(term.operands[0], point, depth) if term.operands else _ZERO
            return Value(Interval(start.lo, INF), integer=start.integer)
        if what in ("and", "or"):
            first, second = term.operands
            left = self._value_given(first, facts_of(first, what == "or"), point, depth)
            right = self._value_given(second, facts_of(first, what == "and"), point, depth)
            return _unevidenced(left.join(right))
        return values.TOP if what in ("in", "not in", "is", "is not") else values.free()

    def _summed(self, part: Term, point: Point, depth: int) -> Value:
        """Return the sums of the elements at each index: 0 at an index that no element has."""
        elements = self._value(part, point, depth)
        total = transfer(catalogued("sum"), [elements], {}, dtype_of(part))
        return total.join(replace(_ZERO, dtype=total.dtype, scattered=frozenset({0.0})))

    def _updated(self, term: Term, point: Point, depth: int) -> Value:
        """Join what was there with what was written; a mask, the third operand, says where."""
        container, *written = term.operands
        if not written:
            return values.free()
        if "whole" in term.settings:
            return _unevidenced(self._value(written[0], point, depth))
        result = self._value(container, point, depth)
        is_masked = len(written) == 2
        if is_masked:
            mask = written.pop()
            result = self._value_under(mask, False, container, point, depth)
        shown = frozenset[float]()
        for part in written:
            value = self._value(part, point, depth)
            result, shown = result.join(value), shown | value.attained
        found = put(term)
        if found is None:  # the written value is attained, at some place
            shown = frozenset() if is_masked else shown
            return replace(result, attained=shown, scattered=shown)
        changed = self._value_given(container, (found.fact,), point, depth, of_elements=True)
        shown = frozenset() if changed.is_bottom else frozenset({found.number})
        return replace(result, attained=shown, scattered=frozenset())

    # Relations between operands that intervals lose

    def _related(self, term: Term, point: Point, depth: int) -> Value | None:
        name = term.operation.name
        rule = RELATIONS.get(name)
        parts = indicated(term) if name == "add" else None
        if parts is not None:
            return self._raised(term, parts, point, depth)
        if rule is not None:
            found = rule(term, lambda t: self._value(t, point, depth))
            if found is not None:
                return found
        if name == "where":
            condition, first, second = term.operands
            selected = self._value_under(condition, True, first, point, depth)
            left_out = self._value_under(condition, False, second, point, depth)
            return selected.join(left_out)
        mask = selecting_mask(term)
        if mask is not None:
            return self._value_under(mask, True, term.operands[0], point, depth)
        if name == "element":
            return self._element(term, point, depth)
        if name in COUNTS:
            return self._counted(term, point, depth)
        if name in ("size", "shape") and (
            (is_selected(term.operands[0]) and not _is_of_kept_axis(term))
            or _holds_places(term.operands[0])
        ):
            return OCCURRING if name == "size" and _selects_some(term) else COUNTED
        if name in ("abs", "square"):
            return self._sized(term, point, depth)
        return None

    def _raised(self, total: Term, parts: Indicated, point: Point, depth: int) -> Value:
        """Return a sum's value if its amount is added only where a condition on its base holds."""
        holding = self._value_under(parts.condition, True, parts.base, point, depth)
        left_out = self._value_under(parts.condition, False, parts.base, point, depth)
        amount = _UNIT if parts.amount is None else self._value(parts.amount, point, depth)
        added = transfer(total.operation, [holding, amount], {}, dtype_of(total))
        return added.join(left_out)

    def _element(self, term: Term, point: Point, depth: int) -> Value | None:
        """Return the value of an element of a `range`, else `None`."""
        inner = peel(term.operands[0])
        if inner.operation is not OPAQUE or inner.detail != "call builtins.range":
            return None
        limits = [self._value(limit, point, depth) for limit in inner.operands[1:]]
        names = ("stop",) if len(limits) == 1 else ("start", "stop", "step")
        settings = dict(zip(names, limits, strict=False))
        drawn = transfer(catalogued("arange"), [], settings, "float64")
        return replace(_unevidenced(drawn), integer=True)

    def _counted(self, term: Term, point: Point, depth: int) -> Value | None:
        """Return the range of a count over a mask of which some element is known to hold."""
        known = point.refined.get(self.implications.any_of(term).key, EVERYTHING)
        occurs = "axis" not in term.settings and is_of_occurring(term.operands[0])
        if 0.0 not in known.holes and known.interval.lo <= 0.0 and not occurs:
            return None
        least = 1.0 / COUNT if term.operation.name == "mean" else 1.0
        mask = self._value(term.operands[0], point, depth)
        return Value(Interval(least, INF)) if mask.lo >= 0.0 and mask.integer else None

    def _sized(self, term: Term, point: Point, depth: int) -> Value | None:
        """Return abs(x) or x**2 by what is known of abs(x); of a selection, under its mask."""
        selected = peel(term.operands[0])
        if selected.operation.name == "boolean_mask":
            source, mask = selected.operands
            everywhere = self.builder.build(term.operation, (source,))
            return self._value_under(mask, True, everywhere, point, depth)
        size = self.builder.build(ABS, term.operands)
        restriction = point.refined.get(size.key)
        if restriction is None:
            return None
        x = self._value(term.operands[0], point, depth)
        dtype = dtype_of(term)
        whole = transfer(ABS, [x], {}, dtype)
        return transfer(term.operation, [restriction.of(whole, dtype)], {}, dtype)

    # Facts

    def _value_under(self, mask: Term, holds: bool, term: Term, point: Point, depth: int) -> Value:
        """The value that a term has in the places where a mask holds, or does not."""
        facts, of_elements = facts_of(mask, holds), is_of_elements(mask)
        return self._value_given(term, facts, point, depth, of_elements=of_elements)

    def _value_given(
        self,
        term: Term,
        facts: tuple[Fact, ...],
        point: Point,
        depth: int,
        *,
        of_elements: bool = False,
    ) -> Value:
        """The value that `term` has where `facts` hold too."""
        implied = self.refinements(facts) if facts else {}
        if implied and term.operation is not CONSTANT:
            parts = self.parts(term)
            implied = {k: found for k, found in implied.items() if parts is None or k in parts}
        if not implied or point.given >= _GIVEN_MOST:
            return self._value(term, point, depth)
        refined, everywhere = met(point.refined, implied), point.everywhere
        if not of_elements:
            is_one = everywhere is point.refined
            everywhere = refined if is_one else met(everywhere, implied)
        inside = self.point(refined, everywhere, point.carried, point.given + 1)
        return self._value(term, self.near(term, inside), depth)


_REGROUPING: Final = frozenset(("tensorflow", "keras", "jax"))
_ZERO: Final = values.constant(0.0)
_UNIT: Final = values.constant(1.0)


def _unevidenced(value: Value) -> Value:
    return replace(value, attained=frozenset(), scattered=frozenset())
