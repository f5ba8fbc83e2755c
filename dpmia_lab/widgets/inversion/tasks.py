"""Lesson 1: the prediction and the three tasks, each checked against the reader's own runs."""

import ipywidgets as widgets

from dpmia_lab.game.drawing import BASELINES
from dpmia_lab.widgets.inversion.panel import InversionPanel
from dpmia_lab.widgets.inversion.words import own_rows
from dpmia_lab.widgets.kit.controls import field
from dpmia_lab.widgets.kit.questions import Prediction, task
from dpmia_lab.widgets.kit.runs import Run


def predict_recognition(panel: InversionPanel) -> widgets.VBox:
    """Answered by the reader's first run on 40 generated people."""
    question = Prediction(
        "You will train a recogniser on 7 pictures each of 40 people and attack it. An independent judge, a network "
        "that never saw those pictures, then looks at the 40 drawings. How many will it put the right name to?",
        ["about 1, no more than guessing", "around 10", "around 20", "30 or more"],
        "press <b>Train and attack</b> below, and see",
    )

    def measured(run: Run) -> None:
        share = own_rows(run).value("recognised_share")
        if run.config.data == "faces" and run.config.people == 40 and question.truth is None:
            right = sum(share >= bound for bound in (0.125, 0.375, 0.75))
            question.measured(right, f"Your run: {round(40 * share)} of 40, where guessing gives 1.")

    panel.listeners.append(measured)
    return question.view


def task_few_steps(panel: InversionPanel) -> widgets.VBox:
    def check() -> tuple[bool, str]:
        run = panel.last
        if run is None:
            return False, "There is no run yet: set the controls above and press Train and attack."
        c, own = run.config, own_rows(run)
        share = own.value("recognised_share")
        if (c.data, c.people, c.model) != ("faces", 40, "softmax"):
            return False, "The task is about the generated faces, 40 people, softmax regression; your last run is not."
        if c.steps > 1:
            return False, f"Your last run took up to {c.steps} steps; the T slider goes down to 1."
        if share < 0.7:
            return False, f"{share:.0%} were recognised; 70 % are needed. A blur or a large prior may be in the way."
        return True, (
            f"{share:.0%} recognised after one step, while the model is {own.value('confidence_mean'):.0%} sure of it. "
            f"One gradient shows the model's weights, and the weights already are the pictures. (The judge stretches "
            f"the contrast of what it sees, so a faint drawing counts.)"
        )

    return task(
        "Task 1. How little work is enough?",
        "On the generated faces (40 people, softmax regression), take steps away until only one is left, and make it "
        "large enough to see (η = 0.3). Are at least 70 % still recognised?",
        check,
    )


def task_null_picture(panel: InversionPanel) -> widgets.VBox:
    answer = field(widgets.FloatText(description="mean distance of the black picture", step=0.01), "answer")

    def check() -> tuple[bool, str]:
        run = next((run for run in panel.table.runs if run.config.data == "mnist"), None)
        if run is None:
            return False, "Run the attack on MNIST digits first (start from: digits, enhanced attack)."
        drawn = own_rows(run).value("distance_mean")
        nothing = {name: run.result.rows.value("distance_mean", attack=name) for name in BASELINES}
        if abs(answer.value - nothing["blank"]) <= 0.02:
            comparison = "closer than" if nothing["blank"] < drawn else "no closer than"
            return True, (
                f"{nothing['blank']:.2f}: a black picture is {comparison} the drawings ({drawn:.2f}), and nobody would "
                f"call it a digit. A distance without such a baseline can praise a picture of nothing."
            )
        others = {
            "of the attack's own drawings": drawn,
            "of random noise": nothing["noise"],
            "of the class mean": nothing["class_mean"],
            "of another digit": nothing["other_class"],
        }
        for words, distance in others.items():
            if abs(answer.value - distance) <= 0.02:
                return False, f"{answer.value:g} is the distance {words}; the black picture's is asked for."
        return False, f"{answer.value:g} is none of the distances of run {run.number}: read them beside its numbers."

    return task(
        "Task 2. What does nothing at all score?",
        "Attack the convolutional network on MNIST digits (start from: digits, enhanced attack). Then find, among the "
        "numbers, the mean distance of a <i>black</i> picture and enter it.",
        check,
        answer,
    )


def task_confident_nonsense(panel: InversionPanel) -> widgets.VBox:
    def check() -> tuple[bool, str]:
        run = panel.last
        if run is None:
            return False, "There is no run yet: set the controls above and press Train and attack."
        if run.config.data != "faces":
            return False, "The task is about the generated faces; your last run used other data."
        sure, share = own_rows(run).value("confidence_mean"), own_rows(run).value("recognised_share")
        if sure < 0.9:
            return False, (
                f"The model is {sure:.0%} sure on average; 90 % are needed. "
                f"A smaller λ or more steps let the attack climb further."
            )
        if share > 0.5:
            return False, (
                f"{share:.0%} are still recognised; at most half may be. Give the attacker a wrong "
                f"idea of faces: a prior made for white strokes on black, for instance, with some weight."
            )
        return True, (
            f"The model is {sure:.0%} sure, the judge recognises {share:.0%}. "
            f"High confidence is what the attack climbs, not what makes a likeness."
        )

    return task(
        "Task 3. Sure, and yet unlike.",
        "On the generated faces, find settings for which the model is at least 90 % confident of the drawings on "
        "average, while the judge recognises at most half of the people.",
        check,
    )
