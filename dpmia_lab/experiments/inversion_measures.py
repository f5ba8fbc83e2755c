"""Lesson 1's measures: of each drawing, and of pictures that owe nothing to the attack, how like a class they are."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.data import Dataset
from dpmia_lab.game.drawing import confidences_of, likeness, mean_rows, typical_pictures
from dpmia_lab.metrics import classification, reconstruction
from dpmia_lab.rows import PlainNames, Row, Rows
from dpmia_lab.stages import Progress, Stage, part
from dpmia_lab.store import Result

if TYPE_CHECKING:
    from torch import nn

MEASURES = ("distance_mean", "ssim_distance_mean", "similarity_mean", "recognised_share", "confidence_mean")
MEASURES += ("recognised_ssim_share",)
Found = dict[str, dict[str, np.ndarray]]  # by subject and measure, (classes,) each


def measured(
    data: Dataset, model: "nn.Module", judge: "nn.Module", subjects: dict[str, np.ndarray], only: str = ""
) -> Stage[Result]:
    """Every measure of every subject: a name and one picture a class.

    ``only``: an attack that plain names do not name, being the only one.
    """
    found = yield from all_measures(data, model, judge, subjects)
    return as_result(data, accuracies(data, model, judge), found, only)


def all_measures(
    data: Dataset, model: "nn.Module", judge: "nn.Module", subjects: dict[str, np.ndarray]
) -> Stage[Found]:
    found = {}
    for done, (name, x) in enumerate(subjects.items()):
        share = done / len(subjects), (done + 1) / len(subjects)
        found[name] = yield from part(measures(data, model, judge, x), *share)
    return found


def accuracies(data: Dataset, model: "nn.Module", judge: "nn.Module") -> dict[str, float]:
    return {
        "train_accuracy": classification.accuracy(confidences_of(model, data.train_x), data.train_y),
        "test_accuracy": classification.accuracy(confidences_of(model, data.test_x), data.test_y),
        "judge_accuracy": classification.accuracy(confidences_of(judge, data.train_x), data.train_y),
        "chance": 1 / data.classes,
    }


def as_result(data: Dataset, numbers: dict[str, float], found: Found, only: str = "") -> Result:
    names = PlainNames(silent=frozenset({"none", only}))
    arrays, rows = {"truth": typical_pictures(data), "names": np.array(data.class_names)}, []
    for name, own in found.items():
        arrays |= {names.of(Row(measure, 0.0, attack=name)): values for measure, values in own.items()}
        rows += mean_rows(own, defence="none", attack=name)
    return Result(numbers, arrays, Rows(tuple(rows), names))


def rows_of(numbers: dict[str, float], subjects: Sequence[str]) -> Rows:
    """The rows of a comparison whose plain names are known, such as a shipped one's."""
    return PlainNames(silent=frozenset({"none"})).read(numbers, MEASURES, ("none",), tuple(subjects))


def by_class(result: Result, measure: str) -> dict[str, np.ndarray]:
    """(classes,) of every attack and baseline, by its name; ``measure`` such as distance."""
    attacks = result.rows.all("attack")
    return {attack: result.arrays[result.rows.names.of(Row(measure, 0.0, attack=attack))] for attack in attacks}


def measures(data: Dataset, model: "nn.Module", judge: "nn.Module", x: np.ndarray) -> Stage[dict[str, np.ndarray]]:
    """(classes,) each: the likeness, the model's own confidence, and recognition by the most similar test picture."""
    labels = np.arange(data.classes)
    lookalike = yield from part(most_similar_labels(x, data.test_x, data.test_y), 0.0, 0.5)
    like = yield from part(likeness(data, judge, x), 0.5, 1.0)
    return {**like, "confidence": confidences_of(model, x)[labels, labels], "recognised_ssim": lookalike == labels}


def most_similar_labels(x: np.ndarray, others: np.ndarray, other_labels: np.ndarray) -> Stage[np.ndarray]:
    """(n,): the label of the most similar other picture, by SSIM (paper E, Table 5); some rows at a time."""
    labels = []
    for start in range(0, len(x), 10):
        labels.append(other_labels[reconstruction.ssim_values(x[start : start + 10], others).argmax(1)])
        yield Progress(start, len(x), "measuring")
    return np.concatenate(labels)
