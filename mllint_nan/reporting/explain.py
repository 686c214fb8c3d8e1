"""Pages about rules: one in full, or all in a table."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

from mllint_nan.reporting.json import dumps
from mllint_nan.reporting.text import PLAIN, Style
from mllint_nan.rulebook.rule import Docs, Rule
from mllint_nan.rulebook.tool import TOOL

_WIDTH = 88


def page(rule: Rule, style: Style = PLAIN) -> str:
    """Everything known about one rule."""
    title = f"{rule.name} ({rule.code})"
    parts = [style.bold(f"{title}\n{'=' * len(title)}"), _filled(rule.summary), _facts(rule)]
    parts += [f"{style.bold(title)}\n{text}" for title, text in _sections(rule.docs)]
    if rule.family != TOOL:
        parts.append(f"{style.bold('Silence it')}\n    # mllint-nan: ignore[{rule.code}]")
    return "\n\n".join(parts) + "\n"


def markdown(rule: Rule) -> str:
    """What a rule is about, for programs that render Markdown."""
    docs = rule.docs
    parts = [rule.summary, docs.why]
    for title, code in (("Example", docs.example), ("Use instead", docs.instead)):
        if code:
            parts.append(f"**{title}**\n\n```python\n{code.strip()}\n```")
    if docs.fix_safety:
        parts.append(f"**Fix safety**\n\n{docs.fix_safety}")
    return "\n\n".join(part for part in parts if part)


def table(rules: Iterable[Rule], style: Style = PLAIN) -> str:
    """One line per rule: code, name, strongest fix, summary."""
    rows = [(rule.code, rule.name, _fix(rule), rule.summary) for rule in rules]
    name_width = max((len(name) for _, name, _, _ in rows), default=0)
    return "".join(
        f"{style.bold(code)}  {name:<{name_width}}  {fix:<12}  {summary}\n"
        for code, name, fix, summary in rows
    )


def as_json(rules: Rule | Iterable[Rule]) -> str:
    """One object for one rule, else a list of them."""
    if isinstance(rules, Iterable):
        return dumps([_object(rule) for rule in rules])
    return dumps(_object(rules))


def _facts(rule: Rule) -> str:
    frameworks = ", ".join(rule.frameworks) or "all"
    facts = {"Family": rule.family, "Frameworks": frameworks, "Fix": _fix(rule)}
    if rule.witnesses:
        facts["Witness"] = rule.witnesses[0].text
    return "\n".join(f"{title + ':':<12}{fact}" for title, fact in facts.items())


def _fix(rule: Rule) -> str:
    strongest = max((fix.applicability for fix in rule.fixes), default=None)
    return "none" if strongest is None else str(strongest)


def _sections(docs: Docs) -> Iterator[tuple[str, str]]:
    sections = {
        "Why": _filled(docs.why),
        "Example": _indented(docs.example),
        "Use instead": _indented(docs.instead),
        "Fix safety": _filled(docs.fix_safety),
        "References": "\n".join(f"- {reference}" for reference in docs.references),
    }
    return ((title, text) for title, text in sections.items() if text)


def _filled(text: str) -> str:
    paragraphs = text.strip().split("\n\n")
    return "\n\n".join(textwrap.fill(paragraph, _WIDTH) for paragraph in paragraphs)


def _indented(code: str) -> str:
    return textwrap.indent(code.strip("\n"), "    ")


def _object(rule: Rule) -> dict[str, Any]:
    return {
        "code": rule.code,
        "name": rule.name,
        "family": rule.family,
        "summary": rule.summary,
        "frameworks": list(rule.frameworks),
        "fixes": [str(fix.applicability) for fix in rule.fixes],
        "why": rule.docs.why.strip(),
        "example": rule.docs.example.strip("\n"),
        "instead": rule.docs.instead.strip("\n"),
        "fix_safety": rule.docs.fix_safety.strip(),
        "references": list(rule.docs.references),
    }
