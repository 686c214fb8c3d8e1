"""The syntax of Python 2 as its equivalent in Python 3.

Only text that CPython refuses gets here: `print (x)` and `print -x` are read as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from mllint_nan.syntax.statements import Piece, Token, deep

UNREAD: Final = "__unread__"
"""A name that nothing binds, for an unknown value."""
_RAW: Final = frozenset(("ur", "uR", "Ur", "UR"))
_LONG: Final = frozenset("lL")


class Change(NamedTuple):
    """Replaces the text from `start` to `end` by `text`, which has as many rows."""

    start: int
    end: int
    text: str


def modern(piece: Piece) -> list[Change]:
    """The changes that make Python 3 of a header or a simple statement of Python 2."""
    tokens = piece.tokens
    changes = [*_parts(tokens), *_lambdas(tokens)]
    match piece.word:
        case "print" if len(tokens) > 1 and not piece.is_header:
            changes += _printed(tokens)
        case "exec" if len(tokens) > 1 and not piece.is_header:
            changes += _executed(tokens)
        case "raise":
            changes += _raised(tokens)
        case "except":
            changes += [Change(token.start, token.end, " as") for token in _commas(tokens[:-1])[:1]]
        case "def":
            first = next((i for i, token in enumerate(tokens) if token.text == "("), len(tokens))
            changes += _unpacked(tokens[first + 1 : _closing(tokens, first)], tokens[-1].end)
    return sorted(set(changes))


def _parts(tokens: Sequence[Token]) -> Iterator[Change]:
    """Yield the changes for backticks, numbers, strings, `<>`, and `async` as a name."""
    is_open = False
    for token, after in zip(tokens, (*tokens[1:], None), strict=True):
        touches = after is not None and after.start == token.end
        follows = after.text if after is not None else ""
        if token.text == "`":
            is_open = not is_open
            yield Change(token.start, token.end, "repr(" if is_open else ")")
        elif token.text == "<" and touches and follows == ">":
            yield Change(token.start, token.end + 1, "!=")
        elif token.kind == "NUMBER" and touches and follows in _LONG:
            yield Change(token.end, token.end + 1, "")
        elif token.kind == "NUMBER" and touches and not token.text.strip("0") and follows.isdigit():
            yield Change(token.start, token.end, "0o")
        elif token.text in _RAW and after is not None and touches and after.kind == "STRING":
            yield Change(token.start, token.end, "r")
        elif token.text == "async" and follows not in ("def", "for", "with"):
            yield Change(token.start, token.end, "async_")


def _printed(tokens: Sequence[Token]) -> Iterator[Change]:
    """Yield the changes of a `print`; the file of `print >>f, x` becomes an argument."""
    if tokens[1].text == ">>":
        yield Change(tokens[1].start, tokens[1].end, "(")
    else:
        yield Change(tokens[0].end, tokens[0].end, "(")
    yield Change(tokens[-1].end, tokens[-1].end, ")")


def _executed(tokens: Sequence[Token]) -> Iterator[Change]:
    yield Change(tokens[0].end, tokens[0].end, "(")
    for token, depth in deep(tokens):
        if token.text == "in" and not depth:
            yield Change(token.start, token.end, ",")
            break
    yield Change(tokens[-1].end, tokens[-1].end, ")")


def _raised(tokens: Sequence[Token]) -> Iterator[Change]:
    for comma in _commas(tokens)[:1]:
        yield Change(comma.start, comma.end, "(")
        yield Change(tokens[-1].end, tokens[-1].end, ")")


def _commas(tokens: Iterable[Token]) -> list[Token]:
    """The commas outside of brackets."""
    found = deep(tuple(tokens))
    return [token for token, depth in found if token.text == "," and not depth]


def _lambdas(tokens: Sequence[Token]) -> Iterator[Change]:
    for index, token in enumerate(tokens):
        if token.text != "lambda":
            continue
        depth = 0
        for last in range(index + 1, len(tokens)):
            text = tokens[last].text
            if text == ":" and not depth:
                yield from _unpacked(tokens[index + 1 : last], tokens[last].start)
                break
            depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))


def _unpacked(parameters: Sequence[Token], end: int) -> Iterator[Change]:
    """Yield the changes that replace tuples among parameters by names, and add their elements."""
    inner: list[str] = []
    rest = None
    is_first, depth, index = True, 0, 0
    while index < len(parameters):
        token = parameters[index]
        if is_first and token.text == "(":
            last = _closing(parameters, index)
            within = parameters[index:last]
            inner += (one.text for one in within if one.kind == "NAME")
            stop = parameters[last].end if last < len(parameters) else end
            yield Change(token.start, stop, f"__tuple{len(inner)}__")
            index = last
        else:
            depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
            if is_first and token.text == "**":
                rest = token
        is_first = token.text == "," and not depth
        index += 1
    if not inner:
        return
    given = ", ".join(f"{name}={UNREAD}" for name in inner)
    if rest is not None:
        yield Change(rest.start, rest.start, f"{given}, ")
    else:
        comma = " " if parameters[-1].text == "," else ", "
        yield Change(parameters[-1].end, parameters[-1].end, f"{comma}{given}")


def _closing(tokens: Sequence[Token], index: int) -> int:
    """The index of the token that closes this bracket; the number of tokens if none does."""
    depth = 0
    for place in range(index, len(tokens)):
        depth += (tokens[place].text in ("(", "[", "{")) - (tokens[place].text in (")", "]", "}"))
        if not depth:
            return place
    return len(tokens)
