"""Which functions of a file mention a name, and the part of the file that their evaluation needs.

Only the statements that may be needed are parsed, which are few in most files.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from mllint_nan.ir import program as ir
from mllint_nan.syntax.class_symbols import may_be_seen_through, unseen
from mllint_nan.syntax.decoding import tree_of
from mllint_nan.syntax.definitions import nodes_in
from mllint_nan.syntax.lower_ast import lower_calls
from mllint_nan.syntax.value_flow_edges import CALLED

_BODIES_MOST: Final = 8
"""Of one file, that are evaluated for the sake of another one."""
_ROUNDS_MOST: Final = 2
"""From how far functions of the file are taken that call those which name it."""
_NEEDED_MOST: Final = 3
"""Through how many definitions what a body names is followed."""
_KEPT_MOST: Final = 96
"""Texts that are kept for other files that they may call."""
_FAILING: Final = frozenset(("raises", "assertRaises", "assertRaisesRegex", "assertRaisesRegexp"))
"""Contexts in which a test calls something that is to fail."""
_START: Final = re.compile(
    r"^(?![ \t\f\r\n#)\]}]|(?:else|elif|except|finally)\b|\"\"\"|''')", re.MULTILINE
)
"""Where a statement of the module may begin."""
_WORDS: Final = re.compile(r"[^\W\d]\w*")
_CALL: Final = re.compile(r"(?:\.\w+)?\(")
_GIVEN: Final = re.compile(r"\s*[,)]")
"""What follows a name that is called, itself or a method of it, or given."""
_DEFINITION: Final = re.compile(r"(?:@.*\n|\s)*(?:async\s+def|def|class)\s+(\w+)")
_COMPOUND: Final = re.compile(r"(?:if|for|with|try|while|match|async)\b")
_TELLING: Final = re.compile(
    r"_?(zeros|ones|full|eye|identity|rand|normal|uniform|arange|linspace|relu|soft|sigmoid|tanh"
    r"|exp|square|pow|abs|clamp|clip|max|min|amax|amin|norm|var|std|one_hot|bincount|hist|count"
    r"|erf|cosh|det|prod|cdist|pairwise|cos|sin|where|is|logical|half|bfloat|gumbel|ndtr"
    r"|to_categorical|array|asarray|tensor|as_tensor|constant|Variable|Parameter|[A-Z])"
)
"""The methods and functions of frameworks that give what has a range of its own, and classes."""
_PLAIN: Final = frozenset(("int", "len", "list", "tuple", "range", "zip", "enumerate", "str"))
_IMPORT: Final = re.compile(r"(?:import|from)\b")

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Calling:
    """The bodies of a file that are evaluated for their calls."""

    bodies: frozenset[str]
    """Their names within the module, `train` or `Trainer.step`; empty of the module itself."""
    hands_on: frozenset[str]
    """The functions among them that give what they are given themselves."""
    program: ir.Block
    """The statements that they need; only their calls have sites, and these are rows."""


NOT_CALLING: Final = Calling(frozenset(), frozenset(), ())


class _Unparsable(Exception):
    """What seemed to be a statement is none."""


class _Chunk:
    """A statement of the module, or several, which is parsed when it is first asked for."""

    def __init__(self, text: str, row: int, nodes: list[ast.stmt] | None = None) -> None:
        """`row` is how many rows stand above it."""
        self.text = text
        self._row = row
        self._nodes = nodes
        self._is_given = nodes is not None
        self._lowered: dict[bool, ir.Block] = {}
        self._used: dict[str, bool] = {}

    @cached_property
    def defines(self) -> str:
        """The function or class that it is, by the look of it."""
        found = _DEFINITION.match(self.text)
        return found[1] if found else ""

    @cached_property
    def is_import(self) -> bool:
        return _IMPORT.match(self.text) is not None

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(_WORDS.findall(self.text))

    def uses(self, names: Collection[str]) -> bool:
        """Whether one of some names is called, or a function of it given, by the look of it."""
        return any(map(self._is_used, self.words.intersection(names)))

    def _is_used(self, name: str) -> bool:
        found = self._used.get(name)
        if found is None:
            found = self._used[name] = _is_used(self.text, name)
        return found

    @cached_property
    def heads(self) -> frozenset[str]:
        """The names that it may bind or change, by the look of it."""
        if self.defines:
            return frozenset((self.defines,))
        if _COMPOUND.match(self.text):
            return frozenset(name for node in self.nodes for name in _bound_by(node))
        first = re.split(r"[=(\n]", self.text, maxsplit=1)[0]
        return frozenset(_WORDS.findall(first))

    @property
    def nodes(self) -> list[ast.stmt]:
        if self._nodes is None:
            above = "" if self.is_import else "\n" * self._row
            tree = tree_of(above + self.text)
            if tree is None:
                raise _Unparsable
            self._nodes = tree.body
        return self._nodes

    def lowered(self, *, is_evaluated: bool) -> ir.Block:
        """Its statements; of functions that are not evaluated only what may be seen through."""
        found = self._lowered.get(is_evaluated)
        if found is None:
            for part in self.__dict__.get("parts", ()):
                part.leave_out_failing()
            found = self._lowered[is_evaluated] = tuple(
                statement
                for node in self.nodes
                for statement in _lowered(node, is_evaluated=is_evaluated)
            )
        return found

    @cached_property
    def around_methods(self) -> frozenset[str]:
        """What a class names itself: its bases, and what its body sets."""
        return frozenset(
            name
            for node in self.nodes
            if isinstance(node, ast.ClassDef)
            for item in (*node.bases, *node.body)
            if not isinstance(item, _Function)
            for name in _names_in(item)
        )

    @cached_property
    def parts(self) -> tuple[_Part, ...]:
        return tuple(self._found_parts())

    def _found_parts(self) -> Iterator[_Part]:
        for node in self.nodes:
            if isinstance(node, ast.ClassDef):
                for item in node.body:
                    if isinstance(item, _Function):
                        yield _Part(self, f"{node.name}.{item.name}", item, self._text_of(item))
                continue
            name = node.name if isinstance(node, _Function) else ""
            part = _Part(self, name, node, self.text)
            part.leave_out_failing()
            yield part

    def _text_of(self, method: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
        """The rows of a method, where they can be told apart."""
        if self._is_given or "\r" in self.text:
            return self.text
        first = next(iter(method.decorator_list), method).lineno
        rows = self._rows[first - 1 - self._row : (method.end_lineno or 0) - self._row]
        return "\n".join(rows)

    @cached_property
    def _rows(self) -> list[str]:
        return self.text.split("\n")


class _Part:
    """A function, a method or a statement of the module; each answer is computed once."""

    def __init__(self, chunk: _Chunk, definition: str, node: ast.stmt, text: str) -> None:
        """`text` is where all that it names stands."""
        self.chunk = chunk
        self.definition = definition
        self.node = node
        self._text = text
        self._telling: dict[ast.expr, bool] = {}
        """By what is handed to a call: whether it tells anything."""

    @cached_property
    def names(self) -> frozenset[str]:
        """All that it names, attributes by their own name, but where it is meant to fail."""
        return _names_in(self.node)

    def leave_out_failing(self) -> None:
        """Have what is meant to fail left out of it."""
        _ = self.names

    def may_name(self, names: Collection[str]) -> bool:
        """Whether one of some names stands in its text."""
        return any(name in self._text for name in names)

    def held(self, names: Collection[str]) -> frozenset[str]:
        """What it binds to something that one of `names` gives, as an object of a class."""
        found: set[str] = set()
        if self._called_names.isdisjoint(names):
            return frozenset()
        for called, bound in self._bindings:
            if not called.isdisjoint(names):
                found.update(bound)
        return frozenset(found)

    @cached_property
    def _bindings(self) -> tuple[tuple[frozenset[str], tuple[str, ...]], ...]:
        """Of each assignment: what is called in its value, and what it binds."""
        return tuple(
            (called, (*_bound_by(inner), *_attributes_set(inner)))
            for inner in nodes_in(self.node)
            if isinstance(inner, (ast.Assign, ast.AnnAssign)) and inner.value is not None
            if (called := frozenset(map(_called, _calls_in(inner.value))))
        )

    @cached_property
    def _calls(self) -> tuple[ast.Call, ...]:
        return tuple(_calls_in(self.node))

    @cached_property
    def _called_names(self) -> frozenset[str]:
        return frozenset(map(_called, self._calls))

    @property
    def known_as(self) -> str:
        """The name by which a function is called: a class for what calling its objects runs."""
        owner, _, name = self.definition.rpartition(".")
        return owner if owner and name in CALLED else name

    @property
    def is_seen_outside(self) -> bool:
        """Whether what it binds is bound for other parts of the module, too."""
        return not isinstance(self.node, _Function) or "." in self.definition

    def uses(self, names: Collection[str]) -> bool:
        """Whether it gives one of `names` something that tells, or is called by such a function."""
        return any(self._tells(one) for call in self._calls for one in _handed(call, names))

    def _tells(self, node: ast.expr) -> bool:
        found = self._telling.get(node)
        if found is None:
            found = self._telling[node] = _is_told(node, self._told)
        return found

    @cached_property
    def _told(self) -> frozenset[str]:
        """The variables that something goes into of which more is known than that it is given."""
        told: set[str] = set()
        for inner in nodes_in(self.node):
            if isinstance(inner, (*_Function, ast.Lambda)) and inner is not self.node:
                told.update(_parameters(inner))
            if isinstance(inner, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.With)):
                bound = set(_bound_by(inner)) - told
                if bound and _is_told(inner, told):
                    told |= bound
        return frozenset(told)

    def hands_on(self, names: Collection[str]) -> bool:
        """Whether it is a function that gives one of `names` what it is given itself."""
        return not self._handing_on.isdisjoint(names)

    @cached_property
    def _handing_on(self) -> frozenset[str]:
        """What is called with something that the function is given itself."""
        if not isinstance(self.node, _Function):
            return frozenset()
        made = set(_parameters(self.node))
        for statement in self.node.body:
            if isinstance(statement, ast.Assign) and _names_in(statement) & made:
                made.update(_bound_by(statement))
        return frozenset(
            _called(call)
            for call in self._calls
            if any(_names_in(one) & made for one in _given(call))
        )


def _calls_in(node: ast.AST) -> Iterator[ast.Call]:
    return (inner for inner in nodes_in(node) if isinstance(inner, ast.Call))


def _is_told(node: ast.AST, told: Collection[str]) -> bool:
    return any(_tells(inner, told) for inner in nodes_in(node))


def calling(text: str, names: Collection[str]) -> Calling:
    """The bodies of a text that name one of `names`, or something of the text that does.

    What is meant to fail is left out.
    """
    try:
        return _calling(_chunks_of(text), names)
    except _Unparsable:
        tree = tree_of(text)
        nodes = tree.body if tree is not None else []
        return _calling(tuple(_Chunk(ast.unparse(node), 0, [node]) for node in nodes), names)


def _calling(chunks: tuple[_Chunk, ...], names: Collection[str]) -> Calling:
    wanted = {*names, *_other_names(chunks, names)}
    chosen: list[_Part] = []
    hands_on: set[str] = set()
    for _ in range(_ROUNDS_MOST):
        further: set[str] = set()
        for chunk in chunks:
            if chunk.is_import or not chunk.uses(wanted):
                continue
            here = chunk.words & wanted
            for part in chunk.parts:
                if not part.may_name(here) or not part.names & wanted:
                    continue
                held = part.held(wanted)
                if part.is_seen_outside:
                    further |= held
                if part not in chosen and len(chosen) < _BODIES_MOST and part.uses(wanted | held):
                    chosen.append(part)
                if part.hands_on(wanted | held):
                    further.add(part.known_as)
                    if "." not in part.definition:
                        hands_on.add(part.definition)
        wanted = further
        if not wanted:
            break
    if not chosen and not hands_on:
        return NOT_CALLING
    bodies = frozenset(part.definition for part in chosen)
    return Calling(bodies, frozenset(hands_on), _program(chunks, chosen))


def _is_used(text: str, name: str) -> bool:
    """Whether a name is called in a text, or a function of it given, by the look of it."""
    place = text.find(name)
    while place >= 0:
        end = place + len(name)
        before = text[place - 1 : place]
        if before != "_" and not before.isalnum():
            is_defined = text.endswith(("def ", "class "), 0, place)
            if _CALL.match(text, end) and not is_defined:
                return True
            if _GIVEN.match(text, end) and not _is_class(name):
                return True
        place = text.find(name, end)
    return False


def _is_class(name: str) -> bool:
    return name.lstrip("_")[:1].isupper()


@lru_cache(_KEPT_MOST)
def _chunks_of(text: str) -> tuple[_Chunk, ...]:
    return tuple(_chunks(text))


def _chunks(text: str) -> Iterator[_Chunk]:
    """The statements of the module by the look of them; a text of several rows is kept whole."""
    starts = [found.start() for found in _START.finditer(text)]
    row, begin = 0, 0
    for end in (*starts[1:], len(text)):
        piece = text[begin:end]
        is_open = piece.count('"""') % 2 or piece.count("'''") % 2
        is_decorated = piece.startswith("@") and not _DEFINITION.match(piece)
        if (is_open or is_decorated) and end < len(text):
            continue
        yield _Chunk(piece, row)
        row += piece.count("\n")
        begin = end


def _other_names(chunks: tuple[_Chunk, ...], names: Collection[str]) -> Iterator[str]:
    """What a module calls what it imports by these names."""
    for chunk in chunks:
        for node in chunk.nodes if chunk.is_import and " as " in chunk.text else ():
            for alias in node.names if isinstance(node, ast.ImportFrom) else ():
                if alias.asname and alias.name in names:
                    yield alias.asname


def _program(chunks: tuple[_Chunk, ...], chosen: list[_Part]) -> ir.Block:
    """The statements of the chosen parts, and those that bind what they name."""
    binding: dict[str, list[_Chunk]] = {}
    for chunk in chunks:
        for name in chunk.heads if not chunk.is_import else ():
            binding.setdefault(name, []).append(chunk)
    first = {part.chunk for part in chosen}
    needed, latest = set(first), set(first)
    for _ in range(_NEEDED_MOST):
        named = {name for chunk in latest for part in chunk.parts for name in part.names}
        named |= {name for chunk in latest for name in chunk.around_methods}
        latest = {chunk for name in named for chunk in binding.get(name, ())} - needed
        needed |= latest
    return tuple(
        statement
        for chunk in chunks
        if chunk in needed or chunk.is_import
        for statement in chunk.lowered(is_evaluated=chunk in first)
    )


def _lowered(node: ast.stmt, *, is_evaluated: bool) -> ir.Block:
    try:
        if isinstance(node, _Function) and not is_evaluated and not may_be_seen_through(node):
            return (unseen(node),)
        return lower_calls(node)
    except RecursionError:
        return ()


def _names_in(node: ast.AST) -> frozenset[str]:
    found: set[str] = set()
    for inner in nodes_in(node):
        if isinstance(inner, ast.Name):
            found.add(inner.id)
        elif isinstance(inner, ast.Attribute):
            found.add(inner.attr)
        elif isinstance(inner, ast.alias):
            found.add(inner.name)
        elif isinstance(inner, ast.With) and _is_meant_to_fail(inner):
            inner.body = [ast.Pass()]
    return frozenset(found)


def _is_meant_to_fail(node: ast.With) -> bool:
    """`with pytest.raises(...)`: what is called there shows nothing but that."""
    entered = (item.context_expr for item in node.items)
    return any(_called(one) in _FAILING for one in entered if isinstance(one, ast.Call))


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Iterator[str]:
    given = function.args
    for one in (*given.posonlyargs, *given.args, *given.kwonlyargs):
        if one.arg not in ("self", "cls"):
            yield one.arg


def _handed(call: ast.Call, names: Collection[str]) -> Iterator[ast.expr]:
    """What a call gives one of `names`, or a method of it; or all, if it is given a function."""
    receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
    if _called(call) in names or (receiver is not None and _name_of(receiver) in names):
        yield from _given(call)
    elif any(_name_of(one) in names and not _is_class(_name_of(one)) for one in _given(call)):
        yield call


def _tells(node: ast.AST, told: Collection[str]) -> bool:
    """Whether a part of an expression may have a range of its own, or be called."""
    match node:
        case ast.Name(name, ast.Load()):
            return name in told
        case ast.Call(ast.Name(name)):
            return name not in _PLAIN
        case ast.Call(ast.Attribute(_, name)):
            return _TELLING.match(name) is not None
        case ast.Constant(value):
            return type(value) is float and value == 0
        case _:
            return isinstance(node, (ast.Compare, ast.Lambda))


def _called(call: ast.Call) -> str:
    """`f` of `f(x)` and of `a.f(x)`."""
    return _name_of(call.func)


def _name_of(node: ast.expr) -> str:
    match node:
        case ast.Name(name) | ast.Attribute(_, name):
            return name
        case _:
            return ""


def _given(call: ast.Call) -> Iterator[ast.expr]:
    yield from call.args
    for keyword in call.keywords:
        yield keyword.value


def _bound_by(node: ast.AST) -> Iterator[str]:
    """The names that a statement binds, or changes what they stand for."""
    if isinstance(node, (*_Function, ast.ClassDef)):
        yield node.name
        return
    for inner in nodes_in(node):
        match inner:
            case ast.Name(name, ast.Store()):
                yield name
            case ast.Subscript(ast.Name(name), _, ast.Store()):
                yield name
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(name)))):
                yield name


def _attributes_set(node: ast.AST) -> Iterator[str]:
    for inner in nodes_in(node):
        match inner:
            case ast.Attribute(ast.Name("self"), name, ast.Store()):
                yield name
