"""Started by its path in an isolated interpreter, where this package is no part of a larger one.

The packages above it stand for their folders alone: none of their code runs, and no folder of the
user's is searched.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType


def stand_for_folders_above() -> None:
    """Let `mllint_nan.verify` be the folder that this one lies in, and `mllint_nan` that above."""
    verify = Path(__file__).resolve().parent.parent
    for name, folder in (("mllint_nan", verify.parent), ("mllint_nan.verify", verify)):
        package = ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package


if __name__ == "__main__":
    stand_for_folders_above()
    from mllint_nan.verify.execution.process import main

    main()
