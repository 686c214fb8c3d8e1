"""Configuration: where it is looked for, what it may say, and who wins.

`python -m pytest tests/test_config.py --bless` rewrites the JSON schema.
"""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest
import tomli

from mllint_nan.cli import CLEAN, ERROR, FINDINGS, main
from mllint_nan.config import keys, read
from mllint_nan.config.globs import Globs
from mllint_nan.config.resolve import Configurations
from mllint_nan.findings import Confidence
from mllint_nan.rulebook.load import load_rules
from tests.on_demand import module

jsonschema = module("jsonschema")

ROOT = Path(__file__).parent.parent
SCHEMA = ROOT / "mllint_nan" / "mllint-nan.schema.json"
LOG = "import torch\n\ndef f(x):\n    return torch.log(torch.softmax(x, dim=-1))\n"
ROOT_AND_LOG = f"{LOG}\ndef g(x):\n    return torch.sqrt((x ** 2).sum(-1))\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    monkeypatch.chdir(project)
    return project


def plant(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


def pyproject(table: str, path: str = "pyproject.toml") -> None:
    plant(path, f"[tool.mllint-nan]\n{table}\n")


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """`path CODE` of each finding."""
    assert main([*arguments, "-q", "--output-format", "concise"]) in (CLEAN, FINDINGS)
    lines = capsys.readouterr().out.splitlines()
    return [f"{line.split(':')[0]} {line.split()[1]}" for line in lines]


def error_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == ERROR
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    return err.removeprefix("mllint-nan: error: ").rstrip("\n")


def test_nearest_file_decides_alone(capsys: pytest.CaptureFixture[str]) -> None:
    for path in ("a.py", "deep/er/b.py", "own/c.py"):
        plant(path, ROOT_AND_LOG)
    pyproject('ignore = ["NAN1"]')
    plant("own/mllint-nan.toml", 'ignore = ["NAN203"]')
    plant("deep/pyproject.toml", "[project]\nname = 'no table of ours'\n")
    expected = ["a.py NAN203", "deep/er/b.py NAN203", "own/c.py NAN101"]
    assert found(capsys) == expected
    assert found(capsys, "--jobs", "2") == expected


def test_own_file_wins_over_pyproject_in_one_directory(
    capsys: pytest.CaptureFixture[str],
) -> None:
    plant("a.py", ROOT_AND_LOG)
    pyproject('select = ["NAN1"]')
    plant("mllint-nan.toml", 'select = ["NAN203"]')
    assert found(capsys) == ["a.py NAN203"]


def test_file_without_one_above_has_that_of_the_working_directory(
    capsys: pytest.CaptureFixture[str], here: Path
) -> None:
    pyproject('select = ["NAN203"]')
    elsewhere = here.parent / "elsewhere" / "a.py"
    plant(str(elsewhere), ROOT_AND_LOG)
    assert found(capsys, str(elsewhere)) == [f"{elsewhere} NAN203"]


def test_user_file_is_the_last_resort(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    plant("a.py", ROOT_AND_LOG)
    plant(str(here.parent / "home/mllint-nan/mllint-nan.toml"), 'select = ["NAN203"]')
    assert found(capsys) == ["a.py NAN203"]
    assert found(capsys, "--isolated") == ["a.py NAN101", "a.py NAN203"]
    pyproject("")
    assert found(capsys) == ["a.py NAN101", "a.py NAN203"]


def test_precedence_is_file_then_key_then_option(capsys: pytest.CaptureFixture[str]) -> None:
    plant("a.py", ROOT_AND_LOG)
    pyproject('select = ["NAN1"]')
    assert found(capsys) == ["a.py NAN101"]
    assert found(capsys, "--config", 'select = ["NAN203"]') == ["a.py NAN203"]
    assert found(capsys, "--config", 'select=["NAN203"]', "--select", "NAN3") == []
    assert found(capsys, "--isolated") == ["a.py NAN101", "a.py NAN203"]


def test_named_file_replaces_the_search(capsys: pytest.CaptureFixture[str]) -> None:
    plant("a.py", ROOT_AND_LOG)
    pyproject('select = ["NAN1"]')
    plant("ci/strict.toml", 'select = ["NAN203"]\nper-file-ignores = { "a.py" = ["NAN"] }')
    assert found(capsys, "--config", "ci/strict.toml") == []
    assert found(capsys, "--config", "ci/strict.toml", "--config", "per-file-ignores={}") == [
        "a.py NAN203"
    ]


def test_extended_file_is_overridden_key_by_key(capsys: pytest.CaptureFixture[str]) -> None:
    plant("src/a.py", ROOT_AND_LOG)
    pyproject('select = ["NAN1"]\nmin-confidence = "certain"')
    pyproject('extend = "../pyproject.toml"\nextend-select = ["NAN203"]', "src/pyproject.toml")
    configuration = Configurations({}).of_file("src/a.py")
    assert configuration.settings.min_confidence is Confidence.CERTAIN
    assert {"NAN101", "NAN203"} <= set(configuration.settings.select)
    assert "NAN201" not in configuration.settings.select


@pytest.mark.parametrize(
    ("table", "options", "codes"),
    [
        ('select = ["NAN2"]\nextend-select = ["NAN101"]', [], ["NAN101", "NAN203"]),
        ('select = ["NAN"]\nignore = ["NAN2"]\nextend-ignore = ["NAN101"]', [], []),
        ('select = ["NAN203"]\nignore = ["NAN2"]', [], ["NAN203"]),
        ('select = ["NAN2"]\nignore = ["sqrt-at-zero"]', [], ["NAN201"]),
        ('select = ["NAN2"]\nignore = ["NAN203"]', ["--select", "NAN2"], ["NAN201", "NAN203"]),
        ('ignore = ["NAN203"]', ["--ignore", "NAN1"], []),
        ('select = ["NAN1"]', ["--extend-select", "NAN2"], ["NAN101", "NAN203"]),
        ('select = ["NAN1", "NAN2"]', ["--extend-ignore", "NAN1"], ["NAN203"]),
        ('select = ["ALL"]\nignore = ["ALL"]', [], []),
    ],
)
def test_layers_select_rules(
    capsys: pytest.CaptureFixture[str], table: str, options: list[str], codes: list[str]
) -> None:
    plant("a.py", ROOT_AND_LOG)
    pyproject(table)
    assert found(capsys, *options) == [f"a.py {code}" for code in codes]


def test_per_file_ignores(capsys: pytest.CaptureFixture[str]) -> None:
    for path in ("tests/a.py", "src/gen/b.py", "src/c.py"):
        plant(path, ROOT_AND_LOG)
    pyproject(
        'per-file-ignores = { "tests/" = ["NAN"], "!src/**" = ["NAN1"] }\n'
        'extend-per-file-ignores = { "c.py" = ["sqrt-at-zero"] }'
    )
    assert found(capsys) == ["src/c.py NAN101", "src/gen/b.py NAN101", "src/gen/b.py NAN203"]


def test_applicability_is_the_users_word() -> None:
    plant("a.py", ROOT_AND_LOG)
    pyproject('extend-unsafe-fixes = ["NAN101"]')
    assert main(["--fix"]) == FINDINGS
    assert "torch.log(torch.softmax" in Path("a.py").read_text()
    plant("b.py", "import torch\n\ndef f(x):\n    return torch.log(torch.relu(x))\n")
    assert main(["--fix", "b.py"]) == FINDINGS
    pyproject('extend-safe-fixes = ["log-at-zero"]')
    assert main(["--fix", "b.py"]) == CLEAN
    assert "clamp" in Path("b.py").read_text()


def test_versions_that_fixes_keep_to(capsys: pytest.CaptureFixture[str]) -> None:
    plant("a.py", "import torch\n\ndef f(x, y):\n    return ((x - y) ** 2).sum(-1).sqrt()\n")
    pyproject('target-versions = ["torch>=1.7"]\nfix = true')
    assert main(["--diff"]) == FINDINGS
    assert "torch.norm(x - y" in capsys.readouterr().out
    assert main(["--diff", "--config", 'target-versions = ["torch"]']) == FINDINGS
    assert "torch.linalg.vector_norm(x - y" in capsys.readouterr().out
    assert main(["--show-settings", "a.py"]) == CLEAN
    assert 'target-versions = ["torch>=1.7"]' in capsys.readouterr().out


def test_epsilon_is_what_fixes_insert() -> None:
    plant("a.py", "import torch\n\ndef f(x):\n    return torch.log(torch.relu(x))\n")
    pyproject("epsilon = 1e-5\nfix = true\nunsafe-fixes = true")
    assert main([]) == CLEAN
    assert "1e-05" in Path("a.py").read_text().replace("1e-5", "1e-05")


def test_epsilon_beside_one_is_never_absorbed() -> None:
    margins = [
        rule.parameters["margin"] for rule in load_rules((), 1e-12) if "margin" in rule.parameters
    ]
    assert margins and min(margins) >= 1e-7


OPERATIONS = """\
from mylib import ops
from mylib.ops import softmax
import torch

def f(x):
    return torch.log(softmax(x, dim=1)) + torch.log(ops.softmax(x, 1))
"""


def test_own_function_stands_for_an_operation(capsys: pytest.CaptureFixture[str]) -> None:
    plant("a.py", OPERATIONS)
    assert found(capsys) == []
    plant("mllint-nan.toml", '[operations]\n"mylib.ops.softmax" = "softmax"')
    assert found(capsys) == ["a.py NAN101"] * 2
    assert main(["--fix", "-q"]) == CLEAN
    assert Path("a.py").read_text().count("torch.log_softmax(x, dim=1)") == 2


def test_guarded_log_is_an_operation_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    plant("a.py", OPERATIONS.replace("torch.log(", "ops.safe_log("))
    table = '[operations]\n"mylib.ops.softmax" = "softmax"\n"mylib.ops.safe_log" = '
    plant("mllint-nan.toml", f'{table} "log"')
    assert found(capsys) == ["a.py NAN101"] * 2
    plant("mllint-nan.toml", f'{table} "log_guarded"')
    assert found(capsys) == []


def test_relative_import_of_an_own_function_is_understood(
    capsys: pytest.CaptureFixture[str],
) -> None:
    plant("mylib/a.py", OPERATIONS.replace("mylib.", ".").replace("mylib", "."))
    plant("mllint-nan.toml", '[operations]\n"mylib.ops.softmax" = "softmax"')
    assert found(capsys) == ["mylib/a.py NAN101"] * 2


def own_rule(code: str = "NAN801", name: str = "log-of-sin") -> str:
    text = (ROOT / "rules/compositions/sqrt-of-exp.toml").read_text()
    return (
        text.replace("NAN118", code)
        .replace("sqrt-of-exp", name)
        .replace('"sqrt(exp(x))"', '"log(sin(x))"')
        .replace("exp(x / 2)", "sin(x)")
    )


def test_own_rules(capsys: pytest.CaptureFixture[str]) -> None:
    plant("a.py", "import torch\n\ndef f(x):\n    return torch.log(torch.sin(x))\n")
    plant("my-rules/log-of-sin.toml", own_rule())
    pyproject('rules = ["my-rules/"]\nselect = ["log-of-sin"]')
    assert found(capsys) == ["a.py NAN801"]
    assert main(["--explain", "NAN801"]) == CLEAN
    assert capsys.readouterr().out.startswith("log-of-sin (NAN801)")


def test_findings_point_to_the_pages_of_a_served_handbook(
    capsys: pytest.CaptureFixture[str],
) -> None:
    plant("a.py", "import torch\n\ndef f(x):\n    return torch.log(torch.softmax(x, -1))\n")
    plant("b.py", "import torch\ny = (\n")
    pyproject('handbook = "https://docs.example.org/nan/"')
    main(["--output-format", "json"])
    urls = {one["code"]: one["url"] for one in json.loads(capsys.readouterr().out)}
    base = "https://docs.example.org/nan/rules"
    assert urls["NAN101"] == f"{base}/log-of-softmax/"
    assert urls["NAN901"] == f"{base}/syntax-error/"
    main(["--output-format", "sarif"])
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    helped = {rule["id"]: rule.get("helpUri") for rule in run["tool"]["driver"]["rules"]}
    assert helped["NAN101"] == urls["NAN101"]


def test_own_rules_have_no_page_in_a_handbook(capsys: pytest.CaptureFixture[str]) -> None:
    plant("a.py", "import torch\n\ndef f(x):\n    return torch.log(torch.sin(x))\n")
    plant("my-rules/log-of-sin.toml", own_rule())
    pyproject('rules = ["my-rules"]\nhandbook = "https://docs.example.org/nan"\nselect = ["NAN8"]')
    main(["--output-format", "json"])
    (finding,) = json.loads(capsys.readouterr().out)
    assert (finding["code"], finding["url"]) == ("NAN801", None)


def test_own_rule_that_is_none_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    plant("a.py", LOG)
    pyproject('rules = ["my-rules"]')
    assert error_of(capsys) == (
        "pyproject.toml: tool.mllint-nan.rules: 'my-rules' is not a directory"
    )
    plant("my-rules/log-of-sin.toml", own_rule("NAN101"))
    assert "NAN101 is taken by" in error_of(capsys)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('selct = ["NAN1"]', "selct: unknown key; did you mean 'select'?"),
        ('select = "NAN1"', 'select: expects a list of strings; write select = ["NAN1"]'),
        ("select = [1]", "select: expects a list of strings"),
        ('fix = "yes"', "fix: expects true or false; write fix = true"),
        ('epsilon = "1e-6"', "epsilon: expects a number; write epsilon = 1e-6"),
        (
            'target-versions = ["torchvision>=0.5"]',
            "target-versions: 'torchvision>=0.5' is not a version of a framework; write a name",
        ),
        ('target-versions = ["torch>=new"]', "target-versions: 'torch>=new' is not a version"),
        ('target-versions = "torch>=1.7"', "target-versions: expects a list of strings"),
        ("epsilon = 0", "epsilon: 0 is not between 1e-18 and 0.01"),
        ("epsilon = true", "epsilon: expects a number"),
        ("epsilon = nan", "epsilon: nan is not between"),
        ('min-confidence = "maybe"', "min-confidence: unknown value 'maybe'; known: certain"),
        ('min-confidence = "likly"', "did you mean 'likely'?"),
        ('select = ["NAN1O1"]', "select: unknown rule 'NAN1O1'; did you mean NAN101?"),
        ('per-file-ignores = { "a" = "NAN1" }', "per-file-ignores: expects a table of lists"),
        ('per-file-ignores = { "a" = ["NOPE"] }', "per-file-ignores.\"a\": unknown rule 'NOPE'"),
        (
            'operations = { "m.f" = "softmx" }',
            "operation 'softmx'; did you mean 'softmax'?",
        ),
        ('operations = { "f" = "softmax" }', 'operations."f": is not a qualified name'),
        ('extend = "nope.toml"', "extend: "),
        ('extend = "pyproject.toml"', "extend: circular reference to pyproject.toml"),
    ],
)
def test_wrong_configuration_is_one_line(
    capsys: pytest.CaptureFixture[str], table: str, message: str
) -> None:
    plant("a.py", LOG)
    pyproject(table)
    said = error_of(capsys)
    assert said.startswith("pyproject.toml: tool.mllint-nan.") and message in said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "tool.mllint-nan = 3",
            "pyproject.toml: tool.mllint-nan: expects a table; write [tool.mllint-nan]",
        ),
        ("[tool.mllint-nan]\nfix = \n", "pyproject.toml:2:7: not valid TOML: "),
        ("[tool.mllint-nan", "pyproject.toml: not valid TOML: "),
    ],
)
def test_broken_file_is_one_line(
    capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    plant("pyproject.toml", text)
    assert error_of(capsys).startswith(message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--config", "min-confidence=likely"], "not valid TOML; for a string, write"),
        (["--config", "epsilom = 1e-6"], "--config epsilom: unknown key; did you mean 'epsilon'?"),
        (["--config", "nope.toml"], "nope.toml: cannot read: No such file or directory"),
        (["--config", "a.toml", "--config", "b.toml"], "--config takes one file"),
        (["--config", "a.toml", "--isolated"], "so --config takes none"),
    ],
)
def test_wrong_option_is_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert message in error_of(capsys, *arguments)


@pytest.mark.parametrize(
    "header", ["tool.mllint_nan", "tool.MLLint-NaN", "mllint-nan", "tool.mllintnan"]
)
def test_table_of_another_name_is_told_the_right_one(
    capsys: pytest.CaptureFixture[str], header: str
) -> None:
    plant("pyproject.toml", f"[{header}]\nselect = ['NAN1']\n")
    assert main([]) == ERROR
    told = f"pyproject.toml: unknown table [{header}]; did you mean [tool.mllint-nan]?\n"
    assert capsys.readouterr().err.endswith(told)


def test_table_in_a_file_of_its_own_is_told_that_it_needs_none(
    capsys: pytest.CaptureFixture[str],
) -> None:
    plant("mllint-nan.toml", "[tool.mllint-nan]\nselect = ['NAN1']\n")
    assert main([]) == ERROR
    told = "mllint-nan.toml: unknown table [tool]; write the keys here without [tool.mllint-nan]\n"
    assert capsys.readouterr().err.endswith(told)


def test_table_of_another_tool_is_none_of_our_business() -> None:
    plant("pyproject.toml", "[tool.mllint]\na = 1\n[project]\ndependencies = ['mllint_nan']\n")
    assert main([]) == CLEAN


@pytest.mark.parametrize("value", ["docs", "docs.example.org", "ftp://a.org", "https://", ""])
def test_handbook_is_an_address(capsys: pytest.CaptureFixture[str], value: str) -> None:
    pyproject(f'handbook = "{value}"')
    assert main([]) == ERROR
    assert "handbook: expects an address; write handbook = " in capsys.readouterr().err
    schema = json.loads(SCHEMA.read_text())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"handbook": value}, schema)
    for known in ("https://docs.example.org/nan", "http://localhost:8000/", "file:///srv/docs"):
        pyproject(f'handbook = "{known}"')
        assert main([]) == CLEAN
        jsonschema.validate({"handbook": known}, schema)


def test_broken_file_that_says_nothing_of_us_is_none_of_our_business() -> None:
    plant("pyproject.toml", "[[[")
    assert main([]) == CLEAN


def test_settings_are_shown(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    plant("src/a.py", LOG)
    pyproject('min-confidence = "possible"\nper-file-ignores = { "a.py" = ["NAN101"] }')
    assert main(["--show-settings", "src/a.py", "--unsafe-fixes"]) == CLEAN
    shown = capsys.readouterr().out.splitlines()
    assert shown[:2] == ["# settings of src/a.py", f"# from {here / 'pyproject.toml'}"]
    assert {
        'select = ["NAN"]',
        'ignore = ["NAN101"]',
        'min-confidence = "possible"',
        "unsafe-fixes = true",
        "respect-gitignore = true",
        "include-markdown = false",
    } <= set(shown)


def test_every_directory_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pyproject("")
    asked: list[str] = []
    in_directory = read.in_directory

    def counted(directory: str) -> read.Layer | None:
        asked.append(directory)
        return in_directory(directory)

    monkeypatch.setattr(read, "in_directory", counted)
    configurations = Configurations({})
    for _ in range(3):
        for path in ("a/b/c.py", "a/d.py", "a/b/e.py"):
            configurations.of_file(path)
    assert len(asked) == len(set(asked))


def test_scopes_are_a_value_for_other_processes() -> None:
    pyproject('select = ["NAN1"]')
    pyproject('per-file-ignores = { "*_gen.py" = ["NAN1"] }', "src/pyproject.toml")
    configurations = Configurations({})
    configurations.of_file("src/a.py")
    scopes = pickle.loads(pickle.dumps(configurations.scopes()))
    assert scopes.of("src/deep/a.py").settings_of("src/deep/a.py").ignore == ()
    assert "NAN101" in scopes.of("src/a.py").settings_of("src/a_gen.py").ignore
    assert scopes.of("b.py").settings.select == configurations.run.settings.select


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("a.py", "/p/x/a.py", True),
        ("a.py", "/p/x/ba.py", False),
        ("*.py", "/p/x/a.py", True),
        ("x/*.py", "/p/x/y/a.py", True),
        ("x/*.py", "/p/z/x/a.py", False),
        ("**/x/*.py", "/p/z/x/a.py", True),
        ("**/x/*.py", "/p/x/a.py", True),
        ("x/", "/p/x/y/a.py", True),
        ("x/?.py", "/p/x/ab.py", False),
        ("{x,y}/[ab].py", "/p/y/b.py", True),
        ("{x,y}/[!ab].py", "/p/y/b.py", False),
        ("x/**/a.py", "/p/x/a.py", True),
        ("./x/a.py", "/p/x/a.py", True),
        ("x.py", "/p/xapy", False),
    ],
)
def test_patterns(pattern: str, path: str, fits: bool) -> None:
    assert Globs.of([(pattern, "/p")]).matches(path) is fits


def test_folder_with_special_characters_is_taken_literally() -> None:
    assert Globs.of([("x/*.py", "/p[1]")]).matches("/p[1]/x/a.py")


def test_schema_is_current_and_knows_the_examples(is_blessing: bool) -> None:
    text = json.dumps(keys.schema(), indent=2) + "\n"
    if is_blessing:
        SCHEMA.write_text(text)
    assert SCHEMA.read_text() == text, "--bless writes it"
    validator = jsonschema.Draft7Validator(json.loads(text))
    validator.check_schema(json.loads(text))
    for key in keys.KEYS:
        table = tomli.loads(f"{key.name} = {key.example}")
        assert keys.checked(table, "") is table
        validator.validate(table)
    assert not validator.is_valid({"selct": []})
    assert not validator.is_valid({"fix": "yes"})


def test_readme_shows_a_configuration(capsys: pytest.CaptureFixture[str]) -> None:
    readme = (ROOT / "README.md").read_text()
    shown = readme.partition("## Configuration")[2].partition("```toml\n")[2].partition("```")[0]
    plant("mllint-nan.toml", shown)
    plant("my-rules/log-of-sin.toml", own_rule())
    assert main(["--show-settings"]) == CLEAN
    assert "epsilon = 1e-06" in capsys.readouterr().out


def test_readme_names_every_key() -> None:
    readme = (ROOT / "README.md").read_text()
    assert [key.name for key in keys.KEYS if f"`{key.name}`" not in readme] == []
