"""The reader's own cells of lesson 6 in words: T before a run, a run in a line, runs side by side."""

from dpmia_lab.checks import Mistake
from dpmia_lab.experiments.evaluation import IN_FULL, Config, defence_of
from dpmia_lab.widgets.choosing.data import SETS, CellResult, Risk, own_cell, preset_of
from dpmia_lab.widgets.choosing.words import SAFER, USEFUL, promise, share, with_interval
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.kit.tables import table_html, with_small


def steps_html(config: Config) -> str:
    """T at once, where the accountant that tells it is quick."""
    if config.accountant == "tight" or not config.delta:
        return "<small>T is told when the run begins.</small>"
    try:
        steps = defence_of(config, 0).steps
    except Mistake as mistake:
        return f"<small class='dp-exposed'>{mistake}</small>"
    return f"<small>{promise(config, config.delta)} pays for <b>T = {steps:,} steps</b>.</small>"


def summary(run: Run) -> str:
    """What was done and what came out, in a line that tells two runs apart."""
    c, cell = run.config, own_cell(run)
    by_filter, by_network = (share(cell.at(Risk(judge=judge)).value) for judge in IN_FULL)
    with_public = f", {share(cell.risk('impact_mean', 'prior').value)} with public pictures" if c.prior else ""
    return (
        f"{SETS.get(preset_of(c), c.data)}, {cell.title}, q = {c.q:g}, {c.models} models, T = "
        f"{cell.numbers['steps']:,.0f}; seed {c.seed}: <span class='dp-protected'>{share(cell.accuracy())} right</span>"
        f", <span class='dp-exposed'>{by_filter} of people recognised by the filter</span>, {by_network} by the network"
        f"{with_public}"
    )


CELL_HEADS = ("cell", "T", with_small("accuracy", USEFUL), with_small("people, by the matched filter", SAFER),
              with_small("people, by paper E's network", SAFER), "by the network, unblurred")  # fmt: skip


def cell_columns(cell: CellResult) -> list[str]:
    """T, accuracy, people recognised after a blur by each judge, and as paper E counts."""
    found = [*(cell.at(Risk(judge=judge)) for judge in IN_FULL), cell.risk("impact_mean")]
    return [f"{cell.numbers['steps']:,.0f}", share(cell.accuracy()), *(with_interval(one) for one in found)]


def compared_html(runs: list[Run]) -> str:
    if not runs:
        return ""
    cells = [(run, own_cell(run)) for run in runs]
    rows = [(f"run {run.number}: {cell.title}, q = {run.config.q:g}", *cell_columns(cell)) for run, cell in cells]
    return table_html(CELL_HEADS, rows, "95% intervals; drawings blurred afterwards, unless said.")
