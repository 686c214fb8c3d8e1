"""Which files of a project import a name, and which of them may call what another one defines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mllint_nan.importers import ImportIndex, imports_some, paths_to
from mllint_nan.module_resolver import ModuleResolver, module_resolver_of
from mllint_nan.project_files import SourceFile, status_of
from mllint_nan.words import keep_in

TEXTS = {
    "name": "from pkg.losses import dice\n",
    "name over several rows": "import os\nfrom pkg.losses import (\n    other,\n    dice,\n)\n",
    "name in a function": "def f():\n    from .losses import dice as score\n",
    "module": "from pkg import losses\nlosses.dice(1)\n",
    "package": "import pkg\npkg.losses.dice(1)\n",
    "package by another name": "import pkg as p\np.losses.dice(1)\n",
    "star": "from pkg.losses import *\ndice(1)\n",
    "star of a part": "from pkg.losses.parts import *\ndice(1)\n",
    "two in a row": "import os; import pkg\npkg.losses.dice(1)\n",
    "rows that end otherwise": "import os\r\nfrom pkg.losses import dice\r\n",
    "longer package": "import pkg_2\npkg_2.losses.dice(1)\n",
    "longer name": "from pkg.lost import dices\n",
    "other module": "from other import thing\nthing.dice(1)\n",
    "comment": "import os  # pkg losses dice\n",
    "nothing": "x = 1\n",
    "empty": "",
}


@pytest.fixture
def files(tmp_path: Path) -> list[SourceFile]:
    found = []
    for name, text in TEXTS.items():
        place = tmp_path / f"{name.replace(' ', '_')}.py"
        place.write_bytes(text.encode())
        status = status_of(str(place))
        assert status is not None
        found.append(status)
    return found


@pytest.mark.parametrize("package", ["pkg", "pkg_2", "other", "absent", "my-pkg", "p.q"])
@pytest.mark.parametrize("words", [(), ("dice",), ("losses", "dice"), ("thing", "absent")])
def test_the_index_answers_as_each_text_does(
    files: list[SourceFile], words: tuple[str, ...], package: str
) -> None:
    expected = {file for file in files if imports_some(file, words, package)}
    assert ImportIndex(files).files(words, package) == expected


def test_some_texts_import_and_some_do_not(files: list[SourceFile]) -> None:
    found = {Path(one.file).stem for one in ImportIndex(files).files(("losses", "dice"), "pkg")}
    assert {"name", "name_over_several_rows", "package", "star", "two_in_a_row"} <= found
    assert found.isdisjoint({"longer_package", "longer_name", "other_module", "comment", "empty"})


PATHS = {
    "from pkg.losses import dice\n": {"pkg.losses.dice"},
    "from pkg.losses import (  # (these)\n    other,\n    dice as score,\n)\n": {"pkg.losses.dice"},
    "from pkg.losses import other, \\\n    dice\n": {"pkg.losses.dice"},
    "def f():\n    from .losses import sorensen as dice\n": {".losses.sorensen"},
    "from . import losses\nlosses.dice(1)\n": {".losses.dice"},
    "from .. import losses as l\nscore = l . dice\n": {"..losses.dice"},
    "import pkg\npkg.losses.dice(1)\n": {"pkg.losses.dice"},
    "import pkg.losses\npkg.losses.dice(1)\n": {"pkg.losses.dice"},
    "import os; import pkg.losses as l\nl.dice(1)\n": {"pkg.losses.dice"},
    "import first as l\nimport second as l\nl.dice(1)\n": {"first.dice", "second.dice"},
    "from pkg.losses import *\n": {"pkg.losses.dice"},
    "from pkg import losses\nlosses.dices(1)\nlosses.other(1)\n": set(),
    "from pkg import losses\ndice = 1\nx.dice(1)\nlosses_2.dice(1)\n": set(),
    "# from pkg.losses import dice\n": set(),
}


@pytest.mark.parametrize("text", PATHS)
def test_paths_by_which_a_text_may_mean_a_word(text: str, tmp_path: Path) -> None:
    place = tmp_path / "text.py"
    for written in (text, text.replace("\n", "\r\n")):
        place.write_bytes(written.encode())
        status = status_of(str(place))
        assert status is not None
        assert paths_to(status, {"dice"}) == PATHS[text], written


CALLERS = {
    "train.py": "from pkg.losses import dice\ndice(1)\n",
    "pkg/__init__.py": "from pkg.losses import dice\n",
    "pkg/losses.py": "def dice(x):\n    return x\n",
    "pkg/near.py": "from pkg import losses\nlosses.dice(1)\n",
    "pkg/silent.py": "from pkg import losses\nlosses.other(1)\n",
    "pkg/unrelated.py": "dice = 1\n",
    "deep/er/far.py": "import pkg\npkg.losses.dice(1)\n",
}


@pytest.fixture
def resolver(tmp_path: Path) -> Iterator[ModuleResolver]:
    for name, text in {"pyproject.toml": "", **CALLERS}.items():
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    keep_in(None)
    yield module_resolver_of(str(tmp_path / "pkg" / "losses.py"))


def test_callers_are_the_same_whether_words_or_imports_are_indexed(
    resolver: ModuleResolver,
) -> None:
    by_imports = [caller.file for caller in resolver.callers({"dice"})]
    resolver.index()
    assert [caller.file for caller in resolver.callers({"dice"})] == by_imports
    assert [Path(file).name for file in by_imports] == ["near.py", "train.py", "far.py"]
