"""What is swept: the fixes of all fixtures, each cut out as `--verify` cuts it from a program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final

from mllint_nan.domains.dtype import FORMATS, round_to
from mllint_nan.findings import Confidence, Hazard
from mllint_nan.ir.term import CONSTANT, Term
from mllint_nan.linter import Settings
from mllint_nan.rulebook.formats import kept_in
from mllint_nan.rulebook.load import load_rules
from mllint_nan.rulebook.rule import Repair, Rule
from mllint_nan.verify.cut import Cut
from mllint_nan.verify.render import Rendered, render
from mllint_nan.verify.variables import Uncuttable
from tests.analyses import offered
from tests.fixture_files import FixtureFile, fixture_files
from tests.verifier.frameworks import framework_of, selected


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A match of a rule and its rewrite, as terms over inputs of their own."""

    rule: Rule
    repair: Repair
    hazard: Hazard
    cut: Cut
    is_safe: bool

    @property
    def framework(self) -> str:
        return self.cut.framework

    @property
    def has_gradient(self) -> bool:
        asked = (condition.text for condition in self.repair.requires)
        return self.framework not in ("numpy", "math") and not any(
            text.startswith("not gradient_flows(") for text in asked
        )

    @property
    def place(self) -> int:
        """Which of the rule's fixes it is."""
        return self.rule.fixes.index(self.repair)

    @property
    def size(self) -> int:
        return sum(1 for _ in parts_of(self.cut.before)) + 4 * len(self.cut.variables)

    @property
    def shape(self) -> str:
        """Both terms without the names and numbers in them."""
        names = "|".join(re.escape(variable.name) for variable in self.cut.variables)
        text = re.sub(rf"\b(?:{names})\b", "x", f"{self.cut.before} {self.cut.after}")
        return re.sub(r"\b\d[\d.e+-]*", "1", text)

    def rendered(self, dtype: str) -> Rendered:
        return render(replace(self.cut, dtype=dtype))

    def is_claimed_in(self, dtype: str) -> bool:
        """Whether the rule offers the fix as safe to code that is seen to be in a format.

        It may ask for one, or leave one to a fix before it; and the format must have the fix's
        numbers: none is absorbed by 0, and none is another where the format is seen.
        """
        written = self.repair.rewrite.variables()
        numbers = {name: kept for name, kept in self.rule.parameters.items() if name in written}
        if kept_in(dtype, numbers) != numbers:
            return False
        is_asked_for = all(dtype in formats for formats in _asked(self.repair))
        is_left = any(
            all(dtype in formats for formats in asked)
            for earlier in self.rule.fixes[: self.place]
            if (asked := _asked(earlier))
            and str(earlier.match) == str(self.repair.match)
            and (not earlier.frameworks or self.framework in earlier.frameworks)
        )
        return (
            is_asked_for
            and not is_left
            and all(
                number == 0 or 0 < abs(round_to(number, dtype)) <= FORMATS[dtype].max
                for number in numbers_of(self.cut.after)
            )
        )

    def __str__(self) -> str:
        return f"{self.rule.name}-{self.framework}-{self.place + 1}"


def _asked(repair: Repair) -> list[tuple[str, ...]]:
    return [
        tuple(str(condition.arguments[1]).split())
        for condition in repair.requires
        if condition.predicate == "is_computed_in"
    ]


@dataclass(slots=True)
class Collected:
    """What is offered as a fix that can be applied, and why some of it cannot be executed."""

    samples: list[Sample] = field(default_factory=list)
    uncut: dict[tuple[str, str], str] = field(default_factory=dict)


@cache
def _collected_in(file: FixtureFile) -> Collected:
    collected = Collected()
    every = Settings(file.select, min_confidence=Confidence.POSSIBLE)
    for rule, hazard, framework, repair, is_safe, parts in offered(file.data, file.filename, every):
        try:
            if isinstance(parts, Uncuttable):
                raise parts
            render(parts)
        except Uncuttable as reason:
            collected.uncut.setdefault((rule.code, framework), str(reason))
        else:
            collected.samples.append(Sample(rule, repair, hazard, parts, is_safe))
    return collected


@cache
def collected(rule: str = "") -> Collected:
    """Of the fixtures of a rule, or of all, whose framework is selected."""
    return _together(file for file in fixture_files() if rule in ("", file.rule))


def _together(files: Iterable[FixtureFile]) -> Collected:
    together, frameworks = Collected(), selected()
    for file in files:
        if framework_of(file.stem) in frameworks:
            found = _collected_in(file)
            together.samples += [each for each in found.samples if each.framework in frameworks]
            together.uncut = found.uncut | together.uncut
    return together


@cache
def samples(rule: str = "", *, safe: bool = True, every_shape: bool = False) -> tuple[Sample, ...]:
    """The smallest sample of each fix in each framework, or of each shape that it repairs."""
    found = [each for each in collected(rule).samples if rule in ("", each.rule.name)]
    return _smallest(found, safe=safe, every_shape=every_shape)


@cache
def samples_anywhere(rule: str, *, safe: bool = True) -> tuple[Sample, ...]:
    """Those of `samples()` that are of a rule: only fixtures that state it are looked at.

    What a rule finds that overrides it may be repaired by the rule's fix as well.
    """
    code = next(each.code for each in load_rules() if each.name == rule)
    codes = [each.code for each in load_rules() if code in (each.code, *each.overrides)]
    stating = (
        file
        for file in fixture_files()
        if file.ignores_possible or any(each.encode() in file.data for each in codes)
    )
    found = [each for each in _together(stating).samples if each.rule.name == rule]
    return _smallest(found, safe=safe)


def _smallest(
    found: Iterable[Sample], *, safe: bool, every_shape: bool = False
) -> tuple[Sample, ...]:
    smallest: dict[tuple[Any, ...], Sample] = {}
    for sample in found:
        if sample.is_safe is safe:
            key = (sample.rule.code, sample.framework, sample.place)
            key += (sample.shape,) if every_shape else ()
            if key not in smallest or sample.size < smallest[key].size:
                smallest[key] = sample
    return tuple(smallest[key] for key in sorted(smallest))


def numbers_of(term: Term) -> list[float]:
    """The numbers in a term; those of settings that are no numbers of the format left out."""
    if term.operation is CONSTANT:
        number = term.detail
        return [float(number)] if type(number) in (int, float) else []
    parts = [*term.operands, *(value for key, value in term.settings.items() if key in _NUMERIC)]
    return [number for part in parts for number in numbers_of(part)]


_NUMERIC: Final = ("min", "max", "epsilon")


def parts_of(term: Term) -> Iterator[Term]:
    """The term and all that is in it, as often as it is."""
    yield term
    for child in term.children():
        yield from parts_of(child)
