"""The handbook: what its pages show is what the tool does, and every rule has its page.

`python -m pytest tests/test_docs.py --bless` rewrites what the commands on the pages print, the
pages and tables that are written from the rules, and the examples that the tool shows of each rule.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

import pytest
import tomli

from handbook.indexes import all_rules, generated_pages, page_path
from handbook.rule_pages import FAMILIES
from handbook.snippets import examples, near_misses, snippet
from handbook.symptoms import SYMPTOMS, Symptom
from handbook.tables import with_tables
from mllint_nan.cli import main
from mllint_nan.config.keys import FORMATS, KEYS
from mllint_nan.findings import Confidence
from mllint_nan.linter import Linted, Settings, lint_bytes
from mllint_nan.rulebook import descriptions
from mllint_nan.rulebook.descriptions import FRAMEWORKS
from mllint_nan.rulebook.examples import dumped, examples_path
from mllint_nan.rulebook.load import load_rules
from mllint_nan.rulebook.rule import Rule
from tests.picture_lines import UNDRAWN

ROOT: Final = Path(__file__).resolve().parent.parent
DOCS: Final = ROOT / "docs"
PAGES: Final = sorted(DOCS.glob("*.md"))
RULES: Final = load_rules()

PICTURE: Final = "How far off it is"
SECTIONS: Final = [
    "Why it breaks",
    PICTURE,
    "Before and after",
    "What is found",
    "Safety of the fix",
    "What counts as safe",
    "When to silence it",
    "References",
]

_FENCE: Final = re.compile(
    r"(?P<head>^`(?P<file>[^`\n]+)`:\n\n)?^```(?P<language>\w+)\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@cache
def generated() -> Mapping[str, str]:
    """The text of each page that is written from rules and fixtures, by its path."""
    return generated_pages()


def _executes(page: Path) -> bool:
    """Whether a command of a page runs its program."""
    return (
        re.search(r"^\$ mllint-nan .*--run ", page.read_text(encoding="utf-8"), re.MULTILINE)
        is not None
    )


each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


@each_rule
def test_examples_of_the_tool_are_those_of_the_fixtures(rule: Rule, is_blessing: bool) -> None:
    path = examples_path(rule)
    if is_blessing:
        path.write_text(dumped(examples(rule)), encoding="utf-8")
    hint = f"python -m pytest tests/test_docs.py -k {rule.name} --bless writes it"
    assert path.exists(), hint
    assert path.read_text(encoding="utf-8") == dumped(examples(rule)), hint


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=pytest.mark.slow) if _executes(page) else page for page in PAGES],
    ids=lambda page: page.stem,
)
def test_commands_print_what_the_page_shows(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    is_blessing: bool,
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    now = _FENCE.sub(lambda fence: _carried_out(fence, capsys), text)
    if is_blessing:
        page.write_text(now, encoding="utf-8")
        text = now
    assert now == text


def _carried_out(fence: re.Match[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The block as it has to be: what is below a file's name is written to it, a command is run."""
    if fence["file"]:
        Path(fence["file"]).parent.mkdir(parents=True, exist_ok=True)
        Path(fence["file"]).write_text(fence["code"], encoding="utf-8")
    if fence["language"] != "console":
        return fence[0]
    command = fence["code"].splitlines()[0]
    assert command.startswith("$ mllint-nan "), command
    capsys.readouterr()
    assert main(shlex.split(command)[2:]) in (0, 1)
    return f"```console\n{command}\n{''.join(capsys.readouterr())}```"


OPTIONS_OF_OTHERS = {"--external", "--install-extension", "--no-format", "--paths"}


@each_page
def test_options_on_pages_exist(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--help"])
    known = set(re.findall(r"--[a-z][a-z-]*", capsys.readouterr().out))
    text = page.read_text(encoding="utf-8")
    assert set(re.findall(r"(?<=[`\s])--[a-z][a-z-]*", text)) <= known | OPTIONS_OF_OTHERS


def test_configuration_page_has_every_key() -> None:
    text = (DOCS / "configuration.md").read_text(encoding="utf-8")
    assert [key.name for key in KEYS if f"| `{key.name}` |" not in text] == []
    for code in _blocks(text, "toml"):
        tomli.loads(code)


def test_output_page_has_every_format() -> None:
    table = (DOCS / "output-formats.md").read_text(encoding="utf-8").partition("\n\n`--output")[0]
    assert set(re.findall(r"`([a-z-]+)`", table.partition("| --- |")[2])) >= set(FORMATS)


@each_page
def test_settings_on_pages_are_well_formed(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for code in _blocks(text, "json"):
        json.loads(code)
    for code in _blocks(text, "toml"):
        tomli.loads(code)
    for code in _blocks(text, "elisp"):
        plain = re.sub(r'"[^"\\n]*"', "", code)
        assert plain.count("(") == plain.count(")")


def test_unknown_table_is_an_error() -> None:
    with pytest.raises(KeyError):
        with_tables("<!-- table: configuration-kyes -->\n<!-- end of table -->")


def test_every_code_has_a_page() -> None:
    assert {page_path(rule) for rule in all_rules()} <= set(generated())


def test_pages_written_from_the_rules_are_current(is_blessing: bool) -> None:
    if is_blessing:
        for name, text in generated().items():
            (DOCS / name).write_text(text, encoding="utf-8")
        for path in DOCS.glob("rules/*.md"):
            if path.relative_to(DOCS).as_posix() not in generated():
                path.unlink()
    now = {
        path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8")
        for path in DOCS.glob("rules/*.md")
    }
    outdated = {name for name, text in generated().items() if now.get(name) != text}
    hint = "python -m pytest tests/test_docs.py -k current --bless writes it"
    assert not outdated | (now.keys() - generated().keys()), hint


@each_page
def test_tables_on_pages_are_current(page: Path, is_blessing: bool) -> None:
    text = page.read_text(encoding="utf-8")
    now = with_tables(text)
    if is_blessing:
        page.write_text(now, encoding="utf-8")
        text = now
    assert now == text, "python -m pytest tests/test_docs.py -k current --bless writes them"


@each_rule
def test_rule_page_says_what_the_file_says(rule: Rule) -> None:
    page = generated()[page_path(rule)]
    assert page.startswith(f"# {rule.name} ({rule.code})\n")
    assert descriptions.witnesses(rule)[0] in page.replace("`", "")
    assert "γ" not in page
    sections = re.findall(r"^## (.*)$", page, re.MULTILINE)
    assert sections == [each for each in SECTIONS if each != PICTURE or rule.name not in UNDRAWN]
    examples_of = set(re.findall(r"^### (.*)$", page, re.MULTILINE)) - {"By hand"}
    assert examples_of == {FRAMEWORKS[each] for each in rule.frameworks}
    assert page.count("\n- ", page.find("## References")) == len(rule.docs.references) > 0


@each_rule
def test_reason_has_the_number_that_matters(rule: Rule) -> None:
    assert re.search(r"\d", rule.docs.why)


@each_rule
def test_references_are_addresses_or_works(rule: Rule) -> None:
    for reference in rule.docs.references:
        assert re.fullmatch(r"https://\S+\.\S+/\S+|[^:]+: .+ \(\d{4}\)", reference), reference


@each_rule
def test_tool_explains_what_the_page_does(rule: Rule, capsys: pytest.CaptureFixture[str]) -> None:
    """All but the picture, which is in its page alone."""
    assert main(["--explain", rule.code]) == 0
    said = capsys.readouterr().out
    found = [each for each in SECTIONS if f"\n{each}\n" in said]
    assert found == [each for each in SECTIONS if each != PICTURE]
    assert "\nWitness: " in said
    for title in (FRAMEWORKS[each] for each in rule.frameworks):
        assert re.search(rf"^  {re.escape(title)}\b", said, re.MULTILINE)


@each_rule
def test_python_on_rule_pages_parses(rule: Rule) -> None:
    blocks = _blocks(generated()[page_path(rule)], "python")
    assert len(blocks) > len(rule.frameworks)
    for code in blocks:
        ast.parse(code)


@each_rule
def test_flaw_is_found_in_before_and_gone_in_after(rule: Rule) -> None:
    for framework in rule.frameworks:
        shown = snippet(rule, framework)
        assert shown is not None, f"{rule.name} has nothing to show for {framework}"
        assert rule.code in _found(rule, shown.before, Confidence.POSSIBLE)
        if shown.after is not None:
            ast.parse(shown.after)
            assert rule.code not in _found(rule, shown.after, Confidence.LIKELY)


@each_rule
def test_near_misses_stay_quiet(rule: Rule) -> None:
    code = near_misses(rule)
    if rule.name == "log-of-uniform":  # its fixtures are methods of classes with the flaw
        assert code == ""
    else:
        assert _found(rule, code, Confidence.LIKELY) == set()


def _found(rule: Rule, code: str, least: Confidence) -> set[str]:
    outcome = lint_bytes(
        code.encode(), "shown.py", Settings(("NAN", rule.name), min_confidence=least)
    )
    assert isinstance(outcome, Linted), outcome
    return {finding.code for finding in outcome.findings}


@each_rule
def test_rule_is_in_every_index(rule: Rule) -> None:
    row = f"| {rule.code} | [{rule.name}]({rule.name}.md) |"
    assert row in _section(generated()["rules/index.md"], rule.family.capitalize())
    assert row in generated()["rules/by-symptom.md"]
    for framework, title in FRAMEWORKS.items():
        listed = row in _section(generated()["rules/by-framework.md"], title)
        assert listed == (framework in rule.frameworks)


def test_families_are_those_of_the_rules() -> None:
    assert {rule.family for rule in all_rules()} == set(FAMILIES)


@pytest.mark.parametrize(
    ("title", "causes", "no_causes"),
    [
        ("The loss is NaN at the first step", {"NAN201", "NAN301"}, {"NAN101", "NAN203"}),
        ("The loss is NaN after some steps", {"NAN101", "NAN504"}, {"NAN301"}),
        ("The gradient is NaN, the loss is fine", {"NAN203", "NAN401"}, {"NAN101", "NAN301"}),
        ("NaN only in fp16", {"NAN502", "NAN503"}, {"NAN203", "NAN301"}),
        (
            "NaN only on some batches",
            {"NAN213", "NAN306", "NAN307", "NAN403", "NAN406"},
            {"NAN102"},
        ),
        (
            "It is fine in PyTorch, and NaN in JAX or TensorFlow",
            {"NAN204", "NAN205", "NAN210"},
            {"NAN203", "NAN604", "NAN901"},
        ),
    ],
)
def test_symptom_points_at_its_causes(title: str, causes: set[str], no_causes: set[str]) -> None:
    codes = {rule.code for rule in _symptom(title).of(all_rules())}
    assert causes <= codes
    assert not no_causes & codes


def _symptom(title: str) -> Symptom:
    return next(symptom for symptom in SYMPTOMS if symptom.title == title)


def _section(text: str, heading: str) -> str:
    return text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def _blocks(text: str, language: str) -> list[str]:
    """The code of the blocks in a language."""
    return [fence["code"] for fence in _FENCE.finditer(text) if fence["language"] == language]
