"""How a file is called in the output."""

from __future__ import annotations

import os

STDIN = "-"


def shown(path: str) -> str:
    """`path` from the working directory where it lies below it, and absolute elsewhere."""
    if path == STDIN:
        return path
    here = os.path.join(os.getcwd(), "")
    return os.path.abspath(path).removeprefix(here)


def absolute(path: str) -> str:
    return path if path == STDIN else os.path.abspath(path)
