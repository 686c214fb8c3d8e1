"""How the objects of a class are used: whether they are called, and only where nothing trains."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from functools import partial
from itertools import groupby
from typing import Final, TypeAlias

from mllint_nan.graph_edges import parameter_nodes
from mllint_nan.graph_names import Trace
from mllint_nan.graph_runs import ProjectRuns
from mllint_nan.packages import module_of
from mllint_nan.programs import tree_of_file
from mllint_nan.project_files import SourceFile, text_of
from mllint_nan.syntax.modes import is_without_gradient
from mllint_nan.syntax.object_uses import Given, Holder, ObjectUses, Parents
from mllint_nan.syntax.value_flow_edges import last_name

_NAMES_MOST: Final = 8
"""The most names that the objects of one class may have."""
_FILES_MOST: Final = 16
"""The most files that may contain one of these names."""
RUN_BY_CALLS: Final = ("forward", "__call__", "call")
"""Methods that calling an object runs."""
_Allowed: TypeAlias = Callable[[SourceFile, ast.AST, Parents], bool]
"""Whether objects may be called at a node of a file."""


class ProjectObjects(ProjectRuns):
    """How a project uses the objects of the classes that it defines."""

    def __init__(self, files: tuple[SourceFile, ...]) -> None:
        super().__init__(files)
        self._evaluated: dict[str, bool] = {}
        """By class: whether its objects are only called where nothing trains."""
        self._of_evaluated: dict[str, Trace] = {}

    def _is_never_run(self, path: str) -> bool:
        """Whether it is a method that calling an object runs, and no object is ever called.

        All objects are visible: they are bound to names, on which only other methods are called.
        """
        owner, _, name = path.rpartition(".")
        if name not in RUN_BY_CALLS or not self._is_method(path):
            return False
        return not self._may_have_heirs(owner) and self._are_called(owner) is False

    def _is_only_evaluated(self, path: str) -> bool:
        """Whether it is a method of objects that are only called where nothing trains."""
        return self._is_method(path) and self._evaluates(path.rpartition(".")[0])

    def _evaluates(self, owner: str) -> bool:
        """Whether the objects of a class are called, and only where nothing trains."""
        known = self._evaluated.get(owner)
        if known is None:
            # A class whose objects call objects of their own class is not known to do so.
            self._evaluated[owner] = False
            with self._traced(self._of_evaluated, owner):
                known = self._evaluated[owner] = self._is_found_to_evaluate(owner)
        self._trace.add(self._of_evaluated[owner])
        return known

    def _is_found_to_evaluate(self, owner: str) -> bool:
        if self._may_have_heirs(owner):
            return False
        return self._are_called(owner, self._is_evaluated_at) is True

    def _is_evaluated_at(self, file: SourceFile, node: ast.AST, parents: Parents) -> bool:
        """Whether nothing trains at a node, or in any method of the class that it stands in."""
        if is_without_gradient(node, parents):
            return True
        around = parents.get(node)
        while around is not None and not isinstance(around, ast.FunctionDef):
            around = parents.get(around)
        owner = parents.get(around) if around is not None else None
        if around is None or around.name == "__init__" or not isinstance(owner, ast.ClassDef):
            return False
        is_of_module = isinstance(parents.get(owner), ast.Module)
        return is_of_module and self._evaluates(f"{module_of(file.file)}.{owner.name}")

    def _are_called(self, owner: str, is_allowed: _Allowed | None = None) -> bool | None:
        """Whether objects of a class are called, where that is allowed.

        `None` if no visible code makes one, or if one may be called anywhere else.
        """
        name = last_name(owner)
        held, found = set[Holder](), set[Holder]()
        is_made = is_called = is_whole = False
        while not is_whole:
            held |= found
            owners = _owners(held)
            files = self._files_of_objects(name, owners)
            if files is None:
                return None
            for file in files:
                self._trace.files.add(file.file)
                tree = tree_of_file(file)
                allowed = partial(is_allowed, file) if is_allowed is not None else None
                uses = ObjectUses(tree, name).of(owners, allowed) if tree is not None else None
                if uses is None:
                    return None
                found.update(self._of_heirs_too(one, file) for one in uses.holders)
                is_made, is_called = is_made or uses.is_made, is_called or uses.is_called
                given = [self._parameters_given(file, one) for one in uses.given]
                if not all(given):
                    return None
                found.update(*given)
            is_whole = found <= held
        return is_called if is_made else None

    def _parameters_given(self, file: SourceFile, given: Given) -> frozenset[Holder]:
        """The parameters that an argument becomes, of all functions that may be called.

        None if a library's function is called, or one that is not visible.
        """
        first, _, rest = given.called.partition(".")
        flows = self._read(file)
        imported = flows.imports.get(first) if flows is not None else None
        if imported is not None and self._home(f"{imported}.{rest}".rstrip(".")) is None:
            return frozenset()
        name, found = last_name(given.called), set[Holder]()
        self._trace.words.add(name)
        for home in self.mentioning(name):
            inside = self._read(home)
            for own, one in inside.definitions.items() if inside is not None else ():
                if one.is_class or last_name(own.removesuffix(".__init__")) != name:
                    continue
                nodes = [*parameter_nodes(((one, own),), given.parameter)]
                if not nodes:
                    return frozenset()
                found.update(Holder(node.partition("(")[2].rstrip(")"), "") for node in nodes)
        return frozenset(found)

    def _files_of_objects(
        self, name: str, owners: Mapping[str, frozenset[str]]
    ) -> list[SourceFile] | None:
        """The files that name a class or one of its objects; `None` if they are too many."""
        self._trace.words.update((name, *owners))
        if len(owners) >= _NAMES_MOST:
            return None
        files = dict.fromkeys(self.mentioning(name))
        for held, classes in owners.items():
            own = [self._mentions.holding(one) for one in classes]
            for file in self.mentioning(held):
                is_near = not own or any(file in one for one in own)
                if file not in files and (is_near or _is_of_another(file, held)):
                    files[file] = None
                if len(files) > _FILES_MOST:
                    return None
        return [*files]

    def _of_heirs_too(self, holder: Holder, file: SourceFile) -> Holder:
        """The holder, as an attribute of any object if subclasses of its class may have it, too."""
        owner = f"{module_of(file.file)}.{holder.owner}"
        return Holder(holder.name, "") if self._may_have_heirs(owner) else holder


def _is_of_another(file: SourceFile, name: str) -> bool:
    """Whether a file contains a name other than as an attribute of `self`."""
    word = re.escape(name.encode())  # first, as a literal is searched for fastest
    other = rb"%b\b(?<!\w%b)(?<!\bself\.%b)" % (word, word, word)
    return re.search(other, text_of(*file)) is not None


def _owners(held: set[Holder]) -> dict[str, frozenset[str]]:
    """By name of an object: the classes whose attribute it is; none if it may be that of any."""
    owners: dict[str, frozenset[str]] = {}
    for name, classes in groupby(sorted(held), lambda one: one.name):
        found = frozenset(one.owner for one in classes)
        owners[name] = found if "" not in found else frozenset()
    return owners
