"""Branches that no call of a function takes, as all are visible and pass what excludes it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint_nan.graph_objects import ProjectObjects
from mllint_nan.programs import tree_of_file
from mllint_nan.project_files import SourceFile
from mllint_nan.surroundings import Surroundings
from mllint_nan.syntax.arguments_given import (
    Given,
    arguments_given,
    function_of,
    may_hold,
    parameter_of,
)
from mllint_nan.syntax.value_flow_edges import CALLED, last_name


class ProjectCalls(ProjectObjects):
    """The arguments that a project's calls pass to the functions that it defines."""

    def _is_taken(
        self, start: str, file: SourceFile, surroundings: Surroundings, condition: str
    ) -> bool:
        if not self._may_be_told(start, file, surroundings):
            return True
        given = self._given(start, file, parameter_of(condition))
        values = list(self._values(start, given, surroundings)) if given is not None else []
        return not values or any(may_hold(condition, value) for value in values)

    def _may_be_told(self, start: str, file: SourceFile, surroundings: Surroundings) -> bool:
        """Whether all calls of a function are visible, and call it by its name."""
        name = last_name(start)
        if name in CALLED or (name.startswith("__") and name.endswith("__")):
            return False
        if self._is_method(start) and self._is_called_by_base(start.rpartition(".")[0], name):
            return False
        is_closed = not self._is_open(start, surroundings) and not self._is_found_otherwise(start)
        return is_closed and self._home(start) == file

    def _given(self, start: str, file: SourceFile, parameter: str) -> Given | None:
        tree, found = tree_of_file(file), self._definition(start)
        function = function_of(tree, found[1].name) if tree is not None and found else None
        if function is None or not parameter:
            return None
        return Given.of(function, parameter, is_method=self._is_method(start))

    def _values(
        self, start: str, given: Given, surroundings: Surroundings
    ) -> Iterator[ast.expr | None]:
        """Yield the argument of each call; `None` if the argument or a caller is not visible."""
        owner = last_name(start.rpartition(".")[0])
        for naming in self._namings_of(start, surroundings):
            if naming is None:
                yield None
                return
            file, word, places = naming
            tree = tree_of_file(file)
            if tree is None or not all(one.called and last_name(one.of) != owner for one in places):
                yield None
                return
            yield from arguments_given(tree, word, given)
