"""A fix over the whole range of a float format: how wrong is it, and was the original?

Every binade of both signs, and the points where functions break, go through both versions as one
array; what comes out is held against the oracle, entry by entry. Errors count in units in the last
place of the true result, gradients alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from mpmath import mp, mpf

from mllint_nan.domains.dtype import FORMATS, Format, round_to
from mllint_nan.findings import Hazard
from mllint_nan.ir.term import Term
from mllint_nan.rulebook.rule import Tolerance
from mllint_nan.verify.cut import Variable
from tests.verifier.frameworks import adapter
from tests.verifier.observation import Array, Mode, Observed, Runner, Way
from tests.verifier.oracle import Exact, Numbers, Oracle, Unknown
from tests.verifier.samples import Sample

_WIDTH: Final = 3
_PATTERNS: Final = ("t00", "ttt", "t-h", "1th", "tTt", "00t", "m1t", "hht")
"""Rows of inputs: t, T = -t, h = 1/2, m = -1, - = -t."""
_OTHERS: Final = ("1", "h", "t", "m", "2", "-", "0")
ALLOWED: Final = 8.0
"""By how many ulps any fix may be worse: the class B of a safe rewrite."""
_FLUSHING: Final = ("tensorflow", "keras", "jax")
"""Subnormal numbers are 0 to them, now and then; so they are left out."""
_NEAR_THE_END: Final = 8
"""What is so near to the largest number may overflow on the way."""
_ROUNDED: Final = 1 + 1e-6
_SPLIT_BITS: Final = 2400
_AGREE_BITS: Final = 60
_SPARE_BITS: Final = 400
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


@dataclass(slots=True)
class Errors:
    """Of one side, value or gradient, over all entries whose true result the format has."""

    compared: int = 0
    """Entries that are finite before and after."""
    broken_before: int = 0
    broken_after: int = 0
    """Entries that are not finite, though the true result is."""
    before: float = 0.0
    after: float = 0.0
    """Largest errors in ulps of those compared."""
    eps: float = 0.0
    """Largest absolute error, in epsilons, of those that are worse by more than eight ulps."""
    shift: float = 0.0
    """By how much the two terms differ at those that differ so much because of an epsilon."""
    complaint: str = ""
    """The first entry at which the fix is worse than its rule admits."""


@dataclass(slots=True)
class Swept:
    """What a sweep showed.

    `trouble` says why the fix could not be executed, `absent` why already the original could not.
    """

    sides: dict[Hazard, Errors] = field(
        default_factory=lambda: {Hazard.VALUE: Errors(), Hazard.GRADIENT: Errors()}
    )
    points: int = 0
    kinds: tuple[str, str] = ("", "")
    trouble: str = ""
    absent: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """Inputs by name, and the truth about the original and the fixed term at them."""

    inputs: Mapping[str, np.ndarray]
    rows: int | None
    weights: np.ndarray
    before: Exact
    after: Exact | None
    """None where the oracle does not know an operation of it."""

    def has_value(self, value: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        """Of entries of inputs or results: whether the results of their row are finite."""
        return ~_in_rows([~np.isfinite(value)], self.rows, shape)


_TRIALS: Final[dict[tuple[Any, ...], tuple[Trial, ...]]] = {}
"""What was computed once, which takes the most time of all."""


def layout(sample: Sample) -> tuple[str, int | None]:
    """How inputs lie in an array: `alone`, or in independent rows along an axis.

    Python's `math` takes `single` numbers.
    """
    if sample.framework == "math":
        return "single", None
    axes: set[Any] = set()
    for root in (sample.cut.before, sample.cut.after):
        for part in _parts(root):
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


def trials_of(sample: Sample, dtype: str, density: Density) -> tuple[Trial, ...]:
    """Of a sample, or of one in another framework that is the same term."""
    parts = sample.cut
    key = (
        str(parts.before),
        str(parts.after),
        parts.variables,
        layout(sample),
        sample.has_gradient,
    )
    key += (str(sample.repair.tolerance), dtype, density)
    if key not in _TRIALS:
        _TRIALS[key] = tuple(trials(sample, FORMATS[dtype], density))
    return _TRIALS[key]


def trials(sample: Sample, form: Format, density: Density) -> Iterator[Trial]:
    """The points of a sweep, all at once where rows are independent of each other."""
    kind, rows = layout(sample)
    points = density.points(form)
    columns = {
        variable.name: _column(
            variable, place, points, form, 1 if kind in ("elements", "single") else _WIDTH
        )
        for place, variable in enumerate(sample.cut.variables)
    }
    oracle = Oracle(form)
    if kind == "single":
        for index in range(len(points)):
            inputs = {name: column[index, 0] for name, column in columns.items()}
            yield _trial(sample, oracle, inputs, None)
        return
    if kind == "alone":
        dimension = _dimension(sample)
        for index in range(0, len(points), max(1, len(points) // density.binades)):
            inputs = {name: column[index] for name, column in columns.items()}
            if dimension == 2:
                inputs = {
                    name: np.stack([np.roll(row, shift) for shift in range(_WIDTH)])
                    for name, row in inputs.items()
                }
            yield _trial(sample, oracle, inputs, None)
        return
    if kind == "elements":
        columns = {name: column[:, 0] for name, column in columns.items()}
    if kind == "columns":
        columns = {name: np.ascontiguousarray(column.T) for name, column in columns.items()}
    yield _trial(sample, oracle, columns, rows)


def _dimension(sample: Sample) -> int:
    names = {
        part.operation.name
        for root in (sample.cut.before, sample.cut.after)
        for part in _parts(root)
    }
    details = [
        axis.detail
        for root in (sample.cut.before, sample.cut.after)
        for part in _parts(root)
        if (axis := part.settings.get("axis")) is not None
    ]
    is_flat = not any(isinstance(each, str) or each == 1 for each in details)
    return (
        1 if is_flat and not names & {"det", "logdet", "matmul", "subscript", "expand_dims"} else 2
    )


def _trial(
    sample: Sample, oracle: Oracle, inputs: Mapping[str, np.ndarray], rows: int | None
) -> Trial:
    exact = {name: oracle.numbers(array) for name, array in inputs.items()}
    watched = tuple(
        variable.name
        for variable in sample.cut.variables
        if variable.is_differentiable and sample.has_gradient
    )

    def of(term: Term, oracle: Oracle = oracle) -> Exact:
        value = oracle.value(term, exact)
        weights = _weights(value.shape)
        return Exact(value, oracle.gradients(term, exact, rows, weights, watched))

    before = of(sample.cut.before)
    try:
        after = of(sample.cut.after)
    except Unknown:
        after = None
    if after is not None and not _agree(before, after):
        refined = of(sample.cut.before, Oracle(oracle.form, _SPARE_BITS))
        tolerance = sample.repair.tolerance
        before = _settled(before, refined, after, not (tolerance.shift or tolerance.below))
    return Trial(inputs, rows, _weights(before.value.shape), before, after)


def equals(sample: Sample, term: Term, density: Density) -> bool:
    """Whether a term and the fix are the same function in exact arithmetic, at all points."""
    twin = replace(sample, cut=replace(sample.cut, before=sample.cut.after, after=term))
    return all(
        trial.after is not None and bool(np.all(pair))
        for trial in trials_of(twin, "float32", density)
        for pair in _differences(trial)
    )


def _differences(trial: Trial) -> Iterator[np.ndarray]:
    """Of value and gradients: which entries are the same, or defined for neither."""
    if trial.after is None or trial.before.value.shape != trial.after.value.shape:
        yield np.array(False)
        return
    pairs = [(trial.before.value, trial.after.value)]
    pairs += [(part, trial.after.gradients[name]) for name, part in trial.before.gradients.items()]
    for one, other in pairs:
        highs = [Split.of(each).high for each in (one, other)]
        yield _same(one, other) | ~np.isfinite(highs).any(axis=0)


def _agree(one: Exact, other: Exact) -> bool:
    if one.value.shape != other.value.shape:
        return False
    pairs = [(one.value, other.value)]
    pairs += [(one.gradients[name], other.gradients[name]) for name in one.gradients]
    return all(bool(_same(*pair).all()) for pair in pairs)


def _settled(before: Exact, refined: Exact, after: Exact, is_equal: bool) -> Exact:
    """The original's truth; where more digits change it, its cancellation hides it from mpmath too,
    and what the fixed term is stands for it."""

    def settled(name: str) -> Numbers:
        mine, more, other = (
            each.value if not name else each.gradients[name] for each in (before, refined, after)
        )
        if mine.shape != other.shape:
            return mine
        return np.where(_same(mine, more), mine, other if is_equal else more)

    return Exact(settled(""), {name: settled(name) for name in before.gradients})


def _same(one: Numbers, other: Numbers) -> np.ndarray:
    def same(x: mpf, y: mpf) -> bool:
        if not (mp.isfinite(x) and mp.isfinite(y)):
            return False
        return bool(abs(x - y) <= mpf(2) ** -_AGREE_BITS * max(abs(x), abs(y)))

    return np.asarray(np.frompyfunc(same, 2, 1)(one, other), dtype=bool)


def _weights(shape: tuple[int, ...]) -> np.ndarray:
    """Powers of two, so that they add no error; not all equal, so that sums show."""
    return np.ldexp(1.0, -(np.arange(math.prod(shape)) % 3)).reshape(shape)


def _column(
    variable: Variable, place: int, points: list[float], form: Format, width: int
) -> np.ndarray:
    """The entries of one input at each point: the first follows it, the others vary as well."""
    letters = {"0": 0.0, "1": 1.0, "2": 2.0, "h": 0.5, "m": -1.0}
    rows = []
    for index, point in enumerate(points):
        if width > 1:
            pattern = _PATTERNS[(index + 3 * place) % len(_PATTERNS)]
        elif place:
            pattern = _OTHERS[(index // 2 + 2 * place) % len(_OTHERS)]
        else:
            pattern = "t"
        named = {**letters, "t": point, "T": -point, "-": -point}
        rows.append([_admitted(variable, named[letter], form) for letter in pattern])
    array = np.array(rows)
    return array > 0 if variable.is_boolean else array


def _admitted(variable: Variable, number: float, form: Format) -> float:
    """The number, if the input can be it; else one that it can be."""
    if variable.is_boolean:
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


def sweep(sample: Sample, dtype: str, device: str, mode: Mode, tried: Sequence[Trial]) -> Swept:
    """Both versions at all points."""
    framework = adapter(sample.framework)
    found = Swept()
    runners: dict[tuple[int, ...], list[Runner]] = {}
    for trial in tried:
        shape = trial.weights.shape
        if shape not in runners:  # all weights of a shape are the same
            way = Way(mode, dtype, trial.weights)
            runners[shape] = [
                framework.runner(function, framework.place(device), way)
                for function in functions(sample, dtype)
            ]
        seen: list[Observed] = []
        for run in runners[shape]:
            try:
                seen.append(run(trial.inputs))
            except Exception as error:  # whatever a framework raises is what the report says
                said = f"{type(error).__name__}: {next(iter(str(error).splitlines()), '')}"
                return replace(found, trouble=said) if seen else replace(found, absent=said)
        old, new = (_with_value(each, trial) for each in seen)
        found.points += 1
        found.kinds = _kind(old), _kind(new)
        if _kind(old) == _kind(new):
            _compare(found.sides, sample, trial, (old, new), FORMATS[dtype])
    return found


def _with_value(seen: Observed, trial: Trial) -> Observed:
    """An arithmetic error of Python as NaN, in its own format."""
    if seen.raised is None:
        return seen
    return Observed((Array(np.full(trial.weights.shape, np.nan), "float64"),))


def functions(sample: Sample, dtype: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The original and the fixed expression, of the sample's inputs by name."""
    rendered = sample.rendered(dtype)
    names: dict[str, Any] = {}
    exec("\n".join(rendered.imports), names)
    parameters = ", ".join(variable.name for variable in sample.cut.variables)

    def function(text: str) -> Callable[..., Any]:
        made: Callable[..., Any] = eval(f"lambda {parameters}: {text}", dict(names))
        return made

    return function(rendered.before), function(rendered.after)


def _kind(seen: Observed) -> str:
    return ", ".join(f"{value.dtype}{list(value.entries.shape)}" for value in seen.values)


def _compare(
    errors: Mapping[Hazard, Errors],
    sample: Sample,
    trial: Trial,
    seen: tuple[Observed, Observed],
    form: Format,
) -> None:
    old, new = seen
    value = old.values[0].entries if old.values else np.array(np.nan)
    if old.values and new.values:
        after = None if trial.after is None else trial.after.value
        entries = old.values[0].entries, new.values[0].entries
        truths = trial.before.value, after
        _judge(errors[Hazard.VALUE], sample, trial, "value", entries, truths, value, form)
    for name, truth in trial.before.gradients.items():
        after = None if trial.after is None else trial.after.gradients[name]
        entries = old.gradients[name].entries, new.gradients[name].entries
        truths = truth, after
        _judge(errors[Hazard.GRADIENT], sample, trial, f"d/d{name}", entries, truths, value, form)


def _judge(
    errors: Errors,
    sample: Sample,
    trial: Trial,
    side: str,
    entries: tuple[np.ndarray, np.ndarray],
    truths: tuple[Numbers, Numbers | None],
    old_value: np.ndarray,
    form: Format,
) -> None:
    """Entry by entry; what is worse by more than `ALLOWED` ulps has to have a reason."""
    tolerance = sample.repair.tolerance
    old, new = (each.astype(np.float64) for each in entries)
    true = Split.of(truths[0])
    shape = true.high.shape
    least = tolerance.below
    if sample.framework in _FLUSHING:
        least = max(least, form.tiny)
    fits = (np.abs(true.high) <= form.max) & ~_is_below(trial, least, shape)
    was, now = np.isfinite(old), np.isfinite(new)
    both = fits & was & now
    errors.compared += int(both.sum())
    errors.broken_before += int((fits & ~was).sum())
    errors.broken_after += int((fits & ~now).sum())
    with np.errstate(invalid="ignore"):
        errors_old, errors_new = (
            np.where(both & (np.abs(each - true.high) > 2 * form.tiny), true.ulps(each, form), 0.0)
            for each in (old, new)
        )
        distance = np.abs(new - true.high) / form.eps
    errors.before = max(errors.before, float(errors_old.max(initial=0.0)))
    errors.after = max(errors.after, float(errors_new.max(initial=0.0)))
    worse = both & (errors_new > errors_old + ALLOWED)
    if truths[1] is not None and tolerance.shift:
        worse &= ~_is_shifted(errors, side, new, true, Split.of(truths[1]), tolerance, form, worse)
    apart = np.where(worse, distance, 0.0)
    errors.eps = max(errors.eps, float(apart.max(initial=0.0)))
    is_far = np.abs(true.high) <= form.max / _NEAR_THE_END
    broken = was & trial.has_value(old_value, shape)
    if not _is_ill_conditioned(sample):
        broken |= _is_moderate(trial, form, shape)
    wrong = (apart > tolerance.eps) | (fits & is_far & ~now & broken)
    if wrong.any() and not errors.complaint:
        worst = wrong & (~now | (apart == np.where(wrong, apart, 0.0).max()))
        errors.complaint = _shown(trial, worst if worst.any() else wrong, side, old, new, true.high)


def _is_shifted(
    errors: Errors,
    side: str,
    new: np.ndarray,
    true: Split,
    fixed: Split,
    tolerance: Tolerance,
    form: Format,
    where: np.ndarray,
) -> np.ndarray:
    """Entries that are off because the fix is another function there, in the way it may be."""
    allowed = np.maximum(ALLOWED * _spacing(fixed.high, form), tolerance.eps * form.eps)
    with np.errstate(invalid="ignore"):
        is_exact = np.abs(new - fixed.high) <= allowed
        moved = np.where(where & is_exact, np.abs(fixed.high - true.high), 0.0)
        if side == "value":
            is_admitted = moved <= tolerance.shift * _ROUNDED
            errors.shift = max(
                errors.shift, float(np.where(is_admitted, moved, 0.0).max(initial=0))
            )
        else:
            is_admitted = (fixed.high * true.high >= 0) & (np.abs(fixed.high) <= np.abs(true.high))
    return is_exact & is_admitted


def _is_below(trial: Trial, least: float, shape: tuple[int, ...]) -> np.ndarray:
    """Entries in whose row is an input that does not occur."""
    tested = [(array != 0) & (np.abs(array) < least) for array in _floats(trial)]
    return _in_rows(tested, trial.rows, shape)


def _is_moderate(trial: Trial, form: Format, shape: tuple[int, ...]) -> np.ndarray:
    """Entries whose inputs are so that neither their squares nor those' inverses overflow."""
    limit = math.sqrt(form.max) / 8
    tested = [
        (np.abs(array) > limit) | ((array != 0) & (np.abs(array) < 1 / limit))
        for array in _floats(trial)
    ]
    return ~_in_rows(tested, trial.rows, shape)


def _floats(trial: Trial) -> list[np.ndarray]:
    return [array for array in trial.inputs.values() if array.dtype.kind == "f"]


def _is_ill_conditioned(sample: Sample) -> bool:
    """Whether rounding alone can make a value singular: the determinant of a regular matrix 0."""
    return any(part.operation.name == "det" for part in _parts(sample.cut.before))


def _in_rows(flags: list[np.ndarray], rows: int | None, shape: tuple[int, ...]) -> np.ndarray:
    """Of entries of results or inputs: whether any flag of their row is set."""
    if rows is None:
        return np.full(shape, any(bool(flag.any()) for flag in flags))
    moved = [np.moveaxis(flag, rows % flag.ndim, 0) for flag in flags]
    any_of = np.any([flag.reshape(len(flag), -1).any(axis=1) for flag in moved], axis=0)
    index: list[Any] = [None] * len(shape)
    index[rows % len(shape)] = slice(None)
    found: np.ndarray = np.broadcast_to(any_of[tuple(index)], shape)
    return found


@dataclass(frozen=True, slots=True)
class Split:
    """Exact numbers as sums of two doubles; `high` is NaN where there is none."""

    high: np.ndarray
    low: np.ndarray

    @classmethod
    def of(cls, truth: Numbers) -> Split:
        high = [float(each) for each in truth.ravel()]
        with mp.workprec(_SPLIT_BITS):
            low = [
                float(each - mpf(near)) if math.isfinite(near) else 0.0
                for each, near in zip(truth.ravel(), high, strict=True)
            ]
        return cls(*(np.array(part).reshape(truth.shape) for part in (high, low)))

    def ulps(self, computed: np.ndarray, form: Format) -> np.ndarray:
        """The error of computed numbers, in units in the last place of the exact ones."""
        with np.errstate(invalid="ignore", over="ignore"):
            found: np.ndarray = np.abs((computed - self.high) - self.low) / _spacing(
                self.high, form
            )
        return found


def _spacing(numbers: np.ndarray, form: Format) -> np.ndarray:
    """One unit in the last place of each number, as if the format were the result's."""
    with np.errstate(invalid="ignore"):
        _, exponents = np.frexp(np.where(np.isfinite(numbers), numbers, 1.0))
    return np.ldexp(1.0, np.maximum(exponents - 1, form.lowest) - (form.precision - 1))


def _shown(
    trial: Trial, where: np.ndarray, side: str, old: np.ndarray, new: np.ndarray, true: np.ndarray
) -> str:
    place = tuple(int(each[0]) for each in np.nonzero(np.atleast_1d(where)))
    if where.ndim == 0:
        place = ()
    row: tuple[Any, ...] = (...,)
    if trial.rows == 0 and place:
        row = (place[0],)
    elif trial.rows == 1:
        row = (..., place[-1])
    given = ", ".join(f"{name} = {array[row].tolist()}" for name, array in trial.inputs.items())
    return f"{side} at {given}: {old[place]:.6g} became {new[place]:.6g}, truly {true[place]:.6g}"


def _parts(term: Term) -> Iterator[Term]:
    yield term
    for child in term.children():
        yield from _parts(child)
