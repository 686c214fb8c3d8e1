"""The functions of a module that its fixes change, in the modules of both texts."""

from __future__ import annotations

import ast
import importlib
import inspect
import linecache
import sys
import types
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any, Final
from unittest import mock

_MISSING_MOST: Final = 12


def changed(before: str, after: str) -> list[str]:
    """The qualified names of the functions whose text differs, outermost ones alone."""
    old, new = dict(_functions(ast.parse(before))), dict(_functions(ast.parse(after)))
    return [name for name, text in old.items() if new.get(name, text) != text]


def _functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, str]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            yield prefix + node.name, ast.dump(node)
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.If | ast.Try):
            yield from _functions(node, prefix)


def module_of(text: str, name: str, package: str = "") -> types.ModuleType:
    """What executing a text makes, as the module of a package; what is not installed is a mock."""
    filename = f"<{name} {sha256(text.encode()).hexdigest()[:12]}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    code = compile(text, filename, "exec")
    for _ in range(_MISSING_MOST):
        module = types.ModuleType(f"{name}_{len(linecache.cache)}")  # beside the module itself
        module.__package__ = package
        module.__file__ = filename
        sys.modules[module.__name__] = module
        try:
            if package:
                importlib.import_module(package)
            exec(code, module.__dict__)
        except ModuleNotFoundError as error:
            if error.name is None or error.name.partition(".")[0] == package.partition(".")[0]:
                raise
            sys.modules[error.name] = mock.MagicMock(__path__=[], __spec__=None)
            continue
        return module
    raise ImportError("too much is not installed")


def found(module: types.ModuleType, qualname: str, arguments: Any = None) -> Callable[..., Any]:
    """The function, or the method of a new object; raises whatever keeps one from being made."""
    owner, _, name = qualname.rpartition(".")
    if not owner:
        return getattr(module, name)  # type: ignore[no-any-return]
    holder = getattr(module, owner.split(".")[0])
    for part in owner.split(".")[1:]:
        holder = getattr(holder, part)
    if isinstance(inspect.getattr_static(holder, name), staticmethod | classmethod):
        return getattr(holder, name)  # type: ignore[no-any-return]
    if name == "__init__":
        return holder  # type: ignore[no-any-return]
    made = holder(**(arguments or {}))
    if hasattr(made, "eval"):
        made.eval()
    return getattr(made, name)  # type: ignore[no-any-return]


def framework_of(text: str) -> str:
    """The framework that a file is written for, by what it imports."""
    for name, word in (("torch", "torch"), ("jax", "jax"), ("tensorflow", "tensorflow"),
                       ("keras", "keras"), ("numpy", "numpy")):  # fmt: skip
        if f"import {word}" in text or f"from {word}" in text:
            return name
    return "math"
