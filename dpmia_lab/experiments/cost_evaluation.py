"""What a cell of lesson 6 costs: many softmax regressions trained in the span of their inputs, attacked and judged."""

from dpmia_lab.checks import Mistake
from dpmia_lab.cost import Cost, Terms, summed
from dpmia_lab.data.sizes import Size, picture_size
from dpmia_lab.experiments import evaluation, inversion
from dpmia_lab.experiments.cost_parts import multiplications, parameters, records_seen

PUBLIC = 1000  # pictures of strangers
GROUPS = len(evaluation.GROUPS) - 1  # of models for comparison
SECONDS = {
    "accuracy": 1.7e-09,
    "attack": 3e-10,
    "attack step": 1e-05,
    "drawn": 6.9e-07,
    "drawn joins": 6.2e-08,
    "full": 2e-11,
    "judge": 6e-11,
    "judged": 1e-11,
    "load": 1.9e-06,
    "matched": 5e-11,
    "noise": 2.8e-09,
    "plain": 1e-10,
    "prior": 8.3e-07,
    "private": 6e-11,
    "span": 1e-10,
    "ssim": 1.6e-08,
    "start": 0.38,
    "step": 0.0001,
}
BYTES = {
    "full": 6.4,
    "judge": 8,
    "judged": 30,
    "prior": 8,
    "said": 13000,
    "span": 8,
    "start": 2.3e+07,
    "values": 99,
    "weights": 53,
}


def evaluation_cost(config: evaluation.Config) -> Cost:
    size = picture_size(config.data, config.people, config.pictures, config.height)
    return Cost(summed(work(config, size), SECONDS), summed(held(config, size), BYTES))


def steps_of(config: evaluation.Config, size: Size) -> int:
    """T, as ε pays for it."""
    try:
        return evaluation.defence_of(config, size.train).steps
    except Mistake:  # said when the run begins
        return 1


def work(config: evaluation.Config, size: Size) -> Terms:
    span, batch = min(size.train, size.values) + 1, config.q * size.train
    steps, private, others = steps_of(config, size), config.models, GROUPS * config.others
    weights, models = span * size.classes, config.models + GROUPS * config.others
    seen = records_seen(inversion.JUDGE_STEPS, inversion.JUDGE_RECIPE.batch, size.test)
    pictures = models * size.classes * (3 if config.prior else 2)
    return {
        "start": 1,
        "drawn": (size.records + PUBLIC * config.prior) * size.values * (config.data == "faces"),
        "load": size.records * size.values,
        "span": min(size.train, size.values) ** 2 * max(size.train, size.values),
        "step": steps,
        "noise": private * steps * weights,
        "private": private * steps * batch * weights,
        "drawn joins": private * steps * size.train,
        "plain": others * (3000 * 2 + 500 * batch) * weights,
        "attack": models * config.attack_steps * size.classes**2,
        "attack step": config.attack_steps * models,
        "full": models * size.classes * size.values * span,
        "accuracy": models * size.classes * size.values * size.records,
        "judge": seen * multiplications("judge", size.shape, size.classes),
        "judged": pictures * multiplications("judge", size.shape, size.classes),
        "matched": pictures * size.test * size.values,
        "ssim": min(config.ssim_models, models) * size.classes * size.test * size.values,
        "prior": models * size.classes * size.values * config.prior,
    }


def held(config: evaluation.Config, size: Size) -> Terms:
    models, span = config.models + GROUPS * config.others, min(size.train, size.values) + 1
    return {
        "start": 1,
        "values": size.records * size.values,
        "span": (size.train * span + size.values * span) * (size.train < size.values),
        "weights": models * span * size.classes,
        "full": max(4_000_000, size.classes * size.values),
        "judge": parameters("judge", size.shape, size.classes),
        "judged": min(1024, size.records) * size.values,
        "prior": PUBLIC * size.values * config.prior,
        "said": models * size.classes,
    }
