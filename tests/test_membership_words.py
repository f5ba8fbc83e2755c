"""Lesson 4's words: what a number means, what was promised and what proved, whose record it is, what a task lacks."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from dpmia_lab.experiments import membership
from dpmia_lab.experiments.membership import ATTACKS, Config
from dpmia_lab.stages import drain
from dpmia_lab.store import Result
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.membership import controls, tasks, words
from dpmia_lab.widgets.membership.hook import LETTERS, Asked, outcome_html, verdict_html
from dpmia_lab.widgets.membership.panel import compared_html, defence_words, summary
from dpmia_lab.widgets.membership.record import bit_grid, gallery_html, odds_html, record_picture
from dpmia_lab.widgets.membership.view import finished_words, scores_of

MEASURES = ("auc", "tpr1", "tpr01", "balanced")


def numbers_with(attacks=("loss", "lira_fixed"), endings=("",), **changed) -> dict[str, float]:
    numbers = {"train_accuracy": 1.0, "test_accuracy": 0.7, "chance": 0.05, "members": 983.0}
    for place, attack in enumerate(attacks):
        for ending in endings:
            for measure in MEASURES:
                for bound, shift in (("", 0.0), ("_low", -0.01), ("_high", 0.01)):
                    numbers[f"{measure}{bound}_{attack}{ending}"] = 0.5 + 0.1 * place + shift
            numbers[f"epsilon_bound_{attack}{ending}"] = 0.2 + place
            numbers[f"epsilon_bound_rates_{attack}{ending}"] = 1.0
    return {**numbers, **changed}


def run_with(config: Config = Config(), number: int = 1, **changed) -> Run:  # noqa: B008  (frozen)
    return Run(number, config, Result(numbers_with(**changed), {}), 1.0, "here")


@pytest.fixture(scope="module")
def small() -> Result:
    return drain(membership.run(replace(membership.SMALL, batch=20)))


def checked(made) -> tuple[str, str]:
    """Press a task's button; its verdict."""
    made.children[-2].click()
    return made.children[-1].value


def panel_with(*runs: Run):
    return SimpleNamespace(last=runs[0] if runs else None, table=SimpleNamespace(runs=list(runs)), listeners=[])


# ---- tables
def test_the_table_has_a_line_an_attack_and_one_for_guessing():
    table = words.attacks_html(numbers_with(("loss", "white_box", "lira")))
    assert table.count("<tr") == 5 and "guessing" in table
    assert ATTACKS["white_box"] in table and ATTACKS["rmia"] not in table
    assert "0.500<br><small>0.490 to 0.510" in table
    assert "0.1 % of them are 1: one lucky record" in table
    assert "lucky" not in words.measures_words({"members": 8000.0})


def test_the_best_attack_may_differ_by_measure():
    n = numbers_with(("loss", "lira"), tpr1_loss=0.9)
    assert words.best(n) == "lira" and words.best(n, "tpr1") == "loss"


def test_a_lower_bound_is_rounded_down():
    assert words.bound_text(1.2999) == "1.29" and words.bound_text(0.0) == "0.00"


def test_without_noise_there_is_no_promise():
    shown = words.promise_html(Config(), numbers_with())
    assert "ε = ∞" in shown and "ε ≥ 1.20" in shown and "95 %" in shown


def test_central_noise_says_unit_neighbours_delta_and_accountant():
    n = numbers_with(epsilon=6.4, epsilon_tight=5.477, delta=1 / 983)
    shown = words.promise_html(Config(defence="central"), n)
    assert "ε ≤ 5.48" in shown and "a record (add or remove one; δ = 0.00102; tight accountant, PLD)" in shown
    assert "The promise held" in shown
    broken = words.promise_html(Config(defence="central"), n | {"epsilon_bound_loss": 9.0})
    assert "The audit found more than was promised" in broken


def test_local_noise_shows_the_record_and_the_bit():
    n = numbers_with(epsilon_i=1.0, epsilon_record=600.0, delta=0.0)
    shown = words.promise_html(Config(defence="local"), n)
    assert "ε ≤ 600" in shown and "1 for each bit" in shown


def test_both_protocols_stand_side_by_side():
    n = numbers_with(("loss", "black_box"), ("", "_shifted"), auc_loss_shifted=0.97)
    shown = words.protocols_html(n)
    assert "0.97 against 0.50" in shown and "fuller cart" in shown and shown.count("<tr>") == 3


# ---- odds
@pytest.mark.parametrize(
    ("log_ratio", "said"),
    [
        (0.0, "even: in"),
        (np.log(4), "4.0 to 1: in"),
        (-np.log(250), "250 to 1: not in"),
        (50, "over a million to 1: in"),
    ],
)
def test_odds_in_words(log_ratio, said):
    assert words.odds_words(log_ratio) == said


def test_belief_follows_bayes_and_stays_within_a_million():
    assert words.belief(0.5, np.log(9)) == pytest.approx(0.9)
    assert words.belief(0.001, np.log(999)) == pytest.approx(0.5)
    assert words.belief(1e-6, 1e9) == pytest.approx(0.5) and words.belief(0.5, -1e9) < 1e-5
    assert words.belief_text(1.0) == "over 99.9 %" and words.belief_text(0.0) == "under 0.1 %"
    assert "1 in 1,000" in odds_html(2.0, 0.001)


# ---- records
def test_records_of_every_kind_become_pictures():
    assert bit_grid(np.arange(600)).shape == (20, 30)
    assert bit_grid(np.ones(7)).size >= 7 and bit_grid(np.ones(7)).sum() == 7
    for x in (np.ones(7), np.ones((4, 4)), np.ones((1, 4, 4)), np.ones((3, 4, 4))):
        assert 'alt="words"' in record_picture(x.astype(np.uint8), "words")


def test_the_gallery_tells_who_was_in(small):
    attack = membership.strongest(scores_of(small.arrays))
    shown = gallery_html(small, attack, np.array([0, 1, 2]))
    assert shown.count("<figure") == 3 and ATTACKS[attack] in shown and "600 bits" in shown
    assert shown.count("to 1: ") + shown.count("even: ") == 3
    without = {name: array for name, array in small.arrays.items() if "shadow" not in name and "lira" not in name}
    shown = gallery_html(Result({}, without), membership.strongest(scores_of(without)), np.array([0]))
    assert "to 1" not in shown  # no shadow models inside, no odds


def test_a_finished_run_says_how_many_were_in(small):
    said = finished_words(membership.SMALL, small)
    assert f"{int(small.numbers['members'])} of 120 candidates" in said and "by itself" not in said
    assert "by itself after 3 epochs" in finished_words(replace(membership.SMALL, epochs=30), small)


# ---- controls
def test_every_setting_has_a_control_that_can_show_it():
    made = controls.new_controls(controls.offered_sets())
    assert set(made) == {f for f in Config.__dataclass_fields__} - {"pictures", "height", "weights"}
    assert set(controls.PRESET_WORDS) == set(membership.PRESETS)
    for preset in membership.PRESETS.values():
        assert preset.model in controls.MODELS[controls.kind_of(preset.data)]


@pytest.mark.parametrize(
    ("values", "applies"),
    [
        ({"data": "purchases_like", "model": "mlp", "defence": "none"}, {"classes", "width", "patience"}),
        ({"data": "faces", "model": "transfer", "defence": "local"},
         {"people", "width", "epsilon_i", "cell", "reach", "patience"}),
        ({"data": "collaboration", "model": "graph", "defence": "central"}, {"z", "clip"}),
        ({"data": controls.OWN, "model": "mlp", "defence": "regularised"},
         {"width", "dropout", "decay", "augment", "patience"}),
    ],
)  # fmt: skip
def test_what_does_not_apply_says_why(values, applies):
    assert {name for name, reason in controls.REASONS.items() if not reason(values)} == applies


# ---- runs
def test_two_runs_are_told_apart():
    one, other = run_with(), run_with(Config(defence="regularised", dropout=0.5, patience=2), 2)
    assert "dropout 0.5, patience 2" in summary(other) and "defence none" in summary(one)
    assert "AUC 0.60" in summary(one)
    table = compared_html([one, run_with(Config(defence="central"), 2, epsilon_tight=5.477, delta=0.001)])
    assert "∞" in table and "5.48" in table and table.count("<tr>") == 3
    assert compared_html([]) == ""
    assert defence_words(Config(defence="local", epsilon_i=3.0)) == "defence local, ε = 3 each"


# ---- hook
def test_the_hook_counts_both_guessers():
    asked = Asked(np.zeros((8, 4)), np.arange(8) < 4, np.array([3.0, 3, 3, -1, -3, -3, -3, -3]), 0.9)
    assert f"You: 5 of {len(LETTERS)} right. The attack: 7 of 8." in outcome_html(asked, 5)
    assert "✓ In truth: <b>in" in verdict_html(3.0, True) and "✗ In truth: <b>not in" in verdict_html(3.0, False)
    assert "not in</b>, 95.3 % sure" in verdict_html(-3.0, False)


# ---- the prediction and the tasks
@pytest.mark.parametrize(("end", "right"), [(0.8, 2), (0.51, 1), (0.4, 0)])
def test_the_prediction_is_answered_by_the_run_itself(end, right):
    arrays = {"curve_epoch": np.array([0, 10, 40]), "curve_auc": np.array([0.5, 0.5, end])}
    arrays["curve_test_accuracy"] = np.array([0.1, 0.6, 0.7])
    answer, said = tasks.longer(Run(3, Config(epochs=40), Result({}, arrays), 1.0, ""))
    assert answer == right and f"from 0.50 after 10 epochs to {end:.2f} after 40" in said


def test_repairing_names_what_is_missing():
    leaky, quiet = run_with(auc_loss=0.8), run_with(Config(records=8000), 2, auc_loss=0.58, test_accuracy=0.75)
    worse = run_with(Config(epochs=2), 3, auc_loss=0.53, test_accuracy=0.4)
    assert "First a leaky model" in checked(tasks.task_repair(panel_with()))
    assert "lowest so far is 0.80, run 1" in checked(tasks.task_repair(panel_with(leaky)))
    assert "at most 3 points better" in checked(tasks.task_repair(panel_with(worse, leaky)))
    noisy = replace(quiet, config=Config(defence="central"))
    assert "Now one without noise" in checked(tasks.task_repair(panel_with(noisy, leaky)))
    done = checked(tasks.task_repair(panel_with(worse, quiet, leaky)))
    assert "✓" in done and "From AUC 0.80 (run 1) to 0.58 (run 2)" in done and "0.60" in done


def test_the_worst_case_names_what_is_missing():
    assert "no run yet" in checked(tasks.task_worst_case(panel_with()))
    assert "no likelihood ratio" in checked(tasks.task_worst_case(panel_with(run_with(attacks=("loss",)))))
    assert "AUC 0.90 (below 0.65" in checked(tasks.task_worst_case(panel_with(run_with(auc_lira_fixed=0.9))))
    done = checked(tasks.task_worst_case(panel_with(run_with(auc_lira_fixed=0.6, tpr1_lira_fixed=0.04))))
    assert "✓" in done and "4 times what guessing catches" in done and "39 people" in done


def test_the_audit_names_what_is_missing():
    central = {"epsilon_tight": 5.0, "epsilon": 6.0, "delta": 0.001, "test_accuracy": 0.3}
    config = Config(defence="central", inside=16)

    def said(config=config, **changed):
        return checked(tasks.task_audit(panel_with(run_with(config, **{**central, **changed}))))

    assert "no run yet" in checked(tasks.task_audit(panel_with()))
    assert "no promise to audit" in checked(tasks.task_audit(panel_with(run_with())))
    assert "ε is 50; at most 10" in said(epsilon_tight=50.0)
    assert "next to nothing" in said(test_accuracy=0.06)
    assert "your last run had 4" in said(replace(config, inside=4))
    assert "another seed" in said(epsilon_tight=0.5)
    assert "✓" in said() and "proves ε ≥ 1.20" in said()
