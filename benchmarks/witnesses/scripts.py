"""Run a script for some training steps under the recorders.

    python -m benchmarks.witnesses.scripts --witness-root FOLDER --witness-out FILE
        [--witness-kind as-is|tenfold-rate] [--witness-steps N] SCRIPT [ARGUMENT]...

With `tenfold-rate` each optimizer of PyTorch has ten times the learning rate. The script ends
after this number of optimizer steps, or when its time is over.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import random
import runpy
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from .events import Event
from .kinds import TENFOLD_RATE


class Enough(BaseException):
    """The requested number of steps is done; a script's `except Exception` does not catch it."""


def main(arguments: Sequence[str]) -> int:
    """Run the command: returns 0 if the script reached its end or its last step, else 1."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.witnesses.scripts")
    parser.add_argument("--witness-root", action="append", default=[])
    parser.add_argument("--witness-framework", action="append", default=[])
    parser.add_argument("--witness-kind", choices=("as-is", TENFOLD_RATE), default="as-is")
    parser.add_argument("--witness-out", required=True)
    parser.add_argument("--witness-steps", type=int, default=50)
    parser.add_argument("script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    rate = 10.0 if options.witness_kind == TENFOLD_RATE else 1.0
    frameworks = options.witness_framework or ["torch"]
    name = " ".join([options.script, *options.arguments])
    roots = [Path(root).resolve() for root in [*options.witness_root, _top(options.script)]]
    with open(options.witness_out, "w", encoding="utf-8") as out, ExitStack() as stack:

        def tell(event: Event) -> None:
            out.write(json.dumps({"test": name, "event": event.as_entry()}) + "\n")
            out.flush()

        if "torch" in frameworks:
            stack.enter_context(_torch_steps(options.witness_steps, rate))
        for framework in frameworks:
            module = importlib.import_module(f"benchmarks.witnesses.record_{framework}")
            stack.enter_context(module.Recorder(roots, tell))
        random.seed(0)
        np.random.seed(0)
        return _run(options.script, options.arguments)


def _run(script: str, arguments: Sequence[str]) -> int:
    sys.argv = [script, *arguments]
    sys.path.insert(0, str(Path(script).resolve().parent))
    try:
        runpy.run_path(script, run_name="__main__")
    except Enough:
        return 0
    except SystemExit as end:
        return 1 if end.code else 0
    except Exception as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0


def _top(script: str) -> str:
    """Return the folder of the working directory that contains the script, or else the script."""
    first, *rest = os.path.relpath(script).split(os.sep)
    return script if first == os.pardir or not rest else first


@contextlib.contextmanager
def _torch_steps(most: int, rate: float) -> Iterator[None]:
    """Multiply every learning rate by `rate`, and stop after `most` steps of all optimizers."""
    from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook

    made = 0
    begin = Optimizer.__init__

    def __init__(self: Optimizer, params: Any, defaults: dict[str, Any]) -> None:
        begin(self, params, defaults)
        for group in self.param_groups:
            if "lr" in group:
                group["lr"] = group["lr"] * rate

    def count(*_: Any) -> None:
        nonlocal made
        made += 1
        if made >= most:
            raise Enough

    handle = register_optimizer_step_post_hook(count)
    try:
        with patch.object(Optimizer, "__init__", __init__):
            yield
    finally:
        handle.remove()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
