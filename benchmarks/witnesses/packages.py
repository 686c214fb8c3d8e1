"""The packages whose code is driven, listed in `packages.toml`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import tomli

LIST: Final = Path(__file__).with_name("packages.toml")
SPLITS: Final = ("dev", "held-out")


@dataclass(frozen=True, slots=True)
class Package:
    """A package; its source is in the folder `sources/NAME` of the runs."""

    name: str
    version: str
    """The version of a release, or the revision of a checkout."""
    frameworks: tuple[str, ...]
    roots: tuple[str, ...]
    """Folders of the package itself, relative to its source."""
    split: str
    """`dev`, or `held-out`: scored once, and never used for improvements."""
    tests: tuple[str, ...] = ()
    """Globs of its test files, relative to its source."""
    skips: tuple[str, ...] = ()
    """Globs of test files that are left out."""
    imports: tuple[str, ...] = ("",)
    """Folders from which tests import, relative to its source."""
    requires: tuple[str, ...] = ()
    """What its tests import in addition to the environment."""
    first: str = ""
    """Statements that are executed before its tests are imported."""
    scripts: tuple[str, ...] = ()
    """Training scripts, relative to its source, with their arguments."""

    def source(self, home: Path) -> Path:
        """Return the folder of its source."""
        return (home / "sources" / self.name).resolve()

    def folders(self, home: Path) -> list[Path]:
        """Return the roots, as paths."""
        return [self.source(home) / root for root in self.roots]

    def test_files(self, home: Path) -> list[str]:
        """Return its test files, sorted, relative to its source."""
        source = self.source(home)
        found = {path for glob in self.tests for path in source.glob(glob)}
        left_out = {path for glob in self.skips for path in source.glob(glob)}
        return sorted(path.relative_to(source).as_posix() for path in found - left_out)


def read_packages(path: Path = LIST) -> dict[str, Package]:
    """Return the packages by name. Raises `ValueError` for an invalid entry."""
    with path.open("rb") as file:
        table = tomli.load(file)
    return {name: _package(name, entry) for name, entry in table["packages"].items()}


def _package(name: str, entry: dict[str, Any]) -> Package:
    fields: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()
    }
    try:
        package = Package(name, **fields)
    except TypeError as error:
        raise ValueError(f"package {name}: {error}") from None
    if package.split not in SPLITS:
        raise ValueError(f"package {name}: split {package.split!r} is none of {SPLITS}")
    return package
