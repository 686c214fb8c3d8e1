"""Every page that is generated from the rules: one for each rule, and lists of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from handbook.rule_pages import FAMILIES, prose, rule_page, sentence
from handbook.symptoms import SYMPTOMS, Symptom
from mllint_nan.rulebook.descriptions import FRAMEWORKS, hazards, strongest_fix, summary
from mllint_nan.rulebook.load import load_rules
from mllint_nan.rulebook.rule import Rule
from mllint_nan.rulebook.tool import TOOL_RULES

_HEAD = "| Code | Rule | What it finds | Breaks | Fix |\n| --- | --- | --- | --- | --- |"


def all_rules() -> tuple[Rule, ...]:
    """Return the rules for every code that a finding can have."""
    return (*load_rules(), *TOOL_RULES)


def generated_pages() -> dict[str, str]:
    """Return the Markdown of each page, by its path below `docs/`."""
    rules = all_rules()
    lists = {"index": by_family, "by-framework": by_framework, "by-symptom": by_symptom}
    return {
        **{f"rules/{name}.md": write(rules) for name, write in lists.items()},
        **{family_path(family): _family(family, rules) for family in FAMILIES},
        **{page_path(rule): rule_page(rule) for rule in rules},
    }


def family_path(family: str) -> str:
    return f"rules/{family}.md"


def page_path(rule: Rule) -> str:
    return f"rules/{rule.name}.md"


def by_family(rules: Sequence[Rule]) -> str:
    return _list(
        "All rules",
        {
            family.capitalize(): (
                sentence(meaning),
                [rule for rule in rules if rule.family == family],
            )
            for family, meaning in FAMILIES.items()
        },
    )


def by_framework(rules: Sequence[Rule]) -> str:
    return _list(
        "Rules by framework",
        {
            title: ("", [rule for rule in rules if name in rule.frameworks])
            for name, title in FRAMEWORKS.items()
        },
    )


def by_symptom(rules: Sequence[Rule]) -> str:
    return _list(
        "Rules by symptom",
        {symptom.title: (_told(symptom), symptom.of(rules)) for symptom in SYMPTOMS},
    )


def _told(symptom: Symptom) -> str:
    others = prose("; ".join(symptom.in_other_words))
    return f"{prose(symptom.meaning)}\n\nIn other words: {others}."


def _family(family: str, rules: Sequence[Rule]) -> str:
    """Return the page that lists a family's rules."""
    members = (
        f"- [{rule.name}]({rule.name}.md) ({rule.code}): {sentence(summary(rule))}"
        for rule in rules
        if rule.family == family
    )
    title, meaning = family.capitalize(), sentence(FAMILIES[family])
    return "\n\n".join([f"# {title}", meaning, "\n".join(members)]) + "\n"


def _list(title: str, sections: Mapping[str, tuple[str, Iterable[Rule]]]) -> str:
    parts = [f"# {title}"]
    for heading, (text, rules) in sections.items():
        parts += [f"## {heading}", text, "\n".join([_HEAD, *map(_row, rules)])]
    return "\n\n".join(filter(None, parts)) + "\n"


def _row(rule: Rule) -> str:
    link = f"[{rule.name}]({rule.name}.md)"
    finds = sentence(summary(rule))
    return f"| {rule.code} | {link} | {finds} | {hazards(rule)} | {strongest_fix(rule)} |"
