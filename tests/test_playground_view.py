"""The playground's page without a browser: links, linked sliders, charts as text, the last minute, challenges."""

import asyncio
import time
from xml.etree import ElementTree

import numpy as np
import pytest
from conftest import on_a_page

from dpmia_lab.experiments import playground
from dpmia_lab.experiments.playground import PLAYED, Config
from dpmia_lab.experiments.playground_challenges import CHALLENGES, TELLING
from dpmia_lab.plots.drawn import Axis, Drawing
from dpmia_lab.plots.playground import MEASURES, Caught, Curve, Dot, roc_chart, tradeoff_chart
from dpmia_lab.plots.playground_poster import poster
from dpmia_lab.reference.shipped_runs import shipped_run
from dpmia_lab.widgets.kit.links import query_of
from dpmia_lab.widgets.playground import words
from dpmia_lab.widgets.playground.challenges import Challenges
from dpmia_lab.widgets.playground.linked import EPSILONS, SIGMAS, Sizes, sigma_of
from dpmia_lab.widgets.playground.mosaic import blur, carts, mosaic
from dpmia_lab.widgets.playground.panel import PlaygroundPanel
from dpmia_lab.widgets.playground.position import Position, position_of
from dpmia_lab.widgets.playground.timelapse import MINUTE, TimeLapse

FACES = Sizes(members=180, classes=20)


def shipped_position(preset: str = "record") -> Position:
    config = playground.PRESETS[preset]
    result, _ = shipped_run("playground", config)
    return position_of(config, result, words.position_words(config), promised=True)


# ---- links and controls


@pytest.mark.parametrize("defence", PLAYED)
def test_a_link_to_any_defence_restores_it_and_shows_its_sliders_alone(defence):
    config = Config(defence=defence, sigma=2.4, lam=0.2, r=2.0, seed=0)

    async def opened():
        return PlaygroundPanel(query_of(config, playground).removeprefix("?"))

    panel = on_a_page(opened())
    assert panel.controls.config() == config and panel.problem.value == ""
    there = {name for name, widget in panel.controls.made.items() if "dp-absent" not in widget._dom_classes}
    own = {slider.field for slider in PLAYED[defence].sliders} - {"k_sub"}  # whole classes are hidden
    assert there == {"data", "defence"} | own
    assert ("dp-absent" in panel.linked.epsilon._dom_classes) == ("sigma" not in own)
    assert panel.results.mosaic.value and panel.results.now is not None  # something is shown before anything is trained


def test_an_epsilon_in_a_link_becomes_its_noise():
    async def opened():
        return PlaygroundPanel("defence=central&epsilon=4.0")

    config = on_a_page(opened()).controls.config()
    assert config.epsilon == 0
    assert playground.promise_of(config, FACES).epsilon <= 4
    weaker = Config(defence="central", sigma=SIGMAS[SIGMAS.index(config.sigma) - 1])
    assert playground.promise_of(weaker, FACES).epsilon > 4


@pytest.mark.parametrize("epsilon", EPSILONS[::5])
def test_sigma_keeps_within_epsilon_as_far_as_the_slider_goes(epsilon):
    config = Config(defence="central")
    sigma = sigma_of(epsilon, config, FACES)
    promised = playground.promise_of(Config(defence="central", sigma=sigma), FACES).epsilon
    assert promised <= epsilon or sigma == SIGMAS[-1]


def test_moving_epsilon_moves_sigma_and_the_other_way_round():
    async def moved():
        panel = PlaygroundPanel("")
        sigma, epsilon = panel.controls.made["sigma"], panel.linked.epsilon
        epsilon.value = 10.0
        first = sigma.value, epsilon.value
        sigma.value = 16.0
        return first, epsilon.value

    (sigma, kept), after = on_a_page(moved())
    assert kept == 10.0 and playground.promise_of(Config(defence="central", sigma=sigma), FACES).epsilon <= 10
    assert after < 2


def test_every_surprise_can_be_set():
    async def jumped():
        panel = PlaygroundPanel("")
        seen = []
        for _ in TELLING:
            panel.jump()
            seen.append((panel.controls.config().defence, panel.told.value, panel.problem.value))
        return seen

    for telling, (defence, told, problem) in zip(TELLING, on_a_page(jumped()), strict=True):
        assert defence == telling.config.defence and told and problem == ""


# ---- pictures


def test_a_mosaic_has_the_truth_beside_each_drawing():
    truth, drawn = np.zeros((6, 4, 3)), np.full((6, 4, 3), 0.5)
    sheet = mosaic(truth, drawn)[0]
    assert sheet.shape == (2 * 7 - 3, 5 * 10 - 3)
    assert (sheet[:4, :3] == 0).all() and (sheet[:4, 4:7] == 0.5).all() and (sheet[:4, 7:10] == 1).all()
    assert (sheet[7:, 10:] == 1).all()  # a row that is not full


def test_carts_fade_from_what_is_bought_most():
    truth, drawn = np.array([[0.1, 0.9, 0.5]]), np.array([[0.2, 0.3, 0.4]])
    sorted_truth, sorted_drawn = carts(truth, drawn)
    np.testing.assert_allclose(1 - sorted_truth.ravel()[:3], np.array([0.9, 0.5, 0.1]) / 0.9, rtol=1e-6)
    np.testing.assert_allclose(1 - sorted_drawn.ravel()[:3], [0.3, 0.4, 0.2], rtol=1e-6)


def test_a_blur_takes_noise_and_keeps_contrast():
    pictures = 0.5 + 0.1 * np.random.default_rng(0).standard_normal((3, 16, 14))
    soft = blur(pictures)
    assert soft.std() == pytest.approx(pictures.std(), rel=0.1)
    assert np.abs(np.diff(soft)).mean() < 0.6 * np.abs(np.diff(pictures)).mean()


# ---- charts


def test_an_axis_places_its_ends_and_what_lies_outside():
    linear, log = Axis(0, 2, (), ""), Axis(0.01, 1, (), "", log=True)
    np.testing.assert_allclose(linear.shares([0, 1, 2, 5]), [0, 0.5, 1, 1])
    np.testing.assert_allclose(log.shares([0.001, 0.01, 0.1, 1]), [0, 0, 0.5, 1])


def test_words_in_a_drawing_are_escaped():
    drawing = Drawing(100, 80, Axis(0, 1, (), "a < b"), Axis(0, 1, (), "x & y"))
    drawing.axes()
    ElementTree.fromstring(drawing.finished("").svg())


def caught(tpr1: float) -> Caught:
    fpr = np.geomspace(0.001, 1, 200)
    return Caught(fpr, np.maximum(fpr, tpr1), tpr1, (tpr1 / 2, 2 * tpr1))


def test_the_roc_says_what_it_shows():
    chart = roc_chart(caught(0.05), caught(0.2), 460, 205)
    ElementTree.fromstring(chart.svg())
    assert "catches 5.0% of the members" in chart.alt and "Without a defence it catches 20.0%" in chart.alt
    assert all(0 <= point.x <= 1 and 0 <= point.y <= 1 for point in chart.readings())


def dot(auc: float, accuracy: float, key: str) -> Dot:
    leaks = dict.fromkeys(MEASURES, auc)
    return Dot(leaks, accuracy, f"position {key}", key, True, {"auc": (auc - 0.01, auc + 0.01)}, (accuracy, accuracy))


def curves() -> list[Curve]:
    auc = tuple(np.linspace(0.9, 0.5, 8))
    return [
        Curve(f"d{i}", f"defence {i}", dict.fromkeys(MEASURES, auc), tuple(np.linspace(1, 0.1 * i, 8)), ("",) * 8)
        for i in range(8)
    ]


@pytest.mark.parametrize("measure", MEASURES)
def test_dots_fade_with_age_and_open_their_position(measure):
    dots = [dot(0.9 - 0.05 * i, 0.9, str(i)) for i in range(6)]
    chart = tradeoff_chart(dots, curves(), "d3", measure, 1, 460, 205)
    drawn = [circle for circle in ElementTree.fromstring(chart.svg()).iter() if circle.tag.endswith("circle")]
    seen = [float(circle.get("opacity")) for circle in drawn]
    assert len(seen) == 6 and seen == sorted(seen) and seen[-1] == 1
    assert [point.key for point in chart.readings() if point.key] == list("012345")
    assert "6 positions so far. Grey: 8 defences" in chart.alt


@pytest.mark.parametrize("lam", [0, 1, 5])
def test_the_name_of_a_bargain_covers_no_dot(lam):
    named = 0
    for auc in np.arange(0.5, 0.98, 0.04):
        for accuracy in np.arange(0.1, 1, 0.06):
            chart = tradeoff_chart([dot(auc, accuracy, "here")], [], "d3", "auc", lam, 460, 205)
            parts = list(ElementTree.fromstring(chart.svg()).iter())
            for name in (part for part in parts if part.text == f"as good at λ = {lam}"):
                (circle,) = (part for part in parts if part.tag.endswith("circle"))
                width = 6.3 * len(name.text)
                left = float(name.get("x")) - (width if name.get("text-anchor") == "end" else 0)
                right, down = float(circle.get("cx")) - left, float(circle.get("cy")) - float(name.get("y"))
                assert left > 40 and left + width < 460
                assert not (-6 < right < width + 6 and -16 < down < 9)
                named += 1
    assert named > 50


def test_a_poster_has_everything():
    position = shipped_position()
    lines = words.lines(position, "plain", 2)
    made = poster(words.title(position), lines, "data:,", (73, 157), [roc_chart(position.caught, None, 480, 205)])
    ElementTree.fromstring(made.svg())
    assert len(lines) == 6 and "seed 0" in made.alt and "of members caught at 1% false alarms" in made.alt
    assert all("<" not in line and "chance" in line.lower() for line in lines[:4])


# ---- words


def test_numbers_name_their_attacker_chance_and_what_is_good():
    position = shipped_position()
    for html in (words.drawn_html(position, "plain"), words.caught_html(position), words.bargain_html(position, 1)):
        assert "Chance" in html and ("low is safe" in html or "high is good" in html)
    assert "for a record" not in words.promise_html(Config(defence="mid"), None)


def test_position_words_name_what_is_set():
    assert words.position_words(Config(defence="central", sigma=2.0)) == "DP-SGD for a record, σ = 2, q = 0.5"
    assert "k" not in words.position_words(Config(defence="units", unit="class")).split(",")[-1]


# ---- the last minute, and challenges


def test_the_last_minute_is_shown_in_order_and_ends():
    shown, ended = [], []
    old, first, second = (shipped_position(name) for name in ("mid", "record", "class"))

    async def played():
        lapse = TimeLapse(lambda position, *_: shown.append(position.words), lambda: ended.append(True))
        object.__setattr__(old, "at", time.monotonic() - MINUTE - 1)
        for position in (old, first, first, second):
            lapse.add(position)
        lapse.play()
        while not ended:
            await asyncio.sleep(0.02)

    on_a_page(played())
    assert shown == [first.words, second.words]


def test_challenges_tick_themselves_and_hint():
    async def looked():
        challenges = Challenges()
        before = challenges.view.value
        challenges.heard(shipped_position(), "plain")
        challenges.look()
        challenges.choose(3)
        return before, challenges

    before, challenges = on_a_page(looked())
    assert before.count("<li") == len(CHALLENGES) == 5 and before.count('class="hint"') == 1
    assert challenges.solved == set()  # nothing is solved where the page opens
    assert "ε is still" in challenges.view.value
