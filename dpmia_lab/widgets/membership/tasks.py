"""Lesson 4: the prediction and the three tasks, each checked against the reader's own runs."""

import ipywidgets as widgets
import numpy as np

from dpmia_lab.defences import DEFENCES
from dpmia_lab.experiments.membership import Config
from dpmia_lab.game.verdicts import DELTA
from dpmia_lab.options import number_text
from dpmia_lab.privacy.accounting import Guarantee, epsilon_text, short
from dpmia_lab.rows import Row
from dpmia_lab.widgets.kit.questions import Prediction, task
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.membership.panel import MembershipPanel
from dpmia_lab.widgets.membership.words import (
    attack_words,
    best,
    bound_text,
    defence_words,
    guarantee,
    lower_bound,
)

NO_RUN = "There is no run yet: set the controls above and press Train and attack."
FLAT, LATE, MOVED = 0.01, 2 / 3, 0.015  # the prediction: accuracy that no longer rises, from when at the latest; AUC
LEAKY, TIGHT, POINTS = 0.75, 0.57, 0.03  # task 1: AUC before and after, accuracy that may be lost
DULL, CAUGHT = 0.65, 0.05  # task 2: AUC at most, members caught at 1 % at least
LARGEST_EPSILON, LEAST_RIGHT, LEAST_INSIDE, LARGE_STEP = 5.0, 0.75, 16, 0.01  # task 3
DIGITS = "mnist"


def predict_longer(panel: MembershipPanel) -> widgets.VBox:
    """Answered by the first run without a defence that trains on when accuracy no longer rises."""
    question = Prediction(
        "A model learns 1,000 digits. After some epochs it gets <b>no better on new ones</b>. Training goes on all the "
        "same, several times as long. What happens meanwhile to the attacker's AUC, the chance that a digit it was "
        "trained on looks more like one than a new digit does?",
        [
            "it falls: with practice a model treats all digits alike",
            "it stays: where accuracy no longer moves, nothing is learned",
            "it rises, although accuracy does not",
        ],
        then="press <b>Train and attack</b> below, and see",
    )

    def measured(run: Run) -> None:
        if question.truth is None and run.config.defence == "none":
            answer = longer(run)
            if answer is not None:
                question.measured(*answer)

    panel.listeners.append(measured)
    panel.answers(question.outcome)
    return question.view


def longer(run: Run) -> tuple[int, str] | None:
    """Which answer was right, and the sentence with the numbers; None where accuracy rose nearly to the end."""
    epoch, test, auc = (run.result.arrays[f"curve_{name}"] for name in ("epoch", "test_accuracy", "auc"))
    flat = int(np.argmax(test >= test[-1] - FLAT))
    if epoch[flat] > LATE * epoch[-1]:
        return None
    rise = auc[-1] - auc[flat]
    answer = 2 if rise > MOVED else 0 if rise < -MOVED else 1
    return answer, (
        f"Run {run.number}: accuracy on new records stood still from epoch {epoch[flat]:.0f} ({test[flat]:.1%}) to "
        f"{epoch[-1]:.0f} ({test[-1]:.1%}), while the AUC of a threshold on the loss went from {auc[flat]:.2f} to "
        f"{auc[-1]:.2f} (0.5: guessing). {LONGER[answer]}"
    )


LONGER = (
    "It fell: the model came to treat seen and new records more alike.",
    "It stayed: the model had its records by heart already, or never learned them.",
    "It rose: what is still being learned then is the training records themselves.",
)


# ---- tasks
def task_repair(panel: MembershipPanel) -> widgets.VBox:
    def check() -> tuple[bool, str]:
        undefended = [run for run in panel.table.runs if run.config.defence == "none"]
        if not undefended:
            return False, f"{NO_RUN} First without a defence." if panel.table.runs else NO_RUN
        leaky = [run for run in undefended if loss_auc(run) >= LEAKY]
        if not leaky:
            return False, (
                f"First a leaky model is needed: no defence, and an AUC of at least {LEAKY} for the threshold on the "
                f"loss. The highest so far is {tried_words(max(undefended, key=loss_auc))}. Fewer records and more "
                f"epochs make a model learn them by heart."
            )
        noiseless = [run for run in panel.table.runs if run.config.defence in ("none", "regularised")]
        quiet = [run for run in noiseless if loss_auc(run) < TIGHT]
        if not quiet:
            return False, (
                f"A leaky model is there (run {leaky[-1].number}). Now one without noise whose AUC is below {TIGHT}; "
                f"the lowest so far is {tried_words(min(noiseless, key=loss_auc))}."
            )
        pair = next(((a, b) for a in leaky for b in quiet if comparable(a, b) and kept(a, b)), None)
        if pair is None:
            return False, lost_words(leaky, quiet)
        before, after = pair
        return True, repaired_words(before, after)

    return task(
        "Task 1. Make it leak, then repair it without noise.",
        f"Train a model whose threshold on the loss has an AUC of at least {LEAKY}. Then, on the same data with the "
        f"same number of classes and <i>without</i> central or local noise, one below {TIGHT} whose accuracy on new "
        f"records is at most {100 * POINTS:.0f} points lower. (With both numbers of shadow models at 0 "
        f"a run takes seconds.)",
        check,
        lambda: panel.table.runs,
    )


def tried_words(run: Run) -> str:
    c = run.config
    return f"{loss_auc(run):.2f} (run {run.number}: {c.records:,} records, {c.epochs} epochs, {defence_words(c)})"


def lost_words(leaky: list[Run], quiet: list[Run]) -> str:
    """Why no pair of runs will do, from what was tried."""
    pairs = [(a, b) for a in leaky for b in quiet if comparable(a, b)]
    if not pairs:
        return (
            f"Run {quiet[0].number} hides its members and run {leaky[0].number} does not, but their data or classes "
            f"differ, so that they say nothing about each other."
        )
    before, after = min(pairs, key=lambda pair: accuracy(pair[0]) - accuracy(pair[1]))
    lost = 100 * (accuracy(before) - accuracy(after))
    more = after.config.records > before.config.records
    return (
        f"Run {after.number} hides its members, but is {lost:.0f} points worse on new records than run "
        f"{before.number}; {100 * POINTS:.0f} are allowed. "
        + (
            f"It has more records already ({after.config.records:,} against {before.config.records:,}): train it a "
            f"little longer, or give it still more."
            if more
            else "Stopping early alone throws accuracy away. What else makes a single record matter less?"
        )
    )


def accuracy(run: Run) -> float:
    return run.result.numbers["test_accuracy"]


def loss_auc(run: Run) -> float:
    return run.result.rows.value("auc", attack="loss", protocol="alike")


def comparable(one: Run, other: Run) -> bool:
    return (one.config.data, one.config.classes) == (other.config.data, other.config.classes)


def kept(before: Run, after: Run) -> bool:
    return accuracy(after) >= accuracy(before) - POINTS


def repaired_words(before: Run, after: Run) -> str:
    strongest = best(after.result)
    return (
        f"From AUC {loss_auc(before):.2f} (run {before.number}) to {loss_auc(after):.2f} (run {after.number}), "
        f"accuracy from {accuracy(before):.0%} to {accuracy(after):.0%}: each record is learned less by heart. But "
        f"nobody promised anything: on the same model, “{attack_words(strongest.attack)}” has "
        f"{strongest.value:.2f}, and an attack nobody made may have more."
    )


def task_worst_case(panel: MembershipPanel) -> widgets.VBox:
    def check() -> tuple[bool, str]:
        run = panel.last
        if run is None:
            return False, NO_RUN
        rows = run.result.rows.where(protocol="alike")
        made = [(rows.row("auc", attack=attack), rows.row("tpr1", attack=attack)) for attack in rows.all("attack")]
        for auc, caught in made:
            if auc.value < DULL and caught.value >= CAUGHT:
                return True, (
                    f"“{attack_words(auc.attack)}”: AUC {auc.value:.2f}, which a report would call nearly guessing, "
                    f"and yet {caught.value:.1%} of all members are caught with 1 % false alarms ({caught.low:.1%} to "
                    f"{caught.high:.1%}), {caught.value / 0.01:.0f} times what guessing catches. They are "
                    f"{caught.value * run.result.numbers['members']:.0f} people."
                )
        return False, worst_case_words(run, *min(made, key=lambda pair: missing(*pair)))

    return task(
        "Task 2. Nearly guessing, and some are caught all the same.",
        f"Find a run in which one and the same attack has an AUC below {DULL} and still catches at least "
        f"{CAUGHT:.0%} of members at 1 % false alarms. Your last run counts.",
        check,
        lambda: [panel.last],
    )


def missing(auc: Row, caught: Row) -> float:
    """How far an attack is from what task 2 asks for."""
    return max(0.0, auc.value - DULL) / DULL + max(0.0, CAUGHT - caught.value) / CAUGHT


def worst_case_words(run: Run, auc: Row, caught: Row) -> str:
    """What the nearest attack lacks, and which way it lies from the settings of that run."""
    c = run.config
    nearest = (
        f"Your last run's nearest: “{attack_words(auc.attack)}” with AUC {auc.value:.2f} (below {DULL} is asked for) "
        f"and {caught.value:.1%} caught ({CAUGHT:.0%} is asked for). "
    )
    if auc.value >= DULL:
        return nearest + (
            f"It tells too many apart: let each record matter less than with {c.records:,} records and {c.epochs} "
            f"epochs."
        )
    if not c.inside:
        return nearest + "Nobody is singled out without shadow models on halves of the candidates; you trained none."
    return nearest + (
        f"It is dull enough, and must single out more: more than {c.inside} shadow models on halves of the candidates "
        f"sharpen it, or let single records matter a little more than with {c.records:,} records and {c.epochs} epochs."
    )


def task_audit(panel: MembershipPanel) -> widgets.VBox:
    def check() -> tuple[bool, str]:
        run = panel.last
        if run is None:
            return False, NO_RUN
        c, n = run.config, run.result.numbers
        made = guarantee(n)
        if c.data != DIGITS:
            return False, "Your last run was on other data: choose the MNIST digits."
        if made is None:
            return False, f"Your last run made no promise to audit: choose the defence “{DEFENCES['central'].title}”."
        if made.epsilon > LARGEST_EPSILON:
            return False, (
                f"ε is {epsilon_text(made.epsilon)} at δ = {short(made.delta)}; at most {LARGEST_EPSILON:g} is asked "
                f"for. More noise than z = {number_text(c.z)}, or fewer epochs than {c.epochs}."
            )
        if n["test_accuracy"] < LEAST_RIGHT:
            return False, not_enough_words(c, n["test_accuracy"], made)
        if c.inside < LEAST_INSIDE:
            return False, (
                f"An audit is as good as its attack: train at least {LEAST_INSIDE} shadow models on halves of the "
                f"candidates; your last run had {c.inside}."
            )
        bound = lower_bound(run.result)
        if bound.value > made.epsilon:
            too_much = "The audit found more than was promised, which chance may do in 5 % of runs: try another seed."
            return False, too_much
        return True, audited_words(made, bound, n["audit_limit"])

    return task(
        "Task 3. Audit a promise.",
        f"On the digits, with central noise, train a model that is right on at least {LEAST_RIGHT:.0%} of new ones at "
        f"an ε of at most {LARGEST_EPSILON:g} for a record (δ = {short(DELTA)}), attack it with at least "
        f"{LEAST_INSIDE} shadow models on halves of the candidates, and compare what was promised with what the attack "
        f"proves. (Look for the settings with both numbers of shadow models at 0.)",
        check,
        lambda: [panel.last],
    )


def not_enough_words(config: Config, right: float, made: Guarantee) -> str:
    """What to change, from what was tried."""
    if config.rate < LARGE_STEP:
        how = (
            f"Your steps were small, η = {number_text(config.rate)}: the noise is the same for larger ones, and they "
            f"get further."
        )
    elif made.epsilon < 0.8 * LARGEST_EPSILON:
        how = (
            f"You have spent ε = {epsilon_text(made.epsilon)} of {LARGEST_EPSILON:g}: a little less noise or a few "
            f"more epochs are left."
        )
    else:
        how = "The budget is spent: try another balance of noise, epochs and the size of steps."
    return f"{right:.1%} of new digits are right; {LEAST_RIGHT:.0%} is asked for. {how}"


def audited_words(made: Guarantee, bound: Row, limit: float) -> str:
    return (
        f"{made.words()}; the audit of “{attack_words(bound.attack)}” proves ε ≥ {bound_text(bound.value)} at the same "
        f"δ (95 %). The truth lies between. If every guess had been right, this audit would have proved "
        f"{bound_text(limit)}. The rest of the gap is what these attackers did not find, who see the finished model "
        f"only; the promise is also made against one who sees every step of the training."
    )
