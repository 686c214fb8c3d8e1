"""`python -m mllint_nan` is the command `mllint-nan`."""

from __future__ import annotations

import sys

from mllint_nan.cli import main

if __name__ == "__main__":
    sys.exit(main())
