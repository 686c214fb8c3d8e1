"""What draws in TensorFlow draws the same each time it is executed, whatever ran before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.on_demand import installed
from tests.verifier.frameworks import adapter
from tests.verifier.observation import Mode, Way

pytestmark = pytest.mark.slow

tf: Any = installed("tensorflow")
AT = {"x": np.ones(3, dtype=np.float32)}


def once(x: Any) -> Any:
    return x * tf.random.uniform([3])


def with_its_own_seed(x: Any) -> Any:
    return x * tf.random.normal([3], seed=5)


def twice(x: Any) -> Any:
    return once(x), with_its_own_seed(x), once(x)


def seeded_by_itself(x: Any) -> Any:
    tf.random.set_seed(7)
    return x


def drawn(function: Callable[..., Any], mode: Mode) -> Callable[[], list[list[float]]]:
    run = adapter("tensorflow").runner(function, "cpu", Way(mode))
    return lambda: [value.entries.tolist() for value in run(AT).values]


@pytest.mark.parametrize("mode", [Mode.EAGER, Mode.GRAPH])
@pytest.mark.parametrize("function", [once, with_its_own_seed, twice])
def test_same_numbers_are_drawn_each_time(function: Callable[..., Any], mode: Mode) -> None:
    run, other = drawn(function, mode), drawn(function, mode)
    first = run()
    assert [run(), run(), other(), run(), run()] == [first] * 5


@pytest.mark.parametrize("before", [once, with_its_own_seed, seeded_by_itself])
def test_what_ran_before_does_not_show(before: Callable[..., Any]) -> None:
    first = drawn(twice, Mode.EAGER)()
    drawn(before, Mode.EAGER)()
    drawn(lambda x: x, Mode.EAGER)()
    assert drawn(twice, Mode.EAGER)() == first


def test_draws_of_one_execution_differ() -> None:
    first, _, last = drawn(twice, Mode.EAGER)()
    assert first != last
