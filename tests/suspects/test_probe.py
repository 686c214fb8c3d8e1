"""Running a program under the probe: where it stops, and that it computes the same till then."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from mllint_nan.probing.compiling import Node, Place, instrumented
from mllint_nan.settings import Settings
from mllint_nan.suspects.candidates import suspects_of
from mllint_nan.suspects.program import entry_of, program_from
from mllint_nan.suspects.running import Run, run
from tests.fixture_files import ROOT

PROGRAMS = sorted((ROOT / "fixtures" / "suspects" / "programs").glob("*.py"))


def _run(path: Path, *arguments: str) -> Run:
    ranked = suspects_of(program_from(entry_of(str(path))), lambda _: Settings()).ranked
    return run(ranked, [sys.executable, *arguments, str(path)], is_quiet=True)


@pytest.mark.slow
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_it_stops_at_the_origin(path: Path) -> None:
    outcome = _run(path)
    assert outcome.origin is not None
    row = outcome.origin.suspect.finding.start.row
    assert path.read_text(encoding="utf-8").splitlines()[row - 1].endswith("# origin")


def _written(path: Path, body: str) -> Path:
    path.write_text(f"import torch\n\n{body}", encoding="utf-8")
    return path


def test_a_program_whose_numbers_are_finite_runs_to_its_end(tmp_path: Path) -> None:
    path = _written(
        tmp_path / "a.py",
        "import sys\n\nx = torch.ones(3, requires_grad=True)\n"
        "torch.log(x).sum().backward()\nprint(x.grad.tolist(), sys.argv, __name__)\nsys.exit(3)\n",
    )
    outcome = _run(path)
    assert (outcome.origin, outcome.passed, outcome.status) == (None, None, 3)
    assert outcome.executed == outcome.watched == 1


def test_a_number_from_elsewhere_is_no_origin(tmp_path: Path) -> None:
    path = _written(
        tmp_path / "a.py",
        "x = torch.tensor([float('inf')], requires_grad=True)\ntorch.log(x).sum().backward()\n",
    )
    outcome = _run(path)
    assert outcome.origin is None
    assert outcome.passed is not None and outcome.passed.suspect.finding.code == "NAN201"


def test_an_infinity_that_is_not_differentiated_is_none_where_only_the_gradient_breaks(
    tmp_path: Path,
) -> None:
    path = _written(
        tmp_path / "a.py",
        "def f(x):\n    return torch.where(x > 0, torch.log(x), 0.0)\n\n"
        "with torch.no_grad():\n    f(torch.zeros(2))\n"
        "f(torch.ones(2, requires_grad=True)).sum().backward()\n",
    )
    assert _run(path).origin is None


def test_modules_that_are_imported_are_watched(tmp_path: Path) -> None:
    (tmp_path / "losses.py").write_text(
        "import torch\n\ndef loss(p):\n    return torch.log(p).sum()\n"
    )
    path = _written(
        tmp_path / "a.py",
        "from losses import loss\nloss(torch.zeros(2, requires_grad=True)).backward()\n",
    )
    outcome = _run(path)
    assert outcome.origin is not None
    assert outcome.origin.suspect.path == str(tmp_path / "losses.py")
    assert outcome.origin.operands == ("float32[2] from 0 to 0",)


def test_a_suspect_of_a_row_with_wide_characters_is_watched(tmp_path: Path) -> None:
    path = _written(
        tmp_path / "a.py",
        "x = torch.zeros(2, requires_grad=True)\nprint('größe'), torch.log(x).sum().backward()\n",
    )
    assert _run(path).origin is not None


def test_a_module_runs_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "pkg"
    package.mkdir()
    (package / "__init__.py").write_text("")
    _written(package / "train.py", "from . import other\ntorch.log(other.x).sum().backward()\n")
    _written(package / "other.py", "x = torch.zeros(2, requires_grad=True)\n")
    monkeypatch.chdir(tmp_path)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mllint_nan", "--suspects", "--output-format", "json"),
            *("--run", "--", sys.executable, "-m", "pkg.train"),
        ],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["origin"]["location"]["row"] == 4


@pytest.mark.parametrize(
    "text",
    [
        "y = f(*a, k=(b := 2), **c)\n",
        "class A(B):\n    def f(self):\n        return super().f() + self.x / 2\n",
        "y = [x ** 2 for x in z if (x @ x) > 0]\n",
        "def f():\n    yield (yield 1) / 2\n",
        "async def f():\n    return await g(1) / 2\n",
        "y = (\n    a\n    / b\n)\n",
        "x: int = a // b % c\n",
    ],
)
def test_what_is_watched_computes_the_same(text: str) -> None:
    lines = text.splitlines()
    whole = Place(0, True, (1, 0), (len(lines), len(lines[-1])))
    nodes: dict[int, Node] = {}
    assert instrumented(text, "a.py", [whole], nodes)
    assert nodes


def test_calls_are_evaluated_once_and_in_their_order() -> None:
    text = "made = f(g(1), h(2)) / k(3)\n"
    told: list[str] = []

    class Watching:
        def call(self, number: int, function: object, /, *args: object) -> object:
            assert callable(function)
            return function(*args)

        def binary(self, number: int, operator: str, left: float, right: float, /) -> float:
            return left / right

    def named(name: str) -> object:
        return lambda *args: told.append(name) or 1.0

    names = {name: named(name) for name in "fghk"}
    place = Place(0, True, (1, 7), (1, len(text) - 1))
    code = instrumented(text, "a.py", [place], {})
    scope = {**names, "__mllint_nan__": Watching()}
    exec(code, scope)
    assert (told, scope["made"]) == (["g", "h", "f", "k"], 1.0)
