"""Dead code after a fix: pure assignments and imports that nothing reads any more."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from typing import Final

import libcst as cst

from mllint_nan.findings import Span
from mllint_nan.fixing.purity import Purity, bound_by
from mllint_nan.fixing.removed_rows import Removal, RemovedRows, may_go
from mllint_nan.flow.state import Analysis
from mllint_nan.syntax.source import Source, children, comments_in, descendants

_LOOKS_AT_NAMES: Final = frozenset(
    ("locals", "vars", "dir", "globals", "exec", "eval", "breakpoint")
)
_WORD: Final = re.compile(r"[^\W\d]\w*")


class Leftovers:
    """Finds what is unread once some parts of a file are replaced."""

    def __init__(self, source: Source, analysis: Analysis) -> None:
        self.source = source
        self.analysis = analysis
        self._of_functions: dict[cst.FunctionDef, Mapping[str, Sequence[cst.Name]]] = {}
        self._assignments: dict[
            cst.FunctionDef, Mapping[str, tuple[int, Sequence[cst.SimpleStatementLine]]]
        ] = {}
        self._purity = Purity(source, analysis)
        self._rows = RemovedRows(source)

    def of(
        self,
        replaced: Sequence[tuple[cst.BaseExpression, Span]],
        new: str,
        moved: Sequence[Span] = (),
    ) -> list[Removal]:
        """Return the removals that follow from replacements; `new` is all replacing text."""
        gone = [span for _, span in replaced]
        kept = set(_WORD.findall(new))
        parts: list[cst.CSTNode] = [node for node, _ in replaced]
        removals: list[Removal] = []
        for function in self._functions(list(parts)):
            for statement in self._unread(function, gone, kept, moved):
                parts.append(statement)
                removals.append(self._rows.of(statement))
        lost = {name for part in parts for name in _names_in(part)} - kept
        removals += self._imports(lost, gone)
        return removals

    def since(self, before: ast.Module) -> list[Removal]:
        """Return the removals of what had readers in an earlier text, and has none now."""
        read = _readers(before)
        removals: list[Removal] = []
        gone: list[Span] = []
        lost = set().union(*read.values())
        for path, function in _functions(self.source.module):
            names = self._known_names(function)
            assigned = self._known_assignments(function)
            candidates = {
                name
                for name in read.get(path, ())
                if name in assigned and not self._others(name, names, assigned[name][1])
            }
            if candidates:
                around = self.source.span(function)
                inside = [span for span in gone if around.contains(span)]
                known = len(inside)
                for statement in self._unread(function, inside, set(), (), candidates):
                    removals.append(self._rows.of(statement))
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
        """Yield the assignments of a function without readers left, then what only they read.

        The spans of these assignments are added to `gone`.
        """
        names = self._known_names(function)
        if not _LOOKS_AT_NAMES.isdisjoint(names):
            return
        if not unread and not self._loses_a_variable(function, names, gone, kept):
            return
        assigned = self._known_assignments(function)
        lost = unread | self._words_in(gone)
        taken = set(kept)
        left = _Blocks(self.source)
        while lost:
            following = set[str]()
            for name in sorted(assigned.keys() & lost - taken, key=lambda one: assigned[one][0]):
                lines = [one for one in assigned[name][1] if self._only_computes(one, moved)]
                readers = self._others(name, names, lines)
                is_read = not all(self._is_in(reader, gone) for reader in readers)
                if is_read or not (readers or name in unread) or not left.lose(lines):
                    continue
                taken.add(name)
                own = [self.source.span(line) for line in lines]
                gone += own
                following |= self._words_in(own)
                yield from lines
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
        self,
        function: cst.FunctionDef,
        names: Mapping[str, Sequence[cst.Name]],
        gone: Sequence[Span],
        kept: Set[str],
    ) -> bool:
        """Whether all readers of some variable are gone; stops early at most variables."""
        assigned = self._known_assignments(function)
        return any(
            all(self._is_in(place, gone) for place in self._others(name, names, assigned[name][1]))
            for name in self._words_in(gone) - kept
            if name in assigned
        )

    def _others(
        self,
        name: str,
        names: Mapping[str, Sequence[cst.Name]],
        lines: Sequence[cst.SimpleStatementLine],
    ) -> list[cst.Name]:
        """The occurrences of a variable outside these assignments of it."""
        own = [self.source.span(line) for line in lines]
        return [place for place in names.get(name, ()) if not self._is_in(place, own)]

    def _is_in(self, node: cst.CSTNode, spans: Sequence[Span]) -> bool:
        place = self.source.span(node)
        return any(span.contains(place) for span in spans)

    def _only_computes(self, line: cst.SimpleStatementLine, moved: Sequence[Span]) -> bool:
        """Whether an assignment does nothing but compute, and may be removed."""
        _, value = _assignment(line.body[0])
        return value is not None and may_go(line) and self._purity.computes(value, moved)

    @cached_property
    def _import_statements(
        self,
    ) -> Sequence[tuple[cst.SimpleStatementLine, cst.Import | cst.ImportFrom]]:
        """The imports at the top of the module, and their lines."""
        return [
            (line, part)
            for line in self.source.module.body
            if isinstance(line, cst.SimpleStatementLine)
            for part in line.body
            if isinstance(part, cst.Import | cst.ImportFrom)
        ]

    # Imports

    def _imports(self, lost: Set[str], gone: Sequence[Span]) -> Iterator[Removal]:
        """Yield the removals of top-level imports whose names only the lost parts read."""
        path = self.analysis.path
        if path.endswith(("__init__.py", ".ipynb", ".md")) or path.endswith("__init__"):
            return
        for line, statement in self._import_statements:
            if len(line.body) != 1 or isinstance(statement.names, cst.ImportStar):
                continue
            if lost.isdisjoint(map(bound_by, statement.names)) or comments_in(line):
                continue
            own = (*gone, self.source.span(statement))
            unused = [
                alias
                for alias in statement.names
                if bound_by(alias) in lost and not self._is_named(bound_by(alias), own)
            ]
            if len(unused) == len(statement.names):
                yield self._rows.of(line)
            elif unused:
                yield self._without(statement, unused)

    def _is_named(self, name: str, apart_from: Sequence[Span]) -> bool:
        """Whether a name occurs outside these parts, even in a string."""
        return name in self._words or any(
            not any(span.contains(self.source.span(place)) for span in apart_from)
            for place in self._names.get(name, ())
        )

    @cached_property
    def _names(self) -> Mapping[str, Sequence[cst.Name]]:
        # The names in import statements are not uses of variables.
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


class _Blocks:
    """How many statements are left in each block."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._left: dict[int, int] = {}

    def lose(self, lines: Sequence[cst.SimpleStatementLine]) -> bool:
        """Count these statements as removed, unless there are none or a block gets empty."""
        after = dict(self._left)
        for line in lines:
            block = self._source.parent(line)
            size = len(block.body) if isinstance(block, cst.IndentedBlock) else 0
            after[id(block)] = after.get(id(block), size) - 1
        is_possible = bool(lines) and min(after.values()) > 0
        if is_possible:
            self._left = after
        return is_possible


def _functions(
    node: cst.CSTNode, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], cst.FunctionDef]]:
    """Yield the functions in a node whose qualified names are unique."""
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
    """By qualified name of a function: the names that are read in it.

    A read of the variable in its own assignment, as in `p = p[0]`, does not count.
    """
    found: dict[tuple[str, ...], set[str]] = {(): set()}
    pending: list[tuple[ast.AST, tuple[str, ...], str]] = [(module, (), "")]
    while pending:
        current, around, own = pending.pop()
        if isinstance(current, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            around = (*around, current.name)
        match current:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                own = name
            case ast.Name(id=name, ctx=ast.Load()) if name != own:
                found.setdefault(around, set()).add(name)
            case _:
                pass
        pending.extend((child, around, own) for child in ast.iter_child_nodes(current))
    return found


def _names_in(node: cst.CSTNode) -> dict[str, list[cst.Name]]:
    """Every occurrence of a name as a variable in a node."""
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
    """Yield the variables assigned by simple statements of their own, in blocks with several."""
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


def loses_readers(before: str, text: str) -> bool:
    """Whether a function, or the module, no longer reads a name that it read before."""
    try:
        was, now = _readers(ast.parse(before)), _readers(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError):  # LibCST may read more than this Python does
        return False
    return any(names - now.get(path, set()) for path, names in was.items())


def without_unread(before: str, source: Source, analysis: Analysis) -> str:
    """Return the text of a file without what has lost all its readers since an earlier text."""
    text = source.text
    try:
        tree = ast.parse(before)
    except (SyntaxError, ValueError, RecursionError):  # LibCST may read more than this Python does
        return text
    removals = Leftovers(source, analysis).since(tree)
    for removal in sorted(removals, key=lambda one: one.span, reverse=True):
        text = f"{text[: removal.span.start]}{removal.content}{text[removal.span.end :]}"
    return text
