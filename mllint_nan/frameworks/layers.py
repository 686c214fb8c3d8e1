"""Where layers take their activation, and its default: TensorFlow's functions, Keras's classes.

>>> layer_call("tensorflow.layers.dense").activation
'activation'
>>> layer_call("tensorflow.contrib.layers.fully_connected").default
'tensorflow.nn.relu'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from mllint_nan.frameworks.registry import canonical_path

_RELU: Final = "tensorflow.nn.relu"


@dataclass(frozen=True, slots=True)
class LayerCall:
    """The keyword of the activation, its position among the arguments, and its default."""

    activation: str
    place: int
    default: str | None = None


_LAYERS: Final[Mapping[str, int]] = {
    "dense": 2,
    "conv1d": 7,
    "conv2d": 7,
    "conv3d": 7,
    "conv2d_transpose": 6,
    "conv3d_transpose": 6,
    "separable_conv1d": 8,
    "separable_conv2d": 8,
}
_CONTRIBUTED: Final[Mapping[str, int]] = {
    "fully_connected": 2,
    "relu": 2,
    "conv1d": 7,
    "conv2d": 7,
    "conv3d": 7,
    "convolution": 7,
    "convolution1d": 7,
    "convolution2d": 7,
    "convolution3d": 7,
    "conv2d_transpose": 6,
    "convolution2d_transpose": 6,
    "separable_conv2d": 8,
    "separable_convolution2d": 8,
}
_NORMALIZERS: Final[Mapping[str, int]] = {"batch_norm": 5, "layer_norm": 3}
_CALLS: Final[Mapping[str, LayerCall]] = {
    **{f"tensorflow.layers.{name}": LayerCall("activation", n) for name, n in _LAYERS.items()},
    **{
        f"tensorflow.contrib.layers.{name}": LayerCall("activation_fn", place, _RELU)
        for name, place in _CONTRIBUTED.items()
    },
    **{
        f"tensorflow.contrib.layers.{name}": LayerCall("activation_fn", place)
        for name, place in _NORMALIZERS.items()
    },
}

_CONVOLUTIONS: Final = (
    "Conv1D",
    "Conv2D",
    "Conv3D",
    "Convolution1D",
    "Convolution2D",
    "Convolution3D",
)
ACTIVATION_PLACES: Final[Mapping[str, int]] = {
    "Activation": 0,
    "Dense": 1,
    "EinsumDense": 2,
    "DepthwiseConv1D": 6,
    "DepthwiseConv2D": 6,
    **{f"{name}{suffix}": 7 for name in _CONVOLUTIONS for suffix in ("", "Transpose")},
    **{f"Separable{name}": 7 for name in _CONVOLUTIONS if "3" not in name},
}


def activation_place(qualified: str) -> int | None:
    """The position of the activation among the arguments of a layer class of Keras."""
    module, _, name = canonical_path(qualified).rpartition(".")
    return ACTIVATION_PLACES.get(name) if module == "keras.layers" else None


def layer_call(qualified: str) -> LayerCall | None:
    """How a function takes the activation of the layer that it creates and calls, if it is one."""
    return _CALLS.get(canonical_path(qualified))
