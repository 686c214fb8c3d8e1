"""The cache of results, by content: an entry is valid while nothing that it depends on changes.

An entry is never trusted without its own digest, and is replaced as a whole, so concurrent runs do
not disturb each other. If anything goes wrong with the directory, the entry counts as missing.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mllint_nan.asked import NOTHING_ASKED, Asked, reach_kept, reach_of
from mllint_nan.installed import content_of, program
from mllint_nan.module_resolver import Caller, ModuleResolver, digest_of_all
from mllint_nan.packages import renames_modules
from mllint_nan.project_files import Changes, SourceFile
from mllint_nan.requirements.declared import AllowedVersions, state_of
from mllint_nan.result_json import json_of, result_of
from mllint_nan.results import LintResult
from mllint_nan.settings import Settings
from mllint_nan.training import NO_REACH, Reach, TrainingUse, Unrun

if TYPE_CHECKING:
    from mllint_nan.flow.modules import Calling, CallingFile, Module, StoringFile

DEFAULT_DIRECTORY: Final = ".mllint_nan_cache"
_TAG: Final = "CACHEDIR.TAG"
_SIGNATURE: Final = "Signature: 8a477f597d28d172789f06886806bc55"
_TAG_TEXT: Final = f"{_SIGNATURE}\n# A cache of mllint-nan; it may be deleted at any time.\n"
_DAY: Final = 24 * 60 * 60.0
_KEPT_LONGEST: Final = 30 * _DAY
_PROJECTS_MOST: Final = 16
"""The most project states that are kept: those that were used last."""
_CHANGED_MOST: Final = 128
"""If more files of a project have changed than this, everything is asked again."""


def opened(directory: str) -> str | None:
    """Make a directory a cache, and return its absolute path; `None` if it cannot be one.

    A directory that contains anything else is left alone.
    """
    place = Path(os.path.abspath(directory))
    try:
        place.mkdir(parents=True, exist_ok=True)
        tag = place / _TAG
        if not tag.exists():
            if any(place.iterdir()):
                return None
            _replace(tag, _TAG_TEXT.encode())
        elif not tag.read_text("utf-8", "replace").startswith(_SIGNATURE):
            return None
        if not os.access(place, os.W_OK):
            return None
        if not (place / ".gitignore").exists():
            _replace(place / ".gitignore", b"*\n")
        _clean(place, tag)
    except OSError:
        return None
    return str(place)


def _clean(place: Path, tag: Path) -> None:
    """Once a day, delete entries unused for long; the tag's time is that of the last cleaning."""
    now = time.time()
    if now - tag.stat().st_mtime < _DAY and (place / "entries").exists():
        return
    (place / "entries").mkdir(exist_ok=True)
    os.utime(tag)
    others = ((place / name).glob("*") for name in ("words", "projects"))
    for entry in chain((place / "entries").glob("*/*"), *others):
        with contextlib.suppress(OSError):
            if now - entry.stat().st_mtime > _KEPT_LONGEST:
                entry.unlink()


class Watched:
    """The module resolver of a linted file, which records what was asked of the project."""

    def __init__(self, resolver: ModuleResolver) -> None:
        self._resolver = resolver
        self.package = resolver.package
        self.file = resolver.file
        self._asked: dict[str, str] = {}
        self._named: tuple[str, ...] = ()
        self._state = ""
        self._callers: dict[str, Watched] = {}
        self._others: dict[str, Watched] = {}
        self._trained: dict[str, list[str]] = {}
        self._unrun: dict[str, list[str]] = {}
        self._stored: dict[str, str] = {}
        self._surroundings = ""
        self._reach: Reach | None = NO_REACH
        self._project = ""

    def module(self, name: str) -> Module | None:
        """The module of a qualified name, if it is a file of the project."""
        if name not in self._asked:
            self._asked[name] = self._resolver.state(name)
        return self._resolver.module(name)

    def callers(self, names: Collection[str]) -> Sequence[CallingFile]:
        """Files that import this one and mention some of the names that it defines."""
        self._project = self._project or self._resolver.state_of_project()
        self._named = tuple(sorted({*self._named, *names}))
        self._state = self._resolver.state_of_callers(self._named)
        found = self._resolver.callers(names)
        for caller in found:
            self._callers.setdefault(caller.file, Watched(caller.project))
        return [_WatchedCaller(one, self._callers[one.file]) for one in found]

    def of(self, file: str) -> Watched:
        """The recording resolver of another file of the project."""
        if file not in self._others:
            self._others[file] = Watched(self._resolver.caller(file))
        return self._others[file]

    def storing(
        self,
        name: str,
        classes: Collection[str],
        defining: str = "",
        holders: Collection[str] | None = None,
        owner: tuple[str, str] = ("", ""),
    ) -> Sequence[StoringFile] | None:
        """Other files that set an attribute of this name; `None` if there are too many."""
        self._project = self._project or self._resolver.state_of_project()
        asked = " ".join((name, *classes))
        if asked not in self._stored:
            self._stored[asked] = self._resolver.state_of_storing(name, classes)
        return self._resolver.storing(name, classes, defining, holders, owner)

    def heirs(self, name: str, defining: str) -> frozenset[str]:
        """The names of a class of a file, and of those that may be derived from it."""
        return self._resolver.heirs(name, defining)

    def training(self, name: str) -> TrainingUse:
        """Whether the project trains something through the file's definition of a name."""
        self._project = self._project or self._resolver.state_of_project()
        found = self._resolver.training(name)
        if name not in self._trained and self._reach is not None:
            reach = self._resolver.reach(name)
            self._reach = self._reach.together(reach) if reach is not None else None
        self._trained[name] = [found.training.value, *found.path]
        return found

    def unrun(self, name: str) -> Unrun:
        """Why nothing visible runs the file's definition of a name; `RUN` if it may be run."""
        self._project = self._project or self._resolver.state_of_project()
        self._surroundings = self._surroundings or self._resolver.state_of_surroundings()
        found = self._resolver.unrun(name)
        if name not in self._unrun and self._reach is not None:
            reach = self._resolver.reach_of_run(name)
            self._reach = self._reach.together(reach) if reach is not None else None
        self._unrun[name] = [*found]
        return found

    def asked(self) -> Asked:
        """All that was asked: what the verdicts on the file depend on."""
        asked = (*self._callers.items(), *self._others.items())
        through = {file: caller.asked() for file, caller in asked}
        return {
            "modules": self._asked,
            "named": self._named,
            "callers": self._state,
            "through": through,
            "trained": self._trained,
            "unrun": self._unrun,
            "stored": self._stored,
            "surroundings": self._surroundings,
            "reach": reach_kept(self._reach),
            "project": self._project,
        }


@dataclass(frozen=True, slots=True)
class _WatchedCaller:
    """A file that may call the linted one, with a resolver that records what it imports."""

    caller: Caller
    project: Watched

    @property
    def file(self) -> str:
        return self.caller.file

    @property
    def frameworks(self) -> Collection[str]:
        return self.caller.frameworks

    def paths_to(self, names: Collection[str]) -> Collection[str]:
        return self.caller.paths_to(names)

    def calling(self) -> Calling:
        return self.caller.calling()

    def subclasses(self, names: Collection[str]) -> Sequence[str]:
        return self.caller.subclasses(names)

    def constructions(
        self, name: str, parameters: Sequence[str]
    ) -> Sequence[Mapping[str, Any] | None]:
        return self.caller.constructions(name, parameters)


@dataclass(frozen=True, slots=True)
class Entry:
    """The cache entry of one file under certain settings."""

    file: Path
    resolver: ModuleResolver | None
    """None for a file that has no resolver, such as a notebook."""
    versions: AllowedVersions | None = None
    """Determines which versions of its frameworks the file's project allows."""

    @classmethod
    def of(cls, directory: str, data: bytes, path: str, settings: Settings) -> Entry:
        """The entry for a file's bytes; `directory` has been `opened`."""
        resolver = settings.project
        assert resolver is None or isinstance(resolver, ModuleResolver)
        said = (
            hashlib.sha256(data).hexdigest(),
            path,
            repr(replace(settings, project=None, versions=None)),
            resolver,
            program(),
            tuple(map(content_of, settings.rules)),
        )
        key = hashlib.sha256(repr(said).encode("utf-8", "surrogateescape")).hexdigest()
        return cls(Path(directory, "entries", key[:2], key), resolver, settings.versions)

    def read(self) -> LintResult | None:
        """The kept result of the file, or `None` if anything that it depends on has changed."""
        try:
            digest, _, body = self.file.read_bytes().partition(b"\n")
            if digest.decode() != hashlib.sha256(body).hexdigest():
                return None
            kept = json.loads(body)
            if kept["key"] != self.file.name:
                return None
            asked = self._renewed(kept["asked"])
            if asked is None:
                return None
            if kept["versions"] and kept["versions"] != self._versions_now():
                return None
            outcome = result_of(kept["outcome"])
            if asked is not kept["asked"]:
                self._keep(asked, kept["versions"], kept["outcome"])
            if time.time() - self.file.stat().st_mtime > _DAY:
                os.utime(self.file)
        except (OSError, ValueError, TypeError, KeyError, RecursionError, MemoryError):
            return None
        return outcome

    def _renewed(self, asked: Asked) -> Asked | None:
        """What was asked, brought up to date; `None` if an answer has changed."""
        if self.resolver is None:
            return None if asked["modules"] else asked
        return _renewed(self.resolver, asked, self._home)

    def _versions_now(self) -> str:
        return state_of(self.versions.oldest()) if self.versions is not None else ""

    @property
    def _home(self) -> Path:
        """The directory of the cache."""
        return self.file.parents[2]

    def write(self, outcome: LintResult, asked: Asked = NOTHING_ASKED, versions: str = "") -> None:
        """Keep the result of the file, unless it failed or took too long: then it is tried again.

        `versions` is the state of the versions that the project allows, if a fix asked for them.

        Nothing is kept if a module has changed since it was asked for.
        """
        kept = json_of(outcome)
        if kept is None or self._renewed(asked) is not asked:
            return
        if self.resolver is not None and asked["project"]:
            _keep_project(self._home, self.resolver)
        self._keep(asked, versions, kept)

    def _keep(self, asked: Asked, versions: str, outcome: Any) -> None:
        entry = {"key": self.file.name, "asked": asked, "versions": versions, "outcome": outcome}
        body = json.dumps(entry, separators=(",", ":")).encode()
        with contextlib.suppress(OSError):
            self.file.parent.mkdir(exist_ok=True)
            _replace(self.file, hashlib.sha256(body).hexdigest().encode() + b"\n" + body)


def _renewed(resolver: ModuleResolver, asked: Asked, home: Path) -> Asked | None:
    """What was asked of a project, brought up to date; `None` if an answer has changed.

    It is the same object if nothing had to be asked again.
    """
    if any(resolver.state(name) != state for name, state in asked["modules"].items()):
        return None
    inner = {
        file: _renewed(resolver.caller(file), one, home) for file, one in asked["through"].items()
    }
    through = {file: one for file, one in inner.items() if one is not None}
    if len(through) < len(inner):
        return None
    is_same = all(one is asked["through"][file] for file, one in through.items())
    project = asked["project"]
    surroundings = resolver.state_of_surroundings() if asked["surroundings"] else ""
    is_set_otherwise = surroundings != asked["surroundings"]
    if not project or (resolver.state_of_project() == project and not is_set_otherwise):
        return asked if is_same else {**asked, "through": through}
    changes = _changes_since(home, project, resolver)
    is_called = bool(asked["named"]) and _may_be_called_otherwise(resolver, asked, changes)
    if is_called and resolver.state_of_callers(asked["named"]) != asked["callers"]:
        return None
    is_stored = bool(asked["stored"]) and _may_be_stored_otherwise(resolver, asked, changes)
    if is_stored and not _is_stored_alike(resolver, asked):
        return None
    is_trained = bool(asked["trained"] or asked["unrun"]) and (
        is_set_otherwise or _may_be_trained_otherwise(resolver, asked, changes)
    )
    if is_trained and not _is_answered_alike(resolver, asked):
        return None
    if not (is_called or is_stored or is_trained) and is_same:
        return asked
    reach = _reach_of_all(resolver, asked) if is_trained else _reach_after(asked, changes)
    _keep_project(home, resolver)
    return {
        **asked,
        "through": through,
        "surroundings": surroundings,
        "reach": reach_kept(reach),
        "project": resolver.state_of_project(),
    }


def _is_answered_alike(resolver: ModuleResolver, asked: Asked) -> bool:
    """Whether all answers about what is trained or run are still the same."""
    trained = ((resolver.training(name), answer) for name, answer in asked["trained"].items())
    return all(
        [found.training.value, *found.path] == [*answer] for found, answer in trained
    ) and all([*resolver.unrun(name)] == [*answer] for name, answer in asked["unrun"].items())


def _reach_after(asked: Asked, changes: Changes | None) -> Reach | None:
    """The reach of the same answers after changes outside of it; `None` if it is unknown."""
    if changes is None or asked["reach"] is None:
        return None
    return reach_of(asked["reach"]).after(len(changes.files))


def _reach_of_all(resolver: ModuleResolver, asked: Asked) -> Reach | None:
    """The reach of all answers together; `None` if that of any is unknown."""
    found = NO_REACH
    for own in chain(
        map(resolver.reach, asked["trained"]), map(resolver.reach_of_run, asked["unrun"])
    ):
        if own is None:
            return None
        found = found.together(own)
    return found


def _may_be_called_otherwise(
    resolver: ModuleResolver, asked: Asked, changes: Changes | None
) -> bool:
    """Whether the callers of the file, or the arguments that they pass, may have changed."""
    if changes is None or renames_modules(changes):
        return True
    if not changes.files.isdisjoint(asked["through"]):
        return True
    return any(resolver.may_call(file, asked["named"]) for file in changes.changed)


def _may_be_stored_otherwise(
    resolver: ModuleResolver, asked: Asked, changes: Changes | None
) -> bool:
    """Whether the files that set some attributes may have changed."""
    if changes is None or not changes.files.isdisjoint(asked["through"]):
        return True
    stored = [one.split() for one in asked["stored"]]
    return any(
        resolver.may_store(file, name, classes)
        for file in changes.changed
        for name, *classes in stored
    )


def _is_stored_alike(resolver: ModuleResolver, asked: Asked) -> bool:
    """Whether the same files set the attributes, and are as they were."""
    stored = ((one.split(), state) for one, state in asked["stored"].items())
    return all(resolver.state_of_storing(one[0], one[1:]) == state for one, state in stored)


def _may_be_trained_otherwise(
    resolver: ModuleResolver, asked: Asked, changes: Changes | None
) -> bool:
    if changes is None or asked["reach"] is None:
        return True
    return resolver.is_reached(reach_of(asked["reach"]), changes)


def _keep_project(home: Path, resolver: ModuleResolver) -> None:
    """Keep the list of a project's files, so that a later run can tell which have changed."""
    file = home / "projects" / resolver.state_of_project()
    if file in _kept_projects:
        return
    _kept_projects.add(file)
    with contextlib.suppress(OSError):
        file.parent.mkdir(exist_ok=True)
        if file.exists():
            os.utime(file)
            return
        _replace(file, json.dumps(resolver.files_of_project()).encode())
        others = sorted(file.parent.iterdir(), key=lambda one: -one.stat().st_mtime)
        for old in others[_PROJECTS_MOST:]:
            old.unlink()


_kept_projects: set[Path] = set()
"""The lists that this process has kept."""


_changes: dict[tuple[Path, str], Changes | None] = {}
"""By the file that keeps an earlier state of a project, and the project's present state."""


def _changes_since(home: Path, project: str, resolver: ModuleResolver) -> Changes | None:
    """How a project has changed since it had this state; `None` if too much, or if that is lost."""
    file, now = home / "projects" / project, resolver.state_of_project()
    if (file, now) not in _changes:
        if len(_changes) >= _PROJECTS_MOST:
            _changes.clear()
        _changes[file, now] = _changes_from(file, resolver.files_of_project())
    return _changes[file, now]


def _changes_from(file: Path, now: tuple[SourceFile, ...]) -> Changes | None:
    try:
        before = tuple(SourceFile(*one) for one in json.loads(file.read_bytes()))
        if digest_of_all(before) != file.name:
            return None
        os.utime(file)
    except (OSError, ValueError, TypeError):
        return None
    changes = Changes.between(before, now)
    return changes if len(changes.files) <= _CHANGED_MOST else None


def _replace(file: Path, data: bytes) -> None:
    """Write a file atomically, so that nobody reads a part of it."""
    descriptor, temporary = tempfile.mkstemp(dir=file.parent)
    try:
        with open(descriptor, "wb") as written:
            written.write(data)
        os.replace(temporary, file)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
