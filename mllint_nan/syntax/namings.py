"""Where a module names something, and where it looks things up by names that are not written.

Comments and docstrings name nothing: they run nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from mllint_nan.syntax.traversal import children, name_called

LOOKUPS: Final = frozenset(
    (
        *("getattr", "eval", "exec", "globals", "locals", "vars", "__dict__", "getmembers"),
        *("attrgetter", "methodcaller", "import_module", "__import__"),
    )
)
"""One of these words stands in every module that looks things up."""
_OF_NAMESPACE: Final = frozenset(("eval", "exec", "globals", "locals", "vars"))
"""Called without an object: they look into the module that calls them."""
_RUNS: Final = frozenset(("eval", "exec"))
_OF_OBJECTS: Final = frozenset(("getattr", "vars", "getmembers"))
_OF_ANYTHING: Final = frozenset(("attrgetter", "methodcaller"))
_IMPORTS: Final = frozenset(("import_module", "__import__"))
_WRAPS: Final = frozenset(
    ("partial", "jit", "vmap", "pmap", "checkpoint", "remat", "wraps", "grad", "value_and_grad")
)
"""What gives a function for one."""
_NAMESPACE: Final = "__dict__"
_WORD: Final = re.compile(r"\w+")
_IMPORTS_SOME: Final = re.compile(r"\bimport\b[\s\w,(]*[%{*]")
"""What imports, in a text, a name that is put in, or all: `from losses import %s`."""


class Naming(NamedTuple):
    """A place at which a name stands."""

    inside: str
    """The definition that it is in: `dice`, `Trainer`, `Trainer.step`; empty in the module."""
    of: str
    """What it is an attribute of, as a dotted chain; `*` of something else, empty of nothing."""
    text: bool = False
    """Whether it stands in a text."""
    called: bool = False
    """Whether it is called there."""


class Lookup(NamedTuple):
    """A place at which something is looked up by a name that is not written there."""

    of: str
    """The object, as a dotted chain; `*` of something else, empty of the module itself."""
    is_namespace: bool
    """Whether it is a module whose names are looked up, and no attributes of objects."""


@dataclass(slots=True)
class Namings:
    """All of one module."""

    places: dict[str, list[Naming]] = field(default_factory=dict)
    """By name: where it stands, other than where it is imported."""
    aliases: dict[str, set[str]] = field(default_factory=dict)
    """By name: what it is called where it is imported by another one."""
    lookups: list[Lookup] = field(default_factory=list)
    imports_by_name: bool = False
    """Whether it imports modules whose names are not written."""
    registering: set[str] = field(default_factory=set)
    """The classes that are made with a metaclass, or the like."""


def namings(tree: ast.Module) -> Namings:
    """Raises RecursionError where the tree is too deep."""
    reading = _Reading()
    reading.parts(tree.body, "")
    return reading.found


class _Reading:
    def __init__(self) -> None:
        self.found = Namings()
        self._classes: set[str] = set()

    def parts(self, nodes: Iterable[ast.AST], inside: str) -> None:
        for node in nodes:
            self.node(node, inside)

    def node(self, node: ast.AST, inside: str) -> None:
        match node:
            case ast.Expr(ast.Constant()):
                pass
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self.definition(node, inside)
            case ast.Import(names) | ast.ImportFrom(names=names):
                for one in names:
                    if one.asname is not None and one.asname != one.name:
                        name = one.name.rpartition(".")[2]
                        self.found.aliases.setdefault(name, set()).add(one.asname)
            case ast.Constant(str(text)):
                for word in set(_WORD.findall(text)):
                    self.named(word, Naming(inside, "", True))
            case ast.Name(name):
                self.named(name, Naming(inside, ""))
            case ast.Attribute(ast.Call(ast.Name("globals" | "locals")), "keys"):
                pass  # the names alone
            case ast.Attribute(value, name):
                self.named(name, Naming(inside, chain_of(value)))
                if name == _NAMESPACE:
                    self.found.lookups.append(Lookup(chain_of(value), True))
                self.found.imports_by_name |= name == "modules" and chain_of(value) == "sys"
                self.node(value, inside)
            case ast.Call():
                self.found.lookups += _lookups(node)
                self.found.imports_by_name |= name_called(node) in _IMPORTS
                self.called(node.func, inside)
                self.parts((*node.args, *node.keywords), inside)
            case _:
                self.parts(children(node), inside)

    def called(self, function: ast.expr, inside: str) -> None:
        match function:
            case ast.Name(name):
                self.named(name, Naming(inside, "", called=True))
            case ast.Attribute(ast.Call(ast.Name("globals" | "locals")), "keys"):
                self.node(function, inside)
            case ast.Attribute(value, name):
                self.named(name, Naming(inside, chain_of(value), called=True))
                self.node(value, inside)
            case _:
                self.node(function, inside)

    def named(self, name: str, naming: Naming) -> None:
        self.found.places.setdefault(name, []).append(naming)

    def definition(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, inside: str
    ) -> None:
        is_inner = inside and inside not in self._classes
        own = inside if is_inner else f"{inside}.{node.name}".lstrip(".")
        self.parts(node.decorator_list, inside)
        if isinstance(node, ast.ClassDef):
            if not inside:
                self._classes.add(node.name)
            if node.keywords:
                self.found.registering.add(own)
            self.parts((*node.bases, *node.keywords), own)
        else:
            self.parts((node.args, *((node.returns,) if node.returns is not None else ())), inside)
        self.parts(node.body, own)


def _lookups(node: ast.Call) -> Iterator[Lookup]:
    name, given = name_called(node), node.args
    if not isinstance(node.func, ast.Name) and name not in _OF_OBJECTS | _OF_ANYTHING:
        return  # a method of that name, as of a model that is to be evaluated
    if name in _OF_NAMESPACE and not (name == "vars" and given):
        if not (given and isinstance(given[0], ast.Constant)) and not _runs_apart(name, given):
            yield Lookup("", True)
    elif name in _OF_ANYTHING:
        if not all(isinstance(one, ast.Constant) for one in given):
            yield Lookup("*", False)
    elif name in _OF_OBJECTS and not any(isinstance(one, ast.Constant) for one in given[1:2]):
        yield Lookup(chain_of(given[0]) if given else "*", name == "vars")


def _runs_apart(name: str, given: list[ast.expr]) -> bool:
    """Whether a text is run in a namespace of its own, and imports no name that it does not write.

    It has no name of the module from there: `exec("from conf_%s import cfg" % kind, own)`.
    """
    match given:
        case [ast.BinOp(ast.Constant(str(text)), ast.Mod()), own, *_] if name in _RUNS:
            return not isinstance(own, ast.Constant) and _IMPORTS_SOME.search(text) is None
        case _:
            return False


def chain_of(node: ast.expr) -> str:
    """`a.b` of `a.b`; `*` of what is no dotted name."""
    match node:
        case ast.Name(name):
            return name
        case ast.Attribute(value, name):
            chain = chain_of(value)
            return "*" if chain == "*" else f"{chain}.{name}"
        case _:
            return "*"
