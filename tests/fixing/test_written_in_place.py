"""Whatever is written into, a fix leaves each variable, and who shares its elements, as it was.

Every row is executed as it stands and as its fixes leave it, on ordinary input, and compared in all
that the statements leave behind: the variables, the caller's own arguments, what shares memory with
what, and in PyTorch the gradients.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import ndiff
from typing import Any, Final

import numpy as np
import pytest

from mllint_nan.linter import check_text
from tests.fixing.executed import (
    MOST,
    assert_alike,
    fixed,
    left_by_numpy,
    left_by_torch,
    module_of,
)
from tests.on_demand import module

torch = module("torch")

pytestmark = pytest.mark.slow

PARAMETERS: Final = "x, y, t, buf, m, n, o"
"""Matrices, a mask, a vector, and an object with a matrix `x`."""
TORCH: Final = "import torch\nimport torch.nn.functional as F"
NUMPY: Final = "import numpy as np"

REWRITTEN: Final[Mapping[str, str]] = {
    "d = (x - t).pow(2).sum(-1); d.sqrt_()": "d.clamp_(min=1e-37).sqrt_()",
    "d = (x - t).pow(2).sum(-1); z = d.sqrt_(); w = d + 1": "z = d.clamp_(min=1e-37).sqrt_()",
    "d = (x - t).pow(2).sum(-1); d = d.sqrt_()": "d = torch.linalg.vector_norm(x - t, dim=-1)",
    "d = (x - t).pow(2).sum(-1); e = d; d = d.sqrt_()": "d = d.clamp_(min=1e-37).sqrt_()",
    "d = (x - t).pow(2).sum(-1); e = d; e.sqrt_()": "e.clamp_(min=1e-37).sqrt_()",
    "d = (x - t).pow(2).sum(-1); e = d.view(2, 2); d.sqrt_()": "d.clamp_(min=1e-37).sqrt_()",
    "d = (x - t).pow(2).sum(-1); torch.sqrt_(d)": "torch.sqrt_(d.clamp_(min=1e-37))",
    "d = (x - t).pow(2).sum(-1); z = torch.sqrt_(d); w = z * d": (
        "z = torch.sqrt_(d.clamp_(min=1e-37))"
    ),
    "d = (x - t).pow(2).sum(-1); torch.sqrt(d, out=d)": (
        "torch.sqrt(torch.clamp(d, min=1e-37), out=d)"
    ),
    "d = (x - t).pow(2).sum(-1); d[0].sqrt_()": "d[0].clamp_(min=1e-37).sqrt_()",
    "d = (x - t).pow(2).sum(-1); d[:2].sqrt_()": "d[:2].clamp_(min=1e-37).sqrt_()",
    "d = (x - t).pow(2).sum(-1); v = d[0]; v.sqrt_()": "v.clamp_(min=1e-37).sqrt_()",
    "d = (x - t).pow(2).sum(-1); d.view(-1).sqrt_()": "d.view(-1).clamp_(min=1e-37).sqrt_()",
    "d = (x - t).pow(2).sum(-1); d.sqrt_().add_(1)": "d.clamp_(min=1e-37).sqrt_().add_(1)",
    "d = (x - t).pow(2).sum(-1); z = [d.sqrt_(), d]": "z = [d.clamp_(min=1e-37).sqrt_(), d]",
    "d = (x - t).pow(2).sum(-1); z = d + d.sqrt_()": "z = d + d.clamp_(min=1e-37).sqrt_()",
    "d = (x - t).pow(2).sum(-1); z = d.sqrt_() + d": "z = d.clamp_(min=1e-37).sqrt_() + d",
    "d = (x - t).pow(2).sum(-1); d.sqrt_().div_(d.sum())": (
        "d.add_(1e-12).sqrt_().div_(d.sum().clamp(min=1e-8))"
    ),
    "d = (x - t).pow(2).sum(-1); d.unsqueeze_(-1).sqrt_()": (
        "d.unsqueeze_(-1).clamp_(min=1e-37).sqrt_()"
    ),
    "z = torch.log(F.relu(x, inplace=False).softmax(-1))": (
        "z = torch.log_softmax(F.relu(x, inplace=False), dim=-1)"
    ),
    "z = torch.log(torch.softmax(x, -1), out=None)": "z = torch.log_softmax(x, dim=-1)",
    "e = (x + 1).exp_(); z = torch.log(1 + e)": "z = F.softplus(x + 1)",
    "z = x.pow_(2).sum().sqrt_()": "z = x.pow_(2).sum().clamp(min=1e-37).sqrt_()",
    "z = x.pow_(2).sum(-1).sqrt_()": "z = x.pow_(2).sum(-1).clamp(min=1e-37).sqrt_()",
    "z = x.pow(2).sum(-1).sqrt_()": "z = torch.linalg.vector_norm(x, dim=-1)",
    "x.pow_(2).sqrt_()": "x.pow_(2).clamp_(min=1e-37).sqrt_()",
    "x.pow_(0.5)": "x.clamp_(min=1e-37).pow_(0.5)",
    "x.addcmul_(y, y).sqrt_()": "x.addcmul_(y, y).clamp_(min=1e-37).sqrt_()",
    "x.mul_(x).addcmul_(y, y).sqrt_()": "x.mul_(x).addcmul_(y, y).clamp_(min=1e-37).sqrt_()",
    "z = x.mul_(0.9).addcmul_(y, y, value=0.1).sqrt_().add_(1e-8)": (
        "z = x.mul_(0.9).addcmul_(y, y, value=0.1).clamp_(min=1e-37).sqrt_().add_(1e-8)"
    ),
    "x[:, 1] = x[:, 1].sqrt_()": "x[:, 1] = x[:, 1].clamp_(min=1e-37).sqrt_()",
    "x.t().sqrt_()": "x.t().clamp_(min=1e-37).sqrt_()",
    "o.x.sqrt_()": "o.x.clamp_(min=1e-37).sqrt_()",
    "o.x = o.x.sqrt_()": "o.x = o.x.clamp_(min=1e-37).sqrt_()",
    "q = (w := x.sqrt_()) + 1": "q = (w := x.clamp_(min=1e-37).sqrt_()) + 1",
    "z = x.float().sqrt_()": "z = x.float().clamp_(min=1e-37).sqrt_()",
    "z = x.clone().sqrt_()": "z = x.clone().clamp(min=1e-37).sqrt_()",
    "x.clamp_(min=0).sqrt_()": "x.clamp_(min=1e-37).sqrt_()",
    "z = x.clamp_(min=0).sqrt()": "z = x.clamp_(min=0).clamp(min=1e-37).sqrt()",
    "z = x.clamp_(min=0).log_()": "z = x.clamp_(min=1e-12).log_()",
    "c = (x * y).sum(-1) / 20; c.acos_()": "c.clamp_(min=-1 + 1e-7, max=1 - 1e-7).acos_()",
    "c = (x * y).sum(-1) / 20; z = c.clamp_(-1, 1).acos_()": (
        "z = c.clamp_(min=-1 + 1e-7, max=1 - 1e-7).acos_()"
    ),
    "z = F.relu(x, True).sqrt().log_()": "z = F.relu(x, True).sqrt().clamp(min=1e-12).log_()",
    "s = y.sum(-1, keepdim=True); x /= s": "x /= torch.where(s == 0, 1, s)",
    "x.div_(y.sum(-1, keepdim=True))": (
        "total = y.sum(-1, keepdim=True); x.div_(torch.where(total == 0, 1, total))"
    ),
    "x.div_(x.norm(dim=1, keepdim=True))": "x.div_(x.norm(dim=1, keepdim=True).clamp(min=1e-12))",
    "x /= x.norm(dim=1, keepdim=True)": "x /= x.norm(dim=1, keepdim=True).clamp(min=1e-12)",
    "x.data /= x.data.norm()": "x.data /= x.data.norm().clamp(min=1e-12)",
    "x.data.div_(x.data.norm())": "x.data.div_(x.data.norm().clamp(min=1e-12))",
    "o.x /= o.x.norm()": "o.x /= o.x.norm().clamp(min=1e-12)",
    "x[m] /= y[m].sum()": "total = y[m].sum(); x[m] /= torch.where(total == 0, 1, total)",
    "x[:, 1].div_(y[:, 1].sum())": (
        "total = y[:, 1].sum(); x[:, 1].div_(torch.where(total == 0, 1, total))"
    ),
    "torch.div(x, y.sum(1, keepdim=True), out=x)": (
        "total = y.sum(1, keepdim=True); torch.div(x, torch.where(total == 0, 1, total), out=x)"
    ),
    "n = x.norm(dim=1, keepdim=True); x.div_(n); w = x / n": (
        "x.div_(n.clamp(min=1e-12)); w = x / n.clamp(min=1e-12)"
    ),
    "z = torch.where(x > 0, torch.sqrt(x, out=buf), 0 * x)": (
        "z = torch.where(x > 0, torch.sqrt(torch.where(x > 0, x, 1), out=buf), 0 * x)"
    ),
    "w = torch.where(y > 0, x.div_(y), 0)": (
        "w = torch.where(y > 0, x.div_(torch.where(y > 0, y, 1)), 0)"
    ),
    "z = x.exp().add_(1).log_()": "z = F.softplus(x)",
    "p = torch.softmax(x, -1); p = p.log_()": "p = torch.log_softmax(x, dim=-1)",
    "z = torch.softmax(x, -1).log_()": "z = torch.log_softmax(x, dim=-1)",
    "z = torch.log(torch.softmax(x.mul_(2), -1))": "z = torch.log_softmax(x.mul_(2), dim=-1)",
    "z = x.exp().sum(-1).log_()": "z = x.logsumexp(dim=-1)",
    "count = 0; p = torch.softmax(x, -1); count += 1; z = torch.log(p)": (
        "z = torch.log_softmax(x, dim=-1)"
    ),
    "p = torch.softmax(x, -1); y.mul_(2); z = torch.log(p)": "z = torch.log_softmax(x, dim=-1)",
}
"""What PyTorch statements become, in the lines that change."""
REFUSED: Final[Mapping[str, str]] = {
    "x **= 0.5": "NAN203",
    "x[0] **= 0.5": "NAN203",
    "w = torch.where(y > 0, x / y.sub_(0.1), 0)": "NAN401",
    "z = torch.where(x > 0, x.log_(), 0)": "NAN401",
    "z = torch.log(1 + x.exp_())": "NAN105",
    "z = torch.log(1 + x[0].exp_())": "NAN105",
    "z = torch.log(1 + x.view(-1).exp_())": "NAN105",
    "z = torch.log(1 + x.data.exp_())": "NAN105",
    "z = torch.log(1 + o.x.exp_())": "NAN105",
    "z = torch.log(1 + torch.exp(x, out=buf))": "NAN105",
    "z = torch.log1p(torch.exp(x), out=buf)": "NAN105",
    "torch.log(torch.softmax(x, -1), out=buf)": "NAN101",
    "torch.log(torch.sigmoid(x), out=buf)": "NAN102",
    "x.exp_(); z = torch.log(1 + x)": "NAN105",
    "e = o.x.exp_(); z = torch.log(1 + e)": "NAN105",
    "e = (x[0]).exp_(); z = torch.log(1 + e)": "NAN105",
    "e = x.exp(); s = e.add_(1); z = torch.log(s)": "NAN105",
    "z = x.exp_().add_(1).log_()": "NAN105",
    "p = torch.sigmoid(x); p.log_()": "NAN102",
    "p = torch.sigmoid(x); q = p.log_(); r = p + 1": "NAN102",
    "p = torch.softmax(x, -1); q = p; p = p.log_()": "NAN101",
    "p = torch.softmax(x, -1); q = p[0]; p = p.log_()": "NAN101",
    "z = x.sigmoid_().log()": "NAN102",
    "z = y * y.log_()": "NAN202",
    "x.exp_(); x.div_(x.sum(-1, keepdim=True))": "NAN103",
    "x.exp_().div_(x.sum(-1, keepdim=True))": "NAN103",
    "e = x.exp_(); z = e / e.sum(-1, keepdim=True)": "NAN103",
    "z = x.exp_().sum(-1).log_()": "NAN104",
    "p = torch.sigmoid(x); z = torch.log(p / (1 - p)); z.mul_(2)": "NAN117",
    "z = torch.logit(torch.sigmoid(x)); z += 1": "NAN117",
    "z = []; z.append(torch.logit(torch.sigmoid(x))); z[0].add_(1)": "NAN117",
    "p = torch.softmax(x, -1); x[0] = 1.0; z = torch.log(p)": "NAN101",
    "p = torch.softmax(x, -1); x.data.mul_(2); z = torch.log(p)": "NAN101",
    "p = torch.softmax(x, -1); x[0].mul_(2); z = torch.log(p)": "NAN101",
    "p = torch.softmax(x, -1); x[0] *= 2; z = torch.log(p)": "NAN101",
    "p = torch.softmax(x, -1); torch.mul(x, 2, out=x); z = torch.log(p)": "NAN101",
    "v = x[0]; p = torch.softmax(x, -1); v.mul_(2); z = torch.log(p)": "NAN101",
    "v = x.view(-1); p = torch.softmax(x, -1); v *= 2; z = torch.log(p)": "NAN101",
    "v = x.t(); w = v[0]; p = torch.softmax(x, -1); w.mul_(2); z = torch.log(p)": "NAN101",
    "p = torch.softmax(o.x, -1); o.x.mul_(2); z = torch.log(p)": "NAN101",
    "p = torch.softmax(o.x, -1); v = o.x; v.mul_(2); z = torch.log(p)": "NAN101",
    "p = torch.softmax(o.x, -1); o.x[0] = 3; z = torch.log(p)": "NAN101",
}
"""What no fix is written for, and the finding that stays."""
REWRITTEN_NUMPY: Final[Mapping[str, str]] = {
    "np.divide(x, y.sum(1, keepdims=True), out=x)": (
        "total = y.sum(1, keepdims=True); np.divide(x, np.where(total == 0, 1, total), out=x)"
    ),
    "np.divide(x, y.sum(1, keepdims=True), x)": (
        "total = y.sum(1, keepdims=True); np.divide(x, np.where(total == 0, 1, total), x)"
    ),
    "x /= np.linalg.norm(x, axis=1, keepdims=True)": (
        "x /= np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-37)"
    ),
    "x[m] /= x[m].sum(0)": "total = x[m].sum(0); x[m] /= np.where(total == 0, 1, total)",
    "o.x /= o.x.sum()": "total = o.x.sum(); o.x /= np.where(total == 0, 1, total)",
    "np.divide(x, x.std(0), out=x)": "np.divide(x, x.std(0) + 1e-8, out=x)",
    "e = np.exp(x); e /= e.sum(1, keepdims=True)": (
        "e = np.exp(x - np.max(x, axis=1, keepdims=True))"
    ),
    "z = y * np.log(y, out=buf)": "z = y * np.log(np.where(y > 0, y, 1), out=buf)",
    "np.multiply(y, np.log(y), out=y)": "np.multiply(y, np.log(np.where(y > 0, y, 1)), out=y)",
    "y *= np.log(y)": "y *= np.log(np.where(y > 0, y, 1))",
}
REFUSED_NUMPY: Final[Mapping[str, str]] = {
    "np.exp(x, out=x); z = np.log(1 + x)": "NAN105",
    "z = np.log(1 + np.exp(x, out=x))": "NAN105",
    "z = np.log(1 + np.exp(x, x))": "NAN105",
    "z = np.log(1 + np.exp(x), out=buf)": "NAN105",
    "z = np.log1p(np.exp(x), buf)": "NAN105",
    "np.log1p(np.exp(x, out=buf), out=buf)": "NAN105",
    "e = np.exp(x, out=x); z = e / e.sum(1, keepdims=True)": "NAN103",
    "np.exp(x, out=x); x /= x.sum()": "NAN103",
    "z = np.log(np.sum(np.exp(x, out=buf), axis=1)); w = buf + 1": "NAN104",
    "z = np.log(np.sum(np.exp(x), axis=1, out=buf[:, 0]))": "NAN104",
    "p = 1 / (1 + np.exp(-x)); x += 1; z = np.log(p)": "NAN102",
    "v = x[0]; p = 1 / (1 + np.exp(-x)); v += 1; z = np.log(p)": "NAN102",
    "v = x.T; p = 1 / (1 + np.exp(-x)); v[0] = 1; z = np.log(p)": "NAN102",
    "p = 1 / (1 + np.exp(-x)); np.multiply(x, 2, out=x); z = np.log(p)": "NAN102",
    "p = 1 / (1 + np.exp(-x)); np.multiply(x, 2, x); z = np.log(p)": "NAN102",
    "p = 1 / (1 + np.exp(-x)); np.copyto(x, 2); z = np.log(p)": "NAN102",
    "p = 1 / (1 + np.exp(-x)); x.sort(); z = np.log(p)": "NAN102",
    "p = 1 / (1 + np.exp(-x)); x.fill(2); z = np.log(p)": "NAN102",
    "z = np.log(np.prod(x, axis=0, out=buf[0]))": "NAN110",
    "z = np.log(np.prod(x, axis=0), out=buf[0])": "NAN110",
    "np.log(np.exp(x) + np.exp(y), out=buf)": "NAN104",
    "np.log(np.cosh(x), out=buf)": "NAN115",
    "np.divide(np.exp(x) - np.exp(-x), np.exp(x) + np.exp(-x), out=buf)": "NAN107",
}
COMPOUND: Final[Mapping[str, str]] = {
    """
    def scale(t):
        t /= 2
    p = torch.softmax(x, -1)
    scale(x)
    z = torch.log(p)
    """: "",
    """
    def scale():
        x.div_(2)
    p = torch.softmax(x, -1)
    scale()
    z = torch.log(p)
    """: "",
    """
    def scale():
        own = x * 1
        own.div_(2)
    p = torch.softmax(x, -1)
    scale()
    z = torch.log(p)
    """: "z = torch.log_softmax(x, dim=-1)",
    """
    relu = torch.nn.ReLU(inplace=True)
    x.sub_(1)
    p = torch.softmax(x, -1)
    w = relu(x)
    z = torch.log(p)
    """: "",
    """
    p = torch.softmax(x, -1)
    v = x.view(-1)
    for i in range(2):
        z = torch.log(p)
        v *= 2
    """: "",
    """
    v = x * 1
    for i in range(2):
        v.sqrt_()
    """: "v.clamp_(min=1e-37).sqrt_()",
    """
    d = (x - t).pow(2).sum(-1)
    if d.sum() > 0:
        d.sqrt_()
    else:
        d.zero_()
    """: "d.clamp_(min=1e-37).sqrt_()",
    """
    with torch.no_grad():
        x.div_(x.norm(dim=1, keepdim=True))
    """: "x.div_(x.norm(dim=1, keepdim=True).clamp(min=1e-12))",
}
"""Blocks, and the one line that changes, if one does."""


class Holder:
    """An object with an attribute."""

    x: Any


def tensors() -> dict[str, Any]:
    """What stands for the parameters: all of it between 0.5 and 2, but the buffer and the mask."""
    generator = torch.Generator().manual_seed(0)

    def drawn() -> torch.Tensor:
        return torch.rand(4, 3, generator=generator) * 1.5 + 0.5

    holder = Holder()
    holder.x = drawn()
    return {
        "x": drawn(),
        "y": drawn(),
        "t": drawn(),
        "buf": torch.zeros(4, 3),
        "m": torch.tensor([True, False, True, True]),
        "n": torch.tensor([2.0, 3.0, 1.0]),
        "o": holder,
    }


def arrays() -> dict[str, Any]:
    """The same as arrays of NumPy."""
    found = {name: value for name, value in tensors().items() if name != "o"}
    holder = Holder()
    holder.x = tensors()["o"].x.double().numpy()
    every = {
        name: value.numpy() if name == "m" else value.double().numpy()
        for name, value in found.items()
    }
    return {**every, "o": holder}


def lines(row: str) -> str:
    return row.replace("; ", "\n")


def changed(before: str, after: str) -> str:
    """The lines of `after` that are not in `before`, in one."""
    differing = ndiff(before.splitlines(), after.splitlines())
    return "; ".join(line[2:].strip() for line in differing if line.startswith("+ "))


def codes(source: str) -> set[str]:
    return {finding.code for finding in check_text(source, "program.py", MOST)}


@pytest.mark.parametrize("learns", [False, True], ids=["values", "gradients"])
@pytest.mark.parametrize("row", REWRITTEN)
def test_fix_leaves_what_the_statements_left(row: str, learns: bool) -> None:
    before = module_of(lines(row), TORCH, PARAMETERS)
    after = fixed(before)
    assert changed(before, after) == REWRITTEN[row]
    was = left_by_torch(before, tensors, learns=learns)
    assert_alike(was, left_by_torch(after, tensors, learns=learns, known=was.arrays))


@pytest.mark.parametrize("row", REFUSED)
def test_what_cannot_be_kept_has_a_finding_without_a_fix(row: str) -> None:
    source = module_of(lines(row), TORCH, PARAMETERS)
    assert fixed(source) == source
    assert REFUSED[row] in codes(source)
    assert not left_by_torch(source, tensors, learns=False).raised


@pytest.mark.parametrize("learns", [False, True], ids=["values", "gradients"])
@pytest.mark.parametrize("body", COMPOUND)
def test_fix_in_a_block_leaves_what_the_block_left(body: str, learns: bool) -> None:
    before = module_of(body, TORCH, PARAMETERS)
    after = fixed(before)
    assert changed(before, after) == COMPOUND[body]
    was = left_by_torch(before, tensors, learns=learns)
    assert_alike(was, left_by_torch(after, tensors, learns=learns, known=was.arrays))


@pytest.mark.parametrize("row", REWRITTEN_NUMPY)
def test_fix_leaves_what_numpy_left(row: str) -> None:
    before = module_of(lines(row), NUMPY, PARAMETERS)
    after = fixed(before)
    assert changed(before, after) == REWRITTEN_NUMPY[row]
    assert_alike(left_by_numpy(before, arrays), left_by_numpy(after, arrays))


@pytest.mark.parametrize("row", REFUSED_NUMPY)
def test_what_numpy_cannot_keep_has_a_finding_without_a_fix(row: str) -> None:
    source = module_of(lines(row), NUMPY, PARAMETERS)
    assert fixed(source) == source
    assert REFUSED_NUMPY[row] in codes(source)
    assert not left_by_numpy(source, arrays).raised


@pytest.mark.parametrize(
    ("body", "raises"),
    [
        ("x.pow_(2).sum().sqrt_()", True),
        ("x.sqrt_()", True),
        ("z = torch.sqrt_(x)", True),
        ("z = x.sum().sqrt_()", False),
        ("z = (x * x).sum(-1)\nz.sqrt_()", False),
    ],
)
def test_leaf_that_requires_a_gradient_is_written_into_only_where_it_was(
    body: str, raises: bool
) -> None:
    before = module_of(body, TORCH, PARAMETERS)
    after = fixed(before)
    assert after != before

    def leaf() -> dict[str, Any]:
        return {**tensors(), "x": torch.rand(4, 3).add_(0.5).requires_grad_()}

    for source in (before, after):
        left = left_by_torch(source, leaf, learns=False)
        assert left.raised == ("RuntimeError" if raises else "")


def test_gradient_of_a_root_in_place_is_finite_where_it_was_not() -> None:
    before = module_of("d = (x - t).pow(2).sum(-1)\nd.sqrt_()", TORCH, PARAMETERS)

    def equal() -> dict[str, Any]:
        return {**tensors(), "x": torch.ones(4, 3), "t": torch.ones(4, 3)}

    was = left_by_torch(before, equal, learns=True)
    now = left_by_torch(fixed(before), equal, learns=True)
    assert np.isnan(was.gradients["x"]).all()
    assert np.isfinite(now.gradients["x"]).all()
    np.testing.assert_allclose(now.arrays["d"], was.arrays["d"], atol=2e-6)
