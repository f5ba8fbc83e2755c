"""Worksheet of lesson 6: choosing ε by being attacked."""

import numpy as np

from dpmia_lab.metrics.intervals import clopper_pearson
from dpmia_lab.worksheets.questions import Code, Free, Number, Prediction, Run, Sheet, Trial

SIZE = {"people": 20, "pictures": 10, "height": 24, "smooth": 1.0}
EFFORT = {"models": 6, "others": 2, "attack_steps": 300, "ssim_models": 1}
LOOSE = Run("evaluation", {**SIZE, **EFFORT, "epsilon": 8.0}, ("chance", "test", "impact_mean", "noise_impact_mean"))
STRICT = LOOSE.changed(epsilon=2.0)


def interval_trials() -> list[Trial]:
    cases = [(87, 100), (0, 20), (20, 20), (3, 7), (50, 1000)]
    wanted = [[float(end) for end in clopper_pearson(*case)] for case in cases]
    return [
        Trial(
            f"for {hits} of {n} it is {low:.3f} to {high:.3f}",
            (hits, n),
            lambda out, low=low, high=high: np.allclose(out, (low, high), atol=1e-4),
        )
        for (hits, n), (low, high) in zip(cases, wanted, strict=True)
    ]


def chance_trials() -> list[Trial]:
    cases = {(0.05, 1): 0.05, (0.05, 20): 1 - 0.95**20, (0.025, 40): 1 - 0.975**40, (0.0, 9): 0.0}
    return [
        Trial(
            f"{people} people, each right with chance {share:g}",
            (share, people),
            lambda out, w=wanted: np.isclose(out, w),
        )
        for (share, people), wanted in cases.items()
    ]


SHEET = Sheet(
    lesson=6,
    slug="choosing_epsilon",
    title="Choosing ε by being attacked",
    aim="You measure how many of twenty people are recognised in drawings from private models, by two judges, and "
    "compute what such a number needs beside it: its chance level and its interval.",
    parts=(
        Prediction(
            "Predict",
            "Private models (ε = 8) of twenty people are inverted. A network that has never seen the training "
            "pictures names the drawings; so does a plain comparison with each person's average face. Chance is 1 in "
            "20. Who recognises more?",
            {"a": "the network, clearly", "b": "the comparison, clearly", "c": "about the same"},
        ),
        LOOSE,
        Number(
            "The network's verdict",
            "The mean share of people whom the network recognises in the original attack's drawings (`impact_mean`). "
            "Chance is 0.05.",
            LOOSE,
            "impact_mean",
        ),
        Number(
            "The comparison's verdict",
            "The same drawings, judged by the matched filter, which compares with each person's average "
            "(`impact_mean_matched`). Chance is 0.05.",
            LOOSE,
            "impact_mean_matched",
        ),
        Number(
            "A stricter promise",
            "Run it again with `epsilon=2.0` and everything else as before. What share does the matched filter "
            "recognise now? Chance is 0.05.",
            STRICT,
            "impact_mean_matched",
        ),
        Code(
            "At least one",
            "Paper E calls a model broken when at least one drawing is recognised. If each of `people` drawings is "
            "named rightly by chance alone, with chance `share` each and each by itself: how likely is that?",
            'def at_least_one(share, people):\n    """Two numbers to one."""\n    ...',
            chance_trials,
            points=2,
        ),
        Code(
            "How far to trust it",
            "`hits` of `n` drawings were recognised. Give the ends of the exact interval of 95% (Clopper and "
            "Pearson), 2.5% to each side: the shares for which at least, and at most, so many hits have a chance of "
            "2.5%. `scipy.special.betaincinv` knows the beta distribution; halving an interval again and again does "
            "it too.",
            'def interval(hits, n):\n    """Two whole numbers to (low, high)."""\n    ...',
            interval_trials,
        ),
        Free(
            "What it means",
            "(1) Paper E's count of broken models would be high even for models that know nothing. Say why, with "
            "your function of q5 and 20 people. (2) One judge recognises far fewer people than the other. Which of "
            "the two numbers belongs in a risk report, and why?",
            (
                (1, "with 20 people one is named by chance in about 64% of models, so the count needs that beside it"),
                (1, "the stronger judge's: what a weak judge cannot see is not hidden"),
                (1, "own numbers are used, with their chance level"),
            ),
        ),
    ),
)
