"""Lesson 4: the prediction and the three tasks, each checked against the reader's own runs."""

import ipywidgets as widgets
import numpy as np

from dpmia_lab.defences import DEFENCES
from dpmia_lab.privacy.accounting import rounded_up
from dpmia_lab.widgets.kit.questions import Prediction, task
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.membership.panel import MembershipPanel
from dpmia_lab.widgets.membership.words import attack_words, best, bound_text, guarantee, lower_bound

NO_RUN = "There is no run yet: set the controls above and press Train and attack."
LEAKY, TIGHT, POINTS = 0.75, 0.6, 0.03  # task 1: AUC before and after, accuracy that may be lost
DULL, CAUGHT = 0.65, 0.03  # task 2: AUC at most, members caught at 1 % at least
LARGEST_EPSILON, LEAST_INSIDE = 10.0, 16  # task 3
LIRA = ("lira", "lira_fixed", "lira_offline")  # what task 2 is about


def predict_longer(panel: MembershipPanel) -> widgets.VBox:
    """Answered by the first run without a defence: its AUC after a quarter of the epochs, and at the end."""
    question = Prediction(
        "A model is trained on 1,000 shopping carts until it makes few mistakes on new ones. Then it is trained "
        "<b>four times as long</b>. What happens to the attacker's AUC, the chance that a member looks more like one "
        "than an outsider does?",
        [
            "it falls: a model that knows more generalises better",
            "it stays about the same",
            "it rises, whether or not accuracy on new records still does",
        ],
        then="press <b>Train and attack</b> below, and see",
    )

    def measured(run: Run) -> None:
        if question.truth is None and run.config.defence == "none" and run.config.epochs >= 8:
            question.measured(*longer(run))

    panel.listeners.append(measured)
    return question.view


def longer(run: Run) -> tuple[int, str]:
    """Which answer was right, and the sentence with the numbers."""
    arrays, epochs = run.result.arrays, run.config.epochs

    def at(name: str, epoch: float) -> float:
        return float(np.interp(epoch, arrays["curve_epoch"], arrays[f"curve_{name}"]))

    early, late = ({name: at(name, e) for name in ("auc", "test_accuracy")} for e in (epochs / 4, epochs))
    rise = late["auc"] - early["auc"]
    return (2 if rise > 0.03 else 0 if rise < -0.03 else 1), (
        f"In your run {run.number} the AUC of a threshold on the loss went from {early['auc']:.2f} after "
        f"{epochs / 4:.0f} epochs to {late['auc']:.2f} after {epochs}; accuracy on new records from "
        f"{early['test_accuracy']:.0%} to {late['test_accuracy']:.0%}. What a model goes on to learn when it has "
        f"nothing new to learn is its own records."
    )


# ---- tasks
def task_repair(panel: MembershipPanel) -> widgets.VBox:
    def check() -> tuple[bool, str]:
        leaky = [r for r in panel.table.runs if r.config.defence == "none" and loss_auc(r) >= LEAKY]
        if not leaky:
            return False, (
                f"First a leaky model is needed: no defence, and an AUC of at least {LEAKY} for the threshold on the "
                f"loss. Few records and many epochs make one."
            )
        quiet = [r for r in panel.table.runs if r.config.defence in ("none", "regularised") and loss_auc(r) < TIGHT]
        if not quiet:
            nearest = min(panel.table.runs, key=loss_auc)
            return False, (
                f"A leaky model is there (run {leaky[-1].number}). Now one without noise whose AUC is below {TIGHT}; "
                f"the lowest so far is {loss_auc(nearest):.2f}, run {nearest.number}."
            )
        pair = next(((a, b) for a in leaky for b in quiet if comparable(a, b) and kept(a, b)), None)
        if pair is None:
            return False, (
                f"Run {quiet[0].number} hides its members, but no leaky run on the same data and classes is at most "
                f"{100 * POINTS:.0f} points better on new records. Early stopping alone throws accuracy away; what "
                f"else makes a record matter less?"
            )
        before, after = pair
        return True, repaired_words(before, after)

    return task(
        "Task 1. Make it leak, then repair it without noise.",
        f"Train a model whose threshold on the loss has an AUC of at least {LEAKY}. Then, on the same data with the "
        f"same number of classes and <i>without</i> central or local noise, one below {TIGHT} whose accuracy on new "
        f"records is at most {100 * POINTS:.0f} points lower. (With both numbers of shadow models at 0 "
        f"a run takes seconds.)",
        check,
    )


def loss_auc(run: Run) -> float:
    return run.result.rows.value("auc", attack="loss", protocol="alike")


def comparable(one: Run, other: Run) -> bool:
    return (one.config.data, one.config.classes) == (other.config.data, other.config.classes)


def kept(before: Run, after: Run) -> bool:
    return after.result.numbers["test_accuracy"] >= before.result.numbers["test_accuracy"] - POINTS


def repaired_words(before: Run, after: Run) -> str:
    a, b = before.result.numbers, after.result.numbers
    strongest = best(after.result)
    return (
        f"From AUC {loss_auc(before):.2f} (run {before.number}) to {loss_auc(after):.2f} (run {after.number}), "
        f"accuracy from {a['test_accuracy']:.0%} to {b['test_accuracy']:.0%}: a record among many is learned less by "
        f"heart. But nobody promised anything: on the same model, “{attack_words(strongest.attack)}” has "
        f"{strongest.value:.2f}, and an attack nobody made may have more."
    )


def task_worst_case(panel: MembershipPanel) -> widgets.VBox:
    def check() -> tuple[bool, str]:
        run = panel.last
        if run is None:
            return False, NO_RUN
        rows = run.result.rows.where(protocol="alike")
        made = [
            (rows.row("auc", attack=attack), rows.row("tpr1", attack=attack))
            for attack in LIRA
            if rows.has("auc", attack=attack)
        ]
        if not made:
            return False, "Your last run made no likelihood ratio attack: it needs shadow models."
        for auc, caught in made:
            if auc.value < DULL and caught.value >= CAUGHT:
                return True, (
                    f"“{attack_words(auc.attack)}”: AUC {auc.value:.2f}, which a report would call nearly guessing, "
                    f"and yet {caught.value:.1%} of all members are caught with 1 % false alarms ({caught.low:.1%} to "
                    f"{caught.high:.1%}), {caught.value / 0.01:.0f} times what guessing catches. They are "
                    f"{caught.value * run.result.numbers['members']:.0f} people."
                )
        auc, caught = min(made, key=lambda pair: pair[0].value - pair[1].value)
        return False, (
            f"Your last run's nearest: “{attack_words(auc.attack)}” with AUC {auc.value:.2f} (below {DULL} is asked "
            f"for) and {caught.value:.1%} caught ({CAUGHT:.0%} is asked for). A model that generalises well and "
            f"yet learns a few odd records by heart: many records, few classes. Skewed Purchases is a start."
        )

    return task(
        "Task 2. Nearly guessing, and some are caught all the same.",
        f"Find a run in which a likelihood ratio attack has an AUC below {DULL} and still catches at least "
        f"{CAUGHT:.0%} of members at 1 % false alarms.",
        check,
    )


def task_audit(panel: MembershipPanel) -> widgets.VBox:
    def check() -> tuple[bool, str]:
        run = panel.last
        if run is None:
            return False, NO_RUN
        c, n = run.config, run.result.numbers
        made = guarantee(n)
        if made is None:
            return False, f"Your last run made no promise to audit: choose the defence “{DEFENCES['central'].title}”."
        if made.epsilon > LARGEST_EPSILON:
            return False, (
                f"ε is {rounded_up(made.epsilon)}; at most {LARGEST_EPSILON:g} is asked for. Use more noise z or fewer "
                f"epochs."
            )
        if n["test_accuracy"] < 2 * n["chance"]:
            return False, (
                f"Your model learned next to nothing: {n['test_accuracy']:.1%} right, by chance {n['chance']:.1%}. At "
                f"least twice that is asked for. Less noise, or larger steps."
            )
        if c.inside < LEAST_INSIDE:
            return False, (
                f"An audit is as good as its attack: train at least {LEAST_INSIDE} shadow models on halves of the "
                f"candidates; your last run had {c.inside}."
            )
        bound = lower_bound(run.result)
        if bound.value > made.epsilon:
            too_much = "The audit found more than was promised, which chance may do in 5 % of cases: try another seed."
            return False, too_much
        return True, (
            f"{made.words()}; the audit of “{attack_words(bound.attack)}” proves ε ≥ {bound_text(bound.value)} (95 %). "
            f"The truth lies between. The gap is partly a loose audit, partly an attacker weaker than the worst one "
            f"the promise is made against, who sees every step of the training."
        )

    return task(
        "Task 3. Audit a promise.",
        f"With central noise, train a model that is right at least twice as often as chance at ε of at most "
        f"{LARGEST_EPSILON:g}, attack it with likelihood ratios (at least {LEAST_INSIDE} shadow models on halves of "
        f"the candidates), and compare what was promised with what the attack proves.",
        check,
    )
