"""The command line: arguments in, an exit code out.

Modules that read source are imported only when a file has to be read.
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import gc
import io
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TextIO

from mllint_nan.arguments import OF_SUSPECTS, parser
from mllint_nan.completion import script
from mllint_nan.explain_command import explain_line, explain_rules, show_settings
from mllint_nan.garbage_collection import paused
from mllint_nan.options import UsageError, configurations_of, roots_of, rules_of

if TYPE_CHECKING:
    from mllint_nan.config.resolve import Configurations
    from mllint_nan.project import Checked, Request
    from mllint_nan.reporting.output import Output
    from mllint_nan.reporting.progress import Tally
    from mllint_nan.settings import Settings

CLEAN, FINDINGS, ERROR, INTERRUPTED = 0, 1, 2, 130
_STDIN = "-"
_HABITS: Final = {
    "check": "",
    "lint": "",
    "run": "",
    "fix": "--fix",
    "format": "--fix",
    "diff": "--diff",
    "rule": "--explain",
    "explain": "--explain",
    "rules": "--list-rules",
    "config": "--show-settings",
    "server": "--server",
    "lsp": "--server",
    "version": "--version",
    "help": "--help",
}
"""Subcommands of other linters, and their equivalents here."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    atexit.register(gc.freeze)
    _prepare("stdout")
    _prepare("stderr")
    try:
        return _run(sys.argv[1:] if argv is None else argv, is_last=argv is None)
    except KeyboardInterrupt:
        print("mllint-nan: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone: flushing the buffers at exit must not raise.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.dup2(nowhere, sys.stderr.fileno())
        return FINDINGS


_ALONE: Final = {"--add-noqa": "--add-noqa=ignore", "--verify": "--verify=findings"}
"""Options whose value is optional, and its default."""
_PATHS: Final = {
    "baseline": "--baseline",
    "write_baseline": "--write-baseline",
    "output_file": "--output-file",
    "stdin_filename": "--stdin-filename",
    "cache_dir": "--cache-dir",
    "report": "--from",
}
"""Options that name a file or directory, by their argparse attribute."""


def _prepare(name: str) -> None:
    """Make sure that a standard stream exists and can carry every path and character."""
    stream = getattr(sys, name)
    if stream is None:
        setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    elif hasattr(stream, "reconfigure"):
        is_utf8 = stream.encoding.lower().replace("-", "") == "utf8"
        stream.reconfigure(errors="surrogateescape" if is_utf8 else "backslashreplace")


def _run(argv: Sequence[str], *, is_last: bool) -> int:
    """Run the command; if it `is_last`, the process ends after it."""
    from mllint_nan.baseline import BaselineError
    from mllint_nan.config.keys import ConfigError

    try:
        # Otherwise the path after the option would be taken for its value.
        argv, command = _without_command(argv)
        argv = [_ALONE.get(word, word) for word in argv]
        options = parser().parse_args(argv)
        options.command = command
        _check_habits(argv, options)
        _check_empty(options)
        with contextlib.nullcontext() if options.server else paused():
            code = _command(options)
            if is_last:
                gc.freeze()  # what is left at the end needs no garbage collection
        sys.stdout.flush()
    except SystemExit as stop:  # of argparse, which has printed help, version or usage
        sys.stdout.flush()
        return stop.code if isinstance(stop.code, int) else ERROR
    except (UsageError, ConfigError, BaselineError) as error:
        print(f"mllint-nan: error: {error}", file=sys.stderr)
        return ERROR
    except BrokenPipeError:
        raise
    except OSError as error:  # of a stream or the working directory; a file has an outcome
        print(f"mllint-nan: error: {error.strerror or error}", file=sys.stderr)
        return ERROR
    return CLEAN if code == FINDINGS and options.exit_zero else code


def _without_command(argv: Sequence[str]) -> tuple[list[str], list[str] | None]:
    """The arguments, and the command after `--run --`, which has options of its own."""
    words = list(argv)
    if "--run" not in words:
        return words, None
    place = words.index("--run")
    start = words.index("--", place) if "--" in words[place:] else place
    return [*words[:place], *words[place + 1 : start]], words[start + 1 :]


def _command(options: argparse.Namespace) -> int:
    if options.server:
        return _serve()
    if options.completion is not None:
        return _complete(options)
    configurations = configurations_of(options)
    _check_suspects(options)
    if options.suspects:
        return _show_suspects(options, configurations)
    if options.list_rules or options.explain is not None:
        explain_rules(options, configurations)
        return CLEAN
    if options.explain_at is not None:
        explain_line(options, configurations)
        return CLEAN
    if options.show_settings:
        show_settings(options, configurations)
        return CLEAN
    if options.show_files:
        return _show_files(options, configurations)
    if options.add_noqa or options.write_baseline:
        return _adopt(options, configurations)
    if _STDIN in options.paths or (options.stdin_filename and not options.paths):
        return _check_stdin(options, configurations)
    return _check_files(options, configurations)


def _check_habits(argv: Sequence[str], options: argparse.Namespace) -> None:
    """Raise UsageError if the first path is not a path but a subcommand of another linter."""
    word = next(iter(options.paths), "")
    if word not in _HABITS or os.path.lexists(word):
        return
    place = argv.index(word)
    words = (*argv[:place], _HABITS[word], *argv[place + 1 :])
    meant = shlex.join(("mllint-nan", *filter(None, words)))
    raise UsageError(f"{word}: there are no subcommands; did you mean `{meant}`?")


def _check_empty(options: argparse.Namespace) -> None:
    """Raise UsageError if a path is empty, as from an unset variable."""
    if "" in options.paths:
        raise UsageError("the path is empty; `.` is the current directory")
    for name in _PATHS:
        if getattr(options, name) == "":
            option = _PATHS[name]
            raise UsageError(f"{option}: the path is empty")


def _complete(options: argparse.Namespace) -> int:
    from mllint_nan.config.keys import ConfigError

    try:
        rules = rules_of(configurations_of(options))
    except (ConfigError, UsageError):  # no shell should fail to start for it
        rules = ()
    print(script(options.completion, parser(), rules), end="")
    return CLEAN


def _check_files(options: argparse.Namespace, configurations: Configurations) -> int:
    from mllint_nan.project import too_large, write_fixed
    from mllint_nan.reporting.paths import shown

    is_fixing = configurations.run.fix or options.diff
    files = []
    with _destination(options, sys.stdout) as to:
        output = _output(options, configurations, to)
        results = _checked(options, configurations, is_fixing=is_fixing)
        is_writing = is_fixing and not options.diff
        # A finding may depend on imported files: none changes before all are read.
        for checked in list(results) if is_writing else results:
            if checked.is_changed and is_writing:
                checked = write_fixed(checked)
            output.add(checked)
            files.append(checked.without_bytes())
        output.end(files)
    if not options.quiet:
        for root in too_large((file.path for file in files if file.is_analysed), roots_of(options)):
            print(
                f"{shown(root)}: too large to read as a whole; what its other files call or "
                "train is not known",
                file=sys.stderr,
            )
    return _exit_code(files, options, configurations)


@contextlib.contextmanager
def _destination(options: argparse.Namespace, default: TextIO) -> Iterator[TextIO]:
    """Where findings go; a file is written all at once, so that it is never half written."""
    path = options.output_file
    if path is None:
        yield default
        return
    is_new = not os.path.lexists(path)
    collected = io.StringIO()
    try:
        with _told("--output-file", path):
            open(path, "ab").close()  # fails before the work, not after
        yield collected
        data = collected.getvalue().encode("utf-8", "surrogateescape")
        with _told("--output-file", path), open(path, "wb") as file:
            file.write(data)
    except KeyboardInterrupt:
        if is_new:
            os.unlink(path)
        raise


@contextlib.contextmanager
def _told(option: str, path: str) -> Iterator[None]:
    """If a file cannot be written, say which file and which option it is for."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        raise UsageError(f"{option}: cannot write {path}: {reason}") from None


def _checked(
    options: argparse.Namespace, configurations: Configurations, *, is_fixing: bool
) -> Iterator[Checked]:
    """Every file that the paths cover, and every path that does not exist."""
    from mllint_nan.files import discover
    from mllint_nan.project import Checked, check_paths, default_jobs
    from mllint_nan.reporting import progress
    from mllint_nan.results import Failed

    discovery = discover(options.paths or [os.curdir], configurations)
    for directory in {os.path.dirname(path) for path in discovery.files}:
        configurations.of_directory(directory)
    request = _request(configurations, is_fixing=is_fixing, renews=bool(options.write_baseline))
    cache = None if is_fixing or options.verify else _cache(options)
    request = replace(request, roots=roots_of(options), cache=cache)
    for path, reason in discovery.failures:
        yield Checked(path, Failed(reason, is_file=False))
    is_watched = not options.quiet and progress.is_wanted(sys.stderr)
    tally = progress.Tally(sys.stderr) if is_watched else None
    with _verifying(options, request, tally) as request:
        checked = check_paths(discovery.files, request, options.jobs or default_jobs())
        if tally is not None:
            checked = tally.between(checked)
            checked = progress.shown(checked, len(discovery.files), sys.stderr)
        yield from checked


@contextlib.contextmanager
def _verifying(
    options: argparse.Namespace, request: Request, tally: Tally | None = None
) -> Iterator[Request]:
    """The request, with a verifier that executes fixes if that is asked for."""
    if not options.verify:
        yield request
        return
    from mllint_nan.verify.verifier import Verifier

    told = tally.count if tally is not None else None
    with Verifier(told=told, trusts_findings=options.verify == "fixes") as verifier:
        yield replace(request, verifier=verifier)


def _cache(options: argparse.Namespace) -> str | None:
    from mllint_nan.cache import DEFAULT_DIRECTORY, opened

    return None if options.no_cache else opened(options.cache_dir or DEFAULT_DIRECTORY)


def _request(configurations: Configurations, *, is_fixing: bool, renews: bool = False) -> Request:
    from mllint_nan.baseline import load
    from mllint_nan.project import Request

    run = configurations.run
    if run.baseline is not None and not renews:
        load(run.baseline)  # an error in it is reported once, not for every file
    baseline = None if renews else run.baseline
    return Request(run.settings, is_fixing, configurations.scopes(), baseline)


def _adopt(options: argparse.Namespace, configurations: Configurations) -> int:
    """Record all findings in a baseline or in comments."""
    from mllint_nan import baseline
    from mllint_nan.project import described, write_silenced
    from mllint_nan.reporting.paths import shown
    from mllint_nan.reporting.statistics import counted

    if options.add_noqa and options.write_baseline:
        raise UsageError("--add-noqa and --write-baseline cannot be combined")
    if options.fix or options.diff or options.verify:
        raise UsageError(
            "--fix, --diff and --verify cannot be combined with --add-noqa or --write-baseline"
        )
    output = _output(options, configurations, sys.stdout)
    request = _request(configurations, is_fixing=False, renews=bool(options.write_baseline))
    request = replace(request, roots=roots_of(options))
    files, entries, silenced = [], [], 0
    for checked in _checked(options, configurations, is_fixing=False):
        if options.write_baseline and checked.is_described:
            entries.append((checked.path, described(checked)))
            checked = checked.not_described()
            if checked.failures:
                output.add_failures(checked)
                files.append(checked.without_bytes())
            if checked.is_analysed:
                continue
        if checked.findings and not options.write_baseline:
            before = len(checked.findings)
            checked = write_silenced(checked, options.add_noqa or "ignore", request)
            silenced += before - len(checked.findings) if checked.is_analysed else 0
        output.add(checked)
        files.append(checked.without_bytes())
    if options.write_baseline:
        with _told("--write-baseline", options.write_baseline):
            written = baseline.write(options.write_baseline, entries)
        done = f"Wrote {counted(written, 'finding')} to {shown(options.write_baseline)}"
    else:
        done = f"Silenced {counted(silenced, 'finding')} with comments"
    if not options.quiet:
        print(done, file=sys.stderr)
    return _exit_code(files, options, configurations)


def _check_stdin(options: argparse.Namespace, configurations: Configurations) -> int:
    from mllint_nan.files import is_excluded
    from mllint_nan.project import check_bytes

    if len(options.paths) > 1:
        raise UsageError("- (standard input) cannot be combined with other paths")
    if sys.stdin is None:
        raise UsageError("standard input is closed")
    run = configurations.run
    is_filter = run.fix and not options.diff
    data = sys.stdin.buffer.read()
    path = options.stdin_filename or _STDIN
    configurations.of_file(path)
    if path != _STDIN and run.force_exclude and is_excluded(path, configurations):
        if is_filter:
            sys.stdout.buffer.write(data)
        return CLEAN
    request = _request(configurations, is_fixing=run.fix or options.diff)
    settings = request.settings_of(path)
    with _verifying(options, request) as request:
        settings = replace(settings, verifier=request.verifier)
        checked = check_bytes(data, path, replace(request, settings=settings))
    if is_filter:
        sys.stdout.buffer.write(checked.after if checked.is_changed else data)
        sys.stdout.buffer.flush()
    with _destination(options, sys.stderr if is_filter else sys.stdout) as to:
        output = _output(options, configurations, to)
        output.add(checked)
        output.end([checked])
    return _exit_code([checked], options, configurations)


def _show_files(options: argparse.Namespace, configurations: Configurations) -> int:
    from mllint_nan.files import discover

    discovery = discover(options.paths or [os.curdir], configurations)
    for path in discovery.files:
        print(os.path.abspath(path))
    for path, reason in discovery.failures:
        print(f"{path}: {reason}", file=sys.stderr)
    return ERROR if discovery.failures else CLEAN


def _exit_code(
    files: Sequence[Checked], options: argparse.Namespace, configurations: Configurations
) -> int:
    from mllint_nan.results import Failed, Unparsable

    if any(isinstance(file.outcome, Failed) or file.failures for file in files):
        return ERROR
    if options.exit_non_zero_on_fix and any(file.applied for file in files):
        return FINDINGS
    if options.diff:
        reported = any(file.applied or isinstance(file.outcome, Unparsable) for file in files)
    elif configurations.run.fix_only:
        reported = False
    else:
        reported = any(file.findings for file in files)
    return FINDINGS if reported else CLEAN


def _output(
    options: argparse.Namespace, configurations: Configurations, findings_to: TextIO
) -> Output:
    from mllint_nan.reporting.documents import document_for
    from mllint_nan.reporting.output import Output, columns_of, style_for

    run = configurations.run
    format = run.output_format or ("full" if findings_to.isatty() else "concise")
    return Output(
        findings_to=findings_to,
        format=format,
        style=style_for(findings_to, no_color=options.no_color),
        weakest=run.settings.applicability,
        document=document_for(format, lambda: rules_of(configurations), run.settings.handbook),
        is_fix_only=run.fix_only,
        is_showing_fixes=run.show_fixes,
        is_diff=options.diff,
        is_statistics=options.statistics,
        is_quiet=options.quiet,
        is_verbose=options.verbose,
        width=columns_of(findings_to),
    )


def _serve() -> int:
    try:
        from mllint_nan.server import serve
    except ModuleNotFoundError as error:
        if error.name not in ("pygls", "lsprotocol"):
            raise
        raise UsageError("--server needs pygls: pip install 'mllint-nan[lsp]'") from None
    serve()
    return CLEAN


def _check_suspects(options: argparse.Namespace) -> None:
    """Raise UsageError if an option is given that only `--suspects` takes."""
    is_of_suspects = options.output_format in OF_SUSPECTS
    asked = {
        f"--output-format {options.output_format}": is_of_suspects,
        "-m": options.module,
        "--from": options.report,
        "--follow": options.follow,
        "--run": options.command,
    }
    given = [name for name, value in asked.items() if value]
    if given and not options.suspects:
        raise UsageError(f"{given[0]} works only with --suspects")


def _show_suspects(options: argparse.Namespace, configurations: Configurations) -> int:
    from mllint_nan.suspects.program import EntryError
    from mllint_nan.suspects_command import show

    def settings_of(path: str) -> Settings:
        return configurations.of_file(path).settings_of(path)

    try:
        with _destination(options, sys.stdout) as to:
            status = show(options, settings_of, to)
    except EntryError as error:
        raise UsageError(str(error)) from None
    return status
