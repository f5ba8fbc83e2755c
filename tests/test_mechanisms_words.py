"""The words of lesson 5 follow its numbers: the noise of a cart, promises, contests, claims, rankings, tasks."""

import json
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from test_plots_mechanisms import sweep_arrays

from dpmia_lab.experiments.mechanisms import COLUMNS, GRID, PRESETS
from dpmia_lab.options import as_dict
from dpmia_lab.reference import shipped
from dpmia_lab.store import Result
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.mechanisms import data as mechanisms_data
from dpmia_lab.widgets.mechanisms import findings as mechanisms_findings
from dpmia_lab.widgets.mechanisms import hook as noise_panel
from dpmia_lab.widgets.mechanisms import ranking
from dpmia_lab.widgets.mechanisms import tasks as mechanisms_tasks
from dpmia_lab.widgets.mechanisms import words as mechanisms_words
from dpmia_lab.widgets.mechanisms.data import Sweep, contest

CONFIG = replace(PRESETS["skewed-10"], repeats=2)


def sweep_of(**changes):
    values = sweep_arrays() | {"classes": np.full(6, 10.0)}
    for box in ("white_box", "black_box"):
        values[f"auc_{box}_shifted"] = np.array([1.0, 0.99, 0.99, 0.98, 0.98, 1.0])
    values |= {
        f"phi_{box}{end}": values["phi_white_box"] for box in ("black_box", "white_box") for end in ("_shifted",)
    }
    return Sweep(values | changes, CONFIG, "reference")


def record_of(sweep):
    """As ``make reference`` writes it: lists, null where there is no number."""
    points = json.loads(json.dumps({k: v.tolist() for k, v in sweep.values.items()}).replace("NaN", "null"))
    return {"config": as_dict(sweep.config), "results": {}, "points": points}


@pytest.fixture
def with_reference(monkeypatch):
    kept = {"skewed-10": record_of(sweep_of())}
    monkeypatch.setattr(mechanisms_data, "shipped_or_nothing", lambda name: kept)


@pytest.fixture
def without_reference(monkeypatch):
    monkeypatch.setattr(mechanisms_data, "shipped_or_nothing", lambda name: {})


# ---- the cart and the picture
def test_a_cart_without_noise_is_sent_as_it_is():
    cart = noise_panel.one_cart()
    assert cart[noise_panel.SECRET] == 1 and cart.shape == (600,)
    words = noise_panel.cart_numbers_html(cart, cart, math.inf)
    assert "100.0%" in words and "no promise" in words and "∞ : 1" in words


def test_the_numbers_of_a_cart_say_both_epsilons():
    cart = noise_panel.one_cart()
    words = noise_panel.cart_numbers_html(cart, 1 - cart, math.log(3))
    assert "75.0%" in words and "3 : 1" in words and "0 of 600 in this draw" in words
    assert "for a record, 1.1 for one bit (replace one; δ = 0" in words


@pytest.mark.parametrize(
    ("epsilon", "yes", "no"), [(math.inf, 1.0, 0.0), (math.log(3), 3 / 102, 1 / 298), (1e-9, 0.01, 0.01)]
)
def test_a_snoop_reasons_by_bayes(epsilon, yes, no):
    assert noise_panel.belief_after(True, epsilon) == pytest.approx(yes)
    assert noise_panel.belief_after(False, epsilon) == pytest.approx(no)


def test_the_numbers_of_a_picture_follow_its_sliders():
    words = noise_panel.picture_numbers_html((1, 56, 46), 2, 4, 10.0)
    assert "25.5" in words and "6,440" in words and "10 for any 4 pixel values" in words
    assert "no promise" in noise_panel.picture_numbers_html((1, 56, 46), 1, 1, math.inf)


# ---- reference and own points
def test_a_reference_is_read_with_its_gaps(with_reference):
    sweep = mechanisms_data.reference_sweep("skewed-10")
    assert np.isnan(sweep.values["phi_white_box"][3]) and sweep.values["roc_white_box"].shape == (6, len(GRID))
    assert sweep.config == CONFIG and sweep.has("white_box") and not sweep.has("lira")
    assert list(mechanisms_data.quick_presets())[0] == "skewed-10"


def test_the_page_does_without_a_reference(without_reference):
    assert mechanisms_data.reference_sweep("skewed-10") is None
    assert set(mechanisms_data.quick_presets()) == set(PRESETS)
    assert "has not been computed" in mechanisms_words.sizes_html(None, [])
    assert "make reference" in mechanisms_findings.findings().children[0].value
    assert "make reference" in mechanisms_findings.trap().children[0].value


def test_quick_sweeps_are_of_the_references_data():
    for name, quick in mechanisms_data.quick_presets().items():
        assert mechanisms_data.preset_of(quick) == name and quick.records <= 1000 and quick.epochs <= 20


def test_rows_become_means_over_the_seeds_there_are():
    config = replace(CONFIG, zs="1", epsilons="1", repeats=2)  # three points a seed
    table = np.full((4, len(COLUMNS)), np.nan)
    table[:, COLUMNS.index("mechanism")] = [0, 1, 2, 0]
    table[:, COLUMNS.index("test_accuracy")] = [0.8, 0.5, 0.6, 0.9]
    sweep = mechanisms_data.sweep_so_far(config, table, "so far")
    np.testing.assert_allclose(sweep.values["test_accuracy"], [0.85, 0.5, 0.6])
    assert np.isfinite(sweep.values["test_accuracy_sd"][0]) and np.isnan(sweep.values["test_accuracy_sd"][1])
    first = mechanisms_data.sweep_so_far(config, table[:2], "so far")
    assert list(first.values["mechanism"]) == [0, 1] and "test_accuracy_sd" not in first.values


# ---- who is better?
def test_a_contest_is_held_only_where_both_reach():
    found = contest(sweep_of(), "white_box")
    np.testing.assert_allclose(found.levels, [0.6, 0.7])
    np.testing.assert_allclose(found.central, [0.4, 0.8])
    np.testing.assert_allclose(found.local, [0.7, 0.7 + 0.24 * 10 / 18])
    assert found.verdict == "local" and found.strict is True
    assert "<b>local</b> noise keeps more accuracy, never less" in mechanisms_words.contest_words(found)


def test_mechanisms_that_never_meet_cannot_be_compared():
    sweep = sweep_of(auc_white_box=np.array([0.9, 0.6, 0.55, 0.5, 0.7, 0.8]))
    assert contest(sweep, "white_box").verdict == "neither"
    central = Sweep({n: v[:4] for n, v in sweep_of().values.items()}, CONFIG, "reference")
    found = contest(central, "white_box")
    assert found.verdict == "neither" and "cannot be compared" in mechanisms_words.contest_words(found)
    assert contest(central, "lira").verdict == "neither"


# ---- words and tables
def test_each_epsilon_says_what_it_is_for():
    words = mechanisms_words.axis_words(sweep_of())
    assert "add or remove one" in words["central"] and "δ = 1/n, tight accountant" in words["central"]
    assert "600 × ε_i of one bit" in words["local"] and "replace one, δ = 0" in words["local"]
    graphs = Sweep(sweep_of().values, PRESETS["graphs"], "")
    assert "of one edge" in mechanisms_words.axis_words(graphs)["local"]
    assert "added over all" in mechanisms_words.axis_words(None)["local"]


def test_the_table_says_undefined_and_never_nan():
    html = mechanisms_words.table_html(sweep_of(), "")
    assert "undefined" in html and "nan" not in html and "0.800 ± 0.020" in html and "<td>1800</td>" in html


# ---- findings
def test_every_claim_is_checked_against_the_numbers(with_reference):
    html = mechanisms_findings.findings().children[0].value
    assert "gone from ε = 1.3 down with central noise, from ε = 300 with local noise: 231 times" in html
    assert "it is higher at 5 of 6 points" in html and "φ above 1 at 2 of 2 strengths" in html
    assert html.count("<h4>") == len(mechanisms_findings.CLAIMS) and "nan" not in html
    shown = mechanisms_findings.trap().children[0].value
    assert "AUC 1.00 or 0.80, for the same model and attack" in shown


def test_what_cannot_be_said_is_not_said():
    nothing = sweep_of(auc_white_box=np.full(6, 0.5))
    assert mechanisms_findings.epsilon_claim(nothing, "")[0] is None
    assert mechanisms_findings.boxes_claim(sweep_of(auc_black_box=np.full(6, np.nan)), "")[0] is None


# ---- AOP
@pytest.mark.parametrize(
    ("lam", "tolerance"), [(1, 0.001), (2, 0.003), (5, 0.005), (10, 0.01), (20, 0.015), (50, 0.021)]
)
def test_paper_d_is_recomputed(lam, tolerance):
    entries = ranking.published_entries(lam)
    assert ranking.farthest(entries) <= tolerance
    assert sorted((entry.score for entry in entries), reverse=True) == [entry.score for entry in entries]
    assert {entry.words for entry in entries} == set(ranking.DEFENCES.values())


def test_lambda_changes_who_wins():
    firsts = [ranking.published_entries(lam)[0].words for lam in (1, 2, 50)]
    assert firsts == ["regularised", "DAP, training data", "DAP, validation data"]
    assert set(map(str, ranking.LAMBDAS)) == set(shipped("published")["dap"]["aop"])
    least, most = (sorted(ranking.sweep_entries(sweep_of(), "white_box", lam, False), key=lambda e: -e.score)[0].words
                   for lam in (1, 50))  # fmt: skip
    assert least == "local, ε_i = 3 (ε = 1800)" and most == "central, z = 8 (ε = 0.2)"


def test_an_attack_that_was_not_made_is_not_ranked():
    assert ranking.sweep_entries(sweep_of(), "lira", 1, True) == []


def test_a_ranking_marks_the_readers_own():
    html = ranking.ranking_html("This lab", "about", ranking.sweep_entries(sweep_of(), "white_box", 2, True))
    assert html.count("●") == 6 and "dp-rank-local" in html


# ---- tasks
def checked(view):
    """What a task says when it is checked."""
    view.children[-2].click()
    return view.children[-1].value


@pytest.mark.parametrize(
    ("epsilon", "words"), [(3.0, "at most 5% is asked for"), (0.5, "70% are needed"), (1.0, "the record has ε = 600")]
)
def test_the_cart_can_be_denied(epsilon, words):
    cart = SimpleNamespace(epsilon=SimpleNamespace(value=epsilon))
    assert words in checked(mechanisms_tasks.task_deny(cart))


def test_a_bargain_is_found_or_missed():
    def said(sweep):
        run = Run(1, CONFIG, Result({}, sweep.values), 1.0, "")
        return checked(mechanisms_tasks.task_bargain(SimpleNamespace(last=run)))

    assert "no sweep of yours" in checked(mechanisms_tasks.task_bargain(SimpleNamespace(last=None)))
    assert "Your nearest is" in said(sweep_of())
    good = sweep_of(test_accuracy=np.array([0.95, 0.8, 0.4, 0.1, 0.9, 0.94]))
    assert "✓" in said(good) and "local, ε_i = 0.5 keeps 94%" in said(good)
    assert "hardly anything to protect" in said(sweep_of(auc_white_box=np.full(6, 0.51)))


@pytest.mark.parametrize(("lam", "words"), [(1, "weigh privacy more"), (5, "✓"), (50, "smaller λ on the slider")])
def test_the_weight_of_privacy_is_found(lam, words):
    panel = SimpleNamespace(lam=SimpleNamespace(value=lam))
    assert words in checked(mechanisms_tasks.task_weight(panel))


def test_the_prediction_is_answered_by_reference_and_own_sweep(with_reference):
    panel = SimpleNamespace(listeners=[])
    view = mechanisms_tasks.predict_tradeoff(panel)
    view.children[1].children[0].click()
    panel.listeners[0](Run(1, CONFIG, Result({}, sweep_of().values), 1.0, ""))
    words = view.children[2].value
    assert "As you predicted" in words and "Your sweep: at equal AUC" in words and "The reference:" in words


def test_where_nothing_leaks_no_claim_is_judged():
    sweep = sweep_of()
    sweep.values["auc_white_box"][0] = 0.51
    agrees, words = mechanisms_findings.checked(mechanisms_findings.boxes_claim, sweep, "")
    assert agrees is None and "AUC is 0.51: there is next to nothing to protect" in words
