"""The shapes of inputs that both sides accept, with results of one kind."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from mllint_nan.verify.execution.sampling import AXES_APART, Sampler
from mllint_nan.verify.execution.task import Task

_SHAPES: Final = ((), (3,), (2, 3), (3, 3), (3, 3, 3), (3, 3, 3, 3), (3, 3, 3, 3, 3))
_BROADCAST_MOST: Final = 2
_MANY: Final = 509


def shapes(task: Task, sampler: Sampler) -> tuple[list[tuple[int, ...]], str]:
    """Return the shapes that both sides accept, one of each rank, and the last refusal."""
    found: list[tuple[int, ...]] = []
    reason = "no input shape fits"
    raised = None
    for shape in _SHAPES:
        if any(len(shape) == len(other) or len(other) >= 2 for other in found):
            continue
        if len(found) == 2 and not task.has_axis:
            break  # without an axis, a matrix is no different from a row
        said = _refused(task, sampler, shape)
        if said is None:
            found.append(shape)
        else:
            reason = said
            raised = raised or task.outcome.raised
    if not found:
        task.outcome.counterexample = task.outcome.counterexample or raised
    if task.has_axis and found and _refused(task, sampler, AXES_APART) is None:
        found.append(AXES_APART)
    return found, reason


def broadcasts(task: Task, sampler: Sampler) -> Iterator[None]:
    """Broadcast each input in turn along the last axis, if the original accepts that."""
    if len(task.variables) < 2:
        return
    shape = _SHAPES[2]
    for variable in task.variables[:_BROADCAST_MOST]:
        if _refused(task, sampler, shape, variable.name) is None:
            yield
    task.layout = replace(task.layout, narrow="")


def enlarged(task: Task, sampler: Sampler, shape: tuple[int, ...]) -> bool:
    """Whether the shape could be enlarged to many elements, if the result combines several."""
    if not shape:
        return False
    if len(task.run("before", sampler.drawn(1.0)).value) == math.prod(shape) and not task.has_axis:
        return False
    is_taken = _refused(task, sampler, (*shape[:-1], _MANY)) is None
    if not is_taken:
        task.layout = replace(task.layout, shape=shape)
    return is_taken


def _refused(task: Task, sampler: Sampler, shape: tuple[int, ...], narrow: str = "") -> str | None:
    """Return why inputs of a shape are refused; otherwise, compare the kinds of the results."""
    task.layout = replace(task.layout, shape=shape, narrow=narrow)
    point = sampler.drawn(1.0)
    before = None
    reason = what = None
    try:
        before = task.kind("before", point)
        after = task.kind("after", point)
    except Exception as error:
        reason = f"{type(error).__name__}: {next(iter(str(error).splitlines()), '')}"
        if before is not None:
            what = f"the result was {before}, and the fix raises {reason}"
            task.outcome.raised = task.shown(point, what)
            if shape != AXES_APART:
                return reason
    else:
        if before != after:
            what = f"the result was {before}, and is now {after}"
    if what is not None and task.outcome.counterexample is None:
        task.outcome.counterexample = task.shown(point, what)
    return reason
