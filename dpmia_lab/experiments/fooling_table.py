"""Paper D's table, and what it leaves out: every defence, several seeds, the paper's attackers and stronger ones.

A column is a defence with its settings. All columns of a seed meet the same people, coins and canaries; the undefended
models are made once, and looked at while they train they are early stopping, which each column is compared with where
the two are equally accurate.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from dpmia_lab.checks import one_of, whole
from dpmia_lab.experiments import fooling, fooling_game, fooling_rows, fooling_target, fooling_turns
from dpmia_lab.experiments.fooling import ATTACKS, LAMBDAS, PROTOCOLS
from dpmia_lab.experiments.fooling_game import Game
from dpmia_lab.experiments.fooling_target import Target
from dpmia_lab.experiments.fooling_turns import Turns
from dpmia_lab.game.families import Family
from dpmia_lab.options import option
from dpmia_lab.rows import PlainNames, Row, Rows
from dpmia_lab.stages import Progress, Snapshot, Stage, part
from dpmia_lab.store import Result

TITLE = "Paper D's table: accuracy, membership inference and AOP of every defence, by stronger attackers too"
NAMES = PlainNames(("measure", "defence", "attack", "protocol", "end"), frozenset({"alike"}))
PRIVATE = {"defence": "central", "rate": 0.01}


@dataclass(frozen=True)
class Column:
    """A defence in the table: what it is called, and what it changes about the settings."""

    words: str
    changes: Mapping[str, object]


COLUMNS = {
    "none": Column("baseline", {"defence": "none"}),
    "reg": Column("dropout .5, decay .001", {"defence": "regularised", "dropout": 0.5, "decay": 0.001}),
    "stopping": Column("early stopping at the best AOP(2)", {"defence": "stopping"}),
    **{f"dp_{e:g}": Column(f"DP-SGD, ε = {e:g}", PRIVATE | {"epsilon": e}) for e in (0.5, 1.0, 2.0, 4.0, 8.0)},
    "dp_little": Column("DP-SGD with little noise, z = .2", PRIVATE | {"z": 0.2, "clip": 1.0}),
    "dap_t": Column("DAP_t", {"defence": "dap"}),
    "dap_v": Column("DAP_v", {"defence": "dap", "feed": "validation"}),
    "dap_t_all": Column("DAP_t, r = 2, all layers", {"defence": "dap", "r": 2.0, "layers": "all"}),
    "dap_v_all": Column(
        "DAP_v, r = 2, all layers", {"defence": "dap", "r": 2.0, "layers": "all", "feed": "validation"}
    ),
    "dap_minmax": Column("DAP_t, D learns on", {"defence": "dap", "learns": True}),
    "dap_last": Column("DAP_t, r = 2, the last epoch", {"defence": "dap", "r": 2.0, "keep": "last"}),
    "adversarial": Column("adversarial regularisation", {"defence": "adversarial"}),
    "relaxloss": Column("RelaxLoss, α = 1", {"defence": "relaxloss"}),
    "hamp": Column("HAMP", {"defence": "hamp"}),
    "smoothing": Column("label smoothing .3", {"defence": "smoothing", "smoothing": 0.3}),
    "smoothing_less": Column("label smoothing −.1", {"defence": "smoothing", "smoothing": -0.1}),
    "label": Column("the label alone", {"defence": "masking", "mask": "label"}),
    "temperature": Column("temperature 3", {"defence": "masking", "mask": "temperature"}),
}
PUBLISHED = {  # the poster's columns by its own names
    "baseline": "none", "reg": "reg", "dp_eps0.5": "dp_0.5", "dp_eps1": "dp_1", "dp_eps2": "dp_2", "dp_eps4": "dp_4",
    "dap_t": "dap_t", "dap_v": "dap_v",
}  # fmt: skip
OF_DEFENCE = ("train_accuracy", "test_accuracy", "kept_epoch", "epsilon_tight", "matched_auc", "matched_gain")
MEASURES = (
    "accuracy", "auc", "tpr1", "tpr01", "phi", *(f"aop_{lam}" for lam in LAMBDAS), *OF_DEFENCE,
)  # fmt: skip


@dataclass(frozen=True)
class Config(fooling.Config):
    records: int = option(400, "n, about so many records are trained on")
    inside: int = option(12, "shadow models with the same defence, each on a random half of the candidates")
    unadapted: int = option(12, "shadow models without any, which also are early stopping's curve")
    looks: int = option(10, "epochs at whose end undefended models are attacked")
    columns: str = option("", 'columns, such as "none stopping dap_t" (default: all)')
    repeats: int = option(1, "how many seeds, from the given one upwards")

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(1, 100, repeats=self.repeats)
        for name in self.chosen():
            one_of(COLUMNS, columns=name)

    def chosen(self) -> list[str]:
        """The columns; the baseline is always the first."""
        named = self.columns.split() or list(COLUMNS)
        return ["none", *(name for name in named if name != "none")]

    def column(self, name: str, repeat: int) -> fooling.Config:
        """One column of one seed."""
        shared = {f.name: getattr(self, f.name) for f in fields(fooling.Config)}
        return fooling.Config(**shared | {"seed": self.seed + repeat} | dict(COLUMNS[name].changes))


SMALL = Config(
    data="purchases_like", classes=5, records=60, epochs=3, width=8, inside=6, unadapted=6, canaries=6, looks=2,
    teachers=2, columns="none stopping dap_t", repeats=2,
)  # fmt: skip
PRESETS = {
    "carts": Config(classes=10, width=64),
    "digits": Config(data="mnist", epochs=25, width=64),
}


def run(config: Config) -> Stage[Result]:
    """Rows, and so numbers: of every column, means over seeds and their spread.

    Arrays: ``stopping_accuracy``, ``stopping_auc``, ``stopping_tpr1`` (seeds, looks) over ``stopping_epoch``, and of
    every column a value a seed (seeds, columns): ``accuracy``, ``auc`` (the best likelihood ratio), ``matched_auc``.
    """
    yield Progress(0, 1, "loading data")
    names, seeds, curves = config.chosen(), [], []
    total = len(names) * config.repeats
    for repeat in range(config.repeats):
        stage = one_seed(config, repeat)
        share = repeat * len(names) / total, (repeat + 1) * len(names) / total
        label = f"seed {config.seed + repeat}" if config.repeats > 1 else ""
        rows, curve = yield from part(stage, *share, label)
        seeds.append(rows)
        curves.append(curve)
        yield Snapshot("columns", repeat, points_of(seeds, names)["accuracy"])
    arrays = {name: np.array([curve[name] for curve in curves]) for name in curves[0] if name != "stopping_epoch"}
    arrays |= {"stopping_epoch": curves[0]["stopping_epoch"], **points_of(seeds, names)}
    return Result({}, arrays, averaged(seeds))


def one_seed(config: Config, repeat: int) -> Stage[tuple[Rows, dict[str, np.ndarray]]]:
    """All columns, and early stopping's curve."""
    names, found = config.chosen(), []
    plain, curve, discriminator = None, {}, None
    for place, name in enumerate(names):
        start, end = place / len(names), (place + 1) / len(names)
        game = yield from part(fooling_game.new_game(config.column(name, repeat)), start, start + 0.02 * (end - start))
        lend(game, discriminator)
        if plain is None:
            plain = yield from part(fooling_game.undefended_family(game), start, (start + end) / 2)
            curve, start = fooling_turns.stopping_curve(game, plain), (start + end) / 2
        rows, target, turns = yield from part(one_column(game, name, plain), start, end)
        discriminator = discriminator or game.trainer.discriminator
        found += rows
        found += judged_against(Rows(tuple(found), NAMES), game, name, target, turns, curve)
    return Rows(tuple(found), NAMES), curve


def lend(game: Game, discriminator) -> None:
    """The seed's one discriminator, to attack with and, where none but the usual is asked for, to fool."""
    trainer = game.trainer
    trainer.discriminator = discriminator
    if discriminator is not None and game.config.defence == "dap" and game.config.teachers == fooling.Config.teachers:
        trainer.prepared, trainer.ready = discriminator, True


def one_column(game: Game, name: str, plain: Family) -> Stage[tuple[list[Row], Target, Turns]]:
    """The undefended column's shadow models are there already."""
    target = yield from part(fooling_target.watched_target(game), 0.0, 0.3)
    scores = yield from part(fooling_target.quick_scores(game, target), 0.3, 0.5)
    family = plain if name == "none" else (yield from part(fooling_game.defended_family(game), 0.5, 1.0))
    scores |= yield from fooling_target.strong_scores(game, target, family, "both", fooling_target.STRONG[:3])
    scores |= yield from fooling_target.strong_scores(game, target, plain, "unadapted", fooling_target.STRONG[3:])
    rows = yield from fooling_target.without_progress(fooling_rows.target_rows(game, scores))
    turns = Turns(family, target.family)
    rows += fooling_rows.family_rows(game, turns, game.config.defence)
    rows += fooling_rows.held_rows(game, target, plain)
    return [replace(row, defence=name) for row in rows if row.measure in MEASURES], target, turns


def judged_against(
    rows: Rows, game: Game, name: str, target: Target, turns: Turns, curve: Mapping[str, np.ndarray]
) -> list[Row]:
    """What needs the baseline, or early stopping's curve, beside the column's own rows."""
    promised = game.trainer.defence.promise(game.trainer.task, game.trainer.recipe, int(game.member.sum()))
    numbers = {
        "kept_epoch": target.kept,
        **({} if promised is None else {"epsilon_tight": promised.epsilon}),
        **fooling_turns.matched_numbers(turns.accuracies(game.ordinary), fooling_rows.strongest(rows, name), curve),
    }
    made = [Row(measure, float(value), name) for measure, value in numbers.items()]
    return made + fooling_rows.trade_rows(rows, name, game.population.classes)


# ---- over seeds
def averaged(seeds: Sequence[Rows]) -> Rows:
    """Means, and the spread where two seeds or more have a value; what is undefined in a seed does not count there."""
    values: dict[tuple, list[float]] = {}
    for rows in seeds:
        for row in rows:
            values.setdefault(row.key, []).append(row.value)
    return Rows(tuple(
        Row(measure, float(np.mean(own)), *of, spread=float(np.std(own, ddof=1)) if len(own) > 1 else None)
        for (measure, *of), own in values.items()
    ), NAMES)  # fmt: skip


def points_of(seeds: Sequence[Rows], names: Sequence[str]) -> dict[str, np.ndarray]:
    """(seeds, columns): accuracy, the best likelihood ratio's AUC, early stopping's at that accuracy (NaN: none)."""

    def matched(rows: Rows, name: str) -> float:
        return rows.value("matched_auc", defence=name) if rows.has("matched_auc", defence=name) else np.nan

    return {
        "accuracy": np.array([[rows.value("accuracy", defence=name) for name in names] for rows in seeds]),
        "auc": np.array([[fooling_rows.strongest(rows, name) for name in names] for rows in seeds]),
        "matched_auc": np.array([[matched(rows, name) for name in names] for rows in seeds]),
    }


def rows_of(numbers: Mapping[str, float]) -> Rows:
    """The rows of a shipped table, whose plain names are known."""
    told, columns = dict(numbers), tuple(COLUMNS)
    by_attack = NAMES.read(told, ("auc", "tpr1", "tpr01"), columns, tuple(ATTACKS), tuple(PROTOCOLS))
    traded = NAMES.read(told, ("phi", *(f"aop_{lam}" for lam in LAMBDAS)), columns, tuple(ATTACKS))
    accuracy = NAMES.read(told, ("accuracy",), columns, protocols=("turns",))
    return accuracy + by_attack + traded + NAMES.read(told, OF_DEFENCE, columns)


def beats_stopping(rows: Rows, name: str, seeds: int) -> tuple[float, float] | None:
    """How much lower a column's AUC is than early stopping's at equal accuracy, and the standard error over seeds.

    None where early stopping never was as accurate.
    """
    if not rows.has("matched_gain", defence=name):
        return None
    row = rows.row("matched_gain", defence=name)
    return row.value, (row.spread or np.nan) / np.sqrt(seeds)
