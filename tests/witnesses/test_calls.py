"""A package that is called by its signatures: which arguments are made up, and what they show."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.witnesses import arguments, calls
from benchmarks.witnesses.arguments import Hint, Role
from benchmarks.witnesses.witness import Effect, Grade
from tests.on_demand import installed

pytestmark = pytest.mark.slow

installed("torch")

_ROOT = Path(__file__).parents[2]
_LOSSES = '''
import torch
from torch import nn

def root_mean_square(x, y):
    """How far two maps are apart.

    Args:
        x: the first, of shape (B, C, H, W)
        y: the second, like it
    """
    if x.dim() != 4:
        raise ValueError("four axes, please")
    return torch.sqrt(((x - y) ** 2).mean())

def entropy(probs):
    if (probs < 0).any() or (probs > 1).any():
        raise ValueError("no probabilities")
    return -(probs * torch.log(probs)).sum(-1)

def guarded(probs):
    if not (probs > 0).all():
        raise ValueError("above 0, please")
    return torch.log(probs)

def log_gabor(radius):
    return torch.exp(-torch.log(radius.detach().abs()) ** 2)

def masked_mean(x, mask=None):
    if mask is None:
        return x.mean()
    return (x * mask).sum() / mask.sum()

class Standardized(nn.Module):
    def __init__(self, num_features, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(num_features))

    def forward(self, x):
        return self.weight * (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True)

class Scaled(Standardized):
    def __init__(self, *args, scale=2.0, **options):
        super().__init__(*args, **options)
        self.scale = scale

class PairLoss(nn.Module):
    def forward(self, embeddings, labels=None):
        if labels is None:
            raise ValueError("labels, please")
        same = labels[:, None] == labels[None]
        return (torch.cdist(embeddings, embeddings) * same).sum()

class Gaussian:
    def __init__(self, loc, scale):
        self.loc, self.scale = loc, scale

    def log_prob(self, value):
        return -(((value - self.loc) / self.scale) ** 2) / 2 - torch.log(self.scale)

def name_of(word):
    return "no number"

def _private(x):
    return torch.log(x - x)
'''


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("driven") / "tiny"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "losses.py").write_text(_LOSSES)
    (folder / "broken.py").write_text("import nothing_of_this_name.at_all\n1 / 0\n")
    (folder / "tests").mkdir()
    (folder / "tests" / "test_it.py").write_text("")
    return folder


@pytest.fixture(scope="module")
def records(package: Path) -> list[dict[str, Any]]:
    work = calls.Work(package, "torch")
    calls.drive(work, calls.modules_of(package), package.parent / "tiny.jsonl")
    return [
        record
        for entry in calls.read_lines(package.parent / "tiny.jsonl")
        for record in entry["records"]
    ]


def _shown(records: list[dict[str, Any]], target: str) -> set[tuple[str, Effect, Grade]]:
    return {
        (found.witness("tiny", "1", "torch").operation, found.event.effect, witness.grade)
        for record in records
        if record.get("event") and record["target"] == f"tiny.losses:{target}"
        for found in [calls.Sighting.from_json(record)]
        for witness in [found.witness("tiny", "1", "torch")]
    }


def _status(records: list[dict[str, Any]], target: str) -> dict[str, Any]:
    return next(
        record
        for record in records
        if record.get("target") == f"tiny.losses:{target}" and "status" in record
    )


def test_the_modules_that_users_import_are_driven(package: Path) -> None:
    assert calls.modules_of(package) == ["tiny", "tiny.broken", "tiny.losses"]


def test_the_shape_in_a_docstring_is_passed(records: list[dict[str, Any]]) -> None:
    status = _status(records, "root_mean_square")
    assert status["status"] == "called"
    assert "(2, 3, 16, 16)" in status["arguments"]


def test_equal_operands_show_the_root(records: list[dict[str, Any]]) -> None:
    shown = _shown(records, "root_mean_square")
    assert ("sqrt", Effect.GRADIENT, Grade.ORDINARY) in shown


def test_a_probability_of_0_is_ordinary(records: list[dict[str, Any]]) -> None:
    assert ("log", Effect.VALUE, Grade.ORDINARY) in _shown(records, "entropy")


def test_what_a_function_refuses_is_no_witness(records: list[dict[str, Any]]) -> None:
    assert _status(records, "guarded")["status"] == "called"
    assert not [each for each in _shown(records, "guarded") if each[2] is Grade.ORDINARY]


def test_an_infinity_that_nothing_is_left_of_is_no_witness(records: list[dict[str, Any]]) -> None:
    assert _status(records, "log_gabor")["status"] == "called"
    assert not [each for each in _shown(records, "log_gabor") if each[0] == "log"]


def test_an_optional_mask_is_passed_and_may_be_empty(records: list[dict[str, Any]]) -> None:
    found = {operation for operation, _, grade in _shown(records, "masked_mean")
             if grade is Grade.ORDINARY}  # fmt: skip
    assert found & {"div", "truediv"}


def test_a_module_is_made_and_called(records: list[dict[str, Any]]) -> None:
    assert "num_features=8" in _status(records, "Standardized")["arguments"]
    assert any(grade is Grade.ORDINARY for _, _, grade in _shown(records, "Standardized"))


def test_what_a_constructor_hands_on_is_passed(records: list[dict[str, Any]]) -> None:
    assert "num_features=8" in _status(records, "Scaled")["arguments"]


def test_labels_that_are_optional_by_signature_alone_are_passed(
    records: list[dict[str, Any]],
) -> None:
    assert "labels: labels (4,)" in _status(records, "PairLoss")["arguments"]


def test_a_scale_of_0_is_not_ordinary(records: list[dict[str, Any]]) -> None:
    assert _status(records, "Gaussian.log_prob")["status"] == "called"
    ordinary = {each for each in _shown(records, "Gaussian.log_prob") if each[2] is Grade.ORDINARY}
    assert not ordinary


def test_what_gives_no_numbers_and_what_is_private_is_not_called(
    records: list[dict[str, Any]],
) -> None:
    assert _status(records, "name_of")["status"] == "not called"
    assert not any("_private" in str(record.get("target")) for record in records)


def test_a_module_that_cannot_be_imported_is_noted(records: list[dict[str, Any]]) -> None:
    assert [record["trouble"] for record in records if "trouble" in record] == [
        "ZeroDivisionError: division by zero"
    ]


def test_the_functions_that_ran_are_noted(records: list[dict[str, Any]], package: Path) -> None:
    ran = calls.ran_in(package.parent / "tiny.jsonl")
    assert {"tiny/losses.py:entropy", "tiny/losses.py:Standardized.forward"} <= ran
    assert not any(name.endswith("_private") for name in ran)


def test_a_module_is_driven_once(package: Path, records: list[dict[str, Any]]) -> None:
    out = package.parent / "tiny.jsonl"
    before = out.read_text()
    calls.drive(calls.Work(package, "torch"), calls.modules_of(package), out)
    assert out.read_text() == before


def test_a_witness_is_shown_again(package: Path) -> None:
    code = (
        "from pathlib import Path; from benchmarks.witnesses import calls;"
        f"work = calls.Work(Path({str(package)!r}), 'torch');"
        "found = calls.show(work, 'tiny.losses:entropy', 'zeros');"
        "print([each.event.operation for each in found])"
    )
    environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert "'log'" in done.stdout


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("(B, C, H, W)", (2, 3, 16, 16)),
        ("a tensor of shape [N, 3]", (4, 3)),
        ("image of :math:`(*, 3, H, W)`", (2, 3, 16, 16)),
        ("x (Tensor, optional): features, B x T x D", (2, 5, 8)),
        ('Float[Tensor, "*batch N D"]', (2, 4, 8)),
        ("in the range [0, 1]", None),
        ("(float, optional)", None),
        ("nothing at all", None),
    ],
)
def test_shapes_are_read(text: str, shape: tuple[int, ...] | None) -> None:
    assert arguments.shape_in(text) == shape


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("probs", Role.UNIT),
        ("logits", Role.DATA),
        ("log_var", Role.DATA),
        ("scale", Role.POSITIVE),
        ("mask", Role.MASK),
        ("sample_weight", Role.NOT_NEGATIVE),
        ("scale_weights", Role.POSITIVE),
        ("labels", Role.LABELS),
        ("covariance_matrix", Role.COVARIANCE),
        ("x", Role.DATA),
    ],
)
def test_names_say_what_is_meant(name: str, role: Role) -> None:
    assert arguments.roles_of(Hint(name, "", None, "", None))[0] is role


@pytest.mark.parametrize("role", list(Role))
def test_ordinary_numbers_are_finite(role: Role) -> None:
    shape = arguments._fitting(role, (2, 3))
    numbers = arguments.Drawn(role, shape).numbers(np.random.default_rng(0))
    assert np.isfinite(numbers).all()
    if role is Role.POSITIVE:
        assert (numbers > 0).all()


_JAX = """
import jax
import jax.numpy as jnp

@jax.jit
def distance(x, y):
    return jnp.sqrt(jnp.sum((x - y) ** 2, -1))

class Share:
    def __call__(self, x, mask):
        return (x * mask).sum() / mask.sum()
"""
_KERAS = """
import keras
import tensorflow as tf

class Direction(keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.dense = keras.layers.Dense(units, use_bias=False)

    def call(self, inputs):
        y = self.dense(inputs)
        return y / tf.norm(y, axis=-1, keepdims=True)

class Entropy(keras.losses.Loss):
    def call(self, y_true, y_pred):
        return tf.reduce_mean(-y_true * tf.math.log(y_pred), -1)
"""


@pytest.mark.parametrize(
    ("framework", "text", "expected"),
    [
        ("jax", _JAX, {("distance", "sqrt", "gradient"), ("__call__", "div", "value")}),
        ("tensorflow", _KERAS, {("call", "div", "value"), ("call", "log", "value")}),
    ],
)
def test_other_frameworks(
    framework: str, text: str, expected: set[tuple[str, str, str]], tmp_path: Path
) -> None:
    """In a process of its own, as for a package: a framework that has run is not forked."""
    pytest.importorskip(framework)
    folder = tmp_path / "other"
    folder.mkdir()
    (folder / "__init__.py").write_text(text)
    out = tmp_path / "other.jsonl"
    command = [sys.executable, "-m", "benchmarks.witnesses.calls", str(folder)]
    command += ["--framework", framework, "--out", str(out), "--grade", "ordinary"]
    subprocess.run(command, env={**os.environ, "PYTHONPATH": str(_ROOT)}, check=True)
    shown = {
        (each.event.function.rpartition(".")[2], each.event.operation, each.event.effect.value)
        for each in calls.sightings_in(out)
    }
    assert expected <= shown
