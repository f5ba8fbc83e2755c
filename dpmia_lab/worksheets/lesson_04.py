"""Worksheet of lesson 4: who was in the training set?"""

import numpy as np

from dpmia_lab.metrics.membership import auc
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.worksheets.questions import Code, Free, Number, Prediction, Run, Sheet, Trial

SHADOWS = {"inside": 8, "shadows": 2, "white_box": False}
LONG = Run("membership", {"records": 300, "classes": 10, "epochs": 20, **SHADOWS}, ("train", "test", "auc", "tpr1"))
SHORT = LONG.changed(epochs=5)


def answers_of(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Confidences (n, 4) and labels (n,) of nobody."""
    rng = numpy_generator(seed, "worksheet", 4)
    return rng.dirichlet([0.6] * 4, n), rng.integers(0, 4, n)


def loss_trials() -> list[Trial]:
    two = np.array([[0.9, 0.1], [0.9, 0.1]])
    confidences, y = answers_of(200, 1)
    order = np.argsort(confidences[np.arange(200), y])
    sure = np.array([[1.0, 0.0], [0.5, 0.5]])
    return [
        Trial("whoever's label the model is surer of scores higher", (two, np.array([0, 1])), lambda s: s[0] > s[1]),
        Trial(
            "on 200 answers the scores rise with the confidence in the record's own label",
            (confidences, y),
            lambda s: s.shape == (200,) and (np.diff(s[order]) >= 0).all() and s[order[-1]] > s[order[0]],
        ),
        Trial(
            "a confidence of exactly 0 or 1 gives a number that can be compared",
            (sure, np.array([1, 1])),
            lambda s: not np.isnan(s).any() and s[1] > s[0],
        ),
    ]


def auc_trials() -> list[Trial]:
    rng = numpy_generator(2, "worksheet", 4)
    scores, member = rng.normal(size=151), rng.random(151) < 0.4
    whole, some = np.round(scores), np.array([1.0, 2.0, 3.0, 4.0])
    last = np.array([False, False, True, True])
    return [
        Trial("it is 1 where every member scores above every outsider", (some, last), lambda a: np.isclose(a, 1)),
        Trial("it is 0 where every member scores below", (-some, last), lambda a: np.isclose(a, 0)),
        Trial("it is 0.5 where all scores are equal", (np.ones(4), last), lambda a: np.isclose(a, 0.5)),
        Trial("it counts 151 records rightly", (scores, member), lambda a: np.isclose(a, auc(scores, member))),
        Trial("ties count half among 151 records", (whole, member), lambda a: np.isclose(a, auc(whole, member))),
    ]


SHEET = Sheet(
    lesson=4,
    slug="were_you_in",
    title="Were you in the training set?",
    aim="You measure how well three attackers tell who a model was trained on, write the plainest of them yourself, "
    "and judge what its success would mean for a person.",
    parts=(
        Prediction(
            "Predict",
            "A model learns ten kinds of customers from the carts of about 300 of them, and sees each cart 20 times. "
            "An attacker looks at the model's loss about a customer: who is low is called a member. The area under "
            "the attacker's ROC curve is 0.5 by chance and 1 for somebody who is never wrong. What will it be?",
            {"a": "below 0.6", "b": "0.6 to 0.75", "c": "0.75 to 0.9", "d": "above 0.9"},
        ),
        LONG,
        Number(
            "The plainest attacker",
            "The area under the ROC curve of the attacker who knows nothing but the loss of your model (`loss`). "
            "Chance is 0.5.",
            LONG,
            "auc_loss",
        ),
        Number(
            "Few false alarms",
            "The attacker with likelihood ratios and one variance for all (`lira_fixed`) trains 8 models on random "
            "halves of the candidates. What share of the members does this attacker catch while accusing at most one "
            "outsider in a hundred? Who guesses catches 0.01.",
            LONG,
            "tpr1_lira_fixed",
        ),
        Number(
            "Stop earlier",
            "Run it again with `epochs=5` and everything else as before. What is the area under the ROC curve of the "
            "attacker who looks at the loss (`loss`) now? Chance is 0.5.",
            SHORT,
            "auc_loss",
        ),
        Code(
            "Write the attack",
            "Give every record a score from what the model says about it: the higher, the likelier a member. "
            "`confidences` has a row for each record and a column for each class, `y` the records' own labels.",
            'def loss_scores(confidences, y):\n    """(n, classes) and (n,) to scores (n,)."""\n    ...',
            loss_trials,
        ),
        Code(
            "Judge it",
            "The area under the ROC curve is the chance that a random member scores above a random outsider; a tie "
            "counts half. Count the pairs.",
            'def area(scores, member):\n    """(n,) numbers and (n,) true or false to one number."""\n    ...',
            auc_trials,
        ),
        Free(
            "What it means",
            "(1) Name a training set in which merely *having been in it* is the secret, and say who is harmed when it "
            "comes out. (2) A company writes: “our loss attack has an area of 0.51, so nobody can find out who was in "
            "our training set.” Say what is wrong with that, with one of your numbers.",
            (
                (1, "a set whose membership itself tells something (an illness, a debt, a party), and who is harmed"),
                (1, "a failed attack speaks of that attacker alone: a stronger one may succeed"),
                (1, "an own number is used: the same model, a stronger attacker or few false alarms"),
            ),
        ),
    ),
)
