"""The functions of einops: patterns that rearrange, repeat, reduce or contract a tensor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mllint_nan.flow.containers import is_container
from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.flow.names import TENSORS, Names
from mllint_nan.ir.term import Term, constant_of, peel

_VIEWS: Final[Mapping[str, str]] = {"rearrange": "reshape", "repeat": "broadcast"}
_REDUCTIONS: Final = frozenset(("sum", "mean", "max", "min", "prod"))
EINOPS: Final = frozenset(f"einops.{name}" for name in (*_VIEWS, "reduce", "einsum"))


def by_pattern(names: Names, site: object, path: str, arguments: Arguments) -> Term | None:
    """The result of a function of einops; `None` for a list of tensors, which it would stack.

    The axes of a reduction stay unknown: which ones a pattern names depends on the shape.
    """
    name = path.removeprefix("einops.")
    tensor = arguments.positional[0] if arguments.positional else arguments.keywords.get("tensor")
    if tensor is None or arguments.others or is_container(peel(tensor)):
        return None
    framework = _framework(names, tensor)
    if name in _VIEWS:
        return names.operation(_VIEWS[name], (tensor,), site, framework=framework)
    if name == "reduce":
        reduction = arguments.keywords.get("reduction", next(iter(arguments.positional[2:]), None))
        named = constant_of(reduction)
        if not isinstance(named, str) or named not in _REDUCTIONS:
            return None
        axes = {"axis": names.opaque("unknown", (), None)}
        return names.operation(named, (tensor,), site, axes, framework)
    *operands, pattern = arguments.positional
    if len(operands) != 2:
        return None
    return names.operation("einsum", (pattern, *operands), site, framework=framework)


def _framework(names: Names, tensor: Term) -> str | None:
    """The framework of the tensor, or else the only one of the file that has tensors."""
    found = peel(tensor).framework
    present = names.analysis.frameworks & TENSORS
    return found if found is not None or len(present) != 1 else next(iter(present))
