"""Shadow models at once against one by one: a part of ``make bench``.

Both ways train the same models, which must come out alike, as a reader would: whole runs, data in memory.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import torch
from torch import nn

from dpmia_lab import devices, models  # noqa: F401 (devices: one thread)
from dpmia_lab.privacy.dp_sgd import DpSgd, of_epochs
from dpmia_lab.privacy.units import units_from
from dpmia_lab.seeds import torch_generator
from dpmia_lab.stages import drain
from dpmia_lab.training import plain, private, stacked
from tests.bench_rows import ROUNDS, Row, seconds

SHADOWS, RECORDS, BITS, CLASSES = 16, 2000, 600, 10
EPOCHS, BATCH, RATE = 5, 128, 0.001
PRIVATE = of_epochs(sigma=1.0, clip=4.0, epochs=EPOCHS, batch=BATCH, units=RECORDS)
SAME = 1e-3  # weights that differ by less came out alike

Trained = list[nn.Sequential]
Sets = list[tuple[torch.Tensor, torch.Tensor]]


def membership_rows() -> Iterator[Row | str]:
    yield from shadow_rows()


# ---- shadow models
def shadow_rows() -> Iterator[Row]:
    """Softmax regression shows what is left when the arithmetic is small; a wide hidden layer is mostly arithmetic."""
    sets = bit_sets()
    for words, name in {"MLP 600-128-10": "mlp", "softmax 600-10": "softmax"}.items():
        for how, dp in {"plain": None, "DP-Adam": PRIVATE}.items():
            what = f"one by one ÷ at once: {SHADOWS} x {words}, {how}"
            yield compared(what, partial(one_by_one, name, sets, dp), partial(at_once, name, sets, dp))


def bit_sets() -> Sets:
    generators = [torch_generator(0, "bench", "set", i) for i in range(SHADOWS)]
    return [
        ((torch.rand(RECORDS, BITS, generator=g) < 0.3).float(), torch.randint(CLASSES, (RECORDS,), generator=g))
        for g in generators
    ]


def fresh(name: str) -> Trained:
    return [models.new_model(name, (BITS,), CLASSES, torch_generator(0, "bench", i)) for i in range(SHADOWS)]


def orders() -> list[torch.Generator]:
    return [torch_generator(0, "bench", "order", i) for i in range(SHADOWS)]


def at_once(name: str, sets: Sets, dp: DpSgd | None) -> Trained:
    found, usual = fresh(name), {"rate": RATE, "generators": orders()}
    if dp is None:
        drain(stacked.train(found, sets, epochs=EPOCHS, batch=BATCH, **usual))
    else:
        drain(stacked.train_privately(found, sets, dp, **usual))
    return found


def one_by_one(name: str, sets: Sets, dp: DpSgd | None) -> Trained:
    found, units = fresh(name), units_from(np.arange(RECORDS))
    for model, (x, y), order in zip(found, sets, orders(), strict=True):
        usual = {"rate": RATE, "adam": True, "generator": order}
        if dp is None:
            drain(plain.train(model, x, y, epochs=EPOCHS, batch=BATCH, **usual))
        else:
            drain(private.train(model, x, y, units, dp, **usual))
    return found


def compared(what: str, slow: Callable[[], Trained], fast: Callable[[], Trained]) -> Row:
    """How many times longer ``slow`` takes than ``fast``; first both are warmed up and must agree."""
    pairs = zip(slow(), fast(), strict=True)
    difference = max(float((a - b).abs().max()) for pair in pairs for a, b in zip(*map(parameters, pair), strict=True))
    if not difference < SAME:
        return Row(what, [], problem=f"the weights differ by {difference:.2g}")
    return Row(what, [seconds(slow) / seconds(fast) for _ in range(ROUNDS)])


def parameters(model: nn.Sequential) -> list[torch.Tensor]:
    return [p.detach() for p in model.parameters()]
