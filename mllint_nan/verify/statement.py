"""The writes of the statements around a fix, before and after it: `d.sqrt_()` changes `d`.

An expression alone says nothing about the variables that it writes into. If a statement that a
fix changes, or that contains the match, writes in place, these statements are taken from the
text before and after the fix, and executed on copies of their inputs; all inputs and all
assigned variables are compared. Only calls that the tables of the frameworks list are executed;
every other expression becomes an input, the same one wherever its text is the same.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from keyword import iskeyword
from typing import Final

from mllint_nan.findings import Edit, Span
from mllint_nan.frameworks import registry
from mllint_nan.verify.blocks import Block, block_of
from mllint_nan.verify.in_place import MORE_ATTRIBUTES, has_out, receivers, targets
from mllint_nan.verify.render import Rendered
from mllint_nan.verify.variables import Uncuttable, Variable

_COPIED: Final[Mapping[str, str]] = {"torch": "{0} = {0}.clone()", "numpy": "{0} = np.array({0})"}
"""For the frameworks whose arrays can be written into."""
_JOINED: Final[Mapping[str, tuple[str, str]]] = {
    "torch": ("import torch", "torch.cat([torch.as_tensor(part).reshape(-1) for part in [{}]])"),
    "numpy": ("import numpy as np", "np.concatenate([np.ravel(part) for part in [{}]])"),
}
_MORE_METHODS: Final = frozenset(
    re.findall(
        r"\w+",
        "addcmul addcmul_ addcdiv addcdiv_ lerp lerp_ copy_ fill_ zero_ clone detach detach_"
        " masked_fill masked_fill_ contiguous requires_grad_ copy fill",
    )
)
"""Methods of arrays that are in no table, and only compute."""
_SMALL: Final = 1e-2
_SHRUNK: Final = 1e-140
_STATEMENTS_MOST: Final = 12
_PACKAGES: Final[Mapping[str, tuple[str, ...]]] = {"torch": ("torch",), "numpy": ("numpy", "scipy")}


@dataclass(frozen=True, slots=True)
class Writes:
    """Two functions of the same inputs, as expressions that `imports` make executable.

    `is_elsewhere` tells whether the fix writes into other variables than the original.
    """

    framework: str
    dtype: str
    rendered: Rendered
    offset: float
    variables: tuple[Variable, ...]
    constants: tuple[float, ...]
    is_elsewhere: bool
    has_gradient: bool
    has_axis: bool = True
    slack: float = 0.0


def writes(
    text: str,
    edits: Sequence[Edit],
    match: Span,
    framework: str,
    dtype: str,
    known: Callable[[str], Variable],
) -> Writes | None:
    """Return what the statements of a fix write in place; None if they write nothing.

    `known` returns what is known of an input, by its text. Raises `Uncuttable` if something is
    written but cannot be executed.
    """
    if framework not in _COPIED:
        return None
    after, places = _spliced(text, edits, match)
    changed = [edit.span for edit in edits if not _is_import(edit)]
    old = block_of(text, [*changed, match])
    new = block_of(after, places)
    old_targets, new_targets = targets(old.statements), targets(new.statements)
    if not old_targets and not new_targets:
        return None
    if len(old.statements) != len(new.statements):
        raise Uncuttable("the fix changes which statements write")
    if len(old.statements) > _STATEMENTS_MOST:
        raise Uncuttable("too many statements write")
    taken = _Taken(framework, known)
    first = taken.function("_before", old)
    assigned = taken.assigned
    second = taken.function("_after", new)
    kept = [name for name in assigned if name in taken.assigned]
    small = _new_small(old.statements, new.statements)
    third = taken.function("_shrunk", new, small) if small else None
    if not taken.variables:
        raise Uncuttable("it has no inputs")
    names = ", ".join(variable.name for variable in taken.variables.values())
    functions = [one for one in (first, second, third) if one is not None]
    returned = ", ".join(dict.fromkeys((*kept, *(each.name for each in taken.written_to()))))
    module, joined = _JOINED[framework]
    copied = _COPIED[framework]
    has_gradient = framework == "torch" and not has_out((*old.statements, *new.statements))
    if framework == "torch" and not has_gradient:
        copied = "{0} = {0}.detach().clone()"  # PyTorch does not differentiate through `out=`
    sources = [
        "\n".join(
            [f"def {name}({names}):"]
            + [f"    {copied.format(variable.name)}" for variable in taken.variables.values()]
            + [f"    {line}" for line in lines]
            + [f"    return {joined.format(returned)}"]
        )
        for name, lines in functions
    ]
    before = f"_before({names})"
    return Writes(
        framework,
        dtype,
        Rendered(
            (*dict.fromkeys((module, *taken.imports)), *sources),
            before,
            f"_after({names})",
            before,
            before if dtype == "float64" else None,
            f"_shrunk({names})" if third is not None else None,
        ),
        max(small, default=0.0),
        tuple(taken.variables.values()),
        tuple(dict.fromkeys(_numbers(old.statements)))[:8],
        old_targets != new_targets,
        has_gradient,
    )


def _spliced(text: str, edits: Iterable[Edit], match: Span) -> tuple[str, list[Span]]:
    """Return the text after the edits, and the places of the edits and the match in it."""
    pieces: list[str] = []
    places: list[Span] = []
    end = length = 0
    shift = grown = 0
    for edit in sorted(edits):
        kept = text[end : edit.span.start]
        start = length + len(kept)
        pieces += kept, edit.content
        length = start + len(edit.content)
        if not _is_import(edit):
            places.append(Span(start, length))
        change = len(edit.content) - (edit.span.end - edit.span.start)
        if edit.span.end <= match.start:
            shift += change
        elif match.contains(edit.span):
            grown += change
        end = edit.span.end
    pieces.append(text[end:])
    places.append(Span(match.start + shift, max(match.end + shift + grown, match.start + shift)))
    return "".join(pieces), places


def _is_import(edit: Edit) -> bool:
    return edit.content.lstrip().startswith(("import ", "from "))


@dataclass(slots=True)
class _Taken:
    """Statements made executable, and the inputs that replace their other parts."""

    framework: str
    known: Callable[[str], Variable]
    variables: dict[str, Variable] = field(default_factory=dict)
    """By the text that each one replaces."""
    assigned: dict[str, None] = field(default_factory=dict)
    imports: dict[str, None] = field(default_factory=dict)
    _modules: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    _local: set[str] = field(default_factory=set)

    def written_to(self) -> list[Variable]:
        """Return the inputs that may have been written into."""
        return [variable for variable in self.variables.values() if variable.is_differentiable]

    def function(
        self, name: str, block: Block, small: Sequence[float] = ()
    ) -> tuple[str, list[str]]:
        """Return the lines of the statements; numbers in `small` are made negligible."""
        self._modules, self._local, self.assigned = block.modules, set(), {}
        lines: list[str] = []
        for statement in block.statements:
            taken = self._statement(copy.deepcopy(statement))
            for part in ast.walk(taken):
                if isinstance(part, ast.Constant) and type(part.value) in (int, float):
                    number = float(str(part.value))
                    part.value = number * _SHRUNK if number in small else part.value
            lines.append(ast.unparse(ast.fix_missing_locations(taken)))
        return name, lines

    def _statement(self, statement: ast.stmt) -> ast.stmt:
        match statement:
            case ast.Expr(value):
                return ast.Expr(self._expression(value))
            case ast.Return(ast.expr() as value):
                self.assigned["_result"] = None
                return _assignment("_result", self._expression(value))
            case ast.AnnAssign(ast.Name(name), _, ast.expr() as value):
                return self._bound(name, value)
            case ast.Assign([ast.Name(name)], value):
                return self._bound(name, value)
            case ast.Assign([ast.Subscript() as target], value):
                value = self._expression(value)
                return ast.Assign([self._target(target)], value)
            case ast.Assign([ast.Attribute()], value):
                return self._bound("_attribute", value)
            case ast.AugAssign(target, operator, value):
                value = self._expression(value)
                return ast.AugAssign(self._target(target), operator, value)
        raise Uncuttable("the statement that writes is not executed")

    def _bound(self, name: str, value: ast.expr) -> ast.stmt:
        new = self._expression(value)
        self._local.add(name)
        self.assigned[_spelled(name)] = None
        return _assignment(_spelled(name), new)

    def _target(self, target: ast.expr) -> ast.Name | ast.Subscript:
        new = self._expression(target)
        if not isinstance(new, ast.Name | ast.Subscript):
            raise Uncuttable("the statement that writes is not executed")
        new.ctx = ast.Store()
        if isinstance(new, ast.Name) and isinstance(target, ast.Name) and target.id in self._local:
            self.assigned[new.id] = None
        return new

    def _expression(self, node: ast.expr) -> ast.expr:
        match node:
            case ast.Constant(value):
                if isinstance(value, int | float | bool | str) or value in (None, ...):
                    return node
            case ast.Name(name) if name in self._local:
                return ast.Name(_spelled(name), ast.Load())
            case ast.UnaryOp(operator, operand):
                return ast.UnaryOp(operator, self._expression(operand))
            case ast.BinOp(left, operator, right):
                return ast.BinOp(self._expression(left), operator, self._expression(right))
            case ast.Compare(left, operators, others):
                rest = [self._expression(other) for other in others]
                return ast.Compare(self._expression(left), operators, rest)
            case ast.Subscript(value, index):
                return ast.Subscript(self._expression(value), self._index(index), ast.Load())
            case ast.Attribute(value, name) if name in MORE_ATTRIBUTES:
                return ast.Attribute(self._expression(value), name, ast.Load())
            case ast.Call():
                function = self._function(node)
                if function is not None:
                    return ast.Call(
                        function,
                        [self._expression(one) for one in node.args],
                        [ast.keyword(one.arg, self._setting(one.value)) for one in node.keywords],
                    )
        return self._leaf(node)

    def _setting(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Attribute) and re.fullmatch(
            r"(torch|np|numpy)\.(float|double|half|bfloat|int)\d*", ast.unparse(node)
        ):
            raise Uncuttable("a cast to another format")
        return self._expression(node)

    def _index(self, index: ast.expr) -> ast.expr:
        match index:
            case ast.Tuple(parts):
                return ast.Tuple([self._index(part) for part in parts], ast.Load())
            case ast.Slice(lower, upper, step) if all(map(_is_constant, (lower, upper, step))):
                return index
            case ast.Compare():
                return self._expression(index)
            case _ if _is_constant(index):
                return index
        leaf = self._leaf(index)
        assert isinstance(leaf, ast.Name)
        variable = self.variables[ast.unparse(index)]
        if not variable.is_boolean:
            raise Uncuttable("an index is known only at run time")
        return leaf

    def _function(self, call: ast.Call) -> ast.expr | None:
        """Return the function that is called, if it only computes."""
        if any(keyword.arg is None for keyword in call.keywords):
            return None
        if any(isinstance(argument, ast.Starred) for argument in call.args):
            return None
        path = self._path(call.func)
        if path is not None:
            own = _PACKAGES[self.framework]
            is_known = path.partition(".")[0] in own and bool(registry.functions(path))
            if not is_known:
                return None
            root = call.func
            while isinstance(root, ast.Attribute):
                root = root.value
            assert isinstance(root, ast.Name)
            self.imports[self._modules[root.id][1]] = None
            return call.func
        if not isinstance(call.func, ast.Attribute):
            return None
        name = call.func.attr
        is_listed = any(home == self.framework for home, _ in registry.methods(name))
        if not is_listed and name not in _MORE_METHODS:
            return None
        return ast.Attribute(self._expression(call.func.value), name, ast.Load())

    def _path(self, function: ast.expr) -> str | None:
        """Return the qualified name of a function of a module."""
        names: list[str] = []
        while isinstance(function, ast.Attribute):
            names.append(function.attr)
            function = function.value
        if not isinstance(function, ast.Name) or function.id not in self._modules:
            return None
        return ".".join((self._modules[function.id][0], *reversed(names)))

    def _leaf(self, node: ast.expr) -> ast.Name:
        """Return the input that replaces an expression."""
        if isinstance(node, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom):
            raise Uncuttable("a name is bound inside")
        if any(isinstance(part, ast.Call) and any(receivers(part)) for part in ast.walk(node)):
            raise Uncuttable("the statement that writes is not executed")
        if any(isinstance(part, ast.Name) and part.id in self._local for part in ast.walk(node)):
            raise Uncuttable("it depends on more than its inputs")
        text = ast.unparse(node)
        if text not in self.variables:
            name = text if isinstance(node, ast.Name) else ""
            taken = {variable.name for variable in self.variables.values()}
            if not name or name in taken or name in self._modules or iskeyword(name):
                name = next(name for i in range(99) if (name := f"v{i}") not in taken)
            self.variables[text] = replace(self.known(text), name=_spelled(name))
        return ast.Name(self.variables[text].name, ast.Load())


def _spelled(name: str) -> str:
    """Return a name of the program, changed if the executed code uses it otherwise."""
    return f"{name}_" if name in ("torch", "np", "part", "print", "value") else name


def _assignment(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _is_constant(node: ast.expr | None) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _is_constant(node.operand)
    return node is None or (isinstance(node, ast.Constant) and not isinstance(node.value, str))


def _numbers(statements: Iterable[ast.stmt]) -> Iterator[float]:
    for statement in statements:
        for part in ast.walk(statement):
            if isinstance(part, ast.Constant) and type(part.value) in (int, float):
                yield float(str(part.value))


def _new_small(old: Iterable[ast.stmt], new: Iterable[ast.stmt]) -> list[float]:
    """Return the epsilons and floors that the fix introduces."""
    known = set(_numbers(old))
    return [one for one in dict.fromkeys(_numbers(new)) if one not in known and 0 < one <= _SMALL]
