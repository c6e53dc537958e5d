"""The lessons, a folder each. Adding a lesson is adding a folder.

No lesson imports another. `docs/lesson.md` says what is in a folder, and how its lesson.md is written.
"""
