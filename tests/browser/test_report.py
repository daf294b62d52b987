"""The report in a real browser: headless Chromium opens the file from disk, and a person's eyes are stood in for.

Debian has it as `chromium` and `chromium-driver`; where they are absent these tests skip and say so. With TWOSDR_SCREENSHOTS=folder
the pages are photographed at phone and desktop width, light and dark.
"""

import base64
import json
import os
import shutil
from pathlib import Path

import pytest

from tests.rooms.report.contents import people, whole
from tests.rooms.report.test_page import HOSTILE
from twosdr.report import render

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"),
    *("--disable-default-apps", "--disable-sync", "--no-first-run", "--disable-dev-shm-usage"),
)
WIDTHS = {"phone": 390, "desktop": 1280}

pytestmark = [
    pytest.mark.skipif(
        CHROMIUM is None, reason="chromium is not installed (Debian: apt-get install chromium chromium-driver)"
    ),
    pytest.mark.skipif(
        DRIVER is None, reason="chromedriver is not installed (Debian: apt-get install chromium-driver)"
    ),
]


@pytest.fixture(scope="module")
def contents():
    return whole(people())


@pytest.fixture(scope="module")
def file(contents, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render(contents))
    return path


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed (the dev extra has it)")
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    driver.set_page_load_timeout(60)
    yield driver
    driver.quit()


def visit(browser, path: Path) -> list[str]:
    """Open the file; the addresses that the page asked for."""
    for kind in ("browser", "performance"):
        browser.get_log(kind)
    browser.get(path.as_uri())
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [e["params"] for e in events if e["method"] == "Network.requestWillBeSent"]
    # A browser that has just started may still be loading the page of its own that a new tab shows.
    return [params["request"]["url"] for params in asked if not params["documentURL"].startswith("chrome:")]


def shape(browser, width: int, scheme: str = "light") -> None:
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": features})


def test_it_opens_from_disk_without_an_error_and_asks_for_nothing_else(browser, file):
    asked = visit(browser, file)
    assert [url for url in asked if not url.startswith("data:")] == [file.as_uri()]
    assert browser.get_log("browser") == []
    resources = browser.execute_script("return performance.getEntriesByType('resource').map(e => e.name)")
    assert [name for name in resources if not name.startswith("data:")] == []


def test_the_verdict_stands_there_in_words(browser, file, contents):
    visit(browser, file)
    said = browser.find_element("id", "verdict").text
    for attribute in contents.audit.attributes:
        if attribute.verdict is not None:
            assert attribute.verdict.text in said


def test_the_slider_shows_the_frontier_point_by_point(browser, file, contents):
    from selenium.webdriver.common.keys import Keys

    visit(browser, file)
    slider = browser.find_element("id", "removal")
    curve = contents.frontier.curves[0]
    assert slider.is_enabled()
    assert browser.find_element("id", "removed").text == "100 %"
    seen = set()
    slider.send_keys(Keys.HOME)
    for level, removal in enumerate(curve.removal):
        assert slider.get_attribute("value") == str(level)
        assert browser.find_element("id", "removed").text == f"{100 * removal:.0f} %"
        assert slider.get_attribute("aria-valuetext") == f"{100 * removal:.0f} % removed"
        shown = [c.text for c in browser.find_elements("css selector", "[id^='cell0-']")]
        assert float(shown[0]) == pytest.approx(curve.distance["sex"][level], abs=6e-4)
        point = browser.find_element("id", "point0")
        seen.add((point.get_attribute("cx"), point.get_attribute("cy")))
        slider.send_keys(Keys.ARROW_RIGHT)
    assert len(seen) == len(curve.removal)
    assert browser.get_log("browser") == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("device", WIDTHS)
def test_it_fits_the_width_by_day_and_by_night(browser, file, device, scheme):
    width = WIDTHS[device]
    shape(browser, width, scheme)
    visit(browser, file)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    colours = browser.execute_script(
        "const style = getComputedStyle(document.body); return [style.color, style.backgroundColor].map(c => c.match(/\\d+/g).map(Number))"
    )
    text, behind = (sum(parts[:3]) for parts in colours)
    assert (text < behind) == (scheme == "light")
    small = browser.execute_script(
        "return [...document.querySelectorAll('svg text')].map(t => t.getBoundingClientRect().height).filter(h => h > 0)"
    )
    assert min(small) >= 9  # dots: what a person can read on a phone
    if folder := os.environ.get("TWOSDR_SCREENSHOTS"):
        height = browser.execute_script("return document.documentElement.scrollHeight")
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        taken = browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
        Path(folder, f"{device}-{scheme}.png").write_bytes(base64.b64decode(taken["data"]))


def test_every_part_is_reached_by_keyboard_and_named_for_a_screen_reader(browser, file):
    shape(browser, 1280)
    visit(browser, file)
    tree = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    by_role: dict[str, list[str]] = {}
    for node in tree:
        if not node.get("ignored"):
            by_role.setdefault(node["role"]["value"], []).append(node.get("name", {}).get("value", ""))
    assert all(by_role["image"] if "image" in by_role else by_role["img"])
    assert all(by_role["slider"])
    assert all(by_role["region"])
    assert by_role["heading"][0]
    assert "columnheader" in by_role
    assert "rowheader" in by_role


def test_it_prints_with_everything_open(browser, file):
    shape(browser, 1280)
    visit(browser, file)
    printed = base64.b64decode(
        browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True, "paperWidth": 8.27, "paperHeight": 11.69})[
            "data"
        ]
    )
    assert printed.startswith(b"%PDF")
    assert printed.count(b"/Type /Page\n") >= 3 or printed.count(b"/Type /Page") >= 4
    if folder := os.environ.get("TWOSDR_SCREENSHOTS"):
        Path(folder, "print.pdf").write_bytes(printed)


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_runs_that_a_name_holds(browser, tmp_path, name):
    odd = HOSTILE[name].replace("\ud800", "")
    table = people(names=(odd, "age", "skill", f"{odd} city", "hours"), levels=(odd, f"{odd} too"))
    (tmp_path / "odd.html").write_text(render(whole(table, title=odd)))
    asked = visit(browser, tmp_path / "odd.html")
    assert len([url for url in asked if not url.startswith("data:")]) == 1
    assert browser.get_log("browser") == []
    assert browser.execute_script("return document.querySelectorAll('img, iframe, object').length") == 0
    assert browser.execute_script("return document.querySelectorAll('script').length") == 2
    assert browser.find_element("id", "removal").is_enabled()  # our own script ran to its end


def test_no_stray_policy_lets_a_script_of_another_run(browser, file, tmp_path):
    tampered = file.read_text().replace("</main>", "<script>document.title='taken over'</script></main>")
    (tmp_path / "tampered.html").write_text(tampered)
    visit(browser, tmp_path / "tampered.html")
    assert browser.title != "taken over"
    assert any("Content Security Policy" in entry["message"] for entry in browser.get_log("browser"))
