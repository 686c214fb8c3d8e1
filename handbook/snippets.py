"""Functions of fixtures as code for readers: one flaw and its repair, and near-misses.

A function is shown with the imports that it uses, and without the annotations of the tests.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

from mllint_nan.rulebook.examples import Examples, Snippet
from mllint_nan.rulebook.rule import Rule
from tests.fixture_files import FixtureFile, Kind, Marker, fixture_files

_Definition: TypeAlias = ast.FunctionDef | ast.ClassDef
_Imported: TypeAlias = ast.Import | ast.ImportFrom
_Rank: TypeAlias = tuple[bool, ...]

_ANNOTATION: Final = re.compile(r"[ \t]*# (?:todo-)?(?:expect|quiet): NAN.*$", re.MULTILINE)
_TRAINS: Final = re.compile(r"GradientTape|\b(?:value_and_)?grad\(|\bgradients?\(|backward\(")
_BUILTINS: Final = frozenset(dir(builtins))
_LONGEST_NEAR_MISS: Final = 9
_NEAR_MISSES: Final = 5


@dataclass(frozen=True)
class _Module:
    text: str

    @cached_property
    def body(self) -> list[ast.stmt]:
        return ast.parse(self.text).body

    @property
    def definitions(self) -> Iterator[_Definition]:
        return (node for node in self.body if isinstance(node, ast.FunctionDef | ast.ClassDef))

    def shown(self, *nodes: _Definition) -> str:
        """Return the definitions below the imports that they use, without annotations."""
        names = set[str]().union(*map(_names, nodes))
        imports = "\n".join(list(_imports(self.body, names)) or [self._first_import])
        return "\n\n\n".join([imports, *map(self._code, nodes)]) + "\n"

    @property
    def _first_import(self) -> str:
        """The import that tells a reader, and the tool, which framework's methods are called."""
        imports = (node for node in self.body if isinstance(node, ast.Import | ast.ImportFrom))
        return ast.unparse(next(imports))

    def _code(self, node: _Definition) -> str:
        first = min(each.lineno for each in (node, *node.decorator_list))
        return _ANNOTATION.sub("", "\n".join(self._lines[first - 1 : node.end_lineno]))

    @cached_property
    def _lines(self) -> list[str]:
        return self.text.splitlines()

    def stands_alone(self, node: _Definition) -> bool:
        """Whether the definition needs only imports of its module."""
        given = {alias.asname or alias.name.partition(".")[0] for alias in _aliases(self.body)}
        return _names(node) - _bound(node) <= given | _BUILTINS


def snippet(rule: Rule, framework: str) -> Snippet | None:
    """Return the first reported function of the rule's fixture, and its twin after all fixes.

    Functions that are reported by default come first, then those that are repaired, and
    functions before classes.
    """
    flawed = [each for file in _fixtures(rule, framework) for each in _flawed(rule, file)]
    return min(flawed, key=lambda each: each[0], default=((), None))[1]


def near_misses(rule: Rule) -> str:
    """Return short functions that the tool does not report, in the rule's first framework."""
    for file in _fixtures(rule, rule.frameworks[0]):
        module = _Module(file.data.decode())
        quiet = list(_quiet(file, module))[:_NEAR_MISSES]
        if quiet:
            return module.shown(*quiet)
    return ""


def examples(rule: Rule) -> Examples:
    """Return the examples that the tool itself shows of the rule's fixtures."""
    found = {name: snippet(rule, name) for name in rule.frameworks}
    return Examples(
        {name: each for name, each in found.items() if each is not None}, near_misses(rule)
    )


def _fixtures(rule: Rule, framework: str) -> list[FixtureFile]:
    """Return the rule's fixtures for a framework, the plain one first."""
    own = [
        file for file in fixture_files() if (file.rule, file.framework) == (rule.name, framework)
    ]
    return sorted(own, key=lambda file: file.stem != framework)


def _flawed(rule: Rule, file: FixtureFile) -> Iterator[tuple[_Rank, Snippet]]:
    """Yield each definition that has only this flaw, before and after its fixes."""
    module = _Module(file.data.decode())
    fixed = _Module(file.fixed_data.decode())
    twins = {node.name: node for node in fixed.definitions}
    for node in module.definitions:
        here = [each for each in file.annotations if each.claim.row in _rows(node)]
        flaws = {(each.marker, each.claim.code) for each in here}
        if flaws == {(Marker.EXPECT, rule.code)} and module.stands_alone(node):
            before, after = module.shown(node), fixed.shown(twins[node.name])
            only_possible = any(each.claim.kind is Kind.POSSIBLE for each in here)
            rank = (only_possible, before == after, isinstance(node, ast.ClassDef))
            yield rank, Snippet(before, None if before == after else after)


def _quiet(file: FixtureFile, module: _Module) -> Iterator[_Definition]:
    annotated = {each.claim.row for each in file.annotations}
    for node in module.definitions:
        rows = _rows(node)
        if (
            isinstance(node, ast.FunctionDef)
            and len(rows) <= _LONGEST_NEAR_MISS
            and annotated.isdisjoint(rows)
            and module.stands_alone(node)
            and not _TRAINS.search(ast.unparse(node))
        ):
            yield node


def _rows(node: _Definition) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _names(node: ast.AST) -> set[str]:
    """Return every name that is read or written below `node`."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _bound(node: _Definition) -> set[str]:
    """Return every name that the definition binds itself."""
    bound = {node.name}
    for part in ast.walk(node):
        match part:
            case ast.Name(id=name, ctx=ast.Store()):
                bound.add(name)
            case ast.arg(arg=name):
                bound.add(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                bound.add(name)
            case ast.Import() | ast.ImportFrom():
                bound |= {alias.asname or alias.name.partition(".")[0] for alias in part.names}
    return bound


def _aliases(body: list[ast.stmt]) -> Iterator[ast.alias]:
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from node.names


def _imports(body: list[ast.stmt], names: set[str]) -> Iterator[str]:
    """Yield the import statements of `body`, reduced to the `names` that are used."""
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            used = [
                alias
                for alias in node.names
                if (alias.asname or alias.name.partition(".")[0]) in names
            ]
            if used:
                yield ast.unparse(_with_names(node, used))


def _with_names(node: _Imported, names: list[ast.alias]) -> _Imported:
    if isinstance(node, ast.Import):
        return ast.Import(names=names)
    return ast.ImportFrom(module=node.module, names=names, level=node.level)
