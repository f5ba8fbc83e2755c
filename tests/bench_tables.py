"""Attribute inference on tables: how long a slider's position and a whole curve take, a part of ``make bench``.

3,400 generated patients, 1,700 of them trained on in each split. Regressions of all splits at once are compared with
scikit-learn's LinearRegression in a loop; both must say the same first.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import numpy as np
from sklearn.linear_model import LinearRegression

from dpmia_lab.experiments.attribute_curves import curve
from dpmia_lab.experiments.attributes import PRESETS, Config, Prepared, run
from dpmia_lab.stages import drain
from dpmia_lab.training.regression import least_squares, predictions
from tests.bench_rows import Row, milliseconds, seconds

ROUNDS = 5
STRENGTHS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.1, 2.0, 3.0)  # λ
SAME = 1e-4  # mg: where a split lacks a label, a touch of ridge settles its coefficient


def table_rows() -> Iterator[Row]:
    yield scikit_row(Prepared(Config(splits=100)))
    yield slider_row("regression, MID", Config(defence="mid"), "lam")
    yield slider_row("regression, ridge", Config(defence="ridge"), "ridge")
    survey = replace(PRESETS["survey"], defence="mid")
    yield slider_row("tree, MID", survey, "lam")
    yield curve_row()


def scikit_row(prepared: Prepared) -> Row:
    problem = prepared.people.problem(uses_secret=True)

    def loop() -> np.ndarray:
        pairs = zip(problem.x, problem.y, strict=True)
        return np.stack([LinearRegression(fit_intercept=False).fit(x, y).predict(x) for x, y in pairs])

    def at_once() -> np.ndarray:
        return predictions(problem.x, least_squares(problem))

    what = "scikit-learn's LinearRegression, a loop ÷ at once: 100 splits"
    difference = np.abs(loop() - at_once()).max()
    if not difference < SAME:
        return Row(what, [], problem=f"predictions differ by {difference:.2g}")
    return Row(what, [seconds(loop) / seconds(at_once) for _ in range(ROUNDS)])


def slider_row(words: str, config: Config, field: str) -> Row:
    """All attacks on 20 splits, each time with another value of the field."""
    prepared, values = Prepared(config), count()

    def work() -> None:
        drain(run(replace(config, **{field: 0.5 + next(values) / 10}), prepared))

    return milliseconds(f"a slider's position, 20 splits, all attacks: {words}", work, target=300)


def curve_row() -> Row:
    def work() -> None:
        drain(curve(Config(splits=100), [("mid", lam) for lam in STRENGTHS]))

    what = "100 splits × 10 strengths of MID with all attacks"
    return Row(what, [seconds(work) for _ in range(2)], unit="s", target=10, sign="≤")


if __name__ == "__main__":
    for row in table_rows():
        print(row, flush=True)
