"""The manual page is what the options say: `--bless` writes it."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from handbook.man_page import man_page
from mllint_nan.arguments import parser
from tests.conftest import ROOT

PAGE = ROOT / "docs" / "mllint-nan.1"


def test_page_is_current(is_blessing: bool) -> None:
    if is_blessing:
        PAGE.write_text(man_page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == man_page()


def test_page_has_every_option() -> None:
    text = man_page().replace("\\-", "-")
    for action in parser()._actions:
        for word in action.option_strings:
            assert word in text


@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff")
def test_page_is_typeset_without_a_warning() -> None:
    done = subprocess.run(
        ["groff", "-man", "-ww", "-Tascii", str(PAGE)], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert "--min-confidence LEVEL" in re.sub(".\b", "", done.stdout)
