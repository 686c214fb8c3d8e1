"""What the names in the files of a project stand for, with a record of what was read for it."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from mllint_nan.mentions import Mentions
from mllint_nan.packages import module_of
from mllint_nan.project_files import SourceFile, is_test, text_of
from mllint_nan.syntax.decoding import NoPython, SourceError
from mllint_nan.syntax.lazy_value_flows import LazyFlows
from mllint_nan.syntax.reading import read
from mllint_nan.syntax.value_flow_edges import Definition, last_name

_HOPS_MOST: Final = 6
"""The most modules through which a name that they re-export is followed."""
_KEPT_MOST: Final = 4096
FILES_MOST: Final = 16
"""The most files that contain one name; a name in more files may mean many things."""


@dataclass(slots=True)
class Trace:
    """What was looked up on the way to an answer."""

    files: set[str] = field(default_factory=set)
    modules: set[str] = field(default_factory=set)
    nodes: set[str] = field(default_factory=set)
    seldom: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    """The qualified names that were followed through the modules that re-export them."""
    methods: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    """The words that were searched for in all files, whatever they stand for."""
    programs: set[str] = field(default_factory=set)
    is_idle: bool = False
    least: int = sys.maxsize

    def add(self, other: Trace) -> None:
        """Add what another answer, on which this one rests, has looked up."""
        self.files |= other.files
        self.modules |= other.modules
        self.nodes |= other.nodes
        self.seldom |= other.seldom
        self.names |= other.names
        self.methods |= other.methods
        self.words |= other.words
        self.programs |= other.programs
        self.is_idle = self.is_idle or other.is_idle
        self.least = min(self.least, other.least)


class ProjectNames:
    """The definitions of some files of a project, by their names."""

    def __init__(self, files: tuple[SourceFile, ...]) -> None:
        self._trace = Trace()
        self._of_names: dict[str, Trace] = {}
        self._files = files
        self._modules: dict[str, tuple[SourceFile, ...]] = {}
        self._shared: set[str] = set()
        self._mentions = Mentions(files)
        self._names: dict[str, str] = {}

    @contextlib.contextmanager
    def _traced(self, traces: dict[str, Trace], key: str) -> Iterator[None]:
        """Record in a trace of its own what is looked up in this context."""
        outer, self._trace = self._trace, traces.setdefault(key, Trace())
        try:
            yield
        finally:
            self._trace = outer

    def _resolved(self, written: str) -> str:
        """The qualified name of the definition, followed through modules that re-export it."""
        self._trace.names.add(written)
        found = self._names.get(written)
        if found is None:
            with self._traced(self._of_names, written):
                found = self._names[written] = self._followed(written)
        return found

    def _followed(self, written: str) -> str:
        for _ in range(_HOPS_MOST):
            module, _, name = written.rpartition(".")
            taken = self._taken_from(module, name)
            if not taken or taken == written:
                break
            written = taken
        return written

    def _taken_from(self, module: str, name: str) -> str:
        """What a module imports under a name; empty if it defines the name itself."""
        found = [flows for home in self._files_of(module) if (flows := self._read(home))]
        if any(name in flows.definitions for flows in found):
            return ""
        taken = (flows.imports.get(name) or self._starred(flows, name) for flows in found)
        return next(filter(None, taken), "")

    def _starred(self, flows: LazyFlows, name: str, hops: int = _HOPS_MOST) -> str:
        """The qualified name in the star-imported module that has the name; empty if none has."""
        for module in flows.stars if hops else ():
            home = self._file_of(module)
            inner = self._read(home) if home is not None else None
            if inner is None:
                continue
            found = f"{module}.{name}" if inner.has(name) else ""
            found = found or self._starred(inner, name, hops - 1)
            if found:
                return found
        return ""

    def _stands_for(self, written: str, path: str) -> bool:
        return (
            written == path
            or self._resolved(written) == path
            or path.endswith(f".{written}")
            or written.endswith(f".{path}")
        )

    def _definition(self, path: str) -> tuple[LazyFlows, Definition] | None:
        """The definition of a qualified name, with its module; of several, the last one."""
        return next(self._definitions(path), None)

    def _definitions(self, path: str) -> Iterator[tuple[LazyFlows, Definition]]:
        """Yield all definitions of a qualified name, as several modules may have the same one."""
        for home in self._homes(path):
            flows = self._read(home)
            if flows is not None:
                definition = flows.definitions.get(path.removeprefix(f"{flows.module}."))
                if definition is not None:
                    yield flows, definition

    def _home(self, path: str) -> SourceFile | None:
        """The file of the module that has a qualified name."""
        homes = self._homes(path)
        for home in homes if len(homes) > 1 else ():
            flows = self._read(home)
            if flows is not None and path.removeprefix(f"{flows.module}.") in flows.definitions:
                return home
        return next(iter(homes), None)

    def _homes(self, path: str) -> tuple[SourceFile, ...]:
        """The files of the modules that may have a qualified name: several may have one name."""
        module = path.rpartition(".")[0]
        while module:
            found = self._files_of(module)
            if found:
                return found
            module = module.rpartition(".")[0]
        return ()

    def _read(self, file: SourceFile) -> LazyFlows | None:
        self._trace.files.add(file.file)
        return _flows(*file)

    def _file_of(self, module: str) -> SourceFile | None:
        return next(iter(self._files_of(module)), None)

    def _files_of(self, module: str) -> tuple[SourceFile, ...]:
        """The files of a module: scripts in several folders may have the same name."""
        self._trace.modules.add(module)
        if not self._modules:
            for file in reversed(self._files):
                name = module_of(file.file)
                if name in self._modules:
                    self._shared.add(name)
                self._modules[name] = (*self._modules.get(name, ()), file)
        return self._modules.get(module, ())

    def _is_shared(self, file: SourceFile) -> bool:
        """Whether other modules of the project have the same name, which may mean any of them."""
        return module_of(file.file) in self._shared

    def _is_method(self, path: str) -> bool:
        owners = self._definitions(path.rpartition(".")[0])
        return "(" not in path and any(owner.is_class for _, owner in owners)

    def _picking_beside(self, path: str, home: SourceFile) -> SourceFile | None:
        """A file that imports other definitions of a module by name, if no file imports this one.

        Whoever uses the package finds what it exports, documents, tests or uses itself.
        """
        module, picking = module_of(home.file), None
        name = path.removeprefix(f"{module}.").partition(".")[0]
        files = self._holding(last_name(module))
        if is_package(home.file) or len(files) > FILES_MOST:
            return None
        for file in files:
            flows = self._read(file) if file != home else None
            for target in (*flows.imports.values(), *flows.stars) if flows is not None else ():
                if target in (module, f"{module}.{name}"):
                    return None
                is_picked = target.startswith(f"{module}.") and not is_test(file.file)
                if is_picked and self._definition(target) is not None:
                    picking = file
        return picking

    def _holding(self, word: str) -> list[SourceFile]:
        """The files that contain a word."""
        self._trace.words.add(word)
        files = self._mentions.of(word)
        self._trace.files.update(file.file for file in files)
        return files


@lru_cache(_KEPT_MOST)
def _flows(file: str, changed: int, size: int) -> LazyFlows | None:
    """What a file adds to the graph; `None` if it is not Python."""
    try:
        text = read(text_of(file, changed, size), file).text
        try:
            return LazyFlows(text, module_of(file), is_package(file))
        except ValueError:
            from mllint_nan.syntax.mending import in_python_3

            mended = in_python_3(text)
            if mended is None:
                return None
            return LazyFlows(mended, module_of(file), is_package(file))
    except (SourceError, NoPython, ValueError, RecursionError):
        return None


def is_package(file: str) -> bool:
    return os.path.basename(file) == "__init__.py"
