"""Check whether a fact about one expression is wrongly applied to another.

    python -m benchmarks.soundness.pairs torch|jax|numpy|tensorflow [--every N]

Each expression of a table is guarded, and the logarithm of every expression is taken under the
guard. If nothing is reported with `--min-confidence possible`, the operand counts as proved to be
above 0; draws for which the guard holds may refute that. With `--every N`, only each Nth expression
is guarded.

Exit status: 1 if a silence is refuted.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import CodeType
from typing import Any, Final

import numpy
import tomli

from mllint_nan.findings import Confidence
from mllint_nan.linter import check_text
from mllint_nan.settings import Settings

_TABLES: Final = Path(__file__).with_name("expressions.toml")
_AUDIT: Final = Settings(min_confidence=Confidence.POSSIBLE, select=("NAN2",))
_DRAWS: Final = 400
_SHAPES: Final = ((2, 2), (3, 3), (3,), (2, 3), (2, 1), (1, 3), (4, 4), (1, 2, 4))


@dataclass(frozen=True, slots=True)
class Framework:
    """How a framework writes and executes a program of two expressions."""

    imports: str
    log: str
    holds: str
    annotation: str

    def program(self, guarded: str, operands: Sequence[str]) -> str:
        """Return one logarithm a line under the guard, from `first_row` on."""
        parameters = ", ".join(f"{name}{self.annotation}" for name in "xijm")
        lines = "".join(f"            {self.log}({operand}),\n" for operand in operands)
        condition = self.holds.format(f"{guarded} > 0")
        return (
            f"{self.imports}\n\n\ndef f({parameters}):\n    if {condition}:\n"
            f"        return [\n{lines}        ]\n    return []\n"
        )

    @property
    def first_row(self) -> int:
        return self.imports.count("\n") + 7


FRAMEWORKS: Final = {
    "torch": Framework("import torch", "torch.log", "({}).all()", ": torch.Tensor"),
    "numpy": Framework("import numpy as np", "np.log", "({}).all()", ": np.ndarray"),
    "jax": Framework("import jax\nimport jax.numpy as jnp", "jnp.log", "({}).all()", ": jax.Array"),
    "tensorflow": Framework(
        "import tensorflow as tf", "tf.math.log", "tf.reduce_all({})", ": tf.Tensor"
    ),
}


def expressions(framework: str) -> list[str]:
    """Return all expressions of a framework's table, each once."""
    return list(dict.fromkeys(tomli.loads(_TABLES.read_text(encoding="utf-8"))[framework].split()))


def silent_behind(framework: str, guarded: str, operands: Sequence[str]) -> list[str]:
    """Return the operands whose logarithms are not reported under a guard.

    Raises SyntaxError if an expression is invalid.
    """
    means = FRAMEWORKS[framework]
    text = means.program(guarded, operands)
    ast.parse(text)  # a file that is not Python has no other findings
    rows = {one.start.row for one in check_text(text, "program.py", _AUDIT)}
    return [one for row, one in enumerate(operands, means.first_row) if row not in rows]


@dataclass
class Executed:
    """The values of expressions for the draws, each computed once."""

    framework: str
    draws: int = _DRAWS
    _kept: dict[str, list[Any]] = field(default_factory=dict)

    @cached_property
    def _names(self) -> dict[str, Any]:
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # otherwise each error is logged
        names: dict[str, Any] = {}
        exec(FRAMEWORKS[self.framework].imports, names)
        return names

    @cached_property
    def _draws(self) -> list[dict[str, Any]]:
        if self.framework == "numpy":
            return list(drawn(self.draws))
        if self.framework == "torch":
            tensor = self._names["torch"].from_numpy
        elif self.framework == "jax":
            tensor = self._names["jnp"].asarray
        else:
            tensor = self._names["tf"].constant
        return [{name: tensor(array) for name, array in draw.items()} for draw in drawn(self.draws)]

    def values(self, expression: str) -> list[Any]:
        """Return an array for each draw, or None if the expression raises or gives no array."""
        if expression not in self._kept:
            code = compile(expression, "expression", "eval")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._kept[expression] = [self._value(code, draw) for draw in self._draws]
        return self._kept[expression]

    def _value(self, code: CodeType, draw: dict[str, Any]) -> Any:
        try:
            value = numpy.asarray(eval(code, self._names, draw))
        except Exception:
            return None
        return value if value.dtype.kind in "fiub" and value.size else None

    def refuted(self, guarded: str, operand: str) -> int | None:
        """Return the first draw where the guard holds and the finite operand is not positive."""
        pairs = zip(self.values(guarded), self.values(operand), strict=True)
        for number, (known, value) in enumerate(pairs):
            if known is None or value is None or not (known > 0).all():
                continue
            if numpy.isfinite(value).all() and (value <= 0).any():
                return number
        return None


def drawn(number_of_draws: int) -> Iterator[dict[str, Any]]:
    """Yield arrays for `x`, `i`, `j` and `m`, of small whole numbers or fractions.

    Some are mostly positive; `i` and `j` are often indices, and `m` is a mask."""
    chance = numpy.random.default_rng(0)
    for number in range(number_of_draws):
        shape = random.Random(number).choice(_SHAPES)
        x: Any = chance.integers(-2, 4, shape).astype(numpy.float32)
        if number % 3 == 0:
            x = x.clip(0)
        if number % 5 == 0:
            x = numpy.where(chance.random(shape) < 0.2, -1, x.clip(0) * 0.5)
        if number % 7 == 0:
            x = chance.random(shape) - 0.15
        if number % 11 == 0:
            x = x + 0.5
        i: Any = chance.integers(0, min(shape), shape)
        j: Any = chance.integers(0, min(shape), shape)
        if number % 2 == 0:
            i = chance.integers(-1, 4, shape).astype(numpy.float32)
        if number % 4 > 1:
            j = chance.random(shape, numpy.float32)
        if number % 6 == 0:
            i = numpy.asarray(0)
        yield {"x": x.astype(numpy.float32), "i": i, "j": j, "m": chance.random(shape) < 0.5}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soundness.pairs")
    parser.add_argument("framework", choices=tuple(FRAMEWORKS))
    parser.add_argument("--every", type=int, default=1, help="guard each Nth expression")
    options = parser.parse_args()
    all_of_them, executed = expressions(options.framework), Executed(options.framework)
    silences = refuted = 0
    for guarded in all_of_them[:: options.every]:
        for operand in silent_behind(options.framework, guarded, all_of_them):
            silences += 1
            draw = executed.refuted(guarded, operand)
            if draw is not None:
                refuted += 1
                print(f"{guarded} > 0, but not {operand}: draw {draw}", flush=True)
    print(f"{silences:,} of {len(all_of_them[:: options.every]) * len(all_of_them):,} are silent")
    print(f"{refuted:,} of these are refuted")
    return int(refuted > 0)


if __name__ == "__main__":
    sys.exit(main())
