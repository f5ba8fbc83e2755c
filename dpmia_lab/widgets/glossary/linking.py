"""Links from the first use of a term in a notebook's prose to its place in the glossary."""

import re

from dpmia_lab.widgets.kit.glossary import PAGE, TERMS

LINKED = re.compile(rf"\[([^\[\]]*)\]\({re.escape(PAGE)}#[\w-]+\)")
# Headings, code, displayed formulas, other links and HTML stay as they are.
UNTOUCHED = r"^\#.*?$|```.*?```|`[^`]*`|\$\$.*?\$\$|!?\[[^\[\]]*\]\([^)]*\)|<[^>]+>"


def linked(cells: list[str], lesson: int) -> list[str]:
    """The prose cells of a lesson, each term linked where it is first used, and nowhere else."""
    terms = {key: one for key, one in TERMS.items() if lesson not in one.means_else}
    by_maths = {one.maths: key for key, one in terms.items() if one.maths}
    groups = {key.replace("-", "_"): key for key in terms}
    # The longest names first: "model inversion" is not a use of "model".
    ordered = sorted(terms, key=lambda key: -len(terms[key].words))
    words = "|".join(rf"(?P<{key.replace('-', '_')}>{terms[key].words})" for key in ordered)
    use = re.compile(
        rf"(?P<untouched>{UNTOUCHED})|(?P<maths>\$[^$\n]+\$)|(?<![\w-])(?:{words})(?![\w])", re.I | re.M | re.S
    )
    seen: set[str] = set()

    def link(found: re.Match) -> str:
        said, kind = found[0], found.lastgroup
        key = by_maths.get(said.strip("$")) if kind == "maths" else groups.get(kind)
        if key is None or key in seen:
            return said
        seen.add(key)
        return f"[{said}]({PAGE}#{key})"

    return [use.sub(link, LINKED.sub(r"\1", cell)) for cell in cells]
