"""Tables: generated people, the real surveys, own files, and one sentence for every bad one."""

import os
from pathlib import Path

import numpy as np
import pytest

from dpmia_lab.checks import Mistake
from dpmia_lab.data import table_files
from dpmia_lab.data.steak import FILE
from dpmia_lab.data.table_files import load_table, table_catalogue
from dpmia_lab.data.tables import design_of, in_bands, number, split_people
from dpmia_lab.data.warfarin import A_ALLELE, OF_VKORC1, warfarin_like


def rng(seed=0):
    return np.random.default_rng(seed)


# ---- generated people
def test_generated_patients_follow_the_published_frequencies():
    """Hardy–Weinberg within each ancestry, to four standard errors of 20,000 patients."""
    table = warfarin_like(20_000, rng())
    ancestry, gene = table.column("ancestry").values, table.column("vkorc1").values
    for group, share in enumerate(A_ALLELE):
        own = gene[ancestry == group]
        expected = np.array([(1 - share) ** 2, 2 * share * (1 - share), share**2])
        error = np.sqrt(expected * (1 - expected) / len(own))
        assert (np.abs(np.bincount(own, minlength=3) / len(own) - expected) < 4 * error).all()


def test_the_root_of_the_dose_is_linear_in_the_gene():
    """Least squares on √dose finds the published coefficients again; 0.08 is four standard errors and the clipping."""
    table = warfarin_like(20_000, rng(1))
    design = design_of(table)
    x = design.x + design.secret[table.secret.values]
    found = np.linalg.lstsq(x, np.sqrt(table.target.values), rcond=None)[0]
    assert found[1:3] == pytest.approx(OF_VKORC1[1:], abs=0.08)


def test_the_same_seed_gives_the_same_people_and_another_others():
    one, same, other = (load_table("survey_like", people=200, seed=seed) for seed in (3, 3, 4))
    for a, b in zip(one.columns, same.columns, strict=True):
        assert (a.values == b.values).all()
    assert (one.secret.values != other.secret.values).any()


# ---- real ones
def test_the_steak_survey_ships_whole():
    """430 people with both answers; the commonest steak is 38.4 %, and 72 of them cheated."""
    table = load_table("steak")
    assert len(table) == 430 and table.target.width == 5
    assert table.secret.values.sum() == 72
    assert np.bincount(table.target.values).max() / 430 == pytest.approx(0.384, abs=0.001)
    assert "CC BY 4.0" in table.note


def test_the_shipped_survey_is_the_real_one():
    """Line by line, but for the numbers of the forms."""
    real, shipped = ((place / "steak.csv").read_text().splitlines() for place in (real_data(), FILE.parent))
    assert [line.partition(",")[2] for line in real] == shipped


def real_data() -> Path:
    if not os.environ.get("DPMIA_DATA"):
        pytest.skip("DPMIA_DATA is not set: no copy of the real data to compare with")
    return Path(os.environ["DPMIA_DATA"])


def test_generated_patients_are_like_the_real_ones():
    """Doses within 1.5 mg and genotypes within 3 points of the consortium's (3,450 patients)."""
    real, made = load_table(str(real_data() / "iwpc_clean.csv")), load_table("warfarin_like", people=20_000)
    assert len(real) == pytest.approx(3446, abs=10)
    for measure in (np.mean, np.std):
        assert measure(made.target.values) == pytest.approx(measure(real.target.values), abs=1.5)
    shares = [np.bincount(table.secret.values) / len(table) for table in (real, made)]
    assert shares[1] == pytest.approx(shares[0], abs=0.03)


def test_the_marriage_survey_is_read_and_said_to_be_missing_where_its_package_is(monkeypatch):
    table = load_table("marriage")
    assert len(table) == 6366  # as statsmodels describes it
    assert (table.outcome, table.sensitive) == ("rate_marriage", "affair")
    assert table.secret.values.mean() == pytest.approx(0.32, abs=0.01)  # Fair 1978: 2,053 of 6,366
    monkeypatch.setattr(table_files, "marriage_file", lambda: None)
    with pytest.raises(Mistake, match=r"^data must not be marriage where statsmodels is not installed"):
        load_table("marriage")
    entry = next(entry for entry in table_catalogue() if entry.name == "marriage")
    assert not entry.available


# ---- own files
def written(tmp_path, text: str) -> str:
    file = tmp_path / "my.csv"
    file.write_text(text)
    return str(file)


def rows(change=lambda i, row: row, count=60) -> str:
    lines = ["age,town,ill,dose"]
    for i in range(count):
        row = [str(20 + i), ("north", "south")[i % 2], ("no", "yes")[i % 3 == 0], f"{5 + i / 7:.2f}"]
        lines.append(",".join(change(i, row)))
    return "\n".join(lines) + "\n"


def test_types_are_guessed_and_told(tmp_path):
    table = load_table(written(tmp_path, rows()), "dose", "ill")
    assert [column.kind for column in table.columns] == ["number", "category", "category", "number"]
    assert table.guesses == (
        "age: numbers from 20 to 79; no public bounds are known.",
        "town: 2 categories.",
        "ill: 2 categories.",
        "dose: numbers from 5 to 13.43; no public bounds are known.",
    )
    bounded = load_table(written(tmp_path, rows()), "dose", "ill", bounds="age=18:60,dose=0:20")
    assert bounded.column("age").public and bounded.column("age").values.max() == 60


def test_an_npz_is_the_same_table(tmp_path):
    text = load_table(written(tmp_path, rows()), "dose", "ill")
    arrays = {c.name: c.values if c.kind == "number" else np.array(c.labels)[c.values] for c in text.columns}
    np.savez(tmp_path / "my.npz", **arrays)
    stored = load_table(str(tmp_path / "my.npz"), "dose", "ill")
    for one, other in zip(text.columns, stored.columns, strict=True):
        assert one.kind == other.kind and one.labels == other.labels
        assert one.values == pytest.approx(other.values)


def changed(column: int, value: str, line: int | None = None):
    return rows(lambda i, row: [*row[:column], value, *row[column + 1 :]] if line in (None, i) else row)


NAMED = "must be a column of my.csv (age, town, ill, dose)"
BAD = [
    (changed(1, "north"), "dose", "ill", "my.csv: town must have at least 2 different values; all are 'north'."),
    (changed(0, "", 4), "dose", "ill", "age must have a value for everybody; line 6 has none (1 missing in all)."),
    (changed(0, "NA", 4), "dose", "ill", "line 6 has 'NA' (1 missing in all)."),
    (changed(0, "old", 4), "dose", "ill", "age must be a number for everybody, as it is for most; line 6 has 'old'."),
    (rows(), "ill", "ill", "sensitive must be another column than the outcome; both are 'ill'."),
    (rows(), "doze", "ill", f"outcome {NAMED}; it is 'doze' (did you mean dose?)."),
    (rows(), "dose", "", f"sensitive {NAMED}; it is ''."),
    (rows(count=12), "dose", "ill", "my.csv: there must be at least 40 people; there are 12."),
    (rows(lambda i, row: [row[0], f"town {i}", *row[2:]]), "dose", "ill", "town must have at most 30 different values"),
    (rows(lambda i, row: row[: 3 if i == 2 else 4]), "dose", "ill", "every line must have 4 cells; line 4 has 3."),
    ("a,a\n1,2\n", "a", "b", "my.csv: every column must have a name of its own; one is 'a'."),
    ("", "a", "b", "my.csv must have a line of names and then a line for every person; it has 0 lines."),
]  # fmt: skip


@pytest.mark.parametrize(("text", "outcome", "sensitive", "sentence"), BAD, ids=[case[-1][:50] for case in BAD])
def test_a_bad_table_is_refused_in_one_sentence(tmp_path, text, outcome, sensitive, sentence):
    with pytest.raises(Mistake) as refusal:
        load_table(written(tmp_path, text), outcome, sensitive)
    assert sentence in str(refusal.value) and str(refusal.value).count(". ") == 0


@pytest.mark.parametrize("bounds", ["age=60:20", "agee=0:9", "age", "town=0:1", "age=0:x"])
def test_bad_bounds_are_refused(tmp_path, bounds):
    with pytest.raises(Mistake, match=r"^bounds must be such as age=18:100"):
        load_table(written(tmp_path, rows()), "dose", "ill", bounds=bounds)


@pytest.mark.parametrize("data", ["warfarin", "steek", "my.txt", "none.csv"])
def test_an_unknown_table_is_refused(data):
    with pytest.raises(Mistake, match=r"^data must be "):
        load_table(data)


# ---- parts
def test_splits_share_nobody_and_differ():
    splits = split_people(101, 7, rng())
    everybody = np.concatenate([splits.train, splits.public, splits.test], axis=1)
    assert all(len(set(row)) == len(row) for row in everybody)
    assert splits.train.shape == (7, 50) and splits.public.shape == splits.test.shape == (7, 25)
    assert len({tuple(row) for row in splits.train}) == 7


def test_no_row_is_longer_than_the_public_norm():
    table = load_table("warfarin_like", people=2000)
    design = design_of(table)
    lengths = np.linalg.norm(design.x + design.secret[table.secret.values], axis=1)
    assert lengths.max() <= design.norm < 1.5 * lengths.max()


def test_bands_hold_about_equally_many():
    cut = in_bands(number("x", rng().normal(size=1000), -9, 9), 4)
    assert np.bincount(cut.values).tolist() == [250, 250, 250, 250]
    assert len(cut.labels) == 4 and in_bands(cut) is cut
