"""Other files of the project, as far as the evaluation of one file needs them."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from mllint_nan.flow.followed import Settled
from mllint_nan.frameworks import registry
from mllint_nan.ir import program as ir
from mllint_nan.ir.stores import Stores
from mllint_nan.training import TrainingUse, Unrun


class ClassText(Protocol):
    """The text of a class, read one method at a time."""

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
        """The methods that set an attribute to a new object of a class or to a `lambda`."""

    def annotation(self, name: str) -> ir.Expression | None:
        """The annotation of an attribute, in the body or in the constructor that sets it."""

    def value(self, name: str) -> ir.Expression | None:
        """The value that the body of the class gives an attribute, if no method sets it."""

    def may_keep(self, name: str, *, given: bool) -> bool:
        """Whether exactly one method sets an attribute, to a value that may stay the same.

        With `given`, the arguments of the constructor are known, and count as such values.
        """

    def method(self, name: str) -> ir.Function | None:
        """The method of that name, if there is exactly one."""


class Module(Protocol):
    """A module of the project, which is read but never executed."""

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
        """The modules from which it imports all public names, as written."""

    @property
    def callables(self) -> Sequence[str]:
        """The names of its functions and classes; of a package, of what it imports, too."""

    def naming(self, word: str) -> Sequence[str]:
        """The functions and classes whose text contains a word."""

    @property
    def modules_imported(self) -> Sequence[str]:
        """The paths that its top level imports, as written."""

    @property
    def registrations(self) -> Sequence[tuple[str, str, str]]:
        """Its decorated definitions: the decorator's first name, the key, and their own name."""

    @property
    def version(self) -> object:
        """An object that stands for this reading of the text; reading it anew makes another."""

    @property
    def settled(self) -> dict[tuple[str, bool], Settled]:
        """What names mean to all files, by name and whether a file is evaluated for its calls."""

    def mentions(self, name: str) -> bool:
        """Whether its text contains a word at all."""

    def binds(self, name: str) -> bool:
        """Whether its top level binds a name, once or more often."""

    def imports(self, name: str) -> str:
        """What a name is imported from, if an import alone binds it; else an empty string."""

    def binding(self, name: str) -> ir.Statement | None:
        """The only top-level statement that binds a name, without sites; `None` for a class."""

    def filled(self, name: str) -> ir.Block:
        """The statements that make a dictionary and fill it by key, if no others bind its name."""

    def class_text(self, name: str) -> ClassText | None:
        """The class of a name, if nothing else at the top level binds the name."""


class Calling(Protocol):
    """The functions of a file that may call definitions of another one, and what they need."""

    @property
    def bodies(self) -> Collection[str]:
        """Their names in the module, as `Trainer.step`; an empty string for the module itself."""

    @property
    def hands_on(self) -> Collection[str]:
        """The functions and classes among them that may pass on their own arguments."""

    @property
    def program(self) -> ir.Block:
        """The statements that they need; only calls have sites, and these are row numbers."""

    @property
    def differentiated(self) -> Collection[str]:
        """The names of functions that JAX differentiates by their first argument."""


class CallingFile(Protocol):
    """A file of the project that may call definitions of another one."""

    @property
    def file(self) -> str:
        """Its path."""

    @property
    def project(self) -> Project:
        """Where it finds the modules that it imports."""

    def paths_to(self, names: Collection[str]) -> Collection[str]:
        """The qualified names by which it may refer to some of `names`, judging by its imports."""

    @property
    def frameworks(self) -> Collection[str]:
        """The numerical frameworks that it imports."""

    def calling(self) -> Calling:
        """Its functions that may call such definitions."""

    def subclasses(self, names: Collection[str]) -> Sequence[str]:
        """The qualified names of its classes whose bases mention some of `names`."""

    def constructions(
        self, name: str, parameters: Sequence[str]
    ) -> Sequence[Mapping[str, Any] | None]:
        """Per call of a class, its constant arguments by parameter; `...` for any other argument.

        `None` for a call that hides its arguments.
        """


class StoringFile(Protocol):
    """A file of the project that sets attributes of objects, classes or modules."""

    @property
    def file(self) -> str:
        """Its path."""

    @property
    def stores(self) -> Stores:
        """What it sets attributes to."""


class Project(Protocol):
    """The project around a file: the modules it imports, and the files that import it."""

    @property
    def file(self) -> str:
        """The path of the file, or an empty string."""

    @property
    def package(self) -> str:
        """The package that the file is a module of, or an empty string."""

    def module(self, name: str) -> Module | None:
        """The module of a qualified name, if it is a file of the project."""

    def of(self, file: str) -> Project:
        """The project as another file of it sees it."""

    def training(self, name: str) -> TrainingUse:
        """Whether the project trains anything through a definition of the file."""

    def unrun(self, name: str) -> Unrun:
        """Why nothing visible runs a definition of the file, if that is so."""

    def callers(self, names: Collection[str]) -> Sequence[CallingFile]:
        """Files that import this one and mention some of `names`; a few, if there are many."""

    def storing(
        self,
        name: str,
        classes: Collection[str],
        defining: str = "",
        holders: Collection[str] | None = None,
        owner: tuple[str, str] = ("", ""),
    ) -> Sequence[StoringFile] | None:
        """Other files that set an attribute of this name, or derive another class from one of some.

        That which defines the first class always counts. With `holders`, those do not that set it
        to no number that they contain, or name none of these classes, or only in the bodies of
        others or of the `owner`, which has a file and a name. `None` if there are too many to read.
        """

    def heirs(self, name: str, defining: str) -> frozenset[str]:
        """The names of a class of a file, and of those that may be derived from it."""


def absolute(path: str, package: str) -> str:
    """Resolve a path: `..b.f` in `pkg.a` is `pkg.b.f`; an empty string above all packages."""
    relative = path.lstrip(".")
    dots = len(path) - len(relative)
    if not dots:
        return path
    parts = package.split(".") if package else []
    kept = parts[: len(parts) - dots + 1]
    return ".".join((*kept, relative)) if dots <= len(parts) else ""


def package_of(module: Module) -> str:
    """The package that the relative imports of a module start from."""
    return module.name if module.is_package else module.name.rpartition(".")[0]


def may_be_of_project(path: str) -> bool:
    """Whether a qualified name belongs neither to a framework nor to the standard library."""
    if registry.framework_of(path) is not None:
        return False
    return path.partition(".")[0] not in sys.stdlib_module_names
