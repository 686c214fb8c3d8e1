"""Where the objects of a class are called: each is followed from where it is made.

It is followed through variables, attributes, arguments, results and wrappers of models. Any other
use may call it with anything.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from mllint_nan.graph_places import Place, ProjectPlaces, sources_of
from mllint_nan.packages import module_of
from mllint_nan.project_files import SourceFile
from mllint_nan.surroundings import Surroundings
from mllint_nan.syntax.bindings import FUNCTIONS, Function, places_of
from mllint_nan.syntax.sources import path_of
from mllint_nan.syntax.traversal import name_called
from mllint_nan.syntax.value_flow_edges import CALLED

_PLACES_MOST: Final = 200
"""The most places at which the objects of one class are followed."""
_HANDS_BACK: Final = frozenset(
    (
        *("to", "cuda", "cpu", "eval", "train", "half", "float", "double", "bfloat16", "apply"),
        *("requires_grad_", "share_memory", "type"),
    )
)
"""Methods of a module that return the module itself."""
_WRAPS: Final = frozenset(
    ("DataParallel", "DistributedDataParallel", "DDP", "compile", "prepare", "script", "deepcopy")
)
"""Functions that return a module which is called like their argument, alone or with others."""
_LOOKS: Final = frozenset(
    (
        *("print", "isinstance", "issubclass", "len", "type", "id", "repr", "str", "hasattr"),
        *("save", "super", "summary", "callable"),
    )
)
"""Functions that call none of their arguments."""
_CALLS_ALONE: Final = re.compile(
    r"^(object|builtins\.object|torch\.nn\.(modules\.(module\.)?)?Module)$|LightningModule$"
    r"|^(tensorflow\.)?keras\.(models\.|layers\.)?(Model|Layer)$"
)
"""Bases that run an object only when it is called, or with batches of data."""
_TRAINERS: Final = ("transformers.", "lightning.", "pytorch_lightning.")
"""Libraries whose trainers call a model with batches of data."""


class ProjectObjectCalls(ProjectPlaces):
    """The calls of objects in some files of a project."""

    def _calls_of_objects(
        self, file: SourceFile, owner: ast.ClassDef, surroundings: Surroundings
    ) -> Iterator[Place | None]:
        """Yield all calls of the objects of a class; `None` for what is not visible."""
        path = f"{module_of(file.file)}.{owner.name}"
        text = sources_of(file)
        is_of_module = text is not None and isinstance(text.bindings.parents.get(owner), ast.Module)
        is_plain = is_of_module and not owner.decorator_list and self._heirs(path) == []
        is_plain = is_plain and all(map(_CALLS_ALONE.search, self._bases(path)))
        if not is_plain or not self._is_closed(path, file, surroundings):
            yield None
            return
        pending: list[Place | None] = [*self._within(file, owner)]
        for place in self._places_of(path, owner.name, surroundings):
            if place is None or not is_looked_at(place):
                pending.append(_made_at(place))
        seen = set[Place]()
        while pending:
            place = pending.pop()
            if place is None or len(seen) > _PLACES_MOST:
                yield None
                return
            if place in seen:
                continue
            seen.add(place)
            for called, further in self._used(place, surroundings):
                if called is not None:
                    yield called
                else:
                    pending.append(further)

    def _within(self, file: SourceFile, owner: ast.ClassDef) -> Iterator[Place]:
        """Yield the places where the class's own methods name the object: `self`."""
        text = sources_of(file)
        assert text is not None
        for node in text.bindings.named.get("self", ()):
            around = text.bindings.class_around(text.bindings.function_around(node))
            if isinstance(node, ast.Name) and around is owner:
                yield Place(file, node)

    def _used(
        self, place: Place, surroundings: Surroundings
    ) -> Iterator[tuple[Place | None, Place | None]]:
        """Yield a call of the object at a place, or the next place that it goes to.

        A pair of two `None` stands for what is not visible.
        """
        file, node = place
        parent = place.parent
        match parent:
            case ast.Call(func) if func is node:
                yield Place(file, parent), None
            case ast.Attribute(_, name):
                yield from self._attribute(Place(file, parent), name)
            case ast.Call():
                yield from ((None, one) for one in self._given_at(place, parent, "", surroundings))
            case ast.keyword(name, _):
                call = place.bindings.parents.get(parent)
                given = self._given_at(place, call, name or "*", surroundings)
                yield from ((None, one) for one in given)
            case ast.Assign(targets, value) if value is node:
                for target in targets:
                    yield from ((None, one) for one in self._bound(file, target))
            case ast.AnnAssign(target, _, value) if value is node:
                yield from ((None, one) for one in self._bound(file, target))
            case ast.Return():
                yield from ((None, one) for one in self._returned(place, surroundings))
            case ast.Tuple() | ast.IfExp() | ast.Subscript():
                yield None, Place(file, parent)
            case ast.Expr() | ast.Compare() | ast.If() | ast.UnaryOp() | ast.Delete():
                pass
            case _:
                yield None, None

    def _attribute(self, place: Place, name: str) -> Iterator[tuple[Place | None, Place | None]]:
        call = place.parent
        is_called = isinstance(call, ast.Call) and call.func is place.node
        if name in CALLED or name == "forward":
            yield (
                (Place(place.file, call), None) if call is not None and is_called else (None, None)
            )
        elif name in _HANDS_BACK and is_called and call is not None:
            yield None, Place(place.file, call)
        elif name == "module":
            yield None, place

    def _bound(self, file: SourceFile, target: ast.expr) -> Iterator[Place | None]:
        """Yield the places where a target of an assignment is read."""
        text = sources_of(file)
        assert text is not None
        bindings = text.bindings
        match target:
            case ast.Name(name):
                scope = bindings.scope_of(target)
                if isinstance(scope, ast.Module) and self._is_imported(file, name):
                    yield None
                for node in bindings.named.get(name, ()):
                    if isinstance(node, ast.Name) and bindings.scope_of(node) is scope:
                        yield Place(file, node)
            case ast.Tuple(parts) | ast.List(parts):
                for part in parts:
                    yield from self._bound(file, part)
            case ast.Attribute(_, name):
                yield from self._read_anywhere(name)
            case _:
                yield None

    def _is_imported(self, file: SourceFile, name: str) -> bool:
        for one in self._holding(name):
            text = sources_of(one) if one != file else None
            if one != file and (
                text is None or any(node.name in (name, "*") for node in text.bindings.imports)
            ):
                return True
        return False

    def _read_anywhere(self, name: str) -> Iterator[Place | None]:
        """Yield the places where an attribute of this name is read, on any object."""
        files = self._holding(name)
        if len(files) > _PLACES_MOST // 8:
            yield None
            return
        for one in files:
            text = sources_of(one)
            if text is None:
                yield None
                return
            for node in text.bindings.named.get(name, ()):
                if isinstance(node, ast.Attribute):
                    yield Place(one, node)

    # Arguments and results

    def _given_at(
        self, place: Place, call: ast.AST | None, keyword: str, surroundings: Surroundings
    ) -> Iterator[Place | None]:
        """Yield the places that an object goes to as an argument of a call."""
        if not isinstance(call, ast.Call) or keyword == "*":
            yield None
            return
        path, name = path_of(place.bindings, call.func), name_called(call)
        if name in _LOOKS or path.startswith(_TRAINERS) or _is_of_trainer(place, call):
            return
        if name in _WRAPS:
            yield Place(place.file, call)
            return
        found = self._function_called(place, call, path)
        if found is None:
            yield None
            return
        file, function = found
        names = places_of(function)[0]
        names = names[1:] if names[:1] == ["self"] else names
        position = next((i for i, one in enumerate(call.args) if one is place.node), len(names))
        given = keyword or (names[position] if position < len(names) else "")
        text = sources_of(file)
        if not given or text is None or any(isinstance(one, ast.Starred) for one in call.args):
            yield None
            return
        for node in text.bindings.named.get(given, ()):
            bound = text.bindings.made(node) if isinstance(node, ast.Name) else None
            if any(_is_parameter(text.bindings.parents, one, function) for one in bound or ()):
                yield Place(file, node)

    def _function_called(
        self, place: Place, call: ast.Call, path: str
    ) -> tuple[SourceFile, Function] | None:
        """The function, method of the same class, or constructor that is called."""
        bindings = place.bindings
        match call.func:
            case ast.Attribute(ast.Name("self"), name):
                owner = bindings.class_around(bindings.function_around(call))
                own = f"{module_of(place.file.file)}.{owner.name}" if owner is not None else ""
                if not own or self._heirs(own) != []:
                    return None
                return self._definition_at(f"{own}.{name}")
            case ast.Name(name) if not path:
                return self._definition_at(f"{module_of(place.file.file)}.{name}")
            case _:
                return self._definition_at(self._absolute(place.file, path)) if path else None

    def _definition_at(self, written: str) -> tuple[SourceFile, Function] | None:
        raise NotImplementedError

    def _absolute(self, file: SourceFile, path: str) -> str:
        raise NotImplementedError

    def _returned(self, place: Place, surroundings: Surroundings) -> Iterator[Place | None]:
        """Yield the calls of the function that returns an object."""
        function = place.bindings.function_around(place.node)
        if not isinstance(function, ast.FunctionDef) or function.decorator_list:
            yield None
            return
        outer = place.bindings.parents.get(function)
        owner = outer.name if isinstance(outer, ast.ClassDef) else ""
        path = f"{module_of(place.file.file)}.{owner}.{function.name}".replace("..", ".")
        if not self._is_closed(path, place.file, surroundings):
            yield None
            return
        for one in self._places_of(path, function.name, surroundings):
            call = one.parent if one is not None else None
            is_call = one is not None and isinstance(call, ast.Call) and call.func is one.node
            yield (
                Place(one.file, call) if one is not None and call is not None and is_call else None
            )


def _is_of_trainer(place: Place, call: ast.Call) -> bool:
    """Whether a call is one of a trainer's methods, and the trainer is visibly made."""
    match call.func:
        case ast.Attribute(ast.Name() as receiver):
            made = place.bindings.of(receiver) or [None]
        case ast.Attribute(receiver):
            made = [receiver]
        case _:
            return False
    made_by = (
        path_of(place.bindings, one.func) if isinstance(one, ast.Call) else "" for one in made
    )
    return all(one.startswith(_TRAINERS) for one in made_by)


def is_looked_at(place: Place) -> bool:
    """Whether a place only names a class: in a test of a type, or an annotation."""
    match place.parent:
        case ast.Call(func) as call:
            return func is not place.node and name_called(call) in _LOOKS
        case parent:
            return isinstance(parent, (ast.arg, ast.AnnAssign, ast.FunctionDef))


def _made_at(place: Place | None) -> Place | None:
    """The call that makes an object of the class at a place; `None` if it is not called."""
    match place.parent if place is not None else None:
        case ast.Call(func) as call if place is not None and func is place.node:
            return Place(place.file, call)
        case _:
            return None


def _is_parameter(
    parents: dict[ast.AST, ast.AST], bound: ast.AST | None, function: Function
) -> bool:
    around = parents.get(bound) if isinstance(bound, ast.arg) else None
    return (
        around is not None and parents.get(around) is function and isinstance(function, FUNCTIONS)
    )
