"""The names and signatures of a framework's canonical operations, read in both directions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from mllint_nan.ir.ops import CATALOGUE, Operation

_NOTHING: Final[Mapping[str, object]] = {}


@dataclass(frozen=True, slots=True, eq=False)
class Signature:
    """One public name of an operation.

    `name` is the qualified name: `torch.softmax`, `tensorflow.nn.softmax`, `jax.numpy.log`; a
    method of the framework's tensors has its plain name (`softmax`) and `method=True`, and its
    receiver is the first of `parameters`.

    `parameters` are the framework's own names in positional order. `canonical` gives the canonical
    parameter of each one that has another name there (`{"dim": "axis"}`). Those in `ignored` change
    neither value nor shape (`name`; `out` is not one of them). A call is opaque if it passes a name
    that is neither a canonical parameter, nor renamed, nor ignored. Names from `keyword_only` on
    are not accepted positionally. `aliases` are further keywords for one of `parameters`
    (`reduction_indices` for `axis`). `required` are settings without which the call fails (`dim` of
    `torch.logsumexp`); `blank` ones must be passed too, but may be None (`a_max` of `numpy.clip`).
    `variadic=True`: the last positional parameter takes all further positional arguments
    (`x.view(2, 3)`).

    `fixed` settings are implied by the name (`clamp_min` has no `max`; `reciprocal` divides 1).
    `defaults` are the canonical settings of a call that does not pass them, if they differ
    from the operation's (`axis` of `tensorflow.nn.softmax` is -1).
    `generation` is set for a name that only one generation of the framework has: TensorFlow "1"
    or "2", Keras "2" (`keras.backend`) or "3" (`keras.ops`).
    `constructor=True`: calling the name returns a layer, and calling the layer applies the
    operation to its argument; `call` lists the canonical operands in the order in which the
    layer takes them, if it differs from the operation's.
    `pair=True`: the result is a pair, (values, indices); `pair_with_axis=True`: with an axis.
    `inplace=True`: the receiver (first argument) holds the result afterwards.
    `render=False`: understood, but never written by a fix.
    `leaves_nan_out=True`: the operation is applied to what is not NaN.
    `scalar_only=True`: works on Python scalars, as in `math`.
    `by_position=True`: a fix writes the settings without their names.
    `extra`: a further argument that a fix writes.
    """

    operation: Operation
    name: str
    parameters: tuple[str, ...]
    canonical: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    keyword_only: tuple[str, ...] = ()
    ignored: frozenset[str] = frozenset()
    required: tuple[str, ...] = ()
    blank: tuple[str, ...] = ()
    fixed: Mapping[str, object] = field(default_factory=dict)
    defaults: Mapping[str, object] = field(default_factory=dict)
    generation: str = ""
    call: tuple[str, ...] = ()
    variadic: bool = False
    pair_with_axis: bool = False
    pair: bool = False
    method: bool = False
    constructor: bool = False
    inplace: bool = False
    render: bool = True
    scalar_only: bool = False
    by_position: bool = False
    extra: str = ""
    leaves_nan_out: bool = False


@dataclass(frozen=True, slots=True)
class _Declaration:
    parameters: tuple[str, ...]
    canonical: Mapping[str, str]
    aliases: Mapping[str, str]
    keyword_only: tuple[str, ...]
    ignored: frozenset[str]
    required: tuple[str, ...]
    blank: tuple[str, ...]
    variadic: bool
    meanings: frozenset[str]


@cache
def _declaration(text: str) -> _Declaration:
    parameters: list[str] = []
    canonical: dict[str, str] = {}
    aliases: dict[str, str] = {}
    ignored: set[str] = set()
    required: list[str] = []
    blank: list[str] = []
    meanings: set[str] = set()
    positional = -1
    variadic = False
    for word in text.split():
        if word == "*":
            positional = len(parameters)
            continue
        if word == "...":
            variadic = True
            continue
        meaning, _, names = word.rpartition("=")
        own, *others = names.strip("-?!~").split("|")
        parameters.append(own)
        aliases.update((other, own) for other in others)
        if word[0] == "-":
            ignored.add(own)
        elif word[0] != "?":
            meanings.add(meaning or own)
        if meaning and meaning != own:
            canonical[own] = meaning
        if word[-1] == "!":
            required.append(own)
        if word[-1] == "~":
            blank.append(own)
    return _Declaration(
        tuple(parameters),
        canonical,
        aliases,
        () if positional < 0 else tuple(parameters[positional:]),
        frozenset(ignored),
        tuple(required),
        tuple(blank),
        variadic,
        frozenset(meanings),
    )


def declare(
    operation: str,
    names: str,
    declaration: str,
    *,
    fixed: Mapping[str, object] = _NOTHING,
    defaults: Mapping[str, object] = _NOTHING,
    generation: str = "",
    call: tuple[str, ...] = (),
    pair_with_axis: bool = False,
    pair: bool = False,
    method: bool = False,
    constructor: bool = False,
    inplace: bool = False,
    render: bool = True,
    scalar_only: bool = False,
    by_position: bool = False,
    extra: str = "",
    leaves_nan_out: bool = False,
) -> tuple[Signature, ...]:
    """One signature for each of the space-separated `names`, all with the same `declaration`.

    A declaration lists the framework's own parameters in order: `axis` (named like the canonical
    parameter), `axis=dim` (canonical `axis` is named `dim`), `axis=dim|axis` (or, as a keyword,
    `axis`), `axis=dim!` (required), `max=a_max~` (passed as None if it has no value), `-name`
    (ignored), `?out` (not understood: opaque if passed), `*` (keywords from here on), `...`
    (variadic). A layer, an in-place name, or one that leaves NaN out is never rendered.
    """
    meaning = CATALOGUE[operation]
    parsed = _declaration(declaration)
    if not parsed.meanings.issubset(meaning.parameters):
        raise ValueError(f"{operation} has not all of the parameters in {declaration!r}")
    return tuple(
        Signature(
            meaning,
            name,
            parsed.parameters,
            parsed.canonical,
            parsed.aliases,
            parsed.keyword_only,
            parsed.ignored,
            parsed.required,
            parsed.blank,
            fixed,
            defaults,
            generation,
            call,
            parsed.variadic,
            pair_with_axis,
            pair,
            method,
            constructor,
            inplace,
            render and not (constructor or inplace or leaves_nan_out),
            scalar_only,
            by_position,
            extra,
            leaves_nan_out,
        )
        for name in names.split()
    )
