"""The tables of signatures agree with the installed frameworks: names, parameters and values."""

from __future__ import annotations

import importlib
import inspect
import os
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

from mllint_nan.frameworks import jax, keras, numpy, registry, tensorflow, torch
from mllint_nan.frameworks.layers import ACTIVATION_PLACES
from mllint_nan.frameworks.members import TENSOR_MEMBERS
from mllint_nan.frameworks.signature import Signature
from tests.frameworks.tables import TABLES

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

special: Any = importlib.import_module("scipy.special")

pytestmark = pytest.mark.slow

# Names that no installed package has, or not any more.
BYGONE = {
    "tensorflow.batch_matmul",
    "tensorflow.contrib.layers.one_hot_encoding",
    "tensorflow.contrib.layers.softmax",
    "tensorflow.inv",
    "tensorflow.mul",
    "tensorflow.neg",
    "tensorflow.pack",
    "tensorflow.select",
    "tensorflow.sub",
    "keras.backend.logsumexp",
    # of a library that is not among the frameworks
    "sklearn.utils.check_array",
    "sklearn.utils.validation.check_array",
    "sklearn.utils.validation.validate_data",
}

# Keywords that only versions other than the installed ones accept.
BYGONE_KEYWORDS = {
    "alpha",
    "a_min",
    "a_max",
    "newshape",
    "t",
    "e",
    "input_shape",
    "dtype",
    "trainable",
    "force_all_finite",
}


@cache
def _module(name: str) -> Any:
    return importlib.import_module(name)


def _attribute(path: str) -> Any:
    """The object at a dotted path, whose packages may need an import of their own; or None."""
    parts = path.split(".")
    try:
        found: Any = _module(parts[0])
    except ImportError:
        return None
    for depth, part in enumerate(parts[1:], 2):
        if not hasattr(found, part):
            try:
                _module(".".join(parts[:depth]))
            except ImportError:
                return None
        found = getattr(found, part, None)
    return found


def _homes(framework: str, signature: Signature) -> list[str]:
    """Every installed path under which a signature may be found."""
    name = signature.name
    if signature.method:
        owners = {
            "torch": ["torch.Tensor"],
            "tensorflow": ["tensorflow.Tensor", "tensorflow.GradientTape"],
            "jax": ["jax.Array"],
            "numpy": ["numpy.ndarray"],
        }[framework]
        return [f"{owner}.{name}" for owner in owners]
    if framework == "tensorflow":
        rest = name.removeprefix("tensorflow.")
        homes = {"": ["", "compat.v1."], "1": ["compat.v1."], "2": [""]}[signature.generation]
        return [f"tensorflow.{home}{rest}" for home in homes]
    if framework == "keras" and signature.generation != "3":
        return [name, f"tensorflow.{name}"]
    return [name]


def _objects(framework: str, signature: Signature) -> list[Any]:
    found = [_attribute(path) for path in _homes(framework, signature)]
    if signature.method:
        # Some methods belong to a class that has no public name.
        found.append(getattr(_as_tensor(framework)(X), signature.name, None))
    return [each for each in found if each is not None]


@pytest.mark.parametrize("framework", TABLES)
def test_every_name_exists(framework: str) -> None:
    missing = [
        signature.name
        for signature in TABLES[framework]
        if signature.name not in BYGONE and not _objects(framework, signature)
    ]
    assert not missing, f"not in the installed {framework}; if in an earlier one, BYGONE: {missing}"


EFFECTS: Mapping[str, tuple[Signature, ...]] = {
    "torch": torch.EFFECTS,
    "tensorflow": tensorflow.EFFECTS,
    "keras": keras.EFFECTS,
    "jax": jax.EFFECTS,
}
# What belongs to libraries that are not installed, or to earlier versions.
ABSENT = {"jax.tree_map", "jax.config.config.update"}


@pytest.mark.parametrize("framework", EFFECTS)
def test_every_call_with_an_effect_exists(framework: str) -> None:
    missing = [
        signature.name
        for signature in EFFECTS[framework]
        if not signature.method
        and "lightning" not in signature.name
        and signature.name not in ABSENT
        and _attribute(signature.name) is None
    ]
    assert not missing, missing


def test_generations_of_tensorflow() -> None:
    wrong = []
    for signature in tensorflow.SPELLINGS:
        if signature.method or signature.name in BYGONE:
            continue
        rest = signature.name.removeprefix("tensorflow.")
        first = _attribute(f"tensorflow.compat.v1.{rest}") is not None
        second = _attribute(f"tensorflow.{rest}") is not None
        told = {"": (True, True), "1": (True, False), "2": (False, True)}[signature.generation]
        if (first, second) != told:
            wrong.append(signature.name)
    assert wrong == []


def _declaration_of(found: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(found)
    except (ValueError, TypeError):
        return None


def _own_names(signature: Signature, parameter: str) -> set[str]:
    return {parameter, *(other for other, own in signature.aliases.items() if own == parameter)}


@pytest.mark.parametrize("framework", TABLES)
def test_parameters_are_those_of_the_real_functions(framework: str) -> None:
    unknown = []
    for signature in TABLES[framework]:
        accepted: set[str] = set()
        free = False
        for found in _objects(framework, signature):
            declaration = _declaration_of(found)
            if declaration is None:
                free = True
                continue
            for parameter in declaration.parameters.values():
                accepted.add(parameter.name)
                # What is positional only has no name that a call could use.
                free |= parameter.kind is not parameter.KEYWORD_ONLY and (
                    parameter.kind is not parameter.POSITIONAL_OR_KEYWORD
                )
        if free or not accepted:
            continue
        understood = [
            own
            for own in signature.parameters
            if own in signature.ignored
            or signature.canonical.get(own, own) in signature.operation.parameters
        ]
        names = {name for own in understood for name in _own_names(signature, own)}
        names -= {"self", *BYGONE_KEYWORDS}
        if not names <= accepted:
            unknown.append((signature.name, sorted(names - accepted), sorted(accepted)))
    assert not unknown, "\n".join(map(str, unknown))


@pytest.mark.parametrize("framework", TABLES)
def test_positions_are_those_of_the_real_functions(framework: str) -> None:
    misplaced = []
    for signature in TABLES[framework]:
        orders = []
        for found in _objects(framework, signature):
            declaration = _declaration_of(found)
            if declaration is not None:
                order = [
                    each.name
                    for each in declaration.parameters.values()
                    if each.kind is each.POSITIONAL_OR_KEYWORD
                ]
                if len(order) == len(declaration.parameters):
                    orders.append(order[1:] if "self" in order[:1] else order)
        positional = signature.parameters[: len(signature.parameters) - len(signature.keyword_only)]
        if signature.method or signature.parameters[:1] == ("self",):
            positional = positional[1:]
        for position, parameter in enumerate(positional if orders else ()):
            there = {order[position] for order in orders if position < len(order)}
            own = _own_names(signature, parameter)
            if not there & own and not own & BYGONE_KEYWORDS:
                misplaced.append((signature.name, parameter, sorted(there)))
    # With one argument `arange` and `range` stop there; the table has a row for it.
    misplaced = [each for each in misplaced if "range" not in each[0]]
    assert not misplaced, "\n".join(map(str, misplaced))


# Values: what each operation means, once, in NumPy.

X = np.array([[0.2, 0.4, 0.6], [0.3, 0.5, 0.95], [0.7, 0.1, 0.8]], dtype=np.float32)
Y = np.array([[1.5, 0.3, 2.5], [0.7, 1.2, 0.4], [0.6, 2.1, 0.9]], dtype=np.float32)
SIGNED = (X - 0.45) * 4
FLAGS = X > 0.45


def _log_softmax(x: Any, axis: Any, dtype: Any = None) -> Any:
    return x - special.logsumexp(x, axis=axis, keepdims=True)


def _along(running: Callable[..., Any], x: Any, axis: Any, reverse: bool) -> Any:
    """A running sum or product, from the end with `reverse`."""
    return np.flip(running(np.flip(x, axis), axis), axis) if reverse else running(x, axis)


def _top(x: Any, size: int, axis: Any, largest: bool) -> Any:
    ascending = np.sort(x, -1 if axis is None else axis)
    ordered = np.flip(ascending, -1 if axis is None else axis) if largest else ascending
    return np.take(ordered, range(size), -1 if axis is None else axis)


def _norm(x: Any, axis: Any, keepdims: Any, ord: Any) -> Any:
    if axis is None:
        return np.linalg.norm(x.ravel(), ord)
    return np.linalg.norm(x, ord, axis, keepdims)


def _normalize(x: Any, axis: Any, ord: Any, epsilon: Any) -> Any:
    return x / _norm(x, axis, True, ord)


def _sigmoid_cross_entropy(labels: Any, logits: Any) -> Any:
    return np.maximum(logits, 0) - logits * labels + np.log1p(np.exp(-np.abs(logits)))


NAMED_AS_IN_NUMPY = """
    abs sign square sqrt cbrt floor ceil round exp exp2 expm1 log log2 log10 log1p
    sin cos tan sinh cosh tanh hypot copysign maximum minimum logaddexp
    logical_and logical_or logical_xor logical_not isnan isinf isfinite
    sum mean prod max min any all argmax argmin median
"""
NAMED_AS_IN_SCIPY = """
    erf erfc erfinv ndtr ndtri log_ndtr digamma logit xlogy xlog1py logsumexp
"""

REFERENCES: Mapping[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in NAMED_AS_IN_NUMPY.split()},
    **{name: getattr(special, name) for name in NAMED_AS_IN_SCIPY.split()},
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "floordiv": np.floor_divide,
    "mod": np.mod,
    "pow": np.power,
    "atan2": np.arctan2,
    "neg": np.negative,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "lgamma": special.gammaln,
    "sigmoid": special.expit,
    "log_sigmoid": special.log_expit,
    "softplus": lambda x, beta, threshold: np.logaddexp(0, beta * x) / beta,
    "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6),
    "silu": lambda x: x * special.expit(x),
    "gelu": lambda x: x * special.ndtr(x),
    "elu": lambda x: np.where(x > 0, x, np.expm1(x)),
    "leaky_relu": lambda x: x,
    "hard_sigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    "divide_no_nan": np.divide,
    "multiply_no_nan": np.multiply,
    "clip": lambda x, min, max: np.clip(
        x, -np.inf if min is None else min, np.inf if max is None else max
    ),
    "where": np.where,
    "nan_to_num": lambda x, nan, posinf, neginf: np.nan_to_num(x, nan=nan),
    "softmax": lambda x, axis, dtype=None: np.exp(_log_softmax(x, axis)),
    "log_softmax": _log_softmax,
    "cumsum": lambda x, axis, reverse: _along(np.cumsum, x, axis, reverse),
    "cumprod": lambda x, axis, reverse: _along(np.cumprod, x, axis, reverse),
    "logcumsumexp": lambda x, axis, reverse: np.log(_along(np.cumsum, np.exp(x), axis, reverse)),
    "normalize": _normalize,
    "sort": lambda x, axis: np.sort(x, axis),
    "topk": lambda x, size, axis, largest: _top(x, size, axis, largest),
    "count_nonzero": lambda x, axis, keepdims: np.count_nonzero(x, axis, keepdims=keepdims),
    "var": lambda x, axis, keepdims, correction: np.var(
        x, axis, ddof=correction, keepdims=keepdims
    ),
    "std": lambda x, axis, keepdims, correction: np.std(
        x, axis, ddof=correction, keepdims=keepdims
    ),
    "norm": _norm,
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "softmax_cross_entropy": lambda labels, logits, axis: (
        -np.sum(labels * _log_softmax(logits, axis), axis)
    ),
    "sigmoid_cross_entropy": _sigmoid_cross_entropy,
}

OF_BOTH_SIGNS = """
    neg abs sign square relu relu6 silu gelu elu softplus sigmoid log_sigmoid hard_sigmoid tanh
    softmax log_softmax logsumexp norm normalize
"""

SAMPLES: Mapping[str, tuple[Any, ...]] = {
    **dict.fromkeys(OF_BOTH_SIGNS.split(), (SIGNED,)),
    **dict.fromkeys(["any", "all", "logical_not", "count_nonzero"], (FLAGS,)),
    **dict.fromkeys(["logical_and", "logical_or", "logical_xor"], (FLAGS, ~FLAGS.T)),
    "acosh": (X + 1,),
    "where": (FLAGS, X, Y),
    "nan_to_num": (np.where(FLAGS, X, np.float32("nan")),),
    "softmax_cross_entropy": (np.eye(3, dtype=np.float32), SIGNED),
}

SETTINGS: Mapping[str, Any] = {
    "axis": 1,
    "keepdims": True,
    "ord": 2,
    "correction": 1,
    "min": 0.3,
    "max": 0.5,
    "beta": 2.0,
    "threshold": 30.0,
    "nan": 0.5,
    "epsilon": 1e-12,
    "size": 2,
    "largest": False,
}

# Without `dim` these choose an axis by the rank.
CHOOSES_AN_AXIS = {"torch.nn.functional.softmax", "torch.nn.functional.log_softmax"}
# Keras 2 has another slope.
OTHER_VALUES = {"keras.backend.hard_sigmoid"}


def _operands(signature: Signature) -> tuple[Any, ...]:
    if "masked_fill" in signature.name:
        return (FLAGS, np.float32(7), Y)
    return SAMPLES.get(signature.operation.name, (X, Y)[: signature.operation.operands])


def _as_tensor(framework: str) -> Callable[[Any], Any]:
    if framework == "torch":
        return lambda value: _module("torch").from_numpy(np.array(value))
    if framework in ("tensorflow", "keras"):
        return lambda value: _module("tensorflow").constant(value)
    if framework == "jax":
        return lambda value: _module("jax.numpy").asarray(value)
    return lambda value: value


def _rows(*, inplace: bool = False) -> Iterator[tuple[str, Signature]]:
    for framework, table in TABLES.items():
        for signature in table:
            if (
                signature.operation.kind in ("elementwise", "along", "reduction", "comparison")
                and signature.operation.pure
                and (signature.inplace if inplace else signature.render)
                and signature.name not in OTHER_VALUES
                and framework != "math"
            ):
                yield framework, signature


def _id(signature: Signature) -> str:
    return f"{signature.name}{'()' * signature.method}:{signature.operation.name}"


def _arguments(
    signature: Signature, settings: Mapping[str, Any], convert: Callable[[Any], Any]
) -> tuple[list[Any], dict[str, Any], Mapping[str, Any]]:
    """The call of a signature with the sample, and what the canonical parameters then are."""
    meaning = signature.operation
    values = {
        **dict(zip(meaning.parameters, _operands(signature), strict=False)),
        **settings,
    }
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    contiguous = True
    meant: dict[str, Any] = {}
    for own in signature.parameters:
        name = signature.canonical.get(own, own)
        if own in signature.ignored or name not in values:
            contiguous = False
            continue
        value = values[name]
        meant[name] = value
        operand = name in meaning.parameters[: meaning.operands]
        if operand and contiguous:
            positional.append(convert(value))
        else:
            keywords[own] = convert(value) if operand else value
    bound = registry.bind(signature, len(positional), list(keywords))
    assert bound is not None
    assert set(bound.arguments) == set(meant)
    return positional, keywords, {**meaning.defaults, **bound.settings, **meant}


def _check(signature: Signature, result: Any, meant: Mapping[str, Any]) -> None:
    if (signature.pair or signature.pair_with_axis) and isinstance(result, tuple):
        result = result[0]
    names = signature.operation.parameters
    operands = [meant[name] for name in names[: signature.operation.operands]]
    rest = {name: meant[name] for name in names[signature.operation.operands :]}
    name = signature.operation.name
    assert name in REFERENCES, f"REFERENCES of this file has no function that computes {name}"
    expected = REFERENCES[name](*operands, **rest)
    tolerance = 2e-3 if name == "gelu" else 2e-5
    np.testing.assert_allclose(
        np.asarray(result, dtype=float),
        np.asarray(expected, dtype=float),
        rtol=tolerance,
        atol=tolerance,
    )


def _required(signature: Signature) -> dict[str, Any]:
    names = [signature.canonical.get(own, own) for own in signature.required]
    return {name: SETTINGS[name] for name in names}


@pytest.mark.parametrize("full", [False, True], ids=["least", "full"])
@pytest.mark.parametrize("framework", sorted({framework for framework, _ in _rows()}))
def test_spellings_compute_their_operations(
    framework: str, full: bool, subtests: pytest.Subtests
) -> None:
    for of, signature in _rows():
        if of == framework and (full or signature.name not in CHOOSES_AN_AXIS):
            with subtests.test(_id(signature)):
                _computes_its_operation(framework, signature, full)


def _computes_its_operation(framework: str, signature: Signature, full: bool) -> None:
    settings = {
        name: value
        for name, value in SETTINGS.items()
        if name in signature.operation.parameters[signature.operation.operands :]
    }
    if not full:
        settings = _required(signature)
        if signature.operation.name == "clip" and not settings:
            settings = {"min": 0.3, "max": 0.5}
    positional, keywords, meant = _arguments(signature, settings, _as_tensor(framework))
    if signature.method:
        result = getattr(positional[0], signature.name)(*positional[1:], **keywords)
    else:
        result = _objects(framework, signature)[-1 if signature.generation == "2" else 0](
            *positional, **keywords
        )
    _check(signature, result, meant)


def test_torch_accepts_every_keyword() -> None:
    """Its functions have no signature to read, so each name is tried in a call."""
    for signature in torch.SPELLINGS:
        if (
            not signature.render
            or signature.operation.kind not in ("elementwise", "along", "reduction", "comparison")
            or not signature.operation.pure
        ):
            continue
        settings = {
            name: value
            for name, value in SETTINGS.items()
            if name in signature.operation.parameters[signature.operation.operands :]
        }
        _, _, meant = _arguments(signature, settings, _as_tensor("torch"))
        tensors = signature.operation.parameters[: signature.operation.operands]
        given = {
            own: _as_tensor("torch")(meant[name]) if name in tensors else meant[name]
            for own in signature.parameters
            if (name := signature.canonical.get(own, own)) in {*settings, *tensors}
        }
        for written, own in {**{own: own for own in given}, **signature.aliases}.items():
            call = {written if name == own else name: value for name, value in given.items()}
            if signature.method:
                receiver = call.pop(signature.parameters[0])
                result = getattr(receiver, signature.name)(**call)
            else:
                result = _objects("torch", signature)[0](**call)
            _check(signature, result, meant)


def test_in_place_the_receiver_holds_the_result(subtests: pytest.Subtests) -> None:
    for framework, signature in _rows(inplace=True):
        if framework == "torch":
            with subtests.test(_id(signature)):
                _receiver_holds_the_result(framework, signature)


def _receiver_holds_the_result(framework: str, signature: Signature) -> None:
    positional, keywords, meant = _arguments(
        signature, {"min": 0.3, "max": 0.5, "axis": 1}, _as_tensor(framework)
    )
    if "self" not in signature.parameters[:1] and signature.method:
        pytest.fail("the receiver comes first")
    receiver = positional[0] if positional else keywords.pop("self")
    if signature.method:
        getattr(receiver, signature.name)(*positional[1:], **keywords)
    else:
        _objects(framework, signature)[0](*positional, **keywords)
    _check(signature, receiver, meant)


def test_a_layer_applies_the_operation() -> None:
    for signature in torch.SPELLINGS:
        if signature.constructor and signature.operation.kind in ("elementwise", "along"):
            settings = {
                own: SETTINGS[name]
                for own in signature.parameters
                if (name := signature.canonical.get(own, own)) in SETTINGS
            }
            bound = registry.bind(signature, 0, list(settings))
            assert bound is not None
            meant = {
                **signature.operation.defaults,
                **bound.settings,
                **{name: settings[str(own)] for name, own in bound.arguments.items()},
            }
            layer = _objects("torch", signature)[0](**settings)
            sample = _operands(signature)[0]
            if signature.name.endswith("2d"):
                sample = np.stack([sample, sample * 2])
            _check(signature, layer(_as_tensor("torch")(sample)), {**meant, "x": sample})


def test_scalar_functions() -> None:
    for signature in numpy.MATH_SPELLINGS:
        if signature.scalar_only and signature.operation.kind in ("elementwise", "comparison"):
            values = [float(each.flat[0]) for each in _operands(signature)]
            by_name = dict(zip(signature.operation.parameters, values, strict=True))
            call = [by_name[signature.canonical.get(own, own)] for own in signature.parameters]
            _check(signature, _attribute(signature.name)(*call), by_name)


def test_members_of_tensors_are_those_of_the_installed_frameworks() -> None:
    import jax.numpy as jnp
    import keras as keras_itself
    import tensorflow as tf
    import torch as torch_itself

    examples = (
        torch_itself.nn.Parameter(torch_itself.zeros(1)),
        np.zeros(1),
        np.float32(1),
        jnp.zeros(1),
        tf.zeros(1),
        tf.Variable(0.0),
        keras_itself.Variable(0.0),
        keras_itself.KerasTensor((1,)),
    )
    names = {name for example in examples for name in dir(example) if not name.startswith("_")}
    assert not names - TENSOR_MEMBERS


@pytest.mark.parametrize("name", ACTIVATION_PLACES)
def test_layers_take_their_activation_at_this_position(name: str) -> None:
    layer = getattr(importlib.import_module("keras").layers, name)
    _, *parameters = inspect.signature(layer.__init__).parameters
    assert parameters.index("activation") == ACTIVATION_PLACES[name]
