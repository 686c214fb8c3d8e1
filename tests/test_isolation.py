"""Texts that hang, crash or are too large cost themselves, and nothing else."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from typing import Any

import pytest

from mllint_nan.findings import Confidence
from mllint_nan.isolation import Answer, IsolatedChecker
from mllint_nan.settings import Settings

BAD = "import torch\n\ndef f(x):\n    return torch.log(torch.softmax(x, dim=-1))\n"
ENDLESS = "import torch\nx = " + " + ".join(["x"] * 100_000)


class Deadly:
    """Unpickling it ends the process."""

    def __reduce__(self) -> tuple[object, ...]:
        return os._exit, (3,)


@pytest.fixture
def checker() -> Iterator[IsolatedChecker]:
    with IsolatedChecker(texts_per_process=3) as checker:
        yield checker


def codes(answer: Answer) -> list[str]:
    assert answer.error is None
    return [finding.code for finding in answer.findings]


def test_findings_come_back(checker: IsolatedChecker) -> None:
    assert codes(checker.check(BAD)) == ["NAN101"]
    assert codes(checker.check("x = 1\n")) == []
    assert codes(checker.check("import torch\nx = (\n")) == ["NAN901"]
    sqrt = "import torch\n\ndef f(x):\n    return torch.sqrt(x)\n"
    possible = Settings(min_confidence=Confidence.POSSIBLE)
    assert codes(checker.check(sqrt, "a.py", possible)) == ["NAN203"]


def test_text_that_takes_too_long_costs_itself(checker: IsolatedChecker) -> None:
    assert codes(checker.check(BAD)) == ["NAN101"]
    checker.seconds = 0.5
    assert checker.check(ENDLESS).error == "not checked: took longer than 0.5 seconds"
    checker.seconds = 60
    assert codes(checker.check(BAD)) == ["NAN101"]


def test_death_of_the_process_costs_one_text(checker: IsolatedChecker) -> None:
    deadly: Any = Deadly()
    answer = checker.check(BAD, "a.py", deadly)
    assert answer == Answer(error="not checked: the process died with status 3")
    assert codes(checker.check(BAD)) == ["NAN101"]


def test_text_that_is_too_large_is_not_tried(checker: IsolatedChecker) -> None:
    answer = checker.check(f"{BAD}x = {'1' * 50_000_000}")
    assert answer.error == f"not checked: {50_000_004 + len(BAD)} bytes, more than 2000000"
    assert checker.check(f"{BAD}x = '\ud800'").error == (
        "not checked: the text contains half a surrogate pair, as no file can"
    )


def test_process_is_replaced_before_it_grows(checker: IsolatedChecker) -> None:
    processes = []
    for _ in range(7):
        checker.check(BAD)
        assert checker._process is not None
        processes.append(checker._process.pid)
    assert len(set(processes)) == 3


def test_memory_is_limited() -> None:
    pytest.importorskip("resource")
    with IsolatedChecker(most_memory=300 << 20) as checker:
        error = checker.check(f"{BAD}x = {'1 + ' * 400_000}1").error
    assert error is not None and error.startswith("not checked: ")


def test_copy_has_a_process_of_its_own(checker: IsolatedChecker) -> None:
    checker.check(BAD)
    with pickle.loads(pickle.dumps(checker)) as copy:
        assert (copy.texts_per_process, copy._process) == (3, None)
        assert codes(copy.check(BAD)) == ["NAN101"]
