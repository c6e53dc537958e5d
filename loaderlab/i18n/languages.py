"""The languages of the course, and all that is particular to each: adding one begins with an entry here.

Pure data, from the standard library only. Everything else in the course that differs between languages stands in catalogs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from loaderlab.i18n.typography import DIGIT, HIDDEN, NARROW, WIDE, Rule, numbers

Breach = tuple[re.Pattern[str], str]


@dataclass(frozen=True)
class Columns:
    """Moodle's names for the columns of its worksheet and its gradebook, without accents and capitals."""

    identifier: str
    full_names: tuple[str, ...]
    names: tuple[str, ...]  # a column of names in other systems' files
    first_names: tuple[str, ...]
    last_names: tuple[str, ...]
    grade: str
    maximum: tuple[str, ...]


@dataclass(frozen=True)
class Language:
    """One language; every field is filled, and a test holds each entry to that."""

    code: str
    """ISO 639-1: catalogs, folders and the option ``--language`` are called so."""
    name: str
    """Its own name for itself."""

    group: str
    """What stands between three digits. Not a full stop: learners type numbers as Python writes them, too."""
    decimal: str
    minus: str
    quotes: tuple[str, str]
    """Around a word, with the space within, if there is one."""
    typography: tuple[Rule, ...]
    """What the builder puts in by itself, such as spaces that do not break."""

    dictionary: str
    """Hunspell's name of its dictionary."""
    dictionary_package: str
    """The package of Debian that has the dictionary."""
    version: str
    """The word for "version", as a regular expression: the number behind it keeps its points."""
    breaches: tuple[Breach, ...]
    """What translators shall not write: a regular expression, applied after typography, and what it finds, in their language."""
    instead: dict[str, str]
    """What one would write without thinking, as a regular expression, and what this course has for it."""

    csv_separator: str
    """What Excel expects between fields: not a comma where that stands in numbers."""
    csv_encoding: str
    """In what Excel writes CSV where one does not choose UTF-8."""
    zip_encoding: str
    """In what Windows Explorer writes the names of files into a zip file."""
    columns: Columns
    copies: tuple[str, ...]
    """What systems write before the name of a copy, or call a new folder: two words each."""
    nobody: str
    """Words in the names of files and folders that name nobody, without accents: regular expressions, a space between."""


_LANGUAGES = (
    Language(
        code="en",
        name="English",
        group=",",
        decimal=".",
        minus="-",
        quotes=("“", "”"),
        typography=(),  # the source is written as it is meant
        dictionary="en_US",
        dictionary_package="hunspell-en-us",
        version="[Vv]ersions?",
        breaches=(),
        instead={},
        csv_separator=",",
        csv_encoding="cp1252",
        zip_encoding="cp437",
        columns=Columns(
            identifier="identifier",
            full_names=("full name",),
            names=("student", "name"),
            first_names=("first name", "firstname"),
            last_names=("last name", "lastname", "surname"),
            grade="grade",
            maximum=("maximum grade",),
        ),
        copies=("copy of", "handed in", "new folder"),
        nobody=(
            r"copy\d* final version ver corrected updated draft try\d* attempt\d* submissions? submitted solutions? solved "
            r"answers? done homework hw\d* assignments? exercises? lab main master lessons? notebooks? untitled\d* "
            "downloads? desktop documents folder my drive content home work weeks? course"
        ),
    ),
    Language(
        code="fr",
        name="Français",
        group=NARROW,
        decimal=",",
        minus="\N{MINUS SIGN}",
        quotes=("« ", " »"),
        typography=(
            (re.compile(rf"(?<=\w)'(?=[\w*_«“{HIDDEN}])"), "’"),
            (re.compile(r"(?<=[^\s;!?])[ \u00a0\u202f]*([;!?]+)(?=[\s*_)\]»”]|$)"), rf"{NARROW}\1"),
            (re.compile(r"(?<=[^\s:])[ \u00a0\u202f]*:(?=[\s*_)\]»”]|$)"), f"{WIDE}:"),
            (re.compile(r"«[ \u00a0\u202f]*"), f"«{WIDE}"),
            (re.compile(r"[ \u00a0\u202f]*»"), f"{WIDE}»"),
            *numbers(NARROW, "échantillons", "batchs", "images"),
            (re.compile(rf"(?<={DIGIT})[ \u202f]?%"), f"{WIDE}%"),
        ),
        dictionary="fr",
        dictionary_package="hunspell-fr",
        version="[Vv]ersions?",
        breaches=(
            (
                re.compile(r"(?<!\u202f)[;!?](\s|$)|(?<!\u00a0):(\s|$)"),
                "pas d’espace insécable avant une ponctuation double",
            ),
            (re.compile(r"\w'\w"), "une apostrophe droite"),
        ),
        instead={
            r"\b(mini-)?lots?\b": "batch",
            r"librairie": "bibliothèque",
            r"support(er|é)": "disponible, accepter",
            r"affam": "attendre les données",
            r"sous le capot": "en interne",
            r"frais généraux": "surcoût",
            r"mémoire paginée": "mémoire épinglée",
            r"benchmarker": "mesurer, comparer",
            r"forker": "créer par `fork`",
            r"vous devriez": "vous devez",
        },
        csv_separator=";",
        csv_encoding="cp1252",
        zip_encoding="cp850",
        columns=Columns(
            identifier="identifiant",
            full_names=("nom complet",),
            names=("nom", "etudiant"),
            first_names=("prenom",),
            last_names=("nom de famille", "nom"),
            grade="note",
            maximum=("note maximale",),
        ),
        copies=("copie de", "nouveau dossier"),
        nobody=(
            r"copie\d* fichier finale? version corrigee? brouillon reponses? devoirs? rendus? exercices? labo lecons? "
            "telechargements bureau dossier mon disque semaines? cours"
        ),
    ),
    Language(
        code="pl",
        name="Polski",
        group=WIDE,
        decimal=",",
        minus="\N{MINUS SIGN}",
        quotes=("„", "”"),
        typography=(
            (re.compile(r"(?<!\w)([aiouwzAIOUWZ]) (?=\S)"), rf"\1{WIDE}"),
            (re.compile(r"(?<!\w)((?:np|ok|ang)\.|nr) (?=\S)"), rf"\1{WIDE}"),
            *numbers(WIDE, "prób(?:ek|ki|ka)", "batchy", "obraz(?:ów|y)"),
            (re.compile(rf"(?<={DIGIT})[ \u00a0\u202f]%"), "%"),
        ),
        dictionary="pl_PL",
        dictionary_package="hunspell-pl",
        version=r"[Vv]ersions?|wersj\w+",
        breaches=(
            (re.compile(r"(?<![\w])[aiouwzAIOUWZ] "), "jednoliterowe słowo przed zwykłą spacją"),
            (re.compile(r"\d[ \u00a0]%| - "), "spacja przed znakiem % albo łącznik zamiast myślnika"),
            (re.compile(r"\bw[ \u00a0](PyTorch|Python|Jupyter|Colab)\b"), "nieodmieniona nazwa"),
            (
                re.compile(r"(?i)\w+(łeś|łaś)\b|powinieneś|powinnaś|\(a\)"),
                "forma zdradzająca płeć czytającej osoby",
            ),
            (re.compile(r"\w['’](a|u|y|ów|em|ie)\b"), "apostrof przed końcówką"),
        ),
        instead={
            r"zasad\w+ kciuka": "na początek, zwykle",
            r"pod maską": "w rzeczywistości",
            r"utylizacj": "wykorzystanie",
            r"rozmiar (partii|wsadu)": "rozmiar batcha",
            r"pracownik": "worker",
            r"dedykowan": "osobny",
            r"głodz": "czekać na dane",
        },
        csv_separator=";",
        csv_encoding="cp1250",
        zip_encoding="cp852",
        columns=Columns(
            identifier="identyfikator",
            full_names=("imie i nazwisko", "pelna nazwa"),
            names=("nazwisko",),
            first_names=("imie", "imiona"),
            last_names=("nazwisko",),
            grade="ocena",
            maximum=("maksymalna ocena", "ocena maksymalna"),
        ),
        copies=("nowy folder",),
        nobody=(
            r"kopia\d* notatnika? pliku plik finalna finalny ostateczn[aye] koncow[ay] wersja poprawion[aey] odpowiedzi "
            "rozwiazani[ae] gotowe zadani[ae] praca domowa cwiczenia lekcj[ae] pobrane pulpit dokumenty moj dysk tydzien "
            "kurs"
        ),
    ),
)

BY_CODE = {each.code: each for each in _LANGUAGES}
SOURCE = BY_CODE["en"]  # what everything is translated from
TRANSLATIONS = tuple(each for each in _LANGUAGES if each is not SOURCE)
