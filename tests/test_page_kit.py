"""What pages are made of, without a browser: the runner's thread, links, runs, pictures, controls, questions."""

import base64
import csv
import io
import queue
import re
import threading
from dataclasses import fields, replace
from html.parser import HTMLParser
from urllib.parse import urlencode

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from PIL import Image

from dpmia_lab.checks import Mistake
from dpmia_lab.experiments import EXPERIMENTS, inversion
from dpmia_lab.experiments.configs import as_dict
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import Progress, Snapshot
from dpmia_lab.store import Result
from dpmia_lab.widgets import controls, links, pictures, questions, runs
from dpmia_lab.widgets.runner import PAUSE, Reporter, Runner

# ---- the runner


class Page:
    """Stands for the kernel's loop: calls wait in a queue until the page gets round to them."""

    def __init__(self):
        self.waiting = queue.Queue()
        self.runner = Runner(self.waiting.put)
        self.ended, self.events = [], []

    def start(self, stage):
        self.runner.start(stage, self.events.extend, lambda *end: self.ended.append(end))

    def until(self, condition):
        while not condition():
            self.waiting.get(timeout=10)()

    def rest(self):
        while not self.waiting.empty():
            self.waiting.get()()


def counting(steps=3):
    for step in range(steps):
        yield Progress(step + 1, steps, "counting")
    return steps


def waiting_for(gate, started=None, log=None):
    """A stage that stands still after its first event until the gate opens, then goes on for ever."""
    try:
        yield Progress(0, 1, "waiting")
        if started:
            started.set()
        gate.wait(10)
        while True:
            yield Progress(0.5, 1, "going on")
    finally:
        if log is not None:
            log.append(threading.current_thread())


def test_a_result_is_delivered_to_the_page():
    page = Page()
    page.start(counting)
    assert page.runner.running and page.ended == []
    page.until(lambda: page.ended)
    assert page.ended == [(3, None)]
    assert page.events[-1] == Progress(3, 3, "counting")
    assert not page.runner.running


def test_the_page_works_also_where_calls_are_made_at_once():
    done = threading.Event()
    ends = []
    Runner(lambda call: call()).start(counting, lambda _: None, lambda *end: (ends.append(end), done.set()))
    assert done.wait(10) and ends == [(3, None)]


def mistaken():
    yield Progress(0, 1, "x")
    raise Mistake("steps must be greater than 0; it is 0.")


def broken():
    yield Progress(0, 1, "x")
    raise ZeroDivisionError("division by zero")


def broken_at_once():
    raise Mistake("no stage was made.")


@pytest.mark.parametrize(
    ("stage", "sentence"),
    [
        (mistaken, "steps must be greater than 0; it is 0."),
        (broken, "Something went wrong inside the lab (ZeroDivisionError: division by zero)."),
        (broken_at_once, "no stage was made."),
    ],
)
def test_a_problem_reaches_the_page_as_one_sentence(stage, sentence):
    page = Page()
    page.start(stage)
    page.until(lambda: page.ended)
    assert page.ended == [(None, sentence)]
    assert not page.runner.running


def test_stop_tells_the_page_at_once_and_what_comes_later_is_dropped():
    page, gate, started, log = Page(), threading.Event(), threading.Event(), []
    page.start(lambda: waiting_for(gate, started, log))
    thread = page.runner._current.thread
    assert started.wait(10)
    page.runner.stop()
    assert page.ended == [(None, None)] and not page.runner.running
    gate.set()
    thread.join(10)
    page.rest()
    assert page.ended == [(None, None)] and page.events == []
    assert log == [thread]  # closed by the thread that ran it


def test_a_stop_just_after_the_end_still_ends_only_once():
    page = Page()
    page.start(counting)
    page.runner._current.thread.join(10)
    page.runner.stop()
    page.rest()
    assert page.ended == [(None, None)]


def test_stopping_nothing_does_nothing():
    page = Page()
    page.runner.stop()
    assert page.ended == []


def test_a_new_run_may_start_while_the_stopped_one_is_still_busy():
    page, gate, started = Page(), threading.Event(), threading.Event()
    page.start(lambda: waiting_for(gate, started))
    old = page.runner._current.thread
    assert started.wait(10)
    page.runner.stop()
    page.start(lambda: counting(5))
    page.until(lambda: len(page.ended) == 2)
    gate.set()
    old.join(10)
    page.rest()
    assert page.ended == [(None, None), (5, None)]
    assert {event.label for event in page.events} == {"counting"}


def test_a_second_start_while_running_is_ignored():
    page, gate = Page(), threading.Event()
    page.start(lambda: waiting_for(gate))
    thread = page.runner._current.thread
    page.start(counting)
    assert page.runner._current.thread is thread
    page.runner.stop()
    gate.set()
    thread.join(10)


def test_the_work_is_done_in_a_thread_that_does_not_hold_the_kernel_up():
    seen = []

    def stage():
        seen.append(threading.current_thread())
        yield Progress(1, 1, "x")

    page = Page()
    page.start(stage)
    page.until(lambda: page.ended)
    assert seen[0] is not threading.main_thread() and seen[0].daemon


def test_reports_come_at_most_ten_times_a_second_with_the_newest_of_each_kind():
    now, reports = [100.0], []
    reporter = Reporter(lambda events: reports.append((now[0], events)), lambda: now[0])
    for step in range(1, 1001):  # a second, in milliseconds
        now[0] = 100 + step / 1000
        reporter.take(Progress(step, 1000, "x"))
        if step % 50 == 0:
            reporter.take(Snapshot("picture", step, np.zeros(1)))
    reporter.flush()
    times = [time for time, _ in reports]
    assert 9 <= len(reports) <= 12
    assert min(np.diff(times[:-1])) >= PAUSE - 1e-9
    newest = {type(event).__name__: event for _, events in reports for event in events}
    assert newest["Progress"].done == 1000 and newest["Snapshot"].step == 1000
    assert all(len(events) <= 2 for _, events in reports)
    assert all(event.done == round((time - 100) * 1000) for time, (event, *_) in reports[1:])


def test_snapshots_of_different_names_do_not_replace_each_other():
    now, reports = [0.0], []
    reporter = Reporter(reports.append, lambda: now[0])
    reporter.take(Progress(0, 1, "x"))
    for name in ("truth", "reconstruction", "reconstruction"):
        reporter.take(Snapshot(name, len(reporter.waiting), np.zeros(1)))
    now[0] = 1.0
    reporter.take(Progress(1, 1, "x"))
    assert [getattr(event, "name", "progress") for event in reports[1]] == ["truth", "reconstruction", "progress"]


def test_a_flush_without_news_is_silent():
    reports = []
    reporter = Reporter(reports.append)
    reporter.flush()
    assert reports == []


# ---- links

MENU = ("faces", "digits", "mnist", "att_faces")
every_experiment = pytest.mark.parametrize("name", EXPERIMENTS)


def back(config, experiment=inversion):
    return links.config_from_query(links.query_of(config, experiment).removeprefix("?"), experiment, MENU)


@every_experiment
def test_every_preset_has_a_link_that_leads_back_to_it(name):
    experiment = EXPERIMENTS[name]
    for preset, config in experiment.PRESETS.items():
        assert links.query_of(config, experiment) == f"?preset={preset}"
        assert back(config, experiment) == config


any_config = some.builds(
    inversion.Config,
    data=some.sampled_from(MENU),
    people=some.integers(2, 100),
    pictures=some.integers(4, 30),
    height=some.integers(16, 224),
    model=some.sampled_from(inversion.MODELS),
    attack=some.sampled_from(inversion.ATTACKS),
    prior=some.sampled_from(inversion.PRIORS),
    lam=some.floats(0, 1e6),
    steps=some.integers(1, 20_000),
    rate=some.floats(0, 1e6, exclude_min=True),
    box=some.booleans(),
    process=some.sampled_from(inversion.PROCESSES),
    smooth=some.floats(0, 10),
    seed=some.integers(0, 2**31 - 1),
)


@settings(max_examples=60, deadline=None)
@given(any_config)
def test_any_valid_config_survives_its_link(config):
    assert back(config) == config


a_name = some.sampled_from(["preset", "colour", *(option.name for option in fields(inversion.Config))])
a_value = some.one_of(some.text(max_size=8), some.integers().map(str), some.floats().map(str), some.sampled_from(MENU))


@settings(max_examples=100, deadline=None)
@given(some.one_of(some.text(max_size=40), some.dictionaries(a_name, a_value, max_size=4).map(urlencode)))
def test_no_link_whatsoever_breaks_the_page(query):
    config, sentence = links.config_or_default(query, inversion, MENU)
    assert config.data in MENU
    assert sentence == "" or config == inversion.PRESETS["faces"]


@pytest.mark.parametrize(
    ("query", "part"),
    [
        ("steps=0", "steps must be a whole number from 1 to 20000; it is 0."),
        ("steps=many", "steps must be a whole number; it is 'many'."),
        ("lam=nan", "lam must be 0 or more; it is nan."),
        ("preset=none", "preset must be one of faces, "),
        ("colour=red", "option must be one of data, "),
        ("data=/etc/passwd", "data must be one of faces, digits, mnist, att_faces; it is '/etc/passwd'."),
        ("data=mnist:/tmp", "data must be one of"),
        ("data=..%2Fsecret.npz", "it is '../secret.npz'."),
    ],
)
def test_a_bad_link_is_answered_with_the_sentence_and_the_usual_settings(query, part):
    config, sentence = links.config_or_default(query, inversion, MENU)
    assert config == inversion.PRESETS["faces"]
    assert part in sentence and sentence.startswith("The link asks for something the lab cannot do: ")
    with pytest.raises(Mistake):
        links.config_from_query(query, inversion, MENU)


def test_a_link_changes_only_what_it_names():
    config = links.config_from_query("preset=digits&lam=0.5&seed=3", inversion, MENU)
    assert config == replace(inversion.PRESETS["digits"], lam=0.5, seed=3)


def test_the_query_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("QUERY_STRING", "seed=4")
    assert links.page_query() == "seed=4"
    monkeypatch.delenv("QUERY_STRING")
    assert links.config_from_query(links.page_query(), inversion, MENU) == inversion.PRESETS["faces"]


# ---- runs of a visit


def table_with(count, most=12):
    choices = []
    table = runs.RunTable(lambda run: f"summary {run.number}", lambda: choices.append(1), most)
    for i in range(count):
        config = replace(inversion.Config(), seed=i, data='odd "name", with\ncomma')
        table.add(config, Result({"recognised_share": i / 4, "distance_mean": 1 / 3}), 1.5, "<here> & now")
    return table, choices


def test_the_table_of_runs_can_be_read_back():
    table, _ = table_with(3)
    rows = list(csv.DictReader(io.StringIO(runs.runs_csv(table.runs), newline="")))
    assert [row["run"] for row in rows] == ["1", "2", "3"]
    assert float(rows[1]["recognised_share"]) == 0.25 and float(rows[2]["distance_mean"]) == 1 / 3
    for row, run in zip(rows, reversed(table.runs), strict=True):
        assert {name: row[name] for name in as_dict(run.config)} == {k: str(v) for k, v in as_dict(run.config).items()}


def test_runs_with_different_numbers_share_one_table():
    table, _ = table_with(1)
    table.add(inversion.Config(), Result({"another": 2.0}), 1.0, "")
    rows = list(csv.DictReader(io.StringIO(runs.runs_csv(table.runs))))
    assert [row["another"] for row in rows] == ["", "2.0"]


def test_the_newest_run_comes_first_and_the_oldest_are_let_go():
    table, _ = table_with(5, most=3)
    assert [run.number for run in table.runs] == [5, 4, 3]
    assert len(table.rows.children) == 3


def test_a_run_that_is_kept_is_not_let_go():
    table, _ = table_with(3, most=3)
    table.runs[-1].kept = True
    table.add(inversion.Config(), Result({}), 1.0, "")
    assert [run.number for run in table.runs] == [4, 3, 1]


def test_runs_can_be_compared_and_removed():
    table, choices = table_with(3)
    find(table.rows.children[0], "Checkbox").value = True
    assert [run.compared for run in table.runs] == [True, False, False] and len(choices) == 1
    table.remove(table.runs[0])
    assert [run.number for run in table.runs] == [2, 1] and len(choices) == 2


def test_words_about_a_run_cannot_become_markup():
    table, _ = table_with(1)
    html = find(table.rows.children[0], "HTML").value
    assert "&lt;here&gt; &amp; now" in html and "<here>" not in html


def find(widget, kind):
    """The first widget of that class name below this one."""
    if type(widget).__name__ == kind:
        return widget
    found = (find(child, kind) for child in getattr(widget, "children", ()))
    return next((one for one in found if one is not None), None)


# ---- pictures


class Images(HTMLParser):
    """The attributes of every <img> in a piece of HTML."""

    def __init__(self, html):
        super().__init__()
        self.found, self.tags = [], []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag == "img":
            self.found.append(dict(attributes))


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("kind", ["bytes", "fractions"])
def test_pictures_come_through_pixel_by_pixel(channels, kind):
    pixels = numpy_generator(0, "pixels").integers(0, 256, (channels, 7, 5), dtype=np.uint8)
    picture = pixels if kind == "bytes" else (pixels / 255).astype(np.float32)
    image = np.asarray(Image.open(io.BytesIO(pictures.png_bytes(picture))))
    assert np.array_equal(image if channels == 3 else image[..., None], pixels.transpose(1, 2, 0))


def test_values_outside_black_and_white_are_cut():
    picture = np.array([[[-0.5, 0.0, 0.5, 1.0, 1.5]]])
    image = np.asarray(Image.open(io.BytesIO(pictures.png_bytes(picture))))
    assert image.tolist() == [[0, 0, 128, 255, 255]]


def test_a_picture_in_html_is_the_picture_and_its_words_are_escaped():
    words = "Ada \"the <b>first</b>\" & 'only'"
    picture = np.linspace(0, 1, 12).reshape(1, 3, 4)
    page = Images(pictures.picture_html(picture, words))
    (image,) = page.found
    assert page.tags == ["img"] and image["alt"] == words
    content = base64.b64decode(re.fullmatch("data:image/png;base64,(.*)", image["src"])[1])
    assert content == pictures.png_bytes(picture)


def test_people_stand_beside_their_reconstruction():
    truth, drawn = np.zeros((2, 1, 3, 3)), np.ones((2, 1, 3, 3))
    html = pictures.people_html(["<Ada>", "Bea"], truth, drawn, ["first", "second"])
    page = Images(html)
    assert [image["alt"].split(",")[0] for image in page.found] == ["<Ada>", "<Ada>", "Bea", "Bea"]
    assert [image["src"] for image in page.found[:2]] == [
        pictures.data_uri(pictures.png_bytes(x[0])) for x in (truth, drawn)
    ]
    assert "ada" not in page.tags and page.tags.count("figure") == 2
    with pytest.raises(ValueError):
        pictures.people_html(["Ada"], truth, drawn, ["first", "second"])


def test_a_sheet_holds_every_picture_enlarged():
    rows = [np.zeros((3, 1, 5, 4)), np.full((3, 1, 5, 4), 0.5)]
    image = np.asarray(Image.open(io.BytesIO(pictures.sheet(rows, zoom=2, gap=1))))
    assert image.shape == (2 * 2 * 6, 2 * 3 * 5)
    assert [(image == tone).sum() for tone in (0, 128)] == [3 * 5 * 4 * 4] * 2


# ---- controls


def some_controls():
    heard = []
    made = {
        "steps": controls.scale("T", [10, 100, 1000]),
        "lam": controls.scale("λ", [0.0, 1e-6, 0.001]),
        "attack": controls.choice("attack", [("Original", "original"), ("Enhanced", "enhanced")]),
    }
    reasons = {"lam": lambda now: "The original attack has no prior." if now["attack"] == "original" else ""}
    return controls.Controls(inversion.Config, made, reasons, lambda: heard.append(1)), heard


def test_controls_stand_at_a_config_and_give_it_back():
    kit, heard = some_controls()
    config = replace(inversion.Config(), steps=100, lam=0.001, attack="enhanced")
    kit.set(config)
    assert kit.config() == config
    assert len(heard) == 1  # one change, however many controls moved


def test_controls_take_a_value_that_is_not_among_their_steps():
    kit, _ = some_controls()
    kit.set(replace(inversion.Config(), steps=37))
    assert kit.config().steps == 37
    assert [value for _, value in kit.made["steps"].options] == [10, 37, 100, 1000]


def test_a_control_that_does_not_apply_is_disabled_and_says_why():
    kit, heard = some_controls()
    kit.made["attack"].value = "enhanced"
    assert not kit.made["lam"].disabled and kit.why["lam"].value == ""
    kit.made["attack"].value = "original"
    assert kit.made["lam"].disabled and "no prior" in kit.why["lam"].value
    assert len(heard) == 2


def test_controls_only_know_fields_that_exist():
    kit, _ = some_controls()
    assert set(kit.made) <= {option.name for option in fields(inversion.Config)}


@pytest.mark.parametrize(
    ("value", "words"), [(0.0, "0"), (1000, "1000"), (20000, "20000"), (0.05, "0.05"), (1e-6, "1e-6"), (0.001, "0.001")]
)
def test_numbers_on_sliders_are_short(value, words):
    assert controls.number_text(value) == words


# ---- questions


def test_a_prediction_is_answered_only_after_it_was_made():
    question = questions.Prediction("How many?", ["none", "half <of> them"])
    question.measured(0, "None of 40.")
    assert question.outcome.value == ""
    question.choose(1)
    assert "None of 40." in question.outcome.value
    assert "You predicted" in question.outcome.value and "half &lt;of&gt; them" in question.outcome.value
    assert all(button.disabled for button in question.buttons)


def test_a_prediction_made_first_is_noted_and_then_confirmed():
    question = questions.Prediction("How many?", ["none", "half"])
    question.buttons[1].click()
    assert "Noted" in question.outcome.value
    question.measured(1, "20 of 40.")
    assert "As you predicted." in question.outcome.value and "20 of 40." in question.outcome.value


def test_a_task_says_what_is_missing_and_when_it_is_done():
    state = {"done": False}
    card = questions.task("Title", "words", lambda: (state["done"], "done" if state["done"] else "a run is missing"))
    button, feedback = find(card, "Button"), card.children[-1]
    assert feedback.value == ""
    button.click()
    assert "Not yet." in feedback.value and "a run is missing" in feedback.value
    state["done"] = True
    button.click()
    assert "✓ Done." in feedback.value and "Not yet" not in feedback.value
