"""One test for many values, where a test for each would take longer than what it checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

Check = Callable[[Any], None]


def of_each(values: Iterable[Any], name: Callable[[Any], str] = str) -> Callable[[Check], Check]:
    """Makes a check of one value a test of all, with a subtest for each, which has its name."""
    checked = list(values)

    def made(check: Check) -> Check:
        def test(subtests: pytest.Subtests) -> None:
            for value in checked:
                with subtests.test(name(value)):
                    check(value)

        test.__name__, test.__doc__, test.__module__ = (
            check.__name__,
            check.__doc__,
            check.__module__,
        )
        return test

    return made
