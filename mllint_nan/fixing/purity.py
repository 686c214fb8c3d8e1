"""Whether evaluating an expression has no effect, so that it may be removed if nothing reads it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

import libcst as cst

from mllint_nan.findings import Span
from mllint_nan.flow.state import Analysis
from mllint_nan.frameworks import registry
from mllint_nan.ir.term import OPAQUE, Term
from mllint_nan.syntax.source import Source, children, descendants

_COMPUTES: Final = (
    cst.Name,
    cst.Attribute,
    cst.Subscript,
    cst.BaseNumber,
    cst.SimpleString,
    cst.BinaryOperation,
    cst.UnaryOperation,
    cst.BooleanOperation,
    cst.Comparison,
    cst.Tuple,
    cst.List,
    cst.IfExp,
    cst.Call,
)
_EFFECTS: Final = frozenset(("out", "name"))
"""Arguments by which a call writes elsewhere, or registers its result under a name."""
_OF_ARRAYS: Final = frozenset(("T", "mT", "shape", "dtype", "device", "ndim", "size", "real"))
_ASSIGNED_ATTRIBUTE: Final = re.compile(r"\bself\.(\w+)(?=\s*(?::[^=\n]+)?=[^=])")
_LAYERS: Final = "torch.nn."
"""Its layers known as operations have no parameters; constructing them draws nothing."""


class Purity:
    """Judges the expressions of one file."""

    def __init__(self, source: Source, analysis: Analysis) -> None:
        self._source = source
        self._terms: Mapping[int, Term] = {
            id(one.term.site): one.term
            for one in analysis.occurrences
            if isinstance(one.term.site, cst.Call)
        }

    def computes(self, node: cst.CSTNode, moved: Sequence[Span] = ()) -> bool:
        """Whether evaluating a node has no effect, draws nothing, and calls nothing unknown."""
        if isinstance(node, cst.BaseExpression):
            span = self._source.span(node)
            if any(place.contains(span) for place in moved):
                return True
            if not isinstance(node, _COMPUTES):
                return False
            if isinstance(node, cst.Call):
                receiver = node.func.value if isinstance(node.func, cst.Attribute) else None
                parts = [*node.args, *([receiver] if receiver is not None else [])]
                return self._is_pure(node) and all(self.computes(part, moved) for part in parts)
            if isinstance(node, cst.Attribute):
                return self._is_plain(node) and self.computes(node.value, moved)
        return all(self.computes(part, moved) for part in children(node))

    def _is_plain(self, attribute: cst.Attribute) -> bool:
        """Whether an attribute is certainly not a property that may have effects."""
        name, owner = attribute.attr.value, attribute.value
        if name in _OF_ARRAYS:
            return True
        if isinstance(owner, cst.Name) and owner.value == "self":
            return name in self._attributes
        while isinstance(owner, cst.Attribute):
            owner = owner.value
        return isinstance(owner, cst.Name) and owner.value in self._imported

    @cached_property
    def _attributes(self) -> frozenset[str]:
        """The attributes of `self` that are assigned anywhere in the file."""
        return frozenset(_ASSIGNED_ATTRIBUTE.findall(self._source.text))

    @cached_property
    def _imported(self) -> Mapping[str, str]:
        """The names bound by imports at the top of the module, and their qualified paths."""
        found: dict[str, str] = {}
        for line in self._source.module.body:
            for part in line.body if isinstance(line, cst.SimpleStatementLine) else ():
                if not isinstance(part, cst.Import | cst.ImportFrom):
                    continue
                if isinstance(part.names, cst.ImportStar):
                    continue
                module = ""
                if isinstance(part, cst.ImportFrom):
                    module = f"{'.' * len(part.relative)}{_dotted(part.module)}."
                for alias in part.names:
                    path = _dotted(alias.name)
                    bound = bound_by(alias)
                    is_renamed = alias.asname is not None or bool(module)
                    found[bound] = f"{module}{path}" if is_renamed else bound
        return found

    def _is_pure(self, call: cst.Call) -> bool:
        if any(
            argument.star or (argument.keyword is not None and argument.keyword.value in _EFFECTS)
            for argument in call.args
        ):
            return False
        term = self._terms.get(id(call))
        if term is None:
            return self._makes_layer(call)
        if term.operation is OPAQUE or not term.operation.pure:
            return False
        if term.written is None or term.written.inplace:
            return False
        callee = call.func
        while isinstance(callee, cst.Attribute):
            callee = callee.value
        is_of_self = isinstance(callee, cst.Name) and callee.value == "self"
        return not is_of_self or term.written.method  # calling a layer may run hooks

    def _makes_layer(self, call: cst.Call) -> bool:
        """Whether a call constructs a layer without parameters, such as `nn.Softmax(dim=1)`."""
        root, _, rest = _dotted(call.func).partition(".")
        path = ".".join(filter(None, (self._imported.get(root, ""), rest)))
        if not path.startswith(_LAYERS) or root in self._rebound:
            return False
        signatures = registry.functions(path)
        return bool(signatures) and all(
            one.constructor and one.operation.pure for one in signatures
        )

    @cached_property
    def _rebound(self) -> frozenset[str]:
        """The names that something other than an import may bind."""
        return frozenset(
            name.value for node in descendants(self._source.module) for name in _bound_in(node)
        )


def bound_by(alias: cst.ImportAlias) -> str:
    """The name that an import binds."""
    if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
        return alias.asname.name.value
    name: cst.BaseExpression = alias.name
    while isinstance(name, cst.Attribute):
        name = name.value
    assert isinstance(name, cst.Name)
    return name.value


def _dotted(node: cst.CSTNode | None) -> str:
    """`torch.nn` as text; empty for anything but dotted names."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        base = _dotted(node.value)
        return f"{base}.{node.attr.value}" if base else ""
    return ""


def _bound_in(node: cst.CSTNode) -> list[cst.Name]:
    match node:
        case cst.Param(name=name) | cst.FunctionDef(name=name) | cst.ClassDef(name=name):
            return [name]
        case cst.AssignTarget(target=target) | cst.AnnAssign(target=target):
            pass
        case cst.For(target=target) | cst.CompFor(target=target) | cst.NamedExpr(target=target):
            pass
        case cst.WithItem(asname=cst.AsName(name=target)):
            pass
        case _:
            return []
    return [part for part in descendants(target) if isinstance(part, cst.Name)]
