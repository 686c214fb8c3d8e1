"""Which calls train, cut, rank, collect or only look at what they are given, by their names."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.frameworks.differentiation import BACKWARD, DIFFERENTIATES, FITS
from mllint_nan.frameworks.showing import SHOWS

UNTRACED: Final = ("numpy.", "scipy.")
"""Modules whose functions take differences of numbers, and no gradient of what was traced."""
PREPARES: Final = ("torchvision.transforms.", "torch.utils.data.", "tensorflow.data.")
"""Modules whose objects give data, whatever functions they are told to prepare it by."""
LOSSES: Final = frozenset(
    ("loss", "loss_fn", "loss_func", "loss_function", "criterion", "objective")
)
"""Arguments by which what trains is told what it makes small."""
HOOKS: Final = frozenset(("training_step", "compute_loss"))
"""Methods of a framework's trainers that give what is differentiated."""
TAKES_GRADIENTS: Final = frozenset((*BACKWARD, *FITS, *DIFFERENTIATES, *LOSSES, *HOOKS, "compile"))
"""One of these words stands in every module in which something is differentiated."""
NUMBERS: Final = frozenset(("item", "detach", "numpy", "tolist", "stop_gradient", "argmax"))
"""Methods and functions through which no gradient passes."""
CUT: Final = frozenset(
    (
        *("argmin", "argsort", "argpartition", "argwhere", "nonzero", "flatnonzero"),
        *("searchsorted", "bucketize", "digitize", "linear_sum_assignment", "nms", "batched_nms"),
        *("eq", "ne", "gt", "ge", "lt", "le", "greater", "greater_equal", "less", "less_equal"),
        *("long", "int", "short", "byte", "bool", "isnan", "isfinite", "isclose", "allclose"),
    )
)
"""The same, where they are methods of values or functions of libraries: indices, truths, counts."""
RANKS: Final = frozenset(("min", "max", "sort", "topk", "top_k", "median", "mode", "kthvalue"))
"""Methods and functions that give values and, as the second of two, the places of these."""
CASTS: Final = frozenset(("to", "type", "astype", "cast"))
INTEGERS: Final = re.compile(r"^(u?int\d*|long|short|bool_?|(Long|Int|Bool|Byte)Tensor)$")
OF_LIBRARIES: Final = ("torch.", "torchvision.", "tensorflow.", "keras.", "jax.", *UNTRACED)
PLAIN: Final = frozenset(("float", "int", "bool", "str", "len", "round"))
"""The same of Python itself."""
WITHOUT_GRADIENTS: Final = frozenset(
    ("no_grad", "inference_mode", "stop_recording", "custom_jvp", "custom_vjp", "custom_gradient")
)
LOOKS: Final = SHOWS | frozenset(
    (
        *("error", "log", "log_dict", "scalar", "image", "histogram", "write", "plot", "scatter"),
        *("save", "dump", "float", "int", "len", "round", "bool", "isinstance"),
        *("assert_allclose", "assert_close", "assert_array_equal", "assert_array_almost_equal"),
        "assertEqual",
    )
)
"""Calls whose arguments are only looked at."""
