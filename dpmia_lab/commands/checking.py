"""What ``dpmia-lab check`` does: read every file, run what is inside again, tell what came of it."""

import argparse
import csv
import io
from collections import Counter
from pathlib import Path

from dpmia_lab.checks import Mistake, positive
from dpmia_lab.commands.handed_in import Paper, copies, line_of, lines_of, paper_at, row_of, table_of, tidy
from dpmia_lab.commands.progress_line import ProgressLine
from dpmia_lab.commands.repeating import NOT_REPEATED, Verdict, config_of, repeated, verdict_of
from dpmia_lab.files import check_writable, write_whole
from dpmia_lab.stages import drain

STOPPED = "Stopped; what was repeated is kept, and the same command goes on from there."


def checked(chosen: argparse.Namespace) -> int:
    """The exit code."""
    positive(longest=chosen.longest)
    check_writable(chosen.csv)
    papers = [paper_at(file) for file in files_of(chosen.files)]
    if not chosen.read_only:
        repeat_all(papers, chosen.longest)
    if len(papers) == 1:
        tell_one(papers[0])
    else:
        tell_all(papers)
    if chosen.csv:
        write_whole(chosen.csv, lambda file: file.write(csv_of(papers).encode()))
    return int(any(paper.problem or paper.faults for paper in papers))


def files_of(given: list[Path]) -> list[Path]:
    """Each once; a folder stands for the records in it."""
    found: dict[Path, Path] = {}
    for place in given:
        inside = sorted(place.glob("*.json")) if place.is_dir() else [place]
        if not inside:
            raise Mistake(f"a folder of records must hold files *.json; {place} holds none.")
        found |= {file.resolve(): file for file in inside}
    for file in found.values():
        if not file.is_file():
            raise Mistake(f"{file} must be a file that can be read; it is not.")
    return list(found.values())


def repeat_all(papers: list[Paper], longest: float) -> None:
    """Fills in every paper's verdicts."""
    entries = [(paper, entry) for paper in papers for entry in paper.runs]
    wanted = [asked(entry) for _, entry in entries]
    try:
        cells = drain(repeated([one for one in wanted if isinstance(one, tuple)], longest), ProgressLine().show)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(STOPPED) from None
    for (paper, entry), one in zip(entries, wanted, strict=True):
        paper.verdicts.append(verdict_of(entry, cells[one]) if isinstance(one, tuple) else one)


def asked(entry: dict) -> "tuple[str, object] | Verdict":
    """What to run, or why it is not run."""
    try:
        return entry["experiment"], config_of(entry)
    except Mistake as mistake:
        return Verdict(NOT_REPEATED, str(mistake))


def tell_one(paper: Paper) -> None:
    for line in lines_of(paper):
        print(tidy(line))


def tell_all(papers: list[Paper]) -> None:
    for paper in papers:
        print(tidy(line_of(paper)))
    print()
    for line in table_of(papers):
        print(tidy(line))
    for words in copies(papers):
        print(tidy(f"Look: {words}"))
    count = Counter(paper.verdict for paper in papers)
    print(f"{len(papers)} files: {', '.join(f'{number} {verdict}' for verdict, number in count.items())}.")


def csv_of(papers: list[Paper]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, row_of(papers[0]))
    writer.writeheader()
    writer.writerows(row_of(paper) for paper in papers)
    return out.getvalue()
