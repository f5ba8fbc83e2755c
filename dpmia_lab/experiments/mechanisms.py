"""Lesson 5's experiment: noise on the data or on the gradients, over ε, under the same attackers (paper C, 5).

For each strength of each mechanism: accuracy, AUC of the paper's black-box and white-box attacks and of the offline
likelihood ratio, which the paper did not try, and φ, the privacy gained for the accuracy lost against the same model
without a defence.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

import numpy as np

from dpmia_lab.checks import Mistake, positive, whole
from dpmia_lab.experiments import membership
from dpmia_lab.metrics.membership import auc_error, evaluated, roc
from dpmia_lab.metrics.tradeoffs import phi
from dpmia_lab.options import option
from dpmia_lab.rows import PlainNames, Row, Rows
from dpmia_lab.stages import Snapshot, Stage, part
from dpmia_lab.store import Result

TITLE = "Noise on the data or on the gradients: accuracy, membership inference and φ over ε"
MECHANISMS = ("none", "central", "local")  # their places are the numbers in the arrays
ATTACKS = ("black_box", "white_box")
PROTOCOLS = membership.PROTOCOLS
NAMES = PlainNames(("measure", "defence", "attack", "protocol", "end"), frozenset({"alike", "none"}))
PLAYED = (*((attack, protocol) for protocol in PROTOCOLS for attack in ATTACKS), ("lira_offline", "alike"))
FIXED = ("mechanism", "parameter", "classes")
LEAST_LEAK = 0.03  # an AUC nearer to guessing leaves nothing to divide by


def column(measure: str, attack: str = "", protocol: str = "alike") -> str:
    """The name of an array of points."""
    return NAMES.of(Row(measure, 0.0, attack=attack, protocol=protocol))


# the arrays of measured values, each with its measure, attack and protocol
MEASURED = {
    column(*what): what
    for what in (
        *((measure, "", "") for measure in ("epsilon", "delta", "train_accuracy", "test_accuracy")),
        ("auc", "loss", "alike"), ("tpr1", "white_box", "alike"),
        *((measure, *played) for measure in ("auc", "phi") for played in PLAYED),
    )
}  # fmt: skip
COLUMNS = (*FIXED, *MEASURED)
GRID = np.concatenate([[0.0], np.geomspace(1e-3, 1, 60)])  # false-positive rates of the mean ROC curves


@dataclass(frozen=True)
class Config(membership.Config):
    zs: str = option("0.5,2,4,6,8,16", "central: noise multipliers, with commas between them")
    epsilons: str = option("0.1,0.5,1,2,3", "local: ε of a bit (pixel cell, edge), with commas between them")
    central_rate: float = option(0.01, "η of training with central noise")
    central_epochs: int = option(20, "times each record is seen, on average, under central noise")
    repeats: int = option(1, "how many seeds, from the given one upwards")

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(central_rate=self.central_rate)
        whole(1, 1000, central_epochs=self.central_epochs)
        whole(1, 100, repeats=self.repeats)
        if self.shadows < 1 or not self.white_box:
            raise Mistake(f"shadows must be at least 1 and white_box true for φ; shadows is {self.shadows}.")
        self.settings()

    def settings(self) -> list[membership.Config]:
        """One configuration a point, all of the first seed: no defence, then central, then local noise."""
        shared = {f.name: getattr(self, f.name) for f in fields(membership.Config)}
        base = membership.Config(**shared | {"defence": "none"})
        central = {"defence": "central", "rate": self.central_rate, "epochs": self.central_epochs}
        return [
            base,
            *(replace(base, **central, z=z) for z in numbers_of(zs=self.zs)),
            *(replace(base, defence="local", epsilon_i=e) for e in numbers_of(epsilons=self.epsilons)),
        ]


def numbers_of(**texts: str) -> list[float]:
    """The numbers of a text such as "0.5,2,4"; one sentence if it is none."""
    ((name, text),) = texts.items()
    try:
        return [float(piece) for piece in text.split(",") if piece.strip()]
    except ValueError:
        raise Mistake(f"{name} must be numbers with commas between them; it is {text!r}.") from None


PAPER = {"data": "skewed_purchases", "rate": 0.001, "batch": 100, "inside": 0, "patience": 5}
SMALL = Config(
    data="skewed_purchases", classes=10, records=60, epochs=2, central_epochs=2, width=8, shadows=1, inside=0,
    zs="1", epsilons="1",
)  # fmt: skip
PRESETS = {
    "purchases": Config(classes=20, records=2000, epochs=60, inside=0, shadows=4, patience=5, rate=0.001, batch=128),
    "skewed-50": Config(**PAPER, classes=50, records=8000, epochs=30, shadows=2),
    "skewed-10": Config(**PAPER, classes=10, records=8000, epochs=30, shadows=2),
    # Of faces and graphs, few records and long training were chosen after a look: with more, nothing leaked.
    "faces": Config(
        data="faces", people=50, pictures=16, records=120, model="transfer", epochs=100, batch=32, inside=0, shadows=2,
        central_epochs=40, zs="0.5,1,2,4,8", epsilons="1,5,10,50,100",
    ),
    "graphs": Config(
        data="collaboration", records=150, model="graph", epochs=150, rate=0.005, batch=50, inside=0, shadows=2,
        central_epochs=40, zs="0.5,2,4", epsilons="0.5,1,2,3",
    ),
}  # fmt: skip


def run(config: Config) -> Stage[Result]:
    """Arrays, a value a point: ``mechanism``, ``parameter``, accuracy, AUC, φ, …: means over seeds and their ``…_sd``.

    NaN where a φ or an ε is undefined. Rows, and so numbers: of every point, as ``sound_rows`` has them.
    """
    settings = config.settings()
    total, rows, curves = len(settings) * config.repeats, [], []
    for repeat in range(config.repeats):
        for setting in settings:
            share, one = (len(rows) / total, (len(rows) + 1) / total), replace(setting, seed=config.seed + repeat)
            result = yield from part(membership.run(one), *share, point_words(one))
            plain = rows[repeat * len(settings)] if setting.defence != "none" else None
            rows.append(row_of(one, result.numbers, plain))
            curves.append(mean_curves(result))
            yield Snapshot("rows", len(rows), as_table(rows))
    return summarised(rows, curves, config)


def point_words(config: membership.Config) -> str:
    return f"{setting_words(point_name(config.defence, strength_of(config)))}, seed {config.seed}"


def strength_of(config: membership.Config) -> float:
    return {"none": np.nan, "central": config.z, "local": config.epsilon_i}[config.defence]


def row_of(config: membership.Config, numbers: dict[str, float], plain: dict[str, float] | None) -> dict[str, float]:
    """One point of one seed; ``plain`` is the same seed's point without a defence."""
    row = {name: np.nan for name in COLUMNS}
    row |= {"mechanism": MECHANISMS.index(config.defence), "classes": 1 / numbers["chance"]}
    row["parameter"] = strength_of(config)
    row |= {name: numbers[name] for name in COLUMNS if name in numbers}
    row["epsilon"] = numbers.get("epsilon_tight", numbers.get("epsilon_record", np.nan))
    if plain is not None:
        for played in PLAYED:
            if column("auc", *played) in numbers:
                row[column("phi", *played)] = phi_or_nan(plain, row, column("auc", *played))
    return row


def phi_or_nan(plain: dict[str, float], row: dict[str, float], auc: str) -> float:
    """φ of a point; NaN where it is undefined."""
    value = phi(plain["test_accuracy"], row["test_accuracy"], plain[auc], row[auc], round(row["classes"]))
    return np.nan if value is None else value


def as_table(rows: list[dict[str, float]]) -> np.ndarray:
    """(rows, COLUMNS)."""
    return np.array([[row[name] for name in COLUMNS] for row in rows])


def mean_curves(result: Result) -> np.ndarray:
    """(PLAYED, GRID): the attacks' ROC curves at fixed rates of false alarms, by linear interpolation (paper C)."""
    curves = np.full((len(PLAYED), len(GRID)), np.nan)
    for place, (attack, protocol) in enumerate(PLAYED):
        name = column("scores", attack, protocol)
        if name in result.arrays:
            scores, member = evaluated(result.arrays[name], result.arrays[column("member", protocol=protocol)])
            false_positive, true_positive, _ = roc(scores, member)
            curves[place] = np.interp(GRID, false_positive, true_positive)
    return curves


def summarised(rows: list[dict[str, float]], curves: list[np.ndarray], config: Config) -> Result:
    """Rows and curves come seed after seed, each with the same points."""
    points = len(config.settings())
    arrays = averaged_points(as_table(rows), points)
    roc_curves = np.array(curves).reshape(-1, points, len(PLAYED), len(GRID)).mean(0)
    arrays |= {column("roc", *played): roc_curves[:, place] for place, played in enumerate(PLAYED)}
    return Result({"classes": float(arrays["classes"][0])}, arrays, sound_rows(arrays, config))


def averaged_points(table: np.ndarray, points: int) -> dict[str, np.ndarray]:
    """Arrays, a value a point: means over seeds and their ``…_sd``.

    table (rows, COLUMNS) comes seed after seed; while a sweep runs, the last seed has not all its points.
    """
    seeds = -(-len(table) // points)
    padded = np.full((seeds * points, len(COLUMNS)), np.nan)
    padded[: len(table)] = table
    shaped = padded.reshape(seeds, points, len(COLUMNS))[:, : min(points, len(table))]
    arrays = {}
    for place, name in enumerate(COLUMNS):
        values = shaped[:, :, place]
        arrays[name] = over_seeds(values, np.mean)
        if seeds > 1 and name not in FIXED:
            arrays[f"{name}_sd"] = over_seeds(values, spread)
    return arrays


# ---- points as rows
def point_rows(arrays: Mapping[str, np.ndarray]) -> Rows:
    """Every point of a sweep as rows, from a result's arrays or a shipped one's; what is undefined has no row.

    A defence is called "none", "central 2" (its z) or "local 0.5" (its ε_i).
    """
    rows = []
    for place, defence in enumerate(point_names(arrays)):
        for name, (measure, *played) in MEASURED.items():
            value, deviation = number_at(arrays, name, place), number_at(arrays, f"{name}_sd", place)
            if value is not None:
                rows.append(Row(measure, value, defence, *played, spread=deviation))
    return Rows(tuple(rows), NAMES)


def sound_rows(arrays: Mapping[str, np.ndarray], config: Config) -> Rows:
    """The points' rows without every φ that would be divided by chance (see ``leaks``).

    A shipped sweep of before has no φ of the likelihood ratio: there it is that of the means over seeds.
    """
    rows = point_rows(arrays)
    sound = [row for row in rows if row.measure != "phi"]
    for played in PLAYED:
        found = rows.where(attack=played[0], protocol=played[1])
        if leaks(found, config):
            sound += found.where(measure="phi").rows or phi_of_means(arrays, *played)
    return replace(rows, rows=tuple(sound))


def phi_of_means(arrays: Mapping[str, np.ndarray], attack: str, protocol: str) -> list[Row]:
    """φ of every point with a defence, from accuracies and AUCs that are means over seeds."""
    auc = column("auc", attack, protocol)
    points = [{name: arrays[name][place] for name in ("test_accuracy", "classes", auc)}
              for place in range(len(arrays[auc]))]  # fmt: skip
    values = [phi_or_nan(points[0], point, auc) for point in points[1:]]
    named = zip(point_names(arrays)[1:], values, strict=True)
    return [Row("phi", value, defence, attack, protocol) for defence, value in named if np.isfinite(value)]


def leaks(rows: Rows, config: Config) -> bool:
    """Of rows of one attack and protocol: whether it finds members without a defence, beyond doubt.

    φ divides by AUC − ½ without a defence. Where that is chance, so is φ; so two standard errors below the AUC
    must still be LEAST_LEAK above guessing.
    """
    plain = rows.where(measure="auc", defence="none").rows
    return bool(plain) and plain[0].value - 2 * standard_error(plain[0], config) >= 0.5 + LEAST_LEAK


def standard_error(row: Row, config: Config) -> float:
    """Of an AUC or an accuracy: over seeds; of a single seed, by how many records were asked about.

    About n members and n outsiders are; the white box is judged on half of them.
    """
    if row.spread is not None:
        return row.spread / np.sqrt(config.repeats)
    if row.measure == "auc":
        asked = config.records // 2 if row.attack == "white_box" else config.records
        return auc_error(row.value, asked, asked)
    return float(np.sqrt(row.value * (1 - row.value) / config.records))


def number_at(arrays: Mapping[str, np.ndarray], name: str, place: int) -> float | None:
    """None if there is no such array, or NaN in it."""
    return float(arrays[name][place]) if name in arrays and np.isfinite(arrays[name][place]) else None


def point_names(arrays: Mapping[str, np.ndarray]) -> list[str]:
    """The defence of every point."""
    kinds = [MECHANISMS[int(number)] for number in arrays["mechanism"]]
    return [point_name(*point) for point in zip(kinds, arrays["parameter"], strict=True)]


def point_name(mechanism: str, strength: float) -> str:
    return mechanism if mechanism == "none" else f"{mechanism} {strength:.12g}"  # so that near strengths differ


def point_of(defence: str) -> tuple[str, float]:
    """Mechanism and strength (z or ε_i; NaN without a defence) of a point by its name."""
    mechanism, _, strength = defence.partition(" ")
    return mechanism, float(strength or "nan")


def setting_words(defence: str) -> str:
    """Such as "central, z = 2"."""
    mechanism, strength = point_of(defence)
    symbol = {"none": "", "central": "z", "local": "ε_i"}[mechanism]
    return f"{mechanism}, {symbol} = {strength:g}" if symbol else "no defence"


def spread(column: np.ndarray) -> float:
    return float(np.std(column, ddof=1)) if len(column) > 1 else np.nan


def over_seeds(values: np.ndarray, how) -> np.ndarray:
    """(points,): of values (seeds, points), over those seeds where there is a value."""
    columns = [column[np.isfinite(column)] for column in values.T]
    return np.array([how(column) if len(column) else np.nan for column in columns])
