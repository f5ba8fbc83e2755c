"""Tables and claims as HTML: what is escaped, what is grey, what each verdict says."""

import pytest

from dpmia_lab.widgets.kit import claims
from dpmia_lab.widgets.kit.claims import Claim, Verdict, verdict
from dpmia_lab.widgets.kit.controls import swapped
from dpmia_lab.widgets.kit.tables import Cell, Html, Row, table_html, with_small


def test_a_table_has_a_caption_heads_and_rows_and_scrolls():
    assert table_html(("model", "ε"), [("softmax", "3")], "What it cost.", "dp-models") == (
        '<div class="dp-scroll"><table class="dp-models"><caption>What it cost.</caption><thead><tr><th>model</th>'
        '<th>ε</th></tr></thead><tbody><tr><td role="rowheader">softmax</td><td>3</td></tr></tbody></table></div>'
    )


def test_words_are_escaped_and_ready_html_is_not():
    made = table_html(("<a>", Html("<i>b</i>")), [("x < 1", Html("<b>y</b>"))], "AT&T")
    assert "<th>&lt;a&gt;</th><th><i>b</i></th>" in made and "x &lt; 1" in made and "<b>y</b>" in made
    assert "<caption>AT&amp;T</caption>" in made


def test_rows_and_cells_may_have_a_class_and_a_cell_several_columns():
    made = table_html(
        ("", "", ""), [Row(("noise", "0", Cell("1", "dp-exposed")), "reference"), ("a", Cell("-", "", 2))]
    )
    assert '<tr class="reference"><td role="rowheader">noise</td><td>0</td><td class="dp-exposed">1</td></tr>' in made
    assert '<td colspan="2">-</td>' in made and "<caption>" not in made


def test_small_words_stand_below_others():
    assert with_small("a < b", Html("<i>c</i>")) == "a &lt; b<br><small><i>c</i></small>"


def test_words_are_swapped_for_a_choice():
    assert swapped({"a": "first", "b": "second"}) == [("first", "a"), ("second", "b")]


# ---- claims


def claim(**found: Verdict) -> Claim:
    return Claim("ε is < 1", "C", "it is", lambda: found)


@pytest.mark.parametrize(("agrees", "words"), [(True, "agrees"), (False, "does not agree"), (None, "cannot be said")])
def test_a_verdict_is_said_with_its_numbers(agrees, words):
    made = claims.claim_html(claim(faces=verdict(agrees, "ε is <b>0.9</b>")))
    assert made == (
        "<h4>ε is &lt; 1</h4><p>Paper C: it is.</p><ul class='dp-findings'>"
        f"<li>faces: <b>{words}</b>; ε is <b>0.9</b>.</li></ul>"
    )


def test_what_the_paper_did_not_measure_has_no_verdict():
    assert "<li>faces: 3 of 4.</li>" in claims.claim_html(claim(faces=Verdict(claims.NOT_CLAIMED, "3 of 4")))


def test_a_claim_without_results_says_so():
    assert "Not computed yet." in claims.claim_html(claim())


def test_claims_are_checked_without_a_page():
    found = claims.checked([claim(faces=verdict(True, "0.9"), digits=verdict(None, "nothing")), claim()])
    assert [(one.data, one.finding, one.sentence) for one in found] == [
        ("faces", "agrees", "0.9"),
        ("digits", "cannot be said", "nothing"),
    ]
    assert {(one.title, one.paper, one.said) for one in found} == {("ε is < 1", "C", "it is")}


def test_folded_claims_say_their_verdicts_at_once_and_the_numbers_below():
    found = {"faces": verdict(True, "0.9"), "carts": verdict(True, "0.8"), "digits": Verdict("", "1")}
    made = claims.folded_claims([claim(**found)])
    summary, body = made.split("</summary>")
    assert summary.endswith("<b>ε is &lt; 1</b> <small>agrees on faces, carts; measured on digits</small>")
    assert body.count("<li>") == 3 and "0.9" in body and "0.9" not in summary
