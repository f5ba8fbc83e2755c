"""Paper E's hundred models: in the span and on Gram matrices against one by one in full, a part of ``make bench``.

Random pictures as large as the AT&T faces (280 of them, 92 x 112, 40 people); the work is one cell's: private training
and the attack on all people of every model, without the judge. One by one means ``private.train`` and
``original.fredrikson``. Their noise differs, so that only the tests can hold them equal; here both must take the same
steps. The rows on growth tell how many times longer the same work takes with twice as much of one thing.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import torch

from dpmia_lab import devices, models  # noqa: F401 (devices: one thread)
from dpmia_lab.attacks.inversion import gram, original
from dpmia_lab.privacy.dp_sgd import DpSgd
from dpmia_lab.privacy.units import units_from
from dpmia_lab.seeds import torch_generator
from dpmia_lab.stages import drain
from dpmia_lab.training import private
from dpmia_lab.training.span import across_deviation, full_weights, span_of, train
from tests.bench_rows import Row, seconds

ROUNDS = 3
RATE = 0.005
# A private model's attack ends after about three steps (its cost is down by then); here always after ten.
ATTACK = {"steps": 10, "rate": 0.1, "patience": 11, "goal": -1.0}
TARGET = 20.0


@dataclass(frozen=True)
class Size:
    models: int = 100
    people: int = 40
    height: int = 112
    steps: int = 121  # T: paper E's cells have 121 (ε = 2, σ = 2) to 13,101 (ε = 8, σ = 6)
    pictures: int = 7  # a person

    @property
    def dp(self) -> DpSgd:
        return DpSgd(sigma=2.0, q=0.1, clip=4.0, steps=self.steps)

    @property
    def shape(self) -> tuple[int, int, int]:
        return 1, self.height, round(self.height * 92 / 112)


def evaluation_rows() -> Iterator[Row]:
    yield one_by_one_row(Size())
    yield one_by_one_row(Size(steps=1276))  # ε = 8, σ = 2
    usual = Size(models=40, people=20, height=56, steps=100)
    for what, larger in {
        "models": replace(usual, models=80),
        "people": replace(usual, people=40),
        "pixels": replace(usual, height=80),  # twice as many, within 2 %
    }.items():
        yield growth_row(f"twice the {what} ÷ once: training and attack", usual, larger)


def one_by_one_row(size: Size) -> Row:
    """A model's share of the time at once, against one model in full: one is enough, for all take the same."""
    what = f"one by one in full ÷ at once: {size.models} models, 92x112, T = {size.steps}"
    slow, fast = in_full(size), at_once(size)
    slow(), fast()
    return Row(what, [seconds(slow) * size.models / seconds(fast) for _ in range(ROUNDS)], target=TARGET)


def growth_row(what: str, once: Size, twice: Size) -> Row:
    small, large = at_once(once), at_once(twice)
    small(), large()
    return Row(what, [seconds(large) / seconds(small) for _ in range(ROUNDS)])


def pictures(size: Size) -> tuple[torch.Tensor, torch.Tensor]:
    """Centred pictures about as long as those of real people are, and whose they are."""
    count = size.people * size.pictures
    x = 0.18 * torch.randn(count, *size.shape, generator=torch_generator(0, "bench"))
    return x, torch.arange(count) % size.people


def in_full(size: Size) -> Callable[[], torch.Tensor]:
    """Train one model in all its dimensions and attack its people."""
    x, y = pictures(size)
    units = units_from(range(len(x)))

    def work() -> torch.Tensor:
        model = models.softmax_regression(size.shape, size.people)
        drain(private.train(model, x, y, units, size.dp, rate=RATE, generator=torch_generator(1, "bench")))
        return drain(original.fredrikson(model, torch.arange(size.people), size.shape, **ATTACK)).x

    return work


def at_once(size: Size) -> Callable[[], torch.Tensor]:
    """Train all models and attack their people, the pictures of ten models at a time."""
    x, y = pictures(size)
    flat = x.flatten(1)

    def work() -> torch.Tensor:
        span, own = span_of(flat), [torch_generator(1, "bench", i) for i in range(size.models)]
        weights = drain(train(span, y, size.people, size.dp, rate=RATE, generators=own))
        deviation = across_deviation(size.dp, len(x), RATE)
        for start in range(0, size.models, 10):
            some = slice(start, start + 10)
            full, bias = full_weights(span, weights[some], deviation, own[some])
            found = drain(gram.fredrikson(full @ full.mT, bias, **ATTACK))
            drawn = found.a @ full
        return drawn

    return work


if __name__ == "__main__":
    for row in evaluation_rows():
        print(row, flush=True)
