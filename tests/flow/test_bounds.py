"""What is too long to be looked into is unknown, and costs no more than what is not."""

from __future__ import annotations

import libcst as cst
import pytest

from mllint_nan.flow.environment import Environment
from mllint_nan.flow.facts import facts_of
from mllint_nan.flow.interpreter import analyse
from mllint_nan.flow.state import Analysis
from mllint_nan.flow.storage import roots
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.term import CHOICE, walk
from mllint_nan.rulebook.match import Matcher
from mllint_nan.rulebook.pattern import Pattern
from mllint_nan.syntax.lower import lower_module

HEADER = "import torch\n"


def _analysed(text: str) -> Analysis:
    return analyse(lower_module(cst.parse_module(HEADER + text)))


def test_term_is_as_high_as_its_operations_are_applied_one_after_the_other() -> None:
    build = Builder()
    x = build.variable("x")
    assert (x.height, build.apply("exp", x).height) == (0, 1)
    assert build.apply("add", build.apply("exp", build.apply("exp", x)), x).height == 3


@pytest.mark.parametrize(
    "again",
    ["x = torch.tanh(x)", "x += 1.5", "x.mul_(2)", "self.x = self.x + y", "x = x if y else y / x"],
)
def test_value_made_in_many_steps_is_forgotten(again: str) -> None:
    body = "".join(f"    {again}\n" for _ in range(600))
    analysis = _analysed(f"def f(self, x, y):\n{body}    return torch.log(x)\n")
    sizes = [len(list(walk(occurrence.term))) for occurrence in analysis.occurrences]
    assert len(sizes) > 600
    assert max(sizes) < 1000


def test_list_that_grows_long_is_forgotten() -> None:
    appends = "".join(f"parts.append(torch.exp(y{number}))\n" for number in range(500))
    analysis = _analysed(f"parts = []\n{appends}z = torch.log(torch.stack(parts))\n")
    assert len(list(walk(analysis.occurrences[-1].term))) < 200


def test_facts_of_a_path_are_the_last_ones() -> None:
    exits = "".join(f"    if x > {number}:\n        return x\n" for number in range(500))
    analysis = _analysed(f"def f(x):\n{exits}    return torch.log(x)\n")
    facts = analysis.occurrences[-1].state.facts
    assert 0 < len(facts) < 200
    assert [operand.detail for operand in facts[-1].test.operands if operand.detail != "x"] == [499]


@pytest.mark.parametrize("most", [0, 1, 2, 3, 6, 7])
def test_last_facts_of_a_condition_are_the_end_of_all(most: int) -> None:
    build = Builder()
    a, b, c, d = map(build.variable, "abcd")
    both = build.apply("logical_and", build.apply("all", a), b)
    none = build.apply("logical_not", build.apply("logical_or", c, build.apply("any", d)))
    test = build.apply("logical_and", both, none)
    told = facts_of(test, True)
    shown = [(str(fact.test), fact.holds) for fact in told]
    assert shown[:3] == [("all(a)", True), ("a", True), ("b", True)]
    assert shown[3:] == [("c", False), ("any(d)", False), ("d", False)]
    assert facts_of(test, True, most) == told[max(0, len(told) - most) :]
    assert facts_of(build.apply("logical_not", test), False, most) == facts_of(test, True, most)


def test_names_of_a_value_are_found_among_many() -> None:
    build = Builder()
    held, other = build.variable("held"), build.variable("other")
    environment = Environment()
    for number in range(300):
        environment = environment.bind(f"n{number}", held if number in (3, 299) else other)
    assert {name for name, _ in environment.sharing(roots(held))} == {"n3", "n299"}
    changed = environment.bind("n3", other)
    assert {name for name, _ in changed.sharing(roots(held))} == {"n299"}
    assert Environment(environment).sharing(roots(held)) == []


def test_choice_of_many_choices_is_matched_in_its_first_options() -> None:
    build = Builder()
    x = build.variable("x")
    nested = build.apply("exp", x)
    for number in range(1000):
        option = build.apply("add", x, build.constant(number))
        nested = build.leaf(CHOICE, "branch", (nested, nested, option))
    pattern = Pattern.parse("exp(x) | add(x, y)")
    matches = list(Matcher(build).match(pattern.term, nested))
    assert 0 < len(matches) < 100
