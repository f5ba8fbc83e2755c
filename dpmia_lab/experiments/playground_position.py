"""One position of the sliders, trained and attacked; what it came to as arrays, not yet as numbers."""

from dataclasses import dataclass

import numpy as np

from dpmia_lab.attacks.membership.signals import logit_confidences_of_logits
from dpmia_lab.experiments import playground_drawing as drawing
from dpmia_lab.experiments.playground_config import Config
from dpmia_lab.experiments.playground_models import Linear, Models, linear_form
from dpmia_lab.experiments.playground_people import Prepared
from dpmia_lab.game.families import Family
from dpmia_lab.metrics.intervals import Estimate
from dpmia_lab.metrics.membership import auc
from dpmia_lab.metrics.recognition import mean_estimate
from dpmia_lab.stages import Event, Once, Progress, Snapshot, Stage, mapped, part

# Each model of these keeps an epoch of its own, and some are surer of everybody than others. An attacker levels that:
# measured for DAP, an AUC of .58 becomes .69.
OWN_EPOCHS = ("dap",)


@dataclass(frozen=True)
class Position:
    config: Config
    people: Prepared
    inside: np.ndarray  # (M, k) bool: who was trained on
    right: np.ndarray  # (M, test records) bool
    differences: np.ndarray  # (M, classes, d): drawings
    scores: np.ndarray  # (M, k): likelihood ratios

    @property
    def accuracy(self) -> Estimate:
        return accuracy_of(self.right)


def played(config: Config, people: Prepared) -> Stage[Position]:
    models = Models(config, people)
    first = yield from part(models.trained(range(2)), 0.0, 0.3)
    linear = linear_form(people, first)
    differences = yield from part(drawing.drawn(linear), 0.3, 0.35)
    yield Snapshot("pictures", 0, drawing.shown(people, differences[0]))
    right = answers_right(people, first)
    yield Snapshot("accuracy", 0, np.array(accuracy_of(right)))
    others = yield from part(models.trained(range(2, config.shadows)), 0.35, 0.9)
    more = linear_form(people, others)
    linear = linear.joined(more)
    differences = np.concatenate([differences, (yield from part(drawing.drawn(more), 0.9, 0.93))])
    right = np.concatenate([right, answers_right(people, others)])
    kind = "levelled" if config.defence in OWN_EPOCHS else "plain"
    scores = likelihood_ratios(people, linear, models.inside, kind)
    yield Snapshot("scores", 0, np.stack([scores.ravel(), models.inside.ravel()]).astype(np.float32))
    yield Progress(1, 1, "attacking")
    return Position(config, people, models.inside, right, differences, scores)


def answers_right(people: Prepared, models: list) -> np.ndarray:
    """(M, test records) bool: what the models answer, with whatever noise they answer with."""
    import torch

    x = torch.from_numpy(people.test.x).float()
    with torch.no_grad():
        return np.stack([model(x).argmax(1).numpy() == people.test.y for model in models])


def accuracy_of(right: np.ndarray) -> Estimate:
    """Mean over models; the interval is over test records."""
    return mean_estimate(right.mean(0))


def likelihood_ratios(people: Prepared, linear: Linear, inside: np.ndarray, kind: str) -> np.ndarray:
    """(M, k): each model the target in its turn."""
    import torch

    x = torch.from_numpy(people.candidates.x).float()
    if people.task.centre is not None:
        x = x - torch.from_numpy(people.task.centre)
    logits = x.flatten(1) @ linear.weight.mT + linear.bias[:, None]  # (M, k, classes)
    odds = logit_confidences_of_logits(logits.double().numpy(), people.candidates.y)
    return Family(inside, logits={0: odds}).scores_in_turn(kind=kind)


def undefended_numbers(config: Config, people: Prepared) -> Stage[tuple[float, float]]:
    """Accuracy and AUC without a defence, found once; φ is relative to them."""

    def make() -> Stage[tuple[float, float]]:
        plain = Config(data=config.data, shadows=config.shadows, seed=config.seed)
        found = yield from played(plain, people)
        return found.accuracy.value, auc(found.scores.ravel(), found.inside.ravel())

    once = people.once.setdefault(("undefended", config.shadows), Once(make))
    return (yield from mapped(once.result(), Sparse(10)))


class Sparse:
    """Lets every n-th report of progress pass, and no snapshot: of work that is done once, and not to be looked at."""

    def __init__(self, every: int) -> None:
        self.every, self.count = every, 0

    def __call__(self, event: Event) -> Event | None:
        self.count += 1
        return event if isinstance(event, Progress) and self.count % self.every == 1 else None
