"""The functions of a file that use given names, and what of the file their evaluation needs.

Only the statements that may be needed are parsed, which are few in most files.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Final

from mllint_nan.ir import program as ir
from mllint_nan.syntax.chunks import Chunk, Part, Unparsable, chunks_of
from mllint_nan.syntax.decoding import tree_of
from mllint_nan.syntax.mentioned import leave_out_failing

_BODIES_MOST: Final = 8
"""The most bodies of one file that are evaluated for the sake of another one."""
_ROUNDS_MOST: Final = 2
"""The rounds: callers of the names first, then callers of definitions that lead to the names."""
_NEEDED_MOST: Final = 3
"""The depth to which the definitions of the names in a body are followed."""


@dataclass(frozen=True, slots=True)
class Calling:
    """The bodies of a file that are evaluated for their calls."""

    bodies: frozenset[str]
    """Their names within the module, `train` or `Trainer.step`; empty for the module itself."""
    hands_on: frozenset[str]
    """Names that lead other files to the given ones.

    They are functions that pass on their own arguments or return one of these, and variables that
    hold one.
    """
    program: ir.Block
    """The statements that they need; only calls have sites, which are rows."""
    differentiated: frozenset[str] = frozenset()
    """The names of functions that JAX differentiates by their first argument."""


NOT_CALLING: Final = Calling(frozenset(), frozenset(), ())
_DIFFERENTIATED: Final = re.compile(
    r"\b(?:value_and_)?grad\(\s*(\w+)\s*(?:\)|,(?![^()]*\bargnums\b))"
)


def calling(text: str, names: Collection[str]) -> Calling:
    """The bodies of a text that use one of `names`, directly or through the text's own definitions.

    Code that is meant to fail is left out.
    """
    try:
        found = _calling(chunks_of(text), names)
        return replace(found, differentiated=frozenset(_DIFFERENTIATED.findall(text)))
    except Unparsable:
        tree = tree_of(text)
        if tree is None:
            return NOT_CALLING
        leave_out_failing(tree, text)
        return _calling(tuple(Chunk(ast.unparse(node), 0, [node]) for node in tree.body), names)


def _calling(chunks: tuple[Chunk, ...], names: Collection[str]) -> Calling:
    wanted = {*names, *_other_names(chunks, names)}
    chosen: list[Part] = []
    hands_on: set[str] = set()
    hooked: set[str] = set()  # classes with a method that a trainer calls on their objects
    for _ in range(_ROUNDS_MOST):
        further: set[str] = set()
        wanted = _with_variables(chunks, wanted)
        for chunk in chunks:
            if chunk.is_import or not chunk.uses(wanted):
                continue
            here = chunk.words & wanted
            for part in chunk.parts:
                if not part.may_name(here) or not part.names & wanted:
                    continue
                held = part.held(wanted)
                hands_on.update(part.keeps(held))
                if part.is_seen_outside:
                    further |= held
                is_new = part not in chosen and len(chosen) < _BODIES_MOST
                if is_new and (_gives(part, wanted | held, chunks) or part.calls(hooked)):
                    chosen.append(part)
                if part.hands_on(wanted | held) or part.makes(wanted | held):
                    further.add(part.known_as)
                    hooked.update((part.known_as,) if part.is_hook else ())
                    hands_on.add(part.definition.partition(".")[0])
        wanted = further
        if not wanted:
            break
    if not chosen and not hands_on:
        return NOT_CALLING
    bodies = frozenset(part.definition for part in chosen)
    bodies |= frozenset(_constructors(bodies))
    return Calling(bodies, frozenset(hands_on), _program(chunks, chosen))


def _with_variables(chunks: tuple[Chunk, ...], wanted: Collection[str]) -> set[str]:
    """The names, and the variables of the module that hold them or their results."""
    found = set(wanted)
    for chunk in chunks:
        if chunk.is_import or chunk.defines or not chunk.uses(found):
            continue
        for part in chunk.parts:
            if not part.names.isdisjoint(found):
                found |= part.held(found)
    return found


def _gives(part: Part, names: Collection[str], chunks: tuple[Chunk, ...]) -> bool:
    """Whether a part passes one of `names` an informative argument, perhaps by module variables."""
    if part.uses(names):
        return True
    if part.definition:
        return False
    given = part.gives(names)
    variables = [
        other
        for chunk in chunks
        if not chunk.defines and not chunk.is_import and not chunk.heads.isdisjoint(given)
        for other in chunk.parts
    ]
    objects = {name for other in variables for name in other.objects}
    return part.uses(names, objects) or any(not other.told.isdisjoint(given) for other in variables)


def _constructors(bodies: Collection[str]) -> Iterator[str]:
    """Yield the methods that set the attributes which these methods read."""
    for owner, _, method in (body.rpartition(".") for body in bodies):
        if owner and method not in ir.FIRST_METHODS:
            yield from (f"{owner}.{first}" for first in ir.FIRST_METHODS)


def _other_names(chunks: tuple[Chunk, ...], names: Collection[str]) -> Iterator[str]:
    """Yield the aliases under which a module imports these names."""
    for chunk in chunks:
        for node in chunk.nodes if chunk.is_import and " as " in chunk.text else ():
            for alias in node.names if isinstance(node, ast.ImportFrom) else ():
                if alias.asname and alias.name in names:
                    yield alias.asname


def _program(chunks: tuple[Chunk, ...], chosen: list[Part]) -> ir.Block:
    """The statements of the chosen parts, and those that bind the names in them."""
    binding: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        for name in chunk.heads if not chunk.is_import else ():
            binding.setdefault(name, []).append(chunk)
    first = {part.chunk for part in chosen}
    needed, latest = set(first), set(first)
    for _ in range(_NEEDED_MOST):
        named = {name for chunk in latest for part in chunk.parts for name in part.names}
        named |= {name for chunk in latest for name in chunk.around_methods}
        latest = {chunk for name in named for chunk in binding.get(name, ())} - needed
        needed |= latest
    return tuple(
        statement
        for chunk in chunks
        if chunk in needed or chunk.is_import
        for statement in chunk.lowered(is_evaluated=chunk in first)
    )
