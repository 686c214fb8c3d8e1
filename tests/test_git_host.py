"""What a Git host shows of the documents is all there, though nothing has built it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from handbook.rule_pages import anchor
from tests.of_each import of_each

ROOT: Final = Path(__file__).resolve().parent.parent
DOCUMENTS: Final = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
_OF_GENERATORS: Final = re.compile(
    r"^(!!!|\?\?\?|===|:::|\[TOC\]|--8<--)|\{[:{.#%]|\{\w+\}|\[\[", re.MULTILINE
)
"""Admonitions, tabs, directives, attributes, macros, roles and links of wikis."""

each_document = of_each(DOCUMENTS, lambda path: path.relative_to(ROOT).as_posix())


@each_document
def test_relative_links_lead_somewhere(document: Path) -> None:
    dead = [link for link in _links(document) if not _leads_somewhere(document, link)]
    assert dead == []


@each_document
def test_nothing_is_written_for_a_generator(document: Path) -> None:
    _hosts_understand(document)


def _hosts_understand(document: Path) -> None:
    for token in _tokens(document):
        if token.type == "fence":
            assert re.fullmatch(r"[\w-]+", token.info), token.info
        elif token.type == "inline":
            words = "\n".join(
                each.content if each.type == "text" else "\n" * (each.type == "softbreak")
                for each in token.children or ()
            )
            assert _OF_GENERATORS.search(words) is None, words
        elif token.type == "html_block":
            assert re.fullmatch(r"<!-- [^>]* -->\s*", token.content), token.content


@pytest.mark.parametrize(
    "text",
    [
        '!!! note "A title"\n    Text.\n',
        '=== "PyTorch"\n\n    Text.\n',
        "Text.\n{: .wide }\n",
        "See {doc}`index`.\n",
        ":::{note}\nText.\n:::\n",
        "```{toctree}\nindex\n```\n",
        '```python title="a.py"\n1\n```\n',
        '<figure markdown="1"></figure>\n',
    ],
)
def test_what_generators_read_is_noticed(text: str, tmp_path: Path) -> None:
    document = tmp_path / "page.md"
    document.write_text(text, encoding="utf-8")
    with pytest.raises(AssertionError):
        _hosts_understand(document)


@cache
def _tokens(document: Path) -> list[Token]:
    parser = MarkdownIt("commonmark").enable("table")
    return parser.parse(document.read_text(encoding="utf-8"))


def _inline(document: Path) -> Iterator[Token]:
    for token in _tokens(document):
        yield from token.children or ()


def _links(document: Path) -> Iterator[str]:
    for token in _inline(document):
        for key in ("href", "src"):
            link = str(token.attrGet(key) or "")
            if link and not urlsplit(link).scheme:
                yield link


def _leads_somewhere(document: Path, link: str) -> bool:
    path, heading = unquote(urlsplit(link).path), unquote(urlsplit(link).fragment)
    target = (document.parent / path).resolve() if path else document
    return target.exists() and (not heading or heading in _anchors(target))


@cache
def _anchors(document: Path) -> set[str]:
    tokens = _tokens(document)
    return {
        anchor(title.content.replace("`", ""))
        for head, title in pairwise(tokens)
        if head.type == "heading_open"
    }
