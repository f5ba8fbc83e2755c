"""Lesson 2: the prediction and the tasks, each checked against what the reader did."""

from dataclasses import replace

import ipywidgets as widgets

from dpmia_lab.experiments import spending
from dpmia_lab.experiments.spending import RECORDS, Answer, Setting
from dpmia_lab.privacy import accounting
from dpmia_lab.privacy.accounting import epsilon_text
from dpmia_lab.widgets.epsilon.controls import SIGMAS
from dpmia_lab.widgets.epsilon.panel import TrainingPanel
from dpmia_lab.widgets.epsilon.person import PersonPanel
from dpmia_lab.widgets.epsilon.playground import AccountingPanel
from dpmia_lab.widgets.kit.parts import column, fold
from dpmia_lab.widgets.kit.questions import Prediction, task

START = Setting()
LEAST_JOINED = 5  # records a step, in task 1
MOST_EPSILON = 6.0  # of a person, in task 3
NO_ANSWER = "The playground has no answer for its settings; see what it says beside its controls."
NOT_YET = "The playground is still accounting; look again in a moment."


def predict_doubling(playground: AccountingPanel) -> widgets.VBox:
    """Answered when the reader has doubled σ in the playground and left the rest."""
    question = Prediction(
        f"The playground below opens with noise σ = {START.sigma:g}, {START.steps} steps, and each record joining a "
        f"quarter of them. You double the noise. What happens to ε?",
        ["it stays much the same", "it falls to half", "it falls to less than half", "it falls to less than a tenth"],
        f"move σ in the playground from {START.sigma:g} to {2 * START.sigma:g}, and see",
        "Who tests for one record must tell two bell curves apart. Twice the noise halves their distance, and "
        "the chance of a clear verdict falls faster than the distance.",
    )
    playground.answers_prediction(question.outcome)
    doubled = replace(START, sigma=2 * START.sigma)

    def moved(answer: Answer) -> None:
        setting = answer.setting
        others_same = replace(setting, sigma=START.sigma, epsilon=START.epsilon) == START
        if question.truth is None and others_same and setting.sigma >= doubled.sigma:
            before, after = (accounting.epsilon(answer.accountant, **one.how()) for one in (START, doubled))
            ratio = after / before
            right = 0 if ratio > 0.75 else 1 if ratio > 0.45 else 2 if ratio > 0.1 else 3
            question.measured(
                right,
                f"ε goes from {epsilon_text(before)} to {epsilon_text(after)}, to {ratio:.0%} of what it was: twice "
                f"the noise is worth more than twice the privacy while ε is large. (For a record, add or remove one, "
                f"δ = 0.001, {accounting.ACCOUNTANTS[answer.accountant].words}.)",
            )

    playground.listeners.append(moved)
    return question.view


def task_sampling(playground: AccountingPanel) -> widgets.VBox:
    def check() -> tuple[bool, str]:
        answer = playground.answer
        if answer is None:
            return False, NO_ANSWER
        if answer.accountant != "tight":
            return False, NOT_YET
        now, joined = answer.setting, answer.setting.q * answer.setting.count
        if now.follows != "epsilon":
            return False, "Let ε follow from the others: the task is to bring it down."
        if (now.sigma, now.steps) != (START.sigma, START.steps):
            return False, (
                f"σ must be {START.sigma:g} and T {START.steps}; they are {now.sigma:g} and {now.steps:,}. Only q may "
                f"move."
            )
        if (now.used_delta, now.neighbours, now.count) != (START.used_delta, START.neighbours, START.count):
            return False, "Leave K at 280, δ at 0.001 and neighbours at add or remove one, or it is another promise."
        if joined < LEAST_JOINED:
            return False, f"Only {joined:.2g} records join a step on average; at least {LEAST_JOINED} are asked for."
        if now.epsilon > 1:
            return False, f"ε is {epsilon_text(now.epsilon)}; at most 1 is asked for. Let fewer records join each step."
        return True, (
            f"ε = {epsilon_text(now.epsilon)} with q = {now.q:g}, the noise unchanged: who does not know whether your "
            f"record took part learns less. The price: {joined:.0f} records a step, so the same noise drowns more."
        )

    return task(
        "Task 1. Privacy without more noise.",
        f"In the playground, keep σ = {START.sigma:g}, T = {START.steps} and everything else, and bring ε to at most 1 "
        f"by q alone, with at least {LEAST_JOINED} records in a step on average (qK ≥ {LEAST_JOINED}).",
        check,
        lambda: [vars(playground.answer.setting)],
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
                f"Your last run spent ε = {epsilon_text(epsilon)} (tight); at most 5 is asked for. {cheaper_words(c)}"
            )
        if accuracy < 0.5:
            return False, f"ε is small enough, but {accuracy:.0%} are right and 50 % are needed. {better_words(c, n)}"
        return True, (
            f"{accuracy:.0%} right on new pictures at ε = {epsilon_text(epsilon)}. The right end of the grey curve "
            f"shows what hardly any noise would give: the difference is the price of the promise, with seven "
            f"pictures each."
        )

    return task(
        "Task 2. Stay within a budget.",
        "On the generated faces (40 people), train a model that is right on at least 50 % of new pictures and spends "
        "at most ε = 5 for a record (add or remove one, δ at most 0.001, tight accountant).",
        check,
        lambda: [panel.last],
    )


def cheaper_words(config) -> str:
    """What a reader might try who has spent too much, and has not tried it yet."""
    if config.sigma <= 2:
        return "More noise a step costs less; let the playground find σ for ε = 5, and press Train with these."
    if config.budget == 0:
        return f"With σ = {config.sigma:g} fewer steps, a smaller q, or a budget of ε (More settings) would do."
    return "Your budget is above 5, or the run ended before it was reached."


def better_words(config, numbers: dict) -> str:
    """The same for one whose model is not good enough."""
    if numbers.get("epsilon_tight", 0.0) < 4:
        return "You have ε left to spend: less noise, or more steps."
    if config.q < 0.25:
        return f"With q = {config.q:g} few records share the same noise: let more join, with more noise to pay for it."
    if config.rate == 0.5:
        return "The size of a step (η, More settings) has not been tried yet."
    return f"Steps of η = {config.rate:g}: if accuracy jumps about they are too long, if it still climbs too short."


def task_person(person: PersonPanel) -> widgets.VBox:
    def check() -> tuple[bool, str]:
        now = person.setting
        if (now.records, now.q, now.steps) != (START.records, START.q, START.steps):
            return False, f"k must be {START.records}, q {START.q:g} and T {START.steps}: only σ may move."
        if (now.used_delta, now.neighbours) != (START.used_delta, START.neighbours):
            return False, "Leave δ at 0.001 (K = 280) and neighbours at add or remove one, or it is another promise."
        together = person.epsilons[RECORDS.index(now.records)]
        if not together <= MOST_EPSILON:
            return False, f"All seven together have ε = {epsilon_text(together)} at σ = {now.sigma:g}: more noise."
        lower = max((sigma for sigma in SIGMAS if sigma < now.sigma), default=0.0)
        if lower and spending.group_epsilon(now.records, **{**now.how(), "sigma": lower}) <= MOST_EPSILON:
            return False, f"σ = {now.sigma:g} does it, but so does a smaller one: you would pay more than you must."
        one = person.epsilons[0]
        return True, (
            f"σ = {now.sigma:g}: ε = {epsilon_text(together)} for the person, {epsilon_text(one)} for each picture. To "
            f"hide seven pictures takes {now.sigma / sigma_for_one():.1f} times the noise that hides one as well."
        )

    return task(
        "Task 3. Hide the person, not the picture.",
        f"With q = {START.q:g} and T = {START.steps}, find the smallest σ on the slider at which all seven pictures of "
        f"one person together have ε ≤ {MOST_EPSILON:g} (δ = 0.001, add or remove them all).",
        check,
        lambda: [vars(person.setting)],
    )


def sigma_for_one() -> float:
    """The σ at which one picture has that ε."""
    return accounting.sigma_for("tight", MOST_EPSILON, START.q, START.steps, START.used_delta, START.neighbours)


def task_formula(playground: AccountingPanel) -> widgets.VBox:
    def check() -> tuple[bool, str]:
        answer = playground.answer
        if answer is None:
            return False, NO_ANSWER
        now, form = answer.setting, spending.formula(answer.setting)
        broken = [f"{c.words} ({c.left_value:.3g} against {c.right_value:.3g})" for c in form.conditions if not c.met]
        if broken:
            return False, f"The formula's proof does not reach these settings: broken is {'; '.join(broken)}."
        if now.q * now.count < 1:
            return False, f"With K = {now.count} and q = {now.q:g} not even one unit joins a step on average; raise K."
        if answer.accountant != "tight":
            return False, NOT_YET
        return True, (
            f"The formula promises ε = {epsilon_text(form.epsilon)}; the tight accountant proves "
            f"{epsilon_text(answer.epsilon)} for the very same training. Where the formula may be used at all, it "
            f"reports {form.epsilon / max(answer.epsilon, 1e-9):.1f} times the ε that was spent."
        )

    for_experts = task(
        "Task 4. Where does paper A's formula hold?",
        "In the playground, find settings at which <i>every</i> condition of paper A's closed form is met (they are "
        "listed below its chart, For experts), with at least one unit in a step on average (qK ≥ 1). Then compare its "
        "ε with the tight one.",
        check,
        lambda: [vars(playground.answer.setting)],
    )
    return column(fold("For experts: one more", for_experts), classes=("dp", "dp-expert-task"))
