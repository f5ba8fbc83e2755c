"""``dpmia-lab epsilon``, ``sigma`` and ``steps``: what they print and write, and how they answer mistakes."""

import json
import subprocess
import sys

import pytest

from dpmia_lab.commands.command_line import main
from dpmia_lab.privacy import accounting
from dpmia_lab.privacy.accounting import ACCOUNTANTS

EPSILON = {"--sigma": "1.0", "--q": "0.01", "--steps": "1000", "--delta": "1e-5"}
SIGMA = {"--epsilon": "2", "--q": "0.01", "--steps": "1000", "--delta": "1e-5"}
STEPS = {"--epsilon": "2", "--sigma": "1.0", "--q": "0.01", "--delta": "1e-5"}


def words(command, options, **changed):
    options = {**options, **{f"--{name}": str(value) for name, value in changed.items()}}
    return [command, *(text for pair in options.items() for text in pair)]


def answers(tmp_path, command, options, **changed):
    place = tmp_path / "answers.json"
    assert main(words(command, options, **changed, json=place)) == 0
    return json.loads(place.read_text())


def refused(capsys, arguments):
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and said.err.endswith(".\n")
    return said.err.strip()


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_epsilon_writes_one_number_an_accountant(tmp_path, neighbours):
    written = answers(tmp_path, "epsilon", EPSILON, neighbours=neighbours)
    assert list(written) == list(ACCOUNTANTS)
    for name, value in written.items():
        truth = accounting.epsilon(name, 1.0, 0.01, 1000, 1e-5, neighbours)
        assert value == truth if value is not None else truth == float("inf")
    assert written["paper-closed-form"] is None and written["tight"] == pytest.approx(
        1.83 if neighbours == "add-remove" else 2.84, rel=0.005
    )


def test_epsilon_prints_every_accountant_with_its_words_and_the_conditions(capsys):
    assert main(words("epsilon", EPSILON)) == 0
    said = capsys.readouterr().out
    assert "Neighbours: add or remove one; δ = 1e-5." in said
    for name, accountant in ACCOUNTANTS.items():
        (line,) = [line for line in said.splitlines() if line.startswith(f"{name} ")]
        assert accountant.words in line and accountant.explanation in line
    assert "broken  κ = 2 ln(1/δ) / ε ≤ σ² ln(1 / (qσ)): 10.73 against 4.605" in said
    assert "met     q < 1 / (16σ): 0.01 against 0.0625" in said
    assert "no guarantee" in said and "the formula says ε = 2.146" in said


def test_a_closed_form_that_holds_is_a_number(tmp_path, capsys):
    written = answers(tmp_path, "epsilon", EPSILON, sigma=3.0, neighbours="replace-one")
    assert written["paper-closed-form"] == pytest.approx(4 * 0.01 * (1000 * 11.5129) ** 0.5 / 3, rel=1e-4)
    assert "broken" not in capsys.readouterr().out


def test_sigma_and_steps_are_the_inverses(tmp_path):
    sigmas = answers(tmp_path, "sigma", SIGMA)
    assert list(sigmas) == list(ACCOUNTANTS) and sigmas["paper-closed-form"] is None
    for name in ("tight", "moments", "moments-classic", "paper-moments"):
        assert accounting.epsilon(name, sigmas[name], 0.01, 1000, 1e-5, "add-remove") == pytest.approx(2, rel=2e-3)
    steps = answers(tmp_path, "steps", STEPS, sigma=sigmas["moments"])
    assert isinstance(steps["moments"], int) and 1000 <= steps["moments"] < 1005
    assert steps["tight"] > steps["moments"] > steps["moments-classic"]


def test_delta_from_the_number_of_units(capsys):
    options = {name: value for name, value in EPSILON.items() if name != "--delta"}
    assert main(words("epsilon", options, units=60_000)) == 0
    by_units = capsys.readouterr().out
    assert main(words("epsilon", EPSILON)) == 0
    assert by_units == capsys.readouterr().out


def test_no_noise_is_written_as_null_and_no_steps_as_zero(tmp_path):
    assert set(answers(tmp_path, "epsilon", EPSILON, sigma=0).values()) == {None}
    assert set(answers(tmp_path, "epsilon", EPSILON, steps=0).values()) == {0}


def test_what_cannot_be_reached_is_said_and_written_as_null(tmp_path, capsys):
    written = answers(tmp_path, "sigma", SIGMA, epsilon=0, steps=3)
    assert written["moments-classic"] is None and written["tight"] > 100
    assert "no sigma up to 1e+06 keeps within epsilon 0.0." in capsys.readouterr().out


MISTAKES = [
    ("epsilon", EPSILON, {"sigma": "much"}, "sigma must be a number; it is 'much'."),
    ("epsilon", EPSILON, {"sigma": "nan"}, "sigma must be from 0 to 1000000.0; it is nan."),
    (
        "epsilon",
        EPSILON,
        {"sigma": 0.001},
        "sigma must be 0 or at least 0.01, as less noise protects nothing; it is 0.001.",
    ),
    ("epsilon", EPSILON, {"steps": "2.5"}, "steps must be a whole number; it is '2.5'."),
    ("epsilon", EPSILON, {"steps": -1}, "steps must be a whole number from 0 to 1000000000; it is -1."),
    ("epsilon", EPSILON, {"delta": 1}, "delta must be greater than 0 and less than 1; it is 1.0."),
    ("epsilon", EPSILON, {"neighbours": "all"}, "neighbours must be one of add-remove, replace-one; it is 'all'."),
    ("sigma", SIGMA, {"epsilon": -1}, "epsilon must be 0 or more; it is -1.0."),
    ("sigma", SIGMA, {"epsilon": "inf"}, "epsilon must be finite; it is inf."),
    ("steps", STEPS, {"q": 2}, "q must be from 0 to 1; it is 2.0."),
]


@pytest.mark.parametrize(("command", "options", "changed", "sentence"), MISTAKES, ids=str)
def test_mistakes_are_one_sentence(command, options, changed, sentence, capsys):
    assert refused(capsys, words(command, options, **changed)) == sentence


def test_units_that_are_no_number(capsys):
    options = {name: value for name, value in EPSILON.items() if name != "--delta"}
    assert refused(capsys, words("epsilon", options, units="all")) == "units must be a whole number; it is 'all'."
    assert "units must be a whole number from 1 to" in refused(capsys, words("epsilon", options, units=0))


def test_a_folder_that_is_not_there_is_said_before_the_work(capsys, tmp_path):
    assert "must exist and be writable" in refused(capsys, words("epsilon", EPSILON, json=tmp_path / "no" / "file"))


@pytest.mark.parametrize("missing", ["--sigma", "--q", "--steps", "--delta"])
def test_a_missing_option_shows_how_to_use_it(missing, capsys):
    with pytest.raises(SystemExit) as end:
        main(words("epsilon", {name: value for name, value in EPSILON.items() if name != missing}))
    assert end.value.code == 2 and "usage: dpmia-lab epsilon" in capsys.readouterr().err


def test_delta_and_units_exclude_each_other(capsys):
    with pytest.raises(SystemExit) as end:
        main(words("epsilon", EPSILON, units=5))
    assert end.value.code == 2 and "not allowed with" in capsys.readouterr().err


def test_the_answer_comes_without_pytorch():
    code = (
        "import sys; from dpmia_lab.commands.command_line import main; "
        f"end = main({words('epsilon', EPSILON)!r}); sys.exit(end or 'torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=120).returncode == 0
