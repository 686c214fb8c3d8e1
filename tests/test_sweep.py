"""Every safe fix over the whole range of each format that its rule claims, against exact results.

Value and gradient are nowhere worse than before, up to eight units in the last place and what the
rule itself admits; where the original breaks down, the fix is finite; shape and dtype stay.
"""

from __future__ import annotations

import pytest

from tests.verifier.observation import Mode
from tests.verifier.points import COARSE
from tests.verifier.samples import Sample, samples
from tests.verifier.sweep import sweep
from tests.verifier.trials import trials_of

TRIED = {
    "torch": ("float32", "float16", "bfloat16"),
    "tensorflow": ("float32", "float16"),
    "keras": ("float32",),
    "jax": ("float32",),
    "numpy": ("float64", "float32"),
    "math": ("float64",),
}
"""In which formats; `tests.gpu_report` tries all of them, in every mode."""


def _runs() -> list[tuple[Sample, str, Mode]]:
    """Eagerly; JAX, which is slow operation by operation, compiled by XLA."""
    return [
        (sample, dtype, Mode.COMPILED if sample.framework == "jax" else Mode.EAGER)
        for sample in samples()
        for dtype in TRIED[sample.framework]
        if sample.is_claimed_in(dtype)
    ]


RUNS = _runs()


@pytest.mark.parametrize(
    ("sample", "dtype", "mode"), RUNS, ids=[f"{run[0]}-{run[1]}-{run[2]}" for run in RUNS]
)
def test_safe_fix_is_nowhere_worse(sample: Sample, dtype: str, mode: Mode, device: str) -> None:
    swept = sweep(sample, dtype, device, mode, trials_of(sample, dtype, COARSE))
    assert not swept.trouble
    if swept.absent:  # the framework has the original's operations in other formats only
        assert dtype in ("float16", "bfloat16")
        return
    assert swept.kinds[0] == swept.kinds[1]
    for hazard, errors in swept.sides.items():
        assert not errors.complaint, f"{hazard}: {errors.complaint}"
    assert any(errors.compared for errors in swept.sides.values())
