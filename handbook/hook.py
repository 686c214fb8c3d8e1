"""What mkdocs asks of the handbook: pages that no file holds, and tables in those that one does.

mkdocs loads this file by its path, so the checkout is put on `sys.path` first.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from mkdocs.config.defaults import MkDocsConfig  # noqa: E402
from mkdocs.structure.files import File, Files  # noqa: E402
from mkdocs.structure.pages import Page  # noqa: E402

from handbook.indexes import all_rules, generated_pages, page_path  # noqa: E402
from handbook.rule_pages import FAMILIES  # noqa: E402
from handbook.tables import with_tables  # noqa: E402


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Every rule's page below `Rules`, by family."""
    listed = next(entry["Rules"] for entry in config.nav or () if "Rules" in entry)
    for family in FAMILIES:
        pages = [page_path(rule) for rule in all_rules() if rule.family == family]
        listed.append({family.capitalize(): pages})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for path, text in generated_pages().items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    return with_tables(markdown)
