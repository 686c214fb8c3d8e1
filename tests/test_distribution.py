"""Every test is in one part of a sharded run, beside those that share what it needs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter, OrderedDict
from functools import cache
from pathlib import Path
from typing import cast

import pytest
from xdist.workermanage import WorkerController

from mllint_nan.rulebook.load import load_rules
from tests import costs
from tests.conftest import ROOT, part
from tests.distribution import (
    TABLE,
    Place,
    Scheduling,
    costs_by_scope,
    in_part,
    longest_outside,
    measured_costs,
    place_of,
    scope_of,
    table,
)

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
    lengths = dict.fromkeys(map(scope_of, NODES), 1.0)
    dealt = [in_part(lengths, part(f"{number}/{parts}")) for number in range(1, parts + 1)]
    assert sum(map(len, dealt)) == len(lengths)
    assert set().union(*dealt) == set(lengths)


@pytest.mark.parametrize("marks", [{True, False}, {False}], ids=["all", "quick"])
@pytest.mark.parametrize("parts", [2, 4])
def test_parts_take_the_same_time(parts: int, marks: set[bool]) -> None:
    lengths: Counter[str] = Counter()
    for place, seconds in measured_costs().items():
        lengths[place.scope] += seconds if place.is_slow in marks else 0
    sums = [
        sum(lengths[scope] for scope in in_part(lengths, f"{number}/{parts}"))
        for number in range(1, parts + 1)
    ]
    assert max(sums) < 1.1 * min(sums)


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


def test_table_knows_files_and_rules_that_are_there() -> None:
    rules = {rule.name for rule in load_rules()}
    frameworks = {each for rule in load_rules() for each in rule.frameworks}
    of_cases = {f"{kind} {each}" for kind in ("broken", "sound") for each in frameworks}
    for place in measured_costs():
        assert (ROOT / place.path).is_file(), place
        assert place.scope in {scope_of(place.path)} | rules | of_cases, place


def test_what_takes_long_is_at_both_ends() -> None:
    """What executes fixes at the front, the rest at the back."""
    known = {
        Place("tests/test_site.py", "tests/test_site.py", True): 44.0,
        Place("tests/test_site.py", "tests/test_site.py", False): 90.0,
        Place("tests/test_isolation.py", "tests/test_isolation.py", False): 8.0,
        Place("tests/test_fixtures.py", "log-of-prod", False): 1.0,
        Place("tests/test_sweep.py", "log-of-prod", True): 9.0,
    }
    tests = cast(
        list[pytest.Item],
        [
            _Test("tests/test_cli.py::test_a"),
            *(_Test(f"tests/test_docs.py::test_a[{number}]") for number in range(3)),
            _Test("tests/test_fixtures.py::test_a[log-of-prod/torch]"),
            _Test("tests/test_isolation.py::test_a"),
            _Test("tests/test_sweep.py::test_a[log-of-prod-torch-float32]", is_slow=True),
            _Test("tests/test_site.py::test_a", is_slow=True),
        ],
    )
    by_scope = costs_by_scope(tests, known)
    longest_outside(tests, by_scope)
    assert list(dict.fromkeys((scope_of(each.nodeid), by_scope[scope_of(each.nodeid)])
                              for each in tests)) == [
        ("log-of-prod", 10.0),
        ("tests/test_cli.py", 0.04),
        ("tests/test_docs.py", 0.12),
        ("tests/test_isolation.py", 8.0),
        ("tests/test_site.py", 44.0),
    ]  # fmt: skip


class _Worker:
    """Takes note of the tests that it is given, by their places."""

    def __init__(self) -> None:
        self.given: list[int] = []

    def send_runtest_some(self, places: list[int]) -> None:
        self.given += places


def test_workers_take_from_both_ends() -> None:
    collection = [f"tests/test_{letter}.py::test" for letter in "abcde"]
    workers = [_Worker(), _Worker()]
    scheduling = Scheduling.__new__(Scheduling)
    scheduling.workqueue = OrderedDict((scope_of(each), {each: False}) for each in collection)
    scheduling.assigned_work = {cast(WorkerController, one): {} for one in workers}
    scheduling.registered_collections = dict.fromkeys(scheduling.assigned_work, collection)
    for worker in (*workers, *workers, workers[1]):
        scheduling._assign_work_unit(cast(WorkerController, worker))
    assert [one.given for one in workers] == [[0, 1], [4, 3, 2]]
    assert not scheduling.workqueue


def test_what_is_measured_replaces_what_was_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest stays, and what its number of tests says as well is not kept."""
    slow, quick, other = (
        place_of(cast(pytest.Item, each))
        for each in (
            _Test("tests/test_a.py::test_a", is_slow=True),
            _Test("tests/test_a.py::test_b"),
            _Test("tests/test_fixtures.py::test_a[sqrt-at-zero/jax]"),
        )
    )
    known = tmp_path / "costs.tsv"
    known.write_text(table({slow: 2.0, quick: 5.0, other: 7.0}, {}), encoding="utf-8")
    for module in ("distribution", "costs"):
        monkeypatch.setattr(f"tests.{module}.TABLE", known)
    monkeypatch.setattr(costs, "_spent", Counter({slow: 3.0, quick: 1.1}))
    monkeypatch.setattr(costs, "_counts", Counter({slow: 1, quick: 25}))
    costs.pytest_sessionfinish()
    assert measured_costs() == {slow: 3.0, other: 7.0}


def test_processor_time_of_what_was_started_is_counted() -> None:
    processes = {1: (0, 8.0), 2: (1, 4.0), 3: (2, 2.0), 4: (3, 1.0), 5: (1, 16.0)}
    assert costs.seconds_of(2, processes) == 7.0


def test_table_is_as_it_is_written() -> None:
    assert TABLE.read_text(encoding="utf-8") == table(measured_costs(), {})


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["0", "2"])
def test_part_is_told_by_the_environment_as_by_an_option(workers: str) -> None:
    """As continuous integration does, to the workers too."""
    by_environment, by_option = (
        passed(workers, options="--shard 1/4"),
        passed(workers, "--shard=1/4"),
    )
    assert by_environment == by_option != passed("0")


@cache
def passed(workers: str, *arguments: str, options: str = "") -> str:
    """How many of a few tests pass, however many workers run them."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", workers]
    files = ["tests/ir", "tests/fixing/test_passes.py"]
    run = subprocess.run(
        [*command, *files, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTEST_ADDOPTS": options},
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout.splitlines()[-1].partition(" passed")[0]
