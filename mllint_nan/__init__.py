"""Find code whose values or gradients become NaN or infinite, from another program.

>>> found = check_source("import torch\\ny = torch.log(torch.softmax(x, dim=0))")
>>> [(finding.code, finding.start.row) for finding in found]
[('NAN101', 2)]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mllint_nan.findings import Finding
    from mllint_nan.settings import Settings

__all__ = ["check_source"]


def check_source(
    text: str, filename: str = "<string>", settings: Settings | None = None
) -> list[Finding]:
    """The findings in the text of a Python file, in its order; no file is read, none written.

    A text that is not Python has one finding, NAN901. Of `filename` only the folders and the stem
    count, as hints of purpose. Without `settings` everything is at its default, whatever
    configuration files say. This function and what it returns can be pickled.

    Raises `mllint_nan.linter.AnalysisError` where the text is Python but cannot be analysed.
    """
    from mllint_nan.linter import check_text
    from mllint_nan.settings import Settings

    return list(check_text(text, filename, settings or Settings()))
