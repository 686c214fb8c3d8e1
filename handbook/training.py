"""Run the PyTorch program of the page `My loss is NaN`, broken and repaired; draw its losses.

python -m handbook.training    writes docs/loss-is-nan.svg
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from math import ceil, inf, isfinite
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from handbook import scales
from handbook.drawing import Curve, Drawing, Panel, drawn

PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "loss-is-nan.md"
PICTURE: Final = PAGE.with_suffix(".svg")


def losses() -> tuple[list[float], list[float]]:
    """Return the losses of each step, before and after; infinite for NaN or infinity."""
    before, after = _files("net.py")
    (training,) = _files("train.py")
    return _run(before, training), _run(after, training)


def picture(before: Sequence[float], after: Sequence[float]) -> str:
    """Return the SVG of two runs."""
    step = first_nan(before)
    most = ceil(max(loss for loss in (*before, *after) if isfinite(loss)))
    count = len(after)
    told = (
        f"The loss of each of {count} steps. The uppermost line is NaN. Before, the loss is NaN "
        f"from step {step} on; after, it is finite throughout, and {after[-1]:.2g} in the last one."
    )
    steps = [float(index) for index in range(1, count + 1)]
    return drawn(
        Drawing(
            "The loss of a training run by step, before and after",
            told,
            "torch.log of torch.softmax",
            "torch.log_softmax",
            "PyTorch, float32, on the CPU",
            scales.linear(0.0, float(count), 10.0),
            [Panel("loss", scales.losses(most), Curve(steps, before), Curve(steps, after))],
            by="step",
        )
    )


def first_nan(run: Sequence[float]) -> int:
    """Return the step of the first loss that is NaN or infinite, counted from 1."""
    return 1 + next(index for index, loss in enumerate(run) if not isfinite(loss))


def _files(name: str) -> list[str]:
    """Return the code blocks that the page shows below the name of a file, in order."""
    fence = rf"^`{re.escape(name)}`:\n\n```python\n(.*?)^```$"
    return re.findall(fence, PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def _run(net: str, training: str) -> list[float]:
    told = []
    module: Any = ModuleType("net")
    exec(compile(net, "net.py", "exec", dont_inherit=True), vars(module))
    computed = module.log_loss

    def log_loss(*args: Any) -> Any:
        loss = computed(*args)
        told.append(loss.item() if isfinite(loss.item()) else inf)
        return loss

    module.log_loss = log_loss
    sys.modules["net"] = module
    try:
        exec(compile(training, "train.py", "exec", dont_inherit=True), {"__name__": "__main__"})
    finally:
        del sys.modules["net"]
    return told


if __name__ == "__main__":
    PICTURE.write_text(picture(*losses()), encoding="utf-8")
