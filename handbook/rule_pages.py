"""The page of one rule, in Markdown: its file in words, and its fixtures as examples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from handbook.snippets import near_misses, snippet
from handbook.symptoms import SYMPTOMS
from mllint_nan.rulebook import descriptions
from mllint_nan.rulebook.descriptions import FRAMEWORKS
from mllint_nan.rulebook.examples import Snippet
from mllint_nan.rulebook.pictures import picture_of
from mllint_nan.rulebook.rule import Rule
from mllint_nan.rulebook.tool import TOOL

PICTURES: Final = Path(__file__).resolve().parent.parent / "docs" / "pictures"
FAMILIES: Final = {
    "compositions": "functions that are finite together, but not if computed one after the other",
    "singularities": "a function evaluated where it, or its derivative, does not exist",
    "divisions": "a divisor that is 0 where there is nothing to divide",
    "masks": "a mask or a guard that does not keep out what it was written to keep out",
    "precision": "a number that the float format cannot represent",
    "losses": "a loss that is finite, but whose gradient is 0 where the model is wrong",
    "training": "a flaw between the gradients and the step, or before the first step",
    "accuracy": "a finite result that has lost its digits; off by default",
    "limits": "a result or a gradient at the end of its format's range; off by default",
    TOOL: "what the tool reports about a file itself",
}
_CODE: Final = re.compile(r"(`[^`]*`)")


def rule_page(rule: Rule) -> str:
    """Return the whole page."""
    sections = [f"# {rule.name} ({rule.code})", sentence(rule.summary)]
    if rule.cases:
        sections.append(_facts(rule))
    sections += [f"## {title}\n\n{text}" for title, text in _sections(rule) if text]
    return "\n\n".join(sections) + "\n"


def sentence(text: str) -> str:
    """Return prose as Markdown, with a capital letter and a full stop."""
    text = prose(text.strip())
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "`.")) else f"{text}."


def prose(text: str) -> str:
    """Return plain text as Markdown: text in backticks is code, and nothing else is markup."""
    parts = _CODE.split(text)
    return "".join(
        part if part.startswith("`") else re.sub(r"([*_<\[\]|])", r"\\\1", part) for part in parts
    )


def fenced(code: str) -> str:
    """Return Python as a block of code."""
    return f"```python\n{code.rstrip()}\n```"


def _sections(rule: Rule) -> Iterator[tuple[str, str]]:
    yield (
        "Why it breaks" if rule.cases else "Why",
        "\n\n".join(map(prose, _paragraphs(rule.docs.why))),
    )
    yield "How far off it is", _picture(rule)
    yield "Before and after", _examples(rule)
    yield "What is found", _patterns(rule)
    yield "Safety of the fix", "\n\n".join(map(prose, _paragraphs(rule.docs.fix_safety)))
    yield "What counts as safe", _taken_as_safe(rule)
    yield "When to silence it", _silence(rule)
    yield "References", "\n".join(f"- {_reference(each)}" for each in rule.docs.references)


def _facts(rule: Rule) -> str:
    symptoms = [symptom.title for symptom in SYMPTOMS if symptom.can_come_from(rule)]
    source = f"{rule.family}/{rule.name}.toml"
    rows = {
        "Breaks": f"the {descriptions.hazards(rule)}",
        "Witness": ", or ".join(map(_witness, descriptions.witnesses(rule))),
        "Frameworks": ", ".join(FRAMEWORKS[name] for name in rule.frameworks),
        "Confidence": descriptions.strongest_confidence(rule),
        "Fix": descriptions.strongest_fix(rule),
        **({"Selected": selected} if (selected := descriptions.selected_by(rule)) else {}),
        "Family": f"[{rule.family}]({rule.family}.md)",
        "Symptoms": "; ".join(f"[{title}](by-symptom.md#{anchor(title)})" for title in symptoms),
        "Source": f"[{source}](../../rules/{source})",
    }
    return "\n".join(f"- **{title}**: {text}" for title, text in rows.items())


def _witness(text: str) -> str:
    """Return a witness with its description as prose, and its inputs as code.

    >>> _witness("an empty row: mask = [0, 0]"), _witness("x far from y")
    ('an empty row: `mask = [0, 0]`', 'x far from y')
    """
    *said, given = text.rsplit(": ", 1)
    return prose("".join(f"{each}: " for each in said)) + (
        f"`{given}`" if re.match(r"\w+ [=<]", given) else prose(given)
    )


def anchor(title: str) -> str:
    """The anchor that Git hosts, and the site, give to a heading.

    >>> anchor("The loss is NaN, at the first step")
    'the-loss-is-nan-at-the-first-step'
    """
    return re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", title.lower()).strip())


def _patterns(rule: Rule) -> str:
    """Return the patterns as in the rule file, and what makes a match likely."""
    shapes, asked = descriptions.patterns(rule), descriptions.evidence(rule)
    parts = [fenced("\n".join(shapes))] if shapes else []
    if asked:
        parts += [descriptions.OF_EVIDENCE, "\n".join(f"- {prose(each)}" for each in asked)]
    return "\n\n".join(parts)


def _picture(rule: Rule) -> str:
    picture = picture_of(rule)
    if picture is None:
        return ""
    title, told = prose(picture.title), prose(picture.told)
    return (
        f"![{title}](../pictures/{picture.path.name})\n\n"
        f"{told} It is drawn from what the code returned when it was run."
    )


def _examples(rule: Rule) -> str:
    """Return a section for each framework, and a repair by hand if one of them has no fix."""
    found = [(name, snippet(rule, name)) for name in rule.frameworks]
    shown = [(FRAMEWORKS[name], each) for name, each in found if each is not None]
    parts = [f"### {title}\n\n{_example(each)}" for title, each in shown]
    if any(each.after is None for _, each in shown):
        docs = rule.docs
        parts.append(f"### By hand\n\n{_both(Snippet(docs.example, docs.instead))}")
    return "\n\n".join(parts)


def _example(example: Snippet) -> str:
    if example.after is not None:
        return _both(example)
    return f"{fenced(example.before)}\n\nNo fix is offered for this one."


def _both(example: Snippet) -> str:
    return f"Before:\n\n{fenced(example.before)}\n\nAfter:\n\n{fenced(example.after or '')}"


def _taken_as_safe(rule: Rule) -> str:
    code = near_misses(rule) if rule.cases else ""
    parts = ["\n".join(f"- {prose(each)}" for each in descriptions.excuses(rule))]
    if code:
        parts.append(f"{descriptions.OF_NEAR_MISSES}\n\n{fenced(code)}")
    return "\n\n".join(filter(None, parts))


def _silence(rule: Rule) -> str:
    if rule.family == TOOL:
        return ""
    return "\n".join(f"- {reason}" for reason in descriptions.reasons_to_silence(rule)) + (
        f"\n\n```python\n...  # mllint-nan: ignore[{rule.code}]\n```\n\n"
        "[Suppression](../suppression.md) describes the other ways."
    )


def _reference(text: str) -> str:
    return f"<{text}>" if text.startswith("https://") else prose(text)


def _paragraphs(text: str) -> Iterable[str]:
    return (" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n") if paragraph)
