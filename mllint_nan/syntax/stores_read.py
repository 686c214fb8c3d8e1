"""What a text sets attributes to, from its bytes."""

from __future__ import annotations

from mllint_nan.ir.stores import NOTHING_STORED, Stores, stores_in
from mllint_nan.syntax.decoding import NoPython, SourceError
from mllint_nan.syntax.lower_ast import lower_plainly
from mllint_nan.syntax.reading import read
from mllint_nan.syntax.symbol_table import tree_of_other


def stores_read(data: bytes, file: str) -> Stores:
    """What a file's text sets attributes to; nothing if it cannot be read."""
    try:
        tree = tree_of_other(read(data, file).text)
        return stores_in(lower_plainly(tree)) if tree is not None else NOTHING_STORED
    except (SourceError, NoPython, RecursionError):
        return NOTHING_STORED
