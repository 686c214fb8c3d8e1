"""The process itself: it reads requests, one a line, and answers each."""

from __future__ import annotations

import contextlib
import gc
import itertools
import json
import math
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from mllint_nan.verify.execution.adapters import ADAPTERS, Adapter
from mllint_nan.verify.execution.comparison import Judge
from mllint_nan.verify.execution.remembering import Remembering
from mllint_nan.verify.execution.sampling import AXES_APART, Sampler
from mllint_nan.verify.execution.search import refine, search, sweep, sweep_many
from mllint_nan.verify.execution.shapes import broadcasts, enlarged, shapes
from mllint_nan.verify.execution.task import Task

_UNSEARCHED_MOST: Final = 100_000
"""New objects after which cycles are searched: most of what is kept has none."""


def answer(request: Mapping[str, Any], adapter: Adapter) -> dict[str, Any]:
    """Execute one match and its rewrite; `error` says why that was not possible."""
    task = Task.asked(request, adapter)
    sampler = Sampler(task)
    judge = Judge(task, sampler)
    found, reason = shapes(task, sampler)
    if not found and task.outcome.counterexample is None:
        return {"error": reason}
    for shape in found:
        task.layout = replace(task.layout, shape=shape, narrow="")
        sweep(task, sampler, judge)
    if found:
        shape = next((shape for shape in found if len(shape) == 1), found[0])
        task.layout = replace(task.layout, shape=shape)
        refine(task, sampler, judge)
        if enlarged(task, sampler, shape):
            sweep_many(task, sampler, judge)
    for _ in broadcasts(task, sampler):
        sweep(task, sampler, judge)
    for shape in found:
        if shape != AXES_APART and not task.outcome.witnesses and not task.is_over:
            task.layout = replace(task.layout, shape=shape)
            search(task, sampler, judge)
    return task.outcome.reply()


def limit(seconds: float, memory: int) -> None:
    """Make the system stop this process if it exceeds these additional limits."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        granted = math.ceil(used.ru_utime + used.ru_stime + seconds)
        resource.setrlimit(
            resource.RLIMIT_CPU, (granted, resource.getrlimit(resource.RLIMIT_CPU)[1])
        )
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = int(file.read().split()[0])
        space = pages * resource.getpagesize() + memory
        resource.setrlimit(resource.RLIMIT_AS, (space, resource.getrlimit(resource.RLIMIT_AS)[1]))


def main() -> None:
    """Read requests, one a line; the first names the framework, and where packages are."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # output of the framework must not mix with answers
    start = json.loads(sys.stdin.readline())
    sys.path += [path for path in start["path"] if path not in sys.path]
    try:
        adapter = Remembering(ADAPTERS[start["framework"]]())
    except ImportError as error:
        hello: dict[str, Any] = {"missing": str(error)}
        replies: Iterator[dict[str, Any]] = iter(())
    else:
        hello, replies = {"ready": True}, _answers(adapter)
        gc.freeze()  # or each search for cycles would go through the framework
        gc.set_threshold(_UNSEARCHED_MOST)
    for reply in itertools.chain([hello], replies):
        out.write(json.dumps(reply) + "\n")
        out.flush()


def _answers(adapter: Adapter) -> Iterator[dict[str, Any]]:
    for line in sys.stdin:
        request = json.loads(line)
        limit(request["processor_seconds"], request["memory"])
        try:
            yield answer(request, adapter)
        except Exception as error:  # every request needs an answer
            yield {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
