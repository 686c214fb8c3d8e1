"""`mllint-nan --suspects ENTRY`: from the options to what is printed."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TextIO

from mllint_nan.reporting import runs
from mllint_nan.reporting import suspects as told
from mllint_nan.reporting.output import columns_of, style_for
from mllint_nan.settings import Settings
from mllint_nan.suspects.candidates import Suspect, suspects_of, with_fixes
from mllint_nan.suspects.program import (
    Entry,
    EntryError,
    entry_of,
    entry_of_module,
    package_folder,
    program_from,
)
from mllint_nan.suspects.report import Report, report_of
from mllint_nan.suspects.running import run, script_of

CLEAN = 0
FINDINGS = 1
FORMATS = ("full", "concise", "json", "markdown")


def show(options: argparse.Namespace, settings_of: Callable[[str], Settings], to: TextIO) -> int:
    """Print the suspects of a program, or what a run of it shows of them.

    Return the status: 0; for a run, 1 if it came to a number that is not finite, else its own.
    Raises EntryError if there is nothing to read, or to run.
    """
    entry = _entry(options)
    packages = [package_folder(name) for name in options.follow]
    format = options.output_format or ("full" if to.isatty() else "concise")
    if format not in FORMATS:
        raise EntryError(f"--suspects prints {', '.join(FORMATS)}, not {format}")
    program = program_from(entry, packages)
    report = _report(options.report) if options.report is not None else None
    suspects = suspects_of(program, settings_of, report)
    if report is not None:
        for line in told.unused(report, suspects):
            print(line, file=sys.stderr)
    for line in told.unread(suspects):
        print(line, file=sys.stderr)
    ranked = list(suspects.ranked)
    if not suspects.program.differentiates:
        print(told.untrained(suspects), file=sys.stderr)
        ranked = told.by_file(suspects)
    if options.command is not None:
        return _run(options, program.files, ranked, settings_of, format, to)
    if format == "json":
        whole = list(with_fixes(ranked, settings_of))
        print(told.document(whole, _read), end="", file=to)
        return CLEAN
    most = 2 * told.SHOWN_MOST  # so that enough are left when one fix repairs several
    ranked = [*with_fixes(ranked[:most], settings_of), *ranked[most:]]
    top = ranked[: told.SHOWN_MOST]
    suspects = replace(suspects, ranked=tuple(ranked))
    match format:
        case "full":
            style = style_for(to, no_color=options.no_color)
            shown = told.full(suspects, top, _read, style, columns_of(to))
        case "markdown":
            shown = told.markdown(suspects, top, _read)
        case _:
            shown = told.concise(suspects, top, _read)
    print(shown, end="", file=to)
    return CLEAN


def _run(
    options: argparse.Namespace,
    files: Sequence[str],
    ranked: Sequence[Suspect],
    settings_of: Callable[[str], Settings],
    format: str,
    to: TextIO,
) -> int:
    """Run the command, and print which suspect was the origin."""
    outcome = run(ranked, options.command, files, is_quiet=format == "json")
    origin = outcome.origin
    if origin is not None and origin.suspect is not None:
        (suspect,) = with_fixes([origin.suspect], settings_of)
        origin = replace(origin, suspect=suspect)
        outcome = replace(outcome, origin=origin)
    if format == "json":
        shown = runs.document(outcome, _read)
    else:
        style = style_for(to, no_color=options.no_color)
        shown = runs.full(outcome, _read, style, columns_of(to))
    print(shown, end="", file=to)
    return FINDINGS if outcome.is_bad else outcome.status


def _entry(options: argparse.Namespace) -> Entry:
    if options.module is not None:
        if options.paths:
            raise EntryError(
                f"-m {options.module} is already the entry; leave out {options.paths[0]}"
            )
        return entry_of_module(options.module, os.getcwd())
    if options.command is not None and not options.paths:
        script, module = script_of(options.command)
        return entry_of(script) if script else entry_of_module(module, os.getcwd())
    if len(options.paths) != 1:
        raise EntryError(
            "--suspects expects one entry: script, notebook, file.py::function, -m MODULE"
        )
    return entry_of(options.paths[0])


def _report(path: str) -> Report:
    """The report on the NaN in a file, or from standard input."""
    try:
        if path == "-":
            data = sys.stdin.buffer.read()
        else:
            with open(path, "rb") as file:
                data = file.read()
    except OSError as error:
        raise EntryError(f"--from {path}: {error.strerror or error}") from None
    return report_of(data.decode("utf-8", "replace"))


@lru_cache(64)
def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
