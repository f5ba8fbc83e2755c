"""Settings of the membership game, flat and self-checking, and the nouns that are built from them."""

from dataclasses import dataclass

from dpmia_lab.checks import Mistake, one_of, positive, whole
from dpmia_lab.data.population import Population
from dpmia_lab.data.public import public_mean
from dpmia_lab.defences import DEFENCES, Defence
from dpmia_lab.defences.base import Recipe, Task
from dpmia_lab.options import built_from, option, widened
from dpmia_lab.own_code import check_model

MODELS = {"bits": ("mlp", "softmax"), "pictures": ("mlp", "softmax", "cnn", "transfer"), "graphs": ("graph",)}
OFFERED = {name: defence for name, defence in DEFENCES.items() if name != "units"}  # those have a lesson of their own
OPTIMIZERS = ("adam", "sgd")


@dataclass(frozen=True)
class Learning:
    """What is attacked: data, model, training."""

    data: str = option("purchases_like", "a set of bits, pictures or graphs (dpmia-lab data list), or a file of yours")
    classes: int = option(20, "C, classes (generated bits only)")
    people: int = option(20, "how many people (face sets only)")
    pictures: int = option(40, "pictures a person (generated faces only)")
    height: int = option(28, "height of a face in pixels (face sets only)")
    records: int = option(1000, "n, about so many records are trained on")
    model: str = option(
        "mlp", "softmax, mlp (one hidden layer), cnn, transfer (pictures), graph (graphs), or yours as module:function"
    )
    width: int = option(128, "units of the hidden layer")
    epochs: int = option(40, "times each record is seen")
    rate: float = option(0.002, "η, size of a step")
    batch: int = option(64, "records a step")
    optimizer: str = option("adam", "adam or sgd")
    weights: str = option(
        "", "transfer: a file of torchvision's ResNet-18 weights instead of a core trained here", in_links=False
    )
    defence: str = option(
        "none",
        "none, central (noise on gradients), local (noise on the data), regularised; or without any promise: stopping, "
        "smoothing, masking, relaxloss, hamp, adversarial, dap",
    )

    def __post_init__(self) -> None:
        whole(2, 1000, classes=self.classes, people=self.people)
        whole(4, 1000, pictures=self.pictures)
        whole(16, 224, height=self.height)
        whole(20, 50_000, records=self.records)
        check_model(self.model, sorted({model for models in MODELS.values() for model in models}))
        whole(1, 4096, width=self.width)
        whole(1, 1000, epochs=self.epochs)
        positive(rate=self.rate)
        whole(1, 10_000, batch=self.batch)
        one_of(OPTIMIZERS, optimizer=self.optimizer)
        one_of(OFFERED, defence=self.defence)


@dataclass(frozen=True)
class Settings(widened(Learning, OFFERED.values())):
    """With the options of every defence; each checks its own, chosen or not."""

    patience: int = option(
        0, "stop after so many epochs without a better validation loss (0: never; none, local, regularised and masking)"
    )
    seed: int = option(0, "fixes every random choice")

    def __post_init__(self) -> None:
        super().__post_init__()
        for defence in OFFERED.values():
            built_from(defence, self)
        whole(0, 1000, patience=self.patience)
        whole(0, 2**31 - 1, seed=self.seed)


def defence_of(config: Settings) -> Defence:
    return built_from(DEFENCES[config.defence], config)


def recipe_of(config: Settings) -> Recipe:
    c = config
    return Recipe(c.epochs, c.rate, c.batch, c.optimizer, patience=c.patience)


def task_of(config: Settings, population: Population, features: tuple[int, ...] = ()) -> Task:
    """``features``: shape of what a public core makes of a picture, where there is one."""
    kind, shape, model = population.kind, population.shape, config.model
    centre = public_mean(config.data, shape) if kind == "pictures" and not features else None
    name = "mlp" if model == "transfer" else model
    return Task(kind, shape, population.classes, name, config.width, features, centre, population.name)


def check_fit(config: Settings, population: Population) -> None:
    """A model or a defence that is not for these data is refused in one sentence."""
    check_model(config.model, MODELS[population.kind], f"model (for {population.kind})")
    complaint = defence_of(config).fits(task_of(config, population))
    if complaint:
        raise Mistake(complaint)
