"""The page of findings: every claim that a lesson tried, computed from what ships."""

import pytest
from lesson_pages import assert_everything_has_a_name, assert_fits, assert_nothing_went_wrong, expect, says

from dpmia_lab.widgets import findings
from dpmia_lab.widgets.findings import SOURCES, WORDS, ClaimsPanel, beyond, lines, results
from dpmia_lab.widgets.kit.claims import AGREES, DIFFERS, UNDECIDED

PANEL = ".dp-all-claims"


def test_every_lesson_with_a_reference_brings_its_claims():
    found = list(lines())
    assert {line.lesson for line in found} == set(SOURCES) == {1, 3, 4, 5, 6, 7, 8, 9, 10}
    assert {line.claim.paper for line in found} == {"A", "B", "C", "D", "E"}
    assert all(line.claim.finding in ("", *WORDS) for line in found)
    assert {AGREES, DIFFERS, UNDECIDED} <= {line.claim.finding for line in found}


def test_every_line_tells_what_the_paper_says_and_gives_numbers():
    for line in lines():
        claim = line.claim
        assert claim.title and claim.said and claim.data, claim
        assert not claim.said.endswith(".") and not claim.sentence.endswith("."), claim
        told = any(character.isdigit() for character in claim.sentence)
        assert told or claim.finding == UNDECIDED, claim


def test_claims_can_be_chosen_by_verdict_and_by_paper():
    panel = ClaimsPanel()
    everything = len(panel.shown())
    counts = {}
    for verdict in WORDS:
        panel.verdict.value = verdict
        counts[verdict] = len(panel.shown())
        assert f"<b>{counts[verdict]}</b> comparisons" in panel.count.value
    assert sum(counts.values()) == everything and min(counts.values()) > 0
    panel.verdict.value, panel.paper.value = DIFFERS, "E"
    assert {line.claim.paper for line in panel.shown()} == {"E"}
    assert "Lesson 6" in panel.claims.value and "Lesson 5" not in panel.claims.value


def test_a_choice_that_fits_nothing_says_so():
    panel = ClaimsPanel()
    panel.verdict.value, panel.paper.value = UNDECIDED, "E"
    assert panel.shown() == [] and "<b>0</b> comparisons" in panel.count.value and panel.claims.value == ""


def test_what_the_papers_did_not_measure_stands_apart():
    said = beyond().children[0].value
    assert "Where the snow comes from" in said and "beyond paper A" in said
    assert "Where the snow comes from" not in ClaimsPanel().claims.value


@pytest.mark.parametrize("lesson", SOURCES)
def test_a_lessons_numbers_are_a_table(lesson):
    assert "<table" in results(lesson).children[0].value


def test_verdicts_follow_the_shipped_results(monkeypatch):
    """Paper E's 85 %: were other people recognised in the reference, the page would say so."""
    reference = findings.inversion.shipped("inversion_comparison")
    title = "An independent network recognises what the original attack draws"

    def verdict():
        return next(line.claim.finding for line in lines.__wrapped__() if line.claim.title == title)

    assert verdict() == AGREES
    reference["att_faces"]["results"]["recognised_share_original"] = 0.3
    shipped = findings.inversion.shipped
    changed = lambda name: reference if name == "inversion_comparison" else shipped(name)  # noqa: E731
    monkeypatch.setattr(findings.inversion, "shipped", changed)
    assert verdict() == DIFFERS


def test_the_page_opens_from_the_landing_page_and_answers(page, lab_server):
    page.goto(lab_server.address)
    page.locator("a", has_text="What the lessons found").click()
    says(page, f"{PANEL} .dp-claim-count", "comparisons")
    expect(page.locator(f"{PANEL} details")).to_have_count(len(SOURCES))
    page.locator(f"{PANEL} .dp-paper select").select_option("paper E")
    expect(page.locator(f"{PANEL} details")).to_have_count(2)
    assert_everything_has_a_name(page)
    for width in (390, 1280):
        assert_fits(page, width)
    assert_nothing_went_wrong(page)
