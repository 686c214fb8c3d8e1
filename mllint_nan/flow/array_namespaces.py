"""Namespaces that code for several array libraries asks for: they have the names of NumPy's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mllint_nan.ir.term import QUALIFIED, SEQUENCE, Term

if TYPE_CHECKING:
    from mllint_nan.flow.names import Names

_NAMESPACE: Final = frozenset(
    (
        *("array_api_compat.array_namespace", "array_api_compat.get_namespace"),
        "scipy._lib._array_api.array_namespace",
    )
)
"""Functions that return the namespace of the arrays that they are given."""
_PAIR: Final = "sklearn.utils._array_api.get_namespace"
"""A function that returns a pair: the namespace, and whether it follows the standard."""


def namespace_returned(names: Names, site: object, path: str) -> Term | None:
    """The namespace that a call returns, as NumPy's module: `xp = array_namespace(x)`."""
    if path not in _NAMESPACE and path != _PAIR:
        return None
    namespace = names.build.leaf(QUALIFIED, "numpy", site=site, framework=None)
    if path in _NAMESPACE:
        return namespace
    followed = names.opaque("followed", (), site)
    return names.build.leaf(SEQUENCE, "tuple", (namespace, followed), site)
