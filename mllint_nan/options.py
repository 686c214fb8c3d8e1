"""The options of the command line, as configurations and rules."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from mllint_nan.config.resolve import Configurations
    from mllint_nan.rulebook.rule import Rule

_RULE_LISTS: Final = ("select", "ignore", "extend-select", "extend-ignore")
_PATTERN_LISTS: Final = ("exclude", "extend-exclude")
_SINGLE: Final = (
    "fix",
    "fix-only",
    "show-fixes",
    "unsafe-fixes",
    "min-confidence",
    "output-format",
    "force-exclude",
    "respect-gitignore",
    "include-markdown",
    "baseline",
)


class UsageError(Exception):
    """The command line asks for what cannot be done; the message is one line."""


def configurations_of(options: argparse.Namespace) -> Configurations:
    from mllint_nan.config.resolve import Configurations

    inline = [text for text in options.config if "=" in text and not os.path.isfile(text)]
    files = [text for text in options.config if text not in inline]
    if len(files) > 1:
        raise UsageError("--config takes one file; write the others as KEY=VALUE")
    if files and options.isolated:
        raise UsageError("--isolated ignores configuration files, so --config takes none")
    return Configurations(
        _overrides(options),
        inline=inline,
        file=files[0] if files else None,
        is_isolated=options.isolated,
    )


def _overrides(options: argparse.Namespace) -> dict[str, Any]:
    """The values of the options, by key of the configuration."""
    given = vars(options)
    overrides = {key: given[key.replace("-", "_")] for key in _SINGLE}
    overrides = {key: value for key, value in overrides.items() if value is not None}
    if options.suspects:
        overrides.pop("output-format", None)  # which has formats of its own
    for keys, expected in (
        (_RULE_LISTS, "codes, prefixes or rule names"),
        (_PATTERN_LISTS, "names or patterns of files and directories"),
    ):
        for key in keys:
            listed = given[key.replace("-", "_")]
            if listed:
                overrides[key] = _split(f"--{key}", listed, expected)
    return overrides


def _split(option: str, listed: Sequence[str], expected: str) -> list[str]:
    asked = [part.strip() for value in listed for part in value.split(",")]
    if not any(asked):
        raise UsageError(f"{option} expects {expected}")
    return [part for part in asked if part]


def roots_of(options: argparse.Namespace) -> tuple[str, ...]:
    """The directories that the user names: absolute imports are looked for below them."""
    return tuple(path for path in options.paths or [os.curdir] if os.path.isdir(path))


def rules_of(configurations: Configurations) -> tuple[Rule, ...]:
    from mllint_nan.rulebook.load import RuleError, load_rules
    from mllint_nan.rulebook.tool import TOOL_RULES

    try:
        return (*load_rules(configurations.run.settings.rules), *TOOL_RULES)
    except RuleError as error:
        raise UsageError(str(error)) from None
