"""Lesson 5: the prediction and the three tasks, each checked against what the reader did."""

import ipywidgets as widgets

from dpmia_lab.experiments.mechanism_sweep import Sweep
from dpmia_lab.experiments.mechanisms import setting_words
from dpmia_lab.widgets.kit.questions import Prediction, task
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.mechanisms.data import contest, own_sweep, preset_of, references
from dpmia_lab.widgets.mechanisms.hook import PRIOR, CartPanel, belief_after, true_share
from dpmia_lab.widgets.mechanisms.panel import MechanismsPanel
from dpmia_lab.widgets.mechanisms.ranking import DEFENCES, LAMBDAS, RankingPanel, published_entries
from dpmia_lab.widgets.mechanisms.words import contest_words

ANSWERS = ("local", "central", "alike")
MOST_BELIEF, LEAST_TRUTH = 0.05, 0.7  # task 1
SHARE_KEPT, SHARE_LEFT = 0.85, 0.5  # task 2: of accuracy above chance, of the attack's advantage


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
        mine, kept = contest(own_sweep(run)), references().get(preset_of(run.config))
        theirs = contest(kept) if kept else None
        found = theirs if theirs and theirs.verdict != "neither" else mine
        if found.verdict == "neither":
            return
        said = f"Your sweep: {contest_words(mine)}." + (f" The reference: {contest_words(theirs)}." if theirs else "")
        more = " White box, outsiders like the members; it differs between data sets, so try another."
        question.measured(ANSWERS.index(found.verdict), said + more)

    panel.listeners.append(measured)
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
            f"{belief:.1%}. But the record has ε = {600 * epsilon:g} (replace one, δ = 0): whoever looks at all "
            f"600 bits together may learn far more than from one."
        )

    return task(
        "Task 1. Deny the pregnancy test.",
        f"Set ε_i of the shopping cart so that a snoop who thought each purchase {PRIOR:.0%} likely is at most "
        f"{MOST_BELIEF:.0%} sure after seeing a yes, while at least {LEAST_TRUTH:.0%} of all bits are true.",
        check,
    )


def task_bargain(panel: MechanismsPanel) -> widgets.VBox:
    def check() -> tuple[bool, str]:
        if panel.last is None:
            return False, "There is no sweep of yours yet: set the strengths above and press Run a sweep."
        sweep = own_sweep(panel.last)
        undefended = sweep.value("auc", "none", "white_box", "alike")
        if not undefended > 0.55:
            return False, (
                f"Without a defence the white box reaches AUC {undefended:.2f}: there is hardly anything to protect. "
                f"Fewer records or more epochs make the model overfit."
            )
        name, kept, left = best_bargain(sweep, chance=1 / panel.last.result.numbers["classes"])
        if kept < SHARE_KEPT or left > SHARE_LEFT:
            return False, (
                f"Your nearest is {name}: it keeps {kept:.0%} of the accuracy above chance and leaves {left:.0%} of "
                f"the attack's advantage. Try strengths between those you have, of either mechanism."
            )
        return True, (
            f"{name} keeps {kept:.0%} of the accuracy above chance and leaves {left:.0%} of the attack's advantage, so "
            f"φ = {min(2, (1 - left) / max(1 - kept, 1e-9)):.2f}. One seed may be luck: run it with three."
        )

    return task(
        "Task 2. A bargain.",
        f"Find a strength, of either mechanism, at which your model keeps at least {SHARE_KEPT:.0%} of its accuracy "
        f"above chance and the white-box attack at most {SHARE_LEFT:.0%} of its advantage (AUC − 0.5), both against "
        f"your model without a defence. Outsiders like the members.",
        check,
    )


def best_bargain(sweep: Sweep, chance: float) -> tuple[str, float, float]:
    """The point nearest to the target: its name, the accuracy it keeps and the advantage it leaves, as shares."""

    def shares(defence: str) -> tuple[float, float]:
        kept = sweep.value("test_accuracy", defence) - chance
        left = max(0.0, sweep.value("auc", defence, "white_box", "alike") - 0.5)
        return kept / to_lose, left / to_protect

    def missed(defence: str) -> tuple[bool, float]:
        """No defence at all is the last to be named."""
        kept, left = shares(defence)
        return defence == "none", max(0.0, SHARE_KEPT - kept) + max(0.0, left - SHARE_LEFT)

    to_lose = sweep.value("test_accuracy", "none") - chance
    to_protect = sweep.value("auc", "none", "white_box", "alike") - 0.5
    nearest = min(sweep.defences, key=missed)
    return setting_words(nearest), *shares(nearest)


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
    )


def overtakes(lam: int, one: str, other: str) -> bool:
    scores = {entry.words: entry.score for entry in published_entries(lam)}
    return scores[one] > scores[other]
