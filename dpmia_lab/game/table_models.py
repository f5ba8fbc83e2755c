"""Models of tables, one for every split, as an attacker meets them: asked about people, had they each value."""

from dataclasses import dataclass

import numpy as np

from dpmia_lab.attacks.attributes.calibrated import log_confusion
from dpmia_lab.attacks.attributes.evidence import Evidence
from dpmia_lab.defences.base import Recipe, TrainingSet
from dpmia_lab.defences.tables.base import Growth, TableDefence
from dpmia_lab.game.table_people import TablePeople
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import Stage
from dpmia_lab.training.id3 import Trees
from dpmia_lab.training.regression import predictions


@dataclass(frozen=True)
class TableRecipe:
    """How models are learnt where nothing protects them."""

    growth: Growth = Growth()
    network: Recipe = Recipe(epochs=30, rate=0.01, batch=64)
    width: int = 16


class TableModels:
    """``asked(places)``: (S, P, V), or for classifiers confidences (S, P, V, K), before anything is released."""

    def __init__(self, people: TablePeople, defence: TableDefence) -> None:
        self.people, self.defence = people, defence

    def asked(self, places: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def counted(self, places: np.ndarray) -> np.ndarray | None:
        return None

    @property
    def outcome(self) -> np.ndarray:
        """(n,): codes of classes."""
        return self.people.classes.values

    def answers(self, places: np.ndarray) -> np.ndarray:
        """(S, P[, K]): about people as they are, before release."""
        return at_secret(self.asked(places), self.people.secret[places])


def at_secret(asked: np.ndarray, secret: np.ndarray) -> np.ndarray:
    """(S, P[, K]): of what is said for every value, that for the person's own."""
    index = secret.reshape(*secret.shape, *([1] * (asked.ndim - 2)))
    return np.take_along_axis(asked, index, 2)[:, :, 0]


class Regressions(TableModels):
    def train(self, recipe: TableRecipe, seed: int) -> Stage[None]:
        problem = self.people.problem(self.defence.uses_secret)
        rng = numpy_generator(seed, "defence")
        self.coefficients = yield from self.defence.coefficients(problem, rng)

    @property
    def outcome(self) -> np.ndarray:
        return self.people.table.target.values

    def asked(self, places: np.ndarray) -> np.ndarray:
        base = predictions(self.people.design.x[places], self.coefficients)
        return base[..., None] + (self.coefficients @ self.people.design.secret.T)[:, None]


class DecisionTrees(TableModels):
    trees: Trees

    def train(self, recipe: TableRecipe, seed: int) -> Stage[None]:
        data, rng = self.people.categories(self.defence.uses_secret), numpy_generator(seed, "defence")
        self.trees = yield from self.defence.trees(data, recipe.growth, rng)

    def leaves(self, places: np.ndarray) -> np.ndarray:
        """(S, P, V): where people would be, had they each value."""
        x, values = self.people.codes[places], self.people.values
        found = []
        for value in range(values):
            x[..., -1] = value
            found.append(self.trees.reached(x))
        return np.stack(found, -1)

    def asked(self, places: np.ndarray) -> np.ndarray:
        return self.trees.shares[self.leaves(places)]

    def counted(self, places: np.ndarray) -> np.ndarray:
        """(S, P, V): logarithm of the share of the person's outcome at the leaf; a tenth of a person more of each."""
        counts = np.maximum(self.trees.counts, 0) + 0.1
        shares = counts / counts.sum(1, keepdims=True)
        return np.log(shares[self.leaves(places), self.outcome[places][..., None]])


class Networks(TableModels):
    def train(self, recipe: TableRecipe, seed: int) -> Stage[None]:
        import torch

        from dpmia_lab.models import new_model
        from dpmia_lab.seeds import torch_generator

        train, d = self.people.splits.train, self.people.design.x.shape[1]
        rows = torch.from_numpy(self.people.rows(train, self.defence.uses_secret)).float()
        y = torch.from_numpy(self.outcome[train])
        own = [torch_generator(seed, "network", split) for split in range(len(train))]
        self.models = [new_model("mlp", (d,), self.people.classes.width, one, recipe.width) for one in own]
        sets = [TrainingSet(x, labels) for x, labels in zip(rows, y, strict=True)]
        yield from self.defence.train_networks(self.models, sets, recipe.network, own)

    def asked(self, places: np.ndarray) -> np.ndarray:
        import torch

        design = self.people.design
        secret = design.secret if self.defence.uses_secret else 0 * design.secret
        x = torch.from_numpy(design.x[places][:, :, None] + secret).float()  # (S, P, V, d)
        with torch.no_grad():
            said = [model(own.flatten(0, 1)).softmax(1).view(*own.shape[:2], -1)
                    for model, own in zip(self.models, x, strict=True)]  # fmt: skip
        return torch.stack(said).double().numpy()


KINDS: dict[str, type[TableModels]] = {"regression": Regressions, "tree": DecisionTrees, "mlp": Networks}


def trained_models(
    kind: str, people: TablePeople, defence: TableDefence, recipe: TableRecipe, seed: int
) -> Stage[TableModels]:
    models = KINDS[kind](people, defence)
    yield from models.train(recipe, seed)
    return models


def evidence_of(models: TableModels, group: str, seed: int) -> Evidence:
    """All that attackers have on the people of a group; every answer is as released, each with noise of its own."""
    people, defence = models.people, models.defence
    rng = numpy_generator(seed, "released", group)
    places, train = people.places(group), people.splits.train
    clean = models.asked(places)
    outcome = models.outcome
    own, known = (defence.released(models.answers(them), rng) for them in (train, people.known))
    numeric = clean.ndim == 3
    imputed, imputed_outcome = people.imputed[group]
    return Evidence(
        outcome=outcome[places],
        asked=defence.released(clean, rng),
        answer=defence.released(at_secret(clean, people.secret[places]), rng),
        blur=defence.blur(),
        prior=people.prior,
        imputed=imputed,
        imputed_outcome=imputed_outcome,
        spread=(outcome[train] - own).std(1) if numeric else np.ones(len(train)),
        confusion=np.zeros((len(train), 1, 1)) if numeric else
        log_confusion(own.argmax(-1), outcome[train], clean.shape[-1]),
        public_outcome=outcome[people.known],
        public_answer=known,
        counted=models.counted(places),
    )  # fmt: skip
