"""Dead code after a fix: pure assignments and imports that nothing reads any more."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import libcst as cst

from mllint_nan.findings import Span
from mllint_nan.flow.state import Analysis
from mllint_nan.ir.term import OPAQUE, Term
from mllint_nan.syntax.source import Source, children, comments_in, descendants

_LOOKS_AT_NAMES: Final = frozenset(
    ("locals", "vars", "dir", "globals", "exec", "eval", "breakpoint")
)
_COMPUTES: Final = (
    cst.Name,
    cst.Attribute,
    cst.Subscript,
    cst.BaseNumber,
    cst.SimpleString,
    cst.BinaryOperation,
    cst.UnaryOperation,
    cst.BooleanOperation,
    cst.Comparison,
    cst.Tuple,
    cst.List,
    cst.IfExp,
    cst.Call,
)
_EFFECTS: Final = frozenset(("out", "name"))
"""Arguments by which a call writes elsewhere, or can be found elsewhere."""
_OF_ARRAYS: Final = frozenset(("T", "mT", "shape", "dtype", "device", "ndim", "size", "real"))
_REST_OF_ROW: Final = re.compile(r"[ \t;]*(?:\r\n|\r|\n|$)")
_BLANK_AFTER: Final = re.compile(r"(?:[ \t]*(?:\r\n|\r|\n))*")
_WORD: Final = re.compile(r"[^\W\d]\w*")
_ASSIGNED_ATTRIBUTE: Final = re.compile(r"\bself\.(\w+)(?=\s*(?::[^=\n]+)?=[^=])")


@dataclass(frozen=True, slots=True)
class Removal:
    """A statement or a part of one that goes; `inside` is what an insertion there replaces."""

    span: Span
    inside: Span
    content: str = ""


class Leftovers:
    """Finds what nothing reads any more once some parts of a file are replaced."""

    def __init__(self, source: Source, analysis: Analysis) -> None:
        self.source = source
        self.analysis = analysis
        self._of_functions: dict[cst.FunctionDef, Mapping[str, Sequence[cst.Name]]] = {}
        self._assignments: dict[
            cst.FunctionDef, Mapping[str, tuple[int, Sequence[cst.SimpleStatementLine]]]
        ] = {}
        self._terms: Mapping[int, Term] = {
            id(one.term.site): one.term
            for one in analysis.occurrences
            if isinstance(one.term.site, cst.Call)
        }

    def of(
        self,
        replaced: Sequence[tuple[cst.BaseExpression, Span]],
        new: str,
        moved: Sequence[Span] = (),
    ) -> list[Removal]:
        """What goes with these parts; `new` is all text that takes their place.

        What stands in `moved` is still evaluated, in a statement of its own.
        """
        gone = [span for _, span in replaced]
        kept = set(_WORD.findall(new))
        parts: list[cst.CSTNode] = [node for node, _ in replaced]
        removals: list[Removal] = []
        for function in self._functions(list(parts)):
            for statement in self._unread(function, gone, kept, moved):
                parts.append(statement)
                removals.append(self._row_of(statement))
        lost = {name for part in parts for name in _names_in(part)} - kept
        removals += self._imports(lost, gone)
        return removals

    def since(self, before: ast.Module) -> list[Removal]:
        """What had readers in an earlier text of the file, and has none now."""
        read = _readers(before)
        removals: list[Removal] = []
        gone: list[Span] = []
        lost = set().union(*read.values())
        for path, function in _functions(self.source.module):
            names = _names_in(function)
            candidates = {name for name in read.get(path, ()) if len(names.get(name, ())) == 1}
            if candidates:
                around = self.source.span(function)
                inside = [span for span in gone if around.contains(span)]
                known = len(inside)
                for statement in self._unread(function, inside, set(), (), candidates):
                    removals.append(self._row_of(statement))
                gone += inside[known:]
        removals += self._imports(lost, gone)
        return removals

    # Assignments

    def _functions(self, nodes: Iterable[cst.CSTNode]) -> list[cst.FunctionDef]:
        found: dict[int, cst.FunctionDef] = {}
        for node in nodes:
            around = self.source.parent(node)
            while around is not None and not isinstance(
                around, cst.FunctionDef | cst.Lambda | cst.ClassDef
            ):
                around = self.source.parent(around)
            if isinstance(around, cst.FunctionDef):
                found[id(around)] = around
        return list(found.values())

    def _unread(
        self,
        function: cst.FunctionDef,
        gone: list[Span],
        kept: set[str],
        moved: Sequence[Span],
        unread: Set[str] = frozenset(),
    ) -> Iterator[cst.SimpleStatementLine]:
        """The assignments of a function whose readers are all gone; what they read goes with them.

        `gone` grows by them.
        """
        names = self._known_names(function)
        if not _LOOKS_AT_NAMES.isdisjoint(names):
            return
        if not unread and not self._loses_a_variable(names, gone, kept):
            return
        assigned = self._known_assignments(function)
        lost = unread | self._words_in(gone)
        taken = set(kept)
        while lost:
            following = set[str]()
            for name in sorted(assigned.keys() & lost - taken, key=lambda one: assigned[one][0]):
                statement = self._last_computing(assigned[name][1], moved)
                if statement is None:
                    continue
                if name not in unread and not self._is_unread(statement, names[name], gone):
                    continue
                taken.add(name)
                gone.append(self.source.span(statement))
                following |= self._words_in(gone[-1:])
                yield statement
            lost = following

    def _known_names(self, function: cst.FunctionDef) -> Mapping[str, Sequence[cst.Name]]:
        if function not in self._of_functions:
            self._of_functions[function] = _names_in(function)
        return self._of_functions[function]

    def _known_assignments(
        self, function: cst.FunctionDef
    ) -> Mapping[str, tuple[int, Sequence[cst.SimpleStatementLine]]]:
        if function not in self._assignments:
            found: dict[str, tuple[int, list[cst.SimpleStatementLine]]] = {}
            for name, line in _assignments_in(function):
                found.setdefault(name, (len(found), []))[1].append(line)
            self._assignments[function] = found
        return self._assignments[function]

    def _words_in(self, spans: Iterable[Span]) -> set[str]:
        return {word for span in spans for word in _WORD.findall(self.source.slice(span))}

    def _loses_a_variable(
        self, names: Mapping[str, Sequence[cst.Name]], gone: Sequence[Span], kept: Set[str]
    ) -> bool:
        """Whether all places of a variable but one are gone; few are looked at to the end."""
        for name in self._words_in(gone) - kept:
            outside = 0
            for place in names.get(name, ()):
                span = self.source.span(place)
                outside += not any(part.contains(span) for part in gone)
                if outside > 1:
                    break
            if outside == 1:
                return True
        return False

    def _last_computing(
        self, lines: Sequence[cst.SimpleStatementLine], moved: Sequence[Span]
    ) -> cst.SimpleStatementLine | None:
        """The last of these assignments that does nothing but compute."""
        for line in reversed(lines):
            _, value = _assignment(line.body[0])
            if value is not None and not comments_in(line) and self._computes(value, moved):
                return line
        return None

    def _is_unread(
        self, statement: cst.SimpleStatementLine, names: Sequence[cst.Name], gone: Sequence[Span]
    ) -> bool:
        """Whether a variable is bound by this statement alone, and all its readers are gone."""
        target, _ = _assignment(statement.body[0])
        readers = [name for name in names if name is not target]
        return bool(readers) and all(
            any(span.contains(self.source.span(reader)) for span in gone) for reader in readers
        )

    def _computes(self, node: cst.CSTNode, moved: Sequence[Span]) -> bool:
        """Whether evaluating a node has no effect, draws nothing, and calls no stranger."""
        if isinstance(node, cst.BaseExpression):
            span = self.source.span(node)
            if any(place.contains(span) for place in moved):
                return True
            if not isinstance(node, _COMPUTES):
                return False
            if isinstance(node, cst.Call):
                receiver = node.func.value if isinstance(node.func, cst.Attribute) else None
                parts = [*node.args, *([receiver] if receiver is not None else [])]
                return self._is_pure(node) and all(self._computes(part, moved) for part in parts)
            if isinstance(node, cst.Attribute):
                return self._is_plain(node) and self._computes(node.value, moved)
        return all(self._computes(part, moved) for part in children(node))

    def _is_plain(self, attribute: cst.Attribute) -> bool:
        """Whether an attribute is no property that may do anything."""
        name, owner = attribute.attr.value, attribute.value
        if name in _OF_ARRAYS:
            return True
        if isinstance(owner, cst.Name) and owner.value == "self":
            return name in self._attributes
        while isinstance(owner, cst.Attribute):
            owner = owner.value
        return isinstance(owner, cst.Name) and owner.value in self._modules

    @cached_property
    def _attributes(self) -> frozenset[str]:
        """The attributes of `self` that are assigned anywhere."""
        return frozenset(_ASSIGNED_ATTRIBUTE.findall(self.source.text))

    @cached_property
    def _modules(self) -> frozenset[str]:
        """The names that imports at the top of the module bind."""
        return frozenset(
            _bound(alias)
            for _, statement in self._import_statements
            if not isinstance(statement.names, cst.ImportStar)
            for alias in statement.names
        )

    @cached_property
    def _import_statements(
        self,
    ) -> Sequence[tuple[cst.SimpleStatementLine, cst.Import | cst.ImportFrom]]:
        """The imports at the top of the module, and the lines in which they stand."""
        return [
            (line, part)
            for line in self.source.module.body
            if isinstance(line, cst.SimpleStatementLine)
            for part in line.body
            if isinstance(part, cst.Import | cst.ImportFrom)
        ]

    def _is_pure(self, call: cst.Call) -> bool:
        term = self._terms.get(id(call))
        if term is None or term.operation is OPAQUE or not term.operation.pure:
            return False
        if term.written is None or term.written.inplace:
            return False
        callee = call.func
        while isinstance(callee, cst.Attribute):
            callee = callee.value
        is_of_self = isinstance(callee, cst.Name) and callee.value == "self"
        if is_of_self and not term.written.method:
            return False  # a layer, which may have hooks
        return not any(
            argument.star or (argument.keyword is not None and argument.keyword.value in _EFFECTS)
            for argument in call.args
        )

    def _row_of(self, statement: cst.SimpleStatementLine) -> Removal:
        """The whole rows of a statement, and of blank ones on both sides the fewer."""
        text, inside = self.source.text, self.source.span(statement.body[0])
        start = self.source.lines.start_of(self.source.lines.position(inside.start).row)
        row = _REST_OF_ROW.match(text, inside.end)
        assert row is not None
        end = row.end()
        after = _BLANK_AFTER.match(text, end)
        assert after is not None
        above, below = text[self._start_of_blanks(start) : start], after[0]
        if self._last_character(start - len(above)) in ("", ":"):  # it is the first one
            end += len(below)
        elif above.count("\n") <= below.count("\n"):
            start -= len(above)
        else:
            end += len(below)
        return Removal(Span(start, end), inside)

    def _start_of_blanks(self, start: int) -> int:
        """Where the blank rows directly above a row begin."""
        lines = self.source.lines
        row = lines.position(start).row
        while row > 1 and not self.source.text[lines.start_of(row - 1) : start].strip(" \t\r\n"):
            row -= 1
            start = lines.start_of(row)
        return start

    def _last_character(self, end: int) -> str:
        """The last character before a place that is no blank; empty if there is none."""
        text = self.source.text
        while end and text[end - 1].isspace():
            end -= 1
        return text[end - 1 : end]

    # Imports

    def _imports(self, lost: Set[str], gone: Sequence[Span]) -> Iterator[Removal]:
        """The imports at the top of a module that bind what was read in these parts alone."""
        path = self.analysis.path
        if path.endswith(("__init__.py", ".ipynb", ".md")) or path.endswith("__init__"):
            return
        for line, statement in self._import_statements:
            if len(line.body) != 1 or isinstance(statement.names, cst.ImportStar):
                continue
            if lost.isdisjoint(map(_bound, statement.names)) or comments_in(line):
                continue
            own = (*gone, self.source.span(statement))
            unused = [
                alias
                for alias in statement.names
                if _bound(alias) in lost and not self._is_named(_bound(alias), own)
            ]
            if len(unused) == len(statement.names):
                yield self._row_of(line)
            elif unused:
                yield self._without(statement, unused)

    def _is_named(self, name: str, apart_from: Sequence[Span]) -> bool:
        """Whether a name stands anywhere but in these parts, be it in a string."""
        return name in self._words or any(
            not any(span.contains(self.source.span(place)) for span in apart_from)
            for place in self._names.get(name, ())
        )

    @cached_property
    def _names(self) -> Mapping[str, Sequence[cst.Name]]:
        # The modules that imports name are no variables.
        own = {id(one) for _, part in self._import_statements for one in descendants(part)}
        return {
            name: [place for place in places if id(place) not in own]
            for name, places in _names_in(self.source.module).items()
        }

    @cached_property
    def _words(self) -> Set[str]:
        """All words in strings: names of `__all__`, of annotations, of examples."""
        return {
            word
            for part in descendants(self.source.module)
            if isinstance(part, cst.SimpleString)
            for word in _WORD.findall(part.value)
        }

    def _without(
        self, statement: cst.Import | cst.ImportFrom, unused: Sequence[cst.ImportAlias]
    ) -> Removal:
        assert not isinstance(statement.names, cst.ImportStar)
        spans = [self._alias(alias) for alias in statement.names]
        whole = Span(spans[0].start, spans[-1].end)
        between = self.source.text[spans[0].end : spans[1].start]
        kept = [
            self.source.slice(span)
            for span, alias in zip(spans, statement.names, strict=True)
            if alias not in unused
        ]
        return Removal(whole, whole, between.join(kept))

    def _alias(self, alias: cst.ImportAlias) -> Span:
        name = self.source.span(alias.name)
        if alias.asname is None:
            return name
        assert isinstance(alias.asname.name, cst.Name)
        return Span(name.start, self.source.span(alias.asname.name).end)


def _functions(
    node: cst.CSTNode, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], cst.FunctionDef]]:
    """The functions in a node whose names, with those around them, are theirs alone."""
    found: dict[tuple[str, ...], list[cst.FunctionDef]] = {}
    pending: list[tuple[cst.CSTNode, tuple[str, ...]]] = [(node, path)]
    while pending:
        current, around = pending.pop()
        if isinstance(current, cst.FunctionDef | cst.ClassDef):
            around = (*around, current.name.value)
            if isinstance(current, cst.FunctionDef):
                found.setdefault(around, []).append(current)
        pending.extend((child, around) for child in children(current))
    return ((path, functions[0]) for path, functions in found.items() if len(functions) == 1)


def _readers(module: ast.Module) -> dict[tuple[str, ...], set[str]]:
    """By the names of a function and those around it: the names that are read in it."""
    found: dict[tuple[str, ...], set[str]] = {(): set()}
    pending: list[tuple[ast.AST, tuple[str, ...]]] = [(module, ())]
    while pending:
        current, around = pending.pop()
        if isinstance(current, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            around = (*around, current.name)
        if isinstance(current, ast.Name) and isinstance(current.ctx, ast.Load):
            found.setdefault(around, set()).add(current.id)
        pending.extend((child, around) for child in ast.iter_child_nodes(current))
    return found


def _names_in(node: cst.CSTNode) -> dict[str, list[cst.Name]]:
    """Every place in a node where a name stands for a variable."""
    found: dict[str, list[cst.Name]] = {}
    labels: set[int] = set()
    for part in descendants(node):  # a node comes before what is in it
        if type(part) is cst.Attribute:
            labels.add(id(part.attr))
        elif type(part) is cst.Arg and part.keyword is not None:
            labels.add(id(part.keyword))
        elif type(part) is cst.Name and id(part) not in labels:
            found.setdefault(part.value, []).append(part)
    return found


def _assignments_in(function: cst.FunctionDef) -> Iterator[tuple[str, cst.SimpleStatementLine]]:
    """The variables that are assigned by statements of their own, in blocks of several."""
    for block in descendants(function.body):
        if not isinstance(block, cst.IndentedBlock) or len(block.body) < 2:
            continue
        for line in block.body:
            if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
                continue
            name, value = _assignment(line.body[0])
            if name is not None and value is not None:
                yield name.value, line


def _assignment(
    statement: cst.BaseSmallStatement,
) -> tuple[cst.Name | None, cst.BaseExpression | None]:
    """The variable and the value of `name = value`, with or without an annotation."""
    match statement:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name() as name)], value=value):
            return name, value
        case cst.AnnAssign(target=cst.Name() as name, value=cst.BaseExpression() as value):
            return name, value
        case _:
            return None, None


def _bound(alias: cst.ImportAlias) -> str:
    """The name that an import binds."""
    if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
        return alias.asname.name.value
    name: cst.BaseExpression = alias.name
    while isinstance(name, cst.Attribute):
        name = name.value
    assert isinstance(name, cst.Name)
    return name.value


def loses_readers(before: str, text: str) -> bool:
    """Whether a function, or the module, reads a name no more that it read before."""
    try:
        was, now = _readers(ast.parse(before)), _readers(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError):  # LibCST may read more than this Python does
        return False
    return any(names - now.get(path, set()) for path, names in was.items())


def without_unread(before: str, source: Source, analysis: Analysis) -> str:
    """The text of a file without what has lost all its readers since an earlier text of it."""
    text = source.text
    try:
        tree = ast.parse(before)
    except (SyntaxError, ValueError, RecursionError):  # LibCST may read more than this Python does
        return text
    removals = Leftovers(source, analysis).since(tree)
    for removal in sorted(removals, key=lambda one: one.span, reverse=True):
        text = f"{text[: removal.span.start]}{removal.content}{text[removal.span.end :]}"
    return text
