"""Lesson 8 without a browser: charts, words, claims and tasks from results that are made up."""

import numpy as np
import pytest
from conftest import on_a_page

from dpmia_lab.experiments.confidence_claims import CLAIMS
from dpmia_lab.experiments.confidence_curves import POINTS
from dpmia_lab.experiments.confidences import NAMES, Config
from dpmia_lab.experiments.paper_claims import Finding, PaperClaim
from dpmia_lab.plots.confidences import Bar, answers_chart, recognised_chart, reliability_chart
from dpmia_lab.rows import Row, Rows
from dpmia_lab.store import Result
from dpmia_lab.widgets.confidences import claims, curves, words
from dpmia_lab.widgets.confidences.data import READY, presets
from dpmia_lab.widgets.confidences.hook import vector_html
from dpmia_lab.widgets.confidences.tasks import lambda_hint, rival_hint
from dpmia_lab.widgets.kit.claims import AGREES, DIFFERS, NOT_CLAIMED, UNDECIDED
from dpmia_lab.widgets.kit.runs import Run

WIDTHS = pytest.mark.parametrize("width", [320, 774])


def result(accuracy: float = 0.9, **shares: float) -> Result:
    shares = {"alignment": 0.6, "alignment_label": 0.5, "gmi": 0.8, "gmi_adapted": 0.7, **shares}
    shares = {"average_face": 0.02, "prior_alone": 0.03, "decoder_noise": 0.04, **shares}
    rows = [Row("recognised", value, attack=name, protocol="test", low=value / 2, high=(1 + value) / 2)
            for name, value in shares.items()]  # fmt: skip
    counts = {"reliability_count": np.array([10.0, 0.0, 30.0]), "reliability_confidence": np.array([0.2, np.nan, 0.6])}
    numbers = {"test_accuracy": accuracy, "ece": 0.3, "chance": 0.025}
    return Result(numbers, counts | {"reliability_accuracy": np.array([0.5, np.nan, 1.0])}, Rows(tuple(rows), NAMES))


def run(number: int = 1, config: Config | None = None, **of: float) -> Run:
    return Run(number, config or Config(defence="mid"), result(**of), 1.0, "")


# ---- charts
@WIDTHS
def test_every_bar_can_be_read_with_its_interval(width):
    bars = [Bar("alignment", "attack", 0.6, 0.5, 0.7), Bar("the prior alone", "null", 0.02, 0.0, 0.05)]
    chart = recognised_chart(bars, "recognised by the judge", width, share=True, closer_is_lower=False, chance=0.025)
    first, second = chart.readings()
    assert first.words == "60%, 95 % interval 50% to 70%" and first.x > second.x and first.y < second.y
    assert chart.alt == "Recognised by the judge, by attacker: alignment 60%; the prior alone 2%."


def test_distances_have_their_own_scale():
    bars = [Bar("alignment", "attack", 32.4), Bar("the prior alone", "null", 80.2)]
    chart = recognised_chart(bars, "distance to test pictures", 774, share=False, closer_is_lower=True, chance=None)
    assert [one.words for one in chart.readings()] == ["32.4", "80.2"]


@WIDTHS
def test_reliability_leaves_out_bins_in_which_nobody_is(width):
    made = result()
    chart = reliability_chart(
        *(made.arrays[f"reliability_{n}"] for n in ("count", "accuracy", "confidence")), 0.3, width
    )
    assert [one.name for one in chart.readings()] == ["says 20%", "says 60%"]
    assert "most often it says about 60% and is then right 100%" in chart.alt


@pytest.mark.parametrize(("draws", "words"), [(1, "The answer"), (20, "20 answers")])
def test_answers_tell_the_right_name(draws, words):
    answers = np.full((draws, 5), 0.1)
    answers[:, 2] = 0.6
    chart = answers_chart(answers, 2, 400)
    assert chart.alt.startswith(words) and "The right name gets 60%" in chart.alt
    assert chart.readings()[2].name == "name 3, the right one"


# ---- words
def test_calibration_says_which_way_it_errs():
    assert words.calibration_words(result(accuracy=0.9)) == "Says 50% on average: less than it knows."
    assert words.calibration_words(result(accuracy=0.2)) == "Says 50% on average: more than it knows."
    assert "about what it knows" in words.calibration_words(result(accuracy=0.51))


def test_without_noise_one_answer_is_all_answers():
    assert words.turned("many", {"alignment", "alignment_averaged", "gmi"}) == ("alignment_averaged", "gmi")
    assert words.turned("many", {"alignment", "gmi"}) == ("alignment", "gmi")
    assert words.turned("mean", {"alignment", "gmi"}) == ("alignment", "gmi_adapted")
    assert "it answers alike each time" in words.alignment_head(result(), Config(), "alignment", "many")


def test_the_strongest_attacker_is_no_null_and_no_label():
    assert words.strongest(result(alignment_label=0.99, average_face=0.99)).attack == "gmi"
    assert words.strongest(result(alignment_averaged=0.9)).attack == "alignment_averaged"


def test_bars_are_logarithms_and_the_best_is_named():
    html = vector_html(np.array([0.9899, 0.01, 1e-4, 1e-30]), ("Ann", "Bob", "Cem", "Dan"))
    assert html.count("<i ") == 4 and "Ann 99.0%" in html
    for name, height in {"Bob": "77.8", "Cem": "55.6", "Dan": "1.0"}.items():
        assert f'height:{height}%" title="{name}' in html


def test_the_page_opens_with_lambda_at_nothing_and_has_a_run_for_each_word():
    from dpmia_lab.widgets.confidences.controls import PRESET_WORDS

    made = presets()
    assert list(made)[0] == "faces" and made["faces"].lam == 0.0 and made["faces"].defence == "mid"
    assert PRESET_WORDS.keys() == made.keys() and {made[f"faces-mid-{lam:g}"].lam for lam in READY} == set(READY)


# ---- tasks
def test_hints_know_between_which_lambdas_to_look():
    weak = run(config=Config(defence="mid", lam=0.03), accuracy=0.97, alignment=0.62)
    dear = run(config=Config(defence="mid", lam=0.1), accuracy=0.56, alignment=0.33)
    assert "a larger λ" in lambda_hint([weak]) and "a smaller λ" in lambda_hint([dear])
    assert "between λ = 0.03 and λ = 0.1" in lambda_hint([dear, weak])


def test_hints_know_which_rivals_were_tried():
    assert "try another defence" in rival_hint([run()])
    rounding = run(config=Config(defence="rounding"))
    assert "does not matter to GMI" in rival_hint([rounding, run()])
    positive = run(config=Config(defence="label_smoothing", smoothing=0.3))
    assert "α may be negative" in rival_hint([positive])
    dull = run(config=Config(defence="dp_sgd"), accuracy=0.4, gmi=0.3, gmi_adapted=0.3, alignment=0.3)
    assert "too dear" in rival_hint([dull])


# ---- claims
def points(mid: float, dp: float) -> dict[str, np.ndarray]:
    """No defence, then MID and DP-SGD at 80 % accuracy with these leaks, three seeds about them."""
    seeds = np.array([-0.01, 0.0, 0.02])
    leak = np.array([0.8, mid, dp])[:, None] + seeds * np.array([[1], [1], [-1]])
    return {
        "recognised_alignment": leak,
        "defence": np.array([POINTS.index(name) for name in ("none", "mid", "dp_sgd")]),
        "strength": np.array([np.nan, 0.1, 0.2]),
        "test_accuracy": np.array([0.95, 0.8, 0.8])[:, None] + 0 * seeds,
    }


@pytest.mark.parametrize(("mid", "dp", "finding"), [(0.3, 0.6, AGREES), (0.6, 0.3, DIFFERS), (0.5, 0.501, UNDECIDED)])
def test_verdicts_follow_the_leaks_at_equal_accuracy(monkeypatch, mid, dp, finding):
    monkeypatch.setattr(claims, "reference", lambda name: points(mid, dp) if name == "faces" else None)
    made = {claim.title: claim.check for claim in (claims.claim_of(one) for one in CLAIMS)}
    found = made["MID against DP: alignment"]()
    assert list(found) == ["generated faces"] and found["generated faces"].finding == finding
    assert made["MID against DP: GMI"]() == {}  # not measured


def test_what_the_paper_does_not_claim_has_no_verdict(monkeypatch):
    monkeypatch.setattr(claims, "reference", lambda name: points(0.3, 0.6))
    claim = claims.claim_of(PaperClaim("asked", "", lambda _: Finding(None, "1 of 2")))
    assert {one.finding for one in claim.check().values()} == {NOT_CLAIMED} and claim.said == claims.NOT_MEASURED


def test_curves_show_what_ships_and_what_was_run_here(monkeypatch):
    """Where an attack needs noise, a network without it answers alike; one seed has no spread."""
    made = points(0.3, 0.6)
    made["recognised_alignment_averaged"] = np.array([[np.nan] * 3, [0.7] * 3, [np.nan] * 3])
    made["ece"], made["recognised_average_face"] = made["test_accuracy"] / 10, np.full((3, 3), 0.02)
    monkeypatch.setattr(curves, "reference", lambda name: made if name == "faces" else None)

    async def opened():
        return curves.CurvesPanel()

    panel = on_a_page(opened())
    panel.attack.value = "alignment_averaged"
    assert [line.name for line in panel.lines()] == ["no defence", "MID", "DP-SGD"]
    assert [round(float(line.leak[0]), 2) for line in panel.lines()] == [0.8, 0.7, 0.6]
    assert panel.levels() == {"average face": pytest.approx(0.02)}
    assert "MID from 0.70 to 0.70" in panel.drawn(774).alt
    panel.attack.value = "update"
    assert "was not measured here" in panel.drawn(774) and "Fig" in panel.words.value
    panel.data.value = "digits"
    assert "not been computed yet" in panel.words.value and panel.drawn(774) is None
    one = {name: values[:, :1] if values.ndim > 1 else values for name, values in made.items()}
    panel.done(Result({}, one))
    panel.attack.value = "alignment"
    assert "Your own run, one seed" in panel.words.value and panel.lines()[1].spread[0] == 0
