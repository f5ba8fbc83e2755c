"""Tables by name or from the user's own files: a CSV with a line of names, or an .npz with one array a column.

Types are guessed and told. A column is of numbers if every cell is one and there are more than ``FEW`` different ones;
else it is of categories.
"""

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..checks import Mistake, did_you_mean
from ..seeds import numpy_generator
from . import Source
from .own import file_content, read_npz
from .packaged import packaged_file
from .steak import steak_survey
from .survey import survey_like
from .tables import Column, Table, category, checked, number
from .warfarin import warfarin_like

FEW = 8
MOST_ROWS = 100_000
MOST_COLUMNS = 60
MOSTLY = 0.8  # numbers in a column of which the rest is then a slip
BLANKS = ("", "na", "n/a", "nan", "null", "none", "?")
MADE = {"warfarin_like": warfarin_like, "survey_like": survey_like}
NAMES = "warfarin_like, survey_like, steak, marriage, or the path of a .csv or .npz with one column a question"
IWPC = ("race", "age_decade", "height_cm", "weight_kg", "cyp2c9", "vkorc1_measured", "dose_mg_week")
MARRIAGE = ("rate_marriage", "affairs")
NO_STATSMODELS = (
    "data must not be marriage where statsmodels is not installed, which carries that survey "
    "(pip install statsmodels, or give the path of its fair.csv)."
)


def load_table(
    data: str, outcome: str = "", sensitive: str = "", people: int = 3400, bounds: str = "", seed: int = 0
) -> Table:
    """The table called ``data``, ready for use. ``outcome`` and ``sensitive``: "" leaves them as the set has them.

    ``people``: how many the generators make.  ``bounds``: public bounds of numbers, such as "age=18:100,dose=0:120".
    """
    if data in MADE:
        table = MADE[data](people, numpy_generator(seed, "table", data))
    elif data == "steak":
        table = steak_survey()
    elif data == "marriage":
        table = marriage_survey()
    else:
        table = own_table(data)
    named = replace(table, outcome=outcome or table.outcome, sensitive=sensitive or table.sensitive)
    return checked(with_bounds(named, bounds))


def table_catalogue() -> list[Source]:
    """What attribute inference can be played with."""
    made, own = "made up; no terms", "your own copy"
    rows = [
        ("warfarin_like", "Patients", "what dose they need, and a gene that says so", made, ""),
        ("survey_like", "A survey", "how happy a marriage is, and a sensitive answer", made, ""),
        ("steak", "Steak survey", "430 people's answers, FiveThirtyEight 2014", "CC BY 4.0", ""),
        ("marriage", "Marriage survey", "6,366 people's answers, Redbook 1974", "from statsmodels", missing_marriage()),
        ("FILE.csv", "A table of yours", "a line of names, then one a person; also .npz, an array a column", own, ""),
    ]
    return [Source(*row[:4], available=not row[4], why_not=row[4]) for row in rows]


def missing_marriage() -> str:
    """"" where the survey is installed."""
    return "" if marriage_file() else "It comes with the package statsmodels, which is not installed."


def marriage_file() -> Path | None:
    return packaged_file("statsmodels", "datasets", "fair", "fair.csv")


# ---- files
def own_table(path: str) -> Table:
    place = Path(path).expanduser()
    if place.suffix.lower() not in (".csv", ".npz"):
        raise Mistake(f"data must be {NAMES}; it is {path!r}{did_you_mean(path, [*MADE, 'steak', 'marriage'])}.")
    return table_from_upload(place.name, file_content(path))


def table_from_upload(name: str, content: bytes) -> Table:
    """A table from a file's name and bytes; its outcome and sensitive column are still to be named."""
    if name.lower().endswith(".npz"):
        cells = {key: cells_of(key, array, name) for key, array in read_npz(content, name, needed=()).items()}
    else:
        cells = csv_cells(name, content)
    if len(cells) > MOST_COLUMNS:
        raise Mistake(f"{name}: a table may have at most {MOST_COLUMNS} columns; it has {len(cells)}.")
    if set(IWPC) <= set(cells):
        return iwpc_table(cells)
    if set(MARRIAGE) <= set(cells):
        return marriage_table(cells)
    guessed = [guessed_column(column, texts, name) for column, texts in cells.items()]
    note = f"Your own table, from {name}."
    return Table(name, tuple(column for column, _ in guessed), "", "", note, tuple(told for _, told in guessed))


def cells_of(key: str, array: np.ndarray, source: str) -> list[str]:
    if array.ndim != 1:
        raise Mistake(f"{source}: every array must be a column (n,), one a question; {key} is {array.shape}.")
    if array.dtype.kind == "S":
        array = np.char.decode(array, "utf-8", "replace")
    return [f"{value:.12g}" if isinstance(value, float) else str(value) for value in array.tolist()]


def csv_cells(name: str, content: bytes) -> dict[str, list[str]]:
    """Every column's cells as they stand, stripped, by its name."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Mistake(f"{name} must be text in UTF-8 with commas between cells; it is of another kind.") from None
    separator = max(",;\t", key=text.partition("\n")[0].count)
    lines = [line for line in csv.reader(io.StringIO(text), delimiter=separator) if any(cell.strip() for cell in line)]
    if len(lines) < 2:
        raise Mistake(f"{name} must have a line of names and then a line for every person; it has {len(lines)} lines.")
    if len(lines) - 1 > MOST_ROWS:
        raise Mistake(f"{name}: a table may have at most {MOST_ROWS:,} people; it has {len(lines) - 1:,}.")
    names = [cell.strip() for cell in lines[0]]
    twice = [one for one in names if names.count(one) > 1 or not one]
    if twice:
        raise Mistake(f"{name}: every column must have a name of its own; one is {twice[0]!r}.")
    for place, line in enumerate(lines[1:], start=2):
        if len(line) != len(names):
            raise Mistake(f"{name}: every line must have {len(names)} cells; line {place} has {len(line)}.")
    return {one: [line[i].strip() for line in lines[1:]] for i, one in enumerate(names)}


def guessed_column(name: str, texts: list[str], source: str) -> tuple[Column, str]:
    """A column and the sentence that tells what it was taken for."""
    blank = [place for place, text in enumerate(texts) if text.lower() in BLANKS]
    if blank:
        where = f"line {blank[0] + 2} has {texts[blank[0]]!r}" if texts[blank[0]] else f"line {blank[0] + 2} has none"
        raise Mistake(f"{source}: {name} must have a value for everybody; {where} ({len(blank)} missing in all).")
    values = [as_number(text) for text in texts]
    wrong = [place for place, value in enumerate(values) if value is None]
    different = len(set(texts))
    if wrong and len(wrong) <= (1 - MOSTLY) * len(texts) and different > FEW:
        where = f"line {wrong[0] + 2} has {texts[wrong[0]][:40]!r}"
        raise Mistake(f"{source}: {name} must be a number for everybody, as it is for most; {where}.")
    if wrong or different <= FEW:
        order = sorted(set(texts), key=lambda text: (as_number(text) is None, as_number(text) or 0.0, text))
        return category(name, texts, order), f"{name}: {different} categories."
    found = np.array(values)
    told = f"{name}: numbers from {found.min():g} to {found.max():g}; no public bounds are known."
    return Column(name, "number", found, (), float(found.min()), float(found.max()), public=False), told


def as_number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if np.isfinite(value) else None


def with_bounds(table: Table, bounds: str) -> Table:
    """The table with these numbers moved into bounds that are known without the data."""
    given = dict(bound_of(piece, table) for piece in bounds.split(",") if piece.strip())
    columns = tuple(
        number(column.name, column.values, *given[column.name], column.unit) if column.name in given else column
        for column in table.columns
    )
    return replace(table, columns=columns)


def bound_of(piece: str, table: Table) -> tuple[str, tuple[float, float]]:
    name, _, ends = (part.strip() for part in piece.partition("="))
    low, _, high = ends.partition(":")
    names = [column.name for column in table.columns if column.kind == "number"]
    low, high = as_number(low), as_number(high)
    if name not in names or low is None or high is None or not low < high:
        rule = "such as age=18:100,dose=0:120, for columns of numbers"
        raise Mistake(f"bounds must be {rule}; it is {piece.strip()!r}{did_you_mean(name, names)}.")
    return name, (low, high)


# ---- sets that are known
def iwpc_table(cells: dict[str, list[str]]) -> Table:
    """The consortium's real patients, from the reader's own copy: those with a stable dose and a measured VKORC1.

    As in the published formula, what is not known of other medicines counts as not taken.
    """
    whole = np.array([all(cells[name][row] for name in IWPC) for row in range(len(cells["race"]))])
    if "stable_dose_reached" in cells:
        whole &= np.array([as_number(text) == 1 for text in cells["stable_dose_reached"]])
    if not whole.any():
        raise Mistake("the warfarin table must have patients with a stable dose and a measured VKORC1; it has none.")
    kept = {name: np.array(texts)[whole] for name, texts in cells.items()}
    inducers = [kept[name] for name in ("carbamazepine", "phenytoin", "rifampin") if name in kept]
    taken = np.any([[as_number(text) == 1 for text in texts] for texts in inducers], axis=0) if inducers else None
    usual = np.isin(kept["cyp2c9"], ("*1/*1", "*1/*2", "*1/*3", "*2/*2", "*2/*3", "*3/*3"))
    columns = [
        category("ancestry", kept["race"]),
        category("age", kept["age_decade"]),
        number("height", kept["height_cm"].astype(float), 120, 210, "cm"),
        number("weight", kept["weight_kg"].astype(float), 30, 180, "kg"),
        *([category("inducer", np.where(taken, "yes", "no"))] if taken is not None else []),
        *([category("amiodarone", yes_where_one(kept["amiodarone"]))] if "amiodarone" in kept else []),
        category("cyp2c9", np.where(usual, kept["cyp2c9"], "other")),
        category("vkorc1", kept["vkorc1_measured"], ("G/G", "A/G", "A/A")),
        number("dose", kept["dose_mg_week"].astype(float), 2, 120, "mg a week"),
    ]
    note = "International Warfarin Pharmacogenetics Consortium, from your own copy (PharmGKB's terms)."
    return Table("iwpc", tuple(columns), "dose", "vkorc1", note)


def yes_where_one(texts: np.ndarray) -> np.ndarray:
    return np.array(["yes" if as_number(text) == 1 else "no" for text in texts])


def marriage_survey() -> Table:
    """Redbook's survey of 1974 as statsmodels carries it; its file is read, the package never imported."""
    file = marriage_file()
    if file is None:
        raise Mistake(NO_STATSMODELS)
    return table_from_upload("fair.csv", file.read_bytes())


def marriage_table(cells: dict[str, list[str]]) -> Table:
    """How happy a marriage is, and whether there was an affair. Ages and years are steps already."""
    columns = []
    for name, texts in cells.items():
        if name == "affairs":
            columns.append(category("affair", np.where(np.array(texts, dtype=float) > 0, "yes", "no"), ("no", "yes")))
        else:
            order = sorted(set(texts), key=float)
            columns.append(category(name, texts, order))
    note = "Redbook's survey of 1974 (Fair 1978), carried by statsmodels with the author's permission."
    return Table("marriage", tuple(columns), "rate_marriage", "affair", note)
