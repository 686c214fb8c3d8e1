"""Explanations instead of a check: of rules, a line of a file, the settings of a path."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
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
    from mllint_nan.reporting.trace import explained
    from mllint_nan.tracing import Unreadable, explained_row

    path, cell, row = _place_of(options.explain_at)
    try:
        with open(path, "rb") as file:
            settings = configurations.of_file(path).settings_of(path)
            settings = placed(settings, path, roots_of(options))
            read = _Read.of(file.read(), path, cell)
            line = explained_row(read.data, path, read.first_row + row - 1, settings)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from None
    except Unreadable as error:
        raise UsageError(f"{path}:{error}") from None
    style = style_for(sys.stdout, no_color=options.no_color)
    is_whole = bool(options.verbose)
    print(explained(options.explain_at, line, style, is_whole=is_whole, rows=read.rows), end="")


def _place_of(text: str) -> tuple[str, int, int]:
    """File, cell and row; the cell is 0 if the file is not a notebook."""
    from mllint_nan.syntax.notebooks import is_notebook

    path, _, row = text.rpartition(":")
    file, _, cell = path.rpartition(":")
    if row.isdecimal() and cell.isdecimal() and is_notebook(file):
        return file, int(cell), int(row)
    if is_notebook(path):
        raise UsageError("--explain-at expects FILE:CELL:LINE for a notebook")
    if not path or not row.isdecimal():
        raise UsageError(f"--explain-at expects FILE:LINE, not {text!r}")
    return path, 0, int(row)


@dataclass(frozen=True, slots=True)
class _Read:
    """The program of a file, the row in it where a cell begins, and the names of its rows."""

    data: bytes
    first_row: int = 1
    rows: Callable[[int], str] = "line {}".format

    @classmethod
    def of(cls, data: bytes, path: str, cell: int) -> _Read:
        from mllint_nan.findings import Position
        from mllint_nan.syntax.decoding import NoPython, SourceError
        from mllint_nan.syntax.notebooks import Notebook

        if not cell:
            return cls(data)
        try:
            notebook = Notebook.of(data)
        except (SourceError, NoPython) as error:
            raise UsageError(f"{path}: {error}") from None
        found = next((one for one in notebook.cells if one.number == cell), None)
        if found is None:
            raise UsageError(f"{path}: cell {cell} has no code")

        def called(row: int) -> str:
            place = Position(row, 1)
            around = notebook.cell_at(place)
            if around is None or around is found:
                return f"line {found.position(place).row}"
            return f"cell {around.number}, line {around.position(place).row}"

        return cls(notebook.text.encode(), found.first_row, called)


def show_settings(options: argparse.Namespace, configurations: Configurations) -> None:
    from mllint_nan.config.show import listing

    path = (options.paths or [os.curdir])[0]
    if os.path.isdir(path):
        configuration = configurations.of_directory(path)
    else:
        configuration = configurations.of_file(path)
    print(listing(configuration, path), end="")
