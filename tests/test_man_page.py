"""The manual page is what the options say: `--bless` writes it."""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import pairwise

import pytest

from handbook.man_page import man_page
from mllint_nan.arguments import parser
from tests.conftest import ROOT

PAGE = ROOT / "docs" / "mllint-nan.1"


def test_page_is_current(is_blessing: bool) -> None:
    if is_blessing:
        PAGE.write_text(man_page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == man_page(), "--bless writes it"


def test_page_has_every_option() -> None:
    text = man_page().replace("\\-", "-")
    for action in parser()._actions:
        for word in action.option_strings:
            assert word in text


def test_page_is_made_of_known_macros() -> None:
    *_, last = rows = PAGE.read_text(encoding="utf-8").splitlines()
    assert not last.startswith(".")
    for row, below in pairwise(rows):
        macro = row.split()[0] if row.startswith(".") else ""
        assert macro in ("", ".TH", ".SH", ".TP", ".B"), row
        assert not row.startswith("'"), row
        assert not re.search(r"\\(?![-&])", row), row
        if macro == ".TP":  # the tag of a paragraph stands on the next line
            assert below.startswith(".B "), below


@pytest.mark.skipif(
    shutil.which("groff") is None,
    reason="groff is a program of the system, which pip cannot install; the test above needs none",
)
def test_page_is_typeset_without_a_warning() -> None:
    done = subprocess.run(
        ["groff", "-man", "-ww", "-Tascii", str(PAGE)], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert "--min-confidence LEVEL" in re.sub(".\b", "", done.stdout)
