"""What is known of parameters: what the calls in sight pass, and what the name of one says."""

from __future__ import annotations

from textwrap import dedent

import pytest

from mllint_nan.domains.value import Value
from mllint_nan.flow.oracle import Oracle
from tests.flow.analysed import analysed, occurrence


def value_logged(text: str) -> Value:
    """The value of what the first logarithm is taken of, all calls of the file considered."""
    interpreter = analysed(text)
    place = occurrence(interpreter, "log")
    oracle = Oracle(interpreter.build, interpreter.analysis)
    return oracle.value(place.term.operands[0], place.state.facts)


@pytest.mark.parametrize(
    ("parameters", "calls", "bounds"),
    [
        ("v", "_f(2.0)", (2.0, 2.0)),
        ("v", "_f(v=2.0)", (2.0, 2.0)),
        ("v=3.0", "_f()", (3.0, 3.0)),
        ("v=3.0", "_f()\n_f(5.0)", (3.0, 5.0)),
        ("w, v", "_f(0, 2.0)\n_f(v=4.0, w=x)", (2.0, 4.0)),
        ("w, *, v=3.0", "_f(0, v=2.0)", (2.0, 2.0)),
        ("v, **others", "_f(2.0)\n_f(4.0, w=x)", (2.0, 4.0)),
        ("v, *others", "_f(2.0)\n_f(4.0, x, x)", (2.0, 4.0)),
    ],
)
def test_parameter_is_one_of_what_is_passed(
    parameters: str, calls: str, bounds: tuple[float, float]
) -> None:
    value = value_logged(f"def _f({parameters}):\n    return torch.log(v)\n{calls}")
    assert (value.lo, value.hi) == bounds


@pytest.mark.parametrize(
    ("parameters", "calls"),
    [
        ("v", "_f(2.0)\n_f(*x)"),
        ("v", "_f(2.0)\n_f(**x)"),
        ("*v", "_f(2.0)"),
        ("v=1.0", "_f(2.0)\n_f(*x)"),
        ("v", "_f(2.0)\nmap(_f, x)"),
        ("v", "_f(2.0)\ng(_f)"),
        ("v", "x = _f"),
    ],
)
def test_parameter_is_unknown_where_a_call_is_not_plain(parameters: str, calls: str) -> None:
    value = value_logged(f"def _f({parameters}):\n    return torch.log(v)\n{calls}")
    assert value.lo < 0 < value.hi


@pytest.mark.parametrize(
    ("calls", "is_known"),
    [
        ("self._f(2.0)", True),
        ("self._f(v=2.0)", True),
        ("self._f(*x)", False),
        ("g(self._f)", False),
    ],
)
def test_parameter_of_a_private_method(calls: str, is_known: bool) -> None:
    text = f"""
class Net:
    def _f(self, v):
        return torch.log(v)

    def forward(self, x):
        {calls}
"""
    value = value_logged(text)
    assert (value.lo == value.hi == 2.0) is is_known


@pytest.mark.parametrize(
    "text",
    [
        "def f(x, eps=1e-6):\n    return torch.log(eps)",
        "class A:\n    def __init__(self, eps=1e-6):\n        self.eps = eps\n"
        "    def f(self):\n        return torch.log(self.eps)",
        "class A:\n    eps: float = 1e-6\n    def f(self):\n        return torch.log(self.eps)",
        "def f(config):\n    return torch.log(config.eps)",
        "from settings import EPS\ntorch.log(EPS)",
        "import settings\ntorch.log(settings.EPS)",
    ],
)
def test_epsilon_is_positive_by_its_name(text: str) -> None:
    assert value_logged(text).lo > 0


@pytest.mark.parametrize(
    "text",
    [
        "def f(x, offset=1e-6):\n    return torch.log(offset)",
        "class A:\n    def __init__(self, offset=1e-6):\n        self.offset = offset\n"
        "    def f(self):\n        return torch.log(self.offset)",
        "def f(config):\n    return torch.log(config.offset)",
        "from settings import OFFSET\ntorch.log(OFFSET)",
    ],
)
def test_another_setting_is_not(text: str) -> None:
    assert value_logged(text).lo < 0


def test_epsilon_that_is_read_by_its_name_is_possible_at_most() -> None:
    value = value_logged('def f(config):\n    torch.log(getattr(config, "eps", 1e-6))')
    assert 0.0 not in value.attained


@pytest.mark.parametrize(
    "text",
    [
        """
        class A:
            def __init__(self):
                self.v = 2.0
            def f(self):
                return torch.log(self.v)
        """,
        """
        class A:
            def f(self):
                return torch.log(self.v)
            def __init__(self):
                self.v = v_of_all()
        def v_of_all():
            return 2.0
        """,
        """
        class A:
            def f(self):
                return torch.log(B().v)
        class B:
            def __init__(self):
                self.c = C()
                self.v = self.c.v
        class C:
            def __init__(self):
                self.v = 2.0
        """,
        """
        def make():
            two = 2.0
            class A:
                def f(self):
                    return torch.log(self.v)
                def __init__(self):
                    self.v = two
            return A
        """,
        """
        class A:
            def __init__(self):
                self.v = 2.0
        torch.log(A().v)
        """,
        """
        class A:
            def __init__(self):
                self.v = 2.0
                torch.log(self.v)
                self.w = A().v
        """,
    ],
    ids=["plain", "later function", "other classes", "in a function", "before the end", "itself"],
)
def test_attribute_is_what_its_constructor_sets(text: str) -> None:
    value = value_logged(dedent(text))
    assert (value.lo, value.hi) == (2.0, 2.0)


def test_constructor_is_evaluated_once() -> None:
    text = """
    class A:
        def f(self):
            return self.v + self.w
        def __init__(self):
            self.v, self.w = 1.0, torch.exp(2.0)
    """
    found = analysed(text).analysis.occurrences
    assert [place.term.operation.name for place in found].count("exp") == 1
