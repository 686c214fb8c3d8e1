"""What a fix leaves without a reader goes with it, unless it may have done more than compute."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import Linted, Settings, fix_bytes, lint_bytes
from tests.on_demand import module

torch = module("torch")

pytestmark = pytest.mark.slow

SETTINGS = Settings(unsafe_fixes=True, min_confidence=Confidence.POSSIBLE)
IMPORT = "import torch\n\n\n"


def fixed(text: str, filename: str = "a.py") -> str:
    after = fix_bytes(text.encode(), filename, SETTINGS).data.decode()
    assert fix_bytes(after.encode(), filename, SETTINGS).data.decode() == after
    compile(after, filename, "exec")
    return after


def body(text: str) -> str:
    after = fixed(IMPORT + dedent(text).lstrip())
    assert after.startswith(IMPORT)
    return after.removeprefix(IMPORT)


def check(before: str, after: str, *arguments: Any) -> None:
    """The function `f` is fixed like this, and gives the same."""
    before, after = dedent(before).lstrip(), dedent(after).lstrip()
    assert body(before) == after
    results = []
    for text in (before, after):
        names: dict[str, Any] = {}
        exec(IMPORT + text, names)
        torch.manual_seed(0)
        result = names["f"](*arguments)
        results.append((result, torch.rand(1)))  # as many numbers were drawn
    torch.testing.assert_close(results[1], results[0])


def x() -> Any:
    return torch.tensor([[0.5, -1.0, 2.0], [0.0, 1.0, 3.0]])


def test_probability_that_only_its_log_read_goes() -> None:
    check(
        """
        def f(x):
            p = torch.softmax(x, dim=1)
            return torch.log(p).mean()
        """,
        """
        def f(x):
            return torch.log_softmax(x, dim=1).mean()
        """,
        x(),
    )


def test_annotated_variable_goes() -> None:
    check(
        """
        def f(x):
            p: torch.Tensor = torch.softmax(x, dim=1)
            return torch.log(p).mean()
        """,
        """
        def f(x):
            return torch.log_softmax(x, dim=1).mean()
        """,
        x(),
    )


def test_chain_of_variables_goes() -> None:
    check(
        """
        def f(x):
            scaled = x / 2
            p = torch.softmax(scaled, dim=1)
            q = p.log()
            return q.sum()
        """,
        """
        def f(x):
            scaled = x / 2
            q = torch.log_softmax(scaled, dim=1)
            return q.sum()
        """,
        x(),
    )


def test_variable_that_several_fixes_leave_unread_goes() -> None:
    check(
        """
        def f(x):
            p = torch.softmax(x, dim=1)
            return torch.log(p).mean() + torch.log(p).sum()
        """,
        """
        def f(x):
            return torch.log_softmax(x, dim=1).mean() + torch.log_softmax(x, dim=1).sum()
        """,
        x(),
    )


def test_operand_that_is_computed_once_takes_the_place_of_the_variable() -> None:
    check(
        """
        def f(x):
            p = torch.softmax(torch.nn.functional.dropout(x), dim=1)
            return torch.log(p).mean()
        """,
        """
        def f(x):
            p_logits = torch.nn.functional.dropout(x)
            return torch.log_softmax(p_logits, dim=1).mean()
        """,
        x(),
    )


KEPT = [
    ("is read elsewhere", "p = torch.softmax(x, dim=1)\n    print(p)"),
    ("ends what a tool is told", "# fmt: off\n    p = torch.softmax(x, dim=1)  # fmt: on"),
    ("is looked up by name", "p = torch.softmax(x, dim=1)\n    locals()"),
    ("is alone in its block", "with torch.no_grad():\n        p = torch.softmax(x, dim=1)"),
    ("shares its row", "p = torch.softmax(x, dim=1); q = 1"),
    ("is a global", "global p\n    p = torch.softmax(x, dim=1)"),
    ("is read by an inner function", "p = torch.softmax(x, dim=1)\n    q = lambda: p"),
    ("writes elsewhere", "q = x.clone()\n    p = torch.softmax(x, dim=1, out=q)"),
    ("is one of two", "p = q = torch.softmax(x, dim=1)"),
    ("counts itself", "p = torch.softmax(x, dim=1)\n    p = p[:, 1:]\n    p += 1"),
    ("is made in a loop", "for _ in x:\n        p = torch.softmax(x, dim=1)\n    p = p[:, 1:]"),
]


@pytest.mark.parametrize("lines", [lines for _, lines in KEPT], ids=[name for name, _ in KEPT])
def test_variable_stays(lines: str) -> None:
    text = f"def f(x):\n    {lines}\n    return torch.log(p).mean()\n"
    after = body(text)
    first = text.partition("    return")[0]
    assert after.startswith(first) or "torch.log(p)" in after


REMARKS = [
    ("p = {p}  # the probabilities\n    {last}", "{last}"),
    ("# the probabilities\n    p = {p}\n    {last}", "# the probabilities\n    {last}"),
    ("# the probabilities\n    p = {p}\n\n    {last}", "{last}"),
    (
        "# of classes,\n    # or so\n    p = {p}\n    # the loss\n    {last}",
        "# the loss\n    {last}",
    ),
    ("# about all\n\n    p = {p}\n\n    {last}", "# about all\n\n    {last}"),
    ("# %% a cell\n    p = {p}\n\n    {last}", "# %% a cell\n\n    {last}"),
    ("y = 1\n    # why\n    p = {p}\n\n    {last}", "y = 1\n\n    {last}"),
    ("p = torch.softmax(\n        x,  # scores\n        dim=1,\n    )\n    {last}", "{last}"),
]


@pytest.mark.parametrize(("before", "after"), REMARKS)
def test_comment_stays_that_may_be_about_what_follows(before: str, after: str) -> None:
    given, left = (
        f"def f(x):\n    {text.format(p='torch.softmax(x, dim=1)', last=f'return {last}')}\n"
        for text, last in ((before, "torch.log(p)"), (after, "torch.log_softmax(x, dim=1)"))
    )
    assert body(given) == left


def test_variable_that_was_made_of_itself_goes() -> None:
    check(
        """
        def f(x):
            p = torch.softmax(x, dim=1)
            p = p[:, 1:]
            return torch.log(p).mean()
        """,
        """
        def f(x):
            return torch.log_softmax(x, dim=1)[:, 1:].mean()
        """,
        x(),
    )


def test_layer_goes_that_only_what_was_replaced_has_called() -> None:
    check(
        """
        def f(x):
            sm = torch.nn.Softmax(dim=1)
            p = sm(x)
            return torch.log(p).mean()
        """,
        """
        def f(x):
            return torch.log_softmax(x, dim=1).mean()
        """,
        x(),
    )


@pytest.mark.parametrize(
    "made",
    [
        "torch.nn.Softmax(dim=1)\n    sm.register_forward_hook(print)",
        "Layer()",
        "torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Softmax(dim=1))",
    ],
)
def test_layer_that_may_do_more_stays(made: str) -> None:
    own = "class Layer(torch.nn.Softmax):\n    pass\n\n\n"
    text = f"{own}def f(x):\n    sm = {made}\n    p = sm(x)\n    return torch.log(p).mean()\n"
    assert f"sm = {made}" in body(text)


def test_variable_that_read_itself_alone_before_stays() -> None:
    text = (
        "def f(x):\n    q = x + 1\n    q = q[:, 1:]\n"
        "    p = torch.softmax(x, dim=1)\n    a = torch.log(p)\n    return a + torch.log(p)\n"
    )
    assert "q = x + 1\n    q = q[:, 1:]" in body(text)


def test_variable_of_a_layer_stays() -> None:
    text = (
        "class Model(torch.nn.Module):\n"
        "    def __init__(self):\n"
        "        self.softmax = torch.nn.Softmax(dim=1)\n\n"
        "    def forward(self, x):\n"
        "        p = self.softmax(x)\n"
        "        return torch.log(p).mean()\n"
    )
    assert "p = self.softmax(x)" in body(text)


def test_variable_that_nothing_read_before_stays() -> None:
    text = "def f(x):\n    unused = x + 1\n    return torch.log(torch.softmax(x, dim=1))\n"
    assert "unused = x + 1" in body(text)


def test_variable_of_a_module_stays() -> None:
    text = "x = torch.load('x.pt')\np = torch.softmax(x, dim=0)\ny = torch.log(p)\n"
    assert body(text) == text.replace("torch.log(p)", "torch.log_softmax(x, dim=0)")


def test_each_fix_takes_its_own_leftovers_along() -> None:
    text = f"{IMPORT}def f(x):\n    p = torch.softmax(x, dim=1)\n    return torch.log(p)\n"
    outcome = lint_bytes(text.encode(), "a.py", SETTINGS)
    assert isinstance(outcome, Linted)
    (finding,) = outcome.findings
    assert finding.fix is not None
    assert [edit.content for edit in finding.fix.edits] == ["", "torch.log_softmax(x, dim=1)"]


# Imports


FUNCTION = "\n\ndef f(x):\n    return {}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import torch\nfrom torch import log, softmax\n", "import torch\n"),
        (
            "import torch\nfrom torch import exp, log, softmax\n\ny = exp\n",
            "import torch\nfrom torch import exp\n\ny = exp\n",
        ),
        (
            "import torch\nfrom torch import (\n    exp,\n    log,\n    softmax,\n)\n\ny = exp\n",
            "import torch\nfrom torch import (\n    exp,\n)\n\ny = exp\n",
        ),
    ],
)
def test_import_that_only_the_fixed_text_used_goes(before: str, after: str) -> None:
    use = "\n\ndef g():\n    return torch.ones(3)\n"
    text = f"{before}{use}{FUNCTION.format('log(softmax(x, dim=1))')}"
    fixed_text = fixed(text)
    assert fixed_text == f"{after}{use}{FUNCTION.format('torch.log_softmax(x, dim=1)')}"
    names: dict[str, Any] = {}
    exec(fixed_text, names)
    torch.testing.assert_close(names["f"](x()), torch.log_softmax(x(), dim=1))


@pytest.mark.parametrize(
    ("filename", "head"),
    [
        ("__init__.py", "import torch\nfrom torch import log, softmax\n"),
        ("a.py", "import torch\nfrom torch import log, softmax  # noqa: F401\n"),
        ("a.py", "import torch\nfrom torch import log, softmax\n\n__all__ = ['log', 'softmax']\n"),
        (
            "a.py",
            "import torch\n\ntry:\n    from torch import log, softmax\nexcept ImportError:\n"
            "    log = softmax = None\n",
        ),
    ],
)
def test_import_for_others_stays(filename: str, head: str) -> None:
    text = f"{head}\n\nzero = torch.zeros(1)\n{FUNCTION.format('log(softmax(x, dim=1))')}"
    after = fixed(text, filename)
    assert after.startswith(head)
    assert "log_softmax(x, dim=1)" in after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("p = torch.softmax(x, dim=1)\n\n    return {}", "return {}"),
        ("y = 1\n\n    p = torch.softmax(x, dim=1)\n    return y, {}", "y = 1\n\n    return y, {}"),
        ("y = 1\n    p = torch.softmax(x, dim=1)\n\n    return y, {}", "y = 1\n\n    return y, {}"),
        (
            "y = 1\n\n    p = torch.softmax(x, dim=1)\n\n    return y, {}",
            "y = 1\n\n    return y, {}",
        ),
    ],
)
def test_blank_rows_do_not_pile_up(before: str, after: str) -> None:
    old = f"def f(x):\n    {before.format('torch.log(p)')}\n"
    assert body(old) == f"def f(x):\n    {after.format('torch.log_softmax(x, dim=1)')}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}\nimport torch\n\n\n", "import torch\n\n\n"),
        ("{}\n\nimport torch\n\n\n", "import torch\n\n\n"),
        ("import torch\n\n{}\n\n\n", "import torch\n\n\n"),
        ("import os\n\n{}\n\nimport torch\n\n\n", "import os\n\nimport torch\n\n\n"),
        ('"""Doc."""\n\n{}\n\nimport torch\n\n\n', '"""Doc."""\n\nimport torch\n\n\n'),
    ],
)
def test_section_of_imports_that_is_empty_goes(before: str, after: str) -> None:
    use = "y = torch.ones(3)\n"
    old = before.format("from torch import log, softmax") + use
    new = fixed(old + FUNCTION.format("log(softmax(x, dim=1))"))
    assert new == after + use + FUNCTION.format("torch.log_softmax(x, dim=1)")
