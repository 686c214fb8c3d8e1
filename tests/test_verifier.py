"""Every fixture is executed: it fails as its finding says, and no longer after the fix.

`MLLINT_NAN_FRAMEWORKS=torch,jax` restricts the frameworks to those that are installed.
"""

from __future__ import annotations

import pytest

from tests.fixture_files import FixtureFile
from tests.verifier.claims import Stated, claim_of, executable_in_any_mode, simplest, stated
from tests.verifier.frameworks import adapter, modes_of
from tests.verifier.judge import (
    TOLERANCE,
    after_at_the_witness,
    before,
    compare,
)
from tests.verifier.observation import MENDED, Mode, is_refusal

pytestmark = pytest.mark.slow

STATED: dict[FixtureFile, list[Stated]] = {}
for each in stated():
    STATED.setdefault(each.file, []).append(each)

CANDIDATES = executable_in_any_mode()
IN_MODES = [
    pytest.param(code, framework, mode, id=f"{each[0]}-{mode}")
    for (code, framework), each in CANDIDATES.items()
    for mode in modes_of(framework)
    if mode is not Mode.EAGER and framework != "torch"
]
"""PyTorch's compiler takes seconds a function: the sweep compiles all of a rule as one."""


def fails_as_its_finding_says(each: Stated, device: str) -> None:
    verdict = before(claim_of(each), device)
    assert not verdict.complaint, str(verdict)


def is_finite_after_the_fix(each: Stated, device: str) -> None:
    claim = claim_of(each)
    if claim.after is not None:
        verdict = after_at_the_witness(claim, device)
        assert not verdict.complaint, str(verdict)


def keeps_every_finite_result(each: Stated, device: str) -> None:
    claim = claim_of(each)
    if claim.fix_is_safe:
        seen = compare(claim, device)
        assert seen.worst <= TOLERANCE, f"deviates by {seen.worst:.1e} in {seen.place}"
        assert seen.compared, "the original is finite nowhere"


@pytest.mark.parametrize("file", STATED, ids=str)
def test_code_fails_at_the_witness_and_no_longer_after_the_fix(
    file: FixtureFile, device: str, subtests: pytest.Subtests
) -> None:
    for each in STATED[file]:
        with subtests.test(f"{each} fails as its finding says"):
            fails_as_its_finding_says(each, device)
        if each.may_be_repaired and each.inputs is not None:
            with subtests.test(f"{each} is finite after the fix"):
                is_finite_after_the_fix(each, device)
            with subtests.test(f"{each} keeps every finite result"):
                keeps_every_finite_result(each, device)


@pytest.mark.parametrize(("code", "framework", "mode"), IN_MODES)
def test_code_fails_and_is_fixed_at_the_witness_in_every_mode(
    code: str, framework: str, mode: Mode, device: str
) -> None:
    claim = simplest(CANDIDATES[code, framework])
    if claim is None or mode not in adapter(framework).modes:
        return
    try:
        was = before(claim, device, mode)
    except Exception as error:
        assert is_refusal(error)
        return
    if (framework, code, mode) not in MENDED:
        hint = "if the compiler removes the flaw: MENDED in tests/verifier/observation.py"
        assert not was.complaint, f"{was} ({hint})"
    now = after_at_the_witness(claim, device, mode)
    assert not now.complaint, str(now)
