"""Pages of rules for editors: short in a hover, in full beside the code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from pygls.exceptions import JsonRpcInvalidParams

from mllint_nan.config.selection import unknown_rule
from mllint_nan.findings import Finding, Position
from mllint_nan.reporting.explain import markdown, markdown_page
from mllint_nan.rulebook import descriptions
from mllint_nan.rulebook.load import load_rules
from mllint_nan.rulebook.pictures import picture_of
from mllint_nan.rulebook.rule import Rule
from mllint_nan.rulebook.tool import TOOL_RULES
from mllint_nan.server.program import NAME, Analysed

EXPLAIN: Final = f"{NAME}.explain"

_RULE_IN_COMMENT: Final = re.compile(r"\bNAN\d{3}\b|(?<=[\[ ,])[a-z]+(?:-[a-z0-9]+)+(?=[\], ])")


def rules_of(directories: tuple[str, ...]) -> tuple[Rule, ...]:
    """All rules, including those in these directories."""
    return (*load_rules(directories), *TOOL_RULES)


def pages_at(analysed: Analysed, place: Position, lines: Iterable[str]) -> str | None:
    """Descriptions of the rules that report here, or that a comment in these lines names here."""
    codes = [finding.code for finding in analysed.findings if _covers(finding, place)]
    codes += _named(lines, place.column)
    pages = [
        f"### {rule.code} {rule.name}\n\n{markdown(rule)}"
        for rule in rules_of(analysed.settings.rules)
        if rule.code in codes or rule.name in codes
    ]
    return "\n\n---\n\n".join(pages) or None


def page(asked: str, rules: Sequence[Rule]) -> dict[str, Any]:
    """Everything known about the rule with this code or name.

    `markdown` is its page, and `picture` the SVG that an image of the page stands for, or None.
    Raises `JsonRpcInvalidParams`.
    """
    for rule in rules:
        if asked.upper() == rule.code or asked.lower() == rule.name:
            break
    else:
        raise JsonRpcInvalidParams(unknown_rule(asked, EXPLAIN, rules))
    picture = picture_of(rule)
    return {
        "code": rule.code,
        "name": rule.name,
        "markdown": markdown_page(rule, picture),
        "picture": picture and picture.svg,
    }


def listed(rules: Iterable[Rule]) -> list[dict[str, str]]:
    """One object for each rule, to choose from."""
    return [
        {"code": rule.code, "name": rule.name, "summary": descriptions.summary(rule)}
        for rule in rules
    ]


def _covers(finding: Finding, place: Position) -> bool:
    return finding.start <= place < finding.end


def _named(lines: Iterable[str], column: int) -> Iterator[str]:
    for line in lines:
        comment = line.find("#")
        for found in _RULE_IN_COMMENT.finditer(line, comment) if comment >= 0 else ():
            if found.start() < column <= found.end():
                yield found.group()
