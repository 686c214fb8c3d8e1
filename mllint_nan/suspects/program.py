"""The program that begins at an entry: the definitions that it reaches, by file.

Rapid type analysis (Bacon and Sweeney, OOPSLA 1996): what a reached body names is reached. Of a
class that it names, those methods are reached that are mentioned anywhere or called by a
framework.
"""

from __future__ import annotations

import ast
import os
import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.machinery import PathFinder
from typing import Final, NamedTuple

from mllint_nan.module_resolver import ModuleResolver, module_resolver_of
from mllint_nan.packages import module_of, package_of
from mllint_nan.project_files import is_test, root_of, status_of, text_of
from mllint_nan.syntax.decoding import NoPython, SourceError, tree_of
from mllint_nan.syntax.lazy_value_flows import value_flows
from mllint_nan.syntax.mending import mend
from mllint_nan.syntax.reading import read
from mllint_nan.syntax.value_flow_edges import ValueFlows

_INIT: Final = "__init__.py"
_SOURCES: Final = "src"
_MAIN: Final = "__main__.py"
_FUNCTION: Final = "::"
_HOPS_MOST: Final = 6
"""How many modules re-export a name."""
_UNITS_MOST: Final = 20_000
_DUNDER: Final = re.compile(r"__\w+__$")
_MODULE: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*$")
SCRIPT: Final = "if __name__"
"""The unit of the code that runs only if a file is the script."""
_INSTALLED: Final = f"{os.sep}site-packages{os.sep}"
_PLAIN_BASES: Final = re.compile(
    r"^(object|type|dict|list|tuple|\w*Exception|\w*Error|abc\..*|ABC|enum\..*|\w*Enum"
    r"|typing\..*|Protocol|Generic|NamedTuple|TypedDict|collections\..*)$"
)
"""Base classes that call no method which the program does not name."""


class EntryError(Exception):
    """There is no program to read; the message is one line."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a program begins: a file as a script, or one of its functions."""

    file: str
    function: str = ""

    @property
    def text(self) -> str:
        return f"{self.file}{_FUNCTION}{self.function}" if self.function else self.file


class Unit(NamedTuple):
    """A function, method or class of a file, or its top level if the name is empty."""

    file: str
    name: str


class Step(NamedTuple):
    """How a unit is reached: the body that names it, and the row."""

    unit: Unit
    row: int


@dataclass(slots=True)
class Program:
    """The units that an entry reaches, in the order of discovery, the nearest first."""

    entry: Entry
    reached: dict[Unit, Step | None] = field(default_factory=dict)
    differentiates: bool = False
    """Whether one of its files takes gradients or fits a model."""
    is_open: bool = False
    """Whether it calls nothing that its entry file defines, so that all of that may be called."""

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(unit.file for unit in self.reached))

    def way(self, unit: Unit) -> tuple[Step, ...]:
        """The bodies through which a unit is reached, beginning with the entry."""
        steps: list[Step] = []
        step = self.reached.get(unit)
        while step is not None:
            steps.append(step)
            step = self.reached.get(step.unit)
        return tuple(reversed(steps))


def entry_of(text: str) -> Entry:
    """Parse an entry: `train.py`, `train.py::step`, a notebook or a folder with a main file.

    Raises EntryError.
    """
    path, _, function = text.partition(_FUNCTION)
    if os.path.isdir(path) and os.path.isfile(os.path.join(path, _MAIN)):
        path = os.path.join(path, _MAIN)
    if os.path.isdir(path):
        raise EntryError(f"{path}: a folder is not an entry; name the script that trains")
    if not os.path.exists(path):
        raise EntryError(f"{path}: no such file; name the script, notebook or function that trains")
    if not path.endswith((".py", ".ipynb")):
        raise EntryError(f"{path}: neither a Python file nor a notebook")
    entry = Entry(path, function)
    module = _module(os.path.abspath(path))
    if isinstance(module, str):
        raise EntryError(f"{path}{module}")
    if function and function not in module.units:
        known = ", ".join(name for name in module.units if name not in ("", SCRIPT)) or "nothing"
        raise EntryError(f"{path}: it does not define {function}; it defines {known}")
    return entry


def entry_of_module(name: str, folder: str) -> Entry:
    """Return the entry of `python -m name`, started in a folder. Raises EntryError."""
    if not _MODULE.match(name):
        raise EntryError(f"-m expects the name of a module, not {name!r}")
    for root in (folder, os.path.join(folder, _SOURCES)):
        path = os.path.join(root, *name.split("."))
        for file in (f"{path}.py", os.path.join(path, _MAIN)):
            if os.path.isfile(file):
                return entry_of(file)
    raise EntryError(f"-m {name}: no such module below {folder}")


def package_folder(name: str) -> str:
    """Return the folder of an installed package, without executing it. Raises EntryError."""
    spec = PathFinder.find_spec(name) if name.isidentifier() else None
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    if not folders:
        raise EntryError(
            f"--follow {name}: no package of that name is installed alongside the tool"
        )
    return os.path.realpath(folders[0])


def program_from(entry: Entry, packages: Iterable[str] = ()) -> Program:
    """Find what the entry reaches, in its project and in further packages, given by folder."""
    return _Search(entry, tuple(packages)).run()


class _Mention(NamedTuple):
    """A dotted name as written, and its row."""

    path: str
    row: int


@dataclass(frozen=True, slots=True)
class _Module:
    """One file: its definitions, and the names that each of them mentions."""

    flows: ValueFlows
    units: dict[str, tuple[_Mention, ...]]
    """By name of the unit; the unit of a class is its body without its methods."""
    called_by_others: frozenset[str]
    """The decorated definitions: something else may keep and call them."""


@lru_cache(4096)
def _read(file: str, changed: int, size: int) -> _Module | str:
    """Return what a file contains, or an error message to put after the file's name."""
    try:
        data = text_of(file, changed, size)
        text = read(data, file).text
        tree = tree_of(text) or _mended(text)
    except SourceError as error:
        return f":{error.row}:{error.column}: {error.message}"
    except NoPython as error:
        return f": {error}"
    is_package = os.path.basename(file) == _INIT
    flows = value_flows(tree, module_of(file), is_package)
    units: dict[str, tuple[_Mention, ...]] = {}
    decorated: set[str] = set()
    top: list[ast.AST] = []
    for statement in tree.body:
        _collect(statement, "", units, decorated, top)
    units[""] = tuple(_mentions(top))
    return _Module(flows, units, frozenset(decorated))


def _mended(text: str) -> ast.Module:
    """Return the tree of a mended text; raises SourceError if it cannot be mended."""
    try:
        compile(text, "<text>", "exec", dont_inherit=True)
    except SyntaxError as error:
        where = SourceError(str(error.msg), error.lineno or 1, error.offset or 1)
    except (ValueError, RecursionError, MemoryError) as error:
        raise SourceError(str(error)) from None
    else:
        raise SourceError("it cannot be parsed")
    mended = mend(text, where)
    tree = tree_of(mended.text) if mended is not None else None
    if tree is None:
        raise where
    return tree


def _collect(
    node: ast.AST,
    owner: str,
    units: dict[str, tuple[_Mention, ...]],
    decorated: set[str],
    outside: list[ast.AST],
) -> None:
    """Divide a top-level or class statement into units and code outside of them."""
    match node:
        case ast.FunctionDef(name) | ast.AsyncFunctionDef(name):
            path = f"{owner}.{name}" if owner else name
            units[path] = tuple(_mentions([*node.body, node.args]))
            outside += node.decorator_list
            if node.decorator_list:
                decorated.add(path)
        case ast.ClassDef(name):
            path = f"{owner}.{name}" if owner else name
            body: list[ast.AST] = [*node.bases, *node.keywords]
            for statement in node.body:
                _collect(statement, path, units, decorated, body)
            units[path] = tuple(_mentions(body))
            outside += node.decorator_list
            if node.decorator_list:
                decorated.add(path)
        case ast.If(test) if not owner and _asks_whether_script(test):
            units[SCRIPT] = tuple(_mentions(node.body))
        case ast.If() | ast.Try() | ast.With() | ast.For() | ast.While():
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.ExceptHandler):
                    for inner in child.body:
                        _collect(inner, owner, units, decorated, outside)
                elif isinstance(child, ast.stmt):
                    _collect(child, owner, units, decorated, outside)
                else:
                    outside.append(child)
        case _:
            outside.append(node)


def _asks_whether_script(test: ast.expr) -> bool:
    return any(one.path == "__name__" for one in _mentions([test]))


def _mentions(nodes: Iterable[ast.AST]) -> Iterator[_Mention]:
    """Yield the names that are read, each with all its attributes."""
    pending = deque(nodes)
    while pending:
        node = pending.popleft()
        path = _dotted(node)
        if path:
            yield _Mention(path, getattr(node, "lineno", 0))
            if not path.startswith("."):
                continue
        pending.extend(ast.iter_child_nodes(node))


def _dotted(node: ast.AST) -> str:
    """`losses.dice`; `.step` for an attribute of a computed value; empty for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        return ".".join((node.id, *reversed(parts)))
    return f".{parts[0]}" if parts else ""


def _module(file: str) -> _Module | str:
    found = status_of(file)
    return _read(*found) if found is not None else ": it cannot be read"


class _Search:
    """The search for reachable units, breadth first, so that every path is a shortest one."""

    def __init__(self, entry: Entry, packages: tuple[str, ...]) -> None:
        self._entry = entry
        start = os.path.abspath(entry.file)
        folder = package_of(start)[0]
        top = root_of(folder)
        self._packages = {os.path.basename(one): one for one in packages}
        self._own = tuple(dict.fromkeys((os.path.dirname(start), folder, *filter(None, (top,)))))
        self._program = Program(entry)
        self._pending: deque[Unit] = deque()
        self._methods: dict[str, list[tuple[Unit, Step]]] = {}
        """By name: the methods of reached classes that are not named yet."""
        self._named: dict[str, Step] = {}
        """Every attribute name in reached units."""
        self._start = start

    def run(self) -> Program:
        self._reach(Unit(self._start, self._entry.function), None)
        module = _module(self._start)
        if self._entry.function:
            self._reach(Unit(self._start, ""), None)  # runs before the function
        elif not isinstance(module, str) and SCRIPT in module.units:
            self._reach(Unit(self._start, SCRIPT), None)
        self._follow_all()
        is_idle = not any(unit.name not in ("", SCRIPT) for unit in self._program.reached)
        if is_idle and not isinstance(module, str):
            # A file that only defines things is called by other code: any of them may be the entry.
            self._program.is_open = any(name not in ("", SCRIPT) for name in module.units)
            for name in module.units:
                self._reach(Unit(self._start, name), None)
            self._follow_all()
        return self._program

    def _follow_all(self) -> None:
        while self._pending and len(self._program.reached) < _UNITS_MOST:
            self._follow(self._pending.popleft())

    def _reach(self, unit: Unit, step: Step | None) -> None:
        is_own = unit.file == self._start or not is_test(unit.file)
        if unit not in self._program.reached and is_own:
            self._program.reached[unit] = step
            self._pending.append(unit)

    def _follow(self, unit: Unit) -> None:
        module = _module(unit.file)
        if isinstance(module, str):
            return
        self._program.differentiates = self._program.differentiates or module.flows.differentiates
        if not unit.name:
            for name in module.called_by_others:
                self._reach(Unit(unit.file, name), Step(unit, 0))
            for path in module.flows.imports.values():
                self._load(unit, path)
        elif self._is_class(module, unit.name):
            self._make(unit, module)
        for mention in module.units.get(unit.name, ()):
            self._mention(unit, module, mention)

    def _is_class(self, module: _Module, name: str) -> bool:
        definition = module.flows.definitions.get(name)
        return definition is not None and definition.is_class

    def _make(self, unit: Unit, module: _Module) -> None:
        """Reach methods of a class that may be instantiated: those named, or called by bases."""
        bases = module.flows.definitions[unit.name].bases
        is_framed = any(
            not _PLAIN_BASES.match(base) and self._home(unit.file, base) is None for base in bases
        )
        for name in module.units:
            owner, _, method = name.rpartition(".")
            if owner != unit.name:
                continue
            own, step = Unit(unit.file, name), Step(unit, 0)
            if (is_framed and not method.startswith("_")) or _DUNDER.match(method):
                self._reach(own, self._program.reached[unit] or step)
            elif method in self._named:
                self._reach(own, self._named[method])
            else:
                self._methods.setdefault(method, []).append((own, step))

    def _mention(self, unit: Unit, module: _Module, mention: _Mention) -> None:
        step = Step(unit, mention.row)
        first, *rest = mention.path.split(".")
        for name in rest:
            if name not in self._named:
                self._named[name] = step
                for method, _ in self._methods.pop(name, ()):
                    self._reach(method, step)
        owner = unit.name.rpartition(".")[0]
        if first in ("self", "cls") and rest and f"{owner}.{rest[0]}" in module.units:
            self._reach(Unit(unit.file, f"{owner}.{rest[0]}"), step)
        elif first in module.flows.imports:
            self._resolve(unit, ".".join((module.flows.imports[first], *rest)), step)
        elif first in module.units:
            self._reach(Unit(unit.file, first), step)

    def _resolve(self, unit: Unit, path: str, step: Step) -> None:
        """Reach the definition of a qualified name, through the modules that re-export it."""
        for _ in range(_HOPS_MOST):
            found = self._home(unit.file, path)
            if found is None:
                return
            file, inner = found
            module = _module(file)
            if isinstance(module, str):
                return
            if not inner:  # the module itself: any definition may be accessed by attribute
                for name in module.units:
                    if "." not in name:
                        self._reach(Unit(file, name), step)
                return
            first, *rest = inner.split(".")
            if first in module.units:
                self._reach(Unit(file, first), step)
                if rest and f"{first}.{rest[0]}" in module.units:
                    self._reach(Unit(file, f"{first}.{rest[0]}"), step)
                return
            if first not in module.flows.imports:
                return
            path = ".".join((module.flows.imports[first], *rest))

    def _load(self, unit: Unit, path: str) -> None:
        """Reach the top level of an imported module."""
        found = self._home(unit.file, path)
        if found is not None:
            self._reach(Unit(found[0], ""), Step(unit, 0))

    def _home(self, file: str, path: str) -> tuple[str, str] | None:
        """The file of the project that defines a qualified name, and its name there."""
        parts = path.split(".")
        package = self._packages.get(parts[0])
        roots = (os.path.dirname(package),) if package is not None else self._own
        project = _project(file, roots)
        for count in range(len(parts), 0, -1):
            symbol_table = project.module(".".join(parts[:count]))
            if symbol_table is not None and symbol_table.file:
                is_own = self._is_own(symbol_table.file)
                return (symbol_table.file, ".".join(parts[count:])) if is_own else None
        return None

    def _is_own(self, file: str) -> bool:
        """Whether a file is in the project, or in a package that is followed."""
        if _INSTALLED in file:
            return any(_is_below(file, folder) for folder in self._packages.values())
        return any(_is_below(file, folder) for folder in (*self._own, *self._packages.values()))


def _is_below(file: str, folder: str) -> bool:
    return os.path.realpath(file).startswith(os.path.join(os.path.realpath(folder), ""))


@lru_cache(4096)
def _project(file: str, roots: tuple[str, ...]) -> ModuleResolver:
    return module_resolver_of(file, roots)
