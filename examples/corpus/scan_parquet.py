"""Scan a column of sources in Parquet files on a Ray cluster.

    python scan_parquet.py sources/ findings/

reads rows with `path` and `text`, and writes one row for each finding, and one for each text that
could not be checked. Every worker has one process that does the checking; a text on which it hangs
or dies costs that text, and the memory of the worker stays as it is.
"""

from __future__ import annotations

import sys
from typing import Any

import ray

from mllint_nan.isolation import IsolatedChecker


class Scan:
    """One per worker."""

    def __init__(self, seconds: float = 30.0) -> None:
        self.checker = IsolatedChecker(seconds=seconds)

    def __call__(self, row: dict[str, Any]) -> list[dict[str, Any]]:
        answer = self.checker.check(row["text"], row["path"])
        if answer.error is not None:
            return [_row(row["path"], error=answer.error)]
        return [
            _row(
                row["path"],
                code=finding.code,
                row=finding.start.row,
                column=finding.start.column,
                confidence=str(finding.confidence),
                message=finding.message,
                is_fixable=finding.fix is not None,
            )
            for finding in answer.findings
        ]


def _row(
    path: str,
    *,
    code: str = "",
    row: int = 0,
    column: int = 0,
    confidence: str = "",
    message: str = "",
    is_fixable: bool = False,
    error: str = "",
) -> dict[str, Any]:
    """Every row has every column, so that all parts of the result have one schema."""
    return {
        "path": path,
        "code": code,
        "row": row,
        "column": column,
        "confidence": confidence,
        "message": message,
        "is_fixable": is_fixable,
        "error": error,
    }


def scan(sources: str, results: str, workers: int = 2) -> None:
    texts = ray.data.read_parquet(sources, columns=["path", "text"])
    # Half a processor each is kept for them, so that there is always one to read and to write.
    texts.flat_map(Scan, concurrency=workers, num_cpus=0.5).write_parquet(results)


if __name__ == "__main__":
    scan(*sys.argv[1:3])
