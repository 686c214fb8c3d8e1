"""What is asked for with `--min-confidence possible`: every singular operation, unless it is proved
safe. Execution is the judge: a line that makes the first NaN or infinity of numbers is reported.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mllint_nan.findings import REASONS, Applicability, Confidence, Finding
from mllint_nan.frameworks import registry
from mllint_nan.frameworks.signature import Signature
from mllint_nan.linter import check_text, fix_text
from mllint_nan.reporting.statistics import per_rule, table
from mllint_nan.reporting.trace import explained
from mllint_nan.rulebook.load import RuleError, load_rules, parse_rule
from mllint_nan.settings import Settings
from mllint_nan.tracing import explained_row

AUDIT: Final = Settings(min_confidence=Confidence.POSSIBLE)
DEFAULT: Final = Settings()
LIMITS: Final = Settings(select=("NAN", "limits"), min_confidence=Confidence.POSSIBLE)
_INSIDE: Final = "(0.25 + 0.5 / (1 + abs(x)))"
_POSITIVE: Final = "(abs(x) + 1e-3)"
SINGULAR: Final = {
    "log": (("NAN201",), "{}({})", _POSITIVE),
    "log2": (("NAN201",), "{}({})", _POSITIVE),
    "log10": (("NAN201",), "{}({})", _POSITIVE),
    "log1p": (("NAN201",), "{}({})", "abs(x)"),
    "xlogy": (("NAN201",), "{}(y, {})", _POSITIVE),
    "lgamma": (("NAN201",), "{}({})", _POSITIVE),
    "digamma": (("NAN201",), "{}({})", _POSITIVE),
    "logit": (("NAN201",), "{}({})", _INSIDE),
    "sqrt": (("NAN203", "NAN207"), "{}({})", _POSITIVE),
    "rsqrt": (("NAN309",), "{}({})", _POSITIVE),
    "pow": (("NAN206", "NAN207", "NAN309"), "{}({}, y)", _POSITIVE),
    "div": (("NAN309",), "{}(y, {})", _POSITIVE),
    "acos": (("NAN208",), "{}({})", _INSIDE),
    "asin": (("NAN208",), "{}({})", _INSIDE),
    "atanh": (("NAN209",), "{}({})", _INSIDE),
    "acosh": (("NAN209",), "{}({})", "(abs(x) + 1.5)"),
    "erfinv": (("NAN209",), "{}({})", _INSIDE),
    "ndtri": (("NAN209",), "{}({})", _INSIDE),
    "exp": (("NAN504",), "{}({})", "-abs(x)"),
    "exp2": (("NAN504",), "{}({})", "-abs(x)"),
    "expm1": (("NAN504",), "{}({})", "-abs(x)"),
    "cosh": (("NAN504",), "{}({})", _INSIDE),
    "sinh": (("NAN504",), "{}({})", _INSIDE),
}
"""By operation: the codes of what is said of it, a call, and an operand that makes it sound."""
GRADIENTS: Final = {
    "atan2": (("NAN210",), "{}(y, {})", _POSITIVE, ("tensorflow", "keras", "jax")),
    "hypot": (("NAN204",), "{}(y, {})", _POSITIVE, ("torch", "jax")),
}


def _signatures() -> Iterator[Any]:
    for framework in ("torch", "tensorflow", "keras", "jax", "numpy"):
        for signature in registry._TABLES[framework]:
            name = signature.operation.name
            if name not in SINGULAR and framework not in GRADIENTS.get(name, ((),) * 4)[3]:
                continue
            if signature.constructor or (signature.method and framework not in ("torch", "numpy")):
                continue
            form = "method " if signature.method else ""
            yield pytest.param(framework, signature, id=f"{framework}-{form}{signature.name}")


def _call(framework: str, signature: Signature, operand: str) -> str:
    _, call, *_ = SINGULAR.get(signature.operation.name) or GRADIENTS[signature.operation.name]
    if "x" in signature.fixed and signature.operation.name == "div":
        call = "{}({})"  # reciprocal
    text = call.format(signature.name, operand)
    if not signature.method:
        return text
    receiver, _, others = text.removeprefix(f"{signature.name}(").removesuffix(")").partition(", ")
    return f"({receiver}).{signature.name}({others})"


def _program(framework: str, signature: Signature, operand: str) -> str:
    package = "jax" if framework == "jax" else framework
    module = signature.name.rpartition(".")[0] or package
    return f"import {package}\nimport {module}\n\n\ndef f(x, y):\n    return {{}}\n".format(
        _call(framework, signature, operand)
    )


def _found(text: str, chosen: Settings = AUDIT) -> tuple[Finding, ...]:
    return check_text(text, "a.py", chosen)


@pytest.mark.parametrize(("framework", "signature"), list(_signatures()))
def test_unknown_operand_is_possible_and_a_sound_one_silent(
    framework: str, signature: Signature
) -> None:
    name = signature.operation.name
    codes, _, sound, *_ = SINGULAR.get(name) or GRADIENTS[name]
    unknown = _program(framework, signature, "x")
    assert {one.code for one in _found(unknown)} & set(codes), unknown
    assert _found(unknown, DEFAULT) == ()
    if not (signature.method and name in ("xlogy", "div", "atan2", "hypot")):
        assert _found(_program(framework, signature, sound)) == ()


@pytest.mark.parametrize(
    ("imports", "expression", "code"),
    [
        ("import torch", "torch.relu(x) / y", "NAN309"),
        ("import torch", "x / y", "NAN309"),
        ("import numpy as np", "x / np.abs(y)", "NAN309"),
        ("import numpy as np, torch", "x / y", "NAN309"),
        ("import torch", "torch.relu(x) ** 0.7", "NAN206"),
        ("import torch", "x ** 0.7", "NAN206"),
        ("import torch", "x ** y", "NAN206"),
        ("import torch", "x ** -2", "NAN309"),
        ("import torch", "torch.pow(x, torch.tensor([0.3, 0.5]))", "NAN207"),
        ("import torch", "x / torch.where(x.sum() >= 0, x, torch.ones_like(x)).sum()", "NAN302"),
        ("import torch", "x / torch.where(y.sum() > 0, x, torch.ones_like(x)).sum()", "NAN302"),
        ("import torch", "x / torch.where(x.sum(0) > 0, x, torch.ones_like(x)).sum(1)", "NAN302"),
        ("import torch", "x / torch.where(x.sum() > 0, x, torch.zeros_like(x)).sum()", "NAN302"),
        ("import torch", "x.std(0)", "NAN308"),
        ("import torch", "torch.remainder(x, y)", "NAN309"),
        ("import tensorflow as tf", "tf.norm(x)", "NAN204"),
        ("import jax.numpy as jnp", "jnp.linalg.norm(x)", "NAN204"),
        ("import jax.numpy as jnp", "jnp.std(x)", "NAN205"),
        ("import torch", "torch.linalg.eigh(x)", "NAN213"),
        ("import torch", "x[y].mean()", "NAN307"),
        ("import numpy as np", "np.mean(x[y], axis=0)", "NAN307"),
        ("import torch", "x[y.bool()].mean()", "NAN307"),
        ("import torch", "x[y.to(torch.bool), 0].mean()", "NAN307"),
        ("import numpy as np", "np.mean(x[y.astype(bool)])", "NAN307"),
        ("import torch", "(x[y.bool()] == 1).float().mean()", "NAN307"),
        ("import numpy as np", "x[y >= 0] / y[y >= 0, None]", "NAN309"),
        ("from scipy.stats import norm", "norm.ppf(x, loc=y, scale=2.0)", "NAN209"),
        ("from jax.scipy.stats import norm", "norm.ppf(x, y)", "NAN209"),
        ("import torch", "torch.logdet(x)", "NAN201"),
        ("import torch", "torch.linalg.slogdet(x)", "NAN201"),
        ("import torch", "torch.special.xlog1py(y, x)", "NAN201"),
        ("import torch", "x / (x.shape[0] - 1)", "NAN309"),
    ],
)
def test_what_is_not_proved_safe_is_possible(imports: str, expression: str, code: str) -> None:
    found = _found(f"{imports}\n\n\ndef f(x, y):\n    return {expression}\n")
    assert [one.code for one in found] == [code]
    assert found[0].confidence is Confidence.POSSIBLE
    assert found[0].reason


@pytest.mark.parametrize(
    "body",
    [
        "return torch.log(x.clamp(min=1e-6))",
        "return torch.sqrt((x ** 2).sum() + 1e-12)",
        "return x / (x.norm() + 1e-8)",
        "k = torch.where(x.sum() > 0, x, torch.ones_like(x))\n    return y / k.sum()",
        "return torch.log(x) if x > 0 else x",
        "if (x <= 0).any():\n        return x\n    return torch.log(x)",
        "assert (x > 0).all()\n    return x.log()",
        "return torch.log(x[x > 0]), 1 / x[x != 0]",
        "return torch.log(x[x > 0, None]), y[x != 0] / x[x != 0, ...]",
        "x[()] = y[()]\n    return x",
        "if x != 0:\n        return 1 / x\n    return x",
        "return 1 / torch.where(x == 0, torch.ones_like(x), x)",
        "return torch.log(torch.where(x > 0, x, torch.ones_like(x)))",
        "e = torch.exp(x - x.max(-1, keepdim=True).values)\n    return e / e.sum(-1, keepdim=True)",
        "return torch.exp(x - torch.logsumexp(x, -1, keepdim=True))",
        "return torch.exp(torch.log_softmax(x, -1)), torch.exp(-x ** 2 / 2)",
        "return x / x.shape[0], x / len(x), x / x.numel() ** 0.5, x / max(len(x) - 1, 1)",
        "with torch.no_grad():\n        return torch.sqrt(torch.relu(x))",
        "return torch.sqrt(torch.relu(x.detach()))",
        "return x ** 2, x ** 3, x.abs() ** 1.5, 2.0 ** -x.abs()",
        "return torch.softmax(x, -1), torch.log_softmax(x, -1), torch.sigmoid(x)",
        'return torch.nn.functional.cross_entropy(x, y, reduction="sum")',
        "return torch.atan2(x, y)",
        "from scipy.stats import norm\n    return norm.ppf(x.clip(0.1, 0.9), y, 2.0)",
        'return "%s / %s" % (x, y)',
        "rate: float = 0.1\n    steps: int = 3\n    return rate / steps",
    ],
)
def test_what_is_proved_safe_is_silent(body: str) -> None:
    assert _found(f"import torch\n\n\ndef f(x, y):\n    {body}\n") == ()


def test_name_proves_nothing() -> None:
    """Both are quiet by default."""
    text = "import torch\n\n\ndef f(x, eps):\n    return torch.log(torch.relu(x) + eps)\n"
    (found,) = _found(text)
    assert (found.code, found.reason) == ("NAN201", REASONS[-1])
    assert _found(text, DEFAULT) == ()


@pytest.mark.parametrize(
    "place", ["transforms/a.py", "metric_utils.py", "losses.py", "test/a.py", "tests/test_a.py"]
)
@pytest.mark.parametrize("function", ["loss", "step", "evaluate", "accuracy"])
def test_place_and_name_hide_nothing(place: str, function: str) -> None:
    text = (
        f"import torch\n\n\ndef {function}(x, y):\n    a = torch.sqrt(x)\n"
        "    return torch.nn.functional.cross_entropy(torch.softmax(a, -1), y)\n"
    )
    found = check_text(text, place, AUDIT)
    assert {one.code for one in found} == {"NAN203", "NAN603"}


def test_value_needs_no_gradient() -> None:
    text = """\
import torch


@torch.no_grad()
def reward(d):
    return d.log() - (1 - d).log()
"""
    assert [one.code for one in _found(text)] == ["NAN201", "NAN201"]


def test_audit_is_no_part_of_the_default() -> None:
    text = "import torch\n\n\ndef f(p):\n    return torch.log(p)\n"
    assert _found(text, DEFAULT) == _found(text, Settings(min_confidence=Confidence.CERTAIN)) == ()


def test_surer_finding_speaks_alone() -> None:
    text = "import torch\n\n\ndef f(x):\n    return torch.log(torch.softmax(x, -1))\n"
    assert [one.code for one in _found(text)] == ["NAN101"]


def test_operation_of_another_statement_is_reported_there() -> None:
    """The quotient is NaN, but the infinity arises a line before."""
    text = """\
import torch


def f(x):
    e = torch.exp(x)
    return e / e.sum()
"""
    assert [(one.start.row, one.code) for one in _found(text)] == [(5, "NAN504"), (6, "NAN103")]


def test_fix_is_shown_and_not_applied() -> None:
    text = "import torch\n\n\ndef f(p):\n    return torch.log(torch.as_tensor(p))\n"
    everything = Settings(min_confidence=Confidence.POSSIBLE, unsafe_fixes=True)
    (found,) = _found(text)
    assert found.fix is not None
    assert found.fix.applicability is Applicability.DISPLAY_ONLY
    assert fix_text(text, "a.py", everything).text == text


def test_comment_that_silences_the_audit_is_not_idle() -> None:
    text = "import torch\n\n\ndef f(p):\n    return torch.log(p)  # mllint-nan: ignore[NAN201]\n"
    assert _found(text) == _found(text, DEFAULT) == ()


def test_message_claims_no_more_than_is_known() -> None:
    text = "import torch\n\n\ndef f(p):\n    return torch.log(p), torch.sqrt(p)\n"
    for one in _found(text):
        assert "attain" not in one.message
    (sure,) = _found("import torch\n\n\ndef f(p):\n    return torch.log(torch.relu(p))\n")
    assert "attains 0" in sure.message


def test_statistics_group_equal_reasons_and_begin_with_what_is_likely() -> None:
    text = """\
import torch


def f(x, p, q, eps):
    a = torch.log(torch.relu(x)).mean()
    b = torch.log(torch.relu(x) + eps)
    return torch.log(p), torch.log(q), torch.log(p + q), a, b
"""
    counts = per_rule(_found(text), Applicability.SAFE)
    assert [(row.count, row.reason) for row in counts] == [
        (1, None),
        (1, REASONS[0]),
        (2, REASONS[1]),
        (1, REASONS[-1]),
    ]
    assert f"2  NAN201  [ ] log-at-zero (possible: {REASONS[1]})\n" in table(counts)


def test_explanation_tells_proof_from_evidence() -> None:
    text = "import torch\n\n\ndef f(p, x):\n    return torch.log(p), torch.log(x.abs() + 1)\n"
    line = explained_row(text.encode(), "a.py", 5, DEFAULT)
    shown = explained("a.py:5", line, is_whole=True)
    assert "NAN201 log-at-zero (audit): possible\n" in shown
    assert "not proved safe: its operand is an argument" in shown
    assert 'when   attains_zero(x, "as made"): no sign of it' in shown
    assert 'unless lies_in(x, "(0, inf)"): yes, by proof' in shown


def test_explanation_tells_which_name_suggests_an_inspection() -> None:
    mean = "(hits * mask).sum() / mask.sum()"
    text = f"import torch\n\n\ndef accuracy(hits, mask: torch.Tensor):\n    return {mean}\n"
    shown = explained("a.py:5", explained_row(text.encode(), "a.py", 5, DEFAULT), is_whole=True)
    assert "no more than possible: `accuracy` suggests that it is only inspected" in shown


def test_explanation_tells_which_name_counts() -> None:
    text = "import torch\n\n\ndef diagnostics(x):\n    return torch.sqrt(torch.relu(x) * x)\n"
    line = explained_row(text.encode(), "a.py", 5, DEFAULT)
    shown = explained("a.py:5", line, is_whole=True)
    assert (
        "no more than possible: `diagnostics` suggests that nothing is trained through it" in shown
    )
    assert "when   gradient_flows(x): unknown" in shown
    assert "NAN203 sqrt-at-zero (audit): possible" in shown


def test_audit_rests_on_proofs(tmp_path: Path) -> None:
    table = {
        "code": "NAN801",
        "name": "own",
        "summary": "an own rule",
        "hazard": "value",
        "frameworks": ["torch"],
        "match": "cos(x)",
        "message": "an own finding",
        "audit": [{"match": "cos(x)", "message": "cos", "unless": ['is_guarded(x, "draw")']}],
        "witness": [{"text": "x = 0", "given": {"x": [0.0]}}],
        "docs": {
            "why": "w", "example": "e", "instead": "i", "fix_safety": "f", "references": [],
        },
    }  # fmt: skip
    with pytest.raises(RuleError, match=r"audit\[0\]\.unless: `is_guarded\(draw\)` is evidence"):
        parse_rule(table, "own.toml", "own")


def test_audits_speak_of_what_their_rules_are_about() -> None:
    audited = {rule.code for rule in load_rules() if rule.audits}
    assert {code for codes, *_ in (*SINGULAR.values(), *GRADIENTS.values()) for code in codes} <= (
        audited
    )


# Execution

_CALLS: Final = {
    "log": "{m}.log({a})",
    "log1p": "{m}.log1p({a})",
    "sqrt": "{m}.sqrt({a})",
    "exp": "{m}.exp({a})",
    "div": "{a} / {b}",
    "pow": "{a} ** {c}",
    "reciprocal": "1 / {a}",
}
_HARMLESS: Final = (
    "{m}.abs({a})",
    "{a} + {c}",
    "{a} - {b}",
    "{a} * {c}",
    "{a} * {b}",
    "-{a}",
    "{a} ** 2",
    "{m}.tanh({a})",
    "{m}.maximum({a}, {b})",
    "{m}.where({a} > 0, {a}, {m}.ones_like({a}))",
    "{m}.where({a} != 0, {a}, {m}.ones_like({a}))",
    "{m}.clip({a}, min={c}, max=50.0)",
    "{a} + {a}.sum()",
    "{a} - {a}.max()",
    "{a} / ({m}.abs({b}) + 1.0)",
)
_NUMBERS: Final = (1e-6, 0.3, 0.5, 1.0, -1.0, 1.5, 3.0)
_LEAST: Final = 1.2e-38
"""The smallest normal number of float32, roughly."""
_ADVERSARIAL: Final = (0.0, 1.0, -1.0, 0.5, -0.5, 100.0, -100.0, 1e-3)


@st.composite
def programs(draw: st.DrawFn) -> tuple[str, ...]:
    """The statements of a function of x and y, each one operation on earlier results."""
    known, lines = ["x", "y"], []
    for index in range(draw(st.integers(2, 6))):
        calls = (*_CALLS.values(), *_HARMLESS)
        call = draw(st.sampled_from(calls))
        a, b = draw(st.sampled_from(known)), draw(st.sampled_from(known))
        c = draw(st.sampled_from(_NUMBERS))
        lines.append(f"v{index} = " + call.replace("{a}", a).replace("{b}", b).format(m="m", c=c))
        known.append(f"v{index}")
    return tuple(lines)


def _is_singular(line: str) -> bool:
    value = line.partition(" = ")[2]
    return (
        any(f"m.{name}(" in value for name in ("log", "log1p", "sqrt", "exp"))
        or (" / " in value and " + 1.0)" not in value)
        or (" ** " in value and " ** 2" not in value)
    )


def _rows(lines: tuple[str, ...], package: str, chosen: Settings = AUDIT) -> set[int]:
    names = ", ".join(line.partition(" = ")[0] for line in lines)
    body = "".join(f"    {line}\n" for line in lines)
    text = f"import {package} as m\n\n\ndef f(x, y):\n{body}    return {names}\n"
    return {one.start.row - 5 for one in _found(text, chosen)}


def _origins_in_numpy(lines: tuple[str, ...], inputs: list[float]) -> set[int]:
    """The rows at which the first NaN or infinity arises."""
    values: dict[str, Any] = {"m": np, "x": np.float64(inputs[:3]), "y": np.float64(inputs[3:])}
    origins = set()
    with np.errstate(all="ignore"):
        for row, line in enumerate(lines):
            exec(line, values)
            name = line.partition(" = ")[0]
            if not np.isfinite(values[name]).all():
                read = [other for other in ("x", "y", *_names(row)) if other in line]
                if all(np.isfinite(values[other]).all() for other in read):
                    origins.add(row)
    return origins


def _origins_in_torch(lines: tuple[str, ...], inputs: list[float]) -> set[int]:
    """The same for values, and for gradients by the operands of the one operation.

    Numbers next to 0 whose reciprocal is infinite are left out: a positive one counts as not 0.
    """
    torch = pytest.importorskip("torch")
    values: dict[str, Any] = {"x": torch.tensor(inputs[:3]), "y": torch.tensor(inputs[3:])}
    origins = set()
    for row, line in enumerate(lines):
        read = [other for other in ("x", "y", *_names(row)) if other in line]
        leaves = {name: values[name].detach().requires_grad_() for name in read}
        space = {"m": torch, **leaves}
        exec(line, space)
        name = line.partition(" = ")[0]
        result: Any = space[name]
        values[name] = result.detach()
        if not all(values[other].isfinite().all() for other in read):
            continue
        if any((values[other].abs()[values[other] != 0] < _LEAST).any() for other in read):
            continue
        slopes = torch.autograd.grad(result.sum(), list(leaves.values()), allow_unused=True)
        made = [result, *(slope for slope in slopes if slope is not None)]
        if not all(one.isfinite().all() for one in made):
            origins.add(row)
    return origins


@given(programs(), st.lists(st.sampled_from(_ADVERSARIAL), min_size=6, max_size=6))
@settings(max_examples=60, deadline=None)
def test_where_numpy_makes_the_first_nan_is_reported(
    lines: tuple[str, ...], inputs: list[float]
) -> None:
    origins = _origins_in_numpy(lines, inputs)
    assert {row for row in origins if _is_singular(lines[row])} <= _rows(lines, "numpy")


@given(programs(), st.lists(st.sampled_from((*_ADVERSARIAL, 1e308, 1e160)), min_size=6, max_size=6))
@settings(max_examples=60, deadline=None)
def test_where_numpy_leaves_the_format_is_reported(
    lines: tuple[str, ...], inputs: list[float]
) -> None:
    assert _origins_in_numpy(lines, inputs) <= _rows(lines, "numpy", LIMITS)


@pytest.mark.slow
@given(programs(), st.lists(st.sampled_from(_ADVERSARIAL), min_size=6, max_size=6))
@settings(max_examples=60, deadline=None)
def test_where_torch_makes_the_first_nan_is_reported(
    lines: tuple[str, ...], inputs: list[float]
) -> None:
    origins = _origins_in_torch(lines, inputs)
    assert {row for row in origins if _is_singular(lines[row])} <= _rows(lines, "torch")


@pytest.mark.slow
@given(programs(), st.lists(st.sampled_from((*_ADVERSARIAL, 3e38, 1e20)), min_size=6, max_size=6))
@settings(max_examples=60, deadline=None)
def test_where_torch_leaves_the_format_is_reported(
    lines: tuple[str, ...], inputs: list[float]
) -> None:
    assert _origins_in_torch(lines, inputs) <= _rows(lines, "torch", LIMITS)


_FLAT: Final = ("{m}.tanh({a})", "{m}.exp({a})", "{m}.sigmoid({a})", "{m}.erf({a})")
_STEEP: Final = ("{a} * {c}", "{a} + {c}", "{m}.sin({a})", "{m}.clip({a}, min={c}, max=50.0)")


@st.composite
def chains(draw: st.DrawFn) -> tuple[str, ...]:
    """Statements that each compute one operation of the result before."""
    calls = st.sampled_from((*_FLAT, *_STEEP))
    number = st.sampled_from((-30.0, -1.0, 0.3, 8.0, 20.0))
    names = ["x", *_names(4)]
    return tuple(
        f"{name} = " + draw(calls).replace("{a}", read).format(m="m", c=draw(number))
        for read, name in itertools.pairwise(names)
    )


@pytest.mark.slow
@given(chains(), st.lists(st.floats(-120, 120, width=32), min_size=3, max_size=3))
@settings(max_examples=60, deadline=None)
def test_where_a_gradient_of_torch_is_0_is_reported(
    lines: tuple[str, ...], inputs: list[float]
) -> None:
    torch = pytest.importorskip("torch")
    operand, flat = torch.tensor(inputs), set()
    for row, line in enumerate(lines):
        name, _, value = line.partition(" = ")
        read = operand.detach().requires_grad_()
        operand = eval(value, {"m": torch, ("x", *_names(row))[-1]: read})
        (slope,) = torch.autograd.grad(operand.sum(), read)
        if operand.isfinite().all() and (slope == 0).any() and "sin" not in value:
            flat.add(row)
    assert flat <= _rows(lines, "torch", LIMITS), name


def _names(rows: int) -> list[str]:
    return [f"v{row}" for row in range(rows)]


@pytest.mark.parametrize(
    ("counted", "is_count"), [("np.add.at(c, i, 1)", True), ("np.subtract.at(c, i, 1)", False)]
)
def test_only_what_is_counted_up_is_not_negative(counted: str, is_count: bool) -> None:
    text = f"import numpy as np\n\n\ndef f(i):\n    c = np.zeros(5)\n    {counted}\n"
    found = check_text(f"{text}    return np.log(c + 1)\n", "f.py", AUDIT)
    assert ({one.code for one in found} == set()) is is_count


@pytest.mark.parametrize(
    ("ignored", "confidence"),
    [('over="ignore"', Confidence.LIKELY), ('invalid="ignore"', Confidence.POSSIBLE)],
)
def test_flags_that_are_ignored_lower_what_raises_them(
    ignored: str, confidence: Confidence
) -> None:
    lines = f"def f(x):\n    d = np.abs(x).sum()\n    with np.errstate({ignored}):\n"
    (found,) = check_text(f"import numpy as np\n\n\n{lines}        return x / d\n", "f.py", AUDIT)
    assert found.confidence is confidence
