"""The applicability of a repair at one place, and the reason for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.findings import Applicability, Hazard
from mllint_nan.flow.formats import dtype_of
from mllint_nan.flow.ownership import Origin
from mllint_nan.flow.state import Scope
from mllint_nan.frameworks import registry
from mllint_nan.ir.term import OPAQUE, SEQUENCE, walk
from mllint_nan.rulebook.formats import kept_in
from mllint_nan.rulebook.intent import Intent
from mllint_nan.rulebook.judge import Judge
from mllint_nan.rulebook.match import Substitution
from mllint_nan.rulebook.rule import Repair
from mllint_nan.rulebook.verdict import Verdict

_LEFT_TO_THE_READER: Final = "only you can tell whether it fits the program"
_ORDERS: Final = frozenset(("clip", "maximum", "minimum", "max", "min"))
"""Operations that no framework defines for complex numbers."""
_GUARDS: Final = frozenset(("clip", "maximum", "where", "nan_to_num"))


@dataclass(frozen=True, slots=True)
class Licence:
    """How far a fix may be applied, and the reason if it is only shown."""

    applicability: Applicability
    reason: str | None = None

    @classmethod
    def of(cls, repair: Repair) -> Licence:
        """Return the licence that the rule gives its repair."""
        licence = cls(repair.applicability)
        if repair.applicability is Applicability.DISPLAY_ONLY:
            return licence.only_shown(repair.reason or _LEFT_TO_THE_READER)
        return licence

    def not_safe(self) -> Licence:
        """Return this licence, at most unsafe."""
        return replace(self, applicability=min(self.applicability, Applicability.UNSAFE))

    def only_shown(self, reason: str) -> Licence:
        """Return a display-only licence; the first reason is kept."""
        return Licence(Applicability.DISPLAY_ONLY, self.reason or reason)


def licence_of(
    judge: Judge, repair: Repair, verdict: Verdict, found: Substitution
) -> Licence | None:
    if _orders_complex(judge, repair, found):
        return None
    licence = Licence.of(repair)
    if any(reference.written is not None for reference in found.references):
        licence = licence.not_safe()  # a subclass may override it
    kept = _parameters(verdict)
    if any(
        kept[name] != verdict.rule.parameters[name]
        for name in repair.rewrite.variables() & kept.keys() - found.terms.keys()
    ):
        licence = licence.not_safe()  # it changes results by more than the rule declares
    context = judge.context(verdict, found)
    if judge.origin(context) >= Origin.STRANGE:
        licence = licence.only_shown("its operand may not be a tensor")
    if verdict.framework == "jax" and _is_handed_on(judge, verdict.occurrence.scope):
        licence = licence.only_shown("whatever receives the lambda may inspect its operations")
    if _guards(repair, verdict) and judge.intent(context) > Intent.NONE:
        licence = licence.only_shown("the program checks for the value that the fix would remove")
    for condition in repair.requires:
        match judge.holds(condition, context):
            case Truth.NO:
                return None
            case Truth.UNKNOWN:
                licence = licence.not_safe()
            case Truth.YES:
                pass
    return licence


def _orders_complex(judge: Judge, repair: Repair, found: Substitution) -> bool:
    names = {part.operation.name for part in walk(repair.rewrite.term)}
    holds = judge.oracle.complex_numbers.holds
    return not names.isdisjoint(_ORDERS) and any(map(holds, filter(None, found.terms.values())))


def _is_handed_on(judge: Judge, scope: Scope) -> bool:
    """Whether a lambda is kept in a container, or passed to a function of no known framework.

    JAX lets others read a function as its list of primitive operations. They may know a logarithm
    and an exponential, but not the function with a custom derivative that replaces both.
    """
    return any(
        consumer.operation is SEQUENCE
        or (
            consumer.operation is OPAQUE
            and str(consumer.detail).startswith("call ")
            and registry.framework_of(str(consumer.detail).removeprefix("call ")) is None
            and not str(consumer.detail).startswith("call builtins.")
            and consumer.operands[0].key != outer.key
        )
        for outer in scope.enclosing()
        if outer.name == "<lambda>"
        for consumer in judge.analysis.consumers.get(outer.key, ())
    )


def _guards(repair: Repair, verdict: Verdict) -> bool:
    """Whether a repair forces a value to be finite, instead of computing it in another way."""
    if verdict.case.hazard is not Hazard.VALUE:
        return False
    if repair.rewrite.variables() & verdict.rule.parameters.keys():
        return True
    kinds = {part.operation.name for part in walk(repair.rewrite.term)}
    return repair.applicability is not Applicability.SAFE or bool(kinds & _GUARDS)


def _parameters(verdict: Verdict) -> Mapping[str, float]:
    return kept_in(dtype_of(verdict.occurrence.term), verdict.rule.parameters)
