"""Which tests go to one worker of pytest-xdist: those that share what takes long to make.

The analyses of a fixture, the exact results of its rule's fixes and what was compiled for them are
kept in memory, so a rule's tests stay together. So do those of suspects, which run programs in
interpreters that have imported frameworks. All other tests stay with their file. What they cost is
in `costs.tsv` (how it is measured: `tests/costs.py`), by which parts of a run are balanced.

>>> scope_of("tests/test_sweep.py::test_safe_fixes_are_nowhere_worse[sqrt-at-zero-jax-float32]")
'sqrt-at-zero'
>>> scope_of("tests/test_fixtures.py::test_fixed_text_parses[sqrt-at-zero/keras_backend]")
'sqrt-at-zero'
>>> scope_of("tests/test_pictures.py::test_flaw_is_seen_before[sqrt-at-zero]")
'sqrt-at-zero'
>>> scope_of("tests/test_first_pass.py::test_both_trees[cases/sound/torch_vae.py]")
'sound torch'
>>> scope_of("tests/suspects/test_rank.py::test_a_run_confirms_the_origin[jax_hmm]")
'tests/suspects'
>>> scope_of("tests/test_cli.py::test_fix_rewrites_the_file")
'tests/test_cli.py'
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

import pytest
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

_BY_RULE: Final = (
    *("test_fixtures", "test_verifier", "test_sweep", "test_first_pass", "test_cases"),
    "test_pictures",
)
_EXECUTING: Final = frozenset(
    (
        *("test_sweep", "test_verifier", "test_pictures", "test_sweep_alike", "test_gpu_report"),
        *("test_mutants", "test_own_rewrites"),
    )
)
"""They share the analyses of all fixtures, and what frameworks compile."""
_SUBJECT: Final = re.compile(
    r"\[(?:fixtures/|cases/)?(?P<rule>[a-z-]+?)"
    r"(?:\]|[/-](?P<framework>torch|tensorflow|keras|jax|numpy|math))"
)
_SUSPECTS: Final = "tests/suspects"
_TESTS_A_SECOND: Final = 25
"""Where nothing was measured."""
_TELLING: Final = 0.5
"""Seconds by which a cost differs from what is expected of so many tests, to be noted."""
TABLE: Final = Path(__file__).with_name("costs.tsv")


class Place(NamedTuple):
    """The tests of a file that stay together, the slow ones apart from the others."""

    path: str
    scope: str
    is_slow: bool


class Scheduling(LoadScopeScheduling):
    """Hands out scopes in the order of the tests: from the front to one half of the workers, from
    the back to the others, so that those that share something mostly go to the same ones."""

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)

    def _assign_work_unit(self, node: WorkerController) -> None:
        if self.nodes.index(node) % 2:
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)


def scope_of(nodeid: str) -> str:
    """What a test stays together with: a rule, the cases of a framework, its folder or file."""
    path = nodeid.partition("::")[0]
    if path.startswith(f"{_SUSPECTS}/"):
        return _SUSPECTS
    subject = _SUBJECT.search(nodeid)
    if subject is None or _stem(nodeid) not in _BY_RULE:
        return path
    if subject["rule"] in ("broken", "sound"):
        return f"{subject['rule']} {subject['framework']}"
    return subject["rule"]


def place_of(item: pytest.Item) -> Place:
    """What it costs is measured with what else is there."""
    path = item.nodeid.partition("::")[0]
    return Place(path, scope_of(item.nodeid), item.get_closest_marker("slow") is not None)


def costs_by_scope(
    items: Iterable[pytest.Item], measured: Mapping[Place, float]
) -> dict[str, float]:
    """About how many seconds of a processor the tests of each scope take."""
    costs: dict[str, float] = {}
    for place, count in Counter(map(place_of, items)).items():
        cost = measured.get(place, count / _TESTS_A_SECOND)
        costs[place.scope] = costs.get(place.scope, 0.0) + cost
    return costs


def measured_costs() -> dict[Place, float]:
    """In seconds, as the table has them."""
    rows = (line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines())
    return {
        Place(path, scope, mark == "slow"): float(seconds) for path, scope, mark, seconds in rows
    }


def table(costs: Mapping[Place, float], counts: Mapping[Place, int]) -> str:
    """As it is kept, without what was counted now and what its number of tests says as well."""
    return "".join(
        f"{place.path}\t{place.scope}\t{'slow' if place.is_slow else 'quick'}\t{cost:.1f}\n"
        for place, cost in sorted(costs.items())
        if place not in counts or abs(cost - counts[place] / _TESTS_A_SECOND) >= _TELLING
    )


def in_part(costs: Mapping[str, float], part: str) -> set[str]:
    """The scopes of one part of several, each dealt to the part that has least to do by then.

    >>> in_part({"a": 1.0, "b": 3.0, "c": 2.5, "d": 1.0}, "1/2") == {"b", "d"}
    True
    >>> in_part({"a": 1.0, "b": 3.0, "c": 2.5, "d": 1.0}, "2/2") == {"a", "c"}
    True
    """
    number, _, parts = part.partition("/")
    dealt = [0.0] * int(parts)
    mine = set()
    for scope in sorted(costs, key=lambda scope: (-costs[scope], scope)):
        least = dealt.index(min(dealt))
        dealt[least] += costs[scope]
        if least == int(number) - 1:
            mine.add(scope)
    return mine


def longest_outside(items: list[pytest.Item], costs: Mapping[str, float]) -> None:
    """What executes fixes goes to the front, the rest to the back, the longest at either end.

    So workers that take from both ends have little to do where they meet.
    """
    scopes = {item: scope_of(item.nodeid) for item in items}
    places = {scope: place for place, scope in enumerate(dict.fromkeys(scopes.values()))}
    executing = {scopes[item] for item in items if _stem(item.nodeid) in _EXECUTING}

    def place_in_queue(item: pytest.Item) -> tuple[bool, float, int]:
        scope = scopes[item]
        is_last = scope not in executing
        return is_last, costs[scope] if is_last else -costs[scope], places[scope]

    items.sort(key=place_in_queue)


def _stem(nodeid: str) -> str:
    return PurePosixPath(nodeid.partition("::")[0]).stem
