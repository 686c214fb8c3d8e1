"""The programs of `examples/` show what their page says: each bug is told, and nothing else is."""

from __future__ import annotations

from pathlib import Path

from mllint_nan.project import Request, check_paths
from mllint_nan.settings import Settings

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
EXPECTED = {
    "attention.py": ["NAN103", "NAN106", "NAN103"],
    "corpus/scan_parquet.py": [],
    "keras_nan_patch.py": ["NAN402"],
    "masked_pooling.py": ["NAN301", "NAN401", "NAN203"],
    "tf1_classifier.py": ["NAN101"],
    "wgan_gp.py": ["NAN204"],
}


def test_each_bug_is_told() -> None:
    paths = sorted(str(path) for path in EXAMPLES.rglob("*.py"))
    found = {
        Path(path).relative_to(EXAMPLES).as_posix(): [one.code for one in checked.findings]
        for path, checked in zip(paths, check_paths(paths, Request(Settings())), strict=True)
    }
    assert found == EXPECTED
