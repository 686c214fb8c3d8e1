"""Rewrites as fixes of rules of one's own, and what `--verify` says of them in a small program."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import tomli

from mllint_nan.findings import Confidence, Proof
from mllint_nan.linter import Linted, lint_text
from mllint_nan.settings import Settings
from mllint_nan.verify.verifier import Verifier

WRITTEN: Final = Path(__file__).with_name("wrong_rewrites.toml")
IMPORTS: Final[Mapping[str, str]] = {
    "torch": "import torch",
    "tensorflow": "import tensorflow as tf",
    "jax": "import jax\nimport jax.numpy as jnp",
    "numpy": "import numpy as np",
}
CODE: Final = "NAN801"
_TURN: Final = ("torch", "numpy", "torch", "tensorflow", "numpy", "torch", "jax")
"""JAX compiles each rewrite for each shape, which takes ten times as long."""
_RULE: Final = """\
code = "NAN801"
name = "own"
summary = "a rewrite to be judged"
hazard = {hazard}
off_by_default = true
frameworks = [{framework}]
match = {match}
message = "a rewrite to be judged"

[[fix]]
rewrite = {rewrite}
applicability = "safe"

[[witness]]
text = "x = 0"
given = {{ x = [0.0, 1.0] }}

[docs]
why = "To be judged."
example = '''
{imports}
'''
instead = '''
{imports}
'''
fix_safety = "To be judged."
references = []
"""


@dataclass(frozen=True, slots=True)
class OwnRewrite:
    """A program of one function, and a rule whose fix is written there."""

    name: str
    framework: str
    program: str
    match: str
    rewrite: str
    hazard: str

    @property
    def rule(self) -> str:
        """The file of the rule."""
        return _RULE.format(
            framework=json.dumps(self.framework),
            match=json.dumps(self.match),
            rewrite=json.dumps(self.rewrite),
            hazard=json.dumps(self.hazard),
            imports=IMPORTS[self.framework],
        )

    @property
    def text(self) -> str:
        """The program."""
        return f"{IMPORTS[self.framework]}\n\n\ndef f(x, y, mask):\n    return {self.program}\n"

    def proof(self, verifier: Verifier, directory: Path) -> Proof | None:
        """What is shown of the fix; None where it cannot be written."""
        return proof_of(self.rule, self.text, verifier, directory)

    def __str__(self) -> str:
        return f"{self.name}-{self.framework}: {self.rewrite}"


def proof_of(
    rule: str, text: str, verifier: Verifier, directory: Path, stem: str = "own"
) -> Proof | None:
    """What is shown of the first fix of a rule, in a folder of its own, in a program."""
    directory.mkdir()
    (directory / f"{stem}.toml").write_text(rule, encoding="utf-8")
    settings = Settings(
        select=(CODE,),
        rules=(str(directory),),
        min_confidence=Confidence.POSSIBLE,
        verifier=verifier,
    )
    outcome = lint_text(text, "a.py", settings)
    assert isinstance(outcome, Linted), outcome
    found = [finding for finding in outcome.findings if finding.code == CODE]
    assert found, f"nothing is found in\n{text}"
    return next((finding.proof for finding in found if finding.proof is not None), None)


def right() -> Iterator[OwnRewrite]:
    """Those of the table that are right, each in the first of its frameworks and one other."""
    number = 0
    for group in _groups():
        for entry in group.get("right", ()):
            is_plain = isinstance(entry, str)
            first, *others = _frameworks(group) if is_plain else entry["frameworks"]
            number += 1
            turn = others[number % len(others) :][:1] if others else []
            for framework in (first, *turn):
                yield _own(group, framework, entry if is_plain else entry["rewrite"])


def wrong() -> Iterator[tuple[OwnRewrite, ...]]:
    """Those that are wrong, each in the order of frameworks in which it is to be tried."""
    number = 0
    for group in _groups():
        for key in ("wrong", "only"):
            for rewrite in group.get(key, ()):
                has_gradient = key == "only" or "detach" in rewrite
                usable = [
                    name for name in _frameworks(group) if not (has_gradient and name == "numpy")
                ]
                number += 1
                first = _TURN[number % len(_TURN)]
                usable.sort(key=lambda name: name != first)
                yield tuple(_own(group, name, rewrite) for name in usable)


def _groups() -> list[dict[str, Any]]:
    groups: list[dict[str, Any]] = tomli.loads(WRITTEN.read_text(encoding="utf-8"))["rewriting"]
    return groups


def _frameworks(group: Mapping[str, Any]) -> list[str]:
    return [name for name in IMPORTS if name in group]


def _own(group: Mapping[str, Any], framework: str, rewrite: str) -> OwnRewrite:
    return OwnRewrite(
        group["name"],
        framework,
        group[framework],
        group["match"],
        rewrite,
        group.get("hazard", "value"),
    )
