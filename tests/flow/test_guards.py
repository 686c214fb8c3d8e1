"""What conditions, loops and writes leave of a value: source, then the range of what is logged."""

from __future__ import annotations

from math import inf

import pytest

from mllint_nan.domains.truth import Truth
from tests.flow.analysed import JAX, NUMPY, TENSORFLOW, TORCH, analysed, value_logged

RELU = {
    TORCH: "torch.relu(x)",
    TENSORFLOW: "tf.nn.relu(x)",
    JAX: "jax.nn.relu(x)",
    NUMPY: "np.maximum(x, 0)",
}
LOG = {TORCH: "torch.log", TENSORFLOW: "tf.math.log", JAX: "jnp.log", NUMPY: "np.log"}
EACH = pytest.mark.parametrize("imports", [TORCH, TENSORFLOW, JAX, NUMPY])


def logged(text: str, imports: str) -> Truth:
    """Whether what is logged can be 0; `LOG` and `RELU` are spelled as the framework has them."""
    spelled = text.replace("LOG", LOG[imports]).replace("RELU", RELU[imports])
    return value_logged(spelled, imports).can_be(0.0)


def indented(text: str) -> str:
    return text.replace("; ", "\n  ").replace("| ", "\n")


GUARDS = [
    "if y > 0:; LOG(y)",
    "if 0 < y:; LOG(y)",
    "if y != 0:; LOG(y)",
    "if y:; LOG(y)",
    "if y == 0:; raise E| LOG(y)",
    "if not y:; raise E| LOG(y)",
    "if not y > 0:; raise E| LOG(y)",
    "if y <= 0 or z:; raise E| LOG(y)",
    "if z and y > 0:; LOG(y)",
    "if y > z and z > 0:; LOG(y)",
    "if y > z > 0:; LOG(y)",
    "if y > eps:; LOG(y)",
    "assert y > 0| LOG(y)",
    "assert y > 0 and z| LOG(y)",
    "for i in z:; if y == 0: continue; LOG(y)",
    "for i in z:; if y == 0: break; LOG(y)",
    "while y > 0:; LOG(y)",
    "while y == 0:; y = y + RELU| LOG(y)",
    "while True:; if y > 0: LOG(y)",
    "v = LOG(y) if y > 0 else 0",
    "v = 0 if y == 0 else LOG(y)",
    "v = y > 0 and LOG(y)",
    "v = y <= 0 or LOG(y)",
    "v = [LOG(y) for i in z if y > 0]",
    "if (v := y) > 0:; LOG(v)",
    "match y:; case 0:;   raise E; case _:;   LOG(y)",
    "match z:; case 1 if y > 0:;   LOG(y)",
    "ok = False| if y > 0:; ok = True| if ok:; LOG(y)",
    "ok = False| if y > 0:; ok = True| if not ok:; raise E| LOG(y)",
    "v = None| if y > 0:; v = z[0]| if v is not None:; LOG(y)",
    "v = None| if y == 0:; v = z.a| if v is None:; LOG(y)",
    "v = 0| if z:; v = 1| elif y > 0:; v = 2| if v == 2:; LOG(y)",
    "v = 0| if y == 0:; v = 1| elif z:; v = 2| if v != 1:; LOG(y)",
]


@EACH
@pytest.mark.parametrize("text", GUARDS)
def test_guard_keeps_zero_away(text: str, imports: str) -> None:
    assert logged(indented(f"y = RELU| {text}"), imports) is Truth.NO


@EACH
@pytest.mark.parametrize(
    "text",
    [
        "if y >= 0:; LOG(y)",
        "if y > -1:; LOG(y)",
        "if z:; LOG(y)",
        "if z > y:; LOG(y)",
        "if y > 0 or z:; LOG(y)",
        "if y > 0:; pass| LOG(y)",
        "if y != 1:; LOG(y)",
        "if y[0] > 0:; LOG(y)",
        "while y > 0:; y = y - 1| LOG(y)",
        "match y:; case 1:;   raise E; case _:;   LOG(y)",
        "ok = False| if y > 0:; ok = True| if not ok:; LOG(y)",
        "ok = False| if y > 0:; ok = z()| if not ok:; LOG(y)",
        "ok = False| if y > 0:; ok = True| ok = z| if ok:; LOG(y)",
        "v = None| if y == 0:; v = z()| if v is None:; LOG(y)",
        "v = 0| if y > 0:; v = 1| elif z:; v = 1| if v == 1:; LOG(y)",
        "v = 0| for i in z:; v = 1 if y > 0 else v| if v == 0:; LOG(y)",
    ],
)
def test_guard_of_something_else_does_not(text: str, imports: str) -> None:
    assert logged(indented(f"y = RELU| {text}"), imports) is not Truth.NO


@pytest.mark.parametrize(
    ("text", "imports"),
    [
        ("assert (x > 0).all()| torch.log(x)", TORCH),
        ("assert torch.all(x > 0)| torch.log(x)", TORCH),
        ("assert all(v > 0 for v in x)| torch.log(x)", TORCH),
        ("if (x <= 0).any():; raise E| torch.log(x)", TORCH),
        ("if torch.any(x <= 0).item():; raise E| torch.log(x)", TORCH),
        ("if (x <= 0).sum() > 0:; raise E| torch.log(x)", TORCH),
        ("if x.min() > 0:; torch.log(x)", TORCH),
        ("torch._assert(x > 0, 'x')| torch.log(x)", TORCH),
        ("if (x > 0).all():; torch.log(x.diagonal())", TORCH),
        ("if (x.half() > 0).all():; torch.log(x)", TORCH),
        ("if (x.long() > 0).all():; torch.log(x)", TORCH),
        ("torch.log(x[x > 0])", TORCH),
        ("keep = x > 0| torch.log(x[keep])", TORCH),
        ("torch.log(torch.masked_select(x, x > 0))", TORCH),
        ("torch.log(x[torch.where(x > 0)])", TORCH),
        ("i = (x > 0).nonzero()| torch.log(x[i])", TORCH),
        ("torch.log(torch.where(x > 0, x, torch.ones_like(x)))", TORCH),
        ("assert np.all(x > 0)| np.log(x)", NUMPY),
        ("if np.any(x <= 0):; raise E| np.log(x)", NUMPY),
        ("np.log(x[x > 0])", NUMPY),
        ("i = np.where(x > 0)[0]| np.log(x[i])", NUMPY),
        ("i = np.flatnonzero(x > 0)| np.log(x[i])", NUMPY),
        ("y = np.abs(x)| np.log(y[y != 0])", NUMPY),
        ("np.log(np.where(x > 0, x, 1))", NUMPY),
        ("jnp.log(jnp.where(x > 0, x, 1.0))", JAX),
        ("y = jax.nn.relu(x)| jnp.log(jnp.where(y == 0, 1.0, y))", JAX),
        ("tf.math.log(tf.boolean_mask(x, x > 0))", TENSORFLOW),
        ("tf.math.log(tf.where(x > 0, x, tf.ones_like(x)))", TENSORFLOW),
        ("tf.debugging.assert_positive(x)| tf.math.log(x)", TENSORFLOW),
        ("tf.debugging.assert_greater(x, 0.0)| tf.math.log(x)", TENSORFLOW),
    ],
)
def test_guard_of_every_element(text: str, imports: str) -> None:
    assert value_logged(indented(text), imports).lo > 0.0


@pytest.mark.parametrize(
    "text",
    [
        "assert (x > 0).any()| torch.log(x)",
        "if (x <= 0).all():; raise E| torch.log(x)",
        "if x.max() > 0:; torch.log(x)",
        "torch.log(x[torch.where(y > 0)])",
        "torch.log(x[y])",
        "if (x[1:] > 0).all():; torch.log(x[:1])",
        "if (x[::1] > 0).all():; torch.log(x[:1])",
        "torch.log(torch.where(x[2:] > 0, x[:2], 1.0))",
        "if (x.chunk(2)[0] > 0).all():; torch.log(x.split(2)[0])",
        "if (torch.hsplit(x, 2)[0] > 0).all():; torch.log(torch.vsplit(x, 2)[0])",
        "if (x.take(y) > 0).all():; torch.log(torch.nn.functional.embedding(y, x))",
        "if (x.take_along_dim(y, 0) > 0).all():; torch.log(x.index_select(0, y))",
        "if (x.bool() > 0).all():; torch.log(x)",
        "if x.bool().all():; torch.log(x)",
        "if (x.byte() > 0).all():; torch.log(x)",
    ],
)
def test_guard_of_some_elements_says_nothing_of_the_others(text: str) -> None:
    assert value_logged(indented(text)).lo < 0.0


@pytest.mark.parametrize(
    "text",
    [
        "if (np.dot(x, y) > 0).all():; np.log(np.dot(y, x))",
        "if (np.dot(x, y) > 0).all():; np.log(np.inner(x, y))",
        "if np.vdot(x, y) > 0:; np.log(x.dot(y))",
        "if (np.take_along_axis(x, y, 0) > 0).all():; np.log(np.take(x, y, 0))",
        "if x.astype(bool).all():; np.log(x)",
    ],
)
def test_functions_of_alike_names_are_not_the_same(text: str) -> None:
    assert value_logged(indented(text), NUMPY).lo < 0.0


def test_product_with_a_vector_is_no_product_of_matrices() -> None:
    text = "if tf.reduce_all(tf.matmul(x, y) > 0):; tf.math.log(tf.linalg.matvec(x, y))"
    assert value_logged(indented(text), TENSORFLOW).lo < 0.0


def test_moments_along_one_axis_are_not_those_along_another() -> None:
    guard = "if tf.reduce_all(tf.nn.moments(x, 0)[1] > 0):; tf.math.log(tf.nn.moments(x, {})[1])"
    assert value_logged(indented(guard.format(0)), TENSORFLOW).lo > 0.0
    assert value_logged(indented(guard.format(1)), TENSORFLOW).lo == 0.0


def test_array_set_in_one_place_is_not_the_array_set_in_another() -> None:
    text = "if (x.at[0].set(1.0) > 0).all():; jnp.log(x.at[{}].set(1.0))"
    assert value_logged(indented(text.format(0)), JAX).lo > 0.0
    assert value_logged(indented(text.format(1)), JAX).lo < 0.0


def test_diagonal_matrix_of_a_vector_has_zeros() -> None:
    assert value_logged(indented("if (x > 0).all():; torch.log(x.diag())")).lo == 0.0
    assert value_logged(indented("if (x > 0).all():; np.log(np.diag(x))"), NUMPY).lo == 0.0


def test_strict_bound_is_left_in_the_format_of_the_value() -> None:
    assert value_logged("if 0 <= x < 1:\n  torch.log(1 - x)").lo == 2.0**-24
    assert value_logged("if 0 <= x <= 1:\n  torch.log(1 - x)").lo == 0.0
    half = "y = torch.relu(x.half())\nif y < 1:\n  torch.log(1 - y)"
    assert value_logged(half).lo == 2.0**-11


def test_bound_on_the_magnitude_bounds_the_square() -> None:
    assert value_logged("if abs(x) >= 0.5:\n  torch.log(x**2)").lo == 0.25
    assert value_logged("if x.abs() >= 0.5:\n  torch.log(x * x)").lo == 0.25


@pytest.mark.parametrize(
    ("text", "lo"),
    [
        ("if x - z >= 0.5:\n  torch.log(x - z)", 0.5),
        ("if x - z <= -0.5:\n  torch.log(z - x)", 0.5),
        ("if abs(x - z) >= 0.5:\n  torch.log((z - x).abs())", 0.5),
        ("if (x - z).abs() >= 0.5:\n  torch.log((z - x) ** 2)", 0.25),
    ],
)
def test_bound_on_a_difference_bounds_the_opposite_one(text: str, lo: float) -> None:
    assert value_logged(text).lo == lo


def test_difference_that_is_not_0_is_not_0_the_other_way_round() -> None:
    assert value_logged("if x - z != 0:\n  torch.log(z - x)").can_be(0.0) is Truth.NO
    assert value_logged("if x - z != 1:\n  torch.log(z - x)").can_be(0.0) is not Truth.NO


# Where paths meet

REPAIRED = [
    "if y == 0:; y = 1| LOG(y)",
    "if y == 0:; y += 1| LOG(y)",
    "if not y > 0:; y = 1| LOG(y)",
    "if y > 0:; v = y| else:; v = 1| LOG(v)",
    "v = 1| if y > 0:; v = y| LOG(v)",
    "v = y if y > 0 else 1| LOG(v)",
    "v = 1 if y == 0 else y| LOG(v)",
    "v = y or 1| LOG(v)",
    "if y == 0:; return_ = 1; y = return_| LOG(y)",
    "y[y == 0] = 1| LOG(y)",
    "empty = y == 0| y[empty] = 1e-6| LOG(y)",
    "y[~(y > 0)] = 1| LOG(y)",
    "try:; y = y + 1| except E:; raise| LOG(y)",
    "match y:; case 0:;   v = 1; case _:;   v = y| LOG(v)",
]


@EACH
@pytest.mark.parametrize("text", REPAIRED)
def test_paths_meet_with_what_each_knows(text: str, imports: str) -> None:
    assert logged(indented(f"y = RELU| {text}"), imports) is Truth.NO


@EACH
@pytest.mark.parametrize(
    "text",
    [
        "if z == 0:; y = 1| LOG(y)",
        "if y == 0:; y = 0| LOG(y)",
        "v = y if y >= 0 else 1| LOG(v)",
        "v = 1 if z == 0 else y| LOG(v)",
        "y[z == 0] = 1| LOG(y)",
        "y[0] = 1| LOG(y)",
        "try:; y = y + 1| except E:; pass| LOG(y)",
    ],
)
def test_paths_meet_with_no_more(text: str, imports: str) -> None:
    assert logged(indented(f"y = RELU| {text}"), imports) is not Truth.NO


def test_parameter_that_is_set_where_it_was_bad_is_good() -> None:
    assert value_logged("def f(x):\n  if x <= 0:\n    x = 1.0\n  torch.log(x)").lo > 0.0


def test_choices_under_other_conditions_are_other_values() -> None:
    text = "v = x if c else y\nw = x if d else y\nu = x if c else y\n"
    environment = analysed(text).state.environment
    v, w, u = (environment.lookup(name) for name in "vwu")
    assert v is not None and w is not None and u is not None
    assert v.key == u.key != w.key


# Loops


@pytest.mark.parametrize(
    ("text", "lo", "hi"),
    [
        ("y = 1.0| while c:; y = y + 1| torch.log(y)", 1.0, inf),
        ("y = 1.0| while c:; y = y * 0.5| torch.log(y)", 0.0, 1.0),
        ("y = 1.0| for i in z:; y = y - x**2| torch.log(y)", -inf, 1.0),
        ("y = 1.0| for i in z:; torch.log(y); y = y + torch.relu(i)", 1.0, inf),
        ("y = 1| for i in z:; y = torch.sigmoid(y)| torch.log(y)", 0.5, 1.0),
        ("y = torch.ones(3)| for i in z:; y *= torch.sigmoid(i)| torch.log(y)", 0.0, 1.0),
        ("n = 0| for i in z:; if i: continue; n += 1| torch.log(n)", 1.0, 2.0**48),
        ("n = 0| for i in z:; if i: n += 1| torch.log(n)", 0.0, inf),
        ("y = 2.0| for i in z:; if i:;   y = 0.5;   continue; y = 3.0| torch.log(y)", 0.5, 3.0),
        ("y = 2.0| for i in z:; if i:;   y = 0.5;   break; y = 3.0| torch.log(y)", 0.5, 3.0),
        ("y = 1.0| while y < 8:; torch.log(y); y = y * 2", 1.0, 8.0),
        ("y = 1.0| for i in z:; for j in i:;   y = y + 1| torch.log(y)", 1.0, inf),
        ("for i in range(5):; torch.log(i)", 0.0, 5.0),
        ("for i in range(1, 5):; torch.log(i)", 1.0, 5.0),
        ("for i in range(n):; torch.log(i + 1)", 1.0, inf),
        ("for i, v in enumerate(x):; torch.log(i)", 0.0, inf),
        ("for i, v in enumerate(x, 1):; torch.log(i)", 1.0, inf),
    ],
)
def test_loop_reaches_a_range_that_it_keeps(text: str, lo: float, hi: float) -> None:
    value = value_logged(indented(text))
    assert value.lo == lo
    assert value.hi <= hi


def test_loop_gives_no_evidence_of_how_often_it_runs() -> None:
    assert not value_logged("y = 0\nfor i in z:\n  y = y + torch.exp(i) - 1\ntorch.log(y)").attained
    assert value_logged("n = 0\nfor i in z:\n  if i:\n    n += 1\ntorch.log(n)").can_be(0.0) is (
        Truth.UNKNOWN
    )


def test_loops_in_loops_end() -> None:
    text = "y = 1.0\n" + "".join(f"{'  ' * i}for i{i} in z:\n" for i in range(9))
    assert value_logged(f"{text}{'  ' * 9}y = y + 1\ntorch.log(y)").hi > 1e30


# Writes


@pytest.mark.parametrize(
    ("text", "imports"),
    [
        ("y.clamp_(min=0.5)", TORCH),
        ("y.clamp_min_(0.5)", TORCH),
        ("y.masked_fill_(y < 0.5, 0.5)", TORCH),
        ("y.data.clamp_(min=0.5)", TORCH),
        ("y += 0.5", TORCH),
        ("y.add_(0.5)", TORCH),
        ("torch.clamp(y, min=0.5, out=y)", TORCH),
        ("F.relu(y, inplace=True)| y += 0.5", TORCH),
        ("y[y < 0.5] = 0.5", TORCH),
        ("y.fill_(0.5)", TORCH),
        ("np.clip(y, 0.5, None, out=y)", NUMPY),
        ("np.clip(y, 0.5, None, y)", NUMPY),
        ("np.maximum(y, 0.5, out=y)", NUMPY),
        ("np.maximum(y, 0.5, y)", NUMPY),
        ("np.add(y, 0.5, out=(y,))", NUMPY),
        ("np.putmask(y, y < 0.5, 0.5)", NUMPY),
        ("np.copyto(y, 0.5, where=y < 0.5)", NUMPY),
        ("y[y < 0.5] = 0.5", NUMPY),
        ("y[np.where(y < 0.5)] = 0.5", NUMPY),
        ("y[np.logical_or(y < 0.5, z)] = 0.5", NUMPY),
        ("y = y.at[y < 0.5].set(0.5)", JAX),
        ("y = y.at[:].set(y + 0.5)| y = y + 0.5", JAX),
    ],
)
def test_write_changes_the_variable(text: str, imports: str) -> None:
    whole = f"y = RELU| {text}| LOG(y)".replace("LOG", LOG[imports]).replace("RELU", RELU[imports])
    assert value_logged(indented(whole), imports).lo == 0.5


@pytest.mark.parametrize(
    ("text", "imports"),
    [
        ("y[0] = 0", TORCH),
        ("y[z] = 0", TORCH),
        ("y -= 1", TORCH),
        ("y.zero_()", TORCH),
        ("torch.sub(y, 1, out=y)", TORCH),
        ("F.relu(z, out=y)", TORCH),
        ("np.subtract(y, 1, y)", NUMPY),
        ("np.fill_diagonal(y, 0)", NUMPY),
        ("np.put(y, z, 0)", NUMPY),
        ("y.fill(0)", NUMPY),
        ("g(z, out=y)", NUMPY),
        ("y = y.at[0].set(0)", JAX),
        ("y = y.at[0].add(-1)", JAX),
        ("y = y.at[0].multiply(0)", JAX),
    ],
)
def test_write_of_a_zero_is_not_missed(text: str, imports: str) -> None:
    whole = f"y = RELU + 0.5| {text}| LOG(y)"
    assert logged(indented(whole), imports) is not Truth.NO


# Scripts


def test_script_of_many_statements_keeps_what_it_knows() -> None:
    lines = ["w = tf.Variable(z)", "y = tf.nn.relu(x)"]
    for i in range(400):
        lines += [f"h{i} = tf.nn.relu(tf.matmul(h{i - 1} if c else x, w))" if i else "h0 = x"]
        lines += [f"if x{i} > 0:", f"  h{i} = h{i} + {i}", "else:", "  raise E"]
    lines += ["if y == 0:", "  y = 1", "tf.log(y)"]
    assert value_logged("\n".join(lines), TENSORFLOW).lo > 0.0


def test_global_that_a_function_changes_is_not_known() -> None:
    text = "y = 1.0\ndef g():\n  global y\n  y = 0.0\ndef f():\n  torch.log(y)"
    assert value_logged(text).can_be(0.0) is not Truth.NO
    assert value_logged("y = 1.0\ndef f():\n  torch.log(y)").lo == 1.0


def test_closure_sees_what_its_surroundings_end_with() -> None:
    text = "def f(x):\n  y = torch.exp(x) + 1\n  def g():\n    torch.log(y)\n  return g"
    assert value_logged(text).lo == 1.0
    later = text.replace("  return g", "  y = 0.0\n  return g")
    assert value_logged(later).can_be(0.0) is not Truth.NO


def test_with_is_no_obstacle() -> None:
    assert value_logged("with g() as h:\n  y = torch.exp(x) + 1\ntorch.log(y)").lo == 1.0
