"""What one cell of lesson 10's comparison costs: all models twice, everybody asked, every attack that fits."""

import math

from dpmia_lab.cost import Cost, Terms, summed, together
from dpmia_lab.data.sizes import Size, population_size
from dpmia_lab.experiments.comparing_config import TABLE_MODELS, Config, is_table
from dpmia_lab.experiments.cost_games import AT_ONCE, in_turn
from dpmia_lab.experiments.cost_parts import SLOWER, multiplications, parameters, records_seen
from dpmia_lab.experiments.cost_tables import table_size

HELD = 2  # records held aside, in those trained on
PUBLIC = 1000  # pictures of strangers
ATTACKS = 9  # on membership, of every model in its turn
SECONDS = {
    "asked": 2e-09,
    "asked cnn": 5.6e-11,
    "asked dense": 1.4e-11,
    "asked graph": 1.3e-10,
    "attack cnn": 9.9e-11,
    "attack dense": 1.5e-16,
    "attack pixels": 4.6e-08,
    "attack step": 0.00023,
    "black": 0.00011,
    "black records": 2e-08,
    "cnn": 3.5e-10,
    "confident": 3e-11,
    "copies": 1e-08,
    "decoder": 0.0028,
    "decoder pixels": 2e-07,
    "dense": 4.5e-11,
    "graph": 2.6e-10,
    "imputed": 0.001,
    "judge": 6e-11,
    "made bits": 2.7e-07,
    "made graphs": 3.2e-07,
    "made pictures": 3.1e-07,
    "secrets": 1e-07,
    "sorted": 1e-07,
    "start": 0.087,
    "step": 0.0011,
    "strangers": 5.1e-07,
    "turn": 2e-05,
    "turns": 2.7e-08,
    "weights": 2e-10,
    "white": 2.3e-07,
    "white step": 2e-05,
}
BYTES = {
    "copies": 4,
    "judge": 140,
    "layers": 4,
    "made bits": 4.3,
    "made graphs": 6,
    "made pictures": 23,
    "scored": 8,
    "start": 2.9e+07,
    "told": 100,
    "trained on": 4,
    "weights": 12,
}


def size_of(config: Config) -> Size:
    if is_table(config.data):
        table = table_size(config.data, (2 + HELD) * config.records)
        return Size(table.people, 0, (table.width,), table.classes)
    made = (2 + HELD) * config.records
    return population_size(config.data, config.classes, made, config.people, config.pictures, config.height)


def comparing_cost(config: Config) -> Cost:
    size = size_of(config)
    parts = [{"start": 1, f"made {size.kind}": size.records * size.values}, trained(config, size, "none")]
    parts += [trained(config, size, config.defence)] if config.defence != "none" else []
    times = len(parts) - 1
    parts += [asked(config, size, times), membership(config, size)]
    if size.kind == "pictures":
        parts += [drawn(config, size)]
    if is_table(config.data):
        parts += [{"secrets": config.shadows * config.records * size.values, "imputed": config.shadows}]
    return Cost(summed(together(*parts), SECONDS), summed(held(config, size, times), BYTES))


def kind_of(config: Config, size: Size) -> str:
    if size.kind == "graphs":
        return "graph"
    return "dense" if config.model in ("softmax", "mlp", *TABLE_MODELS) else "cnn"


def trained(config: Config, size: Size, defence: str) -> Terms:
    models, n, kind = config.shadows, config.records, kind_of(config, size)
    steps, at_once = config.epochs * max(1, n / config.batch), AT_ONCE if kind == "dense" else 1
    slower, shape = SLOWER.get(defence, 1.0), size.shape
    work = slower * models * config.epochs * n * multiplications(config.model, shape, size.classes, config.width)
    weights = slower * models * steps * parameters(config.model, shape, size.classes, config.width)
    return {"step": slower * steps * math.ceil(models / at_once), kind: work, "weights": weights}


def asked(config: Config, size: Size, times: int) -> Terms:
    """Everybody and their varied copies, of every model; noisy answers many times."""
    again = config.answers * (2 if config.defence in ("mid", "uniform_noise") else 0)
    questions = config.shadows * 2 * config.records * (times * (1 + config.queries) + again)
    work = questions * multiplications(config.model, size.shape, size.classes, config.width)
    copies = config.queries * 2 * config.records * size.values
    return {f"asked {kind_of(config, size)}": work, "asked": questions * size.classes, "copies": copies}


def membership(config: Config, size: Size) -> Terms:
    n, models = config.records, config.shadows
    last = size.values if config.model == "softmax" else config.width
    return {
        **in_turn(models, 2 * n, ATTACKS),
        "white": config.targets * n * (last + 64 * size.classes),
        "white step": config.targets * n,
        "black": min(size.classes, models * n) * size.classes,
        "black records": models * n * size.classes,
        "sorted": ATTACKS * models * n,
    }


def drawn(config: Config, size: Size) -> Terms:
    steps = 6 * config.steps * config.targets
    seen = records_seen(300, 16, round(0.35 * max(0, size.records - 2 * config.records)))
    return {
        "judge": seen * multiplications("judge", size.shape, size.classes),
        "attack step": steps,
        f"attack {kind_of(config, size)}": steps
        * size.classes
        * multiplications(config.model, size.shape, size.classes, config.width),
        "attack pixels": steps * size.classes * size.values,
        "decoder": config.decoder_steps,
        "decoder pixels": config.decoder_steps * size.values,
        "strangers": PUBLIC * size.values if config.data == "faces" else 0,
        "confident": 2 * 60 * size.classes * multiplications(config.model, size.shape, size.classes, config.width),
    }


def held(config: Config, size: Size, times: int) -> Terms:
    n, models = config.records, config.shadows
    at_once = min(models, AT_ONCE) if kind_of(config, size) == "dense" else 1
    return {
        "start": 1,
        f"made {size.kind}": size.records * size.values,
        "trained on": at_once * n * size.values,
        "copies": config.queries * 2 * n * size.values,
        "weights": times * models * parameters(config.model, size.shape, size.classes, config.width),
        "told": times * models * 2 * n * size.classes,
        "scored": ATTACKS * models * 2 * n,
        "layers": 2 * n * {"dense": config.width}.get(kind_of(config, size), 25 * size.values),
        "judge": parameters("judge", size.shape, size.classes) if size.kind == "pictures" else 0,
    }
