"""``python -m tests.reserve``: measures how high each code cell of every page is, and writes it into the notebook.

The page keeps that much free until Python has filled the cell, so that nothing being read moves. Run it when a page has
changed its shape; names of notebooks as arguments measure those only.
"""

import json
import sys
import time
from pathlib import Path

from tests.conftest import NOTEBOOKS
from tests.served import chromium, served

SIZES = [(1280, 720), (390, 844)]  # wide and narrow, as the stylesheet tells them apart
SETTLED = 12  # seconds until hooks and charts are there
HEIGHTS = """() => Object.fromEntries([...document.querySelectorAll('[cell-index]')].map(cell => {
  cell.style.minHeight = '0';
  return [cell.getAttribute('cell-index'), Math.ceil(cell.getBoundingClientRect().height)];
}))"""


def measured(browser, lab: str, name: str) -> list[dict[str, int]]:
    found = []
    for width, height in SIZES:
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(f"{lab}voila/render/{name}")
        page.wait_for_selector("#lab-starting", state="hidden", timeout=90_000)
        time.sleep(SETTLED)
        found.append(page.evaluate(HEIGHTS))
        page.close()
    return found


def write(notebook: Path, wide: dict[str, int], narrow: dict[str, int]) -> None:
    content = json.loads(notebook.read_text(encoding="utf-8"))
    for place, cell in enumerate(content["cells"], start=1):
        if wide.get(str(place)):
            cell["metadata"]["heights"] = [wide[str(place)], narrow[str(place)]]
        else:
            cell["metadata"].pop("heights", None)
    notebook.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    wanted = sys.argv[1:]
    with served() as lab, chromium() as browser:
        for notebook in sorted(NOTEBOOKS.glob("*.ipynb")):
            if not wanted or notebook.stem in wanted:
                wide, narrow = measured(browser, lab, notebook.name)
                write(notebook, wide, narrow)
                print(notebook.name, wide)


if __name__ == "__main__":
    main()
