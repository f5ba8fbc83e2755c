"""The command line: what it prints and writes, and how it answers mistakes and Ctrl-C."""

import argparse
import json
import os
import shlex
import signal
import subprocess
import sys

import numpy as np
import pytest
from conftest import heed_ctrl_c

from dpmia_lab import __version__
from dpmia_lab.checks import Mistake
from dpmia_lab.commands import command_line
from dpmia_lab.commands.command_line import config_of, main, parser
from dpmia_lab.commands.progress_line import ProgressLine
from dpmia_lab.commands.sweep import grid_and_base
from dpmia_lab.experiments import EXPERIMENTS, inversion
from dpmia_lab.files import write_whole
from dpmia_lab.options import as_dict
from dpmia_lab.stages import Progress, Snapshot, drain
from dpmia_lab.store import Result
from dpmia_lab.sweeps.sweep import configurations

COMMAND = [sys.executable, "-m", "dpmia_lab.commands.command_line"]
SMALL = ["run", "inversion", "--data", "digits", "--steps", "20"]


def refused(capsys, *arguments):
    """The one sentence with which these arguments are refused."""
    assert main(list(arguments)) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1 and said.err.endswith(".\n")
    return said.err.strip()


def test_list_names_every_experiment_and_preset(capsys):
    assert main(["list"]) == 0
    said = capsys.readouterr().out
    for name, experiment in EXPERIMENTS.items():
        assert name in said and experiment.TITLE in said
        assert all(preset in said for preset in experiment.PRESETS)


def test_data_list_names_every_set_and_what_is_missing(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert main(["data", "list"]) == 0
    said = capsys.readouterr().out
    assert all(f"\n{name} " in f"\n{said}" for name in ("faces", "digits", "mnist", "att_faces", "mnist:download"))
    assert "not downloaded yet: run `dpmia-lab data download mnist`" in said


def test_the_version_is_the_packages(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0 and capsys.readouterr().out.strip() == __version__


# ---- help


def commands_of(parser, path=()):
    """Every command with its parser, from ("run", "inversion") to ("table",)."""
    below = [action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    yield path, parser
    for name, one in (below[0] if below else {}).items():
        yield from commands_of(one, (*path, name))


def examples_in(parser):
    _, _, listed = parser.format_help().partition("\nexamples:\n")
    return [line.strip() for line in listed.partition("\n\n")[0].splitlines()]


def test_help_has_examples_everywhere_but_where_there_is_nothing_to_choose():
    without = {path for path, one in commands_of(parser()) if not examples_in(one)}
    assert without == {("list",), ("app",), ("data", "list"), ("data", "download")}


def test_every_example_can_be_typed_as_it_is(monkeypatch):
    """It is parsed, and its settings are ones that the experiment takes."""
    for _, one in commands_of(parser()):
        for line in examples_in(one):
            _, *words = shlex.split(line)
            if "--help" in words:
                continue
            chosen = parser().parse_args(words)
            if chosen.action.__name__ == "run_experiment":
                config_of(chosen)
            if chosen.action.__name__ == "run_sweep":
                assert configurations(*grid_and_base(chosen), int(chosen.seeds))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([*SMALL, "--stepps", "3"], "--stepps is not an option of dpmia-lab run inversion (did you mean --steps?)."),
        (
            ["run", "inversion", "--ratee=3"],
            "--ratee is not an option of dpmia-lab run inversion (did you mean --rate?).",
        ),
        (["epsilon", "--sgima", "3"], "--sgima is not an option of dpmia-lab epsilon (did you mean --sigma?)."),
        (["run", "inversoin"], "; it is 'inversoin' (did you mean inversion?)."),
        (["tabel", "x"], "; it is 'tabel' (did you mean table?)."),
        (["run", "inversion", "--preset", "digts"], "; it is 'digts' (did you mean digits?)."),
        (["run", "inversion", "--model", "softmx"], "; it is 'softmx' (did you mean softmax?)."),
        (["sweep", "inversion", "--grid", "sead=1,2"], "; it is 'sead' (did you mean seed?)."),
        (["sweep", "inversion", "--set", "pior=l1"], "; it is 'pior' (did you mean prior?)."),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_typo_is_answered_with_the_nearest_name(arguments, sentence, capsys):
    try:
        code = main(arguments)
    except SystemExit as end:
        code = end.code
    said = capsys.readouterr()
    assert code == 2 and said.out == "" and said.err.count("\n") == 1
    assert said.err.strip().endswith(sentence)


@pytest.mark.parametrize("arguments", [[], ["run"], ["run", "nothing"], ["data"], [*SMALL, "--colour", "red"]], ids=str)
def test_unknown_commands_show_how_to_use_it(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert capsys.readouterr().err.startswith("usage: dpmia-lab")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_help_explains_every_option_and_its_default(name, capsys):
    with pytest.raises(SystemExit):
        main(["run", name, "--help"])
    said = capsys.readouterr().out
    assert all(f"--{option} VALUE" in said for option in as_dict(EXPERIMENTS[name].SMALL))
    assert f"(default {EXPERIMENTS[name].Config().data})" in said


# ---- a run


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A run in a process of its own: the folder it wrote into, and what it printed."""
    folder = tmp_path_factory.mktemp("written")
    files = ["--json", str(folder / "record.json"), "--arrays", str(folder / "arrays.npz")]
    run = subprocess.run(COMMAND + SMALL + files, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return folder, run


def test_a_run_prints_sentences_then_a_table_then_where_the_rest_is(written):
    printed, record = written[1].stdout, json.loads((written[0] / "record.json").read_text())
    first, *_ = printed.splitlines()
    assert first.startswith("The attacked model, softmax regression on digits, is right on ")
    assert f"{record['results']['test_accuracy']:.0%} of new records (guessing: 10%)" in first
    cells = {line.split("  ")[1]: line.split() for line in printed.splitlines() if line.startswith("  ")}
    for words, attack in {
        "enhanced attack (paper A)": "",
        "random noise": "_noise",
        "a black picture": "_blank",
    }.items():
        distance, recognised = (record["results"][f"{name}{attack}"] for name in ("distance_mean", "recognised_share"))
        assert cells[words][-1] == f"{distance:.3g}" and cells[words][-4] == f"{recognised:.0%}"
    assert "Settings: data digits, steps 20; all others as usual." in printed
    assert printed.endswith(f"All 34 numbers with full names and units are in {written[0] / 'record.json'}.\n")


def test_the_record_has_full_names_and_units(written):
    record = json.loads((written[0] / "record.json").read_text())
    told = {one["name"]: one for one in record["measured"]}
    assert told.keys() == record["results"].keys()
    noise = told["recognised_share_noise"]
    assert noise["full_name"].startswith("drawings that an independent judge names right;")
    assert noise["full_name"].endswith("attack: random noise")
    assert noise["unit"] == "share from 0 to 1; higher is a worse leak"
    assert all(one["value"] == record["results"][name] for name, one in told.items())


def test_progress_goes_to_the_other_stream(written):
    lines = written[1].stderr.splitlines()
    assert lines and all(" % " in line for line in lines)
    assert lines[-1].startswith("100 %")


def test_the_record_says_what_was_done_and_where(written):
    record = json.loads((written[0] / "record.json").read_text())
    assert set(record) == {"experiment", "config", "results", "measured", "versions", "device", "seconds"}
    assert record["experiment"] == "inversion"
    assert inversion.Config(**record["config"]) == inversion.SMALL
    assert {"dpmia_lab", "python", "torch", "numpy"} <= record["versions"].keys()
    assert record["seconds"] > 0 and record["device"]
    plain = {"test_accuracy", "recognised_share", "distance_mean", "distance_mean_noise"}
    assert plain <= record["results"].keys()


def test_a_run_leaves_only_the_files_asked_for(written):
    assert sorted(path.name for path in written[0].iterdir()) == ["arrays.npz", "record.json"]


def test_files_have_the_rights_any_new_file_has(written, tmp_path):
    (tmp_path / "usual").touch()
    usual = (tmp_path / "usual").stat().st_mode
    assert {path.stat().st_mode for path in written[0].iterdir()} == {usual}


def test_the_command_line_gives_the_same_bits_as_python(written):
    result = drain(inversion.run(inversion.SMALL))
    with np.load(written[0] / "arrays.npz", allow_pickle=False) as arrays:
        assert set(arrays.files) == set(result.arrays)
        for name in arrays.files:
            assert arrays[name].dtype == result.arrays[name].dtype
            assert np.array_equal(arrays[name], result.arrays[name])
    assert json.loads((written[0] / "record.json").read_text())["results"] == result.numbers


@pytest.fixture
def configs(monkeypatch):
    """Nothing is run: the configurations that would have been."""
    seen = []

    def run(config):
        seen.append(config)
        yield Progress(1, 1, "done")
        return Result({"recognised_share": 0.5}, {"x": np.zeros(2)})

    monkeypatch.setattr(inversion, "run", run)
    monkeypatch.setattr(command_line, "sentences", lambda *_: ["Done."])
    return seen


def test_a_preset_is_the_start_and_options_change_it(configs, capsys):
    assert (
        main(["run", "inversion", "--preset", "digits-published", "--steps", "7", "--box", "no", "--lam", "1e-3"]) == 0
    )
    preset = inversion.PRESETS["digits-published"]
    assert as_dict(configs[0]) == {**as_dict(preset), "steps": 7, "box": False, "lam": 0.001}


def test_without_options_the_usual_settings_run(configs, capsys):
    assert main(["run", "inversion"]) == 0
    assert configs == [inversion.Config()]


def test_an_existing_file_is_replaced_whole(configs, tmp_path, capsys):
    (tmp_path / "a.json").write_text("x" * 10_000)
    assert main(["run", "inversion", "--json", str(tmp_path / "a.json")]) == 0
    assert json.loads((tmp_path / "a.json").read_text())["results"] == {"recognised_share": 0.5}


# ---- mistakes


@pytest.mark.parametrize(
    ("option", "value", "rule"),
    [
        ("steps", "0", "steps must be a whole number from 1 to 20000; it is 0."),
        ("steps", "many", "steps must be a whole number; it is 'many'."),
        ("rate", "-1", "rate must be greater than 0; it is -1.0."),
        ("lam", "nan", "lam must be 0 or more; it is nan."),
        ("model", "forest", "model must be one of softmax, mlp, cnn; it is 'forest'."),
        ("box", "perhaps", "box must be true or false; it is 'perhaps'."),
        ("seed", "3.5", "seed must be a whole number; it is '3.5'."),
        ("data", "cats", "data must be digits, mnist, mnist_varied, faces, att_faces, or the path of"),
        ("data", "/nowhere/x.npz", "data must be the path of a file or folder that exists"),
    ],
)
def test_a_bad_value_is_refused_in_one_sentence(option, value, rule, capfd):
    assert main(["run", "inversion", f"--{option}", value]) == 2
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.splitlines()[-1].startswith(rule)
    assert "Traceback" not in said.err


def test_a_bad_value_ends_the_process_with_code_2():
    run = subprocess.run([*COMMAND, *SMALL, "--people", "1"], capture_output=True, text=True, timeout=60)
    assert run.returncode == 2
    assert run.stderr == "people must be a whole number from 2 to 1000; it is 1.\n"


@pytest.mark.parametrize("option", ["--json", "--arrays"])
def test_a_folder_that_cannot_be_written_is_refused_before_the_work(option, configs, tmp_path, capsys):
    (tmp_path / "file").touch()
    for place in (tmp_path / "missing" / "a", tmp_path / "file" / "a"):
        assert "must exist and be writable" in refused(capsys, "run", "inversion", option, str(place))
    assert "must not be that of a folder" in refused(capsys, "run", "inversion", option, str(tmp_path))
    assert configs == []


@pytest.mark.skipif(os.name != "posix" or os.getuid() == 0, reason="needs a user whom permissions bind")
def test_a_read_only_folder_is_refused_before_the_work(configs, tmp_path, capsys):
    tmp_path.chmod(0o500)
    assert "must exist and be writable" in refused(capsys, "run", "inversion", "--json", str(tmp_path / "a"))
    assert configs == []


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a folder that takes no files from anybody")
def test_a_folder_that_takes_no_files_is_a_mistake_and_not_a_crash(configs, capsys):
    assert main(["run", "inversion", "--json", "/proc/self/a.json"]) == 2
    assert "/proc/self/a.json" in capsys.readouterr().err.splitlines()[-1]


def test_a_write_that_fails_leaves_the_old_file(tmp_path):
    def half(file):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    (tmp_path / "a").write_text("old")
    with pytest.raises(Mistake, match="could not be written: No space left on device.$"):
        write_whole(tmp_path / "a", half)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_text() == "old"


# ---- Ctrl-C


def test_ctrl_c_stops_in_the_middle_and_leaves_nothing(tmp_path):
    files = ["--json", str(tmp_path / "a.json"), "--arrays", str(tmp_path / "a.npz")]
    long = ["run", "inversion", "--data", "digits", "--steps", "20000"]
    pipes = {"stderr": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    run = subprocess.Popen(COMMAND + long + files, **pipes, preexec_fn=heed_ctrl_c)
    try:
        for line in run.stderr:  # until the work is well under way
            if "training" in line or "attacking" in line:
                break
        run.send_signal(signal.SIGINT)
        printed, said = run.communicate(timeout=30)  # the run itself would take a minute
    finally:
        run.kill()
    assert run.returncode == 130
    assert "measuring" not in said  # it did not go on to what comes after
    assert said.endswith("Stopped; nothing was written.\n") and "Traceback" not in said
    assert printed == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_goes_away_is_no_error(unbuffered):
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    run = subprocess.Popen([*COMMAND, "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    run.stdout.close()
    said = run.stderr.read()
    run.stderr.close()
    assert (run.wait(timeout=60), said) == (0, b"")


# ---- the progress line


def test_a_log_file_gets_few_lines_but_always_the_last(capsys):
    line = ProgressLine()
    for step in range(1, 101):
        line.show(Progress(step, 100, "working"))
    line.show(Snapshot("picture", 1, np.zeros(1)))
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("  1 % working") and said[-1].startswith("100 % working")
    assert len(said) <= 3


def test_a_terminal_sees_one_line_that_is_written_over(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    line = ProgressLine()
    line.show(Progress(1, 2, "a long name of some work"))
    line.show(Progress(2, 2, "done"))
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and said.count("\r") == 2
