"""Lesson 9's prediction and tasks, checked against what the reader did."""

import ipywidgets as widgets

from dpmia_lab.options import number_text
from dpmia_lab.widgets.fooling.panel import FoolingPanel
from dpmia_lab.widgets.fooling.words import Summary, defence_words, percent, promise_words, ratio_of, summed
from dpmia_lab.widgets.kit.questions import Prediction, task
from dpmia_lab.widgets.kit.runs import Run

LOOKS_USEFUL, MOST_FOOLED, LEAST_LEAK = 0.45, 0.64, 0.75  # task 1: accuracy, AUC of D, AUC of likelihood ratios
LEAST_RIGHT, LEAST_GAIN, FEW = 0.3, 0.04, 0.1  # task 2: accuracy, AUC below early stopping's, caught at 1 %
MOST_CAUGHT, LEAST_USEFUL = 0.3, 0.2  # task 3: of atypical canaries at 1 %; accuracy


# ---- the prediction
def predict_leak(panel: FoolingPanel) -> widgets.VBox:
    question = Prediction(
        "A model learns handwritten digits and, at the same time, to fool a discriminator D that was taught to tell "
        "whose digits it learned from. D's AUC stays near 0.55 through all of training, where 0.50 is guessing. Now "
        "somebody trains sixteen shadow models with the same defence and compares. What AUC will they reach?",
        ["about 0.55: what D cannot see, nobody sees", "about 0.7: clearly more", "0.85 or more: nearly everybody"],
        because="D was one attacker, asked about all people alike. Shadow models know how sure a model <i>should</i> "
        "be of this one person, with and without them.",
    )

    def look() -> None:
        """At the run that ships too: who has chosen an answer sees at once what came out."""
        c, result = panel.results.config, panel.results.result
        if question.truth is not None or result is None or c.defence != "dap" or c.data != "mnist":
            return
        s = summed(c, result)
        said = (
            f"D's AUC is {s.fooled.value:.2f}, that of likelihood ratios {s.ratio.value:.2f}, at {percent(s.accuracy)} "
            "right."
        )
        question.measured(0 if s.ratio.value < 0.6 else 1 if s.ratio.value < 0.8 else 2, said)

    panel.results.listeners.append(look)
    look()
    panel.answers(question.outcome)
    return question.view


# ---- runs that count
def on_carts(panel: FoolingPanel, least: int = 200) -> list[Run]:
    """On the generated carts, with enough people in."""
    return [run for run in panel.table.runs if run.config.data == "purchases_like" and run.config.records >= least]


def of(run: Run) -> Summary:
    return summed(run.config, run.result)


NO_RUN = "There is no run of yours on shopping carts with at least 200 records yet: press Train and attack above."


# ---- task 1
def task_fool(panel: FoolingPanel) -> widgets.VBox:
    def with_dap() -> list[Run]:
        return [run for run in on_carts(panel) if run.config.defence == "dap"]

    def done() -> list[Run]:
        return [run for run in with_dap() if of(run).fooled.value <= MOST_FOOLED
                and of(run).accuracy >= LOOKS_USEFUL and of(run).ratio.value >= LEAST_LEAK]  # fmt: skip

    def check() -> tuple[bool, str]:
        if done():
            run, s = done()[0], of(done()[0])
            return True, (
                f"{defence_words(run.config)}, λ = {number_text(run.config.lam)}: D at {s.fooled.value:.2f}, not far "
                f"from guessing, and likelihood ratios at {s.ratio.value:.2f}. Reported by D's number alone this model "
                f"would pass; {percent(s.caught.value)} of its members are caught at 1 % false alarms."
            )
        if not on_carts(panel):
            return False, NO_RUN
        if not with_dap():
            return False, "Your runs so far are with other defences: this task is about DAP."
        return False, fool_hint(with_dap())

    return task(
        "Task 1. Look safe.",
        f"On shopping carts with DAP, bring D's AUC on the finished model to {MOST_FOOLED} or less, with at least "
        f"{percent(LOOKS_USEFUL)} right, while likelihood ratios still reach {LEAST_LEAK} or more: a model that would "
        "pass a careless test.",
        check,
        done,
    )


def fool_hint(runs: list[Run]) -> str:
    """Knows what was tried: which side the newest run misses, and which dial has not been moved."""
    last, s = runs[0].config, of(runs[0])
    said = (
        f"r = {number_text(last.r)}, λ = {number_text(last.lam)}: D at {s.fooled.value:.2f}, {percent(s.accuracy)} "
        f"right, likelihood ratios {s.ratio.value:.2f}. "
    )
    if s.accuracy < LOOKS_USEFUL and s.fooled.value <= MOST_FOOLED:
        return (
            said + "D is fooled, but too little is learnt: a smaller λ keeps a later epoch; or train on more records."
        )
    if s.ratio.value < LEAST_LEAK:
        return said + "That one really leaks less: a smaller λ, or fewer records."
    if len({run.config.lam for run in runs}) == 1:
        return said + "D still sees something: a larger λ keeps an earlier epoch. Move λ and watch which one, then run."
    if len({(run.config.r, run.config.feed, run.config.layers) for run in runs}) == 1:
        return said + "λ alone does not do it: try another r, DAP_v, or all layers (More settings)."
    return said + "More records, learnt in fewer epochs, leave D less to see (More settings); then λ once more."


# ---- task 2
def task_stopping(panel: FoolingPanel) -> widgets.VBox:
    def useful() -> list[Run]:
        return [run for run in on_carts(panel) if run.config.defence not in ("none", "stopping")]

    def done() -> list[Run]:
        return [run for run in useful() if of(run).accuracy >= LEAST_RIGHT and (of(run).gain or -1) >= LEAST_GAIN
                and of(run).caught.value <= FEW]  # fmt: skip

    def check() -> tuple[bool, str]:
        if done():
            run, s = done()[0], of(done()[0])
            promised = promise_words(run.result)
            promise = f" It promises {promised}; a large ε promises little." if promised else ""
            return True, (
                f"{defence_words(run.config)}: AUC {s.ratio.value:.2f} where early stopping has {s.matched:.2f}, at "
                f"{percent(s.accuracy)} right. So this is worth more than ending training sooner, by the attackers of "
                f"this page.{promise}"
            )
        if not on_carts(panel):
            return False, NO_RUN
        if not useful():
            return False, "You tried no defence yet but stopping early: choose another."
        return False, stopping_hint(useful())

    return task(
        "Task 2. Beat early stopping.",
        f"On shopping carts, find a defence and a strength whose AUC, by likelihood ratios, is at least {LEAST_GAIN} "
        f"below that of an undefended model stopped when it was as accurate, with at least {percent(LEAST_RIGHT)} "
        f"right and at most {percent(FEW)} of members caught at 1 % false alarms.",
        check,
        done,
    )


def stopping_hint(runs: list[Run]) -> str:
    last, s = runs[0], of(runs[0])
    said = f"{defence_words(last.config)}: {percent(s.accuracy)} right, likelihood ratios {s.ratio.value:.2f}"
    said += ". " if s.matched is None else f", early stopping {s.matched:.2f}. "
    if s.matched is None:
        return said + "It is more accurate than the undefended model ever was; make it stronger, to compare."
    if s.accuracy < LEAST_RIGHT:
        return said + "Too little is left to use: a little weaker."
    tried = {run.config.defence for run in runs}
    if s.gain >= LEAST_GAIN:
        return said + f"Better than stopping, but {percent(s.caught.value)} are caught at 1 %: stronger, or another."
    if tried == {"dap"}:
        return said + "Most of what DAP does is the epoch it keeps. Try a defence that changes each step."
    if "central" not in tried:
        return said + "Have you tried noise on gradients, with a clipping norm of 1 and steps of 0.01?"
    return said + "Try it stronger, or another one."


# ---- task 3
def task_canaries(panel: FoolingPanel) -> widgets.VBox:
    def planted() -> list[Run]:
        return [run for run in on_carts(panel) if run.config.canaries >= 10]

    def done() -> list[Run]:
        return [run for run in planted() if of(run).accuracy >= LEAST_USEFUL and worst(run) <= MOST_CAUGHT]

    def check() -> tuple[bool, str]:
        if done():
            run = done()[0]
            return True, (
                f"{defence_words(run.config)}: of the canaries nobody catches more than {percent(worst(run))} at 1 % "
                f"false alarms, at {percent(of(run).accuracy)} right. What protects the odd one out has to act on "
                "every single record."
            )
        if not on_carts(panel):
            return False, NO_RUN
        if not planted():
            return False, "Your runs planted fewer than ten canaries of either kind (More settings)."
        return False, canary_hint(planted())

    return task(
        "Task 3. Protect the odd one out.",
        f"On shopping carts, find a defence under which likelihood ratios catch at most {percent(MOST_CAUGHT)} of "
        f"either kind of canary at 1 % false alarms, with at least {percent(LEAST_USEFUL)} right.",
        check,
        done,
    )


def worst(run: Run) -> float:
    """Of either kind of canary, the larger share caught."""
    found = [ratio_of(run.result.rows, run.config.defence, kind, "tpr1") for kind in ("mislabelled", "atypical")]
    return max((row.value for row in found if row is not None), default=1.0)


def canary_hint(runs: list[Run]) -> str:
    last = runs[0]
    said = (
        f"{defence_words(last.config)}: {percent(of(last).accuracy)} right, {percent(worst(last))} of canaries caught. "
    )
    if of(last).accuracy < LEAST_USEFUL:
        return said + "Too little is left to use: a little weaker."
    tried = {run.config.defence for run in runs}
    if "central" in tried:
        strengths = sorted({run.config.z for run in runs if run.config.defence == "central"})
        return (
            said + f"With z = {', '.join(number_text(z) for z in strengths)} tried: more noise, or a smaller clipping."
        )
    if tried <= {"dap", "none"}:
        return said + "D never met such records; fooling it does not hide them. Try another family of defences."
    return said + "Averages move, the worst case stays. What bounds each record's share of a step?"
