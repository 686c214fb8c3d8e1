"""Where a module names something, and where it looks things up by names that are not literal.

Comments and docstrings name nothing, as they run nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from mllint_nan.syntax.traversal import children, name_called

LOOKUPS: Final = frozenset(
    (
        *("getattr", "eval", "exec", "globals", "locals", "vars", "__dict__", "getmembers"),
        *("attrgetter", "methodcaller", "import_module", "__import__"),
    )
)
"""Every module that looks things up contains one of these words."""
_OF_NAMESPACE: Final = frozenset(("eval", "exec", "globals", "locals", "vars"))
"""Called without an object, these look into the module that calls them."""
_RUNS: Final = frozenset(("eval", "exec"))
_OF_OBJECTS: Final = frozenset(("getattr", "vars", "getmembers"))
_OF_ANYTHING: Final = frozenset(("attrgetter", "methodcaller"))
_IMPORTS: Final = frozenset(("import_module", "__import__"))
_NAMESPACE: Final = "__dict__"
_TELLING: Final = frozenset(("print", "debug", "info", "warn", "warning", "error", "exception"))
"""What is called with texts for a reader, in which a name is no lookup."""
_WORD: Final = re.compile(r"\w+")
_IMPORTS_SOME: Final = re.compile(r"\bimport\b[\s\w,(]*[%{*]")
"""Code in a string that imports an inserted name, or all names: `from losses import %s`."""


class Naming(NamedTuple):
    """A place at which something is named."""

    inside: str
    """The definition that contains it: `dice`, `Trainer`, `Trainer.step`; empty for the module."""
    of: str
    """What it is an attribute of: a dotted chain, `*` for anything else, empty for nothing."""
    text: bool = False
    """Whether it is in a string."""
    called: bool = False
    """Whether it is called there."""


class Lookup(NamedTuple):
    """A place at which something is looked up by a name that is not literal."""

    of: str
    """The object: a dotted chain, `*` for anything else, empty for the module itself."""
    is_namespace: bool
    """Whether names of a module are looked up, and not attributes of objects."""


@dataclass(slots=True)
class Namings:
    """All namings and lookups of one module."""

    places: dict[str, list[Naming]] = field(default_factory=dict)
    """By name: the places that name it, other than imports."""
    aliases: dict[str, set[str]] = field(default_factory=dict)
    """By name: its aliases where it is imported under another name."""
    lookups: list[Lookup] = field(default_factory=list)
    imports_by_name: bool = False
    """Whether it imports modules by names that are not literal."""
    registering: set[str] = field(default_factory=set)
    """The classes that are defined with a metaclass, or other keywords."""


def namings(tree: ast.Module) -> Namings:
    """The namings of a module; raises RecursionError if the tree is too deep."""
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
                self.call(node, inside, is_told=name_called(node) in _TELLING)
            case ast.Raise(ast.Call() as error, cause):
                self.call(error, inside, is_told=True)
                if cause is not None:
                    self.node(cause, inside)
            case _:
                self.parts(children(node), inside)

    def call(self, node: ast.Call, inside: str, *, is_told: bool) -> None:
        self.found.lookups += _lookups(node)
        self.found.imports_by_name |= name_called(node) in _IMPORTS
        self.called(node.func, inside)
        given = [part for one in node.args for part in (_besides_text(one) if is_told else (one,))]
        self.parts((*given, *node.keywords), inside)

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
        return  # a method of that name, such as a model's `eval`
    if name in _OF_NAMESPACE and not (name == "vars" and given):
        if not (given and isinstance(given[0], ast.Constant)) and not _runs_apart(name, given):
            yield Lookup("", True)
    elif name in _OF_ANYTHING:
        if not all(isinstance(one, ast.Constant) for one in given):
            yield Lookup("*", False)
    elif name in _OF_OBJECTS and not any(isinstance(one, ast.Constant) for one in given[1:2]):
        yield Lookup(chain_of(given[0]) if given else "*", name == "vars")


def _runs_apart(name: str, given: list[ast.expr]) -> bool:
    """Whether code is run in a namespace of its own, and imports no name that is inserted.

    It takes no name of the module from there: `exec("from conf_%s import cfg" % kind, own)`.
    """
    match given:
        case [ast.BinOp(ast.Constant(str(text)), ast.Mod()), own, *_] if name in _RUNS:
            return not isinstance(own, ast.Constant) and _IMPORTS_SOME.search(text) is None
        case _:
            return False


def chain_of(node: ast.expr) -> str:
    """The dotted chain of a node: `a.b` for `a.b`; `*` for anything else."""
    match node:
        case ast.Name(name):
            return name
        case ast.Attribute(value, name):
            chain = chain_of(value)
            return "*" if chain == "*" else f"{chain}.{name}"
        case _:
            return "*"


def _besides_text(told: ast.expr) -> Sequence[ast.AST]:
    """What is told besides a text of several words, which may be a format for the rest."""
    match told:
        case ast.Constant(str(text)) if " " in text:
            return ()
        case ast.BinOp(ast.Constant(str(text)), ast.Mod(), values) if " " in text:
            return (values,)
        case ast.Call(ast.Attribute(ast.Constant(str(text)), "format")) if " " in text:
            return (*told.args, *told.keywords)
        case ast.JoinedStr(values):
            return [one for one in values if not isinstance(one, ast.Constant)]
        case _:
            return (told,)
