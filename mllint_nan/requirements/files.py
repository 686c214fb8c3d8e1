"""The files in which a project lists its requirements, each read as a list of requirements.

Nothing is executed. Whatever a file does not state plainly is left out.
"""

from __future__ import annotations

import ast
import configparser
import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from mllint_nan.requirements.specifiers import Requirement, oldest_of, package_of, requirement

_LISTED: Final = re.compile(r"\s*-\s+(?P<text>.+?)\s*")
_DEEPEST: Final = 8
"""The depth to which nested lists, and names for names, are followed."""
_KEYWORDS: Final = ("install_requires", "extras_require", "tests_require", "setup_requires")


def read(name: str, data: bytes) -> tuple[Requirement, ...]:
    """The requirements in a file, chosen by its name, on packages that fixes are written for."""
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    reader = _READERS.get(os.path.basename(name)) or (
        _of_conda if name.endswith((".yml", ".yaml")) else _of_pip
    )
    try:
        return tuple(reader(text, name))
    except (ValueError, SyntaxError, RecursionError, configparser.Error):
        return ()  # whatever else uses the file will report it


def _of_texts(texts: Iterable[object], source: str) -> Iterator[Requirement]:
    for text in texts:
        found = requirement(text, source) if isinstance(text, str) else None
        if found is not None:
            yield found


def _of_pip(text: str, source: str) -> Iterator[Requirement]:
    yield from _of_texts(re.sub(r"\\\r?\n", " ", text).splitlines(), source)


def _of_conda(text: str, source: str) -> Iterator[Requirement]:
    listed = (_LISTED.fullmatch(line.partition(" #")[0]) for line in text.splitlines())
    yield from _of_texts((one["text"].strip("\"'") for one in listed if one is not None), source)


def _of_pyproject(text: str, source: str) -> Iterator[Requirement]:
    import tomli

    table = tomli.loads(text.replace("\r\n", "\n"))
    project = _table(table, "project")
    groups = (_table(project, "optional-dependencies"), _table(table, "dependency-groups"))
    yield from _of_texts(_list(project.get("dependencies")), source)
    for group in groups:
        for listed in group.values():
            yield from _of_texts(_list(listed), source)
    poetry = _table(_table(table, "tool"), "poetry")
    inner = (_table(group, "dependencies") for group in _table(poetry, "group").values())
    for group in (_table(poetry, "dependencies"), _table(poetry, "dev-dependencies"), *inner):
        yield from _of_poetry(group, source)


def _of_poetry(group: Mapping[str, Any], source: str) -> Iterator[Requirement]:
    for name, said in group.items():
        package = package_of(name)
        for one in said if isinstance(said, list) else [said]:
            versions = one.get("version") if isinstance(one, dict) else one
            if package is not None and isinstance(versions, str):
                yield Requirement(package, oldest_of(versions, source))


def _table(outer: Any, key: str) -> Mapping[str, Any]:
    inner = outer.get(key) if isinstance(outer, dict) else None
    return inner if isinstance(inner, dict) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _of_setup_cfg(text: str, source: str) -> Iterator[Requirement]:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.read_string(text)
    for section, wanted in (("options", _KEYWORDS), ("options.extras_require", None)):
        if parser.has_section(section):
            for key, said in parser.items(section):
                if wanted is None or key in wanted:
                    yield from _of_texts(re.split(r"[\r\n]", said), source)


def _of_setup_py(text: str, source: str) -> Iterator[Requirement]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about invalid escapes
        tree = ast.parse(text)
    named: dict[str, ast.expr] = {}
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    named[target.id] = statement.value
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _is_setup(node.func):
            for keyword in node.keywords:
                if keyword.arg in _KEYWORDS:
                    yield from _of_texts(_literals(keyword.value, named, 0), source)


def _is_setup(function: ast.expr) -> bool:
    match function:
        case ast.Attribute(attr="setup") | ast.Name(id="setup"):
            return True
    return False


def _literals(node: ast.expr, named: Mapping[str, ast.expr], depth: int) -> Iterator[str]:
    """The strings in lists, in dictionaries of lists, and in values that names stand for."""
    if depth > _DEEPEST:
        return
    inner: Iterable[ast.expr] = ()
    match node:
        case ast.Constant(value=str(text)):
            yield from text.splitlines()
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Dict(values=parts):
            inner = parts
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            inner = (left, right)
        case ast.Name(id=name) if name in named:
            inner = (named[name],)
    for part in inner:
        yield from _literals(part, named, depth + 1)


_READERS: Final[Mapping[str, Callable[[str, str], Iterator[Requirement]]]] = {
    "pyproject.toml": _of_pyproject,
    "setup.cfg": _of_setup_cfg,
    "setup.py": _of_setup_py,
}
