"""The files of a project that are not Python: settings, documents, shell scripts, and its setup.

They may name a definition that no Python code of the project names.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from typing import Final

from mllint_nan.packages import package_of
from mllint_nan.project_files import (
    OTHERS_MOST,
    SourceFile,
    others_below,
    status_of,
    text_of,
)
from mllint_nan.syntax.symbol_table import holds

_SETUPS: Final = ("pyproject.toml", "setup.py", "setup.cfg")
"""The files at the root of a project that say how it is installed."""
_PROJECT: Final = re.compile(
    rb"(?m)^[ \t]*\[(project|build-system|tool\.(poetry|flit|pdm|hatch))\b"
)
"""A table of `pyproject.toml` that shows that modules are installed, from any folder."""
_SETTINGS: Final = (".yaml", ".yml", ".json", ".toml", ".cfg", ".ini", ".gin", ".conf")
_SETUP: Final = re.compile(rb"\b(packages|py_modules)\b")
"""Words in `setup.py` or `setup.cfg` that show that packages are installed."""
_OTHERS: Final = re.compile(rb"\b(py_modules|py-modules|package_dir|package-dir|\w*namespace\w*)\b")
"""Words that show that modules outside of packages are installed, too."""


class Surroundings:
    """The files below the root of a project that are not Python."""

    def __init__(self, root: str) -> None:
        self._root = root

    @property
    def files(self) -> tuple[SourceFile, ...]:
        return others_below(self._root) if self._root else ()

    @property
    def is_whole(self) -> bool:
        """Whether there is a project, and all of its files were found, as they are not too many."""
        return bool(self._root) and len(self.files) < OTHERS_MOST

    def name(self, name: str) -> bool:
        """Whether one of the files contains a name as a word."""
        return _stands_in(self.files, name)

    def set(self, name: str) -> bool:
        """Whether a file of settings contains a name, by which something may be looked up."""
        return _stands_in((one for one in self.files if one.file.endswith(_SETTINGS)), name)

    def run(self, file: str) -> bool:
        """Whether a document or a shell script says that a file is run."""
        path = os.path.relpath(file, self._root).replace(os.sep, "/")
        module = path.removesuffix(".py").replace("/", ".")
        said = re.compile(
            rb"\bpython[\w.]*[ \t][^\n]*?((?<![\w-])%s|-m[ \t]+%s)\b"
            % (re.escape(os.fsencode(path)), re.escape(os.fsencode(module)))
        )
        return any(said.search(text_of(*one)) for one in self._documents())

    def offer(self, package: str) -> bool:
        """Whether a document or shell script imports a package, or installs it as others would."""
        name = re.escape(os.fsencode(package))
        said = re.compile(
            rb"\b(import|from)[ \t]+%s\b|\binstall[ \t][^\n]*(\b%s\b|git\+)" % (name, name)
        )
        return any(said.search(text_of(*one)) for one in self._documents())

    def _documents(self) -> list[SourceFile]:
        return [one for one in self.files if not one.file.endswith(_SETTINGS)]

    def install(self, file: str) -> bool:
        """Whether a module is installed, so that callers may exist that are not visible."""
        folders = os.path.relpath(file, self._root).split(os.sep)[:-1]
        project, *setups = [_text_in(self._root, name) for name in _SETUPS]
        setup = b"".join(setups)
        is_project, is_set_up = _PROJECT.search(project), _SETUP.search(setup)
        if not (is_project or is_set_up):
            return False
        is_packaged = bool(package_of(file)[1]) or "src" in folders
        return is_packaged or bool(is_project and folders) or bool(_OTHERS.search(project + setup))

    @property
    def state(self) -> str:
        """A digest of the files as they are now."""
        setups = [_text_in(self._root, name) for name in _SETUPS]
        others = [file for file in self.files if os.path.basename(file.file) not in _SETUPS]
        said = repr((others, setups))
        return hashlib.sha256(said.encode("utf-8", "surrogateescape")).hexdigest()


def _text_in(root: str, name: str) -> bytes:
    found = status_of(os.path.join(root, name)) if root else None
    return text_of(*found) if found is not None else b""


def _stands_in(files: Iterable[SourceFile], name: str) -> bool:
    word = name.encode("utf-8", "surrogateescape")
    return any(holds(text_of(*file), word) for file in files)
