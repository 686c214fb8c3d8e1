"""Runs what rules find and repair along a line of inputs, and draws what comes out.

    python -m tests.pictures                 writes docs/pictures/<rule>.svg
    python -m tests.pictures sqrt-at-zero    one of them

Most pictures show errors: an expression that the rule repairs in a fixture, and its repair, cut out
as `--verify` cuts them from a program, against the sweep's oracle and in its units. Where there is
no repair, where it is another function in exact arithmetic, or where what breaks is the format's
range, they show the results themselves.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from handbook import scales
from handbook.drawing import Curve, Drawing, Panel, drawn
from handbook.rule_pages import PICTURES
from mllint_nan.domains.dtype import FORMATS
from mllint_nan.findings import Hazard
from mllint_nan.rulebook.descriptions import FRAMEWORKS
from mllint_nan.rulebook.load import load_rules
from mllint_nan.rulebook.rule import Rule
from tests.fixture_files import FIXTURES, FixtureFile
from tests.picture_lines import COURSES, LINES, Axis, Course, Entries, Line
from tests.picture_words import told
from tests.verifier.frameworks import adapter, framework_of
from tests.verifier.ground_truth import ground_truth
from tests.verifier.load import find_callable, load
from tests.verifier.observation import PLAIN, Mode, Observed, Runner, Way
from tests.verifier.oracle import Oracle
from tests.verifier.points import layout
from tests.verifier.samples import Sample, collected
from tests.verifier.sweep import functions
from tests.verifier.units import Split

SIDES: Final = (Hazard.VALUE, Hazard.GRADIENT)
NO_REPAIR: Final = "no repair by machine"


_DRAWN: Final = (Hazard.VALUE, Hazard.GRADIENT)


@dataclass(frozen=True, slots=True)
class Measured:
    """Wrong bits of values and gradients, or what they are, at the inputs of an axis.

    Infinite where the result is NaN or infinite; NaN where there is no finite true value.
    """

    inputs: np.ndarray
    heights: Mapping[Hazard, np.ndarray]


@dataclass(frozen=True, slots=True)
class Subject:
    """What is run before and after, as text and as a function; after is None without a repair."""

    framework: str
    before: tuple[str, Callable[..., Any]]
    after: tuple[str, Callable[..., Any]] | None


def rule_named(name: str) -> Rule:
    return next(rule for rule in load_rules() if rule.name == name)


def line_of(name: str) -> Line | Course:
    return LINES.get(name) or COURSES[name]


def sample_of(name: str, expression: str, dtype: str) -> Sample:
    """The sample of a rule's fixtures that is so written; raises `LookupError`."""
    for sample in collected(name).samples:
        if sample.rule.name == name and sample.rendered(dtype).before == expression:
            return sample
    raise LookupError(f"no fixture of {name} has {expression}")


def subject_of(name: str) -> Subject:
    """What a rule's picture is about; raises `LookupError`."""
    line = line_of(name)
    if isinstance(line, Course) and line.stem:
        return _of_fixture(name, line)
    sample = sample_of(name, line.source, line.dtype)
    written = sample.rendered(line.dtype)
    before, after = functions(sample, line.dtype)
    return Subject(sample.framework, (written.before, before), (written.after, after))


def _of_fixture(name: str, course: Course) -> Subject:
    file = FixtureFile(FIXTURES / name / f"{course.stem}.py")
    before, after = (
        (_body(text, course.function), find_callable(load(text, course.stem), course.function))
        for text in (file.data.decode(), file.fixed_data.decode())
    )
    is_repaired = before[0] != after[0]
    return Subject(framework_of(course.stem), before, after if is_repaired else None)


def _body(text: str, function: str) -> str:
    """The statements of a function in one line."""
    statements = next(
        node.body
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef) and node.name == function
    )
    texts = (ast.get_source_segment(text, node) or "" for node in statements)
    return "; ".join(each.removeprefix("return ") for each in texts)


@cache
def measured(name: str) -> tuple[Measured, Measured | None]:
    """A rule's expression, and its repair if it has one, at all inputs."""
    line = line_of(name)
    if isinstance(line, Line):
        return _errors(sample_of(name, line.source, line.dtype), line)
    subject = subject_of(name)
    before = _results(subject.framework, subject.before[1], line)
    after = _results(subject.framework, subject.after[1], line) if subject.after else None
    return before, after


def picture(name: str) -> str:
    """The SVG of one rule."""
    line, subject = line_of(name), subject_of(name)
    before, after = measured(name)
    panels = [
        Panel(
            _title(line, hazard),
            scales.wrong_bits(FORMATS[line.dtype].precision)
            if isinstance(line, Line)
            else scales.RESULTS,
            _curve(before, hazard, line.axis),
            after and _curve(after, hazard, line.axis),
        )
        for hazard in SIDES
        if not np.isnan(before.heights[hazard]).all()
    ]
    shown = "wrong bits" if isinstance(line, Line) else "results"
    return drawn(
        Drawing(
            f"{name}: {shown} before and after, by t",
            " ".join(told(line, panels)),
            subject.before[0],
            subject.after[0] if subject.after else NO_REPAIR,
            f"{FRAMEWORKS[subject.framework]}, {line.dtype}, {line.inputs_in_words}",
            line.axis.scale,
            panels,
        )
    )


def _title(line: Line | Course, hazard: Hazard) -> str:
    if isinstance(line, Line):
        return f"{hazard}: wrong bits"
    return f"gradient by {line.by}" if hazard is Hazard.GRADIENT else "value"


def _curve(run: Measured, hazard: Hazard, axis: Axis) -> Curve:
    """The worst input of those that stand together."""
    inputs = run.inputs.reshape(-1, axis.together)
    heights = run.heights[hazard].reshape(-1, axis.together)
    worst = heights.max(axis=1)
    return Curve([float(x) for x in inputs[:, axis.together // 2]], [float(each) for each in worst])


def _errors(sample: Sample, line: Line) -> tuple[Measured, Measured]:
    t = line.axis.inputs
    _, rows = layout(sample)
    if rows is not None:
        return _compared(sample, line, t, rows)
    single = [_compared(sample, line, t[place : place + 1], None) for place in range(len(t))]
    before, after = zip(*single, strict=True)
    return _joined(t, before), _joined(t, after)


def _joined(t: np.ndarray, parts: Sequence[Measured]) -> Measured:
    return Measured(
        t, {hazard: np.concatenate([part.heights[hazard] for part in parts]) for hazard in SIDES}
    )


def _compared(
    sample: Sample, line: Line, t: np.ndarray, rows: int | None
) -> tuple[Measured, Measured]:
    """Both versions, as the framework computes them on the CPU; all is one row with None."""
    given = {name: _along(entries, t, rows) for name, entries in line.given.items()}
    truth = ground_truth(
        sample,
        Oracle(FORMATS[line.dtype], closer=line.axis.closer),
        given,
        rows,
        lambda shape: _last(shape, rows),
    )

    def of_line(array: np.ndarray) -> np.ndarray:
        """The last entry of each result."""
        by_row = array[None] if rows is None else np.moveaxis(array, min(rows, array.ndim - 1), 0)
        return by_row.reshape(len(t), -1)[:, -1]

    def slope(gradients: Mapping[str, np.ndarray]) -> np.ndarray:
        """The sum over the entries by which it is."""
        total = np.zeros(len(t), dtype=object)
        for name, entries in line.given.items():
            gradient = gradients[name]
            by_row = gradient[None] if rows is None else np.moveaxis(gradient, rows, 0)
            is_by = np.ravel(np.array(entries, dtype=object)) == line.by
            total = total + by_row.reshape(len(t), -1)[:, is_by].sum(axis=1)
        return total

    true = {
        Hazard.VALUE: Split.of(of_line(truth.before.value)),
        Hazard.GRADIENT: Split.of(slope(truth.before.gradients)),
    }
    mode = Mode.COMPILED if sample.framework == "jax" and rows is None else Mode.EAGER
    found = []
    for function in functions(sample, line.dtype):
        way = Way(mode, line.dtype, truth.weights)
        seen = adapter(sample.framework).runner(function, "cpu", way)(given)
        gradients = {name: array.entries for name, array in seen.gradients.items()}
        computed = {
            Hazard.VALUE: of_line(seen.values[0].entries),
            Hazard.GRADIENT: slope(gradients).astype(np.float64),
        }
        bits = {
            hazard: _wrong_bits(computed[hazard], true[hazard], t, line.dtype) for hazard in SIDES
        }
        found.append(Measured(t, bits))
    return found[0], found[1]


def _along(entries: Entries, t: np.ndarray, rows: int | None) -> np.ndarray:
    """An input at all t at once, rows along their axis; or at the only one."""
    shape = np.shape(np.array(entries, dtype=object))
    flat = np.ravel(np.array(entries, dtype=object))
    columns = [
        eval(entry, {"t": t}) if isinstance(entry, str) else np.full_like(t, entry)
        for entry in flat
    ]
    array = np.stack(columns, axis=1).reshape(len(t), *shape)
    return np.ascontiguousarray(array[0] if rows is None else np.moveaxis(array, 0, rows))


def _last(shape: tuple[int, ...], rows: int | None) -> np.ndarray:
    """Weights of a result: 1 for the last entry of each row's."""
    weights = np.zeros(shape)
    if rows is None:
        weights.reshape(-1)[-1:] = 1.0
    else:
        by_row = np.moveaxis(weights, min(rows, len(shape) - 1), 0)
        by_row[(slice(None), *(-1,) * (len(shape) - 1))] = 1.0
    return weights


def _wrong_bits(computed: np.ndarray, true: Split, t: np.ndarray, dtype: str) -> np.ndarray:
    """log2 of the error in halves of a unit in the last place, from 0 to all bits.

    At 0 itself, where there may be no true result, nothing finite is wrong.
    """
    form = FORMATS[dtype]
    halves = 2 * true.ulps(computed.astype(np.float64), form)
    with np.errstate(invalid="ignore"):
        bits = np.clip(np.log2(np.maximum(halves, 1.0)), 0, form.precision)
        fits = np.abs(true.high) <= form.max
    bits = np.where(fits, bits, np.where(t == 0, 0.0, np.nan))
    return np.where(~np.isfinite(computed) & (fits | (t == 0)), np.inf, bits)


def _results(framework: str, function: Callable[..., Any], course: Course) -> Measured:
    """One version at all t, one after the other."""
    seen = []
    runner: Runner | None = None
    for t in course.axis.inputs:
        given = {name: _evaluated(text, t) for name, text in course.given.items()}
        if runner is None:
            plain = adapter(framework).runner(function, "cpu", PLAIN)(given)
            weights = _last(plain.values[0].entries.shape, None)
            way = Way(Mode.EAGER, course.dtype, weights)
            runner = adapter(framework).runner(function, "cpu", way)
        seen.append(runner(given))
    heights = {
        Hazard.VALUE: [_height(each.values[0].entries.ravel()[-1:]) for each in seen],
        Hazard.GRADIENT: [_height(_gradient(each, course.by)) for each in seen],
    }
    return Measured(
        course.axis.inputs, {hazard: np.array(each) for hazard, each in heights.items()}
    )


def _gradient(seen: Observed, by: str) -> np.ndarray:
    return seen.gradients[by].entries


def _evaluated(text: str, t: np.float32) -> np.ndarray:
    """An expression of NumPy as an array of float32, int32 or booleans."""
    array = np.asarray(eval(text, {**vars(np), "t": t}))
    own = {"f": np.float32, "i": np.int32}
    return array.astype(own.get(array.dtype.kind, array.dtype))


def _height(entries: np.ndarray) -> float:
    """The first entry that is about the largest; infinite if one is NaN or infinite."""
    entries = np.ravel(entries).astype(np.float64)
    if not np.isfinite(entries).all():
        return np.inf
    sizes = np.abs(entries)
    return float(entries[np.argmax(sizes >= 0.8 * sizes.max())])


def main(names: Sequence[str]) -> int:
    drawable = [*LINES, *COURSES]
    unknown = [name for name in names if name not in drawable]
    if unknown:
        print(f"no line of inputs for {', '.join(unknown)}", file=sys.stderr)
        return 2
    PICTURES.mkdir(exist_ok=True)
    for name in names or drawable:
        path = Path(PICTURES / f"{name}.svg")
        path.write_text(picture(name), encoding="utf-8")
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
