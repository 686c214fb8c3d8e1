"""Fit the order of the suspects to programs whose origin is known.

    python -m benchmarks.suspects.order [--update PAGE]

It starts at the result of `benchmarks.suspects.fit`, which considers one operation at a time. A
program says more: which of its suspects, all of which may break, was the first to do so. The
weights maximise the likelihood that an origin is drawn from the suspects of its program (a
conditional logit), less a penalty on their distance from the start. Held-out programs are not
used. The weights are written to `mllint_nan/suspects/weights.toml`, and what they achieve into a
table of a page.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import tomli
from numpy.typing import NDArray
from scipy.optimize import minimize  # type: ignore[import-untyped]
from scipy.special import logsumexp  # type: ignore[import-untyped]

from benchmarks.suspects.corpus import CASE, HARD, PLAIN, Known, known_programs, share, suspected
from mllint_nan.suspects import evidence

_BEGINNING: Final = Path(__file__).with_name("witnessed.toml")
_WEIGHTS: Final = Path(evidence.__file__).with_name("weights.toml")
_PENALTY: Final = 1.0
_PENALTY_OF_RULES: Final = 8.0
_SHARE_OF_CASES: Final = 0.25
"""The weight of a case relative to a program: cases are short, with few wrong suspects."""
_TABLE: Final = re.compile(r"(<!-- order -->\n).*?(<!-- end of order -->)", re.S)
_MOST: Final = (1, 3, 10)

Array = NDArray[np.float64]


def main(argv: Sequence[str] | None = None) -> int:
    options = argparse.ArgumentParser(prog="python -m benchmarks.suspects.order")
    options.add_argument("--update", type=Path, help="write the table into this page")
    options.add_argument("--measure", action="store_true", help="leave the weights as they are")
    given = options.parse_args(argv)
    if not given.measure:
        _fit()
    table = measured()
    print(table)
    if given.update is not None:
        page = given.update.read_text(encoding="utf-8")
        given.update.write_text(_TABLE.sub(rf"\1\n{table}\n\2", page), encoding="utf-8")
    return 0


def _fit() -> None:
    beginning = tomli.loads(_BEGINNING.read_text(encoding="utf-8"))
    programs = [one for one in known_programs() if not one.is_held_out]
    told = [(one, suspected(one)) for one in programs]
    chosen = [
        (one, rows) for one, rows in told if 0 < sum(origin for _, origin in rows) < len(rows)
    ]
    kinds = [one.name for one in evidence.CATALOGUE]
    codes = sorted({*beginning["rules"], *(s.finding.code for _, rows in chosen for s, _ in rows)})
    start = np.array(
        [
            *(beginning["evidence"].get(name, 0.0) for name in kinds),
            *(beginning["rules"].get(code, 0.0) for code in codes),
        ]
    )
    penalty = np.array([*[_PENALTY] * len(kinds), *[_PENALTY_OF_RULES] * len(codes)])
    groups = [
        (
            np.array(
                [
                    [
                        *(name in suspect.evidence for name in kinds),
                        *(code == suspect.finding.code for code in codes),
                    ]
                    for suspect, _ in rows
                ],
                dtype=float,
            ),
            np.array([origin for _, origin in rows]),
            _SHARE_OF_CASES if known.kind == CASE else 1.0,
        )
        for known, rows in chosen
    ]
    fitted = _maximised(groups, start, penalty)
    lines = [
        "# Log-odds that an operation is the origin, by `python -m benchmarks.suspects.order`",
        f"# from `benchmarks/suspects/witnessed.toml` and {len(chosen)} programs of which the",
        "# origin is known.",
        f"bias = {beginning['bias']:.2f}",
        "",
        "[evidence]",
        *(f"{name} = {value:.2f}" for name, value in zip(kinds, fitted, strict=False)),
        "",
        "[rules]",
        *(f"{code} = {value:.2f}" for code, value in zip(codes, fitted[len(kinds) :], strict=True)),
    ]
    _WEIGHTS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    evidence.weights.cache_clear()
    suspected.cache_clear()


def _maximised(
    groups: Sequence[tuple[Array, NDArray[np.bool_], float]], start: Array, penalty: Array
) -> Array:
    """Return the weights that maximise the penalised conditional likelihood.

    Each group is (suspects, features), which of them are origins, and its weight.
    """

    def loss(weights: Array) -> tuple[float, Array]:
        value = 0.5 * float((penalty * (weights - start) ** 2).sum())
        slope = penalty * (weights - start)
        for features, is_origin, count in groups:
            scores = features @ weights
            whole, own = logsumexp(scores), logsumexp(scores[is_origin])
            value += count * float(whole - own)
            drawn = np.exp(scores - whole)
            right = np.where(is_origin, np.exp(scores - own), 0.0)
            slope = slope + count * features.T @ (drawn - right)
        return value, slope

    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B").x)


def measured() -> str:
    """Return a table in Markdown: how often the origin is among the first suspects."""
    programs = known_programs()
    rows: Mapping[str, Callable[[Known], Any]] = {
        "all": lambda one: True,
        "all, held out": lambda one: one.is_held_out,
        "programs": lambda one: one.kind != CASE,
        "programs, held out": lambda one: one.kind != CASE and one.is_held_out,
        "plain programs": lambda one: one.kind == PLAIN,
        "hard programs": lambda one: one.kind == HARD,
        "hard programs, held out": lambda one: one.kind == HARD and one.is_held_out,
        "`cases/broken`": lambda one: one.kind == CASE,
    }
    lines = [
        "| | programs | suspects in each | first | in the first three | in the first ten |",
        "| --- | --: | --: | --: | --: | --: |",
    ]
    for name, belongs in rows.items():
        found = [one for one in programs if belongs(one)]
        suspects = sum(len(suspected(one)) for one in found) / len(found)
        shares = " | ".join(f"{share(found, most):.0%}".replace("%", " %") for most in _MOST)
        lines.append(f"| {name} | {len(found)} | {suspects:.1f} | {shares} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())
