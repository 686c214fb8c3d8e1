"""Branches that no call of a function takes, as all are visible and pass what excludes it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final, NamedTuple

from mllint_nan.graph_object_calls import ProjectObjectCalls
from mllint_nan.graph_objects import RUN_BY_CALLS
from mllint_nan.graph_places import Place, sources_of
from mllint_nan.packages import module_of
from mllint_nan.project_files import SourceFile
from mllint_nan.surroundings import Surroundings
from mllint_nan.syntax.bindings import Function, function_in
from mllint_nan.syntax.conditions_on_parameters import asked_of, may_hold, parameter_of
from mllint_nan.syntax.function_uses import Wanted
from mllint_nan.syntax.value_flow_edges import CALLED, last_name

_ASKED_MOST: Final = 16
"""The most functions that pass an argument on to one another."""
_NAMED: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


class _Way(NamedTuple):
    """A branch: the qualified name of its function, its file, and a condition on a parameter."""

    path: str
    file: SourceFile
    condition: str


class ProjectCalls(ProjectObjectCalls):
    """The arguments that a project's calls pass to the functions that it defines."""

    def _is_taken(
        self, start: str, file: SourceFile, surroundings: Surroundings, condition: str
    ) -> bool:
        pending = [_Way(start, file, condition)]
        seen = {*pending}
        while pending:
            way = pending.pop()
            given = self._given_for(way, surroundings)
            if not given or len(seen) > _ASKED_MOST:
                return True
            for place in given:
                further = self._before(place, way.condition)
                if further is None and may_hold(
                    way.condition, place.node if place is not None else None
                ):
                    return True
                if further is not None and further not in seen:
                    seen.add(further)
                    pending.append(further)
        return False

    def _before(self, place: Place | None, condition: str) -> _Way | None:
        """The same condition on the parameter that is passed on as an argument, if it is one."""
        if place is None or not isinstance(place.node, ast.Name):
            return None
        bindings = place.bindings
        made = bindings.made(place.node) or []
        function = bindings.function_around(place.node)
        is_passed_on = len(made) == 1 and isinstance(made[0], ast.arg)
        if not is_passed_on or function is None or bindings.scope_of(place.node) is not function:
            return None
        path = _path_of(place.file, bindings.parents, function)
        return _Way(path, place.file, asked_of(condition, place.node.id)) if path else None

    def _given_for(self, way: _Way, surroundings: Surroundings) -> list[Place | None]:
        """The argument of each call; `None` if the argument or a caller is not visible."""
        path, file, condition = way
        text, found = sources_of(file), self._definition(path)
        parameter, is_method = parameter_of(condition), self._is_method(path)
        start = function_in(text.bindings, found[1].name) if text and found else None
        is_known = start is not None and parameter and self._home(path) == file
        wanted = Wanted.of(start, parameter, is_method=is_method) if start and is_known else None
        if text is None or wanted is None or not isinstance(start, _NAMED) or start.decorator_list:
            return []
        if is_method and last_name(path) in RUN_BY_CALLS:
            owner = text.bindings.parents[start]
            assert isinstance(owner, ast.ClassDef)
            calls = [*self._calls_of_objects(file, owner, surroundings)]
        elif self._may_be_told(path, surroundings):
            calls = [*self._calls_by_name(path, surroundings)]
        else:
            calls = []
        return [_argument(one, wanted) for one in calls if not _is_of_another(one, wanted)]

    def _may_be_told(self, path: str, surroundings: Surroundings) -> bool:
        """Whether all calls of a function are visible, and call it by its name."""
        name = last_name(path)
        if name in CALLED or (name.startswith("__") and name.endswith("__")):
            return False
        if self._is_method(path) and self._is_called_by_base(path.rpartition(".")[0], name):
            return False
        return not self._is_open(path, surroundings) and not self._is_found_otherwise(path)

    def _calls_by_name(self, path: str, surroundings: Surroundings) -> Iterator[Place | None]:
        """Yield the calls of a function; `None` for what names it otherwise, or is not visible."""
        owner = last_name(path.rpartition(".")[0])
        for naming in self._namings_of(path, surroundings):
            text = sources_of(naming[0]) if naming is not None else None
            if naming is None or text is None:
                yield None
                return
            file, word, places = naming
            if not all(one.called and last_name(one.of) != owner for one in places):
                yield None
                return
            for node in text.bindings.named.get(word, ()):
                call = text.bindings.parents.get(node)
                if isinstance(call, ast.Call) and call.func is node:
                    yield Place(file, call)


def _is_of_another(call: Place | None, wanted: Wanted) -> bool:
    node = call.node if call is not None else None
    return isinstance(node, ast.Call) and wanted.is_missing_in(node)


def _argument(call: Place | None, wanted: Wanted) -> Place | None:
    node = call.node if call is not None else None
    value = wanted.given_by(node) if isinstance(node, ast.Call) else None
    return Place(call.file, value) if call is not None and value is not None else None


def _path_of(file: SourceFile, parents: dict[ast.AST, ast.AST], function: Function) -> str:
    """The qualified name of a function of a module, or of a method of its classes."""
    names = list[str]()
    node: ast.AST = function
    while not isinstance(node, ast.Module):
        if not isinstance(node, ast.ClassDef) and node is not function:
            return ""
        names.append(getattr(node, "name", ""))
        node = parents[node]
    return ".".join((module_of(file.file), *reversed(names))) if all(names) else ""
