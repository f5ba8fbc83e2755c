"""Tables in a comparison: secrets guessed from what a cell's models say about people, had they each value."""

from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.attacks.attributes import ATTRIBUTE_ATTACKS, attacks_on
from dpmia_lab.defences.tables.undefended import Undefended
from dpmia_lab.experiments.comparing_case import Case
from dpmia_lab.experiments.comparing_config import TABLE_MODELS, Config
from dpmia_lab.experiments.comparing_models import Said, answered, softmax, trainer_for, ways_of
from dpmia_lab.game.table_models import TableModels, evidence_of
from dpmia_lab.game.table_people import GROUPS
from dpmia_lab.metrics.attributes import guess_accuracy
from dpmia_lab.rows import Row
from dpmia_lab.stages import Progress, Stage

if TYPE_CHECKING:
    from torch import nn

    from dpmia_lab.game.trainer import Trainer

NOTHING = "nothing"  # what a comparison calls the guess of the commonest value, which is chance level here
BASELINES = (NOTHING, "imputation", "imputation_outcome")  # guesses that need no model
REPEATED = ("map", "calibrated", "imputation_map")  # attacks also made on averaged answers, or through the mean code
WAYS = {"averaged": "answers averaged", "mean": "through the mean code", "weights": "past the mask on answers"}
ATTACKS = {name: attack.words for name, attack in ATTRIBUTE_ATTACKS.items() if name != "prior"} | {
    f"{name}_{way}": f"{ATTRIBUTE_ATTACKS[name].words}, {words}" for way, words in WAYS.items() for name in REPEATED
}
MEASURES = ("attack_accuracy", "attack_over_imputation")


# ---- guessing secrets
class AskedNetworks(TableModels):
    """A cell's networks, asked about people had they each value; answers are as told, one by one or averaged."""

    def __init__(self, config: Config, case: Case, trainer: "Trainer", models: "list[nn.Module]", way: str) -> None:
        super().__init__(case.patients.people, Undefended())
        self.config, self.patients, self.trainer, self.models, self.way = config, case.patients, trainer, models, way

    def asked(self, places: np.ndarray) -> np.ndarray:
        first, last = self.patients.bits
        found = []
        for model, own in zip(self.models, places, strict=True):
            x = np.repeat(self.patients.x[own][:, None], self.people.values, 1)  # (P, V, bits)
            x[:, :, first:last] = np.eye(self.people.values, dtype=x.dtype)
            given = self.trainer.inputs(x.reshape(-1, x.shape[-1])).float()
            said = answered(self.trainer, model, given, self.way, self.config.answers)
            found.append(softmax(said).reshape(*x.shape[:2], -1))
        return np.stack(found)


def attribute_rows(config: Config, case: Case, said: Said) -> Stage[list[Row]]:
    """Of every attack that fits the model, about people trained on and others; mean and spread over models."""
    yield from case.patients.impute()
    if config.model in TABLE_MODELS:
        return guessed_rows(said.others["models"], config.model, tuple(attacks_on(config.model)), "", config.seed)
    trainer, rows = trainer_for(config, case), []
    for place, way in enumerate(ways := ways_of(config, trainer.defence)):
        models = AskedNetworks(config, case, trainer, said.models, way)
        names, ending = (tuple(attacks_on("mlp")), "") if way == "one" else (REPEATED, f"_{way}")
        rows += guessed_rows(models, "mlp", names, ending, config.seed)
        yield Progress(place + 1, len(ways), "guessing secrets")
    return rows


def guessed_rows(models: TableModels, kind: str, names: tuple[str, ...], ending: str, seed: int) -> list[Row]:
    rows = []
    for group in GROUPS:
        evidence, truth = evidence_of(models, group, seed), models.people.secret[models.people.places(group)]
        found = {name: guess_accuracy(attacks_on(kind)[name].scores(evidence), truth) for name in names}
        known = guess_accuracy(attacks_on(kind)["imputation_outcome"].scores(evidence), truth)
        for name, accuracy in found.items():
            for measure, values in zip(MEASURES, (accuracy, accuracy - known), strict=True):
                spread = float(values.std(ddof=1))
                called = NOTHING if name == "prior" else name + ending
                rows.append(Row(measure, float(values.mean()), "", called, group, spread=spread))
    return rows
