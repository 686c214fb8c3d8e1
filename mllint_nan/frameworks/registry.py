"""One interface to every framework's table: from a qualified name to its signatures, and back."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from mllint_nan.frameworks import jax, keras, numpy, tensorflow, torch
from mllint_nan.frameworks.origins import PREFIXES, REEXPORTS, ROOTS
from mllint_nan.frameworks.signature import Signature
from mllint_nan.ir.ops import CATALOGUE, REQUIRED, Operation

_PATHS_MOST: Final = 16_384
"""The most qualified names whose answer is cached."""
_CALLS_MOST: Final = 4096
"""The most shapes of calls whose answer is cached."""
_TABLES: Final[Mapping[str, tuple[Signature, ...]]] = {
    "torch": torch.SPELLINGS,
    "tensorflow": tensorflow.SPELLINGS,
    "keras": keras.SPELLINGS,
    "jax": jax.SPELLINGS,
    "numpy": numpy.SPELLINGS,
    "math": numpy.MATH_SPELLINGS,
}

FRAMEWORKS: Final[tuple[str, ...]] = tuple(_TABLES)

# The classes whose methods may be called as functions.
_TENSOR_CLASSES: Final[Mapping[str, str]] = {
    "torch.Tensor": "torch",
    "tensorflow.Tensor": "tensorflow",
    "jax.Array": "jax",
    "jax.numpy.ndarray": "jax",
    "numpy.ndarray": "numpy",
}


def _group(rows: Iterable[tuple[str, Signature]]) -> Mapping[str, tuple[Signature, ...]]:
    groups: dict[str, list[Signature]] = {}
    for key, signature in rows:
        groups.setdefault(key, []).append(signature)
    return {key: tuple(group) for key, group in groups.items()}


_FUNCTIONS: Final = _group(
    (signature.name, signature)
    for table in _TABLES.values()
    for signature in table
    if not signature.method
)


def _methods() -> Mapping[str, tuple[tuple[str, Signature], ...]]:
    groups: dict[str, list[tuple[str, Signature]]] = {}
    for framework, table in _TABLES.items():
        for signature in table:
            if signature.method:
                groups.setdefault(signature.name, []).append((framework, signature))
    return {name: tuple(group) for name, group in groups.items()}


_METHODS: Final = _methods()

_EFFECT_TABLES: Final[Mapping[str, tuple[Signature, ...]]] = {
    "torch": torch.EFFECTS,
    "tensorflow": tensorflow.EFFECTS,
    "keras": keras.EFFECTS,
    "jax": jax.EFFECTS,
    "numpy": numpy.EFFECTS,
}


def _effects() -> Mapping[tuple[str, bool], tuple[tuple[str, Signature], ...]]:
    groups: dict[tuple[str, bool], list[tuple[str, Signature]]] = {}
    for framework, table in _EFFECT_TABLES.items():
        for signature in table:
            groups.setdefault((signature.name, signature.method), []).append((framework, signature))
    return {name: tuple(group) for name, group in groups.items()}


_EFFECTS: Final = _effects()

_RENDERABLE: Final[Mapping[str, Mapping[str, tuple[Signature, ...]]]] = {
    framework: _group(
        (signature.operation.name, signature)
        for signature in (*table, *_EFFECT_TABLES.get(framework, ()))
        if signature.render
    )
    for framework, table in _TABLES.items()
}


BEFORE_ONE: Final = "0"
"""The generation of TensorFlow before version 1.0."""
_BEFORE_ONE: Final = {"tensorflow": tensorflow.BEFORE_ONE}
_SPELLED: Final = {
    framework: _group((signature.operation.name, signature) for signature in table)
    for framework, table in _TABLES.items()
    if framework in _BEFORE_ONE
}


def _spelled() -> frozenset[str]:
    effects = (name for name, _ in _EFFECTS)
    names = {path.rpartition(".")[2] for path in (*_FUNCTIONS, *_METHODS, *effects)}
    return frozenset(names.difference(dir(builtins), dir(dict)))


SPELLED: Final = _spelled()
"""The last parts of the names in the tables, except those of built-in functions and of `dict`."""


def known_functions() -> tuple[str, ...]:
    """The qualified names of the functions in the tables."""
    return tuple(_FUNCTIONS)


@lru_cache(_PATHS_MOST)
def canonical_path(qualified: str) -> str:
    """The path under which the tables list `qualified`, whatever module it was imported from."""
    for prefix, replacement in PREFIXES:
        if qualified.startswith(prefix):
            qualified = replacement + qualified.removeprefix(prefix)
    name = qualified.rpartition(".")[2]
    for prefix, homes in REEXPORTS:
        if qualified.startswith(prefix):
            return next((home + name for home in homes if home + name in _FUNCTIONS), qualified)
    return qualified


@lru_cache(_PATHS_MOST)
def framework_of(qualified: str) -> str | None:
    """The framework to which a qualified name belongs."""
    # With a dot, the name of a whole module is a prefix too.
    module = ROOTS.get(canonical_path(qualified + ".").partition(".")[0])
    return module or ROOTS.get(canonical_path(qualified).partition(".")[0])


def is_before_one(qualified: str) -> bool:
    """Whether only TensorFlow before 1.0 has this name."""
    return canonical_path(qualified) in tensorflow.GONE_WITH_ONE


def generation_of(qualified: str) -> str:
    """The generation of its framework that a name implies, or an empty string."""
    if qualified.startswith("tensorflow.compat.v1."):
        return "1"
    found = functions(qualified)
    return found[0].generation if found else ""


@lru_cache(_PATHS_MOST)
def functions(qualified: str) -> tuple[Signature, ...]:
    """The signatures of a function, or of a tensor class's method by its qualified name.

    They are in the order in which they are tried.
    """
    path = canonical_path(qualified)
    owner, _, name = path.rpartition(".")
    framework = _TENSOR_CLASSES.get(owner)
    if framework is not None:
        return tuple(signature for home, signature in methods(name) if home == framework)
    return _FUNCTIONS.get(path, ())


def methods(name: str) -> tuple[tuple[str, Signature], ...]:
    """The tensor methods called `name`, each with its framework."""
    return _METHODS.get(name, ())


def effects(name: str, *, is_method: bool) -> tuple[tuple[str, Signature], ...]:
    """The calls of this name that are made for their side effect, each with its framework."""
    return _EFFECTS.get((name if is_method else canonical_path(name), is_method), ())


def signature_of_effect(operation: Operation, framework: str) -> Signature:
    """The first signature of a call that is made for its side effect."""
    table = _EFFECT_TABLES[framework]
    return next(signature for signature in table if signature.operation is operation)


def signatures(
    operation: Operation, framework: str, generation: str | None = None
) -> tuple[Signature, ...]:
    """What a fix may write for `operation`, best first; only of `generation`, if it is given."""
    found = _RENDERABLE.get(framework, {}).get(operation.name, ())
    if generation is None:
        return found
    if generation == BEFORE_ONE:
        names = _BEFORE_ONE.get(framework, frozenset())
        return tuple(
            signature
            for signature in _SPELLED[framework].get(operation.name, ())
            if signature.name in names
        )
    return tuple(signature for signature in found if signature.generation in ("", generation))


_OLDER: Final = {"torch": torch.OLDER, "jax": jax.OLDER}


def older_signatures(
    operation: Operation, framework: str, generation: str | None
) -> tuple[Signature, ...]:
    """The signatures to write if an old version has none of `signatures`, best first."""
    listed = (one for one in _OLDER.get(framework, ()) if one.operation is operation)
    if framework != "tensorflow" or generation != "1":
        return tuple(listed)
    # `tf.log1p` is older than `tf.math.log1p`, and TensorFlow 2 has removed it.
    spelled = _SPELLED[framework].get(operation.name, ())
    first = (one for one in spelled if one.generation == "1" and one.name.count(".") == 1)
    return (*listed, *(one for one in first if one.name not in tensorflow.GONE_WITH_ONE))


def signatures_in_place(operation: Operation, framework: str) -> tuple[Signature, ...]:
    """The methods that write the result of `operation` into their tensor, best first."""
    return tuple(
        signature
        for signature in _TABLES.get(framework, ())
        if signature.inplace and signature.method and signature.operation is operation
    )


@dataclass(frozen=True, slots=True)
class Binding:
    """A call that fits a signature.

    `arguments` gives the place of each canonical parameter in the call: a position (the receiver of
    a method is 0) or a keyword, as written. `settings` are the canonical parameters that the call
    does not pass but whose value the signature determines.
    """

    signature: Signature
    arguments: Mapping[str, int | str]
    settings: Mapping[str, object]


def bind(signature: Signature, positional: int, keywords: Iterable[str]) -> Binding | None:
    """How `positional` arguments and `keywords` fit `signature`; `None` if they do not."""
    return _binding(signature, positional, tuple(keywords))


def bind_effect(signature: Signature, positional: int, keywords: Iterable[str]) -> Binding | None:
    """Like `bind`, for a call that is made for its side effect: unknown arguments are ignored."""
    keyword_only = len(signature.keyword_only)
    most = len(signature.parameters) - keyword_only if signature.variadic else positional
    known = (*signature.parameters, *signature.aliases)
    return bind(signature, min(positional, most), [one for one in keywords if one in known])


@lru_cache(_CALLS_MOST)
def _binding(signature: Signature, positional: int, keywords: tuple[str, ...]) -> Binding | None:
    passed = _passed(signature, positional, keywords)
    if passed is None or any(own not in passed for own in signature.required):
        return None
    arguments: dict[str, int | str] = {}
    for own, place in passed.items():
        if own in signature.ignored:
            continue
        name = signature.canonical.get(own, own)
        if name not in signature.operation.parameters or name in arguments:
            return None
        arguments[name] = place
    settings = {
        name: value
        for name, value in (*signature.defaults.items(), *signature.fixed.items())
        if name not in arguments
    }
    if any(name not in arguments and name not in settings for name in _needed(signature)):
        return None
    return Binding(signature, arguments, settings)


def _passed(
    signature: Signature, positional: int, keywords: Sequence[str]
) -> dict[str, int | str] | None:
    accepted = signature.parameters[: len(signature.parameters) - len(signature.keyword_only)]
    if positional > len(accepted) and not signature.variadic:
        return None
    passed: dict[str, int | str] = dict(zip(accepted, range(positional), strict=False))
    for keyword in keywords:
        own = signature.aliases.get(keyword, keyword)
        if own in passed or own not in signature.parameters:
            return None
        passed[own] = keyword
    return passed


@cache
def _required_settings(operation: Operation) -> tuple[str, ...]:
    return tuple(name for name, value in operation.defaults.items() if value is REQUIRED)


def _needed(signature: Signature) -> tuple[str, ...]:
    operation = signature.operation
    operands = () if signature.constructor else operation.parameters[: operation.operands]
    return (*operands, *_required_settings(operation))


_USUAL_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "axis": ("dim",),
    "keepdims": ("keepdim",),
    "x": ("input", "a", "tensor"),
    "y": ("other", "b"),
}


def own_signatures(operations: Iterable[tuple[str, str]]) -> Mapping[str, Signature]:
    """The signatures of a user's functions, from pairs of a qualified name and an operation.

    They take the operation's own parameters in its own order, or by their usual names.
    """
    return {
        path: Signature(
            CATALOGUE[name],
            path,
            CATALOGUE[name].parameters,
            aliases={
                other: parameter
                for parameter in CATALOGUE[name].parameters
                for other in _USUAL_NAMES.get(parameter, ())
                if other not in CATALOGUE[name].parameters
            },
            render=False,
        )
        for path, name in operations
    }


def members(module: str) -> tuple[str, ...]:
    """The names in the tables that `from module import *` binds."""
    prefix = canonical_path(f"{module}.")
    return tuple(
        name.removeprefix(prefix)
        for name in _FUNCTIONS
        if name.startswith(prefix) and "." not in name.removeprefix(prefix)
    )
