"""Which tests go to one worker of pytest-xdist: those that share what takes long to make.

The analyses of a fixture, the exact results of its rule's fixes and what was compiled for them are
kept in memory, so a rule's tests stay together. All other tests stay with their file.

>>> scope_of("tests/test_sweep.py::test_safe_fixes_are_nowhere_worse[sqrt-at-zero-jax-float32]")
'sqrt-at-zero'
>>> scope_of("tests/test_fixtures.py::test_fixed_text_parses[sqrt-at-zero/keras_backend]")
'sqrt-at-zero'
>>> scope_of("tests/test_pictures.py::test_flaw_is_seen_before[sqrt-at-zero]")
'sqrt-at-zero'
>>> scope_of("tests/test_first_pass.py::test_both_trees[cases/sound/torch_vae.py]")
'sound torch'
>>> scope_of("tests/test_cli.py::test_fix_rewrites_the_file")
'tests/test_cli.py'
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Final

import pytest
from xdist.scheduler import LoadScopeScheduling

_BY_RULE: Final = (
    *("test_fixtures", "test_verifier", "test_sweep", "test_first_pass", "test_cases"),
    "test_pictures",
)
_SUBJECT: Final = re.compile(
    r"\[(?:fixtures/|cases/)?(?P<rule>[a-z-]+?)"
    r"(?:\]|[/-](?P<framework>torch|tensorflow|keras|jax|numpy|math))"
)
_SECONDS: Final = {
    "test_placement": 40,
    "test_robustness": 30,
    "test_transfer": 30,
    "test_cache": 20,
    "test_isolation": 8,
    "test_predicates_are_needed": 8,
    "test_versions": 7,
    "test_screening": 7,
    "test_projects": 6,
    "test_server": 5,
    "test_session": 4,
    "test_neovim": 3,
}
"""Of files whose tests take longer than most, about: they start processes, or are few for many."""
_TESTS_A_SECOND: Final = 25
"""As others are; it is no more than an order that is derived from them."""


class Scheduling(LoadScopeScheduling):
    """Hands out scopes in the order of the tests, which begins with what takes longest."""

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)


def scope_of(nodeid: str) -> str:
    """What a test stays together with: a rule, the cases of a framework, or its file."""
    path = nodeid.partition("::")[0]
    subject = _SUBJECT.search(nodeid)
    if subject is None or PurePosixPath(path).stem not in _BY_RULE:
        return path
    if subject["rule"] in ("broken", "sound"):
        return f"{subject['rule']} {subject['framework']}"
    return subject["rule"]


def in_part(scopes: Iterable[str], part: str) -> set[str]:
    """The scopes of one part of several, which are dealt in turn.

    >>> sorted(in_part(["a", "b", "a", "c"], "1/2"))
    ['a', 'c']
    >>> in_part(["a", "b", "a", "c"], "2/2")
    {'b'}
    """
    number, _, parts = part.partition("/")
    return set(list(dict.fromkeys(scopes))[int(number) - 1 :: int(parts)])


def longest_first(items: list[pytest.Item]) -> None:
    """Files of slow tests, then rules, of each those that take longest, or have most tests, so
    that no worker is left alone with much at the end."""
    scopes = {item: scope_of(item.nodeid) for item in items}
    paths = {item: item.nodeid.partition("::")[0] for item in items}
    slow = {paths[item] for item in items if item.get_closest_marker("slow")}
    counts = Counter(scopes.values())
    places = {scope: place for place, scope in enumerate(counts)}
    lengths = {
        scope: max(count, _TESTS_A_SECOND * _SECONDS.get(PurePosixPath(scope).stem, 0))
        for scope, count in counts.items()
    }

    def rank(item: pytest.Item) -> tuple[bool, bool, int, int]:
        scope = scopes[item]
        return scope not in slow, scope == paths[item], -lengths[scope], places[scope]

    items.sort(key=rank)
