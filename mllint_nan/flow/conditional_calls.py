"""Calls that call one of several functions, as a condition says: `tf.cond(test, f, g)`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from mllint_nan.flow.containers import is_display
from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.flow.facts import facts_of
from mllint_nan.flow.queries import names_within
from mllint_nan.flow.several_callees import SeveralCallees
from mllint_nan.ir import program as ir
from mllint_nan.ir.term import FUNCTION, REFERENCE, Term, peel

_PARAMETERS: Final[Mapping[str, tuple[str, str, str]]] = {
    "tensorflow.cond": ("pred", "true_fn", "false_fn"),
    "jax.lax.cond": ("pred", "true_fun", "false_fun"),
    "keras.ops.cond": ("pred", "true_fn", "false_fn"),
    "torch.cond": ("pred", "true_fn", "false_fn"),
}
_BY_NUMBER: Final = frozenset(("jax.lax.switch", "tensorflow.switch_case"))
_OLDER: Final[Mapping[str, str]] = {"fn1": "true_fn", "fn2": "false_fn"}


class _Branches(NamedTuple):
    """A condition, the functions that are called if it holds and if not, and their arguments."""

    condition: Term
    if_true: Term
    if_false: Term
    arguments: Arguments


def call_by_condition(
    at: SeveralCallees, site: object, path: str, framework: str | None, arguments: Arguments
) -> Term | None:
    """What either function returns, each called where the condition says so.

    `None` if the call at this canonical path chooses no functions, or unknown ones.
    """
    if path in _BY_NUMBER:
        return _call_by_number(at, site, arguments)
    branches = _branches_of(path, arguments)
    if branches is None:
        return None
    condition, *callees, given = branches
    before, results = at.state.facts, list[Term]()
    for holds, callee in zip((True, False), callees, strict=True):
        at.assume(condition, holds)
        result = at.call_one(callee, given)
        _narrow(at, callee)
        at.state = at.state.with_facts(before)
        if result is None:
            return None
        results.append(result)
    at.opaque(f"call {path}", (condition,), None, framework=framework)  # it is used
    paths = (facts_of(condition, True), facts_of(condition, False))
    return at.choice(tuple(results), site, "conditional", paths)


def _call_by_number(at: SeveralCallees, site: object, arguments: Arguments) -> Term | None:
    """What any function of a list returns."""
    if len(arguments.positional) < 2 or not is_display(arguments.positional[1]):
        return None
    given = Arguments(arguments.positional[2:], {})
    results = [at.call_one(one, given) for one in peel(arguments.positional[1]).operands]
    known = tuple(one for one in results if one is not None)
    if not known or len(known) < len(results):
        return None
    return at.choice(known, site, "conditional")


def _branches_of(path: str, arguments: Arguments) -> _Branches | None:
    parameters = _PARAMETERS.get(path)
    if parameters is None or arguments.others:
        return None
    given = dict(zip(parameters, arguments.positional, strict=False))
    for name, value in arguments.keywords.items():
        given[_OLDER.get(name, name)] = value
    if not given.keys() >= {*parameters}:
        return None
    operands = arguments.positional[3:] if path == "jax.lax.cond" else ()
    if path == "torch.cond" and len(arguments.positional) == 4:
        if not is_display(arguments.positional[3]):
            return None
        operands = peel(arguments.positional[3]).operands
    condition, if_true, if_false = (given[name] for name in parameters)
    return _Branches(condition, if_true, if_false, Arguments(tuple(operands), {}))


def _narrow(at: SeveralCallees, callee: Term) -> None:
    """Evaluate a function that is called nowhere else where the condition holds."""
    inner = peel(callee)
    if inner.operation is not FUNCTION:
        return
    closure = inner.detail
    if callee.operation is REFERENCE and not _is_named_once(closure.name, closure.scope.node):
        return
    for waiting in reversed(at.deferred):
        if waiting.closure.key == closure.key:
            waiting.state = at.state
            return


def _is_named_once(name: str, around: object) -> bool:
    """Whether a function uses a name of a nested one a single time."""
    return isinstance(around, ir.Function) and names_within(around.body).count(name) == 1
