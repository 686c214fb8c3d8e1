"""What is a number of Python's own stays one: before and after its fixes a program runs alike."""

from __future__ import annotations

import math
from collections.abc import Callable
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

from mllint_nan.findings import Applicability, Confidence, Finding
from mllint_nan.linter import Linted, Settings, fix_bytes, lint_bytes
from tests.fixture_files import stated

pytestmark = pytest.mark.slow

EVERY = Settings(min_confidence=Confidence.POSSIBLE, unsafe_fixes=True)
IMPORTS = {
    "torch": "import torch\nimport torch.nn as nn",
    "jax": "import jax\nimport jax.numpy as jnp",
    "tensorflow": "import tensorflow as tf",
    "numpy": "",
}
BESIDE = """import math
import numpy as np
from dataclasses import dataclass
from typing import Optional, Union
"""
ONE_TO_THREE = [1.0, 2.0, 3.0]


def text_of(function: str, framework: str) -> str:
    return f"{BESIDE}{IMPORTS[framework]}\n\n{dedent(function)}"


def fixed(function: str, framework: str = "torch") -> str:
    """The whole program after all fixes, unsafe ones too."""
    return fix_bytes(text_of(function, framework).encode(), "a.py", EVERY).data.decode()


def found(function: str, framework: str = "torch") -> tuple[Finding, ...]:
    outcome = lint_bytes(text_of(function, framework).encode(), "a.py", EVERY)
    assert isinstance(outcome, Linted)
    return stated(outcome.findings)


def codes(function: str, framework: str = "torch") -> list[str]:
    return [finding.code for finding in found(function, framework)]


def called(text: str, framework: str, arguments: tuple[Any, ...]) -> np.ndarray:
    """What `f` of a program returns; arguments that are lists become arrays of the framework."""
    names: dict[str, Any] = {}
    exec(compile(text, "program", "exec", dont_inherit=True), names)
    make = array_of(framework)
    given = [make(one) if isinstance(one, list) else one for one in arguments]
    with np.errstate(all="ignore"):
        result = names["f"](*given)
    return np.asarray(result.detach() if hasattr(result, "detach") else result, float)


def array_of(framework: str) -> Callable[[Any], Any]:
    if framework == "torch":
        import torch

        return torch.tensor
    if framework == "jax":
        import jax.numpy as jnp

        return jnp.asarray
    if framework == "tensorflow":
        import tensorflow as tf

        return tf.constant
    return np.asarray


def check(function: str, framework: str, *arguments: Any) -> str:
    """The fixed text: it gives what the original does, wherever that is finite."""
    after = fixed(function, framework)
    was = called(text_of(function, framework), framework, arguments)
    now = called(after, framework, arguments)
    assert was.shape == now.shape
    finite = np.isfinite(was)
    np.testing.assert_allclose(now[finite], was[finite], rtol=1e-5)
    return after


WEIGHED = {
    "annotated": ("def f(x, h: float):\n    return h * torch.log(torch.relu(x))", 0.5),
    "optional": (
        "def f(x, h: Optional[float] = None):\n"
        "    h = 0.5 if h is None else h\n"
        "    return h * torch.log(torch.relu(x))",
        0.5,
    ),
    "union with none": (
        "def f(x, h: float | None = 2.0):\n    return (h - 1) * torch.relu(x).log()",
        3.0,
    ),
    "quoted": ('def f(x, h: "float"):\n    return h * torch.log(torch.relu(x))', 0.5),
    "a default alone": ("def f(x, h=2.0):\n    return (h - 1) * torch.log(torch.relu(x))", 3.0),
    "number or tensor": (
        "def f(x, h: Union[float, torch.Tensor]):\n    return h * torch.log(torch.relu(x))",
        0.5,
    ),
    "whole": ("def f(x, d: int):\n    return ((d - 3) / 2) * torch.log(torch.relu(x))", 5),
    "a NumPy scalar": ("def f(x, d: int):\n    return np.sqrt(d) * torch.log(torch.relu(x))", 4),
    "of math": ("def f(x, d):\n    return math.sqrt(d) * torch.log(torch.relu(x))", 4.0),
    "rounded": ("def f(x, d):\n    return float(d) * torch.log(torch.relu(x))", 4.0),
    "chosen": (
        "def f(x, d: int):\n"
        "    h = 1.0 if d > 3 else d / 3\n"
        "    return (h - 0.5) * torch.log(torch.relu(x))",
        2,
    ),
    "of a helper": (
        "def g(n):\n"
        "    while n > 3:\n"
        "        n = n - 1\n"
        "    return n * 2\n\n"
        "def f(x, n: int):\n"
        "    return g(n) * torch.log(torch.relu(x))",
        7,
    ),
}


@pytest.mark.parametrize(("function", "number"), WEIGHED.values(), ids=WEIGHED.keys())
def test_number_that_weighs_a_logarithm_is_no_condition(function: str, number: float) -> None:
    assert "where" not in check(function, "torch", [0.0, 1.0, 2.0], number)


SIZES = {
    "size": "x.size(-1)",
    "size, indexed": "x.size()[0]",
    "shape": "x.shape[-1]",
    "float of a size": "float(x.size(0))",
    "number of elements": "x.numel()",
    "number of axes": "x.dim()",
    "negative number of axes": "-x.ndim",
    "length": "len(x)",
    "product of a shape": "np.prod(x.shape)",
    "root of a size": "math.sqrt(x.size(0))",
    "power of a size": "x.size(0) ** -0.5",
    "item": "x.max().item()",
    "larger of two": "max(x.size(0), 2)",
    "rounded mean": "round(x.mean().item())",
}


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES.keys())
def test_size_that_weighs_a_logarithm_is_no_condition(size: str) -> None:
    function = f"def f(x):\n    d = {size}\n    return (d - 1.0) * torch.log(torch.relu(x))"
    assert "where" not in check(function, "torch", ONE_TO_THREE)


MEMBERS = {
    "given": ("dim", "dim"),
    "computed": ("dim", "dim ** -0.5"),
    "annotated": ("dim, alpha: float = 2.0", "alpha"),
    "by default": ("dim, alpha=2.0", "alpha"),
    "a NumPy scalar": ("dim", "np.sqrt(dim)"),
    "a literal": ("dim", "0.5"),
    "a product of a shape": ("dim", "np.prod((dim, 3))"),
}


@pytest.mark.parametrize(("parameters", "value"), MEMBERS.values(), ids=MEMBERS.keys())
def test_number_of_a_constructor_is_no_condition(parameters: str, value: str) -> None:
    function = f"""
        class Model(nn.Module):
            def __init__(self, {parameters}):
                super().__init__()
                self.linear = nn.Linear(dim, dim)
                self.weight = {value}

            def forward(self, x):
                return torch.log(torch.relu(x)) * self.weight

        def f(x):
            return Model(3)(x)
        """
    assert "where" not in check(function, "torch", ONE_TO_THREE)


def test_field_of_a_dataclass_is_no_condition() -> None:
    function = """
        @dataclass
        class Loss:
            alpha: float = 1.5
            beta: Optional[int] = None

            def of(self, x):
                y = torch.relu(x)
                return self.alpha * torch.log(y) - (self.beta or 1) * torch.log(y)

        def f(x):
            return Loss().of(x)
        """
    assert "where" not in check(function, "torch", ONE_TO_THREE)


def test_counter_is_no_condition() -> None:
    function = """
        def f(x, y):
            count, total = 0, 0.0
            for part in (x, y):
                count += 1
                total = total + torch.relu(part)
            return (count - 2) * torch.log(total)
        """
    assert "where" not in check(function, "torch", ONE_TO_THREE, ONE_TO_THREE)


def test_index_of_a_loop_is_no_condition() -> None:
    function = """
        def f(x):
            total = torch.zeros(3)
            for k in range(3):
                total = total + k * torch.log(torch.relu(x))
            for place, _ in enumerate("ab"):
                total = total + place * torch.log(torch.relu(x))
            return total
        """
    assert "where" not in check(function, "torch", ONE_TO_THREE)


# Divisors

NUMBERS = {
    "item": ("x / torch.relu(x).sum().item()", "max(torch.relu(x).sum().item(), 1e-8)"),
    "float": ("x / float(torch.relu(x).sum())", "max(float(torch.relu(x).sum()), 1e-8)"),
    "range": (
        "(x - x.min()) / (x.max() - x.min()).item()",
        "max((x.max() - x.min()).item(), 1e-8)",
    ),
    "norm": ("x / x.norm().item()", "max(x.norm().item(), 1e-12)"),
    "deviation": ("(x - x.mean()) / x.std().item()", "x.std().item() + 1e-8"),
}


@pytest.mark.parametrize("x", [ONE_TO_THREE, [0.0, 0.0, 0.0]], ids=["ordinary", "zeros"])
@pytest.mark.parametrize(("quotient", "divisor"), NUMBERS.values(), ids=NUMBERS.keys())
def test_number_that_divides_a_tensor_is_raised_by_python(
    quotient: str, divisor: str, x: list[float]
) -> None:
    function = f"def f(x):\n    return {quotient}"
    after = check(function, "torch", x)
    assert divisor in after
    assert np.isfinite(called(after, "torch", (x,))).all()


COUNTS = {
    "item": "(x > 0).sum().item()",
    "int": "int((x > 0).sum())",
    "float": "float((x > 0).sum())",
    "count_nonzero": "torch.count_nonzero(x > 0).item()",
}


@pytest.mark.parametrize("x", [ONE_TO_THREE, [-1.0, -2.0, -3.0]], ids=["some", "none"])
@pytest.mark.parametrize("count", COUNTS.values(), ids=COUNTS.keys())
def test_count_that_divides_a_tensor_is_raised_safely(count: str, x: list[float]) -> None:
    function = f"def f(x):\n    n = {count}\n    return torch.relu(x).sum() / n"
    after = check(function, "torch", x)
    assert "/ max(n, 1)" in after
    assert np.isfinite(called(after, "torch", (x,))).all()
    (finding,) = found(function)
    assert finding.fix is not None
    assert finding.fix.applicability is Applicability.SAFE


def test_count_of_numpy_and_jax_is_raised_by_python() -> None:
    for framework, package in (("numpy", "np"), ("jax", "jnp")):
        function = f"""
            def f(x):
                n = int({package}.sum(x > 0))
                return {package}.sum(x * (x > 0)) / n
            """
        after = check(function, framework, [-1.0, -2.0])
        assert "/ max(n, 1)" in after
        assert called(after, framework, ([-1.0, -2.0],)) == 0


def test_quotient_of_two_numbers_raises_and_is_no_finding() -> None:
    function = "def f(x):\n    return float(torch.relu(x).sum()) / float((x > 0).sum())"
    assert codes(function) == []


# Conditions


@pytest.mark.parametrize(
    ("framework", "where", "divisor"),
    [
        ("jax", "jnp.where", "(n if n > 0 else 1)"),
        ("tensorflow", "tf.where", "(n if n > 0 else 1.0)"),
    ],
)
def test_static_number_is_chosen_by_python(framework: str, where: str, divisor: str) -> None:
    function = f"def f(x):\n    n = x.shape[0] - 1\n    return {where}(n > 0, x / n, x)"
    assert divisor in check(function, framework, ONE_TO_THREE)


def test_static_number_stays_one_under_jit() -> None:
    function = """
        @jax.jit
        def f(x):
            n = x.shape[0] - 1
            return jnp.where(n > 0, x / n, x)
        """
    after = check(function, "jax", ONE_TO_THREE)
    assert "x / (n if n > 0 else 1)" in after
    assert np.isfinite(called(after, "jax", ([2.0],))).all()


def test_parameter_that_jax_may_trace_is_chosen_by_jax() -> None:
    function = """
        @jax.jit
        def f(p: float):
            return -p * jnp.log(p)
        """
    after = check(function, "jax", 0.5)
    assert "jnp.where(p > 0, p, 1)" in after
    assert called(after, "jax", (0.0,)) == 0


def test_number_of_numpy_code_is_chosen_by_python() -> None:
    function = "def f(p: float):\n    return -p * np.log(p)"
    after = check(function, "numpy", 0.5)
    assert "np.log(p if p > 0 else 1)" in after
    assert called(after, "numpy", (0.0,)) == 0


# What may be a number


MAYBE = {
    "a default": "def f(x, h=2.0):\n    return (h - 1) * torch.log(torch.relu(x))",
    "number or tensor": (
        "def f(x, h: Union[float, torch.Tensor]):\n    return h * torch.log(torch.relu(x))"
    ),
    "one path": (
        "def f(x, h):\n"
        "    w = 0.5 if h is None else torch.softmax(h, 0)\n"
        "    return w * torch.log(torch.relu(x))"
    ),
    "an attribute of something": (
        "def f(x, config):\n    return config.alpha * torch.log(torch.relu(x))"
    ),
    "what an object was given": (
        "class F(nn.Module):\n"
        "    def __init__(self, alpha):\n"
        "        super().__init__()\n"
        "        self.alpha = alpha\n\n"
        "    def forward(self, x):\n"
        "        return self.alpha * torch.log(torch.relu(x))"
    ),
}


@pytest.mark.parametrize("function", MAYBE.values(), ids=MAYBE.keys())
def test_fix_that_would_raise_for_a_number_is_only_shown(function: str) -> None:
    assert fixed(function).count("torch.where") == 0
    assert [
        finding.fix.applicability
        for finding in found(function)
        if finding.code == "NAN202" and finding.fix is not None
    ] == [Applicability.DISPLAY_ONLY]


TENSORS = {
    "plain": "def f(x, y):\n    return y * torch.log(torch.relu(x))",
    "annotated": "def f(x, y: torch.Tensor):\n    return y * torch.log(torch.relu(x))",
    "optional": (
        "def f(x, y: Optional[torch.Tensor] = None):\n    return y * torch.log(torch.relu(x))"
    ),
    "by a method": "def f(x, y=1.0):\n    y = y.clone()\n    return y * torch.log(torch.relu(x))",
    "a size in an array": (
        "def f(x, y):\n    w = x.size(0) * y\n    return w * torch.log(torch.relu(x))"
    ),
    "an attribute with methods": (
        "class F(nn.Module):\n"
        "    def __init__(self, alpha):\n"
        "        super().__init__()\n"
        "        self.alpha = alpha\n\n"
        "    def shape(self):\n"
        "        return self.alpha.unsqueeze(0).shape\n\n"
        "    def forward(self, x):\n"
        "        return self.alpha * torch.log(torch.relu(x))\n\n"
        "def f(x, y):\n"
        "    return F(y)(x)"
    ),
    "a parameter": (
        "class F(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.alpha = nn.Parameter(torch.ones(3))\n\n"
        "    def forward(self, x):\n"
        "        return self.alpha * torch.log(torch.relu(x))\n\n"
        "def f(x, y):\n"
        "    return F()(x)"
    ),
}


@pytest.mark.parametrize("function", TENSORS.values(), ids=TENSORS.keys())
def test_tensor_of_the_same_name_keeps_its_fix(function: str) -> None:
    after = check(function, "torch", [0.0, 1.0, 2.0], [0.0, 1.0, 0.5])
    assert "torch.where(" in after


def test_tensor_that_divides_keeps_its_fix() -> None:
    function = "def f(x):\n    return torch.relu(x) / torch.relu(x).sum()"
    assert "torch.relu(x).sum().clamp(min=1e-8)" in check(function, "torch", ONE_TO_THREE)


# Idle


IDLE = {
    "a root of sizes": "x * (x.size(0) * x.size(1) - 1) ** 0.5",
    "a root of a difference of sizes": "x * (x.shape[0] - x.shape[1]) ** 0.5",
    "a fan": "x / math.sqrt(x.size(0) + x.size(1))",
    "a product of a shape": "x / np.prod(x.shape) ** 0.5",
    "a power of a limit": "x * torch.finfo(x.dtype).max ** 0.2",
}


@pytest.mark.parametrize("expression", IDLE.values(), ids=IDLE.keys())
def test_no_gradient_flows_into_a_number(expression: str) -> None:
    assert codes(f"def f(x):\n    return {expression}") == []


def test_gradient_of_the_same_shape_in_tensors_is_found() -> None:
    assert codes("def f(a, b, x):\n    return x * ((a - b) ** 2).sum() ** 0.5") == ["NAN203"]


def test_part_of_a_shape_is_positive() -> None:
    assert codes("def f(x):\n    _, _, d = x.shape\n    return x / d**0.25") == []


def test_rank_of_a_factor_is_a_number() -> None:
    function = """
        def f(d, rank=None):
            rank = d if rank is None else rank
            return torch.randn(d, rank) * (0.5 / rank) ** 0.5
        """
    assert codes(function) == []


@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_what_is_counted_down_to_one_is_no_label(framework: str) -> None:
    package = {"torch": "torch", "jax": "jnp"}[framework]
    down = f"def f(x, p):\n    return {package}.arange(p, 0, -1) * {package}.log(x)"
    assert codes(down, framework) == []
    up = f"def f(x, p):\n    return {package}.arange(p) * {package}.log(x)"
    assert codes(up, framework) == ["NAN202"]


def test_infinite_quotient_by_a_count_of_python_is_found() -> None:
    function = "def f(x):\n    n = int((x > 0).sum())\n    return torch.relu(x).sum() / n"
    assert codes(function) == ["NAN301"]
    assert math.isnan(called(text_of(function, "torch"), "torch", ([-1.0],)))
