"""What lesson 6 shows and decides on: the shipped grid, the reader's own cells, and which cells a risk admits."""

from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from dpmia_lab.experiments.evaluation import ATTACKERS, IN_FULL, PRESETS, Config, rows_of
from dpmia_lab.reference import FOLDER, shipped, shipped_or_nothing
from dpmia_lab.rows import Row, Rows
from dpmia_lab.widgets.kit.runs import Run

Place = tuple[int, int]  # row (ε) and column (σ)
RISKS = ("impact_mean", "beyond_chance_rate", "success_rate")  # the first is shown first
SETS = {"faces": "generated faces", "att": "AT&T faces"}  # the grids offered, by preset
PICTURES = ("faces",)  # only people who do not exist are shipped as pictures


@dataclass(frozen=True)
class Risk:
    """What is counted, in which drawings, by which judge; at first as the strongest judge sees the clearer drawings."""

    measure: str = RISKS[0]
    attacker: str = "smoothed"
    judge: str = "matched"

    def by(self, judge: str) -> "Risk":
        return replace(self, judge=judge)


@dataclass(frozen=True)
class CellResult:
    """One ε and σ: its rows, and its numbers that belong to no group of models, such as ``steps`` and ``delta``."""

    config: Config
    numbers: dict[str, float]
    rows: Rows
    words: str  # whose it is
    own: bool = False

    def risk(self, measure: str, attacker: str = "published", group: str = "private", judge: str = "judge") -> Row:
        """Of a group of models, what an attacker reaches as a judge sees it; mostly with an interval."""
        return self.rows.row(measure, defence=group, attack=attacker, protocol=judge)

    def at(self, risk: Risk, group: str = "private") -> Row:
        return self.risk(risk.measure, risk.attacker, group, risk.judge)

    def accuracy(self, group: str = "private", measure: str = "test_accuracy") -> float:
        return self.rows.value(measure, defence=group)

    @property
    def title(self) -> str:
        return f"ε = {self.config.epsilon:g}, σ = {self.config.sigma:g}"


@dataclass(frozen=True)
class Grid:
    """Cells row by row; ``pictures`` may be missing."""

    epsilons: np.ndarray
    sigmas: np.ndarray
    cells: dict[Place, CellResult]
    config: Config
    pictures: dict[str, np.ndarray] = field(default_factory=dict)

    def risks(self, measure: str, *of: str, end: str = "value") -> np.ndarray:
        """(ε, σ): of every cell its ``risk(measure, *of)``, or the ``end`` "low" or "high" of its interval."""
        return self.shaped([getattr(cell.risk(measure, *of), end) for cell in self.cells.values()])

    def accuracies(self, group: str = "private") -> np.ndarray:
        """(ε, σ)"""
        return self.shaped([cell.accuracy(group) for cell in self.cells.values()])

    def shaped(self, values: list[float]) -> np.ndarray:
        return np.array(values).reshape(len(self.epsilons), len(self.sigmas))


# ---- the reference
@cache
def reference_grid(preset: str) -> Grid | None:
    """What ships with the lab; None while it has not been computed."""
    record = shipped_or_nothing("evaluation").get(preset)
    if record is None:
        return None
    points = {name: np.array(values, dtype=float) for name, values in record["points"].items()}
    epsilons, sigmas, config = points.pop("epsilons"), points.pop("sigmas"), Config(**record["config"])
    cells = {}
    for place in np.ndindex(len(epsilons), len(sigmas)):
        numbers = {name: float(values[place]) for name, values in points.items()}
        here = replace(config, epsilon=float(epsilons[place[0]]), sigma=float(sigmas[place[1]]))
        cells[place] = CellResult(here, numbers, rows_of(numbers), f"{config.models} models, shipped with the lab")
    return Grid(epsilons, sigmas, cells, config, reference_pictures(preset))


def reference_pictures(preset: str) -> dict[str, np.ndarray]:
    """By name, as ``sweeps.evaluation_grid.kept_pictures`` makes them; {} where there are none."""
    if preset not in PICTURES:
        return {}
    try:
        with (FOLDER / f"evaluation_{preset}.npz").open("rb") as file, np.load(file, allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
    except FileNotFoundError:
        return {}


def published() -> dict:
    """Paper E's tables."""
    return shipped("published")["park"]


# ---- the reader's own
def preset_of(config: Config) -> str:
    """The grid beside which a cell of the reader's belongs, be its pictures smaller; "" if none."""
    same = ("data", "people", "pictures")
    return next((n for n in SETS if all(getattr(config, f) == getattr(PRESETS[n], f) for f in same)), "")


def own_cell(run: Run) -> CellResult:
    name = preset_of(run.config)
    smaller = bool(name) and run.config.height != PRESETS[name].height
    words = f"run {run.number}" + (f" ({run.config.height} pixels high)" if smaller else "")
    return CellResult(run.config, run.result.numbers, run.result.rows, words, own=True)


# ---- the reader's risk
def admissible(cells: dict[Place, CellResult], risk: Risk, limit: float) -> list[Place]:
    """The cells whose risk is within the limit even at the upper end of its interval, unrounded."""
    return [place for place, cell in cells.items() if cell.at(risk).high <= limit]


def most_accurate(cells: dict[Place, CellResult], places: list[Place]) -> Place | None:
    """Of those places; where two are alike, the one with the smaller ε, then the smaller σ."""
    return min(places, key=lambda place: (-cells[place].accuracy(), place), default=None)


def safest(cells: dict[Place, CellResult], risk: Risk) -> Place:
    """Where the upper end is lowest."""
    return min(cells, key=lambda place: cells[place].at(risk).high)


def strongest(cells: dict[Place, CellResult]) -> Risk:
    """Whose view of which drawings recognises most people, over all cells."""
    views = [Risk(attacker=attacker, judge=judge) for attacker in ATTACKERS for judge in IN_FULL]
    return max(views, key=lambda view: sum(cell.at(view).value for cell in cells.values()))


def protection(cell: CellResult, risk: Risk) -> str:
    """Against models without privacy of the same accuracy: "protected", "worse", or "alike" (cannot be told)."""
    private, control = cell.at(risk), cell.at(risk, "control")
    if private.high < control.low:
        return "protected"
    return "worse" if private.low > control.high else "alike"


def hidden(cell: CellResult, risk: Risk) -> float:
    """Of those whom models without privacy of the same accuracy give away, the share that the noise hides."""
    return 1 - cell.at(risk).value / cell.at(risk, "control").value
