"""The manual page, `docs/mllint-nan.1`, generated from the options.

`python -m pytest tests/test_man_page.py --bless` writes it.
"""

from __future__ import annotations

import argparse
from typing import Final

from mllint_nan.arguments import parser, spelled
from mllint_nan.config.read import FILE_NAMES

_DESCRIPTION: Final = """\
mllint-nan reads Python source and finds operations whose value or gradient becomes NaN or
infinite for some input, in code for PyTorch, TensorFlow, Keras, JAX, NumPy and math. Each finding
names an input that breaks the code; where an equivalent form that stays finite is known, --fix
writes it. Nothing that it reads is imported or executed, unless --verify executes the fixes."""
_STATUS: Final = {
    "0": "Nothing was found, or all of it was fixed; with --diff, nothing would change.",
    "1": "Findings are left; with --diff, something would change. "
    "A file that is not Python is a finding.",
    "2": "Wrong usage or configuration, or a file could not be read, analysed or written; "
    "the other files are still reported.",
    "130": "The run was interrupted. No file is half written.",
}
_FILES: Final = {
    ", ".join(FILE_NAMES): "Only the nearest one above a file applies to it; "
    "pyproject.toml in its table [tool.mllint-nan].",
    ".gitignore": "Files that git ignores are left out of directories.",
}
_ENVIRONMENT: Final = {
    "NO_COLOR": "If set, nothing is coloured.",
    "FORCE_COLOR": "If set, output is coloured even if it does not go to a terminal.",
    "COLUMNS": "The width of the terminal.",
}
_COMMENTS: Final = {
    "# noqa: NAN101": "On the line where a finding begins or ends: silences this rule there.",
    "# mllint-nan: ignore[NAN101]": "The same; alone on a line, for the whole statement below.",
    "# mllint-nan: disable[NAN1]": "Silences rules up to enable; after code, only on its line.",
    "# mllint-nan: skip-file": "Silences the whole file.",
}
_EXAMPLES: Final = {
    "mllint-nan --diff src/": "Show the repairs for a project.",
    "mllint-nan --fix src/": "Apply them.",
    "mllint-nan --explain NAN203": "Read about a rule.",
    "mllint-nan --write-baseline baseline.json .": "Record the findings of today, "
    "so that --baseline baseline.json reports only new ones.",
}


def man_page() -> str:
    """Return the page in the macros of man(7)."""
    options = parser()
    parts = [
        '.TH MLLINT\\-NAN 1 "" "mllint\\-nan" "User Commands"',
        _section("name", "mllint\\-nan \\- find and repair what becomes NaN or infinite"),
        _section("synopsis", ".B mllint\\-nan\n[OPTIONS] [PATHS]..."),
        _section("description", _escaped(_DESCRIPTION)),
        *(_group(group) for group in options._action_groups if group._group_actions),
        _section("exit status", _listed(_STATUS)),
        _section("comments", _listed(_COMMENTS)),
        _section("files", _listed(_FILES)),
        _section("environment", _listed(_ENVIRONMENT)),
        _section("examples", _listed(_EXAMPLES)),
    ]
    return "\n".join(parts) + "\n"


def _group(group: argparse._ArgumentGroup) -> str:
    options = {spelled(option): option.help or "" for option in group._group_actions}
    return _section(group.title or "", _listed(options))


def _section(title: str, text: str) -> str:
    return f".SH {title.upper()}\n{text}"


def _listed(texts: dict[str, str]) -> str:
    return "\n".join(f".TP\n.B {_escaped(head)}\n{_escaped(text)}" for head, text in texts.items())


def _escaped(text: str) -> str:
    r"""Text in which nothing is a request or an escape.

    >>> _escaped("--fix\\.")
    '\\-\\-fix\\e.'
    >>> _escaped(".gitignore")
    '\\&.gitignore'
    """
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text
