"""What guessing attributes costs (lesson 7): splits × people, and a model each."""

from dataclasses import dataclass
from pathlib import Path

from dpmia_lab.cost import Cost, Terms, summed, together
from dpmia_lab.data.sizes import file_bytes
from dpmia_lab.experiments import attribute_curves, attributes

FIXED = {"steak": (430, 36, 2, 5), "marriage": (6366, 34, 2, 5)}
MADE = {"warfarin_like": (17, 3, 4), "survey_like": (17, 2, 3)}
CELL, CODED = 4, 4  # bytes of a number or word in a file; numbers that a column becomes
FITS_CACHE = 30_000  # numbers of public people: with more, imputation is several times as slow
SECONDS = {
    "asked": 9.2e-10,
    "attacked": 2e-08,
    "beyond cache": 6e-08,
    "guessed": 0.005,
    "imputed": 3e-09,
    "network": 3e-11,
    "nodes": 1e-07,
    "people": 1e-07,
    "refitted": 1e-06,
    "regression": 1.7e-09,
    "split": 1e-07,
    "start": 0.02,
    "step": 0.0001,
    "steps": 5.2e-06,
    "tree": 1e-08,
}
BYTES = {
    "asked": 8,
    "asked as numbers": 10,
    "model": 1200,
    "numbers": 8,
    "people": 16,
    "start": 2e+07,
}


@dataclass(frozen=True)
class TableSize:
    people: int
    width: int  # of a person as numbers
    values: int  # of the secret
    classes: int  # of the outcome


def table_size(data: str, people: int) -> TableSize:
    """``people`` is how many are generated."""
    if data in FIXED:
        return TableSize(*FIXED[data])
    return TableSize(people, *MADE[data]) if data in MADE else own_size(Path(data).expanduser())


def own_size(file: Path) -> TableSize:
    """By the head of the file and its length; what cannot be read is refused when it is."""
    try:
        with file.open("rb") as content:
            head = content.readline(1_000_000)
    except OSError:
        return TableSize(1000, 40, 2, 5)
    columns = head.count(b",") + 1 if file.suffix.lower() == ".csv" else 10
    return TableSize(file_bytes(str(file)) // (CELL * columns) + 1, CODED * columns, 3, 5)


# ---- parts
def people_work(config: attributes.Config) -> Terms:
    """What is made once for all defences: splits, and imputation by public people."""
    size, splits = table_size(config.data, config.people), config.splits
    public = size.people / 4 * size.width
    return {
        "start": 1,
        "people": size.people * size.width,
        "imputed": splits * public * size.width * size.values,
        "beyond cache": splits * max(0, public - FITS_CACHE) * size.width,
        "split": splits * size.people,
    }


def model_work(config: attributes.Config) -> Terms:
    size, splits = table_size(config.data, config.people), config.splits
    n = size.people / 2
    if config.model == "regression":
        return {"regression": splits * n * size.width**2}
    if config.model == "tree":
        nodes = min(2 * n / config.leaf, 4.0 ** min(config.depth, 15))
        return {"tree": splits * n * size.width * min(config.depth, size.width), "nodes": splits * nodes * size.width}
    steps = config.epochs * max(1, n / config.batch)
    work = splits * config.epochs * n * config.width * (size.width + size.classes)
    return {"network": work, "step": steps, "steps": splits * steps}


def attack_work(config: attributes.Config) -> Terms:
    """Every value of the secret tried on everybody tested, and on as many trained on."""
    size = table_size(config.data, config.people)
    known, asked = min(config.known, size.people / 4), config.splits * size.people * size.values
    work = asked * config.width * (size.width + size.classes) * (config.model == "mlp")
    return {"attacked": asked * size.width, "asked": work, "refitted": config.splits * known, "guessed": 1}


def held(config: attributes.Config) -> Terms:
    size = table_size(config.data, config.people)
    numbers, network = config.splits * size.people, config.model == "mlp"
    return {
        "start": 1,
        "people": size.people * size.width,
        "numbers": numbers * size.width,
        "asked": numbers * size.values * size.classes,
        "asked as numbers": numbers * size.values * size.width * network,
        "model": config.splits * config.width * size.width * network,
    }


# ---- experiments
def attributes_cost(config: attributes.Config, points: int = 1) -> Cost:
    """``points``: defences that are tried and attacked, beside the plain model."""
    work = together(people_work(config), *[model_work(config)] * (points + 1), *[attack_work(config)] * points)
    return Cost(summed(work, SECONDS), summed(held(config), BYTES))


def curves_cost(config: attribute_curves.Config) -> Cost:
    return attributes_cost(config, len(config.points()))
