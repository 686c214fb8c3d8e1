"""The extension for VS Code: its manifest, its own tests, its package, and VS Code itself."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any, Final

import pytest

from mllint_nan.config.keys import KEYS
from mllint_nan.version import __version__
from tests.conftest import ROOT

SOURCE: Final = ROOT / "editors" / "vscode"
MANIFEST: Final[dict[str, Any]] = json.loads((SOURCE / "package.json").read_text(encoding="utf-8"))
SETTINGS: Final[dict[str, Any]] = MANIFEST["contributes"]["configuration"]["properties"]
OF_THE_EXTENSION: Final = {"enable", "interpreter", "trace.server"}
OF_THE_COMMAND_LINE: Final = {
    "extend", "fix", "fix-only", "show-fixes", "unsafe-fixes", "force-exclude",
    "respect-gitignore", "include-markdown", "output-format",
}  # fmt: skip
BUILT: Final = ("node_modules", "dist", "out", "*.vsix")

needs_npm = pytest.mark.skipif(
    shutil.which("node") is None or shutil.which("npm") is None,
    reason="the extension is built by node and npm, which are no Python packages",
)


def _kebab(name: str) -> str:
    return re.sub(r"[A-Z]", lambda letter: f"-{letter[0].lower()}", name)


def test_settings_are_keys_of_the_configuration() -> None:
    named = {_kebab(name.removeprefix("mllint-nan.")): each for name, each in SETTINGS.items()}
    keys = {key.name: key for key in KEYS}
    assert set(named) == set(keys) - OF_THE_COMMAND_LINE | OF_THE_EXTENSION
    for name in set(named) & set(keys):
        said, key = named[name], keys[name]
        help = key.help[:1].upper() + key.help[1:]
        assert said["markdownDescription"].startswith(f"{help}. "), name
        kind = said["type"] if isinstance(said["type"], str) else said["type"][0]
        assert kind == key.kind.schema["type"], name
        assert said.get("enum", [*key.choices, None]) == [*key.choices, None], name
        for word in ("items", "additionalProperties", "minimum", "maximum", "pattern"):
            assert said.get(word) == key.kind.schema.get(word), name


def test_settings_that_go_to_the_server_are_all_that_there_are() -> None:
    listed = (SOURCE / "src" / "settings.ts").read_text(encoding="utf-8")
    block = listed.partition("export const KEYS = [")[2].partition("]")[0]
    sent = re.findall(r'"(\w+)"', block)
    assert [f"mllint-nan.{name}" for name in sent] == [
        name for name in SETTINGS if name.removeprefix("mllint-nan.") not in OF_THE_EXTENSION
    ]


def test_every_setting_is_described() -> None:
    for name, said in SETTINGS.items():
        assert said.get("description") or said.get("markdownDescription"), name


def test_extension_has_the_version_of_the_package() -> None:
    assert MANIFEST["version"] == __version__
    assert f"\n## {__version__}\n" in (SOURCE / "CHANGELOG.md").read_text(encoding="utf-8")
    assert (SOURCE / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


@pytest.fixture(scope="module")
def extension(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy with what the lock file names."""
    place = tmp_path_factory.mktemp("extension") / "vscode"
    shutil.copytree(SOURCE, place, ignore=shutil.ignore_patterns(*BUILT))
    _npm(place, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
    return place


def _npm(extension: Path, *arguments: str, **environment: str) -> str:
    done = subprocess.run(
        [shutil.which("npm") or "npm", *arguments],
        cwd=extension,
        env={**os.environ, "PYTHON": sys.executable, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@needs_npm
@pytest.mark.slow
def test_extension_types_are_right(extension: Path) -> None:
    _npm(extension, "run", "check")


@needs_npm
@pytest.mark.slow
def test_extension_passes_its_tests_with_the_server(extension: Path) -> None:
    said = _npm(extension, "test")
    assert re.search(r"^# pass [1-9]\d*$", said, re.MULTILINE), said
    assert "\n# fail 0\n" in said and "\n# cancelled 0\n" in said


@needs_npm
@pytest.mark.slow
def test_package_is_small_and_holds_what_runs(extension: Path) -> None:
    _npm(extension, "run", "package")
    (package,) = extension.glob("*.vsix")
    assert package.name == f"mllint-nan-{__version__}.vsix"
    assert package.stat().st_size < 200_000
    with zipfile.ZipFile(package) as archive:
        names = set(archive.namelist())
    media = {f"extension/media/{page.name}" for page in (SOURCE / "media").iterdir()}
    assert names == media | {
        "[Content_Types].xml",
        "extension.vsixmanifest",
        "extension/LICENSE.txt",
        "extension/changelog.md",
        "extension/dist/extension.js",
        "extension/icon.png",
        "extension/package.json",
        "extension/readme.md",
    }


CODE_SERVER: Final = os.environ.get("CODE_SERVER") or shutil.which("code-server")
CHROMIUM: Final = os.environ.get("CHROMIUM") or shutil.which("chromium")


@needs_npm
@pytest.mark.slow
@pytest.mark.skipif(
    CODE_SERVER is None or CHROMIUM is None,
    reason="VS Code itself is in no registry: CODE_SERVER and CHROMIUM name a build and a browser",
)
def test_extension_works_in_vscode(extension: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    said = _npm(
        extension, "run", "test:vscode", "--", str(tmp_path / "seen"),
        CODE_SERVER=str(CODE_SERVER), CHROMIUM=str(CHROMIUM),
        BARE_PYTHON=str(bare / "bin" / "python"),
    )  # fmt: skip
    assert "ok: the picture has an area" in said
