"""Projects of two files and more, in which a call in one breaks what another one defines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from textwrap import dedent
from typing import Final

IMPORTS: Final[Mapping[str, str]] = {
    "torch": "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n",
    "tensorflow": "import tensorflow as tf\n\n",
    "jax": "import jax\nimport jax.numpy as jnp\n\n",
    "numpy": "import numpy as np\n\n",
}
_IS_SOUND: Final = "# sound: "


@dataclass(frozen=True)
class Called:
    """A module that says `# expect: …` where it breaks if it is called as `caller` does.

    A row of the caller, or of what stands between them, that ends in `# sound: …` is that instead
    in the sound twin. `result()` of the caller gives arrays.
    """

    name: str
    framework: str
    module: str
    caller: str
    between: str = ""

    def __str__(self) -> str:
        return f"{self.framework}-{self.name}"

    def files(self, *, is_sound: bool = False) -> dict[str, str]:
        """By module, `lib`, `between` and `run`: the text."""
        texts = {"lib": self.module, "between": self.between, "run": self.caller}
        whole = {name: IMPORTS[self.framework] + dedent(text) for name, text in texts.items()}
        return {
            name: "\n".join(_rows(text, is_sound)) + "\n"
            for name, text in whole.items()
            if texts[name]
        }


def _rows(text: str, is_sound: bool) -> Iterator[str]:
    for row in text.splitlines():
        broken, mark, sound = row.partition(_IS_SOUND)
        indent = row[: len(row) - len(row.lstrip())]
        yield indent + sound if mark and is_sound else broken.rstrip()
