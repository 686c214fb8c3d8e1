"""The state at one point of a program, and what the analysis records about a whole file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from mllint_nan.flow.environment import Environment
from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.flow.modules import ClassText, Module
from mllint_nan.flow.ownership import Origin
from mllint_nan.frameworks.signature import Signature
from mllint_nan.ir import program as ir
from mllint_nan.ir.term import Fact, Term, walk
from mllint_nan.training import TrainingUse, Unrun, run_out_of_sight, trained_out_of_sight

_KeywordsGiven = tuple[Mapping[str, Term], tuple[Fact, ...]]


@dataclass(slots=True, eq=False, init=False)
class State:
    environment: Environment
    facts: tuple[Fact, ...]
    contexts: tuple[Term, ...]
    """The contexts that the enclosing `with` statements have entered, outermost first."""

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
        """This state with other facts."""
        return State(self.environment, facts, self.contexts)

    def within(self, contexts: tuple[Term, ...]) -> State:
        """This state with other contexts."""
        return State(self.environment, self.facts, contexts)

    def where(self, environment: Environment) -> State:
        """This state with other definitions."""
        return State(environment, self.facts, self.contexts)

    def facts_since(self, before: State) -> tuple[Fact, ...]:
        """The facts that this path has added to those of `before`, the state where it began."""
        facts, known = self.facts, before.facts
        if facts is known:
            return ()
        count = len(known)
        if not count or (
            len(facts) >= count and facts[0] is known[0] and facts[count - 1] is known[-1]
        ):
            return facts[count:]  # no fact was forgotten in between
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
    """The definitions at the end of its body, once that has been evaluated."""
    returned: tuple[Term, ...]
    """The values that its `return` statements return, once its body has been evaluated."""
    key: int
    """The key of the function as a value, to find what it is passed to."""
    assigned: set[str]
    """Every name that the scope binds anywhere, so that a fix can choose a new one."""
    attributes: dict[str, list[Term]]
    """Of a class, by attribute of `self`: all values that its methods store in it."""
    written: dict[str, list[tuple[tuple[Term, ...], Term]]]
    """Of a class, by attribute: what methods write at which indices, or add to all (no index)."""
    changing: set[str]
    """Of a class: the attributes that methods other than its constructor assign."""
    stores: set[str]
    """The attributes of `self` that the function itself assigns."""
    inherited: dict[str, Scope]
    """Of a class, by attribute that it does not assign itself: the base class that does."""
    made_with: list[Mapping[str, Term] | None]
    """Of a class: the constructor's arguments in each call in the file; `None` if not known."""
    always_made_with: tuple[Mapping[str, Term] | None, ...]
    """The same for all visible calls, once those in other files have been looked up."""
    is_elsewhere: bool
    """Whether it is a class of another file, of which only the first methods are evaluated."""
    trains: bool
    """Whether something in it takes gradients or passes a loss to an optimizer."""
    trains_here: bool
    """Whether its own statements do so, not only those of functions or classes in it."""
    decorated: tuple[Term, ...]
    """Its decorators and those of the enclosing scopes, innermost first."""
    is_entered: bool
    """Whether calls of it, and of the functions around it, are evaluated with their arguments."""
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
        self.final, self.returned = None, ()
        self.key = key
        self.assigned = set()
        self.attributes, self.written = {}, {}
        self.changing, self.stores = set(), set()
        self.inherited, self.made_with = {}, []
        self.always_made_with = ()
        self.is_elsewhere, self.trains, self.trains_here = is_elsewhere, False, False
        self.decorated = (*decorators, *(parent.decorated if parent is not None else ()))
        self.is_entered = parent is None or parent.is_entered
        self._outer_class = parent.owner if parent is not None else None

    @property
    def owner(self) -> Scope | None:
        """The class that `self` refers to here: the scope itself, or the nearest one around it."""
        return self if self.kind == "class" else self._outer_class  # avoids a reference cycle

    @property
    def is_private(self) -> bool:
        """Whether it is local, a lambda or named `_f`: a function that no other file calls."""
        if self.kind != "function":
            return False
        is_local = self.parent is not None and self.parent.kind == "function"
        is_dunder = self.name.startswith("__") and self.name.endswith("__")
        return is_local or self.name == "<lambda>" or (self.name.startswith("_") and not is_dunder)

    @property
    def definition(self) -> str:
        """The function, method or class of the module that contains it; "" at the top level."""
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
    """A place that names a function: its contexts, and whether `self.training` is false there."""

    scope: Scope
    contexts: tuple[Term, ...]
    is_evaluating: bool


@dataclass(slots=True, eq=False)
class Binding:
    """The arguments of a call by parameter, the facts that hold there, and the class around it."""

    arguments: Mapping[str, Term]
    facts: tuple[Fact, ...]
    owner: Scope | None = None


@dataclass(frozen=True, slots=True)
class CallInSight:
    """A call with whose arguments a body is evaluated once more, or any that uses the defaults."""

    site: ir.Site
    """The place of the call; its row, if it is in another file, whose path is `file`."""
    caller: Scope
    file: str = ""
    through: tuple[str, ...] = ()
    """The functions that pass on its arguments; the last one is the function that is judged."""
    is_by_defaults: bool = False
    passes_models: bool = False
    setting: str = ""
    """What other code sets, for that value: `self.floor = 0.0`."""


@dataclass(slots=True, eq=False, init=False)
class Occurrence:
    """A canonical operation at its place, with the state and the scope there."""

    term: Term
    state: State
    scope: Scope
    call: CallInSight | None
    """The call with whose arguments it was evaluated, if any."""

    def __init__(
        self, term: Term, state: State, scope: Scope, call: CallInSight | None = None
    ) -> None:
        self.term = term
        self.state = state
        self.scope = scope
        self.call = call


@dataclass(slots=True, eq=False, repr=False)
class Closure:
    """A function of this file as a value; its `repr` does not contain its body."""

    name: str
    parameters: tuple[ir.Parameter, ...]
    body: ir.Block | ir.Expression
    environment: Environment
    scope: Scope
    key: int
    simple: bool
    """Whether its body is short enough for its calls to be inlined."""
    is_check: bool = False
    """Whether it is short, and called for the errors that it raises."""
    is_property: bool = False
    """Whether reading its name calls it."""
    written_into: tuple[str, ...] = ()
    """The variables of which an inlined call changes parts."""
    returns: ir.Expression | None = None
    """The annotation of its return value."""
    given: Arguments | None = None
    """The arguments that precede those of every call: those of `functools.partial`."""
    keeps_calls: bool = True
    """Whether all its decorators are known to pass on the arguments of its callers."""
    makes_own: bool = False
    """Whether it is a class method that returns objects of its class."""
    takes_object: bool = False
    """Whether it is a method without decorators: accessed on an object, it is bound to that."""
    computes: bool = True
    """Whether its body computes something itself, not only by the functions that it calls."""
    filled: tuple[str, ...] = ()
    """The variables, parameters or not, into whose elements it writes, whatever their type."""
    augmented: tuple[str, ...] = ()
    """The parameters that it augments (`p += x`): if they are tensors, it writes into them."""

    @property
    def is_entered(self) -> bool:
        """Whether its body is evaluated for any call of it."""
        return self.simple or self.keeps_calls or self.is_check


@dataclass(slots=True, eq=False)
class Deferred:
    """A function that is evaluated on its own, once the code around it has run to its end."""

    closure: Closure
    scope: Scope
    blueprint: Blueprint | None
    """Its class, until the function has been evaluated."""
    state: State
    """The state at its definition; its facts hold of the same values at any call."""
    is_begun: bool = False


@dataclass(slots=True, eq=False)
class Blueprint:
    """A class as a value: its methods and attributes by name, looked up lazily."""

    text: ClassText
    environment: Environment
    """The names that are visible around its text."""
    scope: Scope
    module: Module | None = None
    """The file of the project that defines it, if that is another one."""
    bases: tuple[Term, ...] | None = None
    """Its base classes; `None` until they are needed."""
    methods: dict[str, Closure | None] = field(default_factory=dict)
    """By name: the methods that have been looked up so far."""
    is_computed_with: bool | None = None
    """Whether it defines arithmetic methods; `None` until that is needed."""
    attributes: Mapping[str, Term] | None = None
    """Stateless values that `self.name` has in the whole class; `None` until they are needed."""
    shared: dict[str, Term | None] = field(default_factory=dict)
    """By attribute: the value that its body assigns, as far as looked up so far."""
    annotated: dict[str, Blueprint | None] = field(default_factory=dict)
    """By attribute: the class that its annotation names, as far as looked up so far."""
    constructor: int = 0
    """The key of the constructor, whose parameters the attributes may hold."""
    deferred: Deferred | None = None
    """Its constructor, if that is evaluated on its own."""
    hooks: tuple[str, ...] | None = None
    """The methods that a trainer may call with data; `None` until they are needed."""
    handed_up: dict[Scope, Arguments] = field(default_factory=dict)
    """By base class: the arguments that its constructor passes to that of the base class."""


@dataclass(slots=True, eq=False)
class Instance:
    """An object whose construction is visible: its class, and the constructor's arguments."""

    blueprint: Blueprint
    given: Arguments


@dataclass(slots=True, eq=False)
class Links:
    """How values flow on without being operands of a computation."""

    made: int
    """The number of terms in `Analysis.made` when the links were found."""
    joined: dict[int, list[Term]]
    """By key of a term: the choices and displays that contain it."""
    read: dict[str, set[int]]
    """By name of an attribute: the keys of the terms that read it."""
    called: dict[str, list[Term]]
    """By name of a function or method: its calls that were not inlined."""


@dataclass(slots=True, eq=False)
class Registration:
    """A function or class of the file that a decorator may put into a registry."""

    registry: Term  # the first name of the decorator: a function, an object, or a path
    key: str
    member: Term


@dataclass(slots=True, eq=False)
class Analysis:
    """Everything that the analysis records about one file."""

    occurrences: list[Occurrence] = field(default_factory=list)
    effects: list[Occurrence] = field(default_factory=list)
    """The calls for their side effects, in the order in which a function makes them."""
    visited: list[Occurrence] = field(default_factory=list)
    """Operations that were evaluated once more with the arguments of visible calls, in order."""
    divisions: dict[int, list[Occurrence]] = field(default_factory=dict)
    """By key of a divisor, behind views: the divisions by it."""
    referring: list[Term] = field(default_factory=list)
    """The references of the file; the operand of each is the term that defines it."""
    definitions: dict[int, tuple[ir.Assign, Scope]] = field(default_factory=dict)
    """By `id` of a defining term: the assignment of it to a variable, and the scope."""
    callers: dict[int, list[Caller]] = field(default_factory=dict)
    """By key of a function of this file: the places that name it."""
    bindings: dict[int, list[Binding]] = field(default_factory=dict)
    """By key of a function of this file: its calls, inlined or not."""
    parameters: dict[int, tuple[int, str]] = field(default_factory=dict)
    """By key of a parameter: the key of its function, and its name."""
    functions: dict[int, Scope] = field(default_factory=dict)
    """By key of a function of this file: its own scope."""
    classes: dict[int, Scope] = field(default_factory=dict)
    """By key of an object whose class is visible: the scope of that class."""
    handed_as: dict[int, set[str]] = field(default_factory=dict)
    """By key of a term: the keywords under which opaque calls have it as an argument."""
    returning: dict[int, list[Scope]] = field(default_factory=dict)
    """By key of a value: the functions that return it; filled on first use."""
    returning_noted: int = 0
    """The number of functions when `returning` was filled."""
    switched_on: dict[int, frozenset[str]] = field(default_factory=dict)
    """By key of an opaque call: the keywords that are set to `True`."""
    handed_with: dict[int, list[_KeywordsGiven]] = field(default_factory=dict)
    """By key of a function of this file: for each call that takes it as an argument, the keyword
    arguments named like its parameters, and the facts that hold there."""
    kept_where: dict[int, tuple[Fact, ...]] = field(default_factory=dict)
    """By key of a parameter: the facts that hold where the constructor stores it."""
    origins: dict[int, Origin] = field(default_factory=dict)
    """By key of a parameter, a result or a class test: whose object that shows it to be."""
    calls: dict[int, list[Term]] = field(default_factory=dict)
    """By key of a function of this file: its calls that were inlined."""
    carried: dict[int, tuple[Term, tuple[Fact, ...]]] = field(default_factory=dict)
    """By key of a loop-carried value: its value in the next round, and the facts there."""
    made: list[Term] = field(default_factory=list)
    """The terms of the file that are made from others."""
    written_at: dict[int, list[tuple[Term, ...]]] = field(default_factory=dict)
    """By key of an array that has been written into: the indices of each write."""
    thinned: dict[int, tuple[Term, ...]] = field(default_factory=dict)
    """By key of a list made by a comprehension with conditions or several loops: the conditions."""
    escaped: set[int] = field(default_factory=set)
    """Keys of terms that are returned, stored, or passed to opaque calls."""
    options_escaped: set[int] = field(default_factory=set)
    """Keys of the options of choices that escape."""
    conditions: set[int] = field(default_factory=set)
    """Keys of terms that are tested as they are: by `if`, `while`, `assert` and the like."""
    restrained: dict[int, str] = field(default_factory=dict)
    """By key of a parameter or variable: what freezes it or keeps it within bounds."""
    bounded: dict[str, list[Term]] = field(default_factory=dict)
    """By name of a variable or attribute: the terms written back to keep it within bounds."""
    assigned: set[str] = field(default_factory=set)
    """Names of variables and attributes into which the program itself writes new values."""
    updated: set[int] = field(default_factory=set)
    """Keys of terms that an optimizer is given, or by which something is differentiated."""
    steps: bool = False
    """Whether something in the file moves parameters against their gradients."""
    links: Links | None = None  # until they are needed
    frameworks: set[str] = field(default_factory=set)
    imports: list[tuple[ir.Import, Scope]] = field(default_factory=list)
    registered: list[Registration] = field(default_factory=list)
    """The definitions of the module that its decorators may put into registries."""
    path: str = ""
    trained: Callable[[str], TrainingUse] = trained_out_of_sight
    """Tells, by the name of a definition of the file, whether the project trains through it."""
    unrun: Callable[[str], Unrun] = run_out_of_sight
    """Tells, by the name of a definition of the file, why no visible code runs it."""
    operations: Mapping[str, Signature] = field(default_factory=dict)
    """By qualified name: the user's own functions whose operation the settings declare."""
    _called_by_object: dict[str, list[Scope]] = field(default_factory=dict)
    _functions_known: int = 0
    _references: dict[int, list[Term]] = field(default_factory=dict)
    _consumers: dict[int, list[Term]] = field(default_factory=dict)
    _referring_known: int = 0
    _made_known: int = 0
    _selections: dict[int, set[int]] = field(default_factory=dict)
    _selections_known: int = 0
    entered: dict[int, list[tuple[Term, ...]]] = field(default_factory=dict)
    """By key of a term that was made within contexts: those contexts, each time it was made."""
    cast_perhaps: set[int] = field(default_factory=set)
    """Keys of terms that a region casts only if a variable says so."""
    reaching: dict[object, dict[int, bool]] = field(default_factory=dict)
    """By a question about the terms made from a term: the known answers, by that term's key."""

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
        """By key of a term: the `id` of each `where` whose condition contains it."""
        if self._selections_known < len(self.made):
            for term in self.made[self._selections_known :]:
                if term.operation.name == "where":
                    for part in walk(term.operands[0]):
                        self._selections.setdefault(part.key, set()).add(id(term))
            self._selections_known = len(self.made)
        return self._selections

    @property
    def called_by_object(self) -> Mapping[str, list[Scope]]:
        """By name of a class of this file: the methods that calling one of its objects runs."""
        if self._functions_known != len(self.functions):
            self._functions_known = len(self.functions)
            self._called_by_object = {}
            for scope in self.functions.values():
                parent = scope.parent
                if parent and parent.kind == "class" and scope.name in ir.CALLED_BY_NAME:
                    self._called_by_object.setdefault(parent.name, []).append(scope)
        return self._called_by_object

    def passed(self, parameter: Term) -> list[tuple[Term, tuple[Fact, ...]]]:
        """All values of a parameter, if every call of its function is visible; else none."""
        function, name = self.parameters.get(parameter.key, (0, ""))
        scope = self.functions.get(function)
        if scope is None or not scope.is_private:
            return []
        bindings = self.bindings.get(function, [])
        if len(bindings) != max(len(self.callers.get(function, ())), 1):
            return []  # it is also passed on as a value
        if scope.name == "<lambda>" and self.consumers.get(function):
            return []
        default = parameter.operands[0] if parameter.operands else None
        found = [(binding.arguments.get(name, default), binding.facts) for binding in bindings]
        known = [(term, facts) for term, facts in found if term is not None]
        return known if len(known) == len(found) else []


EMPTY: Final = State(Environment())
