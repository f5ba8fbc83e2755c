"""A model under a defence, as membership inference meets it: its settings, its training, what it promises.

The attacker's shadow models are trained by the very same functions as the target, defence and all (paper C, 3.3).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.checks import Mistake, between, not_negative, one_of, positive, true_or_false, whole
from dpmia_lab.data.population import Population
from dpmia_lab.data.public import public_mean
from dpmia_lab.options import option
from dpmia_lab.privacy import accounting, local
from dpmia_lab.seeds import derived_seed, numpy_generator, torch_generator
from dpmia_lab.stages import Progress, Stage, part

if TYPE_CHECKING:  # torch is loaded by run(), not by the page that merely shows the controls
    import torch
    from torch import nn

MODELS = {"bits": ("mlp", "softmax"), "pictures": ("mlp", "softmax", "cnn", "transfer"), "graphs": ("graph",)}
DEFENCES = ("none", "central", "local", "regularised")
OPTIMIZERS = ("adam", "sgd")
AT_ONCE = 16  # shadow models in memory, with their training sets
TRAINING_SHARE = 0.9  # of the time a shadow model takes; the rest is asking it


@dataclass(frozen=True)
class Defended:
    """What is attacked: data, model, training, defence."""

    data: str = option("purchases_like", "a set of bits, pictures or graphs (dpmia-lab data list), or a file of yours")
    classes: int = option(20, "C, classes (generated bits only)")
    people: int = option(20, "how many people (face sets only)")
    pictures: int = option(40, "pictures a person (generated faces only)")
    height: int = option(28, "height of a face in pixels (face sets only)")
    records: int = option(1000, "n, about so many records are trained on")
    model: str = option("mlp", "softmax, mlp (one hidden layer), cnn, transfer (pictures), graph (graphs)")
    width: int = option(128, "units of the hidden layer")
    epochs: int = option(40, "times each record is seen")
    rate: float = option(0.002, "η, size of a step")
    batch: int = option(64, "records a step")
    optimizer: str = option("adam", "adam or sgd")
    weights: str = option(
        "", "transfer: a file of torchvision's ResNet-18 weights instead of a core trained here", in_links=False
    )
    defence: str = option("none", "none, central (noise on gradients), local (noise on the data) or regularised")
    z: float = option(1.0, "central: noise multiplier")
    clip: float = option(4.0, "central: C, the norm a record's gradient is clipped to")
    epsilon_i: float = option(1.0, "local: ε of one bit, of one edge, or of any m pixel values")
    cell: int = option(1, "local, pictures: b, side of a pixel cell")
    reach: int = option(1, "local, pictures: m, pixels in which neighbours may differ")
    dropout: float = option(0.0, "regularised: share of hidden units dropped a step")
    decay: float = option(0.0, "regularised: weight decay")
    patience: int = option(0, "stop after so many epochs without a better validation loss (0: never; not central)")
    augment: bool = option(False, "regularised: move and turn training pictures at random")
    seed: int = option(0, "fixes every random choice")

    def __post_init__(self) -> None:
        whole(2, 1000, classes=self.classes, people=self.people)
        whole(4, 1000, pictures=self.pictures)
        whole(16, 224, height=self.height)
        whole(20, 50_000, records=self.records)
        one_of(sorted({model for models in MODELS.values() for model in models}), model=self.model)
        whole(1, 4096, width=self.width)
        whole(1, 1000, epochs=self.epochs)
        positive(rate=self.rate, clip=self.clip)
        whole(1, 10_000, batch=self.batch)
        one_of(OPTIMIZERS, optimizer=self.optimizer)
        one_of(DEFENCES, defence=self.defence)
        between(0.01, 1000, z=self.z)
        between(0.001, 1_000_000, epsilon_i=self.epsilon_i)
        whole(1, 64, cell=self.cell)
        whole(1, 1_000_000, reach=self.reach)
        between(0, 0.95, dropout=self.dropout)
        not_negative(decay=self.decay)
        whole(0, 1000, patience=self.patience)
        true_or_false(augment=self.augment)
        whole(0, 2**31 - 1, seed=self.seed)

    @property
    def regularised(self) -> bool:
        return self.defence == "regularised"


def check_fit(config: Defended, population: Population) -> None:
    """A model that cannot read these data is refused in one sentence."""
    one_of(MODELS[population.kind], **{f"model (for {population.kind})": config.model})
    if config.augment and config.regularised and population.kind != "pictures":
        raise Mistake(f"augment must be false unless the data are pictures; {population.name} are {population.kind}.")


# ---- what is promised
def promise(config: Defended, population: Population, members: int) -> dict[str, float]:
    """ε and what belongs to it, as numbers: of one record; under local noise also of one bit, edge or few pixels."""
    if config.defence == "local":
        promised = local_guarantee(config, population)
        return {"epsilon_i": promised.epsilon_part, "epsilon_record": promised.epsilon, "delta": promised.delta}
    if config.defence != "central":
        return {}
    how = spending(config, members)
    return {
        "q": how["q"],
        "steps": float(how["steps"]),
        "delta": how["delta"],
        "epsilon": accounting.epsilon("moments", **how),
        "epsilon_tight": accounting.epsilon("tight", **how),
    }


def spending(config: Defended, members: int) -> dict:
    """As the accountants want it; δ = 1/n, as in paper C."""
    q, steps = min(1.0, config.batch / members), max(1, round(config.epochs * members / config.batch))
    return {"sigma": config.z, "q": q, "steps": steps, "delta": 1 / members, "neighbours": "add-remove"}


def local_guarantee(config: Defended, population: Population) -> local.LocalGuarantee:
    if population.kind == "bits":
        return local.bits_guarantee(population.shape[0], config.epsilon_i)
    if population.kind == "graphs":
        return local.edges_guarantee(population.shape[0], config.epsilon_i)
    return local.picture_guarantee(population.shape, config.reach, config.epsilon_i)


# ---- training
@dataclass(frozen=True)
class Records:
    """x (n, …) as collected, unperturbed, and y (n,)."""

    x: np.ndarray
    y: np.ndarray

    def __len__(self) -> int:
        return len(self.y)

    def at(self, places: np.ndarray) -> "Records":
        return Records(self.x[places], self.y[places])

    def with_(self, other: "Records") -> "Records":
        return Records(np.concatenate([self.x, other.x]), np.concatenate([self.y, other.y]))


class Workshop:
    """Trains models of one configuration, and looks at records through them.

    ``path`` names the model (("target",), ("shadow", 3), …): it fixes start, order, noise and perturbation.
    """

    def __init__(self, config: Defended, population: Population, core: "nn.Module | None" = None) -> None:
        from dpmia_lab.devices import best_device

        self.config, self.population, self.core, self.device = config, population, core, best_device()

    def fresh(self, *path: str | int) -> "nn.Module":
        """An untrained model."""
        return self._built(*path).to(self.device)

    def _built(self, *path: str | int) -> "nn.Module":
        import torch

        from dpmia_lab import graph_net, models

        c, classes, start = self.config, self.population.classes, torch_generator(self.config.seed, *path, "start")
        if c.model == "graph":
            return graph_net.new_graph_net(self.population.shape[0], classes, start)
        shape = self.population.shape if self.core is None else self.seen(self.population.x[:1]).shape[1:]
        name, dropout = "mlp" if c.model == "transfer" else c.model, c.dropout if c.regularised else 0.0
        model = models.new_model(name, shape, classes, start, width=c.width, dropout=dropout)
        if self.population.kind != "pictures" or self.core is not None:
            return model
        return models.centred(model, torch.from_numpy(public_mean(c.data, shape)))

    def seen(self, x: np.ndarray) -> "torch.Tensor":
        """What a model is given of records x: bits as they are, pictures perhaps through the public core."""
        import torch

        if self.core is not None:
            from dpmia_lab.training.transfer import features

            x = features(self.core, x)
        return torch.from_numpy(x).to(self.device)

    def training_set(self, records: Records, *path: str | int) -> tuple["torch.Tensor", "torch.Tensor"]:
        """What the model is trained on: under local noise, a fresh perturbation of every record."""
        import torch

        x = records.x
        if self.config.defence == "local":
            x = perturbed(self.config, self.population.kind, x, numpy_generator(self.config.seed, *path, "local"))
        return self.seen(x), torch.from_numpy(records.y).to(self.device)

    def trained(self, records: Records, validation: Records, *path: str | int) -> "Stage[nn.Module]":
        """A fresh model, trained."""
        model = self.fresh(*path)
        yield from self.train(model, records, validation, *path)
        return model

    def train(self, model: "nn.Module", records: Records, validation: Records, *path: str | int) -> Stage[None]:
        """One model, in place, under the configuration's defence; one event a step."""
        from dpmia_lab.training import plain, private

        c = self.config
        x, y = self.training_set(records, *path)
        adam, generator = c.optimizer == "adam", torch_generator(c.seed, *path, "order")
        if c.defence == "central":
            from dpmia_lab.privacy.units import units_from

            how = spending(c, len(records))
            units, noise = units_from(np.arange(len(records))), {"sigma": c.z, "q": how["q"], "clip": c.clip}
            stage = private.train(
                model, x.float(), y, units, **noise, steps=how["steps"], rate=c.rate, generator=generator, adam=adam
            )
        else:
            stage = plain.train(
                model,
                x.float(),
                y,
                epochs=c.epochs,
                rate=c.rate,
                batch=c.batch,
                generator=generator,
                adam=adam,
                decay=c.decay if c.regularised else 0.0,
                augment=self.augmentation(),
                patience=c.patience,
                validation=self.validation(validation),
            )
        yield from stage

    def augmentation(self):
        if not (self.config.augment and self.config.regularised):
            return None
        from dpmia_lab.training.augmentation import moved

        return moved

    def validation(self, records: Records) -> "tuple[torch.Tensor, torch.Tensor] | None":
        import torch

        if not self.config.patience:
            return None
        return self.seen(records.x).float(), torch.from_numpy(records.y).to(self.device)

    def ask_many(
        self, sets: Iterable[tuple[Records, Records]], count: int, ask: "Callable[[int, nn.Module], None]", *path: str
    ) -> Stage[None]:
        """Train ``count`` models on their ``sets`` of (records, validation), together where their shape allows.

        ``ask(number, model)`` is called with each; then the model is let go, so that memory stays bounded.
        """
        from dpmia_lab.training import stacked

        few = AT_ONCE if stacked.can_stack(self.fresh(*path, 0)) else 1
        sets = iter(sets)
        for start in range(0, count, few):
            numbers = range(start, min(start + few, count))
            chosen, paths = [next(sets) for _ in numbers], [(*path, number) for number in numbers]
            most = start + TRAINING_SHARE * len(numbers)
            models = yield from part(self.some(chosen, paths, stack=few > 1), start / count, most / count)
            for done, (number, model) in enumerate(zip(numbers, models, strict=True), 1):
                ask(number, model)
                yield Progress(most + (1 - TRAINING_SHARE) * done, count, "asking shadow models")

    def some(self, sets: list[tuple[Records, Records]], paths: list[tuple], stack: bool) -> "Stage[list[nn.Module]]":
        if not stack:
            return [(yield from self.trained(*sets[0], *paths[0]))]
        from dpmia_lab.training import stacked

        c = self.config
        models = [self.fresh(*path) for path in paths]
        training = [self.training_set(records, *path) for (records, _), path in zip(sets, paths, strict=True)]
        yield from stacked.train(
            models,
            training,
            epochs=c.epochs,
            rate=c.rate,
            batch=min(c.batch, len(sets[0][0])),
            generators=[torch_generator(c.seed, *path, "order") for path in paths],
            adam=c.optimizer == "adam",
            decay=c.decay if c.regularised else 0.0,
            private=stacked.Noise(c.z, c.clip) if c.defence == "central" else None,
            augment=self.augmentation(),
            patience=0 if c.defence == "central" else c.patience,
            validations=[self.validation(validation) for _, validation in sets] if c.patience else None,
        )
        return models


def perturbed(config: Defended, kind: str, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Records as they leave their owners' hands under local noise."""
    if kind == "bits":
        return local.randomised_response(x, config.epsilon_i, rng)
    if kind == "graphs":
        return local.randomised_edges(x, config.epsilon_i, rng)
    return local.pixelated(x, config.cell, config.reach, config.epsilon_i, rng)


def workshop_for(config: Defended, population: Population) -> Stage[Workshop]:
    """With the public core where pictures go through one."""
    check_fit(config, population)
    if config.model != "transfer":
        return Workshop(config, population)
    from pathlib import Path

    from dpmia_lab.training import transfer

    if config.weights:
        yield Progress(0, 1, "reading the weights")
        core = transfer.torchvision_core("resnet18", Path(config.weights))
    else:
        core = yield from transfer.public_core(population.shape, derived_seed(config.seed, "core"))
    return Workshop(config, population, core)
