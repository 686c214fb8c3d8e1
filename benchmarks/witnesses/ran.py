"""The functions of the examined package that a program enters."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import Any


class Ran:
    """Records the functions below `roots` that are entered while it is open."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self._folders = [(f"{root.resolve()}{os.sep}", root.resolve().parent) for root in roots]
        self._entered: set[CodeType] = set()
        self._before: Callable[..., Any] | None = None

    def __enter__(self) -> Ran:
        self._before = sys.gettrace()
        sys.settrace(self._enter)
        threading.settrace(self._enter)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._before)
        threading.settrace(self._before)

    def _enter(self, frame: FrameType, event: str, argument: object) -> None:
        self._entered.add(frame.f_code)

    def names(self) -> list[str]:
        """Return names such as `kornia/losses/ssim.py:SSIMLoss.forward`, each function once."""
        found = set()
        for code in self._entered:
            path = Path(code.co_filename)
            for folder, home in self._folders:
                if str(path).startswith(folder):
                    name = getattr(code, "co_qualname", code.co_name)
                    found.add(f"{path.relative_to(home).as_posix()}:{name}")
        return sorted(found)
