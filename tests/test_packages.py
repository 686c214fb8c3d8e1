"""What packages a file lies in, and when a change makes other files other modules."""

from __future__ import annotations

from pathlib import Path

import pytest

from mllint_nan.packages import module_of, package_of, renames_modules
from mllint_nan.project_files import Changes, SourceFile, listed


def written(folder: Path, **files: str) -> dict[str, str]:
    """The paths of some files by name, in which `_in_` stands for a folder."""
    found = {}
    for name, text in files.items():
        path = folder / f"{name.replace('_in_', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        found[name] = str(path)
    return found


def named(path: str) -> SourceFile:
    return next(one for one in listed(str(Path(path).parent)).files if one.file == path)


@pytest.mark.parametrize(
    ("files", "module", "package"),
    [
        ({"pkg_in_a": ""}, "a", ""),
        ({"pkg_in_a": "", "pkg_in___init__": ""}, "pkg.a", "pkg"),
        ({"pkg_in_a": "", "pkg_in_b": "from .a import f"}, "pkg.a", "pkg"),
        ({"pkg_in_a": "", "pkg_in_b": "from . import a"}, "pkg.a", "pkg"),
        ({"pkg_in_a": "", "pkg_in_b": "def f():\n    from .a import f"}, "pkg.a", "pkg"),
        ({"pkg_in_a": "", "pkg_in_b": "from a import f"}, "a", ""),
        ({"pkg_in_a": "", "pkg_in_inner_in_b": "from ..a import f"}, "a", ""),
        ({"pkg_in_inner_in_a": "from ..b import f"}, "pkg.inner.a", "pkg.inner"),
        ({"pkg_in_inner_in_a": "from .b import f"}, "inner.a", "inner"),
        ({"pkg_in_inner_in_a": "", "pkg_in_inner_in___init__": ""}, "inner.a", "inner"),
        ({"no-name_in_a": "from .b import f"}, "a", ""),
    ],
)
def test_package(files: dict[str, str], module: str, package: str, tmp_path: Path) -> None:
    paths = written(tmp_path, **files)
    file = next(path for name, path in paths.items() if name.endswith("_a"))
    assert module_of(file) == module
    assert package_of(file)[1] == package


def change(file: str, *, is_new: bool = False) -> Changes:
    return Changes((named(file),), (file,) if is_new else (), ())


def test_other_modules_come_with_a_package(tmp_path: Path) -> None:
    paths = written(tmp_path, pkg_in_a="", pkg_in_b="from .a import f", pkg_in_c="from .a import g")
    assert not renames_modules(change(paths["pkg_in_a"]))
    assert not renames_modules(change(paths["pkg_in_b"]))  # c alone shows it
    (tmp_path / "pkg" / "c.py").unlink()
    assert renames_modules(change(paths["pkg_in_b"]))
    new = written(tmp_path, pkg_in___init__="")["pkg_in___init__"]
    assert renames_modules(change(new, is_new=True))
    assert not renames_modules(change(paths["pkg_in_b"]))
