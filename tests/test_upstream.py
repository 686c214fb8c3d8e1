"""What `benchmarks/upstream.py` rests on: rewrites one by one, the tests they concern, culprits."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.package_tests.affected import affected, batch, ranked
from benchmarks.package_tests.culprits import culprits, minimal
from benchmarks.package_tests.fixing import Fixes, Labelled, Tree
from benchmarks.package_tests.report import Culprit, Score, tables
from benchmarks.package_tests.rewrites import Rewrite, function_around, rewrites_of, rewritten
from benchmarks.package_tests.running import FileResult, Limits, Runner

pytestmark = pytest.mark.posix

BEFORE = """\
import torch


class Loss:
    @staticmethod
    def root(x):
        return torch.sqrt(x)

    def log(self, x):
        y = x
        return torch.log(y)


LIMIT = torch.tensor(0.0).log()
"""
AFTER = """\
import torch
from torch.nn import functional as F


class Loss:
    @staticmethod
    def root(x):
        return torch.sqrt(x + 1e-12)

    def log(self, x):
        y = x
        return torch.log(
            y.clamp(min=1e-8)
        )


LIMIT = torch.tensor(1.0).log()
"""


@given(st.sets(st.integers(0, 40), min_size=1, max_size=4), st.integers(41, 60))
def test_a_minimal_part_is_all_of_the_culprits_and_nothing_else(guilty: set[int], count: int):
    assert set(minimal(range(count), lambda part: guilty <= set(part))) == guilty


def test_one_culprit_among_many_takes_few_trials():
    trials = []

    def fails(part: Sequence[int]) -> bool:
        trials.append(part)
        return 700 in part

    assert minimal(range(1000), fails) == (700,)
    assert len(trials) <= 22


def test_the_most_likely_change_is_tried_alone_first():
    trials = []

    def fails(part: Sequence[int]) -> bool:
        trials.append(list(part))
        return 9 in part

    assert minimal([9, *range(9)], fails) == (9,)
    assert trials == [[9]]


def test_each_culprit_comes_with_all_the_tests_that_it_fails():
    broken_by = {"a": {1}, "b": {2}, "c": {1}, "d": {5}, "e": {2, 3}}

    def run(part: Sequence[int], tests: Collection[str]) -> list[str]:
        return [test for test in tests if broken_by[test] <= set(part)]

    def suspects(test: str) -> list[int]:
        return [] if test == "d" else [1, 2, 3, 4]

    assert list(culprits(list(broken_by), suspects, run)) == [
        ((1,), ("a", "c")),
        ((2,), ("b",)),
        ((), ("d",)),
        ((2, 3), ("e",)),
    ]


def test_all_rewrites_together_make_the_fixed_file():
    found = rewrites_of("m.py", BEFORE, AFTER)
    assert len(found) == 3
    assert rewritten(BEFORE, AFTER, "m.py", found) == AFTER
    assert rewritten(BEFORE, AFTER, "m.py", ()) == BEFORE


def test_one_rewrite_comes_with_the_imports_alone():
    first, second, third = rewrites_of("m.py", BEFORE, AFTER)
    text = rewritten(BEFORE, AFTER, "m.py", [second])
    assert "from torch.nn import functional as F" in text
    assert "y.clamp(min=1e-8)" in text
    assert first.after not in text and third.after not in text


def test_an_import_that_fixes_drop_stays_for_the_other_rewrites():
    before = "import math\nimport torch\na = math.log(x)\n"
    after = "import torch\na = torch.log(x)\n"
    (only,) = rewrites_of("m.py", before, after)
    other = Rewrite("n.py", 1, "", "")
    assert rewritten(before, after, "m.py", [other]) == before
    assert rewritten(before, after, "m.py", [only]).startswith("import math\nimport torch\n")


def test_a_rewrite_belongs_to_the_innermost_function_by_the_row_of_its_code():
    places = [function_around(one, BEFORE) for one in rewrites_of("m.py", BEFORE, AFTER)]
    assert [(place.key, place.names) for place in places] == [
        ("m.py:5", ("Loss", "root")),
        ("m.py:9", ("Loss", "log")),
        ("m.py:1", ()),
    ]
    code = compile(BEFORE, "m.py", "exec")
    inner = next(one for one in code.co_consts if hasattr(one, "co_consts"))
    rows = [one.co_firstlineno for one in inner.co_consts if hasattr(one, "co_firstlineno")]
    assert rows == [5, 9]


def test_test_files_that_name_what_is_rewritten_come_first(tmp_path: Path):
    (tmp_path / "m.py").write_text(BEFORE)
    (tmp_path / "test_a.py").write_text("from other import thing")
    (tmp_path / "test_b.py").write_text("Loss.root(1)")
    files = ranked(("test_a.py", "test_b.py"), rewrites_of("m.py", BEFORE, AFTER)[:1], tmp_path)
    assert files == ["test_b.py", "test_a.py"]


def test_files_of_one_name_share_no_process():
    assert batch(("a/test_x.py", "a/test_y.py", "b/test_x.py", "b/test_z.py"), 9) == [
        "a/test_x.py",
        "a/test_y.py",
        "b/test_z.py",
    ]
    assert batch(("1.py", "2.py", "3.py"), 2) == ["1.py", "2.py"]


PACKAGE = """\
import time


def half(x):
    return x / 2


def root(x):
    return x ** 0.5
"""
TESTS = """\
import os
import random
import time

import pytest
from package import half, root

drawn = random.random


def test_half():
    assert half(2) == 1


def test_root():
    assert root(0) == 0


def test_both():
    assert half(root(4)) == 1


def test_wrong():
    assert root(4) == 3


def test_seeded_first():
    drawn()
    test_seeded_first.value = drawn()


def test_seeded_second():
    drawn()
    assert drawn() == test_seeded_first.value


@pytest.mark.skip(reason="to be counted as skipped, not as passed")
def test_skipped():
    pass


def test_slow():
    time.sleep(60)
"""
CRASH = """\
import os


def test_before_it():
    pass


def test_crash():
    os.abort()


def test_after_it():
    pass
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    place = tmp_path / "source"
    place.mkdir()
    (place / "package.py").write_text(PACKAGE)
    (place / "test_package.py").write_text(TESTS)
    (place / "test_crash.py").write_text(CRASH)
    return place


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(Path(sys.executable), tmp_path / "home", Limits(test=1.0))


@pytest.mark.slow
def test_a_run_tells_what_becomes_of_each_test_and_what_it_calls(source: Path, runner: Runner):
    file = "test_package.py"
    result = runner.run(source, [file], 100, with_calls=True)[file]
    outcomes = {one.test.partition("::")[2]: one for one in result.tests}
    assert {name: one.outcome for name, one in outcomes.items()} == {
        "test_half": "passed",
        "test_root": "passed",
        "test_both": "passed",
        "test_wrong": "failed",
        "test_seeded_first": "passed",
        "test_seeded_second": "passed",
        "test_skipped": "skipped",
        "test_slow": "failed",
    }
    assert "package.py:4" in outcomes["test_half"].calls
    assert "package.py:8" not in outcomes["test_half"].calls
    assert {"package.py:4", "package.py:8"} <= set(outcomes["test_both"].calls)
    assert outcomes["test_wrong"].rows == ("test_package.py:24",)
    assert "TooLong" in outcomes["test_slow"].error
    assert FileResult.loads(result.dumps()) == result


@pytest.mark.slow
def test_only_the_tests_that_are_asked_for_are_run(source: Path, runner: Runner):
    wanted = ["test_package.py::test_half"]
    result = runner.run(source, ["test_package.py"], 100, wanted)["test_package.py"]
    assert [one.test for one in result.tests] == wanted


@pytest.mark.slow
def test_a_process_that_dies_leaves_what_it_reached(source: Path, runner: Runner):
    files = ["test_crash.py", "test_package.py"]
    results = runner.run(source, files, 100)
    crashed = results["test_crash.py"]
    assert [(one.test.partition("::")[2], one.outcome) for one in crashed.tests] == [
        ("test_before_it", "passed"),
        ("test_crash", "stopped"),
    ]
    assert crashed.ended == "signal 6"
    assert not results["test_package.py"].tests


@pytest.mark.slow
def test_tests_are_concerned_by_what_they_entered(source: Path, runner: Runner):
    before = runner.run(source, ["test_package.py"], 100, with_calls=True)
    root = Rewrite("package.py", 9, "", "")
    assert affected([root], before, source) == {
        "test_package.py": ["test_package.py::test_root", "test_package.py::test_both"]
    }
    everything = Rewrite("package.py", 1, "import time\n", "")
    assert len(affected([everything], before, source)["test_package.py"]) == 5


@pytest.mark.slow
def test_a_changed_file_is_executed_as_it_stands(source: Path, runner: Runner, tmp_path: Path):
    after = PACKAGE.replace("x / 2", "x / 3")
    (rewrite,) = rewrites_of("package.py", PACKAGE, after)
    fixes = Fixes({"package.py": after}, (Labelled(rewrite),))
    tree = Tree.of(source, tmp_path / "tree")
    wanted = ["test_package.py::test_half"]

    def outcome(change: Callable[[], None]) -> str:
        change()
        result = runner.run(tree.place, ["test_package.py"], 100, wanted)["test_package.py"]
        return result.tests[0].outcome

    assert outcome(lambda: None) == "passed"
    assert outcome(lambda: tree.put(fixes, None, ["package.py"])) == "failed"
    assert outcome(lambda: tree.put(fixes, (), ["package.py"])) == "passed"
    assert outcome(lambda: tree.put(fixes, (rewrite,), ["package.py"])) == "failed"
    assert outcome(lambda: tree.put(fixes, None, [])) == "passed"


def test_a_score_survives_being_kept_and_is_shown_with_its_culprits():
    (rewrite,) = rewrites_of("m.py", "a = x.sqrt()\n", "a = (x + 1).sqrt()\n")
    culprit = Culprit((rewrite,), ("NAN203 unsafe",), ("t.py::a", "t.py::b"), "ValueError: no")
    score = Score("some", "1.0", "unsafe", 3, 20, 18, 9, 0, (culprit,))
    assert Score.loads(score.dumps()) == score
    text = "\n".join(tables([score], "abc"))
    assert "| some 1.0 | unsafe | 3 | 20 | 18 | 9 | 0 | 2 |" in text
    assert "unsafe: 2 new failures, in 1 of 1 packages" in text
    assert "-a = x.sqrt()\n+a = (x + 1).sqrt()" in text
    assert "`m.py:1` (NAN203 unsafe)" in text
