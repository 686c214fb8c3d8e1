"""When Python searches for cycles, and that an analysis leaves it hardly any."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from mllint_nan.cli import main
from mllint_nan.flow.state import Scope
from mllint_nan.garbage_collection import paused
from mllint_nan.linter import check_text
from mllint_nan.project import Request, check_paths
from mllint_nan.settings import Settings


@pytest.fixture(scope="module", autouse=True)
def _only_what_is_new() -> None:
    """What other tests left is not searched again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    gc.enable()


def test_search_is_paused_and_goes_on() -> None:
    with paused():
        assert not gc.isenabled()
        with paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_search_that_was_off_stays_off() -> None:
    gc.disable()
    with pytest.raises(ValueError, match="inside"), paused():
        raise ValueError("inside")
    assert not gc.isenabled()


def test_search_comes_when_much_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all around it is paused too, as in the command."""
    monkeypatch.setattr("mllint_nan.garbage_collection._UNSEARCHED_MOST", 1000)
    with paused():
        gc.collect()
        with paused():
            for _ in range(5000):
                circle: list[object] = []
                circle.append(circle)
        assert gc.collect() < 1000


@pytest.mark.parametrize(
    "text",
    [
        """
        class Base(nn.Module):
            def __init__(self, eps=1e-6):
                super().__init__()
                self.eps, self.act = eps, nn.Softmax(-1)

        class Net(Base):
            def __init__(self):
                super().__init__()
                self.inner = Base()

            def forward(self, x):
                return self.act(self.inner(x)) / self.eps
        """,
        """
        def f(x, y=1):
            for i in range(3):
                x = x / y if i else g(x)
            return x

        def g(x):
            while x:
                try:
                    x = f(x - 1)
                finally:
                    x += 1
            return x
        """,
        """
        def f(x, n):
            def inner(y):
                return y / x

            return inner(n) if n else inner
        """,
        """
        def f(x):
            with torch.no_grad():
                print(torch.log(torch.softmax(x, -1)), (x / x.std()).max())
        """,
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.act = self.positive

            def positive(self, x):
                return self.act(x)
        """,
    ],
    ids=[
        "classes",
        "functions",
        "functions returned",
        "no more than possible",
        "methods in attributes",
    ],
)
def test_an_analysis_leaves_no_circle(text: str) -> None:
    program = f"import torch\nfrom torch import nn\n{dedent(text)}"
    check_text(program, "a.py", Settings())  # what is kept for good
    gc.collect()
    gc.disable()
    check_text(program, "a.py", Settings())
    assert gc.collect() == 0


CALLED = """
import torch

class Loss:
    def __init__(self, floor=0.0):
        self.floor = floor

    def __call__(self, p):
        return self.floor - torch.log(torch.softmax(p, -1))
"""
CALLS = """
from losses import Loss

class Trainer:
    def __init__(self, model):
        self.model, self.loss = model, Loss()

    def idle(self):
        return self.model

    def step(self, x):
        self.loss(self.model(x)).mean().backward()
"""
NAMES_ANOTHER = """
from elsewhere import Loss

def made():
    return Loss()
"""


def test_a_project_leaves_no_analysis(tmp_path: Path) -> None:
    """Neither of a file, nor of those that call what it defines, or only seem to."""
    for name, text in {"losses": CALLED, "train": CALLS, "other": NAMES_ANOTHER}.items():
        (tmp_path / f"{name}.py").write_text(text)
    (tmp_path / "pyproject.toml").write_text("")
    gc.collect()
    gc.disable()
    before = {id(one): one for one in gc.get_objects() if isinstance(one, Scope)}
    paths = [str(path) for path in sorted(tmp_path.glob("*.py"))]
    found = [one.findings for one in check_paths(paths, Request(Settings()))]
    assert any(found)
    after = (one for one in gc.get_objects() if isinstance(one, Scope))
    assert not [one for one in after if id(one) not in before]


@pytest.mark.parametrize("is_last", [False, True])
def test_only_the_end_of_a_process_spares_the_search(
    is_last: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = gc.get_freeze_count()
    monkeypatch.setattr("sys.argv", ["mllint-nan", "--list-rules"])
    main() if is_last else main(["--list-rules"])
    assert capsys.readouterr().out
    assert (gc.get_freeze_count() > before) is is_last
