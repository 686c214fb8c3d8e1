"""What is written into a part of a tensor is written into the tensor, by whatever name it goes."""

from __future__ import annotations

import pytest

from mllint_nan.findings import Confidence
from mllint_nan.ir.term import peel
from mllint_nan.linter import check_text
from mllint_nan.settings import Settings
from tests.flow.analysed import analysed

AUDIT = Settings(min_confidence=Confidence.POSSIBLE)
PROGRAM = """\
import copy

import numpy as np
import torch


def entropy(self, v, i, j, mask, numbers):
    p = torch.ones(3, 3)
    other = torch.full((3, 3), 0.5)
    k = 0
    {write}
    return torch.log({read})
"""


def is_proved(write: str, read: str = "p") -> bool:
    """Whether the logarithm is known to be one of what is above 0 still."""
    text = PROGRAM.format(write=write.replace("; ", "\n    "), read=read)
    found = check_text(text, "program.py", AUDIT)
    return not any(one.code in ("NAN201", "NAN214") for one in found)


@pytest.mark.parametrize(
    "write",
    [
        "p[i, j] = v",
        "p[i][j] = v",
        "p[i][j] += v",
        "p[i][j], k = v, v",
        "p.T[i] = v",
        "p.t()[i] = v",
        "p.real[i] = v",
        "p.data[i] = v",
        "p[i].data[j] = v",
        "p.detach()[i] = v",
        "p.view(-1)[i] = v",
        "p.view(-1, 2)[i, j] += v",
        "p.squeeze()[i] = v",
        "p.unsqueeze(0)[0, i] = v",
        "p.select(0, 1).fill_(v)",
        "p[i].add_(v).mul_(2)",
        "q = p; q += v",
        "q = p; q += 1; q -= v",
        "q = p; p += 1; q -= v",
        "q = p.data; q += 1; q -= v",
        "p.masked_fill_(mask, 0.5); q = p; q.neg_()",
        "for n in numbers: p.T.fill_(0.0)",
        "for n in numbers: p.data.copy_(v)",
        "for n in numbers: p.view(-1)[0] = v",
        "q = p[i]; q.add_(v)",
        "q = p[i]; q[j] = v",
        "q = p[i][j]; q += v",
        "q = p.view(-1); q[j] = v",
        "q = p.T; q += v",
        "q = p[0]; r = q.view(-1); r[i] = v",
        "q = (p, other)[0]; q[i] = v",
        "q = p if mask is None else other; q[i] = v",
        "a, b = p; a += v",
        "a, b = p.unbind(); a.add_(v)",
        "a = p.chunk(2)[0]; a.add_(v)",
        "for r in p: r[0] = v",
        "for r in p: r.add_(v)",
        "for r in (p, other): r.mul_(v)",
    ],
)
def test_writing_into_a_part_changes_the_whole(write: str) -> None:
    assert not is_proved(write)


def test_writing_into_the_whole_changes_its_parts() -> None:
    assert not is_proved("q = p[0]; p[i] = v", read="q")
    assert not is_proved("q = p.view(-1); p.mul_(v)", read="q")
    assert not is_proved("a, b = p; p -= v", read="a")


def test_attributes_are_written_into_by_their_parts() -> None:
    assert not is_proved("self.p = p; self.p[i][j] = v", read="self.p")
    assert not is_proved("self.p = p; self.p[i] = v", read="self.p")
    assert not is_proved("self.p = p; self.p.T[i] = v", read="p")


@pytest.mark.parametrize(
    "write",
    [
        "other[i][j] = v",
        "q = torch.ones(3, 3); q[i][j] = v",
        "q = p; q += 1",
        "q = other[0]; q += v",
        "p.clone()[i] = v",
        "q = p.clone(); q[i][j] = v",
        "q = copy.deepcopy(p); q[0][0] = v",
        "q = torch.stack((p, other)); q[0][i] = v",
        "q = p + 1; q[0][i] = v",
        "q = p[p > 0.5].exp(); q[0] = v",
        "q = p.sum(); q += v",
        "q = p[i]; q = q * v",
        "k = p.shape[0]; k += 1",
        "for n in numbers: n += 1",
    ],
)
def test_what_is_another_tensor_stays_what_it_is(write: str) -> None:
    assert is_proved(write)


def test_a_guard_on_an_element_of_a_filled_matrix() -> None:
    text = """\
import numpy as np


def entropy(counts, n):
    p = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            p[i][j] = counts[i][j] / n
    total = 0.0
    for i in range(3):
        for j in range(3):
            if p[i][j] > 0:
                total += p[i][j] * np.log(p[i][j])
    return total
"""
    assert "NAN202" not in [one.code for one in check_text(text, "program.py", AUDIT)]
    unguarded = text.replace("if p[i][j] > 0", "if n > 0")
    assert "NAN202" in [one.code for one in check_text(unguarded, "program.py", AUDIT)]


FUNCTIONS = """\
def cleared(t):
    t[0] = 0.0


def cleared_twice(t):
    cleared(t)


def shifted(t, v):
    t -= v


def flat(t):
    q = t.view(-1)
    q[0] = 0.0
    return q


def each(tensors):
    for t in tensors:
        t.zero_()


def kept(t):
    t = t.clone()
    t[0] = 0.0
    return t


def spread(t, v):
    out = torch.ones(3, 3)
    out[0] = v
    return out


class Clearing:
    def clear(self, t):
        t[0][1] = 0.0


"""


@pytest.mark.parametrize(
    ("write", "is_kept"),
    [
        ("cleared(p)", False),
        ("cleared_twice(p)", False),
        ("cleared(p[0])", False),
        ("cleared(p.T)", False),
        ("shifted(p, v)", False),
        ("q = flat(p)", False),
        ("each([p, other])", False),
        ("each((other,))", True),
        ("Clearing().clear(p)", False),
        ("h = lambda t: t.zero_(); h(p)", False),
        ("list(map(lambda t: t.zero_(), [p]))", False),
        ("[t.zero_() for t in [p]]", False),
        ("[t.zero_() for t in (other,)]", True),
        ("xs = [p]; xs[0].zero_()", False),
        ("xs = {'a': p}; xs['a'][1] = v", False),
        ("n = np.asarray(p); n[0] = v", False),
        ("np.subtract.at(p, i, v)", False),
        ("cleared(other)", True),
        ("shifted(v, p)", True),
        ("q = kept(p)", True),
        ("q = spread(p, v)", True),
        ("cleared(p.clone())", True),
    ],
)
def test_functions_write_into_what_they_are_given(write: str, is_kept: bool) -> None:
    text = PROGRAM.replace("def entropy", f"{FUNCTIONS}def entropy")
    text = text.format(write=write.replace("; ", "\n    "), read="p")
    found = [one.code for one in check_text(text, "program.py", AUDIT)]
    assert ("NAN201" not in found) is is_kept


def test_a_number_that_a_function_counts_up_stays_what_it_is() -> None:
    text = """\
import torch


def counted(n):
    n += 1
    return n


def f(x):
    n = 2
    counted(n)
    return torch.log(torch.ones(3) * n)
"""
    assert check_text(text, "program.py", AUDIT) == ()


@pytest.mark.parametrize(
    ("imports", "ones", "log", "is_kept"),
    [
        ("import jax.numpy as jnp", "jnp.ones(3)", "jnp.log", True),
        ("import tensorflow as tf", "tf.ones(3)", "tf.math.log", True),
        ("import numpy as np", "np.ones(3)", "np.log", False),
        ("import torch", "torch.ones(3)", "torch.log", False),
    ],
)
def test_only_what_is_mutable_is_written_into(
    imports: str, ones: str, log: str, is_kept: bool
) -> None:
    text = f"{imports}\n\n\ndef f(v):\n    p = {ones}\n    q = p\n    q -= v\n    return {log}(p)\n"
    assert (check_text(text, "program.py", AUDIT) == ()) is is_kept


@pytest.mark.parametrize("source", ["batch", "net(batch)", "next(iter(batch))"])
def test_what_a_call_or_a_loader_gives_in_two_parts_are_two_tensors(source: str) -> None:
    bound = analysed(f"z, y = {source}\nz /= 255").state.environment.own("y")
    assert bound is not None
    assert peel(bound).detail == "part 1"


def test_rows_of_a_tensor_are_parts_of_it() -> None:
    bound = analysed("p = torch.ones(2, 3)\nz, y = p\nz /= x").state.environment.own("p")
    assert bound is not None
    assert peel(bound).detail == "update"
