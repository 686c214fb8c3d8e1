"""Where a definition of a project is named, as nodes of the syntax trees of its files."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from mllint_nan.graph_objects import ProjectObjects
from mllint_nan.packages import package_of
from mllint_nan.programs import is_program, tree_of_file
from mllint_nan.project_files import SourceFile, is_test
from mllint_nan.surroundings import Surroundings
from mllint_nan.syntax.bindings import FUNCTIONS, Bindings
from mllint_nan.syntax.namings import LOOKUPS, Naming, chain_of
from mllint_nan.syntax.sources import Sources
from mllint_nan.syntax.traversal import name_called

FILES_MOST: Final = 16
"""The most files that may contain one name."""
_LOOKUP_DEEPEST: Final = 4
_KEPT_MOST: Final = 64


class Place(NamedTuple):
    """A node in a file."""

    file: SourceFile
    node: ast.AST

    @property
    def bindings(self) -> Bindings:
        text = sources_of(self.file)
        assert text is not None
        return text.bindings

    @property
    def parent(self) -> ast.AST | None:
        return self.bindings.parents.get(self.node)


@lru_cache(_KEPT_MOST)
def sources_of(file: SourceFile) -> Sources | None:
    """The sources of the values in a file; `None` if its text cannot be read."""
    try:
        tree = tree_of_file(file)
        return Sources(tree) if tree is not None else None
    except RecursionError:
        return None


class ProjectPlaces(ProjectObjects):
    """Where the definitions of some files of a project are named."""

    def _places_of(
        self, path: str, word: str, surroundings: Surroundings
    ) -> Iterator[Place | None]:
        """Yield the places where a word, or an alias that it is imported as, means a definition.

        `None` stands for places that are not visible.
        """
        words, pending = {word}, [word]
        while pending:
            word = pending.pop()
            files = self._holding(word)
            if len(files) > FILES_MOST or surroundings.set(word):
                yield None
                return
            for one in files:
                text = sources_of(one)
                if text is None:
                    yield None
                    return
                news = {*_other_names(text.bindings, word)} - words
                words |= news
                pending += news
                yield from self._places_in(one, text.bindings, word, path)

    def _places_in(
        self, file: SourceFile, bindings: Bindings, word: str, path: str
    ) -> Iterator[Place | None]:
        is_method = self._is_method(path)
        if any(is_looked_up_by(bindings, text, word) for text in bindings.texts):
            yield None
        for node in bindings.named.get(word, ()):
            of = chain_of(node.value) if isinstance(node, ast.Attribute) else ""
            if of and not is_method and _is_of_object(bindings, node):
                continue
            if isinstance(node, ast.Name):
                bound = bindings.made(node)
                is_of_class = isinstance(bindings.scope_of(node), ast.ClassDef)
                is_other = bound is not None and not any(map(_is_definition, bound))
                if is_other or (is_method and not is_of_class):
                    continue
                if is_method:
                    yield None
                    continue
            if self._may_mean_it(path, word, is_method, file, Naming("", of)):
                yield Place(file, node)

    def _is_closed(self, path: str, file: SourceFile, surroundings: Surroundings) -> bool:
        """Whether all uses of a definition are visible, and name it."""
        is_known = self._definition(path) is not None and self._home(path) == file
        if not is_known or self._is_shared(file) or is_test(file.file):
            return False
        is_closed = self._is_in_sight(path, file, surroundings)
        return is_closed and not self._is_kept(path) and not self._is_looked_up(path)

    def _is_in_sight(self, path: str, file: SourceFile, surroundings: Surroundings) -> bool:
        """Whether all code that may use a definition is visible.

        It is for a program in no package, and for a whole project that is not installed.
        """
        if is_program(file) and not package_of(file.file)[1]:
            return True
        return surroundings.is_whole and not self._is_installed(path, file, surroundings)

    def _is_kept(self, path: str) -> bool:
        """Whether making a class may register it, or `Fire` may run any function of a module."""
        found = self._definition(path)
        if not self._is_method(path) and found is not None and not found[1].is_class:
            return self._fires()
        owner = path.rpartition(".")[0] if self._is_method(path) else path
        return self._registers(path) and not self._is_of_lightning(owner)

    def _is_of_lightning(self, owner: str) -> bool:
        """Whether a class is run by Lightning's trainer, which does not register classes."""
        return any(base.endswith("LightningModule") for base in self._bases(owner))


def _other_names(bindings: Bindings, word: str) -> Iterator[str]:
    for one in bindings.imports:
        if one.asname and one.name.rpartition(".")[2] == word != one.asname:
            yield one.asname


def _is_of_object(bindings: Bindings, node: ast.AST) -> bool:
    """Whether it is an attribute of a variable that does not hold an imported module."""
    while isinstance(node, ast.Attribute):
        node = node.value
    bound = bindings.made(node) if isinstance(node, ast.Name) else None
    return bool(bound) and not any(
        one is None
        or isinstance(one, ast.alias)
        or (isinstance(one, ast.Call) and name_called(one) in LOOKUPS)
        for one in bound or ()
    )


def _is_definition(bound: ast.AST | None) -> bool:
    return bound is None or isinstance(bound, (*FUNCTIONS, ast.ClassDef, ast.alias))


def is_looked_up_by(bindings: Bindings, node: ast.Constant, word: str) -> bool:
    """Whether a string looks something up by name: `losses.dice`, or `dice` inside of a lookup."""
    text = str(node.value)
    if text.endswith((f".{word}", f":{word}")):
        return True
    around, depth = bindings.parents.get(node), 0
    while text == word and around is not None and depth < _LOOKUP_DEEPEST:
        match around:
            case ast.Call() if name_called(around) in LOOKUPS:
                return True
            case ast.Subscript(of):
                if chain_of(of).endswith("__dict__") or name_called(of) in LOOKUPS:
                    return True
            case ast.Assign([ast.Name("__all__")]):
                return True
        around, depth = bindings.parents.get(around), depth + 1
    return False
