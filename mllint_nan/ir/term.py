"""Terms: what an expression computes, with the variables in it replaced by their values.

A term is an *occurrence*: it belongs to one `site` of the source. Its `key` is its value number:
two terms with the same key have the same value wherever both are defined. A variable is a
`REFERENCE` whose only operand is the term that defines it; `peel` looks through it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from mllint_nan.ir.ops import Operation
from mllint_nan.ir.program import Site

_SUMMANDS_MOST: Final = 32


def _leaf(name: str, *, pure: bool = True) -> Operation:
    return Operation(name, (), 0, "leaf", pure=pure)


CONSTANT: Final = _leaf("constant")
"""A literal; `detail` is its value."""
INPUT: Final = _leaf("input")
"""A parameter, or a name without a visible definition; `detail` is its name, and its only operand,
if any, is the default value."""
OPAQUE: Final = _leaf("opaque", pure=False)
"""The result of something that no table explains; `detail` says what it was, and the operands are
what it was computed from."""
CHOICE: Final = _leaf("choice")
"""One of the operands, depending on the path taken; `detail` is "branch" or "conditional", "loop"
for what a loop or an interrupted block may have changed, "exit" for what a loop leaves."""
REFERENCE: Final = _leaf("reference")
"""A variable, or a call that was inlined; `detail` is the variable's name, or None for a call."""
QUALIFIED: Final = _leaf("qualified")
"""A module or a member of one; `detail` is its qualified name."""
ATTRIBUTE: Final = _leaf("attribute")
"""An attribute of the operand; `detail` is its name."""
SEQUENCE: Final = _leaf("sequence")
"""A tuple or list display; the operands are its elements."""
FUNCTION: Final = _leaf("function", pure=False)
"""A function or lambda of this file; `detail` is its closure."""
LAYER: Final = _leaf("layer")
"""A module object that applies one operation; `detail` is the operation's signature."""
VARIABLE: Final = _leaf("variable")
"""A variable of a pattern; `detail` is its name."""

NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})
"""The settings of a term that has none."""


@dataclass(slots=True, unsafe_hash=True, init=False)
class Written:
    """How a call was written: the callee's qualified path, or the method's name."""

    path: str
    method: bool
    callee: Site
    inplace: bool

    def __init__(self, path: str, method: bool, callee: Site, inplace: bool = False) -> None:
        self.path = path
        self.method = method
        self.callee = callee
        self.inplace = inplace


@dataclass(slots=True, unsafe_hash=True, init=False)
class Fact:
    """On some path, `test` came out as `holds`."""

    test: Term
    holds: bool

    def __init__(self, test: Term, holds: bool) -> None:
        self.test = test
        self.holds = holds


@dataclass(slots=True, eq=False, init=False)
class Term:
    """The value of one occurrence of an expression.

    `facts`: for a `CHOICE`, the facts that hold where each of its operands is taken.
    `format`: the float format in which a region of automatic casts computes the operation.
    `default`: the format that the program sets for operations whose operands show none.
    """

    operation: Operation
    operands: tuple[Term, ...]
    key: int
    site: Site
    settings: Mapping[str, Term]
    framework: str | None
    detail: Any
    written: Written | None
    facts: tuple[tuple[Fact, ...], ...]
    format: str | None
    default: str | None
    height: int = field(init=False)
    """The largest number of operations that are applied one after the other."""
    inside: int = field(init=False)
    """The bits of all operations in the term, including its own."""
    shown: tuple[str | None, str | None, frozenset[str]] | None = field(init=False)
    """Cached by `flow.formats`: the format shown, the default, the frameworks."""

    # A package yields hundreds of thousands of terms, and mypyc does not compile a generated
    # `__init__`.
    def __init__(
        self,
        operation: Operation,
        operands: tuple[Term, ...],
        key: int,
        site: Site = None,
        settings: Mapping[str, Term] | None = None,
        framework: str | None = None,
        detail: Any = None,
        written: Written | None = None,
        facts: tuple[tuple[Fact, ...], ...] = (),
        format: str | None = None,
        default: str | None = None,
    ) -> None:
        inside, height = operation.bit, 0
        for operand in operands:
            inside |= operand.inside
            if operand.height >= height:
                height = operand.height + 1
        if settings is None or settings is NOTHING or not settings:
            settings = NOTHING
        else:
            for setting in settings.values():
                inside |= setting.inside
        self.operation = operation
        self.operands = operands
        self.key = key
        self.site = site
        self.settings = settings
        self.framework = framework
        self.detail = detail
        self.written = written
        self.facts = facts
        self.format = format
        self.default = default
        self.height = height
        self.inside = inside
        self.shown = None

    def copy(self, operands: tuple[Term, ...] | None = None) -> Term:
        """Another object with the same value, or with other operands and the same key."""
        return Term(
            self.operation,
            self.operands if operands is None else operands,
            self.key,
            self.site,
            self.settings,
            self.framework,
            self.detail,
            self.written,
            self.facts,
            self.format,
            self.default,
        )

    def children(self) -> tuple[Term, ...]:
        """The operands, then the settings."""
        if not self.settings:
            return self.operands
        return (*self.operands, *self.settings.values())

    def __repr__(self) -> str:
        if self.operation is REFERENCE and self.detail is not None:
            return str(self.detail)
        if self.operation in (CONSTANT, INPUT, QUALIFIED, VARIABLE):
            return str(self.detail)
        inside = [repr(operand) for operand in self.operands]
        inside += [f"{name}={value!r}" for name, value in self.settings.items()]
        return f"{self.operation.name}({', '.join(inside)})"


def peel(term: Term) -> Term:
    """The term behind any references."""
    while term.operation is REFERENCE:
        term = term.operands[0]
    return term


def behind_views(term: Term) -> Term:
    """The term whose elements were only moved or selected since, behind references and views."""
    inner = peel(term)
    while inner.operation.kind == "view" and inner.operands:
        inner = peel(inner.operands[0])
    return inner


def summands_of(total: Term) -> list[Term]:
    """The terms of a sum of sums, or the term itself; of a very long one, some are sums still."""
    found = list[Term]()
    pending = [total]
    while pending:
        inner = peel(pending.pop())
        if inner.operation.name == "add" and len(found) < _SUMMANDS_MOST:
            pending.extend(inner.operands)
        else:
            found.append(inner)
    return found


def signed_factors(product: Term, behind: Callable[[Term], Term] = peel) -> tuple[int, list[Term]]:
    """The sign of the numbers and negations in a product, and the product's other factors."""
    sign, factors = 1, []
    pending = [*product.operands]
    while pending:
        factor = behind(pending.pop())
        number = number_of(factor)
        if number is not None:
            sign = -sign if number < 0 else sign
        elif factor.operation.name in ("mul", "neg"):
            sign = -sign if factor.operation.name == "neg" else sign
            pending.extend(factor.operands)
        else:
            factors.append(factor)
    return sign, factors


def held(term: Term) -> Term:
    """The value that a variable holds once `term` is assigned to it.

    References are looked through, but not an inlined call that records how it was written.
    """
    while term.operation is REFERENCE and term.written is None:
        term = term.operands[0]
    return term


def qualified(term: Term) -> Term:
    """The term behind references, or the only module among the options of a conditional import."""
    while term.operation is REFERENCE:
        term = term.operands[0]
    if term.operation is CHOICE:
        modules = [option for option in map(peel, term.operands) if option.operation is QUALIFIED]
        others = [
            option
            for option in map(peel, term.operands)
            if option.operation not in (QUALIFIED, INPUT)
            and not (option.operation is CONSTANT and option.detail is None)
        ]
        if len(modules) == 1 and not others:
            return modules[0]
    return term


def constant_of(term: Term | None) -> Any:
    """The value of a constant, else `None` (also for the constant `None`)."""
    if term is None:
        return None
    while term.operation is REFERENCE:
        term = term.operands[0]
    return term.detail if term.operation is CONSTANT else None


def is_literal(term: Term) -> bool:
    """Whether a term is `float("inf")` or the like: a number that belongs to no framework."""
    inner = peel(term)
    return inner.operation.name == "cast" and isinstance(constant_of(inner.operands[0]), str)


def number_of(term: Term | None) -> float | int | None:
    """The value of a numeric constant that is not a boolean."""
    if term is None:
        return None
    while term.operation is REFERENCE:
        term = term.operands[0]
    if term.operation is not CONSTANT:
        return None
    value = term.detail
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def walk(term: Term) -> Iterator[Term]:
    """Yield the term and everything that it is made from, behind references, each key once."""
    seen: set[int] = set()
    pending = [term]
    while pending:
        current = pending.pop()
        while current.operation is REFERENCE:
            current = current.operands[0]
        if current.key in seen:
            continue
        seen.add(current.key)
        yield current
        if current.operands:
            pending += current.operands
        if current.settings:
            pending += current.settings.values()


def walk_into(term: Term, below: Callable[[Term], Iterable[Term]]) -> Iterator[Term]:
    """Yield the term and, transitively, the terms that `below` returns for it, each key once."""
    seen: set[int] = set()
    pending = [term]
    while pending:
        inner = peel(pending.pop())
        if inner.key not in seen:
            seen.add(inner.key)
            yield inner
            pending += below(inner)


def names_in(term: Term) -> Iterator[Term]:
    """The variables that the text of a term reads, each as the reference at its place."""
    pending = [term]
    while pending:
        current = pending.pop()
        if current.operation is REFERENCE and current.detail is not None:
            yield current
        elif current.operation is REFERENCE:
            yield from names_in_call(current)
        else:
            pending.extend(current.children())


def names_in_call(term: Term) -> Iterator[Term]:
    """The variables in the arguments of an inlined call, which follow the returned value."""
    for argument in term.operands[1:]:
        yield from names_in(argument)
