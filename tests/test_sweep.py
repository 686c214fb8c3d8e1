"""Every fix over the whole range of each format that its rule claims, against exact results.

A safe fix is nowhere worse than before in value and gradient, up to eight units in the last place
and what the rule itself admits; an unsafe one may be. Both are finite wherever the fixed
expression has a value; shape and dtype stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pytest

from mllint_nan.findings import Hazard
from mllint_nan.rulebook.load import load_rules
from tests.verifier.frameworks import FRAMEWORKS, adapter, dtypes_of, modes_of, selected
from tests.verifier.ground_truth import ground_truths_of
from tests.verifier.observation import MENDED, UNMENDED, Mode, is_refusal
from tests.verifier.operands import refused
from tests.verifier.points import COARSE
from tests.verifier.samples import Sample, samples_anywhere
from tests.verifier.sweep import Swept, empty, sweep, sweep_alike, sweep_together

pytestmark = pytest.mark.slow

USUAL = "float32"


def _mode(framework: str) -> Mode:
    """JAX, which is slow operation by operation, compiled by XLA."""
    return Mode.COMPILED if framework == "jax" else Mode.EAGER


FIXED = [
    (rule.name, framework)
    for rule in load_rules()
    for framework in FRAMEWORKS
    if rule.fixes and framework in rule.frameworks and framework in selected()
]
"""Rules and frameworks; the fixes are cut out of fixtures when a test asks for them."""
IN_FORMATS = [(*each, dtype) for each in FIXED for dtype in dtypes_of(each[1])]
_BY_TORCH = [rule for rule, framework in FIXED if framework == "torch"]
_PARTS = 2
IN_MODES = {
    **{
        f"{rule}-{framework}-{mode}": ((rule,), framework, mode)
        for rule, framework in FIXED
        for mode in modes_of(framework)
        if mode is not _mode(framework) and (framework, mode) != ("torch", Mode.COMPILED)
    },
    **{
        f"torch-compiled-{part}": (tuple(_BY_TORCH[part::_PARTS]), "torch", Mode.COMPILED)
        for part in range(min(_PARTS, len(_BY_TORCH)))
    },
}
"""By name: rules whose fixes are swept together.

Most of what PyTorch's compiler takes is the C++ compiler reading headers, once for each function.
"""


def _of(rule: str, framework: str, *, safe: bool) -> list[Sample]:
    """The fixes of a rule in a framework."""
    return [each for each in samples_anywhere(rule, safe=safe) if each.framework == framework]


@pytest.mark.parametrize(
    ("rule", "framework", "dtype"), IN_FORMATS, ids=["-".join(each) for each in IN_FORMATS]
)
def test_safe_fixes_are_nowhere_worse(rule: str, framework: str, dtype: str, device: str) -> None:
    found: dict[str, list[str]] = {}
    claimed = [each for each in _of(rule, framework, safe=True) if each.is_claimed_in(dtype)]
    for sample, swept in zip(claimed, _swept(claimed, framework, dtype, device), strict=True):
        if swept.absent:  # the framework has the original's operations in other formats only
            assert dtype in ("float16", "bfloat16"), f"{sample}: {swept.absent}"
            continue
        found[str(sample)] = [swept.trouble] if swept.trouble else list(_worse(swept))
        if sample.hazard is Hazard.ACCURACY and dtype not in ("float16", "bfloat16"):
            assert swept.mends(sample.hazard), f"{sample}: no digits are lost before, or some after"
    assert not any(found.values()), f"not safe, or in need of a `tolerance`: {found}"


@pytest.mark.parametrize(("rules", "framework", "mode"), IN_MODES.values(), ids=IN_MODES)
def test_safe_fixes_are_nowhere_worse_in_other_modes(
    rules: Sequence[str], framework: str, mode: Mode, device: str
) -> None:
    if mode not in adapter(framework).modes:
        return
    by_rule = [
        [each for each in _of(rule, framework, safe=True) if each.is_claimed_in(USUAL)]
        for rule in rules
    ]
    together = [sample for of_rule in by_rule for sample in of_rule]
    if _is_refused_in(mode, together, device) and len(rules) > 1:
        for of_rule in by_rule:
            _is_refused_in(mode, of_rule, device)


def _is_refused_in(mode: Mode, samples: Sequence[Sample], device: str) -> bool:
    """Whether the framework refuses one of these; if not, all are asserted to be no worse."""
    ground_truths = [ground_truths_of(sample, USUAL, COARSE) for sample in samples]
    try:
        found = sweep_together(samples, USUAL, device, mode, ground_truths) if samples else []
    except Exception as error:
        assert is_refusal(error)
        return True
    for sample, swept in zip(samples, found, strict=True):
        assert not list(_worse(swept)), str(sample)
        if (sample.framework, sample.rule.code, mode) not in (*MENDED, *UNMENDED):
            assert swept.mends(sample.hazard), f"{sample}: the original does not fail"
    return False


@pytest.mark.parametrize(("rule", "framework"), FIXED, ids=["-".join(each) for each in FIXED])
def test_unsafe_fixes_are_finite_where_they_have_a_value(
    rule: str, framework: str, device: str
) -> None:
    unsafe = _of(rule, framework, safe=False)
    for sample, swept in zip(unsafe, _swept(unsafe, framework, USUAL, device), strict=True):
        assert not swept.trouble, str(sample)
        assert not swept.absent, str(sample)
        assert swept.kinds[0] == swept.kinds[1], str(sample)
        for hazard, errors in swept.sides.items():
            assert not errors.unfixed, f"{sample}: {hazard}: {errors.unfixed}"


@pytest.mark.parametrize(("rule", "framework"), FIXED, ids=["-".join(each) for each in FIXED])
def test_fixes_take_what_is_empty_as_the_original_does(
    rule: str, framework: str, device: str
) -> None:
    for safe in (True, False):
        for sample in _of(rule, framework, safe=safe):
            assert not empty(sample, USUAL, device, _mode(framework)), str(sample)


@pytest.mark.parametrize(("rule", "framework"), FIXED, ids=["-".join(each) for each in FIXED])
def test_safe_fixes_take_the_operands_that_the_original_takes(
    rule: str, framework: str, device: str
) -> None:
    for sample in _of(rule, framework, safe=True):
        assert not list(refused(sample, device)), str(sample)


def _swept(samples: Sequence[Sample], framework: str, dtype: str, device: str) -> Iterable[Swept]:
    """One after the other, or compiled as one: that takes XLA less than each alone."""
    mode, tried = _mode(framework), (ground_truths_of(each, dtype, COARSE) for each in samples)
    if mode is Mode.COMPILED:
        return sweep_alike(samples, dtype, device, mode, [*tried])
    return (sweep(each, dtype, device, mode, its) for each, its in zip(samples, tried, strict=True))


def _worse(swept: Swept) -> Iterator[str]:
    """In what the fix is worse than the original, or not compared with it."""
    if swept.kinds[0] != swept.kinds[1]:
        yield f"{swept.kinds[0]} became {swept.kinds[1]}"
    for hazard, errors in swept.sides.items():
        if errors.complaint:
            yield f"{hazard}: {errors.complaint}"
        if errors.unfixed:
            yield f"{hazard}: {errors.unfixed}"
    if not any(errors.compared for errors in swept.sides.values()):
        yield "nothing is compared"
