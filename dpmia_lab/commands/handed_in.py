"""Records as papers on a lecturer's desk: what each holds and what came of its runs, in lines, a table and rows.

Names and sentences inside are somebody else's words: control characters never reach the terminal, nor formulas a
spreadsheet.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from dpmia_lab.checks import Mistake
from dpmia_lab.commands.repeating import DIFFERS, NOT_REPEATED, SAME, Verdict
from dpmia_lab.widgets.kit.record import PLACES, digest
from dpmia_lab.widgets.kit.record_form import MOST_BYTES, Handed, opened, runs_of

FORMULA = ("=", "+", "-", "@")  # with these a spreadsheet begins to compute


@dataclass
class Paper:
    """``handed`` is None where the file is no sound record, and ``problem`` says why."""

    path: Path
    handed: Handed | None = None
    problem: str = ""
    verdicts: list[Verdict] = field(default_factory=list)  # of ``runs``, once they were repeated

    @property
    def parts(self) -> list[dict]:
        return self.handed.parts if self.handed else []

    @property
    def runs(self) -> list[dict]:
        return [entry for part in self.parts for entry in runs_of(part)]

    @property
    def faults(self) -> list[str]:
        """Of its runs, in words: those that differ first."""
        pairs = sorted(zip(self.verdicts, self.runs, strict=False), key=lambda pair: pair[0].kind != DIFFERS)
        return [f"a run of {run['experiment']} {told(one)}" for one, run in pairs if one.kind != SAME]

    @property
    def reader(self) -> str:
        return (self.handed.name if self.handed else "") or "(no name)"

    @property
    def verdict(self) -> str:
        """In a word or two."""
        kinds = Counter(one.kind for one in self.verdicts)
        if self.problem:
            return "refused"
        if kinds[DIFFERS]:
            return "differ"
        return "not all repeated" if kinds[NOT_REPEATED] else "same" if self.verdicts else "unchanged"

    def count(self, kind: str) -> int:
        return sum(len(part[kind]) for part in self.parts)


def told(verdict: Verdict) -> str:
    if verdict.kind == DIFFERS:
        return f"came out otherwise: {verdict.words}"
    return f"could not be repeated: {verdict.words.removesuffix('.')}"


def paper_at(path: Path) -> Paper:
    """What is wrong with one file must not keep the others from being checked."""
    try:
        with path.open("rb") as file:
            return Paper(path, opened(file.read(MOST_BYTES + 1)))
    except OSError as error:
        return Paper(path, problem=f"It must be a file that can be read; {error.strerror}.")
    except Mistake as mistake:
        return Paper(path, problem=str(mistake))


def tidy(words: str) -> str:
    """Without what a terminal would obey."""
    return "".join(sign if sign.isprintable() else " " for sign in words)


# ---- one paper
def lines_of(paper: Paper) -> Iterator[str]:
    if paper.handed is None:
        yield f"{paper.path}: {paper.problem}"
        return
    yield f"The record is as the page wrote it ({paper.path})."
    yield f"Reader: {paper.reader}; taken {paper.handed.taken}; lab {paper.handed.lab}."
    for part in paper.parts:
        yield from part_lines(part)
    if paper.verdicts:
        yield runs_words(paper)
    for fault in paper.faults:
        yield f"  {fault}"


def part_lines(part: dict) -> Iterator[str]:
    yield f"{page_words(part)}: {part['lesson']['title']}"
    yield f"  {tasks_words(part)}; {len(part['predictions'])} predictions; {len(runs_of(part))} runs"
    for one in part["predictions"]:
        changed = "" if one["now"] == one["first"] else f", later: {one['now']}"
        yield f"  prediction {one['at']}: {one['first']}{changed}"
        yield f"    {one['said'] or 'not yet answered by a run'}"
    for one in part["tasks"]:
        yield f"  {one['task']} done {one['at']}"
        yield f"    {one['said']}"
        for entry in one["behind"]:
            yield f"    behind it: {behind_words(entry)}"
    for entry in part["runs"]:
        yield f"  further: {behind_words(entry)}"


def page_words(part: dict) -> str:
    number, title = PLACES[part["lesson"]["file"]]
    return f"Lesson {number}" if number else title


def tasks_words(part: dict) -> str:
    return f"{len(part['tasks'])} of {part['lesson']['tasks']} tasks done"


def behind_words(entry: dict) -> str:
    if "settings" in entry:
        return "set on the page: " + ", ".join(f"{name} = {value}" for name, value in entry["settings"].items())
    return f"a run of {entry['experiment']}, {entry['computed']}, {entry['at']}: {entry['link']}"


def runs_words(paper: Paper) -> str:
    kinds = Counter(one.kind for one in paper.verdicts)
    words = [f"{number} {kind}" for kind in (SAME, DIFFERS, NOT_REPEATED) if (number := kinds[kind])]
    return f"{len(paper.verdicts)} runs repeated: {', '.join(words)}."


# ---- many papers
def line_of(paper: Paper) -> str:
    if paper.handed is None:
        return f"{paper.path.name}: refused. {paper.problem}"
    done = f"{paper.count('tasks')} tasks, {paper.count('predictions')} predictions, {len(paper.runs)} runs"
    more = f" (and {len(paper.faults) - 1} more)" if len(paper.faults) > 1 else ""
    fault = f"; {paper.faults[0]}{more}" if paper.faults else ""
    return f"{paper.path.name}: {paper.reader}, {len(paper.parts)} pages, {done}: {paper.verdict}{fault}"


def table_of(papers: list[Paper]) -> Iterator[str]:
    """A line a page: how many have worked on it, and how many of their tasks are done."""
    yield f"{'page':12}{'readers':>8}{'tasks done':>18}{'predictions':>12}{'runs':>6}"
    for file in PLACES:
        parts = [part for paper in papers for part in paper.parts if part["lesson"]["file"] == file]
        if parts:
            done, of = sum(len(part["tasks"]) for part in parts), sum(part["lesson"]["tasks"] for part in parts)
            asked, runs = sum(len(part["predictions"]) for part in parts), sum(len(runs_of(part)) for part in parts)
            yield f"{page_words(parts[0]):12}{len(parts):8}{f'{done} of {of}':>18}{asked:12}{runs:6}"


def row_of(paper: Paper) -> dict[str, str | int]:
    """For a spreadsheet."""
    kinds = Counter(one.kind for one in paper.verdicts)
    handed = paper.handed
    row = {"file": paper.path.name, "reader": handed.name if handed else "", "taken": handed.taken if handed else ""}
    row |= {"verdict": paper.verdict, "why": paper.problem or "; ".join(paper.faults)}
    row |= {kind: paper.count(kind) for kind in ("tasks", "predictions")} | {"runs": len(paper.runs)}
    row |= {kind: kinds[kind] for kind in (SAME, DIFFERS, NOT_REPEATED)}
    tasks = {part["lesson"]["file"]: len(part["tasks"]) for part in paper.parts}
    row |= {f"tasks {file.removesuffix('.ipynb')}": tasks.get(file, 0) for file in PLACES}
    return {name: safe(value) if isinstance(value, str) else value for name, value in row.items()}


def safe(words: str) -> str:
    words = tidy(words)
    return f"'{words}" if words.startswith(FORMULA) else words


def copies(papers: list[Paper]) -> Iterator[str]:
    """Pairs of files that hold the same work: the same answers, ticks and runs at the same second.

    One such may be chance in a class that clicks together; half of all there is, and two at least, is not.
    """
    marks = [marks_of(paper) for paper in papers]
    for (one, first), (other, second) in combinations(zip(papers, marks, strict=True), 2):
        both, least = len(first & second), min(len(first), len(second))
        named_alike = one.handed and other.handed and one.handed.name and one.handed.name == other.handed.name
        if both and not named_alike and (both >= max(2, least / 2) or same_file(one, other)):
            names = f"{one.path.name} ({one.reader}) and {other.path.name} ({other.reader})"
            yield f"{names} hold the same work: {both} of {least} entries are alike to the second."


def same_file(one: Paper, other: Paper) -> bool:
    return bool(one.handed and other.handed) and one.handed.digest == other.handed.digest


def marks_of(paper: Paper) -> set[str]:
    """What tells one reader's work from another's: what was done, and when."""
    parts = paper.parts
    done = [[one["task"], one["at"]] for part in parts for one in part["tasks"]]
    done += [[one["question"], one["first"], one["at"]] for part in parts for one in part["predictions"]]
    done += [[run["experiment"], run["config"], run["at"]] for run in paper.runs]
    return {digest(one) for one in done}
