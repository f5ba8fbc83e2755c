"""The instructor pack: pages that are whole, numbers that are the package's, links that open, slides that fit."""

import html
import re
from functools import cache

import pytest

from dpmia_lab.commands.command_line import main
from dpmia_lab.experiments import EXPERIMENTS
from dpmia_lab.slides.deck import deck_html
from dpmia_lab.slides.notebook import FOLDER, cells_of, lesson_file, lessons_with_pages, notebook_of, run_cells
from dpmia_lab.widgets.kit.lessons import LESSONS
from dpmia_lab.widgets.kit.links import config_from_query

SECTIONS = (
    "Learning outcomes", "Minute plan: 50 minutes", "Minute plan: 90 minutes", "On the projector",
    "Where students err", "Slides", "Discussion: harm and law", "Answers", "Exam questions", "The figures of this page",
    "Reading",
)  # fmt: skip
RUNS = {1: "inversion", 2: "private_training", 3: "hiding", 4: "membership", 5: "mechanisms", 6: "evaluation",
        7: "attributes", 8: "confidences", 9: "fooling", 10: "comparing"}  # fmt: skip
FILES = sorted(FOLDER.glob("*.ipynb"))
LINK = re.compile(r"\]\(((?:\.\./)?[\w.]+\.ipynb)(?:\?([^)#\s]*))?\)")
MEASURED = re.compile(r"[−-]?\d+(?:\.\d+)?(?:–\d+(?:\.\d+)?)?%|[−-]?\d*\.\d+")
FETCHED = re.compile(r"""(?:src|srcset|poster)\s*=\s*["'](?!data:)|<link\b|@import|url\((?!["']?(?:data:|#))""")
OVERFLOWS = """() => {
  const slide = document.querySelector("section.deck-now"), edge = slide.getBoundingClientRect();
  const parts = [...slide.querySelectorAll(".deck-body *")].filter((part) => !part.closest("svg"));
  const outside = parts.filter((part) => {
    const box = part.getBoundingClientRect();
    return box.height && (box.bottom > edge.bottom - 30 || box.right > edge.right - 20 || box.top < edge.top + 10);
  });
  return outside.map((part) => `${part.tagName}: ${part.textContent.slice(0, 40)}`);
}"""


def plain(text: str) -> str:
    """As numbers are compared: no markup, "17.9 %" as "17.9%"."""
    return re.sub(r"(\d) %", r"\1%", html.unescape(re.sub(r"<[^>]+>", " ", text))).replace("**", "")


def prose(lesson: int) -> str:
    return "\n".join(cell.source for cell in cells_of(lesson_file(lesson)) if cell.kind == "markdown")


def texts_of(value) -> list[str]:
    return [value] if isinstance(value, str) else list(value) if isinstance(value, tuple) else []


@cache
def ran(lesson: int) -> list[tuple]:
    return list(run_cells(cells_of(lesson_file(lesson))))


@cache
def deck(lesson: int) -> str:
    return deck_html(lesson)


def test_every_lesson_has_a_page():
    assert lessons_with_pages() == list(LESSONS) == list(RUNS)


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_page_has_all_its_sections(lesson):
    assert set(re.findall(r"^## (.+)$", prose(lesson), re.M)) >= set(SECTIONS)


@pytest.mark.parametrize("lesson", LESSONS)
@pytest.mark.parametrize("minutes", (50, 90))
def test_minute_plans_add_up(lesson, minutes):
    """One row ends where the next begins, and no row sends to a slide that is not there."""
    plan = re.search(rf"## Minute plan: {minutes} minutes\n(.*?)\n## ", prose(lesson), re.S)[1]
    rows = [(int(start), int(end)) for start, end in re.findall(r"^\| (\d+)–(\d+) \|", plan, re.M)]
    assert [start for start, _ in rows] == [0, *(end for _, end in rows[:-1])] and rows[-1][1] == minutes
    named = [int(number) for pair in re.findall(r"[Ss]lides? (\d+)(?:–(\d+))?", plan) for number in pair if number]
    assert max(named) <= deck(lesson).count("<section ")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_links_lead_somewhere(file):
    """To files that exist; where they carry settings, to settings that the lesson takes."""
    found = LINK.findall("\n".join(cell.source for cell in cells_of(file)))
    assert found or file.stem == "reading_list"
    for place, query in found:
        target = (FOLDER / place).resolve()
        assert target.is_file(), place
        if query:
            experiment = EXPERIMENTS[RUNS[int(target.name[:2])]]
            config_from_query(query, experiment, tuple({preset.data for preset in experiment.PRESETS.values()}))


@pytest.mark.parametrize("lesson", LESSONS)
def test_answers_of_exam_questions_are_what_the_package_computes(lesson):
    """A cell tagged "answer" comes to the figures that stand in bold just before it."""
    cells, answers = ran(lesson), 0
    for (before, _), (cell, value) in zip(cells, cells[1:], strict=False):
        if "answer" in cell.tags:
            assert cell.for_lecturers and before.for_lecturers
            bold = {plain(words) for words in re.findall(r"\*\*([^*]*\d[^*]*)\*\*", before.source)}
            missing = [text for text in texts_of(value) if plain(text) not in bold]
            assert texts_of(value) and not missing, (missing, bold)
            answers += 1
    assert answers >= 1


@pytest.mark.parametrize("lesson", LESSONS)
def test_figures_in_the_text_are_measured(lesson):
    """Every share and fraction outside the exam stands in what the page's own cells compute, or is a given one."""
    shown = [getattr(value, "html", "") for _, value in ran(lesson)]
    said = plain(" ".join([*shown, *(text for _, value in ran(lesson) for text in texts_of(value))]))
    known = set(MEASURED.findall(said.replace("-", "−"))) | set(notebook_of(lesson_file(lesson))["metadata"]["given"])
    known |= {number.lstrip("−") for number in known}
    for cell in cells_of(lesson_file(lesson)):
        if cell.kind == "markdown" and "## Exam questions" not in cell.source and "**Question" not in cell.source:
            no_results = r"\]\([^)]*\)|`[^`]*`|\b(?:σ|q|λ|α|ε|T|r|±|Art\.|CFR) ?=? ?[+−]?\d[\d.]*(?!%)"
            text = re.sub(no_results, " ", plain(cell.source))
            unknown = [number for number in MEASURED.findall(text) if number not in known]
            assert not unknown, (unknown, cell.source[:200])


@pytest.mark.parametrize("lesson", LESSONS)
def test_slides_need_nothing_else_and_give_nothing_away(lesson):
    made = deck(lesson)
    assert 8 <= made.count("<section ") <= 14
    assert not FETCHED.search(made)
    assert "Exam questions" not in made and "Model answer" not in made and "*Answer.*" not in made
    cells = cells_of(lesson_file(lesson))
    lecturers = [cell.source for cell in cells if cell.for_lecturers and cell.kind == "markdown"]
    assert lecturers and not any(source.splitlines()[-1][:60] in made for source in lecturers)
    assert LESSONS[lesson].remember[0][:40] in made
    assert "$" not in re.sub(r"<script>.*</script>", "", made.partition("<body")[2], flags=re.S)


def test_the_syllabus_has_its_weeks():
    text = "\n".join(cell.source for cell in cells_of(FOLDER / "syllabus.ipynb"))
    for title, weeks in (("Four weeks", 4), ("Ten weeks", 10)):
        part = re.search(rf"## {title}\n(.*?)\n\*\*Grade", text, re.S)[1]
        rows = re.findall(r"^\| (\d+) \| \[(\d+)\]\(lesson_(\d+)\.ipynb\)", part, re.M)
        assert [int(week) for week, _, _ in rows] == list(range(1, weeks + 1))
        assert all(int(lesson) == int(page) for _, lesson, page in rows)


def test_the_reading_list_is_whole():
    shown = run_cells(cells_of(FOLDER / "reading_list.ipynb"))
    value = next(value for cell, value in shown if "reading_list()" in cell.source and value)
    assert value is not None


def test_the_command_writes_one_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["slides", "4", "--lab", "http://lab.test:1/"]) == 0
    made = (tmp_path / "slides_04.html").read_text()
    assert 'href="http://lab.test:1/voila/render/04_were_you_in.ipynb?preset=digits"' in made
    assert main(["slides", "11"]) == 2 and "lesson must be" in capsys.readouterr().err
    assert main(["slides", "--out", "all.html"]) == 2 and not (tmp_path / "all.html").exists()


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_slide_fits(browser, tmp_path, lesson):
    file = tmp_path / "deck.html"
    file.write_text(deck(lesson), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(file.as_uri())
    for number in range(1, page.locator("section").count() + 1):
        page.evaluate("number => { location.hash = `#${number}`; }", number)
        page.wait_for_selector(f'section.deck-now[data-number="{number}"]')
        assert page.evaluate(OVERFLOWS) == [], f"slide {number}"
    page.close()
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []


def test_keys_move_through_slides(browser, tmp_path):
    """Next shows what comes later on a slide first; notes, overview and dark by one key each."""
    file = tmp_path / "deck.html"
    file.write_text(deck(4), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.goto(file.as_uri() + "#6")
    later = page.locator("section.deck-now .deck-later")
    assert not later.is_visible()
    page.keyboard.press("ArrowRight")
    assert later.is_visible() and page.locator(".deck-place").inner_text().startswith("6 /")
    page.keyboard.press("ArrowRight")
    assert page.locator(".deck-place").inner_text().startswith("7 /")
    page.keyboard.press("n")
    assert page.locator(".deck-notes").is_visible()
    page.keyboard.press("n")
    page.keyboard.press("o")
    assert page.locator("section:visible").count() == page.locator("section").count()
    page.locator("section").nth(2).click()
    assert page.locator(".deck-place").inner_text().startswith("3 /")
    page.mouse.click(1000, 400)
    assert page.locator(".deck-place").inner_text().startswith("4 /")
    before = page.evaluate("getComputedStyle(document.querySelector('section')).backgroundColor")
    page.keyboard.press("d")
    assert page.evaluate("getComputedStyle(document.querySelector('section')).backgroundColor") != before
    page.close()
