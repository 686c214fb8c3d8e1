"""The files of a project as they are now: what a folder contains, and where modules are."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
from collections.abc import Callable, Hashable, Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeVar

_Place = TypeVar("_Place", bound=Hashable)
_Found = TypeVar("_Found")
_KEPT_MOST: Final = 4096
_DIGESTS_MOST: Final = 16_384
_INIT: Final = "__init__.py"
_OTHERS: Final = re.compile(
    r"\.(ya?ml|json|toml|cfg|ini|conf|gin|txt|md|rst|sh|bash|slurm|sbatch)$"
    r"|^(Makefile|Dockerfile|README)$"
)
_OTHER_LARGEST: Final = 400_000
"""The most bytes of such a file; larger ones are data."""
OTHERS_MOST: Final = 2048
_FILES_MOST: Final = 8192
"""If a project has more, only those in the same folder and at the top are analysed."""
_BYTES_MOST: Final = 128_000_000
"""A project whose files have more bytes together is treated in the same way."""
LARGEST: Final = 2_000_000
"""The most bytes of a file that is read; notebooks contain pictures, too."""
_FOLDERS_MOST: Final = 4096
_TOP_FILES_MOST: Final = 64
"""The most files of a folder whose imports are read."""
_ROOT_DEEPEST: Final = 8
"""How many folders up the root of a project is searched for."""
_MARKS: Final = ("pyproject.toml", ".git", "setup.py", "setup.cfg")
"""What marks the root of a project."""
_REQUIREMENTS: Final = re.compile(
    r"pyproject\.toml|setup\.(cfg|py)|requirements[^/]*\.txt|environment\.ya?ml"
)
"""The files of a folder that say which versions of others a project needs."""
REQUIREMENTS_FOLDER: Final = "requirements"
"""A folder in which every text file does."""
_ENVIRONMENT: Final = "pyvenv.cfg"
_TEST_FILES: Final = re.compile(
    r"(^|/)(test_[^/]*|[^/]*_test|([^/]*_)?test(ing)?_utils?|conftest)\.py$"
)
_TEST_FOLDERS: Final = re.compile(r"(^|/)(tests?|testing)/")
_IMPORTED: Final = re.compile(rb"(?m)^[ \t]*(?:from|import)[ \t]+([^\s.,;#\\]+)")
"""The first name in an import, compared with folders, of which a dataset may have thousands."""
_NO_SOURCES: Final = frozenset(("__pycache__", "node_modules", "site-packages", "build", "dist"))


class SourceFile(NamedTuple):
    """A file in one state: its path, when it was last `changed` in nanoseconds, and its size."""

    file: str
    changed: int
    size: int


class ProjectFiles(NamedTuple):
    """The files of a project; of one that is too large, only those in a folder and at the top."""

    files: tuple[SourceFile, ...]
    is_whole: bool


class Changes(NamedTuple):
    """How the files of a project differ from an earlier state."""

    changed: tuple[SourceFile, ...]
    """The new and the changed files, as they are now."""
    came: tuple[str, ...]
    """The new ones among them."""
    gone: tuple[str, ...]

    @classmethod
    def between(cls, before: tuple[SourceFile, ...], now: tuple[SourceFile, ...]) -> Changes:
        earlier = {file.file for file in before}
        later = {file.file for file in now}
        changed = set(now).difference(before)
        return cls(
            tuple(sorted(changed)), tuple(sorted(later - earlier)), tuple(sorted(earlier - later))
        )

    @property
    def files(self) -> frozenset[str]:
        return frozenset((*self.gone, *(file.file for file in self.changed)))


def status_of(file: str) -> SourceFile | None:
    """A file as it is now; `None` if it is not a regular file."""
    return remembered(_statuses, file, _status_of)


def _status_of(file: str) -> SourceFile | None:
    try:
        status = os.stat(file)
    except (OSError, ValueError):
        return None
    is_regular = stat.S_ISREG(status.st_mode)
    return SourceFile(file, status.st_mtime_ns, status.st_size) if is_regular else None


class _Listed(NamedTuple):
    """The Python files and notebooks in a directory, and its subdirectories."""

    files: tuple[SourceFile, ...]
    folders: tuple[str, ...]


def listed(directory: str) -> _Listed:
    return remembered(_places, directory, _listed)


def _listed(directory: str) -> _Listed:
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
    """Yield a directory and all below it, except environments and build results."""
    pending, count = [directory], 0
    while pending and count < _FOLDERS_MOST:
        inside = pending.pop()
        count += 1
        if not os.path.exists(os.path.join(inside, _ENVIRONMENT)):
            yield inside
            pending += reversed(listed(inside).folders)


@lru_cache(_KEPT_MOST)
def text_of(file: str, changed: int, size: int) -> bytes:
    return text_read(file, changed, size)


def text_read(file: str, changed: int, size: int) -> bytes:
    """The text of a file, read without a cache as it is not needed again."""
    try:
        with open(file, "rb") as opened:
            return opened.read()
    except (OSError, MemoryError):
        return b""


def forget_texts() -> None:
    """Empty the cache of texts."""
    text_of.cache_clear()


@lru_cache(_DIGESTS_MOST)
def digest_of(file: str, changed: int, size: int) -> str:
    try:
        with open(file, "rb") as opened:
            return hashlib.sha256(opened.read()).hexdigest()
    except (OSError, MemoryError):
        return "unreadable"


def is_test(path: str) -> bool:
    """Whether a file tests others, so that no finding in it is more than possible.

    Only the project's own folders count, not the place where the project is.
    """
    return _is_called_test(path) or (_is_below_tests(path) and _lies_in_tests(path))


@lru_cache(_DIGESTS_MOST)
def _is_called_test(path: str) -> bool:
    return _TEST_FILES.search(path.replace("\\", "/")) is not None


@lru_cache(_DIGESTS_MOST)
def _is_below_tests(path: str) -> bool:
    return _TEST_FOLDERS.search(path.replace("\\", "/")) is not None


def _lies_in_tests(path: str) -> bool:
    """Whether a folder of the file's project, or its own if there is none, is one of tests."""
    path = os.path.abspath(path)
    folder = os.path.dirname(path)
    root = root_of(folder)
    if not (root and remembered(_marked, root, _is_root)):
        root = os.path.dirname(root or folder)
    return _is_below_tests(os.path.relpath(path, root))


def others_below(root: str) -> tuple[SourceFile, ...]:
    """The files of a project that are not Python but may say what is run: settings, documents."""
    return remembered(_others, root, _others_below)


def _others_below(root: str) -> tuple[SourceFile, ...]:
    found: list[SourceFile] = []
    for folder in folders_below(root):
        with contextlib.suppress(OSError, ValueError):
            status = map(status_of, _others_in(folder, os.stat(folder).st_mtime_ns))
            found += (one for one in status if one is not None and one.size <= _OTHER_LARGEST)
        if len(found) >= OTHERS_MOST:
            break
    return tuple(found)


@lru_cache(_KEPT_MOST)
def _others_in(folder: str, changed: int) -> tuple[str, ...]:
    with os.scandir(folder) as entries:
        return tuple(sorted(one.path for one in entries if _OTHERS.search(one.name)))


def requirement_files(folder: str) -> tuple[SourceFile, ...]:
    """The files that say which versions of others are needed, in a folder and those above it.

    The search ends at the root of the project; without a root, at the nearest folder that has
    such files.
    """
    return remembered(_requirements, folder, _requirement_files)


def _requirement_files(folder: str) -> tuple[SourceFile, ...]:
    around = around_within_project(folder)
    if around:
        return tuple(file for one in around for file in _requirements_of(one))
    for _ in range(_ROOT_DEEPEST):
        found = _requirements_of(folder)
        if found or os.path.dirname(folder) == folder:
            return found
        folder = os.path.dirname(folder)
    return ()


def _requirements_of(folder: str) -> tuple[SourceFile, ...]:
    inner = os.path.join(folder, REQUIREMENTS_FOLDER)
    paths = [os.path.join(folder, one) for one in _names_of(folder) if _REQUIREMENTS.fullmatch(one)]
    paths += [os.path.join(inner, one) for one in _names_of(inner) if one.endswith(".txt")]
    status = map(status_of, paths)
    return tuple(one for one in status if one is not None and one.size <= _OTHER_LARGEST)


def _names_of(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except (OSError, ValueError):
        return []


def has_module(root: str, name: str) -> bool:
    """Whether a folder directly contains a module or a folder of the name."""
    return remembered(_modules, (root, name), _has_module)


def _has_module(place: tuple[str, str]) -> bool:
    path = os.path.join(*place)
    return os.path.isfile(f"{path}.py") or os.path.isdir(path)


def place_of(path: str) -> str:
    """The file of the module at a path, or the folder if that has none; empty if neither exists."""
    return remembered(_stands, path, _place_of)


def _place_of(path: str) -> str:
    for file in (os.path.join(path, _INIT), f"{path}.py"):
        if os.path.isfile(file):
            return file
    return path if os.path.isdir(path) else ""


def state_of(path: str) -> str:
    """The state of the module at a path now: a string that changes whenever the module does."""
    return remembered(_states, path, _state_of)


def _state_of(path: str) -> str:
    place = place_of(path)
    found = status_of(place) if place else None
    if found is None:
        return "directory" if place == path else "absent"
    return f"{found.file} {digest_of(*found)}"


def root_of(folder: str) -> str:
    """The root of the project that a folder lies in, or an empty string.

    It is the nearest folder that is marked; if there is none, the outermost one whose own files
    import from its subfolders, as scripts beside a package do.
    """
    return remembered(_roots, folder, _root_of)


def _root_of(folder: str) -> str:
    folders = [folder]
    while len(folders) < _ROOT_DEEPEST and os.path.dirname(folders[-1]) != folders[-1]:
        folders.append(os.path.dirname(folders[-1]))
    for one in folders:
        if remembered(_marked, one, _is_root):
            return one
    importing = ""
    for one in folders:
        if remembered(_importing, one, _imports_its_folders):
            importing = one
        elif importing:
            break
    return importing


def _imports_its_folders(folder: str) -> bool:
    return _imports_folders(listed(folder))


@lru_cache(_KEPT_MOST)
def _imports_folders(place: _Listed) -> bool:
    """Whether a file of a folder imports one of the folders in it."""
    names = {os.fsencode(os.path.basename(one)) for one in place.folders}
    files = [file for file in place.files if file.size <= LARGEST][:_TOP_FILES_MOST]
    return bool(names) and any(
        names.intersection(_IMPORTED.findall(text_of(*file))) for file in files
    )


def around_within_project(folder: str) -> tuple[str, ...]:
    """A folder and those above it up to the root of the project; none if it has no root."""
    root = root_of(folder)
    if not root:
        return ()
    found = [folder]
    while found[-1] != root:
        found.append(os.path.dirname(found[-1]))
    return tuple(found)


def is_within(folder: str, outer: str) -> bool:
    """Whether a folder is another one or is inside of it, judged by their paths."""
    return f"{folder}{os.sep}".startswith(os.path.join(outer, ""))


def _is_root(folder: str) -> bool:
    return any(os.path.exists(os.path.join(folder, mark)) for mark in _MARKS)


_is_unchanging = False
_kept: list[dict[Any, Any]] = []
"""All that is remembered while no file changes."""


def kept() -> dict[Any, Any]:
    """A dictionary for what is `remembered`."""
    known: dict[Any, Any] = {}
    _kept.append(known)
    return known


_places: dict[str, _Listed] = kept()
"""What a directory contains."""
_modules: dict[tuple[str, str], bool] = kept()
"""Whether a folder has a module of a name."""
_stands: dict[str, str] = kept()
"""The file or folder of the module at a path."""
_states: dict[str, str] = kept()
"""The state of the module at a path."""
_statuses: dict[str, SourceFile | None] = kept()
"""The status of a file."""
_marked: dict[str, bool] = kept()
"""Whether a folder is marked as the root of a project."""
_importing: dict[str, bool] = kept()
"""Whether a file of a folder imports one of the folders in it."""
_others: dict[str, tuple[SourceFile, ...]] = kept()
"""The files below a folder that are not Python."""
_requirements: dict[str, tuple[SourceFile, ...]] = kept()
"""The files in and above a folder that say what is required."""
_listings: dict[tuple[str, str, tuple[str, ...]], ProjectFiles] = kept()
"""The files of the project around a folder."""
_below: dict[str, tuple[SourceFile, ...] | None] = kept()
"""All files below a directory; `None` if they are too many."""
_roots: dict[str, str] = kept()
"""The root of the project that a folder is in."""
_wholes: dict[tuple[str, ...], ProjectFiles | None] = kept()
"""All files below several directories; `None` if they are too many."""


@contextlib.contextmanager
def unchanging() -> Iterator[None]:
    """Assume in this context that no file changes, so that the files are listed only once."""
    global _is_unchanging
    before, _is_unchanging = _is_unchanging, True
    if not before:
        _forget()  # what was listed outside, too
    try:
        yield
    finally:
        _is_unchanging = before
        if not before:
            _forget()


def remembered(
    known: dict[_Place, _Found], place: _Place, find: Callable[[_Place], _Found]
) -> _Found:
    """What `find` returns for a place, found only once while no file changes."""
    if place in known:
        return known[place]
    found = find(place)
    if _is_unchanging:
        known[place] = found
    return found


def _forget() -> None:
    for known in _kept:
        known.clear()


def files_around(folder: str, top: str, roots: tuple[str, ...]) -> ProjectFiles:
    """The files of the project that a folder is in.

    `top` is the folder of the package, or empty; `roots` are the directories in which imports are
    searched for, that of the file itself first.
    """
    return remembered(_listings, (folder, top, roots), _files_around)


def _files_around(place: tuple[str, str, tuple[str, ...]]) -> ProjectFiles:
    folder, top, roots = place
    root = root_of(folder)
    others = [one for one in roots[1:] if not root or not is_within(one, root)]
    directories = (roots[0], root or top, *others)
    whole = remembered(_wholes, directories, _files_below)
    if whole is None:
        return ProjectFiles((*listed(folder).files, *listed(roots[0]).files), is_whole=False)
    return whole


def _files_below(directories: tuple[str, ...]) -> ProjectFiles | None:
    """The files in the first directory, and below the others; `None` if they are too many."""
    files = dict.fromkeys(listed(directories[0]).files)
    for directory in dict.fromkeys(directories[1:]):
        found = remembered(_below, directory, _all_below)
        files.update(dict.fromkeys(found or ()))
        if found is None or len(files) > _FILES_MOST:
            return None
    read = sum(file.size for file in files if file.size <= LARGEST)
    return ProjectFiles(tuple(sorted(files)), is_whole=True) if read <= _BYTES_MOST else None


def _all_below(directory: str) -> tuple[SourceFile, ...] | None:
    files: list[SourceFile] = []
    for inside in folders_below(directory) if os.path.isdir(directory) else ():
        files += listed(inside).files
        if len(files) > _FILES_MOST:
            return None
    return tuple(files)
