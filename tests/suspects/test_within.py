"""`with mllint_nan.probe():` and the callbacks, in programs of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import mllint_nan
from tests.fixture_files import ROOT
from tests.preloaded import python_for

LOSS = """import torch


def loss(p):
    return torch.log(p).sum()


def safe(p):
    return torch.log_softmax(p, 0).sum()
"""
TRAINING = """import mllint_nan
import torch
from losses import loss
from mllint_nan.probing.watching import NonFiniteError

w = torch.tensor([1.0, 0.5], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=1.0)


def train():
    for step in range(4):
        made = loss(torch.relu(w))
        optimizer.zero_grad()
        made.backward()
        optimizer.step()


"""


def _run(folder: Path, text: str, **environment: str) -> subprocess.CompletedProcess[str]:
    losses = folder / "losses.py"
    losses.write_text(LOSS, encoding="utf-8")
    path = folder / "train.py"
    path.write_text(text, encoding="utf-8")
    return subprocess.run(
        [python_for(*(path, losses) if "losses" in text else (path,)), str(path)],
        capture_output=True,
        text=True,
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": "", "HOME": str(folder), **environment},
        check=False,
    )


@pytest.mark.slow
def test_the_program_is_stopped_by_an_error_that_says_all(tmp_path: Path) -> None:
    done = _run(tmp_path, TRAINING + "with mllint_nan.probe():\n    train()\n")
    assert done.returncode == 1
    for said in ("NonFiniteError: The first", "losses.py:5:12: NAN201", "in step 2", "from 0 to 0"):
        assert said in done.stderr, done.stderr


@pytest.mark.slow
def test_functions_have_their_own_code_again(tmp_path: Path) -> None:
    done = _run(
        tmp_path,
        TRAINING
        + "code = loss.__code__\n"
        + "try:\n    with mllint_nan.probe():\n        watched = loss.__code__\n        train()\n"
        + "except NonFiniteError as error:\n    print(isinstance(error, FloatingPointError))\n"
        + "print(loss.__code__ is code, watched is code)\n"
        + "print(loss(torch.zeros(2)).item())\n",
    )
    assert done.stdout.split() == ["True", "True", "False", "-inf"], done.stderr


@pytest.mark.slow
def test_without_stopping_it_is_printed_once(tmp_path: Path) -> None:
    done = _run(
        tmp_path,
        TRAINING + "with mllint_nan.probe(stops=False):\n    train()\nprint('ended')\n",
    )
    assert done.stdout.split() == ["ended"], done.stderr
    assert done.stderr.count("The first non-finite number") == 1


@pytest.mark.slow
def test_what_is_running_when_it_is_entered_is_watched_as_it_is_called(tmp_path: Path) -> None:
    done = _run(
        tmp_path,
        "import mllint_nan\nimport torch\n\n"
        "with mllint_nan.probe():\n    for number in range(3):\n"
        "        x = torch.full((2,), 1.0 - number, requires_grad=True)\n"
        "        torch.log(torch.relu(x)).sum().backward()\n",
    )
    assert "train.py:7:9: NAN201" in done.stderr, done.stderr
    assert "float32[2] from 0 to 0" in done.stderr


@pytest.mark.slow
def test_as_a_decorator_it_watches_the_function_itself(tmp_path: Path) -> None:
    done = _run(
        tmp_path,
        "import mllint_nan\nimport torch\n\n\n@mllint_nan.probe()\ndef train(x):\n"
        "    torch.log(torch.relu(x)).sum().backward()\n\n\n"
        "train(torch.zeros(2, requires_grad=True))\n",
    )
    assert "train.py:7:5: NAN201" in done.stderr, done.stderr


@pytest.mark.slow
def test_nan_that_no_suspect_makes_is_told_and_found_with_every_line(tmp_path: Path) -> None:
    text = TRAINING.replace("loss(torch.relu(w))", "safe(w * 1e38 * 1e38)").replace(
        "import loss", "import safe"
    )
    done = _run(tmp_path, text + "with mllint_nan.probe():\n    train()\n")
    assert "No suspect is the origin" in done.stderr, done.stderr
    assert "every_line=True" in done.stderr
    done = _run(tmp_path, text + "with mllint_nan.probe(every_line=True):\n    train()\n")
    assert "train.py:12:21:" in done.stderr, done.stderr


@pytest.mark.slow
def test_a_second_probe_adds_nothing(tmp_path: Path) -> None:
    done = _run(
        tmp_path,
        TRAINING
        + "with mllint_nan.probe(stops=False):\n    with mllint_nan.probe():\n        train()\n",
    )
    assert done.returncode == 0, done.stderr
    assert "is already watching" in done.stderr


@pytest.mark.slow
def test_errors_of_the_program_pass_through(tmp_path: Path) -> None:
    done = _run(tmp_path, TRAINING + "with mllint_nan.probe():\n    raise SystemExit(5)\n")
    assert done.returncode == 5, done.stderr


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("mllint_nan.probe(most=0)", "most must be at least 1"),
        ("mllint_nan.probe('missing.py').__enter__()", "missing.py: no such file"),
        ("exec(compile('mllint_nan.probe()', '<no file>', 'exec'))", "name the training script"),
    ],
)
def test_what_cannot_be_read_is_one_line(tmp_path: Path, call: str, said: str) -> None:
    done = _run(tmp_path, f"import mllint_nan\n{call}\n")
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ValueError: ") and said in last


def test_nothing_is_imported_before_it_is_entered() -> None:
    code = (
        "import sys, mllint_nan, mllint_nan.callbacks\nmllint_nan.probe('a.py')\n"
        "print([n for n in ('libcst', 'torch', 'keras', 'jax', 'mllint_nan.linter') "
        "if n in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")
    assert callable(mllint_nan.probe)


JAX = """import jax
import jax.numpy as jnp
import mllint_nan


def loss(w):
    return jnp.sqrt(jax.nn.relu(w)).sum()


@jax.jit
def step(w):
    return w - 0.1 * jax.grad(loss)(w)


w = step(jnp.ones(2))
with mllint_nan.probe():
    w = step(w)
    print("first", flush=True)
    w = step(w * 0.0)
    print("second", w)
"""
TENSORFLOW = """import mllint_nan
import tensorflow as tf


def loss_of(w):
    return tf.reduce_sum(tf.sqrt(tf.nn.relu(w)))


@tf.function
def step(w):
    with tf.GradientTape() as tape:
        tape.watch(w)
        loss = loss_of(w)
    return w - 0.1 * tape.gradient(loss, w)


w = step(tf.ones(2))
with mllint_nan.probe():
    w = step(w)
    print("first", flush=True)
    w = step(w * 0.0)
    print("second", w)
"""
KERAS = """import keras
import numpy as np
from keras import ops
from mllint_nan.callbacks import KerasProbe

keras.utils.set_random_seed(0)


def poisson(y, rate):
    return ops.mean(rate - y * ops.log(rate))


model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(2, activation="relu")])
model.compile(keras.optimizers.SGD(0.01), loss=poisson)
x = np.random.RandomState(0).randn(32, 4).astype("float32")
y = np.ones((32, 2), "float32")
model.fit(x, y, verbose=0)
keras.utils.set_random_seed(0)
model.set_weights([np.ones((4, 2)), np.zeros(2)])
model.fit(x, y, epochs=2, verbose=0, callbacks=[KerasProbe()])
print("second")
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [(JAX, "train.py:7:12: "), (TENSORFLOW, "train.py:6:26: "), (KERAS, "train.py:10:28: ")],
    ids=["jax", "tensorflow", "keras"],
)
def test_what_was_compiled_before_is_watched(tmp_path: Path, text: str, said: str) -> None:
    done = _run(tmp_path, text, TF_CPP_MIN_LOG_LEVEL="3")
    assert said in done.stderr, done.stderr
    assert "NonFiniteError" in done.stderr
    assert "second" not in done.stdout
    assert ("first" in done.stdout) is (text is not KERAS)
    assert ("in step 1" in done.stderr) is (text is KERAS)


NOTEBOOK = [
    "import torch, mllint_nan\nfrom losses import loss",
    "%time 1\ndef train(x):\n    made = loss(torch.relu(x))\n    made.backward()",
    "with mllint_nan.probe():\n    train(torch.zeros(2, requires_grad=True))",
]


@pytest.mark.slow
def test_cells_are_read_as_one_program(tmp_path: Path) -> None:
    """As IPython keeps them: in `In`, and in `linecache` by the names of their code."""
    cells = [*NOTEBOOK[:1], NOTEBOOK[1].replace("%time 1", "get_ipython()"), *NOTEBOOK[2:]]
    driver = (
        "import json, linecache\n"
        f"cells = json.loads({json.dumps(json.dumps(cells))})\n"
        "scope = {'get_ipython': lambda: None, 'In': ['']}\n"
        "for number, text in enumerate(cells):\n"
        "    name = f'/tmp/ipykernel_1/{number}.py'\n"
        "    linecache.cache[name] = (len(text), None, text.splitlines(True), name)\n"
        "    scope['In'].append(text)\n"
        "    exec(compile(text, name, 'exec', dont_inherit=True), scope)\n"
    )
    done = _run(tmp_path, driver)
    assert "losses.py:5:12: NAN201" in done.stderr, done.stderr
    assert not list(tmp_path.glob("mllint_nan_cells_*"))


LIGHTNING = """import sys

import torch
from losses import loss
from mllint_nan.callbacks import LightningProbe

import lightning.pytorch as pl


class Model(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.tensor([1.0, 0.5]))

    def training_step(self, batch, index):
        return loss(torch.relu(self.w))

    def configure_optimizers(self):
        return torch.optim.SGD([self.w], lr=1.0)


rows = torch.utils.data.DataLoader(torch.zeros(8, 1))
trainer = pl.Trainer(
    max_epochs=1, accelerator="cpu", logger=False, enable_checkpointing=False,
    enable_progress_bar=False, enable_model_summary=False, callbacks=[LightningProbe()],
)
trainer.fit(Model(), rows)
"""


@pytest.mark.slow
def test_a_trainer_of_lightning_is_stopped(tmp_path: Path) -> None:
    done = _run(tmp_path, LIGHTNING)
    assert "losses.py:5:12: NAN201" in done.stderr, done.stderr
    assert "in step 2" in done.stderr
