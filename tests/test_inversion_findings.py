"""What lesson 1 found follows from what ships with the lab: its sentences, its table, its claims."""

from dpmia_lab.experiments.inversion_comparison import CONTENDERS
from dpmia_lab.reference import shipped
from dpmia_lab.widgets.inversion import findings
from dpmia_lab.widgets.kit.claims import AGREES, DIFFERS, UNDECIDED, checked

FACE_WORDS, REAL_WORDS, DIGIT_WORDS = findings.SUBJECTS.values()


# ---- what came out
def test_the_findings_hold_the_reference_s_numbers():
    html = findings.findings().children[0].value
    for which in findings.SUBJECTS:
        rows = findings.reference(which)[0].rows
        assert findings.recognised(rows, "original") in html
    for attack in ("original", "published", "blank"):
        assert findings.distance(findings.reference("digits")[0].rows, attack) in html
    assert "4e-7 on the slider" in html and "the 1e-6 that does work" in html


def test_the_findings_words_are_true_of_the_reference():
    faces, digits = (findings.reference(which)[0].rows for which in ("faces", "digits"))
    assert shipped("inversion_comparison")["faces"]["config"]["repeats"] == 5  # "five seeds"
    near = [digits.value("distance_mean", attack=who) for who in ("blank", "published", "original")]
    assert near == sorted(near)  # the published table improves, and black is closer than either
    assert digits.value("recognised_share", attack="published") < digits.value("recognised_share", attack="original")
    one, other = (faces.row("recognised_share", attack=who) for who in ("enhanced", "original"))
    assert one.value - other.value < min(one.spread, other.spread)  # within each other's spread
    assert faces.value("distance_mean", attack="original") < faces.value("distance_mean", attack="enhanced")
    assert faces.value("recognised_share", attack="published") < 0.5 < one.value  # does not work; does work


def test_results_have_a_line_a_data_set_and_a_column_a_contender():
    html = findings.results_html()
    assert html.startswith('<div class="dp-scroll"><table><caption>5 seeds')
    assert html.count("<th>") == 1 + len(CONTENDERS) and html.count("%</td>") == 12
    for cell in ("80% ± 10%", "25% ± 3%", "86% ± 7%", "87% ± 4%", "21% ± 1%", "78% ± 4%", "96% ± 5%", "86% ± 11%"):
        assert f"<td>{cell}</td>" in html


# ---- claims
def verdicts(title_has):
    return {one.data: one.finding for one in checked(findings.CLAIMS) if title_has in one.title}


def test_every_claim_is_decided_by_the_shipped_results():
    assert verdicts("comes closer") == {FACE_WORDS: DIFFERS, REAL_WORDS: DIFFERS, DIGIT_WORDS: AGREES}
    assert verdicts("better likenesses") == {FACE_WORDS: UNDECIDED, REAL_WORDS: DIFFERS, DIGIT_WORDS: UNDECIDED}
    assert verdicts("distance tells") == {FACE_WORDS: DIFFERS, REAL_WORDS: AGREES, DIGIT_WORDS: DIFFERS}
    assert verdicts("published λ") == {FACE_WORDS: UNDECIDED}
    assert verdicts("independent network") == {REAL_WORDS: AGREES}
    assert verdicts("most similar picture") == {REAL_WORDS: DIFFERS}


def test_claims_quote_the_published_figures():
    paper = shipped("published")["att_faces"]
    weight, network, similar = (claim.said for claim in findings.CLAIMS[-3:])
    assert f"λ = {findings.lambda_words()[0]}" in weight
    assert f"{100 * paper['recognised_by_evaluation_model']:g} %" in network
    assert f"{100 * paper['recognised_by_ssim']:g} %" in similar


def sentence(title_has, data):
    return next(one.sentence for one in checked(findings.CLAIMS) if title_has in one.title and one.data == data)


def test_a_claim_gives_ours_beside_theirs():
    closer = sentence("comes closer", DIGIT_WORDS)
    assert "10.53 ± 0.41" in closer and "5.58 ± 0.06" in closer and "10 of 10 classes" in closer
    assert "the paper prints 8.89 and 8.00" in closer
    assert "no figure for these" in sentence("comes closer", REAL_WORDS)
    assert "a black picture is at 5.46 ± 0.05 (10% ± 0% recognised)" in sentence("distance tells", DIGIT_WORDS)
    assert sentence("independent network", REAL_WORDS) == "87% ± 4% here, 85.0% in the paper"


def changed_reference(monkeypatch, attack, **values):
    """The shipped results, but for these means of one attack."""
    records = shipped("inversion_comparison")
    for record in records.values():
        record["results"] |= {f"{measure}_{attack}": value for measure, value in values.items()}
    others = {"inversion_comparison": records, "published": shipped("published")}
    monkeypatch.setattr(findings, "shipped", others.get)


def test_other_results_would_have_changed_the_verdicts(monkeypatch):
    changed_reference(monkeypatch, "published", recognised_share=1.0, distance_mean=20.0, ssim_distance_mean=0.1)
    assert verdicts("comes closer") == {FACE_WORDS: AGREES, REAL_WORDS: AGREES, DIGIT_WORDS: DIFFERS}
    assert verdicts("better likenesses")[FACE_WORDS] == verdicts("published λ")[FACE_WORDS] == AGREES
    assert verdicts("distance tells")[FACE_WORDS] == AGREES
    changed_reference(monkeypatch, "original", recognised_share=0.7)
    assert verdicts("independent network") == {REAL_WORDS: DIFFERS}
