"""Explanations instead of a check: of rules, a line of a file, the settings of a path."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from mllint_nan.options import UsageError, roots_of, rules_of

if TYPE_CHECKING:
    from mllint_nan.config.resolve import Configurations


def explain_rules(options: argparse.Namespace, configurations: Configurations) -> None:
    from mllint_nan.config.selection import unknown_rule
    from mllint_nan.reporting import explain
    from mllint_nan.reporting.output import style_for, width_for

    rules = rules_of(configurations)
    style = style_for(sys.stdout, no_color=options.no_color)
    width = width_for(sys.stdout)
    is_json = configurations.run.output_format == "json"
    if options.list_rules:
        print(explain.as_json(rules) if is_json else explain.table(rules, style).rstrip("\n"))
        return
    asked = options.explain.strip()
    for rule in rules:
        if asked.upper() == rule.code or asked.lower() == rule.name:
            page = explain.as_json(rule) if is_json else explain.page(rule, style, width)
            print(page.rstrip("\n"))
            return
    family = [rule for rule in rules if explain.is_among(asked, rule)]
    if family:
        print(explain.as_json(family) if is_json else explain.family(family, style).rstrip("\n"))
        return
    raise UsageError(unknown_rule(asked, "--explain", rules))


def explain_line(options: argparse.Namespace, configurations: Configurations) -> None:
    from mllint_nan.project import placed
    from mllint_nan.reporting.output import style_for
    from mllint_nan.reporting.trace import traced
    from mllint_nan.syntax.notebooks import is_notebook
    from mllint_nan.tracing import Unreadable, trace_row

    path, _, row = options.explain_at.rpartition(":")
    if not path or not row.isdecimal():
        raise UsageError(f"--explain-at expects FILE:LINE, not {options.explain_at!r}")
    if is_notebook(path):
        raise UsageError("--explain-at reads Python files, not notebooks")
    try:
        with open(path, "rb") as file:
            settings = configurations.of_file(path).settings_of(path)
            settings = placed(settings, path, roots_of(options))
            traces = trace_row(file.read(), path, int(row), settings)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from None
    except Unreadable as error:
        raise UsageError(f"{path}:{error}") from None
    style = style_for(sys.stdout, no_color=options.no_color)
    print(traced(options.explain_at, traces, style), end="")


def show_settings(options: argparse.Namespace, configurations: Configurations) -> None:
    from mllint_nan.config.show import listing

    path = (options.paths or [os.curdir])[0]
    if os.path.isdir(path):
        configuration = configurations.of_directory(path)
    else:
        configuration = configurations.of_file(path)
    print(listing(configuration, path), end="")
