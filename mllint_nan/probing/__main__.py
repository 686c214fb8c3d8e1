"""The probe as a program: `python mllint_nan/probing PLAN -- SCRIPT ARGUMENTS`, or `-m MODULE`."""

from __future__ import annotations

import ast  # noqa: F401  # before the tool's folder can answer for any of them
import atexit  # noqa: F401
import dataclasses  # noqa: F401
import gc  # noqa: F401
import json  # noqa: F401
import runpy  # noqa: F401
import sys
import threading  # noqa: F401
import tokenize  # noqa: F401
from os.path import abspath, dirname

if __name__ == "__main__":
    home = dirname(dirname(dirname(abspath(__file__))))
    sys.path.insert(1, home)
    from mllint_nan.probing.launch import main

    sys.path.remove(home)
    main(sys.argv[1:])
