"""The codes without a rule file: what the tool reports about a file itself."""

from __future__ import annotations

from typing import Final

from mllint_nan.findings import Applicability
from mllint_nan.rulebook.pattern import Pattern
from mllint_nan.rulebook.rule import Docs, Repair, Rule

TOOL: Final = "tool"
"""The family of these rules; no comment silences them."""


def _rule(
    code: str,
    name: str,
    summary: str,
    why: str = "",
    fix_safety: str = "",
    fixes: tuple[Repair, ...] = (),
) -> Rule:
    return Rule(
        code=code,
        name=name,
        family=TOOL,
        summary=summary,
        cases=(),
        audits=(),
        fixes=fixes,
        witnesses=(),
        overrides=(),
        uncovers=(),
        parameters={},
        docs=Docs(why=why, example="", instead="", fix_safety=fix_safety, references=()),
        path="",
    )


SYNTAX_ERROR: Final = _rule(
    "NAN901",
    "syntax-error",
    "the file is not Python 3, so only what can be read of it was analysed",
    why="The syntax of Python 2 is read as its equivalent in Python 3; a statement that cannot be "
    "read is left out, and what it assigns is unknown. Nothing in such a file is ever changed.",
)

UNUSED_SUPPRESSION: Final = _rule(
    "NAN902",
    "unused-suppression",
    "a comment silences nothing: its rule reports nothing there, or it is misspelt",
    why="It would hide what the rule may report there one day. One that is misspelt, or written "
    "as for another linter, is believed to silence what it does not.",
    fix_safety="Only the comment changes.",
    fixes=(Repair(None, None, Pattern.parse("x"), Applicability.SAFE, (), (), None),),
)

TOOL_RULES: Final = (SYNTAX_ERROR, UNUSED_SUPPRESSION)
