"""What a text does with objects of a class, by the names they have: whether it calls them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

from mllint_nan.syntax.value_flow_edges import CALLED, last_name

_HANDS_BACK: Final = frozenset(
    ("to", "cuda", "cpu", "eval", "train", "half", "float", "double", "requires_grad_")
)
"""Methods of a module that return the module itself."""
_KEEPS: Final = frozenset(
    (
        *("parameters", "named_parameters", "buffers", "state_dict", "load_state_dict"),
        *("modules", "children", "named_modules", "zero_grad", "apply", "register_buffer"),
    )
)
"""Methods of a module that compute nothing from their arguments."""
_LOOKS: Final = frozenset(("isinstance", "issubclass", "super", "hasattr", "type"))

Parents: TypeAlias = Mapping[ast.AST, ast.AST]


class Holder(NamedTuple):
    """A name that an object is bound to; `owner` is the class if it is an attribute of `self`."""

    name: str
    owner: str


class Given(NamedTuple):
    """An argument of a call, by its position or its keyword."""

    called: str
    """What is called, as it is written; of an expression, its last name."""
    parameter: str


class Uses(NamedTuple):
    """What a text does with the objects of a class."""

    holders: frozenset[Holder]
    given: frozenset[Given]
    """The calls that objects are passed to."""
    is_made: bool
    is_called: bool
    """Whether one is called, where that is allowed."""


class _Unseen(Exception):
    """An object goes where it is not visible."""


class ObjectUses:
    """The uses of the objects of a class in one text."""

    def __init__(self, tree: ast.Module, name: str) -> None:
        self._parents = {
            child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)
        }
        self._name = name

    def of(
        self,
        held: Mapping[str, Collection[str]],
        is_allowed: Callable[[ast.AST, Parents], bool] | None = None,
    ) -> Uses | None:
        """The uses of the objects; `None` if one may be called, or goes where it is not visible.

        `held` maps the names that the objects are known to have to the classes whose attributes
        they are, or to none if they may belong to any object. With `is_allowed`, objects and their
        methods may be called where that holds, and nowhere else.
        """
        found: set[Holder] = set()
        given: set[Given] = set()
        is_made = is_called = False
        try:
            for node in self._parents:
                name = _name(node)
                if not (name == self._name or name in held) or not _is_read(node):
                    continue
                made: ast.AST = node
                parent = self._parents[node]
                if name == self._name and isinstance(parent, ast.Call) and parent.func is node:
                    made, is_made = parent, True
                elif name == self._name and not self._is_looked_at(node):
                    return None
                elif name not in held or not self._may_be(node, held[name]):
                    continue
                call = self._call_of(made, any_method=is_allowed is not None)
                argument = self._given(made) if call is None else None
                if argument is not None:
                    given.add(argument)
                elif call is None:
                    found.update(self._holders(made))
                elif is_allowed is None or not is_allowed(call, self._parents):
                    return None
                else:
                    is_called = True
        except _Unseen:
            return None
        return Uses(frozenset(found), frozenset(given), is_made, is_called)

    def _may_be(self, node: ast.AST, owners: Collection[str]) -> bool:
        """Whether the attribute may belong to an object of these classes."""
        if not owners or not _is_of_self(node):
            return True
        return self._class_around(node) in owners

    def _class_around(self, node: ast.AST) -> str:
        around = self._parents.get(node)
        while around is not None and not isinstance(around, ast.ClassDef):
            around = self._parents.get(around)
        return around.name if around is not None else ""

    def _call_of(self, made: ast.AST, *, any_method: bool) -> ast.AST | None:
        """The call of an object, or of a method of it that computes; `None` if there is none."""
        parent = self._parents[made]
        match parent:
            case ast.Call(function) if function is made:
                return parent
            case ast.Attribute(value, method) if value is made:
                call = self._parents[parent]
                is_called = isinstance(call, ast.Call) and call.func is parent
                computes = any_method and is_called and method not in _HANDS_BACK | _KEEPS
                return call if method in CALLED or computes else None
            case _:
                return None

    def _given(self, made: ast.AST) -> Given | None:
        """The call that an object is passed to at its place, unless that only looks at it."""
        if self._is_looked_at(made):
            return None
        match self._parents[made]:
            case ast.Call(function, arguments) if made in arguments:
                before = arguments[: arguments.index(made)]
                is_counted = not any(isinstance(one, ast.Starred) for one in before)
                called = _written(function)
                return Given(called, str(len(before))) if called and is_counted else None
            case ast.keyword(str(name)) as keyword:
                call = self._parents[keyword]
                called = _written(call.func) if isinstance(call, ast.Call) else ""
                return Given(called, name) if called else None
            case _:
                return None

    def _holders(self, made: ast.AST) -> Iterator[Holder]:
        """Yield the names that an object is bound to at its place; raises `_Unseen`."""
        parent = self._parents[made]
        match parent:
            case ast.Attribute(value, method) if value is made:
                call = self._parents[parent]
                if method in _HANDS_BACK and isinstance(call, ast.Call) and call.func is parent:
                    yield from self._holders(call)
            case ast.Assign(targets, value) if value is made:
                for target in targets:
                    yield self._holder(target)
            case ast.AnnAssign(target, _, value) if value is made:
                yield self._holder(target)
            case ast.Expr():
                pass
            case _ if not self._is_looked_at(made):
                raise _Unseen

    def _holder(self, target: ast.expr) -> Holder:
        name = _name(target)
        if not name:
            raise _Unseen
        return Holder(name, self._class_around(target) if _is_of_self(target) else "")

    def _is_looked_at(self, node: ast.AST) -> bool:
        """Whether it is in an annotation, a comparison, or in `isinstance(x, Class)`."""
        parent = self._parents[node]
        match parent:
            case ast.Call(function):
                return last_name(_name(function)) in _LOOKS
            case ast.arg() | ast.Compare():
                return True
            case ast.AnnAssign(_, annotation):
                return annotation is node
            case ast.FunctionDef(returns=returns):
                return returns is node
            case ast.BinOp(_, ast.BitOr()) | ast.Subscript() | ast.Tuple():
                return self._is_looked_at(parent)
            case _:
                return False


def _name(node: ast.AST) -> str:
    match node:
        case ast.Name(name) | ast.Attribute(_, name):
            return name
        case _:
            return ""


def _written(node: ast.AST) -> str:
    """A dotted name as it is written; `.name` for the attribute of an expression."""
    match node:
        case ast.Name(name):
            return name
        case ast.Attribute(value, name):
            return f"{_written(value)}.{name}"
        case _:
            return ""


def _is_read(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Load)


def _is_of_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and _name(node.value) == "self"
