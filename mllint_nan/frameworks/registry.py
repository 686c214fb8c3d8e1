"""Every framework's table behind one door: from a qualified name to its spellings, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from mllint_nan.frameworks import jax, keras, numpy, tensorflow, torch
from mllint_nan.frameworks.origins import PREFIXES, REEXPORTS, ROOTS
from mllint_nan.frameworks.spelling import Spelling
from mllint_nan.ir.ops import CATALOGUE, REQUIRED, Operation

_PATHS_MOST: Final = 16_384
"""Qualified names of which an answer is kept."""
_CALLS_MOST: Final = 4096
"""Shapes of calls of which an answer is kept."""
_TABLES: Final[Mapping[str, tuple[Spelling, ...]]] = {
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


def _group(rows: Iterable[tuple[str, Spelling]]) -> Mapping[str, tuple[Spelling, ...]]:
    groups: dict[str, list[Spelling]] = {}
    for key, spelling in rows:
        groups.setdefault(key, []).append(spelling)
    return {key: tuple(group) for key, group in groups.items()}


_FUNCTIONS: Final = _group(
    (spelling.name, spelling)
    for table in _TABLES.values()
    for spelling in table
    if not spelling.method
)


def _methods() -> Mapping[str, tuple[tuple[str, Spelling], ...]]:
    groups: dict[str, list[tuple[str, Spelling]]] = {}
    for framework, table in _TABLES.items():
        for spelling in table:
            if spelling.method:
                groups.setdefault(spelling.name, []).append((framework, spelling))
    return {name: tuple(group) for name, group in groups.items()}


_METHODS: Final = _methods()

_EFFECT_TABLES: Final[Mapping[str, tuple[Spelling, ...]]] = {
    "torch": torch.EFFECTS,
    "tensorflow": tensorflow.EFFECTS,
    "keras": keras.EFFECTS,
    "jax": jax.EFFECTS,
}


def _effects() -> Mapping[tuple[str, bool], tuple[tuple[str, Spelling], ...]]:
    groups: dict[tuple[str, bool], list[tuple[str, Spelling]]] = {}
    for framework, table in _EFFECT_TABLES.items():
        for spelling in table:
            groups.setdefault((spelling.name, spelling.method), []).append((framework, spelling))
    return {name: tuple(group) for name, group in groups.items()}


_EFFECTS: Final = _effects()

_RENDERABLE: Final[Mapping[str, Mapping[str, tuple[Spelling, ...]]]] = {
    framework: _group(
        (spelling.operation.name, spelling)
        for spelling in (*table, *_EFFECT_TABLES.get(framework, ()))
        if spelling.render
    )
    for framework, table in _TABLES.items()
}


BEFORE_ONE: Final = "0"
"""The generation of TensorFlow before 1.0."""
_BEFORE_ONE: Final = {"tensorflow": tensorflow.BEFORE_ONE}
_SPELLED: Final = {
    framework: _group((spelling.operation.name, spelling) for spelling in table)
    for framework, table in _TABLES.items()
    if framework in _BEFORE_ONE
}


def spelled_functions() -> tuple[str, ...]:
    """The qualified names in the tables."""
    return tuple(_FUNCTIONS)


@lru_cache(_PATHS_MOST)
def canonical_path(qualified: str) -> str:
    """The one path under which the tables list `qualified`, whatever module it came from."""
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
    """Whether a name belongs to a TensorFlow before 1.0 alone."""
    return canonical_path(qualified) in tensorflow.GONE_WITH_ONE


def generation_of(qualified: str) -> str:
    """The generation of its framework that a name tells, or an empty string."""
    if qualified.startswith("tensorflow.compat.v1."):
        return "1"
    found = functions(qualified)
    return found[0].generation if found else ""


@lru_cache(_PATHS_MOST)
def functions(qualified: str) -> tuple[Spelling, ...]:
    """The spellings of a name that is no method of a tensor, in the order in which to bind them."""
    path = canonical_path(qualified)
    owner, _, name = path.rpartition(".")
    framework = _TENSOR_CLASSES.get(owner)
    if framework is not None:
        return tuple(spelling for home, spelling in methods(name) if home == framework)
    return _FUNCTIONS.get(path, ())


def methods(name: str) -> tuple[tuple[str, Spelling], ...]:
    """The tensor methods called `name`, each with its framework."""
    return _METHODS.get(name, ())


def effects(name: str, *, is_method: bool) -> tuple[tuple[str, Spelling], ...]:
    """The calls of a name that are made for what they do, each with its framework."""
    return _EFFECTS.get((name if is_method else canonical_path(name), is_method), ())


def spelling_of_effect(operation: Operation, framework: str) -> Spelling:
    """The first name of a call that is made for what it does."""
    table = _EFFECT_TABLES[framework]
    return next(spelling for spelling in table if spelling.operation is operation)


def spellings(
    operation: Operation, framework: str, generation: str | None = None
) -> tuple[Spelling, ...]:
    """What a fix may write for `operation`, best first, in one generation if it is given."""
    found = _RENDERABLE.get(framework, {}).get(operation.name, ())
    if generation is None:
        return found
    if generation == BEFORE_ONE:
        names = _BEFORE_ONE.get(framework, frozenset())
        return tuple(
            spelling
            for spelling in _SPELLED[framework].get(operation.name, ())
            if spelling.name in names
        )
    return tuple(spelling for spelling in found if spelling.generation in ("", generation))


def spellings_in_place(operation: Operation, framework: str) -> tuple[Spelling, ...]:
    """The methods that write the result of `operation` into their tensor, best first."""
    return tuple(
        spelling
        for spelling in _TABLES.get(framework, ())
        if spelling.inplace and spelling.method and spelling.operation is operation
    )


@dataclass(frozen=True, slots=True)
class Binding:
    """A call that fits a spelling.

    `arguments` says where each canonical parameter stands in the call: at a position (the
    receiver of a method is 0) or behind a keyword, as written. `settings` are the canonical
    parameters that the call does not pass but whose value the spelling gives.
    """

    spelling: Spelling
    arguments: Mapping[str, int | str]
    settings: Mapping[str, object]


def bind(spelling: Spelling, positional: int, keywords: Iterable[str]) -> Binding | None:
    """How a call with `positional` arguments and `keywords` fits `spelling`; `None`: not at all."""
    return _binding(spelling, positional, tuple(keywords))


def bind_effect(spelling: Spelling, positional: int, keywords: Iterable[str]) -> Binding | None:
    """The same of a call that is made for what it does, whatever else it is given."""
    keyword_only = len(spelling.keyword_only)
    most = len(spelling.parameters) - keyword_only if spelling.variadic else positional
    known = (*spelling.parameters, *spelling.aliases)
    return bind(spelling, min(positional, most), [one for one in keywords if one in known])


@lru_cache(_CALLS_MOST)
def _binding(spelling: Spelling, positional: int, keywords: tuple[str, ...]) -> Binding | None:
    passed = _passed(spelling, positional, keywords)
    if passed is None or any(own not in passed for own in spelling.required):
        return None
    arguments: dict[str, int | str] = {}
    for own, place in passed.items():
        if own in spelling.ignored:
            continue
        name = spelling.canonical.get(own, own)
        if name not in spelling.operation.parameters or name in arguments:
            return None
        arguments[name] = place
    settings = {
        name: value
        for name, value in (*spelling.defaults.items(), *spelling.fixed.items())
        if name not in arguments
    }
    if any(name not in arguments and name not in settings for name in _needed(spelling)):
        return None
    return Binding(spelling, arguments, settings)


def _passed(
    spelling: Spelling, positional: int, keywords: Sequence[str]
) -> dict[str, int | str] | None:
    accepted = spelling.parameters[: len(spelling.parameters) - len(spelling.keyword_only)]
    if positional > len(accepted) and not spelling.variadic:
        return None
    passed: dict[str, int | str] = dict(zip(accepted, range(positional), strict=False))
    for keyword in keywords:
        own = spelling.aliases.get(keyword, keyword)
        if own in passed or own not in spelling.parameters:
            return None
        passed[own] = keyword
    return passed


@cache
def _required_settings(operation: Operation) -> tuple[str, ...]:
    return tuple(name for name, value in operation.defaults.items() if value is REQUIRED)


def _needed(spelling: Spelling) -> tuple[str, ...]:
    operation = spelling.operation
    operands = () if spelling.constructor else operation.parameters[: operation.operands]
    return (*operands, *_required_settings(operation))


_USUAL_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "axis": ("dim",),
    "keepdims": ("keepdim",),
    "x": ("input", "a", "tensor"),
    "y": ("other", "b"),
}


def own_spellings(operations: Iterable[tuple[str, str]]) -> Mapping[str, Spelling]:
    """Functions of the user by qualified name, each with the name of what it computes.

    They take the operation's own parameters in its own order, by the names usual for them.
    """
    return {
        path: Spelling(
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
