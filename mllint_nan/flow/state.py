"""What holds at one point of a program: definitions, facts and contexts, all immutable."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from mllint_nan.flow.environment import Environment
from mllint_nan.flow.given import Arguments
from mllint_nan.flow.modules import ClassText, Module
from mllint_nan.flow.ownership import Origin
from mllint_nan.frameworks.signature import Signature
from mllint_nan.ir import program as ir
from mllint_nan.ir.term import Fact, Term, walk
from mllint_nan.training import TrainingUse, Unrun, run_out_of_sight, trained_out_of_sight


@dataclass(slots=True, eq=False, init=False)
class State:
    environment: Environment
    facts: tuple[Fact, ...]
    contexts: tuple[Term, ...]
    """What the enclosing `with` statements entered, outermost first."""

    def __init__(
        self,
        environment: Environment,
        facts: tuple[Fact, ...] = (),
        contexts: tuple[Term, ...] = (),
    ) -> None:
        self.environment = environment
        self.facts = facts
        self.contexts = contexts

    def with_facts(self, facts: tuple[Fact, ...]) -> State:
        """The same where other facts hold."""
        return State(self.environment, facts, self.contexts)

    def within(self, contexts: tuple[Term, ...]) -> State:
        """The same in other `with` statements."""
        return State(self.environment, self.facts, contexts)

    def where(self, environment: Environment) -> State:
        """The same with other definitions."""
        return State(environment, self.facts, self.contexts)

    def facts_since(self, before: State) -> tuple[Fact, ...]:
        """What this path has learned beyond `before`, which it came from."""
        facts, known = self.facts, before.facts
        if facts is known:
            return ()
        count = len(known)
        if not count or (
            len(facts) >= count and facts[0] is known[0] and facts[count - 1] is known[-1]
        ):
            return facts[count:]  # as nothing was forgotten in between
        ids = set(map(id, known))
        return tuple([fact for fact in facts if id(fact) not in ids])


@dataclass(slots=True, eq=False, init=False)
class Scope:
    """The function, class or module in which a term was evaluated."""

    name: str
    kind: str
    parent: Scope | None
    decorators: tuple[Term, ...]
    parameters: tuple[str, ...]
    node: ir.Function | ir.Lambda | ir.Class | None
    bases: tuple[Term, ...]
    final: Environment | None
    """What its names stand for where its body ends, once that has been evaluated."""
    returned: tuple[Term, ...]
    """What its `return` statements give, once its body has been evaluated."""
    key: int
    """The key of the function as a value, to find who is given it."""
    assigned: set[str]
    """Every name that the scope binds anywhere, so that a fix can choose a new one."""
    attributes: dict[str, list[Term]]
    """Of a class: all that its methods store in each attribute of `self`."""
    written: dict[str, list[tuple[tuple[Term, ...], Term]]]
    """Of a class: what its methods write at places of an attribute, or add to all of it."""
    changing: set[str]
    """Of a class: the attributes that others than its constructor store something in."""
    stores: set[str]
    """The attributes of `self` that it stores something in itself."""
    inherited: dict[str, Scope]
    """Of a class: the base that stores an attribute which the class itself does not."""
    made_with: list[Mapping[str, Term] | None]
    """Of a class: what each construction in the file gives its constructor, as far as is seen."""
    always_made_with: tuple[Mapping[str, Term] | None, ...]
    """The same of all constructions in sight, once other files have been asked."""
    is_elsewhere: bool
    """A class of another file, of which only the first methods are evaluated."""
    trains: bool
    """Whether something in it takes gradients or hands a loss to an optimizer."""
    trains_here: bool
    """Whether its own statements do, and no function or class in it alone."""
    decorated: tuple[Term, ...]
    """The decorators that hold here, from the innermost on."""
    is_entered: bool
    """Whether calls of the function, and of those around it, are evaluated with their arguments."""
    _outer_class: Scope | None

    def __init__(
        self,
        name: str,
        kind: str,
        parent: Scope | None = None,
        decorators: tuple[Term, ...] = (),
        parameters: tuple[str, ...] = (),
        node: ir.Function | ir.Lambda | ir.Class | None = None,
        bases: tuple[Term, ...] = (),
        key: int = 0,
        is_elsewhere: bool = False,
    ) -> None:
        self.name = name
        self.kind = kind
        self.parent = parent
        self.decorators = decorators
        self.parameters = parameters
        self.node = node
        self.bases = bases
        self.final = None
        self.returned = ()
        self.key = key
        self.assigned = set()
        self.attributes, self.written = {}, {}
        self.changing, self.stores = set(), set()
        self.inherited = {}
        self.made_with = []
        self.always_made_with = ()
        self.is_elsewhere = is_elsewhere
        self.trains = self.trains_here = False
        self.decorated = (*decorators, *(parent.decorated if parent is not None else ()))
        self.is_entered = parent is None or parent.is_entered
        self._outer_class = parent.owner if parent is not None else None

    @property
    def owner(self) -> Scope | None:
        """The class whose `self` is seen here."""
        return self if self.kind == "class" else self._outer_class  # no circle to search for

    @property
    def is_private(self) -> bool:
        """A function that nothing outside of the file calls, by where or how it is named."""
        if self.kind != "function":
            return False
        is_local = self.parent is not None and self.parent.kind == "function"
        is_dunder = self.name.startswith("__") and self.name.endswith("__")
        return is_local or self.name == "<lambda>" or (self.name.startswith("_") and not is_dunder)

    @property
    def definition(self) -> str:
        """The function, method or class of the module that it is in; empty at the top level."""
        names: list[str] = []
        for scope in self.enclosing():
            parent = scope.parent
            if scope.kind == "function" and parent is not None and parent.kind == "function":
                names.clear()
            elif scope.kind != "module":
                names.insert(0, scope.name)
        return ".".join(names)

    def enclosing(self) -> Iterator[Scope]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent


@dataclass(slots=True, eq=False)
class Caller:
    """Where a function is named, what is entered there, and whether its module does not train."""

    scope: Scope
    contexts: tuple[Term, ...]
    is_evaluating: bool


@dataclass(slots=True, eq=False)
class Binding:
    """What a call gives the parameters of a function, and what holds there."""

    arguments: Mapping[str, Term]
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class CallInSight:
    """A call with whose arguments a body is evaluated once more, or any that gives no default."""

    site: ir.Site
    """Where it stands; of one in another file, its row."""
    caller: Scope
    file: str = ""
    """The other file of the project that it stands in."""
    through: tuple[str, ...] = ()
    """The functions that hand on what it gives, and the one that is judged."""
    is_by_defaults: bool = False


@dataclass(slots=True, eq=False, init=False)
class Occurrence:
    """A canonical operation at its place, with what holds there.

    `call`: the one whose arguments it is evaluated with; `None` in the function's own right.
    """

    term: Term
    state: State
    scope: Scope
    call: CallInSight | None

    def __init__(
        self, term: Term, state: State, scope: Scope, call: CallInSight | None = None
    ) -> None:
        self.term = term
        self.state = state
        self.scope = scope
        self.call = call


@dataclass(slots=True, eq=False, repr=False)
class Closure:
    """A function of this file as a value; its text is no part of what it is called."""

    name: str
    parameters: tuple[ir.Parameter, ...]
    body: ir.Block | ir.Expression
    environment: Environment
    scope: Scope
    key: int
    simple: bool
    """Few enough statements to be seen through at a call."""
    is_check: bool = False
    """Short, and called for what it refuses."""
    is_property: bool = False
    """Called by naming it."""
    written_into: tuple[str, ...] = ()
    """The names of what a call that is seen through changes parts of."""
    returns: ir.Expression | None = None
    """What it is annotated to give."""
    given: Arguments | None = None
    """What stands in front of the arguments of every call: those of `functools.partial`."""
    keeps_calls: bool = True
    """No decorator is known to have it called with other arguments than its callers give."""
    makes_own: bool = False
    """A method of a class that gives objects of it."""
    takes_object: bool = False
    """A method that no decorator changes: named on an object, it has that as its first argument."""
    computes: bool = True
    """Its body computes something itself, not only by the functions that it calls."""
    filled: tuple[str, ...] = ()
    """The parameters into whose elements it writes, whatever they are."""
    augmented: tuple[str, ...] = ()
    """Those that it adds to: if they are tensors, it writes into them."""

    @property
    def is_entered(self) -> bool:
        """Whether its body is evaluated for any call of it."""
        return self.simple or self.keeps_calls or self.is_check


@dataclass(slots=True, eq=False)
class Deferred:
    """A function that is evaluated in its own right, once what is around it has run to its end."""

    closure: Closure
    scope: Scope
    blueprint: Blueprint | None
    """Its class, until it has been evaluated."""
    state: State
    """What holds where it is defined, and so of the same values whenever it is called."""
    is_begun: bool = False


@dataclass(slots=True, eq=False)
class Blueprint:
    """A class as a value: what its objects are asked for by name."""

    text: ClassText
    environment: Environment
    """What its text sees of its surroundings."""
    scope: Scope
    module: Module | None = None
    """The other file of the project that it stands in."""
    bases: tuple[Term, ...] | None = None
    """What it is derived from; `None` before it is asked."""
    methods: dict[str, Closure | None] = field(default_factory=dict)
    """Those that have been asked for."""
    is_computed_with: bool | None = None
    """Whether it has arithmetic of its own; `None` before it is asked."""
    attributes: Mapping[str, Term] | None = None
    """Stateless values that `self.name` has in the whole class; `None` before it is asked."""
    shared: dict[str, Term | None] = field(default_factory=dict)
    """What its body sets, as far as that has been asked for."""
    annotated: dict[str, Blueprint | None] = field(default_factory=dict)
    """By attribute: the class that it is said to be of, as far as that has been asked for."""
    constructor: int = 0
    """The key of the function whose parameters the attributes may be."""
    deferred: Deferred | None = None
    """Its constructor, if that is evaluated in its own right."""
    hooks: tuple[str, ...] | None = None
    """The methods that others may call with data; `None` before it is asked."""
    handed_up: dict[Scope, Arguments] = field(default_factory=dict)
    """By base: what its constructor gives that of the base."""


@dataclass(slots=True, eq=False)
class Instance:
    """An object that is made in sight: its class, and what the constructor was given."""

    blueprint: Blueprint
    given: Arguments


@dataclass(slots=True, eq=False)
class Links:
    """How values get on without anything being made from them."""

    made: int
    """How many terms there were when it was noted."""
    joined: dict[int, list[Term]]
    """By key of a term: the choices and displays of which it is a part."""
    read: dict[str, set[int]]
    """By name of an attribute: the keys of the terms that read it."""
    called: dict[str, list[Term]]
    """By name: the calls of functions and methods that were not seen through."""


@dataclass(slots=True, eq=False)
class Registration:
    """A function or class of the file that a decorator may put into a registry."""

    registry: Term  # the first name of the decorator: a function, an object, or a path
    key: str
    member: Term


@dataclass(slots=True, eq=False)
class Analysis:
    """All that is known of one file."""

    occurrences: list[Occurrence] = field(default_factory=list)
    effects: list[Occurrence] = field(default_factory=list)
    """The calls that are made for what they do, in the order in which a function makes them."""
    visited: list[Occurrence] = field(default_factory=list)
    """The same with the arguments of the calls in sight, one after the other."""
    divisions: dict[int, list[Occurrence]] = field(default_factory=dict)
    """By key of a divisor, behind views: the divisions by it."""
    referring: list[Term] = field(default_factory=list)
    """The references of the file, each with the term that defines it as its operand."""
    definitions: dict[int, tuple[ir.Assign, Scope]] = field(default_factory=dict)
    """By `id` of a defining term: the assignment that made it a variable's value."""
    callers: dict[int, list[Caller]] = field(default_factory=dict)
    """By key of a function of this file: the places that name it."""
    bindings: dict[int, list[Binding]] = field(default_factory=dict)
    """By key of a function of this file: its calls, seen through or not."""
    parameters: dict[int, tuple[int, str]] = field(default_factory=dict)
    """By key of a parameter: the key of its function, and its name."""
    functions: dict[int, Scope] = field(default_factory=dict)
    """By key of a function of this file: its own scope."""
    handed_as: dict[int, set[str]] = field(default_factory=dict)
    """By key of a term: the keywords by which calls that are not understood are given it."""
    returning: dict[int, list[Scope]] = field(default_factory=dict)
    """By key of a value: the functions that return it, once one has been asked for."""
    returning_noted: int = 0
    """How many functions there were then."""
    switched_on: dict[int, frozenset[str]] = field(default_factory=dict)
    """Of calls that are not understood, the arguments that are written as `True`."""
    handed_with: dict[int, list[tuple[Mapping[str, Term], tuple[Fact, ...]]]] = field(
        default_factory=dict
    )
    """By key of a function of this file: what calls that it is an argument of are given by the
    names of its parameters, and what holds there."""
    kept_where: dict[int, tuple[Fact, ...]] = field(default_factory=dict)
    """By key of a parameter that an attribute keeps: what holds there."""
    origins: dict[int, Origin] = field(default_factory=dict)
    """By key of a parameter, a result or a test of a class: whose object it is, if shown."""
    calls: dict[int, list[Term]] = field(default_factory=dict)
    """By key of a function of this file: its calls that were seen through."""
    carried: dict[int, tuple[Term, tuple[Fact, ...]]] = field(default_factory=dict)
    """By key of what a loop carries: what its next round starts with, and what holds there."""
    made: list[Term] = field(default_factory=list)
    """The terms of the file that are made from others."""
    written_at: dict[int, list[tuple[Term, ...]]] = field(default_factory=dict)
    """By key of an array that was written into: the places, each time that it was."""
    thinned: set[int] = field(default_factory=set)
    """Keys of lists of which the comprehension has a condition, or another loop within."""
    escaped: set[int] = field(default_factory=set)
    """Keys of terms that are returned, stored, or passed to what is not understood."""
    options_escaped: set[int] = field(default_factory=set)
    """Keys of what they are on one of several paths."""
    conditions: set[int] = field(default_factory=set)
    """Keys of terms that are tested as they are: by `if`, `while`, `assert` and the like."""
    restrained: dict[int, str] = field(default_factory=dict)
    """By key of a parameter or variable: what keeps it where it is, or within bounds."""
    bounded: dict[str, list[Term]] = field(default_factory=dict)
    """By name of a variable or an attribute: what is written back into it to keep it in bounds."""
    assigned: set[str] = field(default_factory=set)
    """Names of variables and attributes that the program itself gives new values."""
    updated: set[int] = field(default_factory=set)
    """Keys of what an optimizer is given, or whose gradient is read."""
    steps: bool = False
    """Whether something in the file moves parameters against their gradients."""
    links: Links | None = None
    """`None` before it is asked for."""
    frameworks: set[str] = field(default_factory=set)
    imports: list[tuple[ir.Import, Scope]] = field(default_factory=list)
    registered: list[Registration] = field(default_factory=list)
    """What decorators of the module may put into registries."""
    path: str = ""
    trained: Callable[[str], TrainingUse] = trained_out_of_sight
    """Whether the project trains something through what the file defines under a name."""
    unrun: Callable[[str], Unrun] = run_out_of_sight
    """What nothing in sight runs of that which the file defines under a name."""
    operations: Mapping[str, Signature] = field(default_factory=dict)
    """By qualified name: the own functions of which the user said what they compute."""
    _called_by_object: dict[str, list[Scope]] = field(default_factory=dict)
    _functions_known: int = 0
    _references: dict[int, list[Term]] = field(default_factory=dict)
    _consumers: dict[int, list[Term]] = field(default_factory=dict)
    _referring_known: int = 0
    _made_known: int = 0
    _selections: dict[int, set[int]] = field(default_factory=dict)
    _selections_known: int = 0
    entered: dict[int, list[tuple[Term, ...]]] = field(default_factory=dict)
    """By key of what was made within contexts: these, each time that it was."""
    cast_perhaps: set[int] = field(default_factory=set)
    """Keys of what a region casts only if a variable says so."""
    reaching: dict[object, dict[int, bool]] = field(default_factory=dict)
    """By a question about what is made of a term: the answers, by the term's key."""

    @property
    def references(self) -> Mapping[int, list[Term]]:
        """By `id` of a defining term: the references that reach it."""
        if self._referring_known < len(self.referring):
            for term in self.referring[self._referring_known :]:
                self._references.setdefault(id(term.operands[0]), []).append(term)
            self._referring_known = len(self.referring)
        return self._references

    @property
    def consumers(self) -> Mapping[int, list[Term]]:
        """By key of a term: the terms made from it."""
        if self._made_known < len(self.made):
            consumers = self._consumers
            for term in self.made[self._made_known :]:
                for child in term.children():
                    if child.key in consumers:
                        consumers[child.key].append(term)
                    else:
                        consumers[child.key] = [term]
            self._made_known = len(self.made)
        return self._consumers

    @property
    def selections(self) -> Mapping[int, set[int]]:
        """By key of a term: the `id` of each `where` whose condition has it in it."""
        if self._selections_known < len(self.made):
            for term in self.made[self._selections_known :]:
                if term.operation.name == "where":
                    for part in walk(term.operands[0]):
                        self._selections.setdefault(part.key, set()).add(id(term))
            self._selections_known = len(self.made)
        return self._selections

    @property
    def called_by_object(self) -> Mapping[str, list[Scope]]:
        """By name of a class of this file: the method that calling one of its objects runs."""
        if self._functions_known != len(self.functions):
            self._functions_known = len(self.functions)
            self._called_by_object = {}
            for scope in self.functions.values():
                parent = scope.parent
                if parent and parent.kind == "class" and scope.name in ir.CALLED_BY_NAME:
                    self._called_by_object.setdefault(parent.name, []).append(scope)
        return self._called_by_object

    def passed(self, parameter: Term) -> list[tuple[Term, tuple[Fact, ...]]]:
        """All that a parameter can be, if every call of its function is in sight; else nothing."""
        function, name = self.parameters.get(parameter.key, (0, ""))
        scope = self.functions.get(function)
        if scope is None or not scope.is_private:
            return []
        bindings = self.bindings.get(function, [])
        if len(bindings) != max(len(self.callers.get(function, ())), 1):
            return []  # it is also handed on as a value
        if scope.name == "<lambda>" and self.consumers.get(function):
            return []
        default = parameter.operands[0] if parameter.operands else None
        found = [(binding.arguments.get(name, default), binding.facts) for binding in bindings]
        known = [(term, facts) for term, facts in found if term is not None]
        return known if len(known) == len(found) else []


EMPTY: Final = State(Environment())
