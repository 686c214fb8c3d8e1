"""A claim before an execution: the verdict is a sentence about what was returned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from mllint_nan.findings import Hazard
from tests.verifier import digits
from tests.verifier.claims import Claim
from tests.verifier.frameworks import adapter
from tests.verifier.load import find_callable, load, load_probed
from tests.verifier.observation import Array, Inputs, Mode, Observed, Runner, Way
from tests.verifier.stopped import observed

TOLERANCE: Final = 1e-5
"""Of `deviation`: rtol 1e-5 with atol 2e-6, since an epsilon of 1e-12 under a root adds 1e-6."""
_FLOOR: Final = 0.2
_DOMAINS: Final = ((-2.0, 2.0), (0.05, 0.95), (0.5, 3.0), (-0.9, 0.9))
_RAISES_INSTEAD: Final = frozenset(("NAN701",))
"""Rules whose fix has an error take the place of NaN."""
_ROUNDS: Final = 8
_NEXT_TO_NOTHING: Final = 1e-3
"""Of steps that are about 1 where nothing is wrong."""
_CUTS_OFF: Final = frozenset(("NAN505", "NAN509", "NAN601", "NAN602", "NAN603", "NAN604"))
"""Rules whose gradient is no number it should be, but 0: nothing is learned any more."""
_TEACHES_AGAIN: Final = frozenset(("NAN601", "NAN602", "NAN603"))
"""Those of them whose fix is never overtaken by another rule's, so that the gradient is back."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """`complaint` is empty where the claim held; `seen` is what was returned."""

    complaint: str
    seen: str = ""

    def __str__(self) -> str:
        return f"{self.complaint}: {self.seen}" if self.complaint else self.seen


def before(claim: Claim, device: str, mode: Mode = Mode.EAGER) -> Verdict:
    """Whether the original code fails at the witness, and only in the way it is said to."""
    if claim.hazard is None:
        return Verdict("the linter reports nothing on the annotated line")
    inputs = claim.inputs
    if inputs is None:
        return Verdict(f"no witness of {claim.code} gives {', '.join(claim.function.required)}")
    seen = _observed(claim, claim.before, device, mode)
    if claim.hazard is Hazard.STEP:
        return Verdict("" if _takes_no_step(seen) else "the step is one", str(seen))
    if claim.hazard is Hazard.GRADIENT:
        return Verdict(_gradient_complaint(claim, seen), str(seen))
    if claim.hazard is Hazard.ACCURACY:
        return Verdict(digits.complaint_before(claim, seen), str(seen))
    if not seen.has_finite_value or _operation_fails(claim, inputs, device, mode):
        return Verdict("", str(seen))
    return Verdict("the value is finite", str(seen))


def after_at_the_witness(claim: Claim, device: str, mode: Mode = Mode.EAGER) -> Verdict:
    """Whether the fixed code is finite at the witness, with results of the same kind."""
    assert claim.after is not None and claim.inputs is not None
    old = _observed(claim, claim.before, device, mode)
    new = _observed(claim, claim.after, device, mode)
    if claim.code in _RAISES_INSTEAD:
        return Verdict("" if new.raised else "no error tells of it", str(new))
    if not new.has_finite_value:
        return Verdict("the fixed value is not finite", str(new))
    if claim.hazard is Hazard.STEP and _takes_no_step(new):
        return Verdict("the step is next to nothing as before", str(new))
    if not new.has_finite_gradient:
        return Verdict("the fixed gradient is not finite", str(new))
    if claim.code in _TEACHES_AGAIN and _cut_off(old) and _cut_off(old) <= _cut_off(new):
        return Verdict("the gradient is 0 as before", str(new))
    if old.raised is None and _kinds(old) != _kinds(new):
        return Verdict(f"shape or dtype was {_kinds(old)}, now {_kinds(new)}", str(new))
    if claim.hazard is Hazard.ACCURACY:
        return Verdict(digits.complaint_after(claim, new), str(new))
    return Verdict("", str(new))


@dataclass(frozen=True, slots=True)
class Comparison:
    """The largest deviation of fixed code from the original, over the points tried."""

    worst: float
    place: str
    compared: int
    """How many entries of results were finite before, and so were compared."""


def compare(claim: Claim, device: str) -> Comparison:
    """Both versions at the witness, and at moderate inputs where the original is finite.

    A witness at which digits are lost is left out: the original is wrong there.
    """
    assert claim.after is not None and claim.inputs is not None
    old, new = (_runner(claim, text, device) for text in (claim.before, claim.after))
    seen = [(inputs, was, new(inputs)) for inputs, was in _benign(claim.inputs, old)]
    if claim.hazard is not Hazard.ACCURACY:
        both = (_at_witness(claim, text, device) for text in (claim.before, claim.after))
        seen.insert(0, (claim.inputs, *both))
    worst, place, compared = 0.0, "", 0
    for inputs, was, now in seen:
        for name, mine, yours in _pairs(was, now):
            compared += int(np.isfinite(mine.entries).sum())
            found = deviation(mine.entries, yours.entries)
            if found > worst:
                worst, place = found, f"{name} at {_written(inputs)}: {was} became {now}"
    return Comparison(worst, place, compared)


def deviation(old: np.ndarray, new: np.ndarray) -> float:
    """max |new - old| / (|old| + 0.2) over the entries where old is finite.

    >>> deviation(np.array([1.0, np.inf]), np.array([1.12, 5.0]))
    0.1
    """
    old, new = old.astype(np.float64), new.astype(np.float64)
    if old.shape != new.shape:
        return np.inf
    kept = np.isfinite(old)
    if not np.isfinite(new[kept]).all():
        return np.inf
    ratios = np.abs(new[kept] - old[kept]) / (np.abs(old[kept]) + _FLOOR)
    return round(float(ratios.max(initial=0.0)), 12)


def _observed(claim: Claim, text: str, device: str, mode: Mode) -> Observed:
    """What a version does at the witness; where a step is claimed of, it may be stopped."""
    assert claim.inputs is not None
    if claim.hazard is not Hazard.STEP and claim.code not in _RAISES_INSTEAD:
        return _at_witness(claim, text, device, mode)
    return observed(_runner(claim, text, device, mode), claim.inputs, claim.framework)


@cache
def _at_witness(claim: Claim, text: str, device: str, mode: Mode = Mode.EAGER) -> Observed:
    """Executed once, for all that is said of it."""
    assert claim.inputs is not None
    return _runner(claim, text, device, mode)(claim.inputs)


@cache
def _runner(claim: Claim, text: str, device: str, mode: Mode = Mode.EAGER) -> Runner:
    """Cached, so that a compiled function is compiled once."""
    function = find_callable(load(text, claim.stem), claim.function.name)
    framework = adapter(claim.framework)
    return framework.runner(function, framework.place(device), _way(claim, mode))


def _way(claim: Claim, mode: Mode) -> Way:
    """XLA, where the flaw is one of its graphs; plain PyTorch has none."""
    has_one = Mode.GRAPH in adapter(claim.framework).modes or claim.framework == "jax"
    return Way(Mode.COMPILED if claim.compiled and has_one else mode)


def _gradient_complaint(claim: Claim, seen: Observed) -> str:
    if claim.function.differentiates and not seen.has_finite_value:
        return ""
    if claim.value_is_finite and not seen.has_finite_value:
        return "a gradient hazard is claimed, but the value itself is not finite"
    if not seen.gradients:
        return "a gradient hazard is claimed, but autograd refuses to differentiate"
    if claim.code in _CUTS_OFF:
        return "" if _cut_off(seen) else "no gradient is 0 throughout"
    return "the gradient is finite" if seen.has_finite_gradient else ""


def _takes_no_step(seen: Observed) -> bool:
    """What training does is stopped by an error, or next to nothing."""
    steps = [value.entries for value in seen.values]
    return seen.raised is not None or all((np.abs(step) < _NEXT_TO_NOTHING).all() for step in steps)


def _cut_off(seen: Observed) -> set[str]:
    """The inputs to which no gradient comes back."""
    return {name for name, gradient in seen.gradients.items() if not gradient.entries.any()}


def _operation_fails(claim: Claim, inputs: Inputs, device: str, mode: Mode) -> bool:
    """Whether the operation's own value is not finite, though a later one hides it (tanh(inf))."""
    probed = load_probed(claim.before, claim.stem, claim.function.name, claim.spans)
    if probed is None:
        return False
    framework = adapter(claim.framework)
    run = framework.runner(probed, framework.place(device), _way(claim, mode))
    return not run(inputs).has_finite_value


def _kinds(seen: Observed) -> list[str]:
    return [f"{value.dtype}{list(value.entries.shape)}" for value in seen.values]


def _pairs(old: Observed, new: Observed) -> Iterator[tuple[str, Array, Array]]:
    """The results of two executions side by side; none where the old one raised."""
    if old.raised is not None:
        return
    for mine, yours in zip(old.values, new.values, strict=True):
        yield "value", mine, yours
    for name in old.gradients.keys() & new.gradients.keys():
        yield f"d/d{name}", old.gradients[name], new.gradients[name]


def _benign(witness: Inputs, old: Runner) -> list[tuple[Inputs, Observed]]:
    """One round of moderate inputs where the old code is finite, the same in every run."""
    random = np.random.default_rng(20240229)
    for _ in range(_ROUNDS):
        points: list[Inputs] = [
            {name: _draw(random, array, low, high) for name, array in witness.items()}
            for low, high in _DOMAINS
        ]
        tried = [(point, old(point)) for point in points]
        if finite := [(point, seen) for point, seen in tried if seen.is_finite]:
            return finite
    return []


def _draw(random: np.random.Generator, array: np.ndarray, low: float, high: float) -> np.ndarray:
    """Floats from `low` to `high`; integers and booleans among the witness's own, 0 and 1."""
    if array.dtype.kind == "f":
        drawn = random.uniform(low, high, array.shape)
    else:
        drawn = random.choice(np.unique([*array.ravel(), 0, 1]), array.shape)
    return np.asarray(drawn, dtype=array.dtype)


def _written(inputs: Inputs) -> str:
    return ", ".join(f"{name} = {array.tolist()}" for name, array in inputs.items())
