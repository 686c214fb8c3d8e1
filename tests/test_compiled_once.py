"""What JAX has compiled for a test is there for later processes, with the same results."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import keep_compiled

PROGRAM = """
import jax
import jax.numpy as jnp

slope = jax.jit(jax.grad(lambda x: jnp.sum(jnp.log(1 + jnp.exp(x)))))
print(slope(jnp.array([-3.0, 0.5, 200.0])))
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where that is kept, and nothing is yet."""
    monkeypatch.delenv("JAX_COMPILATION_CACHE_DIR", raising=False)
    return tmp_path / "kept"


def printed() -> tuple[str, str]:
    """What the program says, and what JAX says of it."""
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout, done.stderr


@pytest.mark.slow
def test_what_is_compiled_is_kept_and_used(folder: Path) -> None:
    keep_compiled(folder)
    first = printed()
    kept = {path: path.read_bytes() for path in folder.rglob("*-cache")}
    assert any("lambda" in path.name for path in kept)
    assert printed() == first
    assert {path: path.read_bytes() for path in folder.rglob("*-cache")} == kept


def test_each_processor_has_a_folder_of_its_own(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = set()
    for name in ("a", "b", "a"):
        monkeypatch.setattr("tests.conftest._processor", lambda name=name: name)
        monkeypatch.delenv("JAX_COMPILATION_CACHE_DIR", raising=False)
        keep_compiled(folder)
        folders.add(os.environ["JAX_COMPILATION_CACHE_DIR"])
    assert folders == {str(folder / "xla-a"), str(folder / "xla-b")}


def test_a_folder_that_is_asked_for_is_taken(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", "elsewhere")
    keep_compiled(folder)
    assert os.environ["JAX_COMPILATION_CACHE_DIR"] == "elsewhere"
