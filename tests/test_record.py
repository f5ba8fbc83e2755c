"""What a reader did is remembered, taken away as a record, checked and repeated."""

import hashlib
import json
from dataclasses import replace

import pytest

from dpmia_lab.checks import Mistake
from dpmia_lab.commands.command_line import main
from dpmia_lab.experiments import EXPERIMENTS, private_training
from dpmia_lab.stages import drain
from dpmia_lab.store import Result
from dpmia_lab.widgets.kit import links, record
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.kit.work import Work, WorkPanel

CONFIG = replace(private_training.SMALL, seed=3)


@pytest.fixture(scope="module")
def run():
    return Run(1, CONFIG, drain(private_training.run(CONFIG)), 0.5, "0.5 s, here")


def worked(run, name="") -> WorkPanel:
    work = Work()
    panel = WorkPanel(1, work)
    for title in ("Task 1. One.", "Task 2. <i>Two</i>."):
        work.expect("tasks", title, lambda entry: None)
    work.note("predictions", "How <b>many</b>?", {"first": "none", "now": "half", "said": "20 &lt; 40."})
    work.note("tasks", "Task 2. <i>Two</i>.", {"said": "<b>Yes</b>.", "behind": record.evidence([run, {"a": 1}])})
    panel.name.value = name
    return panel


def written(tmp_path, content) -> str:
    path = tmp_path / "record.json"
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8")
    return str(path)


# ---- the record itself
def test_the_digest_is_what_anybody_would_compute(run):
    """By hand: SHA-256 of the JSON without it, keys sorted, no blanks."""
    content = worked(run).record()
    rest = {name: value for name, value in content.items() if name != "sha256"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert content["sha256"] == hashlib.sha256(text.encode()).hexdigest()
    shuffled = dict(reversed(list(content.items())))
    assert record.opened(json.dumps(shuffled)) == rest


def test_a_record_holds_what_is_needed_to_repeat_its_runs(run):
    content = worked(run, name="Ada").record()
    assert content["name"] == "Ada" and content["summary"] == "1 of 2 tasks done"
    (task,) = content["tasks"]
    assert task["task"] == "Task 2. Two." and task["said"] == "Yes."
    entry, settings = task["behind"]
    assert settings == {"settings": {"a": 1}}
    assert private_training.Config(**entry["config"]) == CONFIG and entry["experiment"] == "private_training"
    assert entry["numbers"] == record.plain(run.result.numbers)
    assert content["predictions"][0]["said"] == "20 < 40."


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_link_of_a_run_needs_no_preset(name):
    experiment = EXPERIMENTS[name]
    for config in experiment.PRESETS.values():
        query = record.full_link(config).removeprefix("?")
        assert links.config_from_query(query, experiment, (config.data,)) == config


def test_every_experiment_is_found_by_its_settings():
    for name, experiment in EXPERIMENTS.items():
        made = Run(1, experiment.SMALL, Result({"a": float("nan"), "b": 1.0}), 1.0, "")
        assert record.run_entry(made)["experiment"] == name
        assert record.run_entry(made)["numbers"] == {"a": "nan", "b": 1.0}


def test_a_file_of_ones_own_is_named_but_cannot_be_repeated(run):
    mine = replace(run, config=replace(CONFIG, data="/somewhere/mine.npz"))
    entry = record.run_entry(mine)
    assert entry["own file"] and entry["config"]["data"] == "mine.npz"


@pytest.mark.parametrize("text", ["", "[]", "{}", "nonsense", '{"sha256": "0"}'])
def test_what_is_no_record_is_refused(text):
    with pytest.raises(Mistake, match="must be a record"):
        record.opened(text)


# ---- the command
def test_the_command_tells_what_is_inside(run, tmp_path, capsys):
    assert main(["record", written(tmp_path, worked(run, "Ada").record())]) == 0
    said = capsys.readouterr().out
    assert "as the page wrote it" in said and "Reader: Ada" in said and "1 of 2 tasks done" in said
    assert "none, later: half" in said and "Task 2. Two." in said and "set on the page: a = 1" in said


def test_a_changed_record_is_refused(run, tmp_path, capsys):
    content = worked(run).record()
    content["tasks"][0]["task"] = "Task 1. One."
    assert main(["record", written(tmp_path, content)]) == 2
    assert "was changed since" in capsys.readouterr().err


def test_a_record_that_is_not_there(tmp_path, capsys):
    assert main(["record", str(tmp_path / "none.json")]) == 2
    assert "must be a file that can be read" in capsys.readouterr().err


def test_its_runs_come_out_the_same(run, tmp_path, capsys):
    assert main(["record", written(tmp_path, worked(run).record()), "--repeat"]) == 0
    assert "1 runs repeated; every number is the same" in capsys.readouterr().out


def test_an_invented_number_is_found(run, tmp_path, capsys):
    """Whoever computes the digest anew cannot make the run come out otherwise."""
    name = next(iter(run.result.numbers))
    better = replace(run, result=Result({**run.result.numbers, name: 123.0}))
    assert main(["record", written(tmp_path, worked(better).record()), "--repeat"]) == 2
    said = capsys.readouterr().err
    assert "1 came out otherwise" in said and f"{name} is" in said and "recorded 123.0" in said


def test_another_version_or_ones_own_file_cannot_be_repeated(run, tmp_path, capsys):
    panel = worked(replace(run, config=replace(CONFIG, data="/a/mine.npz")))
    assert main(["record", written(tmp_path, panel.record()), "--repeat"]) == 2
    assert "the reader's own file 'mine.npz'" in capsys.readouterr().err
    content = worked(run).record()
    del content["sha256"], content["tasks"][0]["behind"][0]["config"]["seed"]
    again = record.signed(content)
    assert main(["record", written(tmp_path, again), "--repeat"]) == 2
    assert "another version" in capsys.readouterr().err


# ---- what the browser remembers
def test_work_comes_back_but_never_over_what_was_done_meanwhile():
    first, second, heard = Work(), Work(), []
    for work in (first, second):
        for title in ("one", "two"):
            work.expect("tasks", title, lambda entry: heard.append(entry["said"]))
    first.note("tasks", "one", {"said": "earlier", "behind": []})
    first.note("tasks", "two", {"said": "earlier too", "behind": []})
    second.note("tasks", "one", {"said": "now", "behind": []})
    second.recall(first.stored())
    assert heard == ["earlier too"] and second.entries["tasks"]["one"]["said"] == "now"
    assert second.summary() == "2 of 2 tasks done"
    second.recall(json.dumps({"tasks": {"gone": {"said": "", "at": "", "behind": []}}}))  # of an earlier version
    assert "gone" not in second.entries["tasks"]


def test_nothing_is_stored_before_something_is_done(run):
    work = Work()
    panel = WorkPanel(1, work)
    assert 'data-lab-state=""' in panel.state.value and "download" not in panel.export.value
    work.note("predictions", "q", {"first": "a", "now": "a", "said": ""})
    assert 'data-lab-state="{' in panel.state.value and "download" in panel.export.value
