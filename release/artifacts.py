"""Check the files that are about to be published.

    python -m release.artifacts dist [--without-compiled]

There must be the source distribution, the pure wheel and, for every Python that the package
names and every platform of `PLATFORMS`, a compiled wheel, all of the package's version, and
nothing else: where pip finds no compiled wheel, it silently installs the pure one.
"""

from __future__ import annotations

import argparse
import re
import sys
import zipfile
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

from mllint_nan.version import __version__
from release.refusal import Refused, guarded, project

NAME: Final = "mllint_nan"
PLATFORMS: Final = (
    r"manylinux\w+_x86_64",
    r"manylinux\w+_aarch64",
    r"musllinux\w+_x86_64",
    r"musllinux\w+_aarch64",
    r"macosx_\w+_x86_64",
    r"macosx_\w+_arm64",
    r"win_amd64",
)
_VERSION: Final = re.compile(r"Programming Language :: Python :: 3\.(\d+)")


def interpreters() -> tuple[str, ...]:
    """Return the tags of the Python versions that the package names: `cp310` and so on."""
    versions = (_VERSION.fullmatch(name) for name in project()["classifiers"])
    return tuple(f"cp3{found[1]}" for found in versions if found)


def expected(version: str, with_compiled: bool) -> Iterator[str]:
    """Yield patterns of file names, each of which must match exactly one file."""
    begin = re.escape(f"{NAME}-{version}")
    yield rf"{begin}\.tar\.gz"
    yield rf"{begin}-py3-none-any\.whl"
    if with_compiled:
        for python in interpreters():
            # A wheel for an older system may carry several tags, separated by dots.
            yield from (rf"{begin}-{python}-{python}-(?:\w+\.)*{one}\.whl" for one in PLATFORMS)


def check_names(names: Collection[str], version: str, with_compiled: bool) -> None:
    """Raise `Refused` if a file is missing or superfluous."""
    left = set(names)
    for pattern in expected(version, with_compiled):
        found = {name for name in left if re.fullmatch(pattern, name)}
        if len(found) != 1:
            said = "is missing" if not found else f"is there twice: {', '.join(sorted(found))}"
            plain = pattern.replace("\\", "").replace("(?:w+.)*", "").replace("w+_", "*_")
            raise Refused(f"{plain} {said}")
        left -= found
    if left:
        raise Refused(f"{', '.join(sorted(left))} is no file of release {version}")


def check_wheel(wheel: Path) -> None:
    """Raise `Refused` if a wheel lacks rules or types, or is not compiled as its name says."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    if f"{NAME}/py.typed" not in names:
        raise Refused(f"{wheel.name} holds no {NAME}/py.typed")
    if not any(name.startswith(f"{NAME}/rules/") and name.endswith(".toml") for name in names):
        raise Refused(f"{wheel.name} holds no rules")
    compiled = sum(name.endswith((".so", ".pyd")) for name in names)
    is_pure = wheel.name.endswith("-none-any.whl")
    if is_pure == bool(compiled):
        raise Refused(f"{wheel.name} holds {compiled} compiled modules")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="release.artifacts", description="Look over the files that are to be published."
    )
    parser.add_argument("directory", type=Path)
    parser.add_argument("--without-compiled", action="store_true", help="of one `python -m build`")
    options = parser.parse_args(arguments)

    def step() -> None:
        if not options.directory.is_dir():
            raise Refused(f"{options.directory} is no directory")
        files = sorted(options.directory.iterdir())
        names = [file.name for file in files]
        check_names(names, __version__, not options.without_compiled)
        for file in files:
            if file.suffix == ".whl":
                check_wheel(file)
        print(f"{len(files)} files of release {__version__}")

    return guarded(step)


if __name__ == "__main__":
    sys.exit(main())
