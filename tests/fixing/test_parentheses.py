"""Parentheses that only the replaced text needed go with it; others stay."""

from __future__ import annotations

from textwrap import indent

import pytest

from mllint_nan.linter import Settings, fix_text

IMPORT = "import torch\n\n\n"
HEAD = f"{IMPORT}def f(q, k, t, *rest):\n"
ENTROPY = "return attn @ t, -(attn * attn.log()).sum()"
REPAIRED = "return attn @ t, -(attn * attn_logits.log_softmax(dim=-1)).sum()"


def body(text: str) -> str:
    after = fix_text(HEAD + indent(text, "    ") + "\n", "a.py", Settings()).text
    compile(after, "a.py", "exec")
    assert after.startswith(HEAD)
    return "\n".join(line.removeprefix("    ") for line in after.removeprefix(HEAD).splitlines())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("attn = (q @ k).softmax(-1)", "attn_logits = q @ k\nattn = attn_logits.softmax(-1)"),
        (
            "attn = (\n    q @ k\n).softmax(-1)",
            "attn_logits = q @ k\nattn = attn_logits.softmax(-1)",
        ),
    ],
)
def test_name_of_an_operand_stands_without_parentheses(before: str, after: str) -> None:
    assert body(f"{before}\n{ENTROPY}") == f"{after}\n{REPAIRED}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("torch.log((q.softmax(-1)))", "torch.log_softmax(q, dim=-1)"),
        ("torch.log((torch.softmax(q, -1))[0])", "torch.log_softmax(q, dim=-1)[0]"),
        ("((torch.softmax(q, -1)))[0].log()", "torch.log_softmax(q, dim=-1)[0]"),
        ("k + (\n    torch.log(torch.softmax(q, -1))\n)", "k + torch.log_softmax(q, dim=-1)"),
        (
            "(torch.log(torch.softmax(q, -1)) + k).sum()",
            "(torch.log_softmax(q, dim=-1) + k).sum()",
        ),
        (
            "torch.log((q.exp() / q.exp().sum())[0])",
            "(q - torch.amax(q) - torch.log(torch.sum(torch.exp(q - torch.amax(q)))))[0]",
        ),
    ],
)
def test_parentheses_stay_where_they_are_needed(before: str, after: str) -> None:
    assert body(f"return {before}") == f"return {after}"


@pytest.mark.parametrize(
    "commented",
    [
        f"attn = (  # of pairs\n    q @ k\n).softmax(-1)\n{ENTROPY}",
        "return (\n    # of the classes\n    torch.log(torch.softmax(q, -1))\n)",
    ],
)
def test_what_has_a_comment_in_parentheses_is_left_to_its_author(commented: str) -> None:
    assert body(commented) == commented
