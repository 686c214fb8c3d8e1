"""Methods that a class leaves to its subclasses, and their definitions in other files."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice
from typing import TYPE_CHECKING, Final

from mllint_nan.ir import program as ir
from mllint_nan.ir.term import INPUT, OPAQUE, Term, peel, walk

if TYPE_CHECKING:
    from mllint_nan.flow.interpreter import Interpreter
    from mllint_nan.flow.modules import CallingFile
    from mllint_nan.flow.state import Occurrence, Scope

_OPERAND_MOST: Final = 200
"""How much of a term is searched for a call."""
_CLASSES_MOST: Final = 12
"""How many subclasses in one file the methods of another file are evaluated for."""


def leaves_to_subclasses(occurrence: Occurrence) -> bool:
    """Whether an operation depends on a method that its class leaves to subclasses."""
    owner = occurrence.scope.owner
    return owner is not None and any(
        is_abstract(owner, _method_called(part))
        for part in islice(walk(occurrence.term), _OPERAND_MOST)
    )


def _method_called(term: Term) -> str:
    """The name of the method of `self` that is called: `variance` of `self.variance()`."""
    what = str(term.detail) if term.operation is OPAQUE else ""
    if not what.startswith("call ") or not term.operands:
        return ""
    receiver = peel(term.operands[0])
    is_own = receiver.operation is INPUT and receiver.detail == "self"
    return what.removeprefix("call ") if is_own else ""


def is_abstract(owner: Scope, method: str) -> bool:
    """Whether a class defines a method only to raise, so that subclasses define it."""
    if not method or not isinstance(owner.node, ir.Class):
        return False
    return any(
        isinstance(statement, ir.Function)
        and statement.name == method
        and any(isinstance(one, ir.Raise) for one in statement.body[-1:])
        and all(isinstance(one, (ir.Raise, ir.Evaluate)) for one in statement.body)
        for statement in owner.node.body
    )


def visit_subclasses(home: Interpreter, caller: CallingFile, leaving: Collection[str]) -> None:
    """Evaluate methods of some classes as subclasses in another file complete them."""
    for path in caller.subclasses(leaving)[:_CLASSES_MOST] if leaving else ():
        home.visit_as(path, caller.file)
