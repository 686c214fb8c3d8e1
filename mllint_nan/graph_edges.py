"""The edges of a project's value-flow graph, built on demand, with a record of what was read.

Only the part of the graph that a question reaches is built. The files that mention a name are
found by their words, and only these are parsed, each once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from mllint_nan.frameworks.members import TENSOR_MEMBERS
from mllint_nan.graph_classes import ProjectClasses, object_of
from mllint_nan.graph_names import Trace, is_package
from mllint_nan.mentions import holds_now, may_name, names_as_attribute
from mllint_nan.packages import module_of
from mllint_nan.project_files import SourceFile, is_test, text_of
from mllint_nan.syntax.value_flow_calls import (
    OF_LIBRARIES,
    TAKES_GRADIENTS,
    names_transformation,
)
from mllint_nan.syntax.value_flow_edges import (
    AS_FUNCTION,
    DIFFERENTIATED,
    OPEN,
    SUPER,
    Definition,
    Edge,
    last_name,
    parted,
)

NODES_MOST: Final = 400
"""The most nodes of the graph that one question visits."""
NAMING_MOST: Final = 256
"""If more files name a node, they are not read: nothing is known about where it leads."""
FILES_FEW: Final = 8
"""Up to this many files that contain a method's name are searched even without its class's name."""
_BY_OBJECT: Final = frozenset(("__init__", "__call__"))
"""Methods that are called by calling or making their object."""
_KEPT_MOST: Final = 4096
HANDS_BACK: Final = (
    *OF_LIBRARIES,
    *("functools.", "contextlib.", "dataclasses.", "abc.", "typing.", "numba.", "flax."),
)
"""Modules whose decorators and base classes keep no reference to what they are given."""


class Use(NamedTuple):
    """An edge, and the file that contains it."""

    file: SourceFile
    edge: Edge


class ProjectEdges(ProjectClasses):
    """The edges between the definitions of some files of a project."""

    def __init__(self, files: tuple[SourceFile, ...]) -> None:
        super().__init__(files)
        self._of_edges: dict[str, Trace] = {}
        self._of_methods: dict[str, Trace] = {}
        self._edges: dict[str, tuple[Use, ...]] = {}
        self._are_differentiated: dict[str, bool] = {}
        """By function: whether something differentiates it."""
        self._namesakes: dict[str, tuple[Use, ...] | None] = {}
        self._methods: dict[tuple[str, SourceFile], tuple[tuple[Definition, str], ...]] = {}

    def _edges_from(self, path: str) -> tuple[Use, ...]:
        self._trace.nodes.add(path)
        found = self._edges.get(path)
        if found is None:
            with self._traced(self._of_edges, path):
                found = self._edges[path] = self._every_edge(path)
        return found

    def _every_edge(self, path: str) -> tuple[Use, ...]:
        """The edges from a node; if too many files name it, one that leads anywhere."""
        files = self._naming(path)
        if len(files) <= NAMING_MOST:
            return tuple(self._found_edges(path, files))
        self._trace.least = min(self._trace.least, len(files) - NAMING_MOST + FILES_FEW)
        outside = next((one for one in files if not is_test(one.file)), files[0])
        return (Use(outside, Edge(path, OPEN, 1)),)

    def _found_edges(self, path: str, files: Iterable[SourceFile]) -> Iterator[Use]:
        name = last_name(path)
        method = path.rpartition(".")[0] if self._is_method(path) else ""
        for file in files:
            flows = self._read(file)
            if flows is None:
                continue
            targets = set[tuple[str, str]]()
            for edge in flows.edges(name, of_objects=bool(method)):
                if (edge.target, edge.part) in targets:
                    continue
                is_method = method and edge.source == f".{name}"
                if self._may_be(method, edge, file) if is_method else self._is_same(edge, path):
                    targets.add((edge.target, edge.part))
                    yield Use(file, edge)

    def _of_call(self, path: str, edges: tuple[Use, ...]) -> tuple[Use, ...]:
        """The edges, without those from a parameter to the result of its own function.

        An argument also flows into the result of its own call, where it is passed; the result of
        the function would stand for all calls. What is passed along with a function that is
        differentiated reaches the gradient only through that function.
        """
        called = path.partition("(")[0]
        kept = tuple(use for use in edges if parted(use.edge.target)[0] != called)
        if called == path or len(kept) == len(edges):
            return edges
        return edges if self._is_differentiated_itself(called) else kept

    def _is_differentiated_itself(self, function: str) -> bool:
        """Whether a function is passed to what differentiates it, as `loss` in `grad(loss)`.

        Of the files that name it, only those are read that contain a word for that.
        """
        self._trace.nodes.add(function)
        found = self._are_differentiated.get(function)
        if found is None:
            with self._traced(self._of_edges, function):
                files = filter(_may_differentiate, self._naming(function))
                uses = self._found_edges(function, files)
                found = any(use.edge.target == AS_FUNCTION for use in uses)
                self._are_differentiated[function] = found
        return found

    def _naming(self, path: str) -> list[SourceFile]:
        """The files that may name a node; if many name a method, those that also name its class."""
        name = last_name(path)
        owner = path.rpartition(".")[0] if self._is_method(path) else ""
        if "(" in path:
            return list(self._homes(path.partition("(")[0]))
        files = self.mentioning(name)
        if owner and len(files) <= FILES_FEW:
            self._trace.seldom.add(path)
        if owner and len(files) <= 2 * FILES_FEW:
            self._trace.files.update(file.file for file in files)
        elif owner:
            self._trace.least = min(self._trace.least, len(files))
        if owner and len(files) > FILES_FEW:
            named = self._mentions.holding(last_name(owner))
            files = [file for file in files if file in named]
        return [file for file in files if self._may_name(file, path, name, owner)]

    def _may_name(self, file: SourceFile, path: str, name: str, owner: str) -> bool:
        """Whether a file may have an edge from a node, judged by the words of the file."""
        module = module_of(file.file)
        if _overlaps(module, path) or self._stands_in(path, file):
            return True
        package = module if is_package(file.file) else module.rpartition(".")[0]
        if owner and name not in TENSOR_MEMBERS and names_as_attribute(file, name, package):
            if file in self._mentions.holding(last_name(owner)):
                return True
            if any(file in self._mentions.holding(word) for word in TAKES_GRADIENTS):
                return True
        return may_name(file, name, package, lambda written: self._stands_for(written, path))

    def _stands_in(self, path: str, file: SourceFile) -> bool:
        """Whether a file contains the qualified name as text; of a short one, the first part.

        A module may name something of its own in the same way as another one does.
        """
        first, _, rest = path.partition(".")
        if "." in rest:
            return path.encode("utf-8", "surrogateescape") in text_of(*file)
        return file in self._mentions.holding(first)

    def _may_be(self, owner: str, edge: Edge, file: SourceFile) -> bool:
        """Whether a method that is called on an unknown object may be that of a class."""
        if last_name(edge.source) in TENSOR_MEMBERS:
            return False
        is_differentiated = edge.target.startswith(DIFFERENTIATED)
        return is_differentiated or file in self._mentions.holding(last_name(owner))

    def _is_same(self, edge: Edge, path: str) -> bool:
        """Whether the source of an edge, as its module writes it, stands for a definition."""
        written = edge.source
        if written == path:
            return True
        if "(" in written or "(" in path or written.startswith("."):
            return False
        return self._stands_for(written, path)

    def _targets(self, target: str, seen: set[str]) -> Iterator[str]:
        """Yield the nodes that a target stands for: a parameter by position becomes one by name."""
        called, bracket, parameter = target.partition("(")
        parameter = parameter.rstrip(")")
        if not bracket:
            yield target
        elif called.startswith("."):
            yield from self._targets_of_methods(called[1:], parameter, seen)
        elif called.startswith(SUPER):
            yield from parameter_nodes(self._inherited(called.removeprefix(SUPER)), parameter)
        else:
            yield from parameter_nodes(self._callees(called), parameter)

    def _callees(self, called: str) -> Iterator[tuple[Definition, str]]:
        path = self._resolved(called)
        for flows, found in self._definitions(path):
            if not found.is_class:
                yield found, path
                continue
            constructor = flows.definitions.get(f"{found.name}.__init__")
            if constructor is not None:
                yield constructor, f"{flows.module}.{constructor.name}"

    def _inherited(self, method: str) -> Iterator[tuple[Definition, str]]:
        """Yield the method that `super()` means in a class: that of the nearest base with one."""
        owner, _, name = method.rpartition(".")
        for base in self._ancestors(owner):
            found = self._definition(f"{base}.{name}")
            if found is not None:
                yield found[1], f"{base}.{name}"
                return

    def _targets_of_methods(self, name: str, parameter: str, seen: set[str]) -> Iterable[str]:
        """The parameter of all methods of a name; of too many for a search, enough to end it."""
        if name in TENSOR_MEMBERS:
            return ()
        self._trace.methods.add(name)
        self._of_methods.setdefault(name, Trace())
        found: dict[SourceFile, list[str]] = {}
        news = set[str]()
        for file in self._mentions.by_density(name):
            found[file] = [*parameter_nodes(self._methods_in(file, name), parameter)]
            news.update(one for one in found[file] if one not in seen)
            if len(seen) + len(news) >= NODES_MOST:
                return news
        return [one for file in self._mentions.defining(name) for one in found[file]]

    def _methods_in(self, file: SourceFile, name: str) -> tuple[tuple[Definition, str], ...]:
        with self._traced(self._of_methods, name):
            inside = self._read(file)
        place = (name, file)
        if place not in self._methods:
            defined = inside.definitions.items() if inside is not None else ()
            self._methods[place] = tuple(
                (definition, f"{module_of(file.file)}.{own}")
                for own, definition in defined
                if own.endswith(f".{name}")
            )
        return self._methods[place]

    def stands_in(self, file: SourceFile, name: str) -> bool:
        """Whether `mentioning` finds one file, without a look at the others."""
        return holds_now(file, name)

    def index(self) -> None:
        """Index all files, before many questions are asked."""
        self._mentions.index_all()

    def mentioning(self, name: str) -> list[SourceFile]:
        """The files whose text contains a name."""
        return self._mentions.of(name)

    def setting(
        self, name: str, classes: Collection[str], *, only_numbers: bool
    ) -> set[SourceFile]:
        """The files that may set an attribute of a name, or derive a class from one of some."""
        return self._mentions.setting(name, classes, only_numbers=only_numbers)

    def names_any(self, file: SourceFile, classes: Collection[str]) -> bool:
        """Whether a file contains the name of one of some classes."""
        return self._mentions.names_any(file, classes)

    def heirs(self, name: str, defining: str) -> frozenset[str]:
        """The names of a class of a file, and of those that may be derived from it."""
        return self._mentions.heirs(name, defining)

    def importing(self, words: Collection[str], package: str) -> set[SourceFile] | None:
        """The files that import one of some words, or a package; `None` if there is an index."""
        return self._mentions.importing(words, package)

    def _is_handed_on(self, path: str) -> bool:
        """Whether it or its class has an unknown decorator, which may keep a reference to it."""
        return any(
            not decorator.startswith(HANDS_BACK)
            for one in (path, path.rpartition(".")[0])
            for _, definition in self._definitions(one)
            for decorator in definition.decorators
        )

    def _edges_of_namesakes(self, path: str) -> tuple[Use, ...] | None:
        """The edges from all that its name may mean; `None` if not all are visible."""
        found = self._definition(path)
        if not self._is_method(path) and (found is None or found[1].is_class):
            return ()
        name = last_name(path)
        if not _is_operator(name) and self._is_one_of_several(name):
            return ()
        if path not in self._namesakes:
            with self._traced(self._of_edges, path):
                self._namesakes[path] = self._found_namesakes(path)
        return self._namesakes[path]

    def _is_one_of_several(self, name: str) -> bool:
        """Whether several files define a method of this name: a call does not tell which."""
        return len(self._defining(name)) > 1

    def _is_own_method(self, name: str) -> bool:
        """Whether the project defines a method of this name, whose parameters are followed."""
        return any(self._methods_in(file, name) for file in self._defining(name))

    def _defining(self, name: str) -> list[SourceFile]:
        """The files that define a method of this name, no tests; the answer depends on them."""
        files = [file for file in self._mentions.defining(name) if not is_test(file.file)]
        self._trace.methods.add(name)
        self._of_methods.setdefault(name, Trace())
        self._trace.files.update(file.file for file in files)
        return files

    def _found_namesakes(self, path: str) -> tuple[Use, ...] | None:
        name, is_method = last_name(path), self._is_method(path)
        if name in _BY_OBJECT:
            return ()
        if _is_operator(name):
            return None
        files = self.mentioning(name)
        if len(files) > 2 * FILES_FEW:
            self._trace.least = min(self._trace.least, len(files) - FILES_FEW)
            return None
        self._trace.seldom.add(path)
        return tuple(
            Use(file, edge)
            for file in files
            if (flows := self._read(file)) is not None
            for edge in flows.edges(name)
            if "(" not in edge.source and self._may_mean(edge.source, is_method)
        )

    def _may_mean(self, written: str, is_method: bool) -> bool:
        """Whether a name, as it is written, may stand for any definition of that name."""
        if written.startswith("."):
            return True
        home = self._home(written)
        if home is None:  # of a library
            return False
        if self._is_shared(home):
            return True
        found = self._definition(self._resolved(written))
        return found is None or (is_method and "." in found[1].name)


def of_part(edges: Iterable[Use], path: str, part: str) -> list[Use]:
    """The edges that start at a part of the values that a node returns.

    A call of an object returns the same part as the method that it runs.
    """
    found = [one for one in edges if not (part and one.edge.part) or one.edge.part == part]
    if not part:
        return found
    called = object_of(path)
    return [
        one._replace(edge=one.edge._replace(target=f"{called}{part}"))
        if one.edge.target == called != path
        else one
        for one in found
    ]


def parameter_nodes(callees: Iterable[tuple[Definition, str]], parameter: str) -> Iterator[str]:
    """Yield the nodes of a parameter of some functions, given by name or by position."""
    for definition, path in callees:
        names = definition.parameters
        if names[:1] in (("self",), ("cls",)):
            names = names[1:]
        if parameter.isdigit():
            if int(parameter) < len(names):
                yield f"{path}({names[int(parameter)]})"
        elif parameter in names:
            yield f"{path}({parameter})"


def _is_operator(name: str) -> bool:
    """Whether a method is called by an operator instead of its name."""
    return name.startswith("__") and name.endswith("__")


def _overlaps(module: str, path: str) -> bool:
    """Whether a qualified name contains a module's name, or begins with the end of that name."""
    if f".{module}." in f".{path}":
        return True
    parts = path.split(".")
    return any(f".{module}".endswith(f".{'.'.join(parts[:end])}") for end in range(1, len(parts)))


@lru_cache(_KEPT_MOST)
def _may_differentiate(file: SourceFile) -> bool:
    """Whether a file may differentiate a function, judged by its words."""
    return not file.file.endswith(".py") or names_transformation(text_of(*file))
