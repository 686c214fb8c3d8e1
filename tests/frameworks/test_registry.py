"""What a name in a program is by the tables of signatures, and which of its calls bind."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from mllint_nan.frameworks import registry
from mllint_nan.frameworks.signature import Signature
from mllint_nan.ir.ops import REQUIRED, operation
from tests.frameworks.tables import TABLES


def test_no_row_twice() -> None:
    for table in TABLES.values():
        rows = [(each.name, each.operation.name, each.method, each.parameters) for each in table]
        assert [row for row in rows if rows.count(row) > 1] == []


def test_every_meaning_is_a_parameter_of_the_operation() -> None:
    for table in TABLES.values():
        for signature in table:
            known = set(signature.operation.parameters)
            assert {
                *signature.canonical.values(),
                *signature.fixed,
                *signature.defaults,
                *signature.call,
            } <= known, signature.name
            own = set(signature.parameters)
            assert {*signature.aliases.values(), *signature.required, *signature.ignored} <= own
            if signature.keyword_only:
                assert (
                    signature.parameters[-len(signature.keyword_only) :] == signature.keyword_only
                )


def test_the_least_call_binds() -> None:
    for table in TABLES.values():
        for signature in table:
            wanted = {
                *signature.operation.parameters[: signature.operation.operands],
                *(
                    name
                    for name, value in signature.operation.defaults.items()
                    if value is REQUIRED
                ),
            } - {*signature.fixed, *signature.defaults}
            keywords = [
                own
                for own in signature.parameters
                if own in signature.required
                or (signature.canonical.get(own, own) in wanted and own not in signature.ignored)
            ]
            if signature.constructor:
                keywords = list(signature.required)
            assert registry.bind(signature, 0, keywords) is not None, signature


@pytest.mark.parametrize(
    ("qualified", "path", "framework"),
    [
        ("tensorflow.compat.v1.log", "tensorflow.log", "tensorflow"),
        ("tensorflow.compat.v2.math.log", "tensorflow.math.log", "tensorflow"),
        ("tensorflow.keras.backend.log", "keras.backend.log", "keras"),
        ("tensorflow.compat.v1.keras.backend.log", "keras.backend.log", "keras"),
        ("tensorflow.python.keras.backend.log", "keras.backend.log", "keras"),
        ("tf_keras.backend.log", "keras.backend.log", "keras"),
        ("keras.src.ops.numpy.log", "keras.ops.log", "keras"),
        ("tensorflow.python.ops.math_ops.log", "tensorflow.math.log", "tensorflow"),
        ("tensorflow.python.ops.math_ops.cast", "tensorflow.cast", "tensorflow"),
        ("torch.nn.modules.activation.Softmax", "torch.nn.Softmax", "torch"),
        ("torch.Tensor.log", "torch.Tensor.log", "torch"),
        ("numpy.core.fromnumeric.sum", "numpy.sum", "numpy"),
        ("scipy.special.xlogy", "scipy.special.xlogy", "numpy"),
        ("flax.linen.softmax", "jax.nn.softmax", "jax"),
        ("flax.linen.Dense", "flax.linen.Dense", None),
        ("optax.adam", "optax.adam", "jax"),
        ("math.log", "math.log", "math"),
        ("builtins.abs", "builtins.abs", "math"),
        ("torch", "torch", "torch"),
        ("tensorflow.keras", "tensorflow.keras", "keras"),
    ],
)
def test_paths(qualified: str, path: str, framework: str | None) -> None:
    assert registry.canonical_path(qualified) == path
    assert registry.framework_of(qualified) == framework


def _names(found: tuple[Signature, ...]) -> list[str]:
    return [signature.operation.name for signature in found]


def test_functions() -> None:
    assert _names(registry.functions("torch.log")) == ["log"]
    assert _names(registry.functions("torch.Tensor.log")) == ["log"]
    assert _names(registry.functions("torch.max")) == ["max", "maximum"]
    assert _names(registry.functions("tensorflow.compat.v1.div")) == ["div"]
    assert registry.functions("torch.nowhere") == ()


def test_methods() -> None:
    assert {framework for framework, _ in registry.methods("sum")} == {"torch", "jax", "numpy"}
    assert {framework for framework, _ in registry.methods("log_")} == {"torch"}
    assert registry.methods("nowhere") == ()


@pytest.mark.parametrize(
    ("name", "framework", "generation", "first"),
    [
        ("log_softmax", "torch", None, "torch.log_softmax"),
        ("log_sigmoid", "torch", None, "torch.nn.functional.logsigmoid"),
        ("max", "torch", None, "torch.amax"),
        ("clip", "torch", None, "torch.clamp"),
        ("log_softmax", "tensorflow", "1", "tensorflow.nn.log_softmax"),
        ("log", "tensorflow", "1", "tensorflow.math.log"),
        ("softplus", "tensorflow", "2", "tensorflow.nn.softplus"),
        ("sigmoid", "tensorflow", "1", "tensorflow.sigmoid"),
        ("log_softmax", "keras", "3", "keras.ops.log_softmax"),
        ("log", "keras", "2", "keras.backend.log"),
        ("softplus", "keras", "2", "keras.activations.softplus"),
        ("logsumexp", "jax", None, "jax.nn.logsumexp"),
        ("log_softmax", "numpy", None, "scipy.special.log_softmax"),
        ("log1p", "math", None, "math.log1p"),
    ],
)
def test_what_a_fix_writes(name: str, framework: str, generation: str | None, first: str) -> None:
    found = registry.signatures(operation(name), framework, generation)
    assert found[0].name == first


def test_a_fix_finds_nothing_where_there_is_nothing() -> None:
    assert registry.signatures(operation("log_softmax"), "keras", "2") == ()
    assert registry.signatures(operation("log_softmax"), "math") == ()


def test_generation_of_a_name() -> None:
    assert registry.generation_of("tensorflow.log") == "1"
    assert registry.generation_of("tensorflow.compat.v1.reduce_sum") == "1"
    assert registry.generation_of("tensorflow.reduce_sum") == ""
    assert registry.generation_of("tensorflow.keras.backend.log") == "2"
    assert registry.generation_of("keras.ops.log") == "3"


def _first_binding(name: str, positional: int, *keywords: str) -> registry.Binding | None:
    for signature in registry.functions(name):
        bound = registry.bind(signature, positional, keywords)
        if bound is not None:
            return bound
    return None


@pytest.mark.parametrize(
    ("name", "positional", "keywords", "arguments", "settings"),
    [
        ("torch.softmax", 2, (), {"x": 0, "axis": 1}, {}),
        ("torch.softmax", 1, ("axis",), {"x": 0, "axis": "axis"}, {}),
        ("torch.Tensor.softmax", 1, ("dim",), {"x": 0, "axis": "dim"}, {}),
        ("torch.masked_fill", 3, (), {"y": 0, "condition": 1, "x": 2}, {}),
        ("torch.Tensor.masked_fill", 2, ("value",), {"y": 0, "condition": 1, "x": "value"}, {}),
        ("torch.clamp_min", 1, ("min",), {"x": 0, "min": "min"}, {}),
        ("torch.reciprocal", 1, (), {"y": 0}, {"x": 1}),
        ("torch.std", 2, (), {"x": 0, "axis": 1}, {"correction": 1}),
        ("torch.std", 1, ("unbiased",), {"x": 0, "correction": "unbiased"}, {}),
        ("torch.Tensor.float", 1, (), {"x": 0}, {"dtype": "float32"}),
        ("torch.Tensor.to", 2, ("non_blocking",), {"x": 0, "dtype": 1}, {}),
        ("torch.Tensor.view", 4, (), {"x": 0, "shape": 1}, {}),
        ("torch.Tensor.permute", 3, (), {"x": 0, "shape": 1}, {}),
        ("torch.rand", 3, ("device",), {"shape": 0}, {}),
        ("torch.where", 3, (), {"condition": 0, "x": 1, "y": 2}, {}),
        ("torch.nn.Softmax", 0, ("dim",), {"axis": "dim"}, {}),
        ("torch.nn.Softmax", 1, (), {"axis": 0}, {}),
        ("torch.nn.BCELoss", 0, ("reduction",), {"reduction": "reduction"}, {}),
        (
            "torch.autograd.grad",
            2,
            ("create_graph", "retain_graph"),
            {"target": 0, "sources": 1, "create_graph": "create_graph"},
            {},
        ),
        (
            "tensorflow.reduce_sum",
            1,
            ("reduction_indices", "keep_dims"),
            {"x": 0, "axis": "reduction_indices", "keepdims": "keep_dims"},
            {},
        ),
        ("tensorflow.nn.softmax", 1, ("name",), {"x": 0}, {"axis": -1}),
        ("tensorflow.nn.softmax", 1, ("dim",), {"x": 0, "axis": "dim"}, {}),
        ("tensorflow.to_float", 1, (), {"x": 0}, {"dtype": "float32"}),
        ("tensorflow.atan2", 2, (), {"x": 0, "y": 1}, {}),
        ("keras.backend.epsilon", 0, (), {}, {"value": 1e-7}),
        ("keras.backend.switch", 3, (), {"condition": 0, "x": 1, "y": 2}, {}),
        ("jax.random.uniform", 2, ("minval",), {"shape": 1, "low": "minval"}, {}),
        (
            "numpy.sum",
            1,
            ("axis", "keepdims"),
            {"x": 0, "axis": "axis", "keepdims": "keepdims"},
            {},
        ),
        ("numpy.arange", 1, (), {"stop": 0}, {}),
        ("numpy.arange", 2, (), {"start": 0, "stop": 1}, {}),
        ("builtins.max", 1, (), {"x": 0}, {}),
        ("builtins.max", 2, (), {"x": 0, "y": 1}, {}),
    ],
)
def test_binds(
    name: str,
    positional: int,
    keywords: tuple[str, ...],
    arguments: Mapping[str, int | str],
    settings: Mapping[str, object],
) -> None:
    bound = _first_binding(name, positional, *keywords)
    assert bound is not None
    assert dict(bound.arguments) == arguments
    assert dict(bound.settings) == settings


@pytest.mark.parametrize(
    ("name", "positional", "keywords"),
    [
        ("torch.where", 1, ()),
        ("tensorflow.where", 1, ()),
        ("torch.log", 2, ()),
        ("torch.log", 0, ()),
        ("torch.log", 1, ("out",)),
        ("torch.log", 1, ("input",)),
        ("torch.div", 2, ("rounding_mode",)),
        ("torch.sum", 1, ("dtype",)),
        ("torch.softmax", 2, ("axis",)),
        ("torch.sum", 1, ("dim", "axis")),
        ("torch.full", 1, ()),
        ("torch.logsumexp", 1, ()),
        ("torch.nn.functional.cross_entropy", 2, ("size_average",)),
        ("numpy.mean", 1, ("where",)),
        ("numpy.log", 1, ("out",)),
        ("math.log", 2, ()),
    ],
)
def test_leaves_a_call_opaque(name: str, positional: int, keywords: tuple[str, ...]) -> None:
    assert _first_binding(name, positional, *keywords) is None
