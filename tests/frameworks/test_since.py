"""Since when a framework has what fixes write, and what that means for the versions allowed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import tomli

from mllint_nan.frameworks import registry
from mllint_nan.frameworks.signature import Signature
from mllint_nan.frameworks.versions import Need, Oldest, listed, need_of, what_lacks
from mllint_nan.ir.ops import CATALOGUE, Operation
from mllint_nan.ir.term import walk
from mllint_nan.rulebook.load import load_rules

OLD = Path(__file__).with_name("old_spellings.toml")


def spellings() -> Iterator[tuple[str, Signature]]:
    """All that a rewrite of some rule may write, with its framework."""
    for rule in load_rules():
        for fix in rule.fixes:
            for framework in fix.frameworks or registry.FRAMEWORKS:
                for part in walk(fix.rewrite.term):
                    for signature in spelled(part.operation, framework):
                        yield framework, signature


def spelled(operation: Operation, framework: str) -> Iterator[Signature]:
    found = registry.signatures(operation, framework)
    yield from found
    if framework == "keras" and not found:
        yield from registry.signatures(operation, "tensorflow")
    yield from registry.signatures_in_place(operation, framework)
    yield from registry.older_signatures(operation, framework, "1")


def name_of(signature: Signature) -> str:
    name = signature.name.removesuffix("_") if signature.inplace else signature.name
    return f".{name}" if signature.method else name


def test_of_all_that_fixes_write_the_version_is_known() -> None:
    old = tomli.loads(OLD.read_text(encoding="utf-8"))
    unknown = {
        name_of(signature)
        for framework, signature in spellings()
        if framework != "math"
        and not signature.constructor
        and need_of(signature, framework, (), False) is None
        and name_of(signature)
        not in old[framework if signature.method else signature.name.partition(".")[0]].split()
    }
    assert unknown == set(), f"say since when in versions.py, or in {OLD.name} that it is old"


def test_the_table_has_no_name_that_nothing_writes() -> None:
    written = {name_of(signature) for _, signature in spellings()}
    modules = {f"{name.rpartition('.')[0]}.*" for name in written}
    assert {name for _, name in listed()} - written - modules == set()


NEEDS = [
    ("torch", "norm", "torch.linalg.vector_norm", "dim", False, "torch 1.9"),
    ("torch", "where", "torch.where", "", True, "torch 1.12"),
    ("torch", "where", "torch.where", "", False, ""),
    ("torch", "where", ".where", "", True, "torch 2.0"),
    ("torch", "var", "torch.var", "correction dim", False, "torch 1.9"),
    ("torch", "var", "torch.var", "correction", False, "torch 2.0"),
    ("torch", "var", "torch.var", "dim", False, ""),
    ("torch", "log_softmax", "torch.log_softmax", "dim", False, ""),
    ("tensorflow", "sum", "tensorflow.reduce_sum", "axis keepdims", False, "tensorflow 1.5"),
    ("tensorflow", "sum", "tensorflow.reduce_sum", "axis", False, ""),
    ("keras", "logsumexp", "keras.ops.logsumexp", "axis", False, "keras 3.0"),
    ("keras", "slogdet", "keras.ops.slogdet", "", False, "keras 3.4"),
    ("jax", "clip", "jax.numpy.clip", "max", False, "jax 0.4.27"),
    ("jax", "log_softmax", "jax.nn.log_softmax", "axis", False, ""),
    ("numpy", "log_sigmoid", "scipy.special.log_expit", "", False, "scipy 1.8"),
]


@pytest.mark.parametrize(("framework", "operation", "name", "passed", "has_number", "needs"), NEEDS)
def test_need_of_a_call(
    framework: str, operation: str, name: str, passed: str, has_number: bool, needs: str
) -> None:
    one = next(
        each
        for each in registry.signatures(CATALOGUE[operation], framework)
        if name_of(each) == name
    )
    need = need_of(one, framework, passed.split(), has_number)
    assert ("" if need is None else str(need)) == needs


@pytest.mark.parametrize(
    ("oldest", "lacking", "had"),
    [
        (Oldest((1, 4), True, False, "a.txt"), (1, 5), (1, 4)),
        (Oldest((1, 4, 0), True, False, "a.txt"), (1, 4, 1), (1, 4)),
        (Oldest((1, 8), False, True, "a.txt"), (1, 8), (1, 7)),
        (Oldest((1, 7), True, True, "a.txt"), (1, 8), (1, 7)),
        (Oldest((1, 10), True, False, "a.txt"), (1, 12), (1, 9)),
        (Oldest((2,), True, False, "a.txt"), (2, 1), (2, 0)),
    ],
)
def test_what_came_later_than_what_is_allowed_is_lacking(
    oldest: Oldest, lacking: tuple[int, ...], had: tuple[int, ...]
) -> None:
    declared = {"torch": oldest}
    assert "needs torch" in what_lacks(Need("torch", lacking), declared)
    assert what_lacks(Need("torch", had), declared) == ""
    assert what_lacks(Need("jax", lacking), declared) == "", "nothing is said of it"


def test_keras_comes_with_tensorflow() -> None:
    declared = {"tensorflow": Oldest((2, 4), True, False, "a.txt")}
    assert what_lacks(Need("keras", (3, 0)), declared) == (
        "needs tensorflow 2.16, and a.txt allows 2.4"
    )
    assert what_lacks(Need("keras", (2, 2, 3)), declared) == ""
    assert what_lacks(Need("keras", (3, 0)), declared, "3") == "", "the code has it itself"
    assert what_lacks(Need("keras", (3, 4)), declared, "3") != ""
    own = {**declared, "keras": Oldest((3, 4), True, False, "a.txt")}
    assert what_lacks(Need("keras", (3, 0)), own) == ""
