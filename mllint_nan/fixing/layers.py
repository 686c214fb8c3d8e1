"""A repair at several places: the last layer is removed, and the loss is one that contains it.

`nn.Sequential(..., nn.Sigmoid())` and `nn.BCELoss()` are created in two statements, and meet in
a third. All reads of the loss, the model and its outputs are searched for in the text: if
anything else reads them, the repair changes more than the loss.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, TypeGuard

import libcst as cst

from mllint_nan.findings import Span
from mllint_nan.flow.conversions import MOVES
from mllint_nan.frameworks import registry
from mllint_nan.rulebook.rule import Layers
from mllint_nan.syntax.precedence import ATOM, Unrenderable, level_of
from mllint_nan.syntax.source import Source, children, descendants

_KEEPS_OUTPUT: Final = MOVES | {
    "load_state_dict",
    "named_parameters",
    "parameters",
    "state_dict",
    "zero_grad",
}
"""Methods of a module whose results do not depend on what it computes."""
_Body: TypeAlias = cst.Module | cst.FunctionDef | cst.Lambda | cst.ClassDef
_Replacement: TypeAlias = tuple[Span, str]


@dataclass(slots=True)
class _Use:
    """The assignments to a variable in one body, and its reads."""

    values: list[cst.BaseExpression] = field(default_factory=list)
    reads: list[cst.BaseExpression] = field(default_factory=list)
    is_plain: bool = True
    """Whether every assignment is `variable = value`."""


class LayerExchange:
    """The repair of the operands of one call of a loss.

    `replacements` are the spans to replace and their new texts, `nodes` the replaced nodes, and
    `is_private` tells whether only calls of the loss read what they change. Raises `Unrenderable`
    if the construction of the layers is not visible.
    """

    def __init__(
        self,
        source: Source,
        layers: Layers,
        call: cst.BaseExpression,
        is_last: Callable[[cst.BaseExpression], bool],
        elsewhere: Sequence[cst.BaseExpression] = (),
    ) -> None:
        """`is_last` tells whether an expression is the operation of the layer to remove.

        `elsewhere` is where that operation is applied, if in another function or class than the
        loss.
        """
        self.replacements: dict[_Replacement, None] = {}
        self.nodes: list[cst.CSTNode] = []
        self.is_private = True
        self._source = source
        self._layers = layers
        self._is_last = is_last
        self._operation = registry.functions(layers.last)[0].operation.name
        self._models: dict[cst.Call, _Use] = {}
        self._read: set[cst.CSTNode] = set()
        """The expressions that were traversed from a loss back to a layer."""
        self._traced: list[_Use] = []
        if not isinstance(call, cst.Call):
            raise Unrenderable("the loss is not called")
        self._exchange_loss(call, elsewhere)

    def _exchange_loss(self, call: cst.Call, elsewhere: Sequence[cst.BaseExpression]) -> None:
        use = self._use(call.func)
        maker = self._maker(use, self._layers.loss)
        assert isinstance(maker.func, cst.Name | cst.Attribute)
        name = maker.func.attr if isinstance(maker.func, cst.Attribute) else maker.func
        self._replace(name, _last_name(self._layers.becomes))
        self.is_bare = isinstance(maker.func, cst.Name)
        for read in use.reads:
            around = self._source.parent(read)
            if isinstance(around, cst.Call) and around.func is read:
                try:
                    self._exchange_operand(_operand(around), around)
                except Unrenderable:
                    if around is call:
                        self._exchange_elsewhere(elsewhere)
                    self.is_private = False
            elif not self._is_harmless(read):
                self.is_private = False
        for model in self._models.values():
            known = self._read
            self.is_private &= all(
                self._source.parent(read) in known or self._is_harmless(read)
                for read in model.reads
            )
        for traced in self._traced:
            self.is_private &= self._read.issuperset(traced.reads)

    def _exchange_elsewhere(self, places: Sequence[cst.BaseExpression]) -> None:
        in_sight = set(descendants(self._source.module))
        if not places or not in_sight.issuperset(places):
            raise Unrenderable("the operand is not the output of a visible layer")
        for place in places:
            self._exchange_layer(place)

    def _exchange_operand(self, node: cst.BaseExpression, place: cst.Call) -> None:
        """Remove the last layer from the operand of a loss."""
        pending, seen = [node], set[cst.CSTNode]()
        while pending:
            node = _behind_views(pending.pop())
            if node in seen:
                continue
            seen.add(node)
            self._read.add(node)
            if self._is_last(node):
                self._exchange_layer(node)
                continue
            use = self._use(node)
            if not isinstance(node, cst.Name) or not use.is_plain:
                raise Unrenderable("the operand is not the output of a visible layer")
            self._traced.append(use)
            pending += use.values

    def _exchange_layer(self, node: cst.BaseExpression) -> None:
        if not isinstance(node, cst.Call):
            raise Unrenderable("the layer is not called")
        operand = self._only_operand(node)
        if operand is not None:
            self._unwrap(node, operand)
            return
        use = self._use(node.func)
        try:
            container = self._maker(use, "torch.nn.Sequential")
        except Unrenderable:
            self._maker(use, self._layers.last)
            self._unwrap(node, _operand(node))
            return
        if container not in self._models:
            self._models[container] = use
            self._shorten(container)

    def _only_operand(self, call: cst.Call) -> cst.BaseExpression | None:
        """The operand of `torch.sigmoid(x)` or `x.sigmoid()`; `None` for the call of a layer."""
        func = call.func
        if isinstance(func, cst.Attribute) and not _is_own_attribute(func):
            name, receiver = func.attr.value, func.value
        elif isinstance(func, cst.Name):
            name, receiver = func.value, None
        else:
            return None
        if name != self._operation:
            return None
        if not call.args:
            return receiver
        return call.args[0].value if len(call.args) == 1 and not call.args[0].star else None

    def _unwrap(self, node: cst.Call, operand: cst.BaseExpression) -> None:
        text = self._source.slice(self._source.outside_parentheses(operand))
        is_delimited = isinstance(self._source.parent(node), cst.Arg | cst.Assign)
        if not (operand.lpar or is_delimited or level_of(operand) >= ATOM):
            text = f"({text})"
        self.replacements[self._source.span(node), text] = None
        self.nodes.append(node)

    def _shorten(self, container: cst.Call) -> None:
        """Remove the last argument, with the comma before it."""
        *others, last = container.args
        if not others or last.star or not _is_made_by(last.value, self._layers.last):
            raise Unrenderable("the container does not end in the layer")
        start = self._source.outside_parentheses(others[-1].value).end
        end = self._source.outside_parentheses(last.value).end
        self.replacements[Span(start, end), ""] = None
        self.nodes.append(container)

    def _replace(self, node: cst.BaseExpression, text: str) -> None:
        self.replacements[self._source.span(node), text] = None

    def _is_harmless(self, read: cst.BaseExpression) -> bool:
        """Whether a model or loss is read for something independent of its computation."""
        around = self._source.parent(read)
        return (
            isinstance(around, cst.Attribute)
            and around.value is read
            and around.attr.value in _KEEPS_OUTPUT
        )

    def _maker(self, use: _Use, path: str) -> cst.Call:
        """Return the only call of `path` that creates the value of a variable."""
        values = [value for value in map(_moved, use.values) if value not in use.reads]
        if not use.is_plain or len(values) != 1 or not _is_made_by(values[0], path):
            raise Unrenderable("the layer is not created exactly once in visible code")
        assert isinstance(values[0], cst.Call)
        return values[0]

    # Variables

    def _use(self, variable: cst.BaseExpression) -> _Use:
        """Return all uses of a variable, or of an attribute of `self`."""
        if isinstance(variable, cst.Name):
            for body in self._bodies(variable):
                if isinstance(body, cst.ClassDef):
                    continue
                use = _uses(body, variable.value)
                if use.values or not use.is_plain:
                    return use
        if _is_own_attribute(variable):
            for body in self._bodies(variable):
                if isinstance(body, cst.ClassDef):
                    return _attribute_uses(body, variable.attr.value, self._source.module)
        raise Unrenderable("the variable has no visible assignment")

    def _bodies(self, node: cst.CSTNode) -> Iterator[_Body]:
        """Yield the functions and classes around a node, the innermost first, then the module."""
        around = self._source.parent(node)
        while around is not None:
            if isinstance(around, cst.Module | cst.FunctionDef | cst.Lambda | cst.ClassDef):
                yield around
            around = self._source.parent(around)


def _uses(body: _Body, name: str) -> _Use:
    """The uses of a name in a body, and in functions inside that do not bind it themselves."""
    use = _Use()
    pending: list[cst.CSTNode] = [body]
    while pending:
        node = pending.pop()
        is_function = isinstance(node, cst.FunctionDef | cst.Lambda)
        if node is not body and is_function and _binds(node, name):
            continue
        if isinstance(node, cst.Param) and node.name.value == name:
            use.is_plain = False
        _note(node, use, lambda target: isinstance(target, cst.Name) and target.value == name)
        # The names of arguments and attributes are not variables.
        skipped = node.keyword if isinstance(node, cst.Arg) else None
        skipped = node.attr if isinstance(node, cst.Attribute) else skipped
        pending += [child for child in children(node) if child is not skipped]
    _leave_out_targets(body, use)
    return use


def _attribute_uses(body: cst.ClassDef, name: str, module: cst.Module) -> _Use:
    """The uses of `self.name` in a class, and of `name` on other objects anywhere in the module."""
    use = _Use()

    def is_meant(target: cst.CSTNode) -> bool:
        return _is_own_attribute(target) and target.attr.value == name

    for node in descendants(body):
        _note(node, use, is_meant)
    _leave_out_targets(body, use)
    use.reads += [
        node
        for node in descendants(module)
        if isinstance(node, cst.Attribute)
        and node.attr.value == name
        and not _is_own_attribute(node)
    ]
    return use


def _note(node: cst.CSTNode, use: _Use, is_meant: Callable[[cst.CSTNode], bool]) -> None:
    if isinstance(node, cst.BaseExpression) and is_meant(node):
        use.reads.append(node)
    if isinstance(node, cst.Assign) and len(node.targets) == 1 and is_meant(node.targets[0].target):
        use.values.append(node.value)
    elif any(map(is_meant, _bound(node))):
        use.is_plain = False


def _leave_out_targets(body: _Body, use: _Use) -> None:
    targets = {
        node.targets[0].target
        for node in descendants(body)
        if isinstance(node, cst.Assign) and len(node.targets) == 1
    }
    use.reads = [read for read in use.reads if read not in targets]


def _bound(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield the targets that a node binds other than by `variable = value`."""
    targets: list[cst.CSTNode] = []
    match node:
        case cst.Assign():
            targets = [target.target for target in node.targets]
        case cst.AnnAssign() | cst.AugAssign() | cst.For() | cst.CompFor() | cst.NamedExpr():
            targets = [node.target]
        case cst.AsName():
            targets = [node.name]
        case cst.Del():
            targets = [node.target]
        case cst.Global() | cst.Nonlocal():
            targets = [item.name for item in node.names]
        case _:
            return
    for target in targets:
        yield from descendants(target)


def _binds(function: cst.CSTNode, name: str) -> bool:
    return any(
        (isinstance(node, cst.Param) and node.name.value == name)
        or any(
            isinstance(target, cst.Name) and target.value == name
            for target in _bound(node)
            if not isinstance(node, cst.Global | cst.Nonlocal)
        )
        for node in descendants(function)
    )


def _is_own_attribute(node: cst.CSTNode) -> TypeGuard[cst.Attribute]:
    return (
        isinstance(node, cst.Attribute)
        and isinstance(node.value, cst.Name)
        and node.value.value == "self"
    )


# Expressions


def _moved(node: cst.BaseExpression) -> cst.BaseExpression:
    """Return `x` for `x.to(device)`."""
    while (
        isinstance(node, cst.Call)
        and isinstance(node.func, cst.Attribute)
        and node.func.attr.value in MOVES
    ):
        node = node.func.value
    return node


def _behind_views(node: cst.BaseExpression) -> cst.BaseExpression:
    """Return `x` for `x.view(-1)` and `x[:, 0]`."""
    while True:
        if isinstance(node, cst.Subscript):
            node = node.value
        elif (
            isinstance(node, cst.Call)
            and isinstance(node.func, cst.Attribute)
            and _is_view(node.func.attr.value)
        ):
            node = node.func.value
        else:
            return node


def _is_view(method: str) -> bool:
    kinds = {
        signature.operation.kind
        for framework, signature in registry.methods(method)
        if framework == "torch"
    }
    return kinds == {"view"} and method != "detach"


def _is_made_by(node: cst.BaseExpression, path: str) -> bool:
    """Whether a node is a call of the last name in `path`."""
    if not isinstance(node, cst.Call):
        return False
    func = node.func
    name = func.attr if isinstance(func, cst.Attribute) else func
    return isinstance(name, cst.Name) and name.value == _last_name(path)


def _operand(call: cst.Call) -> cst.BaseExpression:
    """Return the first argument of the call of a loss."""
    for argument in call.args:
        if not argument.star and (argument.keyword is None or argument.keyword.value == "input"):
            return argument.value
    raise Unrenderable("the loss has no visible operand")


def _last_name(path: str) -> str:
    return path.rpartition(".")[2]
