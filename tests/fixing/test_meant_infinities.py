"""Infinities and NaN that a program looks for, tells of or takes on purpose stay what they are."""

from __future__ import annotations

import pytest

from mllint_nan.findings import Applicability, Confidence
from tests.fixing.before_and_after import is_finite, is_same, run

pytestmark = pytest.mark.slow

MEANT = {
    "density_of_a_point": """
import torch

class Delta:
    def __init__(self, v):
        self.v = v

    def log_prob(self, x):
        return (x == self.v).type(x.dtype).log()

outcome = Delta(torch.tensor([1.0])).log_prob(torch.tensor([1.0, 2.0]))
""",
    "comparison": """
import torch

def support(x, low):
    return torch.log((x >= low).float())

outcome = support(torch.tensor([1.0, 2.0]), 1.5)
""",
    "comparison_times_one": """
import torch

def support(x, low):
    return torch.log((x >= low) * 1.0)

outcome = support(torch.tensor([1.0, 2.0]), 1.5)
""",
    "complement": """
import torch

def support(x, low):
    return torch.log(1 - (x >= low).float())

outcome = support(torch.tensor([1.0, 2.0]), 1.5)
""",
    "both_conditions": """
import torch

def support(x, low, high):
    return torch.log((x >= low).float() * (x <= high).float())

outcome = support(torch.tensor([1.0, 2.0, 3.0]), 1.5, 2.5)
""",
    "mask_added_to_logits": """
import torch

def masked(logits, lengths):
    mask = torch.arange(logits.size(1)) < lengths[:, None]
    return torch.softmax(logits + mask.float().log(), -1)

outcome = masked(torch.zeros(2, 3), torch.tensor([1, 2]))
""",
    "mask_named_before": """
import torch

def masked(logits, low):
    mask = (logits > low).float()
    return logits + torch.log(mask)

outcome = masked(torch.tensor([0.0, 1.0]), 0.5)
""",
    "mask_with_an_epsilon": """
import torch

def masked(logits, low):
    mask = (logits > low).float()
    return torch.softmax(logits + (mask + 1e-45).log(), -1)

outcome = masked(torch.tensor([0.0, 1.0]), 0.5)
""",
    "mask_in_numpy": """
import numpy as np

def support(x, low):
    with np.errstate(divide="ignore"):
        return np.log((x >= low).astype(float) * 1.0)

outcome = support(np.array([1.0, 2.0]), 1.5)
""",
    "literal_zero": """
import numpy as np

with np.errstate(divide="ignore"):
    outcome = np.log(0.0)
""",
    "literal_zero_of_torch": """
import torch

outcome = torch.tensor(0.0).log()
""",
    "literal_array_with_zeros": """
import numpy as np

with np.errstate(divide="ignore"):
    outcome = np.log(np.asarray([0.0, 0.5, 1.0]))
""",
    "literal_matrix_with_zeros": """
import torch

outcome = torch.log(torch.tensor([[0.0, 1.0], [1.0, 0.0]]))
""",
    "warned_of": """
import torch
import warnings

def logged(x):
    y = torch.log(torch.relu(x))
    if torch.isinf(y).any():
        warnings.warn("some are 0")
    return y

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    logged(torch.tensor([-1.0, 1.0]))
outcome = [str(one.message) for one in caught]
""",
    "counted": """
import numpy as np

def logged(x):
    with np.errstate(divide="ignore"):
        y = np.log(np.maximum(x, 0))
    return np.isinf(y).sum()

outcome = int(logged(np.array([-1.0, 1.0, 0.0])))
""",
    "counted_for_later": """
import torch

def logged(x):
    y = -torch.log(torch.relu(x))
    empty = torch.isinf(y).sum()
    return y, empty

outcome = int(logged(torch.tensor([-1.0, 1.0]))[1])
""",
    "documented": '''
import torch

def logged(x):
    """The logarithm of the positive part, -inf where there is none."""
    return torch.log(torch.relu(x))

outcome = logged(torch.tensor([-1.0, 1.0]))
''',
    "documented_mean": '''
import torch

def mean(x, mask):
    """The mean of what is kept; NaN when every row is ignored."""
    return (x * mask).sum() / mask.sum()

outcome = mean(torch.ones(2), torch.zeros(2))
''',
    "documented_return": '''
import torch

def mean(x, mask):
    """The mean of what is kept.

    Returns:
        A scalar. Returns ``nan`` if the mask is empty.
    """
    return (x * mask).sum() / mask.sum()

outcome = mean(torch.ones(2), torch.zeros(2))
''',
    "documented_behind_its_condition": '''
import torch

def mean(x, mask):
    """The mean of what is kept. If nothing is kept, the result is NaN."""
    return (x * mask).sum() / mask.sum()

outcome = mean(torch.ones(2), torch.zeros(2))
''',
    "commented": """
import torch

def logged(x):
    # -inf where x is negative
    return torch.log(torch.relu(x))

outcome = logged(torch.tensor([-1.0, 1.0]))
""",
    "commented_behind": """
import torch

def mean(x, mask):
    return (x * mask).sum() / mask.sum()  # NaN if nothing is kept

outcome = mean(torch.ones(2), torch.zeros(2))
""",
    "commented_as_what_follows": """
import torch

def mean(x, mask):
    # If no row is kept,
    # the corresponding mean is nan.
    return (x * mask).sum() / mask.sum()

outcome = mean(torch.ones(2), torch.zeros(2))
""",
    "told_by_a_warning": """
import torch
import warnings

def mean(x, mask):
    if not mask.any():
        warnings.warn("the mean is NaN when every row is ignored")
    return (x * mask).sum() / mask.sum()

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    outcome = mean(torch.ones(2), torch.zeros(2))
""",
    "reference_of_a_test": """
import torch

def logged(x):
    return x

def test_logarithm():
    x = torch.tensor([0.0, 1.0])
    expected = torch.log(torch.relu(x))
    torch.testing.assert_close(expected.clone(), expected)
    return expected

outcome = test_logarithm()
""",
    "reference_of_a_test_case": """
import unittest
import numpy as np

class LogTest(unittest.TestCase):
    def check(self, x):
        with np.errstate(divide="ignore"):
            wanted = np.log(np.maximum(x, 0))
        np.testing.assert_allclose(wanted.copy(), wanted)
        return wanted

outcome = LogTest().check(np.array([0.0, 1.0]))
""",
}
CHECKED = {
    "asserted": """
import torch

def logged(x):
    y = torch.log(torch.relu(x))
    assert torch.isfinite(y).all()
    return y

try:
    outcome = logged(torch.tensor([-1.0, 1.0]))
except AssertionError:
    outcome = "refused"
""",
    "raised_for": """
import torch

def logged(x):
    y = torch.log(torch.relu(x))
    if not torch.isfinite(y).all():
        raise ValueError("not finite")
    return y

try:
    outcome = logged(torch.tensor([-1.0, 1.0]))
except ValueError:
    outcome = "refused"
""",
    "given_up_for": """
import torch

def logged(x):
    y = torch.log(torch.relu(x))
    if torch.isinf(y).any():
        print("not finite")
        return "refused"
    return y

outcome = logged(torch.tensor([-1.0, 1.0]))
""",
    "checked_by_a_function": """
import tensorflow as tf

def logged(x):
    y = tf.math.log(tf.nn.relu(x))
    return tf.debugging.check_numerics(y, "not finite")

try:
    outcome = logged(tf.constant([-1.0, 1.0]))
except tf.errors.InvalidArgumentError:
    outcome = "refused"
""",
}
KEPT = {
    "rectified": """
import torch

def logged(x):
    return torch.log(torch.relu(x))

outcome = logged(torch.tensor([-1.0, 1.0]))
""",
    "weights_of_a_mask": """
import torch

def weighted(x, low):
    return torch.log(torch.relu(x) * (x > low).float())

outcome = weighted(torch.tensor([-1.0, 1.0]), 0.0)
""",
    "checked_mean": """
import torch

def loss(x):
    value = torch.log(torch.relu(x)).mean()
    if torch.isnan(value):
        raise ValueError("the loss is NaN")
    return value

outcome = loss(torch.tensor([-1.0, 1.0]))
""",
    "checked_elsewhere": """
import torch

def logged(x):
    assert torch.isfinite(x).all()
    return torch.log(torch.relu(x))

outcome = logged(torch.tensor([-1.0, 1.0]))
""",
    "composition_that_is_asserted": """
import torch

def logged(x):
    y = torch.log(torch.softmax(x, -1))
    assert not torch.isnan(y).any()
    return y

outcome = logged(torch.tensor([0.0, 200.0]))
""",
    "composition_that_is_counted": """
import torch

def logged(x):
    y = torch.log(torch.softmax(x, -1))
    print(torch.isinf(y).sum())
    return y

outcome = logged(torch.tensor([0.0, 200.0]))
""",
    "documented_to_be_avoided": '''
import torch

def logged(x):
    """The logarithm of the positive part, which should not give -inf where there is none."""
    return torch.log(torch.relu(x))

outcome = logged(torch.tensor([-1.0, 1.0]))
''',
    "commented_as_a_bug": """
import torch

def logged(x):
    # TODO: -inf where x is negative
    return torch.log(torch.relu(x))

outcome = logged(torch.tensor([-1.0, 1.0]))
""",
    "raised_for_an_argument": """
import torch

def logged(x):
    if x is None:
        raise ValueError("x must be given, and if it is NaN for some reason, dropped")
    return torch.log(torch.relu(x))

outcome = logged(torch.tensor([-1.0, 1.0]))
""",
    "commented_as_what_is_avoided": """
import torch

def logged(x):
    # If x is negative, the logarithm is not NaN but that of a floor.
    return torch.log(torch.relu(x))

outcome = logged(torch.tensor([-1.0, 1.0]))
""",
    "commented_argument": """
import torch

def logged(x):
    # If the argument is NaN, it is left out; if not, its logarithm is taken.
    return torch.log(torch.relu(x))

outcome = logged(torch.tensor([-1.0, 1.0]))
""",
    "documented_argument": '''
import torch

def logged(x):
    """The logarithm; whether x is NaN if it is missing is for the caller to say."""
    return torch.log(torch.relu(x))

outcome = logged(torch.tensor([-1.0, 1.0]))
''',
    "test_loop_of_a_training_script": """
import torch

def test(x):
    return torch.log(torch.relu(x))

outcome = test(torch.tensor([-1.0, 1.0]))
""",
}


@pytest.mark.parametrize("name", MEANT)
def test_what_is_meant_is_not_guarded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = run(MEANT[name], monkeypatch)
    assert is_same(found.before, found.after)
    assert found.surest in (None, Confidence.POSSIBLE)


@pytest.mark.parametrize("name", CHECKED)
def test_what_is_refused_is_found_and_not_guarded(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = run(CHECKED[name], monkeypatch)
    assert (str(found.before), str(found.after)) == ("refused", "refused")
    assert found.surest is Confidence.LIKELY
    assert [one.fix.applicability for one in found.findings if one.fix is not None] == [
        Applicability.DISPLAY_ONLY
    ]


@pytest.mark.parametrize("name", KEPT)
def test_what_nobody_means_is_fixed_as_before(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = run(KEPT[name], monkeypatch)
    assert not is_finite(found.before)
    assert is_finite(found.after)
    assert found.surest is not None and found.surest > Confidence.POSSIBLE


def test_gradient_through_what_is_checked_stays_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    found = run(
        """
        import torch

        def distance(x, y):
            d = ((x - y) ** 2).sum(-1).sqrt()
            if torch.isnan(d).any():
                print("NaN")
            return d

        x = torch.ones(2, 2, requires_grad=True)
        distance(x, torch.ones(2, 2)).sum().backward()
        outcome = x.grad
        """,
        monkeypatch,
    )
    assert not is_finite(found.before)
    assert is_finite(found.after)
    assert found.surest is Confidence.LIKELY
