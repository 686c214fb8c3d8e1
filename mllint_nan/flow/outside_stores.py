"""What the project in sight sets an attribute of a class, or a variable of a module, to.

Whose attribute it is follows from names, across files. An object of which nothing is known may be
of any class; one that is made by another class, or by a framework, is not.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol, TypeAlias

from mllint_nan.flow.modules import (
    Module,
    Project,
    StoringFile,
    absolute,
    may_be_of_project,
    package_of,
)
from mllint_nan.ir import program as ir
from mllint_nan.ir.stores import HERE, OF_MODULE, Holder, Store, Stores, stores_in

_HOPS_MOST: Final = 6
"""How many imports and bases a name is followed through."""

Place: TypeAlias = tuple[str, str]
"""A file, and the name of a class in it."""


class Settings(NamedTuple):
    """What something may be set to from outside."""

    numbers: tuple[int | float, ...] = ()
    """The numbers that visible code sets it to."""
    is_open: bool = False
    """Whether it may also be set to anything else."""


UNSET: Final = Settings()


class _Text(Protocol):
    """A file, as far as its names lead to classes."""

    @property
    def file(self) -> str: ...

    def has_class(self, name: str) -> bool:
        """Whether it defines a class of that name."""

    def path(self, name: str) -> tuple[str, ...]:
        """The qualified names that a name may be imported from."""

    def bases(self, name: str) -> tuple[str, ...]:
        """The paths of the bases of a class that it defines."""


@dataclass(frozen=True, slots=True)
class _Storing:
    """A file that sets attributes."""

    file: str
    project: Project | None
    stores: Stores

    def has_class(self, name: str) -> bool:
        return name in self.stores.bases

    def path(self, name: str) -> tuple[str, ...]:
        return ()

    def bases(self, name: str) -> tuple[str, ...]:
        package = self.project.package if self.project is not None else ""
        return tuple(_absolute(one, package) for one in self.stores.bases.get(name, ()))


@dataclass(frozen=True, slots=True)
class _Read:
    """A module that is read for its classes."""

    module: Module

    @property
    def file(self) -> str:
        return os.path.abspath(self.module.file) if self.module.file else ""

    def has_class(self, name: str) -> bool:
        return self.module.class_text(name) is not None

    def path(self, name: str) -> tuple[str, ...]:
        onward, package = self.module.imports(name), package_of(self.module)
        if onward:
            return (absolute(onward, package),)
        return tuple(f"{absolute(star, package)}.{name}" for star in self.module.stars)

    def bases(self, name: str) -> tuple[str, ...]:
        text = self.module.class_text(name)
        return tuple(map(self._base, text.bases if text is not None else ()))

    def _base(self, base: ir.Expression) -> str:
        written = _dotted(base)
        first, dot, rest = written.partition(".")
        if not first or self.has_class(first):
            return f"{HERE}{written}" if first else ""
        return next((f"{path}{dot}{rest}" for path in self.path(first)), "")


class _Class(NamedTuple):
    """A class, in the file that defines it."""

    text: _Text
    name: str

    @property
    def place(self) -> Place:
        return self.text.file, self.name


class Read(NamedTuple):
    """An attribute that a function reads of an object."""

    line: tuple[Place, ...]
    """The class of the object, and its bases."""
    owner: Place
    """The first of them that sets it."""
    name: str
    reader: str
    """The name of the function."""
    is_shared: bool
    """Whether only the body of the class sets it, so that objects have none of their own."""
    is_exact: bool
    """Whether the object is of that class, and of none that is derived from it."""


class OutsideStores:
    """Answers for one file and the classes that it uses."""

    def __init__(self, project: Project | None, program: ir.Block) -> None:
        self._project = project
        self._program = program
        self._own: _Storing | None = None
        self._known: dict[tuple[Read, bool], Settings] = {}
        self._texts: dict[str, _Storing] = {}
        self._classes: dict[tuple[str, str], _Class | None] = {}
        """By file, and path as its text writes it."""
        self._lines: dict[tuple[Place, bool], set[Place]] = {}
        """By class, and whether it was found by what its file stores: the class and its bases."""
        self.file = os.path.abspath(project.file) if project is not None and project.file else ""

    def of_attribute(self, read: Read) -> Settings:
        """What an attribute is set to, of objects of a class or of one that is derived from it.

        What a derived class sets is uncertain if that has a method of the reader's name.
        """
        return self._recalled(read, only_numbers=False)

    def numbers_of_attribute(self, read: Read) -> tuple[int | float, ...]:
        """The numbers among what `of_attribute` finds, for which fewer files are read."""
        return self._recalled(read, only_numbers=True).numbers

    def _recalled(self, read: Read, *, only_numbers: bool) -> Settings:
        asked = (read, only_numbers)
        if asked not in self._known:
            self._known[asked] = self._of_attribute(read, only_numbers)
        return self._known[asked]

    def of_variable(self, file: str, name: str) -> Settings:
        """What functions of a module set its variable to, and other files as its attribute."""
        storing = self._others(name)
        if storing is None:
            return Settings((), True)
        found = [
            store
            for text in (self._texts_of_own(), *storing)
            for store in text.stores.by_name.get(name, ())
            if self._is_of_module(text, store.holder, file)
        ]
        return _settings(found)

    def _of_attribute(self, read: Read, only_numbers: bool) -> Settings:
        own, (file, first), name = self._texts_of_own(), read.line[0], read.name
        heirs = self._project.heirs(first, file) if self._project is not None else (first,)
        holders = {*heirs, *(one for _, one in read.line)} if only_numbers else None
        others = self._others(name, sorted(heirs), file, holders, read.owner)
        if others is None:
            return Settings((), True)
        found = [
            known
            for text in (own, *others)
            for store in text.stores.of(name)
            if (store.value is not None or not only_numbers)
            and (known := self._as_set(text, store, read)) is not None
        ]
        return _settings(found)

    def _as_set(self, text: _Storing, store: Store, read: Read) -> Store | None:
        """The store, without its value if it is not known to be of such an object; else `None`."""
        holder, is_named = store.holder, store.name != ""
        unknown = Store(store.name, holder, None)
        is_of_class = holder.is_itself or holder.is_body
        if is_of_class and not read.is_shared:
            return None
        if not holder.path:
            return unknown if is_named else None
        made = self._class_at(text, holder.path)
        if made is None:
            is_followed = is_named and not is_of_class and self._is_followed(text, holder)
            return unknown if is_followed else None
        is_plain = holder.is_body or (holder.is_self and not store.is_call)
        if made.place == read.owner and is_plain:
            return None  # it is known
        if read.line[0] in self._line(made):
            if made.place == read.line[0]:
                return store
            is_replaced = read.reader in text.stores.methods.get(made.name, ())
            return None if read.is_exact else unknown if is_replaced else store
        if made.place not in read.line:
            return None
        if holder.is_itself:
            return store
        is_first = is_plain and (holder.is_body or store.function in ir.FIRST_METHODS)
        return unknown if holder.may_be_derived and not is_first else None

    # Files

    def _texts_of_own(self) -> _Storing:
        if self._own is None:
            self._own = _Storing(self.file, self._project, stores_in(self._program))
        return self._own

    def _others(
        self,
        name: str,
        classes: Sequence[str] = (),
        defining: str = "",
        holders: Collection[str] | None = None,
        owner: Place = ("", ""),
    ) -> list[_Storing] | None:
        """The other files that set an attribute of that name; `None` if they are too many."""
        if self._project is None or not self.file:
            return []
        defining = "" if defining == self.file else defining
        found = self._project.storing(name, classes, defining, holders, owner)
        return [self._text_of(one, self._project) for one in found] if found is not None else None

    def _text_of(self, file: StoringFile, project: Project) -> _Storing:
        if file.file not in self._texts:
            path = os.path.abspath(file.file)
            self._texts[file.file] = _Storing(path, project.of(file.file), file.stores)
        return self._texts[file.file]

    # Names

    def _is_followed(self, text: _Storing, holder: Holder) -> bool:
        """Whether what makes the object is code of the project, and no class."""
        path = holder.path
        if path.startswith(HERE):
            return True
        path = _absolute(path, text.project.package) if text.project is not None else path
        top = path.partition(".")[0]
        is_own = may_be_of_project(path) and text.project is not None
        return is_own and text.project is not None and text.project.module(top) is not None

    def _is_of_module(self, text: _Storing, holder: Holder, file: str) -> bool:
        if holder == OF_MODULE:
            return text.file == file
        if not holder.is_itself or holder.path.startswith(HERE) or text.project is None:
            return False
        path = _absolute(holder.path, text.project.package)
        module = text.project.module(path) if may_be_of_project(path) else None
        return module is not None and bool(module.file) and os.path.abspath(module.file) == file

    def _class_at(self, text: _Storing, path: str) -> _Class | None:
        place = (text.file, path)
        if place not in self._classes:
            project = text.project
            package = project.package if project is not None else ""
            found = self._followed(project, text, _absolute(path, package), _HOPS_MOST)
            self._classes[place] = found
        return self._classes[place]

    def _followed(
        self, project: Project | None, text: _Text, path: str, hops: int
    ) -> _Class | None:
        """The class of a path, as a text writes it."""
        if path.startswith(HERE):
            name = path.removeprefix(HERE)
            return _Class(text, name) if text.has_class(name) else None
        if project is None or hops == 0 or not may_be_of_project(path):
            return None
        above, _, name = path.rpartition(".")
        module = (
            project.module(above) if above and project.module(above.partition(".")[0]) else None
        )
        if module is None:
            return None
        read: _Text = _Read(module)
        if self.file and read.file == self.file:
            read = self._texts_of_own()
        if read.has_class(name):
            return _Class(read, name)
        onward = (self._followed(project, read, one, hops - 1) for one in _Read(module).path(name))
        return next(filter(None, onward), None)

    def _line(self, of: _Class) -> set[Place]:
        """A class and its bases."""
        known = (of.place, isinstance(of.text, _Storing))
        if known not in self._lines:
            self._lines[known] = self._line_followed(of)
        return self._lines[known]

    def _line_followed(self, of: _Class) -> set[Place]:
        found, pending = {of.place}, [of]
        while pending and len(found) < 4 * _HOPS_MOST:
            one = pending.pop()
            for base in one.text.bases(one.name):
                project = one.text.project if isinstance(one.text, _Storing) else self._project
                above = self._followed(project, one.text, base, _HOPS_MOST) if base else None
                if above is not None and above.place not in found:
                    found.add(above.place)
                    pending.append(above)
        return found


def _settings(found: list[Store]) -> Settings:
    """All stores together."""
    numbers = dict.fromkeys(one.number for one in found if one.number is not None)
    return Settings(tuple(numbers), any(one.number is None for one in found))


def _absolute(path: str, package: str) -> str:
    return path if path.startswith(HERE) else absolute(path, package)


def _dotted(expression: ir.Expression) -> str:
    match expression:
        case ir.Name(_, name):
            return name
        case ir.Attribute(_, base, name):
            above = _dotted(base)
            return f"{above}.{name}" if above else ""
        case _:
            return ""
