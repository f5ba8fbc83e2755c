"""Worksheet of lesson 2: what ε buys."""

import numpy as np

from dpmia_lab.seeds import numpy_generator
from dpmia_lab.worksheets.questions import Code, Draws, Free, Number, Prediction, Run, Sheet, Trial

LITTLE = Run("private_training", {"data": "digits", "sigma": 1.0, "q": 0.1, "steps": 100}, ("t", "epsilon", "delta"))
MUCH = LITTLE.changed(sigma=4.0)


def clipped_sum(gradients: np.ndarray, clip: float) -> np.ndarray:
    norms = np.linalg.norm(gradients, axis=1, keepdims=True)
    return (gradients * np.minimum(1, clip / np.maximum(norms, 1e-12))).sum(0)


def noise_trials() -> list[Trial]:
    rng = numpy_generator(1, "worksheet", 2)
    short, mixed = 0.01 * rng.normal(size=(4, 3)), rng.normal(size=(30, 8)) * rng.uniform(0.05, 3, (30, 1))
    nothing, many = np.zeros((3, 5)), np.zeros((2, 20_000))
    return [
        Trial(
            "without noise, gradients shorter than the clipping norm are simply added",
            (short, 1.0, 0.0, Draws(1)),
            lambda out: np.allclose(out, short.sum(0)),
        ),
        Trial(
            "without noise, each longer gradient counts with the clipping norm, each by itself",
            (mixed, 0.7, 0.0, Draws(2)),
            lambda out: np.allclose(out, clipped_sum(mixed, 0.7)),
        ),
        Trial(
            "gradients of length 0 are no trouble",
            (nothing, 1.0, 0.0, Draws(3)),
            lambda out: np.array_equal(out, np.zeros(5)),
        ),
        Trial(
            "the noise of every number has standard deviation σ times the clipping norm, and mean 0",
            (many, 0.5, 4.0, Draws(4)),
            lambda out: abs(out.std() - 2) < 0.06 and abs(out.mean()) < 0.08,
        ),
        Trial(
            "the noise does not grow with the number of records",
            (np.zeros((100, 20_000)), 2.0, 1.0, Draws(5)),
            lambda out: out.shape == (20_000,) and abs(out.std() - 2) < 0.06,
        ),
    ]


SHEET = Sheet(
    lesson=2,
    slug="what_epsilon_buys",
    title="What does ε buy?",
    aim="You train under differential privacy with little and with much noise, read what was promised and what it "
    "cost, and write the step that everything rests on.",
    parts=(
        Prediction(
            "Predict",
            "A softmax regression learns ten digits in 100 private steps, and without noise it is right about 93 "
            "times in 100 (chance: 10). With four times the usual noise (σ from 1 to 4), how many points of accuracy "
            "are lost?",
            {"a": "fewer than 2", "b": "2 to 10", "c": "10 to 30", "d": "more than 30"},
        ),
        LITTLE,
        Number(
            "Little noise",
            "The accuracy of your model on test digits at σ = 1 (`test_accuracy`). Chance is 0.1.",
            LITTLE,
            "test_accuracy",
        ),
        Number(
            "Much noise",
            "Run it again with `sigma=4.0` and everything else as before: its accuracy on test digits. Chance is 0.1.",
            MUCH,
            "test_accuracy",
        ),
        Number(
            "What was promised",
            "The ε of one record at σ = 4, by the tight accountant (`epsilon_tight`); the δ beside it is printed too. "
            "This one is the same for everybody: say to yourself why.",
            MUCH,
            "epsilon_tight",
            span=(0.0, 1000.0),
            seedless=True,
        ),
        Code(
            "Clip and add noise",
            "Each row of `gradients` is one record's. Shorten each row that is longer than `clip` to that length, "
            "add the rows up, and add Gaussian noise of standard deviation `sigma * clip` to every number, from "
            "`rng`.",
            "def noisy_sum(gradients, clip, sigma, rng):\n"
            '    """(n, d), two numbers and a NumPy generator to (d,)."""\n    ...',
            noise_trials,
            points=4,
        ),
        Free(
            "What it means",
            "(1) Say in one sentence of plain words what ε = 1 promises to a person with *one* record in the training "
            "set. (2) The person has eight pictures in it. What becomes of the promise? (3) Name one harm that no ε "
            "prevents.",
            (
                (
                    1,
                    "what anybody can conclude changes little, whether that record is in or not, whatever else is "
                    "known",
                ),
                (1, "the promise is for one record; for eight it is far weaker (ε grows at least eightfold here)"),
                (1, "such as: what is true of a whole group is learnt all the same; or data stolen before training"),
            ),
        ),
    ),
)
