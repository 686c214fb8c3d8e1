"""Which files the paths of a command line stand for.

A path that is named is taken even if it is excluded or ignored, unless exclusion is forced.
Symbolic links to directories are followed when they are named, not when they are met, so there are
no loops, and no fix reaches outside what was named.
"""

from __future__ import annotations

import difflib
import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mllint_nan.config.resolve import Configuration, Configurations
from mllint_nan.syntax.markdown import is_markdown

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_ADVICE: Final = {
    errno.EACCES: "check the file's mode",
    errno.EPERM: "check the file's owner and mode",
    errno.ENOENT: "check the path",
    errno.ENOTDIR: "check the path",
    errno.ELOOP: "the symbolic link leads back to itself",
}


_SUFFIXES: Final = (".py", ".ipynb")
_BELOW: Final = "ps_d"
"""The group by which pathspec marks the slash after what a pattern matches."""


@dataclass(frozen=True, slots=True)
class Discovery:
    """The files to check, and the paths that lead nowhere, each with the reason."""

    files: tuple[str, ...]
    failures: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class _Found:
    """What a walk has met so far; files by their real path, so that each is taken once."""

    files: dict[str, str] = field(default_factory=dict)
    links: list[str] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)
    visited: set[str] = field(default_factory=set)


def discover(paths: Iterable[str], configurations: Configurations) -> Discovery:
    """The named files, and all code below the named directories, each once, sorted."""
    found = _Found()
    directories: list[str] = []
    for path in paths:
        try:
            mode = os.stat(path).st_mode
        except (OSError, ValueError) as error:
            found.failures[path] = _nowhere(path, error)
            continue
        if configurations.run.force_exclude and is_excluded(path, configurations):
            continue
        if stat.S_ISDIR(mode):
            directories.append(path)
        else:
            found.files.setdefault(os.path.realpath(path), path)
    for directory in directories:
        ignored = _Ignored()
        if configurations.run.respect_gitignore:
            ignored = _Ignored.above(os.path.abspath(directory))
        _walk(directory, configurations, ignored, found)
    for link in sorted(found.links):
        if os.path.isfile(link):
            found.files.setdefault(os.path.realpath(link), link)
    files = (path.removeprefix(os.path.join(os.curdir, "")) for path in found.files.values())
    return Discovery(
        tuple(sorted(files, key=lambda path: path.split(os.sep))),
        tuple(sorted(found.failures.items())),
    )


def _nowhere(path: str, error: OSError | ValueError) -> str:
    """Why a named path cannot be read, with the path beside it that may have been meant."""
    said = reason("read", error)
    if not isinstance(error, FileNotFoundError):
        return said
    if os.path.islink(path):
        return f"cannot read: it is a symbolic link to {os.readlink(path)}, which does not exist"
    directory, name = os.path.split(path)
    try:
        beside = os.listdir(directory or os.curdir)
    except OSError:
        return said
    close = difflib.get_close_matches(name, beside, 1, cutoff=0.7)
    if not close:
        return said
    return f"cannot read: {error.strerror}; did you mean {os.path.join(directory, close[0])}?"


def is_excluded(path: str, configurations: Configurations) -> bool:
    """Whether a path, or a folder of its project that it lies in, is excluded."""
    path = os.path.abspath(path)
    configuration = configurations.of_file(path)
    while path != configuration.root:
        if configuration.exclude.matches(path):
            return True
        above = os.path.dirname(path)
        if not _is_below(above, configuration.root):
            break
        path = above
    return False


def reason(verb: str, error: OSError | ValueError | MemoryError) -> str:
    """One line about a file that cannot be read or written."""
    match error:
        case OSError():
            said, advice = error.strerror or str(error), _ADVICE.get(error.errno or 0)
        case MemoryError():
            said, advice = "out of memory", None
        case _:
            said, advice = str(error), None
    return f"cannot {verb}: {said}; {advice}" if advice else f"cannot {verb}: {said}"


def _walk(directory: str, configurations: Configurations, ignored: _Ignored, found: _Found) -> None:
    pending = [(directory, os.path.abspath(directory), os.path.realpath(directory), ignored)]
    while pending:
        directory, absolute, real, ignored = pending.pop()
        if real in found.visited:
            continue
        found.visited.add(real)
        try:
            entries = list(os.scandir(directory))
        except OSError as error:
            found.failures[directory] = reason("read", error)
            continue
        configuration = configurations.of_directory(absolute)
        if configurations.run.respect_gitignore:
            ignored = ignored.below(absolute, {entry.name for entry in entries})
        for entry in entries:
            place = os.path.join(absolute, entry.name)
            if entry.is_dir(follow_symlinks=False):
                if _is_wanted(place, True, configuration, ignored):
                    pending.append((entry.path, place, os.path.join(real, entry.name), ignored))
            elif _is_code(entry.name, configuration) and _is_wanted(
                place, False, configuration, ignored
            ):
                if entry.is_symlink():
                    found.links.append(entry.path)
                elif entry.is_file():
                    found.files.setdefault(os.path.join(real, entry.name), entry.path)


def _is_code(name: str, configuration: Configuration) -> bool:
    if name.endswith(_SUFFIXES):
        return True
    return configuration.include_markdown and is_markdown(name)


def _is_wanted(
    place: str, is_directory: bool, configuration: Configuration, ignored: _Ignored
) -> bool:
    return not configuration.exclude.matches(place) and not ignored.covers(place, is_directory)


@dataclass(frozen=True, slots=True)
class _Ignored:
    """What git ignores in a directory: the patterns of each directory above, the nearest last."""

    specs: tuple[tuple[str, GitIgnoreSpec], ...] = ()

    @classmethod
    def above(cls, directory: str) -> _Ignored:
        """The patterns from above a named directory, unless they ignore the directory itself.

        They are read from the root of the repository down, or if there is none, from the working
        directory down.
        """
        ignored = cls()
        for parent in _project(directory):
            ignored = ignored.below(parent)
        return cls() if ignored.covers(directory, True) else ignored

    def below(self, directory: str, names: set[str] | None = None) -> _Ignored:
        """The patterns that hold in a directory; `names` are those of its entries, if known."""
        ignored = self
        if _has(directory, ".git", names):  # patterns above it do not apply in this repository
            ignored = _Ignored()._with(directory, os.path.join(directory, ".git/info/exclude"))
        if _has(directory, ".gitignore", names):
            ignored = ignored._with(directory, os.path.join(directory, ".gitignore"))
        return ignored

    def _with(self, directory: str, path: str) -> _Ignored:
        try:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                lines = file.read().splitlines()
        except OSError:
            return self
        return _Ignored((*self.specs, (os.path.join(directory, ""), _spec(lines))))

    def covers(self, place: str, is_directory: bool) -> bool:
        """Whether git ignores a file or directory; the nearest pattern decides."""
        for directory, spec in reversed(self.specs):
            path = place.removeprefix(directory).replace(os.sep, "/")
            path = f"{path}/" if is_directory else path
            for pattern in reversed(spec.patterns):
                found = pattern.match_file(path) if pattern.include is not None else None
                if found is not None and _is_of_itself(found.match, path):
                    return bool(pattern.include)
        return False


def _is_of_itself(found: re.Match[str], path: str) -> bool:
    """Whether a pattern matches a path itself, and not only a folder that it is in.

    For git, a folder that is included again says nothing about its contents.
    """
    last = len(path) - 1
    if _BELOW not in found.re.groupindex or found.start(_BELOW) in (-1, last):
        return True
    # A wildcard for any folder matches the first one.
    return found.re.search(path, last) is not None


def _spec(lines: list[str]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:  # git skips an invalid pattern
        return GitIgnoreSpec.from_lines(line for line in lines if _is_pattern(line))


def _is_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _project(directory: str) -> Iterator[str]:
    """The directories above one, from its repository or the working directory down."""
    parents = []
    here = os.getcwd()
    parent = os.path.dirname(directory)
    end = here if _is_below(directory, here) else directory
    while not os.path.exists(os.path.join(directory, ".git")):
        parents.append(parent)
        if os.path.exists(os.path.join(parent, ".git")):
            end = parent
            break
        if parent == os.path.dirname(parent):
            break
        parent = os.path.dirname(parent)
    return (path for path in reversed(parents) if _is_below(path, end))


def _is_below(path: str, directory: str) -> bool:
    """Whether a path is a directory or lies in it."""
    return path == directory or path.startswith(os.path.join(directory, ""))


def _has(directory: str, name: str, names: set[str] | None) -> bool:
    return name in names if names is not None else os.path.exists(os.path.join(directory, name))
