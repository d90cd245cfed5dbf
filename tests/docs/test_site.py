"""The site as a whole: nothing from other places, whole references, and a search that works on files."""

import html
import html.parser
import re
import time

import pytest

import project
from browser import CHROMIUM, DRIVER, Browser

# Files that are fetched when a page is opened, and so must be part of the site.
LOADED = {"script": "src", "link": "href", "img": "src", "iframe": "src"}


class Reader(html.parser.HTMLParser):
    """Collects what a page loads, its anchors and its links."""

    def __init__(self, document):
        super().__init__()
        self.loaded, self.anchors, self.links = [], set(), []
        self.feed(document)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if values.get("id"):
            self.anchors.add(values["id"])
        if tag in LOADED and values.get(LOADED[tag]):
            self.loaded.append(values[LOADED[tag]])
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])


@pytest.fixture(scope="module")
def read(site):
    return {path: Reader(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}


def test_every_page_loads_only_files_of_the_site(site, read):
    assert len(read) > 40
    for path, page in read.items():
        for place in page.loaded:
            target = place.split("?")[0].split("#")[0]
            assert "//" not in target, f"{path.relative_to(site)} loads {place}"
            if path.name != "404.html":  # a server shows it at any place, so its links are absolute
                assert (path.parent / target).exists(), f"{path.relative_to(site)}: there is no {place}"


def test_styles_load_nothing_from_other_places(site):
    for path in site.rglob("*.css"):
        assert not re.search(r"(url\(|@import)\s*[\"']?(https?:)?//", path.read_text(encoding="utf-8")), path.name


def test_links_within_the_site_lead_to_anchors(site, read):
    """mkdocs checks links of pages that it makes; this holds for those to the C reference and within it, too."""
    anchors = {path.resolve(): page.anchors for path, page in read.items()}
    checked = 0
    for path, page in read.items():
        for link in page.links:
            if re.match(r"[a-z]+:", link) or path.name == "404.html":
                continue
            place, _, anchor = link.partition("#")
            target = (path.parent / place).resolve() if place else path.resolve()
            assert target.exists(), f"{path.relative_to(site)}: {link}"
            if anchor and target in anchors:
                assert anchor in anchors[target], f"{path.relative_to(site)}: {link}"
                checked += 1
    assert checked > 2000


def test_every_name_of_the_python_package_has_its_documentation(site):
    import libsched
    pages = "".join(path.read_text() for path in (site / "reference" / "python").glob("*.html"))
    anchors = set(re.findall(r'id="libsched\.(\w+)"', pages))
    names = re.findall(r"`(\w+)`", libsched.__doc__.split("matter most")[1].split("\n\n", 2)[2])
    # Aliases of types are explained where they are used.
    assert [name for name in names if name not in anchors and isinstance(getattr(libsched, name, None), type)] == []


def test_docstrings_have_become_markdown(site):
    for path in (site / "reference" / "python").glob("*.html"):
        odd = re.findall(r"<p>[^<]*(?:&gt;&gt;&gt;|===|```|::</p>)", path.read_text())
        assert not odd, f"{path.name}: {odd[0]}"


def test_every_command_has_its_help(site):
    from libsched import cli
    text = (site / "reference" / "command-line.html").read_text()
    assert all(f'id="libsched-{verb}"' in text for verb in cli.OWN)


def test_the_go_packages_are_there(site):
    for name, wanted in (("libsched", "Framework.CheckPodFits"), ("kube", "Catalog"), ("snapshot", "Snapshot")):
        assert f'id="{wanted}"' in (site / "reference" / "go" / f"{name}.html").read_text()


def test_performance_shows_the_recorded_run(site):
    text = (site / "performance.html").read_text()
    assert text.count('class="plot"') > 5 and 'class="bars"' in text and "@" not in re.sub(r"<[^>]*>", "", text)


def test_releases_has_each_difference_under_its_heading(site):
    from libsched.differences import differences
    text = (site / "releases.html").read_text()
    shown = [html.unescape(re.sub("<[^>]*>", "", heading)) for heading in re.findall(r"<h3[^>]*>(.*?)<a ", text)]
    assert sorted(shown) == sorted(one.heading for one in differences())


@pytest.fixture(scope="module")
def browser():
    if not (CHROMIUM and DRIVER):
        project.need("chromedriver")
    with Browser() as made:
        yield made


def wait(browser, script):
    """What the script gives, as soon as it gives something."""
    for _ in range(200):
        found = browser.run(script)
        if found:
            return found
        time.sleep(0.1)
    return pytest.fail(f"nothing: {script}")


@pytest.mark.parametrize("words,page", [("drain", "for/operators"), ("permit", "how/gangs"), ("preemption", "how/preemption"),
                                        ("node pool", "how/node-pools"), ("reinforcement", "how/policy-in-a-loop"),
                                        ("kubectl plugin", "for/operators"), ("libsched_check_pod_fits", "reference/c/evaluator")])
def test_the_search_finds_pages_without_a_server(browser, site, words, page):
    browser.open(site / "index.html")
    browser.run("document.querySelector('[data-md-component=search-query]').focus()")
    browser.press(words)
    links = wait(browser, "return [...document.querySelectorAll('.md-search-result__link')].map(a => a.href)")
    places = [link.removeprefix(site.as_uri() + "/") for link in links]
    assert not any(":" in place for place in places)
    assert any(place.startswith(f"{page}.html") for place in places[:5]), places[:5]


@pytest.mark.parametrize("page", ["index", "recipes", "plugins", "performance", "reference/python/main",
                                  "reference/go/libsched", "reference/command-line", "topics/facts"])
def test_nothing_is_wider_than_a_phone(browser, site, page):
    browser.resize(390, 800)
    browser.open(site / f"{page}.html")
    assert browser.run("return innerWidth") == 390
    wide = browser.run("""
      return [...document.querySelectorAll('.md-content *')].filter(e => {
        const scrolls = e.closest('pre, .md-typeset__scrollwrap, .highlight, svg');
        return !scrolls && e.getBoundingClientRect().right > innerWidth + 1;
      }).map(e => e.outerHTML.slice(0, 80)).slice(0, 5)""")
    assert not wide


def test_no_page_scrolls_sideways_on_a_phone(browser, site, read):
    browser.resize(390, 800)
    wide = []
    for path in read:
        if path.name == "404.html":  # its links are absolute
            continue
        browser.open(path)
        if browser.run("return document.documentElement.scrollWidth") > 390:
            wide.append(str(path.relative_to(site)))
    assert not wide


def test_it_says_nothing_and_asks_for_nothing(browser):
    assert not browser.console()
    assert all(url.startswith(("file:", "about:", "blob:")) for url in browser.requests())
