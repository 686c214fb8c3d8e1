"""Whether the objects of a class are called anywhere in a project, or only their methods are."""

from __future__ import annotations

from typing import Final

from mllint_nan.graph_runs import ProjectRuns
from mllint_nan.programs import tree_of_file
from mllint_nan.syntax.object_uses import names_of_objects
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
        return not self._may_have_heirs(owner) and self._are_never_called(owner)

    def _are_never_called(self, owner: str) -> bool:
        name = last_name(owner)
        held, pending, is_made = set[str](), {name}, False
        while pending:
            if len(held | pending) > _NAMES_MOST or "*" in pending:
                return False
            held |= pending - {name}
            files = {file for one in (name, *held) for file in self.mentioning(one)}
            self._trace.words.update((name, *held))
            if len(files) > _FILES_MOST:
                return False
            found: set[str] = set()
            for file in files:
                self._trace.files.add(file.file)
                tree = tree_of_file(file)
                uses = names_of_objects(tree, name, held) if tree is not None else None
                if uses is None:
                    return False
                found |= uses[0]
                is_made = is_made or uses[1]
            pending = found - held
        return is_made
