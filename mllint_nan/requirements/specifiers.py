"""One requirement as pip, Poetry and conda write it: a package, and its oldest version."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from mllint_nan.frameworks.versions import Oldest

_NAMES: Final = {
    "torch": "torch pytorch pytorch-gpu pytorch-cpu",
    "tensorflow": "tensorflow tensorflow-gpu tensorflow-cpu tensorflow-base tensorflow-macos"
    " tensorflow-intel tensorflow-rocm tensorflow-aarch64 intel-tensorflow tf-nightly",
    "keras": "keras keras-gpu",
    "jax": "jax",
    "numpy": "numpy",
    "scipy": "scipy",
    "optax": "optax",
}
_PACKAGES: Final = {name: package for package, names in _NAMES.items() for name in names.split()}
"""The imported package, by the name under which it is installed."""
PACKAGES: Final = tuple(_NAMES)

# A channel of conda, a name, extras; then the version clauses, up to a marker or an option.
_REQUIREMENT: Final = re.compile(
    r"\s*(?:[\w./-]+::)?(?P<name>[A-Za-z0-9](?:[\w.-]*\w)?)\s*(?:\[[^\]]*\])?\s*"
    r"(?P<versions>[^;#@]*?)\s*(?:;.*|#.*|--.*|\s+\\)?"
)
_CLAUSE: Final = re.compile(
    r"\s*(?P<operator>===|==|~=|>=|<=|!=|>|<|=|\^|~|)\s*v?(?P<version>\d+(?:\.\d+)*)"
)
_LONGEST: Final = 1000
"""The most characters of a requirement; longer texts are none."""
_ANY: Final = re.compile(r"\s*(?:[=~^]*\s*\*.*)?")


class Requirement(NamedTuple):
    """A package that fixes are written for, and its oldest version, if that is known."""

    package: str
    oldest: Oldest | None


def package_of(name: str) -> str | None:
    """The package that a distribution of this name provides; `None` if fixes use none from it."""
    return _PACKAGES.get(re.sub(r"[-_.]+", "-", name).lower())


def requirement(text: str, source: str) -> Requirement | None:
    """A requirement on a package that fixes are written for; `None` for any other."""
    found = _REQUIREMENT.fullmatch(text) if len(text) <= _LONGEST else None
    package = package_of(found["name"]) if found is not None else None
    if found is None or package is None:
        return None
    return Requirement(package, oldest_of(found["versions"].strip(" ()"), source))


def oldest_of(versions: str, source: str) -> Oldest | None:
    """The oldest version that some clauses allow; `None` if they set none, or an unclear one."""
    alternatives = [_of_all(each, source) for each in re.split(r"\|\|?", versions)]
    known = [one for one in alternatives if one is not None]
    return min(known) if known and len(known) == len(alternatives) else None


def _of_all(clauses: str, source: str) -> Oldest | None:
    bounds = list(_bounds(re.split(r",|\s+(?=[<>=!~^])", clauses), source))
    below = [one for one in bounds if one.is_bound]
    from_on = [one for one in bounds if not one.is_bound]
    if from_on:
        return max(from_on)
    return min(below) if below else None


def _bounds(clauses: Iterable[str], source: str) -> Iterator[Oldest]:
    for clause in clauses:
        found = _CLAUSE.match(clause)
        if found is None or found["operator"] == "!=":
            continue
        version = tuple(map(int, found["version"].split(".")))
        is_bound = found["operator"] in ("<", "<=")
        yield Oldest(version, found["operator"] != "<", is_bound, source)


def is_clear(text: str) -> bool:
    """Whether a text is a requirement whose clauses are all understood."""
    found = _REQUIREMENT.fullmatch(text)
    if found is None or package_of(found["name"]) is None:
        return False
    clauses = found["versions"].strip(" ()")
    return all(
        _ANY.fullmatch(clause)
        or ((one := _CLAUSE.match(clause)) is not None and _is_tail(clause[one.end() :]))
        for clause in clauses.split(",")
    )


def _is_tail(text: str) -> bool:
    return re.fullmatch(r"(?:\.\*|[-+.\w]*)\s*", text) is not None
