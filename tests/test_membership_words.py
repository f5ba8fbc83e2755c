"""Lesson 4's words: what a number means, what was promised and what proved, whose record it is, what a task lacks."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from dpmia_lab.experiments import membership
from dpmia_lab.experiments.membership import Config, scores_of
from dpmia_lab.game.attacks import MEMBERSHIP, loss, scoring
from dpmia_lab.reference.shipped_runs import unpacked
from dpmia_lab.rows import Row, Rows
from dpmia_lab.stages import drain
from dpmia_lab.store import Result
from dpmia_lab.widgets.kit.pictures import bit_grid, record_picture
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.membership import record, tasks, words
from dpmia_lab.widgets.membership.hook import LETTERS, Asked, eight_asked, outcome_html, stored_asked, verdict_html
from dpmia_lab.widgets.membership.panel import compared_html, summary
from dpmia_lab.widgets.membership.record import gallery_html, odds_html


def result_with(attacks=("loss", "lira_fixed"), protocols=("alike",), changed=(), **numbers) -> Result:
    """``changed``: values of rows by measure and attack, and by protocol where there are two."""
    changed, rows = dict(changed), []
    for place, attack in enumerate(attacks):
        usual = dict.fromkeys(("auc", "tpr1", "tpr01", "balanced"), 0.5 + 0.1 * place)
        usual |= {"tied": 0.001, "epsilon_bound": 0.2 + place, "epsilon_bound_rates": 1.0}
        for protocol in protocols:
            for measure, value in usual.items():
                value = changed.get((measure, attack, protocol), changed.get((measure, attack), value))
                ends = {} if measure.startswith("epsilon") else {"low": value - 0.01, "high": value + 0.01}
                rows.append(Row(measure, value, "none", attack, protocol, **ends))
    usual = {"train_accuracy": 1.0, "test_accuracy": 0.7, "chance": 0.05, "members": 983.0}
    usual |= {"audit_delta": 1e-5, "audit_limit": 4.5689}
    return Result({**usual, **numbers}, {"member": np.arange(2000) < 983}, Rows(tuple(rows)))


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
    assert "Of 1,017 outsiders 0.1 % are 1: one lucky record" in table and "983" not in table  # those are members
    assert "lucky" not in words.measures_words(8000, 3)
    assert "δ = 1e-5 (one-run audit)" in table and "for all 3 attacks together" in table


def test_an_attack_that_failed_is_said_to_have_failed():
    """By its ties, or because guessing is within its intervals; also where it is the best of several guessers."""
    changed = {("tied", "rmia"): 0.886, ("tpr1", "rmia"): 0.0, ("auc", "loss"): 0.503, ("tpr1", "loss"): 0.013}
    result = result_with(("rmia", "loss", "lira"), changed=changed)
    table = words.attacks_html(result)
    assert "RMIA, online<br><small>failed: 89% of the records have the same score" in table
    assert "threshold on the loss<br><small>failed: no better than guessing" in table
    assert table.count("failed") == 2
    guessers = result_with(("loss",), changed=changed)
    shown = words.summary_html(Config(), guessers)
    assert shown.count("threshold on the loss; it failed: no better than guessing") == 2
    assert "failed" not in words.summary_html(Config(), result)


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
    assert "the best of 2 attacks" in shown and "δ = 1e-5" in shown


def test_a_low_bound_is_not_blamed_on_an_attack_where_nothing_could_be_proved():
    shown = words.promise_html(result_with())
    assert "If every guess were right it would prove 4.56, and no attack more." in shown
    hopeless = words.promise_html(result_with(audit_limit=0.0))
    assert "even if every guess were right: blame no attack" in hopeless and "weak" not in shown + hopeless


def test_central_noise_says_unit_neighbours_delta_and_accountant():
    promised = {"epsilon": 6.4, "epsilon_tight": 5.477, "delta": 1 / 983, "epsilon_audit": 7.801}
    shown = words.promise_html(result_with(**promised))
    assert "ε ≤ 7.81" in shown and "a record (add or remove one; δ = 1e-5; tight accountant, PLD)" in shown
    assert "At paper C's δ = 1/n = 0.00102 it is 5.48." in shown
    assert "The promise held" in shown
    broken = words.promise_html(result_with(changed={("epsilon_bound", "loss"): 9.0}, **promised))
    assert "The audit found more than was promised" in broken


def test_local_noise_shows_the_record_and_the_bit():
    shown = words.promise_html(result_with(epsilon_i=1.0, epsilon_record=600.0, delta=0.0))
    assert "ε ≤ 600" in shown and "1 for each bit" in shown and "labels are not randomised" in shown


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
    assert record.belief_text(1.0) == "over 99.9 %" and record.belief_text(1.97e-5) == "1 in 51,000"
    assert "1 in 1,000" in odds_html(2.0, 0.001)


@pytest.mark.parametrize(
    ("prior", "log_ratio", "said"),
    [
        (1e-6, 50.0, "over 50.0 %"),  # more than a million to one
        (1e-6, np.log(1e6) - 1e-9, "50.0 %"),  # a million to one
        (0.5, 50.0, "over 99.9 %"),
        (0.5, -50.0, "under 1 in 1,000,000"),
        (1e-6, 0.0, "1 in 1,000,000"),
    ],
)
def test_beyond_a_million_to_one_a_belief_is_only_bounded(prior, log_ratio, said):
    assert record.after_text(prior, log_ratio) == said and f'"value">{said}<' in odds_html(log_ratio, prior)


# ---- records
def test_records_of_every_kind_become_pictures():
    assert bit_grid(np.arange(600)).shape == (20, 30)
    assert bit_grid(np.ones(7)).size >= 7 and bit_grid(np.ones(7)).sum() == 7
    for x in (np.ones(7), np.full((4, 4), 255), np.full((1, 4, 4), 255), np.full((3, 4, 4), 255)):
        stored = x.astype(np.uint8)
        assert 'alt="words"' in record_picture(stored, "words")
        if x.ndim > 1:  # as bytes, and as shares of 1, as shipped runs hold them
            assert record_picture(stored, "") == record_picture(unpacked(stored[None])[0], "")


def test_the_gallery_tells_who_was_in(small):
    places = np.array([0, 1, 2])
    shown = gallery_html(small, places, 2)
    assert shown.count("<figure") == 3 and MEMBERSHIP["lira_fixed"].words in shown and "600 bits" in shown
    inside = small.arrays["member"][small.arrays["shown"][places]]
    assert shown.count("in ✓") == inside.sum() and shown.count("out ✗") == (~inside).sum()
    assert f"right about {inside.sum()} of 3" in shown
    assert shown.split("<figure")[2].startswith(' class="dp-person dp-here"') and shown.count("dp-here") == 1
    without = {name: array for name, array in small.arrays.items() if "shadow" not in name and "lira" not in name}
    assert MEMBERSHIP["black_box"].words in gallery_html(replace(small, arrays=without), places, 1)


def test_the_odds_of_an_attack_that_failed_are_not_to_be_believed(small):
    """As under noise: it still names its surest, and its ratios still look like odds."""
    for auc, tpr1, warned in ((0.8, 0.2, False), (0.501, 0.011, True)):
        rows = result_with(changed={("auc", "lira_fixed"): auc, ("tpr1", "lira_fixed"): tpr1}).rows
        shown = gallery_html(replace(small, rows=rows), np.array([0, 1]), 1)
        assert ("do not believe its odds" in shown) == warned


def test_a_finished_run_says_who_was_in_what_was_learned_and_what_leaked(small):
    said = words.headline(membership.SMALL, small)
    assert f"{int(small.numbers['members'])} of 120 candidates" in said and "by itself" not in said
    assert "by itself after 3 epochs" in words.headline(replace(membership.SMALL, epochs=30), small)
    leaks = {("auc", "lira_fixed"): 0.757, ("tpr1", "lira_fixed"): 0.165, ("tpr1", "loss"): 0.01}
    guesses = {(m, a): v for m, v in (("auc", 0.501), ("tpr1", 0.011)) for a in ("loss", "lira_fixed")}
    leaky, quiet = (result_with(changed=changed) for changed in (leaks, guesses))
    for result in (leaky, quiet):
        result.arrays["curve_epoch"] = np.array([40.0])
    said = words.headline(Config(), leaky)
    assert "AUC of 0.76" in said and ">16.5%</span> of members" in said
    assert "No attack made here tells them apart better than guessing." in words.headline(Config(), quiet)


# ---- runs
def test_two_runs_are_told_apart():
    one, other = run_with(), run_with(Config(defence="regularised", dropout=0.5, patience=2), 2)
    assert "dropout 0.5, patience 2" in summary(other) and "defence none" in summary(one)
    assert f"best AUC 0.60 ({MEMBERSHIP['lira_fixed'].words}), 60.0% caught" in summary(one)
    table = compared_html([one, run_with(Config(defence="central"), 2, epsilon_audit=7.801)])
    assert "∞" in table and "7.81" in table and table.count("<tr>") == 3
    assert "ε at least<br><small>δ = 1e-5" in table and "1.20" in table
    assert compared_html([]) == ""


# ---- hook
def test_the_hook_counts_both_guessers():
    asked = Asked(np.zeros((8, 4)), np.arange(8) < 4, np.array([3.0, 3, 3, -1, -3, -3, -3, -3]), 0.9)
    said = outcome_html(asked, 5)
    assert f"You: 5 of {len(LETTERS)} right. The attack: 7 of 8." in said and "16 shadow models" in said
    wrong = verdict_html(True, -3.0, False)
    assert "In truth: <b>not in" in wrong and "✗ You: <b class" in wrong and "✓ The attack: <b>not in" in wrong
    assert "not in</b>, 95.3 % sure" in wrong and "✓ You" in verdict_html(True, -3.0, True)


def test_the_hook_shows_at_once_what_it_will_compute():
    """The very same people; what the attack says of them to 1 %, as another processor may add in another order."""
    stored, computed = stored_asked(), drain(eight_asked())
    assert np.array_equal(stored.x, computed.x) and np.array_equal(stored.member, computed.member)
    np.testing.assert_allclose(stored.log_ratio, computed.log_ratio, rtol=0.01)
    assert stored.auc == pytest.approx(computed.auc, abs=0.01)


# ---- the prediction and the tasks
def trained_run(accuracy, aucs) -> Run:
    """A run whose curves were taken at these three moments."""
    result = result_with()
    arrays = {"curve_epoch": np.array([0.0, 15, 60]), "curve_auc": np.array(aucs)}
    arrays["curve_test_accuracy"] = np.array(accuracy)
    return Run(3, Config(epochs=60), replace(result, arrays=arrays), 1.0, "")


@pytest.mark.parametrize(("end", "right"), [(0.59, 2), (0.561, 1), (0.5, 0)])
def test_the_prediction_is_answered_by_the_run_itself(end, right):
    answer, said = tasks.longer(trained_run([0.1, 0.905, 0.913], [0.5, 0.559, end]))
    assert answer == right and tasks.LONGER[right] in said
    assert "from epoch 15 (90.5%) to 60 (91.3%)" in said and f"from 0.56 to {end:.2f}" in said


def test_the_prediction_waits_for_a_run_whose_accuracy_stood_still():
    """On the shopping carts accuracy rose by eleven points meanwhile: that is no answer to what was asked."""
    assert tasks.longer(trained_run([0.1, 0.577, 0.685], [0.5, 0.65, 0.82])) is None


LOSS, LIRA = ("auc", "loss"), ("auc", "lira_fixed")


def test_repairing_names_what_is_missing():
    leaky = run_with(changed={LOSS: 0.8})
    quiet = run_with(Config(records=8000), 2, changed={LOSS: 0.56}, test_accuracy=0.75)
    worse = run_with(Config(epochs=2), 3, changed={LOSS: 0.53}, test_accuracy=0.4)
    assert "no run yet" in checked(tasks.task_repair(panel_with()))
    dull = checked(tasks.task_repair(panel_with(worse)))
    assert "The highest so far is 0.53 (run 3: 1,000 records, 2 epochs, defence none)" in dull
    assert "lowest so far is 0.80 (run 1" in checked(tasks.task_repair(panel_with(leaky)))
    assert "30 points worse on new records than run 1; 3 are allowed. Stopping early" in checked(
        tasks.task_repair(panel_with(worse, leaky))
    )
    larger = replace(worse, config=Config(epochs=2, records=4000))
    assert "more records already (4,000 against 1,000)" in checked(tasks.task_repair(panel_with(larger, leaky)))
    other = replace(quiet, config=Config(data="mnist"))
    assert "differ" in checked(tasks.task_repair(panel_with(other, leaky)))
    noisy = replace(quiet, config=Config(defence="central"))
    assert "Now one without noise" in checked(tasks.task_repair(panel_with(noisy, leaky)))
    assert "the lowest so far is 0.80" in checked(tasks.task_repair(panel_with(noisy, leaky)))
    done = checked(tasks.task_repair(panel_with(worse, quiet, leaky)))
    assert "✓" in done and "From AUC 0.80 (run 1) to 0.56 (run 2)" in done and "0.60" in done


CAUGHT = ("tpr1", "lira_fixed")


def test_the_worst_case_names_what_is_missing():
    def said(config=Config(), attacks=("lira_fixed",), **changed):  # noqa: B008  (frozen)
        return checked(tasks.task_worst_case(panel_with(run_with(config, attacks=attacks, **changed))))

    assert "no run yet" in checked(tasks.task_worst_case(panel_with()))
    sharp = said(changed={LIRA: 0.9})
    assert "AUC 0.90 (below 0.65" in sharp and "matter less than with 1,000 records and 40 epochs" in sharp
    blunt = {LIRA: 0.6, CAUGHT: 0.02}
    assert "more than 32 shadow models" in said(changed=blunt)
    assert "you trained none" in said(Config(inside=0), changed=blunt)
    done = said(changed={LIRA: 0.6, CAUGHT: 0.06})
    assert "✓" in done and "6 times what guessing catches" in done and "59 people" in done
    any_attack = said(attacks=("rmia",), changed={("auc", "rmia"): 0.6, ("tpr1", "rmia"): 0.06})
    assert "✓" in any_attack and MEMBERSHIP["rmia"].words in any_attack


def test_the_audit_names_what_is_missing():
    central = {"epsilon_audit": 4.8, "test_accuracy": 0.78}
    config = Config(data="mnist", defence="central", z=2.0, epochs=60, rate=0.01, inside=16)

    def said(config=config, **changed):
        return checked(tasks.task_audit(panel_with(run_with(config, **{**central, **changed}))))

    assert "no run yet" in checked(tasks.task_audit(panel_with()))
    assert "choose the MNIST digits" in checked(tasks.task_audit(panel_with(run_with())))
    plain = run_with(replace(config, defence="none"))
    assert "no promise to audit" in checked(tasks.task_audit(panel_with(plain)))
    large = said(epsilon_audit=14.31)
    assert "ε is 14.4 at δ = 1e-5" in large and "More noise than z = 2, or fewer epochs than 60" in large
    assert "steps were small, η = 0.002" in said(replace(config, rate=0.002), test_accuracy=0.7)
    assert "spent ε = 2.62 of 5" in said(test_accuracy=0.7, epsilon_audit=2.612)
    assert "The budget is spent" in said(test_accuracy=0.7)
    assert "your last run had 4" in said(replace(config, inside=4))
    assert "another seed" in said(epsilon_audit=0.5)
    assert "✓" in said() and "proves ε ≥ 1.20" in said() and "would have proved 4.56" in said()
