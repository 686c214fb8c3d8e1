"""Names of other files of the project, resolved on demand without running these files.

A name has a value here only if one statement binds it to a function, a class, a module or a value
that never changes. Everything else is unknown, as is what is behind a cycle or too long a chain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Final

from mllint_nan.flow.class_values import is_arithmetic
from mllint_nan.flow.containers import DICT, is_dict
from mllint_nan.flow.environment import Environment
from mllint_nan.flow.expressions import Evaluator
from mllint_nan.flow.followed import UNDERWAY, Followed, Settled, is_settled_by
from mllint_nan.flow.modules import Module, Project, absolute, may_be_of_project, package_of
from mllint_nan.flow.named_values import is_epsilon_name
from mllint_nan.flow.names import TENSORS
from mllint_nan.flow.registries import filled_in
from mllint_nan.flow.set_from_outside import SetFromOutside
from mllint_nan.flow.several_callees import is_own_names
from mllint_nan.flow.state import Analysis, Blueprint, Registration, Scope, State
from mllint_nan.frameworks import registry
from mllint_nan.ir import program as ir
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.term import FUNCTION, INPUT, QUALIFIED, Term, peel, qualified

_PASSED_ON: Final = tuple(name for name in registry.FRAMEWORKS if name != "math")
_PARTS_MOST: Final = 12
"""How many parts of a qualified name are resolved."""
_HOPS_MOST: Final = 8
"""How many files a name is followed through."""
_NAMES_MOST: Final = 4096
"""How many names an answer is cached for."""
MEMBERS_MOST: Final = 48
"""Functions and classes of a module among which an unknown name can be a choice."""
_STARS_FEW: Final = 2
"""How many levels of `import *` are followed to list the functions and classes of a module."""
_STARS_MOST: Final = 64
"""Modules that are searched for names because an `import *` might bind them."""


@lru_cache(_NAMES_MOST)
def _may_name_number(name: str) -> bool:
    return name.isupper() or is_epsilon_name(name)


def _nothing(name: str) -> None:
    """Look up nothing: the names of an environment that is closed."""


class _ModuleNames(Environment):
    """The names that are visible to the text of another file, looked up on demand."""

    __slots__ = ("_find",)

    def __init__(self, find: Callable[[str], Term | None]) -> None:
        super().__init__()
        self._is_computed = True
        self._find = find

    def own(self, name: str) -> Term | None:
        return self._find(name)

    def close(self) -> None:
        """Find nothing from now on."""
        self._find = _nothing


class Home:
    """The analysed file, as a file that imports it sees it."""

    def __init__(
        self, project: Project, names: Environment, registered: Sequence[Registration]
    ) -> None:
        self.file = project.file
        self.package = project.package
        self.names = names
        self.registered = registered


class Foreign(SetFromOutside):
    """Evaluates the names of other files."""

    __slots__ = (
        "_environments",
        "_followed",
        "_following",
        "_found",
        "_hops",
        "_members",
        "_modules",
        "_stars_left",
        "found_in",
        "home",
        "tables",
    )

    def __init__(self, analysis: Analysis, builder: Builder, project: Project | None) -> None:
        super().__init__(analysis, builder, project)
        self._stars_left = _STARS_MOST
        self.home: Home | None = None
        """The analysed file, while another one is evaluated for its calls."""
        self.tables: dict[int, tuple[Module, str] | Term | None] = {}
        """By key of an object that a module binds: module and name, then what is registered."""
        self._modules: dict[str, Module | None] = {}
        self._environments: dict[str, _ModuleNames] = {}
        self._found: dict[str, Term | None] = {}
        self._members: dict[tuple[str, str], Term | None] = {}
        self._hops = 0
        self.found_in: set[str] = set()
        """The files in which names were found."""
        self._followed: dict[str | tuple[str, str], Followed] = {}
        """By qualified name, or by module and name: what it was followed through."""
        self._following: Followed | None = None
        """What the name that is being followed has been followed through so far."""

    def let_go(self) -> None:
        """Break reference cycles, so that the garbage collector does not have to find them."""
        self.close()
        for scope in self.analysis.functions.values():
            scope.final = None
        self._found, self._members, self._followed, self.lines = {}, {}, {}, {}
        self.blueprints, self.instances, self.typed, self.tables = {}, {}, {}, {}

    def close(self) -> None:
        """Stop looking up names of other files."""
        for environment in self._environments.values():
            environment.close()
        self._environments = {}

    def handed_on(self, program: ir.Block, imports: Iterable[ir.Import]) -> set[str]:
        """The frameworks that modules of the project re-export: `from .base import np`, or `*`.

        Empty if the file itself imports one with tensors, whose methods unknown objects then have.
        If it has none at all, those of the files that may call it.
        """
        found = set[str]()
        if self.analysis.frameworks & TENSORS:
            return found
        for name, path in (binding for one in imports for binding in one.bindings):
            if self.project is None or not may_be_of_project(path):
                continue
            if name == "*":
                module = self._module(absolute(path, self.project.package))
                found.update(
                    one for one in _PASSED_ON if module is not None and module.mentions(one)
                )
                continue
            bound = self.imported(path)
            inner = peel(bound) if bound is not None else None
            if inner is not None and inner.operation is QUALIFIED:
                framework = registry.framework_of(str(inner.detail))
                found.update((framework,) if framework is not None else ())
        is_plain = self.analysis.frameworks | found <= {"math"}
        return self._imported_by_callers(program) if is_plain else found

    def _imported_by_callers(self, program: ir.Block) -> set[str]:
        """The frameworks of the files that may call what the file defines."""
        if self.project is None:
            return set()
        defined = {one.name for one in program if isinstance(one, ir.Function | ir.Class)}
        callers = self.project.callers(defined) if defined else ()
        return {framework for caller in callers for framework in caller.frameworks}

    # Names

    @property
    def is_resolving(self) -> bool:
        """Whether a name of another file is being followed; a cycle back to it is unknown."""
        return self._hops > 0

    def imported(self, path: str) -> Term | None:
        """The value that another file of the project binds to a qualified name."""
        if path in self._found:
            if self._following is not None:
                self._rest_on(path)
            return self._found[path]
        if self.project is None:
            return None
        self._found[path] = None  # a cycle is unknown
        if may_be_of_project(path):
            outer = self._begin_following(path)
            self._found[path] = self._resolved(absolute(path, self.project.package))
            self._end_following(path, outer)
        return self._found[path]

    def _begin_following(self, place: str | tuple[str, str]) -> Followed | None:
        """Begin to follow another name; return the outer one, for `_end_following`."""
        outer, self._following = self._following, Followed()
        self._followed[place] = UNDERWAY
        return outer

    def _end_following(self, place: str | tuple[str, str], outer: Followed | None) -> None:
        assert self._following is not None
        self._followed[place], self._following = self._following, outer
        self._rest_on(place)

    def _rest_on(self, place: str | tuple[str, str]) -> None:
        """Record that the name being followed depends on one that is already known."""
        if self._following is not None and place in self._followed:
            self._following.rest_on(self._followed[place])

    def number_behind(self, definition: Term, name: str) -> Term:
        """The number that an imported name stands for, else the definition itself."""
        if definition.operation is not QUALIFIED or not _may_name_number(name):
            return definition
        found = self.imported(str(definition.detail))
        return found if found is not None and is_arithmetic(found) else definition

    def number_of_member(self, member: Term, name: str, written: str | None) -> Term:
        number = self.number_behind(member, name)
        if number is member or written is None or self.project is None:
            return number
        above = absolute(str(member.detail).rpartition(".")[0], self.project.package)
        return self.member_behind(member, written, self._module(above), number)

    def object_behind(self, receiver: Term) -> Term:
        inner = peel(receiver)
        if inner.operation is not QUALIFIED:
            return receiver
        found = self.imported(str(inner.detail))
        return found if found is not None and found.key in self.instances else receiver

    def behind_name(self, definition: Term) -> Term:
        inner = peel(definition)
        if self.home is None or inner.operation is not QUALIFIED:
            return inner
        return self.imported(str(inner.detail)) or inner

    def _resolved(self, path: str) -> Term | None:
        """The value of a qualified name that a module binds, or of a member of such a value."""
        parts = path.split(".")
        module = self._module(parts[0])
        for place, name in enumerate(parts[1:_PARTS_MOST], 1):
            if module is None:
                return None
            below = self._module(".".join(parts[: place + 1])) if module.is_package else None
            rest = parts[place + 1 :]
            if below is not None and rest:
                module = below
                continue
            member = self.member(module, name)
            if member is None or not rest:
                return member
            inner = peel(member)
            if inner.operation is not QUALIFIED:
                return None
            onward = ".".join((str(inner.detail), *rest))
            if registry.framework_of(onward) is not None:
                return self.build.leaf(QUALIFIED, onward)
            return self.imported(onward)
        return None

    def _module(self, name: str) -> Module | None:
        if name not in self._modules:
            assert self.project is not None
            self._modules[name] = self.project.module(name) if name else None
        if self._following is not None:
            self._following.modules.add(name)
        return self._modules[name]

    def member(self, module: Module, name: str) -> Term | None:
        """The value that a module binds to a name, if exactly one statement does."""
        place = (module.name, name)
        if place in self._members:
            if self._following is not None:
                self._rest_on(place)
            return self._members[place]
        self._members[place] = None
        if module.mentions(name) or module.stars:
            outer = self._begin_following(place)
            found = self._members[place] = self._settled(module, name)
            if found is not None:
                self._note_found(module)
            self._end_following(place, outer)
        return self._members[place]

    def _note_found(self, module: Module) -> None:
        self.found_in.add(module.file)
        if self._following is not None:
            self._following.files.add(module.file)

    def _settled(self, module: Module, name: str) -> Term | None:
        """The value that a module binds to a name, reused from an earlier file where possible."""
        followed, at = self._following, (name, self.home is not None)
        assert followed is not None
        if self.volatile:
            followed.is_open = True
            return self._evaluated(module, name)
        settled = module.settled.get(at)
        if settled is not None and self._is_within(settled):
            followed.modules.update(one for one, _, _ in settled.modules)
            followed.files |= settled.files
            followed.hops = settled.hops
            self.found_in |= settled.files
            self.budget -= settled.statements
            self._stars_left -= settled.stars
            return settled.term(self.build)
        budget, stars = self.budget, self._stars_left
        found = self._evaluated(module, name)
        if not followed.is_open and is_settled_by(found):
            modules = tuple(
                (one, None if known is None else known.version, "" if known is None else known.file)
                for one, known in ((one, self._modules[one]) for one in followed.modules)
            )
            module.settled[at] = Settled(
                found.operation if found is not None else None,
                found.detail if found is not None else None,
                modules,
                frozenset(followed.files),
                followed.hops,
                budget - self.budget,
                stars - self._stars_left,
            )
        return found

    def _is_within(self, settled: Settled) -> bool:
        """Whether evaluating the name anew would find the same, within the same limits."""
        return (
            self._hops + settled.hops <= _HOPS_MOST
            and settled.statements < self.budget
            and settled.stars <= self._stars_left
            and settled.holds(self._module, self.home.file if self.home is not None else "")
        )

    def registered_in(self, receiver: Term, name: str) -> Term | None:
        if not self.tables or self.home is None:
            return None
        key = peel(receiver).key
        kept = self.tables.get(key)
        if isinstance(kept, tuple):
            kept = self.tables[key] = filled_in(self, *kept, peel(receiver))
        return kept if kept is not None and self.starts_empty(receiver, name) else None

    def module_at(self, path: str) -> Module | None:
        """The module of the project that a path names, else the one that binds what it names."""
        top = self._module(path.partition(".")[0])
        if top is None:
            return None
        return self._module(path) or self._module(path.rpartition(".")[0])

    def members_of(self, namespace: Term) -> tuple[Term, ...]:
        if is_own_names(namespace):
            return self.own_members()
        module = self._module_of(namespace) if self.project is not None else None
        names = self._callables(module, _STARS_FEW) if module is not None else ()
        if module is None or len(names) > MEMBERS_MOST:
            return ()
        found = (self.member(module, name) for name in names)
        return tuple(one for one in found if one is not None and self.is_callable(one))

    def own_members(self) -> tuple[Term, ...]:
        """The functions and classes that the module itself defines or imports."""
        raise NotImplementedError

    def _module_of(self, namespace: Term) -> Module | None:
        """The module of the project that a value is, or whose names it holds: `vars(module)`."""
        inner = qualified(namespace)
        if inner.detail == "call builtins.vars" and inner.operands[1:]:
            inner = qualified(inner.operands[1])
        path = str(inner.detail).removesuffix(".__dict__")
        if inner.operation is not QUALIFIED or not may_be_of_project(path):
            return None
        assert self.project is not None
        name = absolute(path, self.project.package)
        top = self._module(name.partition(".")[0])
        return self._module(name) if top is not None else None

    def _callables(self, module: Module, depth: int) -> Sequence[str]:
        """The names of functions and classes of a module, with those that it imports by `*`."""
        names = dict.fromkeys(module.callables)
        for star in module.stars if depth else ():
            further = self._module(absolute(star, package_of(module)))
            names.update(dict.fromkeys(self._callables(further, depth - 1) if further else ()))
        return tuple(names)

    def _evaluated(self, module: Module, name: str) -> Term | None:
        followed = self._following
        assert followed is not None
        if self.home is not None and module.file == self.home.file:
            followed.is_open = True
            bound = self.home.names.lookup(name)
            return self._at_home(bound, module, name) if bound is not None else None
        if self._hops >= _HOPS_MOST:
            followed.is_open = True
            return None
        self._hops += 1
        saved = (self.depth, self.visiting, self._entered)
        self.depth, self.visiting, self._entered = 0, None, set()
        try:
            onward = module.imports(name)
            if onward:
                return self._passed_on(module, onward)
            if not module.binds(name):
                return self._starred(module, name)
            with self.apart(State(Environment(self._environment(module)))):
                self.scope = Scope("<module>", "module")
                return self._value(module, name)
        finally:
            self._hops -= 1
            self.depth, self.visiting, self._entered = saved
            followed.hops += 1

    def _at_home(self, bound: Term, module: Module, name: str) -> Term | None:
        """The value that the analysed file binds to a name, as seen from another file."""
        return self._kept(peel(bound), module, name)

    def _value(self, module: Module, name: str) -> Term | None:
        environment = self.state.environment
        text = module.class_text(name)
        if text is not None:
            scope = Scope(text.name, "class", self.scope, is_elsewhere=True)
            return self.class_value(Blueprint(text, environment, scope, module))
        filling = module.filled(name)
        if filling:
            return self._filled(module, name, filling)
        match module.binding(name):
            case None:
                return self._starred(module, name)
            case ir.Function() as function:
                simple = self.is_seen_through(function, environment)
                closure = self.closure_of(function, environment, self.scope, simple=simple)
                return self.build.leaf(FUNCTION, closure, key=closure.key)
            case ir.Assign(_, (ir.Name(),), value):
                return self._kept(peel(self.evaluate(value)), module, name)
            case _:
                return None

    def _filled(self, module: Module, name: str, filling: ir.Block) -> Term | None:
        """The value of a name after the statements that fill it."""
        for one in filling:
            self.statement(one)
        found = self.state.environment.own(name)
        return self._kept(peel(found), module, name) if found is not None else None

    def _kept(self, term: Term, module: Module, name: str) -> Term | None:
        """A value if it never changes; of a dictionary at least the callable values."""
        if term.key in self.instances:
            self.tables.setdefault(term.key, (module, name))
        if self.is_stateless(term):
            return term
        if is_dict(term) and self._following is not None:
            self._following.is_open = True  # other files may fill it
        if is_dict(term) and not term.operands and self.home is not None:
            return filled_in(self, module, name, term)
        kept = term.operands if is_dict(term) else ()
        pairs = zip(kept[::2], kept[1::2], strict=True)
        called = [part for pair in pairs if self.is_callable(pair[1]) for part in pair]
        return self.opaque(DICT, tuple(called), None) if called else None

    def statement(self, statement: ir.Statement) -> None:
        """Evaluate a statement."""
        raise NotImplementedError

    def _passed_on(self, module: Module, path: str) -> Term | None:
        if registry.framework_of(path) is not None:
            return self.build.leaf(QUALIFIED, path)
        onward = absolute(path, package_of(module))
        if not onward:
            return None
        return self.imported(onward) or self.build.leaf(QUALIFIED, onward)

    def _starred(self, module: Module, name: str) -> Term | None:
        for star in module.stars if not name.startswith("_") else ():
            if registry.framework_of(f"{star}.") is not None:
                if name in registry.members(star):
                    return self.build.leaf(QUALIFIED, f"{star}.{name}")
                continue
            if self._stars_left <= 0:
                if self._following is not None:
                    self._following.is_open = True
                return None
            self._stars_left -= 1
            found = self.imported(f"{absolute(star, package_of(module))}.{name}")
            if found is not None:
                return found
        return None

    def _environment(self, module: Module) -> Environment:
        if module.name not in self._environments:

            def find(name: str) -> Term | None:
                found = self.member(module, name)
                if found is not None:
                    return found
                unbound = Evaluator.unbound(self, name)
                if unbound.operation is QUALIFIED and not module.binding(name):
                    return None
                return self.build.leaf(INPUT, name, key=self.build.number(module.name, name))

            self._environments[module.name] = _ModuleNames(find)
        return self._environments[module.name]
