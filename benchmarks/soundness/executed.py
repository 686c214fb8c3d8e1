"""Execute a generated program on inputs, to see whether that refutes the tool's silence."""

from __future__ import annotations

import ast
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

import numpy

from benchmarks.soundness import jax_values, numpy_values, torch_gradients, torch_values
from benchmarks.soundness.derivation import Program
from mllint_nan.findings import Confidence
from mllint_nan.linter import check_text
from mllint_nan.settings import Settings

_AUDIT: Final = Settings(min_confidence=Confidence.POSSIBLE, ignore=("NAN505", "NAN6"))
"""All hazards of non-finite numbers; a gradient of 0 is none."""
_ROUNDS: Final = (0, 1, 2, 3)
"""The values of `n`, which programs use in branches and loops."""


class Outcome(Enum):
    """The outcome for a program."""

    UNREAD = "no Python"
    FAILED = "every run raises an error"
    FOUND = "reported, and a run breaks"
    CAUTIOUS = "reported, and no run breaks"
    RIGHT = "silent, and no run breaks"
    WRONG = "silent, and a run breaks"


@dataclass(frozen=True, slots=True)
class Kind:
    """Programs of one framework, and how they are judged."""

    program: Callable[[int], Program]
    framework: str
    of_gradients: bool = False
    format: type = numpy.float32


KINDS: Final = {
    "values": Kind(torch_values.program, "torch"),
    "gradients": Kind(torch_gradients.program, "torch", True, numpy.float64),
    "jax": Kind(jax_values.program, "jax"),
    "numpy": Kind(numpy_values.program, "numpy"),
}


def judged(kind: Kind, seed: int) -> Outcome:
    """Return the outcome of a seed's program, which is executed in this process."""
    program = kind.program(seed)
    try:
        tree = ast.parse(program.text)
    except SyntaxError:
        return Outcome.UNREAD
    read = (node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    rounds = _ROUNDS if "n" in read else _ROUNDS[:1]
    runs = [_breaks(kind, program, *results) for results in _results(kind, program, seed, rounds)]
    if not runs:
        return Outcome.FAILED
    if is_silent(kind, program):
        return Outcome.WRONG if any(runs) else Outcome.RIGHT
    return Outcome.FOUND if any(runs) else Outcome.CAUTIOUS


def is_silent(kind: Kind, program: Program) -> bool:
    """Whether nothing is reported for a program's last operation, or for gradients, for any."""
    rows = {one.start.row for one in check_text(program.text, "program.py", _AUDIT)}
    return not rows if kind.of_gradients else program.text.count("\n") not in rows


def _breaks(kind: Kind, program: Program, operand: Any, result: Any) -> bool:
    """Whether the last operation is singular at a finite operand, or a gradient is not finite."""
    if not numpy.isfinite(operand).all():
        return False  # an earlier operation broke
    if kind.of_gradients:
        return not all(numpy.isfinite(one).all() for one in result if one is not None)
    singular = {"log": operand <= 0, "reciprocal": operand == 0, "sqrt": operand < 0}
    return bool(singular[program.operation].any())


def _results(
    kind: Kind, program: Program, seed: int, rounds: Sequence[int]
) -> Iterator[tuple[Any, Any]]:
    """Yield the results of every run that raises no error, as NumPy arrays."""
    names: dict[str, Any] = {}
    exec(compile(program.text, "program.py", "exec"), names)
    run, tensor, array = _MEANS[kind.framework]()
    for x, y in _inputs(kind, seed):
        for number in rounds:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    given = (types.SimpleNamespace(), tensor(x.copy()), tensor(y.copy()), number)
                    operand, result = run(seed, names["f"], *given)
                    if kind.of_gradients:
                        result = [array(one) for one in result if one is not None]
                yield array(operand), result
            except Exception:
                continue


def _torch() -> _Means:
    import torch

    def run(seed: int, function: Callable[..., Any], *given: Any) -> Any:
        # `torch.manual_seed` formats the stack for each kind of device that may be used later.
        torch.default_generator.manual_seed(seed)
        return function(*given)

    return run, torch.from_numpy, lambda tensor: tensor.detach().numpy()


def _jax() -> _Means:
    import jax

    def run(seed: int, function: Callable[..., Any], *given: Any) -> Any:
        with jax.disable_jit():  # one run takes far less time than a compilation
            return function(*given)

    return run, jax.numpy.asarray, numpy.asarray


def _numpy() -> _Means:
    def run(seed: int, function: Callable[..., Any], *given: Any) -> Any:
        numpy.random.seed(seed)
        return function(*given)

    return run, numpy.asarray, numpy.asarray


_Means = tuple[Callable[..., Any], Callable[[Any], Any], Callable[[Any], Any]]
"""How to run a function, to convert an array to a tensor, and a tensor to an array."""
_MEANS: Final[dict[str, Callable[[], _Means]]] = {"torch": _torch, "jax": _jax, "numpy": _numpy}


def _inputs(kind: Kind, seed: int) -> Iterator[tuple[Any, Any]]:
    """Yield pairs of finite matrices: ordinary, equal, constant, large, and with edge cases."""
    chance = numpy.random.default_rng(seed)
    shape = (3, 3)

    def row() -> Any:
        return chance.standard_normal(shape)

    same = row()
    edges = [[-1.0, 0.0, 1.0], [0.5, -0.25, 2.0], [1e-3, 3.0, 0.0]]
    hot = [[1.0, 0.0, 0.0], [2.0, 2.0, -1.0], [0.0, 0.0, 0.0]]
    for x, y in (
        (row() * 3, row()),
        (numpy.zeros(shape), numpy.zeros(shape)),
        (numpy.full(shape, -2.0), numpy.full(shape, 2.0)),
        (row() * 50, numpy.eye(3)),
        (same, same),
        (edges, hot),
    ):
        yield numpy.asarray(x, kind.format), numpy.asarray(y, kind.format)
