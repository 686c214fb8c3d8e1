"""What the functions of a notebook are called with: nobody imports them."""

from __future__ import annotations

from typing import Final

from mllint_nan.ir.term import INPUT, Term
from mllint_nan.rulebook.predicates.context import Context, passed_for

_NOTEBOOK: Final = ".ipynb"


def passed_in_notebook(context: Context, parameter: Term) -> list[Term]:
    """What is passed for a parameter of a notebook's function, if all of its calls are visible."""
    analysis = context.analysis
    if parameter.operation is not INPUT or not analysis.path.endswith(_NOTEBOOK):
        return []
    function, name = analysis.parameters.get(parameter.key, (0, ""))
    bindings = analysis.bindings.get(function, ())
    is_visible = len(analysis.callers.get(function, ())) == len(bindings)
    given = passed_for(context, parameter)
    return given if name and is_visible and len(given) == len(bindings) else []
