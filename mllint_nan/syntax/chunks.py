"""The statements of a module as its text suggests them, each parsed when it is first needed."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from collections.abc import Set as AbstractSet
from functools import cached_property, lru_cache
from typing import Final

from mllint_nan.frameworks.differentiation import HOOKS, STEPS_OF_MODELS
from mllint_nan.ir import program as ir
from mllint_nan.ir.program import MUTATORS
from mllint_nan.syntax.class_symbols import may_be_seen_through, unseen
from mllint_nan.syntax.decoding import tree_of
from mllint_nan.syntax.definitions import nodes_in
from mllint_nan.syntax.lower_ast import lower_calls
from mllint_nan.syntax.mentioned import (
    FUNCTION,
    attributes_set,
    bound_by,
    called,
    calls_in,
    given,
    leave_out_failing,
    name_of,
    names_among,
    names_in,
    parameters,
)
from mllint_nan.syntax.traversal import defaults_of
from mllint_nan.syntax.value_flow_edges import CALLED

_KEPT_MOST: Final = 96
"""The most texts that are cached for other files that they may call."""
_BINDINGS_MOST: Final = 4
"""The most rounds in which assignments from a function's parameters are followed."""
_START: Final = re.compile(
    r"^(?![ \t\f\r\n#)\]}]|(?:else|elif|except|finally)\b|\"\"\"|''')", re.MULTILINE
)
"""Where a statement of the module may begin."""
_WORDS: Final = re.compile(r"[^\W\d]\w*")
_CALL: Final = re.compile(r"(?:\.\w+)?\(|\.__dict__\[")
_GIVEN: Final = re.compile(r"[ \t]*(?:[,)\]}\[:\n\r]|\Z)")
"""What follows a name that is called or passed, indexed, or iterated over."""
_LISTED: Final = re.compile(r"[ \t]*(?:[,\]}]|\n[ \t]*[\]}])")
"""What follows a class in a list or dictionary of classes."""
_DEFINITION: Final = re.compile(r"(?:@.*\n|\s)*(?:async\s+def|def|class)\s+(\w+)")
_COMPOUND: Final = re.compile(r"(?:if|for|with|try|while|match|async)\b")
_TELLING: Final = re.compile(
    r"_?(zeros|ones|full|eye|identity|rand|normal|uniform|arange|linspace|relu|soft|sigmoid|tanh"
    r"|exp|square|pow|abs|clamp|clip|max|min|amax|amin|norm|var|std|one_hot|bincount|hist|count"
    r"|erf|cosh|det|prod|cdist|pairwise|cos|sin|where|is|logical|half|bfloat|gumbel|ndtr"
    r"|to_categorical|array|asarray|tensor|as_tensor|constant|Variable|Parameter"
    r"|apply|vmap|filter_vmap|[A-Z])"
)
"""The methods and functions of frameworks whose results have a range of their own, and classes.

`apply` calls a module of Flax, and the result of `vmap` calls a model.
"""
_DISPLAYS: Final = (ast.List, ast.Tuple, ast.Dict)
_PLAIN: Final = frozenset(("int", "len", "list", "tuple", "range", "zip", "enumerate", "str"))
_IMPORT: Final = re.compile(r"(?:import|from)\b")


class Unparsable(Exception):
    """A piece of text that looked like a statement is none."""


class Chunk:
    """One or several statements of the module, parsed when first needed."""

    def __init__(self, text: str, row: int, nodes: list[ast.stmt] | None = None) -> None:
        """`row` is the number of rows above it."""
        self.text = text
        self._row = row
        self._nodes = nodes
        self._is_given = nodes is not None
        self._lowered: dict[bool, ir.Block] = {}
        self._used: dict[str, bool] = {}

    @cached_property
    def defines(self) -> str:
        """The name of the function or class that it defines, by the text."""
        found = _DEFINITION.match(self.text)
        return found[1] if found else ""

    @cached_property
    def is_import(self) -> bool:
        return _IMPORT.match(self.text) is not None

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(_WORDS.findall(self.text))

    def uses(self, names: Collection[str]) -> bool:
        """Whether one of the names is called, or a function of that name passed, by the text."""
        return any(map(self._is_used, self.words.intersection(names)))

    def _is_used(self, name: str) -> bool:
        found = self._used.get(name)
        if found is None:
            found = self._used[name] = _is_used(self.text, name)
        return found

    @cached_property
    def heads(self) -> frozenset[str]:
        """The names that it may bind or change, by the text."""
        if self.defines:
            return frozenset((self.defines,))
        if _COMPOUND.match(self.text):
            return frozenset(name for node in self.nodes for name in bound_by(node))
        first = re.split(r"[=(\n]", self.text, maxsplit=1)[0]
        return frozenset(_WORDS.findall(first))

    @property
    def nodes(self) -> list[ast.stmt]:
        """Its statements, without code that is meant to fail."""
        if self._nodes is None:
            above = "" if self.is_import else "\n" * self._row
            tree = tree_of(above + self.text)
            if tree is None:
                raise Unparsable
            leave_out_failing(tree, self.text)
            self._nodes = tree.body
        return self._nodes

    def lowered(self, *, is_evaluated: bool) -> ir.Block:
        """Its lowered statements; functions neither evaluated nor inlined are stubs."""
        found = self._lowered.get(is_evaluated)
        if found is None:
            found = self._lowered[is_evaluated] = tuple(
                statement
                for node in self.nodes
                for statement in _lowered(node, is_evaluated=is_evaluated)
            )
        return found

    @cached_property
    def around_methods(self) -> frozenset[str]:
        """The names in a class outside of its methods: in its bases and the rest of its body."""
        return frozenset(
            name
            for node in self.nodes
            if isinstance(node, ast.ClassDef)
            for item in (*node.bases, *node.body)
            if not isinstance(item, FUNCTION)
            for name in names_in(item)
        )

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        return tuple(self._found_parts())

    def _found_parts(self) -> Iterator[Part]:
        for node in self.nodes:
            if isinstance(node, ast.ClassDef):
                for item in node.body:
                    if isinstance(item, FUNCTION):
                        yield Part(self, f"{node.name}.{item.name}", item, self._text_of(item))
                    elif isinstance(item, (ast.Assign, ast.AnnAssign)):
                        yield Part(self, node.name, item, self.text)
                continue
            name = node.name if isinstance(node, FUNCTION) else ""
            yield Part(self, name, node, self.text)

    def _text_of(self, method: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
        """The rows of a method, or the whole text if they cannot be told apart."""
        if self._is_given or "\r" in self.text:
            return self.text
        first = next(iter(method.decorator_list), method).lineno
        rows = self._rows[first - 1 - self._row : (method.end_lineno or 0) - self._row]
        return "\n".join(rows)

    @cached_property
    def _rows(self) -> list[str]:
        return self.text.split("\n")


class Part:
    """A function, a method or a statement of the module; each answer is computed once."""

    def __init__(self, chunk: Chunk, definition: str, node: ast.stmt, text: str) -> None:
        """`text` contains everything that it names."""
        self.chunk = chunk
        self.definition = definition
        self.node = node
        self._text = text
        self._telling: dict[ast.expr, bool] = {}
        """By argument of a call: whether it is informative."""

    @cached_property
    def names(self) -> frozenset[str]:
        """Everything that it names, attributes by their own name."""
        return names_among(self._inside)

    @cached_property
    def _inside(self) -> tuple[ast.AST, ...]:
        """Its nodes, which each question goes through."""
        return tuple(nodes_in(self.node))

    def may_name(self, names: Collection[str]) -> bool:
        """Whether one of the names occurs in its text."""
        return any(name in self._text for name in names)

    def held(self, names: Collection[str]) -> frozenset[str]:
        """The names that it binds to one of `names` or to a result of one, such as an object."""
        found: set[str] = set()
        for inside, bound in self._bindings:
            if not inside.isdisjoint(names):
                found.update(bound)
        return frozenset(found)

    @cached_property
    def _bindings(self) -> tuple[tuple[frozenset[str], tuple[str, ...]], ...]:
        """For each assignment and loop: what its value is made of, and the names that it binds."""
        bindings = [
            (inside, (*bound_by(inner), *attributes_set(inner)))
            for inner in self._inside
            if (value := _bound_value(inner)) is not None
            if (inside := frozenset(_made_of(value)))
        ]
        if isinstance(self.node, FUNCTION):
            bindings += _defaults(self.node)
        return tuple(bindings)

    def keeps(self, held: Collection[str]) -> Collection[str]:
        """The names by which others find `held`: module variables, or the class of the body."""
        if not isinstance(self.node, (ast.Assign, ast.AnnAssign, ast.Expr)):
            return ()
        return held if not self.definition or not held else (self.definition,)

    def makes(self, names: AbstractSet[str]) -> bool:
        """Whether it is a function that returns one of `names`, or a result of one."""
        return isinstance(self.node, FUNCTION) and any(
            isinstance(inner, ast.Return)
            and inner.value is not None
            and not names.isdisjoint(_made_of(inner.value))
            for inner in self._inside
        )

    @cached_property
    def _calls(self) -> tuple[ast.Call, ...]:
        return tuple([inner for inner in self._inside if isinstance(inner, ast.Call)])

    @property
    def known_as(self) -> str:
        """The name by which a function is called: its class, if calling an object runs it."""
        owner, _, name = self.definition.rpartition(".")
        return owner if owner and (name in CALLED or self.is_hook) else name

    @property
    def is_hook(self) -> bool:
        """Whether it is a method that a trainer calls, with data and the results of a model."""
        owner, _, name = self.definition.rpartition(".")
        return bool(owner) and (name in HOOKS or name in STEPS_OF_MODELS)

    def calls(self, names: Collection[str]) -> bool:
        """Whether it calls one of `names`, with any arguments."""
        return any(called(call) in names for call in self._calls)

    @property
    def is_seen_outside(self) -> bool:
        """Whether other parts of the module see what it binds."""
        return not isinstance(self.node, FUNCTION) or "." in self.definition

    def uses(self, names: Collection[str], objects: Collection[str] = ()) -> bool:
        """Whether it passes an informative argument to one of `names`, or one of them to a call.

        A method's object counts as such an argument if the part, or the module in `objects`, makes
        it.
        """
        receivers = {*self.objects, *objects}.intersection(names)
        return any(
            _receiver(call) in receivers or any(map(self._tells, _handed(call, names)))
            for call in self._calls
        )

    @cached_property
    def objects(self) -> frozenset[str]:
        """The variables that hold results of calling classes, judging by the names."""
        return frozenset(
            name
            for inner in self._inside
            if isinstance(inner, ast.Assign) and isinstance(inner.value, ast.Call)
            if _is_class(called(inner.value))
            for name in bound_by(inner)
        )

    def gives(self, names: Collection[str]) -> frozenset[str]:
        """The names in the arguments that it passes to one of `names`."""
        return frozenset(
            name for call in self._calls for one in _handed(call, names) for name in names_in(one)
        )

    def _tells(self, node: ast.expr) -> bool:
        found = self._telling.get(node)
        if found is None:
            found = self._telling[node] = _is_told(node, self.told)
        return found

    @cached_property
    def told(self) -> frozenset[str]:
        """The variables that hold something informative, and the parameters of nested functions."""
        told: set[str] = set()
        for inner in self._inside:
            if isinstance(inner, (*FUNCTION, ast.Lambda)) and inner is not self.node:
                told.update(parameters(inner))
            if isinstance(inner, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.With)):
                bound = set(bound_by(inner)) - told
                if bound and _is_told(inner, told):
                    told |= bound
        return frozenset(told)

    def hands_on(self, names: Collection[str]) -> bool:
        """Whether it is a function that passes its own arguments on to one of `names`."""
        return not self._handing_on.isdisjoint(names)

    @cached_property
    def _handing_on(self) -> frozenset[str]:
        """The callees that get a value made of the parameters, and their other arguments."""
        if not isinstance(self.node, FUNCTION):
            return frozenset()
        made = set(parameters(self.node))
        bindings = [
            (_value_names(one), tuple(bound_by(one)))
            for one in self._inside
            if isinstance(one, (ast.Assign, ast.For))
        ]
        for _ in range(_BINDINGS_MOST):
            known = len(made)
            for named, bound in bindings:
                if not made.isdisjoint(named):
                    made.update(bound)
            if len(made) == known:
                break
        calls = [call for call in self._calls if any(names_in(one) & made for one in given(call))]
        beside = {name_of(one) for call in calls for one in given(call)}
        return frozenset(map(called, calls)) | beside.difference(made)


@lru_cache(_KEPT_MOST)
def chunks_of(text: str) -> tuple[Chunk, ...]:
    return tuple(_chunks(text))


def _chunks(text: str) -> Iterator[Chunk]:
    """Yield the statements of the module; a string over several rows is not divided."""
    starts = [found.start() for found in _START.finditer(text)]
    row, begin = 0, 0
    for end in (*starts[1:], len(text)):
        piece = text[begin:end]
        is_open = piece.count('"""') % 2 or piece.count("'''") % 2
        is_decorated = piece.startswith("@") and not _DEFINITION.match(piece)
        if (is_open or is_decorated) and end < len(text):
            continue
        yield Chunk(piece, row)
        row += piece.count("\n")
        begin = end


def _is_used(text: str, name: str) -> bool:
    """Whether a name is called in a text, or a function of that name passed."""
    place = text.find(name)
    while place >= 0:
        end = place + len(name)
        before = text[place - 1 : place]
        if before != "_" and not before.isalnum():
            is_defined = text.endswith(("def ", "class "), 0, place)
            if _CALL.match(text, end) and not is_defined:
                return True
            if _GIVEN.match(text, end) and (name.isupper() or not _is_class(name)):
                return True
            if _LISTED.match(text, end):
                return True
        place = text.find(name, end)
    return False


def _bound_value(node: ast.AST) -> ast.expr | None:
    """The value that an assignment or a loop binds, or whose elements it binds."""
    match node:
        case ast.Assign(_, value) | ast.AnnAssign(_, _, value):
            return value
        case ast.For(_, iterated) | ast.comprehension(_, iterated):
            return iterated
        case ast.Expr(ast.Call(ast.Attribute(_, name)) as call) if name in MUTATORS:
            return call
        case _:
            return None


def _made_of(value: ast.expr) -> Iterator[str]:
    """Yield `f` for `f`, `f(x)`, `partial(f, x)`, `f["a"]`, `[f]` and `f.values()`."""
    pending = [value]
    for call in calls_in(value):
        yield called(call)
        yield _receiver(call)
        for one in given(call):
            if isinstance(one, _DISPLAYS):
                pending.append(one)
            elif name_of(one):
                yield name_of(one)
        if isinstance(call.func, ast.Subscript):
            pending.append(call.func)
    while pending:
        match pending.pop():
            case ast.List(elements) | ast.Tuple(elements):
                pending += elements
            case ast.Dict(_, values):
                pending += values
            case ast.Subscript(container) | ast.Attribute(container, "__dict__"):
                pending.append(container)
            case inner:
                yield name_of(inner)


def _defaults(
    function: ast.FunctionDef | ast.AsyncFunctionDef,
) -> Iterator[tuple[frozenset[str], tuple[str, ...]]]:
    """Yield the names that parameters of a function are bound to by default."""
    for parameter, default in defaults_of(function.args):
        if isinstance(default, (ast.Name, ast.Attribute)):
            yield frozenset((name_of(default),)), (parameter,)


def _value_names(node: ast.Assign | ast.For) -> frozenset[str]:
    return names_in(node.value if isinstance(node, ast.Assign) else node.iter)


def _is_class(name: str) -> bool:
    return name.lstrip("_")[:1].isupper()


def _is_told(node: ast.AST, told: Collection[str]) -> bool:
    return any(_tells(inner, told) for inner in nodes_in(node))


def _tells(node: ast.AST, told: Collection[str]) -> bool:
    """Whether a part of an expression tells: it has a range, names a format, or is called."""
    match node:
        case ast.Name(name, ast.Load()):
            return name in told
        case ast.Call(ast.Name(name)):
            return name not in _PLAIN
        case ast.Call(ast.Attribute(ast.Name(owner), name)):
            is_made = owner == "self" or _is_class(owner)  # by the class, or by the object
            return is_made or _TELLING.match(name) is not None
        case ast.Call(ast.Attribute(_, name)):
            return _TELLING.match(name) is not None
        case ast.Constant("float16") | ast.Attribute(_, "float16" | "half"):
            return True
        case ast.Constant(value):
            return type(value) is float and value == 0
        case _:
            return isinstance(node, (ast.Compare, ast.Lambda))


def _handed(call: ast.Call, names: Collection[str]) -> Iterator[ast.expr]:
    """Yield the arguments of a call of one of `names`; or the call, if one is its argument."""
    if called(call) in names or _receiver(call) in names or _is_chosen(call.func, names):
        yield from given(call)
    elif any(_is_function_of(one, names) for one in given(call)):
        yield call


def _is_chosen(callee: ast.expr, names: Collection[str]) -> bool:
    """Whether the callee is looked up in one of `names`, or returned by one."""
    if isinstance(callee, (ast.Name, ast.Attribute)):
        return False
    return any(name in names for name in _made_of(callee))


def _is_function_of(node: ast.expr, names: Collection[str]) -> bool:
    """Whether a function of `names` is passed, a result of one, or an element of a container."""
    if name_of(node):
        return name_of(node) in names and not _is_class(name_of(node))
    return any(name in names for name in _made_of(node))


def _receiver(call: ast.Call) -> str:
    return name_of(call.func.value) if isinstance(call.func, ast.Attribute) else ""


def _lowered(node: ast.stmt, *, is_evaluated: bool) -> ir.Block:
    try:
        if isinstance(node, FUNCTION) and not is_evaluated and not may_be_seen_through(node):
            return (unseen(node),)
        return lower_calls(node)
    except RecursionError:
        return ()
