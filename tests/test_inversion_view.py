"""What lesson 1 shows: pictures in one place whatever their number, nothing that flickers, the stored face."""

import re
from dataclasses import replace

import numpy as np
import pytest
from conftest import on_a_page

from dpmia_lab.experiments import inversion
from dpmia_lab.reference.shipped_runs import shipped_run
from dpmia_lab.stages import Progress, Snapshot, drain
from dpmia_lab.store import Store
from dpmia_lab.widgets.inversion import hook
from dpmia_lab.widgets.inversion.panel import InversionPanel, drawn_enough
from dpmia_lab.widgets.inversion.recognisers import MOST, Recognisers
from dpmia_lab.widgets.inversion.view import InversionView
from dpmia_lab.widgets.kit.charts import ChartPlace

FACES = inversion.PRESETS["faces"]


@pytest.fixture(autouse=True)
def no_charts(monkeypatch):
    """They are drawn by a thread that takes its time; other tests look at them."""
    monkeypatch.setattr(ChartPlace, "redraw", lambda self: None)


@pytest.fixture
def view():
    """With the run that ships for the usual faces."""

    async def made():
        shown = InversionView()
        shown.config = FACES
        shown.show(shipped_run("inversion", FACES)[0])
        return shown

    return on_a_page(made())


def names_in(html):
    return re.findall(r"<b>(.*?)</b>", html)


def pictures_in(html):
    return re.findall(r'src="(.*?)"', html)


# ---- which people, and how large
def test_ten_people_are_shown_and_one_turns_to_the_next(view):
    assert names_in(view.people.value) == [f"person {i}" for i in range(1, 11)] and view.back.disabled
    view.forth.click()
    assert names_in(view.people.value)[0] == "person 11" and view.which.value == "11–20 of 40"
    for _ in range(5):
        view.turn(1) if not view.forth.disabled else None
    assert view.which.value == "31–40 of 40" and view.forth.disabled and not view.back.disabled


def test_larger_pictures_are_fewer_and_the_same_person_stays_in_view(view):
    view.turn(1)
    view.larger.click()
    assert names_in(view.people.value) == ["person 11", "person 12"] and "dp-large" in view.people._dom_classes
    view.turn(1)
    view.larger.click()
    assert names_in(view.people.value)[0] == "person 11" and "dp-large" not in view.people._dom_classes


def test_turning_to_a_person_shows_the_page_they_are_on(view):
    view.turn_to(25)
    assert "person 26" in names_in(view.people.value)


def test_stretching_changes_the_drawings_and_not_the_photographs(view):
    before = pictures_in(view.people.value)
    view.stretch.value = True
    after = pictures_in(view.people.value)
    assert before[::2] == after[::2] and before[3] != after[3]  # the second person's drawing had stalled


# ---- while it runs
def test_what_was_drawn_stays_until_there_is_something_new(view):
    before, said = view.people.value, view.verdict.value
    view.happened(Snapshot("truth", 0, view.truth))
    assert view.people.value == before and "dp-waits" not in view.verdict._dom_classes
    view.happened(Snapshot("reconstruction", 70, np.full_like(view.truth, 0.3)))
    assert view.people.value != before and view.verdict.value == said and "dp-waits" in view.verdict._dom_classes


def test_fewer_people_than_before_are_shown_from_the_first(view):
    view.turn_to(35)
    view.happened(Snapshot("truth", 0, view.truth[:5]))
    view.happened(Snapshot("reconstruction", 1, view.truth[:5]))
    assert len(pictures_in(view.people.value)) == 10 and view.which.value == "1–5 of 5"


@pytest.mark.parametrize(("step", "kept"), [(1, False), (59, False), (60, True), (300, True)])
def test_where_pictures_follow_a_slider_grey_beginnings_are_left_out(step, kept):
    event = Snapshot("reconstruction", step, np.zeros(1))
    assert (drawn_enough(event, FACES) is event) == kept
    for other in (Snapshot("truth", 0, np.zeros(1)), Progress(1, 300, "attacking")):
        assert drawn_enough(other, FACES) is other


# ---- recognisers are kept
def test_a_recogniser_is_kept_for_the_next_attack_but_not_for_ever():
    kept = Recognisers()
    first = kept.of(FACES)
    assert kept.of(replace(FACES, lam=0.1, steps=3)) is first
    others = [kept.of(replace(FACES, people=people)) for people in range(5, 5 + MOST)]
    assert kept.of(FACES) is not first
    assert kept.of(replace(FACES, people=4 + MOST)) is others[-1]


def test_which_settings_follow_a_slider(tmp_path):
    async def made():
        return InversionPanel("", Store(tmp_path))

    quick = on_a_page(made()).is_quick
    assert all(quick(config) for config in (FACES, replace(FACES, people=5), inversion.PRESETS["faces-original"]))
    assert not any(quick(replace(FACES, **slow)) for slow in ({"steps": 1000}, {"model": "cnn"}, {"data": "mnist"}))


# ---- the hook
def test_the_stored_face_is_the_one_the_page_draws():
    """Bytes may differ by rounding on another machine: two grey levels of 255 on average at most."""
    data, _, x, _ = drain(inversion.drawn(hook.HOOK))
    stored, fresh = hook.stored_hook(), hook.hook_arrays(data, x, hook.HOOK.seed)
    for name in ("target", "people", "labels", "names"):
        assert np.array_equal(stored[name], fresh[name]), name
    for name in ("drawing", "photographs"):
        assert np.abs(stored[name].astype(float) - fresh[name]).mean() < 2, name


def test_the_line_up_holds_the_person_once_and_photographs_that_were_not_trained_on():
    stored, data = hook.stored_hook(), inversion.loaded(hook.HOOK)
    assert list(stored["labels"]).count(int(stored["target"])) == 1 and len(set(stored["labels"])) == hook.SUSPECTS
    for photograph in stored["photographs"]:
        assert np.abs(data.train_x - photograph / 255).mean(axis=(1, 2, 3)).min() > 0.01


def test_the_hook_opens_with_a_face_and_people_to_choose_from():
    async def made():
        return hook.Hook()

    shown = on_a_page(made())
    assert "<img" in shown.picture.value and len(shown.line_up.children) == hook.SUSPECTS
    for label in shown.stored["labels"]:
        shown.judge(int(label))
        assert shown.answer.value.startswith('<div class="dp-note"') == (label == shown.target)
