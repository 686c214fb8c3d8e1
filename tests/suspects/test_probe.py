"""Running a program under the probe: where it stops, and that it computes the same till then."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mllint_nan.probing.compiling import Node, Place, instrumented
from mllint_nan.probing.watching import Watch
from mllint_nan.settings import Settings
from mllint_nan.suspects.candidates import suspects_of
from mllint_nan.suspects.program import entry_of, program_from
from mllint_nan.suspects.running import Run, run
from tests.fixture_files import ROOT
from tests.preloaded import python_for

PROGRAMS = sorted((ROOT / "fixtures" / "suspects" / "programs").glob("*.py"))
FIRST = {path.stem.partition("_")[0]: path for path in reversed(PROGRAMS)}
"""Of each framework: `python` itself runs it, which the probe then sees import the framework."""


def _run(path: Path, python: str = "") -> Run:
    program = program_from(entry_of(str(path)))
    ranked = suspects_of(program, lambda _: Settings()).ranked
    command = [python or python_for(*map(Path, program.files)), str(path)]
    return run(ranked, command, is_quiet=True)


@pytest.mark.slow
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_it_stops_at_the_origin(path: Path) -> None:
    outcome = _run(path, sys.executable if path in FIRST.values() else "")
    assert outcome.origin is not None and outcome.origin.suspect is not None
    row = outcome.origin.suspect.finding.start.row
    assert path.read_text(encoding="utf-8").splitlines()[row - 1].endswith("# origin")


def _written(path: Path, body: str) -> Path:
    path.write_text(f"import torch\n\n{body}", encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_program_whose_numbers_are_finite_runs_to_its_end(tmp_path: Path) -> None:
    path = _written(
        tmp_path / "a.py",
        "import sys\n\nx = torch.ones(3, requires_grad=True)\n"
        "torch.log(x).sum().backward()\nprint(x.grad.tolist(), sys.argv, __name__)\nsys.exit(3)\n",
    )
    outcome = _run(path)
    assert (outcome.origin, outcome.passed, outcome.status) == (None, None, 3)
    assert not outcome.is_bad
    assert outcome.executed == outcome.watched == 1


@pytest.mark.slow
def test_a_number_from_elsewhere_is_no_origin(tmp_path: Path) -> None:
    path = _written(
        tmp_path / "a.py",
        "x = torch.tensor([float('inf')], requires_grad=True)\ntorch.log(x).sum().backward()\n",
    )
    outcome = _run(path)
    assert outcome.origin is None
    assert outcome.passed is not None and outcome.passed.suspect is not None
    assert outcome.passed.suspect.finding.code == "NAN201"


@pytest.mark.slow
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


@pytest.mark.slow
def test_modules_that_are_imported_are_watched(tmp_path: Path) -> None:
    (tmp_path / "losses.py").write_text(
        "import torch\n\ndef loss(p):\n    return torch.log(p).sum()\n"
    )
    path = _written(
        tmp_path / "a.py",
        "from losses import loss\nloss(torch.zeros(2, requires_grad=True)).backward()\n",
    )
    outcome = _run(path)
    assert outcome.origin is not None and outcome.origin.suspect is not None
    assert outcome.origin.suspect.path == str(tmp_path / "losses.py")
    assert outcome.origin.operands == ("float32[2] from 0 to 0",)


@pytest.mark.slow
def test_a_suspect_of_a_row_with_wide_characters_is_watched(tmp_path: Path) -> None:
    path = _written(
        tmp_path / "a.py",
        "x = torch.zeros(2, requires_grad=True)\nprint('größe'), torch.log(x).sum().backward()\n",
    )
    assert _run(path).origin is not None


@pytest.mark.slow
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


@pytest.mark.slow
def test_what_the_program_raises_is_shown_as_python_shows_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = _written(
        tmp_path / "a.py",
        "def f(x):\n    return torch.log(x).sum() / len({}[0])\n\n"
        "f(torch.ones(3, requires_grad=True)).backward()\n",
    )
    plain = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False)
    capfd.readouterr()
    outcome = _run(path, sys.executable)
    shown = [line for line in plain.stderr.splitlines() if "^^" not in line and "~~" not in line]
    assert [line for line in capfd.readouterr().err.splitlines() if "^^" not in line] == shown
    assert (outcome.origin, outcome.status) == (None, 1)
    assert "KeyError: 0" in shown[-1]


@pytest.mark.slow
def test_workers_and_processes_of_a_program_run_on(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = _written(
        tmp_path / "a.py",
        "import multiprocessing\nimport subprocess\nimport sys\n"
        "from torch.utils.data import DataLoader\n\n\n"
        "class Rows(torch.utils.data.Dataset):\n    def __len__(self):\n        return 4\n\n"
        "    def __getitem__(self, index):\n"
        "        return torch.log(torch.full((2,), float(index)))\n\n\n"
        "def worst(x):\n    return torch.log(torch.zeros(2)).max().item() + x\n\n\n"
        "if __name__ == '__main__':\n"
        "    w = torch.ones(2, requires_grad=True)\n"
        "    for rows in DataLoader(Rows(), batch_size=2, num_workers=1):\n"
        "        torch.sqrt(w + torch.exp(rows)).sum().backward()\n"
        "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
        "        print(pool.map(worst, [1]))\n"
        "    print(subprocess.check_output([sys.executable, '-c', 'print(7)'], text=True))\n"
        "    print('ended')\n",
    )
    outcome = _run(path, sys.executable)
    told = capfd.readouterr()
    assert "ended" in told.err, told.err
    assert (outcome.status, outcome.origin) == (0, None)


@pytest.mark.slow
def test_a_gradient_is_stopped_at_in_its_step(tmp_path: Path) -> None:
    path = _written(
        tmp_path / "a.py",
        "w = torch.tensor([1.0, 0.5], requires_grad=True)\n"
        "optimizer = torch.optim.SGD([w], lr=1.0)\n"
        "for step in range(4):\n    loss = torch.sqrt(torch.relu(w)).sum()\n"
        "    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()\n",
    )
    origin = _run(path).origin
    assert origin is not None and origin.suspect is not None
    assert (origin.effect, origin.execution, origin.step) == ("gradient", 2, 2)
    assert origin.operands == ("float32[2] from 0 to 0.5",)


@pytest.mark.slow
@pytest.mark.parametrize("is_imported", [False, True])
def test_what_is_compiled_runs_as_written_or_is_named(tmp_path: Path, is_imported: bool) -> None:
    """Whether the program imports PyTorch, or what runs before each program has done so."""
    path = _written(
        tmp_path / "a.py",
        "@torch.compile\ndef f(x):\n    return torch.log(x).sum()\n\n\n"
        "@torch.jit.script\ndef g(x):\n    return torch.log(x).sum()\n\n\n"
        "x = torch.ones(2, requires_grad=True)\ng(x).backward()\n"
        "f(torch.zeros(2, requires_grad=True)).backward()\n",
    )
    outcome = _run(path, "" if is_imported else sys.executable)
    assert outcome.origin is not None and outcome.origin.start.row == 5
    assert any("torch.compile" in note for note in outcome.notes)
    assert any("a.py:8" in note and "PYTORCH_JIT=0" in note for note in outcome.notes)


@pytest.mark.slow
def test_a_scaled_loss_may_overflow_until_the_scale_is_down(tmp_path: Path) -> None:
    path = _written(
        tmp_path / "a.py",
        "w = torch.ones(2, requires_grad=True)\n"
        "optimizer = torch.optim.SGD([w], lr=0.1)\n"
        "scaler = torch.amp.GradScaler('cpu', init_scale=2.0**120)\n"
        "for step in range(20):\n    loss = torch.sqrt(w * 1e-14).sum() * 1e9\n"
        "    optimizer.zero_grad()\n    scaler.scale(loss).backward()\n"
        "    scaler.step(optimizer)\n    scaler.update()\n",
    )
    assert _run(path).origin is None


@pytest.mark.slow
def test_transformed_functions_of_jax_are_watched_under_every_transformation(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.py"
    path.write_text(
        "import jax\nimport jax.numpy as jnp\n\n\n"
        "def root(x):\n    return jnp.sqrt(x).sum()\n\n\n"
        "x = jnp.ones((2, 3))\n"
        "jax.vmap(jax.grad(root))(x)\njax.grad(lambda y: jax.vmap(root)(y).sum())(x)\n"
        "jax.hessian(root)(x[0])\njax.jacfwd(root)(x)\njax.grad(jax.checkpoint(root))(x)\n"
        "jax.grad(lambda y: jax.lax.scan(lambda c, a: (c + root(a), 0.0), 0.0, y)[0])(x)\n"
        "jax.jit(jax.vmap(jax.grad(root)))(x.at[1, 1].set(0.0))\njax.effects_barrier()\n",
        encoding="utf-8",
    )
    origin = _run(path).origin
    assert origin is not None and origin.effect == "gradient"


_FED = {
    "jax": "import jax\nimport jax.numpy as jnp\n\n\n"
    "def root(x):\n    return jnp.sqrt(jax.nn.relu(x)).sum()\n\n\n"
    "jax.jit(jax.grad(root))(jnp.array([{fed}, 1.0]))\n"
    "jax.jit(jax.vmap(jax.grad(root)))(jnp.array([[{fed}, 1.0]]))\njax.effects_barrier()\n",
    "sessions": "import tensorflow.compat.v1 as tf\n\ntf.disable_v2_behavior()\n"
    "x = tf.placeholder(tf.float32, [2])\nw = tf.Variable([1.0, 1.0])\n"
    "loss = tf.reduce_sum(tf.sqrt(tf.nn.relu(w * x)))\n"
    "train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)\n"
    "with tf.Session() as session:\n    session.run(tf.global_variables_initializer())\n"
    "    session.run(train, {{x: [{fed}, 1.0]}})\n",
    "eager": "import tensorflow as tf\n\nw = tf.Variable([1.0, 1.0])\n"
    "with tf.GradientTape() as tape:\n"
    "    loss = tf.reduce_sum(tf.sqrt(tf.nn.relu(w * tf.constant([{fed}, 1.0]))))\n"
    "tape.gradient(loss, w)\n",
}


@pytest.mark.slow
@pytest.mark.parametrize(("fed", "is_origin"), [("float('nan')", False), ("0.0", True)])
@pytest.mark.parametrize("way", _FED)
def test_a_gradient_by_nan_that_came_in_is_no_origin(
    tmp_path: Path, way: str, fed: str, is_origin: bool
) -> None:
    path = tmp_path / "a.py"
    path.write_text(_FED[way].format(fed=fed), encoding="utf-8")
    outcome = _run(path)
    assert (outcome.origin is not None) is is_origin
    assert outcome.is_bad
    if outcome.origin is not None:
        assert outcome.origin.effect == "gradient"


@pytest.mark.slow
def test_a_function_for_xla_runs_as_a_graph(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(
        "import tensorflow as tf\n\n\n"
        "@tf.function(jit_compile=True)\ndef step(w):\n    with tf.GradientTape() as tape:\n"
        "        tape.watch(w)\n        loss = tf.reduce_sum(tf.math.log(w))\n"
        "    return tape.gradient(loss, w)\n\n\nstep(tf.constant([0.0, 1.0]))\n",
        encoding="utf-8",
    )
    outcome = _run(path)
    assert outcome.origin is not None and outcome.origin.start.row == 8
    assert any("XLA" in note for note in outcome.notes)


@pytest.mark.slow
def test_branches_of_a_graph_are_watched(tmp_path: Path) -> None:
    """AutoGraph compiles the text of a function and not its code."""
    path = tmp_path / "a.py"
    path.write_text(
        "import tensorflow as tf\n\nw = tf.Variable([0.5, 1.0])\n\n\n"
        "@tf.function\ndef step(x):\n    with tf.GradientTape() as tape:\n"
        "        p = w * x\n        if tf.reduce_sum(x) > 3.0:\n            p = p * 0.0\n"
        "        loss = -tf.reduce_sum(tf.math.log(p))\n"
        "    w.assign_sub(0.01 * tape.gradient(loss, w))\n\n\n"
        "for i in range(4):\n    step(tf.constant([1.5, i + 0.5]))\n",
        encoding="utf-8",
    )
    outcome = _run(path)
    assert outcome.origin is not None and outcome.origin.start.row == 12


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
        "def f(x):\n    x /= g(x)\n    return x\n",
        "@f(1)\ndef g(x: h(2) = k(3)) -> l(4):\n    return locals()\n",
        "match f(x):\n    case -1 | 1 + 2j:\n        y = 1 / 2\n",
    ],
)
def test_what_is_watched_computes_the_same(text: str) -> None:
    lines = text.splitlines()
    whole = Place(0, True, (1, 0), (len(lines), len(lines[-1])))
    nodes: dict[int, Node] = {}
    assert instrumented(text, "a.py", [whole], nodes, is_wide=True, keeps=True)
    assert nodes


def test_operations_run_in_the_frame_in_which_they_stand() -> None:
    text = "def f(a):\n    b = 2\n    return sorted(locals()), [*map(str, vars())]\n"
    scope: dict[str, Any] = {}
    watch = Watch(nodes := {}, lambda look: None, is_wide=True)
    exec(instrumented(text, "a.py", [], nodes, is_wide=True), scope)
    scope["__mllint_nan__"] = watch
    assert scope["f"](1) == (["a", "b"], ["a", "b"])
    assert watch.executions


def test_calls_are_evaluated_once_and_in_their_order() -> None:
    text = "made = f(g(1), h(2)) / k(3)\n"
    told: list[str] = []

    class Watching:
        def operand(self, number: int, value: object, /) -> object:
            return value

        def made(self, number: int, count: int, value: object, /) -> object:
            return value

    def named(name: str) -> object:
        return lambda *args: told.append(name) or 1.0

    names = {name: named(name) for name in "fghk"}
    place = Place(0, True, (1, 7), (1, len(text) - 1))
    code = instrumented(text, "a.py", [place], {})
    scope = {**names, "__mllint_nan__": Watching()}
    exec(code, scope)
    assert (told, scope["made"]) == (["g", "h", "f", "k"], 1.0)
