"""Statements in program order: which definition reaches which use, and what is known there.

Branches join, loops forget what they assign, functions are evaluated once on their own and inlined
at their calls. No bound is exceeded silently: what is too deep or too long is opaque.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from mllint_nan.flow.arguments import bind_arguments, keeps_function, starred
from mllint_nan.flow.closures import held_at_all
from mllint_nan.flow.containers import is_dict, is_none, is_record
from mllint_nan.flow.conversions import format_of_input
from mllint_nan.flow.environment import Environment
from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.flow.foreign import MEMBERS_MOST
from mllint_nan.flow.formats import sets_format
from mllint_nan.flow.modules import Project, may_be_of_project
from mllint_nan.flow.queries import binds, is_float
from mllint_nan.flow.rebound_names import note_replaced
from mllint_nan.flow.registries import gives_back, note_registered
from mllint_nan.flow.several_callees import CALLEES_MOST
from mllint_nan.flow.state import Analysis, Blueprint, Closure, Deferred, Scope, State
from mllint_nan.flow.summaries import (
    OwnClass,
    decorator_made_by,
    is_simple,
    keeps_what_is_given,
    summary,
)
from mllint_nan.flow.unrecorded import stops_gradients, unrecorded
from mllint_nan.flow.visits import Visits, scope_seen_by
from mllint_nan.frameworks import registry
from mllint_nan.ir import program as ir
from mllint_nan.ir.blocks import statements
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.term import (
    FUNCTION,
    INPUT,
    OPAQUE,
    QUALIFIED,
    Term,
    held,
    number_of,
    peel,
    qualified,
)

_PLAIN: Final = (ir.Constant, ir.Unary, ir.Binary, ir.Name, ir.Attribute)
"""The kinds of expressions that are evaluated as defaults."""
_NUMBERS: Final = frozenset(("builtins.int", "builtins.float", "builtins.bool"))
_TENSOR_TYPES: Final = frozenset(("Tensor", "ndarray", "Array", "FloatTensor", "LongTensor"))
_PLAIN_DECORATORS: Final = frozenset(
    ("builtins.staticmethod", "builtins.classmethod", "builtins.property", "abc.abstractmethod")
)
_PLAIN_MODULES: Final = ("functools.", "equinox.", "flax.")
_RETURNS_MOST: Final = 8
"""In how many places an inlined function may return."""


def analyse(program: ir.Block) -> Analysis:
    """Evaluate a whole module."""
    interpreter = Interpreter()
    interpreter.run_module(program)
    return interpreter.analysis


class Interpreter(Visits):
    """Evaluates statements; `flows_on` is false once a path has left the block."""

    __slots__ = ("_end", "_passed_over", "_stars")

    def __init__(self, project: Project | None = None) -> None:
        super().__init__(Analysis(), Builder(), project)
        self.state = State(Environment())
        self.jumped = []
        self.unnamed = {}
        self._stars: list[str] = []
        self._end: Environment | None = None
        """The definitions that reach the end of the module."""
        self._passed_over: list[Deferred] = []
        """The functions that are not evaluated in their own right."""

    def run_module(self, program: ir.Block) -> None:
        imports = []
        for statement in statements(program):
            if type(statement) is ir.Global:
                self.volatile.update(statement.names)
            elif type(statement) is ir.Import:
                imports.append(statement)
                for _, path in statement.bindings:
                    framework = registry.framework_of(path)
                    if framework is not None:
                        self.analysis.frameworks.add(framework)
        if self.home is None:
            self.analysis.frameworks.update(self.handed_on(program, imports))
            note_replaced(program)
            self.look_outside(program)
        self.block(program)
        self.note_variables()
        self._end = self.scope.final = self.state.environment
        while self.deferred:
            waiting, self.deferred = self.deferred, []
            for one in waiting:
                if self.is_evaluated(one):
                    self._run(one)
                else:
                    self._passed_over.append(one)
        self.visit_again()
        if self.home is not None or self.project is None:
            self.finish()

    def finish(self) -> None:
        """End the evaluation: for a file of a project, once its callers have been evaluated."""
        self.scope.final = None
        if not self.analysis.frameworks:  # the project's functions wrap them
            self.analysis.frameworks.update(
                one.framework for one in self.analysis.made if one.framework not in (None, "math")
            )
        self.let_go()

    def let_go(self) -> None:
        super().let_go()
        for deferred in self._passed_over:
            deferred.blueprint = None

    def is_evaluated(self, deferred: Deferred) -> bool:
        """Whether a function is evaluated in its own right."""
        return True

    # Blocks

    def block(self, statements: ir.Block) -> None:
        for statement in statements:
            if not self.flows_on:
                break
            self.statement(statement)

    def statement(self, statement: ir.Statement) -> None:
        _EXECUTED[type(statement)](self, statement)

    def _return_statement(self, statement: ir.Return) -> None:
        value = statement.value
        given = self.build.constant(None) if value is None else self.evaluate(value)
        if self.state.contexts and self.depth and not self.recording:
            given = unrecorded(self, given) if stops_gradients(self.state.contexts) else given
        self._return(given)
        self.flows_on = False

    def _raise(self, statement: ir.Raise) -> None:
        for child in statement.children:
            self.evaluate(child)
        self.flows_on = False

    def _jump(self, statement: ir.Jump) -> None:
        self.jumped.append(self.state)
        self.flows_on = False

    def _global(self, statement: ir.Global) -> None:
        """Do nothing, as `run_module` has noted the names."""

    # Definitions

    def _import(self, statement: ir.Import) -> None:
        self.analysis.imports.append((statement, self.scope))
        for name, path in statement.bindings:
            if name == "*":
                self._import_star(path)
            else:
                self.notice(path)
                self.bind(name, self.build.leaf(QUALIFIED, path))

    def unbound(self, name: str) -> Term:
        """Return the term of a name without a visible binding, which a star import may bind."""
        term = super().unbound(name)
        for star in self._stars if term.operation is INPUT and not name.startswith("_") else ():
            path = f"{star}{name}" if star.endswith(".") else f"{star}.{name}"
            if self.imported(path) is not None:
                return self.build.leaf(QUALIFIED, path)
        return term

    def own_members(self) -> tuple[Term, ...]:
        bound = [
            term
            for _, term in self.state.environment.outermost.names()
            if (inner := peel(term)).operation is FUNCTION
            or inner.key in self.blueprints
            or (inner.operation is QUALIFIED and may_be_of_project(str(inner.detail)))
        ]
        for star in self._stars:
            bound += self.members_of(self.build.leaf(QUALIFIED, star))
        if len(bound) > MEMBERS_MOST:
            return ()
        return tuple(one for one in bound if self.is_callable(one))

    def _import_star(self, module: str) -> None:
        self._stars.append(module)
        for name in registry.members(module):
            self.bind(name, self.build.leaf(QUALIFIED, f"{module}.{name}"))

    def _function(self, statement: ir.Function) -> None:
        decorators = tuple(self.evaluate(item) for item in statement.decorators)
        for parameter in statement.parameters:
            if parameter.default is not None:
                self.evaluate(parameter.default)
        is_wrapped = not all(map(_keeps_what_it_gives, decorators))
        simple = is_simple(statement, is_wrapped=is_wrapped)
        closure = self.closure_of(statement, self.state.environment, self.scope, simple=simple)
        closure.keeps_calls = all(map(self._keeps_calls, decorators))
        term = self.build.leaf(FUNCTION, closure, site=statement.site, key=closure.key)
        self.bind(statement.name, term)
        given = {parameter.name for parameter in statement.parameters}
        for name in summary(statement).written_into:
            outer = self.state.environment.own(name) if name not in given else None
            if outer is None:
                continue
            is_filled = outer.operation.kind == "constant" and not binds(statement.body, name)
            if is_filled or is_dict(outer) or is_record(outer):
                self.bind(name, self.opaque("update", (outer,), None, framework=outer.framework))
        if self.recording:
            self.define(closure, statement, decorators)
            if decorators and self.scope.kind == "module":
                note_registered(self, statement.decorators, statement.name, term)
        elif self.visiting is not None:
            self.nested.append(closure)

    def _keeps_calls(self, decorator: Term) -> bool:
        """Whether a decorated function is still called with the arguments of its callers."""
        inner = qualified(decorator)
        if inner.operation is OPAQUE and inner.operands:  # made by a call, as `jit(static=0)`
            inner = qualified(inner.operands[0])
        if inner.operation is FUNCTION:
            body = inner.detail.body
            if gives_back(inner.detail):
                return True
            return isinstance(body, tuple) and any(map(_is_wrapper, body))
        path = str(inner.detail) if inner.operation is QUALIFIED else ""
        is_plain = path.startswith(_PLAIN_MODULES) or path in _PLAIN_DECORATORS
        return is_plain or registry.framework_of(path) is not None

    def define(
        self,
        closure: Closure,
        node: ir.Function | ir.Lambda | None = None,
        decorators: tuple[Term, ...] = (),
    ) -> None:
        """Schedule the body of a function for evaluation in its own right."""
        scope = Scope(
            closure.name,
            "function",
            closure.scope,
            decorators,
            tuple(parameter.name for parameter in closure.parameters),
            node,
            key=closure.key,
        )
        if closure.scope.kind != "class" and not closure.is_entered:
            scope.is_entered = False
        self.analysis.functions[closure.key] = scope
        deferred = Deferred(closure, scope, self.blueprint, self.state)
        if self.blueprint is not None and closure.name == ir.FIRST_METHODS[0]:
            self.blueprint.deferred = deferred
        self.deferred.append(deferred)

    def after(self, deferred: Deferred) -> Environment | None:
        """Return the environment at a function's end, if what encloses it has been evaluated."""
        around = scope_seen_by(deferred.closure)
        if (self._end if around.kind == "module" else around.final) is not None:
            saved = (self.recording, self.depth, self.jumped)
            self.recording, self.depth, self.jumped = True, 0, []
            self._run(deferred)
            self.recording, self.depth, self.jumped = saved
        return deferred.scope.final

    def _run(self, deferred: Deferred) -> None:
        """Evaluate a function in its own right, if that has not happened yet."""
        if deferred.is_begun:
            return
        deferred.is_begun = True
        closure, scope = deferred.closure, deferred.scope
        parent = self._environment_of(closure)
        saved = (self.state, self.scope, self.flows_on, self.returned)
        outer = self.blueprint
        self.state = deferred.state.where(Environment(parent))
        self.scope, self.flows_on, self.returned = scope, True, []
        self.blueprint = deferred.blueprint
        since = len(self.analysis.occurrences)
        self.bind_parameters(closure)
        self.run_body(closure)
        self.note_visit(deferred, since)
        scope.final = self.state.environment
        scope.returned = tuple(term for term, _ in self.returned)
        if deferred.blueprint is not None and closure.scope.kind == "class":
            self.evaluated_methods.setdefault(closure.scope, []).append(
                (deferred, deferred.blueprint)
            )
        self.state, self.scope, self.flows_on, self.returned = saved
        self.blueprint, deferred.blueprint = outer, None

    def _environment_of(self, closure: Closure) -> Environment:
        """Return the definitions around a body when it is called: those at the end of its scope."""
        scope = scope_seen_by(closure)
        if scope.kind == "module" and self._end is not None:
            return self._end
        if scope.final is None:
            return closure.environment
        # A name that is bound again before the call may have either value.
        environment = Environment(closure.environment)
        for name in scope.final.changed_since(closure.environment):
            options = tuple(
                option
                for known in (closure.environment, scope.final)
                if (option := known.own(name)) is not None
            )
            environment = environment.bind(name, self.choice(options, None, "loop"))
        return environment

    def bind_parameters(self, closure: Closure) -> None:
        is_call = closure.name == "call"
        for place, parameter in enumerate(closure.parameters):
            if not parameter.name:
                continue
            default = self._default_of(parameter)
            operands = (default,) if default is not None else ()
            key = self.build.fresh()
            self.analysis.parameters[key] = (closure.key, parameter.name)
            found = format_of_input(self, self.blueprint) if place == 1 and is_call else None
            settings = {"dtype": self.build.constant(found)} if found is not None else {}
            written = parameter.annotation
            annotation = self.type_named(written) if written is not None else None
            is_text = isinstance(written, ir.Constant)
            framework = _annotated(annotation) if annotation is not None and not is_text else None
            term = Term(INPUT, operands, key, None, settings, framework, parameter.name)
            self.set_default(term)
            self.note_parameter(term, parameter, closure, annotation)
            self.bind(parameter.name, term)

    def _default_of(self, parameter: ir.Parameter) -> Term | None:
        """Return the default of a parameter if it is a literal or evaluates to a number."""
        written = parameter.default
        if written is None or not (isinstance(written, _PLAIN) or is_float(written)):
            return None
        default = peel(self.quietly(written))
        is_literal = isinstance(written, (ir.Constant, ir.Unary, ir.Call))
        return default if is_literal or number_of(default) is not None else None

    def run_body(self, closure: Closure) -> None:
        if isinstance(closure.body, tuple):
            self.block(closure.body)
        else:
            self._return(self.evaluate(closure.body))

    def _return(self, term: Term) -> None:
        self.escape(term)
        self.returned.append((term, self.state.facts))

    def apply_closure(self, closure: Closure, arguments: Arguments) -> Term | None:
        """Return what a call gives: a choice if the function returns in several places.

        `None` if the function is not that simple, or may end without returning a value.
        """
        bound = bind_arguments(closure, arguments)
        if bound is None:
            return None
        self.depth += 1
        self.budget -= 1 + (len(closure.body) if isinstance(closure.body, tuple) else 0)
        try:
            facts = self.state.facts if self.visiting is not None else ()
            around = Environment(self.surroundings(closure))
            with self.apart(State(around, facts, self.state.contexts)):
                self.scope = self._scope_called(closure)
                for parameter in closure.parameters:
                    if parameter.star and parameter.name:
                        self.bind(parameter.name, starred(self, closure, arguments, parameter))
                    elif parameter.star:
                        continue
                    elif parameter.name in bound:
                        self.bind(parameter.name, held(bound[parameter.name]))
                    elif arguments.others:
                        self.bind(parameter.name, self._left_open(parameter))
                    elif parameter.default is not None:
                        self.bind(parameter.name, peel(self.evaluate(parameter.default)))
                    else:
                        return None
                self.run_with_nested(closure)
                ends = [known for _, known in self.returned]
                ends += [self.state.facts] if self.flows_on else []
                self.known_at_end = held_at_all(ends, facts)
                self.formats_set = tuple(filter(sets_format, self.state.contexts))
                is_left_open = self.flows_on and isinstance(closure.body, tuple)
                return self._one_of_returned(is_left_open)
        finally:
            self.depth -= 1

    def _left_open(self, parameter: ir.Parameter) -> Term:
        """Return the value of a parameter that starred arguments may give, or leave as it is."""
        if parameter.default is None:
            return self.opaque("rest", (), None)
        default = peel(self.evaluate(parameter.default))
        return self.build.leaf(INPUT, parameter.name, (default,), key=self.build.fresh())

    def _scope_called(self, closure: Closure) -> Scope:
        known = self.analysis.functions.get(closure.key) if self.visiting is not None else None
        return known or Scope(closure.name, "function", closure.scope)

    def _one_of_returned(self, is_left_open: bool) -> Term | None:
        """Return a choice of the returned values; `None` if there are too many or one may be None.

        If some of them are callable, a None among them is ignored: it is not called.
        """
        terms = tuple(term for term, _ in self.returned)
        if len(terms) < 2 and not is_left_open:
            return terms[0] if terms else None
        may_be_none = is_left_open or any(map(is_none, terms))
        if may_be_none or len(terms) > _RETURNS_MOST:
            called = any(map(self.is_callable, terms)) and len(terms) <= CALLEES_MOST
            if not called:
                return None
        return self.choice(terms, None, "return", tuple(facts for _, facts in self.returned))

    def _class(self, statement: ir.Class) -> None:
        outer_state, outer_scope, outer = self.state, self.scope, self.blueprint
        bases = tuple(self.evaluate(base) for base in statement.bases)
        scope = Scope(statement.name, "class", outer_scope, node=statement, bases=bases)
        blueprint = Blueprint(OwnClass(statement), outer_state.environment, scope, bases=bases)
        self.scope, self.blueprint = scope, blueprint
        # Methods do not see the names of the class body, so it gets a scope of its own.
        self.state = self.state.where(Environment(self.state.environment))
        for item in statement.body:
            if isinstance(item, ir.Function):
                decorators = tuple(self.evaluate(one) for one in item.decorators)
                if self.recording:
                    method = self.own_method(blueprint, item)
                    method.keeps_calls = all(map(self._keeps_calls, decorators))
                    self.define(method, item, decorators)
            else:
                self.statement(item)
        self.state, self.scope, self.blueprint = outer_state, outer_scope, outer
        value = self.class_value(blueprint)
        self.bind(statement.name, value)
        if statement.decorators and self.recording and outer_scope.kind == "module":
            note_registered(self, statement.decorators, statement.name, value)


def _annotated(annotation: Term) -> str | None:
    """Return the framework that an annotation shows: "math" for a number."""
    inner = peel(annotation)
    if inner.operation is not QUALIFIED:
        return None
    path = str(inner.detail)
    if path in _NUMBERS:
        return "math"
    return registry.framework_of(path) if path.rpartition(".")[2] in _TENSOR_TYPES else None


def _keeps_what_it_gives(decorator: Term) -> bool:
    """Whether a function with this decorator still computes what its body does."""
    inner = qualified(decorator)
    own = inner.detail if inner.operation is FUNCTION else None
    if inner.operation is OPAQUE and inner.operands:
        factory = qualified(inner.operands[0])
        own = decorator_made_by(factory.detail) if factory.operation is FUNCTION else None
    return keeps_function(decorator) or (own is not None and keeps_what_is_given(own))


def _is_wrapper(statement: ir.Statement) -> bool:
    """Whether a statement defines a wrapper, which is decorated by `@functools.wraps(f)`."""
    match statement:
        case ir.Function(_, _, _, _, decorators):
            calls = (one.callee for one in decorators if isinstance(one, ir.Call))
            names = (one for one in calls if isinstance(one, (ir.Name, ir.Attribute)))
            return any(one.name == "wraps" for one in names)
        case _:
            return False


_EXECUTED: Final[Mapping[type[Any], Callable[[Interpreter, Any], None]]] = {
    ir.Assign: Interpreter._assign,
    ir.Augment: Interpreter._augment,
    ir.Evaluate: Interpreter._evaluate_statement,
    ir.Return: Interpreter._return_statement,
    ir.Raise: Interpreter._raise,
    ir.Assert: Interpreter._assert,
    ir.Jump: Interpreter._jump,
    ir.Delete: Interpreter._delete_statement,
    ir.Import: Interpreter._import,
    ir.Global: Interpreter._global,
    ir.If: Interpreter._if,
    ir.While: Interpreter._while,
    ir.For: Interpreter._for,
    ir.With: Interpreter._with,
    ir.Try: Interpreter._try,
    ir.Match: Interpreter._match,
    ir.Function: Interpreter._function,
    ir.Class: Interpreter._class,
}
