"""The exports of Moodle and Canvas for a class of three, as their own code writes them, and their zip files."""

from __future__ import annotations

import json
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# Moodle: mod/assign/gradingtable.php, while downloading; "-" for what has not happened.
WORKSHEET = (
    'Identifier,"Full name","Email address",Status,Grade,"Maximum grade","Grade can be changed",'
    '"Last modified (submission)","Last modified (grade)","Feedback comments"\n'
    '"Participant 7781","Anna Kowalska",anna@example.org,"Submitted for grading",,20.00,Yes,'
    '"Monday, 16 November 2026, 9:12 AM",-,"first line\nsecond line"\n'
    '"Participant 7782","Jan Łoś",jan@example.org,"Submitted for grading",3.00,20.00,Yes,'
    '"Monday, 16 November 2026, 9:30 AM","Tuesday, 17 November 2026, 8:00 AM",\n'
    '"Participant 85","Zoé Martin",zoe@example.org,"No submission",,20.00,Yes,-,-,\n'
)
# The same in a Moodle that speaks French and Polish.
WORKSHEETS = {
    "en": WORKSHEET,
    "fr": WORKSHEET.replace("Identifier", "Identifiant")
    .replace('"Full name"', '"Nom complet"')
    .replace("Grade,", "Note,")
    .replace('"Maximum grade"', '"Note maximale"')
    .replace("20.00", '"20,00"'),
    "pl": WORKSHEET.replace("Identifier", "Identyfikator")
    .replace('"Full name"', '"Imię i nazwisko"')
    .replace("Participant", "Uczestnik")
    .replace("Grade,", "Ocena,")
    .replace('"Maximum grade"', '"Maksymalna ocena"')
    .replace("20.00", '"20,00"'),
}
# Moodle: the gradebook's export as plain text; nothing says what a column is worth.
GRADES = (
    '"First name","Last name","ID number","Email address","Assignment: 00_start_here (Real)",'
    '"Assignment: 00_start_here (Percentage)","Last downloaded from this course"\n'
    "Anna,Kowalska,s1,anna@example.org,-,-,1763972000\n"
    "Jan,Łoś,s2,jan@example.org,-,-,1763972000\n"
    "Zoé,Martin,s3,zoe@example.org,-,-,1763972000\n"
)
# Canvas: lib/gradebook_exporter.rb, with a mark for UTF-8 and an assignment that is posted by hand.
CANVAS = (
    "\ufeffStudent,ID,SIS Login ID,Section,Essay (4500),00_start_here (4567),Current Score,Final Score\r\n"
    ",,,,,Manual Posting,,\r\n"
    "    Points Possible,,,,85.00,20.00,(read only),(read only)\r\n"
    '"Kowalska, Anna",7781,anna,Section 85,85.00,,100.00,40.00\r\n'
    '"Łoś, Jan",7782,jan,Section 85,12.50,,15.00,5.00\r\n'
    '"Martin, Zoé",85,zoe,Section 85,,EX,,\r\n'
    '"Student, Test",99,f00d,Monday,,,,\r\n'
)


def moodle(path: Path, file: str, notebooks: Mapping[str, Any]) -> Path:
    """Moodle's "Download all submissions": a folder for each student."""
    numbers = {"Anna Kowalska": 7781, "Jan Łoś": 7782, "Zoé Martin": 85}
    return _zipped(
        path,
        {
            f"{name}_{numbers.get(name, 9000)}_assignsubmission_file_/{file}": notebook
            for name, notebook in notebooks.items()
        },
    )


def canvas(path: Path, file: str, notebooks: Mapping[str, Any]) -> Path:
    """Canvas' "Download Submissions": no folders; family names first, without spaces; one is late."""
    names = {
        "Anna Kowalska": "kowalskaanna_7781",
        "Jan Łoś": "łośjan_LATE_7782",
        "Zoé Martin": "martinzoe_85",
    }
    return _zipped(
        path,
        {
            f"{names.get(name, name.lower() + '_9000')}_312{number}_{file}": notebook
            for number, (name, notebook) in enumerate(notebooks.items())
        },
    )


def colab(folder: Path, file: str, notebooks: Mapping[str, Any]) -> Path:
    """Return a folder of what Colab saved and people sent: each in a folder with a name, called as Colab calls copies."""
    calls = ("Copy of {}", "Kopia notatnika {}", "Copie de {}")
    for number, (name, notebook) in enumerate(notebooks.items()):
        path = folder / name / calls[number % len(calls)].format(file)
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(notebook), "utf-8")
    return folder


def _zipped(path: Path, members: Mapping[str, Any]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, notebook in members.items():
            archive.writestr(zipfile.ZipInfo(name, time.localtime()[:6]), json.dumps(notebook))
    return path
