"""What lesson 6 shows and decides on: the shipped grid, the reader's own cells, and which cells a risk admits."""

from dataclasses import dataclass, field, replace

import numpy as np

from dpmia_lab.experiments.evaluation import PRESETS, Config
from dpmia_lab.metrics.intervals import Estimate
from dpmia_lab.reference import FOLDER, shipped, shipped_or_nothing

Place = tuple[int, int]  # row (ε) and column (σ)
RISKS = ("impact_mean", "beyond_chance_rate", "success_rate")  # the first is shown first
SETS = {"faces": "generated faces", "att": "AT&T faces"}  # the grids offered, by preset
PICTURES = ("faces",)  # only people who do not exist are shipped as pictures


@dataclass(frozen=True)
class CellResult:
    """One ε and σ, with the numbers that ``experiments.evaluation`` returns."""

    config: Config
    numbers: dict[str, float]
    words: str  # whose it is
    own: bool = False

    def estimate(self, name: str) -> Estimate:
        """A number with its interval; without one where the experiment gives none."""
        value = self.numbers[name]
        return Estimate(value, self.numbers.get(f"{name}_low", value), self.numbers.get(f"{name}_high", value))

    @property
    def title(self) -> str:
        return f"ε = {self.config.epsilon:g}, σ = {self.config.sigma:g}"


@dataclass(frozen=True)
class Grid:
    """Values by name, (ε, σ); ``pictures`` may be missing."""

    epsilons: np.ndarray
    sigmas: np.ndarray
    values: dict[str, np.ndarray]
    config: Config
    pictures: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def places(self) -> list[Place]:
        return list(np.ndindex(len(self.epsilons), len(self.sigmas)))

    def cell(self, place: Place) -> CellResult:
        row, column = place
        config = replace(self.config, epsilon=float(self.epsilons[row]), sigma=float(self.sigmas[column]))
        return CellResult(config, {name: float(grid[place]) for name, grid in self.values.items()}, "reference")

    def cells(self) -> dict[Place, CellResult]:
        return {place: self.cell(place) for place in self.places}


# ---- the reference
def reference_grid(preset: str) -> Grid | None:
    """What ships with the lab; None while it has not been computed."""
    record = shipped_or_nothing("evaluation").get(preset)
    if record is None:
        return None
    points = {name: np.array(values, dtype=float) for name, values in record["points"].items()}
    epsilons, sigmas = points.pop("epsilons"), points.pop("sigmas")
    return Grid(epsilons, sigmas, points, Config(**record["config"]), reference_pictures(preset))


def reference_pictures(preset: str) -> dict[str, np.ndarray]:
    """By name, as ``experiments.evaluation_grid.kept_pictures`` makes them; {} where there are none."""
    if preset not in PICTURES:
        return {}
    try:
        with (FOLDER / f"evaluation_{preset}.npz").open("rb") as file, np.load(file, allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
    except FileNotFoundError:
        return {}


def preset_of(config: Config) -> str:
    """The grid beside which a cell of the reader's belongs, be its pictures smaller; "" if none."""
    same = ("data", "people", "pictures")
    return next((n for n in SETS if all(getattr(config, f) == getattr(PRESETS[n], f) for f in same)), "")


# ---- the reader's risk
def risk(cell: CellResult, measure: str, attacker: str, group: str = "") -> Estimate:
    """``group``: "" for the private models, else such as "control_"."""
    return cell.estimate(f"{group}{measure}{attacker}")


def admissible(cells: dict[Place, CellResult], measure: str, attacker: str, limit: float) -> list[Place]:
    """The cells whose risk is within the limit even at the upper end of its interval."""
    return [place for place, cell in cells.items() if risk(cell, measure, attacker).high <= limit]


def most_accurate(cells: dict[Place, CellResult], places: list[Place]) -> Place | None:
    """Of those places; where two are alike, the one with the smaller ε, then the smaller σ."""
    return min(places, key=lambda place: (-cells[place].numbers["test_accuracy"], place), default=None)


def safest(cells: dict[Place, CellResult], measure: str, attacker: str) -> Place:
    """Where the upper end is lowest."""
    return min(cells, key=lambda place: risk(cells[place], measure, attacker).high)


def protection(cell: CellResult, measure: str, attacker: str) -> str:
    """Against models without privacy of the same accuracy: "protected", "worse", or "alike" (cannot be told)."""
    private, control = risk(cell, measure, attacker), risk(cell, measure, attacker, "control_")
    if private.high < control.low:
        return "protected"
    return "worse" if private.low > control.high else "alike"


def published() -> dict:
    """Paper E's tables, {} if they are not among the published figures."""
    return shipped("published").get("park", {})
