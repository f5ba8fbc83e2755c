"""What it costs to fool an attacker, and to attack that: a part of ``make bench``.

DAP against plain training of the same model; sixteen shadow models with DAP at once against one by one, which must come
out alike; and the whole likelihood ratio over DAP in seconds.
"""

from collections.abc import Iterator
from functools import partial

import torch
from torch import nn

from dpmia_lab import devices  # noqa: F401 (one thread)
from dpmia_lab.data.population import load_population
from dpmia_lab.defences import Dap, Defence, RelaxLoss, Undefended
from dpmia_lab.defences.base import Recipe, Task, TrainingSet
from dpmia_lab.experiments import fooling, fooling_game
from dpmia_lab.seeds import torch_generator
from dpmia_lab.stages import drain
from tests.bench_membership import compared
from tests.bench_rows import ROUNDS, Row, milliseconds, seconds

SHADOWS, RECORDS, ASIDE, CLASSES = 16, 600, 900, 20
TASK, RECIPE = Task("bits", (600,), CLASSES, "mlp"), Recipe(epochs=10, rate=0.002, batch=64)


def fooling_rows() -> Iterator[Row | str]:
    sets = training_sets()
    for words, defence in {"DAP": Dap(), "DAP, D learns on": Dap(learns=True), "RelaxLoss": RelaxLoss()}.items():
        own = with_preparation(defence, sets)
        what = f"{words} ÷ plain training: one MLP 600-128-{CLASSES}"
        yield ratio(what, partial(one_by_one, defence, own[:1]), partial(one_by_one, Undefended(), sets[:1]))
        if words == "DAP":
            what = f"one by one ÷ at once: {SHADOWS} x MLP 600-128-{CLASSES}, DAP"
            yield compared(what, partial(one_by_one, defence, own), partial(at_once, defence, own))
            yield ratio(
                f"DAP ÷ plain training: {SHADOWS} at once", partial(at_once, defence, own),
                partial(at_once, Undefended(), sets),
            )  # fmt: skip
    game = drain(fooling.new_game(fooling.Config(epochs=RECIPE.epochs, inside=SHADOWS, looks=1)))
    drain(game.trainer.prepare(game.planted.candidates.validation))
    what = f"likelihood ratios over DAP: {SHADOWS} shadow models, {RECIPE.epochs} epochs"
    yield milliseconds(what, lambda: drain(fooling_game.defended_family(game)).scores_in_turn())


def training_sets() -> list[TrainingSet]:
    people = load_population("purchases_like", classes=CLASSES, records=ASIDE + SHADOWS * RECORDS)
    x, y = torch.from_numpy(people.x), torch.from_numpy(people.y)
    held = x[:ASIDE].float(), y[:ASIDE]
    starts = [ASIDE + place * RECORDS for place in range(SHADOWS)]
    return [TrainingSet(x[start : start + RECORDS], y[start : start + RECORDS], held) for start in starts]


def with_preparation(defence: Defence, sets: list[TrainingSet]) -> list[TrainingSet]:
    """What all models share is made once, and not timed."""
    made = drain(defence.prepare(TASK, sets[0].held, RECIPE, torch_generator(0, "bench", "prepared")))
    return [TrainingSet(own.x, own.y, own.held, prepared=made) for own in sets]


def fresh(defence: Defence, count: int) -> list[nn.Module]:
    return [defence.fresh_model(TASK, torch_generator(0, "bench", place)) for place in range(count)]


def orders(count: int) -> list[torch.Generator]:
    return [torch_generator(0, "bench", "order", place) for place in range(count)]


def at_once(defence: Defence, sets: list[TrainingSet]) -> list[nn.Module]:
    models = fresh(defence, len(sets))
    drain(defence.train_many(models, sets, RECIPE, orders(len(sets))))
    return models


def one_by_one(defence: Defence, sets: list[TrainingSet]) -> list[nn.Module]:
    models = fresh(defence, len(sets))
    for model, own, order in zip(models, sets, orders(len(sets)), strict=True):
        drain(defence.train(model, own, RECIPE, order))
    return models


def ratio(what: str, slow, fast) -> Row:
    """Of two things that need not come out alike."""
    slow(), fast()
    return Row(what, [seconds(slow) / seconds(fast) for _ in range(ROUNDS)])
