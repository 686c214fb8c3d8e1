"""Where nodes stand, and in what."""

from __future__ import annotations

import libcst as cst
import pytest
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper

from mllint_nan.syntax.source import Source, children, descendants

TEXT = """\
import torch  # a comment


@torch.compile(mode=["é", 1][0])
class Model(torch.nn.Module):
    @staticmethod
    def f(x, *, y=(1 + 2) * 3) -> "torch.Tensor":
        with open(x) as a, (b):
            return [f"{p!r:>{10}}" for p in (x)[1:, ...] if p if not (p)]

    g = lambda: {**x, 1: 2}; h = (yield)
""".replace("\\t", "    ")


@pytest.fixture(scope="module")
def source() -> Source:
    return Source(TEXT)


def test_children_are_those_that_libcst_gives(source: Source) -> None:
    for node in descendants(source.module):
        assert set(children(node)) == set(node.children)


def test_spans_are_those_that_libcst_gives(source: Source) -> None:
    spans = MetadataWrapper(source.module, unsafe_skip_copy=True).resolve(ByteSpanPositionProvider)
    known = [node for node in spans if source.knows(node)]
    assert sum(isinstance(node, cst.BaseExpression) for node in known) > 40
    for node in known:
        given = spans[node]
        assert isinstance(given.start, int)
        span = source.span(node)
        start, end = (len(TEXT[:place].encode()) for place in (span.start, span.end))
        assert (start, end - start) == (given.start, given.length)


def test_parent_is_the_node_that_directly_contains_another(source: Source) -> None:
    parents = {child: node for node in descendants(source.module) for child in node.children}
    for node in reversed(list(descendants(source.module))):
        if source.knows(node):
            assert source.parent(node) is parents[node]
