"""Pages about rules: one in full, or all in a table."""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mllint_nan.reporting.json import dumps
from mllint_nan.reporting.text import PLAIN, WIDTH, Style
from mllint_nan.rulebook import descriptions
from mllint_nan.rulebook.examples import Snippet, examples_of
from mllint_nan.rulebook.pictures import Picture
from mllint_nan.rulebook.rule import Rule
from mllint_nan.rulebook.tool import TOOL

_INDENTED: Final = "    "
_PICTURE: Final = "How far off it is"
_REPAIRS: Final = "Before and after"


@dataclass(frozen=True, slots=True)
class _Prose:
    text: str


@dataclass(frozen=True, slots=True)
class _Items:
    texts: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Code:
    text: str


@dataclass(frozen=True, slots=True)
class _Repair:
    """What a repair changes, in code for one framework."""

    title: str
    code: Snippet


_Block = _Prose | _Items | _Code | _Repair


def page(rule: Rule, style: Style = PLAIN, width: int = WIDTH) -> str:
    """Everything known about one rule, for a terminal."""
    title = f"{rule.name} ({rule.code})"
    parts = [
        style.bold(f"{title}\n{'=' * len(title)}"),
        _filled(rule.summary, width),
        _facts(rule, width),
    ]
    for heading, blocks in _sections(rule):
        parts.append(f"{style.bold(heading)}\n{_printed(blocks[0], style, width)}")
        parts += (_printed(block, style, width) for block in blocks[1:])
    return "\n\n".join(parts) + "\n"


def markdown_page(rule: Rule, picture: Picture | None = None) -> str:
    """The page of a rule for programs that render Markdown, with its picture as an image."""
    parts = [descriptions.summary(rule)]
    for heading, blocks in _sections(rule):
        if picture is not None and heading == _REPAIRS:
            parts += [
                f"## {_PICTURE}",
                f"![{picture.title}]({picture.path.as_uri()})",
                picture.told,
            ]
        parts += [f"## {heading}", *map(_marked_up, blocks)]
    return "\n\n".join(parts) + "\n"


def markdown(rule: Rule) -> str:
    """A short description of a rule, as for a hover."""
    docs = rule.docs
    parts = [descriptions.summary(rule), docs.why]
    for title, code in (("Example", docs.example), ("Use instead", docs.instead)):
        if code:
            parts.append(f"**{title}**\n\n{_fenced(code)}")
    if docs.fix_safety:
        parts.append(f"**Fix safety**\n\n{docs.fix_safety}")
    return "\n\n".join(part for part in parts if part)


def table(rules: Iterable[Rule], style: Style = PLAIN) -> str:
    """One line per rule: code, name, strongest fix, summary."""
    rows = [
        (rule.code, rule.name, descriptions.strongest_fix(rule), descriptions.summary(rule))
        for rule in rules
    ]
    name_width = max((len(name) for _, name, _, _ in rows), default=0)
    return "".join(
        f"{style.bold(code)}  {name:<{name_width}}  {fix:<12}  {summary}\n"
        for code, name, fix, summary in rows
    )


def is_among(asked: str, rule: Rule) -> bool:
    """Whether a word is a prefix of the rule's code, or its family."""
    word = asked.upper()
    is_prefix = word.startswith("NAN") and rule.code.startswith(word)
    return is_prefix or asked.lower() == rule.family


def family(rules: Sequence[Rule], style: Style = PLAIN) -> str:
    """Several rules, grouped by family, and how to show their pages."""
    parts = []
    for name in dict.fromkeys(rule.family for rule in rules):
        members = [rule for rule in rules if rule.family == name]
        parts.append(f"{style.bold(name)}\n{table(members, style)}")
    return "\n".join((*parts, f"`--explain {rules[0].code}` shows the page of a rule"))


def as_json(rules: Rule | Iterable[Rule]) -> str:
    """One object for one rule, otherwise a list of them."""
    if isinstance(rules, Iterable):
        return dumps([_object(rule) for rule in rules])
    return dumps(_object(rules))


def _facts(rule: Rule, width: int) -> str:
    facts = {
        "Family": rule.family,
        "Selected": descriptions.selected_by(rule),
        "Breaks": descriptions.hazards(rule),
        "Frameworks": ", ".join(rule.frameworks) or "all",
        "Confidence": descriptions.strongest_confidence(rule) if rule.cases else "",
        "Fix": descriptions.strongest_fix(rule),
        "Witness": ", or ".join(descriptions.witnesses(rule)),
    }
    return "\n".join(
        textwrap.fill(f"{title + ':':<12}{fact}", width, subsequent_indent=" " * 12)
        for title, fact in facts.items()
        if fact
    )


def _sections(rule: Rule) -> Iterator[tuple[str, list[_Block]]]:
    """Each heading with its content, if it has any."""
    docs = rule.docs
    sections: dict[str, list[_Block]] = {
        "Why it breaks" if rule.cases else "Why": _paragraphs(docs.why),
        "What is found": list(_found(rule)),
        _REPAIRS: list(_repairs(rule)),
        "Safety of the fix": _paragraphs(docs.fix_safety),
        "What counts as safe": list(_taken_as_safe(rule)),
        "When to silence it": list(_silence(rule)),
        "References": [_Items(docs.references)] if docs.references else [],
    }
    return ((heading, blocks) for heading, blocks in sections.items() if blocks)


def _paragraphs(text: str) -> list[_Block]:
    return [_Prose(" ".join(each.split())) for each in text.strip().split("\n\n") if each]


def _found(rule: Rule) -> Iterator[_Block]:
    if shapes := descriptions.patterns(rule):
        yield _Code("\n".join(shapes))
    if asked := descriptions.evidence(rule):
        yield _Prose(descriptions.OF_EVIDENCE)
        yield _Items(asked)


def _repairs(rule: Rule) -> Iterator[_Block]:
    snippets = examples_of(rule).snippets
    for framework, code in snippets.items():
        yield _Repair(descriptions.FRAMEWORKS[framework], code)
    docs = rule.docs
    if docs.example and not (snippets and all(code.after for code in snippets.values())):
        by_hand = Snippet(docs.example.strip("\n"), docs.instead.strip("\n") or None)
        yield _Repair("By hand" if snippets else "Example", by_hand)


def _taken_as_safe(rule: Rule) -> Iterator[_Block]:
    if excuses := descriptions.excuses(rule):
        yield _Items(excuses)
    if code := examples_of(rule).near_misses:
        yield _Prose(descriptions.OF_NEAR_MISSES)
        yield _Code(code)


def _silence(rule: Rule) -> Iterator[_Block]:
    if reasons := descriptions.reasons_to_silence(rule):
        yield _Items(reasons)
    if rule.family != TOOL:
        yield _Code(f"...  # mllint-nan: ignore[{rule.code}]")


def _printed(block: _Block, style: Style, width: int) -> str:
    """A block as a terminal shows it."""
    match block:
        case _Prose(text):
            return _filled(text, width)
        case _Items(texts):
            return "\n".join(_filled(f"- {text}", width, indented="  ") for text in texts)
        case _Code(text):
            return textwrap.indent(text.strip("\n"), _INDENTED)
        case _Repair(title, code):
            note = "" if code.after else " (no fix is offered for this one)"
            return "\n".join([f"  {title}{note}", *_changed(code, style)])


def _changed(code: Snippet, style: Style) -> Iterator[str]:
    """All lines of the code, with marks at those that a repair removes and inserts."""
    before = code.before.splitlines()
    after = before if code.after is None else code.after.splitlines()
    for line in difflib.ndiff(before, after):
        mark, text = line[0], line[2:]
        if mark == "?":
            continue
        row = f"{_INDENTED}{mark} {text}".rstrip()
        yield {"-": style.removed, "+": style.green}.get(mark, str)(row)


def _marked_up(block: _Block) -> str:
    """A block as Markdown."""
    match block:
        case _Prose(text):
            return text
        case _Items(texts):
            return "\n".join(f"- {text}" for text in texts)
        case _Code(text):
            return _fenced(text)
        case _Repair(title, Snippet(before, None)):
            return f"**{title}** (no fix is offered for this one)\n\n{_fenced(before)}"
        case _Repair(title, Snippet(before, after)):
            return f"**{title}**\n\n{_fenced(before)}\n\nrepaired:\n\n{_fenced(after or '')}"


def _fenced(code: str) -> str:
    return f"```python\n{code.strip()}\n```"


def _filled(text: str, width: int, indented: str = "") -> str:
    return textwrap.fill(
        text,
        width,
        subsequent_indent=indented,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _code_as_json(snippet: Snippet) -> dict[str, str | None]:
    return {"before": snippet.before, "after": snippet.after}


def _object(rule: Rule) -> dict[str, Any]:
    examples = examples_of(rule)
    return {
        "code": rule.code,
        "name": rule.name,
        "family": rule.family,
        "summary": rule.summary,
        "off_by_default": rule.off_by_default,
        "frameworks": list(rule.frameworks),
        "fixes": [str(fix.applicability) for fix in rule.fixes],
        "why": rule.docs.why.strip(),
        "example": rule.docs.example.strip("\n"),
        "instead": rule.docs.instead.strip("\n"),
        "fix_safety": rule.docs.fix_safety.strip(),
        "references": list(rule.docs.references),
        "breaks": sorted({str(case.hazard) for case in rule.cases}),
        "witnesses": descriptions.witnesses(rule),
        "patterns": descriptions.patterns(rule),
        "taken_as_safe": descriptions.excuses(rule),
        "snippets": {name: _code_as_json(code) for name, code in examples.snippets.items()},
        "near_misses": examples.near_misses,
    }
