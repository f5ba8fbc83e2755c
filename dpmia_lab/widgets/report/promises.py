"""What is promised of a column, in a sentence, and what that is worth."""

from dpmia_lab.experiments.comparing_grid import Grid
from dpmia_lab.experiments.comparing_risk import column_risk, epsilon_words, promises
from dpmia_lab.privacy.risk import bound_text


def promise_sentence(grid: Grid, column: str) -> str:
    if column not in grid.promises:
        return "It promises nothing."
    said = f"It promises {epsilon_words(grid.promises[column])}"
    if not promises(grid, column):
        return f"{said}, which rules nothing out."
    most = most_caught(grid, column)
    return f"{said}: at 1\u00a0% false alarms no attack whatsoever catches more than {most} of members."


def most_caught(grid: Grid, column: str) -> str:
    """By any attack, at 1 % false alarms."""
    return bound_text(column_risk(grid, column).most_caught)
