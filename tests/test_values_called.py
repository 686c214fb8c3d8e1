"""A value that a call in sight breaks is broken, whatever trains and wherever the call stands."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Final

import pytest

from mllint_nan.project import Request, check_file
from mllint_nan.settings import Settings

KINDS: Final = {
    "log of 0": ("np.log(x)", "[0.0, 0.5]", "[0.5, 7.0]", "NAN201"),
    "log of what is 0 at 1": ("np.log(1 - x)", "[1.0, 0.5]", "[-1.0, 0.5]", "NAN201"),
    "log of a magnitude": ("np.log(np.abs(x))", "[0.0, 7.0]", "[-0.5, 7.0]", "NAN201"),
    "log below 0": ("np.log(x)", "[-1.5, 7.0]", "[1.5, 7.0]", "NAN214"),
    "root below 0": ("np.sqrt(x)", "[-1.0, 7.0]", "[0.0, 7.0]", "NAN207"),
    "inverse tanh at 1": ("np.arctanh(x)", "[1.0, 0.5]", "[0.9, -0.5]", "NAN209"),
    "quotient by 0": ("5.0 / x", "[0.0, 0.5]", "[-0.5, 0.5]", "NAN309"),
    "exp too large": ("np.exp(x)", "[1000.0, 0.5]", "[-1000.0, 0.5]", "NAN504"),
    "quotient by a norm": ("x / np.linalg.norm(x)", "[0.0, 0.0]", "[0.0, 1.0]", "NAN303"),
}
"""An expression, numbers that break it, numbers that do not, and the rule that speaks."""
HERE: Final = {
    "under `__main__`": '\n\nif __name__ == "__main__":\n    print(level(np.array({})))\n',
    "in the module": "\n\nseen = level(np.array({}))\nprint(seen)\n",
    "in a function": "\n\ndef main():\n    return level(np.array({}))\n\n\nprint(main())\n",
}
ELSEWHERE: Final = (
    "import numpy as np\nfrom pkg.module import level\n\nprint(level(np.array({})))\n"
)
TRAINS: Final = """\
from pkg.module import level


def train(model, batch, optimizer):
    loss = (model(batch) - level(batch)).mean()
    loss.backward()
    optimizer.step()
"""


def found(folder: Path, text: str, **others: str) -> set[str]:
    """What is reported by default of a module of a package, beside other files."""
    module = folder / "src" / "pkg" / "module.py"
    module.parent.mkdir(parents=True)
    (folder / "pyproject.toml").touch()
    module.with_name("__init__.py").touch()
    module.write_text(text)
    for name, other in others.items():
        (folder / f"{name}.py").write_text(other)
    return {one.code for one in check_file(str(module), Request(Settings())).findings}


def module_of(expression: str) -> str:
    return f"import numpy as np\n\n\ndef level(x):\n    return {expression}\n"


@pytest.mark.parametrize(("kind", "call"), list(product(KINDS, HERE)))
def test_a_call_in_the_file_is_evidence_whatever_trains(
    kind: str, call: str, tmp_path: Path
) -> None:
    expression, numbers, _, code = KINDS[kind]
    text = module_of(expression) + HERE[call].format(numbers)
    assert found(tmp_path / "alone", text) == {code}
    assert found(tmp_path / "trained", text, train=TRAINS) == {code}


@pytest.mark.parametrize("kind", KINDS)
def test_a_call_in_another_file_is_evidence_whatever_trains(kind: str, tmp_path: Path) -> None:
    expression, numbers, _, code = KINDS[kind]
    text, script = module_of(expression), ELSEWHERE.format(numbers)
    assert found(tmp_path / "alone", text) == set()
    assert found(tmp_path / "shown", text, show=script) == {code}
    assert found(tmp_path / "trained", text, show=script, train=TRAINS) == {code}


@pytest.mark.parametrize("kind", KINDS)
def test_a_sound_call_is_quiet_whatever_trains(kind: str, tmp_path: Path) -> None:
    expression, _, numbers, _ = KINDS[kind]
    for place, call in HERE.items():
        text = module_of(expression) + call.format(numbers)
        assert found(tmp_path / place / "alone", text) == set()
        assert found(tmp_path / place / "trained", text, train=TRAINS) == set()
    script = ELSEWHERE.format(numbers)
    assert found(tmp_path / "shown", module_of(expression), show=script) == set()


ANGLE: Final = "import torch\n\n\ndef level(cosine):\n    return torch.acos(cosine)\n"
SHOWN: Final = """\
import torch
import torch.nn.functional as F
from pkg.module import level


def show(x, y):
    cosine = F.cosine_similarity(x, y, dim=-1)
    print(level(cosine))


show(torch.randn(3, 2), torch.randn(3, 2))
"""


def test_a_gradient_that_nobody_takes_hides_no_value_of_the_same_rule(tmp_path: Path) -> None:
    """`acos` has a gradient that is infinite at 1, and a value that is NaN beyond it."""
    assert found(tmp_path / "shown", ANGLE, show=SHOWN) == {"NAN208"}
    sound = SHOWN.replace("level(cosine)", "level(0.9 * cosine)")
    assert found(tmp_path / "sound", ANGLE, show=sound) == set()


OF_GRADIENTS: Final = {
    "the gradient by the first": "jax.grad(level)(w, r)",
    "value and gradient": "jax.value_and_grad(level, has_aux=True)(w, r)",
    "in a function that is compiled": "jax.jit(lambda w: jax.value_and_grad(level)(w, r))(w)",
}


@pytest.mark.parametrize("written", OF_GRADIENTS.values(), ids=OF_GRADIENTS)
def test_what_is_not_differentiated_by_stays_what_it_is(tmp_path: Path, written: str) -> None:
    """A grid that is handed on beside the parameters has its point at 0."""
    text = "import jax\n\n\ndef each(w, r):\n    return w / r\n\n\ndef level(w, grid):\n"
    text += (
        "    r, others = grid\n    return jax.vmap(each, in_axes=(None, 0))(w, r).sum(), others\n"
    )
    script = (
        "import jax\nimport jax.numpy as jnp\nfrom pkg.module import level\n\n\n"
        "def main(w):\n    r = jnp.linspace({}, 1.0, 9), 7\n"
        f"    return {written}\n"
    )
    assert found(tmp_path / "broken", text, train=script.format("0.0")) == {"NAN309"}
    assert found(tmp_path / "sound", text, train=script.format("0.1")) == set()
