"""The first chart of a process finds, opens and measures fonts: a third of a second and 10 MB."""

from matplotlib import rc_context

from dpmia_lab.plots.style import STYLE, Chart, new_figure


def draw_one() -> None:
    """For nobody: drawn where pages are forked from, it need not be done in each of them."""
    with rc_context(STYLE):
        figure = new_figure(400, 300, 40, 10, 10, 40)
        axes = figure.add_subplot(xlabel="$x^2$", ylabel="y", xscale="log")
        axes.plot([1, 10], [0, 1])
        axes.text(1, 0, "x", weight="bold")
    Chart(figure, "").svg("warm")
