"""Where a new import goes: beside similar ones, in the order that the file keeps."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from typing import Final

import libcst as cst

from mllint_nan.findings import Edit, Span
from mllint_nan.flow.state import Analysis
from mllint_nan.syntax.source import Source

_CODING: Final = re.compile(r"[ \t\f]*#.*?coding[:=]")
_COMMENT: Final = re.compile(r"[ \t]*#[^\r\n]*")
_STATEMENT: Final = re.compile(r"(?P<form>from|import)\s+(?P<module>[\w.]+)")


class _Section(IntEnum):
    """The sections of imports, in their usual order; a project's own modules count as `OTHER`."""

    FUTURE = 0
    STANDARD = 1
    OTHER = 2
    RELATIVE = 3


@dataclass(frozen=True, slots=True)
class _Import:
    """An import at the top of a module; `block` numbers the blocks that blank lines separate."""

    module: str
    is_from: bool
    block: int = 0
    node: cst.SimpleStatementLine | None = None

    @property
    def section(self) -> _Section:
        if self.module.startswith(".") or not self.module:
            return _Section.RELATIVE
        if self.module == "__future__":
            return _Section.FUTURE
        return _Section.STANDARD if self.root in sys.stdlib_module_names else _Section.OTHER

    @property
    def root(self) -> str:
        return self.module.partition(".")[0]

    @property
    def by_form(self) -> tuple[bool, str]:
        """The sort key that puts every `import` before the first `from`."""
        return self.is_from, self.module.lower()

    @property
    def by_module(self) -> tuple[str, bool]:
        """The sort key that compares modules first, forms last."""
        return self.module.lower(), self.is_from


def import_edit(source: Source, analysis: Analysis, statement: str) -> Edit:
    """The edit that adds `statement` once, to the imports at the top of the module."""
    newline = source.module.default_newline
    new = _of_text(statement)
    known = list(_imports(source.module.body))
    if not known:
        offset, content = _without_others(source, statement)
    else:
        anchor, is_before, is_apart = _place(new, known)
        assert anchor.node is not None
        gap = newline * (2 if is_apart else 1)
        if is_before:
            offset, content = source.span(anchor.node).start, f"{statement}{gap}"
        else:
            end = source.span(anchor.node).end
            offset, content = _end_of_line(source.text, end), f"{gap}{statement}"
    position = source.lines.position(offset)
    return Edit(Span(offset, offset), content, position, position)


def _of_text(statement: str) -> _Import:
    found = _STATEMENT.match(statement)
    assert found is not None
    return _Import(found["module"], found["form"] == "from")


def _imports(body: Sequence[cst.BaseStatement]) -> Iterator[_Import]:
    """Yield the imports at the top, up to the first other statement."""
    block, has_begun, is_apart = 0, False, False
    for node in body:
        if isinstance(node, cst.SimpleStatementLine):
            found = _read(node.body[0])
            if found is None and has_begun:
                return
            if found is not None:
                blank = any(line.comment is None for line in node.leading_lines)
                block += has_begun and (blank or is_apart)
                yield _Import(found.module, found.is_from, block, node)
                has_begun, is_apart = True, False
        elif has_begun and not _only_imports(node):
            return
        else:
            is_apart = True


def _read(statement: cst.BaseSmallStatement) -> _Import | None:
    match statement:
        case cst.Import(names):
            return _Import(_dotted(names[0].name), is_from=False)
        case cst.ImportFrom(module=module, relative=dots):
            name = _dotted(module) if module is not None else ""
            return _Import("." * len(dots) + name, is_from=True)
        case _:
            return None


def _dotted(name: cst.BaseExpression) -> str:
    if isinstance(name, cst.Attribute):
        return f"{_dotted(name.value)}.{name.attr.value}"
    return name.value if isinstance(name, cst.Name) else ""


def _only_imports(node: cst.CSTNode) -> bool:
    """Whether a `try` or an `if` chooses among imports and does nothing else."""
    if isinstance(node, cst.SimpleStatementLine):
        return all(
            isinstance(one, cst.Import | cst.ImportFrom | cst.Assign | cst.Pass)
            for one in node.body
        )
    if isinstance(node, cst.Try):
        parts = [node.body, *(handler.body for handler in node.handlers)]
        parts += [one.body for one in (node.orelse, node.finalbody) if one is not None]
        return all(_only_imports(one) for part in parts for one in part.body)
    if isinstance(node, cst.If):
        other = node.orelse
        rest = other is None or _only_imports(other if isinstance(other, cst.If) else other.body)
        return rest and _only_imports(node.body)
    if isinstance(node, cst.IndentedBlock):
        return all(map(_only_imports, node.body))
    return False


def _place(new: _Import, known: Sequence[_Import]) -> tuple[_Import, bool, bool]:
    """The import next to which `new` goes, whether before it, and whether apart from it."""
    alike = [one for one in known if one.section is new.section]
    related = [one for one in alike if one.root == new.root]
    if not alike:
        above = [one for one in known if one.section < new.section]
        if above:
            return above[-1], False, True
        return known[0], True, True
    block = (related or alike)[0].block
    mine = [one for one in alike if one.block == block]
    if _is_sorted([one.by_form for one in mine]) and _has_forms_apart(new, mine, known):
        below = [one for one in mine if one.by_form > new.by_form]
    elif _is_sorted([one.by_module for one in mine]):
        below = [one for one in mine if one.by_module > new.by_module]
    else:
        return (related or mine)[-1], False, False
    if not below:
        return mine[-1], False, False
    before = mine.index(below[0])
    return (mine[before - 1], False, False) if before else (below[0], True, False)


def _is_sorted(keys: Sequence[tuple[bool, str]] | Sequence[tuple[str, bool]]) -> bool:
    return all(first <= second for first, second in pairwise(keys))


def _has_forms_apart(new: _Import, mine: Sequence[_Import], known: Sequence[_Import]) -> bool:
    """Whether the file puts `import` before `from`, by these imports or else by the others."""
    if len({one.is_from for one in mine}) > 1 or all(one.is_from is new.is_from for one in mine):
        return True
    for block in {one.block for one in known}:
        others = [one for one in known if one.block == block]
        if len({one.is_from for one in others}) > 1:
            return _is_sorted([one.by_form[:1] for one in others])  # type: ignore[arg-type]
    return False


def _without_others(source: Source, statement: str) -> tuple[int, str]:
    """Where the first import of a module goes, and the text with the blank lines around it."""
    newline = source.module.default_newline
    body = source.module.body
    first = body[0] if body else None
    if isinstance(first, cst.SimpleStatementLine) and isinstance(first.body[0], cst.Expr):
        return _end_of_line(source.text, source.span(first).end), f"{newline * 2}{statement}"
    return _below_header(source.text), f"{statement}{newline}"


def _below_header(text: str) -> int:
    """The end of the lines that must come first: an interpreter's and an encoding's."""
    offset = 0
    for line in text.splitlines(keepends=True)[:2]:
        if not (line.startswith("#!") or _CODING.match(line)):
            break
        offset += len(line)
    return offset


def _end_of_line(text: str, offset: int) -> int:
    """The end of the code on a line, with a comment that follows it."""
    rest = text[offset:]
    comment = _COMMENT.match(rest)
    return offset + (comment.end() if comment is not None else 0)
