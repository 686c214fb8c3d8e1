"""Which files of a project are programs, and which of these train.

This is judged by their words, and by the syntax trees of the few that may train.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Final

from mllint_nan.mentions import Mentions
from mllint_nan.packages import package_of
from mllint_nan.project_files import SourceFile, is_test, text_of
from mllint_nan.syntax.decoding import NoPython, SourceError, tree_of
from mllint_nan.syntax.reading import read
from mllint_nan.syntax.symbol_table import tree_of_other
from mllint_nan.syntax.training_steps import (
    COMPILES,
    MOVES,
    TAKES,
    TRAINING_STEPS,
    acts,
    takes_gradients,
    takes_gradients_itself,
    trains,
)

_WORDS: Final = (
    *("backward", *TRAINING_STEPS, "apply_gradients", "apply_updates", "minimize", COMPILES),
    *("value_and_grad", "grad", "gradient"),
)
"""The words that programs are searched by; first those that are rare where nothing is trained."""
_SCRIPT: Final = "__main__"
"""What a script compares `__name__` with."""
SETUP: Final = "setup.py"
"""It installs the other files, and counts as no script."""
_READ_MOST: Final = 16
"""The most files of a project that are parsed to find those that train."""
_KEPT_MOST: Final = 1024


class Programs:
    """The files that run a project, except tests: those that train come first."""

    def __init__(self, files: tuple[SourceFile, ...], mentions: Mentions) -> None:
        self._files = files
        self._mentions = mentions
        self._found: list[SourceFile] = []
        self._searched = self._search()
        self.looked_at: set[str] = set()
        """The files that were parsed to find out whether they train."""

    def beside(self, file: SourceFile) -> SourceFile | None:
        """A program other than `file`."""
        for program in self._found:
            if program != file:
                return program
        for program in self._searched:
            self._found.append(program)
            if program != file:
                return program
        return None

    def run_beside(self, file: SourceFile, package: str) -> SourceFile | None:
        """A program other than `file` that does something when it is run, besides defining things.

        Files of the given package, unless that is empty, do not count: others import them.
        """
        for program in chain(self._scripts(), filter(_acts, self._found_trainers())):
            own = package_of(program.file)[1].partition(".")[0]
            if program != file and not (package and own == package):
                return program
        return None

    def of_package(self, package: str) -> Iterator[str]:
        """Yield the scripts in a package and its subpackages."""
        for program in filter(_is_script, self._mentions.of(_SCRIPT)):
            if package_of(program.file)[1].partition(".")[0] == package:
                yield program.file

    def _scripts(self) -> Iterator[SourceFile]:
        yield from filter(_is_script, self._mentions.of(_SCRIPT))
        yield from filter(_is_notebook, self._files)

    def _found_trainers(self) -> Iterator[SourceFile]:
        """Yield all files that train, as far as they are parsed."""
        self._found += self._searched
        yield from (one for one in self._found if _may_train(one) and _does_train(one))

    def _search(self) -> Iterator[SourceFile]:
        yield from self._trainers()
        yield from self._scripts()

    def _trainers(self) -> Iterator[SourceFile]:
        for word in _WORDS:
            for file in self._mentions.of(word):
                if file.file in self.looked_at or not _may_train(file):
                    continue
                if len(self.looked_at) >= _READ_MOST:
                    return
                self.looked_at.add(file.file)
                if _does_train(file):
                    yield file


def does_run(file: SourceFile) -> bool:
    """Whether a file is a program, and no test: it trains, or is a script or a notebook."""
    return _is_script(file) or _is_notebook(file) or (_may_train(file) and _does_train(file))


@lru_cache(_KEPT_MOST)
def is_program(file: SourceFile) -> bool:
    """Whether a file is run and takes gradients, so that others seldom call what it defines.

    A file that defines a loss, and only shows its values when it is run, is no program.
    """
    tree = None if is_test(file.file) else tree_of_file(file)
    if tree is None:
        return False
    if _is_script(file) and trains(tree):
        return True
    return (_is_notebook(file) and takes_gradients(tree)) or takes_gradients_itself(tree)


def _is_script(file: SourceFile) -> bool:
    is_setup = os.path.basename(file.file) == SETUP
    return not (is_setup or is_test(file.file)) and _SCRIPT.encode() in text_of(*file)


def _is_notebook(file: SourceFile) -> bool:
    return file.file.endswith(".ipynb") and not is_test(file.file)


def _may_train(file: SourceFile) -> bool:
    if is_test(file.file):
        return False
    text = text_of(*file)
    if any(word.encode() in text for word in (*TRAINING_STEPS, COMPILES)):
        return True
    return any(word.encode() in text for word in MOVES) and any(
        word.encode() in text for word in TAKES
    )


@lru_cache(_KEPT_MOST)
def _does_train(file: SourceFile) -> bool:
    tree = tree_of_file(file)
    return tree is not None and trains(tree)


@lru_cache(_KEPT_MOST)
def _acts(file: SourceFile) -> bool:
    tree = tree_of_file(file)
    return tree is not None and acts(tree)


def tree_of_file(file: SourceFile) -> ast.Module | None:
    """The tree of a file of Python 3, or of Python 2 that can be read completely; else `None`."""
    try:
        text = read(text_of(*file), file.file).text
        return tree_of_other(text) or _tree_of_python_2(text)
    except (SourceError, NoPython, ValueError, RecursionError):
        return None


def _tree_of_python_2(text: str) -> ast.Module | None:
    from mllint_nan.syntax.mending import in_python_3

    mended = in_python_3(text)
    return tree_of(mended) if mended is not None else None
