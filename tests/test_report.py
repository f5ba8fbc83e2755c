"""The report: one file, read without a network, in which every number has its meaning and nothing breaks out."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

from dpmia_lab.checks import Mistake
from dpmia_lab.commands import report as command
from dpmia_lab.commands.command_line import main
from dpmia_lab.data.file_rows import rows_in_file
from dpmia_lab.data.population import load_population
from dpmia_lab.experiments.comparing_answers import Harm
from dpmia_lab.experiments.comparing_grid import Grid
from dpmia_lab.sweeps import comparison
from dpmia_lab.widgets.kit.glossary import TERMS
from dpmia_lab.widgets.report import records
from dpmia_lab.widgets.report.about import About
from dpmia_lab.widgets.report.as_data import json_text, report_from, report_json
from dpmia_lab.widgets.report.drawings import drawn_rows
from dpmia_lab.widgets.report.findings import findings, standing
from dpmia_lab.widgets.report.meanings import MEANINGS
from dpmia_lab.widgets.report.page import report_html
from tests.report_parts import COLUMNS, HOSTILE, MEANS, hand_about, hand_grid


class Parsed(HTMLParser):
    """Every element with its attributes; the text of table cells and captions."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements, self.open, self.texts = [], [], {}
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        for tag in set(self.open):
            self.texts.setdefault(tag, []).append(data)

    def all(self, *tags: str) -> list[dict]:
        return [attributes for tag, attributes in self.elements if tag in tags]


@pytest.fixture(scope="module")
def html() -> str:
    return report_html(hand_grid(), about=hand_about())


# ---- what it says
def test_findings_are_the_planted_ones():
    told = findings(hand_grid())
    assert len(told) == 3
    assert "tells who was in" in told[0].title
    assert "25.0\u00a0%" in told[0].sentence and "70.0\u00a0%" in told[0].sentence
    assert "DP-SGD, ε = 2" in told[1].title and "10.0 points" in told[1].title
    assert "ε = 2 for a record" in told[1].sentence
    assert "The label alone" in told[2].title and "18.0\u00a0%" in told[2].sentence


def test_without_a_leak_it_says_so():
    grid = hand_grid()
    guess = {key: np.array([0.009, 0.01, 0.011]) if key[1] == "tpr1" else values for key, values in grid.values.items()}
    assert "did better than guessing" in findings(replace(grid, values=guess))[0].title


def test_a_promise_that_rules_nothing_out_counts_as_none(html):
    found = standing(hand_grid(), Harm())
    assert found["promised"] == ["central_2"]
    assert "little_0.1" in found["broken"] and "masking_label" in found["broken"]
    assert "rules nothing out" in html


def test_one_seed_has_no_interval_and_no_answer():
    html = report_html(hand_grid(seeds=1), about=hand_about())
    assert "It cannot be said" in html and "One seed: there are no intervals." in html


def test_every_defence_attack_and_reason_is_there(html):
    for column in COLUMNS.values():
        assert column.words in html
    for words in ("not tried: a label has no gradient.", "the data have no people.", "dpmia-lab report --data my.npz"):
        assert words in html
    assert "1,797 pictures" in html and "18 November 2026" in html and "Version of python" in html


def test_records_at_risk_are_told_by_their_row(html):
    assert re.search(r">17</td><td>3</td><td[^>]*>23 of 24</td><td>0 of 24</td><td[^>]*>1 of 24</td>", html)
    assert ">4, 90</td>" in html


def test_the_glossary_has_the_words_that_are_used(html):
    listed = set(re.findall(r"<dt>(.*?)</dt>", html))
    assert {"member", "canary", "ε (epsilon)", "AUC", "early stopping"} <= listed
    assert TERMS["ssim"].name not in listed


def test_own_cells_are_marked():
    grid = hand_grid().with_column("mine", replace(COLUMNS["dap_2"], words="mine"), [], 0)
    assert "mine (yours)" in report_html(grid, own_cells=["mine"])


def test_a_grid_alone_is_enough():
    html = report_html(hand_grid())
    assert "my.npz" in html and "The risk of single records was not told" in html
    nothing = report_html(Grid("empty", (0,), {"none": COLUMNS["none"]}, {}))
    assert "Nothing was measured." in nothing


def test_drawings_stand_in_the_file_with_their_words():
    grid = hand_grid()
    grid = replace(grid, values={**grid.values, ("none", "recognised", "enhanced", "test"): np.array([0.5, 0.6, 0.7])})
    pictures = np.random.default_rng(0).random((3, 1, 8, 8))
    rows = drawn_rows(grid, pictures, {"none": {"picture_enhanced": pictures}, "central_2": {}}, ["a", HOSTILE, "c"])
    assert len(rows) == 2 and "60.0\u00a0%" in rows[1].words
    about = hand_about(drawn=rows)
    images = Parsed(report_html(grid, about=about)).all("img")
    assert len(images) == 6 and all(one["alt"] and one["src"].startswith("data:image/png;base64,") for one in images)
    assert report_from(json.loads(json_text(grid, about=about)))[2] == about


# ---- what each number means
def test_every_table_says_what_it_is_and_every_measure_has_its_meaning(html):
    parsed = Parsed(html)
    assert len(parsed.all("table")) == len(parsed.all("caption")) >= 8
    grid = hand_grid()
    table = html[html.index("What every number of this report means") :]
    for measure in {key[1] for key in grid.values}:
        row = re.search(rf"<tr><td[^>]*>{re.escape(MEANINGS[measure].name)}</td>(.*?)</tr>", table, re.S)
        cells = re.findall(r"<td[^>]*>(.*?)</td>", row[1])
        assert len(cells) == 5 and all(cells), measure


def test_pictures_have_words_and_headings_their_order(html):
    parsed = Parsed(html)
    drawn = parsed.all("svg", "img")
    assert len(drawn) >= 4
    assert all(one.get("aria-label") or one.get("alt") for one in drawn)
    assert len(parsed.all("h1")) == 1 and all(one["id"] for one in parsed.all("section"))
    targets = {one["href"] for one in parsed.all("a")}
    assert targets == {f"#{one['id']}" for one in parsed.all("section")}


# ---- nothing from outside, nothing breaks out
def test_nothing_is_loaded_from_anywhere(html):
    parsed = Parsed(html)
    assert not parsed.all("script", "link", "iframe", "object", "embed")
    assert not re.search(r"url\((?!#)|@import", html)
    places = [one.get("href", one.get("src", "#")) for one in parsed.all("img", "image", "use")]
    assert [place for place in places if not place.startswith(("#", "data:"))] == []


def test_hostile_names_stay_text():
    column = replace(COLUMNS["none"], words=HOSTILE)
    grid = replace(hand_grid(data=HOSTILE), columns={**COLUMNS, "none": column})
    at_risk = tuple(replace(one, label=HOSTILE) for one in hand_about().at_risk)
    about = hand_about(
        source=HOSTILE, class_names=(HOSTILE,) * 2, model=HOSTILE, command=HOSTILE, device=HOSTILE, at_risk=at_risk,
        settings={HOSTILE: HOSTILE}, explained={HOSTILE: HOSTILE}, refused={HOSTILE: HOSTILE}, kind=HOSTILE,
        reasons={"masking_label|white_box": HOSTILE}, versions={HOSTILE: HOSTILE}, date=HOSTILE,
    )  # fmt: skip
    parsed = Parsed(report_html(grid, about=about))
    assert not parsed.all("script", "img")
    assert not [one for one in parsed.elements if any(name.startswith("on") for name in one[1])]


# ---- as data
def test_json_round_trip():
    grid, about = hand_grid(), hand_about()
    told = json.loads(json_text(grid, ["dap_2"], about))
    again, own, known = report_from(told)
    assert known == about and own == ("dap_2",) and again.columns == grid.columns
    assert json.loads(json.dumps(report_json(again, own, known))) == told
    assert findings(again) == findings(grid)  # written with four digits, told with three
    assert told["findings"][0]["title"] and told["answer"]


# ---- records at risk
def test_caught_counts_what_is_above_the_outsiders():
    rng = np.random.default_rng(0)
    inside = rng.random((16, 400)) < 0.5
    scores = rng.normal(size=inside.shape)
    scores[:, 7] = np.where(inside[:, 7], 9, -1)
    kind = np.zeros(400, dtype=int)
    kind[8] = 1
    rows = [(i,) for i in range(400)]
    found = records.counted([("none", {"scores": scores, "inside": inside, "kind": kind, "y": kind}, rows)])
    worst = records.most_at_risk(found, "none", 5)
    assert worst[0][0] == (7,) and worst[0][1].caught["none"][:3] == (inside[:, 7].sum(), inside[:, 7].sum(), 0)
    assert (8,) not in found and len(found) == 399
    hits = sum(one.caught["none"][0] for rows_, one in found.items() if rows_ != (7,))
    assert 0.004 < hits / inside.sum() < 0.016
    assert records.by_chance(found, "none", 0.9) < 1e-3 < records.by_chance(found, "none", 0.1)


def test_rows_of_bits_and_of_pictures_are_those_of_the_file(tmp_path):
    rng = np.random.default_rng(1)
    bits, labels = rng.integers(0, 2, (60, 30)), rng.integers(0, 2, 60)
    bits[5], labels[5] = bits[50], labels[50]
    np.savez(tmp_path / "bits.npz", X=bits, y=labels)
    people = load_population(str(tmp_path / "bits.npz"))
    rows = rows_in_file(str(tmp_path / "bits.npz"), people.x[[3, 50]], people.y[[3, 50]])
    assert rows == [(3,), (5, 50)]
    pictures = rng.integers(0, 255, (60, 8, 8))
    np.savez(tmp_path / "pictures.npz", X=pictures, y=labels)
    people = load_population(str(tmp_path / "pictures.npz"))  # in another order
    rows = rows_in_file(str(tmp_path / "pictures.npz"), people.x, people.y)
    assert sorted(row for (row,) in rows) == list(range(60))
    assert all(np.allclose(255 * x[0], pictures[row]) for x, (row,) in zip(people.x, rows, strict=True))
    assert rows_in_file("purchases_like", people.x, people.y) is None


# ---- the command
@pytest.fixture(scope="module")
def own_file(tmp_path_factory) -> Path:
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 160)
    x = (rng.random((160, 24)) < 0.2 + 0.6 * (np.arange(24) % 3 == y[:, None])).astype(np.uint8)
    path = tmp_path_factory.mktemp("report") / "my <data>.npz"
    np.savez(path, X=x, y=np.array(["a", "b", "<c>"])[y])
    return path


def test_the_command_writes_both_files(own_file, monkeypatch, capsys):
    monkeypatch.chdir(own_file.parent)
    (own_file.parent / "my_models.py").write_text(
        "from torch import nn\n"
        "class Net(nn.Module):\n"
        "    def __init__(self, n, c):\n"
        "        super().__init__()\n"
        "        self.norm, self.last = nn.BatchNorm1d(n), nn.Linear(n, c)\n"
        "    def forward(self, x):\n"
        "        return self.last(self.norm(x))\n"
        "def net(shape, classes):\n"
        "    return Net(shape[0], classes)\n"
    )
    words = ["report", "--data", own_file.name, "--small", "--seeds", "1", "--workers", "1", "--folder", "cells"]
    words += ["--model", "my_models:net", "--defence", "masking_label", "--defence", "central"]
    assert main(words) == 0
    html, told = Path("report.html").read_text(), json.loads(Path("report.json").read_text())
    assert "my &lt;data&gt;.npz" in html and "<data>" not in html
    assert "A trial run" in html and "norm is a BatchNorm1d" in html and "masking_label" in told["grid"]["columns"]
    assert told["about"]["judged"] > 50 and "&lt;c&gt;" in html
    assert "--model my_models:net" in told["about"]["command"]
    assert sorted(path.name for path in Path().iterdir()) == [
        "__pycache__", "cells", own_file.name, "my_models.py", "report.html", "report.json",
    ] or "__pycache__" not in {path.name for path in Path().iterdir()}  # fmt: skip
    before = len(list(Path("cells").iterdir()))
    assert main(words) == 0 and len(list(Path("cells").iterdir())) == before  # nothing is computed again


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--data", "absent.npz"], "there is no absent.npz"),
        (["--data", "broken.npz"], "broken.npz must be an npz file of plain arrays"),
        (["--data", "my.npz", "--model", "nowhere:net"], "there is no 'nowhere'"),
        (["--data", "my.npz", "--records", "500"], "records must be a whole number from 1 to 53; it is 500."),
        (["--data", "my.npz", "--accept", "lots"], "accept must be a number of per cent; it is 'lots'."),
        (["--data", "my.npz", "--need", "120"], "need must be from 0 to 100; it is 120.0."),
        (["--data", "my.npz", "--defence", "hope"], "defence must be one of"),
        (["--data", "my.npz", "--out", "nowhere/report.html"], "must exist and be writable"),
    ],
)
def test_refusals_are_one_sentence_and_leave_nothing(own_file, tmp_path, monkeypatch, capsys, words, sentence):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.npz").write_bytes(own_file.read_bytes())
    (tmp_path / "broken.npz").write_text("no archive")
    assert main(["report", *words, "--folder", str(tmp_path / "cells")]) == 2
    told = capsys.readouterr().err.strip()
    assert sentence in told and "\n" not in told
    assert not list(tmp_path.glob("report*"))


def test_an_interrupted_run_leaves_no_half_file(own_file, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def interrupted(*_, **__):
        yield from ()
        raise KeyboardInterrupt

    monkeypatch.setattr(comparison, "compared", interrupted)
    assert main(["report", "--data", str(own_file), "--small", "--folder", "cells"]) == 130
    assert "finished cells are kept" in capsys.readouterr().err
    assert not list(tmp_path.glob("*report*"))


def test_a_failed_writing_leaves_the_old_file(tmp_path, monkeypatch):
    from dpmia_lab.files import write_whole

    (tmp_path / "report.html").write_text("old")

    def fails(file):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(Mistake, match="could not be written"):
        write_whole(tmp_path / "report.html", fails)
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert (tmp_path / "report.html").read_text() == "old"


def test_the_command_in_the_report_is_the_one_given():
    words = ["report", "--data", "my file.npz", "--model", "m:f", "--defence", "dap", "--seeds", "5", "--small"]
    from dpmia_lab.commands.command_line import parser

    told = command.command_of(parser().parse_args(words))
    assert told.startswith("dpmia-lab report --data 'my file.npz' --model m:f --seeds 5")
    assert "--defence dap" in told and told.endswith("--small")


# ---- in a browser, with the network cut
@pytest.mark.parametrize("width", [1280, 390])
def test_in_a_browser(browser, tmp_path, width, html):
    (tmp_path / "report.html").write_text(html)
    context = browser.new_context(viewport={"width": width, "height": 844})
    page, asked, complaints = context.new_page(), [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.goto((tmp_path / "report.html").as_uri())
    assert [url for url in asked if not url.startswith("file:")] == [] and complaints == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    shown = page.evaluate("[...document.querySelectorAll('figure svg')].filter(one => one.checkVisibility()).length")
    assert shown == 2
    page.evaluate("document.querySelector('meta[http-equiv]').remove()")
    barriers = Axe().run(page).response["violations"] if width == 1280 else []
    assert [(one["id"], one["nodes"][0]["html"][:120]) for one in barriers] == []
    context.close()


def test_means_are_complete():
    """The hand-made comparison has a line for every column."""
    assert MEANS.keys() == COLUMNS.keys() and About().classes == 0
