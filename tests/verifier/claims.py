"""What the fixtures claim: per function and code, a hazard at a witness, and what a fix does.

A claim stands on the linter's own findings, never on the annotation alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import numpy as np

from mllint_nan.findings import Confidence, Finding, Hazard, Span
from mllint_nan.linter import Linted, Settings, fix_bytes, lint_bytes
from mllint_nan.rulebook.load import load_rules
from mllint_nan.rulebook.rule import Rule, Witness
from tests.verifier.frameworks import framework_of, selected
from tests.verifier.observation import Inputs

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"

_EXPECT = re.compile(r"# expect: .*")
_CODE = re.compile(r"NAN\d{3}")
_DIFFERENTIATES = re.compile(r"GradientTape|\bgradients?\(|\bgrad\(|_and_grad|\bvjp\(")
_SAFE = Settings(min_confidence=Confidence.POSSIBLE)
_UNSAFE = Settings(min_confidence=Confidence.POSSIBLE, unsafe_fixes=True)


@dataclass(frozen=True, slots=True)
class Claim:
    """`function` of a fixture has the flaw `code`: `hazard` shows at a witness of its rule."""

    rule: str
    stem: str
    function: str
    code: str
    hazard: Hazard | None
    """None where the linter reports nothing on the annotated lines."""
    compiled: bool
    """Whether the flaw is claimed of XLA's graphs only."""
    value_is_finite: bool
    """Whether no finding in the function claims a value hazard."""
    differentiates: bool
    """Whether the function takes gradients itself, so that they are part of its value."""
    spans: tuple[Span, ...]
    """Where the findings stand in `before`."""
    parameters: tuple[str, ...]
    required: tuple[str, ...]
    before: str
    after: str | None
    """The fixture's text with every fix applied; None where the flaw is still there."""
    fix_is_safe: bool

    @property
    def name(self) -> str:
        """The rule of `code`, which need not be the fixture's own."""
        return _rule(self.code).name

    @property
    def framework(self) -> str:
        return framework_of(self.stem)

    @property
    def inputs(self) -> Inputs | None:
        """The function's witness as arrays; None where no entry has all it requires."""
        witness = _witness(self)
        if witness is None:
            return None
        return {
            name: as_array(witness.given[name]) for name in self.parameters if name in witness.given
        }

    def __str__(self) -> str:
        return f"{self.rule}/{self.stem}:{self.function}:{self.code}"


@cache
def claims() -> tuple[Claim, ...]:
    """The claims of every fixture whose framework is selected."""
    return tuple(
        claim
        for path in sorted(FIXTURES.glob("*/*.py"))
        if not path.name.endswith(".fixed.py") and framework_of(path.stem) in selected()
        for claim in _claims_of(path)
    )


def as_array(given: object) -> np.ndarray:
    """Numbers as the frameworks' default: float32, int32 where all are integers, or bool."""
    array = np.asarray(given)
    narrow = {"f": np.float32, "i": np.int32, "b": np.bool_}
    return array.astype(narrow[array.dtype.kind])


@dataclass(frozen=True, slots=True)
class _Function:
    name: str
    node: ast.FunctionDef
    text: str

    @property
    def required(self) -> tuple[str, ...]:
        """The parameters without a default."""
        arguments = self.node.args
        positional = arguments.posonlyargs + arguments.args
        optional = len(arguments.defaults)
        names = positional[: len(positional) - optional] + [
            argument
            for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if default is None
        ]
        return tuple(name.arg for name in names if name.arg != "self")

    @property
    def parameters(self) -> tuple[str, ...]:
        arguments = self.node.args
        names = arguments.posonlyargs + arguments.args + arguments.kwonlyargs
        return tuple(name.arg for name in names if name.arg != "self")

    def holds(self, row: int) -> bool:
        return self.node.lineno <= row <= (self.node.end_lineno or 0)


def _claims_of(path: Path) -> Iterator[Claim]:
    data = path.read_bytes()
    text = data.decode()
    safe, unsafe = (fix_bytes(data, path.name, settings) for settings in (_SAFE, _UNSAFE))
    fixed = unsafe.data.decode()
    findings = _findings(data)
    remaining = _findings(unsafe.data)
    repaired = {function.name: function for function in _functions(fixed)}
    safely = {function.name: function.text for function in _functions(safe.data.decode())}
    expected = _expected(text)
    for function in _functions(text):
        codes = {code for row, code in expected if function.holds(row)}
        here = [
            each
            for each in findings
            if function.holds(each.start.row)
            and any((row, each.code) in expected for row in _rows(each))
        ]
        new = repaired[function.name]
        still = {each.code for each in remaining if new.holds(each.start.row)} & codes
        for code in sorted(codes):
            reported = [each for each in here if each.code == code]
            claim = Claim(
                rule=path.parent.name,
                stem=path.stem,
                function=function.name,
                code=code,
                hazard=_hazard(reported),
                compiled=any(_names_compiled(each.message) for each in reported),
                value_is_finite=all(each.hazard is not Hazard.VALUE for each in here),
                differentiates=_DIFFERENTIATES.search(function.text) is not None,
                spans=tuple(each.span for each in reported),
                parameters=function.parameters,
                required=function.required,
                before=text,
                after=None if still or new.text == function.text else fixed,
                fix_is_safe=safely[function.name] == new.text,
            )
            if "." not in claim.function or claim.inputs is not None:
                yield claim


def _expected(text: str) -> set[tuple[int, str]]:
    """The rows and codes of the annotations `# expect: NAN101, NAN202 no-fix`."""
    return {
        (row, code)
        for row, line in enumerate(text.splitlines(), 1)
        if (comment := _EXPECT.search(line))
        for code in _CODE.findall(comment.group())
    }


def _findings(data: bytes) -> tuple[Finding, ...]:
    outcome = lint_bytes(data, "fixture.py", _UNSAFE)
    return outcome.findings if isinstance(outcome, Linted) else ()


def _rows(finding: Finding) -> range:
    return range(finding.start.row, finding.end.row + 1)


def _hazard(findings: list[Finding]) -> Hazard | None:
    """A value hazard outweighs a gradient hazard."""
    hazards = {finding.hazard for finding in findings}
    return Hazard.VALUE if Hazard.VALUE in hazards else next(iter(hazards), None)


def _names_compiled(message: str) -> bool:
    return "XLA" in message or "compiled graph" in message


def _functions(text: str) -> Iterator[_Function]:
    """The functions of a module, and the methods of its classes as `C.f`."""
    module = ast.parse(text)
    for node in module.body:
        match node:
            case ast.FunctionDef():
                yield _Function(node.name, node, ast.get_source_segment(text, node) or "")
            case ast.ClassDef(name=owner, body=body):
                for method in body:
                    if isinstance(method, ast.FunctionDef):
                        segment = ast.get_source_segment(text, method) or ""
                        yield _Function(f"{owner}.{method.name}", method, segment)


@cache
def _rule(identity: str) -> Rule:
    return next(rule for rule in load_rules() if identity in (rule.code, rule.name))


def _witness(claim: Claim) -> Witness | None:
    """The first entry that has all required parameters; those made for the function come first.

    The finding's own rule is asked before the one that the fixture belongs to. A method needs an
    entry that names it, since its instance is part of its input.
    """
    witnesses = _rule(claim.code).witnesses + _rule(claim.rule).witnesses
    named = [each for each in witnesses if _is_for(claim, each)]
    general = [each for each in witnesses if not each.only and "." not in claim.function]
    return next((each for each in named + general if set(claim.required) <= set(each.given)), None)


def _is_for(claim: Claim, witness: Witness) -> bool:
    """`only` holds functions, `function` or `stem:function`, with `*` for any."""
    return any(
        fnmatch(f"{claim.stem}:{claim.function}", name if ":" in name else f"*:{name}")
        for name in witness.only
    )
