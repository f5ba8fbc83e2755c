"""What the costs of experiments are made of: how much work a model is, for one record and for a whole training."""

import math

from dpmia_lab.experiments.inversion import LEAST_EPOCHS

SLOWER = {  # training with a defence, in the time of training without: other defences take about as long
    "central": 3.0,
    "units": 3.0,
    "dap": 4.0,
    "adversarial": 3.0,
    "stopping": 2.0,
    "relaxloss": 2.0,
    "hamp": 2.0,
    "smoothing": 1.5,
    "mid": 1.5,
    "dp_sgd": 3.0,
}


def multiplications(model: str, shape: tuple[int, ...], classes: int, width: int = 128) -> float:
    """Of one record on its way through the model; a user's own model counts as the convolutional one."""
    values = math.prod(shape)
    if model == "softmax":
        return values * classes
    if model == "mlp" or len(shape) == 1:
        return values * width + width * classes
    if len(shape) == 2:  # a graph
        return 100 * values + 2500 * shape[0] + 128 * classes
    channels, pixels = shape[0], shape[1] * shape[2]
    if model == "judge":
        return 750 * channels * pixels + 750 * pixels + 10_000 + 100 * classes
    return 100 * channels * pixels + 800 * pixels + 256 * pixels + 128 * classes


def parameters(model: str, shape: tuple[int, ...], classes: int, width: int = 128) -> float:
    if len(shape) < 3 or model in ("softmax", "mlp"):
        return min(multiplications(model, shape, classes, width), 1e5 if len(shape) == 2 else math.inf)
    pixels = shape[1] * shape[2]
    return (750 if model == "judge" else 256) * pixels + 15_000 + 128 * classes


def records_seen(steps: int, batch: int, records: int) -> float:
    """By a training of about so many steps, as ``inversion.long_enough`` has it."""
    return max(LEAST_EPOCHS * records, steps * batch)
