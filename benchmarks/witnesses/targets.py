"""The public functions and classes of a package, and which of their methods are called."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final
from unittest import mock

from benchmarks.witnesses.styles import Style

_MISSING_MOST: Final = 24
METHODS_MOST: Final = 12
_NO_MODULES: Final = frozenset(
    ("tests", "test", "testing", "conftest", "setup", "examples", "benchmarks", "benchmark",
     "__main__", "scripts", "docs", "cli", "tools", "third_party", "datasets", "dataset")
)  # fmt: skip
_NO_FUNCTIONS: Final = frozenset(
    ("main", "train", "fit", "evaluate", "download", "load", "save", "plot", "show", "test")
)
_NO_METHOD: Final = re.compile(
    r"_|(get|set|add|reset|init|check|zero|to|from|load|save|make|build|is|has|register|plot|draw"
    r"|update|create|expand|setup|configure|training|validation|test|default|extra|rand|enable"
    r"|disable|fit|train|sample|rsample|initialize|clear|log_metrics)(_|$)|.*_(names?|step|shape)$"
)
"""Methods that draw, store, name or build something are not called."""
_METHODS_OF_DISTRIBUTIONS: Final = (
    "log_prob", "prob", "cdf", "log_cdf", "icdf", "entropy", "mean", "variance", "stddev", "mode",
    "perplexity", "survival_function", "log_survival_function", "kl_divergence",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Target:
    """A function, or a method of a class to be constructed; `name` is `package.module:Class`."""

    name: str
    function: Callable[..., Any]
    """The function whose signature counts: the function itself, `forward`, or `call`."""
    owner: Any = None
    method: str = ""
    """Empty if the object itself is called."""

    @property
    def docs(self) -> str:
        parts = (inspect.getdoc(each) or "" for each in (self.function, self.owner) if each)
        return "\n".join(parts)


def bound(function: Callable[..., Any], given: dict[str, Any]) -> Any:
    """Call a function by keyword, except for positional-only parameters."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return function(**given)
    positional = [
        given.pop(each.name)
        for each in parameters
        if each.kind is each.POSITIONAL_ONLY and each.name in given
    ]
    return function(*positional, **given)


def modules_of(folder: Path) -> list[str]:
    """Return the names of the modules of a package that its users import, by path."""
    found = []
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder.parent).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        is_test = parts[-1].startswith("test_") or parts[-1].endswith("_test")
        if not is_test and not _NO_MODULES & set(parts[1:]) and all(map(str.isidentifier, parts)):
            found.append(".".join(parts))
    return found


_SINGULAR: Final = re.compile(
    r"\b(?:\w*log\w*|r?sqrt|exp\w*|\w*norm\w*|pow|std|var|a(?:rc)?cos|a(?:rc)?tanh|a(?:rc)?tan2|"
    r"reciprocal|div\w*|softmax|sigmoid|prod|svd|mean)\(| / |\*\*"
)


def densest_first(folder: Path, modules: Sequence[str]) -> list[str]:
    """Return the modules that name operations with singular points, those with most first."""
    named = {name: _operations_named(folder.parent, name) for name in modules}
    found = [name for name in modules if named[name]]
    return sorted(found, key=lambda name: (-named[name], name))


def _operations_named(folder: Path, module: str) -> int:
    path = folder.joinpath(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return len(_SINGULAR.findall(file.read_text(encoding="utf-8", errors="replace")))


def imported_module(name: str) -> ModuleType:
    """Import a module; missing other packages are mocked. Raises what the import raises."""
    for _ in range(_MISSING_MOST):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            home = name.partition(".")[0]
            if error.name is None or error.name.partition(".")[0] == home:
                raise
            sys.modules[error.name] = mock.MagicMock(__path__=[], __spec__=None)
    raise ImportError("too much is not installed")


def targets_of(module: ModuleType, style: Style) -> Iterator[Target]:
    """Yield targets for the public functions and classes that a module defines."""
    for name, found in list(vars(module).items()):
        if name.startswith("_") or getattr(found, "__module__", None) != module.__name__:
            continue
        if not _is_public(module, name, found):
            continue
        label = f"{module.__name__}:{name}"
        if inspect.isclass(found):
            yield from _methods_of(found, label, style)
        elif name not in _NO_FUNCTIONS and callable(found):
            function = inspect.unwrap(found)
            is_generator = inspect.isgeneratorfunction(function)
            if inspect.isfunction(function) and not is_generator and not _is_test(name):
                yield Target(label, found)


def _is_test(name: str) -> bool:
    return name.startswith(("test_", "benchmark_"))


def _is_public(module: ModuleType, name: str, found: object) -> bool:
    """Whether its path is public, or a package above re-exports it."""
    parts = module.__name__.split(".")
    if not any(part.startswith("_") for part in parts):
        return True
    above = (sys.modules.get(".".join(parts[:end])) for end in range(1, len(parts)))
    return any(getattr(each, name, None) is found for each in above)


def _methods_of(owner: type, label: str, style: Style) -> Iterator[Target]:
    if inspect.isabstract(owner) or issubclass(owner, BaseException):
        return
    first = style.target_of(owner)
    if first is not None:
        yield Target(label, first[0], owner, first[1])
    is_distribution = style.is_distribution(owner)
    if first is None and not is_distribution:
        return
    names = dict.fromkeys(_METHODS_OF_DISTRIBUTIONS) if is_distribution else {}
    names.update(dict.fromkeys(vars(owner)))
    taken = 0
    for name in names:
        static = inspect.getattr_static(owner, name, None)
        function = static.fget if isinstance(static, property) else static
        is_left_out = bool(_NO_METHOD.match(name)) or name in ("forward", "call")
        if is_left_out or not inspect.isfunction(function) or taken == METHODS_MOST:
            continue
        if isinstance(static, property) and not is_distribution:
            continue
        taken += 1
        yield Target(f"{label}.{name}", function, owner, name)


def found_target(name: str, style: Style) -> Target:
    """Return a target by its name from `targets_of`; raises `LookupError` if there is none."""
    module = imported_module(name.partition(":")[0])
    for target in targets_of(module, style):
        if target.name == name:
            return target
    raise LookupError(f"{name} is not called by signature")
