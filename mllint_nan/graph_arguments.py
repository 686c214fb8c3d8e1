"""Whether visible gradients are taken by some parameters of a function, and not by another one.

`jax.grad(loss)` differentiates by the first argument; the others are data, unless code that is
visible differentiates by them as well. Callers that are not visible count for nothing here.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from typing import Final, NamedTuple

from mllint_nan.graph_leaves import ProjectLeaves
from mllint_nan.graph_places import Place, sources_of
from mllint_nan.packages import module_of
from mllint_nan.project_files import SourceFile, is_test
from mllint_nan.surroundings import Surroundings
from mllint_nan.syntax.bindings import Function, function_in
from mllint_nan.syntax.function_uses import (
    Gradients,
    Wanted,
    decorations_of,
    gradient_of,
    is_differentiated,
)
from mllint_nan.syntax.sources import Field, Loaded, Parameter, Sources
from mllint_nan.syntax.value_flow_edges import CALLED

_ASKED_MOST: Final = 16
"""The most parameters that one answer may depend on."""


class _Asked(NamedTuple):
    """A parameter: is a gradient taken by it?"""

    file: SourceFile
    function: Function
    name: str
    is_within: bool
    """Whether an inner function reads it, of which a gradient is taken by other arguments."""


class ProjectArguments(ProjectLeaves):
    """By which arguments the functions of a project are differentiated."""

    def _left_out(
        self,
        file: SourceFile,
        function: str,
        parameter: str,
        surroundings: Surroundings,
        *,
        is_within: bool,
    ) -> str:
        text = sources_of(file)
        start = function_in(text.bindings, function) if text is not None else None
        if start is None or is_test(file.file):
            return ""
        place, pending = "", [_Asked(file, start, parameter, is_within)]
        seen = {*pending}
        while pending:
            asked = pending.pop()
            found = self._gradients(asked, surroundings)
            if found is None or len(seen) > _ASKED_MOST:
                return ""
            further, taken = found
            is_called = bool(further) and self._is_for_itself(asked.file, surroundings)
            if not (taken or is_called or self._is_alone(asked.file, asked.function, surroundings)):
                return ""
            place = place or taken
            pending += [one for one in further if one not in seen]
            seen |= {*further}
        return place

    def _gradients(
        self, asked: _Asked, surroundings: Surroundings
    ) -> tuple[list[_Asked], str] | None:
        """The parameters that are passed on to this one, and the place of a gradient by others.

        `None` if something may differentiate by it.
        """
        file, function, name, is_within = asked
        text = sources_of(file)
        assert text is not None
        outer = text.bindings.parents.get(function)
        is_method = isinstance(outer, ast.ClassDef)
        wanted = Wanted.of(function, name, is_method=is_method)
        if isinstance(function, ast.Lambda) or wanted is None:
            return None
        if not decorations_of(function, wanted) or (is_method and function.name in CALLED):
            return None
        decorator = gradient_of(function)
        further: list[_Asked] = []
        taken = _place(file, decorator or function) if decorator or is_within else ""
        for used in self._uses(file, function, surroundings):
            if used is None:
                return None
            if is_test(used.file.file):
                continue
            found = Gradients()
            found.add(used.bindings, used.node, wanted, is_gradient=decorator is not None)
            taken = taken or (_place(used.file, found.place) if found.place is not None else "")
            passed = [self._passed(used.file, one) for one in found.values]
            if not found.is_known or found.names or any(one is None for one in passed):
                return None
            further += [one for several in passed for one in several or ()]
        return further, taken

    def _is_alone(self, file: SourceFile, function: Function, surroundings: Surroundings) -> bool:
        """Whether only visible code calls a function, so that these calls say what it is given."""
        text = sources_of(file)
        if text is None or isinstance(function, ast.Lambda):
            return False
        if text.bindings.function_around(function) is not None:
            return True
        path = f"{module_of(file.file)}.{function.name}"
        return self._is_in_sight(path, file, surroundings)

    def _uses(
        self,
        file: SourceFile,
        function: ast.FunctionDef | ast.AsyncFunctionDef,
        surroundings: Surroundings,
    ) -> Iterator[Place | None]:
        """Yield the places that name a function; `None` for one that is not visible."""
        text = sources_of(file)
        assert text is not None
        bindings = text.bindings
        outer = bindings.parents.get(function)
        if bindings.function_around(function) is not None and not isinstance(outer, ast.ClassDef):
            for node in bindings.named.get(function.name, ()):
                if isinstance(node, ast.Name) and function in (bindings.made(node) or ()):
                    yield Place(file, node)
            return
        owner = outer.name if isinstance(outer, ast.ClassDef) else ""
        path = f"{module_of(file.file)}.{owner}.{function.name}".replace("..", ".")
        yield from self._places_of(path, function.name, surroundings)

    def _passed(self, file: SourceFile, value: ast.expr) -> list[_Asked] | None:
        """The parameters that an argument is made of, besides data; `None` if it is not known."""
        text = sources_of(file)
        found = text.of(value) if text is not None else None
        if found is None or not all(isinstance(one, (Parameter, Field, Loaded)) for one in found):
            return None
        return [
            _Asked(file, one.function, one.name, _is_within(text, value, one.function))
            for one in found
            if isinstance(one, Parameter) and text is not None
        ]


def _is_within(text: Sources, value: ast.AST, function: Function) -> bool:
    """Whether a value is computed in an inner function of which a gradient is taken."""
    inner = text.bindings.function_around(value)
    while inner is not None and inner is not function:
        if is_differentiated(text.bindings, inner):
            return True
        inner = text.bindings.function_around(inner)
    return False


def _place(file: SourceFile, node: ast.AST) -> str:
    return f"{os.path.basename(file.file)}:{_row(node)}"


def _row(node: ast.AST) -> int:
    return getattr(node, "lineno", 0)
