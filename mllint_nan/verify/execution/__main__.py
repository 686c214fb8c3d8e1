"""Started by its path in an isolated interpreter, where its parent packages are not importable.

The packages above are stubs that only have a path: none of their code runs, and no folder of the
user is searched.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType


def stand_for_folders_above() -> None:
    """Make `mllint_nan.verify` and `mllint_nan` packages that consist of their folders alone."""
    verify = Path(__file__).resolve().parent.parent
    for name, folder in (("mllint_nan", verify.parent), ("mllint_nan.verify", verify)):
        package = ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package


if __name__ == "__main__":
    stand_for_folders_above()
    from mllint_nan.verify.execution.process import main

    main()
