"""Whether a module trains: its calls take gradients and update something by them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Final

from mllint_nan.frameworks.differentiation import BACKWARD, OF_VALUES, STEPS, TRANSFORMS
from mllint_nan.syntax.definitions import bound_as, nodes_in
from mllint_nan.syntax.traversal import name_called

TRAINING_STEPS: Final = frozenset(("training_step",))
"""Methods that a framework's trainer calls, which itself takes gradients and updates by them."""
COMPILES: Final = "compile"
"""The method of a Keras model that gets the loss."""
_OF_VALUES: Final = OF_VALUES - {"add_loss"}
TAKES: Final = BACKWARD | TRANSFORMS | _OF_VALUES
"""Calls that take gradients."""
MOVES: Final = STEPS
"""Calls that update something by gradients."""
_UNTRACED: Final = ("numpy", "scipy")
"""Modules whose functions only take differences of numbers."""
_ACTS: Final = (ast.For, ast.While, ast.With, ast.Expr)
"""Statements that do something when a module is run."""
_TELLING: Final = frozenset((ast.Import, ast.ImportFrom, ast.ClassDef, ast.Call))


def trains(tree: ast.Module) -> bool:
    """Whether a module contains a training step, or something that a framework turns into one.

    Gradients alone are not enough: libraries that differentiate train nothing themselves.
    """
    told = [node for node in nodes_in(tree) if type(node) in _TELLING]
    untraced = _untraced_in(told)
    takes, moves = False, False
    for node in told:
        match node:
            case ast.ClassDef(body=body):
                if any(getattr(one, "name", "") in TRAINING_STEPS for one in body):
                    return True
            case ast.Call():
                name = name_called(node)
                if name == COMPILES and any(one.arg == "loss" for one in node.keywords):
                    return True
                if name in TAKES or name in MOVES:
                    is_traced = _first_name(node.func) not in untraced
                    takes = takes or (is_traced and name in TAKES)
                    moves = moves or (is_traced and name in MOVES)
            case _:
                pass
        if takes and moves:
            return True
    return False


def takes_gradients(tree: ast.AST) -> bool:
    """Whether a module takes gradients."""
    told = [node for node in nodes_in(tree) if type(node) in _TELLING]
    untraced = _untraced_in(told)
    calls = (node for node in told if isinstance(node, ast.Call) and name_called(node) in TAKES)
    return any(_first_name(call.func) not in untraced for call in calls)


def takes_gradients_itself(tree: ast.Module) -> bool:
    """Whether running a module takes gradients, directly or in functions that it names.

    Mere setup, as in libraries, takes none: `jax.config.update(...)`.
    """
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    untraced = _untraced_in(tree.body)
    if any(_takes_of_value(node, untraced) for node in tree.body):
        return True
    pending: list[ast.AST] = [node for node in tree.body if _does_act(node)]
    seen: set[str] = set()
    while pending:
        part = pending.pop()
        if takes_gradients(part):
            return True
        called = {one.id for one in nodes_in(part) if isinstance(one, ast.Name)}
        pending += [functions[name] for name in called & functions.keys() - seen]
        seen |= called
    return False


def _does_act(node: ast.stmt) -> bool:
    """Whether a statement of a module does something when it is run, perhaps as a script."""
    return isinstance(node, _ACTS) or (
        isinstance(node, ast.If)
        and any(isinstance(one, ast.Name) and one.id == "__name__" for one in nodes_in(node.test))
    )


def _takes_of_value(node: ast.stmt, untraced: frozenset[str]) -> bool:
    """Whether a statement of a module takes gradients of a value: `step = adam.minimize(loss)`."""
    call = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
    if not isinstance(call, ast.Call) or name_called(call) not in _OF_VALUES:
        return False
    return _first_name(call.func) not in untraced


def _untraced_in(nodes: Iterable[ast.AST]) -> frozenset[str]:
    return frozenset(name for node in nodes for name in _untraced_by(node))


def _untraced_by(node: ast.AST) -> Iterator[str]:
    """Yield the names that an import binds to something that takes no part in a gradient."""
    match node:
        case ast.Import(names):
            yield from (bound_as(one) for one in names if one.name.startswith(_UNTRACED))
        case ast.ImportFrom(str(module), names) if module.startswith(_UNTRACED):
            yield from map(bound_as, names)
        case _:
            pass


def _first_name(node: ast.expr) -> str:
    """The first name of a dotted chain: `np` for `np.random.step`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def acts(tree: ast.Module) -> bool:
    """Whether a module does anything other than define when it is run."""
    return any(
        isinstance(node, (ast.For, ast.While, ast.With))
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call))
        for node in tree.body
    )
