"""Worksheet of lesson 10: choosing a defence."""

import numpy as np

from dpmia_lab.metrics.front import on_front
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.worksheets.questions import Code, Free, Number, Prediction, Run, Sheet, Trial

SIZE = {"records": 150, "classes": 6, "epochs": 15, "width": 32}
EFFORT = {"shadows": 6, "canaries": 6, "queries": 2, "targets": 1}
OPEN = Run("comparing", {**SIZE, **EFFORT}, ("accuracy", "auc_rmia", "auc_loss", "epsilon"))
PRIVATE = OPEN.changed(defence="central", z=1.0)


def front_trials() -> list[Trial]:
    rng = numpy_generator(1, "worksheet", 10)
    accuracy, leak = rng.random(60), rng.random(60)
    tied, equal = np.round(accuracy, 1), np.round(leak, 1)
    three = (np.array([0.9, 0.8, 0.7]), np.array([0.9, 0.6, 0.7]))
    return [
        Trial("who is beaten in both is not on it", three, lambda out: np.array_equal(out, [True, True, False])),
        Trial("sixty defences", (accuracy, leak), lambda out: np.array_equal(out, on_front(accuracy, leak))),
        Trial("sixty with ties", (tied, equal), lambda out: np.array_equal(out, on_front(tied, equal))),
        Trial(
            "two that are equal in both are on it together",
            (np.array([0.5, 0.5]), np.array([0.6, 0.6])),
            lambda out: np.array_equal(out, [True, True]),
        ),
    ]


def worst_trials() -> list[Trial]:
    rng = numpy_generator(2, "worksheet", 10)
    areas = rng.uniform(0.2, 0.95, (7, 5))
    wanted = np.maximum(areas, 1 - areas).max(1)
    return [
        Trial("the strongest attack counts", (np.array([[0.6, 0.9]]),), lambda out: np.allclose(out, [0.9])),
        Trial(
            "an area of 0.2 tells as much as one of 0.8: turn the verdict round",
            (np.array([[0.2, 0.6]]),),
            lambda out: np.allclose(out, [0.8]),
        ),
        Trial("seven defences under five attacks", (areas,), lambda out: np.allclose(out, wanted)),
    ]


SHEET = Sheet(
    lesson=10,
    slug="choosing_a_defence",
    title="Choosing a defence",
    aim="You put one model without a defence and one with a promise under the same attackers, write the rule by "
    "which many are compared, and decide for somebody.",
    parts=(
        Prediction(
            "Predict",
            "Ten defences are compared by how useful the model stays and by the attack that is worst for each. One "
            "of them comes with a promise (differential privacy), others with none. Among those that keep nearly all "
            "accuracy, who leaks least to the *strongest* attacker?",
            {"a": "the one with the promise", "b": "one without", "c": "they cannot be told apart without measuring"},
        ),
        OPEN,
        Number(
            "Useful",
            "The accuracy without a defence on test carts, over the six models (`accuracy_test`). Chance is 0.17.",
            OPEN,
            "accuracy_test",
        ),
        Number(
            "And leaking",
            "The area under the ROC curve of the attacker who compares each record with others (`rmia`), every model "
            "the target in its turn (`turns`). Chance is 0.5.",
            OPEN,
            "auc_rmia_turns",
        ),
        Number(
            "With a promise",
            "Run it again with `defence='central'` and `z=1.0`, everything else as before. What is the same "
            "attacker's area now? Chance is 0.5; look at the accuracy too.",
            PRIVATE,
            "auc_rmia_turns",
        ),
        Code(
            "The worst counts",
            "Each row of `areas` has the areas of several attacks on one defence. Say for each defence how far the "
            "strongest of them gets. An attack that is reliably wrong (an area below 0.5) is as good as its opposite.",
            'def worst(areas):\n    """(defences, attacks) to (defences,)."""\n    ...',
            worst_trials,
            points=2,
        ),
        Code(
            "The front",
            "A defence is on the Pareto front if no other one is at least as accurate *and* leaks no more, and is "
            "better in one of the two. Say of each whether it is.",
            'def front(accuracy, leak):\n    """(n,) and (n,) to (n,) true or false."""\n    ...',
            front_trials,
        ),
        Free(
            "Decide",
            "A hospital wants to share a model of rare illnesses. Recommend a defence to its board in at most eight "
            "sentences: what it costs, what is promised and what is merely not yet broken, whom it protects worst, "
            "and what you have not tried. Use your numbers.",
            (
                (1, "a choice, and its cost in accuracy"),
                (1, "a promise is told from what is only not yet broken"),
                (1, "those who are unlike all others are named: averages hide them"),
                (1, "what was not tried, or what the numbers cannot say (small runs, one data set)"),
            ),
        ),
    ),
)
