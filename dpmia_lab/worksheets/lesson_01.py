"""Worksheet of lesson 1: faces drawn from a model that only knows names."""

import numpy as np

from dpmia_lab.seeds import numpy_generator
from dpmia_lab.worksheets.questions import Code, Free, Number, Prediction, Run, Sheet, Trial

FACES = Run(
    "inversion", {"people": 10, "pictures": 8, "height": 28, "steps": 100}, ("test", "similarity", "recognised")
)
PLAIN = FACES.changed(attack="original", prior="none", lam=0.0, box=False, rate=0.3, steps=300)


def cost(x: np.ndarray, weights: np.ndarray, bias: np.ndarray, label: int) -> float:
    """1 − the model's confidence in the label (paper E)."""
    logits = weights @ x + bias
    shares = np.exp(logits - logits.max())
    return 1 - shares[label] / shares.sum()


def slope(x: np.ndarray, *model) -> np.ndarray:
    """The gradient by small differences: slow and obvious."""
    h = 1e-5
    return np.array([(cost(x + h * e, *model) - cost(x - h * e, *model)) / (2 * h) for e in np.eye(len(x))])


def step_trials() -> list[Trial]:
    rng = numpy_generator(1, "worksheet", 1)
    weights, bias, x = rng.normal(size=(5, 12)), rng.normal(size=5), rng.random(12)
    trials = [
        Trial("a step of size 0 changes nothing", (x, weights, bias, 2, 0.0), lambda new: np.allclose(new, x)),
        Trial(
            "a small step makes the model surer of the label",
            (x, weights, bias, 3, 0.05),
            lambda new: new.shape == x.shape and cost(new, weights, bias, 3) < cost(x, weights, bias, 3),
        ),
    ]
    for label, rate in ((0, 0.3), (4, 1.0)):
        wanted = x - rate * slope(x, weights, bias, label)
        trials.append(
            Trial(
                f"the step of size {rate:g} for label {label} is the gradient's",
                (x, weights, bias, label, rate),
                lambda new, wanted=wanted: np.allclose(new, wanted, atol=1e-6),
            )
        )
    return trials


SHEET = Sheet(
    lesson=1,
    slug="model_inversion",
    title="Can you draw a face from a model that only knows names?",
    aim="You let two attackers draw ten people out of a recogniser, compare what they draw with what nobody needs a "
    "model for, and write one step of the attack.",
    parts=(
        Prediction(
            "Predict",
            "A recogniser has learnt ten people from a few pictures each. An attacker has the model and a name, and no "
            "picture at all. How alike will the drawing and the person's typical picture be, as a correlation? 0 is "
            "nothing in common, 1 the same picture.",
            {"a": "below 0.2", "b": "0.2 to 0.5", "c": "0.5 to 0.8", "d": "above 0.8"},
        ),
        FACES,
        Number(
            "What the attacker drew",
            "The mean correlation between the enhanced attacker's drawings and the people's typical pictures "
            "(`similarity_mean`). Pure noise has about 0.",
            FACES,
            "similarity_mean",
        ),
        Number(
            "What nobody needs a model for",
            "All faces are somewhat alike. What is the mean correlation if each drawing were simply another person's "
            "face (`other_class`)? This is the level above which something was learnt from the model.",
            FACES,
            "similarity_mean_other_class",
        ),
        Number(
            "The attack of 2015",
            "Now the original attack, plain gradient descent. Run it again with `attack='original'`, `prior='none'`, "
            "`lam=0.0`, `box=False`, `rate=0.3` and `steps=300`, everything else as before. What is its mean "
            "correlation (`similarity_mean`)? Pure noise has about 0.",
            PLAIN,
            "similarity_mean",
            span=(-1.0, 1.0),
        ),
        Code(
            "Write one step",
            "The model is a softmax regression: its confidences are the softmax of `weights @ x + bias`. Take one step "
            "of gradient descent, of size `rate`, on the cost 1 − (confidence in `label`), and return the new picture.",
            "def step(x, weights, bias, label, rate):\n"
            '    """(pixels,), (classes, pixels), (classes,), a class and a size to a new (pixels,)."""\n    ...',
            step_trials,
            public=2,
            points=4,
        ),
        Free(
            "What it means",
            "(1) Somebody says: “the drawing correlates with the face, so the model has leaked a face.” What must be "
            "measured beside it before that follows? Use your numbers. (2) Who would be harmed by a recogniser that "
            "can be turned around like this, although no picture was ever published?",
            (
                (1, "a chance level is needed: noise, or another person's face"),
                (1, "the own numbers are compared with it"),
                (1, "somebody who is harmed, and how: named by a face, without having agreed to be shown"),
            ),
        ),
    ),
)
