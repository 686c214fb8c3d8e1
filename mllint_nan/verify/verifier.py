"""Translation validation: a finding's operation and its fix are executed and compared.

Pnueli, Siegel and Singerman, "Translation validation" (TACAS 1998).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import TracebackType
from typing import Any, Final

from mllint_nan.domains.dtype import FORMATS
from mllint_nan.domains.truth import Truth
from mllint_nan.findings import Applicability, Hazard, Proof, Verified
from mllint_nan.fixing.repair import Chosen
from mllint_nan.flow.excluded import excluded
from mllint_nan.flow.formats import dtype_of
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import INPUT, peel
from mllint_nan.rulebook.judge import Judge
from mllint_nan.rulebook.predicates.selections import is_mask
from mllint_nan.rulebook.verdict import Verdict
from mllint_nan.syntax.source import Source
from mllint_nan.verify.cut import Cut, cut
from mllint_nan.verify.failures import Stopped
from mllint_nan.verify.render import Rendered, render
from mllint_nan.verify.session import Limits, Session
from mllint_nan.verify.snippet import snippet
from mllint_nan.verify.statement import Writes, writes
from mllint_nan.verify.variables import Uncuttable, Variable

_PLACE_LONGEST: Final = 80
_INPUTS_LEAST: Final = 8
"""With fewer inputs, nothing is proved."""


class Verifier:
    """Executes fixes in the frameworks that are installed, and caches the answers.

    To be used in a `with` statement, which ends the processes that it starts.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        told: Callable[[], None] | None = None,
        *,
        trusts_findings: bool = False,
    ) -> None:
        """`told` is called after each fix; `trusts_findings` accepts fixes of unconfirmed ones."""
        self.trusts_findings = trusts_findings
        self._session = Session(limits or Limits())
        self._told = told
        self._known: dict[str, dict[str, Any]] = {}

    def __enter__(self) -> Verifier:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._session.close()

    def accepts(self, proof: Proof) -> bool:
        """Whether the execution suffices for applying the fix."""
        is_needed = proof.is_confirmed or self.trusts_findings
        return proof.fix is Verified.PROVED and is_needed

    def proof(self, verdict: Verdict, chosen: Chosen, judge: Judge, source: Source) -> Proof:
        """Return what executing the match of a verdict and its fix proves.

        Raises `Unavailable` if the framework is not installed.
        """
        try:
            parts = cut(verdict, chosen, judge)
        except Uncuttable as reason:
            return _not_executed(str(reason))
        is_safe = chosen.fix.applicability is Applicability.SAFE
        proof = self.proof_of(parts, verdict.case.hazard, is_safe=is_safe)
        if proof.fix is Verified.PROVED:
            proof = self._with_writes(proof, verdict, chosen, judge, source)
        if self._told is not None:
            self._told()
        if proof.fix is Verified.PROVED and not self.accepts(proof):
            return replace(proof, summary=f"{proof.summary}; --verify=fixes would apply it")
        return proof

    def proof_of(self, parts: Cut, hazard: Hazard, *, is_safe: bool) -> Proof:
        """Return what executing both terms proves; an unsafe fix may change finite results."""
        try:
            rendered = render(parts)
            request = _request(parts, rendered, hazard, is_safe=is_safe)
            answer = self._executed(request, parts.framework)
        except (Uncuttable, Stopped) as reason:
            return _not_executed(str(reason))
        if "error" in answer:
            return _not_executed(answer["error"])
        return _proof(answer, parts, rendered)

    def _with_writes(
        self, proof: Proof, verdict: Verdict, chosen: Chosen, judge: Judge, source: Source
    ) -> Proof:
        """Return the proof, unless the statement around the expression writes something else."""
        known = _known_by(verdict, chosen, judge)
        match, dtype = source.span(verdict.occurrence.term.site), dtype_of(verdict.occurrence.term)
        try:
            written = writes(source.text, chosen.fix.edits, match, verdict.framework, dtype, known)
        except Uncuttable as reason:
            return replace(
                proof,
                fix=Verified.NOT_EXECUTED,
                summary=f"the fix could not be executed: {reason}",
            )
        if written is None:
            return proof
        is_safe = chosen.fix.applicability is Applicability.SAFE
        written = replace(written, slack=chosen.repair.tolerance.eps)
        shown = self.proof_of_writes(written, verdict.case.hazard, is_safe=is_safe)
        if shown.fix is Verified.PROVED:
            return proof
        said = f"{proof.summary.partition(';')[0]}; {shown.summary.rpartition('; ')[2]}"
        return replace(proof, fix=shown.fix, summary=said, counterexample=shown.counterexample)

    def proof_of_writes(self, written: Writes, hazard: Hazard, *, is_safe: bool) -> Proof:
        """Return what executing statements proves; what they write elsewhere has to be the same."""
        is_safe = is_safe or written.is_elsewhere
        request = _request(written, written.rendered, hazard, is_safe=is_safe)
        try:
            answer = self._executed(request, written.framework)
        except Stopped as reason:
            return _not_executed(str(reason))
        if "error" in answer:
            return _not_executed(answer["error"])
        return _proof(answer, written, written.rendered, is_certain=written.is_elsewhere)

    def _executed(self, request: Mapping[str, Any], framework: str) -> dict[str, Any]:
        question = json.dumps((framework, request))
        if question not in self._known:
            self._known[question] = self._session.ask(framework, request)
        return self._known[question]


def _known_by(verdict: Verdict, chosen: Chosen, judge: Judge) -> Callable[[str], Variable]:
    """Return a function that describes variables of the program at the match, by their text."""
    context = judge.context(verdict, chosen.found)
    state = verdict.occurrence.state
    largest = FORMATS[dtype_of(verdict.occurrence.term)].max

    def known(text: str) -> Variable:
        term = state.environment.lookup(text)
        if term is None:
            return Variable(text, -largest, largest, is_derived=not text.isidentifier())
        if is_mask(context, term) is Truth.YES:
            return Variable(text, 0.0, 1.0, is_boolean=True)
        seen = judge.oracle.value(term, state.facts)
        lo, hi = max(seen.lo, -largest), min(seen.hi, largest)
        is_derived = peel(term).operation is not INPUT
        if not lo <= hi:
            lo, hi = -largest, largest
        is_number = context.kind(term) is Kind.NUMBER
        holes = excluded(term, state.facts, judge.oracle)
        return Variable(
            text, lo, hi, seen.integer, is_derived=is_derived, is_number=is_number, holes=holes
        )

    return known


def _request(
    parts: Cut | Writes, rendered: Rendered, hazard: Hazard, *, is_safe: bool
) -> dict[str, Any]:
    return {
        "imports": rendered.imports,
        "before": rendered.before,
        "after": rendered.after,
        "exact": rendered.exact,
        "rough": rendered.rough,
        "shrunk": rendered.shrunk,
        "precise": rendered.precise,
        "variables": [
            {
                "name": variable.name,
                "lo": variable.lo,
                "hi": variable.hi,
                "is_integer": variable.is_integer,
                "is_boolean": variable.is_boolean,
                "is_differentiable": variable.is_differentiable,
                "is_number": variable.is_number,
                "holes": variable.holes,
            }
            for variable in parts.variables
        ],
        "dtype": parts.dtype,
        "offset": parts.offset,
        "constants": parts.constants,
        "slack": parts.slack,
        "hazard": str(hazard),
        "is_safe": is_safe,
        "has_axis": parts.has_axis,
    }


def _not_executed(reason: str) -> Proof:
    return Proof(Verified.NOT_EXECUTED, f"the fix could not be executed: {reason}")


def _proof(
    answer: Mapping[str, Any],
    parts: Cut | Writes,
    rendered: Rendered,
    *,
    is_certain: bool = False,
) -> Proof:
    """Put the answer into words; `is_certain` says that any difference is a real one."""

    def program(seen: Mapping[str, Any], *expressions: str) -> str:
        return snippet(parts, rendered.imports, expressions, seen["point"])

    seen, inputs = _flaw(answer), answer["compared"]
    finding = "not confirmed: no input was found that breaks it"
    if seen is not None:
        finding = f"confirmed at {_place(seen)}: {seen['what']}"
    wrong = _fault(answer)
    said = _agreement(answer)
    is_whole = answer["stopped_after"] is None
    verified = Verified.NOT_EXECUTED
    if is_whole and inputs >= _INPUTS_LEAST:
        verified = Verified.PROVED
    if wrong is not None:
        verified, said = Verified.REFUTED, f"the fix is refuted at {_place(wrong)}: {wrong['what']}"
        if not is_certain and any(variable.is_derived for variable in parts.variables):
            verified = Verified.NOT_EXECUTED
            said = f"the fix is not proved: at {_place(wrong)}, if that can occur, {wrong['what']}"
    return Proof(
        verified,
        f"{finding}; {said}",
        program(seen, rendered.before) if seen is not None else None,
        program(wrong, rendered.before, rendered.after) if wrong is not None else None,
        inputs,
        answer["worst"],
    )


def _place(seen: Mapping[str, Any]) -> str:
    """Return `x = [0, 200]`, shortened to fit a line."""
    texts = (f"{name} = {_short(value)}" for name, value in seen["point"].items())
    text = ", ".join(texts)
    return text if len(text) <= _PLACE_LONGEST else f"{text[:_PLACE_LONGEST]}..."


def _short(value: Any) -> str:
    """Six digits, or more if these would look like a whole number that it is not."""
    if isinstance(value, list):
        return f"[{', '.join(map(_short, value))}]"
    if isinstance(value, bool):
        return str(value)
    short = f"{value:.6g}"
    is_rounded = "." not in short and "e" not in short and math.isfinite(value)
    return f"{value:.8g}" if is_rounded and float(short) != value else short


def _flaw(answer: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return an input that shows the flaw; failing others, one where a value is regained."""
    seen: dict[str, Any] | None = answer["witness"] or answer["unrepaired"] or answer["regained"]
    return seen


def _fault(answer: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return an input where the fix is wrong; an unfinished sweep counts counterexamples only."""
    wrong: dict[str, Any] | None = answer["counterexample"]
    if answer["stopped_after"] is not None:
        return wrong
    if wrong is None and answer["witnesses"] and not answer["repaired"]:
        wrong = answer["unrepaired"]
    if wrong is None and not answer["witnesses"]:
        wrong = answer["idle"] or (None if answer["regained"] else answer["lost"])
    if wrong is None and answer["is_another_function"]:
        wrong = answer["change"]
    return wrong


def _agreement(answer: Mapping[str, Any]) -> str:
    """Describe the comparison if it showed nothing wrong."""
    if answer["stopped_after"] is not None:
        count = answer["stopped_after"]
        return f"the fix is not proved: its processor time ran out after {count} executions"
    if not answer["compared"]:
        return "the fix could not be compared: no result was finite before"
    if answer["compared"] < _INPUTS_LEAST:
        return f"the fix is not proved: only {answer['compared']} results were finite before"
    said = f"the fix is proved on {answer['compared']} inputs"
    said += f", worst deviation {math.ceil(answer['worst'] * 10) / 10:g} ulp"
    if answer["moved"]:
        said += f"; its epsilon moves results by up to {answer['moved']:.1g}"
    if answer["changed"]:
        said += f"; it changes {answer['changed']} of them"
    return said
