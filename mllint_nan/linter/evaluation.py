"""One text, parsed and interpreted, with the judge that applies the rules to it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from mllint_nan.flow.callers import visit_callers
from mllint_nan.flow.interpreter import Interpreter
from mllint_nan.frameworks.registry import own_signatures
from mllint_nan.ir import program as ir
from mllint_nan.linter.selection import asked_rules
from mllint_nan.requirements.declared import Versions
from mllint_nan.rulebook.judge import Judge
from mllint_nan.settings import Settings
from mllint_nan.syntax.decoding import SourceError, decode

if TYPE_CHECKING:
    from mllint_nan.fixing.repair import Repairer
    from mllint_nan.syntax.source import Source

_RECURSION_DEEPEST = 6000
"""Frames of CPython 3.10, which keeps them on the stack: 8 MiB have room for more than these."""


def allow_depth() -> None:
    """Raise the recursion limit, as chains of calls and branches nest as deep as they are long."""
    if sys.getrecursionlimit() < _RECURSION_DEEPEST:
        sys.setrecursionlimit(_RECURSION_DEEPEST)


def load(settings: Settings) -> None:
    """Load the rules and import LibCST, which the first file with a finding would do otherwise."""
    from mllint_nan.syntax import lower  # noqa: F401

    asked_rules(settings)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A file that was read and evaluated, ready for the rules."""

    source: Source
    judge: Judge


def prepare(data: bytes, filename: str, settings: Settings) -> Prepared:
    """Read and evaluate one file; if it is not Python 3, the part that can be read.

    Raises SourceError if no part can be read, UnsupportedError if it cannot be analysed.
    """
    allow_depth()
    text = decode(data).text
    try:
        prepared = evaluated(text, filename, settings)
    except SourceError as error:
        from mllint_nan.syntax.mending import mend

        mended = mend(text, error)
        if mended is None:
            raise
        prepared = evaluated(mended.text, filename, settings)
    prepared.source.check()
    return prepared


def evaluated(
    text: str, filename: str, settings: Settings, are_calls_idle: bool = False
) -> Prepared:
    """Read and evaluate a text; `are_calls_idle` is passed to the judge."""
    # Importing LibCST takes as long as reading a long file.
    from mllint_nan.syntax.lower import lower_module
    from mllint_nan.syntax.remarks import Remarks
    from mllint_nan.syntax.source import Source

    source = Source(text)
    program, remarks = lower_module(source.module), Remarks(source)
    judge = judge_of(program, filename, settings, remarks.beside, are_calls_idle)
    return Prepared(source, judge)


def ask_for_fixes(prepared: Prepared, settings: Settings) -> Repairer:
    """Before verdicts, tell the judge how to find out whether a fix can be written."""
    from mllint_nan.fixing.repair import Repairer

    versions = settings.versions or Versions(targets=settings.target_versions)
    repairer = Repairer(prepared.source, prepared.judge, versions.oldest)
    prepared.judge.is_repaired = repairer.is_safe
    return repairer


def judge_of(
    program: ir.Block,
    filename: str,
    settings: Settings,
    remarks: Callable[[object], str] | None = None,
    are_calls_idle: bool = False,
) -> Judge:
    interpreter = Interpreter(settings.project)
    interpreter.analysis.path = filename
    if settings.project is not None:
        interpreter.analysis.trained = settings.project.training
        interpreter.analysis.unrun = settings.project.unrun
    interpreter.analysis.operations = own_signatures(settings.operations)
    interpreter.run_module(program)
    visit = partial(visit_callers, interpreter)
    return Judge(
        asked_rules(settings),
        interpreter.analysis,
        interpreter.build,
        remarks,
        visit,
        are_calls_idle=are_calls_idle,
    )
