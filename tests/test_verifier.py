"""Every fixture is executed: it fails as its finding says, and no longer after the fix.

`MLLINT_NAN_FRAMEWORKS=torch,jax` restricts the frameworks to those that are installed.
"""

from __future__ import annotations

import pytest

from tests.verifier.claims import Claim, claims, simplest
from tests.verifier.frameworks import adapter
from tests.verifier.judge import (
    TOLERANCE,
    after_at_the_witness,
    before,
    compare,
)
from tests.verifier.observation import MENDED, Mode, is_refusal

CLAIMS = claims()
FIXED = [claim for claim in CLAIMS if claim.after is not None and claim.inputs is not None]
SAFELY_FIXED = [claim for claim in FIXED if claim.fix_is_safe]


IN_MODES = [
    (claim, mode)
    for claim in simplest()
    for mode in adapter(claim.framework).modes
    if mode is not Mode.EAGER and claim.framework != "torch"
]
"""PyTorch's compiler takes seconds a function: the sweep compiles all of a rule as one."""


@pytest.mark.parametrize("claim", CLAIMS, ids=str)
def test_code_fails_at_the_witness_as_its_finding_says(claim: Claim, device: str) -> None:
    verdict = before(claim, device)
    assert not verdict.complaint, str(verdict)


@pytest.mark.parametrize("claim", FIXED, ids=str)
def test_fixed_code_is_finite_at_the_witness(claim: Claim, device: str) -> None:
    verdict = after_at_the_witness(claim, device)
    assert not verdict.complaint, str(verdict)


@pytest.mark.parametrize(("claim", "mode"), IN_MODES, ids=lambda part: str(part))
def test_code_fails_and_is_fixed_at_the_witness_in_every_mode(
    claim: Claim, mode: Mode, device: str
) -> None:
    try:
        was = before(claim, device, mode)
    except Exception as error:
        assert is_refusal(error)
        return
    if (claim.framework, claim.code, mode) not in MENDED:
        assert not was.complaint, str(was)
    now = after_at_the_witness(claim, device, mode)
    assert not now.complaint, str(now)


@pytest.mark.parametrize("claim", SAFELY_FIXED, ids=str)
def test_safe_fix_changes_no_finite_result(claim: Claim, device: str) -> None:
    seen = compare(claim, device)
    assert seen.worst <= TOLERANCE, f"deviates by {seen.worst:.1e} in {seen.place}"
    assert seen.compared, "the original is finite nowhere"
