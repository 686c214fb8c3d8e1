"""The files beside the one that is linted: which module is which file, each read once.

Only bytes are read; a file that has changed since is read again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from mllint_nan.training import NOT_IN_SIGHT, TrainingUse

if TYPE_CHECKING:
    from mllint_nan.graph import ValueFlowGraph
    from mllint_nan.ir.program import Block
    from mllint_nan.syntax.outline import Outline

_KEPT_MOST: Final = 1024
_DIGESTS_MOST: Final = 16_384
_INIT: Final = "__init__.py"
_SOURCES: Final = "src"
"""Where the packages of a project stand by convention, if not at its root."""
_CALLERS_MOST: Final = 4
"""Files whose calls of one file are looked at."""
_FILES_MOST: Final = 1024
"""In a project of more, callers are looked for in the folder of a file alone."""
_FOLDERS_MOST: Final = 512
_LARGEST: Final = 80_000
"""Bytes of a file whose calls are looked at."""
_ROOT_DEEPEST: Final = 8
"""How many folders up the root of a project is looked for."""
_MARKS: Final = ("pyproject.toml", ".git", "setup.py", "setup.cfg")
"""What stands at the root of a project."""
_ENVIRONMENT: Final = "pyvenv.cfg"
_NO_SOURCES: Final = frozenset(("__pycache__", "node_modules", "site-packages", "build", "dist"))
_IMPORT: Final = re.compile(rb"(?m)^[ \t]*((?:from|import)[ \t][^#\n]*(?:\([^)]*\))?)")
"""What a text imports, as it is written."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The modules that one file can import.

    `package` is the qualified name of the package that the file is a module of, or an empty
    string; `roots` are the directories in which a top-level name is looked for, the first first.
    """

    package: str
    roots: tuple[str, ...]
    file: str = ""
    """The path of the file itself."""

    def module(self, name: str) -> Outline | None:
        """The module of a qualified name, if it is a file below one of the roots."""
        parts = name.split(".")
        for root in self.roots:
            if _exists(root, parts[0]):
                return _module(name, os.path.join(root, *parts))
        return None

    def state(self, name: str) -> str:
        """A word for the file that a module is now, which is another once anything of it is."""
        parts = name.split(".")
        for root in self.roots:
            if _exists(root, parts[0]):
                path = os.path.join(root, *parts)
                found = _file(path)
                if found is None:
                    return "directory" if os.path.isdir(path) else "absent"
                return f"{found.file} {_digest(*found)}"
        return "absent"

    def callers(self, names: Collection[str]) -> tuple[Caller, ...]:
        """Files that import this one and name some of what it defines; a few, if there are many."""
        found = (Caller(file.file, self.caller(file.file)) for file in self._callers(names))
        return tuple(found)

    def caller(self, file: str) -> Neighbours:
        """The modules that another file of the project can import."""
        return neighbours_of(file, self.roots[1:])

    def state_of_callers(self, names: Collection[str]) -> str:
        """A word for those files now, which is another once one of them changes, comes or goes."""
        found = [f"{file.file} {_digest(*file)}" for file in self._callers(names)]
        return hashlib.sha256("\n".join(found).encode("utf-8", "surrogateescape")).hexdigest()

    def training(self, name: str) -> TrainingUse:
        """Whether the project trains anything through what the file defines under a name."""
        own = _status(self.file)
        if own is None:
            return NOT_IN_SIGHT
        return _graph_of(self._files()).training(own, name)

    def state_of_project(self) -> str:
        """A word for all files of the project now."""
        return _digest_of_all(self._files())

    def _files(self) -> tuple[SourceFile, ...]:
        """The file and those around it."""
        folder = os.path.dirname(self.file)
        if folder not in _listing:
            files = tuple(self._around(folder))
            if _is_unchanging:
                _listing[folder] = files
            return files
        return _listing[folder]

    def _callers(self, names: Collection[str]) -> list[SourceFile]:
        folder, own = os.path.split(self.file)
        stem = os.path.basename(folder) if own == _INIT else own.removesuffix(".py")
        modules = {stem, self.package.rpartition(".")[2]}
        found: list[SourceFile] = []
        for file in self._around(folder) if own else ():
            if (
                file.file != self.file
                and not file.file.endswith(_INIT)
                and (_names_some(file, modules, names))
            ):
                found.append(file)
                if len(found) == _CALLERS_MOST:
                    break
        return found

    def _around(self, folder: str) -> list[SourceFile]:
        """The files of the package and below the roots; of many, those in the same folder."""
        top = os.path.join(self.roots[0], self.package.partition(".")[0]) if self.package else ""
        below = [root_of(folder) or top]
        beside = _listed(self.roots[0]).files
        named = [root for root in self.roots[1:] if os.path.isdir(root)]
        files = dict.fromkeys(beside)
        for directory in filter(None, (*below, *named)):
            for inside in _folders(directory):
                files.update(dict.fromkeys(_listed(inside).files))
                if len(files) > _FILES_MOST:
                    return [*_listed(folder).files, *beside]
        return list(files)


_is_unchanging = False
_listing: dict[str, tuple[SourceFile, ...]] = {}
"""By folder: the files of the project around it, while none of them changes."""


def assume_unchanging() -> None:
    """From here on in this process, the files of a project are listed only once."""
    global _is_unchanging
    _is_unchanging = True


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
            _listing.clear()


@lru_cache(4)
def _graph_of(files: tuple[SourceFile, ...]) -> ValueFlowGraph:
    from mllint_nan.graph import ValueFlowGraph

    return ValueFlowGraph(files)


@lru_cache(16)
def _digest_of_all(files: tuple[SourceFile, ...]) -> str:
    return hashlib.sha256(repr(files).encode("utf-8", "surrogateescape")).hexdigest()


@dataclass(frozen=True, slots=True)
class Caller:
    """A file that may call what another one defines."""

    file: str
    project: Neighbours

    def program(self) -> Block:
        """Its statements, without sites; none, if it cannot be read."""
        from mllint_nan.syntax.outline import program_of

        found = _status(self.file)
        return program_of(text_of(*found)) if found is not None else ()


class _Listed(NamedTuple):
    """The files of Python in a directory, and the directories."""

    files: tuple[SourceFile, ...]
    folders: tuple[str, ...]


def _listed(directory: str) -> _Listed:
    try:
        names = _names_in(directory, os.stat(directory).st_mtime_ns)
    except (OSError, ValueError):
        return _Listed((), ())
    files = (_status(file) for file in names.files)
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
            if entry.name.endswith(".py"):
                files.append(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
    return _Names(tuple(sorted(files)), tuple(sorted(folders)))


def _folders(directory: str) -> Iterator[str]:
    """A directory and all below it, but for environments and what was built."""
    pending, count = [directory], 0
    while pending and count < _FOLDERS_MOST:
        inside = pending.pop()
        count += 1
        if not os.path.exists(os.path.join(inside, _ENVIRONMENT)):
            yield inside
            pending += reversed(_listed(inside).folders)


def _names_some(file: SourceFile, modules: Collection[str], names: Collection[str]) -> bool:
    """Whether a text imports one of the modules, and names something that it defines."""
    if file.size > _LARGEST:
        return False
    text = text_of(*file)
    if not any(name.encode() in text for name in names):
        return False
    from mllint_nan.syntax.outline import holds

    if not any(holds(text, name.encode()) for name in names):
        return False
    imports = b"\n".join(_IMPORT.findall(text))
    return any(holds(imports, module.encode()) for module in modules if module)


@lru_cache(_KEPT_MOST)
def text_of(file: str, changed: int, size: int) -> bytes:
    try:
        with open(file, "rb") as opened:
            return opened.read()
    except (OSError, MemoryError):
        return b""


def neighbours_of(path: str, roots: tuple[str, ...] = ()) -> Neighbours:
    """What a file can import: from its own package, and from below `roots`."""
    file = os.path.abspath(path)
    directory, parts = os.path.dirname(os.path.abspath(path)), []
    while os.path.exists(os.path.join(directory, _INIT)):
        directory, name = os.path.split(directory)
        if not name:
            break
        parts.append(name)
    absolute = [os.path.abspath(root) for root in roots]
    sources = [os.path.join(root, _SOURCES) for root in absolute]
    found = (directory, *absolute, *sources)
    return Neighbours(".".join(reversed(parts)), tuple(dict.fromkeys(found)), file)


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
    package, own = neighbours_of(file).package, os.path.basename(file).removesuffix(".py")
    if own == _INIT.removesuffix(".py"):
        return package or os.path.basename(os.path.dirname(file))
    return f"{package}.{own}" if package else own


def _exists(root: str, name: str) -> bool:
    path = os.path.join(root, name)
    return os.path.isfile(f"{path}.py") or os.path.isdir(path)


class SourceFile(NamedTuple):
    """A file as it was when it was last `changed`, in nanoseconds."""

    file: str
    changed: int
    size: int


def _file(path: str) -> SourceFile | None:
    """The file of the module at a path."""
    for file in (os.path.join(path, _INIT), f"{path}.py"):
        found = _status(file)
        if found is not None:
            return found
    return None


def _status(file: str) -> SourceFile | None:
    try:
        status = os.stat(file)
    except (OSError, ValueError):
        return None
    is_regular = stat.S_ISREG(status.st_mode)
    return SourceFile(file, status.st_mtime_ns, status.st_size) if is_regular else None


def _module(name: str, path: str) -> Outline | None:
    from mllint_nan.syntax.outline import Outline

    found = _file(path)
    if found is not None:
        return _read(name, found.file == os.path.join(path, _INIT), *found)
    return Outline(name, True, b"") if os.path.isdir(path) else None


@lru_cache(_KEPT_MOST)
def _read(name: str, is_package: bool, file: str, changed: int, size: int) -> Outline | None:
    from mllint_nan.syntax.outline import Outline

    try:
        with open(file, "rb") as opened:
            return Outline(name, is_package, opened.read(), file)
    except (OSError, MemoryError):
        return None


@lru_cache(_DIGESTS_MOST)
def _digest(file: str, changed: int, size: int) -> str:
    try:
        with open(file, "rb") as opened:
            return hashlib.sha256(opened.read()).hexdigest()
    except (OSError, MemoryError):
        return "unreadable"
