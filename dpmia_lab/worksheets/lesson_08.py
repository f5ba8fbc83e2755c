"""Worksheet of lesson 8: confidences turned back into faces."""

import numpy as np

from dpmia_lab.seeds import numpy_generator
from dpmia_lab.worksheets.questions import Code, Free, Number, Prediction, Run, Sheet, Trial

SIZE = {"people": 10, "pictures": 20, "height": 20, "decoder_steps": 150, "gmi_steps": 50, "updates": 0}
OPEN = Run("confidences", SIZE, ("test", "chance", "correlation"))
MID = OPEN.changed(defence="mid", lam=0.1)


def tempered(confidences: np.ndarray, temperature: float) -> np.ndarray:
    logits = np.log(confidences) / temperature
    shares = np.exp(logits - logits.max(1, keepdims=True))
    return shares / shares.sum(1, keepdims=True)


def temperature_trials() -> list[Trial]:
    rng = numpy_generator(1, "worksheet", 8)
    told = rng.dirichlet([0.5] * 6, 100) * 0.999 + 0.001 / 6
    sure = np.array([[1 - 2e-9, 1e-9, 1e-9]])
    return [
        Trial("temperature 1 changes nothing", (told, 1.0), lambda out: np.allclose(out, told)),
        Trial(
            "a high temperature makes all classes alike", (told, 1e6), lambda out: np.allclose(out, 1 / 6, atol=1e-4)
        ),
        Trial(
            "rows add up to 1 and the label stays",
            (told, 3.0),
            lambda out: np.allclose(out.sum(1), 1) and np.array_equal(out.argmax(1), told.argmax(1)),
        ),
        Trial("it is the softmax of the logits over 3", (told, 3.0), lambda out: np.allclose(out, tempered(told, 3.0))),
        Trial("nearly sure answers too", (sure, 2.0), lambda out: np.allclose(out, tempered(sure, 2.0), atol=1e-8)),
    ]


def rounding_trials() -> list[Trial]:
    rng = numpy_generator(2, "worksheet", 8)
    told = rng.dirichlet([0.4] * 5, 200)
    close = np.array([[0.34, 0.33, 0.33], [0.33, 0.33, 0.34]])
    return [
        Trial(
            "every number is a multiple of the step",
            (told, 0.1),
            lambda out: out.shape == told.shape and np.allclose(out * 10, np.rint(out * 10)),
        ),
        Trial("to the nearest one", (told, 0.25), lambda out: (abs(out - told) <= 0.125 + 1e-9).all()),
        Trial(
            "what is equal to the eye is equal: no label shows through",
            (close, 0.1),
            lambda out: np.allclose(out, 0.3),
        ),
    ]


SHEET = Sheet(
    lesson=8,
    slug="turning_confidences_back",
    title="Turning confidences back into faces",
    aim="You measure what a decoder draws from a network's answers, from its label alone, and from defended answers "
    "that are asked for again; and you write two defences of answers.",
    parts=(
        Prediction(
            "Predict",
            "An attacker trains a decoder that turns a network's confidences about a picture back into the picture. "
            "How much of what is drawn comes from the *label* alone, which every classifier must tell?",
            {"a": "next to nothing", "b": "about half", "c": "most of it"},
        ),
        OPEN,
        Number(
            "From confidences",
            "The correlation between pictures and what the alignment attacker draws from the network's confidences "
            "about them, on test pictures (`correlation_alignment`). The average face has 0.",
            OPEN,
            "correlation_alignment",
            span=(-1.0, 1.0),
        ),
        Number(
            "From the label alone",
            "The same attacker, told nothing but the label (`alignment_label`). The average face has 0.",
            OPEN,
            "correlation_alignment_label",
            span=(-1.0, 1.0),
        ),
        Number(
            "Asked again and again",
            "Paper B's bottleneck draws noise for each answer. Run it again with `defence='mid'` and `lam=0.1`, "
            "everything else as before (it takes a little longer). What does the attacker reach who averages 20 "
            "answers about each picture (`alignment_averaged`)? The average face has 0.",
            MID,
            "correlation_alignment_averaged",
            span=(-1.0, 1.0),
        ),
        Code(
            "Temperature",
            "A defence of answers: divide the logits by `temperature` before the softmax. You have only the "
            "confidences; their logarithms are logits.",
            "def tempered(confidences, temperature):\n"
            '    """(n, classes), all above 0, and a number to (n, classes)."""\n    ...',
            temperature_trials,
            lines=5,
        ),
        Code(
            "Rounding",
            "Another one: tell every confidence only to the nearest multiple of `step`.",
            'def rounded(confidences, step):\n    """(n, classes) and a number to (n, classes)."""\n    ...',
            rounding_trials,
            lines=5,
            points=2,
        ),
        Free(
            "What it means",
            "(1) From your numbers: what did the confidences give away beyond the label? (2) Why does a defence that "
            "draws new noise for each answer fail against somebody who may ask again, and what could the owner do "
            "about that?",
            (
                (1, "the difference of the first two numbers is what confidences add to the label"),
                (1, "noise drawn anew averages out over many answers"),
                (
                    1,
                    "a remedy: the same noise for the same question, a limit on questions, or a budget that counts "
                    "them",
                ),
            ),
        ),
    ),
)
