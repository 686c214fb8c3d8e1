"""Where each fix of each rule is offered: the smallest functions of fixtures, executed once."""

from __future__ import annotations

import ast
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from mllint_nan.findings import Confidence, Proof, Verified
from mllint_nan.fixing.repair import Chosen
from mllint_nan.linter import Settings, lint_bytes
from mllint_nan.rulebook.judge import Judge
from mllint_nan.rulebook.load import load_rules
from mllint_nan.rulebook.verdict import Verdict
from mllint_nan.syntax.source import Source
from mllint_nan.verify.cut import cut
from mllint_nan.verify.render import render
from mllint_nan.verify.variables import Uncuttable
from mllint_nan.verify.verifier import Verifier
from tests.fixture_files import fixture_files
from tests.verifier.samples import parts_of
from tests.verify.own_rewrites import proof_of
from tests.verify.planted_rules import PlantedRule

_PREFERRED: Final = ("torch", "numpy", "tensorflow", "jax", "keras", "math")
_TRIED_MOST: Final = 4
_PROVED: Final = Proof(Verified.PROVED, "", None, None, 0, 0.0)


class _Places(Verifier):
    """Notes where fixes are offered, and takes them for proved."""

    def __init__(self) -> None:
        super().__init__(trusts_findings=True)
        self.found: dict[tuple[str, int], list[tuple[int, int, str, str]]] = {}

    def proof(self, verdict: Verdict, chosen: Chosen, judge: Judge, source: Source) -> Proof:
        try:
            parts = cut(verdict, chosen, judge)
            render(parts)
        except Uncuttable:
            return _PROVED
        size = sum(1 for _ in parts_of(parts.before)) + 4 * len(parts.variables)
        place = verdict.rule.fixes.index(chosen.repair)
        start = source.span(verdict.occurrence.term.site).start
        text = _program(source.text, source.text.count("\n", 0, start) + 1)
        if text is not None:
            found = self.found.setdefault((verdict.rule.name, place), [])
            found.append((_PREFERRED.index(verdict.framework), size, verdict.framework, text))
        return _PROVED


def _program(text: str, row: int) -> str | None:
    """The imports of a file and its function around a row; None where there is none."""
    lines = text.splitlines(keepends=True)
    imports, around = [], None
    for node in ast.parse(text).body:
        part = "".join(lines[node.lineno - 1 : node.end_lineno])
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports.append(part)
        if isinstance(node, ast.FunctionDef) and node.lineno <= row <= (node.end_lineno or 0):
            around = part
    bare = around and "".join(
        line.split("  # expect")[0].rstrip() + "\n"
        for line in around.splitlines()
        if not line.strip().startswith("#")
    )
    return bare and "".join(imports) + "\n\n" + bare


def programs() -> Iterator[tuple[str, int, str, str]]:
    """Rule, place of the fix, framework and program, where the fix is proved in it."""
    rules = {each.name: each for each in load_rules()}
    with _Places() as places:
        every = Settings(min_confidence=Confidence.POSSIBLE, verifier=places)
        for file in fixture_files():
            lint_bytes(file.data, file.filename, replace(every, select=file.select))
    with Verifier() as verifier, tempfile.TemporaryDirectory() as directory:
        for number, ((rule, place), found) in enumerate(sorted(places.found.items())):
            for trial, (_, _, framework, text) in enumerate(sorted(set(found))[:_TRIED_MOST]):
                rewrite = rules[rule].fixes[place].rewrite.text
                planted = PlantedRule(rule, place, framework, text, rewrite, "")
                try:
                    proof = proof_of(
                        planted.text, text, verifier, Path(directory) / f"{number}-{trial}"
                    )
                except AssertionError:
                    continue
                if proof is not None and proof.fix is Verified.PROVED:
                    yield rule, place, framework, text
                    break
