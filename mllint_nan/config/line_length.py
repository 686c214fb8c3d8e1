"""The line length of a project, as its formatters and linters are configured.

The nearest directory that configures it decides: ruff, then black, then flake8 and pycodestyle.
The search ends at the root of the repository. Unreadable files are ignored; their own tools
complain.
"""

from __future__ import annotations

import configparser
import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

UNKNOWN: Final = 0
"""Not configured: lines are as long as is usual, or as the file has them."""
_USUAL: Final = 88
"""The default of ruff and black, if they are configured without a length."""
_RUFF: Final = (".ruff.toml", "ruff.toml")
_INI: Final = ("setup.cfg", "tox.ini", ".flake8", ".pycodestyle")
_SECTIONS: Final = ("flake8", "pycodestyle", "pep8")
_EXTENDED_MOST: Final = 8


def line_length_of(path: str) -> int:
    """The line length of the file at `path`; `UNKNOWN` if no configuration sets it."""
    directory = os.path.dirname(os.path.abspath(path))
    while True:
        for length in _in_directory(directory):
            return length
        parent = os.path.dirname(directory)
        if parent == directory or os.path.exists(os.path.join(directory, ".git")):
            return UNKNOWN
        directory = parent


def _in_directory(directory: str) -> Iterator[int]:
    """The settings in the files of one directory, the strongest first."""
    for name in _RUFF:
        table = _toml(os.path.join(directory, name))
        if table is not None:
            yield _of_ruff(table, directory)
    project = _toml(os.path.join(directory, "pyproject.toml"))
    tools = project.get("tool") if project is not None else None
    if isinstance(tools, Mapping):
        if isinstance(tools.get("ruff"), Mapping):
            yield _of_ruff(tools["ruff"], directory)
        if isinstance(tools.get("black"), Mapping):
            yield _number(tools["black"].get("line-length")) or _USUAL
        for name in ("flake8", "pycodestyle"):
            table = tools.get(name)
            length = _number(table.get("max-line-length")) if isinstance(table, Mapping) else None
            if length is not None:
                yield length
    for name in _INI:
        yield from _in_ini(os.path.join(directory, name))


def _of_ruff(table: Mapping[str, Any], directory: str) -> int:
    """The setting of a ruff configuration, or else of the one that it extends."""
    for _ in range(_EXTENDED_MOST):
        length = _number(table.get("line-length"))
        extended = table.get("extend")
        if length is not None or not isinstance(extended, str):
            return length or _USUAL
        path = os.path.join(directory, os.path.expanduser(extended))
        directory = os.path.dirname(path)
        table = _toml(path) or {}
        if os.path.basename(path) == "pyproject.toml":
            table = table.get("tool", {}).get("ruff", {})
    return _USUAL


def _in_ini(path: str) -> Iterator[int]:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        if not parser.read(path, encoding="utf-8"):
            return
    except (configparser.Error, UnicodeDecodeError, OSError):
        return
    for section in _SECTIONS:
        for key in ("max-line-length", "max_line_length"):
            length = _number(parser.get(section, key, fallback=None))
            if length is not None:
                yield length


def _number(value: object) -> int | None:
    """A number of columns, whether it was written as a number or as text."""
    if isinstance(value, str):
        value = int(value) if value.strip().isdecimal() else None
    return value if isinstance(value, int) and value > 0 else None


def _toml(path: str) -> dict[str, Any] | None:
    """The content of a file; `None` if it does not exist or is not TOML."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return _parsed(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=64)
def _parsed(path: str, changed: int, size: int) -> dict[str, Any] | None:
    """The same as `_toml`; a file that has changed is read again."""
    import tomli

    try:
        with open(path, "rb") as file:
            return tomli.load(file)
    except (OSError, UnicodeDecodeError, tomli.TOMLDecodeError):
        return None
