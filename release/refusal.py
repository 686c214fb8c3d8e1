"""How a step of a release is refused: one line on standard error, and exit status 1."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import tomli

ROOT: Final = Path(__file__).resolve().parent.parent


class Refused(Exception):
    """The release must not go on; the message is the reason, in one line."""


def guarded(step: Callable[[], None]) -> int:
    """Run a step, and return the exit status."""
    try:
        step()
    except Refused as error:
        print(f"release refused: {' '.join(str(error).split())}", file=sys.stderr)
        return 1
    return 0


def project(root: Path = ROOT) -> dict[str, Any]:
    """Return the `project` table of `pyproject.toml`."""
    with (root / "pyproject.toml").open("rb") as file:
        table: dict[str, Any] = tomli.load(file)["project"]
    return table
