"""Terms back to source text: operands keep the user's text, only the code around them is new."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

import libcst as cst

from mllint_nan.findings import Span
from mllint_nan.frameworks import registry
from mllint_nan.frameworks.scalars import takes_number
from mllint_nan.frameworks.signature import Signature
from mllint_nan.ir.kind import Kind, of_operands
from mllint_nan.ir.term import (
    CONSTANT,
    OPAQUE,
    REFERENCE,
    SEQUENCE,
    VARIABLE,
    Term,
    names_in,
    peel,
    walk,
)
from mllint_nan.syntax.module_names import Names, import_for
from mllint_nan.syntax.negation import negated, without_minus
from mllint_nan.syntax.precedence import (
    AND,
    ATOM,
    AWAIT,
    COMPARE,
    NOT,
    OR,
    POWER,
    SIGN,
    TERNARY,
    Text,
    Unrenderable,
    Withheld,
    level_of,
    literal,
    measured,
    number_text,
    on_one_row,
)
from mllint_nan.syntax.preferred_names import OPERATORS, TURNED, Kept, TooNew, of_tensors, ranked
from mllint_nan.syntax.repeatable import is_fixed, is_repeatable
from mllint_nan.syntax.source import Source

_NUMBER: Final = re.compile(r"-?[\d.]+(?:e-?\d+)?")
_NEVER_ADDED: Final = frozenset(("optax", "scipy"))
"""Packages that are perhaps not installed beside the framework of a program."""
_NAMED_OPERANDS: Final = frozenset(("softmax_cross_entropy", "sigmoid_cross_entropy"))
"""Operations whose operands TensorFlow 1 takes only by name."""
_MAKES_TENSORS: Final = frozenset(("torch", "tensorflow", "keras"))
"""Frameworks that return a tensor even for a number, which not everything accepts instead."""


@dataclass(slots=True)
class Renderer:
    """Writes rewrites for one place; `target` is the span that will be replaced."""

    source: Source
    framework: str
    names: Names
    target: Span
    bindings: Mapping[str, Term | None]
    visible: Mapping[str, int]
    """By variable: the key of the definition that reaches the target."""
    parameters: Mapping[str, float]
    prefers_methods: bool = False
    taken: tuple[Set[str], ...] = ()
    """The names that the target's function binds anywhere, and those of the functions around it."""
    substituted: dict[int, str] = field(default_factory=dict)
    """By `id` of a term: the name of its hoisted copy."""
    imports: list[str] = field(default_factory=list)
    """The import statements that the text needs in addition."""
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    """The kind of object that each variable of the rewrite stands for."""
    is_unsettled: bool = False
    """Whether the text calls a function that raises if an operand turns out to be a number."""
    kept: Kept = field(default_factory=Kept)
    """The versions with which the text has to work."""

    def render(self, template: Term) -> Text:
        """The text of a rewrite; raises `Unrenderable`."""
        operation = template.operation
        if operation is VARIABLE:
            if template.detail in self.parameters and template.detail not in self.bindings:
                return number_text(self.parameters[template.detail])
            bound = self.bindings.get(template.detail)
            if bound is None:
                raise Unrenderable(f"{template.detail} stands for nothing")
            return self.operand(bound)
        if operation is CONSTANT:
            if isinstance(template.detail, str):
                return Text(f"{self.source.quote}{template.detail}{self.source.quote}")
            return literal(template.detail)
        if operation is SEQUENCE:
            inside = ", ".join(self.render(part).at(TERNARY) for part in template.operands)
            return Text(f"[{inside}]")
        if operation.name == "through":
            return self._through(template)
        if operation.name == "neg":
            return self._negated(self.render(template.operands[0]))
        if operation.name == "subscript":
            base, index = map(self.render, template.operands)
            return Text(f"{base.at(ATOM)}[{index.at(TERNARY)}]")
        if operation.name in OPERATORS and not self._is_identity(operation.name):
            return self._operator(template)
        return self._call(template)

    def render_in_place(self, template: Term) -> Text:
        """The text of a rewrite whose first operand holds the result afterwards."""
        for signature in registry.signatures_in_place(template.operation, self.framework):
            with suppress(Unrenderable):
                return self._spelled(template, signature)
        raise Unrenderable(f"{self.framework} has no {template.operation.name} in place")

    def _is_identity(self, name: str) -> bool:
        """Whether `==` compares identities, as with tensors of TensorFlow 1 and of Keras."""
        return name in ("eq", "ne") and self.framework in ("tensorflow", "keras")

    # The user's own text

    def operand(self, term: Term) -> Text:
        """The user's text for a term; raises `Unrenderable` if it may not be read at the target."""
        name = self.substituted.get(id(term))
        if name is not None:
            return Text(name)
        while term.operation is REFERENCE and term.site is None and term.detail is not None:
            term = term.operands[0]  # a variable of another file: its value is from here
        if isinstance(term.site, cst.BaseExpression):
            span = self.source.span(term.site)
            if self.target.contains(span):
                return self._slice(term.site)
            if term.operation is REFERENCE and term.detail is not None:
                if self.visible.get(term.detail) == term.key:
                    return Text(str(term.detail))
                raise Withheld(f"`{term.detail}` has another value here")
            if self.is_unchanged(term) and (is_fixed(term) or is_repeatable(term)):
                return self._slice(term.site)
            raise Withheld("the operand would be computed twice")
        if term.operation is CONSTANT:
            return literal(term.detail)
        for name, key in self.visible.items():
            if key == term.key and name.replace(".", "").isidentifier():
                return Text(name)
        raise Unrenderable("the operand has no text of its own")

    def _slice(self, node: cst.BaseExpression) -> Text:
        code = self.source.slice(self.source.span(node))
        level = level_of(node)
        if "\n" in code and level < ATOM:
            joined = on_one_row(code)
            return Text(f"({code})") if joined is None else Text(joined, level)
        return Text(code, level)

    def is_unchanged(self, term: Term) -> bool:
        """Whether every variable in the term's text still has its value at the target."""
        return all(self.visible.get(str(name.detail)) == name.key for name in names_in(term))

    def _through(self, template: Term) -> Text:
        """The user's views around a term, with another term inside."""
        view, inner = template.operands
        outer = self.bindings.get(view.detail)
        if outer is None:
            raise Unrenderable("no view")
        return self._rewrapped(outer, self.render(inner))

    def _rewrapped(self, outer: Term, inside: Text) -> Text:
        peeled = peel(outer)
        if peeled.operation.kind != "view":
            return inside
        if peeled.operation.name in ("cast", "concat", "stack", "collect"):
            raise Withheld("the operations between do not commute with the rewrite")
        if not isinstance(peeled.site, cst.BaseExpression):
            raise Unrenderable("a view has no text of its own")
        base = peeled.operands[0]
        if not isinstance(base.site, cst.BaseExpression):
            raise Unrenderable("a view has no text of its own")
        span = self.source.span(peeled.site)
        if not self.target.contains(span) and not self._is_unchanged_beside(peeled):
            raise Withheld("a variable of the view has another value here")
        rewritten = self._rewrapped(base, inside)
        text = self.source.text
        old_has_parentheses = bool(base.site.lpar) and rewritten.level < ATOM
        inner_span = self.source.span(base.site)
        if not old_has_parentheses:
            inner_span = self.source.outside_parentheses(base.site)
        before, after = text[span.start : inner_span.start], text[inner_span.end : span.end]
        # Parentheses of the old operand are outside its span and stay where they are.
        method = before == ""
        code = rewritten.code if old_has_parentheses else rewritten.at(ATOM if method else TERNARY)
        return Text(f"{before}{code}{after}", level_of(peeled.site))

    def _is_unchanged_beside(self, view: Term) -> bool:
        others = [*view.operands[1:], *view.settings.values()]
        return all(self.is_unchanged(other) for other in others)

    # New text

    def _negated(self, text: Text) -> Text:
        if "\n" in text.code:
            return Text(f"-{text.at(SIGN)}", SIGN)
        return measured(negated(text.code, self._computes))

    def _computes(self, call: str) -> bool:
        """Whether a call with this text is one of the match, and only computes."""
        bound = (term for term in self.bindings.values() if term is not None)
        return any(
            part.operation is not OPAQUE
            and part.operation.pure
            and isinstance(part.site, cst.Call)
            and self.source.slice(self.source.span(part.site)) == call
            for term in bound
            for part in walk(term)
        )

    def _operator(self, template: Term) -> Text:
        symbol, level = OPERATORS[template.operation.name]
        left, right = (self.render(operand) for operand in template.operands)
        if symbol in TURNED and right.has_minus:
            symbol, right = TURNED[symbol], right.without_minus()
        elif symbol == " * " and left.has_minus and left.level == SIGN:
            free = without_minus(right.code, self._computes)
            if free is not None:
                left, right = left.without_minus(), measured(free)
        if level == POWER:
            return Text(f"{left.at(AWAIT)}{symbol}{right.at(SIGN)}", level)
        return Text(f"{left.at(level + (level == COMPARE))}{symbol}{right.at(level + 1)}", level)

    def _call(self, template: Term) -> Text:
        if any(part.operation is VARIABLE for part in walk(template)):
            kinds = [self.kind(operand) for operand in template.operands]
            if kinds and all(kind is Kind.NUMBER for kind in kinds):
                return self._of_numbers(template)
            self._check_kinds(template, kinds)
        return self.called(template, self._candidates(template))

    def kind(self, template: Term) -> Kind:
        """The kind of a part of the rewrite: a number if all of its operands are."""
        if template.operation is VARIABLE and template.detail in self.bindings:
            return self.kinds.get(str(template.detail), Kind.UNKNOWN)
        if template.operation in (VARIABLE, CONSTANT):
            return Kind.NUMBER
        if template.operation.name == "through":
            return self.kind(template.operands[0]).combined(self.kind(template.operands[1]))
        return of_operands(map(self.kind, template.operands))

    def _check_kinds(self, template: Term, kinds: list[Kind]) -> None:
        """Raise if the function refuses an operand; if it may, mark the text as unsettled."""
        if self.framework in _MAKES_TENSORS and of_operands(kinds) is Kind.EITHER:
            self.is_unsettled = True
        for place, kind in enumerate(kinds):
            if takes_number(self.framework, template.operation.name, place):
                continue
            if kind in (Kind.NUMBER, Kind.ARRAY):
                raise Unrenderable(f"{template.operation.name} takes no number of Python's own")
            if kind is Kind.EITHER:
                self.is_unsettled = True

    def _of_numbers(self, template: Term) -> Text:
        """An operation on numbers alone, as Python has it."""
        match template.operation.name:
            case "clip":
                return self._clipped(template)
            case "maximum" | "minimum" as name:
                function = "builtins.max" if name == "maximum" else "builtins.min"
                inside = ", ".join(self.render(part).at(TERNARY) for part in template.operands)
                return Text(f"{self._callee(function)}({inside})")
            case "where":
                condition, first, second = template.operands
                return self._conditional(condition, first, second)
            case "ones_like" | "zeros_like" as name:
                return Text("1.0" if name == "ones_like" else "0.0")
            case "logical_not":
                return Text(f"not {self.render(template.operands[0]).at(NOT)}", NOT)
            case "logical_and" | "logical_or" as name:
                word, level = ("and", AND) if name == "logical_and" else ("or", OR)
                left, right = (self.render(part).at(level + 1) for part in template.operands)
                return Text(f"{left} {word} {right}", level)
        if self.framework == "torch":
            return self.called(template, list(registry.signatures(template.operation, "math")))
        return self.called(template, [one for one in self._candidates(template) if not one.method])

    def _clipped(self, template: Term) -> Text:
        text = self.render(template.operands[0])
        for name, function in (("min", "builtins.max"), ("max", "builtins.min")):
            bound = template.settings.get(name)
            limit = self._bound(bound) if bound is not None else None
            if limit is not None:
                text = Text(f"{self._callee(function)}({text.at(TERNARY)}, {limit.at(TERNARY)})")
        return text

    def _bound(self, bound: Term) -> Text | None:
        if bound.operation is VARIABLE and bound.detail not in self.parameters:
            given = self.bindings.get(bound.detail)
            return self.operand(given) if given is not None else None
        return self.render(bound)

    def _conditional(self, condition: Term, first: Term, second: Term) -> Text:
        """`x if x != 0 else 1`: the usual case comes first."""
        if condition.operation.name == "eq":
            left, right = (self.render(part).at(COMPARE + 1) for part in condition.operands)
            test, first, second = f"{left} != {right}", second, first
        else:
            test = self.render(condition).at(OR)
        one, other = self.render(first).at(OR), self.render(second).at(TERNARY)
        return Text(f"{one} if {test} else {other}", TERNARY)

    def called(self, template: Term, candidates: list[Signature]) -> Text:
        """The text by the first signature that can be written here."""
        errors: list[Unrenderable] = []
        too_new: list[Signature] = []
        for signature in candidates:
            try:
                return self._spelled(template, signature)
            except TooNew as error:
                too_new.append(signature)
                older = self._older(template, signature)
                if older is not None:
                    return older
                errors.append(error)
            except Unrenderable as error:
                errors.append(error)
        older = self._oldest(template, too_new[0]) if too_new else None
        if older is not None:
            return older
        withheld = next((one for one in errors if isinstance(one, Withheld)), None)
        if withheld is not None:
            raise withheld
        raise Unrenderable(
            str(errors[0]) if errors else f"{self.framework} has no {template.operation.name}"
        )

    def _older(self, template: Term, like: Signature | None = None) -> Text | None:
        """The text by a signature of older versions, if any; with `like`, only by that name."""
        operation, generation = template.operation, self.names.generation
        found = registry.older_signatures(operation, self.framework, generation)
        for signature in ranked(found, self.names, prefers_methods=self.prefers_methods):
            if like is None or (signature.name, signature.method) == (like.name, like.method):
                with suppress(Unrenderable):
                    return self._spelled(template, signature)
        return None

    def _oldest(self, template: Term, usual: Signature) -> Text | None:
        """The text by any older name, or as a selection from tensors alone."""
        older = self._older(template)
        is_selection = self.framework == "torch" and template.operation.name == "where"
        selection = of_tensors(template, self) if older is None and is_selection else None
        return older if selection is None else self._spelled(selection, usual)

    def _candidates(self, template: Term) -> list[Signature]:
        found = registry.signatures(template.operation, self.framework, self.names.generation)
        if self.framework == "keras" and not found:
            found = registry.signatures(template.operation, "tensorflow")
        return ranked(found, self.names, prefers_methods=self.prefers_methods)

    def _check_version(self, template: Term, signature: Signature, passed: Collection[str]) -> None:
        """Raise `TooNew` if a version that the project allows lacks the call."""
        kinds = map(self.kind, template.operands)
        has_number = any(kind in (Kind.NUMBER, Kind.EITHER) for kind in kinds)
        self.kept.check(signature, self.framework, passed, has_number, self.names)

    def _spelled(self, template: Term, signature: Signature) -> Text:
        own_names = {signature.canonical.get(own, own): own for own in signature.parameters}
        values: dict[str, Text] = {}
        for name, operand in zip(template.operation.parameters, template.operands, strict=False):
            values[name] = self.render(operand)
        for name, setting in template.settings.items():
            text = self._setting(setting, signature, name)
            if text is not None:
                values[name] = text
        if template.detail is not None and template.detail in self.rests:
            for name, term in self.rests[template.detail]:
                values[name] = self.operand(term)
        for name, own_default in signature.defaults.items():
            meant = template.operation.defaults.get(name)
            if name in (*template.settings, *values) or meant == own_default:
                continue
            if meant is not None or name == "axis":  # no axis: all of them
                values[name] = literal(meant)  # `torch.var` divides by n - 1 by default
        for name in signature.fixed:
            if name in values:
                raise Unrenderable(f"{signature.name} does not take {name}")
        for name in values:
            if name not in own_names:
                raise Unrenderable(f"{signature.name} does not take {name}")
        if signature.method and self._has_no_methods(template, signature, values):
            raise Unrenderable("a number has no tensor methods")
        if signature.pair_with_axis and "axis" in values:
            raise Unrenderable(f"{signature.name} gives two tensors")
        for own in signature.required:
            if signature.canonical.get(own, own) not in values:
                raise Unrenderable(f"{signature.name} needs {own}")
        for own in signature.blank:
            values.setdefault(signature.canonical.get(own, own), Text("None"))
        self._check_version(template, signature, {own_names[name] for name in values})
        operands = template.operation.parameters[: template.operation.operands]
        return self._assembled(signature, values, own_names, operands)

    def _has_no_methods(
        self, template: Term, signature: Signature, values: Mapping[str, Text]
    ) -> bool:
        own = signature.parameters[0]
        receiver = values[signature.canonical.get(own, own)].code
        is_number = self.kind(template.operands[0]) is Kind.NUMBER
        return is_number or _NUMBER.fullmatch(receiver) is not None

    rests: Mapping[str, tuple[tuple[str, Term], ...]] = field(default_factory=dict)

    def _setting(self, setting: Term, signature: Signature, name: str) -> Text | None:
        if setting.operation is VARIABLE:
            bound = self.bindings.get(setting.detail)
            if bound is None:
                if setting.detail in self.parameters:
                    return number_text(self.parameters[setting.detail])
                return None
            inner = peel(bound)
            if inner.operation is SEQUENCE and signature.operation.kind == "along":
                if len(inner.operands) != 1:
                    raise Unrenderable(f"{signature.name} takes one axis")
                return self.operand(inner.operands[0])
            if (
                inner.operation is CONSTANT
                and inner.site is None
                and (signature.defaults.get(name, object()) == inner.detail)
            ):
                return None
            return self.operand(bound)
        return self.render(setting)

    def _assembled(
        self,
        signature: Signature,
        values: Mapping[str, Text],
        own_names: Mapping[str, str],
        operands: tuple[str, ...],
    ) -> Text:
        positional: list[str] = []
        keywords: list[str] = []
        still_positional = True
        order = [signature.canonical.get(own, own) for own in signature.parameters]
        for own, name in zip(signature.parameters, order, strict=True):
            if name not in values:
                still_positional = False
                continue
            takes_position = (
                own not in signature.keyword_only
                and (signature.operation.name not in _NAMED_OPERANDS)
                and (
                    name in operands
                    or signature.by_position
                    or (signature.method and not positional)
                )
            )
            if takes_position and still_positional:
                positional.append(name)
            else:
                keywords.append(name)
        if signature.method:
            receiver, *others = positional
            head = f"{values[receiver].at(ATOM)}.{signature.name}"
        else:
            head, others = self._callee(signature.name), positional
        inside = [values[name].at(TERNARY) for name in others]
        inside += [f"{own_names[name]}={values[name].at(TERNARY)}" for name in keywords]
        inside += [signature.extra] if signature.extra else []
        return Text(f"{head}({', '.join(inside)})")

    def _callee(self, qualified: str) -> str:
        text = self.names.member_text(qualified)
        if text is not None:
            if qualified.startswith("builtins.") and text in self.visible:
                raise Unrenderable(f"{text} is another name here")
            return text
        package = qualified.partition(".")[0]
        if package in _NEVER_ADDED and not any(
            path.partition(".")[0] == package for _, path in self.names.visible
        ):
            raise Unrenderable(f"{package} is not imported")
        bound, statement = import_for(qualified)
        root = bound.partition(".")[0]
        if root in self.visible or any(root in names for names in self.taken):
            raise Unrenderable(f"{bound} is another name here")
        if statement not in self.imports:
            self.imports.append(statement)
        return bound
