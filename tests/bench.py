"""How fast the lab is, as ratios: run it with ``make bench``.

Two ways of doing the same work take turns (A, B, A, B, …) and each round gives one ratio, so that what else
the machine does touches both alike. The work has one thread and its processor time is compared, which does
not count the time lent to other programs. Before timing, both ways must draw the same pictures.
Private training is compared likewise, in ``bench_private.py``, membership inference in ``bench_membership.py`` and
``bench_attacks.py``, defences that fool an attacker in ``bench_fooling.py``, paper E's hundred models in
``bench_evaluation.py``, attribute inference in ``bench_tables.py``, attacks on confidences in ``bench_confidences.py``;
the playground in ``bench_playground.py``; how soon pages answer a reader is in
``bench_pages.py`` and ``bench_playground_page.py``, and what opening one takes in ``bench_opening.py``.
A report, not a test: it always ends with exit code 0.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from unittest import mock

import numpy as np
import torch
from torch import nn

from dpmia_lab import devices  # noqa: F401 (one thread)
from dpmia_lab.attacks.inversion import enhanced as enhanced_attack
from dpmia_lab.attacks.inversion import original as original_attack
from dpmia_lab.attacks.inversion.costs import Reconstructions
from dpmia_lab.experiments.inversion import Config, loaded, trained_target
from dpmia_lab.metrics.reconstruction import viewable
from dpmia_lab.plots import inversion as plots
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import Event, Snapshot, Stage, drain
from dpmia_lab.widgets.kit.pictures import people_html
from dpmia_lab.widgets.kit.runner import Runner
from tests.bench_attacks import attack_rows
from tests.bench_confidences import confidence_rows
from tests.bench_evaluation import evaluation_rows
from tests.bench_fooling import fooling_rows
from tests.bench_membership import membership_rows
from tests.bench_opening import opening_rows
from tests.bench_pages import page_rows
from tests.bench_playground import playground_rows
from tests.bench_playground_page import playground_page_rows
from tests.bench_private import private_rows
from tests.bench_rows import HEADER, ROUNDS, Row, milliseconds, seconds
from tests.bench_tables import table_rows

STEPS = 25  # of each attack compared
REPORTED_STEPS = 150  # of the run shown on a page: long enough for several reports
TARGET = 5.0
SAME = 1e-3  # pictures in [0, 1] that differ by less (a quarter of a grey level) are the same
SHOWN = 10  # pairs of pictures on a page at once
NO_ART = "(ART's MIFace: skipped, ART is not installed; `make bench` installs it)"
SECTIONS = {
    "Private training": private_rows,
    "Membership inference": lambda: chain(membership_rows(), attack_rows()),
    "Fooling an attacker": fooling_rows,
    "A hundred models a cell": evaluation_rows,
    "One attribute of a table": table_rows,
    "Confidences back into faces": confidence_rows,
    "The playground, in milliseconds of the wall clock": playground_rows,
    "Opening a page": opening_rows,
    "Pages, in milliseconds of the wall clock": lambda: chain(page_rows(), playground_page_rows()),
}

Pictures = Callable[[], np.ndarray]  # one way to draw a picture of every label


@dataclass(frozen=True)
class Victim:
    """A trained model, and what an attacker knows of it."""

    words: str
    model: nn.Module
    shape: tuple[int, int, int]
    classes: int
    rate: float  # of the original attack, as in the lab's presets

    @property
    def labels(self) -> torch.Tensor:
        return torch.arange(self.classes)


def main() -> None:
    start = time.monotonic()
    print(f"On the processor, {torch.get_num_threads()} thread, torch {torch.__version__}; ", end="")
    print(f"{ROUNDS} rounds after a warm-up; {STEPS} steps an attack.\na ÷ b: how many times longer a takes than b")
    print(f"\n{HEADER}", flush=True)
    faces = trained("softmax, 40 faces 56x46", Config(), rate=0.3)
    digits = trained("CNN, 10 digits 28x28", Config(data="mnist", model="cnn"), rate=1.0)
    for row in chain(batch_rows(faces, TARGET), batch_rows(digits), art_rows([faces, digits]), drawing_rows(faces)):
        print(row, flush=True)
    for title, rows in SECTIONS.items():
        print(f"\n{title}")
        for row in rows():
            print(row, flush=True)
    print(f"\ntook {time.monotonic() - start:.0f} s")


def trained(words: str, config: Config, rate: float) -> Victim:
    data = loaded(config)
    model = drain(trained_target(config, data)).cpu()
    return Victim(words, model, data.shape, data.classes, rate)


# ---- measuring
def compared(
    what: str, slow: Pictures, fast: Pictures, target: float | None = None, clock: Callable = time.process_time
) -> Row:
    """How many times longer ``slow`` takes than ``fast``; first both are warmed up and must agree."""
    difference = np.abs(slow() - fast()).max()
    if not difference < SAME:
        return Row(what, [], problem=f"the pictures differ by {difference:.2g}")
    return Row(what, [seconds(slow, clock) / seconds(fast, clock) for _ in range(ROUNDS)], target=target)


# ---- all labels in one batch, against one by one
def batch_rows(victim: Victim, target: float | None = None) -> Iterator[Row]:
    attacks = {
        "original": lambda labels: original(victim, labels),
        "enhanced, no prior": lambda labels: enhanced(victim, labels, "none"),
        "enhanced, btv": lambda labels: enhanced(victim, labels, "btv"),
    }
    for name, attack in attacks.items():
        what = f"one by one ÷ one batch: {victim.words}, {name}"
        yield compared(what, one_by_one(attack, victim.labels), one_batch(attack, victim.labels), target)


def original(victim: Victim, labels: torch.Tensor) -> Stage[Reconstructions]:
    """Without an early stop: no cost reaches −1, and patience outlasts the steps."""
    return original_attack.fredrikson(
        victim.model, labels, victim.shape, steps=STEPS, rate=victim.rate, patience=STEPS + 1, goal=-1.0
    )


def enhanced(victim: Victim, labels: torch.Tensor, prior: str, steps: int = STEPS) -> Stage[Reconstructions]:
    return enhanced_attack.enhanced(
        victim.model, labels, victim.shape, steps=steps, rate=0.01, prior=prior, weight=1e-6, box=True
    )


def one_batch(attack: Callable, labels: torch.Tensor) -> Pictures:
    return lambda: drain(attack(labels)).x.numpy()


def one_by_one(attack: Callable, labels: torch.Tensor) -> Pictures:
    return lambda: np.concatenate([drain(attack(label[None])).x.numpy() for label in labels])


# ---- against another toolbox
def art_rows(victims: list[Victim]) -> Iterator[Row | str]:
    """Same attack, same model, same number of steps: the ratio of the totals is that of one iteration."""
    try:
        import art  # noqa: F401
    except ImportError:
        yield NO_ART
        return
    for victim in victims:
        classifier = art_classifier(victim)
        yield art_row("MIFace ÷ lab", classifier, victim, batch=1)  # as it comes
        yield art_row("MIFace, all labels at once ÷ lab", classifier, victim, batch=victim.classes)


def art_row(words: str, classifier, victim: Victim, batch: int) -> Row:
    what = f"{words}: {victim.words}"
    theirs = miface(classifier, victim, batch)
    taken, wanted = gradient_calls(classifier, theirs), STEPS * victim.classes // batch
    if taken != wanted:
        return Row(what, [], problem=f"ART took {taken} gradients instead of {wanted}")
    return compared(what, theirs, one_batch(lambda labels: original(victim, labels), victim.labels), TARGET)


def art_classifier(victim: Victim):
    from art.estimators.classification import PyTorchClassifier

    return PyTorchClassifier(
        nn.Sequential(victim.model, nn.Softmax(dim=1)),
        loss=nn.CrossEntropyLoss(),  # asked for, not used by MIFace
        input_shape=victim.shape,
        nb_classes=victim.classes,
        device_type="cpu",
    )


def miface(classifier, victim: Victim, batch: int) -> Pictures:
    """ART goes on *while* the cost is at most the threshold: 1 keeps it going to the last step."""
    from art.attacks.inference.model_inversion import MIFace

    attack = MIFace(
        classifier,
        max_iter=STEPS,
        window_length=STEPS + 1,
        threshold=1.0,
        learning_rate=victim.rate,
        batch_size=batch,
        verbose=False,
    )
    return lambda: attack.infer(None, victim.labels.numpy())


def gradient_calls(classifier, work: Callable[[], object]) -> int:
    with mock.patch.object(classifier, "class_gradient", wraps=classifier.class_gradient) as gradient:
        work()
    return gradient.call_count


# ---- what a page costs
def drawing_rows(victim: Victim) -> Iterator[Row]:
    random = numpy_generator(0, "bench")
    truth = random.random((victim.classes, *victim.shape), dtype=np.float32)
    frame = (truth * 255).astype(np.uint8)
    yield milliseconds(f"a frame of the time-lapse: {SHOWN} pairs of pictures", lambda: drawn_people(truth, frame))
    yield milliseconds("a chart, drawn and made into SVG", lambda: drawn_chart(random, victim.classes))
    yield compared(
        f"run reported to a page ÷ bare run ({REPORTED_STEPS} steps, wall clock)",
        lambda: reported(page_run(victim), truth),
        lambda: bare(page_run(victim)),
        clock=time.perf_counter,
    )


def drawn_people(truth: np.ndarray, x: np.ndarray) -> str:
    names = [f"class {i + 1}" for i in range(SHOWN)]
    return people_html(names, truth[:SHOWN], x[:SHOWN], [""] * SHOWN)


def drawn_chart(random: np.random.Generator, classes: int) -> str:
    own, *others = (random.random(classes) for _ in range(1 + len(plots.BASELINES)))
    baselines, names = dict(zip(plots.BASELINES, others, strict=True)), [f"class {i + 1}" for i in range(classes)]
    return plots.per_class_chart(own, baselines, "distance", names, width=760).svg()


def page_run(victim: Victim) -> Stage[Reconstructions]:
    return enhanced(victim, victim.labels, "btv", REPORTED_STEPS)


def bare(stage: Stage[Reconstructions]) -> np.ndarray:
    """In a thread of its own too, so that only the reporting differs."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(drain, stage).result().x.numpy()


def reported(stage: Stage[Reconstructions], truth: np.ndarray) -> np.ndarray:
    """Through a Runner, while the main thread's loop draws what it reports, as the page does."""

    def draw(events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Snapshot):
                drawn_people(truth, viewable(event.array))

    async def page() -> np.ndarray:
        loop = asyncio.get_running_loop()
        end = loop.create_future()
        Runner(loop.call_soon_threadsafe).start(lambda: stage, draw, lambda result, problem: end.set_result(result))
        return (await end).x.numpy()

    return asyncio.run(page())


if __name__ == "__main__":
    main()
