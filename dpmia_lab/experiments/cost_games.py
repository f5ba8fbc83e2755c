"""What membership inference costs (lessons 4, 5, 9): a target and many shadow models, trained, asked, compared."""

import math

from dpmia_lab.cost import Cost, Terms, summed, together
from dpmia_lab.data.sizes import Size, population_size
from dpmia_lab.experiments import fooling, fooling_table, mechanisms, membership
from dpmia_lab.experiments.cost_parts import SLOWER, multiplications, parameters
from dpmia_lab.game.families import QUERIES
from dpmia_lab.game.settings import Settings
from dpmia_lab.game.trainer import AT_ONCE

CORE, FEATURES = 1200, 128  # a public core: pictures it is trained on, what it makes of one
SECONDS = {
    "asked": 2e-09,
    "asked cnn": 3e-11,
    "asked dense": 1e-11,
    "asked graph": 1e-10,
    "black": 0.00019,
    "black records": 2e-08,
    "classifiers": 0.42,
    "cnn": 5e-11,
    "core": 2.2e-10,
    "dense": 5.3e-11,
    "epoch": 0.011,
    "forest": 1e-07,
    "graph": 3.1e-10,
    "made bits": 1e-08,
    "made graphs": 5.5e-08,
    "made pictures": 5e-08,
    "pairs": 4.4e-08,
    "scored": 9.2e-06,
    "start": 0.22,
    "step": 0.0001,
    "taught": 1e-07,
    "turn": 2e-05,
    "turns": 1.5e-07,
    "values": 3.5e-10,
    "weights": 1e-09,
    "white": 2e-09,
    "white step": 2e-05,
}
BYTES = {
    "kept": 8,
    "layers": 4,
    "made bits": 2,
    "made graphs": 6,
    "made pictures": 6,
    "said": 8,
    "start": 7e+07,
    "trained on": 4,
    "weights": 12,
}


def size_of(config: Settings, times: int) -> Size:
    """``times``: so many times as many records are generated as are trained on."""
    made = times * config.records
    return population_size(config.data, config.classes, made, config.people, config.pictures, config.height)


def seen_shape(config: Settings, size: Size) -> tuple[int, ...]:
    """Of what the model is given."""
    return (FEATURES,) if config.model == "transfer" else size.shape


def loaded(config: Settings, size: Size) -> Terms:
    made = {f"made {size.kind}": size.records * size.values}
    if config.model != "transfer":
        return {"start": 1, **made}
    core = 10 * CORE * multiplications("cnn", size.shape, 100) + size.records * multiplications("cnn", size.shape, 100)
    return {"start": 1, **made, "core": core, "made pictures": (size.records + CORE) * size.values}


def trained(config: Settings, size: Size, models: int, defended: bool = True) -> Terms:
    shape, kind = seen_shape(config, size), kind_of(config, size)
    seen, at_once = models * config.epochs * config.records, AT_ONCE if kind == "dense" else 1
    slower = SLOWER.get(config.defence, 1.0) if defended else 1.0
    steps = config.epochs * max(1, config.records / config.batch)
    return {
        "step": slower * steps * math.ceil(models / at_once),
        kind: slower * seen * multiplications(config.model, shape, size.classes, config.width),
        "values": slower * seen * math.prod(shape),
        "weights": slower * models * steps * parameters(config.model, shape, size.classes, config.width),
    }


def asked(config: Settings, size: Size, records: float) -> Terms:
    shape, kind = seen_shape(config, size), kind_of(config, size)
    work = records * multiplications(config.model, shape, size.classes, config.width)
    return {f"asked {kind}": work, "asked": records * (size.values + size.classes)}


def kind_of(config: Settings, size: Size) -> str:
    if config.model in ("softmax", "mlp", "transfer"):
        return "dense"
    return "graph" if size.kind == "graphs" else "cnn"


def white_box(config: Settings, size: Size) -> Terms:
    last = {"softmax": math.prod(seen_shape(config, size))}.get(config.model, config.width)
    return {"white": config.records * (last + 64 * size.classes), "white step": config.records}


def black_box(config: Settings, size: Size, models: float) -> Terms:
    """A classifier for every class that comes, and more to learn for each of them the more classes there are."""
    coming = min(size.classes, 2 * models * config.records)
    return {"black": coming * size.classes, "black records": models * config.records * size.classes}


def in_turn(models: int, records: float, times: float) -> Terms:
    """Likelihood ratios of every model from all the others."""
    return {"turns": times * models**2 * records, "turn": times * models}


def held(config: Settings, size: Size, models: int, kept: float = 0.0) -> Terms:
    """``kept``: numbers that models said."""
    shape, at_once = seen_shape(config, size), min(models, AT_ONCE) if kind_of(config, size) == "dense" else 1
    widest = {"dense": config.width}.get(kind_of(config, size), 25 * math.prod(shape))
    return {
        "start": 1,
        f"made {size.kind}": size.records * size.values,
        "trained on": at_once * config.records * math.prod(shape),
        "weights": at_once * parameters(config.model, shape, size.classes, config.width),
        "layers": min(1024, 2 * config.records) * widest,
        "said": config.records * size.classes,
        "kept": kept,
    }


def cost_of_terms(work: Terms, memory: Terms) -> Cost:
    return Cost(summed(work, SECONDS), summed(memory, BYTES))


# ---- experiments
def membership_cost(config: membership.Config) -> Cost:
    size, n = size_of(config, 6), config.records
    reserve = min(1000, 4 * n / 5)
    said = config.shadows * (4 * n + reserve) + config.inside * 2 * n + 2 * membership.LOOKS * min(n, 2000) + 2 * n
    work = [loaded(config, size), trained(config, size, 1), trained(config, size, config.shadows + config.inside)]
    work += [asked(config, size, said), {"pairs": n * reserve, "scored": (config.shadows + config.inside) * n}]
    work += [white_box(config, size)] if config.white_box else []
    work += [black_box(config, size, config.shadows)] if config.shadows else []
    kept = (config.shadows * (4 * n * size.classes + n) + config.inside * 2 * n) + n * reserve
    return cost_of_terms(together(*work), held(config, size, max(config.shadows, config.inside), kept))


def mechanisms_cost(config: mechanisms.Config) -> Cost:
    return sum((membership_cost(one) for one in config.settings()), Cost()) * config.repeats


def fooling_cost(config: fooling.Config) -> Cost:
    size = size_of(config, 8)
    return cost_of_terms(fooling_work(config, size, config.unadapted), fooling_held(config, size))


def fooling_work(config: fooling.Config, size: Size, unadapted: int) -> Terms:
    n, inside = config.records, config.inside
    looks = len(config.moments())
    families, teachers = inside + unadapted, config.teachers
    said = families * 2 * n * (looks + 1 + QUERIES) + 2 * n * (2 * config.epochs + 34) + 4 * n * teachers
    turns = [in_turn(count, 2 * n, looks + 8) for count in (inside + 1, unadapted)]
    return together(
        loaded(config, size), trained(config, size, 1), trained(config, size, inside),
        trained(config, size, unadapted + teachers, defended=False), asked(config, size, said), *turns,
        {"taught": teachers * n * size.classes, "forest": n * size.classes, "epoch": config.epochs, "classifiers": 1},
    )  # fmt: skip


def fooling_held(config: fooling.Config, size: Size) -> Terms:
    looks, n = len(config.moments()), config.records
    kept = 2 * n * (looks + 3) * (config.inside + config.unadapted) + 6 * n * size.classes
    return held(config, size, max(config.inside, config.unadapted, config.teachers), kept)


def table_cost(config: fooling_table.Config) -> Cost:
    size, total = size_of(config, 8), Cost()
    for name in config.chosen():
        one = config.column(name, 0)
        unadapted = config.unadapted if name == "none" else 0
        total += cost_of_terms(fooling_work(one, size, unadapted), fooling_held(one, size))
    return total * config.repeats
