"""What a run costs, told beforehand: near what was measured, more for more, and refused where it is too much."""

import re
import subprocess
import sys
import time
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from dpmia_lab import widgets
from dpmia_lab.checks import Mistake
from dpmia_lab.commands.command_line import main
from dpmia_lab.commands.shipped_runs import pages
from dpmia_lab.commands.warn import warn
from dpmia_lab.cost import MEASURED_AT, SECONDS, USUAL_SECONDS, Budget, Cost, bytes_words, duration_words, together
from dpmia_lab.data import load
from dpmia_lab.data.population import load_population
from dpmia_lab.data.sizes import own_size, picture_size, population_size
from dpmia_lab.experiments import EXPERIMENTS
from dpmia_lab.experiments.costs import COSTS, check_affordable, cost_of, heaviest
from dpmia_lab.memory import MEMORY
from dpmia_lab.reference.shipped_runs import RUNS, records_of
from dpmia_lab.stages import drain

PAGE = Budget(USUAL_SECONDS, 1e9)
WITHIN = 3  # times too long or too short
SIZES = {  # options of which more is more work, or more memory
    "people", "pictures", "height", "records", "classes", "width", "epochs", "shadows", "inside", "unadapted", "looks",
    "canaries", "models", "others", "splits", "known", "repeats", "steps", "longest", "q", "attack_steps", "k_sub",
    "decoder_steps", "gmi_steps", "restarts", "updates", "probes", "queries", "targets", "ssim_models",
}  # fmt: skip
SHIPPED = [(name, record["name"]) for name in EXPERIMENTS for record in records_of(name)]


def test_every_experiment_has_a_cost():
    assert COSTS.keys() == EXPERIMENTS.keys()


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_more_is_never_cheaper_and_something_always_costs_more(name):
    small = EXPERIMENTS[name].SMALL
    before = cost_of(name, small)
    assert before.seconds > 0 and before.bytes > 1e6
    dearer = set()
    for option in (option.name for option in fields(small) if option.name in SIZES):
        after = [cost_of(name, more) for more in (multiplied(small, option, 2), multiplied(small, option, 10)) if more]
        for one, other in zip([before, *after], after, strict=False):
            assert other.seconds >= one.seconds and other.bytes >= one.bytes, option
            dearer |= {option} if other.seconds > one.seconds else set()
    assert dearer


def multiplied(config, option: str, times: int):
    """None where there may not be so much of it."""
    try:
        return replace(config, **{option: times * getattr(config, option)})
    except Mistake:
        return None


@pytest.mark.parametrize(("experiment", "run"), SHIPPED, ids=[run for _, run in SHIPPED])
def test_what_is_told_is_near_what_shipped_runs_took(experiment, run):
    record = next(record for record in records_of(experiment) if record["name"] == run)
    measured = record["seconds"] * MEASURED_AT / record["yardstick"]
    told = cost_of(experiment, EXPERIMENTS[experiment].Config(**record["config"])).seconds
    assert measured / WITHIN < told < measured * WITHIN


def test_there_are_shipped_runs_to_hold_it_against():
    assert len(SHIPPED) == len(list(RUNS.glob("*.json"))) > 50


@pytest.mark.parametrize("name", ["membership", "inversion", "private_training"])
def test_memory_is_near_what_a_run_takes(name):
    script = f"""
import re
from pathlib import Path
import torch
from dpmia_lab.experiments import EXPERIMENTS
from dpmia_lab.stages import drain
def most(): return 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
torch.nn.functional.conv2d(torch.zeros(1, 1, 8, 8), torch.zeros(1, 1, 3, 3))
before = most()
drain(EXPERIMENTS["{name}"].run(EXPERIMENTS["{name}"].SMALL))
print(most() - before)
"""
    if not Path("/proc/self/status").exists():
        pytest.skip("memory is read from /proc")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120)
    measured, told = int(done.stdout), cost_of(name, EXPERIMENTS[name].SMALL).bytes
    assert measured / WITHIN < told < measured * WITHIN


@pytest.mark.parametrize("name", pages())
def test_every_preset_of_a_page_is_within_its_budget(name):
    for config in pages()[name].PRESETS.values():
        cost = cost_of(name, config)
        assert cost.seconds < PAGE.seconds / 10 and cost.bytes < PAGE.bytes * 0.9  # also on a machine ten times as slow


# ---- too much
ABSURD = {
    "inversion": {"people": 800, "pictures": 20, "height": 100, "steps": 20_000, "model": "cnn"},
    "inversion_comparison": {"repeats": 1000},
    "private_training": {"data": "mnist", "model": "cnn", "steps": 100_000, "q": 1.0},
    "hiding": {"repeats": 1000},
    "as_published": {"steps": 100_000},
    "privacy_sweep": {"repeats": 1000, "steps": 100_000},
    "membership": {"records": 50_000, "inside": 512, "shadows": 256, "epochs": 1000},
    "mechanisms": {"records": 50_000, "repeats": 100},
    "evaluation": {"models": 10_000, "others": 1000},
    "attributes": {"model": "mlp", "people": 100_000, "splits": 1000},
    "attribute_curves": {"people": 100_000, "splits": 1000},
    "confidences": {"people": 1000, "height": 112, "updates": 10_000, "probes": 1000},
    "confidence_curves": {"repeats": 100},
    "fooling": {"inside": 512, "unadapted": 512, "records": 50_000},
    "fooling_table": {"repeats": 100, "records": 50_000},
    "comparing": {"records": 50_000, "shadows": 512, "queries": 1000},
}  # the playground's options leave no room for much


@pytest.mark.parametrize("name", ABSURD)
def test_what_no_page_can_do_is_refused_at_once_with_what_weighs_most(name, monkeypatch):
    monkeypatch.setenv(MEMORY, "1000000000")
    monkeypatch.setenv(SECONDS, "1800")
    config = replace(EXPERIMENTS[name].Config(), **ABSURD[name])
    start = time.perf_counter()
    with pytest.raises(Mistake, match="a page may take 30 minutes and 1,000 MB") as refusal:
        check_affordable(name, config)
    assert time.perf_counter() - start < 10  # such a run would take hours
    assert re.search(rf"less of ({'|'.join(f.name for f in fields(config))}) \(now [\d.,e+]+\)", str(refusal.value))


def test_many_cheap_runs_together_may_be_too_much(monkeypatch):
    monkeypatch.setenv(SECONDS, "60")
    config = EXPERIMENTS["evaluation"].SMALL
    check_affordable("evaluation", config)
    with pytest.raises(Mistake, match="a page may take 60 s"):
        check_affordable("evaluation", *[config] * 1000)


def test_whatever_a_button_of_a_page_starts_is_checked_first():
    """Hooks have no button: their runs are fixed, and short."""
    folder = Path(widgets.__file__).parent
    files = [file.read_text(encoding="utf-8") for file in folder.rglob("*.py") if file.name != "stage_run.py"]
    starting = [text for text in files if re.search(r"StageRun\([^)]*(button=|words\.run|\"Run)", text)]
    assert len(starting) >= 6 and all("check_affordable(" in text for text in starting)


def test_the_server_is_told_in_minutes(capsys):
    assert main(["app", "--minutes", "0"]) == 2
    assert capsys.readouterr().err == "minutes must be a whole number from 1 to 100000; it is 0.\n"


def test_the_heaviest_option_is_named_first():
    config = replace(EXPERIMENTS["evaluation"].Config(), models=10_000)
    assert heaviest("evaluation", config, PAGE)[0] == "models"
    config = replace(EXPERIMENTS["inversion"].Config(), data="mnist", model="cnn", steps=20_000)
    assert heaviest("inversion", config, Budget(1, 1e12))[0] == "steps"


def test_the_command_line_warns_and_goes_on(capsys):
    warn("attributes", [EXPERIMENTS["attributes"].SMALL])
    assert capsys.readouterr().err == ""
    warn("evaluation", [replace(EXPERIMENTS["evaluation"].Config(), models=10_000)] * 10, seeds=3)
    told = capsys.readouterr().err
    assert re.fullmatch(r"This will take about .* (hours|days) and .* of memory are free here\.\n", told)


def test_run_warns_before_it_starts(capsys, monkeypatch):
    monkeypatch.setitem(COSTS, "attributes", lambda config: Cost(1e6, 1e13))
    assert main(["run", "attributes", "--people", "200", "--splits", "3", "--known", "20"]) == 0
    told = capsys.readouterr()
    assert told.err.startswith("This will take about") and "10,000 GB" in told.err and "Settings:" in told.out


# ---- sizes
@pytest.mark.parametrize("data", ["digits", "mnist", "mnist_varied", "faces", "att_faces"])
def test_sizes_of_pictures_are_those_of_what_is_loaded(data):
    found, told = load(data, people=6, pictures=5, height=20), picture_size(data, 6, 5, 20)
    assert (len(found.train_y) + len(found.test_y), found.shape, found.classes) == (
        told.records, told.shape, told.classes,
    )  # fmt: skip


@pytest.mark.parametrize("data", ["purchases_like", "hospital_like", "skewed_purchases", "collaboration", "objects"])
def test_sizes_of_populations_are_those_of_what_is_loaded(data):
    found, told = load_population(data, classes=10, records=30), population_size(data, 10, 30, 6, 5, 20)
    assert (len(found.y), found.shape, found.kind) == (told.train, told.shape, told.kind)


def test_a_file_of_ones_own_is_measured_by_its_head(tmp_path):
    np.savez_compressed(tmp_path / "bits.npz", X=np.zeros((900, 50), np.uint8), y=np.arange(900) % 7)
    np.savez(tmp_path / "pictures.npz", X=np.zeros((40, 12, 9), np.uint8), y=np.arange(40) % 4)
    np.savez(tmp_path / "coloured.npz", X=np.zeros((40, 12, 9, 3), np.uint8), y=np.arange(40) % 4)
    bits, pictures, coloured = (own_size(str(tmp_path / f"{name}.npz")) for name in ("bits", "pictures", "coloured"))
    assert (bits.records, bits.shape, bits.classes) == (900, (50,), 7)
    assert (pictures.records, pictures.shape, pictures.classes) == (40, (1, 12, 9), 4)
    assert coloured.shape == (3, 12, 9)


@pytest.mark.parametrize("x", [np.float32(3), np.arange(10), np.zeros((4, 2, 2, 2, 2)), np.zeros((0, 5)), None])
@pytest.mark.parametrize("name", ["inversion", "membership", "comparing", "playground", "confidences"])
def test_a_file_that_no_run_can_read_costs_little_and_is_refused_in_a_sentence(name, x, tmp_path):
    file = tmp_path / "odd.npz"
    file.write_bytes(b"no archive") if x is None else np.savez(file, X=x, y=np.arange(10))
    config = replace(EXPERIMENTS[name].SMALL, data=str(file))
    assert cost_of(name, config).seconds < 100
    with pytest.raises(Mistake, match=r"odd\.npz"):
        drain(EXPERIMENTS[name].run(config))


# ---- words and sums
def test_costs_add_up_in_time_and_share_their_memory():
    both = Cost(2, 100) + Cost(3, 50)
    assert (both.seconds, both.bytes, (both * 4).seconds) == (5, 100, 20)
    assert together({"a": 1, "b": 2}, {"a": 3}) == {"a": 4, "b": 2}
    assert PAGE.allows(Cost(1, 1)) and not PAGE.allows(Cost(1, 2e9)) and not PAGE.allows(Cost(1e9, 1))


def test_words_for_sizes():
    assert [duration_words(s) for s in (0.01, 5, 70, 600, 9 * 3600, 4 * 86400, 1e10)] == [
        "0.1 s", "5.0 s", "70 s", "10 minutes", "9 hours", "4 days", "317 years",
    ]  # fmt: skip
    assert [bytes_words(b) for b in (2e6, 1e9, 4e10)] == ["2 MB", "1,000 MB", "40 GB"]
