"""What writes into an array without an assignment: methods, operators, functions, closures."""

from __future__ import annotations

import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import check_text
from mllint_nan.settings import Settings

AUDIT = Settings(min_confidence=Confidence.POSSIBLE)
NUMPY = """\
import operator

import numpy as np


def entropy(v, mask, numbers):
    p = np.ones((3, 3))
    other = np.full((3, 3), 0.5)
    {write}
    return np.log({read})
"""
TORCH = NUMPY.replace("numpy as np", "torch").replace("np.ones((3, 3))", "torch.ones(3, 3)")
TORCH = TORCH.replace("np.full((3, 3), 0.5)", "torch.full((3, 3), 0.5)").replace("np.", "torch.")


def is_proved(write: str, read: str = "p", program: str = NUMPY) -> bool:
    """Whether the logarithm is known to be one of what is above 0 still."""
    text = program.format(write=write.replace("; ", "\n    "), read=read)
    found = check_text(text, "program.py", AUDIT)
    return not any(one.code in ("NAN201", "NAN214") for one in found)


@pytest.mark.parametrize(
    "write",
    [
        "p.put([0, 1], v)",
        "p.__setitem__(0, v)",
        "p.__iadd__(v)",
        "p.flat = v",
        "p.real = v",
        "operator.isub(p, v)",
        "operator.setitem(p, 0, v)",
        "np.put(p, [0], v)",
        "np.fill_diagonal(p, v)",
        "np.split(p, 3)[0][:] = v",
        "np.rot90(p)[0] = v",
        "np.asanyarray(p)[0] = v",
        "xs = [p]; xs[0].view()[0] = v",
        "for e in np.nditer(p, op_flags=['readwrite']): e[...] = v",
    ],
)
def test_arrays_are_written_into_without_an_assignment(write: str) -> None:
    assert not is_proved(write)
    assert is_proved(write.replace("p", "q = np.array(p); q", 1).replace("(p", "(q"), "other")


@pytest.mark.parametrize(
    "write",
    [
        "p.put([0, 1], 0.5)",
        "np.put(p, [0], other)",
        "np.fill_diagonal(p, 2.0)",
        "np.copyto(p, other, where=mask)",
        "p.sort()",
        "np.random.shuffle(p)",
        "q = p.copy(); q.put([0], v)",
        "q = p + 0; q.__iadd__(v)",
        "np.split(p.copy(), 3)[0][:] = v",
    ],
)
def test_what_is_written_is_known_where_it_is_in_sight(write: str) -> None:
    assert is_proved(write)


def test_what_is_sorted_has_other_elements_in_the_places_of_a_mask() -> None:
    guarded = "p = np.array(v); m = p > 0; {} p = np.where(m, p, 1.0)"
    assert is_proved(guarded.format(""))
    for write in ("p.sort();", "np.random.shuffle(p);", "p.partition(1);"):
        assert not is_proved(guarded.format(write))


@pytest.mark.parametrize(
    "write",
    [
        "torch.chunk(p, 3)[0][:] = v",
        "torch.split(p, 1)[0].fill_(v)",
        "torch.unbind(p)[0].fill_(v)",
        "torch.narrow(p, 0, 0, 1).fill_(v)",
        "torch._foreach_mul_([p], v)",
        "torch.nn.functional.threshold(p, 9.0, v, inplace=True)",
    ],
)
def test_functions_of_pytorch_give_parts_or_write_in_place(write: str) -> None:
    assert not is_proved(write, program=TORCH)
    assert is_proved(write, "other", TORCH)


@pytest.mark.parametrize(
    ("loop", "is_kept"),
    [
        ("for n in numbers: w = p.copy(); np.copyto(p, v)", False),
        ("for n in numbers: w = p.copy(); np.copyto(other, v)", True),
        ("for n in numbers: w = p.copy(); np.add(p, v, out=p)", False),
        ("for n in numbers: w = p.copy(); p.fill(v)", False),
        ("q = p; for n in numbers: w = p.copy(); q.fill(v)", False),
        ("q = other.copy(); for n in numbers: w = p.copy(); q.fill(v)", True),
        ("g = lambda t: t.fill(v); for n in numbers: w = p.copy(); g(p)", False),
        ("g = lambda t: t.fill(v); for n in numbers: w = p.copy(); g(other)", True),
        ("while v.any(): w = p.copy(); np.asarray(p)[0] = v", False),
    ],
)
def test_loops_carry_what_another_name_or_a_call_writes_into(loop: str, is_kept: bool) -> None:
    head, colon, body = loop.partition(": w")
    lines = head.replace("; ", "\n    ") + ":\n        w" + body.replace("; ", "\n        ")
    assert colon
    text = NUMPY.replace("{write}", "w = p.copy()\n    " + lines).format(read="w")
    found = check_text(text, "program.py", AUDIT)
    assert (not any(one.code in ("NAN201", "NAN214") for one in found)) is is_kept


CLOSURES = """\
import jax.numpy as jnp
import numpy as np


def entropy(v):
    p = np.ones((3, 3))
    other = np.ones((3, 3))

    def clear():
        np.copyto({written}, v)

    {call}
    return np.log(p)


def late(x):
    a = jnp.full((3, 3), 0.5)
    shifted = lambda t: t - a
    {rebound} = jnp.full((3, 3), 3.0)
    return jnp.log(shifted(jnp.full((3, 3), 2.0)))
"""


def found_in_closures(written: str = "p", call: str = "clear()", rebound: str = "a") -> set[int]:
    text = CLOSURES.format(written=written, call=call, rebound=rebound)
    return {one.start.row for one in check_text(text, "program.py", AUDIT)}


def test_functions_write_into_the_variables_around_them() -> None:
    assert 13 in found_in_closures()
    assert 13 not in found_in_closures(written="other")


def test_functions_see_the_variables_around_them_as_they_are_when_called() -> None:
    assert 20 in found_in_closures()
    assert 20 not in found_in_closures(rebound="b")
