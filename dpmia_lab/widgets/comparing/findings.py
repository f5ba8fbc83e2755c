"""What the shipped grids say, over their seeds: computed, not written."""

import ipywidgets as widgets

from dpmia_lab.experiments.comparing_answers import Harm, leak_of
from dpmia_lab.experiments.comparing_columns import DATA
from dpmia_lab.experiments.comparing_grid import Grid, measured_over
from dpmia_lab.experiments.comparing_risk import promise_words
from dpmia_lab.widgets.comparing import claims
from dpmia_lab.widgets.comparing.claims import everywhere
from dpmia_lab.widgets.comparing.data import LATER, WORDS, shipped_grid
from dpmia_lab.widgets.comparing.words import cell_text
from dpmia_lab.widgets.kit.claims import NOT_MEASURED, Claim, folded_claims
from dpmia_lab.widgets.kit.parts import card, text
from dpmia_lab.widgets.kit.tables import table_html, with_small

CLAIMS = [
    Claim("Who is on the front, by members caught?", "D", NOT_MEASURED, everywhere(claims.front_of_average)),
    Claim("Who is on the front, by canaries caught?", "D", NOT_MEASURED, everywhere(claims.front_of_canaries)),
    Claim("Who is on the front, by people recognised?", "B", NOT_MEASURED,
          everywhere(claims.front_of_pictures, "faces")),
    Claim("Who is on the front, by secrets guessed?", "B", NOT_MEASURED,
          everywhere(claims.front_of_secrets, "patients")),
    Claim("Who falls when the attack adapts?", "D", NOT_MEASURED, everywhere(claims.who_falls)),
    Claim("Who beats both controls at equal accuracy?", "D", NOT_MEASURED, everywhere(claims.beats_controls)),
    Claim("Where AOP and the tail disagree", "D", NOT_MEASURED, everywhere(claims.aop_and_the_tail)),
    Claim("Where φ and the tail disagree", "C", NOT_MEASURED, everywhere(claims.phi_and_the_tail)),
    Claim("Does DAP leak less than DP-SGD of the same accuracy?", "D", NOT_MEASURED, everywhere(claims.dap_against_dp)),
    Claim("MID leaks less than DP-SGD of the same accuracy", "B",
          "MID leaks less than DP at equal accuracy (Figs. 2 c and 4 b)", everywhere(claims.mid_against_dp, "faces")),
]  # fmt: skip


def results_html() -> str:
    """Every column of every grid: accuracy, the worst of every harm, what is promised."""
    grids = {name: grid for name in DATA if (grid := shipped_grid(name)) is not None}
    return "".join(grid_html(name, grid) for name, grid in grids.items()) or f"<p class='dp-soft'>{LATER}</p>"


def grid_html(data: str, grid: Grid) -> str:
    harms = {
        with_small("caught", "everybody"): Harm("tpr1"),
        with_small("caught", "canaries"): Harm("tpr1", "canaries"),
        with_small("caught", "most at risk"): Harm("tpr1", "at risk"),
        "AUC": Harm("auc"),
        "recognised": Harm("recognised"),
        with_small("secrets", "beyond imputation"): Harm("attack_over_imputation"),
    }
    there = {head: harm for head, harm in harms.items() if any(leak_of(grid, name, harm) for name in grid.columns)}
    rows = []
    for name, column in grid.columns.items():
        leaks = [leak_of(grid, name, harm) for harm in there.values()]
        cells = [cell_text(harm.measure, leak.measured if leak else None)
                 for harm, leak in zip(there.values(), leaks, strict=True)]  # fmt: skip
        right = cell_text("accuracy", measured_over(grid.accuracy(name)))
        rows.append((column.words, right, *cells, promise_words(grid, name) or "nothing"))
    caption = (
        f"{WORDS[data]}: each by the attack that is worst for it, means over {len(grid.seeds)} seeds, 95 % intervals "
        "below. Caught: at 1 % false alarms, where guessing catches 1 %."
    )
    return table_html(("defence", "right", *there, "promised"), rows, caption, "dp-grid-numbers")


def findings() -> widgets.VBox:
    rule = "<p class='dp-soft'>Clearly: Student's 95 % interval of the difference, seed by seed, leaves out 0.</p>"
    numbers = f"<details><summary><b>The numbers of every defence</b></summary>{results_html()}</details>"
    return card(text(f"<h3>As it came out</h3>{rule}{folded_claims(CLAIMS)}{numbers}"), name="dp-claims")
