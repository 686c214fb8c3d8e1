"""Every test is in one part of a sharded run, beside those that share what it needs."""

from __future__ import annotations

from typing import cast

import pytest

from tests.conftest import ROOT, part
from tests.distribution import _SECONDS, in_part, longest_first, scope_of

NODES = [
    "tests/test_cli.py::test_a",
    "tests/test_fixtures.py::test_fixed_text_parses[sqrt-at-zero/torch]",
    "tests/test_first_pass.py::test_both_trees_are_judged_alike[fixtures/sqrt-at-zero/jax.py]",
    "tests/test_verifier.py::test_code_fails[sqrt-at-zero/jax:root:NAN203]",
    "tests/test_sweep.py::test_safe_fixes[sqrt-at-zero-keras-float32]",
    "tests/test_sweep.py::test_safe_fixes[log-of-prod-math-float64]",
    "tests/test_cases.py::test_no_two_rules[broken/keras_vae]",
    "tests/test_cases.py::test_cases_are_many_and_of_both_kinds",
    "tests/test_pictures.py::test_flaw_is_seen_before[log-of-prod]",
    "tests/test_docs.py::test_page_shows_its_picture[sqrt-at-zero]",
]


def test_tests_of_a_rule_stay_together() -> None:
    assert [scope_of(node) for node in NODES] == [
        "tests/test_cli.py",
        *["sqrt-at-zero"] * 4,
        "log-of-prod",
        "broken keras",
        "tests/test_cases.py",
        "log-of-prod",
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


class _Test:
    """What is asked of a test to order it."""

    def __init__(self, nodeid: str, is_slow: bool = False) -> None:
        self.nodeid = nodeid
        self._is_slow = is_slow

    def get_closest_marker(self, name: str) -> str | None:
        return name if self._is_slow else None


def test_files_that_are_said_to_take_long_are_there() -> None:
    stems = {path.stem for path in (ROOT / "tests").rglob("test_*.py")}
    assert stems.issuperset(_SECONDS)


def test_what_takes_long_begins() -> None:
    tests = [
        _Test("tests/test_cli.py::test_a"),
        *(_Test(f"tests/test_docs.py::test_a[{number}]") for number in range(3)),
        _Test("tests/test_isolation.py::test_a"),
        _Test("tests/test_fixtures.py::test_a[sqrt-at-zero/jax]"),
        *(_Test(f"tests/test_fixtures.py::test_a[log-of-prod/torch{each}]") for each in "12"),
        _Test("tests/test_site.py::test_a", is_slow=True),
    ]
    longest_first(cast(list[pytest.Item], tests))
    assert list(dict.fromkeys(scope_of(each.nodeid) for each in tests)) == [
        "tests/test_site.py",
        "log-of-prod",
        "sqrt-at-zero",
        "tests/test_isolation.py",
        "tests/test_docs.py",
        "tests/test_cli.py",
    ]
