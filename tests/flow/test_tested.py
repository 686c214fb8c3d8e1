"""A condition guards what its value tells of, and nothing that it asks the form of."""

from __future__ import annotations

import pytest

from mllint_nan import check_source
from mllint_nan.findings import Confidence
from mllint_nan.flow.oracle import Oracle
from mllint_nan.flow.outside import open_definitions
from mllint_nan.ir.term import Fact, peel
from mllint_nan.settings import Settings
from tests.flow.analysed import analysed

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
