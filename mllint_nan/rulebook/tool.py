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
    "the file is not Python 3, so only the parts that can be read were analysed",
    why="The syntax of Python 2 is read as its equivalent in Python 3; a statement that cannot be "
    "read is left out, and the names that it assigns are unknown. Nothing in such a file is ever "
    "changed.",
)

UNUSED_SUPPRESSION: Final = _rule(
    "NAN902",
    "unused-suppression",
    "a comment silences nothing: its rule reports nothing there, or it is misspelt",
    why="The comment would hide what the rule may report there one day. A comment that is misspelt "
    "or written for another linter does not silence what its reader believes it does.",
    fix_safety="Only the comment changes.",
    fixes=(Repair(None, None, Pattern.parse("x"), Applicability.SAFE, (), (), None),),
)

TOOL_RULES: Final = (SYNTAX_ERROR, UNUSED_SUPPRESSION)
