"""The command line: arguments in, an exit code out.

Nothing that reads source is imported before a file has to be read.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TextIO

from mllint_nan.version import __version__

if TYPE_CHECKING:
    from mllint_nan.project import Checked, Request
    from mllint_nan.reporting.output import Output
    from mllint_nan.rulebook.rule import Rule

CLEAN, FINDINGS, ERROR, INTERRUPTED = 0, 1, 2, 130

_STDIN = "-"
_EVERY_RULE = "NAN"
_EPILOG = """\
exit status: 0 nothing found, or all of it fixed; 1 findings; 2 wrong usage, or
files that could not be read or analysed (the others are still reported)"""


class UsageError(Exception):
    """The command line asks for what cannot be done; the message is one line."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    _prepare("stdout")
    _prepare("stderr")
    try:
        return _run(sys.argv[1:] if argv is None else argv)
    except KeyboardInterrupt:
        print("mllint-nan: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone: what is left in the buffers must not complain at exit.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.dup2(nowhere, sys.stderr.fileno())
        return FINDINGS


def _prepare(name: str) -> None:
    """Let a standard stream carry every path and every character, and exist."""
    stream = getattr(sys, name)
    if stream is None:
        setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    elif hasattr(stream, "reconfigure"):
        is_utf8 = stream.encoding.lower().replace("-", "") == "utf8"
        stream.reconfigure(errors="surrogateescape" if is_utf8 else "backslashreplace")


def _run(argv: Sequence[str]) -> int:
    try:
        options = _parser().parse_args(argv)
        code = _command(options)
        sys.stdout.flush()
    except SystemExit as stop:  # of argparse, which has printed help, version or usage
        sys.stdout.flush()
        return stop.code if isinstance(stop.code, int) else ERROR
    except UsageError as error:
        print(f"mllint-nan: error: {error}", file=sys.stderr)
        return ERROR
    except BrokenPipeError:
        raise
    except OSError as error:  # of a stream or the working directory; a file's own is an outcome
        print(f"mllint-nan: error: {error.strerror or error}", file=sys.stderr)
        return ERROR
    return CLEAN if code == FINDINGS and options.exit_zero else code


def _command(options: argparse.Namespace) -> int:
    if options.list_rules or options.explain is not None:
        return _explain(options)
    if options.explain_at is not None:
        return _explain_at(options)
    if _STDIN in options.paths:
        return _check_stdin(options)
    return _check_files(options)


def _check_files(options: argparse.Namespace) -> int:
    from mllint_nan.project import Checked, check_paths, default_jobs, discover, write_fixed

    request, output = _request(options), _output(options, sys.stdout)
    request = replace(request, roots=_roots(options))
    discovery = discover(options.paths or [os.curdir])
    files = []
    for path, failed in discovery.failures:
        files.append(Checked(path, failed))
        output.add(files[-1])
    results = check_paths(discovery.files, request, options.jobs or default_jobs())
    # What is found in a file depends on those that it imports: none changes before all are read.
    for checked in list(results) if request.fix and not options.diff else results:
        if checked.is_changed and not options.diff:
            checked = write_fixed(checked)
        output.add(checked)
        files.append(checked.without_bytes())
    output.end(files)
    return _exit_code(files, is_diff=options.diff)


def _roots(options: argparse.Namespace) -> tuple[str, ...]:
    """The directories that the user names: absolute imports are looked for below them."""
    return tuple(path for path in options.paths or [os.curdir] if os.path.isdir(path))


def _check_stdin(options: argparse.Namespace) -> int:
    from mllint_nan.project import check_bytes

    if len(options.paths) > 1:
        raise UsageError("- (standard input) cannot be combined with other paths")
    if sys.stdin is None:
        raise UsageError("standard input is closed")
    is_filter = options.fix and not options.diff
    output = _output(options, sys.stderr if is_filter else sys.stdout)
    request = _request(options)
    data = sys.stdin.buffer.read()
    checked = check_bytes(data, _STDIN, request)
    if is_filter:
        sys.stdout.buffer.write(checked.after if checked.is_changed else data)
        sys.stdout.buffer.flush()
    output.add(checked)
    output.end([checked])
    return _exit_code([checked], is_diff=options.diff)


def _exit_code(files: Sequence[Checked], *, is_diff: bool) -> int:
    from mllint_nan.linter import Failed, Unparsable

    if any(isinstance(file.outcome, Failed) for file in files):
        return ERROR
    if is_diff:
        reported = any(file.applied or isinstance(file.outcome, Unparsable) for file in files)
    else:
        reported = any(file.findings for file in files)
    return FINDINGS if reported else CLEAN


def _request(options: argparse.Namespace) -> Request:
    from mllint_nan.findings import Confidence
    from mllint_nan.linter import Settings
    from mllint_nan.project import Request

    settings = Settings(
        select=_selectors("--select", options.select) or (_EVERY_RULE,),
        ignore=_selectors("--ignore", options.ignore),
        min_confidence=Confidence[options.min_confidence.upper()],
        unsafe_fixes=options.unsafe_fixes,
    )
    return Request(settings, fix=options.fix or options.diff)


def _output(options: argparse.Namespace, findings_to: TextIO) -> Output:
    from mllint_nan.findings import Applicability
    from mllint_nan.reporting.output import Output, style_for

    return Output(
        findings_to=findings_to,
        format=options.output_format or ("full" if findings_to.isatty() else "concise"),
        style=style_for(findings_to, no_color=options.no_color),
        weakest=Applicability.UNSAFE if options.unsafe_fixes else Applicability.SAFE,
        is_diff=options.diff,
        is_statistics=options.statistics,
        is_quiet=options.quiet,
        is_verbose=options.verbose,
    )


def _explain(options: argparse.Namespace) -> int:
    from mllint_nan.reporting import explain
    from mllint_nan.reporting.output import style_for

    rules = _rules()
    style = style_for(sys.stdout, no_color=options.no_color)
    is_json = options.output_format == "json"
    if options.list_rules:
        print(explain.as_json(rules) if is_json else explain.table(rules, style).rstrip("\n"))
        return CLEAN
    asked = options.explain.strip()
    for rule in rules:
        if asked.upper() == rule.code or asked.lower() == rule.name:
            print(explain.as_json(rule) if is_json else explain.page(rule, style).rstrip("\n"))
            return CLEAN
    raise UsageError(_unknown(asked, "--explain", rules))


def _explain_at(options: argparse.Namespace) -> int:
    from mllint_nan.project import placed
    from mllint_nan.reporting.output import style_for
    from mllint_nan.reporting.trace import traced
    from mllint_nan.tracing import Unreadable, trace_row

    path, _, row = options.explain_at.rpartition(":")
    if not path or not row.isdecimal():
        raise UsageError(f"--explain-at expects FILE:LINE, not {options.explain_at!r}")
    try:
        with open(path, "rb") as file:
            settings = placed(_request(options).settings, path, _roots(options))
            traces = trace_row(file.read(), path, int(row), settings)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from None
    except Unreadable as error:
        raise UsageError(f"{path}:{error}") from None
    style = style_for(sys.stdout, no_color=options.no_color)
    print(traced(options.explain_at, traces, style), end="")
    return CLEAN


def _rules() -> tuple[Rule, ...]:
    from mllint_nan.reporting.explain import SYNTAX_ERROR
    from mllint_nan.rulebook.load import RuleError, load_rules

    try:
        return (*load_rules(), SYNTAX_ERROR)
    except RuleError as error:
        raise UsageError(str(error)) from None


def _selectors(option: str, listed: Sequence[str]) -> tuple[str, ...]:
    """Codes and prefixes in upper case, names in lower case, each known to match a rule."""
    if not listed:
        return ()
    rules = _rules()
    return tuple(_selector(option, asked, rules) for asked in _split(option, listed))


def _split(option: str, listed: Sequence[str]) -> Iterator[str]:
    asked = [part.strip() for value in listed for part in value.split(",")]
    if not any(asked):
        raise UsageError(f"{option} expects codes, prefixes or rule names")
    return (part for part in asked if part)


def _selector(option: str, asked: str, rules: Sequence[Rule]) -> str:
    for rule in rules:
        if rule.code.startswith(asked.upper()):
            return asked.upper()
        if rule.name == asked.lower():
            return rule.name
    raise UsageError(_unknown(asked, option, rules))


def _unknown(asked: str, option: str, rules: Sequence[Rule]) -> str:
    import difflib

    known = [word for rule in rules for word in (rule.code, rule.name)]
    spelled = {word.lower(): word for word in known}
    close = difflib.get_close_matches(asked.lower(), spelled, n=9, cutoff=0.5)
    close.sort(key=lambda word: sum(a == b for a, b in zip(asked.lower(), word)), reverse=True)  # noqa: B905
    hint = f"did you mean {spelled[close[0]]}?" if close else "--list-rules shows them all"
    return f"unknown rule {asked!r} in {option}; {hint}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mllint-nan",
        usage="mllint-nan [OPTIONS] [PATHS]...",
        description="Find code whose values or gradients become NaN or infinite, and repair it.",
        epilog=_EPILOG,
        formatter_class=_HelpFormatter,
        allow_abbrev=False,
        add_help=False,
    )
    add = parser.add_argument_group("arguments").add_argument
    add("paths", nargs="*", metavar="PATHS",
        help="files and directories (default: .), or - for standard input")  # fmt: skip

    add = parser.add_argument_group("fixing").add_argument
    add("--fix", action="store_true", help="apply the fixes that are safe")
    add("--unsafe-fixes", action="store_true",
        help="also apply, and count as fixable, what may change finite results")  # fmt: skip
    add("--diff", action="store_true", help="print what --fix would change; write nothing")

    add = parser.add_argument_group("rules").add_argument
    add("--select", action="append", default=[], metavar="RULES",
        help="only these: codes, prefixes or names, comma-separated")  # fmt: skip
    add("--ignore", action="append", default=[], metavar="RULES", help="all but these")
    add("--min-confidence", choices=("certain", "likely", "possible"), default="likely",
        metavar="LEVEL", help="certain, likely (default) or possible")  # fmt: skip
    add("--isolated", action="store_true", help="ignore configuration files")

    add = parser.add_argument_group("output").add_argument
    add("--output-format", choices=("full", "concise", "json"), metavar="FORMAT",
        help="full (default on a terminal), concise or json")  # fmt: skip
    add("--statistics", action="store_true", help="count findings per rule instead")
    add("--no-color", action="store_true", help="no colours, as NO_COLOR")
    add("-q", "--quiet", action="store_true", help="findings only, no summary")
    add("-v", "--verbose", action="store_true", help="show tracebacks of internal errors")
    add("-e", "--exit-zero", action="store_true", help="exit 0 even if there are findings")

    add = parser.add_argument_group("other").add_argument
    add("-j", "--jobs", type=_positive, metavar="N",
        help="processes to use (default: one per processor)")  # fmt: skip
    add("--explain", metavar="RULE", help="show one rule's page, by code or name")
    add("--explain-at", metavar="FILE:LINE",
        help="show the chain behind one line: terms, ranges, what each rule asked")  # fmt: skip
    add("--list-rules", action="store_true", help="show all rules")
    version = f"mllint-nan {__version__}"
    add("-V", "--version", action="version", version=version, help="show the version")
    add("-h", "--help", action="help", help="show this help")
    return parser


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=26)


def _positive(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return number
