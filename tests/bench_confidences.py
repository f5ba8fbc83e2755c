"""Attacks on confidences: what working on many at once saves, and what MID costs, a part of ``make bench``.

40 generated people, 28 x 23, a small convolutional network. Two ways of the same work must agree first.
"""

import resource
from collections.abc import Iterator

import numpy as np
import torch

from dpmia_lab.attacks.confidences.gmi import gmi, margin
from dpmia_lab.attacks.confidences.update_leaks import Update, answers_after
from dpmia_lab.attacks.inversion.public_prior import PictureGaussian, picture_gaussian
from dpmia_lab.defences.base import Recipe
from dpmia_lab.defences.networks import Mid, NetworkDefence, Undefended
from dpmia_lab.experiments.confidences import Config, Prepared, Roles, task_of, trained_network
from dpmia_lab.experiments.inversion import trained
from dpmia_lab.seeds import torch_generator
from dpmia_lab.stages import drain
from tests.bench_rows import Row, seconds

ROUNDS = 5
STEPS = 20  # of GMI
SAME = 1e-3
CHEAP = Recipe(epochs=4, rate=0.002, batch=32)


class GivenStarts(PictureGaussian):
    """Starts where it is told, so that one by one begins where the batch does."""

    given: torch.Tensor

    def starts(self, count: int, generator: torch.Generator) -> torch.Tensor:
        return self.given[:count].clone()


def confidence_rows() -> Iterator[Row]:
    config = Config()
    roles = drain(Prepared(config).roles.result())
    model = drain(trained_network(config, roles))
    yield latent_row(model, roles)
    yield update_row(model, roles)
    yield mid_row(config, roles)
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield Row("memory at most, with everything loaded so far", [kilobytes / 1000], unit="MB")


def latent_row(model: torch.nn.Sequential, roles: Roles) -> Row:
    fitted = picture_gaussian(torch.from_numpy(roles.public), 60)
    prior = GivenStarts(fitted.mean, fitted.directions)
    starts = fitted.starts(roles.classes, torch_generator(0))

    def drawn(labels: torch.Tensor) -> np.ndarray:
        object.__setattr__(prior, "given", starts[labels])
        how = {"identity": margin, "weight": 1.0, "steps": STEPS, "rate": 0.1, "restarts": 1}
        return drain(gmi(model, labels, prior, generator=torch_generator(0), **how)).x.numpy()

    def together() -> np.ndarray:
        return drawn(torch.arange(roles.classes))

    def one_by_one() -> np.ndarray:
        return np.concatenate([drawn(torch.tensor([label])) for label in range(roles.classes)])

    return compared("one by one ÷ one batch: GMI's latents of 40 people", one_by_one, together)


def update_row(model: torch.nn.Sequential, roles: Roles) -> Row:
    some = roles.first_of_all("auxiliary", 60)
    x, y, probes = torch.from_numpy(some.x), torch.from_numpy(some.y), torch.from_numpy(roles.public[:50])

    def work(at_once: int) -> np.ndarray:
        return drain(answers_after(model, Update(0.01), x, y, probes, torch_generator(0), at_once)).numpy()

    return compared("one by one ÷ 20 at once: shadow updates, 50 probes", lambda: work(1), lambda: work(20))


def mid_row(config: Config, roles: Roles) -> Row:
    def work(defence: NetworkDefence) -> None:
        model = defence.fresh_model(task_of(config, roles), torch_generator(0))
        drain(trained(defence, model, (roles.train.x, roles.train.y), CHEAP, torch_generator(1)))

    work(Mid()), work(Undefended())
    ratios = [seconds(lambda: work(Mid())) / seconds(lambda: work(Undefended())) for _ in range(ROUNDS)]
    return Row("training with MID ÷ without a defence", ratios, target=1.3, sign="≤")


def compared(what: str, slow, fast) -> Row:
    difference = np.abs(slow() - fast()).max()
    if not difference < SAME:
        return Row(what, [], problem=f"the results differ by {difference:.2g}")
    return Row(what, [seconds(slow) / seconds(fast) for _ in range(ROUNDS)])


if __name__ == "__main__":
    for row in confidence_rows():
        print(row, flush=True)
