"""Lesson 5: the prediction and the three tasks, each checked against what the reader did."""

import ipywidgets as widgets

from dpmia_lab.data.purchases import PRODUCTS
from dpmia_lab.experiments.equal_leak import contest
from dpmia_lab.privacy.local import bits_guarantee
from dpmia_lab.widgets.kit.questions import Prediction, task
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.mechanisms.bargain import (
    SHARE_KEPT,
    SHARE_LEFT,
    bargain_words,
    bargains,
    done_in,
    hint,
    only_strengths_differ,
)
from dpmia_lab.widgets.mechanisms.data import own_sweep, preset_of, references
from dpmia_lab.widgets.mechanisms.hook import PRIOR, CartPanel, belief_after, true_share
from dpmia_lab.widgets.mechanisms.panel import MechanismsPanel
from dpmia_lab.widgets.mechanisms.ranking import DEFENCES, LAMBDAS, RankingPanel, published_entries
from dpmia_lab.widgets.mechanisms.words import brief_words, interval_text, one_seed

ANSWERS = ("local", "central", "alike")
MOST_BELIEF, LEAST_TRUTH = 0.05, 0.7  # task 1
REASONS = {
    "local": "Lies cancel out over the many carts of a class; noise on the gradients comes anew at every step.",
    "central": "A step averages its noise over many records; a lie stays in the data for good.",
    "alike": "Both drown what is special about one record sooner than what many share, and at about the same price.",
}


def predict_tradeoff(panel: MechanismsPanel) -> widgets.VBox:
    """Answered by the reader's first sweep in which both mechanisms can be compared, and by its reference."""
    question = Prediction(
        "Noise on the data (local) or noise on the gradients (central)? Tune both until the same attacker recognises "
        "members equally well. Which of the two models is then right more often on new records?",
        [
            "the one with local noise: it learns from honest gradients",
            "the one with central noise: 600 lies a record must cost more",
            "about alike",
        ],
        then="press <b>Run a sweep</b> below, and see",
    )

    def measured(run: Run) -> None:
        if question.truth is not None:
            return
        kept = references().get(preset_of(run.config))
        found = {"The reference": contest(kept)} if kept else {}
        found[f"Your sweep{one_seed(run)}"] = contest(own_sweep(run))
        told = [(whose, one) for whose, one in found.items() if one.verdict in ANSWERS]
        if told:
            whose, one = told[0]
            said = f"{whose}: {brief_words(one)}, by the white box. {REASONS[one.verdict]} Other data may differ: try."
            question.measured(ANSWERS.index(one.verdict), said)

    panel.listeners.append(measured)
    panel.answers(question.outcome)
    return question.view


def task_deny(cart: CartPanel) -> widgets.VBox:
    def check() -> tuple[bool, str]:
        epsilon = cart.epsilon.value
        belief, truth = belief_after(True, epsilon), true_share(epsilon)
        if belief > MOST_BELIEF:
            return False, (
                f"A snoop who sees a yes at bit 17 is now {belief:.1%} sure; at most {MOST_BELIEF:.0%} is asked for. "
                f"Move ε_i of the cart to more noise."
            )
        if truth < LEAST_TRUTH:
            return False, f"Only {truth:.0%} of the bits tell the truth; {LEAST_TRUTH:.0%} are needed. Less noise."
        return True, (
            f"With ε_i = {epsilon:g}, {truth:.0%} of the bits are true, and a yes takes the snoop from {PRIOR:.0%} to "
            f"{belief:.1%}. But {bits_guarantee(PRODUCTS, epsilon).words()}: whoever looks at all {PRODUCTS} bits "
            f"together may learn far more than from one."
        )

    return task(
        "Task 1. Deny the pregnancy test.",
        f"Set ε_i of the shopping cart so that a snoop who thought each purchase {PRIOR:.0%} likely is at most "
        f"{MOST_BELIEF:.0%} sure after seeing a yes, while at least {LEAST_TRUTH:.0%} of all bits are true.",
        check,
        lambda: [{"epsilon_i of the cart": cart.epsilon.value}],
    )


def task_bargain(panel: MechanismsPanel) -> widgets.VBox:
    def check() -> tuple[bool, str]:
        runs = panel.table.runs
        if not runs:
            return False, "There is no sweep of yours yet: press Run a sweep above."
        done = [one for run in done_in(runs) for one in bargains(run) if one.is_done]
        if done:
            return True, bargain_words(min(done, key=lambda one: one.left))
        latest = own_sweep(runs[0])
        if not latest.leaks("white_box", "alike"):
            found = interval_text(latest, "none", "white_box", "alike")
            return False, f"Without a defence the white box's AUC is {found}: too near guessing. Train for more epochs."
        tried = [one for run in runs if only_strengths_differ(run, runs[0]) for one in bargains(run)]
        return False, hint(tried, runs[0].config.records)

    return task(
        "Task 2. A bargain.",
        f"Find a strength, of either mechanism, at which your model keeps at least {SHARE_KEPT:.0%} of its accuracy "
        f"above chance and the white-box attack at most {SHARE_LEFT:.0%} of its advantage (AUC − 0.5), both against "
        f"your model without a defence. Outsiders like the members. The strengths you find set are not enough: look "
        f"for others, and for how many records it takes.",
        check,
        lambda: done_in(panel.table.runs),
    )


def task_weight(ranking: RankingPanel) -> widgets.VBox:
    wanted, beaten = DEFENCES["dp_eps4"], DEFENCES["baseline"]

    def check() -> tuple[bool, str]:
        lam = ranking.lam.value
        if not overtakes(lam, wanted, beaten):
            return False, f"At λ = {lam} no defence still stands above {wanted} in paper D's table: weigh privacy more."
        before = [smaller for smaller in LAMBDAS if smaller < lam and overtakes(smaller, wanted, beaten)]
        if before:
            return False, f"At λ = {lam} it does, but a smaller λ on the slider is enough already."
        return True, (
            f"At λ = {lam}: who prefers this private model says that AUC 0.6 instead of 0.5 is worth dividing the "
            f"accuracy by {1.2**lam:.2f}. λ is a judgement, not a measurement: state it, or show several."
        )

    return task(
        "Task 3. How much must privacy weigh?",
        f"With the λ slider, find the smallest λ at which <i>{wanted}</i> overtakes <i>{beaten}</i> in paper D's "
        f"table.",
        check,
        lambda: [{"lambda": ranking.lam.value}],
    )


def overtakes(lam: int, one: str, other: str) -> bool:
    scores = {entry.words: entry.score for entry in published_entries(lam)}
    return scores[one] > scores[other]
