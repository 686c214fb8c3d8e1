"""Which of several verdicts on one operation is reported.

Rules state what they override, as the rewrite rules of a term rewriting system state priorities.

Baeten, Bergstra, Klop and Weijland, "Term-rewriting systems with rule priorities" (1989).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from mllint_nan.findings import Confidence
from mllint_nan.rulebook.rule import Case
from mllint_nan.rulebook.verdict import Verdict, matched_sites


def without_overridden(
    verdicts: Iterable[Verdict], limit: Callable[[Case], Confidence]
) -> Iterator[Verdict]:
    """Yield the verdicts that no other verdict on a shared operation overrides.

    A rule overrides another if it is as sure as the other one, or as sure as it may be. NaN and
    infinity override lost digits in the same way. Of nested matches of one rule, only the outermost
    is reported.
    """
    verdicts = list(verdicts)
    parts = [matched_sites(verdict) for verdict in verdicts]
    by_site: dict[int, list[int]] = {}
    for index, sites in enumerate(parts):
        for site in sites:
            by_site.setdefault(site, []).append(index)
    for index, verdict in enumerate(verdicts):
        own = id(verdict.reported.site)
        around = by_site.get(own, ())
        inside = {other for site in parts[index] for other in by_site.get(site, ())}
        silenced = any(
            _overrides(verdicts[other], verdict, limit)
            and (other in around or id(verdicts[other].reported.site) in parts[index])
            for other in inside
        ) or any(
            verdicts[other].rule is verdict.rule and id(verdicts[other].reported.site) != own
            for other in around
        )
        if not silenced:
            yield verdict


def _overrides(one: Verdict, other: Verdict, limit: Callable[[Case], Confidence]) -> bool:
    if one.is_of_accuracy is not other.is_of_accuracy:
        return other.is_of_accuracy and one.confidence >= other.confidence
    is_as_sure = one.confidence >= min(other.confidence, limit(one.case))
    return is_as_sure and other.rule.code in one.rule.overrides


def one_a_place(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The surest verdict on each operation; one about lost digits may be reported beside it.

    If no rule states the order of equally sure ones, the one with the larger match is reported, or
    else the one with the lower code.
    """
    descriptions: dict[tuple[int, bool], Verdict] = {}
    for verdict in verdicts:
        place = id(verdict.reported.site), verdict.is_of_accuracy
        descriptions[place] = max(descriptions.get(place, verdict), verdict, key=strength)
    heard = {id(verdict) for verdict in descriptions.values()}
    return [verdict for verdict in verdicts if id(verdict) in heard]


def strength(verdict: Verdict) -> tuple[tuple[Confidence, bool], int, int]:
    return verdict.sureness, len(matched_sites(verdict)), -int(verdict.rule.code[3:])
