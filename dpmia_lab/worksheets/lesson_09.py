"""Worksheet of lesson 9: fooling the attacker."""

import numpy as np

from dpmia_lab.attacks.membership.threshold import loss_scores
from dpmia_lab.metrics.membership import auc
from dpmia_lab.metrics.tradeoffs import aop
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.worksheets.questions import Code, Free, Number, Prediction, Run, Sheet, Trial

SIZE = {"records": 150, "classes": 10, "epochs": 12, "width": 32}
EFFORT = {"teachers": 2, "inside": 6, "unadapted": 6, "canaries": 6, "looks": 3}
MILD = Run("fooling", {**SIZE, **EFFORT, "r": 0.2}, ("train", "test", "auc_dap"))
STRONG = MILD.changed(r=1.0)


def leaking_answers(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Confidences (600, 5), labels and who was in: members' answers are surer, all labels are told rightly."""
    rng = numpy_generator(seed, "worksheet", 9)
    member, y = np.arange(600) < 300, rng.integers(0, 5, 600)
    logits = rng.normal(size=(600, 5))
    logits[np.arange(600), y] = logits.max(1) + rng.gamma(np.where(member, 4.0, 2.0))
    shares = np.exp(logits)
    return shares / shares.sum(1, keepdims=True), y, member


def defence_trials() -> list[Trial]:
    told, y, member = leaking_answers(1)
    more, more_y, more_member = leaking_answers(2)

    def safer(out, y, member) -> bool:
        return abs(auc(loss_scores(out, y), member) - 0.5) < 0.05

    return [
        Trial("answers stay confidences: from 0 to 1, rows that add up to 1", (told,), is_confidences),
        Trial("every record keeps its label", (told,), lambda out: np.array_equal(out.argmax(1), told.argmax(1))),
        Trial(
            "the loss attacker's area falls from above 0.7 to within 0.05 of chance",
            (told,),
            lambda o: safer(o, y, member),
        ),
        Trial("and so it does on other answers", (more,), lambda out: safer(out, more_y, more_member)),
    ]


def is_confidences(out: np.ndarray) -> bool:
    return out.shape == (600, 5) and (out >= 0).all() and (out <= 1).all() and np.allclose(out.sum(1), 1)


def epoch_trials() -> list[Trial]:
    rng = numpy_generator(3, "worksheet", 9)
    trials = []
    for weight in (0.0, 2.0, 10.0):
        accuracy, area = np.sort(rng.uniform(0.2, 0.9, 30)), np.sort(rng.uniform(0.45, 0.95, 30))
        best = int(aop(accuracy, area, weight).argmax())
        words = f"at λ = {weight:g} the epoch with the highest AOP"
        trials.append(Trial(words, (accuracy, area, weight), lambda out, best=best: out == best))
    below = (np.array([0.5, 0.6]), np.array([0.3, 0.5]), 5.0)
    return [*trials, Trial("an area below 0.5 is worth no more than 0.5", below, lambda out: out == 1)]


SHEET = Sheet(
    lesson=9,
    slug="fooling_the_attacker",
    title="Fooling the attacker",
    aim="You train a model to fool one attacker, let another one try, and write two defences: one of five lines for "
    "answers, and the choice of an epoch.",
    parts=(
        Prediction(
            "Predict",
            "A model is trained so that one attacker, a discriminator, cannot tell who was in. A random forest that "
            "has learnt from models with the same defence then tries the same. Chance is an area of 0.5. How do the "
            "two compare?",
            {"a": "both guess", "b": "the forest does clearly better", "c": "the discriminator does clearly better"},
        ),
        MILD,
        Number(
            "The attacker it knows",
            "The area under the ROC curve of the discriminator that the model was trained to fool (`own_d`). Chance "
            "is 0.5.",
            MILD,
            "auc_dap_own_d",
        ),
        Number(
            "One it does not know",
            "The area of the random forest (`forest`) against the same model. Chance is 0.5.",
            MILD,
            "auc_dap_forest",
        ),
        Number(
            "Fool it harder",
            "Run it again with `r=1.0`, five times the weight on fooling, everything else as before. What is the "
            "random forest's area now? Chance is 0.5.",
            STRONG,
            "auc_dap_forest",
        ),
        Code(
            "A defence of five lines",
            "Write a defence of *answers*: it gets a model's confidences and returns others. Every record keeps its "
            "label, and the attacker who looks at the loss must do no better than chance on records whose label is "
            "told rightly.",
            'def defend(confidences):\n    """(n, classes) to (n, classes)."""\n    ...',
            defence_trials,
            public=2,
            lines=5,
            points=4,
        ),
        Code(
            "Stop in time",
            "AOP is accuracy / (2·area)^λ, where an area below 0.5 counts as 0.5. Given both after every epoch, "
            "which epoch (from 0) is kept?",
            "def best_epoch(accuracy, area, weight):\n"
            '    """(epochs,), (epochs,) and λ to one whole number."""\n    ...',
            epoch_trials,
            public=1,
        ),
        Free(
            "What it means",
            "(1) Your own defence of q5 brings one attacker to chance. Name an attacker, with what this attacker "
            "needs, who might still find members. (2) “Our attack failed” is written under a new defence. Which "
            "three things do you ask for? Use one of your numbers.",
            (
                (
                    1,
                    "such as shadow models with the same defence, label-only questions about varied copies, or the "
                    "weights",
                ),
                (
                    1,
                    "three of: an adapted attacker, early stopping at equal accuracy, the worst protected people, a "
                    "promise",
                ),
                (1, "an own number shows that one attacker's failure says nothing of another"),
            ),
        ),
    ),
)
