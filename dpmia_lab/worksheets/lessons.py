"""The ten worksheets, by the number of their lesson."""

from dpmia_lab.worksheets import (
    lesson_01,
    lesson_02,
    lesson_03,
    lesson_04,
    lesson_05,
    lesson_06,
    lesson_07,
    lesson_08,
    lesson_09,
    lesson_10,
)
from dpmia_lab.worksheets.questions import Sheet

ALL = (lesson_01, lesson_02, lesson_03, lesson_04, lesson_05, lesson_06, lesson_07, lesson_08, lesson_09, lesson_10)
SHEETS: dict[int, Sheet] = {one.SHEET.lesson: one.SHEET for one in ALL}
