"""Every test is in one part of a sharded run, beside those that share what it needs."""

from __future__ import annotations

import pytest

from tests.conftest import part
from tests.distribution import in_part, scope_of

NODES = [
    "tests/test_cli.py::test_a",
    "tests/test_fixtures.py::test_fixed_text_parses[sqrt-at-zero/torch]",
    "tests/test_first_pass.py::test_both_trees_are_judged_alike[fixtures/sqrt-at-zero/jax.py]",
    "tests/test_verifier.py::test_code_fails[sqrt-at-zero/jax:root:NAN203]",
    "tests/test_sweep.py::test_safe_fixes[sqrt-at-zero-keras-float32]",
    "tests/test_sweep.py::test_safe_fixes[log-of-prod-math-float64]",
    "tests/test_cases.py::test_no_two_rules[broken/keras_vae]",
    "tests/test_cases.py::test_cases_are_many_and_of_both_kinds",
    "tests/test_docs.py::test_page_shows_its_picture[sqrt-at-zero]",
]


def test_tests_of_a_rule_stay_together() -> None:
    assert [scope_of(node) for node in NODES] == [
        "tests/test_cli.py",
        *["sqrt-at-zero"] * 4,
        "log-of-prod",
        "broken keras",
        "tests/test_cases.py",
        "tests/test_docs.py",
    ]


@pytest.mark.parametrize("parts", [1, 2, 3, 20])
def test_every_scope_is_in_one_part(parts: int) -> None:
    scopes = [scope_of(node) for node in NODES]
    dealt = [in_part(scopes, part(f"{number}/{parts}")) for number in range(1, parts + 1)]
    assert sum(map(len, dealt)) == len(set(scopes))
    assert set().union(*dealt) == set(scopes)


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "a/b", "1/2/3"])
def test_part_that_is_none_is_an_error(text: str) -> None:
    with pytest.raises(ValueError):
        part(text)
