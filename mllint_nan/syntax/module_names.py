"""The names of a framework's modules at one place, and the imports that make them valid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mllint_nan.frameworks import registry
from mllint_nan.ir.term import Written


def _below(module: str, known: str) -> bool:
    return module == known or module.startswith(f"{known}.")


@dataclass(slots=True)
class Names:
    """The names of modules at one place."""

    visible: tuple[tuple[str, str], ...]
    """The name and qualified path of every module or member in scope."""
    written: tuple[tuple[str, str], ...]
    """The canonical module and the text of each callee in the match, best first."""
    generation: str | None = None

    def module_text(self, module: str) -> str | None:
        """The text for `module`, the user's own before any other; `None` if it is not in scope."""
        candidates = [(known, text) for known, text in self.written if _below(module, known)]
        for known, text in candidates:
            if known == module:
                return text
        compatibility = [pair for pair in candidates if ".compat" in pair[1]]
        if not compatibility:
            for name, path in self.visible:
                known = registry.canonical_path(f"{path}.").rstrip(".")
                if _below(module, known) and (".compat." not in path or not candidates):
                    candidates.append((known, name))
        texts = [text + module[len(known) :] for known, text in compatibility or candidates]
        return min(texts, key=lambda text: text.count("."), default=None)

    def member_text(self, qualified: str) -> str | None:
        """The text for a function, by its module or its own import; `None` without either."""
        module, _, name = qualified.rpartition(".")
        if module == "builtins":
            return name
        if module not in (known for known, _ in self.written):
            for bound, path in self.visible:
                if registry.canonical_path(path) == qualified:
                    return bound
        text = self.module_text(module)
        return f"{text}.{name}" if text is not None else None


_USUAL_NAMES: Final = {
    "torch.nn.functional": ("import torch.nn.functional as F", "F"),
    "torch": ("import torch", "torch"),
    "tensorflow": ("import tensorflow as tf", "tf"),
    "jax.numpy": ("import jax.numpy as jnp", "jnp"),
    "jax": ("import jax", "jax"),
    "numpy": ("import numpy as np", "np"),
    "math": ("import math", "math"),
}


def import_for(qualified: str) -> tuple[str, str]:
    """The text of a function's callee and the import statement that makes it valid."""
    module = qualified.rpartition(".")[0]
    for known, (statement, name) in _USUAL_NAMES.items():
        if module == known or module.startswith(f"{known}."):
            return name + qualified[len(known) :], statement
    name = qualified.rpartition(".")[2]
    return name, f"from {module} import {name}"


def written_module(written: Written) -> str | None:
    """The canonical module of a callee that was written as a function."""
    if written.method:
        return None
    return registry.canonical_path(written.path).rpartition(".")[0] or None
