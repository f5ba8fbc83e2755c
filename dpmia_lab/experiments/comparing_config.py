"""Settings of a comparison: who is asked about, the model, one defence at one strength, and how hard attackers try."""

from dataclasses import dataclass, fields, replace

from dpmia_lab.checks import Mistake, one_of, positive, whole
from dpmia_lab.data.table_files import MADE
from dpmia_lab.defences.base import Defence, Recipe
from dpmia_lab.defences.compared import COMPARED, EVERY, TABLE_ONLY
from dpmia_lab.options import built_from, option, options_of, widened

MODELS = ("softmax", "mlp", "cnn", "graph")
TABLE_MODELS = ("regression", "tree")
TABLES = (*MADE, "steak", "marriage")
LEAST_SHADOWS = 6  # so that four are left to attack each with


@dataclass(frozen=True)
class Played:
    """What is the same for every defence of a data set."""

    data: str = option("purchases_like", "a set of bits, pictures, graphs or a table, or a file of yours")
    outcome: str = option("", "tables: the column that the model tells ('': as the set has it)")
    sensitive: str = option("", "tables: the column that attackers guess ('': as the set has it)")
    classes: int = option(10, "C, classes (generated bits only)")
    people: int = option(20, "how many people (face sets only)")
    pictures: int = option(40, "pictures a person (generated faces only)")
    height: int = option(16, "height of a face in pixels (face sets only)")
    records: int = option(400, "n, about so many records each model is trained on")
    model: str = option("mlp", "softmax, mlp, cnn, graph; of tables also regression and tree; or module:function")
    width: int = option(64, "units of the hidden layer")
    epochs: int = option(30, "times each record is seen")
    rate: float = option(0.002, "η, size of a step")
    batch: int = option(64, "records a step")
    optimizer: str = option("adam", "adam or sgd")
    shadows: int = option(16, "models, each on a random half of the candidates and each the target in its turn")
    canaries: int = option(30, "mislabelled candidates, and as many atypical ones (0: none)")
    queries: int = option(8, "varied copies of a record that label-only attackers ask about")
    answers: int = option(16, "answers averaged about each record, where a defence draws them anew")
    targets: int = option(2, "models that are attacked from inside: white box, inversion, attributes")
    steps: int = option(150, "pictures: steps of each inversion, of the original attack twice as many")
    decoder_steps: int = option(120, "pictures: steps of a decoder's training")
    seed: int = option(0, "fixes every random choice")

    def __post_init__(self) -> None:
        whole(2, 1000, classes=self.classes, people=self.people)
        whole(8, 1000, pictures=self.pictures)
        whole(16, 112, height=self.height)
        whole(20, 50_000, records=self.records)
        if ":" not in self.model:
            one_of((*MODELS, *TABLE_MODELS), model=self.model)
        whole(1, 4096, width=self.width)
        whole(1, 1000, epochs=self.epochs)
        positive(rate=self.rate)
        whole(1, 10_000, batch=self.batch)
        one_of(("adam", "sgd"), optimizer=self.optimizer)
        whole(LEAST_SHADOWS, 512, shadows=self.shadows)
        if self.shadows % 2:
            raise Mistake(f"shadows must be even, as models come in pairs; it is {self.shadows}.")
        whole(0, 10_000, canaries=self.canaries)
        whole(1, 1000, queries=self.queries, answers=self.answers)
        whole(1, self.shadows, targets=self.targets)
        whole(1, 10_000, steps=self.steps, decoder_steps=self.decoder_steps)
        whole(0, 2**31 - 1, seed=self.seed)


@dataclass(frozen=True)
class Config(widened(Played, COMPARED.values())):
    """With the options of every defence; each checks its own, chosen or not."""

    defence: str = option("none", "one of " + ", ".join(EVERY))
    private_rate: float = option(0.01, "η of central and units, whose steps are noisy")
    strength: float = option(1.0, f"how strong it is: {', '.join(TABLE_ONLY)} (ridge, ε, λ, ε, depth)")

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(EVERY, defence=self.defence)
        positive(private_rate=self.private_rate)
        for defence in COMPARED.values():
            built_from(defence, self)
        if (self.defence in TABLE_ONLY) > (self.model in TABLE_MODELS):
            raise Mistake(f"model must be one of {', '.join(TABLE_MODELS)} for {self.defence}; it is {self.model!r}.")


OF_DEFENCES = {"defence", "strength", "private_rate"}.union(*map(options_of, COMPARED.values()))


def shared(config: Config) -> tuple:
    """All that does not depend on the defence: what is made once for many cells of a seed.

    A regression and a tree meet the people that a network meets.
    """
    own = {field.name: getattr(config, field.name) for field in fields(Played)}
    return tuple((own | ({"model": Played.model} if config.model in TABLE_MODELS else {})).values())


def undefended(config: Config) -> Config:
    """The same people and model without any defence, whatever its options were."""
    usual = {field.name: field.default for field in fields(Config) if field.name in OF_DEFENCES}
    return replace(config, **usual)


def is_table(data: str) -> bool:
    return data in TABLES or data.lower().endswith(".csv")


def defence_of(config: Config) -> Defence:
    return built_from(COMPARED[config.defence], config)


def recipe_of(config: Config) -> Recipe:
    rate = config.private_rate if config.defence in ("central", "units") else config.rate
    return Recipe(config.epochs, rate, config.batch, config.optimizer)
