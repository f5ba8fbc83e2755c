"""What a reader did is remembered, taken away as a record, and put back."""

import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest
from conftest import on_a_page
from record_parts import CONFIG, FILE, course, signed_anew, worked

from dpmia_lab.checks import Mistake
from dpmia_lab.experiments import EXPERIMENTS, private_training
from dpmia_lab.store import Result
from dpmia_lab.widgets.kit import links, record, work
from dpmia_lab.widgets.kit.record_form import opened
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.kit.take_away import PutBack, TakeAway, name_field
from dpmia_lab.widgets.kit.work import Work, WorkPanel

ANY = Result({"accuracy": 0.5})


def made(number: int, seed: int = 0, **about) -> Run:
    return Run(number, replace(CONFIG, seed=seed), ANY, 0.5, "0.5 s, here", **about)


RUN = made(1, seed=3)


# ---- the record itself
@pytest.mark.parametrize("content", [worked(RUN).record(), course(RUN)])
def test_the_digest_is_what_anybody_would_compute(content):
    """By hand: SHA-256 of the JSON without it, keys sorted, no blanks."""
    rest = {name: value for name, value in content.items() if name != "sha256"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert content["sha256"] == hashlib.sha256(text.encode()).hexdigest()
    shuffled = dict(reversed(list(content.items())))
    assert opened(json.dumps(shuffled).encode()).digest == content["sha256"]


def test_a_record_holds_what_is_needed_to_repeat_its_runs():
    content = worked(RUN, "Ada", further=[RUN, made(2, seed=4)]).record()
    assert content["name"] == "Ada" and content["lesson"]["tasks"] == 2
    (task,) = content["tasks"]
    assert task["task"] == "Task 2. Two." and task["said"] == "Yes."
    entry, settings = task["behind"]
    assert settings == {"settings": {"a": 1}}
    assert private_training.Config(**entry["config"]) == CONFIG and entry["experiment"] == "private_training"
    assert entry["numbers"] == {"accuracy": 0.5} and entry["at"] == RUN.at
    assert content["predictions"][0]["said"] == "20 < 40."
    assert [run["config"]["seed"] for run in content["runs"]] == [4]  # what stands behind a task is told there


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_link_of_a_run_needs_no_preset(name):
    experiment = EXPERIMENTS[name]
    for config in experiment.PRESETS.values():
        query = record.full_link(config).removeprefix("?")
        assert links.config_from_query(query, experiment, (config.data,)) == config


def test_every_experiment_is_found_by_its_settings():
    for name, experiment in EXPERIMENTS.items():
        run = Run(1, experiment.SMALL, Result({"a": float("nan"), "b": 1.0}), 1.0, "")
        (entry,) = record.evidence([run])
        assert entry["experiment"] == name and entry["numbers"] == {"a": "nan", "b": 1.0}


def test_of_a_file_of_ones_own_the_name_alone_is_told():
    mine = replace(RUN, config=replace(CONFIG, data="/somewhere/mine.npz"))
    entry = record.run_entry("private_training", mine)
    assert entry["own file"] and entry["config"]["data"] == "mine.npz" and "somewhere" not in json.dumps(entry)


@pytest.mark.parametrize("number, written", [  # as Chromium and Node write them
    (200.0, "200"), (-0.0, "0"), (0.1, "0.1"), (1e17, "100000000000000000"), (2.0**60, "1152921504606847000"),
    (1e21, "1e+21"), (np.float64(3), "3"), (True, "true"), (10**15, "1000000000000000"),
])  # fmt: skip
def test_a_number_is_written_as_a_browser_writes_it(number, written):
    """Work passes through one, and must keep its digest."""
    assert json.dumps(record.plain(number)) == written
    assert record.digest(json.loads(written)) == record.digest(record.plain(number))


# ---- runs
def test_a_run_that_followed_a_slider_makes_way_for_the_next():
    kept = Work()
    for number in range(3):
        kept.ran("private_training", made(number, seed=number, passing=True))
    held = made(3, seed=3, passing=True)
    kept.ran("private_training", held)
    held.kept = True
    kept.ran("private_training", made(4, seed=4))
    kept.ran("private_training", made(4, seed=4))
    assert [entry["config"]["seed"] for entry in kept.entries["runs"].values()] == [3, 4]


def test_the_newest_runs_are_kept_and_no_more_than_there_is_room_for(monkeypatch):
    kept = Work()
    for number in range(work.MOST_RUNS + 3):
        kept.ran("private_training", made(number, seed=number))
    seeds = [entry["config"]["seed"] for entry in kept.entries["runs"].values()]
    assert seeds == list(range(3, work.MOST_RUNS + 3))
    one = len(json.dumps(record.run_entry("private_training", made(1))))
    monkeypatch.setattr(work, "MOST_CHARACTERS", int(2.5 * one))
    kept.ran("private_training", made(1, seed=99))
    assert [entry["config"]["seed"] for entry in kept.entries["runs"].values()] == [work.MOST_RUNS + 2, 99]


def test_a_run_is_stored_soon_after_it_was_made(monkeypatch):
    monkeypatch.setattr(work, "SOON", 0.0)

    async def ran():
        import asyncio

        panel = WorkPanel(1, Work())
        panel.work.ran("private_training", RUN)
        before = panel.kept.state.value
        await asyncio.sleep(0.1)
        return before, panel

    before, panel = on_a_page(ran())
    assert 'data-lab-state=""' in before and "private_training" in panel.kept.state.value
    assert "download" in panel.export.value


# ---- what the browser remembers
def test_work_comes_back_but_never_over_what_was_done_meanwhile():
    first, second, heard = Work(), Work(), []
    for one in (first, second):
        for title in ("one", "two"):
            one.expect("tasks", title, lambda entry: heard.append(entry["said"]))
    first.note("tasks", "one", {"said": "earlier", "behind": []})
    first.note("tasks", "two", {"said": "earlier too", "behind": []})
    first.ran("private_training", made(1, seed=1))
    second.note("tasks", "one", {"said": "now", "behind": []})
    second.ran("private_training", made(1, seed=2))
    second.recall(first.stored())
    assert heard == ["earlier too"] and second.entries["tasks"]["one"]["said"] == "now"
    assert second.summary() == "2 of 2 tasks done"
    assert [entry["config"]["seed"] for entry in second.entries["runs"].values()] == [1, 2]
    second.recall(json.dumps({"tasks": {"gone": {"said": "", "at": "", "behind": []}}}))  # of an earlier version
    assert "gone" not in second.entries["tasks"]


def test_nothing_is_stored_before_something_is_done():
    panel = WorkPanel(1, Work())
    assert 'data-lab-state=""' in panel.kept.state.value and "download" not in panel.export.value
    panel.work.note("predictions", "q", {"first": "a", "now": "a", "said": ""})
    assert 'data-lab-state="{' in panel.kept.state.value and "download" in panel.export.value


# ---- all lessons in one file, and back
def collected(**states) -> str:
    return json.dumps({"at": 12345, "work": states})


def test_all_lessons_are_taken_in_their_order():
    name = name_field()
    name.value = "Ada <3"
    away = TakeAway(name)
    away.take(collected())
    assert "Nothing to take away yet" in away.answer.value
    state = worked(RUN).work.state()
    files = {"playground.ipynb": state, "02_what_epsilon_buys.ipynb": state, FILE: state, "other.ipynb": state}
    away.take(collected(**files, **{"03_hiding_a_class.ipynb": {"tasks": {}, "summary": "of an earlier version"}}))
    assert "Work on lessons 1, 2 and the playground" in away.answer.value
    assert 'data-lab-take="12345"' in away.answer.value and "dpmia_lab_my_work.json" in away.answer.value
    state["runs"] = {"one": record.run_entry("private_training", made(9, seed=9)) | {"numbers": {"accuracy": 1.0}}}
    away.take(collected(**{FILE: state}))
    assert "dp-error" in away.answer.value and "it was changed since" in away.answer.value
    content = record.course_record(files, name.value)
    assert [part["lesson"]["number"] for part in content["lessons"]] == [1, 2, 0]


def test_a_record_put_back_is_the_state_it_was_made_of_as_text():
    panel = worked(RUN, further=[made(2, seed=4)])
    state = record.state_of(panel.record())
    assert (state["done"], state["of"]) == (1, 2) and state["predictions"].keys() == {"How many?"}
    assert state["predictions"]["How many?"]["said"] == "20 &lt; 40."  # nobody's file becomes a part of a page
    assert list(state["runs"].values()) == panel.record()["runs"]
    again = Work()
    for title in ("Task 1. One.", "Task 2. <i>Two</i>."):
        again.expect("tasks", title, lambda entry: None)
    again.recall(json.dumps(state))
    assert again.summary() == "1 of 2 tasks done" and again.state()["tasks"] == panel.work.state()["tasks"] | {
        "Task 2. Two.": panel.work.state()["tasks"]["Task 2. Two."] | {"said": "Yes."}
    }


def test_a_file_is_put_back_or_refused_in_one_sentence():
    back = PutBack()
    back.put("mine.json", record.file_of(course(RUN)))
    assert "data-lab-restore" in back.answer.value and "the work of 1 page is" in back.answer.value
    back.put("<b>.json", b"[]")
    assert "dp-error" in back.answer.value and "must be a record" in back.answer.value
    assert "<b>" not in back.answer.value
    wrong = course(RUN)
    wrong["lessons"][0]["lesson"]["file"] = "../../elsewhere"
    back.put("wrong.json", record.file_of(signed_anew(wrong)))
    assert "file must be a page of the lab" in back.answer.value and "restore" not in back.answer.value


@pytest.mark.parametrize("text", ["", "[]", "{}", "nonsense", '{"sha256": "0"}', '{"form": NaN, "sha256": 1}'])
def test_what_is_no_record_is_refused(text):
    with pytest.raises(Mistake, match="must be a record"):
        opened(text.encode())
