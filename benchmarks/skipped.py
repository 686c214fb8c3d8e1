"""Analyse in full what screening skips because it names no framework: nothing may be found there.

    python benchmarks/skipped.py DIR [DIR...]

Each directory is a root of imports. It is only read. Exit status: 1 if anything is found.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest import mock

from mllint_nan import linter
from mllint_nan.findings import Confidence
from mllint_nan.linter import checking, selection
from mllint_nan.project import placed
from mllint_nan.results import Linted, Unparsable
from mllint_nan.screening import needs_analysis
from mllint_nan.settings import Settings

EVERYTHING = Settings(min_confidence=Confidence.POSSIBLE)


def found(path: Path, root: str) -> Iterator[str]:
    """Yield the findings of a full analysis of a file."""
    settings = placed(EVERYTHING, str(path), (root,))
    with (
        mock.patch.object(checking, "needs_analysis", lambda *_: True),
        mock.patch.object(selection, "is_silent", lambda *_: False),
    ):
        outcome = linter.lint_bytes(path.read_bytes(), str(path), settings)
    match outcome:
        case Linted(findings):
            yield from (f"{path}:{one.start.row}: {one.code}" for one in findings)
        case Unparsable(finding):
            yield f"{path}:{finding.start.row}: {finding.code}"


def main(roots: Sequence[str]) -> int:
    files = [(path, root) for root in roots for path in sorted(Path(root).rglob("*.py"))]
    skipped = [(path, root) for path, root in files if not needs_analysis(path.read_bytes())]
    said = [line for path, root in skipped for line in found(path, root)]
    print(
        *said,
        f"{len(files)} files, {len(skipped)} passed over, {len(said)} findings in them",
        sep="\n",
    )
    return bool(said)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
