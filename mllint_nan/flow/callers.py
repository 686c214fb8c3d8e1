"""Functions of other files of the project, evaluated because they call what one file defines."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from mllint_nan.flow.containers import is_dict
from mllint_nan.flow.foreign import Home
from mllint_nan.flow.interpreter import Interpreter
from mllint_nan.flow.modules import CallingFile, Project, absolute
from mllint_nan.flow.overriding import visit_subclasses
from mllint_nan.flow.registries import tables_at
from mllint_nan.flow.state import Deferred, Scope
from mllint_nan.ir import program as ir
from mllint_nan.ir.term import CHOICE, FUNCTION, QUALIFIED, Term, peel

_FARTHEST: Final = 2
"""How many levels of calling files are evaluated: callers, and their callers."""
_CALLERS_FEW: Final = 8
"""If this many files call one, there may be more."""
_BUDGET: Final = 2_000
"""Statements of functions that are inlined at the calls in one of these files."""
_STARS_MOST: Final = 8
"""Modules that are searched for names because an `import *` might bind them."""
_VISITED_MOST: Final = 400
"""Statements that are evaluated with the arguments of calls in one of these files."""
_FILES_MOST: Final = 12
"""Calling files that are evaluated for one file, each only as far as needed."""


def visit_callers(
    home: Interpreter, names: Collection[str], constructed: Collection[Scope] = ()
) -> None:
    """Evaluate what a file defines with the arguments that other files call it with.

    `names` are those of functions and classes of the module, `constructed` the classes whose
    constructor arguments are needed. Nothing is evaluated after that.
    """
    project = home.project
    if names:
        names = {*names, *_holders_of(home, names)}
    wanted = {*names, *(owner.name for owner in constructed)}
    callers = project.callers(wanted) if project is not None and wanted else ()
    for owner in constructed:
        owner.always_made_with = (*owner.made_with, *_constructions(home, callers, owner))
    if project is not None and names:
        visit = _Visit(home)
        visit.follow(project, names, _FARTHEST, callers)
        for elsewhere, held in _registries_of(home, project, names):
            visit.follow(elsewhere, held, 1, elsewhere.callers(held))
    home.finish()


def _holders_of(home: Interpreter, names: Collection[str]) -> Iterator[str]:
    """Names of the module that lead to one of `names`, or to an object of such a class.

    They are dictionaries that contain it and functions that return it, perhaps among others.
    """
    for name, term in home.state.environment.names():
        if is_dict(term) and any(_is_one_of(home, one, names) for one in peel(term).operands[1::2]):
            yield name
    for scope in home.analysis.functions.values():
        is_of_module = scope.parent is not None and scope.parent.kind == "module"
        if is_of_module and any(_is_one_of(home, one, names) for one in scope.returned):
            yield scope.name


def _registries_of(
    home: Interpreter, project: Project, names: Collection[str]
) -> Iterator[tuple[Project, Collection[str]]]:
    """The other files whose registries contain some of `names`, and what leads to them there."""
    asked: set[str] = set()
    for one in home.analysis.registered:
        path = str(one.registry.detail) if one.registry.operation is QUALIFIED else ""
        if not path or path in asked or not _is_one_of(home, one.member, names):
            continue
        asked.add(path)
        module, tables = home.module_at(absolute(path, project.package)), tables_at(home, path)
        if module is not None and module.file not in ("", project.file):
            held = {name for table in tables for name in (table, *module.naming(table))}
            if held:
                yield project.of(module.file), held


def _is_one_of(home: Interpreter, term: Term, names: Collection[str]) -> bool:
    """Whether a value is a function or class of one of these names, or an object of that class."""
    inner = peel(term)
    if inner.operation is CHOICE:
        return any(_is_one_of(home, one, names) for one in inner.operands)
    if inner.operation is FUNCTION:
        return inner.detail.name in names
    made = home.instances.get(inner.key)
    known = made.blueprint if made is not None else home.blueprints.get(inner.key)
    return known is not None and known.text.name in names


def _constructions(
    home: Interpreter, callers: Sequence[CallingFile], owner: Scope
) -> Iterator[Mapping[str, Term] | None]:
    """Yield the arguments that other files pass to a constructor; `None` if they are not known."""
    methods = (one for one in home.analysis.functions.values() if one.parent is owner)
    constructor = next((one for one in methods if one.name == ir.FIRST_METHODS[0]), None)
    if constructor is None or len(callers) >= _CALLERS_FEW:
        yield None
        return
    unknown = home.opaque("rest", (), None)
    file = home.project.file if home.project is not None else ""
    for caller in callers:
        visitor = _Caller(home, caller)
        is_led_to = visitor.is_led_to(file, caller.paths_to((owner.name,)))
        visitor.close()
        if not is_led_to:
            continue
        for given in caller.constructions(owner.name, constructor.parameters[1:]):
            yield given and {
                name: unknown if value is ... else home.build.constant(value)
                for name, value in given.items()
            }


class _Visit:
    """Evaluates the files that call one file, and remembers which functions were evaluated.

    Only files are evaluated in which a name leads to the called file.
    """

    def __init__(self, home: Interpreter) -> None:
        self._home = home
        self._visited: dict[str, set[str]] = {}
        """By file: the functions that have been evaluated."""
        self._leaving = home.classes_leaving_methods()

    def follow(
        self,
        project: Project,
        names: Collection[str],
        depth: int,
        callers: Sequence[CallingFile],
    ) -> None:
        """Evaluate the callers of names that the file of a project defines, then their callers."""
        leaving = self._leaving.intersection(names) if depth == _FARTHEST else ()
        for caller in callers:
            visit_subclasses(self._home, caller, leaving)
            known = self._visited.setdefault(caller.file, set())
            if len(self._visited) > _FILES_MOST:
                return
            visitor = _Caller(self._home, caller)
            if not visitor.is_led_to(project.file, caller.paths_to(names)):
                visitor.close()
                continue
            calling = caller.calling()
            bodies = set(calling.bodies) - known
            if bodies:
                known |= bodies
                visitor.evaluate_bodies(bodies, calling.program)
                self._home.analysis.updated.update(visitor.firsts_of(calling.differentiated))
            visitor.close()
            if depth > 1 and calling.hands_on:
                further = caller.project.callers(calling.hands_on)
                self.follow(caller.project, calling.hands_on, depth - 1, further)


class _Caller(Interpreter):
    """Evaluates some functions of another file, and its module as far as they need it."""

    __slots__ = ("_bodies",)

    def __init__(self, home: Interpreter, caller: CallingFile) -> None:
        super().__init__(caller.project)
        assert home.project is not None
        self._bodies: Collection[str] = ()
        self.home = Home(home.project, home.state.environment, home.analysis.registered)
        self.judged = home.evaluated_methods
        self.build, self.blueprints, self.instances = home.build, home.blueprints, home.instances
        self.typed, self.converted = home.typed, home.converted
        self.unnamed = home.unnamed
        self.elsewhere = caller.file
        self.analysis.visited = home.analysis.visited
        self.analysis.functions = home.analysis.functions
        self.analysis.classes = home.analysis.classes
        self.analysis.parameters = home.analysis.parameters
        self.analysis.origins = home.analysis.origins
        self.analysis.carried = home.analysis.carried
        self.analysis.cast_perhaps = home.analysis.cast_perhaps
        self.analysis.operations = home.analysis.operations
        self.volatile.update(home.volatile)

    def is_led_to(self, file: str, paths: Collection[str]) -> bool:
        """Whether `file` defines one of the qualified names, or a base of a class of that name."""
        for path in sorted(paths):
            found = self.imported(path)
            blueprint = self.blueprint_of(found) if found is not None else None
            if blueprint is not None:
                self.line_of(blueprint)
            if file in self.found_in:
                return True
        return False

    def evaluate_bodies(self, bodies: Collection[str], program: ir.Block) -> None:
        """Evaluate these functions, and the code around them."""
        self.budget, self._visits_left, self._stars_left = _BUDGET, _VISITED_MOST, _STARS_MOST
        self._bodies = bodies
        self.run_module(program)

    def firsts_of(self, differentiated: Collection[str]) -> Iterator[int]:
        """Yield the keys of the first parameters of these functions."""
        for key, (function, name) in self.analysis.parameters.items():
            scope = self.analysis.functions.get(function)
            is_first = scope is not None and scope.parameters[:1] == (name,)
            if scope is not None and is_first and scope.definition in differentiated:
                yield key

    def is_evaluated(self, deferred: Deferred) -> bool:
        """Whether the function is one that may call the analysed file."""
        definition = deferred.scope.definition
        return definition in self._bodies or (definition == "<lambda>" and "" in self._bodies)
