"""The handbook's site as a reader meets it: built, served, and opened in a browser.

A browser is what the machine has (Debian's packages `chromium` and `chromium-driver`), or else what
Selenium gets.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final, Literal

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

ROOT: Final = Path(__file__).resolve().parent.parent

HEIGHT: Final = 800
_OPTIONS: Final = (
    *("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"),
    # What changes slowly is looked at when it has changed.
    "--force-prefers-reduced-motion",
    # Each page is looked at once; what only a window with tabs, or another page, needs is not made.
    *("--kiosk", "--disable-features=BackForwardCache,SpareRendererForSitePerProcess"),
    *("--disable-background-networking", "--disable-component-update", "--disable-extensions"),
)

Scheme = Literal["light", "dark"]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Nothing is logged."""

    def end_headers(self) -> None:
        """Pages share styles and scripts, which are not asked for again."""
        self.send_header("Cache-Control", "max-age=3600")
        super().end_headers()


def build(target: Path) -> None:
    """Make the site; a warning is an error."""
    command = [
        sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going",
        "--builder", "dirhtml", "--jobs", "auto", "--doctree-dir", str(target.parent / "doctrees"),
        "docs", str(target),
    ]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@contextmanager
def served(site: Path) -> Iterator[str]:
    """The address at which a directory is served."""
    handler = functools.partial(_Quiet, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@contextmanager
def opened() -> Iterator[webdriver.Chrome]:
    """A browser without a window, which keeps what pages write to its console."""
    options = webdriver.ChromeOptions()
    for argument in _OPTIONS:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if browser and driver:
        options.binary_location = browser
    chrome = webdriver.Chrome(options=options, service=Service(driver if browser else None))
    try:
        yield chrome
    finally:
        chrome.quit()


def resize(chrome: webdriver.Chrome, width: int) -> None:
    metrics = {"width": width, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": width < 600}
    chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def prefer(chrome: webdriver.Chrome, scheme: Scheme) -> None:
    """Set what the reader's system says of colours."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    chrome.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")


def errors(chrome: webdriver.Chrome) -> list[str]:
    """What was written to the console as an error since this was last asked."""
    return [each["message"] for each in chrome.get_log("browser") if each["level"] == "SEVERE"]
