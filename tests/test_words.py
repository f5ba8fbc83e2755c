"""The lab's words: every text is found, translated whole, and said in the language of the page."""

import re
import threading
from collections import Counter
from string import Formatter
from types import SimpleNamespace

import nbformat
import pytest
from conftest import NOTEBOOKS, write_notebook

from dpmia_lab.checks import Mistake, one_of, positive, whole
from dpmia_lab.experiments import inversion
from dpmia_lab.serve.door import Door, Room
from dpmia_lab.serve.language import COOKIE, preferred, prepare_page, reader_language
from dpmia_lab.widgets.inversion import words
from dpmia_lab.widgets.kit import links, tables
from dpmia_lab.widgets.kit.course import sections
from dpmia_lab.widgets.kit.lessons import LESSONS
from dpmia_lab.words.catalogue import ENGLISH, LANGUAGES, Catalogue, catalogue, read_catalogue, written_entry
from dpmia_lab.words.extract import lacking, of_python, of_script, texts, written
from dpmia_lab.words.said import heard, language, local, said, said_many, speak, speaking

OTHERS = [code for code in LANGUAGES if code != ENGLISH]
every_language = pytest.mark.parametrize("code", OTHERS)
TEXTS = texts()


def fields_of(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def tags_of(text: str) -> Counter:
    return Counter(re.findall(r"</?\w+[^>]*>", text))


# ---- the catalogues
@every_language
def test_every_text_is_translated_and_none_is_left_over(code):
    assert lacking(code, TEXTS) == []
    assert catalogue(code).forms.keys() == TEXTS.keys()


@every_language
def test_a_catalogue_stands_as_the_command_would_write_it(code):
    """So that a translator's change shows alone."""
    from dpmia_lab.words.catalogue import FOLDER

    assert (FOLDER / f"{code}.po").read_text(encoding="utf-8") == written(code, TEXTS)


@every_language
def test_translations_have_the_fields_and_the_tags_of_their_text(code):
    templates = {one: text for one, text in TEXTS.items() if not text.where[0].startswith("notebooks/")}
    for english in templates:
        for form in catalogue(code).forms[english]:
            assert fields_of(form) == fields_of(english), english
            assert tags_of(form) == tags_of(english), english
            assert form[:1].isspace() == english[:1].isspace(), english


@every_language
def test_prose_keeps_its_links_formulas_and_headings(code):
    parts = (one for one, text in TEXTS.items() if text.where[0].startswith("notebooks/"))
    for english in parts:
        (form,) = catalogue(code).forms[english]
        for shape in (r"\]\(([^)]*)\)", r"(?<!\$)\$([^$]+)\$(?!\$)", r"^(#+|- |\|)"):
            found, expected = (Counter(re.findall(shape, text, re.MULTILINE)) for text in (form, english))
            assert found == expected, english


def test_texts_are_found_wherever_they_are_said():
    many = 'said_many("{count} x", "{count} xs", 3)'
    source = f"""said("One {{a}}.", a=1); f"<b>{{said('Two.')}}</b>"; said(variable); {many}"""
    source += '; T = marked({"key": ("Three", "{:.0%}")})'
    assert set(of_python(source)) == {("One {a}.", ""), ("Two.", ""), ("Three", ""), ("{count} x", "{count} xs")}
    assert of_script('a = said("Say \\"it\\"", { b }); {{ said("twice") }}') == ['Say "it"', "twice"]


def test_a_catalogue_is_read_as_it_was_written():
    odd = 'two\nlines, a "quote", a \\ and a tab\t.'
    po = written_entry(odd, "", ("zwei\nZeilen",), ["a.py"]) + "\n\n" + written_entry("{n} x", "{n} xs", ("1", "2"), [])
    assert read_catalogue(po) == Catalogue({odd: ("zwei\nZeilen",), "{n} x": ("1", "2")})
    assert read_catalogue(written_entry("open", "", (), [])).forms == {}


# ---- saying
def test_an_unknown_language_and_an_unknown_text_are_english():
    with speaking("tlh"):
        assert language() == ENGLISH and said("Stop") == "Stop"
    with speaking("de"):
        assert said("Nobody has translated {this}.", this=1.5) == "Nobody has translated 1,5."


def test_numbers_are_written_as_the_language_writes_them():
    assert local("1,234.5%") == "1,234.5%"
    with speaking("de"):
        assert local("1,234.5%") == "1\u202f234,5\u00a0%"
        assert said("the judge names {judge:.0%}, SSIM {ssim:.0%}", judge=0.75, ssim=0.5) == (
            "der Gutachter benennt 75\u00a0%, SSIM 50\u00a0%"
        )
        assert tables.with_spread(SimpleNamespace(value=1.25, spread=0.5), "{:.2f}") == "1,25 ± 0,50"


def test_one_and_many():
    with speaking("de"):
        one, many = (said_many("finished, after {count} step", "finished, after {count} steps", n) for n in (1, 2))
    assert (one, many) == ("fertig, nach 1 Schritt", "fertig, nach 2 Schritten")


def test_threads_speak_the_language_of_their_page():
    heard_there = []
    with speaking("es"):
        thread = threading.Thread(target=lambda: heard_there.append(said("Stop")))
        thread.start()
        thread.join()
    assert heard_there == ["Parar"] and language() == ENGLISH


# ---- what rooms below say
@every_language
@pytest.mark.parametrize(
    "wrong",
    [
        lambda: whole(1, 9, steps=0),
        lambda: positive(rate=-1.0),
        lambda: positive(rate=float("inf")),
        lambda: one_of(("l1", "btv"), prior="bvt"),
        lambda: inversion.Config(people=1000, pictures=1000, height=200),
        lambda: links.config_from_query("steps=many", inversion, ("faces",)),
    ],
)
def test_mistakes_are_told_in_the_page_s_language(code, wrong):
    with pytest.raises(Mistake) as refused:
        wrong()
    english = str(refused.value)
    said_so = heard(english, code)
    assert said_so != english and "must" not in said_so and english.split()[0] in said_so


@every_language
def test_what_a_run_and_the_door_say_is_known_again(code):
    door = Door(Room(pages=1, each=1), lambda: ["kernel"])
    for sentence in (door.asked("somebody").sentence, "seed 3: attacking", "1.5 s, no GPU; 2 processor cores (x86_64)"):
        assert heard(sentence, code) != sentence
        assert "processor" not in heard(sentence, code) and "queue" not in heard(sentence, code)
    assert heard("of no template", code) == "of no template"
    assert heard("attacking", ENGLISH) == "attacking"


def test_lesson_1_speaks():
    with speaking("de"):
        assert words.why_blank(inversion.Config(lam=0.1)).startswith("λ = 0,1 wiegt so viel")
        headings = [heading for _, heading in sections(NOTEBOOKS / LESSONS[1].file)]
    assert headings[0] == "Bevor du nachsiehst" and "Warum es funktioniert" in headings


# ---- which language
@pytest.mark.parametrize(
    ("accepted", "code"),
    [("", "en"), ("de-AT,en;q=0.7", "de"), ("fr,es;q=0.5,en;q=0.4", "es"), ("en-US,en;q=0.9,de;q=0.8", "en"),
     ("*", "en"), ("de;q=0.1,es", "es"), (";;,q=", "en"), ("de;q=..", "de")],
)  # fmt: skip
def test_the_browser_s_favourite_is_taken(accepted, code):
    assert preferred(accepted) == code


class Reader:
    """As much of a handler as a page's language is decided by."""

    settings = {"base_url": "/"}

    def __init__(self, asked="", cookie="", accepts=""):
        self.asked, self.cookie, self.kept = asked, cookie, {}
        self.request = SimpleNamespace(headers={"Accept-Language": accepts})

    def get_query_argument(self, name, default):
        return self.asked or default

    def get_cookie(self, name, default):
        return self.cookie or default

    def set_cookie(self, name, value, **_):
        self.kept[name] = value


def test_the_address_comes_before_the_cookie_and_that_before_the_browser():
    asked = Reader("es", "de", "en")
    assert reader_language(asked) == "es" and asked.kept == {COOKIE: "es"}
    kept = Reader("klingon", "de", "es")
    assert reader_language(kept) == "de" and kept.kept == {}
    assert reader_language(Reader(cookie="klingon", accepts="es")) == "es"


def notebook_of(name):
    return nbformat.read(NOTEBOOKS / f"{name}.ipynb", 4)


def test_an_english_page_is_as_its_notebook_has_it():
    notebook = notebook_of("index")
    before = [cell.source for cell in notebook.cells]
    prepare_page(Reader(), notebook, "")
    assert [cell.source for cell in notebook.cells] == [source.strip() for source in before]
    assert notebook.metadata.lab["language"] == "en" and notebook.metadata.lab["note"] == ""


@every_language
@pytest.mark.parametrize("name", ["index", "01_model_inversion"])
def test_a_translated_page_is_whole_and_tells_python(code, name):
    notebook, english = notebook_of(name), notebook_of(name)
    prepare_page(Reader(code), notebook, "")
    pairs = [(a.source, b.source) for a, b in zip(notebook.cells, english.cells, strict=True) if a.source != b.source]
    prose = [cell for cell in english.cells if cell.cell_type == "markdown"]
    assert len(pairs) == len(prose) + 1 and notebook.metadata.title != english.metadata.title
    first = next(cell for cell in notebook.cells if cell.cell_type == "code").source
    assert f"speak('{code}')" in first.splitlines()
    assert notebook.metadata.lab["language"] == code and notebook.metadata.lab["words"]["Dark"] != "Dark"


def test_a_page_without_translation_stays_english_and_says_so(tmp_path):
    write_notebook(tmp_path / "new.ipynb", ["# New words", "1 + 1"])
    notebook = nbformat.read(tmp_path / "new.ipynb", 4)
    prepare_page(Reader("de"), notebook, "")
    assert [cell.source for cell in notebook.cells] == ["# New words", "1 + 1"]
    lab = notebook.metadata.lab
    assert (lab["language"], lab["wanted"]) == ("en", "de") and "noch nicht übersetzt" in lab["note"]
    assert notebook.metadata.title == "New words" and lab["words"]["Dark"] == "Dark"


def test_the_language_in_a_link_is_no_setting():
    config = links.config_from_query("preset=faces&seed=3&lang=de", inversion, ("faces",))
    assert config.seed == 3 and "lang" not in links.query_of(config, inversion)


def test_a_page_can_be_told_its_language():
    speak("de")
    try:
        assert said("Stop") == "Stopp"
    finally:
        speak(ENGLISH)
