"""What the tool changes in a package's source, and a tree with a part of the changes."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any, Final

from benchmarks.package_tests.rewrites import Rewrite, rewrites_of, rewritten

MODES: Final[Mapping[str, tuple[str, ...]]] = {
    "safe": (),
    "unsafe": ("--unsafe-fixes",),
    "verify": ("--unsafe-fixes", "--verify"),
}
_AS_A_USER: Final = ("--min-confidence", "possible", "--no-respect-gitignore", "--no-cache", "-q")
_UNPACKED: Final = shutil.ignore_patterns(".git", "__pycache__", "*.pyc", "node_modules")


@dataclass(frozen=True, slots=True)
class Tool:
    """A checkout of this project."""

    root: Path

    def revision(self) -> str:
        """Return the commit, with a hash of uncommitted changes."""
        commit = self._git("rev-parse", "--short=10", "HEAD").strip()
        changed = self._git("diff", "HEAD", "--", "mllint_nan", "rules")
        if not changed:
            return commit
        return f"{commit}-{hashlib.sha256(changed.encode()).hexdigest()[:8]}"

    def _git(self, *arguments: str) -> str:
        command = ["git", "-C", str(self.root), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def run(self, place: Path, *options: str) -> str:
        """Run it in a directory, as a user would, and return what it prints."""
        command = ["nice", "-n", "10", sys.executable, "-m", "mllint_nan", *_AS_A_USER, *options]
        settings = {**os.environ, "PYTHONPATH": str(self.root)}
        done = subprocess.run(
            [*command, "."], cwd=place, env=settings, capture_output=True, text=True
        )
        # 2 is also the status if single files cannot be analysed, which occur in test data.
        is_refused = done.stderr.startswith("mllint-nan: error:")
        if done.returncode not in (0, 1, 2) or is_refused or "Traceback" in done.stderr:
            raise SystemExit(f"the tool ends with {done.returncode}: {done.stderr[-500:]}")
        return done.stdout


@dataclass(frozen=True, slots=True)
class Labelled:
    """A rewrite, and the findings in the untouched file whose fixes change the same rows."""

    rewrite: Rewrite
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fixes:
    """All that a mode changes in the Python files of a package."""

    after: Mapping[str, str]
    labelled: tuple[Labelled, ...]

    @property
    def rewrites(self) -> tuple[Rewrite, ...]:
        return tuple(one.rewrite for one in self.labelled)

    def labels_of(self, rewrite: Rewrite) -> tuple[str, ...]:
        return next(one.labels for one in self.labelled if one.rewrite == rewrite)

    def dumps(self) -> str:
        labelled = [asdict(one) for one in self.labelled]
        return json.dumps({"after": self.after, "labelled": labelled})

    @staticmethod
    def loads(text: str) -> Fixes:
        content = json.loads(text)
        labelled = tuple(
            Labelled(Rewrite(**one["rewrite"]), tuple(one["labels"])) for one in content["labelled"]
        )
        return Fixes(content["after"], labelled)


Label = tuple[str, int, str]
"""A file, one of its rows, and the code and applicability of a fix that changes that row."""


def labels_of(tool: Tool, source: Path, scratch: Path) -> list[Label]:
    """Return the labels of all rows that the tool would change, before it changes any."""
    with _copy_of(source, scratch) as copy:
        found = json.loads(tool.run(copy, "--output-format", "json") or "[]")
        return list(_labels(found, copy.resolve()))


@contextmanager
def _copy_of(source: Path, scratch: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=scratch) as place:
        copy = Path(place, source.name)
        shutil.copytree(source, copy, ignore=_UNPACKED, symlinks=True)
        yield copy


def fixes_of(tool: Tool, source: Path, mode: str, labels: Sequence[Label], scratch: Path) -> Fixes:
    """Fix a copy of a source in a mode."""
    with _copy_of(source, scratch) as copy:
        tool.run(copy, "--fix", *MODES[mode])
        after: dict[str, str] = {}
        labelled: list[Labelled] = []
        for path in sorted(copy.rglob("*.py")):
            name = path.relative_to(copy).as_posix()
            old, new = _text(source / name), _text(path)
            if old is None or new is None or old == new:
                continue
            after[name] = new
            for rewrite in rewrites_of(name, old, new):
                near = {
                    text for place, row, text in labels if place == name and row in rewrite.rows
                }
                labelled.append(Labelled(rewrite, tuple(sorted(near))))
    return Fixes(after, tuple(labelled))


def _labels(found: Iterable[Mapping[str, Any]], root: Path) -> Iterable[tuple[str, int, str]]:
    """Yield file, row and label for each row that a fix changes."""
    for entry in found:
        if entry["fix"] is None:
            continue
        path = os.path.relpath(os.path.realpath(entry["filename"]), root).replace(os.sep, "/")
        text = f"{entry['code']} {entry['fix']['applicability']}"
        for edit in entry["fix"]["edits"]:
            for row in range(edit["location"]["row"], edit["end_location"]["row"] + 1):
                yield path, row, text


def _text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None


@dataclass(frozen=True, slots=True)
class Tree:
    """A copy of a source in which some files are replaced for a while."""

    source: Path
    place: Path

    @staticmethod
    def of(source: Path, place: Path) -> Tree:
        if not place.is_dir():
            shutil.copytree(source, place, ignore=_UNPACKED, symlinks=True)
        return Tree(source, place)

    def put(self, fixes: Fixes, chosen: Iterable[Rewrite] | None, paths: Iterable[str]) -> None:
        """Write the files at `paths` with the chosen rewrites, or with all changes of the fixes.

        All other files that the fixes change are restored.
        """
        wanted = set(paths)
        part = None if chosen is None else tuple(chosen)
        for path, after in fixes.after.items():
            before = (self.source / path).read_bytes().decode()
            if path not in wanted:
                self._write(path, before)
            elif part is None:
                self._write(path, after)
            else:
                self._write(path, rewritten(before, after, path, part))

    def restore(self, paths: Iterable[str]) -> None:
        for path in paths:
            self._write(path, (self.source / path).read_bytes().decode())

    def _write(self, path: str, text: str) -> None:
        """Write a file, and remove its compiled code, which may match it in age and size."""
        place = self.place / path
        data = text.encode()
        if place.read_bytes() == data:
            return
        place.write_bytes(data)
        compiled = Path(cache_from_source(str(place)))
        for stale in compiled.parent.glob(f"{place.stem}.*.pyc"):
            stale.unlink()
