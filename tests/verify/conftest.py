"""One verifier for all tests here: to import a framework takes longer than most proofs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mllint_nan.verify.verifier import Verifier


@pytest.fixture(scope="session")
def verifier() -> Iterator[Verifier]:
    """What it has executed once it remembers."""
    with Verifier() as running:
        yield running
