"""Lesson 4's words: what a number means, what was promised and what proved, whose record it is, what a task lacks."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from dpmia_lab.experiments import membership
from dpmia_lab.experiments.membership import Config, scores_of
from dpmia_lab.game.attacks import MEMBERSHIP, loss, scoring
from dpmia_lab.rows import Row, Rows
from dpmia_lab.stages import drain
from dpmia_lab.store import Result
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.membership import record, tasks, words
from dpmia_lab.widgets.membership.hook import LETTERS, Asked, outcome_html, verdict_html
from dpmia_lab.widgets.membership.panel import compared_html, summary
from dpmia_lab.widgets.membership.record import bit_grid, gallery_html, odds_html, record_picture


def result_with(attacks=("loss", "lira_fixed"), protocols=("alike",), changed=(), **numbers) -> Result:
    """``changed``: values of rows by measure and attack, and by protocol where there are two."""
    changed, rows = dict(changed), []
    for place, attack in enumerate(attacks):
        usual = dict.fromkeys(("auc", "tpr1", "tpr01", "balanced"), 0.5 + 0.1 * place)
        usual |= {"epsilon_bound": 0.2 + place, "epsilon_bound_rates": 1.0}
        for protocol in protocols:
            for measure, value in usual.items():
                value = changed.get((measure, attack, protocol), changed.get((measure, attack), value))
                ends = {} if measure.startswith("epsilon") else {"low": value - 0.01, "high": value + 0.01}
                rows.append(Row(measure, value, "none", attack, protocol, **ends))
    usual = {"train_accuracy": 1.0, "test_accuracy": 0.7, "chance": 0.05, "members": 983.0}
    return Result({**usual, **numbers}, {}, Rows(tuple(rows)))


def run_with(config: Config = Config(), number: int = 1, **changed) -> Run:  # noqa: B008  (frozen)
    return Run(number, config, result_with(**changed), 1.0, "here")


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
    table = words.attacks_html(result_with(("loss", "white_box", "lira")))
    assert table.count("<tr") == 5 and "guessing" in table
    assert MEMBERSHIP["white_box"].words in table and MEMBERSHIP["rmia"].words not in table
    assert "0.500<br><small>0.490 to 0.510" in table
    assert "0.1 % of them are 1: one lucky record" in table
    assert "lucky" not in words.measures_words(8000.0)


def test_the_best_attack_may_differ_by_measure():
    result = result_with(("loss", "lira"), changed={("tpr1", "loss"): 0.9})
    assert words.best(result).attack == "lira" and words.best(result, "tpr1").attack == "loss"


def test_the_best_attack_is_one_against_outsiders_like_the_members():
    result = result_with(("loss", "lira"), ("alike", "shifted"), {("auc", "loss", "shifted"): 1.0})
    assert words.best(result).attack == "lira"


def test_a_lower_bound_is_rounded_down():
    assert words.bound_text(1.2999) == "1.29" and words.bound_text(0.0) == "0.00"


def test_without_noise_there_is_no_promise():
    shown = words.promise_html(result_with())
    assert "ε = ∞" in shown and "ε ≥ 1.20" in shown and "95 %" in shown


def test_central_noise_says_unit_neighbours_delta_and_accountant():
    promised = {"epsilon": 6.4, "epsilon_tight": 5.477, "delta": 1 / 983}
    shown = words.promise_html(result_with(**promised))
    assert "ε ≤ 5.48" in shown and "a record (add or remove one; δ = 0.00102; tight accountant, PLD)" in shown
    assert "The promise held" in shown
    broken = words.promise_html(result_with(changed={("epsilon_bound", "loss"): 9.0}, **promised))
    assert "The audit found more than was promised" in broken


def test_local_noise_shows_the_record_and_the_bit():
    shown = words.promise_html(result_with(epsilon_i=1.0, epsilon_record=600.0, delta=0.0))
    assert "ε ≤ 600" in shown and "1 for each bit" in shown


def test_both_protocols_stand_side_by_side():
    result = result_with(("loss", "black_box"), ("alike", "shifted"), {("auc", "loss", "shifted"): 0.97})
    shown = words.protocols_html(result.rows)
    assert "0.97 against 0.50" in shown and "fuller cart" in shown and shown.count("<tr>") == 3
    assert "<td>0.500</td><td>0.970</td><td>50.0%</td><td>50.0%</td>" in shown


def test_a_new_attack_is_in_every_table_by_its_entry_alone(monkeypatch):
    monkeypatch.setitem(MEMBERSHIP, "made_up", scoring("an attack made up", loss, "outputs"))
    result = drain(membership.run(replace(membership.SMALL, epochs=1, shadows=0, inside=0, white_box=False)))
    assert "made_up" in scores_of(result.arrays) and "made_up" in scores_of(result.arrays, "shifted")
    told = result_with(("loss", "made_up"))
    for shown in (words.attacks_html(result), words.protocols_html(result.rows), words.summary_html(Config(), told)):
        assert "an attack made up" in shown


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
    assert record.odds_words(log_ratio) == said


def test_belief_follows_bayes_and_stays_within_a_million():
    assert record.belief(0.5, np.log(9)) == pytest.approx(0.9)
    assert record.belief(0.001, np.log(999)) == pytest.approx(0.5)
    assert record.belief(1e-6, 1e9) == pytest.approx(0.5) and record.belief(0.5, -1e9) < 1e-5
    assert record.belief_text(1.0) == "over 99.9 %" and record.belief_text(0.0) == "under 0.1 %"
    assert "1 in 1,000" in odds_html(2.0, 0.001)


# ---- records
def test_records_of_every_kind_become_pictures():
    assert bit_grid(np.arange(600)).shape == (20, 30)
    assert bit_grid(np.ones(7)).size >= 7 and bit_grid(np.ones(7)).sum() == 7
    for x in (np.ones(7), np.ones((4, 4)), np.ones((1, 4, 4)), np.ones((3, 4, 4))):
        assert 'alt="words"' in record_picture(x.astype(np.uint8), "words")


def test_the_gallery_tells_who_was_in(small):
    shown = gallery_html(small.arrays, np.array([0, 1, 2]))
    assert shown.count("<figure") == 3 and MEMBERSHIP["lira_fixed"].words in shown and "600 bits" in shown
    assert shown.count("to 1: ") + shown.count("even: ") == 3
    without = {name: array for name, array in small.arrays.items() if "shadow" not in name and "lira" not in name}
    assert "to 1" not in gallery_html(without, np.array([0]))  # no shadow models inside, no odds


def test_a_finished_run_says_how_many_were_in(small):
    said = words.finished_words(membership.SMALL, small)
    assert f"{int(small.numbers['members'])} of 120 candidates" in said and "by itself" not in said
    assert "by itself after 3 epochs" in words.finished_words(replace(membership.SMALL, epochs=30), small)


# ---- runs
def test_two_runs_are_told_apart():
    one, other = run_with(), run_with(Config(defence="regularised", dropout=0.5, patience=2), 2)
    assert "dropout 0.5, patience 2" in summary(other) and "defence none" in summary(one)
    assert "AUC 0.60" in summary(one)
    table = compared_html([one, run_with(Config(defence="central"), 2, epsilon_tight=5.477, delta=0.001)])
    assert "∞" in table and "5.48" in table and table.count("<tr>") == 3
    assert compared_html([]) == ""


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


LOSS, LIRA = ("auc", "loss"), ("auc", "lira_fixed")


def test_repairing_names_what_is_missing():
    leaky = run_with(changed={LOSS: 0.8})
    quiet = run_with(Config(records=8000), 2, changed={LOSS: 0.58}, test_accuracy=0.75)
    worse = run_with(Config(epochs=2), 3, changed={LOSS: 0.53}, test_accuracy=0.4)
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
    assert "AUC 0.90 (below 0.65" in checked(tasks.task_worst_case(panel_with(run_with(changed={LIRA: 0.9}))))
    done = checked(tasks.task_worst_case(panel_with(run_with(changed={LIRA: 0.6, ("tpr1", "lira_fixed"): 0.04}))))
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
