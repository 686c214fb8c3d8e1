"""The order of the site's pages: the previous, next, upper and lower pages of each.

A Git host shows the pages as they are, so the trees are added only to what Sphinx reads.
"""

from __future__ import annotations

from collections.abc import Iterable

from handbook.indexes import all_rules, family_path, page_path
from handbook.rule_pages import FAMILIES

_GUIDE = (
    "getting-started",
    "loss-is-nan",
    "rules/by-symptom",
    "rules/index",
    "rules/by-framework",
    "confidence",
    "configuration",
    "suppression",
    "output-formats",
    "integrations",
    "editors",
    "own-rules",
    "verification",
    "verification-on-a-gpu",
    "glossary",
)


def tree(page: str) -> str:
    """Return the toctree of the pages below `page`, which only Sphinx reads; empty if none.

    >>> tree("getting-started")
    ''
    """
    below = list(_below(page))
    return "\n".join(["", "```{toctree}", ":hidden:", "", *below, "```", ""]) if below else ""


def _below(page: str) -> Iterable[str]:
    if page == "index":
        return _GUIDE
    if page == "rules/index":
        return (_absolute(family_path(family)) for family in FAMILIES)
    rules = (rule for rule in all_rules() if family_path(rule.family) == f"{page}.md")
    return (_absolute(page_path(rule)) for rule in rules)


def _absolute(path: str) -> str:
    return f"/{path.removesuffix('.md')}"
