"""What the names in a text are bound to, by scope, and what is put into the objects they hold."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from mllint_nan.syntax.traversal import defaults_of, parameters_of

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Bound = ast.AST | None
"""An expression, definition, parameter (`ast.arg`) or import (`ast.alias`); `None` if unknown."""

FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS: Final = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_PUTS: Final = frozenset(
    (
        *("append", "appendleft", "extend", "extendleft", "insert", "add", "update", "put"),
        *("setdefault", "push", "set", "copyto"),
    )
)
"""Methods that put their arguments into their object, besides those whose names end in `_`."""
_FLAG: Final = "requires_grad"


class Bindings:
    """The bindings of one module; what is put into a name counts in every scope of the text."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.parents: dict[ast.AST, ast.AST] = {}
        self.named: dict[str, list[ast.Name | ast.Attribute]] = {}
        """By word: the nodes that read it, as a name or an attribute."""
        self.texts: list[ast.Constant] = []
        self.imports: list[ast.alias] = []
        self.has_stars = False
        """Whether it imports all names of some module."""
        self._scopes: dict[ast.AST, ast.AST] = {}
        """By name node: the scope in which it is looked up; by scope: the one around it."""
        self._bound: dict[ast.AST, dict[str, list[Bound]]] = {tree: {}}
        self._put: dict[str, list[Bound]] = {}
        self._kept: dict[tuple[ast.AST, str], list[Bound]] = {}
        self._outer: dict[ast.AST, set[str]] = {}
        """By scope: the names that it declares `global` or `nonlocal`."""
        self._read()

    def of(self, name: ast.Name) -> list[Bound] | None:
        """Everything that a name may be at its place, with what is put into it.

        `None` if the text does not bind the name.
        """
        made = self.made(name)
        return [*made, *self._put.get(name.id, ())] if made is not None else None

    def made(self, name: ast.Name) -> list[Bound] | None:
        """Everything that the name is bound to; `None` if the text does not bind it."""
        scope = self.scope_of(name)
        return self._bound[scope][name.id] if scope is not None else None

    def scope_of(self, name: ast.Name) -> ast.AST | None:
        """The scope that binds a name: the module, a function, a class, a comprehension."""
        scope: ast.AST | None = self._scopes.get(name)
        while scope is not None:
            if name.id in self._bound[scope] and not self._is_hidden(scope, name):
                return scope
            scope = self._scopes.get(scope)
        return None

    def kept(self, owner: ast.AST, attribute: str) -> list[Bound]:
        """Everything that a class and its methods assign to an attribute of `self`, or put in."""
        of_class = self._bound.get(owner, {}).get(attribute, ())
        return [*self._kept.get((owner, attribute), ()), *of_class]

    def function_around(self, node: ast.AST) -> Function | None:
        """The innermost function that contains a node."""
        around = self.parents.get(node)
        while around is not None and not isinstance(around, FUNCTIONS):
            around = self.parents.get(around)
        return around if isinstance(around, FUNCTIONS) else None

    def class_around(self, function: ast.AST | None) -> ast.ClassDef | None:
        """The class of which a function, or a function around it, is a method."""
        while function is not None:
            outer = self.parents.get(function)
            if isinstance(outer, ast.ClassDef):
                return outer
            function = self.function_around(function)
        return None

    def _is_hidden(self, scope: ast.AST, name: ast.Name) -> bool:
        """Whether a class binds the name, which its methods do not see."""
        return isinstance(scope, ast.ClassDef) and self._scopes.get(name) is not scope

    # Reading

    def _read(self) -> None:
        pending: list[tuple[ast.AST, ast.AST]] = [(one, self.tree) for one in self.tree.body]
        self.parents.update(dict.fromkeys(self.tree.body, self.tree))
        while pending:
            node, scope = pending.pop()
            self._node(node, scope)
            for child, inner in self._children(node, scope):
                self.parents[child] = node
                if inner is not scope and inner not in self._bound:
                    self._enter(inner, scope)
                pending.append((child, inner))
        for scope, names in self._outer.items():  # not bound there, but in a scope around it
            for name in names & self._bound[scope].keys():
                self._put.setdefault(name, []).extend(self._bound[scope].pop(name))

    def _children(self, node: ast.AST, scope: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
        """Yield the nodes in a node, each with the scope in which its names are looked up."""
        for child in ast.iter_child_nodes(node):
            match node:
                case ast.Lambda(body=body):
                    yield child, node if child is body else scope
                case ast.FunctionDef(body=body) | ast.AsyncFunctionDef(body=body):
                    yield child, node if any(child is one for one in body) else scope
                case ast.ClassDef(body=body):
                    yield child, node if any(child is one for one in body) else scope
                case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                    yield child, node
                case ast.comprehension(iter=iterated) if child is iterated and _is_first(
                    node, scope
                ):
                    yield child, self._scopes[scope]  # it is evaluated in the outer scope
                case _:
                    yield child, scope

    def _enter(self, scope: ast.AST, outer: ast.AST) -> None:
        self._scopes[scope] = outer
        bound = self._bound[scope] = {}
        if isinstance(scope, FUNCTIONS):
            given = scope.args
            several = (given.vararg, given.kwarg)
            for one in (*given.posonlyargs, *given.args, *given.kwonlyargs):
                bound[one.arg] = [one]
            bound.update({one.arg: [None] for one in several if one is not None})
        elif isinstance(scope, COMPREHENSIONS):
            for generator in scope.generators:
                self._bind(generator.target, generator.iter, scope)

    def _node(self, node: ast.AST, scope: ast.AST) -> None:
        match node:
            case ast.Name(name):
                self._scopes[node] = scope
                if isinstance(node.ctx, ast.Load):
                    self.named.setdefault(name, []).append(node)
            case ast.Attribute(_, name, ast.Load()):
                self.named.setdefault(name, []).append(node)
            case ast.Constant(str()):
                self.texts.append(node)
            case ast.Assign(targets, value):
                for target in targets:
                    self._bind(target, value, scope)
            case ast.AnnAssign(target, _, value) if value is not None:
                self._bind(target, value, scope)
            case ast.AugAssign(target, _, value):
                self._bind(target, value, scope)
            case ast.NamedExpr(target, value):
                self._bind(target, value, self._without_comprehensions(scope))
            case ast.For(target, value) | ast.AsyncFor(target, value):
                self._bind(target, value, scope)
            case ast.withitem(value, target) if target is not None:
                self._bind(target, value, scope)
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                self._note(scope, name, node)
            case ast.Import(names) | ast.ImportFrom(names=names):
                self.imports += names
                for one in names:
                    self.has_stars = self.has_stars or one.name == "*"
                    self._note(scope, (one.asname or one.name).partition(".")[0], one)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                self._note(scope, name, None)
            case ast.MatchStar(str(name)) | ast.MatchMapping(rest=str(name)):
                self._note(scope, name, None)
            case ast.Global(names) | ast.Nonlocal(names):
                self._outer.setdefault(scope, set()).update(names)
            case ast.Call():
                self._call(node, scope)

    def _call(self, node: ast.Call, scope: ast.AST) -> None:
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        for keyword in node.keywords:
            if keyword.arg == "out":
                self._bind_part(keyword.value, None, scope)
        match node:
            case ast.Call(ast.Attribute(value, "requires_grad_")):
                is_off = any(isinstance(one, ast.Constant) and one.value is False for one in given)
                self._bind_part(value, given[0] if is_off else None, scope)
            case ast.Call(ast.Attribute(ast.Name("self"), "register_buffer"), [named, value, *_]):
                if isinstance(named, ast.Constant):
                    self._keep(scope, str(named.value), value)
            case ast.Call(ast.Attribute(_, "watch"), watched):
                for one in watched:
                    self._bind_part(one, None, scope)
            case ast.Call(ast.Attribute(value, name)) if puts(name):
                for one in given:
                    self._bind_part(value, one, scope)

    def _bind(self, target: ast.expr, value: Bound, scope: ast.AST) -> None:
        match target, value:
            case ast.Name(name), _:
                self._note(scope, name, value)
            case ast.Starred(inner), _:
                self._bind(inner, value, scope)
            case ((ast.Tuple(parts) | ast.List(parts)), _):
                for part, of in zip(parts, _parts(parts, value), strict=True):
                    self._bind(part, of, scope)
            case ast.Attribute(ast.Name("self"), name), _:
                self._keep(scope, name, value)
            case _:
                self._bind_part(target, value, scope)

    def _bind_part(self, target: ast.expr, value: Bound, scope: ast.AST) -> None:
        """Record what is put into a part of an object as put into the whole."""
        is_flag = isinstance(target, ast.Attribute) and target.attr == _FLAG
        if is_flag:
            is_off = isinstance(value, ast.Constant) and value.value is False
            value = value if is_off else None
        while isinstance(target, (ast.Attribute, ast.Subscript, ast.Starred, ast.Call)):
            match target:
                case ast.Attribute(ast.Name("self"), name) if name != _FLAG:
                    self._keep(scope, name, value)
                    return
                case ast.Call(inner) | ast.Attribute(inner) | ast.Subscript(inner):
                    target = inner
                case ast.Starred(inner):
                    target = inner
        if isinstance(target, ast.Name):
            self._put.setdefault(target.id, []).append(value)

    def _keep(self, scope: ast.AST, name: str, value: Bound) -> None:
        function = scope if isinstance(scope, FUNCTIONS) else self.function_around(scope)
        owner = self.class_around(function)
        if owner is not None:
            self._kept.setdefault((owner, name), []).append(value)

    def _note(self, scope: ast.AST, name: str, value: Bound) -> None:
        self._bound[scope].setdefault(name, []).append(value)

    def _without_comprehensions(self, scope: ast.AST) -> ast.AST:
        while isinstance(scope, COMPREHENSIONS):
            scope = self._scopes[scope]
        return scope


def _is_first(generator: ast.comprehension, scope: ast.AST) -> bool:
    return isinstance(scope, COMPREHENSIONS) and scope.generators[0] is generator


def puts(name: str) -> bool:
    """Whether a method of this name puts its arguments into its object."""
    return name in _PUTS or (name.endswith("_") and not name.startswith("_"))


def _parts(targets: list[ast.expr], value: Bound) -> list[Bound]:
    """For each of several targets: its own element if that is visible, else the whole value."""
    if not isinstance(value, (ast.Tuple, ast.List)):
        return [value] * len(targets)
    is_as_long = len(value.elts) == len(targets)
    if not is_as_long or any(isinstance(one, ast.Starred) for one in (*targets, *value.elts)):
        return [value] * len(targets)
    return [*value.elts]


def own_returns(function: Function) -> Iterator[ast.expr]:
    """Yield what a function returns or yields, without functions nested in it."""
    if isinstance(function, ast.Lambda):
        yield function.body
        return
    pending: list[ast.AST] = [*function.body]
    while pending:
        node = pending.pop()
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            continue
        if isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom)) and node.value is not None:
            yield node.value
        pending += ast.iter_child_nodes(node)


def places_of(function: Function) -> tuple[list[str], dict[str, ast.expr]]:
    """The parameters that may be passed by position, and the defaults of all parameters."""
    given = function.args
    names = [one.arg for one in (*given.posonlyargs, *given.args)]
    return names, dict(defaults_of(given))


def has_parameter(function: Function, name: str) -> bool:
    if isinstance(function, ast.Lambda):
        return any(one.arg == name for one in ast.walk(function.args) if isinstance(one, ast.arg))
    return name in parameters_of(function)


def function_in(bindings: Bindings, name: str) -> Function | None:
    """The only function of a dotted name, which may be a method or nested in other functions."""
    found: list[ast.AST] = [bindings.tree]
    for part in name.split("."):
        found = [
            one
            for one in bindings.parents
            if getattr(one, "name", "") == part
            and isinstance(one, (*FUNCTIONS, ast.ClassDef))
            and any(_scope_around(bindings, one) is outer for outer in found)
        ]
    only = found[0] if len(found) == 1 else None
    return only if isinstance(only, FUNCTIONS) else None


def _scope_around(bindings: Bindings, node: ast.AST) -> ast.AST | None:
    around = bindings.parents.get(node)
    while around is not None and not isinstance(around, (*FUNCTIONS, ast.ClassDef, ast.Module)):
        around = bindings.parents.get(around)
    return around
