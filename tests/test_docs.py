"""The handbook: what its pages show is what the tool does, and every rule has its page.

`python -m pytest tests/test_docs.py --bless` rewrites what the commands on the pages print, and the
examples that the tool shows of each rule.
"""

from __future__ import annotations

import ast
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
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
from mllint_nan.rulebook.examples import dumped, examples_path
from mllint_nan.rulebook.load import load_rules
from mllint_nan.rulebook.rule import Rule
from mllint_nan.rulebook.spoken import FRAMEWORKS
from tests.picture_lines import UNDRAWN

ROOT: Final = Path(__file__).resolve().parent.parent
DOCS: Final = ROOT / "docs"
PAGES: Final = sorted(DOCS.glob("*.md"))
GENERATED: Final = generated_pages()
RULES: Final = load_rules()

PICTURE: Final = "How far off it is"
SECTIONS: Final = [
    "Why it breaks",
    "What is found",
    PICTURE,
    "Before and after",
    "Safety of the fix",
    "What is taken as safe",
    "When to silence it",
    "References",
]

_FENCE: Final = re.compile(
    r'^(?P<indent> *)```(?P<language>\w+)(?: title="(?P<title>[^"]+)")?\n'
    r"(?P<code>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


@each_rule
def test_examples_of_the_tool_are_those_of_the_fixtures(rule: Rule, is_blessing: bool) -> None:
    path = examples_path(rule)
    if is_blessing:
        path.write_text(dumped(examples(rule)), encoding="utf-8")
    assert path.read_text(encoding="utf-8") == dumped(examples(rule))


@each_page
def test_commands_print_what_the_page_shows(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    is_blessing: bool,
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    now = _FENCE.sub(lambda fence: _carried_out(fence, capsys), text)
    if is_blessing:
        page.write_text(now, encoding="utf-8")
    assert now == text


def _carried_out(fence: re.Match[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The block as it has to be: a titled one is written to its file, a command is run."""
    if fence["title"]:
        Path(fence["title"]).parent.mkdir(parents=True, exist_ok=True)
        Path(fence["title"]).write_text(fence["code"], encoding="utf-8")
    if fence["language"] != "console":
        return fence[0]
    command = fence["code"].splitlines()[0]
    assert command.startswith("$ mllint-nan "), command
    capsys.readouterr()
    assert main(shlex.split(command)[2:]) in (0, 1)
    return f"```console\n{command}\n{''.join(capsys.readouterr())}```"


OPTIONS_OF_LIBCST = {"--external", "--no-format"}


@each_page
def test_options_on_pages_exist(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--help"])
    known = set(re.findall(r"--[a-z][a-z-]*", capsys.readouterr().out))
    text = page.read_text(encoding="utf-8")
    assert set(re.findall(r"(?<=[`\s])--[a-z][a-z-]*", text)) <= known | OPTIONS_OF_LIBCST


def test_configuration_page_has_every_key() -> None:
    text = with_tables((DOCS / "configuration.md").read_text(encoding="utf-8"))
    assert [key.name for key in KEYS if f"| `{key.name}` |" not in text] == []
    for _, code in _blocks(text, "toml"):
        tomli.loads(code)


def test_output_page_has_every_format() -> None:
    table = (DOCS / "output-formats.md").read_text(encoding="utf-8").partition("\n\n`--output")[0]
    assert set(re.findall(r"`([a-z-]+)`", table.partition("| --- |")[2])) >= set(FORMATS)


def test_unknown_table_is_an_error() -> None:
    with pytest.raises(KeyError):
        with_tables("<!-- table: configuration-kyes -->")


def test_every_code_has_a_page() -> None:
    assert {page_path(rule) for rule in all_rules()} <= set(GENERATED)


def test_links_lead_to_pages_and_headings() -> None:
    pages = {page.name: page.read_text(encoding="utf-8") for page in PAGES} | GENERATED
    missing = [
        f"{path}: {target}"
        for path, text in pages.items()
        for target in re.findall(r"(?<!\\)\]\(([^)]+)\)", text)
        if not _leads_somewhere(path, target, pages)
    ]
    assert missing == []


def _leads_somewhere(path: str, target: str, pages: dict[str, str]) -> bool:
    address, _, heading = target.partition("#")
    there = os.path.normpath(os.path.join(os.path.dirname(path), address))
    return there in pages and (not heading or heading in _anchors(pages[there]))


def _anchors(text: str) -> set[str]:
    from markdown.extensions.toc import slugify

    return {slugify(title, "-") for title in re.findall(r"^## (.*)$", text, re.MULTILINE)}


@each_rule
def test_rule_page_says_what_the_file_says(rule: Rule) -> None:
    page = GENERATED[page_path(rule)]
    assert page.startswith(f"# {rule.name} ({rule.code})\n")
    assert rule.witnesses[0].text in page.replace("`", "")
    assert "γ" not in page
    sections = re.findall(r"^## (.*)$", page, re.MULTILINE)
    assert sections == [each for each in SECTIONS if each != PICTURE or rule.name not in UNDRAWN]
    assert page.count('\n=== "') == len(rule.frameworks)
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
    blocks = _blocks(GENERATED[page_path(rule)], "python")
    assert len(blocks) > len(rule.frameworks)
    for _, code in blocks:
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
    assert row in _section(GENERATED["rules/index.md"], rule.family)
    assert row in GENERATED["rules/by-symptom.md"]
    for framework, title in FRAMEWORKS.items():
        listed = row in _section(GENERATED["rules/by-framework.md"], title)
        assert listed == (framework in rule.frameworks)


def test_families_are_those_of_the_rules() -> None:
    assert {rule.family for rule in all_rules()} == set(FAMILIES)


@pytest.mark.parametrize(
    ("title", "causes", "no_causes"),
    [
        ("My loss is NaN at the first step", {"NAN201", "NAN301"}, {"NAN101", "NAN203"}),
        ("The loss is fine for a while, then NaN or infinite", {"NAN101", "NAN504"}, {"NAN301"}),
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


@pytest.mark.slow
def test_site_builds_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "rules" / "sqrt-at-zero" / "index.html").read_text(encoding="utf-8")
    assert "<h1" in page and "vector_norm" in page
    keys = (tmp_path / "configuration" / "index.html").read_text(encoding="utf-8")
    assert "<code>extend-safe-fixes</code>" in keys


def _section(text: str, heading: str) -> str:
    return text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def _blocks(text: str, language: str) -> list[tuple[str, str]]:
    """Title and code of the blocks in a language, without their indentation."""
    return list(_dedented(text, language))


def _dedented(text: str, language: str) -> Iterator[tuple[str, str]]:
    for fence in _FENCE.finditer(text):
        if fence["language"] == language:
            width = len(fence["indent"])
            lines = (line[width:] for line in fence["code"].splitlines(keepends=True))
            yield fence["title"] or "", "".join(line or "\n" for line in lines)
