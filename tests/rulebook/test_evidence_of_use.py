"""What shows that something is trained, masked or handed on: each sign beside what is none."""

from __future__ import annotations

import ast

import pytest

from mllint_nan.findings import Confidence, Finding
from mllint_nan.flow.interpreter import analyse
from mllint_nan.linter import check_text
from mllint_nan.settings import Settings
from mllint_nan.syntax.lower_ast import lower_module
from tests.fixture_files import stated

TORCH = "import torch\nimport torch.nn.functional as F\n"


def _findings(text: str) -> list[Finding]:
    settings = Settings(min_confidence=Confidence.POSSIBLE)
    return list(stated(check_text(TORCH + text, "script.py", settings)))


def _found(text: str, code: str) -> str:
    """How sure a code is of the text: the name of the confidence, or nothing."""
    found = [one for one in _findings(text) if one.code == code]
    return found[0].confidence.name.lower() if found else ""


@pytest.mark.parametrize(
    ("call", "trains"),
    [
        ("self.optimizer.step(error)", True),
        ("self.optim.step(error)", True),
        ("self.optimizers['actor'].backward_step(error)", True),
        ("self.manual_backward(error)", True),
        ("self.optimizer.update(error)", True),
        ("self.scheduler.step(error)", False),
        ("self.optimizer.step()", False),
        ("self.monitor.update(error)", False),
    ],
)
def test_a_loss_that_an_optimizer_is_handed_shows_training(call: str, trains: bool) -> None:
    text = (
        "class Solver:\n    def advance(self, model, x, y):\n"
        f"        error = ((model(x) - y) ** 2).sum().sqrt()\n        {call}\n"
    )
    analysis = analyse(lower_module(ast.parse(TORCH + text)))
    methods = [scope for scope in analysis.functions.values() if scope.name == "advance"]
    assert [scope.trains for scope in methods] == [trains]


def test_a_name_does_not_outweigh_the_gradients_that_a_function_takes() -> None:
    body = "    error = ((model(x) - y) ** 2).sum().sqrt()\n"
    assert _found(f"def fit(model, x, y):\n{body}    error.backward()\n", "NAN203") == "likely"
    assert _found(f"def fit(model, x, y):\n{body}    return error\n", "NAN203") == "possible"


@pytest.mark.parametrize(
    ("check", "is_offered"),
    [
        ("return score", True),
        ("return score if score > best else best", True),
        ("assert score < -100.5", False),
        ("assert torch.allclose(score, best)", False),
        ("return score == best", False),
        ("torch.testing.assert_close(score, best)", False),
    ],
)
def test_no_floor_is_offered_under_a_logarithm_that_is_checked(
    check: str, is_offered: bool
) -> None:
    text = f"def f(x, best):\n    score = torch.log(torch.relu(x)).sum()\n    {check}\n"
    found = [one for one in _findings(text) if one.code == "NAN201"]
    assert [one.fix is not None for one in found] == [is_offered]


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("torch.ones_like(x)", "below a logit of -104"),
        ("torch.full((3,), 1.0)", "below a logit of -104"),
        ("torch.zeros_like(x)", "above a logit of 17"),
        ("y", "above a logit of 17"),
    ],
)
def test_a_saturated_sigmoid_is_told_of_by_its_target(target: str, said: str) -> None:
    text = (
        "def f(model, data, y):\n    x = model(data)\n"
        f"    loss = F.binary_cross_entropy(torch.sigmoid(x), {target})\n    loss.backward()\n"
    )
    messages = [one.message for one in _findings(text) if one.code == "NAN601"]
    assert messages and all(said in message for message in messages)


@pytest.mark.parametrize(
    ("operand", "text"),
    [
        ("a - b", "torch.clamp(a - b, min=1e-12)"),
        ("(a - b) ** 2", "torch.clamp((a - b) ** 2, min=1e-37)"),
    ],
)
def test_no_epsilon_is_put_under_a_root_of_what_may_be_negative(operand: str, text: str) -> None:
    found = [one for one in _findings(f"def f(a, b):\n    return torch.sqrt({operand})\n")]
    fixes = [one.fix for one in found if one.code == "NAN203"]
    assert [edit.content for fix in fixes if fix is not None for edit in fix.edits] == [text]


@pytest.mark.parametrize(
    ("filler", "is_logits"), [("float('-inf')", False), ("-torch.inf", False), ("-30.0", True)]
)
def test_no_product_of_masked_scores_is_made_of_logits(filler: str, *, is_logits: bool) -> None:
    text = (
        f"def f(x, mask):\n    p = torch.softmax(x.masked_fill(~mask, {filler}), dim=-1)\n"
        "    return -(p * torch.log(p)).sum(-1)\n"
    )
    found = [one for one in _findings(text) if one.code == "NAN101"]
    texts = [edit.content for one in found if one.fix is not None for edit in one.fix.edits]
    assert found and texts
    assert any("log_softmax" in text for text in texts) is is_logits


@pytest.mark.parametrize(
    ("mask", "confidence"),
    [
        ("mask.view(*shape)", "likely"),
        ("mask.permute(*shape)", "likely"),
        ("net(mask, *shape)", ""),
        ("mask if mask is not None else torch.ones_like(x)", "likely"),
        ("mask if mask is not None and mask.any() else torch.ones_like(x)", ""),
        ("torch.ones_like(x)", ""),
    ],
)
def test_a_mask_stays_one_by_what_is_made_of_it(mask: str, confidence: str) -> None:
    text = (
        f"def f(x, net, shape, mask=None):\n    kept = {mask}\n"
        "    return (x * kept).sum() / kept.sum()\n"
    )
    assert _found(text, "NAN301") == confidence


@pytest.mark.parametrize(
    ("name", "result", "confidence"),
    [
        ("mask", "(x * mask).sum() / mask.sum()", "likely"),
        ("q", "(x * q).sum() / q.sum()", "likely"),
        ("q", "x * q / q.sum(-1, keepdim=True)", "likely"),
        ("q", "torch.einsum('bt,bt->b', x, q) / q.sum(1)", "likely"),
        ("weights", "(x * weights).sum() / weights.sum()", ""),
        ("mask", "x.sum() / mask.sum()", ""),
        ("mask", "(x * x).sum() / mask.sum()", ""),
        ("mask", "(x * mask).sum() * mask.sum()", ""),
    ],
)
def test_what_weighs_a_mean_selects_whatever_it_is_called(
    name: str, result: str, confidence: str
) -> None:
    assert _found(f"def f(x, {name}):\n    return {result}\n", "NAN301") == confidence


@pytest.mark.parametrize(
    ("passed", "confidence"), [("y", "likely"), ("y > 0", "likely"), ("torch.exp(y) + 1", "")]
)
def test_what_all_calls_in_sight_keep_from_0_selects_nothing(passed: str, confidence: str) -> None:
    text = (
        "def mean(x, q):\n    return (x * q).sum() / q.sum()\n"
        f"def f(x, y):\n    return mean(x, {passed})\n"
    )
    assert _found(text, "NAN301") == confidence


@pytest.mark.parametrize(
    ("kept", "confidence"),
    [("torch.exp(s) * q", "likely"), ("s * q", ""), ("torch.exp(s) * weights", "")],
)
def test_an_exponential_is_multiplied_by_a_mask(kept: str, confidence: str) -> None:
    text = (
        f"def f(x, s, q, weights):\n    w = {kept}\n    return (x * w).sum(1) / w.sum(1)[:, None]\n"
    )
    found = _found(text, "NAN302")
    assert found == confidence if confidence else found != "likely"


@pytest.mark.parametrize(
    ("product", "confidence"),
    [
        ("x + (1 - q) * -torch.inf", "likely"),
        ("x + q * -torch.inf", "likely"),
        ("x + (1 - q) * float('-inf')", "likely"),
        ("torch.maximum(x, q * torch.inf)", ""),
        ("x + (1 - q) * -1e9", ""),
    ],
)
def test_what_is_multiplied_by_infinity_and_added_is_a_mask(product: str, confidence: str) -> None:
    """Nothing else that attains 0, or does not, has a use there."""
    found = _found(f"def f(x, q):\n    return {product}\n", "NAN404")
    assert found == confidence if confidence else found != "likely"


@pytest.mark.parametrize(
    ("penalty", "confidence"),
    [
        ("((n - 1) ** 2).mean()", "likely"),
        ("(torch.relu(n - 1) ** 2).mean()", "likely"),
        ("(n - 1).mean()", "possible"),
        ("((n - x[:, 0]) ** 2).mean()", "possible"),
    ],
)
def test_a_norm_that_is_held_to_a_number_is_that_of_gradients(
    penalty: str, confidence: str
) -> None:
    text = (
        "import jax\nimport jax.numpy as jnp\n"
        f"def f(x):\n    n = jnp.linalg.norm(x, axis=-1)\n    return {penalty}\n"
    ).replace("torch.relu", "jax.nn.relu")
    assert _found(text, "NAN204") == confidence


@pytest.mark.parametrize(
    ("direction", "confidence"), [("x.T @ (x @ w)", "likely"), ("x.T @ y", "possible")]
)
def test_a_step_that_depends_on_where_it_starts_ends_at_0(direction: str, confidence: str) -> None:
    text = (
        "import numpy as np\ndef f(x, y, w):\n    for _ in range(9):\n"
        f"        d = {direction}\n        d = d / np.linalg.norm(d)\n        w = w - 0.1 * d\n"
        "    return w\n"
    )
    assert _found(text, "NAN303") == confidence


@pytest.mark.parametrize(
    ("counted", "confidence"),
    [
        ("torch.zeros(3).scatter_add(0, index, torch.ones(2))", "likely"),
        ("torch.zeros(3).scatter_add(0, index, x)", ""),
        ("np.bincount(index)", "possible"),
        ("np.bincount(index, minlength=3)", "likely"),
        ("np.bincount(index, x, minlength=3)", ""),
    ],
)
def test_what_adds_ones_counts(counted: str, confidence: str) -> None:
    text = f"import numpy as np\ndef f(x, index, y):\n    deg = {counted}\n    return y / deg\n"
    assert _found(text, "NAN306") == confidence


SPREAD = "class Spread(torch.nn.Module):\n    def forward(self, z):\n        "


@pytest.mark.parametrize(
    ("text", "confidence"),
    [
        (SPREAD + "return torch.relu(1 - z.std(dim=0)).mean()\n", "likely"),
        (SPREAD + "return torch.relu(1 - z.std(dim=0)).sum(), z\n", "likely"),
        (SPREAD + "return torch.relu(1 - z.std(dim=0))\n", ""),
        ("def spread_loss(z):\n    return (1 - z.std(dim=0)).mean()\n", "likely"),
        ("def spread_loss(z):\n    return 1 - z.std(dim=0)\n", ""),
        ("def spread(z):\n    return (1 - z.std(dim=0)).mean()\n", ""),
        (
            "def spread(z, average):\n    rest = 1 - z.std(dim=0)\n"
            "    return rest.mean() if average else rest.sum()\n",
            "likely",
        ),
    ],
)
def test_a_loss_gives_one_number(text: str, confidence: str) -> None:
    assert _found(text, "NAN308") == confidence


@pytest.mark.parametrize(
    ("result", "confidence"),
    [
        ("-(y * torch.log(p)).sum()", "possible"),
        ("-torch.log(p).mean()", "possible"),
        ("(y * torch.log(p)).sum()", ""),
        ("-torch.log(p)", ""),
    ],
)
def test_a_cross_entropy_is_one_by_its_formula(result: str, confidence: str) -> None:
    text = f"def f(x, y):\n    p = torch.softmax(x, -1).clamp(1e-7, 1)\n    return {result}\n"
    assert _found(text, "NAN505") == confidence


@pytest.mark.parametrize(
    ("after", "confidence"),
    [
        ("", "likely"),
        ("    if (length == 0).any():\n        step[length == 0] = 0.0\n", "possible"),
    ],
)
def test_a_gradient_that_was_taken_can_be_0(after: str, confidence: str) -> None:
    text = (
        "def attack(x, model):\n    model(x).sum().backward()\n"
        "    length = x.grad.norm(dim=1, keepdim=True)\n    step = x.grad / length\n"
        f"{after}    return x + step\n"
    )
    assert _found(text, "NAN303") == confidence
