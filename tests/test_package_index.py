"""The project's page on the package index, rendered as the index renders it."""

from __future__ import annotations

import email
import email.policy
import re
import subprocess
import sys
import zipfile
from email.message import EmailMessage
from pathlib import Path

import pytest
from readme_renderer import markdown
from trove_classifiers import classifiers, deprecated_classifiers

from mllint_nan.version import __version__
from release.refusal import project
from tests.conftest import ROOT

pytestmark = pytest.mark.slow

LINK = re.compile(r'(?:href|src)="([^"]*)"')


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> EmailMessage:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (one for one in archive.namelist() if one.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(archive.read(name), policy=email.policy.default)


@pytest.fixture(scope="module")
def page(metadata: EmailMessage) -> str:
    assert metadata["Description-Content-Type"] == "text/markdown"
    page = markdown.render(metadata.get_content())
    assert page is not None
    return page


def test_page_has_no_link_that_is_relative(page: str) -> None:
    links = LINK.findall(page)
    assert len(links) >= 5
    assert [link for link in links if not link.startswith(("https://", "#"))] == []


def test_links_lead_to_files_of_this_version(page: str) -> None:
    here = f"{project()['urls']['Source']}/blob/v{__version__}/"
    paths = [link.removeprefix(here) for link in LINK.findall(page) if link.startswith(here)]
    assert {"CONTRIBUTING.md", "docs/index.md"} <= set(paths)
    assert [path for path in paths if not (ROOT / path).is_file()] == []


def test_links_within_the_page_have_a_target(page: str) -> None:
    inner = {link.removeprefix("#") for link in LINK.findall(page) if link.startswith("#")}
    assert inner <= set(re.findall(r'id="([^"]*)"', page))


def test_page_shows_the_tables_and_the_code(page: str) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert page.count("<table>") == len(re.findall(r"^\| --- \|", text, re.MULTILINE))
    assert "NAN101" in page and "<pre" in page


def test_metadata_has_the_addresses(metadata: EmailMessage) -> None:
    given = dict(one.split(", ") for one in metadata.get_all("Project-URL", []))
    assert given == project()["urls"]
    assert metadata.get_all("Classifier") == sorted(project()["classifiers"], key=_place)


def _place(classifier: str) -> tuple[str, ...]:
    return tuple(classifier.split(" :: "))


def test_classifiers_are_known() -> None:
    given = set(project()["classifiers"])
    assert given <= classifiers and not given & set(deprecated_classifiers)
    assert "Framework :: Flake8" in given


def test_index_takes_the_wheel(wheel: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", str(wheel)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
