"""The handbook's site can be read: on a phone and a wide screen, by day and by night."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urlsplit

import pytest
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

from handbook.indexes import page_path
from mllint_nan.rulebook.load import load_rules
from mllint_nan.rulebook.rule import Rule
from tests.browser import HEIGHT, ROOT, Scheme, build, errors, opened, prefer, resize, served

pytestmark = pytest.mark.slow

WIDTHS = {"phone": 390, "laptop": 1280, "wide": 1920}
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
SOURCES = sorted((ROOT / "docs").rglob("*.md"))

PLACED = """
const frames = new Set(["auto", "scroll", "hidden"]);
const isFramed = new Map([[document.querySelector("article"), false]]);
const outside = document.documentElement.scrollWidth > innerWidth ? ["the page"] : [];
for (const each of document.querySelectorAll("article *:not(svg *)")) {
  const style = getComputedStyle(each);
  const framed = isFramed.get(each.parentElement);
  isFramed.set(each, framed || frames.has(style.overflowX));
  if (framed || ["inline", "contents", "none"].includes(style.display)) continue;
  const isWider = !isFramed.get(each) && each.scrollWidth > each.clientWidth + 1;
  if (isWider || each.getBoundingClientRect().right > innerWidth + 1)
    outside.push(`${each.tagName} ${each.className}: ${each.textContent.slice(0, 60)}`);
}
const boxes = [...document.querySelectorAll("article svg, article img")].map(
    each => each.getBoundingClientRect());
return { pictures: boxes.map(box => [box.width, box.height]), outside };
"""
"""The pictures' widths and heights, and what is wider than the page or than what it stands in."""

PAINTED = """
const remembered = (compute, known = new Map()) => given =>
    known.get(given) ?? known.set(given, compute(given)).get(given);
const channels = remembered(colour => colour.match(/[\\d.]+/g).map(Number));
const luminance = remembered(colour => {
  const [red, green, blue] = channels(colour).slice(0, 3).map(each => each / 255)
    .map(each => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
});
const ground = remembered(element => {
  const colour = getComputedStyle(element).backgroundColor;
  const isClear = channels(colour)[3] === 0 && element.parentElement;
  return isClear ? ground(element.parentElement) : colour;
});
const contrast = (element, colour) => {
  const [less, more] = [luminance(colour), luminance(ground(element))].sort((a, b) => a - b);
  return (more + 0.05) / (less + 0.05);
};
const least = (query, property) => Math.min(...[...document.querySelectorAll(query)].map(
    each => contrast(each, getComputedStyle(each)[property])));
return {
  scheme: document.documentElement.dataset.theme,
  words: least("article svg text", "fill"),
  lines: least("article svg polyline", "stroke"),
  text: least("article :is(p, li, td, a, pre span)", "color"),
};
"""
"""The least contrasts with what is behind, by https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio."""


@dataclass(frozen=True)
class Look:
    """How a page looks: of each width and scheme what the scripts give, and its console."""

    placed: dict[str, dict[str, list[object]]]
    painted: dict[Scheme, dict[str, float | str | None]]
    errors: list[str]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("handbook") / "site"
    build(target)
    return target


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with served(site) as address:
        yield address


@pytest.fixture(scope="module")
def chrome() -> Iterator[webdriver.Chrome]:
    with opened() as chrome:
        yield chrome


@pytest.fixture(scope="module")
def looks(chrome: webdriver.Chrome, address: str) -> dict[str, Look]:
    """Every page, opened once, as wide and as dark as the one before it was left."""
    return {
        _place(source): _look(chrome, f"{address}/{_place(source)}", 1 if number % 2 else -1)
        for number, source in enumerate(SOURCES)
    }


def _place(source: Path) -> str:
    """Where a page is on the site.

    >>> _place(ROOT / "docs/rules/index.md"), _place(ROOT / "docs/rules/log-at-zero.md")
    ('rules/', 'rules/log-at-zero/')
    """
    path = source.relative_to(ROOT / "docs").with_suffix("").as_posix()
    return re.sub(r"(^|/)index$", r"\1", path) if path.endswith("index") else f"{path}/"


def _look(chrome: webdriver.Chrome, page: str, order: Literal[1, -1]) -> Look:
    """In all widths and schemes, from the first to the last or the other way round.

    To lay a page out for another width takes as long as to load it.
    """
    chrome.get(page)
    placed, painted = {}, {}
    for screen in [*WIDTHS][::order]:
        resize(chrome, WIDTHS[screen])
        placed[screen] = chrome.execute_script(PLACED)
    for scheme in SCHEMES[::order]:
        prefer(chrome, scheme)
        painted[scheme] = chrome.execute_script(PAINTED)
    return Look(placed, painted, errors(chrome))


def test_pictures_have_an_area(looks: dict[str, Look]) -> None:
    """One in which their words can be read."""
    for source in SOURCES:
        drawn = len(re.findall(r"^!\[", source.read_text(encoding="utf-8"), re.MULTILINE))
        for screen, placed in looks[_place(source)].placed.items():
            sizes = placed["pictures"]
            assert len(sizes) == drawn, (source.name, screen)
            assert all(width > 500 and height > 200 for width, height in sizes), sizes


@pytest.mark.parametrize("screen", WIDTHS)
def test_nothing_runs_out_of_its_frame(looks: dict[str, Look], screen: str) -> None:
    outside = {page: look.placed[screen]["outside"] for page, look in looks.items()}
    assert {page: blocks for page, blocks in outside.items() if blocks} == {}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_pages_can_be_read_by_day_and_by_night(looks: dict[str, Look], scheme: Scheme) -> None:
    for page, look in looks.items():
        painted = look.painted[scheme]
        assert painted["scheme"] == scheme
        # Nothing is `None`, which JSON makes of the infinite minimum.
        faint = {
            part: contrast
            for part, least in (("words", 4.5), ("lines", 3), ("text", 4.5))
            if (contrast := painted[part]) is not None and contrast < least
        }
        assert faint == {}, page


def test_console_is_silent(looks: dict[str, Look]) -> None:
    assert {page: look.errors for page, look in looks.items() if look.errors} == {}


def test_reader_can_choose_the_dark_scheme(chrome: webdriver.Chrome, address: str) -> None:
    """The pictures follow the page, not the system."""
    resize(chrome, WIDTHS["laptop"])
    prefer(chrome, "light")
    chrome.get(f"{address}/rules/log-of-softmax/")
    chrome.find_element(By.CSS_SELECTOR, ".theme-switch-container .dropdown-toggle").click()
    chrome.find_element(By.CSS_SELECTOR, "button[data-mode=dark]").click()
    painted = chrome.execute_script(PAINTED)
    assert painted["scheme"] == "dark"
    assert painted["words"] > 4.5


@pytest.mark.parametrize(
    ("typed", "first", "among"),
    [
        (
            "loss is NaN after some steps",
            "rules/by-symptom/#the-loss-is-nan-after-some-steps",
            "rules/log-of-softmax/",
        ),
        ("my loss becomes nan after a few epochs", "rules/by-symptom/", None),
        ("SqrtBackward0 returned nan values", "rules/by-symptom/", None),
        ("loss nan mixed precision", "rules/by-symptom/", None),
        ("NAN203", "rules/sqrt-at-zero/", "confidence/"),
        ("zero-times-log", "rules/zero-times-log/", None),
    ],
)
def test_search_finds_symptoms(
    chrome: webdriver.Chrome, address: str, typed: str, first: str, among: str | None
) -> None:
    resize(chrome, WIDTHS["laptop"])
    chrome.get(f"{address}/getting-started/")
    chrome.find_element(By.CSS_SELECTOR, "button.search-button-field").click()
    box = WebDriverWait(chrome, 20).until(
        lambda _: each if (each := chrome.switch_to.active_element).tag_name == "input" else None
    )
    box.send_keys(typed, Keys.ENTER)
    # The page of results takes the place of the one that is looked at.
    WebDriverWait(chrome, 20, ignored_exceptions=[StaleElementReferenceException]).until(
        lambda _: "finished" in chrome.find_element(By.CSS_SELECTOR, "main").text
    )
    links = chrome.find_elements(By.CSS_SELECTOR, "#search-results li a")
    found = [
        (each.get_attribute("href") or "").removeprefix(f"{address}/").partition("?")[0]
        for each in links
    ]
    assert found[0] == first
    assert among is None or among in found


def test_every_link_leads_somewhere(site: Path) -> None:
    dead = [
        f"{page.relative_to(site)}: {link}"
        for page in _pages(site)
        for link in {tag[key] for tag in _tags(page) for key in ("href", "src") if key in tag}
        if not _leads_somewhere(site, page, link)
    ]
    assert dead == []


def test_pages_are_made_of_this_site_alone(site: Path) -> None:
    parts = {
        address
        for page in _pages(site)
        for tag in _tags(page)
        if urlsplit(
            address := tag.get("src") or (tag["name"] == "link" and tag["href"]) or ""
        ).netloc
    }
    assert parts == set()


def test_pages_are_a_chain(site: Path) -> None:
    """From the front page the link to the next one leads through all of them, and back."""
    seen = [site / "index.html"]
    while following := _with_class(seen[-1], "right-next"):
        page = _target(site, seen[-1], following[0])
        assert [_target(site, page, each) for each in _with_class(page, "left-prev")] == seen[-1:]
        seen.append(page)
    assert sorted(seen) == sorted(site / _place(source) / "index.html" for source in SOURCES)


@pytest.mark.parametrize("rule", load_rules(), ids=lambda rule: rule.name)
def test_rule_page_links_to_its_source(site: Path, rule: Rule) -> None:
    page = site / page_path(rule).removesuffix(".md") / "index.html"
    (link,) = (
        tag["href"] for tag in _tags(page) if tag.get("href", "").endswith(f"/{rule.name}.toml")
    )
    assert _target(site, page, link).read_bytes() == Path(rule.path).read_bytes()


def test_front_page_gets_to_the_point(chrome: webdriver.Chrome, address: str) -> None:
    """What it is, how to install it, a finding and its fix are seen without scrolling."""
    resize(chrome, WIDTHS["laptop"])
    chrome.get(f"{address}/")
    for text in ("Is your loss NaN?", "pip install", "NAN101", "+     return"):
        bottom = chrome.execute_script(
            "return [...document.querySelectorAll('article :is(p, pre)')].find("
            "each => each.textContent.includes(arguments[0])).getBoundingClientRect().bottom",
            text,
        )
        assert bottom <= HEIGHT, text


class _Reader(HTMLParser):
    """The attributes of all tags, and their names as `name`."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[dict[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append({key: value or "" for key, value in attrs} | {"name": tag})


@cache
def _tags(page: Path) -> list[dict[str, str]]:
    reader = _Reader()
    reader.feed(page.read_text(encoding="utf-8"))
    return reader.tags


def _pages(site: Path) -> list[Path]:
    return sorted(page for page in site.rglob("*.html") if "_static" not in page.parts)


def _with_class(page: Path, name: str) -> list[str]:
    """Where the links of a class lead."""
    return [tag["href"] for tag in _tags(page) if name in tag.get("class", "").split()]


def _leads_somewhere(site: Path, page: Path, link: str) -> bool:
    if urlsplit(link).scheme or urlsplit(link).netloc:
        return True
    target, heading = _target(site, page, link), unquote(urlsplit(link).fragment)
    if target.suffix != ".html" or not heading:
        return target.is_file()
    return target.is_file() and heading in _anchors(target)


@cache
def _anchors(page: Path) -> set[str]:
    return {tag["id"] for tag in _tags(page) if "id" in tag}


def _target(site: Path, page: Path, link: str) -> Path:
    """The file that a link of a page leads to."""
    path = unquote(urlsplit(link).path)
    target = (page.parent / path if path else page).resolve()
    assert target.is_relative_to(site.resolve()), f"{page}: {link}"
    return target / "index.html" if target.is_dir() else target
