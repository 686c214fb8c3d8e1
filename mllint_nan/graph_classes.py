"""What the classes of a project are made for, and which of them stand for one another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mllint_nan.graph_names import ProjectNames
from mllint_nan.syntax.value_flow_edges import CALLED
from mllint_nan.training import Training

_TRAINED_BASES: Final = re.compile(
    r"^(torch\.nn|keras|tensorflow|tf_keras|flax|haiku|equinox|sonnet|lightning|pytorch_lightning)\."
    r"(.+\.)?(\w*Module|\w*Layer|\w*Loss|_\w*Loss|Model|LightningModule)$"
    r"|(^|\.)(Distribution|Bijector|Bijection|Kernel|Likelihood|Transform)$"
)
"""Classes of the frameworks that are made to be trained through."""
_UNTRAINED_BASES: Final = re.compile(
    r"(^|\.)(\w*Metric|\w*Optimizer|LRScheduler|_LRScheduler|\w*Callback|\w*Dataset|PyDataset"
    r"|keras\.utils\.Sequence|DataLoader|Constraint|Initializer|Sampler|TestCase)$"
)
"""Classes that are made to measure, to update or to prepare: nothing is trained through them."""
_OWN_GRADIENTS: Final = re.compile(r"(^|\.)autograd\.(function\.)?(\w*Function)$")
"""Classes whose methods compute values and gradients by rules of their own."""
_OPTIMIZERS: Final = re.compile(r"(^|\.)\w*Optimizer$")
"""Classes whose methods are given gradients, and give updates to whoever runs them."""
_ENVIRONMENTS: Final = re.compile(r"(^|[a-z_.])(Env|Environment)$")
"""Classes of environments, whose methods give what is acted on."""
_GIVES_ELEMENTS: Final = frozenset(("__getitem__", "__getitems__", "__iter__", "__next__"))


class ProjectClasses(ProjectNames):
    """The classes that some files of a project define."""

    def _gives_data(self, path: str) -> bool:
        """Whether it is a method that gives the elements of a data set, or one of an environment.

        What environments give goes into arrays, and comes back from these as data.
        """
        owner = _data_of(path)
        if owner:
            return self._role(owner) is Training.BESIDE
        return self._is_method(path) and self._is_environment(path.rpartition(".")[0])

    def _has_own_gradient(self, path: str) -> bool:
        """Whether it is a method of an `autograd.Function`, of which nothing is differentiated."""
        owner = path.rpartition(".")[0]
        if not self._is_method(path):
            return False
        return any(map(_OWN_GRADIENTS.search, self._bases(owner)))

    def _updates(self, path: str) -> bool:
        """Whether it is a method of an optimizer, or what one keeps.

        What runs an optimizer applies what its methods give, and differentiates none of it.
        """
        bases = [*self._bases(path.rpartition(".")[0])] if "(" not in path else []
        return any(map(_OPTIMIZERS.search, bases)) and not any(map(_TRAINED_BASES.search, bases))

    def _is_environment(self, path: str) -> bool:
        return any(_ENVIRONMENTS.search(base) for base in self._bases(path))

    def _role(self, path: str) -> Training | None:
        """What a class is made for, by the framework's class that it is derived from."""
        for base in self._bases(path):
            if _UNTRAINED_BASES.search(base):
                return Training.BESIDE
            if _TRAINED_BASES.search(base):
                return Training.THROUGH
        return None

    def _bases(self, path: str) -> Iterator[str]:
        """The names of the classes that a class is derived from, however far up."""
        found = self._definition(path)
        if found is None or not found[1].is_class:
            return
        pending, seen = [found], set[str]()
        while pending:
            _, definition = pending.pop()
            for base in definition.bases:
                yield base
                inner = self._definition(self._resolved(base)) if base not in seen else None
                seen.add(base)
                if inner is not None:
                    pending.append(inner)


def object_of(path: str) -> str:
    """The class of a method that is run by calling or making an object, else the node itself."""
    owner, _, name = path.rpartition(".")
    return owner if name in CALLED else path


def _data_of(path: str) -> str:
    """The class of a method that gives the elements of an object, or nothing."""
    owner, _, name = path.rpartition(".")
    return owner if name in _GIVES_ELEMENTS else ""
