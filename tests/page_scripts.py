"""Which scripts do all pages ask for? ``python -m tests.page_scripts`` opens two and writes their names down, in the
order in which they were asked for, for dpmia_lab/serve/scripts.py. To be done after an update of Voilà or ipywidgets.
"""

from playwright.sync_api import Browser

from dpmia_lab.serve.scripts import NAMES
from tests.lesson_pages import WAIT
from tests.served import chromium, served

PAGES = ("index", "03_hiding_a_class")
LOADERS = ("voila.js", "voila-style.js")  # what loads the others, and what must come before them
ASKED = """() => performance.getEntriesByType("resource").filter((one) => one.initiatorType === "script")
    .map((one) => new URL(one.name).pathname)"""


def asked_for(browser: Browser, address: str) -> list[str]:
    """``static/5764.voila.js`` and the like."""
    page = browser.new_page()
    page.goto(address)
    page.locator("#lab-starting").wait_for(state="hidden", timeout=WAIT)
    page.wait_for_load_state("networkidle")
    found = [path.partition("/voila/")[2] for path in page.evaluate(ASKED)]
    page.goto("about:blank")
    page.close()
    own = [name for name in found if name.startswith(("static/", "labextensions/"))]
    return [name for name in own if name.rpartition("/")[2] not in LOADERS and "remoteEntry" not in name]


def main() -> None:
    NAMES.write_text("")  # what is in there would not be asked for
    with served() as address, chromium() as browser:
        first, *others = [asked_for(browser, f"{address}voila/render/{page}.ipynb") for page in PAGES]
    NAMES.write_text("".join(f"{name}\n" for name in first if all(name in other for other in others)))
    print(f"{NAMES}: {len(NAMES.read_text().split())} scripts")


if __name__ == "__main__":
    main()
