"""Statements without branches: assignments, deletions, assertions and calls for their effect.

Assignments are strong updates where the place is known, and weak ones elsewhere: Chase, Wegman and
Zadeck, "Analysis of pointers and structures" (PLDI 1990).
"""

from __future__ import annotations

from typing import Final

from mllint_nan.flow.checks import asserted
from mllint_nan.flow.containers import (
    ELEMENT,
    NAMED_TUPLE,
    has_all,
    is_container,
    is_dict,
    is_display,
    is_record,
    with_key_changed,
)
from mllint_nan.flow.effects import note_patch
from mllint_nan.flow.expressions import BINARY
from mllint_nan.flow.formats import sets_format
from mllint_nan.flow.masks import mask_of
from mllint_nan.flow.modules import Project
from mllint_nan.flow.origins import Origins
from mllint_nan.flow.overwritten import dead_stores
from mllint_nan.flow.piecewise_sigmoids import sigmoid_of_halves
from mllint_nan.flow.precision import layer_listed
from mllint_nan.flow.queries import place_path
from mllint_nan.flow.state import Analysis
from mllint_nan.flow.storage import is_tensor, path_of, roots
from mllint_nan.flow.trained import is_made, makes_parameter
from mllint_nan.flow.writing import forget_aliases, forget_sharing, write_into
from mllint_nan.ir import program as ir
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.term import (
    CHOICE,
    INPUT,
    OPAQUE,
    REFERENCE,
    SEQUENCE,
    Term,
    constant_of,
    held,
    peel,
    walk,
)

_SWITCHES: Final = frozenset(("call torch.set_grad_enabled",))
"""Calls that set for all that follows what their context manager sets for its block."""

_OF_LOOPS: Final = ("loop", "exit")
"""Choices between what a loop changes and what was there before it."""

_ELEMENTS: Final = frozenset(("flat", "real", "imag"))
"""Attributes whose assignment writes into the array."""

_IMMUTABLE: Final = frozenset(("jax", "tensorflow", "keras"))
"""The frameworks whose arrays are immutable: `x += y` makes a new one."""


class Assignments(Origins):
    """Evaluates statements without branches."""

    __slots__ = ("_dead",)

    def __init__(self, analysis: Analysis, builder: Builder, project: Project | None) -> None:
        super().__init__(analysis, builder, project)
        self._dead: dict[ir.Function, frozenset[int]] = {}
        """By method: the targets of its dead stores."""

    def _assign(self, statement: ir.Assign) -> None:
        term = self.evaluate(statement.value)
        if statement.annotated_as is not None:
            self.note_type(term, statement.annotated_as)
        self.learn(statement.value)
        self._define(statement, term)
        for target in statement.targets:
            self.assign(target, term)

    def _evaluate_statement(self, statement: ir.Evaluate) -> None:
        self._evaluate_alone(statement.value)

    def _assert(self, statement: ir.Assert) -> None:
        self.assume(self.evaluate(statement.test), True)

    def _delete_statement(self, statement: ir.Delete) -> None:
        for target in statement.targets:
            self._delete(target)

    def _delete(self, target: ir.Target) -> None:
        match target:
            case ir.Name(_, name):
                self.bind(name, self.build.leaf(INPUT, name, key=self.build.fresh()))
            case ir.Subscript():
                self.assign(target, self.build.constant(None))
            case ir.Targets(elements):
                for element in elements:
                    self._delete(element)
            case _:
                pass

    def _evaluate_alone(self, value: ir.Expression) -> None:
        grown = self._growing(value)
        term = self.evaluate(value)
        self.learn(value)
        self.escape(term)
        if term.detail in _SWITCHES or sets_format(term):
            self.state = self.state.within((*self.state.contexts, term))
        for test in asserted(self.build, term):
            self.assume(test, True)
        if grown is not None and peel(term).operands:
            path, listed, method = grown
            element = peel(term).operands[-1]
            is_known = method != "insert" or (is_display(listed) and not peel(listed).operands)
            elements = peel(element).operands if method == "extend" else (element,)
            is_known = is_known and (method != "extend" or is_display(element))
            extended = self.grown(listed, elements) if is_known else None
            if extended is not None:
                self.bind(path, extended)
            elif is_container(listed):
                self.bind(path, self.forgotten(peel(listed)))

    def _growing(self, value: ir.Expression) -> tuple[str, Term, str] | None:
        """The variable to which a call adds elements, its value before, and the method."""
        match value:
            case ir.Call(_, ir.Attribute(_, base, method), arguments):
                count = 1 if method == "extend" else ir.APPENDING.get(method)
                if len(arguments) != count or arguments[-1].keyword or arguments[-1].star:
                    return None
                path = place_path(base)
                listed = self.state.environment.lookup(path) if path else None
                return (path, listed, method) if listed is not None else None
            case _:
                return None

    def _define(self, statement: ir.Assign, term: Term) -> None:
        if not self.recording or len(statement.targets) != 1:
            return
        if isinstance(statement.targets[0], ir.Name):
            self.analysis.definitions[id(peel(term))] = (statement, self.scope)

    def _freeze(self, owner: Term) -> None:
        """Record what `p.requires_grad = False` freezes, also for `p` in `self.parameters()`."""
        made = peel(owner)
        frozen = [made]
        if any(map(_are_all_parameters, walk(made))):
            kept = self.scope.owner.attributes if self.scope.owner is not None else {}
            frozen = [peel(term) for terms in kept.values() for term in terms]
        for term in frozen:
            if makes_parameter(str(term.detail)):
                self.analysis.restrained.setdefault(term.key, "frozen")

    def assign(self, target: ir.Target, term: Term) -> None:
        if type(target) is ir.Name:  # the usual case
            self.bind(target.name, held(term))
            return
        match target:
            case ir.Targets(elements):
                self._unpack(elements, term)
            case ir.Starred(inner):
                self.assign(inner, self.opaque("rest", (term,), None))
            case ir.Attribute(_, base, name):
                owner = self.evaluate(base)
                path = path_of(owner)
                is_asked = name == "requires_grad" and constant_of(term) is True
                if path and is_asked and is_made(owner):
                    self.rebind(owner, self.trained(peel(owner), None))
                if name == "requires_grad" and constant_of(term) is False:
                    self._freeze(owner)
                if path and name == "data":
                    self.rebind(owner, self.refilled(owner, term))
                    self.note_bounds(owner, term)
                elif name in _ELEMENTS and is_tensor(owner):
                    self.rebind(owner, self.opaque("update", (owner, term), None))
                elif path:
                    self.bind(f"{path}.{name}", held(term))
                self.forget_instance(owner)
                if is_record(owner):
                    self._put(owner, base, self.build.constant(name), term)
                if path == "self":
                    self.keep(name, term, is_dead=self._is_dead(target))
                self.escape(term)
            case ir.Subscript(_, base, indices):
                container = self.evaluate(base)
                places = [self.evaluate(index) for index in indices]
                self.escape(term)
                note_patch(self, target.site, container, places, term)
                self.keep_part(container, tuple(places), term)
                if is_container(container) and self._put(container, base, places[0], term):
                    return
                frame = self.frame_of(container, places)
                if frame:
                    self.frames.add(frame)
                    self.bind(frame, term)
                if container.operation is REFERENCE and container.detail is not None:
                    forget_aliases(self, container)
                    mask = mask_of(places[0]) if len(places) == 1 else None
                    parts = (container, term) if mask is None else (container, term, mask)
                    changed = self.opaque("update", parts, None, framework=container.framework)
                    self.analysis.written_at.setdefault(changed.key, []).append(tuple(places))
                    whole = sigmoid_of_halves(changed) if mask is not None else None
                    if whole is not None:
                        framework = container.framework or whole.framework
                        changed = self.operation("sigmoid", (whole,), None, framework=framework)
                    self.bind(str(container.detail), changed)
                elif not frame:
                    write_into(self, container, term)
            case ir.Unknown(_, children):
                for child in children:
                    self.evaluate(child)

    def _put(self, container: Term, place: ir.Expression, key: Term, term: Term) -> bool:
        """Change the container in a variable at one key; return whether that is all to be done."""
        path = place_path(place)
        if container.operation is REFERENCE and container.detail is not None:
            changed = with_key_changed(self, container, key, term)
            if changed is None and is_dict(container):
                changed = self.with_any_key(container, key, term)
            if changed is not None:
                forget_aliases(self, container)
                self.bind(str(container.detail), changed)
            return changed is not None
        whole = self.state.environment.lookup(path) if path else None
        if whole is not None:  # a container inside another one
            self.bind(path, self.opaque("update", (whole, term), None, framework=whole.framework))
        return True

    def _unpack(self, elements: tuple[ir.Target, ...], term: Term) -> None:
        inner = peel(term)
        if inner.detail == NAMED_TUPLE and is_record(inner):
            inner = self.build.leaf(SEQUENCE, "tuple", inner.operands[1::2])
        if inner.operation is CHOICE and inner.detail not in _OF_LOOPS:
            inner = self._parts_of_any(inner, len(elements)) or inner
        is_whole = inner.operation is SEQUENCE and has_all(inner)
        exact = is_whole and len(inner.operands) == len(elements)
        starred = [one for one, part in enumerate(elements) if isinstance(part, ir.Starred)]
        if is_whole and len(starred) == 1 and len(inner.operands) >= len(elements) - 1:
            self._unpack_rest(elements, starred[0], inner)
            return
        for position, element in enumerate(elements):
            if exact and not starred:
                self.assign(element, inner.operands[position])
            elif inner.operation.name == "split" and not starred:
                place = self.build.constant(position)
                self.assign(element, self.operation("subscript", (term, place), None))
            else:
                part = self.opaque(f"part {position}", (term,), None, framework=inner.framework)
                self.assign(element, part)

    def _unpack_rest(self, elements: tuple[ir.Target, ...], place: int, whole: Term) -> None:
        """`a, *rest, b = x`: the target with the star gets what the others leave of `x`."""
        after = len(whole.operands) - (len(elements) - place - 1)
        rest = self.build.leaf(SEQUENCE, "list", whole.operands[place:after])
        parts = (*whole.operands[:place], rest, *whole.operands[after:])
        for element, part in zip(elements, parts, strict=True):
            self.assign(element.target if isinstance(element, ir.Starred) else element, part)

    def _parts_of_any(self, chosen: Term, number: int) -> Term | None:
        """Any of several displays as one: at each position, a choice of what they have there.

        One of another length is not meant: unpacking it would raise. `None` if something else
        than a display is among them.
        """
        rows = [peel(one) for one in chosen.operands]
        if not all(map(is_display, rows)):
            return None
        places = [place for place, row in enumerate(rows) if len(row.operands) == number]
        if not places:
            return None
        facts = tuple(chosen.facts[place] for place in places) if chosen.facts else ()
        parts = zip(*(rows[place].operands for place in places), strict=True)
        anything = tuple(self.choice(part, None, str(chosen.detail), facts) for part in parts)
        return self.build.leaf(SEQUENCE, "tuple", anything)

    def assign_elements(self, target: ir.Target, iterable: Term) -> None:
        """Bind the target of a loop over `iterable`."""
        inner = peel(iterable)
        if (
            inner.operation.name == "opaque"
            and inner.detail in ("call builtins.zip", "call builtins.enumerate")
            and isinstance(target, ir.Targets)
        ):
            arguments = inner.operands[1:]
            if inner.detail.endswith("enumerate"):
                arguments = (self.opaque("index", arguments[1:2], None), *arguments[:1])
                if len(target.elements) == len(arguments) == 2:
                    self.assign(target.elements[0], arguments[0])
                    self.assign_elements(target.elements[1], arguments[1])
                    return
            if len(arguments) == len(target.elements):
                for element, source in zip(target.elements, arguments, strict=True):
                    self.assign_elements(element, source)
                return
        if _is_view(inner, "items") and isinstance(target, ir.Targets):
            held = peel(inner.operands[0])
            pairs = (held.operands[::2], held.operands[1::2])
            for element, parts in zip(target.elements, pairs, strict=False):
                self.assign(element, self.choice(parts, None, ELEMENT))
            return
        self.assign(target, self.element(iterable))

    def element(self, iterable: Term) -> Term:
        """A term for any element of an iterable."""
        inner = peel(iterable)
        if inner.operation.name == "collect":
            return inner.operands[0]
        if _is_view(inner, "values"):
            return self.choice(peel(inner.operands[0]).operands[1::2], None, ELEMENT)
        if inner.operation is SEQUENCE and inner.operands:
            return self.choice(inner.operands, None, ELEMENT)
        layer = layer_listed(self, inner) if self.casts else None
        if layer is not None:
            return layer
        return self.operation("element", (iterable,), None, framework=inner.framework)

    def _is_dead(self, target: ir.Target) -> bool:
        """Whether other methods cannot read what is stored in an attribute of `self` here."""
        method, owner = self.scope.node, self.scope.owner
        if not isinstance(method, ir.Function) or owner is None:
            return False
        if method not in self._dead:
            own = owner.node.body if isinstance(owner.node, ir.Class) else ()
            names = {one.name for one in own if isinstance(one, ir.Function)}
            self._dead[method] = dead_stores(method, names)
        return id(target) in self._dead[method]

    def _augment(self, statement: ir.Augment) -> None:
        value = self.evaluate(statement.value)
        match statement.target:
            case ir.Name(site, name):
                old = self.reference(name, site)
                combined = self._combined(statement, old, value)
                if peel(old).operation.name == "element":
                    self.escape(combined)  # `for p in parameters: p -= step` writes into each
                self._write_over(old, name, combined)
                self.bind(name, combined)
            case ir.Attribute(site, base, name):
                owner = self.evaluate(base)
                old = self._attribute(site, owner, name)
                term = self._combined(statement, old, value)
                self.escape(term)
                self._write_over(old, f"{path_of(owner)}.{name}", term)
                if path_of(owner) and name == "data":
                    self.rebind(owner, self.refilled(owner, term))
                elif path_of(owner):
                    self.bind(f"{path_of(owner)}.{name}", term)
                if path_of(owner) == "self":
                    self.keep(name, term, is_dead=self._is_dead(statement.target))
            case ir.Subscript():
                old = self.evaluate(statement.target)
                term = self._combined(statement, old, value)
                self.assign(statement.target, term)
            case _:
                pass

    def _write_over(self, old: Term, path: str, combined: Term) -> None:
        """Update the other names of a mutable tensor that `x += y` writes into."""
        if old.framework in _IMMUTABLE:
            return
        if is_tensor(old):
            forget_aliases(self, old, path, combined)
        else:  # perhaps a number, which is immutable
            forget_sharing(self, roots(old), path)

    def _combined(self, statement: ir.Augment, old: Term, value: Term) -> Term:
        if statement.operator == "+" and is_display(value):
            grown = self.grown(old, peel(value).operands)
            if grown is not None:
                return grown
        name = BINARY.get(statement.operator)
        if name is None:
            return self.opaque(statement.operator, (old, value), statement.site)
        return self.operation(name, (old, value), statement.site)


def _is_view(term: Term, method: str) -> bool:
    """Whether a term is `d.values()` or `d.items()` of a dictionary display that is not empty."""
    if term.operation is not OPAQUE or term.detail != f"call {method}" or not term.operands:
        return False
    return is_dict(term.operands[0]) and bool(peel(term.operands[0]).operands)


def _are_all_parameters(term: Term) -> bool:
    """Whether a term is `self.parameters()`, and not those of one of its layers."""
    if term.detail != "call parameters" or not term.operands:
        return False
    owner = peel(term.operands[0])
    return owner.operation is INPUT and owner.detail == "self"
