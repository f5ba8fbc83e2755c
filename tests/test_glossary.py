"""The glossary: every term has a sentence and a picture, and is linked where a lesson first uses it."""

import re
from xml.etree import ElementTree

import nbformat
import pytest
from conftest import NOTEBOOKS

from dpmia_lab.widgets.glossary.linking import linked
from dpmia_lab.widgets.glossary.page import terms
from dpmia_lab.widgets.glossary.pictures import PICTURES, picture_svg
from dpmia_lab.widgets.kit.glossary import GROUPS, TERMS, term
from dpmia_lab.widgets.kit.lessons import LESSONS
from dpmia_lab.widgets.kit.references import REFERENCES, references_html

LINK = re.compile(r"\[[^\[\]]*\]\(glossary\.ipynb#([\w-]+)\)")


def prose_of(number: int) -> list[str]:
    cells = nbformat.read(NOTEBOOKS / LESSONS[number].file, as_version=4).cells
    return [cell.source for cell in cells if cell.cell_type == "markdown"]


def test_every_term_is_one_sentence_and_one_picture():
    assert TERMS.keys() == PICTURES.keys()
    for key, one in TERMS.items():
        assert one.sentence.endswith((".", "?")) and ". " not in one.sentence, key
        drawn = ElementTree.fromstring(picture_svg(key))
        assert len(drawn) >= 2, key


def test_drawings_stay_in_their_frame():
    """160 × 90, with the width of a stroke to spare."""
    for key in PICTURES:
        svg = picture_svg(key)
        for name, most in (("x", 160), ("y", 90), ("cx", 160), ("cy", 90)):
            assert all(0 <= float(v) <= most for v in re.findall(rf'\b{name}="([-\d.]+)"', svg)), key
        for points in re.findall(r'points="(.*?)"', svg):
            assert all(
                -1 <= float(x) <= 161 and -1 <= float(y) <= 91 for x, y in (p.split(",") for p in points.split())
            )


def test_the_page_has_an_anchor_for_every_term():
    html = "".join(terms(group).children[0].value for group in GROUPS)
    assert re.findall(r'<section class="dp-entry" id="([\w-]+)"', html) == list(TERMS)


def test_a_term_in_html_says_its_sentence():
    assert term("epsilon", "ε").startswith('<a class="dp-term" href="glossary.ipynb#epsilon" title="How much')
    assert term("epsilon", "ε").endswith(">ε</a>")


@pytest.mark.parametrize("number", LESSONS)
def test_first_uses_are_linked_once(number):
    """After a change of text: python -m dpmia_lab.commands.link_terms."""
    prose = prose_of(number)
    keys = LINK.findall("\n".join(prose))
    assert len(keys) == len(set(keys)) and len(keys) >= 6
    assert set(keys) <= TERMS.keys()
    assert linked(prose, number) == prose


def test_the_first_use_and_no_other_is_linked():
    before = [
        "# Model inversion\n\nAn `AUC` of $$AUC$$ in <b title='AUC'>a</b> [model](x.html).",
        "AUC, auc, **Models**.",
    ]
    after = linked(before, 2)
    assert after[0] == before[0]  # headings, code, formulas and other links stay
    assert after[1] == "[AUC](glossary.ipynb#auc), auc, **[Models](glossary.ipynb#model)**."
    assert linked(after, 2) == after


def test_the_longer_name_wins_and_symbols_count():
    assert linked(["model inversion of a model at $\\varepsilon$ and $\\varepsilon^2$"], 2) == [
        "[model inversion](glossary.ipynb#model-inversion) of a [model](glossary.ipynb#model) at "
        "[$\\varepsilon$](glossary.ipynb#epsilon) and $\\varepsilon^2$"
    ]
    assert linked(["neighbours"], 1) == ["neighbours"] != linked(["neighbours"], 2)  # pixels, in lesson 1


def test_a_link_that_is_no_longer_the_first_use_goes():
    assert linked(["A unit.", "A [unit](glossary.ipynb#unit)."], 2) == ["A [unit](glossary.ipynb#unit).", "A unit."]


# ---- references
def test_every_lesson_has_three_points_and_its_papers():
    assert {one.letter for one in REFERENCES.values()} - {""} == set("ABCDE")
    used = [key for lesson in LESSONS.values() for key in lesson.references]
    assert set(used) == REFERENCES.keys()
    for number, lesson in LESSONS.items():
        assert len(set(lesson.remember)) == 3 and lesson.papers, number
        assert (NOTEBOOKS / lesson.file).exists()


def test_a_reference_has_authors_year_title_and_a_safe_link():
    html = references_html(["abadi"])
    assert "Martín Abadi" in html and "(2016)" in html and 'href="https://arxiv.org/abs/1607.00133"' in html
    assert all(one.link.startswith("https://") and 1900 < one.year < 2030 for one in REFERENCES.values())


@pytest.mark.parametrize("number", LESSONS)
def test_whom_a_lesson_names_is_among_its_references(number):
    """Names in prose as "Shokri et al."; papers by their letter."""
    prose = "\n".join(prose_of(number))
    listed = references_html(LESSONS[number].references)
    for name in re.findall(r"([A-Z][a-zü]+) et al\.", prose):
        assert name in listed, name
    for letter in set(re.findall(r"[Pp]aper ([A-E])\b", prose)):
        assert f"Paper {letter}." in listed, letter
