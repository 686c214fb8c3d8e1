"""Where fixes are swept: the binades of a float format, and the points at which functions break."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from mllint_nan.domains.dtype import FORMATS, Format, round_to
from mllint_nan.findings import Hazard
from mllint_nan.verify.variables import Variable
from tests.verifier.observation import Inputs
from tests.verifier.samples import Sample, parts_of

_WIDTH: Final = 3
_PATTERNS: Final = ("t00", "ttt", "t-h", "1th", "tTt", "00t", "m1t", "hht")
"""Rows of inputs: t, T = -t, h = 1/2, m = -1, - = -t, i = -inf."""
_OTHERS: Final = ("1", "h", "t", "m", "2", "-", "0")
_NEIGHBOUR: Final = "n"
"""What has the first half of its digits in common with t."""
_WELL_CONDITIONED: Final = np.array([[3, 1, 1], [1, 3, -1], [1, -1, 4]]) / 4
"""A matrix whose determinant no rounding makes another, and whose inverse has no zeros."""
_SELECTIONS: Final = ("000", "111")
"""Rows of masks, each with inputs of these sizes."""
_SELECTED: Final = (0.0, 1.0, -1.0, 100.0)
_HIDDEN: Final = ("iii", "i0t", "1ti")
"""Rows of logits of which a mask has hidden some or all, with 1 for t."""
_EXPONENTIAL: Final = ("exp", "softmax", "log_softmax", "logsumexp")
_DETERMINANTS: Final = frozenset(("det", "logdet", "slogdet"))
_UNBOUNDED: Final = FORMATS["float16"].max
_FINE: Final = (-6, 8)
"""Exponents between which there are more points."""


@dataclass(frozen=True, slots=True)
class Density:
    """Points in about so many binades, and `fine` points in each where most happens."""

    binades: int
    fine: int

    def points(self, form: Format) -> list[float]:
        found: list[float] = []
        exponents = range(form.lowest - form.precision + 1, form.highest + 1)
        every = max(1, len(exponents) // self.binades)
        for exponent in exponents:
            is_fine = _FINE[0] <= exponent < _FINE[1]
            if not is_fine and exponent % every:
                continue
            for step in range(self.fine if is_fine else 1):
                fraction = (exponent * 0.6180339887 + step / self.fine) % 1.0
                if exponent < form.lowest:
                    fraction = 0.0  # a subnormal has fewer bits
                found.append(math.ldexp(1 + fraction, exponent))
        largest = form.max
        found += [1.0, 2.0, 0.5, form.smallest, form.tiny, form.eps, form.eps / 2, largest]
        found += [math.log(largest), -math.log(form.tiny), math.sqrt(largest), 3.0, 100.0]
        rounded = dict.fromkeys(round_to(each, form.name) for each in found)
        positive = sorted(each for each in rounded if 0 < each <= largest)
        return [0.0, *(sign * each for each in positive for sign in (1.0, -1.0))]


COARSE: Final = Density(binades=32, fine=1)
FULL: Final = Density(binades=300, fine=4)
"""Every binade of all formats but float64, and there every seventh."""


def layout(sample: Sample) -> tuple[str, int | None]:
    """How inputs lie in an array: `alone`, or in independent rows along an axis.

    Python's `math` takes `single` numbers.
    """
    if sample.framework == "math":
        return "single", None
    axes: set[Any] = set()
    for root in (sample.cut.before, sample.cut.after):
        for part in parts_of(root):
            kind = part.operation.kind
            if kind in ("reduction", "along"):
                axis = part.settings.get("axis")
                detail = None if axis is None else axis.detail
                default = -1 if part.operation.name == "softmax_cross_entropy" else None
                axes.add(default if detail is None else detail)
            elif kind == "other" or part.operation.name in ("expand_dims", "subscript", "flatten"):
                is_plain = part.settings.get("reduction")
                if is_plain is None or is_plain.detail != "none":
                    axes.add(None)
    if not axes:
        return "elements", 0
    if axes <= {-1} or axes <= {1, -1}:
        return "rows", 0
    if axes == {0}:
        return "columns", 1
    return "alone", None


@dataclass(frozen=True, slots=True)
class _Step:
    """What the inputs of one row follow: a point, and what is in masks or in all others, if set."""

    point: float
    selection: str = ""
    pattern: str = ""


def _steps(sample: Sample, points: list[float], width: int) -> Iterator[_Step]:
    yield from map(_Step, points)
    if width == 1:
        return
    if any(map(_is_mask, sample.cut.variables)):
        for selection in _SELECTIONS:
            for point in _SELECTED:
                yield _Step(point, selection)
    if any(part.operation.name in _EXPONENTIAL for part in parts_of(sample.cut.before)):
        for pattern in _HIDDEN:
            yield _Step(1.0, pattern=pattern)


def inputs_of(sample: Sample, form: Format, density: Density) -> Iterator[Inputs]:
    """The points of a sweep by name, all in one array where rows are independent of each other."""
    kind, _ = layout(sample)
    points = density.points(form)
    width = 1 if kind in ("elements", "single") else _WIDTH
    steps = list(_steps(sample, points, width))
    others = (*_OTHERS, _NEIGHBOUR) if sample.hazard is Hazard.ACCURACY else _OTHERS
    columns = {
        variable.name: _column(variable, place, steps, form, width, others)
        for place, variable in enumerate(sample.cut.variables)
    }
    if kind == "single":
        for index in range(len(steps)):
            yield {name: column[index, 0] for name, column in columns.items()}
    elif kind == "alone":
        dimension = _dimension(sample)
        is_of_determinant = bool(_DETERMINANTS & _operations(sample))
        swept = range(0, len(points), max(1, len(points) // density.binades))
        for index in (*swept, *range(len(points), len(steps))):
            rows = {name: column[index] for name, column in columns.items()}
            if is_of_determinant and abs(steps[index].point) < form.tiny / form.eps:
                continue  # TensorFlow raises where rounding leaves no inverse
            if is_of_determinant:
                rows = {
                    name: np.vectorize(lambda entry: round_to(entry, form.name))(
                        steps[index].point * _WELL_CONDITIONED
                    )
                    for name in rows
                }
            elif dimension == 2:
                rows = {
                    name: np.stack([np.roll(row, shift) for shift in range(_WIDTH)])
                    for name, row in rows.items()
                }
            yield rows
    elif kind == "elements":
        yield {name: column[:, 0] for name, column in columns.items()}
    elif kind == "columns":
        yield {name: np.ascontiguousarray(column.T) for name, column in columns.items()}
    else:
        yield columns


def empty_inputs_of(sample: Sample) -> Iterator[Inputs]:
    """Inputs without entries: no rows, and rows of nothing."""
    kind, _ = layout(sample)
    if kind == "single":
        return
    shapes = {
        "elements": [(0,)],
        "rows": [(0, _WIDTH), (2, 0)],
        "columns": [(_WIDTH, 0), (0, 2)],
    }.get(kind, [(0, _WIDTH) if _dimension(sample) == 2 else (0,)])
    for shape in shapes:
        yield {
            variable.name: np.empty(shape, dtype=bool if variable.is_boolean else float)
            for variable in sample.cut.variables
        }


def _operations(sample: Sample) -> set[str]:
    return {
        part.operation.name
        for root in (sample.cut.before, sample.cut.after)
        for part in parts_of(root)
    }


def _dimension(sample: Sample) -> int:
    names = _operations(sample)
    details = [
        axis.detail
        for root in (sample.cut.before, sample.cut.after)
        for part in parts_of(root)
        if (axis := part.settings.get("axis")) is not None
    ]
    is_flat = not any(isinstance(each, str) or each == 1 for each in details)
    return (
        1
        if is_flat
        and not names & _DETERMINANTS
        and not names & {"matmul", "subscript", "expand_dims"}
        else 2
    )


def _column(
    variable: Variable,
    place: int,
    steps: Sequence[_Step],
    form: Format,
    width: int,
    others: Sequence[str],
) -> np.ndarray:
    """The entries of one input at each step: the first follows it, the others vary as well."""
    letters = {"0": 0.0, "1": 1.0, "2": 2.0, "h": 0.5, "m": -1.0, "i": -math.inf}
    rows = []
    for index, step in enumerate(steps):
        chosen = step.selection if _is_mask(variable) else step.pattern
        if chosen:
            pattern = chosen
        elif width > 1:
            pattern = _PATTERNS[(index + 3 * place) % len(_PATTERNS)]
        elif place:
            pattern = others[(index // 2 + 2 * place) % len(others)]
        else:
            pattern = "t"
        named = {**letters, "t": step.point, "T": -step.point, "-": -step.point}
        named[_NEIGHBOUR] = step.point * (1 + 2.0 ** -(form.precision // 2))
        rows.append([_admitted(variable, named[letter], form) for letter in pattern])
    array = np.array(rows)
    return array > 0 if variable.is_boolean else array


def _is_mask(variable: Variable) -> bool:
    is_selection = variable.is_integer and (variable.lo, variable.hi) == (0.0, 1.0)
    return variable.is_boolean or is_selection


def _admitted(variable: Variable, number: float, form: Format) -> float:
    """The number, if the input can be it; else one that it can be."""
    if variable.is_boolean:
        return number
    if number == -math.inf and not variable.is_integer and variable.lo <= -_UNBOUNDED:
        return number
    if variable.is_integer:
        number = float(round(max(-1e6, min(1e6, number))))
    lo, hi = variable.lo, variable.hi
    if not lo <= number <= hi:
        number = -number if lo <= -number <= hi else abs(number)
    if not lo <= number <= hi:
        number = (
            lo + math.fmod(abs(number), hi - lo) if hi - lo < 1e4 else lo if number < lo else hi
        )
    rounded = round_to(number, form.name)
    return max(-form.max, min(form.max, rounded))
