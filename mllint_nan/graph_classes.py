"""What the classes of a project are made for, and which of them are derived from one another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from mllint_nan.graph_names import ProjectNames
from mllint_nan.mentions import may_derive
from mllint_nan.packages import module_of
from mllint_nan.project_files import SourceFile
from mllint_nan.syntax.value_flow_edges import CALLED, last_name
from mllint_nan.training import Training

_HEIRS_MOST: Final = 64
"""The most subclasses of one class that are followed."""
_HEIRS_FILES_MOST: Final = 16
"""The most files that may name a class whose subclasses are searched for."""
_TRAINED_BASES: Final = re.compile(
    r"^(torch\.nn|keras|tensorflow|tf_keras|flax|haiku|equinox|sonnet|lightning|pytorch_lightning)\."
    r"(.+\.)?(\w*Module|\w*Layer|\w*Loss|_\w*Loss|Model|LightningModule)$"
    r"|(^|\.)(Distribution|Bijector|Bijection|Kernel|Likelihood|Transform)$"
)
"""Classes of the frameworks that are made to be trained through."""
_UNTRAINED_BASES: Final = re.compile(
    r"(^|\.)(\w*Metric|\w*Optimizer|LRScheduler|_LRScheduler|\w*Callback|\w*Dataset|PyDataset"
    r"|keras\.utils\.Sequence|DataLoader|Constraint|Initializer|Sampler|TestCase"
    r"|(Base|Basic|ImageOnly|Dual|Map)Transform)$"
)
"""Classes that are made to measure, to update or to prepare: nothing is trained through them."""
_TEST_CASES: Final = re.compile(r"(^|\.)TestCase$")
_OWN_GRADIENTS: Final = re.compile(r"(^|\.)autograd\.(function\.)?(\w*Function)$")
"""Classes whose methods compute values and gradients by rules of their own."""
_OPTIMIZERS: Final = re.compile(r"(^|\.)\w*Optimizer$")
"""Classes whose methods take gradients, and return updates to their caller."""
_ENVIRONMENTS: Final = re.compile(r"(^|[a-z_.])(Env|Environment)$")
"""Classes of environments, whose methods return what an agent acts on."""
_GIVES_ELEMENTS: Final = frozenset(("__getitem__", "__getitems__", "__iter__", "__next__"))


class ProjectClasses(ProjectNames):
    """The classes that some files of a project define."""

    def _gives_data(self, path: str) -> bool:
        """Whether it is a method that returns the elements of a dataset, or one of an environment.

        What environments return goes into arrays, and comes back from these as data.
        """
        owner = _data_of(path)
        if owner:
            return self._role(owner) is Training.BESIDE
        return self._is_method(path) and self._is_environment(path.rpartition(".")[0])

    def _has_own_gradient(self, path: str) -> bool:
        """Whether it is a method of an `autograd.Function`, whose body is not differentiated."""
        owner = path.rpartition(".")[0]
        if not self._is_method(path):
            return False
        return any(map(_OWN_GRADIENTS.search, self._bases(owner)))

    def _updates(self, path: str) -> bool:
        """Whether it is a method or an attribute of an optimizer.

        Whoever runs an optimizer applies the results of its methods, and differentiates none.
        """
        bases = [*self._bases(path.rpartition(".")[0])] if "(" not in path else []
        return any(map(_OPTIMIZERS.search, bases)) and not any(map(_TRAINED_BASES.search, bases))

    def _is_in_test_case(self, file: SourceFile, row: int) -> bool:
        """Whether a row of a file is in a class of tests."""
        flows = self._read(file)
        known = flows.definitions.values() if flows is not None else ()
        before = [one for one in known if "." not in one.name and one.row <= row]
        nearest = max(before, key=lambda one: one.row, default=None)
        return nearest is not None and any(map(_TEST_CASES.search, nearest.bases))

    def _is_environment(self, path: str) -> bool:
        return any(_ENVIRONMENTS.search(base) for base in self._bases(path))

    def _role(self, path: str) -> Training | None:
        """What a class is made for, judged by the framework's class that it is derived from."""
        for base in self._bases(path):
            if _UNTRAINED_BASES.search(base):
                return Training.BESIDE
            if _TRAINED_BASES.search(base):
                return Training.THROUGH
        return None

    def _bases(self, path: str) -> Iterator[str]:
        """Yield the names of the direct and indirect bases of a class."""
        pending, seen = [one for _, one in self._definitions(path)], set[str]()
        while pending:
            for base in pending.pop().bases:
                yield base
                if base not in seen:
                    seen.add(base)
                    pending += [one for _, one in self._definitions(self._resolved(base))]

    def _ancestors(self, path: str) -> list[str]:
        """The direct and indirect bases of a class that are defined in the project."""
        found: list[str] = []
        for base in self._bases(path):
            known = self._definition(self._resolved(base))
            if known is not None and known[1].is_class:
                found.append(f"{known[0].module}.{known[1].name}")
        return [one for one in dict.fromkeys(found) if one != path]

    def _heirs(self, path: str) -> list[str] | None:
        """The direct and indirect subclasses of a class; `None` if the search takes too long."""
        found: list[str] = []
        pending = [path]
        while pending:
            of = pending.pop()
            files = self._files_of_heirs(of)
            if files is None or len(found) > _HEIRS_MOST:
                return None
            for heir in self._derived_directly(of, files):
                if heir != path and heir not in found:
                    found.append(heir)
                    pending.append(heir)
        return found

    def _may_be_both(self, path: str, other: str) -> bool:
        """Whether an object may be of two classes: one of them, or a subclass, has both in line."""
        for one, base in ((path, other), (other, path)):
            heirs = self._heirs(one)
            if heirs is not None:
                return any(base in (heir, *self._ancestors(heir)) for heir in (one, *heirs))
        return True

    def _may_have_heirs(self, path: str) -> bool:
        """Whether a class has subclasses in the project, or too many files name it to tell."""
        files = self._files_of_heirs(path)
        return files is None or any(one != path for one in self._derived_directly(path, files))

    def _files_of_heirs(self, path: str) -> list[SourceFile] | None:
        """The files that name a class; `None` if they are too many."""
        files = self._mentions.of(last_name(path))
        self._trace.words.add(last_name(path))
        return files if len(files) <= _HEIRS_FILES_MOST else None

    def _derived_directly(self, path: str, files: list[SourceFile]) -> Iterator[str]:
        for file in files:
            if not may_derive(file, last_name(path)):
                continue
            flows = self._read(file)
            for one in flows.definitions.values() if flows is not None else ():
                if one.is_class and any(self._resolved(base) == path for base in one.bases):
                    yield f"{module_of(file.file)}.{one.name}"

    def _kin(self, method: str) -> Kin:
        """The other names of a method, and the classes that its class is related to."""
        owner, _, name = method.rpartition(".")
        if not self._is_method(method):
            return NO_KIN
        heirs = self._heirs(owner)
        if heirs is None:  # too many to follow: only its own name counts
            return NO_KIN
        above = self._ancestors(owner)
        below = [one for one in heirs if self._definition(f"{one}.{name}") is None]
        return Kin(
            tuple(f"{one}.{name}" for one in (*above, *below)),
            frozenset((owner, *above, *heirs)),
            tuple(dict.fromkeys((owner, *heirs))),
        )


class Kin(NamedTuple):
    """The classes that a method's class is related to: its bases and its subclasses."""

    methods: tuple[str, ...]
    """The qualified names that the method has in these."""
    classes: frozenset[str]
    objects: tuple[str, ...]
    """The classes of objects that have the method."""


NO_KIN: Final = Kin((), frozenset(), ())


def object_of(path: str) -> str:
    """The class, for a method that calling or making an object runs; otherwise the node itself."""
    owner, _, name = path.rpartition(".")
    return owner if name in CALLED else path


def _data_of(path: str) -> str:
    """The class, for a method that returns the elements of an object; otherwise empty."""
    owner, _, name = path.rpartition(".")
    return owner if name in _GIVES_ELEMENTS else ""
