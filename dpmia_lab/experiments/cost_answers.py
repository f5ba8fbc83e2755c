"""What turning answers back into pictures costs (lesson 8): a network, decoders, GMI, update leaks, a judge."""

from dpmia_lab.cost import Cost, Terms, summed, together
from dpmia_lab.data.sizes import Size, picture_size
from dpmia_lab.experiments import confidence_curves, confidences
from dpmia_lab.experiments.confidence_attacks import MOST_ATTACKED, MOST_UPDATED
from dpmia_lab.experiments.cost_parts import SLOWER, multiplications, parameters, records_seen

PUBLIC = 1000  # pictures of strangers
NOISY = ("mid", "uniform_noise", "dropout")  # defences whose answers are drawn anew
SECONDS = {
    "adversarial": 1,
    "asked": 2.7e-11,
    "cnn": 7.1e-11,
    "decoder": 0.0062,
    "decoder pixels": 5.2e-06,
    "dense": 2e-11,
    "drawn": 9.7e-07,
    "gmi": 2e-10,
    "gmi dense": 9.4e-09,
    "gmi pixels": 4e-11,
    "gmi step": 0.0013,
    "judge": 1.8e-10,
    "load": 2e-07,
    "measured": 2e-10,
    "prior": 2e-10,
    "probed": 1.4e-10,
    "start": 0.02,
    "step": 0.00046,
    "update decoder": 0.2,
    "updates": 2.1e-09,
    "vae": 5,
    "weights": 2e-10,
}
BYTES = {
    "answers": 19,
    "changes": 8,
    "drawn": 8,
    "judge": 8,
    "judged": 30,
    "probed": 4,
    "public": 9.3,
    "start": 4.9e+07,
    "updates": 12,
    "values": 6,
}


def size_of(config: confidences.Config) -> Size:
    """Half of the AT&T people are public."""
    size = picture_size(config.data, config.people, config.pictures, config.height)
    if config.data.split(":")[0] != "att_faces":
        return size
    return Size(size.train // 2, size.test // 2, size.shape, max(2, size.classes // 2))


# ---- parts
def prepared(config: confidences.Config, size: Size) -> Terms:
    """Pictures and the judge."""
    seen = records_seen(confidences.JUDGE_STEPS, confidences.JUDGE_RECIPE.batch, round(0.2 * size.records))
    strangers = PUBLIC * size.values if config.data == "faces" else 0
    return {
        "start": 1,
        "load": size.records * size.values,
        "drawn": (size.records * size.values if config.data == "faces" else 0) + strangers,
        "judge": seen * multiplications("judge", size.shape, size.classes),
        "vae": config.prior == "vae",
    }


def network(config: confidences.Config, size: Size) -> Terms:
    steps, recipe = confidences.RECIPES[config.model]
    seen = records_seen(steps, recipe.batch, round(0.4 * size.records)) * SLOWER.get(config.defence, 1.0)
    return {
        "step": seen / recipe.batch,
        kind_of(config): seen * multiplications(config.model, size.shape, size.classes),
        "weights": seen / recipe.batch * parameters(config.model, size.shape, size.classes),
    }


def attacks(config: confidences.Config, size: Size) -> Terms:
    c, model = config, multiplications(config.model, size.shape, size.classes)
    drawn, updates = c.gmi_steps * c.restarts * size.classes, (c.updates + MOST_UPDATED) if c.updates else 0
    answers = c.answers if c.defence in NOISY else 1
    public = PUBLIC if c.data == "faces" else 0.2 * size.records
    return {
        "decoder": c.decoder_steps,
        "decoder pixels": c.decoder_steps * size.values,
        "asked": answers * (public + 2 * MOST_ATTACKED) * model,
        "gmi": drawn * (2 * model if kind_of(c) == "cnn" else 0),
        "gmi dense": drawn * (2 * model if kind_of(c) != "cnn" else 0),
        "gmi pixels": drawn * size.values * (c.components if c.prior == "pca" else 128),
        "gmi step": c.gmi_steps,
        "prior": public * size.values,
        "updates": updates * parameters(c.model, size.shape, size.classes),
        "probed": updates * c.probes * model,
        "update decoder": (c.updates > 0) + c.updates * c.probes * size.classes / 1e6,
        "adversarial": (c.adversarial > 0) * (c.updates > 0),
        "measured": min(size.records, 2 * MOST_ATTACKED) * size.records * size.values,
    }


def kind_of(config: confidences.Config) -> str:
    return "cnn" if config.model == "cnn" else "dense"


def held(config: confidences.Config, size: Size) -> Terms:
    weights = parameters(config.model, size.shape, size.classes)
    at_once = min(32, config.updates)
    layers = 25 * size.values if config.model == "cnn" else 128
    return {
        "start": 1,
        "values": size.records * size.values,
        "public": (PUBLIC if config.data == "faces" else 0) * size.values,
        "judge": parameters("judge", size.shape, size.classes),
        "judged": min(1024, size.records) * size.values,
        "updates": at_once * weights,
        "probed": at_once * config.probes * layers,
        "changes": config.updates * config.probes * size.classes,
        "drawn": config.restarts * size.classes * (size.values + layers),
        "answers": (config.answers if config.defence in NOISY else 1) * MOST_ATTACKED * size.classes,
    }


# ---- experiments
def confidences_cost(config: confidences.Config) -> Cost:
    size = size_of(config)
    work = together(prepared(config, size), network(config, size), attacks(config, size))
    return Cost(summed(work, SECONDS), summed(held(config, size), BYTES))


def curves_cost(config: confidence_curves.Config) -> Cost:
    size = size_of(config)
    base = Cost(summed(prepared(config, size), SECONDS), summed(held(config, size), BYTES))
    for point in config.points():
        one = confidence_curves.at_strength(config, *point)
        base += Cost(summed(together(network(one, size), attacks(one, size)), SECONDS), summed(held(one, size), BYTES))
    return base * config.repeats
