"""What a call in another file of the project breaks is reported where it breaks."""

from __future__ import annotations

import re
import sys
import types
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mllint_nan.module_resolver import module_resolver_of
from mllint_nan.project import Request, check_file
from mllint_nan.settings import Settings
from mllint_nan.tracing import trace_row
from tests.called import IMPORTS, Called, in_jax, in_numpy, in_tensorflow, in_torch
from tests.verifier.frameworks import selected

PROJECTS = [
    *in_torch.PROJECTS,
    *in_tensorflow.PROJECTS,
    *in_jax.PROJECTS,
    *in_numpy.PROJECTS,
]
EXECUTED = [one for one in PROJECTS if one.framework in selected()]

each_project = pytest.mark.parametrize("called", PROJECTS, ids=str)


def found(folder: Path, files: dict[str, str]) -> list[tuple[str, int]]:
    """What is reported by default of the module that is called, with its rows."""
    (folder / "pyproject.toml").touch()
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    findings = check_file(str(folder / "lib.py"), Request(Settings())).findings
    return [(one.code, one.start.row) for one in findings]


def expected(text: str) -> list[tuple[str, int]]:
    rows = enumerate(text.splitlines(), 1)
    marks = ((row, re.search(r"# expect: (NAN\d+)", line)) for row, line in rows)
    return [(mark[1], row) for row, mark in marks if mark]


@each_project
def test_call_that_breaks_it_is_found(called: Called, tmp_path: Path) -> None:
    files = called.files()
    assert found(tmp_path, files) == expected(files["lib"]) != []


@each_project
def test_sound_call_is_quiet(called: Called, tmp_path: Path) -> None:
    assert found(tmp_path, called.files(is_sound=True)) == []


@each_project
def test_nothing_is_said_without_a_call(called: Called, tmp_path: Path) -> None:
    assert found(tmp_path, {"lib": called.files()["lib"]}) == []


def test_trace_shows_the_way_of_the_call(tmp_path: Path) -> None:
    (called,) = (one for one in PROJECTS if one.name == "chain over two files")
    files = called.files()
    ((_, row),) = found(tmp_path, files)
    settings = replace(Settings(), project=module_resolver_of(str(tmp_path / "lib.py")))
    traces = trace_row(files["lib"].encode(), "lib.py", row, settings)
    call = next(
        at
        for at, line in enumerate(files["run"].splitlines(), 1)
        if "confidence_penalty(p)" in line
    )
    way = f"run.py:{call} → confidence_penalty → surprise → here"
    assert f"as called in result: {way}" in {trace.call for trace in traces}


def test_call_that_is_to_fail_shows_nothing(tmp_path: Path) -> None:
    module = IMPORTS["torch"] + "def inverse(scale):\n    return 1 / scale\n"
    call = "    with pytest.raises(ValueError):\n        inverse(torch.zeros(3))\n"
    text = IMPORTS["torch"] + f"import pytest\nfrom lib import inverse\n\ndef test_it():\n{call}"
    assert found(tmp_path, {"lib": module, "test_lib": text}) == []
    assert found(tmp_path, {"test_lib": text.replace("pytest.raises(ValueError)", "open()")})


@pytest.mark.slow
@pytest.mark.parametrize("called", EXECUTED, ids=str)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_call_breaks_it_when_executed(called: Called, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not np.isfinite(executed(called.files(), monkeypatch)).all()
    assert np.isfinite(executed(called.files(is_sound=True), monkeypatch)).all()


def executed(files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> np.ndarray:
    """All numbers of what the caller computes."""
    for name, text in files.items():
        module = types.ModuleType(name)
        monkeypatch.setitem(sys.modules, name, module)
        exec(compile(text, f"{name}.py", "exec"), module.__dict__)
    arrays = sys.modules["run"].result()
    return np.concatenate([np.asarray(one, dtype=float).ravel() for one in arrays])


def test_what_a_where_selects_holds_for_calls_too(tmp_path: Path) -> None:
    lib = "import torch\ndef softplus(y):\n"
    lib += "    return torch.where(y > 20.0, y, torch.log1p(torch.exp(y)))\n"
    use = "import torch\nimport lib\ndef step(model, x):\n"
    use += "    lib.softplus(model(x)).sum().backward()\n"
    assert found(tmp_path, {"lib": lib, "use": use}) == [("NAN105", 3)]
    finding = check_file(str(tmp_path / "lib.py"), Request(Settings())).findings[0]
    assert finding.message.startswith("the gradient of the branch that is not selected")
