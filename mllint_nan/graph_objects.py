"""What becomes of the objects of a class: whether they are called, and where nothing trains."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from itertools import groupby
from typing import Final

from mllint_nan.graph_runs import ProjectRuns
from mllint_nan.packages import module_of
from mllint_nan.programs import tree_of_file
from mllint_nan.project_files import SourceFile, text_of
from mllint_nan.syntax.modes import is_without_gradient
from mllint_nan.syntax.object_uses import Holder, ObjectUses, Parents, Uses
from mllint_nan.syntax.value_flow_edges import last_name

_NAMES_MOST: Final = 8
"""That the objects of one class have."""
_FILES_MOST: Final = 16
"""That hold one of them."""
_RUN_BY_CALLS: Final = ("forward", "__call__", "call")


class ProjectObjects(ProjectRuns):
    """What becomes of the objects of the classes that some files of a project define."""

    def _is_never_run(self, path: str) -> bool:
        """Whether it is what calling an object runs, and all objects in sight are never called.

        Each is made in sight, bound to names, and these stand nowhere but before other methods.
        """
        owner, _, name = path.rpartition(".")
        if name not in _RUN_BY_CALLS or not self._is_method(path):
            return False
        return not self._may_have_heirs(owner) and self._uses_of_objects(owner) is not None

    def _is_only_evaluated(self, path: str) -> bool:
        """Whether it is a method of objects that are made and called, but where nothing trains."""
        owner = path.rpartition(".")[0]
        if not self._is_method(path) or self._may_have_heirs(owner):
            return False
        uses = self._uses_of_objects(owner, is_without_gradient)
        return uses is not None and uses.is_called

    def _uses_of_objects(
        self, owner: str, is_allowed: Callable[[ast.AST, Parents], bool] | None = None
    ) -> Uses | None:
        """What the project does with objects of a class; `None` if none is made in sight, or one
        may be called where that is not allowed."""
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
                uses = ObjectUses(tree, name).of(owners, is_allowed) if tree is not None else None
                if uses is None:
                    return None
                found.update(self._of_heirs_too(one, file) for one in uses.holders)
                is_made, is_called = is_made or uses.is_made, is_called or uses.is_called
            is_whole = found <= held
        return Uses(frozenset(held), is_made, is_called) if is_made else None

    def _files_of_objects(
        self, name: str, owners: Mapping[str, frozenset[str]]
    ) -> list[SourceFile] | None:
        """The files that name a class or hold one of its objects; `None` if these are many."""
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
        """The holder as an attribute of any object, where other classes may have it too."""
        owner = f"{module_of(file.file)}.{holder.owner}"
        return Holder(holder.name, "") if self._may_have_heirs(owner) else holder


def _is_of_another(file: SourceFile, name: str) -> bool:
    """Whether a name stands in a file otherwise than as an attribute of its own objects."""
    word = re.escape(name.encode())  # first, as a literal is searched for fastest
    other = rb"%b\b(?<!\w%b)(?<!\bself\.%b)" % (word, word, word)
    return re.search(other, text_of(*file)) is not None


def _owners(held: set[Holder]) -> dict[str, frozenset[str]]:
    """By name that is held, the classes whose attribute it is; with none any may have it."""
    owners: dict[str, frozenset[str]] = {}
    for name, classes in groupby(sorted(held), lambda one: one.name):
        found = frozenset(one.owner for one in classes)
        owners[name] = found if "" not in found else frozenset()
    return owners
