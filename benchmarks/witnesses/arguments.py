"""Arguments for a function, chosen by its signature and docstring alone.

The meaning of a parameter is derived from its name, annotation, default and description; its
shape from `(B, C, H, W)` in the docstring, or else by trying. Options keep their defaults, and
required numbers get sensible values: what a call shows has to come from its data.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Array = NDArray[Any]
Shape = tuple[int, ...]


class Role(str, Enum):
    """The meaning of an argument's numbers, which determines the admissible ones."""

    DATA = "data"
    UNIT = "unit"
    """Each within [0, 1]: an independent probability, or a pixel."""
    SHARES = "shares"
    """Rows that sum to 1."""
    LOGARITHMS = "logarithms"
    """Logarithms of shares."""
    NOT_NEGATIVE = "not-negative"
    POSITIVE = "positive"
    """A scale, a variance, a rate: no user passes 0 on purpose."""
    BINARY = "binary"
    MASK = "mask"
    LABELS = "labels"
    LENGTHS = "lengths"
    BOXES = "boxes"
    COVARIANCE = "covariance"
    TRIANGULAR = "triangular"
    ROTATION = "rotation"
    QUATERNION = "quaternion"

    @property
    def is_structured(self) -> bool:
        """Whether the numbers depend on each other, so that they must not be changed."""
        return self in (Role.COVARIANCE, Role.TRIANGULAR, Role.ROTATION, Role.QUATERNION)


@dataclass(frozen=True, slots=True)
class Drawn:
    """An array to be drawn for a parameter."""

    role: Role
    shape: Shape

    def numbers(self, rng: Generator) -> Array:
        """Return numbers that an ordinary user would pass."""
        return _DRAWS[self.role](rng, self.shape)


@dataclass(frozen=True, slots=True)
class Made:
    """An argument that is not drawn: the result of `make`, such as a number or a module."""

    make: Callable[[], Any]
    text: str = ""


Argument = Drawn | Made
Plan = Mapping[str, Argument]
"""The arguments by parameter."""

WIDTH: Final = 8
CHANNELS: Final = 3
CLASSES: Final = 3
SIDE: Final = 16
SHAPES: Final[tuple[Shape, ...]] = (
    (4, CLASSES),
    (4, WIDTH),
    (4,),
    (2, CHANNELS, SIDE, SIDE),
    (2, 5, WIDTH),
    (2, 5, 3),
    (4, 3, 3),
    (2, CHANNELS, SIDE),
    (2, 1, SIDE, SIDE),
    (2, WIDTH, SIDE, SIDE),
    (2, WIDTH, SIDE),
    (),
    (4, 4),
    (2, CHANNELS, 8, SIDE, SIDE),
    (1, CHANNELS, 64, 64),
    (1, CHANNELS, 192, 192),
)
"""Hypotheses about an unknown shape, the likeliest first."""


def _between(low: float, high: float) -> Callable[[Generator, Shape], Array]:
    return lambda rng, shape: np.asarray(rng.uniform(low, high, shape), np.float32)


def _normal(rng: Generator, shape: Shape) -> Array:
    return np.asarray(rng.standard_normal(shape), np.float32)


def _shares(rng: Generator, shape: Shape) -> Array:
    raw = np.exp(rng.standard_normal(shape or (2,)))
    rows = raw / raw.sum(-1, keepdims=True)
    return np.asarray(rows if shape else rows[0], np.float32)


def _positive(rng: Generator, shape: Shape) -> Array:
    return np.asarray(np.log1p(np.exp(rng.standard_normal(shape))) + 0.1, np.float32)


def _binary(rng: Generator, shape: Shape) -> Array:
    return np.asarray(rng.random(shape) < 0.5, np.float32)


def _mask(rng: Generator, shape: Shape) -> Array:
    found = np.asarray(rng.random(shape) < 0.6)
    found.reshape(-1)[:1] = True
    return found


def _labels(rng: Generator, shape: Shape) -> Array:
    """Return each label twice in a row, so that pairs exist."""
    count = int(np.prod(shape, dtype=int))
    return (np.arange(count) // 2 % CLASSES).reshape(shape).astype(np.int64)


def _lengths(rng: Generator, shape: Shape) -> Array:
    return np.asarray(rng.integers(2, 5, shape), np.int64)


def _boxes(rng: Generator, shape: Shape) -> Array:
    corner = rng.uniform(0, 5, (*shape[:-1], 2))
    return np.concatenate([corner, corner + rng.uniform(1, 5, corner.shape)], -1).astype(np.float32)


def _covariance(rng: Generator, shape: Shape) -> Array:
    root = rng.standard_normal(shape)
    product = root @ np.swapaxes(root, -1, -2)
    return np.asarray(product + np.eye(shape[-1]), np.float32)


def _triangular(rng: Generator, shape: Shape) -> Array:
    return np.asarray(np.linalg.cholesky(_covariance(rng, shape)), np.float32)


def _rotation(rng: Generator, shape: Shape) -> Array:
    turned, _ = np.linalg.qr(rng.standard_normal(shape))
    return np.asarray(turned * np.linalg.det(turned)[..., None, None], np.float32)


def _quaternion(rng: Generator, shape: Shape) -> Array:
    raw = rng.standard_normal(shape)
    return np.asarray(raw / np.linalg.norm(raw, axis=-1, keepdims=True), np.float32)


_DRAWS: Final[Mapping[Role, Callable[[Generator, Shape], Array]]] = {
    Role.DATA: _normal,
    Role.UNIT: _between(0.05, 0.95),
    Role.SHARES: _shares,
    Role.LOGARITHMS: lambda rng, shape: np.log(_shares(rng, shape)),
    Role.NOT_NEGATIVE: lambda rng, shape: np.abs(_normal(rng, shape)),
    Role.POSITIVE: _positive,
    Role.BINARY: _binary,
    Role.MASK: _mask,
    Role.LABELS: _labels,
    Role.LENGTHS: _lengths,
    Role.BOXES: _boxes,
    Role.COVARIANCE: _covariance,
    Role.TRIANGULAR: _triangular,
    Role.ROTATION: _rotation,
    Role.QUATERNION: _quaternion,
}

_ROLES: Final[tuple[tuple[re.Pattern[str], tuple[Role, ...]], ...]] = tuple(
    (re.compile(pattern), roles)
    for pattern, roles in (
        (r"^(log_?var\w*|log_?(std|sigma|scale)\w*|logits?\w*|\w*_logits?)$", (Role.DATA,)),
        (r"^(log_?p(rob)?s?\w*|\w*_log_?probs?|log_softmax\w*)$", (Role.LOGARITHMS, Role.DATA)),
        (r"scale_tril|cholesky|^tril$", (Role.TRIANGULAR, Role.POSITIVE)),
        (r"cov(ar)?(iance)?(_matrix|_mat)?$|precision_matrix", (Role.COVARIANCE, Role.POSITIVE)),
        (r"mask|valid|padding|visib|^keep|is_", (Role.MASK, Role.BINARY, Role.UNIT)),
        (r"quat", (Role.QUATERNION, Role.DATA)),
        (r"^(rot\w*|R|rotation_matri\w+)$", (Role.ROTATION, Role.DATA)),
        (r"box", (Role.BOXES, Role.DATA)),
        (r"length|lens$", (Role.LENGTHS, Role.POSITIVE)),
        (r"prob|^p$|^q$|confidence|softmax|sigmoid", (Role.UNIT, Role.SHARES)),
        (r"^(scales?|std\w*|\w+_std|sigmas?|vars?|variances?|\w+_var|\w*rate|concentration\d?"
         r"|bandwidth|lengthscale|precision|tau|temperature|df|alpha|beta|gamma|nu|noise|kappa"
         r"|power|shape_param\w*|dispersion|total_count|theta|k)$",
         (Role.POSITIVE, Role.DATA, Role.NOT_NEGATIVE)),
        (
            r"(scale|class|level|loss|pos|layer|channel|kernel|category)_?weights?$",
            (Role.POSITIVE, Role.DATA),
        ),
        (r"weights?$|^count|freq|distances?$|^dists?$|magnitude|norms?$|depths?$|disp",
         (Role.NOT_NEGATIVE, Role.DATA)),
        (r"label|class_id|segm|^seg$", (Role.LABELS, Role.BINARY, Role.DATA, Role.UNIT)),
        (r"^(y_true|y|targets?\w*|gt\w*|\w+_gt|ground_truth|truth|true|actual|tgt)$",
         (Role.UNIT, Role.BINARY, Role.LABELS, Role.DATA)),
        (r"ind(ex|ices|s)$|idx|^batch$|_ids?$|^ids$|^edge", (Role.LABELS, Role.DATA)),
        (r"^(im(age|g)?s?\d?|image_?\w*|\w+_image|im(g|age)\d|rgb|frames?|pixels?)$",
         (Role.UNIT, Role.DATA)),
        (r"^(y_)?pred\w*$|^output|^input$", (Role.DATA, Role.UNIT, Role.SHARES)),
    )
)  # fmt: skip
_OTHERS: Final = (Role.DATA, Role.UNIT, Role.NOT_NEGATIVE, Role.POSITIVE, Role.LABELS)
"""For other names, wider ranges first: a narrower one is used if a wider one breaks."""

_NUMBERS: Final[tuple[tuple[re.Pattern[str], Any], ...]] = tuple(
    (re.compile(pattern), number)
    for pattern, number in (
        (r"^eps|epsilon|tolerance|^tol$", 1e-6),
        (r"^(dim|axis)$", -1),
        (r"kernel|window|patch|crop", 3),
        (r"stride|dilation|groups?$|num_heads|heads|n_?head|layers?$|depth|repeat|steps?$|rank", 1),
        (r"^padding$", 1),
        (r"classes|num_labels|categories|vocab|num_embeddings|n_class", CLASSES),
        (r"channels?$|^channels|planes|_ch$|^in_c|^out_c|filters", CHANNELS),
        (r"dims?$|features?$|hidden|width|embed|d_model|units|^size$|_size$|^d$|latent", WIDTH),
        (r"height|^h$|^w$|resolution", SIDE),
        (r"margin|momentum|^rho$|quantile|threshold|drop|^p$|alpha|ratio|prob", 0.5),
        (r"gamma|^n$|^k$|^m$|beta|order|degree|num|count|^t$", 2),
    )
)
_ARRAY: Final = re.compile(r"Tensor|Array|array|ndarray|Float\[|Int\[|Bool\[")
_MODULE: Final = re.compile(r"Callable|Module|callable|Layer")
_MODULE_NAME: Final = re.compile(r"(^|_)(net|network|model|layer|module|fn|func|function|loss)$")
_KEY_NAME: Final = re.compile(r"^(key|rng|prng_?key|rng_key|seed)$")
_LABELS: Final = re.compile(r"^(labels?|targets?|y|y_true|gt)$")
_OPTIONAL: Final = re.compile(r"mask|padding|weight|valid|length")
"""Names of optional parameters that are arrays and affect a divisor."""


@dataclass(frozen=True, slots=True)
class Hint:
    """What is known about a parameter."""

    name: str
    annotation: str
    default: Any
    about: str
    shape: Shape | None

    @property
    def is_required(self) -> bool:
        return self.default is inspect.Parameter.empty

    @property
    def is_optional_array(self) -> bool:
        """Whether it may be left out, and is an array otherwise."""
        return self.default is None and bool(_OPTIONAL.search(self.name))


@dataclass(frozen=True, slots=True)
class Things:
    """What a framework creates for parameters that are neither arrays nor numbers."""

    module: Callable[[], Any]
    key: Callable[[], Any] | None = None


def hints(function: Callable[..., Any], docs: str) -> list[Hint]:
    """Return the parameters; raises `ValueError` or `TypeError` if there is no signature.

    `docs` describes them: the docstrings of the function and of its class.
    """
    return _hints(_parameters(function), docs)


def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the parameters, also of base classes to which a class passes `**options`."""
    if not inspect.isclass(function):
        return dict(inspect.signature(function).parameters)
    found: dict[str, inspect.Parameter] = {}
    for base in function.__mro__:
        if inspect.isfunction(made := vars(base).get("__init__")):
            parameters = inspect.signature(made).parameters
            found = {**parameters, **found}
            if not any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
                break
    return found or dict(inspect.signature(function).parameters)


def _hints(parameters: Mapping[str, inspect.Parameter], docs: str) -> list[Hint]:
    found = []
    for name, parameter in parameters.items():
        if name == "self" or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        annotation = parameter.annotation
        text = "" if annotation is parameter.empty else _annotated(annotation)
        about = described(docs, name)
        shape = shape_in(text) or shape_in(about)
        found.append(Hint(name, text, parameter.default, about, shape))
    return found


def _annotated(annotation: Any) -> str:
    if isinstance(annotation, str):
        return annotation
    return annotation.__name__ if inspect.isclass(annotation) else str(annotation)


def described(docs: str, name: str) -> str:
    """Return a docstring's description of a parameter, up to the next one."""
    start = re.compile(rf"^[\s\-*:]*(?:param\s+)?[`*]*{re.escape(name)}[`*]*\s*[:(]|^\s*"
                       rf"[-*]\s*{re.escape(name)}\b", re.MULTILINE | re.IGNORECASE)  # fmt: skip
    said = []
    for match in start.finditer(docs):
        line = docs.rfind("\n", 0, match.start() + 1) + 1
        indent = _indent(docs[line:])
        lines = docs[match.end() :].split("\n")
        kept = lines[:1]
        for each in lines[1:6]:
            if not each.strip() or _indent(each) <= indent:
                break
            kept.append(each)
        said.append(docs[match.start() : match.end()] + "\n".join(kept))
    return "\n".join(said)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


_DIMENSION: Final = r"(?:\*+|\.\.\.|…|\\?\*|\d{1,4}|\*?[A-Za-z][A-Za-z_]{0,16}\d?)"
_GROUP: Final = re.compile(
    rf"[(\[{{]\s*({_DIMENSION}(?:\s*,\s*{_DIMENSION})*)\s*,?\s*[)\]}}]|"
    r"\b([A-Z](?:\s?[x×]\s?[A-Z0-9]){1,4})\b"
)
_QUOTED: Final = re.compile(r"""\[\s*\w+\s*,\s*["']([^"']*)["']\s*\]""")
"""A shape in the notation of `jaxtyping`: `Float[Tensor, "*batch N D"]`."""
_NO_DIMENSION: Final = re.compile(
    r"^(tensor|array|ndarray|optional|float|int|bool|str|list|tuple|none|default|callable|module"
    r"|torch|required|true|false|sequence|number|string|dict|see|e|i|g|ie|eg|or|and|the|mean|sum)$",
    re.IGNORECASE,
)
_LENGTHS_BY_NAME: Final[tuple[tuple[re.Pattern[str], int], ...]] = tuple(
    (re.compile(pattern, re.IGNORECASE), length)
    for pattern, length in (
        (r"^(b|batch\w*|bs|n_batch)$", 2),
        (r"class|^c$|channel|^ch$|^nc$", CLASSES),
        (r"^(h|w|height|width)\d?$", SIDE),
        (r"^(t|l|s|seq\w*|time\w*|length)$", 5),
        (r"^(d|f|e)$|dim|feat|embed|hidden|size", WIDTH),
    )
)
_OF_OTHER_NAMES: Final = 4


def shape_in(text: str) -> Shape | None:
    """Return the first shape in a text: `(B, C, H, W)`, `[N, 3]`, `B x C`, `(*, 3)`."""
    quoted = _QUOTED.search(text)
    if quoted is not None:
        return _lengths_of(quoted.group(1).split())
    for match in _GROUP.finditer(text):
        parts = re.split(r"\s*,\s*|\s?[x×]\s?", (match.group(1) or match.group(2)).strip())
        is_range = len(parts) <= 2 and all(part.isdigit() for part in parts)
        if not is_range and not any(_NO_DIMENSION.match(part) for part in parts):
            return _lengths_of(parts)
    return None


def _lengths_of(parts: Sequence[str]) -> Shape:
    found: list[int] = []
    for part in parts:
        if part.startswith(("*", "\\*", "...", "…", "#")):
            found.append(2)
        elif part.isdigit():
            found.append(int(part))
        else:
            known = (length for name, length in _LENGTHS_BY_NAME if name.search(part))
            found.append(next(known, _OF_OTHER_NAMES))
    return tuple(found)


def roles_of(hint: Hint, docs: str = "") -> tuple[Role, ...]:
    """Return the possible roles of a parameter, the likeliest first."""
    about = hint.about.lower()
    found: list[Role] = []
    if _takes_masks_only(hint.annotation):
        found.append(Role.MASK)
    if re.search(r"\[0(\.0*)?,\s*1|between 0 and 1|range (of )?\(?0|probabilit", about):
        found.append(Role.SHARES if "distribution" in about or "sum to" in about else Role.UNIT)
    for pattern, roles in _ROLES:
        if pattern.search(hint.name):
            found += roles
            break
    if re.search(r"\b(integer|class ind|long|int64|ground truth labels|label)", about):
        if Role.LABELS in found:
            found.insert(0, Role.LABELS)
    elif re.search(r"positive|> ?0\b", about) and "definite" not in about:
        found.insert(0, Role.POSITIVE)
    elif re.search(r"non-?negative|>= ?0\b", about):
        found.insert(0, Role.NOT_NEGATIVE)
    if re.match(r"y_?pred", hint.name) and re.search(r"from_logits", docs):
        found.insert(0, Role.UNIT)
    return tuple(dict.fromkeys([*found, *_OTHERS]))


def number_of(name: str, annotation: str) -> Any:
    """Return a sensible number for a required parameter."""
    is_whole = "int" in annotation and "float" not in annotation
    for pattern, number in _NUMBERS:
        if pattern.search(name):
            return max(1, int(number)) if is_whole and number > 0 else number
    return 2 if is_whole else 1.0


def plans(hinted: Sequence[Hint], things: Things, docs: str = "") -> Iterator[Plan]:
    """Yield possible arguments for the required parameters, the likeliest first."""
    required = [hint for hint in hinted if hint.is_required]
    fixed: dict[str, Argument] = {}
    arrays: list[Hint] = []
    for hint in required:
        found = _not_an_array(hint, things)
        if found is not None:
            fixed[hint.name] = found
        else:
            arrays.append(hint)
    yielded: set[str] = set()
    for plan in _array_plans(arrays, docs):
        whole = {hint.name: fixed.get(hint.name) or plan[hint.name] for hint in required}
        if repr(whole) not in yielded:
            yielded.add(repr(whole))
            yield whole
    for hint in arrays:  # a number, if no array is accepted
        if not _ARRAY.search(hint.annotation):
            made = _number(hint)
            for plan in _array_plans([each for each in arrays if each is not hint], docs):
                yield {
                    each.name: made if each is hint else fixed.get(each.name) or plan[each.name]
                    for each in required
                }


def with_labels(hinted: Sequence[Hint]) -> list[Hint]:
    """Return the parameters, with optional labels and targets made required."""
    return [
        replace(hint, default=inspect.Parameter.empty)
        if hint.default is None and _LABELS.search(hint.name)
        else hint
        for hint in hinted
    ]


def with_optional(plan: Plan, hinted: Sequence[Hint]) -> Iterator[Plan]:
    """Yield the plan with optional masks and weights."""
    shapes = [each.shape for each in plan.values() if isinstance(each, Drawn)]
    if not shapes:
        return
    shape = max(shapes, key=len)
    for hint in hinted:
        if hint.is_required or not hint.is_optional_array:
            continue
        for role in roles_of(hint)[:2]:
            for tried in dict.fromkeys([hint.shape or shape, shape, shape[:-1], shape[:2],
                                        shape[:1]]):  # fmt: skip
                yield {**plan, hint.name: Drawn(role, tried)}


def _not_an_array(hint: Hint, things: Things) -> Made | None:
    annotation = hint.annotation
    if _KEY_NAME.match(hint.name) and things.key is not None:
        return Made(things.key, "key")
    if _ARRAY.search(annotation) and not _MODULE.search(annotation):
        return None
    if _MODULE.search(annotation) or (not annotation and _MODULE_NAME.search(hint.name)):
        return Made(things.module, "module")
    if re.search(r"\b(int|float|bool|str)\b", annotation):
        if re.search(r"\bbool\b", annotation):
            return Made(lambda: True, "True")
        if annotation == "str":
            return Made(lambda: "mean", "'mean'")
        return _number(hint)
    if not annotation and _is_number(hint):
        return _number(hint)
    return None


def _takes_masks_only(annotation: str) -> bool:
    """Whether it is like `Bool[Tensor, "n"]`; a union with other numbers accepts these too."""
    takes_numbers = re.search(r"float|\bint\b|number", annotation, re.IGNORECASE)
    return "bool" in annotation.lower() and not takes_numbers and bool(_ARRAY.search(annotation))


def _is_number(hint: Hint) -> bool:
    """Whether the name of a parameter without annotation indicates a count or an option."""
    return bool(
        re.search(
            r"^(num|n)_|_(size|dim|dims|channels|features|heads|layers|classes|units)$|^(dim|axis|"
            r"eps|margin|channels|hidden|kernel_size|stride|in_\w+|out_\w+|dims?|d_model|units)$",
            hint.name,
        )
    ) or bool(re.search(r"\b(int|float)\b", hint.about.split("\n")[0]))


def _number(hint: Hint) -> Made:
    number = number_of(hint.name, hint.annotation or hint.about.split("\n")[0])
    return Made(lambda: number, repr(number))


_ATTEMPTS_MOST: Final = 90


def _array_plans(arrays: Sequence[Hint], docs: str) -> Iterator[Plan]:
    if not arrays:
        yield {}
        return
    first = {hint.name: roles_of(hint, docs)[0] for hint in arrays}
    written = {hint.name: hint.shape for hint in arrays if hint.shape is not None}
    if written:
        common = max(written.values(), key=len)
        for roles in (first, *_changed_roles(arrays, first, docs)):
            yield from _assigned(arrays, roles, common, written)
            for side in _LARGER_SIDES:
                larger = {name: _enlarged(shape, side) for name, shape in written.items()}
                if larger != written:
                    yield from _assigned(arrays, roles, _enlarged(common, side), larger)
        yield from _assigned(arrays, first, common, {})
    for shape in SHAPES:
        yield from _assigned(arrays, first, shape, {})
    for changed in _changed_roles(arrays, first, docs):
        for shape in SHAPES[:6]:
            yield from _assigned(arrays, changed, shape, {})
    if len(arrays) > 1:
        last = arrays[-1].name
        for shape, other in _PAIRS:
            yield from _assigned(arrays, first, shape, {last: other})


_LARGER_SIDES: Final = (64, 192)
"""Sides that pyramids, windows and pools of images need."""


def _enlarged(shape: Shape, side: int) -> Shape:
    return tuple(side if length == SIDE else length for length in shape)


_PAIRS: Final[tuple[tuple[Shape, Shape], ...]] = (
    ((4, 3), (3,)),
    ((4, 8), (8, 8)),
    ((2, 5, 3), (2, 3, 3)),
    ((2, 3, 3), (2, 5, 3)),
    ((2, 5, 3), (2, 4, 4)),
    ((2, 3, 16, 16), (2, 3, 3)),
    ((4, 8), (3, 8)),
    ((4, 3), (2, 4)),
)


def _changed_roles(
    arrays: Sequence[Hint], first: Mapping[str, Role], docs: str
) -> Iterator[Mapping[str, Role]]:
    for hint in arrays:
        for role in roles_of(hint, docs)[1:4]:
            yield {**first, hint.name: role}
    for role in (Role.UNIT, Role.NOT_NEGATIVE, Role.POSITIVE):
        free = {name for name, known in first.items() if known is Role.DATA}
        if len(free) > 1:
            yield {**first, **dict.fromkeys(free, role)}


def _assigned(
    arrays: Sequence[Hint],
    roles: Mapping[str, Role],
    shape: Shape,
    written: Mapping[str, Shape | None],
) -> Iterator[Plan]:
    """Yield plans with one shape for all; labels and masks also without the class axis."""
    drawn = {
        hint.name: Drawn(role, _fitting(role, written.get(hint.name) or shape))
        for hint in arrays
        for role in [roles[hint.name]]
    }
    yield drawn
    labels = [
        name
        for name, each in drawn.items()
        if each.role in (Role.LABELS, Role.MASK, Role.BINARY, Role.LENGTHS)
        and not written.get(name)
    ]
    if labels and len(shape) > 1:
        without = {(*shape[:1], *shape[2:]), shape[:-1], shape[:1], (*shape[:1], 1, *shape[2:])}
        for other in sorted(without, key=len):
            yield {
                name: replace(each, shape=other) if name in labels else each
                for name, each in drawn.items()
            }


def _fitting(role: Role, shape: Shape) -> Shape:
    """Return a similar shape that the role allows."""
    match role:
        case Role.COVARIANCE | Role.TRIANGULAR | Role.ROTATION:
            last = 3 if role is Role.ROTATION else (shape[-1] if shape else 3)
            return (*shape[:-2], last, last) if len(shape) > 1 else (last, last)
        case Role.BOXES | Role.QUATERNION:
            return (*shape[:-1], 4)
    return shape
