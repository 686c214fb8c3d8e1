"""A fixture's source text as a module of its own; nothing is written and nothing registered.

>>> load("def double(x):\\n    return 2 * x\\n", "math").double(3)
6
"""

from __future__ import annotations

import linecache
import re
import types
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from typing import Any, Final

from mllint_nan.findings import Span

_TF1_IMPORT: Final = re.compile(r"^import tensorflow as (\w+)$", re.MULTILINE)
_PROBE: Final = "_verifier_probe"


@cache
def load(text: str, stem: str) -> types.ModuleType:
    """The module that executing `text` makes; `tensorflow1` gets its names from compat.v1."""
    if stem == "tensorflow1":
        text = _TF1_IMPORT.sub(r"import tensorflow.compat.v1 as \1", text)
    name = f"fixture_{stem}_{sha256(text.encode()).hexdigest()[:12]}"
    filename = f"{name}.py"
    # AutoGraph and tracebacks ask linecache for the source.
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    module = types.ModuleType(name)
    module.__file__ = filename
    exec(compile(text, filename, "exec", dont_inherit=True), module.__dict__)
    return module


def find_callable(module: types.ModuleType, qualname: str) -> Callable[..., Any]:
    """The function `f`, or the method `f` of a new `C()` where the name is `C.f`."""
    owner, _, name = qualname.rpartition(".")
    holder = getattr(module, owner)() if owner else module
    found: Callable[..., Any] = getattr(holder, name)
    return found


def load_probed(
    text: str, stem: str, qualname: str, spans: Sequence[Span]
) -> Callable[..., list[Any]] | None:
    """`qualname` as a function that returns what the expressions at `spans` came to.

    None where a span is no expression.

    >>> area = "def area(r):\\n    return min(3.14 * r * r, 10)\\n"
    >>> load_probed(area, "math", "area", [Span(28, 40)])(r=2)
    [12.56]
    """
    marks = [(span.start, f"{_PROBE}(") for span in spans] + [(span.end, ")") for span in spans]
    for place, mark in sorted(marks, reverse=True):
        text = text[:place] + mark + text[place:]
    try:
        module = load(text, stem)
    except SyntaxError:
        return None
    function = find_callable(module, qualname)

    def probed(**inputs: Any) -> list[Any]:
        seen: list[Any] = []

        def probe(value: Any) -> Any:
            seen.append(value)
            return value

        setattr(module, _PROBE, probe)
        function(**inputs)
        return seen

    return probed
