"""Worksheet of lesson 7: what a dose says about your genes."""

import numpy as np

from dpmia_lab.seeds import numpy_generator
from dpmia_lab.worksheets.questions import Code, Free, Number, Prediction, Run, Sheet, Trial

OPEN = Run("attributes", {"people": 800, "splits": 5}, ("test_off", "attack_accuracy"))
MID = OPEN.changed(defence="mid", lam=1.1)


def guesses(answers: np.ndarray, outcome: np.ndarray, prior: np.ndarray, spread: float) -> np.ndarray:
    """By Bayes's rule, written out."""
    likely = np.exp(-0.5 * ((outcome[:, None] - answers) / spread) ** 2)
    return (likely * prior).argmax(1)


def guess_trials() -> list[Trial]:
    rng = numpy_generator(1, "worksheet", 7)
    answers, outcome, prior = rng.normal(30, 8, (200, 3)), rng.normal(30, 10, 200), np.array([0.6, 0.3, 0.1])
    two = np.array([[20.0, 40.0], [20.0, 40.0]])
    trials = [
        Trial(
            "with equal priors the value whose answer is nearest to the true dose",
            (two, np.array([21.0, 37.0]), np.array([0.5, 0.5]), 5.0),
            lambda out: np.array_equal(out, [0, 1]),
        ),
        Trial(
            "a strong prior wins where the answers are equally near",
            (two, np.array([30.0, 30.0]), np.array([0.1, 0.9]), 5.0),
            lambda out: np.array_equal(out, [1, 1]),
        ),
    ]
    for spread in (2.0, 10.0, 50.0):
        wanted = guesses(answers, outcome, prior, spread)
        words = f"200 patients at a spread of {spread:g}"
        held = (answers, outcome, prior, spread)
        trials.append(Trial(words, held, lambda out, wanted=wanted: np.array_equal(out, wanted)))
    return trials


SHEET = Sheet(
    lesson=7,
    slug="what_a_dose_says",
    title="What does a dose say about your genes?",
    aim="You measure how often a patient's gene is guessed with and without a published model, switch on a defence, "
    "and write the attack of 2014.",
    parts=(
        Prediction(
            "Predict",
            "A published model tells the dose of a medicine from a patient's attributes, one gene among them. One "
            "attacker uses the model, another has none and learns from public patients how gene, attributes and dose "
            "go together. Both know everything about a patient but the gene, the true dose too. Who guesses the gene "
            "more often?",
            {"a": "the one with the model, clearly", "b": "the one without, clearly", "c": "about the same"},
        ),
        OPEN,
        Number(
            "With the model",
            "The share of test patients whose gene (one of three kinds) paper B's attacker guesses rightly with the "
            "model (`map`). Naming the commonest kind for everybody gives what is printed for `prior`.",
            OPEN,
            "attack_accuracy_map",
        ),
        Number(
            "Without any model",
            "The share that is guessed without the model, from public patients, the other attributes and the dose "
            "(`imputation_outcome`). Naming the commonest kind gives what is printed for `prior`.",
            OPEN,
            "attack_accuracy_imputation_outcome",
        ),
        Number(
            "With paper B's defence",
            "Run it again with `defence='mid'` and `lam=1.1`, everything else as before. How often is the attacker "
            "with the model (`map`) right now? Compare `calibrated`, who first learns how far the defence has shrunk "
            "the answers.",
            MID,
            "attack_accuracy_map",
        ),
        Code(
            "Write the attack",
            "`answers` has, for each patient, the dose the model would tell were the gene of kind 0, 1, 2, …; "
            "`outcome` the true doses; `prior` how common each kind is; true doses lie about the model's answers "
            "like a Gaussian of standard deviation `spread`. Name the likeliest kind for each patient.",
            "def likeliest(answers, outcome, prior, spread):\n"
            '    """(n, kinds), (n,), (kinds,) and a number to (n,) whole numbers."""\n    ...',
            guess_trials,
            public=1,
            points=4,
        ),
        Free(
            "What it means",
            "(1) Has the *model* leaked the gene of these patients? Argue from your two first numbers. (2) The "
            "patients tested were not in the training set. Would differential privacy have protected them? Who "
            "should decide whether such a model may be published?",
            (
                (1, "the guess without the model is as good or better: what is told is the association, not the model"),
                (1, "no: it bounds what is learnt from one's own record, not what is true of everybody"),
                (1, "a reasoned view on who decides (patients, an ethics board, the law on genetic data)"),
            ),
        ),
    ),
)
