"""Which files may set an attribute to a number, told by their words."""

from __future__ import annotations

from pathlib import Path

import pytest

from mllint_nan.attribute_names import sets_anywhere, sets_number
from mllint_nan.project_files import status_of

_NUMBERS = (
    "loss.eps = 0.0\n",
    "loss.eps = -1\n",
    "loss.eps: float = .5\n",
    "loss.eps = (0.0)\n",
    "loss.eps = \\\n    0.0\n",
    "if c: loss.eps = 0.0\n",
    "other = loss.eps = 0.0\n",
    "loss.eps = other = 0.0\n",
    "class Loss(Base):\n    eps = 0.0\n",
    "class Loss(Base):\n    eps: float = 0.0  # off\n",
    "class Loss(Base): eps = 0.0\n",
    "class Loss(Base):\n    def f(self):\n        eps = 1\n    eps = 0.0\n",
    "EPS = 0.0\nloss.eps = EPS\n",
    "A = 0.0\nB = A\nloss.eps = B  # off\n",
    "EPS = 0.0\nloss.eps = -EPS\n",
    "setattr(loss, 'eps', 0.0)\n",
    'setattr(find(loss, 1), "eps", 0.0)\n',
)
_OTHERS = (
    "loss.eps = eps\n",
    "loss.eps = args.eps\n",
    "loss.eps = args.eps or 0.0\n",
    "loss.eps = float(text)\n",
    "loss.epsilon = 0.0\n",
    "def f(\n    eps=0.0,  # off\n):\n    loss.eps = eps\n",
    "def f(loss, eps=0.0):\n    loss.eps = eps\n",
    "if loss.eps == 0.0: pass\n",
    "loss.eps += 0.0\n",
    "setattr(loss, name, eps)\n",
    "eps = 0.0\n",
    "def f():\n    eps = 0.0\n",
    "class Loss(Base):\n    def f(self):\n        eps = 0.0\n",
    "A = B\nB = A\nloss.eps = A\n",
)
_OF_CLASSES = (
    ("class Loss(Base):\n    eps = 0.0\n", ("Loss",)),
    ("class Loss(Base):\n    def f(self):\n        pass\n\n    eps = 0.0\n", ("Loss",)),
    ("class A:\n    eps = 0.0\n\n\nclass Loss(A):\n    eps = 1\n", ("A", "Loss")),
    ("class Loss(Base): eps = 0.0\n", ("A", "Loss", "Other")),
    ("class Loss(Base):\n    def f(self):\n        self.eps = 0.0\n", ("A", "Loss", "Other")),
    ("from a import Other as Base\nclass Loss(Base):\n    eps = 0.0\n", ("Loss", "Other")),
)


@pytest.mark.parametrize(
    ("text", "expected"), [*((one, True) for one in _NUMBERS), *((one, False) for one in _OTHERS)]
)
def test_a_number_is_seen_where_an_attribute_is_set(
    tmp_path: Path, text: str, expected: bool
) -> None:
    path = tmp_path / "given.py"
    path.write_text(text, encoding="utf-8")
    file = status_of(str(path))
    assert file is not None
    assert sets_number(file, "eps") is expected


@pytest.mark.parametrize(("text", "owners"), _OF_CLASSES)
def test_body_of_a_class_counts_only_for_the_class(
    tmp_path: Path, text: str, owners: tuple[str, ...]
) -> None:
    path = tmp_path / "given.py"
    path.write_text(text, encoding="utf-8")
    file = status_of(str(path))
    assert file is not None
    for name in ("A", "Loss", "Other"):
        assert sets_number(file, "eps", (name,)) is (name in owners)
    assert not sets_number(file, "eps", ("Loss",), but="Loss") or "Other" in owners


_SET_ANYWHERE = (
    "self.eps = f(x)\n",
    "self.eps: float = f(x)\n",
    "self.eps += 1\n",
    "a.eps, b = f(x)\n",
    "def f(self):\n    self.a, self.eps = f(x)\n",
    "(self.a, self.eps) = f(x)\n",
    "(\n    self.a,\n    self.eps, self.b) = f(x)\n",
    "class Loss(Base):\n    eps = EPS\n",
    "setattr(self, 'eps', x)\n",
    "setattr(loss, name, x)\n",
    "for self.eps in range(3): pass\n",
)
_READ = (
    "x = self.eps\n",
    "f(self.eps, y)\n",
    "f(\n    self.eps, x, y=1)\n",
    "if self.eps == 1: pass\n",
    "self.epsilon = 1\n",
    "f(eps_=self.eps)\n",
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [*((one, True) for one in _SET_ANYWHERE), *((one, False) for one in _READ)],
)
def test_an_attribute_is_seen_to_be_set(tmp_path: Path, text: str, expected: bool) -> None:
    path = tmp_path / "given.py"
    path.write_text(text, encoding="utf-8")
    file = status_of(str(path))
    assert file is not None
    assert sets_anywhere(file, "eps") is expected
