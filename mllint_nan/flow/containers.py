"""Lists, dictionaries, records and chains of layers whose elements are visible."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.flow.masks import is_slice
from mllint_nan.ir.term import (
    CHOICE,
    CONSTANT,
    OPAQUE,
    QUALIFIED,
    REFERENCE,
    SEQUENCE,
    Term,
    constant_of,
    held,
    number_of,
    peel,
)

if TYPE_CHECKING:
    from mllint_nan.flow.names import Names

CHAIN: Final = "chain"
GROWN: Final = "grown"
"""A list of unknown length; the operands are its last elements."""
SEVERAL: Final = "several"
"""In a chain: an unknown number of layers."""
LAST_MOST: Final = 8
"""How many last elements are kept of a list of unknown length."""
DICT: Final = "dict"
RECORD: Final = "record"
NAMED_TUPLE: Final = "named tuple"
"""Like a record an object whose fields are visible; its operands are those of a dictionary."""
HOLDERS: Final = frozenset((DICT, GROWN, RECORD, NAMED_TUPLE))
"""Kinds of opaque terms some of whose operands are elements."""
ANY_KEY: Final = "key"
"""A choice among the values of a dictionary, by an unknown key."""
ELEMENT: Final = "element"
"""A choice among the elements of a collection, not among paths."""


def spread(term: Term) -> tuple[Term, ...]:
    inner = peel(term)
    if inner.operation is SEQUENCE and inner.operands:
        return inner.operands
    return (term,)


def listed_layers(term: Term) -> tuple[Term, ...]:
    """The layers of a list or of an `OrderedDict` of pairs, else the term alone."""
    inner = peel(term)
    if is_display(inner):
        return inner.operands
    if inner.operation is OPAQUE and inner.detail == "call collections.OrderedDict":
        pairs = [peel(pair) for pair in peel(inner.operands[-1]).operands]
        if pairs and all(is_display(pair) and len(pair.operands) == 2 for pair in pairs):
            return tuple(pair.operands[1] for pair in pairs)
    return (term,)


def is_display(term: Term) -> bool:
    """Whether a term is a list or tuple display, whose elements are written out."""
    inner = peel(term)
    return inner.operation is SEQUENCE and inner.detail in ("list", "tuple")


def is_grown(term: Term) -> bool:
    """Whether a term is a list of which only the last elements are known."""
    inner = peel(term)
    return inner.operation is OPAQUE and inner.detail == GROWN


def has_all(term: Term) -> bool:
    """Whether the operands of a display or a chain are all its elements."""
    return not any(
        part.operation is OPAQUE and part.detail == SEVERAL for part in map(peel, term.operands)
    )


def is_list(term: Term) -> bool:
    is_listed = term.operation is SEQUENCE and term.detail == "list"
    return is_listed or is_grown(term) or term.operation.name == "collect"


def holds_of_all(is_kind: Callable[[Term], bool], term: Term) -> bool:
    """Whether a value is of a kind on every visible path."""
    inner = peel(term)
    if inner.operation is CHOICE:
        return bool(inner.operands) and all(
            holds_of_all(is_kind, option) for option in inner.operands
        )
    return is_kind(inner)


def is_dict(term: Term) -> bool:
    """Whether a term is a dictionary that is written out: keys and values in turn as operands."""
    while term.operation is REFERENCE:
        term = term.operands[0]
    return term.operation is OPAQUE and term.detail == DICT


def has_names(dictionary: Term) -> bool:
    """Whether all keys of a dictionary that is written out are string literals."""
    return all(map(is_text, peel(dictionary).operands[::2]))


def is_record(term: Term) -> bool:
    """Whether a term is an object whose fields are visible."""
    while term.operation is REFERENCE:
        term = term.operands[0]
    return term.operation is OPAQUE and term.detail in (RECORD, NAMED_TUPLE)


def part_of(container: Term, key: Term) -> Term | None:
    """The element of a container that is written out, at a constant index or key."""
    inner = peel(container)
    if inner.operation is not SEQUENCE and inner.operation is not OPAQUE:
        return None
    place = constant_of(key)
    listed = inner.operands if inner.operation is SEQUENCE and has_all(inner) else ()
    if inner.operation is OPAQUE and inner.detail == NAMED_TUPLE:
        listed = inner.operands[1::2]
    if listed and isinstance(place, int):
        return listed[place] if -len(listed) <= place < len(listed) else None
    if is_dict(inner) and place is not None:
        for known, kept in zip(inner.operands[::2], inner.operands[1::2], strict=True):
            if known.key == peel(key).key:
                return kept
    return None


def slice_of(names: Names, container: Term, index: Term, site: object) -> Term | None:
    """The slice `xs[1:]` of a list or tuple that is written out, with integers as bounds."""
    listed, sliced = peel(container), peel(index)
    if not (is_display(listed) and is_slice(sliced) and has_all(listed)):
        return None
    bounds = list[int | None]()
    for one in sliced.operands:
        bound = constant_of(one)
        if type(bound) is int:
            bounds.append(bound)
        elif is_none(one):
            bounds.append(None)
        else:
            return None
    if bounds[2:] == [0]:
        return None
    first, last, step = (*bounds, None, None, None)[:3]
    kept = listed.operands[slice(first, last, step)]
    return names.build.leaf(SEQUENCE, str(listed.detail), kept, site, listed.framework)


def field_of(record: Term, name: str) -> Term | None:
    """The value of a field of a record, if it was given one."""
    inner = peel(record)
    if not is_record(inner):
        return None
    pairs = zip(inner.operands[::2], inner.operands[1::2], strict=True)
    return next((kept for known, kept in pairs if constant_of(known) == name), None)


def names_listed(terms: tuple[Term, ...]) -> tuple[str, ...] | None:
    """The names in `["a", "b"]` or `"a b"`."""
    inner = peel(terms[0]) if terms else None
    if inner is None:
        return None
    if is_text(inner):
        return tuple(str(inner.detail).replace(",", " ").split())
    names = [constant_of(one) for one in inner.operands] if is_display(inner) else [None]
    return tuple(map(str, names)) if all(isinstance(name, str) for name in names) else None


def is_container(term: Term) -> bool:
    """Whether a term is a container whose elements are visible."""
    inner = peel(term)
    if inner.operation is OPAQUE:
        return inner.detail in (DICT, GROWN)
    return inner.operation is SEQUENCE


def splits_tensor(arguments: Arguments) -> bool:
    """Whether `split` is given numbers or an axis, as that of a string is not."""
    given = arguments.positional
    is_size = bool(given) and (is_display(given[0]) or number_of(given[0]) is not None)
    return is_size or "dim" in arguments.keywords


def is_chain(term: Term) -> bool:
    """Whether a term is a chain: layers that are called one after the other."""
    inner = peel(term)
    return inner.operation is SEQUENCE and inner.detail == CHAIN


def is_super(term: Term) -> bool:
    """Whether a term is `super()`: the object as its bases know it."""
    inner = peel(term)
    return inner.operation is OPAQUE and inner.detail == "call builtins.super"


def is_none(term: Term) -> bool:
    inner = peel(term)
    return inner.operation is CONSTANT and inner.detail is None


def is_text(term: Term) -> bool:
    """Whether the term is a string literal."""
    while term.operation is REFERENCE:
        term = term.operands[0]
    return term.operation is CONSTANT and isinstance(term.detail, (str, bytes))


def pairs(names: Names, given: Mapping[str, Term]) -> tuple[Term, ...]:
    """The operands of a dictionary with these keys."""
    return tuple(
        part for name, term in given.items() for part in (names.build.constant(name), held(term))
    )


def with_key_changed(names: Names, container: Term, key: Term, term: Term) -> Term | None:
    """A dictionary, record or list with another value at one key; `None` for anything else."""
    inner = peel(container)
    index = constant_of(key)
    if inner.operation is SEQUENCE and inner.detail == "list" and type(index) is int:
        if not has_all(inner) or not -len(inner.operands) <= index < len(inner.operands):
            return None
        elements = [*inner.operands]
        elements[index] = held(term)
        return names.build.leaf(SEQUENCE, "list", tuple(elements), None, inner.framework)
    if not (is_dict(inner) or is_record(inner)) or peel(key).operation is not CONSTANT:
        return None
    pairs = dict(zip(inner.operands[::2], inner.operands[1::2], strict=True))
    if any(peel(known).operation is not CONSTANT for known in pairs):
        return None
    kept = {known: value for known, value in pairs.items() if known.key != key.key}
    kept[peel(key)] = held(term)
    operands = tuple(part for pair in kept.items() for part in pair)
    framework = inner.framework or term.framework
    return names.opaque(str(inner.detail), operands, None, framework=framework)


def updated(names: Names, inner: Term, arguments: Arguments) -> Term | None:
    """A dictionary after `update`, if all arguments of that are visible, else `None`."""
    if arguments.others or not all(map(is_dict, arguments.positional)):
        return None
    changed: Term | None = inner
    for one in map(peel, arguments.positional):
        for key, kept in zip(one.operands[::2], one.operands[1::2], strict=True):
            changed = with_key_changed(names, changed, key, kept) if changed is not None else None
    for name, kept in arguments.keywords.items():
        key = names.build.constant(name)
        changed = with_key_changed(names, changed, key, kept) if changed is not None else None
    return changed


def dictionary_method(
    names: Names, site: object, inner: Term, method: str, given: tuple[Term, ...]
) -> Term | None:
    """The result of `get`, `pop`, `values` or `items` of a dictionary that is written out."""
    keys, kept = inner.operands[::2], inner.operands[1::2]
    key = given[0] if given else None
    if method in ("get", "pop") and key is not None:
        found = part_of(inner, key)
        is_absent = is_text(key) and all(map(is_text, keys))
        return found or (given[1] if is_absent and given[1:] else None)
    if key is not None or not kept:
        return None
    values = names.build.leaf(SEQUENCE, "tuple", kept, site, inner.framework)
    if method == "values":
        return values
    if method != "items":
        return None
    zipped = names.build.leaf(QUALIFIED, "builtins.zip")
    parts = (zipped, names.build.leaf(SEQUENCE, "tuple", keys, None), values)
    return names.opaque("call builtins.zip", parts, site, framework=inner.framework)
