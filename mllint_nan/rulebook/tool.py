"""The codes that no rule file stands for: what the tool says of a file itself."""

from __future__ import annotations

from typing import Final

from mllint_nan.rulebook.rule import Docs, Rule


def _rule(code: str, name: str, summary: str, why: str = "", fix_safety: str = "") -> Rule:
    return Rule(
        code=code,
        name=name,
        family="tool",
        summary=summary,
        cases=(),
        fixes=(),
        witnesses=(),
        overrides=(),
        parameters={},
        docs=Docs(why=why, example="", instead="", fix_safety=fix_safety, references=()),
        path="",
    )


SYNTAX_ERROR: Final = _rule(
    "NAN901", "syntax-error", "the file is not Python, so nothing in it was analysed"
)

TOOL_RULES: Final = (SYNTAX_ERROR,)
