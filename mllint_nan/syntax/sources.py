"""The sources that a value in a text depends on, as far as gradients can flow to them.

Data end the search: numbers, arrays, whatever is read, drawn or detached. The sources left are
parameters of functions, attributes of `self` and results of functions in other files; anything else
is unknown.
"""

from __future__ import annotations

import ast
import builtins
from typing import Final, NamedTuple

from mllint_nan.frameworks import registry
from mllint_nan.frameworks.data import ARRAYS, DECODES, JOINS, PREPARES, REARRANGES, WRAPS
from mllint_nan.frameworks.differentiation import NOT_OF_ARGUMENTS
from mllint_nan.syntax.bindings import FUNCTIONS, Bindings, Function, own_returns, places_of
from mllint_nan.syntax.traversal import name_called
from mllint_nan.syntax.value_flow_calls import (
    NUMBERS,
    WITH_GRADIENTS,
    cuts,
    decorator_names,
)

_UNRECORDED: Final = frozenset(("no_grad", "inference_mode", "stop_recording"))
"""Contexts and decorators under which no operation is recorded for a gradient."""
_HANDS_ON: Final = ("torch.", "jax.")
"""Libraries whose lower-case functions contain nothing that is trained."""
_FED: Final = ("tensorflow.placeholder", "tensorflow.placeholder_with_default")
_TENSORS: Final = ("Tensor", "autograd.Variable")
_BY_KEY: Final = frozenset(("get", "pop", "setdefault", "__getitem__"))
_MAPS: Final = frozenset(("map", "filter", "apply", "interleave", "flat_map", "map_batches"))
_CREATES: Final = ("tensorflow.random.", "tensorflow.math.", "tensorflow.linalg.")
_PLAIN: Final = frozenset(
    (
        *("len", "int", "float", "str", "bool", "range", "isinstance", "print", "open", "hash"),
        *("ord", "chr", "id", "repr", "format", "input", "bytes", "any", "all", "round"),
    )
)
"""Functions of Python that return numbers and texts."""
_CONTAINS: Final = frozenset(
    (
        *("list", "tuple", "dict", "set", "frozenset", "zip", "enumerate", "sorted", "reversed"),
        *("sum", "min", "max", "abs", "iter", "next", "filter", "slice", "pow", "divmod"),
    )
)
"""Functions of Python that return what they are given."""
_OF_TENSORS: Final = frozenset(("T", "mT", "H", "mH", "real", "imag", "grad"))
_CONTAINERS: Final = ("list", "dict", "set", "defaultdict", "OrderedDict", "deque")
_OF_SHAPE: Final = frozenset(("shape", "dtype", "ndim", "device", "itemsize", "requires_grad"))
_MOST: Final = 400
"""The most expressions that are visited for one answer."""


class Parameter(NamedTuple):
    """A parameter of a function of the text."""

    function: Function
    name: str


class Kept(NamedTuple):
    """An attribute of the objects of a class of the text."""

    owner: ast.ClassDef
    name: str


class Result(NamedTuple):
    """The result of a function that another file defines."""

    path: str


class Method(NamedTuple):
    """The result of a method of a class of the text."""

    owner: ast.ClassDef
    name: str


class Field(NamedTuple):
    """An attribute or key of an object that is not `self`: others may set it."""

    name: str


class Shared(NamedTuple):
    """A list or the like in a variable of a module: others may put something into it."""

    name: str


class Loaded(NamedTuple):
    """An object that a loader or a data set yields."""


Source = Parameter | Kept | Result | Method | Field | Shared | Loaded


class Sources:
    """The sources of the values of one text."""

    def __init__(self, tree: ast.Module) -> None:
        self.bindings = Bindings(tree)

    def of(self, expression: ast.AST) -> frozenset[Source] | None:
        """What a value depends on, without data; `None` if that is unknown."""
        search = _Search(self.bindings)
        around = self.bindings.function_around(expression)
        while around is not None:  # callers of these functions ask for their arguments
            search.closed.add(around)
            around = self.bindings.function_around(around)
        return search.over([expression])

    def of_returned(self, function: Function) -> frozenset[Source] | None:
        """What the result of a function depends on besides its arguments; `None` if unknown."""
        search = _Search(self.bindings)
        search.functions.add(function)
        found = search.over(search.given_by(function))
        return (
            None if found is None else frozenset(one for one in found if not _is_own(one, function))
        )


def is_only_read(bindings: Bindings, node: ast.Name | ast.Attribute) -> bool:
    """Whether a list gets no other name at a node that reads it, and is not passed on."""
    return _Search(bindings).is_only_read(node)


def _is_of_others(path: str) -> bool:
    """Whether a qualified name is neither of a framework nor of a module that provides data."""
    root = path.partition(".")[0]
    if path.startswith(PREPARES) or root in ARRAYS or root in JOINS:
        return False
    return registry.framework_of(path) is None


def _is_own(source: Source, function: Function) -> bool:
    return isinstance(source, Parameter) and source.function is function


class _Search:
    def __init__(self, bindings: Bindings) -> None:
        self._bindings = bindings
        self.functions: set[ast.AST] = set()
        """Followed functions; their arguments are joined at the calls."""
        self.closed: set[ast.AST] = set()
        """Functions that are not followed, as they contain the value."""
        self._seen: set[ast.AST] = set()
        self._found: set[Source] = set()

    def over(self, values: list[ast.AST | None]) -> frozenset[Source] | None:
        pending = [*values]
        while pending:
            node = pending.pop()
            if node is None or len(self._seen) > _MOST:
                return None
            if node in self._seen:
                continue
            self._seen.add(node)
            further = self._below(node)
            if further is None:
                return None
            pending += further
        return frozenset(one for one in self._found if not self._is_given(one))

    def given_by(self, function: Function) -> list[ast.AST | None]:
        return [*own_returns(function), *places_of(function)[1].values()]

    def _is_given(self, source: Source) -> bool:
        """Whether it is a parameter whose arguments followed calls have added."""
        return isinstance(source, Parameter) and source.function in self.functions

    def _below(self, node: ast.AST) -> list[ast.AST | None] | None:
        """The expressions that a value is made of; `None` if they are unknown."""
        match node:
            case ast.Constant() | ast.JoinedStr() | ast.Compare() | ast.UnaryOp(ast.Not()):
                return []
            case ast.Name():
                return self._name(node)
            case ast.arg(name):
                function = self._bindings.parents.get(self._bindings.parents.get(node, node))
                if not isinstance(function, FUNCTIONS):
                    return None
                self._found.add(Parameter(function, name))
                return []
            case ast.Attribute():
                return self._attribute(node)
            case ast.Call():
                return self._call(node)
            case ast.IfExp(_, body, orelse):
                return [body, orelse]
            case ast.Subscript(value, ast.Constant(str(key))):
                self._found.add(Field(key))
                return [value]
            case ast.Subscript(value) | ast.Starred(value) | ast.NamedExpr(_, value):
                return [value]
            case ast.BinOp(left, _, right):
                return [left, right]
            case ast.UnaryOp(_, operand):
                return [operand]
            case ast.BoolOp(_, parts) | ast.Tuple(parts) | ast.List(parts) | ast.Set(parts):
                return [*parts]
            case ast.Dict(keys, parts):
                return [one for one in (*keys, *parts) if one is not None]
            case ast.ListComp(element) | ast.SetComp(element) | ast.GeneratorExp(element):
                return [element]
            case ast.DictComp(_, element):
                return [element]
            case _:
                return None

    def _name(self, node: ast.Name) -> list[ast.AST | None] | None:
        bound = self._bindings.of(node)
        if bound is None:
            return None
        if any(isinstance(one, (*FUNCTIONS, ast.ClassDef, ast.alias)) for one in bound):
            return None
        if any(map(holds_others, bound)):
            named = self._bindings.named.get(node.id, ())
            if not all(self.is_only_read(one) for one in named if isinstance(one, ast.Name)):
                return None
            if isinstance(self._bindings.scope_of(node), ast.Module):
                self._found.add(Shared(node.id))
        return bound

    def is_only_read(self, node: ast.Name | ast.Attribute) -> bool:
        """Whether nobody can put anything into a list under another name because of this use."""
        match self._bindings.parents[node]:
            case ast.Call(func, args) as call if node in args:
                is_plain = isinstance(func, ast.Name) and func.id in _PLAIN | _CONTAINS
                is_of_framework = registry.framework_of(self._path(func)) is not None
                return is_plain or is_of_framework or self._is_copied(call)
            case ast.Assign() | ast.AnnAssign() | ast.List() | ast.Tuple() | ast.Dict():
                return False
            case ast.keyword():
                return False
            case _:
                return True

    def _is_copied(self, call: ast.Call) -> bool:
        """Whether JAX traces the callee, which then gets copies of lists and dictionaries."""
        if isinstance(call.func, ast.Call):
            return self._path(call.func.func).startswith("jax.")
        function = self._own_function(call.func)
        decorators = function.decorator_list if function is not None else ()
        return any(self._path(one).startswith("jax.") for one in decorators)

    def _attribute(self, node: ast.Attribute) -> list[ast.AST | None] | None:
        if node.attr in _OF_SHAPE:
            return []
        path = self._path(node)
        if path:
            is_of_arrays = path.partition(".")[0] in ARRAYS
            return [] if is_of_arrays or registry.framework_of(path) is not None else None
        match node.value:
            case ast.Name("self"):
                function = self._bindings.function_around(node)
                owner = self._bindings.class_around(function)
                if owner is None:
                    return None
                self._found.add(Kept(owner, node.attr))
                return []
            case value:
                if node.attr not in _OF_TENSORS:
                    self._found.add(Field(node.attr))
                return [value]

    # Calls

    def _call(self, node: ast.Call) -> list[ast.AST | None] | None:
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        name = name_called(node)
        flags = (one.value for one in node.keywords if one.arg == "requires_grad")
        if name == "requires_grad_" or any(not _is_off(one) for one in flags):
            return None
        own = self._own_function(node.func)
        if own is not None:
            return self._seen_through(own, given)
        path = self._path(node.func)
        functions = [] if path else self._functions_named(node.func)
        if functions:
            return self._of_one_of(functions, given)
        if path and _is_of_others(path):
            return self._of_others(path, given)
        if name in NUMBERS or cuts(node, name) or self._is_without_gradient(node):
            return []
        if path:
            return self._of_library(path, given)
        match node.func:
            case ast.Name(name) if self._bindings.of(node.func) is None:
                return self._of_python(name, given)
            case ast.Attribute(ast.Name("self"), method):
                owner = self._bindings.class_around(self._bindings.function_around(node))
                if owner is None:
                    return None
                self._found.add(Method(owner, method))
                return [*given]
            case ast.Attribute(value, method):
                match given[:1]:
                    case [ast.Constant(str(key))] if method in _BY_KEY:
                        self._found.add(Field(key))
                return [value, *(one for one in given if not self._is_mapped(one, method))]
            case _:
                return None

    def _is_mapped(self, given: ast.expr, method: str) -> bool:
        """Whether it is a function by which a table or a data set prepares its elements."""
        if method not in _MAPS:
            return False
        bound = self._bindings.of(given) if isinstance(given, ast.Name) else [given]
        return bool(bound) and all(isinstance(one, FUNCTIONS) for one in bound or ())

    def _own_function(self, callee: ast.expr) -> ast.FunctionDef | None:
        """The function of the text that the callee names, if the name has no other binding."""
        bound = self._bindings.of(callee) if isinstance(callee, ast.Name) else None
        only = bound[0] if bound is not None and len(bound) == 1 else None
        return only if isinstance(only, ast.FunctionDef) else None

    def _seen_through(
        self, function: ast.FunctionDef, given: list[ast.expr]
    ) -> list[ast.AST | None] | None:
        if function in self.functions:
            return [*given]
        if function in self.closed:
            return None
        if decorator_names(function) & _UNRECORDED:
            return []
        if function.decorator_list:
            return None
        self.functions.add(function)
        return [*given, *self.given_by(function)]

    def _of_others(self, path: str, given: list[ast.expr]) -> list[ast.AST | None] | None:
        """What a call into another file, or into a library without a table, depends on."""
        if not path.rpartition(".")[2][:1].islower():
            return None
        self._found.add(Result(path))
        return [*given]

    def _of_library(self, path: str, given: list[ast.expr]) -> list[ast.AST | None] | None:
        root, name = path.partition(".")[0], path.rpartition(".")[2]
        if name in WRAPS or root in JOINS:
            return [*given]
        if path.startswith(DECODES):
            return []
        if path.startswith(REARRANGES) and name[:1].islower() and given:
            return [*given]
        if path.startswith(PREPARES):
            self._found.add(Loaded())
            return []
        if root in ARRAYS or path in _FED:
            return []
        if name in NOT_OF_ARGUMENTS:
            return None
        is_small = name[:1].islower()
        is_known = is_small and bool(registry.functions(path) or path.startswith(_CREATES))
        is_handed_on = path.startswith(_HANDS_ON) and (is_small or path.endswith(_TENSORS))
        return [*given] if is_known or is_handed_on else None

    def _functions_named(self, callee: ast.expr) -> list[str]:
        """The functions of libraries of which a variable holds one; none if it may hold another."""
        bound = self._bindings.of(callee) if isinstance(callee, ast.Name) else None
        found = [self._path(one) if isinstance(one, ast.Attribute) else "" for one in bound or ()]
        is_known = all(path and not _is_of_others(path) for path in found)
        return found if is_known else []

    def _of_one_of(self, paths: list[str], given: list[ast.expr]) -> list[ast.AST | None] | None:
        further: list[ast.AST | None] = []
        for path in paths:
            found = self._of_library(path, given)
            if found is None:
                return None
            further += found
        return further

    def _of_python(self, name: str, given: list[ast.expr]) -> list[ast.AST | None] | None:
        if self._bindings.has_stars or not hasattr(builtins, name):
            return None
        if name in _PLAIN:
            return []
        return [*given] if name in _CONTAINS else None

    def _is_without_gradient(self, node: ast.Call) -> bool:
        """Whether the call computes something under `no_grad` within its function."""
        if not node.args or not name_called(node)[:1].islower():
            return False  # an object made there may be trained elsewhere
        around: ast.AST | None = node
        while around is not None and not isinstance(around, FUNCTIONS):
            items = around.items if isinstance(around, ast.With) else ()
            entered = {name_called(item.context_expr) for item in items}
            if entered & (_UNRECORDED | WITH_GRADIENTS):
                return not entered & WITH_GRADIENTS
            around = self._bindings.parents.get(around)
        if not isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return False
        return bool(decorator_names(around) & _UNRECORDED)

    def _path(self, node: ast.expr) -> str:
        return path_of(self._bindings, node)


def path_of(bindings: Bindings, node: ast.expr) -> str:
    """The qualified name of something imported, with leading dots if it is relative; else empty."""
    match node:
        case ast.Attribute(value, name):
            path = path_of(bindings, value)
            return f"{path}.{name}" if path else ""
        case ast.Name():
            bound = bindings.of(node) or []
            paths = {_imported(bindings, one) for one in bound}
            return registry.canonical_path(paths.pop()) if len(paths) == 1 else ""
        case _:
            return ""


def _imported(bindings: Bindings, bound: ast.AST | None) -> str:
    if not isinstance(bound, ast.alias):
        return ""
    match bindings.parents[bound]:
        case ast.ImportFrom(module, _, level):
            return (
                f"{'.' * level}{module or ''}.{bound.name}"
                if module
                else f"{'.' * level}{bound.name}"
            )
        case _:
            return bound.name if bound.asname else bound.name.partition(".")[0]


def _is_off(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not node.value


def holds_others(bound: ast.AST | None) -> bool:
    """Whether it is a list, a dictionary or the like, into which others may put something."""
    match bound:
        case ast.List() | ast.Dict() | ast.Set() | ast.ListComp() | ast.DictComp() | ast.SetComp():
            return True
        case ast.Call():
            return name_called(bound) in _CONTAINERS
        case _:
            return False
