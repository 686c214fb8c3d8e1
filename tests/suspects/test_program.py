"""What an entry gets to: through imports, re-exports, classes, hooks and the names of methods."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from mllint_nan.suspects.program import (
    SCRIPT,
    EntryError,
    Program,
    entry_of,
    entry_of_module,
    program_from,
)


def _written(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in {"pyproject.toml": "", **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _reached(program: Program, folder: Path) -> set[str]:
    return {
        f"{Path(unit.file).relative_to(folder).as_posix()}:{unit.name}" for unit in program.reached
    }


def test_a_script_reaches_what_its_bodies_name(tmp_path: Path) -> None:
    _written(
        tmp_path,
        {
            "train.py": "from losses import dice\n\ndef main():\n    dice()\n\n"
            "def other():\n    pass\n\nif __name__ == '__main__':\n    main()\n",
            "losses.py": "def dice():\n    return helper()\n\ndef helper():\n    pass\n\n"
            "def unused():\n    pass\n\nif __name__ == '__main__':\n    unused()\n",
        },
    )
    found = _reached(program_from(entry_of(str(tmp_path / "train.py"))), tmp_path)
    assert found == {
        "train.py:",
        f"train.py:{SCRIPT}",
        "train.py:main",
        "losses.py:",
        "losses.py:dice",
        "losses.py:helper",
    }


def test_a_function_is_an_entry_of_its_own(tmp_path: Path) -> None:
    _written(tmp_path, {"a.py": "def f():\n    g()\n\ndef g():\n    pass\n\ndef h():\n    pass\n"})
    found = _reached(program_from(entry_of(f"{tmp_path / 'a.py'}::f")), tmp_path)
    assert found == {"a.py:", "a.py:f", "a.py:g"}


def test_names_are_followed_through_what_a_package_hands_on(tmp_path: Path) -> None:
    _written(
        tmp_path,
        {
            "train.py": "import lib\nfrom lib import dice as d\nd()\nlib.losses.focal()\n",
            "lib/__init__.py": "from .losses import dice\nfrom . import losses\n",
            "lib/losses.py": "def dice():\n    pass\n\ndef focal():\n    pass\n\n"
            "def other():\n    pass\n",
        },
    )
    found = _reached(program_from(entry_of(str(tmp_path / "train.py"))), tmp_path)
    assert {"lib/losses.py:dice", "lib/losses.py:focal"} <= found
    assert "lib/losses.py:other" not in found


def test_methods_are_reached_by_name_once_their_class_is(tmp_path: Path) -> None:
    _written(
        tmp_path,
        {
            "train.py": "from net import Net\nfrom torch import nn\n\n"
            "def run(model):\n    model.step()\n\nrun(Net())\n",
            "net.py": "class Net:\n    def step(self):\n        self._inner()\n\n"
            "    def _inner(self):\n        pass\n\n    def idle(self):\n        pass\n\n"
            "class Other:\n    def step(self):\n        pass\n",
        },
    )
    found = _reached(program_from(entry_of(str(tmp_path / "train.py"))), tmp_path)
    assert {"net.py:Net.step", "net.py:Net._inner"} <= found
    assert found.isdisjoint({"net.py:Net.idle", "net.py:Other", "net.py:Other.step"})


def test_a_framework_calls_the_methods_of_its_classes(tmp_path: Path) -> None:
    _written(
        tmp_path,
        {
            "train.py": "import torch\n\nclass Net(torch.nn.Module):\n"
            "    def forward(self, x):\n        return x\n\nNet()(1).backward()\n"
        },
    )
    program = program_from(entry_of(str(tmp_path / "train.py")))
    assert "train.py:Net.forward" in _reached(program, tmp_path)
    assert program.differentiates


def test_the_way_to_a_unit_is_a_shortest_one(tmp_path: Path) -> None:
    _written(tmp_path, {"a.py": "def f():\n    g()\n\ndef g():\n    pass\n\nf()\n"})
    program = program_from(entry_of(str(tmp_path / "a.py")))
    unit = next(unit for unit in program.reached if unit.name == "g")
    assert [(step.unit.name, step.row) for step in program.way(unit)] == [("", 7), ("f", 2)]


def test_tests_and_installed_packages_are_not_followed(tmp_path: Path) -> None:
    _written(
        tmp_path,
        {
            "train.py": "import tests.helpers\nimport numpy\n\nnumpy.log(tests.helpers.f())\n",
            "tests/__init__.py": "",
            "tests/helpers.py": "def f():\n    pass\n",
        },
    )
    found = _reached(program_from(entry_of(str(tmp_path / "train.py"))), tmp_path)
    assert found == {"train.py:"}


def test_a_package_is_followed_where_that_is_asked_for(tmp_path: Path) -> None:
    package = tmp_path / "site-packages" / "extra"
    _written(
        tmp_path,
        {
            "train.py": "from extra.ops import norm\nnorm()\n",
            "site-packages/extra/__init__.py": "",
            "site-packages/extra/ops.py": "import other\n\ndef norm():\n    other.f()\n",
            "site-packages/other.py": "def f():\n    pass\n",
        },
    )
    entry = entry_of(str(tmp_path / "train.py"))
    assert _reached(program_from(entry), tmp_path) == {"train.py:"}
    found = _reached(program_from(entry, [str(package)]), tmp_path)
    assert "site-packages/extra/ops.py:norm" in found
    assert "site-packages/other.py:f" not in found


def test_what_is_python_2_is_followed_as_far_as_it_can_be_read(tmp_path: Path) -> None:
    _written(tmp_path, {"a.py": "def f():\n    print 'x'\n    g()\n\ndef g():\n    pass\n\nf()\n"})
    found = _reached(program_from(entry_of(str(tmp_path / "a.py"))), tmp_path)
    assert found == {"a.py:", "a.py:f", "a.py:g"}


def test_a_module_is_an_entry_by_its_name(tmp_path: Path) -> None:
    _written(tmp_path, {"src/pkg/train.py": "pass\n", "tool/__main__.py": "pass\n"})
    assert entry_of_module("pkg.train", str(tmp_path)).file.endswith("train.py")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("missing.py", "no such file"),
        (".", "a folder is not an entry"),
        ("notes.txt", "neither a Python file"),
        ("a.py::nothing", "it does not define nothing; it defines f"),
        ("bad.ipynb", "notebook"),
    ],
)
def test_what_is_no_entry_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    _written(tmp_path, {"a.py": "def f():\n    pass\n", "notes.txt": "", "bad.ipynb": "{"})
    monkeypatch.chdir(tmp_path)
    with pytest.raises(EntryError) as caught:
        entry_of(text)
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_a_module_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(EntryError, match="no such module"):
        entry_of_module("pkg.train", str(tmp_path))
