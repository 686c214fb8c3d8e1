"""How Sphinx makes the site: `sphinx-build -b dirhtml docs site`."""

from __future__ import annotations

import sys
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from handbook.navigation import tree  # noqa: E402

project = "mllint-nan"
html_title = project
extensions = ["myst_parser"]
myst_heading_anchors = 3
templates_path = ["_templates"]
html_theme = "pydata_sphinx_theme"
html_favicon = html_logo = "_static/mark.svg"
html_static_path = ["_static"]
html_css_files = ["handbook.css"]
html_search_scorer = str(HERE / "_static" / "scorer.js")
html_context = {"default_mode": "auto"}
html_show_copyright = False
html_use_index = False
html_show_sphinx = False
html_sidebars = {"**": ["pages.html"]}
html_theme_options = {
    "logo": {"text": project},
    "navbar_center": [],
    "search_bar_text": "Loss is NaN after some steps ...",
    "secondary_sidebar_items": ["page-toc", "sourcelink"],
    "footer_end": [],
}


def _add_tree(app: Sphinx, page: str, source: list[str]) -> None:
    source[0] += tree(page)


def _draw_pictures(app: Sphinx, document: nodes.document) -> None:
    """Within the page, so that they take its colours, of which the reader has the choice.

    A picture is a paragraph of its own.
    """
    for image in list(document.findall(nodes.image)):
        svg = (HERE / image["uri"]).read_text(encoding="utf-8")
        drawn = f'<div class="picture" tabindex="0">{svg}</div>'
        image.parent.replace_self(nodes.raw("", drawn, format="html"))


def setup(app: Sphinx) -> None:
    app.connect("source-read", _add_tree)
    app.connect("doctree-read", _draw_pictures)
