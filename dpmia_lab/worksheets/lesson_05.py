"""Worksheet of lesson 5: noise on the data or on the gradients."""

import numpy as np

from dpmia_lab.seeds import numpy_generator
from dpmia_lab.worksheets.questions import Code, Draws, Free, Number, Prediction, Run, Sheet, Trial

PLAIN = {"records": 300, "classes": 10, "epochs": 20, "inside": 0, "shadows": 0, "white_box": False}
LOCAL = Run("membership", {**PLAIN, "defence": "local", "epsilon_i": 2.0}, ("test", "auc", "epsilon_i", "epsilon_rec"))
CENTRAL = Run("membership", {**PLAIN, "defence": "central", "z": 2.0, "rate": 0.01}, ("test", "auc", "epsilon_tight"))


def kept(epsilon: float) -> float:
    """The chance that a bit is told as it is."""
    return float(np.exp(epsilon) / (1 + np.exp(epsilon)))


def response_trials() -> list[Trial]:
    ones, zeros = np.ones(40_000, dtype=int), np.zeros(40_000, dtype=int)
    return [
        Trial(
            "only 0 and 1 come out", (ones[:50], 1.0, Draws(1)), lambda out: out.shape == (50,) and set(out) <= {0, 1}
        ),
        Trial(
            "ones stay ones as often as ε = 1 allows",
            (ones, 1.0, Draws(2)),
            lambda out: abs(out.mean() - kept(1)) < 0.01,
        ),
        Trial("zeros become ones as often", (zeros, 1.0, Draws(3)), lambda out: abs(out.mean() - 1 + kept(1)) < 0.01),
        Trial("at ε = 0 an answer says nothing", (ones, 0.0, Draws(4)), lambda out: abs(out.mean() - 0.5) < 0.01),
        Trial("at ε = 4 nearly all is kept", (ones, 4.0, Draws(5)), lambda out: abs(out.mean() - kept(4)) < 0.005),
    ]


def share_trials() -> list[Trial]:
    rng = numpy_generator(1, "worksheet", 5)
    trials = []
    for epsilon, share in ((3.0, 0.2), (1.0, 0.7), (0.5, 0.05)):
        bits = rng.random(200_000) < share
        told = np.where(rng.random(200_000) < kept(epsilon), bits, ~bits).astype(int)
        words = f"from answers at ε = {epsilon:g} it finds that {share:.0%} are ones"
        trials.append(Trial(words, (told, epsilon), lambda out, share=share: abs(out - share) < 0.02))
    return trials


SHEET = Sheet(
    lesson=5,
    slug="local_or_central",
    title="Noise on the data or on the gradients?",
    aim="You measure what noise on every customer's own cart and noise inside the training cost and hide, and write "
    "the oldest of these mechanisms yourself.",
    parts=(
        Prediction(
            "Predict",
            "Every customer flips the bits of their own cart at random, so that each single bit has ε = 2, before "
            "anybody sees it. A cart has 600 bits. What ε does a whole cart have?",
            {"a": "2", "b": "about 50", "c": "1,200", "d": "it cannot be told"},
        ),
        LOCAL,
        Number(
            "What is left to learn",
            "The accuracy of the model trained on these noisy carts, on test carts (`test_accuracy`). Chance is 0.1.",
            LOCAL,
            "test_accuracy",
        ),
        Number(
            "Who was in, under local noise",
            "The area under the ROC curve of the attacker who looks at the loss (`loss`). Chance is 0.5.",
            LOCAL,
            "auc_loss",
        ),
        Number(
            "Who was in, under central noise",
            "Now leave the carts as they are and put the noise on the gradients: run it with `defence='central'`, "
            "`z=2.0` and `rate=0.01` (and without `epsilon_i`). What is the area under the ROC curve of the attacker "
            "who looks at the loss? Chance is 0.5.",
            CENTRAL,
            "auc_loss",
        ),
        Code(
            "Randomised response",
            "Tell each bit as it is with chance $e^\\varepsilon/(1+e^\\varepsilon)$, else the other one, each bit by "
            "itself.",
            "def randomised(bits, epsilon, rng):\n"
            '    """(n,) zeros and ones, ε of a bit and a NumPy generator to (n,) zeros and ones."""\n    ...',
            response_trials,
        ),
        Code(
            "Undo it for a crowd",
            "No single answer can be believed, and yet the share of ones among all the *true* bits can be told from "
            "the answers, without bias. Tell it.",
            'def true_share(answers, epsilon):\n    """(n,) answers and ε of a bit to one number."""\n    ...',
            share_trials,
        ),
        Free(
            "What it means",
            "Whom must a customer trust under local noise, and whom under central noise? Why may the two ε not be "
            "compared as numbers, and what did you compare instead? Use your numbers.",
            (
                (1, "local: nobody but oneself; central: whoever holds the data and trains"),
                (1, "they promise for different things: a bit or whole record before release, a record in the model"),
                (1, "compared by what one attacker finds and what accuracy is left, with own numbers"),
            ),
        ),
    ),
)
