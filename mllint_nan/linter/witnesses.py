"""The texts of a finding in the names of the code: the input that breaks it, and its excuse."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from mllint_nan.ir.term import INPUT, REFERENCE, Term, behind_views
from mllint_nan.rulebook.descriptions import described
from mllint_nan.rulebook.narrowing import narrowed
from mllint_nan.rulebook.predicates import asked_by
from mllint_nan.rulebook.rule import Variable
from mllint_nan.rulebook.verdict import Verdict

if TYPE_CHECKING:
    from mllint_nan.rulebook.judge import Judge
    from mllint_nan.rulebook.match import Substitution
    from mllint_nan.syntax.source import Source

_LONGEST: Final = 40
_CLAUSES: Final = re.compile(r", (?=\{)")
_OF_ONE_NUMBER: Final = ("constant", "zeros", "ones", "zeros_like", "ones_like", "full_like")
_BESIDE: Final = re.compile(r"[;:] |, (?=possibly|or |no |whose|which|not|as |by)")
"""Where a sentence turns to something that does not concern the finding."""
_VARIABLE: Final = re.compile(r"\{(\w+)\}")
_LOOSER_THAN_EQUAL: Final = (ast.Compare, ast.BoolOp, ast.IfExp, ast.Lambda, ast.NamedExpr)


def witness_of(source: Source, judge: Judge, verdict: Verdict) -> str:
    """`scores = [0, 0]`: the first stated witness whose pattern matches, or that of the case."""
    found = verdict.found
    text = verdict.case.witness
    for witness in verdict.rule.witnesses:
        matches = (narrowed(judge.matcher, pattern, verdict) for pattern in witness.match)
        more = next((one for one in matches if one is not None), None)
        if more is not None:
            found, text = more, witness.text
            break
    kept = [one for one in _CLAUSES.split(text) if not _is_fixed(found, one)]
    text = ", ".join(kept) if kept else text
    return _VARIABLE.sub(lambda part: _named(source, found, part[1]), text)


def _is_fixed(found: Substitution, clause: str) -> bool:
    """Whether a clause is about something that no input changes: a number, or a tensor of one."""
    variable = _VARIABLE.match(clause)
    term = found.terms.get(variable[1]) if variable is not None else None
    return term is not None and behind_views(term).operation.name in _OF_ONE_NUMBER


def message_of(source: Source, verdict: Verdict) -> str:
    """The message of a finding, with the name or habit that suggests it is safe, if any."""
    if verdict.habit is None:
        return verdict.message
    named = tuple(
        Variable(_named(source, verdict.found, part.name))
        if isinstance(part, Variable) and part.name != "result"
        else part
        for part in verdict.habit.arguments
    )
    said = _BESIDE.split(described(replace(verdict.habit, arguments=named)))[0].rstrip(".")
    by_name = "if names are believed, " if asked_by(verdict.habit).is_proof else ""
    return f"{verdict.message}: {by_name}{said[0].lower()}{said[1:]}"


def _named(source: Source, found: Substitution, variable: str) -> str:
    """What the code calls the term of a variable; the variable itself if that has no text here."""
    term = found.terms.get(variable)
    if term is None:
        return variable
    called = ""
    while True:
        if term.operation in (REFERENCE, INPUT) and isinstance(term.detail, str):
            return term.detail
        if term.operation is not REFERENCE and term.operation.name != "cast":
            return _text(source, term) or called or variable
        called = called or _text(source, term)  # of what another file computes
        term = term.operands[0]


def _text(source: Source, term: Term) -> str:
    if not source.knows(term.site):
        return ""
    text = " ".join(source.slice(source.span(term.site)).split())
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST - 1]}…"
    return f"({text})" if _is_loose(text) else text


def _is_loose(text: str) -> bool:
    """Whether `text = 0` would be read as another expression, as `a == b = 0` would."""
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return False
    is_not = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    return is_not or isinstance(node, _LOOSER_THAN_EQUAL)
