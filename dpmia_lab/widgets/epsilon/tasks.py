"""Lesson 2: the prediction and the three tasks, each checked against what the reader did."""

from dataclasses import replace

import ipywidgets as widgets

from dpmia_lab.experiments import spending
from dpmia_lab.experiments.spending import Setting
from dpmia_lab.privacy.accounting import rounded_up
from dpmia_lab.widgets.epsilon.panel import TrainingPanel
from dpmia_lab.widgets.epsilon.playground import AccountingPanel
from dpmia_lab.widgets.kit.questions import Prediction, task

START = Setting()


def predict_doubling(playground: AccountingPanel) -> widgets.VBox:
    """Answered when the reader has doubled σ in the playground and left the rest."""
    question = Prediction(
        f"The playground below opens with noise σ = {START.sigma:g}, {START.steps} steps, and each record joining a "
        f"quarter of them. You double the noise. What happens to ε?",
        ["it stays much the same", "it falls to half", "it falls to less than half", "it falls to less than a tenth"],
        f"move σ in the playground from {START.sigma:g} to {2 * START.sigma:g}, and see",
    )
    doubled = replace(START, sigma=2 * START.sigma)

    def moved(setting: Setting) -> None:
        others_same = replace(setting, sigma=START.sigma, epsilon=START.epsilon) == START
        if question.truth is None and others_same and setting.sigma >= doubled.sigma:
            before, after = (spending.solved(one).epsilon for one in (START, doubled))
            ratio = after / before
            right = 0 if ratio > 0.75 else 1 if ratio > 0.45 else 2 if ratio > 0.1 else 3
            question.measured(
                right,
                f"ε goes from {rounded_up(before)} to {rounded_up(after)}, to {ratio:.0%} of what it was: twice the "
                f"noise is worth more than twice the privacy while ε is large. (For a record, add or remove one, "
                f"δ = 0.001, moments accountant.)",
            )

    playground.listeners.append(moved)
    return question.view


def task_sampling(playground: AccountingPanel) -> widgets.VBox:
    def check() -> tuple[bool, str]:
        now = playground.now
        if now is None:
            return False, "The playground has no answer for its settings; see what it says beside its controls."
        if now.follows != "epsilon":
            return False, "Let ε follow from the others: the task is to bring it down."
        if (now.sigma, now.steps) != (START.sigma, START.steps):
            return False, (
                f"σ must be {START.sigma:g} and T {START.steps}; they are {now.sigma:g} and {now.steps:,}. Only q may "
                f"move."
            )
        if (now.used_delta, now.neighbours) != (START.used_delta, START.neighbours):
            return False, "Leave δ at 0.001 (K = 280) and neighbours at add or remove one, or the ε is another promise."
        if now.epsilon > 1:
            return False, f"ε is {rounded_up(now.epsilon)}; at most 1 is asked for. Let fewer records join each step."
        return True, (
            f"ε = {rounded_up(now.epsilon)} with q = {now.q:g}, the noise unchanged: who does not know whether you "
            f"took part learns less. The price: {now.q * now.count:.0f} records a step, so the same noise drowns more."
        )

    return task(
        "Task 1. Privacy without more noise.",
        f"In the playground, keep σ = {START.sigma:g}, T = {START.steps} and everything else, and bring ε to at most 1 "
        f"(moments accountant) by q alone.",
        check,
    )


def task_budget(panel: TrainingPanel) -> widgets.VBox:
    def check() -> tuple[bool, str]:
        run = panel.last
        if run is None:
            return False, "There is no run yet: set the controls of the training and press Train."
        c, n = run.config, run.result.numbers
        if (c.data, c.people) != ("faces", 40):
            return False, "The task is about the generated faces, 40 people; your last run is not."
        if (c.unit, c.neighbours) != ("record", "add-remove") or n["delta"] > 0.001:
            return False, "The ε must be for a record (add or remove one) at δ = 0.001 or less; your last run's is not."
        epsilon, accuracy = n.get("epsilon_tight", float("inf")), n["test_accuracy"]
        if epsilon > 5:
            return False, (
                f"Your last run spent ε = {rounded_up(epsilon)} (tight); at most 5 is asked for. Let the playground "
                f"find σ for ε = 5 and press Train with these, or set a budget."
            )
        if accuracy < 0.5:
            return False, (
                f"ε is small enough, but {accuracy:.0%} are right and 50 % are needed. More noise than ε asks for? Too "
                f"few steps, or steps of the wrong size?"
            )
        return True, (
            f"{accuracy:.0%} right on new pictures at ε = {rounded_up(epsilon)}. The right end of the grey curve shows "
            f"what hardly any noise would give: the difference is the price of the promise, with seven pictures each."
        )

    return task(
        "Task 2. Stay within a budget.",
        "On the generated faces (40 people), train a model that is right on at least 50 % of new pictures and spends "
        "at most ε = 5 for a record (add or remove one, δ at most 0.001, tight accountant).",
        check,
    )


def task_formula(playground: AccountingPanel) -> widgets.VBox:
    def check() -> tuple[bool, str]:
        now, tight = playground.now, playground.tight
        if now is None:
            return False, "The playground has no answer for its settings; see what it says beside its controls."
        form = spending.formula(now)
        broken = [f"{c.words} ({c.left_value:.3g} against {c.right_value:.3g})" for c in form.conditions if not c.met]
        if broken:
            return False, f"The formula's proof does not reach these settings: broken is {'; '.join(broken)}."
        if now.q * now.count < 1:
            return False, f"With K = {now.count} and q = {now.q:g} not even one unit joins a step on average; raise K."
        if tight is None:
            return False, "All conditions are met; wait a moment for the tight accountant, then check again."
        return True, (
            f"The formula promises ε = {rounded_up(form.epsilon)}; the tight accountant proves "
            f"{rounded_up(tight.epsilon)} for the very same training. Where the formula may be used at all, it reports "
            f"{form.epsilon / max(tight.epsilon, 1e-9):.1f} times the ε that was spent."
        )

    return task(
        "Task 3. Where does paper A's formula hold?",
        "In the playground, find settings at which <i>every</i> condition of paper A's closed form is met, with at "
        "least one unit in a step on average (qK ≥ 1). Then compare its ε with the tight one.",
        check,
    )
