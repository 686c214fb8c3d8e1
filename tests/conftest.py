"""Options and fixtures that all tests share."""

from __future__ import annotations

from typing import Literal

import pytest

Device = Literal["cpu", "cuda"]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("mllint-nan")
    group.addoption(
        "--bless", action="store_true", help="rewrite fixtures/*/*.fixed.py, to be reviewed"
    )
    group.addoption(
        "--device",
        choices=("cpu", "cuda", "auto"),
        default="auto",
        help="where fixtures are executed (auto: cuda if torch has it)",
    )


@pytest.fixture(scope="session")
def is_blessing(pytestconfig: pytest.Config) -> bool:
    """Whether `.fixed.py` files are rewritten instead of compared."""
    return bool(pytestconfig.getoption("--bless"))


@pytest.fixture(scope="session")
def device(pytestconfig: pytest.Config) -> Device:
    """Where fixtures are executed."""
    match pytestconfig.getoption("--device"):
        case "cpu":
            return "cpu"
        case "cuda":
            return "cuda"
        case _:
            return "cuda" if _has_cuda() else "cpu"


def _has_cuda() -> bool:
    try:
        import torch
    except ImportError:
        return False
    return bool(torch.cuda.is_available())
