"""Silence is right: what is made up and not reported is executed, and breaks nowhere."""

from __future__ import annotations

from collections.abc import Iterator

import numpy
import pytest

from benchmarks.soundness import executed, numpy_values, pairs, torch_values, values
from benchmarks.soundness.derivation import Program
from benchmarks.soundness.executed import KINDS, Kind, Outcome, judged
from tests.analyses import without_fixes

PARTS = 4
PROGRAMS = 600
FEW = {"values": 20, "gradients": 20, "jax": 8, "numpy": 30}
WRITTEN = {
    "values": ("+= ", "_(", "[0][1] =", "for t in xs", "lambda", "q['k']", "self.p", ".T"),
    "gradients": ("sqrt", "where(m", "acos", "norm", ".detach()", "assert", ".any()", " ** "),
    "jax": (".at[", "lax.cond", "vmap", "fori_loop", "lax.scan", "while_loop", "lambda t"),
    "numpy": ("out=", "where=", "putmask", "copyto", ".at(", "nditer", ".flat", "[[0, 1]]"),
}


@pytest.fixture(autouse=True)
def no_fix_is_looked_for() -> Iterator[None]:
    with without_fixes():
        yield


def wrong(kind: str, seeds: range) -> list[int]:
    outcomes = {seed: judged(KINDS[kind], seed) for seed in seeds}
    assert sum(outcome is Outcome.RIGHT for outcome in outcomes.values()) > len(outcomes) / 10
    return [seed for seed, outcome in outcomes.items() if outcome is Outcome.WRONG]


@pytest.mark.parametrize("kind", KINDS)
def test_few_programs_of_each_kind_refute_nothing(kind: str) -> None:
    assert wrong(kind, range(FEW[kind])) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["values", "gradients", "numpy"])
@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_is_silent_that_a_run_refutes(kind: str, part: int) -> None:
    assert wrong(kind, range(part, PROGRAMS, PARTS)) == []


@pytest.mark.slow
def test_nothing_of_jax_is_silent_that_a_run_refutes() -> None:
    assert wrong("jax", range(100)) == []


@pytest.mark.parametrize("kind", KINDS)
def test_programs_are_the_same_each_time_and_of_every_kind(kind: str) -> None:
    program = KINDS[kind].program
    assert program(7) == program(7)
    texts = [program(seed).text for seed in range(300)]
    for written in WRITTEN[kind]:
        assert any(written in text for text in texts), written


def test_every_operation_ends_some_program() -> None:
    for kind in (torch_values, numpy_values):
        ends = {kind.program(seed).operation for seed in range(60)}
        assert ends == set(values.OPERATIONS)


def made_of(kind: str, *body: str) -> Kind:
    """The kind, all of whose programs have this body."""
    lines = "\n    ".join(body)
    text = f"import torch\nimport numpy as np\n\n\ndef f(self, x, y, n):\n    {lines}\n"
    known = KINDS[kind]
    return Kind(
        lambda seed: Program(text, "log"), known.framework, known.of_gradients, known.format
    )


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        ("z = x.abs() + 1.0", Outcome.RIGHT),
        ("z = x", Outcome.FOUND),
        ("z = y + 1e5", Outcome.CAUTIOUS),
        ("z = unheard_of(x)", Outcome.FAILED),
        ("z = 1 +", Outcome.UNREAD),
    ],
)
def test_programs_are_judged_by_what_they_do(last: str, expected: Outcome) -> None:
    assert judged(made_of("values", last, "return z, torch.log(z)"), 0) is expected


DIFFERENTIATED = ("loss.backward()", "return loss, (x.grad, y.grad)")


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        ("torch.sqrt((x ** 2).sum(-1)).sum()", Outcome.FOUND),
        ("torch.sqrt((x ** 2).sum(-1) + 1e-6).sum()", Outcome.RIGHT),
        ("torch.where(x > 0, torch.sqrt(x.abs()), 0.0).sum()", Outcome.FOUND),
        ("torch.where(x > 0, torch.sqrt(torch.where(x > 0, x, 1.0)), 0.0).sum()", Outcome.RIGHT),
    ],
)
def test_gradients_are_judged_where_the_loss_is_finite(loss: str, expected: Outcome) -> None:
    asked = "x, y = x.requires_grad_(), y.requires_grad_()"
    assert judged(made_of("gradients", asked, f"loss = {loss}", *DIFFERENTIATED), 0) is expected


def test_a_refuted_silence_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executed, "check_text", lambda *_: ())
    assert judged(made_of("values", "return x, torch.log(x)"), 0) is Outcome.WRONG
    assert judged(made_of("numpy", "return x, np.log(x)"), 0) is Outcome.WRONG


@pytest.mark.parametrize(
    ("framework", "guarded"),
    [
        ("torch", ("x", "x.bool()", "x.take(i)")),
        ("numpy", ("np.dot(x,i)", "np.take_along_axis(x,i,0)")),
        pytest.param("jax", ("x", "x.at[0].set(1)"), marks=pytest.mark.slow),
        pytest.param("tensorflow", ("x", "tf.gather(x,i)"), marks=pytest.mark.slow),
    ],
)
def test_guard_of_an_expression_is_not_believed_of_another(
    framework: str, guarded: tuple[str, ...]
) -> None:
    known, executed = pairs.expressions(framework), pairs.Executed(framework, 60)
    assert set(guarded) <= set(known)
    # JAX and TensorFlow take a hundred times as long for an operation as NumPy.
    operands = known if framework in ("torch", "numpy") else known[::3]
    silences = {one: pairs.silent_behind(framework, one, operands) for one in guarded}
    assert any(silences.values())
    for one, silent in silences.items():
        assert [other for other in silent if executed.refuted(one, other) is not None] == []


def test_draws_refute_what_is_not_so() -> None:
    executed = pairs.Executed("numpy", 60)
    assert executed.refuted("x", "i") is not None
    assert executed.refuted("x", "x-1") is not None
    assert executed.refuted("x+1", "x") is not None
    assert executed.refuted("x", "x+1") is None
    with pytest.raises(SyntaxError):
        pairs.silent_behind("numpy", "x", ["x +"])


def test_inputs_are_finite_and_hold_what_breaks_things() -> None:
    pairs = list(executed._inputs(KINDS["numpy"], 0))
    assert all(numpy.isfinite(one).all() for pair in pairs for one in pair)
    assert any(not x.any() and not y.any() for x, y in pairs)
    assert any((x == y).all() and x.any() for x, y in pairs)
