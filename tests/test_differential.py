"""Whole functions, before and after their fixes: planted faults are seen, and fixtures have none.

`benchmarks/differential.py` runs all fixtures, cases and whole packages; this is a sample.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.differential.frameworks import FRAMEWORKS
from tests.differential.functions import changed, module_of
from tests.differential.run import LABELS, Comparison, compared, comparisons
from tests.fixture_files import ROOT
from tests.verifier.frameworks import selected

pytestmark = pytest.mark.slow

HEADERS = {
    "torch": "import torch\nfrom torch import Tensor\n\n\n",
    "numpy": "import numpy as np\n\n\n",
    "jax": "import jax\nimport jax.numpy as jnp\n\n\n",
    "tensorflow": "import tensorflow as tf\n\n\n",
}
PLANTED = [
    (
        "torch",
        "def f(h: float):\n    return 1 / h",
        "1 / h",
        "1 / torch.where(h == 0, 1, h)",
        "raises",
    ),
    ("torch", "def f(n: int):\n    return 2 * n", "2 * n", "torch.clamp(n, min=1)", "raises"),
    ("torch", "def f(h: float):\n    return h", "return h", "return torch.tensor(h)", "kind"),
    ("torch", "def f(d):\n    d.exp_()\n    return d", "d.exp_", "(d + 1e-12).exp_", "changes"),
    ("torch", "def f(d):\n    d.exp_()", "d.exp_", "(d + 1e-12).exp_", "argument changes"),
    ("torch", "def f(a, s):\n    return a / s", "s", "s.clamp(min=1e-8)", "value changes"),
    (
        "torch",
        "def f(x):\n    return torch.log_softmax(x, -1)",
        "x, -1)",
        "x, -1).detach()",
        "loses",
    ),
    ("torch", "def f(x, y):\n    return x * y", "x * y", "x * y.detach()", "loses"),
    (
        "torch",
        "def f(x):\n    return torch.exp(x)",
        "exp(x)",
        "exp(x).sqrt().log().sqrt()",
        "finite",
    ),
    ("torch", "def f(x):\n    return x.sum(-1)", "-1", "0", "kind"),
    ("torch", "def f(x: Tensor, mask):\n    return x[mask]", "x[mask]", "x[~mask]", ""),
    ("numpy", "def f(x, out):\n    np.exp(x, out=out)", "x, out=out", "x + 1e-12", "argument"),
    ("numpy", "def f(x):\n    return np.exp(x)", "np.exp(x)", "np.sqrt(np.exp(x) - 1)", "finite"),
    ("jax", "def f(x, y):\n    return x * y", " y", " jax.lax.stop_gradient(y)", "loses"),
    ("tensorflow", "def f(x, y):\n    return x * y", "* y", "* tf.stop_gradient(y)", "loses"),
]


def comparison_of(framework: str, text: str, other: str, *, is_safe: bool = True) -> Comparison:
    header = HEADERS[framework]
    first, second = module_of(header + text, "first"), module_of(header + other, "second")
    (name,) = changed(header + text, header + other)
    return compared(first, second, name, FRAMEWORKS[framework](), is_safe=is_safe)


@pytest.mark.parametrize(
    ("framework", "text", "old", "new", "said"), [row for row in PLANTED if row[0] in selected()]
)
def test_planted_fault_is_seen(framework: str, text: str, old: str, new: str, said: str) -> None:
    place = text.rindex(old)
    comparison = comparison_of(framework, text, text[:place] + new + text[place + len(old) :])
    assert comparison.violations, comparison.status
    assert said in comparison.status


EQUAL = [
    ("def f(x):\n    return torch.log(torch.softmax(x, -1))", "torch.log_softmax(x, -1)"),
    ("def f(x):\n    return torch.sqrt((x * x).sum(-1))", "torch.sqrt((x * x).sum(-1) + 1e-12)"),
]


@pytest.mark.parametrize(("text", "new"), EQUAL)
def test_right_fix_is_no_fault(text: str, new: str) -> None:
    comparison = comparison_of("torch", text, f"{text.partition('return ')[0]}return {new}")
    assert comparison.status == "compared" and comparison.calls > 15


SAMPLE = ("log-of-softmax", "softmax-by-hand", "log-of-sigmoid", "guard-too-late", "sqrt-of-exp")
BROKEN = ("raises", "kind", "no longer finite", "shape")


@pytest.mark.parametrize("rule", SAMPLE)
@pytest.mark.parametrize("label", LABELS)
def test_fixes_of_a_fixture_break_no_function(rule: str, label: str) -> None:
    path = ROOT / "fixtures" / rule / "torch.py"
    found = list(comparisons(path.read_text(encoding="utf-8"), str(path), label))
    broken = [
        f"{comparison.function}: {wrong} by {comparison.cause}"
        for comparison in found
        for wrong in comparison.violations
        if label == "safe" or any(word in wrong.what for word in BROKEN)
    ]
    assert not broken, "\n".join(broken)
    assert any(comparison.status == "compared" for comparison in found)


def test_run_goes_on_where_it_was(tmp_path: Path) -> None:
    """What was executed once is a line of the file, and is not executed again."""
    (tmp_path / "a.py").write_text(
        "import numpy as np\n\n\ndef f(x):\n    return np.log(np.exp(x).sum())\n"
    )
    out = tmp_path / "out.jsonl"
    command = [sys.executable, "-m", "benchmarks.differential", "--out", out, tmp_path / "a.py"]
    subprocess.run(command, cwd=ROOT, check=True)
    first = out.read_text()
    assert first.count("\n") == len(LABELS) and "compared" in first
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    assert out.read_text() == first
    assert done.stdout == "{}\n"
