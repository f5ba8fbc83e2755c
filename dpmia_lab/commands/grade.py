"""``dpmia-lab grade FILE.ipynb …``: marks filled-in worksheets, without running anything of theirs in this process."""

import argparse
import csv
import io
from pathlib import Path

from dpmia_lab.checks import Mistake
from dpmia_lab.commands.examples import EXAMPLES, with_examples
from dpmia_lab.commands.progress_line import ProgressLine
from dpmia_lab.files import check_writable, write_whole

COLUMNS = ("file", "name", "seed", "lesson", "question", "points", "of", "by a person", "words")


def add_grade(commands) -> None:
    one = commands.add_parser(
        "grade",
        help="mark worksheets that students have handed in",
        description="Reads each notebook; runs the configuration behind every number again with that student's seed; "
        "tries functions in a process of their own, for ten seconds at most; lists free answers for a person to mark. "
        "Given several files it says where a wrong number is another student's.",
        **with_examples(EXAMPLES["grade"]),
    )
    one.add_argument("files", type=Path, nargs="+", metavar="FILE.ipynb", help="filled-in worksheets")
    one.add_argument("--csv", type=Path, metavar="FILE", help="write every mark here, a line a question")
    one.set_defaults(action=grade_files)


def grade_files(chosen: argparse.Namespace) -> None:
    from dpmia_lab.worksheets.grading import Runs, grade
    from dpmia_lab.worksheets.reading import handed_in

    check_writable(chosen.csv)
    handed, unread = [], []
    for file in chosen.files:
        try:
            handed.append(handed_in(file))
        except Mistake as mistake:
            unread.append(str(mistake))
    runs, all_graded = Runs(ProgressLine().show), []
    for one in handed:
        all_graded.append(grade(one, runs, tuple(handed)))
        print(graded_text(all_graded[-1]), flush=True)
    if chosen.csv:
        write_whole(chosen.csv, lambda file: file.write(csv_text(all_graded).encode()))
    if unread:
        raise Mistake("\n".join(unread))


def graded_text(graded) -> str:
    handed = graded.handed
    lines = [f"{handed.name}, worksheet {handed.sheet.lesson} ({handed.file}), seed {handed.seed}"]
    for mark in graded.marks:
        points = "  by a person" if mark.by_person else f"{mark.points:5g} of {mark.most:g}"
        lines.append(f"  {mark.question} {points:14} {mark.words}")
        if mark.by_person:
            lines += [f"    > {line}" for line in handed.answers[mark.question].value.splitlines()]
    lines += [f"  ! {remark}" for remark in graded.remarks]
    to_come = handed.sheet.points - graded.by_machine
    rest = f"; {to_come:g} more are for a person to give" if to_come else ""
    return "\n".join([*lines, f"  {graded.points:g} of {graded.by_machine:g} points{rest}.", ""])


def csv_text(all_graded: list) -> str:
    """A line a mark, then a line a remark; cells that a spreadsheet would compute are marked as text."""
    file = io.StringIO()
    table = csv.writer(file)
    table.writerow(COLUMNS)
    for graded in all_graded:
        who = (graded.handed.file, graded.handed.name, graded.handed.seed, graded.handed.sheet.lesson)
        for mark in graded.marks:
            points = "" if mark.by_person else f"{mark.points:g}"
            row = (*who, mark.question, points, f"{mark.most:g}", "yes" if mark.by_person else "", mark.words)
            table.writerow([as_text(cell) for cell in row])
        table.writerows([as_text(cell) for cell in (*who, "remark", "", "", "", said)] for said in graded.remarks)
    return file.getvalue()


def as_text(cell) -> str:
    text = str(cell)
    return f"'{text}" if text[:1] in ("=", "+", "@") else text
