"""Whose code a frame runs: the examined package's, its tests', or that of something in between."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator, Sequence
from enum import Enum
from functools import cache
from pathlib import Path
from types import CodeType, FrameType

from .events import frames, is_test


class Owner(Enum):
    """The author of a file."""

    PACKAGE = "package"
    TEST = "test"
    BETWEEN = "between"
    """The standard library, which only passes calls on."""
    OTHER = "other"


class Places:
    """The files of a package below `roots`, whose tests are below `tree`."""

    def __init__(self, roots: Sequence[Path], tree: Path) -> None:
        self._roots = tuple(f"{root.resolve()}/" for root in roots)
        self._tree = f"{tree.resolve()}/"
        self._between = (
            f"{sysconfig.get_path('stdlib')}/",
            f"{Path(sysconfig.get_path('stdlib')).resolve()}/",
        )
        self.owner = cache(self._owner)
        self.is_package = cache(self._is_package)

    def _owner(self, file: str) -> Owner:
        if file.startswith("<"):
            return Owner.BETWEEN
        path = str(Path(file).resolve())
        if path.startswith(self._roots):
            return Owner.TEST if is_test(path) else Owner.PACKAGE
        if path.startswith(self._tree) and "/site-packages/" not in path[len(self._tree) :]:
            return Owner.TEST
        if path.startswith(self._between) and "/site-packages/" not in path:
            return Owner.BETWEEN
        return Owner.OTHER

    def _is_package(self, code: CodeType) -> bool:
        return self.owner(code.co_filename) is Owner.PACKAGE

    def function(self, code: CodeType) -> str:
        """Return a name such as `kornia/losses/ssim.py:SSIMLoss.forward`."""
        path = str(Path(code.co_filename).resolve())
        for root in self._roots:
            if path.startswith(root):
                file = Path(path).relative_to(Path(root).parent).as_posix()
                return f"{file}:{getattr(code, 'co_qualname', code.co_name)}"
        return path

    def is_called_by_test(self, frame: FrameType | None, passed: Sequence[str] = ()) -> bool:
        """Whether the test itself calls the code of `frame`; `passed` are files in between."""
        return next(self._callers(frame, passed), Owner.OTHER) is Owner.TEST

    def called_by_test(self, frame: FrameType) -> FrameType:
        """Return the frame that the innermost test among the callers called; or else `frame`."""
        inner = frame
        for caller in frames(frame.f_back):
            if self.owner(caller.f_code.co_filename) is Owner.TEST:
                return inner
            inner = caller
        return frame

    def _callers(self, frame: FrameType | None, passed: Sequence[str]) -> Iterator[Owner]:
        for caller in frames(frame if frame is not None else sys._getframe(2)):
            file = caller.f_code.co_filename
            owner = self.owner(file)
            if owner is not Owner.BETWEEN and not file.endswith(tuple(passed)):
                yield owner
