"""The look and the small scripts of every page: the kit's, then what each lesson adds in a ``page.css`` of its own."""

from importlib.resources import files

WIDGETS = files("dpmia_lab.widgets")
KIT = ("lab", "engine", "course", "charts")  # names of its sheets and of its scripts


def stylesheet() -> str:
    lessons = sorted(place.name for place in WIDGETS.iterdir() if (place / "page.css").is_file())
    sheets = [*(WIDGETS / "kit" / f"{name}.css" for name in KIT), *(WIDGETS / name / "page.css" for name in lessons)]
    return "\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets)


def script() -> str:
    return "\n".join((WIDGETS / "kit" / f"{name}.js").read_text(encoding="utf-8") for name in KIT)
