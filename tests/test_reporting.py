from __future__ import annotations

import io
import json as standard_json
import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from mllint_nan.findings import (
    Applicability,
    Confidence,
    Edit,
    Finding,
    Fix,
    Hazard,
    Position,
    Span,
)
from mllint_nan.linter import Failed, Linted, Skipped, Unparsable
from mllint_nan.project import Checked
from mllint_nan.reporting import explain, json, rows, statistics, text
from mllint_nan.reporting.documents import document_for
from mllint_nan.reporting.output import Output, style_for
from mllint_nan.reporting.paths import absolute, shown
from mllint_nan.rulebook.descriptions import FRAMEWORKS
from mllint_nan.rulebook.examples import Examples, Snippet, dumped, examples_of, examples_path
from mllint_nan.rulebook.load import load_rules
from mllint_nan.rulebook.rule import Case, Rule, Witness
from mllint_nan.rulebook.tool import SYNTAX_ERROR

SOURCE = """\
import torch

def f(x):
    return torch.log(torch.softmax(x, dim=-1))
"""
OLD = "torch.log(torch.softmax(x, dim=-1))"
NEW = "torch.log_softmax(x, dim=-1)"


def position(source: str, offset: int) -> Position:
    before = source[:offset]
    return Position(before.count("\n") + 1, offset - before.rfind("\n"))


def edit(source: str, old: str, new: str) -> Edit:
    start = source.index(old)
    end = start + len(old)
    return Edit(Span(start, end), new, position(source, start), position(source, end))


def finding_of(
    source: str = SOURCE,
    old: str = OLD,
    fix: Fix | None = None,
    code: str = "NAN101",
    name: str = "log-of-softmax",
) -> Finding:
    place = edit(source, old, "")
    return Finding(
        code=code,
        name=name,
        message="log(softmax(x)) is -inf wherever the softmax underflows to 0",
        span=place.span,
        start=place.start,
        end=place.end,
        confidence=Confidence.CERTAIN,
        hazard=Hazard.VALUE,
        framework="torch",
        witness="x = [0, 200]",
        url=None,
        fix=fix,
    )


def fix_of(applicability: Applicability = Applicability.SAFE, *edits: Edit) -> Fix:
    return Fix("use `torch.log_softmax`", applicability, edits or (edit(SOURCE, OLD, NEW),))


def test_concise_is_one_line() -> None:
    assert text.concise(finding_of(fix=fix_of()), "a.py", Applicability.SAFE) == (
        "a.py:4:12: NAN101 [*] log(softmax(x)) is -inf wherever the softmax underflows to 0"
        " (x = [0, 200]) [certain]"
    )
    remark = replace(finding_of(code="NAN902"), hazard=None, witness=None, message="idle")
    assert text.concise(remark, "a.py", Applicability.SAFE) == "a.py:4:12: NAN902 idle"


@pytest.mark.parametrize(
    ("applicability", "weakest", "marked"),
    [
        (Applicability.SAFE, Applicability.SAFE, True),
        (Applicability.UNSAFE, Applicability.SAFE, False),
        (Applicability.UNSAFE, Applicability.UNSAFE, True),
        (Applicability.DISPLAY_ONLY, Applicability.UNSAFE, False),
    ],
)
def test_mark_tells_what_fix_applies(
    applicability: Applicability, weakest: Applicability, marked: bool
) -> None:
    assert ("[*]" in text.concise(finding_of(fix=fix_of(applicability)), "a", weakest)) is marked


def test_full_shows_code_witness_and_fix() -> None:
    assert text.full(finding_of(fix=fix_of()), "a.py", SOURCE, Applicability.SAFE) == (
        """\
a.py:4:12: NAN101 [*] log(softmax(x)) is -inf wherever the softmax underflows to 0
  |
3 | def f(x):
4 |     return torch.log(torch.softmax(x, dim=-1))
  |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  |
  = witness: x = [0, 200]
  = confidence: certain
  = fix: use `torch.log_softmax`
    -     return torch.log(torch.softmax(x, dim=-1))
    +     return torch.log_softmax(x, dim=-1)
"""
    )


def test_full_shows_every_edit_of_a_fix() -> None:
    inserted = Edit(Span(13, 13), "import math\n", Position(2, 1), Position(2, 1))
    fix = fix_of(Applicability.UNSAFE, edit(SOURCE, OLD, NEW), inserted)
    printed = text.full(finding_of(fix=fix), "a.py", SOURCE, Applicability.SAFE)
    assert printed.endswith(
        """\
  = fix with --unsafe-fixes: use `torch.log_softmax`
    + import math
    -     return torch.log(torch.softmax(x, dim=-1))
    +     return torch.log_softmax(x, dim=-1)
"""
    )


def test_full_marks_all_rows_of_a_finding() -> None:
    source = "y = log(\n    softmax(é)\n)  # end"
    finding = finding_of(source, source[4:-7])
    assert "".join(text.full(finding, "a.py", source, Applicability.SAFE)).splitlines()[1:8] == [
        "  |",
        "1 | y = log(",
        "  |     ^^^^",
        "2 |     softmax(é)",
        "  |     ^^^^^^^^^^",
        "3 | )  # end",
        "  | ^",
    ]


def test_full_leaves_out_the_middle_of_a_long_finding() -> None:
    source = "f(\n" + "    x,\n" * 50 + ")"
    printed = text.full(finding_of(source, source), "a.py", source, Applicability.SAFE)
    assert "...\n52 | )\n   | ^\n" in printed
    assert len(printed.splitlines()) == 20


def test_full_without_text_has_no_code() -> None:
    printed = text.full(finding_of(), "a.py", "", Applicability.SAFE)
    assert printed.splitlines()[1:] == ["  = witness: x = [0, 200]", "  = confidence: certain"]


@pytest.mark.parametrize("width", [40, 60, 100])
def test_full_is_as_wide_as_the_terminal(width: int) -> None:
    source = SOURCE.replace("\n    return ", "\n\treturn '漢字' + f(1, 2, 3) + ")
    fix = fix_of(Applicability.SAFE, edit(source, OLD, NEW))
    finding = finding_of(source, OLD, fix)
    printed = text.full(finding, "a.py", source, Applicability.SAFE, width=width)
    assert max(map(rows.columns, printed.splitlines())) <= width
    assert "log(softmax(x))" in printed and "underflows" in printed
    widest = text.full(finding, "a.py", source, Applicability.SAFE, width=1000)
    assert widest == text.full(finding, "a.py", source, Applicability.SAFE)


def test_fix_that_is_only_shown_says_why() -> None:
    shown = fix_of().only_shown("a comment stands there").only_shown("it is never seen")
    printed = text.full(finding_of(fix=shown), "a.py", SOURCE, Applicability.SAFE)
    assert "  = by hand (a comment stands there): use `torch.log_softmax`\n" in printed
    (entry,) = json.entries(Checked("a.py", Linted((finding_of(fix=shown),))), "")
    assert entry["fix"]["reason"] == "a comment stands there"


def test_row_is_shown_without_control_characters() -> None:
    row = rows.Row.of("\tx = '\033[2J漢' + y\r\n", 13, 14)
    assert row.text == "    x = '�[2J漢' + y"
    assert row.marker == "    " + " " * 13 + "^"


def test_long_row_is_shown_around_the_finding() -> None:
    row = rows.Row.of("a" * 1000 + "log(p)" + "b" * 1000, 1000, 1006)
    assert row.text.startswith("…aaa") and row.text.endswith("bbb…")
    start = row.marker.index("^")
    assert row.text[start : len(row.marker)] == "log(p)"


def test_diff_keeps_line_ends_and_says_where_there_is_none() -> None:
    assert rows.diff("a.py", "a\r\nb\x0cc\r\nd", "a\r\nb\x0cC\r\nd") == (
        "--- a.py\n+++ a.py\n@@ -1,3 +1,3 @@\n a\r\n-b\x0cc\r\n+b\x0cC\r\n d\n"
        "\\ No newline at end of file\n"
    )


def test_json_has_the_shape_that_consumers_of_ruff_read() -> None:
    (printed,) = standard_json.loads(
        json.document(json.entries(Checked("a.py", Linted((finding_of(fix=fix_of()),))), ""))
    )
    assert printed == {
        "cell": None,
        "code": "NAN101",
        "confidence": "certain",
        "end_location": {"column": 47, "row": 4},
        "filename": str(Path.cwd() / "a.py"),
        "fix": {
            "applicability": "safe",
            "edits": [
                {
                    "content": NEW,
                    "end_location": {"column": 47, "row": 4},
                    "location": {"column": 12, "row": 4},
                }
            ],
            "message": "use `torch.log_softmax`",
        },
        "framework": "torch",
        "hazard": "value",
        "location": {"column": 12, "row": 4},
        "message": "log(softmax(x)) is -inf wherever the softmax underflows to 0",
        "name": "log-of-softmax",
        "noqa_row": 4,
        "severity": "error",
        "url": None,
        "witness": "x = [0, 200]",
    }


def test_statistics_put_the_most_frequent_rule_first() -> None:
    safe, unsafe = finding_of(fix=fix_of()), finding_of(fix=fix_of(Applicability.UNSAFE))
    other = finding_of(code="NAN203", name="sqrt-at-zero")
    counts = statistics.per_rule([other, safe, unsafe, *[safe] * 9], Applicability.SAFE)
    assert statistics.table(counts) == (
        "11  NAN101  [-] log-of-softmax\n 1  NAN203  [ ] sqrt-at-zero\n"
    )


def test_summary_says_what_was_scanned() -> None:
    safe, unsafe = finding_of(fix=fix_of()), finding_of(fix=fix_of(Applicability.UNSAFE))
    files = [
        Checked("a.py", Linted((safe, safe, unsafe), suppressed=(safe,))),
        Checked("b.py", Unparsable(finding_of())),
        Checked("c.py", Skipped("no numerical framework")),
        Checked("d.py", Skipped("no numerical framework")),
        Checked("e.py", Failed("cannot read")),
    ]
    assert statistics.Tally.of(files, Applicability.SAFE).summary() == (
        "Found 4 findings in 2 files (2 fixable with --fix; 1 more with --unsafe-fixes); "
        "1 finding suppressed; 2 files skipped: no numerical framework; "
        "1 could not be parsed; 1 could not be checked"
    )


def test_summary_of_a_fix() -> None:
    files = [Checked("a.py", Linted(()), (finding_of(), finding_of()))]
    tally = statistics.Tally.of(files, Applicability.SAFE)
    assert tally.summary() == "Fixed 2 findings in 1 file; none left in 1 file"


def test_summary_of_a_clean_run() -> None:
    clean = [Checked("a.py", Linted(())), Checked("b.py", Skipped("no numerical framework"))]
    assert statistics.Tally.of(clean, Applicability.SAFE).summary() == (
        "All checks passed in 1 file; 1 file skipped: no numerical framework"
    )
    failed = statistics.Tally.of([Checked("e.py", Failed("cannot read"))], Applicability.SAFE)
    assert failed.summary() == "Found no findings in 0 files; 1 could not be checked"


def test_summary_tells_what_is_not_shown() -> None:
    likely, possible = (Confidence.LIKELY, 2), (Confidence.POSSIBLE, 3)
    files = [
        Checked("a.py", Linted((), weaker=(possible, likely))),
        Checked("b.py", Unparsable(finding_of(), read=Linted((), weaker=(possible,)))),
    ]
    assert statistics.Tally.of(files, Applicability.SAFE).summary() == (
        "Found 1 finding in 2 files; 2 more with --min-confidence likely; "
        "at least 8 more with --min-confidence possible; 1 could not be parsed"
    )


@dataclass(frozen=True)
class ExampleDocs:
    why: str = "Because it underflows.\n\nReally.\n"
    example: str = "\ntorch.log(p)\n"
    instead: str = ""
    fix_safety: str = ""
    references: tuple[str, ...] = ("A paper.",)


@dataclass(frozen=True)
class ExampleRule:
    code: str = "NAN101"
    name: str = "log-of-softmax"
    family: str = "compositions"
    summary: str = "`log(softmax(x))` underflows"
    frameworks: tuple[str, ...] = ("torch", "jax")
    fixes: tuple[Fix, ...] = (fix_of(Applicability.UNSAFE), fix_of())
    witnesses: tuple[Witness, ...] = (Witness("x = [0, 1000]", {}), Witness("x = -1000", {}))
    docs: ExampleDocs = ExampleDocs()
    cases: tuple[Case, ...] = ()
    path: str = "log-of-softmax.toml"
    off_by_default: bool = False


PAGE = """\
log-of-softmax (NAN101)
=======================

`log(softmax(x))` underflows

Family:     compositions
Frameworks: torch, jax
Fix:        safe
Witness:    x = [0, 1000], or x = -1000

Why
Because it underflows.

Really.

Before and after
{}
When to silence it
    ...  # mllint-nan: ignore[NAN101]

References
- A paper.
"""


def test_page_of_a_rule(tmp_path: Path) -> None:
    rule = ExampleRule(path=str(tmp_path / "log-of-softmax.toml"))
    own = "  Example (no fix is offered for this one)\n      torch.log(p)\n"
    assert explain.page(rule) == PAGE.format(own)
    flaw = "import torch\n\ny = log(p)\n"
    examples = Examples({"torch": Snippet(flaw, None)}, "y = p\n")
    examples_path(rule).write_text(dumped(examples))
    by_hand = "  By hand (no fix is offered for this one)\n      torch.log(p)\n"
    only_shown = (
        "  PyTorch (no fix is offered for this one)\n"
        f"      import torch\n\n      y = log(p)\n\n{by_hand}\n"
        "What counts as safe\n"
        "None of these lines is reported at the default confidence:\n\n    y = p\n"
    )
    assert explain.page(rule) == PAGE.format(only_shown)
    repaired = Examples({"torch": Snippet(flaw, flaw.replace("log(p)", "p"))})
    examples_path(rule).write_text(dumped(repaired))
    changed = "  PyTorch\n      import torch\n\n    - y = log(p)\n    + y = p\n"
    assert explain.page(rule) == PAGE.format(changed)


@pytest.mark.parametrize("rule", load_rules(), ids=lambda rule: rule.name)
def test_page_in_the_terminal_has_what_the_site_has(rule: Rule) -> None:
    page, marked_up = explain.page(rule), explain.markdown_page(rule)
    sections = ["Why it breaks", "What is found", "Before and after", "Safety of the fix",
                "When to silence it"]  # fmt: skip
    sections += ["References"] * bool(rule.docs.references)
    for heading in sections:
        assert f"\n\n{heading}\n" in page
        assert f"\n\n## {heading}\n\n" in marked_up
    shown = examples_of(rule).snippets
    hint = f"python -m pytest tests/test_docs.py -k {rule.name} --bless writes the examples"
    assert set(shown) == set(rule.frameworks), hint
    for name in shown:
        assert f"\n  {FRAMEWORKS[name]}" in page
    assert f"# mllint-nan: ignore[{rule.code}]" in page and "γ" not in page


@pytest.mark.parametrize("rule", load_rules(), ids=lambda rule: rule.name)
def test_no_page_says_a_word_twice(rule: Rule) -> None:
    prose = " ".join(line for line in explain.page(rule).splitlines() if not line.startswith("   "))
    assert re.findall(r"\b(the|a|an|is|it|of|to|and|in) \1\b", prose, re.IGNORECASE) == []


def test_page_is_as_wide_as_the_terminal() -> None:
    (rule,) = (rule for rule in load_rules() if rule.code == "NAN203")
    prose = explain.page(rule, width=50).partition("What is found")[0]
    assert max(map(len, prose.splitlines())) <= 50
    wide = explain.page(rule, width=80)
    assert wide.split() == explain.page(rule, width=50).split()


def test_repairs_are_coloured_where_colours_are() -> None:
    (rule,) = (rule for rule in load_rules() if rule.code == "NAN101")
    coloured = explain.page(rule, text.Style(is_coloured=True))
    assert "\033[31m    -     " in coloured and "\033[32m    +     " in coloured
    assert "\033" not in explain.page(rule)


def test_table_of_rules() -> None:
    assert explain.table([ExampleRule(), SYNTAX_ERROR]) == (
        "NAN101  log-of-softmax  safe          `log(softmax(x))` underflows\n"
        "NAN901  syntax-error    none          "
        "the file is not Python 3, so only the parts that can be read were analysed\n"
    )


def test_rules_as_json() -> None:
    rule = standard_json.loads(explain.as_json(ExampleRule()))
    assert rule["why"] == "Because it underflows.\n\nReally."
    assert rule["fixes"] == ["unsafe", "safe"]
    assert standard_json.loads(explain.as_json([ExampleRule()])) == [rule]


def test_what_is_off_by_default_is_said_to_be() -> None:
    rule = ExampleRule(off_by_default=True)
    assert explain.table([rule]).endswith("`log(softmax(x))` underflows (off by default)\n")
    said = "off by default; selected by NAN101, log-of-softmax, compositions or ALL"
    assert said in " ".join(explain.page(rule).split())
    assert "(off by default)" in explain.markdown(rule)
    assert standard_json.loads(explain.as_json(rule))["off_by_default"] is True


def test_colours_follow_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    stream = io.StringIO()
    assert not style_for(stream, no_color=False).is_coloured
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert style_for(stream, no_color=False).is_coloured
    assert not style_for(stream, no_color=True).is_coloured
    monkeypatch.setenv("NO_COLOR", "1")
    assert not style_for(stream, no_color=False).is_coloured


def test_colours_change_no_text() -> None:
    arguments = (finding_of(fix=fix_of()), "a.py", SOURCE, Applicability.SAFE)
    coloured = text.full(*arguments, text.Style(is_coloured=True))
    for code in ("\033[1m", "\033[1;31m", "\033[31m", "\033[32m", "\033[34m", "\033[0m"):
        coloured = coloured.replace(code, "")
    assert coloured == text.full(*arguments)


def test_path_is_relative_below_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert shown(str(tmp_path / "a" / "b.py")) == shown("./a/b.py") == "a/b.py"
    assert shown("../b.py") == absolute("../b.py") == str(tmp_path.parent / "b.py")
    assert shown("-") == absolute("-") == "-"


def printed(files: list[Checked], **options: object) -> str:
    to = io.StringIO()
    format = str(options.pop("format", "concise"))
    document = document_for(format, tuple)
    output = Output(to, format, text.PLAIN, Applicability.SAFE, document, **options)  # type: ignore[arg-type]
    for checked in files:
        output.add(checked)
    output.end([checked.without_bytes() for checked in files])
    return to.getvalue()


def test_summary_stays_out_of_concise_output(capsys: pytest.CaptureFixture[str]) -> None:
    files = [Checked("a.py", Linted((finding_of(),)))]
    assert len(printed(files).splitlines()) == 1
    assert capsys.readouterr().err == "Found 1 finding in 1 file\n"
    printed(files, is_quiet=True)
    assert capsys.readouterr().err == ""


def test_full_output_ends_with_the_summary() -> None:
    source = SOURCE.encode()
    files = [Checked("a.py", Linted((finding_of(),)), (), source, source)]
    assert printed(files, format="full").endswith("\n\nFound 1 finding in 1 file\n")


def test_json_output_is_a_list_even_of_nothing() -> None:
    assert standard_json.loads(printed([], format="json")) == []


def test_diff_output_is_a_diff_alone(capsys: pytest.CaptureFixture[str]) -> None:
    files = [
        Checked("a.py", Linted(()), (finding_of(),), b"a = 1\n", b"a = 2\n"),
        Checked("b.py", Unparsable(finding_of(code="NAN901"))),
    ]
    assert printed(files, is_diff=True) == "--- a.py\n+++ a.py\n@@ -1 +1 @@\n-a = 1\n+a = 2\n"
    errors = capsys.readouterr().err
    assert errors.startswith("b.py:4:12: NAN901 ")
    assert "Would fix 1 finding in 1 file; 1 left in 2 files" in errors


def test_traceback_is_shown_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    files = [Checked("a.py", Failed("internal error: ValueError", "Traceback: here\n"))]
    printed(files, is_quiet=True)
    assert (
        capsys.readouterr().err == "a.py:1:1: internal error: ValueError; --verbose shows where\n"
    )
    printed(files, is_quiet=True, is_verbose=True)
    assert capsys.readouterr().err == "a.py:1:1: internal error: ValueError\nTraceback: here\n"
