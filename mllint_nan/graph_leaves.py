"""Whether all calls in a project pass only data to a parameter, and nothing that is trained.

The search goes backwards: from a parameter to the argument of each call, from there to what that
was computed from, and so on. Whatever is not known on the way may be trained.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from mllint_nan.frameworks.data import WRAPS
from mllint_nan.graph_calls import ProjectCalls
from mllint_nan.graph_object_calls import is_looked_at
from mllint_nan.graph_objects import RUN_BY_CALLS
from mllint_nan.graph_places import FILES_MOST, sources_of
from mllint_nan.packages import module_of
from mllint_nan.project_files import SourceFile, is_test, text_of
from mllint_nan.surroundings import Surroundings
from mllint_nan.syntax.bindings import FUNCTIONS, Bindings, Function, function_in
from mllint_nan.syntax.function_uses import Wanted, decorations_of, uses_of
from mllint_nan.syntax.namings import chain_of
from mllint_nan.syntax.set_attributes import is_set_outside, stores_of
from mllint_nan.syntax.sources import (
    Field,
    Kept,
    Loaded,
    Method,
    Parameter,
    Result,
    Shared,
    Source,
    Sources,
    holds_others,
    is_only_read,
)
from mllint_nan.syntax.turned_on import WORDS, turns_on
from mllint_nan.syntax.value_flow_edges import CALLED
from mllint_nan.training import NOWHERE

_ASKED_MOST: Final = 60
"""The most parameters, attributes and results that one answer may depend on."""
_KEPT_MOST: Final = 1024
_OF_BATCHES: Final = ("training_step", "validation_step", "test_step", "predict_step")
"""Methods that Lightning's trainer calls with batches from a loader."""
_OF_TREES: Final = re.compile(r"^(flax|equinox|haiku|jax|chex|penzai|treex|simple_pytree)\.")
"""Bases of classes whose objects are differentiated as a whole, with all of their attributes."""


class _Asked(NamedTuple):
    file: SourceFile
    source: Source


class _Given(NamedTuple):
    """A value that a source has somewhere; `value` is None if it is not known."""

    file: SourceFile
    value: ast.AST | None
    is_function: bool = False
    """Whether the value is the result of that function."""


class ProjectLeaves(ProjectCalls):
    """Which values in a project are data."""

    def _given_data(
        self, file: SourceFile, function: str, parameter: str, surroundings: Surroundings
    ) -> str:
        """The place of a call that passes data to a parameter, if all calls do; otherwise empty."""
        text = sources_of(file)
        start = function_in(text.bindings, function) if text is not None else None
        if start is None:
            return ""
        first, place = _Asked(file, _source(sources_of(file), start, parameter)), ""
        pending, seen = [first], {first}
        while pending:
            asked = pending.pop()
            if len(seen) > _ASKED_MOST:
                return ""
            for given in self._givings(asked, surroundings):
                known = given.value is not None and self._sources_of(given)
                if not isinstance(known, frozenset):
                    return ""
                if asked is first and not is_test(given.file.file) and not place:
                    place = f"{os.path.basename(given.file.file)}:{_row(given.value)}"
                news = {_Asked(given.file, one) for one in known} - seen
                seen |= news
                pending += news
        place = place or (NOWHERE if isinstance(first.source, Field) else "")
        return "" if self._turns_on() else place

    def _sources_of(self, given: _Given) -> frozenset[Source] | None:
        text = sources_of(given.file)
        if text is None or given.value is None:
            return None
        if given.is_function:
            assert isinstance(given.value, FUNCTIONS)
            return text.of_returned(given.value)
        return text.of(given.value)

    def _givings(self, asked: _Asked, surroundings: Surroundings) -> Iterator[_Given]:
        """Yield all values that a source can have."""
        text = sources_of(asked.file)
        assert text is not None
        match asked.source:
            case Parameter(function, name):
                yield from self._given_to(asked.file, text.bindings, function, name, surroundings)
            case Kept(owner, name):
                yield from self._kept(asked.file, text.bindings, owner, name, surroundings)
            case Result(path):
                yield self._result(asked.file, path)
            case Method(owner, name):
                yield self._result_of_method(asked.file, owner, name)
            case Field(name):
                yield from self._set_anywhere(name)
            case Shared(name):
                yield from self._shared_with(asked.file, name)
            case Loaded():
                yield from self._wrapped_anywhere()

    # Arguments of functions

    def _given_to(
        self,
        file: SourceFile,
        bindings: Bindings,
        function: Function,
        name: str,
        surroundings: Surroundings,
    ) -> Iterator[_Given]:
        outer = bindings.parents.get(function)
        is_method = isinstance(outer, ast.ClassDef)
        wanted = Wanted.of(function, name, is_method=is_method)
        if wanted is None or isinstance(function, ast.Lambda):
            yield _Given(file, None)
            return
        uses = (
            self._uses_within(file, bindings, function, wanted)
            if bindings.function_around(function) is not None
            else self._uses_around(file, bindings, function, wanted, surroundings)
        )
        is_called = False
        for given in uses if decorations_of(function, wanted) else ():
            is_called = is_called or not is_test(given.file.file)
            yield given
        if not is_called:
            yield _Given(file, None)

    def _uses_within(
        self, file: SourceFile, bindings: Bindings, function: Function, wanted: Wanted
    ) -> Iterator[_Given]:
        """Yield the arguments of a function in another one, outside of which nobody names it."""
        assert not isinstance(function, ast.Lambda)
        if isinstance(bindings.parents.get(function), ast.ClassDef):
            yield _Given(file, None)
            return
        for node in bindings.named.get(function.name, ()):
            if isinstance(node, ast.Name) and function in (bindings.made(node) or ()):
                for value in uses_of(bindings, node, wanted):
                    yield _Given(file, None if isinstance(value, str) else value)

    def _uses_around(
        self,
        file: SourceFile,
        bindings: Bindings,
        function: Function,
        wanted: Wanted,
        surroundings: Surroundings,
    ) -> Iterator[_Given]:
        """Yield the arguments of a module's function or of a method, in all files."""
        assert not isinstance(function, ast.Lambda)
        outer = bindings.parents.get(function)
        owner = outer.name if isinstance(outer, ast.ClassDef) else ""
        path = f"{module_of(file.file)}.{owner}.{function.name}".replace("..", ".")
        is_step = bool(owner) and function.name in _OF_BATCHES
        if is_step and self._is_of_lightning(path.rpartition(".")[0]):
            yield _Given(file, ast.Constant(0))
        if function.name == "__init__" and owner:
            yield from self._constructions(
                file, path.rpartition(".")[0], owner, wanted, surroundings
            )
            return
        if function.name in RUN_BY_CALLS and owner:
            assert isinstance(outer, ast.ClassDef)
            for called in self._calls_of_objects(file, outer, surroundings):
                call = called.node if called is not None else None
                value = wanted.given_by(call) if isinstance(call, ast.Call) else None
                if isinstance(call, ast.Call) and wanted.is_missing_in(call):
                    continue
                yield _Given(called.file if called is not None else file, value)
            return
        if not self._may_be_followed(path, file, surroundings):
            yield _Given(file, None)
            return
        yield from self._uses_by_name(file, path, wanted, surroundings)

    def _uses_by_name(
        self, file: SourceFile, path: str, wanted: Wanted, surroundings: Surroundings
    ) -> Iterator[_Given]:
        """Yield the arguments where a function is called by its name or an alias in a module."""
        *_, owner, name = path.split(".")
        owner = owner if self._is_method(path) else ""
        words, pending = {name}, [name]
        while pending:
            for place in self._places_of(path, pending.pop(), surroundings):
                is_seen = place is not None and not (owner and _is_of_class(place.node, owner))
                uses = uses_of(place.bindings, place.node, wanted) if place and is_seen else (None,)
                for use in uses:
                    if isinstance(use, str) and use not in words:
                        words.add(use)
                        pending.append(use)
                    elif not isinstance(use, str):
                        yield _Given(place.file if place is not None else file, use)

    def _constructions(
        self, file: SourceFile, path: str, owner: str, wanted: Wanted, surroundings: Surroundings
    ) -> Iterator[_Given]:
        """Yield the arguments of a class's constructor, where its objects are made."""
        if self._heirs(path) != [] or not self._is_closed(path, file, surroundings):
            yield _Given(file, None)
            return
        for place in self._places_of(path, owner, surroundings):
            call = place.parent if place is not None else None
            is_made = place is not None and isinstance(call, ast.Call) and call.func is place.node
            if place is None or not (is_made or is_looked_at(place)):
                yield _Given(file, None)
            elif is_made:
                assert isinstance(call, ast.Call)
                yield _Given(place.file, wanted.given_by(call))

    def _may_be_followed(self, path: str, file: SourceFile, surroundings: Surroundings) -> bool:
        """Whether all calls of a function are visible, and call it by its name."""
        name = path.rpartition(".")[2]
        if name in CALLED or (name.startswith("__") and name.endswith("__")):
            return False
        is_method, owner = self._is_method(path), path.rpartition(".")[0]
        is_step = is_method and name in _OF_BATCHES and self._is_of_lightning(owner)
        if is_method and not is_step and self._is_called_by_base(owner, name):
            return False
        return self._is_closed(path, file, surroundings)

    # Attributes of objects, and results of functions

    def _kept(
        self,
        file: SourceFile,
        bindings: Bindings,
        owner: ast.ClassDef,
        name: str,
        surroundings: Surroundings,
    ) -> Iterator[_Given]:
        path = f"{module_of(file.file)}.{owner.name}"
        is_plain = isinstance(bindings.parents.get(owner), ast.Module) and not owner.decorator_list
        is_declared = any(
            isinstance(one, ast.AnnAssign)
            and isinstance(one.target, ast.Name)
            and one.target.id == name
            for one in owner.body
        )
        is_plain = is_plain and not is_declared  # a constructor may take it as an argument
        is_open = not self._is_in_sight(path, file, surroundings)
        if not is_plain or is_open or any(map(_OF_TREES.search, self._bases(path))):
            yield _Given(file, None)
            return
        heirs = self._heirs(path)
        kin = {*self._ancestors(path), *(heirs or ())}
        files = {one for word in (name, "setattr", "__dict__") for one in self._holding(word)}
        kept = bindings.kept(owner, name)
        if not kept or heirs is None or len(files) > FILES_MOST:
            yield _Given(file, None)
            return
        for one in sorted(files):
            text = sources_of(one)
            if text is None or is_set_outside(text.bindings, name, module_of(one.file), path, kin):
                yield _Given(one, None)
                return
        if any(map(holds_others, kept)) and not all(map(self._is_only_read(name), sorted(files))):
            yield _Given(file, None)
            return
        yield from (_Given(file, one) for one in kept)

    def _is_only_read(self, name: str) -> Callable[[SourceFile], bool]:
        """A test for a file: whether the list that an attribute holds gets no other name there."""

        def is_so(file: SourceFile) -> bool:
            text = sources_of(file)
            named = text.bindings.named.get(name, ()) if text is not None else ()
            attributes = (one for one in named if isinstance(one, ast.Attribute))
            return text is not None and all(is_only_read(text.bindings, one) for one in attributes)

        return is_so

    def _result(self, file: SourceFile, path: str) -> _Given:
        """The project's function that returns a result; an unknown value if it is not plain."""
        found = self._definition_at(self._absolute(file, path))
        function = found[1] if found is not None else None
        is_plain = isinstance(function, ast.FunctionDef) and not function.decorator_list
        return _Given(found[0] if found else file, function if is_plain else None, is_plain)

    def _result_of_method(self, file: SourceFile, owner: ast.ClassDef, name: str) -> _Given:
        path = f"{module_of(file.file)}.{owner.name}"
        found = self._definition_at(f"{path}.{name}") if self._heirs(path) == [] else None
        function = found[1] if found is not None else None
        is_plain = isinstance(function, ast.FunctionDef) and not function.decorator_list
        text = sources_of(file)
        is_alone = text is not None and text.bindings.kept(owner, name) == [function]
        is_seen = is_plain and is_alone
        return _Given(file, function if is_seen else None, is_seen)

    def _absolute(self, file: SourceFile, path: str) -> str:
        """The qualified name of what a file imports, with leading dots resolved."""
        if not path.startswith("."):
            return path
        package, rest = module_of(file.file).split("."), path.lstrip(".")
        up = len(path) - len(rest) - (os.path.basename(file.file) == "__init__.py")
        return ".".join((*package[: len(package) - up], rest))

    def _definition_at(self, written: str) -> tuple[SourceFile, Function] | None:
        """A function, or the constructor of a class, and the file that defines it."""
        resolved = self._resolved(written)
        home = self._home(resolved)
        text = sources_of(home) if home is not None else None
        if home is None or text is None or self._is_shared(home):
            return None
        self._trace.files.add(home.file)
        own = resolved.removeprefix(f"{module_of(home.file)}.")
        found = function_in(text.bindings, own) or function_in(text.bindings, f"{own}.__init__")
        return (home, found) if found is not None else None

    def _shared_with(self, file: SourceFile, name: str) -> Iterator[_Given]:
        """Yield an unknown value for each other file that names a variable of a module."""
        for one in self._holding(name):
            text = sources_of(one) if one != file else None
            named = text.bindings.named.get(name, ()) if text is not None else ()
            imports = text.bindings.imports if text is not None else ()
            is_named = any(isinstance(each, ast.Attribute) for each in named)
            is_named = is_named or any(each.name in (name, "*") for each in imports)
            if one != file and (text is None or is_named):
                yield _Given(one, None)

    def _set_anywhere(self, name: str) -> Iterator[_Given]:
        """Yield what an attribute or key of this name is set to, on any object but `self`."""
        stored = re.compile(rb"""[.'"]%s\b""" % re.escape(os.fsencode(name)))
        files = [one for one in self._holding(name) if stored.search(text_of(*one))]
        if len(files) > FILES_MOST:
            yield from (_Given(one, None) for one in files[:1])
            return
        for one in files:
            text = sources_of(one)
            if text is None:
                yield _Given(one, None)
                return
            yield from (_Given(one, value) for value in stores_of(text.bindings, name))

    def _wrapped_anywhere(self) -> Iterator[_Given]:
        """Yield all values that the project wraps in datasets, as a loader may return any."""
        for word in WRAPS:
            for file in self._holding(word):
                text = sources_of(file)
                if text is None:
                    yield _Given(file, None)
                    return
                for node in text.bindings.named.get(word, ()):
                    call = text.bindings.parents.get(node)
                    given = (
                        call.args if isinstance(call, ast.Call) and call.func is node else [None]
                    )
                    yield from (_Given(file, one) for one in given)

    def _turns_on(self) -> bool:
        """Whether any code turns on the gradient of a tensor that was made elsewhere."""
        for word in WORDS:
            self._trace.words.add(word)
            for file in self._mentions.of(word):
                self._trace.files.add(file.file)
                if not is_test(file.file) and _turns_on(file):
                    return True
        return False


@lru_cache(_KEPT_MOST)
def _turns_on(file: SourceFile) -> bool:
    text = sources_of(file)
    return text is None or turns_on(text.bindings)


def _source(text: Sources | None, start: Function, parameter: str) -> Source:
    """The source called `x`, `self.x` or `.x`: a parameter, an attribute of `self` or of others."""
    owner = text.bindings.class_around(start) if text is not None else None
    of, dot, name = parameter.rpartition(".")
    if of and owner is not None:
        return Kept(owner, name)
    return Field(name) if dot and not of else Parameter(start, parameter)


def _is_of_class(node: ast.AST, owner: str) -> bool:
    """Whether a method is named on its class, so that calls may pass the object as an argument."""
    return isinstance(node, ast.Attribute) and chain_of(node.value).rpartition(".")[2] == owner


def _row(node: ast.AST | None) -> int:
    return getattr(node, "lineno", 0)
