"""Operands that get a name of their own, because a fix would compute them more than once.

This is common subexpression elimination: Aho, Lam, Sethi and Ullman, "Compilers" (2nd ed.),
section 9.1.4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from mllint_nan.findings import Edit, Span
from mllint_nan.fixing.lifting import role_of, statement_of
from mllint_nan.fixing.replacement import edit_at, replacement
from mllint_nan.flow.state import Occurrence, Scope, State
from mllint_nan.ir import program as ir
from mllint_nan.ir.term import REFERENCE, Term, peel
from mllint_nan.rulebook.judge import Judge
from mllint_nan.rulebook.match import Substitution
from mllint_nan.rulebook.rule import Repair
from mllint_nan.syntax.precedence import ATOM, Text, Unrenderable, Withheld, level_of
from mllint_nan.syntax.render import Renderer
from mllint_nan.syntax.repeatable import is_cheap, is_fixed, is_repeatable
from mllint_nan.syntax.source import Source

_READ_OFTEN = 3
"""The number of uses from which even a cheap operand gets a name."""


@dataclass(frozen=True, slots=True)
class Hoist:
    """Give an operand a name of its own, one line above the statement that computes it."""

    statement: Span
    operand: Term
    name: str


def _is_dotted(node: cst.BaseExpression) -> bool:
    """Whether a node is a name, or an attribute of one."""
    while isinstance(node, cst.Attribute):
        node = node.value
    return isinstance(node, cst.Name)


def _role(part: Term) -> str:
    """The word for an operand of this operation, as part of a new name."""
    return "logits" if peel(part).operation.name in ("softmax", "sigmoid") else "input"


def node_of(hoist: Hoist) -> cst.BaseExpression:
    assert isinstance(hoist.operand.site, cst.BaseExpression)
    return hoist.operand.site


def _is_first(part: Term, operand: Term) -> bool:
    """Whether evaluating `part` computes `operand` before anything else."""
    while True:
        part = peel(part)
        if not part.operands:
            return False
        first = part.operands[0]
        if first is operand:
            return True
        if first.operation is REFERENCE or part.operation.kind == "leaf":
            return False
        part = first


class Hoisting:
    """Finds the operands of a fix that are to be computed beforehand, and writes them."""

    def __init__(self, source: Source, judge: Judge) -> None:
        self.source = source
        self.judge = judge
        self._computing: set[int] | None = None
        """The `id` of every call that does nothing but compute; `None` until needed."""

    def hoists(
        self,
        repair: Repair,
        found: Substitution,
        target: Occurrence,
        span: Span,
        renderer: Renderer,
    ) -> Iterator[Hoist]:
        """Yield the operands that would cost or change something if they were computed again."""
        for name in sorted(repair.rewrite.variables()):
            term = found.terms.get(name)
            if term is None or not isinstance(term.site, cst.BaseExpression):
                continue
            inside = span.contains(self.source.span(term.site))
            is_short = is_cheap(term) or (term.operation.kind == "leaf" and _is_dotted(term.site))
            if inside and (is_short or repair.rewrite.uses(name) < 2):
                continue
            if not inside and is_fixed(term):
                continue
            is_repeated = is_repeatable(term) and renderer.is_unchanged(term)
            if is_repeated and (not inside or repair.rewrite.uses(name) < _READ_OFTEN):
                continue
            hoist = self._hoist(term, found, target)
            if hoist is None and inside:
                hoist = self._lifted(term, found, target)
            if hoist is not None:
                renderer.substituted[id(term)] = hoist.name
                yield hoist

    def _hoist(self, term: Term, found: Substitution, target: Occurrence) -> Hoist | None:
        """Return the hoist out of the definition that computes `term` first, if there is one."""
        assert isinstance(term.site, cst.BaseExpression)
        for part in found.passed:
            definition = self.judge.analysis.definitions.get(id(part))
            if definition is None:
                continue
            statement, scope = definition
            value = statement.value.site
            if scope is not target.scope or not statement.alone:
                continue
            if not isinstance(value, cst.BaseExpression):
                continue
            whole = self.source.span(value)
            if not whole.contains(self.source.span(term.site)):
                continue
            if not _is_first(part, term):
                return None
            variable = statement.targets[0]
            assert isinstance(variable, ir.Name)
            kind = "condition" if term.operation.kind == "comparison" else _role(part)
            name = self._new_name(variable.name, kind, target.scope, target.state)
            return Hoist(self.source.span(statement.site), term, name)
        return None

    def _lifted(self, term: Term, found: Substitution, target: Occurrence) -> Hoist | None:
        """Return the hoist above the operand's statement; `None` if it may as well be repeated."""
        assert isinstance(term.site, cst.BaseExpression)
        statement = statement_of(self.source, term.site, self._acts)
        if statement is None or target.scope.kind == "class":
            if is_repeatable(term):
                return None
            raise Withheld("the operand would be computed twice")
        divides = any(part.operation.name == "div" for part in found.passed)
        role = role_of(term) or ("divisor" if divides else "operand")
        bound = [outer.assigned for outer in target.scope.enclosing()]
        for name in (role, f"{role}_1", f"{role}_2"):
            is_taken = any(name in names for names in bound)
            if not is_taken and target.state.environment.lookup(name) is None:
                return Hoist(statement, term, name)
        raise Unrenderable("no free name")

    def _acts(self, call: cst.Call) -> bool:
        """Whether a call may do more than compute: it is unknown, or works in place."""
        if self._computing is None:
            self._computing = {
                id(occurrence.term.site)
                for occurrence in self.judge.analysis.occurrences
                if occurrence.term.written is None or not occurrence.term.written.inplace
            }
        return id(call) not in self._computing

    def _new_name(self, variable: str, kind: str, scope: Scope, state: State) -> str:
        for suffix in (f"_{kind}", "_operand", "_argument", f"_{kind}_1"):
            name = variable + suffix
            if name not in scope.assigned and state.environment.lookup(name) is None:
                return name
        raise Unrenderable("no free name")

    def edits(self, hoist: Hoist, target: Span) -> list[Edit]:
        node = node_of(hoist)
        statement_span = hoist.statement
        operand_span = self.source.span(node)
        line_start = self.source.lines.start_of(
            self.source.lines.position(statement_span.start).row
        )
        indent = self.source.text[line_start : statement_span.start]
        if indent.strip():
            raise Unrenderable("the definition shares its line")
        code = self.source.slice(operand_span)
        if "\n" in code and level_of(node) < ATOM:
            code = f"({code})"
        newline = self.source.module.default_newline
        before = Span(statement_span.start, statement_span.start)
        inserted = edit_at(self.source, before, f"{hoist.name} = {code}{newline}{indent}")
        if target.contains(operand_span):  # the replacement of the target uses the new name
            return [inserted]
        return [inserted, replacement(self.source, node, Text(hoist.name))]
