"""When a framework introduced what fixes write: the version of a function, or of a form of call.

Everything unlisted is older than PyTorch 1.0, TensorFlow 1.4, Keras 2.0, JAX 0.2, NumPy 1.13, SciPy
1.0 and Optax 0.1; for NumPy that is everything. The versions come from the declarations in the
releases or, if a release was not at hand, from its notes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from mllint_nan.frameworks.signature import Signature

Version = tuple[int, ...]

# A method begins with a dot. Parentheses hold a form: keywords that are passed, `!dim` for one that
# is not, `number` for a Python number among the operands. `torch.std` is older than 1.7, but had no
# gradient where all elements are equal.
_SINCE: Final[Mapping[str, str]] = {
    "torch": """
        1.1   torch.norm(dim) torch.var(unbiased,dim) .var(unbiased,dim)
        1.3   torch.logical_not .logical_not
        1.5   torch.square .square torch.true_divide .true_divide
        1.6   torch.absolute .absolute torch.logaddexp .logaddexp .isinf .isnan
        1.6   torch.logcumsumexp .logcumsumexp
        1.7   torch.clip .clip torch.divide .divide torch.multiply .multiply
        1.7   torch.subtract .subtract torch.negative .negative torch.not_equal .not_equal
        1.7   torch.greater .greater torch.maximum .maximum torch.amax .amax
        1.7   torch.std(unbiased) .std(unbiased)
        1.8   torch.fmax .fmax torch.float_power .float_power torch.xlogy .xlogy
        1.8   torch.ravel .ravel torch.linalg.slogdet
        1.9   torch.linalg.vector_norm torch.special.expit torch.special.expm1
        1.9   torch.var(correction) .var(correction) torch.std(correction) .std(correction)
        1.9   torch.nn.utils.clip_grad_norm_(error_if_nonfinite)
        1.9   torch.nn.utils.clip_grad.clip_grad_norm_(error_if_nonfinite)
        1.9   torch.nn.utils.clip_grad_norm(error_if_nonfinite)
        1.9   torch.nn.utils.clip_grad.clip_grad_norm(error_if_nonfinite)
        1.10  torch.special.log1p torch.special.log_softmax torch.special.logsumexp
        1.10  torch.special.xlogy
        1.11  torch.special.softmax
        1.12  torch.special.log_ndtr torch.where(number)
        2.0   .where(number) torch.var(correction,!dim) .var(correction,!dim)
        2.0   torch.std(correction,!dim) .std(correction,!dim)
    """,
    "tensorflow": """
        1.5   tensorflow.reduce_sum(keepdims) tensorflow.reduce_mean(keepdims)
        1.5   tensorflow.reduce_max(keepdims) tensorflow.reduce_logsumexp(keepdims)
        1.5   tensorflow.nn.softmax(axis) tensorflow.nn.log_softmax(axis)
        1.5   tensorflow.nn.l2_normalize(axis)
        1.10  tensorflow.math.add tensorflow.math.equal tensorflow.math.exp tensorflow.math.expm1
        1.10  tensorflow.math.greater tensorflow.math.log tensorflow.math.log1p
        1.10  tensorflow.math.logical_and tensorflow.math.logical_not tensorflow.math.maximum
        1.10  tensorflow.math.minimum tensorflow.math.not_equal tensorflow.math.rsqrt
        1.10  tensorflow.math.sin tensorflow.math.softplus
        1.12  tensorflow.math.abs tensorflow.math.cumsum tensorflow.math.divide
        1.12  tensorflow.math.l2_normalize tensorflow.math.log_sigmoid
        1.12  tensorflow.math.log_softmax tensorflow.math.multiply tensorflow.math.negative
        1.12  tensorflow.math.pow tensorflow.math.reduce_logsumexp tensorflow.math.reduce_max
        1.12  tensorflow.math.reduce_mean tensorflow.math.reduce_sum tensorflow.math.sigmoid
        1.12  tensorflow.math.softmax tensorflow.math.sqrt tensorflow.math.square
        1.12  tensorflow.math.subtract tensorflow.math.tanh tensorflow.math.truediv
        1.12  tensorflow.math.xlogy tensorflow.linalg.l2_normalize
        1.13  tensorflow.math.is_inf tensorflow.math.is_nan tensorflow.math.reduce_variance
        1.14  tensorflow.where_v2 tensorflow.nn.softmax_cross_entropy_with_logits(axis)
        1.15  tensorflow.math.cumulative_logsumexp
        2.0   tensorflow.where(number)
    """,
    "keras": """
        2.0.4  keras.backend.cumsum
        2.1.6  keras.backend.softmax(axis)
        2.2.3  keras.activations.exponential
        3.0    keras.ops.* keras.activations.log_softmax
        3.0.5  keras.ops.normalize
        3.4    keras.ops.slogdet
        3.7    keras.activations.log_sigmoid
        3.15   keras.ops.fabs keras.ops.fmax keras.ops.fmin
    """,
    "jax": """
        0.2.4   jax.nn.logsumexp
        0.2.13  jax.nn.tanh
        0.4.7   .clip(min) .clip(max)
        0.4.24  jax.numpy.pow
        0.4.27  jax.numpy.clip(min) jax.numpy.clip(max)
        0.4.31  jax.scipy.special.softmax jax.scipy.special.log_softmax
    """,
    "scipy": """
        1.2   scipy.special.softmax
        1.5   scipy.special.log_softmax
        1.8   scipy.special.log_expit
    """,
    "optax": """
        0.1.3  optax.softmax_cross_entropy_with_integer_labels
        0.2.4  optax.softmax_cross_entropy(axis)
        0.2.4  optax.softmax_cross_entropy_with_integer_labels(axis)
    """,
}
_ENTRY: Final = re.compile(r"(?P<name>[\w.*]+)(?:\((?P<form>[\w,!]+)\))?")
_NUMBER: Final = "number"
_BROUGHT_BY: Final[Mapping[str, tuple[str, Version, Version]]] = {
    "keras": ("tensorflow", (3,), (2, 16))
}
"""By package that another one installs: the other one, a version of the package, and the version
of the other one from which on it is installed."""

_TOLD_BY: Final[Mapping[tuple[str, str | None], Version]] = {
    ("keras", "3"): (3,),
    ("tensorflow", "2"): (2,),
}
"""The version that code needs anyway if it uses names of a generation."""


class _Entry(NamedTuple):
    since: Version
    passed: frozenset[str]
    left_out: frozenset[str]


class Need(NamedTuple):
    """A package, and the first version of it that has something."""

    package: str
    version: Version

    def __str__(self) -> str:
        return f"{self.package} {written(self.version)}"


@dataclass(frozen=True, slots=True, order=True)
class Oldest:
    """The oldest version of a package that a project allows; of several, the least counts.

    If only an upper bound is known, everything introduced in that version or later is too new.
    """

    version: Version
    is_allowed: bool
    """Whether the version itself is allowed, and not only older ones."""
    is_bound: bool
    """Whether it is an upper bound, and nothing more is known."""
    source: str
    """Where the project says so: a file, or a key of the configuration."""

    def lacks(self, version: Version) -> bool:
        """Whether some allowed version lacks what was introduced in `version`."""
        wanted, own = trimmed(version), trimmed(self.version)
        return wanted > own if self.is_allowed else wanted >= own

    def __str__(self) -> str:
        if not self.is_bound:
            return f"{self.source} allows {written(self.version)}"
        bound = "up to" if self.is_allowed else "before"
        return f"{self.source} asks for one {bound} {written(self.version)}"


Declared = Mapping[str, Oldest]
"""The oldest version that a project allows, by package, if the project says anything about it."""


def trimmed(version: Version) -> Version:
    """A version without trailing zeros, so that equal versions compare equal."""
    last = len(version)
    while last > 1 and version[last - 1] == 0:
        last -= 1
    return version[:last]


def written(version: Version) -> str:
    """A version as text, such as 1.10."""
    return ".".join(map(str, version))


def _entries() -> Iterator[tuple[tuple[str, str], _Entry]]:
    for package, table in _SINCE.items():
        for line in table.strip().splitlines():
            since, *words = line.split()
            version = tuple(map(int, since.split(".")))
            for word in words:
                entry = _ENTRY.fullmatch(word)
                assert entry is not None, word
                form = (entry["form"] or "").split(",")
                out = frozenset(part[1:] for part in form if part.startswith("!"))
                given = frozenset(part for part in form if part and not part.startswith("!"))
                yield (package, entry["name"]), _Entry(version, given, out)


@cache
def _table() -> Mapping[tuple[str, str], tuple[_Entry, ...]]:
    found: dict[tuple[str, str], list[_Entry]] = {}
    for key, entry in _entries():
        found.setdefault(key, []).append(entry)
    return {key: tuple(entries) for key, entries in found.items()}


def listed() -> Iterator[tuple[str, str]]:
    """Yield each entry's package, and the name of a function or `.method`."""
    yield from _table()


def need_of(
    signature: Signature, framework: str, passed: Collection[str], has_number: bool
) -> Need | None:
    """The version that a call of a function needs; `None` if every version has it.

    `passed` are the framework's own names of the parameters passed, without those of `extra`.
    """
    if signature.method:
        # An in-place method was introduced together with the plain one.
        name = signature.name.removesuffix("_") if signature.inplace else signature.name
        package, keys = framework, [f".{name}"]
    else:
        package = signature.name.partition(".")[0]
        keys = [signature.name, f"{signature.name.rpartition('.')[0]}.*"]
    given = {*passed, signature.extra.partition("=")[0], *([_NUMBER] if has_number else ())}
    since = [
        entry.since
        for key in keys
        for entry in _table().get((package, key), ())
        if entry.passed <= given and entry.left_out.isdisjoint(given)
    ]
    return Need(package, max(since)) if since else None


def what_lacks(need: Need, declared: Declared, generation: str | None = None) -> str:
    """Why the call cannot be written if some version that the project allows lacks it; else "".

    A version that the surrounding code needs anyway, by its `generation`, is not asked for.
    """
    if trimmed(need.version) <= _TOLD_BY.get((need.package, generation), (0,)):
        return ""
    if need.package not in declared and need.package in _BROUGHT_BY:
        other, from_version, with_version = _BROUGHT_BY[need.package]
        if need.version < from_version:
            return ""
        need = Need(other, with_version)
    oldest = declared.get(need.package)
    if oldest is None or not oldest.lacks(need.version):
        return ""
    return f"needs {need}, and {oldest}"
