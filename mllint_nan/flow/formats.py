"""The float format in which a term is computed, as far as the source shows it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import reduce
from math import isinf
from typing import Final

from mllint_nan.domains.dtype import FORMATS, canonical_name, is_integer, promote, round_to
from mllint_nan.ir.ops import bits_of
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
    INPUT,
    OPAQUE,
    QUALIFIED,
    SEQUENCE,
    Term,
    constant_of,
    number_of,
    peel,
    walk,
)

HALF: Final = "float16"
_CAST: Final = bits_of("cast")
_DOUBLE: Final = frozenset(("numpy", "math"))
_NAMES: Final = {
    "float16": "float16",
    "half": "float16",
    "HalfTensor": "float16",
    "bfloat16": "bfloat16",
    "float32": "float32",
    "single": "float32",
    "FloatTensor": "float32",
    "float64": "float64",
    "double": "float64",
    "float_": "float64",
    "DoubleTensor": "float64",
}
_PYTHON_FLOAT: Final = {"numpy": "float64", "torch": "float64", "math": "float64"}
"""By framework: the format that Python's `float` names; in others float32, as `torch.float`."""

_PYTHON_NUMBERS: Final = frozenset(("builtins.float", "builtins.int", "builtins.bool"))

_DEFAULTS: Final[Mapping[str, str]] = {
    "torch.set_default_dtype": "torch",
    "torch.set_default_tensor_type": "torch",
    "jax.config.update": "jax",
    "jax.config.config.update": "jax",
    "jax.experimental.enable_x64": "jax",
    "keras.backend.set_floatx": "keras",
    "keras.config.set_floatx": "keras",
}
"""Calls that set the default format, and the framework that they set it for."""
_POLICIES: Final = frozenset(
    (
        "keras.mixed_precision.set_global_policy",
        "keras.mixed_precision.set_dtype_policy",
        "keras.mixed_precision.experimental.set_policy",
        "keras.config.set_dtype_policy",
    )
)
"""Calls that set the format in which the layers of Keras compute."""
FORMAT_SETTERS: Final = frozenset(
    path.rpartition(".")[2] for path in (*_DEFAULTS, *_POLICIES) if not path.startswith("jax.")
)
"""The names of these functions."""
_MIXED_HALF: Final = "mixed_float16"
KERAS_LAYER: Final = re.compile(r"(^|\.)keras\.((models\.)?Model|layers\.\w+)$")
KERAS_LOSS: Final = re.compile(r"(^|\.)keras\.(losses\.)?Loss$")
_POLICY: Final = re.compile(r"[._]policy$|Policy$")
_PARAMETER: Final = re.compile(r"^call (torch\.nn\.|.*\.)?(Parameter|Buffer|Variable)$")
"""Calls that make a parameter or a variable of their first argument."""
_LARGEST: Final = FORMATS["float64"].max
_KERAS: Final = "tensorflow.keras."


def dtype_of(term: Term) -> str:
    """The float format of a term: what the source shows, else the default.

    The default is set by the program, or else by the framework.
    """
    found, default, frameworks = _shown(term)
    if found is not None:
        return found
    if default is not None:
        return default
    return "float64" if frameworks and frameworks <= _DOUBLE else "float32"


def shown(term: Term) -> str | None:
    """The float format that the source shows for a term, else `None`."""
    return _shown(term)[0]


def is_cast_to_half(term: Term) -> bool:
    """Whether a visible cast makes a term float16."""
    return bool(peel(term).inside & _CAST) and shown(term) == HALF


def sets_format(call: Term) -> bool:
    """Whether a call sets the format of everything that follows."""
    path = _path(call)
    return path in _DEFAULTS or path in _POLICIES


def default_format(entered: Iterable[Term], framework: str) -> str | None:
    """The default format of a framework, if the program sets one; innermost contexts first."""
    for call in entered:
        path, given = _path(call), peel(call).operands[1:]
        if _DEFAULTS.get(path) != framework:
            continue
        if framework != "jax":
            return next(filter(None, map(dtype_name, given)), None)
        named = constant_of(given[0]) if given else None
        if path.endswith("enable_x64") or named == "jax_enable_x64":
            is_wide = constant_of(given[-1]) is not False if given else True
            return "float64" if is_wide else None
    return None


def layer_format(entered: Iterable[Term]) -> str | None:
    """The format in which the layers of Keras compute, if the program sets one."""
    contexts = tuple(entered)
    for call in contexts:
        if _path(call) in _POLICIES:
            return policy_format(call)
    return default_format(contexts, "keras")


def sets_half(call: Term) -> bool:
    """Whether a call makes the layers of Keras compute in float16 from there on."""
    return _path(call) in _POLICIES and policy_format(call) == HALF


def policy_format(policy: Term) -> str | None:
    """The format in which layers with a policy, given by name or as an object, compute.

    If a setting chooses between several policies: float16, if that is one of them.
    """
    inner = peel(policy)
    if inner.operation is QUALIFIED:
        return dtype_name(inner)
    name: object = inner.detail if inner.operation is CONSTANT else None
    if inner.operation is OPAQUE and _POLICY.search(str(inner.detail)) is not None:
        names = [one for one in map(constant_of, walk(inner)) if isinstance(one, str)]
        first = names[0] if names else None
        name = _MIXED_HALF if _MIXED_HALF in names else first
    if not isinstance(name, str):
        return None
    return dtype_name(Term(CONSTANT, (), 0, detail=name.removeprefix("mixed_")))


def made_layer_format(layer: Term) -> str | None:
    """The format that `Dense(3, dtype="float16")` names; an empty string if it names none.

    `None` for a term that neither is a layer of Keras nor has a `dtype`.
    """
    inner = peel(layer)
    if "dtype" in inner.settings:
        return dtype_name(inner.settings["dtype"])
    if not is_made_layer(inner):
        return None
    return next(filter(None, map(dtype_name, inner.operands[1:])), "")


def is_made_layer(made: Term) -> bool:
    """Whether a call constructs a layer of Keras of which nothing else is known."""
    return _path(made).startswith("keras.layers.")


def _path(call: Term) -> str:
    """The qualified name of what is called, with Keras under its own name."""
    inner = peel(call)
    if inner.operation is not OPAQUE or not str(inner.detail).startswith("call "):
        return ""
    path = str(inner.detail).removeprefix("call ")
    return f"keras.{path.removeprefix(_KERAS)}" if path.startswith(_KERAS) else path


def dtype_name(term: Term | None, framework: str | None = None) -> str | None:
    """The format that `torch.half`, `"float16"` or `np.float16` names; else `None`."""
    if term is None:
        return None
    inner = peel(term)
    if not (inner.operation is CONSTANT and isinstance(inner.detail, str)) and (
        inner.operation is not QUALIFIED
    ):
        return None
    name = str(inner.detail)
    if name in ("float", "builtins.float"):
        return _PYTHON_FLOAT.get(framework or "", "float32")
    last = name.rpartition(".")[2]
    return "float32" if last == "float" else _NAMES.get(last)


def is_lost_in(number: float, name: str) -> bool:
    """Whether a number other than 0 is 0 in a format, or a finite one infinite."""
    rounded = round_to(number, name)
    return (rounded == 0) is not (number == 0) or isinf(rounded) is not isinf(number)


def masks_in_half(term: Term) -> bool:
    """Whether a float16 operation has an operand that is a number too large for that format."""
    # Few operands are such numbers: the format is found last, as all terms below decide it.
    return any(map(_is_too_large, term.operands)) and shown(term) == HALF


def _is_too_large(operand: Term) -> bool:
    number = number_or_default(operand)
    return number is not None and abs(number) > FORMATS[HALF].max and is_lost_in(number, HALF)


def number_or_default(term: Term) -> float | None:
    """The number that a term is, or that a parameter is by default."""
    inner = peel(term)
    is_open = inner.operation is INPUT and bool(inner.operands)
    number = number_of(inner.operands[0] if is_open else inner)
    return None if number is None or abs(number) > _LARGEST else float(number)


def gives_format(term: Term) -> Term | None:
    """What the value of an opaque term, such as a parameter of a model, has the format of."""
    if term.detail in ("update", "trained") or is_part_of_elements(term):
        return next(iter(term.operands), None)
    is_made = len(term.operands) > 1 and _PARAMETER.search(str(term.detail)) is not None
    return term.operands[1] if is_made else None


def is_part_of_elements(term: Term) -> bool:
    """Whether a term is an element of an unpacked list: `a, b = (f(t) for t in parts)`."""
    return (
        term.operation is OPAQUE
        and str(term.detail).startswith("part ")
        and peel(term.operands[0]).operation.name in ("collect", "split")
    )


def _shown(term: Term) -> tuple[str | None, str | None, frozenset[str]]:
    """The format that the source shows for a term, its default and the frameworks in it.

    They are kept with the term. The default is `None` unless the program sets one.
    """
    term = peel(term)
    pending = [term] if term.shown is None else []
    while pending:
        part = pending[-1]
        below = [child for child in map(peel, part.children()) if child.shown is None]
        if below and part.shown is None:
            pending += below
            continue
        pending.pop()
        if part.shown is None:
            part.shown = (_format_of(part), _default_of(part), _frameworks_in(part))
    assert term.shown is not None
    return term.shown


def _default_of(term: Term) -> str | None:
    """The default of the term itself, else that of its last child that has one."""
    if term.default is not None:
        return term.default
    return next(filter(None, (_shown(part)[1] for part in reversed((*term.children(),)))), None)


def _frameworks_in(term: Term) -> frozenset[str]:
    found = frozenset[str]((term.framework,)) if term.framework is not None else frozenset[str]()
    for child in term.children():
        inside = _shown(child)[2]
        found = found | inside if not inside <= found else found
    return found


def _format_of(term: Term) -> str | None:
    """The format that casts, constants and regions show; other operands adapt to these."""
    operation = term.operation
    if term.written is not None and term.written.path in _PYTHON_NUMBERS:
        return None  # adapts to what it is computed with
    if "dtype" in term.settings:
        setting = term.settings["dtype"]
        named = dtype_name(setting, term.framework)
        kind = canonical_name(str(peel(setting).detail))
        if named is not None or is_integer(kind) or kind in ("bool", "bool_"):
            return named
        found = _shown(setting)[0]
        if found is not None:
            return found
    if term.format is not None:  # float64 is left alone
        return "float64" if _joined(term.operands) == "float64" else term.format
    if operation is ATTRIBUTE:
        return _shown(term.operands[0])[0] if term.detail in ("dtype", "T", "data") else None
    if operation is CHOICE:
        found_by_path = [_shown(option)[0] for option in term.operands]
        return min(filter(None, found_by_path), key=_width, default=None)
    if operation is OPAQUE:
        giver = gives_format(term)
        return _shown(giver)[0] if giver is not None else None
    if operation.kind == "comparison" or (operation.kind == "leaf" and operation is not SEQUENCE):
        return None
    if operation.name in ("where", "einsum"):
        return _joined(term.operands[1:])
    if operation.kind == "view" and operation.name not in ("concat", "stack"):
        return _joined(term.operands[:1])
    return _joined(term.operands)


def _joined(operands: Iterable[Term]) -> str | None:
    shown = [found for operand in operands if (found := _shown(operand)[0]) is not None]
    return reduce(promote, shown) if shown else None


def _width(name: str) -> float:
    return FORMATS[name].precision * FORMATS[name].highest
