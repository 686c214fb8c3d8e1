"""Silence is right: what is made up and not reported is executed, and breaks nowhere."""

from __future__ import annotations

import pytest

from benchmarks.soundness.executed import Outcome, judged
from benchmarks.soundness.programs import OPERATIONS, program

pytestmark = pytest.mark.slow

PARTS = 4
PROGRAMS = 600


@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_is_silent_that_a_run_refutes(part: int) -> None:
    outcomes = {seed: judged(seed) for seed in range(part, PROGRAMS, PARTS)}
    assert [seed for seed, outcome in outcomes.items() if outcome is Outcome.WRONG] == []
    assert sum(outcome is Outcome.RIGHT for outcome in outcomes.values()) > len(outcomes) / 10


def test_programs_are_the_same_each_time_and_of_every_kind() -> None:
    assert program(7) == program(7)
    assert {program(seed)[1] for seed in range(60)} == set(OPERATIONS)
    texts = [program(seed)[0] for seed in range(300)]
    for written in ("+= ", "_(", "[0][1] =", "for t in xs", "lambda", "q['k']", "self.p", ".T"):
        assert any(written in text for text in texts), written


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        ("z = x.abs() + 1.0", Outcome.RIGHT),
        ("z = x", Outcome.REPORTED),
        ("z = unheard_of(x)", Outcome.REPORTED),
        ("z = 1 +", Outcome.UNREAD),
    ],
)
def test_programs_are_judged_by_what_they_do(
    last: str, expected: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"import torch\n\n\ndef f(self, x, y, n):\n    {last}\n    return z, torch.log(z)\n"
    monkeypatch.setattr("benchmarks.soundness.executed.program", lambda seed: (text, "log"))
    assert judged(0) is expected


def test_a_refuted_silence_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "import torch\n\n\ndef f(self, x, y, n):\n    return x, torch.log(x)\n"
    monkeypatch.setattr("benchmarks.soundness.executed.program", lambda seed: (text, "log"))
    monkeypatch.setattr("benchmarks.soundness.executed.check_text", lambda *_: ())
    assert judged(0) is Outcome.WRONG
