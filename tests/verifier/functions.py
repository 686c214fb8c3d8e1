"""The functions of a fixture's text, as the verifier sees them.

>>> [str(function) for function in functions_of("def f(x, *, y=1): pass")]
['f(x, y=)']
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_DIFFERENTIATES: Final = re.compile(
    r"GradientTape|\bgradients?\(|\bgrad\(|_and_grad|\bbackward\(|\bvjp\("
)


@dataclass(frozen=True, slots=True)
class Function:
    """A function of a module, or as `C.f` the method of a class."""

    name: str
    text: str
    first: int
    last: int
    required: tuple[str, ...]
    optional: tuple[str, ...]

    @property
    def is_method(self) -> bool:
        return "." in self.name

    @property
    def differentiates(self) -> bool:
        """Whether it takes gradients itself, so that they are part of its value."""
        return _DIFFERENTIATES.search(self.text) is not None

    def holds(self, row: int) -> bool:
        return self.first <= row <= self.last

    def __str__(self) -> str:
        parameters = [*self.required, *(f"{name}=" for name in self.optional)]
        return f"{self.name}({', '.join(parameters)})"


def functions_of(text: str) -> Iterator[Function]:
    rows = text.encode().splitlines(keepends=True)
    for node in ast.parse(text).body:
        match node:
            case ast.FunctionDef():
                yield _function(node.name, node, rows)
            case ast.ClassDef(name=owner, body=body):
                for method in body:
                    if isinstance(method, ast.FunctionDef):
                        yield _function(f"{owner}.{method.name}", method, rows)


def _text_of(node: ast.FunctionDef, rows: list[bytes]) -> str:
    """As `ast.get_source_segment` has it, which takes the whole text apart for every node."""
    own = rows[node.lineno - 1 : node.end_lineno]
    own[-1] = own[-1][: node.end_col_offset]
    own[0] = own[0][node.col_offset :]
    return b"".join(own).decode()


def _function(name: str, node: ast.FunctionDef, rows: list[bytes]) -> Function:
    arguments = node.args
    positional = arguments.posonlyargs + arguments.args
    split = len(positional) - len(arguments.defaults)
    keywords = list(zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True))
    required = positional[:split] + [each for each, default in keywords if default is None]
    optional = positional[split:] + [each for each, default in keywords if default is not None]
    return Function(
        name=name,
        text=_text_of(node, rows),
        first=node.lineno,
        last=node.end_lineno or node.lineno,
        required=tuple(each.arg for each in required if each.arg != "self"),
        optional=tuple(each.arg for each in optional),
    )
