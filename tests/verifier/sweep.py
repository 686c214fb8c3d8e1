"""A fix over the whole range of a float format: how wrong is it, and was the original?

Every binade of both signs, and the points where functions break, go through both versions as one
array; what comes out is held against the oracle, entry by entry. Errors count in units in the last
place of the true result, gradients alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from mllint_nan.domains.dtype import FORMATS
from mllint_nan.findings import Hazard
from tests.verifier.errors import Errors, compare
from tests.verifier.frameworks import adapter
from tests.verifier.ground_truth import GroundTruth
from tests.verifier.observation import Array, Mode, Observed, Runner, Way
from tests.verifier.points import empty_inputs_of
from tests.verifier.samples import Sample, parts_of

LOST: Final = 1000.0
KEPT: Final = 16.0
"""In units in the last place: how wrong a result is that has lost its digits, or kept them."""


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

    def mends(self, hazard: Hazard) -> bool:
        """Whether the fix repairs anything: what is not finite, or has lost its digits."""
        if hazard is not Hazard.ACCURACY:
            return self.sides[hazard].mended > 0
        value = self.sides[Hazard.VALUE]
        return value.before > LOST and value.after <= KEPT


def sweep(
    sample: Sample, dtype: str, device: str, mode: Mode, tried: Sequence[GroundTruth]
) -> Swept:
    """Both versions at all points."""
    framework = adapter(sample.framework)
    found = Swept()
    runners: dict[tuple[int, ...], list[Runner]] = {}
    for ground_truth in tried:
        shape = ground_truth.weights.shape
        if shape not in runners:  # all weights of a shape are the same
            way = Way(mode, dtype, ground_truth.weights)
            runners[shape] = [
                framework.runner(function, framework.place(device), way)
                for function in functions(sample, dtype)
            ]
        seen: list[Observed] = []
        for run in runners[shape]:
            try:
                seen.append(run(ground_truth.inputs))
            except Exception as error:  # whatever a framework raises is what the report says
                said = f"{type(error).__name__}: {_told(error)}"
                return replace(found, trouble=said) if seen else replace(found, absent=said)
        _add(found, sample, dtype, ground_truth, seen)
    return found


def _told(error: Exception) -> str:
    """Its first line; the last where that only announces one, as `tf.function` does."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [""]
    return lines[-1] if lines[0].endswith(":") else lines[0]


def sweep_together(
    samples: Sequence[Sample],
    dtype: str,
    device: str,
    mode: Mode,
    tried: Sequence[Sequence[GroundTruth]],
) -> list[Swept]:
    """What `sweep` says of each, where both versions of all are one function, compiled once.

    What the framework raises about any of them is raised.
    """
    found = [Swept() for _ in samples]
    for count in dict.fromkeys(map(len, tried)):
        places = [place for place, ground_truths in enumerate(tried) if len(ground_truths) == count]
        run = _together([samples[place] for place in places], dtype, device, mode)
        for ground_truths in zip(*(tried[place] for place in places), strict=True):
            for place, ground_truth, seen in zip(
                places, ground_truths, run(ground_truths), strict=True
            ):
                _add(found[place], samples[place], dtype, ground_truth, seen)
    return found


def sweep_alike(
    samples: Sequence[Sample],
    dtype: str,
    device: str,
    mode: Mode,
    tried: Sequence[Sequence[GroundTruth]],
) -> list[Swept]:
    """What `sweep` says of each, where both versions of all whose results have the same shapes at
    every trial are compiled as one, unless the framework raises something about any of them."""
    found = [Swept() for _ in samples]
    alike: dict[tuple[tuple[int, ...], ...], list[int]] = {}
    for place, ground_truths in enumerate(tried):
        shapes = tuple(ground_truth.weights.shape for ground_truth in ground_truths)
        alike.setdefault(shapes, []).append(place)
    for places in alike.values():
        chosen, of_chosen = zip(*((samples[each], tried[each]) for each in places), strict=True)
        try:
            swept = sweep_together(chosen, dtype, device, mode, of_chosen)
        except Exception:  # each says for itself what the framework raises
            both = zip(chosen, of_chosen, strict=True)
            swept = [sweep(sample, dtype, device, mode, trials) for sample, trials in both]
        for place, each in zip(places, swept, strict=True):
            found[place] = each
    return found


def _together(
    samples: Sequence[Sample], dtype: str, device: str, mode: Mode
) -> Callable[[Sequence[GroundTruth]], Iterator[tuple[Observed, Observed]]]:
    """Executes both versions of all samples, at a trial of each."""
    framework = adapter(samples[0].framework)
    versions = [version for sample in samples for version in functions(sample, dtype)]
    owned = [
        {variable.name: f"{variable.name}_{place}" for variable in sample.cut.variables}
        for place, sample in enumerate(each for each in samples for _ in range(2))
    ]
    parameters = ", ".join(own for names in owned for own in names.values())
    calls = (
        f"version_{place}({', '.join(f'{name}={own}' for name, own in names.items())})"
        for place, names in enumerate(owned)
    )
    function = eval(
        f"lambda {parameters}: [{', '.join(calls)}]",
        {f"version_{place}": version for place, version in enumerate(versions)},
    )
    runners: dict[tuple[tuple[int, ...], ...], Runner] = {}

    def run(ground_truths: Sequence[GroundTruth]) -> Iterator[tuple[Observed, Observed]]:
        doubled = [ground_truth for ground_truth in ground_truths for _ in range(2)]
        shapes = tuple(ground_truth.weights.shape for ground_truth in doubled)
        if shapes not in runners:
            way = Way(mode, dtype, tuple(ground_truth.weights for ground_truth in doubled))
            runners[shapes] = framework.runner(function, framework.place(device), way)
        inputs = {
            own: ground_truth.inputs[name]
            for ground_truth, names in zip(doubled, owned, strict=True)
            for name, own in names.items()
        }
        seen = runners[shapes](inputs)
        each = [
            Observed(
                (value,),
                {name: seen.gradients[own] for name, own in names.items() if own in seen.gradients},
            )
            for value, names in zip(seen.values, owned, strict=True)
        ]
        return zip(each[::2], each[1::2], strict=True)

    return run


def empty(sample: Sample, dtype: str, device: str, mode: Mode) -> str:
    """What is wrong with the fix where its inputs have no entries; nothing if the original raises.

    It returns what the original does, or what is finite, in the same shape. It may raise if it asks
    for the largest of the entries, of which there is none.
    """
    framework = adapter(sample.framework)
    old, new = (
        framework.runner(function, framework.place(device), Way(mode, dtype))
        for function in functions(sample, dtype)
    )
    for inputs in empty_inputs_of(sample):
        try:
            was = old(inputs)
        except Exception:  # it has no meaning there
            continue
        try:
            now = new(inputs)
        except Exception as error:
            if _takes_extreme(sample):
                continue
            return f"{type(error).__name__}: {error}"
        if _kind(was) != _kind(now):
            return f"{_kind(was)} became {_kind(now)}"
        for mine, yours in zip(was.values, now.values, strict=True):
            if not (yours.is_finite or np.array_equal(mine.entries, yours.entries, equal_nan=True)):
                return f"{mine.entries.tolist()} became {yours.entries.tolist()}"
        if not now.has_finite_gradient:
            return f"its gradient is {now}"
    return ""


def _takes_extreme(sample: Sample) -> bool:
    return any(part.operation.name in ("max", "min") for part in parts_of(sample.cut.after))


def _add(
    found: Swept, sample: Sample, dtype: str, ground_truth: GroundTruth, seen: Sequence[Observed]
) -> None:
    old, new = (_with_value(each, ground_truth) for each in seen)
    found.points += 1
    found.kinds = _kind(old), _kind(new)
    if _kind(old) == _kind(new):
        compare(found.sides, sample, ground_truth, (old, new), FORMATS[dtype])


def _with_value(seen: Observed, ground_truth: GroundTruth) -> Observed:
    """An arithmetic error of Python as NaN, in its own format."""
    if seen.raised is None:
        return seen
    return Observed((Array(np.full(ground_truth.weights.shape, np.nan), "float64"),))


def functions(sample: Sample, dtype: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The original and the fixed expression, of the sample's inputs by name."""
    rendered = sample.rendered(dtype)
    names: dict[str, Any] = {}
    exec("\n".join(rendered.imports), names)
    if any(variable.is_number for variable in sample.cut.variables):
        for name, (statement, text) in _OF_EACH[sample.framework].items():
            exec(statement, names)
            names[name] = eval(text, names)
    parameters = ", ".join(variable.name for variable in sample.cut.variables)

    def function(text: str) -> Callable[..., Any]:
        made: Callable[..., Any] = eval(f"lambda {parameters}: {text}", dict(names))
        return made

    return function(rendered.before), function(rendered.after)


_OF_EACH: Final[Mapping[str, Mapping[str, tuple[str, str]]]] = {
    "torch": {"max": ("import torch", "lambda x, least: torch.clamp(x, min=least)")},
    "tensorflow": {"max": ("import tensorflow as tf", "tf.maximum")},
    "keras": {"max": ("import tensorflow as tf", "tf.maximum")},
    "jax": {"max": ("import jax.numpy as jnp", "jnp.maximum")},
    "numpy": {"max": ("import numpy as np", "np.maximum")},
}
"""What Python does with one number, done to many at once: each of a sweep is one of its own."""


def _kind(seen: Observed) -> str:
    return ", ".join(f"{value.dtype}{list(value.entries.shape)}" for value in seen.values)
