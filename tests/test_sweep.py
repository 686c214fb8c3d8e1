"""Every fix over the whole range of each format that its rule claims, against exact results.

A safe fix is nowhere worse than before in value and gradient, up to eight units in the last place
and what the rule itself admits; an unsafe one may be. Both are finite wherever the fixed
expression has a value; shape and dtype stay.
"""

from __future__ import annotations

import pytest

from mllint_nan.findings import Hazard
from tests.verifier.frameworks import adapter
from tests.verifier.observation import MENDED, UNMENDED, Mode, is_refusal
from tests.verifier.points import COARSE
from tests.verifier.samples import Sample, samples
from tests.verifier.sweep import Swept, empty, sweep, sweep_together
from tests.verifier.trials import trials_of

USUAL = "float32"

Run = tuple[Sample, str, Mode]


def _mode(sample: Sample) -> Mode:
    """JAX, which is slow operation by operation, compiled by XLA."""
    return Mode.COMPILED if sample.framework == "jax" else Mode.EAGER


def _runs() -> list[Run]:
    return [
        (sample, dtype, _mode(sample))
        for sample in samples()
        for dtype in adapter(sample.framework).dtypes
        if sample.is_claimed_in(dtype)
    ]


def _together() -> dict[tuple[str, str, Mode], list[Sample]]:
    """The fixes of a rule in each other mode of a framework."""
    found: dict[tuple[str, str, Mode], list[Sample]] = {}
    for sample in samples():
        for mode in adapter(sample.framework).modes:
            if mode is not _mode(sample) and sample.is_claimed_in(USUAL):
                found.setdefault((sample.rule.name, sample.framework, mode), []).append(sample)
    return found


RUNS = _runs()
TOGETHER = _together()
UNSAFE = samples(safe=False)
EVERY = samples() + UNSAFE


@pytest.mark.parametrize(
    ("sample", "dtype", "mode"), RUNS, ids=[f"{run[0]}-{run[1]}-{run[2]}" for run in RUNS]
)
def test_safe_fix_is_nowhere_worse(sample: Sample, dtype: str, mode: Mode, device: str) -> None:
    swept = sweep(sample, dtype, device, mode, trials_of(sample, dtype, COARSE))
    assert not swept.trouble
    if swept.absent:  # the framework has the original's operations in other formats only
        assert dtype in ("float16", "bfloat16")
        return
    _assert_nowhere_worse(swept)
    if sample.hazard is Hazard.ACCURACY and dtype not in ("float16", "bfloat16"):
        assert swept.mends(sample.hazard), "no digits are lost before, or some after"


@pytest.mark.parametrize(
    ("rule", "framework", "mode"), TOGETHER, ids=["-".join(key) for key in TOGETHER]
)
def test_safe_fixes_are_nowhere_worse_in_other_modes(
    rule: str, framework: str, mode: Mode, device: str
) -> None:
    of_rule = TOGETHER[rule, framework, mode]
    trials = [trials_of(sample, USUAL, COARSE) for sample in of_rule]
    try:
        found = sweep_together(of_rule, USUAL, device, mode, trials)
    except Exception as error:
        assert is_refusal(error)
        return
    for sample, swept in zip(of_rule, found, strict=True):
        _assert_nowhere_worse(swept)
        if (framework, sample.rule.code, mode) not in (*MENDED, *UNMENDED):
            assert swept.mends(sample.hazard), "the original does not fail"


@pytest.mark.parametrize("sample", UNSAFE, ids=str)
def test_unsafe_fix_is_finite_where_it_has_a_value(sample: Sample, device: str) -> None:
    swept = sweep(sample, USUAL, device, _mode(sample), trials_of(sample, USUAL, COARSE))
    assert not swept.trouble
    assert not swept.absent
    assert swept.kinds[0] == swept.kinds[1]
    for hazard, errors in swept.sides.items():
        assert not errors.unfixed, f"{hazard}: {errors.unfixed}"


@pytest.mark.parametrize("sample", EVERY, ids=str)
def test_fix_takes_what_is_empty_as_the_original_does(sample: Sample, device: str) -> None:
    assert not empty(sample, USUAL, device, _mode(sample))


def _assert_nowhere_worse(swept: Swept) -> None:
    assert swept.kinds[0] == swept.kinds[1]
    for hazard, errors in swept.sides.items():
        assert not errors.complaint, f"{hazard}: {errors.complaint}"
        assert not errors.unfixed, f"{hazard}: {errors.unfixed}"
    assert any(errors.compared for errors in swept.sides.values())
