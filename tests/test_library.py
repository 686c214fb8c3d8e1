"""The package as a library: one pure call, whose work can be spread over processes."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from mllint_nan import check_paths, check_source, fix_source
from mllint_nan.findings import Confidence
from mllint_nan.linter import AnalysisError, Failed
from mllint_nan.settings import Settings

BAD = "import torch\n\ndef f(x):\n    return torch.log(torch.softmax(x, dim=-1))\n"


def test_findings_are_values() -> None:
    (finding,) = check_source(BAD, filename="a.py")
    assert (finding.code, finding.start.row, finding.start.column) == ("NAN101", 4, 12)
    assert finding.fix is not None
    assert pickle.loads(pickle.dumps(finding)) == finding


def test_call_is_spread_over_processes() -> None:
    with ProcessPoolExecutor(2) as pool:
        found = list(pool.map(check_source, [BAD, "x = 1\n", BAD], chunksize=1))
    assert [len(findings) for findings in found] == [1, 0, 1]
    assert found[0] == check_source(BAD)


def test_nothing_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mllint-nan.toml").write_text('select = ["nonsense"]')
    expected = check_source(BAD)
    assert len(expected) == 1
    check_source("import torch\n", "a.py")

    def refuse(*arguments: object, **keywords: object) -> None:
        raise AssertionError("a file is read")

    monkeypatch.setattr("builtins.open", refuse)
    monkeypatch.setattr(os, "stat", refuse)
    assert check_source(BAD, "a.py") == expected


def test_settings_are_taken() -> None:
    text = "import torch\n\ndef f(x):\n    return torch.sqrt(x)\n"
    assert check_source(text) == []
    settings = Settings(min_confidence=Confidence.POSSIBLE)
    assert [finding.code for finding in check_source(text, settings=settings)] == ["NAN203"]


def test_text_that_is_not_python_is_a_finding() -> None:
    for text in ("import torch\nx = (\n", "import torch\0\n"):
        assert [finding.code for finding in check_source(text)] == ["NAN901"]


def test_declared_encoding_and_byte_order_mark_do_not_matter_to_a_text() -> None:
    text = f"# -*- coding: latin-1 -*-\né = 1; {BAD}"
    (finding,) = check_source(text.replace("import", "\nimport"))
    assert finding.start.row == 6
    assert len(check_source("\ufeff" + BAD)) == 1


def test_text_that_cannot_be_judged_is_an_error() -> None:
    with pytest.raises(AnalysisError, match="surrogate"):
        check_source(f"{BAD}\ns = '\ud800'\n")


def test_importing_the_package_imports_nothing_else() -> None:
    code = "import sys, mllint_nan; print([n for n in sys.modules if n.startswith('mllint_nan.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_package_is_imported_at_once() -> None:
    code = """if True:
        import sys, time
        before, start = set(sys.modules), time.process_time()
        import mllint_nan
        spent = time.process_time() - start
        assert not any(name.startswith("libcst") for name in sys.modules)
        print(spent < 0.03, sorted(set(sys.modules) - before - {"typing", "mllint_nan"})[:9])
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("True ")


def test_source_is_fixed() -> None:
    text = f"\ufeff{BAD}".replace("\n", "\r\n")
    fixed = fix_source(text)
    assert fixed.text == text.replace("log(torch.softmax(x, dim=-1))", "log_softmax(x, dim=-1)")
    assert [finding.code for finding in fixed.applied] == ["NAN101"]
    assert fixed.findings == ()
    assert pickle.loads(pickle.dumps(fixed)) == fixed


def test_unsafe_fixes_are_asked_for() -> None:
    text = "import torch\n\ndef f(x):\n    return torch.log(torch.relu(x))\n"
    kept = fix_source(text)
    assert (kept.text, kept.applied, len(kept.findings)) == (text, (), 1)
    assert fix_source(text, settings=Settings(unsafe_fixes=True)).text != text


def test_what_cannot_be_fixed_is_as_it_was() -> None:
    assert fix_source("x = 1\n").text == "x = 1\n"
    broken = fix_source("import torch\nx = (\n")
    assert [finding.code for finding in broken.findings] == ["NAN901"]
    with pytest.raises(AnalysisError, match="surrogate"):
        fix_source("'\ud800'")


def test_paths_are_checked_as_by_the_command(tmp_path: Path) -> None:
    (tmp_path / "mllint-nan.toml").write_text('per-file-ignores = { "b.py" = ["NAN101"] }')
    for name in ("a.py", "b.py", ".venv/c.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(BAD)
    missing = str(tmp_path / "missing.py")
    found = {checked.path: checked for checked in check_paths([tmp_path, missing])}
    assert {path: len(checked.findings) for path, checked in found.items()} == {
        missing: 0,
        str(tmp_path / "a.py"): 1,
        str(tmp_path / "b.py"): 0,
    }
    assert isinstance(found[missing].outcome, Failed)
    everything = check_paths([tmp_path], Settings(), jobs=2)
    assert [len(checked.findings) for checked in everything] == [1, 1]
