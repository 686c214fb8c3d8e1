"""The value-flow graph of a project: whether anything is trained through a definition.

A sparse value-flow graph: Sui and Xue, "SVF: interprocedural static value-flow analysis in LLVM"
(CC 2016).
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from mllint_nan.graph_arguments import ProjectArguments
from mllint_nan.graph_classes import Kin, object_of
from mllint_nan.graph_edges import FILES_FEW, NODES_MOST, of_part
from mllint_nan.graph_names import Trace
from mllint_nan.mentions import holds_now, may_define
from mllint_nan.packages import module_of, renames_modules
from mllint_nan.programs import does_run
from mllint_nan.project_files import Changes, SourceFile, is_test
from mllint_nan.surroundings import Surroundings
from mllint_nan.syntax.value_flow_edges import (
    AS_FUNCTION,
    CLOSED_OVER,
    DIFFERENTIATED,
    DROPPED,
    MAY_DIFFERENTIATE,
    OPEN,
    last_name,
    parted,
)
from mllint_nan.training import NOT_IN_SIGHT, Reach, Training, TrainingUse


class _Node(NamedTuple):
    """A node of the graph, and the path from it back to the definition."""

    path: str
    come: tuple[str, ...]


class ValueFlowGraph(ProjectArguments):
    """The graph over some files of a project."""

    def __init__(self, files: tuple[SourceFile, ...]) -> None:
        super().__init__(files)
        self._of_answers: dict[str, Trace] = {}
        self._answers: dict[str, TrainingUse] = {}

    def training(self, file: SourceFile, name: str) -> TrainingUse:
        """Whether something is trained through the definition of a name in `file`.

        The name of a function that returns several values may end in the mark of a part of them.
        """
        path = f"{module_of(file.file)}.{name}"
        found = self._answers.get(path)
        if found is None:
            with self._traced(self._of_answers, path):
                found = self._answers[path] = self._answered(path, file)
        return found

    def reach(self, file: SourceFile, name: str) -> Reach:
        """What the answer of `training` depends on."""
        self.training(file, name)
        return self._rests_on(self._of_answers[f"{module_of(file.file)}.{name}"])

    def reach_of_run(self, file: SourceFile, name: str, surroundings: Surroundings) -> Reach:
        """What the answer of `unrun` depends on."""
        self.unrun(file, name, surroundings)
        return self._rests_on(self._of_runs[f"{module_of(file.file)}.{name}"])

    def _rests_on(self, first: Trace) -> Reach:
        traces = [first, *(self._of_edges[node] for node in first.nodes)]
        traces += [self._of_methods[name] for name in first.methods]
        names = set[str]().union(*(trace.names for trace in traces))
        traces += [self._of_names[name] for name in names]
        return Reach(
            frozenset().union(*(trace.files for trace in traces)),
            frozenset(first.nodes),
            frozenset().union(*(trace.seldom for trace in traces)),
            frozenset(first.methods),
            frozenset().union(*(trace.modules for trace in traces)),
            frozenset(first.words),
            frozenset(first.programs),
            min(trace.least for trace in traces),
            first.is_idle,
        )

    def is_reached(self, reach: Reach, changes: Changes) -> bool:
        """Whether an answer may differ after some files changed; this graph has them as now."""
        files = changes.files
        if renames_modules(changes) or not reach.files.isdisjoint(files):
            return True
        if reach.least - len(files) <= FILES_FEW:  # they may be few now
            return True
        if not reach.modules.isdisjoint(map(module_of, (*changes.came, *changes.gone))):
            return True
        if not self._still_run(reach.programs, changes):
            return True
        if reach.is_idle and any(map(does_run, changes.changed)):
            return True
        return any(self._comes_near(reach, file) for file in changes.changed)

    def _still_run(self, programs: frozenset[str], changes: Changes) -> bool:
        """Whether those of the programs that changed are still programs."""
        if programs.isdisjoint(changes.files):
            return True
        still = {file.file for file in changes.changed if does_run(file)}
        return programs & changes.files <= still

    def _comes_near(self, reach: Reach, file: SourceFile) -> bool:
        """Whether a changed file may now contain what was searched for in all files."""
        for path in reach.nodes:
            name = last_name(path)
            if "(" in path or not holds_now(file, name):
                continue
            if path in reach.seldom:  # they may be many now
                return True
            owner = path.rpartition(".")[0] if self._is_method(path) else ""
            if self._may_name(file, path, name, owner):
                return True
        if any(holds_now(file, word) for word in reach.words):
            return True
        return any(may_define(file, name) for name in reach.methods)

    def _answered(self, path: str, file: SourceFile) -> TrainingUse:
        path, part = parted(path)
        found = self._searched(path, part)
        if found.training is not Training.UNKNOWN:
            return found
        program = self._programs.beside(file)
        if program is None:
            self._trace.files |= self._programs.looked_at
            self._trace.is_idle = True
            return found
        if self._is_for_others(path) or self._may_be_reached(path):
            return found
        self._trace.programs.add(program.file)
        return TrainingUse(Training.ELSEWHERE, (os.path.basename(program.file),))

    def _is_for_others(self, path: str) -> bool:
        """Whether it is a method of a class that is made to be trained through, such as a layer.

        A call of a method is recognised by its object, and all methods of a layer belong together.
        """
        owner = path.rpartition(".")[0]
        if not self._is_method(path):
            return False
        return self._role(owner) is Training.THROUGH

    def _may_be_reached(self, start: str) -> bool:
        """Whether a gradient may reach it, also through uses that only name it.

        Code that imports it from a package that re-exports it is not visible, and proves nothing.
        """
        home = self._home(start)
        if home is None or holds_now(home, "globals"):
            return True
        kin = self._kin(start)
        # `getattr` may look up names in the module.
        pending = [start, module_of(home.file), *kin.methods]
        seen = set(pending)
        while pending:
            path, part = parted(pending.pop())
            updates = self._updates(path)
            edges = self._edges_from(path)
            namesakes = () if updates else self._edges_of_namesakes(path)
            role = self._role(object_of(path))
            if role is Training.BESIDE or self._is_aside(path):
                continue
            if role is Training.THROUGH or namesakes is None:
                return True
            if not updates and self._is_handed_on(path):
                return True
            edges = self._of_call(path, (*edges, *namesakes))
            for file, edge in of_part(edges, path, part):
                is_open = edge.target == OPEN and not is_test(file.file)
                if is_open or self._is_differentiated(edge.target, start):
                    return True
                if edge.target not in (OPEN, DROPPED, CLOSED_OVER):
                    targets = self._targets_of_kin(edge.target, seen, kin)
                    news = {one for one in targets if one not in seen}
                    seen |= news
                    pending += news
            if len(seen) >= NODES_MOST:
                return True
        return False

    def _is_aside(self, path: str) -> bool:
        """Whether its results are data, or it computes a gradient of its own."""
        return self._gives_data(path) or self._has_own_gradient(path)

    def _is_differentiated(self, target: str, start: str) -> bool:
        """Whether a gradient is taken, at this target, of the result of a definition.

        A closed-over function may be called with what is differentiated; a value is constant.
        """
        if target == CLOSED_OVER:
            return not self._gives_values(start)
        if target.startswith(MAY_DIFFERENTIATE):
            return not self._is_own_method(target.removeprefix(MAY_DIFFERENTIATE)[:-1])
        return target in (DIFFERENTIATED, AS_FUNCTION)

    def _targets_of_kin(self, target: str, seen: set[str], kin: Kin) -> Iterator[str]:
        """Yield the nodes that a target stands for; for a class, also those of its subclasses.

        A call of a base class's method may run that of a subclass.
        """
        for one in self._targets(target, seen):
            path, part = parted(one)
            is_new = one not in seen  # before the caller adds it to `seen`
            yield one
            if is_new and self._role(path.rpartition(".")[0]) is not Training.BESIDE:
                yield from (f"{each}{part}" for each in self._kin(path).methods)
        if parted(target)[0] in kin.classes:
            yield from (f"{one}{parted(target)[1]}" for one in kin.objects)

    def _searched(self, start: str, wanted: str) -> TrainingUse:
        kin = self._kin(start)
        seen = {f"{one}{wanted}" for one in (start, *kin.methods)}
        pending = deque(_Node(f"{one}{wanted}", ("here",)) for one in (start, *kin.methods))
        beside: tuple[str, ...] = ()
        is_open = False
        while pending and len(seen) < NODES_MOST:
            node = pending.popleft()
            path, part = parted(node.path)
            role = self._role(object_of(path))
            if role is Training.THROUGH:
                is_beside = path != start and self._is_never_run(path)
                if is_beside or self._is_only_evaluated(path):
                    beside = beside or node.come
                    continue
                return TrainingUse(role, node.come)
            if role is Training.BESIDE or self._is_aside(path):
                beside = beside or node.come
                continue
            all_edges = self._of_call(path, self._edges_from(path))
            edges = of_part(all_edges, path, part)
            is_left = bool(all_edges) and not edges  # nobody uses this part of the values
            if not edges and (is_left or "(" in path or self._updates(path)):  # it goes nowhere
                beside = beside or node.come
            elif not edges:
                is_open = is_open or not (path == start or path in kin.methods)
            for file, edge in edges:
                in_test = is_test(file.file) or self._is_in_test_case(file, edge.row)
                place = f"{os.path.basename(file.file)}:{edge.row}"
                if self._is_differentiated(edge.target, start):
                    return TrainingUse(Training.THROUGH, (place, *node.come))
                if edge.target == OPEN:
                    is_open = is_open or not in_test
                elif edge.target in (DROPPED, CLOSED_OVER):
                    beside = beside or (() if in_test else (place, *node.come))
                elif len(seen) < NODES_MOST:
                    for target in self._targets_of_kin(edge.target, seen, kin):
                        if target not in seen:
                            seen.add(target)
                            pending.append(_Node(target, (_shown(target), *node.come)))
        if not beside or is_open or pending:
            return NOT_IN_SIGHT
        if not self._is_method(start) and self._is_gotten_from_its_module(start):
            return NOT_IN_SIGHT
        return TrainingUse(Training.BESIDE, beside)


def _shown(path: str) -> str:
    """The last two names: `losses.dice` for `package.losses.dice(weight)`."""
    return ".".join(parted(path)[0].partition("(")[0].split(".")[-2:])
