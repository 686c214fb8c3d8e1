"""The files that a linted file can import or be called by, and which module each of them is.

Only bytes are read, once for each file; a file that has changed since is read again.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any, Final

from mllint_nan.packages import is_regular, package_of
from mllint_nan.project_files import (
    Changes,
    ProjectFiles,
    SourceFile,
    around_within_project,
    digest_of,
    files_around,
    has_module,
    is_test,
    kept,
    place_of,
    remembered,
    root_of,
    state_of,
    status_of,
    text_of,
)
from mllint_nan.screening import frameworks_imported
from mllint_nan.surroundings import Surroundings
from mllint_nan.training import NOT_IN_SIGHT, RUN, Reach, Training, TrainingUse, Unrun

if TYPE_CHECKING:
    from mllint_nan.graph import ValueFlowGraph
    from mllint_nan.ir.stores import Stores
    from mllint_nan.syntax.calling import Calling
    from mllint_nan.syntax.symbol_table import SymbolTable

_KEPT_MOST: Final = 4096
_INIT: Final = "__init__.py"
_SOURCES: Final = "src"
"""The folder of a project's packages by convention, if they are not at its root."""
_CALLERS_MOST: Final = 8
"""The most files whose calls of one file are analysed."""
_LARGEST: Final = 400_000
"""The most bytes of a file whose calls are analysed."""
_GRAPHS_MOST: Final = 4
_STORING_MOST: Final = 64
"""The most files that are read because they set an attribute of one name."""
_STORES_MOST: Final = 4096
"""The most files for which it is kept what attributes they set."""
_CALLING_MOST: Final = 8
"""The most files whose calls are kept for the next file that asks for them."""
_CLASS: Final = re.compile(rb"(?m)^class[ \t]+(\w+)[ \t]*\(([^)]*)\)")
"""The name of a class, and its bases."""
_WORD: Final = re.compile(rb"\w+")
_LOOKUPS: Final = ("getattr", "__dict__", "vars", "globals")
"""A file that looks up names in a module contains one of these words."""

_searched: dict[tuple[str, tuple[str, ...]], tuple[str, tuple[str, ...]]] = kept()
"""The package of the files of a folder, and where their imports are searched for."""
_paths: dict[tuple[tuple[str, ...], str], str] = kept()
"""By roots and qualified name: where a module lies, or an empty string."""
_modules: dict[tuple[tuple[str, ...], str], SymbolTable | None] = kept()
"""By roots and qualified name: the module."""


@dataclass(frozen=True, slots=True)
class ModuleResolver:
    """The modules that one file can import.

    `package` is the qualified name of the package that the file is a module of, or an empty
    string; `roots` are the directories in which a top-level name is searched for, in order.
    """

    package: str
    roots: tuple[str, ...]
    file: str = ""
    """The path of the file itself."""

    def module(self, name: str) -> SymbolTable | None:
        """The module of a qualified name, if it is a file below one of the roots."""
        return remembered(_modules, (self.roots, name), _module_at)

    def state(self, name: str) -> str:
        """The state of a module's file now: a string that changes whenever the file does."""
        path = self._path_of(name)
        return state_of(path) if path else "absent"

    def _path_of(self, name: str) -> str:
        """Where a module lies if it exists: below the first root that has its first part."""
        return remembered(_paths, (self.roots, name), _path_below)

    def callers(self, names: Collection[str]) -> tuple[Caller, ...]:
        """Files that import this one and mention some of these names; of many, the nearest few."""
        named = frozenset(names)
        found = self._callers(named)
        return tuple(Caller(self.caller(file.file), file, named, self._stem) for file in found)

    def of(self, file: str) -> ModuleResolver:
        """The resolver of another file of the project."""
        return self.caller(file)

    def caller(self, file: str) -> ModuleResolver:
        """The modules that another file of the project can import."""
        return module_resolver_of(file, self.roots[1:])

    def state_of_callers(self, names: Collection[str]) -> str:
        """A digest of the callers now, which differs once one is changed, added or removed."""
        found = [f"{file.file} {digest_of(*file)}" for file in self._callers(names)]
        return hashlib.sha256("\n".join(found).encode("utf-8", "surrogateescape")).hexdigest()

    def storing(
        self,
        name: str,
        classes: Collection[str],
        defining: str = "",
        holders: Collection[str] | None = None,
        owner: tuple[str, str] = ("", ""),
    ) -> tuple[Storing, ...] | None:
        """Other files that set an attribute of this name, no tests; `None` if there are too many.

        Those that set it only of `self` count if they derive another class from one of some
        classes, as does the file that defines the first of these. With `holders`, those do not that
        set it to no number that they contain, or name none of these classes, or only in the bodies
        of others or of the `owner`, which has a file and a name.
        """
        from mllint_nan.attribute_names import HEIRS_MOST, sets_anywhere, sets_number

        within = holders if holders is not None and len(holders) < HEIRS_MOST else None

        def sets_it(file: SourceFile) -> bool:
            if holders is None:
                return sets_anywhere(file, name)
            return sets_number(file, name, within, but=owner[1] if file.file == owner[0] else "")

        found: list[SourceFile] = []
        for file in self._storing(name, classes, only_numbers=holders is not None):
            if sets_it(file) and (holders is None or self._names_any(file, holders)):
                found.append(file)
                if len(found) > _STORING_MOST:
                    return None
        found.sort()
        own = status_of(defining) if defining and defining != self.file else None
        if own is not None and own not in found and sets_it(own):
            found.append(own)
        return tuple(map(Storing, found)) if len(found) <= _STORING_MOST else None

    def _names_any(self, file: SourceFile, classes: Collection[str]) -> bool:
        return _graph_of(self._files().files).names_any(file, classes)

    def _storing(
        self, name: str, classes: Collection[str], *, only_numbers: bool = False
    ) -> Iterator[SourceFile]:
        found = (
            _graph_of(self._files().files).setting(name, classes, only_numbers=only_numbers)
            if self.file
            else ()
        )
        for file in found:
            if file.file != self.file and file.size <= _LARGEST and not is_test(file.file):
                yield file

    def heirs(self, name: str, defining: str) -> frozenset[str]:
        """The names of a class of a file, and of those that may be derived from it."""
        if not self.file:
            return frozenset((name,))
        return _graph_of(self._files().files).heirs(name, defining)

    def state_of_storing(self, name: str, classes: Collection[str]) -> str:
        """A digest of the files that set an attribute now, like `state_of_callers`."""
        storing = sorted(self._storing(name, classes))
        found = [f"{file.file} {digest_of(*file)}" for file in storing]
        return hashlib.sha256("\n".join(found).encode("utf-8", "surrogateescape")).hexdigest()

    def may_store(self, file: SourceFile, name: str, classes: Collection[str]) -> bool:
        """Whether a file is one of those that set an attribute, judged by its own text."""
        from mllint_nan.attribute_names import sets

        return file.file != self.file and sets(file, name, classes)

    def training(self, name: str) -> TrainingUse:
        """Whether the project trains anything through the file's definition of a name."""
        own = status_of(self.file)
        if own is None:
            return NOT_IN_SIGHT
        files, is_whole = self._files()
        found = _graph_of(files).training(own, name)
        is_known = is_whole or found.training is Training.THROUGH
        return found if is_known else NOT_IN_SIGHT

    def unrun(self, name: str) -> Unrun:
        """Why nothing visible runs the file's definition of a name; `RUN` if it may be run."""
        own = status_of(self.file)
        files, is_whole = self._files()
        if own is None or not is_whole:
            return RUN
        return _graph_of(files).unrun(own, name, self._surroundings())

    def reach_of_run(self, name: str) -> Reach | None:
        """What the answer of `unrun` depends on; `None` if that is not known."""
        own = status_of(self.file)
        files, is_whole = self._files()
        if own is None or not is_whole:
            return None
        return _graph_of(files).reach_of_run(own, name, self._surroundings())

    def state_of_surroundings(self) -> str:
        """A digest of the project's files that are not Python, as they are now."""
        return self._surroundings().state

    def _surroundings(self) -> Surroundings:
        return Surroundings(root_of(os.path.dirname(self.file)))

    def reach(self, name: str) -> Reach | None:
        """What the answer of `training` depends on; `None` if that is not known."""
        own = status_of(self.file)
        files, is_whole = self._files()
        return _graph_of(files).reach(own, name) if own is not None and is_whole else None

    def is_reached(self, reach: Reach, changes: Changes) -> bool:
        """Whether answers with this reach may differ after some files of the project changed."""
        files, is_whole = self._files()
        return not is_whole or _graph_of(files).is_reached(reach, changes)

    def state_of_project(self) -> str:
        """A digest of all files of the project as they are now."""
        return digest_of_all(self._files().files)

    def files_of_project(self) -> tuple[SourceFile, ...]:
        return self._files().files

    def index(self) -> None:
        """Index the files of the project, before many of them ask for some."""
        _graph_of(self._files().files).index()

    def _files(self) -> ProjectFiles:
        """The files of the project that the file is part of."""
        top = os.path.join(self.roots[0], self.package.partition(".")[0]) if self.package else ""
        return files_around(os.path.dirname(self.file), top, self.roots)

    @property
    def is_indexed(self) -> bool:
        """Whether the whole project is analysed; of one that is too large, only a part is."""
        return self._files().is_whole

    def _callers(self, names: Collection[str]) -> list[SourceFile]:
        if not self.file or not names:
            return []
        graph = _graph_of(self._files().files)
        importing = graph.importing({self._stem, *names}, self._top)
        if importing is None:
            found = {file for name in names for file in graph.mentioning(name)}
            looking = {file for word in _LOOKUPS for file in graph.mentioning(word)}
            found |= looking.intersection(graph.mentioning(self._stem))
            is_caller = self._may_call
        else:
            found, is_caller = importing, self._names_some
        nearest = sorted(found, key=lambda file: (self._distance(file.file), file))
        calling = (file for file in nearest if self._is_other(file) and is_caller(file, names))
        return list(islice(calling, _CALLERS_MOST))

    def _distance(self, file: str) -> int:
        """How many folders lie between a file and this one; of many callers, the nearest count."""
        here, there = self.file.split(os.sep)[:-1], file.split(os.sep)[:-1]
        pairs = zip(here, there, strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        return len(here) + len(there) - 2 * shared

    def may_call(self, file: SourceFile, names: Collection[str]) -> bool:
        """Whether a file is one of the callers of some names, judged by its own text."""
        graph = _graph_of(self._files().files)
        is_named = any(graph.stands_in(file, name) for name in (*names, *_LOOKUPS))
        return is_named and self._may_call(file, names)

    def _may_call(self, file: SourceFile, names: Collection[str]) -> bool:
        """As `may_call`, for a file that is known to contain one of the names, or a lookup."""
        from mllint_nan.importers import imports_some

        is_importing = self._is_other(file) and imports_some(file, {self._stem, *names}, self._top)
        return is_importing and self._names_some(file, names)

    def _names_some(self, file: SourceFile, names: Collection[str]) -> bool:
        """Whether a file contains one of some names, or looks up names in this module."""
        from mllint_nan.importers import modules_looked_up
        from mllint_nan.syntax.symbol_table import holds

        text = text_of(*file)
        is_named = any(holds(text, name.encode()) for name in names)
        return is_named or bool(modules_looked_up(file, self._stem))

    def _is_other(self, file: SourceFile) -> bool:
        """Whether a file is another one, whose calls of this one are analysed."""
        is_other = file.file != self.file and not file.file.endswith(_INIT)
        return is_other and file.size <= _LARGEST

    @property
    def _stem(self) -> str:
        """The last part of the module's name."""
        folder, own = os.path.split(self.file)
        return os.path.basename(folder) if own == _INIT else own.removesuffix(".py")

    @property
    def _top(self) -> str:
        """The first part of the module's name."""
        return self.package.partition(".")[0] or self._stem


_graphs: list[tuple[tuple[SourceFile, ...], ValueFlowGraph]] = []
"""The graphs of the projects that were asked for last."""


def _graph_of(files: tuple[SourceFile, ...]) -> ValueFlowGraph:
    for known, graph in _graphs:
        if known is files or known == files:
            return graph
    from mllint_nan.graph import ValueFlowGraph

    made = ValueFlowGraph(files)
    _graphs[:] = [(files, made), *_graphs[: _GRAPHS_MOST - 1]]
    return made


_digests: list[tuple[tuple[SourceFile, ...], str]] = []
"""The digests of the projects that were asked for last."""


def digest_of_all(files: tuple[SourceFile, ...]) -> str:
    """A digest of some files, which differs once one is changed, added or removed."""
    for known, digest in _digests:
        if known is files:
            return digest
    found = hashlib.sha256(repr(files).encode("utf-8", "surrogateescape")).hexdigest()
    _digests[:] = [(files, found), *_digests[: _GRAPHS_MOST - 1]]
    return found


@dataclass(frozen=True, slots=True)
class Caller:
    """A file that may call what another one defines."""

    project: ModuleResolver
    source: SourceFile
    names: frozenset[str]
    """The definitions of the other file that it may call."""
    module: str
    """The last part of the name of the other file's module."""

    @property
    def file(self) -> str:
        return self.source.file

    @property
    def frameworks(self) -> frozenset[str]:
        """The numerical frameworks that it imports."""
        return frameworks_imported(text_of(*self.source))

    def paths_to(self, names: Collection[str]) -> Collection[str]:
        """The qualified names by which it may mean some names, judged by its imports."""
        from mllint_nan.importers import modules_looked_up, paths_to

        found = modules_looked_up(self.source, self.module).values()
        looked_up = {f"{path}.{name}" for paths in found for path in paths for name in names}
        return paths_to(self.source, names) | looked_up

    def calling(self) -> Calling:
        """Its functions that may call them, and as much of the file as these need."""
        from mllint_nan.importers import modules_looked_up

        return _calling(self.source, self.names.union(modules_looked_up(self.source, self.module)))

    def subclasses(self, names: Collection[str]) -> tuple[str, ...]:
        """The qualified names of its classes whose bases mention some of these names."""
        stem = os.path.basename(self.file).removesuffix(".py")
        module = f"{self.project.package}.{stem}" if self.project.package else stem
        return tuple(
            f"{module}.{name.decode()}"
            for name, bases in _CLASS.findall(text_of(*self.source))
            if any(word.decode() in names for word in _WORD.findall(bases))
        )

    def constructions(
        self, name: str, parameters: Sequence[str]
    ) -> tuple[Mapping[str, Any] | None, ...]:
        """The constants that its calls of a class pass, by parameter; `None` if they are hidden.

        A file that does not import the class, or its module, has none.
        """
        from mllint_nan.syntax.constructions import constructions
        from mllint_nan.syntax.decoding import NoPython, SourceError
        from mllint_nan.syntax.reading import read

        if not self.paths_to((name,)):
            return ()
        try:
            text = read(text_of(*self.source), self.file).text
        except (SourceError, NoPython, RecursionError):
            return (None,)
        return constructions(text, name, parameters)


@dataclass(frozen=True, slots=True)
class Storing:
    """A file that sets attributes."""

    source: SourceFile

    @property
    def file(self) -> str:
        return self.source.file

    @property
    def stores(self) -> Stores:
        """What it sets attributes to."""
        return _stores_of(self.source)


@lru_cache(_STORES_MOST)
def _stores_of(file: SourceFile) -> Stores:
    from mllint_nan.syntax.stores_read import stores_read

    return stores_read(text_of(*file), file.file)


@lru_cache(_CALLING_MOST)
def _calling(file: SourceFile, names: frozenset[str]) -> Calling:
    from mllint_nan.syntax.calling import NOT_CALLING, calling
    from mllint_nan.syntax.decoding import NoPython, SourceError
    from mllint_nan.syntax.reading import read

    try:
        return calling(read(text_of(*file), file.file).text, names)
    except (SourceError, NoPython, RecursionError):
        return NOT_CALLING


def module_resolver_of(path: str, roots: tuple[str, ...] = ()) -> ModuleResolver:
    """The resolver of a file, which can import from its package, its project and below `roots`."""
    file = os.path.abspath(path)
    package, found = remembered(_searched, (os.path.dirname(file), roots), _searched_from)
    return ModuleResolver(package, found, file)


def _searched_from(place: tuple[str, tuple[str, ...]]) -> tuple[str, tuple[str, ...]]:
    folder, roots = place
    directory, package = package_of(os.path.join(folder, _INIT))
    absolute = [*around_within_project(directory), *map(os.path.abspath, roots)]
    sources = [os.path.join(root, _SOURCES) for root in absolute]
    own = (folder,) if not is_regular(folder) else ()  # it may be run as a script
    return package, tuple(dict.fromkeys((directory, *absolute, *sources, *own)))


def _path_below(place: tuple[tuple[str, ...], str]) -> str:
    roots, name = place
    parts = name.split(".")
    return next((os.path.join(one, *parts) for one in roots if has_module(one, parts[0])), "")


def _module_at(place: tuple[tuple[str, ...], str]) -> SymbolTable | None:
    path = remembered(_paths, place, _path_below)
    return _module(place[1], path) if path else None


def _module(name: str, path: str) -> SymbolTable | None:
    place = place_of(path)
    found = status_of(place) if place else None
    if found is not None:
        return _read(name, place == os.path.join(path, _INIT), *found)
    return _folder(name) if place == path else None


@lru_cache(_KEPT_MOST)
def _folder(name: str) -> SymbolTable:
    """A namespace package, which has no text."""
    from mllint_nan.syntax.symbol_table import SymbolTable

    return SymbolTable(name, True, b"")


@lru_cache(_KEPT_MOST)
def _read(name: str, is_package: bool, file: str, changed: int, size: int) -> SymbolTable | None:
    from mllint_nan.syntax.symbol_table import SymbolTable

    try:
        with open(file, "rb") as opened:
            return SymbolTable(name, is_package, opened.read(), file)
    except (OSError, MemoryError):
        return None
