"""The names of files in the output."""

from __future__ import annotations

import os

STDIN = "-"


def shown(path: str) -> str:
    """`path` relative to the working directory if it is below it, otherwise absolute."""
    if path == STDIN:
        return path
    here = os.path.join(os.getcwd(), "")
    return os.path.abspath(path).removeprefix(here)


def posix(path: str, root: str | None = None) -> str:
    """`path` relative to `root`, by default the working directory, if it is below it."""
    if path == STDIN:
        return path
    above = os.path.join(os.path.abspath(root or os.getcwd()), "")
    return os.path.abspath(path).removeprefix(above).replace(os.sep, "/")


def absolute(path: str) -> str:
    return path if path == STDIN else os.path.abspath(path)
