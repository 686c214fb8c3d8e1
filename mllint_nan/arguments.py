"""The options of the command line."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Sequence

from mllint_nan.completion import SHELLS
from mllint_nan.config.keys import CONFIDENCES, FORMATS
from mllint_nan.version import __version__

_EPILOG = """\
exit status: 0 nothing found, or all of it fixed; 1 findings; 2 usage error, or
files that could not be read or analysed (the others are still reported)"""
_HELP_COLUMN = 28
_BEFORE_GROUP = re.compile(r"\n\n(?=[^\s:]+:\S*\n)")


OF_SUSPECTS = ("markdown",)
"""Formats that only `--suspects` has."""


def parser() -> argparse.ArgumentParser:
    """The parser of the command line, whose help fits a screen: one line for each option.

    An option that was not given is None, or an empty list: the configuration decides.
    """
    options = _Parser(
        prog="mllint-nan",
        usage="mllint-nan [OPTIONS] [PATHS]...",
        description="Find code whose values or gradients become NaN or infinite, and repair it.",
        epilog=_EPILOG,
        formatter_class=_HelpFormatter,
        allow_abbrev=False,
        add_help=False,
    )
    add = options.add_argument_group("arguments").add_argument
    add("paths", nargs="*", metavar="PATHS",
        help="files and directories (default: .), - for stdin")  # fmt: skip

    add = options.add_argument_group("fixing").add_argument
    add("--fix", action="store_true", default=None, help="apply the fixes that are safe")
    add("--unsafe-fixes", action="store_true", default=None,
        help="also apply fixes that may change finite results")  # fmt: skip
    add("--fix-only", action="store_true", default=None,
        help="apply fixes; do not report what is left")  # fmt: skip
    add("--show-fixes", action="store_true", default=None, help="list the applied fixes")
    add("--verify", nargs="?", const="findings", choices=("findings", "fixes"), metavar="WHAT",
        help="execute the fixes; apply only those confirmed and proved "
             "(=fixes: only proved)")  # fmt: skip
    add("--diff", action="store_true", help="print what --fix would change; write nothing")

    add = options.add_argument_group("rules").add_argument
    add("--select", action="append", default=[], metavar="RULES",
        help="only these codes, prefixes, names or families")  # fmt: skip
    add("--ignore", action="append", default=[], metavar="RULES", help="all but these")
    add("--extend-select", action="append", default=[], metavar="RULES",
        help="these too, in addition to the configured ones")  # fmt: skip
    add("--extend-ignore", action="append", default=[], metavar="RULES",
        help="leave these out too, besides the configured ones")  # fmt: skip
    add("--min-confidence", choices=CONFIDENCES,
        metavar="LEVEL", help="certain, likely (default) or possible")  # fmt: skip

    add = options.add_argument_group("configuration").add_argument
    add("--config", action="append", default=[], metavar="FILE|KEY=VALUE",
        help="use this file instead, or override one key")  # fmt: skip
    add("--isolated", action="store_true", help="ignore configuration files")
    add("--show-settings", action="store_true", help="show the settings of the first path")

    add = options.add_argument_group("files").add_argument
    add("--exclude", action="append", default=[], metavar="GLOBS",
        help="leave these out, instead of the default ones")  # fmt: skip
    add("--extend-exclude", action="append", default=[], metavar="GLOBS",
        help="leave these out too")  # fmt: skip
    add("--force-exclude", action="store_true", default=None,
        help="leave excluded files out even if they are named")  # fmt: skip
    add("--no-respect-gitignore", dest="respect_gitignore", action="store_false", default=None,
        help="also check what git ignores")  # fmt: skip
    add("--include-markdown", action="store_true", default=None,
        help="also check fenced Python in Markdown")  # fmt: skip
    add("--stdin-filename", metavar="FILE", help="the file name that standard input stands for")
    add("--show-files", action="store_true", help="show the files that would be checked")

    add = options.add_argument_group("adoption").add_argument
    add("--baseline", metavar="FILE", help="report only what is not in this file")
    add("--write-baseline", metavar="FILE", help="write all findings to a file; report none")
    add("--add-noqa", nargs="?", const="ignore", choices=("ignore", "noqa"), metavar="FORM",
        help="silence all findings with comments; =noqa: for flake8")  # fmt: skip

    add = options.add_argument_group("output").add_argument
    add("--output-format", choices=(*FORMATS, *OF_SUSPECTS), metavar="FORMAT",
        help=f"{', '.join(FORMATS)} (default: full on a terminal)")  # fmt: skip
    add("-o", "--output-file", metavar="FILE", help="write findings to a file")
    add("--statistics", action="store_true", help="count findings per rule instead")
    add("--no-color", action="store_true", help="no colours, like NO_COLOR")
    add("-q", "--quiet", action="store_true", help="findings only, no summary")
    add(
        "-v",
        "--verbose",
        action="store_true",
        help="show tracebacks; with --explain-at, every condition",
    )
    add("--exit-non-zero-on-fix", action="store_true", help="exit 1 if something was fixed")
    add("-e", "--exit-zero", action="store_true", help="exit 0 even if there are findings")

    add = options.add_argument_group("other").add_argument
    add("-j", "--jobs", type=_positive, metavar="N",
        help="processes to use (default: one per processor)")  # fmt: skip
    add("--cache-dir", metavar="DIR",
        help="where to keep results (default: .mllint_nan_cache)")  # fmt: skip
    add("--no-cache", action="store_true", help="analyse every file again")
    add("--explain", metavar="RULE", help="show a rule's page, by code or name, or a family")
    add("--explain-at", metavar="FILE:LINE",
        help="show the terms, ranges and rules behind a line")  # fmt: skip
    add(
        "--suspects", action="store_true", help="rank the possible origins of a NaN in this program"
    )
    add("-m", dest="module", metavar="MODULE", help="with --suspects: the entry is a module")
    add("--from", dest="report", metavar="FILE", help="with --suspects: narrow by a traceback")
    add("--follow", action="append", default=[], metavar="PACKAGE",
        help="with --suspects: read an installed package")  # fmt: skip
    add("--run", dest="command", metavar="-- COMMAND",
        help="with --suspects: run COMMAND, stop at the origin")  # fmt: skip
    add("--server", action="store_true", help="start a language server on stdin and stdout")
    add("--list-rules", action="store_true", help="show all rules")
    add("--completion", choices=SHELLS, metavar="SHELL",
        help="show the completion script for bash, zsh or fish")  # fmt: skip
    version = f"mllint-nan {__version__}"
    add("-V", "--version", action="version", version=version, help="show the version")
    add("-h", "--help", action="help", help="show this help")
    return options


def spelled(option: argparse.Action) -> str:
    """An option or argument as it is written, on every version of Python.

    >>> spelled(argparse.Action(["-o", "--output-file"], "output_file", metavar="FILE"))
    '-o, --output-file FILE'
    """
    words = ", ".join(option.option_strings)
    if not words:
        return str(option.metavar)
    if option.nargs == 0:
        return words
    return f"{words}[={option.metavar}]" if option.nargs == "?" else f"{words} {option.metavar}"


class _Parser(argparse.ArgumentParser):
    def parse_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]
        """Parse the arguments; an unknown option is an error that names the nearest known one."""
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}{self._hint(unknown)}")
        return options

    def _hint(self, unknown: Sequence[str]) -> str:
        known = [word for action in self._actions for word in action.option_strings]
        for word in unknown:
            asked = word.partition("=")[0]
            if not asked.startswith("-"):
                continue
            tail = [option for option in known if option.endswith(f"-{asked.lstrip('-')}")]
            close = tail or difflib.get_close_matches(asked, known, 1, cutoff=0.7)
            if close:
                return f"; did you mean {close[0]}?"
        return "; --help shows all options"

    def format_help(self) -> str:
        """The help without blank lines between the groups, except above the first one."""
        text = _BEFORE_GROUP.sub("\n", super().format_help())
        return text.replace("\narguments:", "\n\narguments:", 1)


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=_HELP_COLUMN)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        return spelled(action)


def _positive(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return number
