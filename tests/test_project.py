from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import cast

import pytest

from mllint_nan.linter import Failed, Settings, Skipped
from mllint_nan.project import (
    Checked,
    Request,
    WriteRefused,
    _tasks,
    check_bytes,
    check_file,
    check_paths,
    write_atomically,
    write_fixed,
)

REQUEST = Request(Settings())


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def plant(*paths: str) -> None:
    for path in map(Path, paths):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("import torch\n")


def test_unreadable_file_fails() -> None:
    Path("itself.py").symlink_to("itself.py")
    outcome = check_file("itself.py", REQUEST).outcome
    assert isinstance(outcome, Failed)
    assert outcome.reason.startswith("cannot read: ")
    assert not outcome.traceback


def test_internal_error_is_one_line_with_its_traceback() -> None:
    outcome = check_bytes(cast(bytes, None), "a.py", REQUEST).outcome
    assert isinstance(outcome, Failed)
    assert outcome.reason.startswith("internal error: ")
    assert "\n" not in outcome.reason
    assert "check_bytes" in outcome.traceback


def skip_or_die(path: str, request: Request) -> Checked:
    if path.startswith("killer"):
        os._exit(1)
    return Checked(path, Skipped("for the test"))


def test_results_keep_the_order_of_the_files() -> None:
    paths = [f"{number}.py" for number in range(100)]
    sequential = list(check_paths(paths, REQUEST, 1, skip_or_die))
    assert list(check_paths(paths, REQUEST, 3, skip_or_die)) == sequential
    assert [checked.path for checked in sequential] == paths


def test_large_files_share_a_task_with_fewer() -> None:
    paths = [f"{number}.py" for number in range(12)]
    for path in paths:
        Path(path).write_bytes(b"#" * (1000 if path in ("2.py", "3.py") else 10))
    tasks = _tasks(paths, 4)
    assert [path for task in tasks for path in task] == paths
    assert max(map(len, tasks)) == 4
    assert not any({"2.py", "3.py"} <= set(task) for task in tasks)


def test_death_of_a_worker_costs_one_file() -> None:
    paths = [f"{number}.py" for number in range(100)]
    paths[3] = paths[4] = paths[60] = "killer.py"
    checked = list(check_paths(paths, REQUEST, 2, skip_or_die))
    assert [one.path for one in checked] == paths
    failed = [number for number, one in enumerate(checked) if isinstance(one.outcome, Failed)]
    assert failed == [3, 4, 60]


def test_abandoned_run_ends() -> None:
    results = iter(check_paths([f"{n}.py" for n in range(100)], REQUEST, 2, skip_or_die))
    next(results)
    results.close()  # type: ignore[attr-defined]


@pytest.mark.posix
def test_writing_keeps_mode_and_link(here: Path) -> None:
    Path("real.py").write_bytes(b"old")
    Path("real.py").chmod(0o640)
    Path("link.py").symlink_to("real.py")
    write_atomically("link.py", b"new", original=b"old")
    assert Path("link.py").is_symlink()
    assert Path("real.py").read_bytes() == b"new"
    assert stat.S_IMODE(Path("real.py").stat().st_mode) == 0o640
    assert sorted(os.listdir(here)) == ["link.py", "real.py"]


def test_writing_refuses_what_changed_meanwhile(here: Path) -> None:
    Path("a.py").write_bytes(b"edited by hand")
    with pytest.raises(WriteRefused, match="changed on disk"):
        write_atomically("a.py", b"new", original=b"old")
    assert Path("a.py").read_bytes() == b"edited by hand"
    assert os.listdir(here) == ["a.py"]


@pytest.mark.posix
def test_writing_refuses_what_is_no_regular_file() -> None:
    os.mkfifo("a.py")
    with pytest.raises(WriteRefused, match="not a regular file"):
        write_atomically("a.py", b"new", original=b"old")


def test_fix_that_cannot_be_written_counts_for_nothing() -> None:
    checked = Checked("gone.py", Skipped("for the test"), (), b"old", b"new")
    assert write_fixed(checked) == Checked(
        "gone.py", Failed("cannot write: No such file or directory; check the path")
    )


HELPER = "import torch\n\ndef distance(a, b):\n    return torch.sqrt(((a - b) ** 2).sum(-1))\n"


@pytest.mark.parametrize("others", [(), ("__init__.py",)])
@pytest.mark.parametrize("head", ["", "from . import shapes\n"])
def test_a_package_is_no_reason(tmp_path: Path, others: tuple[str, ...], head: str) -> None:
    for other in others:
        (tmp_path / other).touch()
    path = tmp_path / "shapes.py"
    path.write_text(head + HELPER)
    checked = check_file(str(path), REQUEST)
    assert [finding.code for finding in checked.findings] == ["NAN203"]


ACTIVATIONS = "import torch\n\ndef probabilities(x):\n    return torch.softmax(x, dim=-1)\n"
LOSS = """\
import torch
from {} import probabilities

def loss(x):
    return torch.log(probabilities(x))
"""


@pytest.mark.parametrize(
    ("definition", "user", "module", "roots"),
    [
        ("pkg/a.py", "pkg/loss.py", ".a", ()),
        ("pkg/a.py", "pkg/loss.py", "pkg.a", ()),
        ("pkg/sub/a.py", "pkg/loss.py", ".sub.a", ()),
        ("pkg/a.py", "pkg/sub/loss.py", "..a", ()),
        ("pkg/a.py", "app/loss.py", "pkg.a", (".",)),
        ("src/pkg/a.py", "app/loss.py", "pkg.a", (".",)),
        ("space/a.py", "script.py", "space.a", (".",)),
        ("a.py", "script.py", "a", ()),
    ],
)
def test_imported_function_is_found(
    definition: str, user: str, module: str, roots: tuple[str, ...]
) -> None:
    home = "src/pkg" if definition.startswith("src") else "pkg"
    plant(f"{home}/__init__.py", f"{home}/sub/__init__.py", definition, user)
    Path(definition).write_text(ACTIVATIONS)
    Path(user).write_text(LOSS.format(module))
    checked = check_file(user, Request(Settings(), roots=roots))
    assert [finding.code for finding in checked.findings] == ["NAN101"]


@pytest.mark.parametrize("module", ["pkg.a", ".a", "..a", "....a", "b", "pkg.sub.a"])
def test_module_that_is_not_there_is_unknown(module: str) -> None:
    plant("pkg/__init__.py", "pkg/b.py", "pkg/loss.py")
    Path("pkg/loss.py").write_text(LOSS.format(module))
    assert check_file("pkg/loss.py", REQUEST).findings == ()


def test_text_without_a_file_has_no_neighbours() -> None:
    Path("a.py").write_text(ACTIVATIONS)
    assert check_bytes(LOSS.format("a").encode(), "script.py", REQUEST).findings == ()


def test_neighbour_is_read_again_when_it_has_changed() -> None:
    Path("a.py").write_text(ACTIVATIONS)
    Path("script.py").write_text(LOSS.format("a"))
    assert check_file("script.py", REQUEST).findings
    Path("a.py").write_text(ACTIVATIONS.replace("torch.softmax(x, dim=-1)", "x.square() + 1.0"))
    assert check_file("script.py", REQUEST).findings == ()


def test_neighbour_is_never_executed() -> None:
    Path("a.py").write_text(f"{ACTIVATIONS}\nopen('executed', 'w')\nraise SystemExit\n")
    Path("script.py").write_text(LOSS.format("a"))
    assert check_file("script.py", REQUEST).findings
    assert not Path("executed").exists()


def test_finding_stands_in_the_file_that_is_linted() -> None:
    Path("a.py").write_text(
        "import torch\n\ndef logged(x):\n    return torch.log(torch.softmax(x, dim=-1))\n"
    )
    Path("script.py").write_text(
        "import torch\nfrom a import logged\n\ny = logged(torch.ones(3))\n"
    )
    assert check_file("script.py", REQUEST).findings == ()
    assert [finding.start.row for finding in check_file("a.py", REQUEST).findings] == [4]
