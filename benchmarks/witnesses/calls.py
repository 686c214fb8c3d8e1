"""Calls public functions and modules of a package by their signatures, on each kind of input.

    python -m benchmarks.witnesses.calls FOLDER --framework torch --out FILE [--module NAME]...

FOLDER is that of an unpacked package, `.../site-packages/kornia`. Each of its modules is imported
and driven in a process of its own, with limits of time and memory; what it says is a line of FILE,
and a module that has one is not driven again.

It executes the package: give it what you would run.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import inspect
import itertools
import json
import multiprocessing
import os
import re
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, Final
from unittest import mock

import numpy as np

from benchmarks.witnesses.arguments import (
    Drawn,
    Hint,
    Plan,
    Role,
    Things,
    hints,
    plans,
    roles_of,
    with_labels,
    with_optional,
)
from benchmarks.witnesses.events import Event, Recorder
from benchmarks.witnesses.kinds import KINDS, Kind, kind_named
from benchmarks.witnesses.ran import Ran
from benchmarks.witnesses.witness import Effect, Grade, Witness
from tests.differential.frameworks import FRAMEWORKS, NumPy, leaves, weights

SECONDS_OF_A_TARGET: Final = 60.0
SECONDS_OF_A_SEARCH: Final = 15.0
SECONDS_OF_A_MODULE: Final = 900.0
ATTEMPTS_MOST: Final = 120
LABELLED_MOST: Final = 60
WITHOUT_NUMBERS_MOST: Final = 4
CONSTRUCTIONS_MOST: Final = 4
"""Ways of making an object that a method is tried with."""
METHODS_MOST: Final = 12
_MEMORY: Final = 6 << 30
_MISSING_MOST: Final = 24
_BAR: Final = 40

_NO_MODULES: Final = frozenset(
    ("tests", "test", "testing", "conftest", "setup", "examples", "benchmarks", "benchmark",
     "__main__", "scripts", "docs", "cli", "tools", "third_party", "datasets", "dataset")
)  # fmt: skip
_NO_FUNCTIONS: Final = frozenset(
    ("main", "train", "fit", "evaluate", "download", "load", "save", "plot", "show", "test")
)
_NO_METHOD: Final = re.compile(
    r"_|(get|set|add|reset|init|check|zero|to|from|load|save|make|build|is|has|register|plot|draw"
    r"|update|create|expand|setup|configure|training|validation|test|default|extra|rand|enable"
    r"|disable|fit|train|sample|rsample|initialize|clear|log_metrics)(_|$)|.*_(names?|step|shape)$"
)
"""Of methods: what draws, stores, names or builds."""
_METHODS_OF_DISTRIBUTIONS: Final = (
    "log_prob", "prob", "cdf", "log_cdf", "icdf", "entropy", "mean", "variance", "stddev", "mode",
    "perplexity", "survival_function", "log_survival_function", "kl_divergence",
)  # fmt: skip


class TooLong(Exception):
    """The time of one target is over."""


@dataclass(frozen=True, slots=True)
class Target:
    """A function, or a method of a class that is made first; `name` is `package.module:Class`."""

    name: str
    function: Callable[..., Any]
    """Whose signature counts: the function itself, `forward`, `call`."""
    owner: Any = None
    method: str = ""
    """Empty where the object itself is called."""

    @property
    def docs(self) -> str:
        parts = (inspect.getdoc(each) or "" for each in (self.function, self.owner) if each)
        return "\n".join(parts)


@dataclass(slots=True)
class Call:
    """A target with what it is given: the constructor's arguments, and its own."""

    target: Target
    style: Style
    made: Plan
    given: Plan

    @property
    def drawn(self) -> list[tuple[str, Drawn]]:
        """The arrays, in the order in which `applied` takes them."""
        return [
            (name, each)
            for plan in (self.made, self.given)
            for name, each in plan.items()
            if isinstance(each, Drawn)
        ]

    def applied(self, arrays: Sequence[Any]) -> Any:
        """What the call gives; an object is made anew."""
        rest = iter(arrays)

        def values(plan: Plan) -> dict[str, Any]:
            return {
                name: next(rest) if isinstance(each, Drawn) else each.make()
                for name, each in plan.items()
            }

        if self.target.owner is None:
            return _bound(self.target.function, values(self.given))
        made = values(self.made)
        return self.style.called(self.target, made, values(self.given))

    def described(self) -> str:
        """The arguments in words."""
        found = [
            f"{name}: {each.role.value} {each.shape}"
            if isinstance(each, Drawn)
            else f"{name}={each.text}"
            for plan in (self.made, self.given)
            for name, each in plan.items()
        ]
        return ", ".join(found)


def _bound(function: Callable[..., Any], given: dict[str, Any]) -> Any:
    """A call by keyword, but for what is positional alone."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return function(**given)
    positional = [
        given.pop(each.name)
        for each in parameters
        if each.kind is each.POSITIONAL_ONLY and each.name in given
    ]
    return function(*positional, **given)


class Style:
    """What is special about a framework: what is called, and how gradients are taken."""

    recorder = "record_numpy"

    def __init__(self, framework: NumPy) -> None:
        self.framework = framework

    def things(self) -> Things:
        return Things(self.framework.module)

    def target_of(self, owner: type) -> tuple[Callable[..., Any], str] | None:
        """What of a class is called first: its signature, and its name if the object is not."""
        return None

    def is_distribution(self, owner: type) -> bool:
        return "log_prob" in dir(owner)

    def called(self, target: Target, made: dict[str, Any], given: dict[str, Any]) -> Any:
        subject = target.owner(**made)
        if not target.method:
            return subject(**given)
        found = getattr(subject, target.method)
        return found(**given) if callable(found) else found

    def forward_and_back(
        self,
        call: Callable[[Sequence[Any]], Any],
        arrays: Sequence[Any],
        returned: Callable[[Any], object] = lambda result: None,
    ) -> Sequence[Any]:
        """The call, and the gradients of what comes out of it by `arrays`.

        `returned` hears what comes out. Raises `Refused` where the call itself fails.
        """
        returned(_first(lambda: call(arrays)))
        return ()


class Refused(Exception):
    """The program does not take these arguments."""


def _first(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except TooLong:
        raise
    except Exception as error:
        raise Refused(f"{type(error).__name__}: {str(error)[:200]}") from error


def numbers_in(result: Any, framework: NumPy) -> list[Any]:
    """The arrays of a result: of its tuples and mappings, its fields, and what it stands for."""
    return list(itertools.islice(_numbers_in(result, framework, 0), 64))


def _numbers_in(result: Any, framework: NumPy, depth: int) -> Iterator[Any]:
    for leaf in leaves(result):
        if framework.is_array(leaf):
            yield leaf
        elif depth > 2 or leaf is None or isinstance(leaf, str | bytes | int | type):
            continue
        elif callable(getattr(leaf, "to_dense", None)):
            yield from _numbers_in(leaf.to_dense(), framework, depth + 1)
        elif hasattr(leaf, "log_prob"):
            for name in ("mean", "variance"):
                with contextlib.suppress(Exception):
                    found = getattr(leaf, name)
                    yield from _numbers_in(
                        found() if callable(found) else found, framework, depth + 1
                    )
        elif hasattr(leaf, "__dataclass_fields__"):
            yield from _numbers_in(
                [getattr(leaf, name, None) for name in leaf.__dataclass_fields__],
                framework,
                depth + 1,
            )


class TorchStyle(Style):
    recorder = "record_torch"

    def target_of(self, owner: type) -> tuple[Callable[..., Any], str] | None:
        import torch

        if issubclass(owner, torch.nn.Module) and owner.forward is not torch.nn.Module.forward:
            return owner.forward, ""
        return None

    def forward_and_back(
        self,
        call: Callable[[Sequence[Any]], Any],
        arrays: Sequence[Any],
        returned: Callable[[Any], object] = lambda result: None,
    ) -> Sequence[Any]:
        import torch

        watched = [
            each.detach().clone().requires_grad_() if each.dtype.is_floating_point else each
            for each in arrays
        ]
        result = _first(lambda: call([each.clone() for each in watched]))
        returned(result)
        found = [
            leaf
            for leaf in _first(lambda: numbers_in(result, self.framework))
            if isinstance(leaf, torch.Tensor)
            and leaf.requires_grad
            and leaf.dtype.is_floating_point
        ]
        if found:
            total: Any = sum((leaf * weights(torch, leaf)).sum() for leaf in found)
            total.backward()
        return [each.grad for each in watched if each.grad is not None]


class JaxStyle(Style):
    recorder = "record_jax"

    def things(self) -> Things:
        import jax

        return Things(self.framework.module, lambda: jax.random.PRNGKey(0))

    def target_of(self, owner: type) -> tuple[Callable[..., Any], str] | None:
        function = getattr(owner, "__call__", None)  # noqa: B004
        return (function, "") if inspect.isfunction(function) else None

    def called(self, target: Target, made: dict[str, Any], given: dict[str, Any]) -> Any:
        import jax

        bases = {f"{base.__module__.partition('.')[0]}.{base.__name__}"
                 for base in target.owner.__mro__}  # fmt: skip
        if "flax.Module" in bases and "flax.linen" in str(target.owner.__mro__):
            subject = target.owner(**made)
            key = jax.random.PRNGKey(0)
            variables = jax.lax.stop_gradient(
                subject.init({"params": key, "dropout": key}, **given)
            )
            return subject.apply(variables, **given, rngs={"dropout": key})
        if "haiku.Module" in bases:
            import haiku  # type: ignore[import-not-found,unused-ignore]

            def program(**inputs: Any) -> Any:
                return target.owner(**made)(**inputs)

            transformed = haiku.transform_with_state(program)
            key = jax.random.PRNGKey(0)
            parameters, state = transformed.init(key, **given)
            return transformed.apply(parameters, state, key, **given)
        return super().called(target, made, given)

    def forward_and_back(
        self,
        call: Callable[[Sequence[Any]], Any],
        arrays: Sequence[Any],
        returned: Callable[[Any], object] = lambda result: None,
    ) -> Sequence[Any]:
        import jax
        import jax.numpy as jnp

        returned(_first(lambda: call(arrays)))
        own = [place for place, each in enumerate(arrays) if each.dtype.kind == "f"]

        def total(watched: Sequence[Any]) -> Any:
            inputs = list(arrays)
            for place, each in zip(own, watched, strict=True):
                inputs[place] = each
            found = [
                leaf
                for leaf in numbers_in(call(inputs), self.framework)
                if jnp.issubdtype(jnp.asarray(leaf).dtype, jnp.floating)
            ]
            return sum((jnp.sum(leaf * weights(jnp, leaf)) for leaf in found), jnp.zeros(()))

        if not own:
            return ()
        gradients: Sequence[Any] = jax.grad(total)([arrays[place] for place in own])
        return gradients


class TensorFlowStyle(Style):
    recorder = "record_tensorflow"

    def target_of(self, owner: type) -> tuple[Callable[..., Any], str] | None:
        for name in ("call", "__call__"):
            function = getattr(owner, name, None)
            if inspect.isfunction(function):
                return function, ""
        return None

    def called(self, target: Target, made: dict[str, Any], given: dict[str, Any]) -> Any:
        subject = target.owner(**made)
        if target.method or not hasattr(subject, "update_state"):
            return super().called(target, made, given)
        subject.update_state(**given)
        return subject.result()

    def forward_and_back(
        self,
        call: Callable[[Sequence[Any]], Any],
        arrays: Sequence[Any],
        returned: Callable[[Any], object] = lambda result: None,
    ) -> Sequence[Any]:
        tf: Any = importlib.import_module("tensorflow")
        own = [each for each in arrays if each.dtype.is_floating]
        with tf.GradientTape() as tape:
            tape.watch(own)
            result = _first(lambda: call(arrays))
            returned(result)
            found = [
                tf.reduce_sum(leaf)
                for leaf in map(tf.convert_to_tensor, numbers_in(result, self.framework))
                if leaf.dtype.is_floating
            ]
        if not found or not own:
            return ()
        gradients = tape.gradient(found, [*own, *tape.watched_variables()])
        return [tf.convert_to_tensor(each) for each in gradients if each is not None]


STYLES: Final[Mapping[str, type[Style]]] = {
    "torch": TorchStyle,
    "jax": JaxStyle,
    "tensorflow": TensorFlowStyle,
    "keras": TensorFlowStyle,
    "numpy": Style,
}


def style_of(framework: str) -> Style:
    """Imports the framework."""
    return STYLES[framework](FRAMEWORKS[framework]())


def recorder_of(style: Style) -> Recorder:
    """Raises `ImportError` where the framework has none."""
    module = importlib.import_module(f"benchmarks.witnesses.{style.recorder}")
    recorder: Recorder = module.Recorder
    return recorder


def modules_of(folder: Path) -> list[str]:
    """The names of the modules of a package that its users import, by path."""
    found = []
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder.parent).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        is_test = parts[-1].startswith("test_") or parts[-1].endswith("_test")
        if not is_test and not _NO_MODULES & set(parts[1:]) and all(map(str.isidentifier, parts)):
            found.append(".".join(parts))
    return found


def imported_module(name: str) -> ModuleType:
    """A module, where what is not installed of other packages is a mock; raises what it raises."""
    for _ in range(_MISSING_MOST):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            home = name.partition(".")[0]
            if error.name is None or error.name.partition(".")[0] == home:
                raise
            sys.modules[error.name] = mock.MagicMock(__path__=[], __spec__=None)
    raise ImportError("too much is not installed")


def targets_of(module: ModuleType, style: Style) -> Iterator[Target]:
    """The public functions and classes that a module defines, and what of them is called."""
    for name, found in list(vars(module).items()):
        if name.startswith("_") or getattr(found, "__module__", None) != module.__name__:
            continue
        if not _is_public(module, name, found):
            continue
        label = f"{module.__name__}:{name}"
        if inspect.isclass(found):
            yield from _methods_of(found, label, style)
        elif name not in _NO_FUNCTIONS and callable(found):
            function = inspect.unwrap(found)
            is_generator = inspect.isgeneratorfunction(function)
            if inspect.isfunction(function) and not is_generator and not _is_test(name):
                yield Target(label, found)


def _is_test(name: str) -> bool:
    return name.startswith(("test_", "benchmark_"))


def _is_public(module: ModuleType, name: str, found: object) -> bool:
    """Whether the path to it is public, or a package above hands it on."""
    parts = module.__name__.split(".")
    if not any(part.startswith("_") for part in parts):
        return True
    above = (sys.modules.get(".".join(parts[:end])) for end in range(1, len(parts)))
    return any(getattr(each, name, None) is found for each in above)


def _methods_of(owner: type, label: str, style: Style) -> Iterator[Target]:
    if inspect.isabstract(owner) or issubclass(owner, BaseException):
        return
    first = style.target_of(owner)
    if first is not None:
        yield Target(label, first[0], owner, first[1])
    is_distribution = style.is_distribution(owner)
    if first is None and not is_distribution:
        return
    names = dict.fromkeys(_METHODS_OF_DISTRIBUTIONS) if is_distribution else {}
    names.update(dict.fromkeys(vars(owner)))
    taken = 0
    for name in names:
        static = inspect.getattr_static(owner, name, None)
        function = static.fget if isinstance(static, property) else static
        is_left_out = bool(_NO_METHOD.match(name)) or name in ("forward", "call")
        if is_left_out or not inspect.isfunction(function) or taken == METHODS_MOST:
            continue
        if isinstance(static, property) and not is_distribution:
            continue
        taken += 1
        yield Target(f"{label}.{name}", function, owner, name)


def found_target(name: str, style: Style) -> Target:
    """The target of a name that `targets_of` gave; raises `LookupError` if there is none."""
    module = imported_module(name.partition(":")[0])
    for target in targets_of(module, style):
        if target.name == name:
            return target
    raise LookupError(f"{name} is not called by signature")


@dataclass(slots=True)
class Search:
    """What was tried to call a target."""

    call: Call | None = None
    attempts: int = 0
    last_error: str = ""
    without_numbers: int = 0
    """How many calls gave no numbers."""
    is_not_finite: bool = False
    """Whether what ordinary random numbers give is not finite, for each role that was tried."""


def search(target: Target, style: Style) -> Search:
    """The first call that gives finite numbers for ordinary random input."""
    found = Search()
    end = time.monotonic() + SECONDS_OF_A_SEARCH
    try:
        own = hints(target.function, target.docs)
        constructor = [] if target.owner is None else hints(target.owner, target.docs)
    except (TypeError, ValueError, NameError) as error:
        found.last_error = f"no signature: {error}"
        return found
    own = [hint for hint in own if hint.name not in ("self", "cls")]
    for made in itertools.islice(_constructions(target, constructor, style), CONSTRUCTIONS_MOST):
        tried = itertools.chain(
            itertools.islice(plans(own, style.things(), target.docs), ATTEMPTS_MOST),
            plans(with_labels(own), style.things(), target.docs),
        )
        for given in itertools.islice(tried, ATTEMPTS_MOST + LABELLED_MOST):
            if time.monotonic() > end or found.without_numbers == WITHOUT_NUMBERS_MOST:
                return found
            call = Call(target, style, made, given)
            found.attempts += 1
            if _is_finite(call, found):
                found.call = call
                return found
    return found


def _is_finite(call: Call, found: Search) -> bool:
    """Whether a call succeeds with finite numbers; what else happened is written down."""
    style = call.style
    try:
        with quiet():
            style.framework.seed()
            result = call.applied(_arrays(call, None, None))
            values = [
                np.asarray(style.framework.numbers(each))
                for each in numbers_in(result, style.framework)
            ]
    except TooLong:
        raise
    except Exception as error:
        found.last_error = f"{type(error).__name__}: {str(error)[:200]}"
        return False
    floats = [each for each in values if each.dtype.kind == "f" and each.size]
    if not floats:
        found.last_error = "no numbers come out of it"
        found.without_numbers += 1
        return False
    if not call.drawn:
        found.last_error = "no arrays go into it"
        return False
    if not all(np.isfinite(each).all() for each in floats):
        found.is_not_finite = True
        return False
    return True


_ALTERNATIVES: Final = ("probs", "logits", "scale", "covariance_matrix", "scale_tril", "rate")
"""Parameters of distributions of which one has to be given."""


def _constructions(target: Target, hinted: Sequence[Hint], style: Style) -> Iterator[Plan]:
    """The arguments with which an object can be made."""
    if target.owner is None:
        yield {}
        return
    end = time.monotonic() + SECONDS_OF_A_SEARCH / 2
    alternatives: list[Plan] = [{}]
    for hint in hinted:
        if not hint.is_required and hint.default is None and hint.name in _ALTERNATIVES:
            alternatives.append({hint.name: Drawn(roles_of(hint)[0], (4, 3))})
    for plan in itertools.islice(plans(hinted, style.things(), target.docs), 24):
        for more in alternatives:
            if time.monotonic() > end:
                return
            made = {**plan, **more}
            style.framework.seed()
            try:
                with quiet():
                    target.owner(**_values(made, style))
            except TooLong:
                raise
            except Exception as error:
                if "flax" in type(error).__module__ or "haiku" in str(error):
                    yield made
                continue
            yield made


def _values(plan: Plan, style: Style) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    return {
        name: style.framework.array(each.numbers(rng)) if isinstance(each, Drawn) else each.make()
        for name, each in plan.items()
    }


def _arrays(call: Call, kind: Kind | None, only: str | None) -> list[Any]:
    """The arrays of a call: ordinary ones, changed by a kind, all or the one of that name."""
    rng = np.random.default_rng(0)
    changes = np.random.default_rng(1)
    found = []
    for name, each in call.drawn:
        numbers = each.numbers(rng)
        is_meant = only is None or only == name
        if kind is not None and is_meant and not (each.role.is_structured and kind.keeps_dtype):
            numbers = kind.applied(numbers, changes, drawn=each.role is not Role.POSITIVE)
        found.append(call.style.framework.array(numbers))
    return found


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


Opened = Callable[[Callable[[Event], None]], AbstractContextManager[object]]
"""A recorder that is ready but for its sink."""


def seen(call: Call, kind: Kind, only: str | None, opened: Opened) -> list[Event]:
    """What a recorder sees of a call and its gradient; nothing where the call is refused.

    A value that is not finite counts where something that is not leaves the call, as a result or
    as a gradient: what the program replaces before harms nobody.
    """
    framework = call.style.framework
    events: list[Event] = []
    left: list[Any] = []
    arrays = _arrays(call, kind, only)
    framework.seed()
    with quiet():
        try:
            with opened(events.append) as recorder:
                hears = getattr(recorder, "returned", lambda result: None)

                def returned(result: Any) -> None:
                    left.extend(numbers_in(result, framework))
                    hears(result)

                left.extend(call.style.forward_and_back(call.applied, arrays, returned))
        except TooLong:
            raise
        except Refused:
            return []
        except Exception:
            pass  # what was seen before the gradient failed has been seen
        is_harmed = any(event.effect is Effect.GRADIENT for event in events) or not all(
            np.isfinite(np.asarray(framework.numbers(each))).all()
            for each in left
            if np.asarray(framework.numbers(each)).dtype.kind in "fc"
        )
    return [event for event in events if is_harmed or event.effect is not Effect.VALUE]


@dataclass(frozen=True, slots=True)
class Sighting:
    """An event, and what shows it."""

    event: Event
    target: str
    kind: str
    only: str = ""
    arguments: str = ""

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "event": json.loads(self.event.as_json())}

    @staticmethod
    def from_json(entry: Mapping[str, Any]) -> Sighting:
        rest = {name: value for name, value in entry.items() if name != "event"}
        return Sighting(Event.from_json(json.dumps(entry["event"])), **rest)

    def witness(self, package: str, version: str, framework: str) -> Witness:
        event = self.event
        command = f"python -m benchmarks.witnesses show {package} '{self.target}'"
        command += f" --driver calls --kind {self.kind}"
        return Witness(
            package=package,
            version=version,
            file=event.file,
            line=event.line,
            column=event.column,
            function=event.function,
            operation=event.operation,
            effect=event.effect,
            grade=kind_named(self.kind).grade,
            kind=self.kind,
            framework=framework,
            driver="calls",
            command=command + (f" --only {self.only}" if self.only else ""),
        )


def sightings(call: Call, opened: Opened) -> Iterator[Sighting]:
    """Each place once: the kinds come mildest first, all arguments before a single one.

    One argument at a time is changed in the ordinary ways alone.
    """
    known = set()
    names = [name for name, each in call.drawn]
    singles: list[str | None] = list(names) if len(names) > 1 else []
    for grade in Grade:
        for only in [None, *(singles if grade is Grade.ORDINARY else [])]:
            for kind in KINDS:
                if kind.grade is not grade or (only and not kind.keeps_shape):
                    continue
                for event in seen(call, kind, only, opened):
                    place = (event.file, event.line, event.column, event.effect)
                    if place not in known:
                        known.add(place)
                        yield Sighting(
                            event, call.target.name, kind.name, only or "", call.described()
                        )


def calls_of(call: Call) -> list[Call]:
    """A call that was found, and one with masks or weights that may be left out."""
    own = hints(call.target.function, call.target.docs)
    for given in itertools.islice(with_optional(call.given, own), ATTEMPTS_MOST):
        more = Call(call.target, call.style, call.made, given)
        if _is_finite(more, Search()):
            return [call, more]
    return [call]


def driven(target: Target, style: Style, folder: Path) -> Iterator[dict[str, Any]]:
    """Records of one target: what was tried, what ran, and each sighting."""
    recorder = recorder_of(style)
    found = search(target, style)
    status = "called" if found.call else ("not finite" if found.is_not_finite else "not called")
    yield {
        "target": target.name,
        "status": status,
        "attempts": found.attempts,
        "arguments": found.call.described() if found.call else "",
        "error": "" if found.call else found.last_error,
    }
    if found.call is None:
        return
    options = calls_of(found.call)
    with Ran([folder]) as ran, quiet(), contextlib.suppress(Exception):
        style.forward_and_back(options[-1].applied, _arrays(options[-1], None, None))
    yield {"ran": ran.names()}
    for call in options:
        for sighting in sightings(call, lambda sink: recorder([folder], sink)):
            yield sighting.as_json()


@dataclass(slots=True)
class Work:
    """A package that is driven."""

    folder: Path
    framework: str
    paths: Sequence[str] = field(default_factory=list)
    """Where else its imports are looked for."""


def _child(work: Work, module: str, done: Sequence[str], pipe: Any) -> None:
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with open(os.devnull, "r+") as nowhere:
        for stream in (0, 1, 2):
            os.dup2(nowhere.fileno(), stream)
    signal.signal(signal.SIGALRM, _stop)
    try:
        style = style_of(work.framework)
        sys.path[:0] = [str(work.folder.parent), *work.paths]
        with quiet():
            imported = imported_module(module)
        for target in list(targets_of(imported, style)):
            if target.name not in done:
                _drive(target, style, work.folder, pipe)
    except BaseException as error:
        pipe.send({"trouble": f"{type(error).__name__}: {str(error)[:300]}"})
    pipe.send(None)
    os._exit(0)


def _drive(target: Target, style: Style, folder: Path, pipe: Any) -> None:
    pipe.send({"begun": target.name})
    signal.setitimer(signal.ITIMER_REAL, SECONDS_OF_A_TARGET)
    try:
        for record in driven(target, style, folder):
            pipe.send(record)
    except TooLong:
        pipe.send({"target": target.name, "status": "too long"})
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _stop(*_: object) -> None:
    raise TooLong("the time of this target is over")


_RESTARTS_MOST: Final = 4


def drive_module(work: Work, module: str) -> list[dict[str, Any]]:
    """What processes of its own say of a module; one that ends in a target goes on after it."""
    records: list[dict[str, Any]] = []
    begun: list[str] = []
    end = time.monotonic() + SECONDS_OF_A_MODULE
    for _ in range(_RESTARTS_MOST):
        count = len(begun)
        if _finished(work, module, begun, records, end) or len(begun) == count:
            break
        records.append({"target": begun[-1], "status": "its process ended"})
    return records


def _finished(
    work: Work, module: str, begun: list[str], records: list[dict[str, Any]], end: float
) -> bool:
    ours, theirs = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(
        target=_child, args=(work, module, tuple(begun), theirs)
    )
    child.start()
    theirs.close()
    try:
        while ours.poll(max(0.0, min(end - time.monotonic(), SECONDS_OF_A_TARGET * 2))):
            said = ours.recv()
            if said is None:
                return True
            if "begun" in said:
                begun.append(said["begun"])
            else:
                records.append(said)
        return time.monotonic() >= end
    except EOFError:
        return False
    finally:
        child.kill()
        child.join()


def drive(work: Work, modules: Sequence[str], out: Path) -> None:
    """Drives modules that have no line in `out` yet, and appends theirs."""
    done = {entry["module"] for entry in _entries(out)}
    for number, module in enumerate(modules, 1):
        _progress(number, len(modules), module)
        if module in done:
            continue
        begun = time.monotonic()
        records = drive_module(work, module)
        seconds = round(time.monotonic() - begun, 1)
        with out.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"module": module, "seconds": seconds, "records": records}))
            file.write("\n")


def _entries(out: Path) -> Iterator[dict[str, Any]]:
    if out.exists():
        for line in out.read_text(encoding="utf-8").splitlines():
            with contextlib.suppress(ValueError):  # the process ended while it wrote
                yield json.loads(line)


def sightings_in(out: Path) -> Iterator[Sighting]:
    """What `drive` wrote."""
    for entry in _entries(out):
        for record in entry["records"]:
            if "event" in record:
                yield Sighting.from_json(record)


def ran_in(out: Path) -> frozenset[str]:
    """The functions of the package that were executed: `kornia/losses/ssim.py:ssim`."""
    return frozenset(
        name
        for entry in _entries(out)
        for record in entry["records"]
        for name in record.get("ran", ())
    )


def show(
    folder: Path, framework: str, name: str, kind: str, only: str = "", paths: Sequence[str] = ()
) -> list[Sighting]:
    """The events of one target under one kind of input; raises `LookupError` if it has none."""
    style = style_of(framework)
    recorder = recorder_of(style)
    sys.path[:0] = [str(folder.parent), *paths]
    target = found_target(name, style)
    found = search(target, style)
    if found.call is None:
        raise LookupError(f"{name} cannot be called: {found.last_error}")
    return [
        Sighting(event, name, kind, only, call.described())
        for call in calls_of(found.call)
        if not only or only in dict(call.drawn)
        for event in seen(call, kind_named(kind), only or None, lambda s: recorder([folder], s))
    ]


def _progress(done: int, total: int, module: str) -> None:
    if sys.stderr.isatty():
        bar = "#" * (done * _BAR // total)
        print(f"\r[{bar:<{_BAR}}] {done}/{total} {module[-40:]:<40}", end="", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--framework", choices=tuple(STYLES), required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--module", action="append")
    parser.add_argument("--path", action="append", default=[])
    options = parser.parse_args(arguments)
    work = Work(options.folder.resolve(), options.framework, options.path)
    style_of(options.framework)  # imported once, for all processes
    if options.framework == "torch":
        import torch

        torch.set_num_threads(1)
    drive(work, options.module or modules_of(work.folder), options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
