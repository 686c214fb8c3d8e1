"""What a condition looks at: only a test of the value of a term can guard it.

Whether a mask is `None`, or has some type, shape, rank, format or device, says nothing about its
contents. The size of a selection does say something about the values that it selects by.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from mllint_nan.flow.masks import is_slice
from mllint_nan.ir.ops import CATALOGUE
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
    OPAQUE,
    SEQUENCE,
    Term,
    peel,
    signed_factors,
    summands_of,
)

_IDENTITY: Final = frozenset(("is", "is not"))
_EQUALITY: Final = frozenset(("eq", "ne"))
_MEASURES_OF_SHAPE: Final = frozenset(("shape", "size"))
_FORM_ATTRIBUTES: Final = frozenset(
    re.findall(
        r"\w+",
        "shape ndim ndims rank dtype device devices device_buffer device_buffers"
        " backing_device layout requires_grad retains_grad grad_fn grad_dtype is_cuda is_cpu"
        " is_ipu is_leaf is_maia is_meta is_mkldnn is_mps is_mtia is_nested is_quantized"
        " is_sparse is_sparse_csr is_vulkan is_xla is_xpu is_packed itemsize nbytes strides"
        " size names name flags ctypes base output_nr op graph value_index trainable path aval"
        " weak_type sharding committed is_fully_addressable is_fully_replicated"
        " on_device_size_in_bytes qscheme sparse ragged ragged_rank volatile format traceback"
        " OVERLOADABLE_OPERATORS aggregation constraint handle initializer synchronization",
    )
)
_FORM_CALLS: Final = frozenset(
    re.findall(
        r"\w+",
        "isinstance issubclass hasattr callable type id dim ndim ndims rank ndimension"
        " get_shape is_tensor is_tf_tensor is_keras_tensor is_floating_point is_complex"
        " is_integer issubdtype isscalar is_same_size is_contiguous is_scripting shape_equal"
        " is_conj is_neg is_inference is_pinned is_shared is_coalesced is_distributed"
        " is_set_to is_signed is_deleted is_ready is_initialized element_size storage_offset"
        " stride data_ptr get_device has_names sparse_dim dense_dim",
    )
)
_SELECTIONS: Final = re.compile(
    r"(^|[. ])(nonzero|flatnonzero|argwhere|where|unique|masked_select)$"
)


@dataclass(frozen=True, slots=True)
class Tested:
    """What a condition looks at: the keys of terms, and the names of operations."""

    keys: frozenset[int]
    """The keys of the terms whose values the condition rests on."""
    operations: frozenset[str]


def tested_by(test: Term) -> Tested:
    """Return the terms and operations that a condition looks at."""
    keys: set[int] = set()
    operations: set[str] = set()
    seen: set[tuple[int, bool]] = set()
    pending = [(test, True)]  # each with whether its value counts, or only its form
    while pending:
        term, counts = pending.pop()
        inner = peel(term)
        if (inner.key, counts) in seen:
            continue
        seen.add((inner.key, counts))
        if counts:
            keys.add(inner.key)
            operations.add(inner.operation.name)
            counts = not _asks_for_form(inner)
        else:
            counts = _is_selection(inner)
            if counts:  # the number of its elements was tested
                keys.add(inner.key)
        pending += [(child, counts) for child in inner.children()]
    return Tested(frozenset(keys), frozenset(operations))


def sums_tested(test: Term, total: Term) -> set[int]:
    """The keys of the sides of a test that add up what a sum adds up, without its weights.

    If none of these is negative, the sum is 0 only where such a side is.
    """
    if peel(total).operation.name != "add":
        return set()
    weighted = [{one.key for one in _factors(part)} for part in summands_of(total)]
    found = set[int]()
    for side in peel(test).operands:
        plain = {part.key for part in summands_of(side)}
        are_hit = all(not plain.isdisjoint(factors) for factors in weighted)
        if are_hit and len(plain) == len(weighted):
            found.add(peel(side).key)
    return found


def _factors(product: Term) -> list[Term]:
    return signed_factors(product)[1] if product.operation.name == "mul" else [product]


def _asks_for_form(term: Term) -> bool:
    """Whether a term depends only on the form of its operands, not on their values."""
    name = term.operation.name
    if name in _MEASURES_OF_SHAPE:
        return True
    if name in _EQUALITY:
        return any(_is_none(operand) for operand in term.operands)
    if term.operation is ATTRIBUTE:
        return str(term.detail) in _FORM_ATTRIBUTES
    if term.operation is not OPAQUE:
        return False
    detail = str(term.detail)
    return detail in _IDENTITY or _called(detail) in _FORM_CALLS


def _is_none(term: Term) -> bool:
    inner = peel(term)
    return inner.operation is CONSTANT and inner.detail is None


def _called(detail: str) -> str:
    """The last name of what an opaque term calls, else an empty string."""
    return re.split(r"[. ]", detail)[-1] if detail.startswith("call ") else ""


def _is_selection(term: Term) -> bool:
    """Whether the number of a term's elements depends on the values of its operands."""
    if term.operation is OPAQUE:
        return _SELECTIONS.search(str(term.detail)) is not None
    if term.operation.name == "collect":
        return True  # a comprehension may have a condition
    if term.operation is CHOICE:  # of lists, after something was appended on some path
        return any(peel(option).operation is SEQUENCE for option in term.operands)
    if term.operation is CATALOGUE["subscript"]:
        return not all(_is_position(index) for index in term.operands[1:])
    return term.operation is CATALOGUE["boolean_mask"]


def _is_position(index: Term) -> bool:
    inner = peel(index)
    if inner.operation is SEQUENCE:
        return all(map(_is_position, inner.operands))
    return inner.operation is CONSTANT or is_slice(inner)
