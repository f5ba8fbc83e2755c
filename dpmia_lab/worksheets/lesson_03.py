"""Worksheet of lesson 3: hiding a class, not a record."""

import numpy as np

from dpmia_lab.seeds import numpy_generator
from dpmia_lab.worksheets.questions import Code, Free, Number, Prediction, Run, Sheet, Trial

SIZE = {"people": 20, "pictures": 10, "height": 20, "steps": 60, "longest": 100}
HALF = Run("hiding", {**SIZE, "accuracy": 0.5}, ("accuracy", "sigma", "epsilon_tight", "similarity"))
LESS = HALF.changed(accuracy=0.3)


def class_sums(gradients: np.ndarray, y: np.ndarray, classes: int, clip: float) -> np.ndarray:
    sums = np.stack([gradients[y == one].sum(0) for one in range(classes)])
    return sums * np.minimum(1, clip / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12))


def unit_trials() -> list[Trial]:
    rng = numpy_generator(1, "worksheet", 3)
    gradients, y = rng.normal(size=(40, 6)), rng.integers(0, 5, 40)
    small = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]])
    empty = np.where(y == 2, 3, y)
    return [
        Trial(
            "short sums stay as they are",
            (small, np.array([0, 1, 0]), 2, 100.0),
            lambda out: np.allclose(out, [[4, 0], [0, 2]]),
        ),
        Trial(
            "no class counts for more than the clipping norm",
            (gradients, y, 5, 0.5),
            lambda out: out.shape == (5, 6) and (np.linalg.norm(out, axis=1) <= 0.5 + 1e-9).all(),
        ),
        Trial(
            "what is clipped is the class's sum, not each record",
            (gradients, y, 5, 2.0),
            lambda out: np.allclose(out, class_sums(gradients, y, 5, 2.0)),
        ),
        Trial(
            "a class without records counts nothing",
            (gradients, empty, 5, 2.0),
            lambda out: np.allclose(out, class_sums(gradients, empty, 5, 2.0)),
        ),
    ]


SHEET = Sheet(
    lesson=3,
    slug="hiding_a_class",
    title="Hiding a class, not a record",
    aim="You compare a model that hides each record with one that hides each person, at the same accuracy and under "
    "two attackers, and write what makes the difference: the unit that is clipped.",
    parts=(
        Prediction(
            "Predict",
            "One private model hides each *picture* of twenty people, another hides each *person*. Both are brought "
            "to the same accuracy. From which of them will an attacker who smooths and blurs draw the better faces?",
            {
                "a": "clearly from the one that hides pictures",
                "b": "clearly from the one that hides people",
                "c": "no great difference",
            },
        ),
        HALF,
        Number(
            "As published",
            "The mean correlation between the people's typical pictures and what paper A's attacker draws from the "
            "model that hides records (`record_paper`). Pure noise has about 0.",
            HALF,
            "similarity_mean_record_paper",
            span=(-1.0, 1.0),
        ),
        Number(
            "A stronger attacker",
            "The same model under the attacker who expects smooth pictures and blurs (`record_stronger`). Another "
            "person's face would have the number that is printed for `other_class`.",
            HALF,
            "similarity_mean_record_stronger",
            span=(-1.0, 1.0),
        ),
        Number(
            "Pay more accuracy",
            "Run it again with `accuracy=0.3`, everything else as before. What does the stronger attacker now reach "
            "against the model that hides people (`unit_stronger`)? Pure noise has about 0.",
            LESS,
            "similarity_mean_unit_stronger",
            span=(-1.0, 1.0),
        ),
        Code(
            "Change the unit",
            "Each row of `gradients` is one picture's, `y` says whose. For a promise to whole classes, add the "
            "gradients up class by class, then shorten each class's sum that is longer than `clip` to that length. "
            "Noise would be added to the sum of these rows.",
            "def unit_gradients(gradients, y, classes, clip):\n"
            '    """(n, d), (n,) and two numbers to (classes, d)."""\n    ...',
            unit_trials,
            points=4,
        ),
        Free(
            "What it means",
            "(1) A clinic has many pictures of each patient and promises ε = 2 “for a record”. What does a patient "
            "have of that? (2) Two models were compared by *one* attacker and the second looked safer. Which "
            "controls does lesson 3 ask for before you believe it? Use one of your numbers.",
            (
                (1, "a promise for one picture is not one for the patient, who has many"),
                (
                    1,
                    "a control is named: the same noise a step, equal accuracy, a stronger attacker, or a chance level",
                ),
                (1, "an own number shows what that control changes"),
            ),
        ),
    ),
)
