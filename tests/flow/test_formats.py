"""The float format that the source shows, what its rounding does, and where gradients end."""

from __future__ import annotations

import pytest

from mllint_nan.domains.truth import Truth
from mllint_nan.findings import Confidence
from mllint_nan.linter import Settings, lint_bytes
from tests.flow.analysed import JAX, NUMPY, TENSORFLOW, TORCH, format_logged, value_logged

HALF = "float16"

FORMATS = [
    (TORCH, "torch.log(x)", "float32"),
    (TORCH, "torch.log(x.half())", HALF),
    (TORCH, "torch.log(x.bfloat16() + 1)", "bfloat16"),
    (TORCH, "torch.log(x.double())", "float64"),
    (TORCH, "torch.log(x.half().float())", "float32"),
    (TORCH, "torch.log(torch.relu(x.to(torch.float16)) + 1)", HALF),
    (TORCH, "torch.log(x.to('cuda', torch.float16))", HALF),
    (TORCH, "torch.log(x.half().to('cuda'))", HALF),
    (TORCH, "torch.log(x.half().to(device, non_blocking=True))", HALF),
    (TORCH, "torch.log(x.to(dtype=torch.half))", HALF),
    (TORCH, "torch.log(x.to(y.half()))", HALF),
    (TORCH, "torch.log(x.type(torch.float16))", HALF),
    (TORCH, "torch.log(x.type_as(y.double()))", "float64"),
    (TORCH, "y = y.half()\ntorch.log(x.to(y.dtype))", HALF),
    (TORCH, "torch.log(torch.zeros(3, dtype=torch.float16) + x)", HALF),
    (TORCH, "torch.log(torch.tensor(z, dtype=torch.float64))", "float64"),
    (TORCH, "torch.log(torch.zeros_like(x.half()))", HALF),
    (TORCH, "torch.log(torch.zeros(3, dtype=float))", "float64"),
    (TORCH, "torch.log(torch.softmax(x.half(), -1, dtype=torch.float32))", "float32"),
    (TORCH, "torch.log(x.half() + y.float())", "float32"),
    (TORCH, "torch.log(x.half() + y.bfloat16())", "float32"),
    (TORCH, "torch.log(x.half() * 0.1)", HALF),
    (TORCH, "torch.log(x.half() * float(y))", HALF),
    (TORCH, "torch.log(x.masked_fill(y, -float('inf')))", "float32"),
    (TORCH, "torch.log((x.half() > 0).float())", "float32"),
    (TORCH, "torch.log((x.half() > 0).sum())", "float32"),
    (TORCH, "torch.log(torch.where(x.half() > 0, y, z))", "float32"),
    (TORCH, "torch.log(x.half().long())", "float32"),
    (TORCH, "y = x.half()\ny[0] = 1\ntorch.log(y)", HALF),
    (TENSORFLOW, "tf.math.log(x)", "float32"),
    (TENSORFLOW, "tf.math.log(tf.cast(x, tf.float16))", HALF),
    (TENSORFLOW, "tf.math.log(tf.cast(x, 'float16') + 1)", HALF),
    (TENSORFLOW, "tf.math.log(tf.dtypes.cast(x, tf.half))", HALF),
    (TENSORFLOW, "tf.math.log(tf.cast(x, dtype=tf.float64))", "float64"),
    (TENSORFLOW, "tf.math.log(tf.constant(z, dtype=tf.float16))", HALF),
    (TENSORFLOW, "tf.math.log(tf.cast(x, y.dtype))", "float32"),
    (JAX, "jnp.log(x)", "float32"),
    (JAX, "jnp.log(x.astype(jnp.float16))", HALF),
    (JAX, "jnp.log(x.astype('bfloat16'))", "bfloat16"),
    (JAX, "jnp.log(x.astype(float))", "float32"),
    (JAX, "jnp.log(jnp.asarray(z, dtype=jnp.float16) + 1)", HALF),
    (JAX, "jnp.log(jnp.float16(x))", HALF),
    (JAX, "jnp.log(jax.lax.convert_element_type(x, jnp.float16))", HALF),
    (NUMPY, "np.log(np.abs(x))", "float64"),
    (NUMPY, "np.log(x.astype(np.float32))", "float32"),
    (NUMPY, "np.log(x.astype('float16') * 2)", HALF),
    (NUMPY, "np.log(np.asarray(z, dtype=np.float16))", HALF),
    (NUMPY, "np.log(np.float32(z))", "float32"),
    (NUMPY, "np.log(x.astype(float))", "float64"),
    (NUMPY, "np.log(np.zeros(3, dtype='float32'))", "float32"),
]


@pytest.mark.parametrize(("imports", "text", "expected"), FORMATS)
def test_format_is_what_the_source_shows(imports: str, text: str, expected: str) -> None:
    assert format_logged(text, imports) == expected


REGIONS = [
    ("with torch.autocast('cuda'):", "x @ w", HALF),
    ("with torch.autocast('cuda'):", "torch.relu(x @ w) + 1", HALF),
    ("with torch.autocast('cuda'):", "F.linear(x, w)", HALF),
    ("with torch.autocast('cuda'):", "torch.softmax(x @ w, -1)", "float32"),
    ("with torch.autocast('cuda'):", "(x @ w).sum()", "float32"),
    ("with torch.autocast('cuda'):", "torch.exp(x @ w)", "float32"),
    ("with torch.autocast('cuda'):", "(x @ w).float()", "float32"),
    ("with torch.autocast('cuda'):", "x + w", "float32"),
    ("with torch.autocast('cuda'):", "x.double() @ w.double()", "float64"),
    ("with torch.autocast('cuda'):", "torch.sum((x @ w).double())", "float64"),
    ("with torch.autocast('cuda', dtype=torch.bfloat16):", "x @ w", "bfloat16"),
    ("with torch.autocast('cpu'):", "x @ w", "bfloat16"),
    ("with torch.autocast('cuda', enabled=use_amp):", "x @ w", HALF),
    ("with torch.autocast('cuda', enabled=False):", "x @ w", "float32"),
    ("with torch.cuda.amp.autocast():", "x @ w", HALF),
    ("with torch.amp.autocast('cuda', torch.float16):", "torch.bmm(x, w)", HALF),
    ("@torch.autocast('cuda')\ndef f(x, w):", "x @ w", HALF),
    ("@torch.cuda.amp.autocast()\ndef f(x, w):", "x @ w", HALF),
    ("with torch.no_grad():", "x @ w", "float32"),
    # On a CPU, what is no product stays in the lower precision: measured.
    ("with torch.autocast('cpu'):", "torch.softmax(x @ w, -1)", "bfloat16"),
    ("with torch.autocast('cpu', dtype=torch.float16):", "torch.exp(x @ w)", HALF),
    ("with torch.autocast('cpu'):", "torch.prod(x @ w)", "float32"),
    # `square` and a power are raised, a product is not.
    ("with torch.autocast('cuda'):", "torch.square(x @ w)", "float32"),
    ("with torch.autocast('cuda'):", "(x @ w) ** 2", "float32"),
    ("with torch.autocast('cuda'):", "(x @ w) * (x @ w)", HALF),
    ("with torch.autocast('cuda'):", "(x @ w).mean()", HALF),
    ("with torch.autocast('cuda'):", "torch.logsumexp(x @ w, -1)", "float32"),
    ("with torch.autocast('cuda'):", "torch.nn.Linear(2, 3)(x)", HALF),
    ("with torch.autocast('cuda'):", "torch.nn.Sequential(torch.nn.Conv2d(2, 3, 1))(x)", HALF),
    ("with torch.autocast('cuda'):", "g(x)", "float32"),
]


@pytest.mark.parametrize(("head", "operand", "expected"), REGIONS)
def test_region_of_automatic_casts(head: str, operand: str, expected: str) -> None:
    assert format_logged(f"{head}\n    torch.log({operand})") == expected


@pytest.mark.parametrize(
    ("operand", "expected"),
    [
        ("self.linear(x)", HALF),
        ("torch.relu(self.linear(x)) + 1", HALF),
        ("torch.softmax(self.linear(x), -1)", "float32"),
        ("self.norm(x)", "float32"),
        ("self.own(x)", "float32"),
        ("self.either(x)", "float32"),
    ],
)
def test_layer_of_an_object_in_a_region_of_automatic_casts(operand: str, expected: str) -> None:
    text = f"""
class Net(torch.nn.Module):
    def __init__(self, flag):
        self.linear = torch.nn.Linear(2, 3)
        self.norm = torch.nn.LayerNorm(3)
        self.own = Own()
        self.either = torch.nn.Linear(2, 3)
        if flag:
            self.either = Own()

    def forward(self, x):
        with torch.autocast('cuda'):
            torch.log({operand})
"""
    assert format_logged(text) == expected


KERAS = "import keras\nfrom keras import layers, ops\n"
POLICY = "keras.mixed_precision.set_global_policy('mixed_float16')\n"
DENSE = "layers.Dense(3, activation='relu')(x)"
LAYER = "class Own({base}):\n    def call(self, x, y):\n        ops.log({operand})"

DEFAULTS = [
    (TORCH, "torch.set_default_dtype(torch.float64)", "torch.log(x + 1)", "float64"),
    (TORCH, "torch.set_default_dtype(torch.float16)", "torch.log(x + 1)", HALF),
    (TORCH, "torch.set_default_dtype(torch.float64)", "torch.log(x.float())", "float32"),
    (TORCH, "torch.set_default_dtype(d)", "torch.log(x + 1)", "float32"),
    (TORCH, "torch.set_default_tensor_type(torch.DoubleTensor)", "torch.log(x + 1)", "float64"),
    (TORCH, "torch.set_default_tensor_type('torch.DoubleTensor')", "torch.log(x + 1)", "float64"),
    (TORCH, "if d:\n    torch.set_default_dtype(torch.float64)", "torch.log(x + 1)", "float32"),
    (
        TORCH,
        "torch.set_default_dtype(torch.float64)\ntorch.set_default_dtype(torch.float32)",
        "torch.log(x + 1)",
        "float32",
    ),
    (JAX, "jax.config.update('jax_enable_x64', True)", "jnp.log(x + 1)", "float64"),
    (JAX, "jax.config.update('jax_enable_x64', False)", "jnp.log(x + 1)", "float32"),
    (JAX, "jax.config.update('jax_debug_nans', True)", "jnp.log(x + 1)", "float32"),
    (JAX, "jax.config.update('jax_enable_x64', True)", "jnp.log(x.astype('float16'))", HALF),
    (
        JAX,
        "from jax import config\nconfig.update('jax_enable_x64', True)",
        "jnp.log(x + 1)",
        "float64",
    ),
    (KERAS, "keras.backend.set_floatx('float16')", "ops.log(x + 1)", HALF),
    (KERAS, "keras.config.set_floatx('float64')", f"ops.log({DENSE})", "float64"),
    (KERAS, "", f"ops.log({DENSE})", "float32"),
    (KERAS, POLICY, f"ops.log({DENSE})", HALF),
    (KERAS, POLICY, "ops.log(x)", "float32"),
    (KERAS, POLICY, "ops.log(layers.Dense(3)(x) + 1)", HALF),
    (KERAS, POLICY, "ops.log(layers.Dense(3, dtype='float32')(x))", "float32"),
    (KERAS, POLICY, "ops.log(layers.Activation('relu', dtype='float32')(x))", "float32"),
    (KERAS, POLICY, f"model = keras.Model(x, {DENSE})\nops.log(model(y))", HALF),
    (
        KERAS,
        POLICY,
        "model = keras.Model(x, layers.Dense(3, activation='relu', dtype='float32')(x))\n"
        "ops.log(model(y))",
        "float32",
    ),
    (KERAS, "keras.config.set_dtype_policy('mixed_bfloat16')", f"ops.log({DENSE})", "bfloat16"),
    (KERAS, "keras.config.set_dtype_policy('float16')", f"ops.log({DENSE})", HALF),
    (KERAS, "", "ops.log(layers.Dense(3, dtype='float16')(x))", HALF),
    (KERAS, POLICY, LAYER.format(base="layers.Layer", operand="x"), HALF),
    (KERAS, POLICY, LAYER.format(base="keras.Model", operand="x"), HALF),
    (KERAS, POLICY, LAYER.format(base="keras.losses.Loss", operand="x"), "float32"),
    (KERAS, POLICY, LAYER.format(base="layers.Layer", operand="ops.zeros(3)"), "float32"),
    (KERAS, "", LAYER.format(base="layers.Layer", operand="x"), "float32"),
    (
        TENSORFLOW,
        "from tensorflow.keras import mixed_precision\n"
        "mixed_precision.set_global_policy(mixed_precision.Policy('mixed_float16'))",
        "tf.math.log(tf.keras.layers.Dense(3)(x))",
        HALF,
    ),
]


@pytest.mark.parametrize(("imports", "head", "text", "expected"), DEFAULTS)
def test_format_that_the_program_sets(imports: str, head: str, text: str, expected: str) -> None:
    assert format_logged(f"{head}\n{text}", imports) == expected


def test_format_that_the_program_sets_later() -> None:
    text = "torch.log(x + 1)\ntorch.set_default_dtype(torch.float64)"
    assert format_logged(text) == "float32"


def test_innermost_region_of_automatic_casts_goes() -> None:
    text = "with torch.autocast('cuda'):\n  with torch.autocast('cuda', enabled=False):\n    "
    assert format_logged(f"{text}torch.log(x @ w)") == "float32"


def test_region_ends_where_its_block_does() -> None:
    text = "with torch.autocast('cuda'):\n  y = x @ w\ntorch.log(x @ w)"
    assert format_logged(text) == "float32"
    assert format_logged(text.replace("(x @ w)", "(y)")) == HALF


@pytest.mark.parametrize(
    ("imports", "text", "answer"),
    [
        (TORCH, "torch.log(torch.relu(x) + 1e-8)", Truth.NO),
        (TORCH, "torch.log(torch.relu(x.half()) + 1e-8)", Truth.YES),
        (TORCH, "torch.log(torch.relu(x.half()).float() + 1e-8)", Truth.NO),
        (TORCH, "torch.log(torch.relu(x.bfloat16()) + 1e-8)", Truth.NO),
        (TORCH, "torch.log(torch.relu(x) + 1e-50)", Truth.YES),
        (TORCH, "torch.log(torch.relu(x.double()) + 1e-50)", Truth.NO),
        (TORCH, "with torch.autocast('cuda'):\n  torch.log(F.relu(x @ w) + 1e-8)", Truth.YES),
        (TENSORFLOW, "tf.math.log(tf.nn.relu(tf.cast(x, tf.float16)) + 1e-8)", Truth.YES),
        (JAX, "jnp.log(jax.nn.relu(x.astype(jnp.float16)) + 1e-8)", Truth.YES),
        (NUMPY, "np.log(np.maximum(x, 0) + 1e-50)", Truth.NO),
        (NUMPY, "np.log(np.maximum(x.astype(np.float32), 0) + 1e-50)", Truth.YES),
        # 1 - 1e-10 is 1 in float32.
        (TORCH, "torch.log(1 - torch.sigmoid(x).clamp(max=1 - 1e-10))", Truth.YES),
        (TORCH, "torch.log(1 - torch.sigmoid(x.double()).clamp(max=1 - 1e-10))", Truth.NO),
        (TORCH, "torch.log(1e-10 + 1 - torch.sigmoid(x))", Truth.YES),
        (TORCH, "torch.log(1 - torch.sigmoid(x) + 1e-10)", Truth.NO),
        (NUMPY, "np.log(1 - np.tanh(x) + 1e-10)", Truth.NO),
        # A compiled graph has it as (1 + 1e-10) - p.
        (TENSORFLOW, "tf.math.log(1 - tf.sigmoid(x) + 1e-10)", Truth.YES),
        (TENSORFLOW, "tf.math.log(1 - tf.sigmoid(x) + 1e-6)", Truth.NO),
        (JAX, "jnp.log(1 - jax.nn.sigmoid(x) + 1e-10)", Truth.YES),
        (JAX, "jnp.log(jnp.maximum(1 - jax.nn.sigmoid(x), 1e-10))", Truth.NO),
        (JAX, "jnp.log(jnp.abs(x - y) + 1e-10)", Truth.NO),
    ],
)
def test_absorption(imports: str, text: str, answer: Truth) -> None:
    assert value_logged(text, imports).can_be(0.0) is answer


def test_cast_to_integers_truncates() -> None:
    value = value_logged("torch.log(torch.sigmoid(x).to(torch.int64))")
    assert (value.lo, value.hi, value.integer) == (0.0, 1.0, True)


# Whether a gradient can flow: `norm` has a NaN there.

ROOT = "torch.sqrt((x**2).sum(-1))"


def is_reported(imports: str, body: str) -> bool:
    settings = Settings(select=("NAN203", "NAN204"), min_confidence=Confidence.LIKELY)
    return bool(lint_bytes(f"{imports}\n{body}\n".encode(), "train.py", settings).findings)


@pytest.mark.parametrize(
    "body",
    [
        f"def f(x):\n    return {ROOT}",
        f"def f(x):\n    with torch.set_grad_enabled(True):\n        return {ROOT}",
        f"def f(x):\n    with torch.set_grad_enabled(phase == 'train'):\n        return {ROOT}",
        f"@torch.no_grad()\ndef f(x):\n    with torch.enable_grad():\n        return {ROOT}",
        f"def f(x):\n    torch.set_grad_enabled(False)\n\ndef g(x):\n    return {ROOT}",
    ],
)
def test_gradient_flows(body: str) -> None:
    assert is_reported(TORCH, body)


@pytest.mark.parametrize(
    "body",
    [
        f"def f(x):\n    x = x.detach()\n    return {ROOT}",
        f"def f(x):\n    x = x.data\n    return {ROOT}",
        f"def f(x):\n    return {ROOT}.detach()",
        f"def f(x):\n    with torch.no_grad():\n        return {ROOT}",
        f"@torch.no_grad()\ndef f(x):\n    return {ROOT}",
        f"@torch.inference_mode()\ndef f(x):\n    return {ROOT}",
        f"def f(x):\n    with torch.inference_mode():\n        return {ROOT}",
        f"def f(x):\n    with torch.autograd.inference_mode():\n        return {ROOT}",
        f"def f(x):\n    with torch.set_grad_enabled(False):\n        return {ROOT}",
        f"def f(x):\n    torch.set_grad_enabled(False)\n    return {ROOT}",
        f"def f(x):\n    return {ROOT}.item()",
        f"def f(x):\n    return {ROOT}.cpu().numpy()",
        f"def f(x):\n    return float({ROOT})",
        f"def f(x):\n    return {ROOT}.argmax()",
        f"def f(x):\n    return {ROOT} > 1",
        f"def f(x):\n    x = x.argmax(-1).float()\n    return {ROOT}",
        f"def f(x):\n    x = (x > 0).float()\n    return {ROOT}",
    ],
)
def test_no_gradient_flows(body: str) -> None:
    assert not is_reported(TORCH, body)


@pytest.mark.parametrize(
    ("imports", "root"),
    [(TENSORFLOW, "tf.sqrt(tf.reduce_sum(x**2))"), (JAX, "jnp.sqrt(jnp.sum(x**2))")],
)
def test_gradient_is_stopped_in_each_framework(imports: str, root: str) -> None:
    stop = "tf.stop_gradient" if imports is TENSORFLOW else "jax.lax.stop_gradient"
    assert is_reported(imports, f"def f(x):\n    return {root}")
    assert not is_reported(imports, f"def f(x):\n    return {stop}({root})")
    assert not is_reported(imports, f"def f(x):\n    x = {stop}(x)\n    return {root}")
    assert not is_reported(imports, f"def f(x):\n    return {root} < 1")
    assert not is_reported(NUMPY, "def f(x):\n    return np.sqrt(np.sum(x**2))")


def test_gradient_is_not_recorded() -> None:
    root = "tf.sqrt(tf.reduce_sum(x**2))"
    text = f"def f(x, tape):\n    with tape.stop_recording():\n        return {root}"
    assert not is_reported(TENSORFLOW, text)
