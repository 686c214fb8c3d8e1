"""New text binds as tightly as its place asks, and is only written with names that are there."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import libcst as cst
import numpy
import pytest

from mllint_nan.findings import Span
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.term import Term
from mllint_nan.rulebook.pattern import Pattern
from mllint_nan.syntax.module_names import Names, import_for
from mllint_nan.syntax.precedence import ATOM, PRODUCT, SUM, Text, Unrenderable, level_of
from mllint_nan.syntax.render import Renderer
from mllint_nan.syntax.repeatable import is_cheap, is_repeatable
from mllint_nan.syntax.source import Source, comments_in

build = Builder()
TORCH = (("torch", "torch"),)


def rendered(
    rewrite: str,
    *,
    visible: tuple[tuple[str, str], ...] = TORCH,
    parameters: Mapping[str, float] | None = None,
    framework: str = "torch",
    methods: bool = False,
    **operands: str,
) -> tuple[str, list[str]]:
    """The text of a rewrite, and the imports it needs, where its operands are written so."""
    text = ", ".join(operands.values())
    source = Source(f"({text},)")
    bindings: dict[str, Term | None] = {}
    (line,) = source.module.body
    assert isinstance(line, cst.SimpleStatementLine)
    (statement,) = line.body
    assert isinstance(statement, cst.Expr) and isinstance(statement.value, cst.Tuple)
    for name, element in zip(operands, statement.value.elements, strict=True):
        term = build.variable(name)
        bindings[name] = Term(term.operation, (), term.key, element.value, detail=name)
    renderer = Renderer(
        source,
        framework,
        Names(visible, ()),
        Span(0, len(source.text)),
        bindings,
        {name: 0 for name, _ in visible},
        parameters or {},
        prefers_methods=methods,
    )
    return renderer.render(Pattern.parse(rewrite).term).code, renderer.imports


@pytest.mark.parametrize(
    ("rewrite", "x", "y", "text"),
    [
        ("x - y", "a", "b + c", "a - (b + c)"),
        ("x - y", "a + b", "c", "a + b - c"),
        ("x * y", "a + b", "c * d", "(a + b) * (c * d)"),
        ("x / y", "a * b", "c", "a * b / c"),
        ("x ** y", "-a", "-b", "(-a)**-b"),
        ("x ** y", "a ** b", "c", "(a ** b)**c"),
        ("x + y", "a if b else c", "d", "(a if b else c) + d"),
        ("-x * y", "a + b", "c", "-(a + b) * c"),
        ("x - -y", "a", "b", "a + b"),
        ("x + -y", "a", "b", "a - b"),
        ("-2 * x", "a - b", "c", "2 * (b - a)"),
    ],
)
def test_operands_get_parentheses_by_precedence(rewrite: str, x: str, y: str, text: str) -> None:
    assert rendered(rewrite, x=x, y=y)[0] == text


def test_negation_of_a_negation_is_dropped() -> None:
    assert rendered("-x", x="-a")[0] == "a"
    assert rendered("-x", x="-a * b")[0] == "a * b"


def test_negation_of_a_sum_takes_the_minus_that_is_there() -> None:
    assert rendered("-x", x="-a + b")[0] == "a - b"
    assert rendered("-x", x="a + b")[0] == "-(a + b)"


def test_receiver_of_a_method_binds_tightest() -> None:
    assert rendered("log_softmax(x, axis=0)", methods=True, x="a + b")[0] == (
        "(a + b).log_softmax(dim=0)"
    )


def test_function_of_a_module_under_its_own_name() -> None:
    text, imports = rendered("log_softmax(x, axis=0)", visible=(("t", "torch"),), x="a")
    assert (text, imports) == ("t.log_softmax(a, dim=0)", [])


def test_function_that_was_imported_by_itself() -> None:
    visible = (("ls", "torch.log_softmax"),)
    assert rendered("log_softmax(x, axis=0)", visible=visible, x="a")[0] == "ls(a, dim=0)"


def test_missing_module_is_imported() -> None:
    text, imports = rendered("log_softmax(x, axis=0)", visible=(), x="a")
    assert imports == ["import torch"]
    assert text == "torch.log_softmax(a, dim=0)"


def test_missing_module_whose_name_is_taken_is_not_imported() -> None:
    text, imports = rendered("log_softmax(x, axis=0)", visible=(("torch", "mine"),), x="a")
    assert text == "F.log_softmax(a, dim=0)"
    assert imports == ["import torch.nn.functional as F"]


def test_parameter_of_the_rule_is_written_as_a_number() -> None:
    assert rendered("x + e", parameters={"e": 1e-12}, x="a")[0] == "a + 1e-12"
    assert rendered("x ** e", parameters={"e": -1.5}, x="a")[0] == "a**-1.5"


def test_variable_that_stands_for_nothing_has_no_text() -> None:
    with pytest.raises(Unrenderable, match="z stands for nothing"):
        rendered("x + z", x="a")


def test_operation_that_the_framework_lacks_has_no_text() -> None:
    with pytest.raises(Unrenderable):
        rendered("xlogy(x, x)", framework="math", x="a")


def test_text_is_put_in_parentheses_below_a_level() -> None:
    assert Text("a + b", SUM).at(PRODUCT) == "(a + b)"
    assert Text("a + b", SUM).at(SUM) == "a + b"
    assert Text("f(x)").at(ATOM) == "f(x)"


LOOSEST_FIRST = [
    ["lambda: a", "(yield a)", "(a := b)"],
    ["a if b else c"],
    ["a or b"],
    ["a and b"],
    ["not a"],
    ["a < b", "a in b"],
    ["a | b"],
    ["a ^ b"],
    ["a & b"],
    ["a << b"],
    ["a + b", "a - b"],
    ["a * b", "a @ b", "a // b", "a % b"],
    ["-a", "~a"],
    ["a ** b"],
    ["await a"],
    ["a", "a.b", "a(b)", "a[b]", "[a]", "1"],
]


def test_levels_are_ordered_like_pythons_precedence() -> None:
    levels = [{level_of(cst.parse_expression(text)) for text in row} for row in LOOSEST_FIRST]
    assert all(len(row) == 1 for row in levels)
    flat = [level for row in levels for level in row]
    assert flat == sorted(set(flat))


@pytest.mark.parametrize(
    ("qualified", "bound", "statement"),
    [
        ("torch.log_softmax", "torch.log_softmax", "import torch"),
        ("torch.nn.functional.softplus", "F.softplus", "import torch.nn.functional as F"),
        ("jax.nn.softplus", "jax.nn.softplus", "import jax"),
        ("jax.numpy.log", "jnp.log", "import jax.numpy as jnp"),
        ("numpy.log", "np.log", "import numpy as np"),
        ("scipy.special.expit", "expit", "from scipy.special import expit"),
    ],
)
def test_module_is_imported_under_its_usual_name(
    qualified: str, bound: str, statement: str
) -> None:
    assert import_for(qualified) == (bound, statement)


def test_only_reading_names_and_numbers_is_cheap() -> None:
    x = build.variable("x")
    assert is_cheap(build.constant(1))
    assert is_cheap(build.apply("neg", build.constant(1)))
    assert not is_cheap(build.apply("exp", x))
    assert not is_cheap(build.apply("uniform"))


def test_comparison_of_cheap_operands_may_be_computed_twice() -> None:
    one, two = build.constant(1), build.variable("x")
    assert is_repeatable(build.apply("gt", one, build.constant(True)))
    assert not is_repeatable(build.apply("gt", build.apply("sum", two), one))


def test_comment_is_seen_in_any_depth() -> None:
    assert comments_in(cst.parse_expression("f(\n    a,  # why\n)"))
    assert not comments_in(cst.parse_expression("f(\n    '# a',\n)"))


@pytest.mark.parametrize(
    ("rewrite", "known"),
    [("clip(x, min=1)", lambda x: max(x, 1)), ("clip(x, max=1)", lambda x: min(x, 1))],
)
@pytest.mark.parametrize("is_method", [False, True])
def test_bound_on_one_side_is_executable(
    rewrite: str, known: Callable[[float], float], is_method: bool
) -> None:
    """What NumPy asks for besides is None."""
    modules = (("np", "numpy"),)
    text, imports = rendered(rewrite, visible=modules, framework="numpy", methods=is_method, x="a")
    assert not imports
    for number in (0.5, 2.0):
        assert eval(text, {"np": numpy, "a": numpy.array(number)}) == known(number)
