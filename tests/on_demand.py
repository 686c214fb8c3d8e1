"""Modules that are imported when a test first uses them: collecting tests imports no framework.

>>> calendar = module("calendar")
>>> calendar.isleap(2024)
True
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest


class _Module:
    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith(("_", "pytest_")):  # what collecting asks of everything
            raise AttributeError(attribute)
        return getattr(import_module(self._name), attribute)


def module(name: str) -> Any:
    """What stands for a module, which is imported once something of it is asked for."""
    return _Module(name)


def installed(name: str) -> Any:
    """The same; the file that asks for it is skipped where the package is not installed."""
    if find_spec(name.partition(".")[0]) is None:
        reason = f"{name} comes with the extra `test`; `test-quick` leaves the frameworks out"
        pytest.skip(reason, allow_module_level=True)
    return _Module(name)
