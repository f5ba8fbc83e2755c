"""Lesson 7's prediction and tasks, checked against what the reader did."""

import ipywidgets as widgets

from dpmia_lab.options import number_text
from dpmia_lab.privacy.population import advantage_bound
from dpmia_lab.widgets.attributes.controls import DEFENCE_WORDS
from dpmia_lab.widgets.attributes.panel import AttributesPanel
from dpmia_lab.widgets.attributes.theory import EPSILONS, TheoryPanel
from dpmia_lab.widgets.attributes.words import defence_words
from dpmia_lab.widgets.kit.questions import Prediction, task
from dpmia_lab.widgets.kit.runs import Run

STRONG = 1.0  # λ from which MID's effect on paper B's attack can be seen
MOST_OFF, MOST_RIGHT = 8.85, 0.53  # task 1: mg a week, secrets guessed
LEAST_ACCURACY, MOST_AUC = 0.58, 0.72  # task 2
ADVANTAGE, CLINIC = 0.1, 1725  # task 3


def predict_calibration(panel: AttributesPanel) -> widgets.VBox:
    question = Prediction(
        "MID presses the answers of the clinic's model together, until paper B's attack is no better than it would be "
        "with a much worse model. Another attacker first looks at 100 public patients: what does the model say of "
        "them, and what dose do they take? How much of MID's protection is left against that one?",
        ["nearly all of it", "about half of it", "nothing"],
        then="choose MID below, move λ above 1, and see",
        because="Equation 4 makes every answer smaller by one and the same factor. Whoever knows the factor divides "
        "by it, and has the old model back.",
    )

    def measured(run: Run) -> None:
        c, n = run.config, run.result.numbers
        if question.truth is not None or c.data != "warfarin_like" or c.model != "regression":
            return
        if c.defence != "mid" or c.lam < STRONG:
            return
        fallen = n["attack_accuracy_map_plain"] - n["attack_accuracy_map"]
        again = n["attack_accuracy_calibrated_plain"] - n["attack_accuracy_calibrated"]
        left = again / fallen if fallen > 0 else 0.0
        answer = 0 if left > 0.75 else 1 if left > 0.25 else 2
        said = (
            f"With λ = {number_text(c.lam)} paper B's attack falls from {n['attack_accuracy_map_plain']:.1%} to "
            f"{n['attack_accuracy_map']:.1%} right guesses, the calibrating one from "
            f"{n['attack_accuracy_calibrated_plain']:.1%} to {n['attack_accuracy_calibrated']:.1%}."
        )
        question.measured(answer, said)

    panel.listeners.append(measured)
    panel.answers(question.outcome)
    return question.view


# ---- task 1
def worst(run: Run) -> float:
    """The better of the two attackers who hold model and dose."""
    n = run.result.numbers
    return max(n["attack_accuracy_map"], n["attack_accuracy_calibrated"])


def of_patients(panel: AttributesPanel) -> list[Run]:
    return [run for run in panel.table.runs if run.config.data == "warfarin_like" and run.config.model == "regression"]


def task_both(panel: AttributesPanel) -> widgets.VBox:
    def done() -> list[Run]:
        return [run for run in of_patients(panel) if worst(run) <= MOST_RIGHT
                and run.result.numbers["test_off"] <= MOST_OFF]  # fmt: skip

    def check() -> tuple[bool, str]:
        runs = of_patients(panel)
        if done():
            run = done()[0]
            return True, (
                f"{defence_words(run.config)}: off by {run.result.numbers['test_off']:.2f} mg, and the better of the "
                f"two attackers is right {worst(run):.1%} of the time. But whoever imputes needs no model, and is "
                f"right {run.result.numbers['attack_accuracy_imputation_outcome']:.1%} of the time."
            )
        if not runs:
            return False, "There is no run of yours on the patients yet: choose a defence above."
        return False, hint(runs)

    return task(
        "Task 1. A defence that holds.",
        f"On the patients, find a defence and a strength at which <i>both</i> paper B's attack and the calibrating "
        f"attacker guess at most {MOST_RIGHT:.0%} of the secrets, while the model is off by at most {MOST_OFF} mg a "
        f"week.",
        check,
        done,
    )


def hint(runs: list[Run]) -> str:
    """Knows what was tried: the nearest run, and which way it misses."""
    latest = runs[0]
    off, guessed = latest.result.numbers["test_off"], worst(latest)
    name = DEFENCE_WORDS[latest.config.defence].split(":")[0]
    said = f"{name}, as last tried: off by {off:.2f} mg, secrets guessed {guessed:.1%}. "
    tried = {run.config.defence for run in runs}
    if tried <= {"none", "mid"}:
        return said + "MID cannot do it at any λ: look at the calibrating attacker's bar while you move it."
    if off > MOST_OFF and guessed <= MOST_RIGHT:
        return said + "Safe enough, but too dear: make it a little weaker."
    if off <= MOST_OFF and guessed > MOST_RIGHT:
        return said + "Useful enough, but it leaks: make it a little stronger, or try another defence."
    return said + "It misses both: try another defence."


# ---- task 2
def task_tree(panel: AttributesPanel) -> widgets.VBox:
    def of_survey() -> list[Run]:
        return [run for run in panel.table.runs if run.config.data == "survey_like" and run.config.model == "tree"]

    def done() -> list[Run]:
        return [run for run in of_survey() if run.result.numbers["attack_auc_map"] <= MOST_AUC
                and run.result.numbers["test_accuracy"] >= LEAST_ACCURACY]  # fmt: skip

    def check() -> tuple[bool, str]:
        if done():
            run = done()[0]
            n = run.result.numbers
            return True, (
                f"{defence_words(run.config)}: {n['test_accuracy']:.0%} right, AUROC of the attack "
                f"{n['attack_auc_map']:.2f}. Imputation with the outcome still has "
                f"{n['attack_auc_imputation_outcome']:.2f}: a model cannot hide what its people show anyway."
            )
        if not of_survey():
            return False, "There is no run of yours on the generated survey yet: start from it in the panel."
        n = of_survey()[0].result.numbers
        said = f"As last tried: {n['test_accuracy']:.0%} right, AUROC {n['attack_auc_map']:.2f}. "
        if n["attack_auc_map"] > MOST_AUC:
            return False, said + "It still leaks. Some defences only move the question to another place in the tree."
        return False, said + "The tree has become too dull: a little weaker."

    return task(
        "Task 2. A tree that keeps a secret.",
        f"On the generated survey, grow trees that are right about at least {LEAST_ACCURACY:.0%} of new people while "
        f"paper B's attack has an AUROC of at most {MOST_AUC} on them.",
        check,
        done,
    )


# ---- task 3
def task_theory(theory: TheoryPanel) -> widgets.VBox:
    def bound(epsilon: float) -> float:
        return advantage_bound(theory.people.value, epsilon, theory.delta.value)

    def check() -> tuple[bool, str]:
        if theory.people.value != CLINIC:
            return False, f"The clinic has {CLINIC:,} patients; the slider says {theory.people.value:,}."
        now = bound(theory.epsilon.value)
        if now > ADVANTAGE:
            why = "a smaller δ helps too" if bound(EPSILONS[0]) > ADVANTAGE / 2 else "a smaller ε, or a smaller δ"
            return False, f"The theorems bound the advantage by {now:.3f}: {why}."
        larger = [epsilon for epsilon in EPSILONS if epsilon > theory.epsilon.value and bound(epsilon) <= ADVANTAGE]
        if larger:
            return False, f"The bound is {now:.3f}; a larger ε on the slider is still enough with this δ."
        return True, (
            f"ε = {number_text(theory.epsilon.value)} for a record, far below what anybody uses: with it a "
            f"model of {CLINIC:,} patients can learn next to nothing, about dose or genes. Paper B is right that "
            f"differential privacy was not made for this."
        )

    return task(
        "Task 3. What would it take?",
        f"In the theory panel, find the largest ε on the slider at which paper B's theorems bound everybody's "
        f"advantage by at most {ADVANTAGE} in a clinic of {CLINIC:,} patients. δ is yours to choose.",
        check,
        lambda: [{"people": theory.people.value, "epsilon": theory.epsilon.value, "delta": theory.delta.value}],
    )
