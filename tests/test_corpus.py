"""The example that scans Parquet on a cluster, on a cluster of this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.on_demand import module

pa, pq = module("pyarrow"), module("pyarrow.parquet")

pytestmark = pytest.mark.slow

BAD = "import torch\n\ndef f(x):\n    return torch.log(torch.softmax(x, dim=-1))\n"
SOURCES = {
    **{f"bad{number}.py": BAD for number in range(20)},
    **{f"other{number}.py": f"x = {number}\n" for number in range(20)},
    "broken.py": "import torch\nx = (\n",
    "digits.py": f"import torch\nx = {'1' * 50_000_000}\n",
}


@pytest.fixture
def column(tmp_path: Path) -> Path:
    """The sources in two files, as an export has them, with a column that does not matter."""
    directory = tmp_path / "sources"
    directory.mkdir()
    paths = list(SOURCES)
    for part, some in enumerate((paths[::2], paths[1::2])):
        texts = [SOURCES[path] for path in some]
        table = pa.table({"path": some, "text": texts, "stars": list(range(len(some)))})
        pq.write_table(table, directory / f"{part}.parquet")
    return directory


def test_corpus_is_scanned_and_a_poisoned_text_costs_one_row(
    column: Path, no_grammars: Path, tmp_path: Path
) -> None:
    path = os.pathsep.join(map(str, (ROOT, no_grammars)))
    results = tmp_path / "findings"
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples/corpus/scan_parquet.py"), str(column), str(results)],
        env={**os.environ, "PYTHONPATH": path, "RAY_USAGE_STATS_ENABLED": "0"},
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = pq.read_table(results).to_pylist()
    assert Counter(row["code"] for row in rows) == {"NAN101": 20, "NAN901": 1, "": 1}
    assert all((row["row"], row["column"]) == (4, 12) for row in rows if row["code"] == "NAN101")
    (failed,) = [row for row in rows if row["error"]]
    assert failed["path"] == "digits.py"
    assert "more than 2000000" in failed["error"]
