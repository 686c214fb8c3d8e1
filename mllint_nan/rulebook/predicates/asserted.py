"""Settings of an object that one of its methods asserts to lie between two numbers."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.ir.term import ATTRIBUTE, CHOICE, OPAQUE, Term, behind_views, number_of, peel
from mllint_nan.rulebook.predicates.context import Context, kept

_LESS: Final = re.compile(r"^call (tensorflow|chex)\.(\w+\.)*assert_less$")
_GREATER: Final = re.compile(r"^call (tensorflow|chex)\.(\w+\.)*assert_greater$")


def is_kept_from_zero(context: Context, difference: Term) -> bool:
    """Whether it is `1 - c ** 2` of a setting that is asserted to lie strictly between -1 and 1.

    A function that the program may have been given in place of the setting counts as well.
    """
    if difference.operation.name != "sub" or number_of(difference.operands[0]) != 1:
        return False
    squared = behind_views(difference.operands[1])
    if squared.operation.name != "square":
        return False
    setting = behind_views(squared.operands[0])
    options = setting.operands if setting.operation is CHOICE else (setting,)
    others = [behind_views(one) for one in options]
    asserted = [one for one in others if _is_within(context, one)]
    names = {f"call {one.detail}" for one in asserted}
    return bool(asserted) and all(
        one in asserted or (one.operation is OPAQUE and one.detail in names) for one in others
    )


def _is_within(context: Context, setting: Term) -> bool:
    stored = kept(context, setting) if setting.operation is ATTRIBUTE else []
    keys = {setting.key, *(peel(one).key for one in stored)}
    bounds = {
        (pattern, number_of(behind_views(call.operands[2])))
        for call in context.analysis.made
        for pattern in (_LESS, _GREATER)
        if len(call.operands) > 2
        and pattern.search(str(call.detail))
        and peel(call.operands[1]).key in keys
    }
    return bool(stored) and (_LESS, 1) in bounds and (_GREATER, -1) in bounds
