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
_FIELDS: Final = frozenset((_NAMESPACE, "__slots__", "_fields", "__dataclass_fields__"))
"""Attributes that contain the names of an object's fields, not of its methods."""
_TELLING: Final = frozenset(("print", "debug", "info", "warn", "warning", "error", "exception"))
"""What is called with texts for a reader, in which a name is no lookup."""
_WORD: Final = re.compile(r"\w+")
_INSERTED: Final = re.compile(r"%[-#0 +]*\d*(?:\.\d+)?[a-zA-Z]|%\(\w+\)[a-z]")
"""A place of a format in which something is inserted."""
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
    inside: str = ""
    """The definition that contains it."""
    form: str = ""
    """A regular expression for the names that may be looked up; empty for any."""

    def finds(self, name: str) -> bool:
        """Whether a name may be looked up here, by its form."""
        return not self.form or re.fullmatch(self.form, name) is not None


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
        self._fields: set[str] = set()
        """The variables of the loops around that run through names of fields."""

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
                    self.found.lookups.append(Lookup(chain_of(value), True, inside))
                self.found.imports_by_name |= name == "modules" and chain_of(value) == "sys"
                self.node(value, inside)
            case ast.Call():
                self.call(node, inside, is_told=name_called(node) in _TELLING)
            case ast.For(target, iterable):
                self.loop(node, inside, [(target, iterable)])
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                self.loop(node, inside, [(one.target, one.iter) for one in node.generators])
            case ast.Raise(ast.Call() as error, cause):
                self.call(error, inside, is_told=True)
                if cause is not None:
                    self.node(cause, inside)
            case _:
                self.parts(children(node), inside)

    def loop(self, node: ast.AST, inside: str, parts: Iterable[tuple[ast.expr, ast.expr]]) -> None:
        around = self._fields
        self._fields = around | {name for each in parts for name in _names_of_fields(*each)}
        self.parts(children(node), inside)
        self._fields = around

    def call(self, node: ast.Call, inside: str, *, is_told: bool) -> None:
        match node.args[1:2]:
            case [ast.Name(name)] if name in self._fields:
                pass
            case _:
                self.found.lookups += _lookups(node, inside)
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


def _names_of_fields(target: ast.expr, iterable: ast.expr) -> Iterator[str]:
    """The variable of a loop that is the name of an object's field: `for x in vars(args)`."""
    match iterable:
        case ast.Call(ast.Attribute(inner, "items")):
            names = target.elts[:1] if isinstance(target, ast.Tuple) else []
        case ast.Call(ast.Attribute(inner, "keys")) | inner:
            names = [target]
    match inner:
        case ast.Attribute(_, name) if name in _FIELDS:
            pass
        case ast.Call(ast.Name("vars"), [_]):
            pass
        case _:
            return
    yield from (one.id for one in names if isinstance(one, ast.Name))


def _lookups(node: ast.Call, inside: str) -> Iterator[Lookup]:
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
        of = chain_of(given[0]) if given else "*"
        yield Lookup(of, name == "vars", inside, _form(given[1]) if given[1:] else "")


def _form(name: ast.expr) -> str:
    """A regular expression for a computed name: `layer.*` for `f"layer{i}"`; empty for any.

    >>> [_form(ast.parse(one, "", "eval").body) for one in ("f'on_{x}'", "'x%d' % i", "x")]
    ['on_.*', 'x.*', '']
    """
    match name:
        case ast.JoinedStr(values):
            parts = [one.value if isinstance(one, ast.Constant) else None for one in values]
        case ast.BinOp(left, ast.Add(), right):
            ends = (left, right)
            parts = [one.value if isinstance(one, ast.Constant) else None for one in ends]
        case ast.BinOp(ast.Constant(str(text)), ast.Mod()):
            parts = [one for part in _INSERTED.split(text) for one in (part, None)][:-1]
        case _:
            return ""
    form = "".join(".*" if one is None else re.escape(str(one)) for one in parts)
    return "" if form.replace(".*", "") == "" else form


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
