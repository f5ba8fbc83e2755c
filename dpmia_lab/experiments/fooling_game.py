"""Lesson 9, who plays: candidates among whom are canaries, their coins, one trainer, and families of shadow models.

Whatever the defence, a seed has the same people, coins and canaries.
"""

from dataclasses import dataclass, replace

import numpy as np

from dpmia_lab.checks import Mistake, whole
from dpmia_lab.data.population import Population, load_population
from dpmia_lab.defences.stopping import Stopping
from dpmia_lab.game.canaries import Planted, with_canaries
from dpmia_lab.game.candidates import candidate_halves, candidates_of
from dpmia_lab.game.families import Family, new_family
from dpmia_lab.game.settings import Settings
from dpmia_lab.game.trainer import Trainer, trainer_of
from dpmia_lab.options import option
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import Stage

LEAST_INSIDE = 6  # so that four are left to attack each with


@dataclass(frozen=True)
class Config(Settings):
    records: int = option(600, "n, about so many records are trained on")
    epochs: int = option(30, "times each record is seen")
    defence: str = option("dap", "what is tried: dap, or any other defence (see dpmia-lab run membership --help)")
    inside: int = option(16, "shadow models with the same defence, each on a random half of the candidates")
    unadapted: int = option(16, "shadow models without any, which also are early stopping's curve")
    canaries: int = option(30, "mislabelled candidates, and as many atypical ones (0: none)")
    looks: int = option(8, "epochs at whose end all models are attacked")

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(LEAST_INSIDE, 512, inside=self.inside, unadapted=self.unadapted)
        whole(0, 10_000, canaries=self.canaries)
        whole(1, 100, looks=self.looks)
        for name in ("inside", "unadapted"):
            if getattr(self, name) % 2:
                raise Mistake(f"{name} must be even, as models come in pairs; it is {getattr(self, name)}.")
        if self.patience:
            raise Mistake(f"patience must be 0 here, where stopping is a defence; it is {self.patience}.")

    def moments(self) -> list[int]:
        """The epochs at whose end all models are attacked, more of them early."""
        return sorted(set(np.geomspace(1, self.epochs, self.looks).round().astype(int).tolist()))


@dataclass(frozen=True)
class Game:
    config: Config
    population: Population
    planted: Planted
    trainer: Trainer
    inside: np.ndarray  # (shadow models, k): who is in which half

    @property
    def member(self) -> np.ndarray:
        return self.planted.candidates.alike.member

    @property
    def ordinary(self) -> np.ndarray:
        return self.planted.places("ordinary")

    def without_defence(self) -> Trainer:
        """Undefended training that tells of every epoch: bit for bit the same models."""
        t = self.trainer
        return Trainer(Stopping(after=self.config.epochs), t.task, t.recipe, t.seed, t.core)


def new_game(config: Config) -> Stage[Game]:
    c = config
    population = load_population(
        c.data, classes=c.classes, records=8 * c.records, people=c.people, pictures=c.pictures, height=c.height,
        seed=c.seed,
    )  # fmt: skip
    held = replace(c, defence="dap")  # so that every defence meets the same people
    candidates = candidates_of(held, population)
    rng = numpy_generator(c.seed, "canaries")
    planted = with_canaries(candidates, c.canaries, population.kind, population.classes, rng)
    trainer = yield from trainer_of(c, population)
    count = max(c.inside, c.unadapted)
    inside = candidate_halves(count, len(planted.kind), numpy_generator(c.seed, "inside"))
    game = Game(c, population, planted, trainer, inside)
    return replace(game, trainer=game.without_defence()) if c.defence == "none" else game


# ---- shadow models
def defended_family(game: Game) -> Stage[Family]:
    people, candidates = game.planted.candidates.alike.records, game.planted.candidates
    inside, moments = game.inside[: game.config.inside], game.config.moments()
    return (yield from new_family(game.trainer, people, candidates.validation, inside, moments, "inside"))


def undefended_family(game: Game) -> Stage[Family]:
    """Also asked about the people held aside, on whom none of them was trained."""
    people, candidates = game.planted.candidates.alike.records, game.planted.candidates
    inside, moments, held = game.inside[: game.config.unadapted], game.config.moments(), candidates.validation
    return (yield from new_family(game.without_defence(), people, held, inside, moments, "inside", held))
