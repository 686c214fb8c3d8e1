"""Runs a program and watches its suspected operations, until one makes the first bad number.

    python probe.py PLAN -- SCRIPT ARGUMENTS
    python probe.py PLAN -- -m MODULE ARGUMENTS

It runs in the environment of the program, where nothing else of the tool need be installed: only
the standard library is imported here, and of the frameworks those that the program imports.

The text of each file in the plan is compiled with its suspected expressions in calls that look at
the result. A result that is finite costs one reduction; of one that is not, the operands are looked
at, and where these are finite the operation is the origin. Gradients are watched likewise, between
what flows into the result and what flows on to the operands. Under `jit` and in graphs the looks
are made by callbacks.
"""

from __future__ import annotations

import ast
import atexit
import json
import math
import os
import runpy
import sys
import tokenize
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any, Final

STOPPED: Final = 86
"""The status of a program that was stopped at the origin."""
_PARTS_MOST: Final = 100
"""Of one suspect, that are kept until it is left."""
_NAME: Final = "__mllint_nan__"
_OPERATORS: Final = {
    "Add": "add",
    "Sub": "sub",
    "Mult": "mul",
    "Div": "truediv",
    "Pow": "pow",
    "MatMult": "matmul",
    "FloorDiv": "floordiv",
    "Mod": "mod",
}


@dataclass(frozen=True)
class Place:
    """A suspected expression: its number, and where it stands in columns of UTF-8 from 0 on."""

    number: int
    is_of_values: bool
    """Whether its values break; else its gradient does, and an infinity may be meant."""
    start: tuple[int, int]
    end: tuple[int, int]


@dataclass(frozen=True)
class Node:
    """An expression that is watched: a suspected one, or a part of it."""

    place: Place
    """Of the suspect."""
    is_whole: bool


@dataclass
class Look:
    """What was seen at one suspected operation, in the plain form in which it is written down."""

    number: int
    effect: str
    """`value` or `gradient`."""
    execution: int
    """How often it had been executed, from 1 on."""
    operands: tuple[str, ...]
    result: str


class Probe:
    """What the compiled expressions call, each with the number of its node."""

    def __init__(self, result: str, nodes: Mapping[int, Node]) -> None:
        """`nodes` gives by its number what is watched."""
        self._result = result
        self._nodes = nodes
        self._parts: dict[int, list[tuple[int, Any, Sequence[Any]]]] = {}
        """By suspect: what was made within it since it was last left."""
        self._executions: dict[int, int] = {}
        self._incoming: dict[int, bool] = {}
        self._passed: Look | None = None
        self._is_looking = False
        self._pid = os.getpid()

    # What the program calls

    def call(self, number: int, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """A suspected call."""
        args = tuple(self._entering(number, part) for part in args)
        owner = getattr(function, "__self__", None)
        if _framework_of(owner) is not None:
            owner = self._entering(number, owner)
            function = getattr(owner, function.__name__, function)
        operands = (owner, *args, *kwargs.values())
        return self._left(number, function(*args, **kwargs), operands)

    def binary(self, number: int, operator: str, left: Any, right: Any, /) -> Any:
        """A suspected operation on two operands."""
        import operator as operators

        left, right = self._entering(number, left), self._entering(number, right)
        made = getattr(operators, operator)(left, right)
        return self._left(number, made, (left, right))

    def result(self, number: int, made: Any, /) -> Any:
        """A suspected expression of any other kind."""
        return self._left(number, made, ())

    # Looks

    def _entering(self, number: int, operand: Any) -> Any:
        """The operand, with a look at the gradient that leaves the operation for it."""
        try:
            framework = _framework_of(operand)
            if framework is None or self._waits(number, framework, operand):
                return operand
            return framework.watched(operand, lambda *seen: self._left_gradient(number, *seen))
        except Exception:  # whatever cannot be watched is left as it is
            return operand

    def _left(self, number: int, made: Any, operands: Sequence[Any]) -> Any:
        self._executions[number] = self._executions.get(number, 0) + 1
        if self._is_looking:
            return made
        self._is_looking = True
        try:
            return self._looked_at(number, made, operands)
        finally:
            self._is_looking = False

    def _waits(self, number: int, framework: Any, value: Any) -> bool:
        """Whether a part is looked at only where the whole turns out not to be finite."""
        node = self._nodes[number]
        return not node.is_whole and node.place.is_of_values and framework.is_at_hand(value)

    def _looked_at(self, number: int, made: Any, operands: Sequence[Any]) -> Any:
        try:
            place = self._nodes[number].place
            framework = _framework_of(made)
            if framework is None:
                if place.is_of_values and isinstance(made, float) and not math.isfinite(made):
                    self._seen(number, "value", _all_finite(operands), operands, made)
                return made
            if self._waits(number, framework, made):
                parts = self._parts.setdefault(place.number, [])
                if len(parts) < _PARTS_MOST:
                    parts.append((number, made, operands))
                return made
            if place.is_of_values:
                parts = self._parts.pop(place.number, [])
                framework.look(
                    made,
                    operands,
                    lambda finite, *told: self._value_seen(number, finite, told, parts),
                )
            return framework.watched(made, lambda *seen: self._entered_gradient(number, *seen))
        except Exception:
            return made

    def _value_seen(
        self,
        number: int,
        were_finite: bool,
        told: Sequence[Any],
        parts: Sequence[tuple[int, Any, Sequence[Any]]],
    ) -> None:
        """The value of a suspect is not finite: that of the first of its parts may be it."""
        for part, made, operands in parts:
            if not _all_finite((made,)) and _all_finite(operands):
                self._seen(part, "value", True, operands, made)
        self._seen(number, "value", were_finite, *told)

    def _entered_gradient(self, number: int, is_finite: bool, _: Any) -> None:
        self._incoming[number] = is_finite

    def _left_gradient(self, number: int, is_finite: bool, gradient: Any) -> None:
        if not is_finite:
            came = self._incoming.get(number, True)
            self._seen(number, "gradient", came, (), gradient)

    def _seen(
        self, number: int, effect: str, were_finite: bool, operands: Sequence[Any], made: Any
    ) -> None:
        """A number that is not finite; what it was made of decides whether it is the first."""
        look = Look(
            self._nodes[number].place.number,
            effect,
            self._executions.get(number, 1),
            tuple(map(_range, _leaves(operands))),
            _range(made),
        )
        if were_finite:
            self._write(look, self._passed)
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(STOPPED)
        self._passed = self._passed or look

    def end(self) -> None:
        """The program has ended by itself."""
        if os.getpid() == self._pid:
            self._write(None, self._passed)

    def _write(self, origin: Look | None, passed: Look | None) -> None:
        executed = {self._nodes[number].place.number for number in self._executions}
        told = {
            "origin": asdict(origin) if origin is not None else None,
            "passed": asdict(passed) if passed is not None else None,
            "executed": sorted(executed),
        }
        with open(f"{self._result}.part", "w", encoding="utf-8") as file:
            json.dump(told, file)
        os.replace(f"{self._result}.part", self._result)


# Frameworks

Watch = Callable[[bool, Any], None]
"""What is told whether a gradient is finite, and the gradient."""
Told = Callable[..., None]


class _AtOnce:
    """A framework that computes each number where the program says so."""

    @staticmethod
    def is_finite(value: Any) -> bool:
        raise NotImplementedError

    @staticmethod
    def is_at_hand(value: Any) -> bool:
        return True

    @classmethod
    def look(cls, made: Any, operands: Sequence[Any], told: Told) -> None:
        if not cls.is_finite(made):
            told(_all_finite(operands), operands, made)


class _Torch(_AtOnce):
    @staticmethod
    def owns(value: Any) -> bool:
        torch = sys.modules.get("torch")
        return torch is not None and isinstance(value, torch.Tensor)

    @staticmethod
    def is_finite(value: Any) -> bool:
        torch = sys.modules["torch"]
        if not (value.is_floating_point() or value.is_complex()):
            return True
        with torch.no_grad():
            value = value.detach()
            if bool(torch.isfinite(value.sum())):  # one reduction, which may overflow
                return True
            return bool(torch.isfinite(value).all())

    @classmethod
    def watched(cls, value: Any, watch: Watch) -> Any:
        torch = sys.modules["torch"]
        if not value.requires_grad or not torch.is_grad_enabled():
            return value
        if value.is_leaf and value._version and not value.is_contiguous():
            return value
        alias = value.view_as(value)
        alias.register_hook(lambda gradient: watch(cls.is_finite(gradient), gradient))
        return alias


class _TensorFlow:
    @staticmethod
    def owns(value: Any) -> bool:
        tf = sys.modules.get("tensorflow")
        kinds = (getattr(tf, "Tensor", ()), getattr(tf, "Variable", ()))
        return tf is not None and isinstance(value, kinds)

    @staticmethod
    def is_finite(value: Any) -> bool:
        return _is_finite_array(value.numpy()) if value.dtype.is_floating else True

    @staticmethod
    def _flag(value: Any) -> Any:
        tf = sys.modules["tensorflow"]
        if not _TensorFlow.owns(value) or not value.dtype.is_floating:
            return tf.constant(True)
        return tf.reduce_all(tf.math.is_finite(value))

    @staticmethod
    def is_at_hand(value: Any) -> bool:
        """Whether it is a number now, and no part of a graph."""
        return hasattr(value, "numpy") and bool(sys.modules["tensorflow"].executing_eagerly())

    @classmethod
    def look(cls, made: Any, operands: Sequence[Any], told: Told) -> None:
        tf = sys.modules["tensorflow"]
        if cls.is_at_hand(made):
            if not cls.is_finite(made):
                told(_all_finite(operands), operands, made)
            return
        parts = [part for part in _leaves(operands) if cls.owns(part)]
        flags = tf.reduce_all([cls._flag(part) for part in parts] or [True])

        def looked(finite: Any, were_finite: Any, made: Any, *parts: Any) -> None:
            if not finite:
                told(bool(were_finite), parts, made)

        tf.numpy_function(looked, [cls._flag(made), flags, made, *parts], [])

    @classmethod
    def watched(cls, value: Any, watch: Watch) -> Any:
        tf = sys.modules["tensorflow"]
        if not value.dtype.is_floating:
            return value

        @tf.custom_gradient  # type: ignore[untyped-decorator]
        def same(x: Any) -> tuple[Any, Callable[[Any], Any]]:
            def back(gradient: Any) -> Any:
                if cls.is_at_hand(gradient):
                    watch(cls.is_finite(gradient), gradient)
                    return gradient
                seen = tf.numpy_function(
                    lambda finite, grad: watch(bool(finite), grad),
                    [cls._flag(gradient), gradient],
                    [],
                )
                with tf.control_dependencies([seen] if seen is not None else []):
                    return tf.identity(gradient)

            return tf.identity(x), back

        return same(value)


class _Jax:
    @staticmethod
    def owns(value: Any) -> bool:
        jax = sys.modules.get("jax")
        return jax is not None and isinstance(value, jax.Array)

    @staticmethod
    def _is_float(value: Any) -> bool:
        jax = sys.modules["jax"]
        return bool(jax.numpy.issubdtype(value.dtype, jax.numpy.inexact))

    @classmethod
    def is_finite(cls, value: Any) -> bool:
        jax = sys.modules["jax"]
        return not cls._is_float(value) or bool(jax.numpy.isfinite(value).all())

    @classmethod
    def _flag(cls, value: Any) -> Any:
        jax = sys.modules["jax"]
        return jax.numpy.isfinite(value).all() if cls._is_float(value) else jax.numpy.array(True)

    @staticmethod
    def is_at_hand(value: Any) -> bool:
        return not isinstance(value, sys.modules["jax"].core.Tracer)

    @classmethod
    def look(cls, made: Any, operands: Sequence[Any], told: Told) -> None:
        jax = sys.modules["jax"]
        parts = [part for part in _leaves(operands) if cls.owns(part)]
        if all(map(cls.is_at_hand, (made, *parts))):
            if not cls.is_finite(made):
                told(_all_finite(operands), operands, made)
            return

        def looked(finite: Any, were_finite: Any, made: Any, *parts: Any) -> None:
            if not finite:
                told(bool(were_finite), parts, made)

        were = jax.numpy.stack([cls._flag(part) for part in parts] or [jax.numpy.array(True)])
        jax.debug.callback(looked, cls._flag(made), were.all(), made, *parts)

    @classmethod
    def watched(cls, value: Any, watch: Watch) -> Any:
        jax = sys.modules["jax"]
        if not cls._is_float(value) or cls.is_at_hand(value):
            return value

        def looked(finite: Any, gradient: Any) -> None:
            watch(bool(finite), gradient)

        def back(_: Any, gradient: Any) -> Any:
            jax.debug.callback(looked, cls._flag(gradient), gradient)
            return gradient

        @jax.custom_jvp  # type: ignore[untyped-decorator]
        def same(x: Any) -> Any:
            return x

        def forward(primals: Any, tangents: Any) -> Any:
            (x,), (tangent,) = primals, tangents
            same_tangent = jax.custom_derivatives.linear_call(lambda _, t: t, back, (), tangent)
            return x, same_tangent

        same.defjvp(forward)
        return same(value)


class _NumPy(_AtOnce):
    @staticmethod
    def owns(value: Any) -> bool:
        numpy = sys.modules.get("numpy")
        return numpy is not None and isinstance(value, (numpy.ndarray, numpy.floating))

    @staticmethod
    def is_finite(value: Any) -> bool:
        return _is_finite_array(value)

    @staticmethod
    def watched(value: Any, watch: Watch) -> Any:
        return value


_FRAMEWORKS: Final = (_Torch, _TensorFlow, _Jax, _NumPy)


def _framework_of(value: Any) -> Any:
    return next((one for one in _FRAMEWORKS if one.owns(value)), None)


def _is_finite_array(value: Any) -> bool:
    numpy = sys.modules["numpy"]
    try:
        return bool(numpy.isfinite(value).all())
    except TypeError:  # no numbers
        return True


def _leaves(operands: Any) -> Iterator[Any]:
    if isinstance(operands, (list, tuple)):
        for part in operands:
            yield from _leaves(part)
    elif _framework_of(operands) is not None or isinstance(operands, (int, float)):
        yield operands


def _all_finite(operands: Any) -> bool:
    for part in _leaves(operands):
        framework = _framework_of(part)
        if framework is None:
            if isinstance(part, float) and not math.isfinite(part):
                return False
        elif not framework.is_finite(part):
            return False
    return True


def _range(value: Any) -> str:
    """`float32[8, 3] from -4 to 0`: a tensor in a few words."""
    try:
        if isinstance(value, (int, float)):
            return f"{value:g}"
        numpy = sys.modules.get("numpy")
        array = value.detach().cpu() if hasattr(value, "detach") else value
        array = array.float().numpy() if hasattr(array, "float") else numpy.asarray(array)  # type: ignore[union-attr]
        shape = list(array.shape)
        finite = array[numpy.isfinite(array)]  # type: ignore[union-attr]
        dtype = getattr(value, "dtype", "")
        kind = str(getattr(dtype, "name", dtype)).rpartition(".")[2]
        bad = array.size - finite.size
        ends = f" from {finite.min():g} to {finite.max():g}" if finite.size else ""
        return f"{kind}{shape}{ends}" + (f", {bad} not finite" if bad else "")
    except Exception:
        return type(value).__name__


# Compiling


class _Instrumenter(ast.NodeTransformer):
    def __init__(self, numbers: Mapping[int, int]) -> None:
        self._numbers = numbers
        """By identity of a node."""

    def visit(self, node: ast.AST) -> Any:
        number = self._numbers.get(id(node))
        node = self.generic_visit(node)
        if number is None or not isinstance(node, ast.expr):
            return node
        match node:
            case ast.Call(function, args, keywords) if not _is_name(function, "super"):
                made = _of_probe("call", [ast.Constant(number), function, *args], keywords)
            case ast.BinOp(left, operator, right) if type(operator).__name__ in _OPERATORS:
                name = ast.Constant(_OPERATORS[type(operator).__name__])
                made = _of_probe("binary", [ast.Constant(number), name, left, right], [])
            case _:
                made = _of_probe("result", [ast.Constant(number), node], [])
        return ast.copy_location(made, node)


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _of_probe(method: str, args: list[ast.expr], keywords: list[ast.keyword]) -> ast.expr:
    function = ast.Attribute(ast.Name(_NAME, ast.Load()), method, ast.Load())
    return ast.Call(function, args, keywords)


def instrumented(
    text: str, filename: str, places: Sequence[Place], nodes: dict[int, Node]
) -> CodeType:
    """The code of a text with its suspected expressions, and what they are made of, watched.

    `nodes` is told what is watched, by number.
    """
    tree = ast.parse(text, filename)
    numbers: dict[int, int] = {}
    expressions = [node for node in ast.walk(tree) if isinstance(node, ast.expr)]
    found = [(_node_at(expressions, place), place) for place in places]
    whole = [(node, Node(place, True)) for node, place in found]
    parts = [(part, Node(place, False)) for node, place in found for part in _made_of(node)]
    for node, watched in (*whole, *parts):
        if node is not None and id(node) not in numbers:
            numbers[id(node)] = len(nodes)
            nodes[len(nodes)] = watched
    tree = _Instrumenter(numbers).visit(tree)
    return compile(ast.fix_missing_locations(tree), filename, "exec", dont_inherit=True)


def _made_of(node: ast.expr | None) -> Iterator[ast.expr]:
    """The operations within an expression, but for bodies that run at another time."""
    pending = list(ast.iter_child_nodes(node)) if node is not None else []
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Lambda):
            continue
        if isinstance(part, (ast.Call, ast.BinOp)):
            yield part
        pending += ast.iter_child_nodes(part)


def _node_at(nodes: Sequence[ast.expr], place: Place) -> ast.expr | None:
    """The expression at a place, or the largest one within it: parentheses have no node."""
    inside = [
        node
        for node in nodes
        if isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        and place.start <= (node.lineno, node.col_offset)
        and (node.end_lineno or 0, node.end_col_offset or 0) <= place.end
    ]
    if not inside:
        return None
    return max(inside, key=lambda one: (one.end_lineno or 0, one.end_col_offset or 0,
                                        -one.lineno, -one.col_offset))  # fmt: skip


class _Loader(SourceFileLoader):
    def __init__(
        self, name: str, path: str, places: Sequence[Place], nodes: dict[int, Node]
    ) -> None:
        super().__init__(name, path)
        self._places, self._nodes = places, nodes

    def get_code(self, fullname: str) -> CodeType | None:
        text = self.get_source(fullname) or ""
        return instrumented(text, self.path, self._places, self._nodes)


class _Finder(MetaPathFinder):
    def __init__(self, plan: Mapping[str, Sequence[Place]], nodes: dict[int, Node]) -> None:
        self._plan, self._nodes = plan, nodes

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target)
        origin = spec.origin if spec is not None else None
        places = self._plan.get(os.path.realpath(origin)) if origin else None
        if spec is None or places is None or not isinstance(spec.loader, SourceFileLoader):
            return None
        spec.loader = _Loader(spec.loader.name, spec.loader.path, places, self._nodes)
        return spec


def main(argv: Sequence[str]) -> None:
    """Run a program under a plan, as `python` itself would."""
    with open(argv[0], encoding="utf-8") as file:
        plan = json.load(file)
    command = list(argv[2:])
    files = {path: tuple(_place(one) for one in places) for path, places in plan["files"].items()}
    nodes: dict[int, Node] = {}
    probe = Probe(plan["result"], nodes)
    atexit.register(probe.end)
    import builtins

    setattr(builtins, _NAME, probe)
    sys.meta_path.insert(0, _Finder(files, nodes))
    if command[0] == "-m":
        sys.argv = command[1:]
        sys.path.insert(0, os.getcwd())
        _run_module(command[1], files, nodes)
        return
    script = os.path.abspath(command[0])
    sys.argv = command
    sys.path[0] = os.path.dirname(script)
    _run_file(script, files.get(os.path.realpath(script), ()), nodes)


def _place(told: Mapping[str, Any]) -> Place:
    start, end = ((int(row), int(column)) for row, column in (told["start"], told["end"]))
    return Place(told["number"], told["is_of_values"], start, end)


def _run_file(script: str, places: Sequence[Place], nodes: dict[int, Node]) -> None:
    with tokenize.open(script) as file:
        text = file.read()
    main_module = ModuleType("__main__")
    main_module.__file__ = script
    main_module.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = main_module
    exec(instrumented(text, script, places, nodes), main_module.__dict__)


def _run_module(name: str, files: Mapping[str, Sequence[Place]], nodes: dict[int, Node]) -> None:
    import importlib.util

    spec = importlib.util.find_spec(name)
    if spec is not None and spec.submodule_search_locations is not None:
        spec = importlib.util.find_spec(f"{name}.__main__")
    if spec is None or spec.origin is None:
        runpy.run_module(name, run_name="__main__", alter_sys=True)
        return
    main_module = ModuleType("__main__")
    main_module.__file__, main_module.__spec__ = spec.origin, spec
    main_module.__package__ = spec.parent or ""
    main_module.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = main_module
    sys.argv[0] = spec.origin
    with tokenize.open(spec.origin) as file:
        text = file.read()
    places = files.get(os.path.realpath(spec.origin), ())
    exec(instrumented(text, spec.origin, places, nodes), main_module.__dict__)


if __name__ == "__main__":
    main(sys.argv[1:])
