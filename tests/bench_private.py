"""Private training, step for step, against plain training and against Opacus: a part of ``make bench``.

A step is the same on every side: draw 256 records (always as many, so that all have the same work) and gather
them, forward, backward, clip, add noise, update.
Before timing, Opacus must find the lab's clipped sum. Memory is the highest that a step reaches above what the
process held before it, as the system counts it, each in a process of its own that has taken small steps before.
"""

import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import torch
from opacus import GradSampleModule
from opacus.grad_sample import GradSampleModuleFastGradientClipping
from opacus.optimizers import DPOptimizer, DPOptimizerFastGradientClipping
from opacus.utils.fast_gradient_clipping_utils import DPLossFastGradientClipping
from torch import nn
from torch.nn import functional as F

from dpmia_lab import devices, models  # noqa: F401 (devices: one thread)
from dpmia_lab.privacy import accounting
from dpmia_lab.privacy.clipping import Clipper
from dpmia_lab.privacy.groups import Groups
from dpmia_lab.seeds import torch_generator
from dpmia_lab.training.optimizers import Momentum
from dpmia_lab.training.private import private_gradients
from tests.bench_rows import ROUNDS, Row, seconds

RECORDS, BATCH = 1024, 256
CLIP, SIGMA, RATE = 1.0, 1.0, 0.01
GROUP_TARGET = 2.0
SAME = 1e-3  # clipped sums that differ by less of their length are the same: Opacus clips to 1e-6 below S
LONG_ENOUGH = 0.1  # seconds of one measurement, unless a single step takes longer
SLIDER = np.geomspace(0.5, 10, 25)  # σ, from one end to the other
MEMORY = Path("/proc/self/status")


@dataclass(frozen=True)
class Case:
    """A model to train, and what is asked of the lab there."""

    words: str
    make: Callable[[torch.Generator], nn.Sequential]
    shape: tuple[int, int, int]
    classes: int
    plain_target: float  # times a plain step, at most
    hooks_target: float | None = None  # Opacus' hooks over the lab, at least


def colour_cnn(generator: torch.Generator) -> nn.Sequential:
    """The small network that is often trained on CIFAR-10."""
    model = nn.Sequential(
        models.Conv2d(3, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        models.Conv2d(32, 64, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        models.Linear(64 * 8 * 8, 128),
        nn.ReLU(),
        models.Linear(128, 10),
    )
    return models.initialised(model, generator)


def of_the_lab(name: str, shape: tuple[int, int, int], classes: int) -> Callable[[torch.Generator], nn.Sequential]:
    return lambda generator: models.new_model(name, shape, classes, generator)


FACES, BITS, DIGITS = (1, 112, 92), (1, 1, 600), (1, 28, 28)
CASES = {
    "softmax": Case("softmax 10304-40", of_the_lab("softmax", FACES, 40), FACES, 40, 1.6, 10.0),
    "mlp": Case("MLP 600-128-100", of_the_lab("mlp", BITS, 100), BITS, 100, 1.7, 10.0),
    "cnn": Case("CNN 28x28", of_the_lab("cnn", DIGITS, 10), DIGITS, 10, 2.6),
    "colour": Case("CNN 32x32x3", colour_cnn, (3, 32, 32), 10, 1.6),
}


def private_rows() -> Iterator[Row | str]:
    warnings.filterwarnings("ignore", "Full backward hook is firing")  # Opacus' hooks, at a model's first layer
    # Plain training first: after Opacus' large pieces of memory the system hands out all memory faster.
    yield from map(plain_row, CASES.values())
    yield plain_row(CASES["mlp"], units=100, size=4)
    yield from chain.from_iterable(map(opacus_rows, CASES.values()))
    yield from map(memory_line, CASES)
    yield from map(slider_row, ("add-remove", "replace-one"))


# ---- the sides
class Side:
    """One way to train a case: ``step`` is a whole step; private sides also tell the ``clipped`` sum alone."""

    def __init__(self, case: Case, sizes: torch.Tensor) -> None:
        """sizes: how many records each drawn unit has."""
        generator = torch_generator(0, "bench")
        self.model, self.sizes = of_pytorch(case.make(generator)), sizes
        self.x = torch.randn(RECORDS, *case.shape, generator=generator)
        self.y = torch.randint(case.classes, (RECORDS,), generator=generator)
        self.generator = torch_generator(1, "bench")
        self.descent = torch.optim.SGD(self.model.parameters(), RATE)

    def drawn(self) -> tuple[torch.Tensor, torch.Tensor]:
        records = torch.randperm(RECORDS, generator=self.generator)[: int(self.sizes.sum())]
        return self.x[records], self.y[records]


def of_pytorch(model: nn.Sequential) -> nn.Sequential:
    """The same with PyTorch's own layers: Opacus goes by the exact type, and is slow with what it does not know."""
    for layer in model:
        layer.__class__ = {models.Linear: nn.Linear, models.Conv2d: nn.Conv2d}.get(type(layer), type(layer))
    return model


class Plain(Side):
    def step(self) -> None:
        x, y = self.drawn()
        self.descent.zero_grad()
        F.cross_entropy(self.model(x), y).backward()
        self.descent.step()


class Lab(Side):
    def __init__(self, case: Case, sizes: torch.Tensor) -> None:
        super().__init__(case, sizes)
        self.clipper = Clipper(self.model)
        self.descent = Momentum(self.clipper.parameters, RATE, momentum=0.0)

    def step(self) -> None:
        groups = Groups(self.sizes.clone())  # a new draw, nothing known of it
        gradients, _ = private_gradients(self.clipper, *self.drawn(), groups, CLIP, SIGMA, self.generator)
        self.descent.step([g.mul_(1 / groups.count) for g in gradients])

    def clipped(self, x: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
        return self.clipper.clipped_sum(x, y, Groups(self.sizes), CLIP).gradients


class Opacus(Side):
    """The parts its two ways have in common: ``backward`` is what differs."""

    def __init__(self, case: Case, sizes: torch.Tensor) -> None:
        super().__init__(case, sizes)
        noise = {"noise_multiplier": SIGMA, "max_grad_norm": CLIP, "expected_batch_size": len(sizes)}
        self.optimizer = self.dp_optimizer(self.descent, generator=self.generator, **noise)

    def step(self) -> None:
        self.optimizer.zero_grad()
        self.backward(*self.drawn())
        self.optimizer.step()


class Hooks(Opacus):
    """Holds the gradient of every record."""

    dp_optimizer = DPOptimizer

    def __init__(self, case: Case, sizes: torch.Tensor) -> None:
        super().__init__(case, sizes)
        self.hooked = GradSampleModule(self.model)

    def backward(self, x: torch.Tensor, y: torch.Tensor) -> None:
        F.cross_entropy(self.hooked(x), y).backward()

    def clipped(self, x: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
        self.backward(x, y)
        self.optimizer.clip_and_accumulate()
        return [p.summed_grad for p in self.model.parameters()]


class Ghost(Opacus):
    """Finds the norms first, and goes backward a second time with the clipped weights."""

    dp_optimizer = DPOptimizerFastGradientClipping

    def __init__(self, case: Case, sizes: torch.Tensor) -> None:
        super().__init__(case, sizes)
        self.hooked = GradSampleModuleFastGradientClipping(self.model, max_grad_norm=CLIP, use_ghost_clipping=True)
        self.loss = DPLossFastGradientClipping(self.hooked, self.optimizer, nn.CrossEntropyLoss())

    def backward(self, x: torch.Tensor, y: torch.Tensor) -> None:
        self.loss(self.hooked(x), y).backward()

    def clipped(self, x: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
        self.backward(x, y)
        return [p.grad.clone() for p in self.model.parameters()]


SIDES = {"plain": Plain, "lab": Lab, "Opacus ghost": Ghost, "Opacus hooks": Hooks}
RIVALS = ("Opacus ghost", "Opacus hooks")


# ---- time
def plain_row(case: Case, units: int = BATCH, size: int = 1) -> Row:
    """The same records on both sides."""
    sizes = torch.full((units,), size)
    times = step_times({"lab": Lab(case, sizes), "plain": Plain(case, sizes)})
    what = "record-DP ÷ plain SGD" if size == 1 else f"group-DP, {units} groups of {size} ÷ plain SGD"
    target = case.plain_target if size == 1 else GROUP_TARGET
    return Row(f"{what}: {case.words}", times["lab"] / times["plain"], target=target, sign="≤")


def opacus_rows(case: Case) -> Iterator[Row]:
    sides = {name: SIDES[name](case, torch.ones(BATCH, dtype=torch.long)) for name in ("lab", *RIVALS)}
    problems = {name: difference_from_lab(sides, name) for name in RIVALS}
    times = step_times(sides)
    for name, target in zip(RIVALS, (1.0, case.hooks_target), strict=True):
        yield Row(f"{name} ÷ lab: {case.words}", times[name] / times["lab"], target=target, problem=problems[name])


def difference_from_lab(sides: dict[str, Side], name: str) -> str:
    """Why the two must not be compared, or nothing."""
    batch = sides["lab"].x[:BATCH], sides["lab"].y[:BATCH]
    mine, theirs = (torch.cat([g.flatten() for g in sides[side].clipped(*batch)]) for side in ("lab", name))
    difference = float((theirs - mine).norm() / mine.norm())
    return "" if difference < SAME else f"the clipped sums differ by {difference:.2g} of their length"


def step_times(sides: dict[str, Side]) -> dict[str, np.ndarray]:
    """(rounds,): seconds a step of each side; the sides take turns."""
    repeats = {}
    for name, side in sides.items():
        side.step()
        repeats[name] = max(1, round(LONG_ENOUGH / seconds(side.step)))
    rounds = [[seconds_a_step(side, repeats[name]) for name, side in sides.items()] for _ in range(ROUNDS)]
    return dict(zip(sides, np.transpose(rounds), strict=True))


def seconds_a_step(side: Side, repeats: int) -> float:
    return seconds(lambda: [side.step() for _ in range(repeats)]) / repeats


def slider_row(neighbours: str) -> Row:
    """Every place of the slider once; the spread is that over places."""

    def work(sigma: float) -> float:
        return accounting.epsilon("moments", sigma=sigma, q=0.01, steps=1000, delta=1e-5, neighbours=neighbours)

    work(1.0)
    values = [1000 * seconds(lambda sigma=float(sigma): work(sigma)) for sigma in SLIDER]
    return Row(f"ε while a slider moves, {neighbours}", values, unit="ms", target=2.0, sign="≤")


# ---- memory
def memory_line(name: str) -> str:
    if not MEMORY.exists():
        return f"memory of a step: {CASES[name].words}: not measured, this system does not tell"
    command = [sys.executable, "-m", "tests.bench_private", name]
    root = Path(__file__).parent.parent
    found = [subprocess.run([*command, side], cwd=root, capture_output=True, text=True, check=True) for side in SIDES]
    words = ", ".join(f"{side} {run.stdout.strip()}" for side, run in zip(SIDES, found, strict=True))
    return f"memory of a step, MB: {CASES[name].words}: {words}"


def peak_megabytes(case: Case, kind: type[Side]) -> float:
    """How far a step rises above what was held before it, once small steps have loaded all code."""
    side = kind(case, torch.ones(8, dtype=torch.long))
    side.step()
    side.sizes = torch.ones(BATCH, dtype=torch.long)
    Path("/proc/self/clear_refs").write_text("5")  # forget earlier peaks
    before = held("VmRSS")
    side.step()
    return held("VmHWM") - before


def held(line: str) -> float:
    """MB, as of this line of the system's account of the process."""
    (words,) = (words for words in map(str.split, MEMORY.read_text().splitlines()) if words[0] == f"{line}:")
    return int(words[1]) / 1024


if __name__ == "__main__":
    warnings.filterwarnings("ignore", "Full backward hook is firing")
    print(f"{peak_megabytes(CASES[sys.argv[1]], SIDES[sys.argv[2]]):.0f}")
