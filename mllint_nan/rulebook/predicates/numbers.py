"""Questions about numbers of Python's own, which no gradient flows into."""

from __future__ import annotations

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import Term
from mllint_nan.rulebook.predicates.context import Context, known, tells
from mllint_nan.rulebook.predicates.members import Form


@tells(Form.NUMBER)
def is_python_number(context: Context, x: Term) -> Truth:
    """x is a number of Python's own, or a NumPy scalar: no tensor."""
    return known(context.kind(x) is Kind.NUMBER)
