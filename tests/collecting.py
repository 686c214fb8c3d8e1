"""Doctests are collected where some are: to look, pytest imports a module and goes through it."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest


class OnlyWhereSomeAre:
    """Leaves alone the files in which no example is written, which are most."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(
        self, file_path: Path
    ) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
        found = yield
        of_examples = [each for each in found if type(each).__name__ == "DoctestModule"]
        if of_examples and b">>> " in file_path.read_bytes():
            return found
        return [each for each in found if each not in of_examples]
