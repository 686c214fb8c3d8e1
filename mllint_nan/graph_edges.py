"""The edges of a project's value-flow graph, as they are asked for, with a note of what was read.

Only the part of the graph that a question reaches is built: the files that mention a name are
found by their words, and only these are parsed, each once.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple

from mllint_nan.frameworks.members import TENSOR_MEMBERS
from mllint_nan.mentions import Mentions, holds_now, may_name, names_as_attribute
from mllint_nan.project_files import SourceFile, is_test, module_of, text_of
from mllint_nan.syntax.decoding import NoPython, SourceError
from mllint_nan.syntax.lazy_value_flows import LazyFlows
from mllint_nan.syntax.reading import read
from mllint_nan.syntax.value_flow_calls import OF_LIBRARIES, TAKES_GRADIENTS
from mllint_nan.syntax.value_flow_edges import (
    CALLED,
    DIFFERENTIATED,
    Definition,
    Edge,
    last_name,
)
from mllint_nan.training import Training

NODES_MOST: Final = 400
"""Of the graph, that one question goes through."""
FILES_FEW: Final = 8
"""In so few files a method is looked for whose class they do not name."""
_HOPS_MOST: Final = 6
"""How many modules hand on a name that they import."""
_KEPT_MOST: Final = 4096
_TRAINED_BASES: Final = re.compile(
    r"^(torch\.nn|keras|tensorflow|tf_keras|flax|haiku|equinox|sonnet|lightning|pytorch_lightning)\."
    r"(.+\.)?(\w*Module|\w*Layer|\w*Loss|_\w*Loss|Model|LightningModule)$"
    r"|(^|\.)(Distribution|Bijector|Bijection|Kernel|Likelihood|Transform)$"
)
"""Classes of the frameworks that are made to be trained through."""
_UNTRAINED_BASES: Final = re.compile(
    r"(^|\.)(\w*Metric|\w*Optimizer|LRScheduler|_LRScheduler|\w*Callback|\w*Dataset|PyDataset"
    r"|keras\.utils\.Sequence|DataLoader|Constraint|Initializer|Sampler|TestCase)$"
)
"""Classes that are made to measure, to update or to prepare: nothing is trained through them."""


_OWN_GRADIENTS: Final = re.compile(r"(^|\.)autograd\.(function\.)?(\w*Function)$")
"""Classes whose methods compute values and gradients by rules of their own."""
_OPTIMIZERS: Final = re.compile(r"(^|\.)\w*Optimizer$")
"""Classes whose methods are given gradients, and give updates to whoever runs them."""
_ENVIRONMENTS: Final = re.compile(r"(^|[a-z_.])(Env|Environment)$")
"""Classes of environments, whose methods give what is acted on."""
_BY_OBJECT: Final = frozenset(("__init__", "__call__"))
"""Methods that are called by what their object is called."""
HANDS_BACK: Final = (
    *OF_LIBRARIES,
    *("functools.", "contextlib.", "dataclasses.", "abc.", "typing.", "numba.", "flax."),
)
"""Modules whose decorators keep nothing of what they are given."""
_GIVES_ELEMENTS: Final = frozenset(("__getitem__", "__getitems__", "__iter__", "__next__"))


class Use(NamedTuple):
    """An edge, and the file in which it is."""

    file: SourceFile
    edge: Edge


@dataclass(slots=True)
class Trace:
    """What was asked on the way to an answer."""

    files: set[str] = field(default_factory=set)
    modules: set[str] = field(default_factory=set)
    nodes: set[str] = field(default_factory=set)
    seldom: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    """The qualified names that were followed through the modules that hand them on."""
    methods: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    """Those that were looked for in all files, whatever they stand for."""
    programs: set[str] = field(default_factory=set)
    is_idle: bool = False
    least: int = sys.maxsize


class ProjectEdges:
    """The edges between the definitions of some files of a project."""

    def __init__(self, files: tuple[SourceFile, ...]) -> None:
        self._trace = Trace()
        self._of_edges: dict[str, Trace] = {}
        self._of_names: dict[str, Trace] = {}
        self._of_methods: dict[str, Trace] = {}
        self._files = files
        self._modules: dict[str, SourceFile] = {}
        self._shared: set[str] = set()
        self._mentions = Mentions(files)
        self._edges: dict[str, tuple[Use, ...]] = {}
        self._namesakes: dict[str, tuple[Use, ...] | None] = {}
        self._methods: dict[tuple[str, SourceFile], tuple[tuple[Definition, str], ...]] = {}
        self._names: dict[str, str] = {}

    @contextlib.contextmanager
    def _traced(self, traces: dict[str, Trace], key: str) -> Iterator[None]:
        """Note apart what is asked within it."""
        outer, self._trace = self._trace, traces.setdefault(key, Trace())
        try:
            yield
        finally:
            self._trace = outer

    def _gives_data(self, path: str) -> bool:
        """Whether it is a method that gives the elements of a data set, or one of an environment.

        What environments give goes into arrays, and comes back from these as data.
        """
        owner = _data_of(path)
        if owner:
            return self._role(owner) is Training.BESIDE
        return self._is_method(path) and self._is_environment(path.rpartition(".")[0])

    def _has_own_gradient(self, path: str) -> bool:
        """Whether it is a method of an `autograd.Function`, of which nothing is differentiated."""
        owner = path.rpartition(".")[0]
        if not self._is_method(path):
            return False
        return any(map(_OWN_GRADIENTS.search, self._bases(owner)))

    def _updates(self, path: str) -> bool:
        """Whether it is a method of an optimizer, or what one keeps.

        What runs an optimizer applies what its methods give, and differentiates none of it.
        """
        bases = [*self._bases(path.rpartition(".")[0])] if "(" not in path else []
        return any(map(_OPTIMIZERS.search, bases)) and not any(map(_TRAINED_BASES.search, bases))

    def _is_environment(self, path: str) -> bool:
        return any(_ENVIRONMENTS.search(base) for base in self._bases(path))

    def _role(self, path: str) -> Training | None:
        """What a class is made for, by the framework's class that it is derived from."""
        for base in self._bases(path):
            if _UNTRAINED_BASES.search(base):
                return Training.BESIDE
            if _TRAINED_BASES.search(base):
                return Training.THROUGH
        return None

    def _bases(self, path: str) -> Iterator[str]:
        """The names of the classes that a class is derived from, however far up."""
        found = self._definition(path)
        if found is None or not found[1].is_class:
            return
        pending, seen = [found], set[str]()
        while pending:
            _, definition = pending.pop()
            for base in definition.bases:
                yield base
                inner = self._definition(self._resolved(base)) if base not in seen else None
                seen.add(base)
                if inner is not None:
                    pending.append(inner)

    def _edges_from(self, path: str) -> tuple[Use, ...]:
        self._trace.nodes.add(path)
        found = self._edges.get(path)
        if found is None:
            with self._traced(self._of_edges, path):
                found = self._edges[path] = tuple(self._found_edges(path))
        return found

    def _found_edges(self, path: str) -> Iterator[Use]:
        name = last_name(path)
        method = path.rpartition(".")[0] if self._is_method(path) else ""
        for file in self._naming(path, name, method):
            flows = self._read(file)
            if flows is None:
                continue
            targets = set[str]()
            for edge in flows.edges(name):
                if edge.target in targets:
                    continue
                is_method = method and edge.source == f".{name}"
                if self._may_be(method, edge, file) if is_method else self._is_same(edge, path):
                    targets.add(edge.target)
                    yield Use(file, edge)

    def _naming(self, path: str, name: str, owner: str) -> list[SourceFile]:
        """The files in which a node may be named: of a method, with its class if there are many."""
        if "(" in path:
            home = self._home(path.partition("(")[0])
            return [home] if home is not None else []
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
        """Whether there may be an edge from a node in a file, as far as its words tell."""
        module = module_of(file.file)
        if _overlaps(module, path) or self._stands_in(path, file):
            return True
        package = module if _is_package(file.file) else module.rpartition(".")[0]
        if owner and name not in TENSOR_MEMBERS and names_as_attribute(file, name, package):
            if file in self._mentions.holding(last_name(owner)):
                return True
            if any(file in self._mentions.holding(word) for word in TAKES_GRADIENTS):
                return True
        return may_name(file, name, package, lambda written: self._stands_for(written, path))

    def _stands_in(self, path: str, file: SourceFile) -> bool:
        """Whether a module may name something of its own in the same way as another one does."""
        first, _, rest = path.partition(".")
        if "." in rest:
            return path.encode("utf-8", "surrogateescape") in text_of(*file)
        return file in self._mentions.holding(first)

    def _may_be(self, owner: str, edge: Edge, file: SourceFile) -> bool:
        """Whether a method that is called by its name alone is that of a class."""
        if last_name(edge.source) in TENSOR_MEMBERS:
            return False
        return edge.target == DIFFERENTIATED or file in self._mentions.holding(last_name(owner))

    def _is_method(self, path: str) -> bool:
        owner = self._definition(path.rpartition(".")[0])
        return "(" not in path and owner is not None and owner[1].is_class

    def _is_same(self, edge: Edge, path: str) -> bool:
        """Whether a name as a module has it stands for a definition of another one."""
        written = edge.source
        if written == path:
            return True
        if "(" in written or "(" in path or written.startswith("."):
            return False
        return self._stands_for(written, path)

    def _stands_for(self, written: str, path: str) -> bool:
        return (
            written == path
            or self._resolved(written) == path
            or path.endswith(f".{written}")
            or written.endswith(f".{path}")
        )

    def _resolved(self, written: str) -> str:
        """The name by which it is defined, through the modules that hand it on."""
        self._trace.names.add(written)
        found = self._names.get(written)
        if found is None:
            with self._traced(self._of_names, written):
                found = self._names[written] = self._followed(written)
        return found

    def _followed(self, written: str) -> str:
        for _ in range(_HOPS_MOST):
            module, _, name = written.rpartition(".")
            home = self._file_of(module)
            flows = self._read(home) if home is not None else None
            if flows is None or name in flows.definitions:
                break
            taken = flows.imports.get(name) or self._starred(flows, name)
            if not taken or taken == written:
                break
            written = taken
        return written

    def _starred(self, flows: LazyFlows, name: str, hops: int = _HOPS_MOST) -> str:
        """What a name is in the module of which all names are imported, if one has it."""
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

    def _targets(self, target: str, seen: set[str]) -> Iterator[str]:
        """The nodes that a target stands for: of a parameter by position, the one by name."""
        called, bracket, parameter = target.partition("(")
        parameter = parameter.rstrip(")")
        if not bracket:
            yield target
        elif called.startswith("."):
            yield from self._targets_of_methods(called[1:], parameter, seen)
        else:
            yield from _parameters(self._callees(called), parameter)

    def _callees(self, called: str) -> Iterator[tuple[Definition, str]]:
        path = self._resolved(called)
        found = self._definition(path)
        if found is None:
            return
        if not found[1].is_class:
            yield found[1], path
            return
        constructor = found[0].definitions.get(f"{found[1].name}.__init__")
        if constructor is not None:
            yield constructor, f"{found[0].module}.{constructor.name}"

    def _targets_of_methods(self, name: str, parameter: str, seen: set[str]) -> Iterable[str]:
        """The parameters of all methods of a name; of too many for a search, some too many."""
        if name in TENSOR_MEMBERS:
            return ()
        self._trace.methods.add(name)
        self._of_methods.setdefault(name, Trace())
        found: dict[SourceFile, list[str]] = {}
        news = set[str]()
        for file in self._mentions.by_density(name):
            found[file] = [*_parameters(self._methods_in(file, name), parameter)]
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

    def _definition(self, path: str) -> tuple[LazyFlows, Definition] | None:
        """The definition of a qualified name, with its module."""
        home = self._home(path)
        flows = self._read(home) if home is not None else None
        if home is None or flows is None:
            return None
        definition = flows.definitions.get(path.removeprefix(f"{flows.module}."))
        return (flows, definition) if definition is not None else None

    def _home(self, path: str) -> SourceFile | None:
        """The file of the module in which a qualified name stands."""
        module = path.rpartition(".")[0]
        while module:
            found = self._file_of(module)
            if found is not None:
                return found
            module = module.rpartition(".")[0]
        return None

    def _read(self, file: SourceFile) -> LazyFlows | None:
        self._trace.files.add(file.file)
        return _flows(*file)

    def _file_of(self, module: str) -> SourceFile | None:
        self._trace.modules.add(module)
        if not self._modules:
            for file in self._files:
                name = module_of(file.file)
                if name in self._modules:
                    self._shared.add(name)
                self._modules[name] = file
        return self._modules.get(module)

    def _is_shared(self, file: SourceFile) -> bool:
        """Whether several modules of the project have the name of one: it may mean any of them."""
        return module_of(file.file) in self._shared

    def stands_in(self, file: SourceFile, name: str) -> bool:
        """Whether one file is among these, without a look at the others."""
        return holds_now(file, name)

    def index(self) -> None:
        """Have the words of all files known, as many files are going to be asked of."""
        self._mentions.index()

    def mentioning(self, name: str) -> list[SourceFile]:
        """The files in whose text a name of some definition of the project stands."""
        return self._mentions.of(name)

    def importing(self, words: Collection[str], package: str) -> set[SourceFile] | None:
        """Those that import one of some words, or a package; `None` where `mentioning` tells."""
        return self._mentions.importing(words, package)

    def _is_handed_on(self, path: str) -> bool:
        """Whether a decorator that is not seen through has it, or its class: it may keep it."""
        found = (self._definition(path), self._definition(path.rpartition(".")[0]))
        return any(
            not decorator.startswith(HANDS_BACK)
            for one in found
            if one is not None
            for decorator in one[1].decorators
        )

    def _edges_of_namesakes(self, path: str) -> tuple[Use, ...] | None:
        """The edges from all that may be meant by its name; `None` if they are not in sight."""
        found = self._definition(path)
        if not self._is_method(path) and (found is None or found[1].is_class):
            return ()
        name = last_name(path)
        if not name.startswith("__") and self._is_one_of_several(name):
            return ()
        if path not in self._namesakes:
            with self._traced(self._of_edges, path):
                self._namesakes[path] = self._found_namesakes(path)
        return self._namesakes[path]

    def _is_one_of_several(self, name: str) -> bool:
        """Whether several files define a method of a name: a call by it does not tell which."""
        defining = [file for file in self._mentions.defining(name) if not is_test(file.file)]
        self._trace.methods.add(name)
        self._of_methods.setdefault(name, Trace())
        self._trace.files.update(file.file for file in defining)
        return len(defining) > 1

    def _found_namesakes(self, path: str) -> tuple[Use, ...] | None:
        name, is_method = last_name(path), self._is_method(path)
        if name in _BY_OBJECT:
            return ()
        if name.startswith("__"):  # an operator stands for it
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
        """Whether a name may stand for any definition that is called so, as far as is seen."""
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
    """The edges that go out from a part of what a node gives.

    What calling an object gives is that part of what its method gives.
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


def object_of(path: str) -> str:
    """The class of a method that is run by calling or making an object, else the node itself."""
    owner, _, name = path.rpartition(".")
    return owner if name in CALLED else path


def _data_of(path: str) -> str:
    """The class of a method that gives the elements of an object, or nothing."""
    owner, _, name = path.rpartition(".")
    return owner if name in _GIVES_ELEMENTS else ""


def _parameters(callees: Iterable[tuple[Definition, str]], parameter: str) -> Iterator[str]:
    """The nodes of a parameter of some functions, of its name or position."""
    for definition, path in callees:
        names = definition.parameters
        if names[:1] in (("self",), ("cls",)):
            names = names[1:]
        if parameter.isdigit():
            if int(parameter) < len(names):
                yield f"{path}({names[int(parameter)]})"
        elif parameter in names:
            yield f"{path}({parameter})"


def _overlaps(module: str, path: str) -> bool:
    """Whether a qualified name may be one of a module, or end in the module's own name."""
    if f".{module}." in f".{path}":
        return True
    parts = path.split(".")
    return any(f".{module}".endswith(f".{'.'.join(parts[:end])}") for end in range(1, len(parts)))


@lru_cache(_KEPT_MOST)
def _flows(file: str, changed: int, size: int) -> LazyFlows | None:
    """What a file adds to the graph; `None` if it is not Python."""
    try:
        text = read(text_of(file, changed, size), file).text
        return LazyFlows(text, module_of(file), _is_package(file))
    except (SourceError, NoPython, ValueError, RecursionError):
        return None


def _is_package(file: str) -> bool:
    return os.path.basename(file) == "__init__.py"
