"""Loops behind a progress bar: `tqdm(x)` yields the elements of x, `trange(n)` those of a range."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.ir.term import QUALIFIED, Term

if TYPE_CHECKING:
    from mllint_nan.flow.names import Names

_OF_TQDM: Final = ("tqdm", *(f"tqdm.{one}" for one in ("auto", "notebook", "autonotebook", "std")))
_BARS: Final = frozenset(
    (
        *(f"{module}.tqdm" for module in _OF_TQDM),
        *("tqdm.rich.tqdm", "tqdm.asyncio.tqdm", "tqdm.tqdm_notebook", "tqdm.tqdm_gui"),
        *("rich.progress.track", "alive_progress.alive_it", "progressbar.progressbar"),
        *("fastprogress.progress_bar", "fastprogress.fastprogress.progress_bar"),
        *("fastprogress.master_bar", "fastprogress.fastprogress.master_bar"),
        *("mmcv.track_iter_progress", "mmengine.track_iter_progress"),
    )
)
"""Functions that yield the elements of their first argument, and show how far they are."""
_RANGES: Final = frozenset(
    (*(f"{module}.trange" for module in _OF_TQDM), "tqdm.tnrange", "numba.prange")
)
"""Functions that are `range` otherwise."""
ITERATES: Final = _BARS | _RANGES
_RANGE: Final = "builtins.range"


def iterated(names: Names, site: object, path: str, arguments: Arguments) -> Term | None:
    """What a loop over the call runs through; `None` for a bar without an iterable."""
    if path in _BARS:
        first = arguments.positional[:1]
        return first[0] if first else arguments.keywords.get("iterable")
    if not arguments.positional:
        return None
    made = names.build.leaf(QUALIFIED, _RANGE)
    return names.opaque(f"call {_RANGE}", (made, *arguments.positional), site)
