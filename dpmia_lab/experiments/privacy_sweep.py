"""One setting varied, the rest fixed: ε against accuracy and against reconstructions (A, Figs 7-9, 12, 13).

σ is varied for any unit, or k_sub for subclasses at fixed σ and q. Every point is trained, and attacked if asked.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

import numpy as np

from dpmia_lab.checks import Mistake, one_of, true_or_false, whole
from dpmia_lab.data import Dataset
from dpmia_lab.experiments import hiding, inversion, private_training
from dpmia_lab.game.drawing import nearness, typical_pictures
from dpmia_lab.metrics import reconstruction
from dpmia_lab.options import option
from dpmia_lab.rows import PlainNames, Row, Rows
from dpmia_lab.stages import Progress, Snapshot, Stage, part
from dpmia_lab.store import Result

TITLE = "Vary σ or the number of subclasses: ε, accuracy and what an attacker can draw"
VARIED = ("sigma", "k_sub")
FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)  # of the configuration's σ
SUBCLASSES = (1, 2, 5, 10, 20, 50, 100, 200)
NAMES = PlainNames()
OF_MODEL = ("sigma", "k_sub", "accuracy", "units", "delta", "noise", "epsilon", "epsilon_tight", "epsilon_paper")
ATTACKED = ("distance", "ssim_distance", "similarity")  # measures that need no judge
RANKED = ("accuracy", *ATTACKED)  # what ε may go with


@dataclass(frozen=True)
class Config(private_training.Config):
    vary: str = option("sigma", "what is varied: sigma (about the given one) or k_sub")
    attacked: bool = option(False, "also draw pictures from every model and measure them")
    longest: int = option(500, "no attack takes more steps than this")
    repeats: int = option(1, "how many seeds, from the given one upwards")

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(VARIED, vary=self.vary)
        true_or_false(attacked=self.attacked)
        whole(1, 20_000, longest=self.longest)
        whole(1, 1000, repeats=self.repeats)
        if self.vary == "k_sub" and self.unit != "subclass":
            raise Mistake(f"unit must be subclass where k_sub is varied; it is {self.unit!r}.")

    def settings(self) -> list["Config"]:
        """One configuration a point."""
        if self.vary == "sigma":
            return [replace(self, sigma=self.sigma * factor) for factor in FACTORS]
        return [replace(self, k_sub=k) for k in SUBCLASSES]


def of_training(preset: str, **changes) -> Config:
    """A preset of lesson 2's experiment, swept."""
    base = private_training.PRESETS[preset]
    return Config(**{f.name: getattr(base, f.name) for f in fields(base)} | changes)


def of_hiding(preset: str, **changes) -> Config:
    """A preset of lesson 3's experiment, swept and attacked."""
    training = hiding.PRESETS[preset].training("record", 0)
    shared = {f.name: getattr(training, f.name) for f in fields(training)}
    return Config(**shared | {"attacked": True} | changes)


SMALL = Config(
    data="digits", unit="subclass", vary="k_sub", steps=5, longest=3, attacked=True, neighbours="replace-one"
)
PRESETS = {
    "faces": of_training("faces", repeats=5),
    "digits": of_training("digits", sigma=4.0, repeats=5),
    "digits-hidden-layer": of_training("digits-hidden-layer", sigma=4.0, repeats=5),
    "hiding-faces-record": of_hiding("faces", unit="record", sigma=3.0, repeats=3),
    "hiding-faces-class": of_hiding("faces", unit="class", sigma=0.4, repeats=3),
    "hiding-digits-record": of_hiding("digits", unit="record", sigma=40.0, repeats=3),
    "hiding-digits-subclass": of_hiding("digits", unit="subclass", k_sub=50, sigma=1.6, repeats=3),
    "hiding-digits-k_sub": of_hiding("digits", unit="subclass", sigma=1.6, vary="k_sub", repeats=3),
}


def run(config: Config) -> Stage[Result]:
    """Arrays, a value a point: ``sigma``, ``k_sub``, ``units``, ``epsilon``, …, means over seeds and their ``…_sd``.

    Rows: rank correlation of ε with each measure, over all points of all seeds.
    """
    settings = [replace(s, seed=config.seed + r) for r in range(config.repeats) for s in config.settings()]
    made = []
    for i, setting in enumerate(settings):
        share = i / len(settings), (i + 1) / len(settings)
        words = f"σ = {setting.sigma:.3g}" if config.vary == "sigma" else f"k_sub = {setting.k_sub}"
        label = f"{words}, seed {setting.seed}"
        made.append((yield from part(point(setting, first=i == 0), *share, label)))
    return summarised(made, points=len(settings) // config.repeats)


def rows_of(numbers: dict[str, float]) -> Rows:
    """The rank correlations of a result whose plain names are known, such as a shipped one's."""
    return NAMES.read(numbers, [rank_of(measure) for measure in RANKED], attacks=("", *hiding.ATTACKERS))


def rank_of(measure: str) -> str:
    """The rows' measure that is the rank correlation of ε with this one."""
    return f"rank_correlation_{measure}"


def point_rows(arrays: Mapping[str, np.ndarray]) -> Rows:
    """Every point of a sweep as rows, from a result's arrays or a shipped one's; point after point.

    A point's defence is called "sigma 2, k_sub 50".
    """
    rows: list[Row] = []
    for place, (sigma, k_sub) in enumerate(zip(arrays["sigma"], arrays["k_sub"], strict=True)):
        here = {name: float(values[place]) for name, values in arrays.items()}
        found = NAMES.read(here, OF_MODEL) + NAMES.read(here, ATTACKED, attacks=tuple(hiding.ATTACKERS))
        rows += [replace(row, defence=f"sigma {sigma:g}, k_sub {k_sub:g}") for row in found]
    return Rows(tuple(rows), NAMES)


def point(config: Config, first: bool) -> Stage[list[Row]]:
    """What one setting comes to."""
    yield Progress(0, 1, "loading data")
    data = inversion.loaded(config)
    if first:
        yield Snapshot("truth", 0, typical_pictures(data))
    units = yield from part(private_training.data_units(config, data), 0.0, 0.05)
    defence = private_training.within_budget(config, private_training.defence_of(config, units), units)
    stage = private_training.trained(config, data, defence, units)
    model = yield from part(stage, 0.05, 0.6 if config.attacked else 1)
    said = {"sigma": config.sigma, "k_sub": config.k_sub, "accuracy": hiding.test_accuracy(model, data)}
    said |= private_training.spent_numbers(defence, units)
    rows = [Row(measure, value) for measure, value in said.items()]
    if config.attacked:
        rows += yield from part(drawn_likeness(config, data, model), 0.6, 1.0)
    return rows


def drawn_likeness(config: Config, data: Dataset, model) -> Stage[list[Row]]:
    """Means over classes of what both attackers draw."""
    rows = []
    for i, attacker in enumerate(hiding.ATTACKERS):
        attack = inversion.attacked(hiding.attack_on(config, attacker), data, model)
        x, _ = yield from part(attack, 0.5 * i, 0.5 * i + 0.35)
        seen = yield from part(nearness(data, x), 0.5 * i + 0.35, 0.5 * i + 0.5)
        rows += [Row(measure, float(seen[measure].mean()), attack=attacker) for measure in ATTACKED]
    return rows


def summarised(made: list[list[Row]], points: int) -> Result:
    """``made``: rows of every point, seed after seed, each with the same points."""
    named = [NAMES.plain(rows) for rows in made]
    everywhere = {NAMES.of(row): row for row in made[0] if all(NAMES.of(row) in numbers for numbers in named)}
    table = {
        name: np.array([numbers[name] for numbers in named], dtype=float).reshape(-1, points) for name in everywhere
    }
    arrays = {name: values.mean(0) for name, values in table.items()}
    if len(made) > points:
        arrays |= {f"{name}_sd": values.std(0, ddof=1) for name, values in table.items()}
    if "epsilon" not in table:
        return Result({}, arrays)
    ranks = [
        Row(rank_of(measure), reconstruction.rank_correlation(table["epsilon"], table[name]), attack=row.attack)
        for measure in RANKED
        for name, row in everywhere.items()
        if row.measure == measure
    ]
    return Result({}, arrays, Rows(tuple(ranks), NAMES))
