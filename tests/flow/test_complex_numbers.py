"""Complex numbers have no order: no range is known of them."""

from __future__ import annotations

from math import inf

import pytest

from tests.flow.analysed import JAX, NUMPY, TORCH, value_logged

COMPLEX = [
    (TORCH, "torch.exp(1j * x)"),
    (TORCH, "torch.fft.fft(x) ** 2"),
    (TORCH, "torch.exp(torch.polar(x, x)).sum()"),
    (NUMPY, "np.exp(np.fft.rfft(x))"),
    (NUMPY, "np.exp(x.astype(np.complex64))"),
    (JAX, "jnp.exp(jnp.zeros(3, dtype=jnp.complex64) + x)"),
    (JAX, "jnp.where(x > 0, 1j, 2j) ** 2"),
]
REAL = [
    (TORCH, "torch.exp(x)"),
    (TORCH, "torch.fft.fft(x).abs()"),
    (TORCH, "torch.exp(torch.fft.irfft(torch.fft.rfft(x)))"),
    (TORCH, "torch.exp(x.analysis.stft(x))"),
    (NUMPY, "np.exp(np.fft.fft(x).real)"),
    (JAX, "jnp.exp(jnp.where(x == 1j, x, 2.0))"),
]
_MODULES = {TORCH: "torch", NUMPY: "np", JAX: "jnp"}


@pytest.mark.parametrize(("imports", "value"), COMPLEX)
def test_complex_numbers_have_no_range(imports: str, value: str) -> None:
    found = value_logged(f"def f(x):\n    return {_MODULES[imports]}.log({value})\n", imports)
    assert (found.lo, found.hi) == (-inf, inf)


@pytest.mark.parametrize(("imports", "value"), REAL)
def test_real_numbers_have_one(imports: str, value: str) -> None:
    found = value_logged(f"def f(x):\n    return {_MODULES[imports]}.log({value})\n", imports)
    assert found.lo == 0
