"""A program as the analysis sees it: statements and expressions, without any parser's nodes.

Every expression carries `site`, an opaque handle by which `syntax` finds its text again. Nodes are
never changed, but `frozen=True` would double the time to create each of the many thousands. The
most frequent ones define their own `__init__`: mypyc does not compile a generated one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

APPENDING: Final = {"append": 1, "add": 1, "add_module": 2, "insert": 2}
"""Methods that put one element, their last argument, into a container, and the number of their
arguments."""
MUTATORS: Final = frozenset(
    (
        *APPENDING,
        "extend",
        "update",
        "pop",
        "popitem",
        "setdefault",
        "remove",
        "clear",
        "reverse",
        "sort",
    )
)
"""Methods that change what a container holds."""

Site: TypeAlias = object


@dataclass(slots=True, eq=False, init=False)
class Name:
    site: Site
    name: str

    def __init__(self, site: Site, name: str) -> None:
        self.site = site
        self.name = name


@dataclass(slots=True, eq=False, init=False)
class Constant:
    site: Site
    value: int | float | complex | str | bytes | bool | None

    def __init__(
        self,
        site: Site,
        value: int | float | complex | str | bytes | bool | None,
    ) -> None:
        self.site = site
        self.value = value


@dataclass(slots=True, eq=False, init=False)
class Attribute:
    site: Site
    base: Expression
    name: str

    def __init__(self, site: Site, base: Expression, name: str) -> None:
        self.site = site
        self.base = base
        self.name = name


@dataclass(slots=True, eq=False, init=False)
class Argument:
    """One argument of a call; `star` is "", "*" or "**"."""

    value: Expression
    keyword: str | None
    star: str

    def __init__(self, value: Expression, keyword: str | None = None, star: str = "") -> None:
        self.value = value
        self.keyword = keyword
        self.star = star


@dataclass(slots=True, eq=False, init=False)
class Call:
    site: Site
    callee: Expression
    arguments: tuple[Argument, ...]

    def __init__(self, site: Site, callee: Expression, arguments: tuple[Argument, ...]) -> None:
        self.site = site
        self.callee = callee
        self.arguments = arguments


@dataclass(slots=True, eq=False)
class Binary:
    site: Site
    operator: str
    left: Expression
    right: Expression


@dataclass(slots=True, eq=False)
class Unary:
    site: Site
    operator: str
    operand: Expression


@dataclass(slots=True, eq=False)
class Compare:
    """`left op right` for one operator; chains are conjunctions of these."""

    site: Site
    operator: str
    left: Expression
    right: Expression


@dataclass(slots=True, eq=False)
class Boolean:
    site: Site
    operator: str
    left: Expression
    right: Expression


@dataclass(slots=True, eq=False)
class Conditional:
    site: Site
    test: Expression
    body: Expression
    orelse: Expression


@dataclass(slots=True, eq=False)
class Subscript:
    site: Site
    base: Expression
    indices: tuple[Expression, ...]


@dataclass(slots=True, eq=False)
class Slice:
    """`first:last:step`; a part that is left out before another part is the constant None."""

    site: Site
    parts: tuple[Expression, ...]


@dataclass(slots=True, eq=False)
class Sequence:
    """A tuple, list or set display."""

    site: Site
    kind: str
    elements: tuple[Expression, ...]


@dataclass(slots=True, eq=False)
class Clause:
    """`for target in iterable if conditions` of a comprehension."""

    target: Target
    iterable: Expression
    conditions: tuple[Expression, ...]


@dataclass(slots=True, eq=False)
class Comprehension:
    site: Site
    kind: str
    element: Expression
    clauses: tuple[Clause, ...]


@dataclass(slots=True, eq=False)
class Lambda:
    site: Site
    parameters: tuple[Parameter, ...]
    body: Expression


@dataclass(slots=True, eq=False)
class NamedExpression:
    site: Site
    name: str
    value: Expression


@dataclass(slots=True, eq=False)
class Unknown:
    """An expression without a numerical meaning here; only its children count."""

    site: Site
    children: tuple[Expression, ...]
    what: str = "unknown"


@dataclass(slots=True, eq=False)
class Suspension:
    """`yield`, `yield from` or `await`: its result is decided elsewhere."""

    site: Site
    children: tuple[Expression, ...]


Expression: TypeAlias = (
    Name
    | Constant
    | Attribute
    | Call
    | Binary
    | Unary
    | Compare
    | Boolean
    | Conditional
    | Subscript
    | Slice
    | Sequence
    | Comprehension
    | Lambda
    | NamedExpression
    | Suspension
    | Unknown
)


@dataclass(slots=True, eq=False)
class Starred:
    """The target that takes the remaining elements."""

    target: Target


@dataclass(slots=True, eq=False)
class Targets:
    """A tuple or list of targets."""

    elements: tuple[Target, ...]


Target: TypeAlias = Name | Attribute | Subscript | Targets | Starred | Unknown


@dataclass(slots=True, eq=False)
class Parameter:
    """`star` is "", "*" or "**"."""

    name: str
    default: Expression | None = None
    star: str = ""
    annotation: Expression | None = None


@dataclass(slots=True, eq=False, init=False)
class Assign:
    """`site` is the whole statement; `alone` says that it has its line to itself."""

    site: Site
    targets: tuple[Target, ...]
    value: Expression
    alone: bool
    annotated_as: Expression | None
    """The annotation, if there is one."""

    def __init__(
        self,
        site: Site,
        targets: tuple[Target, ...],
        value: Expression,
        alone: bool = True,
        annotated_as: Expression | None = None,
    ) -> None:
        self.site = site
        self.targets = targets
        self.value = value
        self.alone = alone
        self.annotated_as = annotated_as


@dataclass(slots=True, eq=False)
class Augment:
    site: Site
    target: Target
    operator: str
    value: Expression


@dataclass(slots=True, eq=False)
class Evaluate:
    site: Site
    value: Expression


@dataclass(slots=True, eq=False)
class Return:
    site: Site
    value: Expression | None


@dataclass(slots=True, eq=False)
class Raise:
    site: Site
    children: tuple[Expression, ...]


@dataclass(slots=True, eq=False)
class Assert:
    site: Site
    test: Expression


@dataclass(slots=True, eq=False)
class Jump:
    """`break` if it leaves the loop, else `continue`."""

    site: Site
    leaves: bool


@dataclass(slots=True, eq=False)
class Delete:
    site: Site
    targets: tuple[Target, ...]


@dataclass(slots=True, eq=False)
class Import:
    """`bindings` pairs each bound name with the qualified name it stands for."""

    site: Site
    bindings: tuple[tuple[str, str], ...]


@dataclass(slots=True, eq=False)
class Global:
    site: Site
    names: tuple[str, ...]


@dataclass(slots=True, eq=False)
class If:
    site: Site
    test: Expression
    body: Block
    orelse: Block


@dataclass(slots=True, eq=False)
class While:
    site: Site
    test: Expression
    body: Block
    orelse: Block
    assigned: Any = field(init=False, default=None, repr=False)
    """Cached by `flow.queries`: the names that the body may bind."""


@dataclass(slots=True, eq=False)
class For:
    site: Site
    target: Target
    iterable: Expression
    body: Block
    orelse: Block
    assigned: Any = field(init=False, default=None, repr=False)
    """Cached by `flow.queries`: the names that the body may bind."""


@dataclass(slots=True, eq=False)
class With:
    site: Site
    items: tuple[tuple[Expression, Target | None], ...]
    body: Block


@dataclass(slots=True, eq=False)
class Try:
    site: Site
    body: Block
    handlers: tuple[tuple[str | None, Block], ...]
    orelse: Block
    finalbody: Block
    assigned: Any = field(init=False, default=None, repr=False)
    """Cached by `flow.queries`: the names that the body may bind."""


@dataclass(slots=True, eq=False)
class Case:
    """Binds some names and runs a block if the subject matches.

    `value` is the number, or other constant, that the subject has to equal; `takes_all` says that
    every subject matches, unless the guard fails.
    """

    names: tuple[str, ...]
    value: Expression | None
    takes_all: bool
    guard: Expression | None
    body: Block


@dataclass(slots=True, eq=False)
class Match:
    site: Site
    subject: Expression
    cases: tuple[Case, ...]


FIRST_METHODS: Final = ("__init__", "__post_init__", "build", "setup")
"""The methods that set an object's attributes."""
CALLED_BY_NAME: Final = ("forward", "call", "__call__")
"""The methods that calling an object runs, in the order in which they are looked up."""
KEEPING: Final = (
    *("staticmethod", "classmethod", "jit", "function", "script", "compile"),
    *("checkpoint", "remat", "compact", "filter_jit"),
)
"""Decorators under which a function still returns what is written, called as it is written."""
PROPERTIES: Final = ("property", "cached_property", "lazy_property")
"""The decorators of methods that are called by naming them."""
SEEN_THROUGH_LONGEST: Final = 24
"""The most statements that a function may have for its calls to be inlined."""


@dataclass(slots=True, eq=False)
class Function:
    site: Site
    name: str
    parameters: tuple[Parameter, ...]
    body: Block
    decorators: tuple[Expression, ...]
    returns: Expression | None = None
    """The annotation of what it returns."""
    summary: Any = field(init=False, default=None, repr=False)
    """Cached by `flow.queries`."""
    is_replaced: bool = field(init=False, default=False, repr=False)
    """Whether another definition takes its name before anything uses it."""


@dataclass(slots=True, eq=False)
class Class:
    site: Site
    name: str
    bases: tuple[Expression, ...]
    body: Block
    decorators: tuple[Expression, ...] = ()
    fields: tuple[str, ...] = ()
    """The names that the body annotates, in order."""
    annotations: tuple[Expression, ...] = ()
    """The annotation of each of them."""
    is_replaced: bool = field(init=False, default=False, repr=False)
    """Whether another definition takes its name before anything uses it."""


Statement: TypeAlias = (
    Assign
    | Augment
    | Evaluate
    | Return
    | Raise
    | Assert
    | Jump
    | Delete
    | Import
    | Global
    | If
    | While
    | For
    | With
    | Try
    | Match
    | Function
    | Class
)
Block: TypeAlias = tuple[Statement, ...]


def targets_of(target: Target) -> tuple[Name | Attribute | Subscript, ...]:
    """The places that an assignment to `target` writes, from left to right."""
    match target:
        case Targets(elements):
            return tuple(place for element in elements for place in targets_of(element))
        case Starred(inner):
            return targets_of(inner)
        case Unknown():
            return ()
        case _:
            return (target,)
