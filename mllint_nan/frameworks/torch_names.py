"""Signatures of an operation in PyTorch: of functions, methods, in-place methods and layers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mllint_nan.frameworks.signature import Signature, declare

AXIS: Final = "axis=dim|axis"
KEEPDIMS: Final = "keepdims=keepdim|keepdims"
FACTORY: Final = "-device -layout -requires_grad -pin_memory -memory_format"


def function(
    operation: str,
    names: str,
    declaration: str,
    *,
    render: bool = True,
    fixed: Mapping[str, object] | None = None,
    pair_with_axis: bool = False,
    pair: bool = False,
    leaves_nan_out: bool = False,
) -> tuple[Signature, ...]:
    """The functions `names`, whose first parameter is `input`, and the methods of these names."""
    return (
        *declare(
            operation,
            " ".join(f"torch.{name}" for name in names.split()),
            declaration,
            render=render,
            fixed=fixed or {},
            pair_with_axis=pair_with_axis,
            pair=pair,
            leaves_nan_out=leaves_nan_out,
        ),
        *method(
            operation,
            names,
            declaration.replace("=input", "=self", 1),
            render=render,
            fixed=fixed or {},
            pair_with_axis=pair_with_axis,
            pair=pair,
            leaves_nan_out=leaves_nan_out,
        ),
    )


def method(
    operation: str,
    names: str,
    declaration: str,
    *,
    render: bool = True,
    pair_with_axis: bool = False,
    pair: bool = False,
    fixed: Mapping[str, object] | None = None,
    leaves_nan_out: bool = False,
) -> tuple[Signature, ...]:
    return declare(
        operation,
        names,
        declaration,
        method=True,
        render=render,
        pair_with_axis=pair_with_axis,
        pair=pair,
        leaves_nan_out=leaves_nan_out,
        fixed=fixed or {},
    )


def inplace(
    operation: str, names: str, declaration: str, fixed: Mapping[str, object] | None = None
) -> tuple[Signature, ...]:
    return declare(operation, names, declaration, method=True, inplace=True, fixed=fixed or {})


def unary(operation: str, names: str = "", special: str = "") -> tuple[Signature, ...]:
    """A pointwise function of one tensor: function, method and in-place method."""
    names = names or operation
    return (
        *declare(operation, " ".join(f"torch.{name}" for name in names.split()), "x=input"),
        *declare(
            operation, " ".join(f"torch.special.{name}" for name in special.split()), "x=input"
        ),
        *method(operation, names, "x=self"),
        *inplace(operation, " ".join(f"{name}_" for name in names.split()), "x=self"),
    )


def binary(operation: str, names: str = "", y: str = "other") -> tuple[Signature, ...]:
    """A pointwise function of two tensors: function, method and in-place method."""
    names = names or operation
    return (
        *function(operation, names, f"x=input y={y}"),
        *inplace(operation, " ".join(f"{name}_" for name in names.split()), f"x=self y={y}"),
    )


def cast(dtype: str, names: str) -> tuple[Signature, ...]:
    return method("cast", names, "x=self * -memory_format", fixed={"dtype": dtype})


def layer(
    operation: str,
    names: str,
    declaration: str = "",
    defaults: Mapping[str, object] | None = None,
) -> tuple[Signature, ...]:
    return declare(
        operation,
        " ".join(f"torch.nn.{name}" for name in names.split()),
        declaration,
        constructor=True,
        defaults=defaults or {},
    )
