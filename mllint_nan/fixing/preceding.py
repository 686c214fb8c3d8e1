"""The fix that inserts a call on the line above."""

from __future__ import annotations

from mllint_nan.findings import Fix
from mllint_nan.fixing.licence import Licence
from mllint_nan.fixing.lines import StatementLines
from mllint_nan.flow.state import Occurrence
from mllint_nan.flow.storage import path_of
from mllint_nan.frameworks import registry
from mllint_nan.ir.term import REFERENCE, VARIABLE, Term
from mllint_nan.rulebook.match import Substitution
from mllint_nan.rulebook.rule import Repair
from mllint_nan.rulebook.verdict import Verdict
from mllint_nan.syntax.precedence import Unrenderable
from mllint_nan.syntax.source import Source


def preceded(
    source: Source,
    repair: Repair,
    verdict: Verdict,
    found: Substitution,
    licence: Licence,
) -> Fix:
    """Return the fix that inserts a call on the line above; a call in the match is moved there."""
    call, node = repair.rewrite.term.operands[0], verdict.occurrence.term.site
    lines = StatementLines(source)
    bound = found.terms.get(call.detail) if call.operation is VARIABLE else None
    made = bound if bound is not None else call
    parts = [
        found.terms.get(part.detail) if part.operation is VARIABLE else part
        for part in made.operands
    ]
    if not all(_is_known_by_name(part, verdict.occurrence) for part in parts):
        raise Unrenderable("the name holds something else by then")
    receiver, *arguments = (lines.text_of(part) for part in parts)
    signature = registry.signature_of_effect(made.operation, verdict.framework)
    text = f"{receiver}.{signature.name}({', '.join(arguments)})"
    edits = [lines.inserted_above(node, text)]
    if bound is not None:
        edits.append(lines.removed(bound.site))
    message = repair.message or f"Call `{text}` before it"
    return Fix(message, licence.applicability, tuple(sorted(edits)), licence.reason)


def _is_known_by_name(part: Term | None, place: Occurrence) -> bool:
    """Whether a name or attribute read by a later call has the same value at this place."""
    path = path_of(part) if part is not None else ""
    if not path or part is None:
        return False
    name, _, rest = path.partition(".")
    if name == "self":
        return True
    base = part
    while base.operation is not REFERENCE:
        base = base.operands[0]
    held = place.state.environment.lookup(str(base.detail) if not rest else name)
    return held is not None and (held.key == base.key or "." in str(base.detail))
