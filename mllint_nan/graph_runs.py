"""Whether the programs of a project run a definition, judged by names.

A definition is not run if no chain of names leads to it from code that is: from the statements of
a module, a test, a notebook, a string, a document, a setting, or a definition that these name, and
so on. If that cannot be decided, it counts as run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from mllint_nan.graph_edges import HANDS_BACK, ProjectEdges
from mllint_nan.graph_names import FILES_MOST, Trace, is_package
from mllint_nan.packages import module_of, package_of
from mllint_nan.programs import SETUP, Programs, is_program, tree_of_file
from mllint_nan.project_files import SourceFile, is_test, text_of
from mllint_nan.surroundings import Surroundings
from mllint_nan.syntax.giving import gives_function
from mllint_nan.syntax.lazy_value_flows import LazyFlows
from mllint_nan.syntax.namings import LOOKUPS, Lookup, Naming, Namings, namings
from mllint_nan.syntax.symbol_table import holds
from mllint_nan.syntax.value_flow_edges import CALLED, last_name
from mllint_nan.training import RUN, WITHIN, Unrun
from mllint_nan.words import is_read

_DEFINITIONS_MOST: Final = 48
"""The most definitions that lead to one; if there are more, it counts as run."""
_KEPT_MOST: Final = 64
_REGISTERS: Final = ("__subclasses__", "__init_subclass__")
"""Names by which classes are found without their own names."""
_FIRES: Final = re.compile(rb"^[ \t]*(import|from)[ \t]+fire\b", re.MULTILINE)
_OF_MODULES: Final = frozenset(
    (
        *("forward", "train", "eval", "extra_repr", "apply", "parameters", "named_parameters"),
        *("buffers", "named_buffers", "modules", "named_modules", "children", "named_children"),
        *("state_dict", "load_state_dict", "to", "cuda", "cpu", "float", "half", "double", "type"),
        *("bfloat16", "zero_grad", "requires_grad_", "share_memory", "compile", "to_empty"),
    )
)
"""Methods that `torch.nn.Module` calls on the classes that are derived from it."""
_IS_MODULE: Final = ("torch.nn.Module", "torch.nn.modules.Module", "torch.nn.modules.module.Module")
_CALLS_NOTHING: Final = ("object", "builtins.object", "abc.ABC", "typing.Generic")


class ProjectRuns(ProjectEdges):
    """Which definitions of a project are run."""

    def __init__(self, files: tuple[SourceFile, ...]) -> None:
        super().__init__(files)
        self._of_runs: dict[str, Trace] = {}
        self._runs: dict[str, Unrun] = {}
        self._of_programs: dict[str, bool] = {}
        """By package: whether it is a program, made to be run."""
        self._state = ""
        """The state of the surroundings for which these answers hold."""
        self._programs = Programs(files, self._mentions)
        self._parts: set[str] = set()
        """The names of the files and folders."""
        self._large = [file for file in files if not is_read(file)]

    def unrun(self, file: SourceFile, name: str, surroundings: Surroundings) -> Unrun:
        """Why nothing runs the definition of a name in `file`; `RUN` if it may be run.

        For a branch of a function, the name ends in the condition on which it is taken:
        `dice[not reduction == 'sum']`. If it ends in a parameter, `dice(x)`, the question is if
        anything trained is passed to it: if all calls pass data, the result names the place of one.
        So it does if gradients of the function are taken by other parameters. `dice(^x)` asks
        this for what an inner function, whose gradient is taken, reads of the function around it.
        """
        state = surroundings.state
        if state != self._state:
            self._state = state
            self._runs.clear()
            self._of_runs.clear()
            self._of_programs.clear()
        path = f"{module_of(file.file)}.{name}"
        found = self._runs.get(path)
        if found is None:
            with self._traced(self._of_runs, path):
                found = self._runs[path] = self._looked_for(path, file, surroundings)
        return found

    def _looked_for(self, path: str, file: SourceFile, surroundings: Surroundings) -> Unrun:
        path, is_of_data, parameter = path.partition("(")
        if is_of_data:
            return self._looked_for_data(path, file, surroundings, parameter.removesuffix(")"))
        path, _, condition = path.partition("[")
        program = self._program_beside(file, surroundings)
        if program is None:
            return RUN if condition else self._left_over(path, file, surroundings)
        start = self._known(path)
        if start and condition:
            is_taken = self._is_taken(start, file, surroundings, condition.removesuffix("]"))
            return RUN if is_taken else Unrun(last_name(start), os.path.basename(program.file))
        name = self._not_run(start, surroundings)
        return Unrun(name, os.path.basename(program.file)) if name else RUN

    def _left_over(self, path: str, file: SourceFile, surroundings: Surroundings) -> Unrun:
        """The answer for a module of a package that no visible program runs."""
        importer = None if is_test(file.file) else self._picking_beside(path, file)
        if importer is None:
            return RUN
        name = self._not_run(self._known(path), surroundings, f"{module_of(file.file)}.")
        return Unrun(name, "", os.path.basename(importer.file)) if name else RUN

    def _not_run(self, start: str, surroundings: Surroundings, within: str = "") -> str:
        """The name of a definition, or of its class, if it is not run; empty otherwise."""
        owner = start.rpartition(".")[0] if start and self._is_method(start) else ""
        for one in (owner, start):
            if one and not self._is_run(one, surroundings, within):
                return last_name(one)
        return ""

    def _program_beside(self, file: SourceFile, surroundings: Surroundings) -> SourceFile | None:
        """A program that runs what a file defines, if all that may run it is visible."""
        self._trace.files.add(file.file)
        package = _package(file)
        is_program = self._is_program(package, surroundings)
        program = self._programs.run_beside(file, "" if is_program else package)
        if program is None:
            self._trace.is_idle = True
            return None
        self._trace.files.add(program.file)
        is_in_sight = not (is_test(file.file) or self._is_shared(file)) and surroundings.is_whole
        return program if is_in_sight else None

    def _looked_for_data(
        self, path: str, file: SourceFile, surroundings: Surroundings, parameter: str
    ) -> Unrun:
        own, name = path.removeprefix(f"{module_of(file.file)}."), parameter.lstrip(WITHIN)
        program = self._program_beside(file, surroundings)
        if program is None and is_program(file):
            program = file
        if program is not None:
            place = self._given_data(file, own, name, surroundings)
            if place:
                return Unrun(place, os.path.basename(program.file))
        place = self._left_out(file, own, name, surroundings, is_within=name != parameter)
        return Unrun(place, os.path.basename(file.file)) if place else RUN

    def _left_out(
        self,
        file: SourceFile,
        function: str,
        parameter: str,
        surroundings: Surroundings,
        *,
        is_within: bool,
    ) -> str:
        """The place of a gradient that is taken, but not by a parameter; empty if it may be."""
        raise NotImplementedError

    def _given_data(
        self, file: SourceFile, function: str, parameter: str, surroundings: Surroundings
    ) -> str:
        """The place of a call that passes data to a parameter, if all calls do; otherwise empty."""
        raise NotImplementedError

    def _is_taken(
        self, start: str, file: SourceFile, surroundings: Surroundings, condition: str
    ) -> bool:
        """Whether some call of a function may pass an argument that meets a condition."""
        raise NotImplementedError

    def _known(self, path: str) -> str:
        """The innermost function, method or class in a qualified name; empty if there is none."""
        home = self._home(path)
        module = module_of(home.file) if home is not None else path
        while path != module:
            if self._definition(path) is not None:
                return path
            path = path.rpartition(".")[0]
        return ""

    def _is_program(self, package: str, surroundings: Surroundings) -> bool:
        """Whether a package is made to be run: documents say how, and nothing says to import it.

        If others import a package, or it is only installed, its callers are not visible.
        """
        if package not in self._of_programs:
            self._of_programs[package] = bool(package) and (
                any(map(surroundings.run, self._programs.of_package(package)))
                and not surroundings.offer(package)
                and all(_package(file) == package for file in self._importing(package))
            )
        self._trace.words.add(package)
        return self._of_programs[package]

    def _is_for_itself(self, file: SourceFile, surroundings: Surroundings) -> bool:
        """Whether a file is in no package that others import."""
        package = _package(file)
        return not package or self._is_program(package, surroundings)

    def _importing(self, package: str) -> Iterator[SourceFile]:
        for file in self._mentions.of(package):
            if os.path.basename(file.file) != SETUP and not is_test(file.file):
                self._trace.files.add(file.file)
                yield file

    def _is_run(self, start: str, surroundings: Surroundings, within: str = "") -> bool:
        """Whether code that is run leads to a definition; any code outside a module, if given."""
        pending, seen = [start], {start}
        while pending:
            path = pending.pop()
            if self._is_open(path, surroundings) or len(seen) > _DEFINITIONS_MOST:
                return True
            for user in self._named_by(path, surroundings):
                if not user or not user.startswith(within):
                    return True
                if user not in seen and not user.startswith(f"{path}."):  # what it does itself
                    seen.add(user)
                    pending.append(user)
        return any(self._is_found_otherwise(path) for path in seen)

    def _is_open(self, path: str, surroundings: Surroundings) -> bool:
        """Whether callers that are not visible may run it."""
        home, found = self._home(path), self._definition(path)
        if home is None or found is None or self._is_shared(home) or is_test(home.file):
            return True
        if self._is_installed(path, home, surroundings) and not self._picking_beside(path, home):
            return True
        return self._is_handed_on(path)

    def _is_installed(self, path: str, home: SourceFile, surroundings: Surroundings) -> bool:
        """Whether it is installed for callers that are not visible."""
        own = path.removeprefix(f"{module_of(home.file)}.")
        is_installed = not _is_private(own) and surroundings.install(home.file)
        return is_installed and not self._is_program(_package(home), surroundings)

    def _is_found_otherwise(self, path: str) -> bool:
        """Whether it may be run without being named."""
        home = self._home(path)
        return home is None or self._registers(path) or self._is_looked_up(path)

    def _registers(self, path: str) -> bool:
        """Whether making the class may register it: by a metaclass, or an invisible base."""
        if self._fires() or any(self._holding(word) for word in _REGISTERS):
            return True
        owner = path.rpartition(".")[0] if self._is_method(path) else path
        home, found = self._home(owner), self._definition(owner)
        if home is None or found is None or not found[1].is_class:
            return False
        read = _namings(home)
        if read is None or found[1].name in read.registering:
            return True
        return any(not self._is_harmless(base) for base in self._bases(owner))

    def _fires(self) -> bool:
        """Whether `fire.Fire` makes commands of everything in a module."""
        return any(_FIRES.search(text_of(*file)) for file in self._holding("Fire"))

    def _is_harmless(self, base: str) -> bool:
        """Whether a base is visible, or of a framework, which does not register its subclasses."""
        if base in _CALLS_NOTHING or base.startswith(HANDS_BACK) or "." not in base:
            return True
        return self._definition(self._resolved(base)) is not None

    def _gives_values(self, path: str) -> bool:
        """Whether a function is named only where it is called, and returns no function."""
        home, found = self._home(path), self._definition(path)
        if home is None or found is None or found[1].is_class or last_name(path) in CALLED:
            return False
        if self._is_handed_on(path):
            return False
        name = last_name(path)
        for file in {home, *(use.file for use in self._edges_from(path))}:
            read = _namings(file)
            if read is None:
                return False
            names = {name, *read.aliases.get(name, ())}
            if any(not place.called for one in names for place in read.places.get(one, ())):
                return False
        tree = tree_of_file(home)
        return tree is not None and not gives_function(tree, found[1].name)

    # Who names it

    def _named_by(self, path: str, surroundings: Surroundings) -> Iterator[str]:
        """Yield the definitions that name it; an empty name stands for code that is run."""
        is_method = self._is_method(path)
        name, owner = last_name(path), path.rpartition(".")[0] if is_method else ""
        if is_method and self._is_called_by_base(owner, name):
            yield owner
        if name.startswith("__") and name.endswith("__"):
            return
        for naming in self._namings_of(path, surroundings):
            if naming is None:
                yield ""
            else:
                yield from self._users(*naming)

    def _namings_of(
        self, path: str, surroundings: Surroundings
    ) -> Iterator[tuple[SourceFile, str, list[Naming]] | None]:
        """Yield where it is named, and by which word; `None` for a place that is not visible."""
        is_method, name = self._is_method(path), last_name(path)
        words, pending = {name}, [name]
        while pending:
            word = pending.pop()
            self._trace.words.add(word)
            if surroundings.name(word) or any(_holds(file, word) for file in self._large):
                yield None
            files = self._mentions.of(word)
            if len(files) > FILES_MOST:
                yield None
            for file in files:
                self._trace.files.add(file.file)
                read = _namings(file)
                if read is None:
                    yield None
                    return
                news = read.aliases.get(word, set()) - words
                words |= news
                pending += news
                places = [
                    one
                    for one in read.places.get(word, ())
                    if self._may_mean_it(path, word, is_method, file, one)
                ]
                if places:
                    yield file, word, places

    def _users(self, file: SourceFile, word: str, places: list[Naming]) -> Iterator[str]:
        for place in places:
            if not place.inside or is_test(file.file) or not file.file.endswith(".py"):
                yield ""
            else:
                yield self._known(f"{module_of(file.file)}.{place.inside}")

    def _may_mean_it(
        self, path: str, word: str, is_method: bool, file: SourceFile, place: Naming
    ) -> bool:
        if place.text:
            return True
        flows = self._read(file)
        if flows is None:
            return True
        first, _, rest = place.of.partition(".")
        if not place.of:
            if is_method:
                return place.inside == path.removeprefix(f"{flows.module}.").partition(".")[0]
            if word in flows.imports:
                return self._may_be_import(flows.imports[word], path)
            is_own = path == f"{flows.module}.{word}"
            is_notebook = not file.file.endswith(".py")
            return is_own or (not flows.has(word) and (bool(flows.stars) or is_notebook))
        if first in ("self", "cls") and not rest:
            return is_method
        if first in flows.imports:
            return self._may_be_import(f"{flows.imports[first]}.{rest}".rstrip("."), path, word)
        return True

    def _may_be_import(self, target: str, path: str, word: str = "") -> bool:
        """Whether an imported name, or an attribute of it, may be the definition at a path."""
        written = f"{target}.{word}" if word else target
        found = self._definition(self._resolved(written))
        if found is not None and not self._is_shared_name(written):
            resolved = f"{found[0].module}.{found[1].name}"
            return resolved == path or (bool(word) and self._is_method(path))
        return not f"{target}.".startswith(HANDS_BACK)

    def _is_shared_name(self, written: str) -> bool:
        home = self._home(written)
        return home is not None and self._is_shared(home)

    def _is_called_by_base(self, owner: str, name: str) -> bool:
        """Whether a base of its class may call it, or Python itself."""
        if name.startswith("__") and name.endswith("__"):
            return True
        others = [
            base for base in self._bases(owner) if self._definition(self._resolved(base)) is None
        ]
        if all(base in (*_IS_MODULE, *_CALLS_NOTHING) for base in others):
            is_module = any(base in _IS_MODULE for base in others)
            return is_module and (name in _OF_MODULES or name.startswith("_"))
        return True

    # Lookups by names that are not written in the code

    def _is_looked_up(self, path: str) -> bool:
        is_method, name = self._is_method(path), last_name(path)
        for file in self._looking_up():
            read, flows = _namings(file), self._read(file)
            if read is None or flows is None:
                return True
            for lookup in read.lookups:
                if self._may_find(lookup, path, name, is_method, file, read):
                    return True
        return False

    def _is_gotten_from_its_module(self, path: str) -> bool:
        """Whether a file gets what the module of a function defines by computed names."""
        home = self._home(path)
        if home is None:
            return True
        for file in self._holding(last_name(module_of(home.file))):
            if is_test(file.file) or not any(_holds(file, word) for word in LOOKUPS):
                continue
            read, flows = _namings(file), self._read(file)
            for lookup in read.lookups if read is not None and flows is not None else ():
                first, _, rest = lookup.of.partition(".")
                target = flows.imports.get(first) if flows is not None else None
                if target and self._has(f"{target}.{rest}".rstrip("."), path, False, file):
                    return True
        return False

    def _may_find(
        self, lookup: Lookup, path: str, name: str, is_method: bool, file: SourceFile, read: Namings
    ) -> bool:
        flows = self._read(file)
        assert flows is not None
        if not lookup.finds(name):
            return False
        if lookup.of == "self" and is_method and "." in lookup.inside:
            around = f"{flows.module}.{lookup.inside.partition('.')[0]}"
            return not lookup.is_namespace and self._may_be_both(path.rpartition(".")[0], around)
        if not lookup.of:  # in the module itself
            if is_method:
                return False
            return path.startswith(f"{flows.module}.") or self._imports(flows, name)
        target = flows.imports.get(lookup.of.partition(".")[0])
        if target is None:
            is_of_object = is_method and not lookup.is_namespace
            return is_of_object or read.imports_by_name
        rest = lookup.of.partition(".")[2]
        return self._has(f"{target}.{rest}".rstrip("."), path, is_method, file)

    def _has(self, target: str, path: str, is_method: bool, file: SourceFile) -> bool:
        """Whether what a file imports under a name may have the definition as an attribute."""
        if not self._is_of_project(target):
            return False
        beside = module_of(file.file).rpartition(".")[0]  # a script can import what is beside it
        home = self._file_of(target) or self._file_of(f"{beside}.{target}")
        flows = self._read(home) if home is not None else None
        if flows is None:
            return not self._is_compiled(target)
        if is_method:
            return True
        return path.startswith(f"{flows.module}.") or self._imports(flows, last_name(path))

    def _is_compiled(self, target: str) -> bool:
        """Whether what is imported is of a module in a package of the project that has no text."""
        while target:
            target, _, name = target.rpartition(".")
            home = self._file_of(target)
            flows = self._read(home) if home is not None else None
            if home is not None and flows is not None:
                return is_package(home.file) and not flows.has(name)
        return False

    def _imports(self, flows: LazyFlows, name: str) -> bool:
        """Whether a module may have imported a name from another one."""
        if name in flows.imports or self._starred(flows, name):
            return True
        return any(self._is_of_project(one) and self._file_of(one) is None for one in flows.stars)

    def _is_of_project(self, target: str) -> bool:
        """Whether a file or a folder of the project has the first name of an imported path."""
        if not self._parts:
            for file in self._files:
                self._parts.update(file.file.removesuffix(".py").split(os.sep))
        first = target.partition(".")[0]
        self._trace.modules.add(first)
        return first in self._parts

    def _looking_up(self) -> list[SourceFile]:
        found = dict.fromkeys(file for word in LOOKUPS for file in self._holding(word))
        return [file for file in found if not is_test(file.file)]


def _package(file: SourceFile) -> str:
    """The outermost package that contains a file, or an empty string."""
    return package_of(file.file)[1].partition(".")[0]


def _is_private(name: str) -> bool:
    """Whether a name is private to its module: `_f`, `_Net.forward`."""
    first = name.partition(".")[0]
    return first.startswith("_") and not first.endswith("__")


def _holds(file: SourceFile, word: str) -> bool:
    return holds(text_of(*file), word.encode("utf-8", "surrogateescape"))


@lru_cache(_KEPT_MOST)
def _namings(file: SourceFile) -> Namings | None:
    """All names that a file uses; `None` if they are not known."""
    try:
        tree = tree_of_file(file)
        return namings(tree) if tree is not None else None
    except RecursionError:
        return None
