"""Lesson 8's update leaks: a network is updated on one picture, and its answers about probe pictures change."""

from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.game.network_answers import Answers
from dpmia_lab.game.records import Records
from dpmia_lab.metrics.intervals import share_estimate
from dpmia_lab.rows import Row
from dpmia_lab.stages import Stage, part

if TYPE_CHECKING:
    import torch

RATE = 0.01  # of an update
CLASSIFIER_EPOCHS = 30
Changes = tuple[np.ndarray, np.ndarray]  # of shadow updates and of those attacked, (updates, d) each


def update_changes(
    answers: Answers,
    own: Records,
    new: Records,
    probes: np.ndarray,
    generator: "torch.Generator",
) -> Stage[Changes]:
    """``own``: what the attacker updates on;  ``new``: what the network is updated on, each record by itself."""
    import torch

    from dpmia_lab.attacks.confidences.update_leaks import (
        Update,
        answers_after,
        answers_before,
        changes,
        comparable,
    )

    device = next(answers.model.parameters()).device
    update = Update(RATE, *answers.defence.update_noise())
    asked = torch.from_numpy(probes).to(device)

    def told(confidences: "torch.Tensor") -> "torch.Tensor":
        rows = answers.defence.told(confidences.flatten(0, -2).cpu().numpy(), answers.rng)
        return torch.from_numpy(rows).view(confidences.shape)

    before = told(answers_before(answers.model, asked, generator))
    found = []
    for place, records in enumerate((own, new)):
        x, y = (torch.from_numpy(array).to(device) for array in (records.x, records.y))
        start, end = len(own) * place, len(own) * place + len(records)
        whole = len(own) + len(new)
        stage = answers_after(answers.model, update, x, y, asked, generator)
        after = yield from part(stage, start / whole, end / whole)
        found.append(changes(before, told(after)))
    return tuple(x.numpy() for x in comparable(*found))


def named_labels(
    shadow: np.ndarray, attacked: np.ndarray, own: Records, new: Records, protocol: str, generator: "torch.Generator"
) -> Stage[list[Row]]:
    """As in the published code: a classifier from the change of answers to the label of the update."""
    import torch

    from dpmia_lab.attacks.confidences.alignment import decoder_layers
    from dpmia_lab.training import plain

    known, asked = torch.from_numpy(shadow), torch.from_numpy(attacked)
    model = decoder_layers(known.shape[1], 128, int(own.y.max()) + 1, generator)
    yield from plain.train(
        model, known, torch.from_numpy(own.y), epochs=CLASSIFIER_EPOCHS, rate=1e-3, generator=generator, adam=True
    )
    right = plain.confidences(model, asked).argmax(1).numpy() == new.y
    share = share_estimate(int(right.sum()), len(right))
    return [Row("label_named", share.value, attack="update", protocol=protocol, low=share.low, high=share.high)]


def renamed(y: np.ndarray, classes: int, rng: np.random.Generator) -> np.ndarray:
    """(n,): for each label another one."""
    return (y + rng.integers(1, classes, len(y))) % classes
