"""The files of a project as they are now: what stands in a folder, and which module a file is."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

_KEPT_MOST: Final = 1024
_DIGESTS_MOST: Final = 16_384
_INIT: Final = "__init__.py"
_FILES_MOST: Final = 1024
"""Of a project of more, only those in the same folder and at the top are looked at."""
_FOLDERS_MOST: Final = 512
_ROOT_DEEPEST: Final = 8
"""How many folders up the root of a project is looked for."""
_MARKS: Final = ("pyproject.toml", ".git", "setup.py", "setup.cfg")
"""What stands at the root of a project."""
_ENVIRONMENT: Final = "pyvenv.cfg"
_TESTS: Final = re.compile(
    r"(^|/)(tests?|testing)/|(^|/)(test_[^/]*|[^/]*_test|([^/]*_)?test(ing)?_utils?|conftest)\.py$"
)
_NO_SOURCES: Final = frozenset(("__pycache__", "node_modules", "site-packages", "build", "dist"))


class SourceFile(NamedTuple):
    """A file as it was when it was last `changed`, in nanoseconds."""

    file: str
    changed: int
    size: int


class ProjectFiles(NamedTuple):
    """The files of a project, or of one that is too large those in the folder that is asked for."""

    files: tuple[SourceFile, ...]
    is_whole: bool


def status_of(file: str) -> SourceFile | None:
    try:
        status = os.stat(file)
    except (OSError, ValueError):
        return None
    is_regular = stat.S_ISREG(status.st_mode)
    return SourceFile(file, status.st_mtime_ns, status.st_size) if is_regular else None


class _Listed(NamedTuple):
    """The files of Python and notebooks in a directory, and the directories."""

    files: tuple[SourceFile, ...]
    folders: tuple[str, ...]


def listed(directory: str) -> _Listed:
    try:
        names = _names_in(directory, os.stat(directory).st_mtime_ns)
    except (OSError, ValueError):
        return _Listed((), ())
    files = (status_of(file) for file in names.files)
    return _Listed(tuple(file for file in files if file is not None), names.folders)


class _Names(NamedTuple):
    files: tuple[str, ...]
    folders: tuple[str, ...]


@lru_cache(_KEPT_MOST)
def _names_in(directory: str, changed: int) -> _Names:
    files, folders = [], []
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.name.startswith(".") or entry.name in _NO_SOURCES:
                continue
            if entry.name.endswith((".py", ".ipynb")):
                files.append(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
    return _Names(tuple(sorted(files)), tuple(sorted(folders)))


def folders_below(directory: str) -> Iterator[str]:
    """A directory and all below it, but for environments and what was built."""
    pending, count = [directory], 0
    while pending and count < _FOLDERS_MOST:
        inside = pending.pop()
        count += 1
        if not os.path.exists(os.path.join(inside, _ENVIRONMENT)):
            yield inside
            pending += reversed(listed(inside).folders)


@lru_cache(_KEPT_MOST)
def text_of(file: str, changed: int, size: int) -> bytes:
    try:
        with open(file, "rb") as opened:
            return opened.read()
    except (OSError, MemoryError):
        return b""


@lru_cache(_DIGESTS_MOST)
def digest_of(file: str, changed: int, size: int) -> str:
    try:
        with open(file, "rb") as opened:
            return hashlib.sha256(opened.read()).hexdigest()
    except (OSError, MemoryError):
        return "unreadable"


def is_test(path: str) -> bool:
    """Whether a file tests others: nothing in it is more than possible."""
    return _TESTS.search(path.replace("\\", "/")) is not None


def root_of(folder: str) -> str:
    """The root of the project that a folder lies in, or an empty string."""
    for _ in range(_ROOT_DEEPEST):
        if _is_root(folder):
            return folder
        folder, name = os.path.split(folder)
        if not name:
            break
    return ""


def _is_root(folder: str) -> bool:
    return any(os.path.exists(os.path.join(folder, mark)) for mark in _MARKS)


@lru_cache(_KEPT_MOST)
def module_of(file: str) -> str:
    """The qualified name of the module that a file is."""
    package, own = package_of(file)[1], os.path.basename(file).removesuffix(".py")
    if own == _INIT.removesuffix(".py"):
        return package or os.path.basename(os.path.dirname(file))
    return f"{package}.{own}" if package else own


def package_of(file: str) -> tuple[str, str]:
    """The directory above the packages that a file lies in, and the name of the innermost one."""
    directory, parts = os.path.dirname(os.path.abspath(file)), list[str]()
    while os.path.exists(os.path.join(directory, _INIT)):
        directory, name = os.path.split(directory)
        if not name:
            break
        parts.append(name)
    return directory, ".".join(reversed(parts))


_is_unchanging = False
_listings: dict[tuple[str, str, tuple[str, ...]], ProjectFiles] = {}
"""The files around a folder, while none of them changes."""


@contextlib.contextmanager
def unchanging() -> Iterator[None]:
    """Within it, the files of a project are listed only once."""
    global _is_unchanging
    before, _is_unchanging = _is_unchanging, True
    try:
        yield
    finally:
        _is_unchanging = before
        if not before:
            _listings.clear()


def files_around(folder: str, top: str, roots: tuple[str, ...]) -> ProjectFiles:
    """The files of the project that a folder lies in.

    `top` is the folder of the package, or empty; `roots` are where imports are looked for, that of
    the file itself first.
    """
    place = (folder, top, roots)
    found = _listings.get(place)
    if found is None:
        found = _files_around(*place)
        if _is_unchanging:
            _listings[place] = found
    return found


def _files_around(folder: str, top: str, roots: tuple[str, ...]) -> ProjectFiles:
    beside = listed(roots[0]).files
    files = dict.fromkeys(beside)
    for directory in (root_of(folder) or top, *roots[1:]):
        for inside in folders_below(directory) if os.path.isdir(directory) else ():
            files.update(dict.fromkeys(listed(inside).files))
            if len(files) > _FILES_MOST:
                return ProjectFiles((*listed(folder).files, *beside), is_whole=False)
    return ProjectFiles(tuple(files), is_whole=True)
