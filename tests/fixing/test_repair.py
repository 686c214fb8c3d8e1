"""A fix keeps the user's text, changes nothing else, and is not offered where it would."""

from __future__ import annotations

from textwrap import dedent

import pytest

from mllint_nan.findings import Applicability, Confidence, Finding
from mllint_nan.linter import Linted, Settings, fix_bytes, lint_bytes

IMPORT = "import torch\n"
UNSAFE = Settings(unsafe_fixes=True)
SAFE = Settings()


def fixed(text: str, settings: Settings = SAFE) -> str:
    """The whole file after its fixes, which a second run leaves alone."""
    once = fix_bytes(text.encode(), "a.py", settings).data
    assert fix_bytes(once, "a.py", settings).data == once
    compile(once, "a.py", "exec")
    return once.decode()


def body(text: str, before: str = IMPORT, settings: Settings = SAFE) -> str:
    """The same of what follows some imports that stay as they are."""
    after = fixed(before + dedent(text), settings)
    assert after.startswith(before)
    return after.removeprefix(before)


def findings(text: str) -> tuple[Finding, ...]:
    outcome = lint_bytes((IMPORT + dedent(text)).encode(), "a.py", SAFE)
    assert isinstance(outcome, Linted)
    return outcome.findings


def expression(text: str, before: str = IMPORT) -> str:
    """The expression that a function returns, after its fixes."""
    head = "def f(x, y, c):\n    return "
    return body(f"{head}{text}\n", before).removeprefix(head).removesuffix("\n")


def has_no_fix(text: str) -> bool:
    """Whether there is a finding, and none is fixed."""
    found = findings(text)
    assert found
    return all(finding.fix is None for finding in found) and body(text) == dedent(text)


# The user's text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("torch.log(torch.softmax(x+1 , dim = 1))", "torch.log_softmax(x+1, dim=1)"),
        ("torch.log(torch.softmax(x [ 0 ], 1))", "torch.log_softmax(x [ 0 ], dim=1)"),
        ("torch.log(torch.softmax(x['a'], 1))", "torch.log_softmax(x['a'], dim=1)"),
        ("torch.log(torch.softmax((x), 1))", "torch.log_softmax(x, dim=1)"),
        ("torch.log(torch.softmax(0x10 * x, 1_0))", "torch.log_softmax(0x10 * x, dim=1_0)"),
        ("torch.log(torch.softmax(x.größe, 1))", "torch.log_softmax(x.größe, dim=1)"),
        ("torch.log(torch.softmax(lambda: x, 1))", "torch.log_softmax((lambda: x), dim=1)"),
        ("torch.log(torch.softmax(x if c else y, 1))", "torch.log_softmax(x if c else y, dim=1)"),
    ],
)
def test_operands_keep_their_text(before: str, after: str) -> None:
    assert expression(before) == after


def test_comments_elsewhere_stay() -> None:
    text = "# a\ndef f(x):  # b\n    # c\n    return {}  # d\n# e\n"
    before, after = "torch.log(torch.softmax(x, 0))", "torch.log_softmax(x, dim=0)"
    assert body(text.format(before)) == text.format(after)


def test_comment_inside_is_not_lost() -> None:
    text = "def f(x):\n    return torch.log(\n        torch.softmax(x, 0)  # why\n    )\n"
    (found,) = findings(text)
    assert found.fix is not None
    assert found.fix.applicability is Applicability.DISPLAY_ONLY
    assert body(text, settings=UNSAFE) == text


def test_line_ends_stay() -> None:
    text = "import torch\r\n\r\ny = torch.log(torch.sigmoid(x))\r\n"
    assert fixed(text).count("\r\n") == 3


def test_form_of_the_last_line_stays() -> None:
    assert body("y = torch.log(torch.softmax(x, 0))") == "y = torch.log_softmax(x, dim=0)"


# Precedence


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("1 / (1 + torch.exp(x - y))", "torch.sigmoid(y - x)"),
        ("1 / (1 + torch.exp(-(x + y)))", "torch.sigmoid(x + y)"),
        ("1 / (1 + torch.exp(x * y))", "torch.sigmoid(-(x * y))"),
        ("(1 / (1 + torch.exp(-x))) ** 2", "torch.sigmoid(x) ** 2"),
        ("(torch.log(torch.softmax(x, 0))).sum()", "torch.log_softmax(x, dim=0).sum()"),
        ("(x + y).softmax(0).log()", "(x + y).log_softmax(dim=0)"),
        ("(-x).softmax(0).log()", "(-x).log_softmax(dim=0)"),
        ("torch.sqrt(x * y + (x - y) ** 2 * 0)", "torch.sqrt(x * y + (x - y) ** 2 * 0)"),
    ],
)
def test_parentheses_follow_precedence(before: str, after: str) -> None:
    assert expression(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("y - np.log(1 / (1 + np.exp(-x)))", "y + np.logaddexp(0, -x)"),
        ("np.log(1 / (1 + np.exp(-x)))", "-np.logaddexp(0, -x)"),
        ("f(np.log(1 / (1 + np.exp(-x))))", "f(-np.logaddexp(0, -x))"),
        ("np.log(1 / (1 + np.exp(-x))) ** 2", "(-np.logaddexp(0, -x)) ** 2"),
        ("np.log(1 / (1 + np.exp(-x))).sum()", "(-np.logaddexp(0, -x)).sum()"),
    ],
)
def test_new_operator_is_put_in_parentheses_where_it_must(before: str, after: str) -> None:
    assert expression(before, "import numpy as np\n") == after


# Layout


def test_chain_over_several_lines() -> None:
    text = "y = (\n    x.softmax(dim=-1)\n    .log()\n    .mean()\n)\n"
    assert body(text) == "y = (\n    x.log_softmax(dim=-1)\n    .mean()\n)\n"


def test_operand_over_several_lines_is_joined() -> None:
    text = "y = torch.log(torch.softmax(\n    x\n    + 1,\n    dim=0,\n))\n"
    assert body(text) == "y = torch.log_softmax(x + 1, dim=0)\n"
    text = "y = torch.log(torch.softmax(x + g(\n    1,\n) * 2, dim=0))\n"
    assert body(text) == "y = torch.log_softmax((x + g(\n    1,\n) * 2), dim=0)\n"


def test_continued_line() -> None:
    text = "y = torch.log( \\\n    torch.softmax(x, 0))\n"
    assert body(text) == "y = torch.log_softmax(x, dim=0)\n"


@pytest.mark.parametrize(
    "shell",
    [
        "z = 1; y = {}; z = 2\n",
        "if c: y = {}\n",
        "@g({})\ndef f(): pass\n",
        "def f(x):\n    def g(x):\n        return {}\n    return g\n",
        "y = f'{{{}}}'\n",
        "y: torch.Tensor = {}\n",
        "def f(x: torch.Tensor, y: int = 1) -> torch.Tensor:\n    return {}\n",
        "async def f(x):\n    async with g():\n        return {}\n",
        "async def f(g):\n    x = await g()\n    return {}\n",
        "if (y := {}).sum() > 0: pass\n",
        "f = lambda x: {}\n",
        "def f(x, y={}): pass\n",
        "y = {} if c else 0\n",
        "y = 0 if c else {}\n",
        "y = [{} for x in xs if {}.sum() > 0]\n",
        "y = {{a: {} for a in xs}}\n",
        "class C:\n    y = {}\n    def f(self, x):\n        return {}\n",
        "y = x[{}]\n",
        "y = g(*{}, **{})\n",
        "assert {}.sum() < 0\n",
        "with g({}) as y: pass\n",
        "for y in {}: pass\n",
        "while {}.sum(): break\n",
        "y = {}, {}\n",
        "y = not {}.any() and -{} < 0\n",
        "def f(x):\n    yield {}\n",
        "def f(x):\n    try:\n        return {}\n    finally:\n        g({})\n",
    ],
)
def test_place_of_an_expression(shell: str) -> None:
    before, after = "torch.log(torch.softmax(x, 0))", "torch.log_softmax(x, dim=0)"
    places = shell.count("{}")
    text = "class D: pass\n" + shell.format(*[before] * places)
    assert body(text) == "class D: pass\n" + shell.format(*[after] * places)


def test_different_fixes_on_one_line() -> None:
    before = "torch.log(torch.softmax(x, 0)) + torch.log(torch.sum(torch.exp(y), 0))"
    assert expression(before) == "torch.log_softmax(x, dim=0) + torch.logsumexp(y, dim=0)"


def test_fix_inside_the_operand_of_another_one() -> None:
    before = "torch.log(torch.softmax(torch.log(torch.softmax(x, 0)), 0))"
    assert expression(before) == "torch.log_softmax(torch.log_softmax(x, dim=0), dim=0)"


def test_operand_with_an_assignment_keeps_it() -> None:
    before = "torch.log(torch.softmax((y := x + 1), dim=0)) + y"
    assert expression(before) == "torch.log_softmax((y := x + 1), dim=0) + y"


# Names


@pytest.mark.parametrize(
    ("before", "call", "after"),
    [
        ("import torch as t\n", "t.log(t.softmax(x, 0))", "t.log_softmax(x, dim=0)"),
        (
            "import torch\nimport torch.nn.functional as F\n",
            "torch.log(F.softmax(x, 0))",
            "F.log_softmax(x, dim=0)",
        ),
        (
            "import torch\nfrom torch import nn\n",
            "torch.log(nn.functional.softmax(x, 0))",
            "nn.functional.log_softmax(x, dim=0)",
        ),
        (
            "from torch import log, log_softmax, softmax\n",
            "log(softmax(x, 0))",
            "log_softmax(x, dim=0)",
        ),
        (
            "import torch, torch.nn.functional as G\n",
            "torch.log(torch.sigmoid(x))",
            "G.logsigmoid(x)",
        ),
        ("import torch\n", "x.softmax(0).log()", "x.log_softmax(dim=0)"),
        (
            "import jax.numpy as jnp\nfrom jax import nn\n",
            "jnp.log(nn.softmax(x))",
            "nn.log_softmax(x)",
        ),
    ],
)
def test_functions_are_called_as_the_file_calls_them(before: str, call: str, after: str) -> None:
    head = "def f(x, y, c):\n    return "
    assert fixed(f"{before}{head}{call}\n").endswith(f"{head}{after}\n")


FROM = "from torch import log, sigmoid"
USE = "\n\ndef f(x):\n    return {}\n\n\nboth = log, sigmoid\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"{FROM}\n", f"{FROM}\nimport torch.nn.functional as F\n"),
        (f'"""Doc."""\n\n{FROM}\n', f'"""Doc."""\n\n{FROM}\nimport torch.nn.functional as F\n'),
        (
            f"from __future__ import annotations\n\n{FROM}\n",
            f"from __future__ import annotations\n\n{FROM}\nimport torch.nn.functional as F\n",
        ),
        (f"{FROM}  # both\n", f"{FROM}  # both\nimport torch.nn.functional as F\n"),
        (f"{FROM}\nimport os\n", f"{FROM}\nimport torch.nn.functional as F\nimport os\n"),
        (
            "from torch import (\n    log,\n    sigmoid,\n)\n",
            "from torch import (\n    log,\n    sigmoid,\n)\nimport torch.nn.functional as F\n",
        ),
    ],
)
def test_missing_import_comes_after_the_imports(before: str, after: str) -> None:
    text = before + USE.format("log(sigmoid(x))")
    assert fixed(text) == after + USE.format("F.logsigmoid(x)")


LOCAL = "def f(x):\n    from torch import log, sigmoid\n    return {}\n"


def test_missing_import_comes_after_the_docstring() -> None:
    before = '"""Doc."""\n\n' + LOCAL.format("log(sigmoid(x))")
    after = '"""Doc."""\n\nimport torch.nn.functional as F\n\n' + LOCAL.format("F.logsigmoid(x)")
    assert fixed(before) == after


@pytest.mark.parametrize(
    "header", ["#!/usr/bin/env python\n", "# coding: utf-8\n", "#!/bin/python3\n# coding=utf-8\n"]
)
def test_missing_import_comes_below_the_lines_that_stand_first(header: str) -> None:
    after = header + "import torch.nn.functional as F\n" + LOCAL.format("F.logsigmoid(x)")
    assert fixed(header + LOCAL.format("log(sigmoid(x))")) == after


def test_missing_import_comes_after_future_imports() -> None:
    before = "from __future__ import annotations\n" + LOCAL.format("log(sigmoid(x))")
    assert fixed(before).startswith(
        "from __future__ import annotations\n\nimport torch.nn.functional as F\n"
    )


def test_import_is_added_once() -> None:
    text = f"{FROM}\ndef f(x, y):\n    return log(sigmoid(x)) + 1, log(sigmoid(y))\n"
    assert fixed(text).count("import torch.nn.functional as F\n") == 1
    assert fixed(text).count("F.logsigmoid(") == 2


@pytest.mark.parametrize("other", ["F = 3\n", "def F(): pass\n", "import F\n"])
def test_import_does_not_take_a_name_that_is_taken(other: str) -> None:
    text = f"{FROM}\n{other}" + USE.format("log(sigmoid(x))")
    assert fixed(text) == text


def test_import_of_another_function_is_not_used() -> None:
    text = "def g(x):\n    import torch.nn.functional as F\n    return F.relu(x)\n"
    after = body(text + USE.format("torch.log(torch.sigmoid(x))"))
    assert after == text + USE.format("torch.nn.functional.logsigmoid(x)")


# Variables


def test_variable_is_seen_through_and_stays() -> None:
    text = "def f(x):\n    p = torch.softmax(x, 0)\n    return {}, p\n"
    assert body(text.format("torch.log(p)")) == text.format("torch.log_softmax(x, dim=0)")


@pytest.mark.parametrize(
    "rebinding",
    [
        "x = x + 1",
        "x += 1",
        "x.add_(1)",
        "x[0] = 1",
        "x[x > 0] = 1",
        "x, y = y, x",
        "for x in y: pass",
        "if y: x = 0",
        "import x",
        "with y as x: pass",
        "def x(): pass",
        "class x: pass",
        "g(x := y)",
    ],
)
def test_rebound_operand_has_no_fix(rebinding: str) -> None:
    text = "def f(x, y):\n    p = torch.softmax(x, 0)\n    {}\n    return torch.log(p)\n"
    assert has_no_fix(text.format(rebinding))


@pytest.mark.parametrize(
    "inner",
    ["lambda x: torch.log(p)", "[torch.log(p) for x in y]", "{torch.log(p): x for x in y}"],
)
def test_operand_hidden_by_an_inner_name_has_no_fix(inner: str) -> None:
    assert has_no_fix(f"def f(x, y):\n    p = torch.softmax(x, 0)\n    return {inner}\n")


def test_operand_of_an_inlined_function_has_no_text_at_the_call() -> None:
    text = """
        def probabilities(logits):
            scaled = logits * 2
            return torch.softmax(scaled, 0)

        def f(x):
            return torch.log(probabilities(x))
        """
    assert has_no_fix(text)


def test_one_of_several_definitions_has_no_fix() -> None:
    text = """
        def f(x, c):
            p = torch.softmax(x, 0)
            if c:
                p = x
            return torch.log(p)
        """
    assert has_no_fix(text)


DEFINITION = "def f(x):\n    e = np.exp({})\n{}    return e / np.sum(e){}\n"
NUMPY = "import numpy as np\n"


def test_definition_is_changed_where_nothing_else_reads_it() -> None:
    text = DEFINITION.format("x", "", "")
    assert body(text, NUMPY) == DEFINITION.format("x - np.max(x)", "", "")


@pytest.mark.parametrize(
    ("between", "after"),
    [
        ("    print(e)\n", ""),
        ("    d = e\n", ""),
        ("    print(f'{e}')\n", ""),
        ("    g = lambda: e\n", ""),
        ("    def g():\n        return e\n", ""),
        ("", ", e"),
        ("    if x: return e\n", ""),
    ],
)
def test_definition_with_other_readers_is_not_changed(between: str, after: str) -> None:
    text = DEFINITION.format("x", between, after)
    assert body(text, NUMPY) == text


@pytest.mark.parametrize(
    ("other", "is_fixed"), [("0.0", True), ("q", False), ("-q", False), ("q + 3.14", False)]
)
def test_definition_that_the_other_branch_reads_is_not_changed(
    other: str, *, is_fixed: bool
) -> None:
    text = (
        "def f(x, y):\n    q = torch.atan(y / x)\n" + f"    return torch.where(x > 0, q, {other})\n"
    )
    assert ("y / torch.where(x > 0, x, 1)" in body(text)) is is_fixed


def test_operand_with_effects_is_computed_once() -> None:
    text = "def f(x):\n    p = torch.softmax({}, dim=0)\n    return {}\n"
    before = text.format("g(x)", "torch.log(p)")
    after = "def f(x):\n    p_logits = g(x)\n    return torch.log_softmax(p_logits, dim=0)\n"
    assert body(before) == after


def test_name_of_a_hoisted_operand_is_new() -> None:
    text = """
        def f(x, p_logits):
            p = torch.softmax(g(x), 0)
            return torch.log(p) + p_logits
        """
    assert "p_operand = g(x)" in body(text)


@pytest.mark.parametrize(
    "definition",
    [
        "y = 1; p = torch.softmax(g(x), 0)",
        "p = torch.softmax(g(x), 0); y = 1",
        "p = torch.softmax(g(x), dim=h())",
        "p = q = torch.softmax(g(x), 0)",
        "p, q = torch.softmax(g(x), 0), 1",
    ],
)
def test_operand_that_cannot_be_hoisted_has_no_fix(definition: str) -> None:
    assert has_no_fix(f"def f(x):\n    {definition}\n    return torch.log(p)\n")


def test_operand_that_is_computed_second_has_no_fix() -> None:
    text = "def f(x):\n    s = torch.exp({}) + torch.exp(g(x))\n    return torch.log(s)\n"
    assert has_no_fix(text.format("h(x)"))
    assert has_no_fix(text.format("x"))


def test_operation_that_writes_into_its_operand_has_no_fix() -> None:
    assert has_no_fix("def f(x):\n    p = torch.softmax(x, 0)\n    return p.log_()\n")


@pytest.mark.parametrize(
    ("imports", "made"),
    [
        ("import torch", "net(x).detach().cpu().numpy()"),
        ("import tensorflow as tf", "tf.abs(net(x)).numpy()"),
        ("from keras import ops", "ops.convert_to_numpy(net(x))"),
    ],
)
def test_an_array_of_a_tensor_is_repaired_as_an_array(imports: str, made: str) -> None:
    text = f"def f(net, x):\n    p = {made}\n    p /= p.sum()\n    return -np.sum(p * np.log(p))\n"
    assert "np.log(np.where(p > 0, p, 1))" in body(text, f"import numpy as np\n{imports}\n")


# Applicability


def test_dropped_label_makes_the_fix_unsafe() -> None:
    before = "import tensorflow as tf\n"
    text = "def f(x):\n    return tf.math.log(tf.nn.softmax(x, name='p'))\n"
    assert body(text, before) == text
    assert "tf.nn.log_softmax(x)" in body(text, before, UNSAFE)


def test_label_that_is_kept_out_of_the_match_does_not_count() -> None:
    before = "import tensorflow as tf\n"
    text = "def f(x):\n    return tf.math.log(tf.nn.softmax(tf.identity(x, name='p')))\n"
    assert "tf.nn.log_softmax(tf.identity(x, name='p'))" in body(text, before)


def test_unsafe_fix_waits_to_be_asked_for() -> None:
    text = "def f(x):\n    return torch.acos(x), torch.sqrt(1 - x ** 2)\n"
    assert body(text) == text


def test_suppressed_finding_is_not_fixed() -> None:
    text = "y = torch.log(torch.softmax(x, 0))  # mllint-nan: ignore[NAN101]\n"
    assert body(text) == text


def test_second_run_changes_nothing() -> None:
    text = dedent("""
        from torch import exp, log, sigmoid, softmax

        def f(x, y):
            p = softmax(g(x), 0)
            e = exp(x)
            return log(p) + log(sigmoid(y)) + e / e.sum() + log(1 + exp(y))
        """)
    once = fix_bytes(text.encode(), "a.py", UNSAFE)
    assert len(once.applied) >= 4
    assert fix_bytes(once.data, "a.py", UNSAFE).data == once.data


def test_a_divisor_that_a_loop_added_up_is_no_place_for_a_fix_of_its_own() -> None:
    text = (
        "import torch\n\ndef f(s, paths):\n    total = 0\n    for path in paths:\n"
        "        total = total + torch.relu(path)\n    return s / total\n"
    )
    outcome = lint_bytes(text.encode(), "a.py", Settings(min_confidence=Confidence.POSSIBLE))
    assert isinstance(outcome, Linted)
    assert [finding.code for finding in outcome.findings] == ["NAN302"]
