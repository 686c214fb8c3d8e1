"""Registries: dictionaries and objects that a decorator fills with functions and classes.

An entry by another module counts if the file that asks imports that module.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from mllint_nan.flow.containers import DICT, is_dict, with_key_changed
from mllint_nan.flow.modules import Module, absolute, may_be_of_project, package_of
from mllint_nan.flow.state import Closure, Registration
from mllint_nan.ir import program as ir
from mllint_nan.ir.blocks import statements
from mllint_nan.ir.term import FUNCTION, QUALIFIED, Term, held, peel

if TYPE_CHECKING:
    from mllint_nan.flow.foreign import Foreign

_MODULES_MOST: Final = 24
"""How many modules are searched for what they put into a registry."""
_MEMBERS_MOST: Final = 48


def note_registered(
    at: Foreign, decorators: tuple[ir.Expression, ...], name: str, member: Term
) -> None:
    """Record a decorated definition in the registries that its decorators fill."""
    for decorator in decorators:
        root, key = _root_of(decorator), _key_of(decorator) or name
        if root is None:
            continue
        registry = peel(at.reference(root, None))
        is_elsewhere = registry.operation is QUALIFIED and may_be_of_project(str(registry.detail))
        if is_elsewhere or registry.key in at.instances:
            at.analysis.registered.append(Registration(registry, key, member))
        elif registry.operation is FUNCTION:
            for table in tables_of(registry.detail):
                kept = at.state.environment.own(table)
                if kept is not None and is_dict(kept):
                    filled = with_key_changed(at, kept, at.build.constant(key), member)
                    at.bind(table, filled if filled is not None else kept)


def tables_of(function: Closure) -> frozenset[str]:
    """The names of the tables in which a function, or one in it, stores something by a key."""
    if not isinstance(function.body, tuple):
        return frozenset()
    return frozenset(
        target.base.name
        for one in statements(function.body)
        if isinstance(one, ir.Assign) and isinstance(one.value, ir.Name)
        for target in one.targets
        if isinstance(target, ir.Subscript) and isinstance(target.base, ir.Name)
    )


def tables_at(at: Foreign, path: str) -> frozenset[str]:
    """The names of the tables that the decorator at a path fills, in its module."""
    found = at.imported(path)
    inner = peel(found) if found is not None else None
    if inner is None:
        return frozenset()
    if inner.operation is FUNCTION:
        return tables_of(inner.detail)
    is_object = inner.key in at.instances
    return frozenset((path.rpartition(".")[2],)) if is_object else frozenset()


def gives_back(function: Closure) -> bool:
    """Whether a decorator returns nothing but what it decorates."""
    if not isinstance(function.body, tuple):
        return False
    names = {parameter.name for parameter in function.parameters}
    given = [one.value for one in function.body if isinstance(one, ir.Return)]
    return bool(given) and all(isinstance(one, ir.Name) and one.name in names for one in given)


def filled_in(at: Foreign, home: Module, name: str, registry: Term) -> Term | None:
    """Return a module's registry, as a dictionary; `None` if nothing visible fills it."""
    operands: list[Term] = []
    for key, member in _members(at, home, name, registry):
        if at.is_callable(member) and len(operands) < 2 * _MEMBERS_MOST:
            operands += (at.build.constant(key), held(member))
    return at.opaque(DICT, tuple(operands), None) if operands else None


def _members(at: Foreign, home: Module, name: str, registry: Term) -> Iterator[tuple[str, Term]]:
    seen = at.home
    for one in seen.registered if seen is not None else ():
        found: Term | None = one.registry
        if one.registry.operation is QUALIFIED and seen is not None:
            found = at.imported(absolute(str(one.registry.detail), seen.package))
        if found is not None and _fills(at, found, home, name, registry):
            yield one.key, one.member
    for module in _modules_imported(at):
        for root, key, definition in module.registrations:
            found = at.member(module, root)
            if found is not None and _fills(at, found, home, name, registry):
                member = at.member(module, definition)
                if member is not None:
                    yield key, member


def _fills(at: Foreign, decorator: Term, home: Module, name: str, registry: Term) -> bool:
    """Whether a decorator puts definitions into a registry: it is the registry, or fills it."""
    inner = peel(decorator)
    if inner.operation is not FUNCTION:
        return inner.key == registry.key
    if not is_dict(registry) or name not in tables_of(inner.detail):
        return False
    known = at.member(home, inner.detail.name)
    return known is not None and peel(known).key == inner.key


def _modules_imported(at: Foreign) -> Iterator[Module]:
    """Yield the modules of the project that the file, or a package that it imports, imports."""
    assert at.project is not None
    paths = [path for one, _ in at.analysis.imports for _, path in one.bindings]
    pending = [absolute(path, at.project.package) for path in paths if may_be_of_project(path)]
    seen: set[str] = set()
    while pending and len(seen) < _MODULES_MOST:
        module = at.module_at(pending.pop(0))
        if module is None or module.name in seen:
            continue
        seen.add(module.name)
        yield module
        if module.is_package:
            pending += [absolute(path, package_of(module)) for path in module.modules_imported]


def _root_of(decorator: ir.Expression) -> str | None:
    """The first name in a decorator: `LOSSES` of `@LOSSES.register("dice")`."""
    inner = decorator.callee if isinstance(decorator, ir.Call) else decorator
    while isinstance(inner, ir.Attribute):
        inner = inner.base
    return inner.name if isinstance(inner, ir.Name) else None


def _key_of(decorator: ir.Expression) -> str | None:
    """The key in a decorator: `dice` of `@LOSSES.register("dice")`."""
    match decorator:
        case ir.Call(_, _, (ir.Argument(value=ir.Constant(_, str(key))), *_)):
            return key
        case _:
            return None
