"""The fixtures of PyTorch, written in place by hand: their fixes still leave what they left.

Every `x.log()` becomes `x.log_()`, every `torch.exp(x)` becomes `torch.exp_(x)`, and so on, whether
a person would write it or not. The functions that still run are called with ordinary numbers.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from inspect import Parameter, isfunction, signature
from pathlib import Path
from typing import Any, Final

import pytest

from tests import analyses
from tests.fixing.executed import MOST
from tests.on_demand import module

torch = module("torch")

pytestmark = pytest.mark.slow

ROOT: Final = Path(__file__).resolve().parents[2]
TRAINING: Final = frozenset(path.stem for path in ROOT.glob("rules/training/*.toml"))
"""Rules whose fixes are there to have another step taken."""
FIXTURES: Final = tuple(
    path
    for path in sorted(ROOT.glob("fixtures/*/torch.py"))
    if not path.stem.endswith(".fixed") and path.parent.name not in TRAINING
)
_NAMES: Final = (
    "abs acos add asin clamp cumprod div exp expm1 log log1p mul neg pow reciprocal relu rsqrt"
    " sigmoid sqrt square sub tanh"
)
_EITHER: Final = "|".join(_NAMES.split())
_WRITES: Final = re.compile(r"\w_\(|out=")
_MASKS: Final = ("mask", "m", "condition", "valid")


def methods(text: str) -> str:
    return re.sub(rf"(?<!torch)(?<!\bF)\.({_EITHER})\(", r".\1_(", text)


def functions(text: str) -> str:
    return re.sub(rf"\btorch\.({_EITHER})\(", r"torch.\1_(", text)


def views(text: str) -> str:
    return re.sub(
        r"\btorch\.(exp|log|sigmoid|sqrt)\((\w+)\)", r"\2.view(-1).\1_().view_as(\2)", text
    )


def outputs(text: str) -> str:
    return re.sub(rf"\btorch\.({_EITHER})\((\w+)\)", r"torch.\1(\2, out=\2)", text)


def fixed(text: str) -> str:
    """Of a twin that is another one as well, what was made of that."""
    return analyses.fixed(text.encode(), "program.py", MOST).data.decode()


def _definitions(text: str) -> Mapping[str, str]:
    tree = ast.parse(text)
    return {node.name: ast.unparse(node) for node in tree.body if isinstance(node, ast.FunctionDef)}


def _arguments(function: Any) -> dict[str, Any]:
    generator = torch.Generator().manual_seed(1)
    found: dict[str, Any] = {}
    for name, parameter in signature(function).parameters.items():
        is_needed = parameter.default is Parameter.empty
        if is_needed and parameter.kind is Parameter.POSITIONAL_OR_KEYWORD:
            drawn = torch.rand(3, 3, generator=generator) * 0.5 + 0.2
            found[name] = torch.tensor([[True, False, True]] * 3) if name in _MASKS else drawn
    return found


def _left(text: str, name: str) -> dict[str, torch.Tensor] | None:
    """What the caller sees after a call: the result and the arguments; `None` if it raises."""
    namespace: dict[str, Any] = {}
    exec(compile(text, "fixture.py", "exec"), namespace)
    function = namespace[name]
    assert isfunction(function)
    arguments = _arguments(function)
    torch.manual_seed(0)
    try:
        result = function(**arguments)
    except Exception:
        return None
    every = {**arguments, "result": result}
    return {key: value for key, value in every.items() if isinstance(value, torch.Tensor)}


def _in_place(text: str) -> str:
    """A text without the functions that write nothing in place, unless the rest names them."""
    tree = ast.parse(text)
    plain = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and not _WRITES.search(ast.unparse(node))
    ]
    kept = [node for node in tree.body if node not in plain]
    while named := [node for node in plain if _names(kept, node.name)]:
        kept += named
        plain = [node for node in plain if node not in named]
    tree.body = [node for node in tree.body if node in kept]
    return ast.unparse(tree)


def _names(nodes: list[ast.stmt], name: str) -> bool:
    return any(
        isinstance(part, ast.Name) and part.id == name for node in nodes for part in ast.walk(node)
    )


def _changed(text: str) -> Iterator[tuple[str, str]]:
    """The functions that write in place and get a fix, with the text of all after it."""
    old = _definitions(text)
    in_place = {name: body for name, body in old.items() if _WRITES.search(body)}
    if not in_place:
        return
    after = fixed(text)
    new = _definitions(after)
    for name, body in in_place.items():
        if name in new and new[name] != body:
            yield name, after


@pytest.mark.parametrize("twin", [methods, functions, views, outputs])
def test_fixes_leave_what_functions_in_place_left(twin: Callable[[str], str]) -> None:
    compared = 0
    for path in FIXTURES:
        text = _in_place(twin(re.sub("#.*", "", path.read_text("utf-8"))))
        for name, after in _changed(text):
            before = _left(text, name)
            if before is None:
                continue
            now = _left(after, name)
            assert now is not None, (path, name)
            for key, value in before.items():
                if torch.isfinite(value).all():
                    compared += 1
                    assert torch.allclose(now[key], value, 1e-2, 1e-3), (path, name, key)
    assert compared > 20
