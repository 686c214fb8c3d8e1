"""Other files of the project, as far as the evaluation of one file needs them."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from mllint_nan.flow.followed import Settled
from mllint_nan.frameworks import registry
from mllint_nan.ir import program as ir
from mllint_nan.training import TrainingUse, Unrun


class ClassText(Protocol):
    """What the text of a class says, a method at a time."""

    @property
    def name(self) -> str: ...

    @property
    def bases(self) -> tuple[ir.Expression, ...]: ...

    @property
    def decorators(self) -> tuple[ir.Expression, ...]: ...

    @property
    def fields(self) -> tuple[str, ...]:
        """The names that the body annotates, in order, if no method sets one of them."""

    @property
    def stored(self) -> Collection[str]:
        """Every attribute that the methods or the body of the class set."""

    @property
    def builders(self) -> Collection[str]:
        """The methods that set an attribute to what a class or a `lambda` gives."""

    def annotation(self, name: str) -> ir.Expression | None:
        """What an attribute is said to be: in the body, or of what the constructor sets it to."""

    def value(self, name: str) -> ir.Expression | None:
        """What the body of the class sets an attribute to, if no method sets it."""

    def may_keep(self, name: str, *, given: bool) -> bool:
        """Whether one method sets an attribute, to what could stay what it is.

        With `given`, what the constructor is given is known.
        """

    def method(self, name: str) -> ir.Function | None:
        """The method of that name, if there is one and not several."""


class Module(Protocol):
    """A module of the project, of which nothing is executed."""

    @property
    def name(self) -> str:
        """Its qualified name."""

    @property
    def file(self) -> str:
        """The path of its text, or an empty string."""

    @property
    def is_package(self) -> bool: ...

    @property
    def stars(self) -> tuple[str, ...]:
        """The modules of which it imports all public names, as written."""

    @property
    def callables(self) -> Sequence[str]:
        """The names of its functions and classes; of a package, of what it imports, too."""

    def naming(self, word: str) -> Sequence[str]:
        """The functions and classes in whose text a word stands."""

    @property
    def modules_imported(self) -> Sequence[str]:
        """What its top level imports, as written."""

    @property
    def registrations(self) -> Sequence[tuple[str, str, str]]:
        """Its decorated definitions: the decorator's first name, the key, and their own name."""

    @property
    def version(self) -> object:
        """An object of its own, another one once the text is read anew."""

    @property
    def settled(self) -> dict[tuple[str, bool], Settled]:
        """By name, and whether calls of another file are evaluated: what it means to all files."""

    def mentions(self, name: str) -> bool:
        """Whether its text holds a word at all."""

    def binds(self, name: str) -> bool:
        """Whether its top level binds a name, once or more often."""

    def imports(self, name: str) -> str:
        """What the one statement imports that binds a name; an empty string if it does not."""

    def binding(self, name: str) -> ir.Statement | None:
        """The one statement at its top level that binds a name, without sites; no class."""

    def filled(self, name: str) -> ir.Block:
        """The statements that make a dictionary and fill it by its keys, if these alone bind it."""

    def class_text(self, name: str) -> ClassText | None:
        """The class that alone binds a name at its top level."""


class Calling(Protocol):
    """The functions of a file that may call what another one defines, and what they need."""

    @property
    def bodies(self) -> Collection[str]:
        """Their names within the module, `train` or `Trainer.step`; empty of the module itself."""

    @property
    def hands_on(self) -> Collection[str]:
        """The functions and classes among them that may give what they are given themselves."""

    @property
    def program(self) -> ir.Block:
        """The statements that they need; only their calls have sites, and these are rows."""


class CallingFile(Protocol):
    """A file of the project that may call what another one defines."""

    @property
    def file(self) -> str:
        """Its path."""

    @property
    def project(self) -> Project:
        """Where it finds the modules that it imports."""

    def paths_to(self, names: Collection[str]) -> Collection[str]:
        """The qualified names by which it may mean some, by the look of what it imports."""

    def calling(self) -> Calling:
        """Its functions that may."""

    def subclasses(self, names: Collection[str]) -> Sequence[str]:
        """The qualified names of its classes that are derived from some of those, by their look."""

    def constructions(
        self, name: str, parameters: Sequence[str]
    ) -> Sequence[Mapping[str, Any] | None]:
        """The constants that its calls of a class give, by parameter; `...` of what is none.

        `None` of what hides what is given.
        """


class Project(Protocol):
    """Where a file finds the modules that it imports, and who imports it."""

    @property
    def file(self) -> str:
        """The path of the file, or an empty string."""

    @property
    def package(self) -> str:
        """The package that the file is a module of, or an empty string."""

    def module(self, name: str) -> Module | None:
        """The module of a qualified name, if it is a file of the project."""

    def of(self, file: str) -> Project:
        """The same of another file of it."""

    def training(self, name: str) -> TrainingUse:
        """Whether the project trains anything through what the file defines under a name."""

    def unrun(self, name: str) -> Unrun:
        """What nothing in sight runs of that which the file defines under a name."""

    def callers(self, names: Collection[str]) -> Sequence[CallingFile]:
        """Files that import the file and name some of what it defines; a few, if there are many."""


def absolute(path: str, package: str) -> str:
    """`pkg.b.f` of `..b.f` in the package `pkg.a`; an empty string outside of all packages."""
    relative = path.lstrip(".")
    dots = len(path) - len(relative)
    if not dots:
        return path
    parts = package.split(".") if package else []
    kept = parts[: len(parts) - dots + 1]
    return ".".join((*kept, relative)) if dots <= len(parts) else ""


def package_of(module: Module) -> str:
    """What the relative imports of a module start from."""
    return module.name if module.is_package else module.name.rpartition(".")[0]


def may_be_of_project(path: str) -> bool:
    """Whether a qualified name is neither of a framework nor of the standard library."""
    if registry.framework_of(path) is not None:
        return False
    return path.partition(".")[0] not in sys.stdlib_module_names
