"""One line of code broken into several, where the common formatters break it.

A line is broken at its last bracket; the content at its commas, else before its loosest operators,
else at its own last bracket. If only the operators of a whole right side can be broken, parentheses
are put around it.

>>> print("\\n".join(broken("total = first(alpha, beta) + second(gamma)", 24)))
total = first(
    alpha, beta
) + second(gamma)
"""

from __future__ import annotations

import io
import keyword
import token
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_INDENT: Final = "    "
_OPENING: Final = frozenset("([{")
_CLOSING: Final = frozenset(")]}")
_ASSIGNMENTS: Final = frozenset(
    ("=", "+=", "-=", "*=", "/=", "//=", "%=", "@=", "&=", "|=", "^=", "<<=", ">>=", "**=")
)
_COMPREHENSION, _COMMA, _TERNARY, _OR, _COMPARISON, _DOT = 20, 18, 16, 14, 10, 1
_PRIORITIES: Final = {
    "for": _COMPREHENSION,
    ",": _COMMA,
    "or": _OR,
    "and": _OR - 1,
    **dict.fromkeys(("<", ">", "<=", ">=", "==", "!=", "in", "is"), _COMPARISON),
    "|": 9,
    "^": 8,
    "&": 7,
    **dict.fromkeys(("<<", ">>"), 6),
    **dict.fromkeys("+-", 5),
    **dict.fromkeys(("*", "/", "//", "%", "@"), 4),
    "**": 2,
}
_UNWRAPPED: Final = frozenset(("return", "yield", "assert", "if", "elif", "while", "in"))


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    start: int
    end: int
    depth: int
    partner: int = -1
    """For a bracket: the index of the matching one."""


@dataclass(frozen=True, slots=True)
class _Fragment:
    """A part of a line, with its tokens."""

    text: str
    tokens: tuple[_Token, ...]

    def between(self, first: int, last: int) -> str:
        """The text from the token `first` up to, but without, the token `last`."""
        if first >= last:
            return ""
        return self.text[self.tokens[first].start : self.tokens[last - 1].end]


def broken(line: str, limit: int) -> list[str] | None:
    """The lines for a logical line without a comment; `None` if they cannot be made to fit."""
    code = line.lstrip()
    indent = line[: len(line) - len(code)]
    fragment = _fragment(code)
    if fragment is None or not fragment.tokens:
        return None
    first = fragment.tokens[0].text
    if first in ("def", "class", "async", "import", "from", "with", "del", "lambda", "@"):
        return None
    start = _beginning(fragment)
    end = len(fragment.tokens) - (fragment.tokens[-1].text == ":")
    expression = _fragment(fragment.between(start, end))
    if expression is None or not expression.tokens:
        return None
    prefix = indent + code[: fragment.tokens[start].start]
    suffix = code[fragment.tokens[end - 1].end :]
    lines = _right_side(expression, prefix, suffix, indent, limit)
    return lines if all(len(one) <= limit for one in lines) else None


def broken_inside(line: str, limit: int) -> list[str] | None:
    """Like `broken`, for a line that is already between brackets; `None` if it stays whole."""
    code = line.strip()
    indent = line[: len(line) - len(line.lstrip())]
    suffix = "," if code.endswith(",") else ""
    fragment = _fragment(code.removesuffix(","))
    if fragment is None or not fragment.tokens:
        return None
    lines = list(_inside(fragment, indent, suffix, limit))
    return lines if len(lines) > 1 and all(len(one) <= limit for one in lines) else None


def _fragment(code: str) -> _Fragment | None:
    """The tokens of a balanced text on one line; `None` for any other text."""
    tokens: list[_Token] = []
    opened: list[int] = []
    try:
        found = list(tokenize.generate_tokens(io.StringIO(code).readline))
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return None
    for one in found:
        if one.type in (token.NEWLINE, token.NL, token.ENDMARKER, token.INDENT, token.DEDENT):
            continue
        if one.type in (token.COMMENT, token.ERRORTOKEN) or one.start[0] != 1 or one.end[0] != 1:
            return None
        if one.string in _CLOSING:
            if not opened:
                return None
            partner = opened.pop()
            other = tokens[partner]
            tokens[partner] = _Token(other.text, other.start, other.end, other.depth, len(tokens))
            tokens.append(_Token(one.string, one.start[1], one.end[1], len(opened), partner))
            continue
        tokens.append(_Token(one.string, one.start[1], one.end[1], len(opened)))
        if one.string in _OPENING:
            opened.append(len(tokens) - 1)
    return None if opened else _Fragment(code, tuple(tokens))


def _beginning(fragment: _Fragment) -> int:
    """The index of the first token that can be wrapped in parentheses."""
    outside = [index for index, one in enumerate(fragment.tokens) if one.depth == 0]
    assigned = [index for index in outside if fragment.tokens[index].text in _ASSIGNMENTS]
    if assigned:
        return assigned[-1] + 1
    first = fragment.tokens[0].text
    if first == "for":
        return next(index for index in outside if fragment.tokens[index].text == "in") + 1
    return int(first in _UNWRAPPED)


def _right_side(side: _Fragment, prefix: str, suffix: str, indent: str, limit: int) -> list[str]:
    if not _does_without_parentheses(side, prefix, limit):
        return _wrapped(side, prefix, suffix, indent, limit)
    split = _at_last_bracket(side, prefix, suffix, indent, limit)
    return split or _wrapped(side, prefix, suffix, indent, limit)


def _wrapped(side: _Fragment, prefix: str, suffix: str, indent: str, limit: int) -> list[str]:
    if _COMMA in _delimiters(side).values() and not side.text.endswith(","):
        side = _fragment(f"{side.text},") or side  # the items of a tuple go on lines of their own
    inside = list(_inside(side, indent + _INDENT, "", limit))
    return [f"{prefix}(", *inside, f"{indent}){suffix}"]


def _does_without_parentheses(side: _Fragment, prefix: str, limit: int) -> bool:
    """Whether breaking it at its own brackets is better than parentheses around all of it."""
    delimiters = _delimiters(side)
    if not delimiters:
        return True
    highest = max(delimiters.values())
    if highest == _COMMA or list(delimiters.values()).count(highest) > 1:
        return False
    if highest == _DOT:
        return True
    tokens = side.tokens
    if tokens[0].text in _OPENING and tokens[0].partner > 1:
        rest = side.text[tokens[tokens[0].partner].start :]
        if len(prefix) + len(rest) <= limit:
            return True
    last = tokens[-1]
    if last.text not in ")}" or last.partner == len(tokens) - 2:
        return False
    before = tokens[: last.partner]
    return any(one.text in _OPENING for one in before) or (
        len(prefix) + tokens[last.partner].end <= limit
    )


def _delimiters(fragment: _Fragment) -> dict[int, int]:
    """The priority of each token outside of brackets at which a line can be broken."""
    found: dict[int, int] = {}
    in_comprehension = False
    for index, one in enumerate(fragment.tokens):
        if not index or one.depth or one.text in _OPENING or one.text in _CLOSING:
            in_comprehension |= one.text == "for"
            continue
        if one.text == "lambda":
            break
        before = fragment.tokens[index - 1] if index else None
        in_comprehension |= one.text == "for"
        if one.text in ("if", "else"):
            found[index] = _COMPREHENSION if in_comprehension else _TERNARY
        elif one.text == "." and before is not None and before.text in _CLOSING:
            found[index] = _DOT
        elif one.text == "not" and _is_operator_pair(fragment, index):
            found[index] = _COMPARISON
        elif one.text in _PRIORITIES and not _is_unary(one, before):
            if one.text == "in" and (in_comprehension or (before and before.text == "not")):
                continue
            found[index] = _PRIORITIES[one.text]
    return found


def _is_operator_pair(fragment: _Fragment, index: int) -> bool:
    """Whether this is the `not` of `not in`."""
    following = fragment.tokens[index + 1 : index + 2]
    return bool(following) and following[0].text == "in"


def _is_unary(one: _Token, before: _Token | None) -> bool:
    if one.text not in ("+", "-", "*", "**"):
        return False
    if before is None or before.text in _OPENING:
        return True
    if before.text in _CLOSING or before.text[0] in "\"'":
        return False
    is_name = before.text[0].isalnum() or before.text[0] in "_."
    return not is_name or (keyword.iskeyword(before.text) and before.text not in _VALUES)


_VALUES: Final = frozenset(("None", "True", "False"))


def _at_last_bracket(
    side: _Fragment, prefix: str, suffix: str, indent: str, limit: int
) -> list[str] | None:
    """Break at the last bracket that is not empty, preferably one that leaves lines that fit."""
    fallback: list[str] | None = None
    for closing in reversed(range(len(side.tokens))):
        one = side.tokens[closing]
        if one.depth or one.text not in _CLOSING or one.partner == closing - 1:
            continue
        head = prefix + side.text[: side.tokens[one.partner].end]
        tail = f"{indent}{side.text[one.start :]}{suffix}"
        body = _fragment(side.between(one.partner + 1, closing))
        if body is None or len(head) > limit or len(tail) > limit:
            continue
        lines = [head, *_inside(body, indent + _INDENT, "", limit), tail]
        if all(len(line) <= limit for line in lines):
            return lines
        fallback = fallback or lines
    return fallback


def _inside(fragment: _Fragment, indent: str, suffix: str, limit: int) -> Iterator[str]:
    """Yield the lines of what is between brackets, at this indentation."""
    line = f"{indent}{fragment.text}{suffix}"
    delimiters = _delimiters(fragment)
    ends_with_comma = bool(fragment.tokens) and fragment.tokens[-1].text == ","
    if len(line) <= limit and not (ends_with_comma and len(delimiters) > 1):
        yield line
        return
    highest = max(delimiters.values(), default=0)
    places = [index for index, priority in delimiters.items() if priority == highest]
    if not places or (highest == _DOT and len(places) == 1):
        split = _at_last_bracket(fragment, indent, suffix, indent, limit)
        yield from split or (line,)
        return
    if highest == _COMMA:
        for item in _items(fragment, places):
            yield from _each(item, indent, ",", limit)
        return
    pieces = [
        fragment.between(first, last)
        for first, last in zip([0, *places], [*places, len(fragment.tokens)], strict=True)
    ]
    for piece in pieces[:-1]:
        yield from _each(piece, indent, "", limit)
    yield from _each(pieces[-1], indent, suffix, limit)


def _items(fragment: _Fragment, commas: Sequence[int]) -> Iterator[str]:
    start = 0
    for comma in (*commas, len(fragment.tokens)):
        if comma > start:
            yield fragment.between(start, comma)
        start = comma + 1


def _each(code: str, indent: str, suffix: str, limit: int) -> Iterator[str]:
    """Yield the lines of one item, or of one operand with the operator before it."""
    fragment = _fragment(code)
    if fragment is None or not fragment.tokens:
        yield f"{indent}{code}{suffix}"
        return
    yield from _inside(fragment, indent, suffix, limit)
