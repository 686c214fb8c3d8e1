"""The cache: what is reported is the same with it and without, whatever changes or is damaged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from mllint_nan import project
from mllint_nan.cache import DEFAULT_DIRECTORY
from mllint_nan.cli import CLEAN, FINDINGS, main
from mllint_nan.module_resolver import ModuleResolver
from mllint_nan.training import TrainingUse
from tests.preloaded import python_with

ROOT = Path(__file__).resolve().parent.parent
HOME = Path(DEFAULT_DIRECTORY)
BAD = "import torch\n\ndef f(x):\n    return torch.log(torch.softmax(x, dim=-1))\n"
GOOD = "import torch\n\ndef f(x):\n    return torch.log_softmax(x, dim=-1)\n"
USES = "import torch\nfrom other import g\n\ndef f(x):\n    return torch.log(g(x))\n"
SOFTMAX = "import torch\n\ndef g(x):\n    return torch.softmax(x, dim=-1)\n"
ABOVE_ZERO = "import torch\n\ndef g(x):\n    return torch.softmax(x, dim=-1) + 1e-3\n"
SILENCED = BAD.replace("=-1))", "=-1))  # mllint-nan: ignore[NAN101]")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def plant(**sources: str) -> None:
    for name, source in sources.items():
        Path(f"{name}.py").write_text(source)


def run(*arguments: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [python_with("mllint_nan"), "-m", "mllint_nan", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def entries() -> list[Path]:
    return sorted(HOME.glob("entries/*/*"))


def falsify(text: str) -> None:
    """Make every entry say something else, under a digest that fits."""
    from hashlib import sha256

    for entry in entries():
        body = entry.read_bytes().partition(b"\n")[2].replace(b"NAN101", text.encode())
        entry.write_bytes(sha256(body).hexdigest().encode() + b"\n" + body)


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("form", ["full", "json", "sarif", "concise"])
def test_output_is_the_same_without_cold_and_warm(jobs: str, form: str) -> None:
    plant(**{f"bad{number}": BAD for number in range(6)}, broken="import torch\nx = (\n")
    plant(good=GOOD, uses=USES, other=SOFTMAX, plain="x = 1\n", silenced=SILENCED)
    arguments = ("--jobs", jobs, "--output-format", form, "--min-confidence", "possible")
    without = run("--no-cache", *arguments)
    assert not HOME.exists()
    cold = run(*arguments)
    assert len(entries()) == len(list(Path().glob("*.py")))
    assert without == cold == run(*arguments)
    assert without[0] == FINDINGS


def test_warm_run_reports_what_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    plant(a=BAD)
    main(["a.py"])
    falsify("NAN777")
    capsys.readouterr()
    assert main(["a.py"]) == FINDINGS
    assert "NAN777" in capsys.readouterr().out


def test_warm_run_imports_neither_parser_nor_analysis() -> None:
    plant(a=BAD, uses=USES, other=SOFTMAX)
    code = f"""if True:
        import sys
        sys.path.insert(0, {str(ROOT)!r})
        from mllint_nan.cli import main
        main(["--quiet", "--output-format", sys.argv[1]])
        heavy = ("libcst", "mllint_nan.linter", "mllint_nan.flow", "mllint_nan.domains",
            "mllint_nan.rulebook.rule", "mllint_nan.ir.term", "importlib.metadata")
        print([name for name in heavy if name in sys.modules], file=sys.stderr)
    """
    run()
    for form in ("concise", "full", "json"):
        done = subprocess.run(
            [sys.executable, "-c", code, form], capture_output=True, text=True, check=True
        )
        assert done.stderr == "[]\n"


def test_imported_file_that_changes_is_noticed() -> None:
    plant(uses=USES, other=SOFTMAX)
    assert main(["uses.py", "."]) == FINDINGS
    plant(other=ABOVE_ZERO)
    assert main(["uses.py", "."]) == CLEAN
    plant(other=SOFTMAX)
    assert main(["uses.py", "."]) == FINDINGS


def test_imported_file_that_appears_or_goes_is_noticed() -> None:
    plant(uses=USES)
    assert main(["."]) == CLEAN
    plant(other=SOFTMAX)
    assert main(["."]) == FINDINGS
    Path("other").mkdir()
    Path("other/__init__.py").write_text(ABOVE_ZERO)  # a package stands before a module
    assert main(["."]) == CLEAN
    Path("other/__init__.py").unlink()
    Path("other").rmdir()
    Path("other.py").unlink()
    assert main(["."]) == CLEAN


def test_settings_and_own_rules_are_part_of_the_question() -> None:
    plant(a=BAD)
    assert main(["a.py"]) == FINDINGS
    assert main(["--ignore", "NAN1", "a.py"]) == CLEAN


def test_own_rule_that_changes_is_noticed() -> None:
    plant(a=BAD)
    rule = (ROOT / "rules/compositions/log-of-softmax.toml").read_text()
    rule = rule.replace('"NAN101"', '"NAN199"').replace('"log-of-softmax"', '"own"')
    rule = rule.replace("overrides = [", 'overrides = ["NAN101", ')
    own = Path("rules/own.toml")
    own.parent.mkdir()
    own.write_text(rule)
    arguments = ("--config", 'rules=["rules"]', "a.py")
    assert "log of a softmax" in run(*arguments)[1]
    own.write_text(rule.replace("log of a softmax", "log of softmax"))
    for where in ((), ("--no-cache",)):
        assert "NAN199 [*] log of softmax" in run(*where, *arguments)[1]


def test_file_that_changes_is_analysed() -> None:
    plant(a=BAD)
    assert main(["a.py"]) == FINDINGS
    plant(a=GOOD)
    assert main(["a.py"]) == CLEAN


@pytest.mark.parametrize("damage", [b"", b"{}", b"\xff" * 64, b"0" * 64 + b"\n{}"])
def test_damaged_entry_is_replaced(damage: bytes) -> None:
    plant(a=BAD)
    first = run("a.py")
    (entry,) = entries()
    whole = entry.read_bytes()
    for broken in (damage, whole[:-20], whole.replace(b"NAN101", b"NAN102")):
        entry.write_bytes(broken)
        assert run("a.py") == first
        assert entry.read_bytes() == whole


def test_entry_of_another_question_is_not_trusted() -> None:
    plant(a=BAD, b=GOOD)
    assert main(["a.py"]) == FINDINGS
    (bad,) = entries()
    assert main(["b.py"]) == CLEAN
    (good,) = set(entries()) - {bad}
    good.write_bytes(bad.read_bytes())
    assert main(["b.py"]) == CLEAN


def test_runs_at_the_same_time_say_the_same() -> None:
    plant(**{f"bad{number}": BAD for number in range(12)}, uses=USES, other=SOFTMAX)
    without = run("--no-cache")
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "mllint_nan"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        for _ in range(3)
    ]
    for process in started:
        out, err = process.communicate()
        assert (process.returncode, out, err) == without
    assert run() == without


def test_directory_marks_itself_as_a_cache() -> None:
    plant(a=GOOD)
    main(["a.py"])
    assert (HOME / ".gitignore").read_text() == "*\n"
    assert (HOME / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f068")


def test_directory_with_something_else_in_it_is_left_alone() -> None:
    plant(a=BAD)
    Path("mine").mkdir()
    Path("mine/notes").write_text("")
    assert main(["--cache-dir", "mine", "a.py"]) == FINDINGS
    assert [path.name for path in Path("mine").iterdir()] == ["notes"]


def test_place_that_cannot_be_a_directory_costs_only_the_cache() -> None:
    plant(a=BAD)
    Path("file").write_text("")
    assert run("--cache-dir", "file", "a.py") == run("--no-cache", "a.py")
    assert run("--cache-dir", "file/below", "a.py") == run("--no-cache", "a.py")


def test_what_was_not_used_for_a_month_goes() -> None:
    plant(a=GOOD, b=BAD)
    main(["."])
    kept, unused = entries()
    now = time.time()
    os.utime(unused, (now - 31 * 86400,) * 2)
    main(["--ignore", "NAN", "absent.py"])
    assert entries() == [kept, unused]  # it is looked for once a day
    os.utime(HOME / "CACHEDIR.TAG", (now - 2 * 86400,) * 2)
    main(["absent.py"])
    assert entries() == [kept]


def test_use_keeps_an_entry() -> None:
    plant(a=GOOD)
    main(["a.py"])
    (entry,) = entries()
    os.utime(entry, (time.time() - 20 * 86400,) * 2)
    main(["a.py"])
    assert time.time() - entry.stat().st_mtime < 86400


def test_fixing_and_standard_input_keep_nothing() -> None:
    plant(a=BAD)
    main(["--diff", "a.py"])
    main(["--fix", "a.py"])
    main(["--explain-at", "a.py:4"])
    subprocess.run(
        [sys.executable, "-m", "mllint_nan", "-"],
        input=BAD.encode(),
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert not HOME.exists()


LOSS = "import torch\n\ndef nll(p, y):\n    return -torch.log(p)[y]\n"
CALLS = (
    "import torch\nfrom loss import nll\n\ndef f(z, y):\n    return nll(torch.softmax(z, -1), y)\n"
)
SOUND_CALLS = CALLS.replace("softmax(z, -1)", "sigmoid(z) + 0.1")


def test_caller_that_changes_comes_or_goes_is_noticed() -> None:
    plant(loss=LOSS)
    assert main(["loss.py", "."]) == CLEAN
    plant(train=CALLS)
    assert main(["loss.py", "."]) == FINDINGS
    plant(train=SOUND_CALLS)
    assert main(["loss.py", "."]) == CLEAN
    plant(train=CALLS)
    assert main(["loss.py", "."]) == FINDINGS
    Path("train.py").unlink()
    assert main(["loss.py", "."]) == CLEAN


KEEPS = (
    "import torch\n\nEPS = 1e-6\n\nclass LogLoss:\n    def __init__(self):\n"
    "        self.floor = 1e-3\n\n    def value(self, p):\n"
    "        return -torch.log(p.clamp(min=self.floor))\n\n    def given(self, p):\n"
    "        return -torch.log(p.clamp(min=EPS))\n"
)
SETS = "from loss import LogLoss\n\ndef f(p):\n    c = LogLoss()\n    c.floor = 0.0\n"
SETS_VARIABLE = "import loss\n\nloss.EPS = 0.0\n"
DERIVES = "from loss import LogLoss\n\nclass Exact(LogLoss):\n"
SETS_IN_METHOD = "    def exact(self):\n        self.floor = 0.0\n"


@pytest.mark.parametrize("sets", [SETS, SETS_VARIABLE, DERIVES + SETS_IN_METHOD])
def test_file_that_sets_what_another_keeps_is_noticed(sets: str) -> None:
    plant(loss=KEEPS, other="import torch\n")
    assert main(["loss.py", "."]) == CLEAN
    plant(train=sets)
    assert main(["loss.py", "."]) == FINDINGS
    plant(train=sets.replace("0.0", "0.5"))
    assert main(["loss.py", "."]) == CLEAN
    plant(train=sets)
    assert main(["loss.py", "."]) == FINDINGS
    plant(train=sets.replace(" = 0.0", ""))
    assert main(["loss.py", "."]) == CLEAN
    plant(train=sets)
    assert main(["loss.py", "."]) == FINDINGS
    Path("train.py").unlink()
    assert main(["loss.py", "."]) == CLEAN


def test_class_that_is_set_is_followed_through_other_files() -> None:
    plant(loss=KEEPS, names="from loss import LogLoss\n")
    plant(train=SETS.replace("from loss", "from names"))
    assert main(["loss.py", "."]) == FINDINGS
    plant(names="class LogLoss:\n    pass\n")
    assert main(["loss.py", "."]) == CLEAN
    plant(names="from loss import LogLoss\n")
    assert main(["loss.py", "."]) == FINDINGS


def test_heir_of_an_heir_that_sets_an_attribute_is_noticed() -> None:
    plant(loss=KEEPS, heir=DERIVES + "    pass\n")
    last = "from heir import Exact\n\nclass Last(Exact):\n"
    plant(train=last + SETS_IN_METHOD)
    assert main(["loss.py", "."]) == FINDINGS
    plant(train=last + SETS_IN_METHOD.replace("0.0", "0.5"))
    assert main(["loss.py", "."]) == CLEAN


def test_body_of_a_derived_class_is_noticed() -> None:
    shared = "class LogLoss:\n    floor = 1e-3\n\n    def value(self, p):\n"
    shared += "        return -torch.log(p.clamp(min=self.floor))\n"
    plant(loss=f"import torch\n\n{shared}")
    assert main(["loss.py", "."]) == CLEAN
    plant(train=DERIVES + "    floor = 0.0\n")
    assert main(["loss.py", "."]) == FINDINGS
    plant(train=DERIVES + "    floor = 0.5\n")
    assert main(["loss.py", "."]) == CLEAN


def test_what_a_caller_imports_is_noticed() -> None:
    plant(loss=LOSS, model=SOFTMAX.replace("def g", "def act"))
    caller = "import torch\nfrom loss import nll\nfrom model import act\n"
    plant(train=caller + "def f(x):\n    return nll(act(x), 0)\n")
    assert main(["loss.py", "."]) == FINDINGS
    plant(model=ABOVE_ZERO.replace("def g", "def act"))
    assert main(["loss.py", "."]) == CLEAN


def test_caller_that_comes_to_import_a_framework_is_noticed() -> None:
    plant(loss="def mean(values, mask):\n    return (values * mask).sum() / mask.sum()\n")
    called = "\n\ndef f(x, n):\n    return mean(x, x > n)\n"
    plant(train=f"from loss import mean{called}")
    assert main(["loss.py", "."]) == CLEAN
    plant(train=f"import torch\nfrom loss import mean{called}")
    assert main(["loss.py", "."]) == FINDINGS
    plant(train=f"from loss import mean{called}")
    assert main(["loss.py", "."]) == CLEAN


@dataclass
class Work:
    """What one run did, by the names of files."""

    judged: list[str]
    asked: list[str]
    """Of which it was asked anew what is trained through them."""
    output: str


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[], Work]:
    """Run over everything, at every confidence; what is kept must be what is found without it."""
    judged: list[str] = []
    asked: list[str] = []
    check, training = project.check_bytes, ModuleResolver.training

    def checked(data: bytes, path: str, request: project.Request) -> project.Checked:
        judged.append(Path(path).stem)
        return check(data, path, request)

    def trained(self: ModuleResolver, name: str) -> TrainingUse:
        asked.append(Path(self.file).stem)
        return training(self, name)

    monkeypatch.setattr(project, "check_bytes", checked)
    monkeypatch.setattr(ModuleResolver, "training", trained)
    everything = ["--jobs", "1", "--min-confidence", "possible", "--output-format", "json"]

    def done() -> Work:
        judged.clear()
        asked.clear()
        main(everything)
        did = Work(sorted(judged), sorted(set(asked)), capsys.readouterr().out)
        main(["--no-cache", *everything])
        assert did.output == capsys.readouterr().out
        return did

    return done


LENGTH = """\
import torch

def length(x, y):
    return torch.sqrt(((x - y) ** 2).sum(-1))
"""
PRINTS = "from pkg.losses import length\nprint(length(1, 2))\n"
HANDS_ON = "from pkg.losses import length\n\ndef penalty(x):\n    return length(x, 0)\n"
TRAINS = """\
from pkg.parts import penalty

def train(x):
    loss = penalty(x)
    loss.backward()
"""
ELSEWHERE = "import torch\n\ndef other(x):\n    return x + 1\n"


def planted(**sources: str) -> None:
    """A project of a package and scripts; what a name says before `_in_` is its folder."""
    Path("pyproject.toml").touch()
    Path("pkg").mkdir(exist_ok=True)
    if not Path("pkg/__init__.py").exists():
        Path("pkg/__init__.py").touch()
    for name, source in sources.items():
        Path(f"{name.replace('_in_', '/')}.py").write_text(source)


PKG = {"pkg_in_losses": LENGTH, "pkg_in_parts": HANDS_ON, "other": ELSEWHERE}


def level(output: str) -> list[str]:
    found = json.loads(output)
    rows = found["findings"] if isinstance(found, dict) else found
    return [one["confidence"] for one in rows if "losses" in json.dumps(one)]


DOES_RUN = "if __name__ == '__main__':\n    print(1)\n"


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("other.py", "from pkg.parts import penalty\nprint(penalty(1))\n"),
        ("new.py", "import pkg.parts\nprint(pkg.parts.penalty(1))\n"),
        (
            "new.py",
            "def f(module, name):\n    import pkg.losses as p\n    return getattr(p, name)\n",
        ),
        ("settings.yaml", "loss: pkg.losses.length\n"),
        ("README.md", "`length`\n"),
        ("pyproject.toml", "[project]\nname = 'pkg'\n"),
        ("run.py", "print(1)\n"),
    ],
)
def test_what_was_not_run_is_asked_again_where_something_may_run_it(
    file: str, text: str, work: Callable[[], Work]
) -> None:
    values = LENGTH.replace("torch.sqrt(((x - y) ** 2).sum(-1))", "torch.log(torch.softmax(x, -1))")
    planted(pkg_in_losses=values, pkg_in_parts=HANDS_ON, other=ELSEWHERE, run=DOES_RUN)
    assert level(work().output) == ["possible"]
    assert work().judged == []
    before = Path(file).read_text() if Path(file).exists() else None
    Path(file).write_text(text)
    assert level(work().output) == ["likely"]
    if before is not None:
        Path(file).write_text(before)
    else:
        Path(file).unlink()
    assert level(work().output) == ["possible"]


READS = "import numpy as np\n\n\ndef load():\n    return np.load('x.npy')\n"
WEIGHS = """\
import torch
from pkg.losses import length
from reading import load

model = torch.nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = load()
for _ in range(10):
    loss = (length(data, 2) * model(data)).mean()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("other.py", "from pkg.losses import length\n\n\ndef f(x):\n    return length(x, 1)\n"),
        ("new.py", "import pkg.losses as p\n\n\ndef f(x):\n    return p.length(x, 1)\n"),
        ("new.py", "def f(x):\n    x.requires_grad = True\n"),
        ("new.py", "import pkg.losses\nkept = [pkg.losses.length]\n"),
        ("reading.py", "import elsewhere\n\n\ndef load():\n    return elsewhere.load(1)\n"),
        ("train.py", WEIGHS.replace("length(data, 2)", "length(model(data), 2)")),
        ("settings.yaml", "loss: pkg.losses.length\n"),
    ],
)
def test_what_data_were_given_is_asked_again_where_something_else_is(
    file: str, text: str, work: Callable[[], Work]
) -> None:
    planted(pkg_in_losses=LENGTH, reading=READS, other=ELSEWHERE, train=WEIGHS)
    assert level(work().output) == ["possible"]
    assert work().judged == []
    before = Path(file).read_text() if Path(file).exists() else None
    Path(file).write_text(text)
    assert level(work().output) == ["likely"]
    if before is not None:
        Path(file).write_text(before)
    else:
        Path(file).unlink()
    assert level(work().output) == ["possible"]


def test_a_change_out_of_reach_asks_nothing_again(work: Callable[[], Work]) -> None:
    planted(**PKG, train=TRAINS)
    assert work().judged
    assert work().judged == []
    for source in (ELSEWHERE + "y = other(1)\n", ELSEWHERE + "import math\n", ELSEWHERE):
        planted(other=source + f"# {len(source)}\n")
        did = work()
        assert did.judged == ["other"]
        assert "losses" not in did.asked
    planted(new=ELSEWHERE)
    did = work()
    assert did.judged == ["new"]
    assert "losses" not in did.asked
    Path("new.py").unlink()
    did = work()
    assert did.judged == []
    assert did.asked == []


def test_what_is_trained_far_away_is_noticed(work: Callable[[], Work]) -> None:
    planted(**PKG, train=TRAINS)
    assert level(work().output) == ["likely"]
    planted(train=TRAINS.replace("loss.backward()", "print(loss)"))
    did = work()
    assert "losses" in did.judged
    assert level(did.output) == ["possible"]
    planted(train=TRAINS)
    did = work()
    assert "losses" in did.judged
    assert level(did.output) == ["likely"]


STEPS = """\
def train(model, x, optimizer):
    loss = model(x).mean()
    loss.backward()
    optimizer.step()
"""
UNUSED = {"pkg_in_losses": LENGTH, "other": ELSEWHERE}


def test_what_begins_and_ends_to_train_elsewhere_is_noticed(work: Callable[[], Work]) -> None:
    planted(**UNUSED, train=STEPS.replace("optimizer.step()", "print(loss)"))
    assert level(work().output) == ["likely"]
    for source, expected in ((STEPS, "possible"), (ELSEWHERE, "likely"), (STEPS, "possible")):
        planted(train=source)
        did = work()
        assert "losses" in did.judged
        assert "other" not in did.judged
        assert level(did.output) == [expected]
    Path("train.py").unlink()
    did = work()
    assert did.judged == ["losses"]
    assert level(did.output) == ["likely"]
    planted(new=STEPS)
    did = work()
    assert "losses" in did.judged
    assert "other" not in did.judged
    assert level(did.output) == ["possible"]


def test_what_trains_elsewhere_still_is_not_asked_again(work: Callable[[], Work]) -> None:
    planted(**UNUSED, train=STEPS)
    assert level(work().output) == ["possible"]
    for source in (STEPS + "y = 1\n", "import torch\n" + STEPS):
        planted(train=source)
        did = work()
        assert did.judged == ["train"]
        assert "losses" not in did.asked
    planted(more=STEPS)
    did = work()
    assert did.judged == ["more"]
    Path("train.py").unlink()
    assert level(work().output) == ["possible"]


def test_a_call_of_the_name_of_a_method_is_noticed(work: Callable[[], Work]) -> None:
    """Whose object it is of, nobody knows; it may be the one."""
    method = (
        "import torch\n\nclass Space:\n    def spread(self, x, y):\n"
        "        return torch.sqrt(((x - y) ** 2).sum(-1))\n"
    )
    makes = "from pkg.losses import Space\nspaces = [Space(), Space()]\n"
    planted(pkg_in_losses=method, makes=makes, train=STEPS, other=ELSEWHERE)
    assert level(work().output) == ["possible"]
    planted(other=STEPS.replace("model(x)", "model.spread(x, 0)"))
    did = work()
    assert "losses" in did.judged
    assert level(did.output) == ["likely"]
    planted(other=ELSEWHERE)
    did = work()
    assert "losses" in did.judged
    assert level(did.output) == ["possible"]


def test_a_second_method_of_a_name_is_noticed(work: Callable[[], Work]) -> None:
    """By a name that several have, a call does not tell which of them it is of."""
    method = (
        "import torch\n\nclass Space:\n    def spread(self, x, y):\n"
        "        return torch.sqrt(((x - y) ** 2).sum(-1))\n"
    )
    makes = "from pkg.losses import Space\nspaces = [Space(), Space()]\n"
    scores = "def score(model, x):\n    return model.spread(x, 0)\n"
    train = "from scores import score\n" + STEPS.replace("model(x)", "score(model, x)")
    planted(pkg_in_losses=method, makes=makes, scores=scores, train=train, other=ELSEWHERE)
    assert level(work().output) == ["likely"]
    second = "class Plane:\n    def spread(self, x, y):\n        return x - y\n"
    for source, expected in ((second, "possible"), (ELSEWHERE, "likely")):
        planted(other=source)
        did = work()
        assert "losses" in did.judged
        assert level(did.output) == [expected]
    planted(new=second)
    assert level(work().output) == ["possible"]
    Path("new.py").unlink()
    assert level(work().output) == ["likely"]


def test_a_file_that_comes_or_goes_where_it_trains_is_noticed(work: Callable[[], Work]) -> None:
    planted(pkg_in_losses=LENGTH, show=PRINTS, other=ELSEWHERE)
    assert level(work().output) == ["possible"]
    planted(train=TRAINS.replace("pkg.parts", "pkg.losses").replace("penalty", "length"))
    did = work()
    assert "losses" in did.judged
    assert level(did.output) == ["likely"]
    Path("train.py").unlink()
    did = work()
    assert "losses" in did.judged
    assert level(did.output) == ["possible"]


def test_a_definition_that_is_renamed_on_the_way_is_noticed(work: Callable[[], Work]) -> None:
    show = "from pkg.parts import penalty\nprint(penalty(1))\n"
    planted(**PKG, show=show, train=TRAINS.replace("penalty", "fine"))
    assert level(work().output) == ["possible"]
    planted(pkg_in_parts=HANDS_ON.replace("penalty", "fine"))
    did = work()
    assert "losses" in did.judged
    assert level(did.output) == ["likely"]
    planted(pkg_in_parts=HANDS_ON)
    assert level(work().output) == ["possible"]


def test_an_answer_that_is_the_same_again_judges_nothing(work: Callable[[], Work]) -> None:
    planted(**PKG, train=TRAINS)
    work()
    planted(train=TRAINS + "print('done')\n")
    did = work()
    assert did.judged == ["train"]
    assert "losses" in did.asked
    did = work()  # what was asked again is kept with the project as it is now
    assert did.judged == did.asked == []


def test_a_class_that_becomes_a_layer_elsewhere_is_noticed(work: Callable[[], Work]) -> None:
    net = "from pkg.base import Base\nfrom pkg.losses import length\n\nclass Net(Base):\n"
    net += "    def forward(self, x):\n        return length(x, self.c)\n"
    planted(**PKG, pkg_in_net=net, pkg_in_base="class Base:\n    pass\n")
    work()
    planted(pkg_in_base="import torch\n\nclass Base(torch.nn.Module):\n    pass\n")
    did = work()
    assert "losses" in did.asked
    assert "losses" in did.judged


def test_a_package_that_comes_is_noticed(work: Callable[[], Work]) -> None:
    planted(**PKG, train=TRAINS)
    before = level(work().output)
    Path("pkg/__init__.py").unlink()
    did = work()
    assert "losses" in did.asked or "losses" in did.judged
    planted()
    assert level(work().output) == before


def test_without_the_state_of_the_project_all_is_asked(work: Callable[[], Work]) -> None:
    planted(**PKG, train=TRAINS)
    work()
    for state in HOME.glob("projects/*"):
        state.write_text("[]")
    planted(other=ELSEWHERE + "z = 1\n")
    did = work()
    assert did.judged == ["other"]
    assert "losses" in did.asked
