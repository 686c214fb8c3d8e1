"""How sure a shape is that is the flaw itself: what goes in, and whether a safe fix is offered.

Each source stands beside a twin in which the same operand is not moved, or not in sight.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from mllint_nan import check_paths
from mllint_nan.findings import Confidence
from mllint_nan.linter import Linted, Settings, lint_bytes

TORCH = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
NUMPY = "import math\nimport numpy as np\nfrom scipy.special import logsumexp\n"
EVERY = Settings(min_confidence=Confidence.POSSIBLE)


def _found(source: str, code: str) -> dict[int, str]:
    """The confidence of the findings of one rule, by row."""
    outcome = lint_bytes(source.encode(), "src/module.py", EVERY)
    assert isinstance(outcome, Linted)
    return {one.start.row: str(one.confidence) for one in outcome.findings if one.code == code}


def _level(source: str, code: str) -> str:
    """The confidence of the surest finding of a rule that is no audit."""
    levels = set(_found(source, code).values())
    return next((one for one in ("certain", "likely", "possible") if one in levels), "")


MODEL = """
class Model(nn.Module):
    def __init__(self, encoder):
        super().__init__()
        self.last = nn.Linear(8, 4)
        self.scale = nn.Parameter(torch.zeros(4))
        self.encoder = encoder

    def forward(self, x):
        return torch.log(torch.softmax({operand}, -1))
"""


@pytest.mark.parametrize(
    ("operand", "level"),
    [
        ("self.last(x)", "certain"),
        ("3 * self.last(x) + 1", "certain"),
        ("self.scale * x", "certain"),
        ("self.last(x).reshape(2, -1)", "certain"),
        ("torch.relu(self.last(x))", "certain"),
        ("x", "likely"),
        ("F.normalize(self.last(x), dim=-1)", ""),
        ("(h := self.last(x)) / h.std()", "likely"),
        ("(h := self.last(x)) / h.sum()", "certain"),
        ("(h := self.last(x)) / x.norm()", "certain"),
        ("self.last(x).tanh()", ""),
        ("self.encoder.codes(x)", "likely"),
    ],
)
def test_layer_moves_what_it_gives(operand: str, level: str) -> None:
    assert _level(TORCH + MODEL.format(operand=operand), "NAN101") == level


TRAINED = """
def loss(logits, labels):
    return -(labels * torch.log(torch.softmax(logits, -1))).sum()


def run(model, x, y, optimizer):
    value = loss({passed}, y)
    {taken}
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("passed", "taken", "level"),
    [
        ("model(x)", "value.backward()", "certain"),
        ("model(x)", "print(value)", "likely"),
        ("nn.Linear(3, 4)(x)", "print(value)", "certain"),
        ("torch.load(x)", "print(value)", "certain"),
    ],
)
def test_training_or_a_call_in_sight_moves_an_argument(passed: str, taken: str, level: str) -> None:
    source = TORCH + TRAINED.format(passed=passed, taken=taken)
    assert _level(source, "NAN101") == level


def test_function_is_handed_to_what_differentiates_it() -> None:
    loss = "def loss(w, x):\n    return -jnp.log(jax.nn.softmax({operand})).sum()\n"
    for operand, handed, level in (
        ("w * x", "jax.grad(loss)", "certain"),
        ("w * x", "print(loss)", "likely"),
        ("jnp.sin(w * x) * w.mean() / w.mean()", "print(loss)", "likely"),
    ):
        source = "import jax\nimport jax.numpy as jnp\n" + loss.format(operand=operand) + handed
        assert _level(source + "\n", "NAN101") == level, (operand, handed)


@pytest.mark.parametrize(
    ("made", "level"),
    [
        ("np.loadtxt(path) @ w", "certain"),
        ("pd.read_csv(path).values", "certain"),
        ("np.linspace(0, path, 10) @ w", "likely"),
        ("make(path)", "likely"),
    ],
)
def test_data_that_is_read_is_free(made: str, level: str) -> None:
    body = f"def f(path, w):\n    x = {made}\n    return np.log(1 + np.exp(x))\n"
    assert _level("import pandas as pd\n" + NUMPY + body, "NAN105") == level


SIGMOID = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = nn.Linear(8, 1)

    def forward(self, x):
        {entered}
            return 1 / (1 + torch.exp(-self.last(x)))
"""


def test_flaw_of_a_gradient_needs_training() -> None:
    assert _level(TORCH + SIGMOID.format(entered="if True:"), "NAN106") == "likely"
    assert _level(TORCH + SIGMOID.format(entered="with torch.no_grad():"), "NAN106") == ""
    unknown = "def squash(x):\n    return 1 / (1 + torch.exp(-x))\n"
    assert _level(TORCH + unknown, "NAN106") == "likely"


# Without a safe fix


@pytest.mark.parametrize(
    ("body", "level"),
    [
        # The fix can be written: being wrong costs nothing.
        ("    return np.log(1 + np.exp(made(x)))", "likely"),
        # It cannot, and what `made` gives is not known.
        ("    e = np.exp(made(x))\n    return np.log1p(e) + e", "possible"),
        ("    return math.log(sum(math.exp(v) for v in made(x)))", "possible"),
        ("    return math.log(sum(math.exp(v) for v in made(x).weights))", "possible"),
        # It cannot, and the argument goes in as it is passed.
        ("    return math.log(sum(math.exp(v) for v in x))", "likely"),
        ("    return math.log(sum(math.exp(2 * v) for v in x))", "likely"),
    ],
)
def test_shape_alone_needs_a_safe_fix(body: str, level: str) -> None:
    source = f"from elsewhere import made\n{NUMPY}def f(x):\n{body}\n"
    assert max(_level(source, "NAN104"), _level(source, "NAN105")) == level


COSINES = """
class Loss(nn.Module):
    def __init__(self, angle):
        super().__init__()
        self.angle = angle

    def forward(self, a, b):
        {made}
        s = self.angle * a @ b.T
        return torch.log(torch.exp(s).sum(1) + 1).mean()
"""


def test_cosines_are_not_moved_by_training() -> None:
    normalized = "a, b = F.normalize(a, dim=1), F.normalize(b, dim=1)"
    assert _level(TORCH + COSINES.format(made=normalized), "NAN104") == "possible"
    assert _level(TORCH + COSINES.format(made="a = 2 * a"), "NAN104") != "possible"


def test_rule_speaks_where_what_overrides_it_has_nothing_to_offer() -> None:
    """An odds ratio of a sigmoid has no safe fix: the division by 0 beside it is told of."""
    start = f"from elsewhere import made\n{NUMPY}from scipy.special import expit\n"
    source = start + "def f(x):\n    p = expit({})\n    return np.log(p / (1 - p))\n"
    assert _level(source.format("x"), "NAN117") == "likely"
    assert _level(source.format("made(x)"), "NAN117") == ""
    assert _level(source.format("made(x)"), "NAN201") == "likely"


# Exponents in NumPy


@pytest.mark.parametrize(
    ("exponent", "level"),
    [
        ("logwt - logz[-1]", ""),
        ("r['logwt'] - r['logz'][-1]", ""),
        ("logwt + 2.0 - logz[-1]", ""),
        ("logwt - logsumexp(logwt)", ""),
        ("logwt - logwt.max()", ""),
        ("logwt - logwt[-1]", "likely"),
        ("logwt - logwt.ravel()[-1]", "likely"),
        ("logwt - logwt.mean()", "likely"),
        ("logwt - logz[0]", "likely"),
        ("logwt - logz", "likely"),
        ("logz[-1] - logwt", "likely"),
    ],
)
def test_total_is_taken_from_a_softmax(exponent: str, level: str) -> None:
    body = f"def f(r, logwt, logz):\n    w = np.exp({exponent})\n    return w / w.sum()\n"
    assert _level(NUMPY + body, "NAN103") == level


def test_total_is_no_guard_where_something_is_trained() -> None:
    body = "def f(logwt, logz):\n    w = torch.exp(logwt - logz[-1])\n    return w / w.sum()\n"
    assert _level(TORCH + body, "NAN103") == "likely"


@pytest.mark.parametrize(
    ("exponent", "level"),
    [
        ("a - b", ""),
        ("np.diff(a, prepend=0)", ""),
        ("-1.0 / n", ""),
        ("-np.log1p(1 / n)", ""),
        ("np.log(n / (n + 1))", ""),
        ("2 * (a - b)", ""),
        ("-n", "likely"),
        ("-a * b", "likely"),
        ("-1e-12 / n", "likely"),
        ("1e-9 * (a - b)", "likely"),
        ("a / b", "likely"),
    ],
)
def test_difference_is_zero_or_no_smaller_than_it_rounds(exponent: str, level: str) -> None:
    body = f"def f(a, b, n):\n    return np.log1p(-np.exp({exponent}))\n"
    assert _level(NUMPY + body, "NAN122") == level


@pytest.mark.parametrize(
    ("flags", "body", "code", "level"),
    [
        ('divide="ignore"', "np.log(np.maximum(x, 0))", "NAN201", "possible"),
        ('all="ignore"', "np.log(np.maximum(x, 0))", "NAN201", "possible"),
        ('over="ignore"', "np.log(np.maximum(x, 0))", "NAN201", "likely"),
        ('divide="raise"', "np.log(np.maximum(x, 0))", "NAN201", "likely"),
        ('all="ignore", divide="raise"', "np.log(np.maximum(x, 0))", "NAN201", "likely"),
        ('over="ignore"', "np.log(1 + np.exp(x))", "NAN105", "possible"),
        ('divide="ignore"', "np.log(1 + np.exp(x))", "NAN105", "likely"),
        ('over="ignore"', "np.exp(x) / np.exp(x).sum()", "NAN103", "likely"),
        ('over="ignore", invalid="ignore"', "np.exp(x) / np.exp(x).sum()", "NAN103", "possible"),
    ],
)
def test_errstate_that_ignores_just_what_is_raised(
    flags: str, body: str, code: str, level: str
) -> None:
    inside = f"def f(x):\n    with np.errstate({flags}):\n        return {body}\n"
    assert _level(NUMPY + inside, code) == level
    decorated = f"@np.errstate({flags})\ndef f(x):\n    return {body}\n"
    assert _level(NUMPY + decorated, code) == level
    before = f"def f(x):\n    with np.errstate({flags}):\n        pass\n    return {body}\n"
    assert _level(NUMPY + before, code) == "likely"


def test_call_in_another_file_moves_an_argument(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'losses'\n")
    (tmp_path / "losses.py").write_text(
        "import torch\n\n\ndef measured(p):\n    return torch.log(torch.softmax(p, -1))\n"
    )
    for passed, level in (("net(torch.ones(3))", "certain"), ("torch.zeros(3)", "likely")):
        (tmp_path / "train.py").write_text(
            "import torch\nfrom losses import measured\n\nnet = torch.nn.Linear(3, 4)\n"
            f"print(measured({passed}))\n"
        )
        (checked,) = check_paths([tmp_path / "losses.py"])
        assert isinstance(checked.outcome, Linted)
        (found,) = checked.outcome.findings
        assert str(found.confidence) == level


@pytest.mark.parametrize(
    ("made", "level"),
    [
        ("np.concatenate([made(o) for o in x])", "likely"),
        ("np.stack([made(o) for o in x]).reshape(len([o for o in x]), -1)", "likely"),
        ("[made(o) for o in x]", "possible"),
    ],
)
def test_joined_list_is_an_array_that_a_fix_can_take_the_maximum_of(made: str, level: str) -> None:
    body = (
        f"def f(x):\n    z = {made}\n    e = np.exp(z)\n    return e / e.sum(-1, keepdims=True)\n"
    )
    assert _level(f"import numpy as np\nfrom elsewhere import made\n{body}", "NAN103") == level
