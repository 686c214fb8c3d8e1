"""One file: its fixes, the functions that they change, and what is wrong with that."""

from __future__ import annotations

import inspect
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from mllint_nan.findings import Applicability, Confidence, Finding
from mllint_nan.fixing.apply import choose, splice
from mllint_nan.linter import fix_text, lint_text
from mllint_nan.results import Linted
from mllint_nan.settings import Settings
from tests.differential.arguments import SCENARIOS, Plan, plans, variants
from tests.differential.compare import Violation, differences, is_nearer, seen
from tests.differential.frameworks import FRAMEWORKS, NumPy
from tests.differential.functions import changed, found, framework_of, module_of

LABELS: Final = ("safe", "unsafe")
_CONSTRUCTIONS_MOST: Final = 12
_VARIANTS_MOST: Final = 5
_SHOWN_MOST: Final = 4


class TooLong(BaseException):
    """A function took more time than it was granted."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One function at one label."""

    function: str
    status: str
    """compared, "not called" with what it says, or the first violation's kind."""
    calls: int = 0
    violations: tuple[Violation, ...] = ()
    cause: str = ""
    """Code, row and message of the fix that makes the difference by itself."""
    before: str = ""
    after: str = ""


def comparisons(
    text: str,
    filename: str,
    label: str,
    *,
    name: str = "",
    package: str = "",
    seconds: float = 10.0,
    settings: Settings | None = None,
) -> Iterator[Comparison]:
    """Every function of a file that its fixes at a label change."""
    settings = settings or Settings(min_confidence=Confidence.POSSIBLE)
    settings = replace(settings, unsafe_fixes=label == "unsafe")
    fixed = fix_text(text, filename, settings).text
    if fixed == text:
        return
    names = changed(text, fixed)
    framework = FRAMEWORKS[framework_of(text)]()
    stem = name or "differential"
    try:
        with _within(120.0):
            before = module_of(text, stem, package)
    except (Exception, TooLong) as error:
        yield Comparison("<module>", f"not imported: {type(error).__name__}: {str(error)[:100]}")
        return
    try:
        with _within(120.0):
            after = module_of(fixed, stem, package)
    except (Exception, TooLong) as error:
        wrong = Violation("raises", "import", f"{type(error).__name__}: {error}"[:200])
        yield Comparison("<module>", wrong.what, 1, (wrong,))
        return
    for qualname in names:
        try:
            with _within(seconds):
                comparison = compared(before, after, qualname, framework, is_safe=label == "safe")
        except TooLong:
            comparison = Comparison(qualname, "not called: it takes too long")
        if comparison.violations:
            comparison = _explained(
                comparison, text, fixed, filename, settings, stem, package, framework
            )
        yield comparison


def compared(
    before: Any, after: Any, qualname: str, framework: NumPy, *, is_safe: bool
) -> Comparison:
    """One function in two modules."""
    pair = _pair(before, after, qualname, framework)
    if isinstance(pair, str):
        return Comparison(qualname, pair)
    old, new = pair
    plan, said = _plan(old, framework)
    if plan is None:
        return Comparison(qualname, f"not called: {said}")
    calls, wrong = 0, list[Violation]()
    tried = [plan, *islice(variants(plan, framework), _VARIANTS_MOST)]
    for place, each in enumerate(tried):
        scenarios = SCENARIOS if place == 0 else SCENARIOS[:4] + SCENARIOS[6:8]
        for scenario in scenarios:
            first = seen(old, each, scenario, framework)
            if first.exception is not None:
                continue
            second = seen(new, each, scenario, framework)
            calls += 1
            apart = list(differences(first, second, scenario, is_safe=is_safe))
            if apart and each.dtype == "float32" and "float64" in framework.dtypes:
                exact = seen(old, replace(each, dtype="float64"), scenario, framework)
                apart = [one for one in apart if not is_nearer(one, exact, first, second)]
            wrong += [replace(one, scenario=f"{one.scenario}, {_passed(each)}") for one in apart]
            if len(wrong) >= _SHOWN_MOST:
                return Comparison(qualname, wrong[0].what, calls, tuple(wrong))
    return Comparison(qualname, wrong[0].what if wrong else "compared", calls, tuple(wrong))


def _pair(
    before: Any, after: Any, qualname: str, framework: NumPy
) -> tuple[Callable[..., Any], Callable[..., Any]] | str:
    """Both versions, of an object that is made alike where they are methods."""
    owner, _, method = qualname.rpartition(".")
    try:
        if not owner or method == "__init__":
            return found(before, qualname), found(after, qualname)
        holder = before
        for part in owner.split("."):
            holder = getattr(holder, part)
        is_bare = isinstance(inspect.getattr_static(holder, method), staticmethod | classmethod)
        if is_bare:
            return found(before, qualname), found(after, qualname)
        said = "its object is not made"
        for plan in islice(plans(holder, framework), _CONSTRUCTIONS_MOST):
            try:
                made = []
                for module in (before, after):
                    framework.seed()
                    made.append(found(module, qualname, plan.drawn(framework, SCENARIOS[1])))
            except Exception as error:
                said = f"its object is not made: {type(error).__name__}: {str(error)[:80]}"
                continue
            return made[0], made[1]
    except Exception as error:
        return f"not called: {type(error).__name__}: {str(error)[:80]}"
    return f"not called: {said}"


def _plan(function: Callable[..., Any], framework: NumPy) -> tuple[Plan | None, str]:
    """Arguments that the function takes; else what it says to the likeliest."""
    said = ""
    try:
        for plan in plans(function, framework):
            first = seen(function, plan, SCENARIOS[1], framework)
            if first.exception is None:
                return plan, ""
            said = said or first.exception
    except (TypeError, ValueError) as error:
        said = str(error)
    return None, said[:120]


def _passed(plan: Plan) -> str:
    kinds = ", ".join(f"{name}: {kind}" for name, kind in plan.kinds.items() if kind != "default")
    return f"{kinds} of {plan.shape} {plan.dtype}"


def _explained(
    comparison: Comparison,
    text: str,
    fixed: str,
    filename: str,
    settings: Settings,
    name: str,
    package: str,
    framework: NumPy,
) -> Comparison:
    """With the one fix that makes the difference alone, if one of the first pass does."""
    shown = replace(
        comparison, before=_text_of(text, comparison), after=_text_of(fixed, comparison)
    )
    outcome = lint_text(text, filename, settings)
    if not isinstance(outcome, Linted):
        return shown
    for finding in choose(outcome.findings, settings.applicability):
        single = splice(text, [finding])
        if comparison.function not in changed(text, single):
            continue
        try:
            with _within(20.0):
                pair = (module_of(text, name, package), module_of(single, name, package))
                is_safe = not settings.unsafe_fixes
                alone = compared(*pair, comparison.function, framework, is_safe=is_safe)
        except (Exception, TooLong):
            continue
        if alone.violations:
            return replace(shown, cause=_named(finding), after=_text_of(single, comparison))
    return shown


def _named(finding: Finding) -> str:
    fix = finding.fix
    label = fix.applicability if fix is not None else Applicability.DISPLAY_ONLY
    message = fix.message if fix is not None else ""
    return f"{finding.code} ({label}) row {finding.start.row}: {message}"


def _text_of(text: str, comparison: Comparison) -> str:
    """The source of a function in a text."""
    import ast

    def within(node: ast.AST, names: Sequence[str]) -> str:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.ClassDef) and child.name == names[0]:
                if len(names) > 1:
                    return within(child, names[1:])
                return ast.get_source_segment(text, child) or ""
        return ""

    return within(ast.parse(text), comparison.function.split("."))


@contextmanager
def _within(seconds: float) -> Iterator[None]:
    """Raises `TooLong` in the middle of what takes more time of the processor."""

    def stop(*_: Any) -> None:
        raise TooLong

    if not hasattr(signal, "setitimer"):
        yield
        return
    previous = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, previous)
