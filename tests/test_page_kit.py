"""What pages are made of, without a browser: the table of runs, pictures, controls, questions."""

import base64
import csv
import io
import re
from dataclasses import fields, replace
from html.parser import HTMLParser

import numpy as np
import pytest
from PIL import Image

from dpmia_lab.checks import Mistake
from dpmia_lab.experiments import inversion
from dpmia_lab.options import as_dict
from dpmia_lab.rows import Row
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.store import Result
from dpmia_lab.widgets import landing
from dpmia_lab.widgets.kit import claims, controls, pictures, questions, runs, tables

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


def test_a_control_that_does_not_apply_is_not_there_and_a_line_says_what_there_is():
    kit, heard = some_controls()
    kit.made["attack"].value = "enhanced"
    assert "dp-absent" not in kit.made["lam"]._dom_classes and kit.absent.value == ""
    kit.made["attack"].value = "original"
    assert "dp-absent" in kit.made["lam"]._dom_classes
    assert "<b>λ</b>: The original attack has no prior." in kit.absent.value
    assert len(heard) == 2


@pytest.mark.parametrize(
    ("kind", "words", "number"), [(int, "1e4", 10_000), (int, " 7 ", 7), (float, "1e-3", 0.001), (float, "3.5", 3.5)]
)
def test_a_typed_number_is_taken_as_it_was_written(kind, words, number):
    field = controls.NumberField("seed", kind)
    field.value = words
    assert field.number() == number and type(field.number()) is kind


@pytest.mark.parametrize(
    ("kind", "words"), [(int, "3.5"), (int, "²"), (int, ""), (int, "1e999"), (float, "much"), (float, "1,5")]
)
def test_words_that_are_no_number_are_refused_in_words(kind, words):
    field = controls.NumberField("seed", kind)
    field.value = words
    with pytest.raises(Mistake, match=r"^seed must be a (whole )?number; it is "):
        field.number()


def test_a_number_stands_in_its_field_with_all_its_digits():
    field = controls.NumberField("rate", float)
    controls.set_value(field, 0.00012345)
    assert field.number() == 0.00012345


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


def test_a_prediction_can_be_changed_and_its_first_answer_stays_noted():
    question = questions.Prediction("How many now?", ["none", "half", "all"], because="Since they are alike.")
    question.choose(0)
    question.choose(1)
    assert "Your first answer was “none”" in question.outcome.value
    question.measured(1, "20 of 40.")
    assert "As you predicted." in question.outcome.value and "20 of 40. Since they are alike." in question.outcome.value
    question.choose(2)  # what counts is the answer that stood when the result came
    assert "As you predicted." in question.outcome.value and "Now you say “all”" in question.outcome.value
    assert [("chosen" in one._dom_classes) for one in question.buttons] == [False, False, True]
    entry = questions.WORK.entries["predictions"]["How many now?"]
    assert (entry["first"], entry["now"], entry["said"]) == ("none", "all", "20 of 40.")


def test_a_prediction_comes_back():
    question = questions.Prediction("How many then?", ["none", "half"])
    question.comes_back({"first": "none", "now": "half", "said": "20 of 40.", "at": "2026-01-02T10:00:00+00:00"})
    assert "On an earlier visit: 20 of 40." in question.outcome.value and question.chosen == 1
    question.measured(0, "0 of 40.")
    assert "You predicted “half”" in question.outcome.value and "Your first answer was “none”" in question.outcome.value
    other = questions.Prediction("How many else?", ["a few"])
    other.comes_back({"first": "none", "now": "half", "said": ""})  # answers that are no longer offered
    assert other.chosen is None


def test_a_prediction_made_first_is_noted_and_then_confirmed():
    question = questions.Prediction("How many?", ["none", "half"])
    question.buttons[1].click()
    assert "Noted" in question.outcome.value
    question.measured(1, "20 of 40.")
    assert "As you predicted." in question.outcome.value and "20 of 40." in question.outcome.value


def test_a_task_says_what_is_missing_and_when_it_is_done():
    state = {"done": False}
    behind = [{"knob": 3}]

    def check():
        return state["done"], "done" if state["done"] else "a run is missing"

    card = questions.task("Title", "words", check, lambda: behind)
    button, feedback = find(card, "Button"), card.children[-1]
    assert feedback.value == ""
    button.click()
    assert "Not yet." in feedback.value and "a run is missing" in feedback.value
    state["done"] = True
    button.click()
    assert "✓ Done." in feedback.value and "Not yet" not in feedback.value
    assert questions.WORK.entries["tasks"]["Title"]["behind"] == [{"settings": {"knob": 3}}]
    again = questions.task("Title", "words", check, lambda: behind)
    questions.WORK.comes_back["tasks"]["Title"]({"said": "done", "at": "2026-01-02T10:00:00+00:00"})
    assert "✓ Done on 2 January 2026." in again.children[-1].value


def test_a_lesson_whose_notebook_is_not_there_is_announced(tmp_path):
    (tmp_path / landing.LESSONS[1].file).touch()
    words = landing.lesson_map(tmp_path).children[0].value
    assert words.count("coming</small>") == len(landing.LESSONS) - 1 and words.count("<a href") == 1


# ---- values with their spread


def test_a_value_is_said_with_its_spread_where_it_has_one():
    assert tables.with_spread(Row("share", 0.8, spread=0.1), "{:.0%}") == "80% ± 10%"
    assert tables.with_spread(Row("share", 0.8), "{:.0%}") == "80%"


@pytest.mark.parametrize(
    ("other", "spread", "higher"), [(0.5, 0.1, True), (1.1, 0.1, False), (0.75, 0.1, None), (0.5, None, None)]
)
def test_two_values_are_apart_only_beyond_two_standard_errors(other, spread, higher):
    rows = Row("share", 0.8, spread=spread), Row("share", other, spread=spread)
    assert claims.clearly_higher(*rows, seeds=4) is higher


def test_a_strip_has_words_for_every_picture():
    html = pictures.strip_html(np.zeros((2, 1, 3, 3)), ["one", "two"])
    assert html.startswith('<div class="dp-strip">') and re.findall('alt="(.*?)"', html) == ["one", "two"]
