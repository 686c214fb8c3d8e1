"""A fixture's source text as a module of its own; nothing is written and nothing registered.

>>> load("def double(x):\\n    return 2 * x\\n", "math").double(3)
6
"""

from __future__ import annotations

import linecache
import re
import types
from functools import cache
from hashlib import sha256
from typing import Final

_TF1_IMPORT: Final = re.compile(r"^import tensorflow as (\w+)$", re.MULTILINE)


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
    exec(compile(text, filename, "exec"), module.__dict__)
    return module


def find_callable(module: types.ModuleType, qualname: str) -> object:
    """The function `f`, or the method `f` of a new `C()` where the name is `C.f`."""
    owner, _, name = qualname.rpartition(".")
    holder = getattr(module, owner)() if owner else module
    return getattr(holder, name)
