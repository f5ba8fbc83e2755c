"""What a reader's own cell shows: how accurate it is, the worst that each attack does, its star among the dots."""

from dpmia_lab.experiments.comparing_answers import Harm, bargains, chance_of, harms_of, leak_of
from dpmia_lab.experiments.comparing_config import Config
from dpmia_lab.experiments.comparing_grid import Grid
from dpmia_lab.experiments.comparing_sentences import WHO_WORDS, value_text
from dpmia_lab.rows import Rows
from dpmia_lab.stages import Event
from dpmia_lab.store import Result
from dpmia_lab.widgets.comparing.controls import kind_of_data
from dpmia_lab.widgets.comparing.data import OWN, OwnCell, cell_of, shipped_grid
from dpmia_lab.widgets.comparing.front import CHART_DELAY, PLOTS, dot_of
from dpmia_lab.widgets.comparing.words import HARMS, attack_name, attacks_html, axis_words, chance_text, promise_html
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace
from dpmia_lab.widgets.kit.parts import column, number_html, number_row, text

MOST_NUMBERS = 4


class CellView:
    """Shows a cell when it is done; ``config`` is that of the run shown."""

    def __init__(self) -> None:
        self.config: Config | None = None
        self.result: Result | None = None
        self.numbers = text("", "dp-results-numbers", "dp-fades")
        self.chart = ChartPlace(self.drawn, PLOTS, "dp-own-chart", delay=CHART_DELAY, keep="dpmia_lab_own_cell.png")
        self.charts = [self.chart]
        self.promise, self.attacks = text(""), text("", "dp-own-attacks")
        self.picture = column(self.numbers, self.chart.view)
        self.details = column(self.chart.exports, self.promise, self.attacks)

    def started(self, config: Config) -> None:
        """What is shown stays until there is more."""

    def happened(self, event: Event) -> None:
        """A cell tells nothing before it is whole."""

    def show(self, result: Result) -> None:
        self.result = result
        grid = self.alone()
        name = next(iter(grid.columns))
        self.numbers.value = numbers_html(grid, name, result.rows)
        self.promise.value = promise_html(grid, name)
        self.attacks.value = "".join(
            f"<h3>{HARMS[measure][0].upper()}{HARMS[measure][1:]}</h3>{attacks_html(grid, name, Harm(measure))}"
            for measure in dict.fromkeys(harm.measure for harm in harms_of(grid) if harm.measure != "tpr01")
        )
        self.chart.redraw()

    # ---- as a column
    def cell(self) -> OwnCell:
        return cell_of(f"{OWN}shown", kind_of_data(self.config), self.config, self.result.rows)

    def alone(self) -> Grid:
        """A grid of nothing but this cell."""
        return self.cell().on(Grid("own", (self.config.seed,), {}, {}))

    def drawn(self, width: int) -> Chart | None:
        """Among the dots of the same data; alone where there are none."""
        if self.result is None:
            return None
        from dpmia_lab.plots.comparing import front_chart

        cell = self.cell()
        grid = cell.on(shipped_grid(cell.data) or Grid("own", (cell.seed,), {}, {}))
        harm = Harm("tpr1", "canaries" if leak_of(grid, cell.name, Harm("tpr1", "canaries")) else "everybody")
        dots = [dot_of(grid, one, harm) for one in bargains(grid, harm)]
        return front_chart(dots, axis_words(harm), chance_of(grid, harm.measure), width)


def numbers_html(grid: Grid, name: str, rows: Rows) -> str:
    """Accuracy, then each harm by its worst attack."""
    train = rows.where(measure="train_accuracy").rows
    means = f"Of records trained on {train[0].value:.0%}. " if train else ""
    numbers = [
        number_html(f"{rows.value('accuracy', protocol='test'):.0%}", "right on new records",
                    f"{means}Higher is more useful.", "protected")
    ]  # fmt: skip
    for harm in worst_harms(grid):
        leak = leak_of(grid, name, harm)
        title = f"{HARMS[harm.measure]}, {WHO_WORDS[harm.who]}" if harm.measure == "tpr1" else HARMS[harm.measure]
        told = f"By {attack_name(leak.attack)}, its worst attack. {chance_text(grid, harm.measure)}"
        numbers.append(number_html(value_text(harm.measure, leak.measured.mean), title, told, "exposed"))
    return number_row(*numbers[:MOST_NUMBERS])


def worst_harms(grid: Grid) -> list[Harm]:
    """What is told first: members caught, of everybody and of canaries; then what only these data have."""
    there = harms_of(grid)
    wanted = [Harm("recognised"), Harm("attack_over_imputation"), Harm("tpr1"), Harm("tpr1", "canaries"), Harm("auc")]
    return [harm for harm in wanted if harm in there]
