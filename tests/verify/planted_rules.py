"""Every fix of every rule with one fault in it, as a rule of one's own, and a program for it.

`python -m tests.verify.planted_rules` writes `planted_programs.toml`: for each fix, the function
of a fixture in which it is offered whose match is the smallest.
"""

from __future__ import annotations

import ast
import copy
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import tomli

from mllint_nan.rulebook.load import load_rules
from mllint_nan.rulebook.rule import Rule

PROGRAMS: Final = Path(__file__).with_name("planted_programs.toml")
_NUDGE: Final = 1.001


@dataclass(frozen=True, slots=True)
class PlantedRule:
    """`fault` is empty where the fix is the rule's own."""

    rule: str
    place: int
    """Which of the rule's fixes it is."""
    framework: str
    program: str
    rewrite: str
    fault: str

    @property
    def text(self) -> str:
        """The rule's file with this fix alone, and a code of one's own."""
        path = Path(_rules()[self.rule].path)
        kept, seen = [], -1
        for block in re.split(r"(?m)^(?=\[)", path.read_text(encoding="utf-8")):
            if block.startswith("[[fix]]"):
                seen += 1
                if seen != self.place:
                    continue
                block = re.sub(
                    r"(?m)^rewrite = .*$", lambda _: f"rewrite = {json.dumps(self.rewrite)}", block
                )
            kept.append(block)
        text = "".join(kept)
        text = re.sub(r'(?m)^code = ".*"$', 'code = "NAN801"', text, count=1)
        return re.sub(r'(?m)^name = ".*"$', 'name = "own"', text, count=1)

    def __str__(self) -> str:
        fault = self.fault or "as it is"
        return f"{self.rule}-{self.place + 1}-{self.framework}, {fault}: {self.rewrite}"


@cache
def _rules() -> dict[str, Rule]:
    return {rule.name: rule for rule in load_rules()}


@cache
def bases() -> tuple[PlantedRule, ...]:
    """Each fix as it is, in its program."""
    table = tomli.loads(PROGRAMS.read_text(encoding="utf-8"))
    found = []
    for entry in table["program"]:
        rule = _rules()[entry["rule"]]
        rewrite = rule.fixes[entry["place"]].rewrite.text
        found.append(
            PlantedRule(
                entry["rule"], entry["place"], entry["framework"], entry["text"], rewrite, ""
            )
        )
    return tuple(found)


@cache
def planted() -> tuple[PlantedRule, ...]:
    """Every fault in every fix."""
    return tuple(_planted())


def _planted() -> Iterator[PlantedRule]:
    for base in bases():
        seen = {base.rewrite}
        for fault, rewrite in faulty(base.rewrite):
            if rewrite not in seen:
                seen.add(rewrite)
                yield PlantedRule(
                    base.rule, base.place, base.framework, base.program, rewrite, fault
                )


def faulty(rewrite: str) -> Iterator[tuple[str, str]]:
    """Rewrites that differ from a right one by one fault."""
    tree = ast.parse(rewrite, mode="eval")
    yield "gradient cut", f"detach({rewrite})"
    yield "gradient doubled", f"2 * ({rewrite}) - detach({rewrite})"
    yield "larger by a thousandth", f"{_NUDGE} * ({rewrite})"
    yield "a number added", f"({rewrite}) + 0.01"
    yield "other sign", f"-({rewrite})"
    yield "floor around", f"maximum({rewrite}, 0.01)"
    yield "ceiling around", f"minimum({rewrite}, 0.01)"
    yield "no value where it is small", f"where(abs({rewrite}) < 0.01, 0, {rewrite})"
    for place, node in enumerate(ast.walk(tree)):
        for fault, changed in _changed(node):
            again = copy.deepcopy(tree)
            target = list(ast.walk(again))[place]
            yield fault, ast.unparse(_replaced(again, target, changed))


def _changed(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    match node:
        case ast.BinOp(left, operator, right):
            if not isinstance(operator, ast.BitOr):
                yield "second operand dropped", left
                yield "first operand dropped", right
            if isinstance(operator, ast.Sub | ast.Div | ast.Pow):
                yield "operands swapped", ast.BinOp(right, operator, left)
            if isinstance(operator, ast.Sub):
                yield "added, not taken away", ast.BinOp(left, ast.Add(), right)
            if isinstance(operator, ast.Add):
                yield "taken away, not added", ast.BinOp(left, ast.Sub(), right)
            if isinstance(operator, ast.Div):
                yield "multiplied, not divided", ast.BinOp(left, ast.Mult(), right)
            if isinstance(operator, ast.Mult):
                yield "divided, not multiplied", ast.BinOp(left, ast.Div(), right)
        case ast.UnaryOp(ast.USub(), operand):
            yield "minus dropped", operand
        case ast.Constant(int() | float() as number) if number and not isinstance(number, bool):
            yield "number larger by a thousandth", ast.Constant(float(number * _NUDGE))
            yield "number doubled", ast.Constant(number * 2)
        case ast.Call(ast.Name(name), arguments, keywords):
            yield from _changed_call(name, arguments, keywords)


_OTHERS: Final = {
    **{"sum": "mean", "mean": "sum", "max": "min", "min": "max", "var": "std", "std": "var"},
    **{"maximum": "minimum", "minimum": "maximum", "prod": "sum", "norm": "sum"},
    **{"logsumexp": "max", "log_softmax": "softmax", "softmax": "log_softmax"},
    **{"sin": "tan", "tanh": "sin", "log1p": "log", "expm1": "exp", "softplus": "relu"},
    **{"log": "log1p", "exp": "expm1", "sqrt": "abs", "square": "abs", "log2": "log"},
    **{"log_sigmoid": "tanh", "sigmoid": "tanh", "cosh": "exp", "sinh": "expm1"},
    **{"log_ndtr": "log_sigmoid", "logaddexp": "maximum", "xlogy": "xlog1py"},
}


def _changed_call(
    name: str, arguments: list[ast.expr], keywords: list[ast.keyword]
) -> Iterator[tuple[str, ast.expr]]:
    def call(function: str, given: list[ast.expr], named: list[ast.keyword]) -> ast.expr:
        return ast.Call(ast.Name(function), given, named)

    if name in ("view", "within", "through"):
        return
    if name in _OTHERS:
        yield "another function", call(_OTHERS[name], arguments, keywords)
    if len(arguments) == 2 and name in ("xlogy", "atan2", "sigmoid_cross_entropy"):
        yield "operands swapped", call(name, arguments[::-1], keywords)
    if name == "where":
        condition, first, second = arguments
        yield "branches swapped", call(name, [condition, second, first], keywords)
        yield "first branch alone", first
        yield "second branch alone", second
    first, *rest = arguments or [ast.Constant(0)]
    if arguments and not isinstance(first, ast.Compare) and name not in ("ones_like", "zeros_like"):
        for fault, wrapped in (
            ("operand of the other sign", ast.UnaryOp(ast.USub(), first)),
            ("operand larger by a thousandth", ast.BinOp(ast.Constant(_NUDGE), ast.Mult(), first)),
            ("gradient of an operand cut", call("detach", [first], [])),
            ("floor under an operand", call("maximum", [first, ast.Constant(0.01)], [])),
            ("ceiling over an operand", call("minimum", [first, ast.Constant(30.0)], [])),
            ("absolute operand", call("abs", [first], [])),
        ):
            yield fault, call(name, [wrapped, *rest], keywords)
    for index, keyword in enumerate(keywords):
        others = [*keywords[:index], *keywords[index + 1 :]]
        if keyword.arg == "axis":
            yield "first axis", call(name, arguments, [*others, _axis(0)])
            yield "second axis", call(name, arguments, [*others, _axis(1)])
        if keyword.arg in ("axis", "keepdims", "correction", "min", "max"):
            yield f"no {keyword.arg}", call(name, arguments, others)
        if keyword.arg == "keepdims":
            flag = ast.keyword("keepdims", ast.Constant(False))
            is_kept = isinstance(keyword.value, ast.Constant) and keyword.value.value is True
            if not is_kept:
                flag = ast.keyword("keepdims", ast.Constant(True))
            yield "axis kept or dropped", call(name, arguments, [*others, flag])


def _axis(number: int) -> ast.keyword:
    return ast.keyword("axis", ast.Constant(number))


def _replaced(tree: ast.Expression, target: ast.AST, new: ast.expr) -> ast.Expression:
    class Replacing(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return new if node is target else super().generic_visit(node)

    changed = Replacing().visit(tree)
    assert isinstance(changed, ast.Expression)
    return ast.fix_missing_locations(changed)


def main() -> None:
    """Write the programs."""
    from tests.verify.planting import programs

    blocks = [
        f"[[program]]\nrule = {json.dumps(rule)}\nplace = {place}\n"
        f"framework = {json.dumps(framework)}\ntext = '''\n{text}'''\n"
        for rule, place, framework, text in programs()
    ]
    head = "# Written by `python -m tests.verify.planted_rules`: where each fix is offered.\n\n"
    PROGRAMS.write_text(head + "\n".join(blocks), encoding="utf-8")


if __name__ == "__main__":
    main()
