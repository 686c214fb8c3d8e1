"""What a module binds at its top level; each definition is lowered when it is first needed.

Few definitions of another file are ever needed, and no positions in its text.
"""

from __future__ import annotations

import ast
import re
import string
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from mllint_nan.ir import program as ir
from mllint_nan.syntax.class_symbols import ClassSymbols, lowered, may_be_seen_through, unseen
from mllint_nan.syntax.decoding import SourceError, decode, tree_of
from mllint_nan.syntax.definitions import (
    Place,
    Rows,
    bound_as,
    filled_by,
    names_bound,
    nodes_in,
    top_level,
)

_Alike = TypeVar("_Alike")

_LETTERS: Final = frozenset(
    (*string.ascii_letters.encode(), *string.digits.encode(), *b"_", *range(0x80, 0x100))
)
"""The bytes of which names consist."""
_GLOBAL: Final = re.compile(r"global[ \t\f\\]")
"""How every `global` statement begins, and little else."""
_STAR: Final = re.compile(rb"import[\s\\]*\*")
"""An import of all public names of a module, or text that looks like one."""
_DECORATED: Final = re.compile(
    rb"(?m)^@(\w+)(?:\.\w+)*(?:\((?:[ \t]*['\"](\w+)['\"])?[^\n]*\))?[ \t]*(?:#[^\n]*)?\r?\n"
    rb"(?:@[^\n]*\n)*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)"
)
"""A decorated definition: the decorator's first name, a string passed to it, the own name."""
_FARTHEST: Final = 80
"""The most characters that are searched for what precedes a word."""
_KEPT_MOST: Final = 4096
"""The most indices of texts that are cached for other files that need them."""
_FILLING_MOST: Final = 64
"""The most statements that fill one dictionary."""
_WAITING_MOST: Final = 256 * 1024
"""The most characters of texts whose trees are kept until their own turn."""
_ALIKE_MOST: Final = 4096
"""The most cached texts of definitions, which several modules may share."""
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_CALLED: Final = (*_FUNCTIONS, ast.ClassDef)
_IMPORTS: Final = (ast.Import, ast.ImportFrom)
_DEFINITIONS: Final = (
    *_CALLED,
    *_IMPORTS,
    ast.Assign,
    ast.AnnAssign,
)


@dataclass(frozen=True, slots=True)
class _Index:
    """What the top level of a module binds; no node is kept, so that the tree can be freed."""

    places: Mapping[str, tuple[Place, ...]]
    stars: tuple[str, ...]
    filling: Mapping[str, tuple[Place, ...]]
    """By name: the statements that put something into its value, by a key."""
    imported: tuple[str, ...]
    """What is imported, as written."""
    targets: Mapping[str, str]
    """By name: the target of the last import that binds it, as written."""


_NOTHING: Final = _Index({}, (), {}, (), {})
_indices: OrderedDict[tuple[int, int], _Index] = OrderedDict()
"""The indices of texts, by hash and length."""


class _Trees:
    """The trees of texts that were read for another one and whose turn may come, likewise."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[tuple[int, int], ast.Module] = OrderedDict()
        self._characters = 0

    def of(self, place: tuple[int, int]) -> ast.Module | None:
        return self._waiting.get(place)

    def taken(self, place: tuple[int, int]) -> ast.Module | None:
        tree = self._waiting.pop(place, None)
        if tree is not None:
            self._characters -= place[1]
        return tree

    def keep(self, place: tuple[int, int], tree: ast.Module) -> None:
        """Keep a tree, but only the last few, as they are large."""
        if place not in self._waiting:
            self._characters += place[1]
        self._waiting[place] = tree
        while self._characters > _WAITING_MOST:
            (_, length), _ = self._waiting.popitem(last=False)
            self._characters -= length


_trees: Final = _Trees()


_functions: OrderedDict[bytes, ir.Statement | None] = OrderedDict()
_classes: OrderedDict[bytes, ClassSymbols] = OrderedDict()
"""By their texts: definitions for several backends, or copies, are read once."""


def remember(text: str, tree: ast.Module) -> None:
    """Keep what a parsed text binds, in case another file needs it."""
    place = (hash(text), len(text))
    if place not in _indices:
        _keep(place, _indexed(text, tree))


def _keep(place: tuple[int, int], index: _Index) -> None:
    _indices[place] = index
    if len(_indices) > _KEPT_MOST:
        _indices.popitem(last=False)


def _keep_alike(known: OrderedDict[bytes, _Alike], text: bytes, made: _Alike) -> None:
    known[text] = made
    if len(known) > _ALIKE_MOST:
        known.popitem(last=False)


def tree_of_own(text: str) -> ast.Module | None:
    """The tree of a text whose turn has come; one that was kept for another text is reused."""
    return _trees.taken((hash(text), len(text))) or tree_of(text)


def tree_of_other(text: str) -> ast.Module | None:
    """The tree of a text that another one needs; it is kept for a while and must not be changed."""
    place = (hash(text), len(text))
    known = _trees.of(place)
    if known is not None:
        return known
    tree = tree_of(text)
    if tree is not None:
        remember(text, tree)
        _trees.keep(place, tree)
    return tree


def _may_have_global(text: str) -> bool:
    """Whether a text may have a `global` statement, at the start of a row or behind another."""
    for found in _GLOBAL.finditer(text):
        before = text[max(0, found.start() - _FARTHEST) : found.start()].rstrip(" \t\f")
        if not before or before[-1] in "\r\n;:":
            return True
    return False


def _indexed(text: str, tree: ast.Module) -> _Index:
    places: dict[str, list[Place]] = {}
    stars: list[str] = []
    filling: dict[str, list[Place]] = {}
    imported: list[str] = []
    targets: dict[str, str] = {}
    for node in top_level(tree.body):
        filled = filled_by(node)
        if filled:
            filling.setdefault(filled, []).append(Place.of(node))
        if isinstance(node, _IMPORTS):
            targets.update((bound_as(one), _target_of(node, one)) for one in node.names)
        if isinstance(node, ast.ImportFrom):
            imported += [_target_of(node, one) for one in node.names if one.name != "*"]
        for name in names_bound(node):
            if name == "*" and isinstance(node, ast.ImportFrom):
                stars.append("." * node.level + (node.module or ""))
            places.setdefault(name, []).append(Place.of(node))
    for inner in nodes_in(tree) if _may_have_global(text) else ():
        if isinstance(inner, ast.Global):
            for name in inner.names:
                places.setdefault(name, []).append(Place.of(inner))
    return _Index(_tuples(places), tuple(stars), _tuples(filling), tuple(imported), targets)


def _target_of(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    """The target of the name that an import binds; for `import a.b` it is `a`."""
    if isinstance(node, ast.Import):
        return alias.name if alias.asname else bound_as(alias)
    return "." * node.level + (f"{node.module}." if node.module else "") + alias.name


def _tuples(found: Mapping[str, list[Place]]) -> dict[str, tuple[Place, ...]]:
    return {name: tuple(places) for name, places in found.items()}


class SymbolTable:
    """A module that is read for the sake of another one.

    >>> table = SymbolTable("pkg.config", False, b"EPS = 1e-8\\nMODE = 1\\nMODE = 2\\n")
    >>> type(table.binding("EPS")).__name__, table.binding("MODE")
    ('Assign', None)
    """

    def __init__(self, name: str, is_package: bool, data: bytes, file: str = "") -> None:
        """`name` is the dotted name of the module; other modules are below a package."""
        self.name = name
        self.file = file
        self.is_package = is_package
        self.data = data
        self._lowered: dict[str, ir.Statement | None] = {}
        self._classes: dict[str, ClassSymbols] = {}
        self._mentioned: dict[str, bool] = {}
        self._rows: Rows | None = None
        self._known: _Index | None = None
        self._stars: tuple[str, ...] | None = None
        self._mended: str | None = None
        """The readable part of a text that is not Python 3."""
        self.version = object()
        """Replaced when the text is read anew."""
        self.settled: dict[tuple[str, bool], Any] = {}
        """What an evaluation caches about the module's names."""

    def mentions(self, name: str) -> bool:
        """Whether the text contains the word at all."""
        known = self._mentioned.get(name)
        if known is None:
            known = self._mentioned[name] = holds(self.data, name.encode())
        return known

    def binding(self, name: str) -> ir.Statement | None:
        """The only statement that binds a name, without sites; `None` for a class.

        A function that is too long to be inlined, or decorated, is a stub with some decorator.
        """
        if name not in self._lowered:
            self._lowered[name] = self._imported(name) or self._bound(name)
        return self._lowered[name]

    def _imported(self, name: str) -> ir.Import | None:
        """The import that binds a name, if that is known without a tree."""
        place = self._place(name) if self._known is not None else None
        if self._known is None or place is None or place.kind not in _IMPORTS:
            return None
        return ir.Import(None, ((name, self._known.targets[name]),))

    def binds(self, name: str) -> bool:
        """Whether the top level binds a name, once or more often."""
        return self.mentions(name) and name in self._index().places

    def imports(self, name: str) -> str:
        """The target of the import that alone binds a name; an empty string if there is none."""
        if self._known is None and self.mentions(name):
            self.class_text(name)  # it reuses the tree if this is a class
        place = self._place(name)
        if place is None or place.kind not in _IMPORTS:
            return ""
        found = self.binding(name)
        return dict(found.bindings)[name] if isinstance(found, ir.Import) else ""

    def _lower(self, node: ast.stmt | None, name: str) -> ir.Statement | None:
        match node:
            case None | ast.ClassDef():
                return None
            case ast.Import(names) | ast.ImportFrom(_, names):
                found = next(alias for alias in names if name == bound_as(alias))
                return ir.Import(None, ((name, _target_of(node, found)),))
            case ast.FunctionDef() | ast.AsyncFunctionDef() if not may_be_seen_through(node):
                return unseen(node)
            case _:
                return next((s for s in lowered(node) if name in _bound_by(s)), None)

    def filled(self, name: str) -> ir.Block:
        """The statements that create a dictionary and fill it by key, if these alone bind it."""
        filling = self._index().filling.get(name, ()) if self.mentions(name) else ()
        if not filling:
            return ()
        first, *others = [place for place in self._index().places[name] if place not in filling]
        if others or first.kind not in (ast.Assign, ast.AnnAssign) or len(filling) > _FILLING_MOST:
            return ()
        nodes = [self._text().node(place) for place in (first, *filling)]
        return tuple(s for node in nodes if node is not None for s in lowered(node))

    def class_text(self, name: str) -> ClassSymbols | None:
        """The class that is the only binding of a name."""
        if name not in self._classes:
            place, tree = self._found(name)
            if place is None or place.kind is not ast.ClassDef:
                return None
            text = self._text().rows(place)
            known = _classes.get(text)
            if known is None:
                node = self._node(place, tree)
                if not isinstance(node, ast.ClassDef):
                    return None
                known = ClassSymbols(node, Rows(text), 1 - Place.of(node).row)
                _keep_alike(_classes, text, known)
            self._classes[name] = known
        return self._classes[name]

    @property
    def stars(self) -> tuple[str, ...]:
        """The modules, as written, whose public names are all imported."""
        if self._stars is None:
            self._stars = self._index().stars if _STAR.search(self.data) is not None else ()
        return self._stars

    @property
    def callables(self) -> tuple[str, ...]:
        """The names of its functions and classes; for a package, also of what it imports."""
        kinds = (*_CALLED, ast.ImportFrom) if self.is_package else _CALLED
        return tuple(
            name
            for name, places in self._index().places.items()
            if name != "*" and len(places) == 1 and places[0].kind in kinds
        )

    def naming(self, word: str) -> tuple[str, ...]:
        """The functions and classes whose text contains a word."""
        text, places = self._text(), self._index().places
        alone = [(name, self._place(name)) for name in places]
        return tuple(
            name
            for name, place in alone
            if place is not None and place.kind in _CALLED
            if holds(text.rows(place), word.encode())
        )

    @property
    def modules_imported(self) -> tuple[str, ...]:
        """What its top level imports, as written."""
        named = (found for found in self._index().imported)
        return tuple(dict.fromkeys((*named, *self.stars)))

    @property
    def registrations(self) -> tuple[tuple[str, str, str], ...]:
        """Its decorated definitions: the decorator's first name, the key, and the own name."""
        return tuple(
            (root.decode(), (key or name).decode(), name.decode())
            for root, key, name in _DECORATED.findall(self.data)
        )

    def _bound(self, name: str) -> ir.Statement | None:
        """The statement that binds a name; functions of the same text share it."""
        place, tree = self._found(name)
        if place is None or place.kind not in _FUNCTIONS:
            return self._lower(self._node(place, tree) if place is not None else None, name)
        text = self._text().rows(place)
        if text not in _functions:
            _keep_alike(_functions, text, self._lower(self._node(place, tree), name))
        return _functions[text]

    def _found(self, name: str) -> tuple[Place | None, ast.Module | None]:
        """The place of the only statement that binds a name, and the tree, if one was made."""
        tree: ast.Module | None = None
        if self._known is None and self.mentions(name):
            self._known, tree = self._read()
        return self._place(name), tree

    def _node(self, place: Place, tree: ast.Module | None) -> ast.stmt | None:
        """A statement, from the tree if there is one."""
        if tree is None:
            return self._text().node(place)
        return next(node for node in top_level(tree.body) if Place.of(node) == place)

    def _place(self, name: str) -> Place | None:
        """The place of the only statement that binds a name."""
        places = self._index().places.get(name, ()) if self.mentions(name) else ()
        return places[0] if len(places) == 1 and places[0].kind in _DEFINITIONS else None

    def _text(self) -> Rows:
        if self._rows is None:
            text = (decode(self.data).text if self._mended is None else self._mended).encode()
            self._rows = Rows(self.data if text == self.data else text)
        return self._rows

    def _index(self) -> _Index:
        """The index of the module's bindings."""
        if self._known is None:
            self._known, _ = self._read()
        return self._known

    def _read(self) -> tuple[_Index, ast.Module | None]:
        """The index of bindings, and the tree, if one had to be made for it."""
        try:
            text = decode(self.data).text
        except SourceError:
            return _NOTHING, None
        place = (hash(text), len(text))
        known = _indices.get(place)
        if known is not None:
            return known, None
        tree = tree_of(text)
        if tree is not None:
            known = _indexed(text, tree)
            _keep(place, known)
            _trees.keep(place, tree)
            return known, tree
        text = self._mended = _mended(text)
        tree = tree_of(text)
        return (_NOTHING if tree is None else _indexed(text, tree)), tree


def _mended(text: str) -> str:
    """The readable part of a text; empty if there is none."""
    from mllint_nan.syntax.mending import mend

    mended = mend(text, SourceError(""))
    return mended.text if mended is not None else ""


def holds(data: bytes, word: bytes) -> bool:
    """Whether a word occurs somewhere that is not part of a longer one."""
    place = data.find(word)
    while place >= 0:
        end = place + len(word)
        is_start = place == 0 or data[place - 1] not in _LETTERS
        if is_start and (end == len(data) or data[end] not in _LETTERS):
            return True
        place = data.find(word, place + 1)
    return False


def _bound_by(statement: ir.Statement) -> tuple[str, ...]:
    match statement:
        case ir.Function(_, name):
            return (name,)
        case ir.Assign(_, targets):
            return tuple(target.name for target in targets if isinstance(target, ir.Name))
        case _:
            return ()
