"""The packages that a file is in: those with an `__init__.py`, or shown by relative imports."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from itertools import islice
from typing import Final

from mllint_nan.project_files import (
    LARGEST,
    Changes,
    SourceFile,
    kept,
    listed,
    remembered,
    text_of,
)

_INIT: Final = "__init__.py"
_KEPT_MOST: Final = 1024
_FILES_MOST: Final = 64
"""Files of a folder without an `__init__.py` that are read for what they import."""
_RELATIVE: Final = re.compile(rb"(?m)^[ \t]*from[ \t]+(\.+)")
"""The dots of a relative import, one more than the packages that it leaves."""


_packages: dict[str, tuple[str, str]] = kept()
"""The packages that a folder is in, while no file changes."""
_names: dict[str, str] = kept()
"""The module that a file is, while no file changes."""


def module_of(file: str) -> str:
    """The qualified name of the module that a file is."""
    return remembered(_names, file, _module_of)


def _module_of(file: str) -> str:
    package, own = package_of(file)[1], os.path.basename(file).removesuffix(".py")
    if own == _INIT.removesuffix(".py"):
        return package or os.path.basename(os.path.dirname(file))
    return f"{package}.{own}" if package else own


def package_of(file: str) -> tuple[str, str]:
    """The directory above the packages that a file is in, and the name of the innermost one.

    A folder without an `__init__.py` is a package if one of its files imports relatively, as only
    a module of a package can (PEP 420), and so are the folders above that such imports reach.
    """
    return remembered(_packages, os.path.dirname(os.path.abspath(file)), _package_of)


def is_regular(directory: str) -> bool:
    return os.path.exists(os.path.join(directory, _INIT))


def _package_of(directory: str) -> tuple[str, str]:
    parts = list[str]()
    left = 0
    while True:
        is_package = is_regular(directory)
        left = max(left - 1, 0 if is_package else _dots(directory))
        outer, name = os.path.split(directory)
        if not (is_package or (left and name.isidentifier())) or not name:
            break
        directory = outer
        parts.append(name)
    return directory, ".".join(reversed(parts))


def _dots(directory: str, without: frozenset[str] = frozenset()) -> int:
    """The most dots of a relative import in the files of a folder, except some."""
    files = islice((one for one in listed(directory).files if one.size <= LARGEST), _FILES_MOST)
    return max((_dots_of(one) for one in files if one.file not in without), default=0)


@lru_cache(_KEPT_MOST)
def _dots_of(file: SourceFile) -> int:
    return max(map(len, _RELATIVE.findall(text_of(*file))), default=0)


def renames_modules(changes: Changes) -> bool:
    """Whether the module names of other files may have changed, as a package came or went.

    A folder without an `__init__.py` may be a package only by the imports of a changed file.
    """
    if any(os.path.basename(file) == _INIT for file in (*changes.came, *changes.gone)):
        return True
    folders = {os.path.dirname(file) for file in changes.files}
    return any(
        _dots(folder, changes.files) < _dots(folder) for folder in folders if not is_regular(folder)
    )
