"""The names of an operation in a module of Keras."""

from __future__ import annotations

from collections.abc import Mapping

from mllint_nan.frameworks.signature import Signature, declare


def rows(
    operation: str,
    names: str,
    declaration: str,
    module: str,
    generation: str,
    *,
    defaults: Mapping[str, object] | None = None,
    fixed: Mapping[str, object] | None = None,
    render: bool = True,
) -> tuple[Signature, ...]:
    return declare(
        operation,
        " ".join(f"{module}.{name}" for name in names.split()),
        declaration,
        defaults=defaults or {},
        fixed=fixed or {},
        generation=generation,
        render=render,
    )


def pointwise(module: str, table: str, declaration: str, generation: str) -> tuple[Signature, ...]:
    return tuple(
        signature
        for line in table.strip().splitlines()
        for operation, names in [line.split(maxsplit=1)]
        for signature in rows(operation, names, declaration, module, generation)
    )
