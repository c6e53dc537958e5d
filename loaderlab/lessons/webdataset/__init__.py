"""Lesson 6: many small files, or few large ones: when shards pay, and how to share them out."""

from loaderlab.course import Lesson
from loaderlab.i18n.language import mark

LESSON = Lesson(
    name="webdataset",
    number=6,
    minutes=26,
    promise=mark("Write shards, let all ranks together read each sample once, and know when shards pay."),
    about="files, shards, networks",
    theme="Samples",
    symptom="A million small files, or data on a network",
    needs={"cores": 2, "ram_gib": 2, "shm_mib": 64, "temporary_mib": 160, "open_files": 256},
)
