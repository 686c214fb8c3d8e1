"""A condition guards what its value tells of, and nothing that it asks the form of."""

from __future__ import annotations

import re

import pytest

from mllint_nan import check_source
from mllint_nan.findings import Confidence
from mllint_nan.flow.caller_dependence import open_definitions
from mllint_nan.flow.oracle import Oracle
from mllint_nan.ir.term import Fact, peel
from mllint_nan.settings import Settings
from tests.flow.analysed import analysed

WITH_ELEMENTS = frozenset(
    re.findall(r"\w+", "T H mT mH data real imag grad flat at addressable_shards global_shards")
)
"""Attributes that have the elements of a tensor, or what is computed from them."""
PROGRAM = """import numpy as np
import tensorflow as tf
import torch


def masked_mean(x, mask):
    if {condition}:
        return (x * mask).sum() / mask.sum()
    return x.mean()


torch.manual_seed(0)
print(masked_mean(torch.randn(3), (torch.rand(3) > 0.5).float()))
"""

OF_ITS_FORM = [
    "mask is not None",
    "mask != None",
    "isinstance(mask, torch.Tensor)",
    "torch.is_tensor(mask)",
    "hasattr(mask, 'sum')",
    "type(mask) is torch.Tensor",
    "mask.dim() == 2",
    "np.ndim(mask) == 1",
    "tf.rank(mask) == 1",
    "mask.ndim > 0",
    "mask.shape == x.shape",
    "mask.shape[0] > 1",
    "mask.get_shape().ndims == 1",
    "len(mask) == len(x)",
    "mask.size(0) > 1",
    "mask.numel() > 0",
    "mask.dtype != torch.bool",
    "mask.device == x.device",
    "mask.is_cuda and x.is_cuda",
    "not mask.requires_grad",
    "mask.flags.writeable",
    "mask.flags['OWNDATA']",
    "mask.base is None",
    "mask.is_contiguous()",
    "mask.is_conj()",
    "mask.stride(0) == 1",
    "mask.grad_fn is not None",
]
OF_ITS_VALUE = [
    "mask.any()",
    "mask is not None and mask.any()",
    "mask.sum() > 0",
    "torch.count_nonzero(mask) != 0",
    "x[mask].numel() > 0",
    "len(x[mask > 0]) > 0",
    "len(mask.nonzero()) > 0",
    "mask.nonzero().shape[0] > 0",
    "len(np.where(mask)[0]) > 0",
    "mask.max() > 0",
    "mask.all()",
    "mask.data.any()",
    "mask.T.sum() > 0",
    "mask.is_nonzero()",
]


def _is_found(condition: str) -> bool:
    settings = Settings(min_confidence=Confidence.POSSIBLE)
    findings = check_source(PROGRAM.format(condition=condition), settings=settings)
    return any(finding.code in ("NAN301", "NAN302") for finding in findings)


@pytest.mark.parametrize("condition", OF_ITS_FORM)
def test_a_look_at_the_form_of_a_mask_guards_no_count(condition: str) -> None:
    assert _is_found(condition)


@pytest.mark.parametrize("condition", OF_ITS_VALUE)
def test_a_look_at_the_value_of_a_mask_guards_its_count(condition: str) -> None:
    assert not _is_found(condition)


def test_what_a_condition_looks_at_is_not_that_of_an_earlier_fact() -> None:
    """A fact is freed when nobody keeps it, and the next one may have its address."""
    interpreter = analysed("def f(a, b):\n    torch.log(a > 0)\n    torch.log(b > 0)\n")
    oracle = Oracle(interpreter.build, interpreter.analysis)
    logs = [
        one.term for one in interpreter.analysis.occurrences if one.term.operation.name == "log"
    ]
    tests = [log.operands[0] for log in logs]
    assert len(tests) == 2
    first, second = (oracle.tested(Fact(test, True)).keys for test in tests)
    assert peel(tests[0]).key in first and peel(tests[1]).key not in first
    assert peel(tests[1]).key in second and peel(tests[0]).key not in second


def test_loss_given_to_a_function_that_is_not_entered_opens_nothing() -> None:
    """The constructor of another file's class has parameters, and is no function of this one."""
    analysis = analysed("def step(model, loss, x, y):\n    return loss(model(x), y)\n").analysis
    assert open_definitions(analysis, ()) == {"step"}
    analysis.functions.clear()
    assert open_definitions(analysis, ()) == frozenset()


@pytest.mark.slow
def test_what_tensors_say_of_their_form_is_known() -> None:
    """All that they have besides methods, but what holds their elements."""
    import jax.numpy
    import numpy
    import tensorflow
    import torch

    tensors = (
        *(torch.ones(2), numpy.ones(2), jax.numpy.ones(2)),
        *(tensorflow.ones(2), tensorflow.Variable(1.0)),
    )
    for tensor in tensors:
        names = [name for name in dir(tensor) if not name.startswith("_")]
        asked = [name for name in names if name not in WITH_ELEMENTS and _is_plain(tensor, name)]
        assert not _guards(" and ".join(f"mask.{name}" for name in asked)), asked


def _is_plain(tensor: object, name: str) -> bool:
    try:
        return not callable(getattr(tensor, name))
    except (AttributeError, RuntimeError, ValueError):
        return False


def test_what_holds_elements_is_no_form() -> None:
    assert all(_guards(f"mask.{name}") for name in WITH_ELEMENTS)


def _guards(condition: str) -> bool:
    return not _is_found(condition)


@pytest.mark.parametrize("given", ["loss.compute(model(x), y)", "cls(model(x), y)"])
def test_neither_a_method_nor_a_class_is_a_loss_that_is_given(given: str) -> None:
    text = f"def step(cls, model, loss, x, y):\n    return {given}\n"
    assert open_definitions(analysed(text).analysis, ()) == frozenset()


@pytest.mark.parametrize(
    ("decorator", "opened"),
    [
        ("@mystery.replaced\n", frozenset()),
        ("@jax.jit\n", frozenset(("loss", "handed"))),
        ("", frozenset(("loss", "handed"))),
    ],
)
def test_what_no_call_enters_opens_nothing(decorator: str, opened: frozenset[str]) -> None:
    """Nor does what calls it alone."""
    text = f"import jax\nimport mystery\n\n\n{decorator}def loss(x):\n    return torch.log(x)\n"
    text += "\n\ndef handed(x):\n    return loss(x)\n"
    assert open_definitions(analysed(text).analysis, ()) == opened
