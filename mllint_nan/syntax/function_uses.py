"""What each use of a function passes for one of its parameters, in a call or a derivative."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from mllint_nan.syntax.bindings import Bindings, Function, has_parameter, places_of
from mllint_nan.syntax.traversal import name_called
from mllint_nan.syntax.value_flow_calls import WITHOUT_GRADIENTS, decorator_name

_TAKES_ARGUMENTS: Final = frozenset(
    (
        *("grad", "value_and_grad", "jacfwd", "jacrev", "hessian"),
        *("filter_grad", "filter_value_and_grad"),
    )
)
"""Functions whose result has the same parameters and differentiates by some of them."""
_MAPS: Final = frozenset(("vmap", "pmap", "filter_vmap", "filter_pmap"))
_SAME: Final = frozenset(("jit", "remat", "checkpoint", "named_call", "filter_jit"))
"""Functions of JAX that return a function equivalent to their argument."""
_COMPILES: Final = frozenset(("function", "script", "compile", "njit"))
"""Such functions elsewhere."""
_DECORATES: Final = frozenset(
    (*_MAPS, *_SAME, *_COMPILES, *WITHOUT_GRADIENTS, "staticmethod", "lru_cache", "cache", "wraps")
)
_ANY: Final = _TAKES_ARGUMENTS | _MAPS | _SAME | _COMPILES
_HOPS_MOST: Final = 6


class Wanted(NamedTuple):
    """The parameter in question, as the calls of its function may pass it."""

    name: str
    place: int | None
    """Its position among the positional parameters, without a method's object."""
    default: ast.expr | None

    @classmethod
    def of(cls, function: Function, name: str, *, is_method: bool) -> Wanted | None:
        """`None` if the function has no such parameter, or it takes all remaining arguments."""
        if not has_parameter(function, name):
            return None
        names, defaults = places_of(function)
        is_bound = is_method and not _is_static(function)
        names = names[1:] if is_bound else names
        place = names.index(name) if name in names else None
        return cls(name, place, defaults.get(name))

    def given_by(self, call: ast.Call, before: int = 0) -> ast.expr | None:
        """The argument in a call, after `before` arguments passed earlier; `None` if hidden."""
        if any(one.arg is None for one in call.keywords):
            return None
        for keyword in call.keywords:
            if keyword.arg == self.name:
                return keyword.value
        place = self.place - before if self.place is not None else None
        if place is None or place >= len(call.args):
            is_starred = any(isinstance(one, ast.Starred) for one in call.args)
            return None if is_starred else self.default
        is_hidden = place < 0 or any(isinstance(one, ast.Starred) for one in call.args[: place + 1])
        return None if is_hidden else call.args[place]

    def is_missing_in(self, call: ast.Call) -> bool:
        """Whether a call passes nothing for a required parameter: it calls another function."""
        is_open = any(one.arg in (None, self.name) for one in call.keywords)
        is_open = is_open or any(isinstance(one, ast.Starred) for one in call.args)
        if is_open or self.default is not None:
            return False
        return self.place is None or self.place >= len(call.args)


def decorations_of(function: Function, wanted: Wanted) -> bool:
    """Whether no decorator differentiates by the parameter, or keeps the function for others."""
    if isinstance(function, ast.Lambda):
        return False
    for decorator in function.decorator_list:
        name = decorator_name(decorator)
        if name in _TAKES_ARGUMENTS:
            numbers = argument_numbers(decorator, 1) if isinstance(decorator, ast.Call) else (0,)
            if numbers is None or wanted.place in numbers:
                return False
        elif name not in _DECORATES:
            return False
    return True


def uses_of(
    bindings: Bindings, node: ast.AST, wanted: Wanted, hops: int = _HOPS_MOST
) -> Iterator[ast.expr | str | None]:
    """Yield the arguments for a parameter where its function, or what is made of it, is used.

    A string is another name of the function in its module. `None` stands for an unknown argument,
    or for a gradient with respect to the parameter.
    """
    parent = bindings.parents.get(node)
    match parent:
        case ast.Call(func) if func is node:
            yield wanted.given_by(parent)
        case ast.Call(args=[first, *_]) if first is node and _gives_same(parent, wanted):
            yield from uses_of(bindings, parent, wanted, hops)
        case ast.Assign([ast.Name(name) as target], value) if value is node and hops:
            if isinstance(bindings.scope_of(target), ast.Module):
                yield name
            for read in _loads_of(bindings, target):
                yield from uses_of(bindings, read, wanted, hops - 1)
        case _:
            yield None


@dataclass(slots=True)
class Gradients:
    """What the uses of a function show of the gradients by one of its parameters."""

    values: list[ast.expr] = field(default_factory=list)
    """The arguments for it where the function itself is called."""
    names: list[str] = field(default_factory=list)
    """Other names of the function in its module."""
    place: ast.AST | None = None
    """A gradient of the function that is taken by other parameters alone."""
    is_known: bool = True
    """Whether no use may differentiate by the parameter."""

    def add(
        self,
        bindings: Bindings,
        node: ast.AST,
        wanted: Wanted,
        hops: int = _HOPS_MOST,
        *,
        is_gradient: bool = False,
    ) -> None:
        """Look at a use of the function, or of what is made of it: of its gradient."""
        parent = bindings.parents.get(node)
        match parent:
            case ast.Call(func) if func is node:
                value = wanted.given_by(parent)
                if is_gradient:
                    return
                if value is None:
                    self.is_known = False
                else:
                    self.values.append(value)
            case ast.Call(args=[first, *_]) if first is node and name_called(parent) in _ANY:
                if not takes_others(parent, wanted):
                    self.is_known = False
                    return
                is_taken = name_called(parent) in _TAKES_ARGUMENTS
                self.place = parent if is_taken else self.place
                self.add(bindings, parent, wanted, hops, is_gradient=is_gradient or is_taken)
            case ast.Assign([ast.Name(name) as target], value) if value is node and hops:
                if isinstance(bindings.scope_of(target), ast.Module) and not is_gradient:
                    self.names.append(name)
                for read in _loads_of(bindings, target):
                    self.add(bindings, read, wanted, hops - 1, is_gradient=is_gradient)
            case _:
                self.is_known = self.is_known and is_gradient


def takes_others(call: ast.Call, wanted: Wanted) -> bool:
    """Whether a transformation of a function takes no gradient by a parameter."""
    if name_called(call) not in _TAKES_ARGUMENTS:
        return True
    numbers = argument_numbers(call, 1)
    return numbers is not None and wanted.place not in numbers


def gradient_of(function: Function) -> ast.expr | None:
    """The decorator that makes a function one that returns its gradient."""
    decorators = () if isinstance(function, ast.Lambda) else function.decorator_list
    return next((one for one in decorators if decorator_name(one) in _TAKES_ARGUMENTS), None)


def is_differentiated(bindings: Bindings, function: Function) -> bool:
    """Whether a gradient of a function is taken where it is defined."""
    if gradient_of(function) is not None:
        return True
    named: list[ast.AST] = [function]
    if not isinstance(function, ast.Lambda):
        reads = bindings.named.get(function.name, ())
        named = [
            one for one in reads if isinstance(one, ast.Name) and _may_be(bindings, one, function)
        ]
    return any(_is_taken_of(bindings, one) for one in named)


def _may_be(bindings: Bindings, name: ast.Name, function: Function) -> bool:
    return function in (bindings.made(name) or ())


def _is_taken_of(bindings: Bindings, node: ast.AST) -> bool:
    parent = bindings.parents.get(node)
    is_first = isinstance(parent, ast.Call) and bool(parent.args) and parent.args[0] is node
    if not isinstance(parent, ast.Call) or not is_first:
        return False
    name = name_called(parent)
    return name in _TAKES_ARGUMENTS or (name in _SAME and _is_taken_of(bindings, parent))


def _gives_same(call: ast.Call, wanted: Wanted) -> bool:
    """Whether a call returns a function of the same parameters, not differentiated by this one."""
    name = name_called(call)
    if name in _MAPS:
        return True
    if name in _SAME or name in _COMPILES:
        return len(call.args) == 1
    if name not in _TAKES_ARGUMENTS:
        return False
    numbers = argument_numbers(call, 1)
    return numbers is not None and wanted.place is not None and wanted.place not in numbers


def argument_numbers(call: ast.Call, place: int) -> tuple[int, ...] | None:
    """The arguments by which a transformation of JAX differentiates; `None` if that is unknown."""
    given = next((one.value for one in call.keywords if one.arg == "argnums"), None)
    if any(one.arg in (None, "argnames") for one in call.keywords):
        return None
    if given is None and len(call.args) > place:
        given = call.args[place]
    if given is None:
        return (0,)
    try:
        found = ast.literal_eval(given)
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return None
    several = found if isinstance(found, (tuple, list)) else (found,)
    is_told = all(isinstance(one, int) and one >= 0 for one in several)
    return tuple(several) if is_told else None


def _loads_of(bindings: Bindings, target: ast.Name) -> Iterator[ast.Name]:
    """Yield the places where a variable is read in the scope that binds it."""
    scope = bindings.scope_of(target)
    for node in bindings.named.get(target.id, ()):
        if isinstance(node, ast.Name) and bindings.scope_of(node) is scope:
            yield node


def _is_static(function: Function) -> bool:
    if isinstance(function, ast.Lambda):
        return False
    return any(decorator_name(one) == "staticmethod" for one in function.decorator_list)
