"""What of a project its programs run, as far as names tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import Settings
from mllint_nan.module_resolver import module_resolver_of
from mllint_nan.project import Request, check_file
from mllint_nan.tracing import trace_row

LOSSES = """\
import torch


def kept(x):
    return x.mean()


def dice(x):
    return torch.log(torch.softmax(x, -1)).mean()


def deeper(x):
    return dice(x)


class Soft(torch.nn.Module):
    def forward(self, x):
        return torch.log(torch.softmax(x, -1)).mean()

    def sharper(self, x):
        return torch.log(torch.softmax(2 * x, -1)).mean()
"""
TRAIN = """\
import losses


def main(x, optimizer):
    loss = losses.kept(x)
    loss.backward()
    optimizer.step()


if __name__ == "__main__":
    main(None, None)
"""
EVERYTHING = Request(Settings(min_confidence=Confidence.POSSIBLE))


def project(folder: Path, **files: str) -> Path:
    """The module of losses, beside other files; `__` is a dot, `_in_` a folder."""
    (folder / ".git").mkdir(exist_ok=True)
    for name, text in {"losses__py": LOSSES, "train__py": TRAIN, **files}.items():
        path = folder / name.replace("_in_", "/").replace("__", ".").replace("INIT", "__init__")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "losses.py"


def looked_for(module: Path, name: str) -> str:
    return module_resolver_of(str(module)).unrun(name).name


NOT_RUN: dict[str, dict[str, str]] = {
    "named nowhere": {},
    "imported, and not used": {"other__py": "from losses import dice\n"},
    "handed on, and not used": {
        "all_in_init__py": "from losses import *\nfrom losses import dice\n"
    },
    "in a comment": {"other__py": "# dice(x)\nx = 1  # or dice(x)\n"},
    "in a message": {
        "other__py": "print('Starting dice loss')\nif x:\n    raise ValueError('no dice here')\n"
    },
    "in a docstring": {"other__py": '"""Like dice."""\n\n\ndef f():\n    """Calls dice."""\n'},
    "by what nothing runs": {"other__py": "import losses\ndef f(x):\n    return losses.dice(x)\n"},
    "by what names itself": {
        "other__py": "import losses\ndef f(x):\n    return g(losses.dice(x))\n"
        "def g(x):\n    return f(x)\n"
    },
    "by a class that nothing makes": {
        "other__py": "import losses\nclass Net:\n    def forward(self, x):\n"
        "        return losses.dice(x)\n"
    },
    "another one of the name": {
        "other__py": "from more import dice\ndice(1)\n",
        "more__py": "def dice(x):\n    return x\n",
    },
    "one of a library": {"other__py": "import torch\ntorch.dice(1)\n"},
    "one of the module's own": {"other__py": "def dice(x):\n    return x\ndice(1)\n"},
    "where names of a library are looked up": {
        "other__py": "import torch\ndef f(name):\n    return getattr(torch, name)\n"
    },
    "where names of another library are looked up": {
        "other__py": "import others\ndef f(name):\n    return getattr(others, name)\n"
    },
    "where names of a compiled module are looked up": {
        "ext_in_INIT__py": "",
        "other__py": "from ext._bits import lib\ndef f(name):\n    return getattr(lib, name)\n",
    },
    "where names of another module are looked up": {
        "other__py": "import more\ndef f(name):\n    return getattr(more, name)\n",
        "more__py": "from torch import *\n",
    },
    "where its names alone are listed": {
        "losses__py": LOSSES + "\n__all__ = [name for name in globals().keys()]\n"
    },
    "where no module is installed": {"pyproject__toml": "[tool.black]\nline-length = 100\n"},
    "where packages are installed": {"setup__py": "setup(packages=find_packages())\n"},
}
PYTHON_2 = LOSSES + "\n\ndef shown(x):\n    print 'loss', kept(x)\n"
EXECUTES = LOSSES + "\n\ndef load(kind):\n    own = {{}}\n    exec({!r} % kind, own)\n"
NOT_RUN["where a text is run in a namespace of its own"] = {
    "losses__py": EXECUTES.format("from conf_%s import settings")
}
NOT_RUN["in Python 2"] = {"losses__py": PYTHON_2}
NOT_RUN["by what nothing runs in Python 2"] = {
    "losses__py": PYTHON_2,
    "other__py": "import losses\ndef f(x):\n    print losses.dice(x)\n",
}
RUN: dict[str, dict[str, str]] = {
    "as the cause of an error": {
        "other__py": "import losses\nif x:\n    raise ValueError('no loss') from losses.dice(x)\n"
    },
    "as an argument of an error": {
        "other__py": "import losses\nif x:\n    raise Told('no loss', found=losses.dice)\n"
    },
    "looked up for an error": {
        "other__py": "import losses\nif x:\n    raise getattr(losses, name)('no loss here')\n"
    },
    "where a text imports what it is told": {
        "losses__py": EXECUTES.format("from losses import kept, %s")
    },
    "where a text is run in the namespace of the module": {
        "losses__py": EXECUTES.format("loss = %s").replace(", own)", ", None)")
    },
    "by a program of Python 2": {
        "losses__py": PYTHON_2,
        "eval__py": "import losses\nprint losses.dice(1)\n",
    },
    "perhaps by what cannot be read": {
        "other__py": "import losses\ndef f(x):\n    y = losses.dice(x) +\n    return y\n"
    },
    "by a program": {"eval__py": "from losses import dice\nprint(dice(1))\n"},
    "by another name": {"eval__py": "from losses import dice as d\nprint(d(1))\n"},
    "with all others": {"eval__py": "from losses import *\nprint(dice(1))\n"},
    "by a module": {"eval__py": "import losses as L\nL.dice(1)\n"},
    "in a folder of its own": {"eval__py": "from project.losses import dice\ndice(1)\n"},
    "kept in a variable": {
        "eval__py": "import losses\nfunction = losses.dice\n",
    },
    "by what a program calls": {
        "eval__py": "from other import f\nf(1)\n",
        "other__py": "import losses\ndef f(x):\n    return losses.dice(x)\n",
    },
    "by a class that is made": {
        "other__py": "import losses\nclass Net:\n    def __call__(self, x):\n"
        "        return losses.dice(x)\nNet()(1)\n"
    },
    "in a text": {"eval__py": "import losses\ngetattr(losses, 'dice')(1)\n"},
    "in a setting": {"conf_in_loss__yaml": "loss:\n  _target_: losses.dice\n"},
    "in a document": {"README__md": "`from losses import dice`\n"},
    "by a test": {"test_losses__py": "from losses import dice\ndef test():\n    dice(1)\n"},
    "by a notebook": {
        "look__ipynb": '{"cells": [{"cell_type": "code", "source": ["from losses import dice\\n", '
        '"dice(1)"], "metadata": {}, "outputs": [], "execution_count": null}], "metadata": {}, '
        '"nbformat": 4, "nbformat_minor": 5}'
    },
    "where names of the module are looked up": {
        "eval__py": "import losses\ndef f(name):\n    return getattr(losses, name)\n"
    },
    "where names are looked up in its namespace": {"losses__py": LOSSES + "\nALL = globals()\n"},
    "where names of a module that hands it on are looked up": {
        "other__py": "import more\ndef f(name):\n    return getattr(more, name)\n",
        "more__py": "from losses import *\n",
    },
    "where all names are looked up": {
        "eval__py": "from losses import *\ndef f(name):\n    return globals()[name](1)\n"
    },
    "where a module is imported by a name": {
        "eval__py": "import importlib\ndef f(name, loss):\n"
        "    return getattr(importlib.import_module(name), loss)\n"
    },
    "listed for others": {"losses__py": LOSSES + "\n__all__ = ['dice']\n"},
    "kept by a decorator": {
        "losses__py": LOSSES.replace("def dice", "@register\ndef dice").replace(
            "import torch\n", "import torch\nfrom registry import register\n"
        )
    },
    "where modules are installed": {"setup__py": "setup(py_modules=['losses'])\n"},
    "where nothing is a program": {"train__py": "import losses\ndef f(x):\n    losses.kept(x)\n"},
    "where a program only has functions": {"train__py": TRAIN.partition("if __name__")[0]},
}


@pytest.mark.parametrize("files", NOT_RUN.values(), ids=NOT_RUN)
def test_a_function_to_which_no_name_leads_is_not_run(
    files: dict[str, str], tmp_path: Path
) -> None:
    assert looked_for(project(tmp_path, **files), "dice") == "dice"


@pytest.mark.parametrize("files", RUN.values(), ids=RUN)
def test_a_function_to_which_a_name_may_lead_is_run(files: dict[str, str], tmp_path: Path) -> None:
    assert looked_for(project(tmp_path, **files), "dice") == ""


def test_a_method_is_run_if_its_class_is_made_and_something_calls_it(tmp_path: Path) -> None:
    module = project(tmp_path)
    assert looked_for(module, "Soft.forward") == "Soft"
    module = project(tmp_path, eval__py="from losses import Soft\nSoft()(1)\n")
    assert looked_for(module, "Soft.forward") == ""
    assert looked_for(module, "Soft.sharper") == "sharper"
    module = project(tmp_path, eval__py="from losses import Soft\nSoft().sharper(1)\n")
    assert looked_for(module, "Soft.sharper") == ""


MADE = "from losses import Soft\nSoft()(1)\n"


@pytest.mark.parametrize(
    ("lookup", "expected"),
    [
        ("getattr(losses, name)", ""),
        ("getattr(thing, name)", ""),
        ("getattr(thing, 'sharp' + name)", ""),
        ("getattr(thing, f'{name}per')", ""),
        ("getattr(thing, 'sharp%s' % name)", ""),
        ("getattr(thing, 'soft' + name)", "sharper"),
        ("getattr(thing, f'on_{name}')", "sharper"),
        ("getattr(thing, 'layer%d' % name)", "sharper"),
        ("[getattr(thing, x) for x in thing.__slots__]", "sharper"),
        ("{x: getattr(thing, x) for x in vars(thing)}", "sharper"),
        ("{x: getattr(thing, x) for x, _ in thing.__dict__.items()}", "sharper"),
        ("[getattr(thing, y) for x, y in thing.__dict__.items()]", ""),
        ("[getattr(thing, x) for x in dir(thing)]", ""),
    ],
)
def test_a_method_may_be_looked_up_by_any_name_that_fits(
    lookup: str, expected: str, tmp_path: Path
) -> None:
    more = f"import losses\n\n\ndef f(thing, name):\n    return {lookup}\n"
    module = project(tmp_path, eval__py=MADE, more__py=more)
    assert looked_for(module, "Soft.sharper") == expected


@pytest.mark.parametrize(
    ("classes", "expected"),
    [
        ("class Other:\n", "sharper"),
        ("class Softer(losses.Soft):\n", ""),
        ("class Other:\n    pass\n\n\nclass Both(Other, losses.Soft):\n", ""),
    ],
)
def test_an_object_looks_up_what_is_its_own(classes: str, expected: str, tmp_path: Path) -> None:
    finds = "    def find(self, name):\n        return getattr(self, name)\n"
    more = f"import losses\n\n\n{classes}{finds}"
    module = project(tmp_path, eval__py=MADE, more__py=more)
    assert looked_for(module, "Soft.sharper") == expected


def test_a_subclass_has_what_its_bases_look_up(tmp_path: Path) -> None:
    base = "class Base(torch.nn.Module):\n    def find(self, name):\n"
    base += "        return getattr(self, name)\n\n\nclass Soft(Base)"
    text = LOSSES.replace("class Soft(torch.nn.Module)", base)
    assert looked_for(project(tmp_path, losses__py=text, eval__py=MADE), "Soft.sharper") == ""


@pytest.mark.parametrize("base", ["gym.Env", "torch.nn.Module, metaclass=Kept"])
def test_a_class_that_may_be_kept_where_it_is_made_is_run(base: str, tmp_path: Path) -> None:
    text = LOSSES.replace("import torch\n", "import gym\nimport torch\nfrom kept import Kept\n")
    module = project(tmp_path, losses__py=text.replace("torch.nn.Module", base))
    assert looked_for(module, "Soft.forward") == ""


def test_a_base_that_is_not_in_sight_may_call_any_method(tmp_path: Path) -> None:
    text = LOSSES.replace("import torch\n", "import torch\nimport gym\n")
    made = "from losses import Soft\nSoft()(1)\n"
    module = project(tmp_path, losses__py=text.replace("torch.nn.Module", "gym.Env"), eval__py=made)
    assert looked_for(module, "Soft.sharper") == ""


@pytest.mark.parametrize(
    ("place", "setup", "name", "expected"),
    [
        ("pkg", "setup.py", "dice", ""),
        ("pkg", "setup.py", "_dice", "_dice"),
        ("scripts", "setup.py", "dice", "dice"),
        ("pkg", "", "dice", "dice"),
        ("scripts", "pyproject.toml", "dice", ""),
    ],
)
def test_what_is_installed_is_for_callers_out_of_sight(
    place: str, setup: str, name: str, expected: str, tmp_path: Path
) -> None:
    project(tmp_path)
    module = tmp_path / place / "more.py"
    module.parent.mkdir()
    module.write_text(f"def {name}(x):\n    return x\n")
    if place == "pkg":
        (module.parent / "__init__.py").touch()
    if setup:
        (tmp_path / setup).write_text("[project]\nname = 'p'\n# packages\n")
    assert looked_for(module, name) == expected


PROGRAM = {
    "setup__py": "setup(packages=find_packages())\n",
    "pkg_in_parts__py": "def dice(x):\n    return x\n",
    "pkg_in_main__py": "import pkg.parts\nif __name__ == '__main__':\n    print(1)\n",
    "README__md": "    python3 -u pkg/main.py --epochs 8\n",
}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, "dice"),
        ({"README__md": "`python -m pkg.main`, after `python setup.py install`\n"}, "dice"),
        ({"tests_in_test_parts__py": "import pkg\n"}, "dice"),
        ({"README__md": "Start with `train.py`.\n"}, ""),
        ({"INSTALL__rst": "pip install -U pkg\n"}, ""),
        ({"INSTALL__rst": "pip install git+https://host/pkg\n"}, ""),
        ({"USE__md": "    from pkg.parts import dice\n"}, ""),
        ({"USE__md": "    import pkg\n"}, ""),
        ({"examples_in_use__py": "import pkg\n"}, ""),
    ],
)
def test_an_installed_package_may_be_there_to_be_run(
    files: dict[str, str], expected: str, tmp_path: Path
) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").touch()
    project(tmp_path, **{**PROGRAM, **files})
    assert looked_for(tmp_path / "pkg" / "parts.py", "dice") == expected


def test_a_script_in_the_package_of_a_module_is_a_part_of_what_others_import(
    tmp_path: Path,
) -> None:
    for name in ("pkg", "pkg/deep"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
    (tmp_path / ".git").mkdir()
    module = tmp_path / "pkg" / "deep" / "parts.py"
    module.write_text("def dice(x):\n    return x\n")
    run = "if __name__ == '__main__':\n    print(1)\n"
    (tmp_path / "pkg" / "main.py").write_text(run)
    assert looked_for(module, "dice") == ""
    (tmp_path / "main.py").write_text(run)
    assert looked_for(module, "dice") == "dice"


LIBRARY = {
    "pyproject__toml": "[project]\nname = 'pkg'\n",
    "pkg_in_losses__py": LOSSES,
    "pkg_in_net__py": "from pkg.losses import kept\n\n\nclass Net:\n    def loss(self, x):\n"
    "        return kept(x)\n",
}


def of_library(folder: Path, exports: str = "from pkg.net import Net\n", **files: str) -> str:
    """What was searched for in vain in a library of which no program is visible."""
    (folder / "pkg").mkdir()
    (folder / "pkg" / "__init__.py").write_text(exports)
    project(folder, **{**LIBRARY, **files})
    for name in ("losses.py", "train.py"):
        (folder / name).unlink()
    return looked_for(folder / "pkg" / "losses.py", "dice")


def test_a_library_has_parts_that_nothing_picks(tmp_path: Path) -> None:
    assert of_library(tmp_path) == "dice"
    module = tmp_path / "pkg" / "losses.py"
    assert looked_for(module, "kept") == ""
    assert looked_for(module, "Soft.forward") == "Soft"
    settings = Settings(project=module_resolver_of(str(module)))
    [trace, *_] = trace_row(module.read_bytes(), str(module), 9, settings)
    assert trace.training == (
        "net.py imports other parts of this module, and nothing this: "
        "dice was searched for in its code, settings and documents"
    )


PICKED = {
    "by a package": {"exports": "from pkg.losses import dice\n"},
    "with all others": {"exports": "from .losses import *\n"},
    "with its module": {"exports": "from pkg import losses\n"},
    "by another module": {"pkg_in_more__py": "from .losses import dice\n"},
    "by a test": {"tests_in_test_losses__py": "from pkg.losses import dice\n"},
    "by a document": {"README__md": "Use `dice`.\n"},
    "by a string": {"pkg_in_more__py": "x = ['dice']\n"},
    "if nothing else is, either": {"pkg_in_net__py": ""},
    "if another one is that is not its own": {"pkg_in_net__py": "from pkg.losses import other\n"},
    "by a part that is": {
        "pkg_in_losses__py": LOSSES.replace("return x.mean()", "return dice(x)"),
    },
}


@pytest.mark.parametrize("case", PICKED)
def test_a_part_of_a_library_may_be_used_out_of_sight(case: str, tmp_path: Path) -> None:
    assert of_library(tmp_path, **PICKED[case]) == ""


def test_a_class_that_names_itself_is_not_run_for_that(tmp_path: Path) -> None:
    soft = "class Soft(torch.nn.Module):\n"
    own = soft + "    def __init__(self):\n        super(Soft, self).__init__()\n\n"
    module = project(tmp_path, losses__py=LOSSES.replace(soft, own))
    assert looked_for(module, "Soft.forward") == "Soft"


def test_what_is_not_run_is_no_more_than_possible_and_says_why(tmp_path: Path) -> None:
    module = project(tmp_path)
    found = {one.start.row: one for one in check_file(str(module), EVERYTHING).findings}
    assert [one.confidence for one in found.values()] == [Confidence.POSSIBLE] * 3
    assert found[9].reason == "no visible code of this project runs it"
    settings = Settings(project=module_resolver_of(str(module)))
    [trace, *_] = trace_row(module.read_bytes(), str(module), 9, settings)
    assert trace.training == (
        "train.py runs this project, but nothing that it runs refers to this code: "
        "dice was searched for in its code, settings and documents"
    )
    module = project(tmp_path, eval__py="from losses import *\ndice(1)\nSoft()(1)\n")
    rows = [one.start.row for one in check_file(str(module), Request(Settings())).findings]
    assert rows == [9, 18]
