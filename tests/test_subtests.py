"""A subtest that passes is not told of; one that fails or is skipped is, and the others run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import pytest

from tests.conftest import FailingSubtests


class Told:
    """Stands for what pytest offers: keeps what a subtest ends with."""

    def __init__(self) -> None:
        self.outcomes: list[tuple[str, dict[str, Any], str]] = []

    @contextmanager
    def test(self, message: str, **described: Any) -> Iterator[None]:
        try:
            yield
        except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
            self.outcomes.append((message, described, f"{type(error).__name__}: {error}"))


def test_what_fails_is_told_and_the_rest_runs() -> None:
    told, run = Told(), []
    subtests = FailingSubtests(cast(pytest.Subtests, told))
    for number in range(5):
        with subtests.test(f"number {number}", number=number):
            run.append(number)
            if number == 1:
                raise ValueError("one")
            if number == 2:
                pytest.fail("two")
            if number == 3:
                # No check is left out by it: that its outcome is told is what is asserted below.
                pytest.skip("three")
    assert run == [0, 1, 2, 3, 4]
    assert told.outcomes == [
        ("number 1", {"number": 1}, "ValueError: one"),
        ("number 2", {"number": 2}, "Failed: two"),
        ("number 3", {"number": 3}, "Skipped: three"),
    ]


def test_tests_are_given_such_subtests(subtests: object) -> None:
    assert type(subtests).__name__ == FailingSubtests.__name__  # of a conftest of its own
