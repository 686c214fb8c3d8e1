"""Arrays that a program reads: nothing in it says which numbers they hold."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.ir.term import CONSTANT, OPAQUE, Term, peel, walk
from mllint_nan.rulebook.predicates.context import Context, passed_for

_READS: Final = re.compile(
    r"^call (pandas\.(io\.parsers\.)?(read_\w+)|numpy\.(loadtxt|genfromtxt|fromfile|load|memmap)"
    r"|torch\.load|scipy\.io\.loadmat)$"
)
_READS_ONE: Final = re.compile(
    r"^call ((cv2|imageio(\.v\d)?|skimage\.io|matplotlib\.(pyplot|image))\.imread"
    r"|PIL\.Image\.open|torchvision\.io\.(decode|read)_image|librosa\.load|soundfile\.read"
    r"|torchaudio\.load)$"
)
"""Calls that read one image or one recording, which may be blank or silent."""


def is_table_read(term: Term) -> bool:
    """Whether a call reads numbers that the program has not made: each may be anything."""
    return term.operation is OPAQUE and _READS.search(str(term.detail)) is not None


def is_read(term: Term) -> bool:
    """The same, or a call that reads one image or one recording, whose numbers are bounded."""
    is_one = term.operation is OPAQUE and _READS_ONE.search(str(term.detail)) is not None
    return is_one or is_table_read(term)


def may_be_alike(context: Context, read: Term, *, is_by_rows: bool) -> bool:
    """Whether all that is reduced at once may be equal in what a call has read.

    An image, a row or a column may hold a single number throughout; a whole table hardly ever does,
    and whoever names a file in the code knows its columns.
    """
    passed = [one for part in walk(read) for one in passed_for(context, part)]
    if any(_names_file(term) for term in (read, *passed)):
        return False
    return is_by_rows or _READS_ONE.search(str(read.detail)) is not None


def _names_file(path: Term) -> bool:
    written = (part.detail for part in walk(path) if part.operation is CONSTANT)
    return any(isinstance(one, str) for one in written)


def has_axis(context: Context) -> bool:
    """Whether the matched reduction leaves a result for each row, column or example."""
    axis = context.found.terms.get("a")
    if axis is None:
        return False
    return peel(axis).operation is not CONSTANT or peel(axis).detail is not None
