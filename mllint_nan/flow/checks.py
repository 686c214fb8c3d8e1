"""Calls that raise unless something holds, and the conditions that hold after them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.flow.names import Names
from mllint_nan.frameworks import registry
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.term import NOTHING, OPAQUE, REFERENCE, Term, held

_ASSERTIONS: Final = frozenset(
    (
        "torch._assert",
        "torch._assert_async",
        "torch._check",
        "tensorflow.Assert",
        "tensorflow.debugging.Assert",
        "jax.experimental.checkify.check",
    )
)
_COMPARED_WITH_ZERO: Final[Mapping[str, str]] = {
    "assert_positive": "gt",
    "assert_non_negative": "ge",
    "assert_negative": "lt",
    "assert_non_positive": "le",
    "assert_scalar_positive": "gt",
    "assert_scalar_non_negative": "ge",
    "assert_scalar_negative": "lt",
}
_COMPARED: Final[Mapping[str, str]] = {
    "assert_greater": "gt",
    "assert_greater_equal": "ge",
    "assert_less": "lt",
    "assert_less_equal": "le",
    "assert_none_equal": "ne",
}
_COMPARE: Final = ("tensorflow", "tensorflow.debugging", "chex")
_REFUSE: Final = frozenset(("equinox.error_if", "equinox.branched_error_if"))


def asserted(build: Builder, call: Term) -> Iterator[Term]:
    """Yield the conditions that hold after a call, because it raises otherwise."""
    if call.operation is not OPAQUE or len(call.operands) < 2:
        return
    path = registry.canonical_path(str(call.detail).removeprefix("call "))
    module, _, name = path.rpartition(".")
    if path in _ASSERTIONS:
        yield call.operands[1]
    elif module in _COMPARE and name in _COMPARED_WITH_ZERO:
        yield build.apply(_COMPARED_WITH_ZERO[name], call.operands[1], build.constant(0))
    elif module in _COMPARE and name in _COMPARED:
        yield build.apply(_COMPARED[name], *call.operands[1:3])


def passed_on(names: Names, site: object, path: str, arguments: Arguments) -> Term | None:
    """The result of `x = error_if(x, x == 0, "...")`: `x`; the condition is false from then on."""
    if path not in _REFUSE:
        return None
    given = dict(zip(("x", "pred"), arguments.positional, strict=False))
    given.update(arguments.keywords)
    x, refused = given.get("x"), given.get("pred")
    if x is None or refused is None:
        return None
    names.assume(refused, False)
    operands = (held(x), *arguments.everything())
    term = Term(REFERENCE, operands, x.key, site, NOTHING, x.framework, None)
    names.consume(term)
    return term
