"""Python in Markdown is found where it stands, and left as it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mllint_nan.cli import CLEAN, FINDINGS, main
from mllint_nan.syntax.markdown import Markdown

GUIDE = """\
# A guide

It's torch:

```python
import torch
p = torch.softmax(x, dim=-1)
```

```sh
rm -r (
```

1. Later:

   ```py title="loss.py"
   loss = p.log()
   ```

~~~~Python
def unfinished(
~~~
~~~~

```python
>>> torch.log(torch.softmax(x, 0))
```

```
torch.log(torch.softmax(x, 0))
```
"""
FIXABLE = """\
```py
import torch
def f(x):
    return torch.log(torch.softmax(x, 0))
```
"""
PLACE = "guide.md:17:11: NAN101 log of a softmax"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("guide.md").write_text(GUIDE)
    return tmp_path


def test_markdown_is_checked_on_demand(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["."]) == CLEAN
    capsys.readouterr()
    assert main(["--include-markdown"]) == FINDINGS
    out, err = capsys.readouterr()
    assert out.startswith(PLACE) and out.count("\n") == 1
    assert err == "Found 1 finding in 1 file\n"


def test_named_file_is_markdown_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["guide.md"]) == FINDINGS
    assert capsys.readouterr().out.startswith(PLACE)


def test_configuration_may_include_it() -> None:
    Path("mllint-nan.toml").write_text("include-markdown = true\n")
    assert main([]) == FINDINGS


@pytest.mark.parametrize("options", [["--fix", "--unsafe-fixes"], ["--add-noqa"]])
def test_nothing_is_written(options: list[str]) -> None:
    Path("guide.md").write_text(FIXABLE)
    before = Path("guide.md").read_bytes()
    assert main([*options, "guide.md"]) == FINDINGS
    assert Path("guide.md").read_bytes() == before


def test_fix_is_only_shown(capsys: pytest.CaptureFixture[str]) -> None:
    Path("guide.md").write_text(FIXABLE)
    assert main(["--output-format", "json", "guide.md"]) == FINDINGS
    (finding,) = json.loads(capsys.readouterr().out)
    assert finding["fix"]["applicability"] == "display-only"


def test_comment_silences() -> None:
    Path("guide.md").write_text(GUIDE.replace("p.log()", "p.log()  # noqa: NAN101"))
    assert main(["guide.md"]) == CLEAN


def test_rows_and_columns_stay() -> None:
    text = Markdown.of(GUIDE.encode()).text
    assert text.count("\n") == GUIDE.count("\n")
    assert text.split("\n")[16] == "   loss = p.log()"
    windows = Markdown.of(GUIDE.replace("\n", "\r\n").encode()).text
    assert windows == text.replace("\n", "\r\n")


def test_unreadable_markdown_is_skipped(capsys: pytest.CaptureFixture[str]) -> None:
    Path("guide.md").write_bytes(b"torch \xff")
    assert main(["guide.md"]) == CLEAN
    assert "1 file skipped: Markdown that is not in UTF-8" in capsys.readouterr().err
