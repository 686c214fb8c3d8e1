"""Text to nodes: the parse, and the place of each node."""

from __future__ import annotations

import ast
import dataclasses
import re
import warnings
from collections.abc import Iterator
from functools import cache, cached_property
from typing import Final

import libcst as cst
from libcst._nodes.internal import CodegenState

from mllint_nan.findings import Span
from mllint_nan.syntax.decoding import SourceError, UnsupportedError
from mllint_nan.syntax.lines import Lines

_ONLY_AST = ast.PyCF_ONLY_AST
_BRACKETS_DEEPEST = 200
"""CPython's own limit (`MAXLEVEL` of its tokenizer); beyond it nothing can import the file."""
_LINKS_MOST = 1000
"""LibCST parses so many chained calls in a second and a half, twice as many in four times that."""
_SEARCHES_MOST = 16
"""The most descents to single nodes that cost less than recording the parents of all."""
_LOCATED = (
    cst.BaseExpression,
    cst.BaseSmallStatement,
    cst.SimpleStatementLine,
    cst.BaseCompoundStatement,
)

_LEXEME = re.compile(
    r"""(?P<skip>\#[^\n]*
        |'''(?:\\.|[^\\])*?'''|\"\"\"(?:\\.|[^\\])*?\"\"\"
        |'(?:\\(?:\r\n|.)|[^\\\n'])*'|"(?:\\(?:\r\n|.)|[^\\\n"])*")
        |(?P<open>[(\[{])|(?P<link>[)\]][\s\\]*(?=[.(\[]))|(?P<close>[)\]}])""",
    re.VERBOSE | re.DOTALL,
)
_NAMES_OF_LINK = re.compile(r"(?:\.[\s\\]*\w+[\s\\]*)*")


def _explained(text: str, error: cst.ParserSyntaxError) -> Exception:
    """CPython's account of a syntax error, whose places are exact, else LibCST's."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<text>", "exec", dont_inherit=True, flags=_ONLY_AST)
    except SyntaxError as exact:
        return SourceError(exact.msg or "invalid syntax", exact.lineno or 1, exact.offset or 1)
    except (RecursionError, MemoryError, ValueError, OverflowError):
        pass
    else:
        return UnsupportedError("LibCST cannot parse this file, although it is Python")
    place = re.search(r"error at (\d+):(\d+): (.*)", error.message)
    if place is None:
        return SourceError(error.message, error.raw_line, error.raw_column + 1)
    return SourceError(place[3], int(place[1]), int(place[2]) + 1)


def check_nesting(text: str, lines: Lines) -> None:
    """Raise an error for a text whose parse would take minutes, or end the process."""
    if sum(map(text.count, "([{")) <= min(_BRACKETS_DEEPEST, _LINKS_MOST):
        return
    depth = 0
    links, ends = [0] * (_BRACKETS_DEEPEST + 2), [0] * (_BRACKETS_DEEPEST + 2)
    for lexeme in _LEXEME.finditer(text):
        match lexeme.lastgroup:
            case "open":
                if links[depth] and not _NAMES_OF_LINK.fullmatch(text, ends[depth], lexeme.start()):
                    links[depth] = 0
                depth += 1
                links[depth] = 0
                if depth > _BRACKETS_DEEPEST:
                    position = lines.position(lexeme.start())
                    raise SourceError("too many nested brackets", position.row, position.column)
            case "link":
                depth = max(depth - 1, 0)
                links[depth] += 1
                ends[depth] = lexeme.end()
                if links[depth] > _LINKS_MOST:
                    row = lines.position(lexeme.start()).row
                    raise UnsupportedError(
                        f"more than {_LINKS_MOST} calls in one chain, on line {row}; split it up"
                    )
            case "close":
                depth = max(depth - 1, 0)
                links[depth] = 0


class _Places(CodegenState):
    """Writes a module out and records where each node begins and ends, in characters.

    A `MetadataWrapper` with LibCST's own provider of spans does the same, at three times the cost.
    """

    def __init__(self, module: cst.Module) -> None:
        super().__init__(module.default_indent, module.default_newline)
        self.found: dict[cst.CSTNode, tuple[int, int]] = {}
        self.length = 0
        self._starts: list[int] = []
        module._codegen(self)

    def add_indent_tokens(self) -> None:
        for token in self.indent_tokens:
            self.add_token(token)

    def add_token(self, value: str) -> None:
        self.tokens.append(value)
        self.length += len(value)

    def before_codegen(self, node: cst.CSTNode) -> None:
        self._starts.append(self.length)

    def after_codegen(self, node: cst.CSTNode) -> None:
        start = self._starts.pop()
        if node not in self.found:
            self.found[node] = (start, self.length)

    def record_syntactic_position(  # type: ignore[override]
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> _Recording:
        return _Recording(self, node, start_node, end_node)


class _Recording:
    """Records the extent of a node without the white space and comments around it."""

    __slots__ = ("_end_node", "_node", "_places", "_start", "_start_node")

    def __init__(
        self,
        places: _Places,
        node: cst.CSTNode,
        start_node: cst.CSTNode | None,
        end_node: cst.CSTNode | None,
    ) -> None:
        self._places, self._node = places, node
        self._start_node, self._end_node = start_node, end_node

    def __enter__(self) -> None:
        self._start = self._places.length

    def __exit__(self, *_: object) -> None:
        found = self._places.found
        start = self._start if self._start_node is None else found[self._start_node][0]
        end = self._places.length if self._end_node is None else found[self._end_node][1]
        found[self._node] = (start, end)


class Source:
    """A parsed text; positions are computed when they are first needed."""

    def __init__(self, text: str) -> None:
        """Parse `text`; raises `SourceError` if it is not Python."""
        self.text = text
        self.lines = Lines(text)
        self._parents: dict[cst.CSTNode, cst.CSTNode] = {}
        self._searches = 0
        check_nesting(text, self.lines)
        try:
            self.module = cst.parse_module(text)
        except cst.ParserSyntaxError as error:
            raise _explained(text, error) from None

    @cached_property
    def _places(self) -> tuple[dict[cst.CSTNode, tuple[int, int]], list[int] | None]:
        """The places of nodes in the module's own code, and that code's offsets in the text."""
        places = _Places(self.module)
        return places.found, _kept_characters("".join(places.tokens), self.text)

    def _span(self, node: object) -> Span | None:
        found, kept = self._places
        if not isinstance(node, _LOCATED) or node not in found:
            return None
        return _in_text(*found[node], kept)

    def check(self) -> None:
        """Raise `UnsupportedError` if no node can be located, as `span` would do."""
        _ = self._places

    def knows(self, site: object) -> bool:
        """Whether the site is an expression or a statement; a slice is neither."""
        return self._span(site) is not None

    def span(self, site: object) -> Span:
        """The span of an expression or statement, without enclosing parentheses."""
        span = self._span(site)
        assert span is not None
        return span

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The node that directly contains `node`."""
        if node not in self._parents and self._searches < _SEARCHES_MOST:
            self._searches += 1
            self._find_parents(self._span(node))
        if (
            node not in self._parents
        ):  # after many searches, or if it is outside its parent's span, as a decorator
            self._find_parents(None)
        return self._parents.get(node)

    def _find_parents(self, span: Span | None) -> None:
        """Record the parents of the nodes around `span`, or of all nodes."""
        pending: list[cst.CSTNode] = [self.module]
        while pending:
            node = pending.pop()
            for child in children(node):
                self._parents[child] = node
                place = self._span(child) if span is not None else None
                if span is None or place is None or place.contains(span):
                    pending.append(child)

    @cached_property
    def quote(self) -> str:
        """The quotation mark that the file's strings mostly use."""
        return "'" if self.text.count("'") > self.text.count('"') else '"'

    def outside_parentheses(self, node: cst.BaseExpression) -> Span:
        """The span of an expression with its own parentheses."""
        span = self.span(node)
        start, end = span.start, span.end
        for _ in node.lpar:
            start = self.text.rindex("(", 0, start)
        for _ in node.rpar:
            end = self.text.index(")", end) + 1
        return Span(start, end)

    def slice(self, span: Span) -> str:
        return self.text[span.start : span.end]


def _kept_characters(code: str, text: str) -> list[int] | None:
    """The offset in `text` of every character of `code`, or `None` if they are the same.

    LibCST drops a form feed before code, and blanks at the end; raises `UnsupportedError` if it
    dropped anything else.
    """
    if text.startswith(code):
        return None
    kept: list[int] = []
    place = 0
    for character in code:
        while place < len(text) and text[place] != character:
            if text[place] not in " \t\f":
                raise UnsupportedError("LibCST cannot reproduce this file")
            place += 1
        kept.append(place)
        place += 1
    return kept


def _in_text(start: int, end: int, kept: list[int] | None) -> Span:
    """The span in the text of a range of offsets in the module's own code."""
    if kept is None or start == end:
        return Span(start, end)
    return Span(kept[start], kept[end - 1] + 1)


def children(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield the nodes directly in `node`, in no order; `CSTNode.children` builds the node anew."""
    for name in _field_names(type(node)):
        value = getattr(node, name)
        if _is_node(value.__class__):
            yield value
        elif value and isinstance(value, list | tuple):
            for item in value:
                if _is_node(item.__class__):
                    yield item


@cache
def _is_node(kind: type[object]) -> bool:
    return issubclass(kind, cst.CSTNode)


@cache
def _field_names(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


_PUNCTUATION: Final = frozenset(
    (
        *("asynchronous", "colon", "comma", "dot", "empty_lines", "equal", "first_colon", "footer"),
        *("header", "lbrace", "lbracket", "leading_lines", "lines_after_decorators", "lpar"),
        *("newline", "rbrace", "rbracket", "rpar", "second_colon", "semicolon"),
        *("trailing_whitespace",),
    )
)
"""Fields in which nothing but spaces, comments and punctuation is, as in those of white space."""


@cache
def _fields_of_code(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    names = (name for name in _field_names(kind) if name not in _PUNCTUATION)
    return tuple(name for name in names if not name.startswith("whitespace"))


def comments_in(node: cst.CSTNode) -> bool:
    """Whether the node contains a comment."""
    pending = [node]
    while pending:
        current = pending.pop()
        if type(current) is cst.Comment:
            return True
        pending.extend(children(current))
    return False


def descendants(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield the node and all code in it, without spaces, comments and most punctuation."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        for name in _fields_of_code(type(current)):
            value = getattr(current, name)
            if _is_node(value.__class__):
                pending.append(value)
            elif value and isinstance(value, list | tuple):
                pending.extend(item for item in value if _is_node(item.__class__))
