"""Lesson 9's experiment: a model learns to fool an attacker, then meets those it did not learn to fool (paper D).

Epoch by epoch two losses pull at the model. Then every attacker has a turn: paper D's own, the discriminator itself,
likelihood ratios with shadow models of the same defence and of none, labels alone; and canaries, the worst case.
The undefended shadow models, asked while they train, are early stopping at every epoch, which any defence must beat.
"""

from collections.abc import Mapping

import numpy as np

from dpmia_lab.experiments.fooling_game import Config, Game, defended_family, new_game, undefended_family
from dpmia_lab.experiments.fooling_rows import (
    LAMBDAS,
    NAMES,
    PAPER,
    PROTOCOLS,
    family_rows,
    held_rows,
    strongest,
    target_rows,
    trade_rows,
)
from dpmia_lab.experiments.fooling_target import (
    ALL,
    CURVE,
    QUICK,
    STRONG,
    Target,
    quick_scores,
    strong_scores,
    watched_target,
)
from dpmia_lab.experiments.fooling_turns import TURNS, Turns, looked, matched_numbers, stopping_curve
from dpmia_lab.game.families import Family
from dpmia_lab.game.play import scores_name
from dpmia_lab.rows import Rows
from dpmia_lab.stages import Progress, Snapshot, Stage, part, stretches
from dpmia_lab.store import Result

__all__ = [  # what pages and commands read here, whichever file has it
    "ATTACKS", "CURVE", "LAMBDAS", "NAMES", "PAPER", "PRESETS", "PROTOCOLS", "SMALL", "TITLE", "TURNS", "Config",
    "new_game", "run", "strongest",
]  # fmt: skip
TITLE = "Train a model to fool an attacker, then let stronger ones try: DAP, its rivals, canaries, early stopping"
ATTACKS = {name: ALL[name].words for name in (*QUICK, *STRONG)}  # words for pages
ATTACKS |= {
    "lira_stopped": "likelihood ratio, shadow models as sure as the target",
    "lira_labels": "likelihood ratio of labels of varied copies",
    "lira_offline": ALL["lira_offline"].words,
    "paper": "the best of paper D's attacks",
    "best": "the best of the likelihood ratios",
}
SMALL = Config(
    data="purchases_like", classes=5, records=60, epochs=3, width=8, inside=6, unadapted=6, canaries=6, looks=2,
    teachers=2,
)  # fmt: skip
PRESETS = {
    "carts": Config(),
    "digits": Config(data="mnist", records=500, r=2.0, layers="all"),
    "hospital": Config(data="hospital_like", classes=50, records=800),
    "faces": Config(data="faces", people=50, pictures=16, records=120, model="transfer", epochs=60, batch=32),
    "objects": Config(
        data="objects", records=400, model="cnn", epochs=12, rate=0.001, inside=6, unadapted=6, looks=5, teachers=2
    ),
}


def run(config: Config) -> Stage[Result]:
    """Numbers: accuracies, the epoch kept, early stopping at equal accuracy. Rows: of every attack and protocol.

    Arrays: ``curve_…`` (an epoch each), ``member``, ``kind``, ``scores_ATTACK`` (a candidate each), ``turns_…``
    (models, candidates), ``look_…`` and ``stopping_…`` (a look each).
    """
    yield Progress(0, 1, "loading data")
    game = yield from part(new_game(config), 0.0, 0.03)
    learning, attacking, shadows, undefended = stretches(2.5, 1.0, 2.0 * config.inside / 8, config.unadapted / 8)

    def placed(stage: Stage, stretch: tuple[float, float], label: str = "") -> Stage:
        return part(stage, *(0.03 + 0.95 * end for end in stretch), label)

    target = yield from placed(watched_target(game), learning)
    yield Snapshot("member", 0, game.member)
    scores = yield from placed(quick_scores(game, target), attacking)
    family = yield from placed(defended_family(game), shadows, "training shadow models with the defence")
    scores |= yield from strong_scores(game, target, family, "both", STRONG[:3])
    plain = yield from placed(undefended_family(game), undefended, "training shadow models without it")
    scores |= yield from strong_scores(game, target, plain, "unadapted", STRONG[3:])
    return (yield from part(measured(game, target, scores, family, plain), 0.98, 1.0))


# ---- what came out
def measured(
    game: Game, target: Target, scores: Mapping[str, np.ndarray], family: Family, plain: Family
) -> Stage[Result]:
    config, trainer = game.config, game.trainer
    rows = yield from part(target_rows(game, scores), 0.0, 0.5)
    everyone = Turns(family, target.family)
    own, none = family_rows(game, everyone, config.defence), family_rows(game, Turns(plain), "none")
    curve = stopping_curve(game, plain)
    rows += own + (none if config.defence != "none" else [])
    rows += held_rows(game, target, plain)
    rows += trade_rows(Rows(tuple(rows), NAMES), config.defence, game.population.classes)
    outputs = trainer.outputs(target.model, game.planted.candidates.alike.records)
    right = outputs.confidences.argmax(1) == outputs.y
    promised = trainer.defence.promise(trainer.task, trainer.recipe, int(game.member.sum()))
    numbers = {
        "train_accuracy": float(right[game.member & game.ordinary].mean()),
        "test_accuracy": float(right[~game.member & game.ordinary].mean()),
        "chance": 1 / game.population.classes,
        "members": float(game.member.sum()),
        "kept_epoch": target.kept,
        **({} if promised is None else {"epsilon_tight": promised.epsilon, "delta": promised.delta}),
        **matched_numbers(
            everyone.accuracies(game.ordinary), strongest(Rows(tuple(rows), NAMES), config.defence), curve
        ),
    }
    yield Progress(1, 1, "measuring")
    return Result(numbers, arrays_of(game, target, scores, everyone, plain, curve, outputs.y), Rows(tuple(rows), NAMES))


def arrays_of(
    game: Game,
    target: Target,
    scores: Mapping[str, np.ndarray],
    everyone: Turns,
    plain: Family,
    curve: Mapping[str, np.ndarray],
    y: np.ndarray,
) -> dict[str, np.ndarray]:
    return {
        "member": game.member,
        "kind": game.planted.kind,
        "y": y,
        "names": np.array(game.population.class_names),
        **{f"curve_{name}": target.curve[:, place] for place, name in enumerate(CURVE)},
        **{scores_name(name): own.astype(np.float32) for name, own in scores.items()},
        "turns_scores": everyone.scores("lira_levelled").astype(np.float32),
        "turns_inside": everyone.inside,
        "undefended_scores": plain.scores_in_turn().astype(np.float32),
        "undefended_inside": plain.inside,
        **looked("look", game, everyone),
        **curve,
    }
