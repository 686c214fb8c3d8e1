"""Which frameworks are executed; each is imported once, and only when it is."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, Protocol, cast

from tests.verifier.observation import PLAIN, Mode, Runner, Way

FRAMEWORKS: Final = ("torch", "tensorflow", "keras", "jax", "numpy", "math")
SELECTION: Final = "MLLINT_NAN_FRAMEWORKS"

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


class Adapter(Protocol):
    """What a module `on_<framework>` offers."""

    version: str
    modes: tuple[Mode, ...]
    dtypes: tuple[str, ...]

    def place(self, wanted: str) -> str: ...

    def device_name(self, device: str) -> str: ...

    def runner(self, function: object, device: str, way: Way = PLAIN) -> Runner: ...


MODES: Final[Mapping[str, tuple[Mode, ...]]] = {
    "torch": (Mode.EAGER, Mode.COMPILED),
    "tensorflow": (Mode.EAGER, Mode.GRAPH, Mode.COMPILED),
    "jax": (Mode.EAGER, Mode.COMPILED),
    "numpy": (Mode.EAGER,),
    "math": (Mode.EAGER,),
}
"""How each executes functions, for which nothing is imported; `Adapter.modes` are those here."""
_TENSORS: Final = ("float64", "float32", "float16", "bfloat16")
DTYPES: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("torch", "tensorflow", "jax"), _TENSORS),
    "numpy": ("float64", "float32"),
    "math": ("float64",),
}


def modes_of(framework: str) -> tuple[Mode, ...]:
    """All that a framework has; of PyTorch's, the compiler may be missing here."""
    return MODES[_backend_of(framework)]


def dtypes_of(framework: str) -> tuple[str, ...]:
    """The float formats that it is swept in."""
    return DTYPES[_backend_of(framework)]


def _backend_of(framework: str) -> str:
    """Keras has the modes and formats of its backend."""
    return os.environ["KERAS_BACKEND"] if framework == "keras" else framework


@cache
def adapter(framework: str) -> Adapter:
    module: Any = import_module(f"tests.verifier.on_{framework}")
    gc.freeze()  # a search for cycles would go through all that a framework has made
    return cast(Adapter, module)


def has_gpu(framework: str) -> bool:
    return adapter(framework).place("cuda") == "cuda"


def framework_of(stem: str) -> str:
    """The framework that executes a fixture; the Keras backend `K` is TensorFlow's.

    >>> framework_of("tensorflow1"), framework_of("keras_backend"), framework_of("jax_scan")
    ('tensorflow', 'tensorflow', 'jax')
    """
    if stem.startswith("keras_backend"):
        return "tensorflow"
    return re.split(r"\d|_", stem)[0]


def installed() -> tuple[str, ...]:
    """Those that can be imported here; Keras runs on TensorFlow."""
    needed = {"keras": ("keras", "tensorflow")}
    return tuple(name for name in FRAMEWORKS if all(map(_is_there, needed.get(name, (name,)))))


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ImportError:
        return False


def selected() -> tuple[str, ...]:
    """All frameworks, or those that the environment names: `torch,jax`."""
    named = os.environ.get(SELECTION)
    if not named:
        return FRAMEWORKS
    chosen = tuple(name.strip() for name in named.split(","))
    unknown = set(chosen) - set(FRAMEWORKS)
    if unknown:
        raise ValueError(f"{SELECTION}: unknown {', '.join(sorted(unknown))}")
    return chosen
