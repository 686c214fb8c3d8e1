"""Run whole functions before and after their fixes, on generated arguments, and report what breaks.

    python -m benchmarks.differential [--out FILE] [--label safe|unsafe] [--root DIR]... PATH...

Each file is fixed and executed in a process of its own, with limits of time and memory. Its result
is a line of FILE; a file that has one is not run again. Modules below a root are executed as those
of their package. Exit status: 1 if a fix raises, or makes something NaN or infinite.

It executes the files: give it only files that you would run.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from mllint_nan.findings import Confidence
from mllint_nan.project import placed
from mllint_nan.settings import Settings
from tests.differential.run import LABELS, comparisons

_SECONDS_OF_A_FILE: Final = 240.0
_SECONDS_OF_A_FUNCTION: Final = 12.0
_MEMORY: Final = 6 << 30
_BAR: Final = 40


def executed(path: Path, label: str, root: str) -> Iterator[dict[str, Any]]:
    """Yield the comparison of each function of a file."""
    name, package = _place(path, root)
    settings = Settings(min_confidence=Confidence.POSSIBLE)
    settings = placed(settings, str(path), (root,) if root else ())
    text = path.read_text(encoding="utf-8")
    for comparison in comparisons(
        text,
        str(path),
        label,
        name=name,
        package=package,
        seconds=_SECONDS_OF_A_FUNCTION,
        settings=settings,
    ):
        yield asdict(comparison)


def _place(path: Path, root: str) -> tuple[str, str]:
    """Return the names of a module and its package."""
    if not root:
        return "", ""
    parts = path.relative_to(root).with_suffix("").parts
    if parts[-1] == "__init__":
        return ".".join(parts[:-1]), ".".join(parts[:-1])
    return ".".join(parts), ".".join(parts[:-1])


def _child(path: Path, label: str, root: str, pipe: Any) -> None:
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY * 4, _MEMORY * 4))
        resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    if root:
        sys.path.insert(0, root)
    try:
        for comparison in executed(path, label, root):
            pipe.send(comparison)
    except BaseException as error:
        pipe.send({"function": "<file>", "status": f"failed: {type(error).__name__}: {error}"})
    pipe.send(None)
    os._exit(0)


def run_file(path: Path, label: str, root: str) -> list[dict[str, Any]]:
    """Run a file in a process of its own, and return the comparisons that it makes in time."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    context = multiprocessing.get_context("fork")
    child = context.Process(target=_child, args=(path, label, root, theirs))
    child.start()
    theirs.close()
    end = time.monotonic() + _SECONDS_OF_A_FILE
    found: list[dict[str, Any]] = []
    try:
        while ours.poll(max(0.0, end - time.monotonic())):
            said = ours.recv()
            if said is None:
                break
            found.append(said)
        else:
            found.append({"function": "<file>", "status": "stopped: it takes too long"})
    except EOFError:
        found.append({"function": "<file>", "status": "stopped: its process ended"})
    child.kill()
    child.join()
    return found


def files_of(paths: Iterable[str]) -> Iterator[Path]:
    """Yield the Python files at some paths, without the repaired twins of fixtures."""
    for path in map(Path, paths):
        found = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        yield from (each for each in found if not each.name.endswith(".fixed.py"))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--out", default="differential.jsonl")
    parser.add_argument("--label", choices=LABELS, action="append")
    parser.add_argument("--root", action="append", default=[])
    options = parser.parse_args(arguments)
    out = Path(options.out)
    lines = out.read_text(encoding="utf-8").splitlines() if out.exists() else []
    known = {tuple(json.loads(line)["key"]) for line in lines}
    work = [(path, label) for path in files_of(options.paths) for label in options.label or LABELS]
    counts: Counter[str] = Counter()
    with contextlib.suppress(ImportError):
        import torch  # once, for all processes

        torch.set_num_threads(1)
    for number, (path, label) in enumerate(work, 1):
        key = [str(path), label, sha256(path.read_bytes()).hexdigest()[:12]]
        if tuple(key) not in known:
            root = next((each for each in options.root if path.is_relative_to(each)), "")
            found = run_file(path.resolve() if not root else path, label, root)
            with out.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, "trials": found}) + "\n")
            counts.update(_outcome(comparison) for comparison in found)
            _report(path, label, found)
        _progress(number, len(work), path)
    print(dict(counts))
    return bool(counts["violated"])


def _outcome(comparison: dict[str, Any]) -> str:
    if comparison.get("violations"):
        return "violated"
    return (
        "compared" if comparison["status"] == "compared" else comparison["status"].partition(":")[0]
    )


def _report(path: Path, label: str, found: Iterable[dict[str, Any]]) -> None:
    for comparison in found:
        for wrong in comparison.get("violations", ())[:1]:
            print(f"{path}: {comparison['function']} ({label}): {wrong['what']}", flush=True)
            print(
                f"    {comparison['cause']}\n    {wrong['scenario']}: {wrong['detail']}", flush=True
            )


def _progress(done: int, total: int, path: Path) -> None:
    if sys.stderr.isatty():
        bar = "#" * (done * _BAR // total)
        print(f"\r[{bar:<{_BAR}}] {done}/{total} {path.name[:30]:<30}", end="", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
