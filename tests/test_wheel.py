"""What is installed is the whole tool: the package, its rules, and nothing else."""

from __future__ import annotations

import ast
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import tomli

from tests.conftest import run_python

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
RULES = sorted(path.relative_to(ROOT / "rules").as_posix() for path in ROOT.glob("rules/*/*.toml"))


def test_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    tops = {name.partition("/")[0] for name in _names(wheel)}
    beside = sorted(tops - {"mllint_nan"})
    assert [name.partition("-")[0] for name in beside] == ["mllint_nan", "mllint_nan"]
    assert [Path(name).suffix for name in beside] == [".data", ".dist-info"]


def test_wheel_is_pure_unless_compilation_is_asked_for(wheel: Path) -> None:
    assert wheel.name.endswith("-py3-none-any.whl")


def test_compiled_modules_ask_for_nothing_that_mypyc_drops() -> None:
    """It computes a `cached_property` anew each time, and keeps no `__code__` and no docstrings."""
    dropped = {"cached_property", "__code__", "__doc__"}
    for pattern in _compiled():
        files = sorted(ROOT.glob(pattern.removeprefix("/")))
        assert files, pattern
        for file in files:
            tree = ast.parse(file.read_bytes())
            assert not dropped & set(_names_used(tree)), file
            assert not [*_generated_without_end(tree)], f"{file}: mypyc makes a list of this first"
            assert not [*_narrowed_to_nothing(tree)], f"{file}: mypyc takes this for empty"


def _generated_without_end(tree: ast.AST) -> Iterator[ast.GeneratorExp]:
    for node in ast.walk(tree):
        if isinstance(node, ast.GeneratorExp):
            sources = (ast.unparse(part.iter).partition("(")[0] for part in node.generators)
            if any(one.rpartition(".")[2] in ("count", "cycle", "repeat") for one in sources):
                yield node


def _narrowed_to_nothing(tree: ast.AST) -> Iterator[str]:
    """Yield attributes that are read in a function which assigns nothing but `()` to them."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and function.name != "__init__":
            nodes = [*ast.walk(function)]
            assigned = [
                (ast.unparse(place), ast.unparse(value))
                for node in nodes
                if isinstance(node, ast.Assign)
                for target in node.targets
                for place, value in _pairs(target, node.value)
                if isinstance(place, ast.Attribute)
            ]
            filled = {place for place, value in assigned if value != "()"}
            read = {
                ast.unparse(node)
                for node in nodes
                if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
            }
            yield from ({place for place, _ in assigned} - filled) & read


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        yield from zip(target.elts, value.elts, strict=False)
    else:
        yield target, value


def test_installation_has_the_manual_page(wheel: Path) -> None:
    (page,) = (name for name in _names(wheel) if ".data/" in name)
    assert page.endswith(".data/data/share/man/man1/mllint-nan.1")


def test_wheel_holds_rules_and_types(wheel: Path) -> None:
    names = _names(wheel)
    assert "mllint_nan/py.typed" in names
    assert "mllint_nan/rules/compositions/log-of-softmax.toml" in names
    assert {f"mllint_nan/rules/{rule}" for rule in RULES} <= names


def test_installation_has_the_pictures(installation: Path, tmp_path: Path) -> None:
    code = """if True:
        from mllint_nan.rulebook.load import load_rules
        from mllint_nan.rulebook.pictures import picture_of
        print(*(picture.path for rule in load_rules() if (picture := picture_of(rule))), sep="\\n")
    """
    found = run_python("-c", code, cwd=tmp_path, path=installation).splitlines()
    pictures = sorted(path.name for path in (ROOT / "docs" / "pictures").glob("*.svg"))
    there = installation / "mllint_nan" / "pictures"
    assert sorted(found) == [str(there / name) for name in pictures]


def test_wheel_holds_every_module(wheel: Path) -> None:
    modules = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("mllint_nan/**/*.py")}
    assert modules == {name for name in _names(wheel) if name.endswith(".py")}


def test_installed_command_knows_the_rules(installation: Path, tmp_path: Path) -> None:
    listed = run_python("-m", "mllint_nan", "--list-rules", cwd=tmp_path, path=installation)
    assert "NAN101" in listed.split()
    assert _home(installation, tmp_path) == str(installation / "mllint_nan" / "rules")


def test_installed_command_finds_and_fixes(installation: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"import torch\ny = torch.log(torch.softmax(x, dim=0))\n")
    run_python("-m", "mllint_nan", "--fix", "--quiet", "a.py", cwd=tmp_path, path=installation)
    assert file.read_bytes() == b"import torch\ny = torch.log_softmax(x, dim=0)\n"


def test_checkout_knows_the_rules(tmp_path: Path) -> None:
    """An editable installation puts the checkout on the path, as is done here."""
    assert "NAN101" in run_python("-m", "mllint_nan", "--list-rules", cwd=ROOT).split()
    listed = run_python("-m", "mllint_nan", "--list-rules", cwd=tmp_path, path=ROOT)
    assert "NAN101" in listed.split()
    assert _home(ROOT, tmp_path) == str(ROOT / "rules")


def _names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def _home(path: Path, cwd: Path) -> str:
    code = "from mllint_nan.rulebook.load import rules_directory as home; print(home())"
    return run_python("-c", code, cwd=cwd, path=path).strip()


def _compiled() -> list[str]:
    project = tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = project["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["mypyc"]["include"]
    assert isinstance(patterns, list)
    return patterns


def _names_used(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
