"""Lesson 3: the prediction and the three tasks, each checked against the reader's own runs."""

from dataclasses import replace

import ipywidgets as widgets

from dpmia_lab.experiments.hiding import STRONGER, Config
from dpmia_lab.privacy.accounting import epsilon_text
from dpmia_lab.widgets.hiding.claims import kept_results
from dpmia_lab.widgets.hiding.panel import HidingPanel
from dpmia_lab.widgets.hiding.words import FACES, is_matched, model_words, promise, who_hid_more, who_hid_more_words
from dpmia_lab.widgets.kit.questions import Prediction, task
from dpmia_lab.widgets.kit.runs import Run

NO_RUN = "There is no run yet: set the controls above and press Train and attack."
RECOGNISED, SMALL_EPSILON = 0.9, 0.4  # task 1
USEFUL, LARGEST_EPSILON = 0.55, 2.5  # task 2
FEW_STEPS = 15  # the slider has no fewer


def predict_hiding(panel: HidingPanel) -> widgets.VBox:
    """Answered by the reader's first run at equal accuracy, and by the reference beside it."""
    question = Prediction(
        "Two models are trained with noise, all settings alike but one: the first hides any single <i>record</i>, the "
        "other any whole <i>class</i>. The noise is tuned until both name equally many new pictures right. The same "
        "attacker, who expects smooth pictures and blurs what he drew, attacks both. Which gives less away?",
        [
            "the record-level one, clearly",
            "the class-level one, clearly: that is what it is made for",
            "about alike",
        ],
        then="press <b>Train and attack</b> below, and see",
        because="What the attacker sees is the noise that has gathered in the weights, whatever unit it was added for.",
    )

    def measured(run: Run) -> None:
        if question.truth is None and is_matched(run.result.rows):
            words = f"{who_hid_more_words(run.result, run.config)} {reference_words(run)}"
            question.measured(who_hid_more(run.result), words)

    panel.listeners.append(measured)
    panel.answers(question.outcome)
    return question.view


def reference_words(run: Run) -> str:
    """What the same settings came to over several seeds, if they are those of the reference."""
    results = kept_results()
    for kept in (results[preset] for preset in ("faces", "digits") if preset in results):
        if replace(kept.config, repeats=1, seed=0) == replace(run.config, repeats=1, seed=0):
            how = kept.hides("unit", "record", "stronger")
            unit = model_words(kept.config)["unit"]
            return f"Over the reference's {kept.config.repeats} seeds, {unit} hides {how} record-level."
    return ""


def task_strong_promise(panel: HidingPanel) -> widgets.VBox:
    def check() -> tuple[bool, str]:
        run = panel.last
        if run is None:
            return False, NO_RUN
        if run.config.knows_public:
            return False, f"With public pictures that is easy: the stronger attacker must be {STRONGER['smooth']}."
        made, share = promise(run.result.rows, run.config, "record"), recognised(run, "record")
        if made is None or made.epsilon > SMALL_EPSILON:
            found = f"it is {epsilon_text(made.epsilon)}" if made else "there is none"
            return False, f"ε for a record must be at most {SMALL_EPSILON:g}; {found}. {cheaper(run.config)}"
        if share < RECOGNISED:
            return False, (
                f"The judge recognises {share:.0%} of what the stronger attacker drew from the record-level model; "
                f"{RECOGNISED:.0%} are needed. ε is {epsilon_text(made.epsilon)}, so there is room: want more accuracy."
            )
        return True, (
            f"{made.words()}, and {share:.0%} of the classes recognised. Nobody broke the promise: it never spoke of "
            f"what all pictures of a class have in common."
        )

    return task(
        "Task 1. A strong promise, and the class in plain sight.",
        f"Find a run in which the record-level model promises ε ≤ {SMALL_EPSILON:g}, and yet the judge recognises at "
        f"least {RECOGNISED:.0%} of the stronger attacker's drawings from it.",
        check,
        lambda: [panel.last],
    )


def recognised(run: Run, model: str) -> float:
    return run.result.rows.value("recognised_mean", defence=model, attack="stronger")


def cheaper(config: Config) -> str:
    """What would spend less, of what has not been done yet."""
    if config.data in FACES:
        return "These are few pictures: the more there are, the less noise hides each. Take the digits."
    ways = ["take fewer steps T"] if config.steps > FEW_STEPS else []
    ways += ["want a little less accuracy, so that σ can be larger"]
    return f"You might {' or '.join(ways)}."


def task_price(panel: HidingPanel) -> widgets.VBox:
    def check() -> tuple[bool, str]:
        run = panel.last
        if run is None:
            return False, NO_RUN
        rows, c = run.result.rows, run.config
        made, accuracy = promise(rows, c, "unit"), rows.value("accuracy", defence="unit")
        if c.unit == "subclass" and c.k_sub > 50:
            return False, f"Your subclasses are too small for this task: k_sub is {c.k_sub}, at most 50 counts."
        if accuracy < USEFUL:
            return False, (
                f"Test accuracy of the {c.unit}-level model is {accuracy:.0%}; at least {USEFUL:.0%} is needed."
            )
        if made is None or made.epsilon > LARGEST_EPSILON:
            found = f"it is {epsilon_text(made.epsilon)}" if made else "there is none"
            return False, f"ε for a {c.unit} must be at most {LARGEST_EPSILON:g}; {found}. {cheaper(c)}"
        return True, (
            f"{made.words()} at {accuracy:.0%} accuracy, where no defence has "
            f"{rows.value('accuracy', defence='vanilla'):.0%}: that is the price. The stronger attacker's drawings: "
            f"{recognised(run, 'unit'):.0%} recognised (noise {rows.value('recognised_mean', attack='noise'):.0%})."
        )

    return task(
        "Task 2. Buy a promise for more than a record.",
        f"On the digits, bring ε for a subclass (k_sub at most 50) or for a class down to {LARGEST_EPSILON:g} or less, "
        f"with a test accuracy of at least {USEFUL:.0%}. What did it cost?",
        check,
        lambda: [panel.last],
    )


def task_two_names(panel: HidingPanel) -> widgets.VBox:
    def check() -> tuple[bool, str]:
        pair = same_but_unit(panel.table.runs)
        if pair is None:
            return False, f"Two runs are needed that differ in nothing but the unit. {missing_half(panel.table.runs)}"
        one, other = (
            {measure: run.result.rows.value(measure, defence="unit") for measure in ("sigma", "accuracy", "units")}
            for run in pair
        )
        if one["sigma"] != other["sigma"] or one["accuracy"] != other["accuracy"]:
            return False, "The two runs came out differently, which should not happen: please report their settings."
        return True, (
            f"σ = {one['sigma']:.3g}, accuracy {one['accuracy']:.1%} and K = {one['units']:.0f} units in both: one "
            f"subclass a class <i>is</i> the class. At the other end, as many subclasses as records are the records."
        )

    return task(
        "Task 3. Two names for one thing.",
        "Show with two runs that hiding subclasses with k_sub = 1 is hiding classes: the same σ, the same accuracy, "
        "the same pictures. (Small digits take seconds.)",
        check,
        lambda: same_but_unit(panel.table.runs),
    )


def missing_half(runs: list[Run]) -> str:
    """Which of the two there is already."""
    if any(run.config.unit == "class" for run in runs):
        return "You have one for a class: now hide a subclass with k_sub = 1, all else as it was."
    if any(run.config.unit == "subclass" and run.config.k_sub == 1 for run in runs):
        return "You have one with k_sub = 1: now hide a class, all else as it was."
    return "There is none yet for a class, and none with k_sub = 1."


def same_but_unit(runs: list[Run]) -> tuple[Run, Run] | None:
    """A class-level run, and one with a single subclass a class that is otherwise the same."""
    for one in runs:
        for other in runs:
            if one.config.unit == "class" and other.config.unit == "subclass" and other.config.k_sub == 1:
                if replace(other.config, unit="class", k_sub=one.config.k_sub) == one.config:
                    return one, other
    return None
