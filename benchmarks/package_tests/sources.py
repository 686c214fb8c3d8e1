"""The packages, their published sources, and an environment in which their tests run.

No index is given: pip uses the configured one.
"""

from __future__ import annotations

import shutil
import site
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from typing import Any, Final

import tomli

LIST: Final = Path(__file__).with_name("packages.toml")
_PIP: Final = ("-m", "pip", "--disable-pip-version-check", "-q")
_PINNED: Final = ("torch", "jax", "jaxlib", "numpy", "scipy")
"""Packages shared with the running interpreter, which no other build may replace."""


@dataclass(frozen=True, slots=True)
class Package:
    """A package with tests: `imports` are the folders from which it is imported."""

    name: str
    tests: tuple[str, ...]
    is_held_out: bool = False
    version: str = ""
    imports: tuple[str, ...] = ("",)
    requires: tuple[str, ...] = ()
    first: str = ""
    skips: tuple[str, ...] = ()


def packages(listing: Path = LIST) -> tuple[Package, ...]:
    with listing.open("rb") as file:
        table = tomli.load(file)
    return tuple(_package(name, entry) for name, entry in table["packages"].items())


def _package(name: str, entry: dict[str, Any]) -> Package:
    return Package(
        name,
        tuple(entry["tests"]),
        entry.get("held-out", False),
        entry.get("version", ""),
        tuple(entry.get("imports", [""])),
        tuple(entry.get("requires", [])),
        entry.get("first", ""),
        tuple(entry.get("skips", [])),
    )


def source_of(package: Package, home: Path) -> Path:
    """Return the unpacked source: a checkout below `home`, or else the published source."""
    checkout = home / "checkouts" / package.name
    if checkout.is_dir():
        return checkout
    place = home / "sources" / package.name
    if not place.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=home) as scratch:
            shutil.move(_downloaded(package, Path(scratch)), place)
    return place


def _downloaded(package: Package, scratch: Path) -> Path:
    """Return the source distribution, unpacked.

    pip reads the requirements of a package before it saves the archive. If that fails, pip has
    unpacked the archive nonetheless.
    """
    wanted = f"{package.name}=={package.version}" if package.version else package.name
    command = [sys.executable, *_PIP, "download", "--no-deps", "--no-clean"]
    command += ["--no-binary", package.name, "--dest", str(scratch / "got"), wanted]
    kept = scratch / "kept"
    kept.mkdir()
    done = subprocess.run(command, env=_with_scratch(kept), capture_output=True, text=True)
    archive = next((scratch / "got").glob("*"), None) if (scratch / "got").exists() else None
    if archive is not None:
        return _unpacked(archive, scratch / "source")
    left = next(kept.glob("pip-download-*/*/*"), None)
    if left is None:
        raise SystemExit(f"{wanted} cannot be fetched: {done.stderr[-500:]}")
    return left.parent


def _with_scratch(place: Path) -> dict[str, str]:
    import os

    return {**os.environ, "TMPDIR": str(place)}


def _unpacked(archive: Path, place: Path) -> Path:
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as zipped:
            zipped.extractall(place)
    else:
        with tarfile.open(archive) as tar:
            tar.extractall(place, filter="data")
    return next(place.iterdir())


def version_of(package: Package, source: Path) -> str:
    """Return the version in the source's metadata, or else the pinned one."""
    info = source / "PKG-INFO"
    if info.exists():
        for line in info.read_text(errors="replace").splitlines():
            if line.startswith("Version: "):
                return line.removeprefix("Version: ")
    return package.version or "checkout"


def environment(home: Path) -> Path:
    """Return the interpreter of the environment, which sees all packages of the running one."""
    place = home / "environment"
    python = place / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
        purelib = next((place / "lib").glob("python*")) / "site-packages"
        (purelib / "shared.pth").write_text("\n".join(site.getsitepackages()) + "\n")
    return python


def install(package: Package, home: Path) -> None:
    """Install what the package's tests import, without dependencies."""
    mark = home / "installed" / package.name
    wanted = "\n".join(package.requires)
    if mark.exists() and mark.read_text() == wanted:
        return
    pins = home / "pins.txt"
    pins.write_text("".join(f"{pin}\n" for pin in _pins()))
    if package.requires:
        command = [str(environment(home)), *_PIP, "install", "--no-deps", "-c", str(pins)]
        subprocess.run([*command, *package.requires], check=True)
    mark.parent.mkdir(exist_ok=True)
    mark.write_text(wanted)


def _pins() -> Iterator[str]:
    for found in distributions():
        if found.name.lower() in _PINNED:
            yield f"{found.name}=={found.version}"


def test_files(package: Package, source: Path) -> tuple[str, ...]:
    """The test files of a package, relative to its source."""
    found = {
        path.relative_to(source).as_posix() for glob in package.tests for path in source.glob(glob)
    }
    left_out = {
        path.relative_to(source).as_posix() for glob in package.skips for path in source.glob(glob)
    }
    return tuple(sorted(found - left_out))
