"""The names of calls that only show or record a value, all in one place."""

from __future__ import annotations

from typing import Final

SHOWS: Final = frozenset(
    (
        *("print", "format", "str", "repr", "info", "debug", "warning"),
        *("log_metric", "log_metrics", "log_scalar", "log_scalars", "log_image", "log_images"),
        *("log_histogram", "log_histograms", "append_metric", "scalar_summary"),
        *("add_scalar", "add_scalars", "add_image", "add_images"),
        *("add_histogram", "add_histograms", "add_figure", "add_text"),
        *("imshow", "hist", "hist2d", "savefig", "imsave", "save_image"),
        *("set_description", "set_description_str", "set_postfix", "set_postfix_str"),
    )
)
"""Functions and methods that show their argument and return nothing to compute with."""
SUMMARIES: Final = frozenset(("scalar", "image", "histogram", "text"))
"""Such functions of `tf.summary`."""
