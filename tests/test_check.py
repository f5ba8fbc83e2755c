"""``dpmia-lab check``: what was handed in is read as somebody else's file, run again and compared."""

import copy
import csv
import json
import math
import signal
import subprocess
import sys
import time
from concurrent.futures import Future
from dataclasses import replace

import pytest
from conftest import heed_ctrl_c
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from record_parts import CONFIG, course, signed_anew, worked, written

from dpmia_lab.checks import Mistake
from dpmia_lab.commands import repeating
from dpmia_lab.commands.command_line import main
from dpmia_lab.commands.handed_in import paper_at, safe, tidy
from dpmia_lab.commands.repeating import ABSURD, config_of, verdict_of
from dpmia_lab.experiments import EXPERIMENTS, private_training
from dpmia_lab.stages import drain
from dpmia_lab.store import Result
from dpmia_lab.sweeps.cell import outcome_of
from dpmia_lab.sweeps.sweep import Cell
from dpmia_lab.widgets.kit import record
from dpmia_lab.widgets.kit.record_form import opened
from dpmia_lab.widgets.kit.runs import Run


@pytest.fixture(scope="module")
def run():
    return Run(1, CONFIG, drain(private_training.run(CONFIG)), 0.5, "0.5 s, here", at="2026-03-02T10:00:00+00:00")


class Here:
    """Computes where it is; ``asked``: what was computed."""

    asked: list = []
    room = 1

    def submit(self, name, config):
        self.asked.append(config)
        future = Future()
        future.set_result(outcome_of(name, config))
        return future

    def under_way(self):
        return 0.0

    def close(self):
        pass


@pytest.fixture
def here(monkeypatch, tmp_path):
    """Without processes, and with nothing computed before."""
    monkeypatch.setenv("DPMIA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(Here, "asked", [])
    monkeypatch.setattr(repeating, "workers_for", lambda configs, longest: Here())
    return Here


def better(run, **numbers):
    return replace(run, result=Result({**run.result.numbers, **numbers}))


# ---- one file
def test_it_tells_what_is_inside(run, tmp_path, capsys, here):
    assert main(["check", written(tmp_path, worked(run, "Ada").record()), "--read-only"]) == 0
    said = capsys.readouterr().out
    assert "as the page wrote it" in said and "Reader: Ada" in said and "1 of 2 tasks done" in said
    assert "none, later: half" in said and "Task 2. Two." in said and "set on the page: a = 1" in said
    assert "repeated" not in said and here.asked == []


@pytest.mark.parametrize("kind", ["lesson", "course"])
def test_its_runs_come_out_the_same(run, tmp_path, capsys, here, kind):
    content = worked(run, further=[run]).record() if kind == "lesson" else course(run, further=[run])
    assert main(["check", written(tmp_path, content)]) == 0
    assert "1 runs repeated: 1 same." in capsys.readouterr().out and len(here.asked) == 1
    assert main(["check", written(tmp_path, content)]) == 0
    assert len(here.asked) == 1  # an earlier check has computed it


def test_an_invented_number_is_found(run, tmp_path, capsys, here):
    """Whoever computes the digests anew cannot make the run come out otherwise."""
    assert main(["check", written(tmp_path, course(better(run, test_accuracy=0.99)))]) == 1
    said = capsys.readouterr().out
    assert "as the page wrote it" in said and "1 runs repeated: 1 differs." in said
    assert "came out otherwise: test_accuracy is" in said and "recorded 0.99" in said


def test_a_changed_record_is_refused_whichever_digest_was_forgotten(run, tmp_path, capsys, here):
    content = course(run)
    for change in (
        lambda c: c["lessons"][0]["tasks"][0].update(task="Task 1. One."),
        lambda c: c["lessons"][0].update(name="Eve"),
        lambda c: c.update(name="Eve"),
    ):
        changed = copy.deepcopy(content)
        change(changed)
        assert main(["check", written(tmp_path, changed)]) == 1
        assert "was changed since" in capsys.readouterr().out
    changed["lessons"][0]["tasks"][0]["behind"][0]["numbers"]["test_accuracy"] = 1.0
    part = {name: value for name, value in changed["lessons"][0].items() if name not in ("form", "sha256")}
    assert main(["check", written(tmp_path, record.signed(record.LESSON_FORM, part))]) == 1
    assert "does not fit the numbers of a run of private_training" in capsys.readouterr().out
    assert here.asked == []


def test_a_real_process_computes_it_and_has_so_much_time(run, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("DPMIA_CACHE", str(tmp_path / "cache"))
    file = written(tmp_path, course(run))
    assert main(["check", file, "--longest", "0.05"]) == 1
    assert "could not be repeated: it took longer than 0.05 s" in capsys.readouterr().out
    assert main(["check", file]) == 0
    assert "1 same" in capsys.readouterr().out


def test_a_process_has_so_much_memory(run, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("DPMIA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(repeating, "MEMORY", 150_000_000)
    large = replace(run, config=replace(EXPERIMENTS["inversion"].PRESETS["faces"], pictures=60, height=112))
    content = signed_anew(course(large))
    assert main(["check", written(tmp_path, content)]) == 1
    assert "could not be repeated: This run needs more memory than the 150 MB" in capsys.readouterr().out


def test_ctrl_c_leaves_nothing_behind_but_what_was_repeated(run, tmp_path):
    long = replace(run, config=replace(CONFIG, data="mnist", steps=5000, model="cnn"))
    file = written(tmp_path, course(long))
    command = [sys.executable, "-m", "dpmia_lab.commands.command_line", "check", file]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=heed_ctrl_c) as checking:
        try:
            while "running private_training again" not in checking.stderr.readline():
                assert checking.poll() is None
            checking.send_signal(signal.SIGINT)
            _, said = checking.communicate(timeout=20)  # the run itself would take minutes
        finally:
            checking.kill()
    assert checking.returncode == 130 and "the same command goes on from there" in said


# ---- a class
def at_minute(minute: int, content: dict) -> dict:
    for one in (*content["lessons"][0]["predictions"], *content["lessons"][0]["tasks"]):
        one["at"] = f"2026-03-02T10:{minute:02}:00+00:00"
    return signed_anew(content)


def handed_in(folder, run):
    """Ada's and Bo's own, Cy's copy of Ada's under his name, one changed by hand, and no record at all."""
    ada = course(run, "Ada")
    cy = copy.deepcopy(ada) | {"name": "Cy"}
    cy["lessons"][0]["name"] = "Cy"
    other = replace(run, at="2026-03-02T10:00:05+00:00")
    bo = course(other, "Bo", further=[replace(run, config=replace(CONFIG, seed=4), number=2)])
    written(folder, ada, "ada.json")
    written(folder, at_minute(1, bo), "bo.json")
    written(folder, signed_anew(cy), "cy.json")
    written(folder, ada | {"name": "=Eve()"}, "eve.json")
    written(folder, ["no", "record"], "fay.json")
    gil = course(better(other, test_accuracy=0.99), '=HYPERLINK("x")\x1b[2J')
    written(folder, at_minute(2, gil), "gil.json")


def test_a_folder_is_a_line_each_a_table_and_what_looks_copied(run, tmp_path, capsys, here):
    (folder := tmp_path / "class").mkdir()
    handed_in(folder, run)
    assert main(["check", str(folder), "--csv", str(tmp_path / "class.csv")]) == 1
    said = capsys.readouterr().out
    lines = {line.split(":")[0]: line for line in said.splitlines()}
    assert lines["ada.json"].endswith(": same") and "could not be" not in lines["ada.json"]
    assert "2 runs: differ" in lines["bo.json"]  # no such run gave these numbers: it was another's, with another seed
    assert "refused" in lines["eve.json"] and "changed since" in lines["eve.json"]
    assert "must be a record" in lines["fay.json"] and "recorded 0.99" in lines["gil.json"]
    assert "\x1b" not in said
    looks = [line for line in said.splitlines() if line.startswith("Look")]
    both = "ada.json (Ada) and cy.json (Cy)"
    assert looks == [f"Look: {both} hold the same work: 3 of 3 entries are alike to the second."]
    assert "Lesson 1           4            4 of 8" in said
    assert "6 files: 2 same, 2 differ, 2 refused." in said
    assert len(here.asked) == 2  # what several files share is computed once
    with open(tmp_path / "class.csv", newline="") as file:
        rows = {row["file"]: row for row in csv.DictReader(file)}
    assert rows["ada.json"]["verdict"] == "same" and rows["ada.json"]["tasks 01_model_inversion"] == "1"
    assert rows["gil.json"]["reader"].startswith("'=HYPERLINK") and rows["gil.json"]["differs"] == "1"


def test_the_same_file_twice_is_one_and_one_readers_files_are_no_copies(run, tmp_path, capsys, here):
    file = written(tmp_path, course(run, "Ada"), "one.json")
    assert main(["check", file, str(tmp_path / "." / "one.json")]) == 0
    assert "as the page wrote it" in capsys.readouterr().out
    lesson = written(tmp_path, worked(run, "Ada").record(), "two.json")
    assert main(["check", file, lesson, "--read-only"]) == 0
    assert "Look" not in capsys.readouterr().out


# ---- the command given wrongly
def test_wrong_usage_is_exit_code_2(tmp_path, capsys):
    for given_so, words in (
        ([str(tmp_path / "none.json")], "must be a file that can be read"),
        ([str(tmp_path)], "must hold files *.json"),
        (["/dev/null"], "must be a file that can be read"),
        ([str(tmp_path), "--longest", "0"], "longest must be greater than 0"),
        ([str(tmp_path), "--longest", "nan"], "longest must be"),
        ([str(tmp_path), "--csv", str(tmp_path / "no" / "where.csv")], "must exist and be writable"),
    ):
        assert main(["check", *given_so]) == 2
        assert words in capsys.readouterr().err


# ---- crafted records
def entry_with(**settings) -> dict:
    experiment = settings.pop("experiment", "private_training")
    config = EXPERIMENTS[experiment].SMALL if experiment in EXPERIMENTS else CONFIG
    (entry,) = record.evidence([Run(1, config, Result({"a": 1.0}), 1.0, "")])
    return {**entry, "experiment": experiment, "config": entry["config"] | settings}


@pytest.mark.parametrize(
    "entry, words",
    [
        (entry_with(data="/etc/passwd"), "data must be a set of the lab's own"),
        (entry_with(data="../secret.npz"), "data must be a set of the lab's own"),
        (entry_with(data="mnist:/home"), "data must be a set of the lab's own"),
        (entry_with(data="cifar10:FOLDER", experiment="membership"), "data must be a set of the lab's own"),
        (entry_with(data="FILE.csv", experiment="attributes"), "data must be a set of the lab's own"),
        (entry_with(data=""), "data must be a set of the lab's own"),
        (entry_with(data=3), "data must be of the kind str"),
        (entry_with(model="os:system"), "since a function of yours is taken from the command line alone"),
        (entry_with(model="record_parts:worked", experiment="membership"), "taken from the command line alone"),
        (entry_with(weights="/etc/passwd", experiment="membership"), "weights must not name a file"),
        (entry_with(sigma=1e308), "sigma must be from 0.01 to 1000"),
        (entry_with(rate=1e308), "rate must be at most 1e12"),
        (entry_with(rate=-1.0), "rate must be greater than 0"),
        (entry_with(rate="1"), "rate must be of the kind float"),
        (entry_with(steps=1.5), "steps must be of the kind int"),
        (entry_with(steps=True), "steps must be of the kind int"),
        (entry_with(seed=2**70), "seed must be a whole number"),
        (entry_with(white_box=1, experiment="membership"), "white_box must be of the kind bool"),
        (entry_with(steps=100_000), "times the work of the lab's largest"),
        (entry_with(records=20_000, inside=512, shadows=256, experiment="membership"), "times the work"),
        (entry_with(unknown=1), "made by another version of the lab"),
        (entry_with(experiment="os"), "made by another version of the lab"),
        (entry_with(experiment="__import__('os')"), "made by another version of the lab"),
        (entry_with() | {"own file": True}, "used the reader's own file"),
    ],
)
def test_what_must_not_run_is_refused_in_a_sentence(entry, words):
    with pytest.raises(Mistake) as refused:
        config_of(entry)
    assert words in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_no_run_that_a_page_offers_is_refused(name):
    experiment = EXPERIMENTS[name]
    for config in experiment.PRESETS.values():
        (entry,) = record.evidence([Run(1, config, Result({"a": 1.0}), 1.0, "")])
        assert config_of(json.loads(json.dumps(entry))) == config


def test_numbers_are_compared_one_by_one():
    def verdict(recorded: dict, found: dict) -> str:
        return verdict_of(entry_with() | {"numbers": recorded}, Cell(CONFIG, found)).kind

    assert verdict({"a": 1.0, "b": "nan"}, {"a": 1.0 + 1e-9, "b": math.nan}) == "same"
    assert verdict({"a": 1.0}, {"a": 1.0 + 1e-5}) == "differs"
    assert verdict({"a": 1.0}, {"a": 1.0, "b": 2.0}) == verdict({"a": 1.0, "b": 2.0}, {"a": 1.0}) == "differs"
    assert verdict({"a": "inf"}, {"a": -math.inf}) == "differs"
    assert verdict({"a": 10**300}, {"a": 1.0}) == "differs"


def test_words_of_others_obey_nobody():
    assert tidy("a\x1b[31m\r\nb\u202ec") == "a [31m  b c"
    assert safe("=1+1") == "'=1+1" and safe("@x") == "'@x" and safe("Ada") == "Ada"


NASTY = [
    None, True, 0, -1, 10**400, 1e308, -1e308, "", "x" * 10_000, "\x00", "\ud800", "../../etc/passwd", "os:system",
    [], {}, [[]], ["x"] * 5_000, {"": 1}, {str(i): i for i in range(6_000)}, "2026-13-45T00:00:00+00:00", "nan",
]  # fmt: skip


def places(content, place=()):
    """Every place inside, by the way to it."""
    yield place
    inside = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for name, one in inside:
        yield from places(one, (*place, name))


def changed_at(content, place, value, drop: bool):
    if not place:
        return value
    content = copy.copy(content)
    if len(place) == 1 and drop and isinstance(content, dict):
        del content[place[0]]
    else:
        content[place[0]] = changed_at(content[place[0]], place[1:], value, drop)
    return content


SOUND = course(Run(1, CONFIG, Result({"a": 1.0, "b": 2.0}), 1.0, "here"), "Ada")


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(place=st.sampled_from(sorted(places(SOUND), key=str)), value=st.sampled_from(NASTY), drop=st.booleans(),
       resign=st.booleans())  # fmt: skip
def test_a_changed_record_is_read_or_refused_in_one_sentence(tmp_path_factory, place, value, drop, resign):
    """Whatever stands wherever, with digests that fit or not: nothing but a Mistake, and nothing runs."""
    content = changed_at(SOUND, place, value, drop)
    if resign:
        try:
            content = signed_anew(copy.deepcopy(content))
        except (TypeError, KeyError, AttributeError, UnicodeEncodeError):  # too broken to be signed
            pass
    file = tmp_path_factory.getbasetemp() / "mutated.json"
    file.write_text(json.dumps(content))
    paper = paper_at(file)
    if paper.handed is None:
        assert paper.problem.endswith(".") and "\n" not in tidy(paper.problem) and len(paper.problem) < 400
    for entry in paper.runs:
        try:
            assert config_of(entry).data == CONFIG.data
        except Mistake as mistake:
            assert len(str(mistake)) < 1000


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"form":' * 50_000,
        '{"form": "dpmia_lab record 2", "sha256": 1e999}',
        '{"form": "dpmia_lab record 2", "sha256": Infinity}',
        '{"form": "dpmia_lab record 2", "sha256": ' + "9" * 5000 + "}",
        '{"form": ["dpmia_lab record 2"], "sha256": ""}',
        '{"form": "dpmia_lab record 2", "sha256": ""}',
        "\ufeff{}",
        "{}" + " " * 20_000_000,
    ],
)
def test_what_no_page_has_written_is_refused_quickly(text):
    start = time.monotonic()
    with pytest.raises(Mistake) as refused:
        opened(text.encode())
    assert len(str(refused.value)) < 300 and time.monotonic() - start < 20
    with pytest.raises(Mistake):
        opened(b"\xff\xfe\x00")


def test_a_preset_times_the_limit_is_the_most():
    assert ABSURD == 50
    assert config_of(entry_with(steps=10_000)).steps == 10_000
