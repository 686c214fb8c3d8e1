"""Measure what the probe costs a training step of a small transformer, against anomaly detection.

    python -m benchmarks.suspects.overhead [--rounds N] [--device cuda]

In each round, some steps run unchanged, some under the probe with the first 20 suspects, and
some under `torch.autograd.detect_anomaly`, in turn. CPU time is measured, or on a GPU wall-clock
time. Prints the medians of a step, and those of the ratios within a round.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Callable

import torch

from benchmarks.suspects import transformer
from mllint_nan.probing.compiling import Node
from mllint_nan.probing.exchange import Exchange
from mllint_nan.probing.watching import Look, Watch
from mllint_nan.within import Probe

WARM = 1
STEPS = 4
"""In each round and variant."""


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=20)
    options.add_argument("--device", default="cpu")
    given = options.parse_args()
    warnings.simplefilter("ignore")
    model, optimizer, ids, mask = transformer.prepared()
    torch.set_default_device(given.device)
    model.to(given.device)
    state = (model, optimizer, ids.to(given.device), mask.to(given.device))
    sources, suspects = Probe(transformer.__file__)._program.sources(20)
    is_cpu = given.device == "cpu"
    clock = time.process_time if is_cpu else time.perf_counter
    looks = 0

    def timed() -> float:
        begin = clock()
        for _ in range(STEPS):
            transformer.step(*state)
        if not is_cpu:
            torch.cuda.synchronize()
        return (clock() - begin) / STEPS

    def watched() -> float:
        nonlocal looks
        nodes: dict[int, Node] = {}
        watch = Watch(nodes, _stop)
        exchange = Exchange(watch, sources, nodes, is_wide=False)
        exchange.start(None)
        try:
            return timed()
        finally:
            exchange.end()
            looks = sum(watch.executions.values()) // STEPS

    def anomalous() -> float:
        with torch.autograd.detect_anomaly():
            return timed()

    ways: dict[str, Callable[[], float]] = {
        "as it is": timed,
        "probe": watched,
        "detect_anomaly": anomalous,
    }
    for _ in range(WARM):
        for way in ways.values():
            way()
    rounds = [{name: way() for name, way in ways.items()} for _ in range(given.rounds)]
    print(f"{len(suspects)} suspects, {looks} operations looked at in a step")
    for name in ways:
        median = statistics.median(one[name] for one in rounds)
        ratios = sorted(one[name] / one["as it is"] for one in rounds)
        low, high = ratios[len(ratios) // 4], ratios[len(ratios) * 3 // 4]
        print(
            f"{name}: {median * 1e3:.1f} ms, {statistics.median(ratios):.3f} times "
            f"(the middle half from {low:.3f} to {high:.3f})"
        )


def _stop(look: Look) -> None:
    raise SystemExit(f"{look.file}:{look.start[0]}: {look.result}")


if __name__ == "__main__":
    main()
